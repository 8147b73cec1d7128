/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RFC 8084 section 4 asks for: a measurement period longer than congestion
 * control needs to react, and than many round-trip times; samples that are
 * combined as the sum of their counts; a trigger by persistent congestion, seen
 * in several measurements, and not by light or intermittent congestion.
 */
#include "receiver/circuit-breaker.h"

#include <gst/lmcc/lmcc-session-algorithm.h>

#include <string.h>

#define SLICE_TIME LMCC_SECOND

/* Where the base has few packets, a slice goes on until it has so many, so that
 * ten of them are not above 10 % by chance where the path loses 5 %. Fewer say
 * enough where twice the limit of so many is lost. */
#define SLICE_PACKETS 40
#define SLICE_LOST (2 * SLICE_PACKETS * LMCC_CIRCUIT_BREAKER_LOSS_RATE)

/* A slice that loses half of the limit or less is a clean one: one in ten is,
 * by chance, where the path loses 12 % of 40 packets. As many in a row as these
 * mean that what filled the path is over, so that no outage, or overload, of up
 * to seven seconds ends a reception. */
#define CLEAN_LOSS_RATE (LMCC_CIRCUIT_BREAKER_LOSS_RATE / 2)
#define CLEAN_SLICES 3

/* Who held the base alone up to so long before has nothing to give but what was
 * joined just now: its losses can last for as long as a leave takes, and show a
 * second later. Who has held more for longer can still leave that. */
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

/**
 * lmcc_circuit_breaker_reset:
 * @breaker: (out): nothing seen yet
 * @now: the time
 * @level: the level held
 * @base: the base layer's counters
 */
void
lmcc_circuit_breaker_reset (LmccCircuitBreaker *breaker, LmccTime now,
    gint level, const LmccLayerStats *base)
{
  forget (breaker);
  breaker->level = level;
  breaker->base_held = now;
  begin_slice (breaker, now, base);
}

/**
 * lmcc_circuit_breaker_set_level:
 * @breaker: a breaker
 * @now: the time
 * @level: the level held from now on
 */
void
lmcc_circuit_breaker_set_level (LmccCircuitBreaker *breaker, LmccTime now,
    gint level)
{
  if (breaker->level == 0)
    breaker->base_held = now;
  breaker->level = level;
}

/* Whether there was nothing to give in the slice that ends now. */
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

/* Those that count begin with one that is not clean. */
static void
add_slice (LmccCircuitBreaker *breaker, const LmccCircuitBreakerSlice *slice)
{
  gboolean clean = !exceeds (slice, CLEAN_LOSS_RATE);

  breaker->n_clean = clean ? breaker->n_clean + 1 : 0;
  if (breaker->n_clean >= CLEAN_SLICES || (clean && breaker->n_slices == 0)) {
    forget (breaker);
    return;
  }
  if (breaker->n_slices == LMCC_CIRCUIT_BREAKER_SLICES)
    memmove (breaker->slices, breaker->slices + 1,
        --breaker->n_slices * sizeof (*slice));
  breaker->slices[breaker->n_slices++] = *slice;
}

/* The slice that lost most is left out: an outage is lost in one, when packets
 * come again, and would outweigh the others. */
static gboolean
is_tripped (const LmccCircuitBreaker *breaker)
{
  LmccCircuitBreakerSlice sum = { 0 }, worst = { 0 };
  guint i;

  if (breaker->n_slices < LMCC_CIRCUIT_BREAKER_SLICES)
    return FALSE;
  for (i = 0; i < breaker->n_slices; i++) {
    sum.received += breaker->slices[i].received;
    sum.lost += breaker->slices[i].lost;
    if (breaker->slices[i].lost >= worst.lost)
      worst = breaker->slices[i];
  }
  sum.received -= worst.received;
  sum.lost -= worst.lost;

  return exceeds (&sum, LMCC_CIRCUIT_BREAKER_LOSS_RATE);
}

/**
 * lmcc_circuit_breaker_update:
 * @breaker: a breaker
 * @now: the time
 * @base: the base layer's counters
 *
 * To be called about once a second. All losses of the base count, at whatever
 * level they were seen, but only as long as no slice passes in which more than
 * the base could have been left.
 *
 * Returns: whether to leave all groups
 */
gboolean
lmcc_circuit_breaker_update (LmccCircuitBreaker *breaker, LmccTime now,
    const LmccLayerStats *base)
{
  LmccCircuitBreakerSlice slice = {
    .received = base->received - breaker->before.received,
    .lost = base->lost - breaker->before.lost,
  };

  if (now < breaker->slice_began + SLICE_TIME
      || (slice.received + slice.lost < SLICE_PACKETS
          && (gdouble) slice.lost < SLICE_LOST))
    return FALSE;
  if (held_the_base_alone (breaker))
    add_slice (breaker, &slice);
  else
    forget (breaker);
  begin_slice (breaker, now, base);

  return is_tripped (breaker);
}
