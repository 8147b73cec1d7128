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
} Path;

static void
start (Path *path)
{
  *path = (Path){ .now = BEGIN, .run = 1, .heard = BEGIN };
  lmcc_link_loss_init (&path->link);
}

/* The sender's clock is another one. */
static void
arrive (Path *path, LmccTime queue, gboolean train)
{
  guint32 sent = lmcc_time_to_ntp_short (path->now + 7 * LMCC_SECOND);

  path->heard = path->now + PATH_DELAY + queue;
  lmcc_link_loss_packet (&path->link, path->heard, sent, train);
}

static void
run (Path *path, LmccTime duration)
{
  LmccTime end = path->now + duration;

  for (; path->now < end; path->now += GAP, path->number++) {
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
  lmcc_link_loss_find (&path.link, &loss);
  run (&path, 3 * LMCC_SECOND);
  check (&path, 0, 1);
}

GST_END_TEST;

/* Neither a pause nor a clock that was set leaves anything behind. */
GST_START_TEST (it_begins_anew_after_a_jump)
{
  Path path;
  LmccTime ahead[] = { 3600 * LMCC_SECOND, 20 * LMCC_SECOND };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (ahead); i++) {
    start (&path);
    path.period = 20;
    run (&path, 20 * LMCC_SECOND);
    path.period = 0;
    path.now += ahead[i];
    run (&path, 40 * LMCC_SECOND);
    check (&path, 0, 1);
  }
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
  tcase_add_test (tc, it_begins_anew_after_a_jump);

  return s;
}

GST_CHECK_MAIN (link_loss);
