/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests a base layer whose rate follows its slowest receiver, with layers
 * above it that receivers choose.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

#include "support/test-net.h"

#define N_LAYERS 3
#define LEAST_BASE 64000.0
#define MOST_BASE 600000.0
#define SLOW_LINK 250000
#define FAST_LINK 10000000
#define TEST_START (100 * LMCC_SECOND)
#define STEP (40 * LMCC_MSECOND)

/* Of a base packet. */
#define PACKET_SIZE 1000.0
#define HEADERS (28 + LMCC_RTP_HEADER_SIZE + LMCC_RTP_OVERHEAD + 16)

static const gchar *const base_algorithms[] = { "pgmcc", "tfmcc" };

static TestNet *
net_new (const gchar *base_algorithm)
{
  TestNetConfig config = { .n_layers = N_LAYERS,
    .rates = { MOST_BASE, 600000, 1200000 },
    .algorithm = "elm",
    .base_algorithm = base_algorithm,
    .join_latency = 10 * LMCC_MSECOND,
    .leave_latency = 100 * LMCC_MSECOND,
    .shared = { .delay = 10 * LMCC_MSECOND } };

  return test_net_new (&config);
}

static guint
add_receiver (TestNet *net, guint64 rate)
{
  TestNetReceiverConfig config = { .rtt_mode = LMCC_RTT_MODE_FEEDBACK,
    .max_level = -1,
    .own = { .rate = rate, .delay = 15 * LMCC_MSECOND, .queue_packets = 20 } };

  return test_net_add_receiver (net, &config);
}

/* The encoder of the base layer follows the requested rate. */
static void
run (TestNet *net, guint seconds)
{
  LmccTime end = net->now + seconds * LMCC_SECOND;

  while (net->now < end) {
    gdouble media = (gdouble) lmcc_sender_get_estimated_bitrate (net->sender);
    gdouble rate = media / (1 - HEADERS / PACKET_SIZE);

    test_source_set_rate (&net->source, 0, CLAMP (rate, LEAST_BASE, MOST_BASE),
        net->now);
    test_net_run (net, STEP);
  }
}

static gdouble
base_bytes (const TestNet *net)
{
  return (gdouble) lmcc_sender_get_stats (net->sender)->layers[0].bytes;
}

/* Rate of the base layer as sent, bit/s. */
static gdouble
measure_base (TestNet *net, guint seconds)
{
  gdouble before = base_bytes (net);

  run (net, seconds);

  return 8 * (base_bytes (net) - before) / seconds;
}

/* Share of the time from @since on at which a receiver was at @level or
 * higher. */
static gdouble
share_at (const TestNet *net, guint index, gint level, LmccTime since)
{
  const GArray *changes = net->receivers[index].changes;
  LmccTime held = 0, at = since;
  gint now = -1;
  guint i;

  for (i = 0; i < changes->len; i++) {
    const TestLevelChange *change =
        &g_array_index (changes, TestLevelChange, i);

    if (change->time > at) {
      held += now >= level ? change->time - at : 0;
      at = change->time;
    }
    now = change->to;
  }
  held += now >= level ? net->now - at : 0;

  return (gdouble) held / (gdouble) (net->now - since);
}

static LmccReceiverStats
stats_of (const TestNet *net, guint index)
{
  LmccReceiverStats stats;

  lmcc_receiver_get_stats (net->receivers[index].receiver, net->now, &stats);

  return stats;
}

GST_START_TEST (the_base_follows_its_slowest_receiver)
{
  g_autoptr (TestNet) net = net_new (base_algorithms[__i__]);
  guint slow, fast = add_receiver (net, FAST_LINK), i;
  gdouble before, during, after, least = MOST_BASE;
  LmccReceiverStats stats;
  guint64 missed, offered;
  LmccTime since;

  run (net, 60);
  before = measure_base (net, 20);
  slow = add_receiver (net, SLOW_LINK);
  run (net, 60);
  since = net->now;
  missed = net->receivers[slow].missed;
  offered = net->receivers[slow].offered;
  for (i = 0, during = 0; i < 12; i++) {
    gdouble rate = measure_base (net, 10);

    during += rate / 12;
    least = MIN (least, rate);
  }
  missed = net->receivers[slow].missed - missed;
  offered = net->receivers[slow].offered - offered;
  stats = stats_of (net, slow);
  GST_INFO (
      "%s: base %.0f bit/s, %.0f (at least %.0f in 10 s) with the slow one,"
      " which lost %.2f %%; the fast one is at the top for %.1f %%",
      base_algorithms[__i__], before, during, least,
      100.0 * (gdouble) missed / (gdouble) offered,
      100 * share_at (net, fast, N_LAYERS - 1, since));
  fail_unless (before > 0.8 * MOST_BASE, "%f", before);
  fail_unless (during < SLOW_LINK && during > 0.6 * SLOW_LINK, "%f", during);
  fail_unless (least > 0.4 * SLOW_LINK, "%f", least);
  fail_unless (missed * 20 < offered);
  fail_unless (share_at (net, fast, N_LAYERS - 1, since) > 0.95);
  fail_unless (share_at (net, slow, 1, since) < 0.05);
  fail_unless_equals_string (stats.algorithm, "elm");
  fail_unless_equals_string (stats.base_algorithm, base_algorithms[__i__]);
  fail_unless (stats.base_status.leads);
  fail_unless (stats_of (net, fast).base_status.has_leader);
  fail_if (stats_of (net, fast).base_status.leads);

  test_net_stop_receiver (net, slow);
  run (net, 30);
  after = measure_base (net, 20);
  fail_unless (after > 0.8 * MOST_BASE, "%f", after);
}

GST_END_TEST;

/* All layers fit beside a base of 240 kbit/s, but not beside one of 600. */
/* TFMCC: after a loss, the rate stays below the needs of a key frame as long
 * as a slow receiver is present. */
GST_START_TEST (a_base_recovers_from_key_frames_that_did_not_fit)
{
  g_autoptr (TestNet) net = net_new ("tfmcc");
  guint slow;
  gdouble during, after;

  net->source.group = 25;
  net->source.key_packets = 12;
  add_receiver (net, FAST_LINK);
  slow = add_receiver (net, 70000);
  test_net_run (net, 60 * LMCC_SECOND);
  during = base_bytes (net);
  test_net_run (net, 20 * LMCC_SECOND);
  during = 8 * (base_bytes (net) - during) / 20;
  fail_unless (during < 80000, "%f", during);
  test_net_stop_receiver (net, slow);
  test_net_run (net, 60 * LMCC_SECOND);
  after = base_bytes (net);
  test_net_run (net, 20 * LMCC_SECOND);
  after = 8 * (base_bytes (net) - after) / 20;
  GST_INFO ("base %.0f bit/s with the slow one, %.0f after it", during, after);
  /* 25 pictures of one packet per second, and a key frame of 12. */
  fail_unless (after > 0.95 * 8 * 36 * PACKET_SIZE, "%f", after);
}

GST_END_TEST;

/* No key frame follows one that did not fit. */
GST_START_TEST (fillers_do_not_grow_without_end)
{
  g_autoptr (TestNet) net = net_new ("tfmcc");
  gdouble rate;

  net->source.group = G_MAXUINT;
  net->source.key_packets = 12;
  add_receiver (net, FAST_LINK);
  test_net_run (net, 30 * LMCC_SECOND);
  rate = base_bytes (net);
  test_net_run (net, 20 * LMCC_SECOND);
  rate = 8 * (base_bytes (net) - rate) / 20;
  GST_INFO ("%.0f bit/s", rate);
  fail_unless (lmcc_sender_get_stats (net->sender)->units_dropped[0] > 400);
  /* Twice the key frame in a quarter of a second, and control packets. */
  fail_unless (rate < 1.1 * 2 * 8 * 12 * PACKET_SIZE * 4, "%f", rate);
}

GST_END_TEST;

GST_START_TEST (levels_above_follow_the_current_base_rate)
{
  g_autoptr (TestNet) net = net_new (base_algorithms[__i__]);
  guint middle = add_receiver (net, 2400000), slow;
  gboolean tfmcc = g_str_equal (base_algorithms[__i__], "tfmcc");
  gdouble alone, beside;
  LmccTime since;

  net->source.rates[2] = 1300000;
  run (net, 60);
  since = net->now;
  run (net, 60);
  alone = share_at (net, middle, 2, since);
  slow = add_receiver (net, SLOW_LINK);
  run (net, 60);
  since = net->now;
  run (net, 60);
  beside = share_at (net, middle, 2, since);
  GST_INFO ("%s: at the top for %.1f %%, with the slow one %.1f %%",
      base_algorithms[__i__], 100 * alone, 100 * beside);
  fail_unless (share_at (net, slow, 1, since) < 0.05);
  fail_unless (alone < 0.2);
  /* pgmcc's base layer is bursty, and so are the layers above: on a link
   * with 90 % load, some packets are lost. */
  fail_unless (beside > (tfmcc ? 0.8 : 2 * alone));
}

GST_END_TEST;

/* Frames of one packet in the base layer, and for each a frame of two
 * packets in the next layer that refers to it; the base layer takes one
 * packet at a time. */

#define FRAME_TIME (40 * LMCC_MSECOND)
#define KEY_INTERVAL 10
#define N_FRAMES 200
#define AGE_LIMIT (500 * LMCC_MSECOND)

typedef struct
{
  LmccSender *sender;
  LmccTime now;
  guint n_frames;
  guint begun[N_FRAMES]; /* base packets sent */
  guint n_above;
  gboolean above_started;
  guint16 above_osn;
} Stream;

static void
push_sound (Stream *stream)
{
  LmccUnit *unit = lmcc_unit_new ();
  LmccPacket *packet = lmcc_packet_new (100);

  unit->stream = LMCC_STREAM_SOUND;
  unit->switch_point = TRUE;
  unit->decoding_time = unit->presentation_time = stream->now;
  packet->size = 100;
  memset (packet->data, 0, packet->size);
  packet->data[0] = 0x80;
  packet->data[1] = LMCC_DEFAULT_PAYLOAD_TYPE;
  g_ptr_array_add (unit->packets, packet);
  lmcc_sender_push_unit (stream->sender, unit, stream->now);
}

static void
push (Stream *stream, guint klass, guint n_packets)
{
  TestSourceTag tag = { stream->n_frames, n_packets };
  LmccUnit *unit = lmcc_unit_new ();
  guint i;

  unit->klass = (guint8) klass;
  unit->switch_point = stream->n_frames % KEY_INTERVAL == 0;
  unit->decoding_time = unit->presentation_time = stream->now;
  for (i = 0; i < n_packets; i++) {
    LmccPacket *packet = lmcc_packet_new (800);

    packet->size = 800;
    memset (packet->data, 0, packet->size);
    packet->data[0] = 0x80;
    packet->data[1] = LMCC_DEFAULT_PAYLOAD_TYPE;
    memcpy (packet->data + LMCC_RTP_HEADER_SIZE, &tag, sizeof (tag));
    g_ptr_array_add (unit->packets, packet);
  }
  lmcc_sender_push_unit (stream->sender, unit, stream->now);
}

/* All references of a frame in the next layer have been sent before it. */
static void
check_above (Stream *stream, guint frame)
{
  guint i;

  for (i = frame / KEY_INTERVAL * KEY_INTERVAL; i <= frame; i++)
    fail_unless (stream->begun[i] == 1,
        "frame %u needs %u, of which %u packets"
        " left",
        frame, i, stream->begun[i]);
  stream->n_above++;
}

static void
check_sent (Stream *stream, const LmccPacket *packet)
{
  TestSourceTag tag;
  LmccHeader header;
  LmccRtp rtp;

  fail_unless (lmcc_rtp_parse (packet->data, packet->size,
      LMCC_HEADER_DEFAULT_ID, &rtp));
  fail_unless (lmcc_header_parse (rtp.element, rtp.element_size, &header));
  fail_unless ((rtp.second != NULL) == (header.layer == 0));
  if (header.layer > 0) {
    if (stream->above_started)
      fail_unless (lmcc_sequence_diff (header.osn, stream->above_osn) >= 0);
    stream->above_started = TRUE;
    stream->above_osn = header.osn;
  }
  if (header.type != LMCC_PACKET_MEDIA || header.stream == LMCC_STREAM_SOUND)
    return;
  memcpy (&tag, packet->data + rtp.header_size, sizeof (tag));
  fail_unless (stream->now < TEST_START + tag.picture * FRAME_TIME + AGE_LIMIT);
  if (header.layer == 0)
    stream->begun[tag.picture]++;
  else
    check_above (stream, tag.picture);
}

static void
drain (Stream *stream)
{
  LmccSenderAction action;

  while (lmcc_sender_poll_action (stream->sender, &action)) {
    if (action.type == LMCC_SENDER_ACTION_SEND)
      check_sent (stream, action.packet);
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
}

GST_START_TEST (frames_leave_after_their_references_in_the_base)
{
  LmccSenderConfig config = { 0 };
  Stream stream = { .now = TEST_START };
  const LmccSenderStats *stats;
  guint i;

  lmcc_session_init (&config.session);
  lmcc_address_parse ("239.255.75.1", &config.session.address);
  lmcc_address_parse ("10.0.0.1", &config.session.source);
  config.session.port = 5004;
  config.session.ssrc_base = 0x12345000u;
  config.session.video.clock_rate = 90000;
  g_strlcpy (config.session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  g_strlcpy (config.session.sound.encoding_name, "OPUS",
      LMCC_ENCODING_NAME_SIZE);
  config.session.sound.clock_rate = 48000;
  config.session.feedback_interval = LMCC_DEFAULT_FEEDBACK_INTERVAL;
  config.session.packet_size = 1000;
  g_strlcpy (config.session.algorithm, "elm",
      sizeof (config.session.algorithm));
  g_strlcpy (config.session.base_algorithm, base_algorithms[__i__],
      sizeof (config.session.base_algorithm));
  config.mtu = 1400;
  config.sequence_seed = 65000;
  stream.sender = lmcc_sender_new (&config, stream.now, NULL);
  for (; stream.n_frames < N_FRAMES; stream.n_frames++) {
    if (stream.n_frames % (2 * KEY_INTERVAL) == 0)
      push_sound (&stream);
    push (&stream, 0, 1);
    push (&stream, 1, 2);
    drain (&stream);
    for (i = 0; i < FRAME_TIME / LMCC_MSECOND; i++) {
      lmcc_sender_handle_timeout (stream.sender, stream.now);
      drain (&stream);
      fail_unless (lmcc_sender_next_timeout (stream.sender) > stream.now);
      stream.now += LMCC_MSECOND;
    }
  }
  stats = lmcc_sender_get_stats (stream.sender);
  GST_INFO ("%s: %u packets above, %" G_GUINT64_FORMAT " pictures of the base "
            "and %" G_GUINT64_FORMAT " above were dropped",
      base_algorithms[__i__], stream.n_above, stats->units_dropped[0],
      stats->units_dropped[1]);
  fail_unless (stats->units_dropped[0] > N_FRAMES / 2);
  fail_unless (stats->units_dropped[1] >= stats->units_dropped[0]);
  fail_unless (stream.n_above > 0);
  lmcc_sender_flush (stream.sender, stream.now);
  fail_unless (lmcc_sender_is_idle (stream.sender));
  lmcc_sender_free (stream.sender);
}

GST_END_TEST;

GST_START_TEST (a_session_that_is_not_fit_is_refused)
{
  static const gchar *const slotted[] = { "rlc", "flid-sl", "flid-dl",
    "synchronized" };
  static const gchar *const layered[] = { "none", "rlm", "elm", "plumb" };
  g_autoptr (GError) error = NULL;
  LmccSession session, fit;
  guint i;

  lmcc_session_init (&fit);
  fit.native = TRUE;
  fit.n_rungs = 3;
  fit.feedback_interval = LMCC_SECOND;
  g_strlcpy (fit.base_algorithm, base_algorithms[__i__],
      sizeof (fit.base_algorithm));
  for (i = 0; i < G_N_ELEMENTS (layered); i++) {
    g_strlcpy (fit.algorithm, layered[i], sizeof (fit.algorithm));
    fail_unless (lmcc_session_fit_algorithm (&fit, 0, 0, NULL));
    fail_unless (lmcc_session_has_driven_base (&fit));
    fail_if (lmcc_session_has_single_rate (&fit));
    fail_unless (lmcc_session_has_second_element (&fit));
  }
  for (i = 0; i < G_N_ELEMENTS (slotted); i++) {
    session = fit;
    g_strlcpy (session.algorithm, slotted[i], sizeof (session.algorithm));
    fail_if (lmcc_session_fit_algorithm (&session, 0, 0, &error));
    fail_unless (strstr (error->message, "elm") != NULL, "%s", error->message);
    g_clear_error (&error);
  }
  session = fit;
  session.native = FALSE;
  fail_if (lmcc_session_fit_algorithm (&session, 0, 0, &error));
  fail_unless (strstr (error->message, "scheme") != NULL);
  g_clear_error (&error);
  session = fit;
  session.repair = 100;
  fail_if (lmcc_session_fit_algorithm (&session, 0, 0, &error));
  fail_unless (strstr (error->message, "repair") != NULL);
  g_clear_error (&error);
  session = fit;
  session.feedback_interval = 0;
  fail_if (lmcc_session_fit_algorithm (&session, 0, 0, &error));
  fail_unless (strstr (error->message, "reports") != NULL);
  g_clear_error (&error);
  session = fit;
  g_strlcpy (session.algorithm, "tfmcc", sizeof (session.algorithm));
  fail_if (lmcc_session_fit_algorithm (&session, 0, 0, &error));
  fail_unless (strstr (error->message, "elm") != NULL);
}

GST_END_TEST;

static Suite *
layers_above_suite (void)
{
  Suite *suite = suite_create ("layers-above");
  TCase *tcase = tcase_create ("general");
  gint n = G_N_ELEMENTS (base_algorithms);

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_loop_test (tcase, the_base_follows_its_slowest_receiver, 0, n);
  tcase_add_loop_test (tcase, levels_above_follow_the_current_base_rate, 0, n);
  tcase_add_test (tcase, a_base_recovers_from_key_frames_that_did_not_fit);
  tcase_add_test (tcase, fillers_do_not_grow_without_end);
  tcase_add_loop_test (tcase, frames_leave_after_their_references_in_the_base,
      0, n);
  tcase_add_loop_test (tcase, a_session_that_is_not_fit_is_refused, 0, n);

  return suite;
}

GST_CHECK_MAIN (layers_above);
