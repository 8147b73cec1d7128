/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/layer-account.h"

#include <string.h>

/* How many sequence numbers back duplicates can be told from late packets. */
#define HISTORY 2048

/* Lost packets arrive late within this time or not at all: algorithms look
 * back as far (LMCC_LOSS_HOLD, plumb's overload). The account remembers this
 * number of runs of losses for it. */
#define LATE_TIME LMCC_SECOND
#define LATE_RUNS 256

/* Longer times between two packets are cut to this, so that interpolated
 * times do not overflow. */
#define MAX_SPAN (24 * 3600 * LMCC_SECOND)

/* Consecutive packets that have not arrived and still may. */
typedef struct
{
  LmccLoss run;
  guint later;
  LmccTime noticed;
} Missing;

struct _LmccLayerAccount
{
  LmccReordering *reordering;
  gboolean started;
  guint16 highest;
  LmccTime highest_time;
  gboolean suspect;
  guint16 suspect_lsn;
  guint8 received[HISTORY / 8]; /* bits: received, by number modulo HISTORY */
  GArray *missing;              /* array of Missing, by number */
  GArray *losses;               /* array of LmccLoss, to be polled */
  guint n_polled;
  GArray *lost; /* ring of Missing: the latest packets that count as lost */
  guint n_lost;
  GArray *found;      /* array of LmccLoss: lost packets that arrived after
                       * all, to be polled */
  GArray *found_runs; /* array of gint, by the same index */
  guint n_found_polled;
  LmccLayerStats stats;
};

/**
 * lmcc_layer_account_new:
 * @reordering: (transfer none): the reordering observed on the layer's path;
 *     must outlive the account, which updates it
 *
 * Returns: (transfer full): an empty account
 */
LmccLayerAccount *
lmcc_layer_account_new (LmccReordering *reordering)
{
  LmccLayerAccount *account = g_new0 (LmccLayerAccount, 1);

  account->reordering = reordering;
  account->missing = g_array_new (FALSE, FALSE, sizeof (Missing));
  account->losses = g_array_new (FALSE, FALSE, sizeof (LmccLoss));
  account->lost = g_array_new (FALSE, FALSE, sizeof (Missing));
  account->found = g_array_new (FALSE, FALSE, sizeof (LmccLoss));
  account->found_runs = g_array_new (FALSE, FALSE, sizeof (gint));

  return account;
}

/*
 * lmcc_layer_account_go_on:
 * @account: an empty account
 * @stats: initial values of its counters
 */
void
lmcc_layer_account_go_on (LmccLayerAccount *account,
    const LmccLayerStats *stats)
{
  account->stats = *stats;
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
  g_array_unref (account->lost);
  g_array_unref (account->found);
  g_array_unref (account->found_runs);
  g_free (account);
}

static void
forget_losses (LmccLayerAccount *account)
{
  g_array_set_size (account->lost, 0);
  account->n_lost = 0;
}

/**
 * lmcc_layer_account_reset:
 * @account: an account
 *
 * Forgets the position in the sequence: the next packet starts it anew. Packets
 * that are missing now are not counted as lost. The counters continue.
 */
void
lmcc_layer_account_reset (LmccLayerAccount *account)
{
  account->started = FALSE;
  account->suspect = FALSE;
  g_array_set_size (account->missing, 0);
  g_array_set_size (account->losses, 0);
  account->n_polled = 0;
  g_array_set_size (account->found, 0);
  g_array_set_size (account->found_runs, 0);
  account->n_found_polled = 0;
  forget_losses (account);
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

/* Forgets the earlier packets with these numbers before the numbers wrap
 * around to them. */
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
  forget_losses (account);
}

/**
 * lmcc_layer_account_expect:
 * @account: an account that has seen nothing since it was created or reset
 * @lsn: a layer sequence number
 * @since: earliest time at which the packet before it may have arrived
 *
 * The layer's packets from @lsn on are expected: those missing between @lsn and
 * the first arrival count like any others.
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
 * @lsn: layer sequence number of the next packet
 * @arrival: arrival time of that packet
 *
 * The numbers restart: nothing before that packet is missing.
 */
void
lmcc_layer_account_restart (LmccLayerAccount *account, guint16 lsn,
    LmccTime arrival)
{
  lmcc_layer_account_expect (account, lsn, arrival);
  account->stats.restarts++;
}

static void
remember_lost (LmccLayerAccount *account, const Missing *missing)
{
  if (account->lost->len < LATE_RUNS)
    g_array_append_val (account->lost, *missing);
  else
    g_array_index (account->lost, Missing, account->n_lost % LATE_RUNS) =
        *missing;
  account->n_lost++;
}

/* The run at @index counts as lost. */
static void
declare_lost (LmccLayerAccount *account, guint index, LmccTime now)
{
  const Missing *missing = &g_array_index (account->missing, Missing, index);

  account->stats.lost += missing->run.count;
  lmcc_reordering_lose (account->reordering, now);
  remember_lost (account, missing);
  g_array_append_val (account->losses, missing->run);
  g_array_remove_index (account->missing, index);
}

static LmccTime
get_due (const LmccLayerAccount *account, const Missing *missing)
{
  return missing->noticed
      + lmcc_reordering_get_wait (account->reordering, missing->later);
}

/* Such distant packets no longer fill a gap, see take_distant(). This bounds
 * the number of runs, whatever arrives. */
static gboolean
is_out_of_reach (const LmccLayerAccount *account, const Missing *missing)
{
  return lmcc_sequence_diff (account->highest,
             (guint16) (missing->run.lsn + missing->run.count - 1))
      > LMCC_MAX_GAP;
}

/* Counts a later packet for each missing one below @lsn. */
static void
count_later (LmccLayerAccount *account, guint16 lsn, LmccTime arrival)
{
  guint i = 0;

  while (i < account->missing->len) {
    Missing *missing = &g_array_index (account->missing, Missing, i);

    if (lmcc_sequence_diff (lsn, missing->run.lsn) > 0)
      missing->later++;
    if (missing->later >= LMCC_LOSS_THRESHOLD
        && (get_due (account, missing) <= arrival
            || is_out_of_reach (account, missing)))
      declare_lost (account, i, arrival);
    else
      i++;
  }
}

/* Records what is missing between the highest packet so far and @lsn. */
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

/* The run among @runs that contains a missing packet, and the packet's
 * position in it; %NULL if there is none. */
static Missing *
find_run (const GArray *runs, guint16 lsn, guint *index, guint *at)
{
  for (*index = 0; *index < runs->len; *index += 1) {
    Missing *missing = &g_array_index (runs, Missing, *index);

    *at = (guint16) (lsn - missing->run.lsn);
    if (*at < missing->run.count)
      return missing;
  }

  return NULL;
}

static LmccTime
get_lateness (const Missing *missing, LmccTime arrival)
{
  return arrival > missing->noticed ? arrival - missing->noticed : 0;
}

/* Removes one packet from the run that contains it, if there is one. If it
 * was the run's first, the rest may still arrive in order: the packet that
 * revealed the gap came too early or was forged. */
static gboolean
fill (LmccLayerAccount *account, guint16 lsn, LmccTime arrival)
{
  guint i, at;
  Missing *missing = find_run (account->missing, lsn, &i, &at);
  Missing behind;

  if (missing == NULL)
    return FALSE;
  if (missing->later >= LMCC_LOSS_THRESHOLD)
    lmcc_reordering_late (account->reordering, get_lateness (missing, arrival));
  behind = *missing;
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

/* Withdraws the loss of a packet. Only losses are remembered, so a forged
 * packet must hit the number of a lost one. */
static gboolean
take_back (LmccLayerAccount *account, guint16 lsn, LmccTime arrival)
{
  guint i, at;
  Missing *lost = find_run (account->lost, lsn, &i, &at);
  Missing behind;
  LmccLoss found;
  gint runs;

  if (lost == NULL || get_lateness (lost, arrival) > LATE_TIME)
    return FALSE;
  lmcc_reordering_late (account->reordering, get_lateness (lost, arrival));
  found = lost->run;
  if (at > 0)
    lmcc_loss_drop_first (&found, at);
  found.count = 1;
  runs = (at > 0) + (at + 1 < lost->run.count) - 1;
  g_array_append_val (account->found, found);
  g_array_append_val (account->found_runs, runs);
  behind = *lost;
  lost->run.count = at;
  if (at + 1 < behind.run.count) {
    lmcc_loss_drop_first (&behind.run, at + 1);
    if (at == 0)
      *lost = behind;
    else
      remember_lost (account, &behind);
  }

  return TRUE;
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
  if (take_back (account, lsn, arrival))
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
 * @arrival: arrival time of the packet
 * @lsn: its layer sequence number
 * @bytes: its size including IP and UDP headers
 *
 * Counts one packet. Missing packets may become losses: poll them with
 * lmcc_layer_account_poll_loss().
 *
 * Returns: what kind of arrival it is; drop the packet if it is
 * %LMCC_ARRIVAL_LATE, %LMCC_ARRIVAL_DUPLICATE or %LMCC_ARRIVAL_SUSPECT
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
  count_later (account, lsn, arrival);

  return result;
}

/**
 * lmcc_layer_account_timeout:
 * @account: an account
 * @now: the time
 *
 * Declares packets lost that have been missing for long enough, see
 * lmcc_reordering_get_wait().
 */
void
lmcc_layer_account_timeout (LmccLayerAccount *account, LmccTime now)
{
  guint i = 0;

  while (i < account->missing->len) {
    if (get_due (account, &g_array_index (account->missing, Missing, i)) <= now)
      declare_lost (account, i, now);
    else
      i++;
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
  LmccTime next = LMCC_TIME_NONE;
  guint i;

  for (i = 0; i < account->missing->len; i++)
    next = MIN (next,
        get_due (account, &g_array_index (account->missing, Missing, i)));

  return next;
}

static gboolean
poll (GArray *losses, guint *n_polled, LmccLoss *loss)
{
  if (*n_polled == losses->len) {
    g_array_set_size (losses, 0);
    *n_polled = 0;
    return FALSE;
  }
  *loss = g_array_index (losses, LmccLoss, *n_polled);
  *n_polled += 1;

  return TRUE;
}

/**
 * lmcc_layer_account_poll_loss:
 * @account: an account
 * @loss: (out): a run of losses that has not been polled
 *
 * Returns: %FALSE if there is none
 */
gboolean
lmcc_layer_account_poll_loss (LmccLayerAccount *account, LmccLoss *loss)
{
  return poll (account->losses, &account->n_polled, loss);
}

/**
 * lmcc_layer_account_poll_found:
 * @account: an account whose losses have all been polled
 * @loss: (out): a lost packet that arrived after all within a second, and has
 *     not been polled here
 * @n_runs: (out): how many runs of lost packets there are more without it: -1
 *     if it was alone, 1 if it was in the middle of a run
 *
 * Returns: %FALSE if there is none
 */
gboolean
lmcc_layer_account_poll_found (LmccLayerAccount *account, LmccLoss *loss,
    gint *n_runs)
{
  guint i = account->n_found_polled;

  if (!poll (account->found, &account->n_found_polled, loss)) {
    g_array_set_size (account->found_runs, 0);
    return FALSE;
  }
  *n_runs = g_array_index (account->found_runs, gint, i);

  return TRUE;
}

/**
 * lmcc_layer_account_settled:
 * @account: an account
 * @lsn: a layer sequence number
 *
 * Returns: whether each packet up to @lsn has either arrived or been declared
 * lost
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
