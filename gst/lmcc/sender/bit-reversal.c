/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/bit-reversal.h"

/*
 * lmcc_reverse_bits:
 * @value: a number
 * @n_bits: how many of its bits count
 *
 * Where 0, 1, 2, ... are reversed, every beginning of that sequence is spread
 * evenly (van der Corput).
 *
 * Returns: these bits in the reversed order
 */
guint
lmcc_reverse_bits (guint value, guint n_bits)
{
  guint reversed = 0;

  for (; n_bits > 0; n_bits--) {
    reversed = reversed << 1 | (value & 1);
    value >>= 1;
  }

  return reversed;
}
