/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../../../plugins/lmcc/gstlmccsrcqueue.h"

#include <gst/check/gstcheck.h>

#define MAX_TIME (3 * GST_SECOND)
#define LATENCY (5 * GST_SECOND)

static void
push_at (GstLmccSrcQueue * queue, GstClockTime now)
{
  gst_lmcc_src_queue_push_buffer (queue, gst_buffer_new_allocate (NULL, 10,
          NULL), TRUE, now);
}

GST_START_TEST (what_waits_for_its_time_is_not_late)
{
  GstLmccSrcQueue *queue = gst_lmcc_src_queue_new (1000, MAX_TIME);

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

static Suite *
lmccsrc_queue_suite (void)
{
  Suite *suite = suite_create ("lmccsrc-queue");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_test (chain, what_waits_for_its_time_is_not_late);

  return suite;
}

GST_CHECK_MAIN (lmccsrc_queue);
