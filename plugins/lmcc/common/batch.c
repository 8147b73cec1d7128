/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Receives many packets with one system call. The kernel writes each packet
 * directly into the memory in which it is passed on. With UDP_GRO a datagram
 * may contain several consecutive packets of the same size. It is scattered
 * over several memories, each filled up to that size, which is guessed from the
 * latest datagram.
 */
#include "config.h"

#include "common/sockaddr.h"
#include "common/socket.h"

#include <plugins/common/messages.h>

#include <netinet/udp.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Datagrams per call of an I/O thread. */
#define THREAD_SIZE 32

/* Maximum number of packets that the kernel merges (UDP_GRO_CNT_MAX). Packets
 * from this host can be merged in larger numbers (UDP_MAX_SEGMENTS); the rest
 * is copied. */
#define MAX_DEPTH 64

/* Total number of memories of a call. The more memories a datagram needs, the
 * fewer datagrams a call receives. */
#define MAX_MEMORIES 512

/* Freed packets that are kept for the next calls. */
#define MAX_FREE 512

/* Packets have the capacity of the largest packet so far, which grows in these
 * steps. */
#define FIRST_CAPACITY 512
#define CAPACITY_GRAIN 64

/* Behind the memories there is room for the largest possible datagram, so that
 * unexpectedly large ones are not truncated. Unwritten pages take no memory. */
#define SPILL_SIZE 65536

/* A packet that uses less than half of its memory is copied into a smaller one,
 * because it may be buffered for seconds. */
#define LEAST_USE 2

typedef union
{
  struct cmsghdr align;
  guint8 bytes[CMSG_SPACE (sizeof (struct timespec))
      + CMSG_SPACE (sizeof (guint32)) + CMSG_SPACE (sizeof (gint))];
} ControlBuffer;

/**
 * GstLmccBatch:
 * @size: maximum number of datagrams per call
 * @depth: number of memories per datagram
 * @active: datagrams per call: @size, or fewer if @depth is large
 * @used: datagrams that the latest call has filled
 * @stride: bytes that are written into a memory
 * @capacity: size of a memory, at least @stride
 * @memories: @depth per datagram, %NULL if passed on
 * @vectors: @depth per datagram, plus its spill
 * @next_depth: value for the next call, as for the fields below
 *
 * Buffers for the datagrams of one system call.
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
 * Drops the datagrams that were not taken.
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

static void
lay_out_memory (GstLmccBatch *batch, guint message, guint k)
{
  LmccPacket **memory = &batch->memories[message * batch->depth + k];
  struct iovec *vector = &batch->vectors[message * (batch->depth + 1) + k];

  *memory = lmcc_packet_new_pooled (batch->pool, batch->capacity);
  vector->iov_base = (*memory)->data;
  vector->iov_len = batch->stride;
}

static void
lay_out_message (GstLmccBatch *batch, guint i)
{
  struct iovec *vectors = &batch->vectors[i * (batch->depth + 1)];
  struct msghdr *message = &batch->messages[i].msg_hdr;
  guint k;

  for (k = 0; k < batch->depth; k++)
    lay_out_memory (batch, i, k);
  vectors[k].iov_base = batch->spills + (gsize) i * SPILL_SIZE;
  vectors[k].iov_len = SPILL_SIZE;
  message->msg_name = &batch->names[i];
  message->msg_iov = vectors;
  message->msg_iovlen = batch->depth + 1;
  message->msg_control = &batch->controls[i];
}

/* Arranges the memories for datagrams like the latest ones. */
static void
lay_out (GstLmccBatch *batch)
{
  guint i;

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
  for (i = 0; i < batch->active; i++)
    lay_out_message (batch, i);
  batch->used = batch->active;
}

/* Not from the heap, because some allocators write to memory that they
 * return. */
static guint8 *
map_spills (guint size)
{
  gpointer spills =
      mmap (NULL, (gsize) size * SPILL_SIZE, PROT_READ | PROT_WRITE,
          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (spills == MAP_FAILED)
    g_error ("Out of memory for %u datagrams", size);
  return spills;
}

/**
 * gst_lmcc_batch_new:
 * @size: maximum number of datagrams per call, at least 1
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
 * The elements of an I/O thread run one after the other and can share one
 * batch. Datagrams that the previous element has left are dropped.
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
 * @i: index, below the return value of gst_lmcc_batch_add()
 *
 * Returns: (transfer none): the datagram, valid until the next call receives
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
 * Returns: whether the latest call filled all datagrams, so that more may wait
 */
gboolean
gst_lmcc_batch_is_full (const GstLmccBatch *batch)
{
  return batch->used == batch->active;
}

/* Replaces the memories that the previous datagram has used and that were
 * passed on. The others are not touched: most datagrams are smaller than the
 * largest one, which determines the depth, and looking at each memory would
 * take longer than receiving. */
static void
prepare_memories (GstLmccBatch *batch, guint message)
{
  gsize size = batch->messages[message].msg_len;
  guint k;

  for (k = 0; k < batch->depth && k * batch->stride < size; k++) {
    if (batch->memories[message * batch->depth + k] == NULL)
      lay_out_memory (batch, message, k);
  }
}

/* Only resets what the latest call has filled. */
static void
prepare (GstLmccBatch *batch)
{
  guint i;

  for (i = 0; i < batch->used; i++) {
    struct msghdr *message = &batch->messages[i].msg_hdr;

    prepare_memories (batch, i);
    message->msg_namelen = sizeof (batch->names[i]);
    message->msg_controllen = sizeof (batch->controls[i]);
    message->msg_flags = 0;
  }
}

/* Returns: the size of the packets that were merged into the datagram, or 0 for
 * a single packet. */
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

/* A packet that lies in a memory of its own is passed on without a copy. */
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

/* Sizes the next call for the datagrams of this one. */
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
 * @batch: a batch; datagrams are appended
 * @fd: from gst_lmcc_socket_open_receive()
 * @tag: tag of these datagrams
 * @error: (nullable): the error of @fd
 *
 * Receives the datagrams that wait in the socket, without blocking. Errors that
 * the network reports (ICMP) are ignored, because they do not concern the
 * socket.
 *
 * Packets that the kernel has merged are returned one by one, all with the
 * timestamp of the merged packet. The kernel only merges packets that it takes
 * from the network card in one go (NAPI), about 0.1 ms, or that the sender
 * handed over as one (UDP_SEGMENT). The measurement of packet trains tolerates
 * packets that arrive together every 5 ms.
 *
 * Returns: number of datagrams in @batch, or -1 if @fd cannot be used
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
    gst_lmcc_set_errno (error, errno, _ ("Cannot receive packets: %s"),
        g_strerror (errno));
    return -1;
  }
  for (i = 0; i < n; i++)
    take_datagram (batch, (guint) i, tag);
  return (gint) batch->datagrams->len;
}

/**
 * gst_lmcc_batch_receive:
 * @batch: a batch; datagrams that were not taken are dropped
 * @fd: as for gst_lmcc_batch_add()
 * @error: (nullable): the error of @fd
 *
 * Returns: number of datagrams, 0 for none, or -1 if @fd cannot be used
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
 * @batch: a batch with datagrams of several sockets
 *
 * Sorts the datagrams by the time at which the kernel received them. The sort
 * is stable.
 */
void
gst_lmcc_batch_sort (GstLmccBatch *batch)
{
  g_array_sort (batch->datagrams, compare_times);
}
