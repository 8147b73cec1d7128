/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_WIRE_RTCP_INTERNAL_H
#define LMCC_WIRE_RTCP_INTERNAL_H

#include "base/bytes.h"
#include "wire/rtcp.h"

#include <string.h>

/* RFC 3550 section 12.1; RFC 3611 section 2. */
#define LMCC_RTCP_TYPE_SR 200
#define LMCC_RTCP_TYPE_RR 201
#define LMCC_RTCP_TYPE_SDES 202
#define LMCC_RTCP_TYPE_BYE 203
#define LMCC_RTCP_TYPE_APP 204
#define LMCC_RTCP_TYPE_XR 207

#define LMCC_RTCP_HEADER_SIZE 4

/* RFC 3550 section 6.4.1: the length is in 32-bit words minus one. */
static inline guint8 *
lmcc_rtcp_write_header (guint8 *data, guint count, guint8 type, gsize size)
{
  data[0] = 0x80 | count;
  data[1] = type;

  return lmcc_write_uint16 (data + 2, size / 4 - 1);
}

/* The library's APP packets (RFC 3550 section 6.7). */
#define LMCC_RTCP_APP_NAME "LMCC"
#define LMCC_RTCP_APP_SIZE 12

static inline guint8 *
lmcc_rtcp_write_app (guint8 *data, guint8 subtype, guint32 ssrc, gsize size)
{
  data = lmcc_rtcp_write_header (data, subtype, LMCC_RTCP_TYPE_APP, size);
  data = lmcc_write_uint32 (data, ssrc);
  memcpy (data, LMCC_RTCP_APP_NAME, 4);

  return data + 4;
}

/* Whether a datagram is one such packet and nothing else. */
static inline gboolean
lmcc_rtcp_is_app (const guint8 *data, gsize size, guint8 subtype)
{
  return size >= LMCC_RTCP_APP_SIZE && data[0] == (0x80 | subtype)
      && data[1] == LMCC_RTCP_TYPE_APP
      && 4 * ((gsize) lmcc_read_uint16 (data + 2) + 1) == size
      && memcmp (data + 8, LMCC_RTCP_APP_NAME, 4) == 0;
}

LmccPacket *lmcc_rtcp_build_app (guint8 subtype, guint32 ssrc);
gboolean lmcc_rtcp_parse_app (const guint8 *data, gsize size, guint8 subtype,
    guint32 *ssrc);
gboolean lmcc_rtcp_is_losses (const guint8 *data);
void lmcc_rtcp_write_losses (guint8 *data, guint32 ssrc,
    const LmccLossReport *report);
gboolean
lmcc_rtcp_read_losses (const guint8 *data, gsize size, LmccLossReport *report);
gboolean lmcc_rtcp_xr_is_valid (const guint8 *data, gsize size);
void lmcc_rtcp_xr_hand_out (const guint8 *data, gsize size,
    const LmccRtcpHandler *handler, gpointer user_data);

#endif
