/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* RLM's shared learning: the receivers of a session announce join experiments
 * in a group of their own. All of it belongs to the receiving thread while that
 * runs, otherwise to the thread that changes the state. */
#include "config.h"

#include "src/private.h"

#include <plugins/common/messages.h>

#define GST_CAT_DEFAULT gst_lmcc_src_debug

/* Multicast loopback is on, because other receivers may run on this host. With
 * several interfaces the first one is used. */
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

/* Opens the sockets without a source filter, because all receivers send to this
 * group. */
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
 * @group: index of the group after the session's last one
 *
 * Joins the group in which receivers announce join experiments. If that fails,
 * a warning says so, and this receiver learns from its own experiments only.
 */
void
gst_lmcc_src_open_learning (GstLmccSrc *self, guint group)
{
  g_autoptr (GError) error = NULL;
  gchar text[LMCC_ADDRESS_STRLEN];

  gst_lmcc_src_close_learning (self);
  if (!lmcc_address_group (&self->address, group, &self->learning_address))
    return;
  GST_INFO_OBJECT (self, "join %s, the group for join experiments",
      lmcc_address_format (&self->learning_address, text));
  if (open_sockets (self, &error))
    return;
  GST_ELEMENT_WARNING (self, RESOURCE, OPEN_READ_WRITE,
      (_ ("This receiver cannot share join experiments with other receivers, "
          "and learns from its own only: %s"),
          error->message),
      (NULL));
  gst_lmcc_src_close_learning (self);
}

/**
 * gst_lmcc_src_close_learning:
 * @self: the source
 *
 * Leaves the group if it is joined.
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
 * @packet: RTCP packet
 *
 * Announces a join experiment to the other receivers. A failure is only
 * counted.
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
    GST_DEBUG_OBJECT (self, "a notice could not be sent: %s",
        g_strerror ((gint) -sent));
}
