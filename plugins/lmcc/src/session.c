/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "common/enums.h"
#include "common/random.h"
#include "src/private.h"

#define GST_CAT_DEFAULT gst_lmcc_src_debug

/* A source that runs this much later than scheduled was stopped; a busy machine
 * does not explain it. */
#define STALL (3 * LMCC_SECOND)

/* Maximum share of the memory budget for data that waits for blocked pads:
 * 1 / this value. */
#define VIDEO_SHARE 2
#define SOUND_SHARE 16

/* If the running time goes back by more than this, it has restarted after a
 * flush. */
#define RESTART LMCC_SECOND

static gboolean
is_running (GstLmccSrc *self)
{
  return g_atomic_int_get (&self->running);
}

/* Other threads read it to get the library's time. */
static void
set_epoch (GstLmccSrc *self, LmccTime epoch)
{
  g_mutex_lock (&self->lock);
  self->epoch = epoch;
  g_mutex_unlock (&self->lock);
}

/**
 * gst_lmcc_src_get_now:
 * @self: the source
 *
 * Returns: the library's time: the running time, which continues when the
 * running time restarts
 */
LmccTime
gst_lmcc_src_get_now (GstLmccSrc *self)
{
  GstClockTime time = gst_clock_get_time (self->clock);
  GstClockTime base = gst_element_get_base_time (GST_ELEMENT_CAST (self));
  LmccTime running_time = time > base ? time - base : 0;

  if (running_time + self->epoch + RESTART < self->last_now)
    set_epoch (self, self->last_now - running_time);
  self->last_now = MAX (self->last_now, running_time + self->epoch);
  return self->last_now;
}

static void
apply_settings (GstLmccSrc *self)
{
  LmccTime now = gst_lmcc_src_get_now (self);
  gint max_level;
  guint64 max_bitrate, max_memory;
  LmccOnLoss on_loss;

  if (!g_atomic_int_compare_and_exchange (&self->settings_changed, TRUE, FALSE))
    return;
  GST_OBJECT_LOCK (self);
  max_level = self->settings.max_level;
  max_bitrate = self->settings.max_bitrate;
  max_memory = self->settings.max_memory;
  on_loss = self->settings.on_loss;
  GST_OBJECT_UNLOCK (self);

  g_mutex_lock (&self->lock);
  lmcc_receiver_set_on_loss (self->receiver, on_loss);
  lmcc_receiver_set_max_memory (self->receiver, max_memory);
  lmcc_receiver_set_max_level (self->receiver, max_level, now);
  gst_lmcc_src_collect_actions (self);
  lmcc_receiver_set_max_bitrate (self->receiver, max_bitrate, now);
  gst_lmcc_src_collect_actions (self);
  g_mutex_unlock (&self->lock);
  gst_lmcc_src_apply_answers (self, now);
}

/* Data that waits for blocked pads is the least important data in memory. */
static void
share_budget (GstLmccSrc *self, gsize budget)
{
  if (budget == self->budget_told)
    return;
  self->budget_told = budget;
  gst_lmcc_src_queue_set_max_bytes (self->video.queue, budget / VIDEO_SHARE);
  gst_lmcc_src_queue_set_max_bytes (self->sound.queue, budget / SOUND_SHARE);
}

static void
check_receiver (GstLmccSrc *self)
{
  LmccTime now = gst_lmcc_src_get_now (self);
  gsize budget;

  g_mutex_lock (&self->lock);
  if (lmcc_receiver_next_timeout (self->receiver) <= now) {
    lmcc_receiver_handle_timeout (self->receiver, now);
    gst_lmcc_src_collect_actions (self);
  }
  budget = lmcc_receiver_get_memory_budget (self->receiver);
  g_mutex_unlock (&self->lock);
  gst_lmcc_src_perform_actions (self, now);
  share_budget (self, budget);
}

static void
check_latency (GstLmccSrc *self)
{
  LmccTime latency;

  g_mutex_lock (&self->lock);
  latency = lmcc_receiver_get_latency (self->receiver);
  g_mutex_unlock (&self->lock);
  /* The last pictures are shown after the end of the session. */
  if (latency == self->latency_told || g_atomic_int_get (&self->ended))
    return;
  self->latency_told = latency;
  gst_lmcc_src_queue_set_latency (self->video.queue, latency);
  gst_lmcc_src_queue_set_latency (self->sound.queue, latency);
  gst_element_post_message (GST_ELEMENT_CAST (self),
      gst_message_new_latency (GST_OBJECT_CAST (self)));
}

static void
check_stats (GstLmccSrc *self)
{
  LmccTime now = gst_lmcc_src_get_now (self);
  guint interval;

  GST_OBJECT_LOCK (self);
  interval = self->settings.stats_update_interval;
  GST_OBJECT_UNLOCK (self);
  if (interval == 0) {
    self->next_stats = LMCC_TIME_NONE;
  } else if (!LMCC_TIME_IS_VALID (self->next_stats)) {
    self->next_stats = now + interval * LMCC_MSECOND;
  } else if (self->next_stats <= now) {
    self->next_stats = now + interval * LMCC_MSECOND;
    g_object_notify (G_OBJECT (self), "stats");
  }
}

/* While packets arrive, the sockets need not be polled for a while.
 *
 * Returns: time of the next run, at gst_lmcc_io_get_time() */
static guint64
get_due (GstLmccSrc *self)
{
  LmccTime now = gst_lmcc_src_get_now (self);
  gsize room = self->all_read ? gst_lmcc_src_get_buffer_room (self) : 0;
  LmccTime next, nap = 0;

  g_mutex_lock (&self->lock);
  next = lmcc_receiver_next_timeout (self->receiver);
  if (self->all_read)
    nap = lmcc_receiver_get_nap (self->receiver, now, room);
  g_mutex_unlock (&self->lock);
  if (nap > 0) {
    gst_lmcc_io_nap (self->io);
    next = MIN (next, now + nap);
  }
  next = MIN (next, self->next_stats);
  return gst_lmcc_io_get_time_after (next > now ? next - now : 0);
}

static void
receive (GstLmccSrc *self)
{
  gst_lmcc_src_receive (self);
  if (is_running (self))
    gst_lmcc_src_perform_actions (self, gst_lmcc_src_get_now (self));
}

/* After this process was stopped, the packets in the sockets are too old to be
 * shown. Some may be missing because the buffers were full, which nobody can
 * tell. */
static void
check_stall (GstLmccSrc *self)
{
  LmccTime now = gst_lmcc_src_get_now (self), latency = self->latency_told;

  if (now > self->last_run + MAX (STALL, latency + GST_LMCC_IO_LONGEST_WAIT)) {
    GST_WARNING_OBJECT (self, "stood still for %" GST_TIME_FORMAT,
        GST_TIME_ARGS (now - self->last_run));
    gst_lmcc_src_discard (self);
  }
  self->last_run = now;
}

static void
start_receiver (GstLmccSrc *self)
{
  LmccTime now = gst_lmcc_src_get_now (self);

  if (self->started)
    return;
  self->started = TRUE;
  self->last_run = now;
  /* Packets from the pause are too old. */
  gst_lmcc_src_discard (self);
  if (g_atomic_int_get (&self->ended))
    return;

  g_mutex_lock (&self->lock);
  lmcc_receiver_start (self->receiver, now);
  gst_lmcc_src_collect_actions (self);
  g_mutex_unlock (&self->lock);
  gst_lmcc_src_perform_actions (self, now);
}

/* The video has reached num-buffers. */
static void
check_enough (GstLmccSrc *self)
{
  LmccTime now = gst_lmcc_src_get_now (self);

  if (!g_atomic_int_get (&self->enough) || g_atomic_int_get (&self->ended))
    return;
  gst_lmcc_src_note_end (self);
  g_mutex_lock (&self->lock);
  lmcc_receiver_stop (self->receiver, now);
  gst_lmcc_src_collect_actions (self);
  g_mutex_unlock (&self->lock);
  gst_lmcc_src_perform_actions (self, now);
  /* A message handler may have stopped the source; its queues then belong to
   * the next session. */
  if (is_running (self))
    gst_lmcc_src_output_push_event (&self->sound, gst_event_new_eos ());
}

/* A GstLmccIoRun. Each step may post a message whose handler stops and frees
 * the source. */
static guint64
run (GstLmccIo *io G_GNUC_UNUSED, gpointer user_data)
{
  static void (*const steps[]) (GstLmccSrc * self) = { start_receiver,
    check_stall, receive, apply_settings, check_enough, check_receiver,
    check_latency, check_stats, gst_lmcc_src_check_buffers,
    gst_lmcc_src_host_look };
  g_autoptr (GstLmccSrc) self = gst_object_ref (user_data);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (steps) && is_running (self); i++)
    steps[i](self);
  return is_running (self) ? get_due (self) : GST_LMCC_IO_NEVER;
}

static LmccReceiver *
create_receiver (GstLmccSrc *self)
{
  LmccReceiverConfig config = { 0 };
  g_auto (GStrv) codecs = NULL;

  config.address = self->address;
  config.source = self->source;
  config.session = self->have_session ? &self->session : NULL;
  config.settings = self->algorithm_settings;
  config.sequence_seed = gst_lmcc_random_int ();

  GST_OBJECT_LOCK (self);
  config.algorithm = gst_lmcc_algorithm_to_name (self->settings.algorithm);
  config.latency = self->settings.latency * LMCC_MSECOND;
  config.timeout = self->settings.timeout;
  config.max_level = self->settings.max_level;
  config.max_bitrate = self->settings.max_bitrate;
  config.max_memory = self->settings.max_memory;
  config.allow_low_port = self->settings.allow_low_feedback_port;
  config.end_on_bye = self->settings.eos_on_bye;
  if (config.end_on_bye)
    config.end_on_silence = self->settings.eos_timeout * LMCC_MSECOND;
  config.on_loss = (LmccOnLoss) self->settings.on_loss;
  config.source_policy = (LmccSourcePolicy) self->settings.source_policy;
  codecs = gst_lmcc_src_read_codecs (self->settings.codecs);
  config.rtt_mode = (LmccRttMode) self->settings.rtt_mode;
  config.fixed_rtt = self->settings.rtt * LMCC_MSECOND;
  GST_OBJECT_UNLOCK (self);
  config.codecs = (const gchar *const *) codecs;
  return lmcc_receiver_new (&config);
}

static gboolean
attach (GstLmccSrc *self)
{
  g_autoptr (GError) error = NULL;

  g_atomic_int_set (&self->running, TRUE);
  if (gst_lmcc_io_attach (self->io, &error))
    return TRUE;
  GST_ELEMENT_ERROR (self, RESOURCE, FAILED, ("%s", error->message), (NULL));
  gst_lmcc_src_session_stop (self);
  return FALSE;
}

/**
 * gst_lmcc_src_session_init:
 * @self: a new source
 */
void
gst_lmcc_src_session_init (GstLmccSrc *self)
{
  self->io = gst_lmcc_io_new (run, self);
}

/**
 * gst_lmcc_src_end:
 * @self: the source; called by the video pad's task
 *
 * Ends the reception.
 */
void
gst_lmcc_src_end (GstLmccSrc *self)
{
  g_atomic_int_set (&self->enough, TRUE);
  gst_lmcc_io_wake (self->io);
}

/**
 * gst_lmcc_src_note_end:
 * @self: the source; called by the I/O thread without lock
 *
 * Records the end of the stream. The last data is shown with the latency that
 * was announced.
 */
void
gst_lmcc_src_note_end (GstLmccSrc *self)
{
  g_mutex_lock (&self->lock);
  self->last_latency = self->latency_told;
  g_mutex_unlock (&self->lock);
  g_atomic_int_set (&self->ended, TRUE);
}

/**
 * gst_lmcc_src_session_start:
 * @self: the open source
 *
 * Starts receiving. An error is posted as a message.
 *
 * Returns: whether it has started
 */
gboolean
gst_lmcc_src_session_start (GstLmccSrc *self)
{
  LmccReceiver *receiver;

  /* Reset before the settings are read, so that a concurrent change is applied
   * again. */
  g_atomic_int_set (&self->settings_changed, FALSE);
  receiver = create_receiver (self);
  self->clock = gst_element_get_clock (GST_ELEMENT_CAST (self));
  if (self->clock == NULL)
    self->clock = gst_system_clock_obtain ();

  g_mutex_lock (&self->lock);
  self->receiver = receiver;
  self->latency_told = lmcc_receiver_get_latency (receiver);
  gst_lmcc_src_queue_set_latency (self->video.queue, self->latency_told);
  gst_lmcc_src_queue_set_latency (self->sound.queue, self->latency_told);
  g_mutex_unlock (&self->lock);

  self->next_stats = LMCC_TIME_NONE;
  self->budget_told = 0;
  self->started = FALSE;
  return attach (self);
}

/**
 * gst_lmcc_src_session_stop:
 * @self: the source
 *
 * Stops receiving. The base group stays joined; the source leaves all others.
 * Received data that was not pushed is dropped.
 */
void
gst_lmcc_src_session_stop (GstLmccSrc *self)
{
  LmccTime now;
  guint group;

  if (self->clock == NULL)
    return;
  g_atomic_int_set (&self->running, FALSE);
  gst_lmcc_io_detach (self->io);

  now = gst_lmcc_src_get_now (self);
  g_mutex_lock (&self->lock);
  gst_lmcc_src_keep_stats (self, now);
  lmcc_receiver_stop (self->receiver, now);
  gst_lmcc_src_collect_actions (self);
  g_clear_pointer (&self->receiver, lmcc_receiver_free);
  g_mutex_unlock (&self->lock);
  gst_lmcc_src_perform_actions (self, now);

  for (group = 1; group < LMCC_MAX_GROUPS; group++)
    gst_lmcc_src_host_leave (self, group);
  gst_lmcc_src_close_report (self);
  gst_lmcc_src_close_learning (self);
  gst_lmcc_src_queue_clear (self->video.queue, FALSE);
  gst_lmcc_src_queue_clear (self->sound.queue, FALSE);
  gst_clear_object (&self->clock);
}
