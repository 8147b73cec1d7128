/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the erasure code and the payload format of repair packets.
 */
#include "support/test-slow.h"
#include "support/test-block.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/repair/code.h>
#include <gst/lmcc/repair/encoder.h>
#include <gst/lmcc/repair/payload.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>

#include <string.h>

#define SIZE 37

typedef struct
{
  guint n_source;
  guint n_repair;
  gsize size;
  guint8 *symbols[LMCC_REPAIR_MAX_SYMBOLS]; /* source, then repair packets */
} Block;

/* Some source symbols end with zeros. */
static void
block_init (Block *block, GRand *dice, guint n_source, guint n_repair,
    gsize size)
{
  gsize used;
  guint i, j;

  block->n_source = n_source;
  block->n_repair = n_repair;
  block->size = size;
  for (i = 0; i < n_source + n_repair; i++) {
    block->symbols[i] = g_malloc (size);
    used = i % 3 == 0
        ? size
        : (gsize) g_rand_int_range (dice, LMCC_REPAIR_LENGTH_SIZE, size + 1);
    for (j = 0; j < size; j++)
      block->symbols[i][j] = j < used ? g_rand_int (dice) & 0xff : 0;
  }
  lmcc_repair_code_encode (n_source, 0, n_repair, size,
      (const guint8 *const *) block->symbols, block->symbols + n_source);
}

static void
block_clear (Block *block)
{
  guint i;

  for (i = 0; i < block->n_source + block->n_repair; i++)
    g_free (block->symbols[i]);
}

/* Length of a symbol up to the last byte that is not zero. */
static gsize
used_size (const guint8 *symbol, gsize size)
{
  while (size > LMCC_REPAIR_LENGTH_SIZE && symbol[size - 1] == 0)
    size--;

  return size;
}

/* Recovers the block without the lost symbols, from and into memory of the
 * exact size. */
static gboolean
recover_without (const Block *block, const gboolean *lost)
{
  LmccRepairSymbol source[LMCC_REPAIR_MAX_SYMBOLS] = { { { 0 } } };
  guint8 *recovered[LMCC_REPAIR_MAX_SYMBOLS];
  const guint8 *repair[LMCC_REPAIR_MAX_SYMBOLS];
  guint8 indices[LMCC_REPAIR_MAX_SYMBOLS];
  guint n = 0, n_lost = 0, i;
  gboolean done;

  for (i = 0; i < block->n_source; i++) {
    const guint8 *symbol = block->symbols[i];

    if (lost[i]) {
      recovered[n_lost++] = g_malloc0 (block->size);
      continue;
    }
    memcpy (source[i].head, symbol, LMCC_REPAIR_LENGTH_SIZE);
    source[i].size = used_size (symbol, block->size) - LMCC_REPAIR_LENGTH_SIZE;
    source[i].data = g_malloc (MAX (source[i].size, 1));
    memcpy ((guint8 *) source[i].data, symbol + LMCC_REPAIR_LENGTH_SIZE,
        source[i].size);
  }
  for (i = 0; i < block->n_repair; i++) {
    if (lost[block->n_source + i])
      continue;
    repair[n] = block->symbols[block->n_source + i];
    indices[n++] = i;
  }
  done = lmcc_repair_code_recover (block->n_source, block->size, source,
      recovered, repair, indices, n);
  n_lost = 0;
  for (i = 0; i < block->n_source; i++) {
    g_free ((guint8 *) source[i].data);
    if (!lost[i])
      continue;
    if (done)
      fail_unless (memcmp (recovered[n_lost], block->symbols[i], block->size)
              == 0,
          "symbol %u of %u + %u", i, block->n_source, block->n_repair);
    g_free (recovered[n_lost++]);
  }

  return done;
}

GST_START_TEST (any_k_of_the_symbols_give_the_block)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (1);
  guint n_source, n_repair, pattern, i;

  for (n_source = 1; n_source <= 8; n_source++) {
    for (n_repair = 1; n_repair <= 4; n_repair++) {
      guint n = n_source + n_repair;
      Block block;

      block_init (&block, dice, n_source, n_repair, SIZE);
      for (pattern = 0; pattern < 1u << n; pattern++) {
        gboolean lost[16];
        guint n_lost = 0, n_missing = 0;

        for (i = 0; i < n; i++) {
          lost[i] = pattern >> i & 1;
          n_lost += lost[i];
          n_missing += i < n_source && lost[i];
        }
        fail_unless_equals_int (recover_without (&block, lost),
            n_lost <= n_repair || n_missing == 0);
      }
      block_clear (&block);
    }
  }
}

GST_END_TEST;

GST_START_TEST (large_blocks_recover_from_any_r_losses)
{
  static const guint shapes[][2] = {
    { 20, 5 },
    { 64, 16 },
    { 100, 30 },
    { 200, 55 },
    { 254, 1 },
    { 1, 254 },
    { 128, 127 },
    { 251, 4 },
    { 30, 3 },
  };
  g_autoptr (GRand) dice = g_rand_new_with_seed (2);
  guint shape, round, i;

  for (shape = 0; shape < G_N_ELEMENTS (shapes); shape++) {
    Block block;
    guint n = shapes[shape][0] + shapes[shape][1];

    block_init (&block, dice, shapes[shape][0], shapes[shape][1], 64);
    for (round = 0; round < test_rounds (50); round++) {
      gboolean lost[LMCC_REPAIR_MAX_SYMBOLS] = { FALSE };

      for (i = 0; i < block.n_repair;) {
        guint which = g_rand_int_range (dice, 0, n);

        i += !lost[which];
        lost[which] = TRUE;
      }
      fail_unless (recover_without (&block, lost));
    }
    block_clear (&block);
  }
}

GST_END_TEST;

/* Computed by hand in the field of x^8 + x^4 + x^3 + x^2 + 1: with k = 2,
 * repair symbol 0 is a / 2 + b / 3 and symbol 1 is a / 3 + b / 2; 1/2 =
 * 0x8e, 1/3 = 0xf4. */
GST_START_TEST (the_code_is_the_one_of_the_wire_format)
{
  const guint8 a[] = { 1, 0, 2, 1 }, b[] = { 0, 1, 0, 1 };
  const guint8 *source[] = { a, b };
  const guint8 first[] = { 0x8e, 0xf4, 0x01, 0x8e ^ 0xf4 };
  const guint8 second[] = { 0xf4, 0x8e, 0xf5, 0x8e ^ 0xf4 };
  guint8 x[4], y[4];
  guint8 *repair[] = { x, y };

  lmcc_repair_code_encode (2, 0, 2, 4, source, repair);
  fail_unless (memcmp (x, first, 4) == 0);
  fail_unless (memcmp (y, second, 4) == 0);
}

GST_END_TEST;

GST_START_TEST (impossible_codes_are_rejected)
{
  fail_if (lmcc_repair_code_fits (0, 1));
  fail_if (lmcc_repair_code_fits (1, 0));
  fail_if (lmcc_repair_code_fits (128, 128));
  fail_if (lmcc_repair_code_fits (255, 1));
  fail_if (lmcc_repair_code_fits (1, G_MAXUINT));
  fail_unless (lmcc_repair_code_fits (128, 127));
  fail_unless (lmcc_repair_code_fits (254, 1));
}

GST_END_TEST;

static LmccPacket *
new_packet (guint sequence, gsize size)
{
  LmccRtp rtp = {
    .payload_type = 97,
    .sequence = (guint16) sequence,
    .timestamp = 90 * sequence,
    .ssrc = 0x12345043,
    .payload_size = size,
  };
  LmccHeader header = {
    .type = LMCC_PACKET_MEDIA,
    .layer = 3,
    .top_layer = 3,
    .stream = 1,
    .signal = -1,
    .lsn = (guint16) sequence,
  };
  LmccPacket *packet = lmcc_rtp_build (&rtp, &header, 1, NULL);

  memset (packet->data + packet->size - size, sequence & 0xff, size);

  return packet;
}

GST_START_TEST (payloads_say_what_their_block_is)
{
  LmccPacket *packets[3];
  g_autoptr (GPtrArray) payloads = NULL;
  guint i;

  for (i = 0; i < 3; i++)
    packets[i] = new_packet (65534 + 2 * i, 10 * i);
  payloads = test_block_encode (packets, 3, 2, 2);
  fail_unless_equals_int (payloads->len, 2);
  for (i = 0; i < 2; i++) {
    LmccPacket *packet = g_ptr_array_index (payloads, i);
    LmccRepairPayload payload;

    fail_unless (
        lmcc_repair_payload_parse (packet->data, packet->size, &payload));
    fail_unless_equals_int (payload.source, 0x043);
    fail_unless_equals_int (payload.first, 65534);
    fail_unless_equals_int (payload.n_source, 3);
    fail_unless_equals_int (payload.step, 2);
    fail_unless_equals_int (payload.index, i);
    fail_unless_equals_int (payload.n_repair, 2);
    fail_unless_equals_int (payload.symbol_size, 2 + 36 + 20);
  }

  /* Not consecutive, or not of one stream. */
  fail_unless (test_block_encode (packets, 3, 1, 2) == NULL);
  fail_unless (test_block_encode (packets, 3, 0, 2) == NULL);
  fail_unless (test_block_encode (packets, 3, 2, 253) == NULL);
  packets[1]->data[11]++;
  fail_unless (test_block_encode (packets, 3, 2, 2) == NULL);
  for (i = 0; i < 3; i++)
    lmcc_packet_unref (packets[i]);
}

GST_END_TEST;

/* All repair packets of a block at once. */
static GPtrArray *
encode_at_once (LmccPacket *const *packets, guint n_source, guint n_repair,
    gsize size)
{
  GPtrArray *repair = g_ptr_array_new_with_free_func (g_free);
  g_autofree guint8 *symbols = g_malloc0 (n_source * size);
  const guint8 *source[LMCC_REPAIR_MAX_SYMBOLS];
  guint i;

  for (i = 0; i < n_source; i++) {
    guint8 *symbol = symbols + i * size;

    symbol[0] = (guint8) (packets[i]->size >> 8);
    symbol[1] = (guint8) packets[i]->size;
    memcpy (symbol + LMCC_REPAIR_LENGTH_SIZE, packets[i]->data,
        packets[i]->size);
    source[i] = symbol;
  }
  for (i = 0; i < n_repair; i++)
    g_ptr_array_add (repair, g_malloc (size));
  lmcc_repair_code_encode (n_source, 0, n_repair, size, source,
      (guint8 **) repair->pdata);

  return repair;
}

GST_START_TEST (some_at_a_time_are_those_of_one_call)
{
  static const guint shapes[][2] = { { 1, 1 }, { 3, 4 }, { 20, 5 }, { 100, 13 },
    { 160, 95 } };
  const guint n_source = shapes[__i__][0], n_repair = shapes[__i__][1];
  g_autoptr (LmccRepairEncoder) encoder = NULL;
  g_autoptr (GPtrArray) at_once = NULL;
  LmccPacket *packets[LMCC_REPAIR_MAX_SYMBOLS];
  gsize size = 0;
  guint i;

  for (i = 0; i < n_source; i++) {
    packets[i] = new_packet (65500 + i, 7 * i % 300);
    size = MAX (size, packets[i]->size + LMCC_REPAIR_LENGTH_SIZE);
  }
  at_once = encode_at_once (packets, n_source, n_repair, size);
  encoder = lmcc_repair_encoder_new (packets, n_source, 1, n_repair);
  /* Forwards, then backwards: each is requested twice. */
  for (i = 0; i < 2 * n_repair; i++) {
    guint index = i < n_repair ? i : 2 * n_repair - 1 - i;
    g_autoptr (LmccPacket) packet = lmcc_repair_encoder_make (encoder, index);

    fail_unless_equals_int (packet->size, LMCC_REPAIR_HEADER_SIZE + size);
    fail_unless_equals_int (packet->data[6], index);
    fail_unless (memcmp (packet->data + LMCC_REPAIR_HEADER_SIZE,
                     g_ptr_array_index (at_once, index), size)
        == 0);
  }
  for (i = 0; i < n_source; i++)
    lmcc_packet_unref (packets[i]);
}

GST_END_TEST;

static gboolean
parses (const guint8 *data, gsize size)
{
  g_autofree guint8 *exact = g_memdup2 (data, size);
  LmccRepairPayload payload;

  return lmcc_repair_payload_parse (exact, size, &payload);
}

GST_START_TEST (payloads_that_make_no_block_are_refused)
{
  static const struct
  {
    guint at;
    guint8 value;
  } bad[] = {
    { 0, 0x3c }, /* source: stream 15, which does not exist */
    { 0, 0x40 }, /* repair of repair */
    { 1, 0x11 }, /* version 1 */
    { 1, 0x13 }, /* version 3 */
    { 1, 0x10 }, /* version 0 */
    { 4, 0 },    /* no source symbols */
    { 4, 254 },  /* k + r = 256 */
    { 5, 0 },    /* step 0 */
    { 6, 2 },    /* index of a third symbol */
    { 7, 0 },    /* no repair symbols */
    { 8, 0 },    /* parts of no layer */
    { 9, 1 },    /* index after the layer's part */
    { 9, 3 },    /* a part larger than their number */
  };
  LmccPacket *source = new_packet (1, 20);
  g_autoptr (GPtrArray) payloads = test_block_encode (&source, 1, 1, 2);
  LmccPacket *packet = g_ptr_array_index (payloads, 1);
  guint8 large[LMCC_REPAIR_HEADER_SIZE + LMCC_MAX_PACKET_SIZE + 3] = { 0 };
  gsize size;
  guint i;

  fail_unless (parses (packet->data, packet->size));
  for (i = 0; i < G_N_ELEMENTS (bad); i++) {
    guint8 was = packet->data[bad[i].at];

    packet->data[bad[i].at] = bad[i].value;
    fail_if (parses (packet->data, packet->size), "case %u", i);
    packet->data[bad[i].at] = was;
  }
  /* The length of the symbol, and the smallest RTP packet with our element. */
  for (size = 0; size < LMCC_REPAIR_HEADER_SIZE + 38; size++)
    fail_if (parses (packet->data, size));

  /* Reserved bits are ignored. */
  packet->data[5] |= 0x0f;
  fail_unless (parses (packet->data, packet->size));

  /* A symbol too short for a packet of ours, and one of too large a packet. */
  memcpy (large, packet->data, LMCC_REPAIR_HEADER_SIZE);
  fail_if (parses (large, LMCC_REPAIR_HEADER_SIZE + 2 + 35));
  fail_unless (parses (large, LMCC_REPAIR_HEADER_SIZE + 2 + 36));
  fail_if (parses (large, sizeof (large)));
  fail_unless (parses (large, sizeof (large) - 1));
  lmcc_packet_unref (source);
}

GST_END_TEST;

static Suite *
repair_code_suite (void)
{
  Suite *suite = suite_create ("repair-code");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_test (chain, any_k_of_the_symbols_give_the_block);
  tcase_add_test (chain, large_blocks_recover_from_any_r_losses);
  tcase_add_test (chain, the_code_is_the_one_of_the_wire_format);
  tcase_add_test (chain, impossible_codes_are_rejected);
  tcase_add_test (chain, payloads_say_what_their_block_is);
  tcase_add_loop_test (chain, some_at_a_time_are_those_of_one_call, 0, 5);
  tcase_add_test (chain, payloads_that_make_no_block_are_refused);

  return suite;
}

GST_CHECK_MAIN (repair_code);
