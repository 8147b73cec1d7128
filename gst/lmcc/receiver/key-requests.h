/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_KEY_REQUESTS_H
#define LMCC_RECEIVER_KEY_REQUESTS_H

#include <gst/lmcc/lmcc-receiver.h>
#include "wire/layer-header.h"

G_BEGIN_DECLS

/**
 * LmccReceiverKeyRequests:
 * @n_drawn: waits drawn so far
 * @waits: there is no picture that a decoder can begin or go on with
 * @due: when to ask for a key frame, or %LMCC_TIME_NONE
 * @n_asked: requests since there was a picture, or a key frame began to come
 * @n_told: likewise, how often the sender said that one was heard; what it says of
 *     others' requests shortly after is not counted
 * @told: when it did
 * @next_key: when the sender may ask its encoders again, after the latest key frame
 *     that began to come; 0 for none
 * @any_base: a packet of layer 0 was heard
 * @base_lsn: the highest LSN of layer 0 that was heard
 *
 * Asks the sender for a key frame where there is no picture. Many receivers that
 * wait at once wait for different times, and one that hears that another has
 * asked does not.
 */
typedef struct
{
  guint n_drawn;
  gboolean waits;
  LmccTime due;
  guint n_asked;
  guint n_told;
  LmccTime told;
  LmccTime next_key;
  gboolean any_base;
  guint16 base_lsn;
} LmccReceiverKeyRequests;

void lmcc_receiver_init_key_requests (LmccReceiver *receiver);
void lmcc_receiver_forget_key_requests (LmccReceiver *receiver);
void lmcc_receiver_packet_key_requests (LmccReceiver *receiver, LmccTime now,
    const LmccHeader *header);
void lmcc_receiver_key_notice (LmccReceiver *receiver, LmccTime now);
void lmcc_receiver_follow_picture (LmccReceiver *receiver, LmccTime now);
void lmcc_receiver_handle_key_requests (LmccReceiver *receiver, LmccTime now);
LmccTime lmcc_receiver_next_key_request (const LmccReceiver *receiver);

G_END_DECLS

#endif
