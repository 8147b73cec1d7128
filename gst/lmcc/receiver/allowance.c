/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/allowance.h"

#include "receiver/private.h"

/* With 64 layers it takes some 6 us to find which packet is the next one, with
 * few of them 1 us; a packet that is delivered takes 0.5 us, one that is freed
 * 0.1 to 0.4, and up to 8 where it has not been touched for seconds and the
 * processor's caches are small. */
static const guint most[LMCC_RECEIVER_N_STAGES] = { 64, 64, 128, 64 };

/*
 * lmcc_receiver_begin_call:
 * @receiver: a receiver that its caller has called
 * @now: the time
 */
void
lmcc_receiver_begin_call (LmccReceiver *receiver, LmccTime now)
{
  guint i;

  receiver->now = now;
  receiver->allowance.behind = FALSE;
  for (i = 0; i < LMCC_RECEIVER_N_STAGES; i++)
    receiver->allowance.left[i] = most[i];
}

/*
 * lmcc_receiver_may_go_on:
 * @receiver: a receiver that has a packet to hand on
 * @stage: where
 *
 * Returns: whether it may do so in this call; otherwise the next one is due at
 *     once
 */
gboolean
lmcc_receiver_may_go_on (LmccReceiver *receiver, LmccReceiverStage stage)
{
  guint *left = &receiver->allowance.left[stage];

  if (*left == 0) {
    receiver->allowance.behind = TRUE;
    return FALSE;
  }
  --*left;

  return TRUE;
}
