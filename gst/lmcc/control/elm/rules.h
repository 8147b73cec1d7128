/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_ELM_RULES_H
#define LMCC_CONTROL_ELM_RULES_H

#include <gst/lmcc/lmcc-settings.h>

G_BEGIN_DECLS

/**
 * LmccElmRuleSet:
 * @LMCC_ELM_RULES_OURS: the default values of ELM's table
 * @LMCC_ELM_RULES_THESIS: those of Colussi, "Equation-based Layered Multicast Congestion
 *     Control", 2004
 *
 * Values of settings that are not given.
 */
typedef enum
{
  LMCC_ELM_RULES_OURS,
  LMCC_ELM_RULES_THESIS,
} LmccElmRuleSet;

/**
 * LmccElmFirstInterval:
 * @LMCC_ELM_FIRST_INTERVAL_RATE: the interval at which TCP would have the received rate
 *     (RFC 4654 section 5.6)
 * @LMCC_ELM_FIRST_INTERVAL_PACKETS: all packets so far: "All packets [...] are part of
 *     exactly one loss interval" (Colussi, section 4.2.4)
 *
 * The loss interval before the first loss.
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
 * How p is computed from the history.
 */
typedef enum
{
  LMCC_ELM_LOSS_MEAN_PAIRED,
  LMCC_ELM_LOSS_MEAN_PAPER,
} LmccElmLossMean;

/**
 * LmccElmRules:
 * @rate_limit: limit X to the rate at which the lazy strategy joins at once
 * @history_limit: limit the history to that rate at a join
 * @leave_while_quiet: leave a layer even if its losses are over
 * @first_interval: the interval before the first loss
 * @wait_for_rtt: a loss does not end the slow start before the round-trip time is
 *     measured
 * @loss_mean: how p is computed
 * @deaf_after_leave: losses before the end of a leave do not count
 *
 * Differences between ELM and the paper. Each is a setting of the same name, whose
 * description names the paper's section.
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
