/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_PAYLOAD_H
#define LMCC_REPAIR_PAYLOAD_H

#include "repair/code.h"
#include "wire/rtp.h"

G_BEGIN_DECLS

/* Size of the header before the symbol. */
#define LMCC_REPAIR_HEADER_SIZE 10

G_STATIC_ASSERT (LMCC_REPAIR_OVERHEAD
    == LMCC_RTP_HEADER_SIZE + LMCC_RTP_OVERHEAD + LMCC_REPAIR_HEADER_SIZE
        + LMCC_REPAIR_LENGTH_SIZE);

/* Version of the payload. Not 0, so that zeros are not valid. */
#define LMCC_REPAIR_VERSION 2

/* Greatest step between the sequence numbers of a block. */
#define LMCC_REPAIR_MAX_STEP 15

/* Number of layers that may carry repair packets of a block: the source packets'
 * layer, and those above it. */
#define LMCC_REPAIR_MAX_CARRIERS 8

/**
 * LmccRepairPayload:
 * @source: the low 12 bits of the source packets' SSRC: 64 stream + layer
 * @first: b, the sequence number of the block's first source packet
 * @n_source: k, number of source packets of the block
 * @step: d: their sequence numbers are b, b + d ... b + (k - 1) d
 * @index: index of this repair symbol, below @n_repair
 * @n_repair: r, number of repair symbols of the block; k + r is at most
 *     %LMCC_REPAIR_MAX_SYMBOLS
 * @carriers: bits: the layers that carry repair symbols of the block, from the source
 *     packets' layer on
 * @end: one past the last symbol in the packet's layer
 * @symbol_size: size of every symbol of the block in bytes: the rest of the payload
 * @symbol: the symbol; points into the parsed bytes
 *
 * Payload of one repair packet. A source symbol consists of the length of an RTP packet
 * (16 bits), the packet with its header as sent, and zeros up to the length of the
 * block's longest one.
 */
typedef struct
{
  guint16 source;
  guint16 first;
  guint8 n_source;
  guint8 step;
  guint8 index;
  guint8 n_repair;
  guint8 carriers;
  guint8 end;
  guint16 symbol_size;
  const guint8 *symbol;
} LmccRepairPayload;

void lmcc_repair_payload_write (const LmccRepairPayload *payload, guint8 *data);
gboolean lmcc_repair_payload_parse (const guint8 *data, gsize size,
    LmccRepairPayload *payload);

G_END_DECLS

#endif
