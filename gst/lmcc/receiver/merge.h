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

/* Packets that one layer may hold; what comes beyond pushes the oldest out. Half
 * of those whose order numbers can be told apart: 3 s of 50 Mbit/s. What they may
 * take together the receiver's budget of bytes says. */
#define LMCC_MERGE_MAX_QUEUE 16384

/**
 * LmccMergeItem:
 * @packet: (transfer full) (nullable): a media packet, or %NULL for a hole
 * @rtp: its parsed RTP header
 * @header: its element; for a hole only its table is set: by which the layer sent
 *     after it
 * @order: its order number, gone on beyond 2^16
 * @layer: the layer; for a hole the layer that lost something
 * @lost: for a hole: how many packets
 * @ended: for a hole: the layer was left and has no more packets; what is missing
 *     may lie in it
 * @table_changed: for a hole: the layer sent by another table before it
 *
 * What comes out of the merge, in OSN order. A hole comes before every packet that
 * may follow the lost one in OSN order.
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
 * Puts the media packets of all held layers back into the sender's decoding
 * order. Each layer's packets go in by its layer sequence; a packet comes out as
 * soon as every held layer has passed its order number, at the latest at its
 * deadline.
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
