/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/single-rate/tfmcc-receiver.h"

#include <gst/lmcc/lmcc-session.h>
#include "measure/loss-intervals.h"
#include "measure/rate-meter.h"
#include "measure/report-timer.h"
#include "measure/rtt.h"
#include "measure/tcp-model.h"
#include "wire/layer-header.h"

/* RFC 4654 section 3.6: without a loss, the permitted rate is twice the
 * received rate. */
#define SLOW_START_FACTOR 2

/* A receiver that cannot receive one packet in this time is too slow for any
 * session, and leaves after the time below (the protocol's lowest rate: RFC
 * 4654 section 3.3). */
#define LOWEST_RATE_INTERVAL 8
#define TOO_SLOW_TIME (120 * LMCC_SECOND)

/* Initial interval between two reports while none is answered: the packets
 * may come from another host than the one that they name. */
#define UNANSWERED_SPACING LMCC_DEFAULT_RTT_MAX

/* Answers to this many latest reports are accepted. */
#define N_STAMPS 2

struct _LmccTfmccReceiver
{
  guint32 ssrc;
  guint32 ssrc_base;
  guint packet_size;

  LmccLossIntervals *history;
  LmccRtt *rtt;
  LmccReceiveRate received;
  LmccTime first_rtt; /* used for the first interval */
  gboolean rtt_known;

  gboolean heard;
  LmccTime arrival; /* of the latest packet */
  guint32 send_time;

  gboolean has_round;
  guint8 round;
  LmccTime rtt_max;
  LmccFeedbackTimer *timer;
  gdouble round_rate; /* own rate at the start of the round */

  gboolean is_limiting;
  LmccTime next_limiting; /* next report as the limiting receiver */
  gboolean report_due;
  LmccTime next_report; /* earliest time while no report is answered */
  gboolean leaves;
  gboolean left;
  guint32 stamps[N_STAMPS]; /* of the latest reports, newest first */
  guint n_stamps;

  LmccTime slow_since; /* or LMCC_TIME_NONE */
};

/**
 * lmcc_tfmcc_receiver_new:
 * @ssrc: SSRC of the receiver
 * @ssrc_base: S0 of the session
 * @packet_size: s, in bytes, including IP and UDP headers
 * @seed: a random number, different for each receiver
 *
 * Returns: (transfer full): a receiver that has heard nothing
 */
LmccTfmccReceiver *
lmcc_tfmcc_receiver_new (guint32 ssrc, guint32 ssrc_base, guint packet_size,
    guint32 seed)
{
  LmccTfmccReceiver *receiver = g_new0 (LmccTfmccReceiver, 1);

  receiver->ssrc = ssrc;
  receiver->ssrc_base = ssrc_base;
  receiver->packet_size = packet_size;
  receiver->history = lmcc_loss_intervals_new (LMCC_LOSS_WINDOW_LIP, 0);
  receiver->rtt = lmcc_rtt_new (LMCC_RTT_MODE_FEEDBACK, 0);
  receiver->timer = lmcc_feedback_timer_new (seed);
  receiver->slow_since = LMCC_TIME_NONE;

  return receiver;
}

/**
 * lmcc_tfmcc_receiver_free:
 * @receiver: (transfer full) (nullable): a receiver
 */
void
lmcc_tfmcc_receiver_free (LmccTfmccReceiver *receiver)
{
  if (receiver == NULL)
    return;
  lmcc_loss_intervals_free (receiver->history);
  lmcc_rtt_free (receiver->rtt);
  lmcc_feedback_timer_free (receiver->timer);
  g_free (receiver);
}

/**
 * lmcc_tfmcc_receiver_get_rtt:
 * @receiver: a receiver
 *
 * Returns: the round-trip time, R_max until it is measured
 */
LmccTime
lmcc_tfmcc_receiver_get_rtt (const LmccTfmccReceiver *receiver)
{
  return lmcc_rtt_get (receiver->rtt);
}

/**
 * lmcc_tfmcc_receiver_get_loss_rate:
 * @receiver: a receiver
 *
 * Returns: the loss event rate p, 0 without a loss (RFC 4654 section 5)
 */
gdouble
lmcc_tfmcc_receiver_get_loss_rate (LmccTfmccReceiver *receiver)
{
  return lmcc_loss_intervals_get_loss_rate (receiver->history);
}

/**
 * lmcc_tfmcc_receiver_get_rate:
 * @receiver: a receiver
 * @now: the time
 *
 * Returns: X_r in bit/s: after a loss according to the TCP model, before it
 * twice the received rate (RFC 4654 sections 2.2.2 and 3.6)
 */
gdouble
lmcc_tfmcc_receiver_get_rate (LmccTfmccReceiver *receiver, LmccTime now)
{
  gdouble p = lmcc_tfmcc_receiver_get_loss_rate (receiver);

  if (p > 0)
    return lmcc_tcp_model_rate (p, lmcc_tfmcc_receiver_get_rtt (receiver),
        receiver->packet_size);

  return SLOW_START_FACTOR * lmcc_receive_rate_get (&receiver->received, now);
}

static gboolean
has_loss (const LmccTfmccReceiver *receiver)
{
  return lmcc_loss_intervals_get_events (receiver->history) > 0;
}

/**
 * lmcc_tfmcc_receiver_has_rtt:
 * @receiver: a receiver
 *
 * Returns: whether the round-trip time is measured
 */
gboolean
lmcc_tfmcc_receiver_has_rtt (const LmccTfmccReceiver *receiver)
{
  return lmcc_rtt_get_source (receiver->rtt) == LMCC_RTT_SOURCE_FEEDBACK;
}

/* The answer contains the time of a report plus the time for which the
 * sender held it: the report is the latest one sent before that. */
static void
take_answer (LmccTfmccReceiver *receiver, LmccTime now, guint32 echoed_time)
{
  guint i;

  for (i = 0; i < receiver->n_stamps; i++) {
    gint32 delay = (gint32) (echoed_time - receiver->stamps[i]);

    if (delay >= 0) {
      if (lmcc_rtt_answer (receiver->rtt, now, receiver->stamps[i],
              (guint32) delay)
          == LMCC_RTT_ANSWER_TAKEN)
        receiver->next_report = 0;
      return;
    }
  }
}

static void
follow_rtt (LmccTfmccReceiver *receiver)
{
  LmccTime rtt = lmcc_rtt_get (receiver->rtt);

  if (!receiver->rtt_known && lmcc_tfmcc_receiver_has_rtt (receiver)) {
    receiver->rtt_known = TRUE;
    lmcc_loss_intervals_rescale_first (receiver->history, rtt,
        receiver->first_rtt);
  }
  lmcc_loss_intervals_set_rtt (receiver->history, rtt);
}

static void
begin_round (LmccTfmccReceiver *receiver, LmccTime now, guint8 round)
{
  receiver->has_round = TRUE;
  receiver->round = round;
  receiver->round_rate = lmcc_tfmcc_receiver_get_rate (receiver, now);
  if (!receiver->is_limiting)
    lmcc_feedback_timer_start (receiver->timer, now,
        receiver->rtt_max * LMCC_TFMCC_ROUND / LMCC_FEEDBACK_ROUND, 1);
}

/* RFC 4654 section 4.5: a rate that has fallen since the round began does
 * not call for a report; otherwise a loss that all receivers see would make
 * all of them report. A round-trip time above R_max does. */
static void
suppress (LmccTfmccReceiver *receiver, LmccTime now, gdouble suppression_rate)
{
  gdouble rate =
      MAX (lmcc_tfmcc_receiver_get_rate (receiver, now), receiver->round_rate);

  if (suppression_rate < rate
      && lmcc_rtt_get (receiver->rtt) <= receiver->rtt_max)
    lmcc_feedback_timer_stop (receiver->timer);
}

static void
become_limiting (LmccTfmccReceiver *receiver, LmccTime now)
{
  if (receiver->is_limiting)
    return;
  receiver->is_limiting = TRUE;
  receiver->next_limiting = now;
  lmcc_feedback_timer_stop (receiver->timer);
}

static void
take_element (LmccTfmccReceiver *receiver, LmccTime now,
    const LmccTfmccElement *element)
{
  receiver->rtt_max = element->rtt_max;
  lmcc_rtt_set_max (receiver->rtt, element->rtt_max);
  if (element->has_receiver && element->receiver == receiver->ssrc) {
    take_answer (receiver, now, element->echoed_time);
    if (element->is_limiting)
      become_limiting (receiver, now);
    else
      receiver->is_limiting = FALSE;
  } else if (element->has_receiver && element->is_limiting) {
    receiver->is_limiting = FALSE;
  }
  follow_rtt (receiver);

  if (!receiver->has_round || receiver->round != element->round)
    begin_round (receiver, now, element->round);
  suppress (receiver, now, element->suppression_rate);
}

/* RFC 4654 section 3.3: the current limiting receiver reports once per
 * round-trip time, when a packet arrives: without packets there is nothing
 * to report. */
static void
report_as_limiting (LmccTfmccReceiver *receiver, LmccTime now)
{
  if (!receiver->is_limiting || now < receiver->next_limiting)
    return;
  receiver->report_due = TRUE;
  receiver->next_limiting = now + lmcc_rtt_get (receiver->rtt);
}

static void
watch_rate (LmccTfmccReceiver *receiver, LmccTime now)
{
  gdouble lowest = 8.0 * receiver->packet_size / LOWEST_RATE_INTERVAL;

  if (!has_loss (receiver)
      || lmcc_tfmcc_receiver_get_rate (receiver, now) >= lowest)
    receiver->slow_since = LMCC_TIME_NONE;
  else if (receiver->slow_since == LMCC_TIME_NONE)
    receiver->slow_since = now;
}

/**
 * lmcc_tfmcc_receiver_packet:
 * @receiver: a receiver
 * @now: the time
 * @bytes: size of the packet, including IP and UDP headers
 * @send_time: send time from its first element, NTP short format
 * @element: (nullable): its second element
 *
 * Takes a packet of layer 0 that the layer account counts.
 */
void
lmcc_tfmcc_receiver_packet (LmccTfmccReceiver *receiver, LmccTime now,
    gsize bytes, guint32 send_time, const LmccTfmccElement *element)
{
  receiver->heard = TRUE;
  receiver->arrival = now;
  receiver->send_time = send_time;
  lmcc_rtt_packet (receiver->rtt, now, send_time);
  lmcc_receive_rate_add (&receiver->received, now, bytes);
  lmcc_loss_intervals_packet (receiver->history, now, 1);
  if (element != NULL)
    take_element (receiver, now, element);
  watch_rate (receiver, now);
  report_as_limiting (receiver, now);
}

/**
 * lmcc_tfmcc_receiver_loss:
 * @receiver: a receiver
 * @now: the time
 * @loss: a run of losses
 *
 * Takes losses of layer 0. At the first loss, the received rate determines a
 * loss interval (RFC 4654 section 5.6).
 */
void
lmcc_tfmcc_receiver_loss (LmccTfmccReceiver *receiver, LmccTime now,
    const LmccLoss *loss)
{
  gboolean first = !has_loss (receiver);

  follow_rtt (receiver);
  lmcc_loss_intervals_lose (receiver->history, loss);
  if (!first)
    return;
  receiver->first_rtt = lmcc_rtt_get (receiver->rtt);
  lmcc_loss_intervals_set_first (receiver->history,
      lmcc_loss_intervals_first_length (
          lmcc_receive_rate_get (&receiver->received, now), receiver->first_rtt,
          receiver->packet_size));
}

/**
 * lmcc_tfmcc_receiver_found:
 * @receiver: a receiver
 * @loss: a packet that was passed to lmcc_tfmcc_receiver_loss()
 *
 * Withdraws a loss: the packet has arrived after all.
 */
void
lmcc_tfmcc_receiver_found (LmccTfmccReceiver *receiver, const LmccLoss *loss)
{
  lmcc_loss_intervals_find (receiver->history, lmcc_loss_get_time (loss, 0));
}

/**
 * lmcc_tfmcc_receiver_leave:
 * @receiver: a receiver
 *
 * Leaves the session: lmcc_tfmcc_receiver_poll_report() returns one last report
 * that says so.
 */
void
lmcc_tfmcc_receiver_leave (LmccTfmccReceiver *receiver)
{
  receiver->leaves = TRUE;
  receiver->report_due = receiver->heard && !receiver->left;
}

/**
 * lmcc_tfmcc_receiver_next_timeout:
 * @receiver: a receiver
 *
 * Returns: when to call lmcc_tfmcc_receiver_handle_timeout(), or
 * %LMCC_TIME_NONE
 */
LmccTime
lmcc_tfmcc_receiver_next_timeout (const LmccTfmccReceiver *receiver)
{
  return lmcc_feedback_timer_next (receiver->timer);
}

/**
 * lmcc_tfmcc_receiver_handle_timeout:
 * @receiver: a receiver
 * @now: the time
 */
void
lmcc_tfmcc_receiver_handle_timeout (LmccTfmccReceiver *receiver, LmccTime now)
{
  if (now < lmcc_feedback_timer_next (receiver->timer))
    return;
  lmcc_feedback_timer_stop (receiver->timer);
  receiver->report_due = TRUE;
}

/* An attacker who forges packets does not see the reports and does not know
 * their SSRCs. Only an answer proves that the sender of the packets receives
 * the reports. A packet that has been queued here for too long says nothing
 * about the path. */
static gboolean
may_report (const LmccTfmccReceiver *receiver, LmccTime now)
{
  if (receiver->leaves)
    return TRUE;

  return now <= receiver->arrival + LMCC_RTT_LIMIT
      && (receiver->is_limiting || now >= receiver->next_report);
}

static void
wait_if_unanswered (LmccTfmccReceiver *receiver, LmccTime now)
{
  guint patience = lmcc_feedback_timer_get_patience (
      lmcc_rtt_get_unanswered (receiver->rtt));

  receiver->next_report =
      patience > 1 ? now + patience * UNANSWERED_SPACING : 0;
}

/**
 * lmcc_tfmcc_receiver_poll_report:
 * @receiver: a receiver
 * @now: the time
 * @report: (out): the report to send at once
 *
 * Returns: %FALSE if there is nothing to report
 */
gboolean
lmcc_tfmcc_receiver_poll_report (LmccTfmccReceiver *receiver, LmccTime now,
    LmccTfmccReport *report)
{
  guint32 stamp = lmcc_time_to_ntp_short (now);

  if (!receiver->report_due || receiver->left)
    return FALSE;

  receiver->report_due = FALSE;
  if (!may_report (receiver, now))
    return FALSE;
  receiver->left = receiver->leaves;
  *report = (LmccTfmccReport){
    .ssrc = receiver->ssrc,
    .ssrc_base = receiver->ssrc_base,
    .round = receiver->round,
    .has_rtt = lmcc_tfmcc_receiver_has_rtt (receiver),
    .has_loss = has_loss (receiver),
    .leaves = receiver->leaves,
    .rate = lmcc_tfmcc_receiver_get_rate (receiver, now),
    .time = stamp,
    .echoed_time =
        receiver->send_time + lmcc_time_to_ntp_short (now - receiver->arrival),
  };
  /* The report contains the middle 32 bits of an NTP time. */
  lmcc_rtt_report (receiver->rtt, now, (guint64) stamp << 16);
  wait_if_unanswered (receiver, now);
  receiver->stamps[1] = receiver->stamps[0];
  receiver->stamps[0] = stamp;
  receiver->n_stamps = MIN (receiver->n_stamps + 1, N_STAMPS);

  return TRUE;
}

/**
 * lmcc_tfmcc_receiver_must_leave:
 * @receiver: a receiver
 * @now: the time
 *
 * Returns: whether the receiver has been unable to receive even one packet in 8
 * s for the last 120 s, and must leave for the sake of the others
 */
gboolean
lmcc_tfmcc_receiver_must_leave (const LmccTfmccReceiver *receiver, LmccTime now)
{
  return receiver->slow_since != LMCC_TIME_NONE
      && now - receiver->slow_since >= TOO_SLOW_TIME;
}
