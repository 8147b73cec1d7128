/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/receiver/circuit-breaker.h>

#define SEEDS 20
#define MANY_SEEDS 200
#define NEVER G_MAXUINT
#define DAY 86400

/**
 * Phase:
 * @seconds: how long it lasts
 * @least: of the loss of a second; it is chosen by the dice
 * @most: of it
 * @level: that is held
 * @upper: the level changes from @level to this one and back
 * @at_level: seconds at @level
 * @at_upper: seconds at @upper; 0: it does not change
 * @outage: nothing comes, and its losses are seen afterwards
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
 * @packets: of the base, in a second
 * @phases: one after the other
 * @first: the first second at whose end the breaker may trip
 * @last: the last one, by which it must have
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
      { { 80, .09, .20, FLUTTER (1, 1) } }, 9, 25 },
  { "the same, slowly", 46, { { 80, .09, .20, FLUTTER (3, 4) } }, 9, 25 },
  { "the same, more slowly", 46, { { 80, .09, .20, FLUTTER (5, 5) } }, 9, 25 },
  { "25 % in every other second, with the upper layer", 46,
      { { 1, 0, 0, BASE_ALONE }, { 80, .12, .25, FLUTTER (1, 2) } }, 9, 26 },
  { "15 % at the base", 46, { { 60, .15, .15, BASE_ALONE } }, 9, 20 },
  { "12 % at the base, many packets", 500, { { 60, .12, .12, BASE_ALONE } }, 9,
      20 },
  { "30 % at the base", 46, { { 60, .3, .3, BASE_ALONE } }, 9, 12 },
  { "30 % of few packets", 10, { { 120, .3, .3, BASE_ALONE } }, 9, 40 },
  { "15 % of few packets", 5, { { 300, .15, .15, BASE_ALONE } }, 20, 200 },
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
  { "seven seconds of 60 %", 46,
      { { 30, .0, .02, BASE_ALONE }, { 7, .6, .6, BASE_ALONE },
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

static const Case twelve_percent = { "12 % at the base", 46,
  { { 120, .12, .12, BASE_ALONE } }, 9, 19 };

typedef struct
{
  LmccCircuitBreaker breaker;
  LmccLayerStats base;
  GRand *dice;
  guint second;
  guint64 outage; /* packets of it, not seen yet */
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

/* Returns: when it trips */
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

/* Seconds differ by chance: a few runs take longer. */
GST_START_TEST (test_of_12_percent_it_trips_within_20_s_in_nine_runs_of_ten)
{
  guint in_time = 0, i;

  for (i = 1; i <= MANY_SEEDS; i++) {
    guint at = run_case (&twelve_percent, i);

    fail_if (at < twelve_percent.first || at == NEVER);
    in_time += at <= twelve_percent.last;
  }
  GST_DEBUG ("%u of %u in time", in_time, MANY_SEEDS);
  fail_unless (in_time * 10 >= MANY_SEEDS * 9);
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
  tcase_add_test (tcase,
      test_of_12_percent_it_trips_within_20_s_in_nine_runs_of_ten);
  tcase_add_test (tcase, test_after_a_reset_ten_seconds_pass_anew);

  return suite;
}

GST_CHECK_MAIN (circuit_breaker);
