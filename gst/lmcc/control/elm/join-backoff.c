/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/elm/join-backoff.h"

/* Greatest random variation of the waits. */
#define SPREAD LMCC_SECOND

/* From one join of a layer to the next: on a path with a few per cent too
 * little capacity, the queue takes about ten seconds to fill. */
#define TURN (30 * LMCC_SECOND)

/**
 * lmcc_join_backoff_init:
 * @backoff: (out): no level is in back-off
 * @shortest: back-off that the base layer would have, in ns; 0: no back-off at
 *     all
 * @longest: back-off of the top level, in ns
 * @held: back-off of a level whose join had not failed, in ns; at most
 *     @shortest
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
 * @level: the level that was left, or the one above the current level
 * @n_levels: number of levels of the session, above @level
 * @now: when it was left, or when the path turned out to be overloaded
 * @dice: a random number from 0 to 1; adds up to a second to the wait
 *
 * All receivers behind an overloaded link see the same losses, and their waits
 * begin at the same time, so receivers at the same level try again together,
 * which costs the link as much as a single one. Lower levels wait less, so that
 * receivers that were thrown back further return before the others try again.
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
 * @level: the level that was left, and whose join had not failed
 * @joined_at: when it was joined
 * @now: when it was left
 * @dice: a random number from 0 to 1; adds up to a second to the wait
 *
 * The level is in back-off until the losses caused by another receiver's join,
 * and that receiver's leave, are over.
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
 * Returns: end of the back-off of @level
 */
LmccTime
lmcc_join_backoff_get (const LmccJoinBackoff *backoff, guint level)
{
  return backoff->until[level];
}
