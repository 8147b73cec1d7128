/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packet trains over a path to a train reader.
 */
#ifndef TEST_TRAIN_PATH_H
#define TEST_TRAIN_PATH_H

#include "control/elm/train-rules.h"

G_BEGIN_DECLS

#define MS LMCC_MSECOND

/* Level of the reader; the trains probe the next one. */
#define LEVEL 1

/**
 * TrainPath:
 * @session: a session of three layers
 * @trains: (nullable): a function that replaces @reader
 * @capacity: capacity of the bottleneck link, bit/s
 * @bucket: duration of a burst above @capacity that the link's token bucket
 *     allows
 * @delay: delay of all packets
 * @extra: a queue that other traffic keeps filled
 * @jitter: random delay of each packet, uniform from 0
 * @keeps_order: packets do not overtake each other
 * @batch: packets arrive together at the end of each interval of this length;
 *     0: at once
 * @reorder: one packet in this many is overtaken by the next one; 0: none
 * @drift: how much faster the receiver's clock runs
 * @packet_gap: interval between packets of a train
 * @gap_below: interval between packets outside trains
 * @wakes: the sender sends due packets only at the end of each interval of this
 *     length; 0: at once
 * @now: the sender's time
 * @verdicts: number of verdicts of each kind
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
