/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/loss.h"

/**
 * lmcc_loss_at:
 * @time: when the packets would have arrived
 * @count: number of packets, at least 1
 *
 * Returns: packets lost at a single time
 */
LmccLoss
lmcc_loss_at (LmccTime time, guint count)
{
  return (LmccLoss){ .count = count, .before = time, .gap = 1, .index = 1 };
}

/**
 * lmcc_loss_get_time:
 * @loss: a run of losses
 * @i: index of one of its packets, from 0, below its count
 *
 * Interpolates the arrival time that a lost packet would have had (RFC 4654
 * section 5.2).
 *
 * Returns: when that packet would have arrived
 */
LmccTime
lmcc_loss_get_time (const LmccLoss *loss, guint i)
{
  return loss->before + loss->span * ((guint64) loss->index + i) / loss->gap;
}

/**
 * lmcc_loss_get_last_time:
 * @loss: a run of losses
 *
 * Returns: when its last packet would have arrived
 */
LmccTime
lmcc_loss_get_last_time (const LmccLoss *loss)
{
  return lmcc_loss_get_time (loss, loss->count - 1);
}

/**
 * lmcc_loss_count_before:
 * @loss: a run of losses
 * @time: a time
 *
 * Returns: number of its packets that would have arrived before @time
 */
guint
lmcc_loss_count_before (const LmccLoss *loss, LmccTime time)
{
  guint low = 0, high = loss->count;

  while (low < high) {
    guint middle = low + (high - low) / 2;

    if (lmcc_loss_get_time (loss, middle) < time)
      low = middle + 1;
    else
      high = middle;
  }

  return low;
}

/**
 * lmcc_loss_drop_first:
 * @loss: a run of losses
 * @n: number of packets to remove, below its count
 *
 * Removes the first packets of the run.
 */
void
lmcc_loss_drop_first (LmccLoss *loss, guint n)
{
  loss->lsn += (guint16) n;
  loss->index += n;
  loss->count -= n;
}
