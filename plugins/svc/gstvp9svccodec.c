/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Wraps libvpx's VP9 encoder, with one pass and no lag. For every picture each
 * spatial layer is told which frames to refer to, in libvpx's terms: "last" is
 * the earlier picture, "golden" is the layer below.
 */
#include "gstvp9svccodec.h"

#include <plugins/common/messages.h>

#include <gst/base/base.h>
#include <vpx/vp8cx.h>
#include <vpx/vpx_encoder.h>

#define TIMEBASE 90000

/* Maximum and target fill of a layer's rate buffer, in ms: the values of
 * libvpx's own examples of one-pass coding. */
#define BUFFER_SIZE 1000
#define BUFFER_INITIAL_SIZE 500
#define BUFFER_OPTIMAL_SIZE 600
#define SHOOT_PERCENT 50

/* Maximum size of a key frame, in per cent of the average size of a picture. */
#define MAX_INTRA_PERCENT 900

/* Libvpx's cyclic refresh codes a part of each picture with finer quantizers,
 * which the layers above then have to code again. Without it the levels are 0.4
 * dB better on average. */
#define AQ_NONE 0

/* Smaller pictures deserve a slower search, because it takes little time
 * compared with the full size: all layers together take a third longer, and the
 * levels are 0.4 dB better on average. Speed 3 instead of 4 would take six
 * times as long. */
#define SMALL_SLOWER 2
#define SMALL_MIN_SPEED 4

/* A tile is at least 256 pixels wide. */
#define MIN_TILE_WIDTH 256

/* Superframe index: VP9 bitstream specification, annex B. */
#define SUPERFRAME_MARKER 0xc0

struct _GstVp9SvcCodec
{
  GstVp9SvcStructure structure;
  GstVideoInfo info;
  vpx_codec_enc_cfg_t config;
  vpx_codec_ctx_t context;
  gboolean opened;
  gint64 last_pts;
  /* Output of libvpx for the current picture. */
  GstBuffer *out[GST_VP9_SVC_MAX_SPATIAL];
  guint n_out;
};

static gboolean
fail (GstVp9SvcCodec *codec, const gchar *what, GError **error)
{
  const gchar *detail = vpx_codec_error_detail (&codec->context);

  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "%s: %s%s%s", what, vpx_codec_error (&codec->context), detail ? ", " : "",
      detail ? detail : "");

  return FALSE;
}

static guint
get_bitrate (const GstVp9SvcCodec *codec, const GstVp9SvcSettings *settings,
    guint spatial_id, guint up_to)
{
  guint sum = 0, t;

  for (t = 0; t <= up_to; t++)
    sum += settings->bitrates[spatial_id * codec->structure.n_temporal + t];

  return MAX (sum / 1000, 1);
}

/* For each temporal layer libvpx expects the cumulative rate of it and all
 * lower ones, in kbit/s. */
static void
fill_rates (GstVp9SvcCodec *codec, const GstVp9SvcSettings *settings)
{
  const GstVp9SvcStructure *structure = &codec->structure;
  vpx_codec_enc_cfg_t *config = &codec->config;
  guint s, t;

  config->rc_target_bitrate = 0;
  for (s = 0; s < structure->n_spatial; s++) {
    for (t = 0; t < structure->n_temporal; t++)
      config->layer_target_bitrate[s * structure->n_temporal + t] =
          get_bitrate (codec, settings, s, t);
    config->ss_target_bitrate[s] =
        get_bitrate (codec, settings, s, structure->n_temporal - 1);
    config->rc_target_bitrate += config->ss_target_bitrate[s];
  }
  if (structure->n_spatial == 1) {
    for (t = 0; t < structure->n_temporal; t++)
      config->ts_target_bitrate[t] = config->layer_target_bitrate[t];
  }
  config->rc_min_quantizer = settings->min_quantizer;
  config->rc_max_quantizer = settings->max_quantizer;
}

static void
fill_layers (GstVp9SvcCodec *codec)
{
  const GstVp9SvcStructure *structure = &codec->structure;
  vpx_codec_enc_cfg_t *config = &codec->config;
  guint period = gst_vp9_svc_structure_get_period (structure), i;

  config->ss_number_layers = structure->n_spatial;
  config->ts_number_layers = structure->n_temporal;
  config->ts_periodicity = period;
  for (i = 0; i < period; i++)
    config->ts_layer_id[i] =
        gst_vp9_svc_structure_get_temporal_id (structure, i);
  for (i = 0; i < structure->n_temporal; i++)
    config->ts_rate_decimator[i] = 1u << (structure->n_temporal - 1 - i);
  config->temporal_layering_mode = VP9E_TEMPORAL_LAYERING_MODE_BYPASS;
}

static void
fill_config (GstVp9SvcCodec *codec, const GstVp9SvcSettings *settings)
{
  vpx_codec_enc_cfg_t *config = &codec->config;

  vpx_codec_enc_config_default (vpx_codec_vp9_cx (), config, 0);
  config->g_w = (guint) GST_VIDEO_INFO_WIDTH (&codec->info);
  config->g_h = (guint) GST_VIDEO_INFO_HEIGHT (&codec->info);
  config->g_timebase.num = 1;
  config->g_timebase.den = TIMEBASE;
  config->g_threads = settings->threads;
  config->g_pass = VPX_RC_ONE_PASS;
  config->g_lag_in_frames = 0;
  /* Without this setting a lower layer cannot be decoded alone. */
  config->g_error_resilient = VPX_ERROR_RESILIENT_DEFAULT;
  config->rc_end_usage = VPX_CBR;
  config->rc_dropframe_thresh = 0;
  config->rc_resize_allowed = 0;
  config->rc_buf_sz = BUFFER_SIZE;
  config->rc_buf_initial_sz = BUFFER_INITIAL_SIZE;
  config->rc_buf_optimal_sz = BUFFER_OPTIMAL_SIZE;
  config->rc_undershoot_pct = SHOOT_PERCENT;
  config->rc_overshoot_pct = SHOOT_PERCENT;
  config->kf_mode = VPX_KF_DISABLED;
  fill_layers (codec);
  fill_rates (codec, settings);
}

static gboolean
is_layered (const GstVp9SvcCodec *codec)
{
  return codec->structure.n_spatial * codec->structure.n_temporal > 1;
}

static gint
get_speed (const GstVp9SvcStructure *structure, gint cpu_used, guint spatial_id)
{
  if (!structure->halved || spatial_id + 1 >= structure->n_spatial)
    return cpu_used;

  return MAX (cpu_used - SMALL_SLOWER, MIN (cpu_used, SMALL_MIN_SPEED));
}

static gboolean
set_layers (GstVp9SvcCodec *codec, const GstVp9SvcSettings *settings)
{
  const GstVp9SvcStructure *structure = &codec->structure;
  vpx_svc_extra_cfg_t layers = { 0 };
  guint i;

  for (i = 0; i < VPX_MAX_LAYERS; i++) {
    layers.min_quantizers[i] = (gint) settings->min_quantizer;
    layers.max_quantizers[i] = (gint) settings->max_quantizer;
    layers.speed_per_layer[i] = get_speed (structure, settings->cpu_used, i);
    layers.scaling_factor_num[i] = 1;
    layers.scaling_factor_den[i] = 1;
  }
  for (i = 0; structure->halved && i < structure->n_spatial; i++)
    layers.scaling_factor_den[i] = 1 << (structure->n_spatial - 1 - i);
  layers.temporal_layering_mode = VP9E_TEMPORAL_LAYERING_MODE_BYPASS;

  return vpx_codec_control (&codec->context, VP9E_SET_SVC_PARAMETERS, &layers)
      == VPX_CODEC_OK;
}

static vpx_color_space_t
get_color_space (const GstVideoInfo *info)
{
  switch (GST_VIDEO_INFO_COLORIMETRY (info).matrix) {
    case GST_VIDEO_COLOR_MATRIX_BT601:
      return VPX_CS_BT_601;
    case GST_VIDEO_COLOR_MATRIX_BT709:
      return VPX_CS_BT_709;
    case GST_VIDEO_COLOR_MATRIX_SMPTE240M:
      return VPX_CS_SMPTE_240;
    case GST_VIDEO_COLOR_MATRIX_BT2020:
      return VPX_CS_BT_2020;
    default:
      return VPX_CS_UNKNOWN;
  }
}

static gint
get_tile_columns (const GstVp9SvcCodec *codec, guint threads)
{
  guint wide = MAX (codec->config.g_w / MIN_TILE_WIDTH, 1);

  return (gint) g_bit_storage (MIN (wide, threads)) - 1;
}

static void
take_output (vpx_codec_cx_pkt_t *packet, void *user_data)
{
  GstVp9SvcCodec *codec = user_data;

  if (packet->kind != VPX_CODEC_CX_FRAME_PKT
      || codec->n_out == GST_VP9_SVC_MAX_SPATIAL)
    return;
  codec->out[codec->n_out++] =
      gst_buffer_new_memdup (packet->data.frame.buf, packet->data.frame.sz);
}

static gboolean
set_controls (GstVp9SvcCodec *codec, const GstVp9SvcSettings *settings)
{
  vpx_codec_ctx_t *context = &codec->context;
  gint full_range = GST_VIDEO_INFO_COLORIMETRY (&codec->info).range
      == GST_VIDEO_COLOR_RANGE_0_255;

  return vpx_codec_control (context, VP8E_SET_CPUUSED, settings->cpu_used)
      == VPX_CODEC_OK
      && vpx_codec_control (context, VP9E_SET_TILE_COLUMNS,
             get_tile_columns (codec, settings->threads))
      == VPX_CODEC_OK
      && vpx_codec_control (context, VP9E_SET_ROW_MT, settings->threads > 1)
      == VPX_CODEC_OK
      && vpx_codec_control (context, VP9E_SET_AQ_MODE, AQ_NONE) == VPX_CODEC_OK
      && vpx_codec_control (context, VP8E_SET_MAX_INTRA_BITRATE_PCT,
             MAX_INTRA_PERCENT)
      == VPX_CODEC_OK
      && vpx_codec_control (context, VP9E_SET_COLOR_SPACE,
             (gint) get_color_space (&codec->info))
      == VPX_CODEC_OK
      && vpx_codec_control (context, VP9E_SET_COLOR_RANGE, full_range)
      == VPX_CODEC_OK;
}

static gboolean
open_codec (GstVp9SvcCodec *codec, const GstVp9SvcSettings *settings,
    GError **error)
{
  vpx_codec_priv_output_cx_pkt_cb_pair_t output = { take_output, codec };

  if (vpx_codec_enc_init (&codec->context, vpx_codec_vp9_cx (), &codec->config,
          0)
      != VPX_CODEC_OK)
    return fail (codec, _ ("libvpx cannot encode with these settings"), error);
  codec->opened = TRUE;
  if (is_layered (codec)
      && (vpx_codec_control (&codec->context, VP9E_SET_SVC, 1) != VPX_CODEC_OK
          || !set_layers (codec, settings)))
    return fail (codec, _ ("libvpx cannot make these layers"), error);
  if (!set_controls (codec, settings)
      || vpx_codec_control (&codec->context, VP9E_REGISTER_CX_CALLBACK, &output)
          != VPX_CODEC_OK)
    return fail (codec, _ ("libvpx cannot use these settings"), error);

  return TRUE;
}

/*
 * gst_vp9_svc_codec_new:
 * @structure: the layers
 * @info: format of the pictures, I420
 * @settings: rates and other settings
 * @error: (out): the setting that libvpx refuses
 *
 * Returns: (transfer full) (nullable): an encoder
 */
GstVp9SvcCodec *
gst_vp9_svc_codec_new (const GstVp9SvcStructure *structure,
    const GstVideoInfo *info, const GstVp9SvcSettings *settings, GError **error)
{
  g_autoptr (GstVp9SvcCodec) codec = g_new0 (GstVp9SvcCodec, 1);

  codec->structure = *structure;
  codec->info = *info;
  codec->last_pts = -1;
  fill_config (codec, settings);
  if (!open_codec (codec, settings, error))
    return NULL;

  return g_steal_pointer (&codec);
}

static void
clear_output (GstVp9SvcCodec *codec)
{
  while (codec->n_out > 0)
    gst_clear_buffer (&codec->out[--codec->n_out]);
}

void
gst_vp9_svc_codec_free (GstVp9SvcCodec *codec)
{
  clear_output (codec);
  if (codec->opened)
    vpx_codec_destroy (&codec->context);
  g_free (codec);
}

/*
 * gst_vp9_svc_codec_set_settings:
 * @codec: an encoder
 * @settings: used from the next picture on; the number of threads cannot change
 * @error: (out): the setting that libvpx refuses
 */
gboolean
gst_vp9_svc_codec_set_settings (GstVp9SvcCodec *codec,
    const GstVp9SvcSettings *settings, GError **error)
{
  fill_rates (codec, settings);
  /* Each layer has its own quantizers and speed, which libvpx only takes over
   * when the configuration is set. */
  if ((is_layered (codec) && !set_layers (codec, settings))
      || vpx_codec_enc_config_set (&codec->context, &codec->config)
          != VPX_CODEC_OK
      || vpx_codec_control (&codec->context, VP8E_SET_CPUUSED,
             settings->cpu_used)
          != VPX_CODEC_OK)
    return fail (codec, _ ("libvpx cannot use these settings"), error);

  return TRUE;
}

/* A frame header names three buffers, whether the frame uses them or not. A
 * receiver must have all of them. If the frame refers to the layer below only,
 * that is "last", as libvpx does itself in key frames. */
static void
fill_references (vpx_svc_ref_frame_config_t *config, guint s,
    const GstVp9SvcLayerFrame *frame)
{
  gint last = frame->inter_picture || !frame->inter_layer
      ? frame->reference_slot
      : frame->layer_slot;

  config->lst_fb_idx[s] = last;
  config->gld_fb_idx[s] = frame->inter_layer ? frame->layer_slot : last;
  config->alt_fb_idx[s] = last;
  config->reference_last[s] = frame->inter_picture || frame->inter_layer;
  config->reference_golden[s] = frame->inter_picture && frame->inter_layer;
  if (frame->update_slot >= 0)
    config->update_buffer_slot[s] = 1 << frame->update_slot;
}

static gboolean
set_references (GstVp9SvcCodec *codec, const GstVp9SvcLayerFrame *frames)
{
  vpx_svc_layer_id_t layers = { 0 };
  vpx_svc_ref_frame_config_t references = { 0 };
  guint s;

  layers.temporal_layer_id = (gint) frames[0].temporal_id;
  for (s = 0; s < codec->structure.n_spatial; s++) {
    layers.temporal_layer_id_per_spatial[s] = (gint) frames[s].temporal_id;
    fill_references (&references, s, &frames[s]);
  }

  return vpx_codec_control (&codec->context, VP9E_SET_SVC_LAYER_ID, &layers)
      == VPX_CODEC_OK
      && vpx_codec_control (&codec->context, VP9E_SET_SVC_REF_FRAME_CONFIG,
             &references)
      == VPX_CODEC_OK;
}

static void
wrap_picture (vpx_image_t *image, GstVideoFrame *picture)
{
  guint plane;

  vpx_img_wrap (image, VPX_IMG_FMT_I420,
      (guint) GST_VIDEO_FRAME_WIDTH (picture),
      (guint) GST_VIDEO_FRAME_HEIGHT (picture), 1,
      GST_VIDEO_FRAME_PLANE_DATA (picture, 0));
  for (plane = 0; plane < 3; plane++) {
    image->planes[plane] = GST_VIDEO_FRAME_COMP_DATA (picture, plane);
    image->stride[plane] = GST_VIDEO_FRAME_COMP_STRIDE (picture, plane);
  }
}

/* libvpx requires strictly increasing timestamps. */
static gint64
get_codec_pts (GstVp9SvcCodec *codec, GstClockTime pts)
{
  gint64 ticks =
      (gint64) gst_util_uint64_scale_round (pts, TIMEBASE, GST_SECOND);

  codec->last_pts = MAX (ticks, codec->last_pts + 1);

  return codec->last_pts;
}

/*
 * gst_vp9_svc_codec_encode:
 * @codec: an encoder
 * @picture: the picture to encode
 * @pts: its presentation time
 * @duration: its duration, at least one tick of 1/90000 s
 * @frames: (array): references of each spatial layer
 * @key: whether it is a key frame
 * @buffers: (out) (array) (transfer full): a buffer for each spatial layer
 * @error: (out): the reason of a failure
 */
gboolean
gst_vp9_svc_codec_encode (GstVp9SvcCodec *codec, GstVideoFrame *picture,
    GstClockTime pts, GstClockTime duration, const GstVp9SvcLayerFrame *frames,
    gboolean key, GstBuffer **buffers, GError **error)
{
  vpx_enc_frame_flags_t flags = key ? VPX_EFLAG_FORCE_KF : 0;
  guint64 ticks = gst_util_uint64_scale (duration, TIMEBASE, GST_SECOND);
  vpx_image_t image;
  guint i;

  if (!is_layered (codec))
    flags |= VP8_EFLAG_NO_REF_GF | VP8_EFLAG_NO_REF_ARF | VP8_EFLAG_NO_UPD_GF
        | VP8_EFLAG_NO_UPD_ARF;
  else if (!set_references (codec, frames))
    return fail (codec, _ ("libvpx cannot use these references"), error);

  wrap_picture (&image, picture);
  clear_output (codec);
  if (vpx_codec_encode (&codec->context, &image, get_codec_pts (codec, pts),
          MAX (ticks, 1), flags, VPX_DL_REALTIME)
      != VPX_CODEC_OK)
    return fail (codec, _ ("libvpx cannot encode a picture"), error);
  if (codec->n_out != codec->structure.n_spatial) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_ENCODE,
        _ ("libvpx produced %u layers of a picture instead of %u"),
        codec->n_out, codec->structure.n_spatial);
    return FALSE;
  }
  for (i = 0; i < codec->n_out; i++)
    buffers[i] = g_steal_pointer (&codec->out[i]);
  codec->n_out = 0;

  return TRUE;
}

static guint
count_bytes (gsize value)
{
  return MAX ((g_bit_storage (value) + 7) / 8, 1);
}

/*
 * gst_vp9_svc_codec_join:
 * @buffers: (array length=n_buffers) (transfer full): layer frames of a picture
 * @n_buffers: number of layer frames
 *
 * Returns: (transfer full): the picture as one superframe, with its index
 */
GstBuffer *
gst_vp9_svc_codec_join (GstBuffer **buffers, guint n_buffers)
{
  GstByteWriter writer;
  GstBuffer *joined = buffers[0];
  gsize sizes[GST_VP9_SVC_MAX_SPATIAL], largest = 0;
  guint n_bytes, i, byte;
  guint8 marker;

  if (n_buffers == 1)
    return joined;

  for (i = 0; i < n_buffers; i++) {
    sizes[i] = gst_buffer_get_size (buffers[i]);
    largest = MAX (largest, sizes[i]);
  }
  for (i = 1; i < n_buffers; i++)
    joined = gst_buffer_append (joined, buffers[i]);

  n_bytes = count_bytes (largest);
  marker = (guint8) (SUPERFRAME_MARKER | (n_bytes - 1) << 3 | (n_buffers - 1));
  gst_byte_writer_init (&writer);
  gst_byte_writer_put_uint8 (&writer, marker);
  for (i = 0; i < n_buffers; i++) {
    for (byte = 0; byte < n_bytes; byte++)
      gst_byte_writer_put_uint8 (&writer, (guint8) (sizes[i] >> 8 * byte));
  }
  gst_byte_writer_put_uint8 (&writer, marker);

  return gst_buffer_append (joined,
      gst_byte_writer_reset_and_get_buffer (&writer));
}
