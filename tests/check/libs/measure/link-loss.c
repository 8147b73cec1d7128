/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests which losses a receiver tells its sender.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/measure/link-loss.h>
#include <gst/lmcc/wire/layer-header.h>

#define MS LMCC_MSECOND
#define GAP (10 * MS)
#define BEGIN (100 * LMCC_SECOND)
#define PATH_DELAY (30 * MS)

/* A path on which the @period-th packets are lost, @run in a row. */
typedef struct
{
  LmccLinkLoss link;
  LmccTime now;
  guint period;
  guint run;
  LmccTime queue;      /* delay of each packet */
  LmccTime full_queue; /* delay around losses */
  gboolean train;      /* packets around losses belong to a train */
  guint number;
  LmccTime heard;
  LmccTime gap;    /* between two packets */
  LmccTime jitter; /* each packet is delayed by up to this */
  gint drift;      /* of the sender's clock, in parts per million */
  LmccTime clock;  /* how far it is ahead */
  guint32 random;
} Path;

static void
start (Path *path)
{
  *path = (Path){ .now = BEGIN,
    .run = 1,
    .heard = BEGIN,
    .gap = GAP,
    .clock = 7 * LMCC_SECOND,
    .random = 1 };
  lmcc_link_loss_init (&path->link);
}

/* Uniform, from 0 to below the jitter. */
static LmccTime
draw_jitter (Path *path)
{
  path->random = path->random * 1664525u + 1013904223u;

  return path->jitter * (path->random >> 16) >> 16;
}

/* The sender's clock is another one. */
static void
arrive (Path *path, LmccTime queue, gboolean train)
{
  gint64 drift = (gint64) (path->now - BEGIN) / 1000000 * path->drift;
  guint32 sent =
      lmcc_time_to_ntp_short (path->now + path->clock + (LmccTime) drift);

  path->heard = path->now + PATH_DELAY + queue;
  lmcc_link_loss_packet (&path->link, path->heard + draw_jitter (path), sent,
      train);
}

static void
run (Path *path, LmccTime duration)
{
  LmccTime end = path->now + duration;

  for (; path->now < end; path->now += path->gap, path->number++) {
    guint place = path->period > 0 ? path->number % path->period : 100;
    gboolean near = path->period > 0
        && (place < path->run + 8 || place + 8 >= path->period);
    LmccTime queue = near ? MAX (path->queue, path->full_queue) : path->queue;

    if (place == path->run) {
      LmccLoss loss = { .lsn = 1,
        .count = path->run,
        .before = path->heard,
        .span = path->now + PATH_DELAY + queue - path->heard,
        .gap = path->run + 1,
        .index = 1 };

      lmcc_link_loss_lose (&path->link, &loss);
    }
    if (place >= path->run)
      arrive (path, queue, near && path->train);
  }
}

static void
check (Path *path, gdouble loss_rate, gdouble burst)
{
  LmccLossReport report;

  fail_unless (lmcc_link_loss_get (&path->link, path->now, &report));
  fail_unless (ABS (report.loss_rate - loss_rate) <= 0.2 * loss_rate, "%g",
      report.loss_rate);
  fail_unless (ABS (report.burst - burst) < 0.01, "%g", report.burst);
}

GST_START_TEST (nothing_is_known_before_there_are_packets)
{
  LmccLossReport report;
  Path path;

  start (&path);
  fail_if (lmcc_link_loss_get (&path.link, BEGIN, &report));
  run (&path, 100 * MS);
  fail_if (lmcc_link_loss_get (&path.link, path.now, &report));
}

GST_END_TEST;

GST_START_TEST (a_path_without_losses_has_none)
{
  Path path;

  start (&path);
  run (&path, 40 * LMCC_SECOND);
  check (&path, 0, 1);
}

GST_END_TEST;

GST_START_TEST (losses_count_and_are_forgotten)
{
  Path path;

  start (&path);
  path.period = 50;
  run (&path, 40 * LMCC_SECOND);
  check (&path, 0.02, 1);
  path.period = 0;
  run (&path, 40 * LMCC_SECOND);
  check (&path, 0, 1);
}

GST_END_TEST;

GST_START_TEST (losses_show_soon_after_they_began)
{
  Path path;

  start (&path);
  run (&path, 60 * LMCC_SECOND);
  path.period = 20;
  run (&path, 8 * LMCC_SECOND);
  check (&path, 0.05, 1);
}

GST_END_TEST;

GST_START_TEST (losses_in_a_row_are_told)
{
  Path path;

  start (&path);
  path.period = 100;
  path.run = 3;
  run (&path, 40 * LMCC_SECOND);
  check (&path, 0.03, 3);
}

GST_END_TEST;

GST_START_TEST (losses_in_a_full_queue_do_not_count)
{
  Path path;

  start (&path);
  run (&path, 5 * LMCC_SECOND);
  path.period = 200;
  path.full_queue = 40 * MS;
  run (&path, 40 * LMCC_SECOND);
  check (&path, 0, 1);
}

GST_END_TEST;

/* The queue grew once; now losses are independent of it. */
GST_START_TEST (losses_in_a_short_queue_count)
{
  Path path;

  start (&path);
  run (&path, 5 * LMCC_SECOND);
  path.queue = 40 * MS;
  run (&path, LMCC_SECOND);
  path.queue = 5 * MS;
  path.period = 50;
  run (&path, 20 * LMCC_SECOND);
  check (&path, 0.02, 1);
}

GST_END_TEST;

GST_START_TEST (losses_in_trains_do_not_count)
{
  Path path;

  start (&path);
  path.period = 200;
  path.train = TRUE;
  run (&path, 40 * LMCC_SECOND);
  check (&path, 0, 1);
}

GST_END_TEST;

GST_START_TEST (losses_after_a_change_of_the_level_do_not_count)
{
  Path path;
  guint i;

  start (&path);
  for (i = 0; i < 8; i++) {
    path.period = 0;
    run (&path, 4 * LMCC_SECOND);
    lmcc_link_loss_disturb (&path.link, path.now);
    path.period = 10;
    run (&path, 900 * MS);
  }
  path.period = 0;
  run (&path, 2 * LMCC_SECOND);
  check (&path, 0, 1);
}

GST_END_TEST;

GST_START_TEST (an_outage_does_not_count)
{
  Path path;

  start (&path);
  path.period = 1000;
  path.run = 40;
  run (&path, 40 * LMCC_SECOND);
  check (&path, 0, 1);
}

GST_END_TEST;

GST_START_TEST (what_arrives_after_all_was_not_lost)
{
  Path path;
  LmccLoss loss = { .lsn = 1,
    .count = 1,
    .span = 2 * GAP,
    .gap = 2,
    .index = 1 };

  start (&path);
  run (&path, 10 * LMCC_SECOND);
  loss.before = path.heard;
  lmcc_link_loss_lose (&path.link, &loss);
  lmcc_link_loss_find (&path.link, &loss, -1);
  run (&path, 3 * LMCC_SECOND);
  check (&path, 0, 1);
}

GST_END_TEST;

GST_START_TEST (a_packet_found_within_a_run_divides_it)
{
  static const struct
  {
    gint n_runs;
    gdouble burst;
  } cases[] = { { 1, 1 }, { 0, 2 } };
  Path path;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    LmccLoss loss = { .count = 3, .span = 4 * GAP, .gap = 4, .index = 1 };
    LmccLossReport report;

    start (&path);
    run (&path, 10 * LMCC_SECOND);
    loss.before = path.heard;
    lmcc_link_loss_lose (&path.link, &loss);
    loss.count = 1;
    lmcc_link_loss_find (&path.link, &loss, cases[i].n_runs);
    run (&path, 3 * LMCC_SECOND);
    fail_unless (lmcc_link_loss_get (&path.link, path.now, &report));
    assert_equals_float (report.burst, cases[i].burst);
  }
}

GST_END_TEST;

/* Wi-Fi delays packets for other reasons than a queue. Each report is right,
 * not only the mean of all. */
GST_START_TEST (losses_count_in_spite_of_jitter)
{
  static const LmccTime gaps[] = { MS, 5 * MS, GAP };
  Path path;
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (gaps); i++) {
    start (&path);
    path.gap = gaps[i];
    path.jitter = 12 * MS;
    path.period = 99;
    for (k = 0; k < 20; k++) {
      LmccLossReport report = { 0 };

      run (&path, 30 * LMCC_SECOND);
      fail_unless (lmcc_link_loss_get (&path.link, path.now, &report));
      fail_unless (ABS (report.loss_rate - 0.01) < 0.005, "%g",
          report.loss_rate);
    }
  }
}

GST_END_TEST;

GST_START_TEST (losses_count_in_spite_of_drift)
{
  static const gint drifts[] = { -150, 150 };
  Path path;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (drifts); i++) {
    start (&path);
    path.drift = drifts[i];
    path.jitter = MS;
    path.period = 50;
    run (&path, 300 * LMCC_SECOND);
    check (&path, 0.02, 1);
  }
}

GST_END_TEST;

/* Drift does not hide a queue either. */
GST_START_TEST (losses_in_a_full_queue_do_not_count_in_spite_of_drift)
{
  static const gint drifts[] = { -150, 150 };
  Path path;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (drifts); i++) {
    start (&path);
    path.drift = drifts[i];
    path.jitter = MS;
    run (&path, 5 * LMCC_SECOND);
    path.period = 200;
    path.full_queue = 40 * MS;
    run (&path, 120 * LMCC_SECOND);
    check (&path, 0, 1);
  }
}

GST_END_TEST;

/* Seconds without packets have no delay. */
GST_START_TEST (one_early_first_packet_is_not_the_shortest_delay)
{
  Path path;

  start (&path);
  path.gap = MS;
  run (&path, MS);
  path.queue = 10 * MS;
  path.period = 50;
  run (&path, 10 * LMCC_SECOND);
  check (&path, 0.02, 1);
}

GST_END_TEST;

/* A clock that was set leaves nothing behind: neither losses nor delays. */
GST_START_TEST (it_begins_anew_after_a_jump)
{
  Path path;
  LmccTime ahead[] = { 3600 * LMCC_SECOND, 20 * LMCC_SECOND };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (ahead); i++) {
    start (&path);
    path.period = 20;
    run (&path, 20 * LMCC_SECOND);
    path.clock += ahead[i];
    path.period = 0;
    run (&path, 4 * LMCC_SECOND);
    check (&path, 0, 1);
  }
}

GST_END_TEST;

GST_START_TEST (a_pause_leaves_nothing_behind)
{
  Path path;

  start (&path);
  path.period = 20;
  run (&path, 20 * LMCC_SECOND);
  path.now += 40 * LMCC_SECOND;
  path.period = 0;
  run (&path, 4 * LMCC_SECOND);
  check (&path, 0, 1);
}

GST_END_TEST;

static Suite *
link_loss_suite (void)
{
  Suite *s = suite_create ("link-loss");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, nothing_is_known_before_there_are_packets);
  tcase_add_test (tc, a_path_without_losses_has_none);
  tcase_add_test (tc, losses_count_and_are_forgotten);
  tcase_add_test (tc, losses_show_soon_after_they_began);
  tcase_add_test (tc, losses_in_a_row_are_told);
  tcase_add_test (tc, losses_in_a_full_queue_do_not_count);
  tcase_add_test (tc, losses_in_a_short_queue_count);
  tcase_add_test (tc, losses_in_trains_do_not_count);
  tcase_add_test (tc, losses_after_a_change_of_the_level_do_not_count);
  tcase_add_test (tc, an_outage_does_not_count);
  tcase_add_test (tc, what_arrives_after_all_was_not_lost);
  tcase_add_test (tc, a_packet_found_within_a_run_divides_it);
  tcase_add_test (tc, losses_count_in_spite_of_jitter);
  tcase_add_test (tc, losses_count_in_spite_of_drift);
  tcase_add_test (tc, losses_in_a_full_queue_do_not_count_in_spite_of_drift);
  tcase_add_test (tc, one_early_first_packet_is_not_the_shortest_delay);
  tcase_add_test (tc, it_begins_anew_after_a_jump);
  tcase_add_test (tc, a_pause_leaves_nothing_behind);

  return s;
}

GST_CHECK_MAIN (link_loss);
