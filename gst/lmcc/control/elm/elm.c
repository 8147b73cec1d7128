/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ELM, equation-based layered multicast: Colussi, "Equation-based Layered
 * Multicast Congestion Control", 2004, called "the paper" below. Differences
 * from the paper are documented in the descriptions of the settings or in
 * comments.
 */
#include "control/elm/elm.h"

#include <glib/gi18n-lib.h>
#include <gst/lmcc/lmcc-session-algorithm.h>
#include "control/controller.h"
#include "control/elm/join-backoff.h"
#include "control/elm/rules.h"
#include "control/elm/slow-start.h"
#include "control/elm/smoother.h"
#include "control/elm/subscription.h"
#include "control/elm/train-rules.h"
#include "control/elm/virtual-packets.h"
#include "control/quality-watch.h"
#include "measure/loss-intervals.h"
#include "measure/rate-meter.h"
#include "measure/tcp-model.h"
#include "wire/levels.h"

#include <math.h>

/* Least deaf period: time to see the effect of a loss, and enough packets to
 * show one. */
#define FLOOR_RTTS 3
#define FLOOR_PACKETS 20

/* The losses of a layer that was left are over if none occurred in this
 * time, or in an RTT if that is longer. */
#define QUIET_TIME (200 * LMCC_MSECOND)

typedef struct
{
  LmccController parent;
  const LmccSession *session;
  GRand *dice;

  LmccLossIntervals *history;
  LmccVirtualPackets virtual_packets;
  LmccReceiveRate received;
  LmccTime rtt;
  gboolean rtt_known;
  LmccTime first_rtt; /* used for the first interval */

  gdouble calculated;
  LmccElmSmoother smoother;
  LmccElmRules rules;

  LmccSubscription subscription;
  LmccSlowStart slow_start;
  LmccJoinBackoff backoff;
  LmccQualityWatch quality;
  LmccElmTrains trains;
  gboolean restart;
  LmccTime leave_latency;
  LmccTime experiment_time;

  gint level;
  LmccTime joined_at[LMCC_MAX_LAYERS]; /* per level */
  gboolean leaving; /* this controller chose the next lower level */
  gboolean deaf;
  LmccTime deaf_since;
  LmccTime deaf_until; /* end of the latest deaf period */
  LmccTime last_loss;
  LmccTime left_packet; /* newest packet of a layer that was left */
  gboolean below;       /* the calculated rate is below the level's */
} Elm;

static gdouble
level_rate (const Elm *elm, gint level)
{
  return level < 0
      ? 0
      : (gdouble) lmcc_session_level_rate (elm->session, (guint) level);
}

static gboolean
may_go_up (const Elm *elm)
{
  return lmcc_session_may_go_up (elm->session, elm->level);
}

/* Earliest time to join the next level, as far as waits determine it. */
static LmccTime
held_until (const Elm *elm)
{
  LmccTime alone =
      lmcc_join_backoff_get (&elm->backoff, (guint) elm->level + 1);
  LmccTime trains =
      lmcc_elm_trains_hold_until (&elm->trains, elm->slow_start.active);

  return MAX (elm->slow_start.active ? 0 : alone, trains);
}

static LmccTime
get_rtt (const Elm *elm)
{
  return elm->rtt_known ? elm->rtt : elm->session->rtt_max;
}

/* Rates above this carry no information: the lazy strategy joins at once,
 * and a path that is never filled could have any capacity. */
static gdouble
highest_rate (const Elm *elm)
{
  gdouble current = level_rate (elm, elm->level);

  return may_go_up (elm) ? 2 * level_rate (elm, elm->level + 1) - current
                         : 2 * current;
}

static gdouble
interval_for_rate (const Elm *elm, gdouble rate)
{
  gdouble loss_rate =
      lmcc_tcp_model_loss_rate (rate, get_rtt (elm), elm->session->packet_size);

  return loss_rate > 0 ? 1 / loss_rate : G_MAXDOUBLE;
}

static void
start_history (Elm *elm, LmccTime now, gdouble rate)
{
  elm->first_rtt = get_rtt (elm);
  lmcc_loss_intervals_start (elm->history, now, interval_for_rate (elm, rate));
}

static gdouble
loss_rate (const Elm *elm)
{
  return elm->rules.loss_mean == LMCC_ELM_LOSS_MEAN_PAPER
      ? lmcc_loss_intervals_get_impact_rate (elm->history)
      : lmcc_loss_intervals_get_loss_rate (elm->history);
}

/* X without bounds; infinite before the first loss. */
static gdouble
formula_rate (const Elm *elm)
{
  return lmcc_tcp_model_rate (loss_rate (elm), get_rtt (elm),
      elm->session->packet_size);
}

static gdouble
limit (const Elm *elm, gdouble rate)
{
  return elm->rules.rate_limit ? MIN (rate, highest_rate (elm)) : rate;
}

/* RFC 5348 section 4.3 limits X to twice the receive rate and leaves p
 * alone: with competing TCP, the round-trip time, and X with it, varies with
 * the queue, while the observed losses stay. */
static void
calculate (Elm *elm, LmccTime now)
{
  elm->calculated = formula_rate (elm);
  if (isfinite (elm->calculated))
    elm->calculated = limit (elm, elm->calculated);
  lmcc_elm_smoother_add (&elm->smoother, now, limit (elm, elm->calculated));
}

/* A further layer is about to be sent over the path. The history beyond the
 * bound was never tested (RFC 7661 section 4.3 likewise does not validate an
 * unused window). So the history restarts at the bound; otherwise minutes
 * without loss would outweigh the losses that the join causes. */
static void
limit_history (Elm *elm, LmccTime now)
{
  gdouble highest = highest_rate (elm);

  if (elm->rules.history_limit
      && lmcc_loss_intervals_get_events (elm->history) > 0
      && formula_rate (elm) > highest)
    start_history (elm, now, highest);
}

static void
join (Elm *elm, const gchar *reason)
{
  elm->parent.wanted_level = elm->level + 1;
  elm->parent.reason = reason;
}

/* Losses soon after this receiver's own join result from it, and it reacts
 * to them without waiting: other receivers behind the same link, which see
 * them too, have not joined. */
static gboolean
is_experiment (const Elm *elm, LmccTime now)
{
  return elm->level > 0
      && now - elm->joined_at[elm->level] < elm->experiment_time;
}

static void
leave_alone (Elm *elm, guint level, LmccTime now)
{
  lmcc_join_backoff_leave_alone (&elm->backoff, level,
      lmcc_session_count_levels (elm->session), now, g_rand_double (elm->dice));
}

/* Losses at the end of an experiment are answered within the same time
 * again. If the layer was held for longer, it did fit: another receiver's
 * join or a new flow caused the losses, and after a long wait this receiver
 * would return just before the other one tries again. */
static gboolean
joined_in_vain (const Elm *elm, LmccTime now)
{
  return now < elm->joined_at[elm->level] + 2 * elm->experiment_time;
}

static void
leave (Elm *elm, LmccTime now, const gchar *reason)
{
  if (joined_in_vain (elm, now))
    leave_alone (elm, (guint) elm->level, now);
  else
    lmcc_join_backoff_pause (&elm->backoff, (guint) elm->level,
        elm->joined_at[elm->level], now, g_rand_double (elm->dice));
  elm->leaving = TRUE;
  elm->slow_start.active = FALSE;
  elm->parent.wanted_level = elm->level - 1;
  elm->parent.reason = reason;
}

static void
begin_deaf_period (Elm *elm, LmccTime now)
{
  elm->deaf = TRUE;
  elm->deaf_since = now;
  elm->last_loss = now;
  elm->left_packet = now;
}

/* The losses that a layer caused are no reason to leave the next one. */
static void
follow_leave (Elm *elm, LmccTime now)
{
  gdouble rate = level_rate (elm, elm->level);

  if (elm->rules.deaf_after_leave)
    begin_deaf_period (elm, now);
  if (elm->restart && elm->calculated < rate) {
    start_history (elm, now, rate);
    elm->calculated = rate;
    lmcc_elm_smoother_restart (&elm->smoother, now, rate);
  }
}

/* Losses may pause while packets of the layer that was left still arrive. If
 * such packets are seen, the deaf period continues, but no longer than a
 * leave takes that the network honours: losses after that are congestion,
 * whoever causes it. */
static LmccTime
deaf_period_end (const Elm *elm)
{
  LmccTime quiet = MAX (get_rtt (elm), QUIET_TIME);
  LmccTime longest = elm->leave_latency == 0
      ? 0
      : MAX (elm->leave_latency, LMCC_DEFAULT_LEAVE_LATENCY);

  return MAX (MIN (elm->deaf_since + elm->leave_latency,
                  elm->last_loss + quiet),
      MIN (elm->deaf_since + longest, elm->left_packet + quiet));
}

/* Join experiments of other receivers and new flows show that there is no
 * room for another layer. */
static void
notice_congestion (Elm *elm, LmccTime now)
{
  gboolean below = elm->calculated < level_rate (elm, elm->level);

  if (below && !elm->below && may_go_up (elm))
    leave_alone (elm, (guint) elm->level + 1, now);
  elm->below = below;
}

/* If the losses are over, as after another receiver's experiment, the rate
 * will soon recover. */
static gboolean
may_leave (const Elm *elm)
{
  return elm->rules.leave_while_quiet
      || !lmcc_loss_intervals_is_quiet (elm->history);
}

static void
follow_strategy (Elm *elm, LmccTime now)
{
  gboolean capped = elm->parent.wanted_level > elm->level;
  LmccSubscriptionRates rates = {
    .below = level_rate (elm, elm->level - 1),
    .current = level_rate (elm, elm->level),
    .above = may_go_up (elm) && !capped ? level_rate (elm, elm->level + 1)
                                        : INFINITY,
  };

  lmcc_subscription_update (&elm->subscription, now,
      is_experiment (elm, now) ? MIN (elm->calculated, elm->smoother.value)
                               : elm->smoother.value,
      &rates);
  notice_congestion (elm, now);
  if (elm->subscription.leave.running && now >= elm->subscription.leave.at
      && may_leave (elm))
    leave (elm, now, "the calculated rate is below the level's");
  else if (elm->subscription.join.running && now >= elm->subscription.join.at
      && now >= held_until (elm))
    join (elm, "the calculated rate is above the next level's");
}

/* Until the round-trip time is measured, the session's maximum stands in for
 * it, and X is proportionally smaller, or less: enough to leave a layer, but
 * no reason to end the slow start without a leave. Once the time is known,
 * RFC 4654 section 5.6 corrects the interval of the first loss. */
static gboolean
waits_for_rtt (const Elm *elm)
{
  return elm->rules.wait_for_rtt && elm->slow_start.active && !elm->rtt_known
      && lmcc_loss_intervals_get_events (elm->history) > 0;
}

static void
evaluate (Elm *elm, LmccTime now)
{
  /* An earlier wish may still have to be fulfilled. */
  if (elm->level < 0 || elm->leaving)
    return;
  if (elm->deaf) {
    if (now < deaf_period_end (elm))
      return;
    elm->deaf = FALSE;
    elm->deaf_until = now;
  }

  calculate (elm, now);
  if (elm->slow_start.active && !waits_for_rtt (elm)) {
    if (lmcc_slow_start_update (&elm->slow_start, now, elm->calculated,
            level_rate (elm, elm->level))
        && now >= held_until (elm) && may_go_up (elm)
        && elm->parent.wanted_level == elm->level)
      join (elm, "slow start");
    if (elm->slow_start.active)
      return;
  }
  follow_strategy (elm, now);
}

/* If there is room for the next layer, the path is worth at least its rate.
 * The history restarts at that rate, because it was recorded at a lower one. */
static void
join_by_trains (Elm *elm, LmccTime now)
{
  gdouble above;

  if (elm->deaf || elm->leaving || elm->level < 0 || !may_go_up (elm)
      || elm->parent.wanted_level != elm->level
      || !lmcc_elm_trains_find_room (&elm->trains, elm->slow_start.active,
          elm->last_loss, now))
    return;
  above = level_rate (elm, elm->level + 1);
  if (elm->slow_start.active && elm->calculated < above)
    return;
  if (elm->calculated < above) {
    start_history (elm, now, above);
    elm->calculated = above;
    lmcc_elm_smoother_restart (&elm->smoother, now, above);
  }
  join (elm, "packet trains find room for the next layer");
}

static void
elm_packet (LmccController *controller, LmccTime now, LmccTime arrival,
    const LmccHeader *header, gsize size)
{
  Elm *elm = (Elm *) controller;
  gboolean verdict =
      lmcc_elm_trains_packet (&elm->trains, arrival, header, size);

  lmcc_receive_rate_add (&elm->received, arrival, size);
  /* While losses are ignored, the packets between them are ignored, too. */
  if (!elm->deaf)
    lmcc_loss_intervals_packet (elm->history, arrival,
        lmcc_virtual_packets_add (&elm->virtual_packets, size));
  evaluate (elm, now);
  if (verdict)
    join_by_trains (elm, now);
}

/* Converts losses to the history's virtual packets: fewer or more, in the
 * same time. Returns %FALSE if they do not make up a whole one yet. */
static gboolean
to_virtual (Elm *elm, LmccLoss *loss)
{
  guint count = lmcc_virtual_packets_lose (&elm->virtual_packets, loss->count);
  LmccTime first = lmcc_loss_get_time (loss, 0);

  if (count != loss->count) {
    loss->span = lmcc_loss_get_last_time (loss) - first;
    loss->before = first;
    loss->gap = MAX (count, 2) - 1;
    loss->index = 0;
    loss->count = count;
  }

  return count > 0;
}

static void
elm_loss (LmccController *controller, LmccTime now, guint layer,
    const LmccLoss *loss)
{
  Elm *elm = (Elm *) controller;
  guint ignored = lmcc_loss_count_before (loss, elm->deaf_until);
  LmccLoss rest = *loss;
  gboolean first;

  elm->last_loss = now;
  /* Losses from before the leave that show only now carry no information
   * either. */
  if (elm->deaf || elm->leaving || ignored == loss->count
      || lmcc_elm_trains_owns_loss (&elm->trains, layer, loss))
    return;
  lmcc_loss_drop_first (&rest, ignored);
  first = lmcc_loss_intervals_get_events (elm->history) == 0;
  if (to_virtual (elm, &rest))
    lmcc_loss_intervals_lose (elm->history, &rest);
  if (first && elm->rules.first_interval == LMCC_ELM_FIRST_INTERVAL_RATE) {
    elm->first_rtt = get_rtt (elm);
    lmcc_loss_intervals_set_first (elm->history,
        lmcc_loss_intervals_first_length (lmcc_receive_rate_get (&elm->received,
                                              now),
            elm->first_rtt, elm->session->packet_size));
  }
  evaluate (elm, now);
}

/* A virtual packet is withdrawn if one was lost at that time. */
static void
elm_found (LmccController *controller, LmccTime now, guint layer,
    const LmccLoss *loss)
{
  Elm *elm = (Elm *) controller;

  if (elm->deaf || elm->leaving
      || lmcc_elm_trains_owns_loss (&elm->trains, layer, loss))
    return;
  lmcc_loss_intervals_find (elm->history, lmcc_loss_get_time (loss, 0));
  evaluate (elm, now);
}

static void
elm_left_packet (LmccController *controller, LmccTime now G_GNUC_UNUSED,
    LmccTime arrival, guint layer)
{
  Elm *elm = (Elm *) controller;

  if (elm->deaf
      && !lmcc_session_level_has_layer (elm->session, elm->level, layer))
    elm->left_packet = MAX (elm->left_packet, arrival);
}

static LmccTime
deaf_period_floor (const Elm *elm)
{
  guint64 rate = lmcc_session_level_rate (elm->session, (guint) elm->level);
  LmccTime packets = rate == 0
      ? 0
      : FLOOR_PACKETS * elm->session->packet_size * 8 * LMCC_SECOND / rate;

  return MAX (FLOOR_RTTS * get_rtt (elm), packets);
}

static void
elm_level (LmccController *controller, LmccTime now, gint level)
{
  Elm *elm = (Elm *) controller;
  gint from = elm->level;
  gboolean left = elm->leaving;

  if (from >= 0 && level > from)
    limit_history (elm, now);
  elm->level = level;
  elm->leaving = FALSE;
  elm->below = FALSE;
  lmcc_receive_rate_reset (&elm->received);
  lmcc_subscription_reset (&elm->subscription);
  lmcc_quality_watch_reset (&elm->quality);
  lmcc_elm_trains_set_level (&elm->trains, now, level, left);
  if (level < 0)
    return;

  if (level > from) {
    elm->joined_at[level] = now;
    lmcc_slow_start_joined (&elm->slow_start, now, level_rate (elm, 0),
        level_rate (elm, level), deaf_period_floor (elm));
  } else if (left) {
    follow_leave (elm, now);
  }
}

static void
elm_rtt (LmccController *controller, LmccTime now, LmccTime rtt)
{
  Elm *elm = (Elm *) controller;
  gboolean first = !elm->rtt_known;

  if (first)
    lmcc_loss_intervals_rescale_first (elm->history, rtt, elm->first_rtt);
  elm->rtt_known = TRUE;
  elm->rtt = rtt;
  lmcc_loss_intervals_set_rtt (elm->history, rtt);
  lmcc_loss_intervals_set_hold (elm->history,
      MIN (rtt, LMCC_SECOND) + LMCC_ELM_LOSS_DELAY);
  if (first && elm->rules.wait_for_rtt && elm->level >= 0) {
    lmcc_subscription_reset (&elm->subscription);
    elm->calculated = formula_rate (elm);
    lmcc_elm_smoother_restart (&elm->smoother, now,
        limit (elm, elm->calculated));
  }
}

static void
elm_quality (LmccController *controller, LmccTime now, guint units,
    guint missing)
{
  Elm *elm = (Elm *) controller;

  if (elm->deaf || !lmcc_quality_watch_add (&elm->quality, units, missing)
      || elm->level <= 0 || elm->leaving)
    return;
  leave (elm, now, "too many pictures are missing");
}

static void
elm_session (LmccController *controller, LmccTime now G_GNUC_UNUSED)
{
  Elm *elm = (Elm *) controller;

  elm->parent.wanted_level = MIN (elm->parent.wanted_level,
      (gint) lmcc_session_count_levels (elm->session) - 1);
}

static void
elm_timeout (LmccController *controller, LmccTime now)
{
  evaluate ((Elm *) controller, now);
}

static LmccTime
join_time (const Elm *elm)
{
  return MAX (elm->subscription.join.at, held_until (elm));
}

/* The running timer, if any. */
static const gchar *
find_timer (const Elm *elm, LmccTime *at)
{
  *at = LMCC_TIME_NONE;
  if (elm->level < 0)
    return NULL;
  if (elm->deaf) {
    *at = deaf_period_end (elm);
    return "deaf period";
  }
  if (elm->slow_start.active && !waits_for_rtt (elm)) {
    if (!may_go_up (elm) || elm->parent.wanted_level > elm->level)
      return NULL;
    *at = MAX (elm->slow_start.join_at, held_until (elm));
    return "slow start";
  }
  if (elm->subscription.leave.running) {
    if (may_leave (elm))
      *at = elm->subscription.leave.at;
    return "leave";
  }
  if (elm->subscription.join.running
      && elm->parent.wanted_level <= elm->level) {
    *at = join_time (elm);
    return *at > elm->subscription.join.at ? "back-off" : "join";
  }

  return NULL;
}

static LmccTime
elm_next_timeout (const LmccController *controller)
{
  LmccTime at;

  find_timer ((const Elm *) controller, &at);

  return at;
}

static void
elm_status (LmccController *controller, LmccTime now,
    LmccControllerStatus *status)
{
  Elm *elm = (Elm *) controller;

  status->state = elm->deaf    ? "deaf"
      : elm->slow_start.active ? "slow start"
                               : "steady";
  status->loss_event_rate = loss_rate (elm);
  status->calculated_rate = elm->calculated;
  status->smoothed_rate = elm->smoother.value;
  status->trains = lmcc_elm_trains_describe (&elm->trains, now);
  status->timer = find_timer (elm, &status->timer_at);
}

static void
elm_free (LmccController *controller)
{
  Elm *elm = (Elm *) controller;

  lmcc_loss_intervals_free (elm->history);
  lmcc_elm_smoother_clear (&elm->smoother);
  g_rand_free (elm->dice);
  g_free (elm);
}

static const LmccControllerClass elm_class = {
  .on_packet = elm_packet,
  .on_loss = elm_loss,
  .on_found = elm_found,
  .on_left_packet = elm_left_packet,
  .on_level = elm_level,
  .on_rtt = elm_rtt,
  .on_quality = elm_quality,
  .on_session = elm_session,
  .on_timeout = elm_timeout,
  .next_timeout = elm_next_timeout,
  .get_status = elm_status,
  .free = elm_free,
};

static void
apply_settings (Elm *elm, const LmccSettings *settings)
{
  const LmccSubscriptionConfig subscription = {
    .strategy = lmcc_settings_get_count (settings, "strategy"),
    .join_time = lmcc_settings_get_time (settings, "join-time"),
    .leave_time = lmcc_settings_get_time (settings, "leave-time"),
    .join_reactivity = lmcc_settings_get_count (settings, "join-reactivity"),
    .leave_reactivity = lmcc_settings_get_count (settings, "leave-reactivity"),
    .passive_zone = lmcc_settings_get (settings, "passive-zone"),
  };

  lmcc_subscription_init (&elm->subscription, &subscription);
  lmcc_slow_start_init (&elm->slow_start,
      lmcc_settings_get_count (settings, "slow-start"),
      lmcc_settings_get_time (settings, "slow-start-interval"));
  lmcc_join_backoff_init (&elm->backoff,
      lmcc_settings_get_time (settings, "backoff-shortest"),
      lmcc_settings_get_time (settings, "backoff-longest"),
      lmcc_settings_get_time (settings, "backoff-held"));
  lmcc_quality_watch_init (&elm->quality,
      lmcc_settings_get_count (settings, "quality-time"),
      lmcc_settings_get (settings, "quality-share"));
  lmcc_virtual_packets_init (&elm->virtual_packets,
      lmcc_settings_get_count (settings, "virtual-packet-size"));
  elm->history = lmcc_loss_intervals_new (lmcc_settings_get_count (settings,
                                              "loss-window"),
      elm->session->rtt_max);
  lmcc_elm_smoother_init (&elm->smoother, settings);
  lmcc_elm_trains_init (&elm->trains, elm->session,
      lmcc_settings_get_count (settings, "trains"));
  elm->restart = lmcc_settings_get_count (settings, "restart");
  elm->leave_latency = lmcc_settings_get_time (settings, "leave-latency");
  elm->experiment_time = lmcc_settings_get_time (settings, "experiment-time");
  lmcc_elm_rules_init (&elm->rules, settings);
}

static LmccController *
elm_create (const LmccSession *session, const LmccSettings *settings,
    guint32 seed)
{
  Elm *elm = g_new0 (Elm, 1);
  g_autoptr (LmccSettings) resolved = lmcc_elm_rules_resolve (settings);

  lmcc_controller_init (&elm->parent, &lmcc_algorithm_elm, &elm_class);
  elm->parent.reason = "start";
  elm->session = session;
  elm->dice = g_rand_new_with_seed (seed);
  elm->level = -1;
  elm->calculated = INFINITY;
  apply_settings (elm, resolved);

  return &elm->parent;
}

const LmccAlgorithm lmcc_algorithm_elm = {
  .name = "elm",
  .number = 2,
  .description = N_ ("Equation-based: the rate that TCP would get at the "
                     "observed loss and round-trip time (Colussi 2004)"),
  .paper = "Colussi, \"Equation-based Layered Multicast Congestion "
           "Control\", 2004",
  .settings = lmcc_elm_settings,
  .n_settings = LMCC_ELM_N_SETTINGS,
  .needs_rtt = TRUE,
  .create = elm_create,
};
