/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests lmccsink with raw video: its encoders, their settings, and layers for
 * their rungs.
 */
#include <string.h>

#include <gst/app/gstappsrc.h>
#include <gst/check/gstcheck.h>

#define SINK                                                       \
  " ! lmccsink name=sink multicast-iface=lo address=239.211.61.1 " \
  "sync=false port=15600 "

static GstElement *
launch (const gchar *source, const gchar *settings)
{
  g_autofree gchar *text = g_strconcat (source, SINK, settings, NULL);
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (text, &error);

  g_assert_no_error (error);
  return pipeline;
}

static void
wait_for (GstElement *pipeline, GstMessageType type)
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
count_setup (GstElement *sink G_GNUC_UNUSED, GstElement *encoder, guint rung,
    gpointer user_data)
{
  guint *bitrates = user_data;

  g_object_get (encoder, "bitrate", &bitrates[rung], NULL);
}

/* Units of each rung that the session sent, from lmccsink's own statistics. */
static guint
count_rungs (GstElement *pipeline)
{
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstStructure) stats = NULL;

  g_object_get (sink, "stats", &stats, NULL);
  return gst_value_array_get_size (gst_structure_get_value (stats, "rungs"));
}

GST_START_TEST (test_raw_video_goes_out_in_rungs_again_and_again)
{
  GstElement *pipeline =
      launch ("videotestsrc num-buffers=30 ! "
              "video/x-raw,width=640,height=360,framerate=24/1",
          "");
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
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
    fail_unless_equals_int (gst_element_set_state (pipeline,
                                i == 1 ? GST_STATE_READY : GST_STATE_NULL),
        GST_STATE_CHANGE_SUCCESS);
    /* The next run may have other input. */
    fail_unless_equals_int (g_list_length (sink->sinkpads), 1);
    fail_unless_equals_int (GST_BIN_NUMCHILDREN (sink), 1);
  }
  gst_object_unref (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_layers_of_fixed_rates_get_rungs_that_fit)
{
  GstElement *pipeline =
      launch ("videotestsrc num-buffers=5 ! "
              "video/x-raw,width=640,height=360,framerate=24/1",
          "layering=explicit "
          "layer-rates=200k,200k,400k,800k");
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
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
      "encoder-settings=x264,bitrates=(string)\\\"50k,77k\\\",bframes=0");
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  guint bitrates[8] = { 0 };

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

/* The times are those of the next picture, not of the opening of the
 * sockets. */
GST_START_TEST (test_settings_that_are_made_in_ready_reach_the_encoders)
{
  GstElement *pipeline = launch ("videotestsrc num-buffers=5",
      "encoder-settings=x264,bitrates=(string)\\\"50k,77k\\\",bframes=0");
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  guint bitrates[8] = { 0 };

  g_signal_connect (sink, "encoder-setup", G_CALLBACK (count_setup), bitrates);
  gst_element_set_state (pipeline, GST_STATE_READY);
  gst_util_set_object_arg (G_OBJECT (sink), "encoder-settings",
      "x264,bitrates=(string)\"60k,90k,120k\",bframes=0");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for (pipeline, GST_MESSAGE_EOS);
  fail_unless_equals_int (bitrates[0], 60);
  fail_unless_equals_int (bitrates[1], 90);
  fail_unless_equals_int (bitrates[2], 120);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

GST_END_TEST;

/* The only encoder of codecs that make all layers themselves. */
typedef struct
{
  guint n;
  guint rung;
  gint bitrate;
  guint64 total; /* for JPEG 2000 */
  gint distance;
  gchar *mode;
  gint layers[16];
  guint n_layers;
} SetUp;

static void
read_array (GObject *object, const gchar *property, SetUp *setup)
{
  GValue array = G_VALUE_INIT;
  guint i;

  g_value_init (&array, GST_TYPE_ARRAY);
  g_object_get_property (object, property, &array);
  setup->n_layers = gst_value_array_get_size (&array);
  for (i = 0; i < setup->n_layers; i++)
    setup->layers[i] = g_value_get_int (gst_value_array_get_value (&array, i));
  g_value_unset (&array);
}

static void
note_vp9 (GstElement *sink G_GNUC_UNUSED, GstElement *encoder, guint rung,
    gpointer user_data)
{
  SetUp *setup = user_data;
  GValue mode = G_VALUE_INIT;

  setup->n++;
  setup->rung = rung;
  g_object_get (encoder, "target-bitrate", &setup->bitrate, "keyframe-max-dist",
      &setup->distance, NULL);
  g_value_init (&mode,
      G_PARAM_SPEC_VALUE_TYPE (
          g_object_class_find_property (G_OBJECT_GET_CLASS (encoder),
              "scalability-mode")));
  g_object_get_property (G_OBJECT (encoder), "scalability-mode", &mode);
  g_free (setup->mode);
  setup->mode = gst_value_serialize (&mode);
  read_array (G_OBJECT (encoder), "layer-bitrates", setup);
  /* It is not too late for others. */
  g_object_set (encoder, "cpu-used", 9, NULL);
}

static void
note_j2k (GstElement *sink G_GNUC_UNUSED, GstElement *encoder, guint rung,
    gpointer user_data)
{
  SetUp *setup = user_data;

  setup->n++;
  setup->rung = rung;
  g_object_get (encoder, "target-bitrate", &setup->total, NULL);
  read_array (G_OBJECT (encoder), "bitrates", setup);
}

static guint
count_layers (GstElement *sink)
{
  g_autoptr (GstStructure) stats = NULL;

  g_object_get (sink, "stats", &stats, NULL);
  return gst_value_array_get_size (gst_structure_get_value (stats, "layers"));
}

/* Plays it once, and returns its number of layers. */
static guint
play_once (const gchar *source, const gchar *settings, GCallback note,
    SetUp *setup)
{
  GstElement *pipeline = launch (source, settings);
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  guint layers;

  memset (setup, 0, sizeof (*setup));
  g_signal_connect (sink, "encoder-setup", note, setup);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for (pipeline, GST_MESSAGE_EOS);
  layers = count_layers (sink);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (GST_BIN_NUMCHILDREN (sink), 1);
  gst_object_unref (pipeline);
  fail_unless_equals_int (setup->n, 1);
  fail_unless_equals_int (setup->rung, 0);
  return layers;
}

/* Not I420, the only format of the encoder. */
GST_START_TEST (test_raw_video_goes_out_in_the_layers_of_vp9)
{
  SetUp setup;

  fail_unless_equals_int (
      play_once ("videotestsrc num-buffers=30 ! "
                 "video/x-raw,format=YUY2,width=640,height=360,framerate=24/1",
          "codec=vp9", G_CALLBACK (note_vp9), &setup),
      9);
  /* Total rate of the rungs of x264. */
  fail_unless_equals_int (setup.bitrate, 1300000);
  fail_unless_equals_int (setup.distance, 24);
  fail_unless_equals_string (setup.mode, "L3T3");
  fail_unless_equals_int (setup.n_layers, 0);
  g_free (setup.mode);
}

GST_END_TEST;

GST_START_TEST (test_vp9_in_layers_of_fixed_rates_fits_them)
{
  gint sum = 0, lowest;
  SetUp setup;
  guint i;

  play_once ("videotestsrc num-buffers=5 ! video/x-raw,width=640,height=360,"
             "framerate=24/1",
      "codec=vp9 layering=explicit "
      "layer-rates=200k,200k,400k,800k window=2400",
      G_CALLBACK (note_vp9), &setup);
  fail_unless_equals_int (setup.distance, 24);
  fail_unless_equals_string (setup.mode, "L3T3");
  fail_unless_equals_int (setup.n_layers, 9);
  for (i = 0; i < 9; i++)
    sum += setup.layers[i];
  lowest = setup.layers[0] + setup.layers[1] + setup.layers[2];
  fail_unless (lowest > 80000 && lowest < 200000 / 1.25, "%d bit/s", lowest);
  fail_unless (sum > 800000 && sum < 1600000 / 1.25, "%d bit/s", sum);
  g_free (setup.mode);

  play_once ("videotestsrc num-buffers=5 ! video/x-raw,width=640,height=360,"
             "framerate=24/1",
      "codec=vp9 layering=explicit layer-rates=200k", G_CALLBACK (note_vp9),
      &setup);
  fail_unless_equals_string (setup.mode, "L1T3");
  fail_unless_equals_int (setup.n_layers, 3);
  g_free (setup.mode);
}

GST_END_TEST;

GST_START_TEST (test_settings_reach_the_encoder_of_vp9)
{
  SetUp setup;

  fail_unless_equals_int (
      play_once ("videotestsrc num-buffers=10",
          "codec=vp9 encoder-settings=vp9,scalability-mode=L2T2,"
          "target-bitrate=345678,keyframe-max-dist=7",
          G_CALLBACK (note_vp9), &setup),
      4);
  fail_unless_equals_int (setup.bitrate, 345678);
  fail_unless_equals_int (setup.distance, 7);
  fail_unless_equals_string (setup.mode, "L2T2");
  g_free (setup.mode);

  /* Requested layers share the available rate. */
  play_once ("videotestsrc num-buffers=5",
      "codec=vp9 layering=doubling "
      "layers=3 base-rate=200000 encoder-settings=vp9,scalability-mode=L2T2",
      G_CALLBACK (note_vp9), &setup);
  fail_unless_equals_string (setup.mode, "L2T2");
  fail_unless_equals_int (setup.n_layers, 0);
  fail_unless (setup.bitrate > 400000 && setup.bitrate < 800000);
  g_free (setup.mode);
}

GST_END_TEST;

GST_START_TEST (test_raw_video_goes_out_in_the_layers_of_jpeg_2000)
{
  SetUp setup;
  guint i;

  fail_unless_equals_int (
      play_once ("videotestsrc num-buffers=5 ! "
                 "video/x-raw,format=RGB,width=320,height=180,framerate=10/1",
          "codec=j2k", G_CALLBACK (note_j2k), &setup),
      5);
  fail_unless_equals_int (setup.n_layers, 5);
  fail_unless_equals_int (setup.layers[0], 54000);
  fail_unless_equals_int (setup.layers[4], 864000);
  play_once ("videotestsrc num-buffers=5 ! video/x-raw,width=160,height=120,"
             "framerate=10/1",
      "codec=j2k layering=doubling layers=4 "
      "base-rate=200000",
      G_CALLBACK (note_j2k), &setup);
  fail_unless_equals_int (setup.n_layers, 4);
  for (i = 0; i < 4; i++)
    fail_unless (setup.layers[i] > (150000 << i)
            && setup.layers[i] < (200000 << i),
        "%d bit/s", setup.layers[i]);
  play_once ("videotestsrc num-buffers=5 ! video/x-raw,width=320,height=180,"
             "framerate=10/1",
      "codec=j2k encoder-settings=j2k,target-bitrate=400000",
      G_CALLBACK (note_j2k), &setup);
  fail_unless_equals_int (setup.n_layers, 5);
  fail_unless_equals_uint64 (setup.total, 400000);
}

GST_END_TEST;

static void
expect_error (const gchar *settings, GQuark domain, const gchar *cause,
    const gchar *remedy)
{
  GstElement *pipeline = launch ("videotestsrc num-buffers=5", settings);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless_equals_int (error->domain, domain);
  fail_unless (strstr (error->message, cause) != NULL, "%s", error->message);
  fail_unless (strstr (error->message, remedy) != NULL, "%s", error->message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

static void
hide_feature (const gchar *name)
{
  GstPluginFeature *feature =
      gst_registry_lookup_feature (gst_registry_get (), name);

  if (feature)
    gst_registry_remove_feature (gst_registry_get (), feature);
  gst_clear_object (&feature);
}

GST_START_TEST (test_an_encoder_that_is_missing_is_named_with_its_plugin)
{
  hide_feature ("vp9svcenc");
  hide_feature ("j2klayerenc");
  expect_error ("codec=vp9", GST_CORE_ERROR, "element vp9svcenc",
      "plugin lmccsvc, which is built with lmccsink if libvpx 1.12");
  expect_error ("codec=j2k", GST_CORE_ERROR, "element j2klayerenc",
      "plugin lmccj2k, which is built with lmccsink if OpenJPEG 2.5");
}

GST_END_TEST;

GST_START_TEST (test_settings_that_cannot_be_are_named)
{
  expect_error ("encoder-settings=x264,speed=7", GST_RESOURCE_ERROR,
      "'speed', which is no property of x264ladderenc",
      "gst-inspect-1.0 x264ladderenc");
  expect_error ("layering=doubling layers=2 base-rate=20000",
      GST_RESOURCE_ERROR, "too small for video", "with base-rate");
}

GST_END_TEST;

static void
push_pictures (GstElement *pipeline, guint first, guint n, guint size)
{
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autofree gchar *text = g_strdup_printf ("video/x-raw,format=I420,width=%u,"
                                            "height=%u,framerate=25/1",
      size, size);
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
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "source");

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
  GstElement *pipeline =
      launch ("videotestsrc num-buffers=60 pattern=black", "");
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");

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
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "source");
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
  tcase_add_test (tc, test_settings_that_are_made_in_ready_reach_the_encoders);
  tcase_add_test (tc, test_a_new_size_goes_on_in_the_same_session);
  tcase_add_test (tc, test_a_flush_goes_on);
  tcase_add_test (tc, test_the_pad_of_raw_video_is_the_only_one_and_can_go);
  tcase_add_test (tc, test_settings_that_cannot_be_are_named);
  if (gst_registry_check_feature_version (gst_registry_get (), "vp9svcenc", 0,
          0, 0)) {
    tcase_add_test (tc, test_raw_video_goes_out_in_the_layers_of_vp9);
    tcase_add_test (tc, test_vp9_in_layers_of_fixed_rates_fits_them);
    tcase_add_test (tc, test_settings_reach_the_encoder_of_vp9);
  }
  if (gst_registry_check_feature_version (gst_registry_get (), "j2klayerenc", 0,
          0, 0))
    tcase_add_test (tc, test_raw_video_goes_out_in_the_layers_of_jpeg_2000);
  /* The last rung: its layers are missing from then on. */
  tcase_add_test (tc, test_an_encoder_that_is_missing_is_named_with_its_plugin);
  return s;
}

GST_CHECK_MAIN (lmccsink_raw);
