/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_TURN_H
#define LMCC_REPAIR_TURN_H

#include "repair/plan.h"
#include "repair/rooms.h"

G_BEGIN_DECLS

/* Pictures that repair has to add at least; below are the sums' rounding
 * errors. */
#define LMCC_REPAIR_LEAST_GAIN 1e-12

/* In place of a layer. */
#define LMCC_REPAIR_OWN_LAYERS LMCC_MAX_LAYERS

/**
 * LmccRepairMove:
 * @gain: pictures for each byte
 * @from: repair packets that its blocks have
 * @to: that they are to have
 * @n_blocks: how many, of one group; 0 where none is worth it
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
 * @may: the layer may carry the group's repair
 * @stale: @best is to be looked for anew
 * @best: what is best for the group
 */
typedef struct
{
  gboolean may;
  gboolean stale;
  LmccRepairMove best;
} LmccRepairCandidate;

/**
 * LmccRepairTurn:
 * @plan: the plan, of the caller
 * @layer: that carries the repair; %LMCC_REPAIR_OWN_LAYERS: each group's own does
 * @first: in the latter case, the lowest layer whose groups get some
 * @level: the lowest one with @layer
 * @rooms: what there is for it
 * @n_looked: groups that were looked at so far
 * @candidates: of #LmccRepairCandidate, by group
 * @weights: of gdouble, by picture: levels that have both it and @layer
 * @factors: of gdouble, by curve of a group: pictures that have all else
 *
 * A layer's turn in a plan: what it may repair, and what that is worth.
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
