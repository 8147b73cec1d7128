/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The test succeeds if the other sources compile: one for each header, which
 * they include alone, twice.
 */
int
main (void)
{
  return 0;
}
