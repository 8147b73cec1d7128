/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An example receiver: receive GROUP PORT OUT-PORT SECONDS. It joins and
 * leaves groups as the library requests, and sends the received RTP packets
 * to 127.0.0.1:OUT-PORT. Needs gio-2.0 for sockets.
 */
#include <gio/gio.h>
#include <gst/lmcc/lmcc.h>

#include <stdlib.h>
#include <string.h>

static LmccAddress base;
static guint16 port;
static GSocket *data[LMCC_MAX_GROUPS]; /* of the joined groups */
static GSocket *control;               /* RTCP of the base group */
static GSocket *out;
static GSocketAddress *player;
static guint delivered;
static gint level = -1;

static LmccTime
get_now (void)
{
  return (LmccTime) g_get_monotonic_time () * LMCC_USECOND;
}

static GSocketAddress *
make_address (const LmccAddress *address, guint16 to)
{
  GInetAddress *inet = g_inet_address_new_from_bytes (address->bytes,
      address->family == LMCC_FAMILY_IPV6 ? G_SOCKET_FAMILY_IPV6
                                          : G_SOCKET_FAMILY_IPV4);
  GSocketAddress *result = g_inet_socket_address_new (inet, to);

  g_object_unref (inet);
  return result;
}

/* Bound to the group address: Linux then delivers only packets of that
 * group. */
static GSocket *
join (guint group, guint16 at)
{
  GError *error = NULL;
  LmccAddress address;
  GSocketAddress *bound;
  GSocket *self;

  lmcc_address_group (&base, group, &address);
  bound = make_address (&address, at);
  self = g_socket_new (g_socket_address_get_family (bound),
      G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, &error);
  if (self == NULL || !g_socket_bind (self, bound, TRUE, &error)
      || !g_socket_join_multicast_group (self,
          g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (bound)),
          FALSE, "lo", &error))
    g_error ("group %u: %s", group, error->message);
  g_socket_set_blocking (self, FALSE);
  g_object_unref (bound);
  return self;
}

/* Reads all packets waiting in a socket. */
static void
take (LmccReceiver *receiver, GSocket *from, gint group)
{
  for (;;) {
    LmccPacket *packet = lmcc_packet_new (LMCC_MAX_PACKET_SIZE);
    GSocketAddress *sender = NULL;
    gssize size = g_socket_receive_from (from, &sender, (gchar *) packet->data,
        packet->capacity, NULL, NULL);
    LmccAddress source = base;
    GInetSocketAddress *inet;

    if (size <= 0) {
      lmcc_packet_unref (packet);
      return;
    }
    packet->size = (gsize) size;
    inet = G_INET_SOCKET_ADDRESS (sender);
    memcpy (source.bytes,
        g_inet_address_to_bytes (g_inet_socket_address_get_address (inet)),
        g_inet_address_get_native_size (
            g_inet_socket_address_get_address (inet)));
    if (group >= 0) {
      lmcc_receiver_handle_packet (receiver, get_now (), get_now (),
          (guint) group, &source, g_inet_socket_address_get_port (inet),
          packet);
    } else {
      lmcc_receiver_handle_control (receiver, get_now (), &source,
          g_inet_socket_address_get_port (inet), packet->data, packet->size);
      lmcc_packet_unref (packet);
    }
    g_object_unref (sender);
  }
}

/* A player would keep each unit until action.time; this program takes it at
 * once. */
static void
act (LmccReceiver *receiver)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (receiver, &action)) {
    switch (action.type) {
      case LMCC_RECEIVER_ACTION_JOIN:
        data[action.group] = join (action.group, port);
        break;
      case LMCC_RECEIVER_ACTION_LEAVE:
        g_clear_object (&data[action.group]);
        break;
      case LMCC_RECEIVER_ACTION_DELIVER:
        g_socket_send_to (out, player, (const gchar *) action.packet->data,
            action.packet->size, NULL, NULL);
        delivered++;
        break;
      case LMCC_RECEIVER_ACTION_LEVEL:
        level = action.to;
        g_print ("level %d to %d: %s\n", action.from, action.to, action.reason);
        break;
      case LMCC_RECEIVER_ACTION_WARNING:
        g_printerr ("%s\n", action.reason);
        break;
      default:
        break;
    }
    if (action.packet != NULL)
      lmcc_packet_unref (action.packet);
  }
}

/* Waits for a packet or for the receiver's next deadline. */
static void
wait_for (LmccReceiver *receiver)
{
  GPollFD polled[LMCC_MAX_GROUPS + 1];
  LmccTime now = get_now ();
  LmccTime next =
      MIN (lmcc_receiver_next_timeout (receiver), now + 100 * LMCC_MSECOND);
  guint n = 0, i;

  polled[n++].fd = g_socket_get_fd (control);
  for (i = 0; i < LMCC_MAX_GROUPS; i++) {
    if (data[i] != NULL)
      polled[n++].fd = g_socket_get_fd (data[i]);
  }
  for (i = 0; i < n; i++)
    polled[i].events = G_IO_IN;
  g_poll (polled, n, next > now ? (gint) ((next - now) / LMCC_MSECOND) + 1 : 0);
}

int
main (int argc, char *argv[])
{
  LmccReceiverConfig config;
  LmccReceiver *receiver;
  LmccTime end;
  guint i;

  if (argc != 5 || !lmcc_address_parse (argv[1], &base))
    return EXIT_FAILURE;
  port = (guint16) atoi (argv[2]);
  out = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, NULL);
  player = g_inet_socket_address_new_from_string ("127.0.0.1",
      (guint) atoi (argv[3]));
  end = get_now () + (LmccTime) atoi (argv[4]) * LMCC_SECOND;

  memset (&config, 0, sizeof (config));
  config.address = base;
  config.algorithm = "auto";
  config.rtt_mode = LMCC_RTT_MODE_JOIN;
  config.latency = LMCC_DEFAULT_LATENCY;
  config.max_level = -1;
  config.sequence_seed = g_random_int ();
  receiver = lmcc_receiver_new (&config);
  control = join (0, port + 1);
  lmcc_receiver_start (receiver, get_now ());
  for (act (receiver); get_now () < end; act (receiver)) {
    wait_for (receiver);
    take (receiver, control, -1);
    act (receiver);
    for (i = 0; i < LMCC_MAX_GROUPS; i++) {
      if (data[i] != NULL)
        take (receiver, data[i], (gint) i);
    }
    act (receiver);
    lmcc_receiver_handle_timeout (receiver, get_now ());
  }
  g_print ("%u packets, level %d\n", delivered, level);
  lmcc_receiver_free (receiver);
  return delivered > 0 && level > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
