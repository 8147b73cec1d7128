/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-j2klayerenc
 * @title: j2klayerenc
 * @short_description: Encodes JPEG 2000 with quality layers
 *
 * Encodes each picture independently, in quality layers with the given rates.
 * Each layer improves the quality. Any JPEG 2000 decoder can decode the
 * codestreams. rtpj2klayerpay, which lmccsink uses automatically, splits them
 * into layers. rtpj2klayerdepay builds complete codestreams from the layers
 * that have arrived.
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

#include <plugins/common/messages.h>

#define DEFAULT_RESOLUTIONS 5
#define MAX_RESOLUTIONS 33

/* 8 bits per component. The meta has one class for each layer. */
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
  guint64 target_bitrate; /* bit/s; 0: the highest of bitrates */
  guint resolutions;
  guint threads;

  /* Used by the streaming thread only. full_sizes belong to full_bitrate. */
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

/* Rate of all layers, bit/s. */
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
        _ ("Values of bitrates must increase, because each is the rate of all "
           "layers up to it; %u bit/s come after %u"),
        bitrate, bitrates[layer - 1]);
  if (size < smallest)
    return fail_settings (self,
        _ ("%u bit/s, value %u of bitrates, allows %u bytes for each picture, "
           "but headers alone need %u: set it to at least %.0f, or use fewer "
           "resolutions"),
        bitrate, layer, (guint) size, smallest,
        (gdouble) needed_bitrate (info, smallest));
  if (size > largest)
    return fail_settings (self,
        _ ("%u bit/s, value %u of bitrates, needs %.0f bytes for each picture, "
           "but at most %u are possible: reduce it"),
        bitrate, layer, (gdouble) size, largest);
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
        _ ("The video has no fixed frame rate, so the size of a picture is "
           "unknown: put videorate and caps with a framerate before "
           "j2klayerenc"));
  if (n == 0 || too_many)
    return fail_settings (self, _ ("bitrates must have 1 to %u values"),
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

/* Each layer keeps its share, as far as headers leave room. */
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

/* Accepts caps without dimensions, so that the error can name the cause. */
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
          _ ("The caps of the video have no width or no height: the upstream "
             "element must set both"));
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
      (_ ("A picture could not be encoded: %s"), cause), (NULL));

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
        _ ("its buffer is too small or unreadable"));
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
   * For each quality layer the cumulative rate in bit/s of all layers up to it,
   * lowest first, such as `<500000,1000000,2000000>`. Each picture keeps these
   * rates on its own, whatever its content. The default is 0.5, 1, 2, 4 and 8
   * Mbit/s. The rates apply unchanged until #GstJ2kLayerEnc:target-bitrate is
   * set after them.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_BITRATES,
      gst_param_spec_array ("bitrates", "Bitrates",
          "Cumulative rate of each layer and all below it, increasing (bit/s)",
          g_param_spec_int ("bitrate", "Bitrate",
              "Rate of this layer and all below it (bit/s)", 1, G_MAXINT,
              500000, flags),
          flags));
  /**
   * GstJ2kLayerEnc:target-bitrate:
   *
   * The total rate of all layers in bit/s. If it is set after
   * #GstJ2kLayerEnc:bitrates, it scales these rates from the next picture on:
   * each layer keeps its share, as far as headers leave room. If it is 0 or not
   * set, it is the highest of these rates.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_TARGET_BITRATE,
      g_param_spec_uint64 ("target-bitrate", "Target bit rate",
          "Total rate of all layers (bit/s, 0 = the highest of bitrates)", 0,
          G_MAXINT64, 0,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_PLAYING));
  /**
   * GstJ2kLayerEnc:resolutions:
   *
   * The maximum number of resolutions of a picture: one more than the number of
   * times that the picture is halved. Small pictures have fewer. Each
   * resolution costs 7 bytes for each component and layer.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_RESOLUTIONS,
      g_param_spec_uint ("resolutions", "Resolutions",
          "Maximum number of resolutions of a picture", 1, MAX_RESOLUTIONS,
          DEFAULT_RESOLUTIONS, flags));
  /**
   * GstJ2kLayerEnc:threads:
   *
   * The number of threads that encode a picture; 0 is one per processor.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_THREADS,
      g_param_spec_uint ("threads", "Threads",
          "Number of threads per picture (0 = one per processor)", 0, G_MAXINT,
          0, flags));
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
      "JPEG 2000 layer encoder", "Codec/Encoder/Image",
      "Encodes each picture independently, in quality layers of given rates",
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
