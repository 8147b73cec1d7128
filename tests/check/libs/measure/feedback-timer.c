/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the timer of receiver reports: first reports, intervals and their
 * changes.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/measure/report-timer.h>
#include <math.h>

#define START (100 * LMCC_SECOND)
#define RTT_MAX (500 * LMCC_MSECOND)
#define ROUND (LMCC_FEEDBACK_ROUND * RTT_MAX)
#define SHORT (3 * LMCC_SECOND)
#define LONG (1000 * LMCC_SECOND)
#define N 10000

static LmccFeedbackTimer *timers[N];

static void
start_all (LmccTime interval)
{
  guint i;

  for (i = 0; i < N; i++) {
    timers[i] = lmcc_feedback_timer_new (i);
    lmcc_feedback_timer_start (timers[i], START, RTT_MAX, interval);
  }
}

static void
free_all (void)
{
  guint i;

  for (i = 0; i < N; i++)
    g_clear_pointer (&timers[i], lmcc_feedback_timer_free);
}

/* Advances the time to @end; every receiver that is due reports. Returns the
 * number of reports. */
static guint
run_all (LmccTime end)
{
  guint n = 0, i;

  for (i = 0; i < N; i++) {
    while (lmcc_feedback_timer_next (timers[i]) < end) {
      lmcc_feedback_timer_report (timers[i],
          lmcc_feedback_timer_next (timers[i]), 0);
      n++;
    }
  }

  return n;
}

static void
set_all (LmccTime now, LmccTime interval)
{
  guint i;

  for (i = 0; i < N; i++)
    lmcc_feedback_timer_set_interval (timers[i], now, interval);
}

/* Within four standard deviations of a Poisson count. */
static void
assert_count (guint found, gdouble expected)
{
  fail_unless (fabs (found - expected) <= 4 * sqrt (expected) + 1,
      "%u, not %.1f", found, expected);
}

GST_START_TEST (first_reports_follow_the_law_that_tells_how_many_wait)
{
  guint tenth, found = 0;

  start_all (SHORT);
  for (tenth = 1; tenth < 10; tenth++) {
    found = 0;
    for (guint i = 0; i < N; i++)
      found +=
          lmcc_feedback_timer_next (timers[i]) <= START + ROUND * tenth / 10;
    assert_count (found, N * pow (10000, tenth / 10.0 - 1));
  }
  for (guint i = 0; i < N; i++)
    fail_unless (lmcc_feedback_timer_next (timers[i]) <= START + ROUND);
  free_all ();
}

GST_END_TEST;

GST_START_TEST (a_longer_interval_makes_no_report_sooner_and_no_two_at_once)
{
  LmccTime now = START + 2 * LMCC_SECOND;
  guint i, second, reports;

  start_all (SHORT);
  reports = run_all (now);
  for (i = 0; i < N; i++) {
    LmccTime before = lmcc_feedback_timer_next (timers[i]);

    lmcc_feedback_timer_set_interval (timers[i], now, LONG);
    fail_unless (lmcc_feedback_timer_next (timers[i]) >= before);
  }
  /* At most the intended number until the last receiver's first timer has
   * expired; then evenly. */
  fail_unless (run_all (START + ROUND) + reports < 120);
  for (second = 100; second <= 900; second += 100)
    assert_count (run_all (START + second * LMCC_SECOND),
        second == 100 ? 95.0 * N / 1000 : 100.0 * N / 1000);
  free_all ();
}

GST_END_TEST;

GST_START_TEST (reports_are_even_after_every_change)
{
  static const guint intervals[] = { 500, 2000, 100, 101, 1000 };
  LmccTime now = START + 5 * LONG;
  guint i;

  start_all (LONG);
  run_all (now);
  for (i = 0; i < G_N_ELEMENTS (intervals); i++) {
    guint part;

    set_all (now, intervals[i] * LMCC_SECOND);
    for (part = 0; part < 20; part++) {
      now += intervals[i] * LMCC_SECOND / 20;
      assert_count (run_all (now), N / 20.0);
    }
  }
  free_all ();
}

GST_END_TEST;

GST_START_TEST (those_who_know_a_long_interval_wait_for_it_at_first_too)
{
  guint second;

  start_all (LONG);
  fail_unless (run_all (START + ROUND) <= 20);
  for (second = 100; second <= 500; second += 100)
    assert_count (run_all (START + second * LMCC_SECOND),
        second == 100 ? 95.5 * N / 1000 : 100.0 * N / 1000);
  free_all ();
}

GST_END_TEST;

GST_START_TEST (a_shorter_interval_scales_what_is_left)
{
  g_autoptr (LmccFeedbackTimer) timer = lmcc_feedback_timer_new (1);
  LmccTime now, left;

  lmcc_feedback_timer_start (timer, START, RTT_MAX, SHORT);
  now = lmcc_feedback_timer_next (timer);
  lmcc_feedback_timer_report (timer, now, 0);
  lmcc_feedback_timer_set_interval (timer, now, LONG);
  now += 100 * LMCC_SECOND;
  left = lmcc_feedback_timer_next (timer) - now;
  lmcc_feedback_timer_set_interval (timer, now, LONG / 10);
  fail_unless (lmcc_feedback_timer_next (timer) - now <= left / 10 + 1);
  fail_unless (lmcc_feedback_timer_next (timer) - now >= left / 10 - 1);
}

GST_END_TEST;

GST_START_TEST (intervals_are_from_half_to_one_and_a_half_and_right_on_average)
{
  g_autoptr (LmccFeedbackTimer) timer = lmcc_feedback_timer_new (1);
  LmccTime now, first;
  guint i;

  lmcc_feedback_timer_start (timer, START, RTT_MAX, SHORT);
  now = first = lmcc_feedback_timer_next (timer);
  for (i = 0; i < N; i++) {
    LmccTime next;

    lmcc_feedback_timer_report (timer, now, 0);
    next = lmcc_feedback_timer_next (timer);
    fail_unless (next - now >= SHORT / 2 && next - now <= SHORT * 3 / 2);
    now = next;
  }
  fail_unless (
      fabs ((gdouble) (now - first) / (N * (gdouble) SHORT) - 1) < 0.02);
}

GST_END_TEST;

GST_START_TEST (a_report_says_for_how_long_the_receiver_has_waited)
{
  g_autoptr (LmccFeedbackTimer) timer = lmcc_feedback_timer_new (1);
  guint64 stamp;

  lmcc_feedback_timer_start (timer, START, RTT_MAX, SHORT);
  stamp = lmcc_feedback_timer_report (timer,
      START + 4 * LMCC_SECOND + LMCC_SECOND / 4, 0);
  fail_unless_equals_uint64 (stamp,
      (G_GUINT64_CONSTANT (4) << 32) + (1u << 30));
}

GST_END_TEST;

GST_START_TEST (unanswered_reports_become_rare_and_the_first_answer_ends_it)
{
  g_autoptr (LmccFeedbackTimer) timer = lmcc_feedback_timer_new (1);
  static const guint times[] = { 1, 1, 1, 2, 4, 8, 16, 32, 64, 64, 64 };
  LmccTime now, wait = 0;
  guint i;

  lmcc_feedback_timer_start (timer, START, RTT_MAX, SHORT);
  now = lmcc_feedback_timer_next (timer);
  for (i = 0; i < G_N_ELEMENTS (times); i++) {
    lmcc_feedback_timer_report (timer, now, i);
    wait = lmcc_feedback_timer_next (timer) - now;
    fail_unless (
        wait >= times[i] * SHORT / 2 && wait <= times[i] * SHORT * 3 / 2);
    now += wait;
  }
  now -= wait;
  lmcc_feedback_timer_answered (timer, now);
  fail_unless (lmcc_feedback_timer_next (timer) - now <= SHORT * 3 / 2);
}

GST_END_TEST;

GST_START_TEST (a_timer_that_stopped_is_never_due)
{
  g_autoptr (LmccFeedbackTimer) timer = lmcc_feedback_timer_new (1);

  fail_unless (lmcc_feedback_timer_next (timer) == LMCC_TIME_NONE);
  lmcc_feedback_timer_set_interval (timer, START, LONG);
  lmcc_feedback_timer_answered (timer, START);
  fail_unless (lmcc_feedback_timer_next (timer) == LMCC_TIME_NONE);
  lmcc_feedback_timer_start (timer, START, RTT_MAX, SHORT);
  fail_unless (lmcc_feedback_timer_is_running (timer));
  lmcc_feedback_timer_stop (timer);
  fail_if (lmcc_feedback_timer_is_running (timer));
  fail_unless (lmcc_feedback_timer_next (timer) == LMCC_TIME_NONE);
}

GST_END_TEST;

static Suite *
feedback_timer_suite (void)
{
  Suite *s = suite_create ("feedback-timer");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, first_reports_follow_the_law_that_tells_how_many_wait);
  tcase_add_test (tc,
      a_longer_interval_makes_no_report_sooner_and_no_two_at_once);
  tcase_add_test (tc, reports_are_even_after_every_change);
  tcase_add_test (tc, those_who_know_a_long_interval_wait_for_it_at_first_too);
  tcase_add_test (tc, a_shorter_interval_scales_what_is_left);
  tcase_add_test (tc,
      intervals_are_from_half_to_one_and_a_half_and_right_on_average);
  tcase_add_test (tc, a_report_says_for_how_long_the_receiver_has_waited);
  tcase_add_test (tc,
      unanswered_reports_become_rare_and_the_first_answer_ends_it);
  tcase_add_test (tc, a_timer_that_stopped_is_never_due);

  return s;
}

GST_CHECK_MAIN (feedback_timer);
