/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the Markov chain of FLID-DL receivers and its throughput.
 */
#include "support/group-change.h"
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/slots/dynamic-layering.h>
#include <gst/lmcc/control/slots/increase-probabilities.h>
#include <gst/lmcc/control/slots/increase-signals.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/markov.h>
#include <math.h>

/* The session of FLID-DL's example 6, in packets of 1 KB, and its p_i. */
#define LEVELS 30
#define PACKET 1024
static const gdouble example_6[LEVELS] = { 0.999, 0.932, 0.931, 0.930, 0.929,
  0.928, 0.927, 0.926, 0.925, 0.924, 0.923, 0.922, 0.921, 0.920, 0.901, 0.312,
  0.311, 0.310, 0.248, 0.122, 0.118, 0.108, 0.077, 0.051, 0.040, 0.005, 0.003,
  0.002, 0.001, 0.0 };

static void
init_example (LmccMarkovChain *chain)
{
  gdouble rates[LMCC_MAX_LAYERS];

  fail_unless (lmcc_rates_compute (LMCC_RATE_SCHEME_MULTIPLICATIVE, 24 * 1024,
      1.3, LEVELS, rates, NULL));
  lmcc_markov_chain_init (chain, rates, LEVELS, PACKET, LMCC_SECOND / 2);
}

GST_START_TEST (test_the_flow_up_an_edge_is_the_flow_down_it)
{
  const gdouble losses[] = { 1e-9, 1e-5, 0.003, 0.01, 0.1, 0.5 };
  LmccMarkovChain chain;
  guint i, k;

  init_example (&chain);
  for (k = 0; k < G_N_ELEMENTS (losses); k++) {
    LmccMarkovState state;
    gdouble sum = 0, rate = 0;

    lmcc_markov_chain_solve (&chain, example_6, losses[k], &state);
    for (i = 0; i < LEVELS; i++) {
      sum += state.fractions[i];
      rate += state.fractions[i] * chain.rates[i];
    }
    fail_unless (fabs (sum - 1) < 1e-9);
    fail_unless (fabs (state.rate / rate - 1) < 1e-9);
    for (i = 0; i + 1 < LEVELS; i++) {
      gdouble packets = 1.5 * pow (1.3, i);
      gdouble up =
          state.fractions[i] * example_6[i] * pow (1 - losses[k], packets);
      gdouble down =
          state.fractions[i + 1] * (1 - pow (1 - losses[k], 1.3 * packets));

      /* pow() of a number close to 1 is rounded. */
      fail_unless (fabs (up - down) <= 1e-5 * MAX (up, down) + 1e-15,
          "q %g, level %u: %g up, %g down", losses[k], i, up, down);
    }
  }
}

GST_END_TEST;

/* With 1 - p_i, as printed in equation 4, it would be 123, 11.2 and 3.1. */
GST_START_TEST (test_the_throughput_of_example_6_is_that_of_the_corrected_chain)
{
  const gdouble rows[][2] = { { 0.003, 213.1 }, { 0.01, 117.0 },
    { 0.03, 46.0 } };
  LmccMarkovChain chain;
  guint k;

  init_example (&chain);
  for (k = 0; k < G_N_ELEMENTS (rows); k++) {
    LmccMarkovState state;

    lmcc_markov_chain_solve (&chain, example_6, rows[k][0], &state);
    fail_unless (fabs (state.rate / 8 / PACKET - rows[k][1]) <= 0.05,
        "q %g: %f packets/s", rows[k][0], state.rate / 8 / PACKET);
  }
}

GST_END_TEST;

typedef struct
{
  gdouble rate;
  gdouble ups;
  gdouble joins;
  gdouble leaves;
} Run;

/* The rule of section IV-B: a slot with loss removes a level; in a slot
 * without loss, a signal for the receiver's level or a higher one adds a
 * level. */
static guint
next_level (guint level, gint signal, gboolean lost)
{
  if (lost)
    return level > 0 ? level - 1 : 0;

  return signal >= (gint) level ? level + 1 : level;
}

/* A receiver with this rule: packets are lost independently with probability
 * q. */
static void
run_receiver (const LmccMarkovChain *chain, const gdouble *p, gdouble q,
    guint slots, guint32 seed, Run *run)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  LmccIncreaseSignals signals;
  LmccDynamicLayering layering;
  gdouble packets = 0, due = 0;
  guint level = 0, modulus, k;

  memset (run, 0, sizeof (*run));
  fail_unless (lmcc_dynamic_layering_init (&layering, LMCC_LAYERING_CUMULATIVE,
      chain->n_levels, 10, NULL));
  modulus = lmcc_slot_modulus (layering.turning_groups);
  lmcc_increase_signals_init (&signals, p, chain->n_levels);
  for (k = 0; k < slots; k++) {
    gint signal = lmcc_increase_signals_get (&signals, k + 1);
    gboolean lost = FALSE;
    GroupChange change;
    guint next;

    for (due += lmcc_markov_chain_packets (chain, level); due >= 1; due--) {
      packets++;
      lost |= g_rand_double (rand) < q;
    }
    next = next_level (level, signal, lost);
    group_change_between (&layering, k % modulus, level, (k + 1) % modulus,
        next, &change);
    run->ups += next > level;
    run->joins += change.n_joins;
    run->leaves += change.n_leaves;
    level = next;
  }
  run->rate =
      packets * 8 * chain->packet_size / slots / chain->slot * LMCC_SECOND;
  run->ups /= slots;
  run->joins /= slots;
  run->leaves /= slots;
}

GST_START_TEST (test_the_chain_is_what_a_receiver_does)
{
  const gdouble losses[] = { 0.003, 0.01, 0.03 };
  const LmccTcpTarget tcp = { 100 * LMCC_MSECOND, PACKET };
  LmccMarkovChain chain;
  gdouble heuristic[LEVELS];
  const gdouble *p[] = { example_6, heuristic };
  guint k, m;

  init_example (&chain);
  lmcc_increase_probabilities_heuristic (&chain, lmcc_tcp_target_rate,
      (gpointer) &tcp, heuristic);
  for (m = 0; m < G_N_ELEMENTS (p); m++) {
    for (k = 0; k < (test_is_slow () ? 1 : G_N_ELEMENTS (losses)); k++) {
      LmccMarkovState state;
      Run run;

      lmcc_markov_chain_solve (&chain, p[m], losses[k], &state);
      run_receiver (&chain, p[m], losses[k], 100000, 42 + k, &run);
      GST_INFO ("q %g: chain %.1f, run %.1f packets/s; ups %.4f, %.4f",
          losses[k], state.rate / 8 / PACKET, run.rate / 8 / PACKET, state.ups,
          run.ups);
      fail_unless (fabs (run.rate / state.rate - 1) < 0.03,
          "q %g: chain %f, run %f bit/s", losses[k], state.rate, run.rate);
      fail_unless (fabs (run.ups / state.ups - 1) < 0.03);
      fail_unless (fabs (run.joins - state.joins) < 0.01);
      fail_unless (fabs (run.leaves - state.leaves) < 0.01);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_as_many_groups_are_joined_as_left_in_the_long_run)
{
  LmccMarkovChain chain;
  gdouble q;

  init_example (&chain);
  for (q = 1e-6; q < 1; q *= 3) {
    LmccMarkovState state;

    lmcc_markov_chain_solve (&chain, example_6, q, &state);
    fail_unless (fabs (state.joins - state.leaves) < 1e-9);
  }
}

GST_END_TEST;

GST_START_TEST (
    test_without_loss_the_top_is_held_and_with_nothing_else_the_base)
{
  gdouble stuck[LEVELS] = { 0.9, 0.5, 0 };
  LmccMarkovChain chain;
  LmccMarkovState state;

  init_example (&chain);
  lmcc_markov_chain_solve (&chain, example_6, 0, &state);
  fail_unless_equals_float (state.rate, chain.rates[LEVELS - 1]);
  lmcc_markov_chain_solve (&chain, stuck, 0, &state);
  fail_unless_equals_float (state.rate, chain.rates[2]);
  lmcc_markov_chain_solve (&chain, stuck, 1e-9, &state);
  fail_unless (fabs (state.rate / chain.rates[2] - 1) < 1e-6);
  lmcc_markov_chain_solve (&chain, example_6, 1, &state);
  fail_unless_equals_float (state.rate, chain.rates[0]);
  fail_unless_equals_float (state.joins, 0);
}

GST_END_TEST;

GST_START_TEST (test_extreme_sessions_and_losses_give_numbers)
{
  const gdouble losses[] = { -1, 1e-300, 1e-30, 1e-10, 1 - 1e-12, 1, 2, NAN };
  const LmccTime slots[] = { 0, 1, LMCC_SECOND, 3600 * LMCC_SECOND };
  gdouble p[LMCC_MAX_LAYERS], rates[LMCC_MAX_LAYERS];
  guint i, k, m, n;

  for (n = 1; n <= LMCC_MAX_LAYERS; n += 63) {
    for (i = 0; i < n; i++) {
      rates[i] = i % 2 ? 1e12 : 1e-3;
      p[i] = i + 1 < n ? 1 : 0;
    }
    for (k = 0; k < G_N_ELEMENTS (slots); k++) {
      for (m = 0; m < G_N_ELEMENTS (losses); m++) {
        LmccMarkovChain chain;
        LmccMarkovState state;

        lmcc_markov_chain_init (&chain, rates, n, 1200, slots[k]);
        lmcc_markov_chain_solve (&chain, p, losses[m], &state);
        fail_unless (state.rate >= rates[0] * (1 - 1e-9)
                && state.rate <= chain.rates[n - 1] * (1 + 1e-9),
            "%u levels, slot %u, loss %g: %g", n, k, losses[m], state.rate);
        fail_unless (state.joins >= 0 && state.joins <= 2);
      }
    }
  }
}

GST_END_TEST;

static Suite *
markov_suite (void)
{
  Suite *suite = suite_create ("markov");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_the_flow_up_an_edge_is_the_flow_down_it);
  tcase_add_test (tcase,
      test_the_throughput_of_example_6_is_that_of_the_corrected_chain);
  tcase_add_test (tcase, test_the_chain_is_what_a_receiver_does);
  tcase_add_test (tcase,
      test_as_many_groups_are_joined_as_left_in_the_long_run);
  tcase_add_test (tcase,
      test_without_loss_the_top_is_held_and_with_nothing_else_the_base);
  tcase_add_test (tcase, test_extreme_sessions_and_losses_give_numbers);

  return suite;
}

GST_CHECK_MAIN (markov);
