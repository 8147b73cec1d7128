/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/sent-repair.h"

#include <gst/lmcc/repair/code.h>
#include <string.h>

/* A picture in three classes: a key frame, P pictures, and two classes of B
 * pictures. */
LmccTime
repair_push_gop (Harness *h, guint n_rungs, LmccTime time, guint n_pictures)
{
  guint i, rung;

  for (i = 0; i < n_pictures; i++) {
    guint klass = i % 4 == 0 ? 0 : i % 4 == 2 ? 1 : 2;

    for (rung = 0; rung < n_rungs; rung++) {
      LmccUnit *unit =
          make_unit (rung, klass, time, (rung + 1) * (i == 0 ? 6 : 3 - klass),
              REPAIR_PAYLOAD - 100 * (i % 3));

      unit->switch_point = i == 0 || klass > 0;
      harness_push_at (h, unit);
    }
    time += REPAIR_PICTURE;
  }

  return time;
}

LmccSenderConfig
repair_shaped_config (guint share)
{
  LmccSenderConfig config = sender_config (1);
  const guint64 rates[] = { 300000, 200000, 300000 };
  guint i;

  config.session.native = FALSE;
  config.session.window = REPAIR_HOLD;
  config.session.packet_size = 1400 + IP_OVERHEAD;
  config.session.n_layers = G_N_ELEMENTS (rates);
  for (i = 0; i < G_N_ELEMENTS (rates); i++)
    config.session.layers[i].rate = rates[i];
  config.session.repair = share;

  return config;
}

LmccSenderConfig
repair_native_config (guint share)
{
  LmccSenderConfig config = sender_config (1);

  config.session.native = TRUE;
  config.session.repair = share;
  config.session.packet_size = 1400 + IP_OVERHEAD;

  return config;
}

Harness
repair_run (const LmccSenderConfig *config, guint n_gops)
{
  Harness h = harness_new (config);
  LmccTime time = START + 100 * MS;
  guint i;

  for (i = 0; i < n_gops; i++)
    time =
        repair_push_gop (&h, config->session.n_rungs, time, REPAIR_N_PICTURES);
  harness_run_until (&h, time + 2 * REPAIR_HOLD);
  fail_unless (lmcc_sender_is_idle (h.sender));

  return h;
}

gboolean
repair_is (const SentPacket *s)
{
  return !s->control && s->header.type == LMCC_PACKET_REPAIR;
}

LmccRepairPayload
repair_parse (const SentPacket *s)
{
  LmccRepairPayload payload;

  fail_unless (lmcc_repair_payload_parse (s->packet->data + s->rtp.header_size,
      s->rtp.payload_size, &payload));

  return payload;
}

static const SentPacket *
find_source (Harness *h, const LmccRepairPayload *payload, guint i)
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
same_block (const LmccRepairPayload *a, const LmccRepairPayload *b)
{
  return a->source == b->source && a->first == b->first
      && a->n_source == b->n_source && a->step == b->step;
}

/* The block's repair packets, in sending order. */
static GArray *
find_block (Harness *h, const LmccRepairPayload *of)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (guint));
  guint i;

  for (i = 0; i < N_SENT (h); i++) {
    LmccRepairPayload payload;

    if (!repair_is (SENT (h, i)))
      continue;
    payload = repair_parse (SENT (h, i));
    if (same_block (&payload, of))
      g_array_append_val (found, i);
  }

  return found;
}

/* Loses as many source packets as repair packets were sent. */
static void
check_recovers (Harness *h, const LmccRepairPayload *of, GRand *rand)
{
  g_autoptr (GArray) found = find_block (h, of);
  guint n = of->n_source, size = of->symbol_size, i;
  g_autofree guint8 *bytes = g_malloc0 ((gsize) n * size);
  LmccRepairSymbol source[LMCC_REPAIR_MAX_SYMBOLS] = { { { 0 } } };
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
      recovered[n_recovered++] = bytes + (gsize) i * size;
      continue;
    }
    GST_WRITE_UINT16_BE (source[i].head, packet->size);
    source[i].data = packet->data;
    source[i].size = packet->size;
  }
  for (i = 0; i < found->len; i++) {
    LmccRepairPayload payload =
        repair_parse (SENT (h, g_array_index (found, guint, i)));

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

void
repair_check_all_recover (Harness *h)
{
  GRand *rand = g_rand_new_with_seed (5);
  guint n_blocks = 0, i;

  for (i = 0; i < N_SENT (h); i++) {
    LmccRepairPayload payload;

    if (!repair_is (SENT (h, i)))
      continue;
    payload = repair_parse (SENT (h, i));
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

/* The metadata in a repair packet. */
void
repair_check_headers (Harness *h)
{
  const LmccSession *session = lmcc_sender_get_session (h->sender);
  guint16 sequence[LMCC_MAX_LAYERS];
  guint n[LMCC_MAX_LAYERS] = { 0 }, i;

  for (i = 0; i < N_SENT (h); i++) {
    const SentPacket *s = SENT (h, i);
    guint layer = s->header.layer;
    LmccRepairPayload payload;

    if (!repair_is (s))
      continue;
    payload = repair_parse (s);
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

/* Checks that all repair packets of a block were sent: each layer that they
 * name carries its share, in order, and higher layers carry the later ones. */
static void
check_block (Harness *h, const LmccRepairPayload *of)
{
  g_autoptr (GArray) found = find_block (h, of);
  guint next[LMCC_REPAIR_MAX_CARRIERS] = { 0 }, end = 0, i;
  guint ends[LMCC_REPAIR_MAX_CARRIERS] = { 0 };

  fail_unless_equals_int (found->len, of->n_repair);
  for (i = 0; i < found->len; i++) {
    const SentPacket *s = SENT (h, g_array_index (found, guint, i));
    LmccRepairPayload payload = repair_parse (s);
    guint above = s->header.layer - (payload.source & 63);

    fail_unless_equals_int (payload.carriers, of->carriers);
    fail_unless (above < LMCC_REPAIR_MAX_CARRIERS);
    fail_unless (of->carriers >> above & 1);
    if (ends[above] > 0) {
      fail_unless_equals_int (payload.index, next[above]);
      fail_unless_equals_int (payload.end, ends[above]);
    }
    next[above] = payload.index + 1u;
    ends[above] = payload.end;
  }
  for (i = 0; i < LMCC_REPAIR_MAX_CARRIERS; i++) {
    fail_unless ((ends[i] > 0) == (of->carriers >> i & 1));
    fail_unless_equals_int (next[i], ends[i]);
    fail_unless (ends[i] == 0 || ends[i] > end);
    end = MAX (end, ends[i]);
  }
  fail_unless_equals_int (end, of->n_repair);
}

void
repair_check_blocks (Harness *h)
{
  guint i;

  for (i = 0; i < N_SENT (h); i++) {
    LmccRepairPayload payload;

    if (!repair_is (SENT (h, i)))
      continue;
    payload = repair_parse (SENT (h, i));
    if (payload.index == 0)
      check_block (h, &payload);
  }
}

static LmccTime
unit_time (const SentPacket *s)
{
  guint64 ticks = (guint32) (s->rtp.timestamp - RTP_OFFSET);

  return (ticks * LMCC_SECOND + 45000) / 90000;
}

guint
repair_count_type (Harness *h, LmccPacketType type)
{
  guint n = 0, i;

  for (i = 0; i < N_SENT (h); i++)
    n += !SENT (h, i)->control && SENT (h, i)->header.type == type;

  return n;
}

/* Checks the delay of repair packets after the packets that they repair:
 * positive and at most @delay; 0: within the window of the pictures. Returns
 * the number of repair packets. */
guint
repair_check_times (Harness *h, LmccTime delay)
{
  guint n = 0, i, k;

  for (i = 0; i < N_SENT (h); i++) {
    const SentPacket *s = SENT (h, i);
    LmccRepairPayload payload;

    if (!repair_is (s))
      continue;
    payload = repair_parse (s);
    for (k = 0; k < payload.n_source; k++) {
      const SentPacket *source = find_source (h, &payload, k);
      LmccTime latest =
          delay > 0 ? source->time + delay : unit_time (source) + REPAIR_HOLD;

      fail_unless (s->time > source->time && s->time <= latest);
    }
    n++;
  }

  return n;
}
