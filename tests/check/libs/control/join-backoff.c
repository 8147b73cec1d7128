/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the back-off of joins after congestion, for each layer.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/elm/join-backoff.h>
#include <gst/lmcc/lmcc.h>
#include <math.h>

#define HELD (5 * LMCC_SECOND)

GST_START_TEST (test_higher_layers_are_left_alone_for_longer)
{
  static const guint waits[] = { 20, 30, 40, 50, 60 };
  LmccJoinBackoff backoff;
  guint i;

  lmcc_join_backoff_init (&backoff, 20 * LMCC_SECOND, 60 * LMCC_SECOND, HELD);
  for (i = 0; i < G_N_ELEMENTS (waits); i++) {
    fail_unless_equals_uint64 (lmcc_join_backoff_get (&backoff, i), 0);
    lmcc_join_backoff_leave_alone (&backoff, i, 5, 7 * LMCC_SECOND, 0);
    fail_unless_equals_uint64 (lmcc_join_backoff_get (&backoff, i),
        (7 + waits[i]) * LMCC_SECOND);
  }
}

GST_END_TEST;

GST_START_TEST (test_the_latest_overload_counts_and_the_dice_add_a_second)
{
  LmccJoinBackoff backoff;

  lmcc_join_backoff_init (&backoff, 20 * LMCC_SECOND, 60 * LMCC_SECOND, HELD);
  lmcc_join_backoff_leave_alone (&backoff, 4, 5, 0, 0);
  lmcc_join_backoff_leave_alone (&backoff, 4, 5, 30 * LMCC_SECOND, 1);
  fail_unless_equals_uint64 (lmcc_join_backoff_get (&backoff, 4),
      91 * LMCC_SECOND);
}

GST_END_TEST;

GST_START_TEST (test_a_shortest_wait_of_nothing_is_no_back_off)
{
  LmccJoinBackoff backoff;

  lmcc_join_backoff_init (&backoff, 0, 60 * LMCC_SECOND, HELD);
  lmcc_join_backoff_leave_alone (&backoff, 4, 5, 7, 1);
  fail_unless_equals_uint64 (lmcc_join_backoff_get (&backoff, 4), 0);
}

GST_END_TEST;

GST_START_TEST (test_waits_out_of_order_and_one_layer_do_no_harm)
{
  LmccJoinBackoff backoff;

  lmcc_join_backoff_init (&backoff, 60 * LMCC_SECOND, 20 * LMCC_SECOND, HELD);
  lmcc_join_backoff_leave_alone (&backoff, 1, 1, 0, 0);
  fail_unless_equals_uint64 (lmcc_join_backoff_get (&backoff, 1),
      60 * LMCC_SECOND);
}

GST_END_TEST;

GST_START_TEST (test_what_was_not_joined_in_vain_is_left_alone_for_less)
{
  LmccJoinBackoff backoff;

  lmcc_join_backoff_init (&backoff, 20 * LMCC_SECOND, 60 * LMCC_SECOND, HELD);
  lmcc_join_backoff_pause (&backoff, 4, 0, 37 * LMCC_SECOND, 0);
  fail_unless_equals_uint64 (lmcc_join_backoff_get (&backoff, 4),
      42 * LMCC_SECOND);
  lmcc_join_backoff_pause (&backoff, 4, 0, 37 * LMCC_SECOND, 1);
  fail_unless_equals_uint64 (lmcc_join_backoff_get (&backoff, 4),
      43 * LMCC_SECOND);
  lmcc_join_backoff_pause (&backoff, 4, 17 * LMCC_SECOND, 20 * LMCC_SECOND, 0);
  fail_unless_equals_uint64 (lmcc_join_backoff_get (&backoff, 4),
      47 * LMCC_SECOND);

  lmcc_join_backoff_init (&backoff, 2 * LMCC_SECOND, 60 * LMCC_SECOND, HELD);
  lmcc_join_backoff_pause (&backoff, 4, 0, 40 * LMCC_SECOND, 0);
  fail_unless_equals_uint64 (lmcc_join_backoff_get (&backoff, 4),
      42 * LMCC_SECOND);
  lmcc_join_backoff_init (&backoff, 0, 60 * LMCC_SECOND, HELD);
  lmcc_join_backoff_pause (&backoff, 4, 0, 7, 1);
  fail_unless_equals_uint64 (lmcc_join_backoff_get (&backoff, 4), 0);
}

GST_END_TEST;

static Suite *
join_backoff_suite (void)
{
  Suite *suite = suite_create ("join-backoff");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_higher_layers_are_left_alone_for_longer);
  tcase_add_test (tcase,
      test_the_latest_overload_counts_and_the_dice_add_a_second);
  tcase_add_test (tcase,
      test_what_was_not_joined_in_vain_is_left_alone_for_less);
  tcase_add_test (tcase, test_a_shortest_wait_of_nothing_is_no_back_off);
  tcase_add_test (tcase, test_waits_out_of_order_and_one_layer_do_no_harm);

  return suite;
}

GST_CHECK_MAIN (join_backoff);
