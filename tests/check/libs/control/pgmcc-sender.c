/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the window of pgmcc's sender with reports from the test.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/single-rate/pgmcc-sender.h>
#include <gst/lmcc/control/single-rate/pgmcc-wire.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/layer-header.h>
#include "support/test-slow.h"

#define START (100 * LMCC_SECOND)
#define S0 0x12345000u

static void
hand_in (LmccPgmccSender *sender, LmccTime now, guint32 ssrc, guint16 lead,
    guint32 bitmap, guint16 loss)
{
  const LmccPgmccReport report = { .ssrc = ssrc,
    .ssrc_base = S0,
    .is_ack = bitmap != 0,
    .lead = lead,
    .ack_sequence = lead,
    .bitmap = bitmap,
    .loss = loss };

  fail_unless (lmcc_pgmcc_sender_handle_report (sender, now,
      lmcc_time_to_ntp_short (100 * LMCC_MSECOND), &report));
}

static guint
send_all (LmccPgmccSender *sender, LmccTime now, guint16 *lsn)
{
  LmccPgmccElement element;
  guint n = 0;

  for (; lmcc_pgmcc_sender_may_send (sender); n++)
    lmcc_pgmcc_sender_send (sender, now, (*lsn)++, &element);

  return n;
}

/* The application has one packet in flight, and the window does not grow for
 * it (RFC 7661). */
GST_START_TEST (a_window_that_is_not_used_does_not_grow)
{
  LmccPgmccSender *sender = lmcc_pgmcc_sender_new (START, 1);
  LmccPgmccElement element;
  guint16 lsn = 0;
  guint i;

  for (i = 0; i < 200; i++) {
    lmcc_pgmcc_sender_send (sender, START, lsn, &element);
    hand_in (sender, START, 1, lsn++, i > 0 ? 1 : 0, 0);
  }
  fail_unless (lmcc_pgmcc_sender_get_window (sender) <= 3);
  lmcc_pgmcc_sender_free (sender);
}

GST_END_TEST;

/* Section 3.4: exponential growth up to 6; a loss halves the packets in
 * flight, once per round trip. */
GST_START_TEST (the_window_opens_and_halves)
{
  LmccPgmccSender *sender = lmcc_pgmcc_sender_new (START, 1);
  LmccTime now = START;
  guint16 lsn = 65530, acked = 65531;
  guint i;

  fail_unless_equals_int (send_all (sender, now, &lsn), 1);
  hand_in (sender, now, 1, 65530, 0, 0);
  for (i = 0; i < 40; i++) {
    send_all (sender, now, &lsn);
    hand_in (sender, now, 1, acked++, G_MAXUINT32, 0);
    if (i < 5)
      fail_unless (lmcc_pgmcc_sender_get_window (sender) == i + 2);
  }
  fail_unless (lmcc_pgmcc_sender_get_window (sender) > 9);
  fail_unless (lmcc_pgmcc_sender_get_window (sender) < 11);
  send_all (sender, now, &lsn);
  /* Packet @acked is lost; three later packets arrive. */
  for (i = 1; i <= 3; i++)
    hand_in (sender, now, 1, acked + i, ~(1u << i), 0);
  fail_unless (
      lmcc_pgmcc_sender_get_window (sender) < (lsn - acked) / 2.0 + 0.5);
  fail_unless (lmcc_pgmcc_sender_get_window (sender) >= 2);
  send_all (sender, now, &lsn);
  lmcc_pgmcc_sender_free (sender);
}

GST_END_TEST;

/* From the first packet, @lsn, to a window of @window packets, which are
 * sent. Returns the next packet to acknowledge. */
static guint16
open_window (LmccPgmccSender *sender, guint16 *lsn, gdouble window)
{
  guint16 acked = *lsn;

  send_all (sender, START, lsn);
  hand_in (sender, START, 1, acked, 0, 0);
  while (lmcc_pgmcc_sender_get_window (sender) < window) {
    send_all (sender, START, lsn);
    hand_in (sender, START, 1, acked++, G_MAXUINT32, 0);
  }
  send_all (sender, START, lsn);

  return acked;
}

/* Of 16 packets, 12 are lost. Then packets are sent until the window is
 * full. */
GST_START_TEST (a_burst_of_losses_costs_no_tokens)
{
  LmccPgmccSender *sender = lmcc_pgmcc_sender_new (START, 1);
  guint16 lsn = 100, acked;
  guint round, sent = 0;

  acked = open_window (sender, &lsn, 16);
  fail_unless ((guint16) (lsn - acked) >= 15);
  hand_in (sender, START, 1, lsn - 1, 0xf, 0);
  acked = lsn;
  for (round = 0; round < 8; round++) {
    sent = send_all (sender, START, &lsn);
    fail_unless (sent > 0, "nothing can be sent");
    for (; acked != lsn; acked++)
      hand_in (sender, START, 1, acked, 1, 0);
  }
  fail_unless (lmcc_pgmcc_sender_get_window (sender) >= 6);
  sent = send_all (sender, START, &lsn);
  fail_unless (sent + 1 >= lmcc_pgmcc_sender_get_window (sender), "%u of %g",
      sent, lmcc_pgmcc_sender_get_window (sender));
  lmcc_pgmcc_sender_free (sender);
}

GST_END_TEST;

/* About every fourth packet is lost for some time. The window grows again,
 * and the packets in flight equal the window. */
GST_START_TEST (losses_in_a_row_do_not_stop_the_window)
{
  guint32 seed;

  for (seed = 1; seed <= test_rounds (500); seed++) {
    LmccPgmccSender *sender = lmcc_pgmcc_sender_new (START, 1);
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    LmccTime now = START;
    guint32 bitmap = 0;
    guint16 lsn = 100, lead = 99;
    gdouble window = 1;
    guint i, in_flight = 0;

    for (i = 0; i < 2000; i++) {
      window = lmcc_pgmcc_sender_get_window (sender);
      send_all (sender, now, &lsn);
      in_flight = (guint16) (lsn - 1 - lead);
      if (in_flight == 0) {
        lmcc_pgmcc_sender_handle_timeout (sender, now += 2 * LMCC_SECOND);
        continue;
      }
      lead++;
      bitmap <<= 1;
      if (i < 1000 && g_rand_int_range (rand, 0, 4) == 0)
        continue;
      bitmap |= 1;
      hand_in (sender, now, 1, lead, lead == 100 ? 0 : bitmap, 0);
    }
    fail_unless (window > 10, "seed %u: %g", seed, window);
    fail_unless (in_flight + 1 > window, "seed %u: %u of %g", seed, in_flight,
        window);
    lmcc_pgmcc_sender_free (sender);
  }
}

GST_END_TEST;

/* Packets sent before a stall and lost after it were not within the window
 * of one packet. */
GST_START_TEST (the_window_opens_after_a_stall)
{
  LmccPgmccSender *sender = lmcc_pgmcc_sender_new (START, 1);
  LmccTime now = START;
  guint16 lsn = 100, acked;
  guint32 bitmap = 0;
  guint i;

  open_window (sender, &lsn, 16);
  now = lmcc_pgmcc_sender_next_timeout (sender);
  lmcc_pgmcc_sender_handle_timeout (sender, now);
  fail_unless (lmcc_pgmcc_sender_get_window (sender) == 1);
  acked = lsn;
  for (i = 0; i < 5; i++) {
    send_all (sender, now, &lsn);
    bitmap = bitmap << 1 | 1;
    hand_in (sender, now, 1, acked++, bitmap, 0);
    fail_unless (lmcc_pgmcc_sender_get_window (sender) == i + 2, "%g",
        lmcc_pgmcc_sender_get_window (sender));
  }
  lmcc_pgmcc_sender_free (sender);
}

GST_END_TEST;

GST_START_TEST (two_stalls_in_a_row_call_for_an_acker)
{
  LmccPgmccSender *sender = lmcc_pgmcc_sender_new (START, 1);
  LmccPgmccElement element;
  guint16 lsn = 0;
  guint32 acker;
  guint i;

  lmcc_pgmcc_sender_send (sender, START, lsn++, &element);
  fail_unless (element.elicit && !element.has_acker);
  hand_in (sender, START, 7, 0, 0, 0);
  for (i = 0; i < 2; i++) {
    LmccTime next;

    fail_unless (lmcc_pgmcc_sender_may_send (sender));
    lmcc_pgmcc_sender_send (sender, START, lsn++, &element);
    fail_unless (!element.elicit && element.acker == 7);
    next = lmcc_pgmcc_sender_next_timeout (sender);
    fail_if (next == LMCC_TIME_NONE);
    lmcc_pgmcc_sender_handle_timeout (sender, next);
  }
  fail_if (lmcc_pgmcc_sender_get_acker (sender, &acker));
  lmcc_pgmcc_sender_send (sender, START, lsn++, &element);
  fail_unless (element.elicit);
  lmcc_pgmcc_sender_free (sender);
}

GST_END_TEST;

GST_START_TEST (reports_of_packets_that_were_not_sent_are_refused)
{
  LmccPgmccSender *sender = lmcc_pgmcc_sender_new (START, 1);
  LmccPgmccReport report = { .ssrc = 7, .lead = 5 };
  LmccPgmccElement element;
  guint32 acker;

  fail_if (lmcc_pgmcc_sender_handle_report (sender, START, 0, &report));
  lmcc_pgmcc_sender_send (sender, START, 4, &element);
  fail_if (lmcc_pgmcc_sender_handle_report (sender, START, 0, &report));
  report.lead = 4 - LMCC_PGMCC_MAX_WINDOW;
  fail_if (lmcc_pgmcc_sender_handle_report (sender, START, 0, &report));
  fail_if (lmcc_pgmcc_sender_get_acker (sender, &acker));
  lmcc_pgmcc_sender_free (sender);
}

GST_END_TEST;

static Suite *
pgmcc_sender_suite (void)
{
  Suite *suite = suite_create ("pgmcc-sender");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_test (tcase, a_window_that_is_not_used_does_not_grow);
  tcase_add_test (tcase, the_window_opens_and_halves);
  tcase_add_test (tcase, a_burst_of_losses_costs_no_tokens);
  tcase_add_test (tcase, losses_in_a_row_do_not_stop_the_window);
  tcase_add_test (tcase, the_window_opens_after_a_stall);
  tcase_add_test (tcase, two_stalls_in_a_row_call_for_an_acker);
  tcase_add_test (tcase, reports_of_packets_that_were_not_sent_are_refused);

  return suite;
}

GST_CHECK_MAIN (pgmcc_sender);
