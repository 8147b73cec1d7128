/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the TCP throughput equation (RFC 5348) and its inverse.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/tcp-model.h>
#include <math.h>

static const guint packet_sizes[] = { 1, 40, 1000, 1500, 9000 };

static const LmccTime rtts[] = { 1, LMCC_USECOND, LMCC_MSECOND,
  60 * LMCC_MSECOND, 500 * LMCC_MSECOND, 3600 * LMCC_SECOND };

/* The paths of Colussi's simulations, tables of section 6.3, 1000-byte
 * packets. */
GST_START_TEST (test_the_model_gives_the_rates_of_the_thesis_paths)
{
  static const struct
  {
    gdouble loss_rate;
    LmccTime rtt;
    gdouble kbit_per_second;
  } rows[] = {
    { 0.02, 60 * LMCC_MSECOND, 977 },
    { 0.01, 60 * LMCC_MSECOND, 1498 },
    { 0.03, 60 * LMCC_MSECOND, 738 },
    { 0.01, 250 * LMCC_MSECOND, 359 },
    { 0.01, 50 * LMCC_MSECOND, 1797 },
    { 0.01, 500 * LMCC_MSECOND, 180 },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    gdouble rate = lmcc_tcp_model_rate (rows[i].loss_rate, rows[i].rtt, 1000);

    fail_unless (fabs (rate / 1000 - rows[i].kbit_per_second) <= 0.5,
        "row %u: %f bit/s", i, rate);
  }
}

GST_END_TEST;

GST_START_TEST (test_the_model_is_the_equation_of_rfc_5348)
{
  gdouble p;

  for (p = 1e-8; p <= 1; p *= 1.5) {
    gdouble s = 1500;
    gdouble r = 0.08;
    gdouble rto = 4 * r;
    gdouble x = 8 * s
        / (r * sqrt (2 * p / 3)
            + rto * (3 * sqrt (3 * p / 8)) * p * (1 + 32 * p * p));

    fail_unless (fabs (lmcc_tcp_model_rate (p, 80 * LMCC_MSECOND, 1500) / x - 1)
        < 1e-12);
  }
}

GST_END_TEST;

GST_START_TEST (test_loss_and_rtt_lower_the_rate_and_packet_size_raises_it)
{
  gdouble p, last = INFINITY;

  for (p = 1e-12; p <= 1; p *= 1.01) {
    gdouble rate = lmcc_tcp_model_rate (p, 100 * LMCC_MSECOND, 1000);

    fail_unless (rate < last);
    fail_unless (
        fabs (lmcc_tcp_model_rate (p, 200 * LMCC_MSECOND, 1000) * 2 / rate - 1)
        < 1e-12);
    fail_unless (
        fabs (lmcc_tcp_model_rate (p, 100 * LMCC_MSECOND, 500) * 2 / rate - 1)
        < 1e-12);
    last = rate;
  }
}

GST_END_TEST;

GST_START_TEST (test_the_inverse_gives_back_the_loss_rate)
{
  guint i, j;
  gdouble p;

  for (i = 0; i < G_N_ELEMENTS (packet_sizes); i++) {
    for (j = 0; j < G_N_ELEMENTS (rtts); j++) {
      for (p = 1e-14; p < 1; p *= 1.1) {
        gdouble rate = lmcc_tcp_model_rate (p, rtts[j], packet_sizes[i]);
        gdouble inverse =
            lmcc_tcp_model_loss_rate (rate, rtts[j], packet_sizes[i]);

        fail_unless (fabs (inverse / p - 1) < 1e-9,
            "p %.17g, RTT %" G_GUINT64_FORMAT " ns, %u bytes: %.17g", p,
            rtts[j], packet_sizes[i], inverse);
      }
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_the_model_gives_back_the_rate_and_the_inverse_falls)
{
  gdouble lowest = lmcc_tcp_model_rate (1, 100 * LMCC_MSECOND, 1000);
  gdouble rate, last = 1;

  for (rate = lowest * 1.0001; rate < 1e15; rate *= 1.01) {
    gdouble p = lmcc_tcp_model_loss_rate (rate, 100 * LMCC_MSECOND, 1000);

    fail_unless (p > 0 && p < last);
    fail_unless (
        fabs (lmcc_tcp_model_rate (p, 100 * LMCC_MSECOND, 1000) / rate - 1)
        < 1e-9);
    last = p;
  }
}

GST_END_TEST;

GST_START_TEST (test_no_loss_allows_any_rate_and_total_loss_the_lowest)
{
  LmccTime rtt = 100 * LMCC_MSECOND;
  gdouble lowest = lmcc_tcp_model_rate (1, rtt, 1000);

  fail_unless (isinf (lmcc_tcp_model_rate (0, rtt, 1000)));
  fail_unless (isinf (lmcc_tcp_model_rate (-1, rtt, 1000)));
  fail_unless (isfinite (lmcc_tcp_model_rate (G_MINDOUBLE, rtt, 1000)));
  fail_unless (lowest > 0);
  fail_unless_equals_float (lmcc_tcp_model_rate (1.5, rtt, 1000), lowest);
  fail_unless_equals_float (lmcc_tcp_model_rate (INFINITY, rtt, 1000), lowest);
  fail_unless_equals_float (lmcc_tcp_model_rate (NAN, rtt, 1000), lowest);

  fail_unless_equals_float (lmcc_tcp_model_loss_rate (lowest, rtt, 1000), 1);
  fail_unless_equals_float (lmcc_tcp_model_loss_rate (lowest / 2, rtt, 1000),
      1);
  fail_unless_equals_float (lmcc_tcp_model_loss_rate (0, rtt, 1000), 1);
  fail_unless_equals_float (lmcc_tcp_model_loss_rate (-5, rtt, 1000), 1);
  fail_unless_equals_float (lmcc_tcp_model_loss_rate (NAN, rtt, 1000), 1);
  fail_unless_equals_float (lmcc_tcp_model_loss_rate (INFINITY, rtt, 1000), 0);
}

GST_END_TEST;

GST_START_TEST (test_an_impossible_rtt_or_packet_size_gives_a_number)
{
  LmccTime absurd[] = { 0, 1, G_MAXUINT64 };
  guint sizes[] = { 0, 1, G_MAXUINT };
  volatile gdouble at_0, at_1;
  guint i, j;

  for (i = 0; i < G_N_ELEMENTS (absurd); i++) {
    for (j = 0; j < G_N_ELEMENTS (sizes); j++) {
      gdouble rate = lmcc_tcp_model_rate (0.01, absurd[i], sizes[j]);
      gdouble p = lmcc_tcp_model_loss_rate (1e6, absurd[i], sizes[j]);

      fail_unless (isfinite (rate) && rate >= 0);
      fail_unless (p >= 0 && p <= 1);
    }
  }
  /* In memory, because a register of i387 has more digits. */
  at_0 = lmcc_tcp_model_rate (0.01, 0, 1000);
  at_1 = lmcc_tcp_model_rate (0.01, 1, 1000);
  fail_unless_equals_float (at_0, at_1);
}

GST_END_TEST;

static Suite *
tcp_model_suite (void)
{
  Suite *suite = suite_create ("tcp-model");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_the_model_gives_the_rates_of_the_thesis_paths);
  tcase_add_test (tcase, test_the_model_is_the_equation_of_rfc_5348);
  tcase_add_test (tcase,
      test_loss_and_rtt_lower_the_rate_and_packet_size_raises_it);
  tcase_add_test (tcase, test_the_inverse_gives_back_the_loss_rate);
  tcase_add_test (tcase,
      test_the_model_gives_back_the_rate_and_the_inverse_falls);
  tcase_add_test (tcase,
      test_no_loss_allows_any_rate_and_total_loss_the_lowest);
  tcase_add_test (tcase, test_an_impossible_rtt_or_packet_size_gives_a_number);

  return suite;
}

GST_CHECK_MAIN (tcp_model);
