/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-single.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

#define STEP LMCC_MSECOND
#define TCP_FLOW 8
#define FRAME_TIME (40 * LMCC_MSECOND)
#define KEY_INTERVAL 250
#define AGE_LIMIT (500 * LMCC_MSECOND)
#define MIN_RATE 64000
#define MAX_RATE 3000000

const gchar *const test_single_algorithms[TEST_SINGLE_ALGORITHMS] =
    { "pgmcc", "tfmcc" };

const TestLinkSettings test_single_narrow = {
  .rate = 1000000,.delay = 25 * LMCC_MSECOND,.queue_packets = 20
};

static const TestLinkSettings back = {.delay = 25 * LMCC_MSECOND };

TestSingle *
test_single_new (const TestLinkSettings * settings)
{
  TestSingle *world = g_new0 (TestSingle, 1);

  world->now = TEST_SINGLE_START;
  test_link_init (&world->link, settings, 1);

  return world;
}

TestSingleSession *
test_single_add_session_with (TestSingle * world, const gchar * algorithm,
    const gchar * sound)
{
  TestSingleSession *session = &world->sessions[world->n_sessions];
  LmccSenderConfig config = { 0 };
  g_autofree gchar *source =
      g_strdup_printf ("10.0.%u.1", world->n_sessions + 1);
  g_autofree gchar *group =
      g_strdup_printf ("239.255.66.%u", world->n_sessions + 1);

  session->ssrc_base = 0x12345000u + 0x1000u * world->n_sessions;
  lmcc_address_parse (group, &session->group);
  lmcc_address_parse (source, &session->source);
  lmcc_session_init (&config.session);
  config.session.address = session->group;
  config.session.port = 5004;
  config.session.source = session->source;
  config.session.ssrc_base = session->ssrc_base;
  config.session.video.clock_rate = 90000;
  config.session.sound.clock_rate = 48000;
  g_strlcpy (config.session.sound.encoding_name, sound,
      LMCC_ENCODING_NAME_SIZE);
  config.session.packet_size = TEST_SINGLE_PACKET;
  config.session.feedback_interval = LMCC_DEFAULT_FEEDBACK_INTERVAL;
  config.session.feedback_port = TEST_SINGLE_PORT;
  g_strlcpy (config.session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  g_strlcpy (config.session.algorithm, algorithm,
      sizeof (config.session.algorithm));
  config.cname = "test";
  config.sequence_seed = 65500 + world->n_sessions;
  config.ntp_offset = G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND;
  config.mtu = 1400;
  session->sender = lmcc_sender_new (&config, world->now, NULL);
  /* Cameras do not take their pictures at the same moments. */
  session->next_frame = world->now + world->n_sessions * 17 * LMCC_MSECOND;
  session->key_wanted = TRUE;
  session->encoder_rate = MIN_RATE;
  world->n_sessions++;

  return session;
}

TestSingleSession *
test_single_add_session (TestSingle * world, const gchar * algorithm)
{
  return test_single_add_session_with (world, algorithm, "");
}

TestSingleReceiver *
test_single_add_receiver (TestSingle * world, TestSingleSession * session,
    LmccTime extra)
{
  TestSingleReceiver *r = &session->receivers[session->n_receivers++];
  g_autofree gchar *address = g_strdup_printf ("10.1.0.%u",
      session->n_receivers);
  LmccReceiverConfig config = {.algorithm = "auto",.max_level = -1,.latency =
        LMCC_DEFAULT_LATENCY,.sequence_seed = 7919 * session->n_receivers
  };
  TestLinkSettings settings = back;

  settings.delay += extra;
  config.address = session->group;
  lmcc_address_parse (address, &r->address);
  test_link_init (&r->back, &settings, 1);
  r->receiver = lmcc_receiver_new (&config);
  lmcc_receiver_start (r->receiver, world->now);

  return r;
}

void
test_single_start_tcp (TestSingle * world)
{
  world->tcp = g_new0 (TestTcp, 1);
  test_tcp_init (world->tcp);
  test_tcp_start (world->tcp);
  test_link_init (&world->tcp_back, &back, 1);
}

void
test_single_free (TestSingle * world)
{
  guint i, k;

  for (i = 0; i < world->n_sessions; i++) {
    TestSingleSession *session = &world->sessions[i];

    for (k = 0; k < session->n_receivers; k++) {
      lmcc_receiver_free (session->receivers[k].receiver);
      test_link_clear (&session->receivers[k].back);
    }
    lmcc_sender_free (session->sender);
  }
  test_link_clear (&world->link);
  if (world->tcp != NULL)
    test_link_clear (&world->tcp_back);
  g_free (world->tcp);
  g_free (world);
}

/* The encoder: every other frame is one that no other needs. */

static void
push_frame (TestSingleSession * session, LmccTime now)
{
  gsize size =
      TEST_SINGLE_PACKET - TEST_SINGLE_IP_OVERHEAD - LMCC_RTP_OVERHEAD - 16;
  LmccUnit *unit = lmcc_unit_new ();
  guint32 number = session->n_frames++;
  gboolean key = session->key_wanted || number % KEY_INTERVAL == 0;
  TestSingleFrame frame = { now, number, session->reference };
  guint n, i;

  unit->klass = key || number % 2 == 0 ? 0 : 1;
  unit->switch_point = key || unit->klass == 1;
  unit->decoding_time = unit->presentation_time = now;
  if (key)
    frame.reference = number;
  if (unit->klass == 0)
    session->reference = number;
  session->key_wanted = FALSE;
  session->owed += session->encoder_rate / 8 * FRAME_TIME / LMCC_SECOND;
  n = (guint) MAX (session->owed / (gdouble) size, 1);
  session->owed = MAX (session->owed - (gdouble) (n * size), 0);
  if (key)
    n = MAX (n, session->key_packets);
  for (i = 0; i < n; i++) {
    LmccPacket *packet = lmcc_packet_new (size);

    memset (packet->data, 0, size);
    packet->data[0] = 0x80;
    packet->data[1] = LMCC_DEFAULT_PAYLOAD_TYPE;
    memcpy (packet->data + LMCC_RTP_HEADER_SIZE, &frame, sizeof (frame));
    packet->size = size;
    g_ptr_array_add (unit->packets, packet);
  }
  lmcc_sender_push_unit (session->sender, unit, now);
}

static void
run_encoder (TestSingleSession * session, LmccTime now)
{
  gdouble rate = session->fixed_rate;

  if (now < session->next_frame)
    return;
  if (rate == 0)
    rate = (gdouble) lmcc_sender_get_estimated_bitrate (session->sender);
  session->encoder_rate = CLAMP (rate, MIN_RATE, MAX_RATE);
  push_frame (session, now);
  session->next_frame += FRAME_TIME;
}

/* What leaves is not too old, and nothing that it refers to was left out. */
static void
check_sent (TestSingleSession * session, const LmccPacket * packet,
    LmccTime now)
{
  LmccRtp rtp;
  LmccHeader header;
  TestSingleFrame frame;

  fail_unless (lmcc_rtp_parse (packet->data, packet->size,
          LMCC_HEADER_DEFAULT_ID, &rtp));
  fail_unless (lmcc_header_parse (rtp.element, rtp.element_size, &header));
  fail_unless_equals_int (header.layer, 0);
  fail_unless (rtp.second != NULL);
  session->lsn = header.lsn;
  if (header.type != LMCC_PACKET_MEDIA)
    return;
  memcpy (&frame, packet->data + rtp.header_size, sizeof (frame));
  fail_unless (now < frame.decoding_time + AGE_LIMIT);
  session->oldest = MAX (session->oldest, now - frame.decoding_time);
  if (header.first)
    fail_unless (frame.reference == frame.number
        || frame.reference == session->whole, "frame %u needs %u, not %u",
        frame.number, frame.reference, session->whole);
  if (header.last && header.klass == 0)
    session->whole = frame.number;
  session->sent_of_class[header.klass]++;
}

static void
drain_sender (TestSingle * world, guint index)
{
  TestSingleSession *session = &world->sessions[index];
  LmccSenderAction action;

  while (lmcc_sender_poll_action (session->sender, &action)) {
    TestLinkPacket packet = {.packet = action.packet,.flow = index };

    if (action.type == LMCC_SENDER_ACTION_REQUEST_KEY_UNIT)
      session->key_wanted = TRUE;
    if (action.packet == NULL)
      continue;
    packet.size = action.packet->size + TEST_SINGLE_IP_OVERHEAD;
    packet.control = action.type == LMCC_SENDER_ACTION_SEND_CONTROL;
    if (!packet.control) {
      check_sent (session, action.packet, world->now);
      session->bytes += packet.size;
    }
    test_link_submit (&world->link, &packet, world->now, NULL);
    lmcc_packet_unref (action.packet);
  }
}

static void
drain_receiver (TestSingle * world, const TestSingleSession * session,
    TestSingleReceiver * r)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (r->receiver, &action)) {
    if (action.type == LMCC_RECEIVER_ACTION_JOIN)
      r->joined = TRUE;
    else if (action.type == LMCC_RECEIVER_ACTION_LEAVE)
      r->joined = FALSE;
    else if (action.type == LMCC_RECEIVER_ACTION_DELIVER)
      r->delivered++;
    if (action.type == LMCC_RECEIVER_ACTION_REPORT) {
      TestLinkPacket packet = {.packet = action.packet,.size =
            action.packet->size + TEST_SINGLE_IP_OVERHEAD
      };

      fail_unless (lmcc_address_equal (&action.destination, &session->source));
      fail_unless_equals_int (action.port, TEST_SINGLE_PORT);
      r->reports++;
      test_link_submit (&r->back, &packet, world->now, NULL);
    }
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
}

static void
receive (TestSingle * world, const TestLinkPacket * packet)
{
  TestSingleSession *session = &world->sessions[packet->flow];
  guint k;

  for (k = 0; k < session->n_receivers; k++) {
    TestSingleReceiver *r = &session->receivers[k];

    if (!r->joined)
      continue;
    if (packet->control) {
      lmcc_receiver_handle_control (r->receiver, world->now, &session->source,
          40000, packet->packet->data, packet->packet->size);
    } else {
      r->bytes += packet->size;
      lmcc_receiver_handle_packet (r->receiver, world->now, world->now, 0,
          &session->source, 40000, lmcc_packet_ref (packet->packet));
    }
    drain_receiver (world, session, r);
  }
}

static void
pass_on (TestSingle * world)
{
  TestLinkPacket packet;

  while (test_link_next_arrival (&world->link) <= world->now) {
    if (!test_link_take (&world->link, &packet))
      continue;
    if (packet.flow == TCP_FLOW) {
      world->tcp_bytes += packet.size;
      packet.size = TEST_TCP_ACK;
      test_link_submit (&world->tcp_back, &packet, world->now, NULL);
      continue;
    }
    receive (world, &packet);
    lmcc_packet_unref (packet.packet);
  }
}

static void
run_tcp (TestSingle * world)
{
  TestLinkPacket packet;

  if (world->tcp == NULL)
    return;
  while (test_link_next_arrival (&world->tcp_back) <= world->now) {
    test_link_take (&world->tcp_back, &packet);
    test_tcp_handle_ack (world->tcp, world->now, packet.sequence);
  }
  test_tcp_handle_timeout (world->tcp, world->now);
  packet = (TestLinkPacket) {
  .size = TEST_SINGLE_PACKET,.flow = TCP_FLOW};
  while (test_tcp_poll (world->tcp, world->now, &packet.sequence))
    test_link_submit (&world->link, &packet, world->now, NULL);
}

static void
run_receiver (TestSingle * world, TestSingleSession * session,
    TestSingleReceiver * r)
{
  TestLinkPacket packet;

  if (lmcc_receiver_next_timeout (r->receiver) <= world->now) {
    lmcc_receiver_handle_timeout (r->receiver, world->now);
    fail_unless (lmcc_receiver_next_timeout (r->receiver) > world->now);
  }
  drain_receiver (world, session, r);
  while (test_link_next_arrival (&r->back) <= world->now) {
    test_link_take (&r->back, &packet);
    lmcc_sender_handle_control (session->sender, world->now, &r->address,
        40001, packet.packet->data, packet.packet->size);
    lmcc_packet_unref (packet.packet);
  }
}

static void
run_session (TestSingle * world, guint index)
{
  TestSingleSession *session = &world->sessions[index];
  guint k;

  run_encoder (session, world->now);
  for (k = 0; k < session->n_receivers; k++)
    run_receiver (world, session, &session->receivers[k]);
  drain_sender (world, index);
  if (lmcc_sender_next_timeout (session->sender) <= world->now) {
    lmcc_sender_handle_timeout (session->sender, world->now);
    drain_sender (world, index);
    fail_unless (lmcc_sender_next_timeout (session->sender) > world->now);
  }
}

void
test_single_run_ms (TestSingle * world, guint ms)
{
  LmccTime end = world->now + ms * LMCC_MSECOND;
  guint i;

  for (; world->now < end; world->now += STEP) {
    run_tcp (world);
    pass_on (world);
    for (i = 0; i < world->n_sessions; i++)
      run_session (world, i);
  }
}

void
test_single_run (TestSingle * world, guint seconds)
{
  test_single_run_ms (world, 1000 * seconds);
}

/* What a session sends, in bit/s. */
gdouble
test_single_measure (TestSingle * world, TestSingleSession * session,
    guint seconds)
{
  guint64 before = session->bytes;

  test_single_run (world, seconds);

  return 8.0 * (gdouble) (session->bytes - before) / seconds;
}

const LmccSingleRateStats *
test_single_get_stats (const TestSingleSession * session)
{
  return &lmcc_sender_get_stats (session->sender)->single;
}
