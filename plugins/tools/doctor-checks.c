/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "doctor.h"

#include <string.h>
#include <unistd.h>

/* A second of 8 Mbit/s in packets of 1200 bytes, as the kernel counts them, is
 * about 2 MB; a layer has a socket of its own. */
#define RECEIVE_BUFFER_WANTED (1024 * 1024)

void
doctor_add (DoctorCase *c, const gchar *check, DoctorStatus status,
    gchar *finding, gchar *remedy)
{
  DoctorFinding *f = g_new0 (DoctorFinding, 1);

  f->check = g_strdup (check);
  f->status = status;
  f->finding = finding;
  f->remedy = remedy;
  g_ptr_array_add (c->findings, f);
}

/* A group's Ethernet address holds the low 23 bits (RFC 1112 section 6.4), or
 * 32 of IPv6 (RFC 2464 section 7). */
static guint32
mac_bits (const LmccAddress *address)
{
  const guint8 *b = address->bytes;

  if (address->family == LMCC_FAMILY_IPV4)
    return (b[1] & 0x7fu) << 16 | b[2] << 8 | b[3];

  return (guint32) b[12] << 24 | b[13] << 16 | b[14] << 8 | b[15];
}

static gboolean
is_in_session (const LmccAddress *base, const LmccAddress *group)
{
  LmccAddress member;
  guint i;

  for (i = 0; i < LMCC_MAX_GROUPS; i++) {
    if (!lmcc_address_group (base, i, &member))
      break;
    if (lmcc_address_equal (&member, group))
      return TRUE;
  }

  return FALSE;
}

/* A group joined on this host that switches and network cards cannot tell from
 * one of the session's. */
static gboolean
find_mac_twin (const DoctorCase *c, gchar twin[LMCC_ADDRESS_STRLEN])
{
  g_autoptr (GArray) memberships =
      doctor_system_memberships (c->system, c->group.family);
  guint32 first = mac_bits (&c->group);
  guint i;

  for (i = 0; i < memberships->len; i++) {
    const LmccAddress *group =
        &g_array_index (memberships, DoctorMembership, i).group;

    if (mac_bits (group) - first < LMCC_MAX_GROUPS
        && !is_in_session (&c->group, group)) {
      lmcc_address_format (group, twin);
      return TRUE;
    }
  }

  return FALSE;
}

static gboolean
is_always_flooded (const LmccAddress *group)
{
  return group->family == LMCC_FAMILY_IPV4 && mac_bits (group) < 256;
}

void
doctor_check_address (DoctorCase *c)
{
  gchar text[LMCC_ADDRESS_STRLEN], twin[LMCC_ADDRESS_STRLEN];

  if (c->uri == NULL)
    return;

  lmcc_address_format (&c->group, text);
  if (!lmcc_address_is_multicast (&c->group)) {
    doctor_add (c, "address", DOCTOR_FAIL,
        g_strdup_printf (_ ("%s is not a multicast address"), text),
        g_strdup (_ ("take the sender's address property, in 239.255.0.0/16 or "
                     "ff15::/16")));
  } else if (is_always_flooded (&c->group)) {
    doctor_add (c, "address", DOCTOR_WARN,
        g_strdup_printf (
            _ ("%s maps to the Ethernet address of a 224.0.0.x group: "
               "switches send it to every port, and 224.0.0.x is never "
               "routed"),
            text),
        g_strdup_printf (_ ("send to another address, such as %s"),
            TOOL_DEFAULT_ADDRESS));
  } else if (lmcc_address_is_source_specific (&c->group)
      && c->uri->source.family == LMCC_FAMILY_NONE) {
    doctor_add (c, "address", DOCTOR_FAIL,
        g_strdup_printf (
            _ ("%s is source-specific, but the URI names no source: "
               "routers ignore this join (RFC 4607)"),
            text),
        g_strdup (_ ("write the sender before the group: "
                     "lmcc://SENDER@GROUP:PORT")));
  } else if (find_mac_twin (c, twin)) {
    doctor_add (c, "address", DOCTOR_WARN,
        g_strdup_printf (
            _ ("%s, joined on this host, has the same Ethernet address "
               "as a group of the session from %s on: packets of each "
               "arrive with those of the other"),
            twin, text),
        g_strdup (_ ("send to an address that differs in its last 23 bits")));
  } else {
    doctor_add (c, "address", DOCTOR_OK,
        g_strdup_printf (
            _ ("no other group on this host has the Ethernet address of "
               "%s"),
            text),
        NULL);
  }
}

static void
append_interface (GString *text, const DoctorInterface *iface)
{
  if (text->len > 0)
    g_string_append (text, ", ");
  g_string_append_printf (text, "%s (%s%s%s%s%s%s)", iface->name,
      iface->up ? "up" : "down",
      iface->up && !iface->carrier ? _ (", no link") : "",
      iface->loopback ? _ (", loopback") : "",
      iface->multicast ? _ (", multicast") : "",
      iface->wireless ? _ (", wireless") : "",
      iface->bridge ? _ (", bridge") : "");
}

static gboolean
is_usable (const DoctorInterface *iface)
{
  return iface->up && iface->carrier && iface->multicast && !iface->loopback;
}

static guint
count_usable (const DoctorSystem *system)
{
  guint n = 0, i;

  for (i = 0; i < system->interfaces->len; i++)
    n += is_usable (g_ptr_array_index (system->interfaces, i));

  return n;
}

void
doctor_check_interfaces (DoctorCase *c)
{
  g_autoptr (GString) list = g_string_new (NULL);
  gboolean any_up = FALSE;
  guint i;

  for (i = 0; i < c->system->interfaces->len; i++) {
    const DoctorInterface *iface = g_ptr_array_index (c->system->interfaces, i);

    append_interface (list, iface);
    any_up |= iface->up;
  }

  if (!any_up)
    doctor_add (c, "interfaces", DOCTOR_FAIL,
        list->len == 0
            ? g_strdup (_ ("there is no network interface"))
            : g_strdup_printf (_ ("no interface is up: %s"), list->str),
        g_strdup (
            _ ("ip link set lo up, or the interface towards the sender")));
  else if (count_usable (c->system) == 0)
    doctor_add (c, "interfaces", DOCTOR_WARN,
        g_strdup_printf (
            _ ("only senders on this host can be received: no interface "
               "except loopback is up with a link and multicast: %s"),
            list->str),
        g_strdup ("ip link set IFACE up multicast on"));
  else
    doctor_add (c, "interfaces", DOCTOR_OK, g_strdup (list->str), NULL);
}

static void
use_wanted_interface (DoctorCase *c, const gchar *wanted)
{
  g_autofree gchar *name = doctor_interface_of_address (wanted);

  c->iface = doctor_system_find_interface (c->system, name ? name : wanted);
  if (c->iface == NULL)
    doctor_add (c, "route", DOCTOR_FAIL,
        g_strdup_printf (_ ("there is no interface %s"), wanted),
        g_strdup (
            _ ("use an interface of the list above for multicast-iface")));
  else if (!c->iface->up)
    doctor_add (c, "route", DOCTOR_FAIL,
        g_strdup_printf (_ ("multicast-iface %s is down"), wanted),
        g_strdup_printf ("ip link set %s up", wanted));
  else if (c->iface->loopback && c->group.family == LMCC_FAMILY_IPV6)
    doctor_add (c, "route", DOCTOR_FAIL,
        g_strdup_printf (
            _ ("multicast-iface %s is the loopback interface, on which "
               "Linux has no IPv6 multicast"),
            wanted),
        g_strdup (_ ("use an IPv4 group, or another interface")));
  else if (!c->iface->multicast && !c->iface->loopback)
    doctor_add (c, "route", DOCTOR_FAIL,
        g_strdup_printf (_ ("multicast is switched off on multicast-iface %s"),
            wanted),
        g_strdup_printf ("ip link set %s multicast on", wanted));
  else
    doctor_add (c, "route", DOCTOR_OK,
        g_strdup_printf (_ ("groups are joined on %s, as requested"), wanted),
        NULL);
}

void
doctor_check_route (DoctorCase *c, const gchar *wanted_iface)
{
  g_autofree gchar *name = NULL;
  gchar text[LMCC_ADDRESS_STRLEN];

  if (wanted_iface != NULL) {
    use_wanted_interface (c, wanted_iface);
    return;
  }

  lmcc_address_format (&c->group, text);
  name = doctor_system_route (c->system, &c->group);
  c->iface = doctor_system_find_interface (c->system, name ? name : "lo");
  if (name == NULL) {
    gboolean ipv6 = c->group.family == LMCC_FAMILY_IPV6;

    doctor_add (c, "route", ipv6 ? DOCTOR_FAIL : DOCTOR_WARN,
        g_strdup_printf (_ ("no route leads to %s: %s"), text,
            ipv6
                ? _ ("IPv6 multicast cannot fall back to the loopback "
                     "interface")
                : _ ("the loopback interface is used, and only senders on this "
                     "host are received")),
        g_strdup_printf (
            _ ("name the interface towards the sender: "
               "multicast-iface=IFACE, or for all programs: ip route add "
               "%s dev IFACE"),
            ipv6 ? "ff00::/8" : "224.0.0.0/4"));
  } else if (c->iface != NULL && !c->iface->multicast && !c->iface->loopback) {
    doctor_add (c, "route", DOCTOR_FAIL,
        g_strdup_printf (
            _ ("%s is routed to %s, on which multicast is switched off"), text,
            name),
        g_strdup_printf (
            _ ("ip link set %s multicast on, or multicast-iface=IFACE"), name));
  } else if (count_usable (c->system) > 1) {
    doctor_add (c, "route", DOCTOR_WARN,
        g_strdup_printf (
            _ ("%s is joined on %s, as the route says, but the sender "
               "may be on another interface"),
            text, name),
        g_strdup (_ ("if it is, set multicast-iface=IFACE")));
  } else {
    doctor_add (c, "route", DOCTOR_OK,
        g_strdup_printf (_ ("%s is joined on %s"), text, name), NULL);
  }
}

static gboolean
has_wireless_port (const DoctorSystem *system, const gchar *bridge)
{
  guint i;

  for (i = 0; i < system->interfaces->len; i++) {
    const DoctorInterface *iface = g_ptr_array_index (system->interfaces, i);

    if (iface->wireless && g_strcmp0 (iface->master, bridge) == 0)
      return TRUE;
  }

  return FALSE;
}

void
doctor_check_wireless (DoctorCase *c)
{
  if (c->iface == NULL)
    return;

  if (c->iface->wireless || has_wireless_port (c->system, c->iface->name))
    doctor_add (c, "wireless", DOCTOR_WARN,
        g_strdup_printf (
            _ ("%s is wireless: access points send multicast once, at a "
               "low rate and without retransmission, so packet loss "
               "there does not mean congestion"),
            c->iface->name),
        g_strdup (_ ("use a cable, or switch on multicast-to-unicast "
                     "conversion in the access point (RFC 9119)")));
  else
    doctor_add (c, "wireless", DOCTOR_OK,
        g_strdup_printf (_ ("%s is not wireless"), c->iface->name), NULL);
}

/* Returns: (nullable) (transfer full): the router that the session's packets
 * pass, as far as the routes tell: that to the source, or to the group where no
 * source is named */
gchar *
doctor_find_router (const DoctorCase *c)
{
  gboolean has_source =
      c->uri != NULL && c->uri->source.family != LMCC_FAMILY_NONE;
  gchar text[LMCC_ADDRESS_STRLEN];
  LmccAddress gateway;

  if (!doctor_system_gateway (c->system,
          has_source ? &c->uri->source : &c->group, &gateway))
    return NULL;

  return g_strdup (lmcc_address_format (&gateway, text));
}

void
doctor_check_ttl (DoctorCase *c)
{
  g_autofree gchar *router = doctor_find_router (c);
  gchar source[LMCC_ADDRESS_STRLEN];

  if (c->uri != NULL && c->uri->source.family != LMCC_FAMILY_NONE
      && router != NULL)
    doctor_add (c, "ttl", DOCTOR_OK,
        g_strdup_printf (
            _ ("%s is behind the router %s: its packets arrive only with "
               "a TTL above 1, which is the default of senders"),
            lmcc_address_format (&c->uri->source, source), router),
        g_strdup (_ ("set the sender's ttl-mc to the number of routers + 1; "
                     "the routers need multicast routing (PIM)")));
  else
    doctor_add (c, "ttl", DOCTOR_OK,
        g_strdup (_ ("senders use TTL 1 by default: packets stay in their own "
                     "network segment")),
        g_strdup (_ ("to cross routers, set the sender's ttl-mc to their "
                     "number + 1; they need multicast routing (PIM)")));
}

/* The kernel uses the larger of the two (ip-sysctl). */
static gint64
read_conf (const DoctorCase *c, const gchar *name)
{
  gint64 all = 0, own = 0;

  doctor_system_read_number (c->system, &all, "proc/sys/net/ipv4/conf/all/%s",
      name);
  if (c->iface != NULL)
    doctor_system_read_number (c->system, &own, "proc/sys/net/ipv4/conf/%s/%s",
        c->iface->name, name);

  return MAX (all, own);
}

void
doctor_check_rp_filter (DoctorCase *c)
{
  gint64 filter = read_conf (c, "rp_filter");
  g_autofree gchar *back = NULL;
  gboolean has_source =
      c->uri != NULL && c->uri->source.family == LMCC_FAMILY_IPV4;

  if (c->group.family != LMCC_FAMILY_IPV4 || c->iface == NULL)
    return;

  if (has_source)
    back = doctor_system_route (c->system, &c->uri->source);

  if (filter == 0)
    doctor_add (c, "rp_filter", DOCTOR_OK,
        g_strdup (_ ("no packet is dropped because of its source address")),
        NULL);
  else if (has_source
      && (back == NULL || (filter == 1 && !g_str_equal (back, c->iface->name))))
    doctor_add (c, "rp_filter", DOCTOR_FAIL,
        g_strdup_printf (
            _ ("rp_filter is %d, and the route to the source is by %s, "
               "not by %s: its packets are dropped"),
            (gint) filter, back ? back : "nothing", c->iface->name),
        g_strdup_printf (
            _ ("sysctl -w net.ipv4.conf.all.rp_filter=0 "
               "net.ipv4.conf.%s.rp_filter=0, or add a route to the "
               "source"),
            c->iface->name));
  else if (filter == 1 && !has_source && count_usable (c->system) > 1)
    doctor_add (c, "rp_filter", DOCTOR_WARN,
        g_strdup_printf (
            _ ("rp_filter is 1: packets on %s are dropped unless the "
               "route to their source uses this interface"),
            c->iface->name),
        g_strdup_printf ("sysctl -w net.ipv4.conf.all.rp_filter=2 "
                         "net.ipv4.conf.%s.rp_filter=2",
            c->iface->name));
  else
    doctor_add (c, "rp_filter", DOCTOR_OK,
        g_strdup_printf (_ ("rp_filter is %d, which does no harm here"),
            (gint) filter),
        NULL);
}

void
doctor_check_igmp_version (DoctorCase *c)
{
  gboolean specific =
      c->uri != NULL && c->uri->source.family != LMCC_FAMILY_NONE;
  gint64 version = read_conf (c, "force_igmp_version");
  guint heard;

  if (c->group.family != LMCC_FAMILY_IPV4)
    return;

  heard = c->iface == NULL
      ? 0
      : doctor_system_igmp_version (c->system, c->iface->name);

  if (version == 1 || version == 2)
    doctor_add (c, "igmp-version", specific ? DOCTOR_FAIL : DOCTOR_WARN,
        g_strdup_printf (
            _ ("IGMPv%d is forced: source-specific joins do not work%s"),
            (gint) version,
            version == 1 ? _ (", and groups are never left") : ""),
        g_strdup_printf ("sysctl -w net.ipv4.conf.all.force_igmp_version=0 "
                         "net.ipv4.conf.%s.force_igmp_version=0",
            c->iface ? c->iface->name : "IFACE"));
  else if ((heard == 1 || heard == 2) && specific)
    doctor_add (c, "igmp-version", DOCTOR_WARN,
        g_strdup_printf (
            _ ("a querier on %s uses IGMPv%u, so this host does, too: "
               "its joins do not name the source, and the network may "
               "ignore them (RFC 4607)"),
            c->iface->name, heard),
        g_strdup (_ ("configure the querier (router or switch) for IGMPv3, or "
                     "use an any-source session: a group of 239.255.0.0/16, "
                     "and no source in the URI")));
  else if (heard == 1 || heard == 2)
    doctor_add (c, "igmp-version", DOCTOR_OK,
        g_strdup_printf (
            _ ("IGMPv%u is used, because a querier on %s uses it: this "
               "is enough for a session that names no source"),
            heard, c->iface->name),
        NULL);
  else
    doctor_add (c, "igmp-version", DOCTOR_OK,
        g_strdup (
            _ ("IGMPv3 is used unless a router requests an older version")),
        NULL);
}

/* lmccsrc joins one group on each socket, so the limit of 20 matters only to
 * other programs. */
void
doctor_check_memberships (DoctorCase *c)
{
  gint64 groups = 20, sources = 10;
  gboolean specific =
      c->uri != NULL && c->uri->source.family != LMCC_FAMILY_NONE;

  if (c->group.family != LMCC_FAMILY_IPV4)
    return;

  doctor_system_read_number (c->system, &groups,
      "proc/sys/net/ipv4/igmp_max_memberships");
  doctor_system_read_number (c->system, &sources,
      "proc/sys/net/ipv4/igmp_max_msf");
  if (groups < 1)
    doctor_add (c, "memberships", DOCTOR_FAIL,
        g_strdup_printf (_ ("a socket can join at most %d groups"),
            (gint) groups),
        g_strdup ("sysctl -w net.ipv4.igmp_max_memberships=20"));
  else if (specific && sources < 1)
    doctor_add (c, "memberships", DOCTOR_FAIL,
        g_strdup_printf (_ ("a socket can name at most %d sources"),
            (gint) sources),
        g_strdup ("sysctl -w net.ipv4.igmp_max_msf=10"));
  else
    doctor_add (c, "memberships", DOCTOR_OK,
        g_strdup_printf (
            _ ("a socket can join %d groups; lmccsrc has one socket for "
               "each group"),
            (gint) groups),
        NULL);
}

void
doctor_check_receive_buffer (DoctorCase *c)
{
  gint64 max, standard = 0;

  if (!doctor_system_read_number (c->system, &max,
          "proc/sys/net/core/rmem_max")) {
    doctor_add (c, "receive-buffer", DOCTOR_SKIP,
        g_strdup (_ ("net.core.rmem_max cannot be read")), NULL);
    return;
  }

  doctor_system_read_number (c->system, &standard,
      "proc/sys/net/core/rmem_default");
  if (max < RECEIVE_BUFFER_WANTED)
    doctor_add (c, "receive-buffer", DOCTOR_WARN,
        g_strdup_printf (
            _ ("a socket can buffer at most %.0f bytes (default %.0f): "
               "at a high rate this host drops packets itself"),
            (gdouble) max, (gdouble) standard),
        g_strdup_printf (
            _ ("sysctl -w net.core.rmem_max=%d, and set buffer-size of "
               "lmccsrc"),
            4 * RECEIVE_BUFFER_WANTED));
  else
    doctor_add (c, "receive-buffer", DOCTOR_OK,
        g_strdup_printf (_ ("a socket can buffer %.0f bytes (default %.0f)"),
            (gdouble) max, (gdouble) standard),
        NULL);
}

void
doctor_check_snooping (DoctorCase *c)
{
  g_autoptr (GString) bad = g_string_new (NULL);
  guint n_bridges = 0, i;

  for (i = 0; i < c->system->interfaces->len; i++) {
    const DoctorInterface *iface = g_ptr_array_index (c->system->interfaces, i);

    n_bridges += iface->bridge;
    if (iface->bridge && iface->up && iface->snooping && !iface->querier)
      g_string_append_printf (bad, "%s%s", bad->len ? ", " : "", iface->name);
  }

  if (bad->len > 0)
    doctor_add (c, "snooping", DOCTOR_WARN,
        g_strdup_printf (
            _ ("bridge %s snoops but has no querier: unless a router "
               "sends queries, it floods all groups or stops forwarding "
               "them after 260 s"),
            bad->str),
        g_strdup_printf (
            _ ("ip link set %s type bridge mcast_querier 1 on one bridge "
               "of the network"),
            bad->str));
  else if (n_bridges > 0)
    doctor_add (c, "snooping", DOCTOR_OK,
        g_strdup (
            _ ("the bridges of this host have a querier, or do not snoop")),
        NULL);
  else
    doctor_add (c, "snooping", DOCTOR_OK,
        g_strdup (_ ("this host has no bridge; a switch that snoops needs a "
                     "querier in the network nevertheless")),
        NULL);
}

/* lmccsrc binds its sockets to the group. A socket that does not share the port
 * blocks them if it is bound to the group or to any address. */
static void
check_port (DoctorCase *c, guint16 port)
{
  const LmccAddress any = { .family = c->uri->address.family };
  g_autoptr (GArray) users = doctor_system_port_users (c->system, port);
  gboolean live = doctor_system_is_live (c->system);

  if (live && doctor_port_is_taken (&c->group, port)) {
    const DoctorPortUser *user =
        users->len == 0 ? NULL : &g_array_index (users, DoctorPortUser, 0);

    doctor_add (c, "port", DOCTOR_FAIL,
        g_strdup_printf (
            _ ("UDP port %u is used by a program that does not share it "
               "(user %d)"),
            port, user ? (gint) user->uid : -1),
        g_strdup_printf (
            _ ("find it with ss -ulnp 'sport = :%u' and stop it, or send "
               "on another port"),
            port));
  } else if (live && doctor_port_is_taken (&any, port)) {
    doctor_add (c, "port", DOCTOR_OK,
        g_strdup_printf (
            _ ("UDP port %u is in use on an address of this host, for "
               "example by an lmccsink that takes reports; this does not "
               "keep the group's packets away"),
            port),
        NULL);
  } else if (users->len > 0) {
    doctor_add (c, "port", DOCTOR_OK,
        g_strdup_printf (
            _ ("UDP port %u can be shared with other sockets (%u)"), port,
            users->len),
        NULL);
  } else {
    doctor_add (c, "port", DOCTOR_OK,
        g_strdup_printf (_ ("UDP port %u is free"), port), NULL);
  }
}

static void
check_parity (DoctorCase *c)
{
  if (c->uri->port % 2 == 0)
    return;
  doctor_add (c, "port", DOCTOR_WARN,
      g_strdup_printf (
          _ ("UDP port %u is odd: RTP uses an even port, and RTCP the "
             "next one (RFC 3550 section 11); players may use %u and "
             "%u instead"),
          c->uri->port, c->uri->port - 1, c->uri->port),
      g_strdup (_ ("send on an even port")));
}

void
doctor_check_port (DoctorCase *c)
{
  if (c->uri == NULL)
    return;
  check_port (c, c->uri->port);
  check_port (c, c->uri->port + 1);
  check_parity (c);
}
