/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_MERGE_H
#define LMCC_RECEIVER_MERGE_H

#include "base/discard.h"
#include "wire/layer-header.h"
#include "wire/levels.h"
#include "wire/rtp.h"

G_BEGIN_DECLS

/* Greatest number of waiting packets per layer; further packets push out the oldest.
 * It is half of the range of order numbers: 3 s at 50 Mbit/s. The receiver's memory
 * limit applies to all layers together. */
#define LMCC_MERGE_MAX_QUEUE 16384

/**
 * LmccMergeItem:
 * @packet: (transfer full) (nullable): a media packet, or %NULL for a hole
 * @rtp: its parsed RTP header
 * @header: its header element; for a hole only the table is set, to the one that the
 *     layer used after the hole
 * @order: its order number, extended beyond 2^16
 * @layer: the packet's layer, or the layer with the hole
 * @lost: number of lost packets in a hole
 * @ended: for a hole: the layer was left and has no more packets; missing numbers may
 *     belong to it
 * @table_changed: for a hole: the layer used another table before it
 *
 * Output of the merge, in OSN order. A hole precedes every packet that may follow the
 * lost ones in OSN order.
 */
typedef struct
{
  LmccPacket *packet;
  LmccRtp rtp;
  LmccHeader header;
  gint64 order;
  guint layer;
  guint lost;
  gboolean ended;
  gboolean table_changed;
} LmccMergeItem;

/**
 * LmccMerge:
 * Restores the sender's decoding order for the media packets of all joined layers. Each
 * layer's packets are pushed in layer sequence order. A packet is output as soon as every
 * joined layer has passed its order number, at the latest at its deadline.
 */
typedef struct _LmccMerge LmccMerge;

LmccMerge *lmcc_merge_new (void);
void lmcc_merge_set_discard (LmccMerge *merge, LmccDiscard *discard);
void lmcc_merge_free (LmccMerge *merge);
void lmcc_merge_reset (LmccMerge *merge);
void lmcc_merge_push (LmccMerge *merge, LmccPacket *packet, const LmccRtp *rtp,
    const LmccHeader *header, gint64 order, LmccTime deadline,
    guint lost_before);
void lmcc_merge_drop_layers (LmccMerge *merge, LmccLayerSet kept);
void lmcc_merge_leave_layers (LmccMerge *merge, LmccLayerSet held);
gint lmcc_merge_get_highest (const LmccMerge *merge, LmccLayerSet layers);
gboolean lmcc_merge_pop (LmccMerge *merge, LmccTime now, LmccMergeItem *item);
LmccTime lmcc_merge_peek (const LmccMerge *merge, gint64 *order);
LmccTime lmcc_merge_next_timeout (const LmccMerge *merge);
guint64 lmcc_merge_get_late (const LmccMerge *merge);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccMerge, lmcc_merge_free)

G_END_DECLS

#endif
