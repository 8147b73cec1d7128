/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/plumb/overload.h"

#include <math.h>
#include <string.h>

#define SLICE (100 * LMCC_MSECOND)

/* Over which the usual share of losses is taken. */
#define USUAL_TIME (20.0 * LMCC_SECOND)

/* So many times the usual share belongs to the path. */
#define USUAL_TIMES 3

/* Fewer losses, or a smaller share, say nothing: eight TCP connections in slow
 * start make less for a second; a join alone on a path has nothing else to
 * blame; others that are to give way are given the time. */
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
 * @overload: (out): what came before was another level's
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
 * @overload: an overload watch
 * @arrival: when a packet came
 * @size: its bytes, with headers
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
 * @overload: an overload watch
 * @now: the time
 * @lost: packets
 */
void
lmcc_overload_lose (LmccOverload *overload, LmccTime now, guint lost)
{
  turn (overload, now);
  overload->slices[overload->current].lost += lost;
}

/*
 * lmcc_overload_find:
 * @overload: an overload watch
 * @now: the time
 * @found: packets that were lost, and came after all
 *
 * They are taken out of the latest losses.
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
 * @overload: an overload watch
 * @now: the time
 * @limit: what is borne
 *
 * Returns: whether the path carries far less than what is held
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
 * @overload: an overload watch
 * @now: the time
 *
 * Returns: bit/s that came in the last second, or since the reset
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
