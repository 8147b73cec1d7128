/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/repair-feed.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/repair/encoder.h>
#include <gst/lmcc/wire/rtp.h>

#include <string.h>

#define SSRC_BASE 0x12345000u

/* Packets may be output this long before the latency has passed. */
#define RESERVE (50 * LMCC_MSECOND)

void
repair_feed_drain (RepairFeed *feed)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (feed->receiver, &action)) {
    if (action.type == LMCC_RECEIVER_ACTION_LEVEL)
      g_array_append_val (feed->levels, action.to);
    if (action.type == LMCC_RECEIVER_ACTION_DELIVER) {
      RepairFeedDelivery delivery = { .at = feed->now,
        .corrupted = action.corrupted };
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

/* Advances virtual time to @until. */
void
repair_feed_run_until (RepairFeed *feed, LmccTime until)
{
  LmccTime next;

  while ((next = lmcc_receiver_next_timeout (feed->receiver)) <= until) {
    feed->now = MAX (feed->now, next);
    lmcc_receiver_handle_timeout (feed->receiver, feed->now);
    repair_feed_drain (feed);
  }
  feed->now = MAX (feed->now, until);
}

static LmccHeader
start_header (RepairFeed *feed, LmccPacketType type, guint layer)
{
  LmccHeader header = {
    .type = type,
    .layer = (guint8) layer,
    .top_layer = (guint8) (feed->session.n_layers - 1),
    .signal = LMCC_SIGNAL_NOBODY,
    .stream = LMCC_STREAM_NONE,
    .lsn = feed->lsn[layer]++,
    .osn = (guint16) feed->next,
    .anchor = feed->anchor,
    .send_time = lmcc_time_to_ntp_short (feed->now),
  };

  if (feed->slot > 0)
    header.slot =
        (guint16) (feed->now / feed->slot % feed->session.slot_modulus);

  return header;
}

static guint
group_of (RepairFeed *feed, const LmccHeader *header)
{
  return feed->session.turning_groups == 0
      ? header->layer
      : lmcc_dynamic_layering_get_group (&feed->layering, header->slot,
          header->layer);
}

void
repair_feed_arrive (RepairFeed *feed, guint group, LmccPacket *packet)
{
  lmcc_receiver_handle_packet (feed->receiver, feed->now, feed->now, group,
      &feed->source, 5004, lmcc_packet_ref (packet));
  repair_feed_drain (feed);
}

/* The layer that carries a repair packet of a block of @layer. */
static guint
get_carrier (const RepairFeed *feed, guint layer, guint index)
{
  guint n_layers = feed->session.n_layers;
  guint carrier = feed->repair_layer < n_layers ? feed->repair_layer : layer;

  return index + feed->n_above < feed->n_repair
      ? carrier
      : MIN (carrier + (feed->n_above > 0), n_layers - 1);
}

void
repair_feed_send_repair (RepairFeed *feed, guint layer, LmccPacket *payload,
    guint index)
{
  guint carrier = get_carrier (feed, layer, index);
  LmccHeader header = start_header (feed, LMCC_PACKET_REPAIR, carrier);
  LmccRtp rtp = {
    .payload_type = feed->session.repair_payload_type,
    .sequence = feed->repair_sequence[carrier]++,
    .ssrc = lmcc_session_repair_ssrc (&feed->session, carrier),
    .payload_size = payload->size,
  };
  LmccPacket *packet =
      lmcc_rtp_build (&rtp, &header, feed->session.header_id, payload->data);

  if (feed->lose == NULL || !feed->lose (feed, &header, index))
    repair_feed_arrive (feed, group_of (feed, &header), packet);
  lmcc_packet_unref (packet);
}

static void
end_block (RepairFeed *feed, guint layer)
{
  g_autoptr (LmccRepairEncoder) encoder =
      lmcc_repair_encoder_new ((LmccPacket **) feed->block[layer]->pdata,
          feed->block[layer]->len, 1, feed->n_repair);
  guint8 parts[LMCC_REPAIR_MAX_CARRIERS] = { 0 };
  guint i;

  fail_unless (encoder != NULL);
  /* The header cannot name a layer below that of the source packets. */
  for (i = 0; i < feed->n_repair; i++)
    parts[MAX (get_carrier (feed, layer, i), layer) - layer]++;
  lmcc_repair_encoder_set_parts (encoder, parts);
  for (i = 0; i < feed->n_repair; i++) {
    g_autoptr (LmccPacket) payload = lmcc_repair_encoder_make (encoder, i);

    repair_feed_send_repair (feed, layer, payload, i);
  }
  g_ptr_array_set_size (feed->block[layer], 0);
}

/* Pictures of one packet, of classes 0, 1, 0, 2, ..., up to the number of
 * layers. */
LmccPacket *
repair_feed_make_media (RepairFeed *feed, LmccHeader *header)
{
  guint number = feed->next, i;
  guint klass = number % 2 == 0
      ? 0
      : 1 + (number / 2) % MAX (feed->session.n_layers - 1, 1);
  guint layer = MIN (klass, feed->session.n_layers - 1);
  guint8 payload[64];
  LmccRtp rtp = {
    .payload_type = feed->session.payload_type,
    .sequence = feed->sequence[layer]++,
    .timestamp = 450 * number,
    .ssrc = lmcc_session_ssrc (&feed->session, 0, layer),
    .payload_size = 8 + number % 50,
  };

  feed->anchor += klass == 0;
  *header = start_header (feed, LMCC_PACKET_MEDIA, layer);
  header->first = header->last = TRUE;
  header->stream = 0;
  header->klass = (guint8) klass;
  header->switch_point = (klass > 0 && !(feed->chained && klass == 1))
      || number % REPAIR_FEED_KEY_INTERVAL <= klass;
  for (i = 0; i < sizeof (payload); i++)
    payload[i] = (guint8) (number * 31 + i * 7);
  memcpy (payload, &number, sizeof (number));
  feed->next++;

  return lmcc_rtp_build (&rtp, header, feed->session.header_id, payload);
}

void
repair_feed_send (RepairFeed *feed)
{
  guint number = feed->next;
  LmccHeader header;
  LmccPacket *packet;
  LmccTime sent;

  repair_feed_run_until (feed, feed->now + REPAIR_FEED_STEP);
  sent = feed->now;
  g_array_append_val (feed->sent, sent);
  packet = repair_feed_make_media (feed, &header);
  if (feed->lose == NULL || !feed->lose (feed, &header, number))
    repair_feed_arrive (feed, group_of (feed, &header), packet);
  else
    g_array_append_val (feed->losses, number);
  if (feed->n_repair > 0) {
    g_ptr_array_add (feed->block[header.layer], lmcc_packet_ref (packet));
    if (feed->block[header.layer]->len == feed->n_source)
      end_block (feed, header.layer);
  }
  lmcc_packet_unref (packet);
}

void
repair_feed_send_many (RepairFeed *feed, guint n)
{
  while (n-- > 0)
    repair_feed_send (feed);
}

void
repair_feed_finish (RepairFeed *feed)
{
  feed->lose = NULL;
  repair_feed_send_many (feed, 8 * feed->n_source);
  repair_feed_run_until (feed, feed->now + 2 * LMCC_SECOND);
}

void
repair_feed_prepare (RepairFeed *feed, guint n_layers, guint n_source,
    guint n_repair)
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
    feed->session.layers[i] = (LmccLayer){ 100000, 0, (guint8) i };
  feed->session.repair = 300;
  feed->session.repair_delay = REPAIR_FEED_DELAY;
  feed->n_source = n_source;
  feed->n_repair = n_repair;
  feed->repair_layer = G_MAXUINT;
  feed->now = 10 * LMCC_SECOND;
  feed->dice = g_rand_new_with_seed (5);
  for (i = 0; i < REPAIR_FEED_MAX_LAYERS; i++) {
    feed->block[i] =
        g_ptr_array_new_with_free_func ((GDestroyNotify) lmcc_packet_unref);
    feed->lsn[i] = (guint16) (65500 + i);
    feed->sequence[i] = (guint16) (65530 - i);
  }
  feed->sent = g_array_new (FALSE, FALSE, sizeof (LmccTime));
  feed->losses = g_array_new (FALSE, FALSE, sizeof (guint));
  feed->deliveries = g_array_new (FALSE, FALSE, sizeof (RepairFeedDelivery));
  feed->levels = g_array_new (FALSE, FALSE, sizeof (gint));
}

void
repair_feed_start (RepairFeed *feed, const gchar *algorithm)
{
  LmccReceiverConfig config = {
    .address = feed->session.address,
    .session = &feed->session,
    .algorithm = algorithm,
    .rtt_mode = LMCC_RTT_MODE_FIXED,
    .fixed_rtt = 60 * LMCC_MSECOND,
    .latency = REPAIR_FEED_LATENCY,
    .max_level = -1,
    .on_loss = LMCC_ON_LOSS_CONCEAL,
  };

  fail_unless (lmcc_session_validate (&feed->session, NULL));
  feed->receiver = lmcc_receiver_new (&config);
  lmcc_receiver_start (feed->receiver, feed->now);
  repair_feed_drain (feed);
}

void
repair_feed_clear (RepairFeed *feed)
{
  guint i;

  lmcc_receiver_free (feed->receiver);
  g_rand_free (feed->dice);
  for (i = 0; i < REPAIR_FEED_MAX_LAYERS; i++)
    g_ptr_array_unref (feed->block[i]);
  g_array_unref (feed->sent);
  g_array_unref (feed->losses);
  g_array_unref (feed->deliveries);
  g_array_unref (feed->levels);
}

LmccReceiverStats
repair_feed_get_stats (RepairFeed *feed)
{
  LmccReceiverStats stats;

  lmcc_receiver_get_stats (feed->receiver, feed->now, &stats);

  return stats;
}

LmccRepairClassStats
repair_feed_sum_classes (RepairFeed *feed)
{
  LmccReceiverStats stats = repair_feed_get_stats (feed);
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

const RepairFeedDelivery *
repair_feed_find_delivery (RepairFeed *feed, guint number)
{
  guint i;

  for (i = 0; i < feed->deliveries->len; i++) {
    const RepairFeedDelivery *delivery =
        &g_array_index (feed->deliveries, RepairFeedDelivery, i);

    if (delivery->number == number)
      return delivery;
  }

  return NULL;
}

LmccTime
repair_feed_sent_at (RepairFeed *feed, guint number)
{
  return g_array_index (feed->sent, LmccTime, number);
}

/* Checks that each packet was output at most once, in order and in time, and
 * all from the first one on except @n_missing. */
void
repair_feed_check_deliveries (RepairFeed *feed, guint n_missing)
{
  guint i, begin = G_MAXUINT, last = 0;

  for (i = 0; i < feed->deliveries->len; i++) {
    const RepairFeedDelivery *delivery =
        &g_array_index (feed->deliveries, RepairFeedDelivery, i);

    if (i == 0)
      begin = delivery->number;
    else
      fail_unless (delivery->number > last, "%u after %u", delivery->number,
          last);
    last = delivery->number;
    fail_unless (delivery->at <= repair_feed_sent_at (feed, delivery->number)
                + REPAIR_FEED_DELAY + REPAIR_FEED_LATENCY - RESERVE,
        "%u", delivery->number);
  }
  fail_unless_equals_int (feed->deliveries->len, last + 1 - begin - n_missing);
}

gboolean
repair_feed_lose_some (RepairFeed *feed, const LmccHeader *header G_GNUC_UNUSED,
    guint number G_GNUC_UNUSED)
{
  const gdouble *loss = feed->lose_data;

  return g_rand_double (feed->dice) < *loss;
}

gboolean
repair_feed_lose_selected (RepairFeed *feed, const LmccHeader *header,
    guint number)
{
  const RepairFeedSelected *selected = feed->lose_data;
  guint i;

  if (header->type == LMCC_PACKET_REPAIR)
    return number >= selected->repair_from;
  for (i = 0; i < selected->n; i++) {
    if (selected->numbers[i] == number)
      return TRUE;
  }

  return FALSE;
}

/* A receiver without any other losses. */
void
repair_feed_start_losing (RepairFeed *feed, guint n_layers, guint n_source,
    guint n_repair, RepairFeedSelected *selected)
{
  repair_feed_prepare (feed, n_layers, n_source, n_repair);
  feed->lose = repair_feed_lose_selected;
  feed->lose_data = selected;
  repair_feed_start (feed, "none");
}
