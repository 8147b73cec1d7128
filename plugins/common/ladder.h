/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_LADDER_H
#define LMCC_LADDER_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Most rungs that are worked out rather than listed. With a third of the next
 * one's rate each, a further one would be a percent of the whole. */
#define LMCC_LADDER_MAX_RUNGS 4

/* Bit/s. Below it the headers of a packet for each picture are more than the
 * pictures. */
#define LMCC_LADDER_MIN_BITRATE 16000

/**
 * LmccPicture:
 * @width: pixels, above 0
 * @height: pixels, above 0
 * @rate: pictures per second, above 0
 *
 * The size and rate of a raw video.
 */
typedef struct
{
  guint width;
  guint height;
  gdouble rate;
} LmccPicture;

/**
 * LmccLadderLimits:
 * @picture_rate: pictures per second
 * @packet_overhead: bytes of headers in each packet, those of IP included
 * @packet_payload: bytes of a full packet after these
 * @group: seconds from one key frame to the next
 * @buffer: seconds that the encoder's buffer holds (VBV)
 * @max_rungs: most rungs that the encoder makes, 1 to %LMCC_LADDER_MAX_RUNGS; 0
 *     for these
 *
 * What the pictures of a rung cost beside their own bits.
 */
typedef struct
{
  gdouble picture_rate;
  guint packet_overhead;
  guint packet_payload;
  gdouble group;
  gdouble buffer;
  guint max_rungs;
} LmccLadderLimits;

guint
lmcc_ladder_rates_below (guint64 top, guint n, guint64 rates[LMCC_MAX_RUNGS]);
guint lmcc_ladder_default_rates (const LmccPicture *picture,
    guint64 rates[LMCC_MAX_RUNGS]);
guint64 lmcc_ladder_default_top (const LmccPicture *picture);
void lmcc_ladder_size (const LmccPicture *picture, guint64 bitrate,
    guint *width, guint *height);
guint lmcc_ladder_fit_layers (const guint64 *layer_rates, guint n_layers,
    const LmccLadderLimits *limits, guint64 rates[LMCC_MAX_RUNGS],
    GError **error);

G_END_DECLS

#endif
