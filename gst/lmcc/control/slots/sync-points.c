/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/slots/sync-points.h"

#include "wire/layer-header.h"

#include <math.h>
#include <string.h>

/* c^2 of TCP's rate c s / (RTT sqrt (p)), c = sqrt (3 / 2) (Mathis, Semke,
 * Mahdavi and Ott, "The Macroscopic Behavior of the TCP Congestion Avoidance
 * Algorithm", CCR 27(3), 1997; equation 18 of Wei and Zhang). */
#define TCP_SQUARE 1.5

/* A layer whose rate is a multiple of the base layer's must not miss its
 * slot because a sum of rates is rounded. */
#define ROUNDING 1e-9

/* 2^k - 1 must fit. */
#define MAX_FAILURES 62

static LmccTime
to_time (gdouble seconds)
{
  gdouble ns = seconds * LMCC_SECOND;

  /* Written so that NaN is out of range. */
  if (!(ns < (gdouble) G_MAXINT64))
    return LMCC_TIME_NONE;

  return MAX ((gint64) (ns + 0.5), 1);
}

/* Sync points every t R_i / B_0 give a receiver the rate sqrt (factor m / p)
 * s / t, where m is the number of base packets in t. */
static gdouble
rate_of_slot (gdouble base_rate, guint packet_size, LmccTime slot,
    gdouble factor, gdouble loss_rate)
{
  gdouble bits = 8.0 * MAX (packet_size, 1);
  gdouble seconds = (gdouble) MAX (slot, 1) / LMCC_SECOND;

  return sqrt (factor * base_rate * seconds / bits / loss_rate) * bits
      / seconds;
}

/* The t at which that equals TCP's rate. */
static LmccTime
slot_of_rtt (gdouble base_rate, guint packet_size, LmccTime rtt, gdouble factor)
{
  gdouble seconds = (gdouble) rtt / LMCC_SECOND;
  gdouble packets = base_rate / (8.0 * MAX (packet_size, 1));

  return to_time (factor * packets * seconds * seconds / TCP_SQUARE);
}

/* The RTT at which TCP has the rate that t gives. */
static LmccTime
rtt_of_slot (gdouble base_rate, guint packet_size, LmccTime slot,
    gdouble factor)
{
  gdouble packets = base_rate / (8.0 * MAX (packet_size, 1));

  return to_time (sqrt (TCP_SQUARE * slot / LMCC_SECOND / (factor * packets)));
}

/* The largest of the levels' factors. */
static gdouble
largest_factor (const gdouble *cumulative_rates, guint n_layers,
    gdouble upper_share)
{
  gdouble largest = n_layers > 1 ? 0 : 1;
  guint i;

  for (i = 0; i + 1 < n_layers; i++)
    largest = MAX (largest,
        lmcc_sync_points_factor (cumulative_rates, n_layers, i, upper_share));

  return largest;
}

/**
 * lmcc_rlc_slot_from_packets:
 * @base_rate: B_0, bit/s, above 0
 * @packet_size: s, in bytes, including IP and UDP headers
 * @base_packets: m, usually %LMCC_RLC_BASE_PACKETS
 *
 * The time in which the base layer sends this many packets (Legout and
 * Biersack, "Pathological Behaviors for RLM and RLC", NOSSDAV 2000, section 4;
 * s must be in bits there to yield its example: 256 bytes at 16 kbit/s give
 * roughly 2^i seconds).
 *
 * Returns: t_0, in ns
 */
LmccTime
lmcc_rlc_slot_from_packets (gdouble base_rate, guint packet_size,
    gdouble base_packets)
{
  return to_time (base_packets * 8.0 * packet_size / base_rate);
}

/**
 * lmcc_rlc_slot_from_rtt:
 * @base_rate: B_0, bit/s, above 0
 * @packet_size: s, in bytes, including IP and UDP headers
 * @rtt: the nominal RTT, in ns
 * @upper_share: alpha, 0 to 1; see %LMCC_SYNC_POINTS_UPPER_SHARE
 *
 * The t_0 at which lmcc_rlc_rate() equals TCP's rate with this RTT at low loss:
 * (1 + alpha) B_0 RTT^2 / (s c^2) with c = sqrt (3 / 2).
 *
 * Returns: t_0, in ns
 */
LmccTime
lmcc_rlc_slot_from_rtt (gdouble base_rate, guint packet_size, LmccTime rtt,
    gdouble upper_share)
{
  return slot_of_rtt (base_rate, packet_size, rtt, 1 + upper_share);
}

/**
 * lmcc_rlc_rtt_from_slot:
 * @base_rate: B_0, bit/s, above 0
 * @packet_size: s, in bytes, including IP and UDP headers
 * @slot: t_0, in ns
 * @upper_share: alpha, 0 to 1
 *
 * The inverse of lmcc_rlc_slot_from_rtt(): 0.354 t_0 if the base layer sends 8
 * packets in a slot and alpha is 0.5.
 *
 * Returns: the nominal RTT, in ns
 */
LmccTime
lmcc_rlc_rtt_from_slot (gdouble base_rate, guint packet_size, LmccTime slot,
    gdouble upper_share)
{
  return rtt_of_slot (base_rate, packet_size, slot, 1 + upper_share);
}

/**
 * lmcc_rlc_rate:
 * @base_rate: B_0, bit/s, above 0
 * @packet_size: s, in bytes, including IP and UDP headers
 * @slot: t_0, in ns
 * @upper_share: alpha, 0 to 1
 * @loss_rate: p, of loss events, above 0
 *
 * RLC's throughput, (s / t_0) sqrt (m (1 + alpha) / p), m = B_0 t_0 / s. Here a
 * receiver at level i goes up at the sync points of level i, which come every
 * 2^i t_0. Wei and Zhang, equation 22, have sqrt (m (1 + alpha) / 2 p), because
 * they use the sync point of layer i + 1, at half the rate.
 *
 * Returns: bit/s
 */
gdouble
lmcc_rlc_rate (gdouble base_rate, guint packet_size, LmccTime slot,
    gdouble upper_share, gdouble loss_rate)
{
  return rate_of_slot (base_rate, packet_size, slot, 1 + upper_share,
      loss_rate);
}

/**
 * lmcc_rlc_schedule_init:
 * @schedule: (out caller-allocates): the schedule
 * @top: the highest layer, below %LMCC_MAX_LAYERS
 * @base_rate: B_0, bit/s, above 0
 * @packet_size: s, in bytes, including IP and UDP headers
 * @slot: t_0, in ns; 0 counts as 1 ns
 * @burst_packets: packets of the base layer in a burst, usually
 *     %LMCC_RLC_BURST_PACKETS; 0 for no bursts
 *
 * A burst takes the time of its packets at twice the base layer's rate, but at
 * most half a slot: burst and silence must fit into the slot before a sync
 * point. The papers do not state the duration of a burst.
 */
void
lmcc_rlc_schedule_init (LmccRlcSchedule *schedule, guint top, gdouble base_rate,
    guint packet_size, LmccTime slot, gdouble burst_packets)
{
  schedule->top = MIN (top, LMCC_MAX_LAYERS - 1);
  schedule->slot = MAX (slot, 1);
  schedule->burst = 0;
  if (burst_packets > 0)
    schedule->burst =
        MIN (to_time (burst_packets * 8.0 * packet_size / (2 * base_rate)),
            schedule->slot / 2);
}

/**
 * lmcc_rlc_schedule_get_signal:
 * @schedule: the schedule
 * @slot: n, counted from the session's start, without wrapping
 *
 * The level of the sync point at the end of slot n: the number of zero bits at
 * the end of n + 1, at most top - 1. So the sync points of level i come every
 * 2^i slots, and each one is also a sync point of all lower levels (Legout and
 * Biersack, section 4). The literature differs on which of the two levels
 * between which a receiver moves determines the interval; here it is the lower
 * one, as in FLID-DL, section II-A.
 *
 * Returns: the highest level that may go up, %LMCC_SIGNAL_NOBODY in a session
 * of one layer
 */
gint
lmcc_rlc_schedule_get_signal (const LmccRlcSchedule *schedule, guint64 slot)
{
  guint64 n = slot + 1;
  gint level = 0;

  if (schedule->top == 0)
    return LMCC_SIGNAL_NOBODY;
  while (level + 1 < (gint) schedule->top && (n & 1) == 0) {
    n >>= 1;
    level++;
  }

  return level;
}

/**
 * lmcc_rlc_schedule_get_interval:
 * @schedule: the schedule
 * @level: i
 *
 * Returns: 2^i t_0, the time between two sync points of @level, in ns;
 * %LMCC_TIME_NONE if it exceeds the range of a time
 */
LmccTime
lmcc_rlc_schedule_get_interval (const LmccRlcSchedule *schedule, guint level)
{
  if (level >= 64 || schedule->slot > G_MAXUINT64 >> level)
    return LMCC_TIME_NONE;

  return schedule->slot << level;
}

static gboolean
is_in_burst (const LmccRlcSchedule *schedule, guint64 slot, guint layer)
{
  return (gint) layer <= lmcc_rlc_schedule_get_signal (schedule, slot);
}

/**
 * lmcc_rlc_schedule_get_factor:
 * @schedule: the schedule
 * @slot: n, counted from the session's start
 * @layer: a layer
 * @offset: time since the slot began, below t_0, in ns
 *
 * How fast @layer sends. Before a sync point of level k, all layers up to k
 * send at twice their rate for T_b and then nothing for T_b, so that the mean
 * is unchanged. A receiver at level k then receives 2 R_k: the R_{k+1} of the
 * next level. Doubling layer k alone, which is another possible reading of the
 * papers, would yield 1.5 R_k.
 *
 * Returns: 0, 1 or 2 times the layer's rate; with 2, packets carry the burst
 * mark
 */
guint
lmcc_rlc_schedule_get_factor (const LmccRlcSchedule *schedule, guint64 slot,
    guint layer, LmccTime offset)
{
  LmccTime before = offset < schedule->slot ? schedule->slot - offset : 0;

  if (!is_in_burst (schedule, slot, layer) || before > 2 * schedule->burst)
    return 1;

  return before > schedule->burst ? 2 : 0;
}

/**
 * lmcc_rlc_schedule_get_send_time:
 * @schedule: the schedule
 * @slot: n, counted from the session's start
 * @layer: a layer
 * @offset: when the packet would be sent at the layer's steady rate, relative
 *     to the start of the slot, below t_0, in ns
 *
 * The send time according to lmcc_rlc_schedule_get_factor(): packets due in the
 * burst or the silence are sent in the burst.
 *
 * Returns: when the packet is sent, relative to the start of the slot, in ns
 */
LmccTime
lmcc_rlc_schedule_get_send_time (const LmccRlcSchedule *schedule, guint64 slot,
    guint layer, LmccTime offset)
{
  LmccTime start = schedule->slot - 2 * schedule->burst;

  if (!is_in_burst (schedule, slot, layer) || offset <= start)
    return offset;

  return start + (offset - start) / 2;
}

/**
 * lmcc_sync_points_init:
 * @points: (out caller-allocates): the sync points
 * @n_layers: 1 to %LMCC_MAX_LAYERS
 *
 * Initializes the state before the first slot.
 */
void
lmcc_sync_points_init (LmccSyncPoints *points, guint n_layers)
{
  memset (points, 0, sizeof (*points));
  points->n_layers = CLAMP (n_layers, 1, LMCC_MAX_LAYERS);
}

/**
 * lmcc_sync_points_next:
 * @points: the sync points
 * @cumulative_rates: (array): B_j for each layer, bit/s of layers 0 to j, above
 *     0 and not decreasing; may change from slot to slot
 *
 * Returns the sync points at the end of the next slot, where a slot is tau_0.
 * Those of layer j come every tau_j = tau_0 B_j / B_0 (equation 12); if that is
 * not a whole number of slots, each is at the end of its slot. They are nested
 * only if the rates are multiples of each other: with linear layers, those of
 * layer 1 come every 2 slots and those of layer 2 every 3. So each level has a
 * separate bit.
 *
 * Returns: bit i is set if level i may go up: a sync point of layer i + 1
 */
guint64
lmcc_sync_points_next (LmccSyncPoints *points, const gdouble *cumulative_rates)
{
  guint64 levels = 0;
  guint j;

  for (j = 1; j < points->n_layers; j++) {
    gdouble *phase = &points->phases[j];

    *phase += cumulative_rates[0];
    if (*phase < cumulative_rates[j] * (1 - ROUNDING))
      continue;
    levels |= G_GUINT64_CONSTANT (1) << (j - 1);
    /* Less than a slot is left, unless the rate has just decreased. */
    *phase = CLAMP (*phase - cumulative_rates[j], 0, cumulative_rates[0]);
  }

  return levels;
}

/**
 * lmcc_sync_points_get_interval:
 * @cumulative_rates: (array): B_j
 * @layer: j
 * @slot: tau_0, in ns
 *
 * Returns: tau_j, in ns; %LMCC_TIME_NONE if it exceeds the range of a time
 */
LmccTime
lmcc_sync_points_get_interval (const gdouble *cumulative_rates, guint layer,
    LmccTime slot)
{
  return to_time (
      cumulative_rates[layer] / cumulative_rates[0] * slot / LMCC_SECOND);
}

/**
 * lmcc_sync_points_factor:
 * @cumulative_rates: (array length=n_layers): B_j
 * @n_layers: at least 1
 * @level: i, of the two levels i and i + 1 between which the receiver moves
 * @upper_share: alpha, its share of the time at level i + 1, 0 to 1
 *
 * The effect of the layers' rates on the throughput: ((K - 1) alpha + 1) / K
 * with K = B_{i+1} / B_i (equation 17, which also contains m). For linear
 * layers that is (alpha + i + 1) / (i + 2); equation 26 prints (alpha + i) / (i
 * + 1), with the K of the next lower level.
 *
 * Returns: above 0, at most 1; 1 at the top
 */
gdouble
lmcc_sync_points_factor (const gdouble *cumulative_rates, guint n_layers,
    guint level, gdouble upper_share)
{
  gdouble step;

  if (level + 1 >= n_layers)
    return 1;
  step = cumulative_rates[level + 1] / cumulative_rates[level];

  return ((step - 1) * upper_share + 1) / step;
}

/**
 * lmcc_sync_points_rate:
 * @cumulative_rates: (array length=n_layers): B_j
 * @n_layers: at least 1
 * @level: i, of the two levels i and i + 1 between which the receiver moves
 * @packet_size: s, in bytes, including IP and UDP headers
 * @slot: tau_0, in ns
 * @upper_share: alpha, 0 to 1
 * @loss_rate: p, of loss events, above 0
 *
 * The throughput K'(i) s / (tau_0 sqrt (p)) of equation 16, with K'(i) = sqrt
 * (m lmcc_sync_points_factor ()), m = B_0 tau_0 / s. It grows with B_0,
 * although the paper's section IV-B says that it does not.
 *
 * Returns: bit/s
 */
gdouble
lmcc_sync_points_rate (const gdouble *cumulative_rates, guint n_layers,
    guint level, guint packet_size, LmccTime slot, gdouble upper_share,
    gdouble loss_rate)
{
  return rate_of_slot (cumulative_rates[0], packet_size, slot,
      lmcc_sync_points_factor (cumulative_rates, n_layers, level, upper_share),
      loss_rate);
}

/**
 * lmcc_sync_points_slot_from_rtt:
 * @cumulative_rates: (array length=n_layers): B_j
 * @n_layers: at least 1
 * @packet_size: s, in bytes, including IP and UDP headers
 * @rtt: the nominal RTT, in ns
 * @upper_share: alpha, 0 to 1
 *
 * The tau_0 at which lmcc_sync_points_rate() equals TCP's rate with this RTT at
 * low loss: from equation 28, with m in K', tau_0 = factor B_0 RTT^2 / (s c^2),
 * c = sqrt (3 / 2). If the levels' factors differ, the largest applies, so that
 * no level gets more than TCP.
 *
 * Returns: tau_0, in ns
 */
LmccTime
lmcc_sync_points_slot_from_rtt (const gdouble *cumulative_rates, guint n_layers,
    guint packet_size, LmccTime rtt, gdouble upper_share)
{
  return slot_of_rtt (cumulative_rates[0], packet_size, rtt,
      largest_factor (cumulative_rates, n_layers, upper_share));
}

/**
 * lmcc_sync_points_rtt_from_slot:
 * @cumulative_rates: (array length=n_layers): B_j
 * @n_layers: at least 1
 * @packet_size: s, in bytes, including IP and UDP headers
 * @slot: tau_0, in ns
 * @upper_share: alpha, 0 to 1
 *
 * The inverse of lmcc_sync_points_slot_from_rtt().
 *
 * Returns: the nominal RTT, in ns
 */
LmccTime
lmcc_sync_points_rtt_from_slot (const gdouble *cumulative_rates, guint n_layers,
    guint packet_size, LmccTime slot, gdouble upper_share)
{
  return rtt_of_slot (cumulative_rates[0], packet_size, slot,
      largest_factor (cumulative_rates, n_layers, upper_share));
}

/**
 * lmcc_sync_backoff_init:
 * @backoff: (out caller-allocates): the back-off
 * @limit: number of consecutive failures after which the back-off grows no
 *     further; 0 for no limit, as in the paper
 *
 * Initializes the state without failures.
 */
void
lmcc_sync_backoff_init (LmccSyncBackoff *backoff, guint limit)
{
  memset (backoff, 0, sizeof (*backoff));
  backoff->limit = limit == 0 ? MAX_FAILURES : MIN (limit, MAX_FAILURES);
}

/**
 * lmcc_sync_backoff_sync_point:
 * @backoff: the back-off
 * @layer: the layer whose sync point it is: a joined one, or the next one
 * @held: whether the receiver has joined it
 *
 * A layer that is joined at its sync point, and so was joined at an earlier
 * one, has survived a whole tau: it has not failed, and the back-off restarts.
 * The paper does not say when the back-off ends.
 *
 * Returns: whether to join now
 */
gboolean
lmcc_sync_backoff_sync_point (LmccSyncBackoff *backoff, guint layer,
    gboolean held)
{
  if (held) {
    backoff->failures[layer] = 0;
    return FALSE;
  }
  if (backoff->skip[layer] > 0) {
    backoff->skip[layer]--;
    return FALSE;
  }

  return TRUE;
}

/**
 * lmcc_sync_backoff_dropped:
 * @backoff: the back-off
 * @layer: the layer that the receiver left because of loss
 *
 * After the k-th consecutive failure, 2^k - 1 sync points of the layer are
 * skipped: 1, 3, 7 (figure 6).
 */
void
lmcc_sync_backoff_dropped (LmccSyncBackoff *backoff, guint layer)
{
  backoff->failures[layer] = MIN (backoff->failures[layer] + 1, backoff->limit);
  backoff->skip[layer] =
      (G_GUINT64_CONSTANT (1) << backoff->failures[layer]) - 1;
}
