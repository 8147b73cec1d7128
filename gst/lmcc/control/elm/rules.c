/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/elm/rules.h"

#include "base/settings.h"
#include "control/elm/elm.h"
#include "control/elm/slow-start.h"

/* Colussi 2004. The paper does not state the interval of the slow start; its
 * section 6.3.3 shows about 5 to 8 s. Percentiles are over one sample per
 * packet (section 6.2.5). */
static const struct
{
  const gchar *name;
  gdouble value;
} thesis[] = {
  { "smoothing", LMCC_ELM_SMOOTHING_PERCENTILES },
  { "smoothing-time", 0 },
  { "slow-start", LMCC_SLOW_START_PAPER },
  { "slow-start-interval", 5 },
  { "backoff-shortest", 0 },
  { "experiment-time", 0 },
  { "restart", FALSE },
  { "leave-latency", 0 },
  { "quality-share", 1 },
  { "trains", FALSE },
  { "rate-limit", FALSE },
  { "history-limit", FALSE },
  { "leave-while-quiet", TRUE },
  { "first-interval", LMCC_ELM_FIRST_INTERVAL_PACKETS },
  { "wait-for-rtt", FALSE },
  { "loss-mean", LMCC_ELM_LOSS_MEAN_PAPER },
  { "deaf-after-leave", FALSE },
};

/**
 * lmcc_elm_rules_resolve:
 * @settings: settings of ELM
 *
 * Returns: (transfer full): a copy in which settings that were not given have
 * the values of the setting `rules`, in whatever order they were given
 */
LmccSettings *
lmcc_elm_rules_resolve (const LmccSettings *settings)
{
  LmccSettings *resolved = lmcc_settings_copy (settings);
  guint i;

  if (lmcc_settings_get_count (settings, "rules") == LMCC_ELM_RULES_THESIS) {
    for (i = 0; i < G_N_ELEMENTS (thesis); i++)
      lmcc_settings_prefer (resolved, thesis[i].name, thesis[i].value);
  }

  return resolved;
}

/**
 * lmcc_elm_rules_init:
 * @rules: (out): the rules according to @settings
 * @settings: settings of ELM, resolved
 */
void
lmcc_elm_rules_init (LmccElmRules *rules, const LmccSettings *settings)
{
  *rules = (LmccElmRules){
    .rate_limit = lmcc_settings_get_count (settings, "rate-limit"),
    .history_limit = lmcc_settings_get_count (settings, "history-limit"),
    .leave_while_quiet =
        lmcc_settings_get_count (settings, "leave-while-quiet"),
    .first_interval = lmcc_settings_get_count (settings, "first-interval"),
    .wait_for_rtt = lmcc_settings_get_count (settings, "wait-for-rtt"),
    .loss_mean = lmcc_settings_get_count (settings, "loss-mean"),
    .deaf_after_leave = lmcc_settings_get_count (settings, "deaf-after-leave"),
  };
}
