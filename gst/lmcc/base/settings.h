/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_BASE_SETTINGS_H
#define LMCC_BASE_SETTINGS_H

#include <gst/lmcc/lmcc-settings.h>

G_BEGIN_DECLS

void
lmcc_settings_prefer (LmccSettings *settings, const gchar *name, gdouble value);

G_END_DECLS

#endif
