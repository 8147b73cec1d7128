/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The sender's base layer at a single rate for all receivers: the rate that
 * the network allows decides when a packet is sent, and units that are too
 * old are dropped.
 */
#include "sender/driven-base.h"

#include "sender/private.h"
#include "wire/constants.h"

#include "control/sending.h"

/* Part of the window for the base layer's queue: the later the base layer
 * is, the more data of the layers above it becomes due at once, and sending
 * that takes time, too. */
#define BASE_LIMIT_DIVISOR 2

/* Returns whether the network sets the base layer's rate. */
gboolean
lmcc_sender_drives_base (const LmccSender *sender)
{
  return lmcc_single_rate_is_used (&sender->driven.single);
}

/* Whether all receivers get one rate: there is only the base layer. */
gboolean
lmcc_sender_has_single_rate (const LmccSender *sender)
{
  return sender->algorithms.base != NULL
      && sender->algorithms.base == sender->algorithms.algorithm;
}

gboolean
lmcc_sender_has_layers_above (const LmccSender *sender)
{
  return lmcc_sender_drives_base (sender)
      && !lmcc_sender_has_single_rate (sender);
}

void
lmcc_sender_init_single (LmccSender *sender, gdouble hysteresis, LmccTime now)
{
  const LmccAlgorithm *base = sender->algorithms.base;

  lmcc_single_rate_init (&sender->driven.single,
      base != NULL ? base->sending->rate_setter : NULL, &sender->session,
      lmcc_allocator_packet_size (&sender->allocator, 0), hysteresis, now);
  if (!lmcc_sender_drives_base (sender))
    return;
  lmcc_sender_add_elements_of (sender, &sender->driven.single);
  sender->driven.live_queue.limit = LMCC_LIVE_QUEUE_LIMIT;
  if (lmcc_sender_has_layers_above (sender)) {
    sender->driven.live_queue.limit /= BASE_LIMIT_DIVISOR;
    return;
  }
  lmcc_allocator_join_classes (&sender->allocator);
  lmcc_allocator_describe (&sender->allocator, &sender->session);
}

void
lmcc_sender_clear_single (LmccSender *sender)
{
  lmcc_single_rate_clear (&sender->driven.single);
}

void
lmcc_sender_flush_single (LmccSender *sender)
{
  sender->driven.live_queue.broken = 0;
}

/* A packet of the layer is being sent. */
void
lmcc_sender_note_age (LmccSender *sender, guint layer, LmccTime now)
{
  lmcc_live_queue_note_age (&sender->driven.live_queue,
      &sender->allocator.layers[layer], now);
}

/* A packet of the base layer with @size bytes was sent. */
void
lmcc_sender_base_sent (LmccSender *sender, LmccTime now, gsize size)
{
  lmcc_single_rate_sent (&sender->driven.single, now, size);
}

static void
request_key_unit (LmccSender *sender, LmccTime now)
{
  if (lmcc_live_queue_wants_key (&sender->driven.live_queue))
    lmcc_sender_request_key_unit (sender, now);
}

/* Returns whether @unit of the base layer is worth sending. */
gboolean
lmcc_sender_admit_single (LmccSender *sender, const LmccUnit *unit,
    LmccTime now)
{
  gboolean admitted = lmcc_live_queue_admit (&sender->driven.live_queue,
      &sender->allocator.layers[0], unit);

  request_key_unit (sender, now);

  return admitted;
}

/*
 * lmcc_sender_next_single:
 * @sender: a sender
 * @layer: a layer
 * @due: when its packet is due according to its pacing
 *
 * Returns: when the packet may be sent
 */
LmccTime
lmcc_sender_next_single (const LmccSender *sender, guint layer, LmccTime due)
{
  if (layer > 0 || !lmcc_sender_drives_base (sender))
    return due;

  return MAX (due, lmcc_single_rate_next_packet (&sender->driven.single));
}

/*
 * lmcc_sender_fills_single:
 * @sender: a sender
 * @layer: a layer
 *
 * If the rate is too low for a key frame, only a part of it is sent, and
 * nothing more until the next one. The rate grows only with data that is sent
 * (RFC 4654 section 3.6, RFC 5348 section 4.3), so without fillers it would
 * stay too low.
 *
 * Returns: whether to send fillers because no media can be sent
 */
gboolean
lmcc_sender_fills_single (const LmccSender *sender, guint layer)
{
  return layer == 0 && lmcc_single_rate_follows_use (&sender->driven.single)
      && sender->driven.live_queue.key_bytes > 0
      && lmcc_live_queue_wants_key (&sender->driven.live_queue)
      && g_queue_is_empty ((GQueue *) &sender->allocator.layers[0].units);
}

/*
 * lmcc_sender_get_filler_interval:
 * @sender: a sender
 * @layer: a layer
 *
 * Returns: interval between two fillers, in ns. Fillers instead of media
 * have twice the rate that the dropped key frame needs; the rate may then
 * double once more at most, whatever receivers get
 */
LmccTime
lmcc_sender_get_filler_interval (const LmccSender *sender, guint layer)
{
  if (!lmcc_sender_fills_single (sender, layer))
    return lmcc_session_filler_interval (&sender->session, layer);

  return sender->session.packet_size * sender->driven.live_queue.limit
      / (2 * sender->driven.live_queue.key_bytes);
}

/* When a timer of the algorithm expires, or a waiting unit becomes too old. */
LmccTime
lmcc_sender_next_single_timeout (const LmccSender *sender)
{
  if (!lmcc_sender_drives_base (sender))
    return LMCC_TIME_NONE;

  return MIN (lmcc_single_rate_next_timeout (&sender->driven.single),
      lmcc_live_queue_next (&sender->driven.live_queue,
          &sender->allocator.layers[0]));
}

/* Bytes that will not be sent within the session's window at this rate. The
 * rest is not a queue, because the pacer spreads pictures over that window. */
static gsize
count_excess (const LmccAllocatorLayer *layer, LmccTime now, gdouble rate)
{
  gdouble bytes = 0, excess = 0;
  const GList *l;

  for (l = layer->units.head; l != NULL; l = l->next) {
    const LmccQueuedUnit *queued = l->data;
    LmccTime left = queued->deadline > now ? queued->deadline - now : 0;

    bytes += (gdouble) queued->bytes;
    excess = MAX (excess, bytes - rate / 8 * (gdouble) left / LMCC_SECOND);
  }

  return (gsize) excess;
}

void
lmcc_sender_handle_single (LmccSender *sender, LmccTime now)
{
  LmccAllocatorLayer *base = &sender->allocator.layers[0];
  gdouble rate;

  if (!lmcc_sender_drives_base (sender))
    return;
  lmcc_single_rate_handle_timeout (&sender->driven.single, now);
  rate = lmcc_single_rate_get_rate (&sender->driven.single);
  lmcc_live_queue_expire (&sender->driven.live_queue, base, now, rate);
  sender->driven.single.excess = count_excess (base, now, rate);
  request_key_unit (sender, now);
  lmcc_sender_release_above (sender, now);
}

/* Returns whether the report comes from the receiver that sets the rate. */
gboolean
lmcc_sender_comes_from_leader (const LmccSender *sender,
    const LmccAddress *source, guint16 port)
{
  return lmcc_sender_drives_base (sender)
      && lmcc_single_rate_comes_from_leader (&sender->driven.single, source,
          port);
}

/* Returns whether it was a report about the rate. */
gboolean
lmcc_sender_take_single_report (LmccSender *sender, LmccTime now,
    const LmccAddress *source, guint16 port, const guint8 *data, gsize size)
{
  return lmcc_sender_drives_base (sender)
      && lmcc_single_rate_take_report (&sender->driven.single, now,
          lmcc_sender_get_send_clock (sender, now), sender->session.ssrc_base,
          source, port, data, size);
}

void
lmcc_sender_get_single_stats (const LmccSender *sender, LmccSenderStats *stats)
{
  const LmccSingleRate *single = &sender->driven.single;
  LmccSingleRateStats *to = &stats->single;
  guint i;

  if (!lmcc_single_rate_is_used (single))
    return;
  to->rate = lmcc_single_rate_get_rate (single);
  to->estimated_bitrate = lmcc_sender_get_estimated_bitrate (sender);
  to->has_leader = lmcc_single_rate_get_leader (single, &to->leader);
  to->rtt = lmcc_single_rate_get_rtt (single);
  to->reports_foreign = single->foreign;
  to->reports_refused = single->refused;
  to->reports_leader = single->by_leader;
  to->units_expired = sender->driven.live_queue.n_expired;
  to->age_max = sender->driven.live_queue.age_max;
  to->sound_dropped = sender->driven.live_queue.n_sound;
  lmcc_single_rate_get_stats (single, to);
  for (i = 0; i < LMCC_MAX_CLASSES; i++)
    stats->units_dropped[i] = sender->driven.live_queue.n_dropped[i]
        + lmcc_sender_get_dropped_above (sender, i);
}

/**
 * lmcc_sender_get_estimated_bitrate:
 * @sender: a sender
 *
 * Computes the target bitrate for the encoder of the first rung, if all
 * receivers get the base layer at a single rate: the smoothed rate that the
 * network allows, minus headers and control packets, and at most twice the rate
 * sent now. If the rung has layers above the base layer, their present rate is
 * added in proportion.
 *
 * Returns: bit/s; 0 if not known yet, or if the network sets no rate
 */
guint64
lmcc_sender_get_estimated_bitrate (const LmccSender *sender)
{
  const LmccSession *session = &sender->session;
  guint64 base = session->layers[0].rate, rung = base;
  guint i;

  for (i = 1; i < session->n_layers; i++) {
    if (session->layers[i].stream == session->layers[0].stream)
      rung += session->layers[i].rate;
  }
  if (base == 0)
    return (guint64) sender->driven.single.estimate;

  return (guint64) (sender->driven.single.estimate * (gdouble) rung
      / (gdouble) base);
}
