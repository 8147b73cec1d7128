/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_LAYER_H
#define LMCC_RECEIVER_LAYER_H

#include <gst/lmcc/lmcc-receiver.h>
#include "receiver/layer-account.h"
#include "receiver/layer-holes.h"
#include "receiver/order.h"
#include "receiver/probation.h"
#include "receiver/waiting-queue.h"
#include "wire/levels.h"

G_BEGIN_DECLS

/* Number of remembered holes that were given up, to recognize repair that arrives too
 * late. */
#define LMCC_GIVEN_UP 256

/* Rate of a layer as sent: over the latest second, smoothed. */
typedef struct
{
  gboolean running; /* the layer is joined, and a packet has arrived */
  gboolean whole;   /* the first second has passed */
  LmccTime heard;   /* arrival of the latest packet */
  LmccTime since;   /* packets found lost were sent after this */
  LmccTime
      begun; /* start of the current second, and the counters at that time */
  guint64 received;
  guint64 bytes;
  guint64 lost;
  guint64 rate; /* bit/s; 0: not known */
  LmccTime at;  /* time of the measurement */
} LmccLayerMeasure;

/* State of a layer that is joined or was joined recently. */
typedef struct
{
  LmccLayerAccount *account;
  LmccProbation probation;
  LmccWaitingQueue waiting;
  LmccLayerHoles holes;
  guint16 *
      given_up; /* the latest %LMCC_GIVEN_UP holes that were given up; NULL: none
                      * yet */
  guint n_given_up;
  gboolean repair_begun; /* of the block described by the next two fields */
  guint16 repair_source; /* fields of the latest repair packet */
  guint16 repair_first;
  LmccOrderMark mark;
  gboolean merged_any;
  guint16 merged_lsn;   /* the latest packet that went to the merge */
  guint lost_before;    /* lost packets hidden by a jump of the sequence */
  guint64 bytes_before; /* at the start of the statistics interval */
  guint64 rate;         /* over the last interval, bit/s */
  LmccLayerMeasure measure;
  guint64 smoothed_rate; /* compared with max-bitrate */
  LmccTime smoothed_at;
  LmccTime held_at; /* at the latest check */
} LmccReceiverLayer;

void lmcc_receiver_make_layers (LmccReceiver *receiver, LmccLayerSet layers,
    LmccTime now);
void lmcc_receiver_forget_left_layers (LmccReceiver *receiver, LmccTime now);
void lmcc_receiver_free_layers (LmccReceiver *receiver);
void lmcc_receiver_layer_end (LmccReceiverLayer *layer);
void
lmcc_receiver_layer_reset (LmccReceiver *receiver, LmccReceiverLayer *layer);
const LmccLayerStats *
lmcc_receiver_get_layer_stats (const LmccReceiver *receiver, guint layer);
void lmcc_receiver_sum_layers (const LmccReceiver *receiver, guint64 *received,
    guint64 *lost);
LmccLayerStats lmcc_receiver_sum_lowest_level (const LmccReceiver *receiver);

G_END_DECLS

#endif
