/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * How much of fixed rates is kept free of media for repair: the session's
 * share. Where pictures then have no place a window is poured with smaller
 * reserves too, and the one is taken with which a receiver of all layers is
 * expected to have most whole pictures. A part of it every layer keeps that has
 * another one above: what is sent up to the end of a window nobody can repair
 * within it.
 */
#include "sender/repair-reserve.h"

#include "sender/private.h"

/* The share, a half and a quarter of it, and nothing. */
#define N_TRIALS 4

/* What a layer keeps free of media at least, as part of its share. */
#define LEAST_PART 2

/* What has to be gained to go below the share: less is within what the plan
 * does not know. */
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
  guint i;

  for (i = 0; i < sender->session.n_layers; i++) {
    gsize media = pour->share[i] * 1000 / (1000 + sender->session.repair);
    gsize bytes = lmcc_sender_repair_share (sender, i, media);
    gsize least = media * sender->session.repair / 1000;

    /* The base's own share may be smaller, or none. */
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

/* From now on the repairer finds out how many whole pictures are expected. */
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
 * @reserve: (out): nothing is tried yet
 */
void
lmcc_sender_begin_reserve (LmccSenderReserve *reserve)
{
  *reserve = (LmccSenderReserve){ 0 };
}

/*
 * lmcc_sender_choose_reserve:
 * @sender: a sender of fixed rates that plans no repair now
 * @window: that is to be poured
 * @reserve: (inout): what is known of its reserve
 *
 * Looks at what the last trial said, and begins the next one: then repair is to
 * be planned before this is called again.
 *
 * Returns: whether the reserve is known
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
 * @sender: a sender of fixed rates
 * @window: that is to be poured
 * @reserve: what was chosen for it
 * @reserved: (out): bytes of each layer for repair; untouched where there is
 *     none
 *
 * Takes from the window's rooms what repair is to have of them.
 */
void
lmcc_sender_reserve_repair (LmccSender *sender, const LmccSenderWindow *window,
    const LmccSenderReserve *reserve, gsize reserved[LMCC_MAX_LAYERS])
{
  if (!lmcc_sender_has_repair (sender))
    return;
  reserve_bytes (sender, &window->shaper->pour, reserve->best, reserved);
}
