/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Sends packets that leave together with as few system calls as possible.
 * Consecutive packets with the same destination and size form a super-packet,
 * which the kernel or the network card splits (UDP_SEGMENT, udp(7)). One call
 * sends all messages (sendmmsg(2)). The kernel copies packets from the memory
 * in which they were built. Each packet can have a transmit time for the
 * interface's queueing discipline (SO_TXTIME).
 */
#include "config.h"

#include "common/send-batch.h"

#include "common/sockaddr.h"
#include "common/socket.h"

#include <linux/net_tstamp.h>
#include <netinet/udp.h>
#include <string.h>
#include <time.h>

/* Linux 4.18 (linux/udp.h); the C library's header has it since 2.28. */
#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

/* Linux 4.19 (asm-generic/socket.h); the C library's header has it since
 * 2.28. */
#ifndef SO_TXTIME
#define SO_TXTIME 61
#define SCM_TXTIME SO_TXTIME
#endif

/* Maximum UDP payload of an IPv4 packet of 65,535 bytes. */
#define LARGEST_PAYLOAD 65507

/* A socket address in less memory. */
typedef struct
{
  union
  {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
  } address;
  socklen_t size; /* 0: none */
} Name;

/* Control messages with the segment size and the transmit time. */
typedef union
{
  struct cmsghdr align;
  guint8 bytes[CMSG_SPACE (sizeof (guint16)) + CMSG_SPACE (sizeof (guint64))];
} Control;

/**
 * GstLmccSendBatch:
 *
 * Packets that wait to be sent, and buffers for the system calls.
 */
struct _GstLmccSendBatch
{
  Name *names;
  guint n_names;
  GstLmccSentFunc sent;
  gpointer user_data;
  gboolean segments;
  gboolean timed;
  gboolean waited; /* for room, since the batch was full */

  guint n;
  LmccPacket *packets[GST_LMCC_SEND_BATCH_SIZE];
  guint destinations[GST_LMCC_SEND_BATCH_SIZE];
  guint64 times[GST_LMCC_SEND_BATCH_SIZE]; /* 0: at once */

  /* Message i consists of the packets from firsts[i] to firsts[i + 1] - 1. */
  guint n_messages;
  guint firsts[GST_LMCC_SEND_BATCH_SIZE + 1];
  struct mmsghdr messages[GST_LMCC_SEND_BATCH_SIZE];
  struct iovec vectors[GST_LMCC_SEND_BATCH_SIZE];
  Control controls[GST_LMCC_SEND_BATCH_SIZE];
};

/**
 * gst_lmcc_send_batch_new:
 * @n_destinations: number of destinations
 * @sent: called for each packet after it was sent or has failed
 * @user_data: for @sent
 *
 * Returns: (transfer full): an empty batch that sends packets one by one
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
 * @destination: index, below the number of destinations
 * @address: address of its packets
 * @port: port of its packets
 * @scope: index of the interface, for link-local addresses
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
 * @fd: the socket to send with
 * @wanted: whether to use super-packets
 *
 * Returns: whether super-packets are used; the kernel may not support them
 */
gboolean
gst_lmcc_send_batch_set_segmentation (GstLmccSendBatch *batch, gint fd,
    gboolean wanted)
{
  const gint none = 0;

  /* An older kernel would ignore the control message and send all as one
   * packet. */
  batch->segments = wanted
      && setsockopt (fd, IPPROTO_UDP, UDP_SEGMENT, &none, sizeof (none)) == 0;
  return batch->segments;
}

/**
 * gst_lmcc_send_batch_segments:
 * @batch: a batch
 *
 * Returns: whether super-packets are used; %FALSE after the kernel or the
 * interface has refused one
 */
gboolean
gst_lmcc_send_batch_segments (const GstLmccSendBatch *batch)
{
  return batch->segments;
}

/**
 * gst_lmcc_send_batch_set_txtime:
 * @batch: a batch
 * @fd: the socket to send with
 * @wanted: whether packets have transmit times
 *
 * The kernel accepts transmit times even if the queueing discipline ignores
 * them.
 *
 * Returns: whether transmit times are used; if not although @wanted, errno is
 * set
 */
gboolean
gst_lmcc_send_batch_set_txtime (GstLmccSendBatch *batch, gint fd,
    gboolean wanted)
{
  const struct sock_txtime clock = { .clockid = CLOCK_MONOTONIC };

  batch->timed = wanted
      && setsockopt (fd, SOL_SOCKET, SO_TXTIME, &clock, sizeof (clock)) == 0;
  return batch->timed;
}

/**
 * gst_lmcc_send_batch_has_txtime:
 * @batch: a batch
 *
 * Returns: whether transmit times are used; %FALSE after the kernel has refused
 * one
 */
gboolean
gst_lmcc_send_batch_has_txtime (const GstLmccSendBatch *batch)
{
  return batch->timed;
}

/* Building messages */

/* Number of packets from @first on that form one message. All packets of a
 * super-packet have the time and the size of the first one; only the last may
 * be smaller. */
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
        || batch->times[first + n] != batch->times[first] || next > size
        || next == 0 || total + next > LARGEST_PAYLOAD)
      break;
    total += next;
    if (next < size)
      return n + 1;
  }
  return n;
}

static void
add_control (struct msghdr *message, Control *control, gint level, gint type,
    gconstpointer data, gsize size)
{
  struct cmsghdr *header =
      (struct cmsghdr *) (control->bytes + message->msg_controllen);

  message->msg_control = control;
  message->msg_controllen += CMSG_SPACE (size);
  header->cmsg_level = level;
  header->cmsg_type = type;
  header->cmsg_len = CMSG_LEN (size);
  memcpy (CMSG_DATA (header), data, size);
}

static void
build_message (GstLmccSendBatch *batch, guint which, guint first, guint n)
{
  struct msghdr *message = &batch->messages[which].msg_hdr;
  Name *name = &batch->names[batch->destinations[first]];
  guint16 size = (guint16) batch->packets[first]->size;
  guint64 time = batch->timed ? batch->times[first] : 0;
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
    add_control (message, &batch->controls[which], IPPROTO_UDP, UDP_SEGMENT,
        &size, sizeof (size));
  if (time > 0)
    add_control (message, &batch->controls[which], SOL_SOCKET, SCM_TXTIME,
        &time, sizeof (time));
  batch->firsts[which] = first;
}

/* Builds messages from all packets from @first on. */
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

/* Waits at most once for all packets of a batch, because each wait may be in
 * vain. */
static gboolean
may_send_again (GstLmccSendBatch *batch, gint fd, gint code)
{
  gboolean wait = !batch->waited;

  batch->waited = batch->waited || code == EAGAIN;
  return gst_lmcc_socket_may_send_again (fd, code, wait);
}

/* Returns the number of messages from @first on that were sent, or the negative
 * errno of the first one. */
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

/* Errors for a super-packet that the kernel cannot split or the interface
 * cannot send (udp_send_skb() in net/ipv4/udp.c), and for an unknown control
 * message (EINVAL). */
static gboolean
is_refusal (gint code)
{
  return code == EINVAL || code == EIO || code == EMSGSIZE
      || code == EOPNOTSUPP;
}

/* Sends the packets of the message that begins with @first. Returns 0 or the
 * negative errno. */
static gint
send_one (GstLmccSendBatch *batch, gint fd, guint first)
{
  build_messages (batch, first);
  batch->n_messages = 1;
  return MIN (send_messages (batch, fd, 0), 0);
}

/* Features that a message can be sent without. */
enum
{
  WITHOUT_SEGMENTS = 1 << 0,
  WITHOUT_TIME = 1 << 1,
  WITHOUT_BOTH = WITHOUT_SEGMENTS | WITHOUT_TIME,
};

/* The message @which was refused. Disables the features without which its first
 * packet can be sent, unless that fails as well. */
static void
send_plainly (GstLmccSendBatch *batch, gint fd, guint which)
{
  gboolean segments = batch->segments, timed = batch->timed;
  guint first = batch->firsts[which], without, possible = 0;
  gint code = -1;

  if (batch->firsts[which + 1] - first > 1)
    possible |= WITHOUT_SEGMENTS;
  if (timed && batch->times[first] > 0)
    possible |= WITHOUT_TIME;
  for (without = WITHOUT_SEGMENTS; without <= WITHOUT_BOTH && code < 0;
       without++) {
    if ((without & ~possible) != 0)
      continue;
    batch->segments = segments && (without & WITHOUT_SEGMENTS) == 0;
    batch->timed = timed && (without & WITHOUT_TIME) == 0;
    code = send_one (batch, fd, first);
  }
  tell (batch, 0, -code);
  if (code < 0) {
    batch->segments = segments;
    batch->timed = timed;
  }
  build_messages (batch, batch->firsts[1]);
}

/**
 * gst_lmcc_send_batch_flush:
 * @batch: a batch; empty afterwards
 * @fd: from gst_lmcc_socket_open_send()
 *
 * Sends the packets in the order in which they were added. An error of one
 * packet, or a pending error of an earlier one, does not stop the others. If
 * the send buffer is full, it waits once, for a short time.
 */
void
gst_lmcc_send_batch_flush (GstLmccSendBatch *batch, gint fd)
{
  guint i = 0;

  batch->waited = FALSE;
  build_messages (batch, 0);
  while (i < batch->n_messages) {
    gint n = send_messages (batch, fd, i);
    guint end;

    if (n < 0 && batch->messages[i].msg_hdr.msg_controllen > 0
        && is_refusal (-n)) {
      send_plainly (batch, fd, i);
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
 * @batch: a batch; it is flushed when it is full
 * @fd: the socket to flush with
 * @destination: destination of the packet, below the number of destinations
 * @packet: (transfer full): a packet
 * @time: transmit time, ns of CLOCK_MONOTONIC, or 0 for at once; ignored
 *     without gst_lmcc_send_batch_set_txtime()
 */
void
gst_lmcc_send_batch_add (GstLmccSendBatch *batch, gint fd, guint destination,
    LmccPacket *packet, guint64 time)
{
  g_return_if_fail (destination < batch->n_names);

  if (batch->n == GST_LMCC_SEND_BATCH_SIZE)
    gst_lmcc_send_batch_flush (batch, fd);
  batch->packets[batch->n] = packet;
  batch->destinations[batch->n] = destination;
  batch->times[batch->n] = time;
  batch->n++;
}
