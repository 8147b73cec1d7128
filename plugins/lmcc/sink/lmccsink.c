/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-lmccsink
 * @title: lmccsink
 * @see_also: #lmccsrc
 *
 * Sends video in layers, one multicast group per layer, so that each receiver
 * can join as many layers as its path can carry. The layers come from the
 * codec: they are the temporal classes of one encoding, several encodings
 * ("rungs", one on each sink pad, lowest first), or both.
 *
 * With #GstLmccSink:layering layers have fixed rates instead. lmccsink then
 * fills the layers with pictures, the most important data in the lowest ones.
 * This delays pictures by #GstLmccSink:window, which follows the key-frame
 * interval. Key frames must be at most 2 s apart.
 *
 * The base layer uses #GstLmccSink:address and #GstLmccSink:port; layer i uses
 * the i-th address after it. lmccsink puts the standard RTP payloader in front
 * of an elementary stream, and accepts RTP packets as they are. All video pads
 * must carry the same codec.
 *
 * lmccsink encodes raw video, on one pad only, with #x264ladderenc. It makes
 * rungs with three temporal classes and with rates that suit the picture, or
 * layers with fixed rates. #GstLmccSink:codec selects #vp9svcenc or
 * #j2klayerenc instead. #GstLmccSink:encoder-settings and
 * #GstLmccSink::encoder-setup change the settings of the encoder.
 *
 * The pad `audio_sink` accepts audio: Opus, AAC, RTP of either, or raw audio,
 * which lmccsink encodes as Opus. Audio is a separate stream in the base layer
 * and needs video in the same session.
 *
 * An error with a remedy is posted if a stream has no payloader, or if audio
 * arrives at a video pad. If a demuxer offers audio and video, lmccsink skips
 * the audio in favour of the video, with a warning.
 *
 * With several rungs lmccsink requests key frames at the same pictures from all
 * encoders, with force-key-unit events. Put a queue in front of each encoder.
 *
 * The host's addresses and links can change during a session: packets, reports
 * and the session record follow. If packets cannot be sent for 1 s, a warning
 * gives the reason. After #GstLmccSink:send-timeout an error ends the session.
 *
 * ## Messages
 *
 * `lmcc-address-changed`: packets now come from another address, or the address
 * has become known. A warning says the same.
 *
 * * #gchararray `interface`: network interface
 * * #gchararray `from`, `to`: previous address, empty if none was known, and
 *   new address
 *
 * `lmcc-rival-sender`: another sender, possibly on this host, also sends to one
 * of the lowest 16 groups of the session. After 3 s lmccsink only listens to
 * the base group, and only if the base layer has at most 2 Mbit/s. A warning
 * says the same and names a remedy. Posted once for each other sender, and at
 * most once in 10 s.
 *
 * * #gchararray `from`: source address of its packets
 * * #gchararray `address`: group
 * * #gint `port`: port of the group
 *
 * `lmcc-address-chosen`: #GstLmccSink:address was not set, and another sender
 * uses the default address. The session uses another address, which the
 * property then contains. A warning says the same.
 *
 * * #gchararray `from`: source address of the other sender's packets
 * * #gchararray `address`: address of the session
 * * #gint `port`: port of the session
 *
 * ## Examples
 *
 * Raw video, in layers that suit it:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! lmccsink address=239.255.42.1
 * ]|
 * A receiver for it:
 * |[
 * gst-play-1.0 lmcc://239.255.42.1:5004
 * ]|
 * Three temporal classes of one encoding, for receivers on this host:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true \
 *     ! x264enc tune=zerolatency b-pyramid=true bframes=3 key-int-max=50 \
 *     ! lmccsink multicast-iface=lo
 * ]|
 * A receiver for it:
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
 * The same rungs in layers with 400, 400, 800 and 1600 kbit/s:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! tee name=t \
 *     t. ! queue ! x264enc bitrate=300 tune=zerolatency ! lmcc.sink_0 \
 *     t. ! queue ! x264enc bitrate=1200 tune=zerolatency ! lmcc.sink_1 \
 *     lmccsink name=lmcc key-unit-interval=2000 layering=doubling layers=4 \
 *     base-rate=400000
 * ]|
 *
 * One encoding at the rate of the slowest receiver:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! x264enc tune=zerolatency ! \
 *     lmccsink multicast-iface=lo algorithm=pgmcc drive-encoder=true
 * ]|
 * The lowest of several encodings at the rate of the slowest receiver, and the
 * others for faster receivers:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! tee name=t \
 *     t. ! queue ! x264enc bitrate=300 tune=zerolatency ! lmcc.sink_0 \
 *     t. ! queue ! x264enc bitrate=1200 tune=zerolatency ! lmcc.sink_1 \
 *     lmccsink name=lmcc multicast-iface=lo key-unit-interval=2000 \
 *     base-algorithm=tfmcc drive-encoder=true
 * ]|
 *
 * With audio:
 * |[
 * gst-launch-1.0 lmccsink name=lmcc multicast-iface=lo \
 *     videotestsrc is-live=true ! queue ! x264enc key-int-max=50 \
 *     ! lmcc.sink_0 \
 *     audiotestsrc is-live=true ! queue ! opusenc ! lmcc.audio_sink
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
        GST_STATIC_CAPS (
            "application/x-rtp, media=(string)audio; audio/x-opus; "
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
G_DEFINE_TYPE_WITH_CODE (GstLmccSink, gst_lmcc_sink, GST_TYPE_BIN,
    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER,
        gst_lmcc_sink_uri_handler_init));
GST_ELEMENT_REGISTER_DEFINE (lmccsink, "lmccsink", GST_RANK_NONE,
    GST_TYPE_LMCC_SINK);

/* Emits encoder-setup for an encoder that a pad for raw video has created. */
void
gst_lmcc_sink_set_up_encoder (GstLmccSink *self, GstElement *encoder,
    guint rung)
{
  g_signal_emit (self, signals[SIGNAL_ENCODER_SETUP], 0, encoder, rung);
}

/* Callbacks of the core */

static void
on_changed (gpointer user_data, const gchar *property)
{
  g_object_notify (user_data, property);
}

static gboolean
on_drive (gpointer user_data, GstElement *encoder, guint64 bitrate)
{
  gboolean handled = FALSE;

  g_signal_emit (user_data, signals[SIGNAL_ENCODER_BITRATE], 0, encoder,
      bitrate, &handled);
  return handled;
}

/* Lets the user see the new address. It does not count as set by the user. */
static void
on_chosen (gpointer user_data, const gchar *address)
{
  GstLmccSink *self = user_data;
  gboolean taken;

  GST_OBJECT_LOCK (self);
  taken = !self->address_is_given;
  if (taken) {
    g_free (self->properties.address);
    self->properties.address = g_strdup (address);
  }
  GST_OBJECT_UNLOCK (self);
  if (taken)
    g_object_notify (user_data, "address");
}

/* State */

static gboolean
open_core (GstLmccSink *self)
{
  GstLmccSinkSettings settings;
  g_autoptr (GError) error = NULL;
  gboolean ok;

  if (!gst_lmcc_sink_check_uri (self, &error)) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("%s", error->message),
        (NULL));
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  ok = gst_lmcc_sink_settings_read (&settings, &self->properties, &error);
  settings.may_move = !self->address_is_given;
  GST_OBJECT_UNLOCK (self);
  if (ok)
    return gst_lmcc_sink_core_open (self->core, &settings);
  GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("%s", error->message), (NULL));
  gst_lmcc_sink_settings_clear (&settings);
  return FALSE;
}

static GstStateChangeReturn
gst_lmcc_sink_change_state (GstElement *element, GstStateChange transition)
{
  GstLmccSink *self = GST_LMCC_SINK (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !open_core (self))
    return GST_STATE_CHANGE_FAILURE;
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  switch (transition) {
    case GST_STATE_CHANGE_PAUSED_TO_READY:
      gst_lmcc_sink_clear_targets (self);
      gst_lmcc_sink_forget_left_out (self);
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
gst_lmcc_sink_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstLmccSink *self = GST_LMCC_SINK (object);
  gboolean kept;

  GST_OBJECT_LOCK (self);
  kept = gst_lmcc_properties_set (&gst_lmcc_sink_properties, &self->properties,
      id, value);
  if (g_str_equal (pspec->name, "address"))
    self->address_is_given = TRUE;
  GST_OBJECT_UNLOCK (self);
  if (!kept)
    gst_lmcc_sink_set_uri_property (self, g_value_get_string (value));
}

/* These functions take the core's locks. */
static void
compute_property (GstLmccSink *self, const gchar *name, GValue *value)
{
  if (g_str_equal (name, "uri"))
    g_value_take_string (value, gst_lmcc_sink_dup_uri (self));
  else if (g_str_equal (name, "sdp"))
    g_value_take_string (value, gst_lmcc_sink_core_get_sdp (self->core));
  else if (g_str_equal (name, "estimated-bitrate"))
    g_value_set_uint64 (value,
        gst_lmcc_sink_core_get_estimated_bitrate (self->core));
  else if (g_str_equal (name, "used-socket"))
    g_value_take_object (value,
        gst_lmcc_sink_core_get_used_socket (self->core));
  else
    g_value_take_boxed (value, gst_lmcc_sink_core_get_stats (self->core));
}

static void
gst_lmcc_sink_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstLmccSink *self = GST_LMCC_SINK (object);
  gboolean kept;

  GST_OBJECT_LOCK (self);
  kept = gst_lmcc_properties_get (&gst_lmcc_sink_properties, &self->properties,
      id, value);
  GST_OBJECT_UNLOCK (self);
  if (!kept)
    compute_property (self, pspec->name, value);
}

/* Releases the pads before the bin's dispose frees the core. */
static void
gst_lmcc_sink_dispose (GObject *object)
{
  GstElement *element = GST_ELEMENT (object);
  GList *pads = gst_lmcc_sink_list_pads (element), *l;

  for (l = pads; l; l = l->next)
    gst_element_release_request_pad (element, l->data);
  g_list_free_full (pads, gst_object_unref);
  G_OBJECT_CLASS (parent_class)->dispose (object);
}

static void
gst_lmcc_sink_finalize (GObject *object)
{
  GstLmccSink *self = GST_LMCC_SINK (object);

  gst_object_unref (self->core);
  g_free (self->uri_error);
  gst_lmcc_properties_clear (&gst_lmcc_sink_properties, &self->properties);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_lmcc_sink_class_init (GstLmccSinkClass *klass)
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
  gst_lmcc_properties_install (&gst_lmcc_sink_properties, object_class);
  /**
   * GstLmccSink::encoder-setup:
   * @sink: lmccsink
   * @encoder: an encoder for raw video with all its settings, in state NULL
   * @rung: the rung that it makes, 0 for the lowest
   *
   * Emitted from a streaming thread for each encoder that lmccsink makes,
   * before the encoder gets its first picture. Handlers can change any of its
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
   * @encoder: (nullable): the upstream encoder, if #GstLmccSink:drive-encoder
   *     supports it
   * @bitrate: the new bitrate (bit/s), within the limits
   *
   * Emitted from a thread of its own, with #GstLmccSink:drive-encoder, whenever
   * the encoder needs another bitrate. Use it for encoders that lmccsink does
   * not support.
   *
   * Returns: %TRUE if the handler has set the bitrate; otherwise lmccsink sets
   * it if it can
   *
   * Since: 0.1
   */
  signals[SIGNAL_ENCODER_BITRATE] =
      g_signal_new ("encoder-bitrate", G_TYPE_FROM_CLASS (klass),
          G_SIGNAL_RUN_LAST, 0, g_signal_accumulator_true_handled, NULL, NULL,
          G_TYPE_BOOLEAN, 2, GST_TYPE_ELEMENT, G_TYPE_UINT64);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &sound_template);
  gst_element_class_set_static_metadata (element_class,
      "Layered multicast sink", "Sink/Network/RTP",
      "Sends video in layers, one multicast group per layer",
      "The lmcc project");
}

static void
gst_lmcc_sink_init (GstLmccSink *self)
{
  const GstLmccSinkCallbacks callbacks = { on_changed, on_drive, on_chosen,
    self };

  gst_lmcc_properties_init (&gst_lmcc_sink_properties, &self->properties);
  self->core = gst_lmcc_sink_core_new (&callbacks);
  gst_object_ref_sink (self->core);
  gst_bin_add (GST_BIN (self), GST_ELEMENT (self->core));
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SINK);
}
