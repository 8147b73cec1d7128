/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/message-limit.h"

/**
 * lmcc_message_limit_take:
 * @limit: the limit of one kind of messages
 * @now: the time, on any clock that does not go back
 * @held_back: (out) (optional): number of messages suppressed since the last
 *     one that was allowed; 0 if the function returns %FALSE
 *
 * Returns: whether to post a message now; if not, it is counted
 */
gboolean
lmcc_message_limit_take (LmccMessageLimit *limit, LmccTime now,
    guint64 *held_back)
{
  gboolean may = !limit->any || now >= limit->latest + LMCC_MESSAGE_INTERVAL;

  if (held_back != NULL)
    *held_back = may ? limit->held_back : 0;
  if (!may) {
    limit->held_back++;
    return FALSE;
  }
  limit->any = TRUE;
  limit->latest = now;
  limit->held_back = 0;

  return TRUE;
}
