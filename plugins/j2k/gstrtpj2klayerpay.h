/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_RTP_J2K_LAYER_PAY_H
#define GST_RTP_J2K_LAYER_PAY_H

#include <gst/rtp/gstrtpbasepayload.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_J2K_LAYER_PAY (gst_rtp_j2k_layer_pay_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpJ2kLayerPay, gst_rtp_j2k_layer_pay, GST,
    RTP_J2K_LAYER_PAY, GstRTPBasePayload)
GST_ELEMENT_REGISTER_DECLARE (rtpj2klayerpay);

G_END_DECLS

#endif
