/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Contenders that run in processes of their own, one after the other, round by
 * round: their costs, and ratios of these, each of one round.
 */
#ifndef BENCH_DUEL_H
#define BENCH_DUEL_H

#include "bench-process.h"

#define BENCH_MAX_DUELISTS 8

typedef enum
{
  BENCH_OURS, /* compared with each peer */
  BENCH_PEER,
  BENCH_FEED /* what feeding costs: taken off in one more ratio */
} BenchSide;

/**
 * BenchDuelist:
 * @contender: what runs
 * @side: what it is compared with
 * @needs: (nullable): property of lmccsink without which there is no such row
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
 * @peer: name of another one
 * @ratio: what the ratio of their costs is to be at most
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
 * @run: how contenders are run
 * @stream: what they get
 * @duelists: who they are
 * @n_duelists: how many, at most %BENCH_MAX_DUELISTS
 * @aims: aims, ended by one without a name
 * @least_sent: the share of the media that a contender of ours must send, of
 *     senders: with less it is not measured
 * @cores: the processors that it takes are told, too, of which one is the aim
 * @details: threads, memory and the time of the join are told, too
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
