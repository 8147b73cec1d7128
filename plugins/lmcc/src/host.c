/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * What becomes of the host while it receives: its addresses and links change,
 * and with them its memberships; groups that could not be joined are tried
 * again. All of it belongs to the I/O thread while that has the source,
 * else to the thread that changes the state.
 */
#include "config.h"

#include "src/private.h"

#include <string.h>

#define GST_CAT_DEFAULT gst_lmcc_src_debug

/* How often groups are tried again, and the host is looked at where the kernel
 * does not tell of changes. */
#define LOOK_INTERVAL G_TIME_SPAN_SECOND

/* A link that is away for less is not worth a word. */
#define OUTAGE (1 * G_TIME_SPAN_SECOND)
#define WARNING_INTERVAL (10 * G_TIME_SPAN_SECOND)

/**
 * gst_lmcc_src_may_warn:
 * @next: (inout): when the next warning of a kind may be posted; 0 at first
 *
 * Returns: whether one may be posted now
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
        ("%s. It is tried again.", error->message), (NULL));
}

/**
 * gst_lmcc_src_host_join:
 * @self: the source
 * @group: which, counted from the base
 *
 * Joins a group. Where that fails a warning says why, and it is tried again
 * until gst_lmcc_src_host_leave().
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
 * @group: which, counted from the base
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

/* Returns: whether the group is joined; otherwise it has to be tried again. */
static gboolean
join_again (GstLmccSrc *self, gint fd, const LmccAddress *group,
    const LmccAddress *source)
{
  g_autoptr (GError) error = NULL;

  if (fd < 0)
    return TRUE;
  gst_lmcc_socket_leave (fd, group, source, &self->iface, NULL);
  if (gst_lmcc_socket_join (fd, group, source, &self->iface, &error))
    return TRUE;
  GST_INFO_OBJECT (self, "not joined again: %s", error->message);
  if (gst_lmcc_src_may_warn (&self->host.next_join_warning))
    GST_ELEMENT_WARNING (self, RESOURCE, OPEN_READ,
        ("%s. It is tried again.", error->message), (NULL));
  return FALSE;
}

static gboolean
join_learning_again (GstLmccSrc *self)
{
  if (self->notice_fd >= 0)
    gst_lmcc_socket_set_interface (self->notice_fd, self->address.family,
        &self->iface);
  return join_again (self, self->learning_fd, &self->learning_address, NULL);
}

/* What the kernel forgets of an interface that was without an address, or a
 * switch of one that was without a link. The sockets stay, as others might not
 * be had, unless they are bound to an interface that there is no more. Returns
 * whether all is joined. */
static gboolean
join_all_again (GstLmccSrc *self, gboolean other_interface)
{
  gboolean joined = join_learning_again (self);
  guint group;

  GST_INFO_OBJECT (self, "groups are joined again on interface '%s'",
      self->iface.name);
  for (group = 0; group < LMCC_MAX_GROUPS; group++) {
    LmccAddress address;

    if (self->group_fds[group] < 0
        || !lmcc_address_group (&self->address, group, &address))
      continue;
    if (other_interface) {
      gst_lmcc_src_close_group (self, group);
      open_missing (self, group);
      continue;
    }
    joined = join_again (self, self->group_fds[group], &address, &self->source)
        && joined;
    if (group == 0)
      joined = join_again (self, self->control_fd, &address, &self->source)
          && joined;
  }
  return joined;
}

/* The interface */

static void
tell_address (GstLmccSrc *self, const LmccAddress *before)
{
  gchar from[LMCC_ADDRESS_STRLEN], to[LMCC_ADDRESS_STRLEN];
  g_autofree gchar *text = NULL;

  lmcc_address_format (before, from);
  lmcc_address_format (&self->iface.address, to);
  gst_element_post_message (GST_ELEMENT_CAST (self),
      gst_message_new_element (GST_OBJECT_CAST (self),
          gst_structure_new ("lmcc-address-changed", "interface", G_TYPE_STRING,
              self->iface.name, "from", G_TYPE_STRING, from, "to",
              G_TYPE_STRING, to, NULL)));
  /* gst-launch-1.0 shows only the debug text of an info message. */
  text = g_strdup_printf (
      "This host's address has changed from %s to %s on "
      "%s: groups are joined again, and reports come from the new one",
      from, to, self->iface.name);
  GST_ELEMENT_INFO (self, RESOURCE, SETTINGS, ("%s", text), ("%s", text));
}

static void
note_unusable (GstLmccSrc *self, GstLmccInterfaceState state, gint64 now)
{
  g_autofree gchar *text = NULL;

  self->host.memberships_lost = TRUE;
  if (self->host.unusable_since == 0)
    self->host.unusable_since = now;
  if (self->host.told || now - self->host.unusable_since < OUTAGE
      || !gst_lmcc_src_may_warn (&self->host.next_warning))
    return;
  self->host.told = TRUE;
  text = gst_lmcc_interface_describe (&self->iface, state);
  GST_ELEMENT_WARNING (self, RESOURCE, READ,
      ("No packets come: %s. Still waiting.", text), (NULL));
}

static void
note_usable (GstLmccSrc *self, gint64 now)
{
  g_autofree gchar *text = NULL;

  if (self->host.told) {
    text = g_strdup_printf ("The network interface %s is there again, after "
                            "%.1f s",
        self->iface.name,
        (gdouble) (now - self->host.unusable_since) / G_TIME_SPAN_SECOND);
    GST_ELEMENT_INFO (self, RESOURCE, READ, ("%s", text), ("%s", text));
  }
  self->host.told = FALSE;
  self->host.unusable_since = 0;
}

/* A socket that is connected goes on from an address that is no longer ours. */
static void
check_report_socket (GstLmccSrc *self)
{
  LmccAddress local;

  if (self->report_fd >= 0
      && gst_lmcc_socket_get_local (self->report_fd, &local)
      && !gst_lmcc_host_has_address (&local))
    gst_lmcc_src_close_report (self);
}

static void
look_at_interface (GstLmccSrc *self, gint64 now)
{
  GstLmccInterface before = self->iface;
  GstLmccInterfaceState state;
  gboolean other, moved;

  state = gst_lmcc_interface_follow (self->host.wanted, &self->address,
      &self->iface);
  if (state == GST_LMCC_INTERFACE_UNKNOWN) {
    if (self->host.memberships_lost)
      self->host.memberships_lost = !join_all_again (self, FALSE);
    return;
  }
  if (state != GST_LMCC_INTERFACE_USABLE) {
    self->iface = before;
    note_unusable (self, state, now);
    return;
  }
  note_usable (self, now);
  other = before.index != self->iface.index;
  moved = !lmcc_address_equal (&before.address, &self->iface.address);
  if (other || moved || self->host.memberships_lost)
    self->host.memberships_lost = !join_all_again (self, other);
  check_report_socket (self);
  if (moved)
    tell_address (self, &before.address);
}

/**
 * gst_lmcc_src_host_look:
 * @self: the source
 *
 * Follows what has happened to the host. Costs next to nothing where nothing
 * has.
 */
void
gst_lmcc_src_host_look (GstLmccSrc *self)
{
  gint64 now = g_get_monotonic_time ();
  GstLmccHostChange change = GST_LMCC_HOST_UNCHANGED;

  if (self->host.readable)
    change = gst_lmcc_netlink_take (self->host.netlink_fd, self->iface.index,
        self->address.family);
  self->host.readable = FALSE;
  if (change == GST_LMCC_HOST_LOST)
    self->host.memberships_lost = TRUE;
  if (change == GST_LMCC_HOST_UNCHANGED && now < self->host.next_look)
    return;
  self->host.next_look = now + LOOK_INTERVAL;
  look_at_interface (self, now);
  open_all_missing (self);
}

/**
 * gst_lmcc_src_host_open:
 * @self: the source, its interface chosen
 * @wanted: (nullable): what was asked for
 */
void
gst_lmcc_src_host_open (GstLmccSrc *self, const gchar *wanted)
{
  memset (&self->host, 0, sizeof (self->host));
  self->host.wanted = g_strdup (wanted);
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
  g_clear_pointer (&self->host.wanted, g_free);
}
