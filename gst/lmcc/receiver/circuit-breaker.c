/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RFC 8084 section 4 asks for a measurement period longer than the reaction
 * time of congestion control and longer than many round-trip times; for
 * samples combined as the sum of their counts; and for a trigger by
 * persistent congestion seen in several measurements, not by light or
 * intermittent congestion.
 */
#include "receiver/circuit-breaker.h"

#include <gst/lmcc/lmcc-session-algorithm.h>
#include "measure/loss.h"

#include <math.h>
#include <string.h>

#define SLICE_TIME LMCC_SECOND

/* If the base layer has few packets, a slice continues until it has this
 * many, because a clean slice of fewer packets proves little. Fewer packets
 * suffice if twice the limit of as many are lost. */
#define SLICE_PACKETS 40
#define SLICE_LOST (2 * SLICE_PACKETS * LMCC_CIRCUIT_BREAKER_LOSS_RATE)

/* The loss rate counts as above the limit only if the count exceeds the
 * limit's by this number of standard deviations of a binomial count. The
 * test runs each second over each number of slices, and the maximum of many
 * counts is far from the mean. Of 4000 runs of an hour with 10 % random loss
 * and 46 packets of the base layer per second, 3211 end with 3 deviations,
 * 298 with 4, 52 with 4.5 and 2 with 5; with 5 packets per second 810, 55, 6
 * and 2. */
#define DEVIATIONS 5

/* A slice that loses at most half of the limit is clean. On a path that
 * loses 12 % of 40 packets, one slice in ten is clean by chance. This many
 * clean slices in a row mean that the congestion is over. */
#define CLEAN_LOSS_RATE (LMCC_CIRCUIT_BREAKER_LOSS_RATE / 2)
#define CLEAN_SLICES 3

/* No base layer has more packets per second: the sequence numbers must have
 * jumped. */
#define MOST_LOST (10 * LMCC_MAX_GAP)

/* If the receiver was at the base layer alone less than this ago, it cannot
 * reduce its rate further except by a layer joined since. Losses from that
 * join last as long as a leave takes, and show up to a second later. A
 * receiver that has stayed at a higher level for longer can still leave
 * layers. */
#define EXCURSION (LMCC_DEFAULT_LEAVE_LATENCY + LMCC_SECOND)

static void
begin_slice (LmccCircuitBreaker *breaker, LmccTime now,
    const LmccLayerStats *base)
{
  breaker->before = *base;
  breaker->slice_began = now;
}

static void
forget (LmccCircuitBreaker *breaker)
{
  breaker->n_slices = 0;
  breaker->n_clean = 0;
}

/* Late packets were not lost. If a slice has more late packets than losses,
 * they were counted as lost in the slice before. */
static LmccCircuitBreakerSlice
get_slice (const LmccCircuitBreaker *breaker, const LmccLayerStats *base)
{
  gint64 late = (gint64) (base->late - breaker->before.late);

  return (LmccCircuitBreakerSlice){
    .received = (gint64) (base->received - breaker->before.received) + late,
    .lost = (gint64) (base->lost - breaker->before.lost) - late,
  };
}

/* A lossy path does not make sequence numbers restart or jump. After a jump,
 * earlier packets may have been forged, and packets that seem lost may never
 * have been sent. */
static gboolean
is_in_order (const LmccCircuitBreaker *breaker, const LmccLayerStats *base)
{
  return base->restarts == breaker->before.restarts
      && base->lost - breaker->before.lost <= MOST_LOST;
}

/**
 * lmcc_circuit_breaker_reset:
 * @breaker: (out): a breaker without history
 * @now: the time
 * @level: the current level
 * @base: the base layer's counters
 */
void
lmcc_circuit_breaker_reset (LmccCircuitBreaker *breaker, LmccTime now,
    gint level, const LmccLayerStats *base)
{
  forget (breaker);
  breaker->in_order = TRUE;
  breaker->level = level;
  breaker->base_held = now;
  begin_slice (breaker, now, base);
}

/**
 * lmcc_circuit_breaker_set_level:
 * @breaker: a breaker
 * @now: the time
 * @level: the new level
 */
void
lmcc_circuit_breaker_set_level (LmccCircuitBreaker *breaker, LmccTime now,
    gint level)
{
  if (breaker->level == 0)
    breaker->base_held = now;
  breaker->level = level;
}

/* Whether the receiver was at the base layer alone throughout the slice that
 * ends now. */
static gboolean
held_the_base_alone (const LmccCircuitBreaker *breaker)
{
  return breaker->level == 0
      || breaker->base_held + EXCURSION >= breaker->slice_began;
}

static gboolean
exceeds (const LmccCircuitBreakerSlice *slice, gdouble loss_rate)
{
  return (gdouble) slice->lost
      > loss_rate * (gdouble) (slice->received + slice->lost);
}

/* Counted slices begin with one that is not clean. */
static void
add_slice (LmccCircuitBreaker *breaker, const LmccCircuitBreakerSlice *slice)
{
  gboolean clean = !exceeds (slice, CLEAN_LOSS_RATE);

  breaker->n_clean = clean ? breaker->n_clean + 1 : 0;
  if (breaker->n_clean >= CLEAN_SLICES || (clean && breaker->n_slices == 0)) {
    forget (breaker);
    return;
  }
  if (breaker->n_slices == LMCC_CIRCUIT_BREAKER_MAX_SLICES)
    memmove (breaker->slices, breaker->slices + 1,
        --breaker->n_slices * sizeof (*slice));
  breaker->slices[breaker->n_slices++] = *slice;
}

/* The neighbours of a slice with a jump do not count either, because a jump
 * and the way back can fall into two slices. */
static void
drop_latest_slice (LmccCircuitBreaker *breaker)
{
  if (breaker->n_slices > 0)
    breaker->n_slices--;
  breaker->n_clean = 0;
}

static gboolean
is_too_much (gint64 lost, gint64 received)
{
  gdouble n = (gdouble) (lost + received), p = LMCC_CIRCUIT_BREAKER_LOSS_RATE;

  return (gdouble) lost > p * n + DEVIATIONS * sqrt (p * (1 - p) * n);
}

/* Tests every number of slices up to now: ten slices show heavy loss soon,
 * more slices show lighter loss later. The slice with the most losses is
 * excluded: an outage is detected in one slice, when packets arrive again,
 * and would outweigh the others. If the latest slice lost little, the
 * congestion may be over. */
static gboolean
is_tripped (const LmccCircuitBreaker *breaker)
{
  LmccCircuitBreakerSlice sum = { 0 }, worst = { 0 };
  guint n;

  if (breaker->n_slices < LMCC_CIRCUIT_BREAKER_SLICES
      || !exceeds (&breaker->slices[breaker->n_slices - 1],
          LMCC_CIRCUIT_BREAKER_LOSS_RATE))
    return FALSE;
  for (n = 1; n <= breaker->n_slices; n++) {
    const LmccCircuitBreakerSlice *slice =
        &breaker->slices[breaker->n_slices - n];

    sum.received += slice->received;
    sum.lost += slice->lost;
    if (slice->lost >= worst.lost)
      worst = *slice;
    if (n >= LMCC_CIRCUIT_BREAKER_SLICES
        && is_too_much (sum.lost - worst.lost, sum.received - worst.received))
      return TRUE;
  }

  return FALSE;
}

/**
 * lmcc_circuit_breaker_update:
 * @breaker: a breaker
 * @now: the time
 * @base: the base layer's counters
 *
 * Call it about once per second. All losses of the base layer count, at any
 * level, but only until a slice passes in which the receiver could have left
 * layers above the base.
 *
 * Returns: whether the receiver must leave all groups
 */
gboolean
lmcc_circuit_breaker_update (LmccCircuitBreaker *breaker, LmccTime now,
    const LmccLayerStats *base)
{
  LmccCircuitBreakerSlice slice = get_slice (breaker, base);
  gboolean in_order = is_in_order (breaker, base);
  gboolean alone = held_the_base_alone (breaker);

  if (now < breaker->slice_began + SLICE_TIME
      || (slice.received + slice.lost < SLICE_PACKETS
          && (gdouble) slice.lost < SLICE_LOST))
    return FALSE;
  begin_slice (breaker, now, base);
  if (!alone)
    forget (breaker);
  else if (!in_order)
    drop_latest_slice (breaker);
  else if (breaker->in_order)
    add_slice (breaker, &slice);
  breaker->in_order = in_order;

  return in_order && is_tripped (breaker);
}
