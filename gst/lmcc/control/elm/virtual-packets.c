/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/elm/virtual-packets.h"

/* What a lost packet's size is taken for follows the received ones so. */
#define MEAN_WEIGHT 0.1

/**
 * lmcc_virtual_packets_init:
 * @packets: (out): nothing mapped yet
 * @size: s_v, bytes of a virtual packet with IP and UDP headers; 0: packets are
 *     left as they are
 *
 * The method of virtual packets (Colussi, "Equation-based Layered Multicast
 * Congestion Control", 2004, section 4.3.4). It makes flows of different packet
 * sizes alike; it does not cure what a loss-insensitive period does to flows of
 * different rates.
 */
void
lmcc_virtual_packets_init (LmccVirtualPackets *packets, guint size)
{
  *packets = (LmccVirtualPackets){ .size = size };
}

static guint
take_whole (const LmccVirtualPackets *packets, guint64 *rest)
{
  guint64 count = *rest / packets->size;

  *rest %= packets->size;

  return (guint) MIN (count, G_MAXUINT);
}

/**
 * lmcc_virtual_packets_add:
 * @packets: a mapping
 * @bytes: size of a packet that came, with IP and UDP headers
 *
 * Returns: how many virtual packets became whole with it
 */
guint
lmcc_virtual_packets_add (LmccVirtualPackets *packets, gsize bytes)
{
  if (packets->size == 0)
    return 1;
  packets->mean +=
      packets->mean == 0 ? bytes : MEAN_WEIGHT * (bytes - packets->mean);
  packets->rest += bytes;

  return take_whole (packets, &packets->rest);
}

/**
 * lmcc_virtual_packets_lose:
 * @packets: a mapping
 * @count: packets that were lost; they are taken to be of the size of those
 *     that came, about the latest ten
 *
 * Returns: how many virtual packets were lost with them
 */
guint
lmcc_virtual_packets_lose (LmccVirtualPackets *packets, guint count)
{
  if (packets->size == 0)
    return count;
  packets->lost_rest += (guint64) (count * packets->mean + 0.5);

  return take_whole (packets, &packets->lost_rest);
}
