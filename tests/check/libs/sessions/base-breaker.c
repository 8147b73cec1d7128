/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the circuit breaker in sessions: a receiver that can leave a layer
 * continues, and a receiver that cannot leaves a path that does not carry
 * the base layer.
 */
#include "support/test-net.h"

#include <gst/check/gstcheck.h>

#define N_LAYERS 8
#define RTT (60 * LMCC_MSECOND)

/* 46 packets per second in the base layer. */
#define BASE 368e3

/* More than R_5, of 11.776 Mbit/s. */
#define WIDE 13e6

#define SHORT_QUEUE (125 * LMCC_MSECOND)

static TestNet *
new_net_of (LmccLevels levels, const gchar *algorithm, gboolean shaped,
    gdouble loss, gint max_level)
{
  TestNetConfig config = {
    .n_layers = N_LAYERS,
    .levels = levels,
    .shaped = shaped,
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

static TestNet *
new_net (const gchar *algorithm, gboolean shaped, gdouble loss, gint max_level)
{
  return new_net_of (LMCC_LEVELS_CUMULATIVE, algorithm, shaped, loss,
      max_level);
}

static gboolean
is_over (const TestNet *net)
{
  return net->receivers[0].level < 0;
}

/* Returns: seconds until the reception ends; @limit if it does not */
static guint
run_until_over (TestNet *net, guint limit)
{
  guint i;

  for (i = 0; i < limit && !is_over (net); i++)
    test_net_run (net, LMCC_SECOND);

  return i;
}

static const gchar *const algorithms[] = { "elm", "plumb", "rlm" };

/* Leaves take 3 s, in which the base layer shares the losses on the link. */
GST_START_TEST (test_a_link_that_shrinks_at_level_5_ends_nothing)
{
  const gchar *algorithm = algorithms[__i__];
  guint share;

  for (share = 2; share <= 8; share *= 2) {
    g_autoptr (TestNet) net = new_net (algorithm, FALSE, 0, 5);

    test_net_run (net, 60 * LMCC_SECOND);
    fail_unless_equals_int (net->receivers[0].level, 5);
    net->shared.settings.rate /= share;
    fail_unless_equals_int (run_until_over (net, 120), 120);
  }
}

GST_END_TEST;

/* The test changes the level, as an algorithm does that keeps oscillating
 * because the network still forwards left groups. */
GST_START_TEST (test_9_to_20_percent_with_flutter_end_it)
{
  g_autoptr (TestNet) net = new_net ("none", FALSE, 0, 0);
  guint i;

  test_net_run (net, 10 * LMCC_SECOND);
  for (i = 0; i < 90 && !is_over (net); i++) {
    net->shared.settings.loss = g_rand_double_range (net->random, .09, .20);
    lmcc_receiver_set_max_level (net->receivers[0].receiver, i / 2 % 2,
        net->now);
    test_net_run (net, LMCC_SECOND);
  }
  fail_unless (is_over (net));
  fail_unless (i >= 10, "after %u s", i);
}

GST_END_TEST;

/* The base layer has four packets per second: the lowest rung counts. */
GST_START_TEST (test_the_lowest_rung_counts_where_the_base_has_none)
{
  g_autoptr (TestNet) lossy =
      new_net_of (LMCC_LEVELS_REPLICATED, "plumb", FALSE, 0, 0);
  g_autoptr (TestNet) clean =
      new_net_of (LMCC_LEVELS_REPLICATED, "plumb", FALSE, 0.05, 0);
  guint i;

  test_net_run (lossy, 10 * LMCC_SECOND);
  fail_if (is_over (lossy));
  lossy->shared.settings.loss = 0.2;
  i = run_until_over (lossy, 60);
  fail_unless (i >= 10 && i <= 30, "after %u s", i);
  fail_unless_equals_int (run_until_over (clean, 120), 120);
}

GST_END_TEST;

/**
 * Router:
 * @shaped: layers of fixed rates instead of those of the source
 * @level: level of the receiver
 * @excess: share of its packets that the link cannot carry
 * @limit: seconds until the reception must have ended
 *
 * A router that keeps forwarding left groups.
 */
typedef struct
{
  const gchar *algorithm;
  gboolean shaped;
  gint level;
  gdouble excess;
  guint limit;
} Router;

static const Router routers[] = {
  { "plumb", FALSE, 3, .14, 30 },
  { "plumb", FALSE, 3, .16, 30 },
  { "plumb", FALSE, 3, .40, 20 },
  { "elm", FALSE, 3, .20, 30 },
  { "elm", FALSE, 3, .16, 120 },
  { "elm", FALSE, 3, .40, 25 },
  { "rlc", TRUE, 2, .16, 30 },
  { "rlc", TRUE, 3, .20, 30 },
  { "rlc", TRUE, 3, .40, 20 },
  { "flid-dl", TRUE, 3, .12, 40 },
  { "flid-dl", TRUE, 3, .16, 40 },
  { "flid-sl", TRUE, 2, .16, 40 },
  { "synchronized", TRUE, 2, .20, 30 },
};

/* Returns: seconds until the reception ends, if the link shrinks at @start. */
static guint
go_on_with_what_was_left (const Router *row, LmccTime start)
{
  g_autoptr (TestNet) net =
      new_net (row->algorithm, row->shaped, 0, row->level);
  TestLinkSettings *link = &net->shared.settings;

  test_net_run (net, start);
  fail_unless_equals_int (net->receivers[0].level, row->level);
  net->config.leave_latency = 210 * LMCC_SECOND;
  net->config.left_is_unseen = TRUE;
  link->rate = (guint64) (test_net_cumulative_rate (net, row->level)
      * (1 - row->excess));
  link->queue_bytes = link->rate / 8 * SHORT_QUEUE / LMCC_SECOND;
  return run_until_over (net, row->limit);
}

#define N_STARTS 7

/* A level joined at the wrong moment makes it half as long again, so most of
 * the moments count: of 20 moments, rlc at level 3 and 0.20 takes longer
 * than its limit at four, up to 40 s. */
GST_START_TEST (test_a_router_that_goes_on_with_what_was_left_ends_it)
{
  const Router *row = &routers[__i__];
  const guint n_starts = test_net_is_slow () ? 1 : N_STARTS;
  guint i, n = 0;

  for (i = 0; i < n_starts && n <= n_starts / 2; i++) {
    LmccTime start = 60 * LMCC_SECOND + i * 137 * LMCC_MSECOND;

    if (go_on_with_what_was_left (row, start) < row->limit)
      n++;
  }
  fail_unless (n > n_starts / 2, "%s, level %d, %.2f: over at %u of %u moments",
      row->algorithm, row->level, row->excess, n, n_starts);
}

GST_END_TEST;

GST_START_TEST (test_random_loss_ends_it_only_where_it_is_too_much)
{
  static const struct
  {
    gdouble loss;
    guint limit, least, most;
  } cases[] = {
    { .12, 600, 10, 599 },
    { .20, 60, 10, 20 },
    { .30, 60, 10, 13 },
    { .05, 1800, 1800, 1800 },
    { .10, 1800, 1800, 1800 },
  };
  g_autoptr (TestNet) net = new_net ("none", FALSE, cases[__i__].loss, 0);
  guint at = run_until_over (net, cases[__i__].limit);

  fail_if (at < cases[__i__].least || at > cases[__i__].most, "after %u s", at);
}

GST_END_TEST;

GST_START_TEST (test_outages_of_3_s_end_nothing)
{
  g_autoptr (TestNet) net = new_net ("none", FALSE, .02, 0);
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
  tcase_add_loop_test (tc,
      test_a_router_that_goes_on_with_what_was_left_ends_it, 0,
      test_net_is_slow () ? 1 : G_N_ELEMENTS (routers));
  tcase_add_test (tc, test_the_lowest_rung_counts_where_the_base_has_none);
  tcase_add_test (tc, test_9_to_20_percent_with_flutter_end_it);
  tcase_add_loop_test (tc, test_random_loss_ends_it_only_where_it_is_too_much,
      test_net_is_slow () ? 1 : 0, test_net_is_slow () ? 3 : 5);
  tcase_add_test (tc, test_outages_of_3_s_end_nothing);

  return s;
}

GST_CHECK_MAIN (base_breaker);
