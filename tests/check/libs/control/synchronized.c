/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the rules of J. Wei and L. Zhang, "On Receiver-Driven Layered
 * Multicast Transmission", 2000.
 */
#include "support/test-controller.h"

#include <gst/check/gstcheck.h>

#define N_LAYERS 5

/* Linear layers: the points of layer j come every j + 1 slots, and are not
 * nested. */
static guint64
levels_up_after (guint64 slot)
{
  guint64 levels = 0;
  guint j;

  for (j = 1; j < N_LAYERS; j++) {
    if ((slot + 1) % (j + 1) == 0)
      levels |= G_GUINT64_CONSTANT (1) << (j - 1);
  }

  return levels;
}

static void
run (TestController *test, guint n)
{
  guint i;

  for (i = 0; i < n; i++)
    test_slot_full (test, -1, levels_up_after (test->slot), NULL, 0);
}

static void
run_lossy (TestController *test)
{
  TestLoss loss = { 0, 0, 0 };

  test_slot_full (test, -1, levels_up_after (test->slot), &loss, 1);
}

static LmccTime
last_change_at (TestController *test)
{
  return g_array_index (test->changes, TestLevelChange, test->changes->len - 1)
      .at;
}

static TestController *
new_at_level (gint level, const gchar *setting, const gchar *value)
{
  TestController *test =
      test_controller_new ("synchronized", N_LAYERS, setting, value);
  guint i;

  for (i = 0; test->level < level && i < 200; i++)
    run (test, 1);
  test_fail_unless_level (test, level);

  return test;
}

GST_START_TEST (test_a_layer_is_joined_at_its_own_points_only)
{
  TestController *test =
      test_controller_new ("synchronized", N_LAYERS, NULL, NULL);
  guint i;

  run (test, 40);
  test_fail_unless_level (test, N_LAYERS - 1);
  for (i = 1; i < N_LAYERS; i++) {
    LmccTime at = g_array_index (test->changes, TestLevelChange, i).at;

    fail_unless_equals_uint64 ((at - 10 * LMCC_SECOND) / TEST_SLOT % (i + 1),
        0);
  }
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_without_the_bitmap_nobody_goes_up)
{
  TestController *test =
      test_controller_new ("synchronized", N_LAYERS, NULL, NULL);
  guint i;

  for (i = 0; i < 40; i++)
    test_slot (test, N_LAYERS - 2);
  test_fail_unless_level (test, 0);
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_loss_drops_the_top_layer_and_deafness_makes_it_one_event)
{
  TestController *test = new_at_level (3, "deaf-period", "2");

  test->cap = 3;
  run_lossy (test);
  test_fail_unless_level (test, 2);
  run_lossy (test);
  run_lossy (test);
  run_lossy (test);
  test_fail_unless_level (test, 2);
  run (test, 1);
  run_lossy (test);
  test_fail_unless_level (test, 1);
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_no_layer_is_joined_in_the_deaf_period)
{
  TestController *test = new_at_level (1, "deaf-period", "4");
  LmccTime left;

  test->cap = 1;
  run_lossy (test);
  test_fail_unless_level (test, 0);
  left = last_change_at (test);
  while (test->level == 0)
    run (test, 1);
  fail_unless (last_change_at (test) >= left + 4 * LMCC_SECOND);
  fail_unless (last_change_at (test) < left + 4 * LMCC_SECOND + 3 * TEST_SLOT);
  test_controller_free (test);
}

GST_END_TEST;

/* Number of slots from the drop of layer 1 until its next join, if losses
 * follow each join. */
static guint
slots_until_rejoin (TestController *test)
{
  LmccTime left;

  run_lossy (test);
  test_fail_unless_level (test, 0);
  left = last_change_at (test);
  while (test->level == 0)
    run (test, 1);

  return (guint) ((last_change_at (test) - left + TEST_SLOT / 2) / TEST_SLOT);
}

/* Section III-C: after the k-th failure, 2^k - 1 points are skipped. The
 * points of layer 1 come every two slots. */
GST_START_TEST (test_back_off_passes_one_three_and_seven_points)
{
  TestController *test =
      test_controller_new ("synchronized", N_LAYERS, "back-off", "true");
  guint without, with, k;

  fail_unless (lmcc_settings_set (test->settings, "deaf-period", "0.1", NULL));
  test->controller->klass->free (test->controller);
  test->controller = lmcc_algorithm_find ("synchronized")
                         ->create (&test->session, test->settings, 1);
  test->level = -1;
  test_controller_follow (test);
  while (test->level < 1)
    run (test, 1);
  test->cap = 1;

  /* Joined for its whole interval: not a failure. */
  run (test, 4);
  without = slots_until_rejoin (test);
  fail_unless_equals_int (without, 1);
  for (k = 1; k <= 4; k++) {
    with = slots_until_rejoin (test);
    fail_unless_equals_int (with, 2 * ((1u << k) - 1) + 1);
  }
  /* The join succeeds: all failures are forgotten. */
  run (test, 4);
  fail_unless_equals_int (slots_until_rejoin (test), 1);
  fail_unless_equals_int (slots_until_rejoin (test), 3);
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_without_back_off_each_point_is_tried)
{
  TestController *test = new_at_level (1, "deaf-period", "0.1");
  guint i;

  test->cap = 1;
  for (i = 0; i < 5; i++)
    fail_unless_equals_int (slots_until_rejoin (test), 1);
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_a_silent_slot_is_a_loss)
{
  TestController *test = new_at_level (3, NULL, NULL);

  test_controller_until (test, test->now + 3 * TEST_SLOT);
  test_fail_unless_level (test, 2);
  test_controller_free (test);
}

GST_END_TEST;

static Suite *
synchronized_suite (void)
{
  Suite *suite = suite_create ("synchronized");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_a_layer_is_joined_at_its_own_points_only);
  tcase_add_test (tcase, test_without_the_bitmap_nobody_goes_up);
  tcase_add_test (tcase,
      test_loss_drops_the_top_layer_and_deafness_makes_it_one_event);
  tcase_add_test (tcase, test_no_layer_is_joined_in_the_deaf_period);
  tcase_add_test (tcase, test_back_off_passes_one_three_and_seven_points);
  tcase_add_test (tcase, test_without_back_off_each_point_is_tried);
  tcase_add_test (tcase, test_a_silent_slot_is_a_loss);

  return suite;
}

GST_CHECK_MAIN (synchronized);
