/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests that the receiver measures the round-trip time with the real sender
 * and passes it to its algorithm.
 */
#include "support/test-loop.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/controller.h>
#include <string.h>

#define MS LMCC_MSECOND
#define S LMCC_SECOND
#define SSRC 0x12345000u
#define RTT (2 * TEST_DELAY)
#define ALGORITHM "a-test"

/* 1/65536 s. */
#define TICK (LMCC_SECOND / 65536 + 1)

/* An algorithm that stays at a given level and records its input. */
static gint wanted_level;
static GArray *told;

static void
keep_rtt (LmccController *controller G_GNUC_UNUSED, LmccTime now G_GNUC_UNUSED,
    LmccTime rtt)
{
  g_array_append_val (told, rtt);
}

static void
hold (LmccController *controller, LmccTime now G_GNUC_UNUSED)
{
  controller->wanted_level = wanted_level;
}

static void
free_controller (LmccController *controller)
{
  g_free (controller);
}

static LmccController *create_controller (const LmccSession *session,
    const LmccSettings *settings, guint32 seed);

static LmccAlgorithm algorithm = {
  .name = ALGORITHM,
  .description = "A test's",
  .create = create_controller,
};

static LmccController *
create_controller (const LmccSession *session G_GNUC_UNUSED,
    const LmccSettings *settings G_GNUC_UNUSED, guint32 seed G_GNUC_UNUSED)
{
  static const LmccControllerClass klass = {
    .on_rtt = keep_rtt,
    .on_timeout = hold,
    .free = free_controller,
  };
  LmccController *controller = g_new0 (LmccController, 1);

  controller->algorithm = &algorithm;
  controller->klass = &klass;
  controller->wanted_level = wanted_level;
  controller->reason = "a test's";

  return controller;
}

static TestLoop *
new_loop (void)
{
  TestLoop *loop = test_loop_new (1, TRUE);

  wanted_level = 0;
  algorithm.needs_rtt = TRUE;
  told = g_array_new (FALSE, FALSE, sizeof (LmccTime));
  loop->algorithm = ALGORITHM;
  loop->feedback_interval = 3 * S;

  return loop;
}

static void
free_loop (TestLoop *loop)
{
  test_loop_free (loop);
  g_array_unref (told);
}

static LmccReceiverStats
get_stats (TestLoop *loop, TestReceiver *test)
{
  LmccReceiverStats stats;

  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);

  return stats;
}

static LmccTime
last_told (void)
{
  fail_unless (told->len > 0);

  return g_array_index (told, LmccTime, told->len - 1);
}

static void
assert_near (LmccTime found, LmccTime expected, LmccTime tolerance)
{
  fail_unless (found + tolerance >= expected && found <= expected + tolerance,
      "%" G_GUINT64_FORMAT " us, not %" G_GUINT64_FORMAT, found / 1000,
      expected / 1000);
}

GST_START_TEST (the_round_trip_time_is_measured_and_told)
{
  TestLoop *loop = new_loop ();
  TestReceiver *test;
  LmccReceiverStats stats;

  test_loop_start_sender (loop, SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_CONCEAL);
  test_loop_run (loop, 2 * S);
  stats = get_stats (loop, test);
  fail_unless_equals_int (stats.rtt_source, LMCC_RTT_SOURCE_MAX);
  fail_unless_equals_uint64 (stats.rtt, 500 * MS);
  fail_unless_equals_int (told->len, 0);

  test_loop_run (loop, 28 * S);
  stats = get_stats (loop, test);
  fail_unless_equals_int (stats.rtt_source, LMCC_RTT_SOURCE_FEEDBACK);
  assert_near (stats.rtt, RTT, 2 * TICK);
  assert_near (last_told (), RTT, 2 * TICK);
  fail_unless (stats.reports >= 5 && stats.reports <= 15);
  fail_unless_equals_uint64 (stats.reports, test->n_reports);
  fail_unless_equals_uint64 (stats.answers, stats.reports);
  fail_unless_equals_uint64 (stats.drops[LMCC_DROP_BAD_ANSWER], 0);
  /* A constant path is reported once. */
  fail_unless_equals_int (told->len, 1);
  fail_unless_equals_int (test->n_warnings, 0);
  fail_unless_equals_uint64 (lmcc_sender_get_stats (loop->sender)->answers,
      stats.answers);
  free_loop (loop);
}

GST_END_TEST;

static guint
delay_all (TestLoop *loop G_GNUC_UNUSED, guint receiver G_GNUC_UNUSED,
    const LmccPacket *packet G_GNUC_UNUSED, guint group G_GNUC_UNUSED,
    gboolean control G_GNUC_UNUSED, LmccTime *extra_delay, gpointer user_data)
{
  *extra_delay = *(LmccTime *) user_data;

  return 1;
}

GST_START_TEST (a_queue_is_told_with_the_next_packet)
{
  TestLoop *loop = new_loop ();
  LmccTime queue = 0;

  loop->impair = delay_all;
  loop->impair_data = &queue;
  test_loop_start_sender (loop, SSRC);
  test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_CONCEAL);
  test_loop_run (loop, 10 * S);
  assert_near (last_told (), RTT, 2 * TICK);
  queue = 60 * MS;
  /* At least one packet every 100 ms, filler if necessary. */
  test_loop_run (loop, TEST_DELAY + queue + 110 * MS);
  assert_near (last_told (), RTT + queue, MS);
  queue = 0;
  test_loop_run (loop, TEST_DELAY + 110 * MS);
  assert_near (last_told (), RTT, MS);
  free_loop (loop);
}

GST_END_TEST;

GST_START_TEST (nothing_is_reported_where_the_algorithm_needs_no_rtt)
{
  TestLoop *loop = new_loop ();
  TestReceiver *test;

  algorithm.needs_rtt = FALSE;
  test_loop_start_sender (loop, SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_CONCEAL);
  test_loop_run (loop, 20 * S);
  fail_unless_equals_int (test->n_reports, 0);
  fail_unless_equals_int (told->len, 0);
  fail_unless_equals_uint64 (get_stats (loop, test).rtt, 0);
  free_loop (loop);
}

GST_END_TEST;

GST_START_TEST (nothing_is_reported_where_the_session_takes_no_reports)
{
  TestLoop *loop = new_loop ();
  TestReceiver *test;

  loop->feedback_interval = 0;
  test_loop_start_sender (loop, SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_CONCEAL);
  test_loop_run (loop, 20 * S);
  fail_unless_equals_int (test->n_reports, 0);
  fail_unless_equals_int (get_stats (loop, test).rtt_source,
      LMCC_RTT_SOURCE_MAX);
  free_loop (loop);
}

GST_END_TEST;

GST_START_TEST (a_fixed_rtt_is_told_and_nothing_reported)
{
  TestLoop *loop = new_loop ();
  TestReceiver *test;

  loop->rtt_mode = LMCC_RTT_MODE_FIXED;
  loop->fixed_rtt = 123 * MS;
  test_loop_start_sender (loop, SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_CONCEAL);
  test_loop_run (loop, 20 * S);
  fail_unless_equals_int (test->n_reports, 0);
  fail_unless_equals_int (told->len, 1);
  fail_unless_equals_uint64 (last_told (), 123 * MS);
  free_loop (loop);
}

GST_END_TEST;

/* Packets of a joined group arrive at once here: the estimate is limited by
 * the interval between packets. */
GST_START_TEST (joins_are_measured_and_nothing_reported)
{
  TestLoop *loop = new_loop ();
  TestReceiver *test;
  guint i;

  loop->rtt_mode = LMCC_RTT_MODE_JOIN;
  test_loop_start_sender (loop, SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_CONCEAL);
  test_loop_run (loop, 5 * S);
  fail_unless_equals_int (told->len, 0);
  for (i = 0; i < 10; i++) {
    wanted_level = 2 * (i % 2);
    test_loop_run (loop, 2 * S);
  }
  fail_unless_equals_int (test->n_reports, 0);
  fail_unless_equals_int (get_stats (loop, test).rtt_source,
      LMCC_RTT_SOURCE_JOIN);
  fail_unless (last_told () < 100 * MS);
  free_loop (loop);
}

GST_END_TEST;

/* A cable is unplugged from before the join until after it. */
GST_START_TEST (a_join_during_an_outage_measures_nothing)
{
  TestLoop *loop = new_loop ();
  TestReceiver *test;
  gboolean cut = FALSE;
  LmccReceiverStats stats;

  loop->rtt_mode = LMCC_RTT_MODE_JOIN;
  loop->impair = test_network_cut;
  loop->impair_data = &cut;
  test_loop_start_sender (loop, SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_CONCEAL);
  test_loop_run (loop, 5 * S);
  cut = TRUE;
  test_loop_run (loop, 30 * MS);
  wanted_level = 1;
  test_loop_run (loop, 1300 * MS);
  fail_unless (test->joined[1]);
  cut = FALSE;
  test_loop_run (loop, 2 * S);
  stats = get_stats (loop, test);
  fail_unless_equals_int (stats.level, 1);
  fail_unless (stats.join_to_packet > 500 * MS);
  fail_unless_equals_int (stats.rtt_source, LMCC_RTT_SOURCE_MAX);
  fail_unless_equals_uint64 (stats.rtt, 500 * MS);
  fail_unless_equals_int (told->len, 0);

  /* The next join does. */
  wanted_level = 2;
  test_loop_run (loop, 2 * S);
  fail_unless_equals_int (get_stats (loop, test).rtt_source,
      LMCC_RTT_SOURCE_JOIN);
  fail_unless (last_told () < 100 * MS);
  free_loop (loop);
}

GST_END_TEST;

static guint
lose_a_third (TestLoop *loop, guint receiver G_GNUC_UNUSED,
    const LmccPacket *packet G_GNUC_UNUSED, guint group G_GNUC_UNUSED,
    gboolean control, LmccTime *extra_delay G_GNUC_UNUSED,
    gpointer user_data G_GNUC_UNUSED)
{
  return control || g_rand_int_range (loop->random, 0, 3) > 0 ? 1 : 0;
}

/* It loses answers at the same rate as packets, unlike a firewall. */
GST_START_TEST (a_full_path_is_no_firewall)
{
  guint full;

  for (full = 0; full < 2; full++) {
    TestLoop *loop = new_loop ();
    TestReceiver *test;

    test_loop_start_sender (loop, SSRC);
    test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_CONCEAL);
    if (full)
      loop->impair = lose_a_third;
    loop->reports_are_cut = TRUE;
    test_loop_run (loop, 60 * S);
    fail_unless_equals_int (test->n_warnings, 1);
    fail_unless ((strstr (test->warning, "path may be full") != NULL) == full);
    fail_unless ((strstr (test->warning, "firewall") != NULL) == !full);
    free_loop (loop);
  }
}

GST_END_TEST;

GST_START_TEST (without_answers_joins_are_used_with_one_warning)
{
  TestLoop *loop = new_loop ();
  TestReceiver *test;
  LmccReceiverStats stats;
  guint64 answers;

  test_loop_start_sender (loop, SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_CONCEAL);
  test_loop_run (loop, 10 * S);
  wanted_level = 2;
  test_loop_run (loop, 10 * S);
  stats = get_stats (loop, test);
  fail_unless_equals_int (stats.rtt_source, LMCC_RTT_SOURCE_FEEDBACK);
  answers = stats.answers;

  loop->reports_are_cut = TRUE;
  test_loop_run (loop, 60 * S);
  stats = get_stats (loop, test);
  fail_unless (stats.answers <= answers + 1);
  fail_unless_equals_int (stats.rtt_source, LMCC_RTT_SOURCE_JOIN);
  fail_unless_equals_uint64 (stats.rtt, last_told ());
  fail_unless_equals_int (test->n_warnings, 1);
  fail_unless (g_str_has_prefix (test->warning, "reports get no answer"));

  loop->reports_are_cut = FALSE;
  test_loop_run (loop, 200 * S);
  stats = get_stats (loop, test);
  fail_unless (stats.answers > answers + 5);
  fail_unless_equals_int (stats.rtt_source, LMCC_RTT_SOURCE_FEEDBACK);
  assert_near (last_told (), RTT, MS);
  fail_unless_equals_int (test->n_warnings, 1);
  free_loop (loop);
}

GST_END_TEST;

static void
forge_answer (TestLoop *loop, TestReceiver *test, guint32 sender_ssrc,
    guint32 ssrc, guint32 last_rr, guint32 delay)
{
  LmccDlrr answer = { ssrc, last_rr, delay };
  g_autoptr (LmccPacket) packet =
      lmcc_rtcp_build_dlrr (sender_ssrc, &answer, 1);

  lmcc_receiver_handle_control (test->receiver, loop->now,
      &loop->sender_address, 40000, packet->data, packet->size);
}

GST_START_TEST (forged_answers_are_counted_and_change_nothing)
{
  TestLoop *loop = new_loop ();
  TestReceiver *test;
  LmccReceiverStats stats;
  guint64 answers, bad;
  guint32 own, last_rr;
  guint n;

  test_loop_start_sender (loop, SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_CONCEAL);
  test_loop_run (loop, 20 * S);
  for (n = test->n_reports; n == test->n_reports;)
    test_loop_run (loop, MS);
  own = test->report.ssrc;
  last_rr = (guint32) (test->report.ntp_time >> 16);
  stats = get_stats (loop, test);
  answers = stats.answers;
  bad = stats.drops[LMCC_DROP_BAD_ANSWER];

  /* Answers for others are ignored. */
  forge_answer (loop, test, SSRC, own + 1, last_rr, 0);
  fail_unless_equals_uint64 (get_stats (loop, test).drops[LMCC_DROP_BAD_ANSWER],
      bad);
  /* Negative, from another session's SSRC, for no report, from long ago. */
  forge_answer (loop, test, SSRC, own, last_rr, 10 * 65536);
  forge_answer (loop, test, SSRC, own, last_rr, G_MAXUINT32);
  forge_answer (loop, test, SSRC + 0x1000, own, last_rr, 0);
  forge_answer (loop, test, SSRC, own, last_rr + 1, 0);
  forge_answer (loop, test, SSRC, own, 0, 0);
  stats = get_stats (loop, test);
  fail_unless_equals_uint64 (stats.drops[LMCC_DROP_BAD_ANSWER], bad + 5);
  fail_unless_equals_uint64 (stats.answers, answers);
  assert_near (stats.rtt, RTT, 2 * TICK);

  /* The sender's own answer is accepted, once. */
  test_loop_run (loop, S);
  forge_answer (loop, test, SSRC, own, last_rr, 0);
  stats = get_stats (loop, test);
  fail_unless_equals_uint64 (stats.answers, answers + 1);
  fail_unless_equals_uint64 (stats.drops[LMCC_DROP_BAD_ANSWER], bad + 6);
  assert_near (stats.rtt, RTT, 2 * TICK);
  free_loop (loop);
}

GST_END_TEST;

/* With the sender's own address and S0, and newer than the sender's own
 * packets. The loop checks the destination of reports. */
static void
forge_source (TestLoop *loop, TestReceiver *test, const gchar *source)
{
  LmccSession session = *lmcc_receiver_get_session (test->receiver);

  session.revision += 1000;
  lmcc_address_parse (source, &session.source);
  test_loop_send_record (loop, test, &session, &loop->sender_address);
}

/* For 30 s, and so often that the sender's own record, every 250 ms, never
 * arrives twice in between. */
static void
hold_forged_source (TestLoop *loop, TestReceiver *test, const gchar *source)
{
  guint i;

  for (i = 0; i < 150; i++) {
    forge_source (loop, test, source);
    test_loop_run (loop, S / 5);
  }
}

/* No warning speaks of a round-trip time that nobody needs. */
GST_START_TEST (losses_are_reported_where_the_algorithm_needs_no_rtt)
{
  TestLoop *loop = new_loop ();
  TestReceiver *test;
  gboolean elsewhere;

  algorithm.needs_rtt = FALSE;
  loop->repair = LMCC_REPAIR_AUTO_MOST;
  loop->repair_auto = TRUE;
  test_loop_start_sender (loop, SSRC);
  for (elsewhere = FALSE; elsewhere <= TRUE; elsewhere++) {
    test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_CONCEAL);
    test_loop_run (loop, 20 * S);
    fail_unless (test->n_reports > 0);
    fail_unless_equals_int (told->len, 0);
    fail_unless_equals_int (test->n_warnings, 0);
    if (elsewhere)
      hold_forged_source (loop, test, "192.0.2.66");
    else
      loop->reports_are_cut = TRUE;
    test_loop_run (loop, 60 * S);
    loop->reports_are_cut = FALSE;
    fail_unless_equals_int (test->n_warnings, 1);
    fail_unless (strstr (test->warning, "losses") != NULL);
    fail_unless (strstr (test->warning, "round-trip") == NULL);
  }
  free_loop (loop);
}

GST_END_TEST;

GST_START_TEST (a_record_that_names_another_host_sends_no_reports_there)
{
  TestLoop *loop = new_loop ();
  TestReceiver *test;
  LmccReceiverStats stats;
  guint reports;

  test_loop_start_sender (loop, SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_CONCEAL);
  test_loop_run (loop, 10 * S);
  wanted_level = 2;
  test_loop_run (loop, S);
  reports = test->n_reports;
  fail_unless (reports > 0);
  fail_unless_equals_int (test->n_warnings, 0);

  hold_forged_source (loop, test, "192.0.2.66");
  hold_forged_source (loop, test, "192.0.2.67");
  hold_forged_source (loop, test, "0.0.0.0");
  fail_unless_equals_int (test->n_reports, reports);
  fail_unless_equals_int (test->n_warnings, 1);
  fail_unless (strstr (test->warning, "another host") != NULL);
  stats = get_stats (loop, test);
  fail_unless_equals_int (stats.rtt_source, LMCC_RTT_SOURCE_JOIN);
  fail_unless_equals_uint64 (stats.rtt, last_told ());

  forge_source (loop, test, "10.0.0.1");
  test_loop_run (loop, 30 * S);
  fail_unless (test->n_reports > reports);
  stats = get_stats (loop, test);
  fail_unless_equals_int (stats.rtt_source, LMCC_RTT_SOURCE_FEEDBACK);
  assert_near (last_told (), RTT, 2 * TICK);
  fail_unless_equals_int (test->n_warnings, 1);
  free_loop (loop);
}

GST_END_TEST;

GST_START_TEST (where_the_session_takes_no_reports_joins_are_measured)
{
  TestLoop *loop = new_loop ();
  TestReceiver *test;

  loop->feedback_interval = 0;
  test_loop_start_sender (loop, SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_CONCEAL);
  test_loop_run (loop, 5 * S);
  fail_unless_equals_int (get_stats (loop, test).rtt_source,
      LMCC_RTT_SOURCE_MAX);
  wanted_level = 2;
  test_loop_run (loop, 5 * S);
  fail_unless_equals_int (get_stats (loop, test).rtt_source,
      LMCC_RTT_SOURCE_JOIN);
  fail_unless (last_told () < 100 * MS);
  fail_unless_equals_int (test->n_reports, 0);
  fail_unless_equals_int (test->n_warnings, 0);
  free_loop (loop);
}

GST_END_TEST;

GST_START_TEST (a_sender_that_is_gone_gets_no_reports_and_the_next_is_measured)
{
  TestLoop *loop = new_loop ();
  TestReceiver *test;
  guint reports;

  test_loop_start_sender (loop, SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_CONCEAL);
  test_loop_run (loop, 10 * S);
  fail_unless_equals_int (told->len, 1);
  test_loop_kill_sender (loop);
  test_loop_run (loop, 2 * S);
  reports = test->n_reports;
  test_loop_run (loop, 30 * S);
  fail_unless_equals_int (test->n_reports, reports);

  test_loop_start_sender (loop, 0x6789a000);
  test_loop_run (loop, 2 * S);
  fail_unless_equals_int (get_stats (loop, test).rtt_source,
      LMCC_RTT_SOURCE_MAX);
  test_loop_run (loop, 10 * S);
  fail_unless (test->n_reports > reports);
  fail_unless_equals_int (told->len, 2);
  assert_near (last_told (), RTT, 2 * TICK);
  fail_unless_equals_int (test->n_warnings, 0);
  free_loop (loop);
}

GST_END_TEST;

GST_START_TEST (a_receivers_ssrc_is_none_of_the_sessions)
{
  guint32 own;
  guint i;

  for (i = 0; i < 2; i++) {
    TestLoop *loop = new_loop ();
    TestReceiver *test;

    test_loop_start_sender (loop, i == 0 ? SSRC : own & 0xfffff000);
    test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_CONCEAL);
    test_loop_run (loop, 10 * S);
    fail_unless (get_stats (loop, test).answers > 0);
    if (i == 0)
      own = test->report.ssrc;
    else
      fail_unless ((test->report.ssrc & 0xfffff000) != (own & 0xfffff000));
    free_loop (loop);
  }
}

GST_END_TEST;

static Suite *
receiver_rtt_suite (void)
{
  Suite *s = suite_create ("receiver-rtt");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  lmcc_algorithm_register (&algorithm);
  tcase_add_test (tc, the_round_trip_time_is_measured_and_told);
  tcase_add_test (tc, a_queue_is_told_with_the_next_packet);
  tcase_add_test (tc, nothing_is_reported_where_the_algorithm_needs_no_rtt);
  tcase_add_test (tc, nothing_is_reported_where_the_session_takes_no_reports);
  tcase_add_test (tc, a_fixed_rtt_is_told_and_nothing_reported);
  tcase_add_test (tc, joins_are_measured_and_nothing_reported);
  tcase_add_test (tc, a_join_during_an_outage_measures_nothing);
  tcase_add_test (tc, a_full_path_is_no_firewall);
  tcase_add_test (tc, without_answers_joins_are_used_with_one_warning);
  tcase_add_test (tc, losses_are_reported_where_the_algorithm_needs_no_rtt);
  tcase_add_test (tc, forged_answers_are_counted_and_change_nothing);
  tcase_add_test (tc, a_record_that_names_another_host_sends_no_reports_there);
  tcase_add_test (tc, where_the_session_takes_no_reports_joins_are_measured);
  tcase_add_test (tc,
      a_sender_that_is_gone_gets_no_reports_and_the_next_is_measured);
  tcase_add_test (tc, a_receivers_ssrc_is_none_of_the_sessions);

  return s;
}

GST_CHECK_MAIN (receiver_rtt);
