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
 * With #GstLmccSink:layering layers have fixed rates instead, which the
 * pictures are poured into, the most important lowest. This holds them back for
 * #GstLmccSink:window, 4.4 s unless set, and needs key frames at most 2 s
 * apart.
 *
 * The base layer goes to #GstLmccSink:address and #GstLmccSink:port, layer i to
 * the i-th address after it. An elementary stream gets the stock RTP payloader
 * in front; RTP is taken as it is. All pads must carry the same codec.
 *
 * Raw video, on one pad, is encoded here, by #x264ladderenc: rungs of three
 * temporal classes, with rates that suit the picture, or the layers where these
 * have fixed rates. With #GstLmccSink:codec it is #vp9svcenc or #j2klayerenc
 * instead. #GstLmccSink:encoder-settings and #GstLmccSink::encoder-setup change
 * how.
 *
 * Sound goes in at `audio_sink`: Opus, AAC, their RTP, or raw sound, which is
 * encoded as Opus. It travels in the base layer as a stream of its own. There
 * has to be a video beside it.
 *
 * With several rungs the encoders are asked, by force-key-unit events, for key
 * frames at the same pictures. Put a queue in front of each encoder.
 *
 * The host's addresses and links may change while it sends: packets, reports
 * and the session's record follow. Where packets cannot be sent for 1 s a
 * warning says why, and after #GstLmccSink:send-timeout an error.
 *
 * ## Messages
 *
 * `lmcc-address-changed`: packets come from another address from now on, or the
 * address is known only now. A warning says the same.
 *
 * * #gchararray `interface`: the network interface
 * * #gchararray `from`, `to`: the address before, empty where none was known;
 *   and now
 *
 * ## Examples
 *
 * A raw video, in as many layers as suit it:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! lmccsink address=239.255.42.1
 * ]|
 * Its receiver:
 * |[
 * gst-play-1.0 lmcc://239.255.42.1:5004
 * ]|
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
 * The same in layers of 400, 400, 800 and 1600 kbit/s:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! tee name=t \
 *     t. ! queue ! x264enc bitrate=300 tune=zerolatency ! lmcc.sink_0 \
 *     t. ! queue ! x264enc bitrate=1200 tune=zerolatency ! lmcc.sink_1 \
 *     lmccsink name=lmcc key-unit-interval=2000 layering=doubling layers=4 \
 *     base-rate=400000
 * ]|
 *
 * One rate for all receivers, that the network gives:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! x264enc tune=zerolatency ! \
 *     lmccsink multicast-iface=lo algorithm=pgmcc drive-encoder=true
 * ]|
 * The lowest of several encodings at the slowest receiver's rate, the others
 * for those that can have more:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! tee name=t \
 *     t. ! queue ! x264enc bitrate=300 tune=zerolatency ! lmcc.sink_0 \
 *     t. ! queue ! x264enc bitrate=1200 tune=zerolatency ! lmcc.sink_1 \
 *     lmccsink name=lmcc multicast-iface=lo key-unit-interval=2000 \
 *     base-algorithm=tfmcc drive-encoder=true
 * ]|
 *
 * With sound:
 * |[
 * gst-launch-1.0 lmccsink name=lmcc multicast-iface=lo \
 *     videotestsrc is-live=true ! queue ! x264enc key-int-max=50 ! lmcc.sink_0
 *     \ audiotestsrc is-live=true ! queue ! opusenc ! lmcc.audio_sink
 * ]|
 *
 * Since: 0.1
 */
#include "config.h"

#include "sink/private.h"

#include "common/enums.h"

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink_%u",
    GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS_ANY);

static GstStaticPadTemplate sound_template =
    GST_STATIC_PAD_TEMPLATE ("audio_sink", GST_PAD_SINK, GST_PAD_REQUEST,
    GST_STATIC_CAPS ("application/x-rtp, media=(string)audio; audio/x-opus; "
        "audio/mpeg, mpegversion=(int)4, stream-format=(string)raw; "
        "audio/x-raw"));

enum
{
  SIGNAL_ENCODER_SETUP,
  SIGNAL_ENCODER_BITRATE,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

#define gst_lmcc_sink_parent_class parent_class
G_DEFINE_TYPE (GstLmccSink, gst_lmcc_sink, GST_TYPE_BIN);
GST_ELEMENT_REGISTER_DEFINE (lmccsink, "lmccsink", GST_RANK_NONE,
    GST_TYPE_LMCC_SINK);

/* Tells of an encoder that a pad of raw video made, see encoder-setup. */
void
gst_lmcc_sink_set_up_encoder (GstLmccSink * self, GstElement * encoder,
    guint rung)
{
  g_signal_emit (self, signals[SIGNAL_ENCODER_SETUP], 0, encoder, rung);
}

/* What the core tells */

static void
on_changed (gpointer user_data, const gchar * property)
{
  g_object_notify (user_data, property);
}

static gboolean
on_drive (gpointer user_data, GstElement * encoder, guint64 bitrate)
{
  gboolean handled = FALSE;

  g_signal_emit (user_data, signals[SIGNAL_ENCODER_BITRATE], 0, encoder,
      bitrate, &handled);
  return handled;
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

static const gchar *
algorithm_name (gint value)
{
  return value == GST_LMCC_ALGORITHM_AUTO ? DEFAULT_ALGORITHM
      : gst_lmcc_algorithm_to_name (value);
}

static gboolean
open_core (GstLmccSink * self)
{
  const GstLmccSinkProps *props = &self->props;
  GstLmccSinkSettings settings = { {0}, };
  g_autofree gchar *address = NULL, *bind_address = NULL;
  g_autoptr (GError) error = NULL, settings_error = NULL;

  GST_OBJECT_LOCK (self);
  address = g_strdup (props->address);
  bind_address = g_strdup (props->bind_address);
  settings.port = (guint16) props->port;
  settings.multicast_iface = g_strdup (props->multicast_iface);
  settings.ttl = (guint) props->ttl_mc;
  settings.loop = props->loop;
  settings.dscp = props->qos_dscp;
  settings.buffer_size = (guint) props->buffer_size;
  settings.mtu = props->mtu;
  settings.window = props->window * LMCC_MSECOND;
  settings.latency = props->latency * LMCC_MSECOND;
  settings.algorithm = algorithm_name (props->algorithm);
  settings.base_algorithm = gst_lmcc_algorithm_to_name (props->base_algorithm);
  settings.rtt_max = props->rtt_max * LMCC_MSECOND;
  settings.drive_encoder = props->drive_encoder;
  settings.min_bitrate = props->min_bitrate;
  settings.max_bitrate = props->max_bitrate;
  settings.feedback = props->feedback;
  settings.feedback_port = (guint16) props->feedback_port;
  settings.payload_type = props->pt;
  settings.repair = gst_lmcc_sink_props_get_repair (props);
  settings.repair_base = gst_lmcc_sink_props_get_repair_base (props);
  settings.repair_loss = props->repair_loss;
  settings.repair_burst = props->repair_burst;
  settings.repair_block = props->repair_delay * LMCC_MSECOND;
  settings.send_timeout = props->send_timeout * LMCC_SECOND;
  settings.sync = props->sync;
  settings.rung_timeout = props->rung_timeout * LMCC_MSECOND;
  settings.key_unit_interval = props->key_unit_interval * LMCC_MSECOND;
  settings.stats_interval = props->stats_update_interval * LMCC_MSECOND;
  settings.sdp_location = g_strdup (props->sdp_location);
  if (props->layering != GST_LMCC_LAYERING_NATIVE)
    settings.n_layers = gst_lmcc_sink_props_get_rates (props, settings.rates,
        &error);
  if (!error)
    gst_lmcc_sink_marks_read (&settings.marks, props->algorithm_settings,
        settings.algorithm, settings.n_layers, &settings_error);
  GST_OBJECT_UNLOCK (self);
  if (error)
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
        ("These layers are not possible: %s.", error->message), (NULL));
  else if (settings_error)
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
        ("The algorithm-settings cannot be used: %s", settings_error->message),
        (NULL));
  else if (parse_group (self, address, &settings.address)
      && parse_bind_address (self, bind_address, &settings.bind_address))
    return gst_lmcc_sink_core_open (self->core, &settings);
  g_free (settings.multicast_iface);
  g_free (settings.sdp_location);
  return FALSE;
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
      gst_lmcc_sink_clear_targets (self);
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
gst_lmcc_sink_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstLmccSink *self = GST_LMCC_SINK (object);
  gboolean known;

  GST_OBJECT_LOCK (self);
  known = gst_lmcc_sink_props_set (&self->props, id, value);
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_lmcc_sink_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstLmccSink *self = GST_LMCC_SINK (object);
  gboolean known;

  /* These take the core's locks. */
  if (id == PROP_SDP) {
    g_value_take_string (value, gst_lmcc_sink_core_get_sdp (self->core));
    return;
  }
  if (id == PROP_ESTIMATED_BITRATE) {
    g_value_set_uint64 (value,
        gst_lmcc_sink_core_get_estimated_bitrate (self->core));
    return;
  }
  if (id == PROP_STATS) {
    g_value_take_boxed (value, gst_lmcc_sink_core_get_stats (self->core));
    return;
  }
  GST_OBJECT_LOCK (self);
  known = gst_lmcc_sink_props_get (&self->props, id, value);
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
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
  gst_lmcc_sink_props_clear (&self->props);
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
  /**
   * GstLmccSink::encoder-setup:
   * @sink: lmccsink
   * @encoder: an encoder of raw video with all its settings, in state NULL
   * @rung: which, 0 for the lowest
   *
   * Emitted for each encoder that lmccsink makes, before it gets its first
   * picture, from a streaming thread: the place to change any of its
   * properties. See #GstX264LadderEnc::encoder-setup.
   *
   * Since: 0.1
   */
  signals[SIGNAL_ENCODER_SETUP] = g_signal_new ("encoder-setup",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
      G_TYPE_NONE, 2, GST_TYPE_ELEMENT, G_TYPE_UINT);
  /**
   * GstLmccSink::encoder-bitrate:
   * @sink: lmccsink
   * @encoder: (nullable): the encoder in front, if it is one of those that
   *     #GstLmccSink:drive-encoder knows
   * @bitrate: what it is to make, bit/s, within the bounds
   *
   * Emitted with #GstLmccSink:drive-encoder, from a thread of its own, whenever
   * the encoder is to make another rate: for encoders that lmccsink does not
   * know.
   *
   * Returns: %TRUE if the rate was set; else lmccsink sets it where it can
   *
   * Since: 0.1
   */
  signals[SIGNAL_ENCODER_BITRATE] = g_signal_new ("encoder-bitrate",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
      g_signal_accumulator_true_handled, NULL, NULL, G_TYPE_BOOLEAN, 2,
      GST_TYPE_ELEMENT, G_TYPE_UINT64);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &sound_template);
  gst_element_class_set_static_metadata (element_class,
      "Layered multicast sink", "Sink/Network/RTP",
      "Sends video in layers, each to a multicast group of its own",
      "The lmcc project");
}

static void
gst_lmcc_sink_init (GstLmccSink * self)
{
  const GstLmccSinkCallbacks callbacks = { on_changed, on_drive, self };

  gst_lmcc_sink_props_init (&self->props);
  self->core = gst_lmcc_sink_core_new (&callbacks);
  gst_object_ref_sink (self->core);
  gst_bin_add (GST_BIN (self), GST_ELEMENT (self->core));
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SINK);
}
