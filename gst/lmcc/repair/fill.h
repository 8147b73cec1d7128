/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_FILL_H
#define LMCC_REPAIR_FILL_H

#include "repair/turn.h"

G_BEGIN_DECLS

/**
 * LmccRepairFill:
 * @active: a group's best move is being looked for
 * @number: the group
 * @n_blocks: that have least repair
 * @from: packets that each of them has
 * @to: what is looked at next
 * @possible: packets that there is room for
 * @factors: of gdouble, by curve: pictures that have all else, the group's other
 *     blocks too
 * @before: pictures that need the group and come, as it is
 * @missing: those that do not
 * @best: mean gain of a packet, of what was looked at
 *
 * Gives a budget away, one step after the other, each the best there is.
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
