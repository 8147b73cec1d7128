/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_PACED_H
#define LMCC_SENDER_PACED_H

#include <gst/lmcc/lmcc-sender.h>
#include "sender/pacer.h"

G_BEGIN_DECLS

/**
 * LmccSenderPacing:
 * @pacers: pacer of each native layer
 */
typedef struct
{
  LmccPacer pacers[LMCC_MAX_LAYERS];
} LmccSenderPacing;

void lmcc_sender_push_paced (LmccSender *sender, guint layer,
    LmccQueuedUnit *queued, LmccTime now);
LmccTime lmcc_sender_next_paced (const LmccSender *sender, guint layer);
void lmcc_sender_begin_paced (LmccSender *sender, guint layer, LmccTime due);
void lmcc_sender_end_paced (LmccSender *sender, guint layer, gsize size);
void lmcc_sender_move_pacers (LmccSender *sender,
    const guint8 moved[LMCC_MAX_LAYERS], guint n_layers);

G_END_DECLS

#endif
