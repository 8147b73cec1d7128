/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the queue between lmccsrc's I/O thread and its source pads.
 */
#include <gst/check/gstcheck.h>

#include <plugins/lmcc/src/queue.h>

#define MAX_TIME (3 * GST_SECOND)
#define LATENCY (5 * GST_SECOND)

static void
push_at (GstLmccSrcQueue *queue, GstClockTime now)
{
  gst_lmcc_src_queue_push_buffer (queue,
      gst_buffer_new_allocate (NULL, 10, NULL), TRUE, now);
}

GST_START_TEST (what_waits_for_its_time_is_not_late)
{
  GstLmccSrcQueue *queue = gst_lmcc_src_queue_new (100000, MAX_TIME);

  gst_lmcc_src_queue_set_latency (queue, LATENCY);
  push_at (queue, 0);
  push_at (queue, GST_SECOND);
  push_at (queue, LATENCY + MAX_TIME);
  fail_unless_equals_uint64 (gst_lmcc_src_queue_get_dropped (queue), 0);
  push_at (queue, LATENCY + MAX_TIME + 1);
  fail_unless_equals_uint64 (gst_lmcc_src_queue_get_dropped (queue), 1);
  gst_lmcc_src_queue_set_latency (queue, 0);
  push_at (queue, LATENCY + MAX_TIME + 2);
  fail_unless_equals_uint64 (gst_lmcc_src_queue_get_dropped (queue), 2);
  gst_lmcc_src_queue_free (queue);
}

GST_END_TEST;

/* A buffer of one byte counts as a thousand, including its overhead. */
GST_START_TEST (small_buffers_count_for_what_they_take)
{
  GstLmccSrcQueue *queue = gst_lmcc_src_queue_new (1000000, MAX_TIME);
  guint i;

  for (i = 0; i < 10000; i++)
    push_at (queue, 0);
  fail_unless (gst_lmcc_src_queue_get_bytes (queue) <= 1000000);
  fail_unless (gst_lmcc_src_queue_get_dropped (queue) > 8000);
  gst_lmcc_src_queue_set_max_bytes (queue, 10000);
  push_at (queue, 0);
  fail_unless (gst_lmcc_src_queue_get_bytes (queue) <= 10000);
  gst_lmcc_src_queue_free (queue);
}

GST_END_TEST;

static void
push_segment (GstLmccSrcQueue *queue, GstClockTime start)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = start;
  gst_lmcc_src_queue_push_event (queue, gst_event_new_segment (&segment));
}

static void
assert_event (GstLmccSrcQueue *queue, GstEventType type, GstClockTime start)
{
  GstMiniObject *object = gst_lmcc_src_queue_pop (queue);
  GstSegment segment;

  fail_unless (object != NULL && GST_IS_EVENT (object));
  fail_unless_equals_int (GST_EVENT_TYPE (object), type);
  if (type == GST_EVENT_SEGMENT) {
    gst_event_copy_segment (GST_EVENT_CAST (object), &segment);
    fail_unless_equals_uint64 (segment.start, start);
  }
  gst_mini_object_unref (object);
}

GST_START_TEST (a_pad_that_cannot_push_gathers_no_events)
{
  GstLmccSrcQueue *queue = gst_lmcc_src_queue_new (10000, MAX_TIME);
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple ("application/x-rtp");
  GstMiniObject *object;
  guint i;

  gst_lmcc_src_queue_set_flushing (queue, FALSE);
  gst_lmcc_src_queue_push_event (queue, gst_event_new_caps (caps));
  for (i = 0; i < 1000; i++) {
    push_segment (queue, i);
    push_at (queue, 0);
  }
  assert_event (queue, GST_EVENT_CAPS, 0);
  /* Events before the dropped buffers are merged into one. */
  assert_event (queue, GST_EVENT_SEGMENT,
      gst_lmcc_src_queue_get_dropped (queue));
  object = gst_lmcc_src_queue_pop (queue);
  fail_unless (GST_IS_BUFFER_LIST (object));
  gst_mini_object_unref (object);
  gst_lmcc_src_queue_clear (queue, TRUE);
  push_segment (queue, 1);
  gst_lmcc_src_queue_push_event (queue, gst_event_new_eos ());
  push_segment (queue, 2);
  assert_event (queue, GST_EVENT_SEGMENT, 2);
  assert_event (queue, GST_EVENT_EOS, 0);
  gst_lmcc_src_queue_free (queue);
}

GST_END_TEST;

static Suite *
lmccsrc_queue_suite (void)
{
  Suite *suite = suite_create ("lmccsrc-queue");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_test (chain, what_waits_for_its_time_is_not_late);
  tcase_add_test (chain, small_buffers_count_for_what_they_take);
  tcase_add_test (chain, a_pad_that_cannot_push_gathers_no_events);

  return suite;
}

GST_CHECK_MAIN (lmccsrc_queue);
