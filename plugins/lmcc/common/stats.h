/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_STATS_H
#define GST_LMCC_STATS_H

#include <gst/gst.h>
#include <gst/lmcc/lmcc.h>

G_BEGIN_DECLS

/* Times are in ms, as #gdouble. Unknown values are omitted. */
static inline void
gst_lmcc_set_time (GstStructure *structure, const gchar *name, LmccTime time)
{
  if (LMCC_TIME_IS_VALID (time))
    gst_structure_set (structure, name, G_TYPE_DOUBLE,
        (gdouble) time / LMCC_MSECOND, NULL);
}

static inline void
gst_lmcc_set_text (GstStructure *structure, const gchar *name,
    const gchar *text)
{
  if (text)
    gst_structure_set (structure, name, G_TYPE_STRING, text, NULL);
}

/* Takes ownership of @structure; @array is a GstValueArray. */
static inline void
gst_lmcc_append_structure (GValue *array, GstStructure *structure)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, structure);
  gst_value_array_append_and_take_value (array, &value);
}

G_END_DECLS

#endif
