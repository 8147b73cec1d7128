/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "wire/address-claim.h"

#include "wire/rtcp-internal.h"

#include <gst/lmcc/lmcc-session.h>

/**
 * lmcc_address_claim_build:
 * @ssrc_base: S0 of the session that is about to start
 *
 * Returns: (transfer full): one reduced-size RTCP packet (RFC 5506)
 */
LmccPacket *
lmcc_address_claim_build (guint32 ssrc_base)
{
  return lmcc_rtcp_build_app (LMCC_RTCP_APP_ADDRESS_CLAIM, ssrc_base);
}

/**
 * lmcc_address_claim_parse:
 * @data: a UDP payload
 * @size: its length in bytes
 * @ssrc_base: (out): S0 of the session that is about to start
 *
 * Returns: %FALSE if it is anything else
 */
gboolean
lmcc_address_claim_parse (const guint8 *data, gsize size, guint32 *ssrc_base)
{
  if (!lmcc_rtcp_parse_app (data, size, LMCC_RTCP_APP_ADDRESS_CLAIM, ssrc_base))
    return FALSE;
  *ssrc_base &= LMCC_SSRC_BASE_MASK;

  return TRUE;
}
