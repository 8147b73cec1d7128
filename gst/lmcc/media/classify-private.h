/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEDIA_CLASSIFY_PRIVATE_H
#define LMCC_MEDIA_CLASSIFY_PRIVATE_H

#include <gst/lmcc/lmcc-classify.h>

G_BEGIN_DECLS

/* What a payload without coded picture data says. */
#define LMCC_PAYLOAD_SIGNS_NONE ((LmccPayloadSigns) { .klass = -1 })

void lmcc_payload_signs_merge (LmccPayloadSigns * signs,
    const LmccPayloadSigns * part);

G_END_DECLS

#endif
