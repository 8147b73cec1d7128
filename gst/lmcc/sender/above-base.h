/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_ABOVE_BASE_H
#define LMCC_SENDER_ABOVE_BASE_H

#include <gst/lmcc/lmcc-sender.h>
#include "sender/allocator.h"

G_BEGIN_DECLS

/**
 * LmccSenderAbove:
 * @entries: units that the base layer has not passed
 * @n_packets: number of waiting packets
 * @broken: as in #LmccLiveQueue, for the units that the base layer has passed
 * @n_dropped: dropped pictures, per class
 */
typedef struct
{
  GQueue entries;
  guint n_packets;
  guint16 broken;
  guint64 n_dropped[LMCC_MAX_CLASSES];
} LmccSenderAbove;

void lmcc_sender_flush_above (LmccSender *sender);
gboolean lmcc_sender_waits_above (const LmccSender *sender);
guint64 lmcc_sender_get_dropped_above (const LmccSender *sender, guint klass);
void lmcc_sender_note_base (LmccSender *sender, const LmccUnit *unit);
void lmcc_sender_base_leaves (LmccSender *sender, const LmccQueuedUnit *queued);
void lmcc_sender_push_above (LmccSender *sender, LmccQueuedUnit *queued);
void lmcc_sender_release_above (LmccSender *sender, LmccTime now);
guint16 lmcc_sender_next_number (const LmccSender *sender, guint layer);

G_END_DECLS

#endif
