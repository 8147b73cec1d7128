/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SETTINGS_H
#define GST_LMCC_SETTINGS_H

#include <gst/gst.h>
#include <gst/lmcc/lmcc.h>

G_BEGIN_DECLS

gboolean gst_lmcc_settings_read (LmccSettings *settings,
    const GstStructure *structure, GError **error);
gboolean gst_lmcc_settings_check_name (const GstStructure *structure,
    const gchar *algorithm, GError **error);
LmccSettings *gst_lmcc_settings_from_structure (const GstStructure *structure,
    GError **error);

G_END_DECLS

#endif
