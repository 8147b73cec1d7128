/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "gstladderwatch.h"

/* The encoders recover within this time from their start, or from another
 * process that takes the processor for a while. */
#define LASTING GST_SECOND

/* A picture that is further behind the clock is too late for any receiver:
 * about three times their latency. */
#define LATE (500 * GST_MSECOND)

/**
 * gst_ladder_watch_init:
 * @watch: (out caller-allocates): a watch that has seen no delay
 */
void
gst_ladder_watch_init (GstLadderWatch *watch)
{
  watch->behind_since = GST_CLOCK_TIME_NONE;
  watch->last_behind = GST_CLOCK_TIME_NONE;
  watch->least_lateness = G_MAXINT64;
  watch->told = FALSE;
}

/**
 * gst_ladder_watch_is_late:
 * @watch: the watch
 * @lateness: delay of an encoded picture in ns; negative if it came before its
 *     time
 *
 * Ignores a delay that all pictures share because the clock ran before the
 * first one came: sinks compensate for it.
 *
 * Returns: whether the picture is late
 */
gboolean
gst_ladder_watch_is_late (GstLadderWatch *watch, GstClockTimeDiff lateness)
{
  watch->least_lateness = MIN (watch->least_lateness, lateness);
  return lateness - MAX (watch->least_lateness, 0) > (GstClockTimeDiff) LATE;
}

/**
 * gst_ladder_watch_update:
 * @watch: the watch
 * @now: time in ns, of any clock
 * @behind: whether the encoders are behind now
 *
 * Returns: %TRUE once, when the encoders have been behind for a second, without
 * a break of a second
 */
gboolean
gst_ladder_watch_update (GstLadderWatch *watch, GstClockTime now,
    gboolean behind)
{
  if (!behind)
    return FALSE;
  if (!GST_CLOCK_TIME_IS_VALID (watch->behind_since)
      || now > watch->last_behind + LASTING)
    watch->behind_since = now;
  watch->last_behind = now;
  if (watch->told || now < watch->behind_since + LASTING)
    return FALSE;
  watch->told = TRUE;
  return TRUE;
}
