/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests that feedback and answers stay within their share of the base rate,
 * whatever the audience does.
 */
#include "support/crowd.h"
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/rtcp.h>

#define S LMCC_SECOND

/* The limits: 1/20 of the base rate over ten seconds, three times that over
 * one second. */
#define LIMIT 0.05
#define BURST_LIMIT 0.15

static void
assert_within_limits (const Crowd *crowd)
{
  gdouble share = crowd_largest_share (crowd, 10 * S);
  gdouble burst = crowd_largest_share (crowd, S);

  fail_unless (share < LIMIT, "%.2f %% in 10 s", 100 * share);
  fail_unless (burst < BURST_LIMIT, "%.2f %% in 1 s", 100 * burst);
}

/* The interval with which all reports and their answers use @share of the
 * base rate, with each answer in its own packet. */
static gdouble
interval_at (const Crowd *crowd, guint n, gdouble share)
{
  return n * (48 + 52) * 8.0 / (crowd->base_rate * share);
}

static void
assert_interval (const Crowd *crowd, guint n, gdouble low, gdouble high)
{
  gdouble interval = (gdouble) crowd_interval (crowd) / S;

  fail_unless (interval >= interval_at (crowd, n, low)
          && interval <= interval_at (crowd, n, high),
      "%.1f s for %u receivers", interval, n);
}

static void
start_at_once (guint n, guint base_rate, guint32 seed, LmccTime duration)
{
  Crowd *crowd = crowd_new (base_rate, seed);

  crowd->loss = 0.01;
  crowd_join (crowd, n, 0);
  crowd_run (crowd, duration);
  assert_within_limits (crowd);
  fail_unless (crowd_count_measured (crowd) > 0);
  crowd_free (crowd);
}

static const guint base_rates[] = { 64000, 128000, 400000 };

GST_START_TEST (a_thousand_that_start_at_once_stay_within_the_limits)
{
  guint32 seed;

  for (seed = 0; seed < 5; seed++)
    start_at_once (1000, base_rates[__i__], seed, 120 * S);
}

GST_END_TEST;

GST_START_TEST (ten_thousand_that_start_at_once_stay_within_the_limits)
{
  guint32 seed, n = test_is_slow () ? 1 : 3;

  for (seed = 10; seed < 10 + n; seed++)
    start_at_once (10000, base_rates[__i__], seed, 60 * S);
}

GST_END_TEST;

GST_START_TEST (ten_or_a_hundred_stay_within_the_limits)
{
  guint32 seed;

  for (seed = 20; seed < 30; seed++) {
    start_at_once (10, base_rates[__i__], seed, 60 * S);
    start_at_once (100, base_rates[__i__], seed, 60 * S);
  }
}

GST_END_TEST;

/* 16 kbit/s: ten reports with their answers use the share of ten seconds. */
GST_START_TEST (a_voice_for_a_base_holds_too)
{
  guint32 seed;

  for (seed = 40; seed < 44; seed++) {
    start_at_once (1, 16000, seed, 120 * S);
    start_at_once (1000, 16000, seed, 120 * S);
  }
}

GST_END_TEST;

/* An early first report may be the first of a crowd: its effect is revoked
 * within seconds if no crowd follows. */
GST_START_TEST (one_alone_measures_within_seconds_and_then_every_few_seconds)
{
  guint32 seed;
  guint answers = 0;

  for (seed = 0; seed < 20; seed++) {
    Crowd *crowd = crowd_new (64000, seed);

    crowd_join (crowd, 1, 0);
    crowd_run (crowd, 65 * S);
    fail_unless (crowd_first_rtt (crowd, 1) < 6 * S);
    fail_unless (crowd->members[0].n_answers >= 6);
    answers += crowd->members[0].n_answers;
    fail_unless (crowd_stats (crowd)->answers_dropped == 0);
    fail_unless (crowd_interval (crowd) == 3 * S);
    fail_unless (crowd_stats (crowd)->receivers > 0.5
        && crowd_stats (crowd)->receivers < 3);
    assert_within_limits (crowd);
    crowd_free (crowd);
  }
  /* 20 each would be every 3 s. */
  fail_unless (answers >= 20 * 17, "%u answers", answers);
}

GST_END_TEST;

/* Answers are counted from the start, all but the longest first wait. */
GST_START_TEST (one_to_three_are_answered_every_ten_seconds_whatever_they_draw)
{
  guint n_crowds = test_rounds (500), n = (guint) __i__, late = 0, i;
  guint32 seed;

  for (seed = 1000; seed < 1000 + n_crowds; seed++) {
    Crowd *crowd = crowd_new (64000, seed);

    crowd_join (crowd, n, 0);
    crowd_run (crowd, 66 * S);
    for (i = 0; i < n; i++) {
      late += crowd->members[i].first_rtt > 6 * S;
      fail_unless (crowd->members[i].n_answers >= 6, "seed %u: %u answers",
          seed, crowd->members[i].n_answers);
      fail_unless (crowd->members[i].first_rtt < 30 * S);
    }
    assert_within_limits (crowd);
    crowd_free (crowd);
  }
  if (n == 1)
    fail_unless_equals_int (late, 0);
  fail_unless (late < n_crowds * n / 4, "%u of %u", late, n_crowds * n);
}

GST_END_TEST;

GST_START_TEST (everybody_gets_a_first_round_trip_time_and_the_interval_fits)
{
  Crowd *crowd = crowd_new (400000, 2);
  LmccTime last;

  crowd_join (crowd, 1000, 0);
  crowd_run (crowd, 300 * S);
  fail_unless_equals_int (crowd_count_measured (crowd), 1000);
  /* No receiver waits longer than one and a half intervals and the first
   * timer, as if the interval had been for twice the number from the start. */
  last = crowd_first_rtt (crowd, 1);
  fail_unless ((gdouble) last / S
          < 5 + 3 * interval_at (crowd, 1000, LIMIT / 3),
      "the last after %.1f s", (gdouble) last / S);
  assert_interval (crowd, 1000, LIMIT * 2 / 3, LIMIT / 6);
  assert_within_limits (crowd);
  crowd_free (crowd);
}

GST_END_TEST;

GST_START_TEST (the_interval_fits_ten_thousand_after_a_while)
{
  Crowd *crowd = crowd_new (400000, 3);

  crowd_join (crowd, 10000, 0);
  crowd_run (crowd, 120 * S);
  assert_interval (crowd, 10000, LIMIT * 2 / 3, LIMIT / 6);
  /* One RTT each for as many receivers as the share allows. */
  fail_unless (crowd_count_measured (crowd) > 600);
  crowd_free (crowd);
}

GST_END_TEST;

GST_START_TEST (a_flash_crowd_that_joins_one_receiver_is_held)
{
  guint32 seed;

  for (seed = 50; seed < 53; seed++) {
    Crowd *crowd = crowd_new (64000, seed);

    crowd_join (crowd, 1, 0);
    crowd_run (crowd, 30 * S);
    crowd_join (crowd, 10000, 0);
    crowd_run (crowd, 60 * S);
    assert_within_limits (crowd);
    fail_unless (crowd_stats (crowd)->receivers > 2000);
    crowd_free (crowd);
  }
}

GST_END_TEST;

/* They know an interval for a hundred receivers, and wait for a part of it:
 * fewer report early than with the first timer alone, even if the interval
 * changed just before. */
GST_START_TEST (a_flash_crowd_that_joins_a_hundred_is_held)
{
  guint32 seed;

  for (seed = 5010; seed < 5020; seed++) {
    Crowd *crowd = crowd_new (64000, seed);

    crowd->loss = 0.01;
    crowd_join (crowd, 100, 0);
    crowd_run (crowd, 60 * S);
    crowd_join (crowd, 10000, 0);
    crowd_run (crowd, 60 * S);
    assert_within_limits (crowd);
    fail_unless (crowd_stats (crowd)->receivers > 2000);
    crowd_free (crowd);
  }
}

GST_END_TEST;

GST_START_TEST (a_crowd_that_comes_over_a_minute_is_held)
{
  Crowd *crowd = crowd_new (64000, 60);

  crowd->loss = 0.01;
  crowd_join (crowd, 5000, 60 * S);
  crowd_run (crowd, 120 * S);
  assert_within_limits (crowd);
  fail_unless (crowd_stats (crowd)->receivers > 1500);
  crowd_free (crowd);
}

GST_END_TEST;

GST_START_TEST (when_the_audience_leaves_the_rest_report_more_often)
{
  Crowd *crowd = crowd_new (128000, 70);

  crowd_join (crowd, 1000, 0);
  crowd_run (crowd, 60 * S);
  crowd_leave (crowd, 990);
  crowd_run (crowd, 180 * S);
  assert_within_limits (crowd);
  fail_unless (crowd_interval (crowd) < 30 * S);
  crowd_free (crowd);
}

GST_END_TEST;

GST_START_TEST (a_base_rate_that_changes_changes_the_interval)
{
  Crowd *crowd = crowd_new (400000, 80);

  crowd_join (crowd, 1000, 0);
  crowd_run (crowd, 120 * S);
  assert_interval (crowd, 1000, LIMIT * 2 / 3, LIMIT / 6);
  crowd->base_rate = 100000;
  crowd_run (crowd, 15 * S);
  assert_interval (crowd, 1000, LIMIT * 2 / 3, LIMIT / 6);

  /* From then on. */
  g_array_set_size (crowd->at_sender, 0);
  g_array_set_size (crowd->on_the_way, 0);
  crowd_run (crowd, 60 * S);
  assert_within_limits (crowd);
  crowd->base_rate = 400000;
  crowd_run (crowd, 15 * S);
  assert_interval (crowd, 1000, LIMIT * 2 / 3, LIMIT / 6);
  crowd_free (crowd);
}

GST_END_TEST;

/* As an encoder does, and faster than enough reports for an estimate arrive.
 * An early first report wrongly suggests a crowd. */
GST_START_TEST (a_base_rate_that_sways_keeps_no_wrong_estimate)
{
  guint32 seed;

  for (seed = 0; seed < 20; seed++) {
    Crowd *crowd = crowd_new (20000, seed);
    guint i;

    crowd_join (crowd, 10, 0);
    for (i = 0; i < 60; i++) {
      crowd->base_rate = i % 2 == 0 ? 14000 : 20000;
      crowd_run (crowd, 3 * S);
    }
    fail_unless (crowd_stats (crowd)->receivers > 10. / 3
            && crowd_stats (crowd)->receivers < 30,
        "seed %u: %.1f receivers", seed, crowd_stats (crowd)->receivers);
    fail_unless_equals_int (crowd_count_measured (crowd), 10);
    crowd_free (crowd);
  }
}

GST_END_TEST;

/* Nor does it delay the answers if R_max is as long as the period of the
 * changes. */
GST_START_TEST (a_base_rate_that_sways_is_no_reason_not_to_answer)
{
  LmccTime periods[] = { 1500 * LMCC_MSECOND, 2 * S, 3 * S };
  guint i, j;

  for (i = 0; i < G_N_ELEMENTS (periods); i++) {
    Crowd *crowd = crowd_new_far (64000, 7, periods[i]);

    crowd_join (crowd, 10, 0);
    for (j = 0; j < 240 * S / periods[i]; j++) {
      crowd->base_rate = j % 2 == 0 ? 24000 : 64000;
      crowd_run (crowd, periods[i]);
    }
    fail_unless_equals_int (crowd_count_measured (crowd), 10);
    fail_unless (crowd_stats (crowd)->answers
            > crowd_stats (crowd)->reports * 3 / 4,
        "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT,
        crowd_stats (crowd)->answers, crowd_stats (crowd)->reports);
    fail_unless (crowd_stats (crowd)->receivers > 10. / 3
            && crowd_stats (crowd)->receivers < 30,
        "%.1f receivers", crowd_stats (crowd)->receivers);
    crowd_free (crowd);
  }
}

GST_END_TEST;

/* Their number could not be reduced if they continued. */
GST_START_TEST (reports_that_get_no_answer_become_rare)
{
  Crowd *crowd = crowd_new (400000, 90);
  guint64 before;
  guint i;

  crowd_join (crowd, 100, 0);
  crowd_run (crowd, 60 * S);
  crowd->is_cut = TRUE;
  crowd_run (crowd, 120 * S);
  before = crowd->n_reports;
  crowd_run (crowd, 600 * S);
  fail_unless (crowd->n_reports - before < 100 * 12);
  for (i = 0; i < 100; i++)
    fail_unless (lmcc_rtt_get_unanswered (crowd->members[i].rtt)
        >= LMCC_RTT_MAX_UNANSWERED);

  crowd->is_cut = FALSE;
  crowd_run (crowd, 900 * S);
  for (i = 0; i < 100; i++)
    fail_unless (lmcc_rtt_get_unanswered (crowd->members[i].rtt)
        < LMCC_RTT_MAX_UNANSWERED);
  crowd_free (crowd);
}

GST_END_TEST;

/* Reports of receivers that do not exist: the sender's additional traffic
 * stays small, the interval stays below that for an audience of a hundred
 * thousand, and minutes after the flood honest receivers are served again. */
GST_START_TEST (a_flood_of_false_reports_has_bounded_effect)
{
  Crowd *crowd = crowd_new (64000, 100);
  guint64 answers, reports, bytes;
  guint i;

  crowd_join (crowd, 10, 0);
  crowd_run (crowd, 60 * S);
  answers = crowd_stats (crowd)->answers;
  reports = crowd_stats (crowd)->reports;
  bytes = crowd_stats (crowd)->feedback_bytes;
  for (i = 0; i < 20000; i++) {
    crowd_run (crowd, LMCC_MSECOND);
    /* Every second one claims to be the first of a crowd. */
    crowd_forge (crowd, CROWD_OTHER_HOST + i, 0x40000000 + i,
        i % 2 == 0 ? 0 : (guint64) (100 + i) << 32);
  }
  fail_unless (crowd_stats (crowd)->reports - reports >= 20000);
  fail_unless (crowd_stats (crowd)->answers - answers < 120);
  fail_unless (crowd_stats (crowd)->answers_dropped > 19000);
  fail_unless (crowd_stats (crowd)->feedback_bytes - bytes < 20000 * 50);
  fail_unless (crowd_stats (crowd)->receivers <= 100000);
  fail_unless ((gdouble) crowd_interval (crowd) / S
      < interval_at (crowd, 100000, LIMIT / 3) * 1.01);

  /* It halves in at most 12.5 s: 14 times. */
  crowd_run (crowd, 14 * 13 * S);
  fail_unless (crowd_interval (crowd) < 20 * S);
  answers = crowd->members[0].n_answers;
  crowd_run (crowd, 120 * S);
  fail_unless (crowd->members[0].n_answers > answers);
  crowd_free (crowd);
}

GST_END_TEST;

typedef enum
{
  FORGED_NEWCOMERS, /* SSRCs of a new crowd */
  FORGED_MEMBERS,   /* SSRCs of a crowd that has reported for long */
  FORGED_ANY,       /* repeated SSRCs of any age */
  N_FORGERIES,
} Forgery;

static void
forge (Crowd *crowd, guint32 host, Forgery forgery, guint32 i)
{
  guint64 seconds = forgery == FORGED_NEWCOMERS ? 0
      : forgery == FORGED_MEMBERS               ? 1000
                                                : i * 7 % 12;
  guint32 ssrc = forgery == FORGED_ANY ? i % 64 : i;

  crowd_forge (crowd, host, ssrc, seconds << 32);
}

static const LmccTime forged_every[] = { 5 * S, S, 100 * LMCC_MSECOND,
  LMCC_MSECOND };

/* Reports from one address count as those of a few receivers, whatever their
 * number and content. Existing receivers are answered all the time, new ones
 * too, and with them the interval is as before. */
GST_START_TEST (one_address_is_a_handful_of_receivers)
{
  Forgery forgery = __i__ % N_FORGERIES;
  LmccTime every = forged_every[__i__ / N_FORGERIES];
  Crowd *crowd = crowd_new (64000, 120 + (guint32) __i__);
  LmccTime begun, longest = 0;
  guint answers;
  guint32 i = 0;

  crowd_join (crowd, 1, 0);
  crowd_run (crowd, 30 * S);
  answers = crowd->members[0].n_answers;
  for (begun = crowd->now; crowd->now < begun + 60 * S;) {
    if (crowd->n_members == 1 && crowd->now >= begun + 10 * S)
      crowd_join (crowd, 1, 0);
    forge (crowd, CROWD_OTHER_HOST, forgery, i++);
    crowd_run (crowd, every);
    longest = MAX (longest, crowd_interval (crowd));
  }
  fail_unless (longest <= 4 * S, "%.1f s", (gdouble) longest / S);
  fail_unless (crowd_stats (crowd)->receivers < 5);
  fail_unless (crowd->members[0].n_answers >= answers + 10, "%u answers",
      crowd->members[0].n_answers - answers);
  fail_unless (crowd->members[1].first_rtt < 10 * S);
  crowd_run (crowd, 15 * S);
  fail_unless (crowd_interval (crowd) == 3 * S);
  crowd_free (crowd);
}

GST_END_TEST;

/* The effect of a flood from 60,000 addresses is bounded like that of many
 * SSRCs, and it costs no more than a few thousand reports per second. */
GST_START_TEST (a_flood_from_very_many_addresses_is_not_looked_at)
{
  Crowd *crowd = crowd_new (64000, 140);
  guint64 reports;
  guint i, k;

  crowd_join (crowd, 10, 0);
  crowd_run (crowd, 60 * S);
  reports = crowd_stats (crowd)->reports;
  for (i = 0; i < 2000; i++) {
    for (k = 0; k < 30; k++)
      crowd_forge (crowd, CROWD_OTHER_HOST + 30 * i + k, 30 * i + k, 0);
    crowd_run (crowd, LMCC_MSECOND);
  }
  fail_unless (crowd_stats (crowd)->reports - reports < 15000,
      "%" G_GUINT64_FORMAT, crowd_stats (crowd)->reports - reports);
  fail_unless (crowd_stats (crowd)->reports_limited > 45000);
  crowd_run (crowd, 14 * 13 * S);
  fail_unless (crowd_interval (crowd) < 20 * S, "%.1f s",
      (gdouble) crowd_interval (crowd) / S);
  crowd_free (crowd);
}

GST_END_TEST;

/* A NAT or a host: its receivers count as two, and share the answers that
 * others leave. */
GST_START_TEST (many_behind_one_address_are_answered_too)
{
  Crowd *crowd = crowd_new (400000, 150);

  crowd->is_one_host = TRUE;
  crowd_join (crowd, (guint) __i__, 0);
  crowd_run (crowd, 120 * S);
  fail_unless (crowd_count_measured (crowd) == (guint) __i__, "%u of %d",
      crowd_count_measured (crowd), __i__);
  fail_unless (crowd_stats (crowd)->receivers < 4);
  crowd_free (crowd);
}

GST_END_TEST;

GST_START_TEST (invalid_reports_are_only_counted)
{
  static const guint8 junk[] = { 0x80, 207, 0, 1, 1, 2, 3, 4 };
  Crowd *crowd = crowd_new (64000, 110);
  LmccReferenceTime own = { 0x12345000, 0 };
  g_autoptr (LmccPacket) mirrored = lmcc_rtcp_build_reference_time (&own, NULL);
  LmccAddress source;
  guint i;

  crowd_run (crowd, 2 * S);
  lmcc_address_parse ("192.0.2.9", &source);
  for (i = 0; i <= sizeof (junk); i++)
    lmcc_sender_handle_control (crowd->sender, crowd->now, &source, 1, junk, i);
  lmcc_sender_handle_control (crowd->sender, crowd->now, &source, 1,
      mirrored->data, mirrored->size);
  crowd_run (crowd, 2 * S);
  fail_unless_equals_uint64 (crowd_stats (crowd)->reports_malformed,
      sizeof (junk) + 2);
  fail_unless_equals_uint64 (crowd_stats (crowd)->reports, 0);
  fail_unless_equals_uint64 (crowd_stats (crowd)->answers, 0);
  fail_unless_equals_uint64 (crowd_stats (crowd)->feedback_bytes, 0);
  crowd_free (crowd);
}

GST_END_TEST;

/* Takes minutes for many seeds: with LMCC_TEST_LONG only. */
GST_START_TEST (every_audience_stays_within_the_limits_for_long)
{
  static const guint audiences[] = { 1, 10, 100, 1000, 10000 };
  guint32 seed;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (audiences); i++) {
    for (seed = 200; seed < 210; seed++)
      start_at_once (audiences[i], base_rates[__i__], seed, 600 * S);
  }
}

GST_END_TEST;

static Suite *
feedback_crowd_suite (void)
{
  Suite *s = suite_create ("feedback-crowd");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 300);
  tcase_add_loop_test (tc, a_thousand_that_start_at_once_stay_within_the_limits,
      0, G_N_ELEMENTS (base_rates));
  tcase_add_loop_test (tc,
      ten_thousand_that_start_at_once_stay_within_the_limits, 0,
      test_is_slow () ? 1 : G_N_ELEMENTS (base_rates));
  tcase_add_loop_test (tc, ten_or_a_hundred_stay_within_the_limits, 0,
      G_N_ELEMENTS (base_rates));
  tcase_add_test (tc, a_voice_for_a_base_holds_too);
  tcase_add_test (tc,
      one_alone_measures_within_seconds_and_then_every_few_seconds);
  tcase_add_loop_test (tc,
      one_to_three_are_answered_every_ten_seconds_whatever_they_draw, 1, 4);
  tcase_add_test (tc,
      everybody_gets_a_first_round_trip_time_and_the_interval_fits);
  if (!test_is_slow ())
    tcase_add_test (tc, the_interval_fits_ten_thousand_after_a_while);
  tcase_add_test (tc, a_flash_crowd_that_joins_one_receiver_is_held);
  tcase_add_test (tc, a_flash_crowd_that_joins_a_hundred_is_held);
  tcase_add_test (tc, a_crowd_that_comes_over_a_minute_is_held);
  tcase_add_test (tc, when_the_audience_leaves_the_rest_report_more_often);
  tcase_add_test (tc, a_base_rate_that_changes_changes_the_interval);
  tcase_add_test (tc, a_base_rate_that_sways_keeps_no_wrong_estimate);
  tcase_add_test (tc, a_base_rate_that_sways_is_no_reason_not_to_answer);
  tcase_add_test (tc, reports_that_get_no_answer_become_rare);
  tcase_add_test (tc, a_flood_of_false_reports_has_bounded_effect);
  tcase_add_loop_test (tc, one_address_is_a_handful_of_receivers, 0,
      N_FORGERIES * G_N_ELEMENTS (forged_every));
  tcase_add_test (tc, a_flood_from_very_many_addresses_is_not_looked_at);
  tcase_add_loop_test (tc, many_behind_one_address_are_answered_too, 5, 6);
  tcase_add_loop_test (tc, many_behind_one_address_are_answered_too, 50, 51);
  tcase_add_test (tc, invalid_reports_are_only_counted);
  if (g_getenv ("LMCC_TEST_LONG") != NULL)
    tcase_add_loop_test (tc, every_audience_stays_within_the_limits_for_long, 0,
        G_N_ELEMENTS (base_rates));

  return s;
}

GST_CHECK_MAIN (feedback_crowd);
