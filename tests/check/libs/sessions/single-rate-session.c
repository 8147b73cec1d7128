/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the configuration of single-rate sessions, and their packets and
 * reports.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/controller.h>
#include <gst/lmcc/control/single-rate/pgmcc-wire.h>
#include <gst/lmcc/sender/live-queue.h>
#include <gst/lmcc/wire/constants.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

#include "support/test-single.h"

GST_START_TEST (a_session_that_is_not_fit_is_refused)
{
  LmccSession session;
  g_autoptr (GError) error = NULL;

  lmcc_session_init (&session);
  g_strlcpy (session.algorithm, test_single_algorithms[__i__],
      sizeof (session.algorithm));
  session.native = TRUE;
  session.n_rungs = 1;
  session.feedback_interval = LMCC_SECOND;
  fail_unless (lmcc_session_has_single_rate (&session));
  fail_unless (lmcc_session_fit_algorithm (&session, 0, 0, &error));
  session.n_rungs = 2;
  fail_if (lmcc_session_fit_algorithm (&session, 0, 0, &error));
  fail_unless (strstr (error->message, "encodings") != NULL);
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

/* Sent bytes of a unit of one packet with the given payload; 0 if it is
 * rejected. */
static gsize
send_packet_of (const gchar *algorithm, gsize payload)
{
  TestWorld *world = test_single_new (&test_single_narrow);
  LmccSender *sender = test_single_add_session (world, algorithm)->sender;
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
  /* Filler is sent later. */
  lmcc_sender_handle_timeout (sender,
      world->now + LMCC_FILLER_INTERVAL - LMCC_MSECOND);
  while (lmcc_sender_poll_action (sender, &action)) {
    if (action.type == LMCC_SENDER_ACTION_SEND)
      size = MAX (size, action.packet->size);
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
  test_world_free (world);

  return size;
}

/* Receivers reject larger packets. */
GST_START_TEST (the_element_has_its_room_in_the_largest_packet)
{
  gsize payload, size, largest = 0;

  for (payload = LMCC_MAX_PACKET_SIZE - 64; payload < LMCC_MAX_PACKET_SIZE;
       payload++) {
    size = send_packet_of (test_single_algorithms[__i__], payload);
    fail_unless (size <= LMCC_MAX_PACKET_SIZE, "%" G_GSIZE_FORMAT, size);
    largest = MAX (largest, size);
  }
  fail_unless_equals_int (largest, LMCC_MAX_PACKET_SIZE);
}

GST_END_TEST;

/* A packet's fields apply to it, not to a later packet of the base layer. */
GST_START_TEST (an_element_is_of_its_own_packet)
{
  const LmccAlgorithm *pgmcc = lmcc_algorithm_find ("pgmcc");
  const LmccPgmccElement element = { .has_acker = TRUE, .acker = 4711 };
  LmccControllerStatus status = { 0 };
  LmccHeader header = { .layer = 1, .top_layer = 1 };
  guint8 data[LMCC_PGMCC_ELEMENT_SIZE];
  LmccController *controller;
  LmccSession session;

  lmcc_session_init (&session);
  lmcc_pgmcc_element_write (&element, data);
  controller = pgmcc->create (&session, NULL, 1);
  controller->klass->on_second_element (controller, data, sizeof (data));
  controller->klass->on_packet (controller, TEST_WORLD_START, TEST_WORLD_START,
      &header, TEST_SINGLE_PACKET);
  header.layer = 0;
  controller->klass->on_packet (controller, TEST_WORLD_START, TEST_WORLD_START,
      &header, TEST_SINGLE_PACKET);
  controller->klass->get_status (controller, TEST_WORLD_START, &status);
  fail_if (status.has_leader);
  controller->klass->on_second_element (controller, data, sizeof (data));
  header.lsn++;
  controller->klass->on_packet (controller, TEST_WORLD_START, TEST_WORLD_START,
      &header, TEST_SINGLE_PACKET);
  controller->klass->get_status (controller, TEST_WORLD_START, &status);
  fail_unless (status.has_leader);
  fail_unless_equals_int (status.leader, 4711);
  controller->klass->free (controller);
}

GST_END_TEST;

/* Number of reports from a receiver that is asked for one. */
static guint
count_reports (LmccTime feedback_interval)
{
  const LmccPgmccElement element = { .elicit = TRUE,
    .nak_wait = LMCC_PGMCC_NAK_WAIT };
  LmccReceiverConfig config = { .algorithm = "auto",
    .max_level = -1,
    .latency = LMCC_DEFAULT_LATENCY };
  g_autoptr (LmccReceiver) receiver = NULL;
  LmccReceiverAction action;
  LmccSession session;
  LmccHeader header = { .first = TRUE,
    .last = TRUE,
    .switch_point = TRUE,
    .signal = LMCC_SIGNAL_NOBODY };
  LmccRtp rtp = { .payload_type = LMCC_DEFAULT_PAYLOAD_TYPE,
    .payload_size = 10 };
  guint8 data[LMCC_PGMCC_ELEMENT_SIZE];
  guint n = 0;

  lmcc_session_init (&session);
  lmcc_address_parse ("239.255.66.1", &session.address);
  lmcc_address_parse ("10.0.0.1", &session.source);
  session.port = 5004;
  session.ssrc_base = 0x12345000u;
  session.video.clock_rate = 90000;
  session.feedback_port = TEST_SINGLE_PORT;
  session.feedback_interval = feedback_interval;
  g_strlcpy (session.video.encoding_name, "H264", LMCC_ENCODING_NAME_SIZE);
  g_strlcpy (session.algorithm, "pgmcc", sizeof (session.algorithm));
  config.address = session.address;
  config.session = &session;
  receiver = lmcc_receiver_new (&config);
  lmcc_receiver_start (receiver, TEST_WORLD_START);
  lmcc_pgmcc_element_write (&element, data);
  rtp.ssrc = session.ssrc_base;
  rtp.second = data;
  rtp.second_size = sizeof (data);
  lmcc_receiver_handle_packet (receiver, TEST_WORLD_START, TEST_WORLD_START, 0,
      &session.source, 40000,
      lmcc_rtp_build (&rtp, &header, LMCC_HEADER_DEFAULT_ID,
          (const guint8 *) "0123456789"));
  lmcc_receiver_handle_timeout (receiver,
      TEST_WORLD_START + LMCC_PGMCC_NAK_WAIT);
  while (lmcc_receiver_poll_action (receiver, &action)) {
    if (action.type == LMCC_RECEIVER_ACTION_REPORT)
      n++;
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }

  return n;
}

GST_START_TEST (senders_without_feedback_get_no_reports)
{
  fail_unless_equals_int (count_reports (LMCC_SECOND), 1);
  fail_unless_equals_int (count_reports (0), 0);
}

GST_END_TEST;

static void
push_sound (LmccSender *sender, LmccTime now)
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
  TestWorld *world = test_single_new (&test_single_narrow);
  LmccSender *sender =
      test_single_add_session_with (world, "tfmcc", "OPUS")->sender;
  const LmccSenderStats *stats;
  guint i;

  for (i = 0; i < LMCC_LIVE_QUEUE_MAX_PACKETS + 1000; i++)
    push_sound (sender, world->now);
  stats = lmcc_sender_get_stats (sender);
  fail_unless_equals_uint64 (stats->single.sound_dropped
          + stats->layers[0].queued + stats->layers[0].packets,
      LMCC_LIVE_QUEUE_MAX_PACKETS + 1000);
  fail_unless (stats->single.sound_dropped > 0);
  fail_unless_equals_uint64 (stats->units_dropped[0], 0);
  test_world_free (world);
}

GST_END_TEST;

static Suite *
single_rate_session_suite (void)
{
  Suite *suite = suite_create ("single-rate-session");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_loop_test (tcase, a_session_that_is_not_fit_is_refused, 0,
      TEST_SINGLE_ALGORITHMS);
  tcase_add_test (tcase, sound_that_has_no_room_is_counted_as_such);
  tcase_add_test (tcase, an_element_is_of_its_own_packet);
  tcase_add_test (tcase, senders_without_feedback_get_no_reports);
  tcase_add_loop_test (tcase, the_element_has_its_room_in_the_largest_packet, 0,
      TEST_SINGLE_ALGORITHMS);

  return suite;
}

GST_CHECK_MAIN (single_rate_session);
