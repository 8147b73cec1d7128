/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pipelines that each run in a process of their own, for what these cost: CPU
 * time of all threads, user and system.
 */
#ifndef BENCH_PROCESS_H
#define BENCH_PROCESS_H

#include "bench.h"

#include <sys/types.h>

#define BENCH_MAX_PARTS 8

/* What measuring itself takes, which is no part of the CPU time. */
#define BENCH_OVERHEAD (BENCH_MAX_PARTS - 1)

/**
 * BenchContender:
 * @name: what it is
 * @pipeline: with an element "element", that is fed or that receives; behind
 *     one that receives a fakesink "counter"
 * @spread: each packet has a time of its own, evenly up to the next unit's
 * @count_pushed: costs are for each packet that goes in, not for each that is
 *     sent
 * @warm_up: how long nothing is measured, from the first packet on
 * @window: how long it is measured
 */
typedef struct
{
  const gchar *name;
  const gchar *pipeline;
  gboolean spread;
  gboolean count_pushed;
  GstClockTime warm_up;
  GstClockTime window;
} BenchContender;

/**
 * BenchResult:
 * @ok: something was measured
 * @failure: what went wrong
 * @us_per_packet: CPU time of the process
 * @switches_per_packet: its context switches
 * @lost: share of the packets; lmccsrc alone knows
 * @repaired: media packets that came back; lmccsrc alone knows
 * @parts: shares of the CPU time, as bench_process_spend() was told
 * @counts: for each packet, as bench_process_count() was told
 */
typedef struct
{
  gboolean ok;
  gchar failure[120];
  gdouble us_per_packet;
  gdouble switches_per_packet;
  gdouble lost;
  guint64 repaired;
  gdouble parts[BENCH_MAX_PARTS];
  gdouble counts[BENCH_MAX_PARTS];
} BenchResult;

typedef void (*BenchRun) (const BenchContender *contender,
    const BenchStream *stream, BenchResult *result);

void bench_run_sender (const BenchContender *contender,
    const BenchStream *stream, BenchResult *result);
void bench_run_receiver (const BenchContender *contender,
    const BenchStream *stream, BenchResult *result);
BenchResult bench_run_in_child (BenchRun run, const BenchContender *contender,
    const BenchStream *stream);
pid_t bench_start_sender (const BenchContender *contender,
    const BenchStream *stream, gint *stop_fd);
void bench_stop_sender (pid_t sender, gint stop_fd);
void bench_process_spend (guint part, gint64 ns);
void bench_process_count (guint part);

#endif
