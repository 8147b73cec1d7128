/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the round-trip time estimate from answers to reports, including forged
 * answers.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/measure/rtt.h>
#include <gst/lmcc/wire/layer-header.h>

#define MS LMCC_MSECOND
#define START (100 * LMCC_SECOND)

/* 1/65536 s. */
#define TICK (LMCC_SECOND / 65536)

static guint64
ntp_time (LmccTime time)
{
  return time / LMCC_SECOND << 32 | (time % LMCC_SECOND << 32) / LMCC_SECOND;
}

static guint32
ticks (LmccTime time)
{
  return (guint32) ((time << 16) / LMCC_SECOND);
}

static LmccRtt *
new_rtt (LmccRttMode mode)
{
  LmccRtt *rtt = lmcc_rtt_new (mode, 70 * MS);

  lmcc_rtt_set_max (rtt, 500 * MS);

  return rtt;
}

/* A report at @now, held by the sender for @held, answered after
 * @round_trip. */
static LmccRttAnswer
measure (LmccRtt *rtt, LmccTime now, LmccTime round_trip, LmccTime held)
{
  lmcc_rtt_report (rtt, now, ntp_time (now));

  return lmcc_rtt_answer (rtt, now + round_trip + held,
      (guint32) (ntp_time (now) >> 16), ticks (held));
}

static void
send_packet (LmccRtt *rtt, LmccTime sent, LmccTime delay)
{
  lmcc_rtt_packet (rtt, sent + delay, lmcc_time_to_ntp_short (sent));
}

static void
assert_rtt (LmccRtt *rtt, LmccTime expected, LmccTime tolerance)
{
  LmccTime found = lmcc_rtt_get (rtt);

  fail_unless (found + tolerance >= expected && found <= expected + tolerance,
      "%" G_GUINT64_FORMAT " us, not %" G_GUINT64_FORMAT, found / 1000,
      expected / 1000);
}

GST_START_TEST (the_largest_stands_for_it_until_it_is_measured)
{
  g_autoptr (LmccRtt) rtt = new_rtt (LMCC_RTT_MODE_FEEDBACK);

  fail_unless_equals_int (lmcc_rtt_get_source (rtt), LMCC_RTT_SOURCE_MAX);
  assert_rtt (rtt, 500 * MS, 0);
  lmcc_rtt_report (rtt, START, ntp_time (START));
  assert_rtt (rtt, 500 * MS, 0);
}

GST_END_TEST;

GST_START_TEST (an_answer_gives_the_time_less_what_the_sender_held_it)
{
  g_autoptr (LmccRtt) rtt = new_rtt (LMCC_RTT_MODE_FEEDBACK);

  fail_unless_equals_int (measure (rtt, START, 80 * MS, 250 * MS),
      LMCC_RTT_ANSWER_TAKEN);
  fail_unless_equals_int (lmcc_rtt_get_source (rtt), LMCC_RTT_SOURCE_FEEDBACK);
  assert_rtt (rtt, 80 * MS, TICK);
}

GST_END_TEST;

GST_START_TEST (samples_are_smoothed_by_half)
{
  g_autoptr (LmccRtt) rtt = new_rtt (LMCC_RTT_MODE_FEEDBACK);

  measure (rtt, START, 80 * MS, 0);
  measure (rtt, START + 3 * LMCC_SECOND, 160 * MS, 0);
  assert_rtt (rtt, 120 * MS, 0);
  measure (rtt, START + 6 * LMCC_SECOND, 160 * MS, 0);
  assert_rtt (rtt, 140 * MS, 0);
}

GST_END_TEST;

GST_START_TEST (a_queue_shows_with_the_packet_that_stood_in_it)
{
  g_autoptr (LmccRtt) rtt = new_rtt (LMCC_RTT_MODE_FEEDBACK);
  LmccTime sent = START;
  guint i;

  send_packet (rtt, sent, 40 * MS);
  measure (rtt, sent + 50 * MS, 80 * MS, 0);
  for (i = 0; i < 200; i++) {
    LmccTime queue = (i < 100 ? i : 200 - i) * MS;

    sent += 20 * MS;
    send_packet (rtt, sent, 40 * MS + queue);
    assert_rtt (rtt, 80 * MS + queue, MS / 2);
  }
}

GST_END_TEST;

GST_START_TEST (a_sample_in_a_queue_does_not_count_it_twice)
{
  g_autoptr (LmccRtt) rtt = new_rtt (LMCC_RTT_MODE_FEEDBACK);

  send_packet (rtt, START, 40 * MS);
  send_packet (rtt, START + 20 * MS, 100 * MS);
  measure (rtt, START + 40 * MS, 140 * MS, 0);
  assert_rtt (rtt, 140 * MS, TICK);
  send_packet (rtt, START + 90 * MS, 100 * MS);
  assert_rtt (rtt, 140 * MS, 2 * TICK);
  send_packet (rtt, START + 200 * MS, 40 * MS);
  assert_rtt (rtt, 80 * MS, 2 * TICK);
}

GST_END_TEST;

GST_START_TEST (the_clocks_need_not_agree)
{
  g_autoptr (LmccRtt) rtt = new_rtt (LMCC_RTT_MODE_FEEDBACK);
  LmccTime apart = 12345678 * LMCC_SECOND + 77 * MS, at = START;
  guint i;

  /* The sender's clock wraps in the middle. */
  apart += (65536 - (apart + START) / LMCC_SECOND % 65536 - 5) * LMCC_SECOND;
  for (i = 0; i < 500; i++, at += 20 * MS) {
    lmcc_rtt_packet (rtt, at + 40 * MS, lmcc_time_to_ntp_short (at + apart));
    if (i == 10)
      measure (rtt, at + 50 * MS, 80 * MS, 0);
    if (i > 10)
      assert_rtt (rtt, 80 * MS, 3 * TICK);
  }
}

GST_END_TEST;

/* A receiver in a large audience measures once in hours. */
GST_START_TEST (clocks_that_drift_apart_do_not_look_like_a_queue)
{
  g_autoptr (LmccRtt) rtt = new_rtt (LMCC_RTT_MODE_FEEDBACK);
  LmccTime sent = START;
  guint i;

  send_packet (rtt, sent, 40 * MS);
  measure (rtt, sent + 50 * MS, 80 * MS, 0);
  for (i = 0; i < 7200; i++) {
    sent += LMCC_SECOND;
    /* 80 parts per million. */
    send_packet (rtt, sent, 40 * MS + i * 80 * LMCC_USECOND);
    assert_rtt (rtt, 80 * MS, MS);
  }
  send_packet (rtt, sent + MS, 90 * MS + i * 80 * LMCC_USECOND);
  assert_rtt (rtt, 130 * MS, MS);
}

GST_END_TEST;

GST_START_TEST (a_sender_whose_clock_was_set_is_believed_after_a_while)
{
  g_autoptr (LmccRtt) rtt = new_rtt (LMCC_RTT_MODE_FEEDBACK);
  LmccTime sent = START;
  guint i;

  send_packet (rtt, sent, 40 * MS);
  measure (rtt, sent + 50 * MS, 80 * MS, 0);
  for (i = 0; i < 100; i++) {
    sent += 20 * MS;
    lmcc_rtt_packet (rtt, sent + 40 * MS,
        lmcc_time_to_ntp_short (sent + 3600 * LMCC_SECOND));
    assert_rtt (rtt, 80 * MS, 2 * TICK);
  }
  sent += 20 * MS;
  lmcc_rtt_packet (rtt, sent + 60 * MS,
      lmcc_time_to_ntp_short (sent + 3600 * LMCC_SECOND));
  assert_rtt (rtt, 100 * MS, 2 * TICK);
}

GST_END_TEST;

GST_START_TEST (answers_that_cannot_be_true_are_refused)
{
  g_autoptr (LmccRtt) rtt = new_rtt (LMCC_RTT_MODE_FEEDBACK);
  guint32 stamp = (guint32) (ntp_time (START) >> 16);

  measure (rtt, START - LMCC_SECOND, 80 * MS, 0);
  lmcc_rtt_report (rtt, START, ntp_time (START));
  /* Zero, negative, held for long, an hour late. */
  fail_unless_equals_int (lmcc_rtt_answer (rtt, START, stamp, 0),
      LMCC_RTT_ANSWER_BAD);
  fail_unless_equals_int (lmcc_rtt_answer (rtt, START + LMCC_SECOND, stamp,
                              65536),
      LMCC_RTT_ANSWER_BAD);
  fail_unless_equals_int (lmcc_rtt_answer (rtt, START + LMCC_SECOND, stamp,
                              65537),
      LMCC_RTT_ANSWER_BAD);
  fail_unless_equals_int (lmcc_rtt_answer (rtt, START + LMCC_SECOND, stamp,
                              G_MAXUINT32),
      LMCC_RTT_ANSWER_BAD);
  fail_unless_equals_int (lmcc_rtt_answer (rtt, START + 20 * LMCC_SECOND, stamp,
                              ticks (19 * LMCC_SECOND)),
      LMCC_RTT_ANSWER_BAD);
  fail_unless_equals_int (lmcc_rtt_answer (rtt, START + 3600 * LMCC_SECOND,
                              stamp, 0),
      LMCC_RTT_ANSWER_BAD);
  /* Not the requested echo. */
  fail_unless_equals_int (lmcc_rtt_answer (rtt, START + LMCC_SECOND, stamp + 1,
                              0),
      LMCC_RTT_ANSWER_UNKNOWN);
  fail_unless_equals_int (lmcc_rtt_answer (rtt, START + LMCC_SECOND, 0, 0),
      LMCC_RTT_ANSWER_UNKNOWN);
  assert_rtt (rtt, 80 * MS, TICK);

  /* The true answer is still accepted, once. */
  fail_unless_equals_int (lmcc_rtt_answer (rtt, START + 80 * MS, stamp, 0),
      LMCC_RTT_ANSWER_TAKEN);
  fail_unless_equals_int (lmcc_rtt_answer (rtt, START + 300 * MS, stamp, 0),
      LMCC_RTT_ANSWER_UNKNOWN);
  assert_rtt (rtt, 80 * MS, TICK);
}

GST_END_TEST;

/* Packets arrive 100 ms apart, and a queue of 100 ms drains between them:
 * the answer, halfway, waited in a queue of 50 ms. After a longer silence,
 * the queue is unknown. */
GST_START_TEST (an_answer_stood_in_a_queue_between_those_of_two_packets)
{
  g_autoptr (LmccRtt) rtt = new_rtt (LMCC_RTT_MODE_FEEDBACK);
  LmccTime now = START + 160 * MS;

  send_packet (rtt, START, 40 * MS);
  send_packet (rtt, START + 100 * MS, 140 * MS);
  fail_unless_equals_int (measure (rtt, now, 130 * MS, 0),
      LMCC_RTT_ANSWER_TAKEN);
  send_packet (rtt, START + 300 * MS, 40 * MS);
  assert_rtt (rtt, 80 * MS, MS / 2);

  /* Once for each answer. */
  send_packet (rtt, START + 400 * MS, 140 * MS);
  assert_rtt (rtt, 180 * MS, MS / 2);
  send_packet (rtt, START + 600 * MS, 40 * MS);
  assert_rtt (rtt, 80 * MS, MS / 2);

  now = START + 700 * MS;
  measure (rtt, now, 80 * MS, 0);
  send_packet (rtt, now + 2 * LMCC_SECOND, 140 * MS);
  assert_rtt (rtt, 180 * MS, MS / 2);
}

GST_END_TEST;

/* An attacker that sees reports can forge answers with any holding time. The
 * estimate never gets shorter than the current queueing delay or the floor. */
GST_START_TEST (forged_answers_do_not_hide_a_queue)
{
  LmccRtt *rtt = new_rtt (LMCC_RTT_MODE_FEEDBACK);
  g_autoptr (GRand) dice = g_rand_new_with_seed (3);
  LmccTime now = START, round_trip;
  guint taken = 0, i;

  send_packet (rtt, now, 40 * MS);
  for (i = 0; i < 20000; i++) {
    LmccTime queue = (LmccTime) g_rand_int_range (dice, 0, 300) * MS;
    guint32 last_rr = (guint32) (ntp_time (now) >> 16);
    guint32 delay = i % 2
        ? g_rand_int (dice) >> g_rand_int_range (dice, 0, 31)
        : ticks (80 * MS + queue) - (guint32) g_rand_int_range (dice, 0, 100);

    /* The delay of the empty queue is followed slowly, so it must be seen
     * often. */
    send_packet (rtt, now, 40 * MS);
    lmcc_rtt_report (rtt, now, ntp_time (now));
    send_packet (rtt, now + 40 * MS, 40 * MS + queue);
    taken += lmcc_rtt_answer (rtt, now + 80 * MS + queue, last_rr, delay)
        == LMCC_RTT_ANSWER_TAKEN;
    round_trip = lmcc_rtt_get (rtt);
    fail_unless (round_trip >= LMCC_RTT_MIN && round_trip <= LMCC_RTT_LIMIT);
    if (lmcc_rtt_get_source (rtt) == LMCC_RTT_SOURCE_FEEDBACK)
      fail_unless (round_trip + 2 * MS >= queue,
          "%" G_GUINT64_FORMAT " us in a"
          " queue of %" G_GUINT64_FORMAT,
          round_trip / 1000, queue / 1000);
    now += 500 * MS;
  }
  fail_unless (taken > 5000 && taken < 15000, "%u taken", taken);
  lmcc_rtt_free (rtt);
}

GST_END_TEST;

GST_START_TEST (only_the_latest_few_reports_can_be_answered)
{
  g_autoptr (LmccRtt) rtt = new_rtt (LMCC_RTT_MODE_FEEDBACK);
  guint i;

  for (i = 0; i < 5; i++)
    lmcc_rtt_report (rtt, START + i * LMCC_SECOND,
        ntp_time (START + i * LMCC_SECOND));
  fail_unless_equals_int (lmcc_rtt_answer (rtt, START + 5 * LMCC_SECOND,
                              (guint32) (ntp_time (START) >> 16), 0),
      LMCC_RTT_ANSWER_UNKNOWN);
  fail_unless_equals_int (lmcc_rtt_answer (rtt, START + 5 * LMCC_SECOND,
                              (guint32) (ntp_time (START + LMCC_SECOND) >> 16),
                              ticks (3900 * MS)),
      LMCC_RTT_ANSWER_TAKEN);
  assert_rtt (rtt, 100 * MS, TICK);
}

GST_END_TEST;

GST_START_TEST (estimates_stay_within_their_bounds)
{
  g_autoptr (LmccRtt) rtt = new_rtt (LMCC_RTT_MODE_FEEDBACK);

  send_packet (rtt, START, 40 * MS);
  measure (rtt, START + MS, 20 * LMCC_USECOND, 0);
  assert_rtt (rtt, LMCC_RTT_MIN, 0);
  send_packet (rtt, START + 20 * MS, 0);
  assert_rtt (rtt, LMCC_RTT_MIN, 0);
  send_packet (rtt, START + 40 * MS, 9 * LMCC_SECOND);
  measure (rtt, START + 60 * MS, 10 * LMCC_SECOND, 0);
  measure (rtt, START + 20 * LMCC_SECOND, 10 * LMCC_SECOND, 0);
  fail_unless (lmcc_rtt_get (rtt) <= LMCC_RTT_LIMIT);
  send_packet (rtt, START + 80 * MS, 9900 * MS);
  assert_rtt (rtt, LMCC_RTT_LIMIT, LMCC_SECOND);
  fail_unless (lmcc_rtt_get (rtt) <= LMCC_RTT_LIMIT);
}

GST_END_TEST;

GST_START_TEST (three_reports_without_an_answer_turn_to_joins)
{
  g_autoptr (LmccRtt) rtt = new_rtt (LMCC_RTT_MODE_FEEDBACK);
  LmccTime now = START;
  guint i;

  measure (rtt, now, 80 * MS, 0);
  lmcc_rtt_join (rtt, START, 130 * MS, 20 * MS);
  for (i = 0; i < 3; i++) {
    now += 3 * LMCC_SECOND;
    lmcc_rtt_report (rtt, now, ntp_time (now));
    fail_unless_equals_int (lmcc_rtt_get_source (rtt),
        LMCC_RTT_SOURCE_FEEDBACK);
  }
  now += 3 * LMCC_SECOND;
  lmcc_rtt_report (rtt, now, ntp_time (now));
  fail_unless_equals_int (lmcc_rtt_get_unanswered (rtt), 3);
  fail_unless_equals_int (lmcc_rtt_get_source (rtt), LMCC_RTT_SOURCE_JOIN);
  assert_rtt (rtt, 120 * MS, 1);

  /* The next answer turns the trend. */
  lmcc_rtt_answer (rtt, now + 80 * MS, (guint32) (ntp_time (now) >> 16), 0);
  fail_unless_equals_int (lmcc_rtt_get_source (rtt), LMCC_RTT_SOURCE_FEEDBACK);
  fail_unless_equals_int (lmcc_rtt_get_unanswered (rtt), 0);
  assert_rtt (rtt, 80 * MS, TICK);
}

GST_END_TEST;

GST_START_TEST (a_join_counts_less_as_it_gets_older)
{
  g_autoptr (LmccRtt) rtt = new_rtt (LMCC_RTT_MODE_JOIN);
  LmccTime before, after;

  lmcc_rtt_join (rtt, START, 3307 * MS, 10 * MS);
  send_packet (rtt, START, 20 * MS);
  before = lmcc_rtt_get (rtt);
  fail_unless (before > 3 * LMCC_SECOND);
  /* No answer confirms it: in a minute, most of the part above R_max is
   * gone. */
  send_packet (rtt, START + 60 * LMCC_SECOND, 20 * MS);
  after = lmcc_rtt_get (rtt);
  fail_unless (after > 500 * MS && after < LMCC_SECOND);
  /* The next answer gives nearly the whole value. */
  lmcc_rtt_join (rtt, START + 120 * LMCC_SECOND, 65 * MS, 10 * MS);
  send_packet (rtt, START + 120 * LMCC_SECOND, 20 * MS);
  fail_unless (lmcc_rtt_get (rtt) < 400 * MS);
  lmcc_rtt_join (rtt, START + 180 * LMCC_SECOND, 65 * MS, 10 * MS);
  assert_rtt (rtt, 60 * MS, 10 * MS);
}

GST_END_TEST;

GST_START_TEST (a_join_below_the_largest_stands_until_the_next)
{
  g_autoptr (LmccRtt) rtt = new_rtt (LMCC_RTT_MODE_JOIN);

  lmcc_rtt_join (rtt, START, 65 * MS, 10 * MS);
  send_packet (rtt, START + 3600 * LMCC_SECOND, 20 * MS);
  assert_rtt (rtt, 60 * MS, 1);
}

GST_END_TEST;

GST_START_TEST (joins_are_weighted_by_how_exact_they_are)
{
  g_autoptr (LmccRtt) rtt = new_rtt (LMCC_RTT_MODE_JOIN);
  guint i;

  assert_rtt (rtt, 500 * MS, 0);
  fail_unless (lmcc_rtt_join (rtt, START, 105 * MS, 10 * MS));
  assert_rtt (rtt, 100 * MS, 1);
  fail_unless_equals_int (lmcc_rtt_get_source (rtt), LMCC_RTT_SOURCE_JOIN);
  /* Equal intervals: weights 3/7 and 4/7. */
  fail_unless (lmcc_rtt_join (rtt, START, 175 * MS, 10 * MS));
  assert_rtt (rtt, 140 * MS, 1000);

  /* Packets 100 ms apart hardly count. */
  fail_unless (lmcc_rtt_join (rtt, START, 1050 * MS, 100 * MS));
  fail_unless (lmcc_rtt_get (rtt) < 240 * MS);
  for (i = 0; i < 50; i++)
    lmcc_rtt_join (rtt, START, 65 * MS, 10 * MS);
  assert_rtt (rtt, 60 * MS, MS);

  /* No packet was sent; no time is negative. */
  fail_if (lmcc_rtt_join (rtt, START, 11 * LMCC_SECOND, 10 * MS));
  assert_rtt (rtt, 60 * MS, MS);
  for (i = 0; i < 50; i++)
    lmcc_rtt_join (rtt, START, 0, 10 * MS);
  assert_rtt (rtt, LMCC_RTT_MIN, MS / 100);
}

GST_END_TEST;

GST_START_TEST (a_fixed_one_stays)
{
  g_autoptr (LmccRtt) rtt = new_rtt (LMCC_RTT_MODE_FIXED);

  lmcc_rtt_join (rtt, START, 300 * MS, 10 * MS);
  send_packet (rtt, START, 40 * MS);
  send_packet (rtt, START + MS, 400 * MS);
  fail_unless_equals_int (lmcc_rtt_get_source (rtt), LMCC_RTT_SOURCE_FIXED);
  assert_rtt (rtt, 70 * MS, 0);
}

GST_END_TEST;

GST_START_TEST (another_sender_is_measured_anew)
{
  g_autoptr (LmccRtt) rtt = new_rtt (LMCC_RTT_MODE_FEEDBACK);

  measure (rtt, START, 80 * MS, 0);
  lmcc_rtt_report (rtt, START + LMCC_SECOND, ntp_time (START + LMCC_SECOND));
  lmcc_rtt_reset (rtt);
  fail_unless_equals_int (lmcc_rtt_get_source (rtt), LMCC_RTT_SOURCE_MAX);
  assert_rtt (rtt, 500 * MS, 0);
  fail_unless_equals_int (lmcc_rtt_answer (rtt, START + 1200 * MS,
                              (guint32) (ntp_time (START + LMCC_SECOND) >> 16),
                              0),
      LMCC_RTT_ANSWER_UNKNOWN);
}

GST_END_TEST;

static Suite *
rtt_suite (void)
{
  Suite *s = suite_create ("rtt");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, the_largest_stands_for_it_until_it_is_measured);
  tcase_add_test (tc, an_answer_gives_the_time_less_what_the_sender_held_it);
  tcase_add_test (tc, samples_are_smoothed_by_half);
  tcase_add_test (tc, a_queue_shows_with_the_packet_that_stood_in_it);
  tcase_add_test (tc, a_sample_in_a_queue_does_not_count_it_twice);
  tcase_add_test (tc, the_clocks_need_not_agree);
  tcase_add_test (tc, clocks_that_drift_apart_do_not_look_like_a_queue);
  tcase_add_test (tc, a_sender_whose_clock_was_set_is_believed_after_a_while);
  tcase_add_test (tc, answers_that_cannot_be_true_are_refused);
  tcase_add_test (tc, an_answer_stood_in_a_queue_between_those_of_two_packets);
  tcase_add_test (tc, forged_answers_do_not_hide_a_queue);
  tcase_add_test (tc, only_the_latest_few_reports_can_be_answered);
  tcase_add_test (tc, estimates_stay_within_their_bounds);
  tcase_add_test (tc, three_reports_without_an_answer_turn_to_joins);
  tcase_add_test (tc, a_join_counts_less_as_it_gets_older);
  tcase_add_test (tc, a_join_below_the_largest_stands_until_the_next);
  tcase_add_test (tc, joins_are_weighted_by_how_exact_they_are);
  tcase_add_test (tc, a_fixed_one_stays);
  tcase_add_test (tc, another_sender_is_measured_anew);

  return s;
}

GST_CHECK_MAIN (rtt);
