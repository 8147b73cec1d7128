/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/layer-account.h"

#include <string.h>

/* How many sequence numbers back duplicates and late packets are told apart. */
#define HISTORY 2048

/* Longer times between two packets are taken for this: so nominal times do not
 * overflow. */
#define MAX_SPAN (24 * 3600 * LMCC_SECOND)

/* Packets in a row that have not come, and may still. */
typedef struct
{
  LmccLoss run;
  guint later;
  LmccTime noticed;
} Missing;

struct _LmccLayerAccount
{
  gboolean started;
  guint16 highest;
  LmccTime highest_time;
  gboolean suspect;
  guint16 suspect_lsn;
  guint8 received[HISTORY / 8]; /* bit set, by number modulo HISTORY */
  GArray *missing;              /* of Missing, by number */
  GArray *losses;               /* of LmccLoss, to be polled */
  guint n_polled;
  LmccLayerStats stats;
};

/**
 * lmcc_layer_account_new:
 *
 * Returns: (transfer full): an account that has seen nothing
 */
LmccLayerAccount *
lmcc_layer_account_new (void)
{
  LmccLayerAccount *account = g_new0 (LmccLayerAccount, 1);

  account->missing = g_array_new (FALSE, FALSE, sizeof (Missing));
  account->losses = g_array_new (FALSE, FALSE, sizeof (LmccLoss));

  return account;
}

/**
 * lmcc_layer_account_free:
 * @account: (transfer full): an account
 */
void
lmcc_layer_account_free (LmccLayerAccount *account)
{
  g_array_unref (account->missing);
  g_array_unref (account->losses);
  g_free (account);
}

/**
 * lmcc_layer_account_reset:
 * @account: an account
 *
 * Forgets where the sequence was: the next packet starts it anew. What is still
 * missing is not counted as lost. The counters go on.
 */
void
lmcc_layer_account_reset (LmccLayerAccount *account)
{
  account->started = FALSE;
  account->suspect = FALSE;
  g_array_set_size (account->missing, 0);
  g_array_set_size (account->losses, 0);
  account->n_polled = 0;
}

static gboolean
was_received (const LmccLayerAccount *account, guint16 lsn)
{
  return account->received[lsn % HISTORY / 8] >> lsn % 8 & 1;
}

static void
note_received (LmccLayerAccount *account, guint16 lsn)
{
  account->received[lsn % HISTORY / 8] |= (guint8) (1u << lsn % 8);
}

/* Forgets what had these numbers before they came round again. */
static void
forget (LmccLayerAccount *account, guint16 lsn, guint n)
{
  if (n >= HISTORY) {
    memset (account->received, 0, sizeof (account->received));
    return;
  }
  for (; n > 0; n--, lsn++)
    account->received[lsn % HISTORY / 8] &= (guint8) ~(1u << lsn % 8);
}

static void
start (LmccLayerAccount *account, guint16 lsn, LmccTime arrival)
{
  forget (account, 0, HISTORY);
  note_received (account, lsn);
  account->started = TRUE;
  account->suspect = FALSE;
  account->highest = lsn;
  account->highest_time = arrival;
  g_array_set_size (account->missing, 0);
}

/**
 * lmcc_layer_account_expect:
 * @account: an account that has seen nothing since it was made or reset
 * @lsn: a layer sequence number
 * @since: when the packet before it may have come
 *
 * The layer's packets from @lsn on should come: what is missing between there
 * and the first one that does counts as any other.
 */
void
lmcc_layer_account_expect (LmccLayerAccount *account, guint16 lsn,
    LmccTime since)
{
  start (account, (guint16) (lsn - 1), since);
  forget (account, 0, HISTORY);
}

/**
 * lmcc_layer_account_restart:
 * @account: an account
 * @lsn: the layer sequence number of the packet that comes next
 * @arrival: when it came
 *
 * Numbers begin anew: nothing before that packet is missing.
 */
void
lmcc_layer_account_restart (LmccLayerAccount *account, guint16 lsn,
    LmccTime arrival)
{
  lmcc_layer_account_expect (account, lsn, arrival);
  account->stats.restarts++;
}

/* The run at @index is lost. */
static void
declare_lost (LmccLayerAccount *account, guint index)
{
  const Missing *missing = &g_array_index (account->missing, Missing, index);

  account->stats.lost += missing->run.count;
  g_array_append_val (account->losses, missing->run);
  g_array_remove_index (account->missing, index);
}

/* Counts a later packet for each missing one below @lsn (RFC 5348 section
 * 5.1). Whatever comes, runs are few: three later packets end one. */
static void
count_later (LmccLayerAccount *account, guint16 lsn)
{
  guint i = 0;

  while (i < account->missing->len) {
    Missing *missing = &g_array_index (account->missing, Missing, i);

    if (lmcc_sequence_diff (lsn, missing->run.lsn) > 0
        && ++missing->later >= LMCC_LOSS_THRESHOLD)
      declare_lost (account, i);
    else
      i++;
  }
}

/* Notes what is missing between the highest packet so far and @lsn. */
static void
note_missing (LmccLayerAccount *account, guint gap, LmccTime arrival)
{
  LmccTime span =
      arrival > account->highest_time ? arrival - account->highest_time : 0;
  Missing missing = {
    .run = {
          .lsn = (guint16) (account->highest + 1),
          .count = gap - 1,
          .before = account->highest_time,
          .span = MIN (span, MAX_SPAN),
          .gap = gap,
          .index = 1,
        },
    .noticed = arrival,
  };

  g_array_append_val (account->missing, missing);
}

/* Takes one packet out of the run that it is missing in, if there is one. Where
 * it was the first one, what follows it may still be on its way, in order: the
 * packet that the gap was noticed by came too early, or was forged. */
static gboolean
fill (LmccLayerAccount *account, guint16 lsn, LmccTime arrival)
{
  guint i;

  for (i = 0; i < account->missing->len; i++) {
    Missing *missing = &g_array_index (account->missing, Missing, i);
    guint at = (guint16) (lsn - missing->run.lsn);
    Missing behind = *missing;

    if (at >= missing->run.count)
      continue;
    missing->run.count = at;
    if (at + 1 < behind.run.count) {
      lmcc_loss_drop_first (&behind.run, at + 1);
      if (at == 0)
        behind.noticed = arrival;
      g_array_insert_val (account->missing, i + 1, behind);
    }
    if (at == 0)
      g_array_remove_index (account->missing, i);
    return TRUE;
  }

  return FALSE;
}

static LmccArrival
take_older (LmccLayerAccount *account, guint16 lsn, LmccTime arrival)
{
  if (was_received (account, lsn)) {
    account->stats.duplicates++;
    return LMCC_ARRIVAL_DUPLICATE;
  }
  note_received (account, lsn);
  if (fill (account, lsn, arrival)) {
    account->stats.reordered++;
    return LMCC_ARRIVAL_REORDERED;
  }
  account->stats.late++;

  return LMCC_ARRIVAL_LATE;
}

static LmccArrival
take_distant (LmccLayerAccount *account, guint16 lsn, LmccTime arrival)
{
  if (account->suspect && lsn == (guint16) (account->suspect_lsn + 1)) {
    start (account, lsn, arrival);
    account->stats.restarts++;
    return LMCC_ARRIVAL_RESTART;
  }
  account->suspect = TRUE;
  account->suspect_lsn = lsn;

  return LMCC_ARRIVAL_SUSPECT;
}

static LmccArrival
take_newer (LmccLayerAccount *account, guint16 lsn, LmccTime arrival)
{
  gint ahead = lmcc_sequence_diff (lsn, account->highest);

  if (ahead > 1)
    note_missing (account, (guint) ahead, arrival);
  forget (account, (guint16) (account->highest + 1), (guint) ahead);
  note_received (account, lsn);
  account->highest = lsn;
  account->highest_time = arrival;

  return ahead > 1 ? LMCC_ARRIVAL_AFTER_GAP : LMCC_ARRIVAL_IN_ORDER;
}

/**
 * lmcc_layer_account_packet:
 * @account: an account
 * @arrival: when the packet came
 * @lsn: its layer sequence number
 * @bytes: its size with IP and UDP headers
 *
 * Counts one packet. It may turn missing packets into lost ones: poll them with
 * lmcc_layer_account_poll_loss().
 *
 * Returns: what the packet is; %LMCC_ARRIVAL_LATE, %LMCC_ARRIVAL_DUPLICATE and
 *     %LMCC_ARRIVAL_SUSPECT ones are to be dropped
 */
LmccArrival
lmcc_layer_account_packet (LmccLayerAccount *account, LmccTime arrival,
    guint16 lsn, gsize bytes)
{
  LmccArrival result;
  gint ahead;

  if (!account->started) {
    start (account, lsn, arrival);
    result = LMCC_ARRIVAL_RESTART;
  } else {
    ahead = lmcc_sequence_diff (lsn, account->highest);
    if (ahead < -LMCC_MAX_GAP)
      result = take_distant (account, lsn, arrival);
    else if (ahead > 0)
      result = take_newer (account, lsn, arrival);
    else
      result = take_older (account, lsn, arrival);
  }

  switch (result) {
    case LMCC_ARRIVAL_LATE:
    case LMCC_ARRIVAL_DUPLICATE:
    case LMCC_ARRIVAL_SUSPECT:
      return result;
    default:
      break;
  }

  account->suspect = FALSE;
  account->stats.received++;
  account->stats.bytes += bytes;
  count_later (account, lsn);

  return result;
}

/**
 * lmcc_layer_account_timeout:
 * @account: an account
 * @now: the time
 *
 * Turns what has been missing for %LMCC_LOSS_TIMEOUT into losses.
 */
void
lmcc_layer_account_timeout (LmccLayerAccount *account, LmccTime now)
{
  while (account->missing->len > 0) {
    Missing *missing = &g_array_index (account->missing, Missing, 0);

    if (missing->noticed + LMCC_LOSS_TIMEOUT > now)
      return;
    declare_lost (account, 0);
  }
}

/**
 * lmcc_layer_account_next_timeout:
 * @account: an account
 *
 * Returns: when lmcc_layer_account_timeout() has something to do, or
 *     %LMCC_TIME_NONE
 */
LmccTime
lmcc_layer_account_next_timeout (const LmccLayerAccount *account)
{
  if (account->missing->len == 0)
    return LMCC_TIME_NONE;

  return g_array_index (account->missing, Missing, 0).noticed
      + LMCC_LOSS_TIMEOUT;
}

/**
 * lmcc_layer_account_poll_loss:
 * @account: an account
 * @loss: (out): a run of losses that was not polled before
 *
 * Returns: %FALSE if there is none
 */
gboolean
lmcc_layer_account_poll_loss (LmccLayerAccount *account, LmccLoss *loss)
{
  if (account->n_polled == account->losses->len) {
    g_array_set_size (account->losses, 0);
    account->n_polled = 0;
    return FALSE;
  }
  *loss = g_array_index (account->losses, LmccLoss, account->n_polled++);

  return TRUE;
}

/**
 * lmcc_layer_account_settled:
 * @account: an account
 * @lsn: a layer sequence number
 *
 * Returns: whether each packet up to @lsn has either come or been lost
 */
gboolean
lmcc_layer_account_settled (const LmccLayerAccount *account, guint16 lsn)
{
  if (!account->started || lmcc_sequence_diff (lsn, account->highest) > 0)
    return FALSE;
  if (account->missing->len == 0)
    return TRUE;

  return lmcc_sequence_diff (lsn,
             g_array_index (account->missing, Missing, 0).run.lsn)
      < 0;
}

/**
 * lmcc_layer_account_get_stats:
 * @account: an account
 *
 * Returns: (transfer none): its counters
 */
const LmccLayerStats *
lmcc_layer_account_get_stats (const LmccLayerAccount *account)
{
  return &account->stats;
}
