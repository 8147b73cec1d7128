/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The losses of a layer: which packets were lost, whether repair may recover
 * them, and which are given up.
 */
#include "receiver/missing.h"
#include "receiver/private.h"
#include "wire/constants.h"

/* Whether the session has repair data. */
gboolean
lmcc_receiver_has_repair (const LmccReceiver *receiver)
{
  return receiver->session.repair > 0;
}

static LmccRepairClassStats *
class_stats (LmccReceiver *receiver, guint klass)
{
  return &receiver->stats.repair.classes[MIN (klass, LMCC_CLASS_MIXED)];
}

/* The class of a packet that was never received, if its layer carries a
 * single class. */
static guint
hole_class (const LmccReceiver *receiver, guint layer)
{
  return receiver->session.native && layer < receiver->session.n_layers
      ? receiver->session.layers[layer].klass
      : LMCC_CLASS_MIXED;
}

/**
 * lmcc_receiver_parse_repair:
 * @receiver: a receiver
 * @packet: a repair packet
 * @rtp: its parsed RTP header
 * @carrier: the layer that the packet arrived in
 * @payload: (out): the parsed repair payload
 *
 * Returns: %FALSE if the payload is malformed or names no stream of the
 * session, or if it protects a joined layer and its block has no repair data in
 * @carrier
 */
gboolean
lmcc_receiver_parse_repair (const LmccReceiver *receiver,
    const LmccPacket *packet, const LmccRtp *rtp, guint carrier,
    LmccRepairPayload *payload)
{
  guint layer, stream;

  if (!lmcc_repair_payload_parse (packet->data + rtp->header_size,
          rtp->payload_size, payload))
    return FALSE;
  layer = payload->source & LMCC_SSRC_LAYER_MASK;
  stream = payload->source >> LMCC_SSRC_STREAM_SHIFT;

  return layer < receiver->session.n_layers
      && (stream < receiver->session.n_rungs || stream == LMCC_STREAM_SOUND)
      && (!lmcc_layer_set_has (receiver->held, layer)
          || lmcc_layer_set_has ((LmccLayerSet) payload->carriers << layer,
              carrier));
}

/* A layer sends its share of the repair data of one block after the other,
 * in the order of the index. After the last packet of a block, or a packet
 * of another block, no more packets of the first block follow; after a
 * packet of a block, nothing follows of earlier blocks of the stream. */
static void
note_repair (LmccReceiver *receiver, LmccReceiverLayer *layer,
    const LmccReceiverWaiting *waiting)
{
  LmccRepairDecoder *decoder = receiver->repair;
  guint number = waiting->header.layer;
  LmccRepairPayload payload;

  if (!lmcc_receiver_parse_repair (receiver, waiting->packet, &waiting->rtp,
          number, &payload))
    return;
  if (!layer->repair_begun || layer->repair_source != payload.source
      || layer->repair_first != payload.first) {
    if (layer->repair_begun)
      lmcc_repair_decoder_end_part (decoder, number, layer->repair_source,
          layer->repair_first);
    lmcc_repair_decoder_end_before (decoder, number, payload.source,
        payload.first);
  }
  layer->repair_begun = TRUE;
  layer->repair_source = payload.source;
  layer->repair_first = payload.first;
  if (payload.index + 1 == payload.end)
    lmcc_repair_decoder_end_part (decoder, number, payload.source,
        payload.first);
}

static void
note (LmccReceiver *receiver, LmccReceiverLayer *layer,
    LmccReceiverWaiting *waiting)
{
  if (waiting->noted)
    return;
  waiting->noted = TRUE;
  lmcc_layer_holes_note (&layer->holes, waiting->header.lsn,
      lmcc_slot_of (&waiting->header), waiting->rtp.sequence);
  if (waiting->header.type == LMCC_PACKET_REPAIR
      && lmcc_receiver_has_repair (receiver))
    note_repair (receiver, layer, waiting);
}

/**
 * lmcc_receiver_note_settled:
 * @receiver: a receiver
 * @layer: one of its layers
 *
 * Learns which packets were lost from the waiting packets that have no packet
 * before them that may still arrive by itself.
 */
void
lmcc_receiver_note_settled (LmccReceiver *receiver, LmccReceiverLayer *layer)
{
  LmccReceiverWaiting *waiting = lmcc_waiting_queue_peek_tail (&layer->waiting);

  while (waiting != NULL && !waiting->noted)
    waiting = lmcc_waiting_previous (waiting);
  waiting = waiting != NULL ? lmcc_waiting_next (waiting)
                            : lmcc_waiting_queue_peek_head (&layer->waiting);
  for (; waiting != NULL; waiting = lmcc_waiting_next (waiting)) {
    if (!lmcc_layer_account_settled (layer->account, waiting->header.lsn))
      return;
    note (receiver, layer, waiting);
  }
}

/* For packets of known streams, a hopeless packet stays so. */
static gboolean
all_hopeless (LmccReceiver *receiver, guint layer, LmccHole *hole)
{
  guint stream = (guint) g_bit_nth_lsf (hole->possible, -1);

  while (hole->n_hopeless < hole->n
      && lmcc_repair_decoder_is_hopeless (receiver->repair,
          (guint16) (stream << LMCC_SSRC_STREAM_SHIFT | layer),
          (guint16) (hole->sequence + hole->n_hopeless)))
    hole->n_hopeless++;

  return hole->n_hopeless == hole->n;
}

static gboolean
hole_is_open (LmccReceiver *receiver, guint layer, LmccHole *hole)
{
  guint changes;

  if (!lmcc_hole_may_be_media (hole) || hole->hopeless)
    return FALSE;
  if (!hole->known)
    return TRUE;
  changes = lmcc_repair_decoder_get_changes (receiver->repair);
  if (hole->asked == changes)
    return TRUE;
  hole->asked = changes;
  hole->hopeless = all_hopeless (receiver, layer, hole);

  return !hole->hopeless;
}

/**
 * lmcc_receiver_awaits_repair:
 * @receiver: a receiver
 * @layer: one of its layers
 * @waiting: a packet of @layer whose turn it would be
 *
 * Returns: whether a media packet is possibly missing before it that repair may
 * recover
 */
gboolean
lmcc_receiver_awaits_repair (LmccReceiver *receiver, LmccReceiverLayer *layer,
    const LmccReceiverWaiting *waiting)
{
  guint i;

  if (!lmcc_receiver_has_repair (receiver))
    return FALSE;
  for (i = 0; i < layer->holes.holes->len; i++) {
    LmccHole *hole = &g_array_index (layer->holes.holes, LmccHole, i);

    if (lmcc_sequence_diff (hole->lsn, waiting->header.lsn) >= 0)
      return FALSE;
    if (hole_is_open (receiver, waiting->header.layer, hole))
      return TRUE;
  }

  return FALSE;
}

static void
remember_given_up (LmccReceiverLayer *layer, const LmccHole *hole)
{
  guint i;

  if (layer->given_up == NULL)
    layer->given_up = g_new (guint16, LMCC_GIVEN_UP);
  for (i = hole->n - MIN (hole->n, LMCC_GIVEN_UP); i < hole->n; i++)
    layer->given_up[layer->n_given_up++ % LMCC_GIVEN_UP] =
        (guint16) (hole->lsn + i);
}

static gboolean
was_given_up (LmccReceiverLayer *layer, guint16 lsn)
{
  guint n = MIN (layer->n_given_up, LMCC_GIVEN_UP);
  guint i;

  for (i = 0; i < n; i++) {
    if (layer->given_up[i] == lsn)
      return TRUE;
  }

  return FALSE;
}

/**
 * lmcc_receiver_give_up_before:
 * @receiver: a receiver
 * @layer: one of its layers
 * @waiting: a packet that goes to the merge
 *
 * Stops waiting for the packets missing before it.
 *
 * Returns: how many of the missing packets are known to be filler or repair
 * data
 */
guint
lmcc_receiver_give_up_before (LmccReceiver *receiver, LmccReceiverLayer *layer,
    LmccReceiverWaiting *waiting)
{
  LmccHole *hole;
  guint n = 0;

  note (receiver, layer, waiting);
  while ((hole = lmcc_layer_holes_first (&layer->holes)) != NULL
      && lmcc_sequence_diff (hole->lsn, waiting->header.lsn) < 0) {
    if (lmcc_hole_may_be_media (hole)) {
      LmccRepairClassStats *stats =
          class_stats (receiver, hole_class (receiver, waiting->header.layer));

      stats->lost += hole->n;
      stats->beyond_repair += hole->n;
      remember_given_up (layer, hole);
    } else if (lmcc_layer_holes_know_media (&layer->holes)) {
      n += hole->n;
    }
    lmcc_layer_holes_drop_first (&layer->holes);
  }

  return n;
}

/**
 * lmcc_receiver_count_recovered:
 * @receiver: a receiver
 * @header: header element of a recovered packet that went to the merge
 * @in_time: whether its place in the merge had not passed yet
 */
void
lmcc_receiver_count_recovered (LmccReceiver *receiver, const LmccHeader *header,
    gboolean in_time)
{
  LmccRepairClassStats *stats = class_stats (receiver, header->klass);

  stats->lost++;
  if (in_time)
    stats->repaired++;
  else
    stats->late++;
}

/*
 * lmcc_receiver_count_late:
 * @receiver: a receiver
 * @layer: one of its layers
 * @header: header element of a recovered packet whose place has passed
 *
 * The packet was counted as beyond repair when its place was given up.
 */
void
lmcc_receiver_count_late (LmccReceiver *receiver, LmccReceiverLayer *layer,
    const LmccHeader *header)
{
  LmccRepairClassStats *guessed =
      class_stats (receiver, hole_class (receiver, header->layer));
  LmccRepairClassStats *stats = class_stats (receiver, header->klass);

  if (!was_given_up (layer, header->lsn))
    return;
  guessed->lost--;
  guessed->beyond_repair--;
  stats->lost++;
  stats->late++;
}
