/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/gate/gate.h"

#include <gst/lmcc/lmcc-classify.h>
#include "receiver/gate/classes.h"
#include "receiver/gate/private.h"
#include "receiver/gate/rungs.h"

/**
 * lmcc_gate_new:
 * @on_loss: what to deliver after a loss
 *
 * Returns: (transfer full): a closed gate
 */
LmccGate *
lmcc_gate_new (LmccOnLoss on_loss)
{
  LmccGate *gate = g_new0 (LmccGate, 1);

  gate->on_loss = on_loss;
  gate->active = -1;
  gate->key_deadline = LMCC_TIME_NONE;
  lmcc_gate_delivery_init (&gate->delivery);

  return gate;
}

/*
 * lmcc_gate_set_discard:
 * @gate: a gate
 * @discard: (transfer none): takes over packets that the gate drops in large
 *     numbers; must outlive @gate
 */
void
lmcc_gate_set_discard (LmccGate *gate, LmccDiscard *discard)
{
  gate->discard = discard;
}

/**
 * lmcc_gate_reset:
 * @gate: a gate
 *
 * Closes the gate, for a new sender. Packets that were passed on and not popped
 * yet stay.
 */
void
lmcc_gate_reset (LmccGate *gate)
{
  guint i;

  for (i = 0; i < LMCC_MAX_RUNGS; i++) {
    lmcc_gate_history_clear (&gate->rungs[i].history, gate->discard);
    gate->rungs[i] = (LmccGateRung){ 0 };
  }
  g_clear_pointer (&gate->current, lmcc_gate_unit_unref);
  g_clear_pointer (&gate->key, lmcc_gate_unit_unref);
  gate->key_deadline = LMCC_TIME_NONE;
  gate->groups = (LmccGateGroups){ 0 };
  gate->keys = (LmccGateKeys){ 0 };
  gate->active = -1;
  gate->held = 0;
  gate->fresh = 0;
  lmcc_gate_delivery_reset (&gate->delivery);
}

/**
 * lmcc_gate_free:
 * @gate: (transfer full): a gate
 */
void
lmcc_gate_free (LmccGate *gate)
{
  lmcc_gate_reset (gate);
  lmcc_gate_delivery_clear (&gate->delivery);
  g_free (gate);
}

/**
 * lmcc_gate_set_on_loss:
 * @gate: a gate
 * @on_loss: what to deliver after a loss, from now on
 */
void
lmcc_gate_set_on_loss (LmccGate *gate, LmccOnLoss on_loss)
{
  gate->on_loss = on_loss;
}

static void
finish_unit (LmccGate *gate, LmccTime deadline)
{
  LmccGateUnit *unit = g_steal_pointer (&gate->current);

  if (unit == NULL)
    return;
  lmcc_gate_judge_unit (gate, unit, deadline);
  lmcc_gate_unit_unref (unit);
}

static void
push_packet (LmccGate *gate, LmccMergeItem *item, LmccTime deadline)
{
  if (gate->current != NULL && !lmcc_gate_unit_takes (gate->current, item)) {
    lmcc_gate_unit_break (gate->current);
    finish_unit (gate, deadline);
  }
  if (gate->key != NULL && gate->key->timestamp != item->rtp.timestamp)
    lmcc_gate_commit_key (gate);

  if (gate->current == NULL)
    gate->current = lmcc_gate_unit_new (item);
  if (lmcc_gate_unit_add (gate->current, item))
    finish_unit (gate, deadline);
}

/**
 * lmcc_gate_set_session:
 * @gate: a gate
 * @session: the new session
 *
 * If the joined layers carry different contents from now on, the effect is that
 * of lmcc_gate_set_layers().
 */
void
lmcc_gate_set_session (LmccGate *gate, const LmccSession *session)
{
  gate->session = *session;
  gate->codec = lmcc_codec_find (session->video.encoding_name);
  gate->delivery.layered = gate->codec != NULL && gate->codec->n_temporal > 0;
  if (gate->held != 0)
    lmcc_gate_set_layers (gate, gate->held);
}

/* Units that precede a new layer's first one in the order may open classes
 * of which that layer had units that nobody waited for. These classes are
 * closed again at the layer's first unit. */
static void
follow_new_layers (LmccGate *gate, gint64 order)
{
  LmccLayerSet before = gate->fresh, rest = before;
  guint i;

  while (lmcc_layer_set_take (&rest, &i)) {
    if (order >= gate->first_order[i])
      gate->fresh &= ~((LmccLayerSet) 1 << i);
  }
  if (gate->fresh != before && !gate->session.native)
    lmcc_gate_close_mixed_classes (gate);
}

/**
 * lmcc_gate_layer_begins:
 * @gate: a gate
 * @layer: a joined layer whose first packet has arrived
 * @order: order number of that packet, extended beyond 2^16: only packets of
 *     the layer with lower numbers are missing
 */
void
lmcc_gate_layer_begins (LmccGate *gate, guint layer, gint64 order)
{
  gate->fresh |= (LmccLayerSet) 1 << layer;
  gate->first_order[layer] = order;
}

/**
 * lmcc_gate_set_layers:
 * @gate: a gate
 * @held: the joined layers
 *
 * Classes whose layers are no longer joined are closed until their next switch
 * point. If the rung being delivered is no longer complete, a lower one takes
 * over at once.
 */
void
lmcc_gate_set_layers (LmccGate *gate, LmccLayerSet held)
{
  gate->fresh &= held;
  gate->held = held;
  if (!gate->session.native || !lmcc_gate_table_is_known (gate, gate->table))
    lmcc_gate_close_mixed_classes (gate);
  if (gate->session.native)
    lmcc_gate_close_layers (gate);

  if (gate->active >= 0 && !lmcc_gate_rung_is_held (gate, gate->active)) {
    g_clear_pointer (&gate->key, lmcc_gate_unit_unref);
    lmcc_gate_fall_back (gate);
  } else if (gate->key != NULL
      && !lmcc_gate_rung_is_held (gate, gate->key->stream)) {
    lmcc_gate_replace_key (gate);
  }
}

static void
follow_table (LmccGate *gate, guint8 table)
{
  if (table == gate->table)
    return;
  gate->table = table;
  lmcc_gate_close_mixed_classes (gate);
}

/**
 * lmcc_gate_push:
 * @gate: a gate with a session and layers
 * @item: (transfer full): the next output of the merge
 * @deadline: when a key frame is delivered that waits for a better one
 *
 * Packets of streams that are no rungs of the session are dropped.
 */
void
lmcc_gate_push (LmccGate *gate, LmccMergeItem *item, LmccTime deadline)
{
  if (item->packet == NULL) {
    lmcc_gate_judge_hole (gate, item);
  } else if (item->header.stream >= gate->session.n_rungs || gate->held == 0) {
    lmcc_packet_unref (item->packet);
  } else {
    follow_table (gate, item->header.table);
    follow_new_layers (gate, item->order);
    push_packet (gate, item, deadline);
  }
}

/**
 * lmcc_gate_forget_history:
 * @gate: a gate
 *
 * Frees memory: drops the kept units of the highest rung that has any, up to
 * its next key frame. These units are kept in case the decoder has to change to
 * that rung. The units of lower rungs take less memory and serve as a fallback
 * for any higher rung.
 *
 * Returns: %FALSE if nothing was kept
 */
gboolean
lmcc_gate_forget_history (LmccGate *gate)
{
  gint rung;

  for (rung = LMCC_MAX_RUNGS - 1; rung >= 0; rung--) {
    LmccGateHistory *history = &gate->rungs[rung].history;

    if (!g_queue_is_empty (&history->units)) {
      lmcc_gate_history_clear (history, gate->discard);
      return TRUE;
    }
  }

  return FALSE;
}

/**
 * lmcc_gate_flush:
 * @gate: a gate
 *
 * Frees memory: releases what waits for something better or for its end, and
 * gives up the incomplete unit.
 */
void
lmcc_gate_flush (LmccGate *gate)
{
  lmcc_gate_commit_key (gate);
  lmcc_gate_delivery_timeout (&gate->delivery, LMCC_TIME_NONE);
  if (gate->current != NULL)
    lmcc_gate_unit_break (gate->current);
}

/**
 * lmcc_gate_timeout:
 * @gate: a gate
 * @now: the time
 *
 * Releases a key frame that has waited long enough for a better one, and the
 * end of a picture that waited for another layer of it.
 */
void
lmcc_gate_timeout (LmccGate *gate, LmccTime now)
{
  if (gate->key != NULL && gate->key_deadline <= now)
    lmcc_gate_commit_key (gate);
  lmcc_gate_delivery_timeout (&gate->delivery, now);
}

/**
 * lmcc_gate_next_timeout:
 * @gate: a gate
 *
 * Returns: when lmcc_gate_timeout() has something to do, or %LMCC_TIME_NONE
 */
LmccTime
lmcc_gate_next_timeout (const LmccGate *gate)
{
  LmccTime next = lmcc_gate_delivery_next_timeout (&gate->delivery);

  return gate->key != NULL ? MIN (gate->key_deadline, next) : next;
}

/**
 * lmcc_gate_pop:
 * @gate: a gate
 * @output: (out): the next packet to deliver
 *
 * Returns: %FALSE if there is none
 */
gboolean
lmcc_gate_pop (LmccGate *gate, LmccGateOutput *output)
{
  return lmcc_gate_delivery_pop (&gate->delivery, output);
}

/**
 * lmcc_gate_get_rung:
 * @gate: a gate
 *
 * Returns: the rung being delivered, -1 for none
 */
gint
lmcc_gate_get_rung (const LmccGate *gate)
{
  return gate->active;
}

/**
 * lmcc_gate_needs_key:
 * @gate: a gate
 *
 * Returns: whether the decoder has no key frame to begin with, or everything
 * before the next key frame depends on something that is missing
 */
gboolean
lmcc_gate_needs_key (const LmccGate *gate)
{
  return gate->active < 0
      || gate->rungs[gate->active].states[0] != LMCC_GATE_CLASS_INTACT;
}

/**
 * lmcc_gate_get_keys:
 * @gate: a gate
 *
 * Returns: (transfer none): what the gate knows of key frames
 */
const LmccGateKeys *
lmcc_gate_get_keys (const LmccGate *gate)
{
  return &gate->keys;
}

/**
 * lmcc_gate_get_stats:
 * @gate: a gate
 *
 * Returns: (transfer none): its counters
 */
const LmccGateStats *
lmcc_gate_get_stats (const LmccGate *gate)
{
  return &gate->stats;
}
