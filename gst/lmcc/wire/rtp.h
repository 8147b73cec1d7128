/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_WIRE_RTP_H
#define LMCC_WIRE_RTP_H

#include <gst/lmcc/lmcc-packet.h>
#include "wire/layer-header.h"

G_BEGIN_DECLS

/**
 * LmccRtp:
 * @marker: the marker bit
 * @payload_type: below 128
 * @sequence: the packet's RTP sequence number
 * @timestamp: in units of the stream's clock rate
 * @ssrc: the synchronization source
 * @header_size: bytes before the payload: fixed header, CSRCs and extension
 * @payload_size: size of the payload in bytes, without padding
 * @element: data of the library's element, or %NULL; points into the parsed bytes
 * @element_size: its length in bytes
 * @second: data of the library's second element, or %NULL; points into the parsed bytes
 * @second_size: its length in bytes, 1 to %LMCC_SECOND_ELEMENT_MAX_SIZE
 *
 * One parsed RTP packet (RFC 3550 section 5.1).
 */
typedef struct
{
  gboolean marker;
  guint8 payload_type;
  guint16 sequence;
  guint32 timestamp;
  guint32 ssrc;
  gsize header_size;
  gsize payload_size;
  const guint8 *element;
  gsize element_size;
  const guint8 *second;
  gsize second_size;
} LmccRtp;

gboolean lmcc_rtp_parse (const guint8 *data, gsize size, guint8 element_id,
    LmccRtp *rtp);
gsize lmcc_rtp_get_header_size (gsize second_size);
void lmcc_rtp_write_header (const LmccRtp *rtp, const LmccHeader *header,
    guint8 element_id, guint8 *data);
LmccPacket *lmcc_rtp_build (const LmccRtp *rtp, const LmccHeader *header,
    guint8 element_id, const guint8 *payload);
LmccPacket *lmcc_rtp_strip (LmccPacket *packet, const LmccRtp *rtp,
    guint8 payload_type, guint32 ssrc, guint16 sequence, gboolean marker);

G_END_DECLS

#endif
