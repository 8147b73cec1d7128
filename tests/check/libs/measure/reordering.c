/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the reordering window, after which a missing packet counts as lost
 * (RFC 8985).
 */
#include "measure/reordering.h"

#include "measure/loss.h"

#include <gst/check/gstcheck.h>

#define MS LMCC_MSECOND

/* RFC 8985 section 6.2 step 4. */
#define PERIOD 16

/* Losses far enough apart that each counts. */
static void
lose (LmccReordering *reordering, LmccTime *now, guint n)
{
  for (; n > 0; n--) {
    *now += LMCC_LOSS_TIMEOUT;
    lmcc_reordering_lose (reordering, *now);
  }
}

static void
check_window (const LmccReordering *reordering, LmccTime window)
{
  fail_unless_equals_uint64 (lmcc_reordering_get_window (reordering), window);
}

GST_START_TEST (test_where_packets_come_in_order_three_later_ones_tell)
{
  LmccReordering reordering = { 0 };
  LmccTime now = 0;

  lose (&reordering, &now, 10 * PERIOD);
  check_window (&reordering, 0);
  fail_unless_equals_uint64 (lmcc_reordering_get_wait (&reordering,
                                 LMCC_LOSS_THRESHOLD),
      0);
  fail_unless_equals_uint64 (lmcc_reordering_get_wait (&reordering,
                                 LMCC_LOSS_THRESHOLD - 1),
      LMCC_LOSS_TIMEOUT);
}

GST_END_TEST;

GST_START_TEST (test_the_window_is_somewhat_longer_than_packets_were_late)
{
  LmccReordering reordering = { 0 };

  lmcc_reordering_late (&reordering, 20 * MS);
  check_window (&reordering, 25 * MS);
  lmcc_reordering_late (&reordering, 8 * MS);
  check_window (&reordering, 25 * MS);
  lmcc_reordering_late (&reordering, 40 * MS);
  check_window (&reordering, 50 * MS);
  fail_unless_equals_uint64 (lmcc_reordering_get_wait (&reordering,
                                 LMCC_LOSS_THRESHOLD),
      50 * MS);
  fail_unless_equals_uint64 (lmcc_reordering_get_wait (&reordering, 1),
      LMCC_LOSS_TIMEOUT);
}

GST_END_TEST;

GST_START_TEST (test_the_window_is_bounded)
{
  LmccReordering reordering = { 0 };

  lmcc_reordering_late (&reordering, LMCC_LOSS_TIMEOUT + 1);
  lmcc_reordering_late (&reordering, LMCC_TIME_NONE);
  check_window (&reordering, 0);
  lmcc_reordering_late (&reordering, LMCC_LOSS_TIMEOUT);
  check_window (&reordering, LMCC_LOSS_TIMEOUT);
}

GST_END_TEST;

GST_START_TEST (test_after_sixteen_losses_without_a_late_packet_it_shrinks)
{
  LmccReordering reordering = { 0 };
  LmccTime now = 0;

  lmcc_reordering_late (&reordering, 40 * MS);
  lose (&reordering, &now, PERIOD);
  lmcc_reordering_late (&reordering, 8 * MS);
  check_window (&reordering, 50 * MS);
  lose (&reordering, &now, 1);
  lmcc_reordering_late (&reordering, 8 * MS);
  check_window (&reordering, 50 * MS);
  lose (&reordering, &now, PERIOD);
  check_window (&reordering, 10 * MS);
  lose (&reordering, &now, PERIOD);
  check_window (&reordering, 0);
}

GST_END_TEST;

GST_START_TEST (test_what_is_lost_at_one_time_counts_once)
{
  LmccReordering reordering = { 0 };
  LmccTime now = LMCC_SECOND;
  guint i;

  lmcc_reordering_late (&reordering, 20 * MS);
  for (i = 0; i < 10 * PERIOD; i++)
    lmcc_reordering_lose (&reordering, now + i * MS / 10);
  check_window (&reordering, 25 * MS);
}

GST_END_TEST;

static Suite *
reordering_suite (void)
{
  Suite *s = suite_create ("reordering");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_where_packets_come_in_order_three_later_ones_tell);
  tcase_add_test (tc,
      test_the_window_is_somewhat_longer_than_packets_were_late);
  tcase_add_test (tc, test_the_window_is_bounded);
  tcase_add_test (tc,
      test_after_sixteen_losses_without_a_late_packet_it_shrinks);
  tcase_add_test (tc, test_what_is_lost_at_one_time_counts_once);

  return s;
}

GST_CHECK_MAIN (reordering);
