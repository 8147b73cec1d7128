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
 * @n_drawn: number of random waits drawn so far
 * @waits: the decoder has no picture that it can begin or continue with
 * @due: when to request a key frame, or %LMCC_TIME_NONE
 * @n_asked: requests sent since there was a picture, or since a key frame began to arrive
 * @n_told: the sender's notices in the same time; notices about requests of other
 *     receivers shortly after are not counted
 * @told: time of the latest notice
 * @next_key: when the sender may ask its encoders again after the latest key frame that
 *     began to arrive; 0 for none
 * @any_base: a packet of layer 0 was received
 * @base_lsn: highest LSN of layer 0 received
 *
 * Requests a key frame from the sender when there is no picture. Receivers that wait at
 * the same time draw different waits, and a receiver that learns of another one's request
 * sends none.
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
