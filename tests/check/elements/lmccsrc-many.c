/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests many sources in one process.
 */
#include "element-tools.h"
#include "fake-sender.h"
#include "src-tools.h"

#include <gst/check/gstcheck.h>
#include <unistd.h>

/* Of this process, so that tests running at the same time are not heard. */
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

  /* Sources with the same threads continue. */
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

static gint stopped;

/* In the source's I/O thread. */
static GstBusSyncReply
stop_at_level (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer data)
{
  TestSrc *source = data;

  if (!gst_message_has_name (message, "lmcc-level-changed")
      || g_atomic_int_get (&stopped))
    return GST_BUS_PASS;
  g_atomic_int_set (&stopped, TRUE);
  fail_unless_equals_int (gst_element_set_state (source->src, GST_STATE_PAUSED),
      GST_STATE_CHANGE_NO_PREROLL);
  fail_unless_equals_int (gst_element_set_state (source->src,
                              GST_STATE_PLAYING),
      GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (source->pipeline, GST_STATE_NULL);
  gst_message_unref (message);
  test_tell ();
  return GST_BUS_DROP;
}

static gboolean
is_stopped (gpointer data G_GNUC_UNUSED)
{
  return g_atomic_int_get (&stopped);
}

GST_START_TEST (a_source_is_stopped_by_the_handler_of_its_message)
{
  g_autofree gchar *address = get_address (0);
  g_autofree gchar *uri =
      g_strdup_printf ("lmcc://%s:%d?multicast-iface=lo", address, PORT);
  FakeSender *sender = fake_sender_start (address, PORT, 2, NULL);
  TestSrc *source = &sources[0];

  test_src_init (source, "", uri, "max-buffers=1 drop=true");
  gst_bus_set_sync_handler (source->bus, stop_at_level, source, NULL);
  test_src_play (source);
  fail_unless (test_wait_for (is_stopped, NULL, TEST_SRC_PATIENCE / 1000));
  test_wait_no_threads (THREAD);
  gst_bus_set_sync_handler (source->bus, NULL, NULL, NULL);
  test_src_play (source);
  test_src_await (source);
  test_src_clear (source);
  fake_sender_stop (sender);
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
  tcase_add_test (tcase, a_source_is_stopped_by_the_handler_of_its_message);

  return suite;
}

GST_CHECK_MAIN (lmccsrc_many);
