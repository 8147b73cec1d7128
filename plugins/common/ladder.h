/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_LADDER_H
#define LMCC_LADDER_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Maximum number of rungs that are derived rather than listed. Each rung has a third
 * of the rate of the next, so a fifth one would have about 1 % of the total. */
#define LMCC_LADDER_MAX_RUNGS 4

/* Bit/s. Below this rate the packet headers, one packet per picture, are larger than
 * the pictures. */
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
 * @packet_overhead: bytes of headers in each packet, IP headers included
 * @packet_payload: bytes of payload in a full packet
 * @group: key-frame interval in seconds
 * @buffer: size of the encoder's VBV buffer in seconds
 * @max_rungs: maximum number of rungs that the encoder makes, 1 to
 *     %LMCC_LADDER_MAX_RUNGS; 0 for this maximum
 *
 * The cost of the pictures of a rung besides their own bits.
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
