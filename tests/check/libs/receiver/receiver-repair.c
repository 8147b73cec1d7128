/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests which lost packets a receiver recovers, and when it outputs them.
 */
#include "support/repair-feed.h"
#include "support/test-slow.h"
#include "support/test-block.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/measure/loss.h>
#include <gst/lmcc/repair/encoder.h>
#include <gst/lmcc/repair/payload.h>
#include <gst/lmcc/wire/rtp.h>

#include <string.h>

GST_START_TEST (what_is_lost_comes_back_in_its_place_and_in_time)
{
  gdouble loss = 0.03;
  LmccRepairClassStats sum;
  guint n_layers;

  for (n_layers = 1; n_layers <= 3; n_layers++) {
    LmccReceiverStats stats;
    RepairFeed feed;

    repair_feed_prepare (&feed, n_layers, 8, 4);
    repair_feed_start (&feed, "none");
    repair_feed_send_many (&feed, REPAIR_FEED_KEY_INTERVAL);
    feed.lose = repair_feed_lose_some;
    feed.lose_data = &loss;
    repair_feed_send_many (&feed,
        test_rounds (4000) / REPAIR_FEED_KEY_INTERVAL
            * REPAIR_FEED_KEY_INTERVAL);
    repair_feed_finish (&feed);
    sum = repair_feed_sum_classes (&feed);
    stats = repair_feed_get_stats (&feed);
    fail_unless (feed.losses->len > 5);
    fail_unless_equals_uint64 (sum.lost, feed.losses->len);
    fail_unless_equals_uint64 (sum.repaired, feed.losses->len);
    fail_unless_equals_uint64 (sum.late + sum.beyond_repair, 0);
    fail_unless (stats.lost >= feed.losses->len);
    fail_unless_equals_uint64 (stats.repair.invalid, 0);
    fail_unless_equals_uint64 (stats.gate.units_corrupted, 0);
    repair_feed_check_deliveries (&feed, 0);
    repair_feed_clear (&feed);
  }
}

GST_END_TEST;

GST_START_TEST (beyond_repair_is_given_up_with_the_last_repair_packet)
{
  RepairFeedSelected selected = { { 114, 116 }, 2, G_MAXUINT };
  const RepairFeedDelivery *delivery;
  LmccRepairClassStats sum;
  RepairFeed feed;

  /* 112, 114 ... 126 are a block of the base layer, with one repair packet. */
  repair_feed_start_losing (&feed, 2, 8, 1, &selected);
  repair_feed_send_many (&feed, 240);
  repair_feed_finish (&feed);
  sum = repair_feed_sum_classes (&feed);
  fail_unless_equals_uint64 (sum.lost, 2);
  fail_unless_equals_uint64 (sum.beyond_repair, 2);
  repair_feed_check_deliveries (&feed, 2);
  delivery = repair_feed_find_delivery (&feed, 118);
  fail_unless (delivery != NULL);
  fail_unless_equals_uint64 (delivery->at, repair_feed_sent_at (&feed, 126));
  repair_feed_clear (&feed);
}

GST_END_TEST;

GST_START_TEST (the_repair_of_the_next_block_ends_that_of_a_block)
{
  RepairFeedSelected selected = { { 114, 116 }, 2, 1 };
  const RepairFeedDelivery *delivery;
  RepairFeed feed;

  /* 112, 114 ... 126 are a block of the base layer, the next one ends at
   * 142; the last repair packet of each is lost. */
  repair_feed_start_losing (&feed, 2, 8, 2, &selected);
  repair_feed_send_many (&feed, 240);
  repair_feed_finish (&feed);
  fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).beyond_repair, 2);
  repair_feed_check_deliveries (&feed, 2);
  delivery = repair_feed_find_delivery (&feed, 118);
  fail_unless (delivery != NULL);
  /* For a few packets, missing packets before it may just be late. */
  fail_unless (delivery->at >= repair_feed_sent_at (&feed, 142));
  fail_unless (delivery->at <= repair_feed_sent_at (&feed, 158));
  repair_feed_clear (&feed);
}

GST_END_TEST;

GST_START_TEST (repair_that_never_comes_holds_nothing_beyond_its_time)
{
  RepairFeedSelected selected = { { 124 }, 1, 0 };
  const RepairFeedDelivery *delivery;
  RepairFeed feed;

  repair_feed_start_losing (&feed, 2, 8, 2, &selected);
  repair_feed_send_many (&feed, 240);
  repair_feed_finish (&feed);
  fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).beyond_repair, 1);
  repair_feed_check_deliveries (&feed, 1);
  /* It waits until its time is up, and no longer. */
  delivery = repair_feed_find_delivery (&feed, 125);
  fail_unless (delivery != NULL);
  fail_unless (
      delivery->at > repair_feed_sent_at (&feed, 125) + REPAIR_FEED_DELAY);
  repair_feed_clear (&feed);
}

GST_END_TEST;

/* When the time of the first hole is up, that of the second one is not. */
GST_START_TEST (giving_up_one_hole_leaves_the_next_open)
{
  RepairFeedSelected selected = { { 110, 194 }, 2, 0 };
  RepairFeed feed;

  /* The base layer's blocks are 96 to 126 and 192 to 222. */
  repair_feed_start_losing (&feed, 2, 16, 2, &selected);
  repair_feed_send_many (&feed, 140);
  selected.repair_from = G_MAXUINT;
  repair_feed_send_many (&feed, 80);
  fail_unless (repair_feed_find_delivery (&feed, 112) != NULL);
  fail_unless (repair_feed_find_delivery (&feed, 196) == NULL);
  repair_feed_send_many (&feed, 120);
  repair_feed_finish (&feed);
  fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).beyond_repair, 1);
  fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).repaired, 1);
  repair_feed_check_deliveries (&feed, 1);
  repair_feed_clear (&feed);
}

GST_END_TEST;

GST_START_TEST (nobody_waits_for_what_repair_cannot_give)
{
  RepairFeedSelected selected = { { 0 }, 0, 0 };
  guint i;
  RepairFeed feed;

  /* Only repair packets are lost, all of them. */
  repair_feed_start_losing (&feed, 2, 8, 2, &selected);
  repair_feed_send_many (&feed, 480);
  repair_feed_finish (&feed);
  fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).lost, 0);
  repair_feed_check_deliveries (&feed, 0);
  for (i = 0; i < feed.deliveries->len; i++) {
    const RepairFeedDelivery *delivery =
        &g_array_index (feed.deliveries, RepairFeedDelivery, i);

    /* After the last packets, nothing shows that a layer has passed. */
    fail_unless (delivery->number >= 480
            || delivery->at <= repair_feed_sent_at (&feed, delivery->number)
                    + LMCC_LOSS_TIMEOUT,
        "%u", delivery->number);
  }
  repair_feed_clear (&feed);
}

GST_END_TEST;

GST_START_TEST (control_hears_the_same_with_and_without_repair)
{
  static const gchar *const algorithms[] = { "elm", "plumb", "none" };
  gdouble loss = 0.02;
  guint which;

  for (which = 0; which < G_N_ELEMENTS (algorithms); which++) {
    RepairFeed feeds[2];
    guint round, i;

    for (i = 0; i < 2; i++) {
      repair_feed_prepare (&feeds[i], 3, 8, 4);
      feeds[i].session.repair = i == 0 ? 300 : 0;
      repair_feed_start (&feeds[i], algorithms[which]);
      repair_feed_send_many (&feeds[i], REPAIR_FEED_KEY_INTERVAL);
      feeds[i].lose = repair_feed_lose_some;
      feeds[i].lose_data = &loss;
    }
    for (round = 0; round < 100; round++) {
      LmccReceiverStats a, b;

      for (i = 0; i < 2; i++)
        repair_feed_send_many (&feeds[i], 40);
      a = repair_feed_get_stats (&feeds[0]);
      b = repair_feed_get_stats (&feeds[1]);
      fail_unless_equals_int (a.level, b.level);
      fail_unless_equals_uint64 (a.lost, b.lost);
      fail_unless_equals_uint64 (a.packets, b.packets);
      fail_unless_equals_uint64 (a.bytes, b.bytes);
      fail_unless_equals_uint64 (a.bitrate, b.bitrate);
      fail_unless (a.loss_rate == b.loss_rate);
      fail_unless (memcmp (a.layers, b.layers, sizeof (a.layers)) == 0);
      fail_unless (a.status.loss_event_rate == b.status.loss_event_rate);
      fail_unless (a.status.calculated_rate == b.status.calculated_rate);
      fail_unless (a.status.smoothed_rate == b.status.smoothed_rate);
    }
    fail_unless_equals_int (feeds[0].levels->len, feeds[1].levels->len);
    fail_unless (repair_feed_sum_classes (&feeds[0]).repaired > 20);
    fail_unless_equals_uint64 (repair_feed_sum_classes (&feeds[1]).repaired, 0);
    fail_unless (repair_feed_sum_classes (&feeds[1]).beyond_repair > 20);
    for (i = 0; i < 2; i++)
      repair_feed_clear (&feeds[i]);
  }
}

GST_END_TEST;

GST_START_TEST (who_joins_in_the_middle_waits_for_nothing_it_missed)
{
  RepairFeed feed;
  guint i;

  repair_feed_prepare (&feed, 2, 8, 3);
  repair_feed_start (&feed, "none");
  /* The first packets of its blocks were sent before the join. */
  feed.lose = repair_feed_lose_some;
  feed.lose_data = &(gdouble){ 1.0 };
  repair_feed_send_many (&feed, REPAIR_FEED_KEY_INTERVAL - 4);
  feed.lose = NULL;
  repair_feed_send_many (&feed, 4 * REPAIR_FEED_KEY_INTERVAL);
  repair_feed_finish (&feed);
  fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).lost, 0);
  fail_unless_equals_uint64 (repair_feed_get_stats (&feed).repair.invalid, 0);
  fail_unless_equals_int (
      g_array_index (feed.deliveries, RepairFeedDelivery, 0).number,
      REPAIR_FEED_KEY_INTERVAL);
  repair_feed_check_deliveries (&feed, 0);
  for (i = 0; i < feed.deliveries->len; i++) {
    const RepairFeedDelivery *delivery =
        &g_array_index (feed.deliveries, RepairFeedDelivery, i);

    fail_unless (delivery->number >= 4 * REPAIR_FEED_KEY_INTERVAL
        || delivery->at <= repair_feed_sent_at (&feed, delivery->number)
                + 2 * REPAIR_FEED_STEP);
  }
  repair_feed_clear (&feed);
}

GST_END_TEST;

GST_START_TEST (repair_may_be_in_a_higher_layer_than_what_it_repairs)
{
  RepairFeedSelected selected = { { 124, 128, 181 }, 3, G_MAXUINT };
  RepairFeed feed;

  repair_feed_prepare (&feed, 2, 8, 2);
  feed.repair_layer = 1;
  feed.lose = repair_feed_lose_selected;
  feed.lose_data = &selected;
  repair_feed_start (&feed, "none");
  repair_feed_send_many (&feed, 240);
  repair_feed_finish (&feed);
  fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).repaired, 3);
  repair_feed_check_deliveries (&feed, 0);
  repair_feed_clear (&feed);
}

GST_END_TEST;

/* Of three losses of a block of the base layer, one is recovered by its own
 * repair and two by that of the next layer, for receivers that have it. */
GST_START_TEST (repair_may_be_in_several_layers)
{
  guint level;

  for (level = 0; level < 2; level++) {
    RepairFeedSelected selected = { { 128, 132, 136, 160 }, 4, G_MAXUINT };
    RepairFeed feed;
    guint i;

    repair_feed_prepare (&feed, 2, 8, 3);
    feed.n_above = 2;
    feed.lose = repair_feed_lose_selected;
    feed.lose_data = &selected;
    repair_feed_start (&feed, "none");
    lmcc_receiver_set_max_level (feed.receiver, level, feed.now);
    repair_feed_send_many (&feed, 240);
    repair_feed_finish (&feed);
    fail_unless_equals_uint64 (repair_feed_get_stats (&feed).repair.invalid, 0);
    fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).lost, 4);
    fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).repaired,
        level == 0 ? 1 : 4);
    /* The receiver does not wait for packets that will not arrive. */
    for (i = 0; i < feed.deliveries->len; i++) {
      const RepairFeedDelivery *delivery =
          &g_array_index (feed.deliveries, RepairFeedDelivery, i);

      fail_unless (delivery->number + 40 > feed.next
          || delivery->at <= repair_feed_sent_at (&feed, delivery->number)
                  + 40 * REPAIR_FEED_STEP);
    }
    repair_feed_clear (&feed);
  }
}

GST_END_TEST;

GST_START_TEST (repair_of_layers_not_held_is_let_go)
{
  RepairFeedSelected selected = { { 125, 129, 184 }, 3, G_MAXUINT };
  RepairFeed feed;

  repair_feed_prepare (&feed, 2, 8, 2);
  feed.repair_layer = 0;
  feed.lose = repair_feed_lose_selected;
  feed.lose_data = &selected;
  repair_feed_start (&feed, "none");
  lmcc_receiver_set_max_level (feed.receiver, 0, feed.now);
  repair_feed_send_many (&feed, 240);
  repair_feed_finish (&feed);
  fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).repaired, 1);
  fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).lost, 1);
  fail_unless_equals_uint64 (repair_feed_get_stats (&feed).repair.invalid, 0);
  repair_feed_clear (&feed);
}

GST_END_TEST;

/* Numbers are constantly missing between those of the joined layers: their
 * lost packet may have been one of these, but it was no media. */
GST_START_TEST (lost_repair_damages_nothing_below_the_top)
{
  RepairFeedSelected selected = { { 0 }, 0, 0 };
  RepairFeed feed;
  guint i;

  repair_feed_prepare (&feed, 3, 8, 2);
  feed.chained = TRUE;
  feed.lose = repair_feed_lose_selected;
  feed.lose_data = &selected;
  repair_feed_start (&feed, "none");
  lmcc_receiver_set_max_level (feed.receiver, 1, feed.now);
  repair_feed_send_many (&feed, 480);
  repair_feed_finish (&feed);
  fail_unless (feed.deliveries->len > 300);
  for (i = 0; i < feed.deliveries->len; i++)
    fail_unless (
        !g_array_index (feed.deliveries, RepairFeedDelivery, i).corrupted, "%u",
        i);
  repair_feed_clear (&feed);
}

GST_END_TEST;

static void
check_all_until (RepairFeed *feed, guint from, guint end, guint but)
{
  guint i;

  for (i = from; i < end; i++)
    fail_unless ((repair_feed_find_delivery (feed, i) != NULL) == (i != but),
        "%u", i);
}

/* 113, 115 ... 127 are a block of layer 1, and 112, 114 ... 126 one of the
 * base layer. */
GST_START_TEST (what_waits_in_a_layer_that_is_left_still_comes_out)
{
  static const guint lost[] = { 117, 114 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (lost); i++) {
    RepairFeedSelected selected = { { lost[i] }, 1, G_MAXUINT };
    RepairFeed feed;
    guint last;

    repair_feed_prepare (&feed, 2, 8, 2);
    feed.lose = repair_feed_lose_selected;
    feed.lose_data = &selected;
    repair_feed_start (&feed, "none");
    repair_feed_send_many (&feed, 122);
    fail_unless (repair_feed_find_delivery (&feed, 121) == NULL);
    lmcc_receiver_set_max_level (feed.receiver, 0, feed.now);
    repair_feed_drain (&feed);
    repair_feed_send_many (&feed, 118);
    repair_feed_finish (&feed);
    /* The lost packet of the base layer is recovered: its repair packets are
     * still received. */
    check_all_until (&feed, 60, 122, i == 0 ? 117 : G_MAXUINT);
    for (last = 122; last < 240; last++)
      fail_unless (
          (repair_feed_find_delivery (&feed, last) != NULL) == (last % 2 == 0));
    fail_unless_equals_uint64 (
        repair_feed_get_stats (&feed).gate.units_corrupted, 0);
    repair_feed_clear (&feed);
  }
}

GST_END_TEST;

/* The layer is joined again while earlier packets still wait: the packets
 * sent in between are missing after these. */
GST_START_TEST (a_layer_that_is_joined_again_begins_anew)
{
  RepairFeedSelected selected = { { 114 }, 1, 0 };
  const RepairFeedDelivery *delivery;
  guint i, last = 0;
  RepairFeed feed;

  repair_feed_start_losing (&feed, 3, 8, 2, &selected);
  repair_feed_send_many (&feed, 122);
  lmcc_receiver_set_max_level (feed.receiver, 1, feed.now);
  lmcc_receiver_set_max_level (feed.receiver, 0, feed.now);
  repair_feed_send_many (&feed, 10);
  lmcc_receiver_set_max_level (feed.receiver, 2, feed.now);
  repair_feed_drain (&feed);
  repair_feed_send_many (&feed, 240);
  repair_feed_finish (&feed);
  for (i = 0; i < feed.deliveries->len; i++) {
    delivery = &g_array_index (feed.deliveries, RepairFeedDelivery, i);
    fail_unless (i == 0 || delivery->number > last);
    last = delivery->number;
  }
  check_all_until (&feed, 142, 372, G_MAXUINT);
  repair_feed_clear (&feed);
}

GST_END_TEST;

/* FLID-DL: the groups change their layers ten times per second. */
GST_START_TEST (blocks_live_across_the_slots_of_turning_groups)
{
  gdouble loss = 0.03;
  GError *error = NULL;
  RepairFeed feed;
  guint i;

  repair_feed_prepare (&feed, 3, 8, 4);
  feed.session.native = FALSE;
  feed.session.window = REPAIR_FEED_DELAY;
  feed.session.repair_delay = 0;
  g_strlcpy (feed.session.algorithm, "flid-dl",
      sizeof (feed.session.algorithm));
  for (i = 0; i < 3; i++)
    feed.session.layers[i] =
        (LmccLayer){ 500000, LMCC_STREAM_NONE, LMCC_CLASS_MIXED };
  fail_unless (lmcc_session_fit_algorithm (&feed.session, 0, 0, &error), "%s",
      error ? error->message : "");
  fail_unless (feed.session.turning_groups > 0);
  fail_unless (
      lmcc_dynamic_layering_from_session (&feed.layering, &feed.session, NULL));
  feed.slot = feed.session.slot;
  repair_feed_start (&feed, "none");
  repair_feed_send_many (&feed, 4 * REPAIR_FEED_KEY_INTERVAL);
  feed.lose = repair_feed_lose_some;
  feed.lose_data = &loss;
  repair_feed_send_many (&feed,
      test_rounds (4000) / REPAIR_FEED_KEY_INTERVAL * REPAIR_FEED_KEY_INTERVAL);
  repair_feed_finish (&feed);
  fail_unless (feed.losses->len > 5);
  fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).repaired,
      feed.losses->len);
  fail_unless_equals_uint64 (repair_feed_get_stats (&feed).gate.units_corrupted,
      0);
  repair_feed_clear (&feed);
}

GST_END_TEST;

/* A packet counted as lost arrives late: while its place is open, or when
 * its repair has arrived. */
GST_START_TEST (nothing_is_given_out_twice)
{
  guint repaired;

  for (repaired = 0; repaired < 2; repaired++) {
    RepairFeedSelected selected = { { 0 }, 0, repaired ? G_MAXUINT : 0 };
    LmccPacket *lost = NULL;
    LmccHeader header;
    RepairFeed feed;

    repair_feed_prepare (&feed, 1, 8, 2);
    feed.lose = repair_feed_lose_selected;
    feed.lose_data = &selected;
    repair_feed_start (&feed, "none");
    repair_feed_send_many (&feed, 121);
    repair_feed_run_until (&feed, feed.now + REPAIR_FEED_STEP);
    g_array_append_val (feed.sent, feed.now);
    lost = repair_feed_make_media (&feed, &header);
    g_ptr_array_add (feed.block[0], lmcc_packet_ref (lost));
    repair_feed_send_many (&feed, 8);
    fail_unless (
        (repair_feed_find_delivery (&feed, 122) != NULL) == (repaired > 0));
    repair_feed_arrive (&feed, 0, lost);
    fail_unless (repair_feed_find_delivery (&feed, 121) != NULL);
    fail_unless (repair_feed_find_delivery (&feed, 122) != NULL);
    repair_feed_send_many (&feed, 100);
    repair_feed_arrive (&feed, 0, lost);
    repair_feed_finish (&feed);
    fail_unless (repair_feed_get_stats (&feed).layers[0].lost >= 1);
    fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).repaired,
        repaired);
    fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).lost, repaired);
    repair_feed_check_deliveries (&feed, 0);
    lmcc_packet_unref (lost);
    repair_feed_clear (&feed);
  }
}

GST_END_TEST;

GST_START_TEST (repair_that_comes_late_is_counted_and_not_given_out)
{
  RepairFeedSelected selected = { { 124 }, 1, 0 };
  g_autoptr (GPtrArray) payloads = NULL;
  guint i;
  RepairFeed feed;

  repair_feed_start_losing (&feed, 1, 8, 1, &selected);
  repair_feed_send_many (&feed, 120);
  repair_feed_send_many (&feed, 7);
  payloads = test_block_encode ((LmccPacket **) feed.block[0]->pdata, 7, 1, 1);
  /* Just after its time was up, but while the block is still remembered. */
  for (i = 0; repair_feed_find_delivery (&feed, 125) == NULL; i++) {
    fail_unless (i < 200);
    repair_feed_send (&feed);
  }
  selected.repair_from = G_MAXUINT;
  repair_feed_send_repair (&feed, 0, g_ptr_array_index (payloads, 0), 0);
  repair_feed_finish (&feed);
  fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).late, 1);
  fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).beyond_repair, 0);
  fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).lost, 1);
  repair_feed_check_deliveries (&feed, 1);
  repair_feed_clear (&feed);
}

GST_END_TEST;

static void
corrupt (RepairFeed *feed, guint8 *data, gsize size, guint way)
{
  guint i;

  switch (way % 4) {
    case 0: /* anywhere in the description of the block */
      data[g_rand_int_range (feed->dice, 0, LMCC_REPAIR_HEADER_SIZE)] =
          g_rand_int (feed->dice) & 0xff;
      break;
    case 1: /* repair of another stream or layer */
      data[0] = g_rand_int (feed->dice) & 0xff;
      data[1] ^= (g_rand_int (feed->dice) & 0x0f) << 4;
      break;
    case 2: /* another block */
      data[2] = g_rand_int (feed->dice) & 0xff;
      break;
    default:
      for (i = 0; i < size; i++)
        data[i] = g_rand_int (feed->dice) & 0xff;
      break;
  }
}

/* Whatever repair packets arrive, only packets that were sent are output.
 * drain() checks each byte. */
GST_START_TEST (hostile_repair_never_gets_into_the_stream)
{
  gdouble loss = 0.05;
  guint way, i;

  for (way = 0; way < 4; way++) {
    guint8 payload[120] = { 0 };
    RepairFeed feed;

    repair_feed_prepare (&feed, 2, 8, 0);
    repair_feed_start (&feed, "none");
    repair_feed_send_many (&feed, REPAIR_FEED_KEY_INTERVAL);
    feed.lose = repair_feed_lose_some;
    feed.lose_data = &loss;
    for (i = 0; i < 600; i++) {
      LmccRepairPayload values = {
        .source = (guint16) (i % 2),
        .first = (guint16) (feed.sequence[i % 2] - 8),
        .n_source = 8,
        .step = 1,
        .index = (guint8) (i % 4),
        .n_repair = 4,
        .carriers = 1,
        .end = 4,
        .symbol_size = sizeof (payload) - LMCC_REPAIR_HEADER_SIZE,
      };
      LmccPacket *packet;
      guint j;

      repair_feed_send (&feed);
      for (j = LMCC_REPAIR_HEADER_SIZE; j < sizeof (payload); j++)
        payload[j] = g_rand_int (feed.dice) & 0xff;
      lmcc_repair_payload_write (&values, payload);
      corrupt (&feed, payload, sizeof (payload), way);
      packet = lmcc_packet_new_copy (payload, sizeof (payload));
      repair_feed_send_repair (&feed, i % 2, packet, 0);
      lmcc_packet_unref (packet);
    }
    repair_feed_finish (&feed);
    fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).repaired, 0);
    fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).late, 0);
    fail_unless (repair_feed_get_stats (&feed).repair.received > 500);
    /* A block with unknown packets is no worse than a lost one. */
    fail_unless (way == 2 || repair_feed_get_stats (&feed).repair.invalid > 0);
    repair_feed_clear (&feed);
  }
}

GST_END_TEST;

/* With this SSRC and number, but at a position that was never empty, or not
 * between its neighbours. */
GST_START_TEST (a_recovered_packet_with_a_foreign_place_is_refused)
{
  static const gint lsn_off[] = { -3, 2, 300, 0 };
  static const gint osn_off[] = { 0, 0, 0, 40 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (lsn_off); i++) {
    RepairFeedSelected selected = { { 124 }, 1, 0 };
    g_autoptr (GPtrArray) payloads = NULL;
    LmccPacket *forged;
    RepairFeed feed;
    LmccRtp rtp;
    LmccHeader header;

    repair_feed_prepare (&feed, 1, 16, 1);
    feed.lose = repair_feed_lose_selected;
    feed.lose_data = &selected;
    repair_feed_start (&feed, "none");
    /* The block of 112 to 127. */
    repair_feed_send_many (&feed, 127);
    fail_unless_equals_int (feed.block[0]->len, 15);
    forged = g_ptr_array_index (feed.block[0], 12);
    fail_unless (lmcc_rtp_parse (forged->data, forged->size, 1, &rtp));
    fail_unless (lmcc_header_parse (rtp.element, rtp.element_size, &header));
    header.lsn += lsn_off[i];
    header.osn += osn_off[i];
    lmcc_header_write (&header, (guint8 *) rtp.element);
    payloads =
        test_block_encode ((LmccPacket **) feed.block[0]->pdata, 15, 1, 1);
    selected.repair_from = G_MAXUINT;
    repair_feed_send_repair (&feed, 0, g_ptr_array_index (payloads, 0), 0);
    g_ptr_array_set_size (feed.block[0], 0);
    repair_feed_finish (&feed);
    fail_unless_equals_uint64 (repair_feed_sum_classes (&feed).repaired, 0);
    if (lsn_off[i] >= 0)
      fail_unless_equals_uint64 (repair_feed_get_stats (&feed).repair.invalid,
          1);
    repair_feed_check_deliveries (&feed, 1);
    repair_feed_clear (&feed);
  }
}

GST_END_TEST;

GST_START_TEST (the_latency_includes_the_repair_delay)
{
  RepairFeed feed;

  repair_feed_prepare (&feed, 1, 8, 1);
  repair_feed_start (&feed, "none");
  repair_feed_send_many (&feed, 1);
  fail_unless_equals_uint64 (lmcc_receiver_get_latency (feed.receiver),
      REPAIR_FEED_LATENCY + REPAIR_FEED_DELAY);
  repair_feed_clear (&feed);
}

GST_END_TEST;

static Suite *
receiver_repair_suite (void)
{
  Suite *suite = suite_create ("receiver-repair");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_test (chain, what_is_lost_comes_back_in_its_place_and_in_time);
  tcase_add_test (chain, beyond_repair_is_given_up_with_the_last_repair_packet);
  tcase_add_test (chain, the_repair_of_the_next_block_ends_that_of_a_block);
  tcase_add_test (chain, repair_that_never_comes_holds_nothing_beyond_its_time);
  tcase_add_test (chain, giving_up_one_hole_leaves_the_next_open);
  tcase_add_test (chain, nobody_waits_for_what_repair_cannot_give);
  tcase_add_test (chain, control_hears_the_same_with_and_without_repair);
  tcase_add_test (chain, who_joins_in_the_middle_waits_for_nothing_it_missed);
  tcase_add_test (chain, repair_may_be_in_a_higher_layer_than_what_it_repairs);
  tcase_add_test (chain, repair_may_be_in_several_layers);
  tcase_add_test (chain, repair_of_layers_not_held_is_let_go);
  tcase_add_test (chain, lost_repair_damages_nothing_below_the_top);
  tcase_add_test (chain, what_waits_in_a_layer_that_is_left_still_comes_out);
  tcase_add_test (chain, a_layer_that_is_joined_again_begins_anew);
  tcase_add_test (chain, blocks_live_across_the_slots_of_turning_groups);
  tcase_add_test (chain, nothing_is_given_out_twice);
  tcase_add_test (chain, repair_that_comes_late_is_counted_and_not_given_out);
  tcase_add_test (chain, hostile_repair_never_gets_into_the_stream);
  tcase_add_test (chain, a_recovered_packet_with_a_foreign_place_is_refused);
  tcase_add_test (chain, the_latency_includes_the_repair_delay);

  return suite;
}

GST_CHECK_MAIN (receiver_repair);
