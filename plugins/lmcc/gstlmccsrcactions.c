/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "gstlmccsrcprivate.h"

#define GST_CAT_DEFAULT gst_lmcc_src_debug

/* Pictures are not closer than this (960 per second). */
#define MIN_STEP (LMCC_SECOND / 960)

/* What the distance of two pictures in this stream may be off by: the RTP
 * clock's grain and the adjustment of the sender's clock. Pictures may be shown
 * so much late, once, at the start of a segment. */
#define STEP_MARGIN (200 * LMCC_USECOND)

/**
 * gst_lmcc_src_collect_actions:
 * @self: the source
 *
 * Takes what the library wants done. Must be called with the lock, after every
 * call that changes the receiver; gst_lmcc_src_perform_actions() follows
 * without.
 */
void
gst_lmcc_src_collect_actions (GstLmccSrc * self)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (self->receiver, &action)) {
    /* The library may replace the session before this one is acted on. */
    if (action.type == LMCC_RECEIVER_ACTION_SESSION) {
      self->session = *lmcc_receiver_get_session (self->receiver);
      self->have_session = TRUE;
    }
    g_array_append_val (self->actions, action);
  }
}

static void
join_group (GstLmccSrc * self, guint group)
{
  g_autoptr (GError) error = NULL;

  GST_INFO_OBJECT (self, "join group %u", group);
  if (!gst_lmcc_src_open_group (self, group, &error))
    GST_ELEMENT_WARNING (self, RESOURCE, OPEN_READ, ("%s", error->message),
        (NULL));
}

static void
leave_group (GstLmccSrc * self, guint group)
{
  /* A pause does not leave the base group. */
  if (group == 0 && !g_atomic_int_get (&self->running))
    return;
  GST_INFO_OBJECT (self, "leave group %u", group);
  gst_lmcc_src_close_group (self, group);
}

static void
free_packet (gpointer data)
{
  lmcc_packet_unref (data);
}

/* Learns the distance of pictures: the least among the latest few, which come
 * in decoding order. */
static void
learn_step (GstLmccSrc * self, LmccTime time)
{
  guint i;

  for (i = 0; i < MIN (self->n_times, GST_LMCC_SRC_N_TIMES); i++) {
    if (self->times[i] == time)
      return;
  }
  self->times[self->n_times++ % GST_LMCC_SRC_N_TIMES] = time;
}

static LmccTime
get_step (GstLmccSrc * self)
{
  guint n = MIN (self->n_times, GST_LMCC_SRC_N_TIMES);
  LmccTime step = LMCC_TIME_NONE;
  guint i, j;

  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) {
      if (self->times[i] >= self->times[j] + MIN_STEP)
        step = MIN (step, self->times[i] - self->times[j]);
    }
  }
  return LMCC_TIME_IS_VALID (step) ? step : 0;
}

static GstClockTime
to_running_time (GstLmccSrc * self, LmccTime time)
{
  return time > self->epoch ? time - self->epoch : 0;
}

static void
deliver (GstLmccSrc * self, const LmccReceiverAction * action, LmccTime now)
{
  LmccPacket *packet = action->packet;
  GstBuffer *buffer = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY,
      packet->data, packet->size, 0, packet->size, packet, free_packet);

  if (action->unit_start)
    learn_step (self, action->time);
  GST_BUFFER_PTS (buffer) = to_running_time (self, action->time);
  if (action->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  if (action->corrupted)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
  if (action->catch_up)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DECODE_ONLY);
  gst_lmcc_src_queue_push_buffer (self->queue, buffer, action->unit_start, now);
}

static void
push_caps (GstLmccSrc * self, GstCaps * caps)
{
  gst_caps_take (&self->caps, caps);
  gst_lmcc_src_queue_push_event (self->queue, gst_event_new_caps (caps));
}

/* Stock depayloaders keep segments to themselves, after the first, except where
 * the caps say that the stream is of the kind of ONVIF's replays. Said only
 * now, because a depayloader passes such segments on even before its own caps.
 * The pictures sent again are before @start, and so not shown. */
static void
start_segment (GstLmccSrc * self, LmccTime start)
{
  GstSegment segment;
  LmccTime step = get_step (self);

  /* @start is just after the time of the last picture shown. A decoder drops a
   * picture only where its end, too, is not after the segment's start. */
  if (step > 0)
    start += step + STEP_MARGIN;
  if (self->caps && !self->segments_pass) {
    GstCaps *caps = gst_caps_copy (self->caps);

    gst_caps_set_simple (caps, "onvif-mode", G_TYPE_BOOLEAN, TRUE, NULL);
    push_caps (self, caps);
    self->segments_pass = TRUE;
  }
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = to_running_time (self, start);
  segment.position = segment.base = segment.time = segment.start;
  gst_lmcc_src_queue_push_event (self->queue, gst_event_new_segment (&segment));
}

static void
take_session (GstLmccSrc * self)
{
  g_autoptr (GstCaps) caps = NULL;

  g_mutex_lock (&self->lock);
  caps = gst_caps_new_simple ("application/x-rtp",
      "media", G_TYPE_STRING, "video",
      "clock-rate", G_TYPE_INT, (gint) self->session.video.clock_rate,
      "encoding-name", G_TYPE_STRING, self->session.video.encoding_name,
      "payload", G_TYPE_INT, (gint) self->session.payload_type, NULL);
  g_mutex_unlock (&self->lock);

  if (self->segments_pass)
    gst_caps_set_simple (caps, "onvif-mode", G_TYPE_BOOLEAN, TRUE, NULL);
  if (self->caps && gst_caps_is_equal (self->caps, caps))
    return;
  GST_INFO_OBJECT (self, "caps %" GST_PTR_FORMAT, caps);
  push_caps (self, gst_caps_ref (caps));
}

static void
post (GstLmccSrc * self, GstStructure * structure)
{
  gst_element_post_message (GST_ELEMENT_CAST (self),
      gst_message_new_element (GST_OBJECT_CAST (self), structure));
}

static void
tell_level (GstLmccSrc * self, const LmccReceiverAction * action, LmccTime now)
{
  LmccReceiverStats stats;
  guint64 rate = 0;

  gst_lmcc_src_get_receiver_stats (self, &stats);
  g_mutex_lock (&self->lock);
  if (self->have_session && action->to >= 0
      && (guint) action->to < self->session.n_layers)
    rate = lmcc_session_cumulative_rate (&self->session, (guint) action->to);
  g_mutex_unlock (&self->lock);

  GST_INFO_OBJECT (self, "level %d to %d: %s (loss=%.4f rate=%"
      G_GUINT64_FORMAT " b/s)", action->from, action->to, action->reason,
      stats.loss_rate, rate);
  g_atomic_int_set (&self->level, action->to);
  post (self, gst_structure_new ("lmcc-level-changed",
          "time", G_TYPE_UINT64, now,
          "from", G_TYPE_INT, action->from,
          "to", G_TYPE_INT, action->to,
          "reason", G_TYPE_STRING, action->reason,
          "rate", G_TYPE_UINT64, rate,
          "loss", G_TYPE_DOUBLE, stats.loss_rate,
          "rtt", G_TYPE_UINT64, G_GUINT64_CONSTANT (0), NULL));
  gst_lmcc_src_notify_level (self);
}

static void
tell_waiting (GstLmccSrc * self, const gchar * reason)
{
  g_autofree gchar *target = NULL;
  gchar text[LMCC_ADDRESS_STRLEN];
  gboolean is_ipv6 = self->address.family == LMCC_FAMILY_IPV6;

  if (!g_atomic_int_get (&self->running))
    return;
  lmcc_address_format (&self->address, text);
  target = g_strdup_printf ("%s%s%s:%u", is_ipv6 ? "[" : "", text,
      is_ipv6 ? "]" : "", self->port);
  /* gst-launch-1.0 shows only the debug text of an info message. */
  GST_ELEMENT_INFO (self, RESOURCE, READ,
      ("waiting for a sender on %s", target),
      ("waiting for a sender on %s: %s", target, reason ? reason : ""));
  post (self, gst_structure_new ("lmcc-waiting",
          "address", G_TYPE_STRING, text,
          "port", G_TYPE_INT, (gint) self->port,
          "reason", G_TYPE_STRING, reason ? reason : "", NULL));
}

static void
tell_timeout (GstLmccSrc * self)
{
  guint64 timeout;

  GST_OBJECT_LOCK (self);
  timeout = self->settings.timeout;
  GST_OBJECT_UNLOCK (self);
  post (self, gst_structure_new ("GstLmccSrcTimeout",
          "timeout", G_TYPE_UINT64, timeout, NULL));
}

static void
perform (GstLmccSrc * self, const LmccReceiverAction * action, LmccTime now)
{
  switch (action->type) {
    case LMCC_RECEIVER_ACTION_JOIN:
      join_group (self, action->group);
      break;
    case LMCC_RECEIVER_ACTION_LEAVE:
      leave_group (self, action->group);
      break;
    case LMCC_RECEIVER_ACTION_DELIVER:
      deliver (self, action, now);
      break;
    case LMCC_RECEIVER_ACTION_SEGMENT:
      start_segment (self, action->time);
      break;
    case LMCC_RECEIVER_ACTION_SESSION:
      take_session (self);
      break;
    case LMCC_RECEIVER_ACTION_LEVEL:
      tell_level (self, action, now);
      break;
    case LMCC_RECEIVER_ACTION_WAITING:
      tell_waiting (self, action->reason);
      break;
    case LMCC_RECEIVER_ACTION_TIMEOUT:
      tell_timeout (self);
      break;
    case LMCC_RECEIVER_ACTION_WARNING:
      GST_ELEMENT_WARNING (self, STREAM, FORMAT, ("%s", action->reason),
          (NULL));
      break;
  }
}

/**
 * gst_lmcc_src_perform_actions:
 * @self: the source
 * @now: the running time
 *
 * Does what gst_lmcc_src_collect_actions() took.
 */
void
gst_lmcc_src_perform_actions (GstLmccSrc * self, LmccTime now)
{
  guint i;

  for (i = 0; i < self->actions->len; i++)
    perform (self, &g_array_index (self->actions, LmccReceiverAction, i), now);
  g_array_set_size (self->actions, 0);
}
