/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the detection of lasting steps in a measured value.
 */
#include "control/plumb/steps.h"

#include <gst/check/gstcheck.h>
#include <math.h>

#define BEGIN (100 * LMCC_SECOND)
#define TICK (100 * LMCC_MSECOND)
#define NEVER G_MAXUINT64

typedef struct
{
  LmccSteps steps;
  LmccTime now;
  LmccTime at[LMCC_STEP_UP + 1]; /* time of the first report */
} Bench;

static void
bench_init (Bench *bench)
{
  guint i;

  lmcc_steps_reset (&bench->steps, BEGIN);
  bench->now = BEGIN;
  for (i = 0; i < G_N_ELEMENTS (bench->at); i++)
    bench->at[i] = NEVER;
}

static void
bench_add (Bench *bench, gdouble rate)
{
  LmccStep step;

  bench->now += TICK;
  step = lmcc_steps_add (&bench->steps, bench->now, rate);
  bench->at[step] = MIN (bench->at[step], bench->now);
}

static void
bench_run (Bench *bench, guint seconds, gdouble rate)
{
  LmccTime end = bench->now + seconds * LMCC_SECOND;

  while (bench->now < end)
    bench_add (bench, rate);
}

static void
check_none (const Bench *bench)
{
  fail_unless (
      bench->at[LMCC_STEP_DOWN] == NEVER && bench->at[LMCC_STEP_UP] == NEVER);
}

/* After a stable period; the mean over 2 s is reached in less than 2.6 s. */
static const struct
{
  gdouble factor;
  LmccStep step;
  guint lasting; /* s */
} steps[] = {
  { 0.3, LMCC_STEP_DOWN, 3 },
  { 0.5, LMCC_STEP_DOWN, 3 },
  { 0.6, LMCC_STEP_DOWN, 3 },
  { 2.2, LMCC_STEP_UP, 5 },
  { 3, LMCC_STEP_UP, 5 },
  { 4, LMCC_STEP_UP, 5 },
};

GST_START_TEST (test_a_step_is_told_when_it_lasts)
{
  LmccTime begin, after;
  Bench bench;

  bench_init (&bench);
  bench_run (&bench, 30, 1e6);
  check_none (&bench);
  begin = bench.now;
  bench_run (&bench, 9, steps[__i__].factor * 1e6);
  fail_unless (bench.at[steps[__i__].step] != NEVER);
  after = bench.at[steps[__i__].step] - begin;
  fail_unless (after > steps[__i__].lasting * LMCC_SECOND
          && after < (steps[__i__].lasting + 2.6) * LMCC_SECOND,
      "%g s", (gdouble) after / LMCC_SECOND);
  fail_unless (
      bench.at[LMCC_STEP_DOWN + LMCC_STEP_UP - steps[__i__].step] == NEVER);
  fail_unless (
      fabs (lmcc_steps_get_rate (&bench.steps) - steps[__i__].factor * 1e6)
      < 0.07e6);
}

GST_END_TEST;

GST_START_TEST (test_a_short_dip_or_peak_is_no_step)
{
  gdouble rate = __i__ == 0 ? 0.5e6 : 1.8e6;
  Bench bench;
  guint i;

  bench_init (&bench);
  bench_run (&bench, 30, 1e6);
  for (i = 0; i < 5; i++) {
    bench_run (&bench, 2, rate);
    bench_run (&bench, 20, 1e6);
  }
  check_none (&bench);
}

GST_END_TEST;

GST_START_TEST (test_what_is_not_far_away_is_no_step)
{
  gdouble rate = __i__ == 0 ? 0.78e6 : 1.3e6;
  Bench bench;

  bench_init (&bench);
  bench_run (&bench, 30, 1e6);
  bench_run (&bench, 60, rate);
  check_none (&bench);
}

GST_END_TEST;

/* To half or twice the value, in two minutes. */
GST_START_TEST (test_a_slow_drift_is_no_step)
{
  gdouble power = __i__ == 0 ? -1 : 1;
  Bench bench;
  guint i;

  bench_init (&bench);
  bench_run (&bench, 30, 1e6);
  for (i = 0; i < 1200; i++)
    bench_add (&bench, 1e6 * exp2 (power * i / 1200));
  bench_run (&bench, 30, 1e6 * exp2 (power));
  check_none (&bench);
}

GST_END_TEST;

GST_START_TEST (test_before_a_level_is_held_for_20_s_nothing_is_a_step)
{
  gdouble rate = __i__ == 0 ? 0.4e6 : 4e6;
  guint lasting = __i__ == 0 ? 3 : 5;
  LmccStep step = __i__ == 0 ? LMCC_STEP_DOWN : LMCC_STEP_UP;
  Bench bench;

  bench_init (&bench);
  bench_run (&bench, 3, 1e6);
  bench_run (&bench, 19, rate);
  check_none (&bench);

  /* It lasts from then on. */
  bench_init (&bench);
  bench_run (&bench, 17, 1e6);
  bench_run (&bench, 5, rate);
  check_none (&bench);
  bench_run (&bench, lasting, rate);
  fail_unless_equals_uint64 (bench.at[step],
      BEGIN + (20 + lasting) * LMCC_SECOND);

  /* At another level, it starts anew. */
  bench_init (&bench);
  bench_run (&bench, 30, 1e6);
  lmcc_steps_reset (&bench.steps, bench.now);
  bench_run (&bench, 1, 1e6);
  bench_run (&bench, 18, rate);
  check_none (&bench);
}

GST_END_TEST;

static Suite *
steps_suite (void)
{
  Suite *suite = suite_create ("steps");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_a_step_is_told_when_it_lasts, 0,
      G_N_ELEMENTS (steps));
  tcase_add_loop_test (tcase, test_a_short_dip_or_peak_is_no_step, 0, 2);
  tcase_add_loop_test (tcase, test_what_is_not_far_away_is_no_step, 0, 2);
  tcase_add_loop_test (tcase, test_a_slow_drift_is_no_step, 0, 2);
  tcase_add_loop_test (tcase,
      test_before_a_level_is_held_for_20_s_nothing_is_a_step, 0, 2);

  return suite;
}

GST_CHECK_MAIN (steps);
