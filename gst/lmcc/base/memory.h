/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_BASE_MEMORY_H
#define LMCC_BASE_MEMORY_H

#include <gst/lmcc/lmcc-packet.h>

G_BEGIN_DECLS

/* Greatest bookkeeping of a receiver per packet, on a 64-bit host. A packet is in one
 * of these places at a time: in a layer's queue (296), in the merge (288, with a
 * half-full ring), or in a picture with its output (700, if each picture is one
 * packet). In addition it may be among the sources of repair (56). */
#define LMCC_MEMORY_PER_PACKET 768

/**
 * LmccMemory:
 * Counts the bytes of packets and of their bookkeeping. A packet counts until its last
 * reference is released, in any thread: the counter needs no lock.
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
