/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_ENDING_H
#define LMCC_RECEIVER_ENDING_H

#include <gst/lmcc/lmcc-receiver.h>

G_BEGIN_DECLS

/**
 * LmccReceiverGoodbye:
 * @said: the sender said BYE, and no later packet contradicts it
 * @at: time of the goodbye
 */
typedef struct
{
  gboolean said;
  LmccTime at;
} LmccReceiverGoodbye;

void lmcc_receiver_note_goodbye (LmccReceiver *receiver, LmccTime now);
void lmcc_receiver_doubt_goodbye (LmccReceiver *receiver, LmccTime now);
gboolean lmcc_receiver_is_ending (const LmccReceiver *receiver);
LmccTime lmcc_receiver_next_end (const LmccReceiver *receiver);
const gchar *
lmcc_receiver_has_ended (const LmccReceiver *receiver, LmccTime now);

G_END_DECLS

#endif
