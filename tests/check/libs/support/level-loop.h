/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A sender and a receiver in a session of three rungs. The receiver has
 * joined the lowest rung, or the lowest and one more rung. The network
 * delivers the joined groups. No session record is sent: both ends know the
 * session.
 */
#ifndef LEVEL_LOOP_H
#define LEVEL_LOOP_H

#include "support/sender-harness.h"
#include "support/test-source.h"

#define LEVEL_LOOP_N_RUNGS 3
#define LEVEL_LOOP_PICTURES_PER_SECOND (LMCC_SECOND / TEST_SOURCE_INTERVAL)

/* By then, units that wait for a missing packet have been output. All others
 * are output within the sender's window plus the interval between two
 * fillers. */
#define LEVEL_LOOP_LATENCY (8 * LMCC_SECOND)

/**
 * LevelLoop:
 * @changes: joined groups, and left groups with a minus sign in front
 * @level: the level that the receiver reported last
 * @delivered: delivered pictures without those that are only decoded to catch
 *     up
 * @least_rung: the lowest rung of these pictures, or G_MAXINT
 * @drop_every: drop every n-th media packet of a layer; 0: drop none
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
  guint gaps; /* gaps in the sequence numbers */
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
