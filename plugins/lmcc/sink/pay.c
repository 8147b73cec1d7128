/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds the standard payloader for an elementary stream in the registry. */
#include "config.h"

#include "common/rtphdrextlmcclayer.h"
#include "sink/core.h"

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/* ID of the RFC 8285 element between payloader and core; it does not leave the
 * host. */
#define MARK_ID 2

static GList *
list_payloaders (void)
{
  GList *all =
      gst_element_factory_list_get_elements (GST_ELEMENT_FACTORY_TYPE_PAYLOADER,
          GST_RANK_MARGINAL);
  GList *rtp = NULL, *l;

  for (l = all; l; l = l->next) {
    const gchar *klass =
        gst_element_factory_get_metadata (l->data, GST_ELEMENT_METADATA_KLASS);

    if (klass && g_strrstr (klass, "Payloader/Network/RTP"))
      rtp = g_list_append (rtp, gst_object_ref (l->data));
  }
  gst_plugin_feature_list_free (all);
  return g_list_sort (rtp, gst_plugin_feature_rank_compare_func);
}

static gboolean
is_payloader_of (GstElementFactory *factory, const gchar *media)
{
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("application/x-rtp", "media",
      G_TYPE_STRING, media, NULL);

  return gst_element_factory_can_src_any_caps (factory, caps);
}

static GstCaps *
encoded_caps (GstElementFactory *factory)
{
  GstCaps *caps = gst_caps_new_empty ();
  const GList *l;
  guint i;

  for (l = gst_element_factory_get_static_pad_templates (factory); l;
       l = l->next) {
    GstStaticPadTemplate *pad_template = l->data;
    g_autoptr (GstCaps) pad_caps = NULL;

    if (pad_template->direction != GST_PAD_SINK)
      continue;
    pad_caps = gst_static_pad_template_get_caps (pad_template);
    for (i = 0; i < gst_caps_get_size (pad_caps); i++) {
      const GstStructure *s = gst_caps_get_structure (pad_caps, i);

      /* Some video payloaders also accept audio: rtpmp4gpay. */
      if (!gst_structure_has_name (s, "video/x-raw")
          && !g_str_has_prefix (gst_structure_get_name (s), "audio/"))
        gst_caps_append_structure (caps, gst_structure_copy (s));
    }
  }
  return caps;
}

/**
 * gst_lmcc_sink_accepted_caps:
 *
 * Returns: (transfer full): RTP and all formats with a payloader; no raw video
 */
GstCaps *
gst_lmcc_sink_accepted_caps (void)
{
  GstCaps *caps = gst_caps_new_empty_simple ("application/x-rtp");
  GList *payloaders = list_payloaders (), *l;

  for (l = payloaders; l; l = l->next) {
    if (is_payloader_of (l->data, "video"))
      caps = gst_caps_merge (caps, encoded_caps (l->data));
  }
  gst_plugin_feature_list_free (payloaders);
  return caps;
}

/* The same property has different types and ranges in different payloaders:
 * sets it if @value is valid. */
static gboolean
set_if_there (GstElement *element, const gchar *property, const gchar *value)
{
  GParamSpec *pspec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), property);
  g_auto (GValue) parsed = G_VALUE_INIT;

  if (pspec == NULL)
    return FALSE;
  g_value_init (&parsed, pspec->value_type);
  if (!gst_value_deserialize (&parsed, value)
      || g_param_value_validate (pspec, &parsed))
    return FALSE;
  g_object_set_property (G_OBJECT (element), property, &parsed);
  return TRUE;
}

/* Adds the header extension that carries layer marks of upstream buffers
 * through the payloader. */
static void
add_mark_extension (GstElement *payloader)
{
  GstElement *extension = gst_element_factory_make ("rtphdrextlmcclayer", NULL);

  if (extension == NULL)
    return;
  gst_object_ref_sink (extension);
  gst_rtp_header_extension_set_id (GST_RTP_HEADER_EXTENSION (extension),
      MARK_ID);
  if (g_signal_lookup ("add-extension", G_OBJECT_TYPE (payloader)) != 0)
    g_signal_emit_by_name (payloader, "add-extension", extension);
  gst_object_unref (extension);
}

static GstElement *
make_payloader (const gchar *media, GstCaps *caps, guint mtu)
{
  GList *payloaders = list_payloaders (), *l;
  GstElement *payloader = NULL;
  g_autofree gchar *mtu_text = g_strdup_printf ("%u", mtu);

  for (l = payloaders; l && payloader == NULL; l = l->next) {
    if (is_payloader_of (l->data, media)
        && gst_element_factory_can_sink_any_caps (l->data, caps))
      payloader = gst_element_factory_create (l->data, NULL);
  }
  gst_plugin_feature_list_free (payloaders);
  if (payloader)
    set_if_there (payloader, "mtu", mtu_text);
  GST_INFO ("payloader %" GST_PTR_FORMAT, payloader);
  return payloader;
}

/**
 * gst_lmcc_sink_make_sound_payloader:
 * @caps: caps of encoded audio
 * @mtu: maximum size of its RTP packets
 *
 * Returns: (transfer floating) (nullable): a payloader, or %NULL if there is
 * none for @caps
 */
GstElement *
gst_lmcc_sink_make_sound_payloader (GstCaps *caps, guint mtu)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  GstElement *payloader = NULL;

  /* Two payloaders accept AAC. Players support this one's format (RFC 3640)
   * best. The other one (RFC 6416) of GStreamer 1.22 makes packets that its own
   * depayloader cannot completely restore. */
  if (gst_structure_has_name (s, "audio/mpeg"))
    payloader = gst_element_factory_make ("rtpmp4gpay", NULL);
  if (payloader)
    g_object_set (payloader, "mtu", mtu, NULL);
  return payloader ? payloader : make_payloader ("audio", caps, mtu);
}

/* rtph265pay only repeats parameter sets before IDR pictures. The key frames of
 * open groups of pictures, the default of x265, are CRA pictures: receivers
 * that join later would never get a parameter set. h265parse repeats them there
 * as well. */
static GstElement *
put_parser_in_front (GstElement *payloader)
{
  GstElement *parser = gst_element_factory_make ("h265parse", NULL);
  g_autoptr (GstPad) sink = NULL, src = NULL;
  GstElement *bin;

  if (parser == NULL)
    return payloader;
  g_object_set (parser, "config-interval", -1, NULL);
  bin = gst_bin_new (NULL);
  gst_bin_add_many (GST_BIN (bin), parser, payloader, NULL);
  gst_element_link (parser, payloader);
  sink = gst_element_get_static_pad (parser, "sink");
  src = gst_element_get_static_pad (payloader, "src");
  gst_element_add_pad (bin, gst_ghost_pad_new ("sink", sink));
  gst_element_add_pad (bin, gst_ghost_pad_new ("src", src));
  return bin;
}

/**
 * gst_lmcc_sink_make_payloader:
 * @caps: caps of an elementary video stream
 * @mtu: maximum size of its RTP packets
 *
 * Returns: (transfer floating) (nullable): a payloader that repeats parameter
 * sets in band, or %NULL if there is none for @caps
 */
GstElement *
gst_lmcc_sink_make_payloader (GstCaps *caps, guint mtu)
{
  GstElement *payloader = make_payloader ("video", caps, mtu);

  if (payloader == NULL)
    return NULL;
  /* With every key frame, otherwise each second. */
  if (!set_if_there (payloader, "config-interval", "-1"))
    set_if_there (payloader, "config-interval", "1");
  set_if_there (payloader, "aggregate-mode", "none");
  /* Pictures in the same packet would wait for each other and share a
   * timestamp. */
  set_if_there (payloader, "max-ptime", "1");
  add_mark_extension (payloader);
  return gst_structure_has_name (gst_caps_get_structure (caps, 0),
             "video/x-h265")
      ? put_parser_in_front (payloader)
      : payloader;
}
