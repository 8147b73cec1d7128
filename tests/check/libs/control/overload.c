/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the detection of overload from the losses of a path.
 */
#include "control/plumb/overload.h"

#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <math.h>

#define PACKET_SIZE 1000
#define BEGIN (100 * LMCC_SECOND)

static const LmccOverload nothing;

static const gdouble rates[] = { 1e6, 3e6, 12e6, 50e6 };
#define N_RATES G_N_ELEMENTS (rates)

static gboolean
is_overload (guint received, guint lost, LmccOverloadLimit limit)
{
  LmccOverload overload = nothing;
  guint i;

  lmcc_overload_reset (&overload, BEGIN);
  for (i = 0; i < received; i++)
    lmcc_overload_packet (&overload, BEGIN, PACKET_SIZE);
  lmcc_overload_lose (&overload, BEGIN, lost);

  return lmcc_overload_check (&overload, BEGIN, limit);
}

static const struct
{
  LmccOverloadLimit limit;
  guint lost; /* minimum */
  gdouble share;
} limits[] = {
  { LMCC_OVERLOAD_USUAL, 8, 0.10 },
  { LMCC_OVERLOAD_EXPERIMENT, 5, 0.05 },
  { LMCC_OVERLOAD_CLAIM, 8, 0.25 },
};

GST_START_TEST (test_what_came_after_all_is_no_overload)
{
  LmccOverload overload = nothing;
  LmccTime later = BEGIN + 150 * LMCC_MSECOND;

  lmcc_overload_reset (&overload, BEGIN);
  lmcc_overload_lose (&overload, BEGIN, 5);
  lmcc_overload_lose (&overload, later, 3);
  fail_unless (lmcc_overload_check (&overload, later, LMCC_OVERLOAD_USUAL));
  lmcc_overload_find (&overload, later, 1);
  fail_if (lmcc_overload_check (&overload, later, LMCC_OVERLOAD_USUAL));
  lmcc_overload_find (&overload, later, 100);
  lmcc_overload_lose (&overload, later, 8);
  fail_unless (lmcc_overload_check (&overload, later, LMCC_OVERLOAD_USUAL));
}

GST_END_TEST;

GST_START_TEST (test_an_overload_has_a_number_and_a_share_of_losses)
{
  LmccOverloadLimit limit = limits[__i__].limit;
  guint lost = limits[__i__].lost, times;

  fail_unless (is_overload (0, lost, limit));
  fail_if (is_overload (0, lost - 1, limit));
  fail_if (is_overload (100, 0, limit));
  for (times = 1; times < 50; times++) {
    guint n = times * lost;
    guint most = (guint) (n / limits[__i__].share + 0.5) - n;

    fail_unless (is_overload (most - 1, n, limit));
    fail_if (is_overload (most + 1, n, limit));
  }
}

GST_END_TEST;

typedef struct
{
  LmccOverload overload;
  GRand *dice;
  gdouble gap;
  gdouble time;
} Path;

static void
path_init (Path *path, gdouble rate, guint32 seed)
{
  path->overload = nothing;
  path->dice = g_rand_new_with_seed (seed);
  path->gap = 8.0 * PACKET_SIZE * LMCC_SECOND / rate;
  path->time = BEGIN;
  lmcc_overload_reset (&path->overload, BEGIN);
}

/* Returns: whether an overload is detected within @seconds */
static gboolean
path_run (Path *path, gdouble seconds, gdouble loss)
{
  gdouble end = path->time + seconds * LMCC_SECOND;

  while (path->time < end) {
    LmccTime now = (LmccTime) (path->time += path->gap);

    if (g_rand_double (path->dice) >= loss)
      lmcc_overload_packet (&path->overload, now, PACKET_SIZE);
    else
      lmcc_overload_lose (&path->overload, now, 1);
    if (lmcc_overload_check (&path->overload, now, LMCC_OVERLOAD_USUAL))
      return TRUE;
  }

  return FALSE;
}

/* A path with a constant loss rate of 3 %; on a slow path, fewer packets
 * make the random losses less even. */
GST_START_TEST (test_the_usual_losses_of_a_path_are_borne)
{
  guint n = test_rounds (20), i;

  for (i = 0; i < n; i++) {
    Path path;

    path_init (&path, rates[__i__], i + 1);
    fail_if (path_run (&path, 60, 0.03), "seed %u, after %g s", i + 1,
        (path.time - BEGIN) / LMCC_SECOND);
    g_rand_free (path.dice);
  }
}

GST_END_TEST;

GST_START_TEST (test_a_third_of_all_is_too_much_within_a_second)
{
  guint i;

  for (i = 0; i < 20; i++) {
    Path path;

    path_init (&path, rates[__i__], i + 1);
    if (i % 2 == 0)
      fail_if (path_run (&path, 20, 0.01));
    fail_unless (path_run (&path, 1, 0.3), "seed %u", i + 1);
    g_rand_free (path.dice);
  }
}

GST_END_TEST;

GST_START_TEST (test_what_is_usual_is_a_matter_of_the_path_not_of_the_level)
{
  Path path;

  path_init (&path, 12e6, 1);
  fail_if (path_run (&path, 100, 0.05));
  lmcc_overload_reset (&path.overload, (LmccTime) path.time);
  fail_if (path_run (&path, 1, 0.05));
  /* Three times as much, and a tenth: 25 % is an overload, 10 % is not. */
  fail_if (path_run (&path, 1, 0.2));
  fail_unless (path_run (&path, 1, 0.4));
  g_rand_free (path.dice);
}

GST_END_TEST;

GST_START_TEST (test_after_a_silence_nothing_is_left)
{
  Path path;
  LmccTime now;

  path_init (&path, rates[__i__], 1);
  path_run (&path, 2, 0);
  now = (LmccTime) path.time;
  lmcc_overload_lose (&path.overload, now, 10000);
  fail_unless (lmcc_overload_check (&path.overload, now, LMCC_OVERLOAD_CLAIM));
  now += 1500 * LMCC_MSECOND;
  fail_if (lmcc_overload_check (&path.overload, now, LMCC_OVERLOAD_EXPERIMENT));
  fail_unless_equals_float (lmcc_overload_get_rate (&path.overload, now), 0);
  now += 1000 * 3600 * LMCC_SECOND;
  fail_if (lmcc_overload_check (&path.overload, now, LMCC_OVERLOAD_EXPERIMENT));
  path.time = (gdouble) now;
  fail_if (path_run (&path, 2, 0));
  g_rand_free (path.dice);
}

GST_END_TEST;

static void
check_rate (const Path *path, gdouble rate)
{
  gdouble came =
      lmcc_overload_get_rate (&path->overload, (LmccTime) path->time);

  fail_unless (fabs (came / rate - 1) < 0.1, "%g s: %g, not %g",
      (path->time - BEGIN) / LMCC_SECOND, came, rate);
}

/* From 12 packets on, even if they are less than a slice. */
GST_START_TEST (test_the_rate_is_what_comes)
{
  gdouble rate = rates[__i__];
  guint i;
  Path path;

  path_init (&path, rate, 1);
  path_run (&path, 12 * path.gap / LMCC_SECOND, 0);
  for (i = 0; i < 200; i++) {
    path_run (&path, 0.033, 0);
    check_rate (&path, rate);
  }
  lmcc_overload_reset (&path.overload, (LmccTime) path.time);
  path_run (&path, 12 * path.gap / LMCC_SECOND, 0);
  check_rate (&path, rate);
  /* Half as much: after a second, the earlier rate no longer counts. */
  path.gap *= 2;
  path_run (&path, 1.1, 0);
  check_rate (&path, rate / 2);
  g_rand_free (path.dice);
}

GST_END_TEST;

static Suite *
overload_suite (void)
{
  Suite *suite = suite_create ("overload");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_what_came_after_all_is_no_overload);
  tcase_add_loop_test (tcase,
      test_an_overload_has_a_number_and_a_share_of_losses, 0,
      G_N_ELEMENTS (limits));
  tcase_add_loop_test (tcase, test_the_usual_losses_of_a_path_are_borne, 0,
      N_RATES);
  tcase_add_loop_test (tcase, test_a_third_of_all_is_too_much_within_a_second,
      0, N_RATES);
  tcase_add_test (tcase,
      test_what_is_usual_is_a_matter_of_the_path_not_of_the_level);
  tcase_add_loop_test (tcase, test_after_a_silence_nothing_is_left, 0, N_RATES);
  tcase_add_loop_test (tcase, test_the_rate_is_what_comes, 0, N_RATES);

  return suite;
}

GST_CHECK_MAIN (overload);
