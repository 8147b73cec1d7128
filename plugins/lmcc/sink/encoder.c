/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Chooses the element that encodes raw video, and its settings for the picture
 * and the layers of the session. */
#include "config.h"

#include "sink/encoder.h"

#include "common/enums.h"

#include <math.h>
#include <string.h>

#include <gst/video/video.h>
#include <gst/lmcc/lmcc-packet.h>

#include <plugins/common/messages.h>
#include <plugins/svc/gstvp9svcrates.h>

/* With fixed rates, the largest group of pictures must fit into its share,
 * which is a quarter more than the encoder's rate. With a buffer of three
 * quarters of the group x264's largest group had 1.2 of its share
 * (docs/users/raw-video.md), with a buffer of the whole group 1.33. */
#define SHAPED_BUFFER_MS 500
#define SHAPED_BUFFER_SHARE 0.75
#define SHAPED_ROOM_SHARE 0.25

/* Time that a window of the user has in addition to twice the key-frame
 * interval. */
#define WINDOW_REST_MS 400

/* Limit of vp9svcenc. */
#define VP9_MAX_SPATIAL GST_VP9_SVC_MAX_SPATIAL
#define VP9_N_TEMPORAL GST_VP9_SVC_MAX_TEMPORAL
static const gdouble vp9_temporal_shares[VP9_N_TEMPORAL] =
    GST_VP9_SVC_TEMPORAL_SHARES;

/* Limit of j2klayerenc. */
#define J2K_MAX_LAYERS 16

/* For layers without given rates: the number of layers, each with twice the
 * cumulative rate below it, and bits per pixel of all layers, at which pictures
 * show few artefacts: docs/users/j2k.md. */
#define J2K_N_LAYERS 5
#define J2K_BITS_PER_PIXEL 1.5
#define J2K_WINDOW (460 * LMCC_MSECOND)

static guint
choose_key_interval (const GstLmccSinkSettings *settings)
{
  if (settings->properties.key_unit_interval > 0)
    return (guint) settings->properties.key_unit_interval;
  if (settings->n_layers > 0 && settings->window > 2 * WINDOW_REST_MS)
    return (settings->window - WINDOW_REST_MS) / 2;
  return settings->profile->raw_key_interval;
}

/* ms */
static guint
choose_buffer (const GstLmccSinkSettings *settings)
{
  return MIN (SHAPED_BUFFER_MS,
      (guint) (SHAPED_BUFFER_SHARE * choose_key_interval (settings)));
}

/* @key_interval and @buffer are in ms. If the user sets a larger buffer than
 * the default, one group of pictures may use all of it. */
static void
set_group (LmccLadderLimits *limits, guint key_interval, guint buffer)
{
  limits->group = key_interval / 1000.0;
  limits->buffer = buffer / 1000.0;
  if (limits->buffer <= SHAPED_BUFFER_SHARE * limits->group)
    limits->buffer = MIN (limits->buffer, SHAPED_ROOM_SHARE * limits->group);
}

static void
set_limits (LmccLadderLimits *limits, const LmccPicture *picture,
    const GstLmccSinkSettings *settings)
{
  guint headers = LMCC_RTP_HEADER_SIZE + LMCC_RTP_OVERHEAD;

  memset (limits, 0, sizeof (*limits));
  limits->picture_rate = picture->rate;
  limits->packet_overhead =
      lmcc_address_get_udp_overhead (&settings->address) + headers;
  limits->packet_payload = settings->properties.mtu - headers;
  set_group (limits, choose_key_interval (settings), choose_buffer (settings));
}

static guint
fit_layers (const guint64 *layer_rates, guint n_layers,
    const LmccLadderLimits *limits, guint64 *rates, GError **error)
{
  g_autoptr (GError) reason = NULL;
  guint n =
      lmcc_ladder_fit_layers (layer_rates, n_layers, limits, rates, &reason);

  if (n == 0)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        _ ("Cannot use these layers: %s, with base-rate or layer-rates."),
        reason->message);
  return n;
}

static gboolean
user_sets (const GstLmccSinkSettings *settings, const gchar *property)
{
  return settings->properties.encoder_settings
      && gst_structure_has_field (settings->properties.encoder_settings,
          property);
}

/* H.264 */

static void
set_x264_distance (GstElement *element,
    const LmccPicture *picture G_GNUC_UNUSED,
    const GstLmccSinkSettings *settings)
{
  if (settings->n_layers > 0)
    g_object_set (element, "vbv-buf-capacity", choose_buffer (settings), NULL);
  g_object_set (element, "key-unit-interval", choose_key_interval (settings),
      NULL);
  if (settings->profile->bframes >= 0)
    g_object_set (element, "bframes", settings->profile->bframes, NULL);
  g_object_set (element, "lookahead", settings->profile->lookahead, NULL);
}

/* Rounded to pictures, as in x264ladderenc. */
static LmccTime
get_x264_distance (GstElement *element, const LmccPicture *picture)
{
  gdouble pictures;
  guint key;

  g_object_get (element, "key-unit-interval", &key, NULL);
  pictures = MAX (1, ceil (key * picture->rate / 1000 - 0.5));

  return (LmccTime) (pictures / picture->rate * LMCC_SECOND);
}

static guint
set_x264_rates (GstElement *element, const LmccPicture *picture,
    const GstLmccSinkSettings *settings, GError **error)
{
  g_autofree gchar *bitrates = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  guint64 rates[LMCC_MAX_RUNGS];
  LmccLadderLimits limits;
  guint key, buffer, n, i;

  g_object_get (element, "bitrates", &bitrates, "key-unit-interval", &key,
      "vbv-buf-capacity", &buffer, NULL);
  if (bitrates && bitrates[0]) {
    g_auto (GStrv) parts = g_strsplit (bitrates, ",", -1);

    return MIN (g_strv_length (parts), LMCC_MAX_RUNGS);
  }
  set_limits (&limits, picture, settings);
  set_group (&limits, key, buffer);
  n = settings->n_layers > 0
      ? fit_layers (settings->rates, settings->n_layers, &limits, rates, error)
      : lmcc_ladder_default_rates (picture, rates);
  if (n == 0 || user_sets (settings, "bitrate"))
    return n;
  for (i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT, i > 0 ? "," : "",
        (rates[i] + 500) / 1000 * 1000);
  g_object_set (element, "bitrates", text->str, NULL);
  return n;
}

/* VP9 */

static void
set_vp9_distance (GstElement *element, const LmccPicture *picture,
    const GstLmccSinkSettings *settings)
{
  gdouble distance = choose_key_interval (settings) * picture->rate / 1000.0;

  g_object_set (element, "keyframe-max-dist", MAX ((gint) distance, 1), NULL);
}

static LmccTime
get_vp9_distance (GstElement *element, const LmccPicture *picture)
{
  gint distance;

  g_object_get (element, "keyframe-max-dist", &distance, NULL);

  return (LmccTime) (MAX (distance, 1) / picture->rate * LMCC_SECOND);
}

/* Spatial or quality layers take the role of rungs: each is complete at one
 * level. */
static guint
set_vp9_layers (GstElement *element, const LmccPicture *picture,
    const GstLmccSinkSettings *settings, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree gchar *mode = NULL;
  guint64 rates[LMCC_MAX_RUNGS], total = 0;
  LmccLadderLimits limits;
  guint n, s, t;

  set_limits (&limits, picture, settings);
  limits.max_rungs = VP9_MAX_SPATIAL;
  n = fit_layers (settings->rates, settings->n_layers, &limits, rates, error);
  if (n == 0)
    return 0;
  for (s = 0; s < n; s++) {
    total += rates[s];
    for (t = 0; t < VP9_N_TEMPORAL; t++)
      g_string_append_printf (text, "%s%.0f", text->len > 0 ? "," : "<",
          (gdouble) rates[s] * vp9_temporal_shares[t]);
  }
  g_string_append (text, ">");
  mode = g_strdup_printf ("L%uT%u", n, VP9_N_TEMPORAL);
  /* If the user sets other layers, vp9svcenc splits the total rate. */
  g_object_set (element, "target-bitrate", (gint) MIN (total, G_MAXINT), NULL);
  if (!user_sets (settings, "scalability-mode")) {
    gst_util_set_object_arg (G_OBJECT (element), "scalability-mode", mode);
    gst_util_set_object_arg (G_OBJECT (element), "layer-bitrates", text->str);
  }
  return 1;
}

static guint
set_vp9_rates (GstElement *element, const LmccPicture *picture,
    const GstLmccSinkSettings *settings, GError **error)
{
  guint64 rates[LMCC_MAX_RUNGS], total = 0;
  guint n, i;

  if (user_sets (settings, "target-bitrate")
      || user_sets (settings, "layer-bitrates"))
    return 1;
  if (settings->n_layers > 0)
    return set_vp9_layers (element, picture, settings, error);
  n = lmcc_ladder_default_rates (picture, rates);
  for (i = 0; i < n; i++)
    total += rates[i];
  g_object_set (element, "target-bitrate", (gint) MIN (total, G_MAXINT), NULL);
  return 1;
}

/* JPEG 2000 */

static guint
default_j2k_rates (const LmccPicture *picture, guint64 *rates)
{
  gdouble total =
      J2K_BITS_PER_PIXEL * picture->width * picture->height * picture->rate;
  guint i;

  for (i = J2K_N_LAYERS; i > 0; i--) {
    rates[i - 1] = (guint64) total;
    total /= 2;
  }
  return J2K_N_LAYERS;
}

/* Each quality layer is a layer of the session. All pictures have the same
 * rate, so key frames need no reserve. */
static guint
fit_j2k_rates (const LmccPicture *picture, const GstLmccSinkSettings *settings,
    guint64 *rates, GError **error)
{
  guint n = MIN (settings->n_layers, J2K_MAX_LAYERS), i;
  guint64 own[LMCC_MAX_RUNGS], total = 0;
  LmccLadderLimits limits;

  set_limits (&limits, picture, settings);
  limits.buffer = 0;
  for (i = 0; i < n; i++) {
    if (fit_layers (&settings->rates[i], 1, &limits, own, error) == 0)
      return 0;
    total += own[0];
    rates[i] = total;
  }
  return n;
}

/* All pictures are key frames, and a window has as many pictures as with other
 * codecs. */
static LmccTime
get_j2k_distance (GstElement *element G_GNUC_UNUSED,
    const LmccPicture *picture G_GNUC_UNUSED)
{
  return J2K_WINDOW;
}

static guint
set_j2k_rates (GstElement *element, const LmccPicture *picture,
    const GstLmccSinkSettings *settings, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint64 rates[J2K_MAX_LAYERS], target;
  guint n, i;

  if (user_sets (settings, "bitrates"))
    return 1;
  n = settings->n_layers > 0 ? fit_j2k_rates (picture, settings, rates, error)
                             : default_j2k_rates (picture, rates);
  /* Its rates have the type gint. */
  while (n > 1 && rates[n - 1] > G_MAXINT)
    n--;
  if (n == 0)
    return 0;
  for (i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT, i > 0 ? "," : "<",
        MIN (rates[i], G_MAXINT) / 1000 * 1000);
  g_string_append (text, ">");
  g_object_get (element, "target-bitrate", &target, NULL);
  gst_util_set_object_arg (G_OBJECT (element), "bitrates", text->str);
  /* target-bitrate only has an effect if it is set after bitrates. */
  if (user_sets (settings, "target-bitrate"))
    g_object_set (element, "target-bitrate", target, NULL);
  return 1;
}

static const GstLmccSinkEncoder encoders[] = {
  [GST_LMCC_CODEC_H264] = {
        .factory = "x264ladderenc",
        .pad = "src_%u",
        .encoded = "video/x-h264,stream-format=(string)byte-stream,"
        "alignment=(string)au",
        .origin =
            N_ ("the plugin lmccladder, which is built and "
                "installed with lmccsink"),
        .converts = TRUE,
        .sets_up = TRUE,
        .set_distance = set_x264_distance,
        .get_distance = get_x264_distance,
        .set_rates = set_x264_rates,
      },
  [GST_LMCC_CODEC_VP9] = {
        .factory = "vp9svcenc",
        .pad = "src",
        .encoded = "video/x-vp9-svc",
        .origin =
            N_ ("the plugin lmccsvc, which is built with lmccsink if "
                "libvpx 1.12 or later is installed (libvpx-dev)"),
        .set_distance = set_vp9_distance,
        .get_distance = get_vp9_distance,
        .set_rates = set_vp9_rates,
      },
  [GST_LMCC_CODEC_J2K] = {
        .factory = "j2klayerenc",
        .pad = "src",
        .encoded = "image/x-jpc",
        .origin =
            N_ ("the plugin lmccj2k, which is built with lmccsink if "
                "OpenJPEG 2.5 or later is installed (libopenjp2-7-dev)"),
        .get_distance = get_j2k_distance,
        .set_rates = set_j2k_rates,
      },
};

/**
 * gst_lmcc_sink_encoder_find:
 * @codec: codec property of lmccsink
 *
 * Returns: (transfer none): the encoder for it
 */
const GstLmccSinkEncoder *
gst_lmcc_sink_encoder_find (gint codec)
{
  return &encoders[codec];
}

typedef struct
{
  const GstLmccSinkEncoder *encoder;
  GstElement *element;
  GError **error;
} FieldSetter;

static gboolean
set_field (GQuark id, const GValue *value, gpointer user_data)
{
  const FieldSetter *to = user_data;
  const gchar *name = g_quark_to_string (id);
  g_autofree gchar *text = G_VALUE_HOLDS_STRING (value)
      ? g_value_dup_string (value)
      : gst_value_serialize (value);

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (to->element), name)
      && text) {
    gst_util_set_object_arg (G_OBJECT (to->element), name, text);
    return TRUE;
  }
  g_set_error (to->error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      _ ("encoder-settings contains '%s', which is no property of %s. "
         "gst-inspect-1.0 %s lists its properties."),
      name, to->encoder->factory, to->encoder->factory);
  return FALSE;
}

static gboolean
read_picture (GstCaps *caps, LmccPicture *picture)
{
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, caps) || info.fps_n <= 0
      || info.width <= 0 || info.height <= 0)
    return FALSE;
  picture->width = (guint) info.width;
  picture->height = (guint) info.height;
  picture->rate = (gdouble) info.fps_n / info.fps_d;
  return TRUE;
}

/**
 * gst_lmcc_sink_encoder_set_up:
 * @encoder: description of the encoder
 * @element: the new element
 * @caps: caps of the raw video
 * @settings: settings of lmccsink
 * @key_distance: (out): its key-frame interval, ns
 * @error: why the settings are impossible
 *
 * Settings of the user take precedence; all others follow from picture and
 * layers.
 *
 * Returns: number of rungs, or 0
 */
guint
gst_lmcc_sink_encoder_set_up (const GstLmccSinkEncoder *encoder,
    GstElement *element, GstCaps *caps, const GstLmccSinkSettings *settings,
    LmccTime *key_distance, GError **error)
{
  FieldSetter setter = { encoder, element, error };
  LmccPicture picture;

  if (!read_picture (caps, &picture)) {
    g_autofree gchar *text = gst_caps_to_string (caps);

    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        _ ("The raw video has no width, height or fixed framerate, which are "
           "needed to choose the rates: its caps are %s. Set them upstream: "
           "videorate ! video/x-raw,framerate=25/1"),
        text);
    return 0;
  }
  if (encoder->set_distance)
    encoder->set_distance (element, &picture, settings);
  if (settings->properties.encoder_settings
      && !gst_structure_foreach (settings->properties.encoder_settings,
          set_field, &setter))
    return 0;
  *key_distance = encoder->get_distance (element, &picture);
  return encoder->set_rates (element, &picture, settings, error);
}
