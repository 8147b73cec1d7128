/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_ENCODER_H
#define LMCC_REPAIR_ENCODER_H

#include <gst/lmcc/lmcc-packet.h>
#include "repair/payload.h"

G_BEGIN_DECLS

GPtrArray *lmcc_repair_encode (LmccPacket *const *packets, guint n_source,
    guint step, guint n_repair);

G_END_DECLS

#endif
