/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_DRIVEN_BASE_H
#define LMCC_SENDER_DRIVEN_BASE_H

#include <gst/lmcc/lmcc-sender.h>
#include "control/single-rate/sender.h"
#include "sender/live-queue.h"

G_BEGIN_DECLS

/**
 * LmccSenderDriven:
 * @single: the algorithm of the base layer, if the network sets its rate
 * @live_queue: state of the base layer's queue
 */
typedef struct
{
  LmccSingleRate single;
  LmccLiveQueue live_queue;
} LmccSenderDriven;

void
lmcc_sender_init_single (LmccSender *sender, gdouble hysteresis, LmccTime now);
void lmcc_sender_clear_single (LmccSender *sender);
void lmcc_sender_flush_single (LmccSender *sender);
gboolean lmcc_sender_drives_base (const LmccSender *sender);
gboolean lmcc_sender_has_single_rate (const LmccSender *sender);
gboolean lmcc_sender_has_layers_above (const LmccSender *sender);
gboolean lmcc_sender_admit_single (LmccSender *sender, const LmccUnit *unit,
    LmccTime now);
void lmcc_sender_note_age (LmccSender *sender, guint layer, LmccTime now);
void lmcc_sender_base_sent (LmccSender *sender, LmccTime now, gsize size);
LmccTime
lmcc_sender_next_single (const LmccSender *sender, guint layer, LmccTime due);
gboolean lmcc_sender_fills_single (const LmccSender *sender, guint layer);
LmccTime
lmcc_sender_get_filler_interval (const LmccSender *sender, guint layer);
LmccTime lmcc_sender_next_single_timeout (const LmccSender *sender);
void lmcc_sender_handle_single (LmccSender *sender, LmccTime now);
gboolean lmcc_sender_comes_from_leader (const LmccSender *sender,
    const LmccAddress *source, guint16 port);
gboolean lmcc_sender_take_single_report (LmccSender *sender, LmccTime now,
    const LmccAddress *source, guint16 port, const guint8 *data, gsize size);
void
lmcc_sender_get_single_stats (const LmccSender *sender, LmccSenderStats *stats);

G_END_DECLS

#endif
