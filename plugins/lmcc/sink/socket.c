/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The socket for packets to the groups: opened here, or given by the
 * application. All of it belongs to the I/O thread while the core is attached,
 * otherwise to the state changes.
 */
#include "config.h"

#include "sink/core.h"

#include <plugins/common/messages.h>

#include <errno.h>
#include <fcntl.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

static GSocket *
get_given (const GstLmccSinkCore *core)
{
  return (GSocket *) core->settings.properties.socket;
}

static gboolean
names_interface (const GstLmccSinkCore *core)
{
  const gchar *wanted = core->settings.properties.multicast_iface;

  return wanted && wanted[0] != '\0';
}

static gboolean
refuse (GError **error, const gchar *text)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, text);
  return FALSE;
}

static gboolean
check_given (GstLmccSinkCore *core, GSocket *socket, GError **error)
{
  gboolean v6 = core->settings.address.family == LMCC_FAMILY_IPV6;

  if (g_socket_is_closed (socket))
    return refuse (error,
        _ ("The property socket has a closed socket. Set an open one, and "
           "close-socket=false to keep it open in state NULL"));
  if (g_socket_get_socket_type (socket) != G_SOCKET_TYPE_DATAGRAM
      || g_socket_get_family (socket)
          != (v6 ? G_SOCKET_FAMILY_IPV6 : G_SOCKET_FAMILY_IPV4))
    return refuse (error,
        v6 ? _ ("The group is IPv6, but the property socket has no IPv6 UDP "
                "socket. Set an IPv6 UDP socket")
           : _ ("The group is IPv4, but the property socket has no IPv4 UDP "
                "socket. Set an IPv4 UDP socket"));
  core->elsewhere = gst_lmcc_socket_is_elsewhere (g_socket_get_fd (socket));
  if (core->elsewhere && names_interface (core))
    return refuse (error,
        _ ("The property socket has a socket of another network namespace, "
           "whose interfaces multicast-iface cannot name. Set the interface on "
           "the socket (IP_MULTICAST_IF, IPV6_MULTICAST_IF), and unset "
           "multicast-iface"));
  return TRUE;
}

/**
 * gst_lmcc_sink_socket_choose_interface:
 * @core: the closed core
 * @error: cause and remedy
 *
 * Chooses the interfaces to send on. A socket of the application keeps its own
 * interface unless one is named.
 *
 * Returns: %FALSE if there is no such interface, or the socket cannot be used
 */
gboolean
gst_lmcc_sink_socket_choose_interface (GstLmccSinkCore *core, GError **error)
{
  GSocket *given = get_given (core);

  core->elsewhere = FALSE;
  core->given = given && !names_interface (core);
  if (given && !check_given (core, given, error))
    return FALSE;
  if (core->given)
    return TRUE;
  if (!gst_lmcc_paths_choose (&core->paths,
          core->settings.properties.multicast_iface, &core->settings.address,
          error))
    return FALSE;
  if (given && core->paths.n > 1)
    return refuse (error,
        _ ("The property socket sends on one interface only, but "
           "multicast-iface names several. Name one, or unset socket"));
  gst_lmcc_sink_paths_choose_main (core);
  core->place.iface = core->paths.list[core->main].iface;
  return TRUE;
}

static void
get_options (GstLmccSinkCore *core, GstLmccSendOptions *options)
{
  gst_lmcc_sink_get_send_options (core, options);
  options->iface = core->place.iface;
  /* Bind the port at one address only, because receivers on this host bind the
   * same port at the groups. */
  if (options->bind_port > 0
      && options->bind_address.family == LMCC_FAMILY_NONE)
    options->bind_address = core->place.source;
}

/**
 * gst_lmcc_sink_socket_find_source:
 * @core: the core with its interface
 * @source: (out): source address of packets
 *
 * Returns: %FALSE if it is unknown
 */
gboolean
gst_lmcc_sink_socket_find_source (GstLmccSinkCore *core, LmccAddress *source)
{
  GSocket *given = get_given (core);
  GstLmccSendOptions options;

  if (given && gst_lmcc_socket_get_local (g_socket_get_fd (given), source))
    return TRUE;
  gst_lmcc_sink_get_send_options (core, &options);
  options.iface = core->place.iface;
  return !core->elsewhere
      && gst_lmcc_socket_get_source (&options, &core->settings.address, source);
}

static GSocket *
open_own (GstLmccSinkCore *core, GError **error)
{
  GstLmccSendOptions options;
  GSocket *socket;
  gint fd;

  get_options (core, &options);
  fd = gst_lmcc_socket_open_send (&options, error);
  if (fd < 0)
    return NULL;
  socket = g_socket_new_from_fd (fd, error);
  if (socket == NULL)
    gst_lmcc_socket_close (&fd);
  return socket;
}

static GSocket *
set_up_given (GstLmccSinkCore *core, GSocket *given, GError **error)
{
  GstLmccSendOptions options;

  get_options (core, &options);
  return gst_lmcc_socket_set_up_send (g_socket_get_fd (given), &options, error)
      ? g_object_ref (given)
      : NULL;
}

/* Takes ownership of @socket, and sends with a duplicate of its descriptor,
 * because the application may close the socket. */
static gboolean
use (GstLmccSinkCore *core, GSocket *socket, GError **error)
{
  gint fd = fcntl (g_socket_get_fd (socket), F_DUPFD_CLOEXEC, 0);

  if (fd < 0) {
    g_set_error (error, G_IO_ERROR, (gint) g_io_error_from_errno (errno),
        _ ("Cannot use the socket to send: %s%s"), g_strerror (errno),
        gst_lmcc_open_remedy (errno));
    g_object_unref (socket);
    return FALSE;
  }
  gst_lmcc_socket_close (&core->fd);
  core->fd = fd;
  g_mutex_lock (&core->lock);
  core->socket = socket;
  g_mutex_unlock (&core->lock);
  return TRUE;
}

static GSocket *
steal (GstLmccSinkCore *core)
{
  GSocket *socket;

  g_mutex_lock (&core->lock);
  socket = g_steal_pointer (&core->socket);
  g_mutex_unlock (&core->lock);
  return socket;
}

/**
 * gst_lmcc_sink_socket_open:
 * @core: the core with its interface and source address
 * @error: cause and remedy
 *
 * Returns: whether it has a socket
 */
gboolean
gst_lmcc_sink_socket_open (GstLmccSinkCore *core, GError **error)
{
  GSocket *given = get_given (core);
  GSocket *socket =
      given ? set_up_given (core, given, error) : open_own (core, error);

  return socket && use (core, socket, error);
}

/**
 * gst_lmcc_sink_socket_close:
 * @core: the stopped core
 *
 * Forgets the interfaces and closes the socket, unless it is the application's
 * and must stay open.
 */
void
gst_lmcc_sink_socket_close (GstLmccSinkCore *core)
{
  g_autoptr (GSocket) socket = steal (core);

  gst_lmcc_paths_clear (&core->paths);
  gst_lmcc_socket_close (&core->fd);
  if (socket == NULL)
    return;
  if (get_given (core) == NULL || core->settings.properties.close_socket)
    g_socket_close (socket, NULL);
}

/* A bound socket keeps its address. */
static gboolean
open_anew (GstLmccSinkCore *core)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSocket) before = NULL;
  GSocket *socket;

  if (get_given (core) || core->settings.properties.bind_port == 0
      || core->settings.bind_address.family != LMCC_FAMILY_NONE)
    return FALSE;
  socket = open_own (core, &error);
  before = steal (core);
  if (socket && use (core, socket, &error)) {
    g_socket_close (before, NULL);
    return TRUE;
  }
  GST_INFO_OBJECT (core, "the socket stays: %s", error->message);
  g_mutex_lock (&core->lock);
  core->socket = g_steal_pointer (&before);
  g_mutex_unlock (&core->lock);
  return FALSE;
}

/**
 * gst_lmcc_sink_socket_move:
 * @core: the core; called by the I/O thread without lock
 *
 * Sends with the new interface and address from now on.
 */
void
gst_lmcc_sink_socket_move (GstLmccSinkCore *core)
{
  if (!open_anew (core)
      && !gst_lmcc_socket_set_interface (core->fd,
          core->settings.address.family, &core->place.iface))
    GST_WARNING_OBJECT (core, "the socket stays on its old interface: %s",
        g_strerror (errno));
}

/**
 * gst_lmcc_sink_core_get_used_socket:
 * @core: the core
 *
 * Returns: (transfer full) (nullable): the socket that packets are sent with
 */
GSocket *
gst_lmcc_sink_core_get_used_socket (GstLmccSinkCore *core)
{
  GSocket *socket;

  g_mutex_lock (&core->lock);
  socket = core->socket ? g_object_ref (core->socket) : NULL;
  g_mutex_unlock (&core->lock);
  return socket;
}
