/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "lmcc-receiver-private.h"
#include "lmcc-rtp.h"

/* IP and UDP headers, for rates in whole IP packets. */
#define IPV4_OVERHEAD 28
#define IPV6_OVERHEAD 48

/* What of the latency is kept for the decoder: the merge gives packets out so
 * long before their pictures are due. */
#define DECODE_RESERVE (50 * LMCC_MSECOND)

/* Presentation times further than this from the send time are not believed. */
#define PRESENTATION_RANGE (30 * (gint64) LMCC_SECOND)

/* A gap in the delivered sequence numbers is at most this, so that a long
 * outage does not look like a new stream (RFC 3550 appendix A.1,
 * MAX_DROPOUT). */
#define MAX_DELIVERED_GAP 100

static void
waiting_free (LmccReceiverWaiting * waiting)
{
  lmcc_packet_unref (waiting->packet);
  g_free (waiting);
}

void
lmcc_receiver_layer_reset (LmccReceiverLayer * layer)
{
  lmcc_layer_account_reset (layer->account);
  g_queue_clear_full (&layer->waiting, (GDestroyNotify) waiting_free);
  layer->merged_any = FALSE;
  layer->lost_before = 0;
}

static gsize
ip_size (const LmccReceiver * receiver, gsize size)
{
  return size + (receiver->config.address.family == LMCC_FAMILY_IPV6 ?
      IPV6_OVERHEAD : IPV4_OVERHEAD);
}

static gboolean
ssrc_fits (const LmccReceiver * receiver, const LmccRtp * rtp,
    const LmccHeader * header)
{
  guint32 base = receiver->session.ssrc_base;

  switch (header->type) {
    case LMCC_PACKET_MEDIA:
      return rtp->ssrc == lmcc_session_ssrc (&receiver->session,
          header->stream, header->layer);
    case LMCC_PACKET_REPAIR:
      return rtp->ssrc == base + LMCC_SSRC_REPAIR + header->layer;
    default:
      return rtp->ssrc == base + LMCC_SSRC_FILLER + header->layer;
  }
}

static gboolean
payload_type_fits (const LmccReceiver * receiver, const LmccRtp * rtp,
    const LmccHeader * header)
{
  switch (header->type) {
    case LMCC_PACKET_MEDIA:
      return rtp->payload_type == receiver->session.payload_type +
          header->stream;
    case LMCC_PACKET_REPAIR:
      return rtp->payload_type == receiver->session.repair_payload_type;
    default:
      return rtp->payload_type == receiver->session.filler_payload_type;
  }
}

static LmccTime
release_deadline (const LmccReceiver * receiver, const LmccHeader * header)
{
  LmccTime latency = receiver->config.latency;

  return lmcc_clock_send_to_local (receiver->clock, header->send_time) +
      latency - MIN (latency / 4, DECODE_RESERVE);
}

/* The time of an RTP timestamp; a mapping that puts it far from when its packet
 * was sent is replaced by a guess. */
static LmccTime
presentation_time (LmccReceiver * receiver, const LmccGateOutput * output)
{
  LmccTime sent = lmcc_clock_send_to_local (receiver->clock,
      output->header.send_time);
  LmccTime time;

  if (lmcc_clock_has_mapping (receiver->clock)) {
    time = lmcc_clock_rtp_to_local (receiver->clock, output->rtp.timestamp);
    if (ABS ((gint64) (time - sent)) <= PRESENTATION_RANGE)
      return time;
  }
  lmcc_clock_guess_mapping (receiver->clock, output->header.send_time,
      output->rtp.timestamp, receiver->session.video.clock_rate);

  return sent;
}

static void
deliver (LmccReceiver * receiver, LmccGateOutput * output, LmccTime now)
{
  LmccTime time = presentation_time (receiver, output);
  LmccReceiverAction *action;

  if (output->segment) {
    action =
        lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_SEGMENT);
    action->time =
        lmcc_clock_rtp_to_local (receiver->clock, output->shown_until) + 1;
  }

  receiver->sequence += 1 + MIN (output->lost, MAX_DELIVERED_GAP);
  action = lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_DELIVER);
  action->packet = lmcc_rtp_strip (output->packet, &output->rtp,
      receiver->session.payload_type, receiver->session.ssrc_base,
      receiver->sequence, output->unit_end);
  action->time = time;
  action->discont = output->discont;
  action->corrupted = output->corrupted;
  action->unit_start = output->header.first;
  action->catch_up = output->catch_up;
  lmcc_packet_unref (output->packet);

  receiver->stats.delivered++;
  if (!receiver->delivered_any) {
    receiver->delivered_any = TRUE;
    receiver->stats.join_to_picture = now - receiver->started_at;
  }
}

static void
push_to_merge (LmccReceiver * receiver, LmccReceiverLayer * layer,
    LmccReceiverWaiting * waiting)
{
  guint lost = layer->lost_before;

  if (layer->merged_any) {
    gint ahead = lmcc_sequence_diff (waiting->header.lsn, layer->merged_lsn);

    /* Its place was given up when the waiting packets were flushed. */
    if (ahead <= 0) {
      lmcc_receiver_drop (receiver, LMCC_DROP_LATE);
      waiting_free (waiting);
      return;
    }
    lost = (guint) ahead - 1;
  }
  layer->lost_before = 0;
  layer->merged_any = TRUE;
  layer->merged_lsn = waiting->header.lsn;
  lmcc_merge_push (receiver->merge, waiting->packet, &waiting->rtp,
      &waiting->header, release_deadline (receiver, &waiting->header), lost);
  g_free (waiting);
}

/* Called when a packet must go out that may still be preceded by one that
 * waits: hands on all that has come, whatever is missing in between. */
static void
flush_waiting (LmccReceiver * receiver)
{
  LmccReceiverWaiting *waiting;
  gint i;

  for (i = 0; i <= receiver->level; i++) {
    LmccReceiverLayer *layer = &receiver->layers[i];

    while ((waiting = g_queue_pop_head (&layer->waiting)) != NULL)
      push_to_merge (receiver, layer, waiting);
  }
}

/* Layers to merge, merge to gate, gate to actions. */
void
lmcc_receiver_pump (LmccReceiver * receiver, LmccTime now)
{
  LmccMergeItem item;
  LmccGateOutput output;

  if (lmcc_merge_next_timeout (receiver->merge) <= now)
    flush_waiting (receiver);
  while (lmcc_merge_pop (receiver->merge, now, &item))
    lmcc_gate_push (receiver->gate, &item, item.packet != NULL ?
        release_deadline (receiver, &item.header) : now);
  lmcc_gate_timeout (receiver->gate, now);

  while (lmcc_gate_pop (receiver->gate, &output))
    deliver (receiver, &output, now);
}

static void
report_losses (LmccReceiver * receiver, guint index, LmccTime now)
{
  LmccLayerAccount *account = receiver->layers[index].account;
  LmccController *controller = receiver->controller;
  LmccLoss loss;

  while (lmcc_layer_account_poll_loss (account, &loss)) {
    if (controller->on_loss != NULL)
      controller->on_loss (controller, now, index, loss.time, 1);
  }
}

/* Hands on what of layer @index needs to wait no longer for packets before it,
 * and tells the controller what was lost. */
void
lmcc_receiver_settle (LmccReceiver * receiver, guint index, LmccTime now)
{
  LmccReceiverLayer *layer = &receiver->layers[index];
  LmccReceiverWaiting *waiting;

  while ((waiting = g_queue_peek_head (&layer->waiting)) != NULL
      && lmcc_layer_account_settled (layer->account, waiting->header.lsn)) {
    g_queue_pop_head (&layer->waiting);
    push_to_merge (receiver, layer, waiting);
  }
  report_losses (receiver, index, now);
}

static gint
compare_lsn (const LmccReceiverWaiting * a, const LmccReceiverWaiting * b,
    gpointer user_data)
{
  return lmcc_sequence_diff (a->header.lsn, b->header.lsn);
}

static void
queue_packet (LmccReceiverLayer * layer, LmccPacket * packet,
    const LmccRtp * rtp, const LmccHeader * header)
{
  LmccReceiverWaiting *waiting = g_new (LmccReceiverWaiting, 1);

  waiting->packet = packet;
  waiting->rtp = *rtp;
  waiting->header = *header;
  g_queue_insert_sorted (&layer->waiting, waiting,
      (GCompareDataFunc) compare_lsn, NULL);
}

static void
note_heard (LmccReceiver * receiver, guint index, LmccTime now,
    LmccTime arrival)
{
  LmccReceiverGroup *group = &receiver->groups[index];

  if (!group->heard) {
    group->heard = TRUE;
    receiver->stats.join_to_packet =
        arrival > group->joined_at ? arrival - group->joined_at : 0;
  }
  group->last_packet = now;
}

static void
take_packet (LmccReceiver * receiver, LmccTime now, LmccTime arrival,
    LmccPacket * packet, const LmccRtp * rtp, const LmccHeader * header)
{
  LmccReceiverLayer *layer = &receiver->layers[header->layer];
  gsize size = ip_size (receiver, packet->size);

  note_heard (receiver, header->layer, now, arrival);
  receiver->stats.packets++;
  receiver->stats.bytes += size;

  switch (lmcc_layer_account_packet (layer->account, arrival, header->lsn,
          size)) {
    case LMCC_ARRIVAL_DUPLICATE:
      lmcc_receiver_drop (receiver, LMCC_DROP_DUPLICATE);
      lmcc_packet_unref (packet);
      return;
    case LMCC_ARRIVAL_LATE:
      lmcc_receiver_drop (receiver, LMCC_DROP_LATE);
      lmcc_packet_unref (packet);
      return;
    case LMCC_ARRIVAL_SUSPECT:
      lmcc_receiver_drop (receiver, LMCC_DROP_SUSPECT);
      lmcc_packet_unref (packet);
      return;
    case LMCC_ARRIVAL_RESTART:
      g_queue_clear_full (&layer->waiting, (GDestroyNotify) waiting_free);
      if (layer->merged_any)
        layer->lost_before = LMCC_MAX_GAP;
      layer->merged_any = FALSE;
      break;
    default:
      break;
  }

  lmcc_clock_packet (receiver->clock, arrival, header->send_time);
  queue_packet (layer, packet, rtp, header);
  lmcc_receiver_settle (receiver, header->layer, now);
  if (receiver->controller->on_packet != NULL)
    receiver->controller->on_packet (receiver->controller, now, header->layer,
        size);
}

static guint8
element_id (const LmccReceiver * receiver)
{
  if (receiver->have_session)
    return receiver->session.header_id;
  if (receiver->have_sdp)
    return receiver->sdp_session.header_id;

  return LMCC_HEADER_DEFAULT_ID;
}

static gboolean
parse_packet (LmccReceiver * receiver, const LmccPacket * packet,
    LmccRtp * rtp, LmccHeader * header)
{
  LmccDrop why = LMCC_DROP_MALFORMED;

  if (packet->size > LMCC_MAX_PACKET_SIZE)
    why = LMCC_DROP_OVERSIZE;
  else if (!lmcc_rtp_parse (packet->data, packet->size, element_id (receiver),
          rtp))
    why = LMCC_DROP_MALFORMED;
  else if (rtp->element == NULL)
    why = LMCC_DROP_NO_ELEMENT;
  else if (lmcc_header_parse (rtp->element, rtp->element_size, header))
    return TRUE;
  lmcc_receiver_drop (receiver, why);

  return FALSE;
}

/* Whoever sends media is the session's sender where an SDP file told the
 * session and nobody else is heard: its S0 may be another one than when the
 * file was written. */
static void
adopt_by_sdp (LmccReceiver * receiver, const LmccAddress * source,
    guint32 ssrc, LmccTime now)
{
  LmccSession session = receiver->sdp_session;

  if (!receiver->have_sdp || (receiver->have_session && !receiver->source_gone)
      || lmcc_receiver_is_own_source (receiver, source, ssrc))
    return;
  session.ssrc_base = ssrc & LMCC_SSRC_BASE_MASK;
  lmcc_receiver_adopt (receiver, source, &session, now);
  receiver->session_is_old =
      session.ssrc_base != receiver->sdp_session.ssrc_base;
}

/* Whether the packet is of the session and of the sender that is listened
 * to. */
static gboolean
packet_belongs (LmccReceiver * receiver, const LmccAddress * source,
    const LmccRtp * rtp, const LmccHeader * header)
{
  LmccDrop why;

  if (!receiver->have_session)
    why = LMCC_DROP_BEFORE_RECORD;
  else if (!lmcc_address_equal (&receiver->source, source))
    why = LMCC_DROP_FOREIGN_SOURCE;
  else if (!ssrc_fits (receiver, rtp, header))
    why = LMCC_DROP_FOREIGN_SSRC;
  else if (!payload_type_fits (receiver, rtp, header))
    why = LMCC_DROP_UNKNOWN_TYPE;
  else
    return TRUE;
  lmcc_receiver_drop (receiver, why);

  return FALSE;
}

static gboolean
check_packet (LmccReceiver * receiver, LmccTime now, guint group,
    const LmccAddress * source, const LmccPacket * packet, LmccRtp * rtp,
    LmccHeader * header)
{
  if (!parse_packet (receiver, packet, rtp, header))
    return FALSE;
  if (!lmcc_receiver_source_allowed (receiver, source)) {
    lmcc_receiver_drop (receiver, LMCC_DROP_FOREIGN_SOURCE);
    return FALSE;
  }
  if (header->layer != group) {
    lmcc_receiver_drop (receiver, LMCC_DROP_WRONG_LAYER);
    return FALSE;
  }
  adopt_by_sdp (receiver, source, rtp->ssrc, now);

  return packet_belongs (receiver, source, rtp, header);
}

/**
 * lmcc_receiver_handle_packet:
 * @receiver: a running receiver
 * @now: the time
 * @arrival: when the host's network stack got the packet, at most @now
 * @group: index of the group that it came from
 * @source: who sent it
 * @source_port: from which port
 * @packet: (transfer full): the UDP payload
 *
 * Takes one RTP packet. What does not belong to the session is dropped and
 * counted by kind.
 */
void
lmcc_receiver_handle_packet (LmccReceiver * receiver, LmccTime now,
    LmccTime arrival, guint group, const LmccAddress * source,
    guint16 source_port, LmccPacket * packet)
{
  LmccRtp rtp;
  LmccHeader header;

  if (!receiver->running || !check_packet (receiver, now, group, source,
          packet, &rtp, &header)) {
    lmcc_packet_unref (packet);
    return;
  }

  lmcc_receiver_heard_source (receiver, now);
  receiver->last_any = now;
  /* A group that was just left may still hand over what it had queued. */
  if ((gint) header.layer > receiver->level) {
    lmcc_packet_unref (packet);
    return;
  }
  take_packet (receiver, now, arrival, packet, &rtp, &header);
  lmcc_receiver_pump (receiver, now);
}
