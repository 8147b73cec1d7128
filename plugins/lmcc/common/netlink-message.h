/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_NETLINK_MESSAGE_H
#define GST_LMCC_NETLINK_MESSAGE_H

#include <glib.h>
#include <linux/netlink.h>

G_BEGIN_DECLS

/**
 * gst_lmcc_netlink_next:
 * @message: a message for which NLMSG_OK() holds
 * @left: (inout): bytes from @message on
 *
 * NLMSG_NEXT() also subtracts the padding, which may be missing after the last message;
 * an unsigned number would then wrap around.
 *
 * Returns: the position of the next message
 */
static inline const struct nlmsghdr *
gst_lmcc_netlink_next (const struct nlmsghdr *message, guint *left)
{
  guint used = MIN (NLMSG_ALIGN (message->nlmsg_len), *left);

  *left -= used;
  return (const struct nlmsghdr *) (gconstpointer) ((const guint8 *) message
      + used);
}

G_END_DECLS

#endif
