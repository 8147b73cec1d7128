/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repair/exchange.h"

#include <string.h>

/* Each exchange improves the result; a few are enough. */
#define MAX_ROUNDS 16

void
lmcc_repair_exchange_init (LmccRepairExchange *exchange)
{
  memset (exchange, 0, sizeof (*exchange));
  exchange->gains = g_array_new (FALSE, FALSE, sizeof (gdouble));
}

void
lmcc_repair_exchange_clear (LmccRepairExchange *exchange)
{
  g_array_unref (exchange->gains);
}

/*
 * lmcc_repair_exchange_begin:
 * @exchange: an exchange
 *
 * Begins exchanges for a turn that has used up its budget.
 */
void
lmcc_repair_exchange_begin (LmccRepairExchange *exchange)
{
  exchange->round = 0;
  exchange->begun = FALSE;
}

/* Takes @n packets from the blocks that have most. Returns how many were
 * taken. */
static guint
take (LmccRepairTurn *turn, const LmccRepairPlanGroup *group, guint n,
    guint8 *repair)
{
  guint taken, most, i;

  for (taken = 0; taken < n; taken++) {
    most = group->depth;
    for (i = 0; i < group->depth; i++) {
      if (repair[i] > group->below[i]
          && (most == group->depth || repair[i] >= repair[most]))
        most = i;
    }
    if (most == group->depth)
      break;
    repair[most]--;
  }
  turn->plan->work += taken * (guint64) group->depth;

  return taken;
}

/* Gives @n packets to the blocks that have least. Returns how many were
 * given. */
static guint
give (LmccRepairTurn *turn, const LmccRepairPlanGroup *group, guint n,
    guint8 *repair)
{
  guint given, least, i;

  for (given = 0; given < n; given++) {
    least = group->depth;
    for (i = 0; i < group->depth; i++) {
      if (repair[i] < group->max_seen
          && (least == group->depth || repair[i] < repair[least]))
        least = i;
    }
    if (least == group->depth)
      break;
    repair[least]++;
  }
  turn->plan->work += given * (guint64) group->depth;

  return given;
}

static void
try_repair (LmccRepairTurn *turn, LmccRepairPlanGroup *group,
    const guint8 *repair)
{
  guint i;

  for (i = 0; i < group->curves->len; i++) {
    LmccRepairCurve *curve = &g_array_index (group->curves, LmccRepairCurve, i);

    curve->then =
        lmcc_repair_plan_find_chance (turn->plan, group, curve, repair);
  }
}

/* Change of the number of pictures because of one group, with the tried
 * amounts. */
static gdouble
find_difference (LmccRepairTurn *turn, const LmccRepairPlanGroup *group)
{
  const gdouble *factors = lmcc_repair_turn_find_factors (turn, group);
  gdouble sum = 0.0;
  guint i;

  for (i = 0; i < group->curves->len; i++) {
    const LmccRepairCurve *curve =
        &g_array_index (group->curves, LmccRepairCurve, i);

    sum += factors[i] * (curve->then - curve->now);
  }

  return sum;
}

static void
begin_round (LmccRepairExchange *exchange, LmccRepairTurn *turn)
{
  LmccRepairPlan *plan = turn->plan;
  guint i;

  exchange->begun = TRUE;
  exchange->from = exchange->amount = 0;
  exchange->n_from = 0;
  exchange->largest = 0;
  exchange->before = 0.0;
  for (i = 0; i < plan->pictures->len; i++)
    exchange->before += lmcc_repair_turn_get_weight (turn, i)
        * lmcc_repair_plan_get_picture (plan, i)->chance;
  exchange->pictures = exchange->before;
  for (i = 0; i < plan->n_groups; i++)
    exchange->largest = MAX (exchange->largest,
        lmcc_repair_plan_get_group (plan, i)->packet_size);
  g_array_set_size (exchange->gains, plan->n_groups * LMCC_REPAIR_N_AMOUNTS);
  for (i = 0; i < exchange->gains->len; i++)
    g_array_index (exchange->gains, gdouble, i) = -1.0;
  plan->work += plan->pictures->len + exchange->gains->len;
}

static guint
convert (gsize bytes, gsize packet_size)
{
  return (guint) MAX (bytes / packet_size, 1);
}

/* Upper bound of the gain if a group gets the present amount from any other:
 * the less repair other groups have, the less each packet is worth. */
static gdouble
get_gain (const LmccRepairExchange *exchange, LmccRepairTurn *turn,
    guint number)
{
  LmccRepairPlanGroup *group = lmcc_repair_plan_get_group (turn->plan, number);
  gdouble *gain = &g_array_index (exchange->gains, gdouble,
      number * LMCC_REPAIR_N_AMOUNTS + exchange->amount);
  guint8 repair[LMCC_REPAIR_MAX_STEP];

  if (*gain >= 0.0)
    return *gain;
  memcpy (repair, group->seen, sizeof (repair));
  give (turn, group,
      convert (exchange->largest << exchange->amount, group->packet_size),
      repair);
  try_repair (turn, group, repair);
  *gain = MAX (find_difference (turn, group), 0.0);

  return *gain;
}

/* The probability with the tried amounts of both groups. @first says whether
 * the picture needs the first of them. */
static gdouble
find_chance (LmccRepairPlan *plan, const LmccRepairPicture *picture, guint from,
    guint to, gboolean *first)
{
  gdouble chance = 1.0;
  guint i;

  *first = FALSE;
  for (i = 0; i < picture->n_needs; i++) {
    const LmccRepairPictureNeed *need =
        lmcc_repair_plan_get_need (plan, picture->first_need + i);
    const LmccRepairCurve *curve = lmcc_repair_plan_get_curve (plan, need);

    *first |= need->group == from;
    chance *=
        need->group == from || need->group == to ? curve->then : curve->now;
  }
  plan->work += picture->n_needs;

  return chance;
}

/* Gain of pictures that need @of with the tried amounts of both groups; for
 * the second group, without the pictures that also need the first. */
static gdouble
sum_difference (LmccRepairTurn *turn, guint from, guint to, guint of)
{
  LmccRepairPlan *plan = turn->plan;
  const LmccRepairPlanGroup *group = lmcc_repair_plan_get_group (plan, of);
  gdouble sum = 0.0;
  guint i;

  for (i = 0; i < group->needs->len; i++) {
    guint number =
        lmcc_repair_plan_get_need (plan, g_array_index (group->needs, guint, i))
            ->picture;
    const LmccRepairPicture *picture =
        lmcc_repair_plan_get_picture (plan, number);
    gboolean first;
    gdouble chance = find_chance (plan, picture, from, to, &first);

    if (of == from || !first)
      sum += lmcc_repair_turn_get_weight (turn, number)
          * (chance - picture->chance);
  }

  return sum;
}

static void
try_exchange (LmccRepairExchange *exchange, LmccRepairTurn *turn, guint to)
{
  const LmccRepairPlanGroup *donor =
      lmcc_repair_plan_get_group (turn->plan, exchange->from);
  LmccRepairPlanGroup *group = lmcc_repair_plan_get_group (turn->plan, to);
  gsize bytes = donor->packet_size << exchange->amount;
  guint8 repair[LMCC_REPAIR_MAX_STEP];
  gdouble pictures;
  gsize room =
      lmcc_repair_rooms_get_without (&turn->rooms, to, exchange->from, bytes);
  guint n = (guint) MIN (room / group->packet_size,
      convert (bytes, group->packet_size));

  memcpy (repair, group->seen, sizeof (repair));
  n = give (turn, group, n, repair);
  if (n == 0)
    return;
  try_repair (turn, group, repair);
  pictures = exchange->before
      + sum_difference (turn, exchange->from, to, exchange->from)
      + sum_difference (turn, exchange->from, to, to);
  if (pictures <= exchange->pictures + LMCC_REPAIR_LEAST_GAIN)
    return;
  exchange->pictures = pictures;
  exchange->best_from = exchange->from;
  exchange->best_to = to;
  exchange->n_from = 1u << exchange->amount;
  exchange->n_to = n;
}

/* Tries one amount; returns whether the group has that many packets to give. */
static gboolean
try_amount (LmccRepairExchange *exchange, LmccRepairTurn *turn)
{
  LmccRepairPlanGroup *donor =
      lmcc_repair_plan_get_group (turn->plan, exchange->from);
  guint n = 1u << exchange->amount, i;
  guint8 repair[LMCC_REPAIR_MAX_STEP];
  gdouble rest;

  memcpy (repair, donor->seen, sizeof (repair));
  if (take (turn, donor, n, repair) < n)
    return FALSE;
  try_repair (turn, donor, repair);
  rest = exchange->before + find_difference (turn, donor);
  for (i = 0; i < turn->plan->n_groups; i++) {
    if (i != exchange->from && lmcc_repair_turn_get_candidate (turn, i)->may
        && rest + get_gain (exchange, turn, i)
            > exchange->pictures + LMCC_REPAIR_LEAST_GAIN)
      try_exchange (exchange, turn, i);
  }
  turn->plan->work += turn->plan->n_groups;

  return TRUE;
}

static void
make_exchange (const LmccRepairExchange *exchange, LmccRepairTurn *turn)
{
  const LmccRepairPlanGroup *from =
      lmcc_repair_plan_get_group (turn->plan, exchange->best_from);
  const LmccRepairPlanGroup *to =
      lmcc_repair_plan_get_group (turn->plan, exchange->best_to);
  guint8 repair[LMCC_REPAIR_MAX_STEP];

  memcpy (repair, from->seen, sizeof (repair));
  take (turn, from, exchange->n_from, repair);
  lmcc_repair_turn_set_repair (turn, exchange->best_from, repair);
  memcpy (repair, to->seen, sizeof (repair));
  give (turn, to, exchange->n_to, repair);
  lmcc_repair_turn_set_repair (turn, exchange->best_to, repair);
}

/*
 * lmcc_repair_exchange_step:
 * @exchange: an exchange in progress
 * @turn: its turn
 *
 * Evaluates one amount of one group for all others, or makes one exchange.
 *
 * Returns: whether no exchange improves the result any more
 */
gboolean
lmcc_repair_exchange_step (LmccRepairExchange *exchange, LmccRepairTurn *turn)
{
  if (!exchange->begun) {
    begin_round (exchange, turn);
    return FALSE;
  }
  if (exchange->from < turn->plan->n_groups) {
    if (lmcc_repair_turn_get_candidate (turn, exchange->from)->may
        && exchange->amount < LMCC_REPAIR_N_AMOUNTS
        && try_amount (exchange, turn)) {
      exchange->amount++;
    } else {
      exchange->from++;
      exchange->amount = 0;
    }
    return FALSE;
  }
  if (exchange->n_from == 0)
    return TRUE;
  make_exchange (exchange, turn);
  exchange->begun = FALSE;

  return ++exchange->round == MAX_ROUNDS;
}
