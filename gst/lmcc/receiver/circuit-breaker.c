/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/circuit-breaker.h"

/**
 * lmcc_circuit_breaker_reset:
 * @breaker: (out): nothing seen yet
 */
void
lmcc_circuit_breaker_reset (LmccCircuitBreaker *breaker)
{
  breaker->armed = FALSE;
}

/**
 * lmcc_circuit_breaker_update:
 * @breaker: a breaker
 * @now: the time
 * @level: the level held in the interval that ends now
 * @loss_rate: lost / (lost + received) in it; an interval is about a second
 *
 * Returns: whether to leave all groups
 */
gboolean
lmcc_circuit_breaker_update (LmccCircuitBreaker *breaker, LmccTime now,
    gint level, gdouble loss_rate)
{
  if (level != 0 || loss_rate <= LMCC_CIRCUIT_BREAKER_LOSS_RATE) {
    breaker->armed = FALSE;
    return FALSE;
  }
  if (!breaker->armed) {
    breaker->armed = TRUE;
    breaker->since = now;
  }

  return now - breaker->since >= LMCC_CIRCUIT_BREAKER_TIME;
}
