/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An external program that finds the library only through its pkg-config
 * file.
 */
#include <gst/lmcc/lmcc.h>

#include <stdlib.h>

#define N_LAYERS 3

int
main (void)
{
  gdouble rates[N_LAYERS];
  LmccAddress base, group;
  gchar text[LMCC_ADDRESS_STRLEN];

  if (!lmcc_rates_compute (LMCC_RATE_SCHEME_DOUBLING, 64e3, 0, N_LAYERS, rates,
          NULL)
      || rates[2] != 2 * rates[1])
    return EXIT_FAILURE;

  if (!lmcc_address_parse ("239.255.42.1", &base)
      || !lmcc_address_group (&base, N_LAYERS - 1, &group))
    return EXIT_FAILURE;

  g_print ("%s\n", lmcc_address_format (&group, text));
  return EXIT_SUCCESS;
}
