/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SINK_UPSTREAM_H
#define GST_LMCC_SINK_UPSTREAM_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef gboolean (*GstLmccSinkMatch) (GstElement *element);

GstElement *
gst_lmcc_sink_find_upstream (GstPad *sink, GstLmccSinkMatch matches);
GstElement *gst_lmcc_sink_find_encoder (GstPad *sink);
const gchar *gst_lmcc_sink_get_factory_name (GstElement *element);

G_END_DECLS

#endif
