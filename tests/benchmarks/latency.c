/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How long things take: a picture from the source to the screen, a receiver
 * from its start to the first packet and the first picture.
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
#define KEY_DISTANCE 30 /* pictures */

/* A picture's number is drawn as blocks of luma in its first row, low bit
 * first. */
#define NUMBER_BITS 16
#define BLOCK (WIDTH / NUMBER_BITS)
#define BLACK 32
#define WHITE 220
#define MIDDLE 126

#define GLASS_TIME (12 * GST_SECOND)
#define GLASS_WARM_UP (2 * GST_SECOND)
#define JOIN_TIMEOUT (6 * GST_SECOND)

#define KEY_TIME (KEY_DISTANCE * 1.0 / FRAME_RATE)

/* A camera: numbered pictures into an encoder, each at its time. */

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

static gboolean
camera_open (Camera *camera, GError **error)
{
  g_autofree gchar *description = NULL;
  g_autoptr (GstElement) encoder = NULL;
  gint fd;

  memset (camera, 0, sizeof (*camera));
  fd = g_file_open_tmp ("lmcc-benchmark-XXXXXX.sdp", &camera->sdp, error);
  if (fd < 0)
    return FALSE;
  close (fd);
  description = g_strdup_printf (
      "x264enc name=encoder tune=zerolatency "
      "speed-preset=ultrafast bitrate=1500 key-int-max=%u ! h264parse ! "
      "lmccsink address=" GROUP " port=" PORT_TEXT
      " multicast-iface=" BENCH_INTERFACE " sdp-location=%s",
      KEY_DISTANCE, camera->sdp);
  camera->pipeline = bench_parse_pipeline (description, error);
  if (camera->pipeline == NULL)
    return FALSE;
  camera->clock = gst_system_clock_obtain ();
  camera->base = gst_clock_get_time (camera->clock);
  bench_use_time (camera->pipeline, camera->clock, camera->base);
  gst_element_set_state (camera->pipeline, GST_STATE_PLAYING);
  encoder = gst_bin_get_by_name (GST_BIN (camera->pipeline), "encoder");
  camera->source = bench_source_new (encoder, "sink",
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
  GArray *ages; /* ms, of gdouble */
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
      g_strdup_printf ("%s name=source "
                       "multicast-iface=" BENCH_INTERFACE
                       " ! rtph264depay ! avdec_h264 ! "
                       "fakesink name=sink sync=true signal-handoffs=true",
          source);
  g_autoptr (GstElement) element = NULL, sink = NULL;
  g_autoptr (GstPad) pad = NULL;

  memset (screen, 0, sizeof (*screen));
  screen->pipeline = bench_parse_pipeline (description, error);
  if (screen->pipeline == NULL)
    return FALSE;
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

/* Glass to glass */

static void
measure_glass (BenchReport *report, const Camera *camera)
{
  static const gchar *name = "glass to glass";
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) missing = bench_series_new ();
  Screen screen;

  if (!screen_open (&screen, camera,
          "lmccsrc algorithm=none address=" GROUP " port=" PORT_TEXT, &error)) {
    bench_report_fail (report, name, error->message);
    return;
  }
  gst_element_set_state (screen.pipeline, GST_STATE_PLAYING);
  g_usleep (GLASS_WARM_UP / 1000);
  g_mutex_lock (&screen.lock);
  g_array_set_size (screen.ages, 0);
  screen.missing = 0;
  g_mutex_unlock (&screen.lock);
  g_usleep (GLASS_TIME / 1000);
  g_mutex_lock (&screen.lock);
  bench_report_add (report, name, "ms", screen.ages, 500.0);
  bench_series_add (missing, screen.missing);
  bench_report_add (report, "  pictures missing meanwhile", "", missing, 0.0);
  g_mutex_unlock (&screen.lock);
  screen_close (&screen);
}

/* Joins */

typedef struct
{
  const gchar *what;
  gchar *source;
  GArray *join_to_packet;
  GArray *given_out;
  GArray *picture;
} Joins;

static void
joins_init (Joins *joins, const gchar *what, gchar *source)
{
  joins->what = what;
  joins->source = source;
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
      g_strdup_printf ("%s: join to first packet", joins->what);
  g_autofree gchar *given_out =
      g_strdup_printf ("%s: to first packet given out", joins->what);
  g_autofree gchar *picture =
      g_strdup_printf ("%s: to first picture shown", joins->what);

  if (joins->picture->len < rounds)
    bench_report_fail (report, joins->what,
        "a receiver showed no picture in time");
  bench_report_add (report, packet, "ms", joins->join_to_packet,
      BENCH_NO_BOUND);
  bench_report_add (report, given_out, "ms", joins->given_out, BENCH_NO_BOUND);
  bench_report_add (report, picture, "ms", joins->picture,
      1000.0 * KEY_TIME + 500.0);
  g_free (joins->source);
  g_array_unref (joins->join_to_packet);
  g_array_unref (joins->given_out);
  g_array_unref (joins->picture);
}

/* The rounds are spread evenly over the time between two key frames. */
static void
wait_for_phase (const Camera *camera, guint round, guint rounds)
{
  GstClockTime now = gst_clock_get_time (camera->clock) - camera->base;
  GstClockTime key = (GstClockTime) (KEY_TIME * GST_SECOND);
  GstClockTime next = (now / key + 1) * key + key * round / rounds;

  bench_sleep_until (camera->clock, camera->base + next);
}

static void
measure_joins (BenchReport *report, const Camera *camera, guint rounds)
{
  Joins by_address, by_sdp;
  guint round;

  joins_init (&by_address, "by address",
      g_strdup ("lmccsrc algorithm=none address=" GROUP " port=" PORT_TEXT));
  joins_init (&by_sdp, "by SDP",
      g_strdup_printf ("lmccsrc algorithm=none sdp=%s", camera->sdp));
  for (round = 0; round < rounds; round++) {
    wait_for_phase (camera, round, rounds);
    join_once (&by_address, camera);
    wait_for_phase (camera, round, rounds);
    join_once (&by_sdp, camera);
  }
  joins_report (&by_address, report, rounds);
  joins_report (&by_sdp, report, rounds);
}

int
main (int argc, char **argv)
{
  g_autofree gchar *json = NULL;
  g_autoptr (GError) error = NULL;
  BenchReport *report;
  Camera camera;
  gint rounds = 10;

  if (!bench_parse_options (&argc, &argv, "How long pictures and joins take.",
          &json, &rounds))
    return 2;
  gst_init (NULL, NULL);
  report = bench_report_new ("Latency, loopback multicast");
  if (camera_open (&camera, &error)) {
    measure_glass (report, &camera);
    measure_joins (report, &camera, (guint) rounds);
  } else {
    bench_report_fail (report, "pictures", error->message);
  }
  camera_close (&camera);
  return bench_report_finish (report, json);
}
