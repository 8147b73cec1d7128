/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_MISSING_H
#define LMCC_RECEIVER_MISSING_H

#include <gst/lmcc/lmcc-receiver.h>
#include "receiver/layer.h"
#include "repair/payload.h"

G_BEGIN_DECLS

gboolean lmcc_receiver_has_repair (const LmccReceiver *receiver);
gboolean lmcc_receiver_parse_repair (const LmccReceiver *receiver,
    const LmccPacket *packet, const LmccRtp *rtp, guint carrier,
    LmccRepairPayload *payload);
void
lmcc_receiver_note_settled (LmccReceiver *receiver, LmccReceiverLayer *layer);
gboolean lmcc_receiver_awaits_repair (LmccReceiver *receiver,
    LmccReceiverLayer *layer, const LmccReceiverWaiting *waiting);
guint lmcc_receiver_give_up_before (LmccReceiver *receiver,
    LmccReceiverLayer *layer, LmccReceiverWaiting *waiting);
void lmcc_receiver_count_recovered (LmccReceiver *receiver,
    const LmccHeader *header, gboolean in_time);
void lmcc_receiver_count_late (LmccReceiver *receiver, LmccReceiverLayer *layer,
    const LmccHeader *header);

G_END_DECLS

#endif
