/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Trains over a path to a reader.
 */
#ifndef TEST_TRAIN_PATH_H
#define TEST_TRAIN_PATH_H

#include "control/elm/train-rules.h"

G_BEGIN_DECLS

#define MS LMCC_MSECOND

/* Held by the reader; trains are for the one above. */
#define LEVEL 1

/**
 * TrainPath:
 * @session: of three layers
 * @trains: (nullable): who reads in the place of @reader
 * @capacity: of the link with the queue, bit/s
 * @bucket: of the link's tokens: for so long it sends faster than that
 * @delay: that all packets have
 * @extra: a queue that others keep filled
 * @jitter: uniform, from 0 on; each packet's own
 * @keeps_order: who is late lets nobody past
 * @batch: packets arrive together at the end of each such interval, 0: at once
 * @reorder: one packet in so many is overtaken by the next one; 0: none
 * @drift: by how much the receiver's clock is too fast
 * @packet_gap: from one packet of a train to the next
 * @gap_below: and outside trains
 * @wakes: the sender sends what is due only at the end of each such interval, 0:
 *     at once
 * @now: the sender's time
 * @verdicts: how many there were of each kind
 */
typedef struct
{
  LmccSession session;
  LmccTrainReader reader;
  LmccElmTrains *trains;
  GRand *rand;
  gdouble capacity;
  LmccTime bucket;
  LmccTime delay;
  LmccTime extra;
  LmccTime jitter;
  gboolean keeps_order;
  LmccTime batch;
  guint reorder;
  gdouble drift;

  LmccTime wakes;
  LmccTime packet_gap;
  LmccTime gap_below;
  LmccTime now;
  LmccTime ntp_offset;
  gint8 signal;
  gboolean marks_all;
  guint layer;

  LmccTime idle_at; /* the link */
  LmccTime latest;
  guint n_sent;
  GArray *arrivals;
  guint verdicts[LMCC_TRAIN_UNKNOWN + 1];
  LmccTime verdict_at;
  LmccTime least_apart;
} TrainPath;

void
train_path_init (TrainPath *path, gdouble rate, gdouble factor, guint32 seed);
void train_path_clear (TrainPath *path);
guint train_path_length (const TrainPath *path);
LmccTime train_path_arrival (const TrainPath *path);
void train_path_flush (TrainPath *path);
void train_path_even (TrainPath *path, LmccTime duration);
void train_path_train (TrainPath *path, guint n);
void train_path_cycle (TrainPath *path, guint n);
void train_path_cycles (TrainPath *path, guint n_cycles);
guint train_path_count (const TrainPath *path);

G_END_DECLS

#endif
