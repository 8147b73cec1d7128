/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gi18n-lib.h>
#include <gst/lmcc/lmcc-session-algorithm.h>
#include "receiver/actions.h"
#include "receiver/algorithm.h"
#include "receiver/private.h"
#include "receiver/reports.h"
#include "wire/constants.h"

/* The base layer counts as silent if this many of its packets in a row are
 * missing: with 10 % loss this has a probability of one in a thousand. */
#define SILENT_PACKETS 3

/* At this loss rate of the session, answers may be lost, too. */
#define FULL_PATH_LOSS 0.05

/* What reports are for: the sender's rate, the round-trip time that the
 * algorithm needs, or the losses that the sender wants to know. */
typedef enum
{
  PURPOSE_SENDER,
  PURPOSE_RTT,
  PURPOSE_LOSSES
} Purpose;

/* The algorithm is informed when the round-trip time has changed by more
 * than 1/100. */
#define NOTICEABLE 100

void
lmcc_receiver_init_rtt (LmccReceiver *receiver)
{
  receiver->reporting.rtt =
      lmcc_rtt_new (receiver->config.rtt_mode, receiver->config.fixed_rtt);
  receiver->reporting.timer =
      lmcc_feedback_timer_new (receiver->config.sequence_seed);
}

void
lmcc_receiver_clear_rtt (LmccReceiver *receiver)
{
  lmcc_rtt_free (receiver->reporting.rtt);
  lmcc_feedback_timer_free (receiver->reporting.timer);
}

static gboolean
needs_rtt (const LmccReceiver *receiver)
{
  return receiver->have_session && receiver->controller != NULL
      && receiver->controller->algorithm->needs_rtt
      && receiver->controller->klass->on_rtt != NULL;
}

/* Either the algorithm needs the answers, or the sender wants to know the
 * losses. */
static gboolean
wants_reports (const LmccReceiver *receiver)
{
  return (needs_rtt (receiver)
             || (receiver->have_session && receiver->session.loss_reports))
      && receiver->config.rtt_mode == LMCC_RTT_MODE_FEEDBACK
      && receiver->session.feedback_interval > 0;
}

static gboolean
is_at_source (const LmccReceiver *receiver)
{
  return lmcc_address_equal (&receiver->session.source, &receiver->source);
}

static gboolean
is_low_port (const LmccReceiver *receiver)
{
  return receiver->session.feedback_port < LMCC_FIRST_USER_PORT
      && !receiver->config.allow_low_port;
}

/* A session record can name any host and any port. Reports go only to the
 * host that sends the session's packets: otherwise one forged record would
 * make the whole audience send to an uninvolved host. Even if the packets
 * are forged, reports reach no service of that host. */
static gboolean
is_destination_fit (const LmccReceiver *receiver)
{
  return is_at_source (receiver) && !is_low_port (receiver);
}

/*
 * lmcc_receiver_may_ask:
 * @receiver: a receiver with a session
 *
 * Returns: whether the user permits reports that the algorithm does not
 * need, and the sender takes them
 */
gboolean
lmcc_receiver_may_ask (const LmccReceiver *receiver)
{
  return receiver->config.rtt_mode == LMCC_RTT_MODE_FEEDBACK
      && receiver->session.feedback_interval > 0
      && is_destination_fit (receiver);
}

static gboolean
can_report (const LmccReceiver *receiver)
{
  return wants_reports (receiver) && is_destination_fit (receiver);
}

/* What the receiver misses without reports. */
static Purpose
get_purpose (const LmccReceiver *receiver)
{
  if (lmcc_receiver_needs_sender (receiver))
    return PURPOSE_SENDER;

  return needs_rtt (receiver) ? PURPOSE_RTT : PURPOSE_LOSSES;
}

static const gchar *
get_elsewhere_reason (const LmccReceiver *receiver)
{
  static const gchar *const other_host[] = {
    [PURPOSE_SENDER] =
        N_ ("the session asks for reports to another host than the one that "
            "sends its packets: no reports are sent, and the sender does not "
            "know of this receiver"),
    [PURPOSE_RTT] =
        N_ ("the session asks for reports to another host than the one that "
            "sends its packets: no reports are sent, and the round-trip time "
            "is estimated from joins"),
    [PURPOSE_LOSSES] =
        N_ ("the session asks for reports to another host than the one that "
            "sends its packets: no reports are sent, and the amount of repair "
            "data does not follow this receiver's losses"),
  };
  static const gchar *const low_port[] = {
    [PURPOSE_SENDER] =
        N_ ("the session asks for reports to a port below 1024, which is "
            "reserved for system services: no reports are sent, and the sender "
            "does not know of this receiver. Set a higher feedback-port at the "
            "sender, or allow-low-feedback-port here"),
    [PURPOSE_RTT] =
        N_ ("the session asks for reports to a port below 1024, which is "
            "reserved for system services: no reports are sent, and the "
            "round-trip time is estimated from joins. Set a higher "
            "feedback-port at the sender, or allow-low-feedback-port here"),
    [PURPOSE_LOSSES] =
        N_ ("the session asks for reports to a port below 1024, which is "
            "reserved for system services: no reports are sent, and the amount "
            "of repair data does not follow this receiver's losses. Set a "
            "higher feedback-port at the sender, or allow-low-feedback-port "
            "here"),
  };
  Purpose purpose = get_purpose (receiver);

  return is_at_source (receiver) ? low_port[purpose] : other_host[purpose];
}

static const gchar *
get_unanswered_reason (const LmccReceiver *receiver)
{
  if (!needs_rtt (receiver))
    return N_ ("reports get no answer (firewall?): the amount of repair data "
               "may not follow this receiver's losses");

  return receiver->stats.loss_rate >= FULL_PATH_LOSS
      ? N_ ("reports get no answer, and packets of the session are lost as "
            "well: the path may be full. The round-trip time is estimated "
            "from joins")
      : N_ ("reports get no answer (firewall?): the round-trip time is "
            "estimated from joins");
}

static void
warn_elsewhere (LmccReceiver *receiver)
{
  if (receiver->reporting.warned_elsewhere)
    return;
  receiver->reporting.warned_elsewhere = TRUE;
  lmcc_receiver_warn (receiver, LMCC_WARNING_ELSEWHERE,
      get_elsewhere_reason (receiver));
}

/* Every packet may change the round-trip time. */
static void
follow_rtt (LmccReceiver *receiver, LmccTime now)
{
  LmccTime rtt, moved;

  if (!needs_rtt (receiver)
      || lmcc_rtt_get_source (receiver->reporting.rtt) == LMCC_RTT_SOURCE_MAX)
    return;
  rtt = lmcc_rtt_get (receiver->reporting.rtt);
  moved = MAX (rtt, receiver->reporting.told_rtt)
      - MIN (rtt, receiver->reporting.told_rtt);
  if (moved <= receiver->reporting.told_rtt / NOTICEABLE)
    return;
  receiver->reporting.told_rtt = rtt;
  lmcc_receiver_tell_rtt (receiver, now, rtt);
}

/*
 * lmcc_receiver_packet_losses:
 * @receiver: a receiver
 * @arrival: arrival time of a packet
 * @header: its header element
 */
void
lmcc_receiver_packet_losses (LmccReceiver *receiver, LmccTime arrival,
    const LmccHeader *header)
{
  if (!receiver->session.loss_reports)
    return;
  if (receiver->link_loss == NULL) {
    receiver->link_loss = g_new (LmccLinkLoss, 1);
    lmcc_link_loss_init (receiver->link_loss);
  }
  lmcc_link_loss_packet (receiver->link_loss, arrival, header->send_time,
      header->burst);
}

/*
 * lmcc_receiver_forget_rtt:
 * @receiver: a receiver
 *
 * Ends reports, and forgets the measurements with this sender.
 */
void
lmcc_receiver_forget_rtt (LmccReceiver *receiver)
{
  lmcc_feedback_timer_stop (receiver->reporting.timer);
  lmcc_rtt_reset (receiver->reporting.rtt);
  g_clear_pointer (&receiver->link_loss, g_free);
  receiver->reporting.told_rtt = 0;
  receiver->reporting.base_heard = receiver->reporting.base_silent = 0;
  receiver->reporting.warned_unanswered = FALSE;
  receiver->reporting.warned_elsewhere = FALSE;
}

/*
 * lmcc_receiver_follow_session_rtt:
 * @receiver: a receiver with a session
 * @now: the time
 *
 * Applies the feedback settings of a session record.
 */
void
lmcc_receiver_follow_session_rtt (LmccReceiver *receiver, LmccTime now)
{
  const LmccSession *session = &receiver->session;
  LmccTime rtt_max =
      session->rtt_max > 0 ? session->rtt_max : LMCC_DEFAULT_RTT_MAX;
  /* No sender asks for a shorter interval, but a forged record may. */
  LmccTime interval =
      MAX (session->feedback_interval, LMCC_LEAST_FEEDBACK_INTERVAL);

  receiver->reporting.ssrc =
      lmcc_session_make_receiver_ssrc (session, receiver->config.sequence_seed);
  lmcc_rtt_set_max (receiver->reporting.rtt, rtt_max);
  lmcc_rtt_set_silent (receiver->reporting.rtt, !can_report (receiver));
  if ((wants_reports (receiver) || lmcc_receiver_needs_sender (receiver))
      && !is_destination_fit (receiver))
    warn_elsewhere (receiver);
  if (!can_report (receiver))
    lmcc_feedback_timer_stop (receiver->reporting.timer);
  else if (lmcc_feedback_timer_is_running (receiver->reporting.timer))
    lmcc_feedback_timer_set_interval (receiver->reporting.timer, now, interval);
  else
    lmcc_feedback_timer_start (receiver->reporting.timer, now, rtt_max,
        interval);
  follow_rtt (receiver, now);
}

/* Longest interval between two packets of a layer at its announced rate. */
static LmccTime
get_packet_gap (const LmccReceiver *receiver, guint layer)
{
  const LmccSession *session = &receiver->session;
  guint64 rate = receiver->reckoned.layers[layer].rate;
  LmccTime filler = lmcc_session_filler_interval (session, layer), distance;

  if (rate == 0)
    return filler;
  distance = session->packet_size * 8 * LMCC_SECOND / rate;
  return session->slot > 0 ? distance : MIN (filler, distance);
}

static gboolean
is_silence (const LmccReceiver *receiver, LmccTime from, LmccTime to)
{
  LmccTime gap = MAX (get_packet_gap (receiver, 0), LMCC_FILLER_INTERVAL);

  /* A layer that has just begun was not silent. */
  return from > 0 && to > from && to - from > SILENT_PACKETS * gap;
}

/* Only for packets of the base layer: answers take the same path. */
void
lmcc_receiver_packet_rtt (LmccReceiver *receiver, LmccTime now,
    LmccTime arrival, const LmccHeader *header)
{
  if (header->layer != 0)
    return;
  if (is_silence (receiver, receiver->reporting.base_heard, arrival))
    receiver->reporting.base_silent = arrival;
  receiver->reporting.base_heard =
      MAX (receiver->reporting.base_heard, arrival);
  if (!needs_rtt (receiver))
    return;
  lmcc_rtt_packet (receiver->reporting.rtt, arrival, header->send_time);
  follow_rtt (receiver, now);
}

/* Called for the first packet of a newly joined layer. The base layer is
 * joined before any sender is known to be there. If the base layer was
 * silent meanwhile, the measured time is that of an outage. */
void
lmcc_receiver_join_rtt (LmccReceiver *receiver, LmccTime now, guint layer,
    LmccTime arrival, LmccTime joined_at)
{
  if (layer == 0 || !needs_rtt (receiver))
    return;
  if (receiver->reporting.base_silent > joined_at
      || is_silence (receiver, receiver->reporting.base_heard, arrival))
    return;
  lmcc_rtt_join (receiver->reporting.rtt, arrival,
      arrival > joined_at ? arrival - joined_at : 0,
      get_packet_gap (receiver, layer));
  follow_rtt (receiver, now);
}

void
lmcc_receiver_answer_rtt (LmccReceiver *receiver, LmccTime now,
    const LmccDlrr *answer)
{
  if (!lmcc_feedback_timer_is_running (receiver->reporting.timer)
      || lmcc_rtt_answer (receiver->reporting.rtt, now, answer->last_rr,
             answer->delay)
          != LMCC_RTT_ANSWER_TAKEN) {
    lmcc_receiver_drop (receiver, LMCC_DROP_BAD_ANSWER);
    return;
  }
  receiver->stats.answers++;
  lmcc_feedback_timer_answered (receiver->reporting.timer, now);
  follow_rtt (receiver, now);
}

/*
 * lmcc_receiver_queue_report:
 * @receiver: a receiver with a session
 * @packet: (transfer full): a report to its sender
 */
void
lmcc_receiver_queue_report (LmccReceiver *receiver, LmccPacket *packet)
{
  LmccReceiverAction *action =
      lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_REPORT);

  action->packet = packet;
  action->destination = receiver->source;
  action->port = receiver->session.feedback_port;
}

/* Sends what the algorithm reports. */
void
lmcc_receiver_send_reports (LmccReceiver *receiver, LmccTime now)
{
  LmccPacket *packet;

  while ((packet = lmcc_receiver_poll_report (receiver, now)) != NULL) {
    if (!lmcc_receiver_needs_sender (receiver)
        || !is_destination_fit (receiver)) {
      lmcc_packet_unref (packet);
      continue;
    }
    receiver->stats.reports++;
    lmcc_receiver_queue_report (receiver, packet);
  }
}

static void
send_report (LmccReceiver *receiver, LmccTime now, guint64 ntp_time)
{
  const LmccReferenceTime report = { receiver->reporting.ssrc, ntp_time };
  LmccLossReport losses;
  gboolean tells = receiver->session.loss_reports && receiver->link_loss != NULL
      && lmcc_link_loss_get (receiver->link_loss, now, &losses);

  lmcc_rtt_report (receiver->reporting.rtt, now, ntp_time);
  receiver->stats.reports++;
  lmcc_receiver_queue_report (receiver,
      lmcc_rtcp_build_reference_time (&report, tells ? &losses : NULL));

  if (receiver->reporting.warned_unanswered
      || lmcc_rtt_get_unanswered (receiver->reporting.rtt)
          < LMCC_RTT_MAX_UNANSWERED)
    return;
  receiver->reporting.warned_unanswered = TRUE;
  lmcc_receiver_warn (receiver, LMCC_WARNING_UNANSWERED,
      get_unanswered_reason (receiver));
}

/* A sender that has gone cannot answer. The timer continues, so that not all
 * receivers report at once when the sender returns. */
void
lmcc_receiver_handle_rtt (LmccReceiver *receiver, LmccTime now)
{
  guint64 ntp_time;

  if (now < lmcc_receiver_next_rtt (receiver))
    return;
  ntp_time = lmcc_feedback_timer_report (receiver->reporting.timer, now,
      lmcc_rtt_get_unanswered (receiver->reporting.rtt));
  if (!receiver->source_gone)
    send_report (receiver, now, ntp_time);
  follow_rtt (receiver, now);
}

LmccTime
lmcc_receiver_next_rtt (const LmccReceiver *receiver)
{
  return lmcc_feedback_timer_next (receiver->reporting.timer);
}

void
lmcc_receiver_get_rtt_stats (const LmccReceiver *receiver,
    LmccReceiverStats *stats)
{
  stats->rtt_source = lmcc_rtt_get_source (receiver->reporting.rtt);
  stats->rtt = needs_rtt (receiver) ? lmcc_rtt_get (receiver->reporting.rtt)
                                    : stats->status.rtt;
  if (stats->status.rtt > 0)
    stats->rtt_source = LMCC_RTT_SOURCE_FEEDBACK;
}
