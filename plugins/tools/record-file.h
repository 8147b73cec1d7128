/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECORD_FILE_H
#define LMCC_RECORD_FILE_H

#include <glib.h>

G_BEGIN_DECLS

gboolean record_file_check (const gchar *path, GError **error);
gboolean record_file_make (const gchar *path, GError **error);
gboolean record_file_remove_empty (const gchar *path);

G_END_DECLS

#endif
