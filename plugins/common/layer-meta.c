/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "layer-meta.h"

#define FIELD_CLASS "class"
#define FIELD_SWITCH_POINT "switch-point"

/*
 * gst_lmcc_layer_meta_register:
 *
 * Registers the meta. Can be called several times, from any thread.
 */
void
gst_lmcc_layer_meta_register (void)
{
  static gsize registered = 0;

  if (g_once_init_enter (&registered)) {
    static const gchar *tags[] = { NULL };

    /* A second module that links this file may have registered it. */
    if (gst_meta_get_info (GST_LMCC_LAYER_META_NAME) == NULL)
      gst_meta_register_custom (GST_LMCC_LAYER_META_NAME, tags, NULL, NULL,
          NULL);
    g_once_init_leave (&registered, 1);
  }
}

/*
 * gst_buffer_add_lmcc_layer_meta:
 * @buffer: a writable buffer
 * @mark: its class and whether it is a switch point
 *
 * Adds @mark to @buffer, or replaces the mark that it has.
 *
 * Returns: %FALSE if the class is above 15
 */
gboolean
gst_buffer_add_lmcc_layer_meta (GstBuffer *buffer, const LmccLayerMark *mark)
{
  GstCustomMeta *meta;

  if (mark->klass >= LMCC_MAX_CLASSES)
    return FALSE;

  gst_lmcc_layer_meta_register ();
  meta = gst_buffer_get_custom_meta (buffer, GST_LMCC_LAYER_META_NAME);
  if (meta == NULL)
    meta = gst_buffer_add_custom_meta (buffer, GST_LMCC_LAYER_META_NAME);
  if (meta == NULL)
    return FALSE;
  gst_structure_set (gst_custom_meta_get_structure (meta), FIELD_CLASS,
      G_TYPE_UINT, (guint) mark->klass, FIELD_SWITCH_POINT, G_TYPE_BOOLEAN,
      mark->switch_point, NULL);

  return TRUE;
}

/*
 * gst_buffer_get_lmcc_layer_meta:
 * @buffer: a buffer
 * @mark: (out): the content of its meta
 *
 * Returns: %FALSE if @buffer has no such meta, or one with a field missing or
 *     out of range
 */
gboolean
gst_buffer_get_lmcc_layer_meta (GstBuffer *buffer, LmccLayerMark *mark)
{
  GstCustomMeta *meta;
  GstStructure *structure;
  guint klass;

  gst_lmcc_layer_meta_register ();
  meta = gst_buffer_get_custom_meta (buffer, GST_LMCC_LAYER_META_NAME);
  if (meta == NULL)
    return FALSE;

  structure = gst_custom_meta_get_structure (meta);
  if (!gst_structure_get_uint (structure, FIELD_CLASS, &klass)
      || klass >= LMCC_MAX_CLASSES
      || !gst_structure_get_boolean (structure, FIELD_SWITCH_POINT,
          &mark->switch_point))
    return FALSE;
  mark->klass = (guint8) klass;

  return TRUE;
}
