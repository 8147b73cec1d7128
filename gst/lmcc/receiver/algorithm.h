/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_ALGORITHM_H
#define LMCC_RECEIVER_ALGORITHM_H

#include <gst/lmcc/lmcc-receiver.h>
#include "measure/loss.h"
#include "wire/layer-header.h"
#include "wire/rtp.h"

G_BEGIN_DECLS

void lmcc_receiver_create_controller (LmccReceiver *receiver, LmccTime now);
void lmcc_receiver_clear_controller (LmccReceiver *receiver);
gboolean lmcc_receiver_judges_packets (const LmccReceiver *receiver);
gboolean lmcc_receiver_needs_sender (const LmccReceiver *receiver);
void lmcc_receiver_tell_packet (LmccReceiver *receiver, LmccTime now,
    LmccTime arrival, const LmccRtp *rtp, const LmccHeader *header, gsize size);
void lmcc_receiver_tell_expected (LmccReceiver *receiver, LmccTime now,
    guint layer, guint16 lsn, LmccTime since, guint slot);
void lmcc_receiver_tell_waiting_packet (LmccReceiver *receiver, LmccTime now,
    guint layer);
void lmcc_receiver_tell_refused_packet (LmccReceiver *receiver, LmccTime now,
    const LmccHeader *header);
void lmcc_receiver_tell_loss (LmccReceiver *receiver, LmccTime now, guint layer,
    const LmccLoss *loss);
void lmcc_receiver_tell_found (LmccReceiver *receiver, LmccTime now,
    guint layer, const LmccLoss *loss);
void lmcc_receiver_tell_left_packet (LmccReceiver *receiver, LmccTime now,
    LmccTime arrival, guint layer);
void lmcc_receiver_tell_join_lead (LmccReceiver *receiver, LmccTime now);
void lmcc_receiver_tell_neighbour_join (LmccReceiver *receiver, LmccTime now,
    guint level);
void lmcc_receiver_tell_level (LmccReceiver *receiver, LmccTime now);
void lmcc_receiver_tell_session (LmccReceiver *receiver, LmccTime now);
void
lmcc_receiver_tell_rtt (LmccReceiver *receiver, LmccTime now, LmccTime rtt);
void lmcc_receiver_tell_quality (LmccReceiver *receiver, LmccTime now);
LmccPacket *lmcc_receiver_poll_report (LmccReceiver *receiver, LmccTime now);
const gchar *
lmcc_receiver_poll_reason_to_leave (LmccReceiver *receiver, LmccTime now);
gboolean lmcc_receiver_tell_leave (LmccReceiver *receiver);
void lmcc_receiver_tell_timeout (LmccReceiver *receiver, LmccTime now);
LmccTime lmcc_receiver_next_controller_timeout (const LmccReceiver *receiver);
void lmcc_receiver_get_controller_stats (const LmccReceiver *receiver,
    LmccTime now, LmccReceiverStats *stats);

G_END_DECLS

#endif
