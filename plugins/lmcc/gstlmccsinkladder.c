/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Raw video: the encoders that make rungs of it, with rates for the session's
 * layers. */
#include "config.h"

#include "gstlmccsinkladder.h"

#include <stdio.h>
#include <string.h>

#include <gst/video/video.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/* In layers of fixed rates the largest group of pictures has to fit into its
 * share: half a second of an encoder's buffer beside two of its rate. */
#define SHAPED_BUFFER_MS 500

/* What a window has beside twice the distance of key frames. */
#define WINDOW_REST_MS 400

/**
 * LadderCodec:
 * @name: as in lmccsink's property
 * @factory: the element: a sink pad for raw video, request pads src_%u for the
 *     rungs, lowest first; its properties bitrates, key-unit-interval and
 *     vbv-buf-capacity, and its signal encoder-setup, as x264ladderenc has them
 * @encoded: the caps of the rungs
 * @origin: where to get the element
 */
typedef struct
{
  const gchar *name;
  const gchar *factory;
  const gchar *encoded;
  const gchar *origin;
} LadderCodec;

static const LadderCodec codecs[] = {
  {"h264", "x264ladderenc", "video/x-h264,stream-format=(string)byte-stream,"
        "alignment=(string)au", "the plugin lmccladder, which is built and "
        "installed with lmccsink"},
};

struct _GstLmccSinkLadder
{
  GstBin *sink;
  GstLmccSinkCore *core;
  const LadderCodec *codec;
  GstElement *element;
  /* One for each rung. */
  GPtrArray *payloaders;
  /* For all rungs but the lowest, which has lmccsink's own. */
  GPtrArray *core_pads;
};

static const LadderCodec *
find_codec (GstBin * sink, const gchar * name)
{
  g_autoptr (GString) known = g_string_new (NULL);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (codecs); i++) {
    if (g_strcmp0 (name, codecs[i].name) == 0)
      return &codecs[i];
    g_string_append_printf (known, "%s%s", i > 0 ? ", " : "", codecs[i].name);
  }
  GST_ELEMENT_ERROR (sink, RESOURCE, SETTINGS,
      ("There is no codec '%s' for raw video. Set codec to one of: %s.",
          name ? name : "", known->str), (NULL));
  return NULL;
}

static gboolean
make_element (GstLmccSinkLadder * ladder)
{
  ladder->element = gst_element_factory_make (ladder->codec->factory, NULL);
  if (ladder->element)
    return TRUE;
  GST_ELEMENT_ERROR (ladder->sink, CORE, MISSING_PLUGIN,
      ("There is no element %s, which encodes raw video. It is in %s; set "
          "GST_PLUGIN_PATH_1_0 where it is installed elsewhere. Or put an "
          "encoder in front.", ladder->codec->factory, ladder->codec->origin),
      (NULL));
  return FALSE;
}

/* Settings */

static gboolean
set_field (GQuark id, const GValue * value, gpointer user_data)
{
  GstLmccSinkLadder *ladder = user_data;
  const gchar *name = g_quark_to_string (id);
  g_autofree gchar *text = G_VALUE_HOLDS_STRING (value)
      ? g_value_dup_string (value) : gst_value_serialize (value);

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (ladder->element), name)
      && text) {
    gst_util_set_object_arg (G_OBJECT (ladder->element), name, text);
    return TRUE;
  }
  GST_ELEMENT_ERROR (ladder->sink, RESOURCE, SETTINGS,
      ("The encoder-settings have '%s', which %s does not know. "
          "gst-inspect-1.0 %s lists what it does.", name,
          ladder->codec->factory, ladder->codec->factory), (NULL));
  return FALSE;
}

static guint
choose_key_interval (const GstLmccSinkLadderSettings * settings)
{
  if (settings->key_unit_interval > 0)
    return settings->key_unit_interval;
  if (settings->window > 2 * WINDOW_REST_MS)
    return (settings->window - WINDOW_REST_MS) / 2;
  return (LMCC_DEFAULT_SHAPED_WINDOW / LMCC_MSECOND - WINDOW_REST_MS) / 2;
}

static gboolean
set_up_element (GstLmccSinkLadder * ladder,
    const GstLmccSinkLadderSettings * settings)
{
  if (settings->n_layers > 0)
    g_object_set (ladder->element, "vbv-buf-capacity", SHAPED_BUFFER_MS, NULL);
  if (settings->n_layers > 0 || settings->key_unit_interval > 0)
    g_object_set (ladder->element, "key-unit-interval",
        choose_key_interval (settings), NULL);
  return settings->encoder == NULL
      || gst_structure_foreach (settings->encoder, set_field, ladder);
}

/* The rates */

static gboolean
read_picture (GstCaps * caps, LmccPicture * picture)
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

static guint
fit_layers (GstLmccSinkLadder * ladder, const LmccPicture * picture,
    const GstLmccSinkLadderSettings * settings, guint64 * rates)
{
  guint headers = LMCC_RTP_HEADER_SIZE + LMCC_RTP_OVERHEAD, key, buffer, n;
  LmccLadderLimits limits = { 0, };
  g_autoptr (GError) error = NULL;

  g_object_get (ladder->element, "key-unit-interval", &key, "vbv-buf-capacity",
      &buffer, NULL);
  limits.picture_rate = picture->rate;
  limits.packet_overhead = settings->ip_overhead + headers;
  limits.packet_payload = settings->mtu - headers;
  limits.group = key / 1000.0;
  limits.buffer = buffer / 1000.0;
  n = lmcc_ladder_fit_layers (settings->rates, settings->n_layers, &limits,
      rates, &error);
  if (n == 0)
    GST_ELEMENT_ERROR (ladder->sink, RESOURCE, SETTINGS,
        ("These layers are not possible: %s, by base-rate or layer-rates.",
            error->message), (NULL));
  return n;
}

static void
set_bitrates (GstLmccSinkLadder * ladder, const guint64 * rates, guint n)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint i;

  for (i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT, i > 0 ? "," : "",
        (rates[i] + 500) / 1000);
  GST_INFO_OBJECT (ladder->sink, "rungs of %s kbit/s", text->str);
  g_object_set (ladder->element, "bitrates", text->str, NULL);
}

/* Returns how many rungs there are to be, or 0 after an error. Caps that lack
 * something get theirs from the element. */
static guint
choose_rates (GstLmccSinkLadder * ladder, GstCaps * caps,
    const GstLmccSinkLadderSettings * settings)
{
  g_autofree gchar *bitrates = NULL;
  guint64 rates[LMCC_MAX_RUNGS];
  LmccPicture picture;
  guint n;

  g_object_get (ladder->element, "bitrates", &bitrates, NULL);
  if (bitrates && bitrates[0]) {
    g_auto (GStrv) parts = g_strsplit (bitrates, ",", -1);

    return MIN (g_strv_length (parts), LMCC_MAX_RUNGS);
  }
  if (!read_picture (caps, &picture))
    return 1;
  n = settings->n_layers > 0 ? fit_layers (ladder, &picture, settings, rates)
      : lmcc_ladder_default_rates (&picture, rates);
  if (n > 0 && !(settings->encoder
          && gst_structure_has_field (settings->encoder, "bitrate")))
    set_bitrates (ladder, rates, n);
  return n;
}

/* The rungs' ways to the core */

static GstPad *
get_core_pad (GstLmccSinkLadder * ladder, GstPad * first, guint index,
    guint rung)
{
  GstPad *pad;

  if (rung == 0)
    return first;
  pad = gst_lmcc_sink_core_add_pad (ladder->core, index + rung);
  if (pad)
    g_ptr_array_add (ladder->core_pads, pad);
  return pad;
}

static gboolean
link_rung (GstLmccSinkLadder * ladder, GstPad * core_pad, guint rung, guint mtu)
{
  g_autofree gchar *name = g_strdup_printf ("src_%u", rung);
  g_autoptr (GstPad) encoded =
      gst_element_request_pad_simple (ladder->element, name);
  g_autoptr (GstCaps) caps = gst_caps_from_string (ladder->codec->encoded);
  g_autoptr (GstPad) sink = NULL, src = NULL;
  GstElement *payloader;

  /* The element has said why. */
  if (encoded == NULL)
    return FALSE;
  payloader = gst_lmcc_sink_make_payloader (caps, mtu - LMCC_RTP_OVERHEAD);
  if (payloader == NULL || core_pad == NULL) {
    GST_ELEMENT_ERROR (ladder->sink, STREAM, CODEC_NOT_FOUND,
        ("There is no RTP payloader for %s. Install gstreamer1.0-plugins-good.",
            gst_structure_get_name (gst_caps_get_structure (caps, 0))), (NULL));
    return FALSE;
  }
  g_ptr_array_add (ladder->payloaders, payloader);
  gst_bin_add (ladder->sink, payloader);
  sink = gst_element_get_static_pad (payloader, "sink");
  src = gst_element_get_static_pad (payloader, "src");
  return gst_pad_link (encoded, sink) == GST_PAD_LINK_OK
      && gst_pad_link (src, core_pad) == GST_PAD_LINK_OK
      && gst_element_sync_state_with_parent (payloader);
}

static gboolean
build (GstLmccSinkLadder * ladder, GstPad * core_pad, guint index,
    GstCaps * caps, const GstLmccSinkLadderSettings * settings)
{
  guint n, rung;

  if (!set_up_element (ladder, settings))
    return FALSE;
  n = choose_rates (ladder, caps, settings);
  for (rung = 0; rung < n; rung++) {
    if (!link_rung (ladder, get_core_pad (ladder, core_pad, index, rung), rung,
            settings->mtu))
      return FALSE;
  }
  if (n == 0)
    return FALSE;
  gst_element_set_locked_state (ladder->element, FALSE);
  return gst_element_sync_state_with_parent (ladder->element);
}

/**
 * gst_lmcc_sink_ladder_new:
 * @sink: lmccsink, which gets the elements and posts what is wrong
 * @core: its core
 * @core_pad: the core's pad for the lowest rung
 * @index: of that pad
 * @caps: of the raw video
 * @settings: how to encode it
 * @encoder_setup: (scope notified): for the element's signal of that name, with
 *     @sink as user data
 *
 * Returns: (transfer full) (nullable): encoders that run, or %NULL after an
 *     error
 */
GstLmccSinkLadder *
gst_lmcc_sink_ladder_new (GstBin * sink, GstLmccSinkCore * core,
    GstPad * core_pad, guint index, GstCaps * caps,
    const GstLmccSinkLadderSettings * settings, GCallback encoder_setup)
{
  const LadderCodec *codec = find_codec (sink, settings->codec);
  GstLmccSinkLadder *ladder;

  if (codec == NULL)
    return NULL;
  ladder = g_new0 (GstLmccSinkLadder, 1);
  ladder->sink = sink;
  ladder->core = core;
  ladder->codec = codec;
  ladder->payloaders = g_ptr_array_new ();
  ladder->core_pads = g_ptr_array_new ();
  if (make_element (ladder)) {
    g_signal_connect (ladder->element, "encoder-setup", encoder_setup, sink);
    /* The bin may be on its way to another state: not with what is half
     * built. */
    gst_element_set_locked_state (ladder->element, TRUE);
    gst_bin_add (sink, ladder->element);
    if (build (ladder, core_pad, index, caps, settings))
      return ladder;
  }
  gst_lmcc_sink_ladder_free (ladder);
  return NULL;
}

/**
 * gst_lmcc_sink_ladder_get_sink:
 * @ladder: the encoders
 *
 * Returns: (transfer full): where raw video goes in
 */
GstPad *
gst_lmcc_sink_ladder_get_sink (GstLmccSinkLadder * ladder)
{
  return gst_element_get_static_pad (ladder->element, "sink");
}

/**
 * gst_lmcc_sink_ladder_let_go:
 * @ladder: the encoders, which are about to be freed
 *
 * Lets streaming threads out that wait in the core.
 */
void
gst_lmcc_sink_ladder_let_go (GstLmccSinkLadder * ladder)
{
  guint i;

  for (i = 0; i < ladder->core_pads->len; i++)
    gst_lmcc_sink_core_let_go (ladder->core,
        g_ptr_array_index (ladder->core_pads, i));
}

static void
remove_element (GstLmccSinkLadder * ladder, GstElement * element)
{
  gst_element_set_locked_state (element, TRUE);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_bin_remove (ladder->sink, element);
}

/**
 * gst_lmcc_sink_ladder_free:
 * @ladder: (transfer full): the encoders, which no thread is in from upstream
 */
void
gst_lmcc_sink_ladder_free (GstLmccSinkLadder * ladder)
{
  guint i;

  gst_lmcc_sink_ladder_let_go (ladder);
  if (ladder->element)
    remove_element (ladder, ladder->element);
  for (i = 0; i < ladder->payloaders->len; i++)
    remove_element (ladder, g_ptr_array_index (ladder->payloaders, i));
  for (i = 0; i < ladder->core_pads->len; i++)
    gst_lmcc_sink_core_remove_pad (ladder->core,
        g_ptr_array_index (ladder->core_pads, i));
  g_ptr_array_unref (ladder->payloaders);
  g_ptr_array_unref (ladder->core_pads);
  g_free (ladder);
}

/**
 * gst_lmcc_sink_ladder_settings_clear:
 * @settings: whose strings and structure are freed
 */
void
gst_lmcc_sink_ladder_settings_clear (GstLmccSinkLadderSettings * settings)
{
  g_clear_pointer (&settings->codec, g_free);
  g_clear_pointer (&settings->encoder, gst_structure_free);
}
