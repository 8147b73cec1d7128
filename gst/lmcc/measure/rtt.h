/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_RTT_H
#define LMCC_MEASURE_RTT_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* After this many consecutive reports without an answer, the estimate from joins is
 * used. */
#define LMCC_RTT_MAX_UNANSWERED 3

/* Limits of an estimate: below, the times in packets are not exact enough; above, no
 * path could carry a video. */
#define LMCC_RTT_MIN LMCC_MSECOND
#define LMCC_RTT_LIMIT (10 * LMCC_SECOND)

/**
 * LmccRttAnswer:
 * @LMCC_RTT_ANSWER_TAKEN: a round-trip time was measured
 * @LMCC_RTT_ANSWER_UNKNOWN: it answers none of the latest reports, or one that was
 *     already answered
 * @LMCC_RTT_ANSWER_BAD: the round-trip time would be zero, negative or above
 *     %LMCC_RTT_LIMIT, or the sender claims to have held the report for longer than that
 */
typedef enum
{
  LMCC_RTT_ANSWER_TAKEN,
  LMCC_RTT_ANSWER_UNKNOWN,
  LMCC_RTT_ANSWER_BAD,
} LmccRttAnswer;

/**
 * LmccRtt:
 * Round-trip time of one receiver.
 */
typedef struct _LmccRtt LmccRtt;

LmccRtt *lmcc_rtt_new (LmccRttMode mode, LmccTime fixed_rtt);
void lmcc_rtt_free (LmccRtt *rtt);
void lmcc_rtt_reset (LmccRtt *rtt);
void lmcc_rtt_set_max (LmccRtt *rtt, LmccTime rtt_max);
void lmcc_rtt_set_silent (LmccRtt *rtt, gboolean silent);
void lmcc_rtt_report (LmccRtt *rtt, LmccTime now, guint64 ntp_time);
LmccRttAnswer
lmcc_rtt_answer (LmccRtt *rtt, LmccTime now, guint32 last_rr, guint32 delay);
void lmcc_rtt_packet (LmccRtt *rtt, LmccTime arrival, guint32 send_time);
gboolean lmcc_rtt_join (LmccRtt *rtt, LmccTime now, LmccTime elapsed,
    LmccTime packet_gap);
LmccTime lmcc_rtt_get (const LmccRtt *rtt);
LmccRttSource lmcc_rtt_get_source (const LmccRtt *rtt);
gboolean lmcc_rtt_is_awaited (const LmccRtt *rtt, LmccTime now);
guint lmcc_rtt_get_unanswered (const LmccRtt *rtt);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccRtt, lmcc_rtt_free)

G_END_DECLS

#endif
