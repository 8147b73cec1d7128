/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The sender's output: numbers and counts packets, and queues actions. It is
 * below all parts that decide when packets are sent.
 */
#include "sender/emit.h"

#include "measure/rtt.h"
#include "sender/private.h"
#include "wire/constants.h"
#include "wire/rtp-payload.h"

/* Least interval between requests, so that encoders do not produce only key
 * frames. */
#define KEY_REQUEST_INTERVAL LMCC_SECOND

/* A packet of 1428 bytes takes 89 ms at 128 kbit/s. If the base layer is
 * slower, not every key frame has a record anyway. */
#define MAX_CONTROL_WAIT (100 * LMCC_MSECOND)

void
lmcc_sender_init_output (LmccSender *sender, const LmccSenderConfig *config,
    LmccTime now)
{
  LmccSenderOutput *output = &sender->output;
  guint i;

  output->announcer.cname = g_strdup (config->cname ? config->cname : "");
  output->announcer.rtp_offset = config->rtp_offset;
  output->announcer.ntp_offset = config->ntp_offset;
  output->mtu = config->mtu;
  output->key_requested = LMCC_TIME_NONE;
  lmcc_ring_init (&output->actions, sizeof (LmccSenderAction));
  lmcc_packetizer_init (&output->packetizer, &sender->session,
      &output->announcer, config->sequence_seed);
  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    output->last_sent[i] = now;
}

void
lmcc_sender_clear_output (LmccSender *sender)
{
  LmccSenderAction action;

  while (lmcc_sender_poll_action (sender, &action))
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  lmcc_ring_clear (&sender->output.actions);
  g_free (sender->output.announcer.cname);
}

/* Sets the mapping from layers to groups; @marker must outlive the sender. */
void
lmcc_sender_mark_by (LmccSender *sender, const LmccMarker *marker)
{
  sender->output.marker = marker;
}

/* Sets the slot marks of the next packet. */
void
lmcc_sender_set_marks (LmccSender *sender, const LmccMarks *marks)
{
  sender->output.packetizer.marks = *marks;
}

/* Makes @single, which must outlive the sender, add a second element to each
 * packet of the base layer. */
void
lmcc_sender_add_elements_of (LmccSender *sender, LmccSingleRate *single)
{
  sender->output.packetizer.single = single;
}

/* Returns the send time that a packet would carry @now. */
guint32
lmcc_sender_get_send_clock (const LmccSender *sender, LmccTime now)
{
  return lmcc_time_to_ntp_short (sender->output.announcer.ntp_offset + now);
}

LmccTime
lmcc_sender_get_last_sent (const LmccSender *sender, guint layer)
{
  return sender->output.last_sent[layer];
}

/* The session has the layer from @now on. */
void
lmcc_sender_begin_layer (LmccSender *sender, guint layer, LmccTime now)
{
  sender->output.last_sent[layer] = now;
}

static void
push_action (LmccSender *sender, LmccSenderActionType type, guint group,
    LmccPacket *packet)
{
  LmccSenderAction *action = lmcc_ring_push (&sender->output.actions);

  *action = (LmccSenderAction){ type, group, packet };
}

static gsize
ip_size (const LmccSender *sender, const LmccPacket *packet)
{
  return sender->udp_overhead + packet->size;
}

LmccTime
lmcc_sender_next_record (const LmccSender *sender)
{
  return lmcc_announcer_next (&sender->output.announcer, &sender->session);
}

/* Longest time that a record waits for its turn in a base layer of a fixed
 * rate. */
static LmccTime
get_packet_time (const LmccSender *sender)
{
  guint64 rate = MAX (sender->session.layers[0].rate, 1);
  guint64 bits = (guint64) sender->session.packet_size * 8;

  return MIN (bits * LMCC_SECOND / rate, MAX_CONTROL_WAIT);
}

/* The record is to precede the key frame sent at @time, and later ones at
 * intervals of @distance. If key frames are frequent, the regular records
 * suffice. */
void
lmcc_sender_expect_key (LmccSender *sender, LmccTime time, LmccTime distance)
{
  LmccTime wait = sender->shaped ? get_packet_time (sender) : 0;

  if (distance == 0 || distance >= LMCC_RECORD_INTERVAL)
    lmcc_announcer_expect_key (&sender->output.announcer,
        time - MIN (time, wait), distance);
}

/* Returns: (transfer full) (element-type LmccPacket): the current record,
 * not sent yet */
GPtrArray *
lmcc_sender_make_record (LmccSender *sender, LmccTime now)
{
  return lmcc_announcer_send (&sender->output.announcer, &sender->session,
      sender->udp_overhead, now);
}

/* Returns the size of all records within @duration, in bytes. */
gsize
lmcc_sender_expect_records (const LmccSender *sender, LmccTime duration,
    LmccTime now)
{
  return lmcc_announcer_expect (&sender->output.announcer, &sender->session,
      duration, now);
}

/* The first BYE is due @now. */
void
lmcc_sender_begin_byes (LmccSender *sender, LmccTime now)
{
  sender->output.byes_left = LMCC_BYE_COPIES;
  sender->output.next_bye = now;
}

LmccTime
lmcc_sender_next_bye (const LmccSender *sender)
{
  return sender->output.byes_left > 0 ? sender->output.next_bye
                                      : LMCC_TIME_NONE;
}

/* Sends one copy at a time, however late it is: copies sent together are
 * lost together. */
void
lmcc_sender_handle_byes (LmccSender *sender, LmccTime now)
{
  LmccSenderOutput *output = &sender->output;

  if (now < lmcc_sender_next_bye (sender))
    return;
  output->byes_left--;
  output->next_bye = now + LMCC_BYE_INTERVAL;
  lmcc_sender_send_control (sender,
      lmcc_announcer_bye (&output->announcer, &sender->session, now), now);
}

/* Number of the next packet of @layer. */
guint16
lmcc_sender_get_next_lsn (const LmccSender *sender, guint layer)
{
  return sender->output.packetizer.numbers[layer].lsn;
}

/* The session has a new revision. */
void
lmcc_sender_session_changed (LmccSender *sender)
{
  push_action (sender, LMCC_SENDER_ACTION_SESSION_CHANGED, 0, NULL);
}

/* The layer table or the latency has changed as well: receivers must know at
 * once. */
void
lmcc_sender_announce (LmccSender *sender, LmccTime now)
{
  lmcc_announcer_changed (&sender->output.announcer, now);
  lmcc_sender_session_changed (sender);
}

void
lmcc_sender_request_key_unit (LmccSender *sender, LmccTime now)
{
  if (sender->output.key_requested != LMCC_TIME_NONE
      && now < sender->output.key_requested + KEY_REQUEST_INTERVAL)
    return;
  sender->output.key_requested = now;
  push_action (sender, LMCC_SENDER_ACTION_REQUEST_KEY_UNIT, 0, NULL);
}

/* Returns the number of bytes sent. */
gsize
lmcc_sender_send_control (LmccSender *sender, LmccPacket *packet, LmccTime now)
{
  gsize size = ip_size (sender, packet);

  sender->stats.control_bytes += size;
  lmcc_rate_watch_note_sent (&sender->rates, 0, now, size);
  push_action (sender, LMCC_SENDER_ACTION_SEND_CONTROL, 0, packet);

  return size;
}

static guint
get_group (const LmccSender *sender, guint layer)
{
  const LmccSenderOutput *output = &sender->output;

  if (output->marker == NULL)
    return layer;

  return lmcc_marker_get_group (output->marker, &output->packetizer.marks,
      layer);
}

static void
send_packet (LmccSender *sender, guint layer, LmccPacket *packet, LmccTime now)
{
  LmccSenderLayerStats *stats = &sender->stats.layers[layer];
  gsize size = ip_size (sender, packet);

  sender->output.last_sent[layer] = now;
  lmcc_packet_count_add (&sender->output.count, now);
  sender->stats.packets++;
  sender->stats.bytes += size;
  stats->packets++;
  stats->bytes += size;
  if (sender->output.mtu > 0 && packet->size > sender->output.mtu)
    sender->stats.packets_oversize++;
  push_action (sender, LMCC_SENDER_ACTION_SEND, get_group (sender, layer),
      packet);
}

/* Takes the allotment's packet. Returns the number of bytes sent. */
gsize
lmcc_sender_send_media (LmccSender *sender, guint layer,
    LmccAllotment *allotment, LmccTime due, LmccTime now)
{
  LmccPacket *packet;
  gsize payload_size, size;

  lmcc_rtp_find_payload (allotment->packet, &payload_size);
  /* Sound has no order number of its own. */
  if (allotment->stream == LMCC_STREAM_SOUND)
    allotment->osn = lmcc_allocator_low_water_mark (&sender->allocator, layer,
        lmcc_sender_next_number (sender, layer));
  lmcc_announcer_count (&sender->output.announcer, allotment->stream, layer,
      payload_size);
  packet =
      lmcc_packetizer_media (&sender->output.packetizer, layer, allotment, now);
  lmcc_sender_repair_sent (sender, layer, allotment, packet, now);

  size = ip_size (sender, packet);
  sender->stats.media_bytes += size;
  lmcc_rate_watch_note_sent (&sender->rates, layer, now, size);
  sender->stats.lateness_max = MAX (sender->stats.lateness_max, now - due);
  send_packet (sender, layer, packet, now);

  return size;
}

/* Returns the number of bytes sent. */
gsize
lmcc_sender_send_filler (LmccSender *sender, guint layer, gsize payload_size,
    LmccTime now)
{
  guint16 mark = lmcc_allocator_low_water_mark (&sender->allocator, layer,
      lmcc_sender_next_number (sender, layer));
  LmccPacket *packet = lmcc_packetizer_filler (&sender->output.packetizer,
      layer, mark, payload_size, now);
  gsize size = ip_size (sender, packet);

  sender->stats.layers[layer].fillers++;
  lmcc_rate_watch_note_sent (&sender->rates, layer, now, size);
  send_packet (sender, layer, packet, now);

  return size;
}

/* Returns the number of bytes sent. */
gsize
lmcc_sender_send_repair (LmccSender *sender, guint layer, LmccPacket *payload,
    LmccTime now)
{
  guint16 mark = lmcc_allocator_low_water_mark (&sender->allocator, layer,
      lmcc_sender_next_number (sender, layer));
  LmccPacket *packet = lmcc_packetizer_repair (&sender->output.packetizer,
      layer, mark, payload, now);
  LmccSenderLayerStats *stats = &sender->stats.layers[layer];
  gsize size = ip_size (sender, packet);

  lmcc_packet_unref (payload);
  stats->repairs++;
  stats->repair_bytes += size;
  lmcc_rate_watch_note_sent (&sender->rates, layer, now, size);
  send_packet (sender, layer, packet, now);

  return size;
}

/**
 * lmcc_sender_poll_action:
 * @sender: a sender
 * @action: (out): the next action
 *
 * Takes the next action from the queue. The caller owns the action's packet.
 *
 * Returns: %FALSE if no action is queued
 */
gboolean
lmcc_sender_poll_action (LmccSender *sender, LmccSenderAction *action)
{
  return lmcc_ring_pop (&sender->output.actions, action);
}

/**
 * lmcc_sender_get_pacing_step:
 * @sender: a sender, after lmcc_sender_handle_timeout()
 * @now: the time
 * @max_burst: how many packets may be sent together by a caller that accepts
 *     steps of up to 10 ms; 1: each packet at its time; 0: as many as are due
 *     within 1 ms
 *
 * Computes a pacing step: the caller may sleep this long although packets
 * become due meanwhile, which saves wake-ups. The step holds @max_burst packets
 * at the present rate. It is at most 250 us if fewer than two packets would be
 * sent in it, and while packets must be sent exactly at their times: before and
 * in packet trains, and with algorithms that have slots.
 *
 * Returns: the longest harmless delay, in ns
 */
LmccTime
lmcc_sender_get_pacing_step (const LmccSender *sender, LmccTime now,
    guint max_burst)
{
  LmccTime exact =
      sender->session.slot > 0 ? now : lmcc_trains_next_exact (&sender->trains);
  LmccTime step =
      lmcc_pacing_step (&sender->output.count, now, max_burst, exact <= now);

  return exact <= now ? step : MIN (step, exact - now);
}
