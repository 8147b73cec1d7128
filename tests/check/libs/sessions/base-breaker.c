/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The circuit breaker in sessions: who has something to give goes on, and who
 * has not leaves a path that does not carry the base.
 */
#include "support/test-net.h"

#include <gst/check/gstcheck.h>

#define N_LAYERS 8
#define RTT (60 * LMCC_MSECOND)

/* 46 packets of the base in a second. */
#define BASE 368e3

/* More than R_5, of 11.776 Mbit/s. */
#define WIDE 13e6

static TestNet *
new_net (const gchar *algorithm, gdouble loss, gint max_level)
{
  TestNetConfig config = {
    .n_layers = N_LAYERS,
    .algorithm = algorithm,
    .leave_latency = 3 * LMCC_SECOND,
    .shared = {
          .rate = (guint64) WIDE,
          .delay = RTT / 2,
          .queue_bytes = (guint64) (2 * WIDE / 8 * RTT / LMCC_SECOND),
          .loss = loss,
        },
  };
  TestNetReceiverConfig receiver = { .max_level = max_level };
  TestNet *net;

  lmcc_rates_compute (LMCC_RATE_SCHEME_DOUBLING, BASE, 0, N_LAYERS,
      config.rates, NULL);
  net = test_net_new (&config);
  test_net_add_receiver (net, &receiver);
  test_net_run (net, LMCC_SECOND);

  return net;
}

static gboolean
is_over (const TestNet *net)
{
  return net->receivers[0].level < 0;
}

/* Returns: seconds until the reception is over; @limit: it is not by then */
static guint
run_until_over (TestNet *net, guint limit)
{
  guint i;

  for (i = 0; i < limit && !is_over (net); i++)
    test_net_run (net, LMCC_SECOND);

  return i;
}

static const gchar *const algorithms[] = { "elm", "plumb", "rlm" };

/* Leaves take 3 s, in which the base shares what the link loses. */
GST_START_TEST (test_a_link_that_shrinks_at_level_5_ends_nothing)
{
  const gchar *algorithm = algorithms[__i__];
  guint share;

  for (share = 2; share <= 8; share *= 2) {
    g_autoptr (TestNet) net = new_net (algorithm, 0, 5);

    test_net_run (net, 60 * LMCC_SECOND);
    fail_unless_equals_int (net->receivers[0].level, 5);
    net->shared.settings.rate /= share;
    fail_unless_equals_int (run_until_over (net, 120), 120);
  }
}

GST_END_TEST;

/* The level is changed by hand, as an algorithm does that finds no peace where
 * the network goes on with what was left. */
GST_START_TEST (test_9_to_20_percent_with_flutter_end_it)
{
  g_autoptr (TestNet) net = new_net ("none", 0, 0);
  guint i;

  test_net_run (net, 10 * LMCC_SECOND);
  for (i = 0; i < 30 && !is_over (net); i++) {
    net->shared.settings.loss = g_rand_double_range (net->random, .09, .20);
    lmcc_receiver_set_max_level (net->receivers[0].receiver, i / 2 % 2,
        net->now);
    test_net_run (net, LMCC_SECOND);
  }
  fail_unless (is_over (net));
  fail_unless (i >= 10, "after %u s", i);
}

GST_END_TEST;

GST_START_TEST (test_random_loss_ends_it_only_where_it_is_too_much)
{
  static const struct
  {
    gdouble loss;
    guint limit, least, most;
  } cases[] = {
    { .05, 1800, 1800, 1800 },
    { .12, 60, 10, 30 },
    { .30, 60, 10, 13 },
  };
  g_autoptr (TestNet) net = new_net ("none", cases[__i__].loss, 0);
  guint at = run_until_over (net, cases[__i__].limit);

  fail_if (at < cases[__i__].least || at > cases[__i__].most, "after %u s", at);
}

GST_END_TEST;

GST_START_TEST (test_outages_of_3_s_end_nothing)
{
  g_autoptr (TestNet) net = new_net ("none", .02, 0);
  guint i;

  for (i = 0; i < 5; i++) {
    fail_unless_equals_int (run_until_over (net, 20), 20);
    net->shared.settings.loss = i % 2 == 0 ? 1 : .9;
    fail_unless_equals_int (run_until_over (net, 3), 3);
    net->shared.settings.loss = .02;
  }
  fail_unless_equals_int (run_until_over (net, 30), 30);
}

GST_END_TEST;

static Suite *
base_breaker_suite (void)
{
  Suite *s = suite_create ("base-breaker");
  TCase *tc = tcase_create ("sessions");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_a_link_that_shrinks_at_level_5_ends_nothing, 0,
      test_net_is_slow () ? 1 : G_N_ELEMENTS (algorithms));
  tcase_add_test (tc, test_9_to_20_percent_with_flutter_end_it);
  tcase_add_loop_test (tc, test_random_loss_ends_it_only_where_it_is_too_much,
      0, 3);
  tcase_add_test (tc, test_outages_of_3_s_end_nothing);

  return s;
}

GST_CHECK_MAIN (base_breaker);
