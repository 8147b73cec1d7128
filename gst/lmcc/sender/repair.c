/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Repair at the sender: amount and times. In layers of fixed rates, blocks
 * are those of a window, and their repair data is sent within the same time.
 * With native layers, blocks contain what was sent within some time, their
 * repair data is sent within a third of that time, and layers share one
 * budget, because many have less in a block than one packet's worth of
 * repair data.
 */
#include "sender/repair.h"

#include "sender/private.h"

#include <string.h>

/* A key frame ends a block that is at least this part of the longest. */
#define KEY_FRACTION 2

/* With native layers, a block collects packets for three quarters of the
 * repair delay, because repair data is worth more if more packets share it.
 * It is sent in the last quarter; a shorter time would make it a burst. */
#define BLOCK_PARTS 3
#define DELAY_PARTS 4

/* Packets' worth of repair data that a block may pass on to the next one. */
#define MAX_REST 4

gboolean
lmcc_sender_has_repair (const LmccSender *sender)
{
  return sender->repair.repairer.plan != NULL;
}

/* The base layer's share follows, unless the user has chosen it. */
static void
set_share (LmccSender *sender, guint share)
{
  sender->repair.share = share;
  if (!sender->repair.user_base)
    sender->repair.base =
        sender->shaped ? LMCC_REPAIR_BASE_SHARE * share : share;
}

void
lmcc_sender_init_repair (LmccSender *sender, const LmccSenderConfig *config,
    LmccTime now)
{
  LmccSession *session = &sender->session;

  sender->repair.since = LMCC_TIME_NONE;
  session->repair_delay = 0;
  session->loss_reports = config->repair_auto && session->repair > 0;
  lmcc_repair_auto_init (&sender->repair.automatic, config, now);
  sender->repair.user_base = config->repair_base != 0;
  sender->repair.base = (guint) MAX (config->repair_base, 0);
  sender->repair.first = config->repair_base != 0 || config->repair_auto;
  set_share (sender,
      config->repair_auto ? config->repair_initial : session->repair);
  if (session->repair == 0)
    return;

  lmcc_repairer_init (&sender->repair.repairer,
      config->repair_loss > 0 ? config->repair_loss : LMCC_DEFAULT_REPAIR_LOSS,
      config->repair_burst, sender->udp_overhead,
      sender->allocator.packet_overhead - sender->udp_overhead);
  if (sender->shaped)
    return;
  session->repair_delay = 2
      * (config->repair_block > 0 ? config->repair_block
                                  : LMCC_DEFAULT_REPAIR_DELAY);
  sender->repair.block = session->repair_delay * BLOCK_PARTS / DELAY_PARTS;
}

/*
 * lmcc_sender_take_losses:
 * @sender: a sender
 * @now: the time
 * @origin: where a report comes from, see lmcc_report_origin()
 * @losses: the losses that it tells
 */
void
lmcc_sender_take_losses (LmccSender *sender, LmccTime now, guint64 origin,
    const LmccLossReport *losses)
{
  if (sender->session.loss_reports)
    lmcc_expected_loss_take (&sender->repair.automatic.expected, now, origin,
        losses);
}

/*
 * lmcc_sender_adapt_repair:
 * @sender: a sender without a plan in progress
 * @now: the time
 *
 * Sets the shares of the next block, if the receivers decide.
 */
void
lmcc_sender_adapt_repair (LmccSender *sender, LmccTime now)
{
  LmccSenderRepair *repair = &sender->repair;
  gsize size = sender->session.packet_size + LMCC_REPAIR_OVERHEAD;
  LmccRepairPath path;

  if (!repair->automatic.on || !lmcc_sender_has_repair (sender))
    return;
  lmcc_repair_auto_update (&repair->automatic, now);
  path = lmcc_repair_auto_get_path (&repair->automatic);
  lmcc_repair_plan_set_path (repair->repairer.plan, &path);
  if (!repair->automatic.known) {
    set_share (sender, repair->automatic.initial);
    return;
  }
  repair->share = lmcc_repair_auto_find_share (&repair->automatic, TRUE,
      sender->session.repair, size);
  if (!repair->user_base)
    repair->base = lmcc_repair_auto_find_share (&repair->automatic, FALSE,
        LMCC_REPAIR_BASE_SHARE * sender->session.repair, size);
}

void
lmcc_sender_clear_repair (LmccSender *sender)
{
  lmcc_repairer_clear (&sender->repair.repairer);
}

void
lmcc_sender_flush_repair (LmccSender *sender)
{
  if (!lmcc_sender_has_repair (sender))
    return;
  lmcc_repairer_flush (&sender->repair.repairer);
  sender->repair.since = LMCC_TIME_NONE;
  sender->repair.own = sender->repair.pool = 0;
}

gboolean
lmcc_sender_owes_repair (const LmccSender *sender)
{
  guint i;

  if (!lmcc_sender_has_repair (sender))
    return FALSE;
  if (sender->repair.since != LMCC_TIME_NONE
      || lmcc_sender_plans_repair (sender))
    return TRUE;
  for (i = 0; i < sender->session.n_layers; i++) {
    if (!g_queue_is_empty ((GQueue *) &sender->repair.repairer.items[i]))
      return TRUE;
  }

  return FALSE;
}

/* Returns the bytes of repair data that wait in the layer. */
gsize
lmcc_sender_get_repair_owed (const LmccSender *sender, guint layer)
{
  return sender->repair.repairer.owed[layer];
}

/* Returns whether room is to be reserved in any layer. */
gboolean
lmcc_sender_needs_repair (const LmccSender *sender)
{
  return sender->repair.share > 0 || sender->repair.base > 0;
}

/* Returns the share of the layers above the base layer, in 1/1000. */
guint
lmcc_sender_get_repair_share (const LmccSender *sender)
{
  return sender->repair.share;
}

/* Bytes of repair data for @bytes of media in @layer. */
gsize
lmcc_sender_repair_share (const LmccSender *sender, guint layer, gsize bytes)
{
  if (!lmcc_sender_has_repair (sender)
      || (sender->shaped && !sender->repair.repairer.needed_most[layer]))
    return 0;

  return bytes * (layer == 0 ? sender->repair.base : sender->repair.share)
      / 1000;
}

static void
expect_window (LmccSender *sender, LmccTime end)
{
  LmccRepairer *repairer = &sender->repair.repairer;
  guint i;

  lmcc_repairer_begin (repairer, ++sender->repair.n_windows, end);
  for (i = 0; i < sender->session.n_layers; i++) {
    const GList *l;

    for (l = sender->allocator.layers[i].units.head; l != NULL; l = l->next) {
      LmccQueuedUnit *queued = l->data;

      if (queued->window > 0)
        continue;
      queued->window = sender->repair.n_windows;
      lmcc_repairer_expect (repairer, queued, 0, queued->unit->packets->len, i);
    }
  }
}

/*
 * lmcc_sender_get_repair_budget:
 * @sender: a sender with layers of fixed rates
 * @schedule: the schedule of its layers
 * @end: when the window will have been sent
 * @pour: the layers with the room that the window has left
 * @reserve: additional room, reserved for repair
 * @more: (nullable): bytes that each layer sends in addition to its queue
 * @budget: (out): the budget for repair
 */
void
lmcc_sender_get_repair_budget (const LmccSender *sender,
    const LmccSchedule *schedule, LmccTime end, const LmccPour *pour,
    const gsize *reserve, const gsize *more, LmccRepairBudget *budget)
{
  guint i;

  budget->session = &sender->session;
  budget->end = end;
  for (i = 0; i < sender->session.n_layers; i++) {
    /* The repair data of earlier windows is sent first. */
    gsize queued = lmcc_allocator_queued_bytes (&sender->allocator.layers[i])
        + lmcc_sender_get_repair_owed (sender, i)
        + (more != NULL ? more[i] : 0);
    gsize room = lmcc_schedule_get_room (schedule, i, end);

    budget->rates[i] = sender->session.layers[i].rate;
    budget->bytes[i] = pour->room[i] + reserve[i];
    budget->ready[i] = end
        - (LmccTime) ((gdouble) (room - MIN (room, queued)) * 8.0 * LMCC_SECOND
            / (gdouble) budget->rates[i]);
  }
}

/*
 * lmcc_sender_begin_repair_trial:
 * @sender: a sender with layers of fixed rates and repair
 * @end: when the next window will have been sent
 *
 * Returns: (transfer none): a repairer that is to be given one way to send
 * that window
 */
LmccRepairer *
lmcc_sender_begin_repair_trial (LmccSender *sender, LmccTime end)
{
  lmcc_repairer_begin (&sender->repair.repairer, sender->repair.n_windows, end);

  return &sender->repair.repairer;
}

/*
 * lmcc_sender_start_repair_trial:
 * @sender: as in lmcc_sender_begin_repair_trial(); the repairer has its window
 * @budget: the budget that repair would have
 *
 * lmcc_sender_go_on_planning() evaluates the trial from now on.
 */
void
lmcc_sender_start_repair_trial (LmccSender *sender,
    const LmccRepairBudget *budget)
{
  lmcc_repairer_start_plan (&sender->repair.repairer, budget, TRUE);
}

/*
 * lmcc_sender_end_repair_trial:
 * @sender: as in lmcc_sender_begin_repair_trial(), with a finished trial
 *
 * Returns: the expected number of complete pictures
 */
gdouble
lmcc_sender_end_repair_trial (LmccSender *sender)
{
  return sender->repair.repairer.job.n_whole;
}

/* Plans the window that has just been poured into the layers. Its packets
 * may be sent before the plan is finished. */
void
lmcc_sender_plan_repair (LmccSender *sender, const LmccRepairBudget *budget)
{
  expect_window (sender, budget->end);
  lmcc_repairer_start_plan (&sender->repair.repairer, budget, FALSE);
}

/* Returns whether a plan is in progress. */
gboolean
lmcc_sender_plans_repair (const LmccSender *sender)
{
  return sender->repair.repairer.job.active;
}

static gboolean
comes_in_time (const LmccSender *sender, const LmccRepairItem *item,
    const LmccOpportunity *opportunity)
{
  gdouble duration = 8.0 * LMCC_SECOND * (gdouble) item->size
      / (gdouble) sender->session.layers[opportunity->layer].rate;

  return opportunity->begin + (LmccTime) duration <= item->deadline;
}

/* Repair data is sent after the media of its window and before the media of
 * the next one. */
static gboolean
is_repairs_turn (const LmccSender *sender, guint layer,
    const LmccRepairItem *item)
{
  const LmccQueuedUnit *queued =
      g_queue_peek_head ((GQueue *) &sender->allocator.layers[layer].units);

  return queued == NULL || queued->window > item->window;
}

LmccPacket *
lmcc_sender_take_repair (LmccSender *sender, const LmccOpportunity *opportunity)
{
  LmccRepairer *repairer = &sender->repair.repairer;
  guint layer = opportunity->layer;
  const LmccRepairItem *item;

  if (!lmcc_sender_has_repair (sender))
    return NULL;

  while ((item = g_queue_peek_head (&repairer->items[layer])) != NULL) {
    if (!comes_in_time (sender, item, opportunity)) {
      lmcc_repairer_give_up (repairer, layer);
      continue;
    }
    if (!is_repairs_turn (sender, layer, item))
      return NULL;
    return lmcc_repairer_take (repairer, layer);
  }

  return NULL;
}

/*
 * lmcc_sender_peek_repair:
 * @sender: a sender with layers of fixed rates
 * @layer: a layer
 *
 * Returns: size in bytes of the IP packet that lmcc_sender_take_repair()
 * returns next, unless it is late by then; 0 for none
 */
gsize
lmcc_sender_peek_repair (const LmccSender *sender, guint layer)
{
  const LmccRepairItem *item;

  if (!lmcc_sender_has_repair (sender))
    return 0;
  item = g_queue_peek_head ((GQueue *) &sender->repair.repairer.items[layer]);

  return item != NULL && is_repairs_turn (sender, layer, item) ? item->size : 0;
}

/* Unused budget is kept for the next block, up to a limit. */
static void
keep_rests (LmccSender *sender)
{
  const LmccRepairJob *job = &sender->repair.repairer.job;

  if (sender->repair.first > 0)
    sender->repair.own += MIN (job->budget.bytes[0] - job->used[0],
        MAX_REST * sender->session.packet_size);
  sender->repair.pool += MIN (job->budget.pool - job->pool_used,
      MAX_REST * sender->session.packet_size);
}

static void
spread_native (LmccSender *sender, LmccTime now)
{
  LmccTime until = sender->repair.spread_until;

  keep_rests (sender);
  lmcc_repairer_spread (&sender->repair.repairer, now,
      until - MIN (until, now));
}

/*
 * lmcc_sender_go_on_planning:
 * @sender: a sender
 * @now: the time
 * @work: (inout): as in lmcc_repairer_step_plan()
 *
 * Returns: whether nothing is left to plan
 */
gboolean
lmcc_sender_go_on_planning (LmccSender *sender, LmccTime now, guint64 *work)
{
  if (!lmcc_sender_plans_repair (sender))
    return TRUE;
  sender->repair.worked = now;
  if (!lmcc_repairer_step_plan (&sender->repair.repairer, work))
    return FALSE;
  if (!sender->shaped)
    spread_native (sender, now);

  return TRUE;
}

/* Bytes of repair data that the block's part in the base layer needs, whose
 * media has @bytes. A share would be too little for a block that is smaller
 * than others. */
static gsize
get_base_need (LmccSender *sender, gsize bytes)
{
  const LmccRepairer *repairer = &sender->repair.repairer;
  const GPtrArray *groups = repairer->hand.groups;
  guint most = LMCC_REPAIR_BASE_SHARE * sender->session.repair, i;
  gsize need = 0;

  for (i = 0; i < groups->len; i++) {
    const LmccRepairGroup *group = g_ptr_array_index (groups, i);

    if (group->layer == 0)
      need += lmcc_repairer_get_repair_size (repairer, group)
          * lmcc_repair_auto_count_needed (&sender->repair.automatic, group->n,
              most);
  }

  return MIN (need, bytes * most / 1000);
}

static void
close_native (LmccSender *sender, LmccTime now)
{
  LmccRepairBudget budget = { &sender->session };
  gsize base = lmcc_repair_auto_get_base_bytes (&sender->repair.automatic);
  guint64 work = LMCC_SENDER_PLAN_WORK;

  budget.bytes[0] = sender->repair.own;
  budget.pool = sender->repair.pool;
  budget.first = sender->repair.first;
  budget.limit = LMCC_REPAIR_BASE_SHARE * sender->repair.share;
  sender->repair.own = sender->repair.pool = 0;
  sender->repair.spread_until = now
      + MIN (now - sender->repair.since,
          sender->session.repair_delay - sender->repair.block);
  sender->repair.since = LMCC_TIME_NONE;
  lmcc_sender_adapt_repair (sender, now);
  if (sender->repair.automatic.known && !sender->repair.user_base)
    budget.bytes[0] = MAX (budget.bytes[0], get_base_need (sender, base));
  lmcc_repairer_start_plan (&sender->repair.repairer, &budget, FALSE);
  lmcc_sender_go_on_planning (sender, now, &work);
}

static gboolean
ends_block (const LmccSender *sender, const LmccAllotment *allotment,
    LmccTime now)
{
  if (sender->repair.since == LMCC_TIME_NONE
      || lmcc_sender_plans_repair (sender))
    return FALSE;

  return allotment->stream == 0 && allotment->klass == 0
      && allotment->switch_point && allotment->first
      && now - sender->repair.since >= sender->repair.block / KEY_FRACTION;
}

/* @packet is passed as sent. */
void
lmcc_sender_repair_sent (LmccSender *sender, guint layer,
    const LmccAllotment *allotment, LmccPacket *packet, LmccTime now)
{
  LmccRepairer *repairer = &sender->repair.repairer;
  gsize size = sender->udp_overhead + packet->size, share;

  if (!lmcc_sender_has_repair (sender))
    return;
  if (!sender->shaped && ends_block (sender, allotment, now))
    close_native (sender, now);
  if (sender->repair.automatic.on)
    lmcc_repair_auto_note_sent (&sender->repair.automatic, layer,
        allotment->stream == LMCC_STREAM_SOUND, size);
  if (sender->shaped) {
    lmcc_repairer_note_sent (repairer, allotment->stream, layer, packet);
    return;
  }

  if (sender->repair.since == LMCC_TIME_NONE) {
    lmcc_repairer_begin (repairer, 0, LMCC_TIME_NONE);
    sender->repair.since = now;
  }
  lmcc_repairer_add_sent (repairer, allotment, layer, packet);
  share = lmcc_sender_repair_share (sender, layer, size);
  if (layer < sender->repair.first)
    sender->repair.own += share;
  else
    sender->repair.pool += share;
}

/* Repair packets of an unfinished plan have no time yet. */
static LmccTime
get_due (const LmccSender *sender, guint layer)
{
  const LmccRepairItem *item =
      g_queue_peek_head ((GQueue *) &sender->repair.repairer.items[layer]);

  return item != NULL && item->due > 0 ? item->due : LMCC_TIME_NONE;
}

/* Native layers: when the block being collected ends, unless the previous
 * one is not planned yet. */
static LmccTime
get_end (const LmccSender *sender)
{
  if (sender->repair.since == LMCC_TIME_NONE
      || lmcc_sender_plans_repair (sender))
    return LMCC_TIME_NONE;

  return sender->repair.since + sender->repair.block;
}

/* Native layers: continues the plan of the last block, and ends a block that
 * has been collected for long enough. */
void
lmcc_sender_end_repair_block (LmccSender *sender, LmccTime now)
{
  guint64 work = LMCC_SENDER_PLAN_WORK;

  if (lmcc_sender_plans_repair (sender))
    lmcc_sender_go_on_planning (sender, now, &work);
  else if (get_end (sender) <= now)
    close_native (sender, now);
}

/* Native layers.
 * Returns: (transfer full) (nullable): a repair packet that is due by @now
 * in @layer */
LmccPacket *
lmcc_sender_take_due_repair (LmccSender *sender, guint layer, LmccTime now)
{
  if (!lmcc_sender_has_repair (sender) || get_due (sender, layer) > now)
    return NULL;

  return lmcc_repairer_take (&sender->repair.repairer, layer);
}

LmccTime
lmcc_sender_next_repair (const LmccSender *sender)
{
  LmccTime next = LMCC_TIME_NONE;
  guint i;

  if (!lmcc_sender_has_repair (sender))
    return next;
  if (lmcc_sender_plans_repair (sender))
    next = sender->repair.worked;
  next = MIN (next, get_end (sender));
  for (i = 0; i < sender->session.n_layers; i++)
    next = MIN (next, get_due (sender, i));

  return next;
}

void
lmcc_sender_get_repair_stats (const LmccSender *sender, LmccSenderStats *stats)
{
  stats->repair_blocks = sender->repair.repairer.n_blocks;
  stats->repairs_late = sender->repair.repairer.n_late;
  stats->repair_share = sender->repair.share / 1000.0;
  stats->repair_base_share = sender->repair.base / 1000.0;
  stats->repair_reporters = sender->repair.automatic.expected.n;
  stats->repair_loss = sender->repair.automatic.expected.value.loss_rate;
  stats->repair_burst = sender->repair.automatic.expected.value.burst;
}
