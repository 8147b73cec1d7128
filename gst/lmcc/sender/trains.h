/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_TRAINS_H
#define LMCC_SENDER_TRAINS_H

#include "control/marker.h"
#include "wire/levels.h"

G_BEGIN_DECLS

/**
 * LmccRun:
 * @begin: start of the run
 * @end: end of the run
 * @layers: layers whose packets may be sent early
 * @until: packets due later than this are not sent early
 * @rate: total rate of these layers during the run, bit/s
 * @train_level: the level that the train is for; 0: the run only prepares a train
 *
 * An interval during which packets of some layers are sent before they are due.
 */
typedef struct
{
  LmccTime begin;
  LmccTime end;
  LmccLayerSet layers;
  LmccTime until;
  guint64 rate;
  guint train_level;
} LmccRun;

/**
 * LmccTrains:
 * @session: (nullable): the sender's session; %NULL: there are no trains
 * @run: the current or next run
 * @next: when the next packet may be sent early in it
 *
 * Schedules packets that are sent early, so that each level gets one packet train per
 * cycle.
 */
typedef struct
{
  const LmccSession *session;
  LmccRun run;
  LmccTime next;
  /*< private >*/
  LmccTime start;
  LmccTime now;
} LmccTrains;

void
lmcc_trains_init (LmccTrains *trains, const LmccSession *session, LmccTime now);
void lmcc_trains_advance (LmccTrains *trains, LmccTime now);
LmccTime
lmcc_trains_get_rank (const LmccTrains *trains, guint layer, LmccTime due);
LmccTime lmcc_trains_next (const LmccTrains *trains);
LmccTime lmcc_trains_next_exact (const LmccTrains *trains);
void lmcc_trains_mark (const LmccTrains *trains, guint layer, LmccMarks *marks);
void lmcc_trains_sent (LmccTrains *trains, guint layer, gsize size);

G_END_DECLS

#endif
