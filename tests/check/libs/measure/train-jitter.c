/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests trains whose packets have random delays.
 */
#include "measure/trains.h"

#include "support/test-slow.h"
#include "support/test-train-path.h"

#include <gst/check/gstcheck.h>
#include <math.h>

static const gdouble rates[] = { 1e6, 3e6, 12e6, 50e6 };

#define N_RATES G_N_ELEMENTS (rates)

static void
check_room (const TrainPath *path, guint n)
{
  fail_unless_equals_int (path->verdicts[LMCC_TRAIN_ROOM], n);
  fail_unless_equals_int (train_path_count (path), n);
}

/* Of the normal distribution, above @x. */
static gdouble
tail (gdouble x)
{
  return erfc (x / sqrt (2)) / 2;
}

/* The slope of n evenly spaced points has the variance 12 s^2 / (n (n^2 -
 * 1)) in units of their distance, and for uniform noise the estimate of
 * Theil and Sen is as good as least squares (Sen 1968, section 6); s^2 is
 * J^2 / 12. Multiplied by n - 1, this is the apparent growth of the queue:
 * sqrt ((n - 1) / (n (n + 1))) J. A train is FULL if this exceeds 1 ms and a
 * twentieth of the train.
 *
 * The limit is the share of the normal distribution, plus three deviations
 * of the count in this number of trains; sums of uniform numbers have
 * smaller tails. */
static gdouble
expect_full (const TrainPath *path)
{
  guint n = train_path_length (path);
  gdouble span = (gdouble) ((n - 1) * path->packet_gap);
  gdouble threshold = LMCC_MSECOND + span / 20;

  return tail (threshold
      / (sqrt ((n - 1.0) / (n * (n + 1.0))) * (gdouble) path->jitter));
}

static const LmccTime jitters[] = { MS / 2, MS, 2 * MS };

static void
add_jitter (TrainPath *path, guint row)
{
  train_path_init (path, rates[row / G_N_ELEMENTS (jitters)], 2, 5);
  path->jitter = jitters[row % G_N_ELEMENTS (jitters)];
}

GST_START_TEST (test_jitter_is_seldom_taken_for_a_queue)
{
  guint n = test_rounds (2000), n_full;
  gdouble expected;
  TrainPath path;

  add_jitter (&path, (guint) __i__);
  expected = n * expect_full (&path);
  train_path_cycles (&path, n);
  n_full = path.verdicts[LMCC_TRAIN_FULL];
  fail_unless_equals_int (path.verdicts[LMCC_TRAIN_ROOM] + n_full, n);
  fail_unless (n_full <= expected + 3 * sqrt (expected),
      "full %u of %u, expected %g", n_full, n, expected);
  train_path_clear (&path);
}

GST_END_TEST;

/* Without reordering, neighbouring delays are similar, and the variance of
 * the slope is larger. In slow start, ELM waits 7 s after a FULL train: at
 * one in a hundred, this is 3.5 cycles of a hundred. */
GST_START_TEST (test_jitter_in_order_is_seldom_taken_for_a_queue)
{
  guint n = test_rounds (2000), n_full;
  TrainPath path;

  add_jitter (&path, (guint) __i__);
  path.keeps_order = TRUE;
  train_path_cycles (&path, n);
  n_full = path.verdicts[LMCC_TRAIN_FULL];
  fail_unless_equals_int (path.verdicts[LMCC_TRAIN_ROOM] + n_full, n);
  fail_unless (n_full <= n / 100, "full %u of %u", n_full, n);
  train_path_clear (&path);
}

GST_END_TEST;

/* The queue grows by at least twice the threshold. */
GST_START_TEST (test_jitter_seldom_hides_a_queue)
{
  guint n = test_rounds (2000), n_room;
  gdouble expected;
  TrainPath path;

  add_jitter (&path, (guint) __i__);
  path.capacity = 0.6 * rates[(guint) __i__ / G_N_ELEMENTS (jitters)];
  expected = n * expect_full (&path);
  train_path_cycles (&path, n);
  n_room = path.verdicts[LMCC_TRAIN_ROOM];
  fail_unless_equals_int (train_path_count (&path), n);
  fail_unless (n_room <= expected + 3 * sqrt (expected),
      "room %u of %u, expected %g", n_room, n, expected);
  train_path_clear (&path);
}

GST_END_TEST;

/* After slow start, ELM needs two FULL trains in a row: with one in ten,
 * this is one pair in a hundred. */
GST_START_TEST (test_batches_are_seldom_taken_for_a_queue)
{
  guint n = test_rounds (1000), n_full;
  TrainPath path;

  train_path_init (&path, rates[__i__], 2, 5);
  path.batch = 5 * MS;
  train_path_cycles (&path, n);
  n_full = path.verdicts[LMCC_TRAIN_FULL];
  fail_unless_equals_int (path.verdicts[LMCC_TRAIN_ROOM] + n_full, n);
  fail_unless (n_full <= n / 10, "full %u of %u", n_full, n);
  train_path_clear (&path);
}

GST_END_TEST;

GST_START_TEST (test_neighbours_may_change_places)
{
  TrainPath path;

  train_path_init (&path, rates[__i__], 2, 1);
  path.reorder = 3;
  train_path_cycles (&path, 50);
  check_room (&path, 50);
  path.capacity = 0.6 * rates[__i__];
  train_path_cycles (&path, 50);
  fail_unless_equals_int (path.verdicts[LMCC_TRAIN_ROOM], 50);
  fail_unless_equals_int (path.verdicts[LMCC_TRAIN_FULL], 50);
  train_path_clear (&path);
}

GST_END_TEST;

/* A sender that gets no processor: due packets leave in bursts, and a link
 * with too little capacity drains between them. */
static const LmccTime wakes[] = { 5 * MS, 10 * MS, 20 * MS };

/* The link carries @share of a train's rate. */
static guint
count_clumps (guint row, gdouble share, LmccTrainVerdict verdict)
{
  TrainPath path;

  train_path_init (&path, rates[row / G_N_ELEMENTS (wakes)], 2, 5);
  path.wakes = wakes[row % G_N_ELEMENTS (wakes)];
  path.capacity = share * rates[row / G_N_ELEMENTS (wakes)];
  train_path_cycles (&path, test_rounds (200));
  train_path_clear (&path);

  return path.verdicts[verdict];
}

GST_START_TEST (test_clumps_hide_no_queue)
{
  fail_unless_equals_int (count_clumps ((guint) __i__, 0.72, LMCC_TRAIN_ROOM),
      0);
}

GST_END_TEST;

GST_START_TEST (test_clumps_are_no_queue)
{
  fail_unless_equals_int (count_clumps ((guint) __i__, 1.02, LMCC_TRAIN_FULL),
      0);
}

GST_END_TEST;

GST_START_TEST (test_clocks_may_drift)
{
  static const gdouble drifts[] = { 100e-6, -100e-6 };
  TrainPath path;

  train_path_init (&path, rates[__i__ / G_N_ELEMENTS (drifts)], 2, 1);
  path.drift = drifts[__i__ % G_N_ELEMENTS (drifts)];
  train_path_cycles (&path, 300);
  check_room (&path, 300);
  train_path_clear (&path);
}

GST_END_TEST;

static Suite *
train_jitter_suite (void)
{
  Suite *suite = suite_create ("train-jitter");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_jitter_is_seldom_taken_for_a_queue, 0,
      N_RATES * G_N_ELEMENTS (jitters));
  tcase_add_loop_test (tcase, test_jitter_in_order_is_seldom_taken_for_a_queue,
      0, N_RATES * G_N_ELEMENTS (jitters));
  tcase_add_loop_test (tcase, test_jitter_seldom_hides_a_queue, 0,
      N_RATES * G_N_ELEMENTS (jitters));
  tcase_add_loop_test (tcase, test_batches_are_seldom_taken_for_a_queue, 0,
      N_RATES);
  tcase_add_loop_test (tcase, test_neighbours_may_change_places, 0, N_RATES);
  tcase_add_loop_test (tcase, test_clumps_hide_no_queue, 0,
      N_RATES * G_N_ELEMENTS (wakes));
  tcase_add_loop_test (tcase, test_clumps_are_no_queue, 0,
      N_RATES * G_N_ELEMENTS (wakes));
  tcase_add_loop_test (tcase, test_clocks_may_drift, 0, N_RATES * 2);

  return suite;
}

GST_CHECK_MAIN (train_jitter);
