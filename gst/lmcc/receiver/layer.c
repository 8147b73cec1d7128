/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * State of the layers. Most receivers join only few of the possible layers,
 * so the state of a layer exists only while it is joined and while something
 * of it still counts.
 */
#include "receiver/layer.h"
#include "receiver/private.h"

/* How long the state of a layer is kept after a leave: measured rates count
 * for 30 s, and a suspicion of forged numbers for 60 s. */
#define LAYER_MEMORY (60 * LMCC_SECOND)

static LmccReceiverLayer *
layer_new (LmccReceiver *receiver, const LmccLayerStats *stats)
{
  LmccReceiverLayer *layer = g_new0 (LmccReceiverLayer, 1);
  guint max_leap = receiver->config.max_leap;

  layer->account = lmcc_layer_account_new (&receiver->reordering);
  lmcc_layer_account_go_on (layer->account, stats);
  layer->bytes_before = stats->bytes;
  lmcc_probation_init (&layer->probation,
      max_leap > 0 ? max_leap : LMCC_DEFAULT_MAX_LEAP);
  lmcc_waiting_queue_init (&layer->waiting);
  lmcc_layer_holes_init (&layer->holes);

  return layer;
}

static void
layer_free (LmccReceiverLayer *layer)
{
  lmcc_layer_account_free (layer->account);
  lmcc_probation_clear (&layer->probation);
  lmcc_waiting_queue_clear (&layer->waiting);
  lmcc_layer_holes_clear (&layer->holes);
  g_free (layer->given_up);
  g_free (layer);
}

/*
 * lmcc_receiver_make_layers:
 * @receiver: a receiver
 * @layers: the layers that are joined from now on
 * @now: the time
 */
void
lmcc_receiver_make_layers (LmccReceiver *receiver, LmccLayerSet layers,
    LmccTime now)
{
  guint i;

  while (lmcc_layer_set_take (&layers, &i)) {
    if (receiver->layers[i] == NULL)
      receiver->layers[i] = layer_new (receiver, &receiver->stats.layers[i]);
    receiver->layers[i]->held_at = now;
  }
}

/* The counters stay. */
static void
forget_layer (LmccReceiver *receiver, guint index)
{
  receiver->stats.layers[index] =
      *lmcc_receiver_get_layer_stats (receiver, index);
  g_clear_pointer (&receiver->layers[index], layer_free);
}

/*
 * lmcc_receiver_forget_left_layers:
 * @receiver: a receiver
 * @now: the time
 *
 * Call it each second: frees the state of layers that were left long ago.
 */
void
lmcc_receiver_forget_left_layers (LmccReceiver *receiver, LmccTime now)
{
  guint i;

  for (i = 0; i < LMCC_MAX_LAYERS; i++) {
    LmccReceiverLayer *layer = receiver->layers[i];

    if (layer == NULL)
      continue;
    if (lmcc_layer_set_has (receiver->held, i))
      layer->held_at = now;
    else if (now >= layer->held_at + LAYER_MEMORY)
      forget_layer (receiver, i);
  }
}

/*
 * lmcc_receiver_free_layers:
 * @receiver: a receiver that has joined no layers
 */
void
lmcc_receiver_free_layers (LmccReceiver *receiver)
{
  guint i;

  for (i = 0; i < LMCC_MAX_LAYERS; i++) {
    if (receiver->layers[i] != NULL)
      forget_layer (receiver, i);
  }
}

/*
 * lmcc_receiver_layer_end:
 * @layer: a layer that was left; no more packets are accepted, and waiting
 *     ones stay in the queue
 */
void
lmcc_receiver_layer_end (LmccReceiverLayer *layer)
{
  lmcc_layer_account_reset (layer->account);
  lmcc_probation_reset (&layer->probation);
  layer->measure.running = FALSE;
}

/*
 * lmcc_receiver_layer_reset:
 * @receiver: a receiver
 * @layer: one of its layers, which starts anew with its next packet
 */
void
lmcc_receiver_layer_reset (LmccReceiver *receiver, LmccReceiverLayer *layer)
{
  lmcc_receiver_layer_end (layer);
  lmcc_waiting_queue_reset (&layer->waiting, &receiver->discard);
  lmcc_layer_holes_reset (&layer->holes);
  layer->n_given_up = 0;
  layer->repair_begun = FALSE;
  layer->mark.known = FALSE;
  layer->merged_any = FALSE;
  layer->lost_before = 0;
}

/*
 * lmcc_receiver_get_layer_stats:
 * @receiver: a receiver
 * @layer: a layer's number
 *
 * Returns: (transfer none): the layer's counters since the receiver was
 * created
 */
const LmccLayerStats *
lmcc_receiver_get_layer_stats (const LmccReceiver *receiver, guint layer)
{
  return receiver->layers[layer] != NULL
      ? lmcc_layer_account_get_stats (receiver->layers[layer]->account)
      : &receiver->stats.layers[layer];
}

/*
 * lmcc_receiver_sum_layers:
 * @receiver: a receiver
 * @received: (out): packets of all layers since the receiver was created
 * @lost: (out): lost packets of all layers
 */
void
lmcc_receiver_sum_layers (const LmccReceiver *receiver, guint64 *received,
    guint64 *lost)
{
  guint i;

  *received = *lost = 0;
  for (i = 0; i < LMCC_MAX_LAYERS; i++) {
    const LmccLayerStats *stats = lmcc_receiver_get_layer_stats (receiver, i);

    *received += stats->received;
    *lost += stats->lost;
  }
}

/*
 * lmcc_receiver_sum_lowest_level:
 * @receiver: a receiver
 *
 * Returns: sum of the counters of the base layer and of the other layers of
 * level 0, without bytes and duplicates
 */
LmccLayerStats
lmcc_receiver_sum_lowest_level (const LmccReceiver *receiver)
{
  LmccLayerSet layers =
      LMCC_LAYER_SET_BASE | lmcc_session_level_layers (&receiver->session, 0);
  LmccLayerStats sum = { 0 };
  guint i;

  while (lmcc_layer_set_take (&layers, &i)) {
    const LmccLayerStats *stats = lmcc_receiver_get_layer_stats (receiver, i);

    sum.received += stats->received;
    sum.lost += stats->lost;
    sum.late += stats->late;
    sum.restarts += stats->restarts;
  }

  return sum;
}
