/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests which packets a receiver drops when its memory budget is full, and
 * which it must keep.
 */
#include "support/memory-feed.h"

#include "support/test-slow.h"

#include <gst/check/gstcheck.h>

#include <time.h>

/* Packet @k of layer @l in window @w: each layer has a different part of the
 * window's order and sends it all the time. */
static void
send_of_window (Feed *feed, guint w, guint l, guint k, guint per_layer)
{
  static const guint8 payload[1200];
  guint n_layers = feed->session.n_layers;
  guint number = (w * n_layers + l) * per_layer + k;
  LmccHeader header = feed_make_header (feed, LMCC_PACKET_MEDIA, l);

  header.osn = (guint16) number;
  header.stream = 0;
  header.first = header.last = header.switch_point = TRUE;
  header.anchor = (guint8) number;
  feed->timestamp = (guint32) (number * 2 * 90000.0 / (n_layers * per_layer));
  feed_send_packet (feed, &header, payload, sizeof (payload));
}

/* 50 Mbit/s in layers of fixed rates, with a window of 2 s: all packets that
 * wait for a silent layer are kept until its time is up. */
GST_START_TEST (long_windows_at_a_high_rate_fit)
{
  const guint per_layer = 1300, n_layers = 8, n_windows = 6;
  LmccTime window = 2 * LMCC_SECOND;
  LmccReceiverStats stats;
  guint n_sent = 0, w, k, l;
  Feed feed;

  feed_prepare (&feed, n_layers, 0);
  feed.session.native = FALSE;
  feed.session.window = window;
  feed.config.latency = LMCC_SECOND;
  feed.config.max_memory = 0;
  feed_start (&feed);
  for (w = 0; w < n_windows; w++) {
    for (k = 0; k < per_layer; k++) {
      feed_run_until (&feed, LMCC_SECOND + w * window + k * window / per_layer);
      for (l = 0; l < n_layers; l++) {
        if (w >= 2 && l == n_layers - 1)
          continue;
        send_of_window (&feed, w, l, k, per_layer);
        n_sent++;
      }
    }
    feed_check_memory (&feed);
  }
  feed_run_until (&feed, feed.now + 8 * LMCC_SECOND);
  stats = feed_get_stats (&feed);
  fail_unless_equals_int (feed.n_told, 0);
  fail_unless_equals_uint64 (stats.drops[LMCC_DROP_MEMORY], 0);
  fail_unless_equals_uint64 (stats.drops[LMCC_DROP_LATE], 0);
  fail_unless_equals_int (feed.n_delivered, n_sent);
  /* Otherwise, the limit was not tested. */
  fail_unless (stats.memory_peak > 24 * MEBIBYTE);
  feed_finish (&feed);
}

GST_END_TEST;

/* Within @span, the highest layer sends one packet per second, for which the
 * others wait. */
static void
stall (Feed *feed, LmccTime span)
{
  LmccTime end = feed->now + span;
  guint i;

  for (i = 0; feed->now < end; i++) {
    feed_run_until (feed, feed->now + LMCC_MSECOND);
    if (i % 1000 == 0)
      feed_send_media (feed, 2, 0, TRUE);
    feed_send_media (feed, i % 2, 0, TRUE);
  }
}

static guint
count_falls (const Feed *feed)
{
  guint n = 0, i;

  for (i = 1; i < feed->levels->len; i++)
    n += g_array_index (feed->levels, gint, i)
        < g_array_index (feed->levels, gint, i - 1);

  return n;
}

GST_START_TEST (a_layer_that_does_not_fit_comes_back_ever_more_rarely)
{
  LmccTime span = test_is_slow () ? 100 : 700;
  LmccReceiverStats stats;
  Feed feed;

  feed_prepare (&feed, 3, 6000);
  feed.config.max_memory = 4 * MEBIBYTE;
  feed_start (&feed);
  stall (&feed, span * LMCC_SECOND);
  stats = feed_get_stats (&feed);
  /* After 10 s, 20, 40, 80 and so on. */
  fail_unless (count_falls (&feed) >= 2);
  fail_unless (count_falls (&feed) <= 8);
  fail_unless_equals_uint64 (stats.drops[LMCC_DROP_MEMORY], 0);
  fail_unless (feed.n_told <= count_falls (&feed));
  fail_unless_equals_string (feed.told, "the highest layer is left");
  /* It is back for good once no layer stalls any more. */
  feed_run_until (&feed, feed.now + 400 * LMCC_SECOND);
  feed_send_media (&feed, 0, 0, TRUE);
  lmcc_receiver_set_max_memory (feed.receiver, 64 * MEBIBYTE);
  feed_run_until (&feed, feed.now + 400 * LMCC_SECOND);
  feed_send_media (&feed, 0, 0, TRUE);
  fail_unless_equals_int (feed_get_stats (&feed).level, 2);
  feed_finish (&feed);
}

GST_END_TEST;

GST_START_TEST (what_was_kept_for_a_lower_rung_goes_before_a_layer)
{
  LmccReceiverStats stats;
  guint i;
  Feed feed;

  feed_prepare_rungs (&feed, 1200);
  feed_start (&feed);
  for (i = 0; i < 20000; i++) {
    feed_run_until (&feed, feed.now + FEED_STEP);
    feed_keep_history (&feed, i);
  }
  stats = feed_get_stats (&feed);
  fail_unless_equals_int (stats.level, LMCC_MAX_RUNGS - 1);
  fail_unless_equals_int (stats.rung, LMCC_MAX_RUNGS - 1);
  fail_unless_equals_int (feed.n_told, 1);
  fail_unless (g_str_has_prefix (feed.told, "data kept for a change"));
  fail_unless_equals_uint64 (stats.drops[LMCC_DROP_MEMORY], 0);
  feed_finish (&feed);
}

GST_END_TEST;

GST_START_TEST (what_others_hold_of_it_counts)
{
  LmccReceiverStats stats;
  Feed feed;

  feed_prepare (&feed, 1, 1200);
  feed_start (&feed);
  feed_send_media (&feed, 0, 0, TRUE);
  lmcc_receiver_set_outside_memory (feed.receiver, 16 * MEBIBYTE);
  feed_send_media (&feed, 0, 0, TRUE);
  stats = feed_get_stats (&feed);
  fail_unless_equals_uint64 (stats.drops[LMCC_DROP_MEMORY], 1);
  fail_unless_equals_int (feed.n_told, 1);
  fail_unless (g_str_has_prefix (feed.told, "the base layer alone fills"));
  lmcc_receiver_set_outside_memory (feed.receiver, 0);
  feed_send_media (&feed, 0, 0, TRUE);
  feed_run_until (&feed, feed.now + LMCC_SECOND);
  fail_unless_equals_uint64 (feed_get_stats (&feed).drops[LMCC_DROP_MEMORY], 1);
  fail_unless_equals_int (feed.n_delivered, 2);
  feed_finish (&feed);
}

GST_END_TEST;

/* CPU seconds for @n packets that wait behind a hole. */
static gdouble
measure (Feed *feed, guint n)
{
  struct timespec ts[2];

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &ts[0]);
  while (n-- > 0) {
    feed_run_until (feed, feed->now + FEED_STEP);
    feed_send_media (feed, 0, 0, TRUE);
  }
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &ts[1]);

  return (gdouble) (ts[1].tv_sec - ts[0].tv_sec)
      + (gdouble) (ts[1].tv_nsec - ts[0].tv_nsec) / 1e9;
}

GST_START_TEST (a_packet_costs_no_more_where_thousands_wait)
{
  gdouble few, many;
  Feed feed;

  feed_prepare_repair (&feed, 1, 100);
  feed.config.max_memory = 64 * MEBIBYTE;
  feed_start (&feed);
  feed_send_media (&feed, 0, 0, TRUE);
  feed.lsn[0]++;
  feed.sequence[0]++;
  feed.osn++;
  measure (&feed, 40);
  few = measure (&feed, 1000);
  measure (&feed, 8000);
  many = measure (&feed, 1000);
  fail_unless (feed_get_stats (&feed).memory > 10000 * 800);
  fail_unless (many < 6 * few, "%g s for 1000 packets, then %g", few, many);
  feed_finish (&feed);
}

GST_END_TEST;

/* Thousands of packets wait for the highest layer, which is silent. */
static void
let_wait (Feed *feed, guint n)
{
  guint layer, i;

  for (layer = 0; layer < feed->session.n_layers; layer++)
    feed_send_media (feed, layer, 0, TRUE);
  for (i = 0; i < n; i++) {
    feed_run_until (feed, feed->now + 100 * LMCC_USECOND);
    feed_send_media (feed, 1, 0, TRUE);
  }
  feed_send_media (feed, 0, 0, TRUE);
}

/* The rest is due at once in the next call, until all is done. */
static void
check_pieces (Feed *feed, guint64 before, guint least_calls)
{
  guint64 most = before / least_calls;
  guint n = 0;

  for (;;) {
    guint64 after = feed_get_stats (feed).memory;

    fail_unless (before <= after + most, "%" G_GUINT64_FORMAT " bytes at once",
        before - after);
    before = after;
    if (lmcc_receiver_next_timeout (feed->receiver) > feed->now)
      break;
    lmcc_receiver_handle_timeout (feed->receiver, feed->now);
    feed_drain (feed);
    n++;
  }
  fail_unless (n >= least_calls, "%u calls", n);
  fail_unless (before < most, "%" G_GUINT64_FORMAT " bytes are left", before);
}

GST_START_TEST (what_waits_of_a_layer_that_is_left_goes_in_pieces)
{
  Feed feed;

  feed_prepare (&feed, 3, 100);
  feed.config.max_memory = 64 * MEBIBYTE;
  feed_start (&feed);
  let_wait (&feed, 10000);
  lmcc_receiver_set_max_level (feed.receiver, 0, feed.now);
  feed_drain (&feed);
  check_pieces (&feed, feed_get_stats (&feed).memory, 20);
  /* The packet goes on to the decoder. */
  fail_unless (feed.n_delivered > 9000);
  feed_finish (&feed);
}

GST_END_TEST;

GST_START_TEST (what_is_dropped_of_a_layer_that_is_joined_again_does)
{
  Feed feed;
  guint64 before;

  feed_prepare (&feed, 3, 100);
  feed.config.max_memory = 64 * MEBIBYTE;
  feed_start (&feed);
  let_wait (&feed, 10000);
  before = feed_get_stats (&feed).memory;
  lmcc_receiver_set_max_level (feed.receiver, 0, feed.now);
  lmcc_receiver_set_max_level (feed.receiver, -1, feed.now);
  feed_drain (&feed);
  check_pieces (&feed, before, 10);
  fail_unless (feed.n_delivered < 1000, "%u", feed.n_delivered);
  feed_finish (&feed);
}

GST_END_TEST;

/* No call frees more than a sixteenth of the stored packets. */
GST_START_TEST (a_budget_that_is_full_frees_a_layer_in_pieces)
{
  guint64 most = 0, held = 0;
  guint layer, i;
  Feed feed;

  feed_prepare (&feed, 3, 100);
  feed.config.max_memory = 8 * MEBIBYTE;
  feed_start (&feed);
  for (layer = 0; layer < feed.session.n_layers; layer++)
    feed_send_media (&feed, layer, 0, TRUE);
  for (i = 0; i < 20000; i++) {
    guint64 before = feed_get_stats (&feed).memory, after;

    feed_send_media (&feed, 1, 0, TRUE);
    after = feed_get_stats (&feed).memory;
    held = MAX (held, after);
    most = MAX (most, before > after ? before - after : 0);
    feed_run_until (&feed, feed.now + 100 * LMCC_USECOND);
  }
  fail_unless (feed.n_told > 0);
  fail_unless (held > 7 * MEBIBYTE);
  fail_unless (most > 0 && most < MEBIBYTE / 2, "%" G_GUINT64_FORMAT, most);
  fail_unless (feed_get_stats (&feed).memory < MEBIBYTE);
  feed_finish (&feed);
}

GST_END_TEST;

static Suite *
receiver_budget_suite (void)
{
  Suite *s = suite_create ("receiver-budget");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, long_windows_at_a_high_rate_fit);
  tcase_add_test (tc, a_layer_that_does_not_fit_comes_back_ever_more_rarely);
  tcase_add_test (tc, what_was_kept_for_a_lower_rung_goes_before_a_layer);
  tcase_add_test (tc, what_others_hold_of_it_counts);
  tcase_add_test (tc, a_packet_costs_no_more_where_thousands_wait);
  tcase_add_test (tc, what_waits_of_a_layer_that_is_left_goes_in_pieces);
  tcase_add_test (tc, what_is_dropped_of_a_layer_that_is_joined_again_does);
  tcase_add_test (tc, a_budget_that_is_full_frees_a_layer_in_pieces);

  return s;
}

GST_CHECK_MAIN (receiver_budget);
