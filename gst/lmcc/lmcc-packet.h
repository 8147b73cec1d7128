/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_PACKET_H
#define LMCC_PACKET_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccPacket:
 * @data: the bytes of one UDP payload
 * @size: how many of them are in use
 * @capacity: how many there is room for
 *
 * A reference-counted datagram. The bytes follow the struct in one allocation.
 * References may be taken and dropped from any thread; the bytes belong to
 * whoever holds the only reference, and are read-only to everybody else.
 */
typedef struct
{
  guint8 *data;
  gsize size;
  gsize capacity;
  /*< private >*/
  gatomicrefcount ref_count;
  gpointer memory;
} LmccPacket;

LMCC_API LmccPacket *lmcc_packet_new (gsize capacity);
LMCC_API LmccPacket *lmcc_packet_new_copy (const guint8 * data, gsize size);
LMCC_API LmccPacket *lmcc_packet_ref (LmccPacket * packet);
LMCC_API void lmcc_packet_unref (LmccPacket * packet);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccPacket, lmcc_packet_unref)

G_END_DECLS

#endif
