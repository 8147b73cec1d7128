/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/plumb/overload.h"

#include <math.h>
#include <string.h>

#define SLICE (100 * LMCC_MSECOND)

/* Time over which the usual loss rate is averaged. */
#define USUAL_TIME (20.0 * LMCC_SECOND)

/* Up to this multiple of the usual loss rate is attributed to the path. */
#define USUAL_TIMES 3

/* Least losses and loss rates that count: eight TCP connections in slow
 * start cause less within a second; after a join alone on a path nothing
 * else can be the cause; competing traffic that should give way gets time to
 * do so. */
static const struct
{
  guint losses;
  gdouble share;
} limits[] = {
  [LMCC_OVERLOAD_USUAL] = { 8, 0.10 },
  [LMCC_OVERLOAD_EXPERIMENT] = { 5, 0.05 },
  [LMCC_OVERLOAD_CLAIM] = { 8, 0.25 },
};

/*
 * lmcc_overload_reset:
 * @overload: (out): forgets earlier measurements, which belong to another level
 * @now: the time
 */
void
lmcc_overload_reset (LmccOverload *overload, LmccTime now)
{
  gdouble usual = overload->usual;

  memset (overload, 0, sizeof (*overload));
  overload->usual = usual;
  overload->since = now;
  overload->current_until = now + SLICE;
}

static void
count (const LmccOverload *overload, guint *received, guint *lost,
    guint64 *bytes)
{
  guint i;

  *received = *lost = 0;
  *bytes = 0;
  for (i = 0; i < LMCC_OVERLOAD_SLICES; i++) {
    *received += overload->slices[i].received;
    *lost += overload->slices[i].lost;
    *bytes += overload->slices[i].bytes;
  }
}

static void
learn_usual (LmccOverload *overload)
{
  guint received = overload->slices[overload->current].received;
  guint lost = overload->slices[overload->current].lost;
  gdouble part = 1 - exp (-(gdouble) SLICE / USUAL_TIME);

  if (received + lost > 0)
    overload->usual +=
        part * ((gdouble) lost / (received + lost) - overload->usual);
}

static void
turn (LmccOverload *overload, LmccTime now)
{
  if (now >= overload->current_until + LMCC_OVERLOAD_SLICES * SLICE) {
    lmcc_overload_reset (overload, now);
    return;
  }
  while (now >= overload->current_until) {
    learn_usual (overload);
    overload->current = (overload->current + 1) % LMCC_OVERLOAD_SLICES;
    memset (&overload->slices[overload->current], 0,
        sizeof (overload->slices[0]));
    overload->current_until += SLICE;
  }
}

/*
 * lmcc_overload_packet:
 * @overload: an overload detector
 * @arrival: arrival time of a packet
 * @size: its size in bytes, including headers
 */
void
lmcc_overload_packet (LmccOverload *overload, LmccTime arrival, gsize size)
{
  turn (overload, arrival);
  overload->slices[overload->current].received++;
  overload->slices[overload->current].bytes += size;
}

/*
 * lmcc_overload_lose:
 * @overload: an overload detector
 * @now: the time
 * @lost: number of lost packets
 */
void
lmcc_overload_lose (LmccOverload *overload, LmccTime now, guint lost)
{
  turn (overload, now);
  overload->slices[overload->current].lost += lost;
}

/*
 * lmcc_overload_find:
 * @overload: an overload detector
 * @now: the time
 * @found: number of packets that were reported lost and arrived after all
 *
 * Subtracts them from the latest losses.
 */
void
lmcc_overload_find (LmccOverload *overload, LmccTime now, guint found)
{
  guint i;

  turn (overload, now);
  for (i = 0; i < LMCC_OVERLOAD_SLICES && found > 0; i++) {
    guint slice =
        (overload->current + LMCC_OVERLOAD_SLICES - i) % LMCC_OVERLOAD_SLICES;
    guint n = MIN (overload->slices[slice].lost, found);

    overload->slices[slice].lost -= n;
    found -= n;
  }
}

/*
 * lmcc_overload_check:
 * @overload: an overload detector
 * @now: the time
 * @limit: which limit applies
 *
 * Returns: whether the path carries far less than the current level
 */
gboolean
lmcc_overload_check (LmccOverload *overload, LmccTime now,
    LmccOverloadLimit limit)
{
  guint received, lost;
  guint64 bytes;

  turn (overload, now);
  count (overload, &received, &lost, &bytes);

  return lost >= limits[limit].losses
      && lost >= (received + lost)
          * (limits[limit].share + USUAL_TIMES * overload->usual);
}

/*
 * lmcc_overload_get_rate:
 * @overload: an overload detector
 * @now: the time
 *
 * Returns: rate received in the last second, or since the reset, in bit/s
 */
gdouble
lmcc_overload_get_rate (const LmccOverload *overload, LmccTime now)
{
  LmccTime length = MIN (now - overload->since,
      (LMCC_OVERLOAD_SLICES - 1) * SLICE + now
          - (overload->current_until - SLICE));
  guint received, lost;
  guint64 bytes;

  count (overload, &received, &lost, &bytes);

  return (gdouble) bytes * 8 * LMCC_SECOND / (gdouble) MAX (length, 1);
}
