/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/elm/slow-start.h"

/**
 * lmcc_slow_start_init:
 * @slow_start: (out): active unless @form is none; call
 *     lmcc_slow_start_joined() for the base layer
 * @form: the form of the slow start
 * @interval: I, the interval between joins
 */
void
lmcc_slow_start_init (LmccSlowStart *slow_start, LmccSlowStartForm form,
    LmccTime interval)
{
  *slow_start = (LmccSlowStart){
    .form = form,
    .interval = interval,
    .active = form != LMCC_SLOW_START_NONE,
  };
}

/**
 * lmcc_slow_start_joined:
 * @slow_start: a slow start
 * @now: when a layer was joined
 * @base_rate: B_0, bit/s
 * @rate: B_i, including the new layer, bit/s
 * @floor: least time until a join can show in losses; not used by the paper's
 *     form, whose D_i is too short at high rates and ends the slow start too
 *     early there (section 6.3.3)
 *
 * The next layer is due an interval later, and not before the deaf period and
 * another floor, during which losses can occur, have passed.
 */
void
lmcc_slow_start_joined (LmccSlowStart *slow_start, LmccTime now,
    gdouble base_rate, gdouble rate, LmccTime floor)
{
  gdouble share = rate > 0 ? MIN (base_rate / rate, 1) : 1;
  LmccTime deaf = (LmccTime) (slow_start->interval * share);
  LmccTime interval = slow_start->interval;

  if (slow_start->form == LMCC_SLOW_START_CORRECTED) {
    deaf = MAX (deaf, floor);
    interval = MAX (interval, deaf + floor);
  }
  slow_start->deaf_until = now + deaf;
  slow_start->join_at = now + interval;
}

/**
 * lmcc_slow_start_update:
 * @slow_start: a slow start
 * @now: the time
 * @calculated_rate: X, bit/s; infinite before the first loss
 * @rate: B_i, bit/s
 *
 * Ends the slow start if its condition is met.
 *
 * Returns: whether to join the next layer now
 */
gboolean
lmcc_slow_start_update (LmccSlowStart *slow_start, LmccTime now,
    gdouble calculated_rate, gdouble rate)
{
  if (!slow_start->active || now < slow_start->deaf_until)
    return FALSE;
  if (calculated_rate < rate) {
    slow_start->active = FALSE;
    return FALSE;
  }

  return now >= slow_start->join_at;
}
