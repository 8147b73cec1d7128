/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether the layers of the next level flow on the bottleneck already, for other
 * receivers behind it, though a queue stands there that others fill: so that a
 * train's own verdict says nothing.
 *
 * Before its train the next level's layers send ahead what is due in it, and in
 * it they are silent (sender/trains.h). Where they flow, a queue grows faster
 * before the train than in it; where they do not, it grows faster in the train,
 * in which the layers that are held have the next level's rate.
 */
#ifndef LMCC_MEASURE_LAYER_ABOVE_H
#define LMCC_MEASURE_LAYER_ABOVE_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Delays are kept of the last 256 ms: the longest train, what is sent before it,
 * and the settling between them take 210 ms. */
#define LMCC_LAYER_ABOVE_BINS 64

/* The latest trains that count. */
#define LMCC_LAYER_ABOVE_TRAINS 10

/**
 * LmccLayerAboveBin:
 * @number: the time in which its packets were sent, counted from the first one
 *     of all; -1: none
 * @sent: the sum of the times when they were sent, ns
 * @delay: the sum of their delays, ns
 * @n: packets
 */
typedef struct
{
  gint64 number;
  gdouble sent;
  gdouble delay;
  guint n;
} LmccLayerAboveBin;

/**
 * LmccLayerAbove:
 * Delays of the last moments, and what the latest trains said.
 */
typedef struct
{
  /*< private >*/
  LmccLayerAboveBin bins[LMCC_LAYER_ABOVE_BINS];
  gdouble bends[LMCC_LAYER_ABOVE_TRAINS];
  guint n, next;
  LmccTime latest;
} LmccLayerAbove;

void lmcc_layer_above_init (LmccLayerAbove *above);
void lmcc_layer_above_packet (LmccLayerAbove *above, gint64 sent, gint64 delay);
void lmcc_layer_above_end_train (LmccLayerAbove *above, LmccTime now,
    gint64 begin, gint64 end, LmccTime length);
gboolean lmcc_layer_above_flows (const LmccLayerAbove *above, LmccTime now,
    LmccTime cycle);

G_END_DECLS

#endif
