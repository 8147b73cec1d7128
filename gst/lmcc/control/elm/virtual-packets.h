/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_ELM_VIRTUAL_PACKETS_H
#define LMCC_CONTROL_ELM_VIRTUAL_PACKETS_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccVirtualPackets:
 * Maps packets of any size to virtual packets of one size, so that loss event rates of
 * small and large packets are comparable.
 */
typedef struct
{
  guint size;
  guint64 rest;
  guint64 lost_rest;
  gdouble mean;
} LmccVirtualPackets;

void lmcc_virtual_packets_init (LmccVirtualPackets *packets, guint size);
guint lmcc_virtual_packets_add (LmccVirtualPackets *packets, gsize bytes);
guint lmcc_virtual_packets_lose (LmccVirtualPackets *packets, guint count);

G_END_DECLS

#endif
