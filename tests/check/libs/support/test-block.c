/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-block.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/repair/encoder.h>
#include <gst/lmcc/repair/payload.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

#define SSRC_BASE 0x12345000u
#define PAYLOAD_TYPE 96

LmccRepairDecoder *
test_block_decoder (void)
{
  LmccRepairDecoder *decoder = lmcc_repair_decoder_new ();
  LmccSession session;

  lmcc_session_init (&session);
  session.ssrc_base = SSRC_BASE;
  session.payload_type = PAYLOAD_TYPE;
  lmcc_repair_decoder_set_session (decoder, &session);

  return decoder;
}

/* Content and length differ for each number. */
LmccPacket *
test_block_packet (guint source, guint sequence)
{
  guint8 payload[64];
  LmccRtp rtp = {
    .payload_type = (guint8) (PAYLOAD_TYPE + (source >> 6)),
    .sequence = (guint16) sequence,
    .timestamp = 90 * sequence,
    .ssrc = SSRC_BASE + source,
    .payload_size = sequence * 7 % 64,
  };
  LmccHeader header = {
    .type = LMCC_PACKET_MEDIA,
    .layer = source & 0x3f,
    .top_layer = 63,
    .stream = (guint8) (source >> 6),
    .signal = -1,
    .lsn = (guint16) sequence,
    .osn = (guint16) sequence,
  };
  guint i;

  for (i = 0; i < sizeof (payload); i++)
    payload[i] = (guint8) ((sequence + 1) * 37 + i * i);

  return lmcc_rtp_build (&rtp, &header, LMCC_HEADER_DEFAULT_ID, payload);
}

/* (transfer full) (nullable): all repair packets of a block; NULL where
 * there are none */
GPtrArray *
test_block_encode (LmccPacket *const *packets, guint n_source, guint step,
    guint n_repair)
{
  g_autoptr (LmccRepairEncoder) encoder =
      lmcc_repair_encoder_new (packets, n_source, step, n_repair);
  GPtrArray *repair;
  guint i;

  if (encoder == NULL)
    return NULL;
  repair = g_ptr_array_new_with_free_func ((GDestroyNotify) lmcc_packet_unref);
  for (i = 0; i < n_repair; i++)
    g_ptr_array_add (repair, lmcc_repair_encoder_make (encoder, i));

  return repair;
}

void
test_block_init (TestBlock *block, guint first, guint n_source, guint step,
    guint n_repair)
{
  guint i;

  block->n_source = n_source;
  block->n_repair = n_repair;
  block->first = first;
  block->step = step;
  for (i = 0; i < n_source; i++)
    block->source[i] = test_block_packet (TEST_BLOCK_SOURCE, first + i * step);
  block->repair = test_block_encode (block->source, n_source, step, n_repair);
  fail_unless (block->repair != NULL);
}

void
test_block_clear (TestBlock *block)
{
  guint i;

  for (i = 0; i < block->n_source; i++)
    lmcc_packet_unref (block->source[i]);
  g_ptr_array_unref (block->repair);
}

void
test_block_take_repair (LmccRepairDecoder *decoder, LmccPacket *packet,
    LmccTime now)
{
  LmccRepairPayload payload;

  fail_unless (
      lmcc_repair_payload_parse (packet->data, packet->size, &payload));
  lmcc_repair_decoder_take_repair (decoder, &payload, packet, now);
}

/* The symbols of a block by number: source symbols first. */
void
test_block_take_symbol (LmccRepairDecoder *decoder, const TestBlock *block,
    guint i, LmccTime now)
{
  if (i < block->n_source)
    lmcc_repair_decoder_take_source (decoder, TEST_BLOCK_SOURCE,
        (guint16) (block->first + i * block->step), block->source[i], now);
  else
    test_block_take_repair (decoder,
        g_ptr_array_index (block->repair, i - block->n_source), now);
}

/* Returns the number of recovered packets; each must equal a lost packet. */
guint
test_block_poll_all (LmccRepairDecoder *decoder, const TestBlock *block,
    const gboolean *lost)
{
  LmccRepairedPacket repaired;
  guint n = 0;

  while (lmcc_repair_decoder_poll (decoder, &repaired)) {
    guint i = (guint16) (repaired.rtp.sequence - block->first) / block->step;

    fail_unless (i < block->n_source);
    fail_unless (lost == NULL || lost[i]);
    fail_unless_equals_int (repaired.packet->size, block->source[i]->size);
    fail_unless (memcmp (repaired.packet->data, block->source[i]->data,
                     repaired.packet->size)
        == 0);
    fail_unless_equals_int (repaired.header.lsn, repaired.rtp.sequence);
    lmcc_packet_unref (repaired.packet);
    n++;
  }

  return n;
}

guint
test_block_count_missing (const TestBlock *block, const gboolean *lost,
    guint *n_lost)
{
  guint missing = 0, i;

  *n_lost = 0;
  for (i = 0; i < block->n_source + block->n_repair; i++) {
    *n_lost += lost[i];
    missing += lost[i] && i < block->n_source;
  }

  return missing;
}
