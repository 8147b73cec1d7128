/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the cost of repair per source packet: encoding, and decoding a
 * block with as many lost packets as can be recovered.
 */
#include "config.h"

#include "bench.h"

#include <gst/lmcc/repair/code.h>
#include <gst/lmcc/repair/decoder.h>
#include <gst/lmcc/repair/encoder.h>
#include <gst/lmcc/repair/payload.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>

#include <string.h>
#include <time.h>

#define SSRC_BASE 0x12345000u

/* Source packets of each measurement. */
#define PACKETS 20000

#if defined(HAVE_ISAL) && !defined(LMCC_GALOIS_TABLES)
#define ARITHMETIC "ISA-L"
#else
#define ARITHMETIC "tables"
#endif

typedef struct
{
  const gchar *name;
  guint n_source;
  guint n_repair;
} Shape;

typedef struct
{
  LmccPacket *source[LMCC_REPAIR_MAX_SYMBOLS];
  GPtrArray *repair;
} Block;

static gint64
cpu_time (void)
{
  struct timespec ts;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &ts);
  return ts.tv_sec * (gint64) LMCC_SECOND + ts.tv_nsec;
}

static LmccPacket *
make_packet (guint sequence)
{
  static guint8 payload[BENCH_PACKET_SIZE];
  LmccRtp rtp = {
    .payload_type = LMCC_DEFAULT_PAYLOAD_TYPE,
    .sequence = (guint16) sequence,
    .ssrc = SSRC_BASE,
    .payload_size = BENCH_PACKET_SIZE,
  };
  LmccHeader header = {
    .lsn = (guint16) sequence,
    .signal = LMCC_SIGNAL_NOBODY,
  };

  memset (payload, sequence & 0xff, sizeof (payload));
  return lmcc_rtp_build (&rtp, &header, LMCC_HEADER_DEFAULT_ID, payload);
}

static void
block_clear (Block *block, const Shape *shape)
{
  guint i;

  for (i = 0; i < shape->n_source; i++)
    lmcc_packet_unref (block->source[i]);
  g_clear_pointer (&block->repair, g_ptr_array_unref);
}

/* Loses the first r source packets. Returns how many were recovered. */
static guint
decode (LmccRepairDecoder *decoder, const Block *block, const Shape *shape,
    guint first, LmccTime now)
{
  LmccRepairedPacket repaired;
  guint n_lost = MIN (shape->n_source, shape->n_repair), i, n = 0;

  lmcc_repair_decoder_expire (decoder, now);
  for (i = n_lost; i < shape->n_source; i++)
    lmcc_repair_decoder_take_source (decoder, 0, (guint16) (first + i),
        block->source[i], now);
  for (i = 0; i < shape->n_repair; i++) {
    LmccPacket *packet = g_ptr_array_index (block->repair, i);
    LmccRepairPayload payload;

    if (lmcc_repair_payload_parse (packet->data, packet->size, &payload))
      lmcc_repair_decoder_take_repair (decoder, &payload, packet, now);
  }
  while (lmcc_repair_decoder_poll (decoder, &repaired)) {
    lmcc_packet_unref (repaired.packet);
    n++;
  }

  return n;
}

static GPtrArray *
encode (LmccPacket *const *source, const Shape *shape)
{
  g_autoptr (LmccRepairEncoder) encoder =
      lmcc_repair_encoder_new (source, shape->n_source, 1, shape->n_repair);
  GPtrArray *repair =
      g_ptr_array_new_with_free_func ((GDestroyNotify) lmcc_packet_unref);
  guint i;

  for (i = 0; i < shape->n_repair; i++)
    g_ptr_array_add (repair, lmcc_repair_encoder_make (encoder, i));

  return repair;
}

static gboolean
run_round (const Shape *shape, GArray *encoding, GArray *decoding)
{
  g_autoptr (LmccRepairDecoder) decoder = lmcc_repair_decoder_new ();
  guint n_blocks = PACKETS / shape->n_source, n = 0, round, i;
  gint64 encode_ns = 0, decode_ns = 0;
  LmccSession session;

  lmcc_session_init (&session);
  session.ssrc_base = SSRC_BASE;
  lmcc_repair_decoder_set_session (decoder, &session);
  for (round = 0; round < n_blocks; round++) {
    guint first = round * shape->n_source;
    gint64 start;
    Block block;

    for (i = 0; i < shape->n_source; i++)
      block.source[i] = make_packet (first + i);
    start = cpu_time ();
    block.repair = encode (block.source, shape);
    encode_ns += cpu_time () - start;
    start = cpu_time ();
    n += decode (decoder, &block, shape, first, round + 1);
    decode_ns += cpu_time () - start;
    block_clear (&block, shape);
  }
  bench_series_add (encoding, (gdouble) encode_ns / n_blocks / shape->n_source);
  bench_series_add (decoding, (gdouble) decode_ns / n_blocks / shape->n_source);

  return n == n_blocks * MIN (shape->n_source, shape->n_repair);
}

static void
measure (BenchReport *report, const Shape *shape, gint rounds)
{
  g_autoptr (GArray) encoding = bench_series_new ();
  g_autoptr (GArray) decoding = bench_series_new ();
  g_autofree gchar *encode = g_strdup_printf ("encode, %s", shape->name);
  g_autofree gchar *repair = g_strdup_printf ("recover r, %s", shape->name);
  gboolean complete = TRUE;

  while (rounds-- > 0)
    complete = run_round (shape, encoding, decoding) && complete;
  if (!complete)
    bench_report_fail (report, repair, "not all packets were recovered");
  bench_report_add (report, encode, "ns/packet", encoding, BENCH_NO_BOUND);
  bench_report_add (report, repair, "ns/packet", decoding, BENCH_NO_BOUND);
}

int
main (int argc, char *argv[])
{
  static const Shape shapes[] = {
    { "10 + 1", 10, 1 },
    { "10 + 3", 10, 3 },
    { "20 + 4", 20, 4 },
    { "50 + 10", 50, 10 },
    { "100 + 20", 100, 20 },
    { "200 + 55", 200, 55 },
  };
  g_autofree gchar *json = NULL;
  gint rounds = 7;
  BenchReport *report;
  guint i;

  if (!bench_parse_options (&argc, &argv, "- what repair costs", &json,
          &rounds))
    return 1;
  report = bench_report_new (
      "Repair by " ARITHMETIC
      ", k + r packets of 1200 bytes, CPU time per source packet");
  for (i = 0; i < G_N_ELEMENTS (shapes); i++)
    measure (report, &shapes[i], rounds);

  return bench_report_finish (report, json);
}
