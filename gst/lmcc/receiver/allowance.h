/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_ALLOWANCE_H
#define LMCC_RECEIVER_ALLOWANCE_H

#include <gst/lmcc/lmcc-receiver.h>

G_BEGIN_DECLS

/* The way of a packet that has come. */
typedef enum
{
  LMCC_RECEIVER_STAGE_SETTLE,  /* from its layer to the merge */
  LMCC_RECEIVER_STAGE_PUMP,    /* from there to the gate */
  LMCC_RECEIVER_STAGE_DELIVER, /* from there to the actions */
  LMCC_RECEIVER_STAGE_DISCARD, /* what nobody needs any more, freed */
  LMCC_RECEIVER_N_STAGES
} LmccReceiverStage;

/**
 * LmccReceiverAllowance:
 * @left: packets of each stage that the call in hand may still hand on
 * @behind: some are left for the next one
 *
 * Thousands of packets may wait for one that is missing, and go when it has
 * come.
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
