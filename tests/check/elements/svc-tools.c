/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Encodes in layers, removes layers, and decodes the rest: with GStreamer's
 * elements, and with libvpx alone.
 */
#include "svc-tools.h"

#include <gst/app/app.h>
#include <gst/check/gstcheck.h>
#include <gst/video/video.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>

static void
layer_frame_clear (LayerFrame *frame)
{
  gst_clear_buffer (&frame->buffer);
}

GArray *
svc_layer_frames_new (void)
{
  GArray *frames = g_array_new (FALSE, FALSE, sizeof (LayerFrame));

  g_array_set_clear_func (frames, (GDestroyNotify) layer_frame_clear);

  return frames;
}

static const GstStructure *
get_meta (GstBuffer *buffer, const gchar *name)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, name);

  fail_unless (meta != NULL, "no %s", name);

  return gst_custom_meta_get_structure (meta);
}

/* The caller keeps @buffer. */
void
svc_take_layer_frame (GArray *frames, GstBuffer *buffer)
{
  LayerFrame frame = { .pts = GST_BUFFER_PTS (buffer) };
  const GstStructure *meta = get_meta (buffer, "GstVp9SvcMeta");

  fail_unless (gst_structure_get_uint (meta, "spatial-id", &frame.spatial_id));
  fail_unless (
      gst_structure_get_uint (meta, "temporal-id", &frame.temporal_id));
  fail_unless (
      gst_structure_get_boolean (meta, "inter-picture", &frame.inter_picture));
  fail_unless (
      gst_structure_get_boolean (meta, "inter-layer", &frame.inter_layer));
  meta = get_meta (buffer, "GstLmccLayerMeta");
  fail_unless (gst_structure_get_uint (meta, "class", &frame.klass));
  fail_unless (
      gst_structure_get_boolean (meta, "switch-point", &frame.switch_point));
  frame.delta = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  frame.last = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_MARKER);
  frame.buffer = gst_buffer_ref (buffer);
  g_array_append_val (frames, frame);
}

static void
assert_no_error (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);

  if (message != NULL) {
    g_autoptr (GError) error = NULL;
    g_autofree gchar *debug = NULL;

    gst_message_parse_error (message, &error, &debug);
    fail ("%s (%s)", error->message, debug);
  }
}

/* Runs @description, whose appsink named sink receives layer frames, to its
 * end. */
GArray *
svc_encode (const gchar *description, GstCaps **caps)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (description, &error);
  g_autoptr (GstElement) sink = NULL;
  GArray *frames = svc_layer_frames_new ();
  GstSample *sample;

  fail_unless (pipeline != NULL && error == NULL, "%s", description);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
    if (caps != NULL)
      gst_caps_replace (caps, gst_sample_get_caps (sample));
    svc_take_layer_frame (frames, gst_sample_get_buffer (sample));
    gst_sample_unref (sample);
  }
  assert_no_error (pipeline);
  gst_element_set_state (pipeline, GST_STATE_NULL);

  return frames;
}

static void
buffer_clear (GstBuffer **buffer)
{
  gst_clear_buffer (buffer);
}

static GArray *
buffers_new (void)
{
  GArray *buffers = g_array_new (FALSE, FALSE, sizeof (GstBuffer *));

  g_array_set_clear_func (buffers, (GDestroyNotify) buffer_clear);

  return buffers;
}

/* The layer frames of each picture one after the other, as a depayloader
 * outputs them: without superframe index. */
GArray *
svc_make_pictures (GArray *frames, SubsetFunc subset, gpointer user_data)
{
  GArray *pictures = buffers_new ();
  GstBuffer *picture = NULL;
  guint i;

  for (i = 0; i < frames->len; i++) {
    const LayerFrame *frame = &g_array_index (frames, LayerFrame, i);
    GstBuffer *part;

    if (subset != NULL && !subset (frame, user_data))
      continue;
    part = gst_buffer_copy_region (frame->buffer, GST_BUFFER_COPY_MEMORY, 0,
        gst_buffer_get_size (frame->buffer));
    if (picture != NULL && GST_BUFFER_PTS (picture) == frame->pts) {
      picture = gst_buffer_append (picture, part);
      g_array_index (pictures, GstBuffer *, pictures->len - 1) = picture;
      continue;
    }
    picture = part;
    GST_BUFFER_PTS (picture) = frame->pts;
    g_array_append_val (pictures, picture);
  }

  return pictures;
}

static void
shown_clear (ShownPicture *shown)
{
  g_free (shown->checksum);
}

static GArray *
shown_new (void)
{
  GArray *shown = g_array_new (FALSE, FALSE, sizeof (ShownPicture));

  g_array_set_clear_func (shown, (GDestroyNotify) shown_clear);

  return shown;
}

static void
add_plane (GChecksum *checksum, const guint8 *data, gint stride, gint width,
    gint height)
{
  gint line;

  for (line = 0; line < height; line++)
    g_checksum_update (checksum, data + line * stride, width);
}

/* Only the visible pixels, because decoders pad their lines. */
static ShownPicture
take_sample (GstSample *sample)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_MD5);
  ShownPicture shown = { 0 };
  GstVideoFrame frame;
  GstVideoInfo info;
  guint c;

  fail_unless (gst_video_info_from_caps (&info, gst_sample_get_caps (sample)));
  fail_unless (gst_video_frame_map (&frame, &info,
      gst_sample_get_buffer (sample), GST_MAP_READ));
  for (c = 0; c < 3; c++)
    add_plane (checksum, GST_VIDEO_FRAME_COMP_DATA (&frame, c),
        GST_VIDEO_FRAME_COMP_STRIDE (&frame, c),
        GST_VIDEO_FRAME_COMP_WIDTH (&frame, c),
        GST_VIDEO_FRAME_COMP_HEIGHT (&frame, c));
  shown.pts = GST_BUFFER_PTS (gst_sample_get_buffer (sample));
  shown.width = GST_VIDEO_FRAME_WIDTH (&frame);
  shown.height = GST_VIDEO_FRAME_HEIGHT (&frame);
  shown.checksum = g_strdup (g_checksum_get_string (checksum));
  gst_video_frame_unmap (&frame);

  return shown;
}

static gpointer
feed (gpointer data)
{
  gpointer *pair = data;
  GArray *buffers = pair[1];
  guint i;

  for (i = 0; i < buffers->len; i++)
    gst_app_src_push_buffer (GST_APP_SRC (pair[0]),
        gst_buffer_copy (g_array_index (buffers, GstBuffer *, i)));
  gst_app_src_end_of_stream (GST_APP_SRC (pair[0]));

  return NULL;
}

/* The pictures that @elements show for @buffers. */
GArray *
svc_decode_stock (const gchar *elements, const gchar *caps, GArray *buffers)
{
  g_autofree gchar *description = g_strdup_printf (
      "appsrc name=src format=time ! %s ! appsink name=sink sync=false",
      elements);
  g_autoptr (GstElement) pipeline = gst_parse_launch (description, NULL);
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "src");
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstCaps) source_caps = gst_caps_from_string (caps);
  gpointer pair[] = { source, buffers };
  GArray *shown = shown_new ();
  GstSample *sample;
  GThread *feeder;

  g_object_set (source, "caps", source_caps, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  feeder = g_thread_new ("feed", feed, pair);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
    ShownPicture picture = take_sample (sample);

    g_array_append_val (shown, picture);
    gst_sample_unref (sample);
  }
  g_thread_join (feeder);
  assert_no_error (pipeline);
  gst_element_set_state (pipeline, GST_STATE_NULL);

  return shown;
}

static ShownPicture
take_image (const vpx_image_t *image, GstClockTime pts)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_MD5);
  ShownPicture shown = { 0 };
  guint c;

  for (c = 0; c < 3; c++) {
    guint shift = c > 0 ? 1 : 0;

    add_plane (checksum, image->planes[c], image->stride[c],
        (gint) ((image->d_w + shift) >> shift),
        (gint) ((image->d_h + shift) >> shift));
  }
  shown.pts = pts;
  shown.width = (gint) image->d_w;
  shown.height = (gint) image->d_h;
  shown.checksum = g_strdup (g_checksum_get_string (checksum));

  return shown;
}

/* The output of libvpx alone for @pictures: the last frame of each. */
GArray *
svc_decode_offline (GArray *pictures)
{
  GArray *shown = shown_new ();
  vpx_codec_ctx_t context = { 0 };
  guint i;

  fail_unless (vpx_codec_dec_init (&context, vpx_codec_vp9_dx (), NULL, 0)
      == VPX_CODEC_OK);
  for (i = 0; i < pictures->len; i++) {
    GstBuffer *picture = g_array_index (pictures, GstBuffer *, i);
    vpx_codec_iter_t iter = NULL;
    const vpx_image_t *image;
    GstMapInfo map;

    fail_unless (gst_buffer_map (picture, &map, GST_MAP_READ));
    fail_unless (vpx_codec_decode (&context, map.data, (guint) map.size, NULL,
                     0)
            == VPX_CODEC_OK,
        "picture %u: %s", i, vpx_codec_error_detail (&context));
    gst_buffer_unmap (picture, &map);
    while ((image = vpx_codec_get_frame (&context, &iter)) != NULL) {
      ShownPicture one = take_image (image, GST_BUFFER_PTS (picture));

      g_array_append_val (shown, one);
    }
  }
  vpx_codec_destroy (&context);

  return shown;
}

void
svc_assert_same_pictures (GArray *shown, GArray *expected)
{
  guint i;

  fail_unless_equals_int (shown->len, expected->len);
  for (i = 0; i < shown->len; i++) {
    const ShownPicture *a = &g_array_index (shown, ShownPicture, i);
    const ShownPicture *b = &g_array_index (expected, ShownPicture, i);

    fail_unless_equals_int (a->width, b->width);
    fail_unless_equals_int (a->height, b->height);
    fail_unless (g_str_equal (a->checksum, b->checksum),
        "picture %u of %u differs", i, shown->len);
  }
}

/* Returns the pictures that vp9dec shows, which equal those of libvpx. */
GArray *
svc_decode_both (GArray *frames, SubsetFunc subset, gpointer user_data)
{
  g_autoptr (GArray) pictures = svc_make_pictures (frames, subset, user_data);
  g_autoptr (GArray) expected = svc_decode_offline (pictures);
  GArray *shown = svc_decode_stock ("vp9dec", "video/x-vp9", pictures);

  fail_unless_equals_int (shown->len, pictures->len);
  svc_assert_same_pictures (shown, expected);

  return shown;
}
