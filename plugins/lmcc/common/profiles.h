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
 * @window: lmccsink's window, ms; 0: it follows the key-frame interval
 * @repair: lmccsink's share of repair data
 * @raw_key_interval: key-frame interval for raw video, ms
 * @key_interval: lmccsink's key-unit-interval for encoded video; 0: as the encoders
 *     make them
 * @bframes: B-frames of x264ladderenc for raw video; -1: its default
 * @lookahead: lookahead of x264ladderenc for raw video; -1: its default
 *
 * Settings of a latency profile for one kind of layers. Settings of the user take
 * precedence.
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
 * @native: for layers as the codec makes them
 * @fixed: for layers with fixed rates
 * @latency: latency of lmccsrc, ms
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
