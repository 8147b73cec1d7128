/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the state machine of McCanne's RLM for ns, with its constants: join
 * timers with a mean of 5 to 60 s, detection time 5 s, its deviation 2 s.
 */
#include "support/test-controller.h"
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/measure/loss.h>
#include <math.h>

#define N_LAYERS 5

/* TD + 1.5 TDVAR, TD + 2 TDVAR, and TD + (n/2 + 1.5) TDVAR with n = 1 at the
 * base. */
#define CONSERVATIVE (8 * LMCC_SECOND)
#define RECENT (9 * LMCC_SECOND)
#define WAIT_AT_BASE (9 * LMCC_SECOND)

/* I/2 plus an exponentially distributed time with a mean of I and below 4 I,
 * divided by I. */
#define JOIN_MEAN (0.5 + 1 - 4 * exp (-4) / (1 - exp (-4)))

/* Restarts with the test's settings. */
static void
restart (TestController *test, guint32 seed)
{
  test->controller->klass->free (test->controller);
  test->controller = lmcc_algorithm_find ("rlm")->create (&test->session,
      test->settings, seed);
  test->level = -1;
  g_array_set_size (test->changes, 0);
  test_controller_follow (test);
}

static TestController *
new_rlm (guint32 seed, const gchar *setting, const gchar *value)
{
  TestController *test = test_controller_new ("rlm", N_LAYERS, setting, value);

  restart (test, seed);

  return test;
}

static void
packet (TestController *test, guint layer)
{
  LmccHeader header = { .layer = (guint8) layer, .lsn = test->lsns[layer]++ };

  test_controller_packet (test, &header);
}

static void
loss (TestController *test, guint layer)
{
  LmccLoss lost = lmcc_loss_at (test->now, 1);

  test->controller->klass->on_loss (test->controller, test->now, layer, &lost);
  test_controller_follow (test);
}

static void
neighbour (TestController *test, guint level)
{
  test->controller->klass->on_neighbour_join (test->controller, test->now,
      level);
}

/* A packet of each joined layer every 100 ms, for @duration or until a level
 * change. */
static gboolean
run (TestController *test, LmccTime duration)
{
  LmccTime end = test->now + duration;
  gint level = test->level, i;

  while (test->now < end && test->level == level) {
    for (i = 0; i <= test->level; i++)
      packet (test, (guint) i);
    test_controller_until (test, MIN (test->now + 100 * LMCC_MSECOND, end));
  }

  return test->level != level;
}

static TestController *
new_at_level (gint level, const gchar *setting, const gchar *value)
{
  TestController *test = new_rlm (7, setting, value);

  while (test->level < level)
    fail_unless (run (test, 100 * LMCC_SECOND));
  test_fail_unless_level (test, level);

  return test;
}

static LmccTime
timer_at (TestController *test, const gchar *name)
{
  LmccControllerStatus status = { 0 };

  test->controller->klass->get_status (test->controller, test->now, &status);

  return g_strcmp0 (status.timer, name) == 0 ? status.timer_at : LMCC_TIME_NONE;
}

static void
fail_unless_state (TestController *test, const gchar *state)
{
  fail_unless_equals_string (test_controller_state (test), state);
}

GST_START_TEST (test_the_first_join_comes_after_half_to_four_and_a_half_means)
{
  gdouble sum = 0;
  guint seed, n = test_rounds (2000);

  for (seed = 0; seed < n; seed++) {
    TestController *test = new_rlm (seed, NULL, NULL);
    LmccTime begin = test->now, taken;

    packet (test, 0);
    while (test->level == 0)
      test_controller_until (test, test->now + 10 * LMCC_MSECOND);
    taken = test->now - begin;
    test_fail_unless_level (test, 1);
    fail_unless (taken >= 2500 * LMCC_MSECOND && taken <= 22510 * LMCC_MSECOND);
    sum += (gdouble) taken / LMCC_SECOND;
    test_controller_free (test);
  }
  /* The standard deviation is 4.3 s: three of them, for the mean. */
  fail_unless (fabs (sum / n - 5 * JOIN_MEAN) < 3 * 4.3 / sqrt (n) + 0.01,
      "mean %g s, not %g", sum / n, 5 * JOIN_MEAN);
}

GST_END_TEST;

GST_START_TEST (test_no_join_while_an_experiment_is_recent)
{
  TestController *test = new_rlm (3, NULL, NULL);
  LmccTime last = 0;
  guint i;

  while (test->level < N_LAYERS - 1)
    run (test, 100 * LMCC_SECOND);
  for (i = 1; i < test->changes->len; i++) {
    LmccTime at = g_array_index (test->changes, TestLevelChange, i).at;

    fail_unless (i == 1 || at >= last + RECENT);
    last = at;
  }
  /* All layers are joined. */
  fail_unless_equals_uint64 (timer_at (test, "join timer"), LMCC_TIME_NONE);
  fail_if (run (test, 300 * LMCC_SECOND));
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_a_loss_soon_after_an_own_join_drops_the_layer_at_once)
{
  TestController *test = new_at_level (1, NULL, NULL);

  fail_unless_state (test, "steady");
  run (test, LMCC_SECOND);
  loss (test, 0);
  test_fail_unless_level (test, 0);
  fail_unless_state (test, "drop");
  /* D = 1 s: TD = 5 + (1 - 5)/4 = 4 s, TDVAR = 2 + (4 - 2)/4 = 2.5 s; the
   * state lasts for TD + 1.5 TDVAR, and ignores losses. */
  run (test, 7700 * LMCC_MSECOND);
  loss (test, 0);
  fail_unless_state (test, "drop");
  run (test, 100 * LMCC_MSECOND);
  fail_unless_state (test, "steady");
  test_controller_free (test);
}

GST_END_TEST;

/* Each failure doubles the mean time, up to 60 s. */
GST_START_TEST (test_failed_experiments_become_rare)
{
  gdouble sum = 0;
  guint n = 0, seed;

  for (seed = 0; seed < 10; seed++) {
    TestController *test = new_rlm (seed, NULL, NULL);
    LmccTime last = 0;
    guint failures;

    for (failures = 0; failures < 40; failures++) {
      while (!run (test, 10 * LMCC_SECOND))
        ;
      test_fail_unless_level (test, 1);
      /* The join timer's mean stays constant after log2 (60 / 5) failures. */
      if (failures >= 6) {
        sum += (gdouble) (test->now - last) / LMCC_SECOND;
        n++;
      }
      last = test->now;
      run (test, (5 + failures % 3 * 3) * 100 * LMCC_MSECOND);
      loss (test, 1);
      test_fail_unless_level (test, 0);
    }
    test_controller_free (test);
  }
  /* The standard deviation is 52 s, that of the mean of 340 is 2.8 s. */
  fail_unless (fabs (sum / n - 60 * JOIN_MEAN) < 3 * 2.8, "mean %g s, not %g",
      sum / n, 60 * JOIN_MEAN);
}

GST_END_TEST;

GST_START_TEST (
    test_a_loss_without_an_experiment_leads_over_hysteresis_to_measurement)
{
  TestController *test = new_rlm (7, "join-timer-min", "500");

  run (test, LMCC_SECOND);
  loss (test, 0);
  fail_unless_state (test, "hysteresis");
  run (test, CONSERVATIVE - 100 * LMCC_MSECOND);
  loss (test, 0);
  fail_unless_state (test, "hysteresis");
  run (test, 100 * LMCC_MSECOND);
  fail_unless_state (test, "measurement");
  run (test, WAIT_AT_BASE - 100 * LMCC_MSECOND);
  fail_unless_state (test, "measurement");
  run (test, 100 * LMCC_MSECOND);
  fail_unless_state (test, "steady");
  test_fail_unless_level (test, 0);
  test_controller_free (test);
}

GST_END_TEST;

/* A receiver at level 1 whose layers are old, in state M. */
static TestController *
new_in_measurement (void)
{
  TestController *test = new_at_level (1, "join-timer-max", "3600");

  /* No experiment interferes. */
  test->cap = 1;
  run (test, 2 * RECENT);
  loss (test, 0);
  fail_unless_state (test, "hysteresis");
  run (test, CONSERVATIVE);
  fail_unless_state (test, "measurement");

  return test;
}

GST_START_TEST (test_more_than_a_quarter_lost_in_measurement_drops_a_layer)
{
  TestController *test = new_in_measurement ();
  guint i;

  test_controller_until (test, test->now + LMCC_MSECOND);
  for (i = 0; i < 12; i++)
    packet (test, 0);
  /* 4 of 16 is not above a quarter, 5 of 17 is. */
  for (i = 0; i < 4; i++)
    loss (test, 0);
  test_fail_unless_level (test, 1);
  loss (test, 0);
  test_fail_unless_level (test, 0);
  fail_unless_state (test, "drop");
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_nine_packets_in_measurement_say_nothing)
{
  TestController *test = new_in_measurement ();
  guint i;

  test_controller_until (test, test->now + LMCC_MSECOND);
  for (i = 0; i < 9; i++)
    loss (test, 0);
  test_fail_unless_level (test, 1);
  loss (test, 0);
  test_fail_unless_level (test, 0);
  test_controller_free (test);
}

GST_END_TEST;

/* A loss while the highest layer is new, but without a pending experiment of
 * its own: other receivers' joins made it new. */
GST_START_TEST (test_a_loss_after_anothers_join_of_our_level_is_measured)
{
  TestController *test = new_at_level (1, NULL, NULL);

  test->cap = 1;
  run (test, 2 * RECENT);
  neighbour (test, 1);
  run (test, LMCC_SECOND);
  loss (test, 0);
  test_fail_unless_level (test, 1);
  fail_unless_state (test, "measurement");
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_anothers_failed_experiment_is_learnt_from)
{
  TestController *test = new_rlm (7, "back-off", "10");
  LmccTime learnt;

  packet (test, 0);
  neighbour (test, 1);
  test_controller_until (test, test->now + LMCC_SECOND);
  learnt = test->now;
  loss (test, 0);
  test_fail_unless_level (test, 0);
  fail_unless_state (test, "hysteresis");
  /* The join timer restarts with ten times its mean: at least 25 s. */
  while (test->level == 0)
    run (test, 10 * LMCC_SECOND);
  fail_unless (test->now >= learnt + 25 * LMCC_SECOND);
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_while_a_lower_level_is_tried_by_others_nobody_joins)
{
  TestController *test = new_at_level (2, NULL, NULL);
  guint i;

  for (i = 0; i < 60; i++) {
    neighbour (test, 1);
    fail_if (run (test, 5 * LMCC_SECOND));
  }
  fail_unless (run (test, 300 * LMCC_SECOND));
  test_fail_unless_level (test, 3);
  test_controller_free (test);
}

GST_END_TEST;

/* Another receiver tries a higher level: this says nothing about the
 * receiver's own join. */
GST_START_TEST (test_others_above_do_not_keep_from_joining)
{
  TestController *test = new_rlm (7, NULL, NULL);
  guint i;

  for (i = 0; i < 20 && test->level == 0; i++) {
    neighbour (test, 3);
    run (test, 5 * LMCC_SECOND);
  }
  test_fail_unless_level (test, 1);
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_nothing_is_joined_above_a_layer_that_brings_nothing)
{
  TestController *test = new_at_level (1, NULL, NULL);
  LmccTime end = test->now + 200 * LMCC_SECOND;

  while (test->now < end) {
    packet (test, 0);
    test_controller_until (test, test->now + 100 * LMCC_MSECOND);
  }
  test_fail_unless_level (test, 1);
  fail_unless (run (test, 400 * LMCC_SECOND));
  test_fail_unless_level (test, 2);
  test_controller_free (test);
}

GST_END_TEST;

/* After a failed experiment with level 1 (its mean time is then 10 times 5
 * s), stays at the level for @held without loss, drops it, and lets another
 * receiver fail (10 times more). Returns the time until level 1 is tried
 * again. */
static LmccTime
time_to_retry (guint32 seed, LmccTime held)
{
  TestController *test = new_rlm (seed, "back-off", "10");
  LmccTime begin;
  guint i;

  fail_unless (
      lmcc_settings_set (test->settings, "join-timer-max", "3600", NULL));
  restart (test, seed);
  while (!run (test, 10 * LMCC_SECOND))
    ;
  loss (test, 1);
  test_fail_unless_level (test, 0);
  while (!run (test, 10 * LMCC_SECOND))
    ;
  test->cap = 1;
  run (test, held);
  loss (test, 0);
  fail_unless_state (test, "hysteresis");
  while (!g_str_equal (test_controller_state (test), "measurement"))
    run (test, LMCC_SECOND);
  test_controller_until (test, test->now + LMCC_MSECOND);
  for (i = 0; i < 1000; i++)
    loss (test, 0);
  test_fail_unless_level (test, 0);
  /* At level 0 only from here on. */
  test->cap = 0;
  while (!g_str_equal (test_controller_state (test), "steady"))
    run (test, LMCC_SECOND);
  neighbour (test, 1);
  loss (test, 0);
  fail_unless_state (test, "hysteresis");
  test->cap = 1;
  begin = test->now;
  while (!run (test, 10 * LMCC_SECOND))
    ;
  begin = test->now - begin;
  test_controller_free (test);

  return begin;
}

/* While a layer is joined without loss, its mean join time becomes 0.75
 * times the previous value after each detection time, down to 5 s. */
GST_START_TEST (test_a_level_held_for_long_is_forgiven_its_failure)
{
  gdouble shortly = 0, for_long = 0;
  guint32 seed, n = 40;

  for (seed = 0; seed < n; seed++) {
    shortly += (gdouble) time_to_retry (seed, 15 * LMCC_SECOND) / LMCC_SECOND;
    for_long += (gdouble) time_to_retry (seed, 600 * LMCC_SECOND) / LMCC_SECOND;
  }
  /* The other receiver's failure makes 50 s of 5 s. Without forgiveness, it
   * would make 500 s of 50 s; in 15 s, two or three detection times pass. */
  fail_unless (fabs (for_long / n - 50 * JOIN_MEAN) < 3 * 43 / sqrt (n),
      "mean %g s, not %g", for_long / n, 50 * JOIN_MEAN);
  fail_unless (shortly / n
          > 500 * pow (0.75, 3) * JOIN_MEAN - 3 * 215 / sqrt (n),
      "mean %g s", shortly / n);
}

GST_END_TEST;

GST_START_TEST (test_the_base_stays)
{
  TestController *test = new_rlm (7, NULL, NULL);
  guint i;

  test->cap = 0;
  for (i = 0; i < 1000; i++) {
    loss (test, 0);
    test_controller_until (test, test->now + 100 * LMCC_MSECOND);
  }
  test_fail_unless_level (test, 0);
  test_controller_free (test);
}

GST_END_TEST;

static Suite *
rlm_suite (void)
{
  Suite *suite = suite_create ("rlm");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      test_the_first_join_comes_after_half_to_four_and_a_half_means);
  tcase_add_test (tcase, test_no_join_while_an_experiment_is_recent);
  tcase_add_test (tcase,
      test_a_loss_soon_after_an_own_join_drops_the_layer_at_once);
  tcase_add_test (tcase, test_failed_experiments_become_rare);
  tcase_add_test (tcase,
      test_a_loss_without_an_experiment_leads_over_hysteresis_to_measurement);
  tcase_add_test (tcase,
      test_more_than_a_quarter_lost_in_measurement_drops_a_layer);
  tcase_add_test (tcase, test_nine_packets_in_measurement_say_nothing);
  tcase_add_test (tcase,
      test_a_loss_after_anothers_join_of_our_level_is_measured);
  tcase_add_test (tcase, test_anothers_failed_experiment_is_learnt_from);
  tcase_add_test (tcase,
      test_while_a_lower_level_is_tried_by_others_nobody_joins);
  tcase_add_test (tcase, test_others_above_do_not_keep_from_joining);
  tcase_add_test (tcase,
      test_nothing_is_joined_above_a_layer_that_brings_nothing);
  tcase_add_test (tcase, test_a_level_held_for_long_is_forgiven_its_failure);
  tcase_add_test (tcase, test_the_base_stays);

  return suite;
}

GST_CHECK_MAIN (rlm);
