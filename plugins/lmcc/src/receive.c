/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Passes packets from the sockets to the library. */
#include "config.h"

#include "src/private.h"

#include <time.h>

#define GST_CAT_DEFAULT gst_lmcc_src_debug

/* Maximum number of reads of one socket before the other sockets have their
 * turn. */
#define MAX_BATCHES 4

/* An older kernel timestamp means that the clock was set, not that the packet
 * has waited. */
#define MAX_AGE LMCC_SECOND

/* The kernel's current time, 0 if unknown. */
static guint64
get_real_time (void)
{
  struct timespec ts;

  if (clock_gettime (CLOCK_REALTIME, &ts) != 0)
    return 0;
  return (guint64) ts.tv_sec * LMCC_SECOND + (guint64) ts.tv_nsec;
}

/* The age at @real of a datagram with the kernel timestamp @stamp. */
static LmccTime
get_age (guint64 real, guint64 stamp)
{
  return stamp > 0 && real > stamp && real - stamp < MAX_AGE ? real - stamp : 0;
}

static void
handle_packet (GstLmccSrc *self, LmccTime now, LmccTime age,
    GstLmccDatagram *datagram)
{
  guint group = datagram->tag - GST_LMCC_SRC_TAG_GROUPS;
  guint32 drops = datagram->overflows - self->overflows[group];

  if (drops > 0 && drops < G_MAXINT32) {
    lmcc_receiver_handle_socket_drops (self->receiver, drops);
    self->buffer_overflown = TRUE;
  }
  self->overflows[group] = datagram->overflows;
  if (self->copies && !gst_lmcc_src_copies_take (self->copies, datagram)) {
    self->copied++;
    return;
  }
  lmcc_receiver_handle_packet (self->receiver, now, now - MIN (age, now), group,
      &datagram->source, datagram->source_port,
      g_steal_pointer (&datagram->packet));
}

/* Must be called with the lock. */
static void
handle_datagram (GstLmccSrc *self, LmccTime now, LmccTime age,
    GstLmccDatagram *datagram)
{
  if (datagram->truncated) {
    self->oversize++;
    return;
  }
  if (datagram->tag == GST_LMCC_SRC_TAG_LEARNING)
    lmcc_receiver_handle_learning (self->receiver, now, datagram->packet->data,
        datagram->packet->size);
  else if (datagram->tag == GST_LMCC_SRC_TAG_CONTROL)
    lmcc_receiver_handle_control (self->receiver, now, &datagram->source,
        datagram->source_port, datagram->packet->data, datagram->packet->size);
  else
    handle_packet (self, now, age, datagram);
  gst_lmcc_src_collect_actions (self);
}

static gsize
get_queued_bytes (GstLmccSrc *self)
{
  return gst_lmcc_src_queue_get_bytes (self->video.queue)
      + gst_lmcc_src_queue_get_bytes (self->sound.queue);
}

static void
handle_all (GstLmccSrc *self, GstLmccBatch *batch, guint n)
{
  LmccTime now = gst_lmcc_src_get_now (self);
  gsize queued = get_queued_bytes (self);
  guint64 real = get_real_time ();
  guint i;

  g_mutex_lock (&self->lock);
  lmcc_receiver_set_outside_memory (self->receiver, queued);
  for (i = 0; i < n; i++) {
    GstLmccDatagram *datagram = gst_lmcc_batch_get (batch, i);

    handle_datagram (self, now, get_age (real, datagram->timestamp), datagram);
  }
  g_mutex_unlock (&self->lock);
}

static gint
get_fd (GstLmccSrc *self, guint tag)
{
  switch (tag) {
    case GST_LMCC_SRC_TAG_CONTROL:
      return self->control_fd;
    case GST_LMCC_SRC_TAG_LEARNING:
      return self->learning_fd;
    default:
      return self->group_fds[tag - GST_LMCC_SRC_TAG_GROUPS];
  }
}

static void
fail (GstLmccSrc *self, const GError *error)
{
  gst_lmcc_io_detach (self->io);
  g_atomic_int_set (&self->running, FALSE);
  GST_ELEMENT_ERROR (self, RESOURCE, READ, ("%s", error->message), (NULL));
}

/* Returns: number of datagrams in the batch, or -1 */
static gint
read_socket (GstLmccSrc *self, GstLmccBatch *batch, guint tag, GError **error)
{
  guint batches;
  gint n = 0;

  for (batches = 0; batches < MAX_BATCHES; batches++) {
    n = gst_lmcc_batch_add (batch, get_fd (self, tag), tag, error);
    /* Reading an empty socket again would cost as much as reading the
     * packet. */
    if (n < 0 || !gst_lmcc_batch_is_full (batch))
      return n;
  }
  self->all_read = FALSE;
  return n;
}

static gint
read_all (GstLmccSrc *self, GstLmccBatch *batch, GError **error)
{
  guint tags[GST_LMCC_SRC_N_TAGS];
  guint i, n_tags;
  gint n = 0;

  n_tags = gst_lmcc_io_take_readable (self->io, tags, G_N_ELEMENTS (tags));
  for (i = 0; i < n_tags && n >= 0; i++) {
    if (tags[i] == GST_LMCC_SRC_TAG_HOST)
      self->host.readable = TRUE;
    else
      n = read_socket (self, batch, tags[i], error);
  }
  if (n_tags > 1)
    gst_lmcc_batch_sort (batch);
  return n;
}

/**
 * gst_lmcc_src_receive:
 * @self: the source
 *
 * Reads the packets of all sockets and passes them to the library in the order
 * of arrival. The order matters because packets of several groups may have
 * queued up for some milliseconds, and the result of a packet train depends on
 * it. If a socket cannot be read, the source stops with an error message.
 */
void
gst_lmcc_src_receive (GstLmccSrc *self)
{
  g_autoptr (GError) error = NULL;
  GstLmccBatch *batch = gst_lmcc_batch_of_thread ();
  gint n;

  self->all_read = TRUE;
  n = read_all (self, batch, &error);
  if (n > 0)
    handle_all (self, batch, (guint) n);
  else
    self->all_read = FALSE;
  gst_lmcc_batch_clear (batch);
  if (n < 0)
    fail (self, error);
}

static void
discard (gint fd)
{
  while (fd >= 0
      && gst_lmcc_batch_receive (gst_lmcc_batch_of_thread (), fd, NULL) > 0)
    ;
}

/**
 * gst_lmcc_src_discard:
 * @self: the source
 *
 * Drops the unread packets of all sockets.
 */
void
gst_lmcc_src_discard (GstLmccSrc *self)
{
  guint group;

  discard (self->control_fd);
  for (group = 0; group < LMCC_MAX_GROUPS; group++)
    discard (self->group_fds[group]);
}
