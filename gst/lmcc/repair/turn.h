/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_TURN_H
#define LMCC_REPAIR_TURN_H

#include "repair/plan.h"
#include "repair/rooms.h"

G_BEGIN_DECLS

/* Least gain of repair data, in pictures; smaller values are rounding errors of the
 * sums. */
#define LMCC_REPAIR_LEAST_GAIN 1e-12

/* Used in place of a layer. */
#define LMCC_REPAIR_OWN_LAYERS LMCC_MAX_LAYERS

/**
 * LmccRepairMove:
 * @gain: pictures gained per byte
 * @from: present number of repair packets of its blocks
 * @to: their new number
 * @n_blocks: number of blocks, of one group; 0 if no move is worthwhile
 */
typedef struct
{
  gdouble gain;
  guint from;
  guint to;
  guint n_blocks;
} LmccRepairMove;

/**
 * LmccRepairCandidate:
 * @may: the layer may carry the group's repair packets
 * @stale: @best must be determined again
 * @best: the best move for the group
 */
typedef struct
{
  gboolean may;
  gboolean stale;
  LmccRepairMove best;
} LmccRepairCandidate;

/**
 * LmccRepairTurn:
 * @plan: the caller's plan
 * @layer: the layer that carries the repair packets; %LMCC_REPAIR_OWN_LAYERS: each
 *     group's own layer
 * @first: in the latter case, the lowest layer that takes part
 * @level: the lowest level with @layer
 * @rooms: the room for repair data
 * @n_looked: number of groups examined so far
 * @candidates: array of #LmccRepairCandidate, by group
 * @weights: array of gdouble, by picture: number of levels that have both the picture and
 *     @layer
 * @factors: array of gdouble, by curve of a group: number of pictures that have
 *     everything else
 *
 * A layer's turn in a plan: which groups it may repair, and the gain of doing so.
 */
typedef struct
{
  LmccRepairPlan *plan;
  guint layer;
  guint first;
  guint level;
  LmccRepairRooms rooms;
  guint n_looked;
  GArray *candidates;
  GArray *weights;
  GArray *factors;
} LmccRepairTurn;

void lmcc_repair_turn_init (LmccRepairTurn *turn, LmccRepairPlan *plan);
void lmcc_repair_turn_clear (LmccRepairTurn *turn);
void lmcc_repair_turn_begin (LmccRepairTurn *turn, guint layer, guint first,
    gsize budget);
gboolean lmcc_repair_turn_look (LmccRepairTurn *turn, const gsize *rooms);
LmccRepairCandidate *
lmcc_repair_turn_get_candidate (const LmccRepairTurn *turn, guint group);
gdouble lmcc_repair_turn_get_weight (const LmccRepairTurn *turn, guint picture);
const gdouble *lmcc_repair_turn_find_factors (LmccRepairTurn *turn,
    const LmccRepairPlanGroup *group);
void lmcc_repair_turn_set_repair (LmccRepairTurn *turn, guint number,
    const guint8 *repair);

G_END_DECLS

#endif
