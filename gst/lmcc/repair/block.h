/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_BLOCK_H
#define LMCC_REPAIR_BLOCK_H

#include "repair/code.h"
#include "repair/decoder.h"
#include "repair/payload.h"
#include "repair/sources.h"

G_BEGIN_DECLS

/* A received repair packet of an incomplete block. */
typedef struct
{
  LmccPacket *packet; /* contains the symbol */
  const guint8 *symbol;
  guint8 index;
} LmccBlockRepair;

/**
 * LmccRepairBlock:
 * @key: source and first sequence number
 * @shape: parameters of the block, from its repair packets
 * @time: arrival time of the first of them
 * @n_missing: number of missing source packets
 * @repairs: array of #LmccBlockRepair
 * @carriers: layers that have repair packets of the block
 * @ended: those of @carriers that have sent all of them
 * @finished: the block is complete, or invalid
 */
typedef struct
{
  guint key;
  LmccRepairPayload shape;
  LmccTime time;
  guint n_missing;
  GArray *repairs;
  LmccLayerSet carriers;
  LmccLayerSet ended;
  gboolean finished;
} LmccRepairBlock;

/* Conditions for recovered packets, from the session. */
typedef struct
{
  guint32 ssrc_base;
  guint8 payload_type;
  guint8 header_id;
} LmccRepairPlace;

guint lmcc_repair_make_key (guint source, guint sequence);
guint lmcc_repair_key_source (guint key);
void lmcc_repaired_packet_free (LmccRepairedPacket *repaired);

LmccRepairBlock *lmcc_repair_block_new (guint key,
    const LmccRepairPayload *payload, LmccTime now);
void lmcc_repair_block_free (LmccRepairBlock *block);
gboolean lmcc_repair_block_is_of (const LmccRepairBlock *block,
    const LmccRepairPayload *payload);
gboolean
lmcc_repair_block_has_index (const LmccRepairBlock *block, guint8 index);
gboolean lmcc_repair_block_covers (const LmccRepairBlock *block, guint source,
    guint16 sequence);
void lmcc_repair_block_add (LmccRepairBlock *block,
    const LmccRepairPayload *payload, LmccPacket *packet);
gsize
lmcc_repair_block_drop_repairs (LmccRepairBlock *block, GPtrArray *dropped);
guint lmcc_repair_block_count_missing (const LmccRepairBlock *block,
    const LmccRepairSources *sources);
gboolean lmcc_repair_block_recover (LmccRepairBlock *block,
    const LmccRepairSources *sources, const LmccRepairPlace *place,
    GPtrArray **found);

G_END_DECLS

#endif
