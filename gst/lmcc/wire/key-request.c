/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "wire/key-request.h"

#include "wire/rtcp-internal.h"

/**
 * lmcc_key_request_build:
 * @request: the contents
 *
 * Returns: (transfer full): one reduced-size RTCP packet (RFC 5506)
 */
LmccPacket *
lmcc_key_request_build (const LmccKeyRequest *request)
{
  LmccPacket *packet = lmcc_packet_new (LMCC_KEY_REQUEST_SIZE);
  guint8 *data = lmcc_rtcp_write_app (packet->data, LMCC_RTCP_APP_KEY_REQUEST,
      request->ssrc, LMCC_KEY_REQUEST_SIZE);

  data = lmcc_write_uint32 (data, request->ssrc_base);
  data = lmcc_write_uint16 (data, request->lsn);
  lmcc_write_uint16 (data, 0);
  packet->size = LMCC_KEY_REQUEST_SIZE;

  return packet;
}

/**
 * lmcc_key_request_parse:
 * @data: a UDP payload
 * @size: its length in bytes
 * @request: (out): the contents
 *
 * Returns: %FALSE if it is anything else
 */
gboolean
lmcc_key_request_parse (const guint8 *data, gsize size, LmccKeyRequest *request)
{
  if (size != LMCC_KEY_REQUEST_SIZE
      || !lmcc_rtcp_is_app (data, size, LMCC_RTCP_APP_KEY_REQUEST))
    return FALSE;

  request->ssrc = lmcc_read_uint32 (data + 4);
  request->ssrc_base = lmcc_read_uint32 (data + 12);
  request->lsn = lmcc_read_uint16 (data + 16);

  return TRUE;
}

/**
 * lmcc_key_notice_build:
 * @ssrc: S0 of the session
 *
 * Builds the sender's notice to all receivers that a request has arrived, so
 * that the others do not ask as well (RFC 6642 explains the reasons).
 *
 * Returns: (transfer full): one reduced-size RTCP packet (RFC 5506)
 */
LmccPacket *
lmcc_key_notice_build (guint32 ssrc)
{
  return lmcc_rtcp_build_app (LMCC_RTCP_APP_KEY_NOTICE, ssrc);
}

/**
 * lmcc_key_notice_parse:
 * @data: a UDP payload
 * @size: its length in bytes
 * @ssrc: (out): S0 of the session
 *
 * Returns: %FALSE if it is anything else
 */
gboolean
lmcc_key_notice_parse (const guint8 *data, gsize size, guint32 *ssrc)
{
  return lmcc_rtcp_parse_app (data, size, LMCC_RTCP_APP_KEY_NOTICE, ssrc);
}
