/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What vp9svcenc makes is held against an own reading of the frames' headers,
 * against the decoders, and in its rates against vp9enc.
 */
#include <gst/app/app.h>
#include <gst/base/base.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include "svc-tools.h"

#define WIDTH 128
#define HEIGHT 96
#define N_PICTURES 40
#define KEY_DISTANCE 24
#define SWITCH_DISTANCE 8

/* Moves, so that no two pictures are equal. */
#define PATTERN "pattern=zone-plate kx2=20 ky2=20 kt=3"
#define SOURCE "videotestsrc num-buffers=40 " PATTERN " ! " \
    "video/x-raw,width=128,height=96,framerate=24/1 ! "

static const gchar *const modes[] = {
  "L1T1", "L1T2", "L1T3", "L2T1", "L2T2", "L2T3", "L3T1", "L3T2", "L3T3",
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
    index % 2 == 1
  };

  return layers;
}

static GArray *
encode_mode (guint index, GstCaps ** caps)
{
  g_autofree gchar *description = g_strdup_printf (SOURCE
      "vp9svcenc scalability-mode=%s layer-scaling=%s keyframe-max-dist=%d "
      "switch-distance=%d cpu-used=9 target-bitrate=300000 threads=1 ! "
      "appsink name=sink sync=false", modes[index / 2], scalings[index % 2],
      KEY_DISTANCE, SWITCH_DISTANCE);

  return svc_encode (description, caps);
}

/* Temporal layer of a picture so many after the last key picture. */
static guint
expected_temporal_id (const Layers * layers, guint position)
{
  if (layers->n_temporal == 1)
    return 0;
  if (layers->n_temporal == 2)
    return position % 2;

  return position % 2 == 1 ? 2 : position % 4 / 2;
}

static void
check_layer_frame (const Layers * layers, const LayerFrame * frame,
    guint picture, guint spatial_id)
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
          "scalability-mode"), modes[__i__ / 2]);
  fail_unless_equals_string (gst_structure_get_string (structure,
          "layer-scaling"), scalings[__i__ % 2]);
  fail_unless_equals_int (frames->len, N_PICTURES * layers.n_spatial);
  for (i = 0; i < frames->len; i++)
    check_layer_frame (&layers, &g_array_index (frames, LayerFrame, i),
        i / layers.n_spatial, i % layers.n_spatial);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* Which layer frame is in a buffer of the decoder. */
typedef struct
{
  gint picture;
  guint spatial_id;
  guint temporal_id;
} Kept;

/* Of the uncompressed header of a frame, VP9 bitstream specification 6.2. */
typedef struct
{
  gboolean key;
  gboolean shown;
  gboolean error_resilient;
  guint refresh;
  guint references[3];
} FrameHeader;

static guint
read_bits (GstBitReader * reader, guint n)
{
  return gst_bit_reader_get_bits_uint32_unchecked (reader, n);
}

static FrameHeader
read_header (GstBuffer * buffer)
{
  FrameHeader header = { 0 };
  GstBitReader reader;
  GstMapInfo map;
  guint i;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless (map.size >= 8);
  gst_bit_reader_init (&reader, map.data, (guint) map.size);
  fail_unless_equals_int (read_bits (&reader, 2), 2);   /* frame_marker */
  fail_unless_equals_int (read_bits (&reader, 2), 0);   /* profile */
  fail_unless_equals_int (read_bits (&reader, 1), 0);   /* show_existing */
  header.key = read_bits (&reader, 1) == 0;
  header.shown = read_bits (&reader, 1);
  header.error_resilient = read_bits (&reader, 1);
  if (header.key) {
    header.refresh = 0xff;
  } else {
    if (!header.shown)
      fail_unless_equals_int (read_bits (&reader, 1), 0);       /* intra_only */
    header.refresh = read_bits (&reader, 8);
    for (i = 0; i < 3; i++) {
      header.references[i] = read_bits (&reader, 3);
      read_bits (&reader, 1);
    }
  }
  gst_buffer_unmap (buffer, &map);

  return header;
}

/* A frame may name only buffers of what a receiver of its own layer has: of the
 * same picture the layer below; of an earlier one its own spatial layer, of a
 * temporal layer below its own or, for layer 0, that one; and nothing earlier
 * at a switch point of a spatial layer. */
static void
check_reference (const LayerFrame * frame, gint picture, const Kept * kept)
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
  Kept kept[8] = { {0} };
  guint i, r;

  for (i = 0; i < frames->len; i++) {
    const LayerFrame *frame = &g_array_index (frames, LayerFrame, i);
    const FrameHeader header = read_header (frame->buffer);
    const Kept now = { (gint) (i / layers.n_spatial), frame->spatial_id,
      frame->temporal_id
    };

    fail_unless (header.shown);
    fail_unless (header.error_resilient);
    fail_unless_equals_int (header.key, !frame->inter_picture
        && frame->spatial_id == 0);
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
is_up_to (const LayerFrame * frame, gpointer user_data)
{
  const Top *top = user_data;

  return frame->spatial_id <= top->spatial_id
      && frame->temporal_id <= top->temporal_id;
}

static gboolean
is_up_to_class (const LayerFrame * frame, gpointer user_data)
{
  return frame->klass <= GPOINTER_TO_UINT (user_data);
}

/* Returns the pictures that vp9dec shows, which are those of libvpx. */
static GArray *
decode_both (GArray * frames, SubsetFunc subset, gpointer user_data)
{
  g_autoptr (GArray) pictures = svc_make_pictures (frames, subset, user_data);
  g_autoptr (GArray) expected = svc_decode_offline (pictures);
  GArray *shown = svc_decode_stock ("vp9dec", "video/x-vp9", pictures);

  fail_unless_equals_int (shown->len, pictures->len);
  svc_assert_same_pictures (shown, expected);

  return shown;
}

static void
check_subset (GArray * frames, const Layers * layers, Top top)
{
  g_autoptr (GArray) shown = decode_both (frames, is_up_to, &top);
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
  /* Those that mix layers from picture to picture. */
  for (klass = 3; klass < 3 * layers.n_spatial; klass++) {
    if (klass % 3 + 1 < layers.n_temporal)
      g_array_unref (decode_both (frames, is_up_to_class,
              GUINT_TO_POINTER (klass)));
  }
}

GST_END_TEST;

/* Has the base from the first picture on, the rest from a time on. */
static gboolean
joins_later (const LayerFrame * frame, gpointer user_data)
{
  return frame->klass == 0 || frame->pts >= *(GstClockTime *) user_data;
}

static const ShownPicture *
find_picture (GArray * shown, GstClockTime pts)
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
  g_autoptr (GArray) full = decode_both (frames, NULL, NULL);
  g_autoptr (GArray) joined = decode_both (frames, joins_later, &join);
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
      "video/x-vp9 ! vp9dec ! appsink name=sink sync=false", modes[__i__ / 2],
      scalings[__i__ % 2]);
  g_autoptr (GstElement) pipeline = gst_parse_launch (description, NULL);
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstSample *sample;
  guint n = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
    gint width = 0;

    gst_structure_get_int (gst_caps_get_structure (gst_sample_get_caps (sample),
            0), "width", &width);
    fail_unless_equals_int (width, WIDTH);
    gst_sample_unref (sample);
    n++;
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (n, N_PICTURES);
}

GST_END_TEST;

#define RATE_SOURCE "videotestsrc num-buffers=240 " PATTERN " ! " \
    "video/x-raw,width=160,height=96,framerate=24/1 ! "
#define RATE_SECONDS 10

/* A shorter run says less of a rate: libvpx may be a second ahead of it. */
static gdouble
measure_vp9enc_deviation (guint rate)
{
  g_autofree gchar *description = g_strdup_printf (RATE_SOURCE
      "vp9enc target-bitrate=%u end-usage=cbr deadline=1 cpu-used=9 "
      "lag-in-frames=0 keyframe-max-dist=48 threads=1 buffer-size=1000 "
      "buffer-initial-size=500 buffer-optimal-size=600 ! "
      "appsink name=sink sync=false", rate);
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

/* Of all frames of one spatial layer. */
static gdouble
measure_spatial (GArray * frames, guint spatial_id)
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

/* Each spatial layer is a constant-rate stream for libvpx, as vp9enc's only one
 * is: it may miss its rate by as much as that, and five per cent for measuring
 * so short. */
GST_START_TEST (layers_have_the_rates_that_were_asked_for)
{
  static const guint rates[] = { 120000, 180000, 240000 };
  g_autoptr (GArray) frames = svc_encode (RATE_SOURCE
      "vp9svcenc scalability-mode=L3T3 keyframe-max-dist=48 switch-distance=0 "
      "cpu-used=9 threads=1 layer-bitrates=\"<60000,20000,40000,90000,30000,"
      "60000,120000,40000,80000>\" ! appsink name=sink sync=false", NULL);
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

/* A pipeline whose pictures a test pushes one by one. */
typedef struct
{
  GstElement *encoder;
  GstHarness *harness;
  guint n_pushed;
} Feed;

static void
feed_set_caps (Feed * feed, gint width, gint height)
{
  g_autofree gchar *caps = g_strdup_printf ("video/x-raw,format=I420,width=%d,"
      "height=%d,framerate=24/1", width, height);

  gst_harness_set_src_caps_str (feed->harness, caps);
}

static void
feed_init (Feed * feed, const gchar * settings)
{
  g_autofree gchar *launch = g_strdup_printf ("vp9svcenc name=enc cpu-used=9 "
      "threads=1 %s", settings);

  feed->encoder = gst_parse_launch (launch, NULL);
  gst_object_ref_sink (feed->encoder);
  feed->harness = gst_harness_new_with_element (feed->encoder, "sink", "src");
  feed->n_pushed = 0;
}

static void
feed_clear (Feed * feed)
{
  gst_harness_teardown (feed->harness);
  gst_object_unref (feed->encoder);
}

/* Noise of the size that the caps say. */
static GstFlowReturn
feed_push (Feed * feed, gint width, gint height)
{
  guint size = (guint) (width * height * 3 / 2), i;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  g_autoptr (GRand) random = g_rand_new_with_seed (feed->n_pushed);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (i = 0; i < size; i++)
    map.data[i] = (guint8) (128 + (g_rand_int (random) & 31));
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (feed->n_pushed, GST_SECOND,
      24);
  GST_BUFFER_DURATION (buffer) = GST_SECOND / 24;
  feed->n_pushed++;

  return gst_harness_push (feed->harness, buffer);
}

static GArray *
feed_pull (Feed * feed)
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
is_key (GArray * frames, guint i)
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
  g_array_unref (decode_both (frames, NULL, NULL));
  feed_clear (&feed);
}

GST_END_TEST;

static gsize
sum_bytes (GArray * frames, guint klass)
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

/* Pushes ten seconds; the first five are to settle in. */
static void
run_at_rate (Feed * feed, gsize bytes[2])
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

  feed_init (&feed, "scalability-mode=L2T1 keyframe-max-dist=0 "
      "switch-distance=0 layer-bitrates=\"<60000,60000>\"");
  feed_set_caps (&feed, 64, 64);
  run_at_rate (&feed, before);
  gst_util_set_object_arg (G_OBJECT (feed.encoder), "layer-bitrates",
      "<60000,180000>");
  run_at_rate (&feed, after);
  fail_unless (after[1] > 2 * before[1], "%" G_GSIZE_FORMAT " to %"
      G_GSIZE_FORMAT, before[1], after[1]);
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

  feed_init (&feed, "scalability-mode=L2T1 keyframe-max-dist=0 "
      "switch-distance=0 layer-bitrates=\"<60000,60000>\"");
  feed_set_caps (&feed, 64, 64);
  run_at_rate (&feed, before);
  g_object_set (feed.encoder, "max-quantizer", 63, "min-quantizer", 63, NULL);
  run_at_rate (&feed, coarse);
  g_object_set (feed.encoder, "min-quantizer", 2, "max-quantizer", 2, NULL);
  run_at_rate (&feed, fine);
  for (s = 0; s < 2; s++)
    fail_unless (2 * coarse[s] < before[s] && fine[s] > 2 * before[s],
        "layer %u: %" G_GSIZE_FORMAT ", then %" G_GSIZE_FORMAT " and %"
        G_GSIZE_FORMAT, s, before[s], coarse[s], fine[s]);
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
  shown = decode_both (large, NULL, NULL);
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
  fail_unless (gst_harness_push_event (feed.harness,
          gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (feed.harness,
          gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (feed.harness,
          gst_event_new_segment (&segment)));
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
      "vp9svcenc cpu-used=9 threads=1 ! appsink name=sink sync=false", NULL);
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

/* Settings, caps, and what the error must name. */
typedef struct
{
  const gchar *settings;
  const gchar *caps;
  const gchar *cause;
} BadInput;

#define GOOD_CAPS "video/x-raw,format=I420,width=128,height=96,framerate=24/1"

static const BadInput bad_inputs[] = {
  {"", "video/x-raw,format=I420,framerate=24/1", "width and height"},
  {"layer-scaling=half", "video/x-raw,format=I420,width=48,height=48,"
        "framerate=24/1", "12x12"},
  {"layer-bitrates=\"<10000,20000>\"", GOOD_CAPS, "L3T3 has 9 layers"},
  {"scalability-mode=L1T2 layer-bitrates=\"<10000,0>\"", GOOD_CAPS,
      "rate 2 is 0"},
  {"scalability-mode=L1T2 layer-bitrates=\"<2000000000,2000000000>\"",
      GOOD_CAPS, "4000000000"},
  {"min-quantizer=40 max-quantizer=20", GOOD_CAPS, "min-quantizer 40"},
};

GST_START_TEST (bad_input_is_an_error_that_names_the_cause)
{
  const BadInput *bad = &bad_inputs[__i__];
  g_autofree gchar *launch = g_strdup_printf ("appsrc name=src format=time "
      "caps=\"%s\" ! vp9svcenc %s ! fakesink", bad->caps, bad->settings);
  g_autoptr (GstElement) pipeline = gst_parse_launch (launch, NULL);
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "src");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_app_src_push_buffer (GST_APP_SRC (source),
      gst_buffer_new_allocate (NULL, WIDTH * HEIGHT * 3 / 2, NULL));
  message = gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND,
      GST_MESSAGE_ERROR);
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
vp9svcenc_suite (void)
{
  Suite *s = suite_create ("vp9svcenc");
  TCase *tc = tcase_create ("general");
  const gint n = 2 * G_N_ELEMENTS (modes);

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, each_mode_has_its_layers_and_switch_points, 0, n);
  tcase_add_loop_test (tc, frames_refer_only_to_what_their_layer_has, 0, n);
  tcase_add_loop_test (tc, every_subset_decodes_as_offline, 0, n);
  tcase_add_loop_test (tc, all_layers_can_be_joined_at_a_switch_point, 0, n);
  tcase_add_loop_test (tc, whole_pictures_are_superframes_for_other_elements,
      0, n);
  tcase_add_test (tc, layers_have_the_rates_that_were_asked_for);
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

GST_CHECK_MAIN (vp9svcenc);
