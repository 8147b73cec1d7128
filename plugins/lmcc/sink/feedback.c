/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Receives the reports of receivers. */
#include "config.h"

#include "sink/core.h"

#include <plugins/common/messages.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/* A flood of packets fills this buffer together with the receivers' reports
 * until it is read. net.core.rmem_max may limit it. */
#define BUFFER_SIZE (4 << 20)

/* Opens a port: the one that was set, otherwise RTCP's port, otherwise any. */
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
      (_ ("Receivers send no reports to ports below %d, such as feedback-port "
          "%u, unless lmccsrc has allow-low-feedback-port=true. Set "
          "feedback-port to a higher port, or to 0."),
          LMCC_FIRST_USER_PORT, port),
      (NULL));
}

/**
 * gst_lmcc_sink_feedback_open:
 * @core: the core
 * @place: (inout): interface and source address; gets the port
 * @error: (nullable): cause and remedy
 *
 * Opens the socket for reports, if feedback is on and this host has an address
 * for them.
 *
 * Returns: the socket, or -1: with @error if it failed, without if none is
 * needed
 */
gint
gst_lmcc_sink_feedback_open (GstLmccSinkCore *core, GstLmccSinkPlace *place,
    GError **error)
{
  if (!core->settings.properties.feedback)
    return -1;
  if (core->elsewhere) {
    GST_INFO_OBJECT (core,
        "the socket belongs to another network namespace: not requesting "
        "reports");
    return -1;
  }
  if (place->source.family == LMCC_FAMILY_NONE) {
    GST_INFO_OBJECT (core,
        "the source address of this host is not known yet: not requesting "
        "reports");
    return -1;
  }
  core->feedback_fd = open_socket (core, place, error);
  if (core->feedback_fd < 0)
    return -1;
  if (!gst_lmcc_io_add (core->io, core->feedback_fd, GST_LMCC_SINK_TAG_FEEDBACK,
          error)) {
    gst_lmcc_socket_close (&core->feedback_fd);
    return -1;
  }
  gst_lmcc_socket_set_receive_buffer (core->feedback_fd, BUFFER_SIZE);
  place->feedback_port = gst_lmcc_socket_get_port (core->feedback_fd);
  warn_low_port (core, place->feedback_port);
  GST_INFO_OBJECT (core, "reports are received on port %u",
      place->feedback_port);
  return core->feedback_fd;
}

/**
 * gst_lmcc_sink_feedback_close:
 * @core: the core; called by the I/O thread, or while it is stopped
 */
void
gst_lmcc_sink_feedback_close (GstLmccSinkCore *core)
{
  if (core->feedback_fd >= 0)
    gst_lmcc_io_remove (core->io, core->feedback_fd);
  gst_lmcc_socket_close (&core->feedback_fd);
}

/* The time for admission also advances in PAUSED. */
static gboolean
take_datagram (GstLmccSinkCore *core, const GstLmccDatagram *datagram,
    LmccTime now)
{
  LmccTime time = (LmccTime) g_get_monotonic_time () * LMCC_USECOND;

  if (datagram->truncated
      || !lmcc_sender_admit_control (core->sender, time, &datagram->source,
          datagram->source_port))
    return FALSE;
  lmcc_sender_take_control (core->sender, now, &datagram->source,
      datagram->source_port, datagram->packet->data, datagram->packet->size);
  return TRUE;
}

static guint
take_datagrams (GstLmccSinkCore *core, GstLmccBatch *batch, guint n,
    LmccTime now)
{
  guint i, taken = 0;

  g_mutex_lock (&core->sender_lock);
  for (i = 0; core->sender && i < n; i++)
    taken += take_datagram (core, gst_lmcc_batch_get (batch, i), now) ? 1 : 0;
  g_mutex_unlock (&core->sender_lock);
  return taken;
}

/**
 * gst_lmcc_sink_feedback_read:
 * @core: the core; called by the I/O thread without lock
 * @now: the time, or %LMCC_TIME_NONE in PAUSED, which drops reports
 *
 * Passes the waiting reports to the library, limited so that packets are not
 * delayed; the rest is read in the next run. The sender's actions must then be
 * performed.
 *
 * Returns: whether the library got a report
 */
gboolean
gst_lmcc_sink_feedback_read (GstLmccSinkCore *core, LmccTime now)
{
  GstLmccBatch *batch = gst_lmcc_batch_of_thread ();
  guint taken = 0;
  gint n;

  if (!core->feedback_readable)
    return FALSE;
  core->feedback_readable = FALSE;
  n = gst_lmcc_batch_receive (batch, core->feedback_fd, NULL);
  if (n < 0)
    gst_lmcc_io_remove (core->io, core->feedback_fd);
  if (n <= 0)
    return FALSE;
  if (LMCC_TIME_IS_VALID (now))
    taken = take_datagrams (core, batch, (guint) n, now);
  g_mutex_lock (&core->lock);
  core->reports_dropped += (guint) n - taken;
  g_mutex_unlock (&core->lock);
  return taken > 0;
}
