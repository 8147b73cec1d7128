/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * What leaves the sender: packets, which are numbered and counted here, and
 * what else there is to do. Below all that decides when.
 */
#include "sender/private.h"

/* Not so often that an encoder would make nothing else. */
#define KEY_REQUEST_INTERVAL LMCC_SECOND

static void
push_action (LmccSender * sender, LmccSenderActionType type, guint group,
    LmccPacket * packet)
{
  LmccSenderAction action = { type, group, packet };

  g_array_append_val (sender->actions, action);
}

static gsize
ip_size (const LmccSender * sender, const LmccPacket * packet)
{
  return sender->udp_overhead + packet->size;
}

/* The session's revision is another one now. */
void
lmcc_sender_session_changed (LmccSender * sender)
{
  push_action (sender, LMCC_SENDER_ACTION_SESSION_CHANGED, 0, NULL);
}

/* Its layer table too, or its latency: receivers are to know at once. */
void
lmcc_sender_announce (LmccSender * sender, LmccTime now)
{
  lmcc_announcer_changed (&sender->announcer, now);
  lmcc_sender_session_changed (sender);
}

void
lmcc_sender_request_key_unit (LmccSender * sender, LmccTime now)
{
  if (sender->key_requested != LMCC_TIME_NONE
      && now < sender->key_requested + KEY_REQUEST_INTERVAL)
    return;
  sender->key_requested = now;
  push_action (sender, LMCC_SENDER_ACTION_REQUEST_KEY_UNIT, 0, NULL);
}

/* Returns the bytes that leave. */
gsize
lmcc_sender_send_control (LmccSender * sender, LmccPacket * packet,
    LmccTime now)
{
  gsize size = ip_size (sender, packet);

  sender->stats.control_bytes += size;
  lmcc_meter_add_sent (&sender->rates.meters[0], now, size);
  push_action (sender, LMCC_SENDER_ACTION_SEND_CONTROL, 0, packet);

  return size;
}

static void
send_packet (LmccSender * sender, guint layer, LmccPacket * packet,
    LmccTime now)
{
  LmccSenderLayerStats *stats = &sender->stats.layers[layer];
  gsize size = ip_size (sender, packet);

  sender->last_sent[layer] = now;
  sender->stats.packets++;
  sender->stats.bytes += size;
  stats->packets++;
  stats->bytes += size;
  if (sender->mtu > 0 && packet->size > sender->mtu)
    sender->stats.packets_oversize++;
  if (layer == 0 && lmcc_single_rate_is_used (&sender->single)) {
    lmcc_single_rate_sent (&sender->single, now, size);
    lmcc_report_limit_sent (&sender->report_limit);
  }
  push_action (sender, LMCC_SENDER_ACTION_SEND,
      lmcc_marker_get_group (&sender->schedule.marker,
          &sender->packetizer.marks, layer), packet);
}

/* Returns the bytes that leave. */
gsize
lmcc_sender_send_media (LmccSender * sender, guint layer,
    LmccAllotment * allotment, LmccTime due, LmccTime now)
{
  LmccPacket *packet;
  LmccRtp rtp = { 0 };
  gsize size;

  lmcc_rtp_parse (allotment->packet->data, allotment->packet->size, 0, &rtp);

  /* Sound has no number of its own. */
  if (allotment->stream == LMCC_STREAM_SOUND)
    allotment->osn = lmcc_allocator_low_water_mark (&sender->allocator, layer,
        lmcc_sender_next_number (sender, layer));
  lmcc_announcer_count (&sender->announcer, allotment->stream, layer,
      rtp.payload_size);
  packet = lmcc_packetizer_media (&sender->packetizer, layer, allotment, &rtp,
      now);
  lmcc_packet_unref (allotment->packet);
  lmcc_sender_repair_sent (sender, layer, allotment, packet, now);

  size = ip_size (sender, packet);
  sender->stats.media_bytes += size;
  lmcc_meter_add_sent (&sender->rates.meters[layer], now, size);
  sender->stats.lateness_max = MAX (sender->stats.lateness_max, now - due);
  send_packet (sender, layer, packet, now);

  return size;
}

/* Returns the bytes that leave. */
gsize
lmcc_sender_send_filler (LmccSender * sender, guint layer, gsize payload_size,
    LmccTime now)
{
  guint16 mark = lmcc_allocator_low_water_mark (&sender->allocator, layer,
      lmcc_sender_next_number (sender, layer));
  LmccPacket *packet = lmcc_packetizer_filler (&sender->packetizer, layer,
      mark, payload_size, now);
  gsize size = ip_size (sender, packet);

  sender->stats.layers[layer].fillers++;
  lmcc_meter_add_sent (&sender->rates.meters[layer], now, size);
  send_packet (sender, layer, packet, now);

  return size;
}

/* Returns the bytes that leave. */
gsize
lmcc_sender_send_repair (LmccSender * sender, guint layer,
    LmccPacket * payload, LmccTime now)
{
  guint16 mark = lmcc_allocator_low_water_mark (&sender->allocator, layer,
      lmcc_sender_next_number (sender, layer));
  LmccPacket *packet = lmcc_packetizer_repair (&sender->packetizer, layer,
      mark, payload, now);
  LmccSenderLayerStats *stats = &sender->stats.layers[layer];
  gsize size = ip_size (sender, packet);

  lmcc_packet_unref (payload);
  stats->repairs++;
  stats->repair_bytes += size;
  lmcc_meter_add_sent (&sender->rates.meters[layer], now, size);
  send_packet (sender, layer, packet, now);

  return size;
}

/**
 * lmcc_sender_poll_action:
 * @sender: a sender
 * @action: (out): the next thing to do
 *
 * Returns: %FALSE if there is none
 */
gboolean
lmcc_sender_poll_action (LmccSender * sender, LmccSenderAction * action)
{
  if (sender->actions_taken == sender->actions->len) {
    g_array_set_size (sender->actions, 0);
    sender->actions_taken = 0;
    return FALSE;
  }
  *action = g_array_index (sender->actions, LmccSenderAction,
      sender->actions_taken);
  sender->actions_taken++;

  return TRUE;
}
