/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_STATS_H
#define GST_LMCC_STATS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Takes @structure; @array is a GstValueArray. */
static inline void
gst_lmcc_append_structure (GValue * array, GstStructure * structure)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, structure);
  gst_value_array_append_and_take_value (array, &value);
}

G_END_DECLS

#endif
