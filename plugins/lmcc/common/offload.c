/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Finds out whether an interface accepts super-packets (UDP_SEGMENT, udp(7))
 * and does not drop them as a whole. Such a drop would lose many packets in a
 * row, which does not happen on networks that get single packets.
 */
#include "config.h"

#include "common/offload.h"

#include "common/qdisc.h"

#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Linux has about 60. */
#define MAX_FEATURES 1024

/* Queueing disciplines that Linux assigns by default. Others (tbf, htb, netem)
 * are there to delay or drop packets. */
static const gchar *const harmless[] = { "noqueue", "pfifo_fast", "mq",
  "fq_codel", "fq", NULL };

/* The device */

/* Name at the end of the link @what in the interface's directory in sysfs. */
static gchar *
read_link_name (const gchar *name, const gchar *what)
{
  g_autofree gchar *path =
      g_build_filename ("/sys/class/net", name, what, NULL);
  g_autofree gchar *target = g_file_read_link (path, NULL);

  return target ? g_path_get_basename (target) : NULL;
}

static gboolean
has_entry (const gchar *name, const gchar *what)
{
  g_autofree gchar *path =
      g_build_filename ("/sys/class/net", name, what, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* The directory in sysfs may belong to another network namespace. */
static gboolean
has_index (const GstLmccInterface *iface)
{
  g_autofree gchar *path =
      g_build_filename ("/sys/class/net", iface->name, "ifindex", NULL);
  g_autofree gchar *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL)
      && g_ascii_strtoull (text, NULL, 10) == iface->index;
}

/* Whether it is a wired network card. Virtual interfaces of the host (veth,
 * bridges, macvlan) or of its guests pass super-packets on, and wireless cards
 * have queues in the driver or the access point. */
static gboolean
is_wired_card (const GstLmccInterface *iface)
{
  static const gchar *const buses[] = { "pci", "usb", "platform", NULL };
  g_autofree gchar *bus = NULL, *driver = NULL;

  if (!has_index (iface) || has_entry (iface->name, "wireless")
      || has_entry (iface->name, "phy80211"))
    return FALSE;
  bus = read_link_name (iface->name, "device/subsystem");
  driver = read_link_name (iface->name, "device/driver");
  return bus && driver && g_strv_contains (buses, bus)
      && !g_str_equal (driver, "vmxnet3");
}

static gboolean
call_ethtool (gint fd, const gchar *name, gpointer command)
{
  struct ifreq request = { 0 };

  g_strlcpy (request.ifr_name, name, sizeof (request.ifr_name));
  request.ifr_data = command;
  return ioctl (fd, SIOCETHTOOL, &request) == 0;
}

static guint
count_features (gint fd, const gchar *name)
{
  g_autofree struct ethtool_sset_info *info =
      g_malloc0 (sizeof (*info) + sizeof (info->data[0]));

  info->cmd = ETHTOOL_GSSET_INFO;
  info->sset_mask = G_GUINT64_CONSTANT (1) << ETH_SS_FEATURES;
  return call_ethtool (fd, name, info) && info->sset_mask != 0
      ? MIN (info->data[0], MAX_FEATURES)
      : 0;
}

static gboolean
find_feature (gint fd, const gchar *name, guint n, const gchar *feature,
    guint *found)
{
  g_autofree struct ethtool_gstrings *strings =
      g_malloc0 (sizeof (*strings) + (gsize) n * ETH_GSTRING_LEN);

  strings->cmd = ETHTOOL_GSTRINGS;
  strings->string_set = ETH_SS_FEATURES;
  strings->len = n;
  if (!call_ethtool (fd, name, strings))
    return FALSE;
  for (*found = 0; *found < MIN (n, strings->len); (*found)++) {
    if (strncmp ((const gchar *) strings->data + *found * ETH_GSTRING_LEN,
            feature, ETH_GSTRING_LEN)
        == 0)
      return TRUE;
  }
  return FALSE;
}

static gboolean
has_active_feature (gint fd, const gchar *name, const gchar *feature)
{
  guint n = count_features (fd, name), i;
  guint n_blocks = (n + 31) / 32;
  g_autofree struct ethtool_gfeatures *features = g_malloc0 (
      sizeof (*features) + n_blocks * sizeof (features->features[0]));

  if (n == 0 || !find_feature (fd, name, n, feature, &i))
    return FALSE;
  features->cmd = ETHTOOL_GFEATURES;
  features->size = n_blocks;
  return call_ethtool (fd, name, features)
      && (features->features[i / 32].active & 1u << i % 32) != 0;
}

static gboolean
is_loopback (gint fd, const gchar *name)
{
  struct ifreq request = { 0 };

  g_strlcpy (request.ifr_name, name, sizeof (request.ifr_name));
  return ioctl (fd, SIOCGIFFLAGS, &request) == 0
      && (request.ifr_flags & IFF_LOOPBACK) != 0;
}

/**
 * gst_lmcc_interface_keeps_super_packets:
 * @iface: an interface
 *
 * Returns: whether no queue between a socket and the wire of @iface drops a
 * super-packet as a whole, except a full queue of the interface itself: it is
 * the loopback interface, or a network card that splits super-packets in
 * hardware; %FALSE if that is unknown
 */
gboolean
gst_lmcc_interface_keeps_super_packets (const GstLmccInterface *iface)
{
  GstLmccQdisc qdisc;
  gboolean keeps;
  gint fd;

  if (iface->index == 0 || iface->name[0] == '\0'
      || !gst_lmcc_qdisc_find (iface->index, &qdisc)
      || !g_strv_contains (harmless, qdisc.kind))
    return FALSE;
  fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    fd = socket (AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return FALSE;
  keeps = is_loopback (fd, iface->name)
      || (is_wired_card (iface)
          && has_active_feature (fd, iface->name, "tx-udp-segmentation"));
  close (fd);
  return keeps;
}
