/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the rules in which ELM differs from its paper, one setting after the
 * other.
 */
#include "support/elm-bench.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/controller.h>
#include <gst/lmcc/control/elm/rules.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/loss.h>
#include <math.h>

/* As losses get older, the formula allows more and more. */
GST_START_TEST (test_the_rate_limit_bounds_the_rate_before_it_is_smoothed)
{
  const gchar *const unlimited[] = { "rate-limit", "false", NULL };
  const gchar *const *const settings[] = { NULL, unlimited };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (settings); i++) {
    Bench bench;
    gdouble limit;

    bench_init (&bench, settings[i]);
    bench.cap = 1;
    bench_run (&bench, 10, 20);
    bench_run (&bench, 120, 0);
    limit = 3 * 2 * BASE_RATE;
    fail_unless_equals_int (bench.level, 1);
    fail_unless_equals_int (bench_status (&bench).calculated_rate > limit, i);
    fail_unless_equals_int (bench_status (&bench).smoothed_rate > limit, i);
    bench_clear (&bench);
  }
}

GST_END_TEST;

/* A slow start that ends before any loss leaves an infinite rate. */
GST_START_TEST (test_without_the_rate_limit_nothing_is_left_before_a_loss)
{
  static const gchar *const settings[][7] = {
    { "rate-limit", "false", "quality-time", "1", NULL },
    { "rate-limit", "false", "quality-time", "1", "smoothing", "percentiles",
        NULL },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (settings); i++) {
    Bench bench;

    bench_init (&bench, settings[i]);
    bench_run (&bench, 30, 0);
    bench.controller->klass->on_quality (bench.controller, bench.now, 24, 20);
    bench_obey (&bench);
    fail_unless_equals_int (bench.level, N_LAYERS - 2);
    bench_run (&bench, 100, 0);
    fail_unless_equals_int (bench.n_leaves, 1);
    fail_unless_equals_int (bench.level, N_LAYERS - 1);
    bench_clear (&bench);
  }
}

GST_END_TEST;

/* Duration of a failed join in s, after ten minutes without loss. */
static gdouble
join_in_vain (const gchar *limit)
{
  const gchar *const settings[] = { "strategy", "naive", "smoothing", "none",
    "history-limit", limit, NULL };
  Bench bench;
  LmccTime joined;

  bench_init (&bench, settings);
  bench.cap = 1;
  bench_run (&bench, 10, 20);
  bench_run (&bench, 600, 0);
  bench.cap = N_LAYERS - 1;
  while (bench.level == 1)
    bench_run (&bench, 0.01, 0);
  joined = bench.now;
  bench.cap = 2;
  while (bench.level == 2)
    bench_run (&bench, 0.01, 12);
  bench_clear (&bench);

  return (gdouble) (bench.now - joined) / LMCC_SECOND;
}

GST_START_TEST (test_the_history_limit_ends_a_join_in_vain)
{
  gdouble with = join_in_vain ("true");
  gdouble without = join_in_vain ("false");

  fail_unless (with < 1, "%g s", with);
  fail_unless (without > 2 * with, "%g s, with the limit %g s", without, with);
}

GST_END_TEST;

/* One second after losses that lasted for half a second, the timer expires:
 * the rate is still below the level's, and no packet is lost any more. */
GST_START_TEST (test_a_layer_is_left_while_losses_are_quiet_where_so_set)
{
  static const gchar *const settings[][7] = {
    { "strategy", "skeptical", "leave-time", "1", NULL },
    { "strategy", "skeptical", "leave-time", "1", "leave-while-quiet", "true",
        NULL },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (settings); i++) {
    Bench bench;

    bench_init (&bench, settings[i]);
    bench_run (&bench, 30, 0);
    bench_run (&bench, 0.5, 5);
    bench_run (&bench, 0.3, 0);
    fail_unless_equals_int (bench.n_leaves, 0);
    bench_run (&bench, 0.5, 0);
    fail_unless (i == 1
        || bench_status (&bench).smoothed_rate
            < lmcc_session_level_rate (&bench.session, N_LAYERS - 1));
    fail_unless_equals_int (bench.n_leaves, i);
    bench_clear (&bench);
  }
}

GST_END_TEST;

/* 160 packets of the base layer, and one lost packet. At 50 ms, TCP would
 * get 128 kbit/s at any loss rate. */
GST_START_TEST (test_the_first_interval_is_the_packets_where_so_set)
{
  const gchar *const packets[] = { "first-interval", "packets", NULL };
  const gchar *const *const settings[] = { NULL, packets };
  const gdouble intervals[] = { 1, 160 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (settings); i++) {
    Bench bench;

    bench_init (&bench, settings[i]);
    bench.cap = 0;
    bench_run (&bench, 10, 0);
    bench_lose (&bench, bench.now);
    fail_unless (fabs (bench_status (&bench).loss_event_rate * intervals[i] - 1)
            < 0.02,
        "1 in %g", 1 / bench_status (&bench).loss_event_rate);
    bench_clear (&bench);
  }
}

GST_END_TEST;

/* 5 % allows 590 kbit/s at 50 ms, and 59 at the assumed 500 ms. */
GST_START_TEST (
    test_a_loss_before_the_first_rtt_ends_the_slow_start_where_so_set)
{
  const gchar *const at_once[] = { "wait-for-rtt", "false", NULL };
  const gchar *const *const settings[] = { NULL, at_once };
  const gchar *const states[] = { "slow start", "steady" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (settings); i++) {
    Bench bench;

    bench_init_without_rtt (&bench, settings[i]);
    bench_run (&bench, 6, 20);
    fail_unless_equals_string (bench_status (&bench).state, states[i]);
    bench_clear (&bench);
  }
}

GST_END_TEST;

/* Ten losses in one round-trip time, after a loss rate of one in a hundred
 * packets. */
GST_START_TEST (test_the_newest_event_counts_at_once_in_the_paper_s_mean)
{
  static const gchar *const settings[][5] = {
    { "loss-window", "1", NULL },
    { "loss-window", "1", "loss-mean", "paper", NULL },
  };
  const gdouble expected[] = { 0.01, (10 + 5) / 6.0 / 100 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (settings); i++) {
    Bench bench;
    guint n;

    bench_init (&bench, settings[i]);
    bench.cap = 2;
    bench_run (&bench, 60, 100);
    while (bench.until_loss < 99)
      bench_run (&bench, 0.001, 100);
    for (n = 0; n < 10; n++)
      bench_lose (&bench, bench.now);
    fail_unless (fabs (bench_status (&bench).loss_event_rate / expected[i] - 1)
            < 0.05,
        "%g", bench_status (&bench).loss_event_rate);
    bench_clear (&bench);
  }
}

GST_END_TEST;

GST_START_TEST (test_what_was_lost_before_a_leave_counts_where_so_set)
{
  static const gchar *const settings[][11] = {
    { "leave-latency", "0", "restart", "false", "loss-window", "1", "loss-mean",
        "paper", NULL },
    { "leave-latency", "0", "restart", "false", "loss-window", "1", "loss-mean",
        "paper", "deaf-after-leave", "false", NULL },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (settings); i++) {
    Bench bench;
    LmccTime lost;
    gdouble before;

    bench_init (&bench, settings[i]);
    bench_run (&bench, 30, 0);
    while (bench.n_leaves == 0)
      bench_run (&bench, 0.01, 3);
    lost = bench.now - 20 * LMCC_MSECOND;
    bench_run (&bench, 0.1, 0);
    before = bench_status (&bench).loss_event_rate;
    bench_lose (&bench, lost);
    fail_unless_equals_int (bench_status (&bench).loss_event_rate > before, i);
    bench_clear (&bench);
  }
}

GST_END_TEST;

/* The round-trip time becomes four times as long at once: with a hundred
 * samples, the mean of percentiles contains half of that after 20 samples
 * and all after 80, however long that takes. */
GST_START_TEST (test_percentiles_are_of_a_sample_for_each_packet_at_no_time)
{
  const gchar *const settings[] = { "smoothing", "percentiles",
    "smoothing-time", "0", "rate-limit", "false", "slow-start", "none", NULL };
  static const struct
  {
    guint packets;
    gdouble share;
  } rows[] = { { 15, 1 }, { 30, 0.625 }, { 50, 0.25 } };
  gdouble before;
  Bench bench;
  guint i, n;

  bench_init (&bench, settings);
  bench_obey (&bench);
  bench.cap = 0;
  bench_run (&bench, 100, 100);
  before = bench_status (&bench).calculated_rate;
  bench.controller->klass->on_rtt (bench.controller, bench.now, 4 * RTT);
  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    for (n = 0; n < rows[i].packets; n++) {
      bench.now += LMCC_MSECOND;
      bench_packet (&bench);
    }
    fail_unless (fabs (bench_status (&bench).smoothed_rate / before
                     - rows[i].share)
            < 0.05,
        "row %u: %g", i, bench_status (&bench).smoothed_rate / before);
  }
  bench_clear (&bench);
}

GST_END_TEST;

/* Returns: (transfer full): ELM's settings, with the given ones changed */
static LmccSettings *
resolve (const gchar *const *given)
{
  const LmccAlgorithm *elm = lmcc_algorithm_find ("elm");
  g_autoptr (LmccSettings) settings =
      lmcc_settings_new (elm->settings, elm->n_settings);

  for (; *given != NULL; given += 2)
    fail_unless (lmcc_settings_set (settings, given[0], given[1], NULL));

  return lmcc_elm_rules_resolve (settings);
}

GST_START_TEST (test_the_thesis_rules_turn_off_all_that_is_not_in_it)
{
  const gchar *const given[] = { "rules", "thesis", NULL };
  g_autoptr (LmccSettings) settings = resolve (given);
  LmccElmRules rules;

  lmcc_elm_rules_init (&rules, settings);
  fail_if (rules.rate_limit || rules.history_limit || rules.wait_for_rtt
      || rules.deaf_after_leave);
  fail_unless (rules.leave_while_quiet);
  fail_unless_equals_int (rules.first_interval,
      LMCC_ELM_FIRST_INTERVAL_PACKETS);
  fail_unless_equals_int (rules.loss_mean, LMCC_ELM_LOSS_MEAN_PAPER);
  fail_unless_equals_float (lmcc_settings_get (settings, "backoff-shortest"),
      0);
  fail_unless_equals_float (lmcc_settings_get (settings, "quality-share"), 1);
  fail_unless_equals_int (lmcc_settings_get_count (settings, "trains"), 0);
}

GST_END_TEST;

GST_START_TEST (test_what_is_given_comes_before_the_rules_in_any_order)
{
  static const gchar *const given[][5] = {
    { "rules", "thesis", "smoothing-time", "2", NULL },
    { "smoothing-time", "2", "rules", "thesis", NULL },
    { "smoothing-time", "2", "rules", "ours", NULL },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (given); i++) {
    g_autoptr (LmccSettings) settings = resolve (given[i]);

    fail_unless_equals_float (lmcc_settings_get (settings, "smoothing-time"),
        2);
    fail_unless_equals_int (lmcc_settings_get_count (settings, "restart"),
        i == 2);
  }
}

GST_END_TEST;

/* As in the thesis, its ELM alone on a path repeatedly joins a layer that
 * does not fit (section 6.1.5), but it works: it reaches the top without
 * losses, and goes down with many. */
GST_START_TEST (test_the_thesis_elm_climbs_and_descends)
{
  const gchar *const given[] = { "rules", "thesis", NULL };
  Bench bench;

  bench_init (&bench, given);
  bench_run (&bench, 4.9, 0);
  fail_unless_equals_int (bench.level, 0);
  bench_run (&bench, 16, 0);
  fail_unless_equals_int (bench.level, N_LAYERS - 1);
  bench_run (&bench, 60, 5);
  fail_unless_equals_int (bench.level, 0);
  bench_clear (&bench);
}

GST_END_TEST;

static Suite *
elm_rules_suite (void)
{
  Suite *suite = suite_create ("elm-rules");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      test_the_rate_limit_bounds_the_rate_before_it_is_smoothed);
  tcase_add_test (tcase,
      test_without_the_rate_limit_nothing_is_left_before_a_loss);
  tcase_add_test (tcase, test_the_history_limit_ends_a_join_in_vain);
  tcase_add_test (tcase,
      test_a_layer_is_left_while_losses_are_quiet_where_so_set);
  tcase_add_test (tcase, test_the_first_interval_is_the_packets_where_so_set);
  tcase_add_test (tcase,
      test_a_loss_before_the_first_rtt_ends_the_slow_start_where_so_set);
  tcase_add_test (tcase,
      test_the_newest_event_counts_at_once_in_the_paper_s_mean);
  tcase_add_test (tcase, test_what_was_lost_before_a_leave_counts_where_so_set);
  tcase_add_test (tcase,
      test_percentiles_are_of_a_sample_for_each_packet_at_no_time);
  tcase_add_test (tcase, test_the_thesis_rules_turn_off_all_that_is_not_in_it);
  tcase_add_test (tcase,
      test_what_is_given_comes_before_the_rules_in_any_order);
  tcase_add_test (tcase, test_the_thesis_elm_climbs_and_descends);

  return suite;
}

GST_CHECK_MAIN (elm_rules);
