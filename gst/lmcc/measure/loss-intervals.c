/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/loss-intervals.h"

#include "measure/loss-timeline.h"

#include <math.h>

/* A longer first interval would be equivalent to no loss at all. */
#define MAX_FIRST 1e12

/* Number of the newest closed intervals that describe present losses. */
#define QUIET_INTERVALS 3

/* RFC 5348 section 5.4, newest first. */
static const gdouble weights[LMCC_LOSS_INTERVALS] = { 1, 1, 1, 1, 0.8, 0.6, 0.4,
  0.2 };

struct _LmccLossIntervals
{
  LmccLossTimeline timeline;
  gdouble first; /* given length of the first interval, or 0 */
};

/**
 * lmcc_loss_intervals_new:
 * @window: N, in packets: of the losses that follow the first one of a loss
 *     event within an RTT, those count that are at least N packets after the
 *     previous loss, whether that one counted or not. %LMCC_LOSS_WINDOW_LAP
 *     (and 0): all count. %LMCC_LOSS_WINDOW_LIP: none, as in TFRC (RFC 5348
 *     section 5.2). In between: the LIP/LAP window, whose author shows it with
 *     3.
 * @rtt: round-trip time in ns, as in lmcc_loss_intervals_set_rtt()
 *
 * The estimators of Colussi, "Equation-based Layered Multicast Congestion
 * Control", 2004: loss-insensitive period (LIP, section 4.2), loss-aggregation
 * period (LAP, section 5.1), and the window between the two (6.2.2). At N
 * packets per RTT and independent losses of probability p, LIP gives 1 / (N - 1
 * + 1 / p) (equation 12), which falls with the rate; LAP gives p.
 *
 * Returns: (transfer full): a history without losses
 */
LmccLossIntervals *
lmcc_loss_intervals_new (guint window, LmccTime rtt)
{
  LmccLossIntervals *history = g_new0 (LmccLossIntervals, 1);

  lmcc_loss_timeline_init (&history->timeline, window, rtt);

  return history;
}

/**
 * lmcc_loss_intervals_free:
 * @history: (transfer full): a history
 */
void
lmcc_loss_intervals_free (LmccLossIntervals *history)
{
  lmcc_loss_timeline_clear (&history->timeline);
  g_free (history);
}

/**
 * lmcc_loss_intervals_reset:
 * @history: a history
 *
 * Forgets all packets and losses and the first interval's length, for a new
 * session. Window, RTT and hold time stay.
 */
void
lmcc_loss_intervals_reset (LmccLossIntervals *history)
{
  lmcc_loss_timeline_reset (&history->timeline);
  history->first = 0;
}

/**
 * lmcc_loss_intervals_set_rtt:
 * @history: a history
 * @rtt: round-trip time in ns, smoothed; the session's maximum while it is not
 *     known (RFC 4654 section 3.1: 500 ms); 0: every loss is an event
 *
 * Sets the duration of a loss event. Changes events within the hold time, too,
 * but no earlier ones.
 */
void
lmcc_loss_intervals_set_rtt (LmccLossIntervals *history, LmccTime rtt)
{
  lmcc_loss_timeline_set_rtt (&history->timeline, rtt);
}

/**
 * lmcc_loss_intervals_set_hold:
 * @history: a history
 * @hold: how long a packet's place in the order may change, in ns: one RTT plus
 *     the longest time that a joined layer takes to reveal a loss is suitable.
 *     Losses that are older when they are reported count at the oldest place
 *     left.
 */
void
lmcc_loss_intervals_set_hold (LmccLossIntervals *history, LmccTime hold)
{
  history->timeline.hold = hold;
}

/**
 * lmcc_loss_intervals_start:
 * @history: a history
 * @now: end of the interval, not before the newest packet, in ns
 * @packets: length of the only closed interval, in packets, from 1 to 10^12 and
 *     clamped to that
 *
 * Forgets everything and restarts with a given loss rate, 1 / @packets, for the
 * case that earlier observations say nothing about the future. The next loss
 * begins an event.
 */
void
lmcc_loss_intervals_start (LmccLossIntervals *history, LmccTime now,
    gdouble packets)
{
  lmcc_loss_intervals_reset (history);
  lmcc_loss_timeline_begin (&history->timeline, now);
  lmcc_loss_intervals_set_first (history, packets);
}

/**
 * lmcc_loss_intervals_packet:
 * @history: a history
 * @arrival: arrival time of packets, in ns
 * @count: number of packets that arrived then, of any joined layers
 *
 * Counts packets of any joined layer. Do not count duplicates or packets that
 * were reported as lost before.
 */
void
lmcc_loss_intervals_packet (LmccLossIntervals *history, LmccTime arrival,
    guint count)
{
  if (count > 0)
    lmcc_loss_timeline_packets (&history->timeline, arrival, count);
}

/**
 * lmcc_loss_intervals_lose:
 * @history: a history
 * @loss: a run of lost packets; packets that would have arrived later than the
 *     newest packet count at its time
 *
 * Reports losses of any joined layer, after lmcc_loss_intervals_packet() for
 * the packet that revealed them. Losses of several layers may come in any
 * order. The work depends on the number of packets that arrived meanwhile, not
 * on the number of losses.
 */
void
lmcc_loss_intervals_lose (LmccLossIntervals *history, const LmccLoss *loss)
{
  lmcc_loss_timeline_lose (&history->timeline, loss);
}

/**
 * lmcc_loss_intervals_loss:
 * @history: a history
 * @time: when the packets would have arrived, in ns
 * @count: number of packets lost at that time
 *
 * As lmcc_loss_intervals_lose(), for losses at a single time.
 */
void
lmcc_loss_intervals_loss (LmccLossIntervals *history, LmccTime time,
    guint count)
{
  LmccLoss loss = lmcc_loss_at (time, count);

  if (count > 0)
    lmcc_loss_intervals_lose (history, &loss);
}

/**
 * lmcc_loss_intervals_find:
 * @history: a history
 * @time: when a packet that was reported as lost would have arrived, in ns
 *
 * Withdraws a loss: the packet has arrived after all (RFC 5348 section 5.1: a
 * late packet fills the hole, and the loss event rate is recomputed). Losses
 * older than the hold time stay.
 */
void
lmcc_loss_intervals_find (LmccLossIntervals *history, LmccTime time)
{
  lmcc_loss_timeline_find (&history->timeline, time);
}

/**
 * lmcc_loss_intervals_first_length:
 * @receive_rate: X_recv at the first loss, in bit/s
 * @rtt: round-trip time R in ns, or its substitute until it is known
 * @packet_size: s, in bytes
 *
 * Computes the loss interval at which TCP would get the rate received at the
 * first loss, according to the simple model: l_0 = (X_recv R / (sqrt (3/2) 8
 * s))^2 (RFC 4654 section 5.6). The number of packets before the first loss
 * says little about the loss rate: it only depends on when the receiver joined.
 *
 * Returns: l_0 in packets, from 1 to 10^12
 */
gdouble
lmcc_loss_intervals_first_length (gdouble receive_rate, LmccTime rtt,
    guint packet_size)
{
  gdouble root = receive_rate * rtt / LMCC_SECOND
      / (sqrt (1.5) * 8 * MAX (packet_size, 1));

  return root > 1 ? MIN (root * root, MAX_FIRST) : 1;
}

/**
 * lmcc_loss_intervals_set_first:
 * @history: a history
 * @packets: length of the interval before the first loss, in packets, from 1 to
 *     10^12 and clamped to that
 *
 * Replaces the number of packets before the first loss, as long as that
 * interval is in the history. Call it at the first loss, with
 * lmcc_loss_intervals_first_length().
 */
void
lmcc_loss_intervals_set_first (LmccLossIntervals *history, gdouble packets)
{
  history->first = packets > 1 ? MIN (packets, MAX_FIRST) : 1;
}

/**
 * lmcc_loss_intervals_rescale_first:
 * @history: a history
 * @rtt: the measured round-trip time, in ns
 * @assumed_rtt: the value passed to lmcc_loss_intervals_first_length(), in ns;
 *     0: do nothing
 *
 * Corrects the first interval once the RTT is known, l_0 (R / R_max)^2 (RFC
 * 4654 section 5.6). Has no effect if none was set.
 */
void
lmcc_loss_intervals_rescale_first (LmccLossIntervals *history, LmccTime rtt,
    LmccTime assumed_rtt)
{
  gdouble ratio;

  if (history->first == 0 || assumed_rtt == 0)
    return;

  ratio = (gdouble) rtt / assumed_rtt;
  lmcc_loss_intervals_set_first (history, history->first * ratio * ratio);
}

/**
 * lmcc_loss_intervals_get_events:
 * @history: a history
 *
 * Returns: number of loss events so far; 0 until the first loss
 */
guint64
lmcc_loss_intervals_get_events (LmccLossIntervals *history)
{
  return lmcc_loss_timeline_get (&history->timeline)->events;
}

/**
 * lmcc_loss_intervals_get:
 * @history: a history
 * @intervals: (out): the open interval, then the closed ones, newest first
 *
 * Returns: number of intervals set; 0 until the first loss, at least 2
 * afterwards
 */
guint
lmcc_loss_intervals_get (LmccLossIntervals *history,
    LmccLossInterval intervals[LMCC_LOSS_INTERVALS + 1])
{
  const LmccLossEvents *state = lmcc_loss_timeline_get (&history->timeline);
  guint n = MIN (state->events, LMCC_LOSS_INTERVALS);
  guint i;

  if (n == 0)
    return 0;

  intervals[0] =
      (LmccLossInterval){ .packets = state->packets - state->event_packet + 1,
        .losses = state->event_losses };
  for (i = 0; i < n; i++)
    intervals[i + 1] = state->closed[i];
  if (history->first > 0 && state->events <= LMCC_LOSS_INTERVALS)
    intervals[n].packets = history->first;

  return n + 1;
}

/* Losses per packet over this number of intervals: the same intervals in
 * numerator and denominator. */
static gdouble
weighted_ratio (const LmccLossInterval *intervals, guint n)
{
  gdouble losses = 0;
  gdouble packets = 0;
  guint i;

  for (i = 0; i < n; i++) {
    losses += weights[i] * intervals[i].losses;
    packets += weights[i] * intervals[i].packets;
  }

  return MIN (losses / packets, 1);
}

/**
 * lmcc_loss_intervals_is_quiet:
 * @history: a history
 *
 * Decides whether losses are over: the open interval is longer than twice the
 * mean of the newest closed ones, three at most. RFC 5348 section 5.5 discounts
 * the history beyond twice the mean of all; this function only considers the
 * event that may be over, whatever preceded it.
 *
 * Returns: whether losses are over; %TRUE until the first loss
 */
gboolean
lmcc_loss_intervals_is_quiet (LmccLossIntervals *history)
{
  LmccLossInterval intervals[LMCC_LOSS_INTERVALS + 1];
  guint n = lmcc_loss_intervals_get (history, intervals);
  gdouble sum = 0;
  guint i;

  if (n == 0)
    return TRUE;
  n = MIN (n - 1, QUIET_INTERVALS);
  for (i = 1; i <= n; i++)
    sum += intervals[i].packets;

  return intervals[0].packets > 2 * sum / n;
}

/**
 * lmcc_loss_intervals_get_loss_rate:
 * @history: a history
 *
 * The loss event rate. The open interval is included, and the oldest one
 * excluded, only if that makes the rate smaller (RFC 5348 section 5.4):
 *
 *     p = min (sum w_i Psi_i / sum w_i Theta_i over i = 0 to k - 1,
 *              sum w_{i-1} Psi_i / sum w_{i-1} Theta_i over i = 1 to k)
 *
 * With LIP all Psi are 1, and this is equations 10 and 11 of the paper named at
 * lmcc_loss_intervals_new(). Its equations 15 to 17 for LAP divide closed
 * intervals' losses by an average that may include the open interval; here both
 * cover the same intervals.
 *
 * Returns: p, from 0 to 1; 0 until the first loss
 */
gdouble
lmcc_loss_intervals_get_loss_rate (LmccLossIntervals *history)
{
  LmccLossInterval intervals[LMCC_LOSS_INTERVALS + 1];
  guint n = lmcc_loss_intervals_get (history, intervals);

  if (n == 0)
    return 0;

  return MIN (weighted_ratio (intervals, n - 1),
      weighted_ratio (intervals + 1, n - 1));
}

/**
 * lmcc_loss_intervals_get_impact_rate:
 * @history: a history
 *
 * The loss event rate by equations 10, 16 and 17 of the paper named at
 * lmcc_loss_intervals_new(), as printed:
 *
 *     p = sum w_i Psi_i
 *         / max (sum w_i Theta_i, sum w_i Theta_{i+1}) over i = 0 to k - 1
 *
 * An event's losses belong to the interval that it ends, so the newest ones
 * count at once, while lmcc_loss_intervals_get_loss_rate() counts them only
 * when the next event occurs or the open interval is included. With LIP both
 * are the same. Intervals extend from the beginning of an event to that of the
 * next; those of equation 13 extend from end to end, which have the same mean.
 *
 * Returns: p, from 0 to 1; 0 until the first loss
 */
gdouble
lmcc_loss_intervals_get_impact_rate (LmccLossIntervals *history)
{
  LmccLossInterval intervals[LMCC_LOSS_INTERVALS + 1];
  guint n = lmcc_loss_intervals_get (history, intervals);
  gdouble impact = 0, with_open = 0, closed = 0;
  guint i;

  if (n == 0)
    return 0;
  for (i = 0; i + 1 < n; i++) {
    impact += weights[i] * intervals[i].losses;
    with_open += weights[i] * intervals[i].packets;
    closed += weights[i] * intervals[i + 1].packets;
  }

  return MIN (impact / MAX (with_open, closed), 1);
}
