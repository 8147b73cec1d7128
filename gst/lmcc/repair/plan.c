/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repair/plan.h"

#include <math.h>
#include <string.h>

/* Overhead of one value of repair/chances beside its sums, in
 * multiplications: 0.1 us on a machine that multiplies, reads and adds in 1
 * ns. */
#define CHANCE_WORK 100

/* Work for a row of their tables, without the allocation of memory. */
#define ROW_WORK (8 * (LMCC_REPAIR_MAX_REPAIR + 1))

/* The path changes only by more than this part. */
#define PATH_CHANGE 0.2

LmccRepairPlanGroup *
lmcc_repair_plan_get_group (const LmccRepairPlan *plan, guint i)
{
  return &g_array_index (plan->groups, LmccRepairPlanGroup, i);
}

LmccRepairPictureNeed *
lmcc_repair_plan_get_need (const LmccRepairPlan *plan, guint i)
{
  return &g_array_index (plan->needs, LmccRepairPictureNeed, i);
}

LmccRepairPicture *
lmcc_repair_plan_get_picture (const LmccRepairPlan *plan, guint i)
{
  return &g_array_index (plan->pictures, LmccRepairPicture, i);
}

LmccRepairCurve *
lmcc_repair_plan_get_curve (const LmccRepairPlan *plan,
    const LmccRepairPictureNeed *need)
{
  return &g_array_index (lmcc_repair_plan_get_group (plan, need->group)->curves,
      LmccRepairCurve, need->curve);
}

static void
clear_group (gpointer data)
{
  LmccRepairPlanGroup *group = data;

  g_array_unref (group->curves);
  g_array_unref (group->needs);
}

/**
 * lmcc_repair_plan_new:
 * @loss_rate: expected packet loss rate, 0 to 1
 * @burst: expected mean number of packets lost in a row, as in
 *     lmcc_repair_chances_new()
 *
 * Returns: (transfer full): a plan without groups
 */
LmccRepairPlan *
lmcc_repair_plan_new (gdouble loss_rate, gdouble burst)
{
  LmccRepairPlan *plan = g_new0 (LmccRepairPlan, 1);

  plan->loss_rate = loss_rate;
  plan->burst = burst;
  plan->chances = g_hash_table_new_full (NULL, NULL, NULL,
      (GDestroyNotify) lmcc_repair_chances_free);
  plan->groups = g_array_new (FALSE, TRUE, sizeof (LmccRepairPlanGroup));
  g_array_set_clear_func (plan->groups, clear_group);
  plan->needs = g_array_new (FALSE, FALSE, sizeof (LmccRepairPictureNeed));
  plan->pictures = g_array_new (FALSE, FALSE, sizeof (LmccRepairPicture));
  plan->rows = g_array_new (FALSE, FALSE, sizeof (gdouble));

  return plan;
}

static gboolean
differs (gdouble old, gdouble new)
{
  return fabs (new - old) > PATH_CHANGE * old;
}

/**
 * lmcc_repair_plan_set_path:
 * @plan: a plan that is not in use
 * @path: the losses to plan for from now on
 *
 * Small changes are ignored, because all probabilities must be computed again.
 */
void
lmcc_repair_plan_set_path (LmccRepairPlan *plan, const LmccRepairPath *path)
{
  if (!differs (plan->loss_rate, path->loss_rate)
      && !differs (plan->burst, path->burst))
    return;
  plan->loss_rate = path->loss_rate;
  plan->burst = path->burst;
  g_hash_table_remove_all (plan->chances);
}

/**
 * lmcc_repair_plan_free:
 * @plan: (transfer full): a plan
 */
void
lmcc_repair_plan_free (LmccRepairPlan *plan)
{
  g_hash_table_unref (plan->chances);
  g_array_unref (plan->groups);
  g_array_unref (plan->needs);
  g_array_unref (plan->pictures);
  g_array_unref (plan->rows);
  g_free (plan);
}

/**
 * lmcc_repair_plan_begin:
 * @plan: a plan
 * @session: the session, whose levels determine which layers receivers have
 *     joined
 *
 * Forgets all groups and pictures. Their memory is kept for the next ones.
 */
void
lmcc_repair_plan_begin (LmccRepairPlan *plan, const LmccSession *session)
{
  guint i;

  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    plan->levels[i] = lmcc_session_layer_levels (session, i);
  plan->n_groups = plan->n_prepared = 0;
  g_array_set_size (plan->needs, 0);
  g_array_set_size (plan->pictures, 0);
  g_array_set_size (plan->rows, 0);
  plan->top = 0;
}

/**
 * lmcc_repair_plan_add_group:
 * @plan: a plan
 * @layer: the layer that carries its source packets
 * @n_packets: number of source packets, below %LMCC_REPAIR_MAX_SYMBOLS per
 *     block
 * @depth: number of blocks, 1 to %LMCC_REPAIR_MAX_STEP: every @depth-th packet
 *     belongs to the same block
 * @packet_size: size of one of its repair packets in bytes, above 0
 *
 * Returns: its number, from 0 on
 */
guint
lmcc_repair_plan_add_group (LmccRepairPlan *plan, guint layer, guint n_packets,
    guint depth, gsize packet_size)
{
  LmccRepairPlanGroup *group;

  if (plan->n_groups == plan->groups->len) {
    g_array_set_size (plan->groups, plan->n_groups + 1);
    group = lmcc_repair_plan_get_group (plan, plan->n_groups);
    group->curves = g_array_new (FALSE, FALSE, sizeof (LmccRepairCurve));
    group->needs = g_array_new (FALSE, FALSE, sizeof (guint));
  }
  group = lmcc_repair_plan_get_group (plan, plan->n_groups);
  group->layer = layer;
  group->n_source = (n_packets + depth - 1) / depth;
  group->depth = depth;
  group->packet_size = packet_size;
  group->max_repair =
      MIN (LMCC_REPAIR_MAX_SYMBOLS - group->n_source, LMCC_REPAIR_MAX_REPAIR);
  group->max_seen = group->max_repair;
  memset (group->carriers, 0, sizeof (group->carriers));
  memset (group->parts, 0, sizeof (group->parts));
  memset (group->repair, 0, sizeof (group->repair));
  memset (group->seen, 0, sizeof (group->seen));
  memset (group->below, 0, sizeof (group->below));
  g_array_set_size (group->curves, 0);
  g_array_set_size (group->needs, 0);

  return plan->n_groups++;
}

/**
 * lmcc_repair_plan_limit_group:
 * @plan: a plan
 * @group: one of its groups, which no picture needs yet
 * @max_repair: greatest number of repair packets for each of its blocks
 */
void
lmcc_repair_plan_limit_group (LmccRepairPlan *plan, guint group,
    guint max_repair)
{
  LmccRepairPlanGroup *limited = lmcc_repair_plan_get_group (plan, group);

  limited->max_repair = MIN (limited->max_repair, max_repair);
  limited->max_seen = limited->max_repair;
}

/* The lowest one of a set of levels; above all levels if the set is empty. */
guint
lmcc_repair_plan_get_lowest (guint64 levels)
{
  return levels != 0 ? (guint) __builtin_ctzll (levels) : LMCC_MAX_LAYERS;
}

gboolean
lmcc_repair_plan_has_level (guint64 levels, guint level)
{
  return level < LMCC_MAX_LAYERS && (levels >> level & 1) != 0;
}

/* The curve of an earlier picture, or a new one: pictures that need all of a
 * group share one curve. */
static guint
find_curve (LmccRepairPlan *plan, LmccRepairPlanGroup *group,
    const LmccRepairNeed *need)
{
  LmccRepairCurve curve = { need->first, need->n, plan->rows->len };
  guint i;

  for (i = group->curves->len; i > 0; i--) {
    const LmccRepairCurve *old =
        &g_array_index (group->curves, LmccRepairCurve, i - 1);

    if (old->first == need->first && old->n == need->n)
      return i - 1;
  }
  plan->work += group->curves->len;
  g_array_append_val (group->curves, curve);
  g_array_set_size (plan->rows, plan->rows->len + group->max_repair + 1);
  for (i = curve.row; i < plan->rows->len; i++)
    g_array_index (plan->rows, gdouble, i) = NAN;

  return group->curves->len - 1;
}

/**
 * lmcc_repair_plan_add_picture:
 * @plan: a plan
 * @needs: (array length=n_needs): the source packets needed to decode the
 *     picture, including those of the pictures that it depends on; each group
 *     once
 * @n_needs: number of entries
 *
 * Losses in different blocks are assumed to be independent. If the needed
 * packets of a group are not consecutive, the same number of consecutive ones
 * stands in for them; for independent losses the result is the same.
 */
void
lmcc_repair_plan_add_picture (LmccRepairPlan *plan, const LmccRepairNeed *needs,
    guint n_needs)
{
  LmccRepairPicture picture = { plan->needs->len, n_needs, G_MAXUINT64, 1.0,
    0.0 };
  guint i;

  for (i = 0; i < n_needs; i++) {
    LmccRepairPlanGroup *group =
        lmcc_repair_plan_get_group (plan, needs[i].group);
    LmccRepairPictureNeed need = { needs[i].group, plan->pictures->len,
      find_curve (plan, group, &needs[i]) };
    guint number = plan->needs->len;

    picture.levels &= plan->levels[group->layer];
    g_array_append_val (group->needs, number);
    g_array_append_val (plan->needs, need);
  }
  if (picture.levels != 0)
    plan->top = MAX (plan->top, lmcc_repair_plan_get_lowest (picture.levels));
  g_array_append_val (plan->pictures, picture);
}

/**
 * lmcc_repair_plan_weigh_picture:
 * @plan: a plan with at least one picture
 * @weight: weight of the last picture: the number of pictures that it
 *     represents, above 0
 */
void
lmcc_repair_plan_weigh_picture (LmccRepairPlan *plan, gdouble weight)
{
  lmcc_repair_plan_get_picture (plan, plan->pictures->len - 1)->weight = weight;
}

/* Independent losses are so at any distance. Parts of the table may still
 * have to be computed. */
static LmccRepairChances *
get_chances (const LmccRepairPlan *plan, guint depth)
{
  LmccRepairChances *chances;

  if (plan->burst * (1.0 - plan->loss_rate) <= 1.0)
    depth = 1;
  chances = g_hash_table_lookup (plan->chances, GUINT_TO_POINTER (depth));
  if (chances == NULL) {
    chances = lmcc_repair_chances_begin (plan->loss_rate, plan->burst, depth,
        LMCC_REPAIR_MAX_SYMBOLS, LMCC_REPAIR_MAX_REPAIR);
    g_hash_table_insert (plan->chances, GUINT_TO_POINTER (depth), chances);
  }

  return chances;
}

/* Returns whether nothing is left to compute. */
static gboolean
make_row (LmccRepairPlan *plan, LmccRepairChances *chances)
{
  if (lmcc_repair_chances_step (chances))
    return TRUE;
  plan->work += ROW_WORK;

  return FALSE;
}

/**
 * lmcc_repair_plan_prepare:
 * @plan: a plan that has all groups
 *
 * Computes a part of the tables that it needs: a whole table takes about 0.6
 * ms. Tables are kept for later plans.
 *
 * Returns: whether all tables are complete
 */
gboolean
lmcc_repair_plan_prepare (LmccRepairPlan *plan)
{
  for (; plan->n_prepared < plan->n_groups; plan->n_prepared++) {
    guint depth = lmcc_repair_plan_get_group (plan, plan->n_prepared)->depth;

    plan->work++;
    if (!make_row (plan, get_chances (plan, depth)))
      return FALSE;
  }

  return TRUE;
}

/* Probability that @n packets of a block arrive that have the same position
 * as the curve's. */
static gdouble
find_whole (LmccRepairPlan *plan, const LmccRepairPlanGroup *group,
    const LmccRepairCurve *curve, guint n, guint n_repair)
{
  guint first = MIN (curve->first / group->depth, group->n_source - n);
  LmccRepairChances *chances = get_chances (plan, group->depth);

  while (!make_row (plan, chances))
    ;
  plan->work += CHANCE_WORK + 2 * MIN (first, n_repair);

  return lmcc_repair_chances_whole (chances, group->n_source, n_repair, first,
      n);
}

/* Some of the blocks have one packet more of a picture than the others. */
static gdouble
find_mean (LmccRepairPlan *plan, const LmccRepairPlanGroup *group,
    const LmccRepairCurve *curve, guint n_repair)
{
  guint least = curve->n / group->depth;
  guint n_more = curve->n % group->depth;
  gdouble whole = find_whole (plan, group, curve, least, n_repair);

  if (n_more == 0 || whole <= 0.0)
    return whole;

  return whole
      * pow (find_whole (plan, group, curve, least + 1, n_repair) / whole,
          (gdouble) n_more / group->depth);
}

/*
 * lmcc_repair_plan_get_value:
 * @plan: a plan
 * @group: one of its groups
 * @curve: one of the group's
 * @n_repair: number of repair packets of a block, up to its maximum
 *
 * Returns: the curve's value, computed on first use
 */
gdouble
lmcc_repair_plan_get_value (LmccRepairPlan *plan,
    const LmccRepairPlanGroup *group, const LmccRepairCurve *curve,
    guint n_repair)
{
  gdouble *value = &g_array_index (plan->rows, gdouble, curve->row + n_repair);

  if (isnan (*value))
    *value = find_mean (plan, group, curve, n_repair);

  return *value;
}

/*
 * lmcc_repair_plan_find_chance:
 * @plan: a plan
 * @group: one of its groups
 * @curve: one of the group's
 * @repair: number of repair packets of each block of the group
 *
 * Returns: the probability that everything needed of the group arrives or
 * can be recovered
 */
gdouble
lmcc_repair_plan_find_chance (LmccRepairPlan *plan,
    const LmccRepairPlanGroup *group, const LmccRepairCurve *curve,
    const guint8 *repair)
{
  gdouble chance = 1.0;
  guint i;

  for (i = 0; i < group->depth; i++)
    chance *= lmcc_repair_plan_get_value (plan, group, curve, repair[i]);
  plan->work += group->depth;

  return chance;
}

/* Call it after the visible repair packets of the group have changed. */
void
lmcc_repair_plan_update_group (LmccRepairPlan *plan, LmccRepairPlanGroup *group)
{
  guint i;

  for (i = 0; i < group->curves->len; i++) {
    LmccRepairCurve *curve = &g_array_index (group->curves, LmccRepairCurve, i);

    curve->now = lmcc_repair_plan_find_chance (plan, group, curve, group->seen);
  }
}

/* Call it after its groups were updated. */
void
lmcc_repair_plan_update_picture (LmccRepairPlan *plan,
    LmccRepairPicture *picture)
{
  guint i;

  picture->chance = 1.0;
  for (i = 0; i < picture->n_needs; i++)
    picture->chance *= lmcc_repair_plan_get_curve (plan,
        lmcc_repair_plan_get_need (plan, picture->first_need + i))
                           ->now;
  plan->work += picture->n_needs;
}

static guint8
count_seen (LmccRepairPlan *plan, const LmccRepairPlanGroup *group, guint block,
    guint level)
{
  LmccLayerSet carriers = group->carriers[block];
  guint8 seen = 0;
  guint layer;

  while (lmcc_layer_set_take (&carriers, &layer)) {
    plan->work++;
    if (lmcc_repair_plan_has_level (plan->levels[layer], level))
      seen = (guint8) (seen + group->parts[block][layer - group->layer]);
  }

  return seen;
}

/* Sets the visible repair packets of the group to those that a receiver at
 * @level gets. */
void
lmcc_repair_plan_look_from (LmccRepairPlan *plan, LmccRepairPlanGroup *group,
    guint level)
{
  guint most = 0, i;

  for (i = 0; i < group->depth; i++) {
    group->seen[i] = group->below[i] = count_seen (plan, group, i, level);
    most = MAX (most, (guint) (group->repair[i] - group->seen[i]));
  }
  group->max_seen = group->max_repair - most;
}

/**
 * lmcc_repair_plan_get_repair:
 * @plan: a plan
 * @group: a group
 * @block: one of its blocks, below its depth
 * @layer: a layer
 *
 * Returns: number of repair packets of @block that @layer carries
 */
guint
lmcc_repair_plan_get_repair (const LmccRepairPlan *plan, guint group,
    guint block, guint layer)
{
  const LmccRepairPlanGroup *found = lmcc_repair_plan_get_group (plan, group);

  return lmcc_layer_set_has (found->carriers[block], layer)
      ? found->parts[block][layer - found->layer]
      : 0;
}

/**
 * lmcc_repair_plan_count_whole:
 * @plan: a plan
 * @level: a level
 *
 * Returns: the expected number of complete pictures, together with everything
 * they depend on, at that level
 */
gdouble
lmcc_repair_plan_count_whole (LmccRepairPlan *plan, guint level)
{
  gdouble sum = 0.0;
  guint i;

  for (i = 0; i < plan->n_groups; i++) {
    LmccRepairPlanGroup *group = lmcc_repair_plan_get_group (plan, i);

    lmcc_repair_plan_look_from (plan, group, level);
    lmcc_repair_plan_update_group (plan, group);
  }
  for (i = 0; i < plan->pictures->len; i++) {
    LmccRepairPicture *picture = lmcc_repair_plan_get_picture (plan, i);

    lmcc_repair_plan_update_picture (plan, picture);
    if (lmcc_repair_plan_has_level (picture->levels, level))
      sum += picture->weight * picture->chance;
  }

  return sum;
}
