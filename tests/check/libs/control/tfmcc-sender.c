/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the rate of TFMCC's sender with reports from the test, and when it
 * gives up a receiver.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/single-rate/tfmcc-wire.h>
#include <gst/lmcc/measure/loss.h>
#include <gst/lmcc/wire/layer-header.h>
#include <math.h>

#include "support/test-tfmcc.h"

GST_START_TEST (reports_that_cannot_be_true_are_refused)
{
  TestTfmcc *tfmcc = test_tfmcc_new (&test_tfmcc_mbit, 1e7);
  gdouble rate = test_tfmcc_rate (tfmcc);
  LmccTfmccReport report = test_tfmcc_forge (tfmcc, 1e6, TRUE, 0);

  fail_if (test_tfmcc_hand_in (tfmcc, &report));
  report.echoed_time += 65536;
  fail_if (test_tfmcc_hand_in (tfmcc, &report));
  report = test_tfmcc_forge (tfmcc, 100, TRUE, 11 * LMCC_SECOND);
  fail_if (test_tfmcc_hand_in (tfmcc, &report));
  fail_unless (test_tfmcc_rate (tfmcc) == rate);
  test_tfmcc_free (tfmcc);
}

GST_END_TEST;

/* RFC 4654 section 3.3: a packet in 8 s. */
GST_START_TEST (no_report_takes_the_rate_below_the_floor)
{
  TestTfmcc *tfmcc = test_tfmcc_new (&test_tfmcc_mbit, 1e7);
  LmccTfmccReport report =
      test_tfmcc_forge (tfmcc, 100, TRUE, 100 * LMCC_MSECOND);

  fail_unless (test_tfmcc_hand_in (tfmcc, &report));
  fail_unless (test_tfmcc_rate (tfmcc) == 1000.0);
  test_tfmcc_free (tfmcc);
}

GST_END_TEST;

/* By one packet per R_max in each R_max, however often it is called. */
GST_START_TEST (no_report_makes_the_rate_grow_faster_than_specified)
{
  TestTfmcc *tfmcc = test_tfmcc_new (&test_tfmcc_mbit, 1e9);
  LmccTfmccReport report;
  gdouble rate = test_tfmcc_rate (tfmcc);
  gdouble step = 8.0 * TEST_TFMCC_PACKET * LMCC_SECOND
      / lmcc_tfmcc_sender_get_rtt_max (tfmcc->sender);
  guint i;

  for (i = 0; i < 1000; i++) {
    report =
        test_tfmcc_forge (tfmcc, i % 2 ? INFINITY : 1e12, i % 2, LMCC_MSECOND);
    test_tfmcc_hand_in (tfmcc, &report);
    tfmcc->base.world->now += LMCC_MSECOND;
  }
  fail_unless (test_tfmcc_rate (tfmcc) > rate + step);
  fail_unless (test_tfmcc_rate (tfmcc) <= rate + 2 * step, "%f",
      test_tfmcc_rate (tfmcc));
  test_tfmcc_free (tfmcc);
}

GST_END_TEST;

static void
send_and_wait (TestTfmcc *tfmcc, gboolean sends, LmccTime wait)
{
  LmccTime *now = &tfmcc->base.world->now;
  LmccTfmccElement element;

  if (sends)
    lmcc_tfmcc_sender_get_element (tfmcc->sender, *now, &element);
  *now += wait;
  while (lmcc_tfmcc_sender_next_timeout (tfmcc->sender) <= *now)
    lmcc_tfmcc_sender_handle_timeout (tfmcc->sender, *now);
}

/* An encoder makes one or two packets per picture, and a camera or a busy
 * host may delay one: RFC 5348 section 4.4. */
GST_START_TEST (silence_of_the_sender_is_not_taken_for_the_receivers)
{
  TestTfmcc *tfmcc = test_tfmcc_new (&test_tfmcc_mbit, 1e9);
  LmccTime rtt = 30 * LMCC_MSECOND;
  LmccTfmccReport report;
  gdouble rate;
  guint i;

  for (i = 0; i < 1000; i++) {
    report = test_tfmcc_forge (tfmcc, 1e6, TRUE, rtt);
    fail_unless (test_tfmcc_hand_in (tfmcc, &report));
    send_and_wait (tfmcc, TRUE, rtt);
  }
  report = test_tfmcc_forge (tfmcc, 1e6, TRUE, rtt);
  fail_unless (test_tfmcc_hand_in (tfmcc, &report));
  rate = test_tfmcc_rate (tfmcc);
  fail_unless (rate > 900000, "%f", rate);

  /* Longer than the time after which a silent receiver is given up. Directly
   * after a report, it has nothing to report. */
  if (__i__ == 1) {
    tfmcc->base.world->now += LMCC_MSECOND;
    send_and_wait (tfmcc, TRUE, 0);
  }
  send_and_wait (tfmcc, FALSE, 20 * rtt);
  fail_unless (test_tfmcc_rate (tfmcc) == rate);
  fail_unless (test_tfmcc_has_limiting (tfmcc));
  send_and_wait (tfmcc, TRUE, rtt);
  fail_unless (test_tfmcc_rate (tfmcc) == rate);

  /* It was asked, and does not answer. */
  send_and_wait (tfmcc, FALSE, 4 * rtt);
  fail_unless (test_tfmcc_rate (tfmcc) <= rate / 2);
  send_and_wait (tfmcc, FALSE, 10 * rtt);
  fail_if (test_tfmcc_has_limiting (tfmcc));
  test_tfmcc_free (tfmcc);
}

GST_END_TEST;

GST_START_TEST (a_session_begins_with_a_packet_in_the_longest_round_trip_time)
{
  TestTfmcc *tfmcc = test_tfmcc_new (&test_tfmcc_mbit, 1e7);

  fail_unless (test_tfmcc_rate (tfmcc) == 16000.0);
  fail_unless (test_tfmcc_is_slow_start (tfmcc));
  test_tfmcc_free (tfmcc);
}

GST_END_TEST;

GST_START_TEST (a_receiver_without_a_round_trip_time_is_reckoned_with_its_own)
{
  TestTfmcc *tfmcc = test_tfmcc_new (&test_tfmcc_mbit, 1e7);
  LmccTfmccReport report =
      test_tfmcc_forge (tfmcc, 8000, FALSE, 250 * LMCC_MSECOND);

  /* 8000 at an R_max of 500 ms are 16000 at 250 ms. */
  fail_unless (test_tfmcc_hand_in (tfmcc, &report));
  fail_unless (fabs (test_tfmcc_rate (tfmcc) - 16000) < 10);
  report.has_rtt = TRUE;
  fail_unless (test_tfmcc_hand_in (tfmcc, &report));
  fail_unless (test_tfmcc_rate (tfmcc) == 8000);
  test_tfmcc_free (tfmcc);
}

GST_END_TEST;

GST_START_TEST (a_receiver_that_is_far_too_slow_must_leave)
{
  LmccTfmccReceiver *receiver =
      lmcc_tfmcc_receiver_new (1, TEST_TFMCC_SSRC_BASE, TEST_TFMCC_PACKET, 1);
  const LmccTfmccElement element = { .suppression_rate = INFINITY,
    .rtt_max = 500 * LMCC_MSECOND };
  LmccTime now = TEST_WORLD_START;
  LmccLoss loss;
  guint i;

  for (i = 0; i < 125; i++) {
    lmcc_tfmcc_receiver_packet (receiver, now, TEST_TFMCC_PACKET,
        lmcc_time_to_ntp_short (now), &element);
    fail_if (i < 120 && lmcc_tfmcc_receiver_must_leave (receiver, now));
    now += LMCC_SECOND;
    loss = lmcc_loss_at (now - LMCC_SECOND / 2, 1);
    lmcc_tfmcc_receiver_loss (receiver, now, &loss);
  }
  fail_unless (lmcc_tfmcc_receiver_must_leave (receiver, now));
  lmcc_tfmcc_receiver_free (receiver);
}

GST_END_TEST;

static Suite *
tfmcc_sender_suite (void)
{
  Suite *suite = suite_create ("tfmcc-sender");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_test (tcase, reports_that_cannot_be_true_are_refused);
  tcase_add_test (tcase, no_report_takes_the_rate_below_the_floor);
  tcase_add_test (tcase, no_report_makes_the_rate_grow_faster_than_specified);
  tcase_add_loop_test (tcase,
      silence_of_the_sender_is_not_taken_for_the_receivers, 0, 2);
  tcase_add_test (tcase,
      a_session_begins_with_a_packet_in_the_longest_round_trip_time);
  tcase_add_test (tcase,
      a_receiver_without_a_round_trip_time_is_reckoned_with_its_own);
  tcase_add_test (tcase, a_receiver_that_is_far_too_slow_must_leave);

  return suite;
}

GST_CHECK_MAIN (tfmcc_sender);
