/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The socket that packets to the groups are sent by: one that is opened here,
 * or one that the application hands over. All of it belongs to the I/O thread
 * while that has the core, else to the state changes.
 */
#include "config.h"

#include "sink/core.h"

#include <errno.h>

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
        "The socket that is set is closed. Set one that is open, and "
        "close-socket=false if it is to stay so in state NULL");
  if (g_socket_get_socket_type (socket) != G_SOCKET_TYPE_DATAGRAM
      || g_socket_get_family (socket)
          != (v6 ? G_SOCKET_FAMILY_IPV6 : G_SOCKET_FAMILY_IPV4))
    return refuse (error,
        v6 ? "The socket that is set is no UDP socket of IPv6, which the group "
             "is of. Set such a socket"
           : "The socket that is set is no UDP socket of IPv4, which the group "
             "is of. Set such a socket");
  core->elsewhere = gst_lmcc_socket_is_elsewhere (g_socket_get_fd (socket));
  if (core->elsewhere && names_interface (core))
    return refuse (error,
        "The socket that is set is of another network namespace, whose "
        "interfaces multicast-iface cannot name. Set the interface on the "
        "socket (IP_MULTICAST_IF, IPV6_MULTICAST_IF), and unset "
        "multicast-iface");
  return TRUE;
}

/**
 * gst_lmcc_sink_socket_choose_interface:
 * @core: the core, closed
 * @error: cause and remedy
 *
 * Chooses where packets leave. A socket that is handed over keeps its own
 * interface unless one is named.
 *
 * Returns: %FALSE where there is no such interface, or the socket cannot be
 *     used
 */
gboolean
gst_lmcc_sink_socket_choose_interface (GstLmccSinkCore *core, GError **error)
{
  GSocket *given = get_given (core);

  core->elsewhere = FALSE;
  core->given = given && !names_interface (core);
  if (given && !check_given (core, given, error))
    return FALSE;
  return core->given
      || gst_lmcc_interface_choose (core->settings.properties.multicast_iface,
          &core->settings.address, &core->place.iface, error);
}

static void
get_options (GstLmccSinkCore *core, GstLmccSendOptions *options)
{
  gst_lmcc_sink_get_send_options (core, options);
  options->iface = core->place.iface;
  /* The port is that of one address: receivers on this host bind the same port
   * to the groups. */
  if (options->bind_port > 0
      && options->bind_address.family == LMCC_FAMILY_NONE)
    options->bind_address = core->place.source;
}

/**
 * gst_lmcc_sink_socket_find_source:
 * @core: the core, its interface chosen
 * @source: (out): the address that packets come from
 *
 * Returns: %FALSE where it cannot be known
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

/* Takes over @socket. Returns: (transfer full) (nullable): that before it */
static GSocket *
use (GstLmccSinkCore *core, GSocket *socket)
{
  GSocket *before;

  g_mutex_lock (&core->lock);
  before = core->socket;
  core->socket = socket;
  g_mutex_unlock (&core->lock);
  core->fd = socket ? g_socket_get_fd (socket) : -1;
  return before;
}

/**
 * gst_lmcc_sink_socket_open:
 * @core: the core, its interface and source chosen
 * @error: cause and remedy
 *
 * Returns: whether it has a socket now
 */
gboolean
gst_lmcc_sink_socket_open (GstLmccSinkCore *core, GError **error)
{
  GSocket *given = get_given (core);
  GSocket *socket =
      given ? set_up_given (core, given, error) : open_own (core, error);

  if (socket)
    use (core, socket);
  return socket != NULL;
}

/**
 * gst_lmcc_sink_socket_close:
 * @core: the core, stopped
 *
 * Closes the socket, unless it is the application's and is to stay open.
 */
void
gst_lmcc_sink_socket_close (GstLmccSinkCore *core)
{
  g_autoptr (GSocket) socket = use (core, NULL);

  if (socket == NULL)
    return;
  if (get_given (core) == NULL || core->settings.properties.close_socket)
    g_socket_close (socket, NULL);
}

/* A socket that is bound stays at its address. */
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
  if (socket == NULL) {
    GST_INFO_OBJECT (core, "the socket stays: %s", error->message);
    return FALSE;
  }
  before = use (core, socket);
  g_socket_close (before, NULL);
  return TRUE;
}

/**
 * gst_lmcc_sink_socket_move:
 * @core: the core; called by the I/O thread without lock
 *
 * Sends from the place that has been chosen.
 */
void
gst_lmcc_sink_socket_move (GstLmccSinkCore *core)
{
  if (!open_anew (core)
      && !gst_lmcc_socket_set_interface (core->fd,
          core->settings.address.family, &core->place.iface))
    GST_WARNING_OBJECT (core, "the socket stays on another interface: %s",
        g_strerror (errno));
}

/**
 * gst_lmcc_sink_core_get_used_socket:
 * @core: the core
 *
 * Returns: (transfer full) (nullable): the socket that packets are sent by
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
