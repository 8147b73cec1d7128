/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests many sinks in one process, and sinks that start and stop while
 * others send.
 */
#include "element-tools.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gst/app/app.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gsttestclock.h>

#define N_SINKS 10
#define MAX_THREADS 4
#define THREAD "lmcc-io"

/* Longest wait for an expected event; then the test fails. */
#define PATIENCE (15 * G_TIME_SPAN_SECOND)

#define RTCP_BYE 203
#define N_BYES 3

typedef struct
{
  GstElement *pipeline;
  GstElement *source;
  GstElement *sink;
  guint next_picture;
} Sender;

static guint16
get_port (guint i)
{
  return (guint16) (40000 + 2 * ((getpid () * N_SINKS + (gint) i) % 5000));
}

static void
sender_init (Sender *sender, guint i, const gchar *options)
{
  memset (sender, 0, sizeof (*sender));
  sender->pipeline = test_launch (
      "appsrc name=a format=time caps=application/x-rtp,media=video,"
      "encoding-name=H264,clock-rate=90000,payload=96 ! "
      "lmccsink name=s address=239.253.%d.1 port=%d multicast-iface=lo %s",
      1 + (gint) (getpid () % 250), get_port (i), options);
  sender->source = gst_bin_get_by_name (GST_BIN (sender->pipeline), "a");
  sender->sink = gst_bin_get_by_name (GST_BIN (sender->pipeline), "s");
  test_watch (sender->sink, "stats");
}

static void
sender_push (Sender *sender, guint n)
{
  while (n-- > 0)
    gst_app_src_push_buffer (GST_APP_SRC (sender->source),
        test_make_picture (sender->next_picture++));
}

static void
sender_play (Sender *sender)
{
  sender->next_picture = 0;
  gst_element_set_state (sender->pipeline, GST_STATE_PLAYING);
  sender_push (sender, 2);
}

static void
sender_clear (Sender *sender)
{
  gst_object_unref (sender->source);
  gst_object_unref (sender->sink);
  test_end_pipeline (sender->pipeline);
}

GST_START_TEST (many_sinks_share_few_threads)
{
  static Sender senders[N_SINKS];
  guint i;

  for (i = 0; i < N_SINKS; i++) {
    sender_init (&senders[i], i, "stats-update-interval=20");
    sender_play (&senders[i]);
  }
  for (i = 0; i < N_SINKS; i++)
    test_wait_count (senders[i].sink, "units", 2, PATIENCE);
  fail_unless_equals_int (test_count_threads (THREAD),
      MIN (g_get_num_processors (), MAX_THREADS));

  /* Sinks with the same threads continue. */
  for (i = 0; i < N_SINKS - MAX_THREADS; i++)
    sender_clear (&senders[i]);
  for (; i < N_SINKS; i++) {
    sender_push (&senders[i], 2);
    test_wait_count (senders[i].sink, "units", 4, PATIENCE);
    sender_clear (&senders[i]);
  }
  test_wait_no_threads (THREAD);
}

GST_END_TEST;

static gint
open_control (guint16 port)
{
  struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons (port) };
  struct ip_mreqn request = { { 0 }, { 0 }, 0 };
  g_autofree gchar *address =
      g_strdup_printf ("239.253.%d.1", 1 + (gint) (getpid () % 250));
  gint fd = socket (AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

  to.sin_addr.s_addr = inet_addr (address);
  request.imr_multiaddr = to.sin_addr;
  request.imr_address.s_addr = htonl (INADDR_LOOPBACK);
  fail_unless (fd >= 0);
  fail_unless (bind (fd, (struct sockaddr *) &to, sizeof (to)) == 0);
  fail_unless (
      setsockopt (fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof (request))
      == 0);
  return fd;
}

static gboolean
has_bye (const guint8 *data, gsize size)
{
  gsize at = 0;

  while (at + 4 <= size) {
    if (data[at + 1] == RTCP_BYE)
      return TRUE;
    at += 4 * (1 + (gsize) GST_READ_UINT16_BE (data + at + 2));
  }
  return FALSE;
}

/* Returns the number of BYE packets among the last packets. */
static guint
count_last_byes (gint fd)
{
  guint8 bytes[LMCC_MAX_PACKET_SIZE];
  guint n = 0;
  gssize size;

  while ((size = recv (fd, bytes, sizeof (bytes), 0)) >= 0)
    n = has_bye (bytes, (gsize) size) ? n + 1 : 0;
  return n;
}

static gint stopped; /* atomic */

/* In the sink's I/O thread: it cannot be started again from there. */
static void
stop_sender (Sender *sender)
{
  if (g_atomic_int_get (&stopped))
    return;
  g_atomic_int_set (&stopped, TRUE);
  gst_element_set_state (sender->pipeline, GST_STATE_NULL);
  fail_unless_equals_int (gst_element_set_state (sender->sink,
                              GST_STATE_PLAYING),
      GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (sender->sink, GST_STATE_NULL);
  test_tell ();
}

static void
stop_at_property (GObject *sink G_GNUC_UNUSED, GParamSpec *pspec G_GNUC_UNUSED,
    gpointer user_data)
{
  stop_sender (user_data);
}

static GstBusSyncReply
stop_at_message (GstBus *bus G_GNUC_UNUSED, GstMessage *message,
    gpointer user_data)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_STREAM_START
      || GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    stop_sender (user_data);
  return GST_BUS_PASS;
}

static gboolean
is_stopped (gpointer data G_GNUC_UNUSED)
{
  return g_atomic_int_get (&stopped);
}

static const gchar *const stops[] = { "notify::sdp", "notify::stats", NULL };

GST_START_TEST (a_sink_can_be_stopped_in_its_own_handlers)
{
  const gchar *signal = stops[__i__];
  gint fd = open_control ((guint16) (get_port (0) + 1));
  g_autoptr (GstBus) bus = NULL;
  Sender sender;
  gulong id = 0;

  g_atomic_int_set (&stopped, FALSE);
  sender_init (&sender, 0, "stats-update-interval=20");
  bus = gst_element_get_bus (sender.pipeline);
  if (signal)
    id = g_signal_connect (sender.sink, signal, G_CALLBACK (stop_at_property),
        &sender);
  else
    gst_bus_set_sync_handler (bus, stop_at_message, &sender, NULL);
  sender_play (&sender);
  fail_unless (test_wait_for (is_stopped, NULL, PATIENCE));
  test_wait_no_threads (THREAD);
  fail_unless_equals_int (count_last_byes (fd), N_BYES);

  if (signal)
    g_signal_handler_disconnect (sender.sink, id);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  sender_play (&sender);
  test_wait_count (sender.sink, "units", 2, PATIENCE);
  sender_clear (&sender);
  fail_unless_equals_int (count_last_byes (fd), N_BYES);
  close (fd);
}

GST_END_TEST;

/* Meanwhile, another thread pushes pictures, as many as fit. */
static gint pushing; /* atomic */

static gpointer
push_pictures (gpointer data)
{
  Sender *sender = data;

  while (g_atomic_int_get (&pushing)) {
    sender_push (sender, 1);
    g_thread_yield ();
  }
  return NULL;
}

static void
flush (Sender *sender)
{
  gst_element_send_event (sender->source, gst_event_new_flush_start ());
  gst_element_send_event (sender->source, gst_event_new_flush_stop (TRUE));
}

/* One BYE each time, then all others at the end. */
GST_START_TEST (a_sink_that_starts_again_leaves_copies_of_its_bye_out)
{
  gint fd = open_control ((guint16) (get_port (0) + 1));
  Sender sender;
  guint i;

  sender_init (&sender, 0, "");
  for (i = 0; i < 3; i++) {
    sender_play (&sender);
    test_wait_count (sender.sink, "units", 2, PATIENCE);
    gst_element_set_state (sender.pipeline, GST_STATE_READY);
    fail_unless_equals_int (count_last_byes (fd), 1);
  }
  sender_clear (&sender);
  fail_unless_equals_int (count_last_byes (fd), N_BYES - 1);
  close (fd);
}

GST_END_TEST;

GST_START_TEST (state_changes_and_flushes_do_not_wait_for_each_other)
{
  static const GstState states[] = { GST_STATE_PLAYING, GST_STATE_PAUSED,
    GST_STATE_PLAYING, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING,
    GST_STATE_NULL };
  g_autoptr (GRand) dice = g_rand_new_with_seed (7);
  GThread *thread;
  Sender sender;
  guint i;

  sender_init (&sender, 0, "stats-update-interval=10");
  g_object_set (sender.source, "block", TRUE, "max-buffers",
      G_GUINT64_CONSTANT (4), NULL);
  g_atomic_int_set (&pushing, TRUE);
  thread = g_thread_new ("pushing", push_pictures, &sender);
  for (i = 0; i < 50 * G_N_ELEMENTS (states); i++) {
    guint yields = g_rand_int_range (dice, 0, 200);

    fail_unless (gst_element_set_state (sender.pipeline,
                     states[i % G_N_ELEMENTS (states)])
        != GST_STATE_CHANGE_FAILURE);
    while (yields-- > 0)
      g_thread_yield ();
    if (i % 5 == 0)
      flush (&sender);
  }
  g_atomic_int_set (&pushing, FALSE);
  gst_element_set_state (sender.pipeline, GST_STATE_NULL);
  g_thread_join (thread);
  test_wait_no_threads (THREAD);
  sender_clear (&sender);
}

GST_END_TEST;

GST_START_TEST (a_clock_that_stands_still_does_not_hold_a_sink)
{
  g_autoptr (GstClock) clock = gst_test_clock_new_with_start_time (0);
  GstTestClock *test_clock = GST_TEST_CLOCK (clock);
  GstClockID id;
  Sender sender;
  guint i;

  sender_init (&sender, 0, "");
  gst_pipeline_use_clock (GST_PIPELINE (sender.pipeline), clock);
  for (i = 0; i < 3; i++) {
    sender_play (&sender);
    gst_test_clock_wait_for_next_pending_id (test_clock, &id);
    fail_unless (gst_clock_id_get_time (id) > gst_clock_get_time (clock));
    gst_clock_id_unref (id);
    gst_element_set_state (sender.pipeline,
        i == 0 ? GST_STATE_PAUSED : GST_STATE_READY);
    gst_element_set_state (sender.pipeline, GST_STATE_NULL);
    fail_unless_equals_int (gst_test_clock_peek_id_count (test_clock), 0);
  }
  gst_object_ref (sender.pipeline);
  sender_clear (&sender);
  ASSERT_OBJECT_REFCOUNT (sender.pipeline, "pipeline", 1);
  gst_object_unref (sender.pipeline);
}

GST_END_TEST;

static Suite *
lmccsink_many_suite (void)
{
  Suite *suite = suite_create ("lmccsink-many");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_test (tcase, many_sinks_share_few_threads);
  tcase_add_test (tcase, a_sink_that_starts_again_leaves_copies_of_its_bye_out);
  tcase_add_loop_test (tcase, a_sink_can_be_stopped_in_its_own_handlers, 0,
      G_N_ELEMENTS (stops));
  tcase_add_test (tcase, state_changes_and_flushes_do_not_wait_for_each_other);
  tcase_add_test (tcase, a_clock_that_stands_still_does_not_hold_a_sink);

  return suite;
}

GST_CHECK_MAIN (lmccsink_many);
