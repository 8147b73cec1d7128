/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-vp9svcenc
 * @title: vp9svcenc
 * @short_description: Encodes VP9 with spatial, quality and temporal layers
 *
 * Encodes video in VP9 layers, of which upper ones can be dropped: up to three
 * spatial or quality layers and up to three temporal layers, with W3C's names
 * from `L1T1` to `L3T3`. By default all layers have the same picture size, and
 * upper layers only improve the quality (#GstVp9SvcEnc:layer-scaling `none`);
 * the picture size then stays the same when layers come and go. The encoder
 * works in one pass with constant bit rate and without lag.
 *
 * If downstream accepts `video/x-vp9-svc`, as #GstRtpVp9SvcPay and lmccsink do,
 * each layer of each picture is one buffer. Each buffer has a `GstVp9SvcMeta`
 * for the payloader, and a `GstLmccLayerMeta` with its class (3 times the
 * spatial layer plus the temporal layer) and a flag for switch points. The last
 * layer of a picture has the marker flag. If downstream only accepts
 * `video/x-vp9`, each buffer is a complete picture (superframe), of which
 * decoders show the highest layer.
 *
 * A receiver can drop upper layers at any picture. It can join a temporal layer
 * again at any picture of that layer. It can join a spatial or quality layer at
 * a key frame, and every #GstVp9SvcEnc:switch-distance pictures, where the
 * upper layers only refer to the layer below.
 *
 * Decode with vp9dec. avdec_vp9 shows the layers of a picture one after the
 * other.
 *
 * ## Examples
 * |[
 * gst-launch-1.0 videotestsrc is-live=true \
 *     ! vp9svcenc ! lmccsink address=239.255.42.1 multicast-iface=lo
 * ]|
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 \
 *     ! vp9svcenc scalability-mode=L2T3 layer-scaling=half \
 *     ! rtpvp9svcpay ! rtpvp9depay ! vp9dec ! autovideosink
 * ]|
 *
 * Since: 0.1
 */
#include "config.h"

#include <string.h>
#include <plugins/common/layer-meta.h>
#include <plugins/common/messages.h>

#include "gstvp9svcencprivate.h"
#include "gstvp9svcmeta.h"
#include "gstvp9svcrates.h"

GST_DEBUG_CATEGORY_STATIC (vp9svcenc_debug);
#define GST_CAT_DEFAULT vp9svcenc_debug

/* More threads do not help at the picture sizes that are sent in layers. */
#define MAX_AUTOMATIC_THREADS 4

/* libvpx scales references in blocks of 16 pixels. A smaller layer would
 * consist of border only. */
#define MIN_LAYER_SIZE 16

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/x-raw, format = (string) I420, "
                     "width = (int) [ 1, 16383 ], height = (int) [ 1, 16383 ], "
                     "framerate = (fraction) [ 0/1, MAX ]"));

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (GST_VP9_SVC_MEDIA_TYPE
        ", " GST_VP9_SVC_FIELD_MODE " = (string) " GST_VP9_SVC_MODES
        ", " GST_VP9_SVC_FIELD_SCALING " = (string) { none, half }; "
        "video/x-vp9, profile = (string) 0, alignment = (string) super-frame"));

G_DEFINE_FINAL_TYPE (GstVp9SvcEnc, gst_vp9_svc_enc, GST_TYPE_VIDEO_ENCODER);
GST_ELEMENT_REGISTER_DEFINE (vp9svcenc, "vp9svcenc", GST_RANK_NONE,
    GST_TYPE_VP9_SVC_ENC);

/* Reads the properties that apply to the next picture. */
static gboolean
get_settings (GstVp9SvcEnc *self, GstVp9SvcSettings *settings, GError **error)
{
  gboolean good = TRUE;

  GST_OBJECT_LOCK (self);
  *settings = self->settings;
  if (gst_value_array_get_size (&self->layer_bitrates) > 0)
    good = gst_vp9_svc_rates_from_array (&self->layer_bitrates,
        &self->structure, settings->bitrates, error);
  else
    gst_vp9_svc_rates_split ((guint) self->target_bitrate, &self->structure,
        settings->bitrates);
  if (good && self->scaled)
    gst_vp9_svc_rates_scale ((guint) self->target_bitrate, &self->structure,
        settings->bitrates);
  self->settings_changed = FALSE;
  GST_OBJECT_UNLOCK (self);

  if (good && settings->min_quantizer > settings->max_quantizer) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        _ ("min-quantizer %u is above max-quantizer %u: set it to the same or "
           "a lower value"),
        settings->min_quantizer, settings->max_quantizer);
    good = FALSE;
  }
  if (settings->threads == 0)
    settings->threads = MIN (g_get_num_processors (), MAX_AUTOMATIC_THREADS);

  return good;
}

static void
post_settings_error (GstVp9SvcEnc *self, const GError *error)
{
  GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("%s", error->message), (NULL));
}

static gboolean
gst_vp9_svc_enc_start (GstVideoEncoder *encoder)
{
  GstVp9SvcEnc *self = GST_VP9_SVC_ENC (encoder);
  g_autoptr (GError) error = NULL;
  GstVp9SvcSettings settings;

  GST_OBJECT_LOCK (self);
  self->structure.n_spatial = (guint) self->mode >> 2;
  self->structure.n_temporal = (guint) self->mode & 3;
  self->structure.halved = self->halved;
  GST_OBJECT_UNLOCK (self);
  if (!get_settings (self, &settings, &error)) {
    post_settings_error (self, error);
    return FALSE;
  }

  return TRUE;
}

static gboolean
gst_vp9_svc_enc_stop (GstVideoEncoder *encoder)
{
  GstVp9SvcEnc *self = GST_VP9_SVC_ENC (encoder);

  g_clear_pointer (&self->codec, gst_vp9_svc_codec_free);
  g_clear_pointer (&self->input_state, gst_video_codec_state_unref);

  return TRUE;
}

static gchar *
get_mode_name (const GstVp9SvcEnc *self)
{
  return g_strdup_printf ("L%uT%u", self->structure.n_spatial,
      self->structure.n_temporal);
}

static gboolean
negotiate_output (GstVp9SvcEnc *self)
{
  GstVideoEncoder *encoder = GST_VIDEO_ENCODER (self);
  g_autoptr (GstCaps) allowed =
      gst_pad_get_allowed_caps (GST_VIDEO_ENCODER_SRC_PAD (encoder));
  g_autofree gchar *mode = get_mode_name (self);
  GstCaps *caps;

  /* Without a peer no element can ask for whole pictures. */
  self->layered = allowed == NULL
      || (gst_caps_get_size (allowed) > 0
          && gst_structure_has_name (gst_caps_get_structure (allowed, 0),
              GST_VP9_SVC_MEDIA_TYPE));
  if (self->layered)
    caps = gst_caps_new_simple (GST_VP9_SVC_MEDIA_TYPE, GST_VP9_SVC_FIELD_MODE,
        G_TYPE_STRING, mode, GST_VP9_SVC_FIELD_SCALING, G_TYPE_STRING,
        self->structure.halved ? GST_VP9_SVC_SCALING_HALF
                               : GST_VP9_SVC_SCALING_NONE,
        NULL);
  else
    caps = gst_caps_new_simple ("video/x-vp9", "profile", G_TYPE_STRING, "0",
        "alignment", G_TYPE_STRING, "super-frame", NULL);
  gst_video_codec_state_unref (
      gst_video_encoder_set_output_state (encoder, caps, self->input_state));

  return gst_video_encoder_negotiate (encoder);
}

static gboolean
check_size (GstVp9SvcEnc *self, const GstVideoInfo *info)
{
  guint width, height;

  gst_vp9_svc_structure_get_size (&self->structure,
      (guint) GST_VIDEO_INFO_WIDTH (info), (guint) GST_VIDEO_INFO_HEIGHT (info),
      0, &width, &height);
  if (width >= MIN_LAYER_SIZE && height >= MIN_LAYER_SIZE)
    return TRUE;
  GST_ELEMENT_ERROR (self, STREAM, FORMAT,
      (_ ("Video of %dx%d pixels is too small: its lowest layer would have "
          "%ux%u, at least %dx%d is needed"),
          GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info), width,
          height, MIN_LAYER_SIZE, MIN_LAYER_SIZE),
      ("layer-scaling=none and fewer layers make it larger"));

  return FALSE;
}

static gboolean
gst_vp9_svc_enc_set_format (GstVideoEncoder *encoder, GstVideoCodecState *state)
{
  GstVp9SvcEnc *self = GST_VP9_SVC_ENC (encoder);
  g_autoptr (GError) error = NULL;
  GstVp9SvcSettings settings;

  if (!check_size (self, &state->info))
    return FALSE;
  g_clear_pointer (&self->codec, gst_vp9_svc_codec_free);
  if (!get_settings (self, &settings, &error)
      || (self->codec = gst_vp9_svc_codec_new (&self->structure, &state->info,
              &settings, &error))
          == NULL) {
    post_settings_error (self, error);
    return FALSE;
  }
  g_clear_pointer (&self->input_state, gst_video_codec_state_unref);
  self->input_state = gst_video_codec_state_ref (state);
  self->key_wanted = TRUE;
  gst_video_encoder_set_latency (encoder, 0, 0);

  return negotiate_output (self);
}

/* Whether the upper layers of the next picture do not refer to earlier
 * pictures. */
static gboolean
is_layer_switch (GstVp9SvcEnc *self, guint distance)
{
  return distance > 0 && self->structure.n_spatial > 1
      && self->since_switch >= distance
      && gst_vp9_svc_structure_get_temporal_id (&self->structure,
             self->position)
      == 0;
}

static gboolean
plan_picture (GstVp9SvcEnc *self, gboolean forced, GstVp9SvcLayerFrame *frames)
{
  guint key_distance, switch_distance, s;
  gboolean key, layer_switch;

  GST_OBJECT_LOCK (self);
  key_distance = self->keyframe_max_dist;
  switch_distance = self->switch_distance;
  GST_OBJECT_UNLOCK (self);

  self->position++;
  self->since_switch++;
  key = forced || self->key_wanted
      || (key_distance > 0 && self->position >= key_distance);
  if (key) {
    self->position = 0;
    self->key_wanted = FALSE;
  }
  layer_switch = key || is_layer_switch (self, switch_distance);
  if (layer_switch)
    self->since_switch = 0;
  for (s = 0; s < self->structure.n_spatial; s++)
    gst_vp9_svc_structure_get_frame (&self->structure, self->position, key,
        layer_switch, s, &frames[s]);

  return key;
}

static gboolean
follow_settings (GstVp9SvcEnc *self)
{
  g_autoptr (GError) error = NULL;
  GstVp9SvcSettings settings;
  gboolean changed;

  GST_OBJECT_LOCK (self);
  changed = self->settings_changed;
  GST_OBJECT_UNLOCK (self);
  if (!changed)
    return TRUE;
  if (!get_settings (self, &settings, &error)
      || !gst_vp9_svc_codec_set_settings (self->codec, &settings, &error)) {
    post_settings_error (self, error);
    return FALSE;
  }

  return TRUE;
}

static gboolean
encode_picture (GstVp9SvcEnc *self, GstVideoCodecFrame *frame,
    const GstVp9SvcLayerFrame *frames, gboolean key, GstBuffer **buffers)
{
  g_autoptr (GError) error = NULL;
  GstVideoFrame picture;
  gboolean good;

  if (!gst_video_frame_map (&picture, &self->input_state->info,
          frame->input_buffer, GST_MAP_READ)) {
    GST_ELEMENT_ERROR (self, STREAM, ENCODE,
        (_ ("Cannot read a picture: its buffer is too small or unreadable.")),
        (NULL));
    return FALSE;
  }
  good = gst_vp9_svc_codec_encode (self->codec, &picture, frame->pts,
      GST_CLOCK_TIME_IS_VALID (frame->duration) ? frame->duration : 0, frames,
      key, buffers, &error);
  gst_video_frame_unmap (&picture);
  if (!good)
    GST_ELEMENT_ERROR (self, STREAM, ENCODE, ("%s", error->message), (NULL));

  return good;
}

static void
mark_layer (GstBuffer *buffer, const GstVp9SvcLayerFrame *frame)
{
  const LmccLayerMark mark = {
    .klass =
        (guint8) gst_vp9_svc_get_class (frame->spatial_id, frame->temporal_id),
    .switch_point = frame->switch_point,
  };

  gst_buffer_add_vp9_svc_meta (buffer, frame);
  gst_buffer_add_lmcc_layer_meta (buffer, &mark);
}

/* Takes ownership of @frame and the buffers. */
static GstFlowReturn
push_layers (GstVp9SvcEnc *self, GstVideoCodecFrame *frame,
    const GstVp9SvcLayerFrame *frames, GstBuffer **buffers)
{
  GstVideoEncoder *encoder = GST_VIDEO_ENCODER (self);
  guint last = self->structure.n_spatial - 1, s;
  GstFlowReturn ret = GST_FLOW_OK;

  for (s = 0; s < last; s++) {
    mark_layer (buffers[s], &frames[s]);
    frame->output_buffer = buffers[s];
    /* finish_subframe() always takes the frame's buffer. */
    if (ret == GST_FLOW_OK)
      ret = gst_video_encoder_finish_subframe (encoder, frame);
    else
      gst_clear_buffer (&frame->output_buffer);
  }
  mark_layer (buffers[last], &frames[last]);
  GST_BUFFER_FLAG_SET (buffers[last], GST_BUFFER_FLAG_MARKER);
  frame->output_buffer = buffers[last];
  if (ret != GST_FLOW_OK) {
    gst_clear_buffer (&frame->output_buffer);
    gst_video_codec_frame_unref (frame);
    return ret;
  }

  return gst_video_encoder_finish_frame (encoder, frame);
}

static GstFlowReturn
gst_vp9_svc_enc_handle_frame (GstVideoEncoder *encoder,
    GstVideoCodecFrame *frame)
{
  GstVp9SvcEnc *self = GST_VP9_SVC_ENC (encoder);
  GstVp9SvcLayerFrame frames[GST_VP9_SVC_MAX_SPATIAL];
  GstBuffer *buffers[GST_VP9_SVC_MAX_SPATIAL] = { NULL };
  gboolean key;

  if (self->codec == NULL) {
    gst_video_codec_frame_unref (frame);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  key = plan_picture (self, GST_VIDEO_CODEC_FRAME_IS_FORCE_KEYFRAME (frame),
      frames);
  if (!follow_settings (self)
      || !encode_picture (self, frame, frames, key, buffers)) {
    self->key_wanted = TRUE;
    gst_video_codec_frame_unref (frame);
    return GST_FLOW_ERROR;
  }
  if (key)
    GST_VIDEO_CODEC_FRAME_SET_SYNC_POINT (frame);
  if (self->layered)
    return push_layers (self, frame, frames, buffers);
  frame->output_buffer =
      gst_vp9_svc_codec_join (buffers, self->structure.n_spatial);

  return gst_video_encoder_finish_frame (encoder, frame);
}

static gboolean
gst_vp9_svc_enc_flush (GstVideoEncoder *encoder)
{
  GST_VP9_SVC_ENC (encoder)->key_wanted = TRUE;

  return TRUE;
}

static gboolean
gst_vp9_svc_enc_propose_allocation (GstVideoEncoder *encoder, GstQuery *query)
{
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);

  return GST_VIDEO_ENCODER_CLASS (gst_vp9_svc_enc_parent_class)
      ->propose_allocation (encoder, query);
}

static gboolean
caps_have_size (const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);

  return gst_structure_has_field (structure, "width")
      && gst_structure_has_field (structure, "height");
}

/* Accepts caps without a size, so that the error can name the cause. */
static gboolean
gst_vp9_svc_enc_sink_query (GstVideoEncoder *encoder, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS) {
    GstCaps *caps;

    gst_query_parse_accept_caps (query, &caps);
    if (gst_caps_is_fixed (caps) && !caps_have_size (caps)) {
      gst_query_set_accept_caps_result (query, TRUE);
      return TRUE;
    }
  }

  return GST_VIDEO_ENCODER_CLASS (gst_vp9_svc_enc_parent_class)
      ->sink_query (encoder, query);
}

/* Posts the reason; the base class would only refuse the caps. */
static gboolean
gst_vp9_svc_enc_sink_event (GstVideoEncoder *encoder, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    GstCaps *caps;

    gst_event_parse_caps (event, &caps);
    if (!caps_have_size (caps)) {
      GST_ELEMENT_ERROR (encoder, STREAM, FORMAT,
          (_ ("The caps have no video width and height: the upstream element "
              "must set both.")),
          ("caps: %" GST_PTR_FORMAT, caps));
      gst_event_unref (event);
      return FALSE;
    }
  }

  return GST_VIDEO_ENCODER_CLASS (gst_vp9_svc_enc_parent_class)
      ->sink_event (encoder, event);
}

static void
gst_vp9_svc_enc_finalize (GObject *object)
{
  g_value_unset (&GST_VP9_SVC_ENC (object)->layer_bitrates);
  G_OBJECT_CLASS (gst_vp9_svc_enc_parent_class)->finalize (object);
}

static void
gst_vp9_svc_enc_class_init (GstVp9SvcEncClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstVideoEncoderClass *encoder_class = GST_VIDEO_ENCODER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (vp9svcenc_debug, "vp9svcenc", 0, "VP9 SVC encoder");

  object_class->finalize = gst_vp9_svc_enc_finalize;
  gst_vp9_svc_enc_install_properties (object_class);

  encoder_class->start = GST_DEBUG_FUNCPTR (gst_vp9_svc_enc_start);
  encoder_class->stop = GST_DEBUG_FUNCPTR (gst_vp9_svc_enc_stop);
  encoder_class->set_format = GST_DEBUG_FUNCPTR (gst_vp9_svc_enc_set_format);
  encoder_class->handle_frame =
      GST_DEBUG_FUNCPTR (gst_vp9_svc_enc_handle_frame);
  encoder_class->flush = GST_DEBUG_FUNCPTR (gst_vp9_svc_enc_flush);
  encoder_class->sink_query = GST_DEBUG_FUNCPTR (gst_vp9_svc_enc_sink_query);
  encoder_class->sink_event = GST_DEBUG_FUNCPTR (gst_vp9_svc_enc_sink_event);
  encoder_class->propose_allocation =
      GST_DEBUG_FUNCPTR (gst_vp9_svc_enc_propose_allocation);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "VP9 SVC encoder",
      "Codec/Encoder/Video",
      "Encodes VP9 with spatial, quality and temporal layers",
      "The lmcc project");
}

static void
gst_vp9_svc_enc_init (GstVp9SvcEnc *self)
{
  gst_vp9_svc_enc_init_properties (self);
}
