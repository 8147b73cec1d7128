/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_DOOR_H
#define LMCC_RECEIVER_DOOR_H

#include <gst/lmcc/lmcc-receiver.h>
#include "wire/layer-header.h"
#include "wire/rtcp.h"
#include "wire/rtp.h"

G_BEGIN_DECLS

gboolean
lmcc_receiver_admits (LmccReceiver *receiver, const LmccSession *session);
gboolean lmcc_receiver_read_record (LmccReceiver *receiver,
    LmccRecordAssembler *assembler, const LmccRecordFragment *fragment,
    LmccSession *session);
gboolean lmcc_receiver_packet_fits (const LmccSession *session,
    const LmccRtp *rtp, const LmccHeader *header);
gboolean lmcc_receiver_packet_belongs (LmccReceiver *receiver,
    const LmccAddress *source, const LmccRtp *rtp, const LmccHeader *header);

G_END_DECLS

#endif
