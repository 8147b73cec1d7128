/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SINK_REFUSAL_H
#define GST_LMCC_SINK_REFUSAL_H

#include <gst/gst.h>

G_BEGIN_DECLS

gboolean gst_lmcc_sink_caps_are_sound (const GstCaps *caps);
void
gst_lmcc_sink_refuse_sound (GstElement *sink, GstPad *pad, const GstCaps *caps);
void gst_lmcc_sink_leave_out_sound (GstElement *sink, const GstCaps *caps);
void gst_lmcc_sink_refuse_format (GstElement *sink, const GstCaps *caps);
void gst_lmcc_sink_refuse_stream (GstElement *sink, GstElement *payloader,
    const GstCaps *caps);
void gst_lmcc_sink_refuse_times (GstElement *core, GstPad *pad);
void gst_lmcc_sink_check_configuration (GstElement *core, GstPad *pad,
    const GstCaps *caps);

G_END_DECLS

#endif
