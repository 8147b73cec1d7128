/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/lmcc/lmcc-packet.h>

#include "base/memory.h"
#include "base/packet-pool.h"

#include <string.h>

/* What a sender's RTP header has more than the shortest one: the header
 * extension (RFC 8285 section 4.1) with both of our elements, each of 16 bytes
 * and an identifier byte, to a 32-bit border. */
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
 * @capacity: bytes to make room for
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
 * @capacity: bytes to make room for
 *
 * As lmcc_packet_new(), for a payloader's packet: a sender has room for its own
 * header before the payload, and does not copy it. It writes over the packet's
 * header then, where nobody else holds a reference.
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
 * @pool: where its memory comes from, and goes when its last reference is gone
 * @capacity: bytes to make room for
 *
 * As lmcc_packet_new(). Memory of another capacity is not used again, so the
 * capacity should seldom change. One thread alone may take packets from a pool;
 * the last reference may go in any thread, and after the pool has been freed.
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
 * @size: how many
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
 * @memory: what it is to count for
 *
 * Of a packet that somebody else counts, as where several receivers are handed
 * the same, a copy is made.
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
 * @at: in it
 * @size: bytes before @at
 *
 * Returns: whether these may be written: they are the packet's, and nobody else
 *     holds it
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
 * @at: in it: its first byte from now on
 * @size: bytes in use from there on
 *
 * It counts for nobody then, and nothing is known of it.
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
