/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_REPAIR_H
#define LMCC_SENDER_REPAIR_H

#include <gst/lmcc/lmcc-sender.h>
#include "sender/pour.h"
#include "sender/repair-auto.h"
#include "sender/repair-blocks.h"
#include "sender/schedule.h"

G_BEGIN_DECLS

/* Planning work per call, in multiplications: 0.1 ms on a machine that takes 1 ns per
 * multiplication. */
#define LMCC_SENDER_PLAN_WORK 100000

/**
 * LmccSenderRepair:
 * @repairer: the repairer; without a plan there is no repair
 * @n_windows: layers of fixed rates: number of windows so far
 * @own: native layers, like the following fields: unused bytes of the base layer's own
 *     share
 * @pool: unused bytes of the share that layers have in common
 * @first: the lowest of these layers
 * @block: how long a block is collected
 * @since: start of the present block
 * @spread_until: when the repair of the previous block is finished
 * @worked: when planning last ran
 * @base: share of the base layer, in 1/1000
 * @share: share of the other layers
 * @automatic: what chooses the shares, if the user did not
 * @user_base: the user has chosen that of the base layer
 */
typedef struct
{
  LmccRepairer repairer;
  guint n_windows;
  gsize own;
  gsize pool;
  guint first;
  LmccTime block;
  LmccTime since;
  LmccTime spread_until;
  LmccTime worked;
  guint base;
  guint share;
  LmccRepairAuto automatic;
  gboolean user_base;
} LmccSenderRepair;

void lmcc_sender_init_repair (LmccSender *sender,
    const LmccSenderConfig *config, LmccTime now);
void lmcc_sender_take_losses (LmccSender *sender, LmccTime now, guint64 origin,
    const LmccLossReport *losses);
void lmcc_sender_adapt_repair (LmccSender *sender, LmccTime now);
void lmcc_sender_clear_repair (LmccSender *sender);
void lmcc_sender_flush_repair (LmccSender *sender);
gboolean lmcc_sender_has_repair (const LmccSender *sender);
gboolean lmcc_sender_needs_repair (const LmccSender *sender);
guint lmcc_sender_get_repair_share (const LmccSender *sender);
gboolean lmcc_sender_owes_repair (const LmccSender *sender);
gsize lmcc_sender_get_repair_owed (const LmccSender *sender, guint layer);
void lmcc_sender_repair_sent (LmccSender *sender, guint layer,
    const LmccAllotment *allotment, LmccPacket *packet, LmccTime now);
gsize
lmcc_sender_repair_share (const LmccSender *sender, guint layer, gsize bytes);
void lmcc_sender_get_repair_budget (const LmccSender *sender,
    const LmccSchedule *schedule, LmccTime end, const LmccPour *pour,
    const gsize *reserve, const gsize *more, LmccRepairBudget *budget);
LmccRepairer *lmcc_sender_begin_repair_trial (LmccSender *sender, LmccTime end);
void lmcc_sender_start_repair_trial (LmccSender *sender,
    const LmccRepairBudget *budget);
gdouble lmcc_sender_end_repair_trial (LmccSender *sender);
void
lmcc_sender_plan_repair (LmccSender *sender, const LmccRepairBudget *budget);
gboolean lmcc_sender_plans_repair (const LmccSender *sender);
gboolean
lmcc_sender_go_on_planning (LmccSender *sender, LmccTime now, guint64 *work);
LmccPacket *lmcc_sender_take_repair (LmccSender *sender,
    const LmccOpportunity *opportunity);
gsize lmcc_sender_peek_repair (const LmccSender *sender, guint layer);
void lmcc_sender_end_repair_block (LmccSender *sender, LmccTime now);
LmccPacket *
lmcc_sender_take_due_repair (LmccSender *sender, guint layer, LmccTime now);
LmccTime lmcc_sender_next_repair (const LmccSender *sender);
void
lmcc_sender_get_repair_stats (const LmccSender *sender, LmccSenderStats *stats);

G_END_DECLS

#endif
