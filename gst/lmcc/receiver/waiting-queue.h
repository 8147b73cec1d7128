/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_WAITING_QUEUE_H
#define LMCC_RECEIVER_WAITING_QUEUE_H

#include <gst/lmcc/lmcc-packet.h>
#include "base/discard.h"
#include "wire/layer-header.h"
#include "wire/rtp.h"

G_BEGIN_DECLS

/**
 * LmccReceiverWaiting:
 * @packet: (transfer full): the packet as received or as repaired
 * @rtp: its parsed RTP header
 * @header: its header element
 * @order: its order number, extended beyond 2^16
 * @deadline: when it stops waiting for missing packets before it, or %LMCC_TIME_NONE;
 *     constant while it is in a queue
 * @recovered: it was repaired
 * @noted: it has been reported to the layer's holes
 * @position: its layer sequence number, extended beyond 2^16; for the queue only
 * @place: its place in the order, or %NULL if it is the only one; for the queue only
 * @index: its index in the heap of deadlines; for the queue only
 *
 * A packet that waits for its place in the layer sequence.
 */
typedef struct
{
  LmccPacket *packet;
  LmccRtp rtp;
  LmccHeader header;
  gint64 order;
  LmccTime deadline;
  gboolean recovered;
  gboolean noted;
  /*< private >*/
  gint64 position;
  GSequenceIter *place;
  guint index;
} LmccReceiverWaiting;

/**
 * LmccWaitingQueue:
 * @order: LmccReceiverWaiting, owned, by layer sequence number, if there are two or more
 * @deadlines: a heap of the same packets: none is due later than those at 2 i + 1 and 2 i
 *     + 2
 * @spare: (nullable): a released packet, whose memory the next one reuses, because most
 *     packets need not wait
 *
 * The waiting packets of a layer. A packet is found by its number, and the earliest
 * deadline is found, in O(log n).
 */
typedef struct
{
  GSequence *order;
  GPtrArray *deadlines;
  LmccReceiverWaiting *spare;
} LmccWaitingQueue;

void lmcc_waiting_queue_init (LmccWaitingQueue *queue);
void lmcc_waiting_queue_clear (LmccWaitingQueue *queue);
void lmcc_waiting_queue_reset (LmccWaitingQueue *queue, LmccDiscard *discard);
guint lmcc_waiting_queue_get_length (const LmccWaitingQueue *queue);
guint lmcc_waiting_queue_get_span (const LmccWaitingQueue *queue);
LmccReceiverWaiting *lmcc_waiting_queue_new_waiting (LmccWaitingQueue *queue);
void lmcc_waiting_queue_take_back (LmccWaitingQueue *queue,
    LmccReceiverWaiting *waiting);
void
lmcc_waiting_queue_add (LmccWaitingQueue *queue, LmccReceiverWaiting *waiting);
void lmcc_waiting_queue_remove (LmccWaitingQueue *queue,
    LmccReceiverWaiting *waiting);
LmccReceiverWaiting *
lmcc_waiting_queue_find_before (const LmccWaitingQueue *queue, guint16 lsn);
LmccReceiverWaiting *
lmcc_waiting_queue_peek_head (const LmccWaitingQueue *queue);
LmccReceiverWaiting *
lmcc_waiting_queue_peek_tail (const LmccWaitingQueue *queue);
LmccReceiverWaiting *lmcc_waiting_queue_pop_head (LmccWaitingQueue *queue);
LmccReceiverWaiting *
lmcc_waiting_queue_peek_due (const LmccWaitingQueue *queue);
LmccTime lmcc_waiting_queue_next_due (const LmccWaitingQueue *queue);
LmccReceiverWaiting *lmcc_waiting_next (const LmccReceiverWaiting *waiting);
LmccReceiverWaiting *lmcc_waiting_previous (const LmccReceiverWaiting *waiting);

G_END_DECLS

#endif
