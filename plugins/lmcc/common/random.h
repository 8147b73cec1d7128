/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_RANDOM_H
#define GST_LMCC_RANDOM_H

#include <glib.h>

G_BEGIN_DECLS

void gst_lmcc_random_fill (gpointer bytes, gsize size);
guint32 gst_lmcc_random_int (void);

G_END_DECLS

#endif
