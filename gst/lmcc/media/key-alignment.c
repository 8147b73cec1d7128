/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/key-alignment.h"

#include <string.h>

static LmccKeyPicture *
find_picture (LmccKeyAlignment *alignment, LmccTime presentation_time)
{
  guint n = MIN (alignment->n_pictures, LMCC_KEY_ALIGNMENT_PICTURES), i;
  LmccKeyPicture *picture;

  for (i = 0; i < n; i++) {
    if (alignment->pictures[i].presentation_time == presentation_time)
      return &alignment->pictures[i];
  }

  picture =
      &alignment->pictures[alignment->n_pictures % LMCC_KEY_ALIGNMENT_PICTURES];
  alignment->n_pictures++;
  memset (picture, 0, sizeof (*picture));
  picture->presentation_time = presentation_time;

  return picture;
}

/*
 * lmcc_key_alignment_push:
 * @alignment: the units seen so far
 * @unit: a unit of a rung
 *
 * Class 0 of a rung's picture precedes its other classes, so the first unit of
 * a rung shows whether the picture is a key frame there.
 *
 * Returns: whether it has just become clear that the picture is a key frame
 * in some rungs but not in all that delivered it; at most once per picture
 */
gboolean
lmcc_key_alignment_push (LmccKeyAlignment *alignment, const LmccUnit *unit)
{
  LmccKeyPicture *picture = find_picture (alignment, unit->presentation_time);

  picture->present |= 1u << unit->stream;
  if (unit->klass == 0 && unit->switch_point)
    picture->key |= 1u << unit->stream;
  if (picture->misaligned || picture->key == 0
      || picture->key == picture->present)
    return FALSE;
  picture->misaligned = TRUE;

  return TRUE;
}
