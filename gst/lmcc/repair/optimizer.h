/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_OPTIMIZER_H
#define LMCC_REPAIR_OPTIMIZER_H

#include "repair/plan.h"

G_BEGIN_DECLS

/**
 * LmccRepairOptimizer:
 * Finds the best distribution of repair data over the groups of a plan, one layer after
 * the other, in small steps.
 */
typedef struct _LmccRepairOptimizer LmccRepairOptimizer;

LmccRepairOptimizer *lmcc_repair_optimizer_new (LmccRepairPlan *plan);
void lmcc_repair_optimizer_free (LmccRepairOptimizer *optimizer);
void lmcc_repair_optimizer_start (LmccRepairOptimizer *optimizer, guint layer,
    gsize budget, const gsize *rooms);
void lmcc_repair_optimizer_start_own (LmccRepairOptimizer *optimizer,
    guint first, gsize budget);
gboolean
lmcc_repair_optimizer_step (LmccRepairOptimizer *optimizer, guint64 until);
gsize lmcc_repair_optimizer_get_used (const LmccRepairOptimizer *optimizer);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccRepairOptimizer, lmcc_repair_optimizer_free)

G_END_DECLS

#endif
