/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/elm/join-backoff.h"

/* Waits differ by so much at most, by the dice. */
#define SPREAD LMCC_SECOND

/* From one join of a layer to the next: where a path has a few per cent less
 * than it needs, the queue takes some ten seconds to fill. */
#define TURN (30 * LMCC_SECOND)

/**
 * lmcc_join_backoff_init:
 * @backoff: (out): no level is left alone yet
 * @shortest: how long the base would be left alone; 0: no level is
 * @longest: how long the top level is
 * @held: how long a level is that was not joined in vain; @shortest at most
 */
void
lmcc_join_backoff_init (LmccJoinBackoff *backoff, LmccTime shortest,
    LmccTime longest, LmccTime held)
{
  *backoff = (LmccJoinBackoff){ .shortest = shortest,
    .longest = longest,
    .held = MIN (held, shortest) };
}

/**
 * lmcc_join_backoff_leave_alone:
 * @backoff: a back-off
 * @level: that was left, or the one above that which is held
 * @n_levels: of the session, above @level
 * @now: when it was left, or the path was seen to be overloaded
 * @dice: random, from 0 to 1: the wait is up to a second longer
 *
 * All receivers behind an overloaded link see the same losses, and their waits
 * begin at the same time, so that those at one level try again together, which
 * costs the link as much as one of them alone. The lower the level, the shorter
 * the wait: who was thrown further down is back before the others try again.
 */
void
lmcc_join_backoff_leave_alone (LmccJoinBackoff *backoff, guint level,
    guint n_levels, LmccTime now, gdouble dice)
{
  LmccTime range = backoff->longest - MIN (backoff->shortest, backoff->longest);

  if (backoff->shortest == 0)
    return;
  backoff->until[level] = now + backoff->shortest
      + range * level / MAX (n_levels - 1, 1) + (LmccTime) (SPREAD * dice);
}

/**
 * lmcc_join_backoff_pause:
 * @backoff: a back-off
 * @level: the level that was left, and was not joined in vain
 * @joined_at: when it was joined
 * @now: when it was left
 * @dice: random, from 0 to 1: the wait is up to a second longer
 *
 * The level is left alone until the losses of another receiver's join are over,
 * and that receiver's leave.
 */
void
lmcc_join_backoff_pause (LmccJoinBackoff *backoff, guint level,
    LmccTime joined_at, LmccTime now, gdouble dice)
{
  if (backoff->shortest == 0)
    return;
  backoff->until[level] =
      MAX (now + backoff->held, joined_at + TURN) + (LmccTime) (SPREAD * dice);
}

/**
 * lmcc_join_backoff_get:
 * @backoff: a back-off
 * @level: a level
 *
 * Returns: until when @level is left alone
 */
LmccTime
lmcc_join_backoff_get (const LmccJoinBackoff *backoff, guint level)
{
  return backoff->until[level];
}
