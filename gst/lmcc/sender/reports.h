/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_REPORTS_H
#define LMCC_SENDER_REPORTS_H

#include <gst/lmcc/lmcc-sender.h>
#include "measure/report-limit.h"
#include "sender/answers.h"

G_BEGIN_DECLS

/**
 * LmccSenderReporting:
 * @feedback: reports of receivers and answers to them
 * @limit: rate limit of reports
 * @n_limited: number of datagrams that exceeded the limit
 */
typedef struct
{
  LmccFeedback feedback;
  LmccReportLimit limit;
  guint64 n_limited;
} LmccSenderReporting;

void
lmcc_sender_init_feedback (LmccSender *sender, LmccTime now, guint32 secret);
void lmcc_sender_clear_feedback (LmccSender *sender);
void lmcc_sender_let_report_in (LmccSender *sender);
LmccPacket *lmcc_sender_take_answer (LmccSender *sender, LmccTime now);
void lmcc_sender_handle_feedback (LmccSender *sender, LmccTime now);
LmccTime lmcc_sender_next_feedback (const LmccSender *sender);
void lmcc_sender_get_feedback_stats (const LmccSender *sender,
    LmccSenderStats *stats);

G_END_DECLS

#endif
