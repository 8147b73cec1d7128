/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the layers carry: what the record announces, or what is measured where
 * that is more. A record that is wrong, honestly or not, must not make an
 * algorithm hold what the path does not carry.
 */
#include "receiver/private.h"
#include "receiver/rates.h"

/* A sender announces anew what differs by a tenth over a second
 * (sender/rate-watch); what the path bunches together is not to count either.
 * What is measured counts where it is above the announced rate by more than
 * this share of it, so that an honest session is what it announces. */
#define MARGIN 4

/* Each second of a layer counts a quarter: slowly enough for an encoder's ups
 * and downs. */
#define INTERVAL LMCC_SECOND
#define SMOOTHING 4

/* A layer that was joined is looked at after so short a time, too; then a
 * second's worth of what it announces is its encoder's to send at once, as a
 * key frame. */
#define FIRST_LOOK (100 * LMCC_MSECOND)
#define BURST LMCC_SECOND

/* What was measured of a layer is believed for so long after it was left. */
#define MEMORY (30 * LMCC_SECOND)

static guint64
bits_per_second (gdouble bits, LmccTime span)
{
  return (guint64) (bits * LMCC_SECOND / (gdouble) MAX (span, 1));
}

/* Lost packets were as large as those that came. */
static void
count_bits (const LmccReceiverLayer *layer, gdouble *received, gdouble *lost)
{
  const LmccLayerStats *stats = lmcc_layer_account_get_stats (layer->account);
  const LmccLayerMeasure *measure = &layer->measure;
  guint64 packets = stats->received - measure->received;

  *received = (gdouble) (stats->bytes - measure->bytes) * 8;
  *lost = packets == 0
      ? 0
      : *received * (gdouble) (stats->lost - measure->lost) / (gdouble) packets;
}

/* What was sent: what is found lost after a silence was sent in it. */
static guint64
get_sent_rate (const LmccReceiverLayer *layer, LmccTime now)
{
  const LmccLayerMeasure *measure = &layer->measure;
  gdouble received, lost;

  count_bits (layer, &received, &lost);

  return bits_per_second (received, now - measure->begun)
      + bits_per_second (lost, now - measure->since);
}

/* Counts from @now on; what is found lost was sent from @since on. */
static void
begin_interval (LmccReceiverLayer *layer, LmccTime since, LmccTime now)
{
  const LmccLayerStats *stats = lmcc_layer_account_get_stats (layer->account);

  layer->measure.running = TRUE;
  layer->measure.since = since;
  layer->measure.begun = now;
  layer->measure.received = stats->received;
  layer->measure.bytes = stats->bytes;
  layer->measure.lost = stats->lost;
}

/*
 * lmcc_receiver_forget_measure:
 * @layer: a layer of a sender that is not listened to any more
 */
void
lmcc_receiver_forget_measure (LmccReceiverLayer *layer)
{
  layer->measure = (LmccLayerMeasure){ 0 };
}

static guint64
reckon_rate (const LmccReceiver *receiver, guint layer, LmccTime now)
{
  guint64 announced = receiver->session.layers[layer].rate;
  const LmccLayerMeasure *measure;

  if (receiver->layers[layer] == NULL)
    return announced;
  measure = &receiver->layers[layer]->measure;
  if (measure->rate <= announced + announced / MARGIN
      || (!measure->running && now >= measure->at + MEMORY))
    return announced;

  return measure->rate;
}

/*
 * lmcc_receiver_reckon_rates:
 * @receiver: a receiver with a session
 * @now: the time
 *
 * Brings the session that the algorithms see up to date: the record's, with the
 * larger of announced and measured rates.
 */
void
lmcc_receiver_reckon_rates (LmccReceiver *receiver, LmccTime now)
{
  guint i;

  receiver->reckoned = receiver->session;
  for (i = 0; i < receiver->session.n_layers; i++)
    receiver->reckoned.layers[i].rate = reckon_rate (receiver, i, now);
}

/* What is announced is where the average begins. */
static void
take_interval (LmccReceiver *receiver, guint index, LmccTime now)
{
  LmccReceiverLayer *layer = receiver->layers[index];
  LmccLayerMeasure *measure = &layer->measure;
  guint64 rate = get_sent_rate (layer, now);
  guint64 before =
      measure->rate != 0 ? measure->rate : receiver->session.layers[index].rate;

  measure->rate =
      before == 0 ? rate : before - before / SMOOTHING + rate / SMOOTHING;
  measure->at = now;
  measure->whole = TRUE;
  begin_interval (layer, now, now);
  lmcc_receiver_reckon_rates (receiver, now);
}

/* The first second of a layer: beyond what may come at once all is rate. */
static void
look_early (LmccReceiver *receiver, guint index, LmccTime span, LmccTime now)
{
  LmccReceiverLayer *layer = receiver->layers[index];
  gdouble burst =
      (gdouble) receiver->session.layers[index].rate * BURST / LMCC_SECOND;
  gdouble received, lost, bits;

  count_bits (layer, &received, &lost);
  bits = received + lost - burst;
  if (burst <= 0 || bits <= 0
      || bits_per_second (bits, span) <= layer->measure.rate)
    return;
  layer->measure.rate = bits_per_second (bits, span);
  layer->measure.at = now;
  lmcc_receiver_reckon_rates (receiver, now);
}

/*
 * lmcc_receiver_measure_packet:
 * @receiver: a receiver
 * @index: a layer that is held, of which a packet was counted
 * @now: the time
 */
void
lmcc_receiver_measure_packet (LmccReceiver *receiver, guint index, LmccTime now)
{
  LmccReceiverLayer *layer = receiver->layers[index];
  LmccTime heard = layer->measure.heard;
  LmccTime span;

  layer->measure.heard = now;
  if (!layer->measure.running) {
    layer->measure.whole = FALSE;
    begin_interval (layer, now, now);
    return;
  }
  if (now >= heard + INTERVAL) {
    take_interval (receiver, index, now);
    begin_interval (layer, heard, now);
  }
  span = now - layer->measure.begun;
  if (span >= INTERVAL)
    take_interval (receiver, index, now);
  else if (!layer->measure.whole && span >= FIRST_LOOK)
    look_early (receiver, index, span, now);
}

/*
 * lmcc_receiver_measure_silence:
 * @receiver: a receiver with a session
 * @now: the time
 *
 * To be called each second: what does not come has no rate either.
 */
void
lmcc_receiver_measure_silence (LmccReceiver *receiver, LmccTime now)
{
  LmccLayerSet held = receiver->held;
  guint i;

  while (lmcc_layer_set_take (&held, &i)) {
    LmccReceiverLayer *layer = receiver->layers[i];

    if (layer->measure.running
        && now >= layer->measure.begun + INTERVAL + INTERVAL / 2)
      take_interval (receiver, i, now);
  }
  lmcc_receiver_reckon_rates (receiver, now);
}

/* The larger of what the sender announces and what was measured: an announced
 * rate that is too small must not get past max-bitrate. */
static guint64
get_layer_rate (const LmccReceiver *receiver, guint layer)
{
  guint64 announced = receiver->session.layers[layer].rate;

  return receiver->layers[layer] == NULL
      ? announced
      : MAX (announced, receiver->layers[layer]->smoothed_rate);
}

/*
 * lmcc_receiver_get_layers_rate:
 * @receiver: a receiver with a session
 * @layers: some of its layers
 *
 * Returns: their rate together that max-bitrate is held against, bit/s
 */
guint64
lmcc_receiver_get_layers_rate (const LmccReceiver *receiver,
    LmccLayerSet layers)
{
  guint64 rate = 0;
  guint i;

  while (lmcc_layer_set_take (&layers, &i))
    rate += get_layer_rate (receiver, i);

  return rate;
}
