/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-j2klayerenc
 * @title: j2klayerenc
 * @short_description: JPEG 2000 with quality layers
 *
 * Encodes each picture by itself, in quality layers of the given rates, each of
 * which makes the picture better. The codestreams can be decoded by any JPEG
 * 2000 decoder. rtpj2klayerpay, which lmccsink takes by itself, cuts them into
 * layers; rtpj2klayerdepay makes whole codestreams of the layers that came.
 *
 * |[
 * gst-launch-1.0 videotestsrc is-live=true \
 *     ! video/x-raw,format=I420,width=320,height=180,framerate=24/1 \
 *     ! j2klayerenc bitrates="<500000,1000000,2000000,4000000>" \
 *     ! lmccsink address=239.255.42.7
 * ]|
 */
#include "config.h"

#include "gstj2klayerenc.h"

#include "gstj2kpicture.h"

#define DEFAULT_RESOLUTIONS 5
#define MAX_RESOLUTIONS 33

/* Of 8 bits, and there are as many layers as classes. */
#define FORMATS "{ I420, Y42B, Y444, GRAY8 }"

static const guint default_bitrates[] = { 500000, 1000000, 2000000, 4000000,
  8000000 };

GST_DEBUG_CATEGORY_STATIC (j2klayerenc_debug);
#define GST_CAT_DEFAULT j2klayerenc_debug

enum
{
  PROP_0,
  PROP_BITRATES,
  PROP_TARGET_BITRATE,
  PROP_RESOLUTIONS,
  PROP_THREADS,
};

struct _GstJ2kLayerEnc
{
  GstVideoEncoder parent;

  guint n_bitrates;
  guint bitrates[GST_J2K_MAX_LAYERS];
  gboolean too_many;
  guint64 target_bitrate; /* bit/s; 0: as bitrates say */
  guint resolutions;
  guint threads;

  /* The streaming thread's: with which these sizes are, and as bitrates say. */
  GstVideoCodecState *input;
  GstJ2kPictureSettings settings;
  guint full_sizes[GST_J2K_MAX_LAYERS];
  guint64 full_bitrate;
  guint64 used_bitrate;
};

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (GST_VIDEO_CAPS_MAKE (FORMATS)));

static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (
            "image/x-jpc, "
            "width = (int) [ 1, max ], height = (int) [ 1, max ], "
            "colorspace = (string) { sYUV, GRAY }, sampling = (string) "
            "{ YCbCr-4:2:0, YCbCr-4:2:2, YCbCr-4:4:4, GRAYSCALE }"));

G_DEFINE_FINAL_TYPE (GstJ2kLayerEnc, gst_j2k_layer_enc, GST_TYPE_VIDEO_ENCODER);
GST_ELEMENT_REGISTER_DEFINE (j2klayerenc, "j2klayerenc", GST_RANK_MARGINAL,
    GST_TYPE_J2K_LAYER_ENC);

/* Settings */

static void
set_bitrates (GstJ2kLayerEnc *self, const GValue *array)
{
  guint n = gst_value_array_get_size (array), i;

  self->too_many = n > GST_J2K_MAX_LAYERS;
  self->n_bitrates = MIN (n, GST_J2K_MAX_LAYERS);
  for (i = 0; i < self->n_bitrates; i++)
    self->bitrates[i] =
        (guint) g_value_get_int (gst_value_array_get_value (array, i));
  self->target_bitrate = 0;
}

/* Of all layers, bit/s. */
static guint64
get_full_bitrate (GstJ2kLayerEnc *self)
{
  return self->n_bitrates > 0 ? self->bitrates[self->n_bitrates - 1] : 0;
}

static void
get_bitrates (GstJ2kLayerEnc *self, GValue *array)
{
  guint i;

  for (i = 0; i < self->n_bitrates; i++) {
    GValue value = G_VALUE_INIT;

    g_value_init (&value, G_TYPE_INT);
    g_value_set_int (&value, (gint) self->bitrates[i]);
    gst_value_array_append_and_take_value (array, &value);
  }
}

static void
gst_j2k_layer_enc_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstJ2kLayerEnc *self = GST_J2K_LAYER_ENC (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_BITRATES:
      set_bitrates (self, value);
      break;
    case PROP_TARGET_BITRATE:
      self->target_bitrate = g_value_get_uint64 (value);
      break;
    case PROP_RESOLUTIONS:
      self->resolutions = g_value_get_uint (value);
      break;
    case PROP_THREADS:
      self->threads = g_value_get_uint (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_j2k_layer_enc_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstJ2kLayerEnc *self = GST_J2K_LAYER_ENC (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_BITRATES:
      get_bitrates (self, value);
      break;
    case PROP_TARGET_BITRATE:
      g_value_set_uint64 (value,
          self->target_bitrate > 0 ? self->target_bitrate
                                   : get_full_bitrate (self));
      break;
    case PROP_RESOLUTIONS:
      g_value_set_uint (value, self->resolutions);
      break;
    case PROP_THREADS:
      g_value_set_uint (value, self->threads);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static gboolean fail_settings (GstJ2kLayerEnc *self, const gchar *format, ...)
    G_GNUC_PRINTF (2, 3);

static gboolean
fail_settings (GstJ2kLayerEnc *self, const gchar *format, ...)
{
  g_autofree gchar *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("%s", text), (NULL));

  return FALSE;
}

static guint64
picture_size (const GstVideoInfo *info, guint bitrate)
{
  return gst_util_uint64_scale (bitrate, (guint) GST_VIDEO_INFO_FPS_D (info),
      G_GUINT64_CONSTANT (8) * (guint) GST_VIDEO_INFO_FPS_N (info));
}

static guint64
needed_bitrate (const GstVideoInfo *info, guint size)
{
  return gst_util_uint64_scale_ceil (size,
      G_GUINT64_CONSTANT (8) * (guint) GST_VIDEO_INFO_FPS_N (info),
      (guint) GST_VIDEO_INFO_FPS_D (info));
}

static gboolean
take_bitrate (GstJ2kLayerEnc *self, const GstVideoInfo *info,
    const guint *bitrates, guint layer)
{
  guint bitrate = bitrates[layer];
  guint64 size = picture_size (info, bitrate);
  guint smallest =
      gst_j2k_picture_smallest (info, self->settings.n_resolutions, layer);
  guint largest = gst_j2k_picture_largest (info);

  if (layer > 0 && bitrate <= bitrates[layer - 1])
    return fail_settings (self,
        "bitrates are those of all layers up to each, "
        "so they must increase; %u bit/s come after %u",
        bitrate, bitrates[layer - 1]);
  if (size < smallest)
    return fail_settings (self,
        "%u bit/s, bitrate %u, are %u bytes for each "
        "picture, and headers alone are %u: set it to at least "
        "%" G_GUINT64_FORMAT ", or use fewer resolutions",
        bitrate, layer, (guint) size, smallest,
        needed_bitrate (info, smallest));
  if (size > largest)
    return fail_settings (self,
        "%u bit/s, bitrate %u, are %" G_GUINT64_FORMAT
        " bytes for each picture; at most %u are possible here",
        bitrate, layer, size, largest);
  self->full_sizes[layer] = self->settings.sizes[layer] = (guint) size;

  return TRUE;
}

static gboolean
take_settings (GstJ2kLayerEnc *self, const GstVideoInfo *info)
{
  guint bitrates[GST_J2K_MAX_LAYERS];
  gboolean too_many;
  guint n, i;

  GST_OBJECT_LOCK (self);
  n = self->n_bitrates;
  too_many = self->too_many;
  memcpy (bitrates, self->bitrates, sizeof (bitrates));
  GST_OBJECT_UNLOCK (self);
  if (GST_VIDEO_INFO_FPS_N (info) == 0)
    return fail_settings (self,
        "The video has no fixed frame rate, so that "
        "rates do not tell how large a picture may be: put videorate and caps "
        "with a framerate before j2klayerenc");
  if (n == 0 || too_many)
    return fail_settings (self, "bitrates has to have 1 to %u values",
        GST_J2K_MAX_LAYERS);

  self->settings.n_layers = n;
  self->settings.n_threads =
      self->threads > 0 ? self->threads : g_get_num_processors ();
  self->settings.n_resolutions =
      gst_j2k_picture_fit_resolutions (info, self->resolutions);
  for (i = 0; i < n; i++) {
    if (!take_bitrate (self, info, bitrates, i))
      return FALSE;
  }
  self->full_bitrate = self->used_bitrate = bitrates[n - 1];

  return TRUE;
}

/* Each layer keeps its share, as far as it can. */
static void
follow_target (GstJ2kLayerEnc *self)
{
  guint64 target;
  guint i;

  GST_OBJECT_LOCK (self);
  target = self->target_bitrate > 0 ? self->target_bitrate : self->full_bitrate;
  GST_OBJECT_UNLOCK (self);
  if (target == self->used_bitrate)
    return;
  self->used_bitrate = target;
  for (i = 0; i < self->settings.n_layers; i++)
    self->settings.sizes[i] =
        (guint) MIN (gst_util_uint64_scale (self->full_sizes[i], target,
                         self->full_bitrate),
            G_MAXINT);
  if (target != self->full_bitrate)
    gst_j2k_picture_fit_sizes (&self->input->info, &self->settings);
}

/* Caps */

static const gchar *
get_sampling (const GstVideoInfo *info)
{
  switch (GST_VIDEO_INFO_FORMAT (info)) {
    case GST_VIDEO_FORMAT_I420:
      return "YCbCr-4:2:0";
    case GST_VIDEO_FORMAT_Y42B:
      return "YCbCr-4:2:2";
    case GST_VIDEO_FORMAT_Y444:
      return "YCbCr-4:4:4";
    default:
      return "GRAYSCALE";
  }
}

static gboolean
gst_j2k_layer_enc_set_format (GstVideoEncoder *encoder,
    GstVideoCodecState *state)
{
  GstJ2kLayerEnc *self = GST_J2K_LAYER_ENC (encoder);
  guint n_components = GST_VIDEO_INFO_N_COMPONENTS (&state->info);
  GstVideoCodecState *output;
  GstCaps *caps;

  if (!take_settings (self, &state->info))
    return FALSE;
  g_clear_pointer (&self->input, gst_video_codec_state_unref);
  self->input = gst_video_codec_state_ref (state);

  caps = gst_caps_new_simple ("image/x-jpc", "colorspace", G_TYPE_STRING,
      n_components == 1 ? "GRAY" : "sYUV", "sampling", G_TYPE_STRING,
      get_sampling (&state->info), "num-components", G_TYPE_INT,
      (gint) n_components, NULL);
  output = gst_video_encoder_set_output_state (encoder, caps, state);
  gst_video_codec_state_unref (output);

  return gst_video_encoder_negotiate (encoder);
}

static gboolean
has_dimensions (const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);

  return gst_structure_has_field (structure, "width")
      && gst_structure_has_field (structure, "height");
}

/* Caps without dimensions are accepted, so that the error can tell. */
static gboolean
gst_j2k_layer_enc_sink_query (GstVideoEncoder *encoder, GstQuery *query)
{
  GstCaps *caps;

  if (GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS) {
    gst_query_parse_accept_caps (query, &caps);
    if (!gst_caps_is_empty (caps) && !gst_caps_is_any (caps)
        && gst_structure_has_name (gst_caps_get_structure (caps, 0),
            "video/x-raw")
        && !has_dimensions (caps)) {
      gst_query_set_accept_caps_result (query, TRUE);
      return TRUE;
    }
  }

  return GST_VIDEO_ENCODER_CLASS (gst_j2k_layer_enc_parent_class)
      ->sink_query (encoder, query);
}

static gboolean
gst_j2k_layer_enc_sink_event (GstVideoEncoder *encoder, GstEvent *event)
{
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    if (!has_dimensions (caps)) {
      fail_settings (GST_J2K_LAYER_ENC (encoder),
          "The caps of the video have "
          "no width or no height: what makes the video has to tell its size");
      gst_event_unref (event);
      return FALSE;
    }
  }

  return GST_VIDEO_ENCODER_CLASS (gst_j2k_layer_enc_parent_class)
      ->sink_event (encoder, event);
}

/* Pictures */

static GstFlowReturn
fail_picture (GstVideoEncoder *encoder, GstVideoCodecFrame *frame,
    const gchar *cause)
{
  gst_video_encoder_finish_frame (encoder, frame);
  GST_ELEMENT_ERROR (encoder, STREAM, ENCODE,
      ("A picture could not be encoded: %s", cause), (NULL));

  return GST_FLOW_ERROR;
}

static GstFlowReturn
gst_j2k_layer_enc_handle_frame (GstVideoEncoder *encoder,
    GstVideoCodecFrame *frame)
{
  GstJ2kLayerEnc *self = GST_J2K_LAYER_ENC (encoder);
  g_autoptr (GError) error = NULL;
  GByteArray *bytes;
  GstVideoFrame video;
  gsize size;

  if (!gst_video_frame_map (&video, &self->input->info, frame->input_buffer,
          GST_MAP_READ))
    return fail_picture (encoder, frame,
        "its buffer is too small or cannot be "
        "read");
  follow_target (self);
  bytes = gst_j2k_picture_encode (&self->settings, &video, &error);
  gst_video_frame_unmap (&video);
  if (bytes == NULL)
    return fail_picture (encoder, frame, error->message);

  size = bytes->len;
  frame->output_buffer =
      gst_buffer_new_wrapped (g_byte_array_free (bytes, FALSE), size);
  GST_VIDEO_CODEC_FRAME_SET_SYNC_POINT (frame);

  return gst_video_encoder_finish_frame (encoder, frame);
}

static gboolean
gst_j2k_layer_enc_stop (GstVideoEncoder *encoder)
{
  GstJ2kLayerEnc *self = GST_J2K_LAYER_ENC (encoder);

  g_clear_pointer (&self->input, gst_video_codec_state_unref);

  return TRUE;
}

static gboolean
gst_j2k_layer_enc_propose_allocation (GstVideoEncoder *encoder, GstQuery *query)
{
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);

  return GST_VIDEO_ENCODER_CLASS (gst_j2k_layer_enc_parent_class)
      ->propose_allocation (encoder, query);
}

static void
install_properties (GObjectClass *object_class)
{
  const GParamFlags flags =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  /**
   * GstJ2kLayerEnc:bitrates:
   *
   * For each quality layer the rate in bit/s of all layers up to it, from the
   * lowest to the highest, such as `<500000,1000000,2000000>`. A picture keeps
   * each by itself, whatever is in it. Without a value: 0.5, 1, 2, 4 and 8
   * Mbit/s. They count as they are until #GstJ2kLayerEnc:target-bitrate is set
   * after them.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_BITRATES,
      gst_param_spec_array ("bitrates", "Bitrates",
          "Rates of all layers up to each, increasing (bit/s)",
          g_param_spec_int ("bitrate", "Bitrate",
              "Rate of all layers up to this one (bit/s)", 1, G_MAXINT, 500000,
              flags),
          flags));
  /**
   * GstJ2kLayerEnc:target-bitrate:
   *
   * The rate of all layers together, in bit/s. Set after
   * #GstJ2kLayerEnc:bitrates it scales these from the next picture on: each
   * layer keeps its share, as far as there is room for headers. Until then, or
   * where it is set to 0, it is the highest of them.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_TARGET_BITRATE,
      g_param_spec_uint64 ("target-bitrate", "Target bit rate",
          "Rate of all layers together (bit/s, 0 = as bitrates say)", 0,
          G_MAXINT64, 0,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_PLAYING));
  /**
   * GstJ2kLayerEnc:resolutions:
   *
   * How often a picture is halved, and once more. Fewer are taken where the
   * picture is small. Each costs 7 bytes for each component and layer.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_RESOLUTIONS,
      g_param_spec_uint ("resolutions", "Resolutions",
          "Resolutions of a picture, at most", 1, MAX_RESOLUTIONS,
          DEFAULT_RESOLUTIONS, flags));
  /**
   * GstJ2kLayerEnc:threads:
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_THREADS,
      g_param_spec_uint ("threads", "Threads",
          "Threads for one picture (0: as many as there are processors)", 0,
          G_MAXINT, 0, flags));
}

static void
gst_j2k_layer_enc_class_init (GstJ2kLayerEncClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstVideoEncoderClass *encoder_class = GST_VIDEO_ENCODER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (j2klayerenc_debug, "j2klayerenc", 0,
      "JPEG 2000 quality layers");

  object_class->set_property = gst_j2k_layer_enc_set_property;
  object_class->get_property = gst_j2k_layer_enc_get_property;
  install_properties (object_class);

  encoder_class->set_format = GST_DEBUG_FUNCPTR (gst_j2k_layer_enc_set_format);
  encoder_class->handle_frame =
      GST_DEBUG_FUNCPTR (gst_j2k_layer_enc_handle_frame);
  encoder_class->stop = GST_DEBUG_FUNCPTR (gst_j2k_layer_enc_stop);
  encoder_class->sink_event = GST_DEBUG_FUNCPTR (gst_j2k_layer_enc_sink_event);
  encoder_class->sink_query = GST_DEBUG_FUNCPTR (gst_j2k_layer_enc_sink_query);
  encoder_class->propose_allocation =
      GST_DEBUG_FUNCPTR (gst_j2k_layer_enc_propose_allocation);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "JPEG 2000 quality layers", "Codec/Encoder/Image",
      "Encodes pictures by themselves, in quality layers of given rates",
      "The lmcc project");
}

static void
gst_j2k_layer_enc_init (GstJ2kLayerEnc *self)
{
  guint i;

  self->n_bitrates = G_N_ELEMENTS (default_bitrates);
  for (i = 0; i < self->n_bitrates; i++)
    self->bitrates[i] = default_bitrates[i];
  self->resolutions = DEFAULT_RESOLUTIONS;
}
