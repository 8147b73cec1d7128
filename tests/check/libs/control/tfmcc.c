/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests TFMCC's sender and receivers over links, beside TCP, and with an
 * address that forges reports.
 */
#include <gst/check/gstcheck.h>
#include <math.h>

#include "support/test-slow.h"
#include "support/test-tfmcc.h"

static const TestLinkSettings slow_400 = { .rate = 400000,
  .delay = 20 * LMCC_MSECOND,
  .queue_packets = 20 };

static const TestLinkSettings slow_300 = { .rate = 300000,
  .delay = 20 * LMCC_MSECOND,
  .queue_packets = 20 };

static void
run (TestTfmcc *tfmcc, LmccTime duration)
{
  test_world_run (tfmcc->base.world, duration);
}

/* RFC 5348 section 1: such a flow is "reasonably fair" within a factor of
 * two of a TCP's rate; leaving capacity unused is not fair either. */
GST_START_TEST (one_flow_alone_fills_a_link)
{
  TestTfmcc *tfmcc = test_tfmcc_new (&test_tfmcc_mbit, 1e7);
  const TestTfmccReceiver *r = test_tfmcc_add_receiver (tfmcc, NULL);
  guint64 before;

  run (tfmcc, 60 * LMCC_SECOND);
  before = r->base.bytes;
  run (tfmcc, 120 * LMCC_SECOND);
  fail_unless ((r->base.bytes - before) * 8.0 / 120 > 0.8e6, "%f",
      (r->base.bytes - before) * 8.0 / 120);
  test_tfmcc_free (tfmcc);
}

GST_END_TEST;

GST_START_TEST (one_flow_alone_has_left_slow_start)
{
  TestTfmcc *tfmcc = test_tfmcc_new (&test_tfmcc_mbit, 1e7);

  test_tfmcc_add_receiver (tfmcc, NULL);
  run (tfmcc, 60 * LMCC_SECOND);
  fail_if (test_tfmcc_is_slow_start (tfmcc));
  test_tfmcc_free (tfmcc);
}

GST_END_TEST;

GST_START_TEST (beside_tcp_both_get_the_same_within_a_factor_of_two)
{
  TestTfmcc *tfmcc = test_tfmcc_new (&test_tfmcc_mbit, 1e7);
  const TestTfmccReceiver *r = test_tfmcc_add_receiver (tfmcc, NULL);
  TestWorld *world = tfmcc->base.world;
  guint64 tcp, own;
  gdouble ratio;

  test_world_start_tcp (world, 0);
  run (tfmcc, 60 * LMCC_SECOND);
  tcp = world->tcp_bytes;
  own = r->base.bytes;
  run (tfmcc, 240 * LMCC_SECOND);
  ratio = (gdouble) (r->base.bytes - own) / (gdouble) (world->tcp_bytes - tcp);
  fail_unless (ratio > 0.5 && ratio < 2, "%f times what TCP has", ratio);
  test_tfmcc_free (tfmcc);
}

GST_END_TEST;

GST_START_TEST (the_slowest_receiver_decides)
{
  TestTfmcc *tfmcc = test_tfmcc_new (&test_tfmcc_mbit, 1e7);
  gdouble rate;

  test_tfmcc_add_receiver (tfmcc, NULL);
  test_tfmcc_add_receiver (tfmcc, &slow_400);
  test_tfmcc_add_receiver (tfmcc, NULL);
  run (tfmcc, 60 * LMCC_SECOND);
  rate = test_world_measure (&tfmcc->base, 120 * LMCC_SECOND);
  fail_unless_equals_int (test_tfmcc_limiting (tfmcc), 1);
  fail_unless (rate > 0.8 * 400000 && rate < 1.05 * 400000, "%f bit/s", rate);
  test_tfmcc_free (tfmcc);
}

GST_END_TEST;

static void
check_recovery (gboolean says_so)
{
  TestTfmcc *tfmcc = test_tfmcc_new (&test_tfmcc_mbit, 1e7);
  TestTfmccReceiver *slow;
  gdouble rate;

  test_tfmcc_add_receiver (tfmcc, NULL);
  slow = test_tfmcc_add_receiver (tfmcc, &slow_300);
  run (tfmcc, 60 * LMCC_SECOND);
  fail_unless_equals_int (test_tfmcc_limiting (tfmcc), 1);
  if (says_so) {
    lmcc_tfmcc_receiver_leave (slow->receiver);
    run (tfmcc, 2 * TEST_WORLD_STEP);
  }
  test_tfmcc_stop_receiver (slow);
  run (tfmcc, 60 * LMCC_SECOND);
  fail_unless_equals_int (test_tfmcc_limiting (tfmcc), 0);
  rate = test_world_measure (&tfmcc->base, 60 * LMCC_SECOND);
  fail_unless (rate > 0.8e6, "%f bit/s", rate);
  test_tfmcc_free (tfmcc);
}

GST_START_TEST (the_rate_recovers_when_the_limiting_receiver_leaves)
{
  check_recovery (TRUE);
}

GST_END_TEST;

GST_START_TEST (the_rate_recovers_when_the_limiting_receiver_is_gone)
{
  check_recovery (FALSE);
}

GST_END_TEST;

GST_START_TEST (without_reports_the_rate_falls_and_the_receiver_is_given_up)
{
  TestTfmcc *tfmcc = test_tfmcc_new (&test_tfmcc_mbit, 1e7);
  TestTfmccReceiver *r = test_tfmcc_add_receiver (tfmcc, NULL);
  gdouble before;

  run (tfmcc, 60 * LMCC_SECOND);
  r->base.mute = TRUE;
  /* Packets in transit still arrive. */
  run (tfmcc, 60 * LMCC_MSECOND);
  before = test_tfmcc_rate (tfmcc);
  run (tfmcc, 10 * LMCC_SECOND);
  fail_if (test_tfmcc_has_limiting (tfmcc));
  fail_unless (test_tfmcc_rate (tfmcc) <= before / 4);
  run (tfmcc, 300 * LMCC_SECOND);
  fail_unless (test_tfmcc_rate (tfmcc) <= before / 32);
  test_tfmcc_free (tfmcc);
}

GST_END_TEST;

/* All see the same losses. A report needs an R_max to suppress the others:
 * in that time, N^(1/6) times as many timers expire (RFC 4654 section 4.5, T
 * = 6 R_max), and more of them the further the number of receivers is below
 * the timer's N = 10000. */
GST_START_TEST (a_thousand_receivers_send_few_reports_in_a_round)
{
  const TestLinkSettings link = { .rate = 200000,
    .delay = 50 * LMCC_MSECOND,
    .queue_packets = 10 };
  const guint n = test_rounds (1000);
  TestTfmcc *tfmcc = test_tfmcc_new (&link, 1e7);
  guint64 rounds, reports;
  guint i;

  for (i = 0; i < n; i++)
    test_tfmcc_add_receiver (tfmcc, NULL);
  run (tfmcc, 30 * LMCC_SECOND);
  rounds = lmcc_tfmcc_sender_get_rounds (tfmcc->sender) - 1;
  reports = tfmcc->other_reports;
  fail_unless (rounds >= 6);
  fail_unless (reports >= rounds / 2);
  fail_unless (reports <= 10 * rounds,
      "%" G_GUINT64_FORMAT " in %" G_GUINT64_FORMAT " rounds", reports, rounds);
  fail_unless (tfmcc->most_reports <= 50, "%" G_GUINT64_FORMAT,
      tfmcc->most_reports);
  test_tfmcc_free (tfmcc);
}

GST_END_TEST;

/* The rate that one address claims in reports that echo the oldest
 * acceptable time, before and after the link gets wider. */
static const LmccTime stale_every[] = { LMCC_TIME_NONE, 5 * LMCC_SECOND,
  300 * LMCC_MSECOND, LMCC_MSECOND };

static void
report_stale (TestTfmcc *tfmcc)
{
  LmccTfmccReport report =
      test_tfmcc_forge (tfmcc, INFINITY, TRUE, 9900 * LMCC_MSECOND);

  report.ssrc += (guint32) (tfmcc->base.world->now / LMCC_MSECOND);
  report.round = (guint8) lmcc_tfmcc_sender_get_rounds (tfmcc->sender);
  test_tfmcc_hand_in (tfmcc, &report);
}

static LmccTime
climb (LmccTime every)
{
  const TestLinkSettings link = { .rate = 2000000,
    .delay = 15 * LMCC_MSECOND,
    .queue_packets = 37 };
  TestTfmcc *tfmcc = test_tfmcc_new (&link, 1e7);
  TestWorld *world = tfmcc->base.world;
  LmccTime took = 0, begun, next;

  test_tfmcc_add_receiver (tfmcc, NULL);
  run (tfmcc, 60 * LMCC_SECOND);
  begun = world->now;
  next = every == LMCC_TIME_NONE ? every : begun;
  while (took == 0 && world->now < begun + 80 * LMCC_SECOND) {
    if (world->now >= next) {
      report_stale (tfmcc);
      next += every;
    }
    if (world->now == begun + 20 * LMCC_SECOND)
      world->links[0].settings.rate = 6000000;
    if (test_tfmcc_rate (tfmcc) >= 4e6)
      took = world->now - begun - 20 * LMCC_SECOND;
    run (tfmcc, TEST_WORLD_STEP);
  }
  test_tfmcc_free (tfmcc);

  return took;
}

GST_START_TEST (one_address_does_not_hold_the_rate_down_by_its_distance)
{
  LmccTime took = climb (stale_every[__i__]);

  fail_unless (took > 0 && took < 15 * LMCC_SECOND, "%.1f s", took / 1e9);
}

GST_END_TEST;

/* The only receiver, whose host slept: the reports of the next round are as
 * before. */
GST_START_TEST (one_old_report_does_no_more_than_double_the_longest_time)
{
  TestTfmcc *tfmcc = test_tfmcc_new (&test_tfmcc_mbit, 1e7);
  LmccTime before, after;
  LmccTfmccReport report;
  guint32 ssrc;

  test_tfmcc_add_receiver (tfmcc, NULL);
  run (tfmcc, 60 * LMCC_SECOND);
  before = lmcc_tfmcc_sender_get_rtt_max (tfmcc->sender);
  fail_unless (lmcc_tfmcc_sender_get_limiting (tfmcc->sender, &ssrc));
  report = test_tfmcc_forge (tfmcc, 1e6, TRUE, 9900 * LMCC_MSECOND);
  report.ssrc = ssrc;
  fail_unless (test_tfmcc_hand_in_from (tfmcc, 0, &report));
  fail_unless (test_tfmcc_hand_in (tfmcc, &report));
  fail_unless (lmcc_tfmcc_sender_get_rtt_max (tfmcc->sender) <= 2 * before);
  run (tfmcc, 20 * LMCC_SECOND);
  after = lmcc_tfmcc_sender_get_rtt_max (tfmcc->sender);
  fail_unless (after < before + before / 2, "%.3f s after %.3f s", after / 1e9,
      before / 1e9);
  test_tfmcc_free (tfmcc);
}

GST_END_TEST;

GST_START_TEST (receivers_know_their_round_trip_time)
{
  const TestLinkSettings far = { .delay = 100 * LMCC_MSECOND };
  TestTfmcc *tfmcc = test_tfmcc_new (&test_tfmcc_mbit, 200000);
  const TestTfmccReceiver *receivers[2];
  guint i;

  receivers[0] = test_tfmcc_add_receiver (tfmcc, NULL);
  receivers[1] = test_tfmcc_add_receiver (tfmcc, &far);
  run (tfmcc, 60 * LMCC_SECOND);
  /* 50 ms in each direction and 8 ms of transmission time, in steps of 1 ms. */
  for (i = 0; i < 2; i++) {
    LmccTime rtt = lmcc_tfmcc_receiver_get_rtt (receivers[i]->receiver);

    fail_unless (rtt > (105 + 100 * i) * LMCC_MSECOND
            && rtt < (113 + 100 * i) * LMCC_MSECOND,
        "%u: %" G_GUINT64_FORMAT, i, rtt);
  }
  test_tfmcc_free (tfmcc);
}

GST_END_TEST;

static Suite *
tfmcc_suite (void)
{
  Suite *suite = suite_create ("tfmcc");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_test (tcase, one_flow_alone_fills_a_link);
  tcase_add_test (tcase, one_flow_alone_has_left_slow_start);
  tcase_add_test (tcase, beside_tcp_both_get_the_same_within_a_factor_of_two);
  tcase_add_test (tcase, the_slowest_receiver_decides);
  tcase_add_test (tcase, the_rate_recovers_when_the_limiting_receiver_leaves);
  tcase_add_test (tcase, the_rate_recovers_when_the_limiting_receiver_is_gone);
  tcase_add_test (tcase,
      without_reports_the_rate_falls_and_the_receiver_is_given_up);
  tcase_add_test (tcase, a_thousand_receivers_send_few_reports_in_a_round);
  tcase_add_loop_test (tcase,
      one_address_does_not_hold_the_rate_down_by_its_distance,
      test_is_slow () ? G_N_ELEMENTS (stale_every) - 1 : 0,
      G_N_ELEMENTS (stale_every));
  tcase_add_test (tcase,
      one_old_report_does_no_more_than_double_the_longest_time);
  tcase_add_test (tcase, receivers_know_their_round_trip_time);

  return suite;
}

GST_CHECK_MAIN (tfmcc);
