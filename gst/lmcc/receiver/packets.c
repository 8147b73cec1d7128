/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/private.h"
#include "wire/algorithm-element.h"
#include "wire/rtp.h"

/* What of the latency is kept for the decoder: the merge gives packets out so
 * long before their pictures are due. */
#define DECODE_RESERVE (50 * LMCC_MSECOND)

/* Presentation times further than this from the send time are not believed. */
#define PRESENTATION_RANGE (30 * (gint64) LMCC_SECOND)

/* A gap in the delivered sequence numbers is at most this, so that a long
 * outage does not look like a new stream (RFC 3550 appendix A.1,
 * MAX_DROPOUT). */
#define MAX_DELIVERED_GAP 100

void
lmcc_receiver_layer_reset (LmccReceiverLayer * layer)
{
  lmcc_layer_account_reset (layer->account);
  lmcc_probation_reset (&layer->probation);
  lmcc_waiting_queue_reset (&layer->waiting);
  lmcc_layer_holes_reset (&layer->holes);
  layer->n_given_up = 0;
  layer->repair_begun = FALSE;
  layer->merged_any = FALSE;
  layer->lost_before = 0;
}

static gboolean
ssrc_fits (const LmccSession * session, const LmccRtp * rtp,
    const LmccHeader * header)
{
  switch (header->type) {
    case LMCC_PACKET_MEDIA:
      return rtp->ssrc == lmcc_session_ssrc (session, header->stream,
          header->layer);
    case LMCC_PACKET_REPAIR:
      return rtp->ssrc == lmcc_session_repair_ssrc (session, header->layer);
    default:
      return rtp->ssrc == session->ssrc_base + LMCC_SSRC_FILLER + header->layer;
  }
}

static gboolean
payload_type_fits (const LmccSession * session, const LmccRtp * rtp,
    const LmccHeader * header)
{
  switch (header->type) {
    case LMCC_PACKET_MEDIA:
      return rtp->payload_type == session->payload_type + header->stream;
    case LMCC_PACKET_REPAIR:
      return rtp->payload_type == session->repair_payload_type;
    default:
      return rtp->payload_type == session->filler_payload_type;
  }
}

/*
 * lmcc_receiver_packet_fits:
 * @session: a session
 * @rtp: a packet's RTP header
 * @header: its element
 *
 * Returns: whether the packet can be one of @session
 */
gboolean
lmcc_receiver_packet_fits (const LmccSession * session, const LmccRtp * rtp,
    const LmccHeader * header)
{
  return ssrc_fits (session, rtp, header)
      && payload_type_fits (session, rtp, header);
}

/* When the packets that precede this one have all been sent, or their repair.
 * Native layers are sent side by side. Those of fixed rates are each at another
 * place of the window: what precedes a picture is sent within the window after
 * it is due. */
static LmccTime
sent_up_to (const LmccReceiver * receiver, const LmccRtp * rtp,
    const LmccHeader * header)
{
  LmccTime sent = lmcc_clock_send_to_local (receiver->clock, header->send_time);
  LmccTimeline timeline = lmcc_receiver_timeline (header);
  LmccTime window = receiver->session.window;
  LmccTime shown;

  if (receiver->session.native)
    return sent;
  if (!lmcc_clock_has_mapping (receiver->clock, timeline))
    return sent + window;
  shown = lmcc_clock_rtp_to_local (receiver->clock, timeline, rtp->timestamp);

  return CLAMP (shown + window, sent, sent + window);
}

/**
 * lmcc_receiver_release_deadline:
 * @receiver: a receiver
 * @rtp: a packet's RTP header
 * @header: its element
 *
 * Returns: when the packet is given out, whatever is missing before it
 */
LmccTime
lmcc_receiver_release_deadline (const LmccReceiver * receiver,
    const LmccRtp * rtp, const LmccHeader * header)
{
  LmccTime latency = receiver->config.latency;

  return sent_up_to (receiver, rtp, header) + receiver->session.repair_delay +
      latency - MIN (latency / 4, DECODE_RESERVE);
}

/* The time of an RTP timestamp; a mapping that puts it far from when its packet
 * was sent is replaced by a guess. */
LmccTime
lmcc_receiver_presentation_time (LmccReceiver * receiver,
    LmccTimeline timeline, const LmccRtp * rtp, const LmccHeader * header)
{
  LmccTime sent = lmcc_clock_send_to_local (receiver->clock, header->send_time);
  LmccTime time;

  if (lmcc_clock_has_mapping (receiver->clock, timeline)) {
    time = lmcc_clock_rtp_to_local (receiver->clock, timeline, rtp->timestamp);
    if (ABS ((gint64) (time - sent)) <= PRESENTATION_RANGE)
      return time;
  }
  lmcc_clock_guess_mapping (receiver->clock, timeline, header->send_time,
      rtp->timestamp, lmcc_receiver_clock_rate (receiver, timeline));

  return sent;
}

/* By how much the sequence numbers jump that are given out. */
guint
lmcc_receiver_count_gap (guint lost)
{
  return 1 + MIN (lost, MAX_DELIVERED_GAP);
}

/* All pictures that are hidden at once have times within this. */
#define HIDDEN_SPAN (20 * LMCC_USECOND)

/* Stock decoders (GstVideoDecoder) do not let times go back: they give such
 * pictures the time of the one before, which may be shown, and from then on the
 * smallest time that waits instead of their own. So pictures that are decoded
 * again have times between the latest picture shown and the segment. */
static void
begin_hiding (LmccReceiver * receiver)
{
  LmccReceiverAction *action =
      lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_SEGMENT);

  receiver->hidden_since = receiver->latest_time + 1;
  receiver->latest_time = receiver->hidden_since + HIDDEN_SPAN;
  action->time = receiver->latest_time + 1;
}

static LmccTime
hidden_time (const LmccReceiver * receiver, const LmccGateOutput * output)
{
  gint64 all = (gint32) (output->hidden_until - output->hidden_from);
  gint64 part = (gint32) (output->rtp.timestamp - output->hidden_from);

  if (all <= 0)
    return receiver->hidden_since;

  return receiver->hidden_since +
      (LmccTime) (CLAMP (part, 0, all) * (gint64) HIDDEN_SPAN / all);
}

static void
deliver (LmccReceiver * receiver, LmccGateOutput * output, LmccTime now)
{
  LmccTime time = lmcc_receiver_presentation_time (receiver,
      LMCC_TIMELINE_VIDEO, &output->rtp, &output->header);
  LmccReceiverAction *action;

  if (output->segment)
    begin_hiding (receiver);
  if (output->newest)
    receiver->latest_time = time;
  if (output->catch_up)
    time = hidden_time (receiver, output);

  receiver->sequence += lmcc_receiver_count_gap (output->lost);
  action = lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_DELIVER);
  action->packet = lmcc_receiver_count_packet (receiver,
      lmcc_rtp_strip (output->packet, &output->rtp,
          receiver->session.payload_type, receiver->session.ssrc_base,
          receiver->sequence, output->unit_end));
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

/* A packet that must go out may still be preceded by one that waits. */
static gboolean
pop_merged (LmccReceiver * receiver, LmccTime now, LmccMergeItem * item)
{
  guint16 osn;

  if (lmcc_merge_peek (receiver->merge, &osn) <= now)
    lmcc_receiver_flush_before (receiver, osn);

  return lmcc_merge_pop (receiver->merge, now, item);
}

/* Layers to merge, merge to gate, gate to actions. */
void
lmcc_receiver_pump (LmccReceiver * receiver, LmccTime now)
{
  LmccMergeItem item;
  LmccGateOutput output;

  while (pop_merged (receiver, now, &item)) {
    lmcc_gate_push (receiver->gate, &item, item.packet != NULL ?
        lmcc_receiver_release_deadline (receiver, &item.rtp, &item.header)
        : now);
    lmcc_receiver_follow_merge (receiver);
  }
  lmcc_gate_timeout (receiver->gate, now);

  while (lmcc_gate_pop (receiver->gate, &output))
    deliver (receiver, &output, now);
}

/* Takes over @packet. */
static void
queue_packet (LmccReceiver * receiver, LmccReceiverLayer * layer,
    LmccPacket * packet, const LmccRtp * rtp, const LmccHeader * header)
{
  LmccReceiverWaiting *waiting;
  gboolean fits;

  /* It was repaired before it came. */
  if (lmcc_receiver_find_waiting (layer, header, &fits)) {
    lmcc_receiver_drop (receiver, LMCC_DROP_DUPLICATE);
    lmcc_packet_unref (packet);
    return;
  }
  waiting = g_new0 (LmccReceiverWaiting, 1);
  waiting->packet = packet;
  waiting->rtp = *rtp;
  waiting->header = *header;
  lmcc_receiver_add_waiting (receiver, layer, waiting);
}

/* @after_gap: packets of the same layer are missing before it */
static void
note_heard (LmccReceiver * receiver, guint index, const LmccHeader * header,
    gboolean after_gap, LmccTime now, LmccTime arrival)
{
  LmccReceiverGroup *group = &receiver->groups[index];

  group->last_packet = now;
  if (group->heard)
    return;
  group->heard = TRUE;
  receiver->stats.join_to_packet =
      arrival > group->joined_at ? arrival - group->joined_at : 0;
  if (group->ahead)
    lmcc_receiver_measure_join (receiver, now, group, header, after_gap);
  else
    lmcc_receiver_join_rtt (receiver, now, header->layer, arrival,
        group->joined_at);
}

static void
refuse (LmccReceiver * receiver, LmccDrop why, LmccPacket * packet,
    const LmccHeader * header, LmccTime now)
{
  lmcc_receiver_drop (receiver, why);
  lmcc_receiver_tell_refused_packet (receiver, now, header);
  lmcc_packet_unref (packet);
}

static void
take_packet (LmccReceiver * receiver, LmccTime now, LmccTime arrival,
    guint group, LmccPacket * packet, const LmccRtp * rtp,
    const LmccHeader * header)
{
  LmccReceiverLayer *layer = &receiver->layers[header->layer];
  gsize size = packet->size
      + lmcc_address_get_udp_overhead (&receiver->config.address);
  LmccArrival kind;

  lmcc_receiver_expect_packets (receiver, now, arrival, header);
  kind = lmcc_layer_account_packet (layer->account, arrival, header->lsn, size);
  note_heard (receiver, group, header, kind == LMCC_ARRIVAL_AFTER_GAP, now,
      arrival);
  receiver->stats.packets++;
  receiver->stats.bytes += size;
  lmcc_receiver_measure_packet (receiver, header->layer, now);

  switch (kind) {
    case LMCC_ARRIVAL_DUPLICATE:
      refuse (receiver, LMCC_DROP_DUPLICATE, packet, header, now);
      return;
    case LMCC_ARRIVAL_LATE:
      if (!lmcc_receiver_take_late (receiver, packet, rtp, header, now)) {
        refuse (receiver, LMCC_DROP_LATE, packet, header, now);
        return;
      }
      lmcc_receiver_tell_refused_packet (receiver, now, header);
      lmcc_packet_unref (packet);
      return;
    case LMCC_ARRIVAL_SUSPECT:
      refuse (receiver, LMCC_DROP_SUSPECT, packet, header, now);
      return;
    case LMCC_ARRIVAL_RESTART:
      lmcc_waiting_queue_reset (&layer->waiting);
      lmcc_layer_holes_reset (&layer->holes);
      if (layer->merged_any)
        layer->lost_before = LMCC_MAX_GAP;
      layer->merged_any = FALSE;
      break;
    default:
      break;
  }

  lmcc_clock_packet (receiver->clock, arrival, header->send_time);
  lmcc_receiver_packet_rtt (receiver, now, arrival, header);
  lmcc_packet_ref (packet);
  queue_packet (receiver, layer, packet, rtp, header);
  lmcc_receiver_packet_slot (receiver, arrival, header);
  lmcc_receiver_tell_packet (receiver, now, arrival, rtp, header, size);
  lmcc_receiver_keep_for_repair (receiver, packet, rtp, header, now);
  lmcc_receiver_settle (receiver, header->layer, now);
  lmcc_packet_unref (packet);
}

/* Numbers begin anew with a packet. Where it goes on from what left for the
 * merge, what waits behind was not true, and nothing is missing. */
static void
restart_layer (LmccReceiver * receiver, const LmccClaim * claim, LmccTime now)
{
  LmccReceiverLayer *layer = &receiver->layers[claim->header.layer];
  guint16 lsn = claim->header.lsn;

  lmcc_layer_account_restart (layer->account, lsn, claim->arrival);
  lmcc_receiver_tell_expected (receiver, now, claim->header.layer, lsn,
      claim->arrival, claim->header.slot);
  lmcc_waiting_queue_reset (&layer->waiting);
  lmcc_layer_holes_reset (&layer->holes);
  if (!layer->merged_any || layer->merged_lsn == (guint16) (lsn - 1))
    return;
  layer->lost_before = LMCC_MAX_GAP;
  layer->merged_any = FALSE;
}

/* Takes what was decided upon in a layer. */
void
lmcc_receiver_take_believed (LmccReceiver * receiver, guint index, LmccTime now)
{
  LmccReceiverLayer *layer = &receiver->layers[index];
  LmccVerdict verdict;
  LmccClaim claim;

  while (lmcc_probation_poll (&layer->probation, &claim, &verdict)) {
    if (verdict == LMCC_VERDICT_REFUSED) {
      refuse (receiver, LMCC_DROP_SUSPECT, claim.packet, &claim.header, now);
      continue;
    }
    if (verdict == LMCC_VERDICT_RESTART)
      restart_layer (receiver, &claim, now);
    take_packet (receiver, now, claim.arrival, claim.group, claim.packet,
        &claim.rtp, &claim.header);
  }
}

/* Nothing more comes of a layer: what came of it waits for its place only. */
void
lmcc_receiver_take_rest (LmccReceiver * receiver, guint index)
{
  LmccReceiverLayer *layer = &receiver->layers[index];
  LmccVerdict verdict;
  LmccClaim claim;

  lmcc_probation_flush (&layer->probation);
  while (lmcc_probation_poll (&layer->probation, &claim, &verdict))
    queue_packet (receiver, layer, claim.packet, &claim.rtp, &claim.header);
}

static void
judge_packet (LmccReceiver * receiver, LmccTime now, LmccTime arrival,
    guint group, LmccPacket * packet, const LmccRtp * rtp,
    const LmccHeader * header)
{
  LmccClaim claim = {.packet = packet,.rtp = *rtp,.header = *header,.group =
        group,.arrival = arrival
  };

  if (!lmcc_probation_push (&receiver->layers[header->layer].probation, &claim)) {
    note_heard (receiver, group, header, TRUE, now, arrival);
    lmcc_receiver_tell_waiting_packet (receiver, now, header->layer);
  }
  lmcc_probation_timeout (&receiver->layers[header->layer].probation, now);
  lmcc_receiver_take_believed (receiver, header->layer, now);
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
  else if (lmcc_header_parse (rtp->element, rtp->element_size, header)) {
    header->has_up_levels = lmcc_synchronized_parse (rtp->second,
        rtp->second_size, header->top_layer, &header->up_levels);
    header->place = (gint8) lmcc_place_parse (rtp->second, rtp->second_size);
    return TRUE;
  }
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

  if (!receiver->have_sdp
      || lmcc_receiver_is_own_source (receiver, source, ssrc)
      || !lmcc_receiver_may_take_address (receiver, source, now))
    return;
  session.ssrc_base = ssrc & LMCC_SSRC_BASE_MASK;
  if (lmcc_receiver_adopt (receiver, source, &session,
          "media came of the session that the description tells of", now))
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
  else if (!ssrc_fits (&receiver->session, rtp, header))
    why = LMCC_DROP_FOREIGN_SSRC;
  else if (!payload_type_fits (&receiver->session, rtp, header))
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
  if (lmcc_receiver_group_layer (receiver, header->slot, group) !=
      header->layer) {
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

  packet = lmcc_packet_take_counted (packet, receiver->memory.count);
  receiver->any_media = TRUE;
  receiver->now = now;
  if (receiver->running)
    lmcc_receiver_rival_packet (receiver, now, group, source, packet);
  if (!receiver->running || !check_packet (receiver, now, group, source,
          packet, &rtp, &header)) {
    lmcc_packet_unref (packet);
    return;
  }

  lmcc_receiver_heard_source (receiver, now);
  lmcc_receiver_own_packet (receiver, now, group, &header, packet->size);
  receiver->last_any = now;
  lmcc_receiver_check_leave (receiver, group, now);
  /* A group that was just left may still hand over what it had queued, and one
   * that was joined for the next slot carries a higher layer in this one. */
  if ((gint) header.layer > receiver->level) {
    if (receiver->groups[group].joined)
      note_heard (receiver, group, &header, FALSE, now, arrival);
    lmcc_receiver_tell_left_packet (receiver, now, arrival, header.layer);
    lmcc_packet_unref (packet);
    return;
  }
  if (!lmcc_receiver_admit (receiver, packet, now)
      || (gint) header.layer > receiver->level) {
    lmcc_packet_unref (packet);
    return;
  }
  judge_packet (receiver, now, arrival, group, packet, &rtp, &header);
  lmcc_receiver_send_reports (receiver, now);
  lmcc_receiver_update_level (receiver, now);
  lmcc_receiver_pump (receiver, now);
}
