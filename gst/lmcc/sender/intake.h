/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_INTAKE_H
#define LMCC_SENDER_INTAKE_H

#include <gst/lmcc/lmcc-sender.h>
#include "media/decoder-delay.h"
#include "media/key-alignment.h"
#include "sender/packetizer.h"

G_BEGIN_DECLS

/**
 * LmccSenderIntake:
 * @anchors: number of class-0 units per stream so far, modulo 256
 * @reorder: relation of decoding to presentation times per rung
 * @key: decoding time of the lowest rung's latest key frame, %LMCC_TIME_NONE for none
 * @key_alignment: checks whether the rungs' key frames are at the same pictures
 */
typedef struct
{
  guint8 anchors[LMCC_N_STREAMS];
  LmccReorder reorder[LMCC_MAX_RUNGS];
  LmccTime key;
  LmccKeyAlignment key_alignment;
} LmccSenderIntake;

void lmcc_sender_init_intake (LmccSender *sender);
gboolean
lmcc_sender_knows_unit (const LmccSender *sender, const LmccUnit *unit);
gboolean lmcc_sender_measure_unit (const LmccSender *sender,
    const LmccUnit *unit, gsize *bytes, gsize *largest);
void lmcc_sender_count_anchor (LmccSender *sender, const LmccUnit *unit);
guint8 lmcc_sender_get_anchor (const LmccSender *sender, guint stream);
LmccTime lmcc_sender_follow_keys (LmccSender *sender, const LmccUnit *unit);
void lmcc_sender_learn_from_unit (LmccSender *sender, const LmccUnit *unit,
    LmccTime now);
void lmcc_sender_flush_intake (LmccSender *sender);

G_END_DECLS

#endif
