/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plumb's observable state.
 */
#include "control/plumb/state.h"

#include <math.h>

/* Before the first loss the path has shown no rate. */
static gboolean
has_lost (const LmccPlumb *plumb)
{
  return !isinf (lmcc_fair_rate_get_seen (&plumb->fair));
}

static void
show_turn (const LmccPlumb *plumb, LmccFairStatus *status)
{
  LmccTime left;

  status->turn_level = -1;
  status->turn_until = LMCC_TIME_NONE;
  if (!plumb->slow_start
      && lmcc_duty_get_turn (&plumb->duty, &status->turn_level,
          &status->turn_share, &left))
    status->turn_until = plumb->last_packet + left;
}

static LmccTime
left_alone_until (const LmccPlumb *plumb, LmccTime now)
{
  guint above = (guint) (plumb->level + 1);

  return above < lmcc_session_count_levels (plumb->session)
          && plumb->left_alone[above] > now
      ? plumb->left_alone[above]
      : LMCC_TIME_NONE;
}

/*
 * lmcc_plumb_show_fair_rate:
 * @plumb: plumb
 * @now: the time
 * @status: (out): the fair rate, and how it decides the level
 */
void
lmcc_plumb_show_fair_rate (const LmccPlumb *plumb, LmccTime now,
    LmccFairStatus *status)
{
  *status = (LmccFairStatus){
    .used = TRUE,
    .rate = has_lost (plumb) ? plumb->rate : 0,
    .mean = lmcc_duty_get_rate (&plumb->duty),
    .thinning =
        has_lost (plumb) ? lmcc_fair_rate_get_thinning (&plumb->fair) : -1,
    .chance = lmcc_fair_rate_has_witness (&plumb->fair)
        ? lmcc_fair_rate_get_random (&plumb->fair)
        : -1,
    .vetoed = lmcc_plumb_is_vetoed (plumb, now),
    .left_alone_until = left_alone_until (plumb, now),
  };
  show_turn (plumb, status);
}
