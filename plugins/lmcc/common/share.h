/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SHARE_H
#define GST_LMCC_SHARE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The number that stands for "auto". */
#define GST_LMCC_SHARE_AUTO -2.0

#define GST_TYPE_LMCC_SHARE (gst_lmcc_share_get_type ())
GType gst_lmcc_share_get_type (void);

G_END_DECLS

#endif
