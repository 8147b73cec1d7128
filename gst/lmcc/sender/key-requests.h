/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_KEY_REQUESTS_H
#define LMCC_SENDER_KEY_REQUESTS_H

#include <gst/lmcc/lmcc-sender.h>
#include "sender/allocator.h"
#include "wire/key-request.h"

G_BEGIN_DECLS

/**
 * LmccSenderKeyRequests:
 * @mode: when encoders are asked
 * @wanted: a receiver waits for a key frame that is not under way
 * @wanted_since: since when
 * @notice_due: a notice that a request has arrived is due
 * @any_key: there has been a key frame
 * @key: when the latest one came from the encoder
 * @key_waits: no packet of it has been sent
 * @key_left: when its first packet was sent
 * @key_lsn: LSN in layer 0 at that time
 * @own_distance: distance of two key frames that nobody requested; 0: not known
 * @asked: when the encoders were asked for one, or %LMCC_TIME_NONE
 * @any_picture: a picture of the lowest rung has arrived since @asked
 * @told: time of the latest notice, or %LMCC_TIME_NONE
 * @round: start of the round of requests, or %LMCC_TIME_NONE
 * @round_wait: the session's longest wait at that time
 * @n_round: requests in the round
 * @n_quiet_rounds: rounds with few requests since the wait changed
 *
 * Key frames for receivers without a picture: at most one per %LMCC_KEY_REQUEST_DISTANCE,
 * and none close to a regular one.
 */
typedef struct
{
  LmccKeyRequestMode mode;
  gboolean wanted;
  LmccTime wanted_since;
  gboolean notice_due;
  gboolean any_key;
  LmccTime key;
  gboolean key_waits;
  LmccTime key_left;
  guint16 key_lsn;
  LmccTime own_distance;
  LmccTime asked;
  gboolean any_picture;
  LmccTime told;
  LmccTime round;
  LmccTime round_wait;
  guint n_round;
  guint n_quiet_rounds;
} LmccSenderKeyRequests;

void
lmcc_sender_init_key_requests (LmccSender *sender, LmccKeyRequestMode mode);
gboolean lmcc_sender_note_key (LmccSender *sender, LmccTime now);
void lmcc_sender_note_picture (LmccSender *sender, const LmccUnit *unit);
void lmcc_sender_note_leaving (LmccSender *sender,
    const LmccAllotment *allotment, LmccTime now);
void lmcc_sender_take_key_request (LmccSender *sender,
    const LmccKeyRequest *request, LmccTime now);
LmccPacket *lmcc_sender_take_key_notice (LmccSender *sender, LmccTime now);
void lmcc_sender_handle_key_requests (LmccSender *sender, LmccTime now);
LmccTime lmcc_sender_next_key_request (const LmccSender *sender);

G_END_DECLS

#endif
