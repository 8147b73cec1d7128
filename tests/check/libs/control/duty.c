/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests how plumb divides time between two levels, whose turns all receivers
 * take together.
 */
#include "control/plumb/duty.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <math.h>

#define N_LAYERS 4
#define PERIOD (150 * LMCC_SECOND)
#define DEAD_BAND 1.16
#define TICK (100 * LMCC_MSECOND)

/* If no controller waits for the next period. */
#define YOUNG (40 * LMCC_SECOND)

/* In units of the send time. */
#define UNITS(time) ((guint32) ((time) *65536 / LMCC_SECOND))

/* R_i = 1, 2, 4, 8 Mbit/s. */
static void
init_session (LmccSession *session, guint n_layers)
{
  guint i;

  lmcc_session_init (session);
  session->n_layers = n_layers;
  session->layers[0].rate = 1000000;
  for (i = 1; i < n_layers; i++)
    session->layers[i].rate = 1000000u << (i - 1);
}

typedef struct
{
  LmccSession session;
  LmccDuty duty;
  LmccTime now;
  LmccTime clock; /* the sender's time */
} Bench;

static void
bench_init_to (Bench *bench, guint n_layers, LmccTime now, LmccTime clock,
    LmccDutyPreference prefer)
{
  init_session (&bench->session, n_layers);
  lmcc_duty_init (&bench->duty, &bench->session, PERIOD, DEAD_BAND, prefer);
  lmcc_duty_reset (&bench->duty, now);
  bench->now = now;
  bench->clock = clock;
}

static void
bench_init (Bench *bench, guint n_layers, LmccTime now, LmccTime clock)
{
  bench_init_to (bench, n_layers, now, clock, LMCC_DUTY_FAIR);
}

static void
bench_tick (Bench *bench, gdouble rate)
{
  bench->now += TICK;
  bench->clock += TICK;
  lmcc_duty_packet (&bench->duty, UNITS (bench->clock));
  lmcc_duty_add (&bench->duty, bench->now, rate);
}

static void
bench_run (Bench *bench, LmccTime duration, gdouble rate)
{
  LmccTime end = bench->now + duration;

  while (bench->now < end)
    bench_tick (bench, rate);
}

static const struct
{
  guint n_layers;
  gdouble rate;
  gint lower;
  gdouble share;
} shares[] = {
  /* Below the base and above the top. */
  { N_LAYERS, 0.3e6, 0, 0 },
  { N_LAYERS, 8e6, 3, 0 },
  { N_LAYERS, 99e6, 3, 0 },
  /* Dead bands of 1 and 2 Mbit/s: up to 1.16 and from 1.724 on. */
  { N_LAYERS, 1e6, 0, 0 },
  { N_LAYERS, 1.159e6, 0, 0 },
  { N_LAYERS, 1.161e6, 0, 0.161 },
  { N_LAYERS, 1.5e6, 0, 0.5 },
  { N_LAYERS, 1.723e6, 0, 0.723 },
  { N_LAYERS, 1.725e6, 0, 1 },
  { N_LAYERS, 1.999e6, 0, 1 },
  { N_LAYERS, 2e6, 1, 0 },
  { N_LAYERS, 5e6, 2, 0.25 },
  { N_LAYERS, 7.8e6, 2, 1 },
  { 1, 0.3e6, 0, 0 },
  { 1, 3e6, 0, 0 },
};

GST_START_TEST (test_the_share_lies_between_two_levels)
{
  Bench bench;
  gdouble share;
  gint lower;

  bench_init (&bench, shares[__i__].n_layers, LMCC_SECOND, PERIOD);
  bench_tick (&bench, shares[__i__].rate);
  share = lmcc_duty_get_share (&bench.duty, &lower);
  fail_unless_equals_int (lower, shares[__i__].lower);
  fail_unless (fabs (share - shares[__i__].share) < 1e-6, "%g", share);
  fail_unless_equals_int (lmcc_duty_choose (&bench.duty, bench.now, 0),
      share > 0 ? lower + 1 : lower);

  /* If the upper level is always joined, it is joined at the end of a
   * period, too. */
  lmcc_duty_packet (&bench.duty, UNITS (2 * PERIOD) - 1);
  fail_unless_equals_int (lmcc_duty_choose (&bench.duty, bench.now, 0),
      share >= 1 ? lower + 1 : lower);
}

GST_END_TEST;

static gint
choose_at (Bench *bench, LmccTime clock)
{
  lmcc_duty_packet (&bench->duty, UNITS (clock));

  return lmcc_duty_choose (&bench->duty, bench->now, 0);
}

GST_START_TEST (test_the_upper_level_has_the_first_part_of_each_period)
{
  Bench bench;
  guint i;

  bench_init (&bench, N_LAYERS, LMCC_SECOND, PERIOD);
  bench_run (&bench, TICK, 5e6); /* a quarter at level 3 */
  for (i = 2; i < 5; i++) {
    fail_unless_equals_int (choose_at (&bench, i * PERIOD), 3);
    fail_unless_equals_int (choose_at (&bench, i * PERIOD + PERIOD / 5), 3);
    fail_unless_equals_int (choose_at (&bench, i * PERIOD + PERIOD / 3), 2);
    fail_unless_equals_int (choose_at (&bench, (i + 1) * PERIOD - TICK), 2);
  }
}

GST_END_TEST;

GST_START_TEST (test_packets_that_are_overtaken_do_not_turn_back)
{
  LmccTime late = 50 * LMCC_MSECOND, begin = 3 * PERIOD;
  Bench bench;

  bench_init (&bench, N_LAYERS, LMCC_SECOND, PERIOD);
  bench_run (&bench, TICK, 5e6);
  fail_unless_equals_int (choose_at (&bench, begin + late / 2), 3);
  fail_unless_equals_int (choose_at (&bench, begin - late / 2), 3);
  fail_unless_equals_int (choose_at (&bench, begin + PERIOD / 4 + late / 2), 2);
  fail_unless_equals_int (choose_at (&bench, begin + PERIOD / 4 - late / 2), 2);
}

GST_END_TEST;

/* Or a packet that the sender never sent: later packets count. */
GST_START_TEST (test_a_clock_that_is_set_is_followed)
{
  static const gint64 steps[] = { 1000, 30000, -60, -1000, -30000 };
  LmccTime clock = 40000 * LMCC_SECOND;
  Bench bench, other;

  bench_init (&bench, N_LAYERS, LMCC_SECOND, clock);
  bench_run (&bench, TICK, 3e6);
  clock += (LmccTime) (steps[__i__] * (gint64) LMCC_SECOND);
  bench_init (&other, N_LAYERS, LMCC_SECOND, clock);
  bench_run (&other, TICK, 3e6);
  for (; clock < 100000 * LMCC_SECOND; clock += 7 * LMCC_SECOND)
    fail_unless_equals_int (choose_at (&bench, clock),
        choose_at (&other, clock));
}

GST_END_TEST;

/* A fair rate that decreases while the upper level is joined. */
static gdouble
alternate (LmccTime clock)
{
  return clock % PERIOD < PERIOD * 2 / 5 ? 2e6 : 4e6;
}

/* Except for a tick at each change, and two silences of ten ticks. */
GST_START_TEST (test_the_mean_is_the_same_at_each_phase)
{
  gdouble mean = 0.4 * 2e6 + 0.6 * 4e6;
  gdouble tolerance = (4e6 - 2e6) * (2 + 2 * 10) * (gdouble) TICK / PERIOD;
  Bench bench;
  guint i;

  bench_init (&bench, N_LAYERS, LMCC_SECOND,
      PERIOD + (guint) __i__ * PERIOD / 7);
  bench_run (&bench, PERIOD + PERIOD / 100, 9e6);
  for (i = 0; bench.now < 5 * PERIOD; i++) {
    /* A receiver that leaves a level gets no new measurements for a while. */
    if (i % 1000 == 0) {
      bench.now += 10 * TICK;
      bench.clock += 10 * TICK;
    }
    bench_tick (&bench, alternate (bench.clock));
    if (bench.now > 2 * PERIOD + PERIOD / 50 + LMCC_SECOND)
      fail_unless (fabs (lmcc_duty_get_rate (&bench.duty) - mean) < tolerance,
          "%g s: %g", (gdouble) bench.now / LMCC_SECOND,
          lmcc_duty_get_rate (&bench.duty));
  }
}

GST_END_TEST;

/* The first third of the time does not count. */
GST_START_TEST (test_until_a_period_is_over_the_mean_is_since_the_reset)
{
  Bench bench;

  bench_init (&bench, N_LAYERS, LMCC_SECOND, PERIOD);
  fail_unless_equals_float (lmcc_duty_get_rate (&bench.duty), 0);
  bench_tick (&bench, 2e6);
  fail_unless_equals_float (lmcc_duty_get_rate (&bench.duty), 2e6);
  bench_run (&bench, 30 * LMCC_SECOND, 2e6);
  bench_run (&bench, 30 * LMCC_SECOND, 4e6);
  fail_unless (fabs (lmcc_duty_get_rate (&bench.duty) - 3.5e6) < 0.05e6);
  fail_unless_equals_uint64 (lmcc_duty_get_age (&bench.duty, bench.now),
      60 * LMCC_SECOND + TICK);

  lmcc_duty_reset (&bench.duty, bench.now);
  fail_unless_equals_float (lmcc_duty_get_rate (&bench.duty), 0);
  fail_unless_equals_uint64 (lmcc_duty_get_age (&bench.duty, bench.now), 0);
  bench_tick (&bench, 5e6);
  fail_unless_equals_float (lmcc_duty_get_rate (&bench.duty), 5e6);
}

GST_END_TEST;

/* The send time wraps after 65536 s: for starts before, at and after the
 * wrap. */
GST_START_TEST (test_receivers_of_one_sender_hold_the_same_level)
{
  static const LmccTime starts[] = { 65536 - 400, 65536 - 40, 65536, 65536 + 90,
    2 * 65536 - 500 };
  LmccTime clock = (starts[__i__]) * LMCC_SECOND;
  Bench one, other;
  guint n_changes = 0, i;
  gint level;

  bench_init (&one, N_LAYERS, LMCC_SECOND, clock);
  bench_run (&one, 2 * PERIOD + 3 * LMCC_SECOND, 2.8e6);
  bench_init (&other, N_LAYERS, 777 * LMCC_SECOND, one.clock);
  bench_run (&other, TICK, 2.8e6);
  bench_tick (&one, 2.8e6);
  level = lmcc_duty_choose (&one.duty, one.now, 0);
  for (i = 0; i < 5 * PERIOD / TICK; i++) {
    bench_tick (&one, 2.8e6);
    bench_tick (&other, 2.8e6);
    fail_unless_equals_int (lmcc_duty_choose (&other.duty, other.now, 0),
        lmcc_duty_choose (&one.duty, one.now, 0));
    n_changes += lmcc_duty_choose (&one.duty, one.now, 0) != level;
    level = lmcc_duty_choose (&one.duty, one.now, 0);
  }
  /* Two in each period, and at most two more when the send time wraps. */
  fail_unless (n_changes >= 9 && n_changes <= 12, "%u", n_changes);
}

GST_END_TEST;

static gboolean
may_join_at (Bench *bench, LmccTime clock, gint level)
{
  bench_run (bench, clock - bench->clock, 3e6);

  return lmcc_duty_may_join (&bench->duty, bench->now, level);
}

GST_START_TEST (test_the_upper_level_is_joined_when_its_turn_begins)
{
  Bench bench;

  bench_init (&bench, N_LAYERS, LMCC_SECOND, PERIOD + PERIOD / 2);
  /* At any time while the fair rate is uncertain. */
  fail_unless (may_join_at (&bench, bench.clock + YOUNG - TICK, 1));
  fail_if (may_join_at (&bench, bench.clock + TICK, 1));
  /* A level that is below both. */
  fail_unless (lmcc_duty_may_join (&bench.duty, bench.now, 0));

  fail_if (may_join_at (&bench, 2 * PERIOD - TICK, 1));
  fail_unless (may_join_at (&bench, 2 * PERIOD, 1));
  fail_unless (may_join_at (&bench, 2 * PERIOD + PERIOD / 10 - TICK, 1));
  fail_if (may_join_at (&bench, 2 * PERIOD + PERIOD / 10, 1));

  /* Nor earlier if the upper level is always joined, unless the rate is
   * outside the dead band. */
  bench_run (&bench, 2 * PERIOD, 3.8e6);
  fail_if (lmcc_duty_may_join (&bench.duty, bench.now, 1));
  bench_run (&bench, 2 * PERIOD, 4.7e6);
  fail_unless (lmcc_duty_may_join (&bench.duty, bench.now, 1));
}

GST_END_TEST;

/* 1, 2 and 3 Mbit/s: the base layer, and one more layer. */
GST_START_TEST (test_levels_have_the_rates_of_their_layers)
{
  Bench bench;
  gint lower;

  bench_init (&bench, 3, 1000 * LMCC_SECOND, 0);
  bench.session.level_layers[0] = 1;
  bench.session.level_layers[1] = 3;
  bench.session.level_layers[2] = 5;
  bench_tick (&bench, 2.5e6);
  fail_unless_equals_float (lmcc_duty_get_share (&bench.duty, &lower), 0.5);
  fail_unless_equals_int (lower, 1);
}

GST_END_TEST;

/* R_0 to R_3 = 1, 2, 2.6 and 10.4 Mbit/s: the borders between two levels,
 * from the square roots of their rates, are 1.414, 2.280 and 5.2; another
 * level is chosen at a tenth above and below. */
static const struct
{
  gint held;
  gdouble rate;
  gint level;
} nearest[] = {
  { 0, 0.3e6, 0 },
  { 0, 1.54e6, 0 },
  { 0, 1.57e6, 1 },
  { 1, 1.30e6, 1 },
  { 1, 1.27e6, 0 },
  { 1, 2.49e6, 1 },
  { 1, 2.52e6, 2 },
  { 2, 2.09e6, 2 },
  { 2, 2.06e6, 1 },
  { 2, 5.70e6, 2 },
  { 2, 5.74e6, 3 },
  { 3, 4.75e6, 3 },
  { 3, 4.71e6, 2 },
  /* Several at once. */
  { 0, 99e6, 3 },
  { 3, 0.3e6, 0 },
  { 0, 4e6, 2 },
  /* Nothing is held. */
  { -1, 0.3e6, 0 },
};

static void
init_steady (Bench *bench, LmccTime clock)
{
  bench_init_to (bench, N_LAYERS, LMCC_SECOND, clock, LMCC_DUTY_STEADY);
  bench->session.layers[2].rate = 600000;
  bench->session.layers[3].rate = 7800000;
}

/* Periods other than every second one. */
GST_START_TEST (test_who_is_steady_holds_the_nearest_level_at_each_phase)
{
  LmccTime clock;
  Bench bench;

  init_steady (&bench, PERIOD);
  bench_run (&bench, YOUNG, nearest[__i__].rate);
  for (clock = 2 * PERIOD; clock < 3 * PERIOD; clock += PERIOD / 50) {
    lmcc_duty_packet (&bench.duty, UNITS (clock));
    fail_unless_equals_int (lmcc_duty_choose (&bench.duty, bench.now,
                                nearest[__i__].held),
        nearest[__i__].level);
  }
}

GST_END_TEST;

/* A mean over seconds oscillates around the border. */
GST_START_TEST (test_who_is_steady_does_not_follow_what_is_young)
{
  static const gdouble times[] = { 1.28, 1 / 1.28 };
  gdouble border = sqrt (1e6 * 2e6);
  Bench bench;
  gint level;
  guint i;

  init_steady (&bench, 2 * PERIOD);
  for (level = 0; level < 2; level++) {
    for (i = 0; i < G_N_ELEMENTS (times); i++) {
      lmcc_duty_reset (&bench.duty, bench.now);
      bench_run (&bench, 20 * LMCC_SECOND, border * times[i]);
      fail_unless_equals_int (lmcc_duty_choose (&bench.duty, bench.now, level),
          level);
    }
  }
  bench_run (&bench, YOUNG, border * 1.28);
  fail_unless_equals_int (lmcc_duty_choose (&bench.duty, bench.now, 0), 1);
}

GST_END_TEST;

/* Each of them may join a different level, but not permanently. */
GST_START_TEST (test_all_who_are_steady_choose_anew_in_every_second_period)
{
  gdouble rates[] = { 1.37e6, 1.46e6 }; /* the border is 1.414 */
  Bench bench;
  gint level;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rates); i++) {
    init_steady (&bench, PERIOD);
    bench_run (&bench, YOUNG, rates[i]);
    for (level = 0; level < 2; level++) {
      lmcc_duty_packet (&bench.duty, UNITS (2 * PERIOD + PERIOD / 20));
      fail_unless_equals_int (lmcc_duty_choose (&bench.duty, bench.now, level),
          level);
      lmcc_duty_packet (&bench.duty, UNITS (3 * PERIOD + PERIOD / 20));
      fail_unless_equals_int (lmcc_duty_choose (&bench.duty, bench.now, level),
          (gint) i);
      lmcc_duty_packet (&bench.duty, UNITS (3 * PERIOD + PERIOD / 5));
      fail_unless_equals_int (lmcc_duty_choose (&bench.duty, bench.now, level),
          level);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_who_is_steady_joins_when_a_period_begins)
{
  Bench bench;

  init_steady (&bench, PERIOD + PERIOD / 2);
  /* At any time until the level is found. */
  bench_run (&bench, YOUNG / 2, 1.8e6);
  fail_unless (lmcc_duty_may_join (&bench.duty, bench.now, 0));
  lmcc_duty_left (&bench.duty);
  fail_if (lmcc_duty_may_join (&bench.duty, bench.now, 0));

  bench_run (&bench, PERIOD / 2 - YOUNG / 2, 1.8e6);
  fail_unless (lmcc_duty_may_join (&bench.duty, bench.now, 0));
  lmcc_duty_joined (&bench.duty, 1);
  fail_if (lmcc_duty_may_join (&bench.duty, bench.now, 0));
  bench_run (&bench, PERIOD, 1.8e6);
  fail_unless (lmcc_duty_may_join (&bench.duty, bench.now, 0));

  /* A change by two levels does not wait. */
  bench_run (&bench, PERIOD / 2, 1.8e6);
  fail_if (lmcc_duty_may_join (&bench.duty, bench.now, 0));
  bench_run (&bench, PERIOD, 2.6e6);
  fail_unless (lmcc_duty_may_join (&bench.duty, bench.now, 0));
  fail_if (lmcc_duty_may_join (&bench.duty, bench.now, 1));
}

GST_END_TEST;

/* 5 Mbit/s: a quarter at level 3. */
GST_START_TEST (test_a_turn_ends_with_its_part_of_the_period)
{
  static const struct
  {
    gdouble phase, left;
  } turns[] = { { 0, 0.25 }, { 0.2, 0.05 }, { 0.3, 0.7 }, { 0.9, 0.1 } };
  LmccTime left;
  Bench bench;
  gdouble share;
  gint lower;
  guint i;

  bench_init (&bench, N_LAYERS, LMCC_SECOND, PERIOD);
  fail_if (lmcc_duty_get_turn (&bench.duty, &lower, &share, &left));
  fail_unless_equals_int (lower, -1);
  bench_run (&bench, TICK, 5e6);
  for (i = 0; i < G_N_ELEMENTS (turns); i++) {
    lmcc_duty_packet (&bench.duty,
        UNITS ((2 + i) * PERIOD + (LmccTime) (turns[i].phase * PERIOD)));
    fail_unless (lmcc_duty_get_turn (&bench.duty, &lower, &share, &left));
    fail_unless_equals_int (lower, 2);
    fail_unless (fabs (share - 0.25) < 1e-6);
    fail_unless (fabs ((gdouble) left - turns[i].left * PERIOD) < LMCC_MSECOND);
  }

  /* Within the dead band no level takes turns, nor if the nearest level is
   * joined. */
  lmcc_duty_reset (&bench.duty, bench.now);
  bench_run (&bench, TICK, 4.1e6);
  fail_if (lmcc_duty_get_turn (&bench.duty, &lower, &share, &left));
  fail_unless_equals_int (lower, -1);
  init_steady (&bench, PERIOD);
  bench_run (&bench, TICK, 1.5e6);
  fail_if (lmcc_duty_get_turn (&bench.duty, &lower, &share, &left));
  fail_unless_equals_int (lower, -1);
}

GST_END_TEST;

GST_START_TEST (test_the_upper_level_has_one_turn_in_a_period)
{
  Bench bench;

  bench_init (&bench, N_LAYERS, LMCC_SECOND, 2 * PERIOD);
  bench_run (&bench, LMCC_SECOND, 3e6);
  fail_if (lmcc_duty_is_turn (&bench.duty, 2));
  lmcc_duty_joined (&bench.duty, 2);
  fail_unless (lmcc_duty_is_turn (&bench.duty, 2));
  fail_if (lmcc_duty_may_join (&bench.duty, bench.now, 1));
  /* Even if the fair rate has become uncertain again. */
  lmcc_duty_reset (&bench.duty, bench.now);
  fail_if (may_join_at (&bench, bench.clock + LMCC_SECOND, 1));
  fail_if (lmcc_duty_is_turn (&bench.duty, 3));

  bench_run (&bench, 3 * PERIOD - bench.clock, 3e6);
  fail_if (lmcc_duty_is_turn (&bench.duty, 2));
  fail_unless (lmcc_duty_may_join (&bench.duty, bench.now, 1));

  /* The rate is too low for a turn. */
  lmcc_duty_joined (&bench.duty, 3);
  fail_if (lmcc_duty_is_turn (&bench.duty, 3));
}

GST_END_TEST;

/* Then it is joined again in the same period. */
GST_START_TEST (test_a_turn_that_others_cut_short_counts_as_none)
{
  Bench bench;

  bench_init (&bench, N_LAYERS, LMCC_SECOND, 2 * PERIOD);
  bench_run (&bench, LMCC_SECOND, 3e6);
  lmcc_duty_joined (&bench.duty, 2);
  lmcc_duty_cut_turn (&bench.duty);
  fail_if (lmcc_duty_is_turn (&bench.duty, 2));
  fail_unless (lmcc_duty_may_join (&bench.duty, bench.now, 1));
  lmcc_duty_joined (&bench.duty, 2);
  fail_if (lmcc_duty_may_join (&bench.duty, bench.now, 1));
}

GST_END_TEST;

/* If the level already flows on the path. */
GST_START_TEST (test_what_is_left_of_a_turn_is_joined_if_it_is_worth_it)
{
  Bench bench;

  bench_init (&bench, N_LAYERS, LMCC_SECOND, 2 * PERIOD);
  /* A half: the turn ends at 75 s. */
  bench_run (&bench, 50 * LMCC_SECOND, 3e6);
  fail_if (lmcc_duty_may_join (&bench.duty, bench.now, 1));
  fail_unless (lmcc_duty_may_join_late (&bench.duty));
  bench_run (&bench, 10 * LMCC_SECOND, 3e6);
  fail_if (lmcc_duty_may_join_late (&bench.duty));
  /* Without turns. */
  bench_init (&bench, N_LAYERS, LMCC_SECOND, 2 * PERIOD);
  bench_run (&bench, 60 * LMCC_SECOND, 3.9e6);
  fail_unless (lmcc_duty_may_join_late (&bench.duty));
}

GST_END_TEST;

/* If the rate allows the level anyway, it waits for a period that is about
 * to start. */
GST_START_TEST (test_all_go_up_together_when_a_period_is_about_to_begin)
{
  Bench bench;

  bench_init (&bench, N_LAYERS, LMCC_SECOND, 2 * PERIOD);
  bench_run (&bench, 130 * LMCC_SECOND, 5e6);
  fail_unless (lmcc_duty_may_join (&bench.duty, bench.now, 1));
  bench_run (&bench, 10 * LMCC_SECOND, 5e6);
  fail_if (lmcc_duty_may_join (&bench.duty, bench.now, 1));
  bench_run (&bench, 11 * LMCC_SECOND, 5e6);
  fail_unless (lmcc_duty_may_join (&bench.duty, bench.now, 1));
}

GST_END_TEST;

static Suite *
duty_suite (void)
{
  Suite *suite = suite_create ("duty");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_the_share_lies_between_two_levels, 0,
      G_N_ELEMENTS (shares));
  tcase_add_test (tcase,
      test_the_upper_level_has_the_first_part_of_each_period);
  tcase_add_test (tcase, test_packets_that_are_overtaken_do_not_turn_back);
  tcase_add_loop_test (tcase, test_a_clock_that_is_set_is_followed, 0, 5);
  tcase_add_loop_test (tcase, test_the_mean_is_the_same_at_each_phase, 0, 7);
  tcase_add_test (tcase,
      test_until_a_period_is_over_the_mean_is_since_the_reset);
  tcase_add_loop_test (tcase, test_receivers_of_one_sender_hold_the_same_level,
      0, 5);
  tcase_add_test (tcase, test_the_upper_level_is_joined_when_its_turn_begins);
  tcase_add_test (tcase, test_levels_have_the_rates_of_their_layers);
  tcase_add_loop_test (tcase,
      test_who_is_steady_holds_the_nearest_level_at_each_phase, 0,
      G_N_ELEMENTS (nearest));
  tcase_add_test (tcase, test_who_is_steady_does_not_follow_what_is_young);
  tcase_add_test (tcase,
      test_all_who_are_steady_choose_anew_in_every_second_period);
  tcase_add_test (tcase, test_who_is_steady_joins_when_a_period_begins);
  tcase_add_test (tcase, test_a_turn_ends_with_its_part_of_the_period);
  tcase_add_test (tcase, test_the_upper_level_has_one_turn_in_a_period);
  tcase_add_test (tcase, test_a_turn_that_others_cut_short_counts_as_none);
  tcase_add_test (tcase,
      test_what_is_left_of_a_turn_is_joined_if_it_is_worth_it);
  tcase_add_test (tcase,
      test_all_go_up_together_when_a_period_is_about_to_begin);

  return suite;
}

GST_CHECK_MAIN (duty);
