/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the schemes of layer rates against the figures of the papers.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc-rates.h>
#include <gst/lmcc/lmcc-session.h>

#include <math.h>

static gdouble
sum (const gdouble *rates, guint n)
{
  gdouble total = 0;
  guint i;

  for (i = 0; i < n; i++)
    total += rates[i];

  return total;
}

static void
compute (LmccRateScheme scheme, gdouble base, gdouble factor, guint n,
    gdouble *rates)
{
  GError *error = NULL;

  fail_unless (lmcc_rates_compute (scheme, base, factor, n, rates, &error));
  g_assert_no_error (error);
}

/* FLID-DL section IV-A: 20 layers, 2.5 packets/s of 1 KB: 20 kbit/s. */
GST_START_TEST (test_examples_of_the_paper_span_what_it_says)
{
  gdouble rates[20];

  compute (LMCC_RATE_SCHEME_EQUAL, 20e3, 0, 20, rates);
  fail_unless_equals_float (sum (rates, 20), 400e3);

  compute (LMCC_RATE_SCHEME_INCREASE_BY_ONE, 20e3, 0, 20, rates);
  fail_unless_equals_float (rates[1], 40e3);
  fail_unless_equals_float (sum (rates, 20), 4.2e6);

  compute (LMCC_RATE_SCHEME_DOUBLING, 20e3, 0, 20, rates);
  fail_unless_equals_float (rates[0], 20e3);
  fail_unless_equals_float (rates[1], 20e3);
  fail_unless_equals_float (rates[2], 40e3);
  fail_unless_equals_float (rates[3], 80e3);
  fail_unless (fabs (sum (rates, 20) - 10e9) < 0.5e9);

  compute (LMCC_RATE_SCHEME_MULTIPLICATIVE, 20e3, 1.3, 20, rates);
  fail_unless (fabs (sum (rates, 20) - 2.9e6) < 0.05e6);
}

GST_END_TEST;

/* FLID-DL, example 6: R_0 = 24 kbit/s, c = 1.3, to three digits. Its Mb/s are
 * 1024 Kb/s, as its heavy-tail example's C is. */
GST_START_TEST (test_multiplicative_gives_the_papers_table)
{
  static const gdouble kbits[] = { 24.0, 31.2, 40.6, 52.7, 68.5, 89.1, 116, 150,
    196, 255, 331, 430, 559, 727, 945 };
  static const gdouble mbits[] = { 1.20, 1.56, 2.03, 2.64, 3.43, 4.45, 5.79,
    7.53, 9.79, 12.7, 16.5, 21.5, 27.9, 36.3, 47.2 };
  gdouble rates[30];
  guint i;

  compute (LMCC_RATE_SCHEME_MULTIPLICATIVE, 24e3, 1.3, 30, rates);
  for (i = 0; i < 30; i++) {
    gdouble printed = i < 15 ? kbits[i] * 1e3 : mbits[i - 15] * 1024e3;

    fail_unless (fabs (sum (rates, i + 1) / printed - 1) < 0.005,
        "level %u: %g", i, sum (rates, i + 1));
  }
}

GST_END_TEST;

/* The paper's list for C = 1024 kbit/s; 24.8 is printed instead of 24.4. */
GST_START_TEST (test_heavy_tail_gives_the_papers_list)
{
  static const gdouble list[] = { 51.2, 2.7, 3.0, 3.3, 3.8, 4.3, 4.9, 5.6, 6.6,
    7.8, 9.3, 11.4, 14.2, 18.3, 24.4, 34.1, 51.2, 85.3, 170.7, 512 };
  gdouble rates[20];
  guint i;

  compute (LMCC_RATE_SCHEME_HEAVY_TAIL, 1024e3, 0, 20, rates);
  for (i = 0; i < 20; i++) {
    fail_unless (fabs (rates[i] / 1e3 - list[i]) <= 0.0501, "layer %u: %g", i,
        rates[i]);
    fail_unless (fabs (sum (rates, i + 1) - 1024e3 / (20 - i)) < 1e-3);
  }
}

GST_END_TEST;

GST_START_TEST (test_every_scheme_sums_to_its_cumulative_rates)
{
  gdouble rates[LMCC_MAX_LAYERS];
  guint n, i;

  for (n = 1; n <= 24; n++) {
    compute (LMCC_RATE_SCHEME_DOUBLING, 1000, 0, n, rates);
    for (i = 0; i < n; i++)
      fail_unless_equals_float (sum (rates, i + 1), 1000 * pow (2, i));
    compute (LMCC_RATE_SCHEME_MULTIPLICATIVE, 1000, 1.7, n, rates);
    for (i = 0; i < n; i++)
      fail_unless (
          fabs (sum (rates, i + 1) / (1000 * pow (1.7, i)) - 1) < 1e-9);
    compute (LMCC_RATE_SCHEME_HEAVY_TAIL, 1e6, 0, n, rates);
    fail_unless (fabs (sum (rates, n) - 1e6) < 1e-3);
  }
}

GST_END_TEST;

static void
refuse (LmccRateScheme scheme, gdouble base, gdouble factor, guint n)
{
  gdouble rates[LMCC_MAX_LAYERS + 1] = { 0 };
  GError *error = NULL;

  fail_if (lmcc_rates_compute (scheme, base, factor, n, rates, &error));
  fail_unless (
      g_error_matches (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_VALUE));
  g_clear_error (&error);
}

GST_START_TEST (test_what_is_out_of_range_is_refused)
{
  gdouble rates[3] = { 1e5, 2e5, 3e5 };

  refuse (LMCC_RATE_SCHEME_EQUAL, 1e5, 0, 0);
  refuse (LMCC_RATE_SCHEME_EQUAL, 1e5, 0, LMCC_MAX_LAYERS + 1);
  refuse (LMCC_RATE_SCHEME_EQUAL, 0, 0, 3);
  refuse (LMCC_RATE_SCHEME_EQUAL, -1, 0, 3);
  refuse (LMCC_RATE_SCHEME_EQUAL, NAN, 0, 3);
  refuse (LMCC_RATE_SCHEME_EQUAL, INFINITY, 0, 3);
  refuse (LMCC_RATE_SCHEME_MULTIPLICATIVE, 1e5, 1.0, 3);
  refuse (LMCC_RATE_SCHEME_MULTIPLICATIVE, 1e5, NAN, 3);
  refuse (LMCC_RATE_SCHEME_DOUBLING, 1e5, 0, LMCC_MAX_LAYERS);
  refuse (LMCC_RATE_SCHEME_EXPLICIT, 0, 0, 3);
  refuse ((LmccRateScheme) 99, 1e5, 0, 3);

  compute (LMCC_RATE_SCHEME_EXPLICIT, 0, 0, 3, rates);
  fail_unless_equals_float (rates[1], 2e5);
}

GST_END_TEST;

GST_START_TEST (test_names_lead_back_to_their_schemes)
{
  LmccRateScheme scheme = LMCC_RATE_SCHEME_EQUAL;
  guint i;

  for (i = 0; i <= LMCC_RATE_SCHEME_EXPLICIT; i++) {
    fail_unless (
        lmcc_rate_scheme_from_name (lmcc_rate_scheme_name (i), &scheme));
    fail_unless_equals_int (scheme, i);
  }
  fail_if (lmcc_rate_scheme_from_name ("Equal", &scheme));
  fail_if (lmcc_rate_scheme_from_name (NULL, &scheme));
  fail_unless_equals_int (scheme, LMCC_RATE_SCHEME_EXPLICIT);
  fail_unless (lmcc_rate_scheme_name ((LmccRateScheme) 99) == NULL);
}

GST_END_TEST;

static Suite *
rates_suite (void)
{
  Suite *s = suite_create ("rates");
  TCase *tc = tcase_create ("schemes");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_examples_of_the_paper_span_what_it_says);
  tcase_add_test (tc, test_multiplicative_gives_the_papers_table);
  tcase_add_test (tc, test_heavy_tail_gives_the_papers_list);
  tcase_add_test (tc, test_every_scheme_sums_to_its_cumulative_rates);
  tcase_add_test (tc, test_what_is_out_of_range_is_refused);
  tcase_add_test (tc, test_names_lead_back_to_their_schemes);

  return s;
}

GST_CHECK_MAIN (rates);
