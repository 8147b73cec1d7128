/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_REPORT_TIMER_H
#define LMCC_MEASURE_REPORT_TIMER_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* N of RFC 4654 section 4.5: the size of audience that the timer of first reports is
 * designed for. */
#define LMCC_FEEDBACK_RECEIVERS 10000

/* Longest wait of a first report in R_max. In one R_max, the longest time from a
 * report to the longer interval that it causes, the reports of an audience grow
 * N^(1/10) = 2.5 times; with the 6 of RFC 4654 section 4.5 it would be 4.6 times. */
#define LMCC_FEEDBACK_ROUND 10

/**
 * LmccFeedbackTimer:
 * Decides when a receiver reports to the sender, so that the reports of an audience of
 * any size stay within the sender's limit.
 */
typedef struct _LmccFeedbackTimer LmccFeedbackTimer;

LmccTime lmcc_feedback_draw_wait (GRand *random, LmccTime longest);

LmccFeedbackTimer *lmcc_feedback_timer_new (guint32 seed);
void lmcc_feedback_timer_free (LmccFeedbackTimer *timer);
void lmcc_feedback_timer_start (LmccFeedbackTimer *timer, LmccTime now,
    LmccTime rtt_max, LmccTime interval);
void lmcc_feedback_timer_stop (LmccFeedbackTimer *timer);
gboolean lmcc_feedback_timer_is_running (const LmccFeedbackTimer *timer);
void lmcc_feedback_timer_set_interval (LmccFeedbackTimer *timer, LmccTime now,
    LmccTime interval);
LmccTime lmcc_feedback_timer_next (const LmccFeedbackTimer *timer);
guint64 lmcc_feedback_timer_report (LmccFeedbackTimer *timer, LmccTime now,
    guint unanswered);
guint lmcc_feedback_timer_get_patience (guint unanswered);
void lmcc_feedback_timer_answered (LmccFeedbackTimer *timer, LmccTime now);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccFeedbackTimer, lmcc_feedback_timer_free)

G_END_DECLS

#endif
