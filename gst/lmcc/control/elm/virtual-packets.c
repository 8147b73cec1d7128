/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/elm/virtual-packets.h"

/* Weight of each received packet in the mean size that lost packets are
 * assumed to have. */
#define MEAN_WEIGHT 0.1

/**
 * lmcc_virtual_packets_init:
 * @packets: (out): an empty mapping
 * @size: s_v, size of a virtual packet in bytes, including IP and UDP headers;
 *     0: packets are not converted
 *
 * The method of virtual packets (Colussi, "Equation-based Layered Multicast
 * Congestion Control", 2004, section 4.3.4). It makes flows with different
 * packet sizes comparable; it does not remove the effect of a loss-insensitive
 * period on flows with different rates.
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
 * @bytes: size of a received packet, including IP and UDP headers
 *
 * Returns: number of virtual packets that this packet completes
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
 * @count: number of lost packets; they are assumed to have the size of about
 *     the latest ten received ones
 *
 * Returns: number of virtual packets lost with them
 */
guint
lmcc_virtual_packets_lose (LmccVirtualPackets *packets, guint count)
{
  if (packets->size == 0)
    return count;
  packets->lost_rest += (guint64) (count * packets->mean + 0.5);

  return take_whole (packets, &packets->lost_rest);
}
