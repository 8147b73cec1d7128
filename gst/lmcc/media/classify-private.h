/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEDIA_CLASSIFY_PRIVATE_H
#define LMCC_MEDIA_CLASSIFY_PRIVATE_H

#include <gst/lmcc/lmcc-classify.h>

G_BEGIN_DECLS

/* The result for a payload without coded picture data. */
#define LMCC_PAYLOAD_SIGNS_NONE ((LmccPayloadSigns){ .klass = -1 })

void lmcc_payload_signs_merge (LmccPayloadSigns *signs,
    const LmccPayloadSigns *part);

extern const LmccCodec lmcc_codec_h264;
extern const LmccCodec lmcc_codec_h265;
extern const LmccCodec lmcc_codec_j2k;
extern const LmccCodec lmcc_codec_vp8;
extern const LmccCodec lmcc_codec_vp9;

G_END_DECLS

#endif
