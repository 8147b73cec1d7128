/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Which network interface: by name, by address, or by the routing table. */
#include "config.h"

#include "gstlmccsocket.h"
#include "gstlmccsockaddr.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>
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
find_interface (const gchar * name, const LmccAddress * with, LmccFamily family,
    GstLmccInterface * iface)
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
gst_lmcc_route_lookup (const LmccAddress * group, LmccAddress * local)
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
gst_lmcc_interface_choose (const gchar * wanted, const LmccAddress * group,
    GstLmccInterface * iface, GError ** error)
{
  LmccAddress address;
  g_autofree gchar *list = NULL;

  memset (iface, 0, sizeof (*iface));
  if (wanted && wanted[0] != '\0') {
    gboolean is_address = lmcc_address_parse (wanted, &address);

    if (find_interface (is_address ? NULL : wanted,
            is_address ? &address : NULL, group->family, iface))
      return TRUE;
    list = gst_lmcc_interface_list ();
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
        "There is no network interface '%s' that is up and has an %s address. "
        "Set multicast-iface to one of: %s", wanted,
        group->family == LMCC_FAMILY_IPV6 ? "IPv6" : "IPv4", list);
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
      "are: %s", group->family == LMCC_FAMILY_IPV6 ? "IPv6" : "IPv4", list);
  return FALSE;
}
