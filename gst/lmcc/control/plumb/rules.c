/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rules by which plumb changes its level.
 */
#include "control/plumb/state.h"

#include "wire/levels.h"

/* A level of more than this multiple of the fair rate is not joined: while
 * it would be held, TCP would keep only a third of its share. */
#define MOST_TIMES 3

/* For this long after a join, losses count as its result. */
#define TRIAL (1500 * LMCC_MSECOND)

/* After more failed joins than this, trains that find room are no longer
 * trusted without a wait. */
#define BELIEVED 1

/* Least time between two changes of level because of the fair share, so that
 * trains can be evaluated. */
#define CHANGE_GAP (4 * LMCC_SECOND)
#define CHANGE_GAP_YOUNG LMCC_SECOND

/* Promotion requires no loss for three mean loss intervals, limited to this
 * range. */
#define PROMOTE_INTERVALS 3
#define PROMOTE_MIN (2 * LMCC_SECOND)
#define PROMOTE_MAX (4500 * LMCC_MSECOND)

/* This soon after a promotion, the next one requires a single train. */
#define CLIMB (5 * LMCC_SECOND)

/* A join for the fair share lowers the fair rate for this time: if few TCP
 * connections share the path, the periods of their sawteeth are tens of
 * seconds. */
#define OWN_DOING (60 * LMCC_SECOND)

/* If the fair rate is far below even the next lower level, the level is left
 * without waiting for a calm period. */
#define FAR_BELOW 0.5
#define FAR_BELOW_TIME (3 * LMCC_SECOND)
#define FAR_BELOW_TIME_YOUNG LMCC_SECOND
#define FAR_BELOW_TIMES 1.4

/* The highest level below the current one that was received completely. */
static gint
find_level_that_came (const LmccPlumb *plumb, LmccTime now)
{
  gdouble came = lmcc_overload_get_rate (&plumb->overload, now);
  gint level = plumb->level - 1;

  while (level > 0 && lmcc_plumb_level_rate (plumb, level) > came)
    level--;

  return level;
}

static gboolean
is_trial (const LmccPlumb *plumb, LmccTime now)
{
  return plumb->joined_at != 0 && now < plumb->joined_at + TRIAL;
}

/*
 * lmcc_plumb_leave_overload:
 * @plumb: plumb
 * @now: the time
 *
 * Immediately leaves layers that far exceed what the path carries.
 *
 * Returns: whether the level changes
 */
gboolean
lmcc_plumb_leave_overload (LmccPlumb *plumb, LmccTime now)
{
  LmccOverloadLimit limit =
      is_trial (plumb, now) ? plumb->limit : LMCC_OVERLOAD_USUAL;
  gint level;

  if (plumb->level <= 0 || !lmcc_overload_check (&plumb->overload, now, limit))
    return FALSE;
  level = find_level_that_came (plumb, now);
  lmcc_duty_cut_turn (&plumb->duty);
  lmcc_plumb_leave_in_vain (plumb, level, now,
      "the path carries far less than the level's rate");

  return TRUE;
}

static gboolean
may_change (const LmccPlumb *plumb, LmccTime now)
{
  LmccTime gap =
      lmcc_plumb_is_young (plumb, now) ? CHANGE_GAP_YOUNG : CHANGE_GAP;

  return now >= plumb->level_since + gap;
}

static gboolean
may_join (const LmccPlumb *plumb, LmccTime now)
{
  return lmcc_plumb_may_try (plumb, now)
      && lmcc_plumb_level_rate (plumb, plumb->level + 1)
      < MOST_TIMES * plumb->rate
      && now >= plumb->left_alone[plumb->level + 1]
      && !lmcc_plumb_is_vetoed (plumb, now);
}

/*
 * lmcc_plumb_promote:
 * @plumb: plumb
 * @now: the time
 *
 * Joins the next layer if packet trains find room and nothing is lost: no
 * competing traffic would have to give way.
 *
 * Returns: whether the level changes
 */
gboolean
lmcc_plumb_promote (LmccPlumb *plumb, LmccTime now)
{
  LmccTime calm = CLAMP (PROMOTE_INTERVALS
          * lmcc_fair_rate_get_mean_interval (&plumb->fair, now),
      PROMOTE_MIN, PROMOTE_MAX);
  gboolean random =
      lmcc_fair_rate_get_random (&plumb->fair) > LMCC_PLUMB_RANDOM;
  guint above = (guint) (plumb->level + 1);

  /* A receiver that climbs without losses continues after each train. */
  guint needed = plumb->experiment && plumb->last_loss < plumb->joined_at
          && now >= plumb->joined_at + TRIAL && now < plumb->joined_at + CLIMB
      ? 1
      : LMCC_PLUMB_VERDICTS;

  if (!lmcc_plumb_may_try (plumb, now)
      || lmcc_plumb_count_verdicts (plumb, LMCC_TRAIN_ROOM, now) < needed)
    return FALSE;
  if (random ? !plumb->radio : lmcc_plumb_lost_since (plumb, now, calm))
    return FALSE;
  if (plumb->failures[above] > BELIEVED && now < plumb->left_alone[above])
    return FALSE;
  lmcc_plumb_experiment (plumb, "packet trains find room for the next layer");

  return TRUE;
}

/*
 * lmcc_plumb_explore:
 * @plumb: plumb
 * @now: the time
 *
 * Joins the next layer if packet trains give no result but nothing was lost for
 * long.
 *
 * Returns: whether the level changes
 */
gboolean
lmcc_plumb_explore (LmccPlumb *plumb, LmccTime now)
{
  if (!lmcc_plumb_may_try (plumb, now)
      || now < plumb->left_alone[plumb->level + 1]
      || lmcc_plumb_is_vetoed (plumb, now) || !lmcc_plumb_is_alone (plumb, now)
      || now < plumb->level_since + LMCC_PLUMB_ALONE
      || plumb->open_rate < lmcc_plumb_level_rate (plumb, plumb->level + 1))
    return FALSE;
  lmcc_plumb_experiment (plumb, "nothing was lost for long");

  return TRUE;
}

/* The path must be worth the level of an experiment; otherwise competing
 * traffic that was not detected before would pay for it. */
static gdouble
least_rate (const LmccPlumb *plumb, LmccTime now)
{
  if (lmcc_plumb_is_experiment (plumb, now))
    return lmcc_session_level_border (plumb->session, plumb->level - 1);

  return FAR_BELOW * lmcc_plumb_level_rate (plumb, plumb->level - 1);
}

static gboolean
is_far_below (LmccPlumb *plumb, LmccTime now)
{
  LmccTime time =
      lmcc_plumb_is_young (plumb, now) ? FAR_BELOW_TIME_YOUNG : FAR_BELOW_TIME;

  if (!plumb->rtt_known || plumb->level <= 0
      || plumb->rate >= least_rate (plumb, now)
      || !lmcc_plumb_lost_since (plumb, now, time)) {
    plumb->low_since = 0;
    return FALSE;
  }
  if (plumb->low_since == 0)
    plumb->low_since = now;

  return now >= plumb->low_since + time;
}

static void
leave_unpaid (LmccPlumb *plumb, gint level, LmccTime now, const gchar *reason)
{
  lmcc_duty_left (&plumb->duty);
  lmcc_plumb_leave_to (plumb, level, now, reason);
}

/*
 * lmcc_plumb_leave_far_below:
 * @plumb: plumb
 * @now: the time
 *
 * Leaves layers that far exceed the fair rate, without waiting for its mean.
 *
 * Returns: whether the level changes
 */
gboolean
lmcc_plumb_leave_far_below (LmccPlumb *plumb, LmccTime now)
{
  gint level = plumb->level - 1;

  if (!is_far_below (plumb, now))
    return FALSE;
  while (level > 0
      && lmcc_plumb_level_rate (plumb, level) >= FAR_BELOW_TIMES * plumb->rate)
    level--;
  lmcc_plumb_begin_anew (plumb, now);
  leave_unpaid (plumb, level, now, "the fair rate is far below the level's");

  return TRUE;
}

/* A fair rate below this limit means new competing traffic. During a turn,
 * or after a recent join for the fair share, the fair rate decreases for
 * that reason: then even the level below has to be too high. */
static gdouble
step_limit (const LmccPlumb *plumb, LmccTime now)
{
  gboolean claimed = plumb->joined_at != 0 && !plumb->experiment
      && now < plumb->joined_at + OWN_DOING;
  gboolean own = claimed || lmcc_duty_is_turn (&plumb->duty, plumb->level);
  gint above = own ? plumb->level - 1 : plumb->level;

  return lmcc_session_level_border (plumb->session, above - 1);
}

/*
 * lmcc_plumb_follow_step:
 * @plumb: plumb
 * @now: the time
 *
 * Follows arriving and departing competing traffic faster than the mean does.
 * Call it at each tick.
 *
 * Returns: whether the level changes
 */
gboolean
lmcc_plumb_follow_step (LmccPlumb *plumb, LmccTime now)
{
  LmccStep step = lmcc_steps_add (&plumb->steps, now, plumb->rate);
  gdouble rate = lmcc_steps_get_rate (&plumb->steps);

  if (lmcc_fair_rate_get_random (&plumb->fair) > LMCC_PLUMB_RANDOM
      || !may_change (plumb, now))
    return FALSE;
  if (step == LMCC_STEP_DOWN && plumb->level > 0
      && rate < step_limit (plumb, now)) {
    lmcc_plumb_begin_anew (plumb, now);
    leave_unpaid (plumb, plumb->level - 1, now, "new competing traffic");
    return TRUE;
  }
  if (step == LMCC_STEP_UP && may_join (plumb, now)
      && !lmcc_duty_is_turn (&plumb->duty, plumb->level + 1)
      && rate > lmcc_plumb_level_rate (plumb, plumb->level + 1)) {
    lmcc_plumb_begin_anew (plumb, now);
    lmcc_plumb_claim (plumb, now, "competing traffic has gone");
    return TRUE;
  }

  return FALSE;
}

static gboolean
may_join_late (const LmccPlumb *plumb, LmccTime now)
{
  return lmcc_train_reader_flows (&plumb->trains, plumb->session, now)
      && lmcc_duty_may_join_late (&plumb->duty);
}

/*
 * lmcc_plumb_follow_duty:
 * @plumb: plumb
 * @now: the time
 *
 * Follows the mean of the fair rate.
 */
void
lmcc_plumb_follow_duty (LmccPlumb *plumb, LmccTime now)
{
  gint level = lmcc_duty_choose (&plumb->duty, now, plumb->level);

  if (!may_change (plumb, now))
    return;
  if (level < plumb->level)
    leave_unpaid (plumb, level, now, "the fair rate is below the level's");
  else if (level > plumb->level && may_join (plumb, now)
      && (lmcc_duty_may_join (&plumb->duty, now, plumb->level)
          || may_join_late (plumb, now)))
    lmcc_plumb_claim (plumb, now, "the fair rate is above the level's");
}
