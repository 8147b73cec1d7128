/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Reports of receivers. A thread of its own waits for them, so that the pacing
 * thread wakes up for a report that is there, and not to look for one.
 */
#include "config.h"

#include "sink/core.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/* Datagrams of one system call: more than come while one such batch is looked
 * at. */
#define BATCH_SIZE 128

/* Reports that wait for the pacing thread: an ACK for each packet of pgmcc's
 * largest window. */
#define MAX_WAITING 4096

/* Who sends a flood shares the socket with the receivers, until it is read. The
 * kernel gives less where net.core.rmem_max is less. */
#define BUFFER_SIZE (4 << 20)

/* Finds a port: where none was asked for, RTCP's own, or else any. */
static gint
open_socket (GstLmccSinkCore *core, const GstLmccSinkPlace *place,
    GError **error)
{
  const GstLmccSinkSettings *settings = &core->settings;
  gint fd;

  if (settings->properties.feedback_port != 0)
    return gst_lmcc_socket_open_feedback (&place->source,
        settings->properties.feedback_port, &place->iface, error);
  fd = settings->properties.port + 1 < LMCC_FIRST_USER_PORT
      ? -1
      : gst_lmcc_socket_open_feedback (&place->source,
          (guint16) (settings->properties.port + 1), &place->iface, NULL);
  return fd >= 0
      ? fd
      : gst_lmcc_socket_open_feedback (&place->source, 0, &place->iface, error);
}

static void
warn_low_port (GstLmccSinkCore *core, guint16 port)
{
  if (port >= LMCC_FIRST_USER_PORT)
    return;
  GST_ELEMENT_WARNING (core, RESOURCE, SETTINGS,
      ("Receivers send no reports to ports below %d, such as feedback-port %u, "
       "but where lmccsrc has allow-low-feedback-port=true. Set "
       "feedback-port to a higher one, or to 0.",
          LMCC_FIRST_USER_PORT, port),
      (NULL));
}

/**
 * gst_lmcc_sink_feedback_open:
 * @core: the core
 * @place: (inout): where packets leave; the port that was found is filled in
 * @error: (nullable): cause and remedy
 *
 * Opens the socket that takes reports, where they are wanted and the host knows
 * an address that they can be sent to.
 *
 * Returns: the socket, or -1: with an error where it cannot be had, without
 *     where none is to be had
 */
gint
gst_lmcc_sink_feedback_open (GstLmccSinkCore *core, GstLmccSinkPlace *place,
    GError **error)
{
  if (!core->settings.properties.feedback)
    return -1;
  if (place->source.family == LMCC_FAMILY_NONE) {
    GST_INFO_OBJECT (core,
        "this host's address towards the group is not known "
        "yet: no reports are asked for");
    return -1;
  }
  core->feedback_fd = open_socket (core, place, error);
  if (core->feedback_fd < 0)
    return -1;
  core->feedback_wake = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (core->feedback_wake < 0) {
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
        "Could not make an event descriptor: %s%s", g_strerror (errno),
        gst_lmcc_open_remedy (errno));
    gst_lmcc_socket_close (&core->feedback_fd);
    return -1;
  }
  gst_lmcc_socket_set_receive_buffer (core->feedback_fd, BUFFER_SIZE);
  place->feedback_port = gst_lmcc_socket_get_port (core->feedback_fd);
  warn_low_port (core, place->feedback_port);
  GST_INFO_OBJECT (core, "reports are taken on port %u", place->feedback_port);
  return core->feedback_fd;
}

/**
 * gst_lmcc_sink_feedback_close:
 * @core: the core, stopped
 */
void
gst_lmcc_sink_feedback_close (GstLmccSinkCore *core)
{
  gst_lmcc_socket_close (&core->feedback_fd);
  gst_lmcc_socket_close (&core->feedback_wake);
}

/* Lets go of what the sender has no use for: a flood ends here, and does not
 * wake the pacing thread. The time is one that goes on in PAUSED too. Returns
 * how many are left. */
static guint
admit_datagrams (GstLmccSinkCore *core, GstLmccBatch *batch, guint n)
{
  LmccTime time = (LmccTime) g_get_monotonic_time () * LMCC_USECOND;
  guint i, admitted = 0;

  g_mutex_lock (&core->sender_lock);
  for (i = 0; i < n; i++) {
    GstLmccDatagram *datagram = gst_lmcc_batch_get (batch, i);

    if (core->sender && !datagram->truncated
        && lmcc_sender_admit_control (core->sender, time, &datagram->source,
            datagram->source_port))
      admitted++;
    else
      g_clear_pointer (&datagram->packet, lmcc_packet_unref);
  }
  g_mutex_unlock (&core->sender_lock);
  return admitted;
}

/* Called with lock held. What the pacing thread does not take in time would be
 * answered so late that it measured a pause. */
static void
queue_datagram (GstLmccSinkCore *core, GstLmccDatagram *datagram)
{
  GstLmccReport *report;

  if (!datagram->packet || !core->playing
      || core->reports.length >= MAX_WAITING) {
    core->reports_dropped++;
    return;
  }
  report = g_new (GstLmccReport, 1);
  report->packet = g_steal_pointer (&datagram->packet);
  report->source = datagram->source;
  report->source_port = datagram->source_port;
  g_queue_push_tail (&core->reports, report);
}

static void
take_datagrams (GstLmccSinkCore *core, GstLmccBatch *batch, guint n)
{
  guint admitted = admit_datagrams (core, batch, n);
  guint i;

  g_mutex_lock (&core->lock);
  for (i = 0; i < n; i++)
    queue_datagram (core, gst_lmcc_batch_get (batch, i));
  if (core->playing && admitted > 0)
    gst_lmcc_sink_wake (core);
  g_mutex_unlock (&core->lock);
}

/* Whatever comes is read at once, so that a flood does not fill the socket. */
static gpointer
feedback_thread (gpointer data)
{
  GstLmccSinkCore *core = data;
  g_autoptr (GstLmccBatch) batch = gst_lmcc_batch_new (BATCH_SIZE);
  struct pollfd fds[] = {
    { core->feedback_wake, POLLIN, 0 },
    { core->feedback_fd, POLLIN, 0 },
  };

  while (poll (fds, G_N_ELEMENTS (fds), -1) >= 0 || errno == EINTR) {
    gint n;

    if (fds[0].revents)
      break;
    n = gst_lmcc_batch_receive (batch, core->feedback_fd, NULL);
    if (n < 0)
      break;
    if (n > 0)
      take_datagrams (core, batch, (guint) n);
  }
  return NULL;
}

/**
 * gst_lmcc_sink_feedback_start:
 * @core: the core, open
 */
void
gst_lmcc_sink_feedback_start (GstLmccSinkCore *core)
{
  if (core->feedback_fd >= 0)
    core->feedback_thread =
        g_thread_new ("lmccsink-feedback", feedback_thread, core);
}

static void
free_report (gpointer data)
{
  GstLmccReport *report = data;

  lmcc_packet_unref (report->packet);
  g_free (report);
}

/**
 * gst_lmcc_sink_feedback_stop:
 * @core: the core
 *
 * Ends the thread; what it had received is dropped.
 */
void
gst_lmcc_sink_feedback_stop (GstLmccSinkCore *core)
{
  guint64 count = 1;

  if (core->feedback_thread) {
    while (write (core->feedback_wake, &count, sizeof (count)) < 0
        && errno == EINTR)
      ;
    g_clear_pointer (&core->feedback_thread, g_thread_join);
    while (read (core->feedback_wake, &count, sizeof (count)) < 0
        && errno == EINTR)
      ;
  }
  g_mutex_lock (&core->lock);
  g_queue_clear_full (&core->reports, free_report);
  g_mutex_unlock (&core->lock);
}

/**
 * gst_lmcc_sink_feedback_take:
 * @core: the core; called with lock held
 * @reports: (out): the reports that wait, for gst_lmcc_sink_feedback_handle()
 */
void
gst_lmcc_sink_feedback_take (GstLmccSinkCore *core, GQueue *reports)
{
  *reports = core->reports;
  g_queue_init (&core->reports);
}

/**
 * gst_lmcc_sink_feedback_handle:
 * @core: the core, with a sender; called by the pacing thread without lock
 * @report: (transfer full): a report
 * @now: the time
 *
 * Hands a report to the library. Its actions are to be drained.
 */
void
gst_lmcc_sink_feedback_handle (GstLmccSinkCore *core, GstLmccReport *report,
    LmccTime now)
{
  g_mutex_lock (&core->sender_lock);
  lmcc_sender_take_control (core->sender, now, &report->source,
      report->source_port, report->packet->data, report->packet->size);
  g_mutex_unlock (&core->sender_lock);
  free_report (report);
}
