/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/lmcc/lmcc-packet.h>

#include "base/memory.h"

#include <string.h>

/**
 * lmcc_packet_new:
 * @capacity: bytes to make room for
 *
 * Returns: (transfer full): an empty packet
 */
LmccPacket *
lmcc_packet_new (gsize capacity)
{
  LmccPacket *packet = g_malloc (sizeof (LmccPacket) + capacity);

  packet->data = (guint8 *) (packet + 1);
  packet->size = 0;
  packet->capacity = capacity;
  packet->rtp_header_size = 0;
  packet->rtp_padding = 0;
  packet->memory = NULL;
  g_atomic_ref_count_init (&packet->ref_count);

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
lmcc_packet_new_copy (const guint8 * data, gsize size)
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
lmcc_packet_ref (LmccPacket * packet)
{
  g_atomic_ref_count_inc (&packet->ref_count);

  return packet;
}

/**
 * lmcc_packet_unref:
 * @packet: (transfer full): a packet
 */
void
lmcc_packet_unref (LmccPacket * packet)
{
  if (!g_atomic_ref_count_dec (&packet->ref_count))
    return;
  lmcc_memory_release (packet);
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
lmcc_packet_take_counted (LmccPacket * packet, LmccMemory * memory)
{
  LmccPacket *copy;

  if (lmcc_memory_claim (memory, packet))
    return packet;
  copy = lmcc_packet_new_copy (packet->data, packet->size);
  lmcc_packet_unref (packet);
  lmcc_memory_claim (memory, copy);

  return copy;
}
