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

/* Of so many holes that were given up, repair that comes late is recognized. */
#define LMCC_GIVEN_UP 256

/* What a layer carries, as sent: over the latest second, smoothed. */
typedef struct
{
  gboolean running; /* the layer is held, and a packet came */
  gboolean whole;   /* the first second has passed */
  LmccTime heard;   /* the latest packet */
  LmccTime since;   /* what is found lost was sent from then on */
  LmccTime begun;   /* the running second, and the counters then */
  guint64 received;
  guint64 bytes;
  guint64 lost;
  guint64 rate; /* bit/s; 0: not known */
  LmccTime at;  /* when it was measured */
} LmccLayerMeasure;

/* What the receiver keeps of each layer that it holds, or has held lately. */
typedef struct
{
  LmccLayerAccount *account;
  LmccProbation probation;
  LmccWaitingQueue waiting;
  LmccLayerHoles holes;
  guint16 *given_up; /* holes, the latest %LMCC_GIVEN_UP; NULL: none yet */
  guint n_given_up;
  gboolean repair_begun; /* of the block of the two below */
  guint16 repair_source; /* as the latest repair packet had them */
  guint16 repair_first;
  LmccOrderMark mark;
  gboolean merged_any;
  guint16 merged_lsn;   /* latest that went to the merge */
  guint lost_before;    /* a jump of the sequence hides so many */
  guint64 bytes_before; /* at the start of the statistics interval */
  guint64 rate;         /* over the last interval, bit/s */
  LmccLayerMeasure measure;
  guint64 smoothed_rate; /* what max-bitrate is held against */
  LmccTime smoothed_at;
  LmccTime held_at; /* at the latest look */
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
