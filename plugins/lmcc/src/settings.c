/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "common/enums.h"
#include "src/private.h"

#define DEFAULT_ADDRESS "239.255.42.1"

/**
 * gst_lmcc_src_settings_init:
 * @settings: (out caller-allocates): the defaults
 */
void
gst_lmcc_src_settings_init (GstLmccSrcSettings * settings)
{
  *settings = (GstLmccSrcSettings) {
  .address = g_strdup (DEFAULT_ADDRESS),.port =
        GST_LMCC_DEFAULT_PORT,.latency =
        LMCC_DEFAULT_LATENCY / LMCC_MSECOND,.max_level = -1,.algorithm =
        GST_LMCC_ALGORITHM_AUTO,.rtt_mode =
        LMCC_RTT_MODE_FEEDBACK,.rtt =
        GST_LMCC_DEFAULT_RTT,.on_loss = LMCC_ON_LOSS_CONCEAL,};
}

/**
 * gst_lmcc_src_settings_copy:
 * @from: what to copy
 * @to: (out caller-allocates): a copy with its own strings and structures
 */
void
gst_lmcc_src_settings_copy (const GstLmccSrcSettings * from,
    GstLmccSrcSettings * to)
{
  *to = *from;
  to->address = g_strdup (from->address);
  to->multicast_iface = g_strdup (from->multicast_iface);
  to->multicast_source = g_strdup (from->multicast_source);
  to->sdp = g_strdup (from->sdp);
  to->codecs = g_strdup (from->codecs);
  to->uri_error = g_strdup (from->uri_error);
  if (from->algorithm_settings)
    to->algorithm_settings = gst_structure_copy (from->algorithm_settings);
}

/**
 * gst_lmcc_src_settings_clear:
 * @settings: whose strings and structures are freed
 */
void
gst_lmcc_src_settings_clear (GstLmccSrcSettings * settings)
{
  g_clear_pointer (&settings->address, g_free);
  g_clear_pointer (&settings->multicast_iface, g_free);
  g_clear_pointer (&settings->multicast_source, g_free);
  g_clear_pointer (&settings->sdp, g_free);
  g_clear_pointer (&settings->codecs, g_free);
  g_clear_pointer (&settings->uri_error, g_free);
  gst_clear_structure (&settings->algorithm_settings);
}

static void
set_string (gchar ** member, const gchar * value)
{
  g_free (*member);
  *member = g_strdup (value);
}

static gboolean
check_names (const GstLmccUri * uri, GError ** error)
{
  if ((uri->flags & GST_LMCC_URI_ALGORITHM)
      && gst_lmcc_algorithm_from_name (uri->algorithm) < 0) {
    g_set_error (error, GST_LMCC_URI_ERROR, GST_LMCC_URI_ERROR_VALUE,
        "algorithm '%s': there is none of this name; gst-inspect-1.0 lmccsrc "
        "lists them", uri->algorithm);
    return FALSE;
  }
  if ((uri->flags & GST_LMCC_URI_RTT_MODE)
      && gst_lmcc_rtt_mode_from_name (uri->rtt_mode) < 0) {
    g_set_error (error, GST_LMCC_URI_ERROR, GST_LMCC_URI_ERROR_VALUE,
        "rtt-mode '%s': give feedback, join or fixed", uri->rtt_mode);
    return FALSE;
  }
  if ((uri->flags & GST_LMCC_URI_ON_LOSS)
      && gst_lmcc_on_loss_from_name (uri->on_loss) < 0) {
    g_set_error (error, GST_LMCC_URI_ERROR, GST_LMCC_URI_ERROR_VALUE,
        "on-loss '%s': give conceal or freeze", uri->on_loss);
    return FALSE;
  }
  if ((uri->flags & GST_LMCC_URI_SOURCE_POLICY)
      && gst_lmcc_source_policy_from_name (uri->source_policy) < 0) {
    g_set_error (error, GST_LMCC_URI_ERROR, GST_LMCC_URI_ERROR_VALUE,
        "source-policy '%s': give first, any or ask", uri->source_policy);
    return FALSE;
  }
  return TRUE;
}

/**
 * gst_lmcc_src_settings_take_uri:
 * @settings: changed only on success
 * @uri_flags: (inout): what the latest URI has set
 * @uri: what a new URI says
 * @error: where it names what does not exist
 *
 * What the latest URI had set, and the new one does not, is the default again.
 *
 * Returns: whether the settings are those of the URI now
 */
gboolean
gst_lmcc_src_settings_take_uri (GstLmccSrcSettings * settings,
    guint * uri_flags, const GstLmccUri * uri, GError ** error)
{
  GstLmccSrcSettings defaults;
  guint changed = *uri_flags | uri->flags;

  if (!check_names (uri, error))
    return FALSE;

  gst_lmcc_src_settings_init (&defaults);
  set_string (&settings->address, uri->address);
  settings->port = uri->port;
  if (changed & GST_LMCC_URI_SOURCE)
    set_string (&settings->multicast_source, uri->source);
  if (changed & GST_LMCC_URI_MULTICAST_IFACE)
    set_string (&settings->multicast_iface, uri->multicast_iface);
  if (changed & GST_LMCC_URI_MAX_LEVEL)
    settings->max_level = uri->max_level;
  if (changed & GST_LMCC_URI_MAX_BITRATE)
    settings->max_bitrate = uri->max_bitrate;
  if (changed & GST_LMCC_URI_MAX_MEMORY)
    settings->max_memory = uri->max_memory;
  if (changed & GST_LMCC_URI_LATENCY)
    settings->latency = uri->flags & GST_LMCC_URI_LATENCY ? uri->latency :
        defaults.latency;
  if (changed & GST_LMCC_URI_ALGORITHM)
    settings->algorithm = uri->algorithm ?
        gst_lmcc_algorithm_from_name (uri->algorithm) : defaults.algorithm;
  if (changed & GST_LMCC_URI_RTT_MODE)
    settings->rtt_mode = uri->rtt_mode ? (LmccRttMode)
        gst_lmcc_rtt_mode_from_name (uri->rtt_mode) : defaults.rtt_mode;
  if (changed & GST_LMCC_URI_RTT)
    settings->rtt = uri->flags & GST_LMCC_URI_RTT ? uri->rtt : defaults.rtt;
  if (changed & GST_LMCC_URI_ON_LOSS)
    settings->on_loss = uri->on_loss ? (LmccOnLoss)
        gst_lmcc_on_loss_from_name (uri->on_loss) : defaults.on_loss;
  if (changed & GST_LMCC_URI_SOURCE_POLICY)
    settings->source_policy = uri->source_policy ? (LmccSourcePolicy)
        gst_lmcc_source_policy_from_name (uri->source_policy) :
        defaults.source_policy;
  *uri_flags = uri->flags;
  g_clear_pointer (&settings->uri_error, g_free);
  gst_lmcc_src_settings_clear (&defaults);
  return TRUE;
}

/**
 * gst_lmcc_src_settings_get_uri:
 * @settings: the settings
 *
 * Returns: (transfer full) (nullable): the URI that says what of them is not
 *     the default, %NULL where they have what no URI can say
 */
gchar *
gst_lmcc_src_settings_get_uri (const GstLmccSrcSettings * settings)
{
  GstLmccSrcSettings defaults;
  GstLmccUri uri = { 0, };
  g_autofree gchar *source = g_strdup (settings->multicast_source);
  GEnumClass *klass = g_type_class_ref (GST_TYPE_LMCC_ON_LOSS);
  gchar *text;

  gst_lmcc_src_settings_init (&defaults);
  uri.address = settings->address;
  uri.port = (guint16) settings->port;
  if (source && source[0] != '\0') {
    uri.source = g_strstrip (source[0] == '+' ? source + 1 : source);
    uri.flags |= GST_LMCC_URI_SOURCE;
  }
  uri.multicast_iface = settings->multicast_iface;
  if (uri.multicast_iface && uri.multicast_iface[0] != '\0')
    uri.flags |= GST_LMCC_URI_MULTICAST_IFACE;
  uri.max_level = settings->max_level;
  if (uri.max_level != defaults.max_level)
    uri.flags |= GST_LMCC_URI_MAX_LEVEL;
  uri.max_bitrate = settings->max_bitrate;
  if (uri.max_bitrate != defaults.max_bitrate)
    uri.flags |= GST_LMCC_URI_MAX_BITRATE;
  uri.max_memory = settings->max_memory;
  if (uri.max_memory != defaults.max_memory)
    uri.flags |= GST_LMCC_URI_MAX_MEMORY;
  uri.latency = settings->latency;
  if (uri.latency != defaults.latency)
    uri.flags |= GST_LMCC_URI_LATENCY;
  uri.algorithm = (gchar *) gst_lmcc_algorithm_to_name (settings->algorithm);
  if (settings->algorithm != defaults.algorithm)
    uri.flags |= GST_LMCC_URI_ALGORITHM;
  uri.rtt_mode = (gchar *) gst_lmcc_rtt_mode_to_name (settings->rtt_mode);
  if (settings->rtt_mode != defaults.rtt_mode)
    uri.flags |= GST_LMCC_URI_RTT_MODE;
  uri.rtt = settings->rtt;
  if (uri.rtt != defaults.rtt)
    uri.flags |= GST_LMCC_URI_RTT;
  uri.on_loss = (gchar *) g_enum_get_value (klass,
      (gint) settings->on_loss)->value_nick;
  if (settings->on_loss != defaults.on_loss)
    uri.flags |= GST_LMCC_URI_ON_LOSS;
  uri.source_policy = (gchar *)
      gst_lmcc_source_policy_to_name (settings->source_policy);
  if (settings->source_policy != defaults.source_policy)
    uri.flags |= GST_LMCC_URI_SOURCE_POLICY;

  text = gst_lmcc_uri_format (&uri);
  gst_lmcc_src_settings_clear (&defaults);
  g_type_class_unref (klass);
  return text;
}
