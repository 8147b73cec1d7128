/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures latencies: of a picture from the source to the screen, and of a
 * receiver from its start to the first packet and the first picture.
 */
#include "bench.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#define GROUP "239.255.43.11"
#define PORT 25104
#define PORT_TEXT G_STRINGIFY (PORT)

#define WIDTH 640
#define HEIGHT 360
#define FRAME_RATE 30

/* A picture's number is drawn as blocks of luma in its first row, lowest bit
 * first. */
#define NUMBER_BITS 16
#define BLOCK (WIDTH / NUMBER_BITS)
#define BLACK 32
#define WHITE 220
#define MIDDLE 126

#define GLASS_TIME (12 * GST_SECOND)
#define JOIN_TIMEOUT (15 * GST_SECOND)

/* The user's own encoder, with the shortest possible delay. */
#define X264                                                                   \
  "x264enc name=encoder tune=zerolatency speed-preset=ultrafast bitrate=1500 " \
  "key-int-max=30 ! h264parse ! "
#define FIXED "layering=doubling"
#define LIVE "latency-profile=live"
#define QUALITY "latency-profile=quality"

/* The delay of lmccsink for raw video in layers of fixed rates: 14 pictures.
 * And the settings of an encoder on a faster machine: it looks ahead. */
#define RAW_KEY (14.0 / FRAME_RATE)
#define THOROUGH "encoder-settings=x264,speed-preset=veryfast"

/* The encodings of tests/benchmarks/quality, and the highest of them alone
 * in plain RTP. */
#define LADDER                                                              \
  "encoder-settings=\"x264,bitrates=\\\"100k,300k,900k\\\",bframes=3,speed" \
  "-preset=veryfast\""
#define ONE                                                         \
  "x264ladderenc name=encoder bitrates=900k bframes=3 speed-preset" \
  "=veryfast encoder.src_0 ! queue ! h264parse ! "
#define DOUBLING FIXED " layers=5 base-rate=150000"

/**
 * Case:
 * @name: prefix of the rows
 * @encoder: elements in front of lmccsink, the first one named "encoder"; ""
 *     for raw video, which lmccsink encodes
 * @sender: properties of lmccsink; %NULL for plain RTP, for which no joins are
 *     measured
 * @receiver: properties of lmccsrc
 * @warm_up: seconds until the latency of pictures is stable
 * @key_time: interval of key frames in s, over which joins are spread
 * @glass_bound: aim in ms
 * @join_bound: aim in ms; %BENCH_NO_BOUND for none
 */
typedef struct
{
  const gchar *name;
  const gchar *encoder;
  const gchar *sender;
  const gchar *receiver;
  guint warm_up;
  gdouble key_time;
  gdouble glass_bound;
  gdouble join_bound;
} Case;

static const Case cases[] = {
  { "native", X264, "", "", 2, 1, 500, 1500 },
  { "native, live", X264, LIVE, LIVE, 2, 1, 120, 1500 },
  { "native, quality", X264, QUALITY, QUALITY, 4, 1, BENCH_NO_BOUND,
      BENCH_NO_BOUND },
  { "raw", "", "", "", 4, 1, BENCH_NO_BOUND, BENCH_NO_BOUND },
  { "raw, live", "", LIVE, LIVE, 4, 1, BENCH_NO_BOUND, BENCH_NO_BOUND },
  { "fixed", X264, FIXED, "", 4, 1, BENCH_NO_BOUND, BENCH_NO_BOUND },
  { "fixed, raw", "", FIXED, "", 4, RAW_KEY, 1500, 1500 },
  { "fixed, raw, thorough", "", FIXED " " THOROUGH, "", 4, RAW_KEY, 1500,
      1500 },
  { "fixed, raw, live", "", FIXED " " LIVE, LIVE, 4, 0.25, BENCH_NO_BOUND,
      BENCH_NO_BOUND },
  { "fixed, raw, quality", "", FIXED " " QUALITY, QUALITY, 8, 2, BENCH_NO_BOUND,
      BENCH_NO_BOUND },
  { "ladder, native", "", LADDER " levels=cumulative", "", 8, 1, BENCH_NO_BOUND,
      BENCH_NO_BOUND },
  { "ladder, fallback", "", LADDER " levels=fallback", "", 8, 1, BENCH_NO_BOUND,
      BENCH_NO_BOUND },
  { "ladder, replicated", "", LADDER " levels=replicated", "", 8, 1,
      BENCH_NO_BOUND, BENCH_NO_BOUND },
  { "ladder, doubling", "", LADDER " " DOUBLING, "", 12, 1, BENCH_NO_BOUND,
      BENCH_NO_BOUND },
  { "ladder, plain RTP", ONE, NULL, NULL, 8, 1, BENCH_NO_BOUND,
      BENCH_NO_BOUND },
};

/* Elements before the depayloader. */
#define LMCCSRC \
  "lmccsrc name=source multicast-iface=" BENCH_INTERFACE " algorithm=none "
#define PLAIN_SOURCE                                                           \
  "udpsrc address=" GROUP " port=" PORT_TEXT                                   \
  " multicast-iface=" BENCH_INTERFACE                                          \
  " caps=application/x-rtp,media=video,clock-rate=90000,encoding-name=H264 ! " \
  "rtpjitterbuffer name=source latency=200"
#define PLAIN_SINK                                                         \
  "rtph264pay config-interval=-1 mtu=1200 ! udpsink name=sink host=" GROUP \
  " port=" PORT_TEXT " multicast-iface=" BENCH_INTERFACE

/* A camera: pushes numbered pictures into an encoder in real time. */

typedef struct
{
  GstElement *pipeline;
  GstPad *source;
  GstClock *clock;
  GstClockTime base;
  gchar *sdp;
  GThread *thread;
  gint running;
} Camera;

static GstBuffer *
draw (guint number)
{
  gsize luma = WIDTH * HEIGHT, size = luma * 3 / 2;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  GstMapInfo map;
  guint x, y;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  memset (map.data + luma, 128, size - luma);
  for (y = 0; y < HEIGHT; y++) {
    for (x = 0; x < WIDTH; x++) {
      guint8 value = (guint8) (x + y + 4 * number);

      if (y < BLOCK)
        value = number >> (x / BLOCK) & 1 ? WHITE : BLACK;
      map.data[y * WIDTH + x] = value;
    }
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static guint
read_number (GstBuffer *buffer)
{
  guint number = 0, bit;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return 0;
  for (bit = 0; bit < NUMBER_BITS; bit++) {
    gsize at = BLOCK / 2 * (gsize) WIDTH + bit * BLOCK + BLOCK / 2;

    if (at < map.size && map.data[at] > MIDDLE)
      number |= 1u << bit;
  }
  gst_buffer_unmap (buffer, &map);
  return number;
}

static GstClockTime
picture_time (guint number)
{
  return number * GST_SECOND / FRAME_RATE;
}

static gpointer
film (gpointer data)
{
  Camera *camera = data;
  guint number = 0;

  while (g_atomic_int_get (&camera->running)) {
    GstBuffer *buffer;

    bench_sleep_until (camera->clock, camera->base + picture_time (number));
    buffer = draw (number);
    GST_BUFFER_PTS (buffer) = picture_time (number);
    GST_BUFFER_DURATION (buffer) = GST_SECOND / FRAME_RATE;
    number++;
    if (gst_pad_push (camera->source, buffer) != GST_FLOW_OK)
      break;
  }
  return NULL;
}

static void
recalculate_latency (GstElement *pipeline, gpointer user_data G_GNUC_UNUSED)
{
  gst_bin_recalculate_latency (GST_BIN (pipeline));
}

/* Recalculates the latency as an application does: an encoder reports its
 * latency when it knows its pictures, and lmccsrc when a session record
 * changes it. */
static GstBusSyncReply
on_message (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer pipeline)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_LATENCY)
    gst_element_call_async (pipeline, recalculate_latency, NULL, NULL);

  return GST_BUS_PASS;
}

static void
follow_latency (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  gst_bus_set_sync_handler (bus, on_message, pipeline, NULL);
}

static gboolean
camera_open (Camera *camera, const Case *c, GError **error)
{
  g_autofree gchar *description = NULL;
  g_autoptr (GstElement) encoder = NULL;
  gboolean raw;
  gint fd;

  memset (camera, 0, sizeof (*camera));
  fd = g_file_open_tmp ("lmcc-benchmark-XXXXXX.sdp", &camera->sdp, error);
  if (fd < 0)
    return FALSE;
  close (fd);
  if (c->sender == NULL)
    description = g_strdup_printf ("%s" PLAIN_SINK, c->encoder);
  else
    description =
        g_strdup_printf ("%slmccsink name=sink address=" GROUP
                         " port=" PORT_TEXT " multicast-iface=" BENCH_INTERFACE
                         " sdp-location=%s %s",
            c->encoder, camera->sdp, c->sender);
  camera->pipeline = bench_parse_pipeline (description, error);
  if (camera->pipeline == NULL)
    return FALSE;
  follow_latency (camera->pipeline);
  camera->clock = gst_system_clock_obtain ();
  camera->base = gst_clock_get_time (camera->clock);
  bench_use_time (camera->pipeline, camera->clock, camera->base);
  gst_element_set_state (camera->pipeline, GST_STATE_PLAYING);
  raw = c->encoder[0] == '\0';
  encoder = gst_bin_get_by_name (GST_BIN (camera->pipeline),
      raw ? "sink" : "encoder");
  camera->source = bench_source_new (encoder, raw ? "sink_%u" : "sink",
      gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, "I420",
          "width", G_TYPE_INT, WIDTH, "height", G_TYPE_INT, HEIGHT, "framerate",
          GST_TYPE_FRACTION, FRAME_RATE, 1, NULL));
  camera->running = TRUE;
  camera->thread = g_thread_new ("camera", film, camera);
  return TRUE;
}

static void
camera_close (Camera *camera)
{
  g_atomic_int_set (&camera->running, FALSE);
  if (camera->thread)
    g_thread_join (camera->thread);
  if (camera->pipeline) {
    gst_element_set_state (camera->pipeline, GST_STATE_NULL);
    bench_source_free (camera->source);
    gst_object_unref (camera->pipeline);
    gst_object_unref (camera->clock);
  }
  if (camera->sdp)
    g_unlink (camera->sdp);
  g_free (camera->sdp);
}

/* A screen: a receiver, a decoder, and a sink that shows each picture in
 * time. */

typedef struct
{
  GstElement *pipeline;
  GstClock *clock;
  GstClockTime base;
  GMutex lock;
  GCond cond;
  GstClockTime first_packet;
  GstClockTime first_picture;
  GArray *ages; /* gdouble, ms */
  guint last_number;
  guint missing;
} Screen;

static GstPadProbeReturn
on_packet (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info G_GNUC_UNUSED,
    gpointer user_data)
{
  Screen *screen = user_data;

  g_mutex_lock (&screen->lock);
  if (!GST_CLOCK_TIME_IS_VALID (screen->first_packet))
    screen->first_packet = gst_clock_get_time (screen->clock);
  g_mutex_unlock (&screen->lock);
  return GST_PAD_PROBE_REMOVE;
}

static void
on_picture (GstElement *sink G_GNUC_UNUSED, GstBuffer *buffer,
    GstPad *pad G_GNUC_UNUSED, gpointer user_data)
{
  Screen *screen = user_data;
  GstClockTime now = gst_clock_get_time (screen->clock);
  guint number = read_number (buffer);
  gdouble age =
      ((gdouble) now - (gdouble) screen->base - (gdouble) picture_time (number))
      / GST_MSECOND;

  g_mutex_lock (&screen->lock);
  if (!GST_CLOCK_TIME_IS_VALID (screen->first_picture))
    screen->first_picture = now;
  else if (number > screen->last_number + 1)
    screen->missing += number - screen->last_number - 1;
  screen->last_number = number;
  bench_series_add (screen->ages, age);
  g_cond_signal (&screen->cond);
  g_mutex_unlock (&screen->lock);
}

static gboolean
screen_open (Screen *screen, const Camera *camera, const gchar *source,
    GError **error)
{
  g_autofree gchar *description =
      g_strdup_printf ("%s ! rtph264depay ! avdec_h264 ! videoscale ! "
                       "video/x-raw,width=%u,height=%u ! "
                       "fakesink name=sink sync=true signal-handoffs=true",
          source, WIDTH, HEIGHT);
  g_autoptr (GstElement) element = NULL, sink = NULL;
  g_autoptr (GstPad) pad = NULL;

  memset (screen, 0, sizeof (*screen));
  screen->pipeline = bench_parse_pipeline (description, error);
  if (screen->pipeline == NULL)
    return FALSE;
  follow_latency (screen->pipeline);
  screen->clock = camera->clock;
  screen->base = camera->base;
  screen->first_packet = GST_CLOCK_TIME_NONE;
  screen->first_picture = GST_CLOCK_TIME_NONE;
  screen->ages = bench_series_new ();
  g_mutex_init (&screen->lock);
  g_cond_init (&screen->cond);
  bench_use_time (screen->pipeline, screen->clock, screen->base);
  element = gst_bin_get_by_name (GST_BIN (screen->pipeline), "source");
  pad = gst_element_get_static_pad (element, "src");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_packet,
      screen, NULL);
  sink = gst_bin_get_by_name (GST_BIN (screen->pipeline), "sink");
  g_signal_connect (sink, "handoff", G_CALLBACK (on_picture), screen);
  return TRUE;
}

static void
screen_close (Screen *screen)
{
  gst_element_set_state (screen->pipeline, GST_STATE_NULL);
  gst_object_unref (screen->pipeline);
  g_array_unref (screen->ages);
  g_mutex_clear (&screen->lock);
  g_cond_clear (&screen->cond);
}

static gboolean
screen_wait_for_picture (Screen *screen)
{
  gint64 end = g_get_monotonic_time () + (gint64) (JOIN_TIMEOUT / 1000);
  gboolean shown;

  g_mutex_lock (&screen->lock);
  while (!(shown = GST_CLOCK_TIME_IS_VALID (screen->first_picture))
      && g_cond_wait_until (&screen->cond, &screen->lock, end))
    ;
  g_mutex_unlock (&screen->lock);
  return shown;
}

static gdouble
get_stat_ms (Screen *screen, const gchar *name)
{
  g_autoptr (GstElement) element =
      gst_bin_get_by_name (GST_BIN (screen->pipeline), "source");
  g_autoptr (GstStructure) stats = NULL;
  gdouble value = 0;

  g_object_get (element, "stats", &stats, NULL);
  gst_structure_get_double (stats, name, &value);
  return value;
}

static gboolean
measure_glass (BenchReport *report, const Case *c, const Camera *camera)
{
  g_autofree gchar *name = g_strdup_printf ("%s: glass to glass", c->name);
  g_autofree gchar *source = c->sender == NULL
      ? g_strdup (PLAIN_SOURCE)
      : g_strdup_printf (LMCCSRC "address=" GROUP " port=" PORT_TEXT " %s",
          c->receiver);
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) missing = bench_series_new ();
  Screen screen;

  if (!screen_open (&screen, camera, source, &error)) {
    bench_report_fail (report, name, error->message);
    return FALSE;
  }
  gst_element_set_state (screen.pipeline, GST_STATE_PLAYING);
  g_usleep (c->warm_up * G_USEC_PER_SEC);
  g_mutex_lock (&screen.lock);
  g_array_set_size (screen.ages, 0);
  screen.missing = 0;
  g_mutex_unlock (&screen.lock);
  g_usleep (GLASS_TIME / 1000);
  g_mutex_lock (&screen.lock);
  bench_report_add (report, name, "ms", screen.ages, c->glass_bound);
  bench_series_add (missing, screen.missing);
  bench_report_add (report, "  pictures missing meanwhile", "", missing, 0.0);
  g_mutex_unlock (&screen.lock);
  screen_close (&screen);
  return TRUE;
}

typedef struct
{
  const Case *c;
  const gchar *what;
  gchar *source;
  GArray *join_to_packet;
  GArray *given_out;
  GArray *picture;
} Joins;

static void
joins_init (Joins *joins, const Case *c, const gchar *what, const gchar *from)
{
  joins->c = c;
  joins->what = what;
  joins->source = g_strdup_printf (LMCCSRC "%s %s", from, c->receiver);
  joins->join_to_packet = bench_series_new ();
  joins->given_out = bench_series_new ();
  joins->picture = bench_series_new ();
}

static void
join_once (Joins *joins, const Camera *camera)
{
  g_autoptr (GError) error = NULL;
  GstClockTime start;
  Screen screen;

  if (!screen_open (&screen, camera, joins->source, &error)) {
    fprintf (stderr, "%s\n", error->message);
    return;
  }
  start = gst_clock_get_time (screen.clock);
  gst_element_set_state (screen.pipeline, GST_STATE_PLAYING);
  if (screen_wait_for_picture (&screen)) {
    bench_series_add (joins->join_to_packet,
        get_stat_ms (&screen, "join-to-packet-ms"));
    bench_series_add (joins->given_out,
        (gdouble) (screen.first_packet - start) / GST_MSECOND);
    bench_series_add (joins->picture,
        (gdouble) (screen.first_picture - start) / GST_MSECOND);
  }
  screen_close (&screen);
}

static void
joins_report (Joins *joins, BenchReport *report, guint rounds)
{
  g_autofree gchar *packet =
      g_strdup_printf ("  %s: join to first packet", joins->what);
  g_autofree gchar *given_out =
      g_strdup_printf ("  %s: to first packet given out", joins->what);
  g_autofree gchar *picture = g_strdup_printf ("%s, %s: to first picture shown",
      joins->c->name, joins->what);

  if (joins->picture->len < rounds)
    bench_report_fail (report, picture,
        "a receiver did not show a picture in time");
  bench_report_add (report, picture, "ms", joins->picture,
      joins->c->join_bound);
  bench_report_add (report, packet, "ms", joins->join_to_packet,
      BENCH_NO_BOUND);
  bench_report_add (report, given_out, "ms", joins->given_out, BENCH_NO_BOUND);
  g_free (joins->source);
  g_array_unref (joins->join_to_packet);
  g_array_unref (joins->given_out);
  g_array_unref (joins->picture);
}

/* The rounds are spread evenly over the time between two key frames. */
static void
wait_for_phase (const Case *c, const Camera *camera, guint round, guint rounds)
{
  GstClockTime now = gst_clock_get_time (camera->clock) - camera->base;
  GstClockTime key = (GstClockTime) (c->key_time * GST_SECOND);
  GstClockTime next = (now / key + 1) * key + key * round / rounds;

  bench_sleep_until (camera->clock, camera->base + next);
}

static void
measure_joins (BenchReport *report, const Case *c, const Camera *camera,
    guint rounds)
{
  g_autofree gchar *sdp = g_strdup_printf ("sdp=%s", camera->sdp);
  Joins by_address, by_sdp;
  guint round;

  joins_init (&by_address, c, "by address",
      "address=" GROUP " port=" PORT_TEXT);
  joins_init (&by_sdp, c, "by SDP", sdp);
  for (round = 0; round < rounds; round++) {
    wait_for_phase (c, camera, round, rounds);
    join_once (&by_address, camera);
    wait_for_phase (c, camera, round, rounds);
    join_once (&by_sdp, camera);
  }
  joins_report (&by_address, report, rounds);
  joins_report (&by_sdp, report, rounds);
}

static void
measure_case (BenchReport *report, const Case *c, guint rounds)
{
  g_autoptr (GError) error = NULL;
  Camera camera;

  if (!camera_open (&camera, c, &error))
    bench_report_fail (report, c->name, error->message);
  else if (measure_glass (report, c, &camera) && c->sender != NULL)
    measure_joins (report, c, &camera, rounds);
  camera_close (&camera);
}

int
main (int argc, char **argv)
{
  g_autofree gchar *json = NULL;
  BenchReport *report;
  gint rounds = 10;
  guint i;

  if (!bench_parse_options (&argc, &argv, "How long pictures and joins take.",
          &json, &rounds))
    return 2;
  gst_init (NULL, NULL);
  report = bench_report_new ("Latency, loopback multicast");
  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    if (argc < 2 || strstr (cases[i].name, argv[1]) != NULL)
      measure_case (report, &cases[i], (guint) rounds);
  }
  return bench_report_finish (report, json);
}
