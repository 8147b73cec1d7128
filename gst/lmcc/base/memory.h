/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_BASE_MEMORY_H
#define LMCC_BASE_MEMORY_H

#include <gst/lmcc/lmcc-packet.h>

G_BEGIN_DECLS

/* What a receiver keeps of each packet beside it, at most, on a host with 64
 * bits: of its places in a layer's queue (296), the merge (288, where its ring is
 * half full), and a picture with what is given out of it (700, where each picture
 * is one packet) only one at a time, and one among the sources of repair (56). */
#define LMCC_MEMORY_PER_PACKET 768

/**
 * LmccMemory:
 * Counts the bytes of packets, and of what is kept beside them. A packet counts
 * until its last reference is gone, in whichever thread that is: the count has no
 * lock.
 */
typedef struct _LmccMemory LmccMemory;

LmccMemory *lmcc_memory_new (void);
void lmcc_memory_unref (LmccMemory *memory);
gsize lmcc_memory_get_used (LmccMemory *memory);

gsize lmcc_memory_cost (gsize capacity);
gboolean lmcc_memory_claim (LmccMemory *memory, LmccPacket *packet);
void lmcc_memory_release (LmccPacket *packet);

/* base/packet.c */
LmccPacket *lmcc_packet_take_counted (LmccPacket *packet, LmccMemory *memory);
gboolean
lmcc_packet_has_room (LmccPacket *packet, const guint8 *at, gsize size);
void lmcc_packet_begin_at (LmccPacket *packet, const guint8 *at, gsize size);

G_END_DECLS

#endif
