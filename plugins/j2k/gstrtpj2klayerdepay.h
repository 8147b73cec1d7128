/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_RTP_J2K_LAYER_DEPAY_H
#define GST_RTP_J2K_LAYER_DEPAY_H

#include <gst/rtp/gstrtpbasedepayload.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_J2K_LAYER_DEPAY (gst_rtp_j2k_layer_depay_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpJ2kLayerDepay, gst_rtp_j2k_layer_depay, GST,
    RTP_J2K_LAYER_DEPAY, GstRTPBaseDepayload)
GST_ELEMENT_REGISTER_DECLARE (rtpj2klayerdepay);

G_END_DECLS

#endif
