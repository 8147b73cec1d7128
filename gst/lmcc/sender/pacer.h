/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_PACER_H
#define LMCC_SENDER_PACER_H

#include "sender/allocator.h"

G_BEGIN_DECLS

/**
 * LmccPacer:
 * @updated: the time for which @debt is valid
 * @debt: bytes sent that the rate has not covered yet
 * @rate: bytes per nanosecond
 *
 * Even schedule of one layer: the least constant rate that sends all waiting packets by
 * their deadlines. A packet occupies the layer for size / rate, and the next one follows.
 */
typedef struct
{
  LmccTime updated;
  gdouble debt;
  gdouble rate;
} LmccPacer;

void lmcc_pacer_queue_changed (LmccPacer *pacer,
    const LmccAllocatorLayer *layer, LmccTime now);
LmccTime
lmcc_pacer_next (const LmccPacer *pacer, const LmccAllocatorLayer *layer);
void lmcc_pacer_opportunity (LmccPacer *pacer, const LmccAllocatorLayer *layer,
    LmccTime due);
void lmcc_pacer_sent (LmccPacer *pacer, gsize size);

G_END_DECLS

#endif
