/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/reports.h"

#include "sender/private.h"

/* An interval that grows by more than a quarter is announced at once. */
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

/* A packet of a network-driven base layer was sent: the receiver that sets
 * the rate may report. */
void
lmcc_sender_let_report_in (LmccSender *sender)
{
  lmcc_report_limit_sent (&sender->reporting.limit);
}

/* Too many reports must be prevented within seconds; other changes wait for
 * the next record. */
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

/* Returns: (transfer full) (nullable): a due control packet */
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

/* If the base layer has a fixed rate, answers wait for its opportunities and
 * state the delay. */
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
 * @time: the time, on one clock for all calls, which may differ from that of
 *     other functions
 * @source: the datagram's source address
 * @source_port: the datagram's source port
 *
 * Decides whether to look at a datagram on the feedback port. Each address has
 * a token bucket, and the receiver that sets the rate has a separate one, which
 * each sent packet fills. A caller that reads the socket in a separate thread
 * calls this function (under the lock that guards @sender) before it passes the
 * datagram on, so that a flood does not reach the sending thread.
 *
 * Returns: whether to pass the datagram to lmcc_sender_take_control()
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

/* Returns whether it is a key frame request, for any session. */
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
 * @now: arrival time, which may be before the latest
 *     lmcc_sender_handle_timeout() unless reports set the rate
 * @source: the datagram's source address
 * @source_port: the datagram's source port
 * @data: one UDP payload from the session's feedback port
 * @size: its length in bytes
 *
 * Takes a receiver's report that lmcc_sender_admit_control() has admitted: for
 * its round-trip time (RFC 3611 section 4.4), about the rate that it can
 * receive if the session has a single rate, or a key frame request. Other
 * datagrams are dropped and counted. If the session's feedback interval is 0,
 * all datagrams are ignored and not counted.
 */
void
lmcc_sender_take_control (LmccSender *sender, LmccTime now,
    const LmccAddress *source, guint16 source_port, const guint8 *data,
    gsize size)
{
  LmccTime before = sender->session.feedback_interval;
  guint64 origin = lmcc_report_origin (source);
  LmccLossReport losses;
  gboolean changed;

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
  changed = lmcc_feedback_take (&sender->reporting.feedback, &sender->session,
      now, origin, data, size, &losses);
  if (losses.burst > 0)
    lmcc_sender_take_losses (sender, now, origin, &losses);
  follow_interval (sender, before, changed, now);
}

/**
 * lmcc_sender_handle_control:
 * @sender: a sender
 * @now: the time
 * @source: the datagram's source address
 * @source_port: the datagram's source port
 * @data: one UDP payload from the session's feedback port
 * @size: its length in bytes
 *
 * Combines lmcc_sender_admit_control() and lmcc_sender_take_control(), for
 * callers with one thread.
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
 * @source: the source address of the sender's packets from now on
 * @feedback_port: the UDP port for reports, 0 if none
 *
 * For a host whose address has changed or has become known. Receivers are
 * informed at once. The session stays the same, and its sequence numbers
 * continue.
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
