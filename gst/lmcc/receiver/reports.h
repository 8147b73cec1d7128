/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_REPORTS_H
#define LMCC_RECEIVER_REPORTS_H

#include <gst/lmcc/lmcc-receiver.h>
#include "measure/report-timer.h"
#include "measure/rtt.h"
#include "wire/layer-header.h"
#include "wire/rtcp.h"

G_BEGIN_DECLS

/**
 * LmccReceiverReporting:
 * @ssrc: SSRC of the receiver's reports
 * @rtt: the round-trip time
 * @timer: decides when reports are due
 * @told_rtt: the round-trip time last given to the algorithm, 0 for none
 * @base_heard: time of the base layer's latest packet, 0 for none yet
 * @base_silent: end of the base layer's latest silence
 * @warned_unanswered: the missing answers have been reported
 * @warned_elsewhere: it has been reported that no reports are sent
 */
typedef struct
{
  guint32 ssrc;
  LmccRtt *rtt;
  LmccFeedbackTimer *timer;
  LmccTime told_rtt;
  LmccTime base_heard;
  LmccTime base_silent;
  gboolean warned_unanswered;
  gboolean warned_elsewhere;
} LmccReceiverReporting;

gboolean lmcc_receiver_may_ask (const LmccReceiver *receiver);
void lmcc_receiver_packet_losses (LmccReceiver *receiver, LmccTime arrival,
    const LmccHeader *header);
void lmcc_receiver_queue_report (LmccReceiver *receiver, LmccPacket *packet);
void lmcc_receiver_init_rtt (LmccReceiver *receiver);
void lmcc_receiver_clear_rtt (LmccReceiver *receiver);
void lmcc_receiver_forget_rtt (LmccReceiver *receiver);
void lmcc_receiver_follow_session_rtt (LmccReceiver *receiver, LmccTime now);
void lmcc_receiver_packet_rtt (LmccReceiver *receiver, LmccTime now,
    LmccTime arrival, const LmccHeader *header);
void lmcc_receiver_join_rtt (LmccReceiver *receiver, LmccTime now, guint layer,
    LmccTime arrival, LmccTime joined_at);
void lmcc_receiver_answer_rtt (LmccReceiver *receiver, LmccTime now,
    const LmccDlrr *answer);
void lmcc_receiver_send_reports (LmccReceiver *receiver, LmccTime now);
void lmcc_receiver_handle_rtt (LmccReceiver *receiver, LmccTime now);
LmccTime lmcc_receiver_next_rtt (const LmccReceiver *receiver);
void lmcc_receiver_get_rtt_stats (const LmccReceiver *receiver,
    LmccReceiverStats *stats);

G_END_DECLS

#endif
