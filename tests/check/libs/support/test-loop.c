/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-loop-private.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/key-request.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

/* Largest number of calls at one time; a call handles 64 packets. */
#define MOST_AT_ONCE 200

guint
test_network_cut (TestLoop *loop G_GNUC_UNUSED, guint receiver G_GNUC_UNUSED,
    const LmccPacket *packet G_GNUC_UNUSED, guint group G_GNUC_UNUSED,
    gboolean control G_GNUC_UNUSED, LmccTime *extra_delay G_GNUC_UNUSED,
    gpointer user_data)
{
  const gboolean *is_cut = user_data;

  return *is_cut ? 0 : 1;
}

TestLoop *
test_loop_new (guint n_rungs, gboolean b_pictures)
{
  TestLoop *loop = g_new0 (TestLoop, 1);

  loop->n_rungs = n_rungs;
  loop->b_pictures = b_pictures;
  loop->packet_size = 1000;
  loop->window = LMCC_DEFAULT_WINDOW;
  loop->latency = LMCC_DEFAULT_LATENCY;
  loop->now = TEST_START;
  loop->random = g_rand_new_with_seed (20040101);
  lmcc_address_parse ("10.0.0.1", &loop->sender_address);

  return loop;
}

static void
in_flight_free (TestInFlight *in_flight)
{
  lmcc_packet_unref (in_flight->packet);
  g_free (in_flight);
}

void
test_loop_free (TestLoop *loop)
{
  guint i;

  test_loop_kill_sender (loop);
  for (i = 0; i < loop->n_receivers; i++) {
    lmcc_receiver_free (loop->receivers[i].receiver);
    g_array_unref (loop->receivers[i].pictures);
    g_array_unref (loop->receivers[i].sounds);
    g_array_unref (loop->receivers[i].levels);
  }
  g_queue_clear_full (&loop->network, (GDestroyNotify) in_flight_free);
  g_rand_free (loop->random);
  g_free (loop);
}

void
test_loop_start_sender (TestLoop *loop, guint32 ssrc_base)
{
  LmccSenderConfig config = { 0 };
  guint i;

  lmcc_session_init (&config.session);
  config.session.train_cycle = LMCC_TIME_NONE;
  lmcc_address_parse ("239.255.42.1", &config.session.address);
  config.session.port = 5004;
  config.session.source = loop->sender_address;
  config.session.ssrc_base = ssrc_base;
  config.session.nonce = loop->nonce;
  config.session.n_rungs = loop->n_rungs;
  config.session.video.clock_rate = 90000;
  config.session.window = loop->window;
  if (loop->n_layers > 0) {
    config.session.native = FALSE;
    config.session.n_layers = loop->n_layers;
    for (i = 0; i < loop->n_layers; i++)
      config.session.layers[i].rate = loop->rates[i];
  }
  g_strlcpy (config.session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  if (loop->sound) {
    g_strlcpy (config.session.sound.encoding_name, "OPUS",
        LMCC_ENCODING_NAME_SIZE);
    config.session.sound.clock_rate = 48000;
  }
  if (loop->repair > 0) {
    config.session.repair = loop->repair;
    config.repair_loss = 0.05;
    config.repair_burst = 1;
    config.repair_block = 200 * LMCC_MSECOND;
  }
  config.repair_auto = loop->repair_auto;
  config.session.feedback_interval = loop->feedback_interval;
  if (loop->algorithm != NULL)
    g_strlcpy (config.session.algorithm, loop->algorithm,
        sizeof (config.session.algorithm));
  config.cname = "test";
  config.sequence_seed = 65500;
  config.rtp_offset = 0xffff0000u;
  config.ntp_offset = G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND;
  config.mtu = 1400;
  loop->ssrc_base = ssrc_base;
  loop->sender = lmcc_sender_new (&config, loop->now, NULL);
  loop->next_picture = (guint) ((loop->now - TEST_START) / TEST_PICTURE_TIME);
  loop->next_picture =
      (loop->next_picture + TEST_GOP - 1) / TEST_GOP * TEST_GOP;
  loop->next_sound = (guint) ((loop->now - TEST_START) / TEST_SOUND_TIME);
  loop->sending = TRUE;
}

/* Stops the sender without a BYE, as a power cut does. */
void
test_loop_kill_sender (TestLoop *loop)
{
  g_clear_pointer (&loop->sender, lmcc_sender_free);
  loop->sending = FALSE;
}

/* Holds back all packets of the sender until it continues, as when its
 * process is stopped or a route flaps. */
void
test_loop_pause (TestLoop *loop)
{
  loop->paused = TRUE;
}

void
test_loop_resume (TestLoop *loop)
{
  loop->paused = FALSE;
}

TestReceiver *
test_loop_add_receiver (TestLoop *loop, gint max_level, LmccOnLoss on_loss)
{
  TestReceiver *test = &loop->receivers[loop->n_receivers++];
  LmccReceiverConfig config = { 0 };

  lmcc_address_parse ("239.255.42.1", &config.address);
  config.algorithm = "auto";
  config.latency = loop->latency;
  config.max_level = max_level;
  config.on_loss = on_loss;
  config.source_policy = loop->source_policy;
  config.codecs = loop->codecs;
  config.end_on_bye = loop->end_on_bye;
  config.end_on_silence = loop->end_on_silence;
  config.sequence_seed = 65000;
  config.rtt_mode = loop->rtt_mode;
  config.fixed_rtt = loop->fixed_rtt;
  test->receiver = lmcc_receiver_new (&config);
  test->pictures = g_array_new (FALSE, FALSE, sizeof (TestPicture));
  test->sounds = g_array_new (FALSE, FALSE, sizeof (TestSound));
  test->levels = g_array_new (FALSE, FALSE, sizeof (gint));
  test->decoder_rung = -1;
  lmcc_receiver_start (test->receiver, loop->now);
  test_loop_drain (loop);

  return test;
}

static void
take_delivered (TestLoop *loop, TestReceiver *test,
    const LmccReceiverAction *action)
{
  LmccRtp rtp;
  TestPayload payload;
  TestPicture picture = { 0 };

  fail_unless (
      lmcc_rtp_parse (action->packet->data, action->packet->size, 1, &rtp));
  fail_unless (rtp.element == NULL);
  fail_unless_equals_int (rtp.payload_type, 96);
  if (test->have_sequence && rtp.sequence != (guint16) (test->sequence + 1))
    test->sequence_gaps++;
  test->have_sequence = TRUE;
  test->sequence = rtp.sequence;

  memcpy (&payload, action->packet->data + rtp.header_size, sizeof (payload));
  fail_unless_equals_int (payload.magic, TEST_PAYLOAD_MAGIC);
  test_loop_check_payload (action->packet->data + rtp.header_size,
      rtp.payload_size, &payload);
  if (action->unit_start) {
    test->unit_packets = 0;
    test->unit_corrupted = action->corrupted;
  }
  /* Units must be whole, in order and without duplicates. */
  fail_unless_equals_int (payload.index, test->unit_packets);
  test->unit_packets++;
  fail_unless_equals_int (rtp.marker, payload.index + 1 == payload.count);
  if (!rtp.marker)
    return;

  picture.rung = payload.rung;
  picture.number = payload.number;
  picture.klass = payload.klass;
  picture.time = action->time;
  picture.at = loop->now;
  picture.hidden = action->time < test->segment_start;
  picture.corrupted = test->unit_corrupted;
  picture.broken = test_loop_decode (test, &payload);
  fail_unless_equals_int (picture.hidden, action->catch_up);
  /* Stock decoders show pictures even if their times go backwards. */
  if (picture.hidden)
    fail_unless (picture.time > test->shown_before_segment);
  else
    test->shown_time = MAX (test->shown_time, picture.time);
  g_array_append_val (test->pictures, picture);
}

static void
take_sound (TestLoop *loop, TestReceiver *test,
    const LmccReceiverAction *action)
{
  TestSound sound = { .discont = action->discont,
    .time = action->time,
    .at = loop->now };
  LmccRtp rtp;

  fail_unless (
      lmcc_rtp_parse (action->packet->data, action->packet->size, 1, &rtp));
  fail_unless (rtp.element == NULL);
  fail_unless_equals_int (rtp.payload_type, 96 + LMCC_STREAM_SOUND);
  fail_unless_equals_int (rtp.payload_size, TEST_SOUND_PAYLOAD);
  fail_if (rtp.marker);
  memcpy (&sound.number, action->packet->data + rtp.header_size,
      sizeof (sound.number));
  sound.sequence = rtp.sequence;
  g_array_append_val (test->sounds, sound);
}

static gint
compare_in_flight (const TestInFlight *a, const TestInFlight *b,
    gpointer user_data G_GNUC_UNUSED)
{
  if (a->at != b->at)
    return a->at < b->at ? -1 : 1;

  return a->order < b->order ? -1 : 1;
}

static void
keep_report (gpointer user_data, const LmccReferenceTime *report)
{
  ((TestReceiver *) user_data)->report = *report;
}

static void
transmit_report (TestLoop *loop, TestReceiver *test,
    const LmccReceiverAction *action)
{
  static const LmccRtcpHandler handler = { .reference_time = keep_report };
  LmccPacket *packet = action->packet;
  LmccKeyRequest request;
  TestInFlight *in_flight;

  fail_unless (
      lmcc_address_equal (&action->destination, &loop->sender_address));
  fail_unless_equals_int (action->port, 5005);
  if (lmcc_key_request_parse (packet->data, packet->size, &request)) {
    test->n_key_requests++;
  } else {
    test->n_reports++;
    fail_unless (lmcc_rtcp_parse (packet->data, packet->size, &handler, test));
  }
  if (loop->reports_are_cut) {
    lmcc_packet_unref (packet);
    return;
  }
  in_flight = g_new0 (TestInFlight, 1);
  in_flight->at = loop->now + TEST_DELAY;
  in_flight->order = loop->packets_sent++;
  in_flight->report = TRUE;
  in_flight->packet = packet;
  g_queue_insert_sorted (&loop->network, in_flight,
      (GCompareDataFunc) compare_in_flight, NULL);
}

static void
drain_receiver (TestLoop *loop, TestReceiver *test)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (test->receiver, &action)) {
    switch (action.type) {
      case LMCC_RECEIVER_ACTION_JOIN:
        fail_if (test->joined[action.group]);
        test->joined[action.group] = TRUE;
        break;
      case LMCC_RECEIVER_ACTION_LEAVE:
        fail_unless (test->joined[action.group]);
        test->joined[action.group] = FALSE;
        break;
      case LMCC_RECEIVER_ACTION_DELIVER:
        take_delivered (loop, test, &action);
        lmcc_packet_unref (action.packet);
        break;
      case LMCC_RECEIVER_ACTION_DELIVER_SOUND:
        take_sound (loop, test, &action);
        lmcc_packet_unref (action.packet);
        break;
      case LMCC_RECEIVER_ACTION_SEGMENT:
        test->segment_start = action.time;
        test->shown_before_segment = test->shown_time;
        break;
      case LMCC_RECEIVER_ACTION_LEVEL:
        g_array_append_val (test->levels, action.to);
        break;
      case LMCC_RECEIVER_ACTION_SESSION:
        test->n_sessions++;
        break;
      case LMCC_RECEIVER_ACTION_WAITING:
        test->n_waiting++;
        break;
      case LMCC_RECEIVER_ACTION_UNHEARD:
        test->n_unheard++;
        test->unheard = action.reason;
        test->unheard_sender = action.previous;
        test->heard_for = action.time;
        break;
      case LMCC_RECEIVER_ACTION_TIMEOUT:
        test->n_timeouts++;
        break;
      case LMCC_RECEIVER_ACTION_REPORT:
        transmit_report (loop, test, &action);
        break;
      case LMCC_RECEIVER_ACTION_SEND_CONTROL:
        lmcc_packet_unref (action.packet);
        break;
      case LMCC_RECEIVER_ACTION_WARNING:
        test->n_warnings++;
        test->warning = action.reason;
        test->warned_held_back += action.held_back;
        break;
      case LMCC_RECEIVER_ACTION_SOURCE_CHANGED:
        test->n_source_changes++;
        test->source_change = action;
        break;
      case LMCC_RECEIVER_ACTION_SOURCE_ASKED:
        test->n_asked++;
        test->asked = action;
        break;
      case LMCC_RECEIVER_ACTION_SOURCE_BESIDE:
        test->n_beside++;
        test->beside = action;
        break;
      case LMCC_RECEIVER_ACTION_MEMORY_FULL:
        fail ("an honest stream fills the memory budget: %s", action.reason);
        break;
      case LMCC_RECEIVER_ACTION_CIRCUIT_BREAKER:
        break;
      case LMCC_RECEIVER_ACTION_END:
        test->n_ends++;
        test->ended_at = loop->now;
        test->end_reason = action.reason;
        break;
    }
  }
}

static void
transmit (TestLoop *loop, LmccPacket *packet, guint group, gboolean control)
{
  guint receiver;

  for (receiver = 0; receiver < loop->n_receivers; receiver++) {
    LmccTime extra = 0;
    guint copies = loop->paused ? 0 : 1;

    if (loop->impair != NULL)
      copies = loop->impair (loop, receiver, packet, group, control, &extra,
          loop->impair_data);
    for (; copies > 0; copies--) {
      TestInFlight *in_flight = g_new0 (TestInFlight, 1);

      in_flight->at = loop->now + TEST_DELAY + extra;
      in_flight->order = loop->packets_sent;
      in_flight->receiver = receiver;
      in_flight->group = group;
      in_flight->control = control;
      in_flight->packet = lmcc_packet_new_copy (packet->data, packet->size);
      g_queue_insert_sorted (&loop->network, in_flight,
          (GCompareDataFunc) compare_in_flight, NULL);
    }
  }
  loop->packets_sent++;
  lmcc_packet_unref (packet);
}

static void
drain_sender (TestLoop *loop)
{
  LmccSenderAction action;

  while (
      loop->sender != NULL && lmcc_sender_poll_action (loop->sender, &action)) {
    switch (action.type) {
      case LMCC_SENDER_ACTION_SEND:
        transmit (loop, action.packet, action.group, FALSE);
        break;
      case LMCC_SENDER_ACTION_SEND_CONTROL:
        transmit (loop, action.packet, 0, TRUE);
        break;
      case LMCC_SENDER_ACTION_REQUEST_KEY_UNIT:
        loop->key_requests++;
        break;
      case LMCC_SENDER_ACTION_SESSION_CHANGED:
        break;
    }
  }
}

void
test_loop_drain (TestLoop *loop)
{
  guint i;

  drain_sender (loop);
  for (i = 0; i < loop->n_receivers; i++)
    drain_receiver (loop, &loop->receivers[i]);
}

static void
arrive (TestLoop *loop, TestInFlight *in_flight)
{
  TestReceiver *test = &loop->receivers[in_flight->receiver];

  if (in_flight->report) {
    LmccAddress source;

    lmcc_address_parse ("10.0.0.2", &source);
    if (loop->sender != NULL)
      lmcc_sender_handle_control (loop->sender, loop->now, &source, 40001,
          in_flight->packet->data, in_flight->packet->size);
  } else if (in_flight->control) {
    lmcc_receiver_handle_control (test->receiver, loop->now,
        &loop->sender_address, 40000, in_flight->packet->data,
        in_flight->packet->size);
  } else if (test->joined[in_flight->group]) {
    lmcc_receiver_handle_packet (test->receiver, loop->now, loop->now,
        in_flight->group, &loop->sender_address, 40000,
        lmcc_packet_ref (in_flight->packet));
  }
  test_loop_drain (loop);
}

/* A session record that the sender did not send. */
void
test_loop_send_record (TestLoop *loop, TestReceiver *test,
    const LmccSession *session, const LmccAddress *from)
{
  g_autofree gchar *text = lmcc_sdp_format (session, LMCC_SDP_RECORD);
  LmccSenderReport report = { .ssrc = session->ssrc_base };
  LmccRecordFragment fragment = { session->ssrc_base,
    (guint16) session->revision, 0, 1, (const guint8 *) text, strlen (text) };
  g_autoptr (LmccPacket) packet =
      lmcc_rtcp_build (&report, 1, "forged", &fragment);

  lmcc_receiver_handle_control (test->receiver, loop->now, from, 40000,
      packet->data, packet->size);
  test_loop_drain (loop);
}

static LmccTime
next_unit_time (const TestLoop *loop)
{
  if (!loop->sending)
    return LMCC_TIME_NONE;

  return TEST_START + loop->next_picture * TEST_PICTURE_TIME;
}

static LmccTime
next_sound_time (const TestLoop *loop)
{
  if (!loop->sending || !loop->sound)
    return LMCC_TIME_NONE;

  return TEST_START + loop->next_sound * TEST_SOUND_TIME;
}

static LmccTime
next_event (TestLoop *loop)
{
  TestInFlight *in_flight = g_queue_peek_head (&loop->network);
  LmccTime next = next_unit_time (loop);
  guint i;

  next = MIN (next, next_sound_time (loop));
  if (in_flight != NULL)
    next = MIN (next, in_flight->at);
  if (loop->sender != NULL)
    next = MIN (next, lmcc_sender_next_timeout (loop->sender));
  for (i = 0; i < loop->n_receivers; i++)
    next = MIN (next, lmcc_receiver_next_timeout (loop->receivers[i].receiver));

  return next;
}

static void
push_picture (TestLoop *loop)
{
  guint rung;

  for (rung = 0; rung < loop->n_rungs; rung++) {
    lmcc_sender_push_unit (loop->sender,
        test_loop_make_unit (loop, rung, loop->next_picture), loop->now);
    test_loop_drain (loop);
  }
  loop->next_picture++;
}

static void
push_sound (TestLoop *loop)
{
  LmccUnit *unit = lmcc_unit_new ();
  LmccPacket *packet =
      lmcc_packet_new (LMCC_RTP_HEADER_SIZE + TEST_SOUND_PAYLOAD);

  packet->size = LMCC_RTP_HEADER_SIZE + TEST_SOUND_PAYLOAD;
  memset (packet->data, 0, packet->size);
  packet->data[0] = 0x80;
  packet->data[1] = 97;
  memcpy (packet->data + LMCC_RTP_HEADER_SIZE, &loop->next_sound,
      sizeof (loop->next_sound));
  unit->stream = LMCC_STREAM_SOUND;
  unit->switch_point = TRUE;
  unit->decoding_time = TEST_START + loop->next_sound * TEST_SOUND_TIME;
  unit->presentation_time = unit->decoding_time;
  g_ptr_array_add (unit->packets, packet);
  lmcc_sender_push_unit (loop->sender, unit, loop->now);
  test_loop_drain (loop);
  loop->next_sound++;
}

static void
step (TestLoop *loop)
{
  TestInFlight *in_flight;
  guint i;

  while (next_unit_time (loop) <= loop->now)
    push_picture (loop);
  while (next_sound_time (loop) <= loop->now)
    push_sound (loop);
  while ((in_flight = g_queue_peek_head (&loop->network)) != NULL
      && in_flight->at <= loop->now) {
    g_queue_pop_head (&loop->network);
    arrive (loop, in_flight);
    in_flight_free (in_flight);
  }
  if (loop->sender != NULL
      && lmcc_sender_next_timeout (loop->sender) <= loop->now) {
    lmcc_sender_handle_timeout (loop->sender, loop->now);
    test_loop_drain (loop);
  }
  for (i = 0; i < loop->n_receivers; i++) {
    LmccReceiver *receiver = loop->receivers[i].receiver;
    guint n = 0;

    while (lmcc_receiver_next_timeout (receiver) <= loop->now) {
      lmcc_receiver_handle_timeout (receiver, loop->now);
      test_loop_drain (loop);
      /* A state machine that asks for the same time again and again would
       * hang its caller. One call may leave work for the next. */
      fail_unless (++n < MOST_AT_ONCE);
    }
  }
}

void
test_loop_run (TestLoop *loop, LmccTime duration)
{
  LmccTime end = loop->now + duration;
  LmccTime next;

  test_loop_drain (loop);
  while ((next = next_event (loop)) < end) {
    loop->now = MAX (next, loop->now);
    step (loop);
  }
  loop->now = end;
}

TestPicture *
test_picture_at (TestReceiver *test, guint index)
{
  return &g_array_index (test->pictures, TestPicture, index);
}

void
test_check_nothing_broken (TestReceiver *test)
{
  guint i;

  for (i = 0; i < test->pictures->len; i++)
    fail_if (test_picture_at (test, i)->broken,
        "picture %u of rung %u is broken", test_picture_at (test, i)->number,
        test_picture_at (test, i)->rung);
}

/* The last packet of a picture is output before the picture is due. */
void
test_check_in_time (TestReceiver *test)
{
  LmccTime latency = lmcc_receiver_get_latency (test->receiver);
  guint i;

  for (i = 0; i < test->pictures->len; i++) {
    TestPicture *picture = test_picture_at (test, i);

    fail_unless (picture->hidden || picture->at < picture->time + latency,
        "picture %u came %" G_GINT64_FORMAT " us late", picture->number,
        (gint64) (picture->at - picture->time - latency) / 1000);
  }
}
