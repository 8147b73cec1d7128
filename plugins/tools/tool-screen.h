/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_TOOL_SCREEN_H
#define LMCC_TOOL_SCREEN_H

#include <gst/gst.h>

G_BEGIN_DECLS

gboolean tool_screen_is_there (void);
GstElementFactory *tool_screen_find_sink (GError **error);

G_END_DECLS

#endif
