/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compares contenders that run in separate processes, one after the other
 * and round by round: their costs, and the ratios of costs within each
 * round.
 */
#ifndef BENCH_DUEL_H
#define BENCH_DUEL_H

#include "bench-process.h"

#define BENCH_MAX_DUELISTS 8

typedef enum
{
  BENCH_OURS, /* compared with each peer */
  BENCH_PEER,
  BENCH_FEED /* the cost of feeding: subtracted in an additional ratio */
} BenchSide;

/**
 * BenchDuelist:
 * @contender: the pipeline
 * @side: its role in the comparison
 * @needs: (nullable): property of lmccsink that the row requires
 */
typedef struct
{
  BenchContender contender;
  BenchSide side;
  const gchar *needs;
} BenchDuelist;

/**
 * BenchAim:
 * @what: name of the duel
 * @ours: name of a contender
 * @peer: name of a contender to compare it with
 * @ratio: upper limit of the ratio of their costs
 */
typedef struct
{
  const gchar *what;
  const gchar *ours;
  const gchar *peer;
  gdouble ratio;
} BenchAim;

/**
 * BenchDuel:
 * @what: name of the duel, first in each row
 * @run: function that runs a contender
 * @stream: stream that they are fed
 * @duelists: the contenders
 * @n_duelists: number of contenders, at most %BENCH_MAX_DUELISTS
 * @aims: aims, terminated by one without a name
 * @least_sent: for senders: smallest share of the media that one of our
 *     contenders must send to be measured
 * @cores: also report the number of processors used, with an aim of one
 * @details: also report threads, memory and the join time
 */
typedef struct
{
  const gchar *what;
  BenchRun run;
  BenchStream stream;
  const BenchDuelist *duelists;
  guint n_duelists;
  const BenchAim *aims;
  gdouble least_sent;
  gboolean cores;
  gboolean details;
} BenchDuel;

void
bench_duel_measure (const BenchDuel *duel, BenchReport *report, gint rounds);

#endif
