/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEDIA_KEY_ALIGNMENT_H
#define LMCC_MEDIA_KEY_ALIGNMENT_H

#include <gst/lmcc/lmcc-unit.h>

G_BEGIN_DECLS

/* Pictures of which the rungs are compared; rungs that are further apart than this
 * were left behind before they came here. */
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
 * Whether the rungs' key frames are at the same pictures. Zeros are none seen yet.
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
