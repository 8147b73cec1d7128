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

/* Pads that a contender is fed through, at most. */
#define BENCH_MAX_PADS 64

/**
 * BenchContender:
 * @name: what it is
 * @pipeline: with an element "element", that is fed, or several, "element0" and
 *     so on; behind one that receives a fakesink "counter"
 * @n_pads: pads that are fed, each with its share of the stream; 0 is one
 * @n_classes: temporal classes of what each of these gets, at most 3; 0 is one
 * @pictures: pictures are fed, not RTP packets
 * @spread: each packet has a time of its own, evenly up to the next unit's
 * @count_pushed: costs are for each packet that goes in, not for each that is
 *     sent
 * @count_received: costs are for each packet from the network, not for each
 *     that is given out
 * @warm_up: how long nothing is measured, from the first packet on
 * @window: how long it is measured
 */
typedef struct
{
  const gchar *name;
  const gchar *pipeline;
  guint n_pads;
  guint n_classes;
  gboolean pictures;
  gboolean spread;
  gboolean count_pushed;
  gboolean count_received;
  GstClockTime warm_up;
  GstClockTime window;
} BenchContender;

/**
 * BenchResult:
 * @ok: something was measured
 * @failure: what went wrong
 * @us_per_packet: CPU time of the process
 * @switches_per_packet: its context switches
 * @packets_per_second: packets that the costs are divided by
 * @sent: of the media that went in, the share that was sent
 * @lost: share of the packets that came to the host; of what lmccsrc or the
 *     sockets of udpsrc know
 * @packets_lost: these packets
 * @join_ms: from the start of the pipeline to the first packet given out
 * @threads: of the process
 * @other_threads: of these, without the first one and those of source pads
 * @resident_kb: memory of the process
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
  gdouble packets_per_second;
  gdouble sent;
  gdouble lost;
  gdouble join_ms;
  guint64 packets_lost;
  guint threads;
  guint other_threads;
  guint resident_kb;
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
void bench_process_read_size (BenchResult *result);
void bench_process_check (GstElement *pipeline, BenchResult *result);
pid_t bench_start_busy (void);
void bench_stop_busy (pid_t busy);

#endif
