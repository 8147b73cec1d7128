/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/elm/smoother.h"

#include <math.h>

/*
 * lmcc_elm_smoother_init:
 * @smoother: (out): a smoother without samples
 * @settings: settings of ELM
 */
void
lmcc_elm_smoother_init (LmccElmSmoother *smoother, const LmccSettings *settings)
{
  *smoother = (LmccElmSmoother){
    .smoothing = lmcc_settings_get_count (settings, "smoothing"),
    .time = lmcc_settings_get_time (settings, "smoothing-time"),
    .history = lmcc_settings_get_count (settings, "percentile-history"),
    .taken = LMCC_TIME_NONE,
  };
  smoother->percentiles = lmcc_percentiles_new (smoother->history,
      lmcc_settings_get (settings, "percentile-low"),
      lmcc_settings_get (settings, "percentile-high"));
}

void
lmcc_elm_smoother_clear (LmccElmSmoother *smoother)
{
  lmcc_percentiles_free (smoother->percentiles);
}

/*
 * lmcc_elm_smoother_add:
 * @smoother: a smoother
 * @now: the time
 * @sample: the present rate; an infinite one, as before the first loss, is
 *     skipped unless there is no other
 */
void
lmcc_elm_smoother_add (LmccElmSmoother *smoother, LmccTime now, gdouble sample)
{
  LmccTime elapsed = now - smoother->taken;

  if (!isfinite (sample)) {
    if (smoother->taken == LMCC_TIME_NONE)
      smoother->value = sample;
    return;
  }
  switch (smoother->smoothing) {
    case LMCC_ELM_SMOOTHING_EWMA:
      lmcc_ewma_add_timed (&smoother->average, sample, elapsed, smoother->time);
      smoother->value = smoother->average.value;
      break;
    case LMCC_ELM_SMOOTHING_PERCENTILES:
      if (lmcc_percentiles_get_count (smoother->percentiles) > 0
          && elapsed < smoother->time / smoother->history)
        return;
      lmcc_percentiles_add (smoother->percentiles, sample);
      smoother->value = lmcc_percentiles_get_mean (smoother->percentiles);
      break;
    default:
      smoother->value = sample;
      break;
  }
  smoother->taken = now;
}

/*
 * lmcc_elm_smoother_restart:
 * @smoother: forgets its samples
 * @now: the time
 * @sample: the first new sample
 */
void
lmcc_elm_smoother_restart (LmccElmSmoother *smoother, LmccTime now,
    gdouble sample)
{
  lmcc_ewma_init (&smoother->average, 1);
  lmcc_percentiles_reset (smoother->percentiles);
  smoother->taken = LMCC_TIME_NONE;
  lmcc_elm_smoother_add (smoother, now, sample);
}
