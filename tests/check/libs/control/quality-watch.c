/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the signal for a level at which too many pictures are missing.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/quality-watch.h>
#include <gst/lmcc/lmcc.h>
#include <math.h>

GST_START_TEST (test_half_the_pictures_missing_for_the_whole_time_is_a_signal)
{
  LmccQualityWatch watch;
  guint i;

  lmcc_quality_watch_init (&watch, 5, 0.5);
  for (i = 0; i < 4; i++)
    fail_if (lmcc_quality_watch_add (&watch, 25, 13));
  fail_unless (lmcc_quality_watch_add (&watch, 25, 13));
  lmcc_quality_watch_reset (&watch);
  for (i = 0; i < 20; i++)
    fail_if (lmcc_quality_watch_add (&watch, 25, 12));
  fail_if (lmcc_quality_watch_add (&watch, 25, 14));
  fail_unless (lmcc_quality_watch_add (&watch, 25, 25));
}

GST_END_TEST;

GST_START_TEST (test_pictures_that_are_back_are_no_signal)
{
  LmccQualityWatch watch;
  guint i;

  lmcc_quality_watch_init (&watch, 5, 0.5);
  for (i = 0; i < 4; i++)
    fail_if (lmcc_quality_watch_add (&watch, 25, 25));
  fail_if (lmcc_quality_watch_add (&watch, 25, 12));
  fail_unless (lmcc_quality_watch_add (&watch, 25, 13));
}

GST_END_TEST;

GST_START_TEST (test_few_units_say_nothing)
{
  LmccQualityWatch watch;
  guint i;

  lmcc_quality_watch_init (&watch, 3, 0.5);
  for (i = 0; i < 20; i++)
    fail_if (lmcc_quality_watch_add (&watch, 3, 3));
}

GST_END_TEST;

GST_START_TEST (test_a_share_of_one_never_signals)
{
  LmccQualityWatch watch;
  guint i;

  lmcc_quality_watch_init (&watch, 1, 1);
  for (i = 0; i < 20; i++)
    fail_if (lmcc_quality_watch_add (&watch, 100, 100));
}

GST_END_TEST;

static Suite *
quality_watch_suite (void)
{
  Suite *suite = suite_create ("quality-watch");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      test_half_the_pictures_missing_for_the_whole_time_is_a_signal);
  tcase_add_test (tcase, test_pictures_that_are_back_are_no_signal);
  tcase_add_test (tcase, test_few_units_say_nothing);
  tcase_add_test (tcase, test_a_share_of_one_never_signals);

  return suite;
}

GST_CHECK_MAIN (quality_watch);
