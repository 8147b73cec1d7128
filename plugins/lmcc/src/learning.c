/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* RLM's shared learning: what the session's receivers tell each other, in a
 * group of their own. All of it belongs to the receiving thread while that
 * runs, else to the thread that changes the state. */
#include "config.h"

#include "src/private.h"

#define GST_CAT_DEFAULT gst_lmcc_src_debug

/* What is sent comes back to the host, where other receivers may be. Of several
 * interfaces it leaves by the first. */
static gint
open_send (GstLmccSrc *self, GError **error)
{
  GstLmccSendOptions options = {
    .family = self->learning_address.family,
    .iface = self->iface,
    .loop = TRUE,
    .dscp = -1,
  };

  g_mutex_lock (&self->lock);
  options.ttl = self->session.ttl;
  g_mutex_unlock (&self->lock);

  return gst_lmcc_socket_open_send (&options, error);
}

/* Any receiver may send here, and not only the session's source. */
static gboolean
open_sockets (GstLmccSrc *self, GError **error)
{
  self->learning_fd = gst_lmcc_socket_open_receive (&self->learning_address,
      (guint16) (self->port + 1), &self->iface, 0, NULL, error);
  if (self->learning_fd < 0
      || !gst_lmcc_src_host_join_socket (self, self->learning_fd,
          &self->learning_address, NULL, error)
      || !gst_lmcc_io_add (self->io, self->learning_fd,
          GST_LMCC_SRC_TAG_LEARNING, error))
    return FALSE;
  self->notice_fd = open_send (self, error);

  return self->notice_fd >= 0;
}

/**
 * gst_lmcc_src_open_learning:
 * @self: the source
 * @group: the group after the session's last one
 *
 * Joins the group in which receivers tell each other of join experiments. Where
 * that fails a warning says so, and this receiver makes all of its own.
 */
void
gst_lmcc_src_open_learning (GstLmccSrc *self, guint group)
{
  g_autoptr (GError) error = NULL;
  gchar text[LMCC_ADDRESS_STRLEN];

  gst_lmcc_src_close_learning (self);
  if (!lmcc_address_group (&self->address, group, &self->learning_address))
    return;
  GST_INFO_OBJECT (self, "join %s, where receivers tell of join experiments",
      lmcc_address_format (&self->learning_address, text));
  if (open_sockets (self, &error))
    return;
  GST_ELEMENT_WARNING (self, RESOURCE, OPEN_READ_WRITE,
      ("This receiver and others cannot tell each other of their join "
       "experiments: %s",
          error->message),
      (NULL));
  gst_lmcc_src_close_learning (self);
}

/**
 * gst_lmcc_src_close_learning:
 * @self: the source
 *
 * Leaves the group again, if it was joined.
 */
void
gst_lmcc_src_close_learning (GstLmccSrc *self)
{
  gst_lmcc_src_close_fd (self, &self->learning_fd);
  gst_lmcc_socket_close (&self->notice_fd);
}

/**
 * gst_lmcc_src_send_notice:
 * @self: the source
 * @packet: RTCP
 *
 * Tells the other receivers of a join experiment. What does not leave this host
 * is counted, and no more.
 */
void
gst_lmcc_src_send_notice (GstLmccSrc *self, const LmccPacket *packet)
{
  gssize sent;

  if (self->notice_fd < 0)
    return;
  sent = gst_lmcc_socket_send (self->notice_fd, &self->iface,
      &self->learning_address, (guint16) (self->port + 1), packet);
  g_mutex_lock (&self->lock);
  if (sent >= 0)
    self->notices_sent++;
  else
    self->notice_errors++;
  g_mutex_unlock (&self->lock);
  if (sent < 0)
    GST_DEBUG_OBJECT (self, "a notice did not leave: %s",
        g_strerror ((gint) -sent));
}
