/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_LAYER_ENTRY_H
#define LMCC_RECEIVER_LAYER_ENTRY_H

#include "wire/layer-header.h"

G_BEGIN_DECLS

/**
 * LmccLayerEntry:
 * @open: the layer was joined, and nothing of it has come
 * @fresh: the network did not go on with it from before
 * @joined: when
 * @slot: the first slot of which all packets should come
 * @distance: of its packets, in ns
 *
 * How a layer was joined.
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
 * @modulus: M of the slots
 * @slot_length: of a slot, in ns
 * @ahead: layers are joined so long before their slot that all of it comes
 * @known: a slot was heard
 * @slot: the one that runs
 * @join_time: how long a join takes until packets come
 * @measured: it was measured
 * @layers: of each layer
 *
 * Which packets of a layer that was joined should have come before the first one
 * that does: those are lost like others. Packets say their place in the slot
 * (docs/developers/wire-format.md). To be read.
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
 * @lsn: the first that should have come
 * @since: when the one before it was due at the latest
 * @slot: the slot that it belongs to
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
