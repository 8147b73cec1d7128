/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SINK_ENCODER_ADVICE_H
#define GST_LMCC_SINK_ENCODER_ADVICE_H

#include <gst/gst.h>
#include <gst/lmcc/lmcc.h>

G_BEGIN_DECLS

gchar *gst_lmcc_sink_advise_encoder (GstElement *encoder, gboolean own,
    gboolean live, const LmccCodec *codec);

gchar *gst_lmcc_sink_advise_key_distance (GstElement *encoder);

G_END_DECLS

#endif
