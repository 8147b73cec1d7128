/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The time of the pacing thread, and how it waits. */
#include "config.h"

#include "sink/core.h"

/**
 * gst_lmcc_sink_update_now:
 * @core: the core; called by the pacing thread with lock held
 *
 * The library's time is the running time, which stands still in PAUSED and
 * starts again after a flush, made to go on.
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
  return core->now;
}

/* Called with lock held; it is given up meanwhile. */
static void
wait_by_clock (GstLmccSinkCore *core, GstClock *clock, GstClockTime time)
{
  if (core->clock_id && !gst_clock_id_uses_clock (core->clock_id, clock)) {
    gst_clock_id_unref (core->clock_id);
    core->clock_id = NULL;
  }
  if (core->clock_id)
    gst_clock_single_shot_id_reinit (clock, core->clock_id, time);
  else
    core->clock_id = gst_clock_new_single_shot_id (clock, time);
  core->waiting = TRUE;
  g_mutex_unlock (&core->lock);
  gst_clock_id_wait (core->clock_id, NULL);
  g_mutex_lock (&core->lock);
  core->waiting = FALSE;
}

/* The system's clock runs as a condition's timeout does, and for a time that is
 * exact gst_clock_id_wait() sleeps twice: each sleep costs more than a
 * packet. */
static gboolean
is_system_clock (GstClock *clock)
{
  return G_OBJECT_TYPE (clock) == GST_TYPE_SYSTEM_CLOCK;
}

static void
wait_by_condition (GstLmccSinkCore *core, GstClock *clock, GstClockTime time)
{
  GstClockTime now = gst_clock_get_time (clock);

  if (time > now)
    g_cond_wait_until (&core->cond, &core->lock,
        g_get_monotonic_time ()
            + (gint64) ((time - now + LMCC_USECOND - 1) / LMCC_USECOND));
}

/**
 * gst_lmcc_sink_wait_until:
 * @core: the core; called by the pacing thread with lock held, which is given
 *     up meanwhile
 * @when: the library's time, or %LMCC_TIME_NONE
 *
 * Returns at @when, or earlier: gst_lmcc_sink_wake() ends it.
 */
void
gst_lmcc_sink_wait_until (GstLmccSinkCore *core, LmccTime when)
{
  GstElement *element = GST_ELEMENT (core);
  g_autoptr (GstClock) clock = gst_element_get_clock (element);
  GstClockTime time;

  if (!LMCC_TIME_IS_VALID (when) || clock == NULL) {
    g_cond_wait (&core->cond, &core->lock);
    return;
  }
  time = gst_element_get_base_time (element)
      + (when > core->epoch ? when - core->epoch : 0);
  if (is_system_clock (clock))
    wait_by_condition (core, clock, time);
  else
    wait_by_clock (core, clock, time);
}
