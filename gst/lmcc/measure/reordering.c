/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When a packet counts as lost: according to RFC 5348 section 5.1 as long as
 * packets arrive in order, and according to the reordering window of RFC
 * 8985 (RACK-TLP) otherwise. RACK learns from DSACK that it waited too short
 * a time, and lengthens its window step by step. Here the late packet itself
 * shows how long would have been enough.
 */
#include "measure/reordering.h"

#include "measure/loss.h"

/* RACK limits its window by SRTT. A receiver may have no round-trip time,
 * and a forged one would be no limit; packets missing for LMCC_LOSS_TIMEOUT
 * count as lost anyway, for layers with few packets, and all algorithms
 * allow for losses that show that late. An overload is detected at most this
 * much later, and a level that does not fit may be held for two seconds. So
 * no late packet, genuine or forged, hides an overload. */
#define MAX_WINDOW LMCC_LOSS_TIMEOUT

/* Margin, because the next packet may be later than earlier ones: RACK's
 * step is a quarter of a round-trip time, this one a quarter of the
 * lateness. */
#define MARGIN 4

/* A window is valid for one to two periods of this many losses (RFC 8985
 * section 6.2 step 4: 16 loss recoveries). Losses within MAX_WINDOW count
 * once: a full queue loses 16 packets in no time. As long as nothing is
 * lost, a window does no harm. */
#define PERIOD 16

/**
 * lmcc_reordering_late:
 * @reordering: reordering state of a path
 * @lateness: time from the packet that revealed the gap to the one that filled
 *     it, in ns
 *
 * Call it when a packet arrives, for the first time, that %LMCC_LOSS_THRESHOLD
 * later ones of its layer had overtaken. A lateness above the longest possible
 * window has no effect.
 */
void
lmcc_reordering_late (LmccReordering *reordering, LmccTime lateness)
{
  if (lateness <= MAX_WINDOW)
    reordering->longest[0] = MAX (reordering->longest[0], lateness);
}

/**
 * lmcc_reordering_lose:
 * @reordering: reordering state of a path
 * @now: the time
 *
 * Call it when packets are declared lost.
 */
void
lmcc_reordering_lose (LmccReordering *reordering, LmccTime now)
{
  if (lmcc_reordering_get_window (reordering) == 0
      || (reordering->n_losses > 0 && now < reordering->last_loss + MAX_WINDOW))
    return;
  reordering->last_loss = now;
  if (++reordering->n_losses <= PERIOD)
    return;
  reordering->n_losses = 1;
  reordering->longest[1] = reordering->longest[0];
  reordering->longest[0] = 0;
}

/**
 * lmcc_reordering_get_window:
 * @reordering: reordering state of a path
 *
 * Returns: how long to wait for a packet that others have overtaken, in ns, at
 * most %LMCC_LOSS_TIMEOUT; 0: packets arrive in order
 */
LmccTime
lmcc_reordering_get_window (const LmccReordering *reordering)
{
  LmccTime longest = MAX (reordering->longest[0], reordering->longest[1]);

  return MIN (longest + longest / MARGIN, MAX_WINDOW);
}

/**
 * lmcc_reordering_get_wait:
 * @reordering: reordering state of a path
 * @later: number of packets of its layer that have overtaken a missing one
 *
 * Returns: time from the first of these until the missing packet counts as
 * lost, in ns
 */
LmccTime
lmcc_reordering_get_wait (const LmccReordering *reordering, guint later)
{
  return later >= LMCC_LOSS_THRESHOLD ? lmcc_reordering_get_window (reordering)
                                      : LMCC_LOSS_TIMEOUT;
}
