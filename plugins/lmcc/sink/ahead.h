/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SINK_AHEAD_H
#define GST_LMCC_SINK_AHEAD_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * GstLmccSinkAhead:
 * @lead: maximum time before they are due that packets are handed over; 0: never early
 * @segments: whether packets with the same time, destination and size form one message
 * @time: the latest time that the library got
 * @not_before: time at which the next packets leave
 * @clock: CLOCK_MONOTONIC at the library's time 0, modulo 2^64
 * @latest: transmit time of the latest packet, by CLOCK_MONOTONIC
 * @told: the same, by the library's time
 * @destination: destination of the latest packet
 * @size: size of the latest packet
 * @leaving: ring of the transmit times of the latest @n_most messages, by the library's
 *     time
 * @n_most: maximum number of messages that wait for their time at once
 * @next: index of the next one in the ring
 *
 * State of the packets that a sink hands to the kernel early. All zero if it does not.
 */
typedef struct
{
  LmccTime lead;
  gboolean segments;
  LmccTime time;
  LmccTime not_before;
  guint64 clock;
  guint64 latest;
  LmccTime told;
  guint destination;
  gsize size;
  LmccTime *leaving;
  guint n_most;
  guint next;
} GstLmccSinkAhead;

void gst_lmcc_sink_ahead_clear (GstLmccSinkAhead *ahead);
void gst_lmcc_sink_ahead_restart (GstLmccSinkAhead *ahead);
void gst_lmcc_sink_ahead_set_room (GstLmccSinkAhead *ahead, guint n_most);
void gst_lmcc_sink_ahead_set_clock (GstLmccSinkAhead *ahead, LmccTime now,
    guint64 monotonic);
LmccTime gst_lmcc_sink_ahead_tell (GstLmccSinkAhead *ahead, LmccTime now);
guint64 gst_lmcc_sink_ahead_add (GstLmccSinkAhead *ahead, guint destination,
    gsize size);
LmccTime
gst_lmcc_sink_ahead_get_step (const GstLmccSinkAhead *ahead, LmccTime step);
void gst_lmcc_sink_ahead_sent (GstLmccSinkAhead *ahead, LmccTime step);
gboolean gst_lmcc_sink_ahead_may_go_on (const GstLmccSinkAhead *ahead,
    LmccTime now, LmccTime due, LmccTime *time);
LmccTime
gst_lmcc_sink_ahead_get_wake (const GstLmccSinkAhead *ahead, LmccTime due);

G_END_DECLS

#endif
