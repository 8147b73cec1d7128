/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repair/encoder.h"

#include <gst/lmcc/lmcc-session.h>
#include "base/bytes.h"
#include "wire/rtp.h"

#include <string.h>

#define SOURCE_MASK (~LMCC_SSRC_BASE_MASK)

/* Positions in an RTP packet (RFC 3550 section 5.1). */
#define SEQUENCE_OFFSET 2
#define SSRC_OFFSET 8

/* Number of repair packets encoded at a time: as many as ISA-L makes in one
 * pass over the source packets (gf_4vect_dot_prod_avx2()). From 160 packets
 * of 1200 bytes this takes 60 us, and with tables 0.4 ms. */
#define N_AT_ONCE 4

/**
 * _LmccRepairEncoder:
 * @payload: common fields of all repair packets
 * @packets: (element-type LmccPacket): the source packets, until @symbols is
 *     set
 * @symbols: (nullable): the source packets as symbols
 * @parts: number of repair packets per layer, from the source packets' layer on
 * @made: (array): by index, the repair packets that were encoded and not
 *     requested yet
 */
struct _LmccRepairEncoder
{
  LmccRepairPayload payload;
  GPtrArray *packets;
  guint8 *symbols;
  guint8 parts[LMCC_REPAIR_MAX_CARRIERS];
  LmccPacket **made;
};

static gsize
longest (LmccPacket *const *packets, guint n_source)
{
  gsize size = 0;
  guint i;

  for (i = 0; i < n_source; i++)
    size = MAX (size, packets[i]->size);

  return size;
}

/* Whether the packets belong to one RTP stream, with sequence numbers @step
 * apart. */
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

static void
clear_encoder (gpointer data)
{
  LmccRepairEncoder *encoder = data;
  guint i;

  g_ptr_array_unref (encoder->packets);
  g_free (encoder->symbols);
  for (i = 0; i < encoder->payload.n_repair; i++)
    g_clear_pointer (&encoder->made[i], lmcc_packet_unref);
  g_free (encoder->made);
}

/**
 * lmcc_repair_encoder_new:
 * @packets: (array length=n_source): the block's source packets, as sent, in
 *     order; the encoder takes references
 * @n_source: k, number of source packets
 * @step: d, 1 to %LMCC_REPAIR_MAX_STEP: their sequence numbers are b, b + d ...
 *     b + (k - 1) d
 * @n_repair: r, number of repair packets; k + r is at most
 *     %LMCC_REPAIR_MAX_SYMBOLS
 *
 * Any r of the k + r packets may be lost. By default all repair packets belong
 * to the source packets' layer. Nothing is encoded yet.
 *
 * Returns: (transfer full) (nullable): an encoder, or %NULL if the packets are
 * not such a block
 */
LmccRepairEncoder *
lmcc_repair_encoder_new (LmccPacket *const *packets, guint n_source, guint step,
    guint n_repair)
{
  LmccRepairEncoder *encoder;
  guint i;

  if (!lmcc_repair_code_fits (n_source, n_repair) || step == 0
      || step > LMCC_REPAIR_MAX_STEP || !is_block (packets, n_source, step))
    return NULL;

  encoder = g_rc_box_new0 (LmccRepairEncoder);
  encoder->payload.source =
      lmcc_read_uint32 (packets[0]->data + SSRC_OFFSET) & SOURCE_MASK;
  encoder->payload.first =
      lmcc_read_uint16 (packets[0]->data + SEQUENCE_OFFSET);
  encoder->payload.n_source = (guint8) n_source;
  encoder->payload.step = (guint8) step;
  encoder->payload.n_repair = (guint8) n_repair;
  encoder->payload.carriers = 1;
  encoder->parts[0] = (guint8) n_repair;
  encoder->made = g_new0 (LmccPacket *, n_repair);
  encoder->payload.symbol_size =
      (guint16) (LMCC_REPAIR_LENGTH_SIZE + longest (packets, n_source));
  encoder->packets =
      g_ptr_array_new_full (n_source, (GDestroyNotify) lmcc_packet_unref);
  for (i = 0; i < n_source; i++)
    g_ptr_array_add (encoder->packets, lmcc_packet_ref (packets[i]));

  return encoder;
}

/**
 * lmcc_repair_encoder_set_parts:
 * @encoder: an encoder that has not encoded anything yet
 * @parts: (array fixed-size=8): number of repair packets per layer, from the
 *     source packets' layer on; their sum is r
 *
 * The first repair packets belong to the lowest layer.
 */
void
lmcc_repair_encoder_set_parts (LmccRepairEncoder *encoder,
    const guint8 parts[LMCC_REPAIR_MAX_CARRIERS])
{
  guint i;

  memcpy (encoder->parts, parts, sizeof (encoder->parts));
  encoder->payload.carriers = 0;
  for (i = 0; i < LMCC_REPAIR_MAX_CARRIERS; i++)
    encoder->payload.carriers |= (guint8) ((parts[i] > 0) << i);
}

/**
 * lmcc_repair_encoder_ref:
 * @encoder: an encoder
 *
 * Returns: (transfer full): @encoder
 */
LmccRepairEncoder *
lmcc_repair_encoder_ref (LmccRepairEncoder *encoder)
{
  return g_rc_box_acquire (encoder);
}

/**
 * lmcc_repair_encoder_unref:
 * @encoder: (transfer full): an encoder
 */
void
lmcc_repair_encoder_unref (LmccRepairEncoder *encoder)
{
  g_rc_box_release_full (encoder, clear_encoder);
}

/* Afterwards the packets are no longer needed. */
static void
write_symbols (LmccRepairEncoder *encoder)
{
  gsize size = encoder->payload.symbol_size;
  guint i;

  encoder->symbols = g_malloc (encoder->packets->len * size);
  for (i = 0; i < encoder->packets->len; i++)
    write_symbol (encoder->symbols + i * size, size,
        g_ptr_array_index (encoder->packets, i));
  g_ptr_array_set_size (encoder->packets, 0);
}

/* One past the last repair packet of the layer that has @index. */
static guint
find_end (const LmccRepairEncoder *encoder, guint index)
{
  guint end = 0, i;

  for (i = 0; i < LMCC_REPAIR_MAX_CARRIERS && end <= index; i++)
    end += encoder->parts[i];

  return end;
}

static LmccPacket *
make_packet (LmccRepairEncoder *encoder, guint index)
{
  LmccPacket *packet = lmcc_packet_new (
      LMCC_REPAIR_HEADER_SIZE + (gsize) encoder->payload.symbol_size);

  packet->size = packet->capacity;
  encoder->payload.index = (guint8) index;
  encoder->payload.end = (guint8) find_end (encoder, index);
  lmcc_repair_payload_write (&encoder->payload, packet->data);

  return packet;
}

/* Encodes those of its layer from @first on. Those of another layer are
 * encoded when they are requested. */
static void
encode (LmccRepairEncoder *encoder, guint first)
{
  guint n_source = encoder->payload.n_source;
  guint n = MIN (N_AT_ONCE, find_end (encoder, first) - first), i;
  const guint8 *source[LMCC_REPAIR_MAX_SYMBOLS];
  guint8 *repair[N_AT_ONCE];

  if (encoder->symbols == NULL)
    write_symbols (encoder);
  for (i = 0; i < n_source; i++)
    source[i] = encoder->symbols + i * (gsize) encoder->payload.symbol_size;
  for (i = 0; i < n; i++) {
    LmccPacket *packet = make_packet (encoder, first + i);

    g_clear_pointer (&encoder->made[first + i], lmcc_packet_unref);
    encoder->made[first + i] = packet;
    repair[i] = packet->data + LMCC_REPAIR_HEADER_SIZE;
  }
  lmcc_repair_code_encode (n_source, first, n, encoder->payload.symbol_size,
      source, repair);
}

/**
 * lmcc_repair_encoder_make:
 * @encoder: an encoder
 * @index: index of the repair packet, from 0 on, below r
 *
 * Returns the payload of a repair packet. It has %LMCC_REPAIR_HEADER_SIZE +
 * %LMCC_REPAIR_LENGTH_SIZE bytes more than the longest source packet, and is
 * sent in an RTP packet of type repair, in the order of @index within its
 * layer. Several are encoded at a time; if they are requested one after the
 * other, no call takes long.
 *
 * Returns: (transfer full): the payload
 */
LmccPacket *
lmcc_repair_encoder_make (LmccRepairEncoder *encoder, guint index)
{
  g_return_val_if_fail (index < encoder->payload.n_repair, NULL);

  if (encoder->made[index] == NULL)
    encode (encoder, index);

  return g_steal_pointer (&encoder->made[index]);
}
