/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repair/encoder.h"

#include <gst/lmcc/lmcc-session.h>
#include "base/bytes.h"
#include "wire/rtp.h"

#include <string.h>

#define SOURCE_MASK (~LMCC_SSRC_BASE_MASK)

/* Where an RTP packet has them (RFC 3550 section 5.1). */
#define SEQUENCE_OFFSET 2
#define SSRC_OFFSET 8

static gsize
longest (LmccPacket *const *packets, guint n_source)
{
  gsize size = 0;
  guint i;

  for (i = 0; i < n_source; i++)
    size = MAX (size, packets[i]->size);

  return size;
}

/* Whether the packets are of one RTP stream, each @step after the one
 * before. */
static gboolean
is_block (LmccPacket *const *packets, guint n_source, guint step)
{
  const guint8 *first = packets[0]->data;
  guint i;

  for (i = 0; i < n_source; i++) {
    const guint8 *data = packets[i]->data;

    if (packets[i]->size < LMCC_RTP_HEADER_SIZE + LMCC_RTP_OVERHEAD
        || packets[i]->size > LMCC_MAX_PACKET_SIZE
        || lmcc_read_uint32 (data + SSRC_OFFSET)
            != lmcc_read_uint32 (first + SSRC_OFFSET)
        || lmcc_read_uint16 (data + SEQUENCE_OFFSET)
            != (guint16) (lmcc_read_uint16 (first + SEQUENCE_OFFSET)
                + i * step))
      return FALSE;
  }

  return TRUE;
}

static void
write_symbol (guint8 *symbol, gsize size, const LmccPacket *packet)
{
  gsize used = LMCC_REPAIR_LENGTH_SIZE + packet->size;

  memcpy (lmcc_write_uint16 (symbol, (guint) packet->size), packet->data,
      packet->size);
  memset (symbol + used, 0, size - used);
}

/**
 * lmcc_repair_encode:
 * @packets: (array length=n_source): the block's source packets, as sent, in
 *     order
 * @n_source: k
 * @step: d, 1 to %LMCC_REPAIR_MAX_STEP: their sequence numbers are b, b + d ...
 *     b + (k - 1) d
 * @n_repair: r; k + r at most %LMCC_REPAIR_MAX_SYMBOLS
 *
 * Makes the repair of one block. Any r of the k + r packets may be lost then.
 * Each payload has %LMCC_REPAIR_HEADER_SIZE + %LMCC_REPAIR_LENGTH_SIZE bytes
 * more than the longest source packet; it goes into an RTP packet of type
 * repair, in the order of the array.
 *
 * Returns: (transfer full) (nullable) (element-type LmccPacket): r payloads, or
 *     %NULL if these packets are not such a block
 */
GPtrArray *
lmcc_repair_encode (LmccPacket *const *packets, guint n_source, guint step,
    guint n_repair)
{
  g_autofree guint8 *symbols = NULL;
  g_autofree const guint8 **source = NULL;
  g_autofree guint8 **repair = NULL;
  LmccRepairPayload payload = { 0 };
  GPtrArray *payloads;
  gsize size;
  guint i;

  if (!lmcc_repair_code_fits (n_source, n_repair) || step == 0
      || step > LMCC_REPAIR_MAX_STEP || !is_block (packets, n_source, step))
    return NULL;

  size = LMCC_REPAIR_LENGTH_SIZE + longest (packets, n_source);
  payload.source =
      lmcc_read_uint32 (packets[0]->data + SSRC_OFFSET) & SOURCE_MASK;
  payload.first = lmcc_read_uint16 (packets[0]->data + SEQUENCE_OFFSET);
  payload.n_source = (guint8) n_source;
  payload.step = (guint8) step;
  payload.n_repair = (guint8) n_repair;
  payload.symbol_size = (guint16) size;

  symbols = g_malloc (n_source * size);
  source = g_new (const guint8 *, n_source);
  for (i = 0; i < n_source; i++) {
    write_symbol (symbols + i * size, size, packets[i]);
    source[i] = symbols + i * size;
  }

  payloads =
      g_ptr_array_new_full (n_repair, (GDestroyNotify) lmcc_packet_unref);
  repair = g_new (guint8 *, n_repair);
  for (i = 0; i < n_repair; i++) {
    LmccPacket *packet = lmcc_packet_new (LMCC_REPAIR_HEADER_SIZE + size);

    packet->size = packet->capacity;
    payload.index = (guint8) i;
    lmcc_repair_payload_write (&payload, packet->data);
    repair[i] = packet->data + LMCC_REPAIR_HEADER_SIZE;
    g_ptr_array_add (payloads, packet);
  }
  lmcc_repair_code_encode (n_source, n_repair, size, source, repair);

  return payloads;
}
