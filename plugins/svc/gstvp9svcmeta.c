/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The meta by which the encoder describes a layer frame to the payloader. */
#include "gstvp9svcmeta.h"

#include <string.h>

#define FIELD_SPATIAL_ID "spatial-id"
#define FIELD_TEMPORAL_ID "temporal-id"
#define FIELD_INTER_PICTURE "inter-picture"
#define FIELD_INTER_LAYER "inter-layer"

/*
 * gst_vp9_svc_meta_register:
 *
 * Registers the meta. Can be called several times, from any thread.
 */
void
gst_vp9_svc_meta_register (void)
{
  static gsize registered = 0;

  if (g_once_init_enter (&registered)) {
    static const gchar *tags[] = { NULL };

    if (gst_meta_get_info (GST_VP9_SVC_META_NAME) == NULL)
      gst_meta_register_custom (GST_VP9_SVC_META_NAME, tags, NULL, NULL, NULL);
    g_once_init_leave (&registered, 1);
  }
}

/*
 * gst_buffer_add_vp9_svc_meta:
 * @buffer: a writable buffer, one layer frame
 * @frame: its layer and its references
 */
gboolean
gst_buffer_add_vp9_svc_meta (GstBuffer *buffer,
    const GstVp9SvcLayerFrame *frame)
{
  GstCustomMeta *meta =
      gst_buffer_add_custom_meta (buffer, GST_VP9_SVC_META_NAME);

  if (meta == NULL)
    return FALSE;
  gst_structure_set (gst_custom_meta_get_structure (meta), FIELD_SPATIAL_ID,
      G_TYPE_UINT, frame->spatial_id, FIELD_TEMPORAL_ID, G_TYPE_UINT,
      frame->temporal_id, FIELD_INTER_PICTURE, G_TYPE_BOOLEAN,
      frame->inter_picture, FIELD_INTER_LAYER, G_TYPE_BOOLEAN,
      frame->inter_layer, NULL);

  return TRUE;
}

/*
 * gst_buffer_get_vp9_svc_meta:
 * @buffer: one layer frame
 * @frame: (out): its layer and whether it has references; all other fields are
 *     zero
 *
 * Returns: %FALSE if @buffer has no such meta, or one with a field missing or
 *     out of range
 */
gboolean
gst_buffer_get_vp9_svc_meta (GstBuffer *buffer, GstVp9SvcLayerFrame *frame)
{
  GstCustomMeta *meta =
      gst_buffer_get_custom_meta (buffer, GST_VP9_SVC_META_NAME);
  GstStructure *structure;

  if (meta == NULL)
    return FALSE;
  structure = gst_custom_meta_get_structure (meta);
  memset (frame, 0, sizeof (*frame));

  return gst_structure_get_uint (structure, FIELD_SPATIAL_ID,
             &frame->spatial_id)
      && gst_structure_get_uint (structure, FIELD_TEMPORAL_ID,
          &frame->temporal_id)
      && gst_structure_get_boolean (structure, FIELD_INTER_PICTURE,
          &frame->inter_picture)
      && gst_structure_get_boolean (structure, FIELD_INTER_LAYER,
          &frame->inter_layer)
      && frame->spatial_id < GST_VP9_SVC_MAX_SPATIAL
      && frame->temporal_id < GST_VP9_SVC_MAX_TEMPORAL;
}

/*
 * gst_vp9_svc_structure_from_caps:
 * @caps: caps of layer frames
 * @structure: (out): their layers
 * @width: (out): width of the video in pixels
 * @height: (out): height of the video in pixels
 *
 * Returns: %FALSE if a field is missing or out of range
 */
gboolean
gst_vp9_svc_structure_from_caps (const GstCaps *caps,
    GstVp9SvcStructure *structure, guint *width, guint *height)
{
  const GstStructure *fields = gst_caps_get_structure (caps, 0);
  gint w = 0, h = 0;

  if (!gst_vp9_svc_structure_parse_mode (gst_structure_get_string (fields,
                                             GST_VP9_SVC_FIELD_MODE),
          structure)
      || !gst_structure_get_int (fields, "width", &w)
      || !gst_structure_get_int (fields, "height", &h) || w < 1 || h < 1
      || w > G_MAXUINT16 || h > G_MAXUINT16)
    return FALSE;
  structure->halved =
      g_strcmp0 (gst_structure_get_string (fields, GST_VP9_SVC_FIELD_SCALING),
          GST_VP9_SVC_SCALING_HALF)
      == 0;
  *width = (guint) w;
  *height = (guint) h;

  return TRUE;
}
