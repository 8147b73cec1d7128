/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_JOIN_NOTICES_H
#define LMCC_RECEIVER_JOIN_NOTICES_H

#include <gst/lmcc/lmcc-receiver.h>
#include "wire/join-notice.h"

G_BEGIN_DECLS

/**
 * LmccReceiverLearning:
 * @group: the control group, 0 for none
 * @limit: rate limit of received notices
 * @next_notice: when the receiver may send its next notice
 */
typedef struct
{
  guint group;
  LmccNoticeLimit limit;
  LmccTime next_notice;
} LmccReceiverLearning;

void lmcc_receiver_update_learning (LmccReceiver *receiver);
void lmcc_receiver_share_join (LmccReceiver *receiver, LmccTime now);

G_END_DECLS

#endif
