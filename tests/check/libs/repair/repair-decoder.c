/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/repair/code.h>
#include <gst/lmcc/repair/decoder.h>
#include <gst/lmcc/repair/encoder.h>
#include <gst/lmcc/repair/payload.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SSRC_BASE 0x12345000u
#define SOURCE 0x043            /* rung 1, layer 3 */
#define PAYLOAD_TYPE 96

/* Standard errors that a mean may be off: 6 in 100,000 are more. */
#define ERRORS_MAX 4.0

static LmccRepairDecoder *
new_decoder (void)
{
  LmccRepairDecoder *decoder = lmcc_repair_decoder_new ();
  LmccSession session;

  lmcc_session_init (&session);
  session.ssrc_base = SSRC_BASE;
  session.payload_type = PAYLOAD_TYPE;
  lmcc_repair_decoder_set_session (decoder, &session);

  return decoder;
}

/* Bytes and length are another for each number. */
static LmccPacket *
new_packet_of (guint source, guint sequence)
{
  guint8 payload[64];
  LmccRtp rtp = {.payload_type = (guint8) (PAYLOAD_TYPE + (source >> 6)),
    .sequence = (guint16) sequence,.timestamp = 90 * sequence,
    .ssrc = SSRC_BASE + source,.payload_size = sequence * 7 % 64,
  };
  LmccHeader header = {.type = LMCC_PACKET_MEDIA,.layer = source & 0x3f,
    .top_layer = 63,.stream = (guint8) (source >> 6),.signal = -1,
    .lsn = (guint16) sequence,.osn = (guint16) sequence,
  };
  guint i;

  for (i = 0; i < sizeof (payload); i++)
    payload[i] = (guint8) ((sequence + 1) * 37 + i * i);

  return lmcc_rtp_build (&rtp, &header, LMCC_HEADER_DEFAULT_ID, payload);
}

typedef struct
{
  guint n_source;
  guint n_repair;
  guint first;
  guint step;
  LmccPacket *source[LMCC_REPAIR_MAX_SYMBOLS];
  GPtrArray *repair;
} Block;

static void
block_init (Block * block, guint first, guint n_source, guint step,
    guint n_repair)
{
  guint i;

  block->n_source = n_source;
  block->n_repair = n_repair;
  block->first = first;
  block->step = step;
  for (i = 0; i < n_source; i++)
    block->source[i] = new_packet_of (SOURCE, first + i * step);
  block->repair = lmcc_repair_encode (block->source, n_source, step, n_repair);
  fail_unless (block->repair != NULL);
}

static void
block_clear (Block * block)
{
  guint i;

  for (i = 0; i < block->n_source; i++)
    lmcc_packet_unref (block->source[i]);
  g_ptr_array_unref (block->repair);
}

static void
take_repair (LmccRepairDecoder * decoder, LmccPacket * packet, LmccTime now)
{
  LmccRepairPayload payload;

  fail_unless (lmcc_repair_payload_parse (packet->data, packet->size,
          &payload));
  lmcc_repair_decoder_take_repair (decoder, &payload, packet, now);
}

/* The symbols of a block by number: source first. */
static void
take_symbol (LmccRepairDecoder * decoder, const Block * block, guint i,
    LmccTime now)
{
  if (i < block->n_source)
    lmcc_repair_decoder_take_source (decoder, SOURCE,
        (guint16) (block->first + i * block->step), block->source[i], now);
  else
    take_repair (decoder, g_ptr_array_index (block->repair,
            i - block->n_source), now);
}

/* Returns how many came out; each must be what was sent, and was lost. */
static guint
poll_all (LmccRepairDecoder * decoder, const Block * block,
    const gboolean * lost)
{
  LmccRepairedPacket repaired;
  guint n = 0;

  while (lmcc_repair_decoder_poll (decoder, &repaired)) {
    guint i = (guint16) (repaired.rtp.sequence - block->first) / block->step;

    fail_unless (i < block->n_source);
    fail_unless (lost == NULL || lost[i]);
    fail_unless_equals_int (repaired.packet->size, block->source[i]->size);
    fail_unless (memcmp (repaired.packet->data, block->source[i]->data,
            repaired.packet->size) == 0);
    fail_unless_equals_int (repaired.header.lsn, repaired.rtp.sequence);
    lmcc_packet_unref (repaired.packet);
    n++;
  }

  return n;
}

static guint
count_missing (const Block * block, const gboolean * lost, guint * n_lost)
{
  guint missing = 0, i;

  *n_lost = 0;
  for (i = 0; i < block->n_source + block->n_repair; i++) {
    *n_lost += lost[i];
    missing += lost[i] && i < block->n_source;
  }

  return missing;
}

static void
check_pattern (const Block * block, const gboolean * lost)
{
  g_autoptr (LmccRepairDecoder) decoder = new_decoder ();
  guint n_lost, missing = count_missing (block, lost, &n_lost);
  guint i;

  for (i = 0; i < block->n_source + block->n_repair; i++) {
    if (!lost[i])
      take_symbol (decoder, block, i, i);
  }
  fail_unless_equals_int (poll_all (decoder, block, lost),
      n_lost <= block->n_repair ? missing : 0);
  fail_unless_equals_int (lmcc_repair_decoder_get_refused (decoder), 0);
}

GST_START_TEST (any_pattern_of_r_losses_is_repaired)
{
  static const guint shapes[][4] = {
    /* k, r, d, b */
    {1, 1, 1, 0}, {1, 3, 1, 5}, {4, 1, 1, 65534}, {5, 2, 3, 65530},
    {6, 3, 1, 100}, {3, 3, 15, 65500}, {8, 2, 2, 7},
  };
  guint shape, pattern, i;

  for (shape = 0; shape < G_N_ELEMENTS (shapes); shape++) {
    guint n = shapes[shape][0] + shapes[shape][1];
    Block block;

    block_init (&block, shapes[shape][3], shapes[shape][0], shapes[shape][2],
        shapes[shape][1]);
    for (pattern = 0; pattern < 1u << n; pattern++) {
      gboolean lost[16];

      for (i = 0; i < n; i++)
        lost[i] = pattern >> i & 1;
      check_pattern (&block, lost);
    }
    block_clear (&block);
  }
}

GST_END_TEST;

GST_START_TEST (it_does_not_matter_in_which_order_they_come)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (3);
  guint round, i;

  for (round = 0; round < test_rounds (300); round++) {
    g_autoptr (LmccRepairDecoder) decoder = new_decoder ();
    guint order[40], n_repair = 1 + round % 8, missing = 0;
    Block block;

    block_init (&block, 65520, 32, 1, n_repair);
    for (i = 0; i < 32 + n_repair; i++)
      order[i] = i;
    for (i = 0; i < 32 + n_repair; i++) {
      guint other = (guint) g_rand_int_range (dice, i, 32 + n_repair);
      guint was = order[i];

      order[i] = order[other];
      order[other] = was;
    }
    /* Any 32 give what the others are. */
    for (i = 32; i < 32 + n_repair; i++)
      missing += order[i] < 32;
    for (i = 0; i < 32; i++) {
      fail_unless_equals_int (poll_all (decoder, &block, NULL), 0);
      take_symbol (decoder, &block, order[i], i);
    }
    fail_unless_equals_int (poll_all (decoder, &block, NULL), missing);
    /* What comes now is not given out again. */
    for (; i < 32 + n_repair; i++)
      take_symbol (decoder, &block, order[i], i);
    fail_unless_equals_int (poll_all (decoder, &block, NULL), 0);
    block_clear (&block);
  }
}

GST_END_TEST;

/* Two losses in each of two columns and one row repair each other in turn. */
GST_START_TEST (what_one_block_gives_helps_another)
{
  g_autoptr (LmccRepairDecoder) decoder = new_decoder ();
  LmccRepairedPacket repaired;
  Block row, column;
  guint i, n = 0;

  block_init (&row, 0, 5, 1, 1);
  block_init (&column, 4, 4, 5, 1);
  for (i = 1; i < 4; i++) {
    take_symbol (decoder, &row, i, 0);
    take_symbol (decoder, &column, i, 0);
  }
  /* 0 and 4 are missing in the row, 4 in the column that starts with it. */
  take_symbol (decoder, &row, 5, 0);
  fail_if (lmcc_repair_decoder_poll (decoder, &repaired));
  take_symbol (decoder, &column, 4, 0);
  while (lmcc_repair_decoder_poll (decoder, &repaired)) {
    n += repaired.rtp.sequence == 0 || repaired.rtp.sequence == 4;
    lmcc_packet_unref (repaired.packet);
  }
  fail_unless_equals_int (n, 2);
  block_clear (&row);
  block_clear (&column);
}

GST_END_TEST;

/* A chain of two states that loses all in the second one (Gilbert 1960).
 * Bernoulli losses are the chain that forgets where it was. */
typedef struct
{
  gdouble good_to_bad;
  gdouble bad_to_good;
} Chain;

static Chain
bernoulli (gdouble loss)
{
  return (Chain) {
  loss, 1.0 - loss};
}

static Chain
bursts (gdouble loss, gdouble mean_length)
{
  return (Chain) {
  loss / (1.0 - loss) / mean_length, 1.0 / mean_length};
}

/* Mean and variance of the source packets that one block still misses, with a
 * code that repairs whenever it can be done: all ways through the chain, by
 * state, source packets lost and packets lost. */
static void
exact_residual (const Chain * chain, guint n_source, guint n_repair,
    gdouble * mean, gdouble * variance)
{
  static gdouble now[2][LMCC_REPAIR_MAX_SYMBOLS][LMCC_REPAIR_MAX_SYMBOLS];
  static gdouble next[2][LMCC_REPAIR_MAX_SYMBOLS][LMCC_REPAIR_MAX_SYMBOLS];
  gdouble bad = chain->good_to_bad / (chain->good_to_bad + chain->bad_to_good);
  guint n = n_source + n_repair, i, s, t, state;
  gdouble squares = 0.0;

  memset (now, 0, sizeof (now));
  now[0][0][0] = 1.0 - bad;
  now[1][0][0] = bad;
  for (i = 0; i < n; i++) {
    memset (next, 0, sizeof (next));
    for (state = 0; state < 2; state++) {
      for (s = 0; s <= MIN (i, n_source); s++) {
        for (t = s; t <= i; t++) {
          gdouble weight = now[state][s][t];
          gdouble to_bad = state ? 1.0 - chain->bad_to_good
              : chain->good_to_bad;
          guint s2 = s + (state && i < n_source), t2 = t + state;

          if (weight == 0.0)
            continue;
          next[0][s2][t2] += weight * (1.0 - to_bad);
          next[1][s2][t2] += weight * to_bad;
        }
      }
    }
    memcpy (now, next, sizeof (now));
  }
  *mean = 0.0;
  for (s = 0; s <= n_source; s++) {
    for (t = n_repair + 1; t <= n; t++) {
      gdouble weight = now[0][s][t] + now[1][s][t];

      *mean += weight * s;
      squares += weight * s * s;
    }
  }
  *variance = squares - *mean * *mean;
}

/* Blocks begin in the chain's stationary state, each for itself. */
static gdouble
simulate_residual (const Chain * chain, guint n_source, guint n_repair,
    guint n_blocks, GRand * dice)
{
  gdouble bad = chain->good_to_bad / (chain->good_to_bad + chain->bad_to_good);
  guint64 residual = 0;
  guint round, i;
  Block block;

  block_init (&block, 65530, n_source, 1, n_repair);
  for (round = 0; round < n_blocks; round++) {
    g_autoptr (LmccRepairDecoder) decoder = new_decoder ();
    gboolean lost[LMCC_REPAIR_MAX_SYMBOLS];
    gboolean state = g_rand_double (dice) < bad;
    guint n_lost;

    for (i = 0; i < n_source + n_repair; i++) {
      lost[i] = state;
      if (!lost[i])
        take_symbol (decoder, &block, i, i);
      state = g_rand_double (dice) < (state ? 1.0 - chain->bad_to_good
          : chain->good_to_bad);
    }
    residual += count_missing (&block, lost, &n_lost);
    residual -= poll_all (decoder, &block, lost);
  }
  block_clear (&block);

  return (gdouble) residual / n_blocks;
}

/* One line for each measurement, for tests/plots/repair.py. */
static void
trace (const Chain * chain, guint n_source, guint n_repair, gdouble got,
    gdouble mean, gdouble error)
{
  const gchar *path = g_getenv ("LMCC_REPAIR_TRACE");
  FILE *file = path != NULL ? fopen (path, "a") : NULL;

  if (file == NULL)
    return;
  fprintf (file, "%g,%g,%u,%u,%g,%g,%g\n", chain->good_to_bad /
      (chain->good_to_bad + chain->bad_to_good), 1.0 / chain->bad_to_good,
      n_source, n_repair, got / n_source, mean / n_source, error / n_source);
  fclose (file);
}

static void
check_residual (const Chain * chain, guint n_source, guint n_repair,
    guint n_blocks, GRand * dice)
{
  gdouble mean, variance, got, error;

  exact_residual (chain, n_source, n_repair, &mean, &variance);
  got = simulate_residual (chain, n_source, n_repair, n_blocks, dice);
  error = sqrt (variance / n_blocks);
  trace (chain, n_source, n_repair, got, mean, error);
  fail_unless (fabs (got - mean) <= ERRORS_MAX * error + 1.0 / n_blocks,
      "%u + %u, %g to %g: %g, exactly %g, standard error %g", n_source,
      n_repair, chain->good_to_bad, chain->bad_to_good, got, mean, error);
}

/* For independent losses the count of lost packets is binomial. */
GST_START_TEST (the_exact_count_is_the_binomial_tail_without_bursts)
{
  guint n_source = 10, n_repair = 2, n = 12, j;
  gdouble p = 0.05, tail = 0.0, mean, variance, ways = 1.0;
  Chain chain = bernoulli (p);

  exact_residual (&chain, n_source, n_repair, &mean, &variance);
  for (j = 0; j <= n; j++) {
    if (j > n_repair)
      tail += ways * pow (p, j) * pow (1.0 - p, n - j) * j / n;
    ways = ways * (n - j) / (j + 1);
  }
  fail_unless (fabs (mean / n_source - tail) < 1e-12);
}

GST_END_TEST;

GST_START_TEST (residual_loss_is_that_of_the_best_code)
{
  static const gdouble losses[] = { 0.005, 0.01, 0.02, 0.05, 0.1 };
  static const guint shapes[][2] = { {10, 1}, {20, 4}, {30, 3} };
  g_autoptr (GRand) dice = g_rand_new_with_seed (4);
  guint loss, shape;

  for (loss = 0; loss < G_N_ELEMENTS (losses); loss++) {
    for (shape = 0; shape < G_N_ELEMENTS (shapes); shape++) {
      Chain chains[] = { bernoulli (losses[loss]), bursts (losses[loss], 3.0),
        bursts (losses[loss], 8.0)
      };
      guint i;

      for (i = 0; i < G_N_ELEMENTS (chains); i++)
        check_residual (&chains[i], shapes[shape][0], shapes[shape][1],
            test_rounds (4000), dice);
    }
  }
}

GST_END_TEST;

/* Takes a block that has lost its second packet, with a repair packet that was
 * changed: whatever it is, nothing but the lost packet may come out. */
static guint
try_with (const Block * block, const LmccRepairPayload * payload,
    LmccPacket * packet)
{
  g_autoptr (LmccRepairDecoder) decoder = new_decoder ();
  gboolean lost[4] = { FALSE, TRUE, FALSE, FALSE };

  take_symbol (decoder, block, 0, 0);
  take_symbol (decoder, block, 2, 0);
  lmcc_repair_decoder_take_repair (decoder, payload, packet, 0);

  return poll_all (decoder, block, lost) == 1 ? 0
      : (guint) lmcc_repair_decoder_get_refused (decoder);
}

GST_START_TEST (a_symbol_that_is_no_packet_of_its_place_is_refused)
{
  /* Length, sequence number, SSRC, profile of the header extension. */
  static const guint at[] = { 0, 1, 4, 5, 10, 11, 12, 13, 14, 15 };
  LmccPacket *packet;
  guint i;
  Block block;

  block_init (&block, 10, 3, 1, 1);
  packet = g_ptr_array_index (block.repair, 0);
  for (i = 0; i < G_N_ELEMENTS (at); i++) {
    LmccRepairPayload payload;

    fail_unless (lmcc_repair_payload_parse (packet->data, packet->size,
            &payload));
    packet->data[LMCC_REPAIR_HEADER_SIZE + at[i]] ^= 0x40;
    fail_unless (try_with (&block, &payload, packet) == 1, "byte %u", at[i]);
    packet->data[LMCC_REPAIR_HEADER_SIZE + at[i]] ^= 0x40;
  }
  block_clear (&block);
}

GST_END_TEST;

/* The block is what it says, but its second packet is of another stream or has
 * another number. */
GST_START_TEST (a_recovered_packet_of_another_place_is_refused)
{
  static const guint at[][2] = { {11, 1}, {8, 0x80}, {3, 1}, {1, 1}, {17, 8} };
  guint i, j;

  for (i = 0; i < G_N_ELEMENTS (at); i++) {
    g_autoptr (LmccRepairDecoder) decoder = new_decoder ();
    guint8 *source[3], *symbol;
    LmccRepairPayload payload;
    LmccPacket *packet;
    gsize size;
    Block block;

    block_init (&block, 10, 3, 1, 1);
    packet = g_ptr_array_index (block.repair, 0);
    fail_unless (lmcc_repair_payload_parse (packet->data, packet->size,
            &payload));
    size = payload.symbol_size;
    block.source[1]->data[at[i][0]] ^= at[i][1];
    for (j = 0; j < 3; j++) {
      source[j] = g_malloc0 (size);
      source[j][0] = block.source[j]->size >> 8;
      source[j][1] = block.source[j]->size & 0xff;
      memcpy (source[j] + 2, block.source[j]->data, block.source[j]->size);
    }
    symbol = packet->data + LMCC_REPAIR_HEADER_SIZE;
    lmcc_repair_code_encode (3, 1, size, (const guint8 * const *) source,
        &symbol);
    take_symbol (decoder, &block, 0, 0);
    take_symbol (decoder, &block, 2, 0);
    take_repair (decoder, packet, 0);
    fail_unless_equals_int (poll_all (decoder, &block, NULL), 0);
    fail_unless_equals_int (lmcc_repair_decoder_get_refused (decoder), 1);
    for (j = 0; j < 3; j++)
      g_free (source[j]);
    block_clear (&block);
  }
}

GST_END_TEST;

GST_START_TEST (packets_that_contradict_their_block_are_refused)
{
  g_autoptr (LmccRepairDecoder) decoder = new_decoder ();
  gboolean lost[8] = { TRUE, TRUE };
  LmccRepairPayload payload, other;
  LmccPacket *packet;
  Block block;
  guint i;

  block_init (&block, 10, 5, 1, 3);
  for (i = 2; i < 5; i++)
    take_symbol (decoder, &block, i, 0);
  take_symbol (decoder, &block, 5, 0);
  packet = g_ptr_array_index (block.repair, 1);
  fail_unless (lmcc_repair_payload_parse (packet->data, packet->size,
          &payload));
  for (i = 0; i < 4; i++) {
    other = payload;
    other.n_source += i == 0;
    other.step += i == 1;
    other.n_repair += i == 2;
    other.symbol_size -= i == 3;
    lmcc_repair_decoder_take_repair (decoder, &other, packet, 0);
    fail_unless_equals_int (lmcc_repair_decoder_get_refused (decoder), i + 1);
  }
  fail_unless_equals_int (poll_all (decoder, &block, lost), 0);
  /* The same one twice is not two. */
  take_symbol (decoder, &block, 5, 0);
  fail_unless_equals_int (poll_all (decoder, &block, lost), 0);
  take_repair (decoder, packet, 0);
  fail_unless_equals_int (poll_all (decoder, &block, lost), 2);
  fail_unless_equals_int (lmcc_repair_decoder_get_refused (decoder), 4);
  block_clear (&block);
}

GST_END_TEST;

GST_START_TEST (a_block_with_smaller_symbols_than_its_packets_is_refused)
{
  g_autoptr (LmccRepairDecoder) decoder = new_decoder ();
  guint8 bytes[LMCC_REPAIR_HEADER_SIZE + 38] = { 0 };
  LmccRepairPayload payload = {.source = SOURCE,.first = 8,.n_source = 2,
    .step = 1,.index = 0,.n_repair = 1,.symbol_size = 38,
    .symbol = bytes + LMCC_REPAIR_HEADER_SIZE,
  };
  LmccPacket *packet = lmcc_packet_new_copy (bytes, sizeof (bytes));
  LmccPacket *source = new_packet_of (SOURCE, 8);
  LmccRepairedPacket repaired;

  fail_unless (source->size > 36);
  payload.symbol = packet->data + LMCC_REPAIR_HEADER_SIZE;
  lmcc_repair_decoder_take_source (decoder, SOURCE, 8, source, 0);
  lmcc_repair_decoder_take_repair (decoder, &payload, packet, 0);
  fail_if (lmcc_repair_decoder_poll (decoder, &repaired));
  fail_unless_equals_int (lmcc_repair_decoder_get_refused (decoder), 1);
  lmcc_packet_unref (packet);
  lmcc_packet_unref (source);
}

GST_END_TEST;

GST_START_TEST (what_is_too_old_or_of_layers_not_held_is_forgotten)
{
  gboolean lost[4] = { TRUE };
  guint way;

  for (way = 0; way < 3; way++) {
    g_autoptr (LmccRepairDecoder) decoder = new_decoder ();
    Block block;

    block_init (&block, 10, 3, 1, 1);
    take_symbol (decoder, &block, 1, 100);
    take_symbol (decoder, &block, 2, 200);
    if (way == 0)
      lmcc_repair_decoder_expire (decoder, 100);
    else if (way == 1)
      lmcc_repair_decoder_expire (decoder, 101);
    else
      lmcc_repair_decoder_drop_layers (decoder, 2);
    take_symbol (decoder, &block, 3, 300);
    fail_unless_equals_int (poll_all (decoder, &block, lost), way == 0);
    fail_unless_equals_int (lmcc_repair_decoder_get_refused (decoder), 0);
    block_clear (&block);
  }
}

GST_END_TEST;

GST_START_TEST (beyond_repair_is_known_when_a_block_is_closed_and_short)
{
  g_autoptr (LmccRepairDecoder) decoder = new_decoder ();
  Block block;

  block_init (&block, 10, 5, 1, 2);
  fail_if (lmcc_repair_decoder_is_hopeless (decoder, SOURCE, 11));
  take_symbol (decoder, &block, 0, 0);
  take_symbol (decoder, &block, 4, 0);
  take_symbol (decoder, &block, 6, 0);
  fail_if (lmcc_repair_decoder_is_hopeless (decoder, SOURCE, 11));
  lmcc_repair_decoder_close_block (decoder, SOURCE, 10);
  fail_unless (lmcc_repair_decoder_is_hopeless (decoder, SOURCE, 11));
  fail_unless (lmcc_repair_decoder_is_hopeless (decoder, SOURCE, 13));
  fail_if (lmcc_repair_decoder_is_hopeless (decoder, SOURCE, 15));
  fail_if (lmcc_repair_decoder_is_hopeless (decoder, SOURCE + 1, 11));
  block_clear (&block);
}

GST_END_TEST;

/* Far more packets than are kept, and blocks that never end. */
GST_START_TEST (memory_is_bounded)
{
  g_autoptr (LmccRepairDecoder) decoder = new_decoder ();
  guint i, n = test_rounds (100000);
  LmccRepairedPacket repaired;

  for (i = 0; i < n; i++) {
    guint source = i % 60 * 16;
    LmccPacket *packet = new_packet_of (source, i / 60);

    lmcc_repair_decoder_take_source (decoder, (guint16) source,
        (guint16) (i / 60), packet, i);
    if (i % 64 == 0) {
      LmccPacket *body = lmcc_packet_new (LMCC_MAX_PACKET_SIZE);
      LmccRepairPayload payload = {.source = (guint16) source,
        .first = (guint16) (i / 60),.n_source = 200,.step = 15,.n_repair = 55,
        .symbol_size = 8900,.symbol = body->data,
      };

      lmcc_repair_decoder_take_repair (decoder, &payload, body, i);
      lmcc_packet_unref (body);
    }
    lmcc_packet_unref (packet);
    fail_unless (lmcc_repair_decoder_get_bytes (decoder)
        <= LMCC_REPAIR_MAX_BYTES);
  }
  fail_if (lmcc_repair_decoder_poll (decoder, &repaired));
  lmcc_repair_decoder_expire (decoder, n);
  fail_unless_equals_uint64 (lmcc_repair_decoder_get_bytes (decoder), 0);
}

GST_END_TEST;

/* Who remembers an answer until then is never wrong. */
GST_START_TEST (a_change_is_told_before_hope_changes)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (7);
  g_autoptr (LmccRepairDecoder) decoder = new_decoder ();
  gboolean was[32] = { FALSE };
  guint changes = lmcc_repair_decoder_get_changes (decoder);
  guint n_changed = 0, step, i;
  Block blocks[4];

  for (i = 0; i < 4; i++)
    block_init (&blocks[i], 6 * i, 6 + i % 2, 1, 2);
  for (step = 0; step < 2000; step++) {
    const Block *block = &blocks[g_rand_int_range (dice, 0, 4)];
    LmccRepairedPacket repaired;
    guint now;

    switch (g_rand_int_range (dice, 0, 16)) {
      case 0:
        lmcc_repair_decoder_close_block (decoder, SOURCE, block->first);
        break;
      case 1:
        lmcc_repair_decoder_expire (decoder, step - MIN (step, 20));
        break;
      default:
        take_symbol (decoder, block, (guint) g_rand_int_range (dice, 0,
                (gint) (block->n_source + block->n_repair)), step);
        while (lmcc_repair_decoder_poll (decoder, &repaired))
          lmcc_packet_unref (repaired.packet);
    }
    now = lmcc_repair_decoder_get_changes (decoder);
    for (i = 0; i < 32; i++) {
      gboolean is = lmcc_repair_decoder_is_hopeless (decoder, SOURCE,
          (guint16) i);

      fail_unless (is == was[i] || now != changes);
      n_changed += is != was[i];
      was[i] = is;
    }
    changes = now;
  }
  fail_unless (n_changed > 100);
  for (i = 0; i < 4; i++)
    block_clear (&blocks[i]);
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
  tcase_add_test (chain, the_exact_count_is_the_binomial_tail_without_bursts);
  tcase_add_test (chain, residual_loss_is_that_of_the_best_code);
  tcase_add_test (chain, a_symbol_that_is_no_packet_of_its_place_is_refused);
  tcase_add_test (chain, a_recovered_packet_of_another_place_is_refused);
  tcase_add_test (chain, packets_that_contradict_their_block_are_refused);
  tcase_add_test (chain,
      a_block_with_smaller_symbols_than_its_packets_is_refused);
  tcase_add_test (chain, what_is_too_old_or_of_layers_not_held_is_forgotten);
  tcase_add_test (chain,
      beyond_repair_is_known_when_a_block_is_closed_and_short);
  tcase_add_test (chain, memory_is_bounded);
  tcase_add_test (chain, a_change_is_told_before_hope_changes);

  return suite;
}

GST_CHECK_MAIN (repair_decoder);
