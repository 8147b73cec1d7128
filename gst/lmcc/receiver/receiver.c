/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The receiver's interface for its caller: starts, stops and runs what is
 * due. No other part calls it.
 */
#include "receiver/actions.h"
#include "receiver/algorithm.h"
#include "receiver/door.h"
#include "receiver/ending.h"
#include "receiver/layer-queue.h"
#include "receiver/membership.h"
#include "receiver/memory.h"
#include "receiver/packets.h"
#include "receiver/private.h"
#include "receiver/pump.h"
#include "receiver/rates.h"
#include "receiver/repair.h"
#include "receiver/reports.h"
#include "receiver/source-and-level.h"
#include "receiver/sources.h"

#include <glib/gi18n-lib.h>

#define STATS_INTERVAL LMCC_SECOND

/* The measured rate of a layer moves by a quarter of the difference each
 * second, slow enough to smooth the variation of an encoder, and counts for
 * this long after the layer was left. */
#define RATE_SMOOTHING 4
#define RATE_MEMORY (30 * LMCC_SECOND)

/**
 * lmcc_receiver_new:
 * @config: the configuration; copied
 *
 * Creates a receiver. Call lmcc_receiver_start() next, and then follow its
 * actions and timeouts.
 *
 * Returns: (transfer full): a receiver that has not been started
 */
LmccReceiver *
lmcc_receiver_new (const LmccReceiverConfig *config)
{
  LmccReceiver *receiver = g_new0 (LmccReceiver, 1);

  receiver->config = *config;
  receiver->any_algorithm =
      config->algorithm == NULL || g_str_equal (config->algorithm, "auto");
  receiver->chosen = lmcc_algorithm_find (config->algorithm);
  receiver->codecs = g_strdupv ((gchar **) config->codecs);
  receiver->config.codecs = NULL;
  if (config->session != NULL
      && lmcc_receiver_admits (receiver, config->session)) {
    receiver->sdp_session = g_new (LmccSession, 1);
    *receiver->sdp_session = *config->session;
  }
  if (config->settings != NULL)
    receiver->settings = lmcc_settings_copy (config->settings);
  receiver->config.session = NULL;
  receiver->config.settings = NULL;
  receiver->config.algorithm = NULL;
  receiver->level = -1;
  lmcc_receiver_reset_rung_switch (receiver);
  lmcc_receiver_init_actions (receiver);
  receiver->merge = lmcc_merge_new ();
  receiver->gate = lmcc_gate_new (config->on_loss);
  receiver->repair = lmcc_repair_decoder_new ();
  lmcc_merge_set_discard (receiver->merge, &receiver->discard);
  lmcc_gate_set_discard (receiver->gate, &receiver->discard);
  lmcc_repair_decoder_set_discard (receiver->repair, &receiver->discard);
  receiver->clock = lmcc_clock_new ();
  receiver->assembler = lmcc_record_assembler_new ();
  receiver->sources.check_at = LMCC_TIME_NONE;
  receiver->delivery.sequence = (guint16) config->sequence_seed;
  receiver->stats.join_to_packet = LMCC_TIME_NONE;
  receiver->stats.join_to_picture = LMCC_TIME_NONE;
  receiver->waiting_since = LMCC_TIME_NONE;
  lmcc_receiver_init_rtt (receiver);
  lmcc_receiver_init_key_requests (receiver);
  lmcc_receiver_init_memory (receiver);

  return receiver;
}

/**
 * lmcc_receiver_free:
 * @receiver: (transfer full): a receiver
 *
 * Frees a receiver with all packets that it holds.
 */
void
lmcc_receiver_free (LmccReceiver *receiver)
{
  lmcc_receiver_clear_actions (receiver);
  lmcc_receiver_free_layers (receiver);
  lmcc_receiver_clear_controller (receiver);
  lmcc_receiver_clear_layering (receiver);
  lmcc_receiver_clear_rtt (receiver);
  lmcc_receiver_clear_memory (receiver);
  g_clear_pointer (&receiver->settings, lmcc_settings_free);
  lmcc_merge_free (receiver->merge);
  lmcc_gate_free (receiver->gate);
  lmcc_repair_decoder_free (receiver->repair);
  lmcc_discard_clear (&receiver->discard);
  g_free (receiver->link_loss);
  lmcc_clock_free (receiver->clock);
  lmcc_record_assembler_free (receiver->assembler);
  lmcc_receiver_clear_sources (receiver);
  g_free (receiver->sdp_session);
  g_strfreev (receiver->codecs);
  g_free (receiver);
}

static void
smooth_rate (LmccReceiverLayer *layer, LmccTime now)
{
  layer->smoothed_rate = layer->smoothed_rate == 0
      ? layer->rate
      : layer->smoothed_rate - layer->smoothed_rate / RATE_SMOOTHING
          + layer->rate / RATE_SMOOTHING;
  layer->smoothed_at = now;
}

static void
update_layer_rate (LmccReceiver *receiver, guint index, LmccTime now)
{
  LmccReceiverLayer *layer = receiver->layers[index];
  guint64 bytes = lmcc_receiver_get_layer_stats (receiver, index)->bytes;

  layer->rate = (bytes - layer->bytes_before) * 8 * LMCC_SECOND
      / (now - receiver->stats_time);
  layer->bytes_before = bytes;
  if (lmcc_layer_set_has (receiver->held, index))
    smooth_rate (layer, now);
  else if (now >= layer->smoothed_at + RATE_MEMORY)
    layer->smoothed_rate = 0;
}

static void
update_rates (LmccReceiver *receiver, LmccTime now)
{
  guint64 received, lost, rate = 0;
  guint i;

  for (i = 0; i < LMCC_MAX_LAYERS; i++) {
    if (receiver->layers[i] != NULL) {
      update_layer_rate (receiver, i, now);
      rate += receiver->layers[i]->rate;
    }
  }
  lmcc_receiver_sum_layers (receiver, &received, &lost);

  receiver->stats.bitrate = rate;
  receiver->stats.lost = lost;
  received -= receiver->received_before;
  lost -= receiver->lost_before;
  receiver->stats.loss_rate =
      received + lost > 0 ? (gdouble) lost / (gdouble) (received + lost) : 0.0;
  receiver->received_before += received;
  receiver->lost_before += lost;
  receiver->stats_time = now;
}

static LmccTime
next_silence (const LmccReceiver *receiver)
{
  if (receiver->config.timeout == 0)
    return LMCC_TIME_NONE;

  return MAX (receiver->last_any, receiver->timeout_posted)
      + receiver->config.timeout;
}

static const gchar *
find_reason_to_leave (LmccReceiver *receiver, LmccTime now)
{
  const LmccLayerStats lowest = lmcc_receiver_sum_lowest_level (receiver);

  if (!receiver->config.no_circuit_breaker
      && lmcc_circuit_breaker_update (&receiver->breaker, now, &lowest))
    /* xgettext:no-c-format */
    return N_ ("more than 10 % of the base layer was lost for 10 s or longer, "
               "with no other layer left to leave: the path cannot carry even "
               "the base layer, or the network still forwards layers that were "
               "left; leaving all groups (RFC 8085 section 4.1)");

  return lmcc_receiver_poll_reason_to_leave (receiver, now);
}

/* Ends the reception if the path cannot carry even the base layer. */
static gboolean
check_breaker (LmccReceiver *receiver, LmccTime now)
{
  const gchar *reason = find_reason_to_leave (receiver, now);

  if (reason == NULL)
    return FALSE;
  /* A sender that never sent what it announced cannot end a reception. */
  if (!lmcc_receiver_believes_source (receiver, now)) {
    lmcc_receiver_reset_breaker (receiver, now);
    lmcc_receiver_give_up_source (receiver,
        N_ ("most of what the sender announced never arrived"), now);
    return FALSE;
  }

  lmcc_receiver_stop (receiver, now);
  lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_CIRCUIT_BREAKER)
      ->reason = reason;

  return TRUE;
}

/* Ends the reception together with the session. */
static gboolean
check_end (LmccReceiver *receiver, LmccTime now)
{
  const gchar *reason = lmcc_receiver_has_ended (receiver, now);
  LmccReceiverAction *action;

  if (reason == NULL)
    return FALSE;
  lmcc_receiver_stop (receiver, now);
  action = lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_END);
  action->reason = reason;
  action->previous = receiver->source;

  return TRUE;
}

static void
run_controller (LmccReceiver *receiver, LmccTime now)
{
  lmcc_receiver_tell_timeout (receiver, now);
  lmcc_receiver_send_reports (receiver, now);
  lmcc_receiver_update_level (receiver, now);
}

/* A loss in one layer may have shortened the reordering wait of all. */
static void
settle_due (LmccReceiver *receiver, LmccTime now)
{
  gboolean any;

  do {
    LmccLayerSet held = receiver->held;
    guint i;

    any = FALSE;
    while (lmcc_layer_set_take (&held, &i)) {
      LmccLayerAccount *account = receiver->layers[i]->account;

      if (lmcc_layer_account_next_timeout (account) > now)
        continue;
      lmcc_layer_account_timeout (account, now);
      lmcc_receiver_settle (receiver, i, now);
      any = TRUE;
    }
  } while (any);
}

/**
 * lmcc_receiver_handle_timeout:
 * @receiver: a receiver
 * @now: the time
 *
 * Does whatever is due; the call may be early or late.
 */
void
lmcc_receiver_handle_timeout (LmccReceiver *receiver, LmccTime now)
{
  LmccLayerSet held = receiver->held;
  guint i;

  if (!receiver->running)
    return;

  lmcc_receiver_begin_call (receiver, now);
  while (lmcc_layer_set_take (&held, &i)) {
    lmcc_probation_timeout (&receiver->layers[i]->probation, now);
    lmcc_receiver_take_believed (receiver, i, now);
    lmcc_layer_account_timeout (receiver->layers[i]->account, now);
    lmcc_receiver_settle (receiver, i, now);
  }
  settle_due (receiver, now);
  lmcc_receiver_pump (receiver, now);
  if (check_end (receiver, now))
    return;

  if (receiver->have_session && !receiver->source_gone
      && now >= receiver->last_heard + LMCC_SOURCE_TIMEOUT) {
    lmcc_receiver_source_is_gone (receiver, LMCC_REASON_SILENCE, now);
  }
  if (now >= receiver->sources.check_at)
    lmcc_receiver_choose_source (receiver, now);
  if (now >= next_silence (receiver)) {
    receiver->timeout_posted = now;
    lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_TIMEOUT);
  }
  if (now >= lmcc_receiver_next_unheard (receiver))
    lmcc_receiver_post_unheard (receiver, now);
  if (now >= receiver->stats_time + STATS_INTERVAL) {
    lmcc_receiver_update_memory (receiver, now - receiver->stats_time, now);
    update_rates (receiver, now);
    lmcc_receiver_forget_left_layers (receiver, now);
    if (receiver->have_session)
      lmcc_receiver_measure_silence (receiver, now);
    if (check_breaker (receiver, now))
      return;
    lmcc_receiver_tell_quality (receiver, now);
    lmcc_receiver_update_level (receiver, now);
  }
  lmcc_receiver_rejoin_silent (receiver, now);
  lmcc_receiver_handle_rtt (receiver, now);
  lmcc_receiver_handle_slot (receiver, now);
  run_controller (receiver, now);
  /* A change of level may have made packets due. */
  lmcc_receiver_pump (receiver, now);
  lmcc_receiver_handle_key_requests (receiver, now);
}

/**
 * lmcc_receiver_next_timeout:
 * @receiver: a receiver
 *
 * Returns the time of the next call of lmcc_receiver_handle_timeout().
 *
 * Returns: when lmcc_receiver_handle_timeout() has something to do: the time of
 * the last call if that left work undone, or %LMCC_TIME_NONE if the receiver is
 * not running
 */
LmccTime
lmcc_receiver_next_timeout (const LmccReceiver *receiver)
{
  LmccTime next = receiver->stats_time + STATS_INTERVAL;
  LmccLayerSet held = receiver->held;
  guint i;

  if (!receiver->running)
    return LMCC_TIME_NONE;
  if (receiver->allowance.behind || receiver->leaving != 0
      || !lmcc_discard_is_empty (&receiver->discard))
    next = MIN (next, receiver->now);

  while (lmcc_layer_set_take (&held, &i)) {
    next = MIN (next,
        lmcc_layer_account_next_timeout (receiver->layers[i]->account));
    next = MIN (next,
        lmcc_probation_next_timeout (&receiver->layers[i]->probation));
    next =
        MIN (next, lmcc_waiting_queue_next_due (&receiver->layers[i]->waiting));
  }
  next = MIN (next, lmcc_merge_next_timeout (receiver->merge));
  next = MIN (next, lmcc_gate_next_timeout (receiver->gate));
  next = MIN (next, lmcc_receiver_next_rung_switch (receiver));
  next = MIN (next, lmcc_receiver_next_rejoin (receiver));
  next = MIN (next, next_silence (receiver));
  next = MIN (next, lmcc_receiver_next_unheard (receiver));
  next = MIN (next, lmcc_receiver_next_end (receiver));
  if (receiver->have_session && !receiver->source_gone)
    next = MIN (next, receiver->last_heard + LMCC_SOURCE_TIMEOUT);
  next = MIN (next, receiver->sources.check_at);
  next = MIN (next, lmcc_receiver_next_controller_timeout (receiver));
  next = MIN (next, lmcc_receiver_next_slot (receiver));
  next = MIN (next, lmcc_receiver_next_rtt (receiver));
  next = MIN (next, lmcc_receiver_next_key_request (receiver));

  return next;
}

/**
 * lmcc_receiver_start:
 * @receiver: a receiver that is not running
 * @now: the time
 *
 * Joins the base group and waits for a sender.
 */
void
lmcc_receiver_start (LmccReceiver *receiver, LmccTime now)
{
  if (receiver->running)
    return;

  receiver->running = TRUE;
  receiver->started_at = now;
  receiver->stats_time = now;
  receiver->last_any = now;
  receiver->timeout_posted = now;
  receiver->delivery.any = FALSE;
  lmcc_receiver_begin_call (receiver, now);
  lmcc_receiver_init_sources (receiver, now);
  lmcc_receiver_reset_breaker (receiver, now);
  lmcc_receiver_join (receiver, 0, now);
  lmcc_receiver_post_waiting (receiver, N_ ("no sender heard yet"), now);
}

/**
 * lmcc_receiver_stop:
 * @receiver: a receiver
 * @now: the time
 *
 * Leaves all groups and forgets the sender. The counters stay.
 */
void
lmcc_receiver_stop (LmccReceiver *receiver, LmccTime now)
{
  if (!receiver->running)
    return;

  if (lmcc_receiver_tell_leave (receiver))
    lmcc_receiver_send_reports (receiver, now);
  lmcc_receiver_forget_source (receiver, "stopped", now);
  lmcc_receiver_clear_sources (receiver);
  lmcc_receiver_leave (receiver, 0, now);
  lmcc_receiver_free_layers (receiver);
  lmcc_discard_clear (&receiver->discard);
  receiver->running = FALSE;
}

/**
 * lmcc_receiver_set_max_level:
 * @receiver: a receiver
 * @max_level: highest level to join from now on, -1 for no limit
 * @now: the time
 *
 * Changes the limit on the level.
 */
void
lmcc_receiver_set_max_level (LmccReceiver *receiver, gint max_level,
    LmccTime now)
{
  lmcc_receiver_begin_call (receiver, now);
  receiver->config.max_level = max_level;
  lmcc_receiver_update_level (receiver, now);
  lmcc_receiver_pump (receiver, now);
}

/**
 * lmcc_receiver_set_max_bitrate:
 * @receiver: a receiver
 * @max_bitrate: maximum total bitrate of the joined layers from now on, bit/s,
 *     0 for no limit. The base layer stays joined whatever its rate.
 * @now: the time
 *
 * Changes the limit on the bitrate.
 */
void
lmcc_receiver_set_max_bitrate (LmccReceiver *receiver, guint64 max_bitrate,
    LmccTime now)
{
  lmcc_receiver_begin_call (receiver, now);
  receiver->config.max_bitrate = max_bitrate;
  lmcc_receiver_update_level (receiver, now);
  lmcc_receiver_pump (receiver, now);
}

/**
 * lmcc_receiver_set_on_loss:
 * @receiver: a receiver
 * @on_loss: what to deliver after a loss, from now on
 *
 * Changes the behaviour after a packet loss.
 */
void
lmcc_receiver_set_on_loss (LmccReceiver *receiver, LmccOnLoss on_loss)
{
  lmcc_gate_set_on_loss (receiver->gate, on_loss);
}

/**
 * lmcc_receiver_get_session:
 * @receiver: a receiver
 *
 * Returns the present session, which belongs to the receiver and may change
 * with each call.
 *
 * Returns: (transfer none) (nullable): the session, or %NULL while none is
 * known
 */
const LmccSession *
lmcc_receiver_get_session (const LmccReceiver *receiver)
{
  return receiver->have_session ? &receiver->session : NULL;
}

/**
 * lmcc_receiver_get_stats:
 * @receiver: a receiver
 * @now: the time
 * @stats: (out): the counters
 *
 * Fills in the counters and the present state.
 */
void
lmcc_receiver_get_stats (LmccReceiver *receiver, LmccTime now,
    LmccReceiverStats *stats)
{
  LmccLossReport losses;
  guint i;

  *stats = receiver->stats;
  stats->lost = 0;
  for (i = 0; i < LMCC_MAX_LAYERS; i++) {
    stats->layers[i] = *lmcc_receiver_get_layer_stats (receiver, i);
    if (receiver->layers[i] != NULL)
      stats->layer_bitrate[i] = receiver->layers[i]->rate;
    stats->lost += stats->layers[i].lost;
  }
  stats->drops[LMCC_DROP_LATE] += lmcc_merge_get_late (receiver->merge);
  stats->level = receiver->level;
  stats->join_lead =
      receiver->membership.slots != NULL ? receiver->membership.join_lead : 0;
  stats->rung = lmcc_gate_get_rung (receiver->gate);
  stats->gate = *lmcc_gate_get_stats (receiver->gate);
  lmcc_receiver_get_controller_stats (receiver, now, stats);
  lmcc_receiver_get_rtt_stats (receiver, stats);
  stats->reordering_window = lmcc_reordering_get_window (&receiver->reordering);
  lmcc_receiver_get_repair_stats (receiver, stats);
  if (receiver->link_loss != NULL
      && lmcc_link_loss_get (receiver->link_loss, now, &losses)) {
    stats->link_loss_rate = losses.loss_rate;
    stats->link_burst = losses.burst;
  }
  lmcc_receiver_get_memory_stats (receiver, stats);
}
