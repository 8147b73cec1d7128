/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_DEPAY_H
#define GST_LMCC_DEPAY_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Field in the caps of RTP streams whose codec may change. */
#define GST_LMCC_DEPAY_FIELD "lmcc"

#define GST_TYPE_LMCC_DEPAY (gst_lmcc_depay_get_type ())
G_DECLARE_FINAL_TYPE (GstLmccDepay, gst_lmcc_depay, GST, LMCC_DEPAY, GstBin)

GST_ELEMENT_REGISTER_DECLARE (lmccdepay);

G_END_DECLS

#endif
