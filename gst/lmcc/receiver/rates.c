/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The layers' rates: the larger of the announced and the measured rate. A
 * wrong record, whether by mistake or on purpose, must not make an algorithm
 * join layers that the path cannot carry.
 */
#include "receiver/private.h"
#include "receiver/rates.h"

/* A sender announces new rates when they differ by a tenth over a second
 * (sender/rate-watch), and the path may bunch packets. A measured rate
 * counts only if it exceeds the announced one by more than this fraction, so
 * that an honest session counts as announced. */
#define MARGIN 4

/* Each second of a layer counts a quarter: slow enough to smooth the
 * variation of an encoder. */
#define INTERVAL LMCC_SECOND
#define SMOOTHING 4

/* A newly joined layer is checked after this short time, too. A second's
 * worth of its announced rate may then be sent at once, as a key frame. */
#define FIRST_LOOK (100 * LMCC_MSECOND)
#define BURST LMCC_SECOND

/* How long the measured rate of a layer counts after the layer was left. */
#define MEMORY (30 * LMCC_SECOND)

static guint64
bits_per_second (gdouble bits, LmccTime span)
{
  return (guint64) (bits * LMCC_SECOND / (gdouble) MAX (span, 1));
}

/* Assumes that lost packets were as large as received ones. */
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

/* The rate as sent: packets found lost after a silence were sent during the
 * silence. */
static guint64
get_sent_rate (const LmccReceiverLayer *layer, LmccTime now)
{
  const LmccLayerMeasure *measure = &layer->measure;
  gdouble received, lost;

  count_bits (layer, &received, &lost);

  return bits_per_second (received, now - measure->begun)
      + bits_per_second (lost, now - measure->since);
}

/* Counts from @now on; packets found lost were sent after @since. */
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
 * @layer: a layer of a sender that is no longer listened to
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
 * Updates the session that the algorithms see: the record's, with the larger
 * of announced and measured rates.
 */
void
lmcc_receiver_reckon_rates (LmccReceiver *receiver, LmccTime now)
{
  guint i;

  receiver->reckoned = receiver->session;
  for (i = 0; i < receiver->session.n_layers; i++)
    receiver->reckoned.layers[i].rate = reckon_rate (receiver, i, now);
}

/* The average starts from the announced rate. */
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

/* In the first second of a layer, only bits beyond a permitted burst count
 * as rate. */
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
 * @index: index of a joined layer of which a packet was counted
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
 * Call it each second, so that the rates of silent layers decay.
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

/* The larger of the announced and the measured rate: a layer with an
 * understated rate must not evade max-bitrate. */
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
 * @layers: a set of its layers
 *
 * Returns: the total rate of @layers to compare with max-bitrate, bit/s
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
