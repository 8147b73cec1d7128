/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The work of the I/O thread for a sink: it passes units to the library when
 * they are due, and sends the resulting packets, each at its own time on the
 * pipeline's clock.
 */
#include "config.h"

#include "common/random.h"
#include "sink/core.h"

#include <plugins/common/messages.h>

#include <errno.h>
#include <string.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/* From 1900 to 1970 (RFC 5905 section 6). */
#define NTP_UNIX_OFFSET (G_GUINT64_CONSTANT (2208988800) * LMCC_SECOND)

/* If the thread wakes up this late, the process was stopped (SIGSTOP, a
 * debugger), or the machine. */
#define STALL LMCC_SECOND

/* Maximum time that the library computes before packets with a lead are sent;
 * the lead is longer than this. */
#define LONGEST_TURN LMCC_MSECOND

/* A handler of a message, a property or a signal may stop the core, also in the
 * I/O thread. */
static gboolean
is_running (GstLmccSinkCore *core)
{
  return g_atomic_int_get (&core->running);
}

static void
session_changed (GstLmccSinkCore *core)
{
  g_autofree gchar *parameters = gst_lmcc_sink_dup_parameters (core);
  LmccSdpDetails details = {
    .session_name = core->settings.properties.session_name,
    .video_parameters = parameters,
  };
  gchar *text, *old;

  g_mutex_lock (&core->sender_lock);
  text =
      lmcc_sdp_format_file (lmcc_sender_get_session (core->sender), &details);
  g_mutex_unlock (&core->sender_lock);
  g_free (core->described);
  core->described = g_steal_pointer (&parameters);
  gst_lmcc_sink_sdp_write (core, text);
  g_mutex_lock (&core->lock);
  old = core->sdp;
  core->sdp = text;
  g_mutex_unlock (&core->lock);
  g_free (old);
  gst_lmcc_sink_window_tell (core);
  core->callbacks.changed (core->callbacks.user_data, "sdp");
}

/* With several rungs the key frames must be at the same picture of all; a
 * single rung, or a session with one rate, can have its key frame at once. */
static gboolean
needs_alignment (GstLmccSinkCore *core)
{
  const LmccSession *session;
  gboolean needs;

  g_mutex_lock (&core->sender_lock);
  session = lmcc_sender_get_session (core->sender);
  needs = session->n_rungs > 1 && !lmcc_session_has_single_rate (session);
  g_mutex_unlock (&core->sender_lock);
  return needs;
}

static void
request_key_unit (GstLmccSinkCore *core)
{
  LmccTime position, before = core->requested_key_unit;

  gst_lmcc_sink_advise_requests (core);
  if (!needs_alignment (core)) {
    gst_lmcc_sink_request_key_unit (core, GST_CLOCK_TIME_NONE);
    core->requested_key_unit = before;
    return;
  }
  position = gst_lmcc_sink_encoder_position (core);
  /* A recently requested key frame has not arrived yet. */
  if (core->requested_key_unit + LMCC_SECOND > position)
    return;
  gst_lmcc_sink_request_key_unit (core, position);
}

/* Maximum number of the library's actions that are taken at once. */
#define MAX_ACTIONS GST_LMCC_SEND_BATCH_SIZE

/* Called with sender_lock held. Returns the number of actions; if it is
 * MAX_ACTIONS, there may be more. */
static guint
take_actions (GstLmccSinkCore *core, LmccSenderAction *actions)
{
  guint n = 0;

  while (n < MAX_ACTIONS && lmcc_sender_poll_action (core->sender, &actions[n]))
    n++;
  return n;
}

static void
do_action (GstLmccSinkCore *core, const LmccSenderAction *action)
{
  switch (action->type) {
    case LMCC_SENDER_ACTION_SEND:
      gst_lmcc_sink_send (core, action->group, action->packet);
      break;
    case LMCC_SENDER_ACTION_SEND_CONTROL:
      gst_lmcc_sink_send (core, GST_LMCC_SINK_CONTROL, action->packet);
      break;
    case LMCC_SENDER_ACTION_SESSION_CHANGED:
      session_changed (core);
      break;
    case LMCC_SENDER_ACTION_REQUEST_KEY_UNIT:
      request_key_unit (core);
      break;
  }
}

/* Nothing is sent after a BYE. */
static void
drop_action (LmccSenderAction *action)
{
  g_clear_pointer (&action->packet, lmcc_packet_unref);
}

/* Performs @n @actions and all further ones of the sender; packets are
 * collected in a batch. */
static void
do_actions (GstLmccSinkCore *core, LmccSenderAction *actions, guint n)
{
  guint i;

  for (;;) {
    for (i = 0; i < n; i++) {
      if (core->ended)
        drop_action (&actions[i]);
      else
        do_action (core, &actions[i]);
    }
    if (n < MAX_ACTIONS)
      break;
    g_mutex_lock (&core->sender_lock);
    n = take_actions (core, actions);
    g_mutex_unlock (&core->sender_lock);
  }
}

static void
drain_actions (GstLmccSinkCore *core)
{
  LmccSenderAction actions[MAX_ACTIONS];
  guint n;

  g_mutex_lock (&core->sender_lock);
  n = take_actions (core, actions);
  g_mutex_unlock (&core->sender_lock);
  do_actions (core, actions, n);
  if (!core->ended)
    gst_lmcc_sink_send_waiting (core);
}

/* Numbers the rungs and sets their contents and that of the audio. Called with
 * lock held. */
static void
fill_session (GstLmccSinkCore *core, LmccSession *session)
{
  const GstLmccSinkSettings *settings = &core->settings;
  guint8 stream = 0;
  guint i;
  GList *l;

  lmcc_session_init (session);
  session->ssrc_base = core->range.ssrc_base;
  gst_lmcc_random_fill (&session->nonce, sizeof (session->nonce));
  session->nonce = MAX (session->nonce & LMCC_MAX_NONCE, 1);
  session->address = settings->address;
  session->port = settings->properties.port;
  session->ttl = (guint8) settings->properties.ttl_mc;
  session->source = core->place.source;
  session->source_specific =
      lmcc_address_is_source_specific (&settings->address);
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
  session->latency = settings->properties.latency * LMCC_MSECOND;
  session->packet_size = settings->properties.mtu
      + lmcc_address_get_udp_overhead (&settings->address);
  lmcc_session_set_payload_type (session, settings->properties.pt);
  g_strlcpy (session->algorithm, settings->algorithm,
      sizeof (session->algorithm));
  g_strlcpy (session->base_algorithm, settings->base_algorithm,
      sizeof (session->base_algorithm));
  session->rtt_max = settings->properties.rtt_max * LMCC_MSECOND;
  session->train_cycle = settings->properties.train_interval < 0
      ? LMCC_TIME_NONE
      : (LmccTime) settings->properties.train_interval * LMCC_MSECOND;
  session->repair =
      (guint16) gst_lmcc_sink_properties_get_repair (&settings->properties);
  if (core->place.feedback_port > 0) {
    session->feedback_port = core->place.feedback_port;
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

/* gst-launch-1.0 shows only the debug text of an info message. */
static void
tell_unusual_codec (GstLmccSinkCore *core, const gchar *name)
{
  g_autofree gchar *text = NULL;

  if (name[0] == '\0' || lmcc_session_codec_is_usual (name))
    return;
  text = g_strdup_printf (
      _ ("Receivers accept a session of %s only if lmccsrc has codecs=%s"),
      name, name);
  GST_ELEMENT_INFO (core, STREAM, FORMAT, ("%s", text), ("%s", text));
}

/* With an interval of the user, key frames come at least at this interval, and
 * in addition when receivers ask for them. */
static LmccKeyRequestMode
choose_key_requests (GstLmccSinkCore *core)
{
  gint interval = core->settings.properties.key_unit_interval;

  if (interval == 0)
    return LMCC_KEY_REQUEST_IGNORED;
  return interval > 0 ? LMCC_KEY_REQUEST_HEARD : LMCC_KEY_REQUEST_AUTO;
}

static gboolean
start_session (GstLmccSinkCore *core, LmccTime now)
{
  LmccSenderConfig config = { 0 };
  g_autofree gchar *cname = NULL;
  g_autoptr (GError) error = NULL;
  LmccSender *sender;

  /* RFC 7022 section 4.2: a short-term persistent name is 96 random bits. */
  cname = g_strdup_printf ("%08x%08x%08x", gst_lmcc_random_int (),
      gst_lmcc_random_int (), gst_lmcc_random_int ());
  config.cname = cname;
  config.sequence_seed = gst_lmcc_random_int ();
  config.rtp_offset = gst_lmcc_random_int ();
  config.ntp_offset =
      (LmccTime) g_get_real_time () * LMCC_USECOND + NTP_UNIX_OFFSET - now;
  config.levels = (LmccLevels) core->settings.properties.levels;
  config.key_requests = choose_key_requests (core);
  config.mtu = core->settings.properties.mtu;
  config.repair_base =
      gst_lmcc_sink_properties_get_repair_base (&core->settings.properties);
  config.repair_loss = core->settings.properties.repair_loss;
  config.repair_burst = core->settings.properties.repair_burst;
  config.repair_auto =
      gst_lmcc_sink_properties_is_repair_auto (&core->settings.properties);
  config.repair_initial = (guint) (1000 * core->settings.profile->repair + 0.5);
  config.repair_block = core->settings.properties.repair_delay * LMCC_MSECOND;
  g_mutex_lock (&core->lock);
  fill_session (core, &config.session);
  core->started = TRUE;
  g_mutex_unlock (&core->lock);
  gst_lmcc_sink_window_choose (core, &config);
  now = gst_lmcc_sink_ahead_tell (&core->ahead, now);
  if (!gst_lmcc_sink_marks_fit (&core->settings.marks, &config, &error)
      || !(sender = lmcc_sender_new (&config, now, &error))) {
    GST_ELEMENT_ERROR (core, RESOURCE, SETTINGS,
        (_ ("Cannot start this session: %s."), error->message), (NULL));
    return FALSE;
  }
  g_mutex_lock (&core->sender_lock);
  core->sender = sender;
  core->session_start = now;
  g_mutex_unlock (&core->sender_lock);
  gst_lmcc_sink_sending_begin (core);
  GST_INFO_OBJECT (core, "session of %u rungs of %s starts",
      config.session.n_rungs, config.session.video.encoding_name);
  tell_unusual_codec (core, config.session.video.encoding_name);
  tell_unusual_codec (core, config.session.sound.encoding_name);
  drain_actions (core);
  gst_element_post_message (GST_ELEMENT (core),
      gst_message_new_stream_start (GST_OBJECT (core)));
  return TRUE;
}

/* Queries the latency again. At PLAYING, an encoder without a first picture
 * could not be reached. Then only live audio would determine the latency, and
 * all pictures would be late; or nothing would be live, and after a standstill,
 * such as a suspended machine, all data would be sent later by that time. */
static void
ask_latency_again (GstLmccSinkCore *core)
{
  if (gst_lmcc_sink_is_live (core))
    gst_lmcc_sink_update_latency (core);
}

/* Returns the time of the next work, 0 for at once. */
static LmccTime
try_start (GstLmccSinkCore *core, LmccTime now)
{
  LmccTime wait = gst_lmcc_sink_host_wait (core, now);

  if (wait > 0)
    return wait;
  if (!gst_lmcc_sink_range_choose (core) || !is_running (core))
    return LMCC_TIME_NONE;
  ask_latency_again (core);
  return start_session (core, now) ? 0 : LMCC_TIME_NONE;
}

/* Called with lock held. */
static GstClockTime
check_stall (GstLmccSinkCore *core, LmccTime now)
{
  LmccTime expected = core->expected;

  if (!core->sender || !LMCC_TIME_IS_VALID (expected) || now < expected + STALL)
    return GST_CLOCK_TIME_NONE;
  return gst_lmcc_sink_skip (core, now, now - expected);
}

static void
move (GstLmccSinkCore *core, LmccTime now)
{
  gst_lmcc_sink_host_move (core, now);
  if (core->sender)
    drain_actions (core);
}

static void
push_unit (GstLmccSinkCore *core, LmccUnit *unit, LmccTime now)
{
  g_mutex_lock (&core->sender_lock);
  lmcc_sender_push_unit (core->sender, unit,
      gst_lmcc_sink_ahead_tell (&core->ahead, now));
  g_mutex_unlock (&core->sender_lock);
  drain_actions (core);
}

/* Makes the library do the work that is due by @time. Returns the time of its
 * next work. @pacing_step: time within which due packets may leave together. */
static LmccTime
run_until (GstLmccSinkCore *core, LmccTime time, LmccTime *pacing_step)
{
  LmccSenderAction actions[MAX_ACTIONS];
  LmccTime next;
  guint n = 0;

  g_mutex_lock (&core->sender_lock);
  if (lmcc_sender_next_timeout (core->sender) <= time) {
    time = gst_lmcc_sink_ahead_tell (&core->ahead, time);
    lmcc_sender_handle_timeout (core->sender, time);
    n = take_actions (core, actions);
  }
  next = lmcc_sender_next_timeout (core->sender);
  *pacing_step = gst_lmcc_sink_ahead_get_step (&core->ahead,
      lmcc_sender_get_pacing_step (core->sender, time,
          core->settings.properties.max_burst));
  g_mutex_unlock (&core->sender_lock);
  if (n == 0)
    return next;
  do_actions (core, actions, n);
  gst_lmcc_sink_ahead_sent (&core->ahead, *pacing_step);
  return next;
}

/* Sends packets that are due, and those that may be handed over early. Returns
 * the time of the next call. */
static LmccTime
run_sender (GstLmccSinkCore *core, LmccTime now, LmccTime *pacing_step)
{
  guint64 end = gst_lmcc_io_get_time () + LONGEST_TURN;
  LmccTime time = now, next;

  do {
    next = run_until (core, time, pacing_step);
  } while (is_running (core)
      && gst_lmcc_sink_ahead_may_go_on (&core->ahead, now, next, &time)
      && gst_lmcc_io_get_time () < end);
  if (!core->ended)
    gst_lmcc_sink_send_waiting (core);
  return gst_lmcc_sink_ahead_get_wake (&core->ahead, next);
}

static void
flush_sender (GstLmccSinkCore *core, LmccTime now)
{
  g_mutex_lock (&core->sender_lock);
  lmcc_sender_flush (core->sender,
      gst_lmcc_sink_ahead_tell (&core->ahead, now));
  g_mutex_unlock (&core->sender_lock);
  drain_actions (core);
  core->eos_posted = FALSE;
  core->requested_key_unit = 0;
  core->next_key_unit = core->key_interval;
}

static LmccTime
update_stats (GstLmccSinkCore *core, LmccTime now)
{
  LmccTime interval =
      core->settings.properties.stats_update_interval * LMCC_MSECOND;

  if (interval == 0)
    return LMCC_TIME_NONE;
  if (now >= core->next_stats) {
    core->next_stats = now + interval;
    core->callbacks.changed (core->callbacks.user_data, "stats");
  }
  return core->next_stats;
}

static LmccTime
request_regular_key_unit (GstLmccSinkCore *core, LmccTime now)
{
  LmccTime interval = core->key_interval, position;

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
check_eos (GstLmccSinkCore *core)
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
any_video (GstLmccSinkCore *core)
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
is_sound_alone (GstLmccSinkCore *core)
{
  const GstLmccSinkPad *first = core->pads ? core->pads->data : NULL;

  return core->ready && !core->started && first && first->sound;
}

static void
refuse_sound_alone (GstLmccSinkCore *core)
{
  g_mutex_lock (&core->lock);
  core->started = TRUE;
  g_mutex_unlock (&core->lock);
  GST_ELEMENT_ERROR (core, STREAM, WRONG_TYPE,
      (_ ("The session has audio but no video. Connect a video to sink_0, or "
          "send the audio alone with other elements, such as rtpopuspay and "
          "udpsink.")),
      (NULL));
}

/* Sends packets and does all other scheduled work. Returns the time of the next
 * work. */
static LmccTime
run_session (GstLmccSinkCore *core, LmccTime now, LmccTime *pacing_step)
{
  static LmccTime (*const parts[]) (GstLmccSinkCore * core,
      LmccTime now) = { gst_lmcc_sink_follow_estimate, gst_lmcc_sink_advise,
    update_stats, request_regular_key_unit, gst_lmcc_sink_rivals_look };
  LmccTime wake = LMCC_TIME_NONE;
  guint i;

  if (is_running (core))
    wake = run_sender (core, now, pacing_step);
  for (i = 0; i < G_N_ELEMENTS (parts) && is_running (core); i++) {
    LmccTime other = parts[i](core, now);

    wake = MIN (wake, other);
  }
  return wake;
}

/* Only the lowest rung's parameters are in the description. */
static void
follow_parameters (GstLmccSinkCore *core, LmccTime now)
{
  g_autofree gchar *parameters = gst_lmcc_sink_dup_parameters (core);

  if (g_strcmp0 (parameters, core->described) == 0)
    return;
  g_mutex_lock (&core->sender_lock);
  lmcc_sender_renew_description (core->sender,
      gst_lmcc_sink_ahead_tell (&core->ahead, now));
  g_mutex_unlock (&core->sender_lock);
  drain_actions (core);
}

/* Does the work that is due. Called with lock held, which is released
 * meanwhile. Returns the time of the next work, 0 for at once. */
static LmccTime
step (GstLmccSinkCore *core)
{
  LmccTime now = gst_lmcc_sink_update_now (core), wake = LMCC_TIME_NONE, other;
  LmccTime pacing_step = 0;
  gboolean flush = core->flush_sender && core->sender;
  gboolean start =
      core->sender == NULL && !core->started && core->ready && any_video (core);
  gboolean alone = is_sound_alone (core);
  gboolean describe = core->parameters_changed && core->sender;
  LmccUnit *unit = NULL;
  GstClockTime in_time = check_stall (core, now);

  core->flush_sender = FALSE;
  if (core->sender)
    unit = gst_lmcc_sink_collect (core, now, &wake);
  g_mutex_unlock (&core->lock);
  if (core->moved)
    move (core, now);
  if (GST_CLOCK_TIME_IS_VALID (in_time))
    gst_lmcc_sink_request_key_unit (core, in_time);
  if (flush)
    flush_sender (core, now);
  if (unit) {
    push_unit (core, unit, now);
    wake = 0;
  }
  if (is_running (core) && gst_lmcc_sink_feedback_read (core, now)) {
    drain_actions (core);
    wake = 0;
  }
  if (describe && is_running (core))
    follow_parameters (core, now);
  if (alone && is_running (core))
    refuse_sound_alone (core);
  if (start && is_running (core)) {
    other = try_start (core, now);
    wake = MIN (wake, other);
  }
  if (core->sender) {
    other = run_session (core, now, &pacing_step);
    wake = MIN (wake, other);
  }
  if (is_running (core))
    check_eos (core);
  g_mutex_lock (&core->lock);
  core->pacing_step = pacing_step;
  return wake;
}

static LmccSender *
take_sender (GstLmccSinkCore *core)
{
  LmccSender *sender;

  g_mutex_lock (&core->sender_lock);
  sender = g_steal_pointer (&core->sender);
  g_mutex_unlock (&core->sender_lock);
  return sender;
}

/**
 * gst_lmcc_sink_pacer_stop:
 * @core: the detached core
 *
 * Sends BYE and ends the session. If a message handler has stopped the core
 * during its run, the caller of that handler still needs the sender.
 */
void
gst_lmcc_sink_pacer_stop (GstLmccSinkCore *core)
{
  gst_lmcc_sink_timer_clear (core);
  gst_lmcc_sink_rivals_close (core);
  if (core->sender == NULL)
    return;
  g_mutex_lock (&core->sender_lock);
  lmcc_sender_stop (core->sender,
      gst_lmcc_sink_ahead_tell (&core->ahead, core->now));
  g_mutex_unlock (&core->sender_lock);
  gst_lmcc_sink_farewell_begin (core, core->ahead.time);
  drain_actions (core);
  core->ended = core->runner != NULL;
  if (!core->ended)
    gst_lmcc_sink_farewell_take (core, take_sender (core));
}

/* Called with lock held, which is released meanwhile. Returns the time of the
 * next work, at gst_lmcc_io_get_time(). */
static guint64
pace (GstLmccSinkCore *core)
{
  LmccTime wake = step (core);

  if (!core->running)
    return GST_LMCC_IO_NEVER;
  core->expected = LMCC_TIME_IS_VALID (wake) ? MAX (wake, core->now) : wake;
  if (wake <= core->now)
    return 0;
  /* A run before its time, for a report or a unit, begins no pacing step. It
   * may end one, because packets of a train are due. */
  if (core->now >= core->not_before)
    core->not_before = LMCC_TIME_NONE;
  core->not_before = MIN (core->not_before, core->now + core->pacing_step);
  if (core->ahead.lead == 0)
    wake = MAX (wake, core->not_before);
  return gst_lmcc_sink_timer_set (core, wake);
}

/* Called with lock held, which is released meanwhile. */
static guint64
stand_still (GstLmccSinkCore *core)
{
  gst_lmcc_sink_host_paused (core);
  core->expected = LMCC_TIME_NONE;
  gst_lmcc_sink_timer_clear (core);
  g_mutex_unlock (&core->lock);
  gst_lmcc_sink_feedback_read (core, LMCC_TIME_NONE);
  g_mutex_lock (&core->lock);
  return GST_LMCC_IO_NEVER;
}

static void
note_readable (GstLmccSinkCore *core)
{
  guint tags[GST_LMCC_SINK_N_TAGS];
  guint i, n;

  n = gst_lmcc_io_take_readable (core->io, tags, G_N_ELEMENTS (tags));
  for (i = 0; i < n; i++) {
    if (tags[i] == GST_LMCC_SINK_TAG_HOST)
      core->host.readable = TRUE;
    else
      core->feedback_readable = TRUE;
  }
}

/* Returns the time of the next run. */
static guint64
run_once (GstLmccSinkCore *core)
{
  guint64 look = gst_lmcc_sink_host_look (core), due = GST_LMCC_IO_NEVER;

  g_mutex_lock (&core->lock);
  if (core->running)
    due = core->playing ? pace (core) : stand_still (core);
  g_mutex_unlock (&core->lock);
  look = MIN (look, gst_lmcc_sink_range_look (core));
  return MIN (look, due);
}

/**
 * gst_lmcc_sink_pacer_run:
 * @io: the core's client
 * @user_data: the core
 *
 * A #GstLmccIoRun. It handles one unit and the packets that are due; the rest
 * is handled in further runs.
 *
 * Returns: time of the next run
 */
guint64
gst_lmcc_sink_pacer_run (GstLmccIo *io G_GNUC_UNUSED, gpointer user_data)
{
  g_autoptr (GstLmccSinkCore) core = gst_object_ref (user_data);
  guint64 due;

  core->runner = g_thread_self ();
  note_readable (core);
  due = run_once (core);
  core->runner = NULL;
  if (core->ended)
    lmcc_sender_free (take_sender (core));
  core->ended = FALSE;
  return due;
}

/**
 * gst_lmcc_sink_core_get_sdp:
 * @core: the core
 *
 * Returns: (transfer full) (nullable): the session's description
 */
gchar *
gst_lmcc_sink_core_get_sdp (GstLmccSinkCore *core)
{
  gchar *sdp;

  g_mutex_lock (&core->lock);
  sdp = g_strdup (core->sdp);
  g_mutex_unlock (&core->lock);
  return sdp;
}
