/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "common/enums.h"
#include "src/private.h"
#include "src/pspecs.h"

#define GST_CAT_DEFAULT gst_lmcc_src_debug

/**
 * gst_lmcc_src_notify_level:
 * @self: the source
 */
void
gst_lmcc_src_notify_level (GstLmccSrc * self)
{
  g_object_notify_by_pspec (G_OBJECT (self),
      gst_lmcc_src_properties[PROP_LEVEL]);
}

/**
 * gst_lmcc_src_notify_stats:
 * @self: the source
 */
void
gst_lmcc_src_notify_stats (GstLmccSrc * self)
{
  g_object_notify_by_pspec (G_OBJECT (self),
      gst_lmcc_src_properties[PROP_STATS]);
}

/**
 * gst_lmcc_src_set_uri:
 * @self: the source
 * @text: the URI
 * @error: %GST_URI_ERROR
 *
 * Returns: whether the settings are those of the URI now
 */
gboolean
gst_lmcc_src_set_uri (GstLmccSrc * self, const gchar * text, GError ** error)
{
  g_autoptr (GstLmccUri) uri = NULL;
  g_autoptr (GError) parse_error = NULL;
  gboolean ok = FALSE;
  guint i;

  if (GST_STATE (self) >= GST_STATE_PAUSED) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE,
        "The URI cannot be changed while the element is in PAUSED or PLAYING: "
        "set the element to READY or NULL first");
    return FALSE;
  }

  uri = gst_lmcc_uri_parse (text, &parse_error);
  if (uri) {
    GST_OBJECT_LOCK (self);
    ok = gst_lmcc_src_settings_take_uri (&self->settings, &self->uri_flags, uri,
        &parse_error);
    GST_OBJECT_UNLOCK (self);
  }
  if (!ok) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI, "%s",
        parse_error->message);
    return FALSE;
  }
  for (i = 0; i < uri->unknown->len; i++)
    GST_WARNING_OBJECT (self, "the key '%s' of the URI means nothing here: "
        "passed over", (const gchar *) g_ptr_array_index (uri->unknown, i));
  return TRUE;
}

/**
 * gst_lmcc_src_get_uri:
 * @self: the source
 *
 * Returns: (transfer full) (nullable): the URI of the settings
 */
gchar *
gst_lmcc_src_get_uri (GstLmccSrc * self)
{
  gchar *text;

  GST_OBJECT_LOCK (self);
  text = gst_lmcc_src_settings_get_uri (&self->settings);
  GST_OBJECT_UNLOCK (self);
  return text;
}

static void
set_uri_property (GstLmccSrc * self, const gchar * text)
{
  g_autoptr (GError) error = NULL;

  if (text == NULL || gst_lmcc_src_set_uri (self, text, &error))
    return;
  if (g_error_matches (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE)) {
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS, ("%s", error->message),
        ("property uri: '%s'", text));
    return;
  }
  /* Nobody hears an error here: it is for the start. */
  GST_WARNING_OBJECT (self, "%s", error->message);
  GST_OBJECT_LOCK (self);
  g_free (self->settings.uri_error);
  self->settings.uri_error = g_strdup (error->message);
  GST_OBJECT_UNLOCK (self);
}

static void
set_string (gchar ** member, const GValue * value)
{
  g_free (*member);
  *member = g_value_dup_string (value);
}

static void
gst_lmcc_src_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstLmccSrc *self = GST_LMCC_SRC (object);
  GstLmccSrcSettings *settings = &self->settings;

  if (id == PROP_URI) {
    set_uri_property (self, g_value_get_string (value));
    return;
  }

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_ADDRESS:
      set_string (&settings->address, value);
      if (settings->address == NULL)
        settings->address = g_strdup ("");
      break;
    case PROP_PORT:
      settings->port = g_value_get_int (value);
      break;
    case PROP_MULTICAST_IFACE:
      set_string (&settings->multicast_iface, value);
      break;
    case PROP_MULTICAST_SOURCE:
      set_string (&settings->multicast_source, value);
      break;
    case PROP_SDP:
      set_string (&settings->sdp, value);
      break;
    case PROP_LATENCY:
      settings->latency = g_value_get_uint (value);
      break;
    case PROP_TIMEOUT:
      settings->timeout = g_value_get_uint64 (value);
      break;
    case PROP_MAX_LEVEL:
      settings->max_level = g_value_get_int (value);
      break;
    case PROP_MAX_BITRATE:
      settings->max_bitrate = g_value_get_uint64 (value);
      break;
    case PROP_MAX_MEMORY:
      settings->max_memory = g_value_get_uint64 (value);
      break;
    case PROP_ALLOW_LOW_FEEDBACK_PORT:
      settings->allow_low_port = g_value_get_boolean (value);
      break;
    case PROP_ALGORITHM:
      settings->algorithm = g_value_get_enum (value);
      break;
    case PROP_ALGORITHM_SETTINGS:
      gst_clear_structure (&settings->algorithm_settings);
      settings->algorithm_settings = g_value_dup_boxed (value);
      break;
    case PROP_RTT_MODE:
      settings->rtt_mode = (LmccRttMode) g_value_get_enum (value);
      break;
    case PROP_RTT:
      settings->rtt = g_value_get_uint64 (value);
      break;
    case PROP_ON_LOSS:
      settings->on_loss = (LmccOnLoss) g_value_get_enum (value);
      break;
    case PROP_SOURCE_POLICY:
      settings->source_policy = (LmccSourcePolicy) g_value_get_enum (value);
      break;
    case PROP_CODECS:
      set_string (&settings->codecs, value);
      break;
    case PROP_BUFFER_SIZE:
      settings->buffer_size = g_value_get_int (value);
      break;
    case PROP_STATS_UPDATE_INTERVAL:
      settings->stats_update_interval = g_value_get_uint (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);

  g_atomic_int_set (&self->settings_changed, TRUE);
  gst_lmcc_src_session_wake (self);
}

static gboolean
get_live_property (GstLmccSrc * self, guint id, GValue * value)
{
  LmccReceiverStats stats;

  switch (id) {
    case PROP_URI:
      g_value_take_string (value, gst_lmcc_src_get_uri (self));
      return TRUE;
    case PROP_LEVEL:
      g_value_set_int (value, g_atomic_int_get (&self->level));
      return TRUE;
    case PROP_BITRATE:
      gst_lmcc_src_get_receiver_stats (self, &stats);
      g_value_set_uint64 (value, stats.bitrate);
      return TRUE;
    case PROP_STATS:
      g_value_take_boxed (value, gst_lmcc_src_create_stats (self));
      return TRUE;
    default:
      return FALSE;
  }
}

static void
gst_lmcc_src_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstLmccSrc *self = GST_LMCC_SRC (object);
  const GstLmccSrcSettings *settings = &self->settings;

  if (get_live_property (self, id, value))
    return;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_ADDRESS:
      g_value_set_string (value, settings->address);
      break;
    case PROP_PORT:
      g_value_set_int (value, settings->port);
      break;
    case PROP_MULTICAST_IFACE:
      g_value_set_string (value, settings->multicast_iface);
      break;
    case PROP_MULTICAST_SOURCE:
      g_value_set_string (value, settings->multicast_source);
      break;
    case PROP_SDP:
      g_value_set_string (value, settings->sdp);
      break;
    case PROP_LATENCY:
      g_value_set_uint (value, settings->latency);
      break;
    case PROP_TIMEOUT:
      g_value_set_uint64 (value, settings->timeout);
      break;
    case PROP_MAX_LEVEL:
      g_value_set_int (value, settings->max_level);
      break;
    case PROP_MAX_BITRATE:
      g_value_set_uint64 (value, settings->max_bitrate);
      break;
    case PROP_MAX_MEMORY:
      g_value_set_uint64 (value, settings->max_memory);
      break;
    case PROP_ALLOW_LOW_FEEDBACK_PORT:
      g_value_set_boolean (value, settings->allow_low_port);
      break;
    case PROP_ALGORITHM:
      g_value_set_enum (value, settings->algorithm);
      break;
    case PROP_ALGORITHM_SETTINGS:
      g_value_set_boxed (value, settings->algorithm_settings);
      break;
    case PROP_RTT_MODE:
      g_value_set_enum (value, (gint) settings->rtt_mode);
      break;
    case PROP_RTT:
      g_value_set_uint64 (value, settings->rtt);
      break;
    case PROP_ON_LOSS:
      g_value_set_enum (value, (gint) settings->on_loss);
      break;
    case PROP_SOURCE_POLICY:
      g_value_set_enum (value, (gint) settings->source_policy);
      break;
    case PROP_CODECS:
      g_value_set_string (value, settings->codecs);
      break;
    case PROP_BUFFER_SIZE:
      g_value_set_int (value, settings->buffer_size);
      break;
    case PROP_STATS_UPDATE_INTERVAL:
      g_value_set_uint (value, settings->stats_update_interval);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

/**
 * gst_lmcc_src_install_properties:
 * @object_class: the source's class
 */
void
gst_lmcc_src_install_properties (GObjectClass * object_class)
{
  object_class->set_property = gst_lmcc_src_set_property;
  object_class->get_property = gst_lmcc_src_get_property;
  gst_lmcc_src_install_pspecs (object_class);
}
