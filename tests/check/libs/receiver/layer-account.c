/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the loss account of a layer: lost, reordered, duplicated and forged
 * packets.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/loss.h>
#include <gst/lmcc/receiver/layer-account.h>

#define PACKET_TIME (10 * LMCC_MSECOND)
#define SIZE 1228

static guint
count_losses (LmccLayerAccount *account)
{
  LmccLoss loss;
  guint n = 0;

  while (lmcc_layer_account_poll_loss (account, &loss))
    n += loss.count;

  return n;
}

GST_START_TEST (test_packets_in_order_lose_nothing_over_two_wraps)
{
  LmccReordering reordering = { 0 };
  g_autoptr (LmccLayerAccount) account = lmcc_layer_account_new (&reordering);
  const LmccLayerStats *stats = lmcc_layer_account_get_stats (account);
  guint i;

  for (i = 0; i < 2 * 65536 + 10; i++) {
    LmccArrival arrival = lmcc_layer_account_packet (account, i * PACKET_TIME,
        (guint16) (i + 65000), SIZE);

    if (arrival != (i == 0 ? LMCC_ARRIVAL_RESTART : LMCC_ARRIVAL_IN_ORDER)
        || !lmcc_layer_account_settled (account, (guint16) (i + 65000)))
      ck_abort_msg ("packet %u: arrival %d", i, arrival);
  }
  fail_unless_equals_uint64 (stats->received, 2 * 65536 + 10);
  fail_unless_equals_uint64 (stats->bytes, (guint64) SIZE * (2 * 65536 + 10));
  fail_unless_equals_uint64 (stats->lost, 0);
  fail_unless_equals_int (count_losses (account), 0);
}

GST_END_TEST;

GST_START_TEST (test_a_packet_is_lost_when_three_later_ones_came)
{
  LmccReordering reordering = { 0 };
  g_autoptr (LmccLayerAccount) account = lmcc_layer_account_new (&reordering);
  LmccLoss loss;
  guint i;

  lmcc_layer_account_packet (account, 0, 65534, SIZE);
  fail_unless_equals_int (lmcc_layer_account_packet (account, 4 * PACKET_TIME,
                              2, SIZE),
      LMCC_ARRIVAL_AFTER_GAP);
  lmcc_layer_account_packet (account, 5 * PACKET_TIME, 3, SIZE);
  fail_unless_equals_int (count_losses (account), 0);
  fail_if (lmcc_layer_account_settled (account, 2));
  fail_unless (lmcc_layer_account_settled (account, 65534));

  lmcc_layer_account_packet (account, 6 * PACKET_TIME, 4, SIZE);

  /* 65535, 0 and 1 would have arrived at a quarter, a half and three
   * quarters of the time between the packet before the gap and the one after
   * it. */
  fail_unless (lmcc_layer_account_poll_loss (account, &loss));
  fail_unless_equals_int (loss.lsn, 65535);
  fail_unless_equals_int (loss.count, 3);
  for (i = 0; i < 3; i++)
    fail_unless_equals_uint64 (lmcc_loss_get_time (&loss, i),
        (i + 1) * PACKET_TIME);
  fail_if (lmcc_layer_account_poll_loss (account, &loss));
  fail_unless (lmcc_layer_account_settled (account, 4));
}

GST_END_TEST;

GST_START_TEST (test_a_reordered_packet_is_no_loss)
{
  LmccReordering reordering = { 0 };
  g_autoptr (LmccLayerAccount) account = lmcc_layer_account_new (&reordering);
  static const guint16 order[] = { 1, 2, 4, 5, 3, 6, 7, 8 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (order); i++) {
    LmccArrival arrival =
        lmcc_layer_account_packet (account, i * PACKET_TIME, order[i], SIZE);

    if (order[i] == 3)
      fail_unless_equals_int (arrival, LMCC_ARRIVAL_REORDERED);
  }
  fail_unless_equals_int (count_losses (account), 0);
  fail_unless_equals_uint64 (lmcc_layer_account_get_stats (account)->reordered,
      1);
  fail_unless (lmcc_layer_account_settled (account, 8));
}

GST_END_TEST;

GST_START_TEST (test_duplicates_and_late_packets_are_told_apart)
{
  LmccReordering reordering = { 0 };
  g_autoptr (LmccLayerAccount) account = lmcc_layer_account_new (&reordering);
  const LmccLayerStats *stats = lmcc_layer_account_get_stats (account);
  guint16 lsn;

  for (lsn = 10; lsn < 20; lsn++) {
    if (lsn != 13)
      lmcc_layer_account_packet (account, lsn * PACKET_TIME, lsn, SIZE);
  }
  fail_unless_equals_int (count_losses (account), 1);
  fail_unless_equals_int (lmcc_layer_account_packet (account, 20 * PACKET_TIME,
                              15, SIZE),
      LMCC_ARRIVAL_DUPLICATE);
  fail_unless_equals_int (lmcc_layer_account_packet (account, 20 * PACKET_TIME,
                              13, SIZE),
      LMCC_ARRIVAL_LATE);
  fail_unless_equals_int (lmcc_layer_account_packet (account, 20 * PACKET_TIME,
                              13, SIZE),
      LMCC_ARRIVAL_DUPLICATE);
  fail_unless_equals_uint64 (stats->received, 9);
  fail_unless_equals_uint64 (stats->duplicates, 2);
  fail_unless_equals_uint64 (stats->late, 1);
  fail_unless_equals_uint64 (stats->lost, 1);
}

GST_END_TEST;

/* Packets @first to @last in order, except @missing. */
static void
take_but (LmccLayerAccount *account, guint16 first, guint16 last,
    guint16 missing)
{
  guint16 lsn;

  for (lsn = first; lsn <= last; lsn++) {
    if (lsn != missing)
      lmcc_layer_account_packet (account, lsn * PACKET_TIME, lsn, SIZE);
  }
}

GST_START_TEST (test_a_loss_that_comes_late_is_taken_back_once)
{
  LmccReordering reordering = { 0 };
  g_autoptr (LmccLayerAccount) account = lmcc_layer_account_new (&reordering);
  LmccLoss lost, found;
  gint n_runs;

  take_but (account, 10, 19, 13);
  fail_unless (lmcc_layer_account_poll_loss (account, &lost));
  fail_if (lmcc_layer_account_poll_found (account, &found, &n_runs));
  lmcc_layer_account_packet (account, 20 * PACKET_TIME, 13, SIZE);
  fail_unless (lmcc_layer_account_poll_found (account, &found, &n_runs));
  fail_unless_equals_int (found.lsn, 13);
  fail_unless_equals_int (found.count, 1);
  fail_unless_equals_uint64 (lmcc_loss_get_time (&found, 0),
      lmcc_loss_get_time (&lost, 0));
  lmcc_layer_account_packet (account, 21 * PACKET_TIME, 13, SIZE);
  fail_if (lmcc_layer_account_poll_found (account, &found, &n_runs));
}

GST_END_TEST;

GST_START_TEST (test_packets_of_a_lost_run_are_taken_back_one_by_one)
{
  LmccReordering reordering = { 0 };
  g_autoptr (LmccLayerAccount) account = lmcc_layer_account_new (&reordering);
  static const guint16 order[] = { 7, 5, 9, 6, 8 };
  static const gint runs[] = { 1, 0, 0, -1, -1 };
  LmccLoss lost, found;
  gint n_runs;
  LmccTime now = 20 * PACKET_TIME;
  guint i;

  lmcc_layer_account_packet (account, 4 * PACKET_TIME, 4, SIZE);
  take_but (account, 10, 12, 0);
  fail_unless (lmcc_layer_account_poll_loss (account, &lost));
  fail_unless_equals_int (lost.count, 5);
  for (i = 0; i < G_N_ELEMENTS (order); i++) {
    lmcc_layer_account_packet (account, now, order[i], SIZE);
    fail_unless (lmcc_layer_account_poll_found (account, &found, &n_runs));
    fail_unless_equals_int (found.lsn, order[i]);
    fail_unless_equals_int (n_runs, runs[i]);
    fail_unless_equals_uint64 (lmcc_loss_get_time (&found, 0),
        lmcc_loss_get_time (&lost, order[i] - 5u));
  }
  fail_unless_equals_uint64 (lmcc_layer_account_get_stats (account)->late, 5);
}

GST_END_TEST;

GST_START_TEST (test_what_was_never_missing_is_not_taken_back)
{
  LmccReordering reordering = { 0 };
  g_autoptr (LmccLayerAccount) account = lmcc_layer_account_new (&reordering);
  LmccLoss found;
  gint n_runs;
  guint16 lsn;

  take_but (account, 1000, 1010, 0);
  for (lsn = 1; lsn <= 1010; lsn++)
    lmcc_layer_account_packet (account, 1011 * PACKET_TIME, lsn, SIZE);
  fail_if (lmcc_layer_account_poll_found (account, &found, &n_runs));
  fail_unless_equals_uint64 (lmcc_layer_account_get_stats (account)->late, 0);
  fail_unless_equals_uint64 (lmcc_reordering_get_window (&reordering), 0);
}

GST_END_TEST;

GST_START_TEST (test_what_comes_after_a_second_is_not_taken_back)
{
  LmccReordering reordering = { 0 };
  g_autoptr (LmccLayerAccount) account = lmcc_layer_account_new (&reordering);
  LmccLoss found;
  gint n_runs;

  take_but (account, 10, 19, 13);
  lmcc_layer_account_packet (account, 14 * PACKET_TIME + LMCC_SECOND + 1, 13,
      SIZE);
  fail_if (lmcc_layer_account_poll_found (account, &found, &n_runs));
}

GST_END_TEST;

GST_START_TEST (test_once_one_came_late_the_next_is_waited_for)
{
  LmccReordering reordering = { 0 };
  g_autoptr (LmccLayerAccount) account = lmcc_layer_account_new (&reordering);
  LmccTime window = 10 * PACKET_TIME, due = 24 * PACKET_TIME + window;

  take_but (account, 10, 21, 13);
  fail_unless_equals_int (count_losses (account), 1);
  lmcc_layer_account_packet (account, 22 * PACKET_TIME, 13, SIZE);
  fail_unless_equals_uint64 (lmcc_reordering_get_window (&reordering), window);
  take_but (account, 22, 30, 23);
  fail_unless_equals_int (count_losses (account), 0);
  fail_if (lmcc_layer_account_settled (account, 30));
  fail_unless_equals_uint64 (lmcc_layer_account_next_timeout (account), due);
  lmcc_layer_account_timeout (account, due - 1);
  fail_unless_equals_int (count_losses (account), 0);
  lmcc_layer_account_timeout (account, due);
  fail_unless_equals_int (count_losses (account), 1);
  fail_unless (lmcc_layer_account_settled (account, 30));
}

GST_END_TEST;

/* Every second packet, faster than any window passes. */
GST_START_TEST (test_runs_that_are_waited_for_stay_few)
{
  LmccReordering reordering = { 0 };
  g_autoptr (LmccLayerAccount) account = lmcc_layer_account_new (&reordering);
  guint i;

  lmcc_reordering_late (&reordering, LMCC_LOSS_TIMEOUT);
  for (i = 0; i < 2 * LMCC_MAX_GAP; i++)
    lmcc_layer_account_packet (account, i, (guint16) (2 * i), SIZE);
  fail_unless (count_losses (account)
      >= 2 * LMCC_MAX_GAP - LMCC_MAX_GAP / 2 - LMCC_LOSS_THRESHOLD);
}

GST_END_TEST;

GST_START_TEST (test_a_gap_that_nothing_follows_is_a_loss_after_the_timeout)
{
  LmccReordering reordering = { 0 };
  g_autoptr (LmccLayerAccount) account = lmcc_layer_account_new (&reordering);
  LmccTime noticed = 2 * PACKET_TIME;

  fail_unless_equals_uint64 (lmcc_layer_account_next_timeout (account),
      LMCC_TIME_NONE);
  lmcc_layer_account_packet (account, 0, 0, SIZE);
  lmcc_layer_account_packet (account, noticed, 2, SIZE);
  fail_unless_equals_uint64 (lmcc_layer_account_next_timeout (account),
      noticed + LMCC_LOSS_TIMEOUT);
  lmcc_layer_account_timeout (account, noticed + LMCC_LOSS_TIMEOUT - 1);
  fail_unless_equals_int (count_losses (account), 0);
  lmcc_layer_account_timeout (account, noticed + LMCC_LOSS_TIMEOUT);
  fail_unless_equals_int (count_losses (account), 1);
  fail_unless (lmcc_layer_account_settled (account, 2));
}

GST_END_TEST;

GST_START_TEST (test_a_packet_that_came_too_early_makes_no_loss)
{
  LmccReordering reordering = { 0 };
  g_autoptr (LmccLayerAccount) account = lmcc_layer_account_new (&reordering);
  const LmccTime interval = LMCC_LOSS_TIMEOUT / 4;
  guint i;

  lmcc_layer_account_packet (account, 0, 0, SIZE);
  lmcc_layer_account_packet (account, interval / 2, 8, SIZE);
  for (i = 1; i < 8; i++) {
    lmcc_layer_account_timeout (account, i * interval);
    fail_unless_equals_int (lmcc_layer_account_packet (account, i * interval,
                                (guint16) i, SIZE),
        LMCC_ARRIVAL_REORDERED);
  }
  fail_unless_equals_int (count_losses (account), 0);
  fail_unless (lmcc_layer_account_settled (account, 8));
}

GST_END_TEST;

GST_START_TEST (test_a_packet_far_back_is_dropped_and_two_start_anew)
{
  LmccReordering reordering = { 0 };
  g_autoptr (LmccLayerAccount) account = lmcc_layer_account_new (&reordering);

  lmcc_layer_account_packet (account, 0, 30000, SIZE);
  fail_unless_equals_int (lmcc_layer_account_packet (account, 1, 100, SIZE),
      LMCC_ARRIVAL_SUSPECT);
  fail_unless_equals_int (lmcc_layer_account_packet (account, 2, 30001, SIZE),
      LMCC_ARRIVAL_IN_ORDER);
  /* The first suspicion is forgotten: 101 is suspected again. */
  fail_unless_equals_int (lmcc_layer_account_packet (account, 3, 101, SIZE),
      LMCC_ARRIVAL_SUSPECT);
  fail_unless_equals_int (lmcc_layer_account_packet (account, 4, 102, SIZE),
      LMCC_ARRIVAL_RESTART);
  fail_unless_equals_int (lmcc_layer_account_packet (account, 5, 103, SIZE),
      LMCC_ARRIVAL_IN_ORDER);
  fail_unless_equals_int (count_losses (account), 0);
  fail_unless_equals_uint64 (lmcc_layer_account_get_stats (account)->restarts,
      1);
}

GST_END_TEST;

GST_START_TEST (test_an_outage_is_a_loss_of_its_length)
{
  LmccReordering reordering = { 0 };
  g_autoptr (LmccLayerAccount) account = lmcc_layer_account_new (&reordering);
  guint i;

  lmcc_layer_account_packet (account, 0, 60000, SIZE);
  for (i = 0; i < 3; i++)
    lmcc_layer_account_packet (account, LMCC_SECOND + i,
        (guint16) (60000 + 30001 + i), SIZE);
  fail_unless_equals_int (count_losses (account), 30000);
  lmcc_layer_account_restart (account, 7, 2 * LMCC_SECOND);
  fail_unless_equals_int (lmcc_layer_account_packet (account, 2 * LMCC_SECOND,
                              7, SIZE),
      LMCC_ARRIVAL_IN_ORDER);
  fail_unless_equals_int (count_losses (account), 0);
}

GST_END_TEST;

GST_START_TEST (test_a_run_is_parted_by_what_comes_late)
{
  LmccReordering reordering = { 0 };
  g_autoptr (LmccLayerAccount) account = lmcc_layer_account_new (&reordering);
  static const struct
  {
    guint16 lsn;
    guint count;
  } runs[] = { { 1, 299 }, { 301, 199 }, { 501, 499 } };
  LmccLoss loss;
  guint i;

  lmcc_layer_account_packet (account, 0, 0, SIZE);
  lmcc_layer_account_packet (account, 1000, 1000, SIZE);
  fail_unless_equals_int (lmcc_layer_account_packet (account, 1001, 500, SIZE),
      LMCC_ARRIVAL_REORDERED);
  fail_unless_equals_int (lmcc_layer_account_packet (account, 1002, 300, SIZE),
      LMCC_ARRIVAL_REORDERED);
  lmcc_layer_account_timeout (account, 1000 + LMCC_LOSS_TIMEOUT);
  for (i = 0; i < G_N_ELEMENTS (runs); i++) {
    fail_unless (lmcc_layer_account_poll_loss (account, &loss));
    fail_unless_equals_int (loss.lsn, runs[i].lsn);
    fail_unless_equals_int (loss.count, runs[i].count);
    fail_unless_equals_uint64 (lmcc_loss_get_time (&loss, 0), runs[i].lsn);
    fail_unless_equals_uint64 (lmcc_loss_get_last_time (&loss),
        runs[i].lsn + runs[i].count - 1);
  }
  fail_if (lmcc_layer_account_poll_loss (account, &loss));
  fail_unless_equals_uint64 (lmcc_layer_account_get_stats (account)->lost, 997);
}

GST_END_TEST;

/* A consistency check with random loss, duplication and reordering by at
 * most two places: the packets not delivered must be exactly those counted
 * as lost. */
GST_START_TEST (test_random_loss_is_counted_exactly)
{
  LmccReordering reordering = { 0 };
  g_autoptr (LmccLayerAccount) account = lmcc_layer_account_new (&reordering);
  g_autoptr (GRand) random = g_rand_new_with_seed (42);
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint));
  const LmccLayerStats *stats = lmcc_layer_account_get_stats (account);
  const guint n = 200000;
  guint lost = 0, duplicated = 0, i;

  for (i = 0; i < n; i++) {
    if (i > 10 && i < n - 10 && g_rand_double (random) < 0.03) {
      lost++;
      continue;
    }
    g_array_append_val (order, i);
  }
  for (i = 0; i + 1 < order->len; i += 2) {
    if (g_rand_double (random) < 0.05 && i > 10) {
      guint *pair = &g_array_index (order, guint, i);
      guint swap = pair[0];

      pair[0] = pair[1];
      pair[1] = swap;
    }
  }
  for (i = 0; i < order->len; i++) {
    guint lsn = g_array_index (order, guint, i);

    lmcc_layer_account_packet (account, i * PACKET_TIME, (guint16) lsn, SIZE);
    if (g_rand_double (random) < 0.01) {
      lmcc_layer_account_packet (account, i * PACKET_TIME, (guint16) lsn, SIZE);
      duplicated++;
    }
  }
  lmcc_layer_account_timeout (account, LMCC_TIME_NONE - 1);
  fail_unless (lost > 5000 && duplicated > 1500);
  fail_unless_equals_uint64 (stats->lost, lost);
  fail_unless_equals_uint64 (stats->received, n - lost);
  fail_unless_equals_uint64 (stats->duplicates, duplicated);
  fail_unless_equals_uint64 (stats->late, 0);
  fail_unless_equals_int (count_losses (account), lost);
}

GST_END_TEST;

static Suite *
layer_account_suite (void)
{
  Suite *suite = suite_create ("layer-account");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_packets_in_order_lose_nothing_over_two_wraps);
  tcase_add_test (tcase, test_a_packet_is_lost_when_three_later_ones_came);
  tcase_add_test (tcase, test_a_reordered_packet_is_no_loss);
  tcase_add_test (tcase, test_duplicates_and_late_packets_are_told_apart);
  tcase_add_test (tcase,
      test_a_gap_that_nothing_follows_is_a_loss_after_the_timeout);
  tcase_add_test (tcase, test_a_packet_that_came_too_early_makes_no_loss);
  tcase_add_test (tcase, test_a_packet_far_back_is_dropped_and_two_start_anew);
  tcase_add_test (tcase, test_an_outage_is_a_loss_of_its_length);
  tcase_add_test (tcase, test_a_run_is_parted_by_what_comes_late);
  tcase_add_test (tcase, test_a_loss_that_comes_late_is_taken_back_once);
  tcase_add_test (tcase, test_packets_of_a_lost_run_are_taken_back_one_by_one);
  tcase_add_test (tcase, test_what_was_never_missing_is_not_taken_back);
  tcase_add_test (tcase, test_what_comes_after_a_second_is_not_taken_back);
  tcase_add_test (tcase, test_once_one_came_late_the_next_is_waited_for);
  tcase_add_test (tcase, test_runs_that_are_waited_for_stay_few);
  tcase_add_test (tcase, test_random_loss_is_counted_exactly);

  return suite;
}

GST_CHECK_MAIN (layer_account);
