/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "doctor.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gst/lmcc/lmcc-sdp.h>

/* Linux 4.20; missing in older C libraries. */
#ifndef IPV6_MULTICAST_ALL
#define IPV6_MULTICAST_ALL 29
#endif

/* Session records come every 250 ms if the rate of the base layer allows it.
 * Two of them identify a second sender. */
#define RIVAL_PATIENCE (1500 * G_TIME_SPAN_MILLISECOND)

static gint
system_family (const LmccAddress *address)
{
  return address->family == LMCC_FAMILY_IPV4 ? AF_INET : AF_INET6;
}

static socklen_t
fill_sockaddr (struct sockaddr_storage *storage, const LmccAddress *address,
    guint16 port, guint ifindex)
{
  memset (storage, 0, sizeof (*storage));
  if (address->family == LMCC_FAMILY_IPV4) {
    struct sockaddr_in *sin = (struct sockaddr_in *) storage;

    sin->sin_family = AF_INET;
    sin->sin_port = htons (port);
    memcpy (&sin->sin_addr, address->bytes, 4);
    return sizeof (*sin);
  } else {
    struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *) storage;

    sin6->sin6_family = AF_INET6;
    sin6->sin6_port = htons (port);
    sin6->sin6_scope_id = ifindex;
    memcpy (&sin6->sin6_addr, address->bytes, 16);
    return sizeof (*sin6);
  }
}

static void
read_sockaddr (const struct sockaddr_storage *storage, LmccAddress *address)
{
  memset (address, 0, sizeof (*address));
  if (storage->ss_family == AF_INET) {
    address->family = LMCC_FAMILY_IPV4;
    memcpy (address->bytes, &((const struct sockaddr_in *) storage)->sin_addr,
        4);
  } else if (storage->ss_family == AF_INET6) {
    address->family = LMCC_FAMILY_IPV6;
    memcpy (address->bytes, &((const struct sockaddr_in6 *) storage)->sin6_addr,
        16);
  }
}

/* Returns: (nullable): the interface that has the address @text */
gchar *
doctor_interface_of_address (const gchar *text)
{
  struct ifaddrs *list, *entry;
  LmccAddress wanted, address;
  gchar *name = NULL;

  if (!lmcc_address_parse (text, &wanted) || getifaddrs (&list) < 0)
    return NULL;

  for (entry = list; entry != NULL && name == NULL; entry = entry->ifa_next) {
    if (entry->ifa_addr == NULL)
      continue;
    read_sockaddr ((const struct sockaddr_storage *) entry->ifa_addr, &address);
    if (lmcc_address_equal (&address, &wanted))
      name = g_strdup (entry->ifa_name);
  }
  freeifaddrs (list);

  return name;
}

gboolean
doctor_is_this_host (const LmccAddress *address)
{
  gchar text[LMCC_ADDRESS_STRLEN];
  g_autofree gchar *iface =
      doctor_interface_of_address (lmcc_address_format (address, text));

  return iface != NULL;
}

static gint
open_bound (const LmccAddress *group, guint16 port, guint ifindex)
{
  struct sockaddr_storage storage;
  socklen_t size = fill_sockaddr (&storage, group, port, ifindex);
  gint fd = socket (system_family (group), SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const gint one = 1;

  if (fd < 0)
    return -1;
  setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof (one));
  if (bind (fd, (struct sockaddr *) &storage, size) < 0) {
    gint cause = errno;

    close (fd);
    errno = cause;
    return -1;
  }

  return fd;
}

/* Returns: whether even a socket that shares @address and @port cannot be
 *     bound */
gboolean
doctor_port_is_taken (const LmccAddress *address, guint16 port)
{
  gint fd = open_bound (address, port, 0);
  gboolean taken = fd < 0 && errno == EADDRINUSE;

  if (fd >= 0)
    close (fd);

  return taken;
}

/* The socket gets only the groups that it has joined, and the remaining TTL of
 * each packet. */
static void
set_options (gint fd, LmccFamily family)
{
  const gint zero = 0, one = 1;

  if (family == LMCC_FAMILY_IPV4) {
    setsockopt (fd, IPPROTO_IP, IP_MULTICAST_ALL, &zero, sizeof (zero));
    setsockopt (fd, IPPROTO_IP, IP_RECVTTL, &one, sizeof (one));
  } else {
    setsockopt (fd, IPPROTO_IPV6, IPV6_MULTICAST_ALL, &zero, sizeof (zero));
    setsockopt (fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, &one, sizeof (one));
  }
}

static gboolean
join (gint fd, const ToolUri *uri, const LmccAddress *group, guint ifindex)
{
  gint level = group->family == LMCC_FAMILY_IPV4 ? IPPROTO_IP : IPPROTO_IPV6;

  if (uri->source.family != LMCC_FAMILY_NONE) {
    struct group_source_req request = { .gsr_interface = ifindex };

    fill_sockaddr (&request.gsr_group, group, 0, 0);
    fill_sockaddr (&request.gsr_source, &uri->source, 0, 0);
    return setsockopt (fd, level, MCAST_JOIN_SOURCE_GROUP, &request,
               sizeof (request))
        == 0;
  } else {
    struct group_req request = { .gr_interface = ifindex };

    fill_sockaddr (&request.gr_group, group, 0, 0);
    return setsockopt (fd, level, MCAST_JOIN_GROUP, &request, sizeof (request))
        == 0;
  }
}

/* Returns: a socket for @group, one of @uri's session, or -1 with errno */
gint
doctor_open_joined (const ToolUri *uri, const LmccAddress *group, guint16 port,
    guint ifindex)
{
  gint fd = open_bound (group, port, ifindex);

  if (fd < 0)
    return -1;
  set_options (fd, group->family);
  if (!join (fd, uri, group, ifindex)) {
    gint cause = errno;

    close (fd);
    errno = cause;
    return -1;
  }

  return fd;
}

static gint
read_ttl (struct msghdr *message)
{
  struct cmsghdr *control;
  gint ttl;

  for (control = CMSG_FIRSTHDR (message); control != NULL;
       control = CMSG_NXTHDR (message, control)) {
    if ((control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_TTL)
        || (control->cmsg_level == IPPROTO_IPV6
            && control->cmsg_type == IPV6_HOPLIMIT)) {
      memcpy (&ttl, CMSG_DATA (control), sizeof (ttl));
      return ttl;
    }
  }

  return -1;
}

static gssize
receive (gint fd, guint8 *data, gsize size, DoctorProbe *probe,
    LmccAddress *source)
{
  struct sockaddr_storage from;
  guint8 control[CMSG_SPACE (sizeof (gint)) * 2];
  struct iovec part = { .iov_base = data, .iov_len = size };
  struct msghdr message = {
    .msg_name = &from,
    .msg_namelen = sizeof (from),
    .msg_iov = &part,
    .msg_iovlen = 1,
    .msg_control = control,
    .msg_controllen = sizeof (control),
  };
  gssize n = recvmsg (fd, &message, MSG_DONTWAIT);

  if (n < 0)
    return n;
  read_sockaddr (&from, source);
  if (probe->sender.family == LMCC_FAMILY_NONE) {
    probe->sender = *source;
    probe->ttl = read_ttl (&message);
  }

  return n;
}

/* The first session that arrives is the one to report on. */
static void
on_record (gpointer user_data, const LmccRecordFragment *fragment)
{
  DoctorProbe *probe = user_data;
  g_autofree gchar *text = NULL;

  if (probe->records == 0)
    probe->ssrc_base = fragment->ssrc;
  if (fragment->ssrc != probe->ssrc_base)
    return;
  if (probe->records++ == 0)
    probe->first_record = g_get_monotonic_time ();
  text = lmcc_record_assembler_push (probe->assembler, fragment);
  if (text != NULL)
    probe->has_session = lmcc_sdp_parse (text, -1, &probe->session, NULL);
}

static void
receive_media (gint fd, DoctorProbe *probe)
{
  guint8 data[LMCC_MAX_PACKET_SIZE];
  LmccAddress source;
  gssize n = receive (fd, data, sizeof (data), probe, &source);

  if (n < 0)
    return;
  /* RTP version 2 and a whole fixed header (RFC 3550 section 5.1). */
  if (n >= 12 && data[0] >> 6 == 2)
    probe->media_packets++;
  else
    probe->other_packets++;
}

static void
receive_rtcp (gint fd, DoctorProbe *probe)
{
  static const LmccRtcpHandler handler = { .record = on_record };
  guint8 data[LMCC_MAX_PACKET_SIZE];
  LmccAddress source;
  gssize n = receive (fd, data, sizeof (data), probe, &source);

  if (n < 0)
    return;
  probe->rtcp_packets++;
  lmcc_rtcp_parse (data, n, &handler, probe);
  if (probe->records > 0 && probe->record_sender.family == LMCC_FAMILY_NONE)
    probe->record_sender = source;
  if (probe->records > 0
      && lmcc_sender_rivals_take (&probe->rivals, probe->ssrc_base,
          (LmccTime) g_get_monotonic_time () * LMCC_USECOND, &source, data, n))
    probe->rival = source;
}

/* Whether media and a session record have arrived, and a second sender has been
 * found or its time is over. */
static gboolean
has_heard_all (const DoctorProbe *probe)
{
  return probe->media_packets > 0 && probe->records > 0
      && (probe->rival.family != LMCC_FAMILY_NONE
          || g_get_monotonic_time () >= probe->first_record + RIVAL_PATIENCE);
}

/* Returns: whether there is time left */
static gboolean
wait_for_input (struct pollfd fds[2], gint64 end)
{
  gint64 left = end - g_get_monotonic_time ();

  /* Polls in steps, because the time may also end without input. */
  return left > 0
      && (poll (fds, 2, (gint) MIN (left / 1000 + 1, 100)) >= 0
          || errno == EINTR);
}

/**
 * doctor_probe_listen:
 * @media: a socket of the base group
 * @rtcp: likewise, of the next port
 * @probe: (inout): what comes
 * @seconds: at most
 *
 * Listens until media and the record have come, and a second sender would have
 * been heard.
 */
void
doctor_probe_listen (gint media, gint rtcp, DoctorProbe *probe, guint seconds)
{
  gint64 end = g_get_monotonic_time () + seconds * G_USEC_PER_SEC;
  struct pollfd fds[] = {
    { .fd = media, .events = POLLIN },
    { .fd = rtcp, .events = POLLIN },
  };

  while (!has_heard_all (probe) && wait_for_input (fds, end)) {
    if (fds[0].revents != 0)
      receive_media (media, probe);
    if (fds[1].revents != 0)
      receive_rtcp (rtcp, probe);
  }
}
