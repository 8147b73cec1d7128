/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_EMIT_H
#define LMCC_SENDER_EMIT_H

#include <gst/lmcc/lmcc-sender.h>
#include "base/ring.h"
#include "sender/announcer.h"
#include "sender/packetizer.h"
#include "sender/pacing-step.h"

G_BEGIN_DECLS

/**
 * LmccSenderOutput:
 * @announcer: sends the session record
 * @packetizer: writes and numbers packets
 * @marker: (nullable): maps layers to groups; %NULL: layer i uses group i
 * @mtu: larger packets are counted; 0: no limit
 * @last_sent: time of each layer's latest packet
 * @key_requested: when encoders were last asked for a key frame
 * @count: counts sent packets, without RTCP
 * @byes_left: number of BYE copies still to be sent
 * @next_bye: when the next copy is due
 * @actions: queue of #LmccSenderAction
 */
typedef struct
{
  LmccAnnouncer announcer;
  LmccPacketizer packetizer;
  const LmccMarker *marker;
  guint mtu;
  LmccTime last_sent[LMCC_MAX_LAYERS];
  LmccTime key_requested;
  LmccPacketCount count;
  guint byes_left;
  LmccTime next_bye;
  LmccRing actions;
} LmccSenderOutput;

void lmcc_sender_init_output (LmccSender *sender,
    const LmccSenderConfig *config, LmccTime now);
void lmcc_sender_clear_output (LmccSender *sender);
void lmcc_sender_mark_by (LmccSender *sender, const LmccMarker *marker);
void lmcc_sender_set_marks (LmccSender *sender, const LmccMarks *marks);
void lmcc_sender_add_elements_of (LmccSender *sender, LmccSingleRate *single);
guint32 lmcc_sender_get_send_clock (const LmccSender *sender, LmccTime now);
guint16 lmcc_sender_get_next_lsn (const LmccSender *sender, guint layer);
LmccTime lmcc_sender_get_last_sent (const LmccSender *sender, guint layer);
void lmcc_sender_begin_layer (LmccSender *sender, guint layer, LmccTime now);

void
lmcc_sender_expect_key (LmccSender *sender, LmccTime time, LmccTime distance);
LmccTime lmcc_sender_next_record (const LmccSender *sender);
GPtrArray *lmcc_sender_make_record (LmccSender *sender, LmccTime now);
gsize lmcc_sender_expect_records (const LmccSender *sender, LmccTime duration,
    LmccTime now);
void lmcc_sender_begin_byes (LmccSender *sender, LmccTime now);
void lmcc_sender_handle_byes (LmccSender *sender, LmccTime now);
LmccTime lmcc_sender_next_bye (const LmccSender *sender);
void lmcc_sender_session_changed (LmccSender *sender);
void lmcc_sender_announce (LmccSender *sender, LmccTime now);
void lmcc_sender_request_key_unit (LmccSender *sender, LmccTime now);

gsize
lmcc_sender_send_control (LmccSender *sender, LmccPacket *packet, LmccTime now);
gsize lmcc_sender_send_media (LmccSender *sender, guint layer,
    LmccAllotment *allotment, LmccTime due, LmccTime now);
gsize lmcc_sender_send_filler (LmccSender *sender, guint layer,
    gsize payload_size, LmccTime now);
gsize lmcc_sender_send_repair (LmccSender *sender, guint layer,
    LmccPacket *payload, LmccTime now);

G_END_DECLS

#endif
