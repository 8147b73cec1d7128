/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a layer lacks: which packets its losses were, whether repair may give
 * them back, and what is given up.
 */
#include "receiver/missing.h"
#include "receiver/private.h"
#include "wire/constants.h"

/* Whether the session has repair. */
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

/* The class of a packet that nobody has seen, where its layer has but one. */
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
 * @carrier: the layer that it came in
 * @payload: (out): what it says
 *
 * Returns: whether it is well-formed, of a stream of the session, and where its
 *     layer is held of a block that has repair in @carrier
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

/* A layer sends its part of the repair of one block after the other, in the
 * order of index: no more of a block comes there after its last packet, nor
 * after one of another block; and nothing of blocks of a stream before one of
 * it. */
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
 * Learns from the packets that wait, and have none missing before them that may
 * still come by itself, what was lost.
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

/* Of packets that are known: what is hopeless stays so. */
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
 * @waiting: a packet of it whose turn it is otherwise
 *
 * Returns: whether a media packet may be missing before it that repair may give
 *     back
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
 * @waiting: a packet that leaves for the merge
 *
 * What is missing before it is waited for no longer.
 *
 * Returns: how many of the missing packets are known to be no media: filler, or
 *     repair
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
 * @header: of a recovered packet that left for the merge
 * @in_time: whether the merge had not passed its place
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
 * @header: of a recovered packet whose place has passed
 *
 * It was counted as beyond repair when its place was given up.
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
