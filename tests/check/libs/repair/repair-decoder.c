/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the repair decoder: which lost packets it recovers, and what it
 * forgets.
 */
#include "support/test-block.h"
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/repair/encoder.h>
#include <gst/lmcc/repair/payload.h>
#include <gst/lmcc/wire/constants.h>
#include <string.h>

static void
check_pattern (const TestBlock *block, const gboolean *lost)
{
  g_autoptr (LmccRepairDecoder) decoder = test_block_decoder ();
  guint n_lost, missing = test_block_count_missing (block, lost, &n_lost);
  guint i;

  for (i = 0; i < block->n_source + block->n_repair; i++) {
    if (!lost[i])
      test_block_take_symbol (decoder, block, i, i);
  }
  fail_unless_equals_int (test_block_poll_all (decoder, block, lost),
      n_lost <= block->n_repair ? missing : 0);
  fail_unless_equals_int (lmcc_repair_decoder_get_refused (decoder), 0);
}

GST_START_TEST (any_pattern_of_r_losses_is_repaired)
{
  static const guint shapes[][4] = {
    /* k, r, d, b */
    { 1, 1, 1, 0 },
    { 1, 3, 1, 5 },
    { 4, 1, 1, 65534 },
    { 5, 2, 3, 65530 },
    { 6, 3, 1, 100 },
    { 3, 3, 15, 65500 },
    { 8, 2, 2, 7 },
  };
  guint shape, pattern, i;

  for (shape = 0; shape < G_N_ELEMENTS (shapes); shape++) {
    guint n = shapes[shape][0] + shapes[shape][1];
    TestBlock block;

    test_block_init (&block, shapes[shape][3], shapes[shape][0],
        shapes[shape][2], shapes[shape][1]);
    for (pattern = 0; pattern < 1u << n; pattern++) {
      gboolean lost[16];

      for (i = 0; i < n; i++)
        lost[i] = pattern >> i & 1;
      check_pattern (&block, lost);
    }
    test_block_clear (&block);
  }
}

GST_END_TEST;

GST_START_TEST (it_does_not_matter_in_which_order_they_come)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (3);
  guint round, i;

  for (round = 0; round < test_rounds (300); round++) {
    g_autoptr (LmccRepairDecoder) decoder = test_block_decoder ();
    guint order[40], n_repair = 1 + round % 8, missing = 0;
    TestBlock block;

    test_block_init (&block, 65520, 32, 1, n_repair);
    for (i = 0; i < 32 + n_repair; i++)
      order[i] = i;
    for (i = 0; i < 32 + n_repair; i++) {
      guint other = (guint) g_rand_int_range (dice, i, 32 + n_repair);
      guint was = order[i];

      order[i] = order[other];
      order[other] = was;
    }
    /* Any 32 packets recover the others. */
    for (i = 32; i < 32 + n_repair; i++)
      missing += order[i] < 32;
    for (i = 0; i < 32; i++) {
      fail_unless_equals_int (test_block_poll_all (decoder, &block, NULL), 0);
      test_block_take_symbol (decoder, &block, order[i], i);
    }
    fail_unless_equals_int (test_block_poll_all (decoder, &block, NULL),
        missing);
    /* A packet that arrives now is not output again. */
    for (; i < 32 + n_repair; i++)
      test_block_take_symbol (decoder, &block, order[i], i);
    fail_unless_equals_int (test_block_poll_all (decoder, &block, NULL), 0);
    test_block_clear (&block);
  }
}

GST_END_TEST;

/* Two losses in each of two columns and one row repair each other step by
 * step. */
GST_START_TEST (what_one_block_gives_helps_another)
{
  g_autoptr (LmccRepairDecoder) decoder = test_block_decoder ();
  LmccRepairedPacket repaired;
  TestBlock row, column;
  guint i, n = 0;

  test_block_init (&row, 0, 5, 1, 1);
  test_block_init (&column, 4, 4, 5, 1);
  for (i = 1; i < 4; i++) {
    test_block_take_symbol (decoder, &row, i, 0);
    test_block_take_symbol (decoder, &column, i, 0);
  }
  /* 0 and 4 are missing in the row, 4 in the column that starts with it. */
  test_block_take_symbol (decoder, &row, 5, 0);
  fail_if (lmcc_repair_decoder_poll (decoder, &repaired));
  test_block_take_symbol (decoder, &column, 4, 0);
  while (lmcc_repair_decoder_poll (decoder, &repaired)) {
    n += repaired.rtp.sequence == 0 || repaired.rtp.sequence == 4;
    lmcc_packet_unref (repaired.packet);
  }
  fail_unless_equals_int (n, 2);
  test_block_clear (&row);
  test_block_clear (&column);
}

GST_END_TEST;

/* Handles a block that lost its second packet, with a modified repair
 * packet: nothing but the lost packet may be output. */
static guint
try_with (const TestBlock *block, const LmccRepairPayload *payload,
    LmccPacket *packet)
{
  g_autoptr (LmccRepairDecoder) decoder = test_block_decoder ();
  gboolean lost[4] = { FALSE, TRUE, FALSE, FALSE };

  test_block_take_symbol (decoder, block, 0, 0);
  test_block_take_symbol (decoder, block, 2, 0);
  lmcc_repair_decoder_take_repair (decoder, payload, packet, 0);

  return test_block_poll_all (decoder, block, lost) == 1
      ? 0
      : (guint) lmcc_repair_decoder_get_refused (decoder);
}

GST_START_TEST (a_symbol_that_is_no_packet_of_its_place_is_refused)
{
  /* Length, sequence number, SSRC, profile of the header extension. */
  static const guint at[] = { 0, 1, 4, 5, 10, 11, 12, 13, 14, 15 };
  LmccPacket *packet;
  guint i;
  TestBlock block;

  test_block_init (&block, 10, 3, 1, 1);
  packet = g_ptr_array_index (block.repair, 0);
  for (i = 0; i < G_N_ELEMENTS (at); i++) {
    LmccRepairPayload payload;

    fail_unless (
        lmcc_repair_payload_parse (packet->data, packet->size, &payload));
    packet->data[LMCC_REPAIR_HEADER_SIZE + at[i]] ^= 0x40;
    fail_unless (try_with (&block, &payload, packet) == 1, "byte %u", at[i]);
    packet->data[LMCC_REPAIR_HEADER_SIZE + at[i]] ^= 0x40;
  }
  test_block_clear (&block);
}

GST_END_TEST;

/* The block is as described, but its second packet is of another stream or
 * has another number. */
GST_START_TEST (a_recovered_packet_of_another_place_is_refused)
{
  static const guint at[][2] = { { 11, 1 }, { 8, 0x80 }, { 3, 1 }, { 1, 1 },
    { 17, 8 } };
  guint i, j;

  for (i = 0; i < G_N_ELEMENTS (at); i++) {
    g_autoptr (LmccRepairDecoder) decoder = test_block_decoder ();
    guint8 *source[3], *symbol;
    LmccRepairPayload payload;
    LmccPacket *packet;
    gsize size;
    TestBlock block;

    test_block_init (&block, 10, 3, 1, 1);
    packet = g_ptr_array_index (block.repair, 0);
    fail_unless (
        lmcc_repair_payload_parse (packet->data, packet->size, &payload));
    size = payload.symbol_size;
    block.source[1]->data[at[i][0]] ^= at[i][1];
    for (j = 0; j < 3; j++) {
      source[j] = g_malloc0 (size);
      source[j][0] = block.source[j]->size >> 8;
      source[j][1] = block.source[j]->size & 0xff;
      memcpy (source[j] + 2, block.source[j]->data, block.source[j]->size);
    }
    symbol = packet->data + LMCC_REPAIR_HEADER_SIZE;
    lmcc_repair_code_encode (3, 0, 1, size, (const guint8 *const *) source,
        &symbol);
    test_block_take_symbol (decoder, &block, 0, 0);
    test_block_take_symbol (decoder, &block, 2, 0);
    test_block_take_repair (decoder, packet, 0);
    fail_unless_equals_int (test_block_poll_all (decoder, &block, NULL), 0);
    fail_unless_equals_int (lmcc_repair_decoder_get_refused (decoder), 1);
    for (j = 0; j < 3; j++)
      g_free (source[j]);
    test_block_clear (&block);
  }
}

GST_END_TEST;

GST_START_TEST (packets_that_contradict_their_block_are_refused)
{
  g_autoptr (LmccRepairDecoder) decoder = test_block_decoder ();
  gboolean lost[8] = { TRUE, TRUE };
  LmccRepairPayload payload, other;
  LmccPacket *packet;
  TestBlock block;
  guint i;

  test_block_init (&block, 10, 5, 1, 3);
  for (i = 2; i < 5; i++)
    test_block_take_symbol (decoder, &block, i, 0);
  test_block_take_symbol (decoder, &block, 5, 0);
  packet = g_ptr_array_index (block.repair, 1);
  fail_unless (
      lmcc_repair_payload_parse (packet->data, packet->size, &payload));
  for (i = 0; i < 5; i++) {
    other = payload;
    other.n_source += i == 0;
    other.step += i == 1;
    other.n_repair += i == 2;
    other.symbol_size -= i == 3;
    other.carriers += i == 4;
    lmcc_repair_decoder_take_repair (decoder, &other, packet, 0);
    fail_unless_equals_int (lmcc_repair_decoder_get_refused (decoder), i + 1);
  }
  fail_unless_equals_int (test_block_poll_all (decoder, &block, lost), 0);
  /* A duplicate does not count twice. */
  test_block_take_symbol (decoder, &block, 5, 0);
  fail_unless_equals_int (test_block_poll_all (decoder, &block, lost), 0);
  test_block_take_repair (decoder, packet, 0);
  fail_unless_equals_int (test_block_poll_all (decoder, &block, lost), 2);
  fail_unless_equals_int (lmcc_repair_decoder_get_refused (decoder), 5);
  test_block_clear (&block);
}

GST_END_TEST;

GST_START_TEST (a_block_with_smaller_symbols_than_its_packets_is_refused)
{
  g_autoptr (LmccRepairDecoder) decoder = test_block_decoder ();
  guint8 bytes[LMCC_REPAIR_HEADER_SIZE + 38] = { 0 };
  LmccRepairPayload payload = {
    .source = TEST_BLOCK_SOURCE,
    .first = 8,
    .n_source = 2,
    .step = 1,
    .index = 0,
    .n_repair = 1,
    .carriers = 1,
    .end = 1,
    .symbol_size = 38,
    .symbol = bytes + LMCC_REPAIR_HEADER_SIZE,
  };
  LmccPacket *packet = lmcc_packet_new_copy (bytes, sizeof (bytes));
  LmccPacket *source = test_block_packet (TEST_BLOCK_SOURCE, 8);
  LmccRepairedPacket repaired;

  fail_unless (source->size > 36);
  payload.symbol = packet->data + LMCC_REPAIR_HEADER_SIZE;
  lmcc_repair_decoder_take_source (decoder, TEST_BLOCK_SOURCE, 8, source, 0);
  lmcc_repair_decoder_take_repair (decoder, &payload, packet, 0);
  fail_if (lmcc_repair_decoder_poll (decoder, &repaired));
  fail_unless_equals_int (lmcc_repair_decoder_get_refused (decoder), 1);
  lmcc_packet_unref (packet);
  lmcc_packet_unref (source);
}

GST_END_TEST;

GST_START_TEST (old_blocks_and_those_of_left_layers_are_forgotten)
{
  gboolean lost[4] = { TRUE };
  guint way;

  for (way = 0; way < 3; way++) {
    g_autoptr (LmccRepairDecoder) decoder = test_block_decoder ();
    TestBlock block;

    test_block_init (&block, 10, 3, 1, 1);
    test_block_take_symbol (decoder, &block, 1, 100);
    test_block_take_symbol (decoder, &block, 2, 200);
    if (way == 0)
      lmcc_repair_decoder_expire (decoder, 100);
    else if (way == 1)
      lmcc_repair_decoder_expire (decoder, 101);
    else
      lmcc_repair_decoder_set_held (decoder, lmcc_layer_set_first (3));
    test_block_take_symbol (decoder, &block, 3, 300);
    fail_unless_equals_int (test_block_poll_all (decoder, &block, lost),
        way == 0);
    fail_unless_equals_int (lmcc_repair_decoder_get_refused (decoder), 0);
    test_block_clear (&block);
  }
}

GST_END_TEST;

GST_START_TEST (beyond_repair_is_known_when_a_block_has_ended_and_is_short)
{
  g_autoptr (LmccRepairDecoder) decoder = test_block_decoder ();
  TestBlock block;

  test_block_init (&block, 10, 5, 1, 2);
  fail_if (lmcc_repair_decoder_is_hopeless (decoder, TEST_BLOCK_SOURCE, 11));
  test_block_take_symbol (decoder, &block, 0, 0);
  test_block_take_symbol (decoder, &block, 4, 0);
  test_block_take_symbol (decoder, &block, 6, 0);
  fail_if (lmcc_repair_decoder_is_hopeless (decoder, TEST_BLOCK_SOURCE, 11));
  lmcc_repair_decoder_end_part (decoder, TEST_BLOCK_SOURCE & 63,
      TEST_BLOCK_SOURCE, 10);
  fail_unless (
      lmcc_repair_decoder_is_hopeless (decoder, TEST_BLOCK_SOURCE, 11));
  fail_unless (
      lmcc_repair_decoder_is_hopeless (decoder, TEST_BLOCK_SOURCE, 13));
  fail_if (lmcc_repair_decoder_is_hopeless (decoder, TEST_BLOCK_SOURCE, 15));
  fail_if (
      lmcc_repair_decoder_is_hopeless (decoder, TEST_BLOCK_SOURCE + 1, 11));
  test_block_clear (&block);
}

GST_END_TEST;

/* Repair of a block in the source packets' layer and two layers above. */
static GPtrArray *
encode_parts (const TestBlock *block, guint8 own, guint8 above, guint8 top)
{
  const guint8 parts[LMCC_REPAIR_MAX_CARRIERS] = { own, above, 0, top };
  guint n = own + above + top, i;
  g_autoptr (LmccRepairEncoder) encoder =
      lmcc_repair_encoder_new (block->source, block->n_source, block->step, n);
  GPtrArray *repair =
      g_ptr_array_new_with_free_func ((GDestroyNotify) lmcc_packet_unref);

  lmcc_repair_encoder_set_parts (encoder, parts);
  for (i = 0; i < n; i++)
    g_ptr_array_add (repair, lmcc_repair_encoder_make (encoder, i));

  return repair;
}

/* A receiver with only some of the layers waits only for those. */
GST_START_TEST (repair_in_several_layers_ends_in_each_that_is_held)
{
  const guint layer = TEST_BLOCK_SOURCE & LMCC_SSRC_LAYER_MASK;
  guint n_held;

  for (n_held = 0; n_held <= 4; n_held++) {
    const guint carriers[] = { layer, layer + 1, layer + 3 };
    g_autoptr (LmccRepairDecoder) decoder = test_block_decoder ();
    guint last = 0, i;
    TestBlock block;

    test_block_init (&block, 10, 5, 1, 1);
    g_ptr_array_unref (block.repair);
    block.repair = encode_parts (&block, 1, 2, 1);
    lmcc_repair_decoder_set_held (decoder,
        lmcc_layer_set_first (layer + n_held));
    test_block_take_repair (decoder, g_ptr_array_index (block.repair, 0), 0);
    for (i = 0; i < 3; i++) {
      if (carriers[i] < layer + n_held)
        last = i;
    }
    for (i = 0; i < 3; i++) {
      fail_unless_equals_int (lmcc_repair_decoder_is_hopeless (decoder,
                                  TEST_BLOCK_SOURCE, 11),
          n_held == 0 || i > last);
      lmcc_repair_decoder_end_part (decoder, carriers[i], TEST_BLOCK_SOURCE,
          10);
    }
    fail_unless (
        lmcc_repair_decoder_is_hopeless (decoder, TEST_BLOCK_SOURCE, 11));
    test_block_clear (&block);
  }
}

GST_END_TEST;

GST_START_TEST (each_repair_packet_names_the_parts_of_layers)
{
  static const guint8 ends[] = { 1, 3, 3, 7, 7, 7, 7 };
  g_autoptr (GPtrArray) repair = NULL;
  TestBlock block;
  guint i;

  test_block_init (&block, 10, 5, 1, 1);
  repair = encode_parts (&block, 1, 2, 4);
  for (i = 0; i < repair->len; i++) {
    const LmccPacket *packet = g_ptr_array_index (repair, i);
    LmccRepairPayload payload;

    fail_unless (
        lmcc_repair_payload_parse (packet->data, packet->size, &payload));
    fail_unless_equals_int (payload.index, i);
    fail_unless_equals_int (payload.end, ends[i]);
    fail_unless_equals_int (payload.n_repair, 7);
    fail_unless_equals_int (payload.carriers, 0x0b);
  }
  test_block_clear (&block);
}

GST_END_TEST;

/* All repair in one layer may have been lost. */
GST_START_TEST (a_later_block_of_a_layer_ends_those_before)
{
  const guint layer = TEST_BLOCK_SOURCE & LMCC_SSRC_LAYER_MASK;
  g_autoptr (LmccRepairDecoder) decoder = test_block_decoder ();
  TestBlock block;

  test_block_init (&block, 65530, 8, 1, 1);
  g_ptr_array_unref (block.repair);
  block.repair = encode_parts (&block, 1, 2, 0);
  test_block_take_repair (decoder, g_ptr_array_index (block.repair, 0), 0);
  lmcc_repair_decoder_end_part (decoder, layer, TEST_BLOCK_SOURCE, 65530);
  fail_if (lmcc_repair_decoder_is_hopeless (decoder, TEST_BLOCK_SOURCE, 1));
  lmcc_repair_decoder_end_before (decoder, layer + 1, TEST_BLOCK_SOURCE + 1, 2);
  lmcc_repair_decoder_end_before (decoder, layer + 1, TEST_BLOCK_SOURCE, 65530);
  fail_if (lmcc_repair_decoder_is_hopeless (decoder, TEST_BLOCK_SOURCE, 1));
  lmcc_repair_decoder_end_before (decoder, layer + 1, TEST_BLOCK_SOURCE, 2);
  fail_unless (lmcc_repair_decoder_is_hopeless (decoder, TEST_BLOCK_SOURCE, 1));
  test_block_clear (&block);
}

GST_END_TEST;

/* Far more packets than are kept, and blocks that never end. */
GST_START_TEST (memory_is_bounded)
{
  g_autoptr (LmccRepairDecoder) decoder = test_block_decoder ();
  guint i, n = test_rounds (100000);
  LmccRepairedPacket repaired;

  for (i = 0; i < n; i++) {
    guint source = i % 60 * 16;
    LmccPacket *packet = test_block_packet (source, i / 60);

    lmcc_repair_decoder_take_source (decoder, (guint16) source,
        (guint16) (i / 60), packet, i);
    if (i % 64 == 0) {
      LmccPacket *body = lmcc_packet_new (LMCC_MAX_PACKET_SIZE);
      LmccRepairPayload payload = {
        .source = (guint16) source,
        .first = (guint16) (i / 60),
        .n_source = 200,
        .step = 15,
        .n_repair = 55,
        .carriers = 1,
        .end = 55,
        .symbol_size = 8900,
        .symbol = body->data,
      };

      lmcc_repair_decoder_take_repair (decoder, &payload, body, i);
      lmcc_packet_unref (body);
    }
    lmcc_packet_unref (packet);
    fail_unless (
        lmcc_repair_decoder_get_bytes (decoder) <= LMCC_REPAIR_MAX_BYTES);
  }
  fail_if (lmcc_repair_decoder_poll (decoder, &repaired));
  /* Some with each call. */
  for (i = 0; lmcc_repair_decoder_get_bytes (decoder) > 0; i++) {
    lmcc_repair_decoder_expire (decoder, n);
    fail_unless (i < LMCC_REPAIR_MAX_PACKETS / 32);
  }
}

GST_END_TEST;

/* An answer kept until then is never wrong. */
GST_START_TEST (a_change_is_counted_before_hope_changes)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (7);
  g_autoptr (LmccRepairDecoder) decoder = test_block_decoder ();
  gboolean was[32] = { FALSE };
  guint changes = lmcc_repair_decoder_get_changes (decoder);
  guint n_changed = 0, step, i;
  TestBlock blocks[4];

  for (i = 0; i < 4; i++)
    test_block_init (&blocks[i], 6 * i, 6 + i % 2, 1, 2);
  for (step = 0; step < 2000; step++) {
    const TestBlock *block = &blocks[g_rand_int_range (dice, 0, 4)];
    LmccRepairedPacket repaired;
    guint now;

    switch (g_rand_int_range (dice, 0, 16)) {
      case 0:
        lmcc_repair_decoder_end_part (decoder, TEST_BLOCK_SOURCE & 63,
            TEST_BLOCK_SOURCE, (guint16) block->first);
        break;
      case 1:
        lmcc_repair_decoder_expire (decoder, step - MIN (step, 20));
        break;
      default:
        test_block_take_symbol (decoder, block,
            (guint) g_rand_int_range (dice, 0,
                (gint) (block->n_source + block->n_repair)),
            step);
        while (lmcc_repair_decoder_poll (decoder, &repaired))
          lmcc_packet_unref (repaired.packet);
    }
    now = lmcc_repair_decoder_get_changes (decoder);
    for (i = 0; i < 32; i++) {
      gboolean is = lmcc_repair_decoder_is_hopeless (decoder, TEST_BLOCK_SOURCE,
          (guint16) i);

      fail_unless (is == was[i] || now != changes);
      n_changed += is != was[i];
      was[i] = is;
    }
    changes = now;
  }
  fail_unless (n_changed > 100);
  for (i = 0; i < 4; i++)
    test_block_clear (&blocks[i]);
}

GST_END_TEST;

static Suite *
repair_decoder_suite (void)
{
  Suite *suite = suite_create ("repair-decoder");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_test (chain, any_pattern_of_r_losses_is_repaired);
  tcase_add_test (chain, it_does_not_matter_in_which_order_they_come);
  tcase_add_test (chain, what_one_block_gives_helps_another);
  tcase_add_test (chain, a_symbol_that_is_no_packet_of_its_place_is_refused);
  tcase_add_test (chain, a_recovered_packet_of_another_place_is_refused);
  tcase_add_test (chain, packets_that_contradict_their_block_are_refused);
  tcase_add_test (chain,
      a_block_with_smaller_symbols_than_its_packets_is_refused);
  tcase_add_test (chain, old_blocks_and_those_of_left_layers_are_forgotten);
  tcase_add_test (chain,
      beyond_repair_is_known_when_a_block_has_ended_and_is_short);
  tcase_add_test (chain, memory_is_bounded);
  tcase_add_test (chain, repair_in_several_layers_ends_in_each_that_is_held);
  tcase_add_test (chain, each_repair_packet_names_the_parts_of_layers);
  tcase_add_test (chain, a_later_block_of_a_layer_ends_those_before);
  tcase_add_test (chain, a_change_is_counted_before_hope_changes);

  return suite;
}

GST_CHECK_MAIN (repair_decoder);
