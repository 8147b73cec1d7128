/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_OPTIMIZER_H
#define LMCC_REPAIR_OPTIMIZER_H

#include "repair/chances.h"
#include "repair/code.h"
#include "wire/levels.h"

G_BEGIN_DECLS

/* More of one block would be no longer a share of the media but its copies. */
#define LMCC_REPAIR_MAX_REPAIR 127

/**
 * LmccRepairNeed:
 * @block: a block
 * @first: its first source packet that is needed
 * @n: how many source packets are, from there on
 */
typedef struct
{
  guint block;
  guint first;
  guint n;
} LmccRepairNeed;

/**
 * LmccRepairPlan:
 * Which of several blocks get how many repair packets: what adds most to the
 * number of pictures that can be decoded.
 */
typedef struct _LmccRepairPlan LmccRepairPlan;

LmccRepairPlan *lmcc_repair_plan_new (gdouble loss_rate, gdouble burst);
void lmcc_repair_plan_free (LmccRepairPlan *plan);
void lmcc_repair_plan_begin (LmccRepairPlan *plan, const LmccSession *session);
guint lmcc_repair_plan_add_block (LmccRepairPlan *plan, guint layer,
    guint n_source, guint depth, gsize packet_size);
void lmcc_repair_plan_add_picture (LmccRepairPlan *plan,
    const LmccRepairNeed *needs, guint n_needs);
gsize lmcc_repair_plan_allocate (LmccRepairPlan *plan, guint layer,
    gsize budget, const gsize *rooms);
guint lmcc_repair_plan_get_repair (const LmccRepairPlan *plan, guint block,
    guint layer);
gdouble lmcc_repair_plan_count_whole (const LmccRepairPlan *plan, guint level);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccRepairPlan, lmcc_repair_plan_free)

G_END_DECLS

#endif
