/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_ENCODER_H
#define LMCC_REPAIR_ENCODER_H

#include <gst/lmcc/lmcc-packet.h>
#include "repair/payload.h"

G_BEGIN_DECLS

/**
 * LmccRepairEncoder:
 * Encodes the repair packets of one block, some at a time.
 */
typedef struct _LmccRepairEncoder LmccRepairEncoder;

LmccRepairEncoder *lmcc_repair_encoder_new (LmccPacket *const *packets,
    guint n_source, guint step, guint n_repair);
void lmcc_repair_encoder_set_parts (LmccRepairEncoder *encoder,
    const guint8 parts[LMCC_REPAIR_MAX_CARRIERS]);
LmccRepairEncoder *lmcc_repair_encoder_ref (LmccRepairEncoder *encoder);
void lmcc_repair_encoder_unref (LmccRepairEncoder *encoder);
LmccPacket *lmcc_repair_encoder_make (LmccRepairEncoder *encoder, guint index);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccRepairEncoder, lmcc_repair_encoder_unref)

G_END_DECLS

#endif
