/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs pipelines in separate processes and measures their cost: user and
 * system CPU time of all threads.
 */
#ifndef BENCH_PROCESS_H
#define BENCH_PROCESS_H

#include "bench.h"

#include <sys/types.h>

#define BENCH_MAX_PARTS 8

/* Cost of the measurement itself, excluded from the CPU time. */
#define BENCH_OVERHEAD (BENCH_MAX_PARTS - 1)

/* Largest number of pads through which a contender is fed. */
#define BENCH_MAX_PADS 64

/**
 * BenchContender:
 * @name: its name
 * @pipeline: description with the element to feed, named "element", or several,
 *     named "element0" and so on; a receiver is followed by a fakesink
 *     "counter"
 * @n_pads: number of pads to feed, each with its share of the stream; 0: 1
 * @n_classes: temporal classes on each pad, at most 3; 0: 1
 * @pictures: feed pictures instead of RTP packets
 * @spread: give each packet its own time, evenly spaced up to the next unit
 * @count_pushed: relate costs to pushed packets instead of sent ones
 * @count_received: relate costs to packets from the network instead of output
 *     ones
 * @warm_up: time before the measurement, from the first packet
 * @window: duration of the measurement
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
 * @ok: whether the measurement succeeded
 * @failure: what went wrong
 * @us_per_packet: CPU time of the process
 * @switches_per_packet: its context switches
 * @packets_per_second: number of packets that the costs are related to
 * @sent: share of the pushed media that was sent
 * @lost: share of the packets arriving at the host that were lost, as known to
 *     lmccsrc or the sockets of udpsrc
 * @packets_lost: number of these packets
 * @join_ms: time from the start of the pipeline to the first output packet
 * @threads: threads of the process
 * @other_threads: of these, without the first thread and those of source pads
 * @resident_kb: memory of the process
 * @repaired: repaired media packets; known for lmccsrc only
 * @parts: shares of the CPU time, from bench_process_spend()
 * @counts: counts per packet, from bench_process_count()
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
