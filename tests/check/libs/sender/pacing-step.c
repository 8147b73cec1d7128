/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the step in which the pacing thread sends packets that are due
 * together.
 */
#include "sender/pacing-step.h"
#include "support/train-run.h"

#define US LMCC_USECOND
#define EXACT (250 * US)

/* The step after a second in which @rate packets left, each at its own time. */
static LmccTime
step_at (guint rate, guint max_burst, gboolean exact)
{
  LmccPacketCount count = { 0 };
  guint i;

  for (i = 0; i < rate; i++)
    lmcc_packet_count_add (&count, START + i * (LMCC_SECOND / rate));

  return lmcc_pacing_step (&count, START + LMCC_SECOND, max_burst, exact);
}

GST_START_TEST (test_the_step_follows_the_rate)
{
  static const struct
  {
    guint rate;
    guint max_burst;
    LmccTime least;
    LmccTime most;
  } rows[] = {
    /* Fewer than two packets in 1 ms: each at its own time. */
    { 50, 0, EXACT, EXACT },
    { 200, 0, EXACT, EXACT },
    { 1400, 0, EXACT, EXACT },
    /* The packets due in 1 ms. */
    { 2000, 0, MS, MS },
    { 20000, 0, MS, MS },
    { 100000, 0, MS, MS },
    /* As requested, at most 10 ms. */
    { 2000, 10, 4900 * US, 5100 * US },
    { 100, 10, EXACT, EXACT },
    { 200, 10, 10 * MS, 10 * MS },
    { 500, 10, 10 * MS, 10 * MS },
    { 20000, 10, 490 * US, 510 * US },
    { 20000, 1, 49 * US, 51 * US },
    { 100000, 8, 79 * US, 81 * US },
    { 2000, 1, EXACT, EXACT },
    { 20000, G_MAXUINT, 10 * MS, 10 * MS },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    LmccTime step = step_at (rows[i].rate, rows[i].max_burst, FALSE);

    if (step < rows[i].least || step > rows[i].most)
      fail ("row %u: %" G_GUINT64_FORMAT, i, step);
    fail_unless (
        step_at (rows[i].rate, rows[i].max_burst, TRUE) == MIN (step, EXACT));
  }
}

GST_END_TEST;

GST_START_TEST (test_a_rate_that_grows_counts_at_once)
{
  LmccPacketCount count = { 0 };
  LmccTime now = START;
  guint i;

  for (i = 0; i < 100; i++, now += LMCC_SECOND / 2000)
    lmcc_packet_count_add (&count, now);
  fail_unless (lmcc_pacing_step (&count, now, 10, FALSE) >= 4 * MS);
  for (i = 0; i < 200; i++, now += LMCC_SECOND / 40000)
    lmcc_packet_count_add (&count, now);
  fail_unless (lmcc_pacing_step (&count, now, 10, FALSE) <= MS);

  /* Silence is no rate. */
  now += 100 * MS;
  fail_unless (lmcc_pacing_step (&count, now, 0, FALSE) == EXACT);
  lmcc_packet_count_add (&count, now);
  fail_unless (lmcc_pacing_step (&count, now, 0, FALSE) == EXACT);
}

GST_END_TEST;

/* Calls the sender as the pacing thread does. Returns the number of packets
 * in trains, and the largest lateness of them. */
static guint
run_in_steps (TrainRun *run, guint max_burst, LmccTime until, LmccTime *latest)
{
  guint n = 0, begin;

  *latest = 0;
  while (run->now < until) {
    LmccTime next = lmcc_sender_next_timeout (run->sender);
    LmccTime step =
        lmcc_sender_get_pacing_step (run->sender, run->now, max_burst);
    LmccTime now = MAX (next, run->now + step);

    begin = run->sent->len;
    train_run_wake (run, now);
    for (; begin < run->sent->len; begin++) {
      if (TRAIN_PACKET (run, begin)->burst) {
        n++;
        *latest = MAX (*latest, now - next);
      }
    }
  }

  return n;
}

static const guint bursts[] = { 0, 8, 40 };

/* About 8,000 packets per second, in trains and outside. */
GST_START_TEST (test_trains_are_exact)
{
  guint max_burst = bursts[__i__];
  LmccSenderConfig config = train_fixed_config (3, 20e6, 2);
  TrainRun plain = train_run_new (&config, TRUE);
  TrainRun run = train_run_new (&config, TRUE);
  LmccTime latest;
  guint n;

  n = run_in_steps (&plain, 1, START + 5 * LMCC_SECOND, &latest);
  fail_unless (n > 100);
  fail_unless (run_in_steps (&run, max_burst, START + 5 * LMCC_SECOND, &latest)
      > n * 9 / 10);
  if (latest > EXACT)
    fail ("a packet of a train left %" G_GUINT64_FORMAT " ns late", latest);
  fail_unless (run.n_wakes < plain.n_wakes / 2);
  train_run_clear (&plain);
  train_run_clear (&run);
}

GST_END_TEST;

GST_START_TEST (test_slots_are_exact)
{
  LmccSenderConfig config = train_fixed_config (3, 20e6, 2);
  TrainRun run;
  guint i;

  g_strlcpy (config.session.algorithm, "rlc",
      sizeof (config.session.algorithm));
  run = train_run_new (&config, FALSE);
  fail_unless (train_run_session (&run)->slot > 0);
  for (i = 1; i < 1000; i++) {
    train_run_until (&run, START + i * MS);
    fail_unless (
        lmcc_sender_get_pacing_step (run.sender, run.now, 40) <= EXACT);
  }
  train_run_clear (&run);
}

GST_END_TEST;

static Suite *
pacing_step_suite (void)
{
  Suite *s = suite_create ("pacing-step");
  TCase *tc = tcase_create ("pacing-step");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_the_step_follows_the_rate);
  tcase_add_test (tc, test_a_rate_that_grows_counts_at_once);
  tcase_add_loop_test (tc, test_trains_are_exact, 0, G_N_ELEMENTS (bursts));
  tcase_add_test (tc, test_slots_are_exact);

  return s;
}

GST_CHECK_MAIN (pacing_step);
