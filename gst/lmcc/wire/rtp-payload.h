/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Media packets from payloaders, on their way to the network.
 */
#ifndef LMCC_WIRE_RTP_PAYLOAD_H
#define LMCC_WIRE_RTP_PAYLOAD_H

#include "wire/rtp.h"

G_BEGIN_DECLS

gboolean lmcc_rtp_read (LmccPacket *packet, LmccRtp *rtp);
const guint8 *lmcc_rtp_find_payload (LmccPacket *packet, gsize *size);
gboolean lmcc_rtp_has_marker (const LmccPacket *packet);
LmccPacket *lmcc_rtp_build_from (LmccPacket *packet, LmccRtp *rtp,
    const LmccHeader *header, guint8 element_id);

G_END_DECLS

#endif
