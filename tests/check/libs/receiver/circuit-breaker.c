/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the circuit breaker (RFC 8084), which ends a reception if the path
 * does not carry the base layer.
 */
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/receiver/circuit-breaker.h>

#define SEEDS 20
#define MANY_SEEDS 200
#define NEVER G_MAXUINT
#define HOUR 3600
#define DAY 86400

/**
 * Phase:
 * @seconds: duration
 * @least: lowest loss rate of a second; the value is random
 * @most: highest loss rate of a second
 * @level: joined level
 * @upper: the level alternates between @level and this one
 * @at_level: seconds at @level
 * @at_upper: seconds at @upper; 0: no alternation
 * @outage: no packet arrives, and the losses are detected afterwards
 */
typedef struct
{
  guint seconds;
  gdouble least, most;
  gint level, upper;
  guint at_level, at_upper;
  gboolean outage;
} Phase;

/**
 * Case:
 * @packets: packets per second of the base layer
 * @phases: consecutive phases
 * @first: the first second at whose end the breaker may trip
 * @last: the last second by which it must have tripped
 */
typedef struct
{
  const gchar *name;
  guint packets;
  Phase phases[6];
  guint first, last;
} Case;

#define BASE_ALONE .level = 0
#define FLUTTER(down, up) .upper = 1, .at_level = (down), .at_upper = (up)

static const Case cases[] = {
  { "9 to 20 % while the level goes from 0 to 1 and back", 46,
      { { 120, .09, .20, FLUTTER (1, 1) } }, 9, 90 },
  { "the same, slowly", 46, { { 120, .09, .20, FLUTTER (3, 4) } }, 9, 90 },
  { "the same, more slowly", 46, { { 120, .09, .20, FLUTTER (5, 5) } }, 9, 90 },
  { "25 % in every other second, with the upper layer", 46,
      { { 1, 0, 0, BASE_ALONE }, { 80, .12, .25, FLUTTER (1, 2) } }, 9, 26 },
  { "20 % at the base", 46, { { 60, .2, .2, BASE_ALONE } }, 9, 19 },
  { "15 % at the base", 46, { { 90, .15, .15, BASE_ALONE } }, 9, 60 },
  { "15 % at the base, many packets", 500, { { 60, .15, .15, BASE_ALONE } }, 9,
      12 },
  { "12 % at the base, many packets", 500, { { 60, .12, .12, BASE_ALONE } }, 9,
      35 },
  { "30 % at the base", 46, { { 60, .3, .3, BASE_ALONE } }, 9, 12 },
  { "30 % of few packets", 10, { { 120, .3, .3, BASE_ALONE } }, 9, 40 },
  { "15 % of few packets", 5, { { 700, .15, .15, BASE_ALONE } }, 20, 600 },
  { "10 % at random for an hour", 46, { { HOUR, .1, .1, BASE_ALONE } }, NEVER,
      NEVER },
  { "10 % of few packets for an hour", 5, { { HOUR, .1, .1, BASE_ALONE } },
      NEVER, NEVER },
  { "10 % of many packets for an hour", 500, { { HOUR, .1, .1, BASE_ALONE } },
      NEVER, NEVER },
  { "5 % at random for a day", 46, { { DAY, .05, .05, BASE_ALONE } }, NEVER,
      NEVER },
  { "5 % of few packets for a day", 5, { { DAY, .05, .05, BASE_ALONE } }, NEVER,
      NEVER },
  { "5 % of very few packets for a day", 1, { { DAY, .05, .05, BASE_ALONE } },
      NEVER, NEVER },
  { "5 % with flutter for a day", 46, { { DAY, .05, .05, FLUTTER (1, 1) } },
      NEVER, NEVER },
  { "an outage of 3 s", 46,
      { { 30, .0, .02, BASE_ALONE }, { 3, .outage = TRUE, BASE_ALONE },
          { 60, .0, .02, BASE_ALONE } },
      NEVER, NEVER },
  { "an outage of 3 s beside 5 % of loss", 46,
      { { 30, .05, .05, BASE_ALONE }, { 3, .outage = TRUE, BASE_ALONE },
          { 60, .05, .05, BASE_ALONE } },
      NEVER, NEVER },
  { "3 s of 90 %", 46,
      { { 30, .0, .02, BASE_ALONE }, { 3, .9, .9, BASE_ALONE },
          { 60, .0, .02, BASE_ALONE } },
      NEVER, NEVER },
  { "3 s of 90 % of few packets", 5,
      { { 30, .0, .02, BASE_ALONE }, { 3, .9, .9, BASE_ALONE },
          { 60, .0, .02, BASE_ALONE } },
      NEVER, NEVER },
  { "nine seconds of 60 %", 46,
      { { 30, .0, .02, BASE_ALONE }, { 9, .6, .6, BASE_ALONE },
          { 60, .0, .02, BASE_ALONE } },
      NEVER, NEVER },
  { "an overload of 20 s at level 3", 46,
      { { 30, 0, 0, .level = 3 }, { 20, .3, .3, .level = 3 },
          { 30, 0, 0, .level = 2 } },
      NEVER, NEVER },
  { "down from level 3, until the last leave is over", 46,
      { { 30, 0, 0, .level = 3 }, { 4, .5, .5, .level = 3 },
          { 4, .5, .5, .level = 2 }, { 4, .4, .4, .level = 1 },
          { 4, .3, .3, BASE_ALONE }, { 30, 0, 0, BASE_ALONE } },
      NEVER, NEVER },
  { "down from level 3, where the base does not fit either", 46,
      { { 30, 0, 0, .level = 3 }, { 4, .5, .5, .level = 3 },
          { 4, .5, .5, .level = 2 }, { 4, .4, .4, .level = 1 },
          { 60, .3, .3, BASE_ALONE } },
      51, 54 },
  { "a start that goes too far", 46,
      { { 2, 0, 0, .level = 0 }, { 2, 0, 0, .level = 1 },
          { 2, 0, 0, .level = 2 }, { 4, .4, .4, .level = 3 },
          { 4, .3, .3, .level = 2 }, { 60, 0, 0, .level = 1 } },
      NEVER, NEVER },
};

/* Seconds differ randomly: nine of ten runs trip by the last second, and
 * none before the first one. */
static const Case usual_cases[] = {
  { "9 to 20 % while the level goes from 0 to 1 and back", 46,
      { { 300, .09, .20, FLUTTER (1, 1) } }, 9, 49 },
  { "20 % at the base", 46, { { 300, .2, .2, BASE_ALONE } }, 9, 12 },
  { "15 % at the base", 46, { { 300, .15, .15, BASE_ALONE } }, 9, 39 },
  { "15 % at the base, 100 packets", 100, { { 300, .15, .15, BASE_ALONE } }, 9,
      19 },
  { "12 % at the base", 46, { { 900, .12, .12, BASE_ALONE } }, 9, 299 },
  { "12 % at the base, many packets", 500, { { 300, .12, .12, BASE_ALONE } }, 9,
      24 },
};

typedef struct
{
  LmccCircuitBreaker breaker;
  LmccLayerStats base;
  GRand *dice;
  guint second;
  guint64 outage; /* lost packets, not detected yet */
} Run;

static void
send_second (Run *run, const Case *row, const Phase *phase)
{
  gdouble loss =
      g_rand_double_range (run->dice, phase->least, phase->most + G_MINDOUBLE);
  guint i;

  if (phase->outage) {
    run->outage += row->packets;
    return;
  }
  run->base.lost += run->outage;
  run->outage = 0;
  for (i = 0; i < row->packets; i++) {
    if (g_rand_double (run->dice) < loss)
      run->base.lost++;
    else
      run->base.received++;
  }
}

static gint
phase_level (const Phase *phase, guint second)
{
  if (phase->at_upper == 0
      || second % (phase->at_level + phase->at_upper) < phase->at_level)
    return phase->level;

  return phase->upper;
}

/* Returns: time at which it trips */
static guint
run_phase (Run *run, const Case *row, const Phase *phase)
{
  guint i;

  for (i = 0; i < phase->seconds; i++, run->second++) {
    lmcc_circuit_breaker_set_level (&run->breaker, run->second * LMCC_SECOND,
        phase_level (phase, i));
    send_second (run, row, phase);
    if (lmcc_circuit_breaker_update (&run->breaker,
            (run->second + 1) * LMCC_SECOND, &run->base))
      return run->second;
  }

  return NEVER;
}

static guint
run_case (const Case *row, guint32 seed)
{
  Run run = { .dice = g_rand_new_with_seed (seed) };
  guint at = NEVER, i;

  lmcc_circuit_breaker_reset (&run.breaker, 0, 0, &run.base);
  for (i = 0; i < G_N_ELEMENTS (row->phases) && at == NEVER; i++)
    at = run_phase (&run, row, &row->phases[i]);
  g_rand_free (run.dice);

  return at;
}

GST_START_TEST (test_it_trips_where_the_base_does_not_fit_and_nowhere_else)
{
  const Case *row = &cases[__i__];
  guint seeds = test_is_slow () ? 1 : SEEDS, i;

  for (i = 1; i <= seeds; i++) {
    guint at = run_case (row, i);

    GST_DEBUG ("%s, seed %u: after %u s", row->name, i, at + 1);
    fail_if (at < row->first || at > row->last,
        "%s, seed %u: trips in second %u", row->name, i, at);
  }
}

GST_END_TEST;

GST_START_TEST (test_nine_runs_of_ten_are_over_in_time)
{
  const Case *row = &usual_cases[__i__];
  guint seeds = test_is_slow () ? SEEDS : MANY_SEEDS, in_time = 0, i;

  for (i = 1; i <= seeds; i++) {
    guint at = run_case (row, i);

    fail_if (at < row->first, "%s, seed %u: trips in second %u", row->name, i,
        at);
    in_time += at <= row->last;
  }
  GST_DEBUG ("%s: %u of %u in time", row->name, in_time, seeds);
  fail_unless (in_time * 10 >= seeds * 9, "%s: %u of %u in time", row->name,
      in_time, seeds);
}

GST_END_TEST;

/**
 * Refuted:
 * @lost: losses per second
 * @late: number of these packets that arrive in the next second
 * @restarts: restarts of counting in the next second
 *
 * Reported losses that turn out to be none.
 */
typedef struct
{
  const gchar *name;
  guint lost, late, restarts;
} Refuted;

static const Refuted refuted[] = {
  { "packets come late", 16, 16, 0 },
  { "numbers leap and go back", 16, 4, 1 },
  { "numbers leap far and go back", 30000, 0, 1 },
  { "numbers leap far, and farther", 30000, 0, 0 },
};

/* Every second or third of them, so that old and new losses differ. */
GST_START_TEST (test_losses_that_were_none_do_not_count)
{
  const Refuted *row = &refuted[__i__];
  LmccCircuitBreaker breaker;
  LmccLayerStats base = { 0 };
  guint every, i;

  for (every = 1; every <= 3; every++) {
    lmcc_circuit_breaker_reset (&breaker, 0, 0, &base);
    for (i = 1; i <= 300; i++) {
      base.received += 46;
      if (i % every == 0) {
        base.lost += row->lost;
        base.late += i > every ? row->late : 0;
        base.restarts += i > every ? row->restarts : 0;
      }
      fail_if (lmcc_circuit_breaker_update (&breaker, i * LMCC_SECOND, &base),
          "%s, every %u: second %u", row->name, every, i);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_after_a_reset_ten_seconds_pass_anew)
{
  LmccCircuitBreaker breaker;
  LmccLayerStats base = { 0 };
  guint i, begin = 0;

  lmcc_circuit_breaker_reset (&breaker, 0, 0, &base);
  for (i = 1; i <= 18; i++) {
    base.received += 35;
    base.lost += 11;
    if (i == 9) {
      lmcc_circuit_breaker_reset (&breaker, i * LMCC_SECOND, 0, &base);
      begin = i;
    }
    fail_if (lmcc_circuit_breaker_update (&breaker, i * LMCC_SECOND, &base));
  }
  base.received += 35;
  base.lost += 11;
  fail_unless_equals_int (begin, 9);
  fail_unless (lmcc_circuit_breaker_update (&breaker, i * LMCC_SECOND, &base));
}

GST_END_TEST;

static Suite *
circuit_breaker_suite (void)
{
  Suite *suite = suite_create ("circuit-breaker");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_loop_test (tcase,
      test_it_trips_where_the_base_does_not_fit_and_nowhere_else, 0,
      G_N_ELEMENTS (cases));
  tcase_add_loop_test (tcase, test_nine_runs_of_ten_are_over_in_time, 0,
      G_N_ELEMENTS (usual_cases));
  tcase_add_loop_test (tcase, test_losses_that_were_none_do_not_count, 0,
      G_N_ELEMENTS (refuted));
  tcase_add_test (tcase, test_after_a_reset_ten_seconds_pass_anew);

  return suite;
}

GST_CHECK_MAIN (circuit_breaker);
