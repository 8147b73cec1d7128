/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_FILL_H
#define LMCC_REPAIR_FILL_H

#include "repair/turn.h"

G_BEGIN_DECLS

/**
 * LmccRepairFill:
 * @active: the search for a group's best move is in progress
 * @number: the group
 * @n_blocks: number of blocks with least repair
 * @from: number of packets that each of them has
 * @to: the next number to try
 * @possible: number of packets that fit
 * @factors: array of gdouble, by curve: number of pictures that have everything else,
 *     including the group's other blocks
 * @before: expected number of decodable pictures that need the group, without the move
 * @missing: expected number of the other pictures that need it
 * @best: mean gain per packet of the best number so far
 *
 * Spends a budget in steps, each of which is the best available move.
 */
typedef struct
{
  gboolean active;
  guint number;
  guint n_blocks;
  guint from;
  guint to;
  guint possible;
  GArray *factors;
  gdouble before;
  gdouble missing;
  gdouble best;
} LmccRepairFill;

void lmcc_repair_fill_init (LmccRepairFill *fill);
void lmcc_repair_fill_clear (LmccRepairFill *fill);
void lmcc_repair_fill_begin (LmccRepairFill *fill, LmccRepairTurn *turn);
gboolean lmcc_repair_fill_step (LmccRepairFill *fill, LmccRepairTurn *turn);

G_END_DECLS

#endif
