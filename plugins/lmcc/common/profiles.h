/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_PROFILES_H
#define GST_LMCC_PROFILES_H

#include <glib.h>

G_BEGIN_DECLS

/* The values of GstLmccLatencyProfile. */
enum
{
  GST_LMCC_PROFILE_LIVE = 0,
  GST_LMCC_PROFILE_BALANCED = 1,
  GST_LMCC_PROFILE_QUALITY = 2,
};

/**
 * GstLmccProfileLayers:
 * @window: lmccsink's window, ms; 0: it follows the distance of key frames
 * @repair: lmccsink's share of repair data
 * @raw_key_interval: of raw video: distance of key frames, ms
 * @key_interval: of encoded video: lmccsink's key-unit-interval; 0: what the
 *     encoders make
 * @bframes: of raw video, by x264ladderenc; -1: its own default
 * @lookahead: likewise
 *
 * What a latency profile sets for one kind of layers, where the user sets nothing.
 */
typedef struct
{
  guint window;
  gdouble repair;
  guint raw_key_interval;
  guint key_interval;
  gint bframes;
  gint lookahead;
} GstLmccProfileLayers;

/**
 * GstLmccProfile:
 * @native: layers as the codec makes them
 * @fixed: layers of fixed rates
 * @latency: of lmccsrc, ms
 */
typedef struct
{
  GstLmccProfileLayers native;
  GstLmccProfileLayers fixed;
  guint latency;
} GstLmccProfile;

const GstLmccProfile *gst_lmcc_profile_get (gint profile);

G_END_DECLS

#endif
