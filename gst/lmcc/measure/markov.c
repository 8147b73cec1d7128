/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/markov.h"

#include <math.h>
#include <string.h>

/**
 * lmcc_markov_chain_init:
 * @chain: (out caller-allocates): the chain
 * @layer_rates: (array length=n_layers): r_i, bit/s, each above 0
 * @n_layers: 1 to %LMCC_MAX_LAYERS
 * @packet_size: s, in bytes, including IP and UDP headers; 0 counts as 1
 * @slot: T, in ns; 0 counts as 1 ns
 *
 * Initializes the levels of a session with these layers.
 */
void
lmcc_markov_chain_init (LmccMarkovChain *chain, const gdouble *layer_rates,
    guint n_layers, guint packet_size, LmccTime slot)
{
  gdouble rate = 0;
  guint i;

  memset (chain, 0, sizeof (*chain));
  chain->n_levels = CLAMP (n_layers, 1, LMCC_MAX_LAYERS);
  chain->packet_size = MAX (packet_size, 1);
  chain->slot = MAX (slot, 1);
  for (i = 0; i < chain->n_levels; i++) {
    rate += layer_rates[i];
    chain->rates[i] = rate;
  }
}

/**
 * lmcc_markov_chain_packets:
 * @chain: a chain
 * @level: a level, below the number of levels
 *
 * Returns: T R_i, the number of packets that a receiver at @level gets in a
 * slot; not an integer
 */
gdouble
lmcc_markov_chain_packets (const LmccMarkovChain *chain, guint level)
{
  return chain->rates[level] / (8.0 * chain->packet_size) * chain->slot
      / LMCC_SECOND;
}

/* log ((1 - q)^n). */
static gdouble
log_all_arrive (const LmccMarkovChain *chain, guint level, gdouble loss_rate)
{
  return lmcc_markov_chain_packets (chain, level) * log1p (-loss_rate);
}

/* The logarithm of lmcc_markov_chain_climb(), whose value can be too large
 * for a double. */
static gdouble
log_climb (const LmccMarkovChain *chain, guint level, gdouble loss_rate)
{
  return log_all_arrive (chain, level, loss_rate)
      - log (-expm1 (log_all_arrive (chain, level + 1, loss_rate)));
}

/**
 * lmcc_markov_chain_climb:
 * @chain: a chain
 * @level: i, below the chain's top
 * @loss_rate: q, loss probability of each packet, above 0, at most 1
 *
 * The factor of f_{i+1} / f_i beside p_i, from the balance of the changes
 * between level i and i + 1 (equation 3):
 *
 *     f_{i+1} = f_i p_i (1 - q)^(T R_i) / (1 - (1 - q)^(T R_{i+1}))
 *
 * Equation 4 of the paper prints 1 - p_i instead of p_i, contrary to equation 3
 * and figure 2.
 *
 * Returns: f_{i+1} / (f_i p_i)
 */
gdouble
lmcc_markov_chain_climb (const LmccMarkovChain *chain, guint level,
    gdouble loss_rate)
{
  return exp (log_climb (chain, level, CLAMP (loss_rate, 0, 1)));
}

/* Without losses no receiver goes down: all end below the first level that
 * must not be left. */
static void
solve_without_loss (const LmccMarkovChain *chain, const gdouble *probabilities,
    gdouble *fractions)
{
  guint i = 0;

  while (i + 1 < chain->n_levels && probabilities[i] > 0)
    i++;
  fractions[i] = 1;
}

/* The recursion uses logarithms, with the largest f_i set to 1 before
 * summation: the range of values in a chain of 64 levels exceeds that of a
 * double. */
static void
solve_with_loss (const LmccMarkovChain *chain, const gdouble *probabilities,
    gdouble loss_rate, gdouble *fractions)
{
  gdouble largest = 0, sum = 0;
  guint i;

  for (i = 1; i < chain->n_levels; i++) {
    fractions[i] = fractions[i - 1] + log (CLAMP (probabilities[i - 1], 0, 1))
        + log_climb (chain, i - 1, loss_rate);
    largest = MAX (largest, fractions[i]);
  }
  for (i = 0; i < chain->n_levels; i++) {
    fractions[i] = exp (fractions[i] - largest);
    sum += fractions[i];
  }
  for (i = 0; i < chain->n_levels; i++)
    fractions[i] /= sum;
}

/**
 * lmcc_markov_chain_solve:
 * @chain: a chain
 * @probabilities: (array): p_i, the probability that level i may go up after a
 *     slot, for each level of @chain; clamped to 0 to 1. The top level's is not
 *     used
 * @loss_rate: q, loss probability of each packet, independent of the others;
 *     clamped to 0 to 1, and NaN counts as 1
 * @state: (out caller-allocates): the result
 *
 * Computes the steady state of the chain (equations 2 and 4, corrected as
 * described at lmcc_markov_chain_climb()). A loss at level 0 leaves the
 * receiver there.
 *
 * The joins and leaves are those of dynamic layering with a static base layer:
 * the base layer is never left and rejoined. The paper's (1 + p_i) (1 - q)^(T
 * R_i) joins and 1 leave per slot count it as one of the turning layers.
 */
void
lmcc_markov_chain_solve (const LmccMarkovChain *chain,
    const gdouble *probabilities, gdouble loss_rate, LmccMarkovState *state)
{
  guint i;

  memset (state, 0, sizeof (*state));
  if (!(loss_rate <= 1))
    loss_rate = 1;
  if (loss_rate > 0)
    solve_with_loss (chain, probabilities, loss_rate, state->fractions);
  else
    solve_without_loss (chain, probabilities, state->fractions);

  for (i = 0; i < chain->n_levels; i++) {
    gdouble clean = state->fractions[i]
        * (loss_rate > 0 ? exp (log_all_arrive (chain, i, loss_rate)) : 1);
    gdouble up =
        i + 1 < chain->n_levels ? clean * CLAMP (probabilities[i], 0, 1) : 0;

    state->rate += state->fractions[i] * chain->rates[i];
    state->ups += up;
    state->joins += (i > 0 ? clean : 0) + up;
    state->leaves += i > 0 ? state->fractions[i] : 0;
  }
}
