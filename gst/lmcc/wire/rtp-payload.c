/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "wire/rtp-payload.h"

#include "base/memory.h"

/* Whether the stored position belongs to these bytes: the packet's owner may
 * have changed them. */
static gboolean
is_kept (const LmccPacket *packet)
{
  gsize around = packet->rtp_header_size + packet->rtp_padding;

  return packet->rtp_header_size > 0 && around <= packet->size
      && packet->data[0] == packet->rtp_first
      && (packet->rtp_padding == 0
          || packet->data[packet->size - 1] == packet->rtp_padding);
}

/**
 * lmcc_rtp_read:
 * @packet: an RTP packet from a payloader
 * @rtp: (out): the parsed header, without the library's elements
 *
 * Parses the packet and stores the position of its payload in it, if nobody
 * else holds the packet.
 *
 * Returns: %FALSE if it is not a well-formed RTP packet
 */
gboolean
lmcc_rtp_read (LmccPacket *packet, LmccRtp *rtp)
{
  if (!lmcc_rtp_parse (packet->data, packet->size, LMCC_HEADER_DEFAULT_ID, rtp))
    return FALSE;
  /* Larger packets are not sent, and shared packets may be read by others. */
  if (packet->size <= G_MAXUINT16
      && g_atomic_ref_count_compare (&packet->ref_count, 1)) {
    packet->rtp_header_size = (guint16) rtp->header_size;
    packet->rtp_padding =
        (guint8) (packet->size - rtp->header_size - rtp->payload_size);
    packet->rtp_first = packet->data[0];
  }

  return TRUE;
}

/**
 * lmcc_rtp_find_payload:
 * @packet: an RTP packet from a payloader
 * @size: (out): size of the payload in bytes, 0 if the packet is not RTP
 *
 * Parses the packet unless the position of its payload is stored in it.
 *
 * Returns: (transfer none) (nullable): the payload, or %NULL if it is not a
 * well-formed RTP packet
 */
const guint8 *
lmcc_rtp_find_payload (LmccPacket *packet, gsize *size)
{
  LmccRtp rtp;

  if (is_kept (packet)) {
    *size = packet->size - packet->rtp_header_size - packet->rtp_padding;
    return packet->data + packet->rtp_header_size;
  }
  *size = 0;
  if (!lmcc_rtp_read (packet, &rtp))
    return NULL;
  *size = rtp.payload_size;

  return packet->data + rtp.header_size;
}

/**
 * lmcc_rtp_has_marker:
 * @packet: an RTP packet
 *
 * Returns: its marker bit
 */
gboolean
lmcc_rtp_has_marker (const LmccPacket *packet)
{
  return packet->data[1] >> 7;
}

/**
 * lmcc_rtp_build_from:
 * @packet: (transfer full): an RTP packet from a payloader
 * @rtp: (inout): as in lmcc_rtp_write_header(); its payload size is set
 * @header: the element's values
 * @element_id: its identifier, 1 to 14
 *
 * Returns: (transfer full): @packet with the header as sent, if there is room
 * before its payload and nobody else holds it; otherwise a new packet with a
 * copy of the payload
 */
LmccPacket *
lmcc_rtp_build_from (LmccPacket *packet, LmccRtp *rtp, const LmccHeader *header,
    guint8 element_id)
{
  const guint8 *payload = lmcc_rtp_find_payload (packet, &rtp->payload_size);
  gsize header_size = lmcc_rtp_get_header_size (rtp->second_size);
  LmccPacket *built;

  if (payload != NULL && lmcc_packet_has_room (packet, payload, header_size)) {
    lmcc_packet_begin_at (packet, payload - header_size,
        header_size + rtp->payload_size);
    lmcc_rtp_write_header (rtp, header, element_id, packet->data);
    return packet;
  }
  built = lmcc_rtp_build (rtp, header, element_id, payload);
  lmcc_packet_unref (packet);

  return built;
}
