/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compares the output of vp9svcenc with a separate parser of the frame
 * headers and with the decoders, and its rates with vp9enc.
 */
#include <gst/app/app.h>
#include <gst/base/base.h>
#include <gst/check/gstcheck.h>

#include "svc-tools.h"

#include "support/test-slow.h"

#define WIDTH 128
#define HEIGHT 96
#define N_PICTURES 40
#define KEY_DISTANCE 24
#define SWITCH_DISTANCE 8

/* Moves, so that no two pictures are equal. */
#define PATTERN "pattern=zone-plate kx2=20 ky2=20 kt=3"
#define SOURCE                                 \
  "videotestsrc num-buffers=40 " PATTERN " ! " \
  "video/x-raw,width=128,height=96,framerate=24/1 ! "

static const gchar *const modes[] = {
  "L1T1",
  "L1T2",
  "L1T3",
  "L2T1",
  "L2T2",
  "L2T3",
  "L3T1",
  "L3T2",
  "L3T3",
};

static const gchar *const scalings[] = { "none", "half" };

typedef struct
{
  guint n_spatial;
  guint n_temporal;
  gboolean halved;
} Layers;

static Layers
get_layers (guint index)
{
  const gchar *mode = modes[index / 2];
  Layers layers = { (guint) (mode[1] - '0'), (guint) (mode[3] - '0'),
    index % 2 == 1 };

  return layers;
}

static GArray *
encode_mode (guint index, GstCaps **caps)
{
  g_autofree gchar *description = g_strdup_printf (SOURCE
      "vp9svcenc scalability-mode=%s layer-scaling=%s keyframe-max-dist=%d "
      "switch-distance=%d cpu-used=9 target-bitrate=300000 threads=1 ! "
      "appsink name=sink sync=false",
      modes[index / 2], scalings[index % 2], KEY_DISTANCE, SWITCH_DISTANCE);

  return svc_encode (description, caps);
}

/* Temporal layer by the number of pictures since the last key picture. */
static guint
expected_temporal_id (const Layers *layers, guint position)
{
  if (layers->n_temporal == 1)
    return 0;
  if (layers->n_temporal == 2)
    return position % 2;

  return position % 2 == 1 ? 2 : position % 4 / 2;
}

static void
check_layer_frame (const Layers *layers, const LayerFrame *frame, guint picture,
    guint spatial_id)
{
  guint position = picture % KEY_DISTANCE;
  guint temporal_id = expected_temporal_id (layers, position);
  gboolean key = position == 0;
  gboolean layer_switch = position % SWITCH_DISTANCE == 0;
  gboolean alone = key || (layer_switch && spatial_id > 0);

  fail_unless_equals_uint64 (frame->pts,
      gst_util_uint64_scale (picture, GST_SECOND, 24));
  fail_unless_equals_int (frame->spatial_id, spatial_id);
  fail_unless_equals_int (frame->temporal_id, temporal_id);
  fail_unless_equals_int (frame->inter_layer, spatial_id > 0);
  fail_unless_equals_int (frame->inter_picture, !alone);
  fail_unless_equals_int (frame->klass, 3 * spatial_id + temporal_id);
  fail_unless_equals_int (frame->switch_point, temporal_id > 0 || alone);
  fail_unless_equals_int (frame->delta, !key || spatial_id > 0);
  fail_unless_equals_int (frame->last, spatial_id + 1 == layers->n_spatial);
}

GST_START_TEST (each_mode_has_its_layers_and_switch_points)
{
  const Layers layers = get_layers (__i__);
  GstCaps *caps = NULL;
  g_autoptr (GArray) frames = encode_mode (__i__, &caps);
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  guint i;

  fail_unless (gst_structure_has_name (structure, "video/x-vp9-svc"));
  fail_unless_equals_string (gst_structure_get_string (structure,
                                 "scalability-mode"),
      modes[__i__ / 2]);
  fail_unless_equals_string (gst_structure_get_string (structure,
                                 "layer-scaling"),
      scalings[__i__ % 2]);
  fail_unless_equals_int (frames->len, N_PICTURES * layers.n_spatial);
  for (i = 0; i < frames->len; i++)
    check_layer_frame (&layers, &g_array_index (frames, LayerFrame, i),
        i / layers.n_spatial, i % layers.n_spatial);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* The layer frame in a buffer of the decoder. */
typedef struct
{
  gint picture;
  guint spatial_id;
  guint temporal_id;
} Kept;

/* Reads the uncompressed header of a frame, VP9 bitstream specification 6.2. */
typedef struct
{
  gboolean key;
  gboolean shown;
  gboolean error_resilient;
  guint refresh;
  guint references[3];
} FrameHeader;

static guint
read_bits (GstBitReader *reader, guint n)
{
  return gst_bit_reader_get_bits_uint32_unchecked (reader, n);
}

static FrameHeader
read_header (GstBuffer *buffer)
{
  FrameHeader header = { 0 };
  GstBitReader reader;
  GstMapInfo map;
  guint i;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless (map.size >= 8);
  gst_bit_reader_init (&reader, map.data, (guint) map.size);
  fail_unless_equals_int (read_bits (&reader, 2), 2); /* frame_marker */
  fail_unless_equals_int (read_bits (&reader, 2), 0); /* profile */
  fail_unless_equals_int (read_bits (&reader, 1), 0); /* show_existing */
  header.key = read_bits (&reader, 1) == 0;
  header.shown = read_bits (&reader, 1);
  header.error_resilient = read_bits (&reader, 1);
  if (header.key) {
    header.refresh = 0xff;
  } else {
    if (!header.shown)
      fail_unless_equals_int (read_bits (&reader, 1), 0); /* intra_only */
    header.refresh = read_bits (&reader, 8);
    for (i = 0; i < 3; i++) {
      header.references[i] = read_bits (&reader, 3);
      read_bits (&reader, 1);
    }
  }
  gst_buffer_unmap (buffer, &map);

  return header;
}

/* A frame may refer only to buffers that a receiver of its own layer has: in
 * the same picture the layer below; in an earlier picture its own spatial
 * layer, of a lower temporal layer or, for layer 0, of that layer; and to
 * nothing earlier at a switch point of a spatial layer. */
static void
check_reference (const LayerFrame *frame, gint picture, const Kept *kept)
{
  if (kept->picture == picture) {
    fail_unless_equals_int (kept->spatial_id + 1, frame->spatial_id);
    return;
  }
  fail_unless (frame->inter_picture);
  fail_unless_equals_int (kept->spatial_id, frame->spatial_id);
  if (frame->temporal_id > 0)
    fail_unless (kept->temporal_id < frame->temporal_id);
  else
    fail_unless_equals_int (kept->temporal_id, 0);
}

GST_START_TEST (frames_refer_only_to_what_their_layer_has)
{
  const Layers layers = get_layers (__i__);
  g_autoptr (GArray) frames = encode_mode (__i__, NULL);
  Kept kept[8] = { { 0 } };
  guint i, r;

  for (i = 0; i < frames->len; i++) {
    const LayerFrame *frame = &g_array_index (frames, LayerFrame, i);
    const FrameHeader header = read_header (frame->buffer);
    const Kept now = { (gint) (i / layers.n_spatial), frame->spatial_id,
      frame->temporal_id };

    fail_unless (header.shown);
    fail_unless (header.error_resilient);
    fail_unless_equals_int (header.key,
        !frame->inter_picture && frame->spatial_id == 0);
    for (r = 0; r < 3 && !header.key; r++)
      check_reference (frame, now.picture, &kept[header.references[r]]);
    for (r = 0; r < 8; r++) {
      if (header.refresh >> r & 1)
        kept[r] = now;
    }
  }
}

GST_END_TEST;

typedef struct
{
  guint spatial_id;
  guint temporal_id;
} Top;

static gboolean
is_up_to (const LayerFrame *frame, gpointer user_data)
{
  const Top *top = user_data;

  return frame->spatial_id <= top->spatial_id
      && frame->temporal_id <= top->temporal_id;
}

static gboolean
is_up_to_class (const LayerFrame *frame, gpointer user_data)
{
  return frame->klass <= GPOINTER_TO_UINT (user_data);
}

static void
check_subset (GArray *frames, const Layers *layers, Top top)
{
  g_autoptr (GArray) shown = svc_decode_both (frames, is_up_to, &top);
  guint shift = layers->halved ? layers->n_spatial - 1 - top.spatial_id : 0;
  guint every = 1u << (layers->n_temporal - 1 - top.temporal_id);
  guint i;

  fail_unless_equals_int (shown->len, N_PICTURES / every);
  for (i = 0; i < shown->len; i++) {
    const ShownPicture *picture = &g_array_index (shown, ShownPicture, i);

    fail_unless_equals_int (picture->width, WIDTH >> shift);
    fail_unless_equals_int (picture->height, HEIGHT >> shift);
    fail_unless_equals_uint64 (picture->pts,
        gst_util_uint64_scale (i * every, GST_SECOND, 24));
  }
}

GST_START_TEST (every_subset_decodes_as_offline)
{
  const Layers layers = get_layers (__i__);
  g_autoptr (GArray) frames = encode_mode (__i__, NULL);
  guint klass;
  Top top;

  for (top.spatial_id = 0; top.spatial_id < layers.n_spatial; top.spatial_id++)
    for (top.temporal_id = 0; top.temporal_id < layers.n_temporal;
         top.temporal_id++)
      check_subset (frames, &layers, top);
  /* Combinations of layers that change between pictures. */
  for (klass = 3; klass < 3 * layers.n_spatial; klass++) {
    if (klass % 3 + 1 < layers.n_temporal)
      g_array_unref (
          svc_decode_both (frames, is_up_to_class, GUINT_TO_POINTER (klass)));
  }
}

GST_END_TEST;

/* A receiver with the base layer from the first picture on and the others
 * from a later time on. */
static gboolean
joins_later (const LayerFrame *frame, gpointer user_data)
{
  return frame->klass == 0 || frame->pts >= *(GstClockTime *) user_data;
}

static const ShownPicture *
find_picture (GArray *shown, GstClockTime pts)
{
  guint i;

  for (i = 0; i < shown->len; i++) {
    if (g_array_index (shown, ShownPicture, i).pts == pts)
      return &g_array_index (shown, ShownPicture, i);
  }
  fail ("no picture of %" GST_TIME_FORMAT, GST_TIME_ARGS (pts));

  return NULL;
}

GST_START_TEST (all_layers_can_be_joined_at_a_switch_point)
{
  GstClockTime join = gst_util_uint64_scale (SWITCH_DISTANCE, GST_SECOND, 24);
  g_autoptr (GArray) frames = encode_mode (__i__, NULL);
  g_autoptr (GArray) full = svc_decode_both (frames, NULL, NULL);
  g_autoptr (GArray) joined = svc_decode_both (frames, joins_later, &join);
  guint i;

  for (i = 0; i < joined->len; i++) {
    const ShownPicture *picture = &g_array_index (joined, ShownPicture, i);

    if (picture->pts >= join)
      fail_unless_equals_string (picture->checksum,
          find_picture (full, picture->pts)->checksum);
  }
}

GST_END_TEST;

GST_START_TEST (whole_pictures_are_superframes_for_other_elements)
{
  g_autofree gchar *description = g_strdup_printf (SOURCE
      "vp9svcenc scalability-mode=%s layer-scaling=%s cpu-used=9 threads=1 ! "
      "video/x-vp9 ! vp9dec ! appsink name=sink sync=false",
      modes[__i__ / 2], scalings[__i__ % 2]);
  g_autoptr (GstElement) pipeline = gst_parse_launch (description, NULL);
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstSample *sample;
  guint n = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
    gint width = 0;

    gst_structure_get_int (gst_caps_get_structure (gst_sample_get_caps (sample),
                               0),
        "width", &width);
    fail_unless_equals_int (width, WIDTH);
    gst_sample_unref (sample);
    n++;
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (n, N_PICTURES);
}

GST_END_TEST;

#define RATE_SOURCE                             \
  "videotestsrc num-buffers=240 " PATTERN " ! " \
  "video/x-raw,width=160,height=96,framerate=24/1 ! "
#define RATE_SECONDS 10

/* A shorter run measures a rate less precisely: libvpx may be a second ahead
 * of it. */
static gdouble
measure_vp9enc_deviation (guint rate)
{
  g_autofree gchar *description = g_strdup_printf (RATE_SOURCE
      "vp9enc target-bitrate=%u end-usage=cbr deadline=1 cpu-used=9 "
      "lag-in-frames=0 keyframe-max-dist=48 threads=1 buffer-size=1000 "
      "buffer-initial-size=500 buffer-optimal-size=600 ! "
      "appsink name=sink sync=false",
      rate);
  g_autoptr (GstElement) pipeline = gst_parse_launch (description, NULL);
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstSample *sample;
  gsize bytes = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
    bytes += gst_buffer_get_size (gst_sample_get_buffer (sample));
    gst_sample_unref (sample);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);

  return ABS (bytes * 8.0 / RATE_SECONDS / rate - 1);
}

/* All frames of one spatial layer. */
static gdouble
measure_spatial (GArray *frames, guint spatial_id)
{
  gsize bytes = 0;
  guint i;

  for (i = 0; i < frames->len; i++) {
    const LayerFrame *frame = &g_array_index (frames, LayerFrame, i);

    if (frame->spatial_id == spatial_id)
      bytes += gst_buffer_get_size (frame->buffer);
  }

  return bytes * 8.0 / RATE_SECONDS;
}

/* Each spatial layer is a constant-rate stream for libvpx, like the single
 * one of vp9enc: it may miss its rate by the same amount, plus five per cent
 * because the measurement is short. */
GST_START_TEST (layers_have_the_rates_that_were_asked_for)
{
  static const guint rates[] = { 120000, 180000, 240000 };
  g_autoptr (GArray) frames = svc_encode (RATE_SOURCE
      "vp9svcenc scalability-mode=L3T3 keyframe-max-dist=48 switch-distance=0 "
      "cpu-used=9 threads=1 layer-bitrates=\"<60000,20000,40000,90000,30000,"
      "60000,120000,40000,80000>\" ! appsink name=sink sync=false",
      NULL);
  guint s;

  for (s = 0; s < 3; s++) {
    gdouble rate = measure_spatial (frames, s);
    gdouble tolerance = measure_vp9enc_deviation (rates[s]) + 0.05;

    fail_unless (ABS (rate / rates[s] - 1) <= tolerance,
        "layer %u: %.0f bit/s for %u, tolerance %.3f", s, rate, rates[s],
        tolerance);
  }
}

GST_END_TEST;

static Suite *
vp9svcenc_suite (void)
{
  Suite *s = suite_create ("vp9svcenc");
  TCase *tc = tcase_create ("general");
  const gint n = 2 * G_N_ELEMENTS (modes);
  /* Three spatial layers. */
  const gint first = test_is_slow () ? n - 6 : 0;

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, each_mode_has_its_layers_and_switch_points, 0, n);
  tcase_add_loop_test (tc, frames_refer_only_to_what_their_layer_has, first, n);
  tcase_add_loop_test (tc, every_subset_decodes_as_offline, first, n);
  tcase_add_loop_test (tc, all_layers_can_be_joined_at_a_switch_point, first,
      n);
  tcase_add_loop_test (tc, whole_pictures_are_superframes_for_other_elements,
      first, n);
  tcase_add_test (tc, layers_have_the_rates_that_were_asked_for);

  return s;
}

GST_CHECK_MAIN (vp9svcenc);
