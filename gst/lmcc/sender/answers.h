/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_ANSWERS_H
#define LMCC_SENDER_ANSWERS_H

#include <gst/lmcc/lmcc-session.h>
#include "measure/audience.h"
#include "wire/rtcp.h"

G_BEGIN_DECLS

/* Feedback and answers are counted in time slices of this length. */
#define LMCC_FEEDBACK_SLICE (100 * LMCC_MSECOND)
#define LMCC_FEEDBACK_SLICES 101

/* Reports that wait for their answer; one more is not answered. */
#define LMCC_FEEDBACK_QUEUE 101

/* Until the base's rate is known it may be as low as this, bit/s: a voice. */
#define LMCC_FEEDBACK_LEAST_RATE 16000

/**
 * LmccFeedbackStats:
 * @reports: reports taken
 * @malformed: packets that were no reports
 * @answers: answers sent
 * @answers_dropped: answers not sent, because there was no room for them in the
 *     feedback's share of the base rate
 * @bytes: of reports that count, of packets with answers, and of what
 *     lmcc_feedback_note_sent() is told of, with IP and UDP headers
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
 * @answers: answers that wait; delay is not filled in
 * @arrived: when the report of each came
 * @n: how many
 */
typedef struct
{
  LmccDlrr answers[LMCC_FEEDBACK_QUEUE];
  LmccTime arrived[LMCC_FEEDBACK_QUEUE];
  guint n;
} LmccFeedbackQueue;

/**
 * LmccFeedback:
 * @audience: how many they are
 * @stats: counters
 * @packet_overhead: bytes of IP and UDP headers
 * @queues: answers that wait: those to addresses that report no more than they
 *     are counted for, then the others'
 * @retry: when there may be room for them again, if there was none
 * @slices: bytes in each of the latest time slices
 * @slice: number of the latest slice, from the time 0
 *
 * The sender's side of feedback: takes reports and answers them within a share
 * of the base rate that does not depend on how many they are. Where an address
 * reports more than it is counted for, as many receivers behind one do, and who
 * floods, it gets what the others leave.
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
gboolean lmcc_feedback_take (LmccFeedback *feedback, LmccSession *session,
    LmccTime now, guint64 origin, const guint8 *data, gsize size);
void lmcc_feedback_note_sent (LmccFeedback *feedback, LmccTime now, gsize size);
LmccPacket *lmcc_feedback_answer (LmccFeedback *feedback,
    const LmccSession *session, LmccTime now);
gboolean lmcc_feedback_update (LmccFeedback *feedback, LmccSession *session,
    LmccTime now);
LmccTime
lmcc_feedback_next (const LmccFeedback *feedback, const LmccSession *session);

G_END_DECLS

#endif
