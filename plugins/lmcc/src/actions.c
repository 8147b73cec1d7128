/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "src/private.h"

#include <plugins/common/messages.h>

#define GST_CAT_DEFAULT gst_lmcc_src_debug

/* Maximum picture rate (960 per second). */
#define MAX_PICTURE_RATE 960

/* Error of the distance of two pictures: the resolution of the RTP clock, at 90
 * kHz or less. At the start of a segment, pictures may be shown late by this
 * time, once. */
#define STEP_MARGIN (200 * LMCC_USECOND)

/* More than the duration of a picture that a decoder assumes without a frame
 * rate: 40 ms in GstVideoDecoder, 1 s in avdec_* of GStreamer 1.26. Less than
 * the 2 s that a multiqueue buffers, because it counts data before a segment's
 * start as buffered. */
#define LONGEST_GUESS (1100 * LMCC_MSECOND)

/* Number of actions for which memory is kept: more than a few reads produce. */
#define MAX_ACTIONS_KEPT 4096

/* RFC 3550 section 5.1. */
#define RTP_TIMESTAMP_OFFSET 4

/**
 * gst_lmcc_src_collect_actions:
 * @self: the source
 *
 * Collects the pending actions of the library. Must be called with the lock,
 * after every call that changes the receiver. Then
 * gst_lmcc_src_perform_actions() must be called without the lock.
 */
void
gst_lmcc_src_collect_actions (GstLmccSrc *self)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (self->receiver, &action)) {
    /* The library may replace the session before the action is performed. */
    if (action.type == LMCC_RECEIVER_ACTION_SESSION) {
      self->session = *lmcc_receiver_get_session (self->receiver);
      self->have_session = TRUE;
    }
    g_array_append_val (self->actions, action);
  }
}

static void
join_group (GstLmccSrc *self, guint group)
{
  GST_INFO_OBJECT (self, "join group %u", group);
  gst_lmcc_src_host_join (self, group);
}

static void
leave_group (GstLmccSrc *self, guint group)
{
  /* Keep the base group joined during a pause. */
  if (group == 0 && !g_atomic_int_get (&self->running))
    return;
  GST_INFO_OBJECT (self, "leave group %u", group);
  gst_lmcc_src_host_leave (self, group);
}

static void
free_packet (gpointer data)
{
  lmcc_packet_unref (data);
}

/* Learns the distance of pictures: the minimum among the latest ones, which
 * come in decoding order. Uses their RTP timestamps, because running times
 * change with the estimate of the sender's clock, which differs for each
 * picture. */
static void
learn_step (GstLmccSrc *self, guint32 timestamp)
{
  guint i;

  for (i = 0; i < MIN (self->n_timestamps, GST_LMCC_SRC_N_TIMESTAMPS); i++) {
    if (self->timestamps[i] == timestamp)
      return;
  }
  self->timestamps[self->n_timestamps++ % GST_LMCC_SRC_N_TIMESTAMPS] =
      timestamp;
}

static LmccTime
get_step (GstLmccSrc *self)
{
  guint n = MIN (self->n_timestamps, GST_LMCC_SRC_N_TIMESTAMPS);
  gint32 clock_rate, least, step = G_MAXINT32;
  guint i, j;

  g_mutex_lock (&self->lock);
  clock_rate = (gint32) self->session.video.clock_rate;
  g_mutex_unlock (&self->lock);
  least = MAX (clock_rate / MAX_PICTURE_RATE, 1);
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) {
      gint32 ticks = (gint32) (self->timestamps[i] - self->timestamps[j]);

      if (ticks >= least)
        step = MIN (step, ticks);
    }
  }
  if (step == G_MAXINT32 || clock_rate == 0)
    return 0;
  return gst_util_uint64_scale ((guint64) step, LMCC_SECOND,
      (guint64) clock_rate);
}

static GstClockTime
to_running_time (GstLmccSrc *self, LmccTime time)
{
  return time > self->epoch ? time - self->epoch : 0;
}

/* The times of all segments are running times. */
static void
push_segment (GstLmccSrc *self, LmccTime start, LmccTime time)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.base = to_running_time (self, start);
  segment.position = segment.time = to_running_time (self, time);
  gst_lmcc_src_output_push_event (&self->video,
      gst_event_new_segment (&segment));
}

/* Standard depayloaders only forward the first segment, unless the caps mark
 * the stream as an ONVIF replay. The mark is set only now, because a
 * depayloader then forwards segments even before its own caps.
 *
 * The packets that are sent again have times just before @start. A decoder
 * drops a picture only if the end of the picture is not after the segment's
 * start, too. Behind a parser, decoders only know the duration from the parser,
 * or guess it. Therefore the segment for these pictures begins after the latest
 * possible end of them. */
static void
start_hiding (GstLmccSrc *self, LmccTime start)
{
  LmccTime step = get_step (self);

  self->segment_start = start + (step > 0 ? step + STEP_MARGIN : 0);
  self->hiding = TRUE;
  if (self->video.caps && !self->segments_pass) {
    GstCaps *caps = gst_caps_copy (self->video.caps);

    gst_caps_set_simple (caps, "onvif-mode", G_TYPE_BOOLEAN, TRUE, NULL);
    gst_lmcc_src_output_set_caps (&self->video, caps);
    self->segments_pass = TRUE;
  }
  push_segment (self, MAX (self->segment_start, start + LONGEST_GUESS), start);
}

/* After the first picture that is shown, another picture to be dropped may
 * follow. Therefore this segment also begins where such a picture ends, if the
 * frame rate is known. */
static void
stop_hiding (GstLmccSrc *self)
{
  push_segment (self, self->segment_start, self->segment_start);
  self->hiding = FALSE;
}

static void
deliver (GstLmccSrc *self, GstLmccSrcOutput *output,
    const LmccReceiverAction *action, LmccTime now)
{
  LmccPacket *packet = action->packet;
  GstBuffer *buffer = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY,
      packet->data, packet->size, 0, packet->size, packet, free_packet);

  if (action->unit_start && output == &self->video)
    learn_step (self, GST_READ_UINT32_BE (packet->data + RTP_TIMESTAMP_OFFSET));
  if (self->hiding && output == &self->video && !action->catch_up)
    stop_hiding (self);
  GST_BUFFER_PTS (buffer) = to_running_time (self, action->time);
  if (action->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  if (action->corrupted)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
  if (action->catch_up)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DECODE_ONLY);
  gst_lmcc_src_queue_push_buffer (output->queue, buffer, action->unit_start,
      now);
}

static void
take_video (GstLmccSrc *self)
{
  g_autoptr (GstCaps) caps = NULL;

  g_mutex_lock (&self->lock);
  caps = gst_caps_new_simple ("application/x-rtp", "media", G_TYPE_STRING,
      "video", "clock-rate", G_TYPE_INT, (gint) self->session.video.clock_rate,
      "encoding-name", G_TYPE_STRING, self->session.video.encoding_name,
      "payload", G_TYPE_INT, (gint) self->session.payload_type, NULL);
  g_mutex_unlock (&self->lock);

  if (self->segments_pass)
    gst_caps_set_simple (caps, "onvif-mode", G_TYPE_BOOLEAN, TRUE, NULL);
  gst_lmcc_src_mark_caps (self, caps);
  if (self->video.caps && gst_caps_is_equal (self->video.caps, caps))
    return;
  GST_INFO_OBJECT (self, "caps %" GST_PTR_FORMAT, caps);
  gst_lmcc_src_output_set_caps (&self->video, gst_caps_ref (caps));
}

static void
take_session (GstLmccSrc *self)
{
  gst_lmcc_src_fit_buffers (self);
  take_video (self);
  gst_lmcc_src_show_pads (self);
}

static void
post (GstLmccSrc *self, GstStructure *structure)
{
  gst_element_post_message (GST_ELEMENT_CAST (self),
      gst_message_new_element (GST_OBJECT_CAST (self), structure));
}

static void
tell_level (GstLmccSrc *self, const LmccReceiverAction *action, LmccTime now)
{
  LmccReceiverStats stats;
  LmccTime stats_time = gst_lmcc_src_get_receiver_stats (self, &stats);
  GstStructure *structure;
  guint64 rate = 0;

  g_mutex_lock (&self->lock);
  self->reason = action->reason;
  if (self->have_session && action->to >= 0
      && (guint) action->to < lmcc_session_count_levels (&self->session))
    rate = lmcc_session_level_rate (&self->session, (guint) action->to);
  g_mutex_unlock (&self->lock);

  GST_INFO_OBJECT (self,
      "level %d to %d: %s (loss=%.4f rate=%" G_GUINT64_FORMAT " b/s)",
      action->from, action->to, action->reason, stats.loss_rate, rate);
  g_atomic_int_set (&self->level, action->to);
  structure = gst_structure_new ("lmcc-level-changed", "running-time-ns",
      G_TYPE_UINT64, now, "from", G_TYPE_INT, action->from, "to", G_TYPE_INT,
      action->to, "reason", G_TYPE_STRING, action->reason, "bitrate",
      G_TYPE_UINT64, rate, "loss-rate", G_TYPE_DOUBLE, stats.loss_rate, NULL);
  gst_lmcc_src_describe_control (&stats, stats_time, structure);
  post (self, structure);
  g_object_notify (G_OBJECT (self), "level");
}

static gchar *
format_target (GstLmccSrc *self, gchar text[LMCC_ADDRESS_STRLEN])
{
  gboolean is_ipv6 = self->address.family == LMCC_FAMILY_IPV6;

  lmcc_address_format (&self->address, text);
  return g_strdup_printf ("%s%s%s:%u", is_ipv6 ? "[" : "", text,
      is_ipv6 ? "]" : "", self->port);
}

/* The library defines these in an installed header, which cannot mark them. */
static const gchar *const reasons[] G_GNUC_UNUSED = {
  N_ ("the sender said goodbye"),
  N_ ("the sender is silent"),
};

static void
tell_waiting (GstLmccSrc *self, const gchar *reason)
{
  g_autofree gchar *target = NULL;
  gchar text[LMCC_ADDRESS_STRLEN];

  if (!g_atomic_int_get (&self->running))
    return;
  target = format_target (self, text);
  /* gst-launch-1.0 shows only the debug text of an info message. */
  GST_ELEMENT_INFO (self, RESOURCE, READ,
      (_ ("waiting for a sender on %s"), target),
      (_ ("waiting for a sender on %s: %s"), target, reason ? _ (reason) : ""));
  post (self,
      gst_structure_new ("lmcc-waiting", "address", G_TYPE_STRING, text, "port",
          G_TYPE_INT, (gint) self->port, "reason", G_TYPE_STRING,
          reason ? reason : "", NULL));
}

/* The sender's own address, if the URI or the session description contains
 * it. */
static LmccAddress
get_named_source (GstLmccSrc *self)
{
  LmccAddress source = self->source;

  g_mutex_lock (&self->lock);
  if (source.family == LMCC_FAMILY_NONE && self->have_session)
    source = self->session.source;
  g_mutex_unlock (&self->lock);
  return source;
}

/* Returns: (transfer full): why routers may block packets, as part of a
 * message; empty if no router is known to be in between */
static gchar *
describe_routers (GstLmccSrc *self)
{
  LmccAddress source = get_named_source (self);
  gchar text[LMCC_ADDRESS_STRLEN];

  if (source.family == LMCC_FAMILY_NONE || gst_lmcc_host_is_beside (&source))
    return g_strdup ("");
  return g_strdup_printf (
      _ ("The sender %s is behind a router: its packets only arrive if its "
         "ttl-mc is at least the number of routers + 1 (the default is 1) and "
         "the routers forward multicast (PIM). "),
      lmcc_address_format (&source, text));
}

/* Returns: (transfer full): a message for a session of which nothing was
 * heard */
static gchar *
describe_unheard (GstLmccSrc *self, const gchar *target, const gchar *doctor,
    const gchar *reason)
{
  g_autofree gchar *routers = describe_routers (self);
  g_autofree gchar *names = gst_lmcc_paths_format (&self->paths, TRUE);

  return g_strdup_printf (
      _ ("No sender heard on %s within %u s: %s. Check that a sender sends "
         "there, on the network of %s. %sAllow incoming UDP on ports %u and "
         "%u, choose another interface with multicast-iface, or run "
         "gst-lmcc-1.0 doctor '%s'. Still waiting."),
      target, (guint) (LMCC_UNHEARD_TIMEOUT / LMCC_SECOND), _ (reason), names,
      routers, self->port, self->port + 1, doctor);
}

/* Returns: (transfer full): a message for a sender that was heard before. A
 * switch with IGMP snooping forgets groups if nobody queries them (RFC 3376
 * section 8.4). */
static gchar *
describe_silence (const gchar *target, const LmccReceiverAction *action)
{
  gboolean bye = g_str_equal (action->reason, LMCC_REASON_GOODBYE);
  gchar sender[LMCC_ADDRESS_STRLEN];

  lmcc_address_format (&action->previous, sender);
  return g_strdup_printf (
      _ ("Packets from %s to %s stopped after %.0f s, and no packet of its "
         "session has arrived for %u s: %s. %sStill waiting."),
      sender, target, (gdouble) action->time / LMCC_SECOND,
      (guint) (LMCC_UNHEARD_TIMEOUT / LMCC_SECOND), _ (action->reason),
      bye ? ""
          : _ ("The sender may have ended, a link may be down, or a switch may "
               "have forgotten the group, which happens after about 260 s "
               "without an IGMP querier: run gst-lmcc-1.0 doctor "
               "--querier=130. "));
}

static void
tell_unheard (GstLmccSrc *self, const LmccReceiverAction *action)
{
  g_autofree gchar *uri = gst_lmcc_src_get_uri (self);
  g_autofree gchar *target = NULL, *words = NULL;
  gboolean heard = action->previous.family != LMCC_FAMILY_NONE;
  const gchar *reason = action->reason;
  gchar text[LMCC_ADDRESS_STRLEN];
  GstStructure *structure;

  target = format_target (self, text);
  words = heard ? describe_silence (target, action)
                : describe_unheard (self, target, uri ? uri : target, reason);
  GST_ELEMENT_WARNING (self, RESOURCE, READ, ("%s", words), (NULL));
  structure = gst_structure_new ("lmcc-unheard", "address", G_TYPE_STRING, text,
      "port", G_TYPE_INT, (gint) self->port, "waited-ms", G_TYPE_DOUBLE,
      (gdouble) LMCC_UNHEARD_TIMEOUT / LMCC_MSECOND, "reason", G_TYPE_STRING,
      reason, NULL);
  if (heard)
    gst_structure_set (structure, "heard-ms", G_TYPE_DOUBLE,
        (gdouble) action->time / LMCC_MSECOND, NULL);
  post (self, structure);
}

static void
tell_timeout (GstLmccSrc *self)
{
  guint64 timeout;

  GST_OBJECT_LOCK (self);
  timeout = self->settings.timeout;
  GST_OBJECT_UNLOCK (self);
  post (self,
      gst_structure_new ("GstLmccSrcTimeout", "timeout", G_TYPE_UINT64, timeout,
          NULL));
}

static void
tell_memory_full (GstLmccSrc *self, const gchar *reason, LmccTime now)
{
  LmccReceiverStats stats;

  gst_lmcc_src_get_receiver_stats (self, &stats);
  GST_ELEMENT_WARNING (self, RESOURCE, NO_SPACE_LEFT,
      (_ ("Buffered packets have reached the limit of %.0f bytes: %s. Increase "
          "max-memory, or reduce max-level or max-bitrate"),
          (gdouble) stats.memory_budget, _ (reason)),
      (NULL));
  post (self,
      gst_structure_new ("lmcc-memory-full", "running-time-ns", G_TYPE_UINT64,
          to_running_time (self, now), "memory-bytes", G_TYPE_UINT64,
          stats.memory, "memory-budget-bytes", G_TYPE_UINT64,
          stats.memory_budget, "reason", G_TYPE_STRING, reason, NULL));
}

/* Sends EOS, so that downstream outputs its buffered data. A message handler
 * may have stopped the source; its queues then belong to the next session. */
static void
end_streams (GstLmccSrc *self)
{
  if (!g_atomic_int_get (&self->running))
    return;
  gst_lmcc_src_note_end (self);
  gst_lmcc_src_output_push_event (&self->video, gst_event_new_eos ());
  gst_lmcc_src_output_push_event (&self->sound, gst_event_new_eos ());
}

static void
tell_circuit_breaker (GstLmccSrc *self, const gchar *reason)
{
  GST_ELEMENT_ERROR (self, RESOURCE, READ, ("%s", _ (reason)), (NULL));
  end_streams (self);
}

static void
warn_vanished (GstLmccSrc *self, const LmccReceiverAction *action)
{
  gchar sender[LMCC_ADDRESS_STRLEN];
  guint timeout;

  GST_OBJECT_LOCK (self);
  timeout = self->settings.eos_timeout;
  GST_OBJECT_UNLOCK (self);
  lmcc_address_format (&action->previous, sender);
  GST_ELEMENT_WARNING (self, RESOURCE, READ,
      (_ ("No packet has arrived from %s for %.1f s, and it sent no BYE: its "
          "session counts as ended and may be incomplete. Set eos-timeout to "
          "wait longer."),
          sender, timeout / 1000.0),
      (NULL));
}

static void
end (GstLmccSrc *self, const LmccReceiverAction *action)
{
  GST_INFO_OBJECT (self, "%s, and everything was output", action->reason);
  if (!g_str_equal (action->reason, LMCC_REASON_GOODBYE))
    warn_vanished (self, action);
  end_streams (self);
}

static void
perform (GstLmccSrc *self, const LmccReceiverAction *action, LmccTime now)
{
  switch (action->type) {
    case LMCC_RECEIVER_ACTION_JOIN:
      if (action->control)
        gst_lmcc_src_open_learning (self, action->group);
      else
        join_group (self, action->group);
      break;
    case LMCC_RECEIVER_ACTION_LEAVE:
      if (action->control)
        gst_lmcc_src_close_learning (self);
      else
        leave_group (self, action->group);
      break;
    case LMCC_RECEIVER_ACTION_DELIVER:
      deliver (self, &self->video, action, now);
      break;
    case LMCC_RECEIVER_ACTION_DELIVER_SOUND:
      deliver (self, &self->sound, action, now);
      break;
    case LMCC_RECEIVER_ACTION_SEGMENT:
      start_hiding (self, action->time);
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
    case LMCC_RECEIVER_ACTION_UNHEARD:
      tell_unheard (self, action);
      break;
    case LMCC_RECEIVER_ACTION_TIMEOUT:
      tell_timeout (self);
      break;
    case LMCC_RECEIVER_ACTION_WARNING:
      gst_lmcc_src_tell_warning (self, action);
      break;
    case LMCC_RECEIVER_ACTION_SOURCE_CHANGED:
      gst_lmcc_src_tell_source_changed (self, action);
      break;
    case LMCC_RECEIVER_ACTION_SOURCE_ASKED:
      gst_lmcc_src_tell_source_asked (self, action);
      break;
    case LMCC_RECEIVER_ACTION_SOURCE_BESIDE:
      gst_lmcc_src_tell_source_beside (self, action);
      break;
    case LMCC_RECEIVER_ACTION_REPORT:
      gst_lmcc_src_send_report (self, action);
      lmcc_packet_unref (action->packet);
      break;
    case LMCC_RECEIVER_ACTION_SEND_CONTROL:
      gst_lmcc_src_send_notice (self, action->packet);
      lmcc_packet_unref (action->packet);
      break;
    case LMCC_RECEIVER_ACTION_MEMORY_FULL:
      tell_memory_full (self, action->reason, now);
      break;
    case LMCC_RECEIVER_ACTION_CIRCUIT_BREAKER:
      tell_circuit_breaker (self, action->reason);
      break;
    case LMCC_RECEIVER_ACTION_END:
      end (self, action);
      break;
  }
}

/**
 * gst_lmcc_src_perform_actions:
 * @self: the source
 * @now: the running time
 *
 * Performs the actions that gst_lmcc_src_collect_actions() has collected. A
 * message handler may stop the source, which calls this function for the rest.
 */
void
gst_lmcc_src_perform_actions (GstLmccSrc *self, LmccTime now)
{
  guint n;

  while (self->next_action < self->actions->len) {
    LmccReceiverAction action =
        g_array_index (self->actions, LmccReceiverAction, self->next_action++);

    perform (self, &action, now);
  }
  n = self->actions->len;
  self->next_action = 0;
  g_array_set_size (self->actions, 0);
  if (n > 0) {
    gst_lmcc_src_output_wake (&self->video);
    gst_lmcc_src_output_wake (&self->sound);
  }
  /* A change of the level may have sent many packets again. */
  if (n > MAX_ACTIONS_KEPT) {
    g_array_unref (self->actions);
    self->actions = g_array_new (FALSE, FALSE, sizeof (LmccReceiverAction));
  }
}
