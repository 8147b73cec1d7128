/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_BASE_PACKET_POOL_H
#define LMCC_BASE_PACKET_POOL_H

#include <gst/lmcc/lmcc-packet.h>

G_BEGIN_DECLS

LmccPacket *lmcc_packet_pool_take (LmccPacketPool *pool, gsize capacity);
void lmcc_packet_pool_put (LmccPacketPool *pool, LmccPacket *packet);

G_END_DECLS

#endif
