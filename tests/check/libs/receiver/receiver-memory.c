/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the memory budget of a receiver, and the memory of its process, for
 * honest and hostile senders.
 */
#include "support/memory-feed.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/repair/payload.h>

/* The higher layers have been heard and are waited for. */
static void
wait_for_others (Feed *feed, guint i)
{
  guint layer;

  for (layer = 0; i == 0 && layer < feed->session.n_layers; layer++)
    feed_send_media (feed, layer, 0, TRUE);
}

static void
keep_merge_waiting (Feed *feed, guint i)
{
  wait_for_others (feed, i);
  feed_send_media (feed, 0, 0, i % 50 == 0);
}

GST_START_TEST (tiny_packets_that_wait_in_the_merge_stay_within_the_budget)
{
  Feed feed;

  feed_prepare (&feed, 2, 1);
  feed_run (&feed, keep_merge_waiting, 150000);
}

GST_END_TEST;

GST_START_TEST (the_largest_packets_that_wait_in_the_merge_do)
{
  Feed feed;

  feed_prepare (&feed, 2, 8900);
  feed_run (&feed, keep_merge_waiting, 30000);
}

GST_END_TEST;

static void
fill_all_layers (Feed *feed, guint i)
{
  wait_for_others (feed, i);
  feed_send_media (feed, i % (feed->session.n_layers - 1), 0, i % 500 == 0);
}

GST_START_TEST (sixty_four_layers_of_which_one_is_silent_do)
{
  Feed feed;

  feed_prepare (&feed, LMCC_MAX_LAYERS, 1200);
  feed_run (&feed, fill_all_layers, 150000);
}

GST_END_TEST;

/* Order numbers such that no packet follows another directly. */
static void
leap_in_order (Feed *feed, guint i)
{
  wait_for_others (feed, i);
  feed->osn = (guint16) (feed->osn + 1 + i * 7919 % 4096);
  feed_send_media (feed, i % 7, 0, i % 50 == 0);
}

GST_START_TEST (order_numbers_that_leap_do)
{
  Feed feed;

  feed_prepare (&feed, 8, 100);
  feed_run (&feed, leap_in_order, 150000);
}

GST_END_TEST;

/* Every third number of every layer is missing, and may be repaired. */
static void
leave_holes (Feed *feed, guint i)
{
  guint layer = i % feed->session.n_layers;

  if (i / feed->session.n_layers % 3 == 2) {
    feed->lsn[layer]++;
    feed->sequence[layer]++;
    feed->osn++;
  }
  feed_send_media (feed, layer, 0, i % 50 == 0);
}

GST_START_TEST (holes_that_wait_for_repair_do)
{
  Feed feed;

  feed_prepare_repair (&feed, 8, 1);
  feed_run (&feed, leave_holes, 150000);
  feed_prepare_repair (&feed, 8, 1200);
  feed_run (&feed, leave_holes, 60000);
}

GST_END_TEST;

/* Each packet reveals losses, and a position in the order that never
 * arrives. */
static void
send_fillers (Feed *feed, guint i)
{
  LmccHeader header;

  wait_for_others (feed, i);
  feed->osn += 3;
  feed->lsn[1] += 2;
  header = feed_make_header (feed, LMCC_PACKET_FILLER, 1);
  feed_send_packet (feed, &header, NULL, 0);
}

GST_START_TEST (fillers_that_tell_of_losses_do)
{
  Feed feed;

  feed_prepare (&feed, 3, 1200);
  feed_run (&feed, send_fillers, 150000);
  feed_prepare_repair (&feed, 3, 1200);
  feed_run (&feed, send_fillers, 150000);
}

GST_END_TEST;

/* One packet of each block, which repairs nothing. */
static void
begin_blocks (Feed *feed, guint i)
{
  static guint8 payload[LMCC_MAX_PACKET_SIZE - 200];
  LmccRepairPayload repair = {
    .first = (guint16) (100 * i),
    .n_source = 200,
    .step = 1,
    .n_repair = 2,
    .carriers = 1,
    .end = 2,
    .index = (guint8) (i % 2),
    .symbol_size = sizeof (payload) - LMCC_REPAIR_HEADER_SIZE,
  };
  LmccHeader header;

  wait_for_others (feed, i);
  header = feed_make_header (feed, LMCC_PACKET_REPAIR, 0);
  lmcc_repair_payload_write (&repair, payload);
  feed_send_packet (feed, &header, payload, sizeof (payload));
  feed_send_media (feed, 0, 0, i % 50 == 0);
}

GST_START_TEST (repair_of_blocks_that_never_get_whole_does)
{
  Feed feed;

  feed_prepare_repair (&feed, 2, 1);
  feed_run (&feed, begin_blocks, 20000);
}

GST_END_TEST;

GST_START_TEST (fourteen_rungs_without_a_second_key_frame_do)
{
  Feed feed;

  feed_prepare_rungs (&feed, 1);
  feed_run (&feed, feed_keep_history, 200000);
  feed_prepare_rungs (&feed, 1200);
  feed_run (&feed, feed_keep_history, 100000);
}

GST_END_TEST;

/* The highest rung ends while many packets of the lower ones are stored. */
static void
fall_down (Feed *feed, guint i)
{
  guint rungs = LMCC_MAX_RUNGS - 1;

  feed_keep_history (feed, i);
  if (i % 4001 == 4000)
    lmcc_receiver_set_max_level (feed->receiver,
        (gint) (rungs - i / 4001 % rungs), feed->now);
  feed_drain (feed);
}

GST_START_TEST (going_down_to_what_was_kept_does)
{
  Feed feed;

  feed_prepare_rungs (&feed, 1200);
  feed_run (&feed, fall_down, 60000);
}

GST_END_TEST;

/* A picture that never ends. */
static void
send_one_picture (Feed *feed, guint i)
{
  static const guint8 payload[LMCC_MAX_PACKET_SIZE];
  LmccHeader header = feed_make_header (feed, LMCC_PACKET_MEDIA, 0);

  header.osn = feed->osn++;
  header.stream = 0;
  header.first = i == 0;
  header.anchor = 1;
  header.switch_point = TRUE;
  feed_send_packet (feed, &header, payload, feed->payload_size);
}

GST_START_TEST (a_picture_without_an_end_does)
{
  Feed feed;

  feed_prepare (&feed, 1, 1);
  feed_run (&feed, send_one_picture, 50000);
  feed_prepare (&feed, 1, 8900);
  feed_run (&feed, send_one_picture, 20000);
}

GST_END_TEST;

GST_START_TEST (the_automatic_budget_holds_as_well)
{
  Feed feed;

  feed_prepare (&feed, 2, 1200);
  feed.config.latency = 200 * LMCC_MSECOND;
  feed.config.max_memory = 0;
  feed_run (&feed, keep_merge_waiting, 400000);
}

GST_END_TEST;

static Suite *
receiver_memory_suite (void)
{
  Suite *s = suite_create ("receiver-memory");
  TCase *tc = tcase_create ("hostile");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc,
      tiny_packets_that_wait_in_the_merge_stay_within_the_budget);
  tcase_add_test (tc, the_largest_packets_that_wait_in_the_merge_do);
  tcase_add_test (tc, sixty_four_layers_of_which_one_is_silent_do);
  tcase_add_test (tc, order_numbers_that_leap_do);
  tcase_add_test (tc, holes_that_wait_for_repair_do);
  tcase_add_test (tc, fillers_that_tell_of_losses_do);
  tcase_add_test (tc, repair_of_blocks_that_never_get_whole_does);
  tcase_add_test (tc, fourteen_rungs_without_a_second_key_frame_do);
  tcase_add_test (tc, going_down_to_what_was_kept_does);
  tcase_add_test (tc, a_picture_without_an_end_does);
  tcase_add_test (tc, the_automatic_budget_holds_as_well);

  return s;
}

GST_CHECK_MAIN (receiver_memory);
