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

/* A repair packet that came, of a block that is not whole. */
typedef struct
{
  LmccPacket *packet; /* keeps the symbol */
  const guint8 *symbol;
  guint8 index;
} LmccBlockRepair;

/**
 * LmccRepairBlock:
 * @key: source and first sequence number
 * @shape: what its repair packets say of it
 * @time: when the first of them came
 * @n_missing: source packets that have not come
 * @repairs: of #LmccBlockRepair
 * @carriers: layers that have repair packets of it
 * @ended: those of them that have no more
 * @finished: it is whole, or makes no sense
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

/* What recovered packets must fit, of the session. */
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
