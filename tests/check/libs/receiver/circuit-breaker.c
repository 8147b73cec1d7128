/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/receiver/circuit-breaker.h>
#include <math.h>

GST_START_TEST (test_it_trips_after_ten_seconds_of_loss_at_the_base)
{
  LmccCircuitBreaker breaker;
  guint i;

  lmcc_circuit_breaker_reset (&breaker);
  for (i = 1; i <= 10; i++)
    fail_if (lmcc_circuit_breaker_update (&breaker, i * LMCC_SECOND, 0, 0.11));
  fail_unless (
      lmcc_circuit_breaker_update (&breaker, 11 * LMCC_SECOND, 0, 0.11));
}

GST_END_TEST;

GST_START_TEST (test_a_good_second_or_another_level_begins_anew)
{
  LmccCircuitBreaker breaker;
  guint i;

  lmcc_circuit_breaker_reset (&breaker);
  for (i = 1; i < 100; i++)
    fail_if (lmcc_circuit_breaker_update (&breaker, i * LMCC_SECOND, 0,
        i % 10 == 0 ? 0.1 : 0.5));
  for (i = 100; i < 200; i++)
    fail_if (lmcc_circuit_breaker_update (&breaker, i * LMCC_SECOND,
        i % 10 == 0, 0.5));
  for (i = 200; i < 300; i++)
    fail_if (lmcc_circuit_breaker_update (&breaker, i * LMCC_SECOND, 1, 1));
}

GST_END_TEST;

static Suite *
circuit_breaker_suite (void)
{
  Suite *suite = suite_create ("circuit-breaker");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_it_trips_after_ten_seconds_of_loss_at_the_base);
  tcase_add_test (tcase, test_a_good_second_or_another_level_begins_anew);

  return suite;
}

GST_CHECK_MAIN (circuit_breaker);
