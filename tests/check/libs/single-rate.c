/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sessions with one rate for all receivers, through the public senders and
 * receivers, over a link in virtual time, in steps of 1 ms: beside each other,
 * beside TCP, with receivers that leave, return and lie. The encoder is a model
 * that follows the estimate.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <string.h>

#include "test-link.h"
#include "test-tcp.h"

#define STEP LMCC_MSECOND
#define START (100 * LMCC_SECOND)
#define PACKET 1000             /* IP packet */
#define IP_OVERHEAD 28
#define PORT 5005
#define MAX_SESSIONS 2
#define MAX_RECEIVERS 4
#define TCP_FLOW 8
#define FRAME_TIME (40 * LMCC_MSECOND)
#define KEY_INTERVAL 250
#define AGE_LIMIT (500 * LMCC_MSECOND)
#define MIN_RATE 64000
#define MAX_RATE 3000000

/* What the payload of a packet begins with. */
typedef struct
{
  LmccTime decoding_time;
  guint32 number;
  guint32 reference;            /* of class 0; its own number: none */
} Frame;

typedef struct
{
  LmccReceiver *receiver;
  LmccAddress address;
  gboolean joined;
  TestLink back;
  guint64 bytes;
  guint64 delivered;
  guint64 reports;
} Receiver;

typedef struct
{
  LmccSender *sender;
  guint32 ssrc_base;
  LmccAddress group;
  LmccAddress source;
  LmccTime next_frame;
  guint32 n_frames;
  guint32 reference;
  gboolean key_wanted;
  gdouble fixed_rate;           /* of the encoder; 0: it follows the estimate */
  gdouble encoder_rate;
  guint64 bytes;
  guint32 whole;                /* the latest class-0 frame that left whole */
  guint64 sent_of_class[2];
  LmccTime oldest;
  guint16 lsn;                  /* of the latest packet */
  Receiver receivers[MAX_RECEIVERS];
  guint n_receivers;
} Session;

typedef struct
{
  LmccTime now;
  TestLink link;
  Session sessions[MAX_SESSIONS];
  guint n_sessions;
  TestTcp *tcp;
  TestLink tcp_back;
  guint64 tcp_bytes;
} World;

static const TestLinkSettings narrow = {
  .rate = 1000000,.delay = 25 * LMCC_MSECOND,.queue_packets = 20
};

static const TestLinkSettings back = {.delay = 25 * LMCC_MSECOND };

static World *
world_new (const TestLinkSettings * settings)
{
  World *world = g_new0 (World, 1);

  world->now = START;
  test_link_init (&world->link, settings, 1);

  return world;
}

static Session *
add_session_with (World * world, const gchar * algorithm, const gchar * sound)
{
  Session *session = &world->sessions[world->n_sessions];
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
  config.session.packet_size = PACKET;
  config.session.feedback_interval = LMCC_DEFAULT_FEEDBACK_INTERVAL;
  config.session.feedback_port = PORT;
  g_strlcpy (config.session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  g_strlcpy (config.session.algorithm, algorithm,
      sizeof (config.session.algorithm));
  config.cname = "test";
  config.sequence_seed = 65500 + world->n_sessions;
  config.ntp_offset = G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND;
  config.mtu = 1400;
  session->sender = lmcc_sender_new (&config, world->now);
  /* Cameras do not take their pictures at the same moments. */
  session->next_frame = world->now + world->n_sessions * 17 * LMCC_MSECOND;
  session->key_wanted = TRUE;
  session->encoder_rate = MIN_RATE;
  world->n_sessions++;

  return session;
}

static Session *
add_session (World * world, const gchar * algorithm)
{
  return add_session_with (world, algorithm, "");
}

static Receiver *
add_receiver (World * world, Session * session, LmccTime extra)
{
  Receiver *r = &session->receivers[session->n_receivers++];
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

static void
start_tcp (World * world)
{
  world->tcp = g_new0 (TestTcp, 1);
  test_tcp_init (world->tcp);
  test_tcp_start (world->tcp);
  test_link_init (&world->tcp_back, &back, 1);
}

static void
world_free (World * world)
{
  guint i, k;

  for (i = 0; i < world->n_sessions; i++) {
    Session *session = &world->sessions[i];

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
push_frame (Session * session, LmccTime now)
{
  gsize size = PACKET - IP_OVERHEAD - LMCC_RTP_OVERHEAD - 16;
  LmccUnit *unit = lmcc_unit_new ();
  guint32 number = session->n_frames++;
  gboolean key = session->key_wanted || number % KEY_INTERVAL == 0;
  Frame frame = { now, number, session->reference };
  guint n, i;

  unit->klass = key || number % 2 == 0 ? 0 : 1;
  unit->switch_point = key || unit->klass == 1;
  unit->decoding_time = unit->presentation_time = now;
  if (key)
    frame.reference = number;
  if (unit->klass == 0)
    session->reference = number;
  session->key_wanted = FALSE;
  n = (guint) (session->encoder_rate / 8 * FRAME_TIME / LMCC_SECOND / size +
      0.5);
  for (i = 0; i < MAX (n, 1); i++) {
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
run_encoder (Session * session, LmccTime now)
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
check_sent (Session * session, const LmccPacket * packet, LmccTime now)
{
  LmccRtp rtp;
  LmccHeader header;
  Frame frame;

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
drain_sender (World * world, guint index)
{
  Session *session = &world->sessions[index];
  LmccSenderAction action;

  while (lmcc_sender_poll_action (session->sender, &action)) {
    TestLinkPacket packet = {.packet = action.packet,.flow = index };

    if (action.type == LMCC_SENDER_ACTION_REQUEST_KEY_UNIT)
      session->key_wanted = TRUE;
    if (action.packet == NULL)
      continue;
    packet.size = action.packet->size + IP_OVERHEAD;
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
drain_receiver (World * world, const Session * session, Receiver * r)
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
            action.packet->size + IP_OVERHEAD
      };

      fail_unless (lmcc_address_equal (&action.destination, &session->source));
      fail_unless_equals_int (action.port, PORT);
      r->reports++;
      test_link_submit (&r->back, &packet, world->now, NULL);
    }
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
}

static void
receive (World * world, const TestLinkPacket * packet)
{
  Session *session = &world->sessions[packet->flow];
  guint k;

  for (k = 0; k < session->n_receivers; k++) {
    Receiver *r = &session->receivers[k];

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
pass_on (World * world)
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
run_tcp (World * world)
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
  .size = PACKET,.flow = TCP_FLOW};
  while (test_tcp_poll (world->tcp, world->now, &packet.sequence))
    test_link_submit (&world->link, &packet, world->now, NULL);
}

static void
run_receiver (World * world, Session * session, Receiver * r)
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
run_session (World * world, guint index)
{
  Session *session = &world->sessions[index];
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

static void
run_ms (World * world, guint ms)
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

static void
run (World * world, guint seconds)
{
  run_ms (world, 1000 * seconds);
}

/* What a session sends, in bit/s. */
static gdouble
measure (World * world, Session * session, guint seconds)
{
  guint64 before = session->bytes;

  run (world, seconds);

  return 8.0 * (gdouble) (session->bytes - before) / seconds;
}

static const LmccSingleRateStats *
stats_of (const Session * session)
{
  return &lmcc_sender_get_stats (session->sender)->single;
}

static gdouble
fairness (gdouble a, gdouble b)
{
  return (a + b) * (a + b) / (2 * (a * a + b * b));
}

static const gchar *const algorithms[] = { "pgmcc", "tfmcc" };

GST_START_TEST (an_encoder_fills_the_link)
{
  World *world = world_new (&narrow);
  Session *session = add_session (world, algorithms[__i__]);
  Receiver *r = add_receiver (world, session, 0);
  LmccReceiverStats stats;
  gdouble rate;

  add_receiver (world, session, 10 * LMCC_MSECOND);
  run (world, 30);
  rate = measure (world, session, 60);
  GST_INFO ("%s: %.0f bit/s, oldest %.0f ms", algorithms[__i__], rate,
      session->oldest / (gdouble) LMCC_MSECOND);
  fail_unless (rate > 0.6 * 1000000 && rate < 1000000, "%f", rate);
  fail_unless (stats_of (session)->has_leader);
  fail_unless (r->delivered > 0);
  lmcc_receiver_get_stats (r->receiver, world->now, &stats);
  fail_unless_equals_string (stats.algorithm, algorithms[__i__]);
  fail_unless (stats.status.has_leader);
  fail_unless (stats.status.leader == stats_of (session)->leader);
  fail_unless (stats.rtt >= 50 * LMCC_MSECOND
      && stats.rtt < 400 * LMCC_MSECOND, "%g", stats.rtt / 1e9);
  fail_unless (stats.status.loss_event_rate < 0.1);
  world_free (world);
}

GST_END_TEST;

GST_START_TEST (two_sessions_share_a_link)
{
  World *world = world_new (&narrow);
  Session *a = add_session (world, algorithms[__i__]);
  Session *b;
  guint64 first, second;

  add_receiver (world, a, 0);
  run (world, 20);
  b = add_session (world, algorithms[__i__]);
  add_receiver (world, b, 0);
  run (world, 60);
  first = a->bytes;
  second = b->bytes;
  run (world, 120);
  first = a->bytes - first;
  second = b->bytes - second;
  GST_INFO ("%s: %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT " bit/s",
      algorithms[__i__], first * 8 / 120, second * 8 / 120);
  fail_unless (fairness (first, second) >= 0.9, "%f", fairness (first, second));
  fail_unless ((first + second) * 8 / 120 > 0.6 * 1000000);
  world_free (world);
}

GST_END_TEST;

/* RFC 5348 section 1: within a factor of two of TCP. The encoder stays below
 * what it may send, and so leaves more. */
GST_START_TEST (tcp_beside_a_session_has_its_share)
{
  World *world = world_new (&narrow);
  Session *session = add_session (world, algorithms[__i__]);
  gdouble rate, tcp;

  add_receiver (world, session, 0);
  run (world, 20);
  start_tcp (world);
  run (world, 40);
  world->tcp_bytes = 0;
  rate = measure (world, session, 120);
  tcp = 8.0 * (gdouble) world->tcp_bytes / 120;
  GST_INFO ("%s: %.0f bit/s, TCP %.0f", algorithms[__i__], rate, tcp);
  fail_unless (rate < 2 * tcp && tcp < 5 * rate, "%f, TCP %f", rate, tcp);
  world_free (world);
}

GST_END_TEST;

/* Nobody is there for a while; then somebody is. */
GST_START_TEST (a_session_waits_for_receivers_and_goes_on)
{
  World *world = world_new (&narrow);
  Session *session = add_session (world, algorithms[__i__]);
  Receiver *r = add_receiver (world, session, 0);
  gdouble before, alone, after;
  guint64 delivered;

  run (world, 20);
  before = measure (world, session, 10);
  lmcc_receiver_stop (r->receiver, world->now);
  run (world, 30);
  alone = measure (world, session, 10);
  delivered = r->delivered;
  lmcc_receiver_start (r->receiver, world->now);
  run (world, 20);
  after = measure (world, session, 10);
  GST_INFO ("%s: %.0f, alone %.0f, after %.0f bit/s, %" G_GUINT64_FORMAT
      " stalls", algorithms[__i__], before, alone, after,
      stats_of (session)->stalls);
  fail_unless (alone < before / 10, "%f", alone);
  fail_unless (after > before / 2, "%f after %f", after, before);
  fail_unless (r->delivered > delivered);
  fail_unless (stats_of (session)->units_expired > 0);
  if (g_str_equal (algorithms[__i__], "pgmcc"))
    fail_unless (stats_of (session)->stalls >= 2);
  world_free (world);
}

GST_END_TEST;

/* The encoder does not follow: what it makes is half too much. Of the frames
 * that nobody needs less leave. */
GST_START_TEST (the_least_important_frames_go_first)
{
  World *world = world_new (&narrow);
  Session *session = add_session (world, "pgmcc");
  const LmccSenderStats *stats;

  session->fixed_rate = 1300000;
  add_receiver (world, session, 0);
  run (world, 60);
  stats = lmcc_sender_get_stats (session->sender);
  GST_INFO ("sent %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT ", dropped %"
      G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT,
      session->sent_of_class[0], session->sent_of_class[1],
      stats->units_dropped[0], stats->units_dropped[1]);
  fail_unless (session->sent_of_class[0] > session->sent_of_class[1]);
  fail_unless (stats->units_dropped[1] > stats->units_dropped[0]);
  world_free (world);
}

GST_END_TEST;

/* Until the encoder makes what the link carries, in ms; the limit if never. */
static guint
time_to_follow (World * world, const Session * session, gdouble least,
    gdouble most, guint limit)
{
  guint ms;

  for (ms = 0; ms < limit; ms += 10) {
    if (session->encoder_rate >= least && session->encoder_rate <= most)
      break;
    run_ms (world, 10);
  }

  return ms;
}

GST_START_TEST (the_encoder_follows_a_link_that_changes)
{
  TestLinkSettings settings = narrow;
  World *world;
  Session *session;
  guint down, up;

  settings.rate = 2000000;
  settings.queue_packets = 30;
  world = world_new (&settings);
  session = add_session (world, "pgmcc");
  add_receiver (world, session, 0);
  run (world, 20);
  world->link.settings.rate = 500000;
  down = time_to_follow (world, session, 0, 500000, 10000);
  run (world, 20);
  world->link.settings.rate = 2000000;
  up = time_to_follow (world, session, 1000000, 2000000, 20000);
  GST_INFO ("down in %u ms, up in %u ms", down, up);
  fail_unless (down <= 3000, "%u", down);
  fail_unless (up <= 5000, "%u", up);
  world_free (world);
}

GST_END_TEST;

/* Liars */

static void
lie (World * world, Session * session, const gchar * from, guint16 port,
    const LmccPgmccReport * report)
{
  g_autoptr (LmccPacket) packet = lmcc_pgmcc_report_build (report);
  LmccAddress address;

  lmcc_address_parse (from, &address);
  lmcc_sender_handle_control (session->sender, world->now, &address, port,
      packet->data, packet->size);
}

GST_START_TEST (forged_acknowledgements_are_not_taken)
{
  World *world = world_new (&narrow);
  Session *session = add_session (world, "pgmcc");
  gdouble before, during;
  guint32 acker;
  guint i;

  add_receiver (world, session, 0);
  run (world, 20);
  before = measure (world, session, 20);
  acker = stats_of (session)->leader;
  during = (gdouble) session->bytes;
  for (i = 0; i < 20 * 50; i++) {
    LmccPgmccReport report = {.ssrc = acker,.ssrc_base =
          session->ssrc_base,.is_ack = TRUE,.lead =
          session->lsn,.bitmap = G_MAXUINT32
    };

    report.echoed_time = lmcc_time_to_ntp_short (world->now +
        G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND);
    lie (world, session, "10.66.0.1", 40001, &report);
    lie (world, session, "10.1.0.1", 40002, &report);
    run_ms (world, 20);
  }
  during = 8.0 * ((gdouble) session->bytes - during) / 20;
  fail_unless_equals_uint64 (stats_of (session)->reports_foreign, 2000);
  fail_unless (stats_of (session)->leader == acker);
  fail_unless (during < 1.2 * before && during > 0.8 * before, "%f after %f",
      during, before);
  world_free (world);
}

GST_END_TEST;

/* It says that it loses everything, and is silent once it is the acker; then
 * it floods. The session does not end, and does not go faster than the link. */
GST_START_TEST (liars_do_not_end_a_session)
{
  World *world = world_new (&narrow);
  Session *session = add_session (world, "pgmcc");
  gdouble rate;
  guint64 delivered;
  guint i;

  add_receiver (world, session, 0);
  run (world, 20);
  for (i = 0; i < 200; i++) {
    LmccPgmccReport report = {.ssrc = 666,.ssrc_base =
          session->ssrc_base,.loss = i < 2 ? G_MAXUINT16 : 0,.lead =
          session->lsn
    };

    report.echoed_time = lmcc_time_to_ntp_short (world->now - LMCC_SECOND / 10 +
        G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND);
    lie (world, session, "10.66.0.1", 40001, &report);
    report.ssrc = 1000 + i;
    report.echoed_time += 65536 * (i % 2 ? 1 : -100);
    lie (world, session, "10.66.0.1", 40001, &report);
    if (i == 0)
      fail_unless_equals_int (stats_of (session)->leader, 666);
    run_ms (world, i < 2 ? 10 : 1);
  }
  fail_unless (stats_of (session)->reports_refused >= 200);
  fail_unless (stats_of (session)->switches <= 200);
  delivered = session->receivers[0].delivered;
  run (world, 20);
  rate = measure (world, session, 20);
  fail_unless (session->receivers[0].delivered > delivered);
  fail_unless (rate > 400000 && rate < 1000000, "%f", rate);
  world_free (world);
}

GST_END_TEST;

GST_START_TEST (a_session_that_is_not_fit_is_refused)
{
  LmccSession session;
  g_autoptr (GError) error = NULL;

  lmcc_session_init (&session);
  g_strlcpy (session.algorithm, algorithms[__i__], sizeof (session.algorithm));
  session.native = TRUE;
  session.n_rungs = 1;
  session.feedback_interval = LMCC_SECOND;
  fail_unless (lmcc_session_has_single_rate (&session));
  fail_unless (lmcc_session_fit_algorithm (&session, 0, 0, &error));
  session.n_rungs = 2;
  fail_if (lmcc_session_fit_algorithm (&session, 0, 0, &error));
  fail_unless (strstr (error->message, "rungs") != NULL);
  g_clear_error (&error);
  session.n_rungs = 1;
  session.feedback_interval = 0;
  fail_if (lmcc_session_fit_algorithm (&session, 0, 0, &error));
  fail_unless (strstr (error->message, "reports") != NULL);
  g_clear_error (&error);
  session.feedback_interval = LMCC_SECOND;
  session.repair = 100;
  fail_if (lmcc_session_fit_algorithm (&session, 0, 0, &error));
  fail_unless (strstr (error->message, "repair") != NULL);
  g_clear_error (&error);
  session.repair = 0;
  session.native = FALSE;
  fail_if (lmcc_session_fit_algorithm (&session, 0, 0, &error));
  fail_unless (strstr (error->message, "scheme") != NULL);
}

GST_END_TEST;

/* What leaves of a unit of one packet with so much payload, in bytes; 0 if it
 * is refused. */
static gsize
send_packet_of (const gchar * algorithm, gsize payload)
{
  World *world = world_new (&narrow);
  LmccSender *sender = add_session (world, algorithm)->sender;
  LmccUnit *unit = lmcc_unit_new ();
  LmccPacket *packet = lmcc_packet_new (LMCC_RTP_HEADER_SIZE + payload);
  LmccSenderAction action;
  gsize size = 0;

  packet->size = LMCC_RTP_HEADER_SIZE + payload;
  memset (packet->data, 0, packet->size);
  packet->data[0] = 0x80;
  packet->data[1] = LMCC_DEFAULT_PAYLOAD_TYPE;
  g_ptr_array_add (unit->packets, packet);
  unit->switch_point = TRUE;
  unit->decoding_time = unit->presentation_time = world->now;
  lmcc_sender_push_unit (sender, unit, world->now);
  /* Filler comes later. */
  lmcc_sender_handle_timeout (sender,
      world->now + LMCC_FILLER_INTERVAL - LMCC_MSECOND);
  while (lmcc_sender_poll_action (sender, &action)) {
    if (action.type == LMCC_SENDER_ACTION_SEND)
      size = MAX (size, action.packet->size);
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
  world_free (world);

  return size;
}

/* Receivers do not take larger packets. */
GST_START_TEST (the_element_has_its_room_in_the_largest_packet)
{
  gsize payload, size, largest = 0;

  for (payload = LMCC_MAX_PACKET_SIZE - 64; payload < LMCC_MAX_PACKET_SIZE;
      payload++) {
    size = send_packet_of (algorithms[__i__], payload);
    fail_unless (size <= LMCC_MAX_PACKET_SIZE, "%" G_GSIZE_FORMAT, size);
    largest = MAX (largest, size);
  }
  fail_unless_equals_int (largest, LMCC_MAX_PACKET_SIZE);
}

GST_END_TEST;

/* What a packet says goes for itself, not for one of the base that comes
 * later. */
GST_START_TEST (an_element_is_of_its_own_packet)
{
  const LmccAlgorithm *pgmcc = lmcc_algorithm_find ("pgmcc");
  const LmccPgmccElement element = {.has_acker = TRUE,.acker = 4711 };
  LmccControllerStatus status = { 0 };
  LmccHeader header = {.layer = 1,.top_layer = 1 };
  guint8 data[LMCC_PGMCC_ELEMENT_SIZE];
  LmccController *controller;
  LmccSession session;

  lmcc_session_init (&session);
  lmcc_pgmcc_element_write (&element, data);
  controller = pgmcc->create (&session, NULL, 1);
  controller->klass->on_second_element (controller, data, sizeof (data));
  controller->klass->on_packet (controller, START, START, &header, PACKET);
  header.layer = 0;
  controller->klass->on_packet (controller, START, START, &header, PACKET);
  controller->klass->get_status (controller, START, &status);
  fail_if (status.has_leader);
  controller->klass->on_second_element (controller, data, sizeof (data));
  header.lsn++;
  controller->klass->on_packet (controller, START, START, &header, PACKET);
  controller->klass->get_status (controller, START, &status);
  fail_unless (status.has_leader);
  fail_unless_equals_int (status.leader, 4711);
  controller->klass->free (controller);
}

GST_END_TEST;

/* How many reports a receiver sends that is asked for one. */
static guint
count_reports (LmccTime feedback_interval)
{
  const LmccPgmccElement element = {.elicit = TRUE,.nak_wait =
        LMCC_PGMCC_NAK_WAIT
  };
  LmccReceiverConfig config = {.algorithm = "auto",.max_level = -1,.latency =
        LMCC_DEFAULT_LATENCY
  };
  g_autoptr (LmccReceiver) receiver = NULL;
  LmccReceiverAction action;
  LmccSession session;
  LmccHeader header = {.first = TRUE,.last = TRUE,.switch_point = TRUE,
    .signal = LMCC_SIGNAL_NOBODY
  };
  LmccRtp rtp = {.payload_type = LMCC_DEFAULT_PAYLOAD_TYPE,.payload_size = 10 };
  guint8 data[LMCC_PGMCC_ELEMENT_SIZE];
  guint n = 0;

  lmcc_session_init (&session);
  lmcc_address_parse ("239.255.66.1", &session.address);
  lmcc_address_parse ("10.0.0.1", &session.source);
  session.port = 5004;
  session.ssrc_base = 0x12345000u;
  session.video.clock_rate = 90000;
  session.feedback_port = PORT;
  session.feedback_interval = feedback_interval;
  g_strlcpy (session.video.encoding_name, "H264", LMCC_ENCODING_NAME_SIZE);
  g_strlcpy (session.algorithm, "pgmcc", sizeof (session.algorithm));
  config.address = session.address;
  config.session = &session;
  receiver = lmcc_receiver_new (&config);
  lmcc_receiver_start (receiver, START);
  lmcc_pgmcc_element_write (&element, data);
  rtp.ssrc = session.ssrc_base;
  rtp.second = data;
  rtp.second_size = sizeof (data);
  lmcc_receiver_handle_packet (receiver, START, START, 0, &session.source,
      40000, lmcc_rtp_build (&rtp, &header, LMCC_HEADER_DEFAULT_ID,
          (const guint8 *) "0123456789"));
  lmcc_receiver_handle_timeout (receiver, START + LMCC_PGMCC_NAK_WAIT);
  while (lmcc_receiver_poll_action (receiver, &action)) {
    if (action.type == LMCC_RECEIVER_ACTION_REPORT)
      n++;
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }

  return n;
}

GST_START_TEST (who_takes_no_reports_gets_none)
{
  fail_unless_equals_int (count_reports (LMCC_SECOND), 1);
  fail_unless_equals_int (count_reports (0), 0);
}

GST_END_TEST;

static void
push_sound (LmccSender * sender, LmccTime now)
{
  LmccUnit *unit = lmcc_unit_new ();
  LmccPacket *packet = lmcc_packet_new (LMCC_RTP_HEADER_SIZE + 1);

  packet->size = LMCC_RTP_HEADER_SIZE + 1;
  memset (packet->data, 0, packet->size);
  packet->data[0] = 0x80;
  g_ptr_array_add (unit->packets, packet);
  unit->stream = LMCC_STREAM_SOUND;
  unit->decoding_time = unit->presentation_time = now;
  lmcc_sender_push_unit (sender, unit, now);
}

GST_START_TEST (sound_that_has_no_room_is_counted_as_such)
{
  World *world = world_new (&narrow);
  LmccSender *sender = add_session_with (world, "tfmcc", "OPUS")->sender;
  const LmccSenderStats *stats;
  guint i;

  for (i = 0; i < 5000; i++)
    push_sound (sender, world->now);
  stats = lmcc_sender_get_stats (sender);
  fail_unless_equals_uint64 (stats->single.sound_dropped +
      stats->layers[0].queued + stats->layers[0].packets, 5000);
  fail_unless (stats->single.sound_dropped > 0);
  fail_unless_equals_uint64 (stats->units_dropped[0], 0);
  world_free (world);
}

GST_END_TEST;

static Suite *
single_rate_suite (void)
{
  Suite *suite = suite_create ("single-rate");
  TCase *tcase = tcase_create ("general");
  gint n = G_N_ELEMENTS (algorithms);

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_loop_test (tcase, an_encoder_fills_the_link, 0, n);
  tcase_add_loop_test (tcase, two_sessions_share_a_link, 0, n);
  tcase_add_loop_test (tcase, tcp_beside_a_session_has_its_share, 0, n);
  tcase_add_loop_test (tcase, a_session_waits_for_receivers_and_goes_on, 0, n);
  tcase_add_test (tcase, the_least_important_frames_go_first);
  tcase_add_test (tcase, the_encoder_follows_a_link_that_changes);
  tcase_add_test (tcase, forged_acknowledgements_are_not_taken);
  tcase_add_test (tcase, liars_do_not_end_a_session);
  tcase_add_loop_test (tcase, a_session_that_is_not_fit_is_refused, 0, n);
  tcase_add_test (tcase, sound_that_has_no_room_is_counted_as_such);
  tcase_add_test (tcase, an_element_is_of_its_own_packet);
  tcase_add_test (tcase, who_takes_no_reports_gets_none);
  tcase_add_loop_test (tcase, the_element_has_its_room_in_the_largest_packet, 0,
      n);

  return suite;
}

GST_CHECK_MAIN (single_rate);
