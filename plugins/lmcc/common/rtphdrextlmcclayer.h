/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_RTP_HDREXT_LMCC_LAYER_H
#define GST_RTP_HDREXT_LMCC_LAYER_H

#include <gst/gst.h>
#include <gst/rtp/rtp.h>
#include <gst/lmcc/lmcc-classify.h>

G_BEGIN_DECLS

/* In the caps of a payloader ("extmap-ID=...") and in a=extmap. */
#define GST_RTP_HDREXT_LMCC_LAYER_URI "urn:x-lmcc:layer-mark"

#define GST_TYPE_RTP_HDREXT_LMCC_LAYER (gst_rtp_hdrext_lmcc_layer_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpHdrextLmccLayer, gst_rtp_hdrext_lmcc_layer, GST,
    RTP_HDREXT_LMCC_LAYER, GstRTPHeaderExtension)
GST_ELEMENT_REGISTER_DECLARE (rtphdrextlmcclayer);

guint8 gst_lmcc_layer_mark_ext_id_from_caps (const GstCaps *caps);
gboolean gst_lmcc_layer_mark_from_rtp (GstBuffer *buffer, guint8 ext_id,
    LmccLayerMark *mark);

G_END_DECLS

#endif
