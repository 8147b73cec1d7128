/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Packets that are handed to the kernel before they are due (SO_TXTIME). One
 * wake-up of the thread then serves many packets, while each packet still
 * leaves at its own time. The library gets times in the future, up to the lead
 * ahead of the clock.
 */
#include "config.h"

#include "sink/ahead.h"

#include <string.h>

/**
 * gst_lmcc_sink_ahead_clear:
 * @ahead: the state; zeroed
 */
void
gst_lmcc_sink_ahead_clear (GstLmccSinkAhead *ahead)
{
  g_free (ahead->leaving);
  *ahead = (GstLmccSinkAhead){ 0 };
}

/**
 * gst_lmcc_sink_ahead_restart:
 * @ahead: the state; the library's time starts again
 */
void
gst_lmcc_sink_ahead_restart (GstLmccSinkAhead *ahead)
{
  ahead->lead = 0;
  ahead->time = 0;
  ahead->told = 0;
  ahead->not_before = 0;
  if (ahead->leaving)
    memset (ahead->leaving, 0, ahead->n_most * sizeof (ahead->leaving[0]));
}

/**
 * gst_lmcc_sink_ahead_set_room:
 * @ahead: the state; its lead becomes 0
 * @n_most: maximum number of messages that wait for their time at once
 */
void
gst_lmcc_sink_ahead_set_room (GstLmccSinkAhead *ahead, guint n_most)
{
  ahead->lead = 0;
  if (n_most == ahead->n_most)
    return;
  g_free (ahead->leaving);
  ahead->leaving = g_new0 (LmccTime, n_most);
  ahead->n_most = n_most;
  ahead->next = 0;
}

/**
 * gst_lmcc_sink_ahead_set_clock:
 * @ahead: the state
 * @now: the library's time, from the pipeline's clock
 * @monotonic: CLOCK_MONOTONIC at the same moment, ns
 */
void
gst_lmcc_sink_ahead_set_clock (GstLmccSinkAhead *ahead, LmccTime now,
    guint64 monotonic)
{
  ahead->clock = monotonic - now;
}

/**
 * gst_lmcc_sink_ahead_tell:
 * @ahead: the state
 * @now: the time, or a time in the future
 *
 * Returns: the time for the library, which never goes back; packets that it
 * then sends leave at that time
 */
LmccTime
gst_lmcc_sink_ahead_tell (GstLmccSinkAhead *ahead, LmccTime now)
{
  ahead->time = MAX (ahead->time, now);
  return ahead->time;
}

/**
 * gst_lmcc_sink_ahead_add:
 * @ahead: the state
 * @destination: destination of the packet
 * @size: its size in bytes
 *
 * Schedules a packet that the library sends at the latest time that it got. No
 * packet leaves before an earlier one, even if the two clocks were read at
 * different moments in between.
 *
 * Returns: its transmit time, ns of CLOCK_MONOTONIC, or 0 for at once
 */
guint64
gst_lmcc_sink_ahead_add (GstLmccSinkAhead *ahead, guint destination, gsize size)
{
  gboolean joins = ahead->segments && ahead->time == ahead->told
      && destination == ahead->destination && size == ahead->size;

  if (ahead->lead == 0)
    return 0;
  ahead->latest = MAX (ahead->latest, ahead->clock + ahead->time);
  ahead->told = ahead->time;
  ahead->destination = destination;
  ahead->size = size;
  if (!joins) {
    ahead->leaving[ahead->next] = ahead->time;
    ahead->next = (ahead->next + 1) % ahead->n_most;
  }
  return ahead->latest;
}

/**
 * gst_lmcc_sink_ahead_get_step:
 * @ahead: the state
 * @step: time within which due packets may leave together
 *
 * If this saves neither wake-ups nor system calls, each packet leaves at its
 * own time.
 *
 * Returns: @step, or 0
 */
LmccTime
gst_lmcc_sink_ahead_get_step (const GstLmccSinkAhead *ahead, LmccTime step)
{
  return ahead->lead > 0 && !ahead->segments ? 0 : step;
}

/**
 * gst_lmcc_sink_ahead_sent:
 * @ahead: the state
 * @step: packets that are due within this time after the latest time leave
 *     together
 */
void
gst_lmcc_sink_ahead_sent (GstLmccSinkAhead *ahead, LmccTime step)
{
  ahead->not_before = ahead->time + step;
}

/**
 * gst_lmcc_sink_ahead_may_go_on:
 * @ahead: the state
 * @now: the time
 * @due: time of the library's next work
 * @time: (out): the time for the library
 *
 * Returns: whether this work may be done now
 */
gboolean
gst_lmcc_sink_ahead_may_go_on (const GstLmccSinkAhead *ahead, LmccTime now,
    LmccTime due, LmccTime *time)
{
  *time = MAX (due, ahead->not_before);
  return ahead->lead > 0 && *time <= now + ahead->lead
      && ahead->leaving[ahead->next] <= now;
}

/**
 * gst_lmcc_sink_ahead_get_wake:
 * @ahead: the state
 * @due: time of the library's next work
 *
 * The thread wakes up when half of the lead is over, or when half of the
 * messages that may wait have left. The other half is a reserve for a late
 * wake-up.
 *
 * Returns: time of the next run
 */
LmccTime
gst_lmcc_sink_ahead_get_wake (const GstLmccSinkAhead *ahead, LmccTime due)
{
  LmccTime wake;
  guint half;

  if (ahead->lead == 0 || !LMCC_TIME_IS_VALID (due))
    return due;
  wake = MAX (due, ahead->not_before);
  wake -= MIN (wake, ahead->lead / 2);
  half = (ahead->next + ahead->n_most - ahead->n_most / 2) % ahead->n_most;
  return MAX (wake, ahead->leaving[half]);
}
