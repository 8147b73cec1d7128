/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_SCHEDULE_H
#define LMCC_SENDER_SCHEDULE_H

#include "control/marker.h"
#include "sender/trains.h"

G_BEGIN_DECLS

/**
 * LmccOpportunity:
 * @time: when the layer sends
 * @even_time: when it would at its even rate
 * @begin: when all before it is over at that rate
 * @layer: the layer
 */
typedef struct
{
  LmccTime time;
  LmccTime even_time;
  LmccTime begin;
  guint layer;
} LmccOpportunity;

/**
 * LmccSchedule:
 * @marker: the marks of the session's algorithm
 * @trains: what leaves before it is due
 *
 * When layers of fixed rates send, whatever they send. A packet "takes" its size
 * over its layer's rate, and the next one follows when that is over: then in every
 * interval a layer's bits differ from its even rate by one packet at most. What is
 * due in a burst and the silence after it leaves in the burst.
 *
 * A packet leaves when a part of the time that it takes is over, in each layer
 * another one, so that layers do not send at the same moments; the base's leave at
 * once. The part does not depend on when the layers began, so that no end of a
 * window and no stall brings them together.
 */
typedef struct
{
  LmccMarker marker;
  LmccTrains *trains;
  /*< private >*/
  guint n_layers;
  struct
  {
    guint64 rate;
    gdouble part;
    LmccTime begin;
    guint64 remainder;
    gsize size;
    gboolean filler;
    gboolean begun;
  } layers[LMCC_MAX_LAYERS];
} LmccSchedule;

void lmcc_schedule_init (LmccSchedule *schedule, const LmccSession *session,
    const gdouble *probabilities, LmccTrains *trains, LmccTime now);
void lmcc_schedule_clear (LmccSchedule *schedule);
void lmcc_schedule_plan (LmccSchedule *schedule, guint layer, gsize size,
    gboolean filler);
LmccTime lmcc_schedule_get_begin (const LmccSchedule *schedule, guint layer);
void lmcc_schedule_hold_begun (LmccSchedule *schedule, LmccTime now);
gsize lmcc_schedule_get_begun (const LmccSchedule *schedule, guint layer);
void
lmcc_schedule_next (const LmccSchedule *schedule, LmccOpportunity *opportunity);
void lmcc_schedule_get_marks (LmccSchedule *schedule,
    const LmccOpportunity *opportunity, LmccMarks *marks);
void lmcc_schedule_sent (LmccSchedule *schedule, guint layer, gsize size);
gsize lmcc_schedule_get_room (const LmccSchedule *schedule, guint layer,
    LmccTime until);
void lmcc_schedule_skip (LmccSchedule *schedule, LmccTime time);

G_END_DECLS

#endif
