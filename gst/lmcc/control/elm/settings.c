/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/elm/elm.h"

#include "control/elm/rules.h"
#include "control/elm/slow-start.h"
#include "control/elm/subscription.h"
#include "control/quality-watch.h"

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
      "when to act on the calculated rate (Colussi 2004, section 6.1)" },
  { "join-time", LMCC_SETTING_TIME, 0, 3600, 25, NULL,
      "longest wait before a join, t_join^max; 25 s in all of the paper's "
      "simulations (Colussi 2004, section 6.3)" },
  { "leave-time", LMCC_SETTING_TIME, 0, 3600, 25, NULL,
      "longest wait before a leave, t_leave^max; 25 s in all of the paper's "
      "simulations (Colussi 2004, section 6.3)" },
  { "join-reactivity", LMCC_SETTING_CHOICE, 0, 0, LMCC_REACTIVITY_LINEAR,
      reactivity_names,
      "how far a clear case shortens the wait before a "
      "join (Colussi 2004, figure 30)" },
  { "leave-reactivity", LMCC_SETTING_CHOICE, 0, 0, LMCC_REACTIVITY_SQUARE_ROOT,
      reactivity_names,
      "how far a clear case shortens the wait before a "
      "leave (Colussi 2004, figure 30)" },
  { "passive-zone", LMCC_SETTING_NUMBER, 0, 1, 0, NULL,
      "part of a layer beyond the border in which no timer starts (Colussi "
      "2004, section 6.1.3; the author's implementation had none)" },
  { "loss-window", LMCC_SETTING_COUNT, 0, 1000000, 3, NULL,
      "packets between losses of one event that count each: 1 is LAP, "
      "1000000 is LIP as in TFRC, 3 is the paper's figure 33 (Colussi 2004, "
      "section 6.2.2)" },
  { "virtual-packet-size", LMCC_SETTING_COUNT, 0, 65535, 0, NULL,
      "bytes of a virtual packet, 0: packets count as they are (Colussi "
      "2004, section 4.3.4; ELM does not use it there)" },
  { "smoothing", LMCC_SETTING_CHOICE, 0, 0, LMCC_ELM_SMOOTHING_EWMA,
      smoothing_names,
      "how the calculated rate is smoothed (Colussi 2004, section 6.1.4)" },
  { "smoothing-time", LMCC_SETTING_TIME, 0, 3600, 0.25, NULL,
      "time constant of the average, or the time that the percentiles look "
      "back on; the paper gives none: chosen so that a receiver whose path "
      "shrinks by half is down within 3 s" },
  { "percentile-low", LMCC_SETTING_NUMBER, 0, 1, 0.2, NULL,
      "lower percentile (Colussi 2004, equation 24)" },
  { "percentile-high", LMCC_SETTING_NUMBER, 0, 1, 0.8, NULL,
      "higher percentile (Colussi 2004, equation 24)" },
  { "percentile-history", LMCC_SETTING_COUNT, 1, 10000, 100, NULL,
      "samples that the percentiles are taken of; the paper gives no number" },
  { "slow-start", LMCC_SETTING_CHOICE, 0, 0, LMCC_SLOW_START_CORRECTED,
      slow_start_names,
      "the start: the paper's (Colussi 2004, section "
      "6.2.4), or with a floor below its deaf period, or none" },
  { "slow-start-interval", LMCC_SETTING_TIME, 0, 3600, 2, NULL,
      "from one join of the slow start to the next, I; the paper gives none, "
      "its section 6.3.3 shows about 5 s to 8 s" },
  { "backoff-shortest", LMCC_SETTING_TIME, 0, 3600, 22, NULL,
      "how long the lowest layers are left alone after the path was too "
      "full; 0 is without. Not in the paper: alone on a link there is no "
      "loss, and its equation asks for more at once" },
  { "backoff-longest", LMCC_SETTING_TIME, 0, 3600, 45, NULL,
      "how long the top layer is, and those below it in between: a path "
      "that opens is noticed within 60 s" },
  { "backoff-held", LMCC_SETTING_TIME, 0, 3600, 5, NULL,
      "how long a layer is left alone that was not joined in vain, with "
      "backoff-shortest as the most: until the leave is over (RFC 3376 "
      "sections 8.8 and 8.11) of another receiver, whose join its losses may "
      "have been; not in the paper" },
  { "experiment-time", LMCC_SETTING_TIME, 0, 3600, 1.5, NULL,
      "for so long after a join the strategy sees the rate unsmoothed where "
      "that is less: a join in vain ends before the other receivers behind "
      "the same link act on its losses; not in the paper" },
  { "restart", LMCC_SETTING_SWITCH, 0, 1, 1, NULL,
      "after a leave, losses at the old level say no more than that the new "
      "one is right: the history begins again there; not in the paper" },
  { "leave-latency", LMCC_SETTING_TIME, 0, 3600, 3.5, NULL,
      "how long the network may go on with a layer that was left: losses of "
      "that time are of the old level; two last-member queries, a second "
      "each (RFC 3376 section 8.8), and up to a second until a host repeats "
      "its report (section 8.11). Ends where losses end" },
  { "quality-share", LMCC_SETTING_NUMBER, 0, 1, 0.5, NULL,
      "a layer is left where more than this part of the pictures is missing "
      "(RFC 8085 section 4.1); 1: never" },
  { "quality-time", LMCC_SETTING_COUNT, 1, LMCC_QUALITY_WATCH_SECONDS, 5, NULL,
      "for so many seconds" },
  { "trains", LMCC_SETTING_SWITCH, 0, 1, 1, NULL,
      "go by the sender's trains where there are any: no layer is joined for "
      "which there is no room, and one for which there is without a wait; not "
      "in the paper" },
  { "rate-limit", LMCC_SETTING_SWITCH, 0, 1, 1, NULL,
      "the calculated rate is at most what the lazy strategy joins for at "
      "once, before it is smoothed (as RFC 5348 section 4.3 limits it); "
      "without, it is what the formula gives (Colussi 2004, section 6.1.4)" },
  { "history-limit", LMCC_SETTING_SWITCH, 0, 1, 1, NULL,
      "where the formula gives more than that at a join, the loss history "
      "begins again there; without, it goes on (Colussi 2004, section 4.2.5: "
      "the latest eight intervals)" },
  { "leave-while-quiet", LMCC_SETTING_SWITCH, 0, 1, 0, NULL,
      "a layer is left when its waiting time is over, though the losses are "
      "over too (Colussi 2004, section 6.1.2: only the rate cancels the "
      "timer)" },
  { "first-interval", LMCC_SETTING_CHOICE, 0, 0, LMCC_ELM_FIRST_INTERVAL_RATE,
      first_interval_names,
      "length of the interval before the first loss: that at which TCP gets "
      "the rate received (RFC 4654 section 5.6), or its packets (Colussi "
      "2004, section 4.2.4)" },
  { "wait-for-rtt", LMCC_SETTING_SWITCH, 0, 1, 1, NULL,
      "until the round-trip time is measured a loss stops the joins of the "
      "slow start and does not end it, and then the average begins anew; "
      "without, it ends where X is below the level's rate (Colussi 2004, "
      "section 6.2.4)" },
  { "loss-mean", LMCC_SETTING_CHOICE, 0, 0, LMCC_ELM_LOSS_MEAN_PAIRED,
      loss_mean_names,
      "losses in a packet: over the same intervals above and below, or the "
      "latest events' over the longer mean interval (Colussi 2004, equations "
      "10, 16 and 17)" },
  { "deaf-after-leave", LMCC_SETTING_SWITCH, 0, 1, 1, NULL,
      "losses of before a leave, or of its leave-latency, do not count after "
      "it; without, all do: the paper has a deaf period for joins only "
      "(Colussi 2004, section 6.2.4)" },
  { "rules", LMCC_SETTING_CHOICE, 0, 0, LMCC_ELM_RULES_OURS, rules_names,
      "which values the settings have that are not given: those of this "
      "list, or those with which ELM is what Colussi 2004 describes" },
};
