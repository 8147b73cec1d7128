/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/schedule.h"

#include "sender/bit-reversal.h"

#include <math.h>
#include <string.h>

/* Number of bits that are reversed: the resolution of the parts of a
 * packet's time. */
#define PART_BITS 16

/* The part of its packets' time for which a layer waits. Layers of equal rates
 * wait 0, 1/2, 1/4, 3/4, 1/8 and so on, so that at every level one packet falls
 * into each gap between the others before a second one does (van der Corput).
 * If the layers below have n times the layer's rate together, it waits like the
 * n-th of such layers: layers whose rates double wait a half each, and all
 * packets of a level are equally spaced.
 *
 * Not with slots: receivers that judge a slot by its packets need those of
 * all layers from the beginning of the slot. */
static gdouble
find_part (guint64 rate, guint64 rate_below)
{
  guint n = (guint) MIN (1u << PART_BITS, (rate_below + rate / 2) / rate);

  if (rate_below == 0)
    return 0;
  n = MAX (n, 1) % (1u << PART_BITS);

  return ldexp (lmcc_reverse_bits (n, PART_BITS), -PART_BITS);
}

/*
 * lmcc_schedule_init:
 * @schedule: (out): the schedule
 * @session: provides its layers, all with a rate, and its algorithm's slots
 * @probabilities: as in lmcc_marker_init()
 * @trains: the session's packet trains; must outlive @schedule
 * @now: the time, at which every layer starts
 *
 * Call lmcc_schedule_plan() for each layer afterwards.
 */
void
lmcc_schedule_init (LmccSchedule *schedule, const LmccSession *session,
    const gdouble *probabilities, LmccTrains *trains, LmccTime now)
{
  guint64 below = 0;
  guint i;

  memset (schedule, 0, sizeof (*schedule));
  lmcc_marker_init (&schedule->marker, session, probabilities, now);
  schedule->trains = trains;
  schedule->n_layers = session->n_layers;
  for (i = 0; i < session->n_layers; i++) {
    schedule->layers[i].rate = MAX (session->layers[i].rate, 1);
    schedule->layers[i].part =
        session->slot > 0 ? 0 : find_part (schedule->layers[i].rate, below);
    schedule->layers[i].begin = now;
    below += schedule->layers[i].rate;
  }
}

void
lmcc_schedule_clear (LmccSchedule *schedule)
{
  lmcc_marker_clear (&schedule->marker);
}

static LmccTime
find_duration (const LmccSchedule *schedule, guint layer, gsize size)
{
  return (guint64) size * 8 * LMCC_SECOND / schedule->layers[layer].rate;
}

static LmccTime
find_even_time (const LmccSchedule *schedule, guint layer)
{
  gdouble duration =
      (gdouble) find_duration (schedule, layer, schedule->layers[layer].size);

  return schedule->layers[layer].begin
      + (LmccTime) (duration * schedule->layers[layer].part);
}

static LmccTime
find_send_time (const LmccSchedule *schedule, guint layer, LmccTime even_time)
{
  return lmcc_marker_get_send_time (&schedule->marker, layer, even_time);
}

/*
 * lmcc_schedule_plan:
 * @schedule: a schedule
 * @layer: a layer
 * @size: size of the IP packet that the layer sends next, as known now, in
 *     bytes
 * @filler: whether it is a filler
 *
 * A filler that has begun stays.
 */
void
lmcc_schedule_plan (LmccSchedule *schedule, guint layer, gsize size,
    gboolean filler)
{
  if (schedule->layers[layer].begun)
    return;
  schedule->layers[layer].size = size;
  schedule->layers[layer].filler = filler;
}

/*
 * lmcc_schedule_get_begin:
 * @schedule: a schedule
 * @layer: a layer
 *
 * Returns: when everything that the layer has sent is finished at its even
 * rate
 */
LmccTime
lmcc_schedule_get_begin (const LmccSchedule *schedule, guint layer)
{
  return schedule->layers[layer].begin;
}

/*
 * lmcc_schedule_hold_begun:
 * @schedule: a schedule
 * @now: the time, at which layers get more to send
 *
 * A filler whose time has begun is sent even if media arrive before it is
 * sent: a smaller packet in its place would have been due earlier.
 */
void
lmcc_schedule_hold_begun (LmccSchedule *schedule, LmccTime now)
{
  guint i;

  for (i = 0; i < schedule->n_layers; i++) {
    LmccTime earliest = find_send_time (schedule, i, schedule->layers[i].begin);
    LmccTime time = find_send_time (schedule, i, find_even_time (schedule, i));

    schedule->layers[i].begun =
        schedule->layers[i].filler && earliest < now && time > now;
  }
}

/*
 * lmcc_schedule_get_begun:
 * @schedule: a schedule
 * @layer: a layer
 *
 * Returns: size of the filler's IP packet that the layer must send next, in
 * bytes; 0: it may send anything
 */
gsize
lmcc_schedule_get_begun (const LmccSchedule *schedule, guint layer)
{
  return schedule->layers[layer].begun ? schedule->layers[layer].size : 0;
}

/*
 * lmcc_schedule_next:
 * @schedule: a schedule
 * @opportunity: (out): the earliest one, that of the lowest layer among
 *     equals
 */
void
lmcc_schedule_next (const LmccSchedule *schedule, LmccOpportunity *opportunity)
{
  LmccOpportunity ahead = { .time = LMCC_TIME_NONE };
  LmccTime least_rank = LMCC_TIME_NONE;
  guint i;

  opportunity->time = LMCC_TIME_NONE;
  for (i = 0; i < schedule->n_layers; i++) {
    LmccTime even_time = find_even_time (schedule, i);
    LmccTime begin = schedule->layers[i].begin;
    LmccTime time = find_send_time (schedule, i, even_time);
    LmccTime rank;

    if (time < opportunity->time)
      *opportunity = (LmccOpportunity){ time, even_time, begin, i };
    rank = lmcc_trains_get_rank (schedule->trains, i, even_time);
    if (rank < least_rank) {
      least_rank = rank;
      ahead = (LmccOpportunity){ schedule->trains->next, even_time, begin, i };
    }
  }
  if (ahead.time < opportunity->time)
    *opportunity = ahead;
}

/*
 * lmcc_schedule_get_marks:
 * @schedule: a schedule
 * @opportunity: an opportunity from lmcc_schedule_next()
 * @marks: (out): the slot marks of its packet
 */
void
lmcc_schedule_get_marks (LmccSchedule *schedule,
    const LmccOpportunity *opportunity, LmccMarks *marks)
{
  lmcc_marker_get_marks (&schedule->marker, opportunity->layer,
      opportunity->even_time, marks);
  lmcc_trains_mark (schedule->trains, opportunity->layer, marks);
}

/*
 * lmcc_schedule_sent:
 * @schedule: a schedule
 * @layer: the layer from lmcc_schedule_next()
 * @size: size of the IP packet that was sent, in bytes
 *
 * The remainder of the division is kept, so that rounding errors do not add
 * up. Call lmcc_schedule_plan() for the layer afterwards.
 */
void
lmcc_schedule_sent (LmccSchedule *schedule, guint layer, gsize size)
{
  guint64 rate = schedule->layers[layer].rate;
  guint64 bits =
      (guint64) size * 8 * LMCC_SECOND + schedule->layers[layer].remainder;

  schedule->layers[layer].begin += bits / rate;
  schedule->layers[layer].remainder = bits % rate;
  schedule->layers[layer].begun = FALSE;
  lmcc_trains_sent (schedule->trains, layer, size);
}

/*
 * lmcc_schedule_get_room:
 * @schedule: a schedule
 * @layer: a layer
 * @until: a time
 *
 * Returns: bytes of IP packets that the layer can send from now on, the last
 * of them finished by @until at its even rate, after a filler that has begun
 */
gsize
lmcc_schedule_get_room (const LmccSchedule *schedule, guint layer,
    LmccTime until)
{
  LmccTime next = schedule->layers[layer].begin
      + find_duration (schedule, layer,
          lmcc_schedule_get_begun (schedule, layer));

  if (until <= next)
    return 0;

  return (gsize) ((gdouble) (until - next)
      * (gdouble) schedule->layers[layer].rate / (8.0 * LMCC_SECOND));
}

/*
 * lmcc_schedule_skip:
 * @schedule: a schedule
 * @time: each layer keeps at most one packet that was due before this time
 *
 * Only whole packets are skipped, so that the layers keep their offsets.
 */
void
lmcc_schedule_skip (LmccSchedule *schedule, LmccTime time)
{
  guint i;

  for (i = 0; i < schedule->n_layers; i++) {
    LmccTime duration = find_duration (schedule, i, schedule->layers[i].size);
    LmccTime even_time = find_even_time (schedule, i);

    if (duration > 0 && even_time + duration <= time)
      schedule->layers[i].begin += (time - even_time) / duration * duration;
  }
}
