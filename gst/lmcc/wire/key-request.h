/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_WIRE_KEY_REQUEST_H
#define LMCC_WIRE_KEY_REQUEST_H

#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Subtypes of the APP packets named LMCC: a receiver's request for a key frame, and
 * the sender's notice that one is coming. */
#define LMCC_RTCP_APP_KEY_REQUEST 5
#define LMCC_RTCP_APP_KEY_NOTICE 6

#define LMCC_KEY_REQUEST_SIZE 20
#define LMCC_KEY_NOTICE_SIZE 12

/* Least time between two key frames made on receivers' request. */
#define LMCC_KEY_REQUEST_DISTANCE (2 * LMCC_SECOND)

/**
 * LmccKeyRequest:
 * @ssrc: SSRC of the receiver that asks
 * @ssrc_base: S0 of the session
 * @lsn: highest LSN of layer 0 that it has received
 *
 * A receiver has no picture and requests a key frame, similar to a Full Intra Request
 * (RFC 5104 section 4.3.1). That has no field for @lsn, which shows the sender whether
 * the receiver can still get the latest key frame.
 */
typedef struct
{
  guint32 ssrc;
  guint32 ssrc_base;
  guint16 lsn;
} LmccKeyRequest;

LmccPacket *lmcc_key_request_build (const LmccKeyRequest *request);
gboolean lmcc_key_request_parse (const guint8 *data, gsize size,
    LmccKeyRequest *request);
LmccPacket *lmcc_key_notice_build (guint32 ssrc);
gboolean lmcc_key_notice_parse (const guint8 *data, gsize size, guint32 *ssrc);

G_END_DECLS

#endif
