/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the mapping of layers to rotating groups (J. Byers et al., "FLID-DL",
 * 2002, section III-C).
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/slots/dynamic-layering.h>
#include <gst/lmcc/control/slots/sync-points.h>
#include <gst/lmcc/lmcc.h>
#include <math.h>

#include "support/group-change.h"

static void
init (LmccDynamicLayering *layering, LmccLayeringKind kind, guint n_layers,
    guint spread)
{
  g_autoptr (GError) error = NULL;

  fail_unless (lmcc_dynamic_layering_init (layering, kind, n_layers, spread,
                   &error),
      "%s", error ? error->message : "");
}

GST_START_TEST (test_a_turning_group_begins_at_the_top_and_sinks_to_silence)
{
  /* Figure 1: 4 rotating layers, s = 3, groups d_0 and d_1. The paper does
   * not count our base layer, so its first layer is layer 1 here. */
  const gint d_0[] = { -1, 4, 3, 2, 1, -1, -1 };
  const gint d_1[] = { -1, -1, 4, 3, 2, 1, -1 };
  LmccDynamicLayering layering;
  guint k;

  init (&layering, LMCC_LAYERING_CUMULATIVE, 5, 3);
  fail_unless_equals_int (layering.turning_groups, 7);
  fail_unless_equals_int (layering.silent_groups, 3);
  fail_unless_equals_int (layering.n_groups, 8);
  for (k = 0; k < G_N_ELEMENTS (d_0); k++) {
    fail_unless_equals_int (lmcc_dynamic_layering_get_layer (&layering, k, 1),
        d_0[k]);
    fail_unless_equals_int (lmcc_dynamic_layering_get_layer (&layering, k, 2),
        d_1[k]);
    fail_unless_equals_int (lmcc_dynamic_layering_get_layer (&layering, k, 0),
        0);
  }
}

GST_END_TEST;

GST_START_TEST (test_the_silent_slots_follow_from_the_leave_latency)
{
  /* L < (s - 1) T; example 1. */
  fail_unless_equals_int (lmcc_dynamic_layering_spread (1500 * LMCC_MSECOND,
                              LMCC_SECOND),
      3);
  fail_unless_equals_int (lmcc_dynamic_layering_spread (4 * LMCC_SECOND,
                              LMCC_SECOND / 2),
      10);
  fail_unless_equals_int (lmcc_dynamic_layering_spread (4 * LMCC_SECOND - 1,
                              LMCC_SECOND / 2),
      9);
  fail_unless_equals_int (lmcc_dynamic_layering_spread (0, LMCC_SECOND), 2);
  fail_unless (lmcc_dynamic_layering_spread (G_MAXUINT64, 0) > 1000000);
}

GST_END_TEST;

/* Calls the function for every session size and silence with enough groups. */
static void
for_each_layering (LmccLayeringKind kind,
    void (*check) (const LmccDynamicLayering *layering))
{
  const guint layers[] = { 1, 2, 3, 7, 30, 64 };
  const guint spreads[] = { 1, 2, 3, 10, 33 };
  guint i, j;

  for (i = 0; i < G_N_ELEMENTS (layers); i++) {
    for (j = 0; j < G_N_ELEMENTS (spreads); j++) {
      LmccDynamicLayering layering;

      if (lmcc_dynamic_layering_init (&layering, kind, layers[i], spreads[j],
              NULL))
        check (&layering);
    }
  }
}

/* Slots around the wrap of the counter, and a whole rotation of the groups. */
static guint
wrapped_slot (const LmccDynamicLayering *layering, guint i)
{
  guint modulus = lmcc_slot_modulus (layering->turning_groups);

  return (modulus - layering->n_groups - 2 + i) % modulus;
}

static void
check_each_layer_is_carried_once (const LmccDynamicLayering *layering)
{
  guint i, group, layer;

  for (i = 0; i < 2 * layering->n_groups + 4; i++) {
    guint slot = wrapped_slot (layering, i);
    guint carried[LMCC_MAX_LAYERS] = { 0 };
    guint silent = 0;

    for (group = 0; group < layering->n_groups; group++) {
      gint carries = lmcc_dynamic_layering_get_layer (layering, slot, group);

      if (carries == LMCC_GROUP_SILENT) {
        silent++;
        continue;
      }
      carried[carries]++;
      if (lmcc_dynamic_layering_get_group (layering, slot, carries) != group)
        ck_abort_msg ("slot %u: layer %d is not on group %u", slot, carries,
            group);
    }
    for (layer = 0; layer < layering->n_layers; layer++) {
      if (carried[layer] != 1)
        ck_abort_msg ("slot %u: %u groups carry layer %u", slot, carried[layer],
            layer);
    }
    fail_unless_equals_int (silent, layering->silent_groups);
  }
}

GST_START_TEST (test_each_layer_is_carried_by_one_group_in_each_slot)
{
  for_each_layering (LMCC_LAYERING_STATIC, check_each_layer_is_carried_once);
  for_each_layering (LMCC_LAYERING_CUMULATIVE,
      check_each_layer_is_carried_once);
  for_each_layering (LMCC_LAYERING_SEPARATE, check_each_layer_is_carried_once);
}

GST_END_TEST;

/* The paper, section III-C, for any level i and slot k: d_{k-l} to
 * d_{k-l+i}, indices modulo l + s, where l does not include our base layer. */
static void
check_papers_indices (const LmccDynamicLayering *layering)
{
  gint l = layering->n_layers - 1;
  gint n = layering->turning_groups;
  guint slot, level, group;

  for (slot = 0; slot < 2 * layering->turning_groups; slot++) {
    for (level = 0; level < layering->n_layers; level++) {
      for (group = 0; group < layering->n_groups; group++) {
        gint d = (gint) group - 1;
        gint distance = n > 0 ? ((d - ((gint) slot - l)) % n + n) % n : 0;
        gboolean wanted = group == 0 || distance <= (gint) level - 1;

        if (lmcc_dynamic_layering_is_held (layering, slot, level, group)
            != wanted)
          ck_abort_msg ("slot %u, level %u, group %u: %d", slot, level, group,
              !wanted);
      }
    }
  }
}

GST_START_TEST (test_a_receiver_holds_the_groups_that_the_paper_says)
{
  for_each_layering (LMCC_LAYERING_CUMULATIVE, check_papers_indices);
}

GST_END_TEST;

static void
apply (gboolean *held, const GroupChange *change)
{
  guint i;

  for (i = 0; i < change->n_leaves; i++) {
    if (!held[change->leaves[i]])
      ck_abort_msg ("group %u is left and was not held", change->leaves[i]);
    held[change->leaves[i]] = FALSE;
  }
  for (i = 0; i < change->n_joins; i++) {
    if (held[change->joins[i]])
      ck_abort_msg ("group %u is joined again", change->joins[i]);
    held[change->joins[i]] = TRUE;
  }
}

static void
check_holds_exactly (const LmccDynamicLayering *layering, guint slot,
    gint level, const gboolean *held)
{
  gint n_held = 0;
  guint group;

  for (group = 0; group < layering->n_groups; group++) {
    gint layer = lmcc_dynamic_layering_get_layer (layering, slot, group);

    if (!held[group])
      continue;
    if (layer == LMCC_GROUP_SILENT || layer > level)
      ck_abort_msg ("slot %u, level %d: group %u with layer %d", slot, level,
          group, layer);
    n_held++;
  }
  /* Each group carries a different layer. */
  if (n_held != level + 1)
    ck_abort_msg ("slot %u, level %d: %d groups", slot, level, n_held);
}

static void
check_every_level_across_the_wrap (const LmccDynamicLayering *layering)
{
  gint level;
  guint i;

  for (level = 0; level < (gint) layering->n_layers; level++) {
    gboolean held[LMCC_MAX_GROUPS] = { FALSE };
    guint slot = wrapped_slot (layering, 0);
    GroupChange change;

    group_change_between (layering, slot, -1, slot, level, &change);
    apply (held, &change);
    for (i = 1; i < 2 * layering->n_groups + 4; i++) {
      guint next = wrapped_slot (layering, i);

      check_holds_exactly (layering, slot, level, held);
      group_change_between (layering, slot, level, next, level, &change);
      apply (held, &change);
      slot = next;
    }
    group_change_between (layering, slot, level, slot, -1, &change);
    apply (held, &change);
    check_holds_exactly (layering, slot, -1, held);
  }
}

GST_START_TEST (test_every_static_subscription_is_emulated_across_the_wrap)
{
  for_each_layering (LMCC_LAYERING_STATIC, check_every_level_across_the_wrap);
  for_each_layering (LMCC_LAYERING_CUMULATIVE,
      check_every_level_across_the_wrap);
  for_each_layering (LMCC_LAYERING_SEPARATE, check_every_level_across_the_wrap);
}

GST_END_TEST;

static void
check_random_walk (const LmccDynamicLayering *layering)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  guint modulus = lmcc_slot_modulus (layering->turning_groups);
  gboolean held[LMCC_MAX_GROUPS] = { FALSE };
  guint slot = modulus - 50;
  gint level = -1;
  guint i;

  for (i = 0; i < 300; i++) {
    /* Levels jump, and slots are missed. */
    guint next_slot = (slot + g_rand_int_range (rand, 0, 5)) % modulus;
    gint next_level = g_rand_int_range (rand, -1, layering->n_layers);
    GroupChange change;

    group_change_between (layering, slot, level, next_slot, next_level,
        &change);
    apply (held, &change);
    slot = next_slot;
    level = next_level;
    check_holds_exactly (layering, slot, level, held);
  }
}

GST_START_TEST (test_any_path_of_levels_and_missed_slots_is_emulated)
{
  for_each_layering (LMCC_LAYERING_STATIC, check_random_walk);
  for_each_layering (LMCC_LAYERING_CUMULATIVE, check_random_walk);
  for_each_layering (LMCC_LAYERING_SEPARATE, check_random_walk);
}

GST_END_TEST;

GST_START_TEST (test_down_joins_nothing_stay_joins_one_group_and_up_two)
{
  LmccDynamicLayering layering;
  GroupChange change;
  guint k;
  gint level;

  init (&layering, LMCC_LAYERING_CUMULATIVE, 6, 4);
  for (k = 0; k < 20; k++) {
    for (level = 1; level < 5; level++) {
      guint silent_next = lmcc_dynamic_layering_get_group (&layering, k, 1);

      group_change_between (&layering, k, level, k + 1, level - 1, &change);
      fail_unless_equals_int (change.n_joins, 0);
      fail_unless_equals_int (change.n_leaves, 1);
      fail_unless_equals_int (change.leaves[0], silent_next);

      group_change_between (&layering, k, level, k + 1, level, &change);
      fail_unless_equals_int (change.n_joins, 1);
      fail_unless_equals_int (change.n_leaves, 1);
      fail_unless_equals_int (change.leaves[0], silent_next);

      group_change_between (&layering, k, level, k + 1, level + 1, &change);
      fail_unless_equals_int (change.n_joins, 2);
      fail_unless_equals_int (change.n_leaves, 1);
      fail_unless_equals_int (change.leaves[0], silent_next);
    }
    /* The base is static. */
    group_change_between (&layering, k, 0, k + 1, 0, &change);
    fail_unless_equals_int (change.n_joins + change.n_leaves, 0);
    group_change_between (&layering, k, 0, k + 1, 1, &change);
    fail_unless_equals_int (change.n_joins, 1);
    fail_unless_equals_int (change.n_leaves, 0);
  }
}

GST_END_TEST;

static void
check_silence (const LmccDynamicLayering *layering)
{
  guint wanted = layering->kind == LMCC_LAYERING_CUMULATIVE
      ? layering->spread
      : layering->spread - 1;
  guint i, group;

  for (group = 1; group < layering->n_groups; group++) {
    gint last = 0;
    guint silent = 0, ended = 0;

    for (i = 0; i < 4 * layering->n_groups; i++) {
      guint slot = wrapped_slot (layering, i);
      gint layer = lmcc_dynamic_layering_get_layer (layering, slot, group);

      if (layer == LMCC_GROUP_SILENT) {
        silent++;
      } else if (last == LMCC_GROUP_SILENT) {
        /* The first slot may have started earlier. */
        if (ended++ > 0)
          fail_unless_equals_int (silent, wanted);
        silent = 0;
      }
      last = layer;
    }
    if (wanted > 0)
      fail_unless (ended > 1);
  }
}

GST_START_TEST (test_each_group_is_silent_for_exactly_s_slots_across_the_wrap)
{
  for_each_layering (LMCC_LAYERING_CUMULATIVE, check_silence);
  for_each_layering (LMCC_LAYERING_SEPARATE, check_silence);
}

GST_END_TEST;

/* What a receiver gets if the network forwards a group for some time after
 * its leave. Returns the highest ratio, over all slots, of the received rate
 * to the rate of the receiver's level in the slot. */
static gdouble
worst_excess (const LmccDynamicLayering *layering, LmccTime slot_length,
    LmccTime leave_latency, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  guint modulus = lmcc_slot_modulus (layering->turning_groups);
  gboolean held[LMCC_MAX_GROUPS] = { FALSE };
  LmccTime until[LMCC_MAX_GROUPS] = { 0 };
  gdouble rates[LMCC_MAX_LAYERS];
  gdouble worst = 0;
  gint level = 0;
  guint k, i;

  fail_unless (lmcc_rates_compute (LMCC_RATE_SCHEME_MULTIPLICATIVE, 24576, 1.3,
      layering->n_layers, rates, NULL));
  held[0] = TRUE;
  for (k = 0; k < 20000; k++) {
    LmccTime start = (k + 1) * slot_length;
    gint next = level;
    gdouble rate = 0, wanted = 0;
    GroupChange change;

    /* Long ways up and down, as between two bottlenecks. */
    if (g_rand_double (rand) < 0.8)
      next += (k / 20) % 2 == 0 ? 1 : -1;
    next = CLAMP (next, 0, (gint) layering->n_layers - 1);
    group_change_between (layering, k % modulus, level, (k + 1) % modulus, next,
        &change);
    apply (held, &change);
    for (i = 0; i < change.n_leaves; i++)
      until[change.leaves[i]] = start + leave_latency;
    level = next;

    for (i = 0; i < layering->n_groups; i++) {
      gint layer =
          lmcc_dynamic_layering_get_layer (layering, (k + 1) % modulus, i);

      if (layer != LMCC_GROUP_SILENT && (held[i] || until[i] > start))
        rate += rates[layer];
    }
    for (i = 0; (gint) i <= level; i++)
      wanted += rates[i];
    if (rate < wanted * (1 - 1e-9))
      ck_abort_msg ("slot %u: %f bit/s, not %f", k, rate, wanted);
    worst = MAX (worst, rate / wanted);
  }

  return worst;
}

GST_START_TEST (test_a_rate_falls_within_a_slot_where_leaves_take_four_seconds)
{
  const LmccTime leave_latency = 4 * LMCC_SECOND;
  const LmccTime slot = LMCC_SECOND / 2;
  LmccDynamicLayering layering;

  init (&layering, LMCC_LAYERING_CUMULATIVE, 20,
      lmcc_dynamic_layering_spread (leave_latency, slot));
  fail_unless (worst_excess (&layering, slot, leave_latency, 1) < 1 + 1e-9);

  /* Both the rotation and the silence of groups are needed. */
  init (&layering, LMCC_LAYERING_STATIC, 20, 0);
  fail_unless (worst_excess (&layering, slot, leave_latency, 1) > 2);
  init (&layering, LMCC_LAYERING_CUMULATIVE, 20, 6);
  fail_unless (worst_excess (&layering, slot, leave_latency, 1) > 1.5);

  init (&layering, LMCC_LAYERING_SEPARATE, 10,
      lmcc_dynamic_layering_spread (leave_latency, slot));
  fail_unless (worst_excess (&layering, slot, leave_latency, 1) < 1 + 1e-9);
}

GST_END_TEST;

GST_START_TEST (test_rlc_runs_over_dynamic_layering)
{
  LmccDynamicLayering layering;
  LmccRlcSchedule schedule;
  gboolean held[LMCC_MAX_GROUPS] = { TRUE, FALSE };
  guint modulus, level = 0;
  guint64 n;

  init (&layering, LMCC_LAYERING_CUMULATIVE, 6, 5);
  modulus = lmcc_slot_modulus (layering.turning_groups);
  lmcc_rlc_schedule_init (&schedule, 5, 128000, 1200, LMCC_SECOND / 2, 8);
  for (n = modulus - 70; n < modulus + 70; n++) {
    guint next = level;
    GroupChange change;

    /* Without loss, one level up at each of its synchronization points, then
     * back. */
    if (level == 5)
      next = 0;
    else if (lmcc_rlc_schedule_get_signal (&schedule, n) >= (gint) level)
      next = level + 1;
    group_change_between (&layering, n % modulus, level, (n + 1) % modulus,
        next, &change);
    apply (held, &change);
    level = next;
    check_holds_exactly (&layering, (n + 1) % modulus, level, held);
  }
}

GST_END_TEST;

GST_START_TEST (test_separate_layers_can_be_held_in_any_set)
{
  LmccDynamicLayering layering;
  guint set, k, layer, group;

  init (&layering, LMCC_LAYERING_SEPARATE, 5, 3);
  fail_unless_equals_int (layering.turning_groups, 12);
  fail_unless_equals_int (layering.silent_groups, 8);
  for (set = 0; set < 32; set++) {
    for (k = 0; k < 12; k++) {
      guint received = 0;

      for (layer = 0; layer < 5; layer++) {
        if (!(set & 1 << layer))
          continue;
        group = lmcc_dynamic_layering_get_group (&layering, k, layer);
        received |= 1 << lmcc_dynamic_layering_get_layer (&layering, k, group);
      }
      fail_unless_equals_int (received, set);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_a_session_that_needs_too_many_groups_is_refused)
{
  LmccDynamicLayering layering;
  g_autoptr (GError) error = NULL;

  fail_unless (lmcc_dynamic_layering_init (&layering, LMCC_LAYERING_CUMULATIVE,
      64, 33, NULL));
  fail_unless_equals_int (layering.n_groups, LMCC_MAX_GROUPS);
  fail_if (lmcc_dynamic_layering_init (&layering, LMCC_LAYERING_CUMULATIVE, 64,
      34, &error));
  fail_unless (strstr (error->message, "fewer layers") != NULL);
  fail_if (lmcc_dynamic_layering_init (&layering, LMCC_LAYERING_SEPARATE, 64,
      G_MAXUINT, NULL));
  fail_if (lmcc_dynamic_layering_init (&layering, LMCC_LAYERING_CUMULATIVE, 64,
      G_MAXUINT, NULL));
  fail_if (lmcc_dynamic_layering_init (&layering, LMCC_LAYERING_CUMULATIVE, 4,
      0, NULL));
  fail_if (
      lmcc_dynamic_layering_init (&layering, LMCC_LAYERING_STATIC, 0, 0, NULL));
  fail_if (lmcc_dynamic_layering_init (&layering, LMCC_LAYERING_STATIC, 65, 0,
      NULL));
}

GST_END_TEST;

GST_START_TEST (test_the_mapping_of_a_session_comes_from_its_record)
{
  LmccDynamicLayering layering;
  LmccSession session;

  lmcc_session_init (&session);
  session.n_layers = 6;
  session.n_groups = 6;
  fail_unless (lmcc_dynamic_layering_from_session (&layering, &session, NULL));
  fail_unless_equals_int (layering.kind, LMCC_LAYERING_STATIC);

  session.turning_groups = 9;
  session.silent_groups = 4;
  session.n_groups = 10;
  fail_unless (lmcc_dynamic_layering_from_session (&layering, &session, NULL));
  fail_unless_equals_int (layering.kind, LMCC_LAYERING_CUMULATIVE);
  fail_unless_equals_int (layering.spread, 4);

  session.silent_groups = 3;
  fail_if (lmcc_dynamic_layering_from_session (&layering, &session, NULL));
  session.silent_groups = 0;
  fail_if (lmcc_dynamic_layering_from_session (&layering, &session, NULL));
  session.silent_groups = 4;
  session.n_groups = 9;
  fail_if (lmcc_dynamic_layering_from_session (&layering, &session, NULL));
}

GST_END_TEST;

GST_START_TEST (test_the_modulus_is_the_largest_multiple_that_16_bits_hold)
{
  guint period;

  for (period = 1; period <= 65536; period++) {
    guint modulus = lmcc_slot_modulus (period);

    if (modulus % period != 0 || modulus > 65536 || modulus + period <= 65536)
      ck_abort_msg ("period %u: %u", period, modulus);
  }
  fail_unless_equals_int (lmcc_slot_modulus (1 << 5), 65536);
  fail_unless_equals_int (lmcc_slot_modulus (0), 65536);
  fail_unless_equals_int (lmcc_slot_modulus (65537), 65536);
}

GST_END_TEST;

GST_START_TEST (test_slots_compare_across_the_wrap)
{
  const guint moduli[] = { 1, 2, 7, 39, 65533, 65536 };
  guint i, b;
  gint ahead;

  for (i = 0; i < G_N_ELEMENTS (moduli); i++) {
    gint m = moduli[i];

    for (ahead = -m / 2; ahead < m - m / 2; ahead++) {
      for (b = 0; b < moduli[i]; b += 1 + moduli[i] / 9) {
        if (lmcc_slot_diff ((b + m + ahead) % m, b, m) != ahead)
          ck_abort_msg ("%u + %d modulo %d", b, ahead, m);
      }
    }
  }
  fail_unless_equals_int (lmcc_slot_diff (70000, 5, 0), 0);
}

GST_END_TEST;

static Suite *
dynamic_layering_suite (void)
{
  Suite *suite = suite_create ("dynamic-layering");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      test_a_turning_group_begins_at_the_top_and_sinks_to_silence);
  tcase_add_test (tcase, test_the_silent_slots_follow_from_the_leave_latency);
  tcase_add_test (tcase, test_each_layer_is_carried_by_one_group_in_each_slot);
  tcase_add_test (tcase, test_a_receiver_holds_the_groups_that_the_paper_says);
  tcase_add_test (tcase,
      test_every_static_subscription_is_emulated_across_the_wrap);
  tcase_add_test (tcase, test_any_path_of_levels_and_missed_slots_is_emulated);
  tcase_add_test (tcase,
      test_down_joins_nothing_stay_joins_one_group_and_up_two);
  tcase_add_test (tcase,
      test_each_group_is_silent_for_exactly_s_slots_across_the_wrap);
  tcase_add_test (tcase,
      test_a_rate_falls_within_a_slot_where_leaves_take_four_seconds);
  tcase_add_test (tcase, test_rlc_runs_over_dynamic_layering);
  tcase_add_test (tcase, test_separate_layers_can_be_held_in_any_set);
  tcase_add_test (tcase, test_a_session_that_needs_too_many_groups_is_refused);
  tcase_add_test (tcase, test_the_mapping_of_a_session_comes_from_its_record);
  tcase_add_test (tcase,
      test_the_modulus_is_the_largest_multiple_that_16_bits_hold);
  tcase_add_test (tcase, test_slots_compare_across_the_wrap);

  return suite;
}

GST_CHECK_MAIN (dynamic_layering);
