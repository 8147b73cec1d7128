/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_REPAIR_AUTO_H
#define LMCC_SENDER_REPAIR_AUTO_H

#include <gst/lmcc/lmcc-sender.h>
#include "measure/expected-loss.h"
#include "repair/chances.h"

G_BEGIN_DECLS

/* Results of lmcc_repair_auto_count_needed() that are kept. */
#define LMCC_REPAIR_AUTO_COUNTS 16

/**
 * LmccRepairShapeKind:
 * @LMCC_REPAIR_SHAPE_BASE: video in the base layer
 * @LMCC_REPAIR_SHAPE_ABOVE: video in a layer above it
 * @LMCC_REPAIR_SHAPE_SOUND: sound, which has blocks of its own in the base layer
 *
 * Media whose blocks differ in size.
 */
typedef enum
{
  LMCC_REPAIR_SHAPE_BASE,
  LMCC_REPAIR_SHAPE_ABOVE,
  LMCC_REPAIR_SHAPE_SOUND,
  LMCC_N_REPAIR_SHAPES
} LmccRepairShapeKind;

/**
 * LmccRepairShape:
 * @packets: media packets since the last turn
 * @bytes: their bytes, as IP packets
 * @largest: the largest of them
 * @layers: bits: layers that sent any of them
 * @block: packets of a layer between two turns, smoothed; 0: not known yet
 * @size: mean size of a packet, smoothed
 * @most: size of the largest one, smoothed
 *
 * The size of blocks.
 */
typedef struct
{
  guint packets;
  gsize bytes;
  gsize largest;
  guint64 layers;
  gdouble block;
  gdouble size;
  gdouble most;
} LmccRepairShape;

/**
 * LmccRepairAutoCount:
 * @depth: number of blocks
 * @n_source: source packets of a block; 0: unused
 * @most: greatest number of repair packets
 * @needed: how many a block needs
 *
 * A result that is kept, because its computation takes up to 0.1 ms.
 */
typedef struct
{
  guint depth;
  guint n_source;
  guint most;
  guint needed;
} LmccRepairAutoCount;

/**
 * LmccRepairAuto:
 * @on: receivers' reports decide
 * @known: there are recent reports
 * @expected: the losses that they tell
 * @path: losses to plan with if they tell less
 * @initial: share of repair data without reports, in 1/1000
 * @shapes: sizes of blocks
 * @counted: the losses that @counts were computed for
 * @counts: kept results
 * @n_counts: number of results so far
 *
 * The amount of repair data, as receivers' losses require.
 */
typedef struct
{
  gboolean on;
  gboolean known;
  LmccExpectedLoss expected;
  LmccRepairPath path;
  guint initial;
  LmccRepairShape shapes[LMCC_N_REPAIR_SHAPES];
  LmccLossReport counted;
  LmccRepairAutoCount counts[LMCC_REPAIR_AUTO_COUNTS];
  guint n_counts;
} LmccRepairAuto;

void lmcc_repair_auto_init (LmccRepairAuto *automatic,
    const LmccSenderConfig *config, LmccTime now);
void lmcc_repair_auto_note_sent (LmccRepairAuto *automatic, guint layer,
    gboolean sound, gsize bytes);
gsize lmcc_repair_auto_get_base_bytes (const LmccRepairAuto *automatic);
void lmcc_repair_auto_update (LmccRepairAuto *automatic, LmccTime now);
LmccRepairPath lmcc_repair_auto_get_path (const LmccRepairAuto *automatic);
guint lmcc_repair_auto_count_needed (LmccRepairAuto *automatic, guint n_packets,
    guint most);
guint lmcc_repair_auto_find_share (LmccRepairAuto *automatic, gboolean above,
    guint most, gsize repair_size);

G_END_DECLS

#endif
