/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Receives the kernel's notifications of changed links and addresses
 * (rtnetlink(7)). GNetworkMonitor only reports routes.
 */
#include "config.h"

#include "common/netlink-message.h"
#include "common/paths.h"
#include "common/sockaddr.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <unistd.h>

#define BUFFER_SIZE 16384

/**
 * gst_lmcc_netlink_open:
 *
 * Returns: a non-blocking descriptor for gst_lmcc_netlink_take() that is
 * readable when a link or an address of this host has changed; -1 if the host
 * does not allow one, so that the caller has to poll
 */
gint
gst_lmcc_netlink_open (void)
{
  struct sockaddr_nl address = {
    .nl_family = AF_NETLINK,
    .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR,
  };
  gint fd = socket (AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
      NETLINK_ROUTE);

  if (fd >= 0 && bind (fd, (struct sockaddr *) &address, sizeof (address)) != 0)
    gst_lmcc_socket_close (&fd);
  return fd;
}

typedef struct
{
  const GstLmccPaths *paths;
  LmccFamily family;
  guint lost; /* bit set of the interfaces */
} Watch;

/* Returns: the effect of a lost interface on @watch, which records it */
static GstLmccHostChange
lose (Watch *watch, guint index)
{
  GstLmccHostChange change = GST_LMCC_HOST_CHANGED;
  guint i;

  for (i = 0; i < watch->paths->n; i++) {
    if (watch->paths->list[i].iface.index != index)
      continue;
    watch->lost |= 1u << i;
    change = GST_LMCC_HOST_LOST;
  }
  return change;
}

static GstLmccHostChange
read_link (const struct nlmsghdr *message, Watch *watch)
{
  const struct ifinfomsg *link = NLMSG_DATA (message);
  const guint running = IFF_UP | IFF_RUNNING;

  if (message->nlmsg_len < NLMSG_LENGTH (sizeof (*link)))
    return GST_LMCC_HOST_UNCHANGED;
  if (message->nlmsg_type == RTM_DELLINK
      || (link->ifi_flags & running) != running)
    return lose (watch, (guint) link->ifi_index);
  return GST_LMCC_HOST_CHANGED;
}

static GstLmccHostChange
read_address (const struct nlmsghdr *message, Watch *watch)
{
  const struct ifaddrmsg *address = NLMSG_DATA (message);

  if (message->nlmsg_len < NLMSG_LENGTH (sizeof (*address)))
    return GST_LMCC_HOST_UNCHANGED;
  if (message->nlmsg_type == RTM_DELADDR
      && address->ifa_family == gst_lmcc_system_family (watch->family))
    return lose (watch, address->ifa_index);
  return GST_LMCC_HOST_CHANGED;
}

static GstLmccHostChange
read_message (const struct nlmsghdr *message, Watch *watch)
{
  switch (message->nlmsg_type) {
    case RTM_NEWLINK:
    case RTM_DELLINK:
      return read_link (message, watch);
    case RTM_NEWADDR:
    case RTM_DELADDR:
      return read_address (message, watch);
    default:
      return GST_LMCC_HOST_UNCHANGED;
  }
}

/**
 * gst_lmcc_netlink_take:
 * @fd: from gst_lmcc_netlink_open(), or -1
 * @paths: the interfaces in use
 * @family: address family of the groups
 * @lost: (inout): bit i is set if the i-th interface was without its link or
 *     address, even for a moment
 *
 * Reads the kernel's notifications since the last call.
 *
 * Returns: the most important change
 */
GstLmccHostChange
gst_lmcc_netlink_take (gint fd, const GstLmccPaths *paths, LmccFamily family,
    guint *lost)
{
  Watch watch = { paths, family, 0 };
  GstLmccHostChange most = GST_LMCC_HOST_UNCHANGED;
  union
  {
    struct nlmsghdr align;
    guint8 bytes[BUFFER_SIZE];
  } buffer;

  while (fd >= 0) {
    struct sockaddr_nl from = { 0 };
    socklen_t from_size = sizeof (from);
    gssize n = recvfrom (fd, buffer.bytes, sizeof (buffer.bytes), 0,
        (struct sockaddr *) &from, &from_size);
    const struct nlmsghdr *message = &buffer.align;
    guint left;

    if (n < 0 && errno == EINTR)
      continue;
    /* The kernel has dropped notifications, because the buffer was full. */
    if (n < 0 && errno == ENOBUFS) {
      most = GST_LMCC_HOST_LOST;
      watch.lost = (1u << paths->n) - 1;
      continue;
    }
    if (n <= 0)
      break;
    /* Other processes can send to the socket, too. */
    if (from.nl_pid != 0)
      continue;
    for (left = (guint) n; NLMSG_OK (message, left);
         message = gst_lmcc_netlink_next (message, &left))
      most = MAX (most, read_message (message, &watch));
  }
  *lost |= watch.lost;
  return most;
}
