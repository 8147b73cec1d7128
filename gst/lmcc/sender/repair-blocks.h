/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_REPAIR_BLOCKS_H
#define LMCC_SENDER_REPAIR_BLOCKS_H

#include "repair/encoder.h"
#include "repair/optimizer.h"
#include "sender/allocator.h"

G_BEGIN_DECLS

/* Source packets of a block. What is left of the code's symbols is room for more than
 * half as much repair. */
#define LMCC_REPAIRER_MAX_SOURCE 160

/* Packets of one SSRC that can be interleaved. */
#define LMCC_REPAIRER_MAX_GROUP \
  (LMCC_REPAIR_MAX_STEP * LMCC_REPAIRER_MAX_SOURCE)

/**
 * LmccRepairPiece:
 * @stream: of its unit
 * @klass: of its unit
 * @switch_point: of its unit
 * @continued: the unit began in the piece before it
 * @more: the unit goes on in the next piece
 * @osn: of its first packet
 * @group: the group that its packets are in
 * @first: its first packet in the group
 * @n: its packets
 *
 * A unit, or what is in one layer of one that is cut.
 */
typedef struct
{
  guint8 stream;
  guint8 klass;
  gboolean switch_point;
  gboolean continued;
  gboolean more;
  guint16 osn;
  guint group;
  guint first;
  guint n;
} LmccRepairPiece;

/**
 * LmccRepairGroup:
 * @stream: of the source packets
 * @layer: that carries them
 * @window: that they are of
 * @deadline: when their repair has to be over
 * @n: how many there will be
 * @largest: bytes of the largest RTP packet
 * @depth: packet i is in block i modulo it
 * @packets: (element-type LmccPacket): those that were sent, as they were
 * @carriers: for each block the layer that carries its repair packets
 * @n_repair: for each block how many there are
 *
 * Packets of one SSRC in a row, in as many blocks as it takes.
 */
typedef struct
{
  guint stream;
  guint layer;
  guint window;
  LmccTime deadline;
  guint n;
  gsize largest;
  guint depth;
  GPtrArray *packets;
  guint8 carriers[LMCC_REPAIR_MAX_STEP];
  guint8 n_repair[LMCC_REPAIR_MAX_STEP];
} LmccRepairGroup;

/**
 * LmccRepairItem:
 * @payload: of a repair packet
 * @size: of its IP packet
 * @window: of its source packets
 * @deadline: when it has to be sent
 * @due: when it is sent, in native allocation
 */
typedef struct
{
  LmccPacket *payload;
  gsize size;
  guint window;
  LmccTime deadline;
  LmccTime due;
} LmccRepairItem;

/**
 * LmccRepairBudget:
 * @session: whose layers and levels these are
 * @bytes: what each layer may send of repair
 * @rates: of each layer, bit/s; 0 where it may send when it likes
 * @ready: where layers have rates, when each has sent its own source packets
 * @end: likewise, when all repair has to be over
 */
typedef struct
{
  const LmccSession *session;
  gsize bytes[LMCC_MAX_LAYERS];
  guint64 rates[LMCC_MAX_LAYERS];
  LmccTime ready[LMCC_MAX_LAYERS];
  LmccTime end;
} LmccRepairBudget;

/**
 * LmccRepairer:
 * @plan: how much repair is for what; %NULL where there is none
 * @udp_overhead: bytes of an IP packet above those of the RTP packet
 * @rtp_overhead: bytes of an RTP packet above those of its payload
 * @groups: (element-type LmccRepairGroup): of the windows under way, the oldest first
 * @first_group: the first one of the window in hand
 * @pieces: (element-type LmccRepairPiece): of that window
 * @window: its number
 * @deadline: when its repair has to be over
 * @items: (element-type LmccRepairItem): repair packets that wait, by layer
 * @owed: bytes of repair packets that are planned, by layer, with those that wait
 * @needed_most: layers that carry the class of a rung that its pictures need most, or
 *     the next one
 * @n_blocks: blocks that were encoded
 * @n_late: repair packets that were given up
 *
 * Collects what a sender has sent into blocks and makes their repair packets.
 */
typedef struct
{
  LmccRepairPlan *plan;
  gsize udp_overhead;
  gsize rtp_overhead;
  GPtrArray *groups;
  guint first_group;
  GArray *pieces;
  guint window;
  LmccTime deadline;
  GQueue items[LMCC_MAX_LAYERS];
  gsize owed[LMCC_MAX_LAYERS];
  gboolean needed_most[LMCC_MAX_LAYERS];
  guint64 n_blocks;
  guint64 n_late;
} LmccRepairer;

void lmcc_repairer_init (LmccRepairer *repairer, gdouble loss_rate,
    gdouble burst, gsize udp_overhead, gsize rtp_overhead);
void lmcc_repairer_clear (LmccRepairer *repairer);
void lmcc_repairer_flush (LmccRepairer *repairer);
void
lmcc_repairer_begin (LmccRepairer *repairer, guint window, LmccTime deadline);
void lmcc_repairer_expect (LmccRepairer *repairer, const LmccQueuedUnit *queued,
    guint first, guint n, guint layer);
void lmcc_repairer_cancel (LmccRepairer *repairer);
void lmcc_repairer_add_sent (LmccRepairer *repairer,
    const LmccAllotment *allotment, guint layer, LmccPacket *packet);
void lmcc_repairer_note_sent (LmccRepairer *repairer, guint stream, guint layer,
    LmccPacket *packet);
gsize lmcc_repairer_get_repair_size (const LmccRepairer *repairer,
    const LmccRepairGroup *group);
void lmcc_repairer_encode_sent (LmccRepairer *repairer);
void
lmcc_repairer_spread (LmccRepairer *repairer, LmccTime now, LmccTime duration);
LmccPacket *lmcc_repairer_take (LmccRepairer *repairer, guint layer);

/* sender/repair-blocks-plan.c */
void
lmcc_repairer_plan (LmccRepairer *repairer, const LmccRepairBudget *budget);
gdouble
lmcc_repairer_try (LmccRepairer *repairer, const LmccRepairBudget *budget);

G_END_DECLS

#endif
