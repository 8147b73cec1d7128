/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/decoder-delay.h"

/* A longer delay comes from a jump of the source's timestamps and not from
 * an encoder. */
#define MAX_DELAY (2 * LMCC_SECOND)

/* Determines how many pictures precede one that is shown before them. */
static void
follow_depth (LmccReorder *reorder, LmccTime presentation_time)
{
  guint later = 0, i;

  for (i = 0; i < MIN (reorder->n_recent, LMCC_REORDER_HISTORY); i++) {
    if (reorder->recent[i] > presentation_time)
      later++;
  }
  /* If a whole history is shown later, the timestamps have jumped. */
  if (later < LMCC_REORDER_HISTORY)
    reorder->depth = MAX (reorder->depth, later);
  reorder->recent[reorder->n_recent++ % LMCC_REORDER_HISTORY] =
      presentation_time;
}

static void
follow_delay (LmccReorder *reorder, const LmccUnit *unit)
{
  guint held = reorder->n_base - reorder->depth;
  LmccTime shown;

  reorder->base[reorder->n_base % LMCC_REORDER_HISTORY].decoding_time =
      unit->decoding_time;
  reorder->base[reorder->n_base % LMCC_REORDER_HISTORY].presentation_time =
      unit->presentation_time;
  if (reorder->n_base++ < reorder->depth)
    return;

  /* The picture that the decoder outputs when this one arrives. */
  shown = reorder->base[held % LMCC_REORDER_HISTORY].presentation_time;
  if (unit->decoding_time > shown && unit->decoding_time - shown <= MAX_DELAY)
    reorder->delay = MAX (reorder->delay, unit->decoding_time - shown);
}

/**
 * lmcc_reorder_push:
 * @reorder: the state; initially all zeros
 * @unit: the next unit of the stream, in decoding order
 *
 * Returns: greatest time so far, in ns, by which a decoder that gets class 0
 * alone outputs a picture after its presentation time; 0 without reordering
 */
LmccTime
lmcc_reorder_push (LmccReorder *reorder, const LmccUnit *unit)
{
  follow_depth (reorder, unit->presentation_time);
  if (unit->klass == 0)
    follow_delay (reorder, unit);

  return reorder->delay;
}
