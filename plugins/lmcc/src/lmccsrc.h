/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SRC_H
#define GST_LMCC_SRC_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_LMCC_SRC (gst_lmcc_src_get_type ())
G_DECLARE_FINAL_TYPE (GstLmccSrc, gst_lmcc_src, GST, LMCC_SRC, GstElement)

GST_ELEMENT_REGISTER_DECLARE (lmccsrc);

G_END_DECLS

#endif
