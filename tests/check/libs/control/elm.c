/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests ELM's controller in virtual time: slow start, joins, leaves and loss
 * windows.
 */
#include "support/elm-bench.h"
#include "support/follow-controller.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/controller.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/loss.h>
#include <gst/lmcc/measure/tcp-model.h>
#include <gst/lmcc/wire/layer-header.h>
#include <math.h>

GST_START_TEST (test_without_loss_slow_start_reaches_the_top)
{
  Bench bench;

  bench_init (&bench, NULL);
  bench_run (&bench, 1, 0);
  fail_unless_equals_int (bench.level, 0);
  fail_unless_equals_string (bench_status (&bench).state, "slow start");
  fail_unless_equals_string (bench_status (&bench).timer, "slow start");
  fail_unless (isinf (bench_status (&bench).calculated_rate));
  /* 20 packets of the base layer twice, followed by an interval of 2 s each. */
  bench_run (&bench, 2.5 + 3 * 2, 0);
  fail_unless_equals_int (bench.level, N_LAYERS - 1);
  fail_unless_equals_int (bench.n_leaves, 0);
  bench_clear (&bench);
}

GST_END_TEST;

GST_START_TEST (test_the_paper_s_slow_start_joins_each_interval)
{
  const gchar *const settings[] = { "slow-start", "paper",
    "slow-start-interval", "5", NULL };
  Bench bench;

  bench_init (&bench, settings);
  bench_run (&bench, 4.99, 0);
  fail_unless_equals_int (bench.level, 0);
  bench_run (&bench, 0.1, 0);
  fail_unless_equals_int (bench.level, 1);
  bench_run (&bench, 5, 0);
  fail_unless_equals_int (bench.level, 2);
  bench_clear (&bench);
}

GST_END_TEST;

/* At 50 ms, TCP gets R_2 = 512 kbit/s at 5.2 % and R_3 at 2.1 % (the formula's
 * inverse, checked below). */
GST_START_TEST (test_it_holds_what_the_formula_allows_at_the_loss_seen)
{
  static const struct
  {
    guint interval;
    gint level;
  } rows[] = { { 30, 2 }, { 100, 3 }, { 12, 1 } };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    gdouble allowed =
        lmcc_tcp_model_rate (1.0 / rows[i].interval, RTT, PACKET_SIZE);
    Bench bench;

    bench_init (&bench, NULL);
    fail_unless (allowed
        >= lmcc_session_level_rate (&bench.session, (guint) rows[i].level));
    fail_unless (allowed
        < lmcc_session_level_rate (&bench.session, (guint) rows[i].level + 1));
    bench_run (&bench, 120, rows[i].interval);
    fail_unless_equals_int (bench.level, rows[i].level);
    fail_unless (
        fabs (bench_status (&bench).loss_event_rate * rows[i].interval - 1)
        < 0.05);
    bench_clear (&bench);
  }
}

GST_END_TEST;

/* 5 % at 50 ms allows 590 kbit/s, more than R_2; at the 500 ms assumed for
 * an unknown round-trip time it allows 59, less than the base layer. */
GST_START_TEST (test_the_slow_start_outlasts_losses_before_the_first_rtt)
{
  Bench bench;

  bench_init_without_rtt (&bench, NULL);
  bench_run (&bench, 6, 20);
  fail_unless (bench.level <= 0);
  fail_unless (bench_status (&bench).calculated_rate < BASE_RATE);
  fail_unless_equals_string (bench_status (&bench).state, "slow start");
  bench.controller->klass->on_rtt (bench.controller, bench.now, RTT);
  bench_run (&bench, 6, 20);
  fail_unless (bench.level >= 2, "level %d", bench.level);
  bench_clear (&bench);
}

GST_END_TEST;

GST_START_TEST (test_a_slow_start_too_far_ends_without_an_rtt)
{
  Bench bench;

  bench_init_without_rtt (&bench, NULL);
  while (bench.level < N_LAYERS - 1)
    bench_run (&bench, 0.1, 0);
  /* A receiver without answers goes down as well. */
  bench_run (&bench, 15, 10);
  fail_unless (bench.level <= 1, "level %d", bench.level);
  fail_unless_equals_string (bench_status (&bench).state, "steady");
  bench_clear (&bench);
}

GST_END_TEST;

/* As in a queue that TCP fills and empties: at the shorter round-trip time,
 * the formula allows more than the receiver accepts. */
GST_START_TEST (test_a_rate_beyond_the_bound_leaves_the_losses_as_they_were)
{
  Bench bench;
  guint i;

  bench_init (&bench, NULL);
  bench.cap = 1;
  for (i = 0; i < 30; i++) {
    bench.controller->klass->on_rtt (bench.controller, bench.now, 4 * RTT);
    bench_run (&bench, 2, 100);
    bench.controller->klass->on_rtt (bench.controller, bench.now, RTT);
    bench_run (&bench, 2, 100);
  }
  fail_unless_equals_int (bench.level, 1);
  fail_unless (bench_status (&bench).calculated_rate <= 3 * 2 * BASE_RATE);
  fail_unless (fabs (bench_status (&bench).loss_event_rate * 100 - 1) < 0.2,
      "1/%g", 1 / bench_status (&bench).loss_event_rate);
  bench_clear (&bench);
}

GST_END_TEST;

GST_START_TEST (test_a_join_in_vain_is_not_outvoted_by_minutes_without_loss)
{
  Bench bench;
  LmccTime joined;

  bench_init (&bench, NULL);
  bench.cap = 1;
  bench_run (&bench, 10, 20);
  bench_run (&bench, 600, 0);
  fail_unless_equals_int (bench.level, 1);
  bench.cap = N_LAYERS - 1;
  while (bench.level == 1)
    bench_run (&bench, 0.01, 0);
  joined = bench.now;
  while (bench.level == 2) {
    bench_run (&bench, 0.01, 4);
    fail_unless (bench.now < joined + LMCC_SECOND);
  }
  fail_unless_equals_int (bench.level, 1);
  bench_clear (&bench);
}

GST_END_TEST;

GST_START_TEST (test_heavy_loss_costs_one_level_at_a_time)
{
  Bench bench;

  bench_init (&bench, NULL);
  bench_run (&bench, 30, 0);
  fail_unless_equals_int (bench.level, N_LAYERS - 1);
  while (bench.n_leaves == 0)
    bench_run (&bench, 0.01, 3);
  fail_unless_equals_int (bench.level, N_LAYERS - 2);
  fail_unless_equals_string (bench_status (&bench).state, "deaf");

  /* The losses continue for the network's leave latency (two queries and a
   * repeated report) and then end. */
  bench_run (&bench, 3, 3);
  fail_unless_equals_int (bench.n_leaves, 1);
  bench_run (&bench, 20, 0);
  fail_unless_equals_int (bench.n_leaves, 1);
  bench_clear (&bench);
}

GST_END_TEST;

/* Runs for @seconds with packets of the next layer, which was left. */
static void
bench_run_beside_left_layer (Bench *bench, gdouble seconds, guint interval)
{
  LmccTime end = bench->now + (LmccTime) (seconds * LMCC_SECOND);
  guint layer = (guint) (bench->level + 1);

  while (bench->now < end) {
    if (bench->controller->klass->on_left_packet != NULL)
      bench->controller->klass->on_left_packet (bench->controller, bench->now,
          bench->now, layer);
    bench_run (bench, 0.02, interval);
  }
}

GST_START_TEST (test_it_is_deaf_while_the_layer_that_was_left_comes)
{
  Bench bench;

  bench_init (&bench, NULL);
  bench_run (&bench, 30, 0);
  while (bench.n_leaves == 0)
    bench_run (&bench, 0.01, 3);

  /* The losses pause, but the layer does not. */
  bench_run_beside_left_layer (&bench, 0.5, 0);
  fail_unless_equals_string (bench_status (&bench).state, "deaf");
  bench_run_beside_left_layer (&bench, 2.5, 3);
  fail_unless_equals_string (bench_status (&bench).state, "deaf");
  fail_unless_equals_int (bench.n_leaves, 1);
  bench_run (&bench, 20, 0);
  fail_unless_equals_int (bench.n_leaves, 1);
  fail_unless_equals_string (bench_status (&bench).state, "steady");
  bench_clear (&bench);
}

GST_END_TEST;

GST_START_TEST (test_a_leave_that_is_not_honoured_ends_the_deaf_period)
{
  Bench bench;

  bench_init (&bench, NULL);
  bench_run (&bench, 30, 0);
  while (bench.n_leaves == 0)
    bench_run (&bench, 0.01, 3);
  bench_run_beside_left_layer (&bench, 8, 3);
  fail_unless (bench.n_leaves >= 2);
  bench_clear (&bench);
}

GST_END_TEST;

/* A slow layer shows its losses late. */
GST_START_TEST (test_what_was_lost_in_the_deaf_period_and_shows_later_is_old)
{
  Bench bench;
  LmccTime lost;
  gdouble before;

  bench_init (&bench, NULL);
  bench_run (&bench, 30, 0);
  while (bench.n_leaves == 0)
    bench_run (&bench, 0.01, 3);
  lost = bench.now + 100 * LMCC_MSECOND;
  while (g_str_equal (bench_status (&bench).state, "deaf"))
    bench_run (&bench, 0.01, 0);
  before = bench_status (&bench).loss_event_rate;
  bench_lose (&bench, lost);
  fail_unless (bench_status (&bench).loss_event_rate <= before);
  bench_lose (&bench, bench.now);
  fail_unless (bench_status (&bench).loss_event_rate > before);
  bench_clear (&bench);
}

GST_END_TEST;

GST_START_TEST (test_a_path_that_shrinks_further_is_followed_further)
{
  Bench bench;

  bench_init (&bench, NULL);
  bench_run (&bench, 30, 0);
  bench_run (&bench, 15, 3);
  fail_unless (bench.level <= 1);
  bench_clear (&bench);
}

GST_END_TEST;

GST_START_TEST (test_a_layer_that_was_held_is_back_after_five_seconds)
{
  Bench bench;

  bench_init (&bench, NULL);
  bench_run (&bench, 60, 0);
  while (bench.n_leaves == 0)
    bench_run (&bench, 0.01, 3);
  bench.n_joins = 0;
  bench_run (&bench, 4.9, 0);
  fail_unless_equals_int (bench.n_joins, 0);
  bench_run (&bench, 7, 0);
  fail_unless_equals_int (bench.n_joins, 1);
  bench_clear (&bench);
}

GST_END_TEST;

GST_START_TEST (test_a_layer_joined_in_vain_is_left_alone)
{
  Bench bench;

  bench_init (&bench, NULL);
  while (bench.level < N_LAYERS - 1)
    bench_run (&bench, 0.01, 0);
  while (bench.n_leaves == 0)
    bench_run (&bench, 0.01, 3);
  bench.n_joins = 0;
  bench_run (&bench, 44.9, 0);
  fail_unless_equals_int (bench.n_joins, 0);
  fail_unless_equals_string (bench_status (&bench).timer, "back-off");
  bench_run (&bench, 1.2, 0);
  fail_unless_equals_int (bench.n_joins, 1);
  bench_clear (&bench);
}

GST_END_TEST;

GST_START_TEST (test_a_cap_is_no_reason_to_change)
{
  Bench bench;

  bench_init (&bench, NULL);
  bench.cap = 2;
  bench_run (&bench, 60, 0);
  fail_unless_equals_int (bench.level, 2);
  fail_unless_equals_int (bench.n_leaves, 0);
  bench.cap = N_LAYERS - 1;
  bench_run (&bench, 60, 0);
  fail_unless_equals_int (bench.level, N_LAYERS - 1);
  bench_clear (&bench);
}

GST_END_TEST;

GST_START_TEST (test_missing_pictures_cost_a_layer)
{
  Bench bench;
  guint i;

  bench_init (&bench, NULL);
  bench_run (&bench, 30, 0);
  for (i = 0; i < 5; i++) {
    fail_unless_equals_int (bench.n_leaves, 0);
    bench.controller->klass->on_quality (bench.controller, bench.now, 24, 20);
    bench_obey (&bench);
  }
  fail_unless_equals_int (bench.n_leaves, 1);
  fail_unless_equals_string (bench.controller->reason,
      "too many pictures are missing");
  bench_clear (&bench);
}

GST_END_TEST;

/* The window between LIP and LAP distinguishes losses that occur in a row. */
GST_START_TEST (test_other_estimators_and_smoothings_run_too)
{
  static const gchar *const settings[][5] = {
    { "loss-window", "1", NULL },
    { "loss-window", "1000000", NULL },
    { "smoothing", "percentiles", "smoothing-time", "2", NULL },
    { "smoothing", "none", NULL },
    { "strategy", "naive", NULL },
    { "strategy", "skeptical", "leave-time", "3", NULL },
    { "virtual-packet-size", "500", NULL },
    { "backoff-shortest", "0", "restart", "false", NULL },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (settings); i++) {
    Bench bench;

    bench_init (&bench, settings[i]);
    bench_run (&bench, 30, 0);
    fail_unless_equals_int (bench.level, N_LAYERS - 1);
    bench_run (&bench, 30, 5);
    fail_unless (bench.level < 2, "%s: level %d", settings[i][0], bench.level);
    bench_clear (&bench);
  }
}

GST_END_TEST;

GST_START_TEST (test_a_layer_whose_rate_is_unknown_is_not_joined)
{
  Bench bench;

  bench_init (&bench, NULL);
  bench.session.layers[2].rate = 0;
  bench_run (&bench, 60, 0);
  fail_unless_equals_int (bench.level, 1);
  bench.session.layers[2].rate = 256000;
  bench.controller->klass->on_session (bench.controller, bench.now);
  bench_run (&bench, 60, 0);
  fail_unless_equals_int (bench.level, N_LAYERS - 1);
  bench_clear (&bench);
}

GST_END_TEST;

/* Does what is due now; returns the resulting change of the level. */
static guint
bench_settle (Bench *bench)
{
  Followed followed = {
    .algorithm = bench->controller->algorithm,
    .controller = bench->controller,
    .session = bench->session,
    .now = bench->now,
    .level = bench->level,
    .cap = bench->cap,
  };
  guint distance;

  follow (&followed);
  let_time_pass (&followed);
  distance = (guint) ABS (followed.level - bench->level);
  bench->level = followed.level;

  return distance;
}

GST_START_TEST (test_without_waits_the_start_is_at_the_top_at_once)
{
  const gchar *const settings[] = { "slow-start", "paper",
    "slow-start-interval", "0", NULL };
  Bench bench;

  bench_init (&bench, settings);
  fail_unless_equals_int (bench_settle (&bench), N_LAYERS);
  fail_unless_equals_int (bench.level, N_LAYERS - 1);
  bench_clear (&bench);
}

GST_END_TEST;

/* At a loss rate of 1/1000 and 2 s, the formula allows less than R_1.
 * According to the paper, a level at least one layer above that is left at
 * once, although each step takes a timeout, and R_1 itself is left after a
 * wait. */
GST_START_TEST (test_without_waits_all_that_is_too_much_is_left_at_once)
{
  const gchar *const settings[] = { "smoothing", "none", "backoff-shortest",
    "0", "restart", "false", "leave-latency", "0", NULL };
  Bench bench;

  bench_init (&bench, settings);
  bench_run (&bench, 30, 0);
  bench_run (&bench, 10, 1000);
  fail_unless_equals_int (bench.level, N_LAYERS - 1);
  bench.controller->klass->on_rtt (bench.controller, bench.now, 40 * RTT);
  bench_packet (&bench);
  fail_unless_equals_int (bench_settle (&bench), N_LAYERS - 2);
  fail_unless_equals_int (bench.level, 1);
  fail_unless (bench_status (&bench).calculated_rate < 2 * BASE_RATE);
  fail_unless_equals_string (bench_status (&bench).timer, "leave");
  bench_clear (&bench);
}

GST_END_TEST;

static Suite *
elm_suite (void)
{
  Suite *suite = suite_create ("elm");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_without_loss_slow_start_reaches_the_top);
  tcase_add_test (tcase, test_the_paper_s_slow_start_joins_each_interval);
  tcase_add_test (tcase,
      test_it_holds_what_the_formula_allows_at_the_loss_seen);
  tcase_add_test (tcase,
      test_the_slow_start_outlasts_losses_before_the_first_rtt);
  tcase_add_test (tcase, test_a_slow_start_too_far_ends_without_an_rtt);
  tcase_add_test (tcase,
      test_a_rate_beyond_the_bound_leaves_the_losses_as_they_were);
  tcase_add_test (tcase,
      test_a_join_in_vain_is_not_outvoted_by_minutes_without_loss);
  tcase_add_test (tcase, test_heavy_loss_costs_one_level_at_a_time);
  tcase_add_test (tcase, test_it_is_deaf_while_the_layer_that_was_left_comes);
  tcase_add_test (tcase,
      test_a_leave_that_is_not_honoured_ends_the_deaf_period);
  tcase_add_test (tcase,
      test_what_was_lost_in_the_deaf_period_and_shows_later_is_old);
  tcase_add_test (tcase, test_a_path_that_shrinks_further_is_followed_further);
  tcase_add_test (tcase, test_a_layer_that_was_held_is_back_after_five_seconds);
  tcase_add_test (tcase, test_a_layer_joined_in_vain_is_left_alone);
  tcase_add_test (tcase, test_a_cap_is_no_reason_to_change);
  tcase_add_test (tcase, test_missing_pictures_cost_a_layer);
  tcase_add_test (tcase, test_other_estimators_and_smoothings_run_too);
  tcase_add_test (tcase, test_a_layer_whose_rate_is_unknown_is_not_joined);
  tcase_add_test (tcase, test_without_waits_the_start_is_at_the_top_at_once);
  tcase_add_test (tcase,
      test_without_waits_all_that_is_too_much_is_left_at_once);

  return suite;
}

GST_CHECK_MAIN (elm);
