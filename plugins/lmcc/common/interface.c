/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Chooses a network interface by name, by address, or by the routing table. */
#include "config.h"

#include "common/sockaddr.h"
#include "common/socket.h"

#include <plugins/common/messages.h>

#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/**
 * gst_lmcc_interface_list:
 *
 * Returns: (transfer full): the interfaces that are up with their addresses,
 * for error messages: "lo (127.0.0.1, ::1), eth0 (192.0.2.2)"
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
 * Returns: %FALSE if no route leads to @group
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

/* If listing fails, an interface that was not found may still exist. */
static gboolean
can_list (GError **error)
{
  struct ifaddrs *list;

  if (getifaddrs (&list) == 0) {
    freeifaddrs (list);
    return TRUE;
  }
  gst_lmcc_set_errno (error, errno,
      _ ("Cannot list this host's network interfaces: %s%s"),
      g_strerror (errno), gst_lmcc_open_remedy (errno));
  return FALSE;
}

/**
 * gst_lmcc_interface_choose:
 * @wanted: (nullable): name or address of an interface; %NULL or empty for the
 *     interface of the route to @group
 * @group: the group to send to or to join
 * @iface: (out): the interface
 * @error: (nullable): set if there is no such interface; lists the existing
 *     ones
 *
 * Without a route to the group it chooses the loopback interface, and sets a
 * flag in @iface.
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
        _ ("No network interface '%s' is up and has an %s address. Set "
           "multicast-iface to one of: %s"),
        wanted, group->family == LMCC_FAMILY_IPV6 ? "IPv6" : "IPv4", list);
    return FALSE;
  }
  if (gst_lmcc_route_lookup (group, &address)) {
    /* If the address belongs to no interface, the kernel chooses. */
    find_interface (NULL, &address, group->family, iface);
    return TRUE;
  }
  if (find_interface (NULL, NULL, group->family, iface)) {
    iface->is_fallback = TRUE;
    return TRUE;
  }
  list = gst_lmcc_interface_list ();
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NETWORK_UNREACHABLE,
      _ ("No route leads to the group, and no loopback interface with an %s "
         "address is up. Bring an interface up (ip link set lo up). "
         "Interfaces: %s"),
      group->family == LMCC_FAMILY_IPV6 ? "IPv6" : "IPv4", list);
  return FALSE;
}

/* Looks up one interface by its name. Keeps the current address if the
 * interface still has it, otherwise takes its first one. */
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
 * @group: as for gst_lmcc_interface_choose()
 * @iface: (inout): the chosen interface; gets the one to use from now on
 *
 * Chooses again after links or addresses have changed. A usable interface
 * stays, and gets its new address and index. Another interface replaces it only
 * if the user has named none, and the loopback interface never does.
 *
 * Returns: the state of @iface
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
 * @state: its state, not %GST_LMCC_INTERFACE_USABLE
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
      return g_strdup_printf (
          _ ("the network interface %s is gone. Connect it again, or set "
             "multicast-iface to another interface"),
          iface->name);
    case GST_LMCC_INTERFACE_DOWN:
      return g_strdup_printf (
          _ ("the network interface %s is down. Bring it up (ip link set %s "
             "up), or set multicast-iface to another interface"),
          iface->name, iface->name);
    case GST_LMCC_INTERFACE_NO_CARRIER:
      return g_strdup_printf (
          _ ("the network interface %s has no link. Check its cable, or set "
             "multicast-iface to another interface"),
          iface->name);
    case GST_LMCC_INTERFACE_NO_ADDRESS:
      return g_strdup_printf (
          _ ("the network interface %s has no %s address. Give it an address "
             "(by DHCP, or ip address add), or set multicast-iface to another "
             "interface"),
          iface->name, v6 ? "IPv6" : "IPv4");
    default:
      return g_strdup (_ ("the network interface works"));
  }
}

/**
 * gst_lmcc_host_has_address:
 * @address: an address
 *
 * Returns: whether this host has the address; %TRUE if that is unknown
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

/* Whether both addresses have the same prefix under @mask. */
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
 * @address: address of another host
 *
 * Returns: whether it is in the network of one of this host's interfaces,
 * without a router in between; %TRUE if that is unknown
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
 * @name: name of an interface
 *
 * Returns: the MTU of the interface in bytes, 0 if it is unknown
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
