/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Decides how much room of fixed rates is reserved for repair data: the
 * session's share by default. If pictures then find no place, the window is
 * also tried with smaller reserves, and the reserve is chosen with which a
 * receiver of all layers is expected to have most complete pictures. Each
 * layer below the top keeps a part of it, because packets sent near the end
 * of a window could not be repaired within the window otherwise.
 */
#include "sender/repair-reserve.h"

#include "sender/private.h"

/* The share, a half and a quarter of it, and nothing. */
#define N_TRIALS 4

/* Least part of its share that a layer reserves. */
#define LEAST_PART 2

/* Least gain that justifies a reserve below the share: a smaller one is
 * within the plan's uncertainty. */
#define LEAST_GAIN 1.01

/* One way to send a window. */
typedef struct
{
  LmccPour pour;
  gsize reserve[LMCC_MAX_LAYERS];
  LmccPourItem *items;
  guint n_items;
} Trial;

static void
clear (Trial *trial)
{
  guint i;

  for (i = 0; i < trial->n_items; i++)
    g_free (trial->items[i].layers);
  g_free (trial->items);
}

static void
reserve_bytes (const LmccSender *sender, LmccPour *pour, guint number,
    gsize *reserved)
{
  gsize size = sender->session.packet_size;
  guint share = lmcc_sender_get_repair_share (sender), i;

  for (i = 0; i < sender->session.n_layers; i++) {
    gsize media = pour->share[i] * 1000 / (1000 + share);
    gsize bytes = lmcc_sender_repair_share (sender, i, media);
    gsize least = media * share / 1000;

    /* The base layer's own share may be smaller, or none. */
    if (i == 0)
      least = MIN (least, bytes);
    least = i + 1 < sender->session.n_layers ? least / LEAST_PART : 0;

    /* In whole packets. */
    bytes = MAX (number + 1 < N_TRIALS ? bytes >> number : 0, least);
    reserved[i] = (bytes + size / 2) / size * size;
    pour->share[i] -= MIN (pour->share[i], reserved[i]);
    pour->room[i] -= MIN (pour->room[i], reserved[i]);
  }
}

static void
try (const LmccSender *sender, const LmccSenderWindow *window, guint number,
    Trial *trial)
{
  trial->pour = window->shaper->pour;
  reserve_bytes (sender, &trial->pour, number, trial->reserve);
  trial->items = lmcc_shaper_pour (window->shaper, window->end, &trial->pour,
      &trial->n_items);
}

static gboolean
leaves_out (const Trial *trial)
{
  guint i;

  for (i = 0; i < trial->n_items; i++) {
    const LmccPourItem *item = &trial->items[i];

    if (item->layers == NULL && item->queued->unit->packets->len > 0)
      return TRUE;
  }

  return FALSE;
}

static void
expect (LmccRepairer *repairer, const Trial *trial, guint16 osn)
{
  guint i, first, n;

  for (i = 0; i < trial->n_items; i++) {
    LmccPourItem *item = &trial->items[i];
    guint n_packets = item->queued->unit->packets->len;

    if (item->layers == NULL)
      continue;
    item->queued->osn = osn;
    if (item->queued->unit->stream != LMCC_STREAM_SOUND)
      osn = (guint16) (osn + n_packets);
    for (first = 0; first < n_packets; first += n) {
      n = lmcc_pour_count_run (item, first);
      lmcc_repairer_expect (repairer, item->queued, first, n,
          item->layers[first]);
    }
  }
}

/* Starts a trial: the repairer computes the expected number of complete
 * pictures. */
static void
start_trial (LmccSender *sender, const LmccSenderWindow *window,
    const Trial *trial)
{
  LmccRepairBudget budget = { 0 };
  gsize poured[LMCC_MAX_LAYERS];
  guint i;

  for (i = 0; i < sender->session.n_layers; i++) {
    gsize left = trial->pour.room[i] + trial->reserve[i];

    poured[i] = window->shaper->pour.room[i];
    poured[i] -= MIN (poured[i], left);
  }
  lmcc_sender_get_repair_budget (sender, window->schedule,
      window->sending_until, &trial->pour, trial->reserve, poured, &budget);
  expect (lmcc_sender_begin_repair_trial (sender, budget.end), trial,
      sender->osn);
  lmcc_sender_start_repair_trial (sender, &budget);
}

static void
end_trial (LmccSender *sender, LmccSenderReserve *reserve)
{
  gdouble n_whole = lmcc_sender_end_repair_trial (sender);

  if (n_whole > reserve->most) {
    reserve->most = reserve->number == 0 ? LEAST_GAIN * n_whole : n_whole;
    reserve->best = reserve->number;
  }
  reserve->trying = FALSE;
  reserve->number++;
}

/*
 * lmcc_sender_begin_reserve:
 * @reserve: (out): initial state
 */
void
lmcc_sender_begin_reserve (LmccSenderReserve *reserve)
{
  *reserve = (LmccSenderReserve){ 0 };
}

/*
 * lmcc_sender_choose_reserve:
 * @sender: a sender with layers of fixed rates, without a plan in progress
 * @window: a window that is to be poured
 * @reserve: (inout): the state of its reserve
 *
 * Evaluates the last trial and begins the next one. In that case, finish the
 * plan before you call this function again.
 *
 * Returns: whether the reserve is decided
 */
gboolean
lmcc_sender_choose_reserve (LmccSender *sender, const LmccSenderWindow *window,
    LmccSenderReserve *reserve)
{
  gboolean chosen;
  Trial trial;

  if (!lmcc_sender_has_repair (sender))
    return TRUE;
  if (reserve->trying)
    end_trial (sender, reserve);
  else
    lmcc_sender_adapt_repair (sender, window->end);
  if (!lmcc_sender_needs_repair (sender))
    return TRUE;
  if (reserve->number == N_TRIALS)
    return TRUE;
  try (sender, window, reserve->number, &trial);
  chosen = reserve->number == 0 && !leaves_out (&trial);
  if (!chosen)
    start_trial (sender, window, &trial);
  reserve->trying = !chosen;
  clear (&trial);

  return chosen;
}

/*
 * lmcc_sender_reserve_repair:
 * @sender: a sender with layers of fixed rates
 * @window: a window that is to be poured
 * @reserve: the chosen reserve
 * @reserved: (out): bytes reserved for repair in each layer; unchanged if there
 *     is no repair
 *
 * Subtracts the reserve from the window's rooms.
 */
void
lmcc_sender_reserve_repair (LmccSender *sender, const LmccSenderWindow *window,
    const LmccSenderReserve *reserve, gsize reserved[LMCC_MAX_LAYERS])
{
  if (!lmcc_sender_has_repair (sender))
    return;
  reserve_bytes (sender, &window->shaper->pour, reserve->best, reserved);
}
