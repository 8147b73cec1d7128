/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the loss history: loss events, intervals between them, and the loss
 * event rate.
 */
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/loss-intervals.h>
#include <gst/lmcc/measure/loss.h>
#include <gst/lmcc/measure/tcp-model.h>
#include <math.h>

#define RTT (100 * LMCC_MSECOND)

/* Packet i of a stream with @per_rtt packets per RTT. */
static LmccTime
packet_time (guint64 i, guint per_rtt)
{
  return LMCC_SECOND + i * RTT / per_rtt;
}

/* Packets first to last at ten per RTT; a packet is lost if the string has
 * an x at its position. A loss is reported after the next received packet. */
static void
feed (LmccLossIntervals *history, guint first, const gchar *pattern)
{
  guint i, missing = 0;

  for (i = 0; pattern[i] != '\0'; i++) {
    if (pattern[i] == 'x') {
      missing++;
      continue;
    }
    lmcc_loss_intervals_packet (history, packet_time (first + i, 10), 1);
    for (; missing > 0; missing--)
      lmcc_loss_intervals_loss (history, packet_time (first + i - missing, 10),
          1);
  }
  fail_unless_equals_int (missing, 0);
}

static void
assert_near (gdouble value, gdouble wanted)
{
  fail_unless (fabs (value - wanted) <= 1e-12 * fabs (wanted),
      "%.17g instead of %.17g", value, wanted);
}

static void
assert_intervals (LmccLossIntervals *history, const LmccLossInterval *wanted,
    guint n)
{
  LmccLossInterval intervals[LMCC_LOSS_INTERVALS + 1];
  guint i;

  fail_unless_equals_int (lmcc_loss_intervals_get (history, intervals), n);
  for (i = 0; i < n; i++) {
    fail_unless_equals_float (intervals[i].packets, wanted[i].packets);
    fail_unless_equals_uint64 (intervals[i].losses, wanted[i].losses);
  }
}

static const gdouble weights[LMCC_LOSS_INTERVALS] = { 1, 1, 1, 1, 0.8, 0.6, 0.4,
  0.2 };

/* From the closed intervals alone (RFC 5348 section 5.4). */
static gdouble
closed_loss_rate (LmccLossIntervals *history)
{
  LmccLossInterval intervals[LMCC_LOSS_INTERVALS + 1];
  guint n = lmcc_loss_intervals_get (history, intervals), i;
  gdouble losses = 0, packets = 0;

  for (i = 1; i < n; i++) {
    losses += weights[i - 1] * intervals[i].losses;
    packets += weights[i - 1] * intervals[i].packets;
  }

  return n == 0 ? 0 : MIN (losses / packets, 1);
}

GST_START_TEST (test_without_loss_the_loss_rate_is_zero)
{
  g_autoptr (LmccLossIntervals) history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LAP, RTT);

  fail_unless_equals_float (lmcc_loss_intervals_get_loss_rate (history), 0);
  feed (history, 0, "..............................");
  fail_unless_equals_float (lmcc_loss_intervals_get_loss_rate (history), 0);
  fail_unless_equals_float (closed_loss_rate (history), 0);
  fail_unless_equals_uint64 (lmcc_loss_intervals_get_events (history), 0);
  assert_intervals (history, NULL, 0);
}

GST_END_TEST;

/* The losses at 20, 22, 23 and 29 are within an RTT after 20; the one at 30
 * is exactly one RTT later and starts a new event. */
#define PATTERN "....................x.xx.....xx....x...x"

GST_START_TEST (test_lip_counts_an_event_once)
{
  g_autoptr (LmccLossIntervals) history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LIP, RTT);
  static const LmccLossInterval wanted[] = { { 11, 1 }, { 10, 1 }, { 20, 1 } };

  feed (history, 0, PATTERN ".");
  assert_intervals (history, wanted, 3);
  assert_near (closed_loss_rate (history), 2 / 30.0);
  assert_near (lmcc_loss_intervals_get_loss_rate (history), 2 / 30.0);

  /* The open interval counts once it is longer than the one that it
   * replaces. */
  feed (history, 41, ".........");
  assert_near (lmcc_loss_intervals_get_loss_rate (history), 2 / 30.0);
  feed (history, 50, ".");
  assert_near (lmcc_loss_intervals_get_loss_rate (history), 2 / 31.0);
  assert_near (closed_loss_rate (history), 2 / 30.0);
}

GST_END_TEST;

GST_START_TEST (test_lap_counts_the_losses_of_an_event)
{
  g_autoptr (LmccLossIntervals) history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LAP, RTT);
  static const LmccLossInterval wanted[] = { { 11, 3 }, { 10, 4 }, { 20, 1 } };

  feed (history, 0, PATTERN ".");
  assert_intervals (history, wanted, 3);
  assert_near (closed_loss_rate (history), 5 / 30.0);
  assert_near (lmcc_loss_intervals_get_loss_rate (history), 5 / 30.0);

  /* 7 losses in 11 + 10 packets are more than 5 in 30; in 43 packets they
   * are not. */
  feed (history, 41, "......................");
  assert_near (lmcc_loss_intervals_get_loss_rate (history), 7 / 43.0);
  assert_near (closed_loss_rate (history), 5 / 30.0);
}

GST_END_TEST;

GST_START_TEST (test_the_window_leaves_out_losses_close_behind_another)
{
  g_autoptr (LmccLossIntervals) three = lmcc_loss_intervals_new (3, RTT);
  g_autoptr (LmccLossIntervals) two = lmcc_loss_intervals_new (2, RTT);
  /* After 20, the losses 22 and 23 are 2 and 1 packets after the previous
   * loss and 29 is 6 after it; after 30, 35 is 5 and 39 is 4. */
  static const LmccLossInterval of_three[] = { { 11, 3 }, { 10, 2 },
    { 20, 1 } };
  static const LmccLossInterval of_two[] = { { 11, 3 }, { 10, 3 }, { 20, 1 } };

  feed (three, 0, PATTERN ".");
  assert_intervals (three, of_three, 3);
  feed (two, 0, PATTERN ".");
  assert_intervals (two, of_two, 3);
}

GST_END_TEST;

/* The case for which the thesis introduced the window: twice the capacity,
 * every second packet is lost. The window moves with the losses that do not
 * count. */
GST_START_TEST (test_the_window_takes_every_second_loss_as_one)
{
  g_autoptr (LmccLossIntervals) history = lmcc_loss_intervals_new (3, RTT);
  static const LmccLossInterval wanted[] = { { 10, 1 }, { 10, 1 } };

  feed (history, 0, "..........x.x.x.x.x.");
  assert_intervals (history, wanted, 2);
}

GST_END_TEST;

GST_START_TEST (test_the_history_weighs_eight_intervals)
{
  g_autoptr (LmccLossIntervals) history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LIP, RTT);
  gdouble closed = 0, with_open = 0;
  guint64 i;
  guint k, n;

  for (i = 0; i < 40; i++)
    lmcc_loss_intervals_packet (history, packet_time (i, 10), 1);
  /* Closed interval k is 20 + k packets long, the open one 30. */
  for (k = 1; k <= 10; k++) {
    LmccTime loss_time = packet_time (i++, 10);

    for (n = 1; n < 20 + k; n++)
      lmcc_loss_intervals_packet (history, packet_time (i++, 10), 1);
    lmcc_loss_intervals_loss (history, loss_time, 1);
  }

  for (k = 0; k < 8; k++) {
    closed += weights[k] * (29 - k);
    with_open += weights[k] * (30 - k);
  }
  fail_unless_equals_uint64 (lmcc_loss_intervals_get_events (history), 10);
  assert_near (closed_loss_rate (history), 6 / closed);
  assert_near (lmcc_loss_intervals_get_loss_rate (history), 6 / with_open);
}

GST_END_TEST;

/* Intervals of 10 and 20 packets, each ended by an event: one of one loss,
 * one of three. */
GST_START_TEST (test_the_impact_of_the_newest_event_counts_at_once)
{
  g_autoptr (LmccLossIntervals) history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LAP, RTT);

  fail_unless_equals_float (lmcc_loss_intervals_get_impact_rate (history), 0);
  feed (history, 0, "..........x...................xxx....");
  assert_near (lmcc_loss_intervals_get_loss_rate (history),
      (1 + 1) / (20.0 + 10));
  assert_near (lmcc_loss_intervals_get_impact_rate (history),
      (3 + 1) / (20.0 + 10));
  feed (history, 37, "....................");
  assert_near (lmcc_loss_intervals_get_impact_rate (history),
      (3 + 1) / (27.0 + 20));
  assert_near (lmcc_loss_intervals_get_loss_rate (history), 2 / (20.0 + 10));
}

GST_END_TEST;

GST_START_TEST (test_with_lip_the_impact_rate_is_the_loss_rate)
{
  g_autoptr (LmccLossIntervals) history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LIP, RTT);
  guint i;

  for (i = 0; i < 12; i++) {
    feed (history, 37 * i, "...x..xx......x......................");
    assert_near (lmcc_loss_intervals_get_impact_rate (history),
        lmcc_loss_intervals_get_loss_rate (history));
  }
}

GST_END_TEST;

static gdouble
bernoulli (guint window, gdouble p, guint per_rtt)
{
  g_autoptr (LmccLossIntervals) history = lmcc_loss_intervals_new (window, RTT);
  g_autoptr (GRand) random = g_rand_new_with_seed (42);
  gdouble sum = 0;
  guint64 i, n = 0, missing = 0;

  for (i = 0; i < 1000000; i++) {
    if (g_rand_double (random) < p) {
      missing++;
      continue;
    }
    lmcc_loss_intervals_packet (history, packet_time (i, per_rtt), 1);
    for (; missing > 0; missing--)
      lmcc_loss_intervals_loss (history, packet_time (i - missing, per_rtt), 1);
    if (lmcc_loss_intervals_get_events (history) > LMCC_LOSS_INTERVALS) {
      sum += lmcc_loss_intervals_get_loss_rate (history);
      n++;
    }
  }

  return sum / n;
}

static const struct
{
  gdouble loss_rate;
  guint per_rtt;
} bernoulli_rows[] = {
  { 0.1, 128 },
  { 0.03, 32 },
  { 0.01, 1 },
};

GST_START_TEST (test_lip_falls_with_the_packet_rate_as_predicted)
{
  guint i = __i__;
  gdouble p = bernoulli_rows[i].loss_rate;
  guint per_rtt = bernoulli_rows[i].per_rtt;
  gdouble predicted = 1 / (per_rtt - 1 + 1 / p);
  gdouble lip = bernoulli (LMCC_LOSS_WINDOW_LIP, p, per_rtt);

  fail_unless (fabs (lip / predicted - 1) <= 0.08, "%f instead of %f", lip,
      predicted);
}

GST_END_TEST;

GST_START_TEST (test_lap_is_the_loss_rate_at_any_packet_rate)
{
  guint i = __i__;
  gdouble p = bernoulli_rows[i].loss_rate;
  gdouble lap = bernoulli (LMCC_LOSS_WINDOW_LAP, p, bernoulli_rows[i].per_rtt);

  fail_unless (fabs (lap / p - 1) <= 0.08, "%f instead of %f", lap, p);
}

GST_END_TEST;

GST_START_TEST (test_losses_reported_late_count_where_they_belong)
{
  enum
  {
    N = 3000,
    LATEST = 40
  };
  static const guint windows[] = { LMCC_LOSS_WINDOW_LAP, 3,
    LMCC_LOSS_WINDOW_LIP };
  guint window = windows[__i__];
  g_autoptr (LmccLossIntervals) at_once = lmcc_loss_intervals_new (window, RTT);
  g_autoptr (LmccLossIntervals) late = lmcc_loss_intervals_new (window, RTT);
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  guint due[N + LATEST] = { 0 };
  LmccLossInterval wanted[LMCC_LOSS_INTERVALS + 1];
  guint i, j, n, reported = 0;
  gboolean lost_before = FALSE;

  /* Ten packets per RTT over all layers; losses of a slow layer are detected
   * up to four RTTs late, in any order. */
  lmcc_loss_intervals_set_hold (late, LATEST * RTT / 10);
  for (i = 0; i < N + LATEST; i++) {
    gboolean lost = i < N && g_rand_double (random) < 0.05 && !lost_before;

    if (!lost) {
      lmcc_loss_intervals_packet (at_once, packet_time (i, 10), 1);
      if (lost_before)
        lmcc_loss_intervals_loss (at_once, packet_time (i - 1, 10), 1);
      lmcc_loss_intervals_packet (late, packet_time (i, 10), 1);
    } else {
      due[i] = i + g_rand_int_range (random, 1, LATEST);
    }
    lost_before = lost;
    if (lost)
      continue;
    for (j = i < LATEST ? 0 : i - LATEST; j < i; j++) {
      if (due[j] == 0 || due[j] > i)
        continue;
      lmcc_loss_intervals_loss (late, packet_time (j, 10), 1);
      due[j] = 0;
      reported++;
    }
    /* Queries in between must not change the result. */
    fail_unless (lmcc_loss_intervals_get_loss_rate (late) <= 1);
  }

  fail_unless (reported > N / 30);
  n = lmcc_loss_intervals_get (at_once, wanted);
  fail_unless_equals_int (n, LMCC_LOSS_INTERVALS + 1);
  assert_intervals (late, wanted, n);
  fail_unless_equals_uint64 (lmcc_loss_intervals_get_events (late),
      lmcc_loss_intervals_get_events (at_once));
}

GST_END_TEST;

GST_START_TEST (test_a_loss_after_the_hold_time_still_counts)
{
  g_autoptr (LmccLossIntervals) history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LAP, RTT);
  static const LmccLossInterval wanted[] = { { 102, 1 }, { 900, 1 } };
  guint i;

  /* Packets 0 to 899 are older than the hold time; 900 is exactly as old. */
  for (i = 0; i < 1000; i++)
    lmcc_loss_intervals_packet (history, packet_time (i, 100), 1);
  lmcc_loss_intervals_set_hold (history, RTT);
  lmcc_loss_intervals_packet (history, packet_time (i, 100), 1);
  lmcc_loss_intervals_loss (history, packet_time (3, 100), 1);
  assert_intervals (history, wanted, 2);
}

GST_END_TEST;

GST_START_TEST (test_the_hold_time_keeps_a_bounded_number_of_packets)
{
  g_autoptr (LmccLossIntervals) history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LAP, RTT);
  LmccLossInterval intervals[LMCC_LOSS_INTERVALS + 1];
  guint i;

  lmcc_loss_intervals_set_hold (history, G_MAXUINT64);
  for (i = 0; i < 100000; i++)
    lmcc_loss_intervals_packet (history, packet_time (i, 100), 1);
  lmcc_loss_intervals_loss (history, packet_time (0, 100), 1);
  fail_unless_equals_int (lmcc_loss_intervals_get (history, intervals), 2);
  fail_unless (intervals[1].packets > 30000);
  fail_unless_equals_float (intervals[0].packets + intervals[1].packets,
      100001);
}

GST_END_TEST;

GST_START_TEST (test_packets_and_losses_come_in_numbers)
{
  g_autoptr (LmccLossIntervals) lap =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LAP, RTT);
  g_autoptr (LmccLossIntervals) lip =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LIP, RTT);
  static const LmccLossInterval of_lap[] = { { 54, 4 }, { 50, 1 } };
  static const LmccLossInterval of_lip[] = { { 54, 1 }, { 50, 1 } };

  lmcc_loss_intervals_packet (lap, LMCC_SECOND, 50);
  lmcc_loss_intervals_packet (lap, 2 * LMCC_SECOND, 50);
  lmcc_loss_intervals_loss (lap, LMCC_SECOND + RTT, 4);
  lmcc_loss_intervals_packet (lap, 2 * LMCC_SECOND, 0);
  lmcc_loss_intervals_loss (lap, LMCC_SECOND + RTT, 0);
  assert_intervals (lap, of_lap, 2);

  lmcc_loss_intervals_packet (lip, LMCC_SECOND, 50);
  lmcc_loss_intervals_packet (lip, 2 * LMCC_SECOND, 50);
  lmcc_loss_intervals_loss (lip, LMCC_SECOND + RTT, 4);
  assert_intervals (lip, of_lip, 2);
}

GST_END_TEST;

GST_START_TEST (test_a_longer_rtt_joins_events_and_a_shorter_one_parts_them)
{
  g_autoptr (LmccLossIntervals) history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LAP, RTT);

  feed (history, 0, "..........x.........x.........x.");
  fail_unless_equals_uint64 (lmcc_loss_intervals_get_events (history), 3);
  lmcc_loss_intervals_set_rtt (history, RTT + 1);
  fail_unless_equals_uint64 (lmcc_loss_intervals_get_events (history), 2);
  lmcc_loss_intervals_set_rtt (history, G_MAXUINT64);
  fail_unless_equals_uint64 (lmcc_loss_intervals_get_events (history), 1);
  lmcc_loss_intervals_set_rtt (history, 0);
  fail_unless_equals_uint64 (lmcc_loss_intervals_get_events (history), 3);
}

GST_END_TEST;

GST_START_TEST (test_the_first_interval_is_that_of_the_receive_rate)
{
  g_autoptr (LmccLossIntervals) history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LAP, RTT);
  gdouble l = lmcc_loss_intervals_first_length (1e6, 500 * LMCC_MSECOND, 1000);
  guint i;

  /* 500,000 bits in an RTT, over 1.2247 times 8000 bits, squared. */
  assert_near (l, 62.5 * 62.5 / 1.5);
  lmcc_loss_intervals_set_first (history, l);
  fail_unless_equals_float (lmcc_loss_intervals_get_loss_rate (history), 0);
  feed (history, 0, "..........x.");
  assert_near (lmcc_loss_intervals_get_loss_rate (history), 1 / l);

  lmcc_loss_intervals_rescale_first (history, 100 * LMCC_MSECOND,
      500 * LMCC_MSECOND);
  assert_near (lmcc_loss_intervals_get_loss_rate (history), 25 / l);

  /* The ninth event pushes it out of the history. */
  for (i = 0; i < 7; i++)
    feed (history, 12 + 20 * i,
        "...................x"
        ".");
  lmcc_loss_intervals_set_first (history, 1e6);
  fail_unless (closed_loss_rate (history) < 1e-4);
  feed (history, 152,
      "...................x"
      ".");
  fail_unless_equals_uint64 (lmcc_loss_intervals_get_events (history), 9);
  fail_unless (closed_loss_rate (history) > 1 / 25.0);
}

GST_END_TEST;

GST_START_TEST (test_the_seeded_history_gives_the_receive_rate_at_low_loss)
{
  g_autoptr (LmccLossIntervals) history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LAP, RTT);
  gdouble rate;

  lmcc_loss_intervals_set_first (history,
      lmcc_loss_intervals_first_length (10e6, RTT, 1000));
  feed (history, 0, "..........x.");
  rate = lmcc_tcp_model_rate (lmcc_loss_intervals_get_loss_rate (history), RTT,
      1000);
  fail_unless (fabs (rate / 10e6 - 1) < 0.01, "%f bit/s", rate);
}

GST_END_TEST;

GST_START_TEST (test_first_lengths_out_of_range_are_clamped)
{
  g_autoptr (LmccLossIntervals) history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LAP, RTT);
  gdouble lengths[] = { 0, -7, NAN, 0.5 };
  guint i;

  fail_unless_equals_float (lmcc_loss_intervals_first_length (0, RTT, 1000), 1);
  fail_unless_equals_float (lmcc_loss_intervals_first_length (-1e9, RTT, 1000),
      1);
  fail_unless_equals_float (lmcc_loss_intervals_first_length (NAN, RTT, 1000),
      1);
  fail_unless_equals_float (lmcc_loss_intervals_first_length (1e6, 0, 1000), 1);
  fail_unless_equals_float (lmcc_loss_intervals_first_length (INFINITY, RTT, 0),
      1e12);

  feed (history, 0, "..........x.");
  lmcc_loss_intervals_rescale_first (history, 2 * RTT, RTT);
  assert_near (lmcc_loss_intervals_get_loss_rate (history), 0.1);
  for (i = 0; i < G_N_ELEMENTS (lengths); i++) {
    lmcc_loss_intervals_set_first (history, lengths[i]);
    fail_unless_equals_float (closed_loss_rate (history), 1);
  }
  lmcc_loss_intervals_set_first (history, 100);
  lmcc_loss_intervals_rescale_first (history, RTT, 0);
  assert_near (lmcc_loss_intervals_get_loss_rate (history), 0.01);
  lmcc_loss_intervals_rescale_first (history, G_MAXUINT64, 1);
  assert_near (closed_loss_rate (history), 1e-12);
}

GST_END_TEST;

GST_START_TEST (test_all_lost_is_a_loss_rate_of_one)
{
  g_autoptr (LmccLossIntervals) history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LAP, 0);
  guint i;

  lmcc_loss_intervals_loss (history, 5, 1);
  for (i = 0; i < 100; i++)
    lmcc_loss_intervals_loss (history, 5, 1);
  fail_unless_equals_float (lmcc_loss_intervals_get_loss_rate (history), 1);
}

GST_END_TEST;

GST_START_TEST (test_absurd_times_and_counts_do_no_harm)
{
  g_autoptr (LmccLossIntervals) history = lmcc_loss_intervals_new (0, RTT);
  g_autoptr (GRand) random = g_rand_new_with_seed (11);
  guint i;

  for (i = 0; i < 200000; i++) {
    LmccTime time = g_rand_int (random) * (LmccTime) g_rand_int (random);
    guint count = g_rand_int (random) >> g_rand_int_range (random, 0, 32);

    switch (g_rand_int_range (random, 0, 4)) {
      case 0:
        lmcc_loss_intervals_loss (history, time, count);
        break;
      case 1:
        lmcc_loss_intervals_loss (history, LMCC_TIME_NONE, count);
        break;
      default:
        lmcc_loss_intervals_packet (history, i * LMCC_USECOND, count);
    }
    if (i % 20000 == 0) {
      gdouble p = lmcc_loss_intervals_get_loss_rate (history);

      fail_unless (p >= 0 && p <= 1);
    }
  }
}

GST_END_TEST;

static const guint all_windows[] = { LMCC_LOSS_WINDOW_LAP, 3,
  LMCC_LOSS_WINDOW_LIP };

static void
assert_same (LmccLossIntervals *history, LmccLossIntervals *wanted_of)
{
  LmccLossInterval wanted[LMCC_LOSS_INTERVALS + 1];
  guint n = lmcc_loss_intervals_get (wanted_of, wanted);

  assert_intervals (history, wanted, n);
  fail_unless_equals_uint64 (lmcc_loss_intervals_get_events (history),
      lmcc_loss_intervals_get_events (wanted_of));
}

/* Five layers lose runs of up to 60 packets, sometimes at the same time, and
 * each detects a run some packets later. */
GST_START_TEST (test_a_run_counts_as_its_losses_do_one_by_one)
{
  enum
  {
    LAYERS = 5,
    N = 12000
  };
  guint window = all_windows[__i__ % 3];
  LmccTime rtt = __i__ < 3 ? RTT : RTT / 8;
  g_autoptr (LmccLossIntervals) runs = lmcc_loss_intervals_new (window, rtt);
  g_autoptr (LmccLossIntervals) singles = lmcc_loss_intervals_new (window, rtt);
  g_autoptr (GRand) random = g_rand_new_with_seed (17);
  LmccTime came[LAYERS] = { 0 };
  guint missing[LAYERS] = { 0 };
  gint left[LAYERS] = { 0 };
  gboolean outage = FALSE;
  guint i, j, n_runs = 0;

  for (i = 0; i < N; i++) {
    guint layer = (guint) g_rand_int_range (random, 0, LAYERS);
    LmccTime now =
        packet_time (i, 40) + (LmccTime) g_rand_int_range (random, 0, 1000);
    LmccLoss loss = { .count = missing[layer],
      .before = came[layer],
      .span = now - came[layer],
      .gap = missing[layer] + 1,
      .index = 1 };

    if (g_rand_double (random) < 0.01)
      outage = !outage;
    if (left[layer] == 0 && g_rand_double (random) < (outage ? 0.3 : 0.005))
      left[layer] = g_rand_int_range (random, 1, 60);
    if (left[layer] > 0) {
      left[layer]--;
      missing[layer]++;
      continue;
    }
    lmcc_loss_intervals_packet (runs, now, 1);
    lmcc_loss_intervals_packet (singles, now, 1);
    for (j = 0; j < missing[layer]; j++)
      lmcc_loss_intervals_loss (singles, lmcc_loss_get_time (&loss, j), 1);
    if (missing[layer] > 0) {
      lmcc_loss_intervals_lose (runs, &loss);
      n_runs++;
    }
    missing[layer] = 0;
    came[layer] = now;
    if (i % 7 == 0)
      assert_same (runs, singles);
  }
  assert_same (runs, singles);
  fail_unless (n_runs > 150);
}

GST_END_TEST;

GST_START_TEST (test_a_long_run_is_an_event_in_each_round_trip_time)
{
  LmccLossInterval intervals[LMCC_LOSS_INTERVALS + 1];
  const LmccTime span = 800 * LMCC_MSECOND;
  const LmccTime rtts[] = { 0, LMCC_USECOND, LMCC_MSECOND, RTT };
  const guint64 events[] = { 30000, 30000, 800, 8 };
  LmccTime rtt = rtts[__i__];
  g_autoptr (LmccLossIntervals) history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LAP, rtt);
  LmccLoss loss = { .count = 30000,
    .before = LMCC_SECOND,
    .span = span,
    .gap = 30001,
    .index = 1 };
  guint n;

  lmcc_loss_intervals_packet (history, LMCC_SECOND, 100);
  lmcc_loss_intervals_packet (history, LMCC_SECOND + span, 1);
  lmcc_loss_intervals_lose (history, &loss);
  assert_near ((gdouble) lmcc_loss_intervals_get_events (history),
      (gdouble) events[__i__]);
  fail_unless_equals_int (lmcc_loss_intervals_get (history, intervals),
      LMCC_LOSS_INTERVALS + 1);
  for (n = 1; n < LMCC_LOSS_INTERVALS; n++)
    fail_if (fabs (intervals[n].packets * events[__i__] / 30000 - 1) > 0.03,
        "interval %u: %f packets", n, intervals[n].packets);
}

GST_END_TEST;

/* One packet per millisecond, of which every tenth is lost, and @other. */
static LmccLossIntervals *
lose_each_tenth (guint other)
{
  LmccLossIntervals *history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LAP, 5 * LMCC_MSECOND);
  guint i, next = 1;

  for (i = 1; i < 100; i++) {
    if (i % 10 == 0 || i == other)
      continue;
    lmcc_loss_intervals_packet (history, i * LMCC_MSECOND, 1);
    for (; next < i; next++)
      lmcc_loss_intervals_loss (history, next * LMCC_MSECOND, 1);
    next = i + 1;
  }

  return history;
}

GST_START_TEST (test_what_came_after_all_leaves_no_trace)
{
  g_autoptr (LmccLossIntervals) history = lose_each_tenth ((guint) __i__);
  g_autoptr (LmccLossIntervals) expected = lose_each_tenth (0);
  LmccLossInterval intervals[2][LMCC_LOSS_INTERVALS + 1];
  guint i, n;

  for (i = 0; i < 2; i++)
    lmcc_loss_intervals_find (history, (guint) __i__ * LMCC_MSECOND);
  n = lmcc_loss_intervals_get (history, intervals[0]);
  fail_unless_equals_int (n, lmcc_loss_intervals_get (expected, intervals[1]));
  for (i = 0; i < n; i++) {
    assert_near (intervals[0][i].packets, intervals[1][i].packets);
    fail_unless_equals_uint64 (intervals[0][i].losses, intervals[1][i].losses);
  }
}

GST_END_TEST;

GST_START_TEST (test_reset_forgets)
{
  g_autoptr (LmccLossIntervals) history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LAP, RTT);
  static const LmccLossInterval wanted[] = { { 2, 1 }, { 10, 1 } };

  lmcc_loss_intervals_set_first (history, 500);
  feed (history, 1000, PATTERN ".");
  lmcc_loss_intervals_reset (history);
  fail_unless_equals_uint64 (lmcc_loss_intervals_get_events (history), 0);
  feed (history, 0, "..........x.");
  assert_intervals (history, wanted, 2);
}

GST_END_TEST;

GST_START_TEST (test_a_history_begins_again_with_a_given_loss_rate)
{
  g_autoptr (LmccLossIntervals) history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LIP, 100);
  LmccLossInterval intervals[LMCC_LOSS_INTERVALS + 1];
  guint i;

  for (i = 1; i < 50; i++) {
    lmcc_loss_intervals_packet (history, 1000 * i, 1);
    lmcc_loss_intervals_loss (history, 1000 * i, 1);
  }
  lmcc_loss_intervals_start (history, 60000, 400);
  fail_unless_equals_float (lmcc_loss_intervals_get_loss_rate (history),
      1.0 / 400);
  fail_unless_equals_int (lmcc_loss_intervals_get (history, intervals), 2);

  /* The open interval starts there; the next loss starts an event, and a
   * loss with an earlier time counts there, too. */
  lmcc_loss_intervals_packet (history, 70000, 99);
  lmcc_loss_intervals_packet (history, 71000, 1);
  lmcc_loss_intervals_loss (history, 50000, 1);
  fail_unless_equals_int (lmcc_loss_intervals_get (history, intervals), 3);
  fail_unless_equals_float (intervals[1].packets, 1);
  lmcc_loss_intervals_loss (history, 71000, 1);
  fail_unless_equals_int (lmcc_loss_intervals_get (history, intervals), 4);
  fail_unless_equals_float (intervals[1].packets, 101);
  fail_unless_equals_float (lmcc_loss_intervals_get_loss_rate (history),
      3.0 / 502);
}

GST_END_TEST;

GST_START_TEST (test_it_is_quiet_after_twice_the_mean_interval)
{
  g_autoptr (LmccLossIntervals) history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LIP, 1);
  LmccTime now = 0;
  guint i;

  fail_unless (lmcc_loss_intervals_is_quiet (history));
  for (i = 0; i < 20; i++) {
    now += 1000;
    lmcc_loss_intervals_packet (history, now, 49);
    lmcc_loss_intervals_loss (history, now, 1);
    fail_if (lmcc_loss_intervals_is_quiet (history));
  }
  lmcc_loss_intervals_packet (history, now + 1000, 99);
  fail_if (lmcc_loss_intervals_is_quiet (history));
  lmcc_loss_intervals_packet (history, now + 2000, 1);
  fail_unless (lmcc_loss_intervals_is_quiet (history));
}

GST_END_TEST;

static Suite *
loss_intervals_suite (void)
{
  Suite *suite = suite_create ("loss-intervals");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_without_loss_the_loss_rate_is_zero);
  tcase_add_test (tcase, test_lip_counts_an_event_once);
  tcase_add_test (tcase, test_lap_counts_the_losses_of_an_event);
  tcase_add_test (tcase,
      test_the_window_leaves_out_losses_close_behind_another);
  tcase_add_test (tcase, test_the_window_takes_every_second_loss_as_one);
  tcase_add_test (tcase, test_the_history_weighs_eight_intervals);
  tcase_add_test (tcase, test_the_impact_of_the_newest_event_counts_at_once);
  tcase_add_test (tcase, test_with_lip_the_impact_rate_is_the_loss_rate);
  tcase_add_loop_test (tcase, test_lip_falls_with_the_packet_rate_as_predicted,
      0, test_is_slow () ? 1 : G_N_ELEMENTS (bernoulli_rows));
  tcase_add_loop_test (tcase, test_lap_is_the_loss_rate_at_any_packet_rate, 0,
      test_is_slow () ? 1 : G_N_ELEMENTS (bernoulli_rows));
  tcase_add_loop_test (tcase, test_losses_reported_late_count_where_they_belong,
      0, 3);
  tcase_add_test (tcase, test_a_loss_after_the_hold_time_still_counts);
  tcase_add_test (tcase, test_the_hold_time_keeps_a_bounded_number_of_packets);
  tcase_add_test (tcase, test_packets_and_losses_come_in_numbers);
  tcase_add_test (tcase,
      test_a_longer_rtt_joins_events_and_a_shorter_one_parts_them);
  tcase_add_test (tcase, test_the_first_interval_is_that_of_the_receive_rate);
  tcase_add_test (tcase,
      test_the_seeded_history_gives_the_receive_rate_at_low_loss);
  tcase_add_test (tcase, test_first_lengths_out_of_range_are_clamped);
  tcase_add_test (tcase, test_all_lost_is_a_loss_rate_of_one);
  tcase_add_test (tcase, test_absurd_times_and_counts_do_no_harm);
  tcase_add_loop_test (tcase, test_a_run_counts_as_its_losses_do_one_by_one, 0,
      6);
  tcase_add_loop_test (tcase,
      test_a_long_run_is_an_event_in_each_round_trip_time, 0, 4);
  tcase_add_loop_test (tcase, test_what_came_after_all_leaves_no_trace, 11, 20);
  tcase_add_loop_test (tcase, test_what_came_after_all_leaves_no_trace, 91, 96);
  tcase_add_test (tcase, test_reset_forgets);
  tcase_add_test (tcase, test_a_history_begins_again_with_a_given_loss_rate);
  tcase_add_test (tcase, test_it_is_quiet_after_twice_the_mean_interval);

  return suite;
}

GST_CHECK_MAIN (loss_intervals);
