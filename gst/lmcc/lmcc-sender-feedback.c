/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "lmcc-sender-private.h"

/* Receivers report at the shortest interval until they have heard of
 * another. */
#define LEAST_INTERVAL LMCC_SECOND

/* An interval that gets longer by more than a quarter is announced at once. */
#define URGENT_DIVISOR 4

static gboolean
takes_reports (const LmccSender * sender)
{
  return sender->session.feedback_interval > 0 && !sender->stopped;
}

void
lmcc_sender_init_feedback (LmccSender * sender, LmccTime now)
{
  if (sender->session.rtt_max == 0)
    sender->session.rtt_max = LMCC_DEFAULT_RTT_MAX;
  if (sender->session.feedback_interval > 0)
    sender->session.feedback_interval =
        MAX (sender->session.feedback_interval, LEAST_INTERVAL);
  lmcc_feedback_init (&sender->feedback, &sender->session,
      sender->udp_overhead, now);
}

/* More reports than wanted are a matter of seconds; the rest has time until the
 * next record. */
static void
follow_interval (LmccSender * sender, LmccTime before, gboolean changed,
    LmccTime now)
{
  if (!changed)
    return;
  if (sender->session.feedback_interval > before + before / URGENT_DIVISOR)
    lmcc_sender_announce (sender, now);
  else
    lmcc_sender_session_changed (sender);
}

/* Returns: (transfer full) (nullable): a control packet that is due */
LmccPacket *
lmcc_sender_take_answer (LmccSender * sender, LmccTime now)
{
  if (!takes_reports (sender))
    return NULL;

  return lmcc_feedback_answer (&sender->feedback, &sender->session, now);
}

/* Where the base has a fixed rate, answers wait for its opportunities: they say
 * how long. */
void
lmcc_sender_handle_feedback (LmccSender * sender, LmccTime now)
{
  LmccTime before = sender->session.feedback_interval;
  LmccPacket *packet;

  if (!takes_reports (sender))
    return;
  while (!sender->shaped
      && (packet = lmcc_sender_take_answer (sender, now)) != NULL)
    lmcc_sender_send_control (sender, packet, now);
  follow_interval (sender, before, lmcc_feedback_update (&sender->feedback,
          &sender->session, now), now);
}

LmccTime
lmcc_sender_next_feedback (const LmccSender * sender)
{
  if (!takes_reports (sender))
    return LMCC_TIME_NONE;
  if (sender->shaped)
    return lmcc_audience_next (&sender->feedback.audience);

  return lmcc_feedback_next (&sender->feedback, &sender->session);
}

void
lmcc_sender_get_feedback_stats (const LmccSender * sender,
    LmccSenderStats * stats)
{
  const LmccFeedbackStats *feedback = &sender->feedback.stats;

  stats->reports = feedback->reports;
  stats->reports_malformed = feedback->malformed;
  stats->answers = feedback->answers;
  stats->answers_dropped = feedback->answers_dropped;
  stats->feedback_bytes = feedback->bytes;
  stats->receivers = sender->feedback.audience.receivers;
}

/**
 * lmcc_sender_handle_control:
 * @sender: a sender
 * @now: the time
 * @source: who sent it
 * @source_port: from which port
 * @data: one UDP payload from the session's feedback port
 * @size: its length
 *
 * Takes a receiver's report: of its round-trip time (RFC 3611 section 4.4), or
 * of what it can take where the session has one rate for all. What is none is
 * dropped and counted; all is, without a trace, where the session's feedback
 * interval is 0.
 */
void
lmcc_sender_handle_control (LmccSender * sender, LmccTime now,
    const LmccAddress * source, guint16 source_port, const guint8 * data,
    gsize size)
{
  LmccTime before = sender->session.feedback_interval;

  if (!takes_reports (sender) || lmcc_sender_take_single_report (sender, now,
          source, source_port, data, size))
    return;
  follow_interval (sender, before, lmcc_feedback_take (&sender->feedback,
          &sender->session, now, data, size), now);
}
