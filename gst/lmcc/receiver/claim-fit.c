/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks whether the numbers in a packet's headers are consistent with the
 * accepted packets, or with another packet: layer sequence number, RTP
 * sequence number, order number and send time.
 */
#include "receiver/claim-fit.h"

/* The sender stamps packets when it sends them, so send times ascend apart
 * from rounding to 1/65536 s and the order of its threads. */
#define SEND_TOLERANCE (10 * (gint64) LMCC_MSECOND)

/* Greatest plausible change of the transit time between two packets: no
 * queue changes faster. */
#define MAX_TRANSIT_STEP ((gint64) LMCC_SECOND)

/* Order numbers count the packets of all layers. A step is judged by the
 * steps seen so far, once there were this many. */
#define OSN_MARGIN 2

/* A filler's low-water mark may advance to the next window, which may be all
 * that the layers above carry in one window. */
#define MARK_REACH 4096

gint
lmcc_claim_get_ahead (const LmccProbation *probation, const LmccClaim *claim)
{
  return lmcc_sequence_diff (claim->header.lsn, probation->last.lsn);
}

static gboolean
has_own_order (const LmccHeader *header)
{
  return header->type == LMCC_PACKET_MEDIA && header->stream < LMCC_MAX_RUNGS;
}

/* How far the order number of @second is ahead of that of @first, or -1 if
 * it cannot follow in the same layer. */
gint
lmcc_claim_order_step (const LmccHeader *first, const LmccHeader *second)
{
  gint step = lmcc_sequence_diff (second->osn, first->osn);

  if (step < 0
      || (step == 0 && has_own_order (first) && has_own_order (second)))
    return -1;

  return step;
}

static gboolean
times_fit (const LmccHeader *first, LmccTime first_arrival,
    const LmccHeader *second, LmccTime second_arrival)
{
  gint64 sent = lmcc_ntp_short_diff (second->send_time, first->send_time);
  gint64 came = (gint64) (second_arrival - first_arrival);

  return sent >= -SEND_TOLERANCE && ABS (came - sent) <= MAX_TRANSIT_STEP;
}

/* Of the packets missing in the layer since the stream's last packet, any
 * number from none to all may belong to the stream. */
gboolean
lmcc_claim_sequence_fits (const LmccProbation *probation,
    const LmccClaim *claim, guint ahead)
{
  guint slot = lmcc_slot_of (&claim->header);
  guint step = (guint16) (claim->rtp.sequence - probation->sequence[slot]);

  if (!(probation->heard & 1u << slot))
    return TRUE;

  return step >= 1
      && step <= probation->missed - probation->missed_at[slot] + ahead;
}

/* If no packet of another layer lies in between, the unit continues or the
 * next one begins. */
static gboolean
unit_fits (const LmccProbation *probation, const LmccClaim *claim, gint step)
{
  const LmccHeader *last = &probation->last;
  const LmccHeader *next = &claim->header;

  if (step != 1 || !has_own_order (last) || !has_own_order (next))
    return TRUE;
  if (next->first || last->last)
    return next->first && last->last;

  return next->stream == last->stream && next->klass == last->klass
      && next->anchor == last->anchor
      && claim->rtp.timestamp == probation->timestamp;
}

/* How far the order number of a packet may be ahead of the previous one. */
static guint
get_order_reach (const LmccProbation *probation, const LmccHeader *header)
{
  if (!has_own_order (header))
    return MARK_REACH;

  return MAX (probation->max_leap, OSN_MARGIN * probation->osn_reach);
}

/* Whether @claim can be the next packet after @ahead - 1 lost ones. */
gboolean
lmcc_claim_fits (const LmccProbation *probation, const LmccClaim *claim,
    guint ahead)
{
  gint step = lmcc_claim_order_step (&probation->last, &claim->header);

  if (step < 0 || !lmcc_claim_sequence_fits (probation, claim, ahead)
      || !times_fit (&probation->last, probation->arrival, &claim->header,
          claim->arrival))
    return FALSE;

  if (ahead == 1 && !unit_fits (probation, claim, step))
    return FALSE;

  return ahead > 1 || probation->n_taken < LMCC_OSN_LEARNED
      || (guint) step <= get_order_reach (probation, &claim->header);
}

/* Whether @claim can be the next packet after @ahead - 1 lost ones, as far
 * as the numbers of all layers allow that many losses. */
gboolean
lmcc_claim_fits_gap (const LmccProbation *probation, const LmccClaim *claim,
    guint ahead)
{
  gint step = lmcc_claim_order_step (&probation->last, &claim->header);

  return lmcc_claim_fits (probation, claim, ahead)
      && (probation->n_taken < LMCC_OSN_LEARNED
          || (guint) step
              <= ahead * get_order_reach (probation, &claim->header));
}

/* A packet from before the latest one may be a missing one: then its numbers
 * lie between those of its neighbours. */
gboolean
lmcc_claim_fits_behind (const LmccProbation *probation, const LmccClaim *claim,
    guint behind)
{
  guint slot = lmcc_slot_of (&claim->header);
  gint step =
      lmcc_sequence_diff (probation->sequence[slot], claim->rtp.sequence);

  if (!(probation->heard & 1u << slot))
    return TRUE;

  return step <= (gint) behind && step >= -(gint) probation->max_leap
      && lmcc_sequence_diff (claim->header.osn, probation->last.osn) <= 0;
}

/* Whether @second can follow @first, a few numbers later. */
static gboolean
agree (const LmccProbation *probation, const LmccClaim *first,
    const LmccClaim *second)
{
  gint distance = lmcc_sequence_diff (second->header.lsn, first->header.lsn);
  guint step = (guint16) (second->rtp.sequence - first->rtp.sequence);

  if (distance < 1 || distance > (gint) probation->max_leap)
    return FALSE;
  if (lmcc_slot_of (&first->header) == lmcc_slot_of (&second->header)
      && (step < 1 || step > (guint) distance))
    return FALSE;

  return lmcc_claim_order_step (&first->header, &second->header) >= 0
      && times_fit (&first->header, first->arrival, &second->header,
          second->arrival);
}

gboolean
lmcc_claims_agree (const LmccProbation *probation, const LmccClaim *a,
    const LmccClaim *b)
{
  return agree (probation, a, b) || agree (probation, b, a);
}

/* The claim continues from the packets that were accepted before the latest
 * leap. */
gboolean
lmcc_claim_continues_other (const LmccProbation *probation,
    const LmccClaim *claim)
{
  gint ahead = lmcc_sequence_diff (claim->header.lsn, probation->other.lsn);

  return probation->has_other && ahead >= 1
      && ahead <= (gint) probation->max_leap
      && lmcc_claim_order_step (&probation->other, &claim->header) >= 0
      && times_fit (&probation->other, probation->other_arrival, &claim->header,
          claim->arrival);
}
