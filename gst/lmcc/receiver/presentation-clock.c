/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/presentation-clock.h"

#include "wire/layer-header.h"

/* The path's own delay is the smallest delay in this number of windows of
 * this length: long enough to outlast a queue, short enough to follow the
 * drift between two clocks. */
#define DELAY_WINDOW LMCC_SECOND
#define N_DELAY_WINDOWS 10

/* Fastest correction: 500 parts per million, five times the drift of quartz
 * clocks; at 24 pictures/s a step changes by 20 us. */
#define SLEW_DIVISOR 2000

/* Larger corrections are made in a step. A longer path makes pictures late,
 * so a step comes soon; a shorter one only costs latency. */
#define STEP_THRESHOLD_LATER (100 * (gint64) LMCC_MSECOND)
#define STEP_THRESHOLD_EARLIER ((gint64) LMCC_SECOND)

/* A sample this far off is ignored until this many in a row agree. */
#define PLAUSIBLE_RANGE (10 * (gint64) LMCC_SECOND)
#define N_IMPLAUSIBLE 20

/* Sender reports whose mappings differ by less are the same mapping,
 * rounded. */
#define SAME_MAPPING (2 * (gint64) LMCC_MSECOND)

/* A report is sent at once; one with a time further off than this is
 * ignored. */
#define REPORT_RANGE (5 * (gint64) LMCC_SECOND)

typedef struct
{
  gboolean known;
  gboolean guessed;
  guint32 rtp_reference;
  gint64 time_reference; /* sender's time at rtp_reference */
  guint32 clock_rate;
} Mapping;

struct _LmccClock
{
  gboolean started;
  guint32 reference_short;
  gint64 reference; /* sender's time at reference_short */

  gint64 offset;        /* receiver's time - sender's time */
  LmccTime offset_time; /* when offset last changed */
  gint64 minima[N_DELAY_WINDOWS];
  guint n_minima;
  guint window_index;
  LmccTime window_start;
  guint implausible;

  Mapping mappings[LMCC_N_TIMELINES];
};

/**
 * lmcc_clock_new:
 *
 * Returns: (transfer full): a clock without measurements
 */
LmccClock *
lmcc_clock_new (void)
{
  return g_new0 (LmccClock, 1);
}

/**
 * lmcc_clock_free:
 * @clock: (transfer full): a clock
 */
void
lmcc_clock_free (LmccClock *clock)
{
  g_free (clock);
}

/**
 * lmcc_clock_reset:
 * @clock: a clock
 *
 * Forgets everything, for a new sender.
 */
void
lmcc_clock_reset (LmccClock *clock)
{
  *clock = (LmccClock){ 0 };
}

/* The sender's time in ns on a timeline that does not wrap. */
static gint64
sender_time (const LmccClock *clock, guint32 send_time)
{
  return clock->reference
      + lmcc_ntp_short_diff (send_time, clock->reference_short);
}

static void
start (LmccClock *clock, LmccTime arrival, guint32 send_time)
{
  lmcc_clock_reset (clock);
  clock->started = TRUE;
  clock->reference_short = send_time;
  clock->offset = (gint64) arrival;
  clock->offset_time = arrival;
  clock->minima[0] = clock->offset;
  clock->n_minima = 1;
  clock->window_start = arrival;
}

static void
note_sample (LmccClock *clock, LmccTime arrival, gint64 sample)
{
  if (arrival >= clock->window_start + DELAY_WINDOW) {
    clock->window_index = (clock->window_index + 1) % N_DELAY_WINDOWS;
    clock->n_minima = MIN (clock->n_minima + 1, N_DELAY_WINDOWS);
    clock->minima[clock->window_index] = sample;
    clock->window_start = arrival;
  } else {
    clock->minima[clock->window_index] =
        MIN (clock->minima[clock->window_index], sample);
  }
}

static gint64
smallest_sample (const LmccClock *clock)
{
  gint64 smallest = clock->minima[0];
  guint i;

  for (i = 1; i < clock->n_minima; i++)
    smallest = MIN (smallest, clock->minima[i]);

  return smallest;
}

static void
slew (LmccClock *clock, LmccTime arrival)
{
  gint64 wanted = smallest_sample (clock) - clock->offset;
  gint64 most;

  if (arrival <= clock->offset_time)
    return;
  most = (gint64) (arrival - clock->offset_time) / SLEW_DIVISOR;
  clock->offset_time = arrival;

  if (wanted > STEP_THRESHOLD_LATER || wanted < -STEP_THRESHOLD_EARLIER)
    clock->offset += wanted;
  else
    clock->offset += CLAMP (wanted, -most, most);
}

/**
 * lmcc_clock_packet:
 * @clock: a clock
 * @arrival: arrival time of a packet, on the receiver's clock
 * @send_time: its send time, from its header element
 *
 * Follows the sender's clock.
 *
 * Returns: %FALSE if the send time is implausible and was not used
 */
gboolean
lmcc_clock_packet (LmccClock *clock, LmccTime arrival, guint32 send_time)
{
  gint64 sent, sample;

  if (!clock->started) {
    start (clock, arrival, send_time);
    return TRUE;
  }

  sent = sender_time (clock, send_time);
  sample = (gint64) arrival - sent;
  if (ABS (sample - clock->offset) > PLAUSIBLE_RANGE) {
    if (++clock->implausible < N_IMPLAUSIBLE)
      return FALSE;
    start (clock, arrival, send_time);
    return TRUE;
  }

  clock->implausible = 0;
  if (sent > clock->reference) {
    clock->reference = sent;
    clock->reference_short = send_time;
  }
  note_sample (clock, arrival, sample);
  slew (clock, arrival);

  return TRUE;
}

static gint64
rtp_to_sender (const Mapping *mapping, guint32 rtp_time)
{
  gint64 ticks = (gint32) (rtp_time - mapping->rtp_reference);

  return mapping->time_reference
      + ticks * (gint64) LMCC_SECOND / mapping->clock_rate;
}

static void
set_mapping (Mapping *mapping, gint64 time, guint32 rtp_time,
    guint32 clock_rate)
{
  mapping->known = TRUE;
  mapping->rtp_reference = rtp_time;
  mapping->time_reference = time;
  mapping->clock_rate = clock_rate;
}

/**
 * lmcc_clock_sender_report:
 * @clock: a clock
 * @timeline: the timeline of the report's SSRC
 * @now: arrival time of the report
 * @ntp_time: the report's NTP timestamp, 32.32
 * @rtp_time: its RTP timestamp
 * @clock_rate: RTP timestamp units per second; with 0 the report is ignored
 *
 * Learns how RTP timestamps map to the sender's clock (RFC 3550 section 6.4.1).
 *
 * Returns: %FALSE if the report's time is implausible and was not used
 */
gboolean
lmcc_clock_sender_report (LmccClock *clock, LmccTimeline timeline, LmccTime now,
    guint64 ntp_time, guint32 rtp_time, guint32 clock_rate)
{
  Mapping *mapping = &clock->mappings[timeline];
  guint32 send_time = (guint32) (ntp_time >> 16);
  gint64 fraction = (gint64) (((ntp_time & 0xffff) * LMCC_SECOND) >> 32);
  gint64 time;

  if (clock_rate == 0)
    return FALSE;
  if (!clock->started)
    start (clock, now, send_time);

  time = sender_time (clock, send_time) + fraction;
  if (ABS (time + clock->offset - (gint64) now) > REPORT_RANGE)
    return FALSE;

  if (!mapping->known || mapping->guessed || mapping->clock_rate != clock_rate
      || ABS (rtp_to_sender (mapping, rtp_time) - time) > SAME_MAPPING) {
    set_mapping (mapping, time, rtp_time, clock_rate);
    mapping->guessed = FALSE;
  } else {
    /* Keeps the 32-bit distance to the reference short. The mapping itself
     * keeps its nanoseconds, so that presentation times do not jitter. */
    set_mapping (mapping, rtp_to_sender (mapping, rtp_time), rtp_time,
        clock_rate);
  }

  return TRUE;
}

/**
 * lmcc_clock_guess_mapping:
 * @clock: a clock that has seen a packet
 * @timeline: the timeline of the packet
 * @send_time: send time of a media packet
 * @rtp_time: of the same packet
 * @clock_rate: RTP timestamp units per second; with 0 nothing is learnt
 *
 * Without sender reports (for instance behind a firewall), assumes that the
 * picture was due when it was sent.
 */
void
lmcc_clock_guess_mapping (LmccClock *clock, LmccTimeline timeline,
    guint32 send_time, guint32 rtp_time, guint32 clock_rate)
{
  Mapping *mapping = &clock->mappings[timeline];

  if (clock_rate == 0)
    return;
  set_mapping (mapping, sender_time (clock, send_time), rtp_time, clock_rate);
  mapping->guessed = TRUE;
}

/**
 * lmcc_clock_has_mapping:
 * @clock: a clock
 * @timeline: a timeline
 *
 * Returns: whether lmcc_clock_rtp_to_local() can be used
 */
gboolean
lmcc_clock_has_mapping (const LmccClock *clock, LmccTimeline timeline)
{
  return clock->started && clock->mappings[timeline].known;
}

/**
 * lmcc_clock_send_to_local:
 * @clock: a clock that has seen a packet
 * @send_time: a send time
 *
 * Returns: when a packet sent at that time arrives without queueing, on the
 * receiver's clock; at least 0
 */
LmccTime
lmcc_clock_send_to_local (const LmccClock *clock, guint32 send_time)
{
  return (LmccTime) MAX (sender_time (clock, send_time) + clock->offset, 0);
}

/**
 * lmcc_clock_rtp_to_local:
 * @clock: a clock that has a mapping of @timeline
 * @timeline: the timeline of the timestamp
 * @rtp_time: an RTP timestamp
 *
 * Returns: when the picture would be shown without the sender's window and the
 * latency, on the receiver's clock; at least 0
 */
LmccTime
lmcc_clock_rtp_to_local (const LmccClock *clock, LmccTimeline timeline,
    guint32 rtp_time)
{
  return (LmccTime) MAX (rtp_to_sender (&clock->mappings[timeline], rtp_time)
          + clock->offset,
      0);
}
