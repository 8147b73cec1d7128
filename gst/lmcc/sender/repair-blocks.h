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
 * @group: the group of the window that its packets are in
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
 * @last_piece: of the window, the last one that it has
 * @planned: it is known how much repair it has
 * @released: its packets are not needed any more
 * @packets: (element-type LmccPacket): those that were sent, as they were
 * @n_repaired: blocks whose repair packets wait, or have left
 * @n_repair: for each block how many repair packets there are
 * @parts: for each block how many of them each layer has, from @layer on
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
  guint last_piece;
  gboolean planned;
  gboolean released;
  GPtrArray *packets;
  guint n_repaired;
  guint8 n_repair[LMCC_REPAIR_MAX_STEP];
  guint8 parts[LMCC_REPAIR_MAX_STEP][LMCC_REPAIR_MAX_CARRIERS];
} LmccRepairGroup;

/**
 * LmccRepairItem:
 * @encoder: of its block
 * @index: which of the block's repair packets it is
 * @size: of its IP packet
 * @window: of its source packets
 * @deadline: when it has to be sent
 * @due: when it is sent, in native allocation
 */
typedef struct
{
  LmccRepairEncoder *encoder;
  guint index;
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
 * @pool: beside @bytes, what all layers from @first on may send together, each of
 *     its own blocks
 * @first: a layer
 * @limit: of @pool a block has at most this share of its own packets, in 1/1000
 */
typedef struct
{
  const LmccSession *session;
  gsize bytes[LMCC_MAX_LAYERS];
  guint64 rates[LMCC_MAX_LAYERS];
  LmccTime ready[LMCC_MAX_LAYERS];
  LmccTime end;
  gsize pool;
  guint first;
  guint limit;
} LmccRepairBudget;

/**
 * LmccRepairWindow:
 * @groups: (element-type LmccRepairGroup): in the order of their first packets
 * @pieces: (element-type LmccRepairPiece): of these
 *
 * What is planned together.
 */
typedef struct
{
  GPtrArray *groups;
  GArray *pieces;
} LmccRepairWindow;

/* Rungs and sound. */
#define LMCC_REPAIRER_STREAMS 16

/* Packets of one group that a class needs since its last switch point. */
typedef struct
{
  guint first;
  guint n;
} LmccRepairCount;

/* Units of a class of a stream. */
typedef struct
{
  guint since;  /* from its last switch point on */
  guint length; /* from the switch point before to that; 0 where not known */
  guint here;   /* of the window that is planned */
} LmccRepairRun;

typedef enum
{
  LMCC_REPAIR_JOB_BEGIN,    /* the plan gets the groups */
  LMCC_REPAIR_JOB_PREPARE,  /* the tables that these need */
  LMCC_REPAIR_JOB_PICTURES, /* it gets the pictures */
  LMCC_REPAIR_JOB_LAYERS,   /* each layer has its turn */
  LMCC_REPAIR_JOB_GROUPS,   /* each group is told its repair */
  LMCC_REPAIR_JOB_RELEASE   /* what was planned, and has been sent, is freed */
} LmccRepairJobPhase;

/**
 * LmccRepairJob:
 * @active: there is a plan that is not finished
 * @trial: it is to say how good it would be, and nothing else
 * @phase: what is done next
 * @allocating: the optimizer is at work for @layer
 * @n_told: groups whose repair waits where they have been sent
 * @window: what is planned; without arrays where nothing is
 * @budget: what there is for its repair
 * @counts: (nullable): by stream, class and group, what is needed since the last
 *     switch point
 * @classes: that each stream has
 * @n_noted: pieces that the plan has
 * @n_pictures: of these, by stream and class, those that end a picture
 * @every: one of this many pictures of a class is planned for, and stands for all
 * @layer: whose turn it is
 * @rooms: of gsize: as lmcc_repair_optimizer_start() has it
 * @used: bytes of repair that each layer got
 * @pool_used: of these, those of the pool
 * @n_whole: of a trial that is finished, the pictures that are expected to be
 *     whole with all that they need at the highest level
 */
typedef struct
{
  gboolean active;
  gboolean trial;
  LmccRepairJobPhase phase;
  gboolean allocating;
  guint n_told;
  LmccRepairWindow window;
  LmccRepairBudget budget;
  LmccRepairCount *counts;
  guint16 classes[LMCC_REPAIRER_STREAMS];
  guint n_noted;
  guint n_pictures[LMCC_REPAIRER_STREAMS][LMCC_MAX_CLASSES];
  guint every;
  guint layer;
  GArray *rooms;
  gsize used[LMCC_MAX_LAYERS];
  gsize pool_used;
  gdouble n_whole;
} LmccRepairJob;

/**
 * LmccRepairer:
 * @plan: how much repair is for what; %NULL where there is none
 * @optimizer: makes it
 * @udp_overhead: bytes of an IP packet above those of the RTP packet
 * @rtp_overhead: bytes of an RTP packet above those of its payload
 * @groups: (element-type LmccRepairGroup): of which packets are still to be sent, the
 *     oldest first
 * @hand: the window in hand, which has no plan yet
 * @number: its number
 * @deadline: when its repair has to be over
 * @job: the window that is planned
 * @runs: by stream and class, of what was planned with a pool
 * @items: (element-type LmccRepairItem): repair packets that wait, by layer
 * @owed: bytes of repair packets that are planned, by layer, with those that wait
 * @needed_most: layers that carry the class of a rung that its pictures need most, or
 *     the next one
 * @n_blocks: blocks that have repair
 * @n_late: repair packets that were given up
 *
 * Collects what a sender has sent into blocks and makes their repair packets.
 */
typedef struct
{
  LmccRepairPlan *plan;
  LmccRepairOptimizer *optimizer;
  gsize udp_overhead;
  gsize rtp_overhead;
  GPtrArray *groups;
  LmccRepairWindow hand;
  guint number;
  LmccTime deadline;
  LmccRepairJob job;
  LmccRepairRun runs[LMCC_REPAIRER_STREAMS][LMCC_MAX_CLASSES];
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
void lmcc_repairer_add_sent (LmccRepairer *repairer,
    const LmccAllotment *allotment, guint layer, LmccPacket *packet);
void lmcc_repairer_take_over (LmccRepairer *repairer);
gboolean lmcc_repairer_release (LmccRepairer *repairer);
void lmcc_repairer_note_sent (LmccRepairer *repairer, guint stream, guint layer,
    LmccPacket *packet);
gboolean
lmcc_repairer_note_planned (LmccRepairer *repairer, LmccRepairGroup *group);
gsize lmcc_repairer_get_repair_size (const LmccRepairer *repairer,
    const LmccRepairGroup *group);
void
lmcc_repairer_spread (LmccRepairer *repairer, LmccTime now, LmccTime duration);
LmccPacket *lmcc_repairer_take (LmccRepairer *repairer, guint layer);
void lmcc_repairer_give_up (LmccRepairer *repairer, guint layer);

/* sender/repair-blocks-plan.c */
void lmcc_repairer_start_plan (LmccRepairer *repairer,
    const LmccRepairBudget *budget, gboolean trial);
gboolean lmcc_repairer_step_plan (LmccRepairer *repairer, guint64 *work);

G_END_DECLS

#endif
