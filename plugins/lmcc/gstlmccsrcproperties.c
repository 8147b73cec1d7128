/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "gstlmccenums.h"
#include "gstlmccsrcprivate.h"

#define GST_CAT_DEFAULT gst_lmcc_src_debug

enum
{
  PROP_0,
  PROP_URI,
  PROP_ADDRESS,
  PROP_PORT,
  PROP_MULTICAST_IFACE,
  PROP_MULTICAST_SOURCE,
  PROP_SDP,
  PROP_LATENCY,
  PROP_TIMEOUT,
  PROP_MAX_LEVEL,
  PROP_MAX_BITRATE,
  PROP_ALGORITHM,
  PROP_ON_LOSS,
  PROP_BUFFER_SIZE,
  PROP_LEVEL,
  PROP_BITRATE,
  PROP_STATS,
  PROP_STATS_UPDATE_INTERVAL,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/**
 * gst_lmcc_src_notify_level:
 * @self: the source
 */
void
gst_lmcc_src_notify_level (GstLmccSrc * self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LEVEL]);
}

/**
 * gst_lmcc_src_notify_stats:
 * @self: the source
 */
void
gst_lmcc_src_notify_stats (GstLmccSrc * self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATS]);
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
 * Returns: (transfer full): the URI of the settings
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
    case PROP_ALGORITHM:
      settings->algorithm = g_value_get_enum (value);
      break;
    case PROP_ON_LOSS:
      settings->on_loss = (LmccOnLoss) g_value_get_enum (value);
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
    case PROP_ALGORITHM:
      g_value_set_enum (value, settings->algorithm);
      break;
    case PROP_ON_LOSS:
      g_value_set_enum (value, (gint) settings->on_loss);
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

#define FIXED (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | \
    GST_PARAM_MUTABLE_READY)
#define LIVE (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | \
    GST_PARAM_MUTABLE_PLAYING)
#define READ_ONLY (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static void
install_address_properties (void)
{
  /**
   * GstLmccSrc:uri:
   *
   * `lmcc://[SOURCE@]GROUP[:PORT][?KEY=VALUE&...]`, IPv6 addresses of groups in
   * brackets. The keys are `max-level`, `max-bitrate`, `latency`, `algorithm`,
   * `multicast-iface` and `on-loss`, each as the property of that name; another
   * key is passed over with a warning. What an earlier URI had set is the
   * default again, unless the new one says it.
   *
   * Since: 0.1
   */
  properties[PROP_URI] = g_param_spec_string ("uri", "URI",
      "The session: lmcc://[SOURCE@]GROUP[:PORT][?KEY=VALUE&...]",
      "lmcc://239.255.42.1:5004", FIXED);

  /**
   * GstLmccSrc:address:
   *
   * The base group: an IPv4 or IPv6 multicast address. The higher layers are on
   * the addresses that follow it.
   *
   * Since: 0.1
   */
  properties[PROP_ADDRESS] = g_param_spec_string ("address", "Address",
      "Multicast address of the base group", "239.255.42.1", FIXED);

  /**
   * GstLmccSrc:port:
   *
   * The UDP port of all groups. RTCP, with the session's record, is on the
   * next.
   *
   * Since: 0.1
   */
  properties[PROP_PORT] = g_param_spec_int ("port", "Port",
      "UDP port of the groups; RTCP is on the next one", 1, 65534,
      GST_LMCC_DEFAULT_PORT, FIXED);

  /**
   * GstLmccSrc:multicast-iface:
   *
   * Name or address of the network interface to join on. Unset: the one that
   * the route to the group names, or the loopback interface where there is no
   * route.
   *
   * Since: 0.1
   */
  properties[PROP_MULTICAST_IFACE] = g_param_spec_string ("multicast-iface",
      "Multicast interface", "Name or address of the interface to join on",
      NULL, FIXED);

  /**
   * GstLmccSrc:multicast-source:
   *
   * The only sender to listen to, as its own address, with or without a `+` in
   * front. The groups are then joined with it as the filter (RFC 4607). Groups
   * in 232.0.0.0/8 and ff3x::/32 need it.
   *
   * Since: 0.1
   */
  properties[PROP_MULTICAST_SOURCE] = g_param_spec_string ("multicast-source",
      "Multicast source", "The only sender to listen to: 10.0.0.1 or +10.0.0.1",
      NULL, FIXED);

  /**
   * GstLmccSrc:sdp:
   *
   * A session description that #lmccsink wrote: its text, which begins with
   * `v=`, or else the name of a file. It replaces #GstLmccSrc:address and
   * #GstLmccSrc:port, and saves the wait for the session's record.
   *
   * Since: 0.1
   */
  properties[PROP_SDP] = g_param_spec_string ("sdp", "SDP",
      "Session description: its text (v=...) or the name of a file", NULL,
      FIXED);
}

static void
install_session_properties (void)
{
  /**
   * GstLmccSrc:latency:
   *
   * How long to wait for what the network delays or reorders, in milliseconds.
   * The sender's own window comes on top; the LATENCY query tells the sum.
   *
   * Since: 0.1
   */
  properties[PROP_LATENCY] = g_param_spec_uint ("latency", "Latency",
      "How long to wait for the network, in ms, beyond the sender's window", 0,
      60000, LMCC_DEFAULT_LATENCY / LMCC_MSECOND, FIXED);

  /**
   * GstLmccSrc:timeout:
   *
   * Post a `GstLmccSrcTimeout` message after so many nanoseconds without a
   * packet; 0 for never.
   *
   * Since: 0.1
   */
  properties[PROP_TIMEOUT] = g_param_spec_uint64 ("timeout", "Timeout",
      "Post a message after so long without a packet, in ns (0 = never)", 0,
      G_MAXINT64, 0, FIXED);

  /**
   * GstLmccSrc:max-level:
   *
   * The highest layer to hold, 0 for the base alone, -1 for no such cap. May be
   * changed at any time.
   *
   * Since: 0.1
   */
  properties[PROP_MAX_LEVEL] = g_param_spec_int ("max-level", "Maximum level",
      "Highest layer to hold (-1 = no cap)", -1, LMCC_MAX_LAYERS - 1, -1, LIVE);

  /**
   * GstLmccSrc:max-bitrate:
   *
   * The most that the held layers may carry together, in bit/s, 0 for no such
   * cap. The base is held whatever its rate. May be changed at any time.
   *
   * Since: 0.1
   */
  properties[PROP_MAX_BITRATE] = g_param_spec_uint64 ("max-bitrate",
      "Maximum bitrate", "Most that the held layers may carry, in bit/s "
      "(0 = no cap)", 0, G_MAXUINT64, 0, LIVE);

  /**
   * GstLmccSrc:algorithm:
   *
   * What decides the level. `auto` takes what the session announces, `none`
   * holds #GstLmccSrc:max-level.
   *
   * Since: 0.1
   */
  properties[PROP_ALGORITHM] = g_param_spec_enum ("algorithm", "Algorithm",
      "Congestion control: what decides the level", GST_TYPE_LMCC_ALGORITHM,
      GST_LMCC_ALGORITHM_AUTO, FIXED);

  /**
   * GstLmccSrc:on-loss:
   *
   * What to give out after a packet was lost. `conceal` goes on with whole
   * pictures and flags those that depend on the loss as corrupted; `freeze`
   * gives out nothing that depends on it. May be changed at any time.
   *
   * Since: 0.1
   */
  properties[PROP_ON_LOSS] = g_param_spec_enum ("on-loss", "On loss",
      "What to give out after a loss", GST_TYPE_LMCC_ON_LOSS,
      LMCC_ON_LOSS_CONCEAL, LIVE);

  /**
   * GstLmccSrc:buffer-size:
   *
   * The kernel's receive buffer of each group, in bytes, 0 for its default.
   * Where the kernel gives less, a warning names the setting that holds it
   * down.
   *
   * Since: 0.1
   */
  properties[PROP_BUFFER_SIZE] = g_param_spec_int ("buffer-size",
      "Buffer size", "Receive buffer of each group in bytes (0 = the kernel's "
      "default)", 0, G_MAXINT, 0, FIXED);
}

static void
install_state_properties (void)
{
  /**
   * GstLmccSrc:level:
   *
   * The highest layer that is held, -1 for none. Notified from the receiving
   * thread.
   *
   * Since: 0.1
   */
  properties[PROP_LEVEL] = g_param_spec_int ("level", "Level",
      "Highest layer that is held (-1 = none)", -1, LMCC_MAX_LAYERS - 1, -1,
      READ_ONLY);

  /**
   * GstLmccSrc:bitrate:
   *
   * What was received over the last second, in bit/s of whole IP packets.
   *
   * Since: 0.1
   */
  properties[PROP_BITRATE] = g_param_spec_uint64 ("bitrate", "Bitrate",
      "Received over the last second, in bit/s of IP packets", 0, G_MAXUINT64,
      0, READ_ONLY);

  /**
   * GstLmccSrc:stats:
   *
   * A #GstStructure `application/x-lmcc-src-stats`; the counters are since the
   * source went to PAUSED.
   *
   * * #guint64 `packets-received`, `bytes-received`: RTP, with IP and UDP
   * headers
   * * #guint64 `packets-lost`: in the network or in the host, over all layers
   * * #guint64 `packets-dropped-kernel`: of these, by the host's own sockets
   * * #guint64 `packets-delivered`: given out
   * * #gint `level`, `rung`: the highest layer held and the encoding given out,
   *   -1 for none
   * * #guint64 `bitrate`: over the last second, bit/s
   * * #gdouble `loss-rate`: over the last second, 0 to 1
   * * #guint64 `join-to-packet`: from the latest join to its first packet, ns;
   *   2^64 - 1 for none yet
   * * #guint64 `join-to-picture`: from the start to the first packet given out,
   * ns
   * * #guint64 `rejoins`: groups left and joined again because they were silent
   * * #guint64 `sources`: how often a sender was taken up
   * * #guint64 `units-delivered`, `units-incomplete`, `units-withheld`,
   *   `units-corrupted`: pictures given out, with a packet missing, held back
   *   because a decoder could not have used them, given out though they depend
   *   on a loss
   * * #guint64 `units-dropped-late`: pictures that downstream did not take in
   * time
   * * #guint64 `rung-changes`: changes of the encoding given out
   * * #GstStructure `drops`: datagrams dropped, as #guint64, by kind
   * * #GstValueArray `layers`: of #GstStructure, one for each layer of the
   * session:
   *   #guint `layer`, #guint64 `packets-received`, `bytes-received`,
   *   `packets-lost`, `packets-reordered`, `packets-late`, `duplicates`,
   *   `restarts`, `bitrate` (measured) and `rate` (announced), bit/s
   *
   * Since: 0.1
   */
  properties[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "Various statistics", GST_TYPE_STRUCTURE, READ_ONLY);

  /**
   * GstLmccSrc:stats-update-interval:
   *
   * How often to notify #GstLmccSrc:stats, in milliseconds, 0 for never.
   *
   * Since: 0.1
   */
  properties[PROP_STATS_UPDATE_INTERVAL] =
      g_param_spec_uint ("stats-update-interval", "Statistics update interval",
      "How often to notify stats, in ms (0 = never)", 0, G_MAXUINT, 0, LIVE);
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
  install_address_properties ();
  install_session_properties ();
  install_state_properties ();
  g_object_class_install_properties (object_class, N_PROPS, properties);
}
