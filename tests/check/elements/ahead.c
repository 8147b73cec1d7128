/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests which packets lmccsink hands to the kernel before they are due, in
 * virtual time.
 */
#include <gst/check/gstcheck.h>

#include <gst/lmcc/lmcc.h>
#include <plugins/lmcc/sink/ahead.h>

#define LEAD (10 * LMCC_MSECOND)
#define DURATION LMCC_SECOND
#define SIZE 1200

/* CLOCK_MONOTONIC at time 0 of the library. */
#define START (G_GUINT64_CONSTANT (123) * LMCC_SECOND)

/* A sender of equal packets whose thread wakes up late. */
typedef struct
{
  guint rate;  /* packets/s */
  guint bunch; /* number of them due together */
  LmccTime late;
  gboolean segments;
  LmccTime step;
  guint n_most;
} Sender;

typedef struct
{
  guint n_packets;
  guint n_mistimed; /* packets whose time differs from the announced one */
  guint n_wakes;
  guint most_ahead; /* messages due in the future, after a wake-up */
  LmccTime longest_lead;
  LmccTime longest_lag; /* lateness of a packet */
} Outcome;

/* @times are in order. */
static guint
count_ahead (const GArray *times, LmccTime now)
{
  guint n = 0;

  while (n < times->len
      && g_array_index (times, guint64, times->len - 1 - n) > START + now)
    n++;
  return n;
}

/* Sends all that is due by @time; adds each message's time to @times once. */
static void
send (GstLmccSinkAhead *ahead, const Sender *sender, GArray *times,
    LmccTime time, Outcome *outcome)
{
  LmccTime distance = LMCC_SECOND * sender->bunch / sender->rate;
  guint64 before = 0;
  guint i;

  time = gst_lmcc_sink_ahead_tell (ahead, time);
  while (outcome->n_packets / sender->bunch * distance <= time) {
    LmccTime due = outcome->n_packets / sender->bunch * distance;

    outcome->longest_lag = MAX (outcome->longest_lag, time - due);
    for (i = 0; i < sender->bunch; i++) {
      guint64 leaves = gst_lmcc_sink_ahead_add (ahead, 0, SIZE);

      outcome->n_mistimed += leaves != START + time;
      if (!sender->segments || leaves != before)
        g_array_append_val (times, leaves);
      before = leaves;
      outcome->n_packets++;
    }
  }
  gst_lmcc_sink_ahead_sent (ahead,
      gst_lmcc_sink_ahead_get_step (ahead, sender->step));
}

static void
run (const Sender *sender, Outcome *outcome)
{
  LmccTime distance = LMCC_SECOND * sender->bunch / sender->rate, now = 0;
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (guint64));
  GstLmccSinkAhead ahead = { 0 };

  *outcome = (Outcome){ 0 };
  gst_lmcc_sink_ahead_set_room (&ahead, sender->n_most);
  ahead.lead = LEAD;
  ahead.segments = sender->segments;
  while (now < DURATION) {
    LmccTime time = now, due, wake;

    gst_lmcc_sink_ahead_set_clock (&ahead, now, START + now);
    do {
      due = outcome->n_packets / sender->bunch * distance;
      if (due <= time)
        send (&ahead, sender, times, time, outcome);
      due = outcome->n_packets / sender->bunch * distance;
    } while (gst_lmcc_sink_ahead_may_go_on (&ahead, now, due, &time));
    outcome->n_wakes++;
    outcome->most_ahead = MAX (outcome->most_ahead, count_ahead (times, now));
    outcome->longest_lead = MAX (outcome->longest_lead, ahead.time - now);
    wake = gst_lmcc_sink_ahead_get_wake (&ahead, due);
    fail_unless (wake > now, "woken again at once");
    now = wake + sender->late;
  }
  gst_lmcc_sink_ahead_clear (&ahead);
}

typedef struct
{
  Sender sender;
  guint most_wakes; /* per second */
  LmccTime lag;
} Row;

static const Row rows[] = {
  { { 200, 1, 0, FALSE, 0, 75 }, 200, 0 },
  { { 2000, 1, 0, FALSE, 0, 75 }, 200, 0 },
  { { 2000, 1, 4 * LMCC_MSECOND, FALSE, 0, 75 }, 115, 0 },
  { { 5000, 1, LMCC_MSECOND, FALSE, 0, 75 }, 180, 0 },
  { { 20000, 1, LMCC_MSECOND / 2, FALSE, LMCC_MSECOND, 75 }, 550, 0 },
  { { 20000, 20, LMCC_MSECOND / 2, FALSE, 0, 75 }, 600, 0 },
  { { 100000, 1, LMCC_MSECOND / 5, FALSE, 0, 75 }, 2700, 0 },
  { { 100000, 1, LMCC_MSECOND, FALSE, 0, 750 }, 260, 0 },
  /* Super-packets per step; 75 of them take longer than the lead. */
  { { 20000, 1, 4 * LMCC_MSECOND, TRUE, LMCC_MSECOND, 75 }, 210, LMCC_MSECOND },
  { { 100000, 1, 4 * LMCC_MSECOND, TRUE, LMCC_MSECOND, 75 }, 210,
      LMCC_MSECOND },
};

GST_START_TEST (one_wake_up_serves_many_packets)
{
  const Row *row = &rows[__i__];
  const Sender *sender = &row->sender;
  Outcome outcome;

  run (sender, &outcome);
  fail_unless (outcome.n_packets >= sender->rate);
  fail_unless_equals_int (outcome.n_mistimed, 0);
  fail_unless (outcome.n_wakes <= row->most_wakes, "%u wake-ups",
      outcome.n_wakes);
  fail_unless (outcome.longest_lag <= row->lag, "%" G_GUINT64_FORMAT " ns",
      outcome.longest_lag);
  fail_unless (outcome.longest_lead <= LEAD);
  /* Packets due together are not split. */
  fail_unless (outcome.most_ahead < sender->n_most + sender->bunch, "%u",
      outcome.most_ahead);
}

GST_END_TEST;

/* The two clocks were read at different moments. */
GST_START_TEST (packets_do_not_overtake_each_other)
{
  GstLmccSinkAhead ahead = { 0 };
  guint64 first, second;

  gst_lmcc_sink_ahead_set_room (&ahead, 10);
  ahead.lead = LEAD;
  gst_lmcc_sink_ahead_set_clock (&ahead, 0, START + 3 * LMCC_MSECOND);
  gst_lmcc_sink_ahead_tell (&ahead, 5 * LMCC_MSECOND);
  first = gst_lmcc_sink_ahead_add (&ahead, 0, SIZE);
  gst_lmcc_sink_ahead_set_clock (&ahead, 5 * LMCC_MSECOND,
      START + 5 * LMCC_MSECOND);
  gst_lmcc_sink_ahead_tell (&ahead, 6 * LMCC_MSECOND);
  second = gst_lmcc_sink_ahead_add (&ahead, 1, SIZE);
  fail_unless (first == START + 8 * LMCC_MSECOND);
  fail_unless (second == first);
  gst_lmcc_sink_ahead_tell (&ahead, 10 * LMCC_MSECOND);
  fail_unless (
      gst_lmcc_sink_ahead_add (&ahead, 1, SIZE) == START + 10 * LMCC_MSECOND);
  gst_lmcc_sink_ahead_clear (&ahead);
}

GST_END_TEST;

GST_START_TEST (without_a_lead_nothing_is_before_its_time)
{
  GstLmccSinkAhead ahead = { 0 };
  LmccTime time;

  fail_unless (gst_lmcc_sink_ahead_tell (&ahead, LMCC_SECOND) == LMCC_SECOND);
  fail_unless (gst_lmcc_sink_ahead_add (&ahead, 0, SIZE) == 0);
  gst_lmcc_sink_ahead_sent (&ahead, LMCC_MSECOND);
  fail_if (
      gst_lmcc_sink_ahead_may_go_on (&ahead, LMCC_SECOND, LMCC_SECOND, &time));
  fail_unless (gst_lmcc_sink_ahead_get_wake (&ahead, 2 * LMCC_SECOND)
      == 2 * LMCC_SECOND);
  fail_unless (
      gst_lmcc_sink_ahead_get_wake (&ahead, LMCC_TIME_NONE) == LMCC_TIME_NONE);
  /* The end of a lead does not set the library's time back. */
  gst_lmcc_sink_ahead_tell (&ahead, LMCC_SECOND + LEAD);
  fail_unless (
      gst_lmcc_sink_ahead_tell (&ahead, LMCC_SECOND + 1) == LMCC_SECOND + LEAD);
}

GST_END_TEST;

static Suite *
ahead_suite (void)
{
  Suite *s = suite_create ("ahead");
  TCase *tc = tcase_create ("ahead");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, one_wake_up_serves_many_packets, 0,
      G_N_ELEMENTS (rows));
  tcase_add_test (tc, packets_do_not_overtake_each_other);
  tcase_add_test (tc, without_a_lead_nothing_is_before_its_time);
  return s;
}

GST_CHECK_MAIN (ahead);
