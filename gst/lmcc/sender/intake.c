/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Input of units: checks whether they belong to the session, and learns from
 * them about the encoders.
 */
#include "sender/intake.h"

#include "sender/private.h"
#include "wire/rtp-payload.h"
#include "wire/session-internal.h"

/* Returns whether the session has the stream and class of @unit, and its
 * times are possible. */
gboolean
lmcc_sender_knows_unit (const LmccSender *sender, const LmccUnit *unit)
{
  /* Leaves room for a window, and for a presentation time in units of any
   * clock. */
  if (unit->decoding_time > G_MAXINT64 || unit->presentation_time > G_MAXINT64
      || unit->klass >= LMCC_MAX_CLASSES)
    return FALSE;

  return unit->stream < sender->session.n_rungs
      || (unit->stream == LMCC_STREAM_SOUND
          && lmcc_session_has_sound (&sender->session));
}

/*
 * lmcc_sender_measure_unit:
 * @sender: a sender
 * @unit: a unit
 * @bytes: (out): total size of its IP packets
 * @largest: (out): size of the largest of them
 *
 * Returns: %FALSE if it has no packets, or one that is not RTP or is too
 * large
 */
gboolean
lmcc_sender_measure_unit (const LmccSender *sender, const LmccUnit *unit,
    gsize *bytes, gsize *largest)
{
  guint i;

  *bytes = *largest = 0;
  for (i = 0; i < unit->packets->len; i++) {
    LmccPacket *packet = g_ptr_array_index (unit->packets, i);
    gsize payload_size, size;

    if (lmcc_rtp_find_payload (packet, &payload_size) == NULL)
      return FALSE;
    size = lmcc_allocator_packet_size (&sender->allocator, payload_size);
    if (size > LMCC_MAX_PACKET_SIZE + sender->udp_overhead)
      return FALSE;
    *bytes += size;
    *largest = MAX (*largest, size);
  }

  return unit->packets->len > 0;
}

/* Counts the unit whether or not it will be sent. */
void
lmcc_sender_count_anchor (LmccSender *sender, const LmccUnit *unit)
{
  if (unit->klass == 0)
    sender->intake.anchors[unit->stream]++;
}

guint8
lmcc_sender_get_anchor (const LmccSender *sender, guint stream)
{
  return sender->intake.anchors[stream];
}

/* Announces to receivers how much latency a decoder of the base layer alone
 * needs beyond the network's. If each rung is one layer, no decoder gets
 * class 0 alone. */
static void
follow_reordering (LmccSender *sender, const LmccUnit *unit, LmccTime now)
{
  LmccTime delay;

  if (unit->stream >= LMCC_MAX_RUNGS
      || lmcc_session_lists_levels (&sender->session))
    return;
  delay = lmcc_reorder_push (&sender->intake.reorder[unit->stream], unit);
  delay = (delay + LMCC_MSECOND - 1) / LMCC_MSECOND * LMCC_MSECOND;
  if (delay <= sender->session.latency)
    return;
  sender->session.latency = delay;
  sender->session.revision++;
  lmcc_sender_announce (sender, now);
}

static void
check_key_alignment (LmccSender *sender, const LmccUnit *unit, LmccTime now)
{
  if (sender->session.n_rungs < 2 || unit->stream == LMCC_STREAM_SOUND
      || !lmcc_key_alignment_push (&sender->intake.key_alignment, unit))
    return;

  sender->stats.key_misaligned++;
  lmcc_sender_request_key_unit (sender, now);
}

/*
 * lmcc_sender_follow_keys:
 * @sender: a sender
 * @unit: the next unit
 *
 * Returns: for a key frame of the lowest rung, its distance from the
 * previous one, ns, 0 for the first one; otherwise %LMCC_TIME_NONE
 */
LmccTime
lmcc_sender_follow_keys (LmccSender *sender, const LmccUnit *unit)
{
  LmccTime time = unit->decoding_time, last = sender->intake.key;

  if (unit->stream != 0 || !lmcc_unit_is_key (unit))
    return LMCC_TIME_NONE;
  sender->intake.key = time;

  return last < time ? time - last : 0;
}

void
lmcc_sender_learn_from_unit (LmccSender *sender, const LmccUnit *unit,
    LmccTime now)
{
  if (unit->stream != LMCC_STREAM_SOUND)
    lmcc_rate_watch_note_picture (&sender->rates, unit->decoding_time);
  follow_reordering (sender, unit, now);
  check_key_alignment (sender, unit, now);
}

void
lmcc_sender_init_intake (LmccSender *sender)
{
  sender->intake.key = LMCC_TIME_NONE;
}

/* The next unit does not continue from the previous one. */
void
lmcc_sender_flush_intake (LmccSender *sender)
{
  sender->intake.key_alignment.n_pictures = 0;
  sender->intake.key = LMCC_TIME_NONE;
}
