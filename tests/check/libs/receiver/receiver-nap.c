/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests how long sockets may stay unread.
 */
#include "support/memory-feed.h"

#include <gst/check/gstcheck.h>

#define MS LMCC_MSECOND
#define PAYLOAD 1200

/* IP and UDP headers, RTP header, extension and payload of a packet. */
#define PACKET (28 + 12 + LMCC_RTP_OVERHEAD + PAYLOAD)

/* A twentieth of the latency below: its setting and the window. */
#define NAP (15 * MS)

/* Larger than the traffic during any nap. */
#define LARGE_BUFFER (16 * MEBIBYTE)

/* Packets per second in each layer. */
static void
prepare (Feed *feed, guint n_layers, guint packets)
{
  guint i;

  feed_prepare (feed, n_layers, PAYLOAD);
  feed->session.packet_size = PACKET;
  feed->session.window = 100 * MS;
  feed->config.latency = 200 * MS;
  for (i = 0; i < n_layers; i++)
    feed->session.layers[i].rate = (guint64) packets * PACKET * 8;
}

static void
send_all (Feed *feed)
{
  guint i;

  for (i = 0; i < feed->session.n_layers; i++)
    feed_send_media (feed, i, 0, TRUE);
  feed->timestamp += 90;
}

static LmccTime
get_nap (Feed *feed, gsize buffer)
{
  return lmcc_receiver_get_nap (feed->receiver, feed->now, buffer);
}

/* Sends for @duration, evenly. Returns: the nap at its end */
static LmccTime
run (Feed *feed, guint packets, LmccTime duration, gsize buffer)
{
  LmccTime until = feed->now + duration, nap = 0;

  while (feed->now < until) {
    feed_run_until (feed, feed->now + LMCC_SECOND / packets);
    send_all (feed);
    nap = get_nap (feed, buffer);
  }
  return nap;
}

static LmccTime
start_and_run (Feed *feed, guint packets, gsize buffer)
{
  feed_start (feed);
  return run (feed, packets, LMCC_SECOND, buffer);
}

GST_START_TEST (a_steady_stream_lets_nap_for_a_twentieth_of_the_latency)
{
  Feed feed;

  prepare (&feed, 1, 2000);
  fail_unless_equals_uint64 (start_and_run (&feed, 2000, LARGE_BUFFER), NAP);
  feed_finish (&feed);
}

GST_END_TEST;

/* The window is 100 ms; the decoder keeps a quarter of the setting. */
static const struct
{
  LmccTime latency;
  LmccTime window;
  LmccTime nap;
} latency_rows[] = {
  { 0, 0, 0 },
  { 0, LMCC_SECOND, 0 },
  { 20 * MS, 20 * MS, 2 * MS },
  { 20 * MS, LMCC_SECOND, 5 * MS / 2 },
  { 40 * MS, 0, 2 * MS },
  { 80 * MS, 0, 4 * MS },
  { 1000 * MS, 4000 * MS, 20 * MS },
};

GST_START_TEST (a_nap_is_a_small_part_of_the_latency)
{
  Feed feed;

  prepare (&feed, 1, 2000);
  feed.session.window = latency_rows[__i__].window;
  feed.session.latency = 0;
  feed.config.latency = latency_rows[__i__].latency;
  fail_unless_equals_uint64 (start_and_run (&feed, 2000, LARGE_BUFFER),
      latency_rows[__i__].nap);
  feed_finish (&feed);
}

GST_END_TEST;

/* Half of the buffer, within one packet. */
static void
check_fill (LmccTime nap, guint packets, gsize buffer)
{
  gdouble bytes = (gdouble) nap / LMCC_SECOND * packets * PACKET;

  fail_unless (bytes <= 0.5 * (gdouble) buffer + PACKET, "%.0f bytes of %zu",
      bytes, buffer);
  fail_unless (bytes >= 0.4 * (gdouble) buffer - PACKET, "%.0f bytes of %zu",
      bytes, buffer);
}

GST_START_TEST (a_nap_fills_half_of_a_buffer)
{
  static const gsize buffers[] = { 20000, 100000, 110400 };
  gsize buffer = buffers[__i__];
  Feed feed;

  prepare (&feed, 1, 20000);
  check_fill (start_and_run (&feed, 20000, buffer), 20000, buffer);
  feed_finish (&feed);
}

GST_END_TEST;

/* Each group has its own buffer. */
GST_START_TEST (a_nap_fills_half_of_the_fullest_buffer)
{
  gsize buffer = 40000;
  Feed feed;

  prepare (&feed, 4, 5000);
  check_fill (start_and_run (&feed, 5000, buffer), 5000, buffer);
  feed_finish (&feed);
}

GST_END_TEST;

/* The round-trip time is fixed; 0: it is measured, and not known yet. */
static const struct
{
  LmccTime rtt;
  LmccTime nap;
} rtt_rows[] = {
  { 0, 10 * MS },
  { 20 * MS, 10 * MS },
  { 96 * MS, 12 * MS },
  { 500 * MS, NAP },
};

GST_START_TEST (an_algorithm_lets_nap_for_a_part_of_the_round_trip)
{
  Feed feed;

  prepare (&feed, 1, 2000);
  feed.config.algorithm = "elm";
  if (rtt_rows[__i__].rtt > 0) {
    feed.config.rtt_mode = LMCC_RTT_MODE_FIXED;
    feed.config.fixed_rtt = rtt_rows[__i__].rtt;
  }
  fail_unless_equals_uint64 (start_and_run (&feed, 2000, LARGE_BUFFER),
      rtt_rows[__i__].nap);
  feed_finish (&feed);
}

GST_END_TEST;

/* So that a key frame fits that comes meanwhile. */
GST_START_TEST (a_long_nap_fills_a_quarter_of_a_buffer)
{
  gsize buffer = 4 * 2000 * PACKET * 12 / 1000;
  LmccTime nap;
  Feed feed;

  prepare (&feed, 1, 2000);
  nap = start_and_run (&feed, 2000, buffer);
  fail_unless (nap > 11 * MS && nap <= 12 * MS, "%" G_GUINT64_FORMAT, nap);
  feed_finish (&feed);
  prepare (&feed, 1, 2000);
  fail_unless_equals_uint64 (start_and_run (&feed, 2000, buffer * 2 / 3),
      10 * MS);
  feed_finish (&feed);
}

GST_END_TEST;

GST_START_TEST (a_long_nap_gathers_few_packets)
{
  LmccTime nap;
  Feed feed;

  prepare (&feed, 1, 5000);
  nap = start_and_run (&feed, 5000, LARGE_BUFFER);
  fail_unless (nap > 12 * MS && nap < 13 * MS, "%" G_GUINT64_FORMAT, nap);
  feed_finish (&feed);
  prepare (&feed, 1, 20000);
  fail_unless_equals_uint64 (start_and_run (&feed, 20000, LARGE_BUFFER),
      10 * MS);
  feed_finish (&feed);
}

GST_END_TEST;

/* More traffic than announced, as when a key frame is sent. */
GST_START_TEST (a_burst_makes_naps_short)
{
  gsize buffer = 60000;
  LmccTime nap;
  Feed feed;

  prepare (&feed, 1, 2000);
  fail_unless_equals_uint64 (start_and_run (&feed, 2000, buffer), 10 * MS);
  nap = run (&feed, 20000, 20 * MS, buffer);
  check_fill (nap, 20000, buffer);
  nap = run (&feed, 2000, 200 * MS, buffer);
  fail_unless_equals_uint64 (nap, 10 * MS);
  feed_finish (&feed);
}

GST_END_TEST;

GST_START_TEST (few_packets_are_read_at_once)
{
  Feed feed;

  prepare (&feed, 1, 180);
  fail_unless_equals_uint64 (start_and_run (&feed, 180, LARGE_BUFFER), 0);
  feed_finish (&feed);
  prepare (&feed, 1, 220);
  fail_unless_equals_uint64 (start_and_run (&feed, 220, LARGE_BUFFER), NAP);
  feed_finish (&feed);
}

GST_END_TEST;

GST_START_TEST (nobody_naps_before_the_first_packet)
{
  Feed feed;

  prepare (&feed, 1, 2000);
  feed_start (&feed);
  fail_unless_equals_uint64 (get_nap (&feed, LARGE_BUFFER), 0);
  feed_run_until (&feed, feed.now + 10 * MS);
  fail_unless_equals_uint64 (get_nap (&feed, LARGE_BUFFER), 0);
  feed_finish (&feed);
}

GST_END_TEST;

static void
send_base_only (Feed *feed, guint packets, LmccTime duration)
{
  LmccTime until = feed->now + duration;

  while (feed->now < until) {
    feed_run_until (feed, feed->now + LMCC_SECOND / packets);
    feed_send_media (feed, 0, 0, TRUE);
    feed->timestamp += 90;
  }
}

GST_START_TEST (nobody_naps_while_a_group_is_awaited)
{
  Feed feed;

  prepare (&feed, 2, 2000);
  feed.config.max_level = 0;
  feed_start (&feed);
  send_base_only (&feed, 2000, LMCC_SECOND);
  fail_unless_equals_uint64 (get_nap (&feed, LARGE_BUFFER), NAP);
  lmcc_receiver_set_max_level (feed.receiver, 1, feed.now);
  feed_drain (&feed);
  send_base_only (&feed, 2000, 100 * MS);
  fail_unless_equals_uint64 (get_nap (&feed, LARGE_BUFFER), 0);
  feed_send_media (&feed, 1, 0, TRUE);
  fail_unless_equals_uint64 (get_nap (&feed, LARGE_BUFFER), NAP);
  feed_finish (&feed);
}

GST_END_TEST;

/* A layer may have no data. */
GST_START_TEST (a_silent_group_is_not_awaited_for_long)
{
  Feed feed;

  prepare (&feed, 2, 2000);
  feed_start (&feed);
  send_base_only (&feed, 2000, 900 * MS);
  fail_unless_equals_uint64 (get_nap (&feed, LARGE_BUFFER), 0);
  send_base_only (&feed, 2000, 300 * MS);
  fail_unless_equals_uint64 (get_nap (&feed, LARGE_BUFFER), NAP);
  feed_finish (&feed);
}

GST_END_TEST;

GST_START_TEST (a_slot_is_seen_in_time)
{
  Feed feed;

  prepare (&feed, 1, 2000);
  feed.session.slot = 250 * MS;
  feed.session.slot_modulus = 256;
  fail_unless_equals_uint64 (start_and_run (&feed, 2000, LARGE_BUFFER),
      5 * MS / 2);
  feed_finish (&feed);
}

GST_END_TEST;

GST_START_TEST (nobody_naps_where_reports_clock_the_sender)
{
  static const gchar *const names[] = { "pgmcc", "tfmcc" };
  Feed feed;

  prepare (&feed, 1, 2000);
  g_strlcpy (feed.session.base_algorithm, names[__i__],
      LMCC_ALGORITHM_NAME_SIZE);
  fail_unless_equals_uint64 (start_and_run (&feed, 2000, LARGE_BUFFER), 0);
  feed_finish (&feed);
}

GST_END_TEST;

/* Feedback for the round-trip time: reports are not answered here. */
GST_START_TEST (nobody_naps_while_an_answer_is_awaited)
{
  LmccTime rtt_max = 500 * MS, end;
  guint64 reports;
  gboolean any = FALSE;
  Feed feed;

  prepare (&feed, 1, 2000);
  feed.session.feedback_interval = 4 * LMCC_SECOND;
  feed.session.feedback_port = 5005;
  feed.session.rtt_max = rtt_max;
  feed.config.algorithm = "elm";
  feed_start (&feed);
  end = feed.now + 20 * LMCC_SECOND;
  while (feed.now < end) {
    reports = feed_get_stats (&feed).reports;
    run (&feed, 2000, MS, LARGE_BUFFER);
    if (feed_get_stats (&feed).reports == reports)
      continue;
    any = TRUE;
    fail_unless_equals_uint64 (get_nap (&feed, LARGE_BUFFER), 0);
    fail_unless_equals_uint64 (run (&feed, 2000, rtt_max - 2 * MS,
                                   LARGE_BUFFER),
        0);
    fail_unless (run (&feed, 2000, 4 * MS, LARGE_BUFFER) > 0);
  }
  fail_unless (any);
  feed_finish (&feed);
}

GST_END_TEST;

static Suite *
receiver_nap_suite (void)
{
  Suite *s = suite_create ("receiver-nap");
  TCase *tc = tcase_create ("receiver-nap");

  tcase_add_test (tc, a_steady_stream_lets_nap_for_a_twentieth_of_the_latency);
  tcase_add_loop_test (tc, an_algorithm_lets_nap_for_a_part_of_the_round_trip,
      0, G_N_ELEMENTS (rtt_rows));
  tcase_add_test (tc, a_long_nap_fills_a_quarter_of_a_buffer);
  tcase_add_test (tc, a_long_nap_gathers_few_packets);
  tcase_add_loop_test (tc, a_nap_is_a_small_part_of_the_latency, 0,
      G_N_ELEMENTS (latency_rows));
  tcase_add_loop_test (tc, a_nap_fills_half_of_a_buffer, 0, 3);
  tcase_add_test (tc, a_nap_fills_half_of_the_fullest_buffer);
  tcase_add_test (tc, a_burst_makes_naps_short);
  tcase_add_test (tc, few_packets_are_read_at_once);
  tcase_add_test (tc, nobody_naps_before_the_first_packet);
  tcase_add_test (tc, nobody_naps_while_a_group_is_awaited);
  tcase_add_test (tc, a_silent_group_is_not_awaited_for_long);
  tcase_add_test (tc, a_slot_is_seen_in_time);
  tcase_add_loop_test (tc, nobody_naps_where_reports_clock_the_sender, 0, 2);
  tcase_add_test (tc, nobody_naps_while_an_answer_is_awaited);
  suite_add_tcase (s, tc);
  return s;
}

GST_CHECK_MAIN (receiver_nap);
