/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Reports to the sender. All of it belongs to the receiving thread while that
 * runs, otherwise to the thread that changes the state. */
#include "config.h"

#include "src/private.h"

#include <plugins/common/messages.h>

#include <errno.h>

#define GST_CAT_DEFAULT gst_lmcc_src_debug

static void
count_error (GstLmccSrc *self, const gchar *cause)
{
  GST_DEBUG_OBJECT (self, "a report did not reach the sender: %s", cause);
  g_mutex_lock (&self->lock);
  self->report_errors++;
  g_mutex_unlock (&self->lock);
}

/* Until the sender answers again, the algorithm only has the values that it can
 * measure alone. */
static void
warn (GstLmccSrc *self, const gchar *cause, const gchar *remedy)
{
  if (gst_lmcc_src_may_warn (&self->host.next_report_warning))
    GST_ELEMENT_WARNING (self, RESOURCE, OPEN_WRITE,
        (_ ("Cannot send reports to the sender: %s%s%s. Trying again."), cause,
            remedy[0] ? ". " : "", remedy),
        (NULL));
}

static gboolean
open_socket (GstLmccSrc *self, const LmccAddress *address, guint16 port)
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
    warn (self, error->message, "");
    return FALSE;
  }
  self->report_address = *address;
  self->report_port = port;
  GST_INFO_OBJECT (self, "reports go to %s port %u",
      lmcc_address_format (address, text), port);
  return TRUE;
}

/* Returns: errno if this host could not send, otherwise 0 */
static gint
send_once (GstLmccSrc *self, const LmccReceiverAction *action)
{
  gint code;
  gssize sent;

  if (!open_socket (self, &action->destination, action->port))
    return 0;
  /* The network's error for the previous report. */
  code = gst_lmcc_socket_take_error (self->report_fd);
  if (code != 0)
    count_error (self, g_strerror (code));
  sent = gst_lmcc_socket_send (self->report_fd, &self->iface,
      &action->destination, action->port, action->packet);
  if (sent >= 0)
    return 0;
  count_error (self, g_strerror ((gint) -sent));
  return sent == -ECONNREFUSED ? 0 : (gint) -sent;
}

/**
 * gst_lmcc_src_send_report:
 * @self: the source
 * @action: a report and its destination
 *
 * Sends a report. Reports that do not arrive are counted. If this host cannot
 * send, it tries once more with a new socket, because its address may have
 * changed. If that fails too, a warning gives the reason.
 */
void
gst_lmcc_src_send_report (GstLmccSrc *self, const LmccReceiverAction *action)
{
  gint code = send_once (self, action);

  if (code == 0)
    return;
  gst_lmcc_src_close_report (self);
  code = send_once (self, action);
  if (code != 0)
    warn (self, g_strerror (code), gst_lmcc_send_remedy (code));
}

/**
 * gst_lmcc_src_close_report:
 * @self: the source
 */
void
gst_lmcc_src_close_report (GstLmccSrc *self)
{
  gst_lmcc_socket_close (&self->report_fd);
}
