/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The sender's native layers: the codec determines their contents, and their
 * rates are measured.
 */
#include "sender/native.h"

#include <gst/lmcc/lmcc-session-algorithm.h>
#include "sender/private.h"

/* A late unit is sent at once, spread over this part of the window so that
 * it is not a burst. */
#define CATCH_UP_FRACTION 4

/* Greatest number of repair packets per call; the next call continues.
 * Encoding the packets of a block may take 60 us. */
#define REPAIR_AT_ONCE 8

/*
 * lmcc_sender_describe_layers:
 * @sender: a sender whose allocator has its layers
 *
 * Writes the allocator's layers and their levels into the session.
 */
void
lmcc_sender_describe_layers (LmccSender *sender)
{
  lmcc_allocator_describe (&sender->allocator, &sender->session);
  if (sender->levels != LMCC_LEVELS_CUMULATIVE)
    lmcc_session_set_levels (&sender->session, sender->levels);
}

void
lmcc_sender_init_native (LmccSender *sender)
{
  guint i;

  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    sender->session.layers[i].rate = 0;
}

/* Marks the next packet of the layer if it belongs to a packet train. */
static void
mark_train (LmccSender *sender, guint layer)
{
  LmccMarks marks = { .signal = LMCC_SIGNAL_NOBODY };

  lmcc_trains_mark (&sender->trains, layer, &marks);
  lmcc_sender_set_marks (sender, &marks);
}

/* If the network sets the base layer's rate, packets of the base layer fill
 * the token bucket of reports. */
static void
note_sent (LmccSender *sender, guint layer, LmccTime now, gsize size)
{
  lmcc_trains_sent (&sender->trains, layer, size);
  if (layer > 0 || !lmcc_sender_drives_base (sender))
    return;
  lmcc_sender_base_sent (sender, now, size);
  lmcc_sender_let_report_in (sender);
}

static void
send_native (LmccSender *sender, guint layer, LmccTime due, LmccTime now)
{
  LmccAllotment allotment;
  gsize size;

  lmcc_sender_begin_paced (sender, layer, due);
  lmcc_allocator_number (&sender->allocator, layer, &sender->osn);
  if (layer == 0)
    lmcc_sender_base_leaves (sender,
        g_queue_peek_head (&sender->allocator.layers[0].units));
  lmcc_sender_note_age (sender, layer, now);
  if (!lmcc_allocator_take (&sender->allocator, layer, &allotment))
    return;
  mark_train (sender, layer);
  lmcc_sender_note_leaving (sender, &allotment, now);
  size =
      lmcc_sender_send_media (sender, layer, &allotment, MIN (due, now), now);
  note_sent (sender, layer, now, size);
  lmcc_sender_end_paced (sender, layer, size);
}

/* The packet that is sent next. */
typedef struct
{
  LmccTime time;
  LmccTime due; /* later, if the packet is sent early */
  guint layer;
} NextMedia;

/* When the layer's next packet may be sent early: not before its decoding
 * time. */
static LmccTime
find_earliest (const LmccSender *sender, guint layer)
{
  const LmccQueuedUnit *head =
      g_queue_peek_head ((GQueue *) &sender->allocator.layers[layer].units);

  return MAX (sender->trains.next, head->unit->decoding_time);
}

static void
find_next_media (const LmccSender *sender, NextMedia *next)
{
  LmccTime least_rank = LMCC_TIME_NONE;
  NextMedia ahead = { LMCC_TIME_NONE, LMCC_TIME_NONE, 0 };
  guint i;

  *next = (NextMedia){ LMCC_TIME_NONE, LMCC_TIME_NONE, 0 };
  for (i = 0; i < sender->session.n_layers; i++) {
    LmccTime due =
        lmcc_sender_next_single (sender, i, lmcc_sender_next_paced (sender, i));
    LmccTime rank = lmcc_trains_get_rank (&sender->trains, i, due);
    LmccTime early;

    if (due < next->time)
      *next = (NextMedia){ due, due, i };
    if (rank == LMCC_TIME_NONE)
      continue;
    early = find_earliest (sender, i);
    if (early < ahead.time || (early == ahead.time && rank < least_rank)) {
      least_rank = rank;
      ahead = (NextMedia){ early, due, i };
    }
  }
  if (ahead.time < next->time)
    *next = ahead;
}

void
lmcc_sender_handle_media (LmccSender *sender, LmccTime now)
{
  NextMedia next;

  lmcc_sender_handle_single (sender, now);
  lmcc_trains_advance (&sender->trains, now);
  find_next_media (sender, &next);
  while (next.time <= now) {
    send_native (sender, next.layer, next.due, now);
    if (next.layer == 0)
      lmcc_sender_release_above (sender, now);
    find_next_media (sender, &next);
  }
}

static void
handle_rates (LmccSender *sender, LmccTime now)
{
  if (!lmcc_rate_watch_update (&sender->rates, &sender->session, now))
    return;
  sender->session.revision++;
  lmcc_sender_session_changed (sender);
}

static LmccTime
next_filler (const LmccSender *sender, guint layer)
{
  LmccTime due = lmcc_sender_get_last_sent (sender, layer)
      + lmcc_sender_get_filler_interval (sender, layer);

  return lmcc_sender_next_single (sender, layer, due);
}

static gsize
get_filler_size (const LmccSender *sender, guint layer)
{
  if (!lmcc_sender_fills_single (sender, layer))
    return LMCC_FILLER_PAYLOAD_SIZE;

  return sender->session.packet_size
      - lmcc_allocator_packet_size (&sender->allocator, 0);
}

static void
handle_fillers (LmccSender *sender, LmccTime now)
{
  guint i;

  for (i = 0; i < sender->session.n_layers; i++) {
    while (now >= next_filler (sender, i)) {
      mark_train (sender, i);
      note_sent (sender, i, now,
          lmcc_sender_send_filler (sender, i, get_filler_size (sender, i),
              now));
    }
  }
}

static void
change_table (LmccSender *sender, guint klass, LmccTime now)
{
  guint64 rates[LMCC_MAX_LAYERS];
  guint8 moved[LMCC_MAX_LAYERS];
  guint n_old = sender->session.n_layers, i;

  for (i = 0; i < n_old; i++)
    rates[i] = sender->session.layers[i].rate;

  /* Otherwise, the waiting repair packets would name layers that have
   * changed. */
  lmcc_sender_flush_repair (sender);
  if (!lmcc_allocator_add_class (&sender->allocator, klass, moved))
    sender->stats.classes_joined++;
  lmcc_sender_describe_layers (sender);
  lmcc_rate_watch_move (&sender->rates, moved, n_old, now);

  lmcc_sender_move_pacers (sender, moved, n_old);
  for (i = 0; i < sender->session.n_layers; i++) {
    sender->session.layers[i].rate = 0;
    if (i >= n_old)
      lmcc_sender_begin_layer (sender, i, now);
  }
  for (i = 0; i < n_old; i++)
    sender->session.layers[moved[i]].rate = rates[i];

  sender->session.version++;
  sender->session.revision++;
  lmcc_sender_announce (sender, now);
}

static LmccTime
find_deadline (LmccSender *sender, const LmccUnit *unit, LmccTime now)
{
  LmccTime deadline = unit->decoding_time + sender->session.window;

  if (now <= deadline)
    return deadline;
  sender->stats.units_late++;

  return now + sender->session.window / CATCH_UP_FRACTION;
}

static gboolean
make_room (LmccSender *sender, guint layer, const LmccUnit *unit, LmccTime now)
{
  if (layer == 0 && lmcc_sender_drives_base (sender))
    return lmcc_sender_admit_single (sender, unit, now);

  return lmcc_allocator_make_room (&sender->allocator, layer, unit->klass,
      unit->packets->len, sender->stats.units_dropped);
}

void
lmcc_sender_queue (LmccSender *sender, LmccUnit *unit, gsize bytes,
    LmccTime now)
{
  LmccQueuedUnit *queued;
  gboolean waits;
  guint layer;

  if (!lmcc_allocator_knows (&sender->allocator, unit->klass))
    change_table (sender, unit->klass, now);
  layer =
      lmcc_allocator_get_layer (&sender->allocator, unit->stream, unit->klass);
  waits = layer > 0 && lmcc_sender_has_layers_above (sender);
  if (layer == 0 && lmcc_sender_has_layers_above (sender))
    lmcc_sender_note_base (sender, unit);
  if (!waits && !make_room (sender, layer, unit, now)) {
    /* Reserves the order numbers, so that no other packet gets them. */
    if (lmcc_sender_has_layers_above (sender))
      sender->osn = (guint16) (sender->osn + unit->packets->len);
    lmcc_unit_free (unit);
    return;
  }

  queued = g_new0 (LmccQueuedUnit, 1);
  queued->unit = unit;
  queued->bytes = bytes;
  queued->deadline = find_deadline (sender, unit, now);
  queued->anchor = lmcc_sender_get_anchor (sender, unit->stream);
  queued->osn = sender->osn;
  queued->unnumbered = lmcc_sender_has_single_rate (sender);
  if (unit->stream != LMCC_STREAM_SOUND && !queued->unnumbered)
    sender->osn = (guint16) (sender->osn + unit->packets->len);

  lmcc_rate_watch_note_unit (&sender->rates, layer, unit,
      sender->session.window,
      bytes + lmcc_sender_repair_share (sender, layer, bytes));
  if (waits) {
    lmcc_sender_push_above (sender, queued);
    lmcc_sender_release_above (sender, now);
    return;
  }
  lmcc_sender_push_paced (sender, layer, queued, now);
}

static void
handle_repair (LmccSender *sender, LmccTime now)
{
  LmccPacket *payload;
  guint n = 0, i;

  lmcc_sender_end_repair_block (sender, now);
  for (i = 0; i < sender->session.n_layers; i++) {
    while (n < REPAIR_AT_ONCE
        && (payload = lmcc_sender_take_due_repair (sender, i, now)) != NULL) {
      n++;
      mark_train (sender, i);
      note_sent (sender, i, now,
          lmcc_sender_send_repair (sender, i, payload, now));
    }
  }
}

void
lmcc_sender_handle_native (LmccSender *sender, LmccTime now)
{
  lmcc_sender_handle_media (sender, now);
  handle_repair (sender, now);
  handle_fillers (sender, now);
  handle_rates (sender, now);
}

LmccTime
lmcc_sender_next_native (const LmccSender *sender)
{
  NextMedia media;
  LmccTime next;
  guint i;

  find_next_media (sender, &media);
  next = MIN (media.time, sender->rates.check);
  next = MIN (next, lmcc_trains_next (&sender->trains));
  next = MIN (next, lmcc_sender_next_repair (sender));
  for (i = 0; i < sender->session.n_layers; i++)
    next = MIN (next, next_filler (sender, i));

  return MIN (next, lmcc_sender_next_single_timeout (sender));
}
