/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Several interfaces: each packet is sent on each of them, with one socket per
 * interface. All sockets use the same source address, so that a receiver that
 * hears two interfaces sees one sender. All of it belongs to the I/O thread
 * while the core is attached, otherwise to the state changes.
 */
#include "config.h"

#include "sink/core.h"

#include <plugins/common/messages.h>

#include <string.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/* A shorter outage is only a route change. */
#define OUTAGE (1 * G_TIME_SPAN_SECOND)
#define WARNING_INTERVAL (10 * G_TIME_SPAN_SECOND)

/* RFC 4291 section 2.5.6: fe80::/10. */
static gboolean
is_link_local (const LmccAddress *address)
{
  return address->family == LMCC_FAMILY_IPV6 && address->bytes[0] == 0xfe
      && (address->bytes[1] & 0xc0) == 0x80;
}

/* 127.0.0.0/8 and ::1. */
static gboolean
is_loopback (const LmccAddress *address)
{
  static const guint8 v6[16] = { [15] = 1 };

  if (address->family == LMCC_FAMILY_IPV6)
    return memcmp (address->bytes, v6, sizeof (v6)) == 0;
  return address->bytes[0] == 127;
}

/**
 * gst_lmcc_sink_paths_choose_main:
 * @core: the core with at least one usable interface
 *
 * Chooses the first usable interface as the main one, but not the loopback
 * interface, whose address does not work on the others.
 */
void
gst_lmcc_sink_paths_choose_main (GstLmccSinkCore *core)
{
  guint i;

  core->main = gst_lmcc_paths_find_usable (&core->paths);
  for (i = 0; i < core->paths.n; i++) {
    const GstLmccPath *path = &core->paths.list[i];

    if (!gst_lmcc_path_is_usable (path) || is_loopback (&path->iface.address))
      continue;
    core->main = i;
    return;
  }
}

/**
 * gst_lmcc_sink_paths_check:
 * @core: the core with its interfaces and source address
 * @error: cause and remedy
 *
 * Returns: whether packets can be sent on all interfaces
 */
gboolean
gst_lmcc_sink_paths_check (GstLmccSinkCore *core, GError **error)
{
  gchar text[LMCC_ADDRESS_STRLEN];

  if (core->paths.n < 2 || !is_link_local (&core->place.source))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      _ ("Packets come from the same address on all interfaces, but the "
         "address %s of %s is link-local. Give %s an address with a larger "
         "scope, set bind-address to an address of this host, or name one "
         "interface in multicast-iface"),
      lmcc_address_format (&core->place.source, text), core->place.iface.name,
      core->place.iface.name);
  return FALSE;
}

/**
 * gst_lmcc_sink_paths_warn:
 * @core: the open core
 *
 * Warns about interfaces that cannot be used now, and about limits of several
 * interfaces.
 */
void
gst_lmcc_sink_paths_warn (GstLmccSinkCore *core)
{
  g_autofree gchar *missing = gst_lmcc_paths_describe_missing (&core->paths);
  gchar text[LMCC_ADDRESS_STRLEN];

  if (missing)
    GST_ELEMENT_WARNING (core, RESOURCE, SETTINGS, ("%s", missing), (NULL));
  if (core->paths.n < 2 || core->settings.properties.ttl_mc < 2)
    return;
  lmcc_address_format (&core->place.source, text);
  GST_ELEMENT_WARNING (core, RESOURCE, SETTINGS,
      (_ ("Packets come from %s on all interfaces, and ttl-mc is %d: routers "
          "forward them only if their own route to that address leads back to "
          "the network that packets arrive from (reverse path forwarding). If "
          "they do not forward them, run one sender for each interface."),
          text, core->settings.properties.ttl_mc),
      (NULL));
}

/* Checks */

static gboolean
is_same (const GstLmccInterface *a, const GstLmccInterface *b)
{
  return a->index == b->index && lmcc_address_equal (&a->address, &b->address);
}

static gboolean
follow (GstLmccSinkCore *core, GstLmccPath *path)
{
  GstLmccInterface before = path->iface;
  gboolean usable = gst_lmcc_path_is_usable (path);

  gst_lmcc_path_follow (path, &core->settings.address);
  return gst_lmcc_path_is_usable (path) != usable
      || !is_same (&before, &path->iface);
}

/**
 * gst_lmcc_sink_paths_follow:
 * @core: the core
 *
 * Looks up the interfaces again. If the interface with the source address is
 * gone, the next usable one becomes the main one.
 *
 * Returns: whether the sockets of additional interfaces must be opened again
 */
gboolean
gst_lmcc_sink_paths_follow (GstLmccSinkCore *core)
{
  gboolean changed = FALSE;
  guint i;

  for (i = 0; i < core->paths.n; i++)
    changed = follow (core, &core->paths.list[i]) || changed;
  if (gst_lmcc_paths_find_usable (&core->paths) < core->paths.n
      && !gst_lmcc_path_is_usable (&core->paths.list[core->main])
      && !gst_lmcc_host_has_address (&core->place.source))
    gst_lmcc_sink_paths_choose_main (core);
  return changed && core->paths.n > 1;
}

static void
warn_unusable (GstLmccSinkCore *core, GstLmccPath *path, gint64 now)
{
  g_autofree gchar *others = gst_lmcc_paths_format (&core->paths, FALSE);
  g_autofree gchar *text =
      gst_lmcc_interface_describe (&path->iface, path->state);

  path->told = TRUE;
  path->next_warning = now + WARNING_INTERVAL;
  GST_ELEMENT_WARNING (core, RESOURCE, WRITE,
      (_ ("Packets are sent on %s only: %s. Sending on it continues as soon as "
          "possible."),
          others, text),
      (NULL));
}

static void
tell_usable (GstLmccSinkCore *core, GstLmccPath *path)
{
  g_autofree gchar *text =
      g_strdup_printf (_ ("Packets are sent on %s again"), path->iface.name);

  path->told = FALSE;
  GST_ELEMENT_INFO (core, RESOURCE, WRITE, ("%s", text), ("%s", text));
}

/**
 * gst_lmcc_sink_paths_tell:
 * @core: the core; called by the I/O thread without lock
 * @now: time of g_get_monotonic_time()
 *
 * Reports interfaces that cannot be used, and those that can be used again. If
 * no interface can be used, this is reported elsewhere.
 */
void
gst_lmcc_sink_paths_tell (GstLmccSinkCore *core, gint64 now)
{
  guint i;

  if (core->paths.n < 2
      || gst_lmcc_paths_find_usable (&core->paths) == core->paths.n)
    return;
  for (i = 0; i < core->paths.n; i++) {
    GstLmccPath *path = &core->paths.list[i];

    if (gst_lmcc_path_is_usable (path)) {
      path->unusable_since = 0;
      if (path->told)
        tell_usable (core, path);
    } else if (path->unusable_since == 0) {
      path->unusable_since = now;
    } else if (!path->told && now - path->unusable_since >= OUTAGE
        && now >= path->next_warning) {
      warn_unusable (core, path, now);
    }
  }
}

/* Sockets */

static void
open_one (GstLmccSinkCore *core, const GstLmccPath *path,
    GstLmccSendOptions *options, GstLmccSentFunc sent)
{
  GstLmccSinkFurther *further = &core->further[core->n_further];
  g_autoptr (GError) error = NULL;

  options->iface = path->iface;
  further->fd = gst_lmcc_socket_open_send (options, &error);
  if (further->fd < 0) {
    GST_WARNING_OBJECT (core, "cannot send packets on %s: %s", path->iface.name,
        error->message);
    return;
  }
  further->iface = path->iface;
  further->batch =
      gst_lmcc_send_batch_new (GST_LMCC_SINK_N_DESTINATIONS, sent, core);
  core->n_further++;
}

static void
share_port (GstLmccSinkCore *core, gboolean shares)
{
  guint i;

  gst_lmcc_socket_share_port (core->fd, shares);
  for (i = 0; i < core->n_further; i++)
    gst_lmcc_socket_share_port (core->further[i].fd, shares);
}

/**
 * gst_lmcc_sink_paths_open:
 * @core: the core with its socket and its place
 * @sent: called for each packet after it was sent or has failed
 *
 * Opens the sockets of additional interfaces that can be used now, after it has
 * closed the previous ones. The caller must set their destinations.
 */
void
gst_lmcc_sink_paths_open (GstLmccSinkCore *core, GstLmccSentFunc sent)
{
  GstLmccSendOptions options;
  guint i;

  gst_lmcc_sink_paths_close (core);
  if (core->paths.n < 2 || core->place.source.family == LMCC_FAMILY_NONE
      || is_link_local (&core->place.source))
    return;
  gst_lmcc_sink_get_send_options (core, &options);
  options.bind_address = core->place.source;
  /* The sockets share the port with each other only: a port that another
   * program uses is still an error. */
  options.shares_port = options.bind_port > 0;
  if (options.shares_port)
    share_port (core, TRUE);
  for (i = 0; i < core->paths.n; i++) {
    if (i != core->main && gst_lmcc_path_is_usable (&core->paths.list[i]))
      open_one (core, &core->paths.list[i], &options, sent);
  }
  if (options.shares_port)
    share_port (core, FALSE);
}

/**
 * gst_lmcc_sink_paths_close:
 * @core: the core
 */
void
gst_lmcc_sink_paths_close (GstLmccSinkCore *core)
{
  while (core->n_further > 0) {
    GstLmccSinkFurther *further = &core->further[--core->n_further];

    g_clear_pointer (&further->batch, gst_lmcc_send_batch_free);
    gst_lmcc_socket_close (&further->fd);
  }
}

/**
 * gst_lmcc_sink_paths_open_joined:
 * @core: the core
 * @group: the only group of the socket
 * @port: its port
 * @source: (nullable): the only source to receive from
 * @buffer_size: kernel buffer in bytes
 * @error: (nullable): cause and remedy
 *
 * Returns: a descriptor that receives @group on all interfaces of the core, or
 * -1
 */
gint
gst_lmcc_sink_paths_open_joined (GstLmccSinkCore *core,
    const LmccAddress *group, guint16 port, const LmccAddress *source,
    guint buffer_size, GError **error)
{
  gint fd = gst_lmcc_socket_open_joined (group, port, source,
      &core->place.iface, buffer_size, error);
  guint i;

  for (i = 0; fd >= 0 && i < core->n_further; i++)
    gst_lmcc_socket_join (fd, group, source, &core->further[i].iface, NULL);
  return fd;
}
