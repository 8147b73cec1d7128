/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_LAYER_META_H
#define GST_LMCC_LAYER_META_H

#include <gst/gst.h>
#include <gst/lmcc/lmcc-classify.h>

G_BEGIN_DECLS

/* Name of the GstCustomMeta. Its fields are "class" (uint, 0 to 15) and "switch-point"
 * (boolean). Any element can add it by name, without this header. */
#define GST_LMCC_LAYER_META_NAME "GstLmccLayerMeta"

void gst_lmcc_layer_meta_register (void);
gboolean
gst_buffer_add_lmcc_layer_meta (GstBuffer *buffer, const LmccLayerMark *mark);
gboolean
gst_buffer_get_lmcc_layer_meta (GstBuffer *buffer, LmccLayerMark *mark);

G_END_DECLS

#endif
