/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repair/payload.h"

#include "base/bytes.h"
#include "wire/rtp.h"

#include <string.h>

#define VERSION_BITS 4
#define STREAM_SHIFT 6

/**
 * lmcc_repair_payload_write:
 * @payload: the values; its symbol_size is not written
 * @data: room for %LMCC_REPAIR_HEADER_SIZE + symbol_size bytes
 *
 * Writes a repair payload according to docs/developers/wire-format.md. A symbol
 * that is already in its place, or %NULL, is not copied.
 */
void
lmcc_repair_payload_write (const LmccRepairPayload *payload, guint8 *data)
{
  lmcc_write_uint16 (data,
      (guint) payload->source << VERSION_BITS | LMCC_REPAIR_VERSION);
  lmcc_write_uint16 (data + 2, payload->first);
  data[4] = payload->n_source;
  data[5] = (guint8) (payload->step << 4);
  data[6] = payload->index;
  data[7] = payload->n_repair;
  data[8] = payload->carriers;
  data[9] = payload->end;
  if (payload->symbol != NULL
      && payload->symbol != data + LMCC_REPAIR_HEADER_SIZE)
    memcpy (data + LMCC_REPAIR_HEADER_SIZE, payload->symbol,
        payload->symbol_size);
}

/**
 * lmcc_repair_payload_parse:
 * @data: payload of a repair packet
 * @size: its length in bytes
 * @payload: (out): the parsed values
 *
 * Returns: %FALSE if the version is unknown, the source is not a media stream,
 * the numbers do not form a block, no layer carries its repair packets, or the
 * length is not that of one symbol with an RTP packet that carries the
 * library's element
 */
gboolean
lmcc_repair_payload_parse (const guint8 *data, gsize size,
    LmccRepairPayload *payload)
{
  guint source;

  if (size < LMCC_REPAIR_HEADER_SIZE)
    return FALSE;
  source = lmcc_read_uint16 (data);
  if ((source & ((1u << VERSION_BITS) - 1)) != LMCC_REPAIR_VERSION)
    return FALSE;

  payload->source = (guint16) (source >> VERSION_BITS);
  payload->first = lmcc_read_uint16 (data + 2);
  payload->n_source = data[4];
  payload->step = data[5] >> 4;
  payload->index = data[6];
  payload->n_repair = data[7];
  payload->carriers = data[8];
  payload->end = data[9];
  payload->symbol_size =
      (guint16) MIN (size - LMCC_REPAIR_HEADER_SIZE, G_MAXUINT16);
  payload->symbol = data + LMCC_REPAIR_HEADER_SIZE;

  return payload->source >> STREAM_SHIFT <= LMCC_STREAM_SOUND
      && lmcc_repair_code_fits (payload->n_source, payload->n_repair)
      && payload->step > 0 && payload->index < payload->end
      && payload->end <= payload->n_repair && payload->carriers != 0
      && payload->symbol_size
      >= LMCC_REPAIR_LENGTH_SIZE + LMCC_RTP_HEADER_SIZE + LMCC_RTP_OVERHEAD
      && payload->symbol_size <= LMCC_REPAIR_LENGTH_SIZE + LMCC_MAX_PACKET_SIZE;
}
