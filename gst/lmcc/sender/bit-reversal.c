/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/bit-reversal.h"

/*
 * lmcc_reverse_bits:
 * @value: a number
 * @n_bits: number of its low bits to reverse
 *
 * If 0, 1, 2, ... are reversed, every prefix of the sequence is spread evenly
 * (van der Corput).
 *
 * Returns: these bits in reversed order
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
