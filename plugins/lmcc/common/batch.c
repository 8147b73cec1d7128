/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * What one system call receives. The kernel writes each packet into the memory
 * in which it is passed on. Where UDP_GRO is on, a datagram may be several
 * packets of one size in a row: it is scattered over memories, each filled up
 * to that size, which is the one that came last.
 */
#include "config.h"

#include "common/sockaddr.h"
#include "common/socket.h"

#include <netinet/udp.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Datagrams of a call by an I/O thread. */
#define THREAD_SIZE 32

/* Packets that the kernel puts together at most (UDP_GRO_CNT_MAX). A host may
 * send more of its own in one (UDP_MAX_SEGMENTS): the rest is copied. */
#define MAX_DEPTH 64

/* Memories of all datagrams of a call: where each has many, a call takes fewer
 * datagrams. */
#define MAX_MEMORIES 512

/* Freed packets that are kept for the next calls. */
#define MAX_FREE 512

/* The room of a packet: that of the largest one so far, in these steps. */
#define FIRST_CAPACITY 512
#define CAPACITY_GRAIN 64

/* Behind the memories there is room for the largest datagram: of what is larger
 * than expected nothing is lost. Pages that are not written take no memory. */
#define SPILL_SIZE 65536

/* A packet of which less than one half would be used is copied into memory of
 * its size, as it may wait there for seconds. */
#define LEAST_USE 2

typedef union
{
  struct cmsghdr align;
  guint8 bytes[CMSG_SPACE (sizeof (struct timespec))
      + CMSG_SPACE (sizeof (guint32)) + CMSG_SPACE (sizeof (gint))];
} ControlBuffer;

/**
 * GstLmccBatch:
 * @size: most datagrams of a call
 * @depth: memories of each
 * @active: datagrams of a call: @size, or fewer where @depth is large
 * @used: datagrams that the latest call filled
 * @stride: bytes that are written into a memory
 * @capacity: room of a memory, at least @stride
 * @memories: @depth of each datagram, %NULL where it was passed on
 * @vectors: @depth of each datagram, and its spill
 * @next_depth: of the next call; likewise the others
 *
 * Room for what one system call receives.
 */
struct _GstLmccBatch
{
  guint size;
  guint depth;
  guint active;
  guint used;
  gsize stride;
  gsize capacity;
  guint next_depth;
  gsize next_stride;
  gsize next_capacity;

  LmccPacketPool *pool;
  LmccPacket **memories;
  guint8 *spills;
  struct mmsghdr *messages;
  struct iovec *vectors;
  GstLmccSockaddr *names;
  ControlBuffer *controls;
  GArray *datagrams;
};

/**
 * gst_lmcc_batch_clear:
 * @batch: a batch
 *
 * Drops the datagrams that nobody took.
 */
void
gst_lmcc_batch_clear (GstLmccBatch *batch)
{
  guint i;

  for (i = 0; i < batch->datagrams->len; i++)
    g_clear_pointer (
        &g_array_index (batch->datagrams, GstLmccDatagram, i).packet,
        lmcc_packet_unref);
  g_array_set_size (batch->datagrams, 0);
}

static void
clear_memories (GstLmccBatch *batch)
{
  guint i;

  for (i = 0; i < batch->active * batch->depth; i++)
    g_clear_pointer (&batch->memories[i], lmcc_packet_unref);
}

/* Lays the memories out as the latest datagrams want it. */
static void
lay_out (GstLmccBatch *batch)
{
  clear_memories (batch);
  if (batch->depth != batch->next_depth) {
    batch->depth = batch->next_depth;
    batch->active = CLAMP (MAX_MEMORIES / batch->depth, 1, batch->size);
    g_free (batch->memories);
    g_free (batch->vectors);
    batch->memories = g_new0 (LmccPacket *, batch->active * batch->depth);
    batch->vectors = g_new0 (struct iovec, batch->active * (batch->depth + 1));
  }
  batch->stride = batch->next_stride;
  batch->capacity = batch->next_capacity;
  batch->used = batch->active;
}

/* Not of the heap, which may write what it gives. */
static guint8 *
map_spills (guint size)
{
  gpointer spills =
      mmap (NULL, (gsize) size * SPILL_SIZE, PROT_READ | PROT_WRITE,
          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (spills == MAP_FAILED)
    g_error ("No memory for %u datagrams", size);
  return spills;
}

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

  batch->size = size;
  batch->next_depth = 1;
  batch->next_stride = batch->next_capacity = FIRST_CAPACITY;
  batch->pool = lmcc_packet_pool_new (MAX_FREE);
  batch->spills = map_spills (size);
  batch->messages = g_new0 (struct mmsghdr, size);
  batch->names = g_new0 (GstLmccSockaddr, size);
  batch->controls = g_new0 (ControlBuffer, size);
  batch->datagrams = g_array_new (FALSE, TRUE, sizeof (GstLmccDatagram));
  lay_out (batch);
  return batch;
}

/**
 * gst_lmcc_batch_free:
 * @batch: (transfer full): a batch
 */
void
gst_lmcc_batch_free (GstLmccBatch *batch)
{
  gst_lmcc_batch_clear (batch);
  clear_memories (batch);
  lmcc_packet_pool_free (batch->pool);
  g_array_unref (batch->datagrams);
  g_free (batch->memories);
  munmap (batch->spills, (gsize) batch->size * SPILL_SIZE);
  g_free (batch->messages);
  g_free (batch->vectors);
  g_free (batch->names);
  g_free (batch->controls);
  g_free (batch);
}

/**
 * gst_lmcc_batch_of_thread:
 *
 * Elements of an I/O thread have their turns one after the other, and need no
 * room of their own. What the one before has left is dropped.
 *
 * Returns: (transfer none): the calling thread's batch, empty
 */
GstLmccBatch *
gst_lmcc_batch_of_thread (void)
{
  static GPrivate thread_batch =
      G_PRIVATE_INIT ((GDestroyNotify) gst_lmcc_batch_free);
  GstLmccBatch *batch = g_private_get (&thread_batch);

  if (batch == NULL) {
    batch = gst_lmcc_batch_new (THREAD_SIZE);
    g_private_set (&thread_batch, batch);
  }
  gst_lmcc_batch_clear (batch);
  return batch;
}

/**
 * gst_lmcc_batch_get:
 * @batch: a batch
 * @i: below what gst_lmcc_batch_add() returned
 *
 * Returns: (transfer none): the datagram, valid until more are received
 */
GstLmccDatagram *
gst_lmcc_batch_get (GstLmccBatch *batch, guint i)
{
  g_return_val_if_fail (i < batch->datagrams->len, NULL);
  return &g_array_index (batch->datagrams, GstLmccDatagram, i);
}

/**
 * gst_lmcc_batch_is_full:
 * @batch: a batch
 *
 * Returns: whether the latest call received as much as it had room for, so that
 *     more may wait
 */
gboolean
gst_lmcc_batch_is_full (const GstLmccBatch *batch)
{
  return batch->used == batch->active;
}

/* Only what the latest call has filled is made ready again. */
static void
prepare (GstLmccBatch *batch)
{
  guint i, k;

  for (i = 0; i < batch->used; i++) {
    LmccPacket **memories = &batch->memories[i * batch->depth];
    struct iovec *vectors = &batch->vectors[i * (batch->depth + 1)];
    struct msghdr *message = &batch->messages[i].msg_hdr;

    for (k = 0; k < batch->depth; k++) {
      if (memories[k] == NULL)
        memories[k] = lmcc_packet_new_pooled (batch->pool, batch->capacity);
      vectors[k].iov_base = memories[k]->data;
      vectors[k].iov_len = batch->stride;
    }
    vectors[k].iov_base = batch->spills + (gsize) i * SPILL_SIZE;
    vectors[k].iov_len = SPILL_SIZE;
    message->msg_name = &batch->names[i];
    message->msg_namelen = sizeof (batch->names[i]);
    message->msg_iov = vectors;
    message->msg_iovlen = batch->depth + 1;
    message->msg_control = &batch->controls[i];
    message->msg_controllen = sizeof (batch->controls[i]);
    message->msg_flags = 0;
  }
}

/* Returns: the size of the packets of which the datagram is put together, or 0
 *     for one packet. */
static gsize
read_control (struct msghdr *message, GstLmccDatagram *datagram)
{
  struct cmsghdr *control;
  gint size = 0;

  for (control = CMSG_FIRSTHDR (message); control;
       control = CMSG_NXTHDR (message, control)) {
    if (control->cmsg_level == SOL_UDP && control->cmsg_type == UDP_GRO) {
      memcpy (&size, CMSG_DATA (control), sizeof (size));
    } else if (control->cmsg_level != SOL_SOCKET) {
      continue;
    } else if (control->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec when;

      memcpy (&when, CMSG_DATA (control), sizeof (when));
      datagram->timestamp =
          (guint64) when.tv_sec * LMCC_SECOND + (guint64) when.tv_nsec;
    } else if (control->cmsg_type == SO_RXQ_OVFL) {
      memcpy (&datagram->overflows, CMSG_DATA (control), sizeof (guint32));
    }
  }
  return (gsize) MAX (size, 0);
}

static void
copy_out (const GstLmccBatch *batch, guint message, gsize offset, gsize size,
    guint8 *data)
{
  const struct iovec *vector = &batch->vectors[message * (batch->depth + 1)];

  while (size > 0) {
    gsize n;

    if (offset >= vector->iov_len) {
      offset -= vector->iov_len;
      vector++;
      continue;
    }
    n = MIN (size, vector->iov_len - offset);
    memcpy (data, (const guint8 *) vector->iov_base + offset, n);
    data += n;
    size -= n;
    offset = 0;
    vector++;
  }
}

/* What lies in a memory as it is to be passed on is not copied. */
static LmccPacket *
take_packet (GstLmccBatch *batch, guint message, gsize offset, gsize size)
{
  gsize k = offset / batch->stride;
  LmccPacket *packet;

  if (offset % batch->stride == 0 && k < batch->depth && size <= batch->stride
      && size * LEAST_USE > batch->capacity) {
    packet = g_steal_pointer (&batch->memories[message * batch->depth + k]);
  } else {
    packet = lmcc_packet_new (size);
    copy_out (batch, message, offset, size, packet->data);
  }
  packet->size = size;
  return packet;
}

/* The next call has room for what came in this one. */
static void
learn (GstLmccBatch *batch, gsize packet_size, guint n_packets)
{
  gsize largest = MIN (packet_size, LMCC_MAX_PACKET_SIZE);

  if (largest > batch->next_capacity) {
    batch->next_capacity =
        (largest + CAPACITY_GRAIN - 1) / CAPACITY_GRAIN * CAPACITY_GRAIN;
    if (batch->next_depth == 1)
      batch->next_stride = batch->next_capacity;
  }
  if (n_packets > 1) {
    batch->next_stride = MAX (largest, 1);
    batch->next_depth = MAX (batch->next_depth, MIN (n_packets, MAX_DEPTH));
  }
}

static void
take_datagram (GstLmccBatch *batch, guint message, guint tag)
{
  struct msghdr *header = &batch->messages[message].msg_hdr;
  gsize size = batch->messages[message].msg_len;
  GstLmccDatagram datagram = { .tag = tag };
  gsize segment = read_control (header, &datagram);
  gsize offset = 0;

  if (segment == 0 || segment > size)
    segment = size;
  gst_lmcc_sockaddr_get (&batch->names[message].any, &datagram.source,
      &datagram.source_port);
  datagram.truncated =
      segment > LMCC_MAX_PACKET_SIZE || (header->msg_flags & MSG_TRUNC) != 0;
  do {
    gsize length = MIN (segment, size - offset);

    datagram.packet = take_packet (batch, message, offset,
        MIN (length, LMCC_MAX_PACKET_SIZE));
    g_array_append_val (batch->datagrams, datagram);
    offset += length;
  } while (offset < size);
  learn (batch, segment, segment > 0 ? (guint) ((size - 1) / segment + 1) : 1);
}

/**
 * gst_lmcc_batch_add:
 * @batch: where the datagrams go, behind those that are there
 * @fd: from gst_lmcc_socket_open_receive()
 * @tag: that they get
 * @error: (nullable): what is wrong with @fd
 *
 * Takes what waits in the socket, without waiting itself. Errors that the
 * network reports (ICMP) are not the socket's and are passed over.
 *
 * Packets that the kernel has put together come one by one, all with the time
 * at which it passed them on as one. It only puts together what it takes from
 * the network card in one go (NAPI), which is some 0.1 ms, or what the sender
 * handed over as one (UDP_SEGMENT). What measures trains bears packets that
 * come together each 5 ms.
 *
 * Returns: how many datagrams there are now, or -1 where @fd is of no use
 */
gint
gst_lmcc_batch_add (GstLmccBatch *batch, gint fd, guint tag, GError **error)
{
  gint n, i;

  if (batch->next_depth != batch->depth || batch->next_stride != batch->stride
      || batch->next_capacity != batch->capacity)
    lay_out (batch);
  prepare (batch);
  n = recvmmsg (fd, batch->messages, batch->active, MSG_DONTWAIT, NULL);
  batch->used = (guint) MAX (n, 0);
  if (n < 0 && gst_lmcc_errno_is_transient (errno))
    n = 0;
  if (n < 0) {
    gst_lmcc_set_errno (error, errno, "Could not receive: %s",
        g_strerror (errno));
    return -1;
  }
  for (i = 0; i < n; i++)
    take_datagram (batch, (guint) i, tag);
  return (gint) batch->datagrams->len;
}

/**
 * gst_lmcc_batch_receive:
 * @batch: where the datagrams go; earlier ones that nobody took are dropped
 * @fd: as for gst_lmcc_batch_add()
 * @error: (nullable): what is wrong with @fd
 *
 * Returns: how many datagrams, 0 for none now, or -1 where @fd is of no use
 */
gint
gst_lmcc_batch_receive (GstLmccBatch *batch, gint fd, GError **error)
{
  gst_lmcc_batch_clear (batch);
  return gst_lmcc_batch_add (batch, fd, 0, error);
}

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  const GstLmccDatagram *one = a, *other = b;

  return one->timestamp < other->timestamp ? -1
                                           : one->timestamp > other->timestamp;
}

/**
 * gst_lmcc_batch_sort:
 * @batch: a batch that was received from several sockets
 *
 * Puts the datagrams into the order in which the kernel got them. Those with
 * the same time stay in order.
 */
void
gst_lmcc_batch_sort (GstLmccBatch *batch)
{
  g_array_sort (batch->datagrams, compare_times);
}
