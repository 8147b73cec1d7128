/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/single-rate/tfmcc-sender.h"

#include <gst/lmcc/lmcc-session.h>
#include "control/single-rate/tfmcc-answers.h"
#include "control/single-rate/tfmcc-receiver.h"
#include "control/single-rate/tfmcc-rtt-max.h"
#include "measure/rtt.h"
#include "wire/layer-header.h"

#include <math.h>

/* Resolution of send times, in s. */
#define GRANULARITY (1.0 / 65536)

/* RFC 4654 section 3.3: the lowest rate is one packet in this many seconds.
 * Without reports the rate is halved after 4 round-trip times of the
 * limiting receiver, if its latest report is older than 10; after 10 the
 * receiver is given up. */
#define LOWEST_RATE_INTERVAL 8
#define HALVE_RTTS 4
#define GONE_RTTS 10

/* A round without a report lasts this many times as long (section 3.4). */
#define DESERTED_ROUNDS 2

/* g: reports of rates that are only slightly lower are suppressed (section
 * 3.4). */
#define SUPPRESSION_SHARE 0.1

/* The current limiting receiver (CLR). */
typedef struct
{
  gboolean exists;
  guint32 ssrc;
  gdouble rate; /* X_r from its latest report */
  LmccTime since;
  LmccTime patience; /* its round-trip time, or the time of one packet if
                      * that is longer */
  LmccTime reported;
  LmccTime halved; /* or when it reported, whichever is later */
  LmccTime asked;  /* time of the first packet that it must answer, or NONE */
  LmccTfmccAnswer answer;
} Limiting;

struct _LmccTfmccSender
{
  guint packet_size;
  gdouble max_rate;
  gdouble rate;
  gboolean slow_start;
  LmccTime increased; /* time up to which the rate has been increased */
  LmccTfmccRttMax rtt_max;

  guint64 round;
  LmccTime round_start;
  LmccTime round_time; /* T */
  gboolean round_has_reports;
  LmccTime deserted; /* a receiver that is not heard by then has gone */
  gdouble suppression_rate;

  Limiting limiting;
  LmccTfmccAnswers answers;
};

static gdouble
packet_bits (const LmccTfmccSender *sender)
{
  return 8.0 * sender->packet_size;
}

static LmccTime
packet_time (const LmccTfmccSender *sender)
{
  return (LmccTime) (packet_bits (sender) / sender->rate * LMCC_SECOND);
}

/* One packet per R_max, in bit/s: the initial rate of a session, and its
 * increment (RFC 4654 sections 3.1 and 3.3). */
static gdouble
packet_per_rtt_max (const LmccTfmccSender *sender)
{
  return packet_bits (sender) * LMCC_SECOND / sender->rtt_max.value;
}

static void
set_rate (LmccTfmccSender *sender, gdouble rate)
{
  gdouble lowest = packet_bits (sender) / LOWEST_RATE_INTERVAL;

  sender->rate = MAX (MIN (rate, sender->max_rate), lowest);
}

static void
begin_round (LmccTfmccSender *sender, LmccTime now)
{
  sender->round++;
  sender->round_start = now;
  sender->round_time = LMCC_TFMCC_ROUND * sender->rtt_max.value;
  sender->round_has_reports = FALSE;
  sender->suppression_rate = INFINITY;
  lmcc_tfmcc_rtt_max_begin_round (&sender->rtt_max);
}

/**
 * lmcc_tfmcc_sender_new:
 * @now: the time, at which the first feedback round begins
 * @packet_size: s, in bytes, including IP and UDP headers; not 0
 * @rtt_max: initial R_max, at least %LMCC_DEFAULT_RTT_MAX
 * @max_rate: greatest useful rate, in bit/s
 *
 * Returns: (transfer full): a sender at one packet per R_max (RFC 4654 section
 * 3.1)
 */
LmccTfmccSender *
lmcc_tfmcc_sender_new (LmccTime now, guint packet_size, LmccTime rtt_max,
    gdouble max_rate)
{
  LmccTfmccSender *sender = g_new0 (LmccTfmccSender, 1);

  sender->packet_size = packet_size;
  sender->max_rate = max_rate;
  lmcc_tfmcc_rtt_max_init (&sender->rtt_max,
      CLAMP (rtt_max, LMCC_DEFAULT_RTT_MAX, LMCC_RTT_LIMIT), now);
  sender->slow_start = TRUE;
  sender->increased = now;
  set_rate (sender, packet_per_rtt_max (sender));
  begin_round (sender, now);
  sender->deserted = now + DESERTED_ROUNDS * sender->round_time;

  return sender;
}

/**
 * lmcc_tfmcc_sender_free:
 * @sender: (transfer full) (nullable): a sender
 */
void
lmcc_tfmcc_sender_free (LmccTfmccSender *sender)
{
  g_free (sender);
}

static void
decay_rtt_max (LmccTfmccSender *sender, LmccTime now)
{
  gdouble shortest = packet_bits (sender) / sender->rate + GRANULARITY;

  lmcc_tfmcc_rtt_max_decay (&sender->rtt_max,
      (LmccTime) (shortest * LMCC_SECOND), now);
}

static gboolean
is_deserted (const LmccTfmccSender *sender, LmccTime now)
{
  return now >= sender->deserted && !sender->limiting.exists;
}

/* RFC 4654 section 3.1, but never more than the rate before. */
static gdouble
initial_rate (const LmccTfmccSender *sender)
{
  gdouble initial = packet_bits (sender) * LMCC_SECOND / LMCC_DEFAULT_RTT_MAX;

  return MIN (initial, sender->rate);
}

/* RFC 4654 section 3.4: a round with a report ends after T; a round without
 * one lasts until the first report, but at most 2 T. If no receiver is heard
 * at all, the rate is halved, as with TFRC's no-feedback timer (RFC 5348
 * section 4.4), but not below the initial rate of a session, so that new
 * receivers are heard soon. */
static void
end_round_if_over (LmccTfmccSender *sender, LmccTime now)
{
  LmccTime age = now - sender->round_start;

  if (age < sender->round_time
      || (!sender->round_has_reports && age < 2 * sender->round_time))
    return;
  if (!sender->round_has_reports && !sender->limiting.exists)
    set_rate (sender, MAX (sender->rate / 2, initial_rate (sender)));
  if (is_deserted (sender, now))
    lmcc_tfmcc_rtt_max_init (&sender->rtt_max, LMCC_DEFAULT_RTT_MAX, now);
  else
    decay_rtt_max (sender, now);
  begin_round (sender, now);
}

/* A receiver that joins a session without other receivers finds it as at its
 * start (RFC 4654 section 3.1): from the lowest rate, at one packet per
 * R_max, it would take hours. */
static void
restart_if_deserted (LmccTfmccSender *sender, LmccTime now)
{
  gboolean deserted = is_deserted (sender, now);

  sender->deserted = now + DESERTED_ROUNDS * sender->round_time;
  if (!deserted)
    return;
  sender->slow_start = TRUE;
  lmcc_tfmcc_rtt_max_init (&sender->rtt_max, LMCC_DEFAULT_RTT_MAX, now);
  sender->increased = now;
  set_rate (sender, MAX (sender->rate, packet_per_rtt_max (sender)));
  begin_round (sender, now);
}

/**
 * lmcc_tfmcc_sender_get_element:
 * @sender: a sender
 * @now: the time
 * @element: (out): the element of the packet that is sent now
 *
 * Each report is answered once, in the order of RFC 4654 section 3.5: a new
 * limiting receiver, receivers without a round-trip time, others. All other
 * packets answer the limiting receiver.
 */
void
lmcc_tfmcc_sender_get_element (LmccTfmccSender *sender, LmccTime now,
    LmccTfmccElement *element)
{
  Limiting *limiting = &sender->limiting;
  LmccTfmccAnswer answer = limiting->answer;

  if (limiting->exists && limiting->asked == LMCC_TIME_NONE
      && now > limiting->reported + limiting->patience)
    limiting->asked = now;
  *element = (LmccTfmccElement){
    .round = sender->round & 0xff,
    .suppression_rate = sender->suppression_rate,
    .rtt_max = sender->rtt_max.value,
  };
  if (!lmcc_tfmcc_answers_take (&sender->answers, &answer) && !limiting->exists)
    return;

  element->has_receiver = TRUE;
  element->is_limiting = limiting->exists && answer.ssrc == limiting->ssrc;
  element->receiver = answer.ssrc;
  element->echoed_time =
      answer.time + lmcc_time_to_ntp_short (now - answer.arrival);
}

/* RFC 4654 section 3.3: by one packet per R_max in each R_max. In slow start
 * the rate may double in that time (section 3.6). */
static void
increase (LmccTfmccSender *sender, LmccTime now, gdouble target)
{
  LmccTime rtt_max = sender->rtt_max.value;
  gdouble share =
      (gdouble) MIN (now - sender->increased, rtt_max) / (gdouble) rtt_max;
  gdouble step = packet_per_rtt_max (sender) * share;

  if (sender->slow_start)
    step = MAX (step, sender->rate * (exp2 (share) - 1));
  set_rate (sender, MIN (target, sender->rate + step));
}

static void
follow_limiting (LmccTfmccSender *sender, LmccTime now, gdouble rate)
{
  if (rate < sender->rate)
    set_rate (sender, rate);
  else
    increase (sender, now, rate);
  sender->increased = now;
}

static gboolean
is_slower (const LmccTfmccSender *sender, gdouble rate)
{
  if (!sender->limiting.exists)
    return TRUE;

  return rate < (sender->slow_start ? sender->limiting.rate : sender->rate);
}

static void
take_limiting_report (LmccTfmccSender *sender, LmccTime now, gdouble rate,
    LmccTime rtt, const LmccTfmccAnswer *answer)
{
  Limiting *limiting = &sender->limiting;

  if (!limiting->exists || limiting->ssrc != answer->ssrc) {
    limiting->exists = TRUE;
    limiting->ssrc = answer->ssrc;
    limiting->since = now;
    sender->increased =
        MAX (sender->increased, now - MIN (now, sender->rtt_max.value));
  }
  limiting->rate = rate;
  limiting->reported = now;
  limiting->halved = now;
  limiting->asked = LMCC_TIME_NONE;
  limiting->answer = *answer;
  follow_limiting (sender, now, rate);
  limiting->patience = MAX (rtt, packet_time (sender));
}

static void
lose_limiting (LmccTfmccSender *sender)
{
  sender->limiting = (Limiting){ .exists = FALSE };
  lmcc_tfmcc_rtt_max_lose_limiting (&sender->rtt_max);
}

/* R_r, as the sender computes it: 0 if implausible. */
static LmccTime
measure_rtt (guint32 send_clock, const LmccTfmccReport *report)
{
  gint64 rtt = lmcc_ntp_short_diff (send_clock, report->echoed_time);

  if (rtt <= 0 || rtt > (gint64) LMCC_RTT_LIMIT)
    return 0;

  return MAX ((LmccTime) rtt, LMCC_RTT_MIN);
}

/* RFC 4654 section 3.3: a receiver that has not measured its round-trip time
 * has used R_max. */
static gdouble
adjust_rate (const LmccTfmccSender *sender, const LmccTfmccReport *report,
    LmccTime rtt)
{
  if (report->has_rtt || !report->has_loss)
    return report->rate;

  return report->rate * (gdouble) sender->rtt_max.value / (gdouble) rtt;
}

static void
count_for_round (LmccTfmccSender *sender, const LmccTfmccReport *report)
{
  if (report->round != (sender->round & 0xff))
    return;
  sender->round_has_reports = TRUE;
  sender->suppression_rate =
      MIN (sender->suppression_rate, (1 - SUPPRESSION_SHARE) * report->rate);
}

/**
 * lmcc_tfmcc_sender_handle_report:
 * @sender: a sender
 * @now: the time
 * @send_clock: the send time that a packet would carry now
 * @origin: number of the report's origin; a host with one place in the network
 *     has one
 * @report: a receiver's report; any field may be forged
 *
 * Whatever the report says, the rate does not fall below one packet in 8 s, and
 * grows no faster than with honest receivers.
 *
 * Returns: %FALSE if the resulting round-trip time is zero, negative or above
 * %LMCC_RTT_LIMIT, and the report was ignored
 */
gboolean
lmcc_tfmcc_sender_handle_report (LmccTfmccSender *sender, LmccTime now,
    guint32 send_clock, guint64 origin, const LmccTfmccReport *report)
{
  LmccTime rtt = measure_rtt (send_clock, report);
  gboolean was_limiting =
      sender->limiting.exists && sender->limiting.ssrc == report->ssrc;
  LmccTfmccAnswer answer = { .ssrc = report->ssrc,
    .time = report->time,
    .arrival = now };
  gdouble rate;

  if (rtt == 0)
    return FALSE;
  if (report->leaves) {
    if (was_limiting)
      lose_limiting (sender);
    return TRUE;
  }

  restart_if_deserted (sender, now);
  rate = adjust_rate (sender, report, rtt);
  lmcc_tfmcc_rtt_max_report (&sender->rtt_max, origin, rtt, was_limiting);
  if (!was_limiting)
    count_for_round (sender, report);
  if (report->has_loss)
    sender->slow_start = FALSE;

  if (was_limiting) {
    take_limiting_report (sender, now, rate, rtt, &answer);
  } else if (is_slower (sender, rate)) {
    answer.priority = LMCC_TFMCC_ANSWER_NEW_LIMITING;
    lmcc_tfmcc_answers_add (&sender->answers, &answer);
    take_limiting_report (sender, now, rate, rtt, &answer);
  } else {
    answer.priority = report->has_rtt ? LMCC_TFMCC_ANSWER_OTHER
                                      : LMCC_TFMCC_ANSWER_NEVER_MEASURED;
    lmcc_tfmcc_answers_add (&sender->answers, &answer);
  }
  end_round_if_over (sender, now);

  return TRUE;
}

/* The limiting receiver reports once per round-trip time while there are
 * packets: nobody answers an idle sender (RFC 5348 section 4.4), which waits
 * from its next packet on. A sender that sends continuously waits from the
 * last report on. */
static LmccTime
waits_since (const Limiting *limiting, LmccTime since)
{
  if (limiting->asked == LMCC_TIME_NONE
      || limiting->asked > limiting->reported + 2 * limiting->patience)
    return MAX (since, limiting->asked);

  return since;
}

static LmccTime
wait_from (LmccTime since, LmccTime time)
{
  return since == LMCC_TIME_NONE ? LMCC_TIME_NONE : since + time;
}

static LmccTime
next_halving (const LmccTfmccSender *sender)
{
  const Limiting *limiting = &sender->limiting;
  LmccTime since = waits_since (limiting, limiting->halved);

  return MAX (wait_from (since, HALVE_RTTS * limiting->patience),
      limiting->since + GONE_RTTS * limiting->patience);
}

static LmccTime
gone_time (const LmccTfmccSender *sender)
{
  const Limiting *limiting = &sender->limiting;

  return wait_from (waits_since (limiting, limiting->reported),
      GONE_RTTS * limiting->patience);
}

/**
 * lmcc_tfmcc_sender_next_timeout:
 * @sender: a sender
 *
 * Returns: when to call lmcc_tfmcc_sender_handle_timeout()
 */
LmccTime
lmcc_tfmcc_sender_next_timeout (const LmccTfmccSender *sender)
{
  LmccTime next = sender->round_start
      + (sender->round_has_reports ? 1 : 2) * sender->round_time;

  next = MIN (next, lmcc_tfmcc_rtt_max_next_decay (&sender->rtt_max));
  if (sender->limiting.exists)
    next = MIN (next, MIN (next_halving (sender), gone_time (sender)));

  return next;
}

/**
 * lmcc_tfmcc_sender_handle_timeout:
 * @sender: a sender
 * @now: the time
 *
 * Ends the feedback round. Halves the rate if the limiting receiver is silent,
 * and later gives it up: the next report names another one (RFC 4654 section
 * 3.3).
 */
void
lmcc_tfmcc_sender_handle_timeout (LmccTfmccSender *sender, LmccTime now)
{
  end_round_if_over (sender, now);
  if (now >= lmcc_tfmcc_rtt_max_next_decay (&sender->rtt_max))
    decay_rtt_max (sender, now);
  if (!sender->limiting.exists)
    return;

  if (now >= gone_time (sender)) {
    lose_limiting (sender);
  } else if (now >= next_halving (sender)) {
    set_rate (sender, sender->rate / 2);
    sender->limiting.halved = now;
  }
}

/**
 * lmcc_tfmcc_sender_get_rate:
 * @sender: a sender
 *
 * Returns: X, the permitted rate, in bit/s of IP packets
 */
gdouble
lmcc_tfmcc_sender_get_rate (const LmccTfmccSender *sender)
{
  return sender->rate;
}

/**
 * lmcc_tfmcc_sender_set_max_rate:
 * @sender: a sender
 * @max_rate: greatest useful rate from now on, in bit/s
 */
void
lmcc_tfmcc_sender_set_max_rate (LmccTfmccSender *sender, gdouble max_rate)
{
  sender->max_rate = max_rate;
  set_rate (sender, sender->rate);
}

/**
 * lmcc_tfmcc_sender_get_limiting:
 * @sender: a sender
 * @ssrc: (out): SSRC of the current limiting receiver (CLR)
 *
 * Returns: %FALSE if there is none
 */
gboolean
lmcc_tfmcc_sender_get_limiting (const LmccTfmccSender *sender, guint32 *ssrc)
{
  *ssrc = sender->limiting.ssrc;

  return sender->limiting.exists;
}

/**
 * lmcc_tfmcc_sender_get_rtt_max:
 * @sender: a sender
 *
 * Returns: R_max
 */
LmccTime
lmcc_tfmcc_sender_get_rtt_max (const LmccTfmccSender *sender)
{
  return sender->rtt_max.value;
}

/**
 * lmcc_tfmcc_sender_get_rounds:
 * @sender: a sender
 *
 * Returns: number of feedback rounds begun
 */
guint64
lmcc_tfmcc_sender_get_rounds (const LmccTfmccSender *sender)
{
  return sender->round;
}
