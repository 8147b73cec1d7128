/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_ALLOWANCE_H
#define LMCC_RECEIVER_ALLOWANCE_H

#include <gst/lmcc/lmcc-receiver.h>

G_BEGIN_DECLS

/* Stages that a received packet passes through. */
typedef enum
{
  LMCC_RECEIVER_STAGE_SETTLE,  /* from the layer's queue to the merge */
  LMCC_RECEIVER_STAGE_PUMP,    /* from the merge to the gate */
  LMCC_RECEIVER_STAGE_DELIVER, /* from the gate to the actions */
  LMCC_RECEIVER_STAGE_DISCARD, /* freeing packets that are no longer needed */
  LMCC_RECEIVER_N_STAGES
} LmccReceiverStage;

/**
 * LmccReceiverAllowance:
 * @left: number of packets per stage that the current call may still pass on
 * @behind: packets are left for the next call
 *
 * Limits the work of one call. Thousands of packets may wait for a missing one, and all
 * become due when it arrives.
 */
typedef struct
{
  guint left[LMCC_RECEIVER_N_STAGES];
  gboolean behind;
} LmccReceiverAllowance;

void lmcc_receiver_begin_call (LmccReceiver *receiver, LmccTime now);
gboolean
lmcc_receiver_may_go_on (LmccReceiver *receiver, LmccReceiverStage stage);

G_END_DECLS

#endif
