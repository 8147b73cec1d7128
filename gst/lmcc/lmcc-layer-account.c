/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "lmcc-layer-account.h"

/* How many sequence numbers back duplicates and late packets are told apart. */
#define HISTORY 2048

typedef enum
{
  STATE_UNKNOWN = 0,
  STATE_RECEIVED,
  STATE_MISSING,
  STATE_LOST,
} PacketState;

typedef struct
{
  guint16 lsn;
  guint later;
  LmccTime noticed;
  LmccTime nominal;
} Missing;

struct _LmccLayerAccount
{
  gboolean started;
  guint16 highest;
  LmccTime highest_time;
  gboolean suspect;
  guint16 suspect_lsn;
  guint8 states[HISTORY];
  GArray *missing;
  GArray *losses;
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
lmcc_layer_account_free (LmccLayerAccount * account)
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
lmcc_layer_account_reset (LmccLayerAccount * account)
{
  account->started = FALSE;
  account->suspect = FALSE;
  g_array_set_size (account->missing, 0);
  g_array_set_size (account->losses, 0);
}

static void
start (LmccLayerAccount * account, guint16 lsn, LmccTime arrival)
{
  guint i;

  for (i = 0; i < HISTORY; i++)
    account->states[i] = STATE_UNKNOWN;
  account->states[lsn % HISTORY] = STATE_RECEIVED;
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
lmcc_layer_account_expect (LmccLayerAccount * account, guint16 lsn,
    LmccTime since)
{
  start (account, (guint16) (lsn - 1), since);
  account->states[(guint16) (lsn - 1) % HISTORY] = STATE_UNKNOWN;
}

static void
declare_lost (LmccLayerAccount * account, const Missing * missing)
{
  LmccLoss loss = { missing->lsn, missing->nominal };

  account->states[missing->lsn % HISTORY] = STATE_LOST;
  account->stats.lost++;
  g_array_append_val (account->losses, loss);
}

/* Counts a later packet for each missing one below @lsn (RFC 5348 section
 * 5.1). */
static void
count_later (LmccLayerAccount * account, guint16 lsn)
{
  guint i = 0;

  while (i < account->missing->len) {
    Missing *missing = &g_array_index (account->missing, Missing, i);

    if (lmcc_sequence_diff (lsn, missing->lsn) > 0
        && ++missing->later >= LMCC_LOSS_THRESHOLD) {
      declare_lost (account, missing);
      g_array_remove_index (account->missing, i);
    } else {
      i++;
    }
  }
}

/* Notes what is missing between the highest packet so far and @lsn. Its nominal
 * time is interpolated between their arrivals (RFC 4654 section 5.2). */
static void
note_missing (LmccLayerAccount * account, guint16 lsn, LmccTime arrival)
{
  guint gap = (guint) lmcc_sequence_diff (lsn, account->highest);
  LmccTime span = arrival > account->highest_time ?
      arrival - account->highest_time : 0;
  guint i;

  for (i = 1; i < gap; i++) {
    Missing missing = {
      .lsn = (guint16) (account->highest + i),
      .noticed = arrival,
      .nominal = account->highest_time + span * i / gap,
    };

    account->states[missing.lsn % HISTORY] = STATE_MISSING;
    g_array_append_val (account->missing, missing);
  }
}

static void
remove_missing (LmccLayerAccount * account, guint16 lsn)
{
  guint i;

  for (i = 0; i < account->missing->len; i++) {
    if (g_array_index (account->missing, Missing, i).lsn == lsn) {
      g_array_remove_index (account->missing, i);
      return;
    }
  }
}

static LmccArrival
take_older (LmccLayerAccount * account, guint16 lsn)
{
  switch ((PacketState) account->states[lsn % HISTORY]) {
    case STATE_MISSING:
      account->states[lsn % HISTORY] = STATE_RECEIVED;
      remove_missing (account, lsn);
      account->stats.reordered++;
      return LMCC_ARRIVAL_REORDERED;
    case STATE_RECEIVED:
      account->stats.duplicates++;
      return LMCC_ARRIVAL_DUPLICATE;
    case STATE_LOST:
      account->states[lsn % HISTORY] = STATE_RECEIVED;
      account->stats.late++;
      return LMCC_ARRIVAL_LATE;
    case STATE_UNKNOWN:
    default:
      account->stats.late++;
      return LMCC_ARRIVAL_LATE;
  }
}

static LmccArrival
take_distant (LmccLayerAccount * account, guint16 lsn, LmccTime arrival)
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
take_newer (LmccLayerAccount * account, guint16 lsn, LmccTime arrival)
{
  gint ahead = lmcc_sequence_diff (lsn, account->highest);

  if (ahead > 1)
    note_missing (account, lsn, arrival);
  account->states[lsn % HISTORY] = STATE_RECEIVED;
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
lmcc_layer_account_packet (LmccLayerAccount * account, LmccTime arrival,
    guint16 lsn, gsize bytes)
{
  LmccArrival result;
  gint ahead;

  if (!account->started) {
    start (account, lsn, arrival);
    result = LMCC_ARRIVAL_RESTART;
  } else {
    ahead = lmcc_sequence_diff (lsn, account->highest);
    if (ABS (ahead) > LMCC_MAX_GAP)
      result = take_distant (account, lsn, arrival);
    else if (ahead > 0)
      result = take_newer (account, lsn, arrival);
    else
      result = take_older (account, lsn);
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
lmcc_layer_account_timeout (LmccLayerAccount * account, LmccTime now)
{
  while (account->missing->len > 0) {
    Missing *missing = &g_array_index (account->missing, Missing, 0);

    if (missing->noticed + LMCC_LOSS_TIMEOUT > now)
      return;
    declare_lost (account, missing);
    g_array_remove_index (account->missing, 0);
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
lmcc_layer_account_next_timeout (const LmccLayerAccount * account)
{
  if (account->missing->len == 0)
    return LMCC_TIME_NONE;

  return g_array_index (account->missing, Missing, 0).noticed +
      LMCC_LOSS_TIMEOUT;
}

/**
 * lmcc_layer_account_poll_loss:
 * @account: an account
 * @loss: (out): a loss that was not polled before
 *
 * Returns: %FALSE if there is none
 */
gboolean
lmcc_layer_account_poll_loss (LmccLayerAccount * account, LmccLoss * loss)
{
  if (account->losses->len == 0)
    return FALSE;

  *loss = g_array_index (account->losses, LmccLoss, 0);
  g_array_remove_index (account->losses, 0);

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
lmcc_layer_account_settled (const LmccLayerAccount * account, guint16 lsn)
{
  if (!account->started || lmcc_sequence_diff (lsn, account->highest) > 0)
    return FALSE;
  if (account->missing->len == 0)
    return TRUE;

  return lmcc_sequence_diff (lsn,
      g_array_index (account->missing, Missing, 0).lsn) < 0;
}

/**
 * lmcc_layer_account_get_stats:
 * @account: an account
 *
 * Returns: (transfer none): its counters
 */
const LmccLayerStats *
lmcc_layer_account_get_stats (const LmccLayerAccount * account)
{
  return &account->stats;
}
