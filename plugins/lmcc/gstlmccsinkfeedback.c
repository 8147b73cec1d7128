/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Reports of receivers. A thread of its own waits for them, so that the pacing
 * thread wakes up for a report that is there, and not to look for one.
 */
#include "config.h"

#include "gstlmccsinkcore.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/* Datagrams taken from the socket at once, and most that wait for the pacing
 * thread. The library asks the audience for a few in a second. */
#define BATCH_SIZE 8
#define MAX_WAITING 64

/* Between two batches: a flood of datagrams costs the pacing thread a wake-up
 * in so long, not one for each. */
#define FLOOD_WAIT_MS 5

/* Finds a port: where none was asked for, RTCP's own, or else any. */
static gint
open_socket (GstLmccSinkCore * core, GError ** error)
{
  const GstLmccSinkSettings *settings = &core->settings;
  gint fd;

  if (settings->feedback_port != 0)
    return gst_lmcc_socket_open_feedback (&core->source,
        settings->feedback_port, &core->iface, error);
  fd = gst_lmcc_socket_open_feedback (&core->source,
      (guint16) (settings->port + 1), &core->iface, NULL);
  return fd >= 0 ? fd : gst_lmcc_socket_open_feedback (&core->source, 0,
      &core->iface, error);
}

/**
 * gst_lmcc_sink_feedback_open:
 * @core: the core, with its interface and source address known
 *
 * Opens the socket that takes reports, where they are wanted and the host knows
 * an address that they can be sent to. Errors are posted.
 *
 * Returns: %FALSE where the port that was asked for cannot be had
 */
gboolean
gst_lmcc_sink_feedback_open (GstLmccSinkCore * core)
{
  g_autoptr (GError) error = NULL;

  if (!core->settings.feedback)
    return TRUE;
  if (core->source.family == LMCC_FAMILY_NONE) {
    GST_WARNING_OBJECT (core, "this host's address towards the group is not "
        "known: no reports are asked for");
    return TRUE;
  }
  core->feedback_fd = open_socket (core, &error);
  if (core->feedback_fd < 0) {
    GST_ELEMENT_ERROR (core, RESOURCE, OPEN_READ, ("%s", error->message),
        ("property feedback-port"));
    return FALSE;
  }
  core->feedback_port = gst_lmcc_socket_get_port (core->feedback_fd);
  core->feedback_wake = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  GST_INFO_OBJECT (core, "reports are taken on port %u", core->feedback_port);
  return TRUE;
}

/**
 * gst_lmcc_sink_feedback_close:
 * @core: the core, stopped
 */
void
gst_lmcc_sink_feedback_close (GstLmccSinkCore * core)
{
  gst_lmcc_socket_close (&core->feedback_fd);
  gst_lmcc_socket_close (&core->feedback_wake);
}

/* What the pacing thread does not take in time is dropped: it is a flood, or
 * would be answered so late that it measured a pause. */
static void
take_datagrams (GstLmccSinkCore * core, GstLmccBatch * batch, guint n)
{
  guint i;

  g_mutex_lock (&core->lock);
  for (i = 0; i < n; i++) {
    GstLmccDatagram *datagram = gst_lmcc_batch_get (batch, i);
    GstLmccReport *report;

    if (datagram->truncated || !core->playing
        || core->reports.length >= MAX_WAITING) {
      core->reports_dropped++;
      continue;
    }
    report = g_new (GstLmccReport, 1);
    report->packet = g_steal_pointer (&datagram->packet);
    report->source = datagram->source;
    report->source_port = datagram->source_port;
    g_queue_push_tail (&core->reports, report);
  }
  if (core->playing)
    gst_lmcc_sink_wake (core);
  g_mutex_unlock (&core->lock);
}

static gpointer
feedback_thread (gpointer data)
{
  GstLmccSinkCore *core = data;
  g_autoptr (GstLmccBatch) batch = gst_lmcc_batch_new (BATCH_SIZE);
  struct pollfd fds[] = {
    {core->feedback_wake, POLLIN, 0},
    {core->feedback_fd, POLLIN, 0},
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
    if (n == BATCH_SIZE)
      poll (fds, 1, FLOOD_WAIT_MS);
  }
  return NULL;
}

/**
 * gst_lmcc_sink_feedback_start:
 * @core: the core, open
 */
void
gst_lmcc_sink_feedback_start (GstLmccSinkCore * core)
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
gst_lmcc_sink_feedback_stop (GstLmccSinkCore * core)
{
  guint64 count = 1;

  if (core->feedback_thread) {
    while (write (core->feedback_wake, &count, sizeof (count)) < 0
        && errno == EINTR);
    g_clear_pointer (&core->feedback_thread, g_thread_join);
    while (read (core->feedback_wake, &count, sizeof (count)) < 0
        && errno == EINTR);
  }
  g_queue_clear_full (&core->reports, free_report);
}

/**
 * gst_lmcc_sink_feedback_take:
 * @core: the core; called with lock held
 *
 * Returns: (transfer full) (nullable): a report that waits, for
 *     gst_lmcc_sink_feedback_handle()
 */
GstLmccReport *
gst_lmcc_sink_feedback_take (GstLmccSinkCore * core)
{
  return g_queue_pop_head (&core->reports);
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
gst_lmcc_sink_feedback_handle (GstLmccSinkCore * core, GstLmccReport * report,
    LmccTime now)
{
  g_mutex_lock (&core->sender_lock);
  lmcc_sender_handle_control (core->sender, now, &report->source,
      report->source_port, report->packet->data, report->packet->size);
  g_mutex_unlock (&core->sender_lock);
  free_report (report);
}
