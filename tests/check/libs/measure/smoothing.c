/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests moving averages and means of percentiles.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/smoothing.h>
#include <math.h>

static int
compare (const void *a, const void *b)
{
  gdouble x = *(const gdouble *) a;
  gdouble y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

GST_START_TEST (test_the_average_starts_at_the_first_sample_and_follows)
{
  LmccEwma ewma;

  lmcc_ewma_init (&ewma, 0.25);
  fail_if (ewma.started);
  fail_unless (lmcc_ewma_add (&ewma, 8));
  fail_unless (ewma.started);
  fail_unless_equals_float (ewma.value, 8);
  fail_unless (lmcc_ewma_add (&ewma, 16));
  fail_unless_equals_float (ewma.value, 10);
  fail_unless (lmcc_ewma_add (&ewma, 2));
  fail_unless_equals_float (ewma.value, 8);
}

GST_END_TEST;

GST_START_TEST (test_a_smaller_weight_is_smoother)
{
  LmccEwma slow, fast;
  guint i;

  lmcc_ewma_init (&slow, 0.1);
  lmcc_ewma_init (&fast, 0.9);
  lmcc_ewma_add (&slow, 0);
  lmcc_ewma_add (&fast, 0);
  for (i = 1; i <= 20; i++) {
    lmcc_ewma_add (&slow, 1);
    lmcc_ewma_add (&fast, 1);
    fail_unless (fabs (slow.value - (1 - pow (0.9, i))) < 1e-12);
    fail_unless (fabs (fast.value - (1 - pow (0.1, i))) < 1e-12);
    fail_unless (slow.value < fast.value);
  }
}

GST_END_TEST;

GST_START_TEST (test_a_timed_average_does_not_depend_on_how_often_it_is_told)
{
  LmccEwma often, seldom;
  guint i;

  lmcc_ewma_init (&often, 1);
  lmcc_ewma_init (&seldom, 1);
  lmcc_ewma_add (&often, 10);
  lmcc_ewma_add (&seldom, 10);
  for (i = 0; i < 100; i++)
    lmcc_ewma_add_timed (&often, 2, LMCC_MSECOND, 50 * LMCC_MSECOND);
  lmcc_ewma_add_timed (&seldom, 2, 100 * LMCC_MSECOND, 50 * LMCC_MSECOND);
  fail_unless (fabs (often.value - seldom.value) < 1e-9);
  fail_unless (fabs (seldom.value - (2 + 8 * exp (-2))) < 1e-9);
  lmcc_ewma_add_timed (&seldom, 7, 1, 0);
  fail_unless_equals_float (seldom.value, 7);
  fail_if (lmcc_ewma_add_timed (&seldom, INFINITY, 1, 1));
}

GST_END_TEST;

GST_START_TEST (test_a_weight_out_of_range_smooths_nothing)
{
  gdouble weights[] = { 0, -0.5, 1.5, 1, NAN, INFINITY };
  LmccEwma ewma;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (weights); i++) {
    lmcc_ewma_init (&ewma, weights[i]);
    lmcc_ewma_add (&ewma, 3);
    lmcc_ewma_add (&ewma, 7);
    fail_unless_equals_float (ewma.value, 7);
  }
}

GST_END_TEST;

GST_START_TEST (test_samples_that_are_no_numbers_are_left_out)
{
  g_autoptr (LmccPercentiles) percentiles = lmcc_percentiles_new (4, 0.2, 0.8);
  gdouble samples[] = { INFINITY, -INFINITY, NAN };
  LmccEwma ewma;
  guint i;

  lmcc_ewma_init (&ewma, 0.5);
  for (i = 0; i < G_N_ELEMENTS (samples); i++) {
    fail_if (lmcc_ewma_add (&ewma, samples[i]));
    fail_if (ewma.started);
    fail_if (lmcc_percentiles_add (percentiles, samples[i]));
  }
  fail_unless (isnan (lmcc_percentiles_get_mean (percentiles)));
  fail_unless (isnan (lmcc_percentiles_get (percentiles, 0.5)));

  lmcc_ewma_add (&ewma, 5);
  lmcc_percentiles_add (percentiles, 5);
  for (i = 0; i < G_N_ELEMENTS (samples); i++) {
    lmcc_ewma_add (&ewma, samples[i]);
    lmcc_percentiles_add (percentiles, samples[i]);
  }
  fail_unless_equals_float (ewma.value, 5);
  fail_unless_equals_float (lmcc_percentiles_get_mean (percentiles), 5);
  fail_unless_equals_int (lmcc_percentiles_get_count (percentiles), 1);
}

GST_END_TEST;

GST_START_TEST (test_the_mean_is_that_of_the_two_percentiles)
{
  g_autoptr (LmccPercentiles) percentiles = lmcc_percentiles_new (11, 0.2, 0.8);
  gdouble samples[] = { 70, 10, 110, 30, 50, 90, 20, 100, 40, 60, 80 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (samples); i++)
    fail_unless (lmcc_percentiles_add (percentiles, samples[i]));
  fail_unless_equals_float (lmcc_percentiles_get (percentiles, 0), 10);
  fail_unless_equals_float (lmcc_percentiles_get (percentiles, 0.2), 30);
  fail_unless_equals_float (lmcc_percentiles_get (percentiles, 0.5), 60);
  fail_unless_equals_float (lmcc_percentiles_get (percentiles, 0.8), 90);
  fail_unless_equals_float (lmcc_percentiles_get (percentiles, 1), 110);
  fail_unless_equals_float (lmcc_percentiles_get_mean (percentiles), 60);

  /* 70 is removed: 10 20 30 40 50 60 80 90 100 110 1000. */
  lmcc_percentiles_add (percentiles, 1000);
  fail_unless_equals_int (lmcc_percentiles_get_count (percentiles), 11);
  fail_unless_equals_float (lmcc_percentiles_get (percentiles, 1), 1000);
  fail_unless_equals_float (lmcc_percentiles_get_mean (percentiles), 65);

  lmcc_percentiles_reset (percentiles);
  fail_unless_equals_int (lmcc_percentiles_get_count (percentiles), 0);
  lmcc_percentiles_add (percentiles, 7);
  fail_unless_equals_float (lmcc_percentiles_get_mean (percentiles), 7);
}

GST_END_TEST;

GST_START_TEST (test_percentiles_are_those_of_a_sorted_copy)
{
  enum
  {
    SIZE = 37
  };
  g_autoptr (LmccPercentiles) percentiles =
      lmcc_percentiles_new (SIZE, 0.1, 0.7);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  gdouble window[SIZE], sorted[SIZE];
  guint i, j, n;

  for (i = 0; i < 5000; i++) {
    /* Few different values, so that many are equal. */
    gdouble sample = g_rand_int_range (random, -20, 20) / 4.0;

    window[i % SIZE] = sample;
    fail_unless (lmcc_percentiles_add (percentiles, sample));
    n = MIN (i + 1, SIZE);
    for (j = 0; j < n; j++)
      sorted[j] = window[j];
    qsort (sorted, n, sizeof (gdouble), compare);
    for (j = 0; j < n; j++) {
      gdouble at = n > 1 ? j / (gdouble) (n - 1) : 0;

      if (fabs (lmcc_percentiles_get (percentiles, at) - sorted[j]) > 1e-7)
        ck_abort_msg ("sample %u, percentile %u of %u", i, j, n);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_sizes_and_fractions_out_of_range_are_clamped)
{
  g_autoptr (LmccPercentiles) none = lmcc_percentiles_new (0, -1, 2);
  g_autoptr (LmccPercentiles) most = lmcc_percentiles_new (G_MAXUINT, NAN, 2);
  guint i;

  lmcc_percentiles_add (none, 1);
  lmcc_percentiles_add (none, 2);
  fail_unless_equals_int (lmcc_percentiles_get_count (none), 1);
  fail_unless_equals_float (lmcc_percentiles_get_mean (none), 2);

  for (i = 0; i < LMCC_PERCENTILES_MAX_SIZE + 10; i++)
    lmcc_percentiles_add (most, i);
  fail_unless_equals_int (lmcc_percentiles_get_count (most),
      LMCC_PERCENTILES_MAX_SIZE);
  fail_unless_equals_float (lmcc_percentiles_get (most, NAN), 10);
  fail_unless_equals_float (lmcc_percentiles_get (most, 7),
      LMCC_PERCENTILES_MAX_SIZE + 9);
}

GST_END_TEST;

static Suite *
smoothing_suite (void)
{
  Suite *suite = suite_create ("smoothing");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      test_the_average_starts_at_the_first_sample_and_follows);
  tcase_add_test (tcase, test_a_smaller_weight_is_smoother);
  tcase_add_test (tcase,
      test_a_timed_average_does_not_depend_on_how_often_it_is_told);
  tcase_add_test (tcase, test_a_weight_out_of_range_smooths_nothing);
  tcase_add_test (tcase, test_samples_that_are_no_numbers_are_left_out);
  tcase_add_test (tcase, test_the_mean_is_that_of_the_two_percentiles);
  tcase_add_test (tcase, test_percentiles_are_those_of_a_sorted_copy);
  tcase_add_test (tcase, test_sizes_and_fractions_out_of_range_are_clamped);

  return suite;
}

GST_CHECK_MAIN (smoothing);
