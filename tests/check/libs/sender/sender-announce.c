/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests what the sender announces: layer tables, session records, their
 * timing, and sender reports.
 */
#include "support/sender-harness.h"

#include <gst/lmcc/lmcc-sdp.h>
#include <gst/lmcc/wire/constants.h>
#include <gst/lmcc/wire/key-request.h>
#include <gst/lmcc/wire/rtcp.h>

#include <math.h>

GST_START_TEST (test_table_has_every_rung_and_grows_by_class)
{
  LmccSenderConfig config = sender_config (3);
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
  harness_push_at (&h, make_unit (0, 0, START, 1, 100));
  fail_unless_equals_int (session->version, version);
  harness_push_at (&h, make_unit (1, 3, START + 10 * MS, 1, 100));
  fail_unless_equals_int (session->n_layers, 6);
  harness_push_at (&h, make_unit (2, 1, START + 20 * MS, 1, 100));
  fail_unless_equals_int (session->n_layers, 9);
  fail_unless_equals_int (session->n_groups, 9);
  fail_unless_equals_int (session->version, version + 2);
  fail_unless_equals_int (h.n_changes, 3);
  for (i = 0; i < 9; i++) {
    fail_unless_equals_int (session->layers[i].stream, streams[i]);
    fail_unless_equals_int (session->layers[i].klass, classes[i]);
  }
  fail_unless (lmcc_session_validate (session, NULL));

  /* Waiting units are sent in the layer that now has their stream and class. */
  harness_run_until (&h, START + 200 * MS);
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

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

/* Whatever classes come. */
GST_START_TEST (test_an_encoding_is_one_layer_where_levels_fall_back)
{
  LmccSenderConfig config = sender_config (3);
  const LmccSession *session;
  Harness h;
  guint i, klass;

  config.levels = LMCC_LEVELS_FALLBACK;
  h = harness_new (&config);
  session = lmcc_sender_get_session (h.sender);
  for (klass = 0; klass < LMCC_MAX_CLASSES; klass++) {
    for (i = 0; i < 3; i++)
      harness_push (&h, make_unit (i, klass, h.now, 1, 100));
  }
  fail_unless_equals_int (session->n_layers, 3);
  fail_unless_equals_int (lmcc_session_count_levels (session), 3);
  for (i = 0; i < 3; i++) {
    fail_unless_equals_int (session->layers[i].stream, i);
    fail_unless_equals_int (session->layers[i].klass, LMCC_CLASS_MIXED);
    fail_unless_equals_uint64 (session->level_layers[i], 1 | 1u << i);
  }
  fail_unless (lmcc_session_validate (session, NULL));

  harness_run_until (&h, h.now + 2 * WINDOW);
  fail_unless (lmcc_sender_is_idle (h.sender));
  for (i = 0; i < N_SENT (&h); i++) {
    if (is_media (SENT (&h, i)))
      fail_unless_equals_int (SENT (&h, i)->header.layer,
          SENT (&h, i)->header.stream);
  }
  harness_clear (&h);
}

GST_END_TEST;

/* The delay that receivers add for decoders, with pictures of which every
 * fourth is of class 0 and is sent before the three that precede it in
 * display order. */
static LmccTime
find_decoder_delay (LmccLevels levels)
{
  static const struct
  {
    guint shown;
    guint klass;
  } order[] = { { 4, 0 }, { 2, 1 }, { 1, 2 }, { 3, 2 } };
  LmccSenderConfig config = sender_config (2);
  LmccTime delay;
  Harness h;
  guint i, rung;

  config.levels = levels;
  h = harness_new (&config);
  for (i = 0; i < 60; i++) {
    for (rung = 0; rung < 2; rung++) {
      LmccUnit *unit =
          make_unit (rung, order[i % 4].klass, START + i * 40 * MS, 1, 100);

      unit->presentation_time =
          START + (i / 4 * 4 + order[i % 4].shown) * 40 * MS;
      harness_push_at (&h, unit);
    }
  }
  delay = lmcc_sender_get_session (h.sender)->latency;
  harness_clear (&h);

  return delay;
}

GST_START_TEST (test_decoders_of_whole_encodings_need_no_time)
{
  fail_unless (find_decoder_delay (LMCC_LEVELS_CUMULATIVE) >= 80 * MS);
  fail_unless_equals_uint64 (find_decoder_delay (LMCC_LEVELS_FALLBACK), 0);
}

GST_END_TEST;

GST_START_TEST (test_classes_beyond_the_last_group_join_lower_layers)
{
  LmccSenderConfig config = sender_config (2);
  const LmccSession *session;
  Harness h;
  guint i, klass;

  /* Room for five groups only: two classes in each rung. */
  fail_unless (lmcc_address_parse ("239.255.255.251", &config.session.address));
  h = harness_new (&config);
  session = lmcc_sender_get_session (h.sender);
  for (klass = 0; klass < LMCC_MAX_CLASSES; klass++) {
    harness_push (&h, make_unit (0, klass, h.now, 1, 100));
    harness_push (&h, make_unit (1, klass, h.now, 1, 100));
  }
  fail_unless_equals_int (session->n_layers, 4);
  fail_unless_equals_int (session->layers[1].klass, LMCC_CLASS_MIXED);
  fail_unless_equals_int (session->layers[0].klass, 0);
  fail_unless_equals_int (lmcc_sender_get_stats (h.sender)->classes_joined, 14);
  fail_unless (lmcc_session_validate (session, NULL));

  harness_run_until (&h, h.now + 2 * WINDOW);
  fail_unless (lmcc_sender_is_idle (h.sender));
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

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
  LmccSenderConfig config = sender_config (LMCC_MAX_RUNGS);
  const LmccSession *session;
  Harness h;
  guint klass;

  h = harness_new (&config);
  session = lmcc_sender_get_session (h.sender);
  for (klass = LMCC_MAX_CLASSES; klass-- > 0;)
    harness_push (&h, make_unit (LMCC_MAX_RUNGS - 1, klass, h.now, 1, 100));
  fail_unless_equals_int (session->n_layers, 4 * LMCC_MAX_RUNGS);
  fail_unless (lmcc_session_validate (session, NULL));
  harness_run_until (&h, h.now + 2 * WINDOW);
  fail_unless (lmcc_sender_is_idle (h.sender));
  harness_clear (&h);

  /* More rungs than groups: the upper ones share the last group. */
  fail_unless (lmcc_address_parse ("239.255.255.254", &config.session.address));
  h = harness_new (&config);
  session = lmcc_sender_get_session (h.sender);
  harness_push (&h, make_unit (LMCC_MAX_RUNGS - 1, 2, h.now, 1, 100));
  harness_push (&h, make_unit (0, 1, h.now, 1, 100));
  fail_unless_equals_int (session->n_layers, 2);
  fail_unless_equals_int (session->layers[1].stream, LMCC_STREAM_NONE);
  fail_unless (lmcc_session_validate (session, NULL));
  harness_run_until (&h, h.now + 2 * WINDOW);
  fail_unless (lmcc_sender_is_idle (h.sender));
  harness_clear (&h);
}

GST_END_TEST;

static void
check_control_share (guint payload, guint n_packets, LmccTime at_least,
    LmccTime at_most)
{
  LmccSenderConfig config = sender_config (1);
  Harness h = harness_new (&config);
  LmccTime last = LMCC_TIME_NONE;
  guint64 bytes = 0;
  guint i, n = 0;

  for (i = 0; i < 25 * 30; i++)
    harness_push_at (&h,
        make_unit (0, 0, START + i * 40 * MS, n_packets, payload));
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

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
    fail_unless ((gdouble) bytes * 8 / 20 <= 0.05
            * (gdouble) lmcc_sender_get_session (h.sender)->layers[0].rate
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

/* Whether a record left at @time or within 120 ms before it. */
static gboolean
has_record_ahead (const Harness *h, LmccTime time)
{
  guint i;

  for (i = 0; i < N_SENT (h); i++) {
    const SentPacket *s = SENT (h, i);

    if (s->control && s->time + 120 * MS >= time && s->time <= time)
      return TRUE;
  }

  return FALSE;
}

/* Pictures of 40 ms, with a key frame every @distance pictures: number of
 * key frames among 100 that have no record before them. */
static guint
count_unannounced (guint distance, guint n_packets, gsize payload)
{
  LmccSenderConfig config = sender_config (1);
  Harness h = harness_new (&config);
  guint n_pictures = 120 * distance, n = 0, i;
  guint64 bytes = 0, rate;

  for (i = 0; i < n_pictures; i++) {
    LmccUnit *unit = make_unit (0, 0, START + i * 40 * MS, n_packets, payload);

    unit->switch_point = i % distance == 0;
    harness_push_at (&h, unit);
  }
  for (i = 20 * distance; i < n_pictures; i += distance)
    n += !has_record_ahead (&h, START + i * 40 * MS);

  rate = lmcc_sender_get_session (h.sender)->layers[0].rate;
  for (i = 0; i < N_SENT (&h); i++) {
    if (SENT (&h, i)->control
        && SENT (&h, i)->time >= START + 20 * distance * 40 * MS)
      bytes += sent_ip_size (SENT (&h, i));
  }
  fail_unless (bytes * 8 * 20 <= rate * 4 * distance * 1.02,
      "%" G_GUINT64_FORMAT " bytes at %" G_GUINT64_FORMAT, bytes, rate);
  harness_clear (&h);

  return n;
}

GST_START_TEST (test_a_record_leaves_ahead_of_each_key_frame)
{
  static const guint distances[] = { 7, 9, 17, 25, 33, 100 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (distances); i++)
    fail_unless_equals_int (count_unannounced (distances[i], 5, 1000), 0);

  /* A base layer of 68 kbit/s has room for a record every 0.6 s: for every
   * second key frame, and not between them; for each if they are further
   * apart. */
  fail_unless_equals_int (count_unannounced (11, 1, 300), 50);
  fail_unless_equals_int (count_unannounced (25, 1, 300), 0);
}

GST_END_TEST;

static void
ask_for_key (Harness *h)
{
  const LmccSession *session = lmcc_sender_get_session (h->sender);
  const LmccKeyRequest request = { .ssrc = 1, .ssrc_base = session->ssrc_base };
  g_autoptr (LmccPacket) packet = lmcc_key_request_build (&request);
  LmccAddress from;

  fail_unless (lmcc_address_parse ("192.0.2.9", &from));
  lmcc_sender_handle_control (h->sender, h->now, &from, 5005, packet->data,
      packet->size);
  harness_drain (h);
}

/* 68 kbit/s, as above: a record every 0.6 s. A receiver joins every 3 s, and
 * cannot start before the record. */
GST_START_TEST (test_no_record_waits_for_a_key_frame_that_has_to_be_asked_for)
{
  LmccSenderConfig config = sender_config (1);
  LmccTime last = LMCC_TIME_NONE;
  guint n_asked = 0, i;
  Harness h;

  config.session.feedback_interval = 3 * LMCC_SECOND;
  config.session.feedback_port = 5005;
  h = harness_new (&config);
  for (i = 0; i < 25 * 60; i++) {
    LmccUnit *unit = make_unit (0, 0, START + i * 40 * MS, 1, 300);

    if (i % 75 == 0)
      ask_for_key (&h);
    unit->switch_point = i == 0 || h.n_key_requests > n_asked;
    n_asked = h.n_key_requests;
    harness_push_at (&h, unit);
  }
  fail_unless (n_asked >= 15);
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

    if (!s->control || s->time < START + 10 * LMCC_SECOND)
      continue;
    fail_unless (last == LMCC_TIME_NONE || s->time - last <= 700 * MS,
        "%" G_GUINT64_FORMAT " ms", (s->time - last) / MS);
    last = s->time;
  }
  fail_unless (LMCC_TIME_IS_VALID (last));
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_a_key_frame_that_nobody_expected_has_its_record)
{
  static const guint keys[] = { 0, 90, 113, 191 };
  LmccSenderConfig config = sender_config (1);
  Harness h = harness_new (&config);
  guint next = 0, i;

  for (i = 0; i < 25 * 10; i++) {
    LmccUnit *unit = make_unit (0, 0, START + i * 40 * MS, 5, 1000);

    unit->switch_point = next < G_N_ELEMENTS (keys) && i == keys[next];
    next += unit->switch_point;
    harness_push_at (&h, unit);
  }
  for (i = 0; i < G_N_ELEMENTS (keys); i++)
    fail_unless (has_record_ahead (&h, START + keys[i] * 40 * MS), "%u", i);
  harness_clear (&h);
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
on_report (gpointer user_data, const LmccSenderReport *report)
{
  Control *control = user_data;

  control->report[control->n_reports++ % 4] = *report;
}

static void
on_record (gpointer user_data, const LmccRecordFragment *fragment)
{
  Control *control = user_data;

  control->n_records++;
  g_free (control->record);
  control->record = g_strndup ((const gchar *) fragment->data, fragment->size);
}

static void
on_bye (gpointer user_data, guint32 ssrc G_GNUC_UNUSED)
{
  ((Control *) user_data)->n_byes++;
}

static const LmccRtcpHandler control_handler = { on_report, on_record, on_bye };

static Control
parse_control (const SentPacket *sent)
{
  Control control = { 0 };

  fail_unless (sent->control);
  fail_unless (lmcc_rtcp_parse (sent->packet->data, sent->packet->size,
      &control_handler, &control));

  return control;
}

static guint
count_control (Harness *h, LmccTime from, LmccTime to)
{
  guint n = 0, i;

  for (i = 0; i < N_SENT (h); i++)
    n += SENT (h, i)->control && SENT (h, i)->time >= from
        && SENT (h, i)->time < to;

  return n;
}

GST_START_TEST (test_a_changed_table_is_sent_three_times_at_once)
{
  LmccSenderConfig config = sender_config (2);
  Harness h = harness_new (&config);
  LmccTime change = START + LMCC_SECOND;
  guint i, n = 0;

  harness_run_until (&h, START);
  fail_unless_equals_int (count_control (&h, START, START + 1), 1);
  harness_run_until (&h, START + 100 * MS);
  fail_unless_equals_int (count_control (&h, START, START + 100 * MS), 3);

  harness_run_until (&h, change);
  harness_push (&h, make_unit (0, 1, change, 1, 100));
  harness_run_until (&h, change + 100 * MS);
  fail_unless_equals_int (count_control (&h, change, change + 1), 1);
  fail_unless_equals_int (count_control (&h, change, change + 100 * MS), 3);
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);
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
  LmccSenderConfig config = sender_config (1);
  Harness h;
  Control control = { 0 };
  guint i, n = 0;
  LmccTime time = 0;

  sender_config_add_sound (&config);
  h = harness_new (&config);
  for (i = 0; i < 100; i++) {
    harness_push_at (&h, make_unit (0, 0, START + i * 40 * MS, 2, 100));
    harness_push_at (&h,
        make_unit (LMCC_STREAM_SOUND, 0, START + i * 40 * MS, 1, 50));
  }
  harness_run_until (&h, h.now + 5 * LMCC_SECOND);
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
    fail_unless (
        fabs ((gdouble) (control.report[0].ntp_time & 0xffffffff) / 4294967296.0
            - (gdouble) ((NTP_OFFSET + time) % LMCC_SECOND) / 1e9)
        < 2e-9);
    fail_unless (fabs ((gdouble) (gint32) (control.report[0].rtp_time
                           - RTP_OFFSET - START / 1000000 * 90)
                     - (gdouble) (time - START) * 90e-6)
        <= 0.5);
    fail_unless (fabs ((gdouble) (gint32) (control.report[1].rtp_time
                           - RTP_OFFSET - START / 1000000 * 48)
                     - (gdouble) (time - START) * 48e-6)
        <= 0.5);
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

/* The copies are spaced, even if the caller is late. */
GST_START_TEST (test_stop_says_bye_three_times_and_nothing_follows)
{
  LmccSenderConfig config = sender_config (1);
  Harness h = harness_new (&config);
  Control control;
  guint n, i;

  harness_push_at (&h, make_unit (0, 0, START, 10, 100));
  harness_run_until (&h, START + 10 * MS);
  n = N_SENT (&h);
  lmcc_sender_stop (h.sender, h.now);
  harness_drain (&h);
  for (i = 0; i < LMCC_BYE_COPIES; i++) {
    fail_unless_equals_int (N_SENT (&h), n + i + 1);
    control = parse_control (SENT (&h, n + i));
    fail_unless_equals_int (control.n_byes, 1);
    fail_unless (lmcc_sender_is_idle (h.sender));
    if (i + 1 == LMCC_BYE_COPIES)
      break;
    fail_unless_equals_uint64 (lmcc_sender_next_timeout (h.sender),
        h.now + LMCC_BYE_INTERVAL);
    lmcc_sender_handle_timeout (h.sender, h.now + LMCC_BYE_INTERVAL - 1);
    harness_drain (&h);
    fail_unless_equals_int (N_SENT (&h), n + i + 1);
    h.now += (1 + i * 5) * LMCC_BYE_INTERVAL;
    lmcc_sender_handle_timeout (h.sender, h.now);
    harness_drain (&h);
  }
  fail_unless_equals_uint64 (lmcc_sender_next_timeout (h.sender),
      LMCC_TIME_NONE);
  harness_push (&h, make_unit (0, 0, h.now, 1, 100));
  lmcc_sender_stop (h.sender, h.now);
  lmcc_sender_flush (h.sender, h.now);
  lmcc_sender_handle_timeout (h.sender, h.now + 10 * LMCC_SECOND);
  harness_drain (&h);
  fail_unless_equals_int (N_SENT (&h), n + LMCC_BYE_COPIES);
  harness_clear (&h);
}

GST_END_TEST;

static void
push_picture (Harness *h, LmccTime decoding_time, const gchar *rungs)
{
  guint i;

  harness_run_until (h, decoding_time);
  for (i = 0; rungs[i] != '\0'; i++) {
    LmccUnit *unit;

    if (rungs[i] == '.')
      continue;
    unit = make_unit (i, rungs[i] == 'b', decoding_time, 1, 100);
    unit->switch_point = rungs[i] == 'K' || rungs[i] == 'b';
    harness_push (h, unit);
  }
}

GST_START_TEST (test_keys_that_are_not_in_all_rungs_are_asked_for_again)
{
  LmccSenderConfig config = sender_config (3);
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

GST_START_TEST (test_rates_are_what_is_sent_and_announced_once_a_second)
{
  LmccSenderConfig config = sender_config (1);
  Harness h = harness_new (&config);
  const LmccSession *session = lmcc_sender_get_session (h.sender);
  LmccTime changed = 0;
  guint32 revision;
  guint version = 0, i, n_changes = 0;

  for (i = 0; i < 500; i++) {
    gsize payload = i < 250 ? 1000 : 500;

    revision = session->revision;
    harness_push_at (&h, make_unit (0, i % 2, START + i * 40 * MS, 4, payload));
    if (i == 1)
      version = session->version;
    if (i > 1 && session->revision != revision) {
      fail_unless_equals_int (session->revision, revision + 1);
      fail_unless (h.now - changed >= LMCC_SECOND - 40 * MS);
      changed = h.now;
      n_changes++;
    }
    /* Known after half a second, within a tenth plus the error of the
     * estimate. */
    if (i == 13 || i == 240)
      fail_unless (fabs ((gdouble) session->layers[0].rate
                           / (4 * (1000 + RTP_OVERHEAD + IP_OVERHEAD) * 8
                               * 12.5)
                       - 1)
              < 0.2,
          "%u", (guint) session->layers[0].rate);
  }
  /* The base layer carries the records as well. */
  fail_unless (fabs ((gdouble) session->layers[0].rate
                       / (4 * (500 + RTP_OVERHEAD + IP_OVERHEAD) * 8 * 12.5)
                   - 1)
      < 0.2);
  fail_unless (fabs ((gdouble) session->layers[1].rate
                       / (4 * (500 + RTP_OVERHEAD + IP_OVERHEAD) * 8 * 12.5)
                   - 1)
      < 0.11);
  fail_unless (n_changes >= 2 && n_changes < 10);
  fail_unless_equals_int (session->version, version);
  harness_clear (&h);
}

GST_END_TEST;

/* A host that gets another address, or learns its first one only now. */
GST_START_TEST (test_another_address_is_announced_at_once_by_the_same_session)
{
  LmccSenderConfig config = sender_config (1);
  Harness h = harness_new (&config);
  const LmccSession *session = lmcc_sender_get_session (h.sender);
  LmccAddress first, second;
  guint32 ssrc = session->ssrc_base;
  guint revision, n_changes, i, n = 0;

  lmcc_address_parse ("10.77.0.1", &first);
  lmcc_address_parse ("10.77.0.11", &second);
  harness_push_at (&h, make_unit (0, 0, START, 1, 100));
  harness_run_until (&h, START + LMCC_SECOND);
  fail_unless_equals_uint64 (session->feedback_interval, 0);

  lmcc_sender_set_source (h.sender, h.now, &first, 5005);
  harness_drain (&h);
  fail_unless_equals_uint64 (session->feedback_interval,
      LMCC_DEFAULT_FEEDBACK_INTERVAL);
  fail_unless (lmcc_session_validate (session, NULL));
  harness_run_until (&h, h.now + LMCC_SECOND);

  revision = session->revision;
  n_changes = h.n_changes;
  lmcc_sender_set_source (h.sender, h.now, &second, 5005);
  /* And once more: without a change. */
  lmcc_sender_set_source (h.sender, h.now, &second, 5005);
  harness_drain (&h);
  fail_unless_equals_int (session->revision, revision + 1);
  fail_unless_equals_int (h.n_changes, n_changes + 1);
  fail_unless (lmcc_address_equal (&session->source, &second));
  fail_unless_equals_int (session->feedback_port, 5005);
  fail_unless_equals_int (session->ssrc_base, ssrc);
  i = N_SENT (&h);
  harness_run_until (&h, h.now + 100 * MS);
  for (; i < N_SENT (&h); i++)
    n += SENT (&h, i)->control;
  fail_unless (n >= 2, "%u records in 100 ms", n);
  harness_clear (&h);
}

GST_END_TEST;

/* RFC 8866 section 5.2: the version of o= goes up. */
GST_START_TEST (test_a_description_that_changes_has_the_next_revision)
{
  LmccSenderConfig config = sender_config (1);
  Harness h = harness_new (&config);
  const LmccSession *session = lmcc_sender_get_session (h.sender);
  guint revision, n_changes;

  harness_push_at (&h, make_unit (0, 0, START, 1, 100));
  harness_run_until (&h, START + LMCC_SECOND);
  revision = session->revision;
  n_changes = h.n_changes;
  lmcc_sender_renew_description (h.sender, h.now);
  harness_drain (&h);
  fail_unless_equals_int (session->revision, revision + 1);
  fail_unless_equals_int (h.n_changes, n_changes + 1);
  lmcc_sender_stop (h.sender, h.now);
  lmcc_sender_renew_description (h.sender, h.now);
  fail_unless_equals_int (session->revision, revision + 1);
  harness_clear (&h);
}

GST_END_TEST;

static void
refuse (const LmccSenderConfig *config, const gchar *why)
{
  g_autoptr (GError) error = NULL;

  fail_unless (lmcc_sender_new (config, START, &error) == NULL);
  fail_unless (error != NULL && error->domain == LMCC_SESSION_ERROR);
  fail_unless (strstr (error->message, why) != NULL, "%s", error->message);
  fail_unless (lmcc_sender_new (config, START, NULL) == NULL);
}

GST_START_TEST (test_a_session_that_no_receiver_takes_is_refused)
{
  const LmccSenderConfig fit = sender_config (1);
  LmccSenderConfig config = fit;

  config.session.port = 0;
  refuse (&config, "port");
  config = fit;
  config.session.address.bytes[0] = 10;
  refuse (&config, "multicast");
  config = fit;
  config.session.native = FALSE;
  config.session.layers[0].rate = 0;
  refuse (&config, "layer 0 has no rate");
  config.session.layers[0].rate = 64000;
  config.session.n_layers = LMCC_MAX_LAYERS + 1;
  refuse (&config, "65 layers");
  config.session.n_layers = 0;
  refuse (&config, "number of layers");
}

GST_END_TEST;

static void
note_answer (gpointer user_data, guint32 ssrc G_GNUC_UNUSED,
    const LmccDlrr *answer)
{
  LmccDlrr *noted = user_data;

  *noted = *answer;
}

/* A sender that hands packets over before their time is ahead of the clock
 * by which the report arrives. The answer states the holding time until it
 * leaves. */
GST_START_TEST (test_a_report_may_come_before_the_latest_time)
{
  static const LmccRtcpHandler handler = { .dlrr = note_answer };
  LmccSenderConfig config = sender_config (1);
  LmccReferenceTime report = { 1000, G_GUINT64_CONSTANT (1) << 32 };
  g_autoptr (LmccPacket) packet =
      lmcc_rtcp_build_reference_time (&report, NULL);
  LmccDlrr answer = { 0 };
  LmccTime came = 0;
  LmccAddress source;
  Harness h;
  guint i;

  config.session.feedback_interval = 500 * MS;
  h = harness_new (&config);
  fail_unless (lmcc_address_parse ("192.0.2.9", &source));
  for (i = 0; i < 100; i++)
    harness_push_at (&h, make_unit (0, 0, START + i * 20 * MS, 5, 1000));
  came = h.now - 10 * MS;
  lmcc_sender_handle_control (h.sender, came, &source, 40000, packet->data,
      packet->size);
  harness_run_until (&h, h.now + LMCC_SECOND);
  for (i = 0; i < N_SENT (&h) && answer.ssrc == 0; i++) {
    if (SENT (&h, i)->control)
      lmcc_rtcp_parse (SENT (&h, i)->packet->data, SENT (&h, i)->packet->size,
          &handler, &answer);
  }
  fail_unless_equals_int (answer.ssrc, 1000);
  fail_unless_equals_int (answer.delay,
      ((SENT (&h, i - 1)->time - came) << 16) / LMCC_SECOND);
  harness_clear (&h);
}

GST_END_TEST;

static Suite *
sender_announce_suite (void)
{
  Suite *s = suite_create ("sender-announce");
  TCase *tc = tcase_create ("sender-announce");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_table_has_every_rung_and_grows_by_class);
  tcase_add_test (tc, test_an_encoding_is_one_layer_where_levels_fall_back);
  tcase_add_test (tc, test_decoders_of_whole_encodings_need_no_time);
  tcase_add_test (tc, test_classes_beyond_the_last_group_join_lower_layers);
  tcase_add_test (tc, test_most_rungs_and_classes_stay_within_the_limits);
  tcase_add_test (tc, test_a_record_leaves_ahead_of_each_key_frame);
  tcase_add_test (tc,
      test_no_record_waits_for_a_key_frame_that_has_to_be_asked_for);
  tcase_add_test (tc, test_a_key_frame_that_nobody_expected_has_its_record);
  tcase_add_test (tc, test_records_stay_under_a_twentieth_of_the_base_rate);
  tcase_add_test (tc, test_a_changed_table_is_sent_three_times_at_once);
  tcase_add_test (tc, test_sender_reports_are_on_the_presentation_timeline);
  tcase_add_test (tc, test_stop_says_bye_three_times_and_nothing_follows);
  tcase_add_test (tc, test_keys_that_are_not_in_all_rungs_are_asked_for_again);
  tcase_add_test (tc, test_rates_are_what_is_sent_and_announced_once_a_second);
  tcase_add_test (tc,
      test_another_address_is_announced_at_once_by_the_same_session);
  tcase_add_test (tc, test_a_description_that_changes_has_the_next_revision);
  tcase_add_test (tc, test_a_session_that_no_receiver_takes_is_refused);
  tcase_add_test (tc, test_a_report_may_come_before_the_latest_time);
  return s;
}

GST_CHECK_MAIN (sender_announce);
