/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "lmcc-loss-intervals.h"

#include <math.h>

/* What may still change is kept for so many packets at most; more make older
 * ones final before their time. */
#define MAX_PENDING 65536

/* A first interval beyond this would stand for no loss at all. */
#define MAX_FIRST 1e12

/* Newest closed intervals that say what losses are like now. */
#define QUIET_INTERVALS 3

/* RFC 5348 section 5.4, newest first. */
static const gdouble weights[LMCC_LOSS_INTERVALS] = {
  1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2
};

/* Packets that came, or were lost, at one time. */
typedef struct
{
  LmccTime time;
  guint count;
  gboolean lost;
} Entry;

/* What follows from all entries up to some time. Packets are numbered from 1,
 * in the order of their times over all layers. */
typedef struct
{
  guint64 packets;              /* number of the newest */
  guint64 events;
  LmccTime event_time;          /* of the newest event's first loss */
  guint64 event_packet;         /* number of the same */
  guint64 event_losses;         /* that count so far */
  guint64 last_loss;            /* number of the newest loss, counting or not */
  LmccLossInterval closed[LMCC_LOSS_INTERVALS]; /* newest first */
} State;

/* A loss is seen at its layer's next packets, those of other layers came
 * meanwhile: so the newest entries are kept in the order of their times, and
 * the state after them is worked out again when one comes in between. */
struct _LmccLossIntervals
{
  guint window;
  LmccTime rtt;
  LmccTime hold;
  gdouble first;                /* given length of the first interval, or 0 */

  GArray *entries;
  guint n_final;                /* of entries, in settled already */
  LmccTime newest;              /* arrival */
  LmccTime final_time;          /* no entry is put before this */
  State settled;
  State live;
  gboolean live_valid;
};

/**
 * lmcc_loss_intervals_new:
 * @window: N, in packets: of the losses that follow the first one of a loss
 *     event within an RTT, those count that are at least so many packets behind
 *     the loss before them, whether that one counted or not.
 *     %LMCC_LOSS_WINDOW_LAP (and 0): all count. %LMCC_LOSS_WINDOW_LIP: none,
 *     as in TFRC (RFC 5348 section 5.2). In between: the LIP/LAP window, whose
 *     author shows it with 3.
 * @rtt: round-trip time in ns, as lmcc_loss_intervals_set_rtt()
 *
 * The estimators of Colussi, "Equation-based Layered Multicast Congestion
 * Control", 2004: loss-insensitive period (LIP, section 4.2), loss-aggregation
 * period (LAP, section 5.1), and the window between the two (6.2.2). At N
 * packets per RTT and independent losses of probability p, LIP gives
 * 1 / (N - 1 + 1 / p) (equation 12), which falls with the rate; LAP gives p.
 *
 * Returns: (transfer full): a history without losses
 */
LmccLossIntervals *
lmcc_loss_intervals_new (guint window, LmccTime rtt)
{
  LmccLossIntervals *history = g_new0 (LmccLossIntervals, 1);

  history->window = window;
  history->rtt = rtt;
  history->hold = LMCC_LOSS_HOLD;
  history->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  history->live_valid = TRUE;

  return history;
}

/**
 * lmcc_loss_intervals_free:
 * @history: (transfer full): a history
 */
void
lmcc_loss_intervals_free (LmccLossIntervals * history)
{
  g_array_unref (history->entries);
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
lmcc_loss_intervals_reset (LmccLossIntervals * history)
{
  g_array_set_size (history->entries, 0);
  history->n_final = 0;
  history->newest = 0;
  history->final_time = 0;
  history->first = 0;
  history->settled = (State) {
  0};
  history->live = history->settled;
  history->live_valid = TRUE;
}

/**
 * lmcc_loss_intervals_set_rtt:
 * @history: a history
 * @rtt: round-trip time in ns, smoothed; the session's largest where it is not
 *     known yet (RFC 4654 section 3.1: 500 ms); 0: every loss is an event
 *
 * Sets how long a loss event lasts. Changes the events of the hold time too,
 * none before.
 */
void
lmcc_loss_intervals_set_rtt (LmccLossIntervals * history, LmccTime rtt)
{
  if (history->rtt == rtt)
    return;
  history->rtt = rtt;
  history->live_valid = FALSE;
}

/**
 * lmcc_loss_intervals_set_hold:
 * @history: a history
 * @hold: how long a packet's place in the order may change, in ns; one RTT plus
 *     the longest time that a held layer takes to show a loss is right. Losses
 *     that are older when they are reported count at the oldest place left.
 */
void
lmcc_loss_intervals_set_hold (LmccLossIntervals * history, LmccTime hold)
{
  history->hold = hold;
}

static void
begin_event (State * state, LmccTime time, guint64 packet)
{
  LmccLossInterval closed;
  guint i;

  if (state->events == 0) {
    closed.packets = MAX (packet - 1, 1);
    closed.losses = 1;
  } else {
    closed.packets = packet - state->event_packet;
    closed.losses = state->event_losses;
  }
  for (i = LMCC_LOSS_INTERVALS - 1; i > 0; i--)
    state->closed[i] = state->closed[i - 1];
  state->closed[0] = closed;

  state->events++;
  state->event_time = time;
  state->event_packet = packet;
  state->event_losses = 1;
}

static void
apply_losses (const LmccLossIntervals * history, State * state, LmccTime time,
    guint count)
{
  guint64 packet = state->packets + 1;

  /* "at least one round-trip time has elapsed" (Colussi, section 4.2.3); in
   * RFC 5348 section 5.2 a loss at exactly one RTT still belongs to it. */
  if (state->events == 0 || time - state->event_time >= history->rtt)
    begin_event (state, time, packet);
  else if (packet - state->last_loss >= history->window)
    state->event_losses++;
  if (history->window <= LMCC_LOSS_WINDOW_LAP)
    state->event_losses += count - 1;

  state->packets += count;
  state->last_loss = state->packets;
}

static void
apply (const LmccLossIntervals * history, State * state, const Entry * entry)
{
  if (entry->lost)
    apply_losses (history, state, entry->time, entry->count);
  else
    state->packets += entry->count;
}

static const State *
get_state (LmccLossIntervals * history)
{
  guint i;

  if (!history->live_valid) {
    history->live = history->settled;
    for (i = history->n_final; i < history->entries->len; i++)
      apply (history, &history->live, &g_array_index (history->entries, Entry,
              i));
    history->live_valid = TRUE;
  }

  return &history->live;
}

static void
add (LmccLossIntervals * history, const Entry * entry)
{
  guint i = history->entries->len;

  while (i > history->n_final
      && g_array_index (history->entries, Entry, i - 1).time > entry->time)
    i--;

  if (i < history->entries->len)
    history->live_valid = FALSE;
  else if (history->live_valid)
    apply (history, &history->live, entry);
  g_array_insert_val (history->entries, i, *entry);
}

static gboolean
is_final (const LmccLossIntervals * history, const Entry * entry)
{
  return history->newest - MIN (entry->time, history->newest) > history->hold
      || history->entries->len - history->n_final > MAX_PENDING;
}

static void
settle (LmccLossIntervals * history)
{
  while (history->n_final < history->entries->len) {
    const Entry *entry = &g_array_index (history->entries, Entry,
        history->n_final);

    if (!is_final (history, entry))
      break;
    apply (history, &history->settled, entry);
    history->final_time = entry->time;
    history->n_final++;
  }

  if (history->n_final > history->entries->len / 2) {
    g_array_remove_range (history->entries, 0, history->n_final);
    history->n_final = 0;
  }
}

/**
 * lmcc_loss_intervals_start:
 * @history: a history
 * @now: when the interval ended, not before the newest packet, in ns
 * @packets: length of the only closed interval, in packets, from 1 to 10^12 and
 *     clamped to that
 *
 * Forgets all and begins again with a given loss rate, 1 / @packets: where what
 * was seen says nothing about what comes. The next loss begins an event.
 */
void
lmcc_loss_intervals_start (LmccLossIntervals * history, LmccTime now,
    gdouble packets)
{
  lmcc_loss_intervals_reset (history);
  history->newest = now;
  history->final_time = now;
  begin_event (&history->settled, now - MIN (history->rtt, now), 1);
  history->settled.packets = 1;
  history->settled.last_loss = 1;
  history->live = history->settled;
  lmcc_loss_intervals_set_first (history, packets);
}

/**
 * lmcc_loss_intervals_packet:
 * @history: a history
 * @arrival: when packets came, in ns
 * @count: how many came then, of whatever held layers
 *
 * Counts packets of any held layer. Duplicates, and packets that were reported
 * as lost before, are not to be counted.
 */
void
lmcc_loss_intervals_packet (LmccLossIntervals * history, LmccTime arrival,
    guint count)
{
  Entry entry = {.time = MAX (arrival, history->final_time),.count = count };

  if (count == 0)
    return;

  add (history, &entry);
  history->newest = MAX (history->newest, entry.time);
  settle (history);
}

/**
 * lmcc_loss_intervals_loss:
 * @history: a history
 * @time: when the packets would have come, in ns, interpolated between the
 *     packets of their layer that did (RFC 4654 section 5.2); later than the
 *     newest packet counts as then
 * @count: how many were lost then
 *
 * Reports losses of any held layer, after lmcc_loss_intervals_packet() for the
 * packet that showed them. Losses of several layers may come in any order.
 */
void
lmcc_loss_intervals_loss (LmccLossIntervals * history, LmccTime time,
    guint count)
{
  Entry entry = {.time = MAX (MIN (time, history->newest),
        history->final_time),.count = count,.lost = TRUE
  };

  if (count == 0)
    return;

  add (history, &entry);
  settle (history);
}

/**
 * lmcc_loss_intervals_first_length:
 * @receive_rate: X_recv at the first loss, in bit/s
 * @rtt: round-trip time R, in ns, or what stands for it until it is known
 * @packet_size: s, in bytes
 *
 * The loss interval at which TCP would get what was received at the first loss,
 * by the simple model: l_0 = (X_recv R / (sqrt (3/2) 8 s))^2 (RFC 4654 section
 * 5.6). The packets before the first loss say little about the loss rate: they
 * only tell when the receiver came.
 *
 * Returns: l_0 in packets, from 1 to 10^12
 */
gdouble
lmcc_loss_intervals_first_length (gdouble receive_rate, LmccTime rtt,
    guint packet_size)
{
  gdouble root = receive_rate * rtt / LMCC_SECOND /
      (sqrt (1.5) * 8 * MAX (packet_size, 1));

  return root > 1 ? MIN (root * root, MAX_FIRST) : 1;
}

/**
 * lmcc_loss_intervals_set_first:
 * @history: a history
 * @packets: length of the interval before the first loss, in packets, from 1 to
 *     10^12 and clamped to that
 *
 * Puts a length in the place of the number of packets before the first loss, as
 * long as that interval is in the history. To be called at the first loss, with
 * lmcc_loss_intervals_first_length().
 */
void
lmcc_loss_intervals_set_first (LmccLossIntervals * history, gdouble packets)
{
  history->first = packets > 1 ? MIN (packets, MAX_FIRST) : 1;
}

/**
 * lmcc_loss_intervals_rescale_first:
 * @history: a history
 * @rtt: the measured round-trip time, in ns
 * @assumed_rtt: what lmcc_loss_intervals_first_length() was given for it, in
 *     ns; 0: nothing is done
 *
 * Corrects the first interval once the RTT is known, l_0 (R / R_max)^2
 * (RFC 4654 section 5.6). Nothing happens if none was set.
 */
void
lmcc_loss_intervals_rescale_first (LmccLossIntervals * history, LmccTime rtt,
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
 * Returns: loss events so far; 0 until the first loss
 */
guint64
lmcc_loss_intervals_get_events (LmccLossIntervals * history)
{
  return get_state (history)->events;
}

/**
 * lmcc_loss_intervals_get:
 * @history: a history
 * @intervals: (out): the open interval, then the closed ones, newest first
 *
 * Returns: how many were filled in; 0 until the first loss, at least 2 after
 */
guint
lmcc_loss_intervals_get (LmccLossIntervals * history,
    LmccLossInterval intervals[LMCC_LOSS_INTERVALS + 1])
{
  const State *state = get_state (history);
  guint n = MIN (state->events, LMCC_LOSS_INTERVALS);
  guint i;

  if (n == 0)
    return 0;

  intervals[0] = (LmccLossInterval) {
  .packets = state->packets - state->event_packet + 1,.losses =
        state->event_losses};
  for (i = 0; i < n; i++)
    intervals[i + 1] = state->closed[i];
  if (history->first > 0 && state->events <= LMCC_LOSS_INTERVALS)
    intervals[n].packets = history->first;

  return n + 1;
}

/* Losses per packet over so many intervals: the same ones above and below. */
static gdouble
weighted_ratio (const LmccLossInterval * intervals, guint n)
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
 * Says whether losses are over: the open interval is longer than twice the mean
 * of the newest closed ones, three at most. RFC 5348 section 5.5 discounts the
 * history beyond twice the mean of all; here only the event that may be over is
 * looked at, whatever came before it.
 *
 * Returns: whether it is; %TRUE until the first loss
 */
gboolean
lmcc_loss_intervals_is_quiet (LmccLossIntervals * history)
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
 * lmcc_loss_intervals_get_closed_loss_rate:
 * @history: a history
 *
 * The loss-event rate of the closed intervals alone:
 *
 *     sum w_{i-1} Psi_i / sum w_{i-1} Theta_i over i = 1 to k
 *
 * Returns: p, from 0 to 1; 0 until the first loss
 */
gdouble
lmcc_loss_intervals_get_closed_loss_rate (LmccLossIntervals * history)
{
  LmccLossInterval intervals[LMCC_LOSS_INTERVALS + 1];
  guint n = lmcc_loss_intervals_get (history, intervals);

  return n == 0 ? 0 : weighted_ratio (intervals + 1, n - 1);
}

/**
 * lmcc_loss_intervals_get_loss_rate:
 * @history: a history
 *
 * The loss-event rate. The open interval is taken in, and the oldest one left
 * out, only where that makes the rate smaller (RFC 5348 section 5.4):
 *
 *     p = min (sum w_i Psi_i / sum w_i Theta_i over i = 0 to k - 1,
 *              sum w_{i-1} Psi_i / sum w_{i-1} Theta_i over i = 1 to k)
 *
 * With LIP all Psi are 1 and this is equations 10 and 11 of the paper named at
 * lmcc_loss_intervals_new(). Its equations 15 to 17 for LAP divide closed
 * intervals' losses by an average that may have the open one in it; here both
 * have the same intervals.
 *
 * Returns: p, from 0 to 1; 0 until the first loss
 */
gdouble
lmcc_loss_intervals_get_loss_rate (LmccLossIntervals * history)
{
  LmccLossInterval intervals[LMCC_LOSS_INTERVALS + 1];
  guint n = lmcc_loss_intervals_get (history, intervals);

  if (n == 0)
    return 0;

  return MIN (weighted_ratio (intervals, n - 1),
      weighted_ratio (intervals + 1, n - 1));
}
