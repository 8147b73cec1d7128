/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_VP9_SVC_META_H
#define GST_VP9_SVC_META_H

#include <gst/gst.h>

#include "gstvp9svcstructure.h"

G_BEGIN_DECLS

/* Media type of a stream with one layer frame per buffer. It differs from video/x-vp9,
 * because decoders for that would take each layer frame for a whole picture. */
#define GST_VP9_SVC_MEDIA_TYPE "video/x-vp9-svc"

#define GST_VP9_SVC_MODES \
  "{ L1T1, L1T2, L1T3, L2T1, L2T2, L2T3, L3T1, L3T2, L3T3 }"

/* Fields of these caps. */
#define GST_VP9_SVC_FIELD_MODE "scalability-mode"
#define GST_VP9_SVC_FIELD_SCALING "layer-scaling"
#define GST_VP9_SVC_SCALING_NONE "none"
#define GST_VP9_SVC_SCALING_HALF "half"

/* A GstCustomMeta with "spatial-id", "temporal-id" (uint), "inter-picture",
 * "inter-layer" (boolean). */
#define GST_VP9_SVC_META_NAME "GstVp9SvcMeta"

void gst_vp9_svc_meta_register (void);
gboolean gst_buffer_add_vp9_svc_meta (GstBuffer *buffer,
    const GstVp9SvcLayerFrame *frame);
gboolean
gst_buffer_get_vp9_svc_meta (GstBuffer *buffer, GstVp9SvcLayerFrame *frame);
gboolean gst_vp9_svc_structure_from_caps (const GstCaps *caps,
    GstVp9SvcStructure *structure, guint *width, guint *height);

G_END_DECLS

#endif
