/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_MARKOV_H
#define LMCC_MEASURE_MARKOV_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccMarkovChain:
 * @n_levels: l, 1 to %LMCC_MAX_LAYERS
 * @rates: R_i, bit/s of layers 0 to i together, increasing
 * @packet_size: s, in bytes, including IP and UDP headers
 * @slot: T, in ns
 *
 * A FLID receiver as a Markov chain of levels: in each slot it goes down if a packet was
 * lost, otherwise up with the level's probability (Byers et al., "FLID-DL: Congestion
 * Control for Layered Multicast", IEEE JSAC 20(8), 2002, section IV-C).
 * lmcc_markov_chain_init() initializes it.
 */
typedef struct
{
  guint n_levels;
  gdouble rates[LMCC_MAX_LAYERS];
  guint packet_size;
  LmccTime slot;
} LmccMarkovChain;

/**
 * LmccMarkovState:
 * @fractions: f_i, share of the time at level i; their sum is 1
 * @rate: mean rate, bit/s
 * @ups: changes to a higher level per slot; in the long run as many go down
 * @joins: groups joined per slot with dynamic layering
 * @leaves: groups left per slot with dynamic layering
 *
 * Long-term behaviour of a chain.
 */
typedef struct
{
  gdouble fractions[LMCC_MAX_LAYERS];
  gdouble rate;
  gdouble ups;
  gdouble joins;
  gdouble leaves;
} LmccMarkovState;

void lmcc_markov_chain_init (LmccMarkovChain *chain, const gdouble *layer_rates,
    guint n_layers, guint packet_size, LmccTime slot);
gdouble lmcc_markov_chain_packets (const LmccMarkovChain *chain, guint level);
gdouble lmcc_markov_chain_climb (const LmccMarkovChain *chain, guint level,
    gdouble loss_rate);
void lmcc_markov_chain_solve (const LmccMarkovChain *chain,
    const gdouble *probabilities, gdouble loss_rate, LmccMarkovState *state);

G_END_DECLS

#endif
