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
 * @rank: its rank among the units of its rung and class, most important first
 * @droppable: the units of its rung and class do not depend on each other; @rank is then
 *     0 for the first
 * @section: for spatial layers above the lowest: the part of the window from one switch
 *     point to the next
 * @layers: (nullable): the layer of each packet, owned; %NULL if the unit has no place
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
 * @n_layers: number of layers
 * @n_temporal: as in #LmccCodec; 0 until it is known
 * @end: decoding time at which the window ends
 * @length: length of the window
 * @packet_overhead: size of an IP packet of the session without RTP payload, in bytes
 * @room: free bytes of IP packets in each layer
 * @share: bytes that each layer has for a whole window
 * @floors: for each (rung, class) the lowest layer in which a unit can be decoded that
 *     depends on earlier ones of its class; @n_layers for none
 * @classes: classes that each rung has had; units do not depend on other classes
 *
 * Assigns the units of one window to layers.
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
