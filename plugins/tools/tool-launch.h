/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_TOOL_LAUNCH_H
#define LMCC_TOOL_LAUNCH_H

#include <gst/gst.h>

G_BEGIN_DECLS

void tool_line_add (GPtrArray *line, ...) G_GNUC_NULL_TERMINATED;
void tool_line_set (GPtrArray *line, const gchar *name, const gchar *value);

gboolean tool_has_lmcc (const gchar *element);
gint tool_line_run (GPtrArray *line);
gint tool_line_repeat (GPtrArray *line, const gchar *again);

G_END_DECLS

#endif
