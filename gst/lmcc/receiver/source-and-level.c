/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/actions.h"
#include "receiver/algorithm.h"
#include "receiver/door.h"
#include "receiver/ending.h"
#include "receiver/join-notices.h"
#include "receiver/layer-queue.h"
#include "receiver/layer.h"
#include "receiver/membership.h"
#include "receiver/memory.h"
#include "receiver/private.h"
#include "receiver/rates.h"
#include "receiver/reports.h"
#include "receiver/rung-switch.h"
#include "receiver/source-and-level.h"

#include <string.h>

static void
set_merge_layers (LmccReceiver *receiver, LmccLayerSet layers)
{
  receiver->merge_layers = layers;
  lmcc_merge_drop_layers (receiver->merge, layers);
  lmcc_gate_set_layers (receiver->gate, layers);
}

static LmccLayerSet
get_left (const LmccReceiver *receiver)
{
  return receiver->merge_layers & ~receiver->held;
}

/**
 * lmcc_receiver_follow_merge:
 * @receiver: a receiver
 *
 * For the gate, a layer that was left ends at the last packet received of it,
 * or of a higher layer that was left and may depend on it.
 */
void
lmcc_receiver_follow_merge (LmccReceiver *receiver)
{
  LmccLayerSet left = get_left (receiver), leaving = receiver->leaving;
  LmccLayerSet waiting;
  guint i;
  gint highest;

  if (left == 0)
    return;
  highest = lmcc_merge_get_highest (receiver->merge, left);
  if (lmcc_layer_set_take_highest (&leaving, &i))
    highest = MAX (highest, (gint) i);
  waiting = lmcc_layer_set_first ((guint) (highest + 1));
  if ((left & ~waiting) != 0)
    set_merge_layers (receiver, receiver->held | (left & waiting));
}

static void
drop_leaving (LmccReceiver *receiver)
{
  LmccLayerSet leaving = receiver->leaving;
  guint i;

  while (lmcc_layer_set_take (&leaving, &i))
    lmcc_receiver_layer_reset (receiver, receiver->layers[i]);
  receiver->leaving = 0;
}

/**
 * lmcc_receiver_drop_left_layers:
 * @receiver: a receiver
 *
 * Passes on nothing more of the layers that were left.
 */
void
lmcc_receiver_drop_left_layers (LmccReceiver *receiver)
{
  drop_leaving (receiver);
  if (get_left (receiver) != 0)
    set_merge_layers (receiver, receiver->held);
}

/**
 * lmcc_receiver_flush_left_layers:
 * @receiver: a receiver
 *
 * Passes on waiting packets of the layers that were left, as many as one call
 * may.
 */
void
lmcc_receiver_flush_left_layers (LmccReceiver *receiver)
{
  LmccLayerSet leaving = receiver->leaving;
  guint i;

  if (leaving == 0)
    return;
  while (lmcc_layer_set_take (&leaving, &i)) {
    if (!lmcc_receiver_flush_waiting (receiver, receiver->layers[i]))
      continue;
    lmcc_receiver_layer_reset (receiver, receiver->layers[i]);
    receiver->leaving &= ~((LmccLayerSet) 1 << i);
  }
  lmcc_merge_leave_layers (receiver->merge, receiver->held | receiver->leaving);
  lmcc_receiver_follow_merge (receiver);
}

/* Waiting packets of layers that are not in @layers are still passed on. */
static void
end_layers (LmccReceiver *receiver, LmccLayerSet layers)
{
  LmccLayerSet left = receiver->held & ~layers;
  guint i;

  while (lmcc_layer_set_take (&left, &i)) {
    if (layers != 0) {
      lmcc_receiver_take_rest (receiver, i);
      lmcc_receiver_layer_end (receiver->layers[i]);
      receiver->leaving |= (LmccLayerSet) 1 << i;
    } else {
      lmcc_receiver_layer_reset (receiver, receiver->layers[i]);
    }
  }
  if (layers == 0) {
    drop_leaving (receiver);
    lmcc_merge_drop_layers (receiver->merge, 0);
  }
}

static void
set_layers (LmccReceiver *receiver, LmccLayerSet layers, LmccTime now)
{
  LmccLayerSet from = receiver->held;
  gboolean joins = (layers & ~from) != 0;

  /* A layer that is joined again starts anew. */
  if (joins)
    lmcc_receiver_drop_left_layers (receiver);
  end_layers (receiver, layers);
  lmcc_receiver_make_layers (receiver, layers, now);
  receiver->held = layers;
  lmcc_receiver_change_groups (receiver, from, now);
  lmcc_repair_decoder_set_held (receiver->repair, layers);
  if (joins)
    set_merge_layers (receiver, receiver->merge_layers | layers);
  lmcc_receiver_flush_left_layers (receiver);
  lmcc_receiver_follow_merge (receiver);
}

/* The base group is never left while the receiver runs, because the session
 * record arrives on it. */
static void
set_level (LmccReceiver *receiver, gint level, const gchar *reason,
    LmccTime now)
{
  LmccReceiverAction *action;
  LmccLayerSet layers = lmcc_receiver_find_layers (receiver, level, now);
  gint from = receiver->level;

  if (level == from && layers == receiver->held)
    return;
  receiver->level = level;
  lmcc_circuit_breaker_set_level (&receiver->breaker, now, level);
  set_layers (receiver, layers, now);
  if (level == from)
    return;

  action = lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_LEVEL);
  action->from = from;
  action->to = level;
  action->reason = reason;
  if (receiver->session.slot == 0 && receiver->link_loss != NULL)
    lmcc_link_loss_disturb (receiver->link_loss, now);
  lmcc_receiver_tell_level (receiver, now);
}

static gint
highest_within_bitrate (const LmccReceiver *receiver)
{
  gint n = (gint) lmcc_session_count_levels (&receiver->session), level;
  LmccLayerSet below = 0;
  guint64 rate = 0;

  if (receiver->config.max_bitrate == 0)
    return G_MAXINT;
  for (level = 0; level < n; level++) {
    LmccLayerSet layers = lmcc_session_level_layers (&receiver->session, level);

    rate += lmcc_receiver_get_layers_rate (receiver, layers & ~below);
    rate -= lmcc_receiver_get_layers_rate (receiver, below & ~layers);
    if (rate > receiver->config.max_bitrate)
      return MAX (level - 1, 0);
    below = layers;
  }

  return G_MAXINT;
}

/* The highest permitted level, whatever the algorithm wants, and the reason
 * for the limit. */
static gint
find_cap (const LmccReceiver *receiver, const gchar **reason)
{
  gint cap = (gint) lmcc_session_count_levels (&receiver->session) - 1;
  gint other;

  *reason = "all layers of the session";
  if (receiver->config.max_level >= 0 && receiver->config.max_level < cap) {
    cap = receiver->config.max_level;
    *reason = "max-level";
  }
  other = highest_within_bitrate (receiver);
  if (other < cap) {
    cap = other;
    *reason = "max-bitrate";
  }
  other = lmcc_receiver_get_memory_level (receiver);
  if (other < cap) {
    cap = other;
    *reason = "max-memory: the next layer did not fit into the memory limit";
  }
  if (receiver->membership.no_layering) {
    cap = 0;
    *reason = "the session's turning groups are invalid";
  }

  return MAX (cap, 0);
}

void
lmcc_receiver_update_level (LmccReceiver *receiver, LmccTime now)
{
  const gchar *reason;
  gint level, cap;

  if (!receiver->running || !receiver->have_session)
    return;

  level = cap = find_cap (receiver, &reason);
  if (receiver->controller->wanted_level <= cap) {
    level = receiver->controller->wanted_level;
    reason = receiver->controller->reason;
  }
  level = lmcc_receiver_postpone_level (receiver, MAX (level, 0), cap, &reason,
      now);

  set_level (receiver, level, reason, now);
  lmcc_receiver_update_groups (receiver, now);
  lmcc_receiver_share_join (receiver, now);
}

void
lmcc_receiver_forget_source (LmccReceiver *receiver, const gchar *reason,
    LmccTime now)
{
  guint i;

  set_level (receiver, -1, reason, now);
  lmcc_receiver_reset_rung_switch (receiver);
  for (i = 0; i < LMCC_MAX_LAYERS; i++) {
    if (receiver->layers[i] == NULL)
      continue;
    lmcc_receiver_layer_reset (receiver, receiver->layers[i]);
    receiver->layers[i]->smoothed_rate = 0;
    lmcc_receiver_forget_measure (receiver->layers[i]);
  }
  receiver->reordering = (LmccReordering){ 0 };
  receiver->latest_order.known = FALSE;
  lmcc_receiver_clear_layering (receiver);
  lmcc_merge_reset (receiver->merge);
  lmcc_gate_reset (receiver->gate);
  lmcc_repair_decoder_reset (receiver->repair);
  lmcc_clock_reset (receiver->clock);
  receiver->sound.any = FALSE;
  lmcc_receiver_reset_memory (receiver);
  lmcc_receiver_forget_rtt (receiver);
  lmcc_receiver_forget_key_requests (receiver);
  lmcc_record_assembler_reset (receiver->assembler);
  receiver->have_session = FALSE;
  receiver->goodbye.said = FALSE;
  lmcc_receiver_update_learning (receiver);
}

/* A change that a controller cannot follow, so that it must be replaced. */
static gboolean
needs_new_controller (const LmccSession *old, const LmccSession *session)
{
  return !g_str_equal (old->algorithm, session->algorithm)
      || !g_str_equal (old->base_algorithm, session->base_algorithm)
      || old->slot != session->slot
      || old->slot_modulus != session->slot_modulus
      || old->turning_groups != session->turning_groups
      || old->silent_groups != session->silent_groups
      || (session->turning_groups > 0 && old->n_layers != session->n_layers);
}

/* Whether layers carry different contents, or levels consist of different
 * layers. */
static gboolean
has_other_layers (const LmccSession *old, const LmccSession *session)
{
  return old->version != session->version
      || memcmp (old->level_layers, session->level_layers,
             sizeof (old->level_layers))
      != 0;
}

/*
 * lmcc_receiver_reset_breaker:
 * @receiver: a receiver that starts, or whose lowest level has changed
 * @now: the time
 */
void
lmcc_receiver_reset_breaker (LmccReceiver *receiver, LmccTime now)
{
  const LmccLayerStats lowest = lmcc_receiver_sum_lowest_level (receiver);

  lmcc_circuit_breaker_reset (&receiver->breaker, now, receiver->level,
      &lowest);
}

/* The only place that sets the session. */
gboolean
lmcc_receiver_take_session (LmccReceiver *receiver, const LmccSession *session,
    LmccTime now)
{
  gboolean new_controller = !receiver->have_session
      || needs_new_controller (&receiver->session, session);
  gboolean other_lowest;
  gint top;

  if (!lmcc_receiver_admits (receiver, session))
    return FALSE;
  if (new_controller && receiver->membership.slots != NULL)
    set_level (receiver, -1, "the groups carry other layers now", now);
  if (new_controller || has_other_layers (&receiver->session, session))
    lmcc_receiver_reset_rung_switch (receiver);
  other_lowest = lmcc_session_level_layers (&receiver->session, 0)
      != lmcc_session_level_layers (session, 0);
  receiver->session = *session;
  /* Whatever the base layer was in another session, it has no place in the
   * order now. */
  if (lmcc_session_base_is_thin (session))
    lmcc_merge_drop_layers (receiver->merge,
        receiver->merge_layers & ~LMCC_LAYER_SET_BASE);
  if (other_lowest)
    lmcc_receiver_reset_breaker (receiver, now);
  lmcc_receiver_reckon_rates (receiver, now);
  receiver->session_is_old = FALSE;
  receiver->have_older = FALSE;
  receiver->have_session = TRUE;
  lmcc_gate_set_session (receiver->gate, session);
  lmcc_repair_decoder_set_session (receiver->repair, session);
  if (new_controller) {
    lmcc_receiver_take_layering (receiver);
    lmcc_receiver_create_controller (receiver, now);
  } else {
    lmcc_receiver_tell_session (receiver, now);
  }
  lmcc_receiver_update_learning (receiver);
  lmcc_receiver_follow_session_rtt (receiver, now);
  lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_SESSION);

  /* Layers that the new table lacks are given up first. */
  top = (gint) lmcc_session_count_levels (session) - 1;
  if (receiver->level > top)
    set_level (receiver, top, "the layer table shrank", now);
  lmcc_receiver_update_level (receiver, now);

  return TRUE;
}

gboolean
lmcc_receiver_source_allowed (const LmccReceiver *receiver,
    const LmccAddress *source)
{
  return receiver->config.source.family == LMCC_FAMILY_NONE
      || lmcc_address_equal (&receiver->config.source, source);
}

gboolean
lmcc_receiver_is_own_source (const LmccReceiver *receiver,
    const LmccAddress *source, guint32 ssrc)
{
  return receiver->have_session
      && lmcc_address_equal (&receiver->source, source)
      && (ssrc & LMCC_SSRC_BASE_MASK) == receiver->session.ssrc_base;
}

void
lmcc_receiver_heard_source (LmccReceiver *receiver, LmccTime now)
{
  if (receiver->source_gone)
    receiver->heard_since = now;
  receiver->last_heard = now;
  receiver->source_gone = FALSE;
  lmcc_receiver_doubt_goodbye (receiver, now);
  receiver->waiting_since = LMCC_TIME_NONE;
}
