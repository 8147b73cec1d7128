/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include <gst/app/gstappsrc.h>
#include <gst/check/gstcheck.h>

#define SINK " ! lmccsink name=sink multicast-iface=lo address=239.211.61.1 " \
    "sync=false port=15600 "

static GstElement *
launch (const gchar * source, const gchar * settings)
{
  g_autofree gchar *text = g_strconcat (source, SINK, settings, NULL);
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (text, &error);

  g_assert_no_error (error);
  return pipeline;
}

static void
wait_for (GstElement * pipeline, GstMessageType type)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus,
      GST_CLOCK_TIME_NONE, type | GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  g_assert_no_error (error);
}

static void
count_setup (GstElement * sink, GstElement * encoder, guint rung,
    gpointer user_data)
{
  guint *bitrates = user_data;

  g_object_get (encoder, "bitrate", &bitrates[rung], NULL);
}

/* Units of each rung that the session sent, by lmccsink's own numbers. */
static guint
count_rungs (GstElement * pipeline)
{
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline),
      "sink");
  g_autoptr (GstStructure) stats = NULL;

  g_object_get (sink, "stats", &stats, NULL);
  return gst_value_array_get_size (gst_structure_get_value (stats, "rungs"));
}

GST_START_TEST (test_raw_video_goes_out_in_rungs_again_and_again)
{
  GstElement *pipeline = launch ("videotestsrc num-buffers=30 ! "
      "video/x-raw,width=640,height=360,framerate=24/1", "");
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline),
      "sink");
  guint bitrates[8], i;

  g_signal_connect (sink, "encoder-setup", G_CALLBACK (count_setup), bitrates);
  for (i = 0; i < 3; i++) {
    memset (bitrates, 0, sizeof (bitrates));
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    wait_for (pipeline, GST_MESSAGE_EOS);
    fail_unless_equals_int (bitrates[0], 100);
    fail_unless_equals_int (bitrates[1], 300);
    fail_unless_equals_int (bitrates[2], 900);
    fail_unless_equals_int (bitrates[3], 0);
    fail_unless_equals_int (count_rungs (pipeline), 3);
    fail_unless_equals_int (gst_element_set_state (pipeline, i == 1 ?
            GST_STATE_READY : GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
    /* The next run may bring something else. */
    fail_unless_equals_int (g_list_length (sink->sinkpads), 1);
    fail_unless_equals_int (GST_BIN_NUMCHILDREN (sink), 1);
  }
  gst_object_unref (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_layers_of_fixed_rates_get_rungs_that_fit)
{
  GstElement *pipeline = launch ("videotestsrc num-buffers=5 ! "
      "video/x-raw,width=640,height=360,framerate=24/1", "layering=explicit "
      "layer-rates=200k,200k,400k,800k");
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline),
      "sink");
  guint bitrates[8] = { 0, }, i, sum = 0;

  g_signal_connect (sink, "encoder-setup", G_CALLBACK (count_setup), bitrates);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for (pipeline, GST_MESSAGE_EOS);
  fail_unless (bitrates[0] > 100 && bitrates[0] < 200);
  for (i = 0; i < 8; i++)
    sum += bitrates[i];
  /* Headers, and a quarter for the encoders' buffers. */
  fail_unless (sum > 1000 && sum < 1600 / 1.25, "%u kbit/s", sum);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_settings_reach_the_encoders)
{
  GstElement *pipeline = launch ("videotestsrc num-buffers=5",
      "encoder-settings=x264,bitrates=(string)\\\"50,77\\\",bframes=0");
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline),
      "sink");
  guint bitrates[8] = { 0, };

  g_signal_connect (sink, "encoder-setup", G_CALLBACK (count_setup), bitrates);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for (pipeline, GST_MESSAGE_EOS);
  fail_unless_equals_int (bitrates[0], 50);
  fail_unless_equals_int (bitrates[1], 77);
  fail_unless_equals_int (bitrates[2], 0);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

GST_END_TEST;

static void
push_pictures (GstElement * pipeline, guint first, guint n, guint size)
{
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pipeline),
      "source");
  g_autofree gchar *text = g_strdup_printf ("video/x-raw,format=I420,width=%u,"
      "height=%u,framerate=25/1", size, size);
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  guint i;

  for (i = first; i < first + n; i++) {
    g_autoptr (GstBuffer) buffer =
        gst_buffer_new_allocate (NULL, size * size * 3 / 2, NULL);
    g_autoptr (GstSample) sample = NULL;

    gst_buffer_memset (buffer, 0, (guint8) (i * 4), size * size * 3 / 2);
    GST_BUFFER_PTS (buffer) = i * 40 * GST_MSECOND;
    sample = gst_sample_new (buffer, caps, NULL, NULL);
    gst_app_src_push_sample (GST_APP_SRC (source), sample);
  }
}

GST_START_TEST (test_a_new_size_goes_on_in_the_same_session)
{
  GstElement *pipeline = launch ("appsrc name=source format=time", "");
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pipeline),
      "source");

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push_pictures (pipeline, 0, 30, 320);
  push_pictures (pipeline, 30, 30, 160);
  gst_app_src_end_of_stream (GST_APP_SRC (source));
  wait_for (pipeline, GST_MESSAGE_EOS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_a_flush_goes_on)
{
  GstElement *pipeline = launch ("videotestsrc num-buffers=60 pattern=black",
      "");
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline),
      "sink");

  g_object_set (sink, "sync", TRUE, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for (pipeline, GST_MESSAGE_STREAM_START);
  fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH, GST_SECOND));
  wait_for (pipeline, GST_MESSAGE_EOS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_the_pad_of_raw_video_is_the_only_one_and_can_go)
{
  GstElement *pipeline = launch ("videotestsrc is-live=true name=source", "");
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline),
      "sink");
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pipeline),
      "source");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink_0");

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for (pipeline, GST_MESSAGE_STREAM_START);
  fail_unless (gst_element_request_pad_simple (sink, "sink_%u") == NULL);
  gst_element_set_locked_state (source, TRUE);
  gst_element_release_request_pad (sink, pad);
  fail_unless_equals_int (GST_BIN_NUMCHILDREN (sink), 1);
  gst_element_set_state (source, GST_STATE_NULL);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

GST_END_TEST;

static Suite *
lmccsink_raw_suite (void)
{
  Suite *s = suite_create ("lmccsink-raw");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_raw_video_goes_out_in_rungs_again_and_again);
  tcase_add_test (tc, test_layers_of_fixed_rates_get_rungs_that_fit);
  tcase_add_test (tc, test_settings_reach_the_encoders);
  tcase_add_test (tc, test_a_new_size_goes_on_in_the_same_session);
  tcase_add_test (tc, test_a_flush_goes_on);
  tcase_add_test (tc, test_the_pad_of_raw_video_is_the_only_one_and_can_go);
  return s;
}

GST_CHECK_MAIN (lmccsink_raw);
