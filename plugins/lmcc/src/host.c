/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Follows changes of the host's addresses and links during reception, renews
 * the group memberships, and retries failed joins. All of it belongs to the I/O
 * thread while that owns the source, otherwise to the thread that changes the
 * state.
 */
#include "config.h"

#include "src/private.h"

#include <plugins/common/messages.h>

#include <string.h>

#define GST_CAT_DEFAULT gst_lmcc_src_debug

/* Interval of retries, and of looking at the host if the kernel does not report
 * changes. */
#define LOOK_INTERVAL G_TIME_SPAN_SECOND

/* Shorter outages of a link are not reported. */
#define OUTAGE (1 * G_TIME_SPAN_SECOND)
#define WARNING_INTERVAL (10 * G_TIME_SPAN_SECOND)

/**
 * gst_lmcc_src_may_warn:
 * @next: (inout): time of the next possible warning of this kind; 0 at first
 *
 * Returns: whether a warning may be posted now
 */
gboolean
gst_lmcc_src_may_warn (gint64 *next)
{
  gint64 now = g_get_monotonic_time ();

  if (now < *next)
    return FALSE;
  *next = now + WARNING_INTERVAL;
  return TRUE;
}

/* Groups */

/**
 * gst_lmcc_src_host_join_socket:
 * @self: the source
 * @fd: from gst_lmcc_socket_open_receive()
 * @group: its group
 * @source: (nullable): as for gst_lmcc_socket_join()
 * @error: (nullable): cause and remedy, if it is joined on no interface
 *
 * Joins the group on each of the interfaces, and later on those that cannot be
 * used now.
 *
 * Returns: whether it is joined on at least one interface
 */
gboolean
gst_lmcc_src_host_join_socket (GstLmccSrc *self, gint fd,
    const LmccAddress *group, const LmccAddress *source, GError **error)
{
  g_autoptr (GError) first = NULL;
  guint i, joined = 0;

  for (i = 0; i < self->paths.n; i++) {
    const GstLmccPath *path = &self->paths.list[i];

    if (self->paths.n > 1 && !gst_lmcc_path_is_usable (path))
      continue;
    if (gst_lmcc_socket_join (fd, group, source, &path->iface,
            first ? NULL : &first))
      joined++;
    else if (self->paths.n > 1)
      self->host.lost |= 1u << i;
  }
  if (joined > 0)
    return TRUE;
  if (first)
    g_propagate_error (error, g_steal_pointer (&first));
  else
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NETWORK_UNREACHABLE,
        _ ("No interface of multicast-iface can be used now"));
  return FALSE;
}

static void
open_missing (GstLmccSrc *self, guint group)
{
  g_autoptr (GError) error = NULL;

  if (!g_atomic_int_get (&self->running))
    return;
  self->host.missing[group] = !gst_lmcc_src_open_group (self, group, &error);
  if (!self->host.missing[group])
    return;
  GST_INFO_OBJECT (self, "group %u is not joined: %s", group, error->message);
  if (gst_lmcc_src_may_warn (&self->host.next_join_warning))
    GST_ELEMENT_WARNING (self, RESOURCE, OPEN_READ,
        (_ ("%s. Trying again."), error->message), (NULL));
}

/**
 * gst_lmcc_src_host_join:
 * @self: the source
 * @group: index of the group, 0 is the base
 *
 * Joins a group. If that fails, a warning gives the reason, and the join is
 * retried until gst_lmcc_src_host_leave().
 */
void
gst_lmcc_src_host_join (GstLmccSrc *self, guint group)
{
  if (group < LMCC_MAX_GROUPS)
    open_missing (self, group);
}

/**
 * gst_lmcc_src_host_leave:
 * @self: the source
 * @group: index of the group, 0 is the base
 */
void
gst_lmcc_src_host_leave (GstLmccSrc *self, guint group)
{
  if (group >= LMCC_MAX_GROUPS)
    return;
  self->host.missing[group] = FALSE;
  gst_lmcc_src_close_group (self, group);
}

static void
open_all_missing (GstLmccSrc *self)
{
  guint group;

  for (group = 0; group < LMCC_MAX_GROUPS; group++) {
    if (self->host.missing[group])
      open_missing (self, group);
  }
}

/* Returns: whether the group is joined; otherwise the join must be retried */
static gboolean
join_again (GstLmccSrc *self, guint which, gint fd, const LmccAddress *group,
    const LmccAddress *source)
{
  const GstLmccInterface *iface = &self->paths.list[which].iface;
  g_autoptr (GError) error = NULL;

  if (fd < 0)
    return TRUE;
  gst_lmcc_socket_leave (fd, group, source, iface, NULL);
  if (gst_lmcc_socket_join (fd, group, source, iface, &error))
    return TRUE;
  GST_INFO_OBJECT (self, "not joined again: %s", error->message);
  if (gst_lmcc_src_may_warn (&self->host.next_join_warning))
    GST_ELEMENT_WARNING (self, RESOURCE, OPEN_READ,
        (_ ("%s. Trying again."), error->message), (NULL));
  return FALSE;
}

static gboolean
join_group_again (GstLmccSrc *self, guint which, guint group)
{
  LmccAddress address;
  gboolean joined;

  if (self->group_fds[group] < 0
      || !lmcc_address_group (&self->address, group, &address))
    return TRUE;
  joined =
      join_again (self, which, self->group_fds[group], &address, &self->source);
  if (group == 0)
    joined = join_again (self, which, self->control_fd, &address, &self->source)
        && joined;
  return joined;
}

/* Opens all sockets again. Sockets of a link-local group are bound to an
 * interface. */
static void
open_all_anew (GstLmccSrc *self)
{
  guint group;

  for (group = 0; group < LMCC_MAX_GROUPS; group++) {
    if (self->group_fds[group] < 0)
      continue;
    gst_lmcc_src_close_group (self, group);
    open_missing (self, group);
  }
}

/* Renews memberships that the kernel has forgotten because the interface had no
 * address, or a switch because it had no link. The sockets are kept, because
 * new ones might not be available, unless they are bound to an interface that
 * no longer exists. */
static void
join_all_again (GstLmccSrc *self, guint which, gboolean other_interface)
{
  gboolean joined = join_again (self, which, self->learning_fd,
      &self->learning_address, NULL);
  guint group;

  GST_INFO_OBJECT (self, "groups are joined again on interface '%s'",
      self->paths.list[which].iface.name);
  if (other_interface && self->paths.n == 1)
    open_all_anew (self);
  else
    for (group = 0; group < LMCC_MAX_GROUPS; group++)
      joined = join_group_again (self, which, group) && joined;
  if (joined)
    self->host.lost &= ~(1u << which);
}

/* The interfaces */

static void
tell_address (GstLmccSrc *self, const LmccAddress *before,
    const GstLmccInterface *iface)
{
  gchar from[LMCC_ADDRESS_STRLEN], to[LMCC_ADDRESS_STRLEN];
  g_autofree gchar *text = NULL;

  lmcc_address_format (before, from);
  lmcc_address_format (&iface->address, to);
  gst_element_post_message (GST_ELEMENT_CAST (self),
      gst_message_new_element (GST_OBJECT_CAST (self),
          gst_structure_new ("lmcc-address-changed", "interface", G_TYPE_STRING,
              iface->name, "from", G_TYPE_STRING, from, "to", G_TYPE_STRING, to,
              NULL)));
  /* gst-launch-1.0 shows only the debug text of an info message. */
  text = g_strdup_printf (
      _ ("This host's address has changed from %s to %s on %s: joining the "
         "groups again, and sending reports from the new address"),
      from, to, iface->name);
  GST_ELEMENT_INFO (self, RESOURCE, SETTINGS, ("%s", text), ("%s", text));
}

static void
warn_unusable (GstLmccSrc *self, const GstLmccPath *path)
{
  g_autofree gchar *others = gst_lmcc_paths_format (&self->paths, FALSE);
  g_autofree gchar *text =
      gst_lmcc_interface_describe (&path->iface, path->state);

  if (others[0] == '\0')
    GST_ELEMENT_WARNING (self, RESOURCE, READ,
        (_ ("Cannot receive packets: %s. Still waiting."), text), (NULL));
  else
    GST_ELEMENT_WARNING (self, RESOURCE, READ,
        (_ ("Packets are received on %s only: %s. Groups are joined on it "
            "again as soon as possible."),
            others, text),
        (NULL));
}

static void
note_unusable (GstLmccSrc *self, GstLmccPath *path, gint64 now)
{
  if (path->unusable_since == 0)
    path->unusable_since = now;
  if (path->told || now - path->unusable_since < OUTAGE
      || !gst_lmcc_src_may_warn (&path->next_warning))
    return;
  path->told = TRUE;
  warn_unusable (self, path);
}

static void
note_usable (GstLmccSrc *self, GstLmccPath *path, gint64 now)
{
  g_autofree gchar *text = NULL;

  if (path->told) {
    text = g_strdup_printf (
        _ ("The network interface %s works again after %.1f s"),
        path->iface.name,
        (gdouble) (now - path->unusable_since) / G_TIME_SPAN_SECOND);
    GST_ELEMENT_INFO (self, RESOURCE, READ, ("%s", text), ("%s", text));
  }
  path->told = FALSE;
  path->unusable_since = 0;
}

/* A connected socket keeps sending from an address that the host no longer
 * has. */
static void
check_report_socket (GstLmccSrc *self)
{
  LmccAddress local;

  if (self->report_fd >= 0
      && gst_lmcc_socket_get_local (self->report_fd, &local)
      && !gst_lmcc_host_has_address (&local))
    gst_lmcc_src_close_report (self);
}

/* The source sends on the first usable interface. */
static void
follow_first (GstLmccSrc *self)
{
  guint first = gst_lmcc_paths_find_usable (&self->paths);

  if (first == self->paths.n)
    return;
  self->iface = self->paths.list[first].iface;
  if (self->notice_fd >= 0)
    gst_lmcc_socket_set_interface (self->notice_fd, self->address.family,
        &self->iface);
}

static void
look_at_path (GstLmccSrc *self, guint which, gint64 now)
{
  GstLmccPath *path = &self->paths.list[which];
  GstLmccInterface before = path->iface;
  gboolean usable, other, moved;
  gboolean lost = (self->host.lost & 1u << which) != 0;

  usable = gst_lmcc_path_follow (path, &self->address);
  follow_first (self);
  if (!usable) {
    if (path->state != GST_LMCC_INTERFACE_UNKNOWN) {
      self->host.lost |= 1u << which;
      note_unusable (self, path, now);
    } else if (lost) {
      join_all_again (self, which, FALSE);
    }
    return;
  }
  note_usable (self, path, now);
  other = before.index != path->iface.index;
  moved = !lmcc_address_equal (&before.address, &path->iface.address);
  if (other || moved)
    self->host.lost |= 1u << which;
  if (other || moved || lost)
    join_all_again (self, which, other);
  if (moved && before.index != 0)
    tell_address (self, &before.address, &path->iface);
}

/* A message handler may close the source, which then has no interfaces. */
static void
look_at_interfaces (GstLmccSrc *self, gint64 now)
{
  guint i;

  for (i = 0; i < self->paths.n; i++)
    look_at_path (self, i, now);
  check_report_socket (self);
}

/**
 * gst_lmcc_src_host_look:
 * @self: the source
 *
 * Follows changes of the host. Cheap if there are none.
 */
void
gst_lmcc_src_host_look (GstLmccSrc *self)
{
  gint64 now = g_get_monotonic_time ();
  GstLmccHostChange change = GST_LMCC_HOST_UNCHANGED;

  if (self->host.readable)
    change = gst_lmcc_netlink_take (self->host.netlink_fd, &self->paths,
        self->address.family, &self->host.lost);
  self->host.readable = FALSE;
  if (change == GST_LMCC_HOST_UNCHANGED && now < self->host.next_look)
    return;
  self->host.next_look = now + LOOK_INTERVAL;
  look_at_interfaces (self, now);
  open_all_missing (self);
}

/**
 * gst_lmcc_src_host_open:
 * @self: the source with its interfaces chosen
 */
void
gst_lmcc_src_host_open (GstLmccSrc *self)
{
  memset (&self->host, 0, sizeof (self->host));
  self->host.netlink_fd = gst_lmcc_netlink_open ();
  if (self->host.netlink_fd >= 0
      && !gst_lmcc_io_add (self->io, self->host.netlink_fd,
          GST_LMCC_SRC_TAG_HOST, NULL))
    gst_lmcc_socket_close (&self->host.netlink_fd);
}

/**
 * gst_lmcc_src_host_close:
 * @self: the source
 */
void
gst_lmcc_src_host_close (GstLmccSrc *self)
{
  gst_lmcc_src_close_fd (self, &self->host.netlink_fd);
}
