/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "wire/address-claim.h"

#include "wire/rtcp-internal.h"

#include <gst/lmcc/lmcc-session.h>

/**
 * lmcc_address_claim_build:
 * @ssrc_base: S0 of the session that is to begin
 *
 * Returns: (transfer full): one RTCP packet of reduced size (RFC 5506)
 */
LmccPacket *
lmcc_address_claim_build (guint32 ssrc_base)
{
  LmccPacket *packet = lmcc_packet_new (LMCC_ADDRESS_CLAIM_SIZE);

  lmcc_rtcp_write_app (packet->data, LMCC_RTCP_APP_ADDRESS_CLAIM, ssrc_base,
      LMCC_ADDRESS_CLAIM_SIZE);
  packet->size = LMCC_ADDRESS_CLAIM_SIZE;

  return packet;
}

/**
 * lmcc_address_claim_parse:
 * @data: a UDP payload
 * @size: its length
 * @ssrc_base: (out): S0 of the session that is to begin
 *
 * Returns: %FALSE if it is anything else
 */
gboolean
lmcc_address_claim_parse (const guint8 *data, gsize size, guint32 *ssrc_base)
{
  if (size != LMCC_ADDRESS_CLAIM_SIZE
      || !lmcc_rtcp_is_app (data, size, LMCC_RTCP_APP_ADDRESS_CLAIM))
    return FALSE;
  *ssrc_base = lmcc_read_uint32 (data + 4) & LMCC_SSRC_BASE_MASK;

  return TRUE;
}
