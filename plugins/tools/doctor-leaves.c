/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests whether the network stops forwarding a group after a leave, on which
 * congestion control depends. The kernel hides packets of groups that the host
 * has not joined, so the test reads frames from the interface, which needs
 * root.
 */
#include "doctor.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* How long to look for packets of a layer before its join. A layer sends a
 * packet at least every 100 ms. */
#define BEFORE (500 * G_TIME_SPAN_MILLISECOND)

/* Time for a join across several routers. */
#define JOIN_PATIENCE (3 * G_TIME_SPAN_SECOND)

/* Twice the time of two last-member queries of 1 s (RFC 3376 section 8.8).
 * FLID-DL works with leaves of this length. */
#define LEAVE_PATIENCE (4 * G_TIME_SPAN_SECOND)

/* After this time without a packet, the layer has stopped. */
#define QUIET (G_TIME_SPAN_SECOND)

/* A longer leave includes last-member queries. */
#define FAST_LEAVE (500 * G_TIME_SPAN_MILLISECOND)

/* Enough for the UDP ports after the longest IP header. */
#define FRAME_SIZE 64

typedef struct
{
  gint fd;
  LmccAddress group;
  guint16 port;
} Sniffer;

static void
sniffer_clear (Sniffer *sniffer)
{
  if (sniffer->fd >= 0)
    close (sniffer->fd);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sniffer, sniffer_clear)

/* Adds the group to the interface's filter only. This is no membership, so that
 * no report is sent to the network (RFC 1112 section 6.4, RFC 2464 section
 * 7). */
static void
let_group_in (const Sniffer *sniffer, guint ifindex)
{
  const guint8 *b = sniffer->group.bytes;
  struct packet_mreq request = {
    .mr_ifindex = (gint) ifindex,
    .mr_type = PACKET_MR_MULTICAST,
    .mr_alen = ETH_ALEN,
  };
  const guint8 ipv4[] = { 0x01, 0x00, 0x5e, b[1] & 0x7f, b[2], b[3] };
  const guint8 ipv6[] = { 0x33, 0x33, b[12], b[13], b[14], b[15] };

  memcpy (request.mr_address,
      sniffer->group.family == LMCC_FAMILY_IPV4 ? ipv4 : ipv6, ETH_ALEN);
  setsockopt (sniffer->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &request,
      sizeof (request));
}

static gboolean
sniffer_open (Sniffer *sniffer, guint ifindex)
{
  guint16 protocol =
      htons (sniffer->group.family == LMCC_FAMILY_IPV4 ? ETHERTYPE_IP
                                                       : ETHERTYPE_IPV6);
  struct sockaddr_ll at = {
    .sll_family = AF_PACKET,
    .sll_protocol = protocol,
    .sll_ifindex = (gint) ifindex,
  };

  sniffer->fd = socket (AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, protocol);
  if (sniffer->fd < 0
      || bind (sniffer->fd, (struct sockaddr *) &at, sizeof (at)) < 0)
    return FALSE;
  let_group_in (sniffer, ifindex);

  return TRUE;
}

/* Whether it is a UDP packet to the group and port. */
static gboolean
is_of_group (const Sniffer *sniffer, const guint8 *data, gsize size)
{
  gboolean ipv4 = sniffer->group.family == LMCC_FAMILY_IPV4;
  gsize header = ipv4 ? (data[0] & 0x0f) * 4u : 40;
  gsize address = ipv4 ? 16 : 24;
  guint8 protocol = data[ipv4 ? 9 : 6];
  guint16 port;

  if (size < header + 4 || protocol != IPPROTO_UDP)
    return FALSE;
  memcpy (&port, data + header + 2, sizeof (port));

  return ntohs (port) == sniffer->port
      && memcmp (data + address, sniffer->group.bytes, ipv4 ? 4 : 16) == 0;
}

/* Returns: whether a packet of the group came from the network */
static gboolean
sniffer_read (const Sniffer *sniffer)
{
  guint8 data[FRAME_SIZE] = { 0 };
  struct sockaddr_ll from;
  socklen_t size = sizeof (from);
  gssize n = recvfrom (sniffer->fd, data, sizeof (data), MSG_DONTWAIT,
      (struct sockaddr *) &from, &size);

  return n > 0 && from.sll_pkttype != PACKET_OUTGOING
      && is_of_group (sniffer, data, (gsize) n);
}

/* Returns: whether a packet came until @end */
static gboolean
sniffer_wait (const Sniffer *sniffer, gint64 end)
{
  for (;;) {
    struct pollfd pfd = { .fd = sniffer->fd, .events = POLLIN };
    gint64 left = end - g_get_monotonic_time ();

    if (left <= 0
        || (poll (&pfd, 1, (gint) (left / 1000 + 1)) < 0 && errno != EINTR))
      return FALSE;
    if (sniffer_read (sniffer))
      return TRUE;
  }
}

/* Returns: how long after now the last packet came, in us; at most
 * LEAVE_PATIENCE */
static gint64
watch_leave (const Sniffer *sniffer)
{
  gint64 begin = g_get_monotonic_time (), last = begin;

  while (last - begin < LEAVE_PATIENCE
      && sniffer_wait (sniffer,
          MIN (last + QUIET, begin + LEAVE_PATIENCE + QUIET)))
    last = g_get_monotonic_time ();

  return MIN (last - begin, LEAVE_PATIENCE);
}

static void
report_leave (DoctorCase *c, const gchar *group, gint64 took)
{
  gdouble seconds = (gdouble) took / G_TIME_SPAN_SECOND;

  if (took >= LEAVE_PATIENCE)
    doctor_add (c, "leaves", DOCTOR_FAIL,
        g_strdup_printf (
            _ ("packets of %s, a layer above the base layer, still "
               "arrive %g s after its leave: the network does not honour "
               "leaves, so leaving a layer does not relieve this link"),
            group, seconds),
        g_strdup (_ ("switch on snooping with a querier, and fast leave, or a "
                     "last-member query interval of 1 s; check that no other "
                     "receiver behind the same switch port has joined the "
                     "layer")));
  else if (took > FAST_LEAVE)
    doctor_add (c, "leaves", DOCTOR_OK,
        g_strdup_printf (
            _ ("packets of %s arrived for %.1f s after its leave: the "
               "network first asks whether another host wants them"),
            group, seconds),
        g_strdup (_ ("fast leave in the switches shortens this time")));
  else
    doctor_add (c, "leaves", DOCTOR_OK,
        g_strdup_printf (_ ("packets of %s stop %.1f s after its leave"), group,
            seconds),
        NULL);
}

/* Joins the layer, leaves it, and measures when its packets stop. */
static void
try_leave (DoctorCase *c, const Sniffer *sniffer, const gchar *group)
{
  gint64 begin = g_get_monotonic_time ();
  gboolean came;
  gint fd;

  if (sniffer_wait (sniffer, begin + BEFORE)) {
    doctor_add (c, "leaves", DOCTOR_WARN,
        g_strdup_printf (
            _ ("packets of %s, a layer above the base layer, arrive "
               "although this host has not joined it: leaving a layer "
               "does not relieve this link"),
            group),
        g_strdup (_ ("switch on IGMP snooping (IPv6: MLD) with a querier; a "
                     "direct cable has none, and another receiver behind the "
                     "same switch port has the same effect")));
    return;
  }
  fd = doctor_open_joined (c->uri, &sniffer->group, sniffer->port,
      if_nametoindex (c->iface->name));
  came = fd >= 0
      && sniffer_wait (sniffer, g_get_monotonic_time () + JOIN_PATIENCE);
  if (fd >= 0)
    close (fd);
  if (came)
    report_leave (c, group, watch_leave (sniffer));
  else
    doctor_add (c, "leaves", DOCTOR_WARN,
        g_strdup_printf (
            _ ("no packet of %s, the layer above the base layer, arrived "
               "within %d s of its join, although the base layer arrives"),
            group, (gint) (JOIN_PATIENCE / G_TIME_SPAN_SECOND)),
        g_strdup (_ ("let the network carry all groups of the session, which "
                     "have consecutive addresses")));
}

/**
 * doctor_check_leaves:
 * @c: the case
 * @probe: what came of the session, which is heard
 *
 * Joins and leaves a layer above the base, and sees whether its packets stop.
 */
void
doctor_check_leaves (DoctorCase *c, const DoctorProbe *probe)
{
  g_auto (Sniffer) sniffer = { .fd = -1, .port = c->uri->port };
  gchar group[LMCC_ADDRESS_STRLEN];

  if (probe->media_packets == 0 || !probe->has_session
      || probe->session.n_groups < 2
      || !lmcc_address_group (&c->group, 1, &sniffer.group))
    return;
  lmcc_address_format (&sniffer.group, group);
  if (doctor_is_this_host (&probe->sender))
    doctor_add (c, "leaves", DOCTOR_SKIP,
        g_strdup (_ ("the sender is on this host, so that the network has no "
                     "part in it")),
        g_strdup (_ ("run this on another host")));
  else if (probe->session.turning_groups > 0)
    doctor_add (c, "leaves", DOCTOR_SKIP,
        g_strdup_printf (
            _ ("groups take turns in this session, and %s is sometimes "
               "silent"),
            group),
        g_strdup (_ ("run this with a session of another algorithm")));
  else if (doctor_is_joined (c, &sniffer.group))
    doctor_add (c, "leaves", DOCTOR_SKIP,
        g_strdup_printf (
            _ ("a receiver on this host has joined %s, so that leaves "
               "cannot be observed"),
            group),
        g_strdup (_ ("stop it, and run this again")));
  else if (!sniffer_open (&sniffer, if_nametoindex (c->iface->name)))
    doctor_add (c, "leaves", DOCTOR_SKIP,
        g_strdup_printf (_ ("leaves were not tested: %s"), g_strerror (errno)),
        g_strdup (_ ("run this as root")));
  else
    try_leave (c, &sniffer, group);
}
