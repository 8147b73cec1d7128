/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How plumb changes its level, and what each change makes of what is known.
 */
#include "control/plumb/state.h"

/* A level that nothing spoke for but that there was no loss, and that is left
 * so soon, was joined in vain. */
#define EXPERIMENT (60 * LMCC_SECOND)

/* What was held for so long was not joined in vain: the path has changed
 * since. */
#define HELD (20 * LMCC_SECOND)

/* A layer that was joined in vain is left alone for so long, twice as long each
 * time. */
#define BACKOFF (10 * LMCC_SECOND)
#define BACKOFF_DOUBLINGS 4

/* Losses of a level that was left are over when none came for so long, or for
 * an RTT, nor packets of what was left. Where these are seen, they explain what
 * is lost, but not for ever: some networks do not honour a leave. */
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
 * @plumb: forgets what the path was worth
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
 * @reason: why: others have more than their share
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
 * Returns: whether nothing spoke for the level held but that nothing was lost,
 *     and that is not long ago
 */
gboolean
lmcc_plumb_is_experiment (const LmccPlumb *plumb, LmccTime now)
{
  return plumb->experiment && now < plumb->joined_at + EXPERIMENT;
}

/*
 * lmcc_plumb_experiment:
 * @plumb: wants the next level
 * @reason: why: nothing speaks against it
 */
void
lmcc_plumb_experiment (LmccPlumb *plumb, const gchar *reason)
{
  join (plumb, LMCC_OVERLOAD_EXPERIMENT, TRUE, reason);
}

/* The path is taken to be worth the level until it shows otherwise. */
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
 * The receiver has joined a level, wanted or not.
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

/* A level that was held for long was not joined in vain: the path has
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

/* What was lost by an experiment says nothing of the level before it. */
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
 * @level: which at most
 * @now: the time
 * @reason: why: the fair rate does not pay for more
 *
 * Where experiments led to the level held, losses show late that others were
 * there all the time: all of them are taken back.
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
 * @level: which; the path is taken to be worth it
 * @now: the time
 * @reason: why: the path does not carry more
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
 * @plumb: deaf, after a leave
 *
 * Returns: when what is lost is no longer the left level's, as far as is known
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
 * @plumb: hears again
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
