/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The pacing thread: hands units to the library when they are due and sends
 * what it answers, each packet at its own time on the pipeline's clock.
 */
#include "config.h"

#include "gstlmccsinkcore.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include <glib/gstdio.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/* From 1900 to 1970 (RFC 5905 section 6). */
#define NTP_UNIX_OFFSET (G_GUINT64_CONSTANT (2208988800) * LMCC_SECOND)

/* To wake up costs several times what it costs to send a packet. So packets
 * that are due closer together than this go together; below some 40 Mbit/s none
 * are. TCP's own pacing in Linux goes in steps of 1 ms (tcp_tso_autosize()). */
#define PACING_STEP (250 * LMCC_USECOND)

/* The library's time: the running time, which stands still in PAUSED and starts
 * again after a flush, made to go on. Called with lock held. */
static LmccTime
update_now (GstLmccSinkCore * core)
{
  GstElement *element = GST_ELEMENT (core);
  g_autoptr (GstClock) clock = gst_element_get_clock (element);
  GstClockTime base_time = gst_element_get_base_time (element), time;
  LmccTime running_time;

  if (clock == NULL || !core->playing)
    return core->now;
  time = gst_clock_get_time (clock);
  running_time = time > base_time ? time - base_time : 0;
  if (running_time + core->epoch < core->now)
    core->epoch = core->now - running_time;
  core->now = running_time + core->epoch;
  return core->now;
}

/* Called with lock held; it is given up meanwhile. */
static void
wait_until (GstLmccSinkCore * core, LmccTime when)
{
  GstElement *element = GST_ELEMENT (core);
  g_autoptr (GstClock) clock = gst_element_get_clock (element);
  GstClockTime time;

  if (!LMCC_TIME_IS_VALID (when) || clock == NULL) {
    g_cond_wait (&core->cond, &core->lock);
    return;
  }
  time = gst_element_get_base_time (element)
      + (when > core->epoch ? when - core->epoch : 0);
  if (core->clock_id && !gst_clock_id_uses_clock (core->clock_id, clock)) {
    gst_clock_id_unref (core->clock_id);
    core->clock_id = NULL;
  }
  if (core->clock_id)
    gst_clock_single_shot_id_reinit (clock, core->clock_id, time);
  else
    core->clock_id = gst_clock_new_single_shot_id (clock, time);
  core->waiting = TRUE;
  g_mutex_unlock (&core->lock);
  gst_clock_id_wait (core->clock_id, NULL);
  g_mutex_lock (&core->lock);
  core->waiting = FALSE;
}

/* Through a second file: readers see the old text or the new one. No fsync, for
 * which packets would wait. */
static gboolean
write_sdp (const gchar * location, const gchar * text)
{
  g_autofree gchar *temporary = g_strconcat (location, ".tmp", NULL);
  FILE *file = g_fopen (temporary, "w");
  gboolean written;

  if (file == NULL)
    return FALSE;
  written = fputs (text, file) >= 0;
  written = fclose (file) == 0 && written;
  if (written && g_rename (temporary, location) == 0)
    return TRUE;
  g_unlink (temporary);
  return FALSE;
}

static void
session_changed (GstLmccSinkCore * core)
{
  const gchar *location = core->settings.sdp_location;
  gchar *text, *old;

  g_mutex_lock (&core->sender_lock);
  text = lmcc_sdp_format (lmcc_sender_get_session (core->sender),
      LMCC_SDP_FILE);
  g_mutex_unlock (&core->sender_lock);
  if (location && !core->sdp_failed && !write_sdp (location, text)) {
    core->sdp_failed = TRUE;
    GST_ELEMENT_WARNING (core, RESOURCE, WRITE,
        ("Could not write the session description to %s: %s. Set sdp-location "
            "to a file in a directory that can be written.", location,
            g_strerror (errno)), (NULL));
  }
  g_mutex_lock (&core->lock);
  old = core->sdp;
  core->sdp = text;
  g_mutex_unlock (&core->lock);
  g_free (old);
  core->callbacks.changed (core->callbacks.user_data, "sdp");
}

static void
send_packet (GstLmccSinkCore * core, guint index, guint16 port,
    LmccPacket * packet)
{
  LmccAddress group;
  gssize sent = -EADDRNOTAVAIL;

  if (lmcc_address_group (&core->settings.address, index, &group))
    sent = gst_lmcc_socket_send (core->fd, &core->iface, &group, port, packet);
  if (sent < 0) {
    GST_LOG_OBJECT (core, "packet not sent: %s", g_strerror ((gint) - sent));
    g_mutex_lock (&core->lock);
    core->send_errors++;
    g_mutex_unlock (&core->lock);
  }
  lmcc_packet_unref (packet);
}

/* At the same picture of all rungs; where there is one and nothing can be sent
 * before it, at once. */
static void
request_aligned_key_unit (GstLmccSinkCore * core)
{
  gboolean single;
  LmccTime position, before = core->requested_key_unit;

  g_mutex_lock (&core->sender_lock);
  single = lmcc_session_has_single_rate (lmcc_sender_get_session
      (core->sender));
  g_mutex_unlock (&core->sender_lock);
  if (single) {
    gst_lmcc_sink_request_key_unit (core, GST_CLOCK_TIME_NONE);
    core->requested_key_unit = before;
    return;
  }
  position = gst_lmcc_sink_encoder_position (core);
  /* What was asked for lately has not come out yet. */
  if (core->requested_key_unit + LMCC_SECOND > position)
    return;
  gst_lmcc_sink_request_key_unit (core, position);
}

static void
drain_actions (GstLmccSinkCore * core)
{
  LmccSenderAction action;
  gboolean more = TRUE;

  while (more) {
    g_mutex_lock (&core->sender_lock);
    more = lmcc_sender_poll_action (core->sender, &action);
    g_mutex_unlock (&core->sender_lock);
    if (!more)
      break;
    switch (action.type) {
      case LMCC_SENDER_ACTION_SEND:
        send_packet (core, action.group, core->settings.port, action.packet);
        break;
      case LMCC_SENDER_ACTION_SEND_CONTROL:
        send_packet (core, 0, core->settings.port + 1, action.packet);
        break;
      case LMCC_SENDER_ACTION_SESSION_CHANGED:
        session_changed (core);
        break;
      case LMCC_SENDER_ACTION_REQUEST_KEY_UNIT:
        request_aligned_key_unit (core);
        break;
    }
  }
}

/* Numbers the rungs and says what they and the sound carry. Called with lock
 * held. */
static void
fill_session (GstLmccSinkCore * core, LmccSession * session)
{
  const GstLmccSinkSettings *settings = &core->settings;
  guint8 stream = 0;
  guint i;
  GList *l;

  lmcc_session_init (session);
  session->ssrc_base = g_random_int () & LMCC_SSRC_BASE_MASK;
  session->address = settings->address;
  session->port = settings->port;
  session->ttl = (guint8) settings->ttl;
  session->source = core->source;
  session->source_specific =
      lmcc_address_is_source_specific (&settings->address);
  session->window = settings->window;
  if (settings->n_layers > 0) {
    session->native = FALSE;
    session->n_layers = settings->n_layers;
    session->n_groups = settings->n_layers;
  }
  for (i = 0; i < settings->n_layers; i++) {
    session->layers[i].rate = settings->rates[i];
    session->layers[i].stream = LMCC_STREAM_NONE;
    session->layers[i].klass = LMCC_CLASS_MIXED;
  }
  session->latency = settings->latency;
  session->packet_size = settings->mtu
      + (settings->address.family == LMCC_FAMILY_IPV6 ? 48 : 28);
  session->payload_type = (guint8) settings->payload_type;
  session->repair_payload_type = session->payload_type + LMCC_STREAM_SOUND + 1;
  session->filler_payload_type = session->payload_type + LMCC_STREAM_SOUND + 2;
  g_strlcpy (session->algorithm, settings->algorithm,
      sizeof (session->algorithm));
  g_strlcpy (session->base_algorithm, settings->base_algorithm,
      sizeof (session->base_algorithm));
  session->rtt_max = settings->rtt_max;
  session->repair = settings->repair;
  if (core->feedback_fd >= 0) {
    session->feedback_port = core->feedback_port;
    session->feedback_interval = LMCC_DEFAULT_FEEDBACK_INTERVAL;
  }
  for (l = core->pads; l; l = l->next) {
    GstLmccSinkPad *rung = l->data;

    if (rung->sound) {
      rung->stream = LMCC_STREAM_SOUND;
      session->sound = rung->media;
      memcpy (session->sound_parameters, rung->parameters,
          sizeof (session->sound_parameters));
      core->has_sound = rung->media.clock_rate > 0;
      continue;
    }
    rung->stream = stream++;
    if (rung->media.clock_rate > 0)
      session->video = rung->media;
  }
  session->n_rungs = MAX (stream, 1);
}

static gboolean
start_session (GstLmccSinkCore * core, LmccTime now)
{
  LmccSenderConfig config = { 0, };
  g_autofree gchar *cname = NULL;
  g_autoptr (GError) error = NULL;
  LmccSender *sender;

  /* RFC 7022 section 4.2: a short-term persistent name is 96 random bits. */
  cname = g_strdup_printf ("%08x%08x%08x", g_random_int (), g_random_int (),
      g_random_int ());
  config.cname = cname;
  config.sequence_seed = g_random_int ();
  config.rtp_offset = g_random_int ();
  config.ntp_offset = (LmccTime) g_get_real_time () * LMCC_USECOND
      + NTP_UNIX_OFFSET - now;
  config.mtu = core->settings.mtu;
  config.repair_base = core->settings.repair_base;
  config.repair_loss = core->settings.repair_loss;
  config.repair_burst = core->settings.repair_burst;
  config.repair_block = core->settings.repair_block;
  g_mutex_lock (&core->lock);
  fill_session (core, &config.session);
  core->started = TRUE;
  g_mutex_unlock (&core->lock);
  if (!gst_lmcc_sink_marks_fit (&core->settings.marks, &config, &error)
      || !lmcc_session_validate (&config.session, &error)) {
    GST_ELEMENT_ERROR (core, RESOURCE, SETTINGS,
        ("This session is not possible: %s.", error->message), (NULL));
    return FALSE;
  }
  sender = lmcc_sender_new (&config, now);
  g_mutex_lock (&core->sender_lock);
  core->sender = sender;
  core->session_start = now;
  g_mutex_unlock (&core->sender_lock);
  GST_INFO_OBJECT (core, "session of %u rungs of %s starts",
      config.session.n_rungs, config.session.video.encoding_name);
  drain_actions (core);
  gst_element_post_message (GST_ELEMENT (core),
      gst_message_new_stream_start (GST_OBJECT (core)));
  return TRUE;
}

static void
push_unit (GstLmccSinkCore * core, LmccUnit * unit, LmccTime now)
{
  g_mutex_lock (&core->sender_lock);
  lmcc_sender_push_unit (core->sender, unit, now);
  g_mutex_unlock (&core->sender_lock);
  drain_actions (core);
}

static void
handle_report (GstLmccSinkCore * core, GstLmccReport * report, LmccTime now)
{
  gst_lmcc_sink_feedback_handle (core, report, now);
  drain_actions (core);
}

/* Sends what is due and returns when the next packet is. */
static LmccTime
run_sender (GstLmccSinkCore * core, LmccTime now)
{
  LmccTime next;

  g_mutex_lock (&core->sender_lock);
  next = lmcc_sender_next_timeout (core->sender);
  if (next <= now)
    lmcc_sender_handle_timeout (core->sender, now);
  g_mutex_unlock (&core->sender_lock);
  if (next > now)
    return next;
  drain_actions (core);
  g_mutex_lock (&core->sender_lock);
  next = lmcc_sender_next_timeout (core->sender);
  g_mutex_unlock (&core->sender_lock);
  return next;
}

static void
flush_sender (GstLmccSinkCore * core, LmccTime now)
{
  g_mutex_lock (&core->sender_lock);
  lmcc_sender_flush (core->sender, now);
  g_mutex_unlock (&core->sender_lock);
  drain_actions (core);
  core->eos_posted = FALSE;
  core->requested_key_unit = 0;
  core->next_key_unit = core->settings.key_unit_interval;
}

static LmccTime
update_stats (GstLmccSinkCore * core, LmccTime now)
{
  LmccTime interval = core->settings.stats_interval;

  if (interval == 0)
    return LMCC_TIME_NONE;
  if (now >= core->next_stats) {
    core->next_stats = now + interval;
    core->callbacks.changed (core->callbacks.user_data, "stats");
  }
  return core->next_stats;
}

static LmccTime
request_regular_key_unit (GstLmccSinkCore * core, LmccTime now)
{
  LmccTime interval = core->settings.key_unit_interval;
  LmccTime position;

  if (interval == 0)
    return LMCC_TIME_NONE;
  if (now < core->next_key_check)
    return core->next_key_check;
  core->next_key_check = now + MIN (interval / 4, LMCC_SECOND / 4);
  position = gst_lmcc_sink_encoder_position (core);
  while (position >= core->next_key_unit) {
    gst_lmcc_sink_request_key_unit (core, core->next_key_unit);
    core->next_key_unit += interval;
  }
  return core->next_key_check;
}

static void
check_eos (GstLmccSinkCore * core)
{
  guint32 seqnum = 0;
  gboolean eos;
  GstMessage *message;

  g_mutex_lock (&core->lock);
  eos = gst_lmcc_sink_is_eos (core, &seqnum);
  g_mutex_unlock (&core->lock);
  if (core->eos_posted || !eos)
    return;
  g_mutex_lock (&core->sender_lock);
  eos = core->sender == NULL || lmcc_sender_is_idle (core->sender);
  g_mutex_unlock (&core->sender_lock);
  if (!eos)
    return;
  core->eos_posted = TRUE;
  message = gst_message_new_eos (GST_OBJECT (core));
  gst_message_set_seqnum (message, seqnum);
  gst_element_post_message (GST_ELEMENT (core), message);
}

static gboolean
any_video (GstLmccSinkCore * core)
{
  GList *l;

  for (l = core->pads; l; l = l->next) {
    const GstLmccSinkPad *rung = l->data;

    if (!rung->sound && rung->media.clock_rate > 0)
      return TRUE;
  }
  return FALSE;
}

/* Called with lock held. */
static gboolean
is_sound_alone (GstLmccSinkCore * core)
{
  const GstLmccSinkPad *first = core->pads ? core->pads->data : NULL;

  return core->ready && !core->started && first && first->sound;
}

static void
refuse_sound_alone (GstLmccSinkCore * core)
{
  g_mutex_lock (&core->lock);
  core->started = TRUE;
  g_mutex_unlock (&core->lock);
  GST_ELEMENT_ERROR (core, STREAM, WRONG_TYPE,
      ("There is sound, but no video. Connect a video to sink_0, or send the "
          "sound alone by other elements, such as rtpopuspay and udpsink."),
      (NULL));
}

/* Does what is due. Called with lock held, which is given up meanwhile. Returns
 * when there is more to do, 0 for at once. */
static LmccTime
step (GstLmccSinkCore * core)
{
  LmccTime now = update_now (core), wake = LMCC_TIME_NONE, other;
  gboolean flush = core->flush_sender && core->sender;
  gboolean start = core->sender == NULL && !core->started && core->ready
      && any_video (core);
  gboolean alone = is_sound_alone (core);
  LmccUnit *unit = NULL;
  GstLmccReport *report = NULL;

  core->flush_sender = FALSE;
  if (core->sender)
    unit = gst_lmcc_sink_collect (core, now, &wake);
  if (core->sender)
    report = gst_lmcc_sink_feedback_take (core);
  g_mutex_unlock (&core->lock);
  if (flush)
    flush_sender (core, now);
  if (unit) {
    push_unit (core, unit, now);
    wake = 0;
  }
  if (report) {
    handle_report (core, report, now);
    wake = 0;
  }
  if (alone)
    refuse_sound_alone (core);
  if (start && start_session (core, now))
    wake = 0;
  if (core->sender) {
    other = run_sender (core, now);
    wake = MIN (wake, other);
    other = gst_lmcc_sink_follow_estimate (core, now);
    wake = MIN (wake, other);
    other = gst_lmcc_sink_advise (core, now);
    wake = MIN (wake, other);
    other = update_stats (core, now);
    wake = MIN (wake, other);
    other = request_regular_key_unit (core, now);
    wake = MIN (wake, other);
  }
  check_eos (core);
  g_mutex_lock (&core->lock);
  return wake;
}

static void
stop_session (GstLmccSinkCore * core, LmccTime now)
{
  LmccSender *sender;

  if (core->sender == NULL)
    return;
  g_mutex_lock (&core->sender_lock);
  lmcc_sender_stop (core->sender, now);
  g_mutex_unlock (&core->sender_lock);
  drain_actions (core);
  g_mutex_lock (&core->sender_lock);
  sender = core->sender;
  core->sender = NULL;
  g_mutex_unlock (&core->sender_lock);
  lmcc_sender_free (sender);
}

gpointer
gst_lmcc_sink_pacer_run (gpointer data)
{
  GstLmccSinkCore *core = data;
  LmccTime now;

  /* The kernel's default of 50 us would bunch packets at high rates. */
  prctl (PR_SET_TIMERSLACK, 1, 0, 0, 0);
  g_mutex_lock (&core->lock);
  while (core->running) {
    guint64 events = core->n_events;
    LmccTime wake = LMCC_TIME_NONE;

    if (core->playing)
      wake = step (core);
    if (core->running && wake > core->now && events == core->n_events)
      wait_until (core, core->playing ? MAX (wake, core->now + PACING_STEP)
          : LMCC_TIME_NONE);
  }
  now = core->now;
  g_mutex_unlock (&core->lock);
  stop_session (core, now);
  return NULL;
}

/**
 * gst_lmcc_sink_core_get_sdp:
 * @core: the core
 *
 * Returns: (transfer full) (nullable): the session's description
 */
gchar *
gst_lmcc_sink_core_get_sdp (GstLmccSinkCore * core)
{
  gchar *sdp;

  g_mutex_lock (&core->lock);
  sdp = g_strdup (core->sdp);
  g_mutex_unlock (&core->lock);
  return sdp;
}
