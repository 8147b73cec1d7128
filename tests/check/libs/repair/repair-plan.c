/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the probability that repair blocks are complete, and which blocks
 * get repair packets.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/repair/chances.h>
#include <gst/lmcc/repair/optimizer.h>
#include <math.h>
#include "support/test-slow.h"

typedef struct
{
  gdouble loss_rate;
  gdouble burst;
} Path;

static const Path paths[] = {
  { 0.0, 1.0 },
  { 0.01, 1.0 },
  { 0.1, 1.0 },
  { 0.5, 1.0 },
  { 0.01, 2.0 },
  { 0.1, 3.0 },
  { 0.3, 8.0 },
  { 1.0, 1.0 },
};

/* The chain by its definition: mean time in the losing state, and share of
 * the time in it. */
static gdouble
chance_of_loss (const Path *path, gboolean first, gboolean lost)
{
  gdouble p = path->loss_rate;

  if (first || path->burst <= 1.0)
    return p;

  return lost ? 1.0 - 1.0 / path->burst : p / (path->burst * (1.0 - p));
}

/* Goes through every outcome of each packet on the path; the block has every
 * @depth-th packet. */
static gdouble
enumerate (const Path *path, guint depth, guint n_source, guint n_repair,
    guint first, guint n)
{
  guint length = (n_source + n_repair - 1) * depth + 1, pattern, i;
  gdouble sum = 0.0;

  for (pattern = 0; pattern < 1u << length; pattern++) {
    gdouble chance = 1.0;
    guint n_lost = 0;
    gboolean hit = FALSE, lost = FALSE;

    for (i = 0; i < length; i++) {
      gdouble loss = chance_of_loss (path, i == 0, lost);

      lost = (pattern >> i & 1) != 0;
      chance *= lost ? loss : 1.0 - loss;
      if (!lost || i % depth != 0)
        continue;
      n_lost++;
      hit |= i / depth >= first && i / depth < first + n;
    }
    if (n_lost <= n_repair || !hit)
      sum += chance;
  }

  return sum;
}

static void
check_all_ranges (const Path *path, guint depth, guint n_source, guint n_repair)
{
  g_autoptr (LmccRepairChances) chances =
      lmcc_repair_chances_new (path->loss_rate, path->burst, depth, 8, 8);
  guint from, n;

  for (from = 0; from < n_source; from++) {
    for (n = 0; from + n <= n_source; n++)
      fail_unless_equals_float (lmcc_repair_chances_whole (chances, n_source,
                                    n_repair, from, n),
          enumerate (path, depth, n_source, n_repair, from, n));
  }
}

GST_START_TEST (test_the_chance_is_that_of_all_loss_patterns)
{
  guint depth, n_source, n_repair;

  for (depth = 1; depth <= 3; depth++) {
    for (n_source = 1; n_source <= 8 / depth; n_source++) {
      for (n_repair = 0; n_repair <= 4 / depth; n_repair++)
        check_all_ranges (&paths[__i__], depth, n_source, n_repair);
    }
  }
}

GST_END_TEST;

/* Sum of binomial terms, each from its logarithm. */
static gdouble
binomial_at_most (guint n, guint most, gdouble p)
{
  gdouble sum = 0.0;
  guint i;

  for (i = 0; i <= most; i++)
    sum += exp (lgamma (n + 1.0) - lgamma (i + 1.0) - lgamma (n - i + 1.0)
        + i * log (p) + (n - i) * log1p (-p));

  return sum;
}

GST_START_TEST (test_a_large_block_is_whole_as_the_binomial_says)
{
  g_autoptr (LmccRepairChances) chances =
      lmcc_repair_chances_new (0.02, 1.0, 1, 200, 55);
  guint r;

  for (r = 0; r <= 55; r++)
    fail_unless (
        fabs (lmcc_repair_chances_whole (chances, 200, r, 0, 200)
            - (r == 0 ? pow (0.98, 200) : binomial_at_most (200 + r, r, 0.02)))
        < 1e-11);
}

GST_END_TEST;

/* 40 packets from the 10th on, out of 100 with 8 for repair. */
GST_START_TEST (test_a_picture_of_a_large_block_is_whole_as_in_many_trials)
{
  const Path *path = &paths[__i__];
  g_autoptr (LmccRepairChances) chances =
      lmcc_repair_chances_new (path->loss_rate, path->burst, 1, 100, 8);
  gdouble chance = lmcc_repair_chances_whole (chances, 100, 8, 10, 40);
  GRand *rand = g_rand_new_with_seed (3);
  const guint trials = test_rounds (100000);
  guint n_whole = 0, trial, i;

  for (trial = 0; trial < trials; trial++) {
    guint n_lost = 0;
    gboolean hit = FALSE, lost = FALSE;

    for (i = 0; i < 108; i++) {
      lost = g_rand_double (rand) < chance_of_loss (path, i == 0, lost);
      n_lost += lost;
      hit |= lost && i >= 10 && i < 50;
    }
    n_whole += n_lost <= 8 || !hit;
  }
  g_rand_free (rand);
  /* Five standard deviations. */
  fail_unless (fabs ((gdouble) n_whole / trials - chance)
          <= 5 * sqrt (chance * (1 - chance) / trials) + 1e-12,
      "%g of %g", (gdouble) n_whole / trials, chance);
}

GST_END_TEST;

GST_START_TEST (test_packets_far_apart_are_lost_independently)
{
  g_autoptr (LmccRepairChances) apart =
      lmcc_repair_chances_new (0.05, 4.0, 15, 50, 8);
  g_autoptr (LmccRepairChances) row =
      lmcc_repair_chances_new (0.05, 4.0, 1, 50, 8);
  g_autoptr (LmccRepairChances) alone =
      lmcc_repair_chances_new (0.05, 1.0, 1, 50, 8);
  gdouble best = lmcc_repair_chances_whole (alone, 50, 8, 0, 50);

  fail_unless (
      fabs (lmcc_repair_chances_whole (apart, 50, 8, 0, 50) - best) < 0.01);
  fail_unless (lmcc_repair_chances_whole (row, 50, 8, 0, 50) < best - 0.03);
}

GST_END_TEST;

#define PACKET 1000

/* Returns the number of bytes used. */
static gsize
allocate (LmccRepairPlan *plan, guint layer, gsize budget, const gsize *rooms)
{
  g_autoptr (LmccRepairOptimizer) optimizer = lmcc_repair_optimizer_new (plan);

  lmcc_repair_optimizer_start (optimizer, layer, budget, rooms);
  fail_unless (lmcc_repair_optimizer_step (optimizer, G_MAXUINT64));

  return lmcc_repair_optimizer_get_used (optimizer);
}

/* For @n_layers layers; each level adds one. */
static LmccRepairPlan *
begin_plan (gdouble loss_rate, guint n_layers)
{
  LmccRepairPlan *plan = lmcc_repair_plan_new (loss_rate, 1.0);
  LmccSession session;

  lmcc_session_init (&session);
  session.n_layers = n_layers;
  lmcc_repair_plan_begin (plan, &session);

  return plan;
}

/* @n pictures of one packet in each block; those of a block need all lower
 * blocks, and all earlier pictures in their own. */
static LmccRepairPlan *
make_plan (gdouble loss_rate, const guint *sizes, guint n_blocks)
{
  LmccRepairPlan *plan = begin_plan (loss_rate, n_blocks);
  guint i, k, picture;

  for (i = 0; i < n_blocks; i++)
    fail_unless_equals_int (lmcc_repair_plan_add_group (plan, i, sizes[i], 1,
                                PACKET),
        i);
  for (i = 0; i < n_blocks; i++) {
    for (picture = 0; picture < sizes[i]; picture++) {
      LmccRepairNeed needs[LMCC_MAX_LAYERS];

      for (k = 0; k <= i; k++)
        needs[k] = (LmccRepairNeed){ k, 0, k < i ? sizes[k] : picture + 1 };
      lmcc_repair_plan_add_picture (plan, needs, i + 1);
    }
  }

  return plan;
}

GST_START_TEST (test_the_budget_is_kept_and_used)
{
  const guint sizes[] = { 20, 30, 40 };
  guint budget;

  for (budget = 0; budget < 10 * PACKET; budget += 777) {
    g_autoptr (LmccRepairPlan) plan = make_plan (0.02, sizes, 3);
    gsize used = allocate (plan, 0, budget, NULL);

    fail_unless_equals_int (used, budget / PACKET * PACKET);
    fail_unless_equals_int (lmcc_repair_plan_get_repair (plan, 0, 0, 0),
        used / PACKET);
    fail_unless_equals_int (lmcc_repair_plan_get_repair (plan, 1, 0, 0), 0);
  }
}

GST_END_TEST;

/* Of all ways to divide a budget that the highest layer carries. */
static gdouble
find_optimum (gdouble loss_rate, const guint *sizes, guint budget)
{
  g_autoptr (LmccRepairChances) chances =
      lmcc_repair_chances_new (loss_rate, 1.0, 1, 100, 20);
  gdouble best = 0.0;
  guint r0, r1, i, picture;

  for (r0 = 0; r0 <= budget; r0++) {
    for (r1 = 0; r0 + r1 <= budget; r1++) {
      guint r[3] = { r0, r1, budget - r0 - r1 };
      gdouble below = 1.0, sum = 0.0;

      for (i = 0; i < 3; i++) {
        for (picture = 1; picture <= sizes[i]; picture++)
          sum += below
              * lmcc_repair_chances_whole (chances, sizes[i], r[i], 0, picture);
        below *=
            lmcc_repair_chances_whole (chances, sizes[i], r[i], 0, sizes[i]);
      }
      best = MAX (best, sum / (sizes[0] + sizes[1] + sizes[2]));
    }
  }

  return best;
}

GST_START_TEST (test_losses_are_near_the_smallest_possible)
{
  const guint all_sizes[][3] = { { 20, 30, 40 }, { 5, 10, 60 }, { 50, 4, 4 } };
  const gdouble losses[] = { 0.005, 0.02, 0.1 };
  guint i, k, budget;

  for (i = 0; i < G_N_ELEMENTS (all_sizes); i++) {
    for (k = 0; k < G_N_ELEMENTS (losses); k++) {
      for (budget = 1; budget <= 15; budget += 2) {
        g_autoptr (LmccRepairPlan) plan =
            make_plan (losses[k], all_sizes[i], 3);
        gdouble best = find_optimum (losses[k], all_sizes[i], budget);
        gdouble n = all_sizes[i][0] + all_sizes[i][1] + all_sizes[i][2];
        gdouble none = lmcc_repair_plan_count_whole (plan, 2) / n, whole;

        allocate (plan, 2, budget * PACKET, NULL);
        whole = lmcc_repair_plan_count_whole (plan, 2) / n;
        fail_unless (whole <= best + 1e-9);
        fail_unless (whole - none >= 0.9 * (best - none),
            "sizes %u, loss %g, budget %u: %g of %g, %g without", i, losses[k],
            budget, whole, best, none);
      }
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_the_base_comes_first)
{
  const guint sizes[] = { 20, 20, 20 };
  guint n_more = 0, budget;

  for (budget = 1; budget <= 15; budget++) {
    g_autoptr (LmccRepairPlan) plan = make_plan (0.02, sizes, 3);
    guint r[3], i;

    allocate (plan, 2, budget * PACKET, NULL);
    for (i = 0; i < 3; i++)
      r[i] = lmcc_repair_plan_get_repair (plan, i, 0, 2);
    fail_unless_equals_int (r[0] + r[1] + r[2], budget);
    fail_unless (r[0] >= r[1] && r[1] >= r[2], "%u %u %u", r[0], r[1], r[2]);
    n_more += r[0] > r[2];
  }
  fail_unless (n_more >= 10);
}

GST_END_TEST;

/* For a group of one block, in the first layers. */
static guint
count_repair (const LmccRepairPlan *plan, guint group, guint n_layers)
{
  guint sum = 0, i;

  for (i = 0; i < n_layers; i++)
    sum += lmcc_repair_plan_get_repair (plan, group, 0, i);

  return sum;
}

/* One picture lies in layers 0 and 1, and others of layer 1 need it; layer 2
 * has its own pictures. */
GST_START_TEST (test_a_picture_that_is_cut_gets_repair_in_each_of_its_layers)
{
  const guint sizes[] = { 15, 25, 40 };
  g_autoptr (LmccRepairPlan) plan = begin_plan (0.02, 3);
  gdouble none, whole;
  guint i;

  for (i = 0; i < 3; i++)
    lmcc_repair_plan_add_group (plan, i, sizes[i], 1, PACKET);
  for (i = 1; i <= 3; i++) {
    const LmccRepairNeed needs[] = {
      { 0, 0, sizes[0] },
      { 1, 0, i < 3 ? 12 * i : sizes[1] },
      { 2, 0, sizes[2] },
    };

    lmcc_repair_plan_add_picture (plan, needs, i < 3 ? 2 : 3);
  }
  none = lmcc_repair_plan_count_whole (plan, 1) / 2;
  for (i = 0; i < 3; i++) {
    fail_unless_equals_int (allocate (plan, i, 3 * PACKET, NULL), 3 * PACKET);
  }
  whole = lmcc_repair_plan_count_whole (plan, 1) / 2;
  fail_unless (whole > 0.98, "%g, without repair %g", whole, none);
  for (i = 0; i < 2; i++)
    fail_unless (count_repair (plan, i, 3) >= 2);
}

GST_END_TEST;

/* Each layer adds to the repair of those below: receivers of more layers get
 * more protection, and no receiver gets less. */
GST_START_TEST (test_the_base_has_repair_in_each_layer)
{
  const guint sizes[] = { 30, 30, 30 };
  g_autoptr (LmccRepairPlan) plan = make_plan (0.05, sizes, 3);
  const guint budgets[] = { 1, 6, 6 };
  gdouble at[3];
  guint i;

  for (i = 0; i < 3; i++) {
    guint k;

    fail_unless_equals_int (allocate (plan, i, budgets[i] * PACKET, NULL),
        budgets[i] * PACKET);
    for (k = 0; k < i; k++)
      fail_unless_equals_float (lmcc_repair_plan_count_whole (plan, k), at[k]);
    at[i] = lmcc_repair_plan_count_whole (plan, i);
    fail_unless (i == 0 || at[i] > at[i - 1]);
    fail_unless (
        count_repair (plan, 0, i + 1) >= count_repair (plan, i, i + 1));
  }
  fail_unless_equals_int (count_repair (plan, 0, 1), 1);
  fail_unless (count_repair (plan, 0, 2) > 2);
  fail_unless_equals_int (count_repair (plan, 0, 3) + count_repair (plan, 1, 3)
          + count_repair (plan, 2, 3),
      13);
}

GST_END_TEST;

/* All packets of a block have different numbers. */
GST_START_TEST (test_a_block_has_no_more_than_it_may)
{
  const guint sizes[] = { 200, 10, 10, 10, 10, 10, 10, 10, 10, 10 };
  g_autoptr (LmccRepairPlan) plan = make_plan (0.2, sizes, 10);
  guint i;

  for (i = 0; i < 10; i++) {
    allocate (plan, i, 40 * PACKET, NULL);
    fail_unless (
        count_repair (plan, 0, i + 1) <= LMCC_REPAIR_MAX_SYMBOLS - 200);
    fail_unless (i < LMCC_REPAIR_MAX_CARRIERS
        || lmcc_repair_plan_get_repair (plan, 0, 0, i) == 0);
  }
  fail_unless_equals_int (count_repair (plan, 0, 10),
      LMCC_REPAIR_MAX_SYMBOLS - 200);
}

GST_END_TEST;

GST_START_TEST (test_a_block_that_ends_late_has_only_what_is_left)
{
  const guint sizes[] = { 30, 30 };
  const gsize rooms[] = { 2 * PACKET + 1, 6 * PACKET };
  g_autoptr (LmccRepairPlan) plan = make_plan (0.1, sizes, 2);

  fail_unless_equals_int (allocate (plan, 1, 100 * PACKET, rooms), 6 * PACKET);
  fail_unless_equals_int (lmcc_repair_plan_get_repair (plan, 0, 0, 1), 2);
  fail_unless_equals_int (lmcc_repair_plan_get_repair (plan, 1, 0, 1), 4);
}

GST_END_TEST;

GST_START_TEST (test_without_loss_nothing_is_spent)
{
  const guint sizes[] = { 30, 30 };
  g_autoptr (LmccRepairPlan) plan = make_plan (0.0, sizes, 2);

  fail_unless_equals_int (allocate (plan, 1, 100 * PACKET, NULL), 0);
  fail_unless_equals_float (lmcc_repair_plan_count_whole (plan, 1), 60.0);
}

GST_END_TEST;

/* A receiver with layer 2 does not have layer 1. */
GST_START_TEST (test_repair_is_in_a_layer_of_those_who_have_what_it_repairs)
{
  const guint sizes[] = { 20, 20, 20 };
  g_autoptr (LmccRepairPlan) plan = lmcc_repair_plan_new (0.05, 1.0);
  LmccSession session;
  gdouble before;
  guint i, picture;

  lmcc_session_init (&session);
  session.n_layers = 3;
  session.level_layers[0] = 1;
  session.level_layers[1] = 3;
  session.level_layers[2] = 5;
  lmcc_repair_plan_begin (plan, &session);
  for (i = 0; i < 3; i++)
    lmcc_repair_plan_add_group (plan, i, sizes[i], 1, PACKET);
  for (i = 0; i < 3; i++) {
    for (picture = 1; picture <= sizes[i]; picture++) {
      const LmccRepairNeed needs[] = {
        { i, 0, picture },
        { 0, 0, sizes[0] },
      };

      lmcc_repair_plan_add_picture (plan, needs, i > 0 ? 2 : 1);
    }
  }
  allocate (plan, 0, 2 * PACKET, NULL);
  allocate (plan, 1, 0, NULL);
  before = lmcc_repair_plan_count_whole (plan, 2);
  fail_unless_equals_float (lmcc_repair_plan_count_whole (plan, 1), before);
  fail_unless_equals_int (allocate (plan, 2, 8 * PACKET, NULL), 8 * PACKET);
  fail_unless_equals_int (lmcc_repair_plan_get_repair (plan, 0, 0, 0), 2);
  fail_unless_equals_int (lmcc_repair_plan_get_repair (plan, 1, 0, 2), 0);
  fail_unless_equals_int (lmcc_repair_plan_get_repair (plan, 0, 0, 2)
          + lmcc_repair_plan_get_repair (plan, 2, 0, 2),
      8);
  fail_unless (lmcc_repair_plan_count_whole (plan, 2) > before);
  fail_unless_equals_float (lmcc_repair_plan_count_whole (plan, 1), before);
}

GST_END_TEST;

/* One budget for all: it goes to the packets that most pictures need, and
 * each layer carries the repair of its own packets. */
GST_START_TEST (test_layers_may_share_a_budget)
{
  const guint sizes[] = { 6, 8, 30 };
  guint budget, first, i;

  for (first = 0; first < 2; first++) {
    for (budget = 1; budget < 8; budget++) {
      g_autoptr (LmccRepairPlan) plan = make_plan (0.02, sizes, 3);
      g_autoptr (LmccRepairOptimizer) optimizer =
          lmcc_repair_optimizer_new (plan);
      guint sum = 0;

      lmcc_repair_optimizer_start_own (optimizer, first, budget * PACKET);
      fail_unless (lmcc_repair_optimizer_step (optimizer, G_MAXUINT64));
      fail_unless_equals_int (lmcc_repair_optimizer_get_used (optimizer),
          budget * PACKET);
      for (i = 0; i < 3; i++) {
        fail_unless_equals_int (lmcc_repair_plan_get_repair (plan, i, 0, i),
            count_repair (plan, i, 3));
        sum += count_repair (plan, i, 3);
      }
      fail_unless_equals_int (sum, budget);
      fail_unless (first == 0 || count_repair (plan, 0, 3) == 0);
      fail_unless (budget < 4 || count_repair (plan, first, 3) > 0);
    }
  }
}

GST_END_TEST;

/* A block that many later pictures need gets repair before a block with more
 * pictures of its own, up to its limit. */
GST_START_TEST (test_later_pictures_weigh_as_many_as_they_are)
{
  guint weight;

  for (weight = 1; weight <= 1000; weight *= 1000) {
    g_autoptr (LmccRepairPlan) plan = begin_plan (0.02, 2);
    g_autoptr (LmccRepairOptimizer) optimizer =
        lmcc_repair_optimizer_new (plan);
    guint i;

    for (i = 0; i < 2; i++)
      lmcc_repair_plan_add_group (plan, 1, 10, 1, PACKET);
    lmcc_repair_plan_limit_group (plan, 0, 2);
    for (i = 0; i < 20; i++) {
      const LmccRepairNeed need = { i < 19 ? 1 : 0, 0, 10 };

      lmcc_repair_plan_add_picture (plan, &need, 1);
    }
    lmcc_repair_plan_weigh_picture (plan, weight);
    lmcc_repair_optimizer_start_own (optimizer, 0, 3 * PACKET);
    fail_unless (lmcc_repair_optimizer_step (optimizer, G_MAXUINT64));
    fail_unless_equals_int (count_repair (plan, 0, 2), weight > 1 ? 2 : 1);
    fail_unless_equals_int (count_repair (plan, 1, 2), weight > 1 ? 1 : 2);
  }
}

GST_END_TEST;

static Suite *
repair_plan_suite (void)
{
  Suite *suite = suite_create ("repair-plan");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_the_chance_is_that_of_all_loss_patterns, 0,
      G_N_ELEMENTS (paths));
  tcase_add_test (tcase, test_a_large_block_is_whole_as_the_binomial_says);
  tcase_add_loop_test (tcase,
      test_a_picture_of_a_large_block_is_whole_as_in_many_trials, 0,
      G_N_ELEMENTS (paths));
  tcase_add_test (tcase, test_packets_far_apart_are_lost_independently);
  tcase_add_test (tcase, test_the_budget_is_kept_and_used);
  tcase_add_test (tcase, test_losses_are_near_the_smallest_possible);
  tcase_add_test (tcase, test_the_base_comes_first);
  tcase_add_test (tcase,
      test_a_picture_that_is_cut_gets_repair_in_each_of_its_layers);
  tcase_add_test (tcase, test_the_base_has_repair_in_each_layer);
  tcase_add_test (tcase, test_a_block_has_no_more_than_it_may);
  tcase_add_test (tcase, test_a_block_that_ends_late_has_only_what_is_left);
  tcase_add_test (tcase, test_without_loss_nothing_is_spent);
  tcase_add_test (tcase,
      test_repair_is_in_a_layer_of_those_who_have_what_it_repairs);
  tcase_add_test (tcase, test_layers_may_share_a_budget);
  tcase_add_test (tcase, test_later_pictures_weigh_as_many_as_they_are);

  return suite;
}

GST_CHECK_MAIN (repair_plan);
