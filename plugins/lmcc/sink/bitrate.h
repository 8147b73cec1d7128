/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SINK_BITRATE_H
#define GST_LMCC_SINK_BITRATE_H

#include <gst/gst.h>
#include <gst/lmcc/lmcc.h>

G_BEGIN_DECLS

GstElement *gst_lmcc_sink_bitrate_find_encoder (GstPad *sink);
LmccTime gst_lmcc_sink_bitrate_get_key_distance (GstElement *encoder);
guint64 gst_lmcc_sink_bitrate_get (GstElement *encoder);
void gst_lmcc_sink_bitrate_set (GstElement *encoder, guint64 bitrate);

G_END_DECLS

#endif
