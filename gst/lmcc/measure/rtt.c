/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/rtt.h"

#include "wire/layer-header.h"

#include <math.h>

/* Weight of the old estimate when a sample arrives: RFC 4654 section 4.3.2,
 * for a receiver that measures seldom. */
#define OLD_SHARE 0.5

/* Answers to this many of the latest reports are accepted. */
#define N_REPORTS 4

/* Quartz clocks are off by at most 50 parts per million, two of them by
 * twice that: the reference delay follows packets no faster. */
#define DRIFT_DIVISOR 10000

/* A send time that moved by more is ignored until this many in a row agree:
 * then the sender's clock was set. */
#define PLAUSIBLE_RANGE (10 * (gint64) LMCC_SECOND)
#define N_IMPLAUSIBLE 20

/* Packets further apart say nothing about the queue between them. */
#define LONGEST_GAP LMCC_SECOND

/* RFC 3738 section 3.2.2.2: weight of a new sample. */
#define JOIN_ALPHA 0.25

/* Spread of the time that a host takes to send its membership report: Linux
 * waits for up to 3 ticks of 4 ms. */
#define JOIN_SPREAD (12.0 * LMCC_MSECOND)

/* How long a join is informative: an algorithm that climbs joins at least
 * once in this time, and an algorithm that does not climb because of an
 * estimate that is too long is not held back by it for minutes. */
#define JOIN_LIFETIME (30.0 * LMCC_SECOND)

/* Units per second of the middle 32 bits of an NTP timestamp. */
#define NTP_SHORT_SECOND 65536.0

typedef struct
{
  gboolean open; /* sent and not answered */
  guint32 stamp; /* the middle 32 bits of its NTP time */
  LmccTime sent;
} Report;

struct _LmccRtt
{
  LmccRttMode mode;
  LmccTime fixed;
  LmccTime max;
  gboolean silent;

  Report reports[N_REPORTS];
  guint latest;
  guint unanswered;

  /* One-way delays: only their differences are meaningful. */
  gboolean heard;
  guint32 reference_short;
  gint64 reference; /* sender's time at reference_short */
  gint64 usual;     /* arrival - sender's time, slowly adjusted */
  LmccTime usual_time;
  gint64 extra; /* excess of the latest packet over the usual delay */
  LmccTime extra_time;
  guint implausible;

  gboolean measured;
  gdouble path;         /* round-trip time minus the extra delay, ns */
  LmccTime answered;    /* since the latest packet; 0: none */
  gdouble answer_share; /* weight of that answer in the path */

  gdouble join_sum;
  gdouble join_weight;
  LmccTime join_time; /* of the latest join */
  LmccTime heard_at;  /* the latest packet */
};

/**
 * lmcc_rtt_new:
 * @mode: how the round-trip time is obtained
 * @fixed_rtt: the round-trip time in ns, for %LMCC_RTT_MODE_FIXED
 *
 * Returns: (transfer full): an estimator without measurements
 */
LmccRtt *
lmcc_rtt_new (LmccRttMode mode, LmccTime fixed_rtt)
{
  LmccRtt *rtt = g_new0 (LmccRtt, 1);

  rtt->mode = mode;
  rtt->fixed = fixed_rtt;

  return rtt;
}

/**
 * lmcc_rtt_free:
 * @rtt: (transfer full) (nullable): an estimator
 */
void
lmcc_rtt_free (LmccRtt *rtt)
{
  g_free (rtt);
}

/**
 * lmcc_rtt_reset:
 * @rtt: an estimator
 *
 * Forgets all measurements, for a new sender.
 */
void
lmcc_rtt_reset (LmccRtt *rtt)
{
  *rtt = (LmccRtt){ .mode = rtt->mode, .fixed = rtt->fixed, .max = rtt->max };
}

/**
 * lmcc_rtt_set_max:
 * @rtt: an estimator
 * @rtt_max: the session's R_max in ns, which stands in for the round-trip time
 *     until it is measured (RFC 4654 section 3.2)
 */
void
lmcc_rtt_set_max (LmccRtt *rtt, LmccTime rtt_max)
{
  rtt->max = rtt_max;
}

/**
 * lmcc_rtt_report:
 * @rtt: an estimator
 * @now: the time
 * @ntp_time: the report's NTP time, format 32.32, on any clock of the receiver;
 *     it identifies the answer
 *
 * Call it when a report is sent.
 */
void
lmcc_rtt_report (LmccRtt *rtt, LmccTime now, guint64 ntp_time)
{
  if (rtt->reports[rtt->latest].open)
    rtt->unanswered++;
  rtt->latest = (rtt->latest + 1) % N_REPORTS;
  rtt->reports[rtt->latest] = (Report){ TRUE, (guint32) (ntp_time >> 16), now };
}

/**
 * lmcc_rtt_set_silent:
 * @rtt: an estimator
 * @silent: whether no reports can be sent, so that no answers can be expected;
 *     initially, and after lmcc_rtt_reset(), %FALSE
 */
void
lmcc_rtt_set_silent (LmccRtt *rtt, gboolean silent)
{
  rtt->silent = silent;
}

static Report *
find_report (LmccRtt *rtt, guint32 stamp)
{
  guint i;

  for (i = 0; i < N_REPORTS; i++) {
    if (rtt->reports[i].open && rtt->reports[i].stamp == stamp)
      return &rtt->reports[i];
  }

  return NULL;
}

/* The part of the round trip that does not depend on the queue towards the
 * receiver is smoothed; the queue itself is followed packet by packet. An
 * answer that claims a round trip shorter than the queue alone is
 * implausible in that respect: forged answers can make the estimate only as
 * short as packets show. */
static void
take_sample (LmccRtt *rtt, LmccTime now, gint64 sample)
{
  gdouble path = (gdouble) MAX (sample - rtt->extra, (gint64) LMCC_RTT_MIN);
  gdouble share = rtt->measured ? 1 - OLD_SHARE : 1;

  rtt->path = (1 - share) * rtt->path + share * path;
  rtt->measured = TRUE;
  rtt->answered = now;
  rtt->answer_share = share;
}

/* The queue that the answer met is interpolated between the packet before it
 * and the one after it, which has just arrived. A TCP connection that halves
 * its window empties a queue between two packets of a slow layer. */
static void
correct_sample (LmccRtt *rtt, LmccTime arrival, gint64 extra)
{
  gdouble gap = (gdouble) (arrival - rtt->extra_time);
  gdouble part = (gdouble) (rtt->answered - rtt->extra_time) / gap;
  gdouble path =
      rtt->path - rtt->answer_share * part * (gdouble) (extra - rtt->extra);

  rtt->path = MAX (path, (gdouble) LMCC_RTT_MIN);
}

static void
follow_queue (LmccRtt *rtt, LmccTime arrival, gint64 extra)
{
  if (rtt->answered > rtt->extra_time && rtt->answered < arrival
      && arrival - rtt->extra_time < LONGEST_GAP)
    correct_sample (rtt, arrival, extra);
  rtt->answered = 0;
  rtt->extra = extra;
  rtt->extra_time = arrival;
}

/**
 * lmcc_rtt_answer:
 * @rtt: an estimator
 * @now: arrival time of the answer
 * @last_rr: the middle 32 bits of the NTP time of the report that it answers
 * @delay: how long the sender held the report, in 1/65536 s
 *
 * Takes an answer to one of the latest reports (RFC 3611 section 4.5); one
 * answer per report is accepted. An implausible answer has no effect.
 *
 * Returns: how the answer was used
 */
LmccRttAnswer
lmcc_rtt_answer (LmccRtt *rtt, LmccTime now, guint32 last_rr, guint32 delay)
{
  Report *report = find_report (rtt, last_rr);
  gint64 sample;

  if (report == NULL)
    return LMCC_RTT_ANSWER_UNKNOWN;
  sample = (gint64) (now - report->sent)
      - (gint64) (delay * (gdouble) LMCC_SECOND / NTP_SHORT_SECOND);
  if (sample <= 0 || sample > (gint64) LMCC_RTT_LIMIT
      || delay > LMCC_RTT_LIMIT / LMCC_SECOND * NTP_SHORT_SECOND)
    return LMCC_RTT_ANSWER_BAD;

  report->open = FALSE;
  rtt->unanswered = 0;
  take_sample (rtt, now, sample);

  return LMCC_RTT_ANSWER_TAKEN;
}

static void
start_delays (LmccRtt *rtt, LmccTime arrival, guint32 send_time)
{
  rtt->heard = TRUE;
  rtt->reference = 0;
  rtt->reference_short = send_time;
  rtt->usual = (gint64) arrival - rtt->extra;
  rtt->usual_time = rtt->extra_time = arrival;
  rtt->answered = 0;
  rtt->implausible = 0;
}

static void
follow_drift (LmccRtt *rtt, LmccTime arrival, gint64 delay)
{
  gint64 most;

  if (arrival <= rtt->usual_time)
    return;
  most = (gint64) (arrival - rtt->usual_time) / DRIFT_DIVISOR;
  rtt->usual += CLAMP (delay - rtt->usual, -most, most);
  rtt->usual_time = arrival;
}

/**
 * lmcc_rtt_packet:
 * @rtt: an estimator
 * @arrival: arrival time of a packet
 * @send_time: its send time, NTP short format on the sender's clock
 *
 * Follows the delay from the sender between two answers (one-way delay
 * adjustment, RFC 4654 section 4.3.3): with the D_r of that section, R = D_r +
 * now - ts_j for each packet j. The value is not smoothed, so that a queue
 * shows with the first packet that met it. The possible drift between the two
 * clocks is subtracted, because receivers in a large audience measure once in
 * hours.
 */
void
lmcc_rtt_packet (LmccRtt *rtt, LmccTime arrival, guint32 send_time)
{
  gint64 sent, delay;

  rtt->heard_at = MAX (rtt->heard_at, arrival);
  if (!rtt->heard) {
    start_delays (rtt, arrival, send_time);
    return;
  }

  sent = rtt->reference + lmcc_ntp_short_diff (send_time, rtt->reference_short);
  delay = (gint64) arrival - sent;
  if (ABS (delay - rtt->usual) > PLAUSIBLE_RANGE) {
    if (++rtt->implausible >= N_IMPLAUSIBLE)
      start_delays (rtt, arrival, send_time);
    return;
  }

  rtt->implausible = 0;
  if (sent > rtt->reference) {
    rtt->reference = sent;
    rtt->reference_short = send_time;
  }
  follow_drift (rtt, arrival, delay);
  follow_queue (rtt, arrival, delay - rtt->usual);
}

/* Remaining weight of the joins so far, from 1 to 0. */
static gdouble
get_join_share (const LmccRtt *rtt, LmccTime now)
{
  LmccTime age = now > rtt->join_time ? now - rtt->join_time : 0;

  return exp (-(gdouble) age / JOIN_LIFETIME);
}

/**
 * lmcc_rtt_join:
 * @rtt: an estimator
 * @now: arrival time of the group's first packet
 * @elapsed: time from a join to the group's first packet
 * @packet_gap: mean time between two packets of the group
 *
 * Takes a measurement without feedback (RFC 3738 section 3.2.2.2): half the gap
 * is the wait for a packet once the group flows, and the rest is the round trip
 * to the router where the group is grafted. Samples are weighted by the inverse
 * of their variance, and lose weight with age. The measurement includes the
 * host's own delay before its membership report, up to 10 to 12 ms on Linux,
 * which makes the estimate too long. A group that another host in the same
 * network has joined arrives from nearby, which makes it too short.
 *
 * Returns: %FALSE if @elapsed is above %LMCC_RTT_LIMIT and was not used,
 * because nothing was sent
 */
gboolean
lmcc_rtt_join (LmccRtt *rtt, LmccTime now, LmccTime elapsed,
    LmccTime packet_gap)
{
  gdouble sample = (gdouble) elapsed - (gdouble) packet_gap / 2;
  /* The variance of a uniform distribution over the gap. */
  gdouble variance = (gdouble) packet_gap * (gdouble) packet_gap / 12;
  gdouble spread = JOIN_SPREAD * JOIN_SPREAD;
  gdouble weight = JOIN_ALPHA * spread / (spread + variance);
  gdouble old_share = (1 - JOIN_ALPHA) * get_join_share (rtt, now);

  if (elapsed > LMCC_RTT_LIMIT)
    return FALSE;
  sample = MAX (sample, (gdouble) LMCC_RTT_MIN);
  rtt->join_sum = old_share * rtt->join_sum + weight * sample;
  rtt->join_weight = old_share * rtt->join_weight + weight;
  rtt->join_time = MAX (rtt->join_time, now);

  return TRUE;
}

static LmccTime
clamp_estimate (gdouble estimate)
{
  return (LmccTime) llround (
      CLAMP (estimate, (gdouble) LMCC_RTT_MIN, (gdouble) LMCC_RTT_LIMIT));
}

/* An estimate above R_max that no join confirms decays to R_max, because it
 * may be what keeps the algorithm from another join. */
static gdouble
get_join_estimate (const LmccRtt *rtt)
{
  gdouble estimate = rtt->join_sum / rtt->join_weight;
  gdouble above = estimate - (gdouble) rtt->max;

  if (rtt->max == 0 || above <= 0)
    return estimate;
  return (gdouble) rtt->max + above * get_join_share (rtt, rtt->heard_at);
}

/**
 * lmcc_rtt_get_source:
 * @rtt: an estimator
 *
 * After %LMCC_RTT_MAX_UNANSWERED consecutive reports without an answer, and if
 * no reports can be sent, the origin is the joins; the next answer changes it
 * back.
 *
 * Returns: the origin of the value of lmcc_rtt_get()
 */
LmccRttSource
lmcc_rtt_get_source (const LmccRtt *rtt)
{
  gboolean answered = !rtt->silent && rtt->unanswered < LMCC_RTT_MAX_UNANSWERED;

  if (rtt->mode == LMCC_RTT_MODE_FIXED)
    return LMCC_RTT_SOURCE_FIXED;
  if (rtt->mode == LMCC_RTT_MODE_FEEDBACK && answered)
    return rtt->measured ? LMCC_RTT_SOURCE_FEEDBACK : LMCC_RTT_SOURCE_MAX;
  if (rtt->join_weight > 0)
    return LMCC_RTT_SOURCE_JOIN;

  return rtt->measured ? LMCC_RTT_SOURCE_FEEDBACK : LMCC_RTT_SOURCE_MAX;
}

/**
 * lmcc_rtt_get:
 * @rtt: an estimator
 *
 * Returns: the round-trip time in ns: measured values are between %LMCC_RTT_MIN
 * and %LMCC_RTT_LIMIT; R_max and a fixed value are returned unchanged
 */
LmccTime
lmcc_rtt_get (const LmccRtt *rtt)
{
  switch (lmcc_rtt_get_source (rtt)) {
    case LMCC_RTT_SOURCE_FIXED:
      return rtt->fixed;
    case LMCC_RTT_SOURCE_FEEDBACK:
      return clamp_estimate (rtt->path + (gdouble) rtt->extra);
    case LMCC_RTT_SOURCE_JOIN:
      return clamp_estimate (get_join_estimate (rtt));
    default:
      return rtt->max;
  }
}

/*
 * lmcc_rtt_is_awaited:
 * @rtt: an estimator
 * @now: the time
 *
 * Returns: whether the answer to the latest report may arrive now
 */
gboolean
lmcc_rtt_is_awaited (const LmccRtt *rtt, LmccTime now)
{
  const Report *latest = &rtt->reports[rtt->latest];

  return latest->open && now < latest->sent + rtt->max;
}

/**
 * lmcc_rtt_get_unanswered:
 * @rtt: an estimator
 *
 * Returns: number of consecutive reports without an answer, before the latest
 * one
 */
guint
lmcc_rtt_get_unanswered (const LmccRtt *rtt)
{
  return rtt->unanswered;
}
