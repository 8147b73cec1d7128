/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Feeds a sink with a constant stream without an encoder, until its input ends:
 *
 *   feed PACKETS UNITS KEY CLASSES PIPELINE
 *
 * PACKETS of 1200 bytes are in a picture, UNITS pictures in a second, KEY
 * pictures from one key frame to the next, and CLASSES temporal classes. The
 * element that is fed has the name `element`.
 */
#include "../benchmarks/bench-feeder.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static gboolean
input_ended (void)
{
  struct pollfd input = { STDIN_FILENO, POLLIN, 0 };

  return poll (&input, 1, 0) != 0;
}

int
main (int argc, char **argv)
{
  BenchContender contender = { 0 };
  BenchStream stream = { 0 };
  BenchFeeder feeder;
  gchar failure[120];

  gst_init (&argc, &argv);
  if (argc != 6) {
    fprintf (stderr, "usage: feed PACKETS UNITS KEY CLASSES PIPELINE\n");
    return 2;
  }
  stream.packets_per_unit = (guint) atoi (argv[1]);
  stream.units_per_second = (guint) atoi (argv[2]);
  stream.units_per_key = (guint) atoi (argv[3]);
  contender.n_classes = (guint) atoi (argv[4]);
  contender.pipeline = argv[5];
  if (!bench_feeder_open (&feeder, &contender, &stream, failure)) {
    fprintf (stderr, "%s\n", failure);
    return 1;
  }
  printf ("fed\n");
  fflush (stdout);
  while (!input_ended ()) {
    if (!bench_feeder_run_until (&feeder, bench_feeder_next (&feeder) + 1)) {
      fprintf (stderr, "the element takes no data\n");
      return 1;
    }
  }
  printf ("%" G_GUINT64_FORMAT " packets went in, %" G_GUINT64_FORMAT
          " of them were sent\n",
      feeder.pushed, bench_feeder_count_sent (&feeder));
  bench_feeder_close (&feeder);

  return 0;
}
