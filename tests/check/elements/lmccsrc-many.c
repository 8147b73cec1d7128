/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Many sources in one process.
 */
#include "element-tools.h"
#include "fake-sender.h"
#include "src-tools.h"

#include <gst/check/gstcheck.h>
#include <unistd.h>

/* Of this process, so that tests that run beside it are not heard. */
#define PORT ((guint16) (40000 + 2 * (getpid () % 5000)))

#define N_SENDERS 4
#define N_SOURCES 20
#define MAX_THREADS 4
#define THREAD "lmcc-io"

static FakeSender *senders[N_SENDERS];
static TestSrc sources[N_SOURCES];

static gchar *
get_address (guint sender)
{
  return g_strdup_printf ("239.255.%d.%u", 20 + (gint) (getpid () % 100),
      1 + 8 * sender);
}

static void
start_all (void)
{
  guint i;

  for (i = 0; i < N_SENDERS; i++) {
    g_autofree gchar *address = get_address (i);

    senders[i] = fake_sender_start (address, PORT, 2, NULL);
  }
  for (i = 0; i < N_SOURCES; i++) {
    g_autofree gchar *address = get_address (i % N_SENDERS);
    g_autofree gchar *uri =
        g_strdup_printf ("lmcc://%s:%d?multicast-iface=lo", address, PORT);

    test_src_init (&sources[i], "max-level=1", uri, "max-buffers=1 drop=true");
    test_src_play (&sources[i]);
  }
}

static void
stop_senders (void)
{
  guint i;

  for (i = 0; i < N_SENDERS; i++)
    fake_sender_stop (senders[i]);
}

GST_START_TEST (many_sources_share_few_threads)
{
  guint i;

  start_all ();
  for (i = 0; i < N_SOURCES; i++)
    test_src_await (&sources[i]);
  fail_unless_equals_int (test_count_threads (THREAD),
      MIN (g_get_num_processors (), MAX_THREADS));

  /* Who has the same threads goes on. */
  for (i = 0; i < N_SOURCES - MAX_THREADS; i++)
    test_src_clear (&sources[i]);
  for (; i < N_SOURCES; i++) {
    test_src_await (&sources[i]);
    test_src_await (&sources[i]);
    test_src_await (&sources[i]);
  }
  for (i = N_SOURCES - MAX_THREADS; i < N_SOURCES; i++)
    test_src_clear (&sources[i]);
  test_wait_no_threads (THREAD);
  stop_senders ();
}

GST_END_TEST;

static Suite *
lmccsrc_many_suite (void)
{
  Suite *suite = suite_create ("lmccsrc-many");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_test (tcase, many_sources_share_few_threads);

  return suite;
}

GST_CHECK_MAIN (lmccsrc_many);
