/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repair/optimizer.h"

#include "repair/exchange.h"
#include "repair/fill.h"

typedef enum
{
  PHASE_LOOK,     /* groups are examined */
  PHASE_FILL,     /* the budget is spent */
  PHASE_EXCHANGE, /* groups exchange packets */
  PHASE_REFILL,   /* the rest of the budget is spent */
  PHASE_DONE
} Phase;

/**
 * _LmccRepairOptimizer:
 * @turn: state of the present layer
 * @budget: bytes of its repair data
 * @rooms: (nullable) (array): the caller's
 * @phase: the present phase
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
 * @plan: a plan, which must outlive the optimizer
 *
 * Returns: (transfer full): an idle optimizer
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
 * @layer: the layer that carries the repair packets; lower layers must be
 *     finished
 * @budget: bytes for the repair packets
 * @rooms: (nullable) (array): for each group the bytes that @layer can send
 *     after the group's last source packet; must stay valid until the end.
 *     %NULL for no limit
 *
 * Starts the optimization. lmcc_repair_optimizer_step() gives the budget to
 * groups of @layer, and of lower layers that all receivers of @layer have
 * joined, too, so that it maximizes the number of pictures that receivers can
 * decode, counted once at each level that contains @layer. So contents of the
 * lowest level count most, and a picture that is divided over layers counts in
 * each of them.
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
 * @first: a layer; lower layers must be finished
 * @budget: bytes of repair data for the groups of @first and all higher layers
 *
 * As lmcc_repair_optimizer_start(), but all layers share one budget, and each
 * carries the repair packets of its own groups: so every receiver that has
 * joined the protected layer gets them.
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

/* Returns whether the phase is finished. */
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
 * @until: the plan's amount of work at which to stop, which may be slightly
 *     exceeded: work in progress is not interrupted
 *
 * Returns: whether the optimization is finished
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
 * @optimizer: an optimizer that has finished
 *
 * Returns: used bytes of the budget
 */
gsize
lmcc_repair_optimizer_get_used (const LmccRepairOptimizer *optimizer)
{
  return optimizer->budget - optimizer->turn.rooms.left;
}
