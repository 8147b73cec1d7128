/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_X264_LADDER_PRIVATE_H
#define GST_X264_LADDER_PRIVATE_H

#include <gst/gst.h>

#include "gstladderwatch.h"
#include "gstx264ladderenc.h"
#include "gstx264ladderrung.h"

G_BEGIN_DECLS

/**
 * GstX264LadderProps:
 *
 * The values of the properties, in their own units.
 */
typedef struct
{
  gchar *bitrates;
  guint bitrate;
  guint key_unit_interval;
  guint bframes;
  guint vbv_buf_capacity;
  gint lookahead;
  gint speed;
  gboolean real_time;
} GstX264LadderProps;

struct _GstX264LadderEnc
{
  GstBin parent;

  GstElement *convert;
  GstElement *filter;
  GstElement *tee;
  GstPad *sink;

  /* Changed only while no data flows. */
  GPtrArray *rungs;

  /* OBJECT_LOCK */
  GstX264LadderProps props;
  gboolean configured;
  GstLadderSpeed speed;
  GstClockTime key_interval;
  guint key_distance;
  guint since_key;
  gboolean changed;
  /* The maximum value means none. */
  GstClockTime requested_key;
  GstClockTime last_key;
  GstClockTime newest;
  GstClockTime picture_duration;
  gboolean asked_live;
  gboolean live;
  GstLadderWatch watch;
  guint64 n_skipped;

  /* stream lock of the sink pad */
  GstSegment segment;
  gint n_in;
};

extern guint gst_x264_ladder_enc_setup_signal;

/* gstx264ladderinput.c */
void gst_x264_ladder_reset (GstX264LadderEnc *self);
gboolean
gst_x264_ladder_sink_event (GstPad *pad, GstObject *parent, GstEvent *event);
GstPadProbeReturn gst_x264_ladder_picture_in (GstPad *pad,
    GstPadProbeInfo *info, gpointer user_data);
GstPadProbeReturn gst_x264_ladder_picture_out (GstPad *pad,
    GstPadProbeInfo *info, gpointer user_data);
void
gst_x264_ladder_request_key (GstX264LadderEnc *self, GstClockTime running_time);

GST_DEBUG_CATEGORY_EXTERN (gst_x264_ladder_enc_debug);

G_END_DECLS

#endif
