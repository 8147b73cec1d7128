/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "doctor.h"

#include <net/if.h>
#include <net/route.h>
#include <stdlib.h>
#include <string.h>

static void
interface_free (DoctorInterface *iface)
{
  g_free (iface->name);
  g_free (iface->master);
  g_free (iface);
}

static void
membership_clear (DoctorMembership *membership)
{
  g_free (membership->iface);
}

gboolean
doctor_system_is_live (const DoctorSystem *system)
{
  return g_str_equal (system->root, "/");
}

/* Returns: (nullable): the file's text without blanks around it */
gchar *
doctor_system_read (const DoctorSystem *system, const gchar *path)
{
  g_autofree gchar *full = g_build_filename (system->root, path, NULL);
  gchar *text;

  if (!g_file_get_contents (full, &text, NULL, NULL))
    return NULL;

  return g_strstrip (text);
}

gboolean
doctor_system_read_number (const DoctorSystem *system, gint64 *value,
    const gchar *path_format, ...)
{
  g_autofree gchar *path = NULL;
  g_autofree gchar *text = NULL;
  va_list args;

  va_start (args, path_format);
  path = g_strdup_vprintf (path_format, args);
  va_end (args);

  text = doctor_system_read (system, path);
  if (text == NULL || *text == '\0')
    return FALSE;
  *value = g_ascii_strtoll (text, NULL, 0);

  return TRUE;
}

static gboolean
system_has (const DoctorSystem *system, const gchar *iface, const gchar *entry)
{
  g_autofree gchar *path =
      g_build_filename (system->root, "sys/class/net", iface, entry, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static gchar *
read_master (const DoctorSystem *system, const gchar *iface)
{
  g_autofree gchar *path =
      g_build_filename (system->root, "sys/class/net", iface, "master", NULL);
  g_autofree gchar *target = g_file_read_link (path, NULL);

  return target != NULL ? g_path_get_basename (target) : NULL;
}

static DoctorInterface *
read_interface (const DoctorSystem *system, const gchar *name)
{
  g_autofree gchar *state_path =
      g_strdup_printf ("sys/class/net/%s/operstate", name);
  g_autofree gchar *state = NULL;
  gint64 flags, value;
  DoctorInterface *iface;

  if (!doctor_system_read_number (system, &flags, "sys/class/net/%s/flags",
          name))
    return NULL;

  state = doctor_system_read (system, state_path);
  iface = g_new0 (DoctorInterface, 1);
  iface->name = g_strdup (name);
  iface->up = (flags & IFF_UP) != 0;
  iface->carrier = state == NULL || g_str_equal (state, "up")
      || g_str_equal (state, "unknown");
  iface->loopback = (flags & IFF_LOOPBACK) != 0;
  iface->multicast = (flags & IFF_MULTICAST) != 0;
  iface->wireless = system_has (system, name, "wireless")
      || system_has (system, name, "phy80211");
  iface->master = read_master (system, name);
  iface->bridge = system_has (system, name, "bridge");
  iface->snooping = doctor_system_read_number (system, &value,
                        "sys/class/net/%s/bridge/multicast_snooping", name)
      && value != 0;
  iface->querier = doctor_system_read_number (system, &value,
                       "sys/class/net/%s/bridge/multicast_querier", name)
      && value != 0;

  return iface;
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  const DoctorInterface *const *first = a;
  const DoctorInterface *const *second = b;

  return g_strcmp0 ((*first)->name, (*second)->name);
}

DoctorSystem *
doctor_system_new (const gchar *root)
{
  DoctorSystem *system = g_new0 (DoctorSystem, 1);
  g_autofree gchar *path = g_build_filename (root, "sys/class/net", NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const gchar *name;

  system->root = g_strdup (root);
  system->interfaces =
      g_ptr_array_new_with_free_func ((GDestroyNotify) interface_free);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    DoctorInterface *iface = read_interface (system, name);

    if (iface != NULL)
      g_ptr_array_add (system->interfaces, iface);
  }
  g_ptr_array_sort (system->interfaces, compare_names);

  return system;
}

void
doctor_system_free (DoctorSystem *system)
{
  g_free (system->root);
  g_ptr_array_unref (system->interfaces);
  g_free (system);
}

const DoctorInterface *
doctor_system_find_interface (const DoctorSystem *system, const gchar *name)
{
  guint i;

  for (i = 0; i < system->interfaces->len; i++) {
    const DoctorInterface *iface = g_ptr_array_index (system->interfaces, i);

    if (g_str_equal (iface->name, name))
      return iface;
  }

  return NULL;
}

static gchar **
read_lines (const DoctorSystem *system, const gchar *path)
{
  g_autofree gchar *text = doctor_system_read (system, path);

  return g_strsplit (text != NULL ? text : "", "\n", -1);
}

/* The words of a line, separated by any number of blanks. */
static gchar **
split_words (const gchar *line)
{
  gchar **words = g_strsplit_set (line, " \t", -1);
  guint from, to = 0;

  for (from = 0; words[from] != NULL; from++) {
    if (*words[from] == '\0')
      g_free (words[from]);
    else
      words[to++] = words[from];
  }
  words[to] = NULL;

  return words;
}

/* /proc prints an IPv4 address as a number in host byte order. */
static guint32
parse_proc_ipv4 (const gchar *text)
{
  return strtoul (text, NULL, 16);
}

static gboolean
parse_proc_ipv6 (const gchar *text, guint8 bytes[16])
{
  guint i;

  if (strlen (text) != 32)
    return FALSE;
  for (i = 0; i < 16; i++)
    bytes[i] = g_ascii_xdigit_value (text[2 * i]) * 16
        + g_ascii_xdigit_value (text[2 * i + 1]);

  return TRUE;
}

typedef struct
{
  gchar *iface;
  LmccAddress gateway;
  guint prefix;
  guint metric;
} Route;

static void
route_clear (Route *route)
{
  g_free (route->iface);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Route, route_clear)

/* Finds the most specific route of the main table, and of equal ones the one
 * with the lower metric. */
static void
route_prefer (Route *best, const gchar *iface, const LmccAddress *gateway,
    guint prefix, guint metric)
{
  static const LmccAddress none = { LMCC_FAMILY_NONE };
  static const guint8 zero[16] = { 0 };

  if (best->iface != NULL
      && (prefix < best->prefix
          || (prefix == best->prefix && metric >= best->metric)))
    return;
  g_free (best->iface);
  best->iface = g_strdup (iface);
  best->gateway =
      memcmp (gateway->bytes, zero, sizeof (zero)) == 0 ? none : *gateway;
  best->prefix = prefix;
  best->metric = metric;
}

static void
route_ipv4 (const DoctorSystem *system, const LmccAddress *destination,
    Route *best)
{
  g_auto (GStrv) lines = read_lines (system, "proc/net/route");
  guint32 wanted;
  guint i;

  memcpy (&wanted, destination->bytes, sizeof (wanted));
  for (i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) words = split_words (lines[i]);
    LmccAddress gateway = { .family = LMCC_FAMILY_IPV4 };
    guint flags, metric;
    guint32 mask, next;

    if (i == 0 || g_strv_length (words) < 8)
      continue;
    next = parse_proc_ipv4 (words[2]);
    memcpy (gateway.bytes, &next, sizeof (next));
    flags = strtoul (words[3], NULL, 16);
    metric = strtoul (words[6], NULL, 10);
    mask = parse_proc_ipv4 (words[7]);
    if ((flags & RTF_UP) == 0 || (flags & RTF_REJECT) != 0
        || (wanted & mask) != parse_proc_ipv4 (words[1]))
      continue;
    route_prefer (best, words[0], &gateway, __builtin_popcount (mask), metric);
  }
}

static gboolean
prefix_matches (const guint8 *a, const guint8 *b, guint bits)
{
  guint bytes = bits / 8;

  if (memcmp (a, b, bytes) != 0)
    return FALSE;

  return bits % 8 == 0 || (a[bytes] ^ b[bytes]) >> (8 - bits % 8) == 0;
}

static void
route_ipv6 (const DoctorSystem *system, const LmccAddress *destination,
    Route *best)
{
  g_auto (GStrv) lines = read_lines (system, "proc/net/ipv6_route");
  guint i;

  for (i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) words = split_words (lines[i]);
    LmccAddress gateway = { .family = LMCC_FAMILY_IPV6 };
    guint8 network[16];
    guint flags, metric, prefix;

    if (g_strv_length (words) < 10 || !parse_proc_ipv6 (words[0], network)
        || !parse_proc_ipv6 (words[4], gateway.bytes))
      continue;
    prefix = MIN (strtoul (words[1], NULL, 16), 128);
    metric = strtoul (words[5], NULL, 16);
    flags = strtoul (words[8], NULL, 16);
    if ((flags & RTF_UP) == 0 || (flags & RTF_REJECT) != 0
        || g_str_equal (words[9], "lo")
        || !prefix_matches (network, destination->bytes, prefix))
      continue;
    route_prefer (best, words[9], &gateway, prefix, metric);
  }
}

static void
find_route (const DoctorSystem *system, const LmccAddress *destination,
    Route *best)
{
  if (destination->family == LMCC_FAMILY_IPV4)
    route_ipv4 (system, destination, best);
  else
    route_ipv6 (system, destination, best);
}

/* Returns: (nullable): the interface that the kernel would take */
gchar *
doctor_system_route (const DoctorSystem *system, const LmccAddress *destination)
{
  g_auto (Route) best = { 0 };

  find_route (system, destination, &best);

  return g_steal_pointer (&best.iface);
}

/* Returns: whether the kernel would send to a router, which is in @gateway */
gboolean
doctor_system_gateway (const DoctorSystem *system,
    const LmccAddress *destination, LmccAddress *gateway)
{
  g_auto (Route) best = { 0 };

  find_route (system, destination, &best);
  *gateway = best.gateway;

  return gateway->family != LMCC_FAMILY_NONE;
}

/* There is no blank before the colon after a long name. */
static const gchar *
cut_colon (gchar *name)
{
  return name ? g_strdelimit (name, ":", '\0') : NULL;
}

/* Returns: the version of IGMP that the queries heard on @iface have, 0 if it
 * is not known */
guint
doctor_system_igmp_version (const DoctorSystem *system, const gchar *iface)
{
  g_auto (GStrv) lines = read_lines (system, "proc/net/igmp");
  guint i;

  for (i = 1; lines[0] != NULL && lines[i] != NULL; i++) {
    g_auto (GStrv) words = split_words (lines[i]);
    guint n = g_strv_length (words);

    if (n < 4 || g_ascii_isspace (lines[i][0]))
      continue;
    if (g_str_equal (cut_colon (words[1]), iface) && words[n - 1][0] == 'V')
      return g_ascii_digit_value (words[n - 1][1]);
  }

  return 0;
}

static void
read_memberships_ipv4 (const DoctorSystem *system, GArray *memberships)
{
  g_auto (GStrv) lines = read_lines (system, "proc/net/igmp");
  g_autofree gchar *iface = NULL;
  guint i;

  for (i = 1; lines[0] != NULL && lines[i] != NULL; i++) {
    g_auto (GStrv) words = split_words (lines[i]);
    DoctorMembership membership = { 0 };
    guint32 group;

    if (words[0] == NULL)
      continue;
    if (!g_ascii_isspace (lines[i][0])) {
      g_free (iface);
      iface = g_strdup (cut_colon (words[1]));
      continue;
    }
    group = parse_proc_ipv4 (words[0]);
    membership.group.family = LMCC_FAMILY_IPV4;
    memcpy (membership.group.bytes, &group, sizeof (group));
    membership.iface = g_strdup (iface);
    g_array_append_val (memberships, membership);
  }
}

static void
read_memberships_ipv6 (const DoctorSystem *system, GArray *memberships)
{
  g_auto (GStrv) lines = read_lines (system, "proc/net/igmp6");
  guint i;

  for (i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) words = split_words (lines[i]);
    DoctorMembership membership = { 0 };

    if (g_strv_length (words) < 3
        || !parse_proc_ipv6 (words[2], membership.group.bytes))
      continue;
    membership.group.family = LMCC_FAMILY_IPV6;
    membership.iface = g_strdup (words[1]);
    g_array_append_val (memberships, membership);
  }
}

/* Returns: (element-type DoctorMembership): groups that this host has joined */
GArray *
doctor_system_memberships (const DoctorSystem *system, LmccFamily family)
{
  GArray *memberships = g_array_new (FALSE, FALSE, sizeof (DoctorMembership));

  g_array_set_clear_func (memberships, (GDestroyNotify) membership_clear);
  if (family == LMCC_FAMILY_IPV4)
    read_memberships_ipv4 (system, memberships);
  else
    read_memberships_ipv6 (system, memberships);

  return memberships;
}

static void
read_port_users (const DoctorSystem *system, const gchar *path, guint16 port,
    GArray *users)
{
  g_auto (GStrv) lines = read_lines (system, path);
  guint i;

  for (i = 1; lines[0] != NULL && lines[i] != NULL; i++) {
    g_auto (GStrv) words = split_words (lines[i]);
    DoctorPortUser user;
    const gchar *colon;

    if (g_strv_length (words) < 10)
      continue;
    colon = strchr (words[1], ':');
    if (colon == NULL || strtoul (colon + 1, NULL, 16) != port)
      continue;
    user.uid = strtoul (words[7], NULL, 10);
    user.inode = g_ascii_strtoull (words[9], NULL, 10);
    g_array_append_val (users, user);
  }
}

/* Returns: (element-type DoctorPortUser): UDP sockets on @port */
GArray *
doctor_system_port_users (const DoctorSystem *system, guint16 port)
{
  GArray *users = g_array_new (FALSE, FALSE, sizeof (DoctorPortUser));

  read_port_users (system, "proc/net/udp", port, users);
  read_port_users (system, "proc/net/udp6", port, users);

  return users;
}
