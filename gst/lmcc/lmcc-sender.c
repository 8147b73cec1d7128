/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "lmcc-sender.h"

#include "lmcc-allocate.h"
#include "lmcc-announce.h"
#include "lmcc-key-alignment.h"
#include "lmcc-pacer.h"
#include "lmcc-packetize.h"
#include "lmcc-rate-watch.h"
#include "lmcc-reorder.h"

#include <string.h>

/* A unit that comes too late is sent at once, spread over this part of the
 * window so that it is no burst. */
#define CATCH_UP_FRACTION 4

#define KEY_REQUEST_INTERVAL LMCC_SECOND

struct _LmccSender
{
  LmccSession session;
  LmccSenderStats stats;
  guint mtu;
  gsize udp_overhead;
  gboolean stopped;

  LmccAllocator allocator;
  LmccPacer pacers[LMCC_MAX_LAYERS];
  LmccTime last_sent[LMCC_MAX_LAYERS];
  guint16 osn;
  LmccReorder reorder[LMCC_MAX_RUNGS];
  guint8 anchors[LMCC_N_STREAMS];

  LmccRateWatch rates;
  LmccAnnouncer announcer;
  LmccPacketizer packetizer;
  LmccKeyAlignment key_alignment;
  LmccTime key_requested;

  GArray *actions;
  guint actions_taken;
};

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

static void
send_control (LmccSender * sender, LmccPacket * packet, LmccTime now)
{
  gsize size = ip_size (sender, packet);

  sender->stats.control_bytes += size;
  lmcc_meter_add_sent (&sender->rates.meters[0], now, size);
  push_action (sender, LMCC_SENDER_ACTION_SEND_CONTROL, 0, packet);
}

static void
handle_record (LmccSender * sender, LmccTime now)
{
  g_autoptr (GPtrArray) packets = NULL;
  guint i;

  if (now < lmcc_announcer_next (&sender->announcer, &sender->session))
    return;

  packets = lmcc_announcer_send (&sender->announcer, &sender->session,
      sender->udp_overhead, now);
  for (i = 0; i < packets->len; i++)
    send_control (sender, g_ptr_array_index (packets, i), now);
}

static void
announce_table (LmccSender * sender, LmccTime now)
{
  lmcc_announcer_changed (&sender->announcer, now);
  push_action (sender, LMCC_SENDER_ACTION_SESSION_CHANGED, 0, NULL);
}

static void
handle_rates (LmccSender * sender, LmccTime now)
{
  if (!lmcc_rate_watch_update (&sender->rates, &sender->session, now))
    return;
  sender->session.revision++;
  push_action (sender, LMCC_SENDER_ACTION_SESSION_CHANGED, 0, NULL);
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
  push_action (sender, LMCC_SENDER_ACTION_SEND, layer, packet);
}

static void
send_media (LmccSender * sender, guint layer, LmccTime due, LmccTime now)
{
  LmccAllocatorLayer *queue = &sender->allocator.layers[layer];
  LmccPacer *pacer = &sender->pacers[layer];
  LmccAllotment allotment;
  LmccPacket *packet;
  LmccRtp rtp = { 0 };
  gsize size;

  lmcc_pacer_opportunity (pacer, queue, due);
  if (!lmcc_allocator_take (&sender->allocator, layer, &allotment))
    return;
  lmcc_rtp_parse (allotment.packet->data, allotment.packet->size, 0, &rtp);
  size = lmcc_allocator_packet_size (&sender->allocator, rtp.payload_size);
  lmcc_pacer_sent (pacer, size);

  /* Sound has no number of its own. */
  if (allotment.stream == LMCC_STREAM_SOUND)
    allotment.osn = lmcc_allocator_low_water_mark (&sender->allocator, layer,
        sender->osn);
  lmcc_announcer_count (&sender->announcer, allotment.stream, layer,
      rtp.payload_size);
  packet = lmcc_packetizer_media (&sender->packetizer, layer, &allotment, &rtp,
      now);
  lmcc_packet_unref (allotment.packet);

  lmcc_meter_add_sent (&sender->rates.meters[layer], now, size);
  sender->stats.lateness_max = MAX (sender->stats.lateness_max, now - due);
  send_packet (sender, layer, packet, now);
}

static LmccTime
next_media (const LmccSender * sender, guint * layer)
{
  LmccTime next = LMCC_TIME_NONE;
  guint i;

  for (i = 0; i < sender->session.n_layers; i++) {
    LmccTime due = lmcc_pacer_next (&sender->pacers[i],
        &sender->allocator.layers[i]);

    if (due < next) {
      next = due;
      *layer = i;
    }
  }

  return next;
}

static void
handle_media (LmccSender * sender, LmccTime now)
{
  LmccTime due;
  guint layer = 0;

  while ((due = next_media (sender, &layer)) <= now)
    send_media (sender, layer, due, now);
}

static void
send_filler (LmccSender * sender, guint layer, LmccTime now)
{
  guint16 mark = lmcc_allocator_low_water_mark (&sender->allocator, layer,
      sender->osn);
  LmccPacket *packet = lmcc_packetizer_filler (&sender->packetizer, layer,
      mark, now);

  sender->stats.layers[layer].fillers++;
  lmcc_meter_add_sent (&sender->rates.meters[layer], now,
      ip_size (sender, packet));
  send_packet (sender, layer, packet, now);
}

static void
handle_fillers (LmccSender * sender, LmccTime now)
{
  guint i;

  for (i = 0; i < sender->session.n_layers; i++) {
    if (now >= sender->last_sent[i] + LMCC_FILLER_INTERVAL)
      send_filler (sender, i, now);
  }
}

static void
change_table (LmccSender * sender, guint klass, LmccTime now)
{
  g_autofree LmccPacer *old = g_memdup2 (sender->pacers,
      sizeof (sender->pacers));
  guint64 rates[LMCC_MAX_LAYERS];
  guint8 moved[LMCC_MAX_LAYERS];
  guint n_old = sender->session.n_layers, i;

  for (i = 0; i < n_old; i++)
    rates[i] = sender->session.layers[i].rate;

  if (!lmcc_allocator_add_class (&sender->allocator, klass, moved))
    sender->stats.classes_joined++;
  lmcc_allocator_describe (&sender->allocator, &sender->session);
  lmcc_rate_watch_move (&sender->rates, moved, n_old, now);

  memset (sender->pacers, 0, sizeof (sender->pacers));
  for (i = 0; i < sender->session.n_layers; i++) {
    sender->session.layers[i].rate = 0;
    if (i >= n_old)
      sender->last_sent[i] = now;
  }
  for (i = 0; i < n_old; i++) {
    sender->pacers[moved[i]] = old[i];
    sender->session.layers[moved[i]].rate = rates[i];
  }

  sender->session.version++;
  sender->session.revision++;
  announce_table (sender, now);
}

static void
check_key_alignment (LmccSender * sender, const LmccUnit * unit, LmccTime now)
{
  if (sender->session.n_rungs < 2 || unit->stream == LMCC_STREAM_SOUND
      || !lmcc_key_alignment_push (&sender->key_alignment, unit))
    return;

  sender->stats.key_misaligned++;
  if (sender->key_requested != LMCC_TIME_NONE
      && now < sender->key_requested + KEY_REQUEST_INTERVAL)
    return;
  sender->key_requested = now;
  push_action (sender, LMCC_SENDER_ACTION_REQUEST_KEY_UNIT, 0, NULL);
}

static gboolean
measure_unit (const LmccSender * sender, const LmccUnit * unit, gsize * bytes)
{
  guint i;

  *bytes = 0;
  for (i = 0; i < unit->packets->len; i++) {
    const LmccPacket *packet = g_ptr_array_index (unit->packets, i);
    LmccRtp rtp;

    if (!lmcc_rtp_parse (packet->data, packet->size, 0, &rtp)
        || LMCC_RTP_HEADER_SIZE + LMCC_RTP_OVERHEAD + rtp.payload_size
        > LMCC_MAX_PACKET_SIZE)
      return FALSE;
    *bytes += lmcc_allocator_packet_size (&sender->allocator, rtp.payload_size);
  }

  return unit->packets->len > 0;
}

static gboolean
is_of_session (const LmccSender * sender, const LmccUnit * unit)
{
  /* Room for a window, and for a presentation time in units of any clock. */
  if (unit->decoding_time > G_MAXINT64 || unit->presentation_time > G_MAXINT64
      || unit->klass >= LMCC_MAX_CLASSES)
    return FALSE;

  return unit->stream < sender->session.n_rungs
      || (unit->stream == LMCC_STREAM_SOUND
      && lmcc_session_has_sound (&sender->session));
}

static LmccTime
find_deadline (LmccSender * sender, const LmccUnit * unit, LmccTime now)
{
  LmccTime deadline = unit->decoding_time + sender->session.window;

  if (now <= deadline)
    return deadline;
  sender->stats.units_late++;

  return now + sender->session.window / CATCH_UP_FRACTION;
}

static void
queue_unit (LmccSender * sender, LmccUnit * unit, gsize bytes, LmccTime now)
{
  guint layer = lmcc_allocator_get_layer (&sender->allocator, unit->stream,
      unit->klass);
  LmccQueuedUnit *queued;
  guint n_dropped = 0;
  gboolean room = lmcc_allocator_make_room (&sender->allocator, layer,
      unit->klass, unit->packets->len, &n_dropped);

  sender->stats.units_dropped += n_dropped;
  if (!room) {
    sender->stats.units_dropped++;
    lmcc_unit_free (unit);
    return;
  }

  queued = g_new0 (LmccQueuedUnit, 1);
  queued->unit = unit;
  queued->bytes = bytes;
  queued->deadline = find_deadline (sender, unit, now);
  queued->anchor = sender->anchors[unit->stream];
  queued->osn = sender->osn;
  if (unit->stream != LMCC_STREAM_SOUND)
    sender->osn = (guint16) (sender->osn + unit->packets->len);

  lmcc_meter_add_unit (&sender->rates.meters[layer], unit->decoding_time,
      sender->session.window, bytes);
  lmcc_allocator_push (&sender->allocator, layer, queued);
  lmcc_pacer_queue_changed (&sender->pacers[layer],
      &sender->allocator.layers[layer], now);
}

/* Tells receivers what a decoder of the base alone will need beyond the
 * network. */
static void
follow_reordering (LmccSender * sender, const LmccUnit * unit, LmccTime now)
{
  LmccTime delay;

  if (unit->stream >= LMCC_MAX_RUNGS)
    return;
  delay = lmcc_reorder_push (&sender->reorder[unit->stream], unit);
  delay = (delay + LMCC_MSECOND - 1) / LMCC_MSECOND * LMCC_MSECOND;
  if (delay <= sender->session.latency)
    return;
  sender->session.latency = delay;
  sender->session.revision++;
  announce_table (sender, now);
}

/**
 * lmcc_sender_push_unit:
 * @sender: a sender
 * @unit: (transfer full): the next unit, in the order (decoding time, stream,
 *     class)
 * @now: the time
 *
 * Takes a unit to be sent between its decoding time and the window's end. A bad
 * unit is dropped and counted, but counts in the anchor where it is of class 0:
 * receivers then know that something is missing.
 */
void
lmcc_sender_push_unit (LmccSender * sender, LmccUnit * unit, LmccTime now)
{
  gsize bytes;

  if (sender->stopped) {
    lmcc_unit_free (unit);
    return;
  }
  handle_media (sender, now);

  if (!is_of_session (sender, unit)) {
    sender->stats.units_invalid++;
    lmcc_unit_free (unit);
    return;
  }
  if (unit->stream == LMCC_STREAM_SOUND)
    unit->klass = 0;
  if (unit->klass == 0)
    sender->anchors[unit->stream]++;
  if (!measure_unit (sender, unit, &bytes)) {
    sender->stats.units_invalid++;
    lmcc_unit_free (unit);
    return;
  }

  sender->stats.units[unit->stream]++;
  if (unit->stream != LMCC_STREAM_SOUND)
    lmcc_rate_watch_note_picture (&sender->rates, unit->decoding_time);
  follow_reordering (sender, unit, now);
  check_key_alignment (sender, unit, now);
  if (!lmcc_allocator_knows (&sender->allocator, unit->klass))
    change_table (sender, unit->klass, now);
  queue_unit (sender, unit, bytes, now);
}

/**
 * lmcc_sender_handle_timeout:
 * @sender: a sender
 * @now: the time
 *
 * Queues all that is due by @now. May be called at any time; what is late goes
 * out, what is not due stays.
 */
void
lmcc_sender_handle_timeout (LmccSender * sender, LmccTime now)
{
  if (sender->stopped)
    return;

  handle_media (sender, now);
  handle_fillers (sender, now);
  handle_rates (sender, now);
  handle_record (sender, now);
}

/**
 * lmcc_sender_next_timeout:
 * @sender: a sender
 *
 * Returns: when lmcc_sender_handle_timeout() has something to do, which may be
 *     in the past; %LMCC_TIME_NONE after lmcc_sender_stop()
 */
LmccTime
lmcc_sender_next_timeout (const LmccSender * sender)
{
  LmccTime next, record;
  guint layer, i;

  if (sender->stopped)
    return LMCC_TIME_NONE;

  next = next_media (sender, &layer);
  record = lmcc_announcer_next (&sender->announcer, &sender->session);
  next = MIN (next, record);
  next = MIN (next, sender->rates.check);
  for (i = 0; i < sender->session.n_layers; i++)
    next = MIN (next, sender->last_sent[i] + LMCC_FILLER_INTERVAL);

  return next;
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

/**
 * lmcc_sender_flush:
 * @sender: a sender
 * @now: the time
 *
 * Drops all units that wait, as for a seek. The session goes on.
 */
void
lmcc_sender_flush (LmccSender * sender, LmccTime now)
{
  if (sender->stopped)
    return;
  lmcc_allocator_flush (&sender->allocator);
  sender->key_alignment.n_pictures = 0;
}

/**
 * lmcc_sender_is_idle:
 * @sender: a sender
 *
 * Returns: whether no unit waits to be sent
 */
gboolean
lmcc_sender_is_idle (const LmccSender * sender)
{
  return lmcc_allocator_is_empty (&sender->allocator);
}

/**
 * lmcc_sender_stop:
 * @sender: a sender
 * @now: the time
 *
 * Drops what waits and says BYE (RFC 3550 section 6.6). Nothing is sent after
 * it.
 */
void
lmcc_sender_stop (LmccSender * sender, LmccTime now)
{
  if (sender->stopped)
    return;

  lmcc_sender_flush (sender, now);
  send_control (sender, lmcc_announcer_bye (&sender->announcer,
          &sender->session, now), now);
  sender->stopped = TRUE;
}

/**
 * lmcc_sender_get_session:
 * @sender: a sender
 *
 * Returns: (transfer none): the session as it is now
 */
const LmccSession *
lmcc_sender_get_session (const LmccSender * sender)
{
  return &sender->session;
}

/**
 * lmcc_sender_get_stats:
 * @sender: a sender
 *
 * Returns: (transfer none): the counters as they are now
 */
const LmccSenderStats *
lmcc_sender_get_stats (const LmccSender * sender)
{
  LmccSenderStats *stats = (LmccSenderStats *) & sender->stats;
  guint i;

  for (i = 0; i < sender->session.n_layers; i++)
    stats->layers[i].queued = sender->allocator.layers[i].n_packets;

  return stats;
}

/**
 * lmcc_sender_new:
 * @config: copied
 * @now: the time
 *
 * The session starts: its record is due at once, filler after
 * %LMCC_FILLER_INTERVAL. The first order sequence number is the low 16 bits of
 * the configuration's sequence_seed.
 *
 * Returns: (transfer full): a sender
 */
LmccSender *
lmcc_sender_new (const LmccSenderConfig * config, LmccTime now)
{
  LmccSender *sender = g_new0 (LmccSender, 1);
  guint i;

  sender->session = config->session;
  sender->session.native = TRUE;
  sender->session.n_rungs = CLAMP (config->session.n_rungs, 1, LMCC_MAX_RUNGS);
  if (sender->session.window == 0)
    sender->session.window = LMCC_DEFAULT_WINDOW;
  sender->announcer.cname = g_strdup (config->cname ? config->cname : "");
  sender->announcer.rtp_offset = config->rtp_offset;
  sender->announcer.ntp_offset = config->ntp_offset;
  sender->mtu = config->mtu;
  sender->key_requested = LMCC_TIME_NONE;
  sender->actions = g_array_new (FALSE, FALSE, sizeof (LmccSenderAction));

  lmcc_allocator_init (&sender->allocator, &sender->session);
  lmcc_allocator_describe (&sender->allocator, &sender->session);
  sender->udp_overhead = lmcc_allocator_packet_size (&sender->allocator, 0)
      - LMCC_RTP_HEADER_SIZE - LMCC_RTP_OVERHEAD;
  sender->osn = (guint16) config->sequence_seed;
  lmcc_packetizer_init (&sender->packetizer, &sender->session,
      &sender->announcer, config->sequence_seed);
  for (i = 0; i < LMCC_MAX_LAYERS; i++) {
    sender->session.layers[i].rate = 0;
    sender->last_sent[i] = now;
  }
  lmcc_rate_watch_init (&sender->rates, now);
  announce_table (sender, now);

  return sender;
}

/**
 * lmcc_sender_free:
 * @sender: (transfer full): a sender
 *
 * Frees it with all that waits; stop it first for receivers to know.
 */
void
lmcc_sender_free (LmccSender * sender)
{
  LmccSenderAction action;

  while (lmcc_sender_poll_action (sender, &action))
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  g_array_unref (sender->actions);
  lmcc_allocator_clear (&sender->allocator);
  g_free (sender->announcer.cname);
  g_free (sender);
}
