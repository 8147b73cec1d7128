/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SINK_AHEAD_H
#define GST_LMCC_SINK_AHEAD_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * GstLmccSinkAhead:
 * @lead: how long before their time packets are handed over at most; 0: none is
 *     before
 * @segments: packets of one time, destination and size are one message
 * @time: the latest time that the library was told
 * @not_before: when packets leave next
 * @clock: CLOCK_MONOTONIC at the library's time 0, modulo 2^64
 * @latest: when the latest packet leaves, by CLOCK_MONOTONIC
 * @told: the same by the library's time
 * @destination: where it goes
 * @size: its size
 * @leaving: when the latest @n_most messages leave, by the library's time, in a
 *     ring
 * @n_most: how many messages may wait for their time at once
 * @next: the next one's place in the ring
 *
 * What a sink hands to the kernel before its time. All zero where there is no such
 * thing.
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
