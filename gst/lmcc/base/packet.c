/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/lmcc/lmcc-packet.h>

#include "base/memory.h"
#include "base/packet-pool.h"

#include <string.h>

/* Bytes by which a sender's RTP header exceeds the shortest one: the header
 * extension (RFC 8285 section 4.1) with both of the library's elements, each
 * of 16 bytes and an identifier byte, padded to 32 bits. */
#define HEADROOM (4 + (2 * 17 + 3) / 4 * 4)

static LmccPacket *
init_packet (LmccPacket *packet, gsize headroom, gsize capacity)
{
  packet->data = (guint8 *) (packet + 1) + headroom;
  packet->size = 0;
  packet->capacity = capacity;
  packet->rtp_header_size = 0;
  packet->rtp_padding = 0;
  packet->memory = NULL;
  packet->pool = NULL;
  g_atomic_ref_count_init (&packet->ref_count);

  return packet;
}

static LmccPacket *
new_packet (gsize headroom, gsize capacity)
{
  return init_packet (g_malloc (sizeof (LmccPacket) + headroom + capacity),
      headroom, capacity);
}

/**
 * lmcc_packet_new:
 * @capacity: capacity in bytes
 *
 * Creates a packet with @capacity bytes of room and none in use.
 *
 * Returns: (transfer full): an empty packet
 */
LmccPacket *
lmcc_packet_new (gsize capacity)
{
  return new_packet (0, capacity);
}

/**
 * lmcc_packet_new_for_sender:
 * @capacity: capacity in bytes
 *
 * As lmcc_packet_new(), for a payloader's packet: it has room for the sender's
 * header before the payload, so that the sender does not copy the payload. The
 * sender overwrites the packet's header if nobody else holds a reference.
 *
 * Returns: (transfer full): an empty packet
 */
LmccPacket *
lmcc_packet_new_for_sender (gsize capacity)
{
  return new_packet (HEADROOM, capacity);
}

/**
 * lmcc_packet_new_pooled:
 * @pool: pool that provides the memory and takes it back when the last
 *     reference is released
 * @capacity: capacity in bytes
 *
 * As lmcc_packet_new(). Memory with another capacity is not reused, so the
 * capacity should seldom change. A single thread may take packets from a pool;
 * any thread may release the last reference, even after the pool has been
 * freed.
 *
 * Returns: (transfer full): an empty packet
 */
LmccPacket *
lmcc_packet_new_pooled (LmccPacketPool *pool, gsize capacity)
{
  LmccPacket *packet = lmcc_packet_pool_take (pool, capacity);

  if (packet == NULL)
    packet = g_malloc (sizeof (LmccPacket) + capacity);
  init_packet (packet, 0, capacity);
  packet->pool = pool;

  return packet;
}

/**
 * lmcc_packet_new_copy:
 * @data: bytes to copy
 * @size: number of bytes
 *
 * Creates a packet from existing bytes.
 *
 * Returns: (transfer full): a packet with a copy of @data
 */
LmccPacket *
lmcc_packet_new_copy (const guint8 *data, gsize size)
{
  LmccPacket *packet = lmcc_packet_new (size);

  if (size > 0)
    memcpy (packet->data, data, size);
  packet->size = size;

  return packet;
}

/**
 * lmcc_packet_ref:
 * @packet: a packet
 *
 * Takes a reference. May be called from any thread.
 *
 * Returns: (transfer full): the same packet
 */
LmccPacket *
lmcc_packet_ref (LmccPacket *packet)
{
  g_atomic_ref_count_inc (&packet->ref_count);

  return packet;
}

/**
 * lmcc_packet_unref:
 * @packet: (transfer full) (nullable): a packet
 *
 * Releases a reference; the last one frees the packet. May be called from any
 * thread.
 */
void
lmcc_packet_unref (LmccPacket *packet)
{
  if (packet == NULL || !g_atomic_ref_count_dec (&packet->ref_count))
    return;
  lmcc_memory_release (packet);
  if (packet->pool != NULL)
    lmcc_packet_pool_put (packet->pool, packet);
  else
    g_free (packet);
}

/*
 * lmcc_packet_take_counted:
 * @packet: (transfer full): a packet
 * @memory: the counter that is to count it
 *
 * If another counter counts the packet, because several receivers share it, a
 * copy is made.
 *
 * Returns: (transfer full): the packet, or a copy of it
 */
LmccPacket *
lmcc_packet_take_counted (LmccPacket *packet, LmccMemory *memory)
{
  LmccPacket *copy;

  if (lmcc_memory_claim (memory, packet))
    return packet;
  copy = lmcc_packet_new_copy (packet->data, packet->size);
  lmcc_packet_unref (packet);
  lmcc_memory_claim (memory, copy);

  return copy;
}

/*
 * lmcc_packet_has_room:
 * @packet: a packet
 * @at: a position in it
 * @size: number of bytes before @at
 *
 * Returns: whether these bytes may be written: they belong to the packet,
 * and nobody else holds it
 */
gboolean
lmcc_packet_has_room (LmccPacket *packet, const guint8 *at, gsize size)
{
  return (gsize) (at - (const guint8 *) (packet + 1)) >= size
      && g_atomic_ref_count_compare (&packet->ref_count, 1);
}

/*
 * lmcc_packet_begin_at:
 * @packet: a packet that nobody else holds
 * @at: a position in it, which becomes its first byte
 * @size: number of used bytes from there on
 *
 * Afterwards no counter counts the packet, and no parsed properties are
 * stored with it.
 */
void
lmcc_packet_begin_at (LmccPacket *packet, const guint8 *at, gsize size)
{
  lmcc_memory_release (packet);
  packet->capacity = (gsize) (packet->data + packet->capacity - at);
  packet->data = (guint8 *) at;
  packet->size = size;
  packet->rtp_header_size = 0;
  packet->rtp_padding = 0;
}
