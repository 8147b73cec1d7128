/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_LIVE_QUEUE_H
#define LMCC_SENDER_LIVE_QUEUE_H

#include "sender/allocator.h"

G_BEGIN_DECLS

/* Greatest number of waiting packets: their order numbers are compared, so they must
 * not span half of the number range. */
#define LMCC_LIVE_QUEUE_MAX_PACKETS 16384

/* Greatest age of a packet when it is sent. */
#define LMCC_LIVE_QUEUE_LIMIT (500 * LMCC_MSECOND)

/**
 * LmccLiveQueue:
 * @limit: greatest time from a unit's decoding time to the sending of its last packet
 * @broken: bit c: further units of class c refer to a dropped one
 * @key_bytes: size of the latest key frame that was dropped; 0: none
 * @n_dropped: dropped pictures, per class
 * @n_expired: how many of these were too old; the others made room in time
 * @n_sound: dropped sound packets
 * @age_max: greatest age of a unit when a packet of it was sent
 *
 * State of the queue of a layer whose rate is not the encoder's: bounded in time, and
 * without units that decoders could not use.
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
