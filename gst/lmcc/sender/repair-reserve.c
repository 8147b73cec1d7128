/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * How much of fixed rates is kept free of media for repair: the session's
 * share. Where pictures then have no place a window is poured with smaller
 * reserves too, and the one is taken with which a receiver of all layers is
 * expected to have most whole pictures.
 */
#include "sender/private.h"

/* The share, a half and a quarter of it, and nothing. */
#define N_TRIALS 4

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
clear (Trial * trial)
{
  guint i;

  for (i = 0; i < trial->n_items; i++)
    g_free (trial->items[i].layers);
  g_free (trial->items);
}

static void
reserve (const LmccSender * sender, LmccPour * pour, guint number,
    gsize * reserved)
{
  gsize size = sender->session.packet_size;
  guint i;

  for (i = 0; i < sender->session.n_layers; i++) {
    gsize media = pour->share[i] * 1000 / (1000 + sender->session.repair);
    gsize bytes = lmcc_sender_repair_share (sender, i, media);

    /* In whole packets. */
    bytes = number + 1 < N_TRIALS ? bytes >> number : 0;
    reserved[i] = (bytes + size / 2) / size * size;
    pour->share[i] -= MIN (pour->share[i], reserved[i]);
    pour->room[i] -= MIN (pour->room[i], reserved[i]);
  }
}

static void
try (const LmccSender * sender, LmccTime end, guint number, Trial * trial)
{
  trial->pour = sender->shaper.pour;
  reserve (sender, &trial->pour, number, trial->reserve);
  trial->items = lmcc_shaper_pour (&sender->shaper, end, &trial->pour,
      &trial->n_items);
}

static gboolean
leaves_out (const Trial * trial)
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
expect (LmccRepairer * repairer, const Trial * trial, guint16 osn)
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

static gdouble
count_whole (LmccSender * sender, const Trial * trial)
{
  LmccRepairBudget budget = { 0 };
  gsize poured[LMCC_MAX_LAYERS];
  gdouble n_whole;
  guint i;

  for (i = 0; i < sender->session.n_layers; i++) {
    gsize left = trial->pour.room[i] + trial->reserve[i];

    poured[i] = sender->shaper.pour.room[i];
    poured[i] -= MIN (poured[i], left);
  }
  lmcc_sender_get_repair_budget (sender, &trial->pour, trial->reserve, poured,
      &budget);
  lmcc_repairer_begin (&sender->repairer, sender->n_windows, budget.end);
  expect (&sender->repairer, trial, sender->osn);
  n_whole = lmcc_repairer_try (&sender->repairer, &budget);
  lmcc_repairer_cancel (&sender->repairer);

  return n_whole;
}

/* Returns the number of the best one. */
static guint
choose (LmccSender * sender, LmccTime end)
{
  gdouble best = 0.0;
  guint number = 0, i;

  for (i = 0; i < N_TRIALS; i++) {
    gdouble n_whole;
    Trial trial;

    try (sender, end, i, &trial);
    if (i == 0 && !leaves_out (&trial)) {
      clear (&trial);
      break;
    }
    n_whole = count_whole (sender, &trial);
    clear (&trial);
    if (n_whole > best) {
      best = i == 0 ? LEAST_GAIN * n_whole : n_whole;
      number = i;
    }
  }

  return number;
}

/*
 * lmcc_sender_reserve_repair:
 * @sender: a sender with a window and the rooms and shares for it
 * @end: where the window ends
 *
 * Takes from the rooms what repair is to have of them.
 */
void
lmcc_sender_reserve_repair (LmccSender * sender, LmccTime end)
{
  if (sender->repairer.plan == NULL)
    return;
  reserve (sender, &sender->shaper.pour, choose (sender, end),
      sender->repair_budget);
}
