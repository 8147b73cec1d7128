/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/slots/increase-signals.h"

#include "wire/layer-header.h"

#include <math.h>
#include <string.h>

/* s. With few bits the upper levels get too many signals: the number of b
 * with bhat <= p is floor (p 2^s) + 1. */
#define COUNTER_BITS 32

/**
 * lmcc_increase_signals_init:
 * @signals: (out caller-allocates): the signals
 * @probabilities: (array length=n_levels): p_i that
 *     lmcc_increase_probabilities_check() accepts
 * @n_levels: 1 to %LMCC_MAX_LAYERS
 */
void
lmcc_increase_signals_init (LmccIncreaseSignals *signals,
    const gdouble *probabilities, guint n_levels)
{
  memset (signals, 0, sizeof (*signals));
  signals->n_levels = CLAMP (n_levels, 1, LMCC_MAX_LAYERS);
  memcpy (signals->probabilities, probabilities,
      signals->n_levels * sizeof (*probabilities));
}

static guint32
reverse_bits (guint32 b)
{
  guint32 reversed = 0;
  guint i;

  for (i = 0; i < COUNTER_BITS; i++)
    reversed |= ((b >> i) & 1) << (COUNTER_BITS - 1 - i);

  return reversed;
}

/**
 * lmcc_increase_signals_get:
 * @signals: the signals
 * @counter: b of the slot; its number of bits is s in the paper. The first slot
 *     has 1 according to table I; according to example 4 the counter starts at
 *     1 and is incremented before use
 *
 * Returns the largest level i with p_i >= bhat, where bhat is b with its bits
 * reversed, behind the binary point. With bhat = 0, once in 2^32 slots, this
 * rule would permit the top level and levels with p_i = 0 to go up, which never
 * do.
 *
 * Returns: the highest level that may go up, or %LMCC_SIGNAL_NOBODY
 */
gint
lmcc_increase_signals_get (const LmccIncreaseSignals *signals, guint32 counter)
{
  gdouble b_hat = ldexp (reverse_bits (counter), -COUNTER_BITS);
  gint signal = LMCC_SIGNAL_NOBODY;
  guint i;

  for (i = 0; i + 1 < signals->n_levels; i++) {
    if (signals->probabilities[i] > 0 && signals->probabilities[i] >= b_hat)
      signal = i;
  }

  return signal;
}
