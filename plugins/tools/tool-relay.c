/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-receiver.h"

#include <gio/gio.h>
#include <gst/sdp/sdp.h>
#include <stdio.h>

/* The sound uses a port of its own, after the RTCP port of the pictures (RFC
 * 3550 section 11). */
#define SOUND_PORT_OFFSET 2

/**
 * RelayStream:
 * @caps: (nullable): what came, under the pipeline's object lock
 */
typedef struct
{
  struct _Relay *relay;
  GstCaps *caps;
  guint16 port;
} RelayStream;

/**
 * Relay:
 * @complete: the session's pads are all there; atomic
 * @has_sound: one of them is for sound; atomic
 */
typedef struct _Relay
{
  ToolReceiver *receiver;
  gchar *to;
  gchar *sdp_file;
  gchar *host;
  GSocketFamily family;
  guint16 port;
  RelayStream video;
  RelayStream sound;
  gchar *sdp; /* the latest, as it would be written again */
  gint64 id;
  guint version;
  gint complete;
  gint has_sound;
} Relay;

static void
relay_clear (Relay *relay)
{
  g_free (relay->to);
  g_free (relay->sdp_file);
  g_free (relay->host);
  g_free (relay->sdp);
  gst_clear_caps (&relay->video.caps);
  gst_clear_caps (&relay->sound.caps);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Relay, relay_clear)

/* A name is looked up here: the SDP's connection line is for the player. */
static gboolean
read_destination (Relay *relay)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSocketConnectable) address = NULL;
  g_autoptr (GInetAddress) found = NULL;
  g_autoptr (GResolver) resolver = g_resolver_get_default ();
  const gchar *host;
  GList *addresses;

  if (relay->to == NULL) {
    tool_error (_ ("no destination; write --to=HOST:PORT, such as "
                   "--to=127.0.0.1:5600"));
    return FALSE;
  }
  address = g_network_address_parse (relay->to, 0, &error);
  if (address == NULL
      || g_network_address_get_port (G_NETWORK_ADDRESS (address)) == 0) {
    tool_error (_ ("--to=%s is not HOST:PORT%s%s; write it like "
                   "--to=127.0.0.1:5600"),
        relay->to, error ? ": " : "", error ? error->message : "");
    return FALSE;
  }

  host = g_network_address_get_hostname (G_NETWORK_ADDRESS (address));
  addresses = g_resolver_lookup_by_name (resolver, host, NULL, &error);
  if (addresses == NULL) {
    tool_error (_ ("--to=%s: %s; write the host's address"), relay->to,
        error->message);
    return FALSE;
  }
  found = g_object_ref (addresses->data);
  g_resolver_free_addresses (addresses);

  relay->host = g_inet_address_to_string (found);
  relay->family = g_inet_address_get_family (found);
  relay->port = g_network_address_get_port (G_NETWORK_ADDRESS (address));
  if (relay->port > G_MAXUINT16 - SOUND_PORT_OFFSET) {
    tool_error (_ ("--to=%s leaves no port for the sound, which uses the "
                   "second port after it; choose a port up to %d"),
        relay->to, G_MAXUINT16 - SOUND_PORT_OFFSET);
    return FALSE;
  }

  return TRUE;
}

/* Fields about the transport to this host mean nothing to the player. */
static gboolean
keep_field (GQuark field, GValue *value G_GNUC_UNUSED,
    gpointer user_data G_GNUC_UNUSED)
{
  const gchar *name = g_quark_to_string (field);

  return !g_str_has_prefix (name, "extmap-")
      && !g_str_has_prefix (name, "timestamp-offset")
      && !g_str_has_prefix (name, "seqnum-offset")
      && !g_str_has_prefix (name, "ssrc");
}

/* Parameters of the payload format are optional in caps. GStreamer's payloader
 * makes FU-A, which a player may refuse in the default mode (RFC 6184 8.1). */
static void
complete_format (GstStructure *format)
{
  if (g_strcmp0 (gst_structure_get_string (format, "encoding-name"), "H264")
          == 0
      && !gst_structure_has_field (format, "packetization-mode"))
    gst_structure_set (format, "packetization-mode", G_TYPE_STRING, "1", NULL);
}

static gboolean
add_media (GstSDPMessage *message, const GstCaps *caps, guint16 port)
{
  g_autoptr (GstCaps) plain = gst_caps_copy (caps);
  GstSDPMedia media = { 0 };
  gboolean done;

  gst_structure_filter_and_map_in_place (gst_caps_get_structure (plain, 0),
      keep_field, NULL);
  complete_format (gst_caps_get_structure (plain, 0));
  gst_sdp_media_init (&media);
  gst_sdp_media_set_proto (&media, "RTP/AVP");
  gst_sdp_media_set_port_info (&media, port, 0);
  done = gst_sdp_media_set_media_from_caps (plain, &media) == GST_SDP_OK;
  if (done)
    gst_sdp_message_add_media (message, &media);
  gst_sdp_media_uninit (&media);
  return done;
}

static gchar *
make_sdp (const Relay *relay, const GstCaps *video, const GstCaps *sound)
{
  const gchar *type = relay->family == G_SOCKET_FAMILY_IPV6 ? "IP6" : "IP4";
  const gchar *nowhere =
      relay->family == G_SOCKET_FAMILY_IPV6 ? "::1" : "127.0.0.1";
  g_autofree gchar *id = g_strdup_printf ("%" G_GINT64_FORMAT, relay->id);
  g_autofree gchar *version = g_strdup_printf ("%u", relay->version);
  GstSDPMessage *message;
  gchar *text = NULL;

  gst_sdp_message_new (&message);
  gst_sdp_message_set_version (message, "0");
  gst_sdp_message_set_origin (message, "-", id, version, "IN", type, nowhere);
  gst_sdp_message_set_session_name (message, "gst-lmcc relay");
  gst_sdp_message_set_connection (message, "IN", type, relay->host, 0, 0);
  gst_sdp_message_add_time (message, "0", "0", NULL);
  if (add_media (message, video, relay->video.port)
      && (sound == NULL || add_media (message, sound, relay->sound.port)))
    text = gst_sdp_message_as_text (message);
  gst_sdp_message_free (message);

  return text;
}

static gboolean
write_sdp (const Relay *relay, const gchar *sdp)
{
  g_autoptr (GError) error = NULL;

  if (relay->sdp_file == NULL) {
    g_print ("%s", sdp);
    fflush (stdout);
    return TRUE;
  }
  if (!g_file_set_contents (relay->sdp_file, sdp, -1, &error)) {
    tool_error (_ ("%s; name a file that can be written with --sdp"),
        error->message);
    return FALSE;
  }

  return TRUE;
}

/* In the main loop, after caps came, or the last pad: once all is known. */
static gboolean
on_change (gpointer user_data)
{
  Relay *relay = user_data;
  g_autofree gchar *sdp = NULL;
  g_autoptr (GstCaps) video = NULL;
  g_autoptr (GstCaps) sound = NULL;

  GST_OBJECT_LOCK (relay->receiver->pipeline);
  gst_caps_replace (&video, relay->video.caps);
  gst_caps_replace (&sound, relay->sound.caps);
  GST_OBJECT_UNLOCK (relay->receiver->pipeline);
  if (video == NULL || !g_atomic_int_get (&relay->complete)
      || (g_atomic_int_get (&relay->has_sound) && sound == NULL))
    return G_SOURCE_REMOVE;

  sdp = make_sdp (relay, video, sound);
  if (sdp == NULL) {
    g_autofree gchar *text = gst_caps_to_string (video);

    tool_error (_ ("cannot write SDP for a stream with the caps %s"), text);
    tool_receiver_stop (relay->receiver, TOOL_EXIT_FAILURE);
  } else if (g_strcmp0 (sdp, relay->sdp) == 0) {
    return G_SOURCE_REMOVE;
  } else if (write_sdp (relay, sdp)) {
    g_free (relay->sdp);
    relay->version++;
    relay->sdp = make_sdp (relay, video, sound);
    tool_error (_ ("sending to %s:%u%s"), relay->host, relay->port,
        sound ? _ (", the sound to the second port after it") : "");
  } else {
    tool_receiver_stop (relay->receiver, TOOL_EXIT_FAILURE);
  }

  return G_SOURCE_REMOVE;
}

static GstPadProbeReturn
on_event (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  RelayStream *stream = user_data;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;

  gst_event_parse_caps (event, &caps);
  GST_OBJECT_LOCK (stream->relay->receiver->pipeline);
  gst_caps_replace (&stream->caps, caps);
  GST_OBJECT_UNLOCK (stream->relay->receiver->pipeline);
  g_idle_add (on_change, stream->relay);

  return GST_PAD_PROBE_OK;
}

static gboolean
clear_times (GstBuffer **buffer, guint index G_GNUC_UNUSED,
    gpointer user_data G_GNUC_UNUSED)
{
  *buffer = gst_buffer_make_writable (*buffer);
  GST_BUFFER_PTS (*buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DTS (*buffer) = GST_CLOCK_TIME_NONE;

  return TRUE;
}

/* Pictures that catch up after a change to a lower level lie before their
 * segment. A sink drops them, but the player's decoder needs them. */
static GstPadProbeReturn
on_data (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info,
    gpointer user_data G_GNUC_UNUSED)
{
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
    GstBufferList *list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);

    list = gst_buffer_list_make_writable (list);
    gst_buffer_list_foreach (list, clear_times, NULL);
    info->data = list;
  } else {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

    clear_times (&buffer, 0, NULL);
    info->data = buffer;
  }

  return GST_PAD_PROBE_OK;
}

static gboolean
add_sink (Relay *relay, RelayStream *stream, const gchar *source_pad)
{
  ToolReceiver *receiver = relay->receiver;
  GstElement *sink = gst_element_factory_make ("udpsink", NULL);
  g_autoptr (GstPad) pad = NULL;

  if (sink == NULL) {
    tool_error (_ ("there is no element udpsink; install GStreamer's good "
                   "plugins (gstreamer1.0-plugins-good)"));
    return FALSE;
  }
  stream->relay = relay;
  g_object_set (sink, "host", relay->host, "port", stream->port, "sync", FALSE,
      "async", FALSE, NULL);
  gst_bin_add (GST_BIN (receiver->pipeline), sink);

  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event, stream,
      NULL);
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_data, NULL,
      NULL);

  return gst_element_sync_state_with_parent (sink)
      && gst_element_link_pads (receiver->source, source_pad, sink, "sink");
}

/* lmccsrc's receiving thread calls these. */

static void
on_pad_added (GstElement *source G_GNUC_UNUSED, GstPad *pad, Relay *relay)
{
  if (!g_str_equal (GST_PAD_NAME (pad), "audio")
      || !g_atomic_int_compare_and_exchange (&relay->has_sound, FALSE, TRUE))
    return;
  add_sink (relay, &relay->sound, "audio");
}

static void
on_no_more_pads (GstElement *source G_GNUC_UNUSED, Relay *relay)
{
  g_atomic_int_set (&relay->complete, TRUE);
  g_idle_add (on_change, relay);
}

gint
tool_relay (gint argc, gchar **argv)
{
  static const ToolReceiverHandler handler = { NULL };
  g_auto (Relay) relay = { NULL };
  g_auto (ToolReceiver) receiver = { .handler = &handler };
  const GOptionEntry entries[] = {
    { "to", 0, 0, G_OPTION_ARG_STRING, &relay.to,
        N_ ("Destination of the stream; required"), "HOST:PORT" },
    { "sdp", 0, 0, G_OPTION_ARG_FILENAME, &relay.sdp_file,
        N_ ("File for the SDP (default: standard output)"), "FILE" },
    { NULL }
  };
  g_autoptr (ToolParser) parser = tool_parser_new ("URI",
      N_ ("Sends the received stream on as plain RTP, with an SDP "
          "that VLC, mpv and\n"
          "OBS open."));

  relay.receiver = &receiver;
  tool_parser_add (parser, entries);
  tool_receiver_add_options (&receiver, parser);
  if (!tool_parser_parse (parser, &argc, &argv)
      || !tool_single_argument (argc, argv, "URI") || !read_destination (&relay)
      || !tool_receiver_open (&receiver, argv[1]))
    return TOOL_EXIT_USAGE;
  relay.id = g_get_real_time () / G_USEC_PER_SEC;
  relay.video.port = relay.port;
  relay.sound.port = relay.port + SOUND_PORT_OFFSET;
  if (!add_sink (&relay, &relay.video, "src"))
    return TOOL_EXIT_FAILURE;
  g_signal_connect (receiver.source, "pad-added", G_CALLBACK (on_pad_added),
      &relay);
  g_signal_connect (receiver.source, "no-more-pads",
      G_CALLBACK (on_no_more_pads), &relay);

  return tool_receiver_run (&receiver);
}
