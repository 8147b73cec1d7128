/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A receiver that is fed by hand: it is known what was sent, what was lost and
 * what the code can give back.
 */
#include "test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>

#include <string.h>

#define SSRC_BASE 0x12345000u
#define MAX_LAYERS 4
#define STEP (5 * LMCC_MSECOND) /* from one media packet to the next */
#define LATENCY (200 * LMCC_MSECOND)
#define REPAIR_DELAY (300 * LMCC_MSECOND)

/* Packets are given out so long before the latency is over. */
#define RESERVE (50 * LMCC_MSECOND)

#define N_BEFORE_CONTROL 20
#define KEY_INTERVAL 60

typedef struct _Feed Feed;

/* Whether a packet gets lost. */
typedef gboolean (*Lose) (Feed * feed, const LmccHeader * header, guint number);

typedef struct
{
  guint number;
  LmccTime at;
  gboolean corrupted;
} Delivery;

struct _Feed
{
  LmccReceiver *receiver;
  LmccSession session;
  LmccAddress source;
  LmccDynamicLayering layering;
  LmccTime slot;
  LmccTime now;
  guint n_source;
  guint n_repair;               /* 0: no repair is sent */
  guint repair_layer;           /* above the highest: in the block's own */
  guint next;                   /* number of the next media packet */
  guint16 lsn[MAX_LAYERS];
  guint16 sequence[MAX_LAYERS];
  guint16 repair_sequence[MAX_LAYERS];
  guint8 anchor;
  GPtrArray *block[MAX_LAYERS];
  Lose lose;
  gpointer lose_data;
  GRand *dice;
  GArray *sent;                 /* of LmccTime, by number */
  GArray *losses;               /* of guint: media packets that were lost */
  GArray *deliveries;           /* of Delivery */
  GArray *levels;
};

static void
drain (Feed * feed)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (feed->receiver, &action)) {
    if (action.type == LMCC_RECEIVER_ACTION_LEVEL)
      g_array_append_val (feed->levels, action.to);
    if (action.type == LMCC_RECEIVER_ACTION_DELIVER) {
      Delivery delivery = {.at = feed->now,.corrupted = action.corrupted };
      const guint8 *payload = action.packet->data + LMCC_RTP_HEADER_SIZE;
      gsize size = action.packet->size - LMCC_RTP_HEADER_SIZE, i;

      memcpy (&delivery.number, payload, sizeof (guint));
      fail_unless_equals_int (size, 8 + delivery.number % 50);
      for (i = 4; i < size; i++)
        fail_unless_equals_int (payload[i],
            (guint8) (delivery.number * 31 + i * 7));
      g_array_append_val (feed->deliveries, delivery);
    }
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
}

/* Virtual time goes on to @until. */
static void
run_until (Feed * feed, LmccTime until)
{
  LmccTime next;

  while ((next = lmcc_receiver_next_timeout (feed->receiver)) <= until) {
    feed->now = MAX (feed->now, next);
    lmcc_receiver_handle_timeout (feed->receiver, feed->now);
    drain (feed);
  }
  feed->now = MAX (feed->now, until);
}

static LmccHeader
start_header (Feed * feed, LmccPacketType type, guint layer)
{
  LmccHeader header = {.type = type,.layer = (guint8) layer,
    .top_layer = (guint8) (feed->session.n_layers - 1),
    .signal = LMCC_SIGNAL_NOBODY,.stream = LMCC_STREAM_NONE,
    .lsn = feed->lsn[layer]++,.osn = (guint16) feed->next,
    .anchor = feed->anchor,.send_time = lmcc_time_to_ntp_short (feed->now),
  };

  if (feed->slot > 0)
    header.slot = (guint16) (feed->now / feed->slot
        % feed->session.slot_modulus);

  return header;
}

static guint
group_of (Feed * feed, const LmccHeader * header)
{
  return feed->session.turning_groups == 0 ? header->layer
      : lmcc_dynamic_layering_get_group (&feed->layering, header->slot,
      header->layer);
}

static void
arrive (Feed * feed, guint group, LmccPacket * packet)
{
  lmcc_receiver_handle_packet (feed->receiver, feed->now, feed->now, group,
      &feed->source, 5004, lmcc_packet_ref (packet));
  drain (feed);
}

static void
send_repair (Feed * feed, guint layer, LmccPacket * payload, guint index)
{
  guint carrier = feed->repair_layer < feed->session.n_layers ?
      feed->repair_layer : layer;
  LmccHeader header = start_header (feed, LMCC_PACKET_REPAIR, carrier);
  LmccRtp rtp = {.payload_type = feed->session.repair_payload_type,
    .sequence = feed->repair_sequence[carrier]++,
    .ssrc = lmcc_session_repair_ssrc (&feed->session, carrier),
    .payload_size = payload->size,
  };
  LmccPacket *packet = lmcc_rtp_build (&rtp, &header,
      feed->session.header_id, payload->data);

  if (feed->lose == NULL || !feed->lose (feed, &header, index))
    arrive (feed, group_of (feed, &header), packet);
  lmcc_packet_unref (packet);
}

static void
end_block (Feed * feed, guint layer)
{
  g_autoptr (GPtrArray) payloads =
      lmcc_repair_encode ((LmccPacket **) feed->block[layer]->pdata,
      feed->block[layer]->len, 1, feed->n_repair);
  guint i;

  fail_unless (payloads != NULL);
  for (i = 0; i < payloads->len; i++)
    send_repair (feed, layer, g_ptr_array_index (payloads, i), i);
  g_ptr_array_set_size (feed->block[layer], 0);
}

/* Pictures of one packet, of class 0, 1, 0, 2 ... in as many layers as there
 * are. */
static LmccPacket *
make_media (Feed * feed, LmccHeader * header)
{
  guint number = feed->next, i;
  guint klass = number % 2 == 0 ? 0 :
      1 + (number / 2) % MAX (feed->session.n_layers - 1, 1);
  guint layer = MIN (klass, feed->session.n_layers - 1);
  guint8 payload[64];
  LmccRtp rtp = {.payload_type = feed->session.payload_type,
    .sequence = feed->sequence[layer]++,.timestamp = 450 * number,
    .ssrc = lmcc_session_ssrc (&feed->session, 0, layer),
    .payload_size = 8 + number % 50,
  };

  feed->anchor += klass == 0;
  *header = start_header (feed, LMCC_PACKET_MEDIA, layer);
  header->first = header->last = TRUE;
  header->stream = 0;
  header->klass = (guint8) klass;
  header->switch_point = klass > 0 || number % KEY_INTERVAL == 0;
  for (i = 0; i < sizeof (payload); i++)
    payload[i] = (guint8) (number * 31 + i * 7);
  memcpy (payload, &number, sizeof (number));
  feed->next++;

  return lmcc_rtp_build (&rtp, header, feed->session.header_id, payload);
}

static void
send_media (Feed * feed)
{
  guint number = feed->next;
  LmccHeader header;
  LmccPacket *packet;
  LmccTime sent;

  run_until (feed, feed->now + STEP);
  sent = feed->now;
  g_array_append_val (feed->sent, sent);
  packet = make_media (feed, &header);
  if (feed->lose == NULL || !feed->lose (feed, &header, number))
    arrive (feed, group_of (feed, &header), packet);
  else
    g_array_append_val (feed->losses, number);
  if (feed->n_repair > 0) {
    g_ptr_array_add (feed->block[header.layer], lmcc_packet_ref (packet));
    if (feed->block[header.layer]->len == feed->n_source)
      end_block (feed, header.layer);
  }
  lmcc_packet_unref (packet);
}

static void
send_many (Feed * feed, guint n)
{
  while (n-- > 0)
    send_media (feed);
}

static void
finish (Feed * feed)
{
  feed->lose = NULL;
  send_many (feed, 8 * feed->n_source);
  run_until (feed, feed->now + 2 * LMCC_SECOND);
}

static void
prepare (Feed * feed, guint n_layers, guint n_source, guint n_repair)
{
  guint i;

  memset (feed, 0, sizeof (*feed));
  lmcc_session_init (&feed->session);
  fail_unless (lmcc_address_parse ("239.42.7.1", &feed->session.address));
  fail_unless (lmcc_address_parse ("10.0.0.1", &feed->source));
  feed->session.source = feed->source;
  feed->session.port = 5004;
  feed->session.ssrc_base = SSRC_BASE;
  feed->session.n_layers = feed->session.n_groups = n_layers;
  g_strlcpy (feed->session.video.encoding_name, "H264",
      sizeof (feed->session.video.encoding_name));
  feed->session.video.clock_rate = 90000;
  for (i = 0; i < n_layers; i++)
    feed->session.layers[i] = (LmccLayer) {
    100000, 0, (guint8) i};
  feed->session.repair = 300;
  feed->session.repair_delay = REPAIR_DELAY;
  feed->n_source = n_source;
  feed->n_repair = n_repair;
  feed->repair_layer = G_MAXUINT;
  feed->now = 10 * LMCC_SECOND;
  feed->dice = g_rand_new_with_seed (5);
  for (i = 0; i < MAX_LAYERS; i++) {
    feed->block[i] =
        g_ptr_array_new_with_free_func ((GDestroyNotify) lmcc_packet_unref);
    feed->lsn[i] = (guint16) (65500 + i);
    feed->sequence[i] = (guint16) (65530 - i);
  }
  feed->sent = g_array_new (FALSE, FALSE, sizeof (LmccTime));
  feed->losses = g_array_new (FALSE, FALSE, sizeof (guint));
  feed->deliveries = g_array_new (FALSE, FALSE, sizeof (Delivery));
  feed->levels = g_array_new (FALSE, FALSE, sizeof (gint));
}

static void
start (Feed * feed, const gchar * algorithm)
{
  LmccReceiverConfig config = {.address = feed->session.address,
    .session = &feed->session,.algorithm = algorithm,
    .rtt_mode = LMCC_RTT_MODE_FIXED,.fixed_rtt = 60 * LMCC_MSECOND,
    .latency = LATENCY,.max_level = -1,.on_loss = LMCC_ON_LOSS_CONCEAL,
  };

  fail_unless (lmcc_session_validate (&feed->session, NULL));
  feed->receiver = lmcc_receiver_new (&config);
  lmcc_receiver_start (feed->receiver, feed->now);
  drain (feed);
}

static void
feed_clear (Feed * feed)
{
  guint i;

  lmcc_receiver_free (feed->receiver);
  g_rand_free (feed->dice);
  for (i = 0; i < MAX_LAYERS; i++)
    g_ptr_array_unref (feed->block[i]);
  g_array_unref (feed->sent);
  g_array_unref (feed->losses);
  g_array_unref (feed->deliveries);
  g_array_unref (feed->levels);
}

static LmccReceiverStats
stats_of (Feed * feed)
{
  LmccReceiverStats stats;

  lmcc_receiver_get_stats (feed->receiver, feed->now, &stats);

  return stats;
}

static LmccRepairClassStats
sum_of (Feed * feed)
{
  LmccReceiverStats stats = stats_of (feed);
  LmccRepairClassStats sum = { 0 };
  guint i;

  for (i = 0; i < LMCC_MAX_CLASSES; i++) {
    sum.lost += stats.repair.classes[i].lost;
    sum.repaired += stats.repair.classes[i].repaired;
    sum.late += stats.repair.classes[i].late;
    sum.beyond_repair += stats.repair.classes[i].beyond_repair;
  }

  return sum;
}

static const Delivery *
find_delivery (Feed * feed, guint number)
{
  guint i;

  for (i = 0; i < feed->deliveries->len; i++) {
    const Delivery *delivery = &g_array_index (feed->deliveries, Delivery, i);

    if (delivery->number == number)
      return delivery;
  }

  return NULL;
}

static LmccTime
sent_at (Feed * feed, guint number)
{
  return g_array_index (feed->sent, LmccTime, number);
}

/* Each packet at most once, in order, and in time; all from the first one on
 * but for @n_missing. */
static void
check_deliveries (Feed * feed, guint n_missing)
{
  guint i, begin = G_MAXUINT, last = 0;

  for (i = 0; i < feed->deliveries->len; i++) {
    const Delivery *delivery = &g_array_index (feed->deliveries, Delivery, i);

    if (i == 0)
      begin = delivery->number;
    else
      fail_unless (delivery->number > last, "%u after %u", delivery->number,
          last);
    last = delivery->number;
    fail_unless (delivery->at <= sent_at (feed, delivery->number) +
        REPAIR_DELAY + LATENCY - RESERVE, "%u", delivery->number);
  }
  fail_unless_equals_int (feed->deliveries->len, last + 1 - begin - n_missing);
}

static gboolean
lose_some (Feed * feed, const LmccHeader * header, guint number)
{
  const gdouble *loss = feed->lose_data;

  return g_rand_double (feed->dice) < *loss;
}

typedef struct
{
  guint numbers[16];
  guint n;
  guint repair_from;            /* of each block, repair from this index on */
} Selected;

static gboolean
lose_selected (Feed * feed, const LmccHeader * header, guint number)
{
  const Selected *selected = feed->lose_data;
  guint i;

  if (header->type == LMCC_PACKET_REPAIR)
    return number >= selected->repair_from;
  for (i = 0; i < selected->n; i++) {
    if (selected->numbers[i] == number)
      return TRUE;
  }

  return FALSE;
}

/* A receiver to which nothing else is lost. */
static void
start_losing (Feed * feed, guint n_layers, guint n_source, guint n_repair,
    Selected * selected)
{
  prepare (feed, n_layers, n_source, n_repair);
  feed->lose = lose_selected;
  feed->lose_data = selected;
  start (feed, "none");
}

GST_START_TEST (what_is_lost_comes_back_in_its_place_and_in_time)
{
  gdouble loss = 0.03;
  LmccRepairClassStats sum;
  guint n_layers;

  for (n_layers = 1; n_layers <= 3; n_layers++) {
    LmccReceiverStats stats;
    Feed feed;

    prepare (&feed, n_layers, 8, 4);
    start (&feed, "none");
    send_many (&feed, KEY_INTERVAL);
    feed.lose = lose_some;
    feed.lose_data = &loss;
    send_many (&feed, test_rounds (4000) / KEY_INTERVAL * KEY_INTERVAL);
    finish (&feed);
    sum = sum_of (&feed);
    stats = stats_of (&feed);
    fail_unless (feed.losses->len > 5);
    fail_unless_equals_uint64 (sum.lost, feed.losses->len);
    fail_unless_equals_uint64 (sum.repaired, feed.losses->len);
    fail_unless_equals_uint64 (sum.late + sum.beyond_repair, 0);
    fail_unless (stats.lost >= feed.losses->len);
    fail_unless_equals_uint64 (stats.repair.invalid, 0);
    fail_unless_equals_uint64 (stats.gate.units_corrupted, 0);
    check_deliveries (&feed, 0);
    feed_clear (&feed);
  }
}

GST_END_TEST;

GST_START_TEST (beyond_repair_is_given_up_with_the_last_repair_packet)
{
  Selected selected = { {114, 116}, 2, G_MAXUINT };
  const Delivery *delivery;
  LmccRepairClassStats sum;
  Feed feed;

  /* 112, 114 ... 126 are a block of the base, with one repair packet. */
  start_losing (&feed, 2, 8, 1, &selected);
  send_many (&feed, 240);
  finish (&feed);
  sum = sum_of (&feed);
  fail_unless_equals_uint64 (sum.lost, 2);
  fail_unless_equals_uint64 (sum.beyond_repair, 2);
  check_deliveries (&feed, 2);
  delivery = find_delivery (&feed, 118);
  fail_unless (delivery != NULL);
  fail_unless_equals_uint64 (delivery->at, sent_at (&feed, 126));
  feed_clear (&feed);
}

GST_END_TEST;

GST_START_TEST (the_repair_of_the_next_block_ends_that_of_a_block)
{
  Selected selected = { {114, 116}, 2, 1 };
  const Delivery *delivery;
  Feed feed;

  /* 112, 114 ... 126 are a block of the base, the next is up to 142; the last
   * repair packet of each is lost. */
  start_losing (&feed, 2, 8, 2, &selected);
  send_many (&feed, 240);
  finish (&feed);
  fail_unless_equals_uint64 (sum_of (&feed).beyond_repair, 2);
  check_deliveries (&feed, 2);
  delivery = find_delivery (&feed, 118);
  fail_unless (delivery != NULL);
  /* What is missing before it may be late itself for a few packets. */
  fail_unless (delivery->at >= sent_at (&feed, 142));
  fail_unless (delivery->at <= sent_at (&feed, 158));
  feed_clear (&feed);
}

GST_END_TEST;

GST_START_TEST (repair_that_never_comes_holds_nothing_beyond_its_time)
{
  Selected selected = { {124}, 1, 0 };
  const Delivery *delivery;
  Feed feed;

  start_losing (&feed, 2, 8, 2, &selected);
  send_many (&feed, 240);
  finish (&feed);
  fail_unless_equals_uint64 (sum_of (&feed).beyond_repair, 1);
  check_deliveries (&feed, 1);
  /* It waits until its time is up, and no longer. */
  delivery = find_delivery (&feed, 125);
  fail_unless (delivery != NULL);
  fail_unless (delivery->at > sent_at (&feed, 125) + REPAIR_DELAY);
  feed_clear (&feed);
}

GST_END_TEST;

/* When the time of the first hole is up, the second one's is not. */
GST_START_TEST (giving_up_one_hole_leaves_the_next_open)
{
  Selected selected = { {110, 194}, 2, 0 };
  Feed feed;

  /* The base's blocks are 96 to 126 and 192 to 222. */
  start_losing (&feed, 2, 16, 2, &selected);
  send_many (&feed, 140);
  selected.repair_from = G_MAXUINT;
  send_many (&feed, 80);
  fail_unless (find_delivery (&feed, 112) != NULL);
  fail_unless (find_delivery (&feed, 196) == NULL);
  send_many (&feed, 120);
  finish (&feed);
  fail_unless_equals_uint64 (sum_of (&feed).beyond_repair, 1);
  fail_unless_equals_uint64 (sum_of (&feed).repaired, 1);
  check_deliveries (&feed, 1);
  feed_clear (&feed);
}

GST_END_TEST;

GST_START_TEST (nobody_waits_for_what_repair_cannot_give)
{
  Selected selected = { {0}, 0, 0 };
  guint i;
  Feed feed;

  /* All repair is lost, and nothing else. */
  start_losing (&feed, 2, 8, 2, &selected);
  send_many (&feed, 480);
  finish (&feed);
  fail_unless_equals_uint64 (sum_of (&feed).lost, 0);
  check_deliveries (&feed, 0);
  for (i = 0; i < feed.deliveries->len; i++) {
    const Delivery *delivery = &g_array_index (feed.deliveries, Delivery, i);

    /* Behind the last packets nothing tells that a layer has passed. */
    fail_unless (delivery->number >= 480
        || delivery->at <= sent_at (&feed, delivery->number) +
        LMCC_LOSS_TIMEOUT, "%u", delivery->number);
  }
  feed_clear (&feed);
}

GST_END_TEST;

GST_START_TEST (control_hears_the_same_with_and_without_repair)
{
  static const gchar *const algorithms[] = { "elm", "none" };
  gdouble loss = 0.02;
  guint which;

  for (which = 0; which < G_N_ELEMENTS (algorithms); which++) {
    Feed feeds[2];
    guint round, i;

    for (i = 0; i < 2; i++) {
      prepare (&feeds[i], 3, 8, 4);
      feeds[i].session.repair = i == 0 ? 300 : 0;
      start (&feeds[i], algorithms[which]);
      send_many (&feeds[i], KEY_INTERVAL);
      feeds[i].lose = lose_some;
      feeds[i].lose_data = &loss;
    }
    for (round = 0; round < 100; round++) {
      LmccReceiverStats a, b;

      for (i = 0; i < 2; i++)
        send_many (&feeds[i], 40);
      a = stats_of (&feeds[0]);
      b = stats_of (&feeds[1]);
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
    fail_unless (sum_of (&feeds[0]).repaired > 20);
    fail_unless_equals_uint64 (sum_of (&feeds[1]).repaired, 0);
    fail_unless (sum_of (&feeds[1]).beyond_repair > 20);
    for (i = 0; i < 2; i++)
      feed_clear (&feeds[i]);
  }
}

GST_END_TEST;

GST_START_TEST (who_joins_in_the_middle_waits_for_nothing_it_missed)
{
  Feed feed;
  guint i;

  prepare (&feed, 2, 8, 3);
  start (&feed, "none");
  /* The first packets of its blocks went by before. */
  feed.lose = lose_some;
  feed.lose_data = &(gdouble) {
  1.0};
  send_many (&feed, KEY_INTERVAL - 4);
  feed.lose = NULL;
  send_many (&feed, 4 * KEY_INTERVAL);
  finish (&feed);
  fail_unless_equals_uint64 (sum_of (&feed).lost, 0);
  fail_unless_equals_uint64 (stats_of (&feed).repair.invalid, 0);
  fail_unless_equals_int (g_array_index (feed.deliveries, Delivery, 0).number,
      KEY_INTERVAL);
  check_deliveries (&feed, 0);
  for (i = 0; i < feed.deliveries->len; i++) {
    const Delivery *delivery = &g_array_index (feed.deliveries, Delivery, i);

    fail_unless (delivery->number >= 4 * KEY_INTERVAL
        || delivery->at <= sent_at (&feed, delivery->number) + 2 * STEP);
  }
  feed_clear (&feed);
}

GST_END_TEST;

GST_START_TEST (repair_may_be_in_a_higher_layer_than_what_it_repairs)
{
  Selected selected = { {124, 128, 181}, 3, G_MAXUINT };
  Feed feed;

  prepare (&feed, 2, 8, 2);
  feed.repair_layer = 1;
  feed.lose = lose_selected;
  feed.lose_data = &selected;
  start (&feed, "none");
  send_many (&feed, 240);
  finish (&feed);
  fail_unless_equals_uint64 (sum_of (&feed).repaired, 3);
  check_deliveries (&feed, 0);
  feed_clear (&feed);
}

GST_END_TEST;

GST_START_TEST (repair_of_layers_not_held_is_let_go)
{
  Selected selected = { {125, 129, 184}, 3, G_MAXUINT };
  Feed feed;

  prepare (&feed, 2, 8, 2);
  feed.repair_layer = 0;
  feed.lose = lose_selected;
  feed.lose_data = &selected;
  start (&feed, "none");
  lmcc_receiver_set_max_level (feed.receiver, 0, feed.now);
  send_many (&feed, 240);
  finish (&feed);
  fail_unless_equals_uint64 (sum_of (&feed).repaired, 1);
  fail_unless_equals_uint64 (sum_of (&feed).lost, 1);
  fail_unless_equals_uint64 (stats_of (&feed).repair.invalid, 0);
  feed_clear (&feed);
}

GST_END_TEST;

static void
check_all_until (Feed * feed, guint from, guint end, guint but)
{
  guint i;

  for (i = from; i < end; i++)
    fail_unless ((find_delivery (feed, i) != NULL) == (i != but), "%u", i);
}

/* 113, 115 ... 127 are a block of layer 1, and 112, 114 ... 126 one of the
 * base. */
GST_START_TEST (what_waits_in_a_layer_that_is_left_still_comes_out)
{
  static const guint lost[] = { 117, 114 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (lost); i++) {
    Selected selected = { {lost[i]}, 1, G_MAXUINT };
    Feed feed;
    guint last;

    prepare (&feed, 2, 8, 2);
    feed.lose = lose_selected;
    feed.lose_data = &selected;
    start (&feed, "none");
    send_many (&feed, 122);
    fail_unless (find_delivery (&feed, 121) == NULL);
    lmcc_receiver_set_max_level (feed.receiver, 0, feed.now);
    drain (&feed);
    send_many (&feed, 118);
    finish (&feed);
    /* The base's loss comes back: what repairs it is still heard. */
    check_all_until (&feed, 60, 122, i == 0 ? 117 : G_MAXUINT);
    for (last = 122; last < 240; last++)
      fail_unless ((find_delivery (&feed, last) != NULL) == (last % 2 == 0));
    fail_unless_equals_uint64 (stats_of (&feed).gate.units_corrupted, 0);
    feed_clear (&feed);
  }
}

GST_END_TEST;

/* It is joined again while packets from before still wait: what it sent
 * meanwhile is missing behind these. */
GST_START_TEST (a_layer_that_is_joined_again_begins_anew)
{
  Selected selected = { {114}, 1, 0 };
  const Delivery *delivery;
  guint i, last = 0;
  Feed feed;

  start_losing (&feed, 3, 8, 2, &selected);
  send_many (&feed, 122);
  lmcc_receiver_set_max_level (feed.receiver, 1, feed.now);
  lmcc_receiver_set_max_level (feed.receiver, 0, feed.now);
  send_many (&feed, 10);
  lmcc_receiver_set_max_level (feed.receiver, 2, feed.now);
  drain (&feed);
  send_many (&feed, 240);
  finish (&feed);
  for (i = 0; i < feed.deliveries->len; i++) {
    delivery = &g_array_index (feed.deliveries, Delivery, i);
    fail_unless (i == 0 || delivery->number > last);
    last = delivery->number;
  }
  check_all_until (&feed, 142, 372, G_MAXUINT);
  feed_clear (&feed);
}

GST_END_TEST;

/* FLID-DL: the groups change the layers that they carry ten times in a
 * second. */
GST_START_TEST (blocks_live_across_the_slots_of_turning_groups)
{
  gdouble loss = 0.03;
  GError *error = NULL;
  Feed feed;
  guint i;

  prepare (&feed, 3, 8, 4);
  feed.session.native = FALSE;
  feed.session.window = REPAIR_DELAY;
  feed.session.repair_delay = 0;
  g_strlcpy (feed.session.algorithm, "flid-dl",
      sizeof (feed.session.algorithm));
  for (i = 0; i < 3; i++)
    feed.session.layers[i] = (LmccLayer) {
    500000, LMCC_STREAM_NONE, LMCC_CLASS_MIXED};
  fail_unless (lmcc_session_fit_algorithm (&feed.session, 0, 0, &error),
      "%s", error ? error->message : "");
  fail_unless (feed.session.turning_groups > 0);
  fail_unless (lmcc_dynamic_layering_from_session (&feed.layering,
          &feed.session, NULL));
  feed.slot = feed.session.slot;
  start (&feed, "none");
  send_many (&feed, 4 * KEY_INTERVAL);
  feed.lose = lose_some;
  feed.lose_data = &loss;
  send_many (&feed, test_rounds (4000) / KEY_INTERVAL * KEY_INTERVAL);
  finish (&feed);
  fail_unless (feed.losses->len > 5);
  fail_unless_equals_uint64 (sum_of (&feed).repaired, feed.losses->len);
  fail_unless_equals_uint64 (stats_of (&feed).gate.units_corrupted, 0);
  feed_clear (&feed);
}

GST_END_TEST;

/* A packet that was counted as lost comes all the same: while its place is
 * open, or when its repair has come. */
GST_START_TEST (nothing_is_given_out_twice)
{
  guint repaired;

  for (repaired = 0; repaired < 2; repaired++) {
    Selected selected = { {0}, 0, repaired ? G_MAXUINT : 0 };
    LmccPacket *lost = NULL;
    LmccHeader header;
    Feed feed;

    prepare (&feed, 1, 8, 2);
    feed.lose = lose_selected;
    feed.lose_data = &selected;
    start (&feed, "none");
    send_many (&feed, 121);
    run_until (&feed, feed.now + STEP);
    g_array_append_val (feed.sent, feed.now);
    lost = make_media (&feed, &header);
    g_ptr_array_add (feed.block[0], lmcc_packet_ref (lost));
    send_many (&feed, 8);
    fail_unless ((find_delivery (&feed, 122) != NULL) == (repaired > 0));
    arrive (&feed, 0, lost);
    fail_unless (find_delivery (&feed, 121) != NULL);
    fail_unless (find_delivery (&feed, 122) != NULL);
    send_many (&feed, 100);
    arrive (&feed, 0, lost);
    finish (&feed);
    fail_unless (stats_of (&feed).layers[0].lost >= 1);
    fail_unless_equals_uint64 (sum_of (&feed).repaired, repaired);
    fail_unless_equals_uint64 (sum_of (&feed).lost, repaired);
    check_deliveries (&feed, 0);
    lmcc_packet_unref (lost);
    feed_clear (&feed);
  }
}

GST_END_TEST;

GST_START_TEST (repair_that_comes_late_is_counted_and_not_given_out)
{
  Selected selected = { {124}, 1, 0 };
  g_autoptr (GPtrArray) payloads = NULL;
  guint i;
  Feed feed;

  start_losing (&feed, 1, 8, 1, &selected);
  send_many (&feed, 120);
  send_many (&feed, 7);
  payloads = lmcc_repair_encode ((LmccPacket **) feed.block[0]->pdata, 7, 1, 1);
  /* Just after its time was up, but while the block is still remembered. */
  for (i = 0; find_delivery (&feed, 125) == NULL; i++) {
    fail_unless (i < 200);
    send_media (&feed);
  }
  selected.repair_from = G_MAXUINT;
  send_repair (&feed, 0, g_ptr_array_index (payloads, 0), 0);
  finish (&feed);
  fail_unless_equals_uint64 (sum_of (&feed).late, 1);
  fail_unless_equals_uint64 (sum_of (&feed).beyond_repair, 0);
  fail_unless_equals_uint64 (sum_of (&feed).lost, 1);
  check_deliveries (&feed, 1);
  feed_clear (&feed);
}

GST_END_TEST;

static void
corrupt (Feed * feed, guint8 * data, gsize size, guint way)
{
  guint i;

  switch (way % 4) {
    case 0:                    /* somewhere in what tells the block */
      data[g_rand_int_range (feed->dice, 0, LMCC_REPAIR_HEADER_SIZE)] =
          g_rand_int (feed->dice) & 0xff;
      break;
    case 1:                    /* repair of another stream or layer */
      data[0] = g_rand_int (feed->dice) & 0xff;
      data[1] ^= (g_rand_int (feed->dice) & 0x0f) << 4;
      break;
    case 2:                    /* another block */
      data[2] = g_rand_int (feed->dice) & 0xff;
      break;
    default:
      for (i = 0; i < size; i++)
        data[i] = g_rand_int (feed->dice) & 0xff;
      break;
  }
}

/* Whatever comes as repair: only what was sent goes out. drain() looks at each
 * byte. */
GST_START_TEST (hostile_repair_never_gets_into_the_stream)
{
  gdouble loss = 0.05;
  guint way, i;

  for (way = 0; way < 4; way++) {
    guint8 payload[120] = { 0 };
    Feed feed;

    prepare (&feed, 2, 8, 0);
    start (&feed, "none");
    send_many (&feed, KEY_INTERVAL);
    feed.lose = lose_some;
    feed.lose_data = &loss;
    for (i = 0; i < 600; i++) {
      LmccRepairPayload values = {.source = (guint16) (i % 2),
        .first = (guint16) (feed.sequence[i % 2] - 8),.n_source = 8,.step = 1,
        .index = (guint8) (i % 4),.n_repair = 4,
        .symbol_size = sizeof (payload) - LMCC_REPAIR_HEADER_SIZE,
      };
      LmccPacket *packet;
      guint j;

      send_media (&feed);
      for (j = LMCC_REPAIR_HEADER_SIZE; j < sizeof (payload); j++)
        payload[j] = g_rand_int (feed.dice) & 0xff;
      lmcc_repair_payload_write (&values, payload);
      corrupt (&feed, payload, sizeof (payload), way);
      packet = lmcc_packet_new_copy (payload, sizeof (payload));
      send_repair (&feed, i % 2, packet, 0);
      lmcc_packet_unref (packet);
    }
    finish (&feed);
    fail_unless_equals_uint64 (sum_of (&feed).repaired, 0);
    fail_unless_equals_uint64 (sum_of (&feed).late, 0);
    fail_unless (stats_of (&feed).repair.received > 500);
    /* A block that nobody has packets of is no worse than a lost one. */
    fail_unless (way == 2 || stats_of (&feed).repair.invalid > 0);
    feed_clear (&feed);
  }
}

GST_END_TEST;

/* Of this SSRC, with this number, but with a place that was never empty, or not
 * between its neighbours. */
GST_START_TEST (a_recovered_packet_with_a_foreign_place_is_refused)
{
  static const gint lsn_off[] = { -3, 2, 300, 0 };
  static const gint osn_off[] = { 0, 0, 0, 40 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (lsn_off); i++) {
    Selected selected = { {124}, 1, 0 };
    g_autoptr (GPtrArray) payloads = NULL;
    LmccPacket *forged;
    Feed feed;
    LmccRtp rtp;
    LmccHeader header;

    prepare (&feed, 1, 16, 1);
    feed.lose = lose_selected;
    feed.lose_data = &selected;
    start (&feed, "none");
    /* The block of 112 to 127. */
    send_many (&feed, 127);
    fail_unless_equals_int (feed.block[0]->len, 15);
    forged = g_ptr_array_index (feed.block[0], 12);
    fail_unless (lmcc_rtp_parse (forged->data, forged->size, 1, &rtp));
    fail_unless (lmcc_header_parse (rtp.element, rtp.element_size, &header));
    header.lsn += lsn_off[i];
    header.osn += osn_off[i];
    lmcc_header_write (&header, (guint8 *) rtp.element);
    payloads = lmcc_repair_encode ((LmccPacket **) feed.block[0]->pdata, 15, 1,
        1);
    selected.repair_from = G_MAXUINT;
    send_repair (&feed, 0, g_ptr_array_index (payloads, 0), 0);
    g_ptr_array_set_size (feed.block[0], 0);
    finish (&feed);
    fail_unless_equals_uint64 (sum_of (&feed).repaired, 0);
    if (lsn_off[i] >= 0)
      fail_unless_equals_uint64 (stats_of (&feed).repair.invalid, 1);
    check_deliveries (&feed, 1);
    feed_clear (&feed);
  }
}

GST_END_TEST;

GST_START_TEST (the_latency_includes_the_repair_delay)
{
  Feed feed;

  prepare (&feed, 1, 8, 1);
  start (&feed, "none");
  send_many (&feed, 1);
  fail_unless_equals_uint64 (lmcc_receiver_get_latency (feed.receiver),
      LATENCY + REPAIR_DELAY);
  feed_clear (&feed);
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
  tcase_add_test (chain, repair_of_layers_not_held_is_let_go);
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
