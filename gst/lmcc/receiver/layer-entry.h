/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_LAYER_ENTRY_H
#define LMCC_RECEIVER_LAYER_ENTRY_H

#include "wire/layer-header.h"

G_BEGIN_DECLS

/**
 * LmccLayerEntry:
 * @open: the layer was joined, and no packet of it has arrived
 * @fresh: the network was not forwarding it because of an earlier join
 * @joined: time of the join
 * @slot: the first slot of which all packets should arrive
 * @distance: time between its packets, in ns
 *
 * State of a layer's join.
 */
typedef struct
{
  gboolean open;
  gboolean fresh;
  LmccTime joined;
  guint slot;
  LmccTime distance;
} LmccLayerEntry;

/**
 * LmccLayerEntries:
 * @modulus: M, the modulus of the slot counter
 * @slot_length: length of a slot, in ns
 * @ahead: layers are joined early enough to receive all of their first slot
 * @known: a slot number was received
 * @slot: the current slot
 * @join_time: time from a join to its first packets
 * @measured: @join_time was measured
 * @layers: one entry per layer
 *
 * Determines which packets of a newly joined layer should have arrived before its first
 * one: those count as lost. Packets state their place in the slot
 * (docs/developers/wire-format.md). Fields are read-only.
 */
typedef struct
{
  guint modulus;
  LmccTime slot_length;
  gboolean ahead;
  gboolean known;
  guint slot;
  LmccTime join_time;
  gboolean measured;
  LmccLayerEntry layers[LMCC_MAX_LAYERS];
} LmccLayerEntries;

/**
 * LmccLayerExpected:
 * @lsn: the first packet that should have arrived
 * @since: latest time at which the packet before it was due
 * @slot: the slot of that packet
 */
typedef struct
{
  guint16 lsn;
  LmccTime since;
  guint slot;
} LmccLayerExpected;

void lmcc_layer_entries_init (LmccLayerEntries *entries, guint modulus,
    LmccTime slot_length, gboolean ahead);
void lmcc_layer_entries_joined (LmccLayerEntries *entries, guint layer,
    LmccTime now, LmccTime distance, gboolean fresh);
gboolean lmcc_layer_entries_packet (LmccLayerEntries *entries, LmccTime arrival,
    const LmccHeader *header, LmccLayerExpected *expected);

G_END_DECLS

#endif
