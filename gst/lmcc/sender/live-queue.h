/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_LIVE_QUEUE_H
#define LMCC_SENDER_LIVE_QUEUE_H

#include "sender/allocator.h"

G_BEGIN_DECLS

/* Packets that wait at most: order numbers of what waits are compared, so they
 * must not go half around. */
#define LMCC_LIVE_QUEUE_MAX_PACKETS 16384

/* So old nothing is when it leaves. */
#define LMCC_LIVE_QUEUE_LIMIT (500 * LMCC_MSECOND)

/**
 * LmccLiveQueue:
 * @limit: no packet of a unit leaves so long after its decoding time
 * @broken: bit c: units of class c that come next refer to one that was dropped
 * @key_bytes: of the latest key frame that was dropped; 0: none was
 * @n_dropped: pictures, by class
 * @n_expired: of these, units that were too old; the others made room in time
 * @n_sound: sound that was dropped
 * @age_max: the greatest age of a unit when a packet of it left
 *
 * What waits in a layer whose rate is not the encoder's: bounded in time, and
 * without what decoders could not use.
 */
typedef struct
{
  LmccTime limit;
  guint16 broken;
  gsize key_bytes;
  guint64 n_dropped[LMCC_MAX_CLASSES];
  guint64 n_expired;
  guint64 n_sound;
  LmccTime age_max;
} LmccLiveQueue;

gboolean
lmcc_live_queue_can_use (guint16 *broken, guint klass, gboolean switch_point);
gboolean lmcc_live_queue_admit (LmccLiveQueue *queue,
    const LmccAllocatorLayer *layer, const LmccUnit *unit);
void lmcc_live_queue_expire (LmccLiveQueue *queue, LmccAllocatorLayer *layer,
    LmccTime now, gdouble rate);
LmccTime lmcc_live_queue_next (const LmccLiveQueue *queue,
    const LmccAllocatorLayer *layer);
void lmcc_live_queue_note_age (LmccLiveQueue *queue,
    const LmccAllocatorLayer *layer, LmccTime now);
gboolean lmcc_live_queue_wants_key (const LmccLiveQueue *queue);

G_END_DECLS

#endif
