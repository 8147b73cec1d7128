/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How long the caller may leave its sockets unread. A wake-up per packet
 * costs more than processing the packet. Packets that gather meanwhile are
 * read in one go, with the kernel's arrival times.
 */
#include <gst/lmcc/lmcc-session-algorithm.h>
#include "receiver/algorithm.h"
#include "receiver/nap.h"
#include "receiver/private.h"
#include "receiver/times.h"

/* A wake-up costs as much as about 30 packets. */
#define LONGEST (20 * LMCC_MSECOND)

/* Naps delay the detection of losses, and thus an algorithm's decisions: they
 * are at most this fraction of the measured round-trip time, which delays the
 * decisions anyway, or this short. */
#define RTT_SHARE 8
#define ALWAYS_SHORT_ENOUGH (10 * LMCC_MSECOND)

/* Greatest number of packets during a longer nap: more would save little. */
#define LONG_NAP_PACKETS 64

/* Greatest nap as a fraction of the session's latency, and of the part of it
 * that is kept for the decoder. */
#define LATENCY_SHARE 20
#define RESERVE_SHARE 2

/* Greatest nap as a fraction of a slot, so that its end is noticed in time. */
#define SLOT_SHARE 100

/* Greatest fill of a socket's buffer during a short nap, and during a longer
 * one: a key frame that comes meanwhile must fit, too. */
#define BUFFER_SHARE 2
#define LONG_NAP_BUFFER_SHARE 4

/* With fewer packets, a timer does not pay. */
#define LEAST_PACKETS 2

/* How long the first packet of a joined group is awaited without naps. A
 * layer may be silent. */
#define JOIN_WAIT LMCC_SECOND

/* Least time over which rates are measured, and the fraction that a peak
 * loses with each measurement: the window of layers with a varying rate is
 * 100 ms. */
#define LEAST_SPAN LMCC_MSECOND
#define PEAK_DECAY 16

static void
measure_peak (LmccReceiver *receiver, LmccTime now)
{
  LmccReceiverNaps *naps = &receiver->naps;
  guint64 bytes = receiver->stats.bytes - naps->bytes;
  LmccTime span = now - naps->at;

  if (now < naps->at + LEAST_SPAN)
    return;
  naps->peak -= span < LMCC_SECOND ? naps->peak / PEAK_DECAY : naps->peak;
  naps->peak = MAX (naps->peak,
      (guint64) ((gdouble) bytes * 8 * LMCC_SECOND / (gdouble) span));
  naps->at = now;
  naps->bytes = receiver->stats.bytes;
}

static gboolean
awaits_join (const LmccReceiver *receiver, LmccTime now)
{
  guint i;

  for (i = 0; i < receiver->membership.groups_end; i++) {
    const LmccReceiverGroup *group = &receiver->membership.groups[i];

    if (group->joined && !group->heard && now < group->joined_at + JOIN_WAIT)
      return TRUE;
  }

  return FALSE;
}

/* If the sender's rate depends on reports, a packet may require a report at
 * once, for which the sender's window waits. */
static gboolean
reports_packets (const LmccReceiver *receiver)
{
  return receiver->base_controller != NULL
      || (receiver->controller != NULL
          && lmcc_algorithm_sets_rate (receiver->controller->algorithm));
}

static gboolean
may_nap (const LmccReceiver *receiver, LmccTime now)
{
  return receiver->running && receiver->have_session && !receiver->source_gone
      && receiver->level >= 0 && !awaits_join (receiver, now)
      && !reports_packets (receiver)
      && !lmcc_rtt_is_awaited (receiver->reporting.rtt, now);
}

static void
find_rates (const LmccReceiver *receiver, guint64 *all, guint64 *largest)
{
  LmccLayerSet held = receiver->held;
  guint i;

  *all = *largest = 0;
  while (lmcc_layer_set_take (&held, &i)) {
    guint64 rate = receiver->reckoned.layers[i].rate;

    *all += rate;
    *largest = MAX (*largest, rate);
  }
}

static LmccTime
get_time (guint64 bytes, guint64 rate)
{
  return (
      LmccTime) ((gdouble) bytes * 8 * LMCC_SECOND / (gdouble) MAX (rate, 1));
}

static gboolean
knows_rtt (const LmccReceiver *receiver)
{
  LmccRttSource source = lmcc_rtt_get_source (receiver->reporting.rtt);

  return source == LMCC_RTT_SOURCE_FEEDBACK || source == LMCC_RTT_SOURCE_FIXED;
}

static LmccTime
limit_by_algorithm (const LmccReceiver *receiver)
{
  if (!lmcc_receiver_judges_packets (receiver))
    return LONGEST;
  if (!knows_rtt (receiver))
    return ALWAYS_SHORT_ENOUGH;

  return CLAMP (lmcc_rtt_get (receiver->reporting.rtt) / RTT_SHARE,
      ALWAYS_SHORT_ENOUGH, LONGEST);
}

static LmccTime
limit_by_times (const LmccReceiver *receiver)
{
  LmccTime longest = MIN (limit_by_algorithm (receiver),
      MIN (lmcc_receiver_get_latency (receiver) / LATENCY_SHARE,
          lmcc_receiver_get_reserve (receiver) / RESERVE_SHARE));

  return receiver->session.slot > 0
      ? MIN (longest, receiver->session.slot / SLOT_SHARE)
      : longest;
}

/* @peak: of all groups, bit/s
 * @share: that of the group with the highest rate */
static LmccTime
limit_by_room (const LmccReceiver *receiver, LmccTime nap, gsize buffer,
    guint64 peak, gdouble share)
{
  guint64 one = (guint64) ((gdouble) peak * share);
  LmccTime longer = MIN (get_time (buffer / LONG_NAP_BUFFER_SHARE, one),
      get_time (LONG_NAP_PACKETS * (guint64) receiver->session.packet_size,
          peak));

  return MIN (MIN (nap, get_time (buffer / BUFFER_SHARE, one)),
      MAX (longer, ALWAYS_SHORT_ENOUGH));
}

/**
 * lmcc_receiver_get_nap:
 * @receiver: a receiver that was given all packets that have arrived
 * @now: the time
 * @buffer: least buffer size of a group's socket, in bytes of UDP payload
 *
 * Computes how long the caller may leave its sockets unread, so that packets
 * gather. Afterwards, pass them on in the order of their arrival, regardless of
 * their groups, each with its own arrival time. lmcc_receiver_next_timeout()
 * still applies: read the sockets before lmcc_receiver_handle_timeout().
 *
 * The nap is at most 20 ms, a twentieth of the latency, and a part of what
 * lmcc_receiver_get_latency() keeps for the decoder, so that the latency does
 * not grow. At the latest peak rate it fills at most half of a buffer; if it is
 * longer than 10 ms, a quarter, and at most 64 packets come meanwhile. With
 * congestion control, it is longer than that only if the measured round-trip
 * time is above 80 ms. It is 0 while the receiver awaits the first packet of a
 * group, an answer to a report or a sender, if packets may require reports at
 * once, and if there are few packets.
 *
 * Returns: the nap in ns; 0: do not nap
 */
LmccTime
lmcc_receiver_get_nap (LmccReceiver *receiver, LmccTime now, gsize buffer)
{
  guint64 all, largest, peak;
  LmccTime nap;

  measure_peak (receiver, now);
  if (!may_nap (receiver, now))
    return 0;
  find_rates (receiver, &all, &largest);
  nap = limit_by_times (receiver);
  if (all == 0
      || get_time (LEAST_PACKETS * (guint64) receiver->session.packet_size, all)
          > MIN (nap, ALWAYS_SHORT_ENOUGH))
    return 0;
  peak = MAX (all, receiver->naps.peak);

  return limit_by_room (receiver, nap, buffer, peak,
      (gdouble) largest / (gdouble) all);
}
