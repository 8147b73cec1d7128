/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SLOTS_SLOT_GAPS_H
#define LMCC_CONTROL_SLOTS_SLOT_GAPS_H

#include "measure/loss.h"
#include "wire/layer-header.h"

G_BEGIN_DECLS

/* Greatest number of gaps of one layer that are remembered until their packets have
 * arrived or been lost. A layer with more gaps loses so much that further ones make no
 * difference. */
#define LMCC_SLOT_MAX_GAPS 8

/* Packets missing between two that arrived. */
typedef struct
{
  guint16 first; /* layer sequence number */
  guint16 last;
  guint open;      /* number of packets neither received nor lost */
  LmccTime before; /* arrivals of the neighbours */
  LmccTime after;
  guint64 slot_before;
  guint64 slot_after;
  gboolean burst;
} LmccSlotGap;

/* Received packets of one layer, as far as they matter for slots and bursts. */
typedef struct
{
  gboolean heard;
  guint16 highest;  /* layer sequence number */
  LmccTime arrival; /* of that packet */
  guint64 slot;
  gboolean burst;
  LmccTime waits_until; /* a packet ahead is on probation, or 0 */
  LmccSlotGap gaps[LMCC_SLOT_MAX_GAPS];
  guint n_gaps;
} LmccSlotGaps;

void lmcc_slot_gaps_reset (LmccSlotGaps *layer);
void lmcc_slot_gaps_expect (LmccSlotGaps *layer, guint16 lsn, LmccTime since,
    guint64 slot);
void lmcc_slot_gaps_packet (LmccSlotGaps *layer, LmccTime arrival,
    const LmccHeader *header, guint64 slot);
gboolean lmcc_slot_gaps_loss (LmccSlotGaps *layer, const LmccLoss *loss,
    LmccSlotGap *gap);
LmccTime lmcc_slot_gap_get_begin (const LmccSlotGap *gap);
guint lmcc_slot_gaps_missing (const LmccSlotGaps *layer, LmccTime until);

G_END_DECLS

#endif
