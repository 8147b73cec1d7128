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
 * @begin: from when on packets may leave early
 * @end: and until when
 * @layers: of these
 * @until: what is due later than this does not leave early
 * @rate: all of them together then, bit/s
 * @train_level: the level that a train is for; 0: it makes room for one
 *
 * An interval in which some layers' packets leave before they are due.
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
 * @session: (nullable): the sender's; %NULL: there are no trains
 * @run: the one that goes on or comes next
 * @next: when the next packet may leave early in it
 *
 * When packets leave early, so that a train for each level comes once in a cycle.
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
