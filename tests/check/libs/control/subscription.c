/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the join strategies of Colussi's thesis: when a receiver joins and
 * leaves layers.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/elm/subscription.h>
#include <gst/lmcc/lmcc.h>
#include <math.h>

/* Cumulative rates of 128 x 2^i kbit/s, as in the paper's simulations. */
static const LmccSubscriptionRates at_256 = { 128e3, 256e3, 512e3 };
static const LmccSubscriptionRates at_512 = { 256e3, 512e3, 1024e3 };

static const LmccSubscriptionConfig lazy = {
  .strategy = LMCC_STRATEGY_LAZY,
  .join_time = 25 * LMCC_SECOND,
  .leave_time = 25 * LMCC_SECOND,
  .join_reactivity = LMCC_REACTIVITY_LINEAR,
  .leave_reactivity = LMCC_REACTIVITY_SQUARE_ROOT,
};

static gdouble
wait_for_join (const LmccSubscriptionConfig *config, gdouble rate)
{
  LmccSubscription subscription;

  lmcc_subscription_init (&subscription, config);
  lmcc_subscription_update (&subscription, LMCC_SECOND, rate, &at_256);
  fail_unless (subscription.join.running);
  fail_if (subscription.leave.running);

  return (gdouble) (subscription.join.at - LMCC_SECOND) / LMCC_SECOND;
}

static gdouble
wait_for_leave (const LmccSubscriptionConfig *config, gdouble rate)
{
  LmccSubscription subscription;

  lmcc_subscription_init (&subscription, config);
  lmcc_subscription_update (&subscription, LMCC_SECOND, rate, &at_512);
  fail_unless (subscription.leave.running);
  fail_if (subscription.join.running);

  return (gdouble) (subscription.leave.at - LMCC_SECOND) / LMCC_SECOND;
}

GST_START_TEST (test_the_lazy_strategy_waits_as_equations_18_to_21_say)
{
  static const struct
  {
    gdouble rate, wait;
  } joins[] = {
    {520e3, 24.2}, {600e3, 16.4}, {700e3, 6.6}, {768e3, 0}, {1e9, 0},
  }, leaves[] = {
    {500e3, 19.6}, {450e3, 12.7}, {384e3, 7.3}, {300e3, 2.2}, {256e3, 0},
    {1e3, 0},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (joins); i++)
    fail_unless (
        fabs (wait_for_join (&lazy, joins[i].rate) - joins[i].wait) < 0.05);
  for (i = 0; i < G_N_ELEMENTS (leaves); i++)
    fail_unless (
        fabs (wait_for_leave (&lazy, leaves[i].rate) - leaves[i].wait) < 0.05);
}

GST_END_TEST;

GST_START_TEST (test_an_infinite_rate_is_joined_for_at_once)
{
  fail_unless_equals_float (wait_for_join (&lazy, INFINITY), 0);
}

GST_END_TEST;

GST_START_TEST (test_naive_waits_never_and_skeptical_always_as_long)
{
  LmccSubscriptionConfig config = lazy;

  config.strategy = LMCC_STRATEGY_NAIVE;
  fail_unless_equals_float (wait_for_join (&config, 513e3), 0);
  fail_unless_equals_float (wait_for_leave (&config, 511e3), 0);
  config.strategy = LMCC_STRATEGY_SKEPTICAL;
  config.leave_time = 7 * LMCC_SECOND;
  fail_unless_equals_float (wait_for_join (&config, 1e9), 25);
  fail_unless_equals_float (wait_for_leave (&config, 1), 7);
}

GST_END_TEST;

GST_START_TEST (test_other_reactivity_functions_wait_longer)
{
  LmccSubscriptionConfig config = lazy;

  config.join_reactivity = LMCC_REACTIVITY_SQUARE;
  fail_unless_equals_float (wait_for_join (&config, 640e3), 25 * 0.75);
  config.join_reactivity = LMCC_REACTIVITY_NONE;
  fail_unless_equals_float (wait_for_join (&config, 767e3), 25);
  fail_unless_equals_float (wait_for_join (&config, 768e3), 0);
}

GST_END_TEST;

GST_START_TEST (test_a_timer_counts_from_the_crossing_with_the_latest_rate)
{
  LmccSubscription subscription;

  lmcc_subscription_init (&subscription, &lazy);
  lmcc_subscription_update (&subscription, 10 * LMCC_SECOND, 520e3, &at_256);
  lmcc_subscription_update (&subscription, 20 * LMCC_SECOND, 640e3, &at_256);
  fail_unless (subscription.join.running);
  fail_unless_equals_uint64 (subscription.join.at, 22500 * LMCC_MSECOND);
  lmcc_subscription_update (&subscription, 21 * LMCC_SECOND, 700e3, &at_256);
  fail_unless (subscription.join.at <= 21 * LMCC_SECOND);
}

GST_END_TEST;

GST_START_TEST (test_crossing_back_cancels_a_timer)
{
  LmccSubscription subscription;

  lmcc_subscription_init (&subscription, &lazy);
  lmcc_subscription_update (&subscription, 1, 600e3, &at_256);
  fail_unless (subscription.join.running);
  lmcc_subscription_update (&subscription, 2, 500e3, &at_256);
  fail_if (subscription.join.running);
  lmcc_subscription_update (&subscription, 3, 200e3, &at_256);
  fail_unless (subscription.leave.running);
  lmcc_subscription_update (&subscription, 4, 260e3, &at_256);
  fail_if (subscription.leave.running);
}

GST_END_TEST;

GST_START_TEST (
    test_no_timer_starts_in_the_passive_zone_and_one_that_runs_goes_on)
{
  LmccSubscriptionConfig config = lazy;
  LmccSubscription subscription;

  config.passive_zone = 0.25;
  lmcc_subscription_init (&subscription, &config);
  lmcc_subscription_update (&subscription, 1, 570e3, &at_256);
  fail_if (subscription.join.running);
  lmcc_subscription_update (&subscription, 2, 580e3, &at_256);
  fail_unless (subscription.join.running);
  lmcc_subscription_update (&subscription, 3, 520e3, &at_256);
  fail_unless (subscription.join.running);
  fail_unless_equals_uint64 (subscription.join.since, 2);
}

GST_END_TEST;

GST_START_TEST (test_nothing_is_left_at_the_base_and_nothing_joined_at_the_top)
{
  const LmccSubscriptionRates base = { 0, 128e3, 256e3 };
  const LmccSubscriptionRates top = { 128e3, 256e3, INFINITY };
  LmccSubscription subscription;

  lmcc_subscription_init (&subscription, &lazy);
  lmcc_subscription_update (&subscription, 1, 1e3, &base);
  fail_if (subscription.leave.running);
  lmcc_subscription_update (&subscription, 2, 1e12, &top);
  fail_if (subscription.join.running);
  lmcc_subscription_update (&subscription, 3, INFINITY, &top);
  fail_if (subscription.join.running);
}

GST_END_TEST;

static Suite *
subscription_suite (void)
{
  Suite *suite = suite_create ("subscription");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      test_the_lazy_strategy_waits_as_equations_18_to_21_say);
  tcase_add_test (tcase, test_an_infinite_rate_is_joined_for_at_once);
  tcase_add_test (tcase, test_naive_waits_never_and_skeptical_always_as_long);
  tcase_add_test (tcase, test_other_reactivity_functions_wait_longer);
  tcase_add_test (tcase,
      test_a_timer_counts_from_the_crossing_with_the_latest_rate);
  tcase_add_test (tcase, test_crossing_back_cancels_a_timer);
  tcase_add_test (tcase,
      test_no_timer_starts_in_the_passive_zone_and_one_that_runs_goes_on);
  tcase_add_test (tcase,
      test_nothing_is_left_at_the_base_and_nothing_joined_at_the_top);

  return suite;
}

GST_CHECK_MAIN (subscription);
