/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether what a packet says of itself fits to what counts, or to another
 * packet: layer sequence number, sequence number of its stream, order number,
 * send time.
 */
#include "receiver/claim-fit.h"

/* The sender stamps packets when it sends them: one behind the other, but for
 * the rounding of 1/65536 s and the order of its threads. */
#define SEND_TOLERANCE (10 * (gint64) LMCC_MSECOND)

/* A packet whose transit time differs by more from that of the one before does
 * not fit: no queue changes so fast. */
#define MAX_TRANSIT_STEP ((gint64) LMCC_SECOND)

/* Order numbers count the packets of all layers: a step is judged by those that
 * were seen, once there were so many. */
#define OSN_MARGIN 2

/* A filler's mark may go on to the next window, which may be all that the
 * layers above carry in one. */
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

/* By how much the order number of @second goes beyond that of @first, or -1 if
 * it cannot come behind it in one layer. */
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

/* Of what is missing in the layer since the stream's last packet all may have
 * been of the stream, or nothing. */
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

/* Where no packet of another layer lies between, a unit goes on, or the next
 * one begins. */
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

/* How far the order number of a packet may go beyond that of the one before. */
static guint
get_order_reach (const LmccProbation *probation, const LmccHeader *header)
{
  if (!has_own_order (header))
    return MARK_REACH;

  return MAX (probation->max_leap, OSN_MARGIN * probation->osn_reach);
}

/* Whether @claim can be what comes next, but for @ahead - 1 that are lost. */
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

/* Whether @claim can be what comes next but for @ahead - 1 packets that are
 * lost, as far as all layers' numbers tell of so many. */
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

/* A packet that is behind may be missing: then it came between its neighbours'
 * numbers. */
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

/* Whether @second can come behind @first, a few numbers later. */
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

/* It goes on where packets counted before the latest leap. */
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
