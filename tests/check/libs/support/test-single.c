/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-single.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

#define FRAME_TIME (40 * LMCC_MSECOND)
#define KEY_INTERVAL 250
#define AGE_LIMIT (500 * LMCC_MSECOND)
#define MIN_RATE 64000
#define MAX_RATE 3000000

const gchar *const test_single_algorithms[TEST_SINGLE_ALGORITHMS] = { "pgmcc",
  "tfmcc" };

const TestLinkSettings test_single_narrow = { .rate = 1000000,
  .delay = 25 * LMCC_MSECOND,
  .queue_packets = 20 };

TestSingleSession *
test_single_add_session_with (TestWorld *world, const gchar *algorithm,
    const gchar *sound)
{
  TestSingleSession *session = test_world_add_session (world);
  guint index = session->base.index;
  LmccSenderConfig config = { 0 };
  g_autofree gchar *source = g_strdup_printf ("10.0.%u.1", index + 1);
  g_autofree gchar *group = g_strdup_printf ("239.255.66.%u", index + 1);

  session->ssrc_base = 0x12345000u + 0x1000u * index;
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
  config.sequence_seed = 65500 + index;
  config.ntp_offset = G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND;
  config.mtu = 1400;
  session->sender = lmcc_sender_new (&config, world->now, NULL);
  /* Different cameras do not take their pictures at the same moments. */
  session->next_frame = world->now + index * 17 * LMCC_MSECOND;
  session->key_wanted = TRUE;
  session->encoder_rate = MIN_RATE;
  return session;
}

TestSingleSession *
test_single_add_session (TestWorld *world, const gchar *algorithm)
{
  return test_single_add_session_with (world, algorithm, "");
}

TestSingleReceiver *
test_single_add_receiver (TestSingleSession *session, LmccTime extra)
{
  TestSingleReceiver *r =
      test_world_add_receiver (&session->base, 0, NULL, extra);
  guint number = r->base.index + 1;
  g_autofree gchar *address = g_strdup_printf ("10.1.0.%u", number);
  LmccReceiverConfig config = { .algorithm = "auto",
    .max_level = -1,
    .latency = LMCC_DEFAULT_LATENCY,
    .sequence_seed = 7919 * number };

  config.address = session->group;
  lmcc_address_parse (address, &r->address);
  r->receiver = lmcc_receiver_new (&config);
  lmcc_receiver_start (r->receiver, session->base.world->now);

  return r;
}

/* The encoder: no other frame depends on every second frame. */

static void
push_frame (TestSingleSession *session, LmccTime now)
{
  gsize size =
      TEST_SINGLE_PACKET - TEST_WORLD_IP_OVERHEAD - LMCC_RTP_OVERHEAD - 16;
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
run_encoder (TestWorldSession *base)
{
  TestSingleSession *session = (TestSingleSession *) base;
  LmccTime now = base->world->now;
  gdouble rate = session->fixed_rate;

  if (now < session->next_frame)
    return;
  if (rate == 0)
    rate = (gdouble) lmcc_sender_get_estimated_bitrate (session->sender);
  session->encoder_rate = CLAMP (rate, MIN_RATE, MAX_RATE);
  push_frame (session, now);
  session->next_frame += FRAME_TIME;
}

/* Checks that sent frames are recent and that no frame that they refer to
 * was dropped. */
static void
check_sent (TestSingleSession *session, const LmccPacket *packet, LmccTime now)
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
            || frame.reference == session->whole,
        "frame %u needs %u, not %u", frame.number, frame.reference,
        session->whole);
  if (header.last && header.klass == 0)
    session->whole = frame.number;
  session->sent_of_class[header.klass]++;
}

static void
drain_sender (TestSingleSession *session)
{
  LmccSenderAction action;

  while (lmcc_sender_poll_action (session->sender, &action)) {
    TestLinkPacket content = { 0 };

    if (action.type == LMCC_SENDER_ACTION_REQUEST_KEY_UNIT)
      session->key_wanted = TRUE;
    if (action.packet == NULL)
      continue;
    content.size = action.packet->size + TEST_WORLD_IP_OVERHEAD;
    content.control = action.type == LMCC_SENDER_ACTION_SEND_CONTROL;
    if (!content.control)
      check_sent (session, action.packet, session->base.world->now);
    test_world_send (&session->base, action.packet, &content);
  }
}

static void
run_sender (TestWorldSession *base)
{
  TestSingleSession *session = (TestSingleSession *) base;
  LmccTime now = base->world->now;

  drain_sender (session);
  if (lmcc_sender_next_timeout (session->sender) <= now) {
    lmcc_sender_handle_timeout (session->sender, now);
    drain_sender (session);
    fail_unless (lmcc_sender_next_timeout (session->sender) > now);
  }
}

static void
drain_receiver (TestSingleReceiver *r)
{
  const TestSingleSession *session = (TestSingleSession *) r->base.session;
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (r->receiver, &action)) {
    if (action.type == LMCC_RECEIVER_ACTION_JOIN)
      r->joined = TRUE;
    else if (action.type == LMCC_RECEIVER_ACTION_LEAVE)
      r->joined = FALSE;
    else if (action.type == LMCC_RECEIVER_ACTION_DELIVER)
      r->delivered++;
    if (action.type == LMCC_RECEIVER_ACTION_REPORT) {
      fail_unless (lmcc_address_equal (&action.destination, &session->source));
      fail_unless_equals_int (action.port, TEST_SINGLE_PORT);
      test_world_report (&r->base, g_steal_pointer (&action.packet));
    }
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
}

static void
receive (TestWorldReceiver *base, const TestLinkPacket *packet)
{
  TestSingleReceiver *r = (TestSingleReceiver *) base;
  const TestSingleSession *session = (TestSingleSession *) base->session;
  LmccTime now = base->session->world->now;

  if (!r->joined)
    return;
  if (packet->control) {
    lmcc_receiver_handle_control (r->receiver, now, &session->source, 40000,
        packet->packet->data, packet->packet->size);
  } else {
    base->bytes += packet->size;
    lmcc_receiver_handle_packet (r->receiver, now, now, 0, &session->source,
        40000, lmcc_packet_ref (packet->packet));
  }
  drain_receiver (r);
}

static void
run_receiver (TestWorldReceiver *base)
{
  TestSingleReceiver *r = (TestSingleReceiver *) base;
  LmccTime now = base->session->world->now;

  if (lmcc_receiver_next_timeout (r->receiver) <= now) {
    lmcc_receiver_handle_timeout (r->receiver, now);
    fail_unless (lmcc_receiver_next_timeout (r->receiver) > now);
  }
  drain_receiver (r);
}

static void
take_report (TestWorldReceiver *base, const LmccPacket *packet)
{
  const TestSingleSession *session = (TestSingleSession *) base->session;

  lmcc_sender_handle_control (session->sender, base->session->world->now,
      &((TestSingleReceiver *) base)->address, 40001, packet->data,
      packet->size);
}

static void
clear_receiver (TestWorldReceiver *base)
{
  lmcc_receiver_free (((TestSingleReceiver *) base)->receiver);
}

static void
clear_session (TestWorldSession *base)
{
  lmcc_sender_free (((TestSingleSession *) base)->sender);
}

static const TestWorldClass single_class = {
  .session_size = sizeof (TestSingleSession),
  .receiver_size = sizeof (TestSingleReceiver),
  .segment = TEST_SINGLE_PACKET,
  .back_delay = 25 * LMCC_MSECOND,
  .prepare = run_encoder,
  .finish = run_sender,
  .receive = receive,
  .run_receiver = run_receiver,
  .take_report = take_report,
  .clear_session = clear_session,
  .clear_receiver = clear_receiver,
};

/* A world with one link. */
TestWorld *
test_single_new (const TestLinkSettings *settings)
{
  TestWorld *world = test_world_new (&single_class);

  test_world_add_link (world, settings);

  return world;
}

void
test_single_run (TestWorld *world, guint seconds)
{
  test_world_run (world, seconds * LMCC_SECOND);
}

/* Media rate of a session, in bit/s. */
gdouble
test_single_measure (TestSingleSession *session, guint seconds)
{
  return test_world_measure (&session->base, seconds * LMCC_SECOND);
}

const LmccSingleRateStats *
test_single_get_stats (const TestSingleSession *session)
{
  return &lmcc_sender_get_stats (session->sender)->single;
}
