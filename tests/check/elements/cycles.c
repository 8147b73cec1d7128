/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Takes a sender and a receiver repeatedly from NULL to PLAYING and back,
 * and checks that they leave nothing behind: memory, sockets, memberships,
 * threads.
 *
 * LMCC_CYCLES sets the number of cycles: 100 by default, and 20 if
 * LMCC_TEST_SLOW says that valgrind or a sanitizer runs the test.
 */
#include "element-tools.h"

#include <gst/app/app.h>
#include <gst/check/gstcheck.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_CYCLES 100
#define SLOW_CYCLES 20

/* By then, the caches of GLib and GStreamer have been filled. */
#define WARM_UP 10

/* Longest wait for an expected event; then the test fails. */
#define PATIENCE (15 * GST_SECOND)

#define N_LAYERS 3
#define N_PICTURES 40

/* Tolerances. Idle threads and caches vary a little: one thread more, as
 * thread pools start them, keeps about 16 KiB on the heap. Caps with their
 * structure have 600 bytes, so one caps leaked in each of 100 cycles is
 * detected; smaller leaks need a longer run (LMCC_CYCLES). */
#define SLACK_THREADS 4
#define SLACK_HEAP (40 * 1024)
#define SLACK_HEAP_PER_CYCLE 100
#define SLACK_RESIDENT (8 * 1024)

/* Limits of the time to NULL, median and maximum, on a machine with other
 * load. */
#define MEDIAN_STOP (20 * G_TIME_SPAN_MILLISECOND)
#define LONGEST_STOP (200 * G_TIME_SPAN_MILLISECOND)

typedef struct
{
  guint fds;
  guint threads;
  guint resident; /* KiB */
  gsize heap;
} Footprint;

typedef struct
{
  GstElement *sender;
  GstElement *receiver;
} Pair;

typedef Pair (*CreateFunction) (void);
typedef void (*WaitFunction) (Pair *pair);

static guint
get_cycles (void)
{
  const gchar *text = g_getenv ("LMCC_CYCLES");

  if (text != NULL)
    return (guint) atoi (text);
  return g_getenv ("LMCC_TEST_SLOW") ? SLOW_CYCLES : DEFAULT_CYCLES;
}

static guint
read_status (const gchar *key)
{
  g_autofree gchar *text = NULL;
  const gchar *line;

  fail_unless (g_file_get_contents ("/proc/self/status", &text, NULL, NULL));
  line = strstr (text, key);
  fail_unless (line != NULL);
  return (guint) atoi (line + strlen (key));
}

static Footprint
get_footprint (void)
{
  struct mallinfo2 info = mallinfo2 ();
  Footprint footprint = { 0 };

  footprint.fds = test_count_fds ();
  footprint.threads = read_status ("\nThreads:");
  footprint.resident = read_status ("\nVmRSS:");
  footprint.heap = info.uordblks + info.hblkhd;
  return footprint;
}

/* Groups and port of this process, so that others are not heard. */

static guint
get_base (void)
{
  return (guint) getpid () % 0x3fff * 4;
}

static gchar *
get_address (void)
{
  return g_strdup_printf ("239.254.%u.%u", get_base () >> 8,
      get_base () & 0xff);
}

static gint
get_port (void)
{
  return 20000 + getpid () % 20000 * 2;
}

static guint
count_memberships (void)
{
  g_autofree gchar *text = NULL;
  guint i, n = 0;

  fail_unless (g_file_get_contents ("/proc/self/net/igmp", &text, NULL, NULL));
  for (i = 0; i < N_LAYERS; i++) {
    guint group = 239u << 24 | 254u << 16 | (get_base () + i);
    g_autofree gchar *digits = g_strdup_printf ("%08X",
        (guint) GUINT32_TO_LE (GUINT32_SWAP_LE_BE (group)));

    n += strstr (text, digits) != NULL;
  }
  return n;
}

static void
feed (GstElement *pipeline)
{
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "source");
  guint i;

  for (i = 0; i < N_PICTURES; i++)
    gst_app_src_push_buffer (GST_APP_SRC (source), test_make_picture (i));
}

static Pair
create_plain_pair (void)
{
  g_autofree gchar *address = get_address ();
  Pair pair;

  pair.sender = test_launch (
      "appsrc name=source is-live=true format=time "
      "caps=application/x-rtp,media=video,encoding-name=H264,clock-rate=90000,"
      "payload=96 ! lmccsink multicast-iface=lo address=%s port=%d",
      address, get_port ());
  pair.receiver = test_launch (
      "lmccsrc multicast-iface=lo algorithm=none address=%s port=%d ! "
      "fakesink sync=false",
      address, get_port ());
  return pair;
}

static Pair
create_real_pair (void)
{
  g_autofree gchar *address = get_address ();
  Pair pair;

  pair.sender = test_launch (
      "videotestsrc is-live=true ! "
      "video/x-raw,width=160,height=120,framerate=50/1 ! x264enc bframes=3 "
      "b-adapt=false b-pyramid=true rc-lookahead=5 speed-preset=superfast ! "
      "lmccsink multicast-iface=lo address=%s port=%d",
      address, get_port ());
  pair.receiver = test_launch (
      "lmccsrc multicast-iface=lo algorithm=none address=%s port=%d ! "
      "rtph264depay ! avdec_h264 ! fakesink",
      address, get_port ());
  return pair;
}

static void
free_pair (Pair *pair)
{
  gst_clear_object (&pair->sender);
  gst_clear_object (&pair->receiver);
}

static void
fail_on_error (GstMessage *message)
{
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR)
    return;
  gst_message_parse_error (message, &error, NULL);
  fail ("%s", error->message);
}

static void
wait_top_level (Pair *pair)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pair->receiver);
  gint to = -1;

  while (to < N_LAYERS - 1) {
    g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus, PATIENCE,
        GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR);

    fail_unless (message != NULL, "level %d is held, not the top one", to);
    fail_on_error (message);
    if (gst_message_has_name (message, "lmcc-level-changed"))
      gst_structure_get_int (gst_message_get_structure (message), "to", &to);
  }
}

/* A picture is at the sink: the pipeline is prerolled. */
static void
wait_picture (Pair *pair)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pair->receiver);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus, PATIENCE,
      GST_MESSAGE_ASYNC_DONE | GST_MESSAGE_ERROR);

  fail_unless (message != NULL, "no picture");
  fail_on_error (message);
}

static gint64
stop (GstElement *pipeline)
{
  gint64 begin = g_get_monotonic_time ();

  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  return g_get_monotonic_time () - begin;
}

static void
run_cycle (Pair *pair, WaitFunction wait, GArray *sender_times,
    GArray *receiver_times)
{
  gint64 time;

  fail_unless (gst_element_set_state (pair->receiver, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE);
  fail_unless (gst_element_set_state (pair->sender, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE);
  if (wait == wait_top_level)
    feed (pair->sender);
  wait (pair);
  if (wait == wait_top_level)
    fail_unless_equals_int (count_memberships (), N_LAYERS);

  time = stop (pair->receiver);
  g_array_append_val (receiver_times, time);
  time = stop (pair->sender);
  g_array_append_val (sender_times, time);
  /* The sender listens to its groups, too. */
  fail_unless_equals_int (count_memberships (), 0);
}

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  gint64 first = *(const gint64 *) a, second = *(const gint64 *) b;

  return first < second ? -1 : first > second;
}

static void
check_times (const gchar *name, GArray *times)
{
  gint64 factor = g_getenv ("LMCC_TEST_SLOW") ? 50 : 1;
  gint64 median, longest;

  g_array_sort (times, compare_times);
  median = g_array_index (times, gint64, times->len / 2);
  longest = g_array_index (times, gint64, times->len - 1);
  g_print ("%s to NULL: median %.2f ms, longest %.2f ms\n", name,
      (gdouble) median / G_TIME_SPAN_MILLISECOND,
      (gdouble) longest / G_TIME_SPAN_MILLISECOND);
  fail_unless (median < factor * MEDIAN_STOP);
  fail_unless (longest < factor * LONGEST_STOP);
}

static void
check_footprint (const Footprint *before, guint cycles, gboolean with_memory)
{
  Footprint after = get_footprint ();

  g_print ("after %u cycles: fds %u to %u, threads %u to %u, resident %u to %u "
           "KiB, heap %" G_GSIZE_FORMAT " to %" G_GSIZE_FORMAT " B\n",
      cycles, before->fds, after.fds, before->threads, after.threads,
      before->resident, after.resident, before->heap, after.heap);
  fail_unless (after.fds <= before->fds);
  fail_unless (after.threads <= before->threads + SLACK_THREADS);
  /* Valgrind and the sanitizers have their own allocators and leak checks. */
  if (after.heap == 0 || !with_memory)
    return;
  fail_unless (after.resident <= before->resident + SLACK_RESIDENT);
  fail_unless (
      after.heap <= before->heap + SLACK_HEAP + cycles * SLACK_HEAP_PER_CYCLE);
}

static void
run_cycles (CreateFunction create, WaitFunction wait, gboolean anew,
    guint cycles, gboolean with_memory)
{
  g_autoptr (GArray) sender_times = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) receiver_times =
      g_array_new (FALSE, FALSE, sizeof (gint64));
  Footprint before = { 0 };
  Pair pair = { NULL, NULL };
  guint i;

  /* Allocated before, because it is on the heap, too. */
  g_array_set_size (sender_times, WARM_UP + cycles);
  g_array_set_size (sender_times, 0);
  g_array_set_size (receiver_times, WARM_UP + cycles);
  g_array_set_size (receiver_times, 0);
  for (i = 0; i < WARM_UP + cycles; i++) {
    if (pair.sender == NULL)
      pair = create ();
    run_cycle (&pair, wait, sender_times, receiver_times);
    if (anew)
      free_pair (&pair);
    if (i + 1 == WARM_UP)
      before = get_footprint ();
  }
  check_footprint (&before, cycles, with_memory);
  free_pair (&pair);
  check_times ("sender", sender_times);
  check_times ("receiver", receiver_times);
}

GST_START_TEST (test_the_same_elements_leave_nothing_behind)
{
  run_cycles (create_plain_pair, wait_top_level, FALSE, get_cycles (), TRUE);
}

GST_END_TEST;

GST_START_TEST (test_new_elements_leave_nothing_behind)
{
  run_cycles (create_plain_pair, wait_top_level, TRUE, get_cycles (), TRUE);
}

GST_END_TEST;

/* The codecs may keep memory; they start slowly, so they run only a few
 * times. */
GST_START_TEST (test_real_codecs_leave_no_sockets_and_threads_behind)
{
  run_cycles (create_real_pair, wait_picture, FALSE,
      MIN (get_cycles () / 5, 100), FALSE);
}

GST_END_TEST;

static Suite *
cycles_suite (void)
{
  Suite *s = suite_create ("cycles");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 1800);
  tcase_add_test (tc, test_the_same_elements_leave_nothing_behind);
  tcase_add_test (tc, test_new_elements_leave_nothing_behind);
  if (gst_registry_check_feature_version (gst_registry_get (), "x264enc", 1, 0,
          0)
      && gst_registry_check_feature_version (gst_registry_get (), "avdec_h264",
          1, 0, 0))
    tcase_add_test (tc, test_real_codecs_leave_no_sockets_and_threads_behind);
  return s;
}

GST_CHECK_MAIN (cycles);
