/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repair/fill.h"

#include <string.h>

void
lmcc_repair_fill_init (LmccRepairFill *fill)
{
  memset (fill, 0, sizeof (*fill));
  fill->factors = g_array_new (FALSE, FALSE, sizeof (gdouble));
}

void
lmcc_repair_fill_clear (LmccRepairFill *fill)
{
  g_array_unref (fill->factors);
}

/*
 * lmcc_repair_fill_begin:
 * @fill: a fill
 * @turn: a turn that has looked at everything and has budget left
 */
void
lmcc_repair_fill_begin (LmccRepairFill *fill, LmccRepairTurn *turn)
{
  guint i;

  fill->active = FALSE;
  for (i = 0; i < turn->plan->n_groups; i++)
    lmcc_repair_turn_get_candidate (turn, i)->stale = TRUE;
}

/* Finds the blocks that have least. */
static void
find_least (LmccRepairFill *fill, const LmccRepairPlanGroup *group)
{
  guint i;

  fill->from = G_MAXUINT;
  fill->n_blocks = 0;
  for (i = 0; i < group->depth; i++) {
    if (group->seen[i] > fill->from)
      continue;
    if (group->seen[i] < fill->from)
      fill->n_blocks = 0;
    fill->from = group->seen[i];
    fill->n_blocks++;
  }
  fill->to = fill->from + 1;
}

static gdouble
power (gdouble base, guint exponent)
{
  gdouble product = 1.0;

  for (; exponent > 0; exponent--)
    product *= base;

  return product;
}

static guint
count_possible (const LmccRepairTurn *turn, guint number)
{
  const LmccRepairPlanGroup *group =
      lmcc_repair_plan_get_group (turn->plan, number);

  return (guint) MIN (lmcc_repair_rooms_get (&turn->rooms, number)
          / group->packet_size,
      LMCC_REPAIR_MAX_REPAIR * group->depth);
}

/* Only the gain of the blocks with least repair changes. */
static void
begin_search (LmccRepairFill *fill, LmccRepairTurn *turn, guint number)
{
  LmccRepairPlan *plan = turn->plan;
  LmccRepairPlanGroup *group = lmcc_repair_plan_get_group (plan, number);
  const gdouble *factors = lmcc_repair_turn_find_factors (turn, group);
  guint i, k;

  fill->active = TRUE;
  fill->number = number;
  fill->before = fill->missing = 0.0;
  fill->best = LMCC_REPAIR_LEAST_GAIN;
  fill->possible = count_possible (turn, number);
  find_least (fill, group);
  g_array_set_size (fill->factors, group->curves->len);
  for (i = 0; i < group->curves->len; i++) {
    const LmccRepairCurve *curve =
        &g_array_index (group->curves, LmccRepairCurve, i);
    gdouble from = lmcc_repair_plan_get_value (plan, group, curve, fill->from);
    gdouble factor = factors[i];

    for (k = 0; k < group->depth; k++) {
      if (group->seen[k] != fill->from)
        factor *=
            lmcc_repair_plan_get_value (plan, group, curve, group->seen[k]);
    }
    g_array_index (fill->factors, gdouble, i) = factor;
    fill->missing += factor;
    fill->before += factor * power (from, fill->n_blocks);
  }
  fill->missing -= fill->before;
  plan->work += group->curves->len * (guint64) (2 * group->depth);
  lmcc_repair_turn_get_candidate (turn, number)->best.n_blocks = 0;
}

/* Number of pictures if @n blocks have the tried number of repair packets. */
static gdouble
try_blocks (const LmccRepairFill *fill, LmccRepairTurn *turn,
    LmccRepairPlanGroup *group, guint n)
{
  gdouble sum = 0.0;
  guint i;

  for (i = 0; i < group->curves->len; i++) {
    const LmccRepairCurve *curve =
        &g_array_index (group->curves, LmccRepairCurve, i);
    gdouble from =
        lmcc_repair_plan_get_value (turn->plan, group, curve, fill->from);
    gdouble to =
        lmcc_repair_plan_get_value (turn->plan, group, curve, fill->to);

    sum += g_array_index (fill->factors, gdouble, i) * power (to, n)
        * power (from, fill->n_blocks - n);
  }
  turn->plan->work += group->curves->len * (guint64) (fill->n_blocks + 1);

  return sum;
}

/* Finds the number of repair packets for some blocks with the greatest gain
 * per packet. A first packet may be worth little and a few together much, so
 * all numbers are tried that might be better: none can gain more than the
 * missing pictures. Probabilities of a group's blocks multiply, so each
 * block gains more the more blocks are raised, and as many are raised as
 * there is room for. Groups of higher layers have no repair yet. */
static void
search (LmccRepairFill *fill, LmccRepairTurn *turn)
{
  LmccRepairPlanGroup *group =
      lmcc_repair_plan_get_group (turn->plan, fill->number);
  LmccRepairCandidate *candidate =
      lmcc_repair_turn_get_candidate (turn, fill->number);
  guint more = fill->to - fill->from;
  guint n = MIN (fill->n_blocks, fill->possible / more);
  gdouble gain;

  turn->plan->work++;
  if (fill->to > group->max_seen || n == 0
      || fill->missing <= fill->best * more) {
    fill->active = candidate->stale = FALSE;
    return;
  }
  if (fill->missing > fill->best * (n * more)) {
    gain = (try_blocks (fill, turn, group, n) - fill->before) / (n * more);
    if (gain > fill->best) {
      fill->best = gain;
      candidate->best = (LmccRepairMove){ gain / (gdouble) group->packet_size,
        fill->from, fill->to, n };
    }
  }
  fill->to++;
}

static void
make_move (LmccRepairTurn *turn, guint number)
{
  const LmccRepairPlanGroup *group =
      lmcc_repair_plan_get_group (turn->plan, number);
  const LmccRepairMove *move =
      &lmcc_repair_turn_get_candidate (turn, number)->best;
  guint8 repair[LMCC_REPAIR_MAX_STEP];
  guint left = move->n_blocks, i;

  memcpy (repair, group->seen, sizeof (repair));
  for (i = 0; i < group->depth && left > 0; i++) {
    if (group->seen[i] != move->from)
      continue;
    repair[i] = (guint8) move->to;
    left--;
  }
  lmcc_repair_turn_set_repair (turn, number, repair);
}

/* The best move may no longer fit. */
static gboolean
fits (const LmccRepairTurn *turn, guint number, const LmccRepairMove *move)
{
  return move->n_blocks * (move->to - move->from)
      <= count_possible (turn, number);
}

/* Returns the first group that must be evaluated, or the best one; the
 * number of groups if there is none. */
static guint
find_next (LmccRepairTurn *turn)
{
  guint best = turn->plan->n_groups, i;
  gdouble most = 0.0;

  for (i = 0; i < turn->plan->n_groups; i++) {
    LmccRepairCandidate *candidate = lmcc_repair_turn_get_candidate (turn, i);

    if (!candidate->may)
      continue;
    if (candidate->stale)
      return i;
    if (candidate->best.n_blocks == 0)
      continue;
    if (!fits (turn, i, &candidate->best)) {
      candidate->stale = TRUE;
      return i;
    }
    if (candidate->best.gain > most) {
      most = candidate->best.gain;
      best = i;
    }
  }

  return best;
}

/*
 * lmcc_repair_fill_step:
 * @fill: a fill in progress
 * @turn: its turn
 *
 * Evaluates one number of packets for one group, or makes one move.
 *
 * Returns: whether no worthwhile move is left
 */
gboolean
lmcc_repair_fill_step (LmccRepairFill *fill, LmccRepairTurn *turn)
{
  guint next;

  if (fill->active) {
    search (fill, turn);
    return FALSE;
  }
  turn->plan->work += turn->plan->n_groups;
  next = find_next (turn);
  if (next == turn->plan->n_groups)
    return TRUE;
  if (lmcc_repair_turn_get_candidate (turn, next)->stale)
    begin_search (fill, turn, next);
  else
    make_move (turn, next);

  return FALSE;
}
