/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/reports.h"

#include "sender/private.h"

/* An interval that gets longer by more than a quarter is announced at once. */
#define URGENT_DIVISOR 4

static gboolean
takes_reports (const LmccSender *sender)
{
  return sender->session.feedback_interval > 0 && !sender->stopped;
}

void
lmcc_sender_init_feedback (LmccSender *sender, LmccTime now, guint32 secret)
{
  if (sender->session.rtt_max == 0)
    sender->session.rtt_max = LMCC_DEFAULT_RTT_MAX;
  if (sender->session.feedback_interval > 0)
    sender->session.feedback_interval =
        MAX (sender->session.feedback_interval, LMCC_LEAST_FEEDBACK_INTERVAL);
  lmcc_feedback_init (&sender->reporting.feedback, &sender->session,
      sender->udp_overhead, now, secret);
  lmcc_report_limit_init (&sender->reporting.limit, secret);
}

void
lmcc_sender_clear_feedback (LmccSender *sender)
{
  lmcc_feedback_clear (&sender->reporting.feedback);
  lmcc_report_limit_clear (&sender->reporting.limit);
}

/* A packet of a base whose rate the network sets has left: the receiver that
 * sets it may report. */
void
lmcc_sender_let_report_in (LmccSender *sender)
{
  lmcc_report_limit_sent (&sender->reporting.limit);
}

/* More reports than wanted are a matter of seconds; the rest has time until the
 * next record. */
static void
follow_interval (LmccSender *sender, LmccTime before, gboolean changed,
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
lmcc_sender_take_answer (LmccSender *sender, LmccTime now)
{
  LmccPacket *notice;

  if (!takes_reports (sender))
    return NULL;
  notice = lmcc_sender_take_key_notice (sender, now);
  if (notice != NULL) {
    lmcc_feedback_note_sent (&sender->reporting.feedback, now, notice->size);
    return notice;
  }

  return lmcc_feedback_answer (&sender->reporting.feedback, &sender->session,
      now);
}

/* Where the base has a fixed rate, answers wait for its opportunities: they say
 * how long. */
void
lmcc_sender_handle_feedback (LmccSender *sender, LmccTime now)
{
  LmccTime before = sender->session.feedback_interval;
  LmccPacket *packet;

  if (!takes_reports (sender))
    return;
  while (!sender->shaped
      && (packet = lmcc_sender_take_answer (sender, now)) != NULL)
    lmcc_sender_send_control (sender, packet, now);
  follow_interval (sender, before,
      lmcc_feedback_update (&sender->reporting.feedback, &sender->session, now),
      now);
}

LmccTime
lmcc_sender_next_feedback (const LmccSender *sender)
{
  if (!takes_reports (sender))
    return LMCC_TIME_NONE;
  if (sender->shaped)
    return lmcc_audience_next (&sender->reporting.feedback.audience);

  return lmcc_feedback_next (&sender->reporting.feedback, &sender->session);
}

void
lmcc_sender_get_feedback_stats (const LmccSender *sender,
    LmccSenderStats *stats)
{
  const LmccFeedbackStats *feedback = &sender->reporting.feedback.stats;

  stats->reports = feedback->reports;
  stats->reports_malformed = feedback->malformed;
  stats->answers = feedback->answers;
  stats->answers_dropped = feedback->answers_dropped;
  stats->feedback_bytes = feedback->bytes;
  stats->reports_limited = sender->reporting.n_limited;
  stats->receivers = sender->reporting.feedback.audience.receivers;
}

/**
 * lmcc_sender_admit_control:
 * @sender: a sender
 * @time: the time, on one clock for all calls, which need not be that of the
 *     others
 * @source: who sent it
 * @source_port: from which port
 *
 * Whether a datagram at the feedback port is to be looked at: each address has
 * a token bucket, and the receiver that sets the rate has one of its own, which
 * each packet that leaves fills. Who reads the socket in a thread of its own
 * asks before it hands a datagram on (under the lock that guards @sender), so
 * that a flood does not reach the thread that sends.
 *
 * Returns: whether lmcc_sender_take_control() is to have it
 */
gboolean
lmcc_sender_admit_control (LmccSender *sender, LmccTime time,
    const LmccAddress *source, guint16 source_port)
{
  gboolean leads = lmcc_sender_comes_from_leader (sender, source, source_port);

  if (lmcc_report_limit_take (&sender->reporting.limit, time,
          lmcc_report_origin (source), leads))
    return TRUE;
  sender->reporting.n_limited++;

  return FALSE;
}

/* Returns whether it is one, for whatever session. */
static gboolean
take_key_request (LmccSender *sender, LmccTime now, const guint8 *data,
    gsize size)
{
  LmccKeyRequest request;

  if (!lmcc_key_request_parse (data, size, &request))
    return FALSE;
  if (request.ssrc_base == sender->session.ssrc_base)
    lmcc_sender_take_key_request (sender, &request, now);
  else
    sender->reporting.feedback.stats.malformed++;

  return TRUE;
}

/**
 * lmcc_sender_take_control:
 * @sender: a sender
 * @now: when it came, which may be before the latest
 *     lmcc_sender_handle_timeout() unless reports set the rate
 * @source: who sent it
 * @source_port: from which port
 * @data: one UDP payload from the session's feedback port
 * @size: its length
 *
 * Takes a receiver's report that lmcc_sender_admit_control() has let in: of its
 * round-trip time (RFC 3611 section 4.4), of what it can take where the session
 * has one rate for all, or that it has no picture. What is none is dropped and
 * counted; all is, without a trace, where the session's feedback interval is 0.
 */
void
lmcc_sender_take_control (LmccSender *sender, LmccTime now,
    const LmccAddress *source, guint16 source_port, const guint8 *data,
    gsize size)
{
  LmccTime before = sender->session.feedback_interval;

  if (!takes_reports (sender))
    return;
  if (take_key_request (sender, now, data, size))
    return;
  if (lmcc_sender_take_single_report (sender, now, source, source_port, data,
          size)) {
    sender->reporting.feedback.stats.reports++;
    sender->reporting.feedback.stats.bytes += sender->udp_overhead + size;
    return;
  }
  follow_interval (sender, before,
      lmcc_feedback_take (&sender->reporting.feedback, &sender->session, now,
          lmcc_report_origin (source), data, size),
      now);
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
 * lmcc_sender_admit_control() and lmcc_sender_take_control(), for who has one
 * thread.
 */
void
lmcc_sender_handle_control (LmccSender *sender, LmccTime now,
    const LmccAddress *source, guint16 source_port, const guint8 *data,
    gsize size)
{
  if (lmcc_sender_admit_control (sender, now, source, source_port))
    lmcc_sender_take_control (sender, now, source, source_port, data, size);
}

/**
 * lmcc_sender_set_source:
 * @sender: a sender
 * @now: the time
 * @source: the address that its packets come from, from now on
 * @feedback_port: where it takes reports, 0 where it takes none
 *
 * For a host whose address has changed, or is known only now. Receivers are
 * told at once. The session stays the same: its numbers go on.
 */
void
lmcc_sender_set_source (LmccSender *sender, LmccTime now,
    const LmccAddress *source, guint16 feedback_port)
{
  LmccSession *session = &sender->session;

  if (sender->stopped
      || (lmcc_address_equal (&session->source, source)
          && session->feedback_port == feedback_port))
    return;
  session->source = *source;
  session->feedback_port = feedback_port;
  if (feedback_port == 0) {
    session->feedback_interval = 0;
  } else if (session->feedback_interval == 0) {
    session->feedback_interval = LMCC_DEFAULT_FEEDBACK_INTERVAL;
    lmcc_feedback_clear (&sender->reporting.feedback);
    lmcc_feedback_init (&sender->reporting.feedback, session,
        sender->udp_overhead, now, sender->reporting.limit.origins.secret);
  }
  session->revision++;
  lmcc_sender_announce (sender, now);
}
