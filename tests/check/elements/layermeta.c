/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/check/gstcheck.h>
#include <gst/lmcc/media/classify-private.h>
#include <gst/lmcc/lmcc-classify.h>
#include <gst/rtp/rtp.h>
#include <gst/video/video.h>

#include <plugins/common/layer-meta.h>
#include <plugins/lmcc/common/rtphdrextlmcclayer.h>

#define N_PICTURES 60

/* Moves, so that no two pictures are equal. */
#define SOURCE "videotestsrc num-buffers=60 pattern=zone-plate kx2=20 ky2=20 " \
    "kt=3 ! video/x-raw,width=160,height=120,framerate=25/1 ! "
#define X264 SOURCE "x264enc b-pyramid=true bframes=3 b-adapt=false " \
    "key-int-max=24 option-string=\"scenecut=0:open-gop=0\" threads=1 ! "

#define EXT_ID 3

/* What is known of an access unit before the payloader. */
typedef struct
{
  GstClockTime pts;
  gint klass;
  gboolean switch_point;
  GstBuffer *buffer;
} Picture;

typedef Picture (*InspectFunc) (GstBuffer * buffer);

typedef struct
{
  InspectFunc inspect;
  gboolean mark;
  /* Guards @pictures, which the encoder's thread still adds to while they are
   * compared. */
  GMutex lock;
  GArray *pictures;
  GstCaps *caps;
} Tap;

static void
clear_picture (gpointer data)
{
  gst_buffer_unref (((Picture *) data)->buffer);
}

static void
tap_init (Tap * tap, InspectFunc inspect, gboolean mark)
{
  tap->inspect = inspect;
  tap->mark = mark;
  tap->caps = NULL;
  g_mutex_init (&tap->lock);
  tap->pictures = g_array_new (FALSE, FALSE, sizeof (Picture));
  g_array_set_clear_func (tap->pictures, clear_picture);
}

static void
tap_clear (Tap * tap)
{
  g_array_unref (tap->pictures);
  g_mutex_clear (&tap->lock);
  gst_clear_caps (&tap->caps);
}

static GstPadProbeReturn
tap_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Tap *tap = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Picture picture = { 0 };

  if (tap->caps == NULL)
    tap->caps = gst_pad_get_current_caps (pad);
  if (tap->inspect != NULL)
    picture = tap->inspect (buffer);
  if (tap->mark) {
    LmccLayerMark mark;

    mark.klass = tap->pictures->len * 7 % LMCC_MAX_CLASSES;
    mark.switch_point = tap->pictures->len % 3 == 0;
    buffer = gst_buffer_make_writable (buffer);
    fail_unless (gst_buffer_add_lmcc_layer_meta (buffer, &mark));
    GST_PAD_PROBE_INFO_DATA (info) = buffer;
    picture.klass = mark.klass;
    picture.switch_point = mark.switch_point;
  }
  picture.pts = GST_BUFFER_PTS (buffer);
  picture.buffer = gst_buffer_ref (buffer);
  g_mutex_lock (&tap->lock);
  g_array_append_val (tap->pictures, picture);
  g_mutex_unlock (&tap->lock);

  return GST_PAD_PROBE_OK;
}

static Picture
get_picture (Tap * tap, guint index)
{
  Picture picture;

  g_mutex_lock (&tap->lock);
  fail_unless (index < tap->pictures->len);
  picture = g_array_index (tap->pictures, Picture, index);
  g_mutex_unlock (&tap->lock);

  return picture;
}

static Picture
find_picture (Tap * tap, GstClockTime pts)
{
  Picture picture = {.klass = -1 };
  guint i;

  g_mutex_lock (&tap->lock);
  for (i = 0; i < tap->pictures->len && picture.buffer == NULL; i++) {
    if (g_array_index (tap->pictures, Picture, i).pts == pts)
      picture = g_array_index (tap->pictures, Picture, i);
  }
  g_mutex_unlock (&tap->lock);
  fail_unless (picture.buffer != NULL, "no picture of %" GST_TIME_FORMAT,
      GST_TIME_ARGS (pts));

  return picture;
}

/* Slice type from first_mb_in_slice and slice_type, for what x264 writes: one
 * slice, so that first_mb_in_slice is the single bit 1. */
static gboolean
x264_slice_is_b (const guint8 * body)
{
  guint bits = (body[0] & 0x7f) << 8 | body[1];

  fail_unless (body[0] & 0x80);
  /* ue(v) of 1 is 010; of 6 is 00111. */
  return bits >> 12 == 2 || bits >> 10 == 7;
}

/* From the slice types: I and P are 0, referenced B is 1, b is 2. */
static Picture
inspect_h264_nal (const guint8 * nal)
{
  Picture picture = {.klass = -1 };
  guint type = nal[0] & 0x1f;

  if (type != 1 && type != 5)
    return picture;
  picture.klass = x264_slice_is_b (nal + 1) ? (nal[0] & 0x60 ? 1 : 2) : 0;
  picture.switch_point = type == 5 || picture.klass > 0;

  return picture;
}

/* What the parameter set before the latest key frame says. */
static guint h265_sub_layers;

/* From the TemporalId; of a stream without, from the types TRAIL_N, RADL_N and
 * RASL_N, which no picture refers to. */
static Picture
inspect_h265_nal (const guint8 * nal)
{
  Picture picture = {.klass = -1 };
  guint type = nal[0] >> 1 & 0x3f;

  if (type == 33)
    h265_sub_layers = (nal[2] >> 1 & 7) + 1;
  if (type > 31)
    return picture;
  picture.klass = (nal[1] & 7) - 1;
  if (h265_sub_layers == 1 && (type == 0 || type == 6 || type == 8))
    picture.klass = 1;
  picture.switch_point = type >= 16 || picture.klass > 0;

  return picture;
}

static Picture
inspect_byte_stream (GstBuffer * buffer, Picture (*nal) (const guint8 *))
{
  Picture picture = {.klass = -1 };
  GstMapInfo map;
  gsize i;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (i = 0; i + 6 < map.size && picture.klass < 0; i++) {
    if (map.data[i] == 0 && map.data[i + 1] == 0 && map.data[i + 2] == 1)
      picture = nal (map.data + i + 3);
  }
  gst_buffer_unmap (buffer, &map);
  fail_if (picture.klass < 0);

  return picture;
}

static Picture
inspect_h264 (GstBuffer * buffer)
{
  return inspect_byte_stream (buffer, inspect_h264_nal);
}

static Picture
inspect_h265 (GstBuffer * buffer)
{
  return inspect_byte_stream (buffer, inspect_h265_nal);
}

static Picture
inspect_avc (GstBuffer * buffer)
{
  Picture picture = {.klass = -1 };
  GstMapInfo map;
  gsize i = 0;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  while (i + 6 < map.size && picture.klass < 0) {
    picture = inspect_h264_nal (map.data + i + 4);
    /* No access unit here is as large as 64 KiB. */
    fail_unless (map.data[i] == 0 && map.data[i + 1] == 0);
    i += 4 + (map.data[i + 2] << 8 | map.data[i + 3]);
  }
  gst_buffer_unmap (buffer, &map);
  fail_if (picture.klass < 0);

  return picture;
}

static Picture
inspect_vp8 (GstBuffer * buffer)
{
  Picture picture = { 0 };
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "GstVP8Meta");
  guint layer = 0;

  fail_unless (meta != NULL);
  fail_unless (gst_structure_get_uint (gst_custom_meta_get_structure (meta),
          "layer-id", &layer));
  picture.klass = layer;
  picture.switch_point = layer > 0
      || !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);

  return picture;
}

static void
check_unit (Tap * tap, guint index, LmccUnit * unit, guint seen[3])
{
  const Picture picture = get_picture (tap, index);

  fail_unless_equals_int (unit->klass, picture.klass);
  fail_unless_equals_int (!!unit->switch_point, !!picture.switch_point);
  fail_unless_equals_uint64 (unit->presentation_time, picture.pts);
  if (unit->klass < 3)
    seen[unit->klass]++;
  lmcc_unit_free (unit);
}

static GstElement *
launch (const gchar * description, const gchar * encoder_property,
    void (*configure) (GstElement * encoder), Tap * tap)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) payloader = NULL;
  g_autoptr (GstPad) pad = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error);

  fail_unless (pipeline != NULL && error == NULL, "%s", description);
  if (configure != NULL) {
    g_autoptr (GstElement) encoder =
        gst_bin_get_by_name (GST_BIN (pipeline), encoder_property);

    configure (encoder);
  }
  payloader = gst_bin_get_by_name (GST_BIN (pipeline), "pay");
  pad = gst_element_get_static_pad (payloader, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, tap_buffer, tap, NULL);
  if (tap->mark) {
    GstRTPHeaderExtension *ext =
        gst_rtp_header_extension_create_from_uri
        (GST_RTP_HDREXT_LMCC_LAYER_URI);

    fail_unless (ext != NULL);
    gst_rtp_header_extension_set_id (ext, EXT_ID);
    g_signal_emit_by_name (payloader, "add-extension", ext);
    gst_object_unref (ext);
  }

  return pipeline;
}

/* Runs @description, classifies what its payloader named pay makes, and
 * compares with what was known before. */
static void
run (const gchar * description, const LmccCodec * codec, Tap * tap,
    void (*configure) (GstElement * encoder), guint seen[3])
{
  g_autoptr (GstElement) pipeline = launch (description, "enc", configure, tap);
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (LmccClassifier) classifier = lmcc_classifier_new (codec, 0);
  LmccUnit *units[2];
  GstSample *sample;
  guint n = 0, i;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
    GstBuffer *buffer = gst_sample_get_buffer (sample);
    guint8 id = gst_lmcc_layer_mark_ext_id_from_caps (gst_sample_get_caps
        (sample));
    LmccLayerMark mark;
    gboolean marked = gst_lmcc_layer_mark_from_rtp (buffer, id, &mark);
    LmccPacket *packet = lmcc_packet_new (gst_buffer_get_size (buffer));
    guint n_units;

    fail_unless_equals_int (id, tap->mark ? EXT_ID : 0);
    fail_unless_equals_int (marked, tap->mark);
    if (marked) {
      const Picture picture = find_picture (tap, GST_BUFFER_PTS (buffer));

      fail_unless_equals_int (mark.klass, picture.klass);
      fail_unless_equals_int (mark.switch_point, picture.switch_point);
    }
    packet->size = gst_buffer_extract (buffer, 0, packet->data,
        packet->capacity);
    n_units = lmcc_classifier_push (classifier, packet, marked ? &mark : NULL,
        GST_BUFFER_DTS_OR_PTS (buffer), GST_BUFFER_PTS (buffer), units);
    for (i = 0; i < n_units; i++)
      check_unit (tap, n++, units[i], seen);
    gst_sample_unref (sample);
  }
  units[0] = lmcc_classifier_flush (classifier);
  if (units[0] != NULL)
    check_unit (tap, n++, units[0], seen);
  gst_element_set_state (pipeline, GST_STATE_NULL);

  fail_unless_equals_int (n, N_PICTURES);
  fail_unless_equals_int (tap->pictures->len, N_PICTURES);
  fail_unless_equals_uint64 (lmcc_classifier_get_malformed (classifier), 0);
}

static const gchar *const payloader_settings[] = {
  "aggregate-mode=none config-interval=0",
  "aggregate-mode=none config-interval=-1",
  "aggregate-mode=zero-latency config-interval=-1",
  "aggregate-mode=max-stap config-interval=-1",
  "aggregate-mode=max-stap config-interval=1 mtu=200",
};

static void
run_h264 (guint setting, const gchar * format, InspectFunc inspect,
    gboolean mark)
{
  g_autofree gchar *description = g_strdup_printf (X264
      "video/x-h264,stream-format=%s,alignment=au ! rtph264pay name=pay %s ! "
      "appsink name=sink sync=false", format, payloader_settings[setting]);
  guint seen[3] = { 0, 0, 0 };
  Tap tap;

  tap_init (&tap, mark ? NULL : inspect, mark);
  run (description, mark ? NULL : &lmcc_codec_h264, &tap, NULL, seen);
  fail_unless (seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
  tap_clear (&tap);
}

GST_START_TEST (h264_classes_are_those_of_the_slice_types)
{
  run_h264 (__i__, "byte-stream", inspect_h264, FALSE);
  run_h264 (__i__, "avc", inspect_avc, FALSE);
}

GST_END_TEST;

static gboolean
have_x265 (void)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find ("x265enc");

  if (factory == NULL)
    g_printerr ("skipped: there is no element x265enc "
        "(Debian: gstreamer1.0-plugins-bad)\n");
  return factory != NULL;
}

static void
run_h265 (const gchar * temporal_layers, Tap * tap, guint seen[3])
{
  g_autofree gchar *description = g_strdup_printf (SOURCE "x265enc "
      "key-int-max=24 option-string=\"bframes=3:b-adapt=0:open-gop=0%s:"
      "pools=none:frame-threads=1\" speed-preset=ultrafast ! "
      "video/x-h265,stream-format=byte-stream,alignment=au ! "
      "rtph265pay name=pay config-interval=-1 ! appsink name=sink sync=false",
      temporal_layers);

  tap_init (tap, inspect_h265, FALSE);
  run (description, &lmcc_codec_h265, tap, NULL, seen);
}

static gboolean
x265_takes (const gchar * option)
{
  g_autofree gchar *line = g_strdup_printf ("videotestsrc num-buffers=1 ! "
      "x265enc option-string=pools=none%s ! fakesink", option);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  gboolean takes;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  takes = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return takes;
}

GST_START_TEST (h265_classes_are_what_the_pictures_are_needed_for)
{
  guint seen[3] = { 0, 0, 0 };
  Tap tap;

  if (!have_x265 ())
    return;
  run_h265 ("", &tap, seen);
  fail_unless (seen[0] > 0 && seen[1] > 0 && seen[2] == 0);
  tap_clear (&tap);
}

GST_END_TEST;

/* x265 before 3.6 has two temporal layers, which 1 turns on. */
GST_START_TEST (h265_classes_are_the_temporal_ids)
{
  guint seen[3] = { 0, 0, 0 };
  gboolean three;
  Tap tap;

  if (!have_x265 ())
    return;
  three = x265_takes (":temporal-layers=3");
  run_h265 (three ? ":temporal-layers=3" : ":temporal-layers=1", &tap, seen);
  fail_unless (seen[0] > 0 && seen[1] > 0 && (seen[2] > 0) == three);
  tap_clear (&tap);
}

GST_END_TEST;

G_GNUC_BEGIN_IGNORE_DEPRECATIONS;

static void
set_int_array (GstElement * encoder, const gchar * name, gint first,
    gint second)
{
  GValueArray *array = g_value_array_new (2);
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT);
  g_value_set_int (&value, first);
  g_value_array_append (array, &value);
  g_value_set_int (&value, second);
  g_value_array_append (array, &value);
  g_object_set (encoder, name, array, NULL);
  g_value_array_free (array);
}

G_GNUC_END_IGNORE_DEPRECATIONS;

static void
append_flags (GValue * array, const gchar * flags)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, g_type_from_name ("GstVPXEncTsLayerFlags"));
  fail_unless (gst_value_deserialize (&value, flags));
  gst_value_array_append_value (array, &value);
  g_value_unset (&value);
}

static void
append_boolean (GValue * array, gboolean boolean)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_BOOLEAN);
  g_value_set_boolean (&value, boolean);
  gst_value_array_append_value (array, &value);
  g_value_unset (&value);
}

/* Two layers: every other picture is referenced by none. */
static void
configure_vp8 (GstElement * encoder)
{
  GValue array = G_VALUE_INIT;

  g_object_set (encoder, "temporal-scalability-number-layers", 2,
      "temporal-scalability-periodicity", 2, NULL);
  set_int_array (encoder, "temporal-scalability-layer-id", 0, 1);
  set_int_array (encoder, "temporal-scalability-rate-decimator", 2, 1);
  set_int_array (encoder, "temporal-scalability-target-bitrate", 150000,
      250000);

  g_value_init (&array, GST_TYPE_ARRAY);
  append_flags (&array, "no-upd-golden+no-upd-alt+no-ref-golden+no-ref-alt");
  append_flags (&array,
      "no-upd-last+no-upd-golden+no-upd-alt+no-ref-golden+no-ref-alt");
  g_object_set_property (G_OBJECT (encoder),
      "temporal-scalability-layer-flags", &array);
  g_value_unset (&array);

  g_value_init (&array, GST_TYPE_ARRAY);
  append_boolean (&array, FALSE);
  append_boolean (&array, TRUE);
  g_object_set_property (G_OBJECT (encoder),
      "temporal-scalability-layer-sync-flags", &array);
  g_value_unset (&array);
}

GST_START_TEST (vp8_classes_are_the_temporal_layers)
{
  guint seen[3] = { 0, 0, 0 };
  Tap tap;

  tap_init (&tap, inspect_vp8, FALSE);
  run (SOURCE "vp8enc name=enc deadline=1 cpu-used=8 keyframe-max-dist=24 "
      "end-usage=cbr target-bitrate=250000 error-resilient=default threads=1 ! "
      "rtpvp8pay name=pay picture-id-mode=15-bit ! "
      "appsink name=sink sync=false", &lmcc_codec_vp8, &tap, configure_vp8,
      seen);
  fail_unless_equals_int (seen[0], N_PICTURES / 2);
  fail_unless_equals_int (seen[1], N_PICTURES / 2);
  tap_clear (&tap);
}

GST_END_TEST;

GST_START_TEST (layer_meta_goes_through_rtph264pay)
{
  run_h264 (__i__, "byte-stream", NULL, TRUE);
  run_h264 (__i__, "avc", NULL, TRUE);
}

GST_END_TEST;

static const gchar *const other_payloaders[] = {
  SOURCE "x265enc speed-preset=ultrafast ! rtph265pay name=pay",
  SOURCE "vp8enc deadline=1 cpu-used=8 ! rtpvp8pay name=pay",
  SOURCE "vp9enc deadline=1 cpu-used=8 lag-in-frames=0 ! rtpvp9pay name=pay",
};

GST_START_TEST (layer_meta_goes_through_other_payloaders)
{
  g_autofree gchar *description = g_strconcat (other_payloaders[__i__],
      " ! appsink name=sink sync=false", NULL);
  guint seen[3] = { 0, 0, 0 };
  Tap tap;

  tap_init (&tap, NULL, TRUE);
  run (description, NULL, &tap, NULL, seen);
  tap_clear (&tap);
}

GST_END_TEST;

GST_START_TEST (layer_meta_comes_back_at_the_depayloader)
{
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstElement) sink = NULL;
  GstSample *sample;
  guint n = 0;
  Tap tap;

  tap_init (&tap, NULL, TRUE);
  pipeline = launch (SOURCE "vp8enc deadline=1 cpu-used=8 ! "
      "rtpvp8pay name=pay ! rtpvp8depay auto-header-extension=true ! "
      "appsink name=sink sync=false", NULL, NULL, &tap);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
    GstBuffer *buffer = gst_sample_get_buffer (sample);
    const Picture picture = find_picture (&tap, GST_BUFFER_PTS (buffer));
    LmccLayerMark mark;

    fail_unless (gst_buffer_get_lmcc_layer_meta (buffer, &mark));
    fail_unless_equals_int (mark.klass, picture.klass);
    fail_unless_equals_int (mark.switch_point, picture.switch_point);
    gst_sample_unref (sample);
    n++;
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (n, N_PICTURES);
  tap_clear (&tap);
}

GST_END_TEST;

GST_START_TEST (layer_meta_of_a_class_above_15_is_refused)
{
  const LmccLayerMark mark = { LMCC_MAX_CLASSES, TRUE };
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  LmccLayerMark read;
  GstCustomMeta *meta;

  fail_if (gst_buffer_add_lmcc_layer_meta (buffer, &mark));
  fail_if (gst_buffer_get_lmcc_layer_meta (buffer, &read));
  meta = gst_buffer_add_custom_meta (buffer, GST_LMCC_LAYER_META_NAME);
  fail_if (gst_buffer_get_lmcc_layer_meta (buffer, &read));
  gst_structure_set (gst_custom_meta_get_structure (meta), "class", G_TYPE_UINT,
      LMCC_MAX_CLASSES, "switch-point", G_TYPE_BOOLEAN, TRUE, NULL);
  fail_if (gst_buffer_get_lmcc_layer_meta (buffer, &read));
}

GST_END_TEST;

static gchar *
checksum_picture (GstSample * sample)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  GstVideoInfo info;
  GstVideoFrame frame;
  gint component, row;

  fail_unless (gst_video_info_from_caps (&info, gst_sample_get_caps (sample)));
  fail_unless (gst_video_frame_map (&frame, &info,
          gst_sample_get_buffer (sample), GST_MAP_READ));
  for (component = 0; component < 3; component++) {
    const guint8 *line = GST_VIDEO_FRAME_COMP_DATA (&frame, component);

    for (row = 0; row < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, component); row++)
      g_checksum_update (checksum,
          line + row * GST_VIDEO_FRAME_COMP_STRIDE (&frame, component),
          GST_VIDEO_FRAME_COMP_WIDTH (&frame, component));
  }
  gst_video_frame_unmap (&frame);

  return g_strdup (g_checksum_get_string (checksum));
}

/* Decodes the pictures of class <= @top: presentation time to checksum. */
static GHashTable *
decode (const Tap * tap, const gchar * decoder, gint top)
{
  GHashTable *table = g_hash_table_new_full (g_int64_hash, g_int64_equal,
      g_free, g_free);
  g_autofree gchar *line = g_strdup_printf ("appsrc name=src format=time ! %s "
      "max-threads=1 ! appsink name=sink sync=false", decoder);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "src");
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstSample *sample;
  guint i;

  g_object_set (source, "caps", tap->caps, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (i = 0; i < tap->pictures->len; i++) {
    const Picture *picture = &g_array_index (tap->pictures, Picture, i);

    if (picture->klass <= top)
      gst_app_src_push_buffer (GST_APP_SRC (source),
          gst_buffer_ref (picture->buffer));
  }
  gst_app_src_end_of_stream (GST_APP_SRC (source));
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
    gint64 pts = GST_BUFFER_PTS (gst_sample_get_buffer (sample));

    fail_unless (g_hash_table_insert (table, g_memdup2 (&pts, sizeof (pts)),
            checksum_picture (sample)));
    gst_sample_unref (sample);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);

  return table;
}

/* Without the classes above any but the highest the pictures that are left are
 * the same. */
static void
check_subsets (const Tap * tap, const gchar * decoder, gint highest,
    const guint seen[3])
{
  g_autoptr (GHashTable) full = decode (tap, decoder, highest);
  guint expected = 0;
  gint top;

  fail_unless_equals_int (g_hash_table_size (full), N_PICTURES);
  for (top = 0; top < highest; top++) {
    g_autoptr (GHashTable) subset = decode (tap, decoder, top);
    GHashTableIter iter;
    gpointer pts, checksum;

    expected += seen[top];
    fail_unless_equals_int (g_hash_table_size (subset), expected);
    g_hash_table_iter_init (&iter, subset);
    while (g_hash_table_iter_next (&iter, &pts, &checksum))
      fail_unless_equals_string (checksum, g_hash_table_lookup (full, pts));
  }
}

GST_START_TEST (h264_without_higher_classes_decodes_to_the_same_pictures)
{
  guint seen[3] = { 0, 0, 0 };
  Tap tap;

  tap_init (&tap, inspect_h264, FALSE);
  run (X264 "video/x-h264,stream-format=byte-stream,alignment=au ! "
      "rtph264pay name=pay ! appsink name=sink sync=false", &lmcc_codec_h264,
      &tap, NULL, seen);
  check_subsets (&tap, "h264parse ! avdec_h264", 2, seen);
  tap_clear (&tap);
}

GST_END_TEST;

GST_START_TEST (h265_without_higher_classes_decodes_to_the_same_pictures)
{
  guint seen[3] = { 0, 0, 0 };
  Tap tap;

  if (!have_x265 ())
    return;
  run_h265 ("", &tap, seen);
  check_subsets (&tap, "h265parse ! avdec_h265", 1, seen);
  tap_clear (&tap);
}

GST_END_TEST;

static Suite *
layermeta_suite (void)
{
  Suite *s = suite_create ("layermeta");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, h264_classes_are_those_of_the_slice_types, 0,
      G_N_ELEMENTS (payloader_settings));
  tcase_add_test (tc, h265_classes_are_what_the_pictures_are_needed_for);
  tcase_add_test (tc, h265_classes_are_the_temporal_ids);
  tcase_add_test (tc, vp8_classes_are_the_temporal_layers);
  tcase_add_loop_test (tc, layer_meta_goes_through_rtph264pay, 0,
      G_N_ELEMENTS (payloader_settings));
  tcase_add_loop_test (tc, layer_meta_goes_through_other_payloaders, 0,
      G_N_ELEMENTS (other_payloaders));
  tcase_add_test (tc, layer_meta_comes_back_at_the_depayloader);
  tcase_add_test (tc, layer_meta_of_a_class_above_15_is_refused);
  tcase_add_test (tc, h264_without_higher_classes_decodes_to_the_same_pictures);
  tcase_add_test (tc, h265_without_higher_classes_decodes_to_the_same_pictures);

  return s;
}

GST_CHECK_MAIN (layermeta);
