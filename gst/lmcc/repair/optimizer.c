/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repair/optimizer.h"

#include "repair/exchange.h"
#include "repair/fill.h"

typedef enum
{
  PHASE_LOOK,     /* what there is */
  PHASE_FILL,     /* the budget is given away */
  PHASE_EXCHANGE, /* groups give each other */
  PHASE_REFILL,   /* what that has left is given away */
  PHASE_DONE
} Phase;

/**
 * _LmccRepairOptimizer:
 * @turn: of the layer in hand
 * @budget: bytes of its repair
 * @rooms: (nullable) (array): of the caller
 * @phase: what is done
 */
struct _LmccRepairOptimizer
{
  LmccRepairTurn turn;
  LmccRepairFill fill;
  LmccRepairExchange exchange;
  gsize budget;
  const gsize *rooms;
  Phase phase;
};

/**
 * lmcc_repair_optimizer_new:
 * @plan: a plan, which stays
 *
 * Returns: (transfer full): an optimizer that has nothing to do
 */
LmccRepairOptimizer *
lmcc_repair_optimizer_new (LmccRepairPlan *plan)
{
  LmccRepairOptimizer *optimizer = g_new0 (LmccRepairOptimizer, 1);

  lmcc_repair_turn_init (&optimizer->turn, plan);
  lmcc_repair_fill_init (&optimizer->fill);
  lmcc_repair_exchange_init (&optimizer->exchange);
  optimizer->phase = PHASE_DONE;

  return optimizer;
}

/**
 * lmcc_repair_optimizer_free:
 * @optimizer: (transfer full): an optimizer
 */
void
lmcc_repair_optimizer_free (LmccRepairOptimizer *optimizer)
{
  lmcc_repair_turn_clear (&optimizer->turn);
  lmcc_repair_fill_clear (&optimizer->fill);
  lmcc_repair_exchange_clear (&optimizer->exchange);
  g_free (optimizer);
}

/**
 * lmcc_repair_optimizer_start:
 * @optimizer: an optimizer whose plan has all groups and pictures
 * @layer: that carries the repair packets; those below it have had their turn
 * @budget: bytes for them
 * @rooms: (nullable) (array): for each group the bytes that @layer can send
 *     after the group's last source packet, which stay until the end; %NULL
 *     where that is no matter
 *
 * From now on lmcc_repair_optimizer_step() gives the budget to the groups of
 * @layer, and of those below it that whoever has @layer has too, so that it
 * adds most to the number of pictures that receivers can decode, one at each
 * level that has @layer. So what the lowest level has counts most, and a
 * picture that is cut over layers counts in each of them.
 */
void
lmcc_repair_optimizer_start (LmccRepairOptimizer *optimizer, guint layer,
    gsize budget, const gsize *rooms)
{
  optimizer->budget = budget;
  optimizer->rooms = rooms;
  optimizer->phase = PHASE_LOOK;
  lmcc_repair_turn_begin (&optimizer->turn, layer, 0, budget);
}

/**
 * lmcc_repair_optimizer_start_own:
 * @optimizer: an optimizer whose plan has all groups and pictures
 * @first: a layer; those below it have had their turn
 * @budget: bytes of repair for the groups of @first and all layers above
 *
 * As lmcc_repair_optimizer_start(), but one budget is for all layers, and each
 * carries the repair of its own groups: so everybody has it who has what it
 * repairs.
 */
void
lmcc_repair_optimizer_start_own (LmccRepairOptimizer *optimizer, guint first,
    gsize budget)
{
  optimizer->budget = budget;
  optimizer->rooms = NULL;
  optimizer->phase = PHASE_LOOK;
  lmcc_repair_turn_begin (&optimizer->turn, LMCC_REPAIR_OWN_LAYERS, first,
      budget);
}

/* Returns whether the phase is over. */
static gboolean
step (LmccRepairOptimizer *optimizer)
{
  switch (optimizer->phase) {
    case PHASE_LOOK:
      return lmcc_repair_turn_look (&optimizer->turn, optimizer->rooms);
    case PHASE_EXCHANGE:
      return lmcc_repair_exchange_step (&optimizer->exchange, &optimizer->turn);
    default:
      return lmcc_repair_fill_step (&optimizer->fill, &optimizer->turn);
  }
}

/**
 * lmcc_repair_optimizer_step:
 * @optimizer: an optimizer
 * @until: how much work of the plan there may have been then, or a little more:
 *     what is begun is not left half done
 *
 * Returns: whether it has come to its end
 */
gboolean
lmcc_repair_optimizer_step (LmccRepairOptimizer *optimizer, guint64 until)
{
  while (optimizer->phase != PHASE_DONE && optimizer->turn.plan->work < until) {
    if (!step (optimizer))
      continue;
    optimizer->phase++;
    if (optimizer->phase == PHASE_EXCHANGE)
      lmcc_repair_exchange_begin (&optimizer->exchange);
    else if (optimizer->phase != PHASE_DONE)
      lmcc_repair_fill_begin (&optimizer->fill, &optimizer->turn);
  }

  return optimizer->phase == PHASE_DONE;
}

/**
 * lmcc_repair_optimizer_get_used:
 * @optimizer: an optimizer that has come to its end
 *
 * Returns: bytes of the budget that are used
 */
gsize
lmcc_repair_optimizer_get_used (const LmccRepairOptimizer *optimizer)
{
  return optimizer->budget - optimizer->turn.rooms.left;
}
