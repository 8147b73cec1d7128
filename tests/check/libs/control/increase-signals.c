/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the increase probabilities of FLID-DL and the heuristic that computes
 * them.
 */
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/slots/increase-probabilities.h>
#include <gst/lmcc/control/slots/increase-signals.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/markov.h>
#include <gst/lmcc/measure/tcp-model.h>
#include <math.h>

/* The session of FLID-DL's examples 2, 5 and 6: 24 Kb/s = 3 packets/s of 1 KB,
 * in binary units; T = 0.5 s, nominal RTT 0.1 s. */
#define LEVELS 30
static const LmccTcpTarget tcp = { 100 * LMCC_MSECOND, 1024 };

static void
init_multiplicative (LmccMarkovChain *chain, gdouble base_rate, gdouble c,
    guint n, guint packet_size, LmccTime slot)
{
  gdouble rates[LMCC_MAX_LAYERS];

  fail_unless (lmcc_rates_compute (LMCC_RATE_SCHEME_MULTIPLICATIVE, base_rate,
      c, n, rates, NULL));
  lmcc_markov_chain_init (chain, rates, n, packet_size, slot);
}

static void
init_example (LmccMarkovChain *chain)
{
  init_multiplicative (chain, 24 * 1024, 1.3, LEVELS, 1024, LMCC_SECOND / 2);
}

static const gdouble example_5[LEVELS] = { 0.932, 0.932, 0.932, 0.932, 0.932,
  0.932, 0.932, 0.932, 0.932, 0.932, 0.899, 0.840, 0.751, 0.649, 0.541, 0.441,
  0.353, 0.278, 0.217, 0.169, 0.131, 0.100, 0.078, 0.060, 0.046, 0.035, 0.027,
  0.021, 0.016, 0.0 };

static const gdouble example_6[LEVELS] = { 0.999, 0.932, 0.931, 0.930, 0.929,
  0.928, 0.927, 0.926, 0.925, 0.924, 0.923, 0.922, 0.921, 0.920, 0.901, 0.312,
  0.311, 0.310, 0.248, 0.122, 0.118, 0.108, 0.077, 0.051, 0.040, 0.005, 0.003,
  0.002, 0.001, 0.0 };

GST_START_TEST (test_the_heuristic_gives_example_5)
{
  LmccMarkovChain chain;
  gdouble p[LEVELS];
  guint i;

  init_example (&chain);
  lmcc_increase_probabilities_heuristic (&chain, lmcc_tcp_target_rate,
      (gpointer) &tcp, p);
  for (i = 0; i < LEVELS; i++)
    fail_unless (fabs (p[i] - example_5[i]) <= 0.005, "level %u: %f", i, p[i]);
}

GST_END_TEST;

GST_START_TEST (test_the_heuristic_is_sane_for_any_session)
{
  const gdouble factors[] = { 1.01, 1.3, 2, 4 };
  const gdouble base_rates[] = { 1, 1000, 24576, 1e6, 1e8 };
  const LmccTime times[] = { 1, LMCC_MSECOND, 100 * LMCC_MSECOND, LMCC_SECOND,
    60 * LMCC_SECOND };
  guint a, b, c, d, n, i;

  for (a = 0; a < G_N_ELEMENTS (factors); a++) {
    for (b = 0; b < G_N_ELEMENTS (base_rates); b++) {
      for (c = 0; c < G_N_ELEMENTS (times); c++) {
        for (d = 0; d < G_N_ELEMENTS (times); d++) {
          LmccTcpTarget target = { times[d], 1200 };
          LmccMarkovChain chain;
          gdouble p[LMCC_MAX_LAYERS];

          n = a == 0 ? LMCC_MAX_LAYERS : a == 1 ? 30 : 6;
          init_multiplicative (&chain, base_rates[b], factors[a], n, 1200,
              times[c]);
          lmcc_increase_probabilities_heuristic (&chain, lmcc_tcp_target_rate,
              &target, p);
          fail_unless (lmcc_increase_probabilities_check (p, n, NULL),
              "c %g, R_0 %g, T %" G_GUINT64_FORMAT ", RTT %" G_GUINT64_FORMAT,
              factors[a], base_rates[b], times[c], times[d]);
          for (i = 0; i + 1 < n; i++)
            fail_unless (p[i] > 0);
        }
      }
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_the_heuristic_makes_up_as_likely_as_down_at_the_target)
{
  LmccMarkovChain chain;
  gdouble p[LEVELS];
  guint i;

  init_example (&chain);
  lmcc_increase_probabilities_heuristic (&chain, lmcc_tcp_target_rate,
      (gpointer) &tcp, p);
  /* Above the levels whose rates the retransmission timeout flattens. */
  for (i = 10; i + 1 < LEVELS; i++) {
    gdouble q = lmcc_tcp_model_loss_rate (chain.rates[i], tcp.rtt, 1024);
    gdouble packets_in_a_slot = chain.rates[i] / 8 / 1024 / 2;

    fail_unless (fabs (p[i] / (q * packets_in_a_slot) - 1) < 1e-6);
  }
}

GST_END_TEST;

/* R = k / sqrt (q), in bit/s. */
static gdouble
square_root_target (gdouble loss_rate, gpointer k)
{
  return *(gdouble *) k / sqrt (loss_rate);
}

GST_START_TEST (test_the_heuristic_takes_any_target_curve)
{
  gdouble k = 60000;
  LmccMarkovChain chain;
  gdouble p[LEVELS];
  guint i;

  init_example (&chain);
  lmcc_increase_probabilities_heuristic (&chain, square_root_target, &k, p);
  for (i = 0; i + 1 < LEVELS; i++) {
    /* q = (k / R)^2, so T q R = T k^2 / R, which always decreases. */
    gdouble rate = chain.rates[i];
    gdouble q = MIN (k / rate * k / rate, 1);
    gdouble wanted = 0.5 * q * rate / 8 / 1024;

    if (rate > k)
      fail_unless (fabs (p[i] / MIN (wanted, 1) - 1) < 1e-6, "level %u: %f", i,
          p[i]);
  }
}

GST_END_TEST;

static gdouble
grid_point (LmccLossGrid grid, guint index)
{
  gdouble part = index / (LMCC_LOSS_GRID_POINTS - 1.0);

  return grid == LMCC_LOSS_GRID_LINEAR ? 0.001 + part * (0.1 - 0.001)
                                       : 0.000005 * pow (0.1 / 0.000005, part);
}

/* The paper's normalized mean square error (appendix B), which is a sum over
 * the points of the grid: the square of the throughput's relative deviation
 * from the target. */
static gdouble
fit_error (const LmccMarkovChain *chain, LmccLossGrid grid, const gdouble *p)
{
  gdouble sum = 0;
  guint j;

  for (j = 0; j < LMCC_LOSS_GRID_POINTS; j++) {
    gdouble q = grid_point (grid, j);
    LmccMarkovState state;

    lmcc_markov_chain_solve (chain, p, q, &state);
    sum += pow (state.rate / lmcc_tcp_target_rate (q, (gpointer) &tcp) - 1, 2);
  }

  return sum;
}

GST_START_TEST (
    test_hill_climbing_fits_the_target_better_than_the_papers_values)
{
  LmccMarkovChain chain;
  gdouble heuristic[LEVELS], linear[LEVELS], logarithmic[LEVELS];
  guint i;

  init_example (&chain);
  lmcc_increase_probabilities_compute (LMCC_INCREASE_METHOD_HEURISTIC, &chain,
      lmcc_tcp_target_rate, (gpointer) &tcp, heuristic);
  lmcc_increase_probabilities_compute (LMCC_INCREASE_METHOD_HILL_CLIMB, &chain,
      lmcc_tcp_target_rate, (gpointer) &tcp, linear);
  lmcc_increase_probabilities_compute (LMCC_INCREASE_METHOD_HILL_CLIMB_LOG,
      &chain, lmcc_tcp_target_rate, (gpointer) &tcp, logarithmic);

  /* The sums for the paper's own values, computed by another program. */
  fail_unless (
      fabs (fit_error (&chain, LMCC_LOSS_GRID_LINEAR, example_6) - 24.02)
      < 0.01);
  fail_unless (fabs (fit_error (&chain, LMCC_LOSS_GRID_LOGARITHMIC, example_6)
                       / LMCC_LOSS_GRID_POINTS
                   - 0.0382)
      < 0.0001);
  fail_unless (
      fabs (fit_error (&chain, LMCC_LOSS_GRID_LINEAR, heuristic) - 25.4) < 0.1);

  /* And the results of another hill climber, from several starts. */
  fail_unless (fit_error (&chain, LMCC_LOSS_GRID_LINEAR, linear) < 16.98);
  fail_unless (fit_error (&chain, LMCC_LOSS_GRID_LOGARITHMIC, logarithmic)
          / LMCC_LOSS_GRID_POINTS
      < 0.00595);

  for (i = 0; i + 1 < LEVELS; i++) {
    fail_unless (linear[i] - linear[i + 1] > 0.001 - 1e-12);
    fail_unless (logarithmic[i] - logarithmic[i + 1] > 0.001 - 1e-12);
  }
  fail_unless (lmcc_increase_probabilities_check (linear, LEVELS, NULL));
  fail_unless (lmcc_increase_probabilities_check (logarithmic, LEVELS, NULL));
}

GST_END_TEST;

GST_START_TEST (test_no_single_probability_could_be_moved_for_a_better_fit)
{
  LmccMarkovChain chain;
  gdouble p[LEVELS];
  gdouble best;
  guint i;

  init_example (&chain);
  lmcc_increase_probabilities_hill_climb (&chain, LMCC_LOSS_GRID_LOGARITHMIC,
      lmcc_tcp_target_rate, (gpointer) &tcp, p);
  best = fit_error (&chain, LMCC_LOSS_GRID_LOGARITHMIC, p);
  for (i = 0; i + 1 < LEVELS; i++) {
    gdouble low = p[i + 1] + 0.001, high = (i > 0 ? p[i - 1] : 1) - 0.001;
    gdouble kept = p[i], value;

    for (value = low; value <= high; value += (high - low) / 50 + 1e-9) {
      p[i] = value;
      /* It ends when a round changes little, not only when nothing changes. */
      fail_unless (fit_error (&chain, LMCC_LOSS_GRID_LOGARITHMIC, p)
              > best * 0.999,
          "level %u: %f", i, value);
    }
    p[i] = kept;
  }
}

GST_END_TEST;

static gdouble
half_of_tcp (gdouble loss_rate, gpointer target)
{
  return lmcc_tcp_target_rate (loss_rate, target) / 2;
}

GST_START_TEST (test_hill_climbing_takes_any_target_curve_and_any_session)
{
  const gdouble losses[] = { 1e-5, 1e-4, 1e-3, 1e-2 };
  LmccMarkovChain chain;
  gdouble p[LMCC_MAX_LAYERS];
  guint n, i;

  init_example (&chain);
  lmcc_increase_probabilities_hill_climb (&chain, LMCC_LOSS_GRID_LOGARITHMIC,
      half_of_tcp, (gpointer) &tcp, p);
  for (i = 0; i < G_N_ELEMENTS (losses); i++) {
    LmccMarkovState state;

    lmcc_markov_chain_solve (&chain, p, losses[i], &state);
    fail_unless (fabs (
                     state.rate / half_of_tcp (losses[i], (gpointer) &tcp) - 1)
            < 0.1,
        "q %g: %f", losses[i], state.rate);
  }

  for (n = 1; n <= LMCC_MAX_LAYERS; n += 21) {
    init_multiplicative (&chain, 1000, 1.1, n, 1200, LMCC_SECOND);
    lmcc_increase_probabilities_hill_climb (&chain, LMCC_LOSS_GRID_LINEAR,
        lmcc_tcp_target_rate, (gpointer) &tcp, p);
    fail_unless (lmcc_increase_probabilities_check (p, n, NULL));
  }
}

GST_END_TEST;

GST_START_TEST (test_given_probabilities_are_checked)
{
  const gdouble good[] = { 0.5, 0.5, 0.1, 0 };
  const gdouble bad[][3] = {
    { 0.5, 0.6, 0 },
    { 1.1, 0.5, 0 },
    { 0.5, -0.1, 0 },
    { 0.5, 0.3, 0.1 },
    { NAN, 0.3, 0 },
    { 0.5, INFINITY, 0 },
  };
  guint i;

  fail_unless (lmcc_increase_probabilities_check (good, 4, NULL));
  for (i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;

    fail_if (lmcc_increase_probabilities_check (bad[i], 3, &error));
    fail_unless (
        g_error_matches (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_VALUE));
    fail_unless (strstr (error->message, "level") != NULL);
  }
}

GST_END_TEST;

GST_START_TEST (test_methods_have_names)
{
  LmccIncreaseMethod method;
  guint i;

  for (i = 0; i <= LMCC_INCREASE_METHOD_HILL_CLIMB_LOG; i++) {
    fail_unless (lmcc_increase_method_from_name (lmcc_increase_method_name (i),
        &method));
    fail_unless_equals_int (method, i);
  }
  fail_unless (lmcc_increase_method_name (i) == NULL);
  fail_if (lmcc_increase_method_from_name ("guess", &method));
  fail_if (lmcc_increase_method_from_name (NULL, &method));
}

GST_END_TEST;

GST_START_TEST (test_the_signals_are_those_of_table_1)
{
  const gint wanted[] = { -1, 0, -1, 1, -1, -1, -1, 2 };
  /* The table's caption says 0.2, example 4 says 0.21: both give the same
   * result. */
  const gdouble second[] = { 0.2, 0.21 };
  guint i, k;

  for (k = 0; k < G_N_ELEMENTS (second); k++) {
    const gdouble p[] = { 0.33, second[k], 0.09, 0 };
    LmccIncreaseSignals signals;

    lmcc_increase_signals_init (&signals, p, 4);
    for (i = 0; i < G_N_ELEMENTS (wanted); i++)
      fail_unless_equals_int (lmcc_increase_signals_get (&signals, i + 1),
          wanted[i]);
  }
}

GST_END_TEST;

static guint32
reverse_bits (guint32 bits)
{
  guint32 reversed = 0;
  guint i;

  for (i = 0; i < 32; i++)
    reversed |= (bits >> i & 1) << (31 - i);

  return reversed;
}

GST_START_TEST (test_each_level_may_go_up_as_often_as_its_probability_says)
{
  const gdouble p[] = { 1, 0.75, 0.33, 0.2, 0.2, 0.09, 0.001, 0.00002, 0 };
  const guint slots = 65536;
  guint counts[G_N_ELEMENTS (p)] = { 0 };
  LmccIncreaseSignals signals;
  guint b, i;

  lmcc_increase_signals_init (&signals, p, G_N_ELEMENTS (p));
  for (b = 0; b < slots; b++) {
    gint signal = lmcc_increase_signals_get (&signals, b);

    for (i = 0; (gint) i <= signal; i++)
      counts[i]++;
  }
  for (i = 0; i < G_N_ELEMENTS (p); i++) {
    guint wanted = p[i] > 0 ? MIN (floor (p[i] * slots) + 1, slots) : 0;
    gdouble last = MIN (floor (ldexp (p[i], 32)), G_MAXUINT32);

    fail_unless_equals_int (counts[i], wanted);
    if (p[i] == 0)
      continue;
    /* Over all slots, the share is at most 2^-32 above p_i; bhat says in
     * which slots. */
    fail_unless (
        lmcc_increase_signals_get (&signals, reverse_bits ((guint32) last))
        >= (gint) i);
    if (p[i] < 1)
      fail_unless (lmcc_increase_signals_get (&signals,
                       reverse_bits ((guint32) last + 1))
          < (gint) i);
  }
}

GST_END_TEST;

GST_START_TEST (test_signals_come_as_evenly_as_they_can)
{
  const gdouble p[] = { 0.33, 0.2, 0.09, 0.03, 0 };
  LmccIncreaseSignals signals;
  guint length, start, level, b;

  lmcc_increase_signals_init (&signals, p, G_N_ELEMENTS (p));
  for (length = 4; length <= 1024; length *= 4) {
    for (start = 0; start < 65536; start += length) {
      for (level = 0; level + 1 < G_N_ELEMENTS (p); level++) {
        gint count = 0;

        for (b = start; b < start + length; b++)
          count += lmcc_increase_signals_get (&signals, b) >= (gint) level;
        fail_unless (fabs (count - p[level] * length) <= 1);
      }
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_a_counter_of_zero_sends_no_level_up_that_never_may)
{
  const gdouble p[] = { 0.3, 0.1, 0, 0 };
  const gdouble none[] = { 0 };
  LmccIncreaseSignals signals;

  lmcc_increase_signals_init (&signals, p, 4);
  fail_unless_equals_int (lmcc_increase_signals_get (&signals, 0), 1);
  fail_unless_equals_int (lmcc_increase_signals_get (&signals, 1), -1);

  lmcc_increase_signals_init (&signals, none, 1);
  fail_unless_equals_int (lmcc_increase_signals_get (&signals, 0), -1);
}

GST_END_TEST;

static Suite *
increase_signals_suite (void)
{
  Suite *suite = suite_create ("increase-signals");
  TCase *probabilities = tcase_create ("probabilities");
  TCase *signals = tcase_create ("signals");

  suite_add_tcase (suite, probabilities);
  tcase_add_test (probabilities, test_the_heuristic_gives_example_5);
  tcase_add_test (probabilities, test_the_heuristic_is_sane_for_any_session);
  tcase_add_test (probabilities,
      test_the_heuristic_makes_up_as_likely_as_down_at_the_target);
  tcase_add_test (probabilities, test_the_heuristic_takes_any_target_curve);
  if (!test_is_slow ()) {
    tcase_add_test (probabilities,
        test_hill_climbing_fits_the_target_better_than_the_papers_values);
    tcase_add_test (probabilities,
        test_no_single_probability_could_be_moved_for_a_better_fit);
  }
  tcase_add_test (probabilities,
      test_hill_climbing_takes_any_target_curve_and_any_session);
  tcase_add_test (probabilities, test_given_probabilities_are_checked);
  tcase_add_test (probabilities, test_methods_have_names);

  suite_add_tcase (suite, signals);
  tcase_add_test (signals, test_the_signals_are_those_of_table_1);
  tcase_add_test (signals,
      test_each_level_may_go_up_as_often_as_its_probability_says);
  tcase_add_test (signals, test_signals_come_as_evenly_as_they_can);
  tcase_add_test (signals,
      test_a_counter_of_zero_sends_no_level_up_that_never_may);

  return suite;
}

GST_CHECK_MAIN (increase_signals);
