/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEDIA_DECODER_DELAY_H
#define LMCC_MEDIA_DECODER_DELAY_H

#include <gst/lmcc/lmcc-unit.h>

G_BEGIN_DECLS

#define LMCC_REORDER_HISTORY 32

/**
 * LmccReorder:
 * Determines how long a decoder that gets only class 0 of a stream delays a picture.
 *
 * A decoder outputs a picture when as many later ones have arrived as the stream may
 * reorder (H.264 section C.4.5.3, "bumping", with num_reorder_frames), however far apart
 * these are. If class 0 is one picture in four, two pictures are eight frames.
 */
typedef struct
{
  /*< private >*/
  LmccTime recent[LMCC_REORDER_HISTORY];
  guint n_recent;
  struct
  {
    LmccTime decoding_time;
    LmccTime presentation_time;
  } base[LMCC_REORDER_HISTORY];
  guint n_base;
  guint depth;
  LmccTime delay;
} LmccReorder;

LmccTime lmcc_reorder_push (LmccReorder *reorder, const LmccUnit *unit);

G_END_DECLS

#endif
