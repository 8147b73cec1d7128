/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/fair-rate.h"

#include "measure/tcp-model.h"

#include <math.h>
#include <string.h>

/* RFC 5348 section 5.4. */
#define LEAST_WEIGHTED 8

/* The history also covers at least this much time, if there are enough
 * intervals. */
#define LEAST_PAST (10.0 * LMCC_SECOND)

/* Losses within this many round-trip times are one event: one if losses are
 * random (RFC 5348 section 5.2). A queue overflows until those that fill it
 * have halved their windows, which takes longer: a receiver whose sender
 * keeps its rate sees losses that TCP, with half of its packets, does not
 * see. CUBIC's window is flat before its next event (RFC 9438 section 4.4). */
#define EVENT_RTTS 1.0
#define EVENT_RTTS_QUEUE 1.5
#define EVENT_RTTS_CUBIC 3.0

/* Prior, until events show what losses depend on: as if four events had
 * shown that they depend mostly on packets. */
#define PRIOR_EVENTS 4.0
#define PRIOR_SEEN 2.6

/* Excess of the mean interval if lengths are random: it is the larger of two
 * values, and if it is read at any time, long intervals are more likely. The
 * intervals of a sawtooth are equal. */
#define EXCESS 0.15
#define EXCESS_FROM 0.65
#define EXCESS_RANGE 0.2

/* History discounting, RFC 5348 section 5.5. */
#define LEAST_DISCOUNT 0.1

/* Time constant of the round-trip time, which a sawtooth changes by a factor
 * of two. */
#define RTT_TIME (2.0 * LMCC_SECOND)

/* Weight of an event in the share of events at which trains find room, and
 * the range of shares in which losses are assumed to depend on packets,
 * whatever their number. */
#define RANDOM_WEIGHT 0.125
#define RANDOM_FROM 0.3
#define RANDOM_RANGE 0.4

/* Range of accepted and returned rates, bit/s. */
#define LOWEST_RATE 1e3
#define HIGHEST_RATE 1e11

/* RFC 9438 section 5.1, equation 7 with C = 0.4 and beta = 0.7. */
#define CUBIC_FACTOR 1.054
#define CUBIC_POWER 0.75

/* From the observed rates to another one, Reno's model is approximated by
 * the power of p that it has at the observed p. If losses depend on time,
 * and TCP waits for timeouts (p^-1 and steeper), a slower flow would have to
 * be even slower, without end, although not every overflow hits a flow of so
 * few packets. Therefore each further decrease of the rate is limited to
 * this fraction of the previous one. */
#define MOST_FEEDBACK 0.75
#define NEARBY 1.01

/* If the open interval exceeds this many means, the other intervals count
 * less. */
#define NEAR 2.0

/*
 * lmcc_fair_rate_init:
 * @fair: (out): a fair rate without losses
 * @packet_size: packet size of the session, in bytes including IP and UDP
 *     headers
 * @cubic: the competing traffic is CUBIC and not Reno
 * @rtt: assumed round-trip time until it is measured, in ns
 */
void
lmcc_fair_rate_init (LmccFairRate *fair, guint packet_size, gboolean cubic,
    LmccTime rtt)
{
  memset (fair, 0, sizeof (*fair));
  fair->packet_size = packet_size;
  fair->cubic = cubic;
  fair->rtt = rtt;
  fair->mean_rtt = (gdouble) rtt;
}

/*
 * lmcc_fair_rate_packet:
 * @fair: a fair rate
 * @arrival: arrival time of a packet
 * @size: its size in bytes, including headers
 *
 * A small packet counts as a full one. Random losses hit it equally often,
 * and TCP, whose packets are full, is compared by packets (RFC 4828 section
 * 4 likewise uses the nominal size). If losses depend on time, the size does
 * not matter.
 */
void
lmcc_fair_rate_packet (LmccFairRate *fair, LmccTime arrival, gsize size)
{
  if (!fair->any) {
    fair->any = TRUE;
    fair->event = arrival;
  }
  fair->bytes += MAX (size, fair->packet_size);
}

static void
push_interval (LmccFairRate *fair, gdouble duration, gdouble bytes)
{
  memmove (fair->intervals + 1, fair->intervals,
      (LMCC_FAIR_RATE_INTERVALS - 1) * sizeof (fair->intervals[0]));
  fair->intervals[0].duration = MAX (duration, 1);
  fair->intervals[0].bytes = MAX (bytes, fair->packet_size);
  if (fair->n_intervals < LMCC_FAIR_RATE_INTERVALS)
    fair->n_intervals++;
  else
    fair->assumed = 0;
}

static void
begin_event (LmccFairRate *fair, LmccTime time, LmccFairRateWitness witness)
{
  if (fair->n_events > 0)
    push_interval (fair,
        time > fair->event ? (gdouble) (time - fair->event) : 0,
        (gdouble) fair->bytes);
  fair->n_events++;
  fair->event = time;
  fair->bytes = 0;
  fair->losses = 0;
  fair->random_before = fair->random;
  if (witness == LMCC_FAIR_RATE_NO_WITNESS)
    return;
  fair->witnessed = TRUE;
  fair->random +=
      RANDOM_WEIGHT * ((witness == LMCC_FAIR_RATE_ROOM ? 1 : 0) - fair->random);
}

/* To what degree losses are random, from 0 to 1. */
static gdouble
get_chance (const LmccFairRate *fair)
{
  return CLAMP ((fair->random - RANDOM_FROM) / RANDOM_RANGE, 0, 1);
}

/*
 * lmcc_fair_rate_lose:
 * @fair: a fair rate
 * @time: when a lost packet would have arrived
 * @witness: result of the latest train before it
 */
void
lmcc_fair_rate_lose (LmccFairRate *fair, LmccTime time,
    LmccFairRateWitness witness)
{
  gdouble queue = fair->cubic ? EVENT_RTTS_CUBIC : EVENT_RTTS_QUEUE;
  gdouble within =
      (queue + (EVENT_RTTS - queue) * get_chance (fair)) * (gdouble) fair->rtt;

  if (fair->n_events == 0 || (gdouble) time > (gdouble) fair->event + within)
    begin_event (fair, time, witness);
  fair->losses++;
  fair->kinds[(fair->n_events - 1) % LMCC_FAIR_RATE_EVENTS] = fair->losses;
}

static guint *
get_kind (LmccFairRate *fair, guint back)
{
  return &fair->kinds[(fair->n_events - 1 - back) % LMCC_FAIR_RATE_EVENTS];
}

/* Whether the interval before the event @back lies between two observed
 * events. */
static gboolean
was_seen (const LmccFairRate *fair, guint back)
{
  return back < fair->n_intervals
      && !(fair->assumed > 0 && back == fair->n_intervals - 1);
}

static gboolean
is_first_event (const LmccFairRate *fair)
{
  return fair->n_events == 1 && !was_seen (fair, 0);
}

/* How many events back the loss belongs to; -1: no longer known. */
static gint
find_event (const LmccFairRate *fair, LmccTime time)
{
  guint n = MIN (fair->n_events, LMCC_FAIR_RATE_EVENTS), back;
  gdouble begin = (gdouble) fair->event;

  /* The history may have restarted with it, slightly later. */
  if (is_first_event (fair))
    return 0;
  for (back = 0; back < n; back++) {
    if ((gdouble) time >= begin)
      return (gint) back;
    if (!was_seen (fair, back))
      return -1;
    begin -= fair->intervals[back].duration;
  }

  return -1;
}

/* Joins the interval before an event with the one after it. */
static void
join_intervals (LmccFairRate *fair, guint back)
{
  if (back == 0) {
    fair->event -= (LmccTime) fair->intervals[0].duration;
    fair->bytes += (guint64) fair->intervals[0].bytes;
  } else {
    fair->intervals[back - 1].duration += fair->intervals[back].duration;
    fair->intervals[back - 1].bytes += fair->intervals[back].bytes;
  }
  fair->n_intervals--;
  memmove (fair->intervals + back, fair->intervals + back + 1,
      (fair->n_intervals - back) * sizeof (fair->intervals[0]));
}

static void
remove_event (LmccFairRate *fair, guint back)
{
  guint i;

  if (is_first_event (fair)) {
    fair->n_events = fair->n_intervals = 0;
    fair->assumed = 0;
    fair->random = fair->random_before;
    return;
  }
  if (!was_seen (fair, back))
    return;
  if (back == 0)
    fair->random = fair->random_before;
  join_intervals (fair, back);
  for (i = back; i > 0; i--)
    *get_kind (fair, i) = *get_kind (fair, i - 1);
  fair->n_events--;
  fair->losses = *get_kind (fair, 0);
}

/*
 * lmcc_fair_rate_find:
 * @fair: a fair rate
 * @time: time of a loss that was passed to lmcc_fair_rate_lose()
 *
 * Withdraws a loss: the packet has arrived after all. An event whose packets
 * all arrived is removed. Losses before the history's start, or at it, stay.
 */
void
lmcc_fair_rate_find (LmccFairRate *fair, LmccTime time)
{
  gint back = find_event (fair, time);

  if (back < 0 || *get_kind (fair, (guint) back) == 0)
    return;
  *get_kind (fair, (guint) back) -= 1;
  if (back == 0)
    fair->losses = *get_kind (fair, 0);
  if (*get_kind (fair, (guint) back) == 0)
    remove_event (fair, (guint) back);
}

/* Fraction by which intervals are assumed to be shorter. */
static gdouble
find_excess (gdouble alpha)
{
  gdouble chance = CLAMP ((alpha - EXCESS_FROM) / EXCESS_RANGE, 0, 1);

  return 1 - EXCESS * (0.5 + 0.5 * chance);
}

static gdouble
get_alpha (const LmccFairRate *fair)
{
  gdouble alpha = lmcc_fair_rate_get_thinning (fair);

  return alpha + (1 - alpha) * get_chance (fair);
}

static gdouble
reno_rate (const LmccFairRate *fair, gdouble p)
{
  return lmcc_tcp_model_rate (p, (LmccTime) fair->mean_rtt, fair->packet_size);
}

static gdouble
cubic_rate (const LmccFairRate *fair, gdouble p)
{
  gdouble rtt = MAX (fair->mean_rtt, 1) / LMCC_SECOND;

  return CUBIC_FACTOR * 8 * fair->packet_size * pow (rtt, -0.25)
      * pow (p, -CUBIC_POWER);
}

/* The loss event rate at which the model yields @rate. */
static gdouble
invert_model (const LmccFairRate *fair, gdouble rate)
{
  gdouble reno = lmcc_tcp_model_loss_rate (rate, (LmccTime) fair->mean_rtt,
      fair->packet_size);

  if (!fair->cubic)
    return reno;

  return MAX (reno,
      MIN (pow (cubic_rate (fair, 1) / rate, 1 / CUBIC_POWER), 1));
}

/* The interval that corresponds to @rate. */
static void
assume (LmccFairRate *fair, guint i, gdouble rate)
{
  gdouble p = MAX (invert_model (fair, rate), 1e-9);
  gdouble bytes = fair->packet_size / p / find_excess (get_alpha (fair));

  fair->intervals[i].bytes = bytes;
  fair->intervals[i].duration = bytes * 8 * LMCC_SECOND / rate;
}

/*
 * lmcc_fair_rate_set_rtt:
 * @fair: a fair rate
 * @now: the time
 * @rtt: the round-trip time, in ns
 *
 * The first measurement corrects earlier assumptions (RFC 4654 section 5.6).
 */
void
lmcc_fair_rate_set_rtt (LmccFairRate *fair, LmccTime now, LmccTime rtt)
{
  gdouble past =
      fair->rtt_at == 0 ? 0 : exp (-(gdouble) (now - fair->rtt_at) / RTT_TIME);
  gboolean first = fair->rtt_at == 0;

  fair->mean_rtt = past * fair->mean_rtt + (1 - past) * (gdouble) rtt;
  fair->rtt = rtt;
  fair->rtt_at = MAX (now, 1);
  if (first && fair->assumed > 0)
    assume (fair, fair->n_intervals - 1, fair->assumed);
}

/*
 * lmcc_fair_rate_restart:
 * @fair: a fair rate
 * @now: the time
 * @rate: bit/s
 *
 * Restarts the history with the statement that the path is worth @rate.
 */
void
lmcc_fair_rate_restart (LmccFairRate *fair, LmccTime now, gdouble rate)
{
  fair->n_events = MAX (fair->n_events, 1);
  fair->n_intervals = 1;
  fair->assumed = CLAMP (rate, LOWEST_RATE, HIGHEST_RATE);
  assume (fair, 0, fair->assumed);
  fair->event = now;
  fair->bytes = 0;
}

/*
 * lmcc_fair_rate_resume:
 * @fair: a fair rate
 * @before: an earlier copy of @fair
 * @now: the time
 *
 * Forgets everything since the copy was made; the time continues from now.
 */
void
lmcc_fair_rate_resume (LmccFairRate *fair, const LmccFairRate *before,
    LmccTime now)
{
  LmccTime rtt = fair->rtt, rtt_at = fair->rtt_at;
  gdouble mean_rtt = fair->mean_rtt;

  *fair = *before;
  fair->rtt = rtt;
  fair->rtt_at = rtt_at;
  fair->mean_rtt = mean_rtt;
  fair->event = now;
  fair->bytes = 0;
}

/*
 * lmcc_fair_rate_get_thinning:
 * @fair: a fair rate
 *
 * Estimates whether a flow with half the packets would have seen an event: an
 * event of k losses with probability 1 - 2^-k.
 *
 * Returns: alpha, 1: losses depend on packets, 0: on time
 */
gdouble
lmcc_fair_rate_get_thinning (const LmccFairRate *fair)
{
  guint n = MIN (fair->n_events, LMCC_FAIR_RATE_EVENTS), i;
  gdouble seen = PRIOR_SEEN;

  for (i = 0; i < n; i++)
    seen += 1 - exp2 (-(gdouble) MAX (fair->kinds[i], 1));

  return CLAMP (log2 ((n + PRIOR_EVENTS) / seen), 0, 1);
}

/*
 * lmcc_fair_rate_has_witness:
 * @fair: a fair rate
 *
 * Returns: whether a train preceded one of the loss events
 */
gboolean
lmcc_fair_rate_has_witness (const LmccFairRate *fair)
{
  return fair->witnessed;
}

/*
 * lmcc_fair_rate_get_random:
 * @fair: a fair rate
 *
 * Returns: share of the loss events before which trains found room, from 0
 * to 1
 */
gdouble
lmcc_fair_rate_get_random (const LmccFairRate *fair)
{
  return fair->random;
}

/* Duration of an interval at @rate. */
static gdouble
stretch (gdouble duration, gdouble bytes, gdouble rate, gdouble alpha)
{
  gdouble had = bytes * 8 * LMCC_SECOND / duration;

  return duration * pow (had / rate, alpha);
}

static gdouble
weight (guint i, guint n)
{
  gdouble half = n / 2.0;

  return i < half ? 1 : 1 - (i - (half - 1)) / (half + 1);
}

static guint
count_weighted (const LmccFairRate *fair)
{
  gdouble past = 0;
  guint n = 0;

  while (n < fair->n_intervals && (n < LEAST_WEIGHTED || past < LEAST_PAST))
    past += fair->intervals[n++].duration;

  return n;
}

/* Without the power of the rate, which is common to all. */
static gdouble
closed_interval (const LmccFairRate *fair, guint i, gdouble alpha)
{
  return stretch (fair->intervals[i].duration, fair->intervals[i].bytes, 1,
      alpha);
}

/* The mean, with the weights of RFC 5348 section 5.4. */
static gdouble
mean_closed (const LmccFairRate *fair, gdouble alpha)
{
  guint n = count_weighted (fair), i;
  gdouble sum = 0, weights = 0;

  for (i = 0; i < n; i++) {
    sum += weight (i, n) * closed_interval (fair, i, alpha);
    weights += weight (i, n);
  }

  return sum / weights;
}

/* The same including the open interval, if that increases the mean; if the
 * open interval is long, the others count less. */
static gdouble
mean_interval (const LmccFairRate *fair, LmccTime now, gdouble alpha)
{
  guint n = count_weighted (fair), i;
  gdouble open = stretch (now > fair->event ? (gdouble) (now - fair->event) : 1,
      (gdouble) MAX (fair->bytes, fair->packet_size), 1, alpha);
  gdouble closed, discount = 1, sum, weights;

  if (n == 0)
    return open;
  closed = mean_closed (fair, alpha);
  if (open > NEAR * closed)
    discount = MAX (NEAR * closed / open, LEAST_DISCOUNT);
  sum = open * weight (0, n);
  weights = weight (0, n);
  for (i = 0; i < MAX (n - 1, 1); i++) {
    gdouble share = discount * weight (MIN (i + 1, n - 1), n);

    sum += share * closed_interval (fair, i, alpha);
    weights += share;
  }

  return MAX (closed, sum / weights);
}

/* The rate X at which a model yields X: @rate at the losses observed at
 * rates of about B, and (B / X)^((1 - alpha) power) times as much at the
 * losses at X. */
static gdouble
move (gdouble rate, gdouble power, gdouble alpha, gdouble follow_time)
{
  if (power * (1 - alpha) > MOST_FEEDBACK)
    power = MOST_FEEDBACK / (1 - alpha);

  return exp ((log (rate) - power * follow_time) / (1 - power * (1 - alpha)));
}

/* The exponent of 1 / @p that Reno's rate has there. */
static gdouble
find_reno_power (const LmccFairRate *fair, gdouble p)
{
  return log (reno_rate (fair, p / NEARBY) / reno_rate (fair, p))
      / log (NEARBY);
}

/* The rate at which the model yields that same rate, if intervals contain
 * @bits and last for @mean without the power of the rate. */
static gdouble
solve (const LmccFairRate *fair, gdouble bits, gdouble mean, gdouble alpha)
{
  gdouble follow_time = log (bits / mean), p, rate;

  p = 8.0 * fair->packet_size * LMCC_SECOND / (find_excess (alpha) * bits);
  p = MIN (p, 1);
  rate =
      move (reno_rate (fair, p), find_reno_power (fair, p), alpha, follow_time);
  if (fair->cubic)
    rate = MAX (rate,
        move (cubic_rate (fair, p), CUBIC_POWER, alpha, follow_time));

  return CLAMP (rate, LOWEST_RATE, HIGHEST_RATE);
}

/*
 * lmcc_fair_rate_get:
 * @fair: a fair rate
 * @now: the time
 *
 * Returns: bit/s, increasing while nothing is lost; infinite before the
 * first loss
 */
gdouble
lmcc_fair_rate_get (const LmccFairRate *fair, LmccTime now)
{
  gdouble alpha = get_alpha (fair);

  if (fair->n_intervals == 0)
    return INFINITY;

  return solve (fair, mean_interval (fair, now, 1),
      mean_interval (fair, now, alpha), alpha);
}

/*
 * lmcc_fair_rate_get_seen:
 * @fair: a fair rate
 *
 * Returns: bit/s according to losses only, because the time since the last
 * loss may mean that there is no competing traffic any more; infinite before
 * the first loss
 */
gdouble
lmcc_fair_rate_get_seen (const LmccFairRate *fair)
{
  gdouble alpha = get_alpha (fair);

  if (fair->n_intervals == 0)
    return INFINITY;

  return solve (fair, mean_closed (fair, 1), mean_closed (fair, alpha), alpha);
}

/*
 * lmcc_fair_rate_get_mean_interval:
 * @fair: a fair rate
 * @now: the time
 *
 * Returns: mean time between loss events in ns, at the rates at which they
 * occurred
 */
LmccTime
lmcc_fair_rate_get_mean_interval (const LmccFairRate *fair, LmccTime now)
{
  return (LmccTime) MIN (mean_interval (fair, now, 0), 1e18);
}

/*
 * lmcc_fair_rate_get_seen_interval:
 * @fair: a fair rate
 *
 * Returns: the same without the time since the latest event; 0: there was
 * none
 */
LmccTime
lmcc_fair_rate_get_seen_interval (const LmccFairRate *fair)
{
  return fair->n_intervals == 0 ? 0
                                : (LmccTime) MIN (mean_closed (fair, 0), 1e18);
}

/*
 * lmcc_fair_rate_get_loss_rate:
 * @fair: a fair rate
 * @now: the time
 *
 * Returns: observed loss events per packet, from 0 to 1
 */
gdouble
lmcc_fair_rate_get_loss_rate (const LmccFairRate *fair, LmccTime now)
{
  gdouble p;

  if (fair->n_intervals == 0)
    return 0;
  p = 8.0 * fair->packet_size * LMCC_SECOND / mean_interval (fair, now, 1);

  return CLAMP (p, 0, 1);
}
