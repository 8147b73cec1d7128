/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib/gi18n-lib.h>

G_BEGIN_DECLS

void gst_lmcc_bind_messages (void);

G_END_DECLS
