/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_LOSS_H
#define LMCC_LOSS_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccLoss:
 * @lsn: the first lost packet
 * @count: how many were lost in a row, at least 1
 * @before: when the packet before the gap came
 * @span: from then to the packet behind the gap, in ns
 * @gap: by how much the numbers of these two differ, at least 1
 * @index: by how much @lsn differs from the one before the gap
 *
 * A run of lost packets. When each of them would have come is interpolated between
 * the neighbours of the gap (RFC 4654 section 5.2).
 */
typedef struct
{
  guint16 lsn;
  guint count;
  LmccTime before;
  LmccTime span;
  guint gap;
  guint index;
} LmccLoss;

LMCC_API LmccLoss lmcc_loss_at (LmccTime time, guint count);
LMCC_API LmccTime lmcc_loss_get_time (const LmccLoss * loss, guint i);
LMCC_API LmccTime lmcc_loss_get_last_time (const LmccLoss * loss);
LMCC_API guint lmcc_loss_count_before (const LmccLoss * loss, LmccTime time);
LMCC_API void lmcc_loss_drop_first (LmccLoss * loss, guint n);

G_END_DECLS

#endif
