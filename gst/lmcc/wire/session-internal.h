/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_WIRE_SESSION_INTERNAL_H
#define LMCC_WIRE_SESSION_INTERNAL_H

#include <gst/lmcc/lmcc-session.h>

G_BEGIN_DECLS

gboolean lmcc_session_has_sound (const LmccSession *session);
gboolean lmcc_session_is_algorithm_name (const gchar *name);

G_END_DECLS

#endif
