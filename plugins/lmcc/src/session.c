/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "common/enums.h"
#include "common/random.h"
#include "src/private.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define GST_CAT_DEFAULT gst_lmcc_src_debug

/* Batches taken from one socket before the others have their turn. */
#define MAX_BATCHES 4

/* A kernel timestamp further back than this is a clock that was set, not a
 * wait. */
#define MAX_AGE LMCC_SECOND

/* The longest wait for packets; who was not heard of for so much longer that no
 * busy machine explains it stood still. */
#define LONGEST_WAIT LMCC_SECOND
#define STALL (3 * LMCC_SECOND)

/* Sockets of the groups, RTCP, shared learning; the wake-up, and what the
 * kernel tells of the host. */
#define MAX_POLL (LMCC_MAX_GROUPS + 4)
#define WAKE 0
#define HOST 1
#define FIRST_SOCKET 2

/* Of the budget, so much at most waits for pads that cannot push. */
#define VIDEO_SHARE 2
#define SOUND_SHARE 16

/* What a socket is for that is none of a group's. */
#define FOR_CONTROL -1
#define FOR_LEARNING -2

/* A running time that goes back by so much has started again, after a flush. */
#define RESTART LMCC_SECOND

/* Others read it to know the library's time. */
static void
set_epoch (GstLmccSrc *self, LmccTime epoch)
{
  g_mutex_lock (&self->lock);
  self->epoch = epoch;
  g_mutex_unlock (&self->lock);
}

/* The library's time: the running time, made to go on where that starts
 * again. Must be called without the lock. */
static LmccTime
get_now (GstLmccSrc *self)
{
  GstClockTime time = gst_clock_get_time (self->clock);
  GstClockTime base = gst_element_get_base_time (GST_ELEMENT_CAST (self));
  LmccTime running_time = time > base ? time - base : 0;

  if (running_time + self->epoch + RESTART < self->last_now)
    set_epoch (self, self->last_now - running_time);
  self->last_now = MAX (self->last_now, running_time + self->epoch);
  return self->last_now;
}

/* How long ago the kernel got a datagram whose timestamp is @stamp. */
static LmccTime
get_age (guint64 stamp)
{
  struct timespec ts;
  guint64 real;

  if (stamp == 0 || clock_gettime (CLOCK_REALTIME, &ts) != 0)
    return 0;
  real = (guint64) ts.tv_sec * LMCC_SECOND + (guint64) ts.tv_nsec;
  return real > stamp && real - stamp < MAX_AGE ? real - stamp : 0;
}

static void
apply_settings (GstLmccSrc *self, LmccTime now)
{
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

/* Must be called with the lock. */
static void
handle_datagram (GstLmccSrc *self, LmccTime now, gint group,
    GstLmccDatagram *datagram)
{
  LmccTime age = get_age (datagram->timestamp);

  if (datagram->truncated) {
    self->oversize++;
    return;
  }
  if (group == FOR_LEARNING) {
    lmcc_receiver_handle_learning (self->receiver, now, datagram->packet->data,
        datagram->packet->size);
  } else if (group == FOR_CONTROL) {
    lmcc_receiver_handle_control (self->receiver, now, &datagram->source,
        datagram->source_port, datagram->packet->data, datagram->packet->size);
  } else {
    guint32 drops = datagram->overflows - self->overflows[group];

    if (drops > 0 && drops < G_MAXINT32)
      lmcc_receiver_handle_socket_drops (self->receiver, drops);
    self->overflows[group] = datagram->overflows;
    lmcc_receiver_handle_packet (self->receiver, now, now - MIN (age, now),
        (guint) group, &datagram->source, datagram->source_port,
        g_steal_pointer (&datagram->packet));
  }
  gst_lmcc_src_collect_actions (self);
}

static gsize
get_queued_bytes (GstLmccSrc *self)
{
  return gst_lmcc_src_queue_get_bytes (self->video.queue)
      + gst_lmcc_src_queue_get_bytes (self->sound.queue);
}

/* @group may be one of FOR_. */
static gboolean
read_socket (GstLmccSrc *self, gint fd, gint group)
{
  guint batches;

  for (batches = 0; batches < MAX_BATCHES; batches++) {
    g_autoptr (GError) error = NULL;
    gint i, n = gst_lmcc_batch_receive (self->batch, fd, &error);
    LmccTime now = get_now (self);
    gsize queued = get_queued_bytes (self);

    if (n < 0) {
      GST_ELEMENT_ERROR (self, RESOURCE, READ, ("%s", error->message), (NULL));
      return FALSE;
    }
    g_mutex_lock (&self->lock);
    lmcc_receiver_set_outside_memory (self->receiver, queued);
    for (i = 0; i < n; i++)
      handle_datagram (self, now, group,
          gst_lmcc_batch_get (self->batch, (guint) i));
    g_mutex_unlock (&self->lock);
    /* Asked again, an empty socket would cost as much as the packet did. */
    if (n < GST_LMCC_SRC_BATCH_SIZE)
      break;
  }
  return TRUE;
}

static void
discard_datagrams (GstLmccSrc *self, gint fd)
{
  while (gst_lmcc_batch_receive (self->batch, fd, NULL) > 0)
    ;
}

static void
clear_wake (GstLmccSrc *self)
{
  guint64 count;

  while (read (self->wake_fd, &count, sizeof (count)) < 0 && errno == EINTR)
    ;
}

/* What pads cannot push is the least important of what is held. */
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
check_timers (GstLmccSrc *self)
{
  LmccTime now = get_now (self);
  LmccTime latency;
  gsize budget;
  guint interval;

  g_mutex_lock (&self->lock);
  if (lmcc_receiver_next_timeout (self->receiver) <= now) {
    lmcc_receiver_handle_timeout (self->receiver, now);
    gst_lmcc_src_collect_actions (self);
  }
  latency = lmcc_receiver_get_latency (self->receiver);
  budget = lmcc_receiver_get_memory_budget (self->receiver);
  g_mutex_unlock (&self->lock);
  gst_lmcc_src_perform_actions (self, now);
  share_budget (self, budget);

  if (latency != self->latency_told) {
    self->latency_told = latency;
    gst_lmcc_src_queue_set_latency (self->video.queue, latency);
    gst_lmcc_src_queue_set_latency (self->sound.queue, latency);
    gst_element_post_message (GST_ELEMENT_CAST (self),
        gst_message_new_latency (GST_OBJECT_CAST (self)));
  }

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

static void
get_wait (GstLmccSrc *self, struct timespec *wait)
{
  LmccTime now = get_now (self);
  LmccTime next;

  g_mutex_lock (&self->lock);
  next = lmcc_receiver_next_timeout (self->receiver);
  g_mutex_unlock (&self->lock);
  next = MIN (next, self->next_stats);
  /* The pipeline's clock need not run as the kernel's does: look again. */
  next = MIN (next, now + LONGEST_WAIT);
  next = next > now ? next - now : 0;
  wait->tv_sec = (time_t) (next / LMCC_SECOND);
  wait->tv_nsec = (glong) (next % LMCC_SECOND);
}

static gboolean
wait_and_read (GstLmccSrc *self)
{
  struct pollfd fds[MAX_POLL];
  gint groups[MAX_POLL];
  struct timespec wait;
  nfds_t n = 0, i;
  gint group;
  gboolean ok = TRUE;

  fds[n++] = (struct pollfd){ self->wake_fd, POLLIN, 0 };
  fds[n++] = (struct pollfd){ self->host.netlink_fd, POLLIN, 0 };
  /* The record first: packets of a new table are understood with it. */
  groups[n] = FOR_CONTROL;
  fds[n++] = (struct pollfd){ self->control_fd, POLLIN, 0 };
  if (self->learning_fd >= 0) {
    groups[n] = FOR_LEARNING;
    fds[n++] = (struct pollfd){ self->learning_fd, POLLIN, 0 };
  }
  for (group = 0; group < LMCC_MAX_GROUPS; group++) {
    if (self->group_fds[group] >= 0) {
      groups[n] = group;
      fds[n++] = (struct pollfd){ self->group_fds[group], POLLIN, 0 };
    }
  }

  get_wait (self, &wait);
  if (ppoll (fds, n, &wait, NULL) <= 0)
    return TRUE;
  if (fds[WAKE].revents)
    clear_wake (self);
  self->host.readable = fds[HOST].revents != 0;
  for (i = FIRST_SOCKET; i < n && ok; i++)
    ok = fds[i].revents == 0 || read_socket (self, fds[i].fd, groups[i]);
  gst_lmcc_src_perform_actions (self, get_now (self));
  return ok;
}

static void
discard_all (GstLmccSrc *self)
{
  guint group;

  discard_datagrams (self, self->control_fd);
  for (group = 0; group < LMCC_MAX_GROUPS; group++)
    discard_datagrams (self, self->group_fds[group]);
}

/* What waits in the sockets after this process was stopped is older than all
 * that is to be shown, and where packets are missing among it, for want of
 * room, nobody can tell. */
static void
check_stall (GstLmccSrc *self)
{
  LmccTime now = get_now (self), latency = self->latency_told;

  if (now > self->last_loop + MAX (STALL, latency + LONGEST_WAIT)) {
    GST_WARNING_OBJECT (self, "stood still for %" GST_TIME_FORMAT,
        GST_TIME_ARGS (now - self->last_loop));
    discard_all (self);
  }
  self->last_loop = now;
}

static gpointer
receive_thread (gpointer data)
{
  GstLmccSrc *self = data;
  LmccTime now = get_now (self);

  /* What came while paused is old. */
  discard_datagrams (self, self->group_fds[0]);
  discard_datagrams (self, self->control_fd);

  g_mutex_lock (&self->lock);
  lmcc_receiver_start (self->receiver, now);
  gst_lmcc_src_collect_actions (self);
  g_mutex_unlock (&self->lock);
  gst_lmcc_src_perform_actions (self, now);

  self->last_loop = now;
  while (g_atomic_int_get (&self->running)) {
    check_stall (self);
    apply_settings (self, get_now (self));
    check_timers (self);
    gst_lmcc_src_host_look (self);
    if (!wait_and_read (self))
      break;
  }
  return NULL;
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
  config.on_loss = (LmccOnLoss) self->settings.on_loss;
  config.source_policy = (LmccSourcePolicy) self->settings.source_policy;
  codecs = gst_lmcc_src_read_codecs (self->settings.codecs);
  config.rtt_mode = (LmccRttMode) self->settings.rtt_mode;
  config.fixed_rtt = self->settings.rtt * LMCC_MSECOND;
  GST_OBJECT_UNLOCK (self);
  config.codecs = (const gchar *const *) codecs;
  return lmcc_receiver_new (&config);
}

/**
 * gst_lmcc_src_session_start:
 * @self: the source, open
 *
 * Starts to receive.
 */
void
gst_lmcc_src_session_start (GstLmccSrc *self)
{
  LmccReceiver *receiver;

  /* Before the settings are read: one that is set meanwhile is applied
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
  clear_wake (self);
  g_atomic_int_set (&self->running, TRUE);
  self->thread = g_thread_new ("lmccsrc", receive_thread, self);
}

/**
 * gst_lmcc_src_session_stop:
 * @self: the source
 *
 * Stops to receive. The base group stays joined, the others are left. What has
 * been received and not pushed is dropped.
 */
void
gst_lmcc_src_session_stop (GstLmccSrc *self)
{
  LmccTime now;
  guint group;

  if (self->thread == NULL)
    return;
  g_atomic_int_set (&self->running, FALSE);
  gst_lmcc_src_session_wake (self);
  g_thread_join (g_steal_pointer (&self->thread));

  now = get_now (self);
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

/**
 * gst_lmcc_src_session_wake:
 * @self: the source
 *
 * Makes the receiving thread look at the settings.
 */
void
gst_lmcc_src_session_wake (GstLmccSrc *self)
{
  guint64 one = 1;

  while (write (self->wake_fd, &one, sizeof (one)) < 0 && errno == EINTR)
    ;
}
