/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/quality-watch.h"

/**
 * lmcc_quality_watch_init:
 * @watch: (out): a watch without measurements
 * @seconds: how far to look back, 1 to %LMCC_QUALITY_WATCH_SECONDS; clamped
 * @share: share of missing units above which there are too many; 1 or more:
 *     never
 */
void
lmcc_quality_watch_init (LmccQualityWatch *watch, guint seconds, gdouble share)
{
  *watch = (LmccQualityWatch){
    .seconds = CLAMP (seconds, 1, LMCC_QUALITY_WATCH_SECONDS),
    .share = share,
  };
}

/**
 * lmcc_quality_watch_reset:
 * @watch: a watch
 *
 * Starts anew, as after a change of level.
 */
void
lmcc_quality_watch_reset (LmccQualityWatch *watch)
{
  watch->n = 0;
}

/**
 * lmcc_quality_watch_add:
 * @watch: a watch
 * @units: units that were due in the second that ended
 * @missing: how many of them were not delivered
 *
 * A problem that has passed is no reason to act: a slow leave, or a queue
 * longer than the latency, costs pictures for seconds.
 *
 * Returns: whether too many units were missing over the whole look-back time,
 * and in the second that ended
 */
gboolean
lmcc_quality_watch_add (LmccQualityWatch *watch, guint units, guint missing)
{
  guint64 all = 0, gone = 0;
  guint i;

  watch->units[watch->n % watch->seconds] = units;
  watch->missing[watch->n % watch->seconds] = missing;
  watch->n++;
  if (watch->n < watch->seconds)
    return FALSE;

  for (i = 0; i < watch->seconds; i++) {
    all += watch->units[i];
    gone += watch->missing[i];
  }

  return all >= LMCC_QUALITY_WATCH_UNITS && gone > watch->share * all
      && missing > watch->share * units;
}
