/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the measurement of the received rate.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/rate-meter.h>
#include <math.h>

GST_START_TEST (test_a_steady_flow_is_measured_from_its_first_packet_on)
{
  LmccReceiveRate rate;
  LmccTime now;

  lmcc_receive_rate_reset (&rate);
  fail_unless_equals_float (lmcc_receive_rate_get (&rate, 0), 0);
  for (now = 7 * LMCC_SECOND; now < 12 * LMCC_SECOND;
       now += 10 * LMCC_MSECOND) {
    lmcc_receive_rate_add (&rate, now, 1000);
    if (now >= 7 * LMCC_SECOND + 200 * LMCC_MSECOND)
      fail_unless (fabs (lmcc_receive_rate_get (&rate, now) - 800e3) < 90e3);
    if (now >= 9 * LMCC_SECOND)
      fail_unless (fabs (lmcc_receive_rate_get (&rate, now) - 800e3) < 45e3);
  }
}

GST_END_TEST;

GST_START_TEST (test_one_packet_is_no_high_rate)
{
  LmccReceiveRate rate;

  lmcc_receive_rate_reset (&rate);
  lmcc_receive_rate_add (&rate, LMCC_SECOND, 1000);
  fail_unless_equals_float (lmcc_receive_rate_get (&rate, LMCC_SECOND), 160e3);
}

GST_END_TEST;

GST_START_TEST (test_silence_is_a_rate_of_nothing_after_a_second)
{
  LmccReceiveRate rate;

  lmcc_receive_rate_reset (&rate);
  lmcc_receive_rate_add (&rate, LMCC_SECOND, 1000);
  fail_unless (lmcc_receive_rate_get (&rate, 1500 * LMCC_MSECOND) > 0);
  fail_unless_equals_float (lmcc_receive_rate_get (&rate, 3 * LMCC_SECOND), 0);
}

GST_END_TEST;

static Suite *
receive_rate_suite (void)
{
  Suite *suite = suite_create ("receive-rate");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      test_a_steady_flow_is_measured_from_its_first_packet_on);
  tcase_add_test (tcase, test_one_packet_is_no_high_rate);
  tcase_add_test (tcase, test_silence_is_a_rate_of_nothing_after_a_second);

  return suite;
}

GST_CHECK_MAIN (receive_rate);
