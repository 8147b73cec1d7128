/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_PATHS_H
#define GST_LMCC_PATHS_H

#include "common/socket.h"

G_BEGIN_DECLS

/* Less than the number of bits in a set of interfaces. */
#define GST_LMCC_MAX_PATHS 8

/**
 * GstLmccPath:
 * @wanted: (nullable): the name or address in `multicast-iface`
 * @iface: the interface as it was when it could last be used
 * @state: its current state
 * @unusable_since: time since when it cannot be used, of g_get_monotonic_time(), or 0
 * @told: whether a warning was posted
 * @next_warning: time of the next possible warning, of the same clock
 */
typedef struct
{
  gchar *wanted;
  GstLmccInterface iface;
  GstLmccInterfaceState state;
  gint64 unusable_since;
  gboolean told;
  gint64 next_warning;
} GstLmccPath;

/**
 * GstLmccPaths:
 * @list: the interfaces, in the order in `multicast-iface`
 * @n: their number; one if `multicast-iface` is unset
 *
 * The interfaces in `multicast-iface`. All zero: none.
 */
typedef struct
{
  GstLmccPath list[GST_LMCC_MAX_PATHS];
  guint n;
} GstLmccPaths;

gboolean gst_lmcc_paths_choose (GstLmccPaths *paths, const gchar *wanted,
    const LmccAddress *group, GError **error);
void gst_lmcc_paths_clear (GstLmccPaths *paths);
gboolean gst_lmcc_path_is_usable (const GstLmccPath *path);
guint gst_lmcc_paths_find_usable (const GstLmccPaths *paths);
gboolean gst_lmcc_path_follow (GstLmccPath *path, const LmccAddress *group);
gchar *gst_lmcc_paths_format (const GstLmccPaths *paths, gboolean all);
gchar *gst_lmcc_paths_describe_missing (const GstLmccPaths *paths);

GstLmccHostChange gst_lmcc_netlink_take (gint fd, const GstLmccPaths *paths,
    LmccFamily family, guint *lost);

G_END_DECLS

#endif
