/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_X264_LADDER_ENC_H
#define GST_X264_LADDER_ENC_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_X264_LADDER_ENC (gst_x264_ladder_enc_get_type ())
G_DECLARE_FINAL_TYPE (GstX264LadderEnc, gst_x264_ladder_enc, GST,
    X264_LADDER_ENC, GstBin)

GST_ELEMENT_REGISTER_DECLARE (x264ladderenc);

G_END_DECLS

#endif
