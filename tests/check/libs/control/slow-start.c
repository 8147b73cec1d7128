/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests ELM's slow start, in the form of the paper and in the corrected form.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/elm/slow-start.h>
#include <gst/lmcc/lmcc.h>
#include <math.h>

GST_START_TEST (test_a_layer_is_joined_each_interval_while_nothing_is_lost)
{
  LmccSlowStart start;

  lmcc_slow_start_init (&start, LMCC_SLOW_START_PAPER, 5 * LMCC_SECOND);
  lmcc_slow_start_joined (&start, LMCC_SECOND, 128e3, 128e3, 0);
  fail_if (
      lmcc_slow_start_update (&start, 6 * LMCC_SECOND - 1, INFINITY, 128e3));
  fail_unless (
      lmcc_slow_start_update (&start, 6 * LMCC_SECOND, INFINITY, 128e3));
  lmcc_slow_start_joined (&start, 6 * LMCC_SECOND, 128e3, 256e3, 0);
  fail_if (lmcc_slow_start_update (&start, 10 * LMCC_SECOND, INFINITY, 256e3));
  fail_unless (
      lmcc_slow_start_update (&start, 11 * LMCC_SECOND, INFINITY, 256e3));
  fail_unless (start.active);
}

GST_END_TEST;

GST_START_TEST (test_it_ends_when_the_rate_falls_below_the_level)
{
  LmccSlowStart start;

  lmcc_slow_start_init (&start, LMCC_SLOW_START_PAPER, 5 * LMCC_SECOND);
  lmcc_slow_start_joined (&start, 0, 128e3, 256e3, 0);
  fail_if (lmcc_slow_start_update (&start, 3 * LMCC_SECOND, 255e3, 256e3));
  fail_if (start.active);
  fail_if (lmcc_slow_start_update (&start, 9 * LMCC_SECOND, INFINITY, 256e3));
}

GST_END_TEST;

GST_START_TEST (test_the_paper_is_deaf_for_its_share_of_the_interval)
{
  LmccSlowStart start;

  lmcc_slow_start_init (&start, LMCC_SLOW_START_PAPER, 8 * LMCC_SECOND);
  lmcc_slow_start_joined (&start, 0, 128e3, 1024e3, LMCC_SECOND * 3);
  fail_unless_equals_uint64 (start.deaf_until, LMCC_SECOND);
  lmcc_slow_start_update (&start, LMCC_SECOND - 1, 1, 1024e3);
  fail_unless (start.active);
  lmcc_slow_start_update (&start, LMCC_SECOND, 1, 1024e3);
  fail_if (start.active);
}

GST_END_TEST;

GST_START_TEST (test_the_corrected_form_is_deaf_for_its_floor_at_least)
{
  LmccSlowStart start;

  lmcc_slow_start_init (&start, LMCC_SLOW_START_CORRECTED, 8 * LMCC_SECOND);
  lmcc_slow_start_joined (&start, 0, 128e3, 1024e3, 3 * LMCC_SECOND);
  fail_unless_equals_uint64 (start.deaf_until, 3 * LMCC_SECOND);
  fail_unless_equals_uint64 (start.join_at, 8 * LMCC_SECOND);
  lmcc_slow_start_joined (&start, 0, 128e3, 1024e3, 5 * LMCC_SECOND);
  fail_unless_equals_uint64 (start.join_at, 10 * LMCC_SECOND);
}

GST_END_TEST;

GST_START_TEST (test_without_a_slow_start_nothing_is_joined_by_it)
{
  LmccSlowStart start;

  lmcc_slow_start_init (&start, LMCC_SLOW_START_NONE, LMCC_SECOND);
  lmcc_slow_start_joined (&start, 0, 1, 1, 0);
  fail_if (lmcc_slow_start_update (&start, 9 * LMCC_SECOND, INFINITY, 1));
  fail_if (start.active);
}

GST_END_TEST;

static Suite *
slow_start_suite (void)
{
  Suite *suite = suite_create ("slow-start");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      test_a_layer_is_joined_each_interval_while_nothing_is_lost);
  tcase_add_test (tcase, test_it_ends_when_the_rate_falls_below_the_level);
  tcase_add_test (tcase, test_the_paper_is_deaf_for_its_share_of_the_interval);
  tcase_add_test (tcase,
      test_the_corrected_form_is_deaf_for_its_floor_at_least);
  tcase_add_test (tcase, test_without_a_slow_start_nothing_is_joined_by_it);

  return suite;
}

GST_CHECK_MAIN (slow_start);
