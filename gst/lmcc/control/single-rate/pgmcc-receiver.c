/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/single-rate/pgmcc-receiver.h"

#include <gst/lmcc/lmcc-session.h>
#include "measure/loss.h"
#include "measure/report-limit.h"
#include "measure/report-timer.h"
#include "wire/layer-header.h"

#include <math.h>

/* W = 65000/65536 (section 3.2.2). */
#define FILTER_WEIGHT 65000
#define FILTER_ONE 65536

#define BITMAP_BITS 32

/* Packets with the sender's address may be forged, and would make the whole
 * audience report to an uninvolved host. An elicited NAK is for a sender
 * that has stalled, which takes at least a second; for other NAKs, a few of
 * them are as informative as many. R_max here is the usual value, whatever
 * packets and records say. */
#define ELICITED_SPACING LMCC_DEFAULT_RTT_MAX
#define NAK_SPACING LMCC_DEFAULT_RTT_MAX
#define NAK_BURST 8

struct _LmccPgmccReceiver
{
  guint32 ssrc;
  guint32 ssrc_base;
  GRand *random;

  gboolean heard;
  guint16 lead;
  guint32 bitmap;   /* bit i: packet lead - i was received */
  guint32 loss;     /* the filter's output in 1/2^32 */
  LmccTime arrival; /* of packet lead */
  guint32 send_time;

  gboolean ack_due;
  guint16 ack_sequence;
  gboolean nak_due;
  gboolean nak_elicited;
  LmccTime nak_time;      /* when the NAK is sent, or LMCC_TIME_NONE */
  LmccTime nak_wait;      /* as the sender requires */
  LmccTime next_elicited; /* not before */
  LmccTokenBucket naks;
  guint64 suppressed;
};

/**
 * lmcc_pgmcc_receiver_new:
 * @ssrc: SSRC of the receiver
 * @ssrc_base: S0 of the session
 * @seed: a random number, different for each receiver
 *
 * Returns: (transfer full): a receiver that has heard nothing
 */
LmccPgmccReceiver *
lmcc_pgmcc_receiver_new (guint32 ssrc, guint32 ssrc_base, guint32 seed)
{
  LmccPgmccReceiver *receiver = g_new0 (LmccPgmccReceiver, 1);

  receiver->ssrc = ssrc;
  receiver->ssrc_base = ssrc_base;
  receiver->random = g_rand_new_with_seed (seed);
  receiver->nak_time = LMCC_TIME_NONE;
  receiver->nak_wait = LMCC_PGMCC_NAK_WAIT;
  receiver->naks.tokens = NAK_BURST;

  return receiver;
}

/**
 * lmcc_pgmcc_receiver_free:
 * @receiver: (transfer full) (nullable): a receiver
 */
void
lmcc_pgmcc_receiver_free (LmccPgmccReceiver *receiver)
{
  if (receiver == NULL)
    return;
  g_rand_free (receiver->random);
  g_free (receiver);
}

/* Y = W Y + (1 - W) x, where x is 1 for a lost packet. With 16 bits alone,
 * rounding in each step would make losses below 1/500 vanish. */
static void
filter (LmccPgmccReceiver *receiver, gboolean lost)
{
  guint64 input = lost ? G_MAXUINT32 : 0;

  receiver->loss = (guint32) ((FILTER_WEIGHT * (guint64) receiver->loss
                                  + (FILTER_ONE - FILTER_WEIGHT) * input)
      / FILTER_ONE);
}

/* With the exponentially distributed timer of RFC 4654 section 4.5, a few
 * receivers of a large audience report early enough for the others to be
 * informed. */
static void
schedule_nak (LmccPgmccReceiver *receiver, LmccTime now, gboolean elicited)
{
  gdouble x = 1 - g_rand_double (receiver->random);
  gdouble share = 1 + log (x) / log (LMCC_FEEDBACK_RECEIVERS);

  if (receiver->nak_time != LMCC_TIME_NONE)
    return;
  receiver->nak_elicited = elicited;
  receiver->nak_time =
      now + (LmccTime) (MAX (share, 0) * (gdouble) receiver->nak_wait);
}

static void
start (LmccPgmccReceiver *receiver, guint16 lsn)
{
  receiver->heard = TRUE;
  receiver->lead = lsn;
  receiver->bitmap = 1;
}

/* For more consecutive losses than this, the filter's power is computed at
 * once. */
#define MAX_SINGLE_STEPS 64

static void
filter_losses (LmccPgmccReceiver *receiver, guint n)
{
  gdouble kept;

  if (n > MAX_SINGLE_STEPS) {
    kept = pow ((gdouble) FILTER_WEIGHT / FILTER_ONE, n);
    receiver->loss =
        (guint32) (kept * receiver->loss + (1 - kept) * G_MAXUINT32);
    return;
  }
  for (; n > 0; n--)
    filter (receiver, TRUE);
}

/* Returns whether packets are missing. */
static gboolean
advance (LmccPgmccReceiver *receiver, guint16 lsn, guint ahead)
{
  filter_losses (receiver, ahead - 1);
  filter (receiver, FALSE);
  receiver->bitmap = ahead < BITMAP_BITS ? receiver->bitmap << ahead : 0;
  receiver->bitmap |= 1;
  receiver->lead = lsn;

  return ahead > 1;
}

/* Another receiver has reported an equal or larger loss. */
static void
suppress (LmccPgmccReceiver *receiver, const LmccPgmccElement *element)
{
  if (receiver->nak_time == LMCC_TIME_NONE || receiver->nak_elicited
      || !element->confirms
      || lmcc_pgmcc_receiver_get_loss (receiver) > element->confirmed_loss)
    return;
  receiver->nak_time = LMCC_TIME_NONE;
  receiver->suppressed++;
}

static void
answer_call (LmccPgmccReceiver *receiver, LmccTime now)
{
  if (receiver->nak_time != LMCC_TIME_NONE || now < receiver->next_elicited)
    return;
  receiver->next_elicited = now + ELICITED_SPACING;
  schedule_nak (receiver, now, TRUE);
}

/* The acker's ACKs contain everything that its NAKs would. Once there is an
 * acker, no receiver needs to offer itself. A receiver that is named as the
 * acker knows that the sender hears it, because its SSRC occurs in its
 * reports only. */
static void
take_element (LmccPgmccReceiver *receiver, LmccTime now, guint16 lsn,
    const LmccPgmccElement *element)
{
  gboolean is_acker = element->has_acker && element->acker == receiver->ssrc;

  receiver->nak_wait = element->nak_wait;
  if (is_acker) {
    receiver->ack_due = TRUE;
    receiver->ack_sequence = lsn;
    receiver->naks.tokens = NAK_BURST;
  }
  if (is_acker || (receiver->nak_elicited && element->has_acker))
    receiver->nak_time = LMCC_TIME_NONE;
  suppress (receiver, element);
  if (element->elicit && !is_acker)
    answer_call (receiver, now);
}

/**
 * lmcc_pgmcc_receiver_packet:
 * @receiver: a receiver
 * @now: the time
 * @lsn: the packet's layer sequence number
 * @send_time: send time from its first element, NTP short format
 * @element: (nullable): its second element
 *
 * Takes a packet of layer 0. A packet that was already received, or that is
 * later than a following one, only changes the bitmap; a packet more than
 * %LMCC_MAX_GAP back restarts the numbers.
 */
void
lmcc_pgmcc_receiver_packet (LmccPgmccReceiver *receiver, LmccTime now,
    guint16 lsn, guint32 send_time, const LmccPgmccElement *element)
{
  gint ahead = receiver->heard ? lmcc_sequence_diff (lsn, receiver->lead) : 1;

  if (ahead <= 0 && ahead > -BITMAP_BITS) {
    receiver->bitmap |= 1u << -ahead;
    return;
  }
  if (!receiver->heard || ahead < -LMCC_MAX_GAP)
    start (receiver, lsn);
  else if (ahead < 0)
    return;
  else if (advance (receiver, lsn, (guint) ahead))
    schedule_nak (receiver, now, FALSE);
  receiver->arrival = now;
  receiver->send_time = send_time;
  if (element != NULL)
    take_element (receiver, now, lsn, element);
}

/**
 * lmcc_pgmcc_receiver_next_timeout:
 * @receiver: a receiver
 *
 * Returns: when to call lmcc_pgmcc_receiver_handle_timeout(), or
 * %LMCC_TIME_NONE
 */
LmccTime
lmcc_pgmcc_receiver_next_timeout (const LmccPgmccReceiver *receiver)
{
  return receiver->nak_time;
}

/**
 * lmcc_pgmcc_receiver_handle_timeout:
 * @receiver: a receiver
 * @now: the time
 */
void
lmcc_pgmcc_receiver_handle_timeout (LmccPgmccReceiver *receiver, LmccTime now)
{
  if (receiver->nak_time == LMCC_TIME_NONE || now < receiver->nak_time)
    return;
  receiver->nak_time = LMCC_TIME_NONE;
  receiver->nak_due |= lmcc_token_bucket_take (&receiver->naks,
      (gdouble) now / NAK_SPACING, 1, NAK_BURST);
}

/**
 * lmcc_pgmcc_receiver_poll_report:
 * @receiver: a receiver
 * @now: the time
 * @report: (out): the report to send at once
 *
 * Returns: %FALSE if there is nothing to report
 */
gboolean
lmcc_pgmcc_receiver_poll_report (LmccPgmccReceiver *receiver, LmccTime now,
    LmccPgmccReport *report)
{
  if (!receiver->ack_due && !receiver->nak_due)
    return FALSE;

  *report = (LmccPgmccReport){
    .ssrc = receiver->ssrc,
    .ssrc_base = receiver->ssrc_base,
    .is_ack = receiver->ack_due,
    .loss = lmcc_pgmcc_receiver_get_loss (receiver),
    .lead = receiver->lead,
    .echoed_time =
        receiver->send_time + lmcc_time_to_ntp_short (now - receiver->arrival),
  };
  if (report->is_ack) {
    report->ack_sequence = receiver->ack_sequence;
    report->bitmap = receiver->bitmap;
    receiver->ack_due = FALSE;
  } else {
    receiver->nak_due = FALSE;
  }

  return TRUE;
}

/**
 * lmcc_pgmcc_receiver_get_loss:
 * @receiver: a receiver
 *
 * Returns: rx_loss, the output of the loss filter in 1/65536
 */
guint16
lmcc_pgmcc_receiver_get_loss (const LmccPgmccReceiver *receiver)
{
  return receiver->loss >> 16;
}

/**
 * lmcc_pgmcc_receiver_get_suppressed:
 * @receiver: a receiver
 *
 * Returns: number of NAKs suppressed because another receiver's NAK sufficed
 */
guint64
lmcc_pgmcc_receiver_get_suppressed (const LmccPgmccReceiver *receiver)
{
  return receiver->suppressed;
}
