/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_ELM_RULES_H
#define LMCC_CONTROL_ELM_RULES_H

#include <gst/lmcc/lmcc-settings.h>

G_BEGIN_DECLS

/**
 * LmccElmRuleSet:
 * @LMCC_ELM_RULES_OURS: the standard values of ELM's table
 * @LMCC_ELM_RULES_THESIS: those of Colussi, "Equation-based Layered Multicast
 *     Congestion Control", 2004
 *
 * What settings have that are not given.
 */
typedef enum
{
  LMCC_ELM_RULES_OURS,
  LMCC_ELM_RULES_THESIS,
} LmccElmRuleSet;

/**
 * LmccElmFirstInterval:
 * @LMCC_ELM_FIRST_INTERVAL_RATE: the one at which TCP gets the rate received
 *     (RFC 4654 section 5.6)
 * @LMCC_ELM_FIRST_INTERVAL_PACKETS: "All packets [...] are part of exactly one
 *     loss interval" (Colussi, section 4.2.4)
 *
 * What the packets before the first loss count as.
 */
typedef enum
{
  LMCC_ELM_FIRST_INTERVAL_RATE,
  LMCC_ELM_FIRST_INTERVAL_PACKETS,
} LmccElmFirstInterval;

/**
 * LmccElmLossMean:
 * @LMCC_ELM_LOSS_MEAN_PAIRED: lmcc_loss_intervals_get_loss_rate()
 * @LMCC_ELM_LOSS_MEAN_PAPER: lmcc_loss_intervals_get_impact_rate()
 *
 * How p is made of the history.
 */
typedef enum
{
  LMCC_ELM_LOSS_MEAN_PAIRED,
  LMCC_ELM_LOSS_MEAN_PAPER,
} LmccElmLossMean;

/**
 * LmccElmRules:
 * @rate_limit: X is at most what the lazy strategy joins for at once
 * @history_limit: at a join the history goes no further than that
 * @leave_while_quiet: a layer is left though its losses are over
 * @first_interval: what is before the first loss
 * @wait_for_rtt: without a round-trip time a loss does not end the slow start
 * @loss_mean: how p is made
 * @deaf_after_leave: what was lost before the end of a leave does not count
 *
 * Where ELM does otherwise than its paper says, each a setting of that name,
 * whose description has the paper's section.
 */
typedef struct
{
  gboolean rate_limit;
  gboolean history_limit;
  gboolean leave_while_quiet;
  LmccElmFirstInterval first_interval;
  gboolean wait_for_rtt;
  LmccElmLossMean loss_mean;
  gboolean deaf_after_leave;
} LmccElmRules;

LmccSettings *lmcc_elm_rules_resolve (const LmccSettings *settings);
void lmcc_elm_rules_init (LmccElmRules *rules, const LmccSettings *settings);

G_END_DECLS

#endif
