/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_MESSAGE_LIMIT_H
#define LMCC_RECEIVER_MESSAGE_LIMIT_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Least interval between messages of one kind: hosts in the network must not be able
 * to flood the user's screen or log. */
#define LMCC_MESSAGE_INTERVAL (10 * LMCC_SECOND)

/**
 * LmccMessageLimit:
 * Allows one message of a kind per %LMCC_MESSAGE_INTERVAL and counts the suppressed ones.
 * Initially all zeros.
 */
typedef struct
{
  /*< private >*/
  gboolean any;
  LmccTime latest;
  guint64 held_back;
} LmccMessageLimit;

gboolean lmcc_message_limit_take (LmccMessageLimit *limit, LmccTime now,
    guint64 *held_back);

G_END_DECLS

#endif
