/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_TIMES_H
#define LMCC_RECEIVER_TIMES_H

#include <gst/lmcc/lmcc-receiver.h>
#include "receiver/presentation-clock.h"
#include "wire/layer-header.h"
#include "wire/rtcp.h"
#include "wire/rtp.h"

G_BEGIN_DECLS

/* The reports of one compound packet, one per timeline. */
typedef struct
{
  gboolean have[LMCC_N_TIMELINES];
  LmccSenderReport report[LMCC_N_TIMELINES];
} LmccReceiverReports;

LmccTime lmcc_receiver_get_reserve (const LmccReceiver *receiver);
LmccTimeline lmcc_receiver_timeline (const LmccHeader *header);
void lmcc_receiver_take_reports (LmccReceiver *receiver,
    const LmccReceiverReports *reports, LmccTime now);
LmccTime lmcc_receiver_release_deadline (const LmccReceiver *receiver,
    const LmccRtp *rtp, const LmccHeader *header);
LmccTime lmcc_receiver_picture_deadline (const LmccReceiver *receiver,
    const LmccRtp *rtp, const LmccHeader *header);
LmccTime lmcc_receiver_presentation_time (LmccReceiver *receiver,
    LmccTimeline timeline, const LmccRtp *rtp, const LmccHeader *header);

G_END_DECLS

#endif
