/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the shared I/O threads. When a companion of a client's thread has
 * run twice, the client has had its chance to run.
 */
#include "element-tools.h"

#include <gst/check/gstcheck.h>

#include <plugins/lmcc/common/io.h>

#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

/* As in io.c. */
#define MAX_THREADS 4

/* Enough clients that each thread has at least two. */
#define N_CLIENTS (2 * MAX_THREADS)

/* Longest wait for an expected event; then the test fails. */
#define PATIENCE (15 * G_TIME_SPAN_SECOND)

#define MAX_TAGS 8

typedef struct _Client Client;

struct _Client
{
  GstLmccIo *io;
  guint64 (*step) (Client *client); /* or NULL: GST_LMCC_IO_NEVER */
  guint64 due;
  guint number;
  gint fds[MAX_TAGS];
  gboolean takes;

  /* lock */
  guint runs;
  GThread *thread;
  guint n_tags;
  guint tags[MAX_TAGS];
};

static GMutex lock;
static GCond cond;

static Client clients[N_CLIENTS];

/* Clients that were due, in the order in which they ran. */
static GArray *order;

static guint64
run (GstLmccIo *io, gpointer user_data)
{
  Client *client = user_data;
  guint64 due = GST_LMCC_IO_NEVER;
  guint tags[MAX_TAGS], n_tags = 0;

  fail_unless (io == client->io);
  if (client->takes)
    n_tags = gst_lmcc_io_take_readable (io, tags, MAX_TAGS);
  if (client->step)
    due = client->step (client);
  g_mutex_lock (&lock);
  client->runs++;
  client->thread = g_thread_self ();
  client->n_tags = n_tags;
  memcpy (client->tags, tags, n_tags * sizeof (*tags));
  g_cond_broadcast (&cond);
  g_mutex_unlock (&lock);
  return due;
}

static void
init (Client *client)
{
  guint i;

  memset (client, 0, sizeof (*client));
  for (i = 0; i < MAX_TAGS; i++)
    client->fds[i] = -1;
  client->io = gst_lmcc_io_new (run, client);
}

static void
attach (Client *client)
{
  GError *error = NULL;

  fail_unless (gst_lmcc_io_attach (client->io, &error));
  fail_unless (error == NULL);
}

static void
add_fd (Client *client, guint tag)
{
  client->takes = TRUE;
  client->fds[tag] = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  fail_unless (gst_lmcc_io_add (client->io, client->fds[tag], tag, NULL));
}

static void
set_readable (Client *client, guint tag)
{
  guint64 one = 1;

  fail_unless (write (client->fds[tag], &one, sizeof (one)) == sizeof (one));
}

static void
clear (Client *client)
{
  guint i;

  if (client->io)
    gst_lmcc_io_free (client->io);
  for (i = 0; i < MAX_TAGS; i++) {
    if (client->fds[i] >= 0)
      close (client->fds[i]);
  }
}

static void
wait_runs (Client *client, guint runs)
{
  gint64 end = g_get_monotonic_time () + PATIENCE;

  g_mutex_lock (&lock);
  while (client->runs < runs)
    fail_unless (g_cond_wait_until (&cond, &lock, end),
        "client %u ran %u times, not %u", client->number, client->runs, runs);
  g_mutex_unlock (&lock);
}

static guint
get_runs (Client *client)
{
  guint runs;

  g_mutex_lock (&lock);
  runs = client->runs;
  g_mutex_unlock (&lock);
  return runs;
}

static void
wake_and_wait (Client *client)
{
  guint runs = get_runs (client);

  gst_lmcc_io_wake (client->io);
  wait_runs (client, runs + 1);
}

static void
init_all (void)
{
  guint i;

  for (i = 0; i < N_CLIENTS; i++) {
    init (&clients[i]);
    clients[i].number = i;
  }
}

static void
attach_all (void)
{
  guint i;

  for (i = 0; i < N_CLIENTS; i++)
    attach (&clients[i]);
  for (i = 0; i < N_CLIENTS; i++)
    wait_runs (&clients[i], 1);
}

static void
clear_all (void)
{
  guint i;

  for (i = 0; i < N_CLIENTS; i++)
    clear (&clients[i]);
}

/* Each thread goes round twice. */
static void
go_round (void)
{
  guint i;

  for (i = 0; i < 2 * N_CLIENTS; i++) {
    Client *client = &clients[i % N_CLIENTS];

    if (client->step == NULL)
      wake_and_wait (client);
  }
}

static guint
get_max_threads (void)
{
  return MIN (g_get_num_processors (), MAX_THREADS);
}

GST_START_TEST (threads_come_and_go_with_their_clients)
{
  guint i, n = 0, of_first = 0;

  init_all ();
  fail_unless_equals_int (test_count_threads ("lmcc-io"), 0);
  for (i = 0; i < N_CLIENTS; i++) {
    attach (&clients[i]);
    wait_runs (&clients[i], 1);
    n = MIN (i + 1, get_max_threads ());
    fail_unless_equals_int (test_count_threads ("lmcc-io"), n);
  }
  for (i = 0; i < N_CLIENTS; i++)
    of_first += clients[i].thread == clients[0].thread;
  fail_unless_equals_int (of_first, N_CLIENTS / n);

  for (i = 0; i < N_CLIENTS; i++)
    gst_lmcc_io_detach (clients[i].io);
  test_wait_no_threads ("lmcc-io");

  attach (&clients[0]);
  wait_runs (&clients[0], 2);
  fail_unless_equals_int (test_count_threads ("lmcc-io"), 1);
  clear_all ();
  test_wait_no_threads ("lmcc-io");
}

GST_END_TEST;

GST_START_TEST (what_a_process_may_not_open_is_an_error)
{
  g_autoptr (GError) error = NULL;
  struct rlimit before;
  Client client;

  init (&client);
  getrlimit (RLIMIT_NOFILE, &before);
  setrlimit (RLIMIT_NOFILE, &(struct rlimit){ 0, before.rlim_max });
  fail_if (gst_lmcc_io_attach (client.io, &error));
  fail_unless (error != NULL);
  setrlimit (RLIMIT_NOFILE, &before);
  attach (&client);
  wait_runs (&client, 1);
  clear (&client);
}

GST_END_TEST;

/* At first the client itself says when it is due. */
static guint64
note_due (Client *client)
{
  if (client->runs == 0) {
    /* Until all are attached. */
    g_mutex_lock (&lock);
    g_mutex_unlock (&lock);
    return client->due;
  }
  fail_unless (gst_lmcc_io_get_time () >= client->due);
  g_mutex_lock (&lock);
  g_array_append_val (order, client->number);
  g_mutex_unlock (&lock);
  return GST_LMCC_IO_NEVER;
}

static void
assert_order (void)
{
  guint i, j;

  for (i = 0; i < order->len; i++) {
    const Client *one = &clients[g_array_index (order, guint, i)];

    for (j = i + 1; j < order->len; j++) {
      const Client *later = &clients[g_array_index (order, guint, j)];

      fail_if (one->thread == later->thread && one->due > later->due,
          "client %u ran before client %u", one->number, later->number);
    }
  }
}

GST_START_TEST (who_is_due_first_runs_first)
{
  const guint places[N_CLIENTS] = { 0, 1, 2, 3, 6, 4, 7, 5 };
  guint64 start = gst_lmcc_io_get_time () + 1000000;
  guint i;

  order = g_array_new (FALSE, FALSE, sizeof (guint));
  init_all ();
  g_mutex_lock (&lock);
  for (i = 0; i < N_CLIENTS; i++) {
    clients[i].step = note_due;
    clients[i].due = start + places[i] * 250000;
    attach (&clients[i]);
  }
  g_mutex_unlock (&lock);
  for (i = 0; i < N_CLIENTS; i++)
    wait_runs (&clients[i], 2);
  fail_unless_equals_int (order->len, N_CLIENTS);
  assert_order ();
  clear_all ();
  g_array_unref (order);
}

GST_END_TEST;

static GMutex gate;
static gint inside;

static guint64
wait_for_gate (Client *client G_GNUC_UNUSED)
{
  g_atomic_int_set (&inside, TRUE);
  g_mutex_lock (&gate);
  g_mutex_unlock (&gate);
  return GST_LMCC_IO_NEVER;
}

GST_START_TEST (a_client_that_is_woken_while_it_runs_runs_once_more)
{
  Client client;
  guint i;

  init (&client);
  client.step = wait_for_gate;
  g_mutex_lock (&gate);
  attach (&client);
  while (!g_atomic_int_get (&inside))
    g_thread_yield ();
  for (i = 0; i < 10; i++)
    gst_lmcc_io_wake (client.io);
  g_mutex_unlock (&gate);
  wait_runs (&client, 2);
  wake_and_wait (&client);
  clear (&client);
  fail_unless_equals_int (client.runs, 3);
}

GST_END_TEST;

static guint64
wake_itself (Client *client)
{
  if (client->runs < 3)
    gst_lmcc_io_wake (client->io);
  return GST_LMCC_IO_NEVER;
}

GST_START_TEST (a_client_wakes_itself)
{
  Client client;

  init (&client);
  client.step = wake_itself;
  gst_lmcc_io_wake (client.io);
  attach (&client);
  wait_runs (&client, 4);
  clear (&client);
  fail_unless_equals_int (client.runs, 4);
}

GST_END_TEST;

GST_START_TEST (descriptors_are_reported_lowest_tag_first)
{
  Client client;

  init (&client);
  add_fd (&client, 5);
  add_fd (&client, 0);
  add_fd (&client, 3);
  set_readable (&client, 5);
  set_readable (&client, 3);
  attach (&client);
  /* First each is checked by itself, later by the thread's poll. */
  wait_runs (&client, 1);
  wait_runs (&client, get_runs (&client) + 2);
  gst_lmcc_io_detach (client.io);
  fail_unless_equals_int (client.n_tags, 2);
  fail_unless_equals_int (client.tags[0], 3);
  fail_unless_equals_int (client.tags[1], 5);

  gst_lmcc_io_remove (client.io, client.fds[5]);
  gst_lmcc_io_remove (client.io, client.fds[5]);
  attach (&client);
  wait_runs (&client, get_runs (&client) + 2);
  gst_lmcc_io_detach (client.io);
  fail_unless_equals_int (client.n_tags, 1);
  fail_unless_equals_int (client.tags[0], 3);
  clear (&client);
}

GST_END_TEST;

static guint64
add_closed (Client *client)
{
  g_autoptr (GError) error = NULL;

  /* By now, it is polled. */
  if (client->runs == 1) {
    fail_if (gst_lmcc_io_add (client->io, client->fds[0] + 100, 1, &error));
    fail_unless (error != NULL);
  }
  return GST_LMCC_IO_NEVER;
}

GST_START_TEST (a_descriptor_that_cannot_be_polled_is_an_error)
{
  Client client;

  init (&client);
  add_fd (&client, 0);
  client.step = add_closed;
  attach (&client);
  wait_runs (&client, 1);
  wake_and_wait (&client);
  set_readable (&client, 0);
  wait_runs (&client, 3);
  clear (&client);
}

GST_END_TEST;

static guint64
nap (Client *client)
{
  gst_lmcc_io_nap (client->io);
  return client->due;
}

GST_START_TEST (input_does_not_wake_a_napping_client)
{
  guint i;

  init_all ();
  for (i = 0; i < MAX_THREADS; i++) {
    clients[i].step = nap;
    clients[i].due = GST_LMCC_IO_NEVER;
    add_fd (&clients[i], 2);
  }
  attach_all ();
  for (i = 0; i < MAX_THREADS; i++)
    set_readable (&clients[i], 2);
  go_round ();
  for (i = 0; i < MAX_THREADS; i++)
    fail_unless_equals_int (get_runs (&clients[i]), 1);

  /* Both ends of a nap: waiting packets are reported. */
  wake_and_wait (&clients[0]);
  fail_unless_equals_int (clients[0].n_tags, 1);
  fail_unless_equals_int (clients[0].tags[0], 2);
  clients[1].due = 0;
  wake_and_wait (&clients[1]);
  wait_runs (&clients[1], 4);
  clear_all ();
}

GST_END_TEST;

static guint64
nap_once (Client *client)
{
  if (client->runs == 0)
    gst_lmcc_io_nap (client->io);
  return client->runs == 0 ? 0 : GST_LMCC_IO_NEVER;
}

GST_START_TEST (after_a_nap_input_wakes_again)
{
  Client client;

  init (&client);
  add_fd (&client, 2);
  client.step = nap_once;
  attach (&client);
  wait_runs (&client, 2);
  set_readable (&client, 2);
  wait_runs (&client, 4);
  clear (&client);
}

GST_END_TEST;

/* All have work all the time. */

#define N_ROUNDS 1000

static gint started;

static guint64
work_always (Client *client)
{
  if (!g_atomic_int_get (&started))
    return 0;
  /* Called from the same thread only: no lock. */
  client->due++;
  if (client->due == N_ROUNDS) {
    guint i;

    for (i = 0; i < N_CLIENTS; i++)
      fail_if (clients[i].thread == client->thread
              && clients[i].due + 2 < N_ROUNDS,
          "client %u had %u turns, client %u %u", client->number, N_ROUNDS, i,
          (guint) clients[i].due);
  }
  return client->number % 2 ? 0 : GST_LMCC_IO_NEVER;
}

GST_START_TEST (no_client_starves_another)
{
  guint i, n;

  init_all ();
  for (i = 0; i < N_CLIENTS; i++) {
    clients[i].step = work_always;
    if (i % 2 == 0) {
      add_fd (&clients[i], 1);
      set_readable (&clients[i], 1);
    }
  }
  attach_all ();
  g_atomic_int_set (&started, TRUE);
  for (i = 0; i < N_CLIENTS; i++) {
    n = get_runs (&clients[i]);
    wait_runs (&clients[i], n + N_ROUNDS);
  }
  clear_all ();
}

GST_END_TEST;

static gint detaches;
static gint finished;

static guint64
wait_for_detach (Client *client)
{
  guint i;

  if (client->runs == 0)
    return GST_LMCC_IO_NEVER;
  while (!g_atomic_int_get (&detaches))
    g_thread_yield ();
  for (i = 0; i < 1000; i++)
    g_thread_yield ();
  g_atomic_int_set (&finished, TRUE);
  return 0;
}

GST_START_TEST (detaching_waits_for_the_run_and_ends_all)
{
  guint runs;

  init_all ();
  add_fd (&clients[0], 1);
  clients[0].step = wait_for_detach;
  attach_all ();
  gst_lmcc_io_wake (clients[0].io);
  set_readable (&clients[0], 1);
  g_atomic_int_set (&detaches, TRUE);
  gst_lmcc_io_detach (clients[0].io);
  runs = clients[0].runs;
  fail_unless (runs == 1 || g_atomic_int_get (&finished));
  gst_lmcc_io_detach (clients[0].io);

  gst_lmcc_io_wake (clients[0].io);
  go_round ();
  fail_unless_equals_int (get_runs (&clients[0]), runs);
  clear_all ();
}

GST_END_TEST;

static guint64
detach_itself (Client *client)
{
  gst_lmcc_io_detach (client->io);
  gst_lmcc_io_wake (client->io);
  return 0;
}

GST_START_TEST (a_client_detaches_itself)
{
  Client client;

  init (&client);
  add_fd (&client, 1);
  set_readable (&client, 1);
  client.step = detach_itself;
  attach (&client);
  wait_runs (&client, 1);
  gst_lmcc_io_detach (client.io);
  test_wait_no_threads ("lmcc-io");
  fail_unless_equals_int (client.runs, 1);

  attach (&client);
  wait_runs (&client, 2);
  clear (&client);
  test_wait_no_threads ("lmcc-io");
}

GST_END_TEST;

static guint64
free_itself (Client *client)
{
  gst_lmcc_io_free (g_steal_pointer (&client->io));
  return 0;
}

GST_START_TEST (a_client_frees_itself)
{
  guint i;

  init_all ();
  for (i = 0; i < MAX_THREADS; i++)
    clients[i].step = free_itself;
  attach_all ();
  go_round ();
  for (i = 0; i < MAX_THREADS; i++)
    fail_unless_equals_int (clients[i].runs, 1);
  clear_all ();
  test_wait_no_threads ("lmcc-io");
}

GST_END_TEST;

static guint64
detach_others (Client *client)
{
  guint i;

  if (client->runs > 0) {
    for (i = 1; i < N_CLIENTS; i++)
      gst_lmcc_io_detach (clients[i].io);
    gst_lmcc_io_detach (client->io);
  }
  return GST_LMCC_IO_NEVER;
}

GST_START_TEST (a_client_detaches_all_the_others)
{
  init_all ();
  clients[0].step = detach_others;
  attach_all ();
  wake_and_wait (&clients[0]);
  gst_lmcc_io_detach (clients[0].io);
  test_wait_no_threads ("lmcc-io");
  clear_all ();
}

GST_END_TEST;

#define N_WORKERS 4
#define N_OWN 50
#define N_CHANGES 2000

static guint64
drain (Client *client)
{
  guint tag = client->number % MAX_TAGS;
  guint64 count;

  return read (client->fds[tag], &count, sizeof (count)) < 0
      ? GST_LMCC_IO_NEVER
      : gst_lmcc_io_get_time () + 1000 * tag;
}

static gpointer
come_and_go (gpointer data)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (GPOINTER_TO_UINT (data));
  Client own[N_OWN];
  gboolean attached[N_OWN] = { FALSE };
  guint i, changes;

  for (i = 0; i < N_OWN; i++) {
    init (&own[i]);
    own[i].number = i;
    own[i].step = drain;
    add_fd (&own[i], i % MAX_TAGS);
  }
  for (changes = 0; changes < N_CHANGES; changes++) {
    i = (guint) g_rand_int_range (rand, 0, N_OWN);
    if (g_rand_boolean (rand)) {
      gst_lmcc_io_wake (own[i].io);
      set_readable (&own[i], i % MAX_TAGS);
    } else if (attached[i]) {
      gst_lmcc_io_detach (own[i].io);
      attached[i] = FALSE;
    } else {
      attach (&own[i]);
      attached[i] = TRUE;
    }
  }
  for (i = 0; i < N_OWN; i++)
    clear (&own[i]);
  return NULL;
}

GST_START_TEST (many_come_and_go_at_once)
{
  GThread *workers[N_WORKERS];
  guint i;

  for (i = 0; i < N_WORKERS; i++)
    workers[i] = g_thread_new ("worker", come_and_go, GUINT_TO_POINTER (i + 1));
  for (i = 0; i < N_WORKERS; i++)
    g_thread_join (workers[i]);
  test_wait_no_threads ("lmcc-io");
}

GST_END_TEST;

static Suite *
io_suite (void)
{
  Suite *suite = suite_create ("io");
  TCase *test = tcase_create ("io");

  suite_add_tcase (suite, test);
  tcase_add_test (test, threads_come_and_go_with_their_clients);
  tcase_add_test (test, what_a_process_may_not_open_is_an_error);
  tcase_add_test (test, who_is_due_first_runs_first);
  tcase_add_test (test, a_client_that_is_woken_while_it_runs_runs_once_more);
  tcase_add_test (test, a_client_wakes_itself);
  tcase_add_test (test, descriptors_are_reported_lowest_tag_first);
  tcase_add_test (test, a_descriptor_that_cannot_be_polled_is_an_error);
  tcase_add_test (test, input_does_not_wake_a_napping_client);
  tcase_add_test (test, after_a_nap_input_wakes_again);
  tcase_add_test (test, no_client_starves_another);
  tcase_add_test (test, detaching_waits_for_the_run_and_ends_all);
  tcase_add_test (test, a_client_detaches_itself);
  tcase_add_test (test, a_client_frees_itself);
  tcase_add_test (test, a_client_detaches_all_the_others);
  tcase_add_test (test, many_come_and_go_at_once);
  return suite;
}

GST_CHECK_MAIN (io);
