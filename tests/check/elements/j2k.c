/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the JPEG 2000 elements: the encoder's layers and rates, payloader,
 * depayloader, and the decoding of each level.
 */
#include <gst/app/gstappsink.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/rtp/rtp.h>
#include <gst/video/video.h>
#include <openjpeg.h>
#include <string.h>

#define WIDTH 320
#define HEIGHT 180
#define RATE 25
#define N_PICTURES 8
#define N_LAYERS 4

#define RAW "video/x-raw,format=I420,width=320,height=180,framerate=25/1"
#define RTP                                         \
  "application/x-rtp,media=video,clock-rate=90000," \
  "encoding-name=JPEG2000,payload=96"
/* Moves, so that no two pictures are equal. */
#define SOURCE                                                   \
  "videotestsrc num-buffers=8 pattern=zone-plate kx2=20 ky2=20 " \
  "kt=3 ! " RAW " ! "
#define ENCODER "j2klayerenc bitrates=\"<300000,600000,1200000,2400000>\" "

static const guint bitrates[N_LAYERS] = { 300, 600, 1200, 2400 };

/* RFC 5371 section 4.2. */
#define PRIORITY_AT 1

/* Runs a pipeline to its end; returns the buffers of its appsink. */
static GPtrArray *
run_pipeline (const gchar *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *all =
      g_strconcat (text, " ! appsink name=sink sync=false", NULL);
  g_autoptr (GstElement) pipeline = gst_parse_launch (all, &error);
  g_autoptr (GstElement) sink = NULL;
  GPtrArray *buffers =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  GstSample *sample;

  g_assert_no_error (error);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
    g_ptr_array_add (buffers, gst_buffer_ref (gst_sample_get_buffer (sample)));
    gst_sample_unref (sample);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);

  return buffers;
}

/* The reference: libopenjp2, which can skip layers itself. */

typedef struct
{
  const guint8 *data;
  gsize size;
  gsize at;
} Input;

static OPJ_SIZE_T
read_input (void *to, OPJ_SIZE_T size, void *user_data)
{
  Input *input = user_data;
  gsize n = MIN (size, input->size - input->at);

  if (n == 0)
    return (OPJ_SIZE_T) -1;
  memcpy (to, input->data + input->at, n);
  input->at += n;

  return n;
}

/* I420 without padding. */
static GBytes *
decode_layers (GstBuffer *buffer, guint n_layers)
{
  opj_dparameters_t parameters;
  opj_codec_t *codec = opj_create_decompress (OPJ_CODEC_J2K);
  opj_stream_t *stream = opj_stream_create (65536, OPJ_TRUE);
  GByteArray *samples = g_byte_array_new ();
  opj_image_t *image = NULL;
  GstMapInfo map;
  Input input;
  guint i, j;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  input = (Input){ map.data, map.size, 0 };
  opj_set_default_decoder_parameters (&parameters);
  parameters.cp_layer = n_layers;
  opj_stream_set_read_function (stream, read_input);
  opj_stream_set_user_data (stream, &input, NULL);
  opj_stream_set_user_data_length (stream, map.size);
  fail_unless (opj_setup_decoder (codec, &parameters));
  fail_unless (opj_read_header (stream, codec, &image));
  fail_unless (opj_decode (codec, stream, image));
  for (i = 0; i < image->numcomps; i++) {
    for (j = 0; j < image->comps[i].w * image->comps[i].h; j++) {
      guint8 sample = (guint8) CLAMP (image->comps[i].data[j], 0, 255);

      g_byte_array_append (samples, &sample, 1);
    }
  }
  opj_image_destroy (image);
  opj_stream_destroy (stream);
  opj_destroy_codec (codec);
  gst_buffer_unmap (buffer, &map);

  return g_byte_array_free_to_bytes (samples);
}

static gboolean
is_picture (GstBuffer *buffer, GBytes *wanted)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (wanted, &size);

  return gst_buffer_get_size (buffer) == size
      && gst_buffer_memcmp (buffer, 0, data, size) == 0;
}

static guint
get_priority (GstBuffer *packet)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint priority;

  fail_unless (gst_rtp_buffer_map (packet, GST_MAP_READ, &rtp));
  fail_unless (gst_rtp_buffer_get_payload_len (&rtp) > 8);
  priority = ((guint8 *) gst_rtp_buffer_get_payload (&rtp))[PRIORITY_AT];
  gst_rtp_buffer_unmap (&rtp);

  return priority;
}

/* As in lmccsrc: the last packet of each unit has the marker. */
static GstBuffer *
set_marker (GstBuffer *packet, gboolean marker)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBuffer *copy = gst_buffer_copy_deep (packet);

  fail_unless (gst_rtp_buffer_map (copy, GST_MAP_READWRITE, &rtp));
  gst_rtp_buffer_set_marker (&rtp, marker);
  gst_rtp_buffer_unmap (&rtp);

  return copy;
}

static GstHarness *
open_receiver (void)
{
  GstHarness *h =
      gst_harness_new_parse ("rtpj2klayerdepay name=depay ! openjpegdec");

  gst_harness_set_src_caps_str (h, RTP);

  return h;
}

GST_START_TEST (every_layer_stays_below_its_rate_and_near_it)
{
  g_autoptr (GPtrArray) packets =
      run_pipeline (SOURCE ENCODER "! rtpj2klayerpay");
  gsize sizes[N_LAYERS + 1] = { 0 };
  guint i, priority;

  for (i = 0; i < packets->len; i++) {
    GstBuffer *packet = g_ptr_array_index (packets, i);

    priority = get_priority (packet);
    fail_unless (priority <= N_LAYERS);
    fail_unless (gst_buffer_get_size (packet) <= 1400);
    /* 12 bytes of RTP header, 8 of the payload header. */
    sizes[MAX (priority, 1) - 1] += gst_buffer_get_size (packet) - 20;
  }
  for (i = 0; i < N_LAYERS; i++) {
    gdouble rate;

    if (i > 0)
      sizes[i] += sizes[i - 1];
    rate = sizes[i] * 8.0 * RATE / N_PICTURES / 1000;
    GST_INFO ("layer %u: %.0f of %u kbit/s", i, rate, bitrates[i]);
    fail_unless (rate <= bitrates[i], "%f", rate);
    fail_unless (rate >= 0.9 * bitrates[i], "%f", rate);
  }
}

GST_END_TEST;

static void
check_level (GPtrArray *pictures, GPtrArray *packets, guint level)
{
  GstHarness *h = open_receiver ();
  guint i, n = 0;
  gsize size = 0;

  for (i = 0; i < packets->len; i++) {
    GstBuffer *packet = g_ptr_array_index (packets, i);
    guint priority = get_priority (packet);
    gboolean last = i + 1 == packets->len
        || get_priority (g_ptr_array_index (packets, i + 1)) != priority;

    if (priority <= level)
      gst_harness_push (h, set_marker (packet, last && priority > 0));
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  while (gst_harness_buffers_in_queue (h) > 0) {
    g_autoptr (GstBuffer) got = gst_harness_pull (h);
    GstBuffer *picture = g_ptr_array_index (pictures, n);
    g_autoptr (GBytes) wanted = decode_layers (picture, level);

    fail_unless (is_picture (got, wanted), "level %u, picture %u", level, n);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (got), GST_BUFFER_PTS (picture));
    size += g_bytes_get_size (wanted);
    n++;
  }
  fail_unless_equals_int (n, N_PICTURES);
  fail_unless_equals_uint64 (size,
      (guint64) N_PICTURES * WIDTH * HEIGHT * 3 / 2);
  gst_harness_teardown (h);
}

GST_START_TEST (each_level_decodes_as_a_decoder_that_leaves_layers_out)
{
  g_autoptr (GPtrArray) pictures = run_pipeline (SOURCE ENCODER);
  g_autoptr (GPtrArray) packets =
      run_pipeline (SOURCE ENCODER "! rtpj2klayerpay");
  guint level;

  fail_unless_equals_int (pictures->len, N_PICTURES);
  for (level = 1; level <= N_LAYERS; level++)
    check_level (pictures, packets, level);
}

GST_END_TEST;

/* The level and picture that a decoded picture equals, or 0. */
static guint
find_level (GBytes *references[N_LAYERS], GstBuffer *got)
{
  guint level;

  for (level = N_LAYERS; level > 0; level--) {
    if (is_picture (got, references[level - 1]))
      return level;
  }

  return 0;
}

GST_START_TEST (with_random_loss_every_picture_is_one_of_whole_layers)
{
  const gdouble losses[] = { 0.02, 0.1, 0.3 };
  g_autoptr (GPtrArray) pictures = run_pipeline (SOURCE ENCODER);
  g_autoptr (GPtrArray) packets =
      run_pipeline (SOURCE ENCODER "! rtpj2klayerpay");
  GBytes *references[N_PICTURES][N_LAYERS];
  guint seen[N_LAYERS + 1] = { 0 };
  guint i, j, loss, round;

  for (i = 0; i < N_PICTURES; i++) {
    for (j = 0; j < N_LAYERS; j++)
      references[i][j] = decode_layers (g_ptr_array_index (pictures, i), j + 1);
  }
  for (loss = 0; loss < G_N_ELEMENTS (losses); loss++) {
    for (round = 0; round < 4; round++) {
      g_autoptr (GRand) random = g_rand_new_with_seed (loss * 100 + round);
      GstHarness *h = open_receiver ();

      for (i = 0; i < packets->len; i++) {
        if (g_rand_double (random) >= losses[loss])
          fail_unless_equals_int (gst_harness_push (h,
                                      gst_buffer_ref (
                                          g_ptr_array_index (packets, i))),
              GST_FLOW_OK);
      }
      gst_harness_push_event (h, gst_event_new_eos ());
      while (gst_harness_buffers_in_queue (h) > 0) {
        g_autoptr (GstBuffer) got = gst_harness_pull (h);
        guint picture = (guint) (GST_BUFFER_PTS (got) * RATE / GST_SECOND);
        guint level;

        fail_unless (picture < N_PICTURES);
        level = find_level (references[picture], got);
        fail_unless (level > 0, "picture %u is of no whole layers", picture);
        seen[level]++;
      }
      gst_harness_teardown (h);
    }
  }
  for (i = 1; i <= N_LAYERS; i++)
    fail_unless (seen[i] > 0, "no picture of %u layers", i);
  for (i = 0; i < N_PICTURES; i++) {
    for (j = 0; j < N_LAYERS; j++)
      g_bytes_unref (references[i][j]);
  }
}

GST_END_TEST;

GST_START_TEST (waiting_for_the_next_picture_is_in_the_latency)
{
  g_autoptr (GPtrArray) packets =
      run_pipeline (SOURCE ENCODER "! rtpj2klayerpay");
  GstHarness *h = open_receiver ();
  guint i;

  fail_unless_equals_uint64 (gst_harness_query_latency (h), 0);
  for (i = 0; i < packets->len; i++) {
    GstBuffer *packet = g_ptr_array_index (packets, i);

    if (get_priority (packet) <= 2)
      gst_harness_push (h, set_marker (packet, FALSE));
  }
  fail_unless_equals_uint64 (gst_harness_query_latency (h), GST_SECOND / RATE);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Pixels of the output of these elements. */
static GPtrArray *
decode_through (const gchar *elements)
{
  g_autofree gchar *text =
      g_strconcat (SOURCE, ENCODER, elements, " ! openjpegdec", NULL);

  return run_pipeline (text);
}

GST_START_TEST (whole_pictures_pass_the_stock_elements_too)
{
  const gchar *const ways[] = {
    "! rtpj2klayerpay ! rtpj2klayerdepay",
    "! rtpj2klayerpay mtu=200 ! rtpj2klayerdepay",
    "! rtpj2klayerpay ! rtpj2kdepay ! jpeg2000parse",
    "! rtpj2kpay ! rtpj2klayerdepay",
  };
  g_autoptr (GPtrArray) direct = decode_through ("");
  guint i, j;

  fail_unless_equals_int (direct->len, N_PICTURES);
  for (i = 0; i < G_N_ELEMENTS (ways); i++) {
    g_autoptr (GPtrArray) pictures = decode_through (ways[i]);

    fail_unless_equals_int (pictures->len, N_PICTURES);
    for (j = 0; j < N_PICTURES; j++) {
      GstMapInfo map;

      gst_buffer_map (g_ptr_array_index (direct, j), &map, GST_MAP_READ);
      fail_unless (gst_buffer_memcmp (g_ptr_array_index (pictures, j), 0,
                       map.data, map.size)
              == 0,
          "%s, picture %u", ways[i], j);
      gst_buffer_unmap (g_ptr_array_index (direct, j), &map);
    }
  }
}

GST_END_TEST;

/* openjpegenc writes no SOP markers. */
GST_START_TEST (codestream_that_cannot_be_cut_comes_whole_or_not_at_all)
{
  g_autoptr (GPtrArray) packets =
      run_pipeline (SOURCE "openjpegenc ! rtpj2klayerpay");
  GstHarness *h = open_receiver ();
  guint i;

  for (i = 0; i < packets->len; i++) {
    GstBuffer *packet = g_ptr_array_index (packets, i);

    fail_unless_equals_int (get_priority (packet), 255);
    /* Of the first picture. */
    if (i != 3)
      gst_harness_push (h, gst_buffer_ref (packet));
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), N_PICTURES - 1);
  gst_harness_teardown (h);
}

GST_END_TEST;

typedef struct
{
  const gchar *pipeline;
  const gchar *cause;
} Fault;

static const Fault faults[] = {
  { "appsrc name=src caps=video/x-raw,format=I420,framerate=25/1 ! j2klayerenc",
      "no width or no height" },
  { "videotestsrc ! video/x-raw,format=I420,framerate=0/1 ! j2klayerenc",
      "no fixed frame rate" },
  { "videotestsrc ! " RAW " ! j2klayerenc bitrates=\"<1000000,500000>\"",
      "must increase" },
  { "videotestsrc ! " RAW " ! j2klayerenc bitrates=\"<1000,500000>\"",
      "headers alone need" },
  { "videotestsrc ! " RAW " ! j2klayerenc bitrates=\"<500000,900000000>\"",
      "are possible: reduce it" },
  { "videotestsrc ! " RAW " ! j2klayerenc bitrates=\"<10000,20000,30000,40000,"
    "50000,60000,70000,80000,90000,100000,110000,120000,130000,140000,"
    "150000,160000,170000>\"",
      "1 to 16 values" },
};

GST_START_TEST (impossible_settings_end_with_an_error_that_names_the_cause)
{
  const Fault *fault = &faults[__i__];
  g_autofree gchar *text = g_strconcat (fault->pipeline, " ! fakesink", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (text, &error);
  g_autoptr (GstElement) src = NULL;
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstMessage) message = NULL;

  g_assert_no_error (error);
  src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  if (src != NULL) {
    g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL, 100, NULL);
    GstFlowReturn flow;

    g_signal_emit_by_name (src, "push-buffer", buffer, &flow);
  }
  message =
      gst_bus_timed_pop_filtered (bus, 15 * GST_SECOND, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, fault->cause) != NULL, "%s",
      error->message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

GST_END_TEST;

GST_START_TEST (broken_picture_is_left_out_with_a_warning)
{
  GstHarness *h = gst_harness_new ("rtpj2klayerpay");
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstMessage) message = NULL;

  gst_element_set_bus (h->element, bus);
  gst_harness_set_src_caps_str (h, "image/x-jpc");
  fail_unless_equals_int (gst_harness_push (h,
                              gst_buffer_new_memdup ("not JPEG 2000", 13)),
      GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Not openjpegdec: that of GStreamer 1.22 cannot start a second time. */
GST_START_TEST (three_cycles_give_the_same_pictures)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (SOURCE ENCODER
      "! rtpj2klayerpay ! rtpj2klayerdepay name=depay ! jpeg2000parse ! "
      "avdec_jpeg2000 ! fakesink",
      &error);
  g_autoptr (GstElement) depay = NULL;
  g_autoptr (GstBus) bus = NULL;
  guint i;

  g_assert_no_error (error);
  depay = gst_bin_get_by_name (GST_BIN (pipeline), "depay");
  bus = gst_element_get_bus (pipeline);
  for (i = 1; i <= 3; i++) {
    g_autoptr (GstStructure) stats = NULL;
    g_autoptr (GstMessage) message = NULL;
    guint64 n = 0;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    message = gst_bus_timed_pop_filtered (bus, 15 * GST_SECOND,
        GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
    fail_unless (message != NULL, "cycle %u does not end", i);
    fail_unless_equals_string (GST_MESSAGE_TYPE_NAME (message), "eos");
    g_object_get (depay, "layer-stats", &stats, NULL);
    gst_structure_get_uint64 (stats, "pictures", &n);
    fail_unless_equals_uint64 (n, (guint64) i * N_PICTURES);
    gst_element_set_state (pipeline, GST_STATE_NULL);
  }
}

GST_END_TEST;

static Suite *
j2k_suite (void)
{
  Suite *s = suite_create ("j2k");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, every_layer_stays_below_its_rate_and_near_it);
  tcase_add_test (tc, each_level_decodes_as_a_decoder_that_leaves_layers_out);
  tcase_add_test (tc, with_random_loss_every_picture_is_one_of_whole_layers);
  tcase_add_test (tc, waiting_for_the_next_picture_is_in_the_latency);
  tcase_add_test (tc, whole_pictures_pass_the_stock_elements_too);
  tcase_add_test (tc, codestream_that_cannot_be_cut_comes_whole_or_not_at_all);
  tcase_add_loop_test (tc,
      impossible_settings_end_with_an_error_that_names_the_cause, 0,
      G_N_ELEMENTS (faults));
  tcase_add_test (tc, broken_picture_is_left_out_with_a_warning);
  tcase_add_test (tc, three_cycles_give_the_same_pictures);

  return s;
}

GST_CHECK_MAIN (j2k);
