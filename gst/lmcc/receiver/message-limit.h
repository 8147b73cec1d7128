/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_MESSAGE_LIMIT_H
#define LMCC_RECEIVER_MESSAGE_LIMIT_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Messages of one kind are at least so far apart: what a host in the network
 * can make a receiver say must not fill its user's screen or log. */
#define LMCC_MESSAGE_INTERVAL (10 * LMCC_SECOND)

/**
 * LmccMessageLimit:
 * Lets one message of a kind through in each %LMCC_MESSAGE_INTERVAL, and counts
 * those between. All zero to begin with.
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
