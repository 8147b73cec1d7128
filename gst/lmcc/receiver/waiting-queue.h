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
 * @packet: (transfer full): as it came, or as it was repaired
 * @rtp: its parsed RTP header
 * @header: its element
 * @order: its order number, gone on beyond 2^16
 * @deadline: when it waits no longer for what is missing before it, or
 *     %LMCC_TIME_NONE; not to be changed while it is in a queue
 * @recovered: it was repaired
 * @noted: it is in the layer's holes
 * @position: its layer sequence number, gone on beyond 2^16; the queue's own
 * @place: in the order, or %NULL where it is alone; the queue's own
 * @index: among the deadlines; the queue's own
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
 * @order: of LmccReceiverWaiting, owned, by layer sequence number, where there
 *     are two or more
 * @deadlines: the same ones; none is due after the two at 2 i + 1 and 2 i + 2
 * @spare: (nullable): one that left: most packets wait for nothing, and each has the
 *     memory of the one before
 *
 * What waits in a layer. Each packet is found by its number, and the one that is
 * due first by its deadline, in O(log n).
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
