/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The interfaces in `multicast-iface`: one, or several separated by commas. */
#include "config.h"

#include "common/paths.h"

#include <plugins/common/messages.h>

#include <string.h>

/* RFC 4291 section 2.7: interface-local and link-local groups. */
#define SCOPE_LINK 2

static gboolean
names_something (const gchar *wanted)
{
  return wanted && wanted[0] != '\0';
}

static const gchar *
get_name (const GstLmccPath *path)
{
  if (path->iface.name[0] != '\0')
    return path->iface.name;
  return path->wanted ? path->wanted : "";
}

/* An interface that cannot be used now may appear later;
 * gst_lmcc_paths_describe_missing() reports it. */
static void
note_missing (GstLmccPath *path, LmccFamily family)
{
  LmccAddress address;

  memset (&path->iface, 0, sizeof (path->iface));
  path->iface.address.family = family;
  if (!lmcc_address_parse (path->wanted, &address))
    g_strlcpy (path->iface.name, path->wanted, sizeof (path->iface.name));
  path->state = GST_LMCC_INTERFACE_GONE;
  path->unusable_since = g_get_monotonic_time ();
  path->told = TRUE;
  gst_lmcc_path_follow (path, &path->iface.address);
}

/* The same interface by name and by address counts once. */
static gboolean
is_there (const GstLmccPaths *paths, const GstLmccPath *path)
{
  guint i;

  for (i = 0; i < paths->n; i++) {
    const GstLmccPath *other = &paths->list[i];

    if (g_strcmp0 (other->wanted, path->wanted) == 0
        || (path->iface.index != 0 && other->iface.index == path->iface.index))
      return TRUE;
  }
  return FALSE;
}

static gboolean
add (GstLmccPaths *paths, const gchar *wanted, const LmccAddress *group,
    GError **error)
{
  GstLmccPath path = { 0 };
  g_autoptr (GError) reason = NULL;

  path.wanted = g_strdup (wanted);
  if (!gst_lmcc_interface_choose (wanted, group, &path.iface, &reason)) {
    if (names_something (wanted))
      note_missing (&path, group->family);
    if (error && *error == NULL)
      g_propagate_error (error, g_steal_pointer (&reason));
  }
  if (is_there (paths, &path)) {
    g_free (path.wanted);
    return TRUE;
  }
  if (paths->n == GST_LMCC_MAX_PATHS) {
    g_free (path.wanted);
    return FALSE;
  }
  paths->list[paths->n++] = path;
  return TRUE;
}

static gboolean
add_all (GstLmccPaths *paths, const gchar *wanted, const LmccAddress *group,
    GError **error)
{
  g_auto (GStrv) names = g_strsplit (wanted ? wanted : "", ",", -1);
  guint i;

  for (i = 0; names[i]; i++) {
    g_strstrip (names[i]);
    if (names_something (names[i]) && !add (paths, names[i], group, error))
      return FALSE;
  }
  return paths->n > 0 || add (paths, NULL, group, error);
}

static gboolean
is_of_one_link (const LmccAddress *group)
{
  return group->family == LMCC_FAMILY_IPV6
      && (group->bytes[1] & 15) <= SCOPE_LINK;
}

/**
 * gst_lmcc_paths_choose:
 * @paths: (inout): zeroed; must be cleared, also after an error
 * @wanted: (nullable): names or addresses of interfaces, separated by commas;
 *     %NULL or empty for the interface of the route to @group
 * @group: the group to send to or to join
 * @error: (not nullable): set if no interface can be used, or if several are
 *     not allowed
 *
 * Returns: whether at least one can be used
 */
gboolean
gst_lmcc_paths_choose (GstLmccPaths *paths, const gchar *wanted,
    const LmccAddress *group, GError **error)
{
  if (!add_all (paths, wanted, group, error)) {
    g_clear_error (error);
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        _ ("multicast-iface '%s' has more than %d interfaces: name fewer"),
        wanted, GST_LMCC_MAX_PATHS);
    return FALSE;
  }
  if (paths->n > 1 && is_of_one_link (group)) {
    g_clear_error (error);
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        _ ("multicast-iface '%s' has several interfaces, but a link-local "
           "group (ff02::/16) is a different group on each: name one "
           "interface, or use a group with a larger scope, such as ff15::42:1"),
        wanted);
    return FALSE;
  }
  if (gst_lmcc_paths_find_usable (paths) == paths->n)
    return FALSE;
  g_clear_error (error);
  return TRUE;
}

/**
 * gst_lmcc_paths_clear:
 * @paths: interfaces; zeroed
 */
void
gst_lmcc_paths_clear (GstLmccPaths *paths)
{
  guint i;

  for (i = 0; i < paths->n; i++)
    g_free (paths->list[i].wanted);
  memset (paths, 0, sizeof (*paths));
}

/**
 * gst_lmcc_path_is_usable:
 * @path: an interface
 *
 * Returns: whether it has no known problem
 */
gboolean
gst_lmcc_path_is_usable (const GstLmccPath *path)
{
  return path->state == GST_LMCC_INTERFACE_USABLE
      || path->state == GST_LMCC_INTERFACE_UNKNOWN;
}

/**
 * gst_lmcc_paths_find_usable:
 * @paths: interfaces
 *
 * Returns: index of the first usable one, or the number of interfaces if there
 * is none
 */
guint
gst_lmcc_paths_find_usable (const GstLmccPaths *paths)
{
  guint i;

  for (i = 0; i < paths->n && !gst_lmcc_path_is_usable (&paths->list[i]); i++)
    ;
  return i;
}

/**
 * gst_lmcc_path_follow:
 * @path: (inout): an interface; gets the one to use from now on
 * @group: as for gst_lmcc_paths_choose()
 *
 * Looks up the interface again, see gst_lmcc_interface_follow().
 *
 * Returns: whether it can be used; otherwise the interface stays unchanged
 */
gboolean
gst_lmcc_path_follow (GstLmccPath *path, const LmccAddress *group)
{
  GstLmccInterface iface = path->iface;

  if (iface.name[0] == '\0' && names_something (path->wanted))
    path->state = gst_lmcc_interface_choose (path->wanted, group, &iface, NULL)
        ? GST_LMCC_INTERFACE_USABLE
        : GST_LMCC_INTERFACE_GONE;
  else
    path->state = gst_lmcc_interface_follow (path->wanted, group, &iface);
  if (path->state != GST_LMCC_INTERFACE_USABLE)
    return FALSE;
  path->iface = iface;
  return TRUE;
}

/**
 * gst_lmcc_paths_format:
 * @paths: interfaces
 * @all: whether to include those that cannot be used
 *
 * Returns: (transfer full): their names, for a message
 */
gchar *
gst_lmcc_paths_format (const GstLmccPaths *paths, gboolean all)
{
  GString *text = g_string_new (NULL);
  guint i;

  for (i = 0; i < paths->n; i++) {
    if (all || gst_lmcc_path_is_usable (&paths->list[i]))
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "",
          get_name (&paths->list[i]));
  }
  return g_string_free (text, FALSE);
}

/**
 * gst_lmcc_paths_describe_missing:
 * @paths: interfaces, at least one of which can be used
 *
 * Returns: (transfer full) (nullable): a message about those that cannot be
 * used; %NULL if all can
 */
gchar *
gst_lmcc_paths_describe_missing (const GstLmccPaths *paths)
{
  g_autoptr (GString) names = g_string_new (NULL);
  g_autofree gchar *list = NULL;
  guint i;

  for (i = 0; i < paths->n; i++) {
    if (!gst_lmcc_path_is_usable (&paths->list[i]))
      g_string_append_printf (names, "%s'%s'", names->len > 0 ? ", " : "",
          get_name (&paths->list[i]));
  }
  if (names->len == 0)
    return NULL;
  list = gst_lmcc_interface_list ();
  return g_strdup_printf (
      _ ("These interfaces of multicast-iface cannot be used now: %s. They do "
         "not exist, are not up, or have no address of the group's family. The "
         "others continue without them; they are used as soon as possible. "
         "Interfaces: %s"),
      names->str, list);
}
