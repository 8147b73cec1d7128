/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests x264ladderenc on processors that are too slow: how it reduces the
 * load.
 */
#include "ladder-tools.h"

#include <gst/check/gstcheck.h>

#include "../../../plugins/ladder/gstladderspeed.h"
#include "../../../plugins/ladder/gstladderwatch.h"

typedef struct
{
  GMutex lock;
  GCond cond;
  gboolean closed; /* of the top rung */
  guint n_taken;   /* pictures encoded by the base rung's encoder */
} Gate;

static GstPadProbeReturn
wait_at_gate (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info G_GNUC_UNUSED,
    gpointer user_data)
{
  Gate *gate = user_data;

  g_mutex_lock (&gate->lock);
  while (gate->closed)
    g_cond_wait (&gate->cond, &gate->lock);
  g_mutex_unlock (&gate->lock);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
count_taken (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info G_GNUC_UNUSED,
    gpointer user_data)
{
  Gate *gate = user_data;

  g_mutex_lock (&gate->lock);
  gate->n_taken++;
  g_cond_broadcast (&gate->cond);
  g_mutex_unlock (&gate->lock);
  return GST_PAD_PROBE_OK;
}

/* Pushes picture @number. The base rung is never late: its encoder gets all
 * pictures that are not skipped. */
static void
push_in_time (GstHarness *h, Gate *gate, guint number)
{
  guint64 skipped;

  fail_unless_equals_int (gst_harness_push (h,
                              ladder_make_picture (number, 64, 64)),
      GST_FLOW_OK);
  g_object_get (h->element, "pictures-skipped", &skipped, NULL);
  g_mutex_lock (&gate->lock);
  while (gate->n_taken + skipped < number + 1)
    g_cond_wait (&gate->cond, &gate->lock);
  g_mutex_unlock (&gate->lock);
}

static void
slow_top_rung (GstElement *ladder G_GNUC_UNUSED, GstElement *encoder,
    guint rung, gpointer user_data)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (encoder, "sink");

  if (rung == 1)
    gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER, wait_at_gate, user_data,
        NULL);
  else
    gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER, count_taken, user_data,
        NULL);
}

/* The slowest encoder does not run at all: the time of a live source's
 * pictures is their own, not the clock's. */
GST_START_TEST (test_a_slow_encoder_is_noticed_and_pictures_are_skipped)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  Gate gate = { .closed = TRUE };
  GstMessage *message = NULL;
  GstHarness *h, *upper;
  const GstStructure *s;
  guint i, rung, told_at = 0, count[2] = { 0, 0 };
  guint64 skipped, behind;

  g_mutex_init (&gate.lock);
  g_cond_init (&gate.cond);
  h = ladder_harness_new (NULL);
  g_object_set (h->element, "bitrates", "50k,150k", "bframes", 0,
      "speed-preset", GST_LADDER_SPEED_VERYFAST, NULL);
  g_signal_connect (h->element, "encoder-setup", G_CALLBACK (slow_top_rung),
      &gate);
  gst_element_set_bus (h->element, bus);
  upper = gst_harness_new_with_element (h->element, NULL, "src_1");
  gst_harness_set_live (h, TRUE);
  gst_harness_set_src_caps_str (h, LADDER_CAPS (64, 64));
  for (i = 0; i < 50 && message == NULL; i++) {
    push_in_time (h, &gate, i);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
    told_at = i;
  }
  fail_unless (message != NULL, "nothing was said");
  s = gst_message_get_structure (message);
  fail_unless (gst_structure_has_name (s, "lmcc-encoder-overload"));
  fail_unless_equals_int (g_value_get_uint (
                              gst_structure_get_value (s, "rung")),
      1);
  fail_unless_equals_string (gst_structure_get_string (s, "speed-preset"),
      "veryfast");
  fail_unless (gst_structure_get_string (s, "remedy") != NULL);
  fail_unless (gst_structure_get_uint64 (s, "behind", &behind));
  /* The backlog is 200 ms; the sustained second follows it. */
  fail_unless (behind > 200 * GST_MSECOND && behind < 400 * GST_MSECOND);
  fail_unless (told_at >= 25 && told_at <= 34, "picture %u", told_at);
  gst_message_unref (message);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_unref (message);

  /* Reported once, and it continues when there is time again. */
  for (; i < 60; i++)
    push_in_time (h, &gate, i);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT) == NULL);
  g_mutex_lock (&gate.lock);
  gate.closed = FALSE;
  g_cond_broadcast (&gate.cond);
  g_mutex_unlock (&gate.lock);
  gst_harness_push_event (h, gst_event_new_eos ());
  g_object_get (h->element, "pictures-skipped", &skipped, NULL);
  for (rung = 0; rung < 2; rung++) {
    GstHarness *from = rung == 0 ? h : upper;
    GstBuffer *buffer;

    while (count[rung] + skipped < 60 && (buffer = gst_harness_pull (from))) {
      gst_buffer_unref (buffer);
      count[rung]++;
    }
  }
  fail_unless (skipped > 40);
  fail_unless_equals_int (count[0], 60 - (gint) skipped);
  fail_unless_equals_int (count[1], 60 - (gint) skipped);
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (upper);
  gst_harness_teardown (h);
  g_mutex_clear (&gate.lock);
  g_cond_clear (&gate.cond);
}

GST_END_TEST;

GST_START_TEST (test_only_sustained_lateness_is_overload)
{
  GstLadderWatch watch;
  GstClockTime t;
  guint n = 0;

  gst_ladder_watch_init (&watch);
  /* A late picture every two seconds, for a minute. */
  for (t = 0; t < 60 * GST_SECOND; t += 100 * GST_MSECOND)
    n += gst_ladder_watch_update (&watch, t, t % (2 * GST_SECOND) == 0);
  fail_unless_equals_int (n, 0);
  /* Every second picture. */
  for (; t < 62 * GST_SECOND; t += 100 * GST_MSECOND)
    n += gst_ladder_watch_update (&watch, t, t % (200 * GST_MSECOND) == 0);
  fail_unless_equals_int (n, 1);
  for (; t < 70 * GST_SECOND; t += 100 * GST_MSECOND)
    n += gst_ladder_watch_update (&watch, t, TRUE);
  fail_unless_equals_int (n, 1);
}

GST_END_TEST;

GST_START_TEST (test_a_late_start_is_not_lateness)
{
  GstLadderWatch watch;

  gst_ladder_watch_init (&watch);
  fail_if (
      gst_ladder_watch_is_late (&watch, 3 * (GstClockTimeDiff) GST_SECOND));
  fail_if (
      gst_ladder_watch_is_late (&watch, 3400 * (GstClockTimeDiff) GST_MSECOND));
  fail_unless (
      gst_ladder_watch_is_late (&watch, 3600 * (GstClockTimeDiff) GST_MSECOND));
  /* The source ran ahead: then its own time counts. */
  fail_if (gst_ladder_watch_is_late (&watch, -(GstClockTimeDiff) GST_SECOND));
  fail_if (
      gst_ladder_watch_is_late (&watch, 400 * (GstClockTimeDiff) GST_MSECOND));
  fail_unless (
      gst_ladder_watch_is_late (&watch, 600 * (GstClockTimeDiff) GST_MSECOND));
}

GST_END_TEST;

GST_START_TEST (test_more_work_makes_faster_encoders)
{
  gdouble pixels;
  GstLadderSpeed last = GST_LADDER_SPEED_MEDIUM, speed;

  for (pixels = 1e5; pixels < 1e10; pixels *= 1.5) {
    speed = gst_ladder_speed_choose (pixels, 2);
    fail_unless (speed <= last && speed >= GST_LADDER_SPEED_ULTRAFAST);
    fail_unless (gst_ladder_speed_choose (pixels, 16) >= speed);
    last = speed;
  }
  fail_unless_equals_int (gst_ladder_speed_choose (1e5, 1),
      GST_LADDER_SPEED_MEDIUM);
  fail_unless_equals_int (last, GST_LADDER_SPEED_ULTRAFAST);
  fail_unless_equals_int (
      gst_ladder_speed_get_threads (GST_LADDER_SPEED_ULTRAFAST, 1e6, 8), 1);
  fail_unless_equals_int (
      gst_ladder_speed_get_threads (GST_LADDER_SPEED_ULTRAFAST, 1e10, 8), 8);
}

GST_END_TEST;

static Suite *
x264ladder_load_suite (void)
{
  Suite *s = suite_create ("x264ladder-load");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_a_slow_encoder_is_noticed_and_pictures_are_skipped);
  tcase_add_test (tc, test_only_sustained_lateness_is_overload);
  tcase_add_test (tc, test_a_late_start_is_not_lateness);
  tcase_add_test (tc, test_more_work_makes_faster_encoders);
  return s;
}

GST_CHECK_MAIN (x264ladder_load);
