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
 * @even_time: when it would send at its even rate
 * @begin: when all earlier packets are finished at that rate
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
 * @marker: slot marks of the session's algorithm
 * @trains: packets that are sent before they are due
 *
 * When layers of fixed rates send, whatever they send. A packet occupies its layer for
 * its size divided by the layer's rate, and the next one follows: in every interval, a
 * layer's bits differ from its even rate by at most one packet. Packets due in a burst or
 * in the silence after it are sent in the burst.
 *
 * A packet is sent after a part of its time, a different part in each layer, so that
 * layers do not send at the same moments; packets of the base layer are sent at once. The
 * part does not depend on the start times of layers, so ends of windows and stalls do not
 * synchronize them.
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
