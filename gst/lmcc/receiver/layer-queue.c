/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packets of a layer wait here for earlier ones until these have arrived,
 * are lost beyond repair, or their deadline has passed. Then they go to the
 * merge.
 */
#include "receiver/actions.h"
#include "receiver/algorithm.h"
#include "receiver/layer-queue.h"
#include "receiver/missing.h"
#include "receiver/private.h"
#include "receiver/sound.h"
#include "receiver/times.h"

/* Greatest distance from the first waiting packet to the last: far below
 * half of the number range, within which the order of two numbers is
 * defined. */
#define MAX_SPAN 16384

/**
 * lmcc_receiver_find_waiting:
 * @layer: a layer
 * @header: header element of a packet
 * @order: (out): the packet's order number according to its neighbours,
 *     extended beyond 2^16
 * @fits: (out): whether it lies between those of its neighbours
 *
 * Returns: whether a packet with this layer sequence number already waits
 */
gboolean
lmcc_receiver_find_waiting (LmccReceiverLayer *layer, const LmccHeader *header,
    gint64 *order, gboolean *fits)
{
  const LmccReceiverWaiting *before =
      lmcc_waiting_queue_find_before (&layer->waiting, header->lsn);
  const LmccReceiverWaiting *after = before != NULL
      ? lmcc_waiting_next (before)
      : lmcc_waiting_queue_peek_head (&layer->waiting);

  *order = lmcc_order_near (before != NULL ? before->order
          : after != NULL                  ? after->order
                                           : layer->mark.order,
      header->osn);
  *fits = (before == NULL || before->order <= *order)
      && (after == NULL || *order <= after->order);

  return before != NULL && before->header.lsn == header->lsn;
}

/**
 * lmcc_receiver_add_waiting:
 * @receiver: a receiver
 * @layer: one of its layers
 * @waiting: (transfer full): a packet of @layer that is not in the queue yet
 */
void
lmcc_receiver_add_waiting (LmccReceiver *receiver, LmccReceiverLayer *layer,
    LmccReceiverWaiting *waiting)
{
  waiting->deadline = LMCC_TIME_NONE;
  if (receiver->session.repair > 0)
    waiting->deadline = lmcc_receiver_release_deadline (receiver, &waiting->rtp,
        &waiting->header);
  lmcc_waiting_queue_add (&layer->waiting, waiting);
}

/*
 * lmcc_receiver_queue_packet:
 * @receiver: a receiver
 * @layer: one of its layers
 * @packet: (transfer full): a packet of @layer
 * @rtp: its parsed RTP header
 * @header: its header element
 */
void
lmcc_receiver_queue_packet (LmccReceiver *receiver, LmccReceiverLayer *layer,
    LmccPacket *packet, const LmccRtp *rtp, const LmccHeader *header)
{
  LmccReceiverWaiting *waiting;
  gboolean fits;
  gint64 order;

  /* It was repaired before it arrived. */
  if (lmcc_receiver_find_waiting (layer, header, &order, &fits)) {
    lmcc_receiver_drop (receiver, LMCC_DROP_DUPLICATE);
    lmcc_packet_unref (packet);
    return;
  }
  waiting = lmcc_waiting_queue_new_waiting (&layer->waiting);
  waiting->packet = packet;
  waiting->rtp = *rtp;
  waiting->header = *header;
  waiting->order =
      lmcc_receiver_extend_order (receiver, &layer->mark, rtp, header);
  lmcc_receiver_add_waiting (receiver, layer, waiting);
}

/* Nothing more arrives of a layer: its packets wait only for their place in
 * the order. */
void
lmcc_receiver_take_rest (LmccReceiver *receiver, guint index)
{
  LmccReceiverLayer *layer = receiver->layers[index];
  LmccVerdict verdict;
  LmccClaim claim;

  lmcc_probation_flush (&layer->probation);
  while (lmcc_probation_poll (&layer->probation, &claim, &verdict))
    lmcc_receiver_queue_packet (receiver, layer, claim.packet, &claim.rtp,
        &claim.header);
}

static void
push_to_merge (LmccReceiver *receiver, LmccReceiverLayer *layer,
    LmccReceiverWaiting *waiting)
{
  guint lost = layer->lost_before;
  guint64 late = lmcc_merge_get_late (receiver->merge);
  guint no_media;

  if (layer->merged_any) {
    gint ahead = lmcc_sequence_diff (waiting->header.lsn, layer->merged_lsn);

    /* Its place was given up when the waiting packets were flushed. */
    if (ahead <= 0) {
      lmcc_receiver_drop (receiver, LMCC_DROP_LATE);
      lmcc_packet_unref (waiting->packet);
      lmcc_waiting_queue_take_back (&layer->waiting, waiting);
      return;
    }
    lost = (guint) ahead - 1;
  } else {
    lmcc_gate_layer_begins (receiver->gate, waiting->header.layer,
        waiting->order);
  }
  no_media = lmcc_receiver_give_up_before (receiver, layer, waiting);
  lost -= MIN (lost, no_media);
  if (lmcc_receiver_timeline (&waiting->header) == LMCC_TIMELINE_SOUND)
    lmcc_receiver_take_sound (receiver, waiting->packet, &waiting->rtp,
        &waiting->header);
  layer->lost_before = 0;
  layer->merged_any = TRUE;
  layer->merged_lsn = waiting->header.lsn;
  /* A base layer without video has no place in the order of pictures. */
  if (waiting->header.layer == 0
      && lmcc_session_base_is_thin (&receiver->session))
    lmcc_packet_unref (waiting->packet);
  else
    lmcc_merge_push (receiver->merge, waiting->packet, &waiting->rtp,
        &waiting->header, waiting->order,
        lmcc_receiver_release_deadline (receiver, &waiting->rtp,
            &waiting->header),
        lost);
  if (waiting->recovered)
    lmcc_receiver_count_recovered (receiver, &waiting->header,
        lmcc_merge_get_late (receiver->merge) == late);
  lmcc_waiting_queue_take_back (&layer->waiting, waiting);
}

static void
push_head (LmccReceiver *receiver, LmccReceiverLayer *layer)
{
  push_to_merge (receiver, layer,
      lmcc_waiting_queue_pop_head (&layer->waiting));
}

static gboolean
may_settle (LmccReceiver *receiver)
{
  return lmcc_receiver_may_go_on (receiver, LMCC_RECEIVER_STAGE_SETTLE);
}

/**
 * lmcc_receiver_flush_before:
 * @receiver: a receiver
 * @order: order number of a packet that is due now, extended beyond 2^16
 *
 * Passes on all earlier packets that have arrived, whatever is missing between
 * them. Packets missing after it may still be repaired.
 *
 * Returns: whether all of them were passed on in this call
 */
gboolean
lmcc_receiver_flush_before (LmccReceiver *receiver, gint64 order)
{
  LmccReceiverWaiting *waiting;
  LmccLayerSet layers = receiver->held | receiver->leaving;
  guint i;

  while (lmcc_layer_set_take (&layers, &i)) {
    LmccReceiverLayer *layer = receiver->layers[i];

    while ((waiting = lmcc_waiting_queue_peek_head (&layer->waiting)) != NULL
        && waiting->order <= order) {
      if (!may_settle (receiver))
        return FALSE;
      push_head (receiver, layer);
    }
  }

  return TRUE;
}

/**
 * lmcc_receiver_flush_waiting:
 * @receiver: a receiver
 * @layer: one of its layers, of which nothing more arrives
 *
 * Passes on its packets, as many as one call may.
 *
 * Returns: whether all of them were passed on
 */
gboolean
lmcc_receiver_flush_waiting (LmccReceiver *receiver, LmccReceiverLayer *layer)
{
  while (lmcc_waiting_queue_get_length (&layer->waiting) > 0) {
    if (!may_settle (receiver))
      return FALSE;
    push_head (receiver, layer);
  }

  return TRUE;
}

/*
 * lmcc_receiver_let_go_waiting:
 * @receiver: a receiver whose memory limit is reached
 *
 * Passes on all packets that have arrived, as many as one call may.
 */
void
lmcc_receiver_let_go_waiting (LmccReceiver *receiver)
{
  LmccLayerSet held = receiver->held;
  guint i;

  while (lmcc_layer_set_take (&held, &i)) {
    if (!lmcc_receiver_flush_waiting (receiver, receiver->layers[i]))
      return;
  }
  receiver->memory.lets_go = FALSE;
}

static gboolean
may_go (LmccReceiver *receiver, LmccReceiverLayer *layer,
    const LmccReceiverWaiting *waiting)
{
  if (layer->merged_any
      && lmcc_sequence_diff (waiting->header.lsn, layer->merged_lsn) <= 1)
    return TRUE;
  if (!lmcc_layer_account_settled (layer->account, waiting->header.lsn))
    return FALSE;

  return lmcc_waiting_queue_get_length (&layer->waiting) > LMCC_MERGE_MAX_QUEUE
      || lmcc_waiting_queue_get_span (&layer->waiting) > MAX_SPAN
      || !lmcc_receiver_awaits_repair (receiver, layer, waiting);
}

/* Packets before a packet that is due are passed on with it. */
static void
push_due (LmccReceiver *receiver, LmccReceiverLayer *layer, LmccTime now)
{
  while (lmcc_waiting_queue_next_due (&layer->waiting) <= now) {
    const LmccReceiverWaiting *due =
        lmcc_waiting_queue_peek_due (&layer->waiting);

    gboolean is_due;

    do {
      if (!may_settle (receiver))
        return;
      is_due = lmcc_waiting_queue_peek_head (&layer->waiting) == due;
      push_head (receiver, layer);
    } while (!is_due);
  }
}

static void
report_losses (LmccReceiver *receiver, guint index, LmccTime now)
{
  LmccLayerAccount *account = receiver->layers[index]->account;
  LmccLoss loss;

  while (lmcc_layer_account_poll_loss (account, &loss)) {
    if (receiver->link_loss != NULL)
      lmcc_link_loss_lose (receiver->link_loss, &loss);
    lmcc_receiver_tell_loss (receiver, now, index, &loss);
  }
}

/**
 * lmcc_receiver_settle:
 * @receiver: a receiver
 * @index: index of a layer
 * @now: the time
 *
 * Passes on the packets of the layer that need not wait for earlier ones any
 * longer, as many as one call may, and reports losses to the controller,
 * repaired or not.
 */
void
lmcc_receiver_settle (LmccReceiver *receiver, guint index, LmccTime now)
{
  LmccReceiverLayer *layer = receiver->layers[index];
  LmccReceiverWaiting *waiting;

  lmcc_receiver_note_settled (receiver, layer);
  push_due (receiver, layer, now);
  while ((waiting = lmcc_waiting_queue_peek_head (&layer->waiting)) != NULL
      && may_go (receiver, layer, waiting) && may_settle (receiver))
    push_head (receiver, layer);
  report_losses (receiver, index, now);
}
