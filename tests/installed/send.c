/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An example sender: send IN-PORT GROUP PORT SECONDS. It sends RTP packets
 * of H.264, which arrive at 127.0.0.1:IN-PORT, in layers. Needs gio-2.0 for
 * sockets.
 */
#include <gio/gio.h>
#include <gst/lmcc/lmcc.h>

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

/* Seconds from 1900 to 1970 (RFC 5905 section 6). */
#define NTP_UNIX_OFFSET (G_GUINT64_CONSTANT (2208988800) * LMCC_SECOND)

/* Delay from a picture's arrival to its presentation, so that pictures that
 * depend on later ones can wait. */
#define REORDERING (200 * LMCC_MSECOND)

static LmccAddress base;
static guint16 port;
static GSocket *in;
static GSocket *out;

static LmccTime
get_now (void)
{
  return (LmccTime) g_get_monotonic_time () * LMCC_USECOND;
}

static LmccSender *
new_sender (LmccTime now)
{
  GError *error = NULL;
  LmccSenderConfig config;
  LmccSender *sender;

  memset (&config, 0, sizeof (config));
  lmcc_session_init (&config.session);
  config.session.address = base;
  config.session.port = port;
  config.session.ssrc_base = g_random_int () & LMCC_SSRC_BASE_MASK;
  config.session.nonce = g_random_int ();
  g_strlcpy (config.session.algorithm, "elm", LMCC_ALGORITHM_NAME_SIZE);
  g_strlcpy (config.session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  config.session.video.clock_rate = 90000;
  config.cname = "example";
  config.sequence_seed = g_random_int ();
  config.rtp_offset = g_random_int ();
  config.ntp_offset =
      (LmccTime) g_get_real_time () * LMCC_USECOND + NTP_UNIX_OFFSET - now;
  config.mtu = 1400;
  sender = lmcc_sender_new (&config, now, &error);
  if (sender == NULL)
    g_error ("%s", error->message);
  return sender;
}

/* The presentation time of an RTP packet's picture. */
static LmccTime
get_presentation_time (const LmccPacket *packet, LmccTime now)
{
  static LmccTime first;
  static guint32 first_timestamp;
  guint32 timestamp;

  memcpy (&timestamp, packet->data + 4, sizeof (timestamp));
  timestamp = GUINT32_FROM_BE (timestamp);
  if (first == 0) {
    first = now + REORDERING;
    first_timestamp = timestamp;
  }
  return first
      + (LmccTime) ((gint64) (gint32) (timestamp - first_timestamp)
          * (gint64) LMCC_SECOND / 90000);
}

/* Makes units of all waiting packets and gives them to the sender. */
static void
take (LmccSender *sender, LmccClassifier *classifier)
{
  for (;;) {
    LmccPacket *packet = lmcc_packet_new (LMCC_MAX_PACKET_SIZE);
    gssize size = g_socket_receive (in, (gchar *) packet->data,
        packet->capacity, NULL, NULL);
    LmccTime now = get_now ();
    LmccUnit *units[2];
    guint n, i;

    if (size < LMCC_RTP_HEADER_SIZE) {
      lmcc_packet_unref (packet);
      if (size < 0)
        return;
      continue;
    }
    packet->size = (gsize) size;
    n = lmcc_classifier_push (classifier, packet, NULL, now,
        get_presentation_time (packet, now), units);
    for (i = 0; i < n; i++)
      lmcc_sender_push_unit (sender, units[i], now);
  }
}

static void
send_to (guint group, guint16 to, const LmccPacket *packet)
{
  LmccAddress address;
  GInetAddress *inet;
  GSocketAddress *receivers;

  lmcc_address_group (&base, group, &address);
  inet = g_inet_address_new_from_bytes (address.bytes, G_SOCKET_FAMILY_IPV4);
  receivers = g_inet_socket_address_new (inet, to);
  g_socket_send_to (out, receivers, (const gchar *) packet->data, packet->size,
      NULL, NULL);
  g_object_unref (receivers);
  g_object_unref (inet);
}

static void
act (LmccSender *sender)
{
  LmccSenderAction action;

  while (lmcc_sender_poll_action (sender, &action)) {
    if (action.type == LMCC_SENDER_ACTION_SEND)
      send_to (action.group, port, action.packet);
    else if (action.type == LMCC_SENDER_ACTION_SEND_CONTROL)
      send_to (0, port + 1, action.packet);
    if (action.packet != NULL)
      lmcc_packet_unref (action.packet);
  }
}

static void
wait_for (LmccSender *sender)
{
  GPollFD polled;
  LmccTime now = get_now ();
  LmccTime next =
      MIN (lmcc_sender_next_timeout (sender), now + 100 * LMCC_MSECOND);

  polled.fd = g_socket_get_fd (in);
  polled.events = G_IO_IN;
  g_poll (&polled, 1, next > now ? (gint) ((next - now) / LMCC_MSECOND) : 0);
}

/* The loopback interface may have no route for multicast. */
static void
open_sockets (guint in_port)
{
  GError *error = NULL;
  GSocketAddress *address =
      g_inet_socket_address_new_from_string ("127.0.0.1", in_port);
  GSocketAddress *source =
      g_inet_socket_address_new_from_string ("127.0.0.1", 0);

  in = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, NULL);
  out = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, NULL);
  if (!g_socket_bind (in, address, FALSE, &error)
      || !g_socket_bind (out, source, FALSE, &error)
      || !g_socket_set_option (out, IPPROTO_IP, IP_MULTICAST_IF,
          (gint) htonl (INADDR_LOOPBACK), &error))
    g_error ("%s", error->message);
  g_socket_set_blocking (in, FALSE);
  g_socket_set_multicast_loopback (out, TRUE);
  g_object_unref (address);
  g_object_unref (source);
}

int
main (int argc, char *argv[])
{
  LmccClassifier *classifier;
  LmccSender *sender;
  LmccTime end;

  if (argc != 5 || !lmcc_address_parse (argv[2], &base))
    return EXIT_FAILURE;
  port = (guint16) atoi (argv[3]);
  end = get_now () + (LmccTime) atoi (argv[4]) * LMCC_SECOND;
  open_sockets ((guint) atoi (argv[1]));
  classifier = lmcc_classifier_new (lmcc_codec_find ("H264"), 0);
  sender = new_sender (get_now ());
  for (act (sender); get_now () < end; act (sender)) {
    wait_for (sender);
    take (sender, classifier);
    lmcc_sender_handle_timeout (sender, get_now ());
  }
  lmcc_sender_stop (sender, get_now ());
  act (sender);
  lmcc_sender_free (sender);
  lmcc_classifier_free (classifier);
  return EXIT_SUCCESS;
}
