/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests that pictures stay right in stock decoders when the level changes:
 * hidden pictures under a new segment.
 */
#include "fake-sender.h"

#include <gst/app/gstappsink.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <string.h>
#include <unistd.h>

#define ADDRESS "239.255.77.101"
/* Two runs on one host must not hear each other. */
#define PORT ((guint16) (20000 + 2 * (getpid () % 5000)))
#define N_PICTURES 90
#define GOP 30

/* An encoder, with parameters for the rate in kbit/s, the key frame interval
 * and the number of consecutive B frames, and its payloader. */
typedef struct
{
  const gchar *line;
  const gchar *encoding_name;
} Codec;

static const Codec h264 = {
  "x264enc bitrate=%u key-int-max=%u bframes=%u b-adapt=false threads=1 "
  "option-string=scenecut=0 ! video/x-h264,profile=main ! "
  "rtph264pay mtu=1200 config-interval=-1",
  "H264"
};

/* The stream does not state its frame rate. */
static const Codec h264_timeless = {
  "openh264enc bitrate=%u000 gop-size=%u scene-change-detection=false "
  "complexity=low multi-thread=1 ! rtph264pay mtu=1200 config-interval=-1",
  "H264"
};

static const Codec h265 = {
  "x265enc bitrate=%u key-int-max=%u speed-preset=ultrafast "
  "option-string=\"bframes=%u:b-adapt=0:scenecut=0:open-gop=0:pools=none:"
  "frame-threads=1\" ! rtph265pay mtu=1200 config-interval=-1",
  "H265"
};

static const Codec vp8 = {
  "vp8enc target-bitrate=%u000 keyframe-max-dist=%u deadline=1 ! "
  "rtpvp8pay mtu=1200",
  "VP8"
};

static const Codec vp9 = {
  "vp9enc target-bitrate=%u000 keyframe-max-dist=%u deadline=1 cpu-used=8 ! "
  "rtpvp9pay mtu=1200",
  "VP9"
};

/* One encoding as RTP, with times from 0 in units of the RTP clock, and its
 * decoded pictures by number. */
typedef struct
{
  GPtrArray *packets;
  gchar *pictures[N_PICTURES];
} Rung;

/* Debian package of an element outside plugins-base. */
static const gchar *
find_package (const gchar *element)
{
  static const gchar *const bad[] = { "h264parse", "h265parse", "openh264dec",
    "openh264enc", "vp9parse", "x265enc", NULL };

  if (g_strv_contains (bad, element))
    return "gstreamer1.0-plugins-bad";
  if (g_str_has_prefix (element, "avdec_"))
    return "gstreamer1.0-libav";
  if (g_str_equal (element, "x264enc"))
    return "gstreamer1.0-plugins-ugly";
  return "gstreamer1.0-plugins-good";
}

/* Returns: (nullable) (transfer full): %NULL if an element is missing */
static GstElement *
parse_if_installed (const gchar *line)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstParseContext) context = gst_parse_context_new ();
  GstElement *bin = gst_parse_launch_full (line, context,
      GST_PARSE_FLAG_FATAL_ERRORS, &error);

  if (g_error_matches (error, GST_PARSE_ERROR,
          GST_PARSE_ERROR_NO_SUCH_ELEMENT)) {
    g_auto (GStrv) missing = gst_parse_context_get_missing_elements (context);

    g_printerr ("skipped: there is no element %s (Debian: %s)\n", missing[0],
        find_package (missing[0]));
    return NULL;
  }
  fail_unless (bin != NULL, "%s", error ? error->message : line);
  return bin;
}

static guint
picture_number (GstClockTime time)
{
  return (guint) gst_util_uint64_scale_round (time, 30, GST_SECOND);
}

static gboolean
ends_picture (GstBuffer *buffer)
{
  guint8 byte;

  gst_buffer_extract (buffer, 1, &byte, 1);
  return (byte & 0x80) != 0;
}

static gchar *
checksum (GstBuffer *buffer)
{
  GstMapInfo map;
  gchar *sum;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  sum = g_compute_checksum_for_data (G_CHECKSUM_MD5, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return sum;
}

static void
add_packet (GPtrArray *packets, GstBuffer *packet, GstClockTime start)
{
  GstBuffer *copy = gst_buffer_copy_deep (packet);
  guint64 ticks = gst_util_uint64_scale_round (GST_BUFFER_PTS (copy) - start,
      90000, GST_SECOND);

  GST_BUFFER_PTS (copy) = gst_util_uint64_scale (ticks, GST_SECOND, 90000);
  GST_BUFFER_DTS (copy) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (copy) = GST_CLOCK_TIME_NONE;
  g_ptr_array_add (packets, copy);
}

static GstElement *
encoder_new (const Codec *codec, guint kbps, guint b_frames)
{
  g_autofree gchar *encoder = NULL;
  g_autofree gchar *line = NULL;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  encoder = g_strdup_printf (codec->line, kbps, GOP, b_frames);
#pragma GCC diagnostic pop
  line =
      g_strdup_printf ("videotestsrc pattern=ball num-buffers=%d ! "
                       "video/x-raw,width=320,height=240,framerate=30/1 ! %s ! "
                       "appsink name=sink sync=false buffer-list=true",
          N_PICTURES, encoder);
  return parse_if_installed (line);
}

static GPtrArray *
encode (GstElement *pipeline)
{
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
      GstBuffer *packet =
          list ? gst_buffer_list_get (list, i) : gst_sample_get_buffer (sample);

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

static GstCaps *
rtp_caps_new (const Codec *codec)
{
  return gst_caps_new_simple ("application/x-rtp", "media", G_TYPE_STRING,
      "video", "clock-rate", G_TYPE_INT, 90000, "encoding-name", G_TYPE_STRING,
      codec->encoding_name, "payload", G_TYPE_INT, 96, NULL);
}

static GstHarness *
decoder_new (const Codec *codec, const gchar *chain)
{
  GstHarness *harness = gst_harness_new_parse (chain);

  gst_harness_set_src_caps (harness, rtp_caps_new (codec));
  return harness;
}

/* As the library outputs packets: with one SSRC and without gaps. */
static void
push_packet (GstHarness *harness, GstBuffer *packet, guint16 *sequence)
{
  GstBuffer *copy = gst_buffer_copy_deep (packet);
  guint8 number[2] = { (guint8) (*sequence >> 8), (guint8) *sequence };
  static const guint8 ssrc[4] = { 1, 2, 3, 4 };

  gst_buffer_fill (copy, 2, number, sizeof (number));
  gst_buffer_fill (copy, 8, ssrc, sizeof (ssrc));
  (*sequence)++;
  fail_unless_equals_int (gst_harness_push (harness, copy), GST_FLOW_OK);
}

/* Returns: whether all required elements are installed */
static gboolean
rung_init (Rung *rung, const Codec *codec, guint kbps, guint b_frames,
    const gchar *chain)
{
  GstElement *decoder = parse_if_installed (chain);
  GstElement *encoder = decoder ? encoder_new (codec, kbps, b_frames) : NULL;
  GstHarness *harness;
  GstBuffer *picture;
  guint16 sequence = 0;
  guint i;

  memset (rung, 0, sizeof (*rung));
  g_clear_pointer (&decoder, gst_object_unref);
  if (encoder == NULL)
    return FALSE;
  rung->packets = encode (encoder);
  harness = decoder_new (codec, chain);
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
  for (i = 0; i < N_PICTURES; i++)
    fail_unless (rung->pictures[i] != NULL, "picture %u is not decoded", i);
  return TRUE;
}

static void
rung_clear (Rung *rung)
{
  guint i;

  for (i = 0; i < N_PICTURES; i++)
    g_free (rung->pictures[i]);
  g_ptr_array_unref (rung->packets);
}

/* Hidden pictures have times within this range after the latest shown
 * picture. */
#define HIDDEN_SPAN (20 * GST_USECOND)

/* Their segment starts this much later. */
#define HIDDEN_LEAD (1100 * GST_MSECOND)

static void
push_segment (GstHarness *harness, GstClockTime start)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.position = segment.base = segment.time = start;
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
}

static void
begin_switch (GstHarness *harness, const Codec *codec, GstClockTime start)
{
  GstCaps *caps = rtp_caps_new (codec);

  gst_caps_set_simple (caps, "onvif-mode", G_TYPE_BOOLEAN, TRUE, NULL);
  gst_harness_push_event (harness, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  push_segment (harness, start + HIDDEN_LEAD);
}

/* Pushes @rung's pictures from number @from to before @end in decoding
 * order, and notes in @shown the rung of each. Pictures up to @hidden_until
 * have times directly after it, as in the library's output.
 *
 * Returns: the latest time */
static GstClockTime
push_pictures (GstHarness *harness, const Rung *rung, guint from, guint end,
    GstClockTimeDiff hidden_until, GstClockTime start, guint16 *sequence,
    const Rung **shown)
{
  GstClockTime latest = 0;
  guint i, at = 0;

  for (i = 0; i < rung->packets->len && at < end; i++) {
    g_autoptr (GstBuffer) packet =
        gst_buffer_copy (g_ptr_array_index (rung->packets, i));
    GstClockTime time = GST_BUFFER_PTS (packet);

    if (at >= from) {
      latest = MAX (latest, time);
      if ((GstClockTimeDiff) time > hidden_until) {
        shown[picture_number (time)] = rung;
        if (GST_CLOCK_TIME_IS_VALID (start))
          push_segment (harness, start);
        start = GST_CLOCK_TIME_NONE;
      } else {
        GST_BUFFER_PTS (packet) = (GstClockTime) hidden_until + 1
            + gst_util_uint64_scale (time, HIDDEN_SPAN, 1 + hidden_until);
      }
      push_packet (harness, packet, sequence);
    }
    at += ends_picture (packet);
  }
  return latest;
}

static GstClockTime
next_time (const Rung *rung, GstClockTime after)
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

static gboolean
is_shown (const Rung **shown, guint number, const gchar *sum)
{
  return shown[number] != NULL
      && g_str_equal (sum, shown[number]->pictures[number]);
}

/* Up to @n_lost pictures may be missing, and up to @n_seen hidden ones
 * shown. */
static void
check_pictures (GstHarness *harness, const Rung **shown, guint n_lost,
    guint n_seen)
{
  GstClockTime last = GST_CLOCK_TIME_NONE;
  GstBuffer *picture;
  guint i;

  while ((picture = gst_harness_try_pull (harness)) != NULL) {
    guint number = picture_number (GST_BUFFER_PTS (picture));
    g_autofree gchar *sum = checksum (picture);

    fail_unless (number < N_PICTURES);
    if (is_shown (shown, number, sum)) {
      fail_if (
          GST_CLOCK_TIME_IS_VALID (last) && GST_BUFFER_PTS (picture) <= last);
      last = GST_BUFFER_PTS (picture);
      shown[number] = NULL;
    } else {
      fail_unless (n_seen-- > 0,
          "picture %u is of another rung, or comes twice", number);
    }
    gst_buffer_unref (picture);
  }
  for (i = 0; i < N_PICTURES; i++) {
    if (shown[i] != NULL)
      fail_unless (n_lost-- > 0, "picture %u was not shown", i);
  }
}

/* B frames of the lower and the higher rung: if only the lower rung has
 * them, a shown picture precedes the last hidden one. The higher rung is
 * left after the given number of pictures in decoding order. Some pictures
 * may be lost at each of these places: avdec_h265 keeps them for reordering,
 * and lets the segment overtake them. And a hidden picture after a shown one
 * may be seen: without a known frame rate, avdec_h264 from GStreamer 1.26 on
 * assumes a duration of 1 s for each picture, which reaches past the
 * segment's start. */
static const struct
{
  const Codec *codec;
  const gchar *chain;
  guint b_frames[2];
  guint cuts[2];
  guint n_lost;
  guint n_seen_since_1_26;
} segment_cases[] = {
  { &h264, "rtph264depay ! avdec_h264", { 0, 0 }, { 45 } },
  { &h264, "rtph264depay ! avdec_h264", { 2, 2 }, { 47 } },
  { &h264, "rtph264depay ! h264parse ! avdec_h264", { 0, 0 }, { 45 } },
  { &h264, "rtph264depay ! h264parse ! avdec_h264 max-threads=1", { 0, 0 },
      { 59 } },
  { &h264, "rtph264depay ! h264parse ! avdec_h264", { 0, 0 }, { 31 } },
  { &h264, "rtph264depay ! h264parse ! avdec_h264", { 2, 2 }, { 46 } },
  { &h264, "rtph264depay ! h264parse ! avdec_h264", { 0, 0 }, { 14, 45 } },
  { &h264, "rtph264depay ! h264parse ! avdec_h264", { 2, 2 }, { 14, 46 } },
  { &h264, "rtph264depay ! avdec_h264 max-threads=1", { 2, 2 }, { 15, 47 } },
  { &h264, "rtph264depay ! avdec_h264", { 2, 0 }, { 47 }, 0, 1 },
  { &h264, "rtph264depay ! h264parse ! avdec_h264", { 2, 0 }, { 47 } },
  { &h264, "rtph264depay ! h264parse ! openh264dec", { 0, 0 }, { 45 } },
  { &h264_timeless, "rtph264depay ! avdec_h264", { 0, 0 }, { 14, 45 } },
  { &h264_timeless, "rtph264depay ! h264parse ! avdec_h264", { 0, 0 },
      { 14, 45 } },
  { &h265, "rtph265depay ! avdec_h265", { 0, 0 }, { 45 } },
  { &h265, "rtph265depay ! avdec_h265", { 2, 2 }, { 14, 46 }, 2 },
  { &h265, "rtph265depay ! h265parse ! avdec_h265", { 2, 2 }, { 14, 46 }, 2 },
  { &vp8, "rtpvp8depay ! vp8dec", { 0, 0 }, { 14, 45 } },
  { &vp8, "rtpvp8depay ! avdec_vp8", { 0, 0 }, { 14, 45 } },
  { &vp9, "rtpvp9depay ! vp9dec", { 0, 0 }, { 14, 45 } },
  { &vp9, "rtpvp9depay ! vp9parse ! vp9dec", { 0, 0 }, { 14, 45 } },
  { &vp9, "rtpvp9depay ! avdec_vp9", { 0, 0 }, { 14, 45 } },
  { &vp9, "rtpvp9depay ! vp9parse ! avdec_vp9", { 0, 0 }, { 14, 45 } },
};

/* The basis of a switch to a lower rung: how stock elements handle packets
 * that are sent again under a segment that starts later. */
GST_START_TEST (test_stock_decoders_catch_up_unseen_under_a_new_segment)
{
  const Codec *codec = segment_cases[__i__].codec;
  const gchar *chain = segment_cases[__i__].chain;
  const guint *cuts = segment_cases[__i__].cuts;
  const guint *b_frames = segment_cases[__i__].b_frames;
  const Rung *shown[N_PICTURES] = { NULL };
  GstHarness *harness;
  Rung low, high;
  guint16 sequence = 65000;
  guint i, first = 0, n_lost = 0, n_seen = 0, major, minor, micro, nano;

  if (!rung_init (&low, codec, 150, b_frames[0], chain))
    return;
  fail_unless (rung_init (&high, codec, 600, b_frames[1], chain));
  harness = decoder_new (codec, chain);
  gst_version (&major, &minor, &micro, &nano);

  for (i = 0; i < G_N_ELEMENTS (segment_cases[0].cuts) && cuts[i] > 0; i++) {
    gboolean final =
        i + 1 == G_N_ELEMENTS (segment_cases[0].cuts) || cuts[i + 1] == 0;
    guint key = cuts[i] / GOP * GOP;
    GstClockTime until = push_pictures (harness, &high, first, cuts[i], -1,
        GST_CLOCK_TIME_NONE, &sequence, shown);
    GstClockTime start = next_time (&low, until) + 100 * GST_USECOND;

    n_lost += segment_cases[__i__].n_lost;
    if (minor >= 26)
      n_seen += segment_cases[__i__].n_seen_since_1_26;
    begin_switch (harness, codec, start);
    first = final ? N_PICTURES : key + GOP;
    push_pictures (harness, &low, key, first, (GstClockTimeDiff) until, start,
        &sequence, shown);
  }
  gst_harness_push_event (harness, gst_event_new_eos ());

  check_pictures (harness, shown, n_lost, n_seen);
  gst_harness_teardown (harness);
  rung_clear (&low);
  rung_clear (&high);
}

GST_END_TEST;

static GPtrArray *
to_fake_pictures (const Rung *rung)
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
find_picture (const Rung *rung, const gchar *sum, guint *number)
{
  guint i;

  /* Searches from the previous picture on, because some pictures of the film
   * look the same. */
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
set_max_level (GstElement *pipeline, gint max_level)
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

/* A player's sink is inside the player's own bin. */
static GstElement *
find_sink (GstElement *pipeline)
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

/* A player starts its sink when it has found what to play. */
static void
wait_for_sink (GstElement *pipeline, GstElement *sink)
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

/* Real packets and a real decoder, with level changes in the middle of
 * groups of pictures: every picture equals one of an encoder's, none appears
 * twice, and the time steps are those of the encoder. */
GST_START_TEST (test_pictures_stay_right_while_the_level_changes)
{
  g_autofree gchar *uri =
      g_strdup_printf ("lmcc://%s:%d?multicast-iface=lo", ADDRESS, PORT);
  g_autofree gchar *line = NULL;
  GPtrArray *rungs[2];
  Rung low, high;
  FakeSender *sender;
  GstElement *pipeline, *sink;
  guint number = N_PICTURES - 1, i, n_low = 0, n_high = 0;
  GstClockTime last = GST_CLOCK_TIME_NONE;

  if (!rung_init (&low, &h264, 150, 0, "rtph264depay ! avdec_h264"))
    return;
  fail_unless (rung_init (&high, &h264, 600, 0, "rtph264depay ! avdec_h264"));
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
  /* The numbers depend on the backlog of the sink's queue. */
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

static Suite *
lmccsrc_segment_suite (void)
{
  Suite *suite = suite_create ("lmccsrc-segment");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_loop_test (tcase,
      test_stock_decoders_catch_up_unseen_under_a_new_segment, 0,
      G_N_ELEMENTS (segment_cases));
  tcase_add_loop_test (tcase, test_pictures_stay_right_while_the_level_changes,
      0, G_N_ELEMENTS (players));
  return suite;
}

GST_CHECK_MAIN (lmccsrc_segment);
