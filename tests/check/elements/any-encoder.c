/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests lmccsink with the output of many encoders: it sends the stream, or
 * reports once why it cannot and what to do instead.
 */
#include "config.h"

#include "element-tools.h"

#include <string.h>

#include <gst/app/gstappsrc.h>
#include <gst/check/gstcheck.h>

/* Value of GST_BUFFER_PTS: libav's "no time". */
#define NO_TIME (G_GUINT64_CONSTANT (1) << 63)

/* us: longest wait for an expected event. */
#define PATIENCE (15 * G_TIME_SPAN_SECOND)

/**
 * Row:
 * @name: name of the check
 * @front: elements in front of lmccsink; an appsrc named "a" is fed by the test
 * @time: duration of the pictures fed to it
 * @types: type of the expected message
 * @cause: text that it must contain
 * @remedy: text that it must contain, too
 */
typedef struct
{
  const gchar *name;
  const gchar *front;
  GstClockTime time;
  GstMessageType type;
  const gchar *cause;
  const gchar *remedy;
} Row;

static const Row rows[] = {
  { "test_sound_alone_is_refused_with_the_pad_that_takes_it",
      "audiotestsrc is-live=true ! opusenc", 0, GST_MESSAGE_ERROR,
      "audio/x-opus", "audio_sink" },
  { "test_raw_sound_alone_is_refused_with_the_pad_that_takes_it",
      "audiotestsrc is-live=true", 0, GST_MESSAGE_ERROR, "audio/x-raw",
      "udpsink" },
  { "test_sound_behind_a_queue_is_refused_too",
      "audiotestsrc is-live=true ! opusenc ! queue", 0, GST_MESSAGE_ERROR,
      "audio/x-opus", "audio_sink" },
  { "test_rtp_of_sound_is_refused_too",
      "audiotestsrc is-live=true ! opusenc ! rtpopuspay", 0, GST_MESSAGE_ERROR,
      "got audio", "audio_sink" },
  { "test_a_format_without_payloader_is_refused_by_name",
      "appsrc name=a format=time caps=video/x-nonesuch", 0, GST_MESSAGE_ERROR,
      "video/x-nonesuch", "x264enc" },
  { "test_the_version_of_a_format_without_payloader_is_named",
      "appsrc name=a format=time caps=video/mpeg,mpegversion=1,"
      "systemstream=false",
      0, GST_MESSAGE_ERROR, "video/mpeg of version 1", "raw video" },
  { "test_a_stream_that_a_payloader_does_not_take_is_refused_by_its_name",
      "appsrc name=a format=time caps=video/x-h263,variant=itu,"
      "h263version=h263p,annex-f=true,annex-j=true",
      0, GST_MESSAGE_ERROR, "rtph263ppay does not accept", "x264enc" },
  { "test_rtp_without_encoding_name_is_refused_with_its_first_packet",
      "appsrc name=a format=time caps=application/x-rtp,media=video", 0,
      GST_MESSAGE_ERROR, "no encoding-name", "encoder to lmccsink directly" },
  { "test_pictures_without_usable_times_are_refused",
      "appsrc name=a format=time caps=application/x-rtp,media=video,"
      "encoding-name=H264,clock-rate=90000,payload=96",
      NO_TIME, GST_MESSAGE_ERROR, "no usable timestamps", "x264enc" },
  { "test_configuration_that_stays_in_the_caps_is_told_of",
      "appsrc name=a format=time caps=video/mpeg,mpegversion=4,"
      "systemstream=false,codec_data=(buffer)000001b001000001b58913 ! "
      "rtpmp4vpay",
      0, GST_MESSAGE_WARNING, "no picture: rtpmp4vpay", "config-interval" },
};

static void
feed (GstElement *pipeline, GstClockTime time)
{
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "a");
  guint i;

  for (i = 0; source && i < 4; i++) {
    GstBuffer *buffer = test_make_picture (i);

    GST_BUFFER_PTS (buffer) = time + i;
    gst_app_src_push_buffer (GST_APP_SRC (source), buffer);
  }
  gst_clear_object (&source);
}

/* (transfer full): the text of the next error */
static gchar *
read_error (GstElement *pipeline)
{
  g_autoptr (GstMessage) message =
      test_wait_message (pipeline, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  gst_message_parse_error (message, &error, NULL);
  return g_strdup (error->message);
}

/* (transfer full): the text of the next warning */
static gchar *
read_warning (GstElement *pipeline)
{
  g_autoptr (GstMessage) message =
      test_wait_message (pipeline, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
  gst_message_parse_warning (message, &error, NULL);
  return g_strdup (error->message);
}

GST_START_TEST (test_what_is_not_shown_is_answered_with_cause_and_remedy)
{
  const Row *row = &rows[__i__];
  g_autofree gchar *line = g_strdup_printf ("%s ! lmccsink name=s", row->front);
  GstElement *pipeline = test_launch_sink (line, NULL);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  feed (pipeline, row->time);
  message = test_wait_message (pipeline, row->type);
  if (row->type == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  else
    gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, row->cause) != NULL
          && strstr (error->message, row->remedy) != NULL,
      "%s: '%s' or '%s' is not in: %s", row->name, row->cause, row->remedy,
      error->message);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_what_is_refused_is_told_once)
{
  GstElement *pipeline = test_launch_sink ("appsrc name=a format=time ! "
                                           "lmccsink name=s",
      NULL);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstPad *pad = gst_element_get_static_pad (sink, "sink_0");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstCaps) caps = gst_caps_from_string ("video/x-nonesuch");
  guint n = 0, i;
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  gst_pad_send_event (pad, gst_event_new_stream_start ("a"));
  for (i = 0; i < 3; i++)
    fail_if (gst_pad_send_event (pad, gst_event_new_caps (caps)));
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR))) {
    n++;
    gst_message_unref (message);
  }
  fail_unless_equals_int (n, 1);
  gst_object_unref (pad);
  gst_object_unref (sink);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

/* A payloader that does not support the stream is removed, so that its place
 * is free for another stream. */
GST_START_TEST (test_nothing_stays_of_what_was_refused)
{
  GstElement *pipeline = test_launch_sink ("appsrc name=a format=time ! "
                                           "lmccsink name=s",
      NULL);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstPad *pad = gst_element_get_static_pad (sink, "sink_0");
  g_autoptr (GstCaps) refused =
      gst_caps_from_string ("video/x-h263,variant=itu,h263version=h263p,"
                            "annex-f=true,annex-j=true");
  g_autoptr (GstCaps) taken = gst_caps_from_string ("video/x-vp8");
  g_autofree gchar *text = NULL;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  gst_pad_send_event (pad, gst_event_new_stream_start ("a"));
  fail_if (gst_pad_send_event (pad, gst_event_new_caps (refused)));
  fail_unless_equals_int (GST_BIN_NUMCHILDREN (sink), 1);
  text = read_error (pipeline);
  fail_unless (gst_pad_send_event (pad, gst_event_new_caps (taken)));
  fail_unless_equals_int (GST_BIN_NUMCHILDREN (sink), 2);
  gst_object_unref (pad);
  gst_object_unref (sink);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

/* As rtpmp4vpay does if tags arrive before the first picture. */
GST_START_TEST (test_caps_may_be_incomplete_before_the_first_packet)
{
  GstElement *pipeline = test_launch_sink ("appsrc name=a format=time ! "
                                           "lmccsink name=s",
      NULL);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstPad *pad = gst_element_get_static_pad (sink, "sink_0");
  g_autoptr (GstCaps) some = gst_caps_from_string (
      "application/x-rtp, media=video, encoding-name=MP4V-ES");
  g_autoptr (GstCaps) all = gst_caps_copy (some);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autofree gchar *text = NULL;

  gst_caps_set_simple (all, "clock-rate", G_TYPE_INT, 90000, NULL);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  gst_pad_send_event (pad, gst_event_new_stream_start ("a"));
  fail_unless (gst_pad_send_event (pad, gst_event_new_caps (some)));
  fail_unless (gst_pad_send_event (pad, gst_event_new_caps (all)));
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
  gst_pad_send_event (pad, gst_event_new_caps (some));
  text = read_error (pipeline);
  fail_unless (strstr (text, "no encoding-name") != NULL, "%s", text);
  gst_object_unref (pad);
  gst_object_unref (sink);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

static GstPad *
add_demuxer_pad (GstElement *bin, const gchar *name, const gchar *text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  g_autoptr (GstPadTemplate) templ = gst_object_ref_sink (
      gst_pad_template_new ("src_%u", GST_PAD_SRC, GST_PAD_SOMETIMES, caps));
  GstPad *pad = gst_pad_new_from_template (templ, name);

  gst_pad_set_active (pad, TRUE);
  gst_element_add_pad (bin, pad);
  return pad;
}

#define SOUND "audio/mpeg, mpegversion=4, stream-format=raw"

/* As a demuxer does. */
static void
push_sound (GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (
      SOUND ",rate=48000,channels=2,codec_data=(buffer)1190");
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_stream_start ("sound"));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  gst_pad_push (pad, test_make_picture (0));
}

static guint
count_warnings (GstElement *pipeline, const gchar *wanted)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_warning (message, &error, NULL);
    n += strstr (error->message, wanted) != NULL;
    gst_message_unref (message);
  }
  return n;
}

/* gst-launch-1.0 links the first suitable pad of a demuxer. */
GST_START_TEST (test_the_sound_of_a_demuxer_is_left_for_its_video)
{
  GstElement *pipeline = test_launch_sink ("bin name=d lmccsink name=s", NULL);
  GstElement *demuxer = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  guint run, i;

  for (run = 0; run < 2; run++) {
    GstPad *pad = gst_element_request_pad_simple (sink, "sink_%u");
    GstPad *video = add_demuxer_pad (demuxer, "src_1", "video/x-h264");

    gst_element_set_state (pipeline, GST_STATE_PAUSED);
    for (i = 2; i < 4; i++) {
      g_autofree gchar *name = g_strdup_printf ("src_%u", i);
      GstPad *sound = add_demuxer_pad (demuxer, name, SOUND);

      fail_unless_equals_int (gst_pad_link (sound, pad), GST_PAD_LINK_NOFORMAT);
      push_sound (sound);
      push_sound (sound);
      gst_element_remove_pad (demuxer, sound);
    }
    fail_unless_equals_int (count_warnings (pipeline, "audio_sink"), 1);
    fail_unless_equals_int (gst_pad_link (video, pad), GST_PAD_LINK_OK);
    gst_element_set_state (pipeline, GST_STATE_READY);
    gst_element_remove_pad (demuxer, video);
    gst_element_release_request_pad (sink, pad);
    gst_object_unref (pad);
  }
  gst_object_unref (sink);
  gst_object_unref (demuxer);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

/* d. ! s.sink_0  d. ! s.audio_sink, where the audio pad appears first. */
GST_START_TEST (test_sound_that_another_pad_takes_is_not_left_out)
{
  GstElement *pipeline = test_launch_sink ("bin name=d lmccsink name=s", NULL);
  GstElement *demuxer = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstPad *sound = add_demuxer_pad (demuxer, "src_0", SOUND);
  GstPad *pad = gst_element_request_pad_simple (sink, "sink_%u");
  GstPad *sound_pad = gst_element_request_pad_simple (sink, "audio_sink");

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless_equals_int (gst_pad_link (sound, pad), GST_PAD_LINK_NOFORMAT);
  fail_unless_equals_int (gst_pad_link (sound, sound_pad), GST_PAD_LINK_OK);
  push_sound (sound);
  fail_unless_equals_int (count_warnings (pipeline, "left out"), 0);
  gst_object_unref (sound_pad);
  gst_object_unref (pad);
  gst_object_unref (sink);
  gst_object_unref (demuxer);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

/* decodebin3 knows the streams of its pads before they have caps. */
GST_START_TEST (test_pads_without_caps_go_by_their_streams)
{
  GstElement *pipeline = test_launch_sink ("bin name=d lmccsink name=s", NULL);
  GstElement *demuxer = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstPad *pads[] = { gst_element_request_pad_simple (sink, "sink_%u"),
    gst_element_request_pad_simple (sink, "audio_sink") };
  const GstStreamType types[] = { GST_STREAM_TYPE_VIDEO,
    GST_STREAM_TYPE_AUDIO };
  GstPad *streams[G_N_ELEMENTS (types)];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (types); i++) {
    g_autoptr (GstStream) stream = gst_stream_new (NULL, NULL, types[i], 0);
    GstEvent *start = gst_event_new_stream_start ("a");

    streams[i] = gst_pad_new (NULL, GST_PAD_SRC);
    gst_event_set_stream (start, stream);
    gst_pad_set_active (streams[i], TRUE);
    gst_element_add_pad (demuxer, streams[i]);
    gst_pad_push_event (streams[i], start);
    fail_unless_equals_int (gst_pad_link (streams[i], pads[1 - i]),
        GST_PAD_LINK_NOFORMAT);
  }
  for (i = 0; i < G_N_ELEMENTS (types); i++) {
    fail_unless_equals_int (gst_pad_link (streams[i], pads[i]),
        GST_PAD_LINK_OK);
    gst_object_unref (pads[i]);
  }
  gst_object_unref (sink);
  gst_object_unref (demuxer);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

#define VIDEO                    \
  "videotestsrc is-live=true ! " \
  "video/x-raw,width=160,height=120,framerate=30/1"

static GstElement *
play_sender (const gchar *encoder, gint *port)
{
  g_autofree gchar *line =
      g_strdup_printf (VIDEO " ! %s ! lmccsink name=s", encoder);
  GstElement *pipeline = test_launch_sink (line, port);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return pipeline;
}

GST_START_TEST (test_a_sender_that_comes_back_with_another_codec_is_told_of)
{
  gint port;
  GstElement *sender = play_sender ("x264enc tune=zerolatency key-int-max=10 "
                                    "speed-preset=ultrafast",
      &port);
  GstElement *receiver =
      test_launch ("lmccsrc name=r port=%d multicast-iface=lo "
                   "stats-update-interval=100 "
                   "address=239.255.42.1 ! rtph264depay ! fakesink",
          port);
  GstElement *src = gst_bin_get_by_name (GST_BIN (receiver), "r");
  g_autofree gchar *text = NULL, *early = NULL;

  test_watch (src, "stats");
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  test_wait_count (src, "packets-delivered", 10, PATIENCE);
  test_end_pipeline (sender);
  sender = play_sender ("vp8enc deadline=1 keyframe-max-dist=10", &port);
  early = read_warning (receiver);
  fail_unless (strstr (early, "the video was H264 and is now VP8") != NULL
          && strstr (early, "restart this receiver") != NULL,
      "%s", early);
  text = read_error (receiver);
  fail_unless (strstr (text, "was H264 and is now VP8") != NULL, "%s", text);
  fail_unless (strstr (text, "Restart this receiver") != NULL, "%s", text);
  gst_object_unref (src);
  test_end_pipeline (receiver);
  test_end_pipeline (sender);
}

GST_END_TEST;

/* (transfer full): the text of the next info message, as gst-launch-1.0 shows
 * it */
static gchar *
read_info (GstElement *pipeline)
{
  g_autoptr (GstMessage) message =
      test_wait_message (pipeline, GST_MESSAGE_INFO | GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;
  gchar *debug = NULL;

  fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
  gst_message_parse_info (message, &error, &debug);
  fail_unless (debug != NULL && strstr (debug, error->message) != NULL);
  return debug;
}

/* For a codec that receivers accept only if configured. */
GST_START_TEST (test_both_ends_name_the_codec_that_receivers_must_be_told)
{
  gint port;
  GstElement *sender =
      test_launch_sink ("appsrc name=a format=time caps=application/x-rtp,"
                        "media=video,encoding-name=JPEG,clock-rate=90000,"
                        "payload=26 ! lmccsink name=s",
          &port);
  GstElement *receiver = test_launch ("lmccsrc port=%d multicast-iface=lo "
                                      "address=239.255.42.1 ! fakesink",
      port);
  g_autofree gchar *told = NULL, *refused = NULL;

  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  feed (sender, 0);
  told = read_info (sender);
  fail_unless (strstr (told,
                   "session of JPEG only if lmccsrc has "
                   "codecs=JPEG")
          != NULL,
      "%s", told);
  refused = read_warning (receiver);
  fail_unless (strstr (refused, "session with the codec JPEG is refused")
              != NULL
          && strstr (refused, "set codecs=JPEG") != NULL,
      "%s", refused);
  test_end_pipeline (receiver);
  test_end_pipeline (sender);
}

GST_END_TEST;

static void
on_picture (GstElement *sink G_GNUC_UNUSED, GstBuffer *buffer G_GNUC_UNUSED,
    GstPad *pad G_GNUC_UNUSED, gpointer shown)
{
  g_atomic_int_set ((gint *) shown, TRUE);
  test_tell ();
}

static gboolean
is_shown (gpointer shown)
{
  return g_atomic_int_get ((gint *) shown);
}

/* x265's key frames after the first are no IDR pictures unless it is told to
 * close its groups of pictures. */
GST_START_TEST (test_who_joins_open_groups_of_pictures_has_parameter_sets)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find ("x265enc");
  GstElement *sender, *receiver, *sink, *screen;
  gint port, shown = FALSE;

  if (factory == NULL) {
    g_printerr ("skipped: there is no element x265enc "
                "(Debian: gstreamer1.0-plugins-bad)\n");
    return;
  }
  sender = test_launch_sink (VIDEO " ! x265enc speed-preset=ultrafast "
                                   "key-int-max=10 ! lmccsink name=s "
                                   "stats-update-interval=100",
      &port);
  sink = gst_bin_get_by_name (GST_BIN (sender), "s");
  test_watch (sink, "stats");
  gst_element_set_state (sender, GST_STATE_PLAYING);
  /* The first key frame has passed. */
  test_wait_count (sink, "packets-sent", 20, PATIENCE);
  receiver = test_launch ("lmccsrc port=%d multicast-iface=lo "
                          "address=239.255.42.1 ! rtph265depay ! h265parse ! "
                          "avdec_h265 ! fakesink name=screen "
                          "signal-handoffs=true",
      port);
  screen = gst_bin_get_by_name (GST_BIN (receiver), "screen");
  g_signal_connect (screen, "handoff", G_CALLBACK (on_picture), &shown);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  fail_unless (test_wait_for (is_shown, &shown, PATIENCE));
  gst_object_unref (screen);
  gst_object_unref (sink);
  test_end_pipeline (receiver);
  test_end_pipeline (sender);
}

GST_END_TEST;

static Suite *
any_encoder_suite (void)
{
  Suite *suite = suite_create ("any-encoder");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase,
      test_what_is_not_shown_is_answered_with_cause_and_remedy, 0,
      G_N_ELEMENTS (rows));
  tcase_add_test (tcase, test_what_is_refused_is_told_once);
  tcase_add_test (tcase, test_caps_may_be_incomplete_before_the_first_packet);
  tcase_add_test (tcase, test_nothing_stays_of_what_was_refused);
  tcase_add_test (tcase, test_the_sound_of_a_demuxer_is_left_for_its_video);
  tcase_add_test (tcase, test_sound_that_another_pad_takes_is_not_left_out);
  tcase_add_test (tcase, test_pads_without_caps_go_by_their_streams);
  tcase_add_test (tcase,
      test_a_sender_that_comes_back_with_another_codec_is_told_of);
  tcase_add_test (tcase,
      test_both_ends_name_the_codec_that_receivers_must_be_told);
  tcase_add_test (tcase,
      test_who_joins_open_groups_of_pictures_has_parameter_sets);

  return suite;
}

GST_CHECK_MAIN (any_encoder);
