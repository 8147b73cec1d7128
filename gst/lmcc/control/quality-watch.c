/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/quality-watch.h"

/**
 * lmcc_quality_watch_init:
 * @watch: (out): nothing seen yet
 * @seconds: how long to look back, 1 to %LMCC_QUALITY_WATCH_SECONDS; clamped
 * @share: part of the units above which missing ones are too many; from 1 on
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
 * Begins anew, as after a change of level.
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
 * @missing: those of them that were not delivered
 *
 * What is over is no reason to act: a leave that took its time, or a queue that
 * was longer than the latency, costs pictures for seconds.
 *
 * Returns: whether too many were missing over the whole time looked back on,
 *     and in the second that ended too
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
