/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For how long the caller may leave its sockets unread. A wake-up for each
 * packet costs more than all that is done with the packet; packets that have
 * gathered meanwhile are read in one go, and the times at which they came are
 * the kernel's.
 */
#include <gst/lmcc/lmcc-session-algorithm.h>
#include "receiver/nap.h"
#include "receiver/private.h"
#include "receiver/times.h"

/* A wake-up costs what some 30 packets do, so that longer naps spare little
 * from 3,000 packets/s on. Who watches losses sees them so much later. */
#define LONGEST (10 * LMCC_MSECOND)

/* Of the latency of the session, so much at most; of the part of it that is
 * kept for the decoder, half. */
#define LATENCY_SHARE 20
#define RESERVE_SHARE 2

/* Of a slot, so that its end is seen in time. */
#define SLOT_SHARE 100

/* Of what a socket's buffer holds. */
#define BUFFER_SHARE 2

/* Fewer packets are not worth a timer. */
#define LEAST_PACKETS 2

/* A group that was joined is awaited for so long. A layer may be silent. */
#define JOIN_WAIT LMCC_SECOND

/* Rates are measured over this time or more, and a peak loses a part of itself
 * with each measure: the window of layers of a rate that varies is 100 ms. */
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

/* Where a rate of the sender's follows from reports, a packet may ask for one
 * at once, and the sender's window waits for it. */
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

static LmccTime
limit_by_times (const LmccReceiver *receiver)
{
  LmccTime longest = MIN (LONGEST,
      MIN (lmcc_receiver_get_latency (receiver) / LATENCY_SHARE,
          lmcc_receiver_get_reserve (receiver) / RESERVE_SHARE));

  return receiver->session.slot > 0
      ? MIN (longest, receiver->session.slot / SLOT_SHARE)
      : longest;
}

/**
 * lmcc_receiver_get_nap:
 * @receiver: a receiver that was handed all packets that had come
 * @now: the time
 * @buffer: bytes of UDP payload that the socket of each group has room for at
 *     least
 *
 * Says for how long the caller may leave its sockets unread, so that packets
 * gather. It should hand them on then in the order in which they came, whatever
 * their groups, each with its own arrival. lmcc_receiver_next_timeout() counts
 * as ever: sockets are to be read before lmcc_receiver_handle_timeout().
 *
 * It is at most 10 ms, a twentieth of the latency, what fills half of a buffer
 * at the latest peak of the rate, and a part of what
 * lmcc_receiver_get_latency() keeps for the decoder, so that the latency is
 * what it was. There is none while the first packet of a group, the answer to a
 * report or a sender is awaited, where packets may ask for reports at once, and
 * where too few packets come.
 *
 * Returns: how long, ns; 0: not at all
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
          > nap)
    return 0;
  peak = MAX (all, receiver->naps.peak);

  return MIN (nap,
      get_time (buffer / BUFFER_SHARE,
          (guint64) ((gdouble) peak * (gdouble) largest / (gdouble) all)));
}
