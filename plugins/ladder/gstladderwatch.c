/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "gstladderwatch.h"

/* An encoder that starts, or a process that has the processor for a while, is
 * made up for within this. */
#define LASTING GST_SECOND

/* Behind the clock by more than this a picture is late for any receiver: some
 * three times what they wait. */
#define LATE (500 * GST_MSECOND)

/**
 * gst_ladder_watch_init:
 * @watch: (out caller-allocates): nothing was behind so far
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
 * @lateness: how much later than its time an encoded picture came, in ns;
 *     negative if it came before
 *
 * What all pictures are late by, because the clock ran before the first one
 * came, does not count: sinks shift it away.
 *
 * Returns: whether it is late
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
 * @now: the time, in ns; of whatever clock
 * @behind: whether the encoders are behind now
 *
 * Returns: %TRUE once, when this has gone on for a second without as long a
 *     time between
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
