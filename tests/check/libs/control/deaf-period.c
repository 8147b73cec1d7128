/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the deaf period after a leave, in which losses are ignored.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/slots/deaf-period.h>
#include <gst/lmcc/lmcc.h>

GST_START_TEST (test_a_fixed_period_is_as_long_as_it_is_set)
{
  LmccDeafPeriod deaf;

  lmcc_deaf_period_init (&deaf, 2 * LMCC_SECOND, LMCC_DEAF_INITIAL,
      LMCC_DEAF_MINIMUM);
  fail_if (lmcc_deaf_period_covers (&deaf, 0));
  lmcc_deaf_period_leave (&deaf, 10 * LMCC_SECOND, 3);
  lmcc_deaf_period_packet (&deaf, 19 * LMCC_SECOND, 3);
  fail_unless (lmcc_deaf_period_covers (&deaf, 12 * LMCC_SECOND - 1));
  fail_if (lmcc_deaf_period_covers (&deaf, 12 * LMCC_SECOND));
  lmcc_deaf_period_leave (&deaf, 20 * LMCC_SECOND, 2);
  fail_unless_equals_uint64 (deaf.until, 22 * LMCC_SECOND);
}

GST_END_TEST;

GST_START_TEST (test_a_measured_leave_makes_it_half_as_long_again)
{
  LmccDeafPeriod deaf;

  lmcc_deaf_period_init (&deaf, 0, LMCC_DEAF_INITIAL, LMCC_DEAF_MINIMUM);
  lmcc_deaf_period_leave (&deaf, 10 * LMCC_SECOND, 3);
  fail_unless_equals_uint64 (deaf.until, 13 * LMCC_SECOND);
  lmcc_deaf_period_packet (&deaf, 11 * LMCC_SECOND, 3);
  lmcc_deaf_period_packet (&deaf, 12 * LMCC_SECOND, 3);
  /* Of another layer. */
  lmcc_deaf_period_packet (&deaf, 15 * LMCC_SECOND, 4);
  lmcc_deaf_period_leave (&deaf, 30 * LMCC_SECOND, 2);
  fail_unless_equals_uint64 (deaf.leave_latency, 2 * LMCC_SECOND);
  fail_unless_equals_uint64 (deaf.until, 33 * LMCC_SECOND);

  lmcc_deaf_period_packet (&deaf, 36 * LMCC_SECOND, 2);
  lmcc_deaf_period_leave (&deaf, 50 * LMCC_SECOND, 2);
  fail_unless_equals_uint64 (deaf.until, 59 * LMCC_SECOND);

  /* A deaf period lasts at least a second. */
  lmcc_deaf_period_packet (&deaf, 50 * LMCC_SECOND + 100 * LMCC_MSECOND, 2);
  lmcc_deaf_period_leave (&deaf, 70 * LMCC_SECOND, 2);
  fail_unless_equals_uint64 (deaf.until, 71 * LMCC_SECOND);
}

GST_END_TEST;

GST_START_TEST (
    test_what_a_socket_still_held_and_what_was_joined_measure_nothing)
{
  LmccDeafPeriod deaf;

  lmcc_deaf_period_init (&deaf, 0, LMCC_DEAF_INITIAL, LMCC_DEAF_MINIMUM);
  lmcc_deaf_period_leave (&deaf, 10 * LMCC_SECOND, 3);
  lmcc_deaf_period_packet (&deaf, 10 * LMCC_SECOND + 5 * LMCC_MSECOND, 3);
  lmcc_deaf_period_join (&deaf, 3);
  fail_unless_equals_uint64 (deaf.leave_latency, LMCC_TIME_NONE);
  lmcc_deaf_period_packet (&deaf, 20 * LMCC_SECOND, 3);
  lmcc_deaf_period_leave (&deaf, 30 * LMCC_SECOND, 3);
  fail_unless_equals_uint64 (deaf.leave_latency, LMCC_TIME_NONE);
  fail_unless_equals_uint64 (deaf.until, 33 * LMCC_SECOND);
}

GST_END_TEST;

GST_START_TEST (test_a_period_without_length_covers_nothing)
{
  LmccDeafPeriod deaf;

  lmcc_deaf_period_init (&deaf, 0, 0, 0);
  lmcc_deaf_period_leave (&deaf, 10 * LMCC_SECOND, 3);
  fail_if (lmcc_deaf_period_covers (&deaf, 10 * LMCC_SECOND - 1));
  fail_if (lmcc_deaf_period_covers (&deaf, 10 * LMCC_SECOND));
}

GST_END_TEST;

static Suite *
deaf_period_suite (void)
{
  Suite *suite = suite_create ("deaf-period");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_a_fixed_period_is_as_long_as_it_is_set);
  tcase_add_test (tcase, test_a_measured_leave_makes_it_half_as_long_again);
  tcase_add_test (tcase,
      test_what_a_socket_still_held_and_what_was_joined_measure_nothing);
  tcase_add_test (tcase, test_a_period_without_length_covers_nothing);

  return suite;
}

GST_CHECK_MAIN (deaf_period);
