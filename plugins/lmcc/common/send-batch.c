/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Packets that leave together, in as few system calls as the kernel allows.
 * Packets of one destination and size that follow each other are one
 * super-packet, which the kernel or the interface cuts (UDP_SEGMENT, udp(7));
 * all others have one call (sendmmsg(2)). The kernel copies the packets from
 * where they were built.
 */
#include "config.h"

#include "common/send-batch.h"

#include "common/sockaddr.h"
#include "common/socket.h"

#include <netinet/udp.h>
#include <string.h>

/* Linux 4.18 (linux/udp.h); the C library's header has it since 2.28. */
#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

/* What an IPv4 packet of 65,535 bytes has room for. */
#define LARGEST_PAYLOAD 65507

/* An address as the kernel takes it, in little room. */
typedef struct
{
  union
  {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
  } address;
  socklen_t size; /* 0: there is none */
} Name;

typedef union
{
  struct cmsghdr align;
  guint8 bytes[CMSG_SPACE (sizeof (guint16))];
} SegmentControl;

/**
 * GstLmccSendBatch:
 * Packets that wait to be sent, and room for the calls that send them.
 */
struct _GstLmccSendBatch
{
  Name *names;
  guint n_names;
  GstLmccSentFunc sent;
  gpointer user_data;
  gboolean segments;
  gboolean waited; /* for room in the send buffer, since the batch was full */

  guint n;
  LmccPacket *packets[GST_LMCC_SEND_BATCH_SIZE];
  guint destinations[GST_LMCC_SEND_BATCH_SIZE];

  /* Message i has the packets from firsts[i] to before firsts[i + 1]. */
  guint n_messages;
  guint firsts[GST_LMCC_SEND_BATCH_SIZE + 1];
  struct mmsghdr messages[GST_LMCC_SEND_BATCH_SIZE];
  struct iovec vectors[GST_LMCC_SEND_BATCH_SIZE];
  SegmentControl controls[GST_LMCC_SEND_BATCH_SIZE];
};

/**
 * gst_lmcc_send_batch_new:
 * @n_destinations: how many there are
 * @sent: called for each packet when it was sent, or could not be
 * @user_data: for @sent
 *
 * Returns: (transfer full): an empty batch, which sends each packet singly
 */
GstLmccSendBatch *
gst_lmcc_send_batch_new (guint n_destinations, GstLmccSentFunc sent,
    gpointer user_data)
{
  GstLmccSendBatch *batch = g_new0 (GstLmccSendBatch, 1);

  batch->names = g_new0 (Name, n_destinations);
  batch->n_names = n_destinations;
  batch->sent = sent;
  batch->user_data = user_data;
  return batch;
}

/**
 * gst_lmcc_send_batch_free:
 * @batch: (transfer full): a batch; packets in it are not sent
 */
void
gst_lmcc_send_batch_free (GstLmccSendBatch *batch)
{
  guint i;

  for (i = 0; i < batch->n; i++)
    lmcc_packet_unref (batch->packets[i]);
  g_free (batch->names);
  g_free (batch);
}

/**
 * gst_lmcc_send_batch_set_destination:
 * @batch: a batch
 * @destination: below the number of destinations
 * @address: where its packets go
 * @port: where its packets go
 * @scope: index of the interface, for addresses that are link-local
 */
void
gst_lmcc_send_batch_set_destination (GstLmccSendBatch *batch, guint destination,
    const LmccAddress *address, guint16 port, guint scope)
{
  Name *name = &batch->names[destination];
  GstLmccSockaddr system;

  g_return_if_fail (destination < batch->n_names);
  name->size = gst_lmcc_sockaddr_set (address, port, scope, &system);
  memcpy (&name->address, &system, MIN (name->size, sizeof (name->address)));
}

/**
 * gst_lmcc_send_batch_set_segmentation:
 * @batch: a batch
 * @fd: the socket that it is sent by
 * @wanted: whether super-packets are to be made
 *
 * Returns: whether they are, which the kernel may not know of
 */
gboolean
gst_lmcc_send_batch_set_segmentation (GstLmccSendBatch *batch, gint fd,
    gboolean wanted)
{
  const gint none = 0;

  /* A kernel without it would take the control message as none, and send all
   * as one packet. */
  batch->segments = wanted
      && setsockopt (fd, IPPROTO_UDP, UDP_SEGMENT, &none, sizeof (none)) == 0;
  return batch->segments;
}

/**
 * gst_lmcc_send_batch_segments:
 * @batch: a batch
 *
 * Returns: whether super-packets are made: not any more after the kernel or the
 *     interface has refused one
 */
gboolean
gst_lmcc_send_batch_segments (const GstLmccSendBatch *batch)
{
  return batch->segments;
}

/* Building messages */

/* Packets from @first on that are one message. All of a super-packet have the
 * size of the first one; the last may be smaller. */
static guint
count_segments (const GstLmccSendBatch *batch, guint first)
{
  gsize size = batch->packets[first]->size, total = size;
  guint n = 1;

  if (!batch->segments || size == 0)
    return 1;
  for (; first + n < batch->n; n++) {
    gsize next = batch->packets[first + n]->size;

    if (batch->destinations[first + n] != batch->destinations[first]
        || next > size || next == 0 || total + next > LARGEST_PAYLOAD)
      break;
    total += next;
    if (next < size)
      return n + 1;
  }
  return n;
}

static void
set_segment_size (struct msghdr *message, SegmentControl *control, gsize size)
{
  guint16 segment = (guint16) size;
  struct cmsghdr *header;

  message->msg_control = control;
  message->msg_controllen = sizeof (*control);
  header = CMSG_FIRSTHDR (message);
  header->cmsg_level = IPPROTO_UDP;
  header->cmsg_type = UDP_SEGMENT;
  header->cmsg_len = CMSG_LEN (sizeof (segment));
  memcpy (CMSG_DATA (header), &segment, sizeof (segment));
}

static void
build_message (GstLmccSendBatch *batch, guint which, guint first, guint n)
{
  struct msghdr *message = &batch->messages[which].msg_hdr;
  Name *name = &batch->names[batch->destinations[first]];
  guint i;

  for (i = first; i < first + n; i++) {
    batch->vectors[i].iov_base = batch->packets[i]->data;
    batch->vectors[i].iov_len = batch->packets[i]->size;
  }
  memset (message, 0, sizeof (*message));
  message->msg_name = &name->address;
  message->msg_namelen = name->size;
  message->msg_iov = &batch->vectors[first];
  message->msg_iovlen = n;
  if (n > 1)
    set_segment_size (message, &batch->controls[which],
        batch->packets[first]->size);
  batch->firsts[which] = first;
}

/* Of all packets from @first on. */
static void
build_messages (GstLmccSendBatch *batch, guint first)
{
  guint n;

  batch->n_messages = 0;
  for (; first < batch->n; first += n) {
    n = count_segments (batch, first);
    build_message (batch, batch->n_messages++, first, n);
  }
  batch->firsts[batch->n_messages] = first;
}

/* Sending them */

static void
tell (GstLmccSendBatch *batch, guint message, gint code)
{
  guint i;

  for (i = batch->firsts[message]; i < batch->firsts[message + 1]; i++)
    batch->sent (batch->destinations[i], code, batch->user_data);
}

/* One wait for all packets of a batch: each might wait in vain. */
static gboolean
may_send_again (GstLmccSendBatch *batch, gint fd, gint code)
{
  gboolean wait = !batch->waited;

  batch->waited = batch->waited || code == EAGAIN;
  return gst_lmcc_socket_may_send_again (fd, code, wait);
}

/* Returns how many messages from @first on were sent, or the negative errno of
 * the first one. */
static gint
send_messages (GstLmccSendBatch *batch, gint fd, guint first)
{
  guint tries;
  gint code = 0;

  if (batch->messages[first].msg_hdr.msg_namelen == 0)
    return -EADDRNOTAVAIL;
  for (tries = 0; tries < 2; tries++) {
    gint n = sendmmsg (fd, &batch->messages[first], batch->n_messages - first,
        MSG_NOSIGNAL);

    if (n > 0)
      return n;
    code = errno;
    if (!may_send_again (batch, fd, code))
      break;
  }
  return -code;
}

/* What the kernel says to a super-packet that it cannot cut, or the interface
 * cannot send: udp_send_skb() in net/ipv4/udp.c. */
static gboolean
is_refusal (gint code)
{
  return code == EINVAL || code == EIO || code == EMSGSIZE
      || code == EOPNOTSUPP;
}

/* A super-packet was refused: no more of them, unless single packets are
 * refused as well. */
static void
send_singly (GstLmccSendBatch *batch, gint fd, guint first)
{
  gint n;

  batch->segments = FALSE;
  build_messages (batch, first);
  batch->n_messages = 1;
  n = send_messages (batch, fd, 0);
  tell (batch, 0, n < 0 ? -n : 0);
  batch->segments = n < 0;
  build_messages (batch, first + 1);
}

/**
 * gst_lmcc_send_batch_flush:
 * @batch: a batch; empty afterwards
 * @fd: from gst_lmcc_socket_open_send()
 *
 * Sends the packets, in the order in which they were added. An error of one
 * does not stop the others, nor does one that is pending from an earlier
 * packet. A full send buffer is waited for once, shortly.
 */
void
gst_lmcc_send_batch_flush (GstLmccSendBatch *batch, gint fd)
{
  guint i = 0;

  batch->waited = FALSE;
  build_messages (batch, 0);
  while (i < batch->n_messages) {
    gint n = send_messages (batch, fd, i);
    guint n_packets = batch->firsts[i + 1] - batch->firsts[i], end;

    if (n < 0 && n_packets > 1 && is_refusal (-n)) {
      send_singly (batch, fd, batch->firsts[i]);
      i = 0;
      continue;
    }
    for (end = i + (guint) MAX (n, 1); i < end; i++)
      tell (batch, i, n < 0 ? -n : 0);
  }
  for (i = 0; i < batch->n; i++)
    lmcc_packet_unref (batch->packets[i]);
  batch->n = 0;
}

/**
 * gst_lmcc_send_batch_add:
 * @batch: a batch, which is flushed where it is full
 * @fd: the socket for that
 * @destination: where the packet goes, below the number of destinations
 * @packet: (transfer full): a packet
 */
void
gst_lmcc_send_batch_add (GstLmccSendBatch *batch, gint fd, guint destination,
    LmccPacket *packet)
{
  g_return_if_fail (destination < batch->n_names);

  if (batch->n == GST_LMCC_SEND_BATCH_SIZE)
    gst_lmcc_send_batch_flush (batch, fd);
  batch->packets[batch->n] = packet;
  batch->destinations[batch->n] = destination;
  batch->n++;
}
