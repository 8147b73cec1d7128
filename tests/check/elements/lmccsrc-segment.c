/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "lmccsrc-segment.h"

#include "fake-sender.h"

#include <gst/app/gstappsink.h>
#include <gst/check/gstharness.h>
#include <string.h>
#include <unistd.h>

#define ADDRESS "239.255.77.101"
/* Two runs on one host are not to hear each other. */
#define PORT ((guint16) (20000 + 2 * (getpid () % 5000)))
#define N_PICTURES 90
#define GOP 30
#define RTP_CAPS "application/x-rtp,media=video,clock-rate=90000," \
    "encoding-name=H264,payload=96"

/* One encoding as RTP, its times from 0 in steps of the RTP clock, and what its
 * pictures look like, by number. */
typedef struct
{
  GPtrArray *packets;
  gchar *pictures[N_PICTURES];
} Rung;

static gboolean
have_elements (void)
{
  static const gchar *const names[] = { "x264enc", "avdec_h264", "h264parse",
    "rtph264pay", "rtph264depay"
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GstElementFactory) factory = gst_element_factory_find (names[i]);

    if (factory == NULL) {
      g_printerr ("skipped: there is no element %s\n", names[i]);
      return FALSE;
    }
  }
  return TRUE;
}

static guint
picture_number (GstClockTime time)
{
  return (guint) gst_util_uint64_scale_round (time, 30, GST_SECOND);
}

static gboolean
ends_picture (GstBuffer * buffer)
{
  guint8 byte;

  gst_buffer_extract (buffer, 1, &byte, 1);
  return (byte & 0x80) != 0;
}

static gchar *
checksum (GstBuffer * buffer)
{
  GstMapInfo map;
  gchar *sum;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  sum = g_compute_checksum_for_data (G_CHECKSUM_MD5, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return sum;
}

static void
add_packet (GPtrArray * packets, GstBuffer * packet, GstClockTime start)
{
  GstBuffer *copy = gst_buffer_copy_deep (packet);
  guint64 ticks = gst_util_uint64_scale_round (GST_BUFFER_PTS (copy) - start,
      90000, GST_SECOND);

  GST_BUFFER_PTS (copy) = gst_util_uint64_scale (ticks, GST_SECOND, 90000);
  GST_BUFFER_DTS (copy) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (copy) = GST_CLOCK_TIME_NONE;
  g_ptr_array_add (packets, copy);
}

static GPtrArray *
encode (guint kbps, guint b_frames)
{
  g_autofree gchar *line = g_strdup_printf ("videotestsrc pattern=ball "
      "num-buffers=%d ! video/x-raw,width=320,height=240,framerate=30/1 ! "
      "x264enc bitrate=%u key-int-max=%d bframes=%u b-adapt=false threads=1 "
      "option-string=scenecut=0 ! video/x-h264,profile=main ! "
      "rtph264pay mtu=1200 config-interval=-1 ! "
      "appsink name=sink sync=false buffer-list=true", N_PICTURES, kbps, GOP,
      b_frames);
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GPtrArray *packets =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  GstClockTime start = GST_CLOCK_TIME_NONE;
  GstSample *sample;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
    GstBufferList *list = gst_sample_get_buffer_list (sample);
    guint i, n = list ? gst_buffer_list_length (list) : 1;

    for (i = 0; i < n; i++) {
      GstBuffer *packet = list ? gst_buffer_list_get (list, i) :
          gst_sample_get_buffer (sample);

      if (!GST_CLOCK_TIME_IS_VALID (start))
        start = GST_BUFFER_PTS (packet);
      add_packet (packets, packet, start);
    }
    gst_sample_unref (sample);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  return packets;
}

static GstHarness *
decoder_new (const gchar * chain)
{
  GstHarness *harness = gst_harness_new_parse (chain);

  gst_harness_set_src_caps_str (harness, RTP_CAPS);
  return harness;
}

/* As the library gives packets out: of one SSRC, without a gap. */
static void
push_packet (GstHarness * harness, GstBuffer * packet, guint16 * sequence)
{
  GstBuffer *copy = gst_buffer_copy_deep (packet);
  guint8 number[2] = { (guint8) (*sequence >> 8), (guint8) * sequence };
  static const guint8 ssrc[4] = { 1, 2, 3, 4 };

  gst_buffer_fill (copy, 2, number, sizeof (number));
  gst_buffer_fill (copy, 8, ssrc, sizeof (ssrc));
  (*sequence)++;
  fail_unless_equals_int (gst_harness_push (harness, copy), GST_FLOW_OK);
}

static void
rung_init (Rung * rung, guint kbps, guint b_frames, const gchar * chain)
{
  GstHarness *harness = decoder_new (chain);
  GstBuffer *picture;
  guint16 sequence = 0;
  guint i;

  memset (rung->pictures, 0, sizeof (rung->pictures));
  rung->packets = encode (kbps, b_frames);
  for (i = 0; i < rung->packets->len; i++)
    push_packet (harness, g_ptr_array_index (rung->packets, i), &sequence);
  gst_harness_push_event (harness, gst_event_new_eos ());
  while ((picture = gst_harness_try_pull (harness)) != NULL) {
    guint number = picture_number (GST_BUFFER_PTS (picture));

    fail_unless (number < N_PICTURES);
    rung->pictures[number] = checksum (picture);
    gst_buffer_unref (picture);
  }
  gst_harness_teardown (harness);
}

static void
rung_clear (Rung * rung)
{
  guint i;

  for (i = 0; i < N_PICTURES; i++)
    g_free (rung->pictures[i]);
  g_ptr_array_unref (rung->packets);
}

static void
push_switch (GstHarness * harness, GstClockTime start)
{
  GstSegment segment;

  gst_harness_push_event (harness,
      gst_event_new_caps (gst_caps_from_string (RTP_CAPS
              ",onvif-mode=(boolean)true")));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.position = segment.base = segment.time = start;
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
}

/* Hidden pictures have times within this, after the latest one shown. */
#define HIDDEN_SPAN (20 * GST_USECOND)

/* Pushes @rung's pictures from the @from-th in decoding order to before the
 * @end-th, and notes in @shown which rung each is of. Those up to @hidden_until
 * have times just after it, as the library gives them.
 *
 * Returns: the latest time */
static GstClockTime
push_pictures (GstHarness * harness, const Rung * rung, guint from, guint end,
    GstClockTimeDiff hidden_until, guint16 * sequence, const Rung ** shown)
{
  GstClockTime latest = 0;
  guint i, at = 0;

  for (i = 0; i < rung->packets->len && at < end; i++) {
    g_autoptr (GstBuffer) packet =
        gst_buffer_copy (g_ptr_array_index (rung->packets, i));
    GstClockTime time = GST_BUFFER_PTS (packet);

    if (at >= from) {
      latest = MAX (latest, time);
      if ((GstClockTimeDiff) time > hidden_until)
        shown[picture_number (time)] = rung;
      else
        GST_BUFFER_PTS (packet) = (GstClockTime) hidden_until + 1 +
            gst_util_uint64_scale (time, HIDDEN_SPAN, 1 + hidden_until);
      push_packet (harness, packet, sequence);
    }
    at += ends_picture (packet);
  }
  return latest;
}

static GstClockTime
next_time (const Rung * rung, GstClockTime after)
{
  GstClockTime next = GST_CLOCK_TIME_NONE;
  guint i;

  for (i = 0; i < rung->packets->len; i++) {
    GstClockTime time = GST_BUFFER_PTS (g_ptr_array_index (rung->packets, i));

    if (time > after)
      next = MIN (next, time);
  }
  return next;
}

static void
check_pictures (GstHarness * harness, const Rung ** shown)
{
  GstClockTime last = GST_CLOCK_TIME_NONE;
  GstBuffer *picture;
  guint i;

  while ((picture = gst_harness_try_pull (harness)) != NULL) {
    guint number = picture_number (GST_BUFFER_PTS (picture));
    g_autofree gchar *sum = checksum (picture);

    fail_unless (number < N_PICTURES);
    fail_unless (shown[number] != NULL, "picture %u", number);
    fail_unless_equals_string (sum, shown[number]->pictures[number]);
    fail_if (GST_CLOCK_TIME_IS_VALID (last) && GST_BUFFER_PTS (picture) <=
        last);
    last = GST_BUFFER_PTS (picture);
    shown[number] = NULL;
    gst_buffer_unref (picture);
  }
  for (i = 0; i < N_PICTURES; i++)
    fail_unless (shown[i] == NULL, "picture %u was not shown", i);
}

/* After so many pictures in decoding order the higher rung is left. */
static const struct
{
  const gchar *chain;
  guint b_frames;
  guint cuts[2];
} segment_cases[] = {
  {"rtph264depay ! avdec_h264", 0, {45}},
  {"rtph264depay ! h264parse ! avdec_h264", 0, {45}},
  {"rtph264depay ! h264parse ! avdec_h264 max-threads=1", 0, {59}},
  {"rtph264depay ! h264parse ! avdec_h264", 0, {31}},
  {"rtph264depay ! h264parse ! avdec_h264", 2, {46}},
  {"rtph264depay ! h264parse ! avdec_h264", 0, {14, 45}},
  {"rtph264depay ! h264parse ! avdec_h264", 2, {14, 46}},
  {"rtph264depay ! avdec_h264 max-threads=1", 2, {15, 47}},
};

/* The foundation of a switch down: what stock elements make of packets sent
 * again under a segment that begins later. */
GST_START_TEST (test_stock_decoders_catch_up_unseen_under_a_new_segment)
{
  const gchar *chain = segment_cases[__i__].chain;
  const guint *cuts = segment_cases[__i__].cuts;
  const Rung *shown[N_PICTURES] = { NULL };
  GstHarness *harness;
  Rung low, high;
  guint16 sequence = 65000;
  guint i, first = 0;

  if (!have_elements ())
    return;
  rung_init (&low, 150, segment_cases[__i__].b_frames, chain);
  rung_init (&high, 600, segment_cases[__i__].b_frames, chain);
  harness = decoder_new (chain);

  for (i = 0; i < G_N_ELEMENTS (segment_cases[0].cuts) && cuts[i] > 0; i++) {
    gboolean final = i + 1 == G_N_ELEMENTS (segment_cases[0].cuts)
        || cuts[i + 1] == 0;
    guint key = cuts[i] / GOP * GOP;
    GstClockTime until = push_pictures (harness, &high, first, cuts[i], -1,
        &sequence, shown);

    push_switch (harness, next_time (&low, until) + 100 * GST_USECOND);
    first = final ? N_PICTURES : key + GOP;
    push_pictures (harness, &low, key, first, (GstClockTimeDiff) until,
        &sequence, shown);
  }
  gst_harness_push_event (harness, gst_event_new_eos ());

  check_pictures (harness, shown);
  gst_harness_teardown (harness);
  rung_clear (&low);
  rung_clear (&high);
}

GST_END_TEST;

static GPtrArray *
to_fake_pictures (const Rung * rung)
{
  GPtrArray *pictures = fake_pictures_new ();
  GPtrArray *packets = NULL;
  guint i;

  for (i = 0; i < rung->packets->len; i++) {
    GstBuffer *buffer = g_ptr_array_index (rung->packets, i);
    guint number = picture_number (GST_BUFFER_PTS (buffer));
    GstMapInfo map;

    if (packets == NULL)
      packets =
          g_ptr_array_new_with_free_func ((GDestroyNotify) lmcc_packet_unref);
    gst_buffer_map (buffer, &map, GST_MAP_READ);
    g_ptr_array_add (packets, lmcc_packet_new_copy (map.data, map.size));
    gst_buffer_unmap (buffer, &map);
    if (ends_picture (buffer)) {
      fake_pictures_take (pictures, packets, number, number % GOP == 0);
      packets = NULL;
    }
  }
  return pictures;
}

static gboolean
find_picture (const Rung * rung, const gchar * sum, guint * number)
{
  guint i;

  /* From the previous picture on: the film has pictures that look the same. */
  for (i = 1; i <= N_PICTURES; i++) {
    guint candidate = (*number + i) % N_PICTURES;

    if (g_strcmp0 (rung->pictures[candidate], sum) == 0) {
      *number = candidate;
      return TRUE;
    }
  }
  return FALSE;
}

static const gchar *const players[] = {
  "lmccsrc uri=%s ! rtph264depay ! avdec_h264 ! "
      "appsink name=sink sync=false",
  "lmccsrc uri=%s ! decodebin ! "
      "appsink name=sink sync=false caps=video/x-raw",
  "lmccsrc uri=%s ! queue ! rtph264depay ! h264parse ! queue ! "
      "avdec_h264 ! queue ! appsink name=sink sync=true",
  "lmccsrc uri=%s ! decodebin3 ! "
      "appsink name=sink sync=false caps=video/x-raw",
  "playbin uri=%s video-sink=\"appsink name=sink caps=video/x-raw\"",
  "playbin3 uri=%s video-sink=\"appsink name=sink caps=video/x-raw\"",
};

static void
set_max_level (GstElement * pipeline, gint max_level)
{
  GstIterator *it =
      gst_bin_iterate_all_by_element_factory_name (GST_BIN (pipeline),
      "lmccsrc");
  GValue value = G_VALUE_INIT;

  fail_unless_equals_int (gst_iterator_next (it, &value), GST_ITERATOR_OK);
  g_object_set (g_value_get_object (&value), "max-level", max_level, NULL);
  g_value_unset (&value);
  gst_iterator_free (it);
}

/* A player's sink is inside a bin of the player's. */
static GstElement *
find_sink (GstElement * pipeline)
{
  GstElement *sink = NULL;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (pipeline),
          "video-sink"))
    g_object_get (pipeline, "video-sink", &sink, NULL);
  else
    sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  fail_unless (sink != NULL);
  return sink;
}

/* A player brings its sink up when it has found what to play. */
static void
wait_for_sink (GstElement * pipeline, GstElement * sink)
{
  GstBus *bus = gst_element_get_bus (pipeline);

  while (GST_STATE (sink) < GST_STATE_PAUSED) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND,
        GST_MESSAGE_STATE_CHANGED | GST_MESSAGE_ERROR);

    fail_unless (message != NULL, "the sink does not start");
    fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
    gst_message_unref (message);
  }
  gst_object_unref (bus);
}

/* Real packets, a real decoder, the level up and down in the middle of groups
 * of pictures: every picture is one of the encoders', none comes twice, and the
 * steps are the encoder's. */
GST_START_TEST (test_pictures_stay_right_while_the_level_changes)
{
  g_autofree gchar *uri = g_strdup_printf ("lmcc://%s:%d?multicast-iface=lo",
      ADDRESS, PORT);
  g_autofree gchar *line = NULL;
  GPtrArray *rungs[2];
  Rung low, high;
  FakeSender *sender;
  GstElement *pipeline, *sink;
  guint number = N_PICTURES - 1, i, n_low = 0, n_high = 0;
  GstClockTime last = GST_CLOCK_TIME_NONE;

  if (!have_elements ())
    return;
  rung_init (&low, 150, 0, "rtph264depay ! avdec_h264");
  rung_init (&high, 600, 0, "rtph264depay ! avdec_h264");
  rungs[0] = to_fake_pictures (&low);
  rungs[1] = to_fake_pictures (&high);
  sender = fake_sender_start (ADDRESS, PORT, 2, rungs);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  line = g_strdup_printf (players[__i__], uri);
#pragma GCC diagnostic pop
  pipeline = gst_parse_launch (line, NULL);
  fail_unless (pipeline != NULL);
  sink = find_sink (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for_sink (pipeline, sink);

  for (i = 0; i < 200; i++) {
    g_autoptr (GstSample) sample =
        gst_app_sink_try_pull_sample (GST_APP_SINK (sink), 10 * GST_SECOND);
    g_autofree gchar *sum = NULL;
    GstBuffer *buffer;
    GstClockTime time;

    fail_unless (sample != NULL, "no picture after %u", i);
    buffer = gst_sample_get_buffer (sample);
    sum = checksum (buffer);
    time = gst_segment_to_running_time (gst_sample_get_segment (sample),
        GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
    if (find_picture (&high, sum, &number))
      n_high++;
    else if (find_picture (&low, sum, &number))
      n_low++;
    else
      fail ("picture %u is of neither encoding", i);
    if (i > 0) {
      gint64 step = GST_CLOCK_DIFF (last, time);

      fail_unless (ABS (step - (gint64) FAKE_PICTURE_TIME) < GST_MSECOND,
          "picture %u: step of %" G_GINT64_FORMAT " ns", i, step);
    }
    last = time;
    if (i % 40 == 20)
      set_max_level (pipeline, i / 40 % 2 == 0 ? 0 : -1);
  }
  /* How many of each depends on how far the sink's queue is behind. */
  fail_unless (n_low > 0 && n_high > 0, "%u low, %u high", n_low, n_high);

  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  fake_sender_stop (sender);
  g_ptr_array_unref (rungs[0]);
  g_ptr_array_unref (rungs[1]);
  rung_clear (&low);
  rung_clear (&high);
}

GST_END_TEST;

TCase *
segment_tcase_new (void)
{
  TCase *tcase = tcase_create ("segment");

  tcase_set_timeout (tcase, 60);
  tcase_add_loop_test (tcase,
      test_stock_decoders_catch_up_unseen_under_a_new_segment, 0,
      G_N_ELEMENTS (segment_cases));
  tcase_add_loop_test (tcase, test_pictures_stay_right_while_the_level_changes,
      0, G_N_ELEMENTS (players));
  return tcase;
}
