/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/layer-entry.h"

#include <gst/lmcc/lmcc-session-algorithm.h>
#include "control/slots/dynamic-layering.h"

/* Weight of a join that took less time than the current join time. */
#define JOIN_TIME_WEIGHT 8

/* A slot further back than this belongs to another numbering and not to a
 * late packet. */
#define LATE_SLOTS 2

/**
 * lmcc_layer_entries_init:
 * @entries: (out): no layer is joined
 * @modulus: M, the modulus of the slot counter, at least 1
 * @slot_length: length of a slot, in ns; also the assumed duration of a join
 *     until one was measured
 * @ahead: layers are joined for the next slot, early enough for the join to
 *     take effect in time
 */
void
lmcc_layer_entries_init (LmccLayerEntries *entries, guint modulus,
    LmccTime slot_length, gboolean ahead)
{
  *entries = (LmccLayerEntries){ .modulus = MAX (modulus, 1),
    .slot_length = slot_length,
    .ahead = ahead,
    .join_time = slot_length };
}

/**
 * lmcc_layer_entries_joined:
 * @entries: entries
 * @layer: the layer that was joined, below %LMCC_MAX_LAYERS
 * @now: the time
 * @distance: packet size divided by the layer's rate, in ns; 0 if unknown
 * @fresh: the network does not forward the layer because of an earlier join, so
 *     the duration of this join can be measured
 */
void
lmcc_layer_entries_joined (LmccLayerEntries *entries, guint layer, LmccTime now,
    LmccTime distance, gboolean fresh)
{
  entries->layers[layer] = (LmccLayerEntry){ .open = entries->known,
    .fresh = fresh,
    .joined = now,
    .slot = (entries->slot + 1) % entries->modulus,
    .distance = distance };
}

/* The base layer tells the current slot, and other layers tell that the next
 * one has begun. */
static void
follow_slot (LmccLayerEntries *entries, const LmccHeader *header)
{
  gint ahead = lmcc_slot_diff (header->slot, entries->slot, entries->modulus);

  if (header->layer == 0) {
    if (entries->known && ahead <= 0 && ahead >= -LATE_SLOTS)
      return;
  } else if (!entries->known || ahead != 1) {
    return;
  }
  entries->known = TRUE;
  entries->slot = header->slot;
}

/* A longer join counts at once, shorter ones slowly: a loss right after the
 * join looks like a longer join. A duration as long as a leave is not one of
 * a join, and silence may have other causes if nothing flowed before. */
static void
measure (LmccLayerEntries *entries, LmccTime elapsed, gboolean flowed,
    gboolean late)
{
  if (elapsed > entries->join_time
      && (!flowed || elapsed > LMCC_DEFAULT_LEAVE_LATENCY))
    return;
  if (!entries->measured || (late && elapsed > entries->join_time))
    entries->join_time = elapsed;
  else if (elapsed < entries->join_time)
    entries->join_time -= (entries->join_time - elapsed) / JOIN_TIME_WEIGHT;
  entries->measured = TRUE;
}

/* When the join has taken effect: on a long path this may be slots later. */
static LmccTime
effective_from (const LmccLayerEntries *entries, const LmccLayerEntry *entry)
{
  return entry->joined + entries->join_time;
}

/* A packet is seldom larger than the distance implies. */
static guint
count_since (const LmccLayerEntry *entry, LmccTime arrival, LmccTime effective)
{
  if (entry->distance == 0 || arrival < effective)
    return 0;

  return (guint) MIN ((arrival - effective) / entry->distance, LMCC_PLACE_MAX);
}

/* Judges by the places alone: if layers are joined ahead, the receiver gets
 * the first slot from its beginning; otherwise the join may have happened in
 * the slot before. */
static guint
count_before (const LmccLayerEntries *entries, const LmccLayerEntry *entry,
    const LmccHeader *header)
{
  gint held = lmcc_slot_diff (header->slot, entry->slot, entries->modulus);

  if (header->place == LMCC_PLACE_FIRST)
    return 0;
  /* The previous packet was sent in a slot in which the layer was joined, or
   * before all of these. */
  if (header->place < 0)
    return held + header->place >= 0;

  return held >= (entries->ahead ? 0 : -1) ? (guint) header->place : 0;
}

/* Only packets count that were due after the join had taken effect. */
static guint
count_missed (const LmccLayerEntries *entries, const LmccLayerEntry *entry,
    LmccTime arrival, const LmccHeader *header)
{
  guint before = count_before (entries, entry, header);
  LmccTime effective = effective_from (entries, entry);

  if (entries->ahead || before == 0)
    return before;
  if (header->place < 0)
    return arrival >= effective + (guint) -header->place * entries->slot_length;

  return MIN (before, count_since (entry, arrival, effective));
}

/**
 * lmcc_layer_entries_packet:
 * @entries: entries
 * @arrival: arrival time of the packet
 * @header: its header element, of a joined layer
 * @expected: (out): the packets that should have arrived before it
 *
 * Call it for each packet before lmcc_layer_account_packet(). For packets
 * without a place nothing is expected.
 *
 * Returns: %FALSE if the packet gives no sign that packets of its layer are
 * missing before it
 */
gboolean
lmcc_layer_entries_packet (LmccLayerEntries *entries, LmccTime arrival,
    const LmccHeader *header, LmccLayerExpected *expected)
{
  LmccLayerEntry *entry = &entries->layers[header->layer];
  gboolean first = entry->open;
  LmccTime span;
  guint n;

  /* Whatever its slot, the account has its first packet. */
  entry->open = FALSE;
  if (header->slot >= entries->modulus)
    return FALSE;
  follow_slot (entries, header);
  if (!first)
    return FALSE;
  n = count_missed (entries, entry, arrival, header);
  span = n * entry->distance + entry->distance / 2;
  expected->lsn = (guint16) (header->lsn - n);
  expected->since = arrival - MIN (span, arrival);
  expected->slot = (guint) ((gint) header->slot + MIN (header->place, 0)
                       + (gint) entries->modulus)
      % entries->modulus;
  if (entry->fresh && !entries->ahead && arrival >= entry->joined)
    measure (entries, arrival - entry->joined, header->place > 0, n > 0);

  return n > 0;
}
