/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_SOURCES_H
#define LMCC_REPAIR_SOURCES_H

#include <gst/lmcc/lmcc-packet.h>

G_BEGIN_DECLS

/**
 * LmccRepairSource:
 * @key: source and sequence number
 * @next: number of the previous packet in the same bucket
 * @packet: the packet as received
 * @time: its arrival time
 * @bytes: its memory, stored here because all packets are examined at once when a layer
 *     is left, and most of them are not in the processor's caches
 */
typedef struct
{
  guint key;
  guint next;
  LmccPacket *packet;
  LmccTime time;
  gsize bytes;
} LmccRepairSource;

/**
 * LmccRepairSources:
 * @ring: (array length=size): packets in the order of arrival, number i at i modulo @size
 * @size: a power of two, or 0
 * @first: number of the oldest packet
 * @n: number of packets
 * @newest: (array length=size): number of the newest packet in each bucket of keys; it
 *     may be forgotten already
 * @bytes: memory of the packets
 *
 * Source packets, found by their key and forgotten in the order of their arrival. Every
 * packet of a session passes through here, so data used together is stored together.
 */
typedef struct
{
  LmccRepairSource *ring;
  guint size;
  guint first;
  guint n;
  guint *newest;
  gsize bytes;
} LmccRepairSources;

void lmcc_repair_sources_clear (LmccRepairSources *sources);
gboolean lmcc_repair_sources_add (LmccRepairSources *sources, guint key,
    LmccPacket *packet, LmccTime time);
LmccPacket *
lmcc_repair_sources_find (const LmccRepairSources *sources, guint key);
void lmcc_repair_sources_forget_oldest (LmccRepairSources *sources);
void lmcc_repair_sources_expire (LmccRepairSources *sources, LmccTime before);
void lmcc_repair_sources_drop (LmccRepairSources *sources,
    gboolean (*is_dropped) (guint key, gpointer user_data), gpointer user_data,
    GPtrArray *dropped);
gsize lmcc_repair_memory (const LmccPacket *packet);

G_END_DECLS

#endif
