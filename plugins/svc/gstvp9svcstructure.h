/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_VP9_SVC_STRUCTURE_H
#define GST_VP9_SVC_STRUCTURE_H

#include <glib.h>

G_BEGIN_DECLS

#define GST_VP9_SVC_MAX_SPATIAL 3
#define GST_VP9_SVC_MAX_TEMPORAL 3
#define GST_VP9_SVC_MAX_LAYERS \
  (GST_VP9_SVC_MAX_SPATIAL * GST_VP9_SVC_MAX_TEMPORAL)

/* Period of the longest pattern of temporal layers, in pictures. */
#define GST_VP9_SVC_MAX_PERIOD 4

/**
 * GstVp9SvcStructure:
 * @n_spatial: number of spatial or quality layers, 1 to 3
 * @n_temporal: number of temporal layers, 1 to 3
 * @halved: whether each spatial layer has half the width and height of the one above;
 *     otherwise all have the size of the video
 */
typedef struct
{
  guint n_spatial;
  guint n_temporal;
  gboolean halved;
} GstVp9SvcStructure;

/**
 * GstVp9SvcLayerFrame:
 * @spatial_id: SID
 * @temporal_id: TID
 * @inter_picture: whether it is predicted from an earlier picture (P)
 * @inter_layer: whether it is predicted from the layer below in the same picture (D)
 * @switch_point: whether it needs no earlier layer frame of its class or above
 * @reference_slot: decoder buffer of the earlier picture, if @inter_picture
 * @layer_slot: decoder buffer of the layer below, if @inter_layer
 * @update_slot: decoder buffer that stores it, -1 for none
 *
 * The references of one spatial layer of one picture.
 */
typedef struct
{
  guint spatial_id;
  guint temporal_id;
  gboolean inter_picture;
  gboolean inter_layer;
  gboolean switch_point;
  gint reference_slot;
  gint layer_slot;
  gint update_slot;
} GstVp9SvcLayerFrame;

gboolean gst_vp9_svc_structure_parse_mode (const gchar *mode,
    GstVp9SvcStructure *structure);
void gst_vp9_svc_structure_get_size (const GstVp9SvcStructure *structure,
    guint width, guint height, guint spatial_id, guint *layer_width,
    guint *layer_height);
guint gst_vp9_svc_structure_get_period (const GstVp9SvcStructure *structure);
guint
gst_vp9_svc_structure_get_temporal_id (const GstVp9SvcStructure *structure,
    guint position);
guint gst_vp9_svc_structure_get_distance (const GstVp9SvcStructure *structure,
    guint position);
void gst_vp9_svc_structure_get_frame (const GstVp9SvcStructure *structure,
    guint position, gboolean key, gboolean layer_switch, guint spatial_id,
    GstVp9SvcLayerFrame *frame);
guint gst_vp9_svc_get_class (guint spatial_id, guint temporal_id);

G_END_DECLS

#endif
