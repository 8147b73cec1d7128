/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Layers above a base layer whose rate the network sets. Their packets are
 * sent after everything that precedes them in the base layer, because
 * receivers merge in that order and would wait for it. Units that refer to a
 * picture dropped from the base layer are useless.
 */
#include "sender/above-base.h"

#include "sender/private.h"

/* Pushed units in decoding order. */
typedef struct
{
  LmccQueuedUnit *waits; /* NULL: of the base layer, or there is no room */
  guint16 osn;
  guint stream;
  guint klass;
  gboolean switch_point;
  gboolean sent; /* of the base layer: completely sent */
} Entry;

static void
entry_free (Entry *entry)
{
  if (entry->waits != NULL)
    lmcc_queued_unit_free (entry->waits);
  g_free (entry);
}

void
lmcc_sender_flush_above (LmccSender *sender)
{
  g_queue_clear_full (&sender->above.entries, (GDestroyNotify) entry_free);
  sender->above.n_packets = 0;
  sender->above.broken = 0;
}

gboolean
lmcc_sender_waits_above (const LmccSender *sender)
{
  return sender->above.n_packets > 0;
}

/* Returns the number of pictures of the class that were dropped here. */
guint64
lmcc_sender_get_dropped_above (const LmccSender *sender, guint klass)
{
  return sender->above.n_dropped[klass];
}

static Entry *
note (LmccSender *sender, const LmccUnit *unit)
{
  Entry *entry = g_new0 (Entry, 1);

  entry->osn = sender->osn;
  entry->stream = unit->stream;
  entry->klass = unit->klass;
  entry->switch_point = unit->switch_point;
  g_queue_push_tail (&sender->above.entries, entry);

  return entry;
}

/*
 * lmcc_sender_note_base:
 * @sender: the sender of a session with layers above a network-driven base
 *     layer
 * @unit: a unit that is pushed to the base layer, or dropped from it
 */
void
lmcc_sender_note_base (LmccSender *sender, const LmccUnit *unit)
{
  if (unit->stream != LMCC_STREAM_SOUND)
    note (sender, unit);
}

/*
 * lmcc_sender_base_leaves:
 * @sender: as for lmcc_sender_note_base()
 * @queued: (nullable): a unit of the base layer whose next packet is sent
 */
void
lmcc_sender_base_leaves (LmccSender *sender, const LmccQueuedUnit *queued)
{
  GList *l;

  /* Sound has the order number of the next picture. */
  if (queued == NULL || queued->unit->stream == LMCC_STREAM_SOUND
      || queued->next + 1 < queued->unit->packets->len)
    return;
  for (l = sender->above.entries.head; l != NULL; l = l->next) {
    Entry *entry = l->data;

    if (entry->waits == NULL && entry->osn == queued->osn) {
      entry->sent = TRUE;
      return;
    }
  }
}

/*
 * lmcc_sender_push_above:
 * @sender: as for lmcc_sender_note_base()
 * @queued: (transfer full): a numbered unit of a layer above the base layer
 */
void
lmcc_sender_push_above (LmccSender *sender, LmccQueuedUnit *queued)
{
  guint n = queued->unit->packets->len;
  Entry *entry = note (sender, queued->unit);

  entry->osn = queued->osn;
  if (sender->above.n_packets + n > LMCC_LIVE_QUEUE_MAX_PACKETS) {
    sender->above.n_dropped[queued->unit->klass]++;
    lmcc_queued_unit_free (queued);
    return;
  }
  entry->waits = queued;
  sender->above.n_packets += n;
}

static gboolean
base_has_passed (const LmccSender *sender, guint16 osn)
{
  const LmccQueuedUnit *head =
      g_queue_peek_head ((GQueue *) &sender->allocator.layers[0].units);

  return head == NULL || lmcc_sequence_diff (head->osn, osn) > 0;
}

static void
release (LmccSender *sender, LmccQueuedUnit *queued, LmccTime now)
{
  const LmccUnit *unit = queued->unit;
  guint layer =
      lmcc_allocator_get_layer (&sender->allocator, unit->stream, unit->klass);

  sender->above.n_packets -= unit->packets->len;
  if (!lmcc_allocator_make_room (&sender->allocator, layer, unit->klass,
          unit->packets->len, sender->above.n_dropped)) {
    lmcc_queued_unit_free (queued);
    return;
  }
  queued->deadline = now + sender->session.window;
  lmcc_sender_push_paced (sender, layer, queued, now);
}

/* Other rungs do not refer to the pictures of the base layer. */
static gboolean
is_useful (LmccSender *sender, const Entry *entry)
{
  guint16 *broken = &sender->above.broken;

  if (entry->stream != 0)
    return entry->waits != NULL;
  if (entry->waits != NULL || entry->sent)
    return lmcc_live_queue_can_use (broken, entry->klass, entry->switch_point);
  *broken |= (guint16) (1u << entry->klass);

  return FALSE;
}

/*
 * lmcc_sender_release_above:
 * @sender: any sender
 * @now: the time
 *
 * Passes units on to their layers once the base layer has passed them.
 */
void
lmcc_sender_release_above (LmccSender *sender, LmccTime now)
{
  Entry *entry;

  while ((entry = g_queue_peek_head (&sender->above.entries)) != NULL
      && base_has_passed (sender, entry->osn)) {
    gboolean useful = is_useful (sender, entry);

    g_queue_pop_head (&sender->above.entries);
    if (entry->waits != NULL && useful) {
      release (sender, g_steal_pointer (&entry->waits), now);
    } else if (entry->waits != NULL) {
      sender->above.n_packets -= entry->waits->unit->packets->len;
      sender->above.n_dropped[entry->klass]++;
    }
    entry_free (entry);
  }
}

/*
 * lmcc_sender_next_number:
 * @sender: any sender
 * @layer: a layer
 *
 * Returns: a lower bound of the order sequence numbers that are still to be
 * pushed to the layer's queue
 */
guint16
lmcc_sender_next_number (const LmccSender *sender, guint layer)
{
  const Entry *first = g_queue_peek_head ((GQueue *) &sender->above.entries);

  return layer > 0 && first != NULL ? first->osn : sender->osn;
}
