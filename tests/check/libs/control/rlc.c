/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the rules of A. Legout and E. W. Biersack, "Pathological Behaviors
 * for RLM and RLC", 2000, section 4.
 */
#include "support/test-controller.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/slots/deaf-period.h>

#define N_LAYERS 6

/* As the sender counts: trailing zeros of the next slot's number, limited by
 * the top. */
static gint
signal_of (guint64 slot)
{
  return MIN (__builtin_ctzll (slot + 1), N_LAYERS - 2);
}

static void
run (TestController *test, guint n)
{
  guint i;

  for (i = 0; i < n; i++)
    test_slot (test, signal_of (test->slot));
}

static void
run_lossy (TestController *test, gint layer, guint from, guint to)
{
  test_slot_lossy (test, signal_of (test->slot), layer, from, to);
}

static TestController *
new_at_level (gint level, const gchar *setting, const gchar *value)
{
  TestController *test = test_controller_new ("rlc", N_LAYERS, setting, value);
  guint i;

  for (i = 0; test->level < level && i < 200; i++)
    run (test, 1);
  test_fail_unless_level (test, level);
  g_array_set_size (test->changes, 0);

  return test;
}

static TestLevelChange
last_change (TestController *test)
{
  fail_unless (test->changes->len > 0);

  return g_array_index (test->changes, TestLevelChange, test->changes->len - 1);
}

/* Runs to the slot before the next synchronization point of @level. */
static void
run_to_point (TestController *test, gint level)
{
  while (signal_of (test->slot) < level)
    run (test, 1);
}

/* The points of level i come every 2^i slots, so without loss the level is i
 * + 1 after a point of level i. */
GST_START_TEST (test_without_loss_each_level_waits_for_a_point_of_its_own)
{
  TestController *test = test_controller_new ("rlc", N_LAYERS, NULL, NULL);
  LmccTime begin = test->now;
  guint i;

  run (test, 100);
  test_fail_unless_level (test, N_LAYERS - 1);
  fail_unless_equals_int (test->changes->len, N_LAYERS);
  for (i = 1; i < N_LAYERS; i++) {
    TestLevelChange change = g_array_index (test->changes, TestLevelChange, i);
    guint64 slot = (change.at - begin) / TEST_SLOT;

    fail_unless_equals_int (change.to, (gint) i);
    /* The slot that starts with the join has at least i - 1 zeros. */
    fail_unless_equals_uint64 (slot % (1u << (i - 1)), 0);
    /* The decision waits at most for a packet of each joined layer. */
    fail_unless (
        (change.at - begin) % TEST_SLOT <= TEST_SLOT / TEST_SLOT_PACKETS);
  }
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_points_of_the_next_layer_come_half_as_often)
{
  TestController *own =
      test_controller_new ("rlc", N_LAYERS, "join-signal", "top-layer");
  TestController *next =
      test_controller_new ("rlc", N_LAYERS, "join-signal", "next-layer");
  guint i;

  run (own, 100);
  run (next, 100);
  test_fail_unless_level (own, N_LAYERS - 1);
  test_fail_unless_level (next, N_LAYERS - 1);
  for (i = 1; i < N_LAYERS; i++) {
    TestLevelChange change = g_array_index (next->changes, TestLevelChange, i);
    guint64 slot = (change.at - 10 * LMCC_SECOND) / TEST_SLOT;

    /* Layer i is joined at a point of level i. */
    fail_unless_equals_uint64 (slot % (1u << i), 0);
  }
  test_controller_free (own);
  test_controller_free (next);
}

GST_END_TEST;

GST_START_TEST (test_a_loss_outside_bursts_drops_the_top_layer_at_once)
{
  TestController *test = new_at_level (3, NULL, NULL);
  LmccTime begin;

  run_to_point (test, 3);
  begin = test->now;
  run_lossy (test, 3, 1, 1);
  test_fail_unless_level (test, 2);
  /* Three later packets reveal it, or 100 ms. */
  fail_unless (last_change (test).at < begin + TEST_SLOT);
  fail_unless_equals_string (test_controller_state (test), "deaf");
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_losses_of_the_deaf_period_are_one_event)
{
  TestController *test = new_at_level (4, "deaf-period", "2");
  guint i;

  run_lossy (test, 4, 0, 0);
  test_fail_unless_level (test, 3);
  for (i = 0; i < 3; i++)
    run_lossy (test, 0, 1, 1);
  test_fail_unless_level (test, 3);
  run (test, 1);
  run_lossy (test, 3, 1, 1);
  test_fail_unless_level (test, 2);
  test_controller_free (test);
}

GST_END_TEST;

/* The first point after the deaf period starts the period that must be
 * received completely. */
GST_START_TEST (test_after_the_deaf_period_a_whole_period_is_observed)
{
  TestController *test = new_at_level (3, "deaf-period", "2");
  LmccTime heard_again;
  guint64 slot;

  run_lossy (test, 3, 1, 1);
  test_fail_unless_level (test, 2);
  heard_again = last_change (test).at + 2 * LMCC_SECOND;
  while (test->level == 2)
    run (test, 1);
  test_fail_unless_level (test, 3);
  fail_unless (last_change (test).at >= heard_again + 4 * TEST_SLOT);
  fail_unless (last_change (test).at < heard_again + 9 * TEST_SLOT);
  slot = (last_change (test).at - 10 * LMCC_SECOND) / TEST_SLOT;
  fail_unless_equals_uint64 (slot % 4, 0);
  test_controller_free (test);
}

GST_END_TEST;

/* Legout and Biersack, section 4: only the burst before the point decides.
 * The receiver joins at the first point after the deaf period whose slot it
 * has received. */
GST_START_TEST (test_a_clean_burst_is_enough_if_set_so)
{
  TestController *test = new_at_level (3, "join-after", "burst");
  LmccTime heard_again, slot;

  test->cap = 3;
  run (test, (guint) __i__);
  run_lossy (test, 3, 1, 1);
  test_fail_unless_level (test, 2);
  heard_again = last_change (test).at + LMCC_DEAF_INITIAL;
  slot = (heard_again - 10 * LMCC_SECOND) / TEST_SLOT + 1;
  while (test->level == 2)
    run (test, 1);
  test_fail_unless_level (test, 3);
  fail_unless_equals_uint64 ((last_change (test).at - 10 * LMCC_SECOND)
          / TEST_SLOT,
      (slot / 4 + 1) * 4);
  test_controller_free (test);
}

GST_END_TEST;

/* A loss in a burst only prevents the join at its point, even if the burst
 * alone decides; the next burst of the level is judged on its own. */
GST_START_TEST (test_a_loss_in_the_burst_holds_the_level)
{
  const gchar *const decides[] = { "period", "burst" };
  TestController *test = new_at_level (2, "join-after", decides[__i__]);
  LmccTime begin;

  test->cap = 2;
  run_to_point (test, 2);
  test->cap = N_LAYERS - 1;
  begin = test->now;
  run_lossy (test, 2, 5, 5);
  run (test, 1);
  test_fail_unless_level (test, 2);
  run (test, 2);
  test_fail_unless_level (test, 2);
  run (test, 2);
  test_fail_unless_level (test, 3);
  fail_unless (last_change (test).at >= begin + 5 * TEST_SLOT);
  test_controller_free (test);
}

GST_END_TEST;

/* The last packets of the burst are detected as lost only after the silence,
 * at the point itself. */
GST_START_TEST (test_a_loss_at_the_end_of_the_burst_keeps_from_joining)
{
  TestController *test = new_at_level (2, NULL, NULL);

  test->cap = 2;
  run_to_point (test, 2);
  test->cap = N_LAYERS - 1;
  run_lossy (test, 2, 6, 7);
  run (test, 3);
  test_fail_unless_level (test, 2);
  run (test, 2);
  test_fail_unless_level (test, 3);
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_a_loss_in_the_burst_drops_as_in_ns_if_set_so)
{
  TestController *test = new_at_level (2, "burst-loss", "drop");

  test->cap = 2;
  run_to_point (test, 2);
  run_lossy (test, 2, 5, 5);
  run (test, 1);
  test_fail_unless_level (test, 1);
  test_controller_free (test);
}

GST_END_TEST;

/* Legout and Biersack, section 4: a burst of a higher level affects all
 * receivers below it; one of a lower level is not meant for those above. */
GST_START_TEST (test_a_burst_of_a_lower_level_is_no_excuse)
{
  TestController *test = new_at_level (3, NULL, NULL);

  test->cap = 3;
  while (signal_of (test->slot) != 0)
    run (test, 1);
  run_lossy (test, 0, 5, 5);
  run (test, 1);
  test_fail_unless_level (test, 2);
  test_controller_free (test);

  test = new_at_level (1, NULL, NULL);
  test->cap = 1;
  run_to_point (test, 3);
  run_lossy (test, 0, 5, 5);
  run (test, 1);
  test_fail_unless_level (test, 1);
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_the_base_stays)
{
  TestController *test = new_at_level (0, NULL, NULL);
  guint i;

  for (i = 0; i < 10; i++)
    run_lossy (test, 0, 1, 2);
  test_fail_unless_level (test, 0);
  run (test, 4);
  fail_unless (test->level > 0);
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_a_silent_slot_is_a_loss)
{
  TestController *test = new_at_level (3, NULL, NULL);

  test_controller_until (test, test->now + 3 * TEST_SLOT);
  test_fail_unless_level (test, 2);
  /* Deaf now: the silence continues. */
  test_controller_until (test, test->now + 3 * TEST_SLOT);
  test_fail_unless_level (test, 2);
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_a_measured_leave_sets_the_deaf_period)
{
  TestController *test = new_at_level (4, NULL, NULL);

  test->leave_latency = 4 * LMCC_SECOND;
  run_lossy (test, 4, 1, 1);
  test_fail_unless_level (test, 3);
  run (test, 10);
  test_fail_unless_level (test, 3);
  run_lossy (test, 3, 1, 1);
  test_fail_unless_level (test, 2);
  /* 6 s, minus the possible error with a packet every 62 ms. */
  test_controller_until (test, last_change (test).at + 5800 * LMCC_MSECOND);
  fail_unless_equals_string (test_controller_state (test), "deaf");
  test_controller_until (test, last_change (test).at + 6 * LMCC_SECOND);
  fail_if (g_str_equal (test_controller_state (test), "deaf"));
  test_controller_free (test);
}

GST_END_TEST;

static Suite *
rlc_suite (void)
{
  Suite *suite = suite_create ("rlc");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      test_without_loss_each_level_waits_for_a_point_of_its_own);
  tcase_add_test (tcase, test_points_of_the_next_layer_come_half_as_often);
  tcase_add_test (tcase,
      test_a_loss_outside_bursts_drops_the_top_layer_at_once);
  tcase_add_test (tcase, test_losses_of_the_deaf_period_are_one_event);
  tcase_add_test (tcase, test_after_the_deaf_period_a_whole_period_is_observed);
  tcase_add_loop_test (tcase, test_a_clean_burst_is_enough_if_set_so, 0, 8);
  tcase_add_loop_test (tcase, test_a_loss_in_the_burst_holds_the_level, 0, 2);
  tcase_add_test (tcase,
      test_a_loss_at_the_end_of_the_burst_keeps_from_joining);
  tcase_add_test (tcase, test_a_loss_in_the_burst_drops_as_in_ns_if_set_so);
  tcase_add_test (tcase, test_a_burst_of_a_lower_level_is_no_excuse);
  tcase_add_test (tcase, test_the_base_stays);
  tcase_add_test (tcase, test_a_silent_slot_is_a_loss);
  tcase_add_test (tcase, test_a_measured_leave_sets_the_deaf_period);

  return suite;
}

GST_CHECK_MAIN (rlc);
