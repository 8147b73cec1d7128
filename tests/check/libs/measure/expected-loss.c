/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests how the sender makes one value of many receivers' losses.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/measure/expected-loss.h>

#define BEGIN (100 * LMCC_SECOND)

static void
report (LmccExpectedLoss *expected, LmccTime now, guint64 origin,
    gdouble loss_rate, gdouble burst)
{
  const LmccLossReport losses = { loss_rate, burst };

  lmcc_expected_loss_take (expected, now, origin, &losses);
}

static void
check (LmccExpectedLoss *expected, LmccTime now, gdouble loss_rate,
    gdouble burst)
{
  fail_unless (lmcc_expected_loss_update (expected, now));
  fail_unless (ABS (expected->value.loss_rate - loss_rate) < 1e-9, "%g",
      expected->value.loss_rate);
  fail_unless (ABS (expected->value.burst - burst) < 1e-9, "%g",
      expected->value.burst);
}

GST_START_TEST (without_reports_nothing_is_known)
{
  LmccExpectedLoss expected;

  lmcc_expected_loss_init (&expected, BEGIN);
  fail_if (lmcc_expected_loss_update (&expected, BEGIN));
  report (&expected, BEGIN, 1, 0.1, 1);
  check (&expected, BEGIN + 30 * LMCC_SECOND, 0.1, 1);
  fail_if (lmcc_expected_loss_update (&expected, BEGIN + 31 * LMCC_SECOND));
}

GST_END_TEST;

GST_START_TEST (one_receiver_counts)
{
  LmccExpectedLoss expected;

  lmcc_expected_loss_init (&expected, BEGIN);
  report (&expected, BEGIN, 1, 0.03, 2);
  check (&expected, BEGIN, 0.03, 2);
}

GST_END_TEST;

GST_START_TEST (one_in_ten_does_not_count)
{
  LmccExpectedLoss expected;
  guint i;

  lmcc_expected_loss_init (&expected, BEGIN);
  for (i = 1; i <= 9; i++)
    report (&expected, BEGIN, i, 0.01, 1);
  report (&expected, BEGIN, 10, 1, 100);
  check (&expected, BEGIN, 0.01, 1);
  report (&expected, BEGIN, 9, 0.02, 3);
  check (&expected, BEGIN, 0.02, 3);
}

GST_END_TEST;

GST_START_TEST (an_address_has_one_vote)
{
  LmccExpectedLoss expected;
  guint i;

  lmcc_expected_loss_init (&expected, BEGIN);
  for (i = 1; i <= 20; i++)
    report (&expected, BEGIN, i, 0, 1);
  for (i = 0; i < 1000; i++)
    report (&expected, BEGIN, 77, 1, 100);
  check (&expected, BEGIN, 0, 1);
  fail_unless_equals_int (expected.n, 21);
}

GST_END_TEST;

GST_START_TEST (the_value_is_bounded)
{
  LmccExpectedLoss expected;
  guint i;

  lmcc_expected_loss_init (&expected, BEGIN);
  for (i = 1; i <= 2 * LMCC_EXPECTED_LOSS_REPORTERS; i++)
    report (&expected, BEGIN + i, i, 1, 1e9);
  check (&expected, BEGIN + i, LMCC_EXPECTED_LOSS_MOST,
      LMCC_EXPECTED_LOSS_BURST);
  fail_unless_equals_int (expected.n, LMCC_EXPECTED_LOSS_REPORTERS);
}

GST_END_TEST;

GST_START_TEST (it_rises_at_once_and_falls_slowly)
{
  LmccExpectedLoss expected;
  LmccTime now = BEGIN;
  guint i;

  lmcc_expected_loss_init (&expected, BEGIN);
  report (&expected, now, 1, 0.05, 1);
  check (&expected, now, 0.05, 1);
  for (i = 0; i < 120; i++) {
    report (&expected, now += LMCC_SECOND, 1, 0, 1);
    lmcc_expected_loss_update (&expected, now);
    if (i == 9)
      fail_unless (expected.value.loss_rate > 0.02);
    if (i == 29)
      fail_unless (expected.value.loss_rate < 0.01);
  }
  check (&expected, now, 0, 1);
  report (&expected, now, 1, 0.02, 4);
  check (&expected, now, 0.02, 4);
}

GST_END_TEST;

GST_START_TEST (it_begins_anew_after_a_silence)
{
  LmccExpectedLoss expected;

  lmcc_expected_loss_init (&expected, BEGIN);
  report (&expected, BEGIN, 1, 0.1, 4);
  check (&expected, BEGIN, 0.1, 4);
  fail_if (lmcc_expected_loss_update (&expected, BEGIN + 40 * LMCC_SECOND));
  fail_unless (expected.value.loss_rate == 0 && expected.value.burst == 1);
  report (&expected, BEGIN + 41 * LMCC_SECOND, 1, 0.01, 1);
  check (&expected, BEGIN + 41 * LMCC_SECOND, 0.01, 1);
}

GST_END_TEST;

static Suite *
expected_loss_suite (void)
{
  Suite *s = suite_create ("expected-loss");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, without_reports_nothing_is_known);
  tcase_add_test (tc, one_receiver_counts);
  tcase_add_test (tc, one_in_ten_does_not_count);
  tcase_add_test (tc, an_address_has_one_vote);
  tcase_add_test (tc, the_value_is_bounded);
  tcase_add_test (tc, it_rises_at_once_and_falls_slowly);
  tcase_add_test (tc, it_begins_anew_after_a_silence);

  return s;
}

GST_CHECK_MAIN (expected_loss);
