/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When a packet counts as lost: RFC 5348 section 5.1 as long as packets come in
 * order, and the reordering window of RFC 8985 (RACK-TLP) where they do not.
 * RACK finds out by DSACK that it waited too short a time, and lengthens its
 * window step by step. Here the late packet itself says how long would have
 * been enough.
 */
#include "measure/reordering.h"

#include "measure/loss.h"

/* RACK bounds its window by SRTT. A receiver may have no round-trip time, and
 * one that anybody forges would be no bound; what is missing for
 * LMCC_LOSS_TIMEOUT counts as lost anyway, for layers with few packets, and all
 * algorithms expect losses that show that late. An overload is found later by
 * this time at most, and a level that does not fit may be held for two seconds.
 * So no late packet, genuine or forged, hides an overload. */
#define MAX_WINDOW LMCC_LOSS_TIMEOUT

/* The next packet may be later than those before: RACK's step is a quarter of a
 * round-trip time, this one a quarter of the lateness. */
#define MARGIN 4

/* A window counts for one period to two, each of so many losses (RFC 8985
 * section 6.2 step 4: 16 loss recoveries). What is lost within MAX_WINDOW is
 * one of these: a full queue loses 16 packets in no time. As long as nothing is
 * lost a window does no harm. */
#define PERIOD 16

/**
 * lmcc_reordering_late:
 * @reordering: what is known of a path
 * @lateness: from the packet that showed the gap to the one that filled it, in
 *     ns
 *
 * A packet came that %LMCC_LOSS_THRESHOLD later ones of its layer had
 * overtaken, for the first time. What is later than any window could be does
 * not make one longer.
 */
void
lmcc_reordering_late (LmccReordering *reordering, LmccTime lateness)
{
  if (lateness <= MAX_WINDOW)
    reordering->longest[0] = MAX (reordering->longest[0], lateness);
}

/**
 * lmcc_reordering_lose:
 * @reordering: what is known of a path
 * @now: the time
 *
 * Packets count as lost from now on.
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
 * @reordering: what is known of a path
 *
 * Returns: how long a packet is waited for that others have overtaken, in ns,
 *     at most %LMCC_LOSS_TIMEOUT; 0: packets come in order
 */
LmccTime
lmcc_reordering_get_window (const LmccReordering *reordering)
{
  LmccTime longest = MAX (reordering->longest[0], reordering->longest[1]);

  return MIN (longest + longest / MARGIN, MAX_WINDOW);
}

/**
 * lmcc_reordering_get_wait:
 * @reordering: what is known of a path
 * @later: packets of its layer that have overtaken a missing one
 *
 * Returns: how long after the first of these it counts as lost, in ns
 */
LmccTime
lmcc_reordering_get_wait (const LmccReordering *reordering, guint later)
{
  return later >= LMCC_LOSS_THRESHOLD ? lmcc_reordering_get_window (reordering)
                                      : LMCC_LOSS_TIMEOUT;
}
