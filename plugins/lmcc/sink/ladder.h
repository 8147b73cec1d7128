/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SINK_LADDER_H
#define GST_LMCC_SINK_LADDER_H

#include <gst/gst.h>

#include "sink/core.h"
#include "sink/encoder.h"

G_BEGIN_DECLS

/**
 * GstLmccSinkLadder:
 *
 * The encoders inside lmccsink that make rungs of raw video.
 */
typedef struct _GstLmccSinkLadder GstLmccSinkLadder;

/**
 * GstLmccSinkEncoderSetup:
 * @ladder: the element that makes layers of raw video
 * @encoder: an encoder in it, or the same element
 * @rung: the rung that it makes
 * @sink: lmccsink
 */
typedef void (*GstLmccSinkEncoderSetup) (GstElement *ladder,
    GstElement *encoder, guint rung, gpointer sink);

GstLmccSinkLadder *gst_lmcc_sink_ladder_new (GstBin *sink,
    GstLmccSinkCore *core, GstPad *core_pad, guint index, GstCaps *caps,
    const GstLmccSinkSettings *settings, GstLmccSinkEncoderSetup encoder_setup);
GstPad *gst_lmcc_sink_ladder_get_sink (GstLmccSinkLadder *ladder);
void gst_lmcc_sink_ladder_let_go (GstLmccSinkLadder *ladder);
void gst_lmcc_sink_ladder_free (GstLmccSinkLadder *ladder);

G_END_DECLS

#endif
