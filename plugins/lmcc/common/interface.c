/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Which network interface: by name, by address, or by the routing table. */
#include "config.h"

#include "common/sockaddr.h"
#include "common/socket.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/**
 * gst_lmcc_interface_list:
 *
 * Returns: (transfer full): the interfaces that are up with their addresses,
 *     for an error text: "lo (127.0.0.1, ::1), eth0 (192.0.2.2)"
 */
gchar *
gst_lmcc_interface_list (void)
{
  GString *text = g_string_new (NULL);
  struct if_nameindex *names = if_nameindex ();
  struct ifaddrs *list = NULL;
  const struct if_nameindex *name;

  if (getifaddrs (&list) != 0)
    list = NULL;
  for (name = names; name && name->if_index != 0; name++) {
    const struct ifaddrs *entry;
    gboolean named = FALSE;

    for (entry = list; entry; entry = entry->ifa_next) {
      LmccAddress address;
      gchar buffer[LMCC_ADDRESS_STRLEN];
      guint16 port;

      if (!entry->ifa_addr || !(entry->ifa_flags & IFF_UP)
          || strcmp (entry->ifa_name, name->if_name) != 0)
        continue;
      gst_lmcc_sockaddr_get (entry->ifa_addr, &address, &port);
      if (address.family == LMCC_FAMILY_NONE)
        continue;
      if (!named)
        g_string_append_printf (text, "%s%s (", text->len ? ", " : "",
            name->if_name);
      else
        g_string_append (text, ", ");
      g_string_append (text, lmcc_address_format (&address, buffer));
      named = TRUE;
    }
    if (named)
      g_string_append_c (text, ')');
  }
  if (list)
    freeifaddrs (list);
  if (names)
    if_freenameindex (names);
  if (text->len == 0)
    g_string_append (text, "none");
  return g_string_free (text, FALSE);
}

/* Finds an interface by name, by address (either may be NULL) or, with neither,
 * the loopback interface. An interface without an address of the family matches
 * by name only. */
static gboolean
find_interface (const gchar *name, const LmccAddress *with, LmccFamily family,
    GstLmccInterface *iface)
{
  struct ifaddrs *list, *entry;
  gboolean found = FALSE;

  if (getifaddrs (&list) != 0)
    return FALSE;
  for (entry = list; entry && !found; entry = entry->ifa_next) {
    LmccAddress address;
    guint16 port;

    if (!entry->ifa_addr || !(entry->ifa_flags & IFF_UP))
      continue;
    gst_lmcc_sockaddr_get (entry->ifa_addr, &address, &port);
    if (address.family != family)
      continue;
    if (with)
      found = lmcc_address_equal (with, &address);
    else if (name)
      found = strcmp (name, entry->ifa_name) == 0;
    else
      found = (entry->ifa_flags & IFF_LOOPBACK) != 0;
    if (!found)
      continue;
    g_strlcpy (iface->name, entry->ifa_name, sizeof (iface->name));
    iface->index = if_nametoindex (entry->ifa_name);
    iface->address = address;
  }
  freeifaddrs (list);
  return found;
}

/**
 * gst_lmcc_route_lookup:
 * @group: a group
 * @local: (out): the address that the kernel would send from
 *
 * Returns: %FALSE where no route leads to @group
 */
gboolean
gst_lmcc_route_lookup (const LmccAddress *group, LmccAddress *local)
{
  GstLmccSockaddr to;
  socklen_t size = gst_lmcc_sockaddr_set (group, 9, 0, &to);
  guint16 port;
  gint fd = socket (to.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  gboolean found = FALSE;

  if (fd < 0)
    return FALSE;
  if (connect (fd, &to.any, size) == 0) {
    size = sizeof (to);
    if (getsockname (fd, &to.any, &size) == 0) {
      gst_lmcc_sockaddr_get (&to.any, local, &port);
      found = TRUE;
    }
  }
  close (fd);
  return found;
}

/* Where it says no, an interface that is not found may well be there. */
static gboolean
can_list (GError **error)
{
  struct ifaddrs *list;

  if (getifaddrs (&list) == 0) {
    freeifaddrs (list);
    return TRUE;
  }
  gst_lmcc_set_errno (error, errno,
      "Could not list this host's network interfaces: %s%s", g_strerror (errno),
      gst_lmcc_open_remedy (errno));
  return FALSE;
}

/**
 * gst_lmcc_interface_choose:
 * @wanted: (nullable): name or address of an interface; %NULL or empty for the
 *     one that the route to @group names
 * @group: the group that is to be sent to or joined
 * @iface: (out): the interface
 * @error: (nullable): where there is no such interface; lists those that there
 *     are
 *
 * Without a route to the group the loopback interface is taken, and @iface says
 * so.
 *
 * Returns: whether @iface is set
 */
gboolean
gst_lmcc_interface_choose (const gchar *wanted, const LmccAddress *group,
    GstLmccInterface *iface, GError **error)
{
  LmccAddress address;
  g_autofree gchar *list = NULL;

  memset (iface, 0, sizeof (*iface));
  if (!can_list (error))
    return FALSE;
  if (wanted && wanted[0] != '\0') {
    gboolean is_address = lmcc_address_parse (wanted, &address);

    if (find_interface (is_address ? NULL : wanted,
            is_address ? &address : NULL, group->family, iface))
      return TRUE;
    list = gst_lmcc_interface_list ();
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
        "There is no network interface '%s' that is up and has an %s address. "
        "Set multicast-iface to one of: %s",
        wanted, group->family == LMCC_FAMILY_IPV6 ? "IPv6" : "IPv4", list);
    return FALSE;
  }
  if (gst_lmcc_route_lookup (group, &address)) {
    /* Where the address is of no interface the kernel's own choice remains. */
    find_interface (NULL, &address, group->family, iface);
    return TRUE;
  }
  if (find_interface (NULL, NULL, group->family, iface)) {
    iface->is_fallback = TRUE;
    return TRUE;
  }
  list = gst_lmcc_interface_list ();
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NETWORK_UNREACHABLE,
      "There is no route to the group and no loopback interface that is up "
      "with an %s address. Bring an interface up (ip link set lo up); there "
      "are: %s",
      group->family == LMCC_FAMILY_IPV6 ? "IPv6" : "IPv4", list);
  return FALSE;
}

/* One interface by its name. An address of the family is the one that is in use
 * where the interface still has it, else its first. */
static GstLmccInterfaceState
look_at_interface (GstLmccInterface *iface, LmccFamily family)
{
  GstLmccInterfaceState state = GST_LMCC_INTERFACE_GONE;
  struct ifaddrs *list, *entry;
  LmccAddress before = iface->address;
  gboolean found = FALSE;

  if (getifaddrs (&list) != 0)
    return GST_LMCC_INTERFACE_UNKNOWN;
  for (entry = list; entry; entry = entry->ifa_next) {
    LmccAddress address;
    guint16 port;

    if (strcmp (entry->ifa_name, iface->name) != 0)
      continue;
    if (state == GST_LMCC_INTERFACE_GONE)
      state = GST_LMCC_INTERFACE_NO_ADDRESS;
    if (!(entry->ifa_flags & IFF_UP))
      state = GST_LMCC_INTERFACE_DOWN;
    else if (!(entry->ifa_flags & IFF_RUNNING))
      state = GST_LMCC_INTERFACE_NO_CARRIER;
    if (!entry->ifa_addr)
      continue;
    gst_lmcc_sockaddr_get (entry->ifa_addr, &address, &port);
    if (address.family != family
        || (found && !lmcc_address_equal (&address, &before)))
      continue;
    found = TRUE;
    iface->address = address;
  }
  freeifaddrs (list);
  if (found)
    iface->index = if_nametoindex (iface->name);
  return found && state == GST_LMCC_INTERFACE_NO_ADDRESS
      ? GST_LMCC_INTERFACE_USABLE
      : state;
}

/**
 * gst_lmcc_interface_follow:
 * @wanted: (nullable): as for gst_lmcc_interface_choose()
 * @group: likewise
 * @iface: (inout): what that chose; changed to what is to be used from now on
 *
 * Chooses anew after links or addresses have changed. An interface stays as
 * long as it is usable, and gets its new address and index. Another one is
 * taken only where no name was asked for, and never the loopback interface in
 * its stead.
 *
 * Returns: how it is with @iface now
 */
GstLmccInterfaceState
gst_lmcc_interface_follow (const gchar *wanted, const LmccAddress *group,
    GstLmccInterface *iface)
{
  GstLmccInterfaceState state = GST_LMCC_INTERFACE_USABLE;
  GstLmccInterface other;
  LmccAddress address;

  if (iface->name[0] != '\0')
    state = look_at_interface (iface, group->family);
  if (state == GST_LMCC_INTERFACE_UNKNOWN
      || (state == GST_LMCC_INTERFACE_USABLE && iface->name[0] != '\0'
          && !iface->is_fallback))
    return state;
  if (wanted && wanted[0] != '\0' && !lmcc_address_parse (wanted, &address))
    return state;
  if (!gst_lmcc_interface_choose (wanted, group, &other, NULL)
      || other.is_fallback || other.name[0] == '\0')
    return state;
  if (look_at_interface (&other, group->family) != GST_LMCC_INTERFACE_USABLE)
    return state;
  *iface = other;
  return GST_LMCC_INTERFACE_USABLE;
}

/**
 * gst_lmcc_interface_describe:
 * @iface: an interface
 * @state: how it is with it, not %GST_LMCC_INTERFACE_USABLE
 *
 * Returns: (transfer full): cause and remedy, for a message
 */
gchar *
gst_lmcc_interface_describe (const GstLmccInterface *iface,
    GstLmccInterfaceState state)
{
  gboolean v6 = iface->address.family == LMCC_FAMILY_IPV6;

  switch (state) {
    case GST_LMCC_INTERFACE_GONE:
      return g_strdup_printf ("the network interface %s is gone. Connect it "
                              "again, or set multicast-iface to another one",
          iface->name);
    case GST_LMCC_INTERFACE_DOWN:
      return g_strdup_printf (
          "the network interface %s is down. Bring it up "
          "(ip link set %s up), or set multicast-iface to another one",
          iface->name, iface->name);
    case GST_LMCC_INTERFACE_NO_CARRIER:
      return g_strdup_printf (
          "the network interface %s has no link. Look at "
          "its cable, or set multicast-iface to another one",
          iface->name);
    case GST_LMCC_INTERFACE_NO_ADDRESS:
      return g_strdup_printf (
          "the network interface %s has no %s address. "
          "Give it one (by DHCP, or ip address add), or set multicast-iface to "
          "another one",
          iface->name, v6 ? "IPv6" : "IPv4");
    default:
      return g_strdup ("nothing is wrong with the network interface");
  }
}

/**
 * gst_lmcc_host_has_address:
 * @address: an address
 *
 * Returns: whether it is one of this host; %TRUE where that cannot be known
 */
gboolean
gst_lmcc_host_has_address (const LmccAddress *address)
{
  struct ifaddrs *list, *entry;
  gboolean found = FALSE;

  if (getifaddrs (&list) != 0)
    return TRUE;
  for (entry = list; entry && !found; entry = entry->ifa_next) {
    LmccAddress one;
    guint16 port;

    if (!entry->ifa_addr)
      continue;
    gst_lmcc_sockaddr_get (entry->ifa_addr, &one, &port);
    found = lmcc_address_equal (&one, address);
  }
  freeifaddrs (list);
  return found;
}

/* Whether the two agree in what @mask says. */
static gboolean
is_in_network (const LmccAddress *address, const LmccAddress *own,
    const struct sockaddr *mask)
{
  LmccAddress bits;
  guint16 port;
  guint i;

  if (mask == NULL)
    return FALSE;
  gst_lmcc_sockaddr_get (mask, &bits, &port);
  for (i = 0; i < sizeof (bits.bytes); i++) {
    if ((address->bytes[i] ^ own->bytes[i]) & bits.bytes[i])
      return FALSE;
  }
  return bits.family == address->family && own->family == address->family;
}

/**
 * gst_lmcc_host_is_beside:
 * @address: another host's
 *
 * Returns: whether it is in a network of one of this host's interfaces, so that
 *     no router is between; %TRUE where that cannot be known
 */
gboolean
gst_lmcc_host_is_beside (const LmccAddress *address)
{
  struct ifaddrs *list, *entry;
  gboolean found = FALSE;

  if (getifaddrs (&list) != 0)
    return TRUE;
  for (entry = list; entry && !found; entry = entry->ifa_next) {
    LmccAddress own;
    guint16 port;

    if (!entry->ifa_addr || !(entry->ifa_flags & IFF_UP))
      continue;
    gst_lmcc_sockaddr_get (entry->ifa_addr, &own, &port);
    found = is_in_network (address, &own, entry->ifa_netmask);
  }
  freeifaddrs (list);
  return found;
}

/**
 * gst_lmcc_interface_get_mtu:
 * @name: of an interface
 *
 * Returns: the bytes of the longest IP packet that it sends in one piece, 0
 *     where that is not known
 */
guint
gst_lmcc_interface_get_mtu (const gchar *name)
{
  struct ifreq request = { 0 };
  gint fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  gboolean known;

  if (fd < 0)
    return 0;
  g_strlcpy (request.ifr_name, name, sizeof (request.ifr_name));
  known = ioctl (fd, SIOCGIFMTU, &request) == 0 && request.ifr_mtu > 0;
  close (fd);
  return known ? (guint) request.ifr_mtu : 0;
}
