/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The sockets of lmccsink and lmccsrc. They are plain file descriptors, so that
 * one system call handles a batch of packets. There are no locks; a descriptor
 * belongs to its caller.
 */
#include "config.h"

#include "common/socket.h"
#include "common/sockaddr.h"

#include <plugins/common/messages.h>

#include <netinet/udp.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* Linux 4.20 (linux/in6.h); the C library's header has it only since 2.36. */
#ifndef IPV6_MULTICAST_ALL
#define IPV6_MULTICAST_ALL 29
#endif

/* Linux 4.15. */
#ifndef IPV6_FREEBIND
#define IPV6_FREEBIND 78
#endif

/* Linux 5.14 (asm-generic/socket.h). */
#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

/* Maximum wait for room in a full send buffer. After it the packet is too late
 * anyway, and the caller must be able to stop within 20 ms. */
#define SEND_WAIT_MS 5

/* Memory that Linux (64 bits) uses in addition to a packet: headroom for link
 * headers and struct skb_shared_info, in a block with a power of two as size,
 * and struct sk_buff. */
#define BUFFER_GRAIN 512
#define PACKET_HEADROOM 400
#define PACKET_DESCRIPTION 256

static gboolean
set_option (gint fd, gint level, gint option, gint value)
{
  return setsockopt (fd, level, option, &value, sizeof (value)) == 0;
}

/**
 * gst_lmcc_open_remedy:
 * @code: errno of opening a socket
 *
 * Returns: the remedy, to be appended to the cause; empty if there is none
 */
const gchar *
gst_lmcc_open_remedy (gint code)
{
  switch (code) {
    case EAFNOSUPPORT:
      return _ (". This host does not support the protocol: use a group of the "
                "other address family");
    case EMFILE:
      return _ (". This program has reached its limit of open files: raise it "
                "(ulimit -n, or LimitNOFILE= of its systemd unit)");
    case ENFILE:
      return _ (". This host has reached its limit of open files: raise it "
                "with sysctl -w fs.file-max=");
    case ENOBUFS:
    case ENOMEM:
      return _ (
          ". This host has no memory left for sockets: end other programs");
    default:
      return "";
  }
}

/* Otherwise the socket receives all groups that any socket of the host has
 * joined. Linux before 4.20 has this option for IPv4 only; for IPv6 the bind to
 * the group has to do. */
static void
set_own_groups_only (gint fd, LmccFamily family)
{
  if (family == LMCC_FAMILY_IPV6)
    set_option (fd, IPPROTO_IPV6, IPV6_MULTICAST_ALL, 0);
  else
    set_option (fd, IPPROTO_IP, IP_MULTICAST_ALL, 0);
}

static gint
open_socket (LmccFamily family, GError **error)
{
  gint fd = socket (gst_lmcc_system_family (family),
      SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

  if (fd < 0)
    gst_lmcc_set_errno (error, errno, _ ("Cannot open a UDP socket: %s%s"),
        g_strerror (errno), gst_lmcc_open_remedy (errno));
  return fd;
}

static gboolean
set_send_interface (gint fd, LmccFamily family, const GstLmccInterface *iface)
{
  struct ip_mreqn request = { 0 };

  if (iface->index == 0)
    return TRUE;
  if (family == LMCC_FAMILY_IPV6)
    return set_option (fd, IPPROTO_IPV6, IPV6_MULTICAST_IF,
        (gint) iface->index);
  /* Set the address too: on lo the kernel would otherwise use another
   * interface's address as the source, because 127.0.0.1 has host scope. */
  request.imr_ifindex = (gint) iface->index;
  memcpy (&request.imr_address, iface->address.bytes, 4);
  return setsockopt (fd, IPPROTO_IP, IP_MULTICAST_IF, &request,
             sizeof (request))
      == 0;
}

/**
 * gst_lmcc_socket_set_interface:
 * @fd: from gst_lmcc_socket_open_send()
 * @family: address family of the groups
 * @iface: interface to send on from now on
 *
 * For an interface whose address or index has changed.
 *
 * Returns: whether the kernel accepts it
 */
gboolean
gst_lmcc_socket_set_interface (gint fd, LmccFamily family,
    const GstLmccInterface *iface)
{
  return set_send_interface (fd, family, iface);
}

/**
 * gst_lmcc_send_remedy:
 * @code: errno of sending
 *
 * Returns: the remedy
 */
const gchar *
gst_lmcc_send_remedy (gint code)
{
  switch (code) {
    case EPERM:
    case EACCES:
      return _ (
          "A firewall of this host blocks the packets: allow outgoing UDP to "
          "the groups of the session (nft list ruleset shows the rules)");
    case EINVAL:
    case EADDRNOTAVAIL:
      return _ ("This host no longer has the source address: give the "
                "interface the address again, or set bind-address and "
                "multicast-iface to an existing address and interface");
    case ENOBUFS:
    case EAGAIN:
      return _ ("The interface cannot carry this rate: lower the bitrate");
    case EMSGSIZE:
      return _ ("The packets are too large for the interface: lower mtu");
    default:
      return _ ("Check the interface's cable, state and routes (ip address, ip "
                "route), or set multicast-iface to another interface");
  }
}

static gboolean
set_send_options (gint fd, const GstLmccSendOptions *options)
{
  gboolean v6 = options->family == LMCC_FAMILY_IPV6;
  gint level = v6 ? IPPROTO_IPV6 : IPPROTO_IP;

  if (!set_send_interface (fd, options->family, &options->iface)
      || !set_option (fd, level, v6 ? IPV6_MULTICAST_HOPS : IP_MULTICAST_TTL,
          (gint) options->ttl)
      || !set_option (fd, level, v6 ? IPV6_MULTICAST_LOOP : IP_MULTICAST_LOOP,
          options->loop ? 1 : 0))
    return FALSE;
  if (options->dscp >= 0
      && !set_option (fd, level, v6 ? IPV6_TCLASS : IP_TOS, options->dscp << 2))
    return FALSE;
  return options->buffer_size == 0
      || set_option (fd, SOL_SOCKET, SO_SNDBUF,
          (gint) MIN (options->buffer_size, G_MAXINT / 2));
}

/**
 * gst_lmcc_socket_set_up_send:
 * @fd: a UDP socket of the options' family
 * @options: options to set, except address and port
 * @error: (nullable): the cause
 *
 * Returns: whether all options are set
 */
gboolean
gst_lmcc_socket_set_up_send (gint fd, const GstLmccSendOptions *options,
    GError **error)
{
  if (set_send_options (fd, options))
    return TRUE;
  gst_lmcc_set_errno (error, errno,
      _ ("Cannot set the multicast interface, TTL, DSCP or send buffer: %s"),
      g_strerror (errno));
  return FALSE;
}

/**
 * gst_lmcc_socket_share_port:
 * @fd: from gst_lmcc_socket_open_send()
 * @shares: whether other sockets that call this function too can bind to its
 *     port from now on
 */
void
gst_lmcc_socket_share_port (gint fd, gboolean shares)
{
  set_option (fd, SOL_SOCKET, SO_REUSEADDR, shares ? 1 : 0);
}

static void
set_address_error (GError **error, const LmccAddress *address, gint code)
{
  gchar text[LMCC_ADDRESS_STRLEN];
  g_autofree gchar *list = gst_lmcc_interface_list ();

  gst_lmcc_set_errno (error, code,
      _ ("Cannot send from bind-address %s: %s. Set it to an address of this "
         "host: %s"),
      lmcc_address_format (address, text), g_strerror (code), list);
}

static const gchar *
port_remedy (gint code)
{
  return code == EACCES
      ? _ ("Ports below 1024 need the capability CAP_NET_BIND_SERVICE: set "
           "bind-port to a higher port")
      : _ ("Another program, or another element of this program, uses the port "
           "(ss -ulpn shows which): end it, set bind-port to a free port, or "
           "to 0 for any free port");
}

/* Without an address the port applies to all addresses of the host. */
static gboolean
bind_send (gint fd, const GstLmccSendOptions *options, GError **error)
{
  const LmccAddress any = { .family = options->family };
  const LmccAddress *address = &options->bind_address;
  gboolean named = address->family != LMCC_FAMILY_NONE;
  GstLmccSockaddr local;
  socklen_t size;

  if (named && address->family != options->family) {
    set_address_error (error, address, EAFNOSUPPORT);
    return FALSE;
  }
  size = gst_lmcc_sockaddr_set (named ? address : &any, options->bind_port,
      options->iface.index, &local);
  /* An address under duplicate address detection can be used after a second or
   * two. */
  if (named && options->family == LMCC_FAMILY_IPV6
      && gst_lmcc_host_has_address (address))
    set_option (fd, IPPROTO_IPV6, IPV6_FREEBIND, 1);
  /* Packets to this port are not read. They must not fill the host's memory. */
  set_own_groups_only (fd, options->family);
  if (options->bind_port > 0)
    set_option (fd, SOL_SOCKET, SO_RCVBUF, 0);
  gst_lmcc_socket_share_port (fd, options->shares_port);
  if (bind (fd, &local.any, size) == 0)
    return TRUE;
  if (options->bind_port > 0 && (errno == EADDRINUSE || errno == EACCES))
    gst_lmcc_set_errno (error, errno, _ ("Cannot send from port %u: %s. %s"),
        options->bind_port, g_strerror (errno), port_remedy (errno));
  else
    set_address_error (error, address, errno);
  return FALSE;
}

/**
 * gst_lmcc_socket_open_send:
 * @options: options to set
 * @error: (nullable): cause and remedy
 *
 * Returns: a non-blocking descriptor for gst_lmcc_socket_send(), or -1
 */
gint
gst_lmcc_socket_open_send (const GstLmccSendOptions *options, GError **error)
{
  gboolean binds = options->bind_port > 0
      || options->bind_address.family != LMCC_FAMILY_NONE;
  gint fd = open_socket (options->family, error);

  if (fd < 0)
    return -1;
  if (!gst_lmcc_socket_set_up_send (fd, options, error)
      || (binds && !bind_send (fd, options, error)))
    gst_lmcc_socket_close (&fd);
  return fd;
}

/* Returns: 0 if the kernel does not support it */
static guint64
get_namespace (gint fd)
{
  guint64 cookie = 0;
  socklen_t size = sizeof (cookie);

  return getsockopt (fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size) == 0
      ? cookie
      : 0;
}

/**
 * gst_lmcc_socket_is_elsewhere:
 * @fd: a socket that another component has opened
 *
 * Returns: whether it belongs to another network namespace than new sockets of
 * this process; %FALSE if the kernel cannot tell (Linux before 5.14)
 */
gboolean
gst_lmcc_socket_is_elsewhere (gint fd)
{
  gint own = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  gboolean elsewhere;

  if (own < 0)
    return FALSE;
  elsewhere = get_namespace (fd) != get_namespace (own);
  gst_lmcc_socket_close (&own);
  return elsewhere;
}

/**
 * gst_lmcc_socket_get_local:
 * @fd: a socket
 * @local: (out): the address that it sends from
 *
 * Returns: %FALSE if it has none
 */
gboolean
gst_lmcc_socket_get_local (gint fd, LmccAddress *local)
{
  static const guint8 unspecified[16] = { 0 };
  GstLmccSockaddr address;
  socklen_t size = sizeof (address);
  guint16 port;

  if (getsockname (fd, &address.any, &size) != 0)
    return FALSE;
  gst_lmcc_sockaddr_get (&address.any, local, &port);
  return memcmp (local->bytes, unspecified, sizeof (unspecified)) != 0;
}

/**
 * gst_lmcc_socket_get_source:
 * @options: as for gst_lmcc_socket_open_send(); the port is ignored
 * @group: a group
 * @source: (out): source address of packets to @group, which receivers can send
 *     to
 *
 * Returns: %FALSE if it is unknown
 */
gboolean
gst_lmcc_socket_get_source (const GstLmccSendOptions *options,
    const LmccAddress *group, LmccAddress *source)
{
  GstLmccSendOptions any_port = *options;
  GstLmccSockaddr address;
  socklen_t size =
      gst_lmcc_sockaddr_set (group, 9, options->iface.index, &address);
  gboolean found;
  gint fd;

  any_port.bind_port = 0;
  fd = gst_lmcc_socket_open_send (&any_port, NULL);
  if (fd < 0)
    return FALSE;
  /* The kernel chooses among the interface's addresses (RFC 6724) when it knows
   * the destination. */
  found = connect (fd, &address.any, size) == 0
      && gst_lmcc_socket_get_local (fd, source);
  gst_lmcc_socket_close (&fd);
  return found;
}

/**
 * gst_lmcc_socket_open_feedback:
 * @local: this host's address, from gst_lmcc_socket_get_source()
 * @port: the port, 0 for any free port
 * @iface: the interface with @local
 * @error: (nullable): cause and remedy
 *
 * Opens a socket that receives packets to @local, but no packets to groups.
 *
 * Returns: a non-blocking descriptor, or -1
 */
gint
gst_lmcc_socket_open_feedback (const LmccAddress *local, guint16 port,
    const GstLmccInterface *iface, GError **error)
{
  GstLmccSockaddr address;
  socklen_t size = gst_lmcc_sockaddr_set (local, port, iface->index, &address);
  gint fd = open_socket (local->family, error);

  if (fd < 0)
    return -1;
  if (bind (fd, &address.any, size) != 0) {
    gchar text[LMCC_ADDRESS_STRLEN];

    gst_lmcc_set_errno (error, errno,
        _ ("Cannot receive reports on %s port %u: %s. Set feedback-port to a "
           "free port, or to 0 for any free port"),
        lmcc_address_format (local, text), port, g_strerror (errno));
    gst_lmcc_socket_close (&fd);
  }
  return fd;
}

/**
 * gst_lmcc_socket_get_port:
 * @fd: a socket
 *
 * Returns: its local port, 0 if it has none
 */
guint16
gst_lmcc_socket_get_port (gint fd)
{
  GstLmccSockaddr address;
  socklen_t size = sizeof (address);
  LmccAddress local;
  guint16 port = 0;

  if (getsockname (fd, &address.any, &size) == 0)
    gst_lmcc_sockaddr_get (&address.any, &local, &port);
  return port;
}

/**
 * gst_lmcc_socket_may_send_again:
 * @fd: from gst_lmcc_socket_open_send()
 * @code: errno of the failed packet
 * @wait: whether to wait for a short time if the send buffer is full
 *
 * Returns: whether a second attempt makes sense: the first one may only have
 * returned a pending ICMP error
 */
gboolean
gst_lmcc_socket_may_send_again (gint fd, gint code, gboolean wait)
{
  struct pollfd waiting = { fd, POLLOUT, 0 };

  if (code == EAGAIN && wait)
    poll (&waiting, 1, SEND_WAIT_MS);
  return code == EAGAIN || gst_lmcc_errno_is_transient (code);
}

/**
 * gst_lmcc_socket_send:
 * @fd: from gst_lmcc_socket_open_send()
 * @iface: the interface that it was opened with
 * @group: destination address
 * @port: destination port
 * @packet: packet to send
 *
 * A pending error of an earlier packet does not stop this one. If the send
 * buffer is full, it waits for a short time.
 *
 * Returns: number of bytes sent, or the negative errno
 */
gssize
gst_lmcc_socket_send (gint fd, const GstLmccInterface *iface,
    const LmccAddress *group, guint16 port, const LmccPacket *packet)
{
  GstLmccSockaddr to;
  socklen_t size = gst_lmcc_sockaddr_set (group, port, iface->index, &to);
  guint tries;
  gint code = 0;

  for (tries = 0; tries < 2; tries++) {
    gssize sent =
        sendto (fd, packet->data, packet->size, MSG_NOSIGNAL, &to.any, size);

    if (sent >= 0)
      return sent;
    code = errno;
    if (!gst_lmcc_socket_may_send_again (fd, code, TRUE))
      break;
  }
  return -code;
}

/**
 * gst_lmcc_socket_open_unicast:
 * @address: address of a host
 * @port: its port
 * @iface: the interface for a link-local address; otherwise the routing table
 *     decides
 * @error: (nullable): why the host cannot be reached
 *
 * Opens a socket for gst_lmcc_socket_send() to @address, with any free local
 * port. Nothing is received with it.
 *
 * Returns: a non-blocking descriptor, or -1
 */
gint
gst_lmcc_socket_open_unicast (const LmccAddress *address, guint16 port,
    const GstLmccInterface *iface, GError **error)
{
  GstLmccSockaddr to;
  socklen_t size = gst_lmcc_sockaddr_set (address, port, iface->index, &to);
  gint fd = open_socket (address->family, error);

  if (fd < 0)
    return -1;
  /* Packets to this socket must not fill the host's memory. */
  set_option (fd, SOL_SOCKET, SO_RCVBUF, 0);
  /* A connected socket gets an error if no program listens. */
  if (connect (fd, &to.any, size) != 0) {
    gchar text[LMCC_ADDRESS_STRLEN];

    gst_lmcc_set_errno (error, errno, _ ("Cannot reach %s port %u: %s"),
        lmcc_address_format (address, text), port, g_strerror (errno));
    gst_lmcc_socket_close (&fd);
  }
  return fd;
}

/**
 * gst_lmcc_socket_take_error:
 * @fd: from gst_lmcc_socket_open_unicast()
 *
 * Returns: the errno that the network reported for an earlier packet, 0 for
 * none; clears it
 */
gint
gst_lmcc_socket_take_error (gint fd)
{
  gint code = 0;
  socklen_t size = sizeof (code);

  return getsockopt (fd, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : 0;
}

/**
 * gst_lmcc_socket_set_receive_buffer:
 * @fd: a socket
 * @wanted: size in bytes; 0 leaves it unchanged
 *
 * The kernel limits it without an error, and reports twice the size, which
 * includes its own bookkeeping.
 *
 * Returns: the actual size in bytes
 */
guint
gst_lmcc_socket_set_receive_buffer (gint fd, guint wanted)
{
  gint value = (gint) MIN (wanted, G_MAXINT / 2);
  gint actual = 0;
  socklen_t size = sizeof (actual);

  if (wanted > 0) {
    set_option (fd, SOL_SOCKET, SO_RCVBUF, value);
    getsockopt (fd, SOL_SOCKET, SO_RCVBUF, &actual, &size);
    /* Exceeds net.core.rmem_max, with CAP_NET_ADMIN. */
    if (actual / 2 < value)
      set_option (fd, SOL_SOCKET, SO_RCVBUFFORCE, value);
  }
  size = sizeof (actual);
  getsockopt (fd, SOL_SOCKET, SO_RCVBUF, &actual, &size);
  return (guint) actual / 2;
}

/**
 * gst_lmcc_socket_get_packet_cost:
 * @size: size of a packet in bytes
 *
 * The kernel counts the memory of a packet and of its descriptor: about 2,304
 * bytes for packets of 700 to 1,600 bytes.
 *
 * Returns: bytes of a receive buffer that the packet takes
 */
gsize
gst_lmcc_socket_get_packet_cost (gsize size)
{
  gsize memory = BUFFER_GRAIN;

  while (memory < size + PACKET_HEADROOM)
    memory *= 2;
  return (memory + PACKET_DESCRIPTION) / 2;
}

/**
 * gst_lmcc_socket_open_receive:
 * @group: the only group of the socket
 * @port: its port
 * @iface: the interface on which it will be joined
 * @buffer_size: wanted kernel buffer in bytes, or 0 for the default
 * @actual_buffer_size: (out) (optional): the actual size
 * @error: (nullable): cause and remedy
 *
 * Opens a socket bound to @group and @port, without joining the group.
 *
 * Returns: a non-blocking descriptor, or -1
 */
gint
gst_lmcc_socket_open_receive (const LmccAddress *group, guint16 port,
    const GstLmccInterface *iface, guint buffer_size, guint *actual_buffer_size,
    GError **error)
{
  GstLmccSockaddr local;
  socklen_t size = gst_lmcc_sockaddr_set (group, port, iface->index, &local);
  guint actual;
  gint fd = open_socket (group->family, error);

  if (fd < 0)
    return -1;
  set_option (fd, SOL_SOCKET, SO_REUSEADDR, 1);
  set_own_groups_only (fd, group->family);
  set_option (fd, SOL_SOCKET, SO_RXQ_OVFL, 1);
  set_option (fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
  /* Linux 5.0; older kernels do not merge packets. */
  set_option (fd, SOL_UDP, UDP_GRO, 1);
  actual = gst_lmcc_socket_set_receive_buffer (fd, buffer_size);
  if (actual_buffer_size)
    *actual_buffer_size = actual;
  if (bind (fd, &local.any, size) != 0) {
    gchar text[LMCC_ADDRESS_STRLEN];

    gst_lmcc_set_errno (error, errno,
        _ ("Cannot bind to group %s port %u: %s%s"),
        lmcc_address_format (group, text), port, g_strerror (errno),
        errno == EADDRINUSE
            ? _ (". Another program uses the port exclusively: end it (ss "
                 "-ulpn shows it), or use another port")
            : "");
    gst_lmcc_socket_close (&fd);
  }
  return fd;
}

static gboolean
change_membership (gint fd, gboolean join, const LmccAddress *group,
    const LmccAddress *source, const GstLmccInterface *iface)
{
  gint level = group->family == LMCC_FAMILY_IPV6 ? IPPROTO_IPV6 : IPPROTO_IP;
  GstLmccSockaddr address;

  gst_lmcc_sockaddr_set (group, 0, 0, &address);
  if (source && source->family != LMCC_FAMILY_NONE) {
    struct group_source_req request = { 0 };

    request.gsr_interface = iface->index;
    memcpy (&request.gsr_group, &address.storage, sizeof (request.gsr_group));
    gst_lmcc_sockaddr_set (source, 0, 0, &address);
    memcpy (&request.gsr_source, &address.storage, sizeof (request.gsr_source));
    return setsockopt (fd, level,
               join ? MCAST_JOIN_SOURCE_GROUP : MCAST_LEAVE_SOURCE_GROUP,
               &request, sizeof (request))
        == 0;
  } else {
    struct group_req request = { 0 };

    request.gr_interface = iface->index;
    memcpy (&request.gr_group, &address.storage, sizeof (request.gr_group));
    return setsockopt (fd, level, join ? MCAST_JOIN_GROUP : MCAST_LEAVE_GROUP,
               &request, sizeof (request))
        == 0;
  }
}

static const gchar *
join_remedy (gint code)
{
  switch (code) {
    case ENOBUFS:
      return _ (". The host has reached its limit of group memberships: raise "
                "it with sysctl -w net.ipv4.igmp_max_memberships=100 (for "
                "source-specific joins also net.ipv4.igmp_max_msf)");
    case ENODEV:
    case EADDRNOTAVAIL:
      return _ (". No interface can reach the group: set multicast-iface");
    default:
      return "";
  }
}

/**
 * gst_lmcc_socket_join:
 * @fd: from gst_lmcc_socket_open_receive()
 * @group: its group
 * @source: (nullable): the only source to receive from; %NULL or an address of
 *     family %LMCC_FAMILY_NONE for any
 * @iface: interface to join on
 * @error: (nullable): cause and remedy
 *
 * Can be called again after gst_lmcc_socket_leave().
 *
 * Returns: whether the kernel has sent, or will send, the membership report;
 * also %TRUE if the group is already joined
 */
gboolean
gst_lmcc_socket_join (gint fd, const LmccAddress *group,
    const LmccAddress *source, const GstLmccInterface *iface, GError **error)
{
  gchar text[LMCC_ADDRESS_STRLEN];
  g_autofree gchar *list = NULL;
  gint code;

  if (change_membership (fd, TRUE, group, source, iface))
    return TRUE;
  code = errno;
  if (code == EADDRINUSE)
    return TRUE;
  list = gst_lmcc_interface_list ();
  gst_lmcc_set_errno (error, code,
      _ ("Cannot join group %s on %s: %s%s. Interfaces: %s"),
      lmcc_address_format (group, text),
      iface->name[0] ? iface->name : _ ("any interface"), g_strerror (code),
      join_remedy (code), list);
  return FALSE;
}

/**
 * gst_lmcc_socket_open_joined:
 * @group: the only group of the socket
 * @port: its port
 * @source: (nullable): as for gst_lmcc_socket_join()
 * @iface: interface to join on
 * @buffer_size: wanted kernel buffer in bytes, or 0 for the default
 * @error: (nullable): cause and remedy
 *
 * Returns: a non-blocking descriptor that receives packets of @group, or -1
 */
gint
gst_lmcc_socket_open_joined (const LmccAddress *group, guint16 port,
    const LmccAddress *source, const GstLmccInterface *iface, guint buffer_size,
    GError **error)
{
  gint fd = gst_lmcc_socket_open_receive (group, port, iface, buffer_size, NULL,
      error);

  if (fd >= 0 && !gst_lmcc_socket_join (fd, group, source, iface, error))
    gst_lmcc_socket_close (&fd);
  return fd;
}

/**
 * gst_lmcc_socket_leave:
 * @fd: from gst_lmcc_socket_open_receive()
 * @group: its group
 * @source: (nullable): as it was joined
 * @iface: as it was joined
 * @error: (nullable): the error of the kernel
 *
 * Returns: %FALSE on an error; the group is not joined then, or the descriptor
 * is not a socket
 */
gboolean
gst_lmcc_socket_leave (gint fd, const LmccAddress *group,
    const LmccAddress *source, const GstLmccInterface *iface, GError **error)
{
  gchar text[LMCC_ADDRESS_STRLEN];

  if (change_membership (fd, FALSE, group, source, iface))
    return TRUE;
  gst_lmcc_set_errno (error, errno, _ ("Cannot leave group %s: %s"),
      lmcc_address_format (group, text), g_strerror (errno));
  return FALSE;
}

/**
 * gst_lmcc_socket_close:
 * @fd: (inout): a descriptor or -1; -1 afterwards
 */
void
gst_lmcc_socket_close (gint *fd)
{
  if (*fd >= 0)
    close (*fd);
  *fd = -1;
}
