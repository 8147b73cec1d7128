/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_SOURCE_AND_LEVEL_H
#define LMCC_RECEIVER_SOURCE_AND_LEVEL_H

#include <gst/lmcc/lmcc-receiver.h>

G_BEGIN_DECLS

gboolean lmcc_receiver_take_session (LmccReceiver *receiver,
    const LmccSession *session, LmccTime now);
void lmcc_receiver_forget_source (LmccReceiver *receiver, const gchar *reason,
    LmccTime now);
gboolean lmcc_receiver_source_allowed (const LmccReceiver *receiver,
    const LmccAddress *source);
gboolean lmcc_receiver_is_own_source (const LmccReceiver *receiver,
    const LmccAddress *source, guint32 ssrc);
void lmcc_receiver_reset_breaker (LmccReceiver *receiver, LmccTime now);
void lmcc_receiver_heard_source (LmccReceiver *receiver, LmccTime now);
void lmcc_receiver_update_level (LmccReceiver *receiver, LmccTime now);
void lmcc_receiver_follow_merge (LmccReceiver *receiver);
void lmcc_receiver_flush_left_layers (LmccReceiver *receiver);
void lmcc_receiver_drop_left_layers (LmccReceiver *receiver);

G_END_DECLS

#endif
