/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-lmccsrc
 * @title: lmccsrc
 * @see_also: lmccsink
 *
 * Receives video that #lmccsink sends in layers, each in a multicast group of
 * its own, at a level that fits the network, and gives out one RTP stream.
 *
 * All that it needs is the address of the base group: the rest comes with the
 * session's record, beside the base. #GstLmccSrc:max-level and
 * #GstLmccSrc:max-bitrate hold the level down; with #GstLmccSrc:algorithm
 * `none` they alone decide. A source that starts before its sender waits, and
 * says so.
 *
 * The base group is joined from PAUSED on, the others in PLAYING. What is
 * received in PAUSED is dropped. The timestamps are presentation times, with
 * B-frames in decoding order: no rtpjitterbuffer is needed, and it would do
 * harm.
 *
 * Where the level goes down to a lower encoding of the video, packets since its
 * last key frame are sent again, with their own times, under a new segment that
 * begins at the next picture, so that the decoder catches up unseen.
 *
 * ## Messages
 *
 * `lmcc-level-changed`: another level is held from now on.
 *
 * * #guint64 `time`: the running time
 * * #gint `from`: the highest layer that was held, -1 for none
 * * #gint `to`: the highest layer that is held
 * * #gchararray `reason`: why
 * * #guint64 `rate`: what the layers up to `to` carry together, bit/s
 * * #gdouble `loss`: share of packets lost in the last second, 0 to 1
 * * #guint64 `rtt`: the round-trip time, ns, 0 where it is not known
 *
 * `lmcc-waiting`: no sender is heard.
 *
 * * #gchararray `address`: the base group
 * * #gint `port`: its port
 * * #gchararray `reason`: why
 *
 * `GstLmccSrcTimeout`: no packet came for #GstLmccSrc:timeout.
 *
 * * #guint64 `timeout`: that time, ns
 *
 * ## Examples
 *
 * A sender and a receiver on one host:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true \
 *     ! video/x-raw,width=640,height=360 \
 *     ! x264enc tune=zerolatency bitrate=600 key-int-max=30 \
 *     ! lmccsink address=239.255.42.1 multicast-iface=lo
 * gst-launch-1.0 lmccsrc uri="lmcc://239.255.42.1:5004?multicast-iface=lo" \
 *     ! rtph264depay ! avdec_h264 ! videoconvert ! autovideosink
 * ]|
 * Any player that is built on GStreamer opens the URI:
 * |[
 * gst-play-1.0 "lmcc://239.255.42.1:5004?multicast-iface=lo&max-level=1"
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

#include "gstlmccsrcprivate.h"

#include <sys/eventfd.h>

GST_DEBUG_CATEGORY (gst_lmcc_src_debug);
#define GST_CAT_DEFAULT gst_lmcc_src_debug

/* Most that waits for a pad that cannot push: far more than a player that keeps
 * up leaves, far less than what hurts. */
#define QUEUE_MAX_BYTES (16 * 1024 * 1024)
#define QUEUE_MAX_TIME (3 * GST_SECOND)

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));

static void gst_lmcc_src_uri_handler_init (gpointer iface, gpointer data);

G_DEFINE_TYPE_WITH_CODE (GstLmccSrc, gst_lmcc_src, GST_TYPE_ELEMENT,
    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER,
        gst_lmcc_src_uri_handler_init));
GST_ELEMENT_REGISTER_DEFINE (lmccsrc, "lmccsrc", GST_RANK_PRIMARY,
    GST_TYPE_LMCC_SRC);

/* The pad */

static void
start_stream (GstLmccSrc * self)
{
  g_autofree gchar *id = gst_pad_create_stream_id (self->srcpad,
      GST_ELEMENT_CAST (self), NULL);
  GstEvent *event = gst_event_new_stream_start (id);

  gst_event_set_group_id (event, gst_util_group_id_next ());
  gst_pad_push_event (self->srcpad, event);
  self->stream_started = TRUE;
}

static void
start_first_segment (GstLmccSrc * self)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (self->srcpad, gst_event_new_segment (&segment));
  self->segment_sent = TRUE;
}

static void
push_loop (gpointer data)
{
  GstLmccSrc *self = data;
  GstMiniObject *object = gst_lmcc_src_queue_pop (self->queue);
  GstFlowReturn ret;

  if (object == NULL) {
    gst_pad_pause_task (self->srcpad);
    return;
  }
  if (!self->stream_started)
    start_stream (self);
  if (GST_IS_EVENT (object)) {
    gboolean is_eos = GST_EVENT_TYPE (object) == GST_EVENT_EOS;

    if (GST_EVENT_TYPE (object) == GST_EVENT_SEGMENT)
      self->segment_sent = TRUE;
    gst_pad_push_event (self->srcpad, GST_EVENT_CAST (object));
    if (is_eos)
      gst_pad_pause_task (self->srcpad);
    return;
  }
  if (!self->segment_sent)
    start_first_segment (self);
  ret = gst_pad_push_list (self->srcpad, GST_BUFFER_LIST_CAST (object));
  if (ret == GST_FLOW_OK)
    return;

  GST_INFO_OBJECT (self, "downstream says %s", gst_flow_get_name (ret));
  gst_pad_pause_task (self->srcpad);
  if (ret == GST_FLOW_NOT_LINKED || ret < GST_FLOW_EOS) {
    GST_ELEMENT_FLOW_ERROR (self, ret);
    gst_pad_push_event (self->srcpad, gst_event_new_eos ());
  }
}

static gboolean
gst_lmcc_src_activate_mode (GstPad * pad, GstObject * parent, GstPadMode mode,
    gboolean active)
{
  GstLmccSrc *self = GST_LMCC_SRC (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  gst_lmcc_src_queue_set_flushing (self->queue, !active);
  return active ? gst_pad_start_task (pad, push_loop, self, NULL) :
      gst_pad_stop_task (pad);
}

static gboolean
query_latency (GstLmccSrc * self, GstQuery * query)
{
  GstClockTime latency;

  GST_OBJECT_LOCK (self);
  latency = self->settings.latency * GST_MSECOND;
  GST_OBJECT_UNLOCK (self);
  g_mutex_lock (&self->lock);
  if (self->receiver)
    latency = lmcc_receiver_get_latency (self->receiver);
  g_mutex_unlock (&self->lock);

  gst_query_set_latency (query, TRUE, latency, GST_CLOCK_TIME_NONE);
  return TRUE;
}

static gboolean
gst_lmcc_src_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstLmccSrc *self = GST_LMCC_SRC (parent);
  g_autofree gchar *uri = NULL;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_LATENCY:
      return query_latency (self, query);
    case GST_QUERY_URI:
      uri = gst_lmcc_src_get_uri (self);
      gst_query_set_uri (query, uri);
      return TRUE;
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

static gboolean
start_flush (GstLmccSrc * self, GstEvent * event)
{
  gst_lmcc_src_queue_set_flushing (self->queue, TRUE);
  return gst_pad_push_event (self->srcpad, event);
}

/* What waits is old by now. The session goes on as it is, and the stream with a
 * new segment. */
static gboolean
stop_flush (GstLmccSrc * self, GstEvent * event)
{
  gboolean done;

  /* The pushing thread ends before downstream takes data again. */
  GST_PAD_STREAM_LOCK (self->srcpad);
  gst_lmcc_src_queue_clear (self->queue, FALSE);
  self->segment_sent = FALSE;
  done = gst_pad_push_event (self->srcpad, event);
  gst_lmcc_src_queue_set_flushing (self->queue, FALSE);
  gst_pad_start_task (self->srcpad, push_loop, self, NULL);
  GST_PAD_STREAM_UNLOCK (self->srcpad);
  return done;
}

static gboolean
gst_lmcc_src_send_event (GstElement * element, GstEvent * event)
{
  GstLmccSrc *self = GST_LMCC_SRC (element);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_EOS:
      gst_lmcc_src_queue_push_event (self->queue, event);
      return TRUE;
    case GST_EVENT_FLUSH_START:
      return start_flush (self, event);
    case GST_EVENT_FLUSH_STOP:
      return stop_flush (self, event);
    default:
      break;
  }
  return GST_ELEMENT_CLASS (gst_lmcc_src_parent_class)->send_event (element,
      event);
}

static GstStateChangeReturn
gst_lmcc_src_change_state (GstElement * element, GstStateChange transition)
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

  ret = GST_ELEMENT_CLASS (gst_lmcc_src_parent_class)->change_state (element,
      transition);

  switch (transition) {
    case GST_STATE_CHANGE_READY_TO_PAUSED:
      if (ret == GST_STATE_CHANGE_FAILURE)
        gst_lmcc_src_close (self);
      else
        ret = GST_STATE_CHANGE_NO_PREROLL;
      break;
    case GST_STATE_CHANGE_PAUSED_TO_PLAYING:
      if (ret != GST_STATE_CHANGE_FAILURE)
        gst_lmcc_src_session_start (self);
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
gst_lmcc_src_finalize (GObject * object)
{
  GstLmccSrc *self = GST_LMCC_SRC (object);

  gst_lmcc_src_settings_clear (&self->settings);
  gst_lmcc_src_queue_free (self->queue);
  g_array_unref (self->actions);
  gst_lmcc_socket_close (&self->wake_fd);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (gst_lmcc_src_parent_class)->finalize (object);
}

static void
gst_lmcc_src_init (GstLmccSrc * self)
{
  guint group;

  gst_lmcc_src_settings_init (&self->settings);
  self->queue = gst_lmcc_src_queue_new (QUEUE_MAX_BYTES, QUEUE_MAX_TIME);
  self->actions = g_array_new (FALSE, FALSE, sizeof (LmccReceiverAction));
  for (group = 0; group < LMCC_MAX_GROUPS; group++)
    self->group_fds[group] = -1;
  self->control_fd = -1;
  self->wake_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  self->level = -1;
  self->past.level = -1;
  self->past.rung = -1;
  self->past.join_to_packet = LMCC_TIME_NONE;
  self->past.join_to_picture = LMCC_TIME_NONE;
  g_mutex_init (&self->lock);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_activatemode_function (self->srcpad,
      GST_DEBUG_FUNCPTR (gst_lmcc_src_activate_mode));
  gst_pad_set_query_function (self->srcpad,
      GST_DEBUG_FUNCPTR (gst_lmcc_src_query));
  gst_pad_use_fixed_caps (self->srcpad);
  gst_element_add_pad (GST_ELEMENT_CAST (self), self->srcpad);

  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SOURCE);
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_REQUIRE_CLOCK);
}

static void
gst_lmcc_src_class_init (GstLmccSrcClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_lmcc_src_debug, "lmccsrc", 0,
      "layered multicast source");

  object_class->finalize = gst_lmcc_src_finalize;
  gst_lmcc_src_install_properties (object_class);

  element_class->change_state = GST_DEBUG_FUNCPTR (gst_lmcc_src_change_state);
  element_class->send_event = GST_DEBUG_FUNCPTR (gst_lmcc_src_send_event);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "Layered multicast source", "Source/Network",
      "Receives layered multicast video at a level that fits the network",
      "The lmcc developers");
}

/* GstURIHandler */

static GstURIType
gst_lmcc_src_uri_get_type (GType type)
{
  return GST_URI_SRC;
}

static const gchar *const *
gst_lmcc_src_uri_get_protocols (GType type)
{
  static const gchar *const protocols[] = { GST_LMCC_URI_SCHEME, NULL };

  return protocols;
}

static gchar *
gst_lmcc_src_uri_get_uri (GstURIHandler * handler)
{
  return gst_lmcc_src_get_uri (GST_LMCC_SRC (handler));
}

static gboolean
gst_lmcc_src_uri_set_uri (GstURIHandler * handler, const gchar * uri,
    GError ** error)
{
  return gst_lmcc_src_set_uri (GST_LMCC_SRC (handler), uri, error);
}

static void
gst_lmcc_src_uri_handler_init (gpointer iface, gpointer data)
{
  GstURIHandlerInterface *handler = iface;

  handler->get_type = gst_lmcc_src_uri_get_type;
  handler->get_protocols = gst_lmcc_src_uri_get_protocols;
  handler->get_uri = gst_lmcc_src_uri_get_uri;
  handler->set_uri = gst_lmcc_src_uri_set_uri;
}
