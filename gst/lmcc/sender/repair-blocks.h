/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_REPAIR_BLOCKS_H
#define LMCC_SENDER_REPAIR_BLOCKS_H

#include "repair/encoder.h"
#include "repair/optimizer.h"
#include "sender/allocator.h"

G_BEGIN_DECLS

/* Source packets per block. The remaining symbols of the code suffice for more than
 * half as much repair data. */
#define LMCC_REPAIRER_MAX_SOURCE 160

/* Greatest number of packets of one SSRC that can be interleaved. */
#define LMCC_REPAIRER_MAX_GROUP \
  (LMCC_REPAIR_MAX_STEP * LMCC_REPAIRER_MAX_SOURCE)

/**
 * LmccRepairPiece:
 * @stream: stream of its unit
 * @klass: class of its unit
 * @switch_point: its unit is a switch point
 * @continued: the unit began in the previous piece
 * @more: the unit continues in the next piece
 * @osn: order sequence number of its first packet
 * @group: index of the window's group that contains its packets
 * @first: index of its first packet in the group
 * @n: number of its packets
 *
 * A unit, or the part of a divided unit that is in one layer.
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
 * @stream: stream of the source packets
 * @layer: the layer that carries them
 * @window: number of their window
 * @deadline: when their repair must be finished
 * @n: final number of packets
 * @largest: size of the largest RTP packet in bytes
 * @depth: number of blocks; packet i belongs to block i modulo @depth
 * @last_piece: the last piece of the window in this group
 * @planned: the amount of repair data is known
 * @released: its packets are no longer needed
 * @packets: (element-type LmccPacket): the packets sent so far, as sent
 * @n_repaired: number of blocks whose repair packets wait or have been sent
 * @n_repair: number of repair packets of each block
 * @parts: how many of them each layer carries, from @layer on, for each block
 *
 * Consecutive packets of one SSRC, divided into blocks.
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
 * @encoder: encoder of its block
 * @index: index among the block's repair packets
 * @size: size of its IP packet
 * @window: window of its source packets
 * @deadline: when it must be sent at the latest
 * @due: native layers: when it is sent
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
 * @session: the session with the layers and levels
 * @bytes: bytes of repair data that each layer may send
 * @rates: rate of each layer, bit/s; 0 if it may send at any time
 * @ready: if layers have rates, when each has sent its own source packets
 * @end: if layers have rates, when all repair must be finished
 * @pool: in addition to @bytes, what all layers from @first on may send together, each
 *     for its own blocks
 * @first: the first layer that shares @pool
 * @limit: greatest share of @pool for a block, in 1/1000 of its own packets
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
 * @groups: (element-type LmccRepairGroup): groups in the order of their first packets
 * @pieces: (element-type LmccRepairPiece): pieces of the groups
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

/* Packets of one group that a class depends on since its last switch point. */
typedef struct
{
  guint first;
  guint n;
} LmccRepairCount;

/* Units of a class of a stream. */
typedef struct
{
  guint since;  /* since its last switch point */
  guint length; /* between the last two switch points; 0 if not known */
  guint here;   /* in the planned window */
} LmccRepairRun;

typedef enum
{
  LMCC_REPAIR_JOB_BEGIN,    /* the plan gets the groups */
  LMCC_REPAIR_JOB_PREPARE,  /* the tables for the pictures are built */
  LMCC_REPAIR_JOB_PICTURES, /* the plan gets the pictures */
  LMCC_REPAIR_JOB_LAYERS,   /* each layer is planned */
  LMCC_REPAIR_JOB_GROUPS,   /* each group gets its amount of repair data */
  LMCC_REPAIR_JOB_RELEASE   /* planned data that has been sent is freed */
} LmccRepairJobPhase;

/**
 * LmccRepairJob:
 * @active: an unfinished plan exists
 * @trial: the plan only evaluates its quality
 * @phase: the next phase
 * @allocating: the optimizer is working for @layer
 * @n_told: groups that have their amounts, and whose repair data waits if they have been
 *     sent
 * @window: the planned window; without arrays if there is none
 * @budget: budget for its repair
 * @counts: (nullable): packets needed since the last switch point, by stream, class and
 *     group
 * @classes: classes of each stream
 * @n_noted: pieces that the plan has
 * @n_pictures: how many of these end a picture, by stream and class
 * @every: one of this many pictures of a class is planned for and represents the others
 * @layer: the layer being planned
 * @rooms: array of gsize, as in lmcc_repair_optimizer_start()
 * @used: bytes of repair data assigned to each layer
 * @pool_used: how many of these come from the pool
 * @n_whole: for a finished trial, the expected number of pictures that are complete at
 *     the highest level, together with everything they depend on
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
 * @plan: how much repair data protects what; %NULL if there is no repair
 * @optimizer: computes the plan
 * @udp_overhead: bytes by which an IP packet exceeds the RTP packet
 * @rtp_overhead: bytes by which an RTP packet exceeds its payload
 * @groups: (element-type LmccRepairGroup): groups with packets still to be sent, the
 *     oldest first
 * @hand: the window being collected, which has no plan yet
 * @number: its number
 * @deadline: when its repair must be finished
 * @job: the window being planned
 * @runs: units planned with a pool, by stream and class
 * @items: (element-type LmccRepairItem): waiting repair packets, by layer
 * @owed: bytes of planned repair packets, including waiting ones, by layer
 * @needed_most: layers that carry the most important class of a rung, or the next one
 * @n_blocks: number of blocks with repair data
 * @n_late: number of repair packets that were dropped because they were late
 *
 * Collects sent packets into blocks and builds their repair packets.
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
