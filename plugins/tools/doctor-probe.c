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

#include <gst/lmcc/wire/rtcp.h>

/* Linux 4.20; missing in older C libraries. */
#ifndef IPV6_MULTICAST_ALL
#define IPV6_MULTICAST_ALL 29
#endif

typedef struct
{
  gint media;
  gint rtcp;
} ProbeSockets;

static void
probe_sockets_clear (ProbeSockets *sockets)
{
  if (sockets->media >= 0)
    close (sockets->media);
  if (sockets->rtcp >= 0)
    close (sockets->rtcp);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ProbeSockets, probe_sockets_clear)

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

gboolean
doctor_port_is_taken (const ToolUri *uri, guint16 port)
{
  LmccAddress any = { .family = uri->address.family };
  gint fd = open_bound (&any, port, 0);
  gboolean taken = fd < 0 && errno == EADDRINUSE;

  if (fd >= 0)
    close (fd);

  return taken;
}

/* Only what this socket joined, and what is left of the packets' TTL. */
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
join (gint fd, const ToolUri *uri, guint ifindex)
{
  gint level =
      uri->address.family == LMCC_FAMILY_IPV4 ? IPPROTO_IP : IPPROTO_IPV6;

  if (uri->source.family != LMCC_FAMILY_NONE) {
    struct group_source_req request = { .gsr_interface = ifindex };

    fill_sockaddr (&request.gsr_group, &uri->address, 0, 0);
    fill_sockaddr (&request.gsr_source, &uri->source, 0, 0);
    return setsockopt (fd, level, MCAST_JOIN_SOURCE_GROUP, &request,
               sizeof (request))
        == 0;
  } else {
    struct group_req request = { .gr_interface = ifindex };

    fill_sockaddr (&request.gr_group, &uri->address, 0, 0);
    return setsockopt (fd, level, MCAST_JOIN_GROUP, &request, sizeof (request))
        == 0;
  }
}

static gint
open_joined (const ToolUri *uri, guint16 port, guint ifindex)
{
  gint fd = open_bound (&uri->address, port, ifindex);

  if (fd < 0)
    return -1;
  set_options (fd, uri->address.family);
  if (!join (fd, uri, ifindex)) {
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
receive (gint fd, guint8 *data, gsize size, DoctorProbe *probe)
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

  if (n >= 0 && probe->sender.family == LMCC_FAMILY_NONE) {
    read_sockaddr (&from, &probe->sender);
    probe->ttl = read_ttl (&message);
  }

  return n;
}

static void
on_record (gpointer user_data, const LmccRecordFragment *fragment G_GNUC_UNUSED)
{
  DoctorProbe *probe = user_data;

  probe->records++;
}

static void
receive_media (gint fd, DoctorProbe *probe)
{
  guint8 data[LMCC_MAX_PACKET_SIZE];
  gssize n = receive (fd, data, sizeof (data), probe);

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
  gssize n = receive (fd, data, sizeof (data), probe);

  if (n < 0)
    return;
  probe->rtcp_packets++;
  lmcc_rtcp_parse (data, n, &handler, probe);
}

/* Until media and record have come, or the time is up. */
static void
probe_listen (const ProbeSockets *sockets, DoctorProbe *probe, guint seconds)
{
  gint64 end = g_get_monotonic_time () + seconds * G_USEC_PER_SEC;

  while (probe->media_packets == 0 || probe->records == 0) {
    struct pollfd fds[] = {
      { .fd = sockets->media, .events = POLLIN },
      { .fd = sockets->rtcp, .events = POLLIN },
    };
    gint64 left = end - g_get_monotonic_time ();

    if (left <= 0 || (poll (fds, 2, left / 1000 + 1) < 0 && errno != EINTR))
      break;
    if (fds[0].revents != 0)
      receive_media (sockets->media, probe);
    if (fds[1].revents != 0)
      receive_rtcp (sockets->rtcp, probe);
  }
}

static gboolean
is_listed (const DoctorCase *c)
{
  g_autoptr (GArray) memberships =
      doctor_system_memberships (c->system, c->group.family);
  guint i;

  for (i = 0; i < memberships->len; i++) {
    const DoctorMembership *m =
        &g_array_index (memberships, DoctorMembership, i);

    if (lmcc_address_equal (&m->group, &c->group)
        && g_strcmp0 (m->iface, c->iface->name) == 0)
      return TRUE;
  }

  return FALSE;
}

static void
report_joined (DoctorCase *c, const DoctorProbe *probe)
{
  gchar text[LMCC_ADDRESS_STRLEN];

  lmcc_address_format (&c->group, text);
  if (probe->joined)
    doctor_add (c, "join", DOCTOR_OK,
        g_strdup_printf ("%s is joined on %s while this listens", text,
            c->iface->name),
        NULL);
  else
    doctor_add (c, "join", DOCTOR_FAIL,
        g_strdup_printf ("the kernel took the join, but does not list %s on %s",
            text, c->iface->name),
        g_strdup ("look at /proc/net/igmp or ip maddr while a receiver runs"));
}

static void
report_arrival (DoctorCase *c, const DoctorProbe *probe, guint seconds)
{
  gchar sender[LMCC_ADDRESS_STRLEN];

  lmcc_address_format (&probe->sender, sender);
  if (probe->media_packets > 0)
    doctor_add (c, "arrival", DOCTOR_OK,
        g_strdup_printf ("packets come from %s, with TTL %d left", sender,
            probe->ttl),
        NULL);
  else if (probe->other_packets > 0)
    doctor_add (c, "arrival", DOCTOR_FAIL,
        g_strdup_printf ("what comes from %s on UDP port %u is not RTP", sender,
            c->uri->port),
        g_strdup ("another program sends to this group: take another address "
                  "or port"));
  else
    doctor_add (c, "arrival", DOCTOR_FAIL,
        g_strdup_printf ("no packet came on UDP port %u within %u s",
            c->uri->port, seconds),
        g_strdup_printf (
            "is the sender running, to this address, on the "
            "interface towards here? Look on its host: tcpdump -ni any udp "
            "port %u",
            c->uri->port));
}

static void
report_record (DoctorCase *c, const DoctorProbe *probe, guint seconds)
{
  guint port = c->uri->port + 1;

  if (probe->records > 0)
    doctor_add (c, "record", DOCTOR_OK,
        g_strdup_printf ("the session record comes on UDP port %u", port),
        NULL);
  else if (probe->rtcp_packets > 0)
    doctor_add (c, "record", DOCTOR_FAIL,
        g_strdup_printf ("RTCP comes on UDP port %u, but no session record",
            port),
        g_strdup ("the sender must be lmccsink"));
  else if (probe->media_packets == 0)
    doctor_add (c, "record", DOCTOR_SKIP,
        g_strdup ("no session record came either"), NULL);
  else
    doctor_add (c, "record", DOCTOR_FAIL,
        g_strdup_printf ("no session record came on UDP port %u within %u s",
            port, seconds),
        g_strdup_printf ("let UDP port %u through every firewall, as the port "
                         "before it",
            port));
}

static gboolean
open_sockets (DoctorCase *c, ProbeSockets *sockets)
{
  guint ifindex = if_nametoindex (c->iface->name);

  sockets->media = open_joined (c->uri, c->uri->port, ifindex);
  if (sockets->media >= 0)
    sockets->rtcp = open_joined (c->uri, c->uri->port + 1, ifindex);
  if (sockets->rtcp >= 0)
    return TRUE;

  doctor_add (c, "join", DOCTOR_FAIL,
      g_strdup_printf ("the group cannot be joined on %s: %s", c->iface->name,
          g_strerror (errno)),
      g_strdup (errno == EADDRINUSE
              ? "stop the program that holds the port"
              : "name another interface: multicast-iface=IFACE"));

  return FALSE;
}

void
doctor_check_arrival (DoctorCase *c, guint seconds)
{
  g_auto (ProbeSockets) sockets = { -1, -1 };
  DoctorProbe probe = { .ttl = -1 };

  if (c->uri == NULL || c->iface == NULL || !doctor_system_is_live (c->system)
      || !lmcc_address_is_multicast (&c->group)) {
    doctor_add (c, "arrival", DOCTOR_SKIP,
        g_strdup ("no packet was waited for"),
        c->uri == NULL ? g_strdup ("give the session's URI") : NULL);
    return;
  }

  if (!open_sockets (c, &sockets))
    return;
  probe.joined = is_listed (c);
  probe_listen (&sockets, &probe, seconds);

  report_joined (c, &probe);
  report_arrival (c, &probe, seconds);
  report_record (c, &probe, seconds);
}
