/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A program of somebody else's: it knows the library by its pkg-config file
 * only.
 */
#include <gst/lmcc/lmcc.h>

#include <stdlib.h>
#include <string.h>

int
main (void)
{
  guint8 data[LMCC_HEADER_SIZE];
  LmccHeader in, out;
  LmccAddress base, group;
  gchar text[LMCC_ADDRESS_STRLEN];

  memset (&in, 0, sizeof (in));
  in.layer = 2;
  in.top_layer = 4;
  in.signal = LMCC_SIGNAL_NOBODY;
  lmcc_header_write (&in, data);
  if (!lmcc_header_parse (data, sizeof (data), &out) || out.layer != in.layer)
    return EXIT_FAILURE;

  if (!lmcc_address_parse ("239.255.42.1", &base)
      || !lmcc_address_group (&base, out.layer, &group))
    return EXIT_FAILURE;

  g_print ("%s\n", lmcc_address_format (&group, text));
  return EXIT_SUCCESS;
}
