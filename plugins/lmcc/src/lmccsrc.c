/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-lmccsrc
 * @title: lmccsrc
 * @see_also: lmccsink
 *
 * Receives video that #lmccsink sends in layers, one multicast group per layer,
 * at a level that fits the network. It outputs one RTP stream.
 *
 * lmccsrc only needs the address of the base group. The session record, which
 * the sender repeats there, has everything else. #GstLmccSrc:max-level and
 * #GstLmccSrc:max-bitrate limit the level; with #GstLmccSrc:algorithm `none`
 * they alone set it. If lmccsrc starts before its sender, it waits and posts a
 * message.
 *
 * lmccsrc joins the base group in state PAUSED, and the other groups in
 * PLAYING. Packets that arrive in PAUSED are dropped. Timestamps are
 * presentation times, with B-frames in decoding order. Do not put an
 * rtpjitterbuffer behind lmccsrc: it is not needed and does harm.
 *
 * When the level drops to a lower encoding of the video, lmccsrc sends the
 * packets since the last key frame of that encoding again, so that the decoder
 * can catch up. The decoder does not show these pictures: they have the flag
 * %GST_BUFFER_FLAG_DECODE_ONLY and belong to a segment that begins later, with
 * times between those of the last picture shown and of the next one. The next
 * picture begins a new segment. The times of all segments are running times.
 *
 * If the session has audio, the sometimes pad `audio` outputs it as a separate
 * RTP stream with times on the same clock. In such a session either pad may
 * stay unlinked. If lmccsrc is made from a URI, for example by
 * gst_element_make_from_uri(), `src` also appears with the session, because
 * players accept pads that appear or pads that always exist, but not both.
 * lmccsrc then emits `no-more-pads`. The caps of these pads have a field
 * `lmcc`. It makes players put #lmccdepay behind them, which continues if a
 * sender comes back with another codec.
 *
 * ## Messages
 *
 * `lmcc-level-changed`: the level has changed.
 *
 * * #guint64 `running-time-ns`: time of the change
 * * #gint `from`: previous level, -1 for none
 * * #gint `to`: new level
 * * #gchararray `reason`: reason of the change
 * * #guint64 `bitrate`: total bitrate of the layers of level `to`, bit/s
 * * #gdouble `loss-rate`: packet loss over the last second, 0 to 1
 * * `algorithm`, `state`, `loss-event-rate`, `calculated-bitrate`,
 *   `smoothed-bitrate`, `trains`, `timer`, `timer-left-ms`, `fair-bitrate`,
 *   `mean-fair-bitrate`, `loss-thinning`, `loss-chance`, `turn-level`,
 *   `turn-share`, `turn-left-ms`, `joins-vetoed`, `left-alone-ms`, `rtt-ms`,
 *   `rtt-source`, `reordering-window-ms`, `reports`, `answers`,
 *   `reports-suppressed`, `leader`, `leads`, `base-algorithm` and
 *   `base-status`: as in #GstLmccSrc:stats
 *
 * `lmcc-waiting`: no sender is heard.
 *
 * * #gchararray `address`: base group
 * * #gint `port`: its port
 * * #gchararray `reason`: reason of the wait
 *
 * `lmcc-unheard`: no sender has been heard for 5 s of waiting. A warning says
 * the same and names a remedy.
 *
 * * #gchararray `address`, #gint `port`, `reason`: as above
 * * #gdouble `waited-ms`: waiting time so far
 * * #gdouble `heard-ms`: how long the sender was heard before; absent if none
 *   was heard
 *
 * `lmcc-source-changed`: the session now comes from another host. A warning
 * says the same. Posted at most once in 10 s.
 *
 * * #gchararray `from`, `to`: addresses of the previous and the new host
 * * #gchararray `reason`: reason of the change
 * * #guint64 `held-back`: number of such messages that were not posted since
 *   the previous one
 *
 * `lmcc-source-asked`: another host also sends a session to the group; only
 * with #GstLmccSrc:source-policy `ask`. #GstLmccSrc::answer-source answers.
 * Fields as above: lmccsrc receives from `from` and hears `to`.
 *
 * `lmcc-source-beside`: another sender, possibly on the same host, sends to the
 * group at the same time. A warning says the same and names a remedy. Fields as
 * above.
 *
 * `lmcc-memory-full`: #GstLmccSrc:max-memory is reached. Posted at most once in
 * 10 s for each step; a warning says the same and names a remedy.
 *
 * * #guint64 `running-time-ns`: time of the message
 * * #guint64 `memory-bytes`, `memory-budget-bytes`: memory in use, and its
 *   limit
 * * #gchararray `reason`: what lmccsrc gives up
 *
 * `lmcc-address-changed`: the host's address has changed. lmccsrc joins its
 * groups again, and sends reports from the new address.
 *
 * * #gchararray `interface`: network interface
 * * #gchararray `from`, `to`: previous and new address
 *
 * `GstLmccSrcTimeout`: no packet has arrived for #GstLmccSrc:timeout.
 *
 * * #guint64 `timeout`: that time, ns
 *
 * ## Examples
 *
 * A sender and a receiver on one host:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true \
 *     ! video/x-raw,width=640,height=360 \
 *     ! x264enc tune=zerolatency bframes=2 b-pyramid=true b-adapt=false \
 *     bitrate=600 key-int-max=30 \
 *     ! lmccsink address=239.255.42.1 multicast-iface=lo
 * gst-launch-1.0 lmccsrc uri="lmcc://239.255.42.1:5004?multicast-iface=lo" \
 *     ! rtph264depay ! avdec_h264 ! videoconvert ! autovideosink
 * ]|
 * Any player that uses GStreamer can open the URI:
 * |[
 * gst-play-1.0 "lmcc://239.255.42.1:5004?multicast-iface=lo&max-level=1"
 * ]|
 * With audio:
 * |[
 * gst-launch-1.0 lmccsrc name=lmcc uri="lmcc://239.255.42.1:5004" \
 *     lmcc.src ! decodebin ! videoconvert ! autovideosink \
 *     lmcc.audio ! decodebin ! audioconvert ! autoaudiosink
 * ]|
 * From a session description that lmccsink has written:
 * |[
 * gst-launch-1.0 lmccsrc sdp=session.sdp \
 *     ! decodebin ! videoconvert ! autovideosink
 * ]|
 *
 * Since: 0.1
 */
#include "config.h"

#include "src/private.h"

GST_DEBUG_CATEGORY (gst_lmcc_src_debug);
#define GST_CAT_DEFAULT gst_lmcc_src_debug

/* Exists from the start, unless the source is made from a URI. */
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_SOMETIMES, GST_STATIC_CAPS ("application/x-rtp"));

static GstStaticPadTemplate sound_template =
    GST_STATIC_PAD_TEMPLATE ("audio", GST_PAD_SRC, GST_PAD_SOMETIMES,
        GST_STATIC_CAPS ("application/x-rtp, media=(string)audio"));

static void gst_lmcc_src_uri_handler_init (gpointer iface, gpointer data);

G_DEFINE_TYPE_WITH_CODE (GstLmccSrc, gst_lmcc_src, GST_TYPE_ELEMENT,
    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER,
        gst_lmcc_src_uri_handler_init));
GST_ELEMENT_REGISTER_DEFINE (lmccsrc, "lmccsrc", GST_RANK_PRIMARY,
    GST_TYPE_LMCC_SRC);

static gboolean
query_latency (GstLmccSrc *self, GstQuery *query)
{
  GstClockTime latency;

  GST_OBJECT_LOCK (self);
  latency = self->settings.latency * GST_MSECOND;
  GST_OBJECT_UNLOCK (self);
  g_mutex_lock (&self->lock);
  if (g_atomic_int_get (&self->ended))
    latency = self->last_latency;
  else if (self->receiver)
    latency = lmcc_receiver_get_latency (self->receiver);
  g_mutex_unlock (&self->lock);

  gst_query_set_latency (query, TRUE, latency, GST_CLOCK_TIME_NONE);
  return TRUE;
}

static gboolean
gst_lmcc_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstLmccSrc *self = GST_LMCC_SRC (parent);
  g_autofree gchar *uri = NULL;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_LATENCY:
      return query_latency (self, query);
    case GST_QUERY_URI:
      uri = gst_lmcc_src_get_uri (self);
      gst_query_set_uri (query, uri);
      return uri != NULL;
    case GST_QUERY_SCHEDULING:
      gst_query_set_scheduling (query, GST_SCHEDULING_FLAG_SEQUENTIAL, 1, -1,
          0);
      gst_query_add_scheduling_mode (query, GST_PAD_MODE_PUSH);
      return TRUE;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

/* The element */

/* Events from the application go to both pads. */
static gboolean
send_to_outputs (GstLmccSrc *self, GstEvent *event,
    gboolean (*send) (GstLmccSrcOutput *output, GstEvent *event))
{
  gboolean done;

  if (self->sound_added)
    send (&self->sound, gst_event_ref (event));
  done = !gst_pad_is_active (self->video.pad)
      || send (&self->video, gst_event_ref (event));
  gst_event_unref (event);
  return done;
}

static gboolean
push_eos (GstLmccSrcOutput *output, GstEvent *event)
{
  gst_lmcc_src_output_push_event (output, event);
  return TRUE;
}

static gboolean
gst_lmcc_src_send_event (GstElement *element, GstEvent *event)
{
  GstLmccSrc *self = GST_LMCC_SRC (element);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_EOS:
      return send_to_outputs (self, event, push_eos);
    case GST_EVENT_FLUSH_START:
      return send_to_outputs (self, event, gst_lmcc_src_output_start_flush);
    case GST_EVENT_FLUSH_STOP:
      return send_to_outputs (self, event, gst_lmcc_src_output_stop_flush);
    default:
      break;
  }
  return GST_ELEMENT_CLASS (gst_lmcc_src_parent_class)
      ->send_event (element, event);
}

static GstStateChangeReturn
gst_lmcc_src_change_state (GstElement *element, GstStateChange transition)
{
  GstLmccSrc *self = GST_LMCC_SRC (element);
  GstStateChangeReturn ret;

  switch (transition) {
    case GST_STATE_CHANGE_READY_TO_PAUSED:
      if (!gst_lmcc_src_open (self))
        return GST_STATE_CHANGE_FAILURE;
      break;
    case GST_STATE_CHANGE_PLAYING_TO_PAUSED:
      gst_lmcc_src_session_stop (self);
      break;
    default:
      break;
  }

  ret = GST_ELEMENT_CLASS (gst_lmcc_src_parent_class)
            ->change_state (element, transition);

  switch (transition) {
    case GST_STATE_CHANGE_READY_TO_PAUSED:
      if (ret == GST_STATE_CHANGE_FAILURE)
        gst_lmcc_src_close (self);
      else
        ret = GST_STATE_CHANGE_NO_PREROLL;
      break;
    case GST_STATE_CHANGE_PAUSED_TO_PLAYING:
      if (ret != GST_STATE_CHANGE_FAILURE && !gst_lmcc_src_session_start (self))
        ret = GST_STATE_CHANGE_FAILURE;
      break;
    case GST_STATE_CHANGE_PLAYING_TO_PAUSED:
      if (ret != GST_STATE_CHANGE_FAILURE)
        ret = GST_STATE_CHANGE_NO_PREROLL;
      break;
    case GST_STATE_CHANGE_PAUSED_TO_READY:
      gst_lmcc_src_close (self);
      break;
    default:
      break;
  }
  return ret;
}

static void
gst_lmcc_src_finalize (GObject *object)
{
  GstLmccSrc *self = GST_LMCC_SRC (object);

  gst_lmcc_properties_clear (&gst_lmcc_src_properties, &self->settings);
  g_free (self->uri_error);
  gst_lmcc_src_output_finalize (&self->video);
  gst_lmcc_src_output_finalize (&self->sound);
  g_array_unref (self->actions);
  g_array_unref (self->answers);
  gst_lmcc_io_free (self->io);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (gst_lmcc_src_parent_class)->finalize (object);
}

static void
gst_lmcc_src_init (GstLmccSrc *self)
{
  guint group;

  gst_lmcc_properties_init (&gst_lmcc_src_properties, &self->settings);
  self->answers = gst_lmcc_src_new_answers ();
  self->actions = g_array_new (FALSE, FALSE, sizeof (LmccReceiverAction));
  for (group = 0; group < LMCC_MAX_GROUPS; group++)
    self->group_fds[group] = -1;
  self->control_fd = -1;
  self->report_fd = -1;
  self->learning_fd = -1;
  self->notice_fd = -1;
  self->host.netlink_fd = -1;
  gst_lmcc_src_session_init (self);
  self->level = -1;
  self->past.level = -1;
  self->past.rung = -1;
  self->past.join_to_packet = LMCC_TIME_NONE;
  self->past.join_to_picture = LMCC_TIME_NONE;
  g_mutex_init (&self->lock);

  gst_lmcc_src_output_init (&self->video, GST_ELEMENT_CAST (self),
      &src_template, gst_lmcc_src_query);
  gst_element_add_pad (GST_ELEMENT_CAST (self), self->video.pad);
  gst_lmcc_src_output_init (&self->sound, GST_ELEMENT_CAST (self),
      &sound_template, gst_lmcc_src_query);
  self->sound.optional = TRUE;

  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SOURCE);
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_REQUIRE_CLOCK);
}

static void
gst_lmcc_src_class_init (GstLmccSrcClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_lmcc_src_debug, "lmccsrc", 0,
      "layered multicast source");

  object_class->finalize = gst_lmcc_src_finalize;
  object_class->set_property = gst_lmcc_src_set_property;
  object_class->get_property = gst_lmcc_src_get_property;
  gst_lmcc_properties_install (&gst_lmcc_src_properties, object_class);

  /**
   * GstLmccSrc::answer-source:
   * @source: the source
   * @address: the sender's own address
   * @take: %TRUE to receive from it from now on, %FALSE to ignore it for good
   *
   * Answers a message `lmcc-source-asked`. It can also be called without a
   * message while lmccsrc is in PLAYING. lmccsrc receives from an accepted
   * sender as soon as it hears it, and also returns to that sender later.
   *
   * Returns: %TRUE if @address is a valid address
   *
   * Since: 0.1
   */
  g_signal_new_class_handler ("answer-source", G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (gst_lmcc_src_answer_source), NULL, NULL, NULL, G_TYPE_BOOLEAN,
      2, G_TYPE_STRING, G_TYPE_BOOLEAN);

  element_class->change_state = GST_DEBUG_FUNCPTR (gst_lmcc_src_change_state);
  element_class->send_event = GST_DEBUG_FUNCPTR (gst_lmcc_src_send_event);
  /* Players use the first template to decide whether pads will appear. */
  gst_element_class_add_static_pad_template (element_class, &sound_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "Layered multicast source", "Source/Network/RTP",
      "Receives layered multicast video at a level that fits the network",
      "The lmcc project");
}

/* GstURIHandler */

static GstURIType
gst_lmcc_src_uri_get_type (GType type G_GNUC_UNUSED)
{
  return GST_URI_SRC;
}

static const gchar *const *
gst_lmcc_src_uri_get_protocols (GType type G_GNUC_UNUSED)
{
  static const gchar *const protocols[] = { GST_LMCC_URI_SCHEME, NULL };

  return protocols;
}

static gchar *
gst_lmcc_src_uri_get_uri (GstURIHandler *handler)
{
  return gst_lmcc_src_get_uri (GST_LMCC_SRC (handler));
}

static gboolean
gst_lmcc_src_uri_set_uri (GstURIHandler *handler, const gchar *uri,
    GError **error)
{
  if (!gst_lmcc_src_set_uri (GST_LMCC_SRC (handler), uri, error))
    return FALSE;
  gst_lmcc_src_hide_video (GST_LMCC_SRC (handler));
  return TRUE;
}

static void
gst_lmcc_src_uri_handler_init (gpointer iface, gpointer data G_GNUC_UNUSED)
{
  GstURIHandlerInterface *handler = iface;

  handler->get_type = gst_lmcc_src_uri_get_type;
  handler->get_protocols = gst_lmcc_src_uri_get_protocols;
  handler->get_uri = gst_lmcc_src_uri_get_uri;
  handler->set_uri = gst_lmcc_src_uri_set_uri;
}
