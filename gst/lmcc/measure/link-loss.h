/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_LINK_LOSS_H
#define LMCC_MEASURE_LINK_LOSS_H

#include <gst/lmcc/lmcc-packet.h>
#include "wire/rtcp.h"

G_BEGIN_DECLS

/* Packets and losses are judged together in slots of this length, this long after they
 * arrived: by then every loss is known. */
#define LMCC_LINK_LOSS_SLOT (50 * LMCC_MSECOND)
#define LMCC_LINK_LOSS_SLOTS 64

/* Seconds that are remembered, and that a report covers. */
#define LMCC_LINK_LOSS_SECONDS 30

/**
 * LmccLinkLossSlot:
 * @packets: packets that arrived
 * @lost: packets that were lost
 * @runs: runs of consecutive packets among these
 * @delays: sum of the packets' delays, in ns
 * @excluded: the slot does not count
 */
typedef struct
{
  guint packets;
  guint lost;
  guint runs;
  gint64 delays;
  gboolean excluded;
} LmccLinkLossSlot;

/**
 * LmccLinkLossSecond:
 * @packets: arrived packets of the slots that count
 * @lost: their lost packets
 * @runs: their runs
 * @shortest: the shortest mean delay of a slot, in ns
 * @longest: the longest one; below @shortest if there is none
 */
typedef struct
{
  guint packets;
  guint lost;
  guint runs;
  gint64 shortest;
  gint64 longest;
} LmccLinkLossSecond;

/**
 * LmccLinkLoss:
 * @begun: a packet has arrived
 * @offset: delay of the first packet, NTP short format
 * @latest: delay of the latest packet beyond that, in ns
 * @first: number of the oldest slot that is not judged yet
 * @slots: slots from @first on, by number
 * @seconds: the latest seconds, by number
 * @second: number of the latest second
 * @recent: the latest known mean delay of a slot
 *
 * The packet loss of a receiver's links without losses in a long queue: losses in a queue
 * that is much longer than usual do not count, nor does anything near a packet train or a
 * change of the level.
 */
typedef struct
{
  gboolean begun;
  guint32 offset;
  gint64 latest;
  guint64 first;
  LmccLinkLossSlot slots[LMCC_LINK_LOSS_SLOTS];
  LmccLinkLossSecond seconds[LMCC_LINK_LOSS_SECONDS];
  guint64 second;
  gint64 recent;
} LmccLinkLoss;

void lmcc_link_loss_init (LmccLinkLoss *link);
void lmcc_link_loss_packet (LmccLinkLoss *link, LmccTime arrival,
    guint32 send_time, gboolean train);
void lmcc_link_loss_lose (LmccLinkLoss *link, const LmccLoss *loss);
void
lmcc_link_loss_find (LmccLinkLoss *link, const LmccLoss *loss, gint n_runs);
void lmcc_link_loss_disturb (LmccLinkLoss *link, LmccTime now);
gboolean
lmcc_link_loss_get (LmccLinkLoss *link, LmccTime now, LmccLossReport *report);

G_END_DECLS

#endif
