/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What one system call receives. */
#include "config.h"

#include "common/sockaddr.h"
#include "common/socket.h"

#include <string.h>
#include <time.h>

typedef union
{
  struct cmsghdr align;
  guint8 bytes[CMSG_SPACE (sizeof (struct timespec))
      + CMSG_SPACE (sizeof (guint32))];
} ControlBuffer;

/**
 * GstLmccBatch:
 * Room for what one system call receives.
 */
struct _GstLmccBatch
{
  guint size;
  GstLmccDatagram *datagrams;
  guint8 *bytes;
  struct mmsghdr *messages;
  struct iovec *vectors;
  GstLmccSockaddr *names;
  ControlBuffer *controls;
};

/**
 * gst_lmcc_batch_new:
 * @size: most datagrams of one call, at least 1
 *
 * Returns: (transfer full): a batch
 */
GstLmccBatch *
gst_lmcc_batch_new (guint size)
{
  GstLmccBatch *batch = g_new0 (GstLmccBatch, 1);
  guint i;

  batch->size = size;
  batch->datagrams = g_new0 (GstLmccDatagram, size);
  batch->bytes = g_malloc ((gsize) size * LMCC_MAX_PACKET_SIZE);
  batch->messages = g_new0 (struct mmsghdr, size);
  batch->vectors = g_new0 (struct iovec, size);
  batch->names = g_new0 (GstLmccSockaddr, size);
  batch->controls = g_new0 (ControlBuffer, size);
  for (i = 0; i < size; i++) {
    batch->vectors[i].iov_base =
        batch->bytes + (gsize) i * LMCC_MAX_PACKET_SIZE;
    batch->vectors[i].iov_len = LMCC_MAX_PACKET_SIZE;
  }
  return batch;
}

static void
clear_datagrams (GstLmccBatch *batch)
{
  guint i;

  for (i = 0; i < batch->size; i++)
    g_clear_pointer (&batch->datagrams[i].packet, lmcc_packet_unref);
}

/**
 * gst_lmcc_batch_free:
 * @batch: (transfer full): a batch
 */
void
gst_lmcc_batch_free (GstLmccBatch *batch)
{
  clear_datagrams (batch);
  g_free (batch->datagrams);
  g_free (batch->bytes);
  g_free (batch->messages);
  g_free (batch->vectors);
  g_free (batch->names);
  g_free (batch->controls);
  g_free (batch);
}

/**
 * gst_lmcc_batch_get:
 * @batch: a batch
 * @i: below what gst_lmcc_batch_receive() returned
 *
 * Returns: (transfer none): the datagram, valid until the next receive
 */
GstLmccDatagram *
gst_lmcc_batch_get (GstLmccBatch *batch, guint i)
{
  g_return_val_if_fail (i < batch->size, NULL);
  return &batch->datagrams[i];
}

static void
read_control (struct msghdr *message, GstLmccDatagram *datagram)
{
  struct cmsghdr *control;

  datagram->timestamp = 0;
  datagram->overflows = 0;
  for (control = CMSG_FIRSTHDR (message); control;
       control = CMSG_NXTHDR (message, control)) {
    if (control->cmsg_level != SOL_SOCKET)
      continue;
    if (control->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec when;

      memcpy (&when, CMSG_DATA (control), sizeof (when));
      datagram->timestamp =
          (guint64) when.tv_sec * LMCC_SECOND + (guint64) when.tv_nsec;
    } else if (control->cmsg_type == SO_RXQ_OVFL) {
      memcpy (&datagram->overflows, CMSG_DATA (control), sizeof (guint32));
    }
  }
}

/**
 * gst_lmcc_batch_receive:
 * @batch: where the datagrams go; earlier ones that nobody took are dropped
 * @fd: from gst_lmcc_socket_open_receive()
 * @error: (nullable): what is wrong with @fd
 *
 * Takes what waits in the socket, without waiting itself. Errors that the
 * network reports (ICMP) are not the socket's and are passed over.
 *
 * Returns: how many datagrams, 0 for none now, or -1 where @fd is of no use
 */
gint
gst_lmcc_batch_receive (GstLmccBatch *batch, gint fd, GError **error)
{
  gint n, i;

  clear_datagrams (batch);
  for (i = 0; i < (gint) batch->size; i++) {
    struct msghdr *message = &batch->messages[i].msg_hdr;

    message->msg_name = &batch->names[i];
    message->msg_namelen = sizeof (batch->names[i]);
    message->msg_iov = &batch->vectors[i];
    message->msg_iovlen = 1;
    message->msg_control = &batch->controls[i];
    message->msg_controllen = sizeof (batch->controls[i]);
    message->msg_flags = 0;
  }
  n = recvmmsg (fd, batch->messages, batch->size, MSG_DONTWAIT, NULL);
  if (n < 0 && gst_lmcc_errno_is_transient (errno))
    return 0;
  if (n < 0) {
    gst_lmcc_set_errno (error, errno, "Could not receive: %s",
        g_strerror (errno));
    return -1;
  }
  for (i = 0; i < n; i++) {
    struct msghdr *message = &batch->messages[i].msg_hdr;
    GstLmccDatagram *datagram = &batch->datagrams[i];

    datagram->packet = lmcc_packet_new_copy (batch->vectors[i].iov_base,
        batch->messages[i].msg_len);
    gst_lmcc_sockaddr_get (&batch->names[i].any, &datagram->source,
        &datagram->source_port);
    datagram->truncated = (message->msg_flags & MSG_TRUNC) != 0;
    read_control (message, datagram);
  }
  return n;
}
