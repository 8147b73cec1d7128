/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The pacing thread: hands units to the library when they are due and sends
 * what it answers, each packet at its own time on the pipeline's clock.
 */
#include "config.h"

#include "common/random.h"
#include "sink/core.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/* From 1900 to 1970 (RFC 5905 section 6). */
#define NTP_UNIX_OFFSET (G_GUINT64_CONSTANT (2208988800) * LMCC_SECOND)

/* A thread that wakes up so much too late did not run: this process was stopped
 * (SIGSTOP, a debugger), or its machine. */
#define STALL LMCC_SECOND

static void
session_changed (GstLmccSinkCore *core)
{
  gchar *text, *old;

  g_mutex_lock (&core->sender_lock);
  text =
      lmcc_sdp_format (lmcc_sender_get_session (core->sender), LMCC_SDP_FILE);
  g_mutex_unlock (&core->sender_lock);
  gst_lmcc_sink_sdp_write (core, text);
  g_mutex_lock (&core->lock);
  old = core->sdp;
  core->sdp = text;
  g_mutex_unlock (&core->lock);
  g_free (old);
  gst_lmcc_sink_window_tell (core);
  core->callbacks.changed (core->callbacks.user_data, "sdp");
}

/* At the same picture of all rungs; where there is one and nothing can be sent
 * before it, at once. */
static void
request_aligned_key_unit (GstLmccSinkCore *core)
{
  gboolean single;
  LmccTime position, before = core->requested_key_unit;

  g_mutex_lock (&core->sender_lock);
  single =
      lmcc_session_has_single_rate (lmcc_sender_get_session (core->sender));
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

/* What the library wants done, taken at once. */
#define MAX_ACTIONS GST_LMCC_SEND_BATCH_SIZE

/* Called with sender_lock held. Returns how many; there may be more where that
 * is MAX_ACTIONS. */
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
      request_aligned_key_unit (core);
      break;
  }
}

/* Does @actions, of which there are @n, and those that the sender has more. */
static void
do_actions (GstLmccSinkCore *core, LmccSenderAction *actions, guint n)
{
  guint i;

  for (;;) {
    for (i = 0; i < n; i++)
      do_action (core, &actions[i]);
    if (n < MAX_ACTIONS)
      break;
    g_mutex_lock (&core->sender_lock);
    n = take_actions (core, actions);
    g_mutex_unlock (&core->sender_lock);
  }
  gst_lmcc_sink_send_waiting (core);
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
}

/* Numbers the rungs and says what they and the sound carry. Called with lock
 * held. */
static void
fill_session (GstLmccSinkCore *core, LmccSession *session)
{
  const GstLmccSinkSettings *settings = &core->settings;
  guint8 stream = 0;
  guint i;
  GList *l;

  lmcc_session_init (session);
  session->ssrc_base = gst_lmcc_random_int () & LMCC_SSRC_BASE_MASK;
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
  text = g_strdup_printf ("Receivers take a session of %s only where lmccsrc "
                          "has codecs=%s",
      name, name);
  GST_ELEMENT_INFO (core, STREAM, FORMAT, ("%s", text), ("%s", text));
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
  config.mtu = core->settings.properties.mtu;
  config.repair_base =
      gst_lmcc_sink_properties_get_repair_base (&core->settings.properties);
  config.repair_loss = core->settings.properties.repair_loss;
  config.repair_burst = core->settings.properties.repair_burst;
  config.repair_block = core->settings.properties.repair_delay * LMCC_MSECOND;
  g_mutex_lock (&core->lock);
  fill_session (core, &config.session);
  core->started = TRUE;
  g_mutex_unlock (&core->lock);
  gst_lmcc_sink_window_choose (core, &config);
  if (!gst_lmcc_sink_marks_fit (&core->settings.marks, &config, &error)
      || !(sender = lmcc_sender_new (&config, now, &error))) {
    GST_ELEMENT_ERROR (core, RESOURCE, SETTINGS,
        ("This session is not possible: %s.", error->message), (NULL));
    return FALSE;
  }
  g_mutex_lock (&core->sender_lock);
  core->sender = sender;
  core->session_start = now;
  g_mutex_unlock (&core->sender_lock);
  GST_INFO_OBJECT (core, "session of %u rungs of %s starts",
      config.session.n_rungs, config.session.video.encoding_name);
  tell_unusual_codec (core, config.session.video.encoding_name);
  tell_unusual_codec (core, config.session.sound.encoding_name);
  drain_actions (core);
  gst_element_post_message (GST_ELEMENT (core),
      gst_message_new_stream_start (GST_OBJECT (core)));
  return TRUE;
}

/* Returns when there is more to do, 0 for at once. */
static LmccTime
try_start (GstLmccSinkCore *core, LmccTime now)
{
  LmccTime wait = gst_lmcc_sink_host_wait (core, now);

  if (wait > 0)
    return wait;
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
  lmcc_sender_push_unit (core->sender, unit, now);
  g_mutex_unlock (&core->sender_lock);
  drain_actions (core);
}

static void
handle_reports (GstLmccSinkCore *core, GQueue *reports, LmccTime now)
{
  GstLmccReport *report;

  while ((report = g_queue_pop_head (reports)) != NULL) {
    gst_lmcc_sink_feedback_handle (core, report, now);
    drain_actions (core);
  }
}

/* Sends what is due and returns when the next packet is. @pacing_step: how long
 * the thread may sleep although packets are due. */
static LmccTime
run_sender (GstLmccSinkCore *core, LmccTime now, LmccTime *pacing_step)
{
  LmccSenderAction actions[MAX_ACTIONS];
  LmccTime next;
  guint n = 0;

  g_mutex_lock (&core->sender_lock);
  if (lmcc_sender_next_timeout (core->sender) <= now) {
    lmcc_sender_handle_timeout (core->sender, now);
    n = take_actions (core, actions);
  }
  next = lmcc_sender_next_timeout (core->sender);
  *pacing_step = lmcc_sender_get_pacing_step (core->sender, now,
      core->settings.properties.max_burst);
  g_mutex_unlock (&core->sender_lock);
  if (n > 0)
    do_actions (core, actions, n);
  return next;
}

static void
flush_sender (GstLmccSinkCore *core, LmccTime now)
{
  g_mutex_lock (&core->sender_lock);
  lmcc_sender_flush (core->sender, now);
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
      ("There is sound, but no video. Connect a video to sink_0, or send the "
       "sound alone by other elements, such as rtpopuspay and udpsink."),
      (NULL));
}

/* Does what is due. Called with lock held, which is given up meanwhile. Returns
 * when there is more to do, 0 for at once. */
static LmccTime
step (GstLmccSinkCore *core)
{
  LmccTime now = gst_lmcc_sink_update_now (core), wake = LMCC_TIME_NONE, other;
  LmccTime pacing_step = 0;
  gboolean flush = core->flush_sender && core->sender;
  gboolean start =
      core->sender == NULL && !core->started && core->ready && any_video (core);
  gboolean alone = is_sound_alone (core), moved = core->moved;
  LmccUnit *unit = NULL;
  GQueue reports = G_QUEUE_INIT;
  GstClockTime in_time = check_stall (core, now);

  core->flush_sender = FALSE;
  if (core->sender)
    unit = gst_lmcc_sink_collect (core, now, &wake);
  if (core->sender)
    gst_lmcc_sink_feedback_take (core, &reports);
  g_mutex_unlock (&core->lock);
  if (moved)
    move (core, now);
  if (GST_CLOCK_TIME_IS_VALID (in_time))
    gst_lmcc_sink_request_key_unit (core, in_time);
  if (flush)
    flush_sender (core, now);
  if (unit) {
    push_unit (core, unit, now);
    wake = 0;
  }
  if (!g_queue_is_empty (&reports)) {
    handle_reports (core, &reports, now);
    wake = 0;
  }
  if (alone)
    refuse_sound_alone (core);
  if (start) {
    other = try_start (core, now);
    wake = MIN (wake, other);
  }
  if (core->sender) {
    other = run_sender (core, now, &pacing_step);
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
  core->pacing_step = pacing_step;
  return wake;
}

static void
stop_session (GstLmccSinkCore *core, LmccTime now)
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
    else
      gst_lmcc_sink_host_paused (core);
    core->expected = LMCC_TIME_IS_VALID (wake) ? MAX (wake, core->now) : wake;
    if (core->playing && wake > core->now)
      wake = MAX (wake, core->now + core->pacing_step);
    if (core->running && wake > core->now && events == core->n_events)
      gst_lmcc_sink_wait_until (core, core->playing ? wake : LMCC_TIME_NONE);
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
gst_lmcc_sink_core_get_sdp (GstLmccSinkCore *core)
{
  gchar *sdp;

  g_mutex_lock (&core->lock);
  sdp = g_strdup (core->sdp);
  g_mutex_unlock (&core->lock);
  return sdp;
}
