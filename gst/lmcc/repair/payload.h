/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_PAYLOAD_H
#define LMCC_REPAIR_PAYLOAD_H

#include "repair/code.h"
#include "wire/rtp.h"

G_BEGIN_DECLS

/* What comes before the symbol. */
#define LMCC_REPAIR_HEADER_SIZE 10

G_STATIC_ASSERT (LMCC_REPAIR_OVERHEAD
    == LMCC_RTP_HEADER_SIZE + LMCC_RTP_OVERHEAD + LMCC_REPAIR_HEADER_SIZE
        + LMCC_REPAIR_LENGTH_SIZE);

/* The version of the payload. Not 0, so that zeros are not valid. */
#define LMCC_REPAIR_VERSION 2

/* Largest step between the sequence numbers of a block. */
#define LMCC_REPAIR_MAX_STEP 15

/* Layers that may have repair packets of a block: the source packets' own, and
 * those above it. */
#define LMCC_REPAIR_MAX_CARRIERS 8

/**
 * LmccRepairPayload:
 * @source: the low 12 bits of the source packets' SSRC: 64 stream + layer
 * @first: b, the sequence number of the block's first source packet
 * @n_source: k, source packets of the block
 * @step: d: they have the sequence numbers b, b + d ... b + (k - 1) d
 * @index: which of the repair symbols this is, below @n_repair
 * @n_repair: r, repair symbols of the block; k + r is at most
 *     %LMCC_REPAIR_MAX_SYMBOLS
 * @carriers: bit set: the layers that have repair symbols of the block, from the
 *     source packets' own on
 * @end: one past the last symbol that the packet's layer has
 * @symbol_size: bytes of every symbol of the block: what is left of the payload
 * @symbol: the symbol; points into the parsed bytes
 *
 * The payload of one repair packet. A source symbol is the length of an RTP packet
 * (16 bits), the packet with its header as it was sent, and zeros to the length of
 * the block's longest one.
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
