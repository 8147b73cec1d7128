/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_PLAN_H
#define LMCC_PLAN_H

#include "tool.h"

#include <gst/lmcc/control/marker.h>
#include <gst/lmcc/control/slots/dynamic-layering.h>
#include <gst/lmcc/control/slots/sync-points.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/markov.h>

G_BEGIN_DECLS

/* Marks a numeric option that was not given. */
#define PLAN_NOT_GIVEN G_MININT

/**
 * PlanMarksOptions:
 * The options that belong to an algorithm, as written.
 */
typedef struct
{
  gchar *algorithm_name;
  gchar *slot_text;
  gchar *rtt_text;
  gchar *probabilities_text;
  gchar *leave_latency_text;
  gint n_signals;
} PlanMarksOptions;

/**
 * PlanRepairOptions:
 * The options of repair data, as written.
 */
typedef struct
{
  gchar *share_text;
  gchar *loss_text;
  gchar *burst_text;
} PlanRepairOptions;

/**
 * Plan:
 * @rates: r_i, bit/s
 * @cumulative_rates: R_i, bit/s
 * @repair: share of repair data
 * @repair_loss: the loss that is expected
 * @repair_burst: packets that are lost in a row
 * @algorithm: (nullable): whose marks the session has; all below is for those
 *     with slots
 * @session: as its sender would make it
 * @slot: T of FLID, t_0 of RLC, tau_0 of Wei and Zhang; 0 if there are none
 * @rtt: the nominal RTT
 * @n_signals: how many to show
 * @chain: of FLID
 * @probabilities: p_i of FLID
 * @given: whether the command line has them as numbers
 * @layering: which groups carry the layers
 * @rlc: RLC's sync points and bursts; no slot for others
 */
typedef struct
{
  LmccRateScheme scheme;
  gdouble base_rate;
  gdouble factor;
  guint n_layers;
  gdouble rates[LMCC_MAX_LAYERS];
  gdouble cumulative_rates[LMCC_MAX_LAYERS];
  guint packet_size;
  LmccAddress address;

  /* Of the stream; 0 key frames if there is none. */
  guint n_keys;
  gsize largest_key;
  LmccTime longest_group;
  guint key_level;

  gdouble repair;
  gdouble repair_loss;
  gdouble repair_burst;

  const LmccAlgorithm *algorithm;
  LmccSession session;
  LmccTime slot;
  LmccTime rtt;
  guint n_signals;
  LmccMarkovChain chain;
  gdouble probabilities[LMCC_MAX_LAYERS];
  gboolean given;
  LmccDynamicLayering layering;
  LmccRlcSchedule rlc;
} Plan;

gboolean
plan_bad_value (GError **error, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

gboolean
plan_read_marks (const PlanMarksOptions *options, Plan *plan, GError **error);
gboolean plan_takes_algorithm (const LmccAlgorithm *algorithm);
gchar *plan_list_algorithms (const gchar *setting);
gboolean plan_is_dynamic (const Plan *plan);
void plan_get_marks (const Plan *plan, LmccMarks *marks);

gboolean plan_has_model (const Plan *plan);
gboolean plan_is_flid (const Plan *plan);
LmccTime plan_nominal_rtt (const Plan *plan);
gdouble plan_increase_probability (const Plan *plan, guint layer);
LmccTime plan_sync_interval (const Plan *plan, guint layer);
gdouble plan_throughput (const Plan *plan, gdouble loss_rate);
void plan_joins (const Plan *plan, gdouble loss_rate, gdouble *dynamic_joins,
    gdouble *static_joins);

gboolean
plan_read_repair (const PlanRepairOptions *options, Plan *plan, GError **error);
void plan_print_repair (const Plan *plan);
void plan_add_repair (const Plan *plan, JsonBuilder *builder);
const gchar *plan_group_address (const Plan *plan, guint layer,
    gchar text[LMCC_ADDRESS_STRLEN]);
gboolean plan_read_stream (Plan *plan, const gchar *path, GError **error);
void plan_print_stream (const Plan *plan);
void plan_add_stream (const Plan *plan, JsonBuilder *builder);
void plan_print_table (const Plan *plan);
void plan_print_json (const Plan *plan);
gboolean plan_plot (const Plan *plan, const gchar *file, GError **error);

G_END_DECLS

#endif
