/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests virtual packets of a fixed size, which make loss rates independent of
 * packet sizes.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/elm/virtual-packets.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/loss-intervals.h>
#include <math.h>

GST_START_TEST (test_bytes_become_packets_of_the_virtual_size)
{
  LmccVirtualPackets packets;
  guint count = 0, i;

  lmcc_virtual_packets_init (&packets, 1000);
  for (i = 0; i < 100; i++)
    count += lmcc_virtual_packets_add (&packets, 150);
  fail_unless_equals_int (count, 15);
  fail_unless_equals_int (lmcc_virtual_packets_add (&packets, 3500), 3);
}

GST_END_TEST;

GST_START_TEST (test_lost_packets_are_as_large_as_those_that_came)
{
  LmccVirtualPackets packets;
  guint lost = 0, i;

  lmcc_virtual_packets_init (&packets, 1000);
  for (i = 0; i < 100; i++)
    lmcc_virtual_packets_add (&packets, 200);
  for (i = 0; i < 50; i++)
    lost += lmcc_virtual_packets_lose (&packets, 1);
  fail_unless_equals_int (lost, 10);
}

GST_END_TEST;

GST_START_TEST (test_without_a_size_packets_stay_as_they_are)
{
  LmccVirtualPackets packets;

  lmcc_virtual_packets_init (&packets, 0);
  fail_unless_equals_int (lmcc_virtual_packets_add (&packets, 9000), 1);
  fail_unless_equals_int (lmcc_virtual_packets_lose (&packets, 3), 3);
}

GST_END_TEST;

GST_START_TEST (test_small_packets_have_the_loss_event_rate_of_large_ones)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (1);
  g_autoptr (LmccLossIntervals) history =
      lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LIP, 1);
  LmccVirtualPackets packets;
  gdouble sum = 0;
  guint n = 0, i;

  /* Ten small packets make a virtual one: if each is lost with 0.2 %, one
   * virtual packet in 500 is, as Colussi's section 4.3.4 requires. */
  lmcc_virtual_packets_init (&packets, 1000);
  for (i = 1; i <= 1000000; i++) {
    LmccTime now = i * LMCC_MSECOND;

    if (g_rand_double (dice) < 0.002)
      lmcc_loss_intervals_loss (history, now,
          lmcc_virtual_packets_lose (&packets, 1));
    else
      lmcc_loss_intervals_packet (history, now,
          lmcc_virtual_packets_add (&packets, 100));
    if (i % 10000 == 0 && i > 100000) {
      sum += lmcc_loss_intervals_get_loss_rate (history);
      n++;
    }
  }
  /* Up to the bias of the mean of eight intervals. */
  fail_unless (sum / n > 0.0017 && sum / n < 0.0026, "%g", sum / n);
}

GST_END_TEST;

static Suite *
virtual_packets_suite (void)
{
  Suite *suite = suite_create ("virtual-packets");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_bytes_become_packets_of_the_virtual_size);
  tcase_add_test (tcase, test_lost_packets_are_as_large_as_those_that_came);
  tcase_add_test (tcase, test_without_a_size_packets_stay_as_they_are);
  tcase_add_test (tcase,
      test_small_packets_have_the_loss_event_rate_of_large_ones);

  return suite;
}

GST_CHECK_MAIN (virtual_packets);
