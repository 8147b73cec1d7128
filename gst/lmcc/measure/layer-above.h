/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether the layers of the next level already flow on the bottleneck, to other receivers
 * behind it, although competing traffic keeps a queue there, so that a train gives no
 * verdict.
 *
 * Before their train, the next level's layers send in advance what is due during the
 * train, and are silent during it (sender/trains.h). If they flow, a queue grows
 * faster before the train than during it; if not, it grows faster during the train, in
 * which the joined layers have the next level's rate.
 */
#ifndef LMCC_MEASURE_LAYER_ABOVE_H
#define LMCC_MEASURE_LAYER_ABOVE_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Delays of the last 256 ms are kept: the longest train, the packets sent before it,
 * and the settling between them take 210 ms. */
#define LMCC_LAYER_ABOVE_BINS 64

/* Number of the latest trains that count. */
#define LMCC_LAYER_ABOVE_TRAINS 10

/**
 * LmccLayerAboveBin:
 * @number: time at which its packets were sent, counted from the very first packet; -1:
 *     none
 * @sent: sum of their send times, ns
 * @delay: sum of their delays, ns
 * @n: number of packets
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
 * Recent delays, and the results of the latest trains.
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
