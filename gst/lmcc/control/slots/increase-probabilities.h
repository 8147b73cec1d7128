/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SLOTS_INCREASE_PROBABILITIES_H
#define LMCC_CONTROL_SLOTS_INCREASE_PROBABILITIES_H

#include <gst/lmcc/lmcc-session-algorithm.h>
#include "measure/markov.h"

G_BEGIN_DECLS

/**
 * LmccTargetRate:
 * @loss_rate: q, above 0, at most 1
 * @user_data: user data of the caller
 *
 * The rate that receivers should have at a loss rate: R(q). It must not increase with
 * @loss_rate and must be above 0.
 *
 * Returns: bit/s
 */
typedef gdouble (*LmccTargetRate) (gdouble loss_rate, gpointer user_data);

/**
 * LmccTcpTarget:
 * @rtt: the nominal RTT, in ns
 * @packet_size: in bytes, including IP and UDP headers
 *
 * User data of lmcc_tcp_target_rate().
 */
typedef struct
{
  LmccTime rtt;
  guint packet_size;
} LmccTcpTarget;

gdouble lmcc_tcp_target_rate (gdouble loss_rate, gpointer target);

/* For tables of settings: names in the order of the methods, terminated by NULL. */
extern const gchar *const lmcc_increase_method_names[];
const gchar *lmcc_increase_method_name (LmccIncreaseMethod method);

/**
 * LmccLossGrid:
 * @LMCC_LOSS_GRID_LINEAR: q from 0.001 to 0.1 in equal steps (example 6)
 * @LMCC_LOSS_GRID_LOGARITHMIC: q from 0.000005 to 0.1 in equal ratios. The linear grid
 *     says almost nothing about the upper levels: at q = 0.001 TCP has the rate of level
 *     18 of 30
 *
 * The loss rates at which hill climbing compares the throughput with the target.
 */
typedef enum
{
  LMCC_LOSS_GRID_LINEAR,
  LMCC_LOSS_GRID_LOGARITHMIC,
} LmccLossGrid;

/* h in the paper, example 6. */
#define LMCC_LOSS_GRID_POINTS 500

void lmcc_increase_probabilities_compute (LmccIncreaseMethod method,
    const LmccMarkovChain *chain, LmccTargetRate target, gpointer user_data,
    gdouble *probabilities);
void lmcc_increase_probabilities_heuristic (const LmccMarkovChain *chain,
    LmccTargetRate target, gpointer user_data, gdouble *probabilities);
void lmcc_increase_probabilities_hill_climb (const LmccMarkovChain *chain,
    LmccLossGrid grid, LmccTargetRate target, gpointer user_data,
    gdouble *probabilities);
gboolean lmcc_increase_probabilities_check (const gdouble *probabilities,
    guint n_levels, GError **error);

G_END_DECLS

#endif
