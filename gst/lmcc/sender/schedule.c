/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/schedule.h"

#include <string.h>

/*
 * lmcc_schedule_init:
 * @schedule: (out): the schedule
 * @session: its layers, all with a rate, and its algorithm's slots
 * @probabilities: as lmcc_marker_init() has it
 * @trains: the session's, which stay
 * @now: the time: every layer sends
 */
void
lmcc_schedule_init (LmccSchedule *schedule, const LmccSession *session,
    const gdouble *probabilities, LmccTrains *trains, LmccTime now)
{
  guint i;

  memset (schedule, 0, sizeof (*schedule));
  lmcc_marker_init (&schedule->marker, session, probabilities, now);
  schedule->trains = trains;
  schedule->n_layers = session->n_layers;
  for (i = 0; i < session->n_layers; i++) {
    schedule->layers[i].rate = MAX (session->layers[i].rate, 1);
    schedule->layers[i].next = now;
  }
}

void
lmcc_schedule_clear (LmccSchedule *schedule)
{
  lmcc_marker_clear (&schedule->marker);
}

/*
 * lmcc_schedule_next:
 * @schedule: a schedule
 * @opportunity: (out): the earliest one, of the lowest layer among equals
 */
void
lmcc_schedule_next (const LmccSchedule *schedule, LmccOpportunity *opportunity)
{
  LmccOpportunity ahead = { .time = LMCC_TIME_NONE };
  LmccTime least_rank = LMCC_TIME_NONE;
  guint i;

  opportunity->time = LMCC_TIME_NONE;
  for (i = 0; i < schedule->n_layers; i++) {
    LmccTime even_time = schedule->layers[i].next;
    LmccTime time = lmcc_marker_get_send_time (&schedule->marker, i, even_time);
    LmccTime rank;

    if (time < opportunity->time)
      *opportunity = (LmccOpportunity){ time, even_time, i };
    rank = lmcc_trains_get_rank (schedule->trains, i, even_time);
    if (rank < least_rank) {
      least_rank = rank;
      ahead = (LmccOpportunity){ schedule->trains->next, even_time, i };
    }
  }
  if (ahead.time < opportunity->time)
    *opportunity = ahead;
}

/*
 * lmcc_schedule_get_marks:
 * @schedule: a schedule
 * @opportunity: of lmcc_schedule_next()
 * @marks: (out): what its packet says
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
 * @layer: the layer of lmcc_schedule_next()
 * @size: bytes of the IP packet that was sent
 *
 * What is left of the division is kept, so that nothing adds up.
 */
void
lmcc_schedule_sent (LmccSchedule *schedule, guint layer, gsize size)
{
  guint64 rate = schedule->layers[layer].rate;
  guint64 bits =
      (guint64) size * 8 * LMCC_SECOND + schedule->layers[layer].remainder;

  schedule->layers[layer].next += bits / rate;
  schedule->layers[layer].remainder = bits % rate;
  lmcc_trains_sent (schedule->trains, layer, size);
}

/*
 * lmcc_schedule_get_room:
 * @schedule: a schedule
 * @layer: a layer
 * @until: a time
 *
 * Returns: bytes of IP packets that the layer sends from now on, the last of
 *     them over by @until at its even rate
 */
gsize
lmcc_schedule_get_room (const LmccSchedule *schedule, guint layer,
    LmccTime until)
{
  LmccTime next = schedule->layers[layer].next;

  if (until <= next)
    return 0;

  return (gsize) ((gdouble) (until - next)
      * (gdouble) schedule->layers[layer].rate / (8.0 * LMCC_SECOND));
}

/*
 * lmcc_schedule_skip:
 * @schedule: a schedule
 * @time: opportunities before it are given up
 */
void
lmcc_schedule_skip (LmccSchedule *schedule, LmccTime time)
{
  guint i;

  for (i = 0; i < schedule->n_layers; i++) {
    if (schedule->layers[i].next >= time)
      continue;
    schedule->layers[i].next = time;
    schedule->layers[i].remainder = 0;
  }
}
