/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* How large the kernel's receive buffers are. All groups have the same. */
#include "config.h"

#include "src/private.h"

#define GST_CAT_DEFAULT gst_lmcc_src_debug

/* The largest layer's packets of so long have room in a buffer, by themselves:
 * what a key frame adds to a layer is sent within 100 ms, and sockets may stay
 * unread for 10 ms, or longer where the host is busy. */
#define WANTED_TIME (100 * LMCC_MSECOND)

/* With less than that, packets are expected to be lost. */
#define LEAST_TIME (20 * LMCC_MSECOND)

/* Where no session says it. */
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

/* What holds the packets of @time. */
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
 * @fd: of a group
 *
 * Makes its buffer as large as the session's rates want, where no size was set;
 * it does not become smaller.
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
 * To be called when the session is another one.
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
 * Returns: bytes of the session's packets that each group's buffer holds
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
      ("The kernel gives a receive buffer of %u bytes, asked for %u: run "
       "'sysctl -w net.core.rmem_max=%u' as root%s",
          self->buffer_got, wanted, wanted, remedy),
      (NULL));
}

/**
 * gst_lmcc_src_check_buffers:
 * @self: the source
 *
 * Warns once where the kernel gives less than what was set, or than what the
 * session wants and packets are lost for it, or are to be expected lost.
 */
void
gst_lmcc_src_check_buffers (GstLmccSrc *self)
{
  if (self->buffer_warned || self->buffer_got == 0)
    return;
  if (self->buffer_got < self->buffer_size)
    warn (self, self->buffer_size, ", or set a smaller buffer-size");
  else if (self->buffer_size == 0 && self->buffer_got < self->buffer_wanted
      && (self->buffer_overflown
          || self->buffer_got < get_buffer (self, LEAST_TIME)))
    warn (self, self->buffer_wanted, ": else packets are lost");
}
