/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_TOOL_STREAM_H
#define LMCC_TOOL_STREAM_H

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * ToolGroup:
 * @key_bytes: of its key frame
 * @duration: from its key frame to the next, ns
 */
typedef struct
{
  gsize key_bytes;
  GstClockTime duration;
} ToolGroup;

GArray *tool_stream_read (const gchar *path, GError **error);

G_END_DECLS

#endif
