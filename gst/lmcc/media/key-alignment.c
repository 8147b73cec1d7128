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
 * @alignment: what was seen so far
 * @unit: a unit of a rung
 *
 * Class 0 of a rung's picture comes before its other classes, so that what is
 * seen of a rung first says whether the picture is key there.
 *
 * Returns: whether it is now clear that the picture is key in some rungs but
 *     not in all that delivered it; once for each picture
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
