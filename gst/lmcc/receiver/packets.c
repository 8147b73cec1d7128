/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Input from the session's groups: packets are checked, counted, reported to
 * the algorithm and the other parts, and queued behind earlier packets of
 * their layer.
 */
#include "receiver/actions.h"
#include "receiver/algorithm.h"
#include "receiver/door.h"
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
#include "wire/algorithm-element.h"
#include "wire/rtp.h"

/* @after_gap: packets of the same layer are missing before it */
static void
note_heard (LmccReceiver *receiver, guint index, const LmccHeader *header,
    gboolean after_gap, LmccTime now, LmccTime arrival)
{
  LmccReceiverGroup *group = &receiver->membership.groups[index];

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
refuse (LmccReceiver *receiver, LmccDrop why, LmccPacket *packet,
    const LmccHeader *header, LmccTime now)
{
  lmcc_receiver_drop (receiver, why);
  lmcc_receiver_tell_refused_packet (receiver, now, header);
  lmcc_packet_unref (packet);
}

/* Reports packets to the algorithm that were reported lost and arrived after
 * all. */
static void
report_found (LmccReceiver *receiver, guint index, LmccTime now)
{
  LmccLayerAccount *account = receiver->layers[index]->account;
  LmccLoss loss;
  gint n_runs;

  while (lmcc_layer_account_poll_found (account, &loss, &n_runs)) {
    if (receiver->link_loss != NULL)
      lmcc_link_loss_find (receiver->link_loss, &loss, n_runs);
    lmcc_receiver_tell_found (receiver, now, index, &loss);
  }
}

static void
take_packet (LmccReceiver *receiver, LmccTime now, LmccTime arrival,
    guint group, LmccPacket *packet, const LmccRtp *rtp,
    const LmccHeader *header)
{
  LmccReceiverLayer *layer = receiver->layers[header->layer];
  gsize size =
      packet->size + lmcc_address_get_udp_overhead (&receiver->config.address);
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
      report_found (receiver, header->layer, now);
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
      lmcc_waiting_queue_reset (&layer->waiting, &receiver->discard);
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
  lmcc_receiver_packet_losses (receiver, arrival, header);
  lmcc_receiver_packet_key_requests (receiver, now, header);
  lmcc_packet_ref (packet);
  lmcc_receiver_queue_packet (receiver, layer, packet, rtp, header);
  lmcc_receiver_packet_slot (receiver, arrival, header);
  lmcc_receiver_tell_packet (receiver, now, arrival, rtp, header, size);
  lmcc_receiver_keep_for_repair (receiver, packet, rtp, header, now);
  lmcc_receiver_settle (receiver, header->layer, now);
  lmcc_packet_unref (packet);
}

/* The numbers restart with a packet. If it continues from the packets that
 * went to the merge, the packets waiting after it were forged, and nothing
 * is missing. */
static void
restart_layer (LmccReceiver *receiver, const LmccClaim *claim, LmccTime now)
{
  LmccReceiverLayer *layer = receiver->layers[claim->header.layer];
  guint16 lsn = claim->header.lsn;

  lmcc_layer_account_restart (layer->account, lsn, claim->arrival);
  lmcc_receiver_tell_expected (receiver, now, claim->header.layer, lsn,
      claim->arrival, claim->header.slot);
  lmcc_waiting_queue_reset (&layer->waiting, &receiver->discard);
  lmcc_layer_holes_reset (&layer->holes);
  if (!layer->merged_any || layer->merged_lsn == (guint16) (lsn - 1))
    return;
  layer->lost_before = LMCC_MAX_GAP;
  layer->merged_any = FALSE;
}

/* Takes packets whose probation in a layer is decided. */
void
lmcc_receiver_take_believed (LmccReceiver *receiver, guint index, LmccTime now)
{
  LmccReceiverLayer *layer = receiver->layers[index];
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

static void
judge_packet (LmccReceiver *receiver, LmccTime now, LmccTime arrival,
    guint group, LmccPacket *packet, const LmccRtp *rtp,
    const LmccHeader *header)
{
  LmccClaim claim = { .packet = packet,
    .rtp = *rtp,
    .header = *header,
    .group = group,
    .arrival = arrival };

  if (!lmcc_probation_push (&receiver->layers[header->layer]->probation,
          &claim)) {
    note_heard (receiver, group, header, TRUE, now, arrival);
    lmcc_receiver_tell_waiting_packet (receiver, now, header->layer);
  }
  lmcc_probation_timeout (&receiver->layers[header->layer]->probation, now);
  lmcc_receiver_take_believed (receiver, header->layer, now);
}

static guint8
element_id (const LmccReceiver *receiver)
{
  if (receiver->have_session)
    return receiver->session.header_id;
  if (receiver->sdp_session != NULL)
    return receiver->sdp_session->header_id;

  return LMCC_HEADER_DEFAULT_ID;
}

static void
parse_second (const LmccRtp *rtp, LmccHeader *header)
{
  if (rtp->second == NULL)
    return;
  header->has_up_levels = lmcc_synchronized_parse (rtp->second,
      rtp->second_size, header->top_layer, &header->up_levels);
  header->place = (gint8) lmcc_place_parse (rtp->second, rtp->second_size);
}

static gboolean
parse_packet (LmccReceiver *receiver, const LmccPacket *packet, LmccRtp *rtp,
    LmccHeader *header)
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
    parse_second (rtp, header);
    return TRUE;
  }
  lmcc_receiver_drop (receiver, why);

  return FALSE;
}

/* If an SDP file described the session and no other sender is heard, a host
 * that sends media is the session's sender; its S0 may differ from that in
 * the file. */
static void
adopt_by_sdp (LmccReceiver *receiver, const LmccAddress *source, guint32 ssrc,
    LmccTime now)
{
  LmccSession session;

  if (receiver->sdp_session == NULL
      || lmcc_receiver_is_own_source (receiver, source, ssrc)
      || !lmcc_receiver_may_take_address (receiver, source, now))
    return;
  session = *receiver->sdp_session;
  session.ssrc_base = ssrc & LMCC_SSRC_BASE_MASK;
  if (lmcc_receiver_adopt (receiver, source, &session,
          "media of the described session arrived", now))
    receiver->session_is_old =
        session.ssrc_base != receiver->sdp_session->ssrc_base;
}

static gboolean
check_packet (LmccReceiver *receiver, LmccTime now, guint group,
    const LmccAddress *source, const LmccPacket *packet, LmccRtp *rtp,
    LmccHeader *header)
{
  if (!parse_packet (receiver, packet, rtp, header))
    return FALSE;
  if (!lmcc_receiver_source_allowed (receiver, source)) {
    lmcc_receiver_drop (receiver, LMCC_DROP_FOREIGN_SOURCE);
    return FALSE;
  }
  if (lmcc_receiver_group_layer (receiver, header->slot, group)
      != header->layer) {
    lmcc_receiver_drop (receiver, LMCC_DROP_WRONG_LAYER);
    return FALSE;
  }
  adopt_by_sdp (receiver, source, rtp->ssrc, now);

  return lmcc_receiver_packet_belongs (receiver, source, rtp, header);
}

/**
 * lmcc_receiver_handle_packet:
 * @receiver: a running receiver
 * @now: the time
 * @arrival: when the packet reached the host's network stack, at most @now
 * @group: index of the group that the packet was sent to
 * @source: the packet's source address
 * @source_port: the packet's source port; not used
 * @packet: (transfer full): the UDP payload
 *
 * Takes one RTP packet. A packet that does not belong to the session is dropped
 * and counted by reason.
 */
void
lmcc_receiver_handle_packet (LmccReceiver *receiver, LmccTime now,
    LmccTime arrival, guint group, const LmccAddress *source,
    guint16 source_port G_GNUC_UNUSED, LmccPacket *packet)
{
  LmccRtp rtp;
  LmccHeader header;

  packet = lmcc_packet_take_counted (packet, receiver->memory.count);
  receiver->any_media = TRUE;
  lmcc_receiver_begin_call (receiver, now);
  if (receiver->running)
    lmcc_receiver_rival_packet (receiver, now, group, source, packet);
  if (!receiver->running
      || !check_packet (receiver, now, group, source, packet, &rtp, &header)) {
    lmcc_packet_unref (packet);
    return;
  }

  lmcc_receiver_heard_source (receiver, now);
  lmcc_receiver_own_packet (receiver, now, group, &header, packet->size);
  receiver->last_any = now;
  lmcc_receiver_check_leave (receiver, group, now);
  /* A group that was just left may still have packets in its socket, and a
   * group joined for the next slot carries a higher layer in this one. */
  if (!lmcc_layer_set_has (receiver->held, header.layer)) {
    if (receiver->membership.groups[group].joined)
      note_heard (receiver, group, &header, FALSE, now, arrival);
    lmcc_receiver_tell_left_packet (receiver, now, arrival, header.layer);
    lmcc_packet_unref (packet);
    return;
  }
  if (!lmcc_receiver_admit (receiver, packet, now)
      || !lmcc_layer_set_has (receiver->held, header.layer)) {
    lmcc_packet_unref (packet);
    return;
  }
  judge_packet (receiver, now, arrival, group, packet, &rtp, &header);
  lmcc_receiver_send_reports (receiver, now);
  lmcc_receiver_update_level (receiver, now);
  lmcc_receiver_pump (receiver, now);
}
