/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/elm/join-backoff.h"

/* Waits differ by so much at most, by the dice. */
#define SPREAD LMCC_SECOND

/**
 * lmcc_join_backoff_init:
 * @backoff: (out): no layer is left alone yet
 * @shortest: how long the base would be left alone; 0: no layer is
 * @longest: how long the top layer is
 */
void
lmcc_join_backoff_init (LmccJoinBackoff *backoff, LmccTime shortest,
    LmccTime longest)
{
  *backoff = (LmccJoinBackoff){ .shortest = shortest, .longest = longest };
}

/**
 * lmcc_join_backoff_leave_alone:
 * @backoff: a back-off
 * @layer: the layer that was left, or the one above the level held
 * @n_layers: of the session, above @layer
 * @now: when it was left, or the path was seen to be overloaded
 * @dice: random, from 0 to 1: the wait is up to a second longer
 *
 * All receivers behind an overloaded link see the same losses, and their waits
 * begin at the same time, so that those at one level try again together, which
 * costs the link as much as one of them alone. The lower the layer, the shorter
 * the wait: who was thrown further down is back before the others try again.
 */
void
lmcc_join_backoff_leave_alone (LmccJoinBackoff *backoff, guint layer,
    guint n_layers, LmccTime now, gdouble dice)
{
  LmccTime range = backoff->longest - MIN (backoff->shortest, backoff->longest);

  if (backoff->shortest == 0)
    return;
  backoff->until[layer] = now + backoff->shortest
      + range * layer / MAX (n_layers - 1, 1) + (LmccTime) (SPREAD * dice);
}

/**
 * lmcc_join_backoff_get:
 * @backoff: a back-off
 * @layer: a layer
 *
 * Returns: until when @layer is left alone
 */
LmccTime
lmcc_join_backoff_get (const LmccJoinBackoff *backoff, guint layer)
{
  return backoff->until[layer];
}
