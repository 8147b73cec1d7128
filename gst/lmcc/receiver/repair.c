/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Repair: a lost packet may be recovered before its deadline. Congestion
 * control has already counted it as lost and is not told about the repair.
 */
#include "receiver/layer-queue.h"
#include "receiver/missing.h"
#include "receiver/private.h"
#include "receiver/repair.h"
#include "wire/constants.h"

/* Whether the layer has lost a packet with this number and nothing has
 * replaced it. After a join in the middle, nothing before the first packet
 * is lost. */
static gboolean
is_missing (LmccReceiverLayer *layer, const LmccHeader *header)
{
  gint ahead = lmcc_sequence_diff (header->lsn, layer->holes.highest);

  if (!layer->holes.started || ahead > LMCC_MAX_GAP)
    return FALSE;

  return ahead > 0
      || lmcc_layer_holes_find (&layer->holes, header->lsn) != NULL;
}

/* Puts a packet that counts as lost into its place among the waiting ones.
 * Returns whether the place was still open. */
static gboolean
fill (LmccReceiver *receiver, const LmccRepairedPacket *repaired,
    gboolean recovered)
{
  const LmccHeader *header = &repaired->header;
  LmccReceiverLayer *layer = receiver->layers[header->layer];
  LmccReceiverWaiting *waiting;
  gboolean fits;
  gint64 order;

  if (lmcc_receiver_find_waiting (layer, header, &order, &fits)
      || !is_missing (layer, header) || !fits)
    return FALSE;

  waiting = lmcc_waiting_queue_new_waiting (&layer->waiting);
  waiting->packet = lmcc_packet_ref (repaired->packet);
  waiting->rtp = repaired->rtp;
  waiting->header = *header;
  waiting->order = order;
  waiting->recovered = recovered;
  waiting->noted = lmcc_sequence_diff (header->lsn, layer->holes.highest) < 0;
  if (waiting->noted)
    lmcc_layer_holes_fill (&layer->holes, header->lsn, lmcc_slot_of (header),
        repaired->rtp.sequence);
  lmcc_receiver_add_waiting (receiver, layer, waiting);

  return TRUE;
}

static void
take_recovered (LmccReceiver *receiver, const LmccRepairedPacket *repaired)
{
  const LmccHeader *header = &repaired->header;
  LmccReceiverLayer *layer = receiver->layers[header->layer];

  if (!lmcc_layer_set_has (receiver->held, header->layer) || !layer->merged_any)
    return;
  if (lmcc_sequence_diff (header->lsn, layer->merged_lsn) <= 0)
    lmcc_receiver_count_late (receiver, layer, header);
  else if (!fill (receiver, repaired, TRUE))
    receiver->stats.repair.invalid++;
}

/* How long received packets may be useful for repair. */
static LmccTime
memory (const LmccReceiver *receiver)
{
  return receiver->session.window + receiver->session.repair_delay
      + receiver->config.latency;
}

/* @ended: a block may have become hopeless */
static void
take_all_recovered (LmccReceiver *receiver, gboolean ended, LmccTime now)
{
  LmccLayerSet held = receiver->held;
  LmccRepairedPacket repaired;
  guint i;

  while (lmcc_repair_decoder_poll (receiver->repair, &repaired)) {
    repaired.packet =
        lmcc_packet_take_counted (repaired.packet, receiver->memory.count);
    take_recovered (receiver, &repaired);
    lmcc_packet_unref (repaired.packet);
    ended = TRUE;
  }
  if (!ended)
    return;
  /* A block may belong to a lower layer than its repair data. */
  while (lmcc_layer_set_take_highest (&held, &i)) {
    if (lmcc_waiting_queue_get_length (&receiver->layers[i]->waiting) > 0)
      lmcc_receiver_settle (receiver, i, now);
  }
}

static void
take_repair (LmccReceiver *receiver, LmccPacket *packet, const LmccRtp *rtp,
    guint carrier, LmccTime now)
{
  LmccRepairPayload payload;

  receiver->stats.repair.received++;
  if (!lmcc_receiver_parse_repair (receiver, packet, rtp, carrier, &payload))
    receiver->stats.repair.invalid++;
  else if (lmcc_layer_set_has (receiver->held,
               payload.source & LMCC_SSRC_LAYER_MASK))
    lmcc_repair_decoder_take_repair (receiver->repair, &payload, packet, now);
}

/**
 * lmcc_receiver_keep_for_repair:
 * @receiver: a receiver
 * @packet: an arrived packet
 * @rtp: its parsed RTP header
 * @header: its element
 * @now: the time
 *
 * Keeps media packets as input for the repair decoder, and takes repair
 * packets.
 */
void
lmcc_receiver_keep_for_repair (LmccReceiver *receiver, LmccPacket *packet,
    const LmccRtp *rtp, const LmccHeader *header, LmccTime now)
{
  if (!lmcc_receiver_has_repair (receiver)
      || !lmcc_layer_set_has (receiver->held, header->layer))
    return;
  if (now > memory (receiver))
    lmcc_repair_decoder_expire (receiver->repair, now - memory (receiver));
  if (header->type == LMCC_PACKET_MEDIA)
    lmcc_repair_decoder_take_source (receiver->repair,
        (guint16) (rtp->ssrc & ~LMCC_SSRC_BASE_MASK), rtp->sequence, packet,
        now);
  else if (header->type == LMCC_PACKET_REPAIR)
    take_repair (receiver, packet, rtp, header->layer, now);
  take_all_recovered (receiver, header->type == LMCC_PACKET_REPAIR, now);
}

/**
 * lmcc_receiver_take_late:
 * @receiver: a receiver
 * @packet: a packet that arrived after it was counted as lost
 * @rtp: its parsed RTP header
 * @header: its element
 * @now: the time
 *
 * Returns: whether its place was still held open for repair
 */
gboolean
lmcc_receiver_take_late (LmccReceiver *receiver, LmccPacket *packet,
    const LmccRtp *rtp, const LmccHeader *header, LmccTime now)
{
  LmccRepairedPacket late = { packet, *rtp, *header };
  LmccReceiverLayer *layer = receiver->layers[header->layer];
  gboolean wanted;

  if (!lmcc_receiver_has_repair (receiver))
    return FALSE;
  wanted = layer->merged_any
      && lmcc_sequence_diff (header->lsn, layer->merged_lsn) > 0
      && fill (receiver, &late, FALSE);
  lmcc_receiver_keep_for_repair (receiver, packet, rtp, header, now);
  lmcc_receiver_settle (receiver, header->layer, now);

  return wanted;
}

void
lmcc_receiver_get_repair_stats (const LmccReceiver *receiver,
    LmccReceiverStats *stats)
{
  stats->repair.invalid += lmcc_repair_decoder_get_refused (receiver->repair);
}
