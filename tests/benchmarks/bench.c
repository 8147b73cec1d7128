/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bench.h"

#include <gst/lmcc/wire/rtp.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAYLOAD_MAGIC 0x4c4d4342u

typedef struct
{
  gchar *name;
  const gchar *unit;
  guint n;
  gdouble median;
  gdouble min;
  gdouble max;
  gdouble p95;
  gdouble bound;
  gchar *failure;
} Row;

struct _BenchReport
{
  const gchar *title;
  GArray *rows;
  gboolean failed;
};

static gint
compare_doubles (gconstpointer a, gconstpointer b)
{
  gdouble first = *(const gdouble *) a, second = *(const gdouble *) b;

  return first < second ? -1 : first > second;
}

/* The smallest value that @fraction of the sorted samples do not exceed. */
static gdouble
percentile (const GArray *sorted, gdouble fraction)
{
  guint rank = (guint) (fraction * sorted->len + 0.999999);

  return g_array_index (sorted, gdouble, CLAMP (rank, 1, sorted->len) - 1);
}

static gdouble
median (const GArray *sorted)
{
  guint middle = sorted->len / 2;

  if (sorted->len % 2 == 1)
    return g_array_index (sorted, gdouble, middle);
  return (g_array_index (sorted, gdouble, middle - 1)
             + g_array_index (sorted, gdouble, middle))
      / 2;
}

GArray *
bench_series_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (gdouble));
}

void
bench_series_add (GArray *series, gdouble value)
{
  g_array_append_val (series, value);
}

static void
clear_row (gpointer data)
{
  Row *row = data;

  g_free (row->name);
  g_free (row->failure);
}

BenchReport *
bench_report_new (const gchar *title)
{
  BenchReport *report = g_new0 (BenchReport, 1);

  report->title = title;
  report->rows = g_array_new (FALSE, TRUE, sizeof (Row));
  g_array_set_clear_func (report->rows, clear_row);
  return report;
}

/* @samples must be sorted. An empty series is a failure. */
void
bench_report_add (BenchReport *report, const gchar *name, const gchar *unit,
    GArray *samples, gdouble bound)
{
  Row row = { 0 };

  if (samples->len == 0) {
    bench_report_fail (report, name, "no measurement succeeded");
    return;
  }
  g_array_sort (samples, compare_doubles);
  row.name = g_strdup (name);
  row.unit = unit;
  row.n = samples->len;
  row.median = median (samples);
  row.min = g_array_index (samples, gdouble, 0);
  row.max = g_array_index (samples, gdouble, samples->len - 1);
  row.p95 = percentile (samples, 0.95);
  row.bound = bound;
  g_array_append_val (report->rows, row);
}

/**
 * bench_report_skip:
 * @report: the report
 * @name: name of the measurement
 * @reason: why it is not possible here; this is not a failure
 */
void
bench_report_skip (BenchReport *report, const gchar *name, const gchar *reason)
{
  Row row = { 0 };

  row.name = g_strdup (name);
  row.unit = "";
  row.bound = BENCH_NO_BOUND;
  row.failure = g_strdup (reason);
  g_array_append_val (report->rows, row);
}

void
bench_report_fail (BenchReport *report, const gchar *name, const gchar *reason)
{
  bench_report_skip (report, name, reason);
  report->failed = TRUE;
}

static void
print_row (const Row *row)
{
  if (row->failure) {
    printf ("  %-52s not measured: %s\n", row->name, row->failure);
    return;
  }
  printf ("  %-52s %-9s %5u %10.3f %10.3f %10.3f %10.3f", row->name, row->unit,
      row->n, row->median, row->min, row->max, row->p95);
  if (row->bound >= 0.0)
    printf (" %8.3f", row->bound);
  printf ("\n");
}

static void
print_table (const BenchReport *report)
{
  guint i;

  printf ("\n%s\n  %-52s %-9s %5s %10s %10s %10s %10s %8s\n", report->title, "",
      "unit", "n", "median", "min", "max", "95th", "aim");
  for (i = 0; i < report->rows->len; i++)
    print_row (&g_array_index (report->rows, Row, i));
}

static void
append_number (GString *text, const gchar *key, gdouble value)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (text, ", \"%s\": %s", key,
      g_ascii_formatd (number, sizeof (number), "%.6g", value));
}

static void
append_row (GString *text, const Row *row)
{
  g_string_append_printf (text, "{\"name\": \"%s\"", row->name);
  if (row->failure) {
    g_string_append_printf (text, ", \"failure\": \"%s\"}", row->failure);
    return;
  }
  g_string_append_printf (text, ", \"unit\": \"%s\", \"samples\": %u",
      row->unit, row->n);
  append_number (text, "median", row->median);
  append_number (text, "min", row->min);
  append_number (text, "max", row->max);
  append_number (text, "p95", row->p95);
  if (row->bound >= 0.0)
    append_number (text, "aim", row->bound);
  g_string_append_c (text, '}');
}

static gboolean
write_json (const BenchReport *report, const gchar *path)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  guint i;

  g_string_append_printf (text, "{\"title\": \"%s\", \"rows\": [\n",
      report->title);
  for (i = 0; i < report->rows->len; i++) {
    g_string_append (text, i > 0 ? ",\n  " : "  ");
    append_row (text, &g_array_index (report->rows, Row, i));
  }
  g_string_append (text, "]}\n");
  if (g_file_set_contents (path, text->str, -1, &error))
    return TRUE;
  fprintf (stderr, "%s\n", error->message);
  return FALSE;
}

/**
 * bench_report_finish:
 * @report: (transfer full): the report
 * @json: (nullable): JSON file to write in addition
 *
 * Returns: the program's exit status: 1 if a measurement failed, whatever the
 *     figures are
 */
gint
bench_report_finish (BenchReport *report, const gchar *json)
{
  gboolean ok = !report->failed;

  print_table (report);
  if (json)
    ok = write_json (report, json) && ok;
  g_array_unref (report->rows);
  g_free (report);
  return ok ? 0 : 1;
}

static gboolean
parse_options (int *argc, char ***argv, const gchar *summary,
    const GOptionEntry *entries, const gint *rounds)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  g_option_context_set_summary (context, summary);
  g_option_context_add_main_entries (context, entries, NULL);
  if (g_option_context_parse (context, argc, argv, &error) && *rounds > 0)
    return TRUE;
  fprintf (stderr, "%s\n",
      error ? error->message : "--rounds must be at least 1");
  return FALSE;
}

#define COMMON_OPTIONS(json, rounds)                                        \
  { "json", 0, 0, G_OPTION_ARG_FILENAME, json, "Write the figures to FILE", \
    "FILE" },                                                               \
  {                                                                         \
    "rounds", 0, 0, G_OPTION_ARG_INT, rounds, "Number of measurements", "N" \
  }

gboolean
bench_parse_options (int *argc, char ***argv, const gchar *summary,
    gchar **json, gint *rounds)
{
  const GOptionEntry entries[] = { COMMON_OPTIONS (json, rounds), { NULL } };

  return parse_options (argc, argv, summary, entries, rounds);
}

/* The same for a program with a short form. */
gboolean
bench_parse_options_quick (int *argc, char ***argv, const gchar *summary,
    gchar **json, gint *rounds, gboolean *quick)
{
  const GOptionEntry entries[] = { COMMON_OPTIONS (json, rounds),
    { "quick", 0, 0, G_OPTION_ARG_NONE, quick,
        "Measure only some of the rows, for a shorter time", NULL },
    { NULL } };

  return parse_options (argc, argv, summary, entries, rounds);
}

static void
write_u16 (guint8 *data, guint value)
{
  data[0] = (guint8) (value >> 8);
  data[1] = (guint8) value;
}

static void
write_u32 (guint8 *data, guint value)
{
  write_u16 (data, value >> 16);
  write_u16 (data + 2, value & 0xffff);
}

static guint
read_u32 (const guint8 *data)
{
  return (guint) data[0] << 24 | (guint) data[1] << 16 | (guint) data[2] << 8
      | data[3];
}

/* A slice of an IDR picture or another picture, with the nal_ref_idc of its
 * class: 3, 1 and 0. */
static guint8
nal_header (const BenchStream *stream, guint unit)
{
  static const guint8 headers[] = { 0x61, 0x21, 0x01 };
  guint place = unit % stream->units_per_key;

  return place == 0 ? 0x65 : headers[place % MAX (stream->n_classes, 1)];
}

void
bench_stream_fill (const BenchStream *stream, guint unit, guint index,
    guint8 data[BENCH_PACKET_SIZE])
{
  gboolean last = index + 1 == stream->packets_per_unit;
  guint8 *payload = data + LMCC_RTP_HEADER_SIZE;

  memset (data, 0, BENCH_PACKET_SIZE);
  data[0] = 0x80;
  data[1] = (guint8) (96 | (last ? 0x80 : 0));
  write_u16 (data + 2, unit * stream->packets_per_unit + index);
  write_u32 (data + 4,
      (guint) (bench_stream_time (stream, unit) / 1000 * 9 / 100));
  write_u32 (data + 8, 0x12345678);
  payload[0] = nal_header (stream, unit);
  write_u32 (payload + 4, PAYLOAD_MAGIC);
  write_u32 (payload + 8, unit);
  write_u32 (payload + 12, index);
}

gboolean
bench_stream_read (const guint8 *payload, gsize size, guint *unit, guint *index)
{
  if (size < 16 || read_u32 (payload + 4) != PAYLOAD_MAGIC)
    return FALSE;
  *unit = read_u32 (payload + 8);
  *index = read_u32 (payload + 12);
  return TRUE;
}

LmccTime
bench_stream_time (const BenchStream *stream, guint unit)
{
  return unit * LMCC_SECOND / stream->units_per_second;
}

GstCaps *
bench_stream_caps (void)
{
  return gst_caps_new_simple ("application/x-rtp", "media", G_TYPE_STRING,
      "video", "encoding-name", G_TYPE_STRING, "H264", "clock-rate", G_TYPE_INT,
      90000, "payload", G_TYPE_INT, 96, NULL);
}

/* Parameter sets of x264 for 1920x1080. */
static const guint8 codec_data[] = { 0x01, 0x4d, 0x40, 0x28, 0xff, 0xe1, 0x00,
  0x1c, 0x67, 0x4d, 0x40, 0x28, 0xd9, 0x00, 0x78, 0x02, 0x27, 0xe5, 0xc0, 0x5a,
  0x80, 0x80, 0x80, 0xa0, 0x00, 0x00, 0x03, 0x00, 0x20, 0x00, 0x00, 0x07, 0x91,
  0xe3, 0x06, 0x49, 0x01, 0x00, 0x04, 0x68, 0xeb, 0xcc, 0xb2 };

/**
 * bench_picture_caps:
 *
 * Returns: (transfer full): caps of the data that bench_source_push_picture()
 *     pushes
 */
GstCaps *
bench_picture_caps (void)
{
  g_autoptr (GstBuffer) sets =
      gst_buffer_new_memdup (codec_data, sizeof (codec_data));

  return gst_caps_new_simple ("video/x-h264", "stream-format", G_TYPE_STRING,
      "avc", "alignment", G_TYPE_STRING, "au", "profile", G_TYPE_STRING, "main",
      "width", G_TYPE_INT, 1920, "height", G_TYPE_INT, 1080, "framerate",
      GST_TYPE_FRACTION, 50, 1, "codec_data", GST_TYPE_BUFFER, sets, NULL);
}

static gboolean
source_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, TRUE, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

static GstPad *
get_sink_pad (GstElement *element, const gchar *name)
{
  GstPad *pad = gst_element_get_static_pad (element, name);

  return pad ? pad : gst_element_request_pad_simple (element, name);
}

/**
 * bench_source_new:
 * @element: the element to feed
 * @pad: its sink pad, or the template of a request pad
 * @caps: (transfer full): caps of the data
 *
 * Returns: (nullable): a live source of running times without an element around
 *     it, so that nearly all measured cost is that of @element
 */
GstPad *
bench_source_new (GstElement *element, const gchar *pad, GstCaps *caps)
{
  GstPad *source = gst_pad_new ("src", GST_PAD_SRC);
  g_autoptr (GstPad) sink = get_sink_pad (element, pad);
  GstSegment segment;

  gst_pad_set_query_function (source, source_query);
  gst_pad_set_active (source, TRUE);
  if (sink == NULL || gst_pad_link (source, sink) != GST_PAD_LINK_OK) {
    gst_caps_unref (caps);
    bench_source_free (source);
    return NULL;
  }
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (source, gst_event_new_stream_start ("benchmark"));
  gst_pad_push_event (source, gst_event_new_caps (caps));
  gst_pad_push_event (source, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
  return source;
}

void
bench_source_free (GstPad *source)
{
  gst_pad_set_active (source, FALSE);
  gst_object_unref (source);
}

/* @spread: give each packet its own time, evenly spaced up to the next unit. */
GstFlowReturn
bench_source_push_unit (GstPad *source, const BenchStream *stream, guint unit,
    GstClockTime time, gboolean spread)
{
  GstClockTime step = 0;
  GstFlowReturn ret = GST_FLOW_OK;
  guint i;

  if (spread)
    step = GST_SECOND / stream->units_per_second / stream->packets_per_unit;
  for (i = 0; i < stream->packets_per_unit && ret == GST_FLOW_OK; i++) {
    guint8 *data = g_malloc (BENCH_PACKET_SIZE);
    GstBuffer *buffer;

    bench_stream_fill (stream, unit, i, data);
    buffer = gst_buffer_new_wrapped (data, BENCH_PACKET_SIZE);
    GST_BUFFER_PTS (buffer) = time + i * step;
    ret = gst_pad_push (source, buffer);
  }
  return ret;
}

/* The unit as an encoder outputs it: slices, each as large as the payload of
 * a packet. */
GstFlowReturn
bench_source_push_picture (GstPad *source, const BenchStream *stream,
    guint unit, GstClockTime time)
{
  const gsize slice = BENCH_PACKET_SIZE - LMCC_RTP_HEADER_SIZE;
  guint8 *data = g_malloc ((4 + slice) * stream->packets_per_unit);
  GstBuffer *buffer;
  guint i;

  for (i = 0; i < stream->packets_per_unit; i++) {
    guint8 packet[BENCH_PACKET_SIZE], *place = data + i * (4 + slice);

    bench_stream_fill (stream, unit, i, packet);
    write_u32 (place, slice);
    memcpy (place + 4, packet + LMCC_RTP_HEADER_SIZE, slice);
  }
  buffer =
      gst_buffer_new_wrapped (data, (4 + slice) * stream->packets_per_unit);
  GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) = time;
  if (unit % stream->units_per_key != 0)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);

  return gst_pad_push (source, buffer);
}

/**
 * bench_parse_pipeline:
 * @description: as for gst-launch-1.0
 * @error: the error
 *
 * Returns: (transfer full) (nullable): a pipeline
 */
GstElement *
bench_parse_pipeline (const gchar *description, GError **error)
{
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *inside = gst_parse_launch_full (description, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);

  if (inside) {
    gst_bin_add (GST_BIN (pipeline), inside);
    return pipeline;
  }
  gst_object_unref (pipeline);
  return NULL;
}

/* For pipelines that need the same running time. */
void
bench_use_time (GstElement *pipeline, GstClock *clock, GstClockTime base)
{
  gst_pipeline_use_clock (GST_PIPELINE (pipeline), clock);
  gst_element_set_start_time (pipeline, GST_CLOCK_TIME_NONE);
  gst_element_set_base_time (pipeline, base);
}

void
bench_sleep_until (GstClock *clock, GstClockTime time)
{
  GstClockID id = gst_clock_new_single_shot_id (clock, time);

  gst_clock_id_wait (id, NULL);
  gst_clock_id_unref (id);
}

/**
 * bench_open_capture:
 * @group: IPv4 multicast address
 * @port: UDP port
 * @buffer_size: receive buffer in bytes
 *
 * Returns: a socket that has joined @group, with kernel receive timestamps, or
 *     -1
 */
gint
bench_open_capture (const gchar *group, guint16 port, gint buffer_size)
{
  struct sockaddr_in address = { 0 };
  struct ip_mreq request = { 0 };
  gint fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), one = 1;

  address.sin_family = AF_INET;
  address.sin_port = htons (port);
  inet_pton (AF_INET, group, &address.sin_addr);
  request.imr_multiaddr = address.sin_addr;
  inet_pton (AF_INET, BENCH_INTERFACE_ADDRESS, &request.imr_interface);
  setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof (one));
  setsockopt (fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof (one));
  setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &buffer_size, sizeof (buffer_size));
  if (bind (fd, (struct sockaddr *) &address, sizeof (address)) == 0
      && setsockopt (fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request,
             sizeof (request))
          == 0)
    return fd;
  close (fd);
  return -1;
}
