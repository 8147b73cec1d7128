/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Packets that are handed to the kernel before their time (SO_TXTIME), so that
 * one wake-up of the thread serves many packets, of which each still leaves at
 * its own time. The library is told times that are still to come, and so is
 * ahead of the clock by up to the lead.
 */
#include "config.h"

#include "sink/ahead.h"

#include <string.h>

/**
 * gst_lmcc_sink_ahead_clear:
 * @ahead: all zero afterwards
 */
void
gst_lmcc_sink_ahead_clear (GstLmccSinkAhead *ahead)
{
  g_free (ahead->leaving);
  *ahead = (GstLmccSinkAhead){ 0 };
}

/**
 * gst_lmcc_sink_ahead_restart:
 * @ahead: its library's time begins anew
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
 * @ahead: its lead is 0 afterwards
 * @n_most: how many messages may wait for their time at once
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
 * @ahead: what is handed over
 * @now: the library's time, of the pipeline's clock
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
 * @ahead: what is handed over
 * @now: the time, or one to come
 *
 * Returns: what the library is to be told, whose time does not go back; packets
 *     that it then sends leave at that time
 */
LmccTime
gst_lmcc_sink_ahead_tell (GstLmccSinkAhead *ahead, LmccTime now)
{
  ahead->time = MAX (ahead->time, now);
  return ahead->time;
}

/**
 * gst_lmcc_sink_ahead_add:
 * @ahead: what is handed over
 * @destination: where a packet goes
 * @size: its bytes
 *
 * Takes a packet that the library sends at the time that it was told last. None
 * leaves before one that was taken earlier, also where the two clocks were read
 * at different moments in between.
 *
 * Returns: when it leaves, ns of CLOCK_MONOTONIC, or 0 for at once
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
 * @ahead: what is handed over
 * @step: packets that are due within so long might leave together
 *
 * Where that spares neither wake-ups nor system calls, each leaves at its time.
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
 * @ahead: what is handed over
 * @step: packets that are due within so long from the time that was told last
 *     leave together
 */
void
gst_lmcc_sink_ahead_sent (GstLmccSinkAhead *ahead, LmccTime step)
{
  ahead->not_before = ahead->time + step;
}

/**
 * gst_lmcc_sink_ahead_may_go_on:
 * @ahead: what is handed over
 * @now: the time
 * @due: when the library has something to do
 * @time: (out): what it is to be told then
 *
 * Returns: whether that may be done now
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
 * @ahead: what is handed over
 * @due: when the library has something to do
 *
 * When half of the lead is over, or half of those that may wait at once have
 * left: the other half is for a thread that wakes up late.
 *
 * Returns: when to run again
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
