/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_PACING_STEP_H
#define LMCC_SENDER_PACING_STEP_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccPacketCount:
 * @interval: number of the latest interval in which a packet was sent
 * @n: packets sent in it
 * @n_before: packets sent in the previous interval
 *
 * Counts sent packets in consecutive intervals of equal length.
 */
typedef struct
{
  guint64 interval;
  guint n;
  guint n_before;
} LmccPacketCount;

void lmcc_packet_count_add (LmccPacketCount *count, LmccTime now);
LmccTime lmcc_pacing_step (const LmccPacketCount *count, LmccTime now,
    guint max_burst, gboolean exact);

G_END_DECLS

#endif
