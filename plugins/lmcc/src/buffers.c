/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The size of the kernel's receive buffers, which is the same for all
 * groups. */
#include "config.h"

#include "src/private.h"

#include <plugins/common/messages.h>

#define GST_CAT_DEFAULT gst_lmcc_src_debug

/* A buffer holds the packets of the largest layer for this time. The data that
 * a key frame adds to a layer is sent within 100 ms, and sockets are read every
 * 10 ms, or later on a busy host. */
#define WANTED_TIME (100 * LMCC_MSECOND)

/* Packet loss is likely with less than this time. */
#define LEAST_TIME (20 * LMCC_MSECOND)

/* Used without a session. */
#define PACKET_SIZE 1500

static void
read_session (GstLmccSrc *self, guint64 *rate, gsize *packet_size)
{
  guint i;

  *rate = 0;
  *packet_size = PACKET_SIZE;
  g_mutex_lock (&self->lock);
  if (self->have_session) {
    for (i = 0; i < self->session.n_layers; i++)
      *rate = MAX (*rate, self->session.layers[i].rate);
    *packet_size = MAX (self->session.packet_size, 1);
  }
  g_mutex_unlock (&self->lock);
}

/* Size of a buffer for the packets of @time. */
static guint
get_buffer (GstLmccSrc *self, LmccTime time)
{
  guint64 rate;
  gsize packet_size;
  gdouble packets;

  read_session (self, &rate, &packet_size);
  packets =
      (gdouble) rate / 8 * (gdouble) time / LMCC_SECOND / (gdouble) packet_size;
  return (guint) MIN (packets
          * (gdouble) gst_lmcc_socket_get_packet_cost (packet_size),
      G_MAXINT / 2);
}

/**
 * gst_lmcc_src_fit_buffer:
 * @self: the source
 * @fd: socket of a group
 *
 * Increases its buffer to the size that the session's rates need, if the user
 * has set no size. It never shrinks.
 */
void
gst_lmcc_src_fit_buffer (GstLmccSrc *self, gint fd)
{
  guint actual = gst_lmcc_socket_set_receive_buffer (fd, 0);

  if (self->buffer_size == 0 && self->buffer_wanted > actual)
    actual = gst_lmcc_socket_set_receive_buffer (fd, self->buffer_wanted);
  self->buffer_got =
      self->buffer_got > 0 ? MIN (self->buffer_got, actual) : actual;
}

/**
 * gst_lmcc_src_fit_buffers:
 * @self: the source
 *
 * Must be called when the session has changed.
 */
void
gst_lmcc_src_fit_buffers (GstLmccSrc *self)
{
  guint group;

  self->buffer_wanted = get_buffer (self, WANTED_TIME);
  self->buffer_got = 0;
  for (group = 0; group < LMCC_MAX_GROUPS; group++) {
    if (self->group_fds[group] >= 0)
      gst_lmcc_src_fit_buffer (self, self->group_fds[group]);
  }
}

/**
 * gst_lmcc_src_get_buffer_room:
 * @self: the source
 *
 * Returns: bytes of the session's packets that fit into each group's buffer
 */
gsize
gst_lmcc_src_get_buffer_room (GstLmccSrc *self)
{
  guint64 rate;
  gsize packet_size;

  read_session (self, &rate, &packet_size);
  return (gsize) self->buffer_got
      / gst_lmcc_socket_get_packet_cost (packet_size) * packet_size;
}

static void
warn (GstLmccSrc *self, guint wanted, const gchar *remedy)
{
  self->buffer_warned = TRUE;
  GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
      (_ ("The kernel limits the receive buffer to %u bytes, but %u are "
          "needed: run 'sysctl -w net.core.rmem_max=%u' as root%s"),
          self->buffer_got, wanted, wanted, remedy),
      (NULL));
}

/**
 * gst_lmcc_src_check_buffers:
 * @self: the source
 *
 * Warns once if the kernel provides less than the user has set, or less than
 * the session needs and packets are lost or likely to be lost.
 */
void
gst_lmcc_src_check_buffers (GstLmccSrc *self)
{
  if (self->buffer_warned || self->buffer_got == 0)
    return;
  if (self->buffer_got < self->buffer_size)
    warn (self, self->buffer_size, _ (", or set a smaller buffer-size"));
  else if (self->buffer_size == 0 && self->buffer_got < self->buffer_wanted
      && (self->buffer_overflown
          || self->buffer_got < get_buffer (self, LEAST_TIME)))
    warn (self, self->buffer_wanted, _ ("; otherwise packets are lost"));
}
