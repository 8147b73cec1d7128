/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Feeds a pipeline with packets or pictures in real time, through bare pads.
 */
#ifndef BENCH_FEEDER_H
#define BENCH_FEEDER_H

#include "bench-process.h"

/**
 * BenchFeeder:
 * @pipeline: the playing pipeline
 * @pushed: packets pushed, or the number of packets that the pushed pictures
 *     will become
 *
 * The other fields are private.
 */
typedef struct
{
  GstElement *pipeline;
  guint64 pushed;
  /*< private >*/
  GPtrArray *pads;
  BenchStream streams[BENCH_MAX_PADS];
  GstClock *clock;
  GstClockTime base;
  const BenchStream *stream;
  guint next_unit;
  gboolean spread;
  gboolean pictures;
} BenchFeeder;

gboolean
bench_feeder_open (BenchFeeder *feeder, const BenchContender *contender,
    const BenchStream *stream, gchar failure[120]);
gboolean bench_feeder_run_until (BenchFeeder *feeder, GstClockTime time);
GstClockTime bench_feeder_next (const BenchFeeder *feeder);
guint64 bench_feeder_count_sent (BenchFeeder *feeder);
void bench_feeder_close (BenchFeeder *feeder);

guint64 bench_element_get_stat (GstElement *element, const gchar *name);
gboolean bench_element_is (GstElement *element, const gchar *factory);

#endif
