/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_WIRE_ADDRESS_CLAIM_H
#define LMCC_WIRE_ADDRESS_CLAIM_H

#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Subtype of the APP packets named LMCC with which a sender, before it starts, claims
 * the session address that the packets are sent to. */
#define LMCC_RTCP_APP_ADDRESS_CLAIM 7

LmccPacket *lmcc_address_claim_build (guint32 ssrc_base);
gboolean
lmcc_address_claim_parse (const guint8 *data, gsize size, guint32 *ssrc_base);

G_END_DECLS

#endif
