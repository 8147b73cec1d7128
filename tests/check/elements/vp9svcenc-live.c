/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests vp9svcenc at run time: changes of rates, quantizers and caps,
 * requests, flushes, ends, and rejected settings.
 */
#include <gst/app/app.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include "svc-tools.h"

#define WIDTH 128
#define HEIGHT 96
#define N_PICTURES 40

/* Moves, so that no two pictures are equal. */
#define SOURCE                                                    \
  "videotestsrc num-buffers=40 pattern=zone-plate kx2=20 ky2=20 " \
  "kt=3 ! video/x-raw,width=128,height=96,framerate=24/1 ! "

/* A pipeline into which a test pushes pictures one by one. */
typedef struct
{
  GstElement *encoder;
  GstHarness *harness;
  guint n_pushed;
} Feed;

static void
feed_set_caps (Feed *feed, gint width, gint height)
{
  g_autofree gchar *caps = g_strdup_printf ("video/x-raw,format=I420,width=%d,"
                                            "height=%d,framerate=24/1",
      width, height);

  gst_harness_set_src_caps_str (feed->harness, caps);
}

static void
feed_init (Feed *feed, const gchar *settings)
{
  g_autofree gchar *launch = g_strdup_printf ("vp9svcenc name=enc cpu-used=9 "
                                              "threads=1 %s",
      settings);

  feed->encoder = gst_parse_launch (launch, NULL);
  gst_object_ref_sink (feed->encoder);
  feed->harness = gst_harness_new_with_element (feed->encoder, "sink", "src");
  feed->n_pushed = 0;
}

static void
feed_clear (Feed *feed)
{
  gst_harness_teardown (feed->harness);
  gst_object_unref (feed->encoder);
}

/* Noise with the size in the caps. */
static GstFlowReturn
feed_push (Feed *feed, gint width, gint height)
{
  guint size = (guint) (width * height * 3 / 2), i;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  g_autoptr (GRand) random = g_rand_new_with_seed (feed->n_pushed);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (i = 0; i < size; i++)
    map.data[i] = (guint8) (128 + (g_rand_int (random) & 31));
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) =
      gst_util_uint64_scale (feed->n_pushed, GST_SECOND, 24);
  GST_BUFFER_DURATION (buffer) = GST_SECOND / 24;
  feed->n_pushed++;

  return gst_harness_push (feed->harness, buffer);
}

static GArray *
feed_pull (Feed *feed)
{
  GArray *frames = svc_layer_frames_new ();
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (feed->harness)) != NULL) {
    svc_take_layer_frame (frames, buffer);
    gst_buffer_unref (buffer);
  }

  return frames;
}

static gboolean
is_key (GArray *frames, guint i)
{
  return !g_array_index (frames, LayerFrame, i).delta;
}

GST_START_TEST (force_key_unit_makes_a_key_picture)
{
  g_autoptr (GArray) frames = NULL;
  Feed feed;
  guint i;

  feed_init (&feed, "scalability-mode=L2T3 keyframe-max-dist=0");
  feed_set_caps (&feed, WIDTH, HEIGHT);
  for (i = 0; i < 20; i++) {
    /* Not at a picture of temporal layer 0. */
    if (i == 7)
      fail_unless (gst_harness_push_upstream_event (feed.harness,
          gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE,
              FALSE, 1)));
    fail_unless_equals_int (feed_push (&feed, WIDTH, HEIGHT), GST_FLOW_OK);
  }
  frames = feed_pull (&feed);
  fail_unless_equals_int (frames->len, 40);
  for (i = 0; i < 20; i++)
    fail_unless_equals_int (is_key (frames, 2 * i), i == 0 || i == 7);
  fail_unless_equals_int (g_array_index (frames, LayerFrame, 14).temporal_id,
      0);
  g_array_unref (svc_decode_both (frames, NULL, NULL));
  feed_clear (&feed);
}

GST_END_TEST;

static gsize
sum_bytes (GArray *frames, guint klass)
{
  gsize bytes = 0;
  guint i;

  for (i = 0; i < frames->len; i++) {
    const LayerFrame *frame = &g_array_index (frames, LayerFrame, i);

    if (frame->klass == klass)
      bytes += gst_buffer_get_size (frame->buffer);
  }

  return bytes;
}

/* Pushes ten seconds; the first five are for settling. */
static void
run_at_rate (Feed *feed, gsize bytes[2])
{
  g_autoptr (GArray) frames = NULL;
  guint i;

  for (i = 0; i < 120; i++)
    fail_unless_equals_int (feed_push (feed, 64, 64), GST_FLOW_OK);
  g_array_unref (feed_pull (feed));
  for (i = 0; i < 120; i++)
    fail_unless_equals_int (feed_push (feed, 64, 64), GST_FLOW_OK);
  frames = feed_pull (feed);
  bytes[0] = sum_bytes (frames, 0);
  bytes[1] = sum_bytes (frames, 3);
}

GST_START_TEST (a_layer_takes_another_rate_while_pictures_come)
{
  gsize before[2], after[2];
  Feed feed;

  feed_init (&feed,
      "scalability-mode=L2T1 keyframe-max-dist=0 "
      "switch-distance=0 layer-bitrates=\"<60000,60000>\"");
  feed_set_caps (&feed, 64, 64);
  run_at_rate (&feed, before);
  gst_util_set_object_arg (G_OBJECT (feed.encoder), "layer-bitrates",
      "<60000,180000>");
  run_at_rate (&feed, after);
  fail_unless (after[1] > 2 * before[1],
      "%" G_GSIZE_FORMAT " to %" G_GSIZE_FORMAT, before[1], after[1]);
  fail_unless (ABS ((gdouble) after[0] / before[0] - 1) < 0.2,
      "%" G_GSIZE_FORMAT " to %" G_GSIZE_FORMAT, before[0], after[0]);
  feed_clear (&feed);
}

GST_END_TEST;

GST_START_TEST (all_layers_take_other_quantizers_while_pictures_come)
{
  gsize before[2], coarse[2], fine[2];
  Feed feed;
  guint s;

  feed_init (&feed,
      "scalability-mode=L2T1 keyframe-max-dist=0 "
      "switch-distance=0 layer-bitrates=\"<60000,60000>\"");
  feed_set_caps (&feed, 64, 64);
  run_at_rate (&feed, before);
  g_object_set (feed.encoder, "max-quantizer", 63, "min-quantizer", 63, NULL);
  run_at_rate (&feed, coarse);
  g_object_set (feed.encoder, "min-quantizer", 2, "max-quantizer", 2, NULL);
  run_at_rate (&feed, fine);
  for (s = 0; s < 2; s++)
    fail_unless (2 * coarse[s] < before[s] && fine[s] > 2 * before[s],
        "layer %u: %" G_GSIZE_FORMAT ", then %" G_GSIZE_FORMAT
        " and %" G_GSIZE_FORMAT,
        s, before[s], coarse[s], fine[s]);
  feed_clear (&feed);
}

GST_END_TEST;

GST_START_TEST (other_caps_begin_with_a_key_picture)
{
  g_autoptr (GArray) small = NULL;
  g_autoptr (GArray) large = NULL;
  g_autoptr (GArray) shown = NULL;
  Feed feed;
  guint i;

  feed_init (&feed, "scalability-mode=L3T3 layer-scaling=half");
  feed_set_caps (&feed, WIDTH, HEIGHT);
  for (i = 0; i < 6; i++)
    feed_push (&feed, WIDTH, HEIGHT);
  small = feed_pull (&feed);
  feed_set_caps (&feed, 2 * WIDTH, 2 * HEIGHT);
  for (i = 0; i < 6; i++)
    fail_unless_equals_int (feed_push (&feed, 2 * WIDTH, 2 * HEIGHT),
        GST_FLOW_OK);
  large = feed_pull (&feed);
  fail_unless_equals_int (small->len, 18);
  fail_unless_equals_int (large->len, 18);
  fail_unless (is_key (large, 0));
  shown = svc_decode_both (large, NULL, NULL);
  fail_unless_equals_int (g_array_index (shown, ShownPicture, 5).width,
      2 * WIDTH);
  feed_clear (&feed);
}

GST_END_TEST;

GST_START_TEST (nothing_is_left_behind_at_the_end_of_stream)
{
  g_autoptr (GArray) frames = NULL;
  Feed feed;

  feed_init (&feed, "scalability-mode=L3T3");
  feed_set_caps (&feed, WIDTH, HEIGHT);
  feed_push (&feed, WIDTH, HEIGHT);
  feed_push (&feed, WIDTH, HEIGHT);
  fail_unless (gst_harness_push_event (feed.harness, gst_event_new_eos ()));
  frames = feed_pull (&feed);
  fail_unless_equals_int (frames->len, 6);
  fail_unless (g_array_index (frames, LayerFrame, 5).last);
  feed_clear (&feed);
}

GST_END_TEST;

GST_START_TEST (a_flush_is_followed_by_a_key_picture)
{
  g_autoptr (GArray) frames = NULL;
  GstSegment segment;
  Feed feed;

  feed_init (&feed, "scalability-mode=L3T3");
  feed_set_caps (&feed, WIDTH, HEIGHT);
  feed_push (&feed, WIDTH, HEIGHT);
  feed_push (&feed, WIDTH, HEIGHT);
  fail_unless (
      gst_harness_push_event (feed.harness, gst_event_new_flush_start ()));
  fail_unless (
      gst_harness_push_event (feed.harness, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (
      gst_harness_push_event (feed.harness, gst_event_new_segment (&segment)));
  g_array_unref (feed_pull (&feed));
  fail_unless_equals_int (feed_push (&feed, WIDTH, HEIGHT), GST_FLOW_OK);
  frames = feed_pull (&feed);
  fail_unless_equals_int (frames->len, 3);
  fail_unless (is_key (frames, 0));
  feed_clear (&feed);
}

GST_END_TEST;

GST_START_TEST (latency_is_none)
{
  Feed feed;

  feed_init (&feed, "");
  feed_set_caps (&feed, WIDTH, HEIGHT);
  feed_push (&feed, WIDTH, HEIGHT);
  fail_unless_equals_uint64 (gst_harness_query_latency (feed.harness), 0);
  feed_clear (&feed);
}

GST_END_TEST;

GST_START_TEST (three_cycles_encode_the_same)
{
  g_autoptr (GstElement) pipeline = gst_parse_launch (SOURCE
      "vp9svcenc cpu-used=9 threads=1 ! appsink name=sink sync=false",
      NULL);
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  guint cycle, n;

  for (cycle = 0; cycle < 3; cycle++) {
    GstSample *sample;

    n = 0;
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
      if (n++ == 0)
        fail_if (GST_BUFFER_FLAG_IS_SET (gst_sample_get_buffer (sample),
            GST_BUFFER_FLAG_DELTA_UNIT));
      gst_sample_unref (sample);
    }
    fail_unless_equals_int (n, 3 * N_PICTURES);
    gst_element_set_state (pipeline, GST_STATE_NULL);
  }
}

GST_END_TEST;

/* Settings, caps, and the expected text of the error. */
typedef struct
{
  const gchar *settings;
  const gchar *caps;
  const gchar *cause;
} BadInput;

#define GOOD_CAPS "video/x-raw,format=I420,width=128,height=96,framerate=24/1"

static const BadInput bad_inputs[] = {
  { "", "video/x-raw,format=I420,framerate=24/1", "width and height" },
  { "layer-scaling=half",
      "video/x-raw,format=I420,width=48,height=48,"
      "framerate=24/1",
      "12x12" },
  { "layer-bitrates=\"<10000,20000>\"", GOOD_CAPS, "L3T3 has 9 layers" },
  { "scalability-mode=L1T2 layer-bitrates=\"<10000,0>\"", GOOD_CAPS,
      "rate 2 is 0" },
  { "scalability-mode=L1T2 layer-bitrates=\"<2000000000,2000000000>\"",
      GOOD_CAPS, "4000000000" },
  { "min-quantizer=40 max-quantizer=20", GOOD_CAPS, "min-quantizer 40" },
};

GST_START_TEST (bad_input_is_an_error_that_names_the_cause)
{
  const BadInput *bad = &bad_inputs[__i__];
  g_autofree gchar *launch =
      g_strdup_printf ("appsrc name=src format=time "
                       "caps=\"%s\" ! vp9svcenc %s ! fakesink",
          bad->caps, bad->settings);
  g_autoptr (GstElement) pipeline = gst_parse_launch (launch, NULL);
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "src");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_app_src_push_buffer (GST_APP_SRC (source),
      gst_buffer_new_allocate (NULL, WIDTH * HEIGHT * 3 / 2, NULL));
  message =
      gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND, GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "no error for %s", launch);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, bad->cause) != NULL, "%s",
      error->message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

GST_END_TEST;

GST_START_TEST (an_impossible_mode_is_refused)
{
  g_autoptr (GError) error = NULL;
  GstElement *encoder =
      gst_parse_launch ("vp9svcenc scalability-mode=L4T1", &error);

  gst_clear_object (&encoder);
  fail_unless (error != NULL);
  fail_unless (strstr (error->message, "L4T1") != NULL, "%s", error->message);
}

GST_END_TEST;

static Suite *
vp9svcenc_live_suite (void)
{
  Suite *s = suite_create ("vp9svcenc-live");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, force_key_unit_makes_a_key_picture);
  tcase_add_test (tc, a_layer_takes_another_rate_while_pictures_come);
  tcase_add_test (tc, all_layers_take_other_quantizers_while_pictures_come);
  tcase_add_test (tc, other_caps_begin_with_a_key_picture);
  tcase_add_test (tc, nothing_is_left_behind_at_the_end_of_stream);
  tcase_add_test (tc, a_flush_is_followed_by_a_key_picture);
  tcase_add_test (tc, latency_is_none);
  tcase_add_test (tc, three_cycles_encode_the_same);
  tcase_add_loop_test (tc, bad_input_is_an_error_that_names_the_cause, 0,
      G_N_ELEMENTS (bad_inputs));
  tcase_add_test (tc, an_impossible_mode_is_refused);

  return s;
}

GST_CHECK_MAIN (vp9svcenc_live);
