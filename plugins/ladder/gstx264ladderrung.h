/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_X264_LADDER_RUNG_H
#define GST_X264_LADDER_RUNG_H

#include <gst/gst.h>
#include <gst/lmcc/lmcc.h>
#include <plugins/common/ladder.h>

#include "gstladderspeed.h"

G_BEGIN_DECLS

/**
 * GstX264LadderRung:
 * @index: the number in the name src_%u; a lower number is a smaller encoding
 * @bitrate: bit/s; 0 before the first caps
 * @taken: number of pictures that the encoder has taken; atomic
 *
 * One encoding: queue, scaler and x264enc. The elements belong to the bin.
 */
typedef struct
{
  guint index;
  GstElement *queue;
  GstElement *scale;
  GstElement *filter;
  GstElement *encoder;
  GstElement *profile;
  GstPad *tee_pad;
  guint64 bitrate;
  gint taken;
} GstX264LadderRung;

/**
 * GstX264LadderSettings:
 * @vbv_capacity: ms
 * @lookahead: maximum number of pictures, -1 for the value of the preset
 * @key_distance: maximum number of pictures between key frames
 *
 * Common settings of the encoders of all rungs.
 */
typedef struct
{
  guint vbv_capacity;
  gint lookahead;
  guint key_distance;
  guint bframes;
  GstLadderSpeed speed;
  guint threads;
  gboolean real_time;
} GstX264LadderSettings;

const gchar *gst_x264_ladder_find_missing (const gchar **package);
GstX264LadderRung *
gst_x264_ladder_rung_new (GstBin *bin, GstElement *tee, guint index);
void gst_x264_ladder_rung_free (GstX264LadderRung *rung, GstBin *bin,
    GstElement *tee);
void gst_x264_ladder_rung_configure (GstX264LadderRung *rung,
    const GstX264LadderSettings *settings);
void gst_x264_ladder_rung_lock (GstX264LadderRung *rung);
gboolean gst_x264_ladder_rung_unlock (GstX264LadderRung *rung);
gboolean gst_x264_ladder_read_picture (GstCaps *caps, LmccPicture *picture);

G_END_DECLS

#endif
