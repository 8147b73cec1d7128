/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "layer-tap.h"

#include <gst/app/gstappsink.h>
#include <gst/check/gstcheck.h>
#include <gst/rtp/rtp.h>

#include <plugins/common/layer-meta.h>
#include <plugins/lmcc/common/rtphdrextlmcclayer.h>

static void
clear_picture (gpointer data)
{
  gst_buffer_unref (((LayerPicture *) data)->buffer);
}

void
layer_tap_init (LayerTap *tap, LayerInspectFunc inspect, gboolean mark)
{
  tap->inspect = inspect;
  tap->mark = mark;
  tap->caps = NULL;
  g_mutex_init (&tap->lock);
  tap->pictures = g_array_new (FALSE, FALSE, sizeof (LayerPicture));
  g_array_set_clear_func (tap->pictures, clear_picture);
}

void
layer_tap_clear (LayerTap *tap)
{
  g_array_unref (tap->pictures);
  g_mutex_clear (&tap->lock);
  gst_clear_caps (&tap->caps);
}

static GstPadProbeReturn
tap_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  LayerTap *tap = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  LayerPicture picture = { 0 };

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

static LayerPicture
get_picture (LayerTap *tap, guint index)
{
  LayerPicture picture;

  g_mutex_lock (&tap->lock);
  fail_unless (index < tap->pictures->len);
  picture = g_array_index (tap->pictures, LayerPicture, index);
  g_mutex_unlock (&tap->lock);

  return picture;
}

LayerPicture
layer_tap_find (LayerTap *tap, GstClockTime pts)
{
  LayerPicture picture = { .klass = -1 };
  guint i;

  g_mutex_lock (&tap->lock);
  for (i = 0; i < tap->pictures->len && picture.buffer == NULL; i++) {
    if (g_array_index (tap->pictures, LayerPicture, i).pts == pts)
      picture = g_array_index (tap->pictures, LayerPicture, i);
  }
  g_mutex_unlock (&tap->lock);
  fail_unless (picture.buffer != NULL, "no picture of %" GST_TIME_FORMAT,
      GST_TIME_ARGS (pts));

  return picture;
}

/* Slice type from first_mb_in_slice and slice_type, for x264's output: one
 * slice, so that first_mb_in_slice is the single bit 1. */
static gboolean
x264_slice_is_b (const guint8 *body)
{
  guint bits = (body[0] & 0x7f) << 8 | body[1];

  fail_unless (body[0] & 0x80);
  /* ue(v) of 1 is 010; of 6 is 00111. */
  return bits >> 12 == 2 || bits >> 10 == 7;
}

/* From the slice types: I and P are 0, referenced B is 1, b is 2. */
static LayerPicture
inspect_h264_nal (const guint8 *nal)
{
  LayerPicture picture = { .klass = -1 };
  guint type = nal[0] & 0x1f;

  if (type != 1 && type != 5)
    return picture;
  picture.klass = x264_slice_is_b (nal + 1) ? (nal[0] & 0x60 ? 1 : 2) : 0;
  picture.switch_point = type == 5 || picture.klass > 0;

  return picture;
}

/* Information from the parameter set before the latest key frame. */
static guint h265_sub_layers;

/* From the TemporalId; in a stream without temporal layers, from the types
 * TRAIL_N, RADL_N and RASL_N, which no picture refers to. */
static LayerPicture
inspect_h265_nal (const guint8 *nal)
{
  LayerPicture picture = { .klass = -1 };
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

static LayerPicture
inspect_byte_stream (GstBuffer *buffer, LayerPicture (*nal) (const guint8 *))
{
  LayerPicture picture = { .klass = -1 };
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

LayerPicture
layer_inspect_h264 (GstBuffer *buffer)
{
  return inspect_byte_stream (buffer, inspect_h264_nal);
}

static LayerPicture
inspect_h265 (GstBuffer *buffer)
{
  return inspect_byte_stream (buffer, inspect_h265_nal);
}

LayerPicture
layer_inspect_avc (GstBuffer *buffer)
{
  LayerPicture picture = { .klass = -1 };
  GstMapInfo map;
  gsize i = 0;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  while (i + 6 < map.size && picture.klass < 0) {
    picture = inspect_h264_nal (map.data + i + 4);
    /* No access unit here has 64 KiB or more. */
    fail_unless (map.data[i] == 0 && map.data[i + 1] == 0);
    i += 4 + (map.data[i + 2] << 8 | map.data[i + 3]);
  }
  gst_buffer_unmap (buffer, &map);
  fail_if (picture.klass < 0);

  return picture;
}

LayerPicture
layer_inspect_vp8 (GstBuffer *buffer)
{
  LayerPicture picture = { 0 };
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "GstVP8Meta");
  guint layer = 0;

  fail_unless (meta != NULL);
  fail_unless (gst_structure_get_uint (gst_custom_meta_get_structure (meta),
      "layer-id", &layer));
  picture.klass = layer;
  picture.switch_point =
      layer > 0 || !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);

  return picture;
}

static void
check_unit (LayerTap *tap, guint index, LmccUnit *unit, guint seen[3])
{
  const LayerPicture picture = get_picture (tap, index);

  fail_unless_equals_int (unit->klass, picture.klass);
  fail_unless_equals_int (!!unit->switch_point, !!picture.switch_point);
  fail_unless_equals_uint64 (unit->presentation_time, picture.pts);
  if (unit->klass < 3)
    seen[unit->klass]++;
  lmcc_unit_free (unit);
}

GstElement *
layer_tap_launch (const gchar *description, const gchar *encoder_property,
    void (*configure) (GstElement *encoder), LayerTap *tap)
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
    GstRTPHeaderExtension *ext = gst_rtp_header_extension_create_from_uri (
        GST_RTP_HDREXT_LMCC_LAYER_URI);

    fail_unless (ext != NULL);
    gst_rtp_header_extension_set_id (ext, LAYER_EXT_ID);
    g_signal_emit_by_name (payloader, "add-extension", ext);
    gst_object_unref (ext);
  }

  return pipeline;
}

/* Runs @description, classifies the output of its payloader named pay, and
 * compares the result with what the tap saw. */
void
layer_tap_run (const gchar *description, const LmccCodec *codec, LayerTap *tap,
    void (*configure) (GstElement *encoder), guint seen[3])
{
  g_autoptr (GstElement) pipeline =
      layer_tap_launch (description, "enc", configure, tap);
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (LmccClassifier) classifier = lmcc_classifier_new (codec, 0);
  LmccUnit *units[2];
  GstSample *sample;
  guint n = 0, i;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
    GstBuffer *buffer = gst_sample_get_buffer (sample);
    guint8 id =
        gst_lmcc_layer_mark_ext_id_from_caps (gst_sample_get_caps (sample));
    LmccLayerMark mark;
    gboolean marked = gst_lmcc_layer_mark_from_rtp (buffer, id, &mark);
    LmccPacket *packet = lmcc_packet_new (gst_buffer_get_size (buffer));
    guint n_units;

    fail_unless_equals_int (id, tap->mark ? LAYER_EXT_ID : 0);
    fail_unless_equals_int (marked, tap->mark);
    if (marked) {
      const LayerPicture picture =
          layer_tap_find (tap, GST_BUFFER_PTS (buffer));

      fail_unless_equals_int (mark.klass, picture.klass);
      fail_unless_equals_int (mark.switch_point, picture.switch_point);
    }
    packet->size =
        gst_buffer_extract (buffer, 0, packet->data, packet->capacity);
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

  fail_unless_equals_int (n, LAYER_N_PICTURES);
  fail_unless_equals_int (tap->pictures->len, LAYER_N_PICTURES);
  fail_unless_equals_uint64 (lmcc_classifier_get_malformed (classifier), 0);
}

gboolean
layer_have_x265 (void)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find ("x265enc");

  if (factory == NULL)
    g_printerr ("skipped: there is no element x265enc "
                "(Debian: gstreamer1.0-plugins-bad)\n");
  return factory != NULL;
}

void
layer_tap_run_h265 (const gchar *temporal_layers, LayerTap *tap, guint seen[3])
{
  g_autofree gchar *description = g_strdup_printf (LAYER_SOURCE
      "x265enc "
      "key-int-max=24 option-string=\"bframes=3:b-adapt=0:open-gop=0%s:"
      "pools=none:frame-threads=1\" speed-preset=ultrafast ! "
      "video/x-h265,stream-format=byte-stream,alignment=au ! "
      "rtph265pay name=pay config-interval=-1 ! appsink name=sink sync=false",
      temporal_layers);

  layer_tap_init (tap, inspect_h265, FALSE);
  layer_tap_run (description, &lmcc_codec_h265, tap, NULL, seen);
}
