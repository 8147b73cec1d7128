/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_POUR_H
#define LMCC_SENDER_POUR_H

#include "sender/allocator.h"

G_BEGIN_DECLS

/**
 * LmccPourItem:
 * @queued: a unit
 * @order: its place in decoding order
 * @rank: its place among the units of its rung and class, most important first
 * @droppable: the units of its rung and class do not need each other; @rank is
 *     then 0 for the first
 * @section: for spatial layers above the lowest: which part of the window, from
 *     one of their switch points to the next
 * @layers: (nullable): for each of its packets the layer, owned; %NULL where the
 *     unit has no place
 */
typedef struct
{
  LmccQueuedUnit *queued;
  guint order;
  guint rank;
  gboolean droppable;
  guint section;
  guint8 *layers;
} LmccPourItem;

/**
 * LmccPour:
 * @n_layers: layers
 * @n_temporal: as in #LmccCodec; 0 before it is known
 * @end: decoding time at which the window ends
 * @length: of the window
 * @packet_overhead: bytes of an IP packet of the session without RTP payload
 * @room: bytes of IP packets that are free in each layer
 * @share: bytes that each layer has for a whole window
 * @floors: for each (rung, class) the lowest layer at which a unit can be decoded
 *     that needs earlier ones of its class; @n_layers for none
 * @classes: that each rung has had: nothing needs others
 *
 * How the units of one window come into layers.
 */
typedef struct
{
  guint n_layers;
  guint n_temporal;
  LmccTime end;
  LmccTime length;
  gsize packet_overhead;
  gsize room[LMCC_MAX_LAYERS];
  gsize share[LMCC_MAX_LAYERS];
  guint8 floors[LMCC_MAX_RUNGS][LMCC_MAX_CLASSES];
  guint16 classes[LMCC_MAX_RUNGS];
} LmccPour;

void lmcc_pour (LmccPour *pour, LmccPourItem *items, guint n_items);
guint lmcc_pour_count_run (const LmccPourItem *item, guint first);

G_END_DECLS

#endif
