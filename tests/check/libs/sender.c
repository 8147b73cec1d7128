/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc-rtcp.h>
#include <gst/lmcc/lmcc-rtp.h>
#include <gst/lmcc/lmcc-sdp.h>
#include <gst/lmcc/lmcc-sender.h>

#include <math.h>
#include <string.h>

#define MS LMCC_MSECOND
#define START (1000 * LMCC_SECOND)
#define WINDOW (100 * MS)
#define RTP_OFFSET 0xfffff000u
#define NTP_OFFSET (3900000000u * LMCC_SECOND)
#define IP_OVERHEAD 28
#define RTP_OVERHEAD (LMCC_RTP_HEADER_SIZE + LMCC_RTP_OVERHEAD)

typedef struct
{
  LmccTime time;
  gboolean control;
  guint group;
  LmccPacket *packet;
  LmccRtp rtp;
  LmccHeader header;
} Sent;

typedef struct
{
  LmccSender *sender;
  LmccTime now;
  GArray *sent;
  guint n_changes;
  guint n_key_requests;
} Harness;

static void
clear_sent (gpointer data)
{
  lmcc_packet_unref (((Sent *) data)->packet);
}

static LmccSenderConfig
make_config (guint n_rungs)
{
  LmccSenderConfig config = { 0 };

  lmcc_session_init (&config.session);
  fail_unless (lmcc_address_parse ("239.255.42.1", &config.session.address));
  fail_unless (lmcc_address_parse ("192.0.2.1", &config.session.source));
  config.session.port = 5004;
  config.session.ssrc_base = 0x12345000;
  config.session.n_rungs = n_rungs;
  config.session.window = WINDOW;
  g_strlcpy (config.session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  config.session.video.clock_rate = 90000;
  config.cname = "test";
  config.sequence_seed = 0x0001fff0;
  config.rtp_offset = RTP_OFFSET;
  config.ntp_offset = NTP_OFFSET;
  config.mtu = 1400;

  return config;
}

static void
add_sound (LmccSenderConfig * config)
{
  g_strlcpy (config->session.sound.encoding_name, "OPUS",
      LMCC_ENCODING_NAME_SIZE);
  config->session.sound.clock_rate = 48000;
}

static void
drain (Harness * h)
{
  LmccSenderAction action;

  while (lmcc_sender_poll_action (h->sender, &action)) {
    Sent sent = { h->now, FALSE, action.group, action.packet };

    switch (action.type) {
      case LMCC_SENDER_ACTION_SESSION_CHANGED:
        h->n_changes++;
        continue;
      case LMCC_SENDER_ACTION_REQUEST_KEY_UNIT:
        h->n_key_requests++;
        continue;
      case LMCC_SENDER_ACTION_SEND_CONTROL:
        sent.control = TRUE;
        break;
      case LMCC_SENDER_ACTION_SEND:
        fail_unless (lmcc_rtp_parse (sent.packet->data, sent.packet->size,
                LMCC_HEADER_DEFAULT_ID, &sent.rtp));
        fail_unless (sent.rtp.element != NULL);
        fail_unless (lmcc_header_parse (sent.rtp.element,
                sent.rtp.element_size, &sent.header));
        fail_unless_equals_int (sent.header.layer, action.group);
        break;
    }
    g_array_append_val (h->sent, sent);
  }
}

static Harness
harness_new (const LmccSenderConfig * config)
{
  Harness h = { lmcc_sender_new (config, START), START };

  h.sent = g_array_new (FALSE, FALSE, sizeof (Sent));
  g_array_set_clear_func (h.sent, clear_sent);
  drain (&h);

  return h;
}

static void
harness_clear (Harness * h)
{
  g_array_unref (h->sent);
  lmcc_sender_free (h->sender);
}

/* As a shell that is never late. */
static void
run_until (Harness * h, LmccTime until)
{
  LmccTime next;

  while ((next = lmcc_sender_next_timeout (h->sender)) <= until) {
    h->now = MAX (h->now, next);
    lmcc_sender_handle_timeout (h->sender, h->now);
    drain (h);
  }
  h->now = MAX (h->now, until);
}

static LmccPacket *
make_packet (gsize payload_size, guint8 fill)
{
  LmccPacket *packet = lmcc_packet_new (LMCC_RTP_HEADER_SIZE + payload_size);

  memset (packet->data, 0, LMCC_RTP_HEADER_SIZE);
  packet->data[0] = 0x80;
  packet->data[1] = 96;
  memset (packet->data + LMCC_RTP_HEADER_SIZE, fill, payload_size);
  packet->size = LMCC_RTP_HEADER_SIZE + payload_size;

  return packet;
}

static LmccUnit *
make_unit (guint stream, guint klass, LmccTime time, guint n_packets,
    gsize payload_size)
{
  LmccUnit *unit = lmcc_unit_new ();
  guint i;

  unit->stream = stream;
  unit->klass = klass;
  unit->decoding_time = time;
  unit->presentation_time = time;
  for (i = 0; i < n_packets; i++)
    g_ptr_array_add (unit->packets, make_packet (payload_size, i & 0xff));

  return unit;
}

static void
push (Harness * h, LmccUnit * unit)
{
  lmcc_sender_push_unit (h->sender, unit, h->now);
  drain (h);
}

static void
push_at (Harness * h, LmccUnit * unit)
{
  run_until (h, unit->decoding_time);
  push (h, unit);
}

#define N_SENT(h) ((h)->sent->len)
#define SENT(h, i) (&g_array_index ((h)->sent, Sent, i))

static gboolean
is_media (const Sent * sent)
{
  return !sent->control && sent->header.type == LMCC_PACKET_MEDIA;
}

static gboolean
is_filler (const Sent * sent)
{
  return !sent->control && sent->header.type == LMCC_PACKET_FILLER;
}

static gboolean
is_video (const Sent * sent)
{
  return is_media (sent) && sent->header.stream != LMCC_STREAM_SOUND;
}

static guint
count_control (Harness * h, LmccTime from, LmccTime to)
{
  guint n = 0, i;

  for (i = 0; i < N_SENT (h); i++)
    n += SENT (h, i)->control && SENT (h, i)->time >= from
        && SENT (h, i)->time < to;

  return n;
}

GST_START_TEST (test_table_has_every_rung_and_grows_by_class)
{
  LmccSenderConfig config = make_config (3);
  Harness h = harness_new (&config);
  const LmccSession *session = lmcc_sender_get_session (h.sender);
  static const guint8 streams[] = { 0, 0, 0, 1, 1, 1, 2, 2, 2 };
  static const guint8 classes[] = { 0, 1, 3, 0, 1, 3, 0, 1, 3 };
  guint i, version;

  fail_unless_equals_int (session->n_layers, 3);
  fail_unless_equals_int (h.n_changes, 1);
  for (i = 0; i < 3; i++) {
    fail_unless_equals_int (session->layers[i].stream, i);
    fail_unless_equals_int (session->layers[i].klass, 0);
  }

  version = session->version;
  push_at (&h, make_unit (0, 0, START, 1, 100));
  fail_unless_equals_int (session->version, version);
  push_at (&h, make_unit (1, 3, START + 10 * MS, 1, 100));
  fail_unless_equals_int (session->n_layers, 6);
  push_at (&h, make_unit (2, 1, START + 20 * MS, 1, 100));
  fail_unless_equals_int (session->n_layers, 9);
  fail_unless_equals_int (session->n_groups, 9);
  fail_unless_equals_int (session->version, version + 2);
  fail_unless_equals_int (h.n_changes, 3);
  for (i = 0; i < 9; i++) {
    fail_unless_equals_int (session->layers[i].stream, streams[i]);
    fail_unless_equals_int (session->layers[i].klass, classes[i]);
  }
  fail_unless (lmcc_session_validate (session, NULL));

  /* What waited is sent where its stream and class are now. */
  run_until (&h, START + 200 * MS);
  for (i = 0; i < N_SENT (&h); i++) {
    const Sent *s = SENT (&h, i);

    if (is_media (s) && s->time >= START + 20 * MS) {
      fail_unless_equals_int (s->header.stream, streams[s->header.layer]);
      fail_unless_equals_int (s->header.klass, classes[s->header.layer]);
      fail_unless_equals_int (s->header.top_layer, 8);
      fail_unless_equals_int (s->header.table, session->version & 3);
    }
  }
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_classes_beyond_the_last_group_join_lower_layers)
{
  LmccSenderConfig config = make_config (2);
  const LmccSession *session;
  Harness h;
  guint i, klass;

  /* Room for five groups only: two classes in each rung. */
  fail_unless (lmcc_address_parse ("239.255.255.251", &config.session.address));
  h = harness_new (&config);
  session = lmcc_sender_get_session (h.sender);
  for (klass = 0; klass < LMCC_MAX_CLASSES; klass++) {
    push (&h, make_unit (0, klass, h.now, 1, 100));
    push (&h, make_unit (1, klass, h.now, 1, 100));
  }
  fail_unless_equals_int (session->n_layers, 4);
  fail_unless_equals_int (session->layers[1].klass, LMCC_CLASS_MIXED);
  fail_unless_equals_int (session->layers[0].klass, 0);
  fail_unless_equals_int (lmcc_sender_get_stats (h.sender)->classes_joined, 14);
  fail_unless (lmcc_session_validate (session, NULL));

  run_until (&h, h.now + 2 * WINDOW);
  fail_unless (lmcc_sender_is_idle (h.sender));
  for (i = 0; i < N_SENT (&h); i++) {
    const Sent *s = SENT (&h, i);

    /* The first packets leave before there is a second class. */
    if (is_media (s) && s->header.top_layer == 3)
      fail_unless_equals_int (s->header.layer,
          2 * s->header.stream + (s->header.klass > 0));
  }
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_most_rungs_and_classes_stay_within_the_limits)
{
  LmccSenderConfig config = make_config (LMCC_MAX_RUNGS);
  const LmccSession *session;
  Harness h;
  guint klass;

  h = harness_new (&config);
  session = lmcc_sender_get_session (h.sender);
  for (klass = LMCC_MAX_CLASSES; klass-- > 0;)
    push (&h, make_unit (LMCC_MAX_RUNGS - 1, klass, h.now, 1, 100));
  fail_unless_equals_int (session->n_layers, 4 * LMCC_MAX_RUNGS);
  fail_unless (lmcc_session_validate (session, NULL));
  run_until (&h, h.now + 2 * WINDOW);
  fail_unless (lmcc_sender_is_idle (h.sender));
  harness_clear (&h);

  /* More rungs than groups: the upper ones share the last. */
  fail_unless (lmcc_address_parse ("239.255.255.254", &config.session.address));
  h = harness_new (&config);
  session = lmcc_sender_get_session (h.sender);
  push (&h, make_unit (LMCC_MAX_RUNGS - 1, 2, h.now, 1, 100));
  push (&h, make_unit (0, 1, h.now, 1, 100));
  fail_unless_equals_int (session->n_layers, 2);
  fail_unless_equals_int (session->layers[1].stream, LMCC_STREAM_NONE);
  fail_unless (lmcc_session_validate (session, NULL));
  run_until (&h, h.now + 2 * WINDOW);
  fail_unless (lmcc_sender_is_idle (h.sender));
  harness_clear (&h);
}

GST_END_TEST;

/* Random units of several rungs and classes, with sound, for some time. */
static void
push_random_until (Harness * h, GRand * rand, LmccTime until, guint n_rungs,
    gboolean sound)
{
  LmccTime time = h->now;

  while (time < until) {
    guint stream;

    for (stream = 0; stream < n_rungs; stream++) {
      guint klass = g_rand_int_range (rand, 0, 4);

      push_at (h, make_unit (stream, klass, time,
              (guint) g_rand_int_range (rand, 1, 12),
              (gsize) g_rand_int_range (rand, 1, 1300)));
    }
    if (sound && g_rand_boolean (rand))
      push_at (h, make_unit (LMCC_STREAM_SOUND, 0, time, 1, 80));
    time += (LmccTime) g_rand_int_range (rand, 1, 250) * MS;
  }
  run_until (h, time + 2 * WINDOW);
}

GST_START_TEST (test_numbers_are_contiguous_across_wraps_and_changes)
{
  LmccSenderConfig config = make_config (2);
  Harness h;
  GRand *rand = g_rand_new_with_seed (1);
  g_autofree guint8 *seen = g_new0 (guint8, 65536 * 4);
  gint lsn[LMCC_MAX_LAYERS];
  g_autoptr (GHashTable) sequences = g_hash_table_new (NULL, NULL);
  guint64 n_media = 0, n_lsn_wraps = 0;
  guint i;

  add_sound (&config);
  h = harness_new (&config);
  push_random_until (&h, rand, START + 30 * LMCC_SECOND, 2, TRUE);
  /* And a lot, so that one layer's numbers wrap. */
  for (i = 0; i < 1400; i++)
    push_at (&h, make_unit (1, 1, h.now + 10 * MS, 50, 10));
  run_until (&h, h.now + 2 * WINDOW);

  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    lsn[i] = -1;
  for (i = 0; i < N_SENT (&h); i++) {
    const Sent *s = SENT (&h, i);
    gpointer key, value;

    if (s->control)
      continue;
    if (lsn[s->header.layer] >= 0)
      fail_unless_equals_int (s->header.lsn,
          (lsn[s->header.layer] + 1) & 0xffff);
    n_lsn_wraps += lsn[s->header.layer] == 0xffff;
    lsn[s->header.layer] = s->header.lsn;

    if (g_hash_table_lookup_extended (sequences,
            GUINT_TO_POINTER (s->rtp.ssrc), &key, &value))
      fail_unless_equals_int (s->rtp.sequence,
          (GPOINTER_TO_UINT (value) + 1) & 0xffff);
    g_hash_table_insert (sequences, GUINT_TO_POINTER (s->rtp.ssrc),
        GUINT_TO_POINTER (s->rtp.sequence));

    if (is_video (s)) {
      seen[s->header.osn]++;
      n_media++;
    }
  }
  fail_unless (n_lsn_wraps > 0);
  fail_unless (n_media > 65536 + 5000);

  /* Every number from the seed's on is there as often as the count says. */
  for (i = 0; i < 65536; i++) {
    guint16 osn = (guint16) (config.sequence_seed + i);

    fail_unless_equals_int (seen[osn], n_media / 65536 + (i < n_media % 65536));
  }
  fail_unless_equals_uint64 (lmcc_sender_get_stats (h.sender)->units_dropped,
      0);
  g_rand_free (rand);
  harness_clear (&h);
}

GST_END_TEST;

/* Follows what the element says of the order of the units: the anchor, first
 * and last, and that OSN order is the order in which they were pushed. */
GST_START_TEST (test_units_are_whole_and_in_order)
{
  LmccSenderConfig config = make_config (2);
  Harness h = harness_new (&config);
  guint anchor[2] = { 0, 0 }, n = 0, i;
  guint16 osn = (guint16) config.sequence_seed;
  Sent *by_osn[3 * 80] = { NULL };

  for (i = 0; i < 40; i++) {
    LmccTime time = START + i * 40 * MS;

    push_at (&h, make_unit (0, i % 2, time, 3, 500));
    push_at (&h, make_unit (1, i % 2, time, 3, 900));
  }
  run_until (&h, h.now + 2 * WINDOW);
  for (i = 0; i < N_SENT (&h); i++) {
    Sent *s = SENT (&h, i);

    if (is_media (s)) {
      guint16 at = (guint16) (s->header.osn - osn);

      fail_unless (at < G_N_ELEMENTS (by_osn) && by_osn[at] == NULL);
      by_osn[at] = s;
      n++;
    }
  }
  fail_unless_equals_int (n, G_N_ELEMENTS (by_osn));
  for (i = 0; i < n; i++) {
    const Sent *s = by_osn[i];
    guint unit = i / 3;

    fail_unless_equals_int (s->header.stream, unit % 2);
    fail_unless_equals_int (s->header.klass, unit / 2 % 2);
    fail_unless_equals_int (s->header.first, i % 3 == 0);
    fail_unless_equals_int (s->header.last, i % 3 == 2);
    fail_unless_equals_int (s->rtp.marker, i % 3 == 2);
    fail_unless_equals_int (s->rtp.payload_type, 96 + unit % 2);
    fail_unless_equals_int (s->rtp.ssrc, 0x12345000u + 64 * (unit % 2)
        + s->header.layer);
    fail_unless_equals_int (s->header.signal, LMCC_SIGNAL_NOBODY);
    fail_unless_equals_int (s->header.send_time,
        lmcc_time_to_ntp_short (NTP_OFFSET + s->time));
    if (s->header.first && s->header.klass == 0)
      anchor[unit % 2]++;
    fail_unless_equals_int (s->header.anchor, anchor[unit % 2]);
    fail_unless_equals_int (s->packet->data[s->rtp.header_size], i % 3);
  }
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_timestamps_are_exact_and_equal_in_all_rungs)
{
  static const guint32 rates[] = { 90000, 90001, 44100, G_MAXUINT32 };
  guint r, i;

  for (r = 0; r < G_N_ELEMENTS (rates); r++) {
    LmccSenderConfig config = make_config (3);
    Harness h;
    guint n = 0;

    config.session.video.clock_rate = rates[r];
    h = harness_new (&config);
    for (i = 0; i < 30; i++) {
      LmccUnit *unit[3];
      guint stream;

      for (stream = 0; stream < 3; stream++) {
        unit[stream] = make_unit (stream, 0, START + i * 40 * MS, 1, 10);
        unit[stream]->presentation_time =
            START * 1000003 + (i ^ 3) * G_GUINT64_CONSTANT (33366666667);
      }
      for (stream = 0; stream < 3; stream++)
        push_at (&h, unit[stream]);
    }
    run_until (&h, h.now + 2 * WINDOW);
    for (i = 0; i < N_SENT (&h); i++) {
      const Sent *s = SENT (&h, i);
      guint picture;
      unsigned __int128 exact;

      if (!is_media (s))
        continue;
      picture = (guint16) (s->header.osn - config.sequence_seed) / 3;
      exact = START * 1000003
          + (picture ^ 3) * G_GUINT64_CONSTANT (33366666667);
      exact = (exact * rates[r] + LMCC_SECOND / 2) / LMCC_SECOND;
      fail_unless_equals_int (s->rtp.timestamp,
          (guint32) (RTP_OFFSET + (guint32) exact));
      n++;
    }
    fail_unless_equals_int (n, 90);
    harness_clear (&h);
  }
}

GST_END_TEST;

GST_START_TEST (test_only_the_payload_of_incoming_packets_is_kept)
{
  /* One CSRC, a two-byte-form extension of 4 bytes, padding of 3. */
  static const guint8 data[] = { 0xb1, 0x85, 0, 9, 1, 2, 3, 4, 5, 6, 7, 8,
    9, 9, 9, 9, 0x10, 0x00, 0, 1, 1, 1, 7, 0, 'a', 'b', 'c', 0, 0, 3
  };
  LmccSenderConfig config = make_config (1);
  Harness h = harness_new (&config);
  LmccUnit *unit = lmcc_unit_new ();
  guint i, n = 0;

  unit->decoding_time = unit->presentation_time = START;
  unit->switch_point = TRUE;
  g_ptr_array_add (unit->packets, lmcc_packet_new_copy (data, sizeof (data)));
  push (&h, unit);
  run_until (&h, START + WINDOW);
  for (i = 0; i < N_SENT (&h); i++) {
    const Sent *s = SENT (&h, i);

    if (!is_media (s))
      continue;
    n++;
    fail_unless (s->header.switch_point);
    fail_unless_equals_int (s->packet->size, RTP_OVERHEAD + 3);
    fail_unless_equals_int (s->packet->data[0], 0x90);
    fail_unless (memcmp (s->packet->data + s->rtp.header_size, "abc", 3) == 0);
  }
  fail_unless_equals_int (n, 1);
  harness_clear (&h);
}

GST_END_TEST;

/* 25 pictures a second of 5 packets: at a constant rate one each 8 ms. */
GST_START_TEST (test_constant_input_is_sent_at_a_constant_rate)
{
  LmccSenderConfig config = make_config (1);
  Harness h = harness_new (&config);
  LmccTime last = LMCC_TIME_NONE;
  gdouble worst = 0;
  guint i, n = 0;

  for (i = 0; i < 250; i++)
    push_at (&h, make_unit (0, 0, START + i * 40 * MS, 5, 1000));
  for (i = 0; i < N_SENT (&h); i++) {
    const Sent *s = SENT (&h, i);

    if (!is_media (s) || s->time < START + 2 * LMCC_SECOND)
      continue;
    if (last != LMCC_TIME_NONE)
      worst = MAX (worst, fabs ((gdouble) (s->time - last) / (8 * MS) - 1));
    last = s->time;
    n++;
  }
  fail_unless (n > 900);
  fail_unless (worst < 0.01, "worst gap differs by %g", worst);
  harness_clear (&h);
}

GST_END_TEST;

typedef struct
{
  LmccTime from;
  LmccTime deadline;
} Span;

GST_START_TEST (test_no_packet_leaves_before_its_time_or_after_the_window)
{
  LmccSenderConfig config = make_config (3);
  Harness h = harness_new (&config);
  GRand *rand = g_rand_new_with_seed (7);
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (Span));
  LmccTime time = START;
  guint i, n = 0;

  while (time < START + 30 * LMCC_SECOND && spans->len < 60000) {
    guint stream;

    /* Some come early, some when part of the window is over. */
    run_until (&h, time - 20 * MS + (LmccTime) g_rand_int_range (rand, 0,
            100) * MS);
    for (stream = 0; stream < 3; stream++) {
      guint n_packets = (guint) g_rand_int_range (rand, 1, 40);
      Span span = { time, time + WINDOW };

      push (&h, make_unit (stream, (guint) g_rand_int_range (rand, 0, 3), time,
              n_packets, (gsize) g_rand_int_range (rand, 1, 1300)));
      while (n_packets-- > 0)
        g_array_append_val (spans, span);
    }
    time += (LmccTime) g_rand_int_range (rand, 0, 100) * MS;
    time = MAX (time, h.now - 80 * MS);
  }
  run_until (&h, time + 2 * WINDOW);
  fail_unless (spans->len > 20000);

  for (i = 0; i < N_SENT (&h); i++) {
    const Sent *s = SENT (&h, i);
    const Span *span;

    if (!is_media (s))
      continue;
    span = &g_array_index (spans, Span,
        (guint16) (s->header.osn - config.sequence_seed));
    fail_unless (s->time >= span->from);
    fail_unless (s->time <= span->deadline, "%" G_GUINT64_FORMAT " ns late",
        s->time - span->deadline);
    n++;
  }
  fail_unless_equals_int (n, spans->len);
  fail_unless_equals_uint64 (lmcc_sender_get_stats (h.sender)->units_late, 0);
  g_rand_free (rand);
  harness_clear (&h);
}

GST_END_TEST;

static guint64
count_media (Harness * h)
{
  const LmccSenderStats *stats = lmcc_sender_get_stats (h->sender);

  return stats->packets - stats->layers[0].fillers - stats->layers[1].fillers;
}

/* A caller that comes each 37 ms sends what a prompt one would have sent by
 * then: nothing is lost, and nothing goes earlier. */
GST_START_TEST (test_a_late_caller_catches_up_and_no_more)
{
  LmccSenderConfig config = make_config (2);
  Harness prompt = harness_new (&config), late = harness_new (&config);
  guint step, stream;

  for (step = 0; step < 200; step++) {
    LmccTime time = START + step * 37 * MS;

    run_until (&prompt, time);
    late.now = time;
    lmcc_sender_handle_timeout (late.sender, time);
    drain (&late);
    fail_unless_equals_uint64 (count_media (&prompt), count_media (&late));
    for (stream = 0; stream < 2; stream++) {
      push (&prompt, make_unit (stream, 0, time, 5 + step % 7, 700));
      push (&late, make_unit (stream, 0, time, 5 + step % 7, 700));
    }
  }
  fail_unless (count_media (&late) > 2000);
  fail_unless_equals_uint64 (lmcc_sender_get_stats (prompt.
          sender)->lateness_max, 0);
  fail_unless (lmcc_sender_get_stats (late.sender)->lateness_max > 20 * MS);
  fail_unless (lmcc_sender_get_stats (late.sender)->lateness_max <= 37 * MS);
  harness_clear (&prompt);
  harness_clear (&late);
}

GST_END_TEST;

GST_START_TEST (test_late_units_are_counted_and_not_sent_in_one_burst)
{
  LmccSenderConfig config = make_config (1);
  Harness h = harness_new (&config);
  LmccTime now = START + LMCC_SECOND, last = 0;
  guint i, n = 0;

  run_until (&h, now);
  push (&h, make_unit (0, 0, now - 500 * MS, 20, 1000));
  push (&h, make_unit (0, 0, now - 460 * MS, 20, 1000));
  run_until (&h, now + WINDOW);
  fail_unless_equals_uint64 (lmcc_sender_get_stats (h.sender)->units_late, 2);
  for (i = 0; i < N_SENT (&h); i++) {
    const Sent *s = SENT (&h, i);

    if (!is_media (s))
      continue;
    if (n == 0) {
      fail_unless_equals_uint64 (s->time, now);
    } else {
      fail_unless (s->time >= last + MS / 2);
    }
    last = s->time;
    n++;
  }
  fail_unless_equals_int (n, 40);
  fail_unless (last < now + WINDOW / 2);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_no_layer_is_silent_for_longer_than_the_filler_interval)
{
  LmccSenderConfig config = make_config (3);
  Harness h = harness_new (&config);
  GRand *rand = g_rand_new_with_seed (3);
  LmccTime last[LMCC_MAX_LAYERS], end;
  guint i, n_fillers = 0;

  push_random_until (&h, rand, START + 10 * LMCC_SECOND, 3, FALSE);
  end = h.now;
  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    last[i] = i < 3 ? START : LMCC_TIME_NONE;
  for (i = 0; i < N_SENT (&h); i++) {
    const Sent *s = SENT (&h, i);

    if (s->control)
      continue;
    if (last[s->group] != LMCC_TIME_NONE)
      fail_unless (s->time - last[s->group] <= LMCC_FILLER_INTERVAL);
    last[s->group] = s->time;
    if (is_filler (s)) {
      n_fillers++;
      fail_unless_equals_int (s->rtp.ssrc, 0x12345800u + s->group);
      fail_unless_equals_int (s->rtp.payload_type,
          config.session.filler_payload_type);
      fail_unless_equals_int (s->header.stream, LMCC_STREAM_NONE);
    }
  }
  fail_unless (n_fillers > 100);
  for (i = 0; i < lmcc_sender_get_session (h.sender)->n_layers; i++)
    fail_unless (end - last[i] <= LMCC_FILLER_INTERVAL);
  g_rand_free (rand);
  harness_clear (&h);
}

GST_END_TEST;

/* Backwards through everything sent: the smallest number that a layer sends
 * from here on, under the same table, against each mark. */
static guint
check_marks (Harness * h)
{
  gint64 smallest[LMCC_MAX_LAYERS], order = 0;
  guint16 reference = 0;
  gint table = -1;
  guint n_marks = 0, i, layer;

  for (i = N_SENT (h); i-- > 0;) {
    const Sent *s = SENT (h, i);
    gint64 osn;

    if (s->control)
      continue;
    order += lmcc_sequence_diff (s->header.osn, reference);
    reference = s->header.osn;
    osn = order;
    if (s->header.table != table) {
      table = s->header.table;
      for (layer = 0; layer < LMCC_MAX_LAYERS; layer++)
        smallest[layer] = G_MAXINT64;
    }
    layer = s->header.layer;
    if (is_video (s)) {
      fail_unless (osn < smallest[layer]);
      smallest[layer] = osn;
    } else {
      fail_unless (osn <= smallest[layer], "a mark of %" G_GINT64_FORMAT
          " before %" G_GINT64_FORMAT, osn, smallest[layer]);
      n_marks++;
    }
  }

  return n_marks;
}

GST_START_TEST (test_marks_of_filler_and_sound_are_low_water_marks)
{
  guint32 seed;

  for (seed = 0; seed < 10; seed++) {
    LmccSenderConfig config = make_config (3);
    Harness h;
    GRand *rand = g_rand_new_with_seed (seed);

    config.sequence_seed = 0xff00 * (seed + 1);
    /* Long enough for fillers while packets wait. */
    config.session.window = seed % 2 ? 400 * MS : WINDOW;
    add_sound (&config);
    h = harness_new (&config);
    push_random_until (&h, rand, START + 10 * LMCC_SECOND, 3, TRUE);
    fail_unless (check_marks (&h) > 100);
    g_rand_free (rand);
    harness_clear (&h);
  }
}

GST_END_TEST;

/* A mark that is too low would be a low-water mark as well, and hold up
 * receivers for ever. */
GST_START_TEST (test_mark_of_an_empty_layer_is_the_next_number)
{
  LmccSenderConfig config = make_config (2);
  Harness h = harness_new (&config);
  guint16 next = (guint16) config.sequence_seed;
  guint i, n = 0;

  for (i = 0; i < 100; i++) {
    push_at (&h, make_unit (0, 0, START + i * 40 * MS, 3, 300));
    next += 3;
    while (N_SENT (&h) > n) {
      const Sent *s = SENT (&h, n++);

      if (is_filler (s) && s->group == 1)
        fail_unless_equals_int (s->header.osn, (guint16) (next - 3));
    }
  }
  fail_unless (lmcc_sender_get_stats (h.sender)->layers[1].fillers > 30);
  harness_clear (&h);
}

GST_END_TEST;

static void
check_control_share (guint payload, guint n_packets, LmccTime at_least,
    LmccTime at_most)
{
  LmccSenderConfig config = make_config (1);
  Harness h = harness_new (&config);
  LmccTime last = LMCC_TIME_NONE;
  guint64 bytes = 0;
  guint i, n = 0;

  for (i = 0; i < 25 * 30; i++)
    push_at (&h, make_unit (0, 0, START + i * 40 * MS, n_packets, payload));
  for (i = 0; i < N_SENT (&h); i++) {
    const Sent *s = SENT (&h, i);

    if (!s->control || s->time < START + 10 * LMCC_SECOND)
      continue;
    if (last != LMCC_TIME_NONE) {
      fail_unless (s->time - last >= at_least, "%u", (guint) (s->time - last));
      fail_unless (s->time - last <= at_most, "%u", (guint) (s->time - last));
    }
    last = s->time;
    bytes += s->packet->size + IP_OVERHEAD;
    n++;
  }
  fail_unless (n >= 9);
  if (at_most < LMCC_RECORD_INTERVAL_MAX)
    fail_unless ((gdouble) bytes * 8 / 20 <=
        0.05 * (gdouble) lmcc_sender_get_session (h.sender)->layers[0].rate
        * 1.02);
  harness_clear (&h);
}

GST_START_TEST (test_records_stay_under_a_twentieth_of_the_base_rate)
{
  /* 1.1 Mbit/s: as often as wanted. 100 kbit/s: in between. 20 kbit/s: at
   * least. */
  check_control_share (1000, 5, LMCC_RECORD_INTERVAL, LMCC_RECORD_INTERVAL);
  check_control_share (400, 1, LMCC_RECORD_INTERVAL + 10 * MS, 1500 * MS);
  check_control_share (20, 1, LMCC_RECORD_INTERVAL_MAX,
      LMCC_RECORD_INTERVAL_MAX);
}

GST_END_TEST;

typedef struct
{
  guint n_reports;
  guint n_records;
  guint n_byes;
  LmccSenderReport report[4];
  gchar *record;
} Control;

static void
on_report (gpointer user_data, const LmccSenderReport * report)
{
  Control *control = user_data;

  control->report[control->n_reports++ % 4] = *report;
}

static void
on_record (gpointer user_data, const LmccRecordFragment * fragment)
{
  Control *control = user_data;

  control->n_records++;
  g_free (control->record);
  control->record = g_strndup ((const gchar *) fragment->data, fragment->size);
}

static void
on_bye (gpointer user_data, guint32 ssrc)
{
  ((Control *) user_data)->n_byes++;
}

static const LmccRtcpHandler control_handler = {
  on_report, on_record, on_bye
};

static Control
parse_control (const Sent * sent)
{
  Control control = { 0 };

  fail_unless (sent->control);
  fail_unless (lmcc_rtcp_parse (sent->packet->data, sent->packet->size,
          &control_handler, &control));

  return control;
}

GST_START_TEST (test_a_changed_table_is_sent_three_times_at_once)
{
  LmccSenderConfig config = make_config (2);
  Harness h = harness_new (&config);
  LmccTime change = START + LMCC_SECOND;
  guint i, n = 0;

  run_until (&h, START);
  fail_unless_equals_int (count_control (&h, START, START + 1), 1);
  run_until (&h, START + 100 * MS);
  fail_unless_equals_int (count_control (&h, START, START + 100 * MS), 3);

  run_until (&h, change);
  push (&h, make_unit (0, 1, change, 1, 100));
  run_until (&h, change + 100 * MS);
  fail_unless_equals_int (count_control (&h, change, change + 1), 1);
  fail_unless_equals_int (count_control (&h, change, change + 100 * MS), 3);
  for (i = 0; i < N_SENT (&h); i++) {
    const Sent *s = SENT (&h, i);
    LmccSession session;
    Control control;

    if (!s->control)
      continue;
    control = parse_control (s);
    fail_unless_equals_int (control.n_records, 1);
    lmcc_session_init (&session);
    fail_unless (lmcc_sdp_parse (control.record, -1, &session, NULL));
    fail_unless_equals_int (session.n_layers, s->time < change ? 2 : 4);
    n++;
    g_free (control.record);
  }
  fail_unless (n >= 6);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_sender_reports_are_on_the_presentation_timeline)
{
  LmccSenderConfig config = make_config (1);
  Harness h;
  Control control = { 0 };
  guint i, n = 0;
  LmccTime time = 0;

  add_sound (&config);
  h = harness_new (&config);
  for (i = 0; i < 100; i++) {
    push_at (&h, make_unit (0, 0, START + i * 40 * MS, 2, 100));
    push_at (&h, make_unit (LMCC_STREAM_SOUND, 0, START + i * 40 * MS, 1, 50));
  }
  run_until (&h, h.now + 5 * LMCC_SECOND);
  for (i = 0; i < N_SENT (&h); i++) {
    if (!SENT (&h, i)->control)
      continue;
    time = SENT (&h, i)->time;
    control = parse_control (SENT (&h, i));
    g_free (control.record);
    fail_unless_equals_int (control.n_reports, 2);
    fail_unless_equals_int (control.report[0].ssrc, 0x12345000);
    fail_unless_equals_int (control.report[1].ssrc, 0x12345000 + 64 * 14);
    fail_unless_equals_uint64 (control.report[0].ntp_time >> 32,
        (NTP_OFFSET + time) / LMCC_SECOND);
    fail_unless (fabs ((gdouble) (control.report[0].ntp_time & 0xffffffff)
            / 4294967296.0 - (gdouble) ((NTP_OFFSET + time) % LMCC_SECOND)
            / 1e9) < 2e-9);
    fail_unless (fabs ((gdouble) (gint32) (control.report[0].rtp_time
                - RTP_OFFSET - START / 1000000 * 90)
            - (gdouble) (time - START) * 90e-6) <= 0.5);
    fail_unless (fabs ((gdouble) (gint32) (control.report[1].rtp_time
                - RTP_OFFSET - START / 1000000 * 48)
            - (gdouble) (time - START) * 48e-6) <= 0.5);
    n++;
  }
  fail_unless (n > 4);
  fail_unless_equals_int (control.report[0].packets, 200);
  fail_unless_equals_int (control.report[0].octets, 200 * 100);
  fail_unless_equals_int (control.report[1].packets, 100);
  fail_unless_equals_int (control.report[1].octets, 100 * 50);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_stop_says_bye_and_nothing_follows)
{
  LmccSenderConfig config = make_config (1);
  Harness h = harness_new (&config);
  Control control;
  guint n;

  push_at (&h, make_unit (0, 0, START, 10, 100));
  run_until (&h, START + 10 * MS);
  n = N_SENT (&h);
  lmcc_sender_stop (h.sender, h.now);
  drain (&h);
  fail_unless_equals_int (N_SENT (&h), n + 1);
  control = parse_control (SENT (&h, n));
  fail_unless_equals_int (control.n_byes, 1);

  fail_unless (lmcc_sender_is_idle (h.sender));
  fail_unless_equals_uint64 (lmcc_sender_next_timeout (h.sender),
      LMCC_TIME_NONE);
  push (&h, make_unit (0, 0, h.now, 1, 100));
  lmcc_sender_stop (h.sender, h.now);
  lmcc_sender_flush (h.sender, h.now);
  lmcc_sender_handle_timeout (h.sender, h.now + 10 * LMCC_SECOND);
  drain (&h);
  fail_unless_equals_int (N_SENT (&h), n + 1);
  harness_clear (&h);
}

GST_END_TEST;

static void
push_picture (Harness * h, LmccTime decoding_time, const gchar * rungs)
{
  guint i;

  run_until (h, decoding_time);
  for (i = 0; rungs[i] != '\0'; i++) {
    LmccUnit *unit;

    if (rungs[i] == '.')
      continue;
    unit = make_unit (i, rungs[i] == 'b', decoding_time, 1, 100);
    unit->switch_point = rungs[i] == 'K' || rungs[i] == 'b';
    push (h, unit);
  }
}

GST_START_TEST (test_keys_that_are_not_in_all_rungs_are_asked_for_again)
{
  LmccSenderConfig config = make_config (3);
  Harness h = harness_new (&config);
  const LmccSenderStats *stats = lmcc_sender_get_stats (h.sender);

  push_picture (&h, START, "KKK");
  push_picture (&h, START + 40 * MS, "PPP");
  push_picture (&h, START + 80 * MS, "bPb");
  push_picture (&h, START + 120 * MS, "K.K");
  fail_unless_equals_uint64 (stats->key_misaligned, 0);
  fail_unless_equals_int (h.n_key_requests, 0);

  push_picture (&h, START + 160 * MS, "KPK");
  fail_unless_equals_uint64 (stats->key_misaligned, 1);
  fail_unless_equals_int (h.n_key_requests, 1);
  push_picture (&h, START + 200 * MS, "PPK");
  push_picture (&h, START + 240 * MS, "bbK");
  push_picture (&h, START + 280 * MS, "P.K");
  fail_unless_equals_uint64 (stats->key_misaligned, 4);
  fail_unless_equals_int (h.n_key_requests, 1);
  push_picture (&h, START + 1160 * MS, "PKP");
  fail_unless_equals_uint64 (stats->key_misaligned, 5);
  fail_unless_equals_int (h.n_key_requests, 2);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_oversize_packets_are_sent_and_counted)
{
  LmccSenderConfig config = make_config (1);
  Harness h = harness_new (&config);
  const LmccSenderStats *stats = lmcc_sender_get_stats (h.sender);

  push (&h, make_unit (0, 0, h.now, 2, 1400 - RTP_OVERHEAD));
  push (&h, make_unit (0, 0, h.now, 3, 1401 - RTP_OVERHEAD));
  push (&h, make_unit (0, 0, h.now, 1, LMCC_MAX_PACKET_SIZE - RTP_OVERHEAD));
  run_until (&h, h.now + WINDOW);
  fail_unless_equals_uint64 (stats->packets_oversize, 4);
  fail_unless_equals_uint64 (stats->packets - stats->layers[0].fillers, 6);

  push (&h, make_unit (0, 0, h.now, 1,
          LMCC_MAX_PACKET_SIZE - RTP_OVERHEAD + 1));
  fail_unless_equals_uint64 (stats->units_invalid, 1);
  fail_unless (lmcc_sender_is_idle (h.sender));
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_bad_units_are_dropped_and_counted)
{
  LmccSenderConfig config = make_config (2);
  Harness h = harness_new (&config);
  const LmccSenderStats *stats = lmcc_sender_get_stats (h.sender);
  GRand *rand = g_rand_new_with_seed (5);
  LmccUnit *unit;
  guint i, n = 0;

  push (&h, make_unit (2, 0, h.now, 1, 100));
  push (&h, make_unit (LMCC_STREAM_SOUND, 0, h.now, 1, 100));
  push (&h, make_unit (LMCC_STREAM_NONE, 0, h.now, 1, 100));
  push (&h, make_unit (200, 0, h.now, 1, 100));
  push (&h, make_unit (0, LMCC_MAX_CLASSES, h.now, 1, 100));
  push (&h, make_unit (0, 0, h.now, 0, 100));
  push (&h, make_unit (0, 0, LMCC_TIME_NONE, 1, 100));
  unit = make_unit (0, 0, h.now, 1, 100);
  unit->presentation_time = LMCC_TIME_NONE;
  push (&h, unit);
  unit = make_unit (0, 0, h.now, 3, 100);
  ((LmccPacket *) g_ptr_array_index (unit->packets, 1))->size = 11;
  push (&h, unit);
  unit = make_unit (0, 0, h.now, 1, 100);
  ((LmccPacket *) g_ptr_array_index (unit->packets, 0))->data[0] = 0x40;
  push (&h, unit);
  fail_unless_equals_uint64 (stats->units_invalid, 10);
  fail_unless (lmcc_sender_is_idle (h.sender));

  /* Whatever the bytes are: refused, or sent whole. */
  for (i = 0; i < 5000; i++) {
    guint size = (guint) g_rand_int_range (rand, 0, 60), at;
    LmccPacket *packet = lmcc_packet_new (size);

    for (at = 0; at < size; at++)
      packet->data[at] = (guint8) g_rand_int (rand);
    if (size > 0 && g_rand_boolean (rand))
      packet->data[0] = 0x80 | (packet->data[0] & 0x3f);
    packet->size = size;
    unit = make_unit (0, 0, h.now, 0, 0);
    g_ptr_array_add (unit->packets, packet);
    push_at (&h, unit);
    run_until (&h, h.now + MS);
  }
  run_until (&h, h.now + 2 * WINDOW);
  for (i = 0; i < N_SENT (&h); i++)
    n += is_media (SENT (&h, i));
  fail_unless (n > 100);
  fail_unless_equals_uint64 (n + stats->units_invalid, 5010);
  g_rand_free (rand);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_a_unit_that_is_missing_is_missing_in_the_anchor)
{
  LmccSenderConfig config = make_config (1);
  Harness h = harness_new (&config);
  LmccUnit *unit;
  guint i, n = 0;

  push (&h, make_unit (0, 0, h.now, 1, 100));
  unit = make_unit (0, 0, h.now, 1, 100);
  ((LmccPacket *) g_ptr_array_index (unit->packets, 0))->size = 0;
  push (&h, unit);
  push (&h, make_unit (0, 0, h.now, 1, 100));
  run_until (&h, h.now + WINDOW);
  for (i = 0; i < N_SENT (&h); i++) {
    const Sent *s = SENT (&h, i);

    if (is_media (s))
      fail_unless_equals_int (s->header.anchor, n++ == 0 ? 1 : 3);
  }
  fail_unless_equals_int (n, 2);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_memory_is_bounded_and_units_stay_whole)
{
  LmccSenderConfig config = make_config (1);
  Harness h;
  const LmccSenderStats *stats;
  guint i, n_first = 0, n_last = 0, n_low = 0;

  /* One group: all classes share a layer. */
  fail_unless (lmcc_address_parse ("239.255.255.255", &config.session.address));
  h = harness_new (&config);
  for (i = 0; i < 2000; i++) {
    push (&h, make_unit (0, i < 1000 ? 2 : i % 2, h.now, 7, 10));
    stats = lmcc_sender_get_stats (h.sender);
    fail_unless (stats->layers[0].queued <= 5000);
  }
  fail_unless (stats->units_dropped > 1000);
  push (&h, make_unit (0, 0, h.now, 6000, 10));
  run_until (&h, h.now + 2 * WINDOW);

  for (i = 0; i < N_SENT (&h); i++) {
    const Sent *s = SENT (&h, i);

    if (!is_media (s))
      continue;
    n_first += s->header.first;
    n_last += s->header.last;
    n_low += s->header.first && s->header.klass == 0;
    if (s->header.first)
      fail_unless_equals_int (n_first, n_last + 1);
  }
  fail_unless_equals_int (n_first, n_last);
  fail_unless_equals_uint64 (n_first + lmcc_sender_get_stats
      (h.sender)->units_dropped, 2001);
  /* All of the 500 that matter most are there. */
  fail_unless_equals_int (n_low, 500);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_flush_drops_what_waits_and_keeps_the_session)
{
  LmccSenderConfig config = make_config (1);
  Harness h = harness_new (&config);
  guint version, n, i;

  push (&h, make_unit (0, 1, h.now, 10, 100));
  version = lmcc_sender_get_session (h.sender)->version;
  fail_if (lmcc_sender_is_idle (h.sender));
  lmcc_sender_flush (h.sender, h.now);
  fail_unless (lmcc_sender_is_idle (h.sender));
  n = N_SENT (&h);
  run_until (&h, h.now + WINDOW / 2);
  for (i = n; i < N_SENT (&h); i++)
    fail_if (is_media (SENT (&h, i)));

  push (&h, make_unit (0, 1, h.now, 1, 100));
  run_until (&h, h.now + WINDOW);
  fail_unless_equals_int (lmcc_sender_get_session (h.sender)->version, version);
  for (i = n; i < N_SENT (&h) && !is_media (SENT (&h, i)); i++);
  fail_unless (i < N_SENT (&h));
  fail_unless_equals_int (SENT (&h, i)->header.osn,
      (guint16) (config.sequence_seed + 10));
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_rates_are_what_is_sent_and_announced_once_a_second)
{
  LmccSenderConfig config = make_config (1);
  Harness h = harness_new (&config);
  const LmccSession *session = lmcc_sender_get_session (h.sender);
  LmccTime changed = 0;
  guint32 revision;
  guint version = 0, i, n_changes = 0;

  for (i = 0; i < 500; i++) {
    gsize payload = i < 250 ? 1000 : 500;

    revision = session->revision;
    push_at (&h, make_unit (0, i % 2, START + i * 40 * MS, 4, payload));
    if (i == 1)
      version = session->version;
    if (i > 1 && session->revision != revision) {
      fail_unless_equals_int (session->revision, revision + 1);
      fail_unless (h.now - changed >= LMCC_SECOND - 40 * MS);
      changed = h.now;
      n_changes++;
    }
    /* Known after half a second, within a tenth and what the estimate lacks. */
    if (i == 13 || i == 240)
      fail_unless (fabs ((gdouble) session->layers[0].rate
              / (4 * (1000 + RTP_OVERHEAD + IP_OVERHEAD) * 8 * 12.5)
              - 1) < 0.2, "%u", (guint) session->layers[0].rate);
  }
  /* The base carries the records as well. */
  fail_unless (fabs ((gdouble) session->layers[0].rate
          / (4 * (500 + RTP_OVERHEAD + IP_OVERHEAD) * 8 * 12.5) - 1) < 0.2);
  fail_unless (fabs ((gdouble) session->layers[1].rate
          / (4 * (500 + RTP_OVERHEAD + IP_OVERHEAD) * 8 * 12.5) - 1) < 0.11);
  fail_unless (n_changes >= 2 && n_changes < 10);
  fail_unless_equals_int (session->version, version);
  harness_clear (&h);
}

GST_END_TEST;

static Suite *
sender_suite (void)
{
  Suite *s = suite_create ("sender");
  TCase *tc = tcase_create ("sender");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_table_has_every_rung_and_grows_by_class);
  tcase_add_test (tc, test_classes_beyond_the_last_group_join_lower_layers);
  tcase_add_test (tc, test_most_rungs_and_classes_stay_within_the_limits);
  tcase_add_test (tc, test_numbers_are_contiguous_across_wraps_and_changes);
  tcase_add_test (tc, test_units_are_whole_and_in_order);
  tcase_add_test (tc, test_timestamps_are_exact_and_equal_in_all_rungs);
  tcase_add_test (tc, test_only_the_payload_of_incoming_packets_is_kept);
  tcase_add_test (tc, test_constant_input_is_sent_at_a_constant_rate);
  tcase_add_test (tc,
      test_no_packet_leaves_before_its_time_or_after_the_window);
  tcase_add_test (tc, test_a_late_caller_catches_up_and_no_more);
  tcase_add_test (tc, test_late_units_are_counted_and_not_sent_in_one_burst);
  tcase_add_test (tc,
      test_no_layer_is_silent_for_longer_than_the_filler_interval);
  tcase_add_test (tc, test_marks_of_filler_and_sound_are_low_water_marks);
  tcase_add_test (tc, test_mark_of_an_empty_layer_is_the_next_number);
  tcase_add_test (tc, test_records_stay_under_a_twentieth_of_the_base_rate);
  tcase_add_test (tc, test_a_changed_table_is_sent_three_times_at_once);
  tcase_add_test (tc, test_sender_reports_are_on_the_presentation_timeline);
  tcase_add_test (tc, test_stop_says_bye_and_nothing_follows);
  tcase_add_test (tc, test_keys_that_are_not_in_all_rungs_are_asked_for_again);
  tcase_add_test (tc, test_oversize_packets_are_sent_and_counted);
  tcase_add_test (tc, test_bad_units_are_dropped_and_counted);
  tcase_add_test (tc, test_a_unit_that_is_missing_is_missing_in_the_anchor);
  tcase_add_test (tc, test_memory_is_bounded_and_units_stay_whole);
  tcase_add_test (tc, test_flush_drops_what_waits_and_keeps_the_session);
  tcase_add_test (tc, test_rates_are_what_is_sent_and_announced_once_a_second);

  return s;
}

GST_CHECK_MAIN (sender);
