/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_RTP_VP9_SVC_PAY_H
#define GST_RTP_VP9_SVC_PAY_H

#include <gst/rtp/gstrtpbasepayload.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_VP9_SVC_PAY (gst_rtp_vp9_svc_pay_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpVp9SvcPay, gst_rtp_vp9_svc_pay, GST,
    RTP_VP9_SVC_PAY, GstRTPBasePayload)

GST_ELEMENT_REGISTER_DECLARE (rtpvp9svcpay);

G_END_DECLS

#endif
