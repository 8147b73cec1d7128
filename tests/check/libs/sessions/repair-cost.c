/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs repair for an instruction counter: the real sender and one real
 * receiver in virtual time, without sockets, 10 Mbit/s in one native layer,
 * with a given share of repair.
 */
#include "support/test-repair.h"

#define PACKETS 21
#define PICTURES 50
#define PAYLOAD 1124

gint
main (gint argc, gchar **argv)
{
  TestRepairConfig config = {
    .group = LMCC_SECOND,
    .period = LMCC_SECOND,
    .payload = PAYLOAD,
    .block = 500 * LMCC_MSECOND,
    .expected = 0.02,
    .loss = 0.02,
    .burst = 1,
    .seconds = 1,
    .seed = 1,
  };
  g_autoptr (GArray) pictures =
      test_repair_model (PACKETS, PICTURES - 1, PACKETS, LMCC_SECOND, PAYLOAD);
  TestRepairResult result;
  gint share = argc == 2 ? (gint) g_ascii_strtoll (argv[1], NULL, 10) : -1;

  if (share < 0 || share > 1000) {
    g_printerr ("usage: repair-cost SHARE, in 1/1000; run it with valgrind "
                "--tool=callgrind\n");
    return 2;
  }
  config.repair = (guint) share;
  config.pictures = pictures;
  test_repair_run (&config, &result);
  g_print ("%u of %u pictures are whole; %u packets of media lost of %u, %u "
           "repaired\n",
      result.n_whole, result.n_pictures, result.layers[0].lost,
      result.layers[0].sent, result.classes[0].repaired);

  return 0;
}
