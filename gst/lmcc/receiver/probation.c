/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/probation.h"

#include "measure/loss.h"
#include "receiver/claim-fit.h"

/* Greatest number of packets on probation; a new one replaces the oldest. */
#define MAX_CLAIMS 32

/* Weight with which the longest interval between packets in order decays per
 * packet, and its limit. */
#define LONGEST_WEIGHT 16
#define MAX_LONGEST (500 * LMCC_MSECOND)

/* If no packet arrived in order for this long, the layer is interrupted, and
 * a single packet decides. */
#define INTERRUPTED (500 * LMCC_MSECOND)
#define INTERRUPTED_PACKETS 4

/* After a packet that was out of order or refuted, even small leaps are on
 * probation for this long. */
#define WARY (60 * LMCC_SECOND)

typedef struct
{
  LmccClaim claim;
  LmccVerdict verdict;
} Decided;

/*
 * lmcc_probation_init:
 * @probation: (out): a probation without packets
 * @max_leap: packets whose numbers differ by more do not confirm each other
 */
void
lmcc_probation_init (LmccProbation *probation, guint max_leap)
{
  *probation = (LmccProbation){ .max_leap = max_leap };
  probation->claims = g_array_new (FALSE, FALSE, sizeof (LmccClaim));
  probation->verdicts = g_array_new (FALSE, FALSE, sizeof (Decided));
}

static void
clear_verdicts (LmccProbation *probation)
{
  guint i;

  for (i = probation->n_polled; i < probation->verdicts->len; i++)
    lmcc_packet_unref (
        g_array_index (probation->verdicts, Decided, i).claim.packet);
  g_array_set_size (probation->verdicts, 0);
  probation->n_polled = 0;
}

/*
 * lmcc_probation_reset:
 * @probation: forgets everything; the next packet starts anew
 */
void
lmcc_probation_reset (LmccProbation *probation)
{
  guint i;

  for (i = 0; i < probation->claims->len; i++)
    lmcc_packet_unref (g_array_index (probation->claims, LmccClaim, i).packet);
  g_array_set_size (probation->claims, 0);
  clear_verdicts (probation);
  probation->started = probation->proven = probation->has_other = FALSE;
  probation->heard = 0;
  probation->longest = 0;
  probation->n_taken = 0;
  probation->osn_reach = 0;
}

void
lmcc_probation_clear (LmccProbation *probation)
{
  lmcc_probation_reset (probation);
  g_array_unref (probation->claims);
  g_array_unref (probation->verdicts);
}

static LmccClaim *
get_claim (const LmccProbation *probation, guint index)
{
  return &g_array_index (probation->claims, LmccClaim, index);
}

static void
decide (LmccProbation *probation, const LmccClaim *claim, LmccVerdict verdict)
{
  Decided decided = { *claim, verdict };

  g_array_append_val (probation->verdicts, decided);
}

static void
refuse_claim (LmccProbation *probation, guint index)
{
  LmccClaim *claim = get_claim (probation, index);

  probation->wary_until = MAX (probation->wary_until, claim->arrival + WARY);
  if (claim->told)
    lmcc_packet_unref (claim->packet);
  else
    decide (probation, claim, LMCC_VERDICT_REFUSED);
  g_array_remove_index (probation->claims, index);
}

/* Drops claims that have become impossible: those that were passed, and
 * distant ones that a packet in order refuted. */
static void
refuse_passed (LmccProbation *probation)
{
  guint i = 0;

  while (i < probation->claims->len) {
    const LmccClaim *claim = get_claim (probation, i);
    gint ahead = lmcc_sequence_diff (claim->header.lsn, probation->last.lsn);

    if ((ahead <= 0 && ahead > -LMCC_MAX_GAP)
        || (!claim->fresh
            && (ahead <= 0 || ahead > (gint) probation->max_leap)))
      refuse_claim (probation, i);
    else
      i++;
  }
}

static void
note_distance (LmccProbation *probation, LmccTime arrival)
{
  LmccTime distance = arrival > probation->arrival
      ? MIN (arrival - probation->arrival, MAX_LONGEST)
      : 0;

  if (distance > probation->longest)
    probation->longest = distance;
  else
    probation->longest -= (probation->longest - distance) / LONGEST_WEIGHT;
}

/* The claim is accepted, and later packets are judged by it. */
static void
believe (LmccProbation *probation, const LmccClaim *claim, LmccVerdict verdict)
{
  guint slot = lmcc_slot_of (&claim->header);

  if (verdict == LMCC_VERDICT_RESTART || !probation->started) {
    probation->heard = 0;
    probation->osn_reach = 0;
    probation->n_taken = 0;
  } else {
    guint ahead = (guint16) (claim->header.lsn - probation->last.lsn);

    probation->missed += ahead - 1;
    if (ahead == 1) {
      gint step = lmcc_claim_order_step (&probation->last, &claim->header);

      probation->osn_reach = MAX (probation->osn_reach, (guint) MAX (step, 0));
      note_distance (probation, claim->arrival);
    }
  }
  probation->n_taken += probation->n_taken < LMCC_OSN_LEARNED;
  probation->started = TRUE;
  probation->last = claim->header;
  probation->timestamp = claim->rtp.timestamp;
  probation->arrival = claim->arrival;
  probation->heard |= 1u << slot;
  probation->sequence[slot] = claim->rtp.sequence;
  probation->missed_at[slot] = probation->missed;
  decide (probation, claim, verdict);
}

/* Among several claims with this number, the last one to arrive, which is
 * closest to the following ones. */
static gboolean
find_fitting (const LmccProbation *probation, guint16 lsn, guint *index)
{
  guint ahead = (guint16) (lsn - probation->last.lsn);
  guint i;

  for (i = probation->claims->len; i-- > 0;) {
    const LmccClaim *claim = get_claim (probation, i);

    if (claim->header.lsn == lsn && lmcc_claim_fits (probation, claim, ahead)) {
      *index = i;
      return TRUE;
    }
  }

  return FALSE;
}

/* The claim that follows the accepted packets and fits between them and
 * @end. */
static gboolean
find_before (const LmccProbation *probation, const LmccClaim *end, guint *index)
{
  gint distance = lmcc_sequence_diff (end->header.lsn, probation->last.lsn);
  gint best = distance;
  guint i;

  for (i = probation->claims->len; i-- > 0;) {
    const LmccClaim *claim = get_claim (probation, i);
    gint ahead = lmcc_sequence_diff (claim->header.lsn, probation->last.lsn);

    if (ahead < 1 || ahead >= best
        || !lmcc_claim_fits (probation, claim, (guint) ahead)
        || lmcc_claim_order_step (&claim->header, &end->header) < 0)
      continue;
    best = ahead;
    *index = i;
  }

  return best < distance;
}

static void
believe_claim (LmccProbation *probation, guint index)
{
  LmccClaim claim = *get_claim (probation, index);

  g_array_remove_index (probation->claims, index);
  believe (probation, &claim, LMCC_VERDICT_BELIEVED);
}

/* A leap that is not a loss: the numbers restart, or the packets accepted so
 * far were forged. */
static gboolean
is_restart (const LmccProbation *probation, const LmccClaim *first)
{
  gint ahead = lmcc_claim_get_ahead (probation, first);

  return ahead <= 0
      || (!probation->proven && ahead > (gint) probation->max_leap)
      || !lmcc_claim_sequence_fits (probation, first, (guint) ahead)
      || lmcc_claim_continues_other (probation, first);
}

/* A burst of late packets is not a restart, unless it continues from the
 * packets accepted before: the ones accepted since may have been forged. */
static gboolean
may_begin (const LmccProbation *probation, const LmccClaim *first)
{
  gint ahead = lmcc_claim_get_ahead (probation, first);

  return ahead > 0 || ahead < -LMCC_MAX_GAP || !probation->proven
      || lmcc_claim_continues_other (probation, first);
}

/* The claim at @index and those that follow it, up to the number @last, are
 * accepted. */
static void
believe_chain (LmccProbation *probation, guint index, guint16 last)
{
  LmccClaim first = *get_claim (probation, index);
  LmccHeader before = probation->last;
  LmccTime before_arrival = probation->arrival;
  gint ahead = lmcc_claim_get_ahead (probation, &first);
  gboolean restart = is_restart (probation, &first);
  guint16 lsn = first.header.lsn;

  g_array_remove_index (probation->claims, index);
  while (!restart && find_before (probation, &first, &index))
    believe_claim (probation, index);
  believe (probation, &first,
      restart ? LMCC_VERDICT_RESTART : LMCC_VERDICT_BELIEVED);
  while (lmcc_sequence_diff (++lsn, last) <= 0) {
    if (find_fitting (probation, lsn, &index))
      believe_claim (probation, index);
  }
  probation->proven = TRUE;
  if (ABS (ahead) > (gint) probation->max_leap) {
    probation->has_other = TRUE;
    probation->other = before;
    probation->other_arrival = before_arrival;
  }
  refuse_passed (probation);
}

/* Index of the claim with the lower number. */
static guint
earlier (const LmccProbation *probation, guint a, guint b)
{
  return lmcc_sequence_diff (get_claim (probation, a)->header.lsn,
             get_claim (probation, b)->header.lsn)
          < 0
      ? a
      : b;
}

static guint16
later (guint16 a, guint16 b)
{
  return lmcc_sequence_diff (a, b) < 0 ? b : a;
}

/* The claim arrived before its predecessors and is next now. */
static gboolean
is_next (const LmccProbation *probation, const LmccClaim *claim)
{
  return claim->header.lsn == (guint16) (probation->last.lsn + 1)
      && lmcc_claim_fits (probation, claim, 1);
}

static gboolean
may_speak (const LmccProbation *probation, const LmccClaim *claim)
{
  return claim->fresh || is_next (probation, claim);
}

/* Looks for three claims, including the last one, that confirm each other:
 * as many packets as reveal a loss (LMCC_LOSS_THRESHOLD). */
static void
follow_chain (LmccProbation *probation)
{
  guint n = probation->claims->len - 1;
  const LmccClaim *third = get_claim (probation, n);
  guint i, j;

  for (i = n; i-- > 0;) {
    const LmccClaim *second = get_claim (probation, i);

    if (!may_speak (probation, second)
        || !lmcc_claims_agree (probation, second, third))
      continue;
    for (j = i; j-- > 0;) {
      const LmccClaim *claim = get_claim (probation, j);
      guint first = earlier (probation, earlier (probation, i, j), n);

      if (!may_speak (probation, claim)
          || !lmcc_claims_agree (probation, claim, second)
          || !lmcc_claims_agree (probation, claim, third)
          || !may_begin (probation, get_claim (probation, first)))
        continue;
      believe_chain (probation, first,
          later (later (claim->header.lsn, second->header.lsn),
              third->header.lsn));
      return;
    }
  }
}

static void
take_in_order (LmccProbation *probation, const LmccClaim *claim)
{
  guint i;

  probation->proven |= probation->started;
  believe (probation, claim, LMCC_VERDICT_BELIEVED);
  for (i = 0; i < probation->claims->len; i++)
    get_claim (probation, i)->fresh = FALSE;
  refuse_passed (probation);
}

/* Whether a packet after a small gap is accepted at once. As long as there
 * is no sign of forgery, a small gap is a loss, and the account
 * distinguishes losses from reordering. The first forged packet may thus
 * take a true one's place. */
static gboolean
is_plain_gap (const LmccProbation *probation, const LmccClaim *claim,
    gint ahead)
{
  return ahead > 1 && ahead <= (gint) probation->max_leap
      && claim->arrival >= probation->wary_until && probation->claims->len == 0
      && lmcc_claim_fits_gap (probation, claim, (guint) ahead);
}

static void
put_on_probation (LmccProbation *probation, const LmccClaim *claim)
{
  if (probation->claims->len == MAX_CLAIMS)
    refuse_claim (probation, 0);
  g_array_append_val (probation->claims, *claim);
  follow_chain (probation);
}

/*
 * lmcc_probation_push:
 * @probation: a probation
 * @claim: (transfer full): the next packet that arrived
 *
 * Judges the packet and, by it, earlier ones. Poll the verdicts.
 *
 * Returns: %FALSE if the packet is on probation
 */
gboolean
lmcc_probation_push (LmccProbation *probation, LmccClaim *claim)
{
  gint ahead = lmcc_sequence_diff (claim->header.lsn, probation->last.lsn);
  guint n = probation->verdicts->len;

  claim->fresh = TRUE;
  claim->told = FALSE;
  if (probation->started && ahead <= 0)
    probation->wary_until = claim->arrival + WARY;
  if (!probation->started
      || (ahead == 1 && lmcc_claim_fits (probation, claim, 1))
      || is_plain_gap (probation, claim, ahead)) {
    take_in_order (probation, claim);
  } else if (ahead <= 0 && ahead >= -(gint) probation->max_leap) {
    decide (probation, claim,
        lmcc_claim_fits_behind (probation, claim, (guint) -ahead)
            ? LMCC_VERDICT_BELIEVED
            : LMCC_VERDICT_REFUSED);
  } else if (ahead <= 0 && ahead >= -LMCC_MAX_GAP) {
    LmccClaim copy = *claim;

    /* Too late, unless more of them arrive. */
    lmcc_packet_ref (copy.packet);
    copy.told = TRUE;
    put_on_probation (probation, &copy);
    if (probation->verdicts->len == n)
      decide (probation, claim,
          lmcc_claim_fits_behind (probation, claim, (guint) -ahead)
              ? LMCC_VERDICT_BELIEVED
              : LMCC_VERDICT_REFUSED);
    else
      lmcc_packet_unref (claim->packet);
  } else {
    put_on_probation (probation, claim);
  }

  return probation->verdicts->len > n;
}

/*
 * lmcc_probation_poll:
 * @probation: a probation
 * @claim: (out): the next packet with a verdict, in the order in which they
 *     count; the caller owns its packet
 * @verdict: (out): the verdict
 *
 * Returns: %FALSE if there is none
 */
gboolean
lmcc_probation_poll (LmccProbation *probation, LmccClaim *claim,
    LmccVerdict *verdict)
{
  const Decided *decided;

  if (probation->n_polled == probation->verdicts->len) {
    g_array_set_size (probation->verdicts, 0);
    probation->n_polled = 0;
    return FALSE;
  }
  decided =
      &g_array_index (probation->verdicts, Decided, probation->n_polled++);
  *claim = decided->claim;
  *verdict = decided->verdict;

  return TRUE;
}

/* Finds two claims that may decide together, and the time from which they
 * do. */
static LmccTime
next_pair (const LmccProbation *probation, guint *first, guint16 *last)
{
  LmccTime overdue = probation->arrival + 2 * probation->longest;
  LmccTime best = LMCC_TIME_NONE;
  guint i, j;

  for (i = 1; i < probation->claims->len; i++) {
    const LmccClaim *second = get_claim (probation, i);

    for (j = 0; second->fresh && j < i; j++) {
      const LmccClaim *claim = get_claim (probation, j);
      LmccTime due = MAX (claim->arrival + LMCC_LOSS_TIMEOUT, overdue);

      if (!may_speak (probation, claim) || due >= best
          || !lmcc_claims_agree (probation, claim, second)
          || !may_begin (probation,
              get_claim (probation, earlier (probation, i, j))))
        continue;
      best = due;
      *first = earlier (probation, i, j);
      *last = later (claim->header.lsn, second->header.lsn);
    }
  }

  return best;
}

/* Finds a claim that may decide alone, and the time from which it does. */
static LmccTime
next_single (const LmccProbation *probation, guint *index)
{
  guint i;

  for (i = probation->claims->len; i-- > 0;) {
    const LmccClaim *claim = get_claim (probation, i);
    gint ahead = lmcc_claim_get_ahead (probation, claim);

    if (!may_speak (probation, claim) || ahead < 1
        || ahead > (gint) probation->max_leap
        || !lmcc_claim_fits (probation, claim, (guint) ahead))
      continue;
    *index = i;
    return probation->arrival
        + MAX (INTERRUPTED, INTERRUPTED_PACKETS * probation->longest);
  }

  return LMCC_TIME_NONE;
}

/*
 * lmcc_probation_timeout:
 * @probation: a probation
 * @now: the time
 */
void
lmcc_probation_timeout (LmccProbation *probation, LmccTime now)
{
  guint16 last = 0;
  guint first = 0;

  while (probation->claims->len > 0) {
    if (next_pair (probation, &first, &last) <= now)
      believe_chain (probation, first, last);
    else if (next_single (probation, &first) <= now)
      believe_chain (probation, first,
          get_claim (probation, first)->header.lsn);
    else
      return;
  }
}

/*
 * lmcc_probation_flush:
 * @probation: the probation of a layer that receives no more packets
 *
 * Accepts the claims that fit.
 */
void
lmcc_probation_flush (LmccProbation *probation)
{
  guint index = 0;
  guint i = 0;

  while (i < probation->claims->len) {
    const LmccClaim *claim = get_claim (probation, i);
    gint ahead = lmcc_claim_get_ahead (probation, claim);
    LmccClaim end = *claim;

    if (!claim->fresh || ahead < 1 || ahead > (gint) probation->max_leap
        || !lmcc_claim_fits (probation, claim, (guint) ahead)) {
      i++;
      continue;
    }
    believe_claim (probation,
        find_before (probation, &end, &index) ? index : i);
    i = 0;
  }
}

/*
 * lmcc_probation_next_timeout:
 * @probation: a probation
 *
 * Returns: when lmcc_probation_timeout() has something to do, or
 * %LMCC_TIME_NONE
 */
LmccTime
lmcc_probation_next_timeout (const LmccProbation *probation)
{
  guint16 last;
  guint first;

  if (probation->claims->len == 0)
    return LMCC_TIME_NONE;

  return MIN (next_pair (probation, &first, &last),
      next_single (probation, &first));
}
