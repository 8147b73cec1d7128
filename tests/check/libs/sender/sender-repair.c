/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The sender's repair: what is sent of it, when, and that it repairs.
 */
#include "support/sender-harness.h"

#include <gst/lmcc/repair/code.h>
#include <gst/lmcc/repair/payload.h>
#include <string.h>

#define HOLD (2200 * MS)
#define PICTURE (40 * MS)
#define N_PICTURES 25

/* With the repair's own headers a packet is as large as the sender may send. */
#define PAYLOAD (1400 - RTP_OVERHEAD - 48)

/* A picture in three classes: a key frame, P pictures, and two classes of B. */
static LmccTime
push_gop (Harness * h, guint n_rungs, LmccTime time, guint n_pictures)
{
  guint i, rung;

  for (i = 0; i < n_pictures; i++) {
    guint klass = i % 4 == 0 ? 0 : i % 4 == 2 ? 1 : 2;

    for (rung = 0; rung < n_rungs; rung++) {
      LmccUnit *unit = make_unit (rung, klass, time, (rung + 1) * (i == 0 ?
              6 : 3 - klass), PAYLOAD - 100 * (i % 3));

      unit->switch_point = i == 0 || klass > 0;
      harness_push_at (h, unit);
    }
    time += PICTURE;
  }

  return time;
}

static LmccSenderConfig
shaped_config (guint share)
{
  LmccSenderConfig config = sender_config (1);
  const guint64 rates[] = { 300000, 200000, 300000 };
  guint i;

  config.session.native = FALSE;
  config.session.window = HOLD;
  config.session.packet_size = 1400 + IP_OVERHEAD;
  config.session.n_layers = G_N_ELEMENTS (rates);
  for (i = 0; i < G_N_ELEMENTS (rates); i++)
    config.session.layers[i].rate = rates[i];
  config.session.repair = share;

  return config;
}

static LmccSenderConfig
native_config (guint share)
{
  LmccSenderConfig config = sender_config (1);

  config.session.native = TRUE;
  config.session.repair = share;
  config.session.packet_size = 1400 + IP_OVERHEAD;

  return config;
}

static Harness
run (const LmccSenderConfig * config, guint n_gops)
{
  Harness h = harness_new (config);
  LmccTime time = START + 100 * MS;
  guint i;

  for (i = 0; i < n_gops; i++)
    time = push_gop (&h, config->session.n_rungs, time, N_PICTURES);
  harness_run_until (&h, time + 2 * HOLD);
  fail_unless (lmcc_sender_is_idle (h.sender));

  return h;
}

static gboolean
is_repair (const SentPacket * s)
{
  return !s->control && s->header.type == LMCC_PACKET_REPAIR;
}

static LmccRepairPayload
parse_repair (const SentPacket * s)
{
  LmccRepairPayload payload;

  fail_unless (lmcc_repair_payload_parse (s->packet->data + s->rtp.header_size,
          s->rtp.payload_size, &payload));

  return payload;
}

static const SentPacket *
find_source (Harness * h, const LmccRepairPayload * payload, guint i)
{
  guint16 sequence = (guint16) (payload->first + i * payload->step);
  guint k;

  for (k = 0; k < N_SENT (h); k++) {
    const SentPacket *s = SENT (h, k);

    if (is_media (s) && (s->rtp.ssrc & 0xfff) == payload->source
        && s->rtp.sequence == sequence)
      return s;
  }
  fail ("source packet %u is not there", sequence);

  return NULL;
}

static gboolean
same_block (const LmccRepairPayload * a, const LmccRepairPayload * b)
{
  return a->source == b->source && a->first == b->first
      && a->n_source == b->n_source && a->step == b->step;
}

/* Its repair packets, in the order in which they were sent. */
static GArray *
find_block (Harness * h, const LmccRepairPayload * of)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (guint));
  guint i;

  for (i = 0; i < N_SENT (h); i++) {
    LmccRepairPayload payload;

    if (!is_repair (SENT (h, i)))
      continue;
    payload = parse_repair (SENT (h, i));
    if (same_block (&payload, of))
      g_array_append_val (found, i);
  }

  return found;
}

/* Loses source packets, as many as repair packets were sent. */
static void
check_recovers (Harness * h, const LmccRepairPayload * of, GRand * rand)
{
  g_autoptr (GArray) found = find_block (h, of);
  guint n = of->n_source, size = of->symbol_size, i;
  g_autofree guint8 *bytes = g_malloc0 ((gsize) n * size);
  LmccRepairSymbol source[LMCC_REPAIR_MAX_SYMBOLS] = { {{0}} };
  guint8 *recovered[LMCC_REPAIR_MAX_SYMBOLS];
  const guint8 *repair[LMCC_REPAIR_MAX_SYMBOLS];
  guint8 indices[LMCC_REPAIR_MAX_SYMBOLS];
  gboolean missing[LMCC_REPAIR_MAX_SYMBOLS] = { FALSE };
  guint n_missing = MIN (found->len, n), n_recovered = 0;

  for (i = 0; i < n_missing; i++)
    missing[g_rand_int_range (rand, 0, (gint) n)] = TRUE;
  for (i = 0; i < n; i++) {
    const LmccPacket *packet = find_source (h, of, i)->packet;

    if (missing[i]) {
      recovered[n_recovered++] = bytes + (gsize) i *size;
      continue;
    }
    GST_WRITE_UINT16_BE (source[i].head, packet->size);
    source[i].data = packet->data;
    source[i].size = packet->size;
  }
  for (i = 0; i < found->len; i++) {
    LmccRepairPayload payload = parse_repair (SENT (h, g_array_index (found,
                guint, i)));

    repair[i] = payload.symbol;
    indices[i] = payload.index;
  }
  fail_unless (lmcc_repair_code_recover (n, size, source, recovered, repair,
          indices, found->len));
  for (i = 0; i < n; i++) {
    const LmccPacket *packet = find_source (h, of, i)->packet;
    const guint8 *symbol = bytes + (gsize) i * size;

    if (!missing[i])
      continue;
    fail_unless_equals_int (GST_READ_UINT16_BE (symbol), packet->size);
    fail_unless (memcmp (symbol + 2, packet->data, packet->size) == 0);
  }
}

static void
check_all_recover (Harness * h)
{
  GRand *rand = g_rand_new_with_seed (5);
  guint n_blocks = 0, i;

  for (i = 0; i < N_SENT (h); i++) {
    LmccRepairPayload payload;

    if (!is_repair (SENT (h, i)))
      continue;
    payload = parse_repair (SENT (h, i));
    if (payload.index > 0)
      continue;
    check_recovers (h, &payload, rand);
    n_blocks++;
  }
  fail_unless (n_blocks > 5);
  fail_unless_equals_int (n_blocks,
      lmcc_sender_get_stats (h->sender)->repair_blocks);
  g_rand_free (rand);
}

/* What a repair packet says of itself. */
static void
check_headers (Harness * h)
{
  const LmccSession *session = lmcc_sender_get_session (h->sender);
  guint16 sequence[LMCC_MAX_LAYERS];
  guint n[LMCC_MAX_LAYERS] = { 0 }, i;

  for (i = 0; i < N_SENT (h); i++) {
    const SentPacket *s = SENT (h, i);
    guint layer = s->header.layer;
    LmccRepairPayload payload;

    if (!is_repair (s))
      continue;
    payload = parse_repair (s);
    fail_unless_equals_int (s->rtp.payload_type, session->repair_payload_type);
    fail_unless_equals_int (s->rtp.ssrc, session->ssrc_base + 0x400 + layer);
    fail_unless_equals_int (s->header.stream, LMCC_STREAM_NONE);
    fail_unless (s->packet->size <= 1400);
    fail_unless ((payload.source & 63) <= layer);
    if (n[layer]++ > 0)
      fail_unless_equals_int (s->rtp.sequence, (guint16) (sequence[layer] + 1));
    sequence[layer] = s->rtp.sequence;
  }
  for (i = 0; i < session->n_layers; i++)
    fail_unless_equals_int (n[i],
        lmcc_sender_get_stats (h->sender)->layers[i].repairs);
}

/* All repair packets of a block are in one layer, in their order, all there. */
static void
check_blocks (Harness * h)
{
  guint i, k;

  for (i = 0; i < N_SENT (h); i++) {
    g_autoptr (GArray) found = NULL;
    LmccRepairPayload payload;

    if (!is_repair (SENT (h, i)))
      continue;
    payload = parse_repair (SENT (h, i));
    if (payload.index > 0)
      continue;
    found = find_block (h, &payload);
    fail_unless_equals_int (found->len, payload.n_repair);
    for (k = 0; k < found->len; k++) {
      const SentPacket *s = SENT (h, g_array_index (found, guint, k));

      fail_unless_equals_int (parse_repair (s).index, k);
      fail_unless_equals_int (s->header.layer, SENT (h, i)->header.layer);
    }
  }
}

static LmccTime
unit_time (const SentPacket * s)
{
  guint64 ticks = (guint32) (s->rtp.timestamp - RTP_OFFSET);

  return (ticks * LMCC_SECOND + 45000) / 90000;
}

GST_START_TEST (test_what_fixed_rates_leave_repairs_their_window)
{
  LmccSenderConfig config = shaped_config (100);
  Harness h = run (&config, 6);
  guint n_late = 0, i, k;

  check_headers (&h);
  check_blocks (&h);
  check_all_recover (&h);
  for (i = 0; i < N_SENT (&h); i++) {
    LmccRepairPayload payload;

    if (!is_repair (SENT (&h, i)))
      continue;
    payload = parse_repair (SENT (&h, i));
    for (k = 0; k < payload.n_source; k++) {
      const SentPacket *source = find_source (&h, &payload, k);

      fail_unless (SENT (&h, i)->time > source->time);
      n_late += SENT (&h, i)->time > unit_time (source) + HOLD;
    }
  }
  fail_unless_equals_int (n_late, 0);
  fail_unless_equals_int (lmcc_sender_get_stats (h.sender)->repairs_late, 0);
  fail_unless_equals_int (lmcc_sender_get_session (h.sender)->repair_delay, 0);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_rates_are_exact_with_repair)
{
  LmccSenderConfig config = shaped_config (100);
  Harness h = run (&config, 6);

  harness_check_all_exact (&h, &config);
  harness_clear (&h);
}

GST_END_TEST;

static guint
count_type (Harness * h, LmccPacketType type)
{
  guint n = 0, i;

  for (i = 0; i < N_SENT (h); i++)
    n += !SENT (h, i)->control && SENT (h, i)->header.type == type;

  return n;
}

GST_START_TEST (test_repair_takes_the_place_of_filler)
{
  LmccSenderConfig without_config = shaped_config (0);
  LmccSenderConfig with_config = shaped_config (1);
  Harness without = run (&without_config, 6), with = run (&with_config, 6);

  fail_unless_equals_int (count_type (&without, LMCC_PACKET_REPAIR), 0);
  fail_unless_equals_int (count_type (&with, LMCC_PACKET_MEDIA),
      count_type (&without, LMCC_PACKET_MEDIA));
  fail_unless (count_type (&with, LMCC_PACKET_REPAIR) > 20);
  fail_unless (count_type (&with, LMCC_PACKET_FILLER)
      < count_type (&without, LMCC_PACKET_FILLER));
  harness_clear (&without);
  harness_clear (&with);
}

GST_END_TEST;

/* In every window the base, which is full, has a tenth of its packets more. */
GST_START_TEST (test_a_full_base_keeps_its_share_for_repair)
{
  LmccSenderConfig config = shaped_config (100);
  Harness h = run (&config, 6);
  guint n_source = 0, n_repair = 0, n_blocks = 0, i;

  for (i = 0; i < N_SENT (&h); i++) {
    LmccRepairPayload payload;

    if (!is_repair (SENT (&h, i)))
      continue;
    payload = parse_repair (SENT (&h, i));
    if (payload.index > 0 || payload.source != 0)
      continue;
    fail_unless_equals_int (SENT (&h, i)->header.layer, 0);
    n_blocks++;
    n_source += payload.n_source;
    n_repair += payload.n_repair;
  }
  fail_unless_equals_int (n_blocks, 6);
  fail_unless (n_repair >= n_source / 10, "%u for %u", n_repair, n_source);
  harness_clear (&h);
}

GST_END_TEST;

/* The key frames are larger than what any of the lower layers has in a
 * window. */
GST_START_TEST (test_key_frames_that_are_cut_are_repaired_in_all_their_layers)
{
  LmccSenderConfig config = shaped_config (100);
  guint layers = 0, repaired = 0, i;
  Harness h;

  config.session.layers[0].rate = 60000;
  config.session.layers[1].rate = 60000;
  h = run (&config, 8);
  check_headers (&h);
  check_blocks (&h);
  check_all_recover (&h);
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

    if (is_media (s) && s->header.klass == 0)
      layers |= 1u << s->header.layer;
    if (is_repair (s))
      repaired |= 1u << (parse_repair (s).source & 63);
  }
  fail_unless (layers & 1u << 1 && layers & 1u << 2, "%x", layers);
  fail_unless_equals_int (layers & ~repaired, 0);
  fail_unless_equals_int (lmcc_sender_get_stats (h.sender)->repairs_late, 0);
  harness_clear (&h);
}

GST_END_TEST;

static guint64
count_dropped (const Harness * h)
{
  const LmccSenderStats *stats = lmcc_sender_get_stats (h->sender);
  guint64 n = 0;
  guint i;

  for (i = 0; i < LMCC_MAX_CLASSES; i++)
    n += stats->units_dropped[i];

  return n;
}

/* The rates have room for the media and little more: pictures are left out for
 * repair only where they would be lost without it. */
GST_START_TEST (test_repair_takes_what_is_worth_more_than_the_media)
{
  const gdouble losses[] = { 0.0, 0.0005, 0.2 };
  guint64 dropped[G_N_ELEMENTS (losses)];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (losses); i++) {
    LmccSenderConfig config = shaped_config (losses[i] > 0.0 ? 300 : 0);
    Harness h;

    config.session.n_layers = 2;
    config.session.layers[0].rate = 230000;
    config.session.layers[1].rate = 330000;
    config.repair_loss = losses[i];
    h = run (&config, 8);
    if (losses[i] > 0.0) {
      fail_unless (count_type (&h, LMCC_PACKET_REPAIR) > 8);
      check_all_recover (&h);
    }
    dropped[i] = count_dropped (&h);
    harness_clear (&h);
  }
  fail_unless_equals_uint64 (dropped[1], dropped[0]);
  fail_unless (dropped[2] > dropped[0] + 8, "%" G_GUINT64_FORMAT, dropped[2]);
}

GST_END_TEST;

/* Each layer sends no more for repair than its share of its media, give or take
 * a packet of a block. */
GST_START_TEST (test_native_layers_keep_their_budget)
{
  const guint shares[] = { 50, 100, 300 };
  guint k, layer, i;

  for (k = 0; k < G_N_ELEMENTS (shares); k++) {
    LmccSenderConfig config = native_config (shares[k]);
    Harness h = run (&config, 10);
    guint64 media[LMCC_MAX_LAYERS] = { 0 }, all_media = 0, all_repair = 0;
    const LmccSenderStats *stats = lmcc_sender_get_stats (h.sender);

    for (i = 0; i < N_SENT (&h); i++) {
      if (is_media (SENT (&h, i)))
        media[SENT (&h, i)->header.layer] += sent_ip_size (SENT (&h, i));
    }
    for (layer = 0; layer < 2; layer++) {
      fail_unless (stats->layers[layer].repair_bytes * 1000
          <= media[layer] * shares[k]);
      all_media += media[layer];
      all_repair += stats->layers[layer].repair_bytes;
    }
    fail_unless (all_repair * 1000 >= all_media * shares[k] * 3 / 4,
        "%" G_GUINT64_FORMAT " for %" G_GUINT64_FORMAT, all_repair, all_media);
    /* What nothing needs. */
    fail_unless (media[2] > 0);
    fail_unless_equals_int (stats->layers[2].repairs, 0);
    harness_clear (&h);
  }
}

GST_END_TEST;

/* The base's own share is for the base, and for nothing else. */
GST_START_TEST (test_the_base_of_native_layers_may_have_a_share_of_its_own)
{
  LmccSenderConfig config = native_config (100);
  Harness like_others = run (&config, 10), h;
  const LmccSenderStats *before = lmcc_sender_get_stats (like_others.sender);
  const LmccSenderStats *stats;
  guint64 media = 0;
  guint i;

  config.repair_base = 800;
  h = run (&config, 10);
  stats = lmcc_sender_get_stats (h.sender);
  for (i = 0; i < N_SENT (&h); i++) {
    if (is_media (SENT (&h, i)) && SENT (&h, i)->header.layer == 0)
      media += sent_ip_size (SENT (&h, i));
  }
  fail_unless (stats->layers[0].repair_bytes * 1000 <= media * 800);
  fail_unless (stats->layers[0].repair_bytes * 1000 >= media * 600);
  fail_unless (stats->layers[0].repair_bytes >
      4 * before->layers[0].repair_bytes);
  fail_unless (stats->layers[1].repair_bytes * 2 <=
      stats->layers[0].repair_bytes);
  check_all_recover (&h);
  harness_clear (&h);
  harness_clear (&like_others);

  config.repair_base = -1;
  h = run (&config, 10);
  stats = lmcc_sender_get_stats (h.sender);
  fail_unless_equals_int (stats->layers[0].repairs, 0);
  fail_unless (stats->layers[1].repairs > 0);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_native_repair_comes_within_its_delay)
{
  LmccSenderConfig config = native_config (200);
  Harness h;
  guint n = 0, i, k;

  config.repair_block = 400 * MS;
  h = run (&config, 10);
  fail_unless_equals_uint64 (lmcc_sender_get_session (h.sender)->repair_delay,
      800 * MS);
  check_headers (&h);
  check_blocks (&h);
  check_all_recover (&h);
  for (i = 0; i < N_SENT (&h); i++) {
    LmccRepairPayload payload;

    if (!is_repair (SENT (&h, i)))
      continue;
    payload = parse_repair (SENT (&h, i));
    for (k = 0; k < payload.n_source; k++) {
      const SentPacket *source = find_source (&h, &payload, k);

      fail_unless (SENT (&h, i)->time > source->time);
      fail_unless (SENT (&h, i)->time <= source->time + 800 * MS);
    }
    n++;
  }
  fail_unless (n > 20);
  harness_clear (&h);
}

GST_END_TEST;

/* No two repair packets of a layer at the same time, nor next to each other. */
GST_START_TEST (test_native_repair_is_spread)
{
  LmccSenderConfig config = native_config (300);
  Harness h = run (&config, 10);
  LmccTime last = 0;
  guint i;

  for (i = 0; i < N_SENT (&h); i++) {
    if (!is_repair (SENT (&h, i)) || SENT (&h, i)->header.layer != 0)
      continue;
    fail_unless (SENT (&h, i)->time >= last + 20 * MS);
    last = SENT (&h, i)->time;
  }
  fail_unless (last > 0);
  harness_clear (&h);
}

GST_END_TEST;

/* So that a receiver knows what a level costs. */
GST_START_TEST (test_announced_rates_include_repair)
{
  LmccSenderConfig with_config = native_config (300);
  LmccSenderConfig without_config = native_config (0);
  Harness with = harness_new (&with_config);
  Harness without = harness_new (&without_config);
  LmccTime time = START + 100 * MS, end = time;
  gdouble with_rate, without_rate;
  guint i;

  for (i = 0; i < 10; i++) {
    end = push_gop (&with, 1, time, N_PICTURES);
    push_gop (&without, 1, time, N_PICTURES);
    time = end;
  }
  with_rate = lmcc_sender_get_session (with.sender)->layers[0].rate;
  without_rate = lmcc_sender_get_session (without.sender)->layers[0].rate;
  /* A change of a tenth is not announced. */
  fail_unless (with_rate > 1.1 * without_rate, "%g, %g", with_rate,
      without_rate);
  fail_unless (with_rate < 1.45 * without_rate);
  harness_clear (&with);
  harness_clear (&without);
}

GST_END_TEST;

/* More packets than one code has symbols. */
GST_START_TEST (test_many_packets_are_interleaved)
{
  LmccSenderConfig config = native_config (100);
  guint n_interleaved = 0, i, k;
  LmccTime time = START + 100 * MS;
  Harness h;

  config.repair_block = 1000 * MS;
  h = harness_new (&config);
  for (i = 0; i < 75; i++) {
    LmccUnit *unit = make_unit (0, 0, time, 20, PAYLOAD);

    unit->switch_point = i % 25 == 0;
    harness_push_at (&h, unit);
    time += PICTURE;
  }
  harness_run_until (&h, time + 2 * HOLD);
  check_blocks (&h);
  check_all_recover (&h);
  for (i = 0; i < N_SENT (&h); i++) {
    if (!is_repair (SENT (&h, i)))
      continue;
    k = parse_repair (SENT (&h, i)).step;
    fail_unless (k >= 1 && k <= 4);
    n_interleaved += k == 4;
  }
  fail_unless (n_interleaved > 0);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_sound_is_repaired_with_small_packets)
{
  LmccSenderConfig config = native_config (200);
  LmccTime time = START + 100 * MS;
  guint n = 0, i;
  Harness h;

  sender_config_add_sound (&config);
  h = harness_new (&config);
  for (i = 0; i < 200; i++) {
    if (i % 2 == 0) {
      LmccUnit *unit = make_unit (0, 0, time, 2, PAYLOAD);

      unit->switch_point = i % 50 == 0;
      harness_push_at (&h, unit);
    }
    harness_push_at (&h, make_unit (LMCC_STREAM_SOUND, 0, time, 1, 80));
    time += 20 * MS;
  }
  harness_run_until (&h, time + 2 * HOLD);
  check_all_recover (&h);
  for (i = 0; i < N_SENT (&h); i++) {
    if (!is_repair (SENT (&h, i))
        || parse_repair (SENT (&h, i)).source != 64 * LMCC_STREAM_SOUND)
      continue;
    fail_unless_equals_int (SENT (&h, i)->packet->size, 80 + RTP_OVERHEAD + 48);
    n++;
  }
  fail_unless (n > 5);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_a_flush_forgets_the_repair)
{
  LmccSenderConfig config = __i__ ? shaped_config (300) : native_config (300);
  Harness h = harness_new (&config);
  LmccTime time = START + 100 * MS;
  guint n, i;

  for (i = 0; i < 3; i++)
    time = push_gop (&h, 1, time, N_PICTURES);
  lmcc_sender_flush (h.sender, h.now);
  n = N_SENT (&h);
  fail_unless (lmcc_sender_is_idle (h.sender));
  harness_run_until (&h, time + 2 * HOLD);
  for (i = n; i < N_SENT (&h); i++)
    fail_unless (!is_repair (SENT (&h, i)));
  /* And it goes on. */
  time = h.now + 100 * MS;
  n = N_SENT (&h);
  for (i = 0; i < 3; i++)
    time = push_gop (&h, 1, time, N_PICTURES);
  harness_run_until (&h, time + 2 * HOLD);
  fail_unless (lmcc_sender_is_idle (h.sender));
  check_all_recover (&h);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_without_a_share_there_is_no_repair)
{
  LmccSenderConfig config = __i__ ? shaped_config (0) : native_config (0);
  Harness h = run (&config, 3);
  const LmccSenderStats *stats = lmcc_sender_get_stats (h.sender);

  fail_unless_equals_int (count_type (&h, LMCC_PACKET_REPAIR), 0);
  fail_unless_equals_int (stats->repair_blocks, 0);
  fail_unless_equals_int (lmcc_sender_get_session (h.sender)->repair_delay, 0);
  harness_clear (&h);
}

GST_END_TEST;

static Suite *
sender_repair_suite (void)
{
  Suite *suite = suite_create ("sender-repair");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_what_fixed_rates_leave_repairs_their_window);
  tcase_add_test (tcase, test_rates_are_exact_with_repair);
  tcase_add_test (tcase, test_repair_takes_the_place_of_filler);
  tcase_add_test (tcase, test_a_full_base_keeps_its_share_for_repair);
  tcase_add_test (tcase, test_repair_takes_what_is_worth_more_than_the_media);
  tcase_add_test (tcase,
      test_key_frames_that_are_cut_are_repaired_in_all_their_layers);
  tcase_add_test (tcase, test_native_layers_keep_their_budget);
  tcase_add_test (tcase,
      test_the_base_of_native_layers_may_have_a_share_of_its_own);
  tcase_add_test (tcase, test_native_repair_comes_within_its_delay);
  tcase_add_test (tcase, test_native_repair_is_spread);
  tcase_add_test (tcase, test_announced_rates_include_repair);
  tcase_add_test (tcase, test_many_packets_are_interleaved);
  tcase_add_test (tcase, test_sound_is_repaired_with_small_packets);
  tcase_add_loop_test (tcase, test_a_flush_forgets_the_repair, 0, 2);
  tcase_add_loop_test (tcase, test_without_a_share_there_is_no_repair, 0, 2);

  return suite;
}

GST_CHECK_MAIN (sender_repair);
