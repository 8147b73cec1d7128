/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEDIA_KEY_ALIGNMENT_H
#define LMCC_MEDIA_KEY_ALIGNMENT_H

#include <gst/lmcc/lmcc-unit.h>

G_BEGIN_DECLS

/* Number of pictures for which rungs are compared; rungs further apart than this were
 * delayed before they reached the library. */
#define LMCC_KEY_ALIGNMENT_PICTURES 64

typedef struct
{
  LmccTime presentation_time;
  guint16 present;
  guint16 key;
  gboolean misaligned;
} LmccKeyPicture;

/**
 * LmccKeyAlignment:
 * Checks whether the rungs' key frames are at the same pictures. All zeros: none seen
 * yet.
 */
typedef struct
{
  LmccKeyPicture pictures[LMCC_KEY_ALIGNMENT_PICTURES];
  guint n_pictures;
} LmccKeyAlignment;

gboolean
lmcc_key_alignment_push (LmccKeyAlignment *alignment, const LmccUnit *unit);

G_END_DECLS

#endif
