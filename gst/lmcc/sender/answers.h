/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_ANSWERS_H
#define LMCC_SENDER_ANSWERS_H

#include <gst/lmcc/lmcc-session.h>
#include "measure/audience.h"
#include "wire/rtcp.h"

G_BEGIN_DECLS

/* Length and number of the time slices in which reports and answers are counted. */
#define LMCC_FEEDBACK_SLICE (100 * LMCC_MSECOND)
#define LMCC_FEEDBACK_SLICES 101

/* Greatest number of reports that wait for an answer; further ones are not answered. */
#define LMCC_FEEDBACK_QUEUE 101

/* Assumed rate of the base layer until it is known, bit/s: a low-rate voice stream. */
#define LMCC_FEEDBACK_LEAST_RATE 16000

/**
 * LmccFeedbackStats:
 * @reports: accepted reports
 * @malformed: packets that were no valid reports
 * @answers: answers sent
 * @answers_dropped: answers not sent because feedback's share of the base rate had no
 *     room
 * @bytes: bytes of accepted reports, of packets with answers, and of packets reported
 *     with lmcc_feedback_note_sent(), including IP and UDP headers
 */
typedef struct
{
  guint64 reports;
  guint64 malformed;
  guint64 answers;
  guint64 answers_dropped;
  guint64 bytes;
} LmccFeedbackStats;

/**
 * LmccFeedbackQueue:
 * @answers: waiting answers; delay is not filled in
 * @arrived: arrival time of the report of each
 * @n: number of waiting answers
 */
typedef struct
{
  LmccDlrr answers[LMCC_FEEDBACK_QUEUE];
  LmccTime arrived[LMCC_FEEDBACK_QUEUE];
  guint n;
} LmccFeedbackQueue;

/**
 * LmccFeedback:
 * @audience: estimated size of the audience
 * @stats: counters
 * @packet_overhead: size of the IP and UDP headers in bytes
 * @queues: waiting answers: first those to addresses that report no more than they are
 *     counted for, then the others
 * @retry: when there may be room for them, if there was none
 * @slices: bytes in each of the latest time slices
 * @slice: number of the latest slice, counted from time 0
 *
 * The sender's side of feedback: takes reports and answers them within a share of the
 * base rate, however large the audience is. An address that reports more than it is
 * counted for, because many receivers share it or because it floods, gets what the others
 * leave.
 */
typedef struct
{
  LmccAudience audience;
  LmccFeedbackStats stats;
  gsize packet_overhead;
  LmccFeedbackQueue queues[2];
  LmccTime retry;
  gsize slices[LMCC_FEEDBACK_SLICES];
  guint64 slice;
} LmccFeedback;

void lmcc_feedback_init (LmccFeedback *feedback, const LmccSession *session,
    gsize packet_overhead, LmccTime now, guint32 secret);
void lmcc_feedback_clear (LmccFeedback *feedback);
gboolean
lmcc_feedback_take (LmccFeedback *feedback, LmccSession *session, LmccTime now,
    guint64 origin, const guint8 *data, gsize size, LmccLossReport *losses);
void lmcc_feedback_note_sent (LmccFeedback *feedback, LmccTime now, gsize size);
LmccPacket *lmcc_feedback_answer (LmccFeedback *feedback,
    const LmccSession *session, LmccTime now);
gboolean lmcc_feedback_update (LmccFeedback *feedback, LmccSession *session,
    LmccTime now);
LmccTime
lmcc_feedback_next (const LmccFeedback *feedback, const LmccSession *session);

G_END_DECLS

#endif
