/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests a receiver's behaviour with hostile hosts and with missing packets.
 */
#include "support/test-loop.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

#define SSRC 0x12345000u
#define FORGED_SSRC 0x6789a000u

static LmccAddress
stranger (void)
{
  LmccAddress address;

  lmcc_address_parse ("10.6.6.6", &address);

  return address;
}

/* A session in which a receiver capped at level 1 plays. */
static TestReceiver *
play (TestLoop *loop)
{
  TestReceiver *test;

  test_loop_start_sender (loop, SSRC);
  test = test_loop_add_receiver (loop, 1, LMCC_ON_LOSS_FREEZE);
  test_loop_run (loop, 3 * LMCC_SECOND);

  return test;
}

static LmccReceiverStats
stats_of (TestLoop *loop, TestReceiver *test)
{
  LmccReceiverStats stats;

  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);

  return stats;
}

static void
send_media (TestLoop *loop, TestReceiver *test, guint group,
    const LmccHeader *header, guint32 ssrc, guint8 payload_type,
    const LmccAddress *from)
{
  static const guint8 payload[100] = { 0 };
  LmccRtp rtp = { .payload_type = payload_type,
    .ssrc = ssrc,
    .payload_size = sizeof (payload) };

  lmcc_receiver_handle_packet (test->receiver, loop->now, loop->now, group,
      from, 40000,
      lmcc_rtp_build (&rtp, header, LMCC_HEADER_DEFAULT_ID, payload));
  test_loop_drain (loop);
}

static void
check_joined (TestReceiver *test, guint n)
{
  guint i;

  for (i = 0; i < LMCC_MAX_GROUPS; i++)
    fail_unless_equals_int (test->joined[i], i < n);
}

GST_START_TEST (test_a_forged_table_opens_no_group_beyond_the_caps)
{
  TestLoop *loop = test_loop_new (1, TRUE);
  TestReceiver *test = play (loop);
  LmccSession session = *lmcc_sender_get_session (loop->sender);
  guint i;

  /* Even with the sender's own address and S0: 60 layers without effect. */
  session.revision += 100;
  session.version += 1;
  session.n_layers = 60;
  session.n_groups = 90;
  for (i = 0; i < session.n_layers; i++)
    session.layers[i] = (LmccLayer){ .rate = 1,
      .stream = LMCC_STREAM_NONE,
      .klass = LMCC_CLASS_MIXED };
  session.native = FALSE;
  test_loop_send_record (loop, test, &session, &loop->sender_address);
  test_loop_run (loop, 5 * LMCC_SECOND);
  check_joined (test, 2);
  fail_unless_equals_int (stats_of (loop, test).level, 1);
  test_loop_free (loop);
}

GST_END_TEST;

/* The sender sends its record at least every 2 s. */
GST_START_TEST (test_a_forged_revision_does_not_lock_out_the_senders_record)
{
  TestLoop *loop = test_loop_new (3, TRUE);
  TestReceiver *test = play (loop);
  LmccSession truth = *lmcc_receiver_get_session (test->receiver);
  LmccSession forged = truth;
  guint i;

  forged.revision += 0x7fffff00u;
  forged.layers[0].rate = 1;
  for (i = 0; i < 5; i++) {
    test_loop_send_record (loop, test, &forged, &loop->sender_address);
    fail_unless_equals_uint64 (
        lmcc_receiver_get_session (test->receiver)->revision, forged.revision);
    test_loop_run (loop, 4100 * LMCC_MSECOND);
    fail_if (lmcc_receiver_get_session (test->receiver)->revision
        == forged.revision);
    fail_if (lmcc_receiver_get_session (test->receiver)->layers[0].rate == 1);
  }
  test_loop_free (loop);
}

GST_END_TEST;

/* Duplicated or delayed packets are no change of the session. */
GST_START_TEST (test_a_late_copy_of_an_old_record_changes_nothing)
{
  TestLoop *loop = test_loop_new (3, TRUE);
  TestReceiver *test = play (loop);
  LmccSession truth = *lmcc_receiver_get_session (test->receiver);
  LmccSession old = truth;
  guint n = test->n_sessions;

  loop->sending = FALSE;
  old.revision -= 1;
  old.layers[0].rate = 1;
  test_loop_send_record (loop, test, &old, &loop->sender_address);
  test_loop_send_record (loop, test, &truth, &loop->sender_address);
  test_loop_send_record (loop, test, &old, &loop->sender_address);
  fail_unless_equals_int (test->n_sessions, n);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_rates_announced_too_low_do_not_pass_max_bitrate)
{
  TestLoop *loop = test_loop_new (3, FALSE);
  LmccSession session;
  TestReceiver *test;
  guint64 cap;
  guint i;

  test_loop_start_sender (loop, SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  test_loop_run (loop, 3 * LMCC_SECOND);
  session = *lmcc_sender_get_session (loop->sender);
  cap = lmcc_session_level_rate (&session, 1);
  session.revision += 100;
  for (i = 0; i < session.n_layers; i++)
    session.layers[i].rate = 1;
  test_loop_send_record (loop, test, &session, &loop->sender_address);
  lmcc_receiver_set_max_bitrate (test->receiver, cap, loop->now);
  test_loop_run (loop, 10 * LMCC_SECOND);
  fail_unless (stats_of (loop, test).level <= 1);
  fail_unless (stats_of (loop, test).bitrate <= cap * 5 / 4);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_a_record_for_other_groups_is_refused)
{
  TestLoop *loop = test_loop_new (1, TRUE);
  TestReceiver *test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  LmccAddress from = stranger ();
  LmccSession session;

  lmcc_session_init (&session);
  lmcc_address_parse ("239.255.77.1", &session.address);
  session.source = from;
  session.port = 5004;
  session.ssrc_base = FORGED_SSRC;
  session.video.clock_rate = 90000;
  g_strlcpy (session.video.encoding_name, "H264", LMCC_ENCODING_NAME_SIZE);
  test_loop_send_record (loop, test, &session, &from);
  fail_unless_equals_uint64 (stats_of (loop, test).drops[LMCC_DROP_BAD_RECORD],
      1);
  fail_unless (lmcc_receiver_get_session (test->receiver) == NULL);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_a_strangers_packets_are_counted_by_kind)
{
  TestLoop *loop = test_loop_new (1, TRUE);
  TestReceiver *test = play (loop);
  LmccHeader header = { .top_layer = 2,
    .signal = -1,
    .first = TRUE,
    .last = TRUE };
  LmccAddress from = stranger ();
  LmccReceiverStats stats;

  send_media (loop, test, 0, &header, SSRC, 96, &from);
  fail_unless_equals_uint64 (
      stats_of (loop, test).drops[LMCC_DROP_FOREIGN_SOURCE], 1);
  send_media (loop, test, 0, &header, FORGED_SSRC, 96, &loop->sender_address);
  send_media (loop, test, 0, &header, SSRC + 1, 96, &loop->sender_address);
  fail_unless_equals_uint64 (
      stats_of (loop, test).drops[LMCC_DROP_FOREIGN_SSRC], 2);
  send_media (loop, test, 1, &header, SSRC, 96, &loop->sender_address);
  fail_unless_equals_uint64 (stats_of (loop, test).drops[LMCC_DROP_WRONG_LAYER],
      1);
  send_media (loop, test, 0, &header, SSRC, 33, &loop->sender_address);
  fail_unless_equals_uint64 (
      stats_of (loop, test).drops[LMCC_DROP_UNKNOWN_TYPE], 1);
  header.lsn = (guint16) (stats_of (loop, test).layers[0].received + 20000);
  send_media (loop, test, 0, &header, SSRC, 96, &loop->sender_address);
  /* The next packet of the real sender refutes it. */
  test_loop_run (loop, LMCC_SECOND);
  stats = stats_of (loop, test);
  fail_unless_equals_uint64 (stats.drops[LMCC_DROP_SUSPECT], 1);
  fail_unless_equals_uint64 (stats.lost, 0);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_a_strangers_goodbye_changes_nothing)
{
  TestLoop *loop = test_loop_new (1, TRUE);
  TestReceiver *test = play (loop);
  LmccAddress from = stranger ();
  LmccSenderReport report = { .ssrc = SSRC };
  g_autoptr (LmccPacket) bye = lmcc_rtcp_build_bye (&report, "forged");
  guint waiting = test->n_waiting;

  lmcc_receiver_handle_control (test->receiver, loop->now, &from, 40000,
      bye->data, bye->size);
  test_loop_drain (loop);
  fail_unless_equals_int (test->n_waiting, waiting);
  lmcc_receiver_handle_control (test->receiver, loop->now,
      &loop->sender_address, 40000, bye->data, bye->size);
  test_loop_drain (loop);
  fail_unless_equals_int (test->n_waiting, waiting + 1);
  test_loop_free (loop);
}

GST_END_TEST;

/* RFC 3376 section 8.8: a leave takes 2 s, and again as long if a report was
 * lost. */
GST_START_TEST (test_a_leave_that_the_network_ignores_is_counted_and_told_once)
{
  TestLoop *loop = test_loop_new (1, TRUE);
  TestReceiver *test = play (loop);
  LmccHeader header = { .layer = 1,
    .top_layer = 2,
    .klass = 1,
    .signal = -1,
    .first = TRUE,
    .last = TRUE };
  guint i;

  lmcc_receiver_set_max_level (test->receiver, 0, loop->now);
  test_loop_drain (loop);
  fail_if (test->joined[1]);
  test_loop_run (loop, 3900 * LMCC_MSECOND);
  send_media (loop, test, 1, &header, SSRC + 1, 96, &loop->sender_address);
  fail_unless_equals_uint64 (stats_of (loop, test).unwanted, 0);
  fail_unless_equals_int (test->n_warnings, 0);

  test_loop_run (loop, 200 * LMCC_MSECOND);
  for (i = 1; i <= 5; i++) {
    send_media (loop, test, 1, &header, SSRC + 1, 96, &loop->sender_address);
    fail_unless_equals_uint64 (stats_of (loop, test).unwanted, i);
    fail_unless_equals_int (test->n_warnings, 1);
  }
  fail_unless (strstr (test->warning, "does not honour leaves") != NULL);

  /* Joined again, it is wanted. */
  lmcc_receiver_set_max_level (test->receiver, 1, loop->now);
  test_loop_drain (loop);
  test_loop_run (loop, LMCC_SECOND);
  fail_unless_equals_uint64 (stats_of (loop, test).unwanted, 5);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_a_replayed_stream_is_dropped)
{
  TestLoop *loop = test_loop_new (1, FALSE);
  TestReceiver *test;
  LmccReceiverStats before, after;
  g_autoptr (GPtrArray) kept =
      g_ptr_array_new_with_free_func ((GDestroyNotify) lmcc_packet_unref);
  guint i, pictures;

  test = play (loop);
  for (i = 0; i < loop->network.length; i++) {
    /* Packets in transit arrive a second time, now. */
    const TestInFlight *in_flight = g_queue_peek_nth (&loop->network, i);

    if (!in_flight->control && in_flight->group == 0)
      g_ptr_array_add (kept, lmcc_packet_ref (in_flight->packet));
  }
  fail_unless (kept->len > 0);
  test_loop_run (loop, LMCC_SECOND);
  before = stats_of (loop, test);
  pictures = test->pictures->len;
  for (i = 0; i < kept->len; i++)
    lmcc_receiver_handle_packet (test->receiver, loop->now, loop->now, 0,
        &loop->sender_address, 40000,
        lmcc_packet_ref (g_ptr_array_index (kept, i)));
  test_loop_drain (loop);
  after = stats_of (loop, test);
  fail_unless_equals_uint64 (after.drops[LMCC_DROP_DUPLICATE],
      before.drops[LMCC_DROP_DUPLICATE] + kept->len);
  fail_unless_equals_int (test->pictures->len, pictures);
  test_loop_free (loop);
}

GST_END_TEST;

static guint
no_control (TestLoop *loop G_GNUC_UNUSED, guint receiver G_GNUC_UNUSED,
    const LmccPacket *packet G_GNUC_UNUSED, guint group G_GNUC_UNUSED,
    gboolean control, LmccTime *extra G_GNUC_UNUSED,
    gpointer user_data G_GNUC_UNUSED)
{
  return control ? 0 : 1;
}

/* The user is told how a silence started. */
GST_START_TEST (test_a_silence_in_mid_session_is_not_that_of_a_start)
{
  TestLoop *loop = test_loop_new (1, TRUE);
  TestReceiver *test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);

  test_loop_run (loop, 2 * LMCC_UNHEARD_TIMEOUT);
  fail_unless_equals_string (test->unheard, "nothing came");
  fail_unless_equals_int (test->unheard_sender.family, LMCC_FAMILY_NONE);

  test_loop_start_sender (loop, SSRC);
  test_loop_run (loop, 20 * LMCC_SECOND);
  test_loop_kill_sender (loop);
  test_loop_run (loop, 2 * LMCC_UNHEARD_TIMEOUT);
  fail_unless_equals_int (test->n_unheard, 2);
  fail_unless_equals_string (test->unheard, "the sender is silent");
  fail_unless (
      lmcc_address_equal (&test->unheard_sender, &loop->sender_address));
  fail_unless (test->heard_for > 18 * LMCC_SECOND
          && test->heard_for < 21 * LMCC_SECOND,
      "%" G_GUINT64_FORMAT, test->heard_for);

  test_loop_start_sender (loop, SSRC);
  test_loop_run (loop, 10 * LMCC_SECOND);
  lmcc_sender_stop (loop->sender, loop->now);
  test_loop_drain (loop);
  test_loop_run (loop, 2 * LMCC_UNHEARD_TIMEOUT);
  fail_unless_equals_int (test->n_unheard, 3);
  fail_unless_equals_string (test->unheard, LMCC_REASON_GOODBYE);
  fail_unless (test->heard_for < 11 * LMCC_SECOND);
  test_loop_free (loop);
}

GST_END_TEST;

/* A firewall that blocks all RTCP: an SDP file is enough to play. */
GST_START_TEST (test_an_sdp_file_is_enough_without_rtcp)
{
  TestLoop *loop = test_loop_new (1, TRUE);
  TestReceiver *test = &loop->receivers[0];
  LmccReceiverConfig config = { 0 };
  LmccSession session;
  guint i;

  loop->impair = no_control;
  test_loop_start_sender (loop, SSRC);
  test_loop_run (loop, LMCC_SECOND);
  session = *lmcc_sender_get_session (loop->sender);

  test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  lmcc_receiver_free (test->receiver);
  memset (test->joined, 0, sizeof (test->joined));
  lmcc_address_parse ("239.255.42.1", &config.address);
  config.session = &session;
  config.algorithm = "none";
  config.latency = LMCC_DEFAULT_LATENCY;
  config.max_level = -1;
  test->receiver = lmcc_receiver_new (&config);
  lmcc_receiver_start (test->receiver, loop->now);
  test_loop_run (loop, 5 * LMCC_SECOND);

  fail_unless (test->pictures->len > 60);
  for (i = 0; i < test->pictures->len; i++)
    fail_if (g_array_index (test->pictures, TestPicture, i).broken);
  test_loop_free (loop);
}

GST_END_TEST;

#define HOW_LATE (80 * LMCC_MSECOND)

/* Every 20th packet of the base layer takes another path. */
static guint
some_are_late (TestLoop *loop G_GNUC_UNUSED, guint receiver G_GNUC_UNUSED,
    const LmccPacket *packet G_GNUC_UNUSED, guint group, gboolean control,
    LmccTime *extra, gpointer user_data)
{
  guint *n = user_data;

  if (!control && group == 0 && ++*n % 20 == 0)
    *extra = HOW_LATE;
  return 1;
}

GST_START_TEST (test_how_long_late_packets_are_awaited_is_told)
{
  TestLoop *loop = test_loop_new (1, FALSE);
  TestReceiver *test = play (loop);
  LmccReceiverStats stats;
  guint n = 0;

  fail_unless_equals_uint64 (stats_of (loop, test).reordering_window, 0);
  loop->impair = some_are_late;
  loop->impair_data = &n;
  test_loop_run (loop, 3 * LMCC_SECOND);
  stats = stats_of (loop, test);
  fail_unless (stats.reordering_window > HOW_LATE / 2);
  fail_unless (stats.reordering_window <= HOW_LATE + HOW_LATE / 4);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_silence_is_reported_each_timeout)
{
  TestLoop *loop = test_loop_new (1, TRUE);
  TestReceiver *test = &loop->receivers[0];
  LmccReceiverConfig config = { 0 };

  test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  lmcc_receiver_free (test->receiver);
  memset (test->joined, 0, sizeof (test->joined));
  lmcc_address_parse ("239.255.42.1", &config.address);
  config.algorithm = "auto";
  config.timeout = 2 * LMCC_SECOND;
  config.max_level = -1;
  test->receiver = lmcc_receiver_new (&config);
  lmcc_receiver_start (test->receiver, loop->now);
  test_loop_run (loop, 7 * LMCC_SECOND);
  fail_unless_equals_int (test->n_timeouts, 3);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_a_wait_is_told_of_once_and_what_came)
{
  TestLoop *loop = test_loop_new (1, TRUE);
  TestReceiver *test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);

  test_loop_run (loop, LMCC_UNHEARD_TIMEOUT - 100 * LMCC_MSECOND);
  fail_unless_equals_int (test->n_unheard, 0);
  test_loop_run (loop, 2 * LMCC_UNHEARD_TIMEOUT);
  fail_unless_equals_int (test->n_unheard, 1);
  fail_unless_equals_string (test->unheard, "nothing came");

  test_loop_start_sender (loop, SSRC);
  test_loop_run (loop, 2 * LMCC_UNHEARD_TIMEOUT);
  fail_unless_equals_int (test->n_unheard, 1);

  /* Gone without a BYE; then another sender, whose records do not get
   * through. */
  test_loop_kill_sender (loop);
  test_loop_run (loop, LMCC_SECOND);
  loop->impair = no_control;
  test_loop_start_sender (loop, FORGED_SSRC);
  test_loop_run (loop, 2 * LMCC_UNHEARD_TIMEOUT);
  fail_unless_equals_int (test->n_unheard, 2);
  fail_unless_equals_string (test->unheard,
      "media arrived, but no session record");
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_another_source_than_the_one_asked_for_is_not_heard)
{
  TestLoop *loop = test_loop_new (1, TRUE);
  TestReceiver *test = &loop->receivers[0];
  LmccReceiverConfig config = { 0 };

  test_loop_start_sender (loop, SSRC);
  test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  lmcc_receiver_free (test->receiver);
  memset (test->joined, 0, sizeof (test->joined));
  lmcc_address_parse ("239.255.42.1", &config.address);
  config.source = stranger ();
  config.algorithm = "auto";
  config.max_level = -1;
  test->receiver = lmcc_receiver_new (&config);
  lmcc_receiver_start (test->receiver, loop->now);
  test_loop_run (loop, 3 * LMCC_SECOND);
  fail_unless_equals_int (test->pictures->len, 0);
  fail_unless (stats_of (loop, test).drops[LMCC_DROP_FOREIGN_SOURCE] > 10);
  check_joined (test, 1);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_stopping_leaves_every_group)
{
  TestLoop *loop = test_loop_new (1, TRUE);
  TestReceiver *test = play (loop);

  check_joined (test, 2);
  lmcc_receiver_stop (test->receiver, loop->now);
  test_loop_drain (loop);
  check_joined (test, 0);
  fail_unless_equals_uint64 (lmcc_receiver_next_timeout (test->receiver),
      LMCC_TIME_NONE);
  lmcc_receiver_start (test->receiver, loop->now);
  g_array_set_size (test->pictures, 0);
  test->segment_start = 0;
  test_loop_run (loop, 3 * LMCC_SECOND);
  fail_unless (test->pictures->len > 20);
  test_loop_free (loop);
}

GST_END_TEST;

static Suite *
receiver_suite (void)
{
  Suite *suite = suite_create ("receiver");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_a_forged_table_opens_no_group_beyond_the_caps);
  tcase_add_test (tcase,
      test_a_forged_revision_does_not_lock_out_the_senders_record);
  tcase_add_test (tcase, test_a_late_copy_of_an_old_record_changes_nothing);
  tcase_add_test (tcase, test_rates_announced_too_low_do_not_pass_max_bitrate);
  tcase_add_test (tcase, test_a_record_for_other_groups_is_refused);
  tcase_add_test (tcase, test_a_strangers_packets_are_counted_by_kind);
  tcase_add_test (tcase, test_a_strangers_goodbye_changes_nothing);
  tcase_add_test (tcase,
      test_a_leave_that_the_network_ignores_is_counted_and_told_once);
  tcase_add_test (tcase, test_a_replayed_stream_is_dropped);
  tcase_add_test (tcase, test_an_sdp_file_is_enough_without_rtcp);
  tcase_add_test (tcase, test_how_long_late_packets_are_awaited_is_told);
  tcase_add_test (tcase, test_silence_is_reported_each_timeout);
  tcase_add_test (tcase, test_a_wait_is_told_of_once_and_what_came);
  tcase_add_test (tcase, test_a_silence_in_mid_session_is_not_that_of_a_start);
  tcase_add_test (tcase,
      test_another_source_than_the_one_asked_for_is_not_heard);
  tcase_add_test (tcase, test_stopping_leaves_every_group);

  return suite;
}

GST_CHECK_MAIN (receiver);
