/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/elm/elm.h"

#include "control/elm/rules.h"
#include "control/elm/slow-start.h"
#include "control/elm/subscription.h"
#include "control/quality-watch.h"

#include <glib/gi18n-lib.h>

static const gchar *const strategy_names[] = { [LMCC_STRATEGY_NAIVE] = "naive",
  [LMCC_STRATEGY_SKEPTICAL] = "skeptical",
  [LMCC_STRATEGY_LAZY] = "lazy",
  NULL };

static const gchar *const reactivity_names[] = { [LMCC_REACTIVITY_LINEAR] =
                                                     "linear",
  [LMCC_REACTIVITY_SQUARE_ROOT] = "square-root",
  [LMCC_REACTIVITY_SQUARE] = "square",
  [LMCC_REACTIVITY_NONE] = "none",
  NULL };

static const gchar *const slow_start_names[] = { [LMCC_SLOW_START_CORRECTED] =
                                                     "corrected",
  [LMCC_SLOW_START_PAPER] = "paper",
  [LMCC_SLOW_START_NONE] = "none",
  NULL };

static const gchar *const smoothing_names[] = { [LMCC_ELM_SMOOTHING_EWMA] =
                                                    "ewma",
  [LMCC_ELM_SMOOTHING_PERCENTILES] = "percentiles",
  [LMCC_ELM_SMOOTHING_NONE] = "none",
  NULL };

static const gchar *const rules_names[] = { [LMCC_ELM_RULES_OURS] = "ours",
  [LMCC_ELM_RULES_THESIS] = "thesis",
  NULL };

static const gchar *const first_interval_names[] = {
  [LMCC_ELM_FIRST_INTERVAL_RATE] = "rate",
  [LMCC_ELM_FIRST_INTERVAL_PACKETS] = "packets",
  NULL
};

static const gchar *const loss_mean_names[] = { [LMCC_ELM_LOSS_MEAN_PAIRED] =
                                                    "paired",
  [LMCC_ELM_LOSS_MEAN_PAPER] = "paper",
  NULL };

const LmccSetting lmcc_elm_settings[LMCC_ELM_N_SETTINGS] = {
  { "strategy", LMCC_SETTING_CHOICE, 0, 0, LMCC_STRATEGY_LAZY, strategy_names,
      N_ ("when to act on the calculated rate (Colussi 2004, section 6.1)") },
  { "join-time", LMCC_SETTING_TIME, 0, 3600, 25, NULL,
      N_ ("longest wait before a join, t_join^max; 25 s in all of the paper's "
          "simulations (Colussi 2004, section 6.3)") },
  { "leave-time", LMCC_SETTING_TIME, 0, 3600, 25, NULL,
      N_ ("longest wait before a leave, t_leave^max; 25 s in all of the "
          "paper's simulations (Colussi 2004, section 6.3)") },
  { "join-reactivity", LMCC_SETTING_CHOICE, 0, 0, LMCC_REACTIVITY_LINEAR,
      reactivity_names,
      N_ ("how much a large excess of the rate shortens the wait before a join "
          "(Colussi 2004, figure 30)") },
  { "leave-reactivity", LMCC_SETTING_CHOICE, 0, 0, LMCC_REACTIVITY_SQUARE_ROOT,
      reactivity_names,
      N_ ("how much a large shortfall of the rate shortens the wait before a "
          "leave (Colussi 2004, figure 30)") },
  { "passive-zone", LMCC_SETTING_NUMBER, 0, 1, 0, NULL,
      N_ ("fraction of a layer beyond the threshold within which no timer "
          "starts (Colussi 2004, section 6.1.3; the author's implementation "
          "had none)") },
  { "loss-window", LMCC_SETTING_COUNT, 0, 1000000, 3, NULL,
      N_ ("least distance in packets of losses of one event that count "
          "separately: 1 is LAP, 1000000 is LIP as in TFRC, 3 is the paper's "
          "figure 33 (Colussi 2004, section 6.2.2)") },
  { "virtual-packet-size", LMCC_SETTING_COUNT, 0, 65535, 0, NULL,
      N_ ("size of a virtual packet in bytes, 0: packets are not converted "
          "(Colussi 2004, section 4.3.4; ELM does not use it there)") },
  { "smoothing", LMCC_SETTING_CHOICE, 0, 0, LMCC_ELM_SMOOTHING_EWMA,
      smoothing_names,
      N_ ("how the calculated rate is smoothed (Colussi 2004, section "
          "6.1.4)") },
  { "smoothing-time", LMCC_SETTING_TIME, 0, 3600, 0.25, NULL,
      N_ ("time constant of the average, or time covered by the percentiles; "
          "the paper gives none: chosen so that a receiver whose path shrinks "
          "by half goes down within 3 s") },
  { "percentile-low", LMCC_SETTING_NUMBER, 0, 1, 0.2, NULL,
      N_ ("lower percentile (Colussi 2004, equation 24)") },
  { "percentile-high", LMCC_SETTING_NUMBER, 0, 1, 0.8, NULL,
      N_ ("higher percentile (Colussi 2004, equation 24)") },
  { "percentile-history", LMCC_SETTING_COUNT, 1, 10000, 100, NULL,
      N_ ("number of samples for the percentiles; the paper gives no number") },
  { "slow-start", LMCC_SETTING_CHOICE, 0, 0, LMCC_SLOW_START_CORRECTED,
      slow_start_names,
      N_ ("form of the slow start: the paper's (Colussi 2004, section 6.2.4), "
          "with a lower limit of its deaf period, or none") },
  { "slow-start-interval", LMCC_SETTING_TIME, 0, 3600, 2, NULL,
      N_ ("interval between two joins of the slow start, I; the paper gives "
          "none, its section 6.3.3 shows about 5 s to 8 s") },
  { "backoff-shortest", LMCC_SETTING_TIME, 0, 3600, 22, NULL,
      N_ ("join back-off of the lowest layers after congestion; 0: no "
          "back-off. Not in the paper: alone on a link there is no loss, and "
          "its equation asks for more at once") },
  { "backoff-longest", LMCC_SETTING_TIME, 0, 3600, 45, NULL,
      N_ ("join back-off of the top layer after congestion; layers in between "
          "have values in between. New capacity is noticed within 60 s") },
  { "backoff-held", LMCC_SETTING_TIME, 0, 3600, 5, NULL,
      N_ ("join back-off of a layer whose join had not failed, at most "
          "backoff-shortest: long enough for the leave of another receiver, "
          "whose join may have caused the losses (RFC 3376 sections 8.8 and "
          "8.11); not in the paper") },
  { "experiment-time", LMCC_SETTING_TIME, 0, 3600, 1.5, NULL,
      N_ ("time after a join during which the strategy uses the unsmoothed "
          "rate if it is lower: a failed join ends before the other receivers "
          "behind the same link react to its losses; not in the paper") },
  { "restart", LMCC_SETTING_SWITCH, 0, 1, 1, NULL,
      N_ ("after a leave, losses at the old level only show that the new level "
          "is right: the history restarts at the new level; not in the "
          "paper") },
  { "leave-latency", LMCC_SETTING_TIME, 0, 3600, 3.5, NULL,
      N_ ("longest time for which the network forwards a layer after a leave: "
          "losses in that time belong to the old level; two last-member "
          "queries of a second each (RFC 3376 section 8.8), and up to a second "
          "until a host repeats its report (section 8.11). Ends when the "
          "losses end") },
  { "quality-share", LMCC_SETTING_NUMBER, 0, 1, 0.5, NULL,
      N_ ("leave a layer if more than this fraction of the pictures is missing "
          "(RFC 8085 section 4.1); 1: never") },
  { "quality-time", LMCC_SETTING_COUNT, 1, LMCC_QUALITY_WATCH_SECONDS, 5, NULL,
      N_ ("number of seconds for which pictures must be missing") },
  { "trains", LMCC_SETTING_SWITCH, 0, 1, 1, NULL,
      N_ ("use the sender's packet trains if there are any: join no layer "
          "without room for it, and join a layer with room without a wait; not "
          "in the paper") },
  { "rate-limit", LMCC_SETTING_SWITCH, 0, 1, 1, NULL,
      N_ ("limit the calculated rate, before smoothing, to the rate at which "
          "the lazy strategy joins at once (as RFC 5348 section 4.3 limits "
          "it); if false, use the result of the formula (Colussi 2004, section "
          "6.1.4)") },
  { "history-limit", LMCC_SETTING_SWITCH, 0, 1, 1, NULL,
      N_ ("if the formula yields more than that limit at a join, restart the "
          "loss history at the limit; if false, continue it (Colussi 2004, "
          "section 4.2.5: the latest eight intervals)") },
  { "leave-while-quiet", LMCC_SETTING_SWITCH, 0, 1, 0, NULL,
      N_ ("leave a layer at the end of its waiting time even if the losses are "
          "over (Colussi 2004, section 6.1.2: only the rate cancels the "
          "timer)") },
  { "first-interval", LMCC_SETTING_CHOICE, 0, 0, LMCC_ELM_FIRST_INTERVAL_RATE,
      first_interval_names,
      N_ ("length of the interval before the first loss: the one at which TCP "
          "gets the received rate (RFC 4654 section 5.6), or the number of its "
          "packets (Colussi 2004, section 4.2.4)") },
  { "wait-for-rtt", LMCC_SETTING_SWITCH, 0, 1, 1, NULL,
      N_ ("until the round-trip time is measured, a loss suspends the slow "
          "start and does not end it, and the average restarts afterwards; if "
          "false, the slow start ends when X is below the level's rate "
          "(Colussi 2004, section 6.2.4)") },
  { "loss-mean", LMCC_SETTING_CHOICE, 0, 0, LMCC_ELM_LOSS_MEAN_PAIRED,
      loss_mean_names,
      N_ ("losses per packet: over the same intervals in numerator and "
          "denominator, or losses of the latest events divided by the longer "
          "mean interval (Colussi 2004, equations 10, 16 and 17)") },
  { "deaf-after-leave", LMCC_SETTING_SWITCH, 0, 1, 1, NULL,
      N_ ("after a leave, ignore losses from before it and from its "
          "leave-latency; if false, count all: the paper has a deaf period for "
          "joins only (Colussi 2004, section 6.2.4)") },
  { "rules", LMCC_SETTING_CHOICE, 0, 0, LMCC_ELM_RULES_OURS, rules_names,
      N_ ("defaults of the other settings: those of this list, or those of ELM "
          "as Colussi 2004 describes it") },
};
