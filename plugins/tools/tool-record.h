/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_TOOL_RECORD_H
#define LMCC_TOOL_RECORD_H

#include <glib.h>

G_BEGIN_DECLS

gint tool_record (const gchar *uri, const gchar *path);

G_END_DECLS

#endif
