/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The time of a sink, and the time of the next run of its I/O thread. */
#include "config.h"

#include "sink/core.h"

/**
 * gst_lmcc_sink_update_now:
 * @core: the core; called by the I/O thread with lock held
 *
 * The library's time is a continuous form of the running time, which stands
 * still in PAUSED and restarts after a flush.
 *
 * Returns: the time
 */
LmccTime
gst_lmcc_sink_update_now (GstLmccSinkCore *core)
{
  GstElement *element = GST_ELEMENT (core);
  g_autoptr (GstClock) clock = gst_element_get_clock (element);
  GstClockTime base_time = gst_element_get_base_time (element), time;
  LmccTime running_time;

  if (clock == NULL || !core->playing)
    return core->now;
  time = gst_clock_get_time (clock);
  running_time = time > base_time ? time - base_time : 0;
  if (running_time + core->epoch < core->now)
    core->epoch = core->now - running_time;
  core->now = running_time + core->epoch;
  gst_lmcc_sink_ahead_set_clock (&core->ahead, core->now,
      gst_lmcc_io_get_time ());
  return core->now;
}

static gboolean
wake_core (GstClock *clock G_GNUC_UNUSED, GstClockTime time G_GNUC_UNUSED,
    GstClockID id G_GNUC_UNUSED, gpointer user_data)
{
  GstLmccSinkCore *core = user_data;

  g_atomic_int_set (&core->timer_set, FALSE);
  gst_lmcc_io_wake (core->io);
  return TRUE;
}

/**
 * gst_lmcc_sink_timer_clear:
 * @core: the core; called by the I/O thread, or while it is detached
 */
void
gst_lmcc_sink_timer_clear (GstLmccSinkCore *core)
{
  if (core->timer == NULL)
    return;
  gst_clock_id_unschedule (core->timer);
  gst_clock_id_unref (core->timer);
  core->timer = NULL;
  g_atomic_int_set (&core->timer_set, FALSE);
}

/* Keeps a timer for the same time, because a test that drives the clock may
 * already have seen it. */
static gboolean
set_timer (GstLmccSinkCore *core, GstClock *clock, GstClockTime time)
{
  if (core->timer && g_atomic_int_get (&core->timer_set)
      && gst_clock_id_uses_clock (core->timer, clock)
      && gst_clock_id_get_time (core->timer) == time)
    return TRUE;
  gst_lmcc_sink_timer_clear (core);
  core->timer = gst_clock_new_single_shot_id (clock, time);
  g_atomic_int_set (&core->timer_set, TRUE);
  return gst_clock_id_wait_async (core->timer, wake_core, gst_object_ref (core),
             gst_object_unref)
      == GST_CLOCK_OK;
}

/**
 * gst_lmcc_sink_timer_set:
 * @core: the core; called by the I/O thread
 * @when: the library's time, or %LMCC_TIME_NONE
 *
 * Schedules a run at @when, on any clock of the pipeline.
 *
 * Returns: the return value of the current run: time of the next run, in ns of
 * gst_lmcc_io_get_time(), or %GST_LMCC_IO_NEVER
 */
guint64
gst_lmcc_sink_timer_set (GstLmccSinkCore *core, LmccTime when)
{
  GstElement *element = GST_ELEMENT (core);
  g_autoptr (GstClock) clock = gst_element_get_clock (element);
  GstClockTime time, now;

  if (!LMCC_TIME_IS_VALID (when) || clock == NULL) {
    gst_lmcc_sink_timer_clear (core);
    return GST_LMCC_IO_NEVER;
  }
  time = gst_element_get_base_time (element)
      + (when > core->epoch ? when - core->epoch : 0);
  /* System clocks run on their own: the system's clock, those of sound cards
   * and those of other hosts. */
  if (!GST_IS_SYSTEM_CLOCK (clock) && set_timer (core, clock, time))
    return GST_LMCC_IO_NEVER;
  gst_lmcc_sink_timer_clear (core);
  now = gst_clock_get_time (clock);
  return gst_lmcc_io_get_time_after (time > now ? time - now : 0);
}
