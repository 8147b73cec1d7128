/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Examines repair packets that a sender sent, and recovers lost packets with
 * them.
 */
#ifndef SENT_REPAIR_H
#define SENT_REPAIR_H

#include <gst/lmcc/repair/payload.h>

#include "support/sender-harness.h"

#define REPAIR_HOLD (2200 * MS)
#define REPAIR_PICTURE (40 * MS)
#define REPAIR_N_PICTURES 25 /* of a group */

/* A media packet that leaves room for the repair header in a packet of the
 * largest size. */
#define REPAIR_PAYLOAD (1400 - RTP_OVERHEAD - 48)

LmccSenderConfig repair_shaped_config (guint share);
LmccSenderConfig repair_native_config (guint share);
LmccTime
repair_push_gop (Harness *h, guint n_rungs, LmccTime time, guint n_pictures);
Harness repair_run (const LmccSenderConfig *config, guint n_gops);
gboolean repair_is (const SentPacket *s);
LmccRepairPayload repair_parse (const SentPacket *s);
guint repair_count_type (Harness *h, LmccPacketType type);
void repair_check_headers (Harness *h);
void repair_check_blocks (Harness *h);
void repair_check_all_recover (Harness *h);
guint repair_check_times (Harness *h, LmccTime delay);

#endif
