/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The layer of each picture in a scalability mode, and its references.
 *
 * The modes are those of W3C's "Scalable Video Coding (SVC) Extension for
 * WebRTC", L1T1 to L3T3. Every spatial layer predicts from the layer below in
 * the same picture and from its own past. The sequence of temporal layers is 0
 * 2 1 2 with three layers, and 0 1 with two.
 *
 * Of the eight buffers of a VP9 decoder each spatial layer uses one for
 * temporal layer 0 and one for temporal layer 1. A frame of the highest
 * temporal layer is only stored for the spatial layer above it.
 */
#include "gstvp9svcstructure.h"

static const guint8 temporal_ids[GST_VP9_SVC_MAX_TEMPORAL]
                                [GST_VP9_SVC_MAX_PERIOD] = {
                                  { 0 },
                                  { 0, 1 },
                                  { 0, 2, 1, 2 },
                                };

/* Distance to the earlier picture that a picture refers to, in pictures. */
static const guint8 distances[GST_VP9_SVC_MAX_TEMPORAL]
                             [GST_VP9_SVC_MAX_PERIOD] = {
                               { 1 },
                               { 2, 1 },
                               { 4, 1, 2, 1 },
                             };

/*
 * gst_vp9_svc_structure_parse_mode:
 * @mode: (nullable): "L1T1" to "L3T3"
 * @structure: (out): gets the numbers of layers; @halved stays unchanged
 *
 * Returns: %FALSE if there is no such mode
 */
gboolean
gst_vp9_svc_structure_parse_mode (const gchar *mode,
    GstVp9SvcStructure *structure)
{
  if (mode == NULL || mode[0] != 'L' || mode[1] < '1'
      || mode[1] > '0' + GST_VP9_SVC_MAX_SPATIAL || mode[2] != 'T'
      || mode[3] < '1' || mode[3] > '0' + GST_VP9_SVC_MAX_TEMPORAL
      || mode[4] != '\0')
    return FALSE;
  structure->n_spatial = (guint) (mode[1] - '0');
  structure->n_temporal = (guint) (mode[3] - '0');

  return TRUE;
}

/*
 * gst_vp9_svc_structure_get_size:
 * @structure: the layers
 * @width: width of the video
 * @height: height of the video
 * @spatial_id: a spatial layer
 * @layer_width: (out): its width, pixels
 * @layer_height: (out): its height, pixels
 *
 * libvpx rounds odd sizes of lower layers up to even ones.
 */
void
gst_vp9_svc_structure_get_size (const GstVp9SvcStructure *structure,
    guint width, guint height, guint spatial_id, guint *layer_width,
    guint *layer_height)
{
  guint shift = structure->n_spatial - 1 - spatial_id;

  *layer_width = width;
  *layer_height = height;
  if (structure->halved && shift > 0) {
    *layer_width = ((width >> shift) + 1) & ~1u;
    *layer_height = ((height >> shift) + 1) & ~1u;
  }
}

guint
gst_vp9_svc_structure_get_period (const GstVp9SvcStructure *structure)
{
  return 1u << (structure->n_temporal - 1);
}

/*
 * gst_vp9_svc_structure_get_temporal_id:
 * @structure: the layers
 * @position: number of pictures since the last key frame
 */
guint
gst_vp9_svc_structure_get_temporal_id (const GstVp9SvcStructure *structure,
    guint position)
{
  return temporal_ids[structure->n_temporal - 1]
                     [position % gst_vp9_svc_structure_get_period (structure)];
}

/*
 * gst_vp9_svc_structure_get_distance:
 * @structure: the layers
 * @position: number of pictures since the last key frame
 *
 * Returns: distance to the earlier picture that it refers to, in pictures
 */
guint
gst_vp9_svc_structure_get_distance (const GstVp9SvcStructure *structure,
    guint position)
{
  return distances[structure->n_temporal - 1]
                  [position % gst_vp9_svc_structure_get_period (structure)];
}

/* The decoder buffer that stores a layer frame, or -1 if no frame refers to
 * it. */
static gint
update_slot (const GstVp9SvcStructure *structure, guint spatial_id,
    guint temporal_id)
{
  gboolean has_upper = spatial_id + 1 < structure->n_spatial;
  gboolean is_highest = temporal_id + 1 == structure->n_temporal;

  if (temporal_id > 0 && is_highest && !has_upper)
    return -1;

  return (gint) (temporal_id * structure->n_spatial + spatial_id);
}

/*
 * gst_vp9_svc_structure_get_frame:
 * @structure: the layers
 * @position: number of pictures since the last key frame
 * @key: whether it is a key frame; then @position is 0
 * @layer_switch: whether the upper layers must not refer to earlier pictures;
 *     then TID is 0
 * @spatial_id: a spatial layer
 * @frame: (out): its references
 */
void
gst_vp9_svc_structure_get_frame (const GstVp9SvcStructure *structure,
    guint position, gboolean key, gboolean layer_switch, guint spatial_id,
    GstVp9SvcLayerFrame *frame)
{
  guint temporal_id =
      gst_vp9_svc_structure_get_temporal_id (structure, position);
  guint of_reference = gst_vp9_svc_structure_get_temporal_id (structure,
      position + GST_VP9_SVC_MAX_PERIOD
          - gst_vp9_svc_structure_get_distance (structure, position));

  frame->spatial_id = spatial_id;
  frame->temporal_id = temporal_id;
  frame->inter_picture = !key && !(layer_switch && spatial_id > 0);
  frame->inter_layer = spatial_id > 0;
  frame->switch_point = temporal_id > 0 || !frame->inter_picture;
  frame->reference_slot =
      (gint) (of_reference * structure->n_spatial + spatial_id);
  frame->layer_slot = frame->inter_layer
      ? update_slot (structure, spatial_id - 1, temporal_id)
      : -1;
  frame->update_slot = update_slot (structure, spatial_id, temporal_id);
}

/*
 * gst_vp9_svc_get_class:
 * @spatial_id: SID, 0 to 2
 * @temporal_id: TID, 0 to 2
 *
 * The numbers are those of lmcc_codec_vp9 in every mode: S0T0, S0T1, S0T2, S1T0
 * ...
 *
 * Returns: the class of a layer frame
 */
guint
gst_vp9_svc_get_class (guint spatial_id, guint temporal_id)
{
  return GST_VP9_SVC_MAX_TEMPORAL * spatial_id + temporal_id;
}
