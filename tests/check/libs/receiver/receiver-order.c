/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests order numbers, which have 16 bits: more packets may wait than these
 * can distinguish.
 */
#include "support/memory-feed.h"

#include <gst/check/gstcheck.h>

/* Packets per second, as at 96 Mbit/s. */
#define RATE 10000

#define N_LAYERS 5
#define MAX_MEMORY (256 * MEBIBYTE)

static void
begin (Feed *feed, LmccTime latency)
{
  guint layer;

  feed_prepare (feed, N_LAYERS, 100);
  feed->config.latency = latency;
  feed->config.max_memory = MAX_MEMORY;
  feed_start (feed);
  for (layer = 0; layer < N_LAYERS; layer++)
    feed_send_media (feed, layer, 0, TRUE);
}

/* In all layers except the highest, in turn. */
static void
send_for (Feed *feed, guint n)
{
  guint i;

  for (i = 0; i < n; i++) {
    feed_run_until (feed, feed->now + LMCC_SECOND / RATE);
    feed->timestamp += 90000 / RATE;
    feed_send_media (feed, i % (N_LAYERS - 1), 0, TRUE);
  }
}

static void
check_all_came (Feed *feed, guint n)
{
  LmccReceiverStats stats = feed_get_stats (feed);

  fail_unless_equals_uint64 (stats.drops[LMCC_DROP_LATE], 0);
  fail_unless_equals_int (feed->n_delivered, n);
  feed_finish (feed);
}

/* All of them wait for the layer that fell silent. */
GST_START_TEST (more_packets_than_half_the_numbers_wait_and_keep_their_order)
{
  guint n = 48000;
  Feed feed;

  begin (&feed, 10 * LMCC_SECOND);
  send_for (&feed, n);
  fail_unless (feed.n_delivered <= N_LAYERS);
  feed_run_until (&feed, feed.now + 11 * LMCC_SECOND);
  check_all_came (&feed, n + N_LAYERS);
}

GST_END_TEST;

/* The missing layer continues, and its packets find their places. A single
 * packet this far ahead is not trusted. */
GST_START_TEST (a_layer_that_goes_on_after_half_the_numbers_has_its_place)
{
  guint n = 40000, more = 4, i;
  Feed feed;

  begin (&feed, 10 * LMCC_SECOND);
  send_for (&feed, n);
  for (i = 0; i < more; i++)
    feed_send_media (&feed, N_LAYERS - 1, 0, TRUE);
  feed_run_until (&feed, feed.now + LMCC_SECOND);
  fail_unless (feed.n_delivered >= n, "%u came out", feed.n_delivered);
  feed_run_until (&feed, feed.now + 11 * LMCC_SECOND);
  check_all_came (&feed, n + N_LAYERS + more);
}

GST_END_TEST;

/* Meanwhile no packet arrived of the numbers that advanced by more than half
 * the range. */
GST_START_TEST (the_order_goes_on_after_an_outage)
{
  guint n = 20000, lost = 40000;
  Feed feed;

  begin (&feed, LMCC_SECOND / 2);
  send_for (&feed, n);
  feed_run_until (&feed, feed.now + LMCC_SECOND);
  fail_unless_equals_int (feed.n_delivered, n + N_LAYERS);
  feed_run_until (&feed, feed.now + lost / RATE * LMCC_SECOND);
  feed.timestamp += lost / RATE * 90000;
  feed.osn = (guint16) (feed.osn + lost);
  send_for (&feed, n);
  feed_run_until (&feed, feed.now + LMCC_SECOND);
  check_all_came (&feed, 2 * n + N_LAYERS);
}

GST_END_TEST;

static Suite *
receiver_order_suite (void)
{
  Suite *suite = suite_create ("receiver-order");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_test (chain,
      more_packets_than_half_the_numbers_wait_and_keep_their_order);
  tcase_add_test (chain,
      a_layer_that_goes_on_after_half_the_numbers_has_its_place);
  tcase_add_test (chain, the_order_goes_on_after_an_outage);

  return suite;
}

GST_CHECK_MAIN (receiver_order);
