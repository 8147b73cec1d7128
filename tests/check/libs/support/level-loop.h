/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A session of three rungs of which a receiver holds the lowest one, and one more
 * alone. A sender and a receiver, and a network that hands over what is joined,
 * and no record: both have the session.
 */
#ifndef LEVEL_LOOP_H
#define LEVEL_LOOP_H

#include "support/sender-harness.h"
#include "support/test-source.h"

#define LEVEL_LOOP_N_RUNGS 3
#define LEVEL_LOOP_PICTURES_PER_SECOND (LMCC_SECOND / TEST_SOURCE_INTERVAL)

/* What waits for something that does not come comes out after that, and all
 * else within the sender's window and the time from one filler to the next. */
#define LEVEL_LOOP_LATENCY (8 * LMCC_SECOND)

/**
 * LevelLoop:
 * @changes: groups as they are joined, and left with a minus before
 * @level: as the receiver said last
 * @delivered: pictures, those that the decoder catches up with left out
 * @least_rung: the lowest rung that these were of, or G_MAXINT
 * @drop_every: media packets of a layer; 0: none is lost
 */
typedef struct
{
  LmccSender *sender;
  LmccReceiver *receiver;
  TestSource source;
  LmccSession session;
  LmccTime now;
  GString *changes;
  gboolean joined[LEVEL_LOOP_N_RUNGS + 1];
  gint level;
  guint delivered;
  guint gaps; /* packets that are no continuation */
  gint least_rung;
  guint drop_every;
  guint n_media[LEVEL_LOOP_N_RUNGS + 1];
} LevelLoop;

LevelLoop *level_loop_new (LmccLevels levels, guint repair, guint key_distance,
    gint max_level);
void level_loop_free (LevelLoop *loop);
void level_loop_run (LevelLoop *loop, LmccTime duration);
void level_loop_set_max_level (LevelLoop *loop, gint level);
void level_loop_drain_receiver (LevelLoop *loop);
LmccReceiverStats level_loop_get_stats (LevelLoop *loop);
void level_loop_check (LevelLoop *loop, const gchar *changes, gint level);

#endif
