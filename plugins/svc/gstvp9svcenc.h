/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_VP9_SVC_ENC_H
#define GST_VP9_SVC_ENC_H

#include <gst/video/gstvideoencoder.h>

G_BEGIN_DECLS

#define GST_TYPE_VP9_SVC_ENC (gst_vp9_svc_enc_get_type ())
G_DECLARE_FINAL_TYPE (GstVp9SvcEnc, gst_vp9_svc_enc, GST, VP9_SVC_ENC,
    GstVideoEncoder)

GST_ELEMENT_REGISTER_DECLARE (vp9svcenc);

G_END_DECLS

#endif
