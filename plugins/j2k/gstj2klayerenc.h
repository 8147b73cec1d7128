/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_J2K_LAYER_ENC_H
#define GST_J2K_LAYER_ENC_H

#include <gst/video/gstvideoencoder.h>

G_BEGIN_DECLS

#define GST_TYPE_J2K_LAYER_ENC (gst_j2k_layer_enc_get_type ())
G_DECLARE_FINAL_TYPE (GstJ2kLayerEnc, gst_j2k_layer_enc, GST, J2K_LAYER_ENC,
    GstVideoEncoder)
GST_ELEMENT_REGISTER_DECLARE (j2klayerenc);

G_END_DECLS

#endif
