/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "wire/rtp.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "wire/algorithm-element.h"

#include <string.h>

/* RFC 8285 section 4.2: the one-byte header form. */
#define ONE_BYTE_PROFILE 0xBEDE
#define ONE_BYTE_PADDING_ID 0
#define ONE_BYTE_RESERVED_ID 15

static gboolean
find_elements (const guint8 *data, gsize size, guint8 element_id, LmccRtp *rtp)
{
  guint8 second_id = lmcc_second_element_id (element_id);
  gsize at = 0;

  while (at < size) {
    guint8 id = data[at] >> 4;
    gsize length = (gsize) (data[at] & 0x0f) + 1;

    if (data[at] == 0) {
      at++;
      continue;
    }
    /* Both end the processing; elements before them count. */
    if (id == ONE_BYTE_RESERVED_ID || id == ONE_BYTE_PADDING_ID)
      return TRUE;
    if (at + 1 + length > size)
      return FALSE;
    if (id == element_id && rtp->element == NULL) {
      rtp->element = data + at + 1;
      rtp->element_size = length;
    } else if (id == second_id && rtp->second == NULL) {
      rtp->second = data + at + 1;
      rtp->second_size = length;
    }
    at += 1 + length;
  }

  return TRUE;
}

/**
 * lmcc_rtp_parse:
 * @data: one UDP payload
 * @size: its length in bytes
 * @element_id: identifier of the library's header-extension element, 1 to 14
 * @rtp: (out): the parsed header
 *
 * Parses an RTP packet (RFC 3550 section 5.1) and looks for the library's two
 * elements in its one-byte header extension (RFC 8285 section 4.2); of several
 * with the same identifier the first counts. A packet without an element is
 * still valid: @rtp->element or @rtp->second is %NULL then.
 *
 * Returns: %FALSE if it is not a well-formed RTP packet
 */
gboolean
lmcc_rtp_parse (const guint8 *data, gsize size, guint8 element_id, LmccRtp *rtp)
{
  gsize header_size, padding = 0;

  if (size < LMCC_RTP_HEADER_SIZE || data[0] >> 6 != 2)
    return FALSE;

  header_size = LMCC_RTP_HEADER_SIZE + 4 * (gsize) (data[0] & 0x0f);
  if (header_size > size)
    return FALSE;

  rtp->marker = data[1] >> 7;
  rtp->payload_type = data[1] & 0x7f;
  rtp->sequence = lmcc_read_uint16 (data + 2);
  rtp->timestamp = lmcc_read_uint32 (data + 4);
  rtp->ssrc = lmcc_read_uint32 (data + 8);
  rtp->element = NULL;
  rtp->element_size = 0;
  rtp->second = NULL;
  rtp->second_size = 0;

  if (data[0] & 0x10) {
    const guint8 *extension = data + header_size;
    gsize extension_size;

    if (header_size + 4 > size)
      return FALSE;
    extension_size = 4 * (gsize) lmcc_read_uint16 (extension + 2);
    if (header_size + 4 + extension_size > size)
      return FALSE;
    header_size += 4 + extension_size;
    if (lmcc_read_uint16 (extension) == ONE_BYTE_PROFILE
        && !find_elements (extension + 4, extension_size, element_id, rtp))
      return FALSE;
  }

  if (data[0] & 0x20) {
    padding = data[size - 1];
    if (padding == 0 || header_size + padding > size)
      return FALSE;
  }

  rtp->header_size = header_size;
  rtp->payload_size = size - header_size - padding;

  return TRUE;
}

/**
 * lmcc_rtp_get_header_size:
 * @second_size: size of the second element's data, 0 for none
 *
 * Returns: size of the RTP header with the library's elements in bytes, padded
 * to 32 bits
 */
gsize
lmcc_rtp_get_header_size (gsize second_size)
{
  gsize elements = 1 + LMCC_HEADER_SIZE;

  if (second_size > 0)
    elements += 1 + second_size;

  return LMCC_RTP_HEADER_SIZE + 4 + (elements + 3) / 4 * 4;
}

static void
write_second (guint8 *data, const LmccRtp *rtp, guint8 id)
{
  data[0] = (guint8) (id << 4 | (rtp->second_size - 1));
  memcpy (data + 1, rtp->second, rtp->second_size);
}

/**
 * lmcc_rtp_write_header:
 * @rtp: marker, payload type, sequence, timestamp, SSRC, and the second element
 *     or %NULL
 * @header: the element's values
 * @element_id: its identifier, 1 to 14
 * @data: (out): the header, of lmcc_rtp_get_header_size() bytes
 */
void
lmcc_rtp_write_header (const LmccRtp *rtp, const LmccHeader *header,
    guint8 element_id, guint8 *data)
{
  gsize header_size = lmcc_rtp_get_header_size (rtp->second_size);

  data[0] = 0x90;
  data[1] = (guint8) (!!rtp->marker << 7 | (rtp->payload_type & 0x7f));
  lmcc_write_uint16 (data + 2, rtp->sequence);
  lmcc_write_uint32 (data + 4, rtp->timestamp);
  lmcc_write_uint32 (data + 8, rtp->ssrc);
  lmcc_write_uint16 (data + 12, ONE_BYTE_PROFILE);
  lmcc_write_uint16 (data + 14, (header_size - LMCC_RTP_HEADER_SIZE - 4) / 4);
  data[16] = (guint8) (element_id << 4 | (LMCC_HEADER_SIZE - 1));
  lmcc_header_write (header, data + 17);
  memset (data + 17 + LMCC_HEADER_SIZE, 0, header_size - 17 - LMCC_HEADER_SIZE);
  if (rtp->second != NULL)
    write_second (data + 17 + LMCC_HEADER_SIZE, rtp,
        lmcc_second_element_id (element_id));
}

/**
 * lmcc_rtp_build:
 * @rtp: as in lmcc_rtp_write_header(), and the payload size
 * @header: the element's values
 * @element_id: its identifier, 1 to 14
 * @payload: (array) (nullable): payload_size bytes, or %NULL for zeros
 *
 * Returns: (transfer full): a packet of lmcc_rtp_get_header_size() +
 * payload_size bytes
 */
LmccPacket *
lmcc_rtp_build (const LmccRtp *rtp, const LmccHeader *header, guint8 element_id,
    const guint8 *payload)
{
  gsize header_size = lmcc_rtp_get_header_size (rtp->second_size);
  LmccPacket *packet = lmcc_packet_new (header_size + rtp->payload_size);
  guint8 *data = packet->data;

  lmcc_rtp_write_header (rtp, header, element_id, data);
  if (payload == NULL)
    memset (data + header_size, 0, rtp->payload_size);
  else if (rtp->payload_size > 0)
    memcpy (data + header_size, payload, rtp->payload_size);
  packet->size = header_size + rtp->payload_size;

  return packet;
}

/* Greatest unused memory of a delivered packet: no counter counts that
 * memory. */
#define MOST_UNUSED 128

static gboolean
has_little_else (const LmccPacket *packet, gsize size)
{
  const guint8 *begin = (const guint8 *) (packet + 1);

  return (gsize) (packet->data + packet->capacity - begin)
      <= size + MOST_UNUSED;
}

/* Returns: (transfer full): the payload with room for the shortest header
 * before it, which is not written */
static LmccPacket *
take_plain (LmccPacket *packet, const guint8 *payload, gsize payload_size)
{
  gsize size = LMCC_RTP_HEADER_SIZE + payload_size;
  LmccPacket *plain;

  if (lmcc_packet_has_room (packet, payload, LMCC_RTP_HEADER_SIZE)
      && has_little_else (packet, size)) {
    lmcc_packet_begin_at (packet, payload - LMCC_RTP_HEADER_SIZE, size);
    return packet;
  }
  plain = lmcc_packet_new (size);
  plain->size = size;
  if (payload_size > 0)
    memcpy (plain->data + LMCC_RTP_HEADER_SIZE, payload, payload_size);
  lmcc_packet_unref (packet);

  return plain;
}

/**
 * lmcc_rtp_strip:
 * @packet: (transfer full): a packet that lmcc_rtp_parse() accepted
 * @rtp: its parsed header
 * @payload_type: the new payload type
 * @ssrc: the new SSRC
 * @sequence: the new sequence number
 * @marker: the new marker bit
 *
 * If nobody else holds the packet, it is converted in place and no counter
 * counts it; its parsed header is invalid then.
 *
 * Returns: (transfer full): the packet as plain RTP: no extension, no CSRCs, no
 * padding
 */
LmccPacket *
lmcc_rtp_strip (LmccPacket *packet, const LmccRtp *rtp, guint8 payload_type,
    guint32 ssrc, guint16 sequence, gboolean marker)
{
  const guint8 *payload = packet->data + rtp->header_size;
  LmccPacket *plain = take_plain (packet, payload, rtp->payload_size);
  guint8 *data = plain->data;

  data[0] = 0x80;
  data[1] = (guint8) (!!marker << 7 | (payload_type & 0x7f));
  lmcc_write_uint16 (data + 2, sequence);
  lmcc_write_uint32 (data + 4, rtp->timestamp);
  lmcc_write_uint32 (data + 8, ssrc);

  return plain;
}
