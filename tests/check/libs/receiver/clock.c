/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests presentation times from the sender's times, with queueing delay and
 * clock drift.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/receiver/presentation-clock.h>
#include <gst/lmcc/wire/layer-header.h>

#define CLOCK_RATE 90000
#define PATH_DELAY (30 * LMCC_MSECOND)
#define NTP_ZERO (G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND)

/* The sender's time in a packet and in a report. */
static guint32
send_time (LmccTime now)
{
  return lmcc_time_to_ntp_short (NTP_ZERO + now);
}

static guint64
ntp_time (LmccTime now)
{
  LmccTime time = NTP_ZERO + now;

  return (time / LMCC_SECOND) << 32
      | (((time % LMCC_SECOND) << 32) / LMCC_SECOND);
}

static guint32
rtp_time (LmccTime now)
{
  return (guint32) (12345 + now * 9 / 100000);
}

static LmccTime
distance (LmccTime a, LmccTime b)
{
  return (LmccTime) ABS ((gint64) (a - b));
}

GST_START_TEST (test_presentation_times_are_the_senders_plus_the_path)
{
  g_autoptr (LmccClock) clock = lmcc_clock_new ();
  LmccTime start = 5 * LMCC_SECOND;
  guint i;

  fail_if (lmcc_clock_has_mapping (clock, LMCC_TIMELINE_VIDEO));
  lmcc_clock_packet (clock, start + PATH_DELAY, send_time (start));
  fail_unless (lmcc_clock_sender_report (clock, LMCC_TIMELINE_VIDEO,
      start + PATH_DELAY, ntp_time (start), rtp_time (start), CLOCK_RATE));
  fail_unless (lmcc_clock_has_mapping (clock, LMCC_TIMELINE_VIDEO));
  for (i = 0; i < 100; i++) {
    LmccTime now = start + i * 41 * LMCC_MSECOND;

    fail_unless (distance (lmcc_clock_rtp_to_local (clock, LMCC_TIMELINE_VIDEO,
                               rtp_time (now)),
                     now + PATH_DELAY)
        < 50 * LMCC_USECOND);
    fail_unless (distance (lmcc_clock_send_to_local (clock, send_time (now)),
                     now + PATH_DELAY)
        < 50 * LMCC_USECOND);
  }
}

GST_END_TEST;

GST_START_TEST (test_queueing_delay_does_not_move_presentation_times)
{
  g_autoptr (LmccClock) clock = lmcc_clock_new ();
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  LmccTime now;

  lmcc_clock_packet (clock, PATH_DELAY, send_time (0));
  lmcc_clock_sender_report (clock, LMCC_TIMELINE_VIDEO, PATH_DELAY,
      ntp_time (0), rtp_time (0), CLOCK_RATE);
  for (now = 0; now < 60 * LMCC_SECOND; now += 10 * LMCC_MSECOND) {
    LmccTime queue = g_rand_int_range (random, 0, 80) * LMCC_MSECOND;

    lmcc_clock_packet (clock, now + PATH_DELAY + queue, send_time (now));
    if (now % (250 * LMCC_MSECOND) == 0)
      lmcc_clock_sender_report (clock, LMCC_TIMELINE_VIDEO,
          now + PATH_DELAY + queue, ntp_time (now), rtp_time (now), CLOCK_RATE);
    fail_unless (distance (lmcc_clock_rtp_to_local (clock, LMCC_TIMELINE_VIDEO,
                               rtp_time (now)),
                     now + PATH_DELAY)
        < LMCC_MSECOND);
  }
}

GST_END_TEST;

/* Two clocks 200 ppm apart for ten minutes: 120 ms in total. The
 * presentation times follow, and no step between pictures differs by more
 * than 1 ms. */
GST_START_TEST (test_a_drifting_clock_is_followed_without_a_jump)
{
  g_autoptr (LmccClock) clock = lmcc_clock_new ();
  LmccTime step = 40 * LMCC_MSECOND, last = 0, now;

  lmcc_clock_packet (clock, PATH_DELAY, send_time (0));
  lmcc_clock_sender_report (clock, LMCC_TIMELINE_VIDEO, PATH_DELAY,
      ntp_time (0), rtp_time (0), CLOCK_RATE);
  for (now = 0; now < 600 * LMCC_SECOND; now += step) {
    LmccTime local = now + now / 5000 + PATH_DELAY;
    LmccTime shown;

    lmcc_clock_packet (clock, local, send_time (now));
    if (now % LMCC_SECOND == 0)
      lmcc_clock_sender_report (clock, LMCC_TIMELINE_VIDEO, local,
          ntp_time (now), rtp_time (now), CLOCK_RATE);
    shown =
        lmcc_clock_rtp_to_local (clock, LMCC_TIMELINE_VIDEO, rtp_time (now));
    if (now > 0)
      fail_unless (distance (shown - last, step) < LMCC_MSECOND);
    fail_unless (distance (shown, local) < 5 * LMCC_MSECOND);
    last = shown;
  }
}

GST_END_TEST;

GST_START_TEST (test_times_go_on_over_the_wrap_of_the_send_time)
{
  g_autoptr (LmccClock) clock = lmcc_clock_new ();
  LmccTime wrap = 65536 * LMCC_SECOND;
  LmccTime start = wrap - NTP_ZERO % wrap - 5 * LMCC_SECOND;
  LmccTime now;

  lmcc_clock_packet (clock, start, send_time (start));
  for (now = start; now < start + 10 * LMCC_SECOND; now += 20 * LMCC_MSECOND) {
    fail_unless (lmcc_clock_packet (clock, now, send_time (now)));
    fail_unless (
        distance (lmcc_clock_send_to_local (clock, send_time (now)), now)
        < 50 * LMCC_USECOND);
  }
}

GST_END_TEST;

GST_START_TEST (test_forged_times_are_not_believed)
{
  g_autoptr (LmccClock) clock = lmcc_clock_new ();
  LmccTime hour = 3600 * LMCC_SECOND, now;
  guint forged = 0;

  lmcc_clock_packet (clock, hour, send_time (0));
  lmcc_clock_sender_report (clock, LMCC_TIMELINE_VIDEO, hour, ntp_time (0),
      rtp_time (0), CLOCK_RATE);
  for (now = 0; now < LMCC_SECOND; now += 10 * LMCC_MSECOND) {
    fail_unless (lmcc_clock_packet (clock, hour + now, send_time (now)));
    if (!lmcc_clock_packet (clock, hour + now, send_time (now + hour)))
      forged++;
    fail_if (lmcc_clock_sender_report (clock, LMCC_TIMELINE_VIDEO, hour + now,
        ntp_time (now + hour), rtp_time (now), CLOCK_RATE));
    fail_if (lmcc_clock_sender_report (clock, LMCC_TIMELINE_VIDEO, hour + now,
        ntp_time (now), rtp_time (now), 0));
  }
  fail_unless_equals_int (forged, 100);
  fail_unless (distance (lmcc_clock_rtp_to_local (clock, LMCC_TIMELINE_VIDEO,
                             rtp_time (now)),
                   hour + now)
      < 50 * LMCC_USECOND);
}

GST_END_TEST;

GST_START_TEST (test_a_sender_whose_clock_was_set_is_followed_soon)
{
  g_autoptr (LmccClock) clock = lmcc_clock_new ();
  LmccTime jump = 3600 * LMCC_SECOND, now;

  lmcc_clock_packet (clock, 0, send_time (0));
  for (now = 0; now < LMCC_SECOND; now += 10 * LMCC_MSECOND)
    lmcc_clock_packet (clock, now, send_time (now + jump));
  fail_unless (
      distance (lmcc_clock_send_to_local (clock, send_time (now + jump)), now)
      < 50 * LMCC_USECOND);
}

GST_END_TEST;

GST_START_TEST (test_a_longer_path_is_followed_in_ten_seconds)
{
  g_autoptr (LmccClock) clock = lmcc_clock_new ();
  LmccTime now;

  for (now = 0; now < 5 * LMCC_SECOND; now += 10 * LMCC_MSECOND)
    lmcc_clock_packet (clock, now + PATH_DELAY, send_time (now));
  for (; now < 17 * LMCC_SECOND; now += 10 * LMCC_MSECOND)
    lmcc_clock_packet (clock, now + PATH_DELAY + 300 * LMCC_MSECOND,
        send_time (now));
  fail_unless (distance (lmcc_clock_send_to_local (clock, send_time (now)),
                   now + PATH_DELAY + 300 * LMCC_MSECOND)
      < LMCC_MSECOND);
}

GST_END_TEST;

static Suite *
clock_suite (void)
{
  Suite *suite = suite_create ("clock");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_presentation_times_are_the_senders_plus_the_path);
  tcase_add_test (tcase, test_queueing_delay_does_not_move_presentation_times);
  tcase_add_test (tcase, test_a_drifting_clock_is_followed_without_a_jump);
  tcase_add_test (tcase, test_times_go_on_over_the_wrap_of_the_send_time);
  tcase_add_test (tcase, test_forged_times_are_not_believed);
  tcase_add_test (tcase, test_a_sender_whose_clock_was_set_is_followed_soon);
  tcase_add_test (tcase, test_a_longer_path_is_followed_in_ten_seconds);

  return suite;
}

GST_CHECK_MAIN (clock);
