/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repair/turn.h"

#include <string.h>

/* Below these limits a quotient has too few digits, or none. */
#define LEAST_DIVISOR 1e-6
#define LEAST_CHANCE 1e-200

/*
 * lmcc_repair_turn_init:
 * @turn: (out): a turn that has not begun
 * @plan: a plan, which must outlive the turn
 */
void
lmcc_repair_turn_init (LmccRepairTurn *turn, LmccRepairPlan *plan)
{
  turn->plan = plan;
  turn->candidates = g_array_new (FALSE, FALSE, sizeof (LmccRepairCandidate));
  turn->weights = g_array_new (FALSE, FALSE, sizeof (gdouble));
  turn->factors = g_array_new (FALSE, FALSE, sizeof (gdouble));
  lmcc_repair_rooms_init (&turn->rooms);
}

void
lmcc_repair_turn_clear (LmccRepairTurn *turn)
{
  g_array_unref (turn->candidates);
  g_array_unref (turn->weights);
  g_array_unref (turn->factors);
  lmcc_repair_rooms_clear (&turn->rooms);
}

LmccRepairCandidate *
lmcc_repair_turn_get_candidate (const LmccRepairTurn *turn, guint group)
{
  return &g_array_index (turn->candidates, LmccRepairCandidate, group);
}

gdouble
lmcc_repair_turn_get_weight (const LmccRepairTurn *turn, guint picture)
{
  return g_array_index (turn->weights, gdouble, picture);
}

static gboolean
is_own (const LmccRepairTurn *turn)
{
  return turn->layer == LMCC_REPAIR_OWN_LAYERS;
}

/*
 * lmcc_repair_turn_begin:
 * @turn: a turn whose plan has all groups and pictures
 * @layer: the layer whose turn it is, or %LMCC_REPAIR_OWN_LAYERS
 * @first: with the latter, the lowest layer that takes part
 * @budget: bytes of repair data that it may carry
 *
 * The groups are not examined yet.
 */
void
lmcc_repair_turn_begin (LmccRepairTurn *turn, guint layer, guint first,
    gsize budget)
{
  turn->layer = layer;
  turn->first = first;
  turn->level = is_own (turn)
      ? 0
      : lmcc_repair_plan_get_lowest (turn->plan->levels[layer]);
  turn->n_looked = 0;
  g_array_set_size (turn->candidates, turn->plan->n_groups);
  g_array_set_size (turn->weights, turn->plan->pictures->len);
  lmcc_repair_rooms_begin (&turn->rooms, turn->plan->n_groups, budget);
}

/* Repair packets must go to receivers that have joined the protected layer,
 * and can only name layers within a certain distance. */
static gboolean
may_carry (const LmccRepairTurn *turn, const LmccRepairPlanGroup *group)
{
  if (is_own (turn))
    return group->layer >= turn->first;

  return group->layer <= turn->layer
      && turn->layer - group->layer < LMCC_REPAIR_MAX_CARRIERS
      && lmcc_repair_plan_has_level (turn->plan->levels[group->layer],
          turn->level);
}

/* Higher layers have their turn later. If they were assumed to have no
 * repair data, pictures that are divided over them would be worth nothing in
 * lower layers. */
static void
expect_whole (LmccRepairPlanGroup *group)
{
  guint i;

  for (i = 0; i < group->curves->len; i++)
    g_array_index (group->curves, LmccRepairCurve, i).now = 1.0;
}

static void
look_at_group (LmccRepairTurn *turn, guint number, gsize room)
{
  LmccRepairPlanGroup *group = lmcc_repair_plan_get_group (turn->plan, number);
  LmccRepairCandidate *candidate =
      lmcc_repair_turn_get_candidate (turn, number);
  guint64 levels = turn->plan->levels[group->layer];
  guint level =
      is_own (turn) ? lmcc_repair_plan_get_lowest (levels) : turn->level;

  lmcc_repair_plan_look_from (turn->plan, group, level);
  if (lmcc_repair_plan_has_level (levels, level))
    lmcc_repair_plan_update_group (turn->plan, group);
  else
    expect_whole (group);
  *candidate = (LmccRepairCandidate){ may_carry (turn, group), TRUE };
  if (candidate->may)
    lmcc_repair_rooms_add (&turn->rooms, number, room);
}

/* The levels that contain both the picture and the layer's contents: each
 * has receivers. A part of a picture in the layer is useful to receivers
 * that have joined the layers with the rest. */
static guint
count_levels (const LmccRepairTurn *turn, const LmccRepairPicture *picture)
{
  const LmccRepairPlan *plan = turn->plan;
  guint top = MAX (plan->top, turn->level);
  guint64 levels = picture->levels;

  if (!is_own (turn))
    levels &= plan->levels[turn->layer];
  return (guint) __builtin_popcountll (levels & lmcc_layer_set_first (top + 1));
}

/*
 * lmcc_repair_turn_look:
 * @turn: a turn that has begun
 * @rooms: (nullable) (array): for each group the bytes that the layer can send
 *     after the group's last source packet; %NULL for no limit
 *
 * Examines one more group; after the last one the pictures.
 *
 * Returns: whether everything was examined
 */
gboolean
lmcc_repair_turn_look (LmccRepairTurn *turn, const gsize *rooms)
{
  LmccRepairPlan *plan = turn->plan;
  guint number = turn->n_looked, i;

  if (number < plan->n_groups) {
    look_at_group (turn, number, rooms != NULL ? rooms[number] : G_MAXSIZE);
    turn->n_looked++;
    return FALSE;
  }
  for (i = 0; i < plan->pictures->len; i++) {
    LmccRepairPicture *picture = lmcc_repair_plan_get_picture (plan, i);

    lmcc_repair_plan_update_picture (plan, picture);
    g_array_index (turn->weights, gdouble, i) =
        picture->weight * count_levels (turn, picture);
  }
  lmcc_repair_rooms_sort (&turn->rooms);

  return TRUE;
}

/* The probability of everything that @need's picture needs of other groups. */
static gdouble
get_rest (LmccRepairPlan *plan, const LmccRepairPictureNeed *need)
{
  const LmccRepairPicture *picture =
      lmcc_repair_plan_get_picture (plan, need->picture);
  gdouble chance = lmcc_repair_plan_get_curve (plan, need)->now;
  guint i;

  plan->work++;
  if (chance >= LEAST_DIVISOR && picture->chance >= LEAST_CHANCE)
    return picture->chance / chance;
  chance = 1.0;
  plan->work += picture->n_needs;
  for (i = 0; i < picture->n_needs; i++) {
    const LmccRepairPictureNeed *other =
        lmcc_repair_plan_get_need (plan, picture->first_need + i);

    if (other->group != need->group)
      chance *= lmcc_repair_plan_get_curve (plan, other)->now;
  }

  return chance;
}

/*
 * lmcc_repair_turn_find_factors:
 * @turn: a turn that has examined everything
 * @group: a group
 *
 * Returns: (transfer none): for each curve of the group, the number of
 * pictures that have everything else; valid until the next call
 */
const gdouble *
lmcc_repair_turn_find_factors (LmccRepairTurn *turn,
    const LmccRepairPlanGroup *group)
{
  gdouble *factors;
  guint i;

  g_array_set_size (turn->factors, group->curves->len);
  factors = (gdouble *) (gpointer) turn->factors->data;
  memset (factors, 0, group->curves->len * sizeof (gdouble));
  for (i = 0; i < group->needs->len; i++) {
    const LmccRepairPictureNeed *need = lmcc_repair_plan_get_need (turn->plan,
        g_array_index (group->needs, guint, i));

    factors[need->curve] += get_rest (turn->plan, need)
        * lmcc_repair_turn_get_weight (turn, need->picture);
  }

  return factors;
}

/* After a group's repair packets have changed: updates groups that share a
 * picture with it. */
static void
refresh (LmccRepairTurn *turn, LmccRepairPlanGroup *group)
{
  LmccRepairPlan *plan = turn->plan;
  guint i, k;

  lmcc_repair_plan_update_group (plan, group);
  for (i = 0; i < group->needs->len; i++) {
    const LmccRepairPictureNeed *need = lmcc_repair_plan_get_need (plan,
        g_array_index (group->needs, guint, i));
    LmccRepairPicture *picture =
        lmcc_repair_plan_get_picture (plan, need->picture);

    lmcc_repair_plan_update_picture (plan, picture);
    for (k = 0; k < picture->n_needs; k++)
      lmcc_repair_turn_get_candidate (turn,
          lmcc_repair_plan_get_need (plan, picture->first_need + k)->group)
          ->stale = TRUE;
  }
}

/*
 * lmcc_repair_turn_set_repair:
 * @turn: a turn that has examined everything
 * @number: a group
 * @repair: for each of its blocks, the number of repair packets that the
 *     level gets from now on, including those in other layers
 */
void
lmcc_repair_turn_set_repair (LmccRepairTurn *turn, guint number,
    const guint8 *repair)
{
  LmccRepairPlanGroup *group = lmcc_repair_plan_get_group (turn->plan, number);
  guint carrier = is_own (turn) ? group->layer : turn->layer;
  gint more = 0;
  guint i;

  for (i = 0; i < group->depth; i++) {
    guint8 *part = &group->parts[i][carrier - group->layer];

    more += repair[i] - group->seen[i];
    group->repair[i] = (guint8) (group->repair[i] + repair[i] - group->seen[i]);
    group->seen[i] = repair[i];
    *part = (guint8) (repair[i] - group->below[i]);
    if (*part > 0)
      group->carriers[i] |= LMCC_LAYER_SET_BASE << carrier;
    else
      group->carriers[i] &= ~(LMCC_LAYER_SET_BASE << carrier);
  }
  lmcc_repair_rooms_take (&turn->rooms, number,
      more * (gssize) group->packet_size);
  refresh (turn, group);
}
