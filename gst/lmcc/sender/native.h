/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_NATIVE_H
#define LMCC_SENDER_NATIVE_H

#include <gst/lmcc/lmcc-sender.h>

G_BEGIN_DECLS

void lmcc_sender_describe_layers (LmccSender *sender);
void lmcc_sender_init_native (LmccSender *sender);
void lmcc_sender_queue (LmccSender *sender, LmccUnit *unit, gsize bytes,
    LmccTime now);
void lmcc_sender_handle_media (LmccSender *sender, LmccTime now);
void lmcc_sender_handle_native (LmccSender *sender, LmccTime now);
LmccTime lmcc_sender_next_native (const LmccSender *sender);

G_END_DECLS

#endif
