/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SINK_H
#define GST_LMCC_SINK_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_LMCC_SINK (gst_lmcc_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstLmccSink, gst_lmcc_sink, GST, LMCC_SINK, GstBin)
GST_ELEMENT_REGISTER_DECLARE (lmccsink);

G_END_DECLS

#endif
