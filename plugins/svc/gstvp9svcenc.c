/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-vp9svcenc
 * @title: vp9svcenc
 * @short_description: Encodes VP9 in spatial, quality and temporal layers
 *
 * Encodes video so that parts of it can be left out: up to three spatial or
 * quality layers and up to three temporal ones, by W3C's names from `L1T1` to
 * `L3T3`. By default the upper layers have the size of the lower ones and only
 * a better quality (#GstVp9SvcEnc:layer-scaling `none`): then the size of the
 * pictures stays when layers come and go. One pass, no lag, constant bit rate.
 *
 * Where downstream takes `video/x-vp9-svc` each layer of each picture is a
 * buffer of its own: #GstRtpVp9SvcPay and lmccsink do. Each buffer has a
 * `GstVp9SvcMeta` for the payloader, and a `GstLmccLayerMeta` with its class (3
 * times the spatial layer plus the temporal one) and whether it is a switch
 * point. The last layer of a picture has the marker flag. Where downstream
 * takes `video/x-vp9` alone each buffer is a whole picture, a superframe, of
 * which decoders show the highest layer.
 *
 * A receiver may leave upper layers out from any picture on. Temporal layers
 * can be taken up again at any picture of theirs. A spatial or quality layer
 * can be taken up at a key picture, and every #GstVp9SvcEnc:switch-distance
 * pictures, where the upper layers refer to nothing but the layer below.
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

#include "gstvp9svcenc.h"

#include <string.h>

#include "../lmcc/gstlmcclayermeta.h"
#include "gstvp9svccodec.h"
#include "gstvp9svcmeta.h"
#include "gstvp9svcrates.h"

GST_DEBUG_CATEGORY_STATIC (vp9svcenc_debug);
#define GST_CAT_DEFAULT vp9svcenc_debug

/* Values of GstVp9SvcMode: spatial layers times four plus temporal ones. */
#define MODE(spatial, temporal) ((spatial) << 2 | (temporal))

#define DEFAULT_MODE MODE (3, 3)
#define DEFAULT_SCALING FALSE
/* As vp9enc. */
#define DEFAULT_TARGET_BITRATE 256000
#define DEFAULT_KEYFRAME_MAX_DIST 128
#define DEFAULT_SWITCH_DISTANCE 32
#define DEFAULT_CPU_USED 6
#define DEFAULT_THREADS 0
#define DEFAULT_MIN_QUANTIZER 2
#define DEFAULT_MAX_QUANTIZER 56

#define MAX_QUANTIZER 63
#define MAX_CPU_USED 9

/* More do not help at the sizes that can be sent in layers. */
#define MAX_AUTOMATIC_THREADS 4

/* libvpx scales references in blocks of 16 pixels: below that a layer would be
 * nothing but border. */
#define MIN_LAYER_SIZE 16

enum
{
  PROP_0,
  PROP_SCALABILITY_MODE,
  PROP_LAYER_SCALING,
  PROP_TARGET_BITRATE,
  PROP_LAYER_BITRATES,
  PROP_KEYFRAME_MAX_DIST,
  PROP_SWITCH_DISTANCE,
  PROP_CPU_USED,
  PROP_THREADS,
  PROP_MIN_QUANTIZER,
  PROP_MAX_QUANTIZER,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/x-raw, format = (string) I420, "
        "width = (int) [ 1, 16383 ], height = (int) [ 1, 16383 ], "
        "framerate = (fraction) [ 0/1, MAX ]"));

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (GST_VP9_SVC_MEDIA_TYPE ", "
        GST_VP9_SVC_FIELD_MODE " = (string) " GST_VP9_SVC_MODES ", "
        GST_VP9_SVC_FIELD_SCALING " = (string) { none, half }; "
        "video/x-vp9, profile = (string) 0, alignment = (string) super-frame"));

/*
 * The object lock guards the properties, which set_property() writes. All else
 * belongs to the streaming thread, under the base class's stream lock.
 */
struct _GstVp9SvcEnc
{
  GstVideoEncoder parent;

  gint mode;
  gboolean halved;
  gint target_bitrate;
  GValue layer_bitrates;
  guint keyframe_max_dist;
  guint switch_distance;
  GstVp9SvcSettings settings;   /* without the rates, which follow from these */
  gboolean settings_changed;

  GstVp9SvcStructure structure;
  GstVp9SvcCodec *codec;
  GstVideoCodecState *input_state;
  gboolean layered;             /* a buffer for each layer frame */
  gboolean key_wanted;
  guint position;               /* pictures since the last key picture */
  guint since_switch;           /* pictures since the upper layers' last one */
};

G_DEFINE_FINAL_TYPE (GstVp9SvcEnc, gst_vp9_svc_enc, GST_TYPE_VIDEO_ENCODER);
GST_ELEMENT_REGISTER_DEFINE (vp9svcenc, "vp9svcenc", GST_RANK_NONE,
    GST_TYPE_VP9_SVC_ENC);

/**
 * GstVp9SvcMode:
 *
 * Scalability modes by W3C's names: spatial or quality layers, temporal layers.
 */
static GType
gst_vp9_svc_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {MODE (1, 1), "One layer", "L1T1"},
    {MODE (1, 2), "Two temporal layers", "L1T2"},
    {MODE (1, 3), "Three temporal layers", "L1T3"},
    {MODE (2, 1), "Two spatial layers", "L2T1"},
    {MODE (2, 2), "Two spatial and two temporal layers", "L2T2"},
    {MODE (2, 3), "Two spatial and three temporal layers", "L2T3"},
    {MODE (3, 1), "Three spatial layers", "L3T1"},
    {MODE (3, 2), "Three spatial and two temporal layers", "L3T2"},
    {MODE (3, 3), "Three spatial and three temporal layers", "L3T3"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstVp9SvcMode", values);

    gst_type_mark_as_plugin_api (new_type, 0);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

/**
 * GstVp9SvcScaling:
 * @none: all layers have the size of the video, upper ones more quality
 * @half: each has half the width and height of the one above
 */
static GType
gst_vp9_svc_scaling_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {FALSE, "Layers of equal size and growing quality",
        GST_VP9_SVC_SCALING_NONE},
    {TRUE, "Each layer has half the width and height of the one above",
        GST_VP9_SVC_SCALING_HALF},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstVp9SvcScaling", values);

    gst_type_mark_as_plugin_api (new_type, 0);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

/* Reads the properties that count for the next picture. */
static gboolean
get_settings (GstVp9SvcEnc * self, GstVp9SvcSettings * settings,
    GError ** error)
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
  self->settings_changed = FALSE;
  GST_OBJECT_UNLOCK (self);

  if (good && settings->min_quantizer > settings->max_quantizer) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "min-quantizer %u is above max-quantizer %u", settings->min_quantizer,
        settings->max_quantizer);
    good = FALSE;
  }
  if (settings->threads == 0)
    settings->threads = MIN (g_get_num_processors (), MAX_AUTOMATIC_THREADS);

  return good;
}

static void
post_settings_error (GstVp9SvcEnc * self, const GError * error)
{
  GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("%s", error->message), (NULL));
}

static gboolean
gst_vp9_svc_enc_start (GstVideoEncoder * encoder)
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
gst_vp9_svc_enc_stop (GstVideoEncoder * encoder)
{
  GstVp9SvcEnc *self = GST_VP9_SVC_ENC (encoder);

  g_clear_pointer (&self->codec, gst_vp9_svc_codec_free);
  g_clear_pointer (&self->input_state, gst_video_codec_state_unref);

  return TRUE;
}

static gchar *
get_mode_name (const GstVp9SvcEnc * self)
{
  return g_strdup_printf ("L%uT%u", self->structure.n_spatial,
      self->structure.n_temporal);
}

static gboolean
negotiate_output (GstVp9SvcEnc * self)
{
  GstVideoEncoder *encoder = GST_VIDEO_ENCODER (self);
  g_autoptr (GstCaps) allowed =
      gst_pad_get_allowed_caps (GST_VIDEO_ENCODER_SRC_PAD (encoder));
  g_autofree gchar *mode = get_mode_name (self);
  GstCaps *caps;

  /* Without a peer nobody asks for whole pictures. */
  self->layered = allowed == NULL || (gst_caps_get_size (allowed) > 0
      && gst_structure_has_name (gst_caps_get_structure (allowed, 0),
          GST_VP9_SVC_MEDIA_TYPE));
  if (self->layered)
    caps = gst_caps_new_simple (GST_VP9_SVC_MEDIA_TYPE,
        GST_VP9_SVC_FIELD_MODE, G_TYPE_STRING, mode,
        GST_VP9_SVC_FIELD_SCALING, G_TYPE_STRING, self->structure.halved
        ? GST_VP9_SVC_SCALING_HALF : GST_VP9_SVC_SCALING_NONE, NULL);
  else
    caps = gst_caps_new_simple ("video/x-vp9", "profile", G_TYPE_STRING, "0",
        "alignment", G_TYPE_STRING, "super-frame", NULL);
  gst_video_codec_state_unref (gst_video_encoder_set_output_state (encoder,
          caps, self->input_state));

  return gst_video_encoder_negotiate (encoder);
}

static gboolean
check_size (GstVp9SvcEnc * self, const GstVideoInfo * info)
{
  guint width, height;

  gst_vp9_svc_structure_get_size (&self->structure,
      (guint) GST_VIDEO_INFO_WIDTH (info),
      (guint) GST_VIDEO_INFO_HEIGHT (info), 0, &width, &height);
  if (width >= MIN_LAYER_SIZE && height >= MIN_LAYER_SIZE)
    return TRUE;
  GST_ELEMENT_ERROR (self, STREAM, FORMAT,
      ("Video of %dx%d pixels is too small: its lowest layer would have %ux%u, "
          "at least %dx%d is needed", GST_VIDEO_INFO_WIDTH (info),
          GST_VIDEO_INFO_HEIGHT (info), width, height, MIN_LAYER_SIZE,
          MIN_LAYER_SIZE),
      ("layer-scaling=none and fewer layers make it larger"));

  return FALSE;
}

static gboolean
gst_vp9_svc_enc_set_format (GstVideoEncoder * encoder,
    GstVideoCodecState * state)
{
  GstVp9SvcEnc *self = GST_VP9_SVC_ENC (encoder);
  g_autoptr (GError) error = NULL;
  GstVp9SvcSettings settings;

  if (!check_size (self, &state->info))
    return FALSE;
  g_clear_pointer (&self->codec, gst_vp9_svc_codec_free);
  if (!get_settings (self, &settings, &error)
      || (self->codec = gst_vp9_svc_codec_new (&self->structure, &state->info,
              &settings, &error)) == NULL) {
    post_settings_error (self, error);
    return FALSE;
  }
  g_clear_pointer (&self->input_state, gst_video_codec_state_unref);
  self->input_state = gst_video_codec_state_ref (state);
  self->key_wanted = TRUE;
  gst_video_encoder_set_latency (encoder, 0, 0);

  return negotiate_output (self);
}

/* Whether the upper layers of the next picture refer to nothing before it. */
static gboolean
is_layer_switch (GstVp9SvcEnc * self, guint distance)
{
  return distance > 0 && self->structure.n_spatial > 1
      && self->since_switch >= distance
      && gst_vp9_svc_structure_get_temporal_id (&self->structure,
      self->position) == 0;
}

static gboolean
plan_picture (GstVp9SvcEnc * self, gboolean forced,
    GstVp9SvcLayerFrame * frames)
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
follow_settings (GstVp9SvcEnc * self)
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
encode_picture (GstVp9SvcEnc * self, GstVideoCodecFrame * frame,
    const GstVp9SvcLayerFrame * frames, gboolean key, GstBuffer ** buffers)
{
  g_autoptr (GError) error = NULL;
  GstVideoFrame picture;
  gboolean good;

  if (!gst_video_frame_map (&picture, &self->input_state->info,
          frame->input_buffer, GST_MAP_READ)) {
    GST_ELEMENT_ERROR (self, STREAM, ENCODE, ("A picture cannot be read."),
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
mark_layer (GstBuffer * buffer, const GstVp9SvcLayerFrame * frame)
{
  const LmccLayerMark mark = {
    .klass = (guint8) gst_vp9_svc_get_class (frame->spatial_id,
        frame->temporal_id),
    .switch_point = frame->switch_point,
  };

  gst_buffer_add_vp9_svc_meta (buffer, frame);
  gst_buffer_add_lmcc_layer_meta (buffer, &mark);
}

/* Takes @frame and the buffers. */
static GstFlowReturn
push_layers (GstVp9SvcEnc * self, GstVideoCodecFrame * frame,
    const GstVp9SvcLayerFrame * frames, GstBuffer ** buffers)
{
  GstVideoEncoder *encoder = GST_VIDEO_ENCODER (self);
  guint last = self->structure.n_spatial - 1, s;
  GstFlowReturn ret = GST_FLOW_OK;

  for (s = 0; s < last; s++) {
    mark_layer (buffers[s], &frames[s]);
    frame->output_buffer = buffers[s];
    /* It takes the frame's buffer in any case. */
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
gst_vp9_svc_enc_handle_frame (GstVideoEncoder * encoder,
    GstVideoCodecFrame * frame)
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
gst_vp9_svc_enc_flush (GstVideoEncoder * encoder)
{
  GST_VP9_SVC_ENC (encoder)->key_wanted = TRUE;

  return TRUE;
}

static gboolean
gst_vp9_svc_enc_propose_allocation (GstVideoEncoder * encoder, GstQuery * query)
{
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);

  return GST_VIDEO_ENCODER_CLASS
      (gst_vp9_svc_enc_parent_class)->propose_allocation (encoder, query);
}

static gboolean
caps_have_size (const GstCaps * caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);

  return gst_structure_has_field (structure, "width")
      && gst_structure_has_field (structure, "height");
}

/* Caps without a size are let in, to be refused with a reason. */
static gboolean
gst_vp9_svc_enc_sink_query (GstVideoEncoder * encoder, GstQuery * query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS) {
    GstCaps *caps;

    gst_query_parse_accept_caps (query, &caps);
    if (gst_caps_is_fixed (caps) && !caps_have_size (caps)) {
      gst_query_set_accept_caps_result (query, TRUE);
      return TRUE;
    }
  }

  return GST_VIDEO_ENCODER_CLASS
      (gst_vp9_svc_enc_parent_class)->sink_query (encoder, query);
}

/* The base class would only say that the caps are refused. */
static gboolean
gst_vp9_svc_enc_sink_event (GstVideoEncoder * encoder, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    GstCaps *caps;

    gst_event_parse_caps (event, &caps);
    if (!caps_have_size (caps)) {
      GST_ELEMENT_ERROR (encoder, STREAM, FORMAT,
          ("The caps do not say the video's width and height."),
          ("caps: %" GST_PTR_FORMAT, caps));
      gst_event_unref (event);
      return FALSE;
    }
  }

  return GST_VIDEO_ENCODER_CLASS
      (gst_vp9_svc_enc_parent_class)->sink_event (encoder, event);
}

static void
set_settings_property (GstVp9SvcEnc * self, guint id, const GValue * value)
{
  switch (id) {
    case PROP_TARGET_BITRATE:
      self->target_bitrate = g_value_get_int (value);
      break;
    case PROP_LAYER_BITRATES:
      g_value_copy (value, &self->layer_bitrates);
      break;
    case PROP_CPU_USED:
      self->settings.cpu_used = g_value_get_int (value);
      break;
    case PROP_THREADS:
      self->settings.threads = (guint) g_value_get_int (value);
      break;
    case PROP_MIN_QUANTIZER:
      self->settings.min_quantizer = (guint) g_value_get_int (value);
      break;
    case PROP_MAX_QUANTIZER:
      self->settings.max_quantizer = (guint) g_value_get_int (value);
      break;
    default:
      g_assert_not_reached ();
  }
  self->settings_changed = TRUE;
}

static void
gst_vp9_svc_enc_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstVp9SvcEnc *self = GST_VP9_SVC_ENC (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_SCALABILITY_MODE:
      self->mode = g_value_get_enum (value);
      break;
    case PROP_LAYER_SCALING:
      self->halved = g_value_get_enum (value);
      break;
    case PROP_KEYFRAME_MAX_DIST:
      self->keyframe_max_dist = (guint) g_value_get_int (value);
      break;
    case PROP_SWITCH_DISTANCE:
      self->switch_distance = (guint) g_value_get_int (value);
      break;
    case PROP_TARGET_BITRATE:
    case PROP_LAYER_BITRATES:
    case PROP_CPU_USED:
    case PROP_THREADS:
    case PROP_MIN_QUANTIZER:
    case PROP_MAX_QUANTIZER:
      set_settings_property (self, id, value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_vp9_svc_enc_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstVp9SvcEnc *self = GST_VP9_SVC_ENC (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_SCALABILITY_MODE:
      g_value_set_enum (value, self->mode);
      break;
    case PROP_LAYER_SCALING:
      g_value_set_enum (value, self->halved);
      break;
    case PROP_TARGET_BITRATE:
      g_value_set_int (value, self->target_bitrate);
      break;
    case PROP_LAYER_BITRATES:
      g_value_copy (&self->layer_bitrates, value);
      break;
    case PROP_KEYFRAME_MAX_DIST:
      g_value_set_int (value, (gint) self->keyframe_max_dist);
      break;
    case PROP_SWITCH_DISTANCE:
      g_value_set_int (value, (gint) self->switch_distance);
      break;
    case PROP_CPU_USED:
      g_value_set_int (value, self->settings.cpu_used);
      break;
    case PROP_THREADS:
      g_value_set_int (value, (gint) self->settings.threads);
      break;
    case PROP_MIN_QUANTIZER:
      g_value_set_int (value, (gint) self->settings.min_quantizer);
      break;
    case PROP_MAX_QUANTIZER:
      g_value_set_int (value, (gint) self->settings.max_quantizer);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_vp9_svc_enc_finalize (GObject * object)
{
  g_value_unset (&GST_VP9_SVC_ENC (object)->layer_bitrates);
  G_OBJECT_CLASS (gst_vp9_svc_enc_parent_class)->finalize (object);
}

static void
install_layer_properties (void)
{
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;

  /**
   * GstVp9SvcEnc:scalability-mode:
   *
   * The layers, by W3C's names.
   *
   * Since: 0.1
   */
  properties[PROP_SCALABILITY_MODE] = g_param_spec_enum ("scalability-mode",
      "Scalability mode", "Spatial (L) and temporal (T) layers, by W3C's names",
      gst_vp9_svc_mode_get_type (), DEFAULT_MODE, ready);
  /**
   * GstVp9SvcEnc:layer-scaling:
   *
   * Whether the spatial layers differ in size or in quality alone.
   *
   * Since: 0.1
   */
  properties[PROP_LAYER_SCALING] = g_param_spec_enum ("layer-scaling",
      "Layer scaling", "Size of a spatial layer beside the one above it",
      gst_vp9_svc_scaling_get_type (), DEFAULT_SCALING, ready);
  /**
   * GstVp9SvcEnc:threads:
   *
   * Threads to encode with.
   *
   * Since: 0.1
   */
  properties[PROP_THREADS] = g_param_spec_int ("threads", "Threads",
      "Threads to encode with (0: one per processor, at most 4)", 0, 64,
      DEFAULT_THREADS, ready);
}

static void
install_rate_properties (void)
{
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;

  /**
   * GstVp9SvcEnc:target-bitrate:
   *
   * The rate of all layers together, which are given fixed shares of it. Where
   * #GstVp9SvcEnc:layer-bitrates is set it does not count.
   *
   * Since: 0.1
   */
  properties[PROP_TARGET_BITRATE] = g_param_spec_int ("target-bitrate",
      "Target bit rate", "Rate of all layers together (bit/s)", 10000,
      G_MAXINT, DEFAULT_TARGET_BITRATE, playing);
  /**
   * GstVp9SvcEnc:layer-bitrates:
   *
   * The rate of each layer alone, lowest spatial layer first, and in it the
   * lowest temporal one: for L2T2 those of S0T0, S0T1, S1T0, S1T1.
   *
   * Since: 0.1
   */
  properties[PROP_LAYER_BITRATES] = gst_param_spec_array ("layer-bitrates",
      "Layer bit rates", "Rate of each layer alone (bit/s), as in "
      "\"<40000,20000,30000>\" for L1T3; empty: shares of target-bitrate",
      g_param_spec_int ("layer-bitrate", "Layer bit rate", "Bit/s", G_MININT,
          G_MAXINT, 0, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS), playing);
  /**
   * GstVp9SvcEnc:min-quantizer:
   *
   * The finest quantizer.
   *
   * Since: 0.1
   */
  properties[PROP_MIN_QUANTIZER] = g_param_spec_int ("min-quantizer",
      "Minimum quantizer", "Minimum quantizer (best)", 0, MAX_QUANTIZER,
      DEFAULT_MIN_QUANTIZER, playing);
  /**
   * GstVp9SvcEnc:max-quantizer:
   *
   * The coarsest quantizer. A rate that cannot be kept with it is exceeded.
   *
   * Since: 0.1
   */
  properties[PROP_MAX_QUANTIZER] = g_param_spec_int ("max-quantizer",
      "Maximum quantizer", "Maximum quantizer (worst)", 0, MAX_QUANTIZER,
      DEFAULT_MAX_QUANTIZER, playing);
  /**
   * GstVp9SvcEnc:cpu-used:
   *
   * How fast to encode, at the cost of quality.
   *
   * Since: 0.1
   */
  properties[PROP_CPU_USED] = g_param_spec_int ("cpu-used", "CPU used",
      "Speed: higher is faster and worse", 0, MAX_CPU_USED, DEFAULT_CPU_USED,
      playing);
}

static void
install_distance_properties (void)
{
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;

  /**
   * GstVp9SvcEnc:keyframe-max-dist:
   *
   * Pictures from one key picture to the next. There the base can be joined.
   *
   * Since: 0.1
   */
  properties[PROP_KEYFRAME_MAX_DIST] = g_param_spec_int ("keyframe-max-dist",
      "Key frame distance", "Pictures between key pictures (0: only the first "
      "and what is asked for)", 0, G_MAXINT, DEFAULT_KEYFRAME_MAX_DIST,
      playing);
  /**
   * GstVp9SvcEnc:switch-distance:
   *
   * Pictures from one switch point of the upper spatial or quality layers to
   * the next, rounded up to a picture of the lowest temporal layer. There they
   * refer to nothing but the layer below, so that they can be joined without a
   * key picture of the base. `docs/vp9-svc.md` has what that costs.
   *
   * Since: 0.1
   */
  properties[PROP_SWITCH_DISTANCE] = g_param_spec_int ("switch-distance",
      "Switch distance", "Pictures between the upper layers' switch points "
      "(0: only at key pictures)", 0, G_MAXINT, DEFAULT_SWITCH_DISTANCE,
      playing);
}

static void
gst_vp9_svc_enc_class_init (GstVp9SvcEncClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstVideoEncoderClass *encoder_class = GST_VIDEO_ENCODER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (vp9svcenc_debug, "vp9svcenc", 0, "VP9 SVC encoder");

  object_class->set_property = gst_vp9_svc_enc_set_property;
  object_class->get_property = gst_vp9_svc_enc_get_property;
  object_class->finalize = gst_vp9_svc_enc_finalize;
  install_layer_properties ();
  install_rate_properties ();
  install_distance_properties ();
  g_object_class_install_properties (object_class, N_PROPS, properties);

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
      "Encodes VP9 in spatial or quality layers and temporal layers", "lmcc");
}

static void
gst_vp9_svc_enc_init (GstVp9SvcEnc * self)
{
  self->mode = DEFAULT_MODE;
  self->halved = DEFAULT_SCALING;
  self->target_bitrate = DEFAULT_TARGET_BITRATE;
  g_value_init (&self->layer_bitrates, GST_TYPE_ARRAY);
  self->keyframe_max_dist = DEFAULT_KEYFRAME_MAX_DIST;
  self->switch_distance = DEFAULT_SWITCH_DISTANCE;
  self->settings.cpu_used = DEFAULT_CPU_USED;
  self->settings.threads = DEFAULT_THREADS;
  self->settings.min_quantizer = DEFAULT_MIN_QUANTIZER;
  self->settings.max_quantizer = DEFAULT_MAX_QUANTIZER;
}
