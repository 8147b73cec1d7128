/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How plumb changes its level, and how each change affects its knowledge of
 * the path.
 */
#include "control/plumb/state.h"

/* The join of a level that was joined only because there was no loss, and that
 * is left within this time, has failed. */
#define EXPERIMENT (60 * LMCC_SECOND)

/* The join of a level held for this long has not failed: the path has changed
 * since. */
#define HELD (20 * LMCC_SECOND)

/* Back-off of a layer after a failed join; it doubles each time. */
#define BACKOFF (10 * LMCC_SECOND)
#define BACKOFF_DOUBLINGS 4

/* The losses of a level that was left are over if neither losses nor packets
 * of the left layers occurred for this long, or for an RTT. Packets of left
 * layers explain losses, but only up to a limit, because some networks do
 * not honour a leave. */
#define DEAF (200 * LMCC_MSECOND)
#define DEAF_MAX (5 * LMCC_SECOND)

static void
join (LmccPlumb *plumb, LmccOverloadLimit limit, gboolean experiment,
    const gchar *reason)
{
  plumb->wanted_limit = limit;
  plumb->wants_experiment = experiment;
  lmcc_controller_want (&plumb->parent, plumb->level + 1, reason);
}

/*
 * lmcc_plumb_begin_anew:
 * @plumb: forgets what it knows of the path's rate
 * @now: the time
 */
void
lmcc_plumb_begin_anew (LmccPlumb *plumb, LmccTime now)
{
  lmcc_duty_reset (&plumb->duty, now);
  lmcc_steps_reset (&plumb->steps, now);
}

/*
 * lmcc_plumb_claim:
 * @plumb: wants the next level
 * @now: the time
 * @reason: the reason: competing traffic has more than its share
 */
void
lmcc_plumb_claim (LmccPlumb *plumb, LmccTime now, const gchar *reason)
{
  join (plumb,
      lmcc_plumb_is_alone (plumb, now) ? LMCC_OVERLOAD_EXPERIMENT
                                       : LMCC_OVERLOAD_CLAIM,
      FALSE, reason);
}

/*
 * lmcc_plumb_is_experiment:
 * @plumb: plumb
 * @now: the time
 *
 * Returns: whether the current level was joined recently, and only because
 * there was no loss
 */
gboolean
lmcc_plumb_is_experiment (const LmccPlumb *plumb, LmccTime now)
{
  return plumb->experiment && now < plumb->joined_at + EXPERIMENT;
}

/*
 * lmcc_plumb_experiment:
 * @plumb: wants the next level
 * @reason: the reason: nothing speaks against it
 */
void
lmcc_plumb_experiment (LmccPlumb *plumb, const gchar *reason)
{
  join (plumb, LMCC_OVERLOAD_EXPERIMENT, TRUE, reason);
}

/* Assumes that the path carries the level until it shows otherwise. */
static void
begin_experiment (LmccPlumb *plumb, LmccTime now)
{
  if (!lmcc_plumb_is_experiment (plumb, now)) {
    plumb->before = plumb->fair;
    plumb->has_before = plumb->last_loss != 0;
    plumb->level_before = plumb->level - 1;
  }
  if (plumb->last_loss != 0)
    lmcc_fair_rate_restart (&plumb->fair, now,
        lmcc_plumb_level_rate (plumb, plumb->level));
  lmcc_plumb_begin_anew (plumb, now);
}

/*
 * lmcc_plumb_joined:
 * @plumb: plumb
 * @now: the time
 *
 * Call it when the receiver has joined a level, whether or not plumb wanted
 * it.
 */
void
lmcc_plumb_joined (LmccPlumb *plumb, LmccTime now)
{
  if (plumb->wants_experiment)
    begin_experiment (plumb, now);
  plumb->experiment = plumb->wants_experiment;
  plumb->limit = plumb->wanted_limit;
  plumb->joined_at = now;
  lmcc_duty_joined (&plumb->duty, plumb->level);
}

/* The join of a level that was held for long has not failed: the path has
 * changed. */
static void
leave_alone (LmccPlumb *plumb, gint level, LmccTime now)
{
  guint doublings;

  if (level == plumb->level && now >= plumb->level_since + HELD)
    plumb->failures[level] = 0;
  doublings = MIN (plumb->failures[level], BACKOFF_DOUBLINGS);
  plumb->failures[level]++;
  plumb->left_alone[level] = now + (BACKOFF << doublings);
}

/* Losses caused by an experiment say nothing about the level before it. */
static void
end_experiment (LmccPlumb *plumb, gint level, LmccTime now)
{
  gint left;

  for (left = plumb->level; left > level; left--)
    leave_alone (plumb, left, now);
  plumb->restart = TRUE;
}

/*
 * lmcc_plumb_leave_to:
 * @plumb: wants a lower level
 * @level: the highest acceptable level
 * @now: the time
 * @reason: the reason: the fair rate does not cover the current level
 *
 * If experiments led to the current level, late losses show that competing
 * traffic was there all the time: all of the experiments are undone.
 */
void
lmcc_plumb_leave_to (LmccPlumb *plumb, gint level, LmccTime now,
    const gchar *reason)
{
  level = MAX (level, 0);
  if (lmcc_plumb_is_experiment (plumb, now)) {
    if (plumb->has_before)
      level = MIN (level, plumb->level_before);
    end_experiment (plumb, level, now);
  }
  plumb->leaving = TRUE;
  plumb->slow_start = FALSE;
  plumb->experiment = FALSE;
  lmcc_controller_want (&plumb->parent, level, reason);
}

/*
 * lmcc_plumb_leave_in_vain:
 * @plumb: wants a lower level
 * @level: the level; the path is assumed to carry it
 * @now: the time
 * @reason: the reason: the path does not carry more
 */
void
lmcc_plumb_leave_in_vain (LmccPlumb *plumb, gint level, LmccTime now,
    const gchar *reason)
{
  plumb->has_before = FALSE;
  plumb->experiment = FALSE;
  end_experiment (plumb, MAX (level, 0), now);
  lmcc_plumb_leave_to (plumb, level, now, reason);
}

/*
 * lmcc_plumb_deaf_period_end:
 * @plumb: in its deaf period after a leave
 *
 * Returns: when losses are no longer those of the left level, as far as
 * known
 */
LmccTime
lmcc_plumb_deaf_period_end (const LmccPlumb *plumb)
{
  LmccTime quiet = MAX (lmcc_plumb_get_rtt (plumb), DEAF);

  return MAX (MIN (plumb->deaf_since + plumb->leave_latency,
                  plumb->last_loss + quiet),
      MIN (plumb->deaf_since + MAX (plumb->leave_latency, DEAF_MAX),
          plumb->left_packet + quiet));
}

/*
 * lmcc_plumb_end_deaf_period:
 * @plumb: ends its deaf period
 * @now: the time
 */
void
lmcc_plumb_end_deaf_period (LmccPlumb *plumb, LmccTime now)
{
  gdouble rate = lmcc_plumb_level_rate (plumb, plumb->level);

  plumb->deaf = FALSE;
  plumb->deaf_until = now;
  if (!plumb->restart)
    return;
  plumb->restart = FALSE;
  if (plumb->has_before)
    lmcc_fair_rate_resume (&plumb->fair, &plumb->before, now);
  if (!plumb->has_before || lmcc_fair_rate_get_seen (&plumb->fair) < rate)
    lmcc_fair_rate_restart (&plumb->fair, now, rate);
  plumb->has_before = FALSE;
  lmcc_plumb_begin_anew (plumb, now);
}
