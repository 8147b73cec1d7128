/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_LAYER_QUEUE_H
#define LMCC_RECEIVER_LAYER_QUEUE_H

#include <gst/lmcc/lmcc-receiver.h>
#include "receiver/layer.h"

G_BEGIN_DECLS

gboolean lmcc_receiver_find_waiting (LmccReceiverLayer *layer,
    const LmccHeader *header, gint64 *order, gboolean *fits);
void lmcc_receiver_add_waiting (LmccReceiver *receiver,
    LmccReceiverLayer *layer, LmccReceiverWaiting *waiting);
void
lmcc_receiver_queue_packet (LmccReceiver *receiver, LmccReceiverLayer *layer,
    LmccPacket *packet, const LmccRtp *rtp, const LmccHeader *header);
void lmcc_receiver_take_rest (LmccReceiver *receiver, guint layer);
gboolean lmcc_receiver_flush_before (LmccReceiver *receiver, gint64 order);
gboolean
lmcc_receiver_flush_waiting (LmccReceiver *receiver, LmccReceiverLayer *layer);
void lmcc_receiver_let_go_waiting (LmccReceiver *receiver);
void lmcc_receiver_settle (LmccReceiver *receiver, guint layer, LmccTime now);

G_END_DECLS

#endif
