/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TXTIME_H
#define TXTIME_H

#include <string.h>
#include <sys/socket.h>

#include <glib.h>

/* The departure time of @message (SCM_TXTIME), 0 for at once. */
static inline guint64
test_get_txtime (struct msghdr *message)
{
  struct cmsghdr *header;
  guint64 time = 0;

  for (header = CMSG_FIRSTHDR (message); header;
       header = CMSG_NXTHDR (message, header)) {
    if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_TXTIME
        && header->cmsg_len == CMSG_LEN (sizeof (time)))
      memcpy (&time, CMSG_DATA (header), sizeof (time));
  }
  return time;
}

#endif
