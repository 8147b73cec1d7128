/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Models from the papers for algorithms with slots: how often receivers may go
 * up, and their throughput in the long run. An algorithm without a row here is
 * planned without a model.
 */
#include "plan.h"

#include <gst/lmcc/control/controller.h>

/**
 * PlanModel:
 * @algorithm: whose
 * @is_flid: receivers are a Markov chain over @probabilities of the plan
 * @get_nominal_rtt: the round-trip time of the TCP that receivers equal with
 *     the plan's slot
 * @get_probability: in what part of the slots a receiver of this level may go
 *     up
 * @get_interval: RLC: between the sync points of level @layer; Wei and Zhang:
 *     between those of @layer, at which the level below may go up; FLID: the
 *     mean time between the signals that let level @layer go up
 * @get_throughput: what a receiver has in the long run, bit/s
 */
typedef struct
{
  const LmccAlgorithm *algorithm;
  gboolean is_flid;
  LmccTime (*get_nominal_rtt) (const Plan *plan);
  gdouble (*get_probability) (const Plan *plan, guint layer);
  LmccTime (*get_interval) (const Plan *plan, guint layer);
  gdouble (*get_throughput) (const Plan *plan, gdouble loss_rate);
} PlanModel;

static LmccTime
get_given_rtt (const Plan *plan)
{
  return plan->rtt != 0 ? plan->rtt : LMCC_DEFAULT_NOMINAL_RTT;
}

static gdouble
get_flid_probability (const Plan *plan, guint layer)
{
  return plan->probabilities[layer];
}

static LmccTime
get_flid_interval (const Plan *plan, guint layer)
{
  gdouble interval = plan->slot / plan->probabilities[layer];

  return interval < (gdouble) G_MAXINT64 ? (LmccTime) interval : LMCC_TIME_NONE;
}

static gdouble
get_flid_throughput (const Plan *plan, gdouble loss_rate)
{
  LmccMarkovState state;

  lmcc_markov_chain_solve (&plan->chain, plan->probabilities, loss_rate,
      &state);

  return state.rate;
}

static LmccTime
get_rlc_rtt (const Plan *plan)
{
  return lmcc_rlc_rtt_from_slot (plan->base_rate, plan->packet_size, plan->slot,
      LMCC_SYNC_POINTS_UPPER_SHARE);
}

static LmccTime
get_rlc_interval (const Plan *plan, guint layer)
{
  return lmcc_rlc_schedule_get_interval (&plan->rlc, layer);
}

static gdouble
get_rlc_probability (const Plan *plan, guint layer)
{
  return layer + 1 < plan->n_layers
      ? (gdouble) plan->slot / get_rlc_interval (plan, layer)
      : 0;
}

static gdouble
clamp_rate (const Plan *plan, gdouble rate)
{
  return CLAMP (rate, plan->cumulative_rates[0],
      plan->cumulative_rates[plan->n_layers - 1]);
}

static gdouble
get_rlc_throughput (const Plan *plan, gdouble loss_rate)
{
  return clamp_rate (plan,
      lmcc_rlc_rate (plan->base_rate, plan->packet_size, plan->slot,
          LMCC_SYNC_POINTS_UPPER_SHARE, loss_rate));
}

static LmccTime
get_synchronized_rtt (const Plan *plan)
{
  return lmcc_sync_points_rtt_from_slot (plan->cumulative_rates, plan->n_layers,
      plan->packet_size, plan->slot, LMCC_SYNC_POINTS_UPPER_SHARE);
}

static LmccTime
get_synchronized_interval (const Plan *plan, guint layer)
{
  return lmcc_sync_points_get_interval (plan->cumulative_rates, layer,
      plan->slot);
}

static gdouble
get_synchronized_probability (const Plan *plan, guint layer)
{
  return layer + 1 < plan->n_layers
      ? (gdouble) plan->slot / get_synchronized_interval (plan, layer + 1)
      : 0;
}

/* The rate determines between which two levels a receiver moves. */
static gdouble
get_synchronized_throughput (const Plan *plan, gdouble loss_rate)
{
  gdouble rate;
  guint level = 0;

  do {
    rate = lmcc_sync_points_rate (plan->cumulative_rates, plan->n_layers, level,
        plan->packet_size, plan->slot, LMCC_SYNC_POINTS_UPPER_SHARE, loss_rate);
    level++;
  } while (level < plan->n_layers && rate > plan->cumulative_rates[level]);

  return clamp_rate (plan, rate);
}

static const PlanModel models[] = {
  { &lmcc_algorithm_flid_sl, TRUE, get_given_rtt, get_flid_probability,
      get_flid_interval, get_flid_throughput },
  { &lmcc_algorithm_flid_dl, TRUE, get_given_rtt, get_flid_probability,
      get_flid_interval, get_flid_throughput },
  { &lmcc_algorithm_rlc, FALSE, get_rlc_rtt, get_rlc_probability,
      get_rlc_interval, get_rlc_throughput },
  { &lmcc_algorithm_synchronized, FALSE, get_synchronized_rtt,
      get_synchronized_probability, get_synchronized_interval,
      get_synchronized_throughput },
};

static const PlanModel *
find_model (const Plan *plan)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (models); i++) {
    if (models[i].algorithm == plan->algorithm)
      return &models[i];
  }

  return NULL;
}

/* Whether a paper has a model of this algorithm. */
gboolean
plan_has_model (const Plan *plan)
{
  return find_model (plan) != NULL;
}

gboolean
plan_is_flid (const Plan *plan)
{
  const PlanModel *model = find_model (plan);

  return model != NULL && model->is_flid;
}

LmccTime
plan_nominal_rtt (const Plan *plan)
{
  const PlanModel *model = find_model (plan);

  return model != NULL ? model->get_nominal_rtt (plan) : get_given_rtt (plan);
}

/* Only for plans with a model, like the two functions below. */
gdouble
plan_increase_probability (const Plan *plan, guint layer)
{
  return find_model (plan)->get_probability (plan, layer);
}

LmccTime
plan_sync_interval (const Plan *plan, guint layer)
{
  return find_model (plan)->get_interval (plan, layer);
}

gdouble
plan_throughput (const Plan *plan, gdouble loss_rate)
{
  return find_model (plan)->get_throughput (plan, loss_rate);
}

/* How many groups a receiver joins per second with dynamic and with static
 * layering. In the long run it leaves as many. */
void
plan_joins (const Plan *plan, gdouble loss_rate, gdouble *dynamic_joins,
    gdouble *static_joins)
{
  gdouble seconds = plan->slot / (gdouble) LMCC_SECOND;
  LmccMarkovState state;

  lmcc_markov_chain_solve (&plan->chain, plan->probabilities, loss_rate,
      &state);
  *dynamic_joins = state.joins / seconds;
  *static_joins = state.ups / seconds;
}
