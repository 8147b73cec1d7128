/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests audio beside the video with real encoders and sockets on loopback.
 * Each second, the picture flashes and the audio clicks; the decoded flashes
 * and clicks are compared by presentation time.
 */
#include "element-tools.h"

#include <gst/app/app.h>
#include <gst/check/gstcheck.h>
#include <gst/video/video.h>

#define URI(port) "lmcc://239.77.14.1:" port "?multicast-iface=lo"
#define SINK(port) \
  "lmccsink name=lmcc address=239.77.14.1 port=" port " multicast-iface=lo"

/* Largest distance of pictures and audio that belong together. */
#define LIP_SYNC (40 * (gint64) GST_MSECOND)

#define FLASH_TIME (200 * GST_MSECOND)
#define CLICK_TIME (200 * GST_MSECOND)
#define BRIGHT 128
#define LOUD 4000

/* Tolerance for steps that take no time on an idle machine. */
#define PATIENCE (15 * G_TIME_SPAN_SECOND)

#define RUNG(bitrate, pad)            \
  "queue ! x264enc tune=zerolatency " \
  "speed-preset=ultrafast key-int-max=25 bitrate=" bitrate " ! lmcc." pad " "
#define VIDEO                             \
  "videotestsrc is-live=true name=video " \
  "! video/x-raw,format=I420,width=160,height=120,framerate=25/1 "
#define AUDIO                                          \
  "audiotestsrc is-live=true name=audio wave=silence " \
  "samplesperbuffer=480 ! audio/x-raw,format=S16LE,rate=48000,channels=1 "

typedef struct
{
  GstElement *pipeline;
  GMutex lock;
  GArray *flashes; /* GstClockTime: running times */
  GArray *clicks;
  gboolean bright;
  GstClockTime loud_until;
  guint n_audio;
  guint n_video;
} Receiver;

/* Offset of the first picture of a second: a live source's times are those
 * of its clock. */
static gint flash_offset_us;

static GstPadProbeReturn
make_flash (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info,
    gpointer user_data G_GNUC_UNUSED)
{
  GstBuffer *buffer =
      gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  GstClockTime in_second = GST_BUFFER_PTS (buffer) % GST_SECOND;

  if (in_second < GST_SECOND / 25)
    g_atomic_int_set (&flash_offset_us, (gint) (in_second / 1000));
  gst_buffer_memset (buffer, 0, in_second < FLASH_TIME ? 235 : 16, 160 * 120);
  gst_buffer_memset (buffer, 160 * 120, 128, 160 * 120 / 2);
  info->data = buffer;

  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
make_click (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info,
    gpointer user_data G_GNUC_UNUSED)
{
  GstBuffer *buffer =
      gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  GstMapInfo map;
  gsize i;

  info->data = buffer;
  GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_GAP);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (i = 0; i < map.size / 2; i++) {
    GstClockTime time = GST_BUFFER_PTS (buffer) + i * GST_SECOND / 48000;
    /* 1 kHz. */
    gint16 sample = i / 24 % 2 ? 12000 : -12000;

    ((gint16 *) map.data)[i] = time % GST_SECOND < CLICK_TIME ? sample : 0;
  }
  gst_buffer_unmap (buffer, &map);

  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement *pipeline, const gchar *name,
    GstPadProbeCallback callback)
{
  g_autoptr (GstElement) element =
      gst_bin_get_by_name (GST_BIN (pipeline), name);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, NULL, NULL);
}

static void
start_flashes (GstElement *pipeline)
{
  add_probe (pipeline, "video", make_flash);
  add_probe (pipeline, "audio", make_click);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
}

static GstElement *
start_sender (const gchar *text)
{
  GstElement *pipeline = test_launch ("%s", text);

  start_flashes (pipeline);

  return pipeline;
}

static gboolean
is_bright (GstSample *sample)
{
  GstVideoFrame frame;
  GstVideoInfo info;
  gboolean bright;

  fail_unless (gst_video_info_from_caps (&info, gst_sample_get_caps (sample)));
  fail_unless (gst_video_frame_map (&frame, &info,
      gst_sample_get_buffer (sample), GST_MAP_READ));
  bright = GST_VIDEO_FRAME_COMP_DATA (&frame,
               0)[GST_VIDEO_FRAME_COMP_STRIDE (&frame, 0) * 60 + 80]
      > BRIGHT;
  gst_video_frame_unmap (&frame);

  return bright;
}

static GstClockTime
running_time (GstSample *sample)
{
  return gst_segment_to_running_time (gst_sample_get_segment (sample),
      GST_FORMAT_TIME, GST_BUFFER_PTS (gst_sample_get_buffer (sample)));
}

static GstFlowReturn
take_picture (GstAppSink *sink, gpointer user_data)
{
  Receiver *receiver = user_data;
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  GstClockTime time = running_time (sample);
  gboolean bright = is_bright (sample);

  g_mutex_lock (&receiver->lock);
  receiver->n_video++;
  /* Data before the segment is not shown. */
  if (GST_CLOCK_TIME_IS_VALID (time)) {
    if (bright && !receiver->bright && receiver->n_video > 1)
      g_array_append_val (receiver->flashes, time);
    receiver->bright = bright;
  }
  g_mutex_unlock (&receiver->lock);
  test_tell ();

  return GST_FLOW_OK;
}

static GstFlowReturn
take_sound (GstAppSink *sink, gpointer user_data)
{
  Receiver *receiver = user_data;
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  GstClockTime begin = running_time (sample);
  GstMapInfo map;
  gsize i;

  fail_unless (
      gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ));
  g_mutex_lock (&receiver->lock);
  receiver->n_audio++;
  for (i = 0; i < map.size / 2; i++) {
    GstClockTime time = begin + i * GST_SECOND / 48000;

    if (ABS (((const gint16 *) map.data)[i]) < LOUD)
      continue;
    if (time > receiver->loud_until)
      g_array_append_val (receiver->clicks, time);
    receiver->loud_until = time + CLICK_TIME;
  }
  g_mutex_unlock (&receiver->lock);
  test_tell ();
  gst_buffer_unmap (gst_sample_get_buffer (sample), &map);

  return GST_FLOW_OK;
}

static void
connect_sink (Receiver *receiver, const gchar *name,
    GstFlowReturn (*take) (GstAppSink *sink, gpointer user_data))
{
  GstAppSinkCallbacks callbacks = { .new_sample = take };
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (receiver->pipeline), name);

  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks, receiver, NULL);
}

static Receiver *
start_receiver (const gchar *uri)
{
  Receiver *receiver = g_new0 (Receiver, 1);
  g_autofree gchar *text = g_strdup_printf (
      "lmccsrc name=lmcc uri=\"%s\" "
      "algorithm=none lmcc.src ! queue ! decodebin ! videoconvert "
      "! video/x-raw,format=I420 ! appsink name=pictures sync=false "
      "lmcc.audio ! queue ! decodebin ! audioconvert ! audioresample "
      "! audio/x-raw,format=S16LE,rate=48000,channels=1 "
      "! appsink name=sounds sync=false",
      uri);

  g_mutex_init (&receiver->lock);
  receiver->flashes = g_array_new (FALSE, FALSE, sizeof (GstClockTime));
  receiver->clicks = g_array_new (FALSE, FALSE, sizeof (GstClockTime));
  receiver->pipeline = test_launch ("%s", text);
  connect_sink (receiver, "pictures", take_picture);
  connect_sink (receiver, "sounds", take_sound);
  gst_element_set_state (receiver->pipeline, GST_STATE_PLAYING);

  return receiver;
}

static void
check_no_error (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  if (message == NULL)
    return;
  gst_message_parse_error (message, &error, NULL);
  fail ("%s", error->message);
}

static void
stop (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

static void
stop_receiver (Receiver *receiver)
{
  stop (receiver->pipeline);
  g_array_unref (receiver->flashes);
  g_array_unref (receiver->clicks);
  g_mutex_clear (&receiver->lock);
  g_free (receiver);
}

static guint
count (Receiver *receiver, const GArray *times)
{
  guint n;

  g_mutex_lock (&receiver->lock);
  n = times->len;
  g_mutex_unlock (&receiver->lock);

  return n;
}

typedef struct
{
  Receiver *receiver;
  guint flashes;
  guint clicks;
} Wanted;

static gboolean
have_come (gpointer user_data)
{
  const Wanted *wanted = user_data;
  Receiver *receiver = wanted->receiver;

  check_no_error (receiver->pipeline);

  return count (receiver, receiver->flashes) >= wanted->flashes
      && count (receiver, receiver->clicks) >= wanted->clicks;
}

/* Waits for @n more flashes and clicks. */
static void
wait_for (Receiver *receiver, guint n)
{
  Wanted wanted = { receiver, count (receiver, receiver->flashes) + n,
    count (receiver, receiver->clicks) + n };

  fail_unless (test_wait_for (have_come, &wanted, PATIENCE),
      "%u of %u flashes, %u of %u clicks", count (receiver, receiver->flashes),
      wanted.flashes, count (receiver, receiver->clicks), wanted.clicks);
}

/* For each flash with a click within half a second. */
static void
check_lip_sync (Receiver *receiver, guint at_least)
{
  gint64 offset = g_atomic_int_get (&flash_offset_us) * (gint64) 1000;
  guint n = 0, i, j;

  g_mutex_lock (&receiver->lock);
  for (i = 0; i < receiver->flashes->len; i++) {
    GstClockTime flash = g_array_index (receiver->flashes, GstClockTime, i);

    for (j = 0; j < receiver->clicks->len; j++) {
      gint64 apart = GST_CLOCK_DIFF (flash,
                         g_array_index (receiver->clicks, GstClockTime, j))
          + offset;

      if (ABS (apart) > (gint64) GST_SECOND / 2)
        continue;
      GST_INFO ("at %" GST_TIME_FORMAT " the sound is %.1f ms late",
          GST_TIME_ARGS (flash), (gdouble) apart / GST_MSECOND);
      fail_unless (ABS (apart) <= LIP_SYNC,
          "at %" GST_TIME_FORMAT " the sound is %.1f ms late",
          GST_TIME_ARGS (flash), (gdouble) apart / GST_MSECOND);
      n++;
    }
  }
  g_mutex_unlock (&receiver->lock);
  fail_unless (n >= at_least, "%u compared", n);
}

GST_START_TEST (test_lip_sync_from_the_start_over_levels_and_a_late_join)
{
  GstElement *sender = start_sender (SINK (
      "17510") " key-unit-interval=1000 " VIDEO
               "! tee name=t t. ! " RUNG ("150", "sink_0") "t. ! " RUNG ("400",
                   "sink_1") AUDIO "! queue ! opusenc ! lmcc.audio_sink");
  Receiver *first = start_receiver (URI ("17510")), *second;
  g_autoptr (GstElement) source = NULL;

  wait_for (first, 3);
  second = start_receiver (URI ("17510"));
  source = gst_bin_get_by_name (GST_BIN (first->pipeline), "lmcc");
  g_object_set (source, "max-level", 0, NULL);
  wait_for (first, 3);
  g_object_set (source, "max-level", -1, NULL);
  wait_for (first, 2);
  wait_for (second, 1);
  check_lip_sync (first, 6);
  check_lip_sync (second, 3);
  check_no_error (sender);
  stop_receiver (second);
  stop_receiver (first);
  stop (sender);
}

GST_END_TEST;

GST_START_TEST (test_lip_sync_with_aac)
{
  GstElement *sender = start_sender (SINK ("17520") " " VIDEO "! " RUNG ("150",
      "sink_0") AUDIO "! queue ! audioconvert ! avenc_aac ! lmcc.audio_sink");
  Receiver *receiver = start_receiver (URI ("17520"));

  wait_for (receiver, 4);
  check_lip_sync (receiver, 3);
  check_no_error (sender);
  stop_receiver (receiver);
  stop (sender);
}

GST_END_TEST;

GST_START_TEST (test_lip_sync_of_raw_sound_in_layers_of_fixed_rates)
{
  GstElement *sender = start_sender (SINK (
      "17530") " layering=equal layers=2 base-rate=400000 window=2400 " VIDEO
               "! " RUNG ("150", "sink_0") AUDIO "! queue ! lmcc.audio_sink");
  Receiver *receiver = start_receiver (URI ("17530"));

  wait_for (receiver, 4);
  check_lip_sync (receiver, 3);
  check_no_error (sender);
  stop_receiver (receiver);
  stop (sender);
}

GST_END_TEST;

static void
count_buffer (GstElement *sink G_GNUC_UNUSED, GstBuffer *buffer G_GNUC_UNUSED,
    GstPad *pad G_GNUC_UNUSED, gpointer user_data)
{
  g_atomic_int_inc ((gint *) user_data);
  test_tell ();
}

static GstElement *
make_counting_sink (gint *n)
{
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);

  g_object_set (sink, "sync", TRUE, "signal-handoffs", TRUE, NULL);
  g_signal_connect (sink, "handoff", G_CALLBACK (count_buffer), n);

  return sink;
}

typedef struct
{
  GstElement *pipeline;
  gint *counter;
  gint n;
} Count;

static gboolean
is_counted (gpointer user_data)
{
  const Count *wanted = user_data;

  check_no_error (wanted->pipeline);

  return g_atomic_int_get (wanted->counter) >= wanted->n;
}

static void
wait_for_count (GstElement *pipeline, gint *counter, gint n)
{
  Count wanted = { pipeline, counter, n };

  fail_unless (test_wait_for (is_counted, &wanted, PATIENCE),
      "%d of %d buffers", g_atomic_int_get (counter), n);
}

static void
check_player (const gchar *name)
{
  GstElement *sender = start_sender (SINK ("17540") " " VIDEO "! " RUNG ("150",
      "sink_0") AUDIO "! queue ! opusenc ! lmcc.audio_sink");
  GstElement *player = gst_element_factory_make (name, NULL);
  gint n_video = 0, n_audio = 0;

  g_object_set (player, "uri", URI ("17540"), "video-sink",
      make_counting_sink (&n_video), "audio-sink",
      make_counting_sink (&n_audio), NULL);
  gst_element_set_state (player, GST_STATE_PLAYING);
  wait_for_count (player, &n_video, 50);
  wait_for_count (player, &n_audio, 100);
  stop (player);
  stop (sender);
}

GST_START_TEST (test_playbin_plays_pictures_and_sound)
{
  check_player ("playbin");
}

GST_END_TEST;

GST_START_TEST (test_playbin3_plays_pictures_and_sound)
{
  check_player ("playbin3");
}

GST_END_TEST;

GST_START_TEST (test_either_stream_may_stay_unlinked)
{
  GstElement *sender = start_sender (SINK ("17550") " " VIDEO "! " RUNG ("150",
      "sink_0") AUDIO "! queue ! opusenc ! lmcc.audio_sink");
  static const gchar *const pads[] = { "src", "audio" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (pads); i++) {
    g_autofree gchar *text = g_strdup_printf (
        "lmccsrc name=lmcc uri=\"%s\" "
        "lmcc.%s ! fakesink name=sink sync=false signal-handoffs=true",
        URI ("17550"), pads[i]);
    GstElement *receiver = test_launch ("%s", text);
    g_autoptr (GstElement) sink =
        gst_bin_get_by_name (GST_BIN (receiver), "sink");
    gint n = 0;

    g_signal_connect (sink, "handoff", G_CALLBACK (count_buffer), &n);
    gst_element_set_state (receiver, GST_STATE_PLAYING);
    wait_for_count (receiver, &n, 60);
    stop (receiver);
  }
  stop (sender);
}

GST_END_TEST;

static void
recalculate_latency (GstElement *pipeline, gpointer user_data G_GNUC_UNUSED)
{
  gst_bin_recalculate_latency (GST_BIN (pipeline));
}

/* As applications do. */
static GstBusSyncReply
follow_latency (GstBus *bus G_GNUC_UNUSED, GstMessage *message,
    gpointer pipeline)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_LATENCY)
    gst_element_call_async (pipeline, recalculate_latency, NULL, NULL);

  return GST_BUS_PASS;
}

/* @sender: (transfer full): a stopped sender */
static void
check_all_is_sent (GstElement *sender, const gchar *uri)
{
  Receiver *receiver = start_receiver (uri);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (sender), "lmcc");
  g_autoptr (GstBus) bus = gst_element_get_bus (sender);

  gst_bus_set_sync_handler (bus, follow_latency, sender, NULL);
  start_flashes (sender);
  wait_for (receiver, 4);
  fail_unless_equals_uint64 (test_get_count (sink, "units-left-out"), 0);
  check_lip_sync (receiver, 3);
  stop_receiver (receiver);
  stop (sender);
}

/* An encoder with look-ahead reports its latency late, and takes longer than
 * reported: the audio does not wait for it, and its pictures are sent all
 * the same. */
GST_START_TEST (test_pictures_behind_the_sound_are_sent)
{
  GstElement *sender = test_launch (SINK (
      "17570") " " VIDEO
               "! queue ! x264enc bframes=3 b-pyramid=true b-adapt=false "
               "speed-preset=ultrafast key-int-max=25 ! lmcc.sink_0 " AUDIO
               "! queue ! opusenc ! lmcc.audio_sink");

  check_all_is_sent (sender, URI ("17570"));
}

GST_END_TEST;

/* With a live source, applications query all latencies again at PLAYING,
 * when the encoders of raw video have no data yet: the audio latency alone
 * is not the total. */
GST_START_TEST (test_raw_pictures_beside_live_sound_are_sent)
{
  GstElement *sender = test_launch (
      SINK ("17580") " encoder-settings=\"x264,bitrates=\\\"100k,"
                     "250k,600k\\\"\" " VIDEO "! lmcc.sink_0 " AUDIO
                     "! opusenc ! lmcc.audio_sink");

  check_all_is_sent (sender, URI ("17580"));
}

GST_END_TEST;

GST_START_TEST (test_sound_alone_is_refused_with_what_to_do)
{
  GstElement *sender = test_launch (
      SINK ("17560") " audiotestsrc is-live=true ! opusenc ! lmcc.audio_sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (sender);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_element_set_state (sender, GST_STATE_PLAYING);
  message =
      gst_bus_timed_pop_filtered (bus, 15 * GST_SECOND, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, "no video") != NULL);
  fail_unless (strstr (error->message, "sink_0") != NULL);
  stop (sender);
}

GST_END_TEST;

static Suite *
sound_suite (void)
{
  Suite *s = suite_create ("sound");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_lip_sync_from_the_start_over_levels_and_a_late_join);
  tcase_add_test (tc, test_lip_sync_with_aac);
  tcase_add_test (tc, test_lip_sync_of_raw_sound_in_layers_of_fixed_rates);
  tcase_add_test (tc, test_playbin_plays_pictures_and_sound);
  tcase_add_test (tc, test_playbin3_plays_pictures_and_sound);
  tcase_add_test (tc, test_either_stream_may_stay_unlinked);
  tcase_add_test (tc, test_pictures_behind_the_sound_are_sent);
  tcase_add_test (tc, test_raw_pictures_beside_live_sound_are_sent);
  tcase_add_test (tc, test_sound_alone_is_refused_with_what_to_do);

  return s;
}

GST_CHECK_MAIN (sound);
