/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Common code of the benchmarks: series of measurements and their report,
 * packets to feed, and a pad that feeds an element.
 */
#ifndef BENCH_H
#define BENCH_H

#include <gst/gst.h>
#include <gst/lmcc/lmcc.h>

/* RTP packets as a payloader makes them, without our header extension
 * element. */
#define BENCH_PACKET_SIZE 1200

/* The benchmarks send on the loopback interface. */
#define BENCH_INTERFACE "lo"
#define BENCH_INTERFACE_ADDRESS "127.0.0.1"

/* The figure has no limit. */
#define BENCH_NO_BOUND -1.0

typedef struct _BenchReport BenchReport;

BenchReport *bench_report_new (const gchar *title);
void bench_report_add (BenchReport *report, const gchar *name,
    const gchar *unit, GArray *samples, gdouble bound);
void
bench_report_fail (BenchReport *report, const gchar *name, const gchar *reason);
gint bench_report_finish (BenchReport *report, const gchar *json);
void
bench_report_skip (BenchReport *report, const gchar *name, const gchar *reason);
gboolean bench_parse_options (int *argc, char ***argv, const gchar *summary,
    gchar **json, gint *rounds);
gboolean bench_parse_options_quick (int *argc, char ***argv,
    const gchar *summary, gchar **json, gint *rounds, gboolean *quick);

GArray *bench_series_new (void);
void bench_series_add (GArray *series, gdouble value);

/**
 * BenchStream:
 * @packets_per_unit: packets of each access unit
 * @units_per_second: access units per second
 * @units_per_key: access units from one key frame to the next
 * @n_classes: temporal classes, at most 3; 0: 1
 *
 * An H.264 stream of single NAL unit packets (RFC 6184 section 5.6).
 */
typedef struct
{
  guint packets_per_unit;
  guint units_per_second;
  guint units_per_key;
  guint n_classes;
} BenchStream;

void bench_stream_fill (const BenchStream *stream, guint unit, guint index,
    guint8 data[BENCH_PACKET_SIZE]);
gboolean bench_stream_read (const guint8 *payload, gsize size, guint *unit,
    guint *index);
LmccTime bench_stream_time (const BenchStream *stream, guint unit);
GstCaps *bench_stream_caps (void);
GstCaps *bench_picture_caps (void);

GstPad *bench_source_new (GstElement *element, const gchar *pad, GstCaps *caps);
void bench_source_free (GstPad *source);
GstFlowReturn bench_source_push_unit (GstPad *source, const BenchStream *stream,
    guint unit, GstClockTime time, gboolean spread);

GstFlowReturn bench_source_push_picture (GstPad *source,
    const BenchStream *stream, guint unit, GstClockTime time);

GstElement *bench_parse_pipeline (const gchar *description, GError **error);
void bench_use_time (GstElement *pipeline, GstClock *clock, GstClockTime base);
void bench_sleep_until (GstClock *clock, GstClockTime time);
gint bench_open_capture (const gchar *group, guint16 port, gint buffer_size);

#endif
