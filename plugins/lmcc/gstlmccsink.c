/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-lmccsink
 * @title: lmccsink
 * @see_also: #lmccsrc
 *
 * Sends a video in layers, each to a multicast group of its own, so that every
 * receiver takes as many layers as its network carries. The layers are what the
 * codec makes of the video: the temporal classes of one encoding, several
 * encodings ("rungs", one on each sink pad, lowest first), or both.
 *
 * The base layer goes to #GstLmccSink:address and #GstLmccSink:port, layer i to
 * the i-th address after it. An elementary stream gets the stock RTP payloader
 * in front; RTP is taken as it is. All pads must carry the same codec.
 *
 * With several rungs the encoders are asked, by force-key-unit events, for key
 * frames at the same pictures. Put a queue in front of each encoder.
 *
 * ## Examples
 *
 * Three temporal classes of one encoding, to receivers on this host:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true \
 *     ! x264enc b-pyramid=true bframes=3 key-int-max=50 \
 *     ! lmccsink multicast-iface=lo
 * ]|
 * Its receiver:
 * |[
 * gst-launch-1.0 lmccsrc address=239.255.42.1 multicast-iface=lo \
 *     ! decodebin ! autovideosink
 * ]|
 * Two rungs with key frames at the same pictures every 2 s:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! tee name=t \
 *     t. ! queue ! x264enc bitrate=300 tune=zerolatency ! lmcc.sink_0 \
 *     t. ! queue ! x264enc bitrate=1200 tune=zerolatency ! lmcc.sink_1 \
 *     lmccsink name=lmcc key-unit-interval=2000 sdp-location=/tmp/session.sdp
 * ]|
 *
 * Since: 0.1
 */
#include "config.h"

#include "gstlmccsink.h"

#include <stdio.h>
#include <string.h>

#include "gstlmccenums.h"
#include "gstlmccsinkcore.h"
#include "gstlmccsinkprops.h"

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink_%u",
    GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS_ANY);

struct _GstLmccSink
{
  GstBin parent;

  GstLmccSinkCore *core;

  /* OBJECT_LOCK */
  gchar *address;
  gchar *multicast_iface;
  gchar *bind_address;
  gchar *sdp_location;
  gint port;
  gint ttl_mc;
  gboolean loop;
  gint qos_dscp;
  gint buffer_size;
  guint mtu;
  guint window;
  guint latency;
  gint algorithm;
  guint pt;
  gboolean sync;
  guint rung_timeout;
  guint key_unit_interval;
  guint stats_update_interval;
  guint next_pad;
};

#define gst_lmcc_sink_parent_class parent_class
G_DEFINE_TYPE (GstLmccSink, gst_lmcc_sink, GST_TYPE_BIN);
GST_ELEMENT_REGISTER_DEFINE (lmccsink, "lmccsink", GST_RANK_NONE,
    GST_TYPE_LMCC_SINK);

/* What the core tells */

static void
on_changed (gpointer user_data, const gchar * property)
{
  g_object_notify (user_data, property);
}

/* Pads */

static GstPad *
link_payloader (GstLmccSink * self, GstPad * core_pad, GstCaps * caps)
{
  GstElement *payloader;
  g_autoptr (GstPad) src = NULL;
  guint mtu;

  GST_OBJECT_LOCK (self);
  mtu = self->mtu;
  GST_OBJECT_UNLOCK (self);
  payloader = gst_lmcc_sink_make_payloader (caps, mtu - LMCC_RTP_OVERHEAD);
  if (payloader == NULL) {
    GST_ELEMENT_ERROR (self, STREAM, CODEC_NOT_FOUND,
        ("There is no RTP payloader for %s. Install the GStreamer plugins that "
            "have one (gstreamer1.0-plugins-good and -bad).",
            gst_structure_get_name (gst_caps_get_structure (caps, 0))),
        ("caps %" GST_PTR_FORMAT, caps));
    return NULL;
  }
  gst_bin_add (GST_BIN (self), payloader);
  src = gst_element_get_static_pad (payloader, "src");
  if (gst_pad_link (src, core_pad) != GST_PAD_LINK_OK
      || !gst_element_sync_state_with_parent (payloader)) {
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION, (NULL),
        ("payloader %" GST_PTR_FORMAT " does not link", payloader));
    return NULL;
  }
  g_object_set_data (G_OBJECT (core_pad), "payloader", payloader);
  return gst_element_get_static_pad (payloader, "sink");
}

static gboolean
set_target (GstLmccSink * self, GstPad * ghost, GstCaps * caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  GstPad *core_pad = g_object_get_data (G_OBJECT (ghost), "core-pad");
  g_autoptr (GstPad) target = NULL;

  if (gst_structure_has_name (s, "video/x-raw")) {
    GST_ELEMENT_ERROR (self, STREAM, WRONG_TYPE,
        ("lmccsink sends encoded video, and this is raw. Put an encoder in "
            "front of it: ... ! x264enc ! lmccsink"), (NULL));
    return FALSE;
  }
  if (gst_structure_has_name (s, "application/x-rtp"))
    target = gst_object_ref (core_pad);
  else
    target = link_payloader (self, core_pad, caps);
  return target && gst_ghost_pad_set_target (GST_GHOST_PAD (ghost), target);
}

static gboolean
has_target (GstPad * ghost)
{
  g_autoptr (GstPad) target = gst_ghost_pad_get_target (GST_GHOST_PAD (ghost));

  return target != NULL;
}

static gboolean
ghost_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS && !has_target (pad)) {
    gst_event_parse_caps (event, &caps);
    if (!set_target (GST_LMCC_SINK (parent), pad, caps)) {
      gst_event_unref (event);
      return FALSE;
    }
  }
  return gst_pad_event_default (pad, parent, event);
}

/* Encoded video. Raw video too, where there is nothing else: it then links, and
 * gets the error that says what to put in front. */
static GstCaps *
offered_caps (GstCaps * filter)
{
  g_autoptr (GstCaps) encoded = gst_lmcc_sink_accepted_caps ();
  g_autoptr (GstCaps) raw = gst_caps_new_empty_simple ("video/x-raw");
  GstCaps *offered;

  if (filter == NULL)
    return gst_caps_merge (g_steal_pointer (&encoded), g_steal_pointer (&raw));
  offered = gst_caps_intersect_full (filter, encoded, GST_CAPS_INTERSECT_FIRST);
  if (!gst_caps_is_empty (offered))
    return offered;
  gst_caps_unref (offered);
  return gst_caps_intersect_full (filter, raw, GST_CAPS_INTERSECT_FIRST);
}

static gboolean
ghost_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  if (has_target (pad))
    return gst_pad_query_default (pad, parent, query);
  if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS) {
    g_autoptr (GstCaps) caps = NULL;
    GstCaps *filter;

    gst_query_parse_caps (query, &filter);
    caps = offered_caps (filter);
    gst_query_set_caps_result (query, caps);
    return TRUE;
  }
  if (GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS) {
    /* The caps event then gets the error that says what is wrong with them. */
    gst_query_set_accept_caps_result (query, TRUE);
    return TRUE;
  }
  return gst_pad_query_default (pad, parent, query);
}

static guint
choose_index (GstLmccSink * self, const gchar * name)
{
  guint index;

  GST_OBJECT_LOCK (self);
  if (!name || sscanf (name, "sink_%u", &index) != 1)
    index = self->next_pad;
  self->next_pad = MAX (self->next_pad, index + 1);
  GST_OBJECT_UNLOCK (self);
  return index;
}

static GstPad *
gst_lmcc_sink_request_new_pad (GstElement * element, GstPadTemplate * templ,
    const gchar * name, const GstCaps * caps)
{
  GstLmccSink *self = GST_LMCC_SINK (element);
  guint index = choose_index (self, name);
  g_autofree gchar *pad_name = g_strdup_printf ("sink_%u", index);
  GstPad *core_pad, *ghost;

  core_pad = gst_lmcc_sink_core_add_pad (self->core, index);
  if (core_pad == NULL) {
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("No further pad: there are %u at most, and they must be there before "
            "the session starts.", LMCC_MAX_RUNGS), (NULL));
    return NULL;
  }
  ghost = gst_ghost_pad_new_no_target_from_template (pad_name, templ);
  g_object_set_data (G_OBJECT (ghost), "core-pad", core_pad);
  gst_pad_set_event_function (ghost, GST_DEBUG_FUNCPTR (ghost_event));
  gst_pad_set_query_function (ghost, GST_DEBUG_FUNCPTR (ghost_query));
  gst_pad_set_active (ghost, TRUE);
  gst_element_add_pad (element, ghost);
  return ghost;
}

/* The target goes with the codec: in another run the pad may carry another
 * one. */
static void
clear_target (GstLmccSink * self, GstPad * ghost)
{
  GstPad *core_pad = g_object_get_data (G_OBJECT (ghost), "core-pad");
  GstElement *payloader = g_object_get_data (G_OBJECT (core_pad), "payloader");

  gst_ghost_pad_set_target (GST_GHOST_PAD (ghost), NULL);
  if (payloader == NULL)
    return;
  g_object_set_data (G_OBJECT (core_pad), "payloader", NULL);
  gst_element_set_state (payloader, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (self), payloader);
}

static void
gst_lmcc_sink_release_pad (GstElement * element, GstPad * pad)
{
  GstLmccSink *self = GST_LMCC_SINK (element);
  GstPad *core_pad = g_object_get_data (G_OBJECT (pad), "core-pad");

  gst_lmcc_sink_core_let_go (self->core, core_pad);
  gst_pad_set_active (pad, FALSE);
  clear_target (self, pad);
  gst_lmcc_sink_core_remove_pad (self->core, core_pad);
  gst_element_remove_pad (element, pad);
}

/* State */

static gboolean
parse_group (GstLmccSink * self, const gchar * text, LmccAddress * address)
{
  if (lmcc_address_parse (text ? text : "", address)
      && lmcc_address_is_multicast (address))
    return TRUE;
  GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
      ("The address '%s' is not a multicast group. Set address to one of "
          "239.0.0.0 to 239.255.255.255 or an IPv6 group, as %s.",
          text ? text : "", DEFAULT_ADDRESS), (NULL));
  return FALSE;
}

static gboolean
parse_bind_address (GstLmccSink * self, const gchar * text,
    LmccAddress * address)
{
  if (text == NULL || text[0] == '\0' || lmcc_address_parse (text, address))
    return TRUE;
  GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
      ("The bind-address '%s' is not an IP address.", text), (NULL));
  return FALSE;
}

/* "auto" on the sink is what works with every receiver: no marks. */
static const gchar *
algorithm_name (gint value)
{
  return value == GST_LMCC_ALGORITHM_AUTO ? "none"
      : gst_lmcc_algorithm_to_name (value);
}

static gboolean
open_core (GstLmccSink * self)
{
  GstLmccSinkSettings settings = { {0}, };
  g_autofree gchar *address = NULL, *bind_address = NULL;

  GST_OBJECT_LOCK (self);
  address = g_strdup (self->address);
  bind_address = g_strdup (self->bind_address);
  settings.port = (guint16) self->port;
  settings.multicast_iface = g_strdup (self->multicast_iface);
  settings.ttl = (guint) self->ttl_mc;
  settings.loop = self->loop;
  settings.dscp = self->qos_dscp;
  settings.buffer_size = (guint) self->buffer_size;
  settings.mtu = self->mtu;
  settings.window = self->window * LMCC_MSECOND;
  settings.latency = self->latency * LMCC_MSECOND;
  settings.algorithm = algorithm_name (self->algorithm);
  settings.payload_type = self->pt;
  settings.sync = self->sync;
  settings.rung_timeout = self->rung_timeout * LMCC_MSECOND;
  settings.key_unit_interval = self->key_unit_interval * LMCC_MSECOND;
  settings.stats_interval = self->stats_update_interval * LMCC_MSECOND;
  settings.sdp_location = g_strdup (self->sdp_location);
  GST_OBJECT_UNLOCK (self);
  if (parse_group (self, address, &settings.address)
      && parse_bind_address (self, bind_address, &settings.bind_address))
    return gst_lmcc_sink_core_open (self->core, &settings);
  g_free (settings.multicast_iface);
  g_free (settings.sdp_location);
  return FALSE;
}

static void
clear_targets (GstLmccSink * self)
{
  GList *pads, *l;

  pads = gst_lmcc_sink_list_pads (GST_ELEMENT (self));
  for (l = pads; l; l = l->next)
    clear_target (self, l->data);
  g_list_free_full (pads, gst_object_unref);
}

static GstStateChangeReturn
gst_lmcc_sink_change_state (GstElement * element, GstStateChange transition)
{
  GstLmccSink *self = GST_LMCC_SINK (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !open_core (self))
    return GST_STATE_CHANGE_FAILURE;
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  switch (transition) {
    case GST_STATE_CHANGE_PAUSED_TO_READY:
      clear_targets (self);
      break;
    case GST_STATE_CHANGE_READY_TO_NULL:
      gst_lmcc_sink_core_close (self->core);
      break;
    default:
      break;
  }
  return ret;
}

/* Properties */

static void
take_string (gchar ** field, const GValue * value)
{
  g_free (*field);
  *field = g_value_dup_string (value);
}

static void
gst_lmcc_sink_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstLmccSink *self = GST_LMCC_SINK (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_ADDRESS:
      take_string (&self->address, value);
      break;
    case PROP_PORT:
      self->port = g_value_get_int (value);
      break;
    case PROP_MULTICAST_IFACE:
      take_string (&self->multicast_iface, value);
      break;
    case PROP_BIND_ADDRESS:
      take_string (&self->bind_address, value);
      break;
    case PROP_TTL_MC:
      self->ttl_mc = g_value_get_int (value);
      break;
    case PROP_LOOP:
      self->loop = g_value_get_boolean (value);
      break;
    case PROP_QOS_DSCP:
      self->qos_dscp = g_value_get_int (value);
      break;
    case PROP_BUFFER_SIZE:
      self->buffer_size = g_value_get_int (value);
      break;
    case PROP_MTU:
      self->mtu = g_value_get_uint (value);
      break;
    case PROP_WINDOW:
      self->window = g_value_get_uint (value);
      break;
    case PROP_LATENCY:
      self->latency = g_value_get_uint (value);
      break;
    case PROP_ALGORITHM:
      self->algorithm = g_value_get_enum (value);
      break;
    case PROP_PT:
      self->pt = g_value_get_uint (value);
      break;
    case PROP_SYNC:
      self->sync = g_value_get_boolean (value);
      break;
    case PROP_RUNG_TIMEOUT:
      self->rung_timeout = g_value_get_uint (value);
      break;
    case PROP_KEY_UNIT_INTERVAL:
      self->key_unit_interval = g_value_get_uint (value);
      break;
    case PROP_SDP_LOCATION:
      take_string (&self->sdp_location, value);
      break;
    case PROP_STATS_UPDATE_INTERVAL:
      self->stats_update_interval = g_value_get_uint (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_lmcc_sink_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstLmccSink *self = GST_LMCC_SINK (object);

  /* These two take the core's locks. */
  if (id == PROP_SDP) {
    g_value_take_string (value, gst_lmcc_sink_core_get_sdp (self->core));
    return;
  }
  if (id == PROP_STATS) {
    g_value_take_boxed (value, gst_lmcc_sink_core_get_stats (self->core));
    return;
  }
  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_ADDRESS:
      g_value_set_string (value, self->address);
      break;
    case PROP_PORT:
      g_value_set_int (value, self->port);
      break;
    case PROP_MULTICAST_IFACE:
      g_value_set_string (value, self->multicast_iface);
      break;
    case PROP_BIND_ADDRESS:
      g_value_set_string (value, self->bind_address);
      break;
    case PROP_TTL_MC:
      g_value_set_int (value, self->ttl_mc);
      break;
    case PROP_LOOP:
      g_value_set_boolean (value, self->loop);
      break;
    case PROP_QOS_DSCP:
      g_value_set_int (value, self->qos_dscp);
      break;
    case PROP_BUFFER_SIZE:
      g_value_set_int (value, self->buffer_size);
      break;
    case PROP_MTU:
      g_value_set_uint (value, self->mtu);
      break;
    case PROP_WINDOW:
      g_value_set_uint (value, self->window);
      break;
    case PROP_LATENCY:
      g_value_set_uint (value, self->latency);
      break;
    case PROP_ALGORITHM:
      g_value_set_enum (value, self->algorithm);
      break;
    case PROP_PT:
      g_value_set_uint (value, self->pt);
      break;
    case PROP_SYNC:
      g_value_set_boolean (value, self->sync);
      break;
    case PROP_RUNG_TIMEOUT:
      g_value_set_uint (value, self->rung_timeout);
      break;
    case PROP_KEY_UNIT_INTERVAL:
      g_value_set_uint (value, self->key_unit_interval);
      break;
    case PROP_SDP_LOCATION:
      g_value_set_string (value, self->sdp_location);
      break;
    case PROP_STATS_UPDATE_INTERVAL:
      g_value_set_uint (value, self->stats_update_interval);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

/* The pads go before the core does, which the bin's dispose lets go. */
static void
gst_lmcc_sink_dispose (GObject * object)
{
  GstElement *element = GST_ELEMENT (object);
  GList *pads = gst_lmcc_sink_list_pads (element), *l;

  for (l = pads; l; l = l->next)
    gst_element_release_request_pad (element, l->data);
  g_list_free_full (pads, gst_object_unref);
  G_OBJECT_CLASS (parent_class)->dispose (object);
}

static void
gst_lmcc_sink_finalize (GObject * object)
{
  GstLmccSink *self = GST_LMCC_SINK (object);

  gst_object_unref (self->core);
  g_free (self->address);
  g_free (self->multicast_iface);
  g_free (self->bind_address);
  g_free (self->sdp_location);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_lmcc_sink_class_init (GstLmccSinkClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_lmcc_sink_debug, "lmccsink", 0,
      "Layered multicast sender");
  object_class->set_property = gst_lmcc_sink_set_property;
  object_class->get_property = gst_lmcc_sink_get_property;
  object_class->dispose = gst_lmcc_sink_dispose;
  object_class->finalize = gst_lmcc_sink_finalize;
  element_class->change_state = GST_DEBUG_FUNCPTR (gst_lmcc_sink_change_state);
  element_class->request_new_pad =
      GST_DEBUG_FUNCPTR (gst_lmcc_sink_request_new_pad);
  element_class->release_pad = GST_DEBUG_FUNCPTR (gst_lmcc_sink_release_pad);
  gst_lmcc_sink_install_properties (object_class);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_set_static_metadata (element_class,
      "Layered multicast sink", "Sink/Network/RTP",
      "Sends video in layers, each to a multicast group of its own",
      "The lmcc project");
}

static void
gst_lmcc_sink_init (GstLmccSink * self)
{
  const GstLmccSinkCallbacks callbacks = { on_changed, self };

  self->address = g_strdup (DEFAULT_ADDRESS);
  self->port = DEFAULT_PORT;
  self->ttl_mc = DEFAULT_TTL_MC;
  self->loop = DEFAULT_LOOP;
  self->qos_dscp = DEFAULT_QOS_DSCP;
  self->buffer_size = DEFAULT_BUFFER_SIZE;
  self->mtu = DEFAULT_MTU;
  self->window = DEFAULT_WINDOW;
  self->latency = DEFAULT_LATENCY;
  self->algorithm = GST_LMCC_ALGORITHM_AUTO;
  self->pt = DEFAULT_PT;
  self->sync = DEFAULT_SYNC;
  self->rung_timeout = DEFAULT_RUNG_TIMEOUT;
  self->key_unit_interval = DEFAULT_KEY_UNIT_INTERVAL;
  self->stats_update_interval = DEFAULT_STATS_UPDATE_INTERVAL;
  self->core = gst_lmcc_sink_core_new (&callbacks);
  gst_object_ref_sink (self->core);
  gst_bin_add (GST_BIN (self), GST_ELEMENT (self->core));
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SINK);
}
