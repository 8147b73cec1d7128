/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_REPAIR_H
#define LMCC_RECEIVER_REPAIR_H

#include <gst/lmcc/lmcc-receiver.h>
#include "wire/layer-header.h"
#include "wire/rtp.h"

G_BEGIN_DECLS

void lmcc_receiver_keep_for_repair (LmccReceiver *receiver, LmccPacket *packet,
    const LmccRtp *rtp, const LmccHeader *header, LmccTime now);
gboolean lmcc_receiver_take_late (LmccReceiver *receiver, LmccPacket *packet,
    const LmccRtp *rtp, const LmccHeader *header, LmccTime now);
void lmcc_receiver_get_repair_stats (const LmccReceiver *receiver,
    LmccReceiverStats *stats);

G_END_DECLS

#endif
