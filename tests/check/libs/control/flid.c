/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rules of J. Byers et al., "FLID-DL", 2002, section IV-B.
 */
#include "support/test-controller.h"

#include <gst/check/gstcheck.h>

static const gchar *const algorithms[] = { "flid-sl", "flid-dl" };

/* A receiver at @level, at the begin of a slot. */
static TestController *
new_at_level (const gchar * algorithm, guint n_layers, gint level)
{
  TestController *test = test_controller_new (algorithm, n_layers, NULL, NULL);
  gint i;

  test_slot (test, -1);
  for (i = 0; i < level; i++)
    test_slot (test, (gint) n_layers - 2);
  test_slot (test, -1);
  test_slot (test, -1);
  test_fail_unless_level (test, level);
  g_array_set_size (test->changes, 0);

  return test;
}

GST_START_TEST (test_a_signal_of_the_level_or_above_lets_go_up_one_level)
{
  TestController *test = new_at_level (algorithms[__i__], 6, 2);
  gint signal;

  for (signal = -1; signal < 2; signal++) {
    test_slot (test, signal);
    test_slot (test, -1);
    test_fail_unless_level (test, 2);
  }
  test_slot (test, 2);
  test_fail_unless_level (test, 2);
  test_slot (test, -1);
  test_fail_unless_level (test, 3);
  test_slot (test, 4);
  test_slot (test, -1);
  test_fail_unless_level (test, 4);
  test_controller_free (test);
}

GST_END_TEST;

/* The paper's Table I: p_0 = .33, p_1 = .2, p_2 = .09: in eight slots the
 * signals are -1 0 -1 1 -1 -1 -1 2. */
GST_START_TEST (test_the_signals_of_table_one_lift_each_level_as_they_say)
{
  static const gint signals[] = { -1, 0, -1, 1, -1, -1, -1, 2 };
  static const gint levels[] = { 0, 1, 1, 2, 2, 2, 2, 3 };
  TestController *test = new_at_level (algorithms[__i__], 4, 0);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (signals); i++) {
    test_slot (test, signals[i]);
    if (i > 0)
      test_fail_unless_level (test, levels[i - 1]);
  }
  test_slot (test, -1);
  test_fail_unless_level (test, 3);
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_a_slot_with_loss_is_one_step_down_at_its_end)
{
  static const TestLoss losses[] = { {0, 1, 2}, {3, 3, 5} };
  TestController *test = new_at_level (algorithms[__i__], 6, 4);
  LmccTime begin = test->now;
  TestLevelChange change;

  test_slot_full (test, 4, 0, losses, G_N_ELEMENTS (losses));
  test_fail_unless_level (test, 4);
  test_slot (test, -1);
  test_fail_unless_level (test, 3);
  fail_unless_equals_int (test->changes->len, 1);
  change = g_array_index (test->changes, TestLevelChange, 0);
  fail_unless (change.at >= begin + TEST_SLOT
      && change.at < begin + TEST_SLOT + TEST_SLOT / TEST_SLOT_PACKETS);
  test_slot (test, -1);
  test_fail_unless_level (test, 3);
  test_controller_free (test);
}

GST_END_TEST;

/* A gap at the slot's end shows in the next slot: it keeps from going up, and
 * is answered once. */
GST_START_TEST (test_a_loss_that_shows_late_is_answered_once)
{
  TestController *test = new_at_level (algorithms[__i__], 6, 2);

  test_slot_lossy (test, 5, 0, 7, 7);
  test_slot (test, -1);
  test_fail_unless_level (test, 2);
  test_slot (test, -1);
  test_fail_unless_level (test, 1);
  test_slot (test, -1);
  test_slot (test, -1);
  test_fail_unless_level (test, 1);

  /* It belongs to a slot that had a loss before: nothing new. */
  test_slot_full (test, -1, 0, (TestLoss[]) { {
      0, 1, 1}, {
      0, 7, 7}}, 2);
  test_slot (test, -1);
  test_fail_unless_level (test, 0);
  test_slot (test, 0);
  test_slot (test, -1);
  test_fail_unless_level (test, 1);
  test_slot (test, -1);
  test_fail_unless_level (test, 1);
  test_controller_free (test);
}

GST_END_TEST;

/* What each layer loses across the border is of the slot before. */
GST_START_TEST (test_an_overflow_at_the_border_of_two_slots_is_one_step)
{
  static const TestLoss before[] = { {0, 7, 7}, {1, 6, 7}, {3, 7, 7} };
  static const TestLoss after[] = { {0, 0, 1}, {1, 0, 0}, {3, 0, 1} };
  TestController *test = new_at_level (algorithms[__i__], 6, 4);
  guint i;

  test_slot_full (test, -1, 0, before, G_N_ELEMENTS (before));
  test_slot_full (test, -1, 0, after, G_N_ELEMENTS (after));
  for (i = 0; i < 4; i++)
    test_slot (test, -1);
  test_fail_unless_level (test, 3);
  test_controller_free (test);
}

GST_END_TEST;

/* Other layers lose before the border than after it. */
GST_START_TEST (test_an_overflow_of_other_layers_after_the_border_is_the_same)
{
  TestController *test = new_at_level (algorithms[__i__], 6, 4);
  guint i;

  test_slot_lossy (test, -1, 1, 7, 7);
  test_slot_lossy (test, -1, 3, 0, 0);
  for (i = 0; i < 4; i++)
    test_slot (test, -1);
  test_fail_unless_level (test, 3);

  /* The later of the two slots has loss of its own. */
  test_slot_lossy (test, -1, 1, 7, 7);
  test_slot_full (test, -1, 0, (TestLoss[]) { {
      3, 0, 0}
      , {
      0, 4, 4}
      }
      , 2);
  for (i = 0; i < 4; i++)
    test_slot (test, -1);
  test_fail_unless_level (test, 1);
  test_controller_free (test);
}

GST_END_TEST;

/* The first slot's loss shows in the second, which has one of its own. */
GST_START_TEST (test_each_slot_with_loss_is_one_step_however_late_it_shows)
{
  static const TestLoss second[] = { {0, 3, 3}, {2, 7, 7} };
  TestController *test = new_at_level (algorithms[__i__], 6, 4);

  test_slot_lossy (test, -1, 1, 7, 7);
  test_slot_full (test, -1, 0, second, G_N_ELEMENTS (second));
  test_slot (test, -1);
  test_fail_unless_level (test, 3);
  test_slot (test, -1);
  test_fail_unless_level (test, 2);
  test_slot (test, -1);
  test_slot (test, -1);
  test_fail_unless_level (test, 2);
  test_controller_free (test);
}

GST_END_TEST;

/* At its end the slot seemed to be without loss, as no packet of the layer had
 * come since; it led up, which it should not have. */
GST_START_TEST (test_a_step_up_after_a_slot_with_loss_is_taken_back)
{
  static const TestLoss before[] = { {2, 7, 7} };
  TestController *test = new_at_level (algorithms[__i__], 6, 2);

  test_slot_full (test, 5, 0, before, G_N_ELEMENTS (before));
  test_slot (test, -1);
  test_fail_unless_level (test, 3);
  test_slot (test, -1);
  test_fail_unless_level (test, 2);
  test_slot (test, -1);
  test_fail_unless_level (test, 1);
  test_slot (test, -1);
  test_fail_unless_level (test, 1);
  test_controller_free (test);
}

GST_END_TEST;

/* It is due to go down and may go up: it stays. */
GST_START_TEST (test_a_step_owed_and_a_signal_cancel_out)
{
  TestController *test = new_at_level (algorithms[__i__], 6, 2);

  test_slot_lossy (test, -1, 0, 7, 7);
  test_slot (test, 1);
  test_slot (test, -1);
  test_slot (test, -1);
  test_fail_unless_level (test, 2);
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_the_lowest_level_stays_and_the_highest_does_not_rise)
{
  TestController *test = new_at_level (algorithms[__i__], 3, 0);
  guint i;

  for (i = 0; i < 5; i++) {
    test_slot_lossy (test, -1, 0, 2, 2);
    test_fail_unless_level (test, 0);
  }
  test_slot (test, -1);
  for (i = 0; i < 10; i++)
    test_slot (test, 10);
  test_fail_unless_level (test, 2);
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_silent_slots_are_loss)
{
  TestController *test = new_at_level (algorithms[__i__], 6, 4);

  /* The slot that was heard last is given up after two slot lengths; from then
   * on each slot is a step. */
  test_controller_until (test, test->now + TEST_SLOT + TEST_SLOT / 2);
  test_fail_unless_level (test, 4);
  test_controller_until (test, test->now + TEST_SLOT);
  test_fail_unless_level (test, 3);
  test_controller_until (test, test->now + TEST_SLOT);
  test_fail_unless_level (test, 2);
  test_controller_until (test, test->now + 10 * TEST_SLOT);
  test_fail_unless_level (test, 0);
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_without_base_packets_the_level_falls)
{
  TestController *test = new_at_level (algorithms[__i__], 6, 3);

  test_slot_lossy (test, 3, 0, 0, TEST_SLOT_PACKETS - 1);
  test_slot (test, -1);
  test_fail_unless_level (test, 2);
  test_controller_free (test);
}

GST_END_TEST;

/* The wish to go up came to nothing because of a cap: it does not come true
 * when the cap is lifted, but at the next signal. */
GST_START_TEST (test_a_lifted_cap_waits_for_the_next_signal)
{
  TestController *test = new_at_level (algorithms[__i__], 6, 2);

  test->cap = 2;
  test_slot (test, 5);
  test_slot (test, -1);
  test_fail_unless_level (test, 2);
  test->cap = 5;
  test_controller_follow (test);
  test_fail_unless_level (test, 2);
  test_slot (test, 5);
  test_slot (test, -1);
  test_fail_unless_level (test, 3);
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_slow_leaves_of_static_layers_make_deaf)
{
  TestController *test = new_at_level ("flid-sl", 6, 4);
  guint i;

  test->leave_latency = 3 * TEST_SLOT;
  test_slot_lossy (test, -1, 0, 1, 1);
  for (i = 0; i < 4; i++)
    test_slot (test, -1);
  test_fail_unless_level (test, 3);
  fail_unless_equals_string (test_controller_state (test), "clean");

  /* The next step down: now it is known, and losses of the next slots are
   * ignored, and so are signals. */
  test_slot_lossy (test, -1, 0, 1, 1);
  for (i = 0; i < 4; i++) {
    test_slot_lossy (test, 5, 0, 1, 1);
    test_fail_unless_level (test, 2);
    fail_unless_equals_string (test_controller_state (test), "deaf");
  }
  test_slot (test, 5);
  test_slot (test, 5);
  test_fail_unless_level (test, 3);
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_dynamic_layers_need_no_deaf_period)
{
  TestController *test = new_at_level ("flid-dl", 6, 5);
  gint i;

  for (i = 0; i < 5; i++)
    test_slot_lossy (test, -1, 0, 1, 1);
  test_slot (test, -1);
  test_fail_unless_level (test, 0);
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_the_slot_count_goes_on_over_the_wrap)
{
  TestController *test = test_controller_new (algorithms[__i__], 4, NULL, NULL);
  guint i;

  test->session.slot_modulus = 65520;
  test->controller->klass->free (test->controller);
  test->controller =
      lmcc_algorithm_find (algorithms[__i__])->create (&test->session,
      test->settings, 1);
  test->level = -1;
  test_controller_follow (test);
  test->slot = 65515;
  for (i = 0; i < 10; i++)
    test_slot (test, i % 3 == 2 ? 2 : -1);
  test_fail_unless_level (test, 3);
  test_controller_free (test);
}

GST_END_TEST;

static Suite *
flid_suite (void)
{
  Suite *suite = suite_create ("flid");
  TCase *tcase = tcase_create ("general");
  gint n = G_N_ELEMENTS (algorithms);

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase,
      test_a_signal_of_the_level_or_above_lets_go_up_one_level, 0, n);
  tcase_add_loop_test (tcase,
      test_the_signals_of_table_one_lift_each_level_as_they_say, 0, n);
  tcase_add_loop_test (tcase, test_a_slot_with_loss_is_one_step_down_at_its_end,
      0, n);
  tcase_add_loop_test (tcase, test_a_loss_that_shows_late_is_answered_once, 0,
      n);
  tcase_add_loop_test (tcase,
      test_an_overflow_at_the_border_of_two_slots_is_one_step, 0, n);
  tcase_add_loop_test (tcase,
      test_an_overflow_of_other_layers_after_the_border_is_the_same, 0, n);
  tcase_add_loop_test (tcase,
      test_each_slot_with_loss_is_one_step_however_late_it_shows, 0, n);
  tcase_add_loop_test (tcase,
      test_a_step_up_after_a_slot_with_loss_is_taken_back, 0, n);
  tcase_add_loop_test (tcase, test_a_step_owed_and_a_signal_cancel_out, 0, n);
  tcase_add_loop_test (tcase,
      test_the_lowest_level_stays_and_the_highest_does_not_rise, 0, n);
  tcase_add_loop_test (tcase, test_silent_slots_are_loss, 0, n);
  tcase_add_loop_test (tcase, test_without_base_packets_the_level_falls, 0, n);
  tcase_add_loop_test (tcase, test_a_lifted_cap_waits_for_the_next_signal, 0,
      n);
  tcase_add_test (tcase, test_slow_leaves_of_static_layers_make_deaf);
  tcase_add_test (tcase, test_dynamic_layers_need_no_deaf_period);
  tcase_add_loop_test (tcase, test_the_slot_count_goes_on_over_the_wrap, 0, n);

  return suite;
}

GST_CHECK_MAIN (flid);
