/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/layer-entry.h"

#include <gst/lmcc/lmcc-session-algorithm.h>
#include "control/slots/dynamic-layering.h"

/* A shorter join's share in the join time. */
#define JOIN_TIME_WEIGHT 8

/* A slot further back than this is one of another count, not a late packet. */
#define LATE_SLOTS 2

/**
 * lmcc_layer_entries_init:
 * @entries: (out): no layer was joined
 * @modulus: M of the slots, at least 1
 * @slot_length: of a slot, in ns; so long a join may take before one was
 *     measured
 * @ahead: a layer is joined for the next slot, so long before it that the join
 *     takes effect in time
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
 * @layer: a layer, below %LMCC_MAX_LAYERS, that was joined
 * @now: the time
 * @distance: a packet's size over the layer's rate, in ns; 0 if it is not known
 * @fresh: the network does not go on with it from an earlier join: how long
 *     this one takes can be measured
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

/* The base says which slot it is, and others that the next one has begun. */
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

/* The longest that a join took counts at once, shorter ones slowly: a loss
 * right behind the join looks like a join that takes longer. One that takes as
 * long as a leave is none, and what did not flow may have been waited for. */
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

/* When the join has taken effect: on a long path that may be slots later. */
static LmccTime
effective_from (const LmccLayerEntries *entries, const LmccLayerEntry *entry)
{
  return entry->joined + entries->join_time;
}

/* A packet is seldom larger than the distance says. */
static guint
count_since (const LmccLayerEntry *entry, LmccTime arrival, LmccTime effective)
{
  if (entry->distance == 0 || arrival < effective)
    return 0;

  return (guint) MIN ((arrival - effective) / entry->distance, LMCC_PLACE_MAX);
}

/* By the places alone: where a layer is joined ahead, its first slot is held
 * from the beginning; else it may have been joined in the slot before that. */
static guint
count_before (const LmccLayerEntries *entries, const LmccLayerEntry *entry,
    const LmccHeader *header)
{
  gint held = lmcc_slot_diff (header->slot, entry->slot, entries->modulus);

  if (header->place == LMCC_PLACE_FIRST)
    return 0;
  /* The one before it was sent in a slot that was held, or in none of these. */
  if (header->place < 0)
    return held + header->place >= 0;

  return held >= (entries->ahead ? 0 : -1) ? (guint) header->place : 0;
}

/* Only those packets count that were due when the join had taken effect. */
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
 * @arrival: when the packet came
 * @header: its element, of a held layer
 * @expected: (out): what should have come before it
 *
 * To be called for each packet before lmcc_layer_account_packet(). Where
 * packets without a place come nothing is expected.
 *
 * Returns: %FALSE if nothing of the layer is missing before it, as far as it
 *     says
 */
gboolean
lmcc_layer_entries_packet (LmccLayerEntries *entries, LmccTime arrival,
    const LmccHeader *header, LmccLayerExpected *expected)
{
  LmccLayerEntry *entry = &entries->layers[header->layer];
  gboolean first = entry->open;
  LmccTime span;
  guint n;

  /* Whatever slot it bears, the account has its first packet. */
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
