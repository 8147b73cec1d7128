/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Reports to the sender. All of it belongs to the receiving thread while that
 * runs, else to the thread that changes the state. */
#include "config.h"

#include "gstlmccsrcprivate.h"

#define GST_CAT_DEFAULT gst_lmcc_src_debug

static void
count_error (GstLmccSrc * self, const gchar * cause)
{
  GST_DEBUG_OBJECT (self, "a report did not get to the sender: %s", cause);
  g_mutex_lock (&self->lock);
  self->report_errors++;
  g_mutex_unlock (&self->lock);
}

static gboolean
open_socket (GstLmccSrc * self, const LmccAddress * address, guint16 port)
{
  g_autoptr (GError) error = NULL;
  gchar text[LMCC_ADDRESS_STRLEN];

  if (self->report_fd >= 0 && self->report_port == port
      && lmcc_address_equal (&self->report_address, address))
    return TRUE;
  gst_lmcc_src_close_report (self);
  self->report_fd =
      gst_lmcc_socket_open_unicast (address, port, &self->iface, &error);
  if (self->report_fd < 0) {
    count_error (self, error->message);
    return FALSE;
  }
  self->report_address = *address;
  self->report_port = port;
  GST_INFO_OBJECT (self, "reports go to %s port %u",
      lmcc_address_format (address, text), port);
  return TRUE;
}

/**
 * gst_lmcc_src_send_report:
 * @self: the source
 * @action: a report, and where it goes
 *
 * Sends a report. One that does not get there is counted, and no more.
 */
void
gst_lmcc_src_send_report (GstLmccSrc * self, const LmccReceiverAction * action)
{
  gint code;
  gssize sent;

  if (!open_socket (self, &action->destination, action->port))
    return;
  /* What the network answered to the one before. */
  code = gst_lmcc_socket_take_error (self->report_fd);
  if (code != 0)
    count_error (self, g_strerror (code));
  sent = gst_lmcc_socket_send (self->report_fd, &self->iface,
      &action->destination, action->port, action->packet);
  if (sent < 0)
    count_error (self, g_strerror ((gint) - sent));
}

/**
 * gst_lmcc_src_close_report:
 * @self: the source
 */
void
gst_lmcc_src_close_report (GstLmccSrc * self)
{
  gst_lmcc_socket_close (&self->report_fd);
}
