/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The properties of lmccsink: what they are and what they mean. */
#include "config.h"

#include "gstlmccsinkprops.h"

static GParamSpec *properties[N_PROPS];

#define READY (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS \
    | GST_PARAM_MUTABLE_READY)
#define READ_ONLY (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static void
install_network_properties (void)
{
  /**
   * GstLmccSink:address:
   *
   * The multicast group of the base layer; layer i goes to the i-th address
   * after it. IPv4 or IPv6; a group of 232.0.0.0/8 or ff3x::/32 makes a
   * source-specific session. Set in state NULL.
   *
   * Since: 0.1
   */
  properties[PROP_ADDRESS] = g_param_spec_string ("address", "Address",
      "Multicast group of the base layer", DEFAULT_ADDRESS, READY);
  /**
   * GstLmccSink:port:
   *
   * The UDP port of all groups; the control packets go to the next one.
   *
   * Since: 0.1
   */
  properties[PROP_PORT] = g_param_spec_int ("port", "Port",
      "UDP port of all groups; control packets use the next one", 1, 65534,
      DEFAULT_PORT, READY);
  /**
   * GstLmccSink:multicast-iface:
   *
   * Name or address of the network interface to send on. Unset: the one that
   * the route to the group names, or the loopback interface where there is no
   * route, which an info message says.
   *
   * Since: 0.1
   */
  properties[PROP_MULTICAST_IFACE] = g_param_spec_string ("multicast-iface",
      "Multicast interface", "Name or address of the interface to send on",
      DEFAULT_MULTICAST_IFACE, READY);
  /**
   * GstLmccSink:bind-address:
   *
   * Local address to send from. Unset: the interface's own.
   *
   * Since: 0.1
   */
  properties[PROP_BIND_ADDRESS] = g_param_spec_string ("bind-address",
      "Bind address", "Local address to send from", DEFAULT_BIND_ADDRESS,
      READY);
  /**
   * GstLmccSink:ttl-mc:
   *
   * How many networks the packets may cross: 1 keeps them in the local one.
   *
   * Since: 0.1
   */
  properties[PROP_TTL_MC] = g_param_spec_int ("ttl-mc", "Multicast TTL",
      "Time to live or hop limit of the packets", 0, 255, DEFAULT_TTL_MC,
      READY);
  /**
   * GstLmccSink:loop:
   *
   * Whether receivers on this host get the packets too.
   *
   * Since: 0.1
   */
  properties[PROP_LOOP] = g_param_spec_boolean ("loop", "Multicast loopback",
      "Whether receivers on this host get the packets", DEFAULT_LOOP, READY);
  /**
   * GstLmccSink:qos-dscp:
   *
   * Differentiated services code point of the packets; -1 leaves the default.
   *
   * Since: 0.1
   */
  properties[PROP_QOS_DSCP] = g_param_spec_int ("qos-dscp", "QoS DSCP",
      "Differentiated services code point (-1 = default)", -1, 63,
      DEFAULT_QOS_DSCP, READY);
  /**
   * GstLmccSink:buffer-size:
   *
   * The kernel's send buffer in bytes; 0 leaves the default.
   *
   * Since: 0.1
   */
  properties[PROP_BUFFER_SIZE] = g_param_spec_int ("buffer-size",
      "Buffer size", "Kernel send buffer in bytes (0 = default)", 0, G_MAXINT,
      DEFAULT_BUFFER_SIZE, READY);
  /**
   * GstLmccSink:mtu:
   *
   * The largest RTP packet, our header extension included, in bytes. IP and UDP
   * headers come on top.
   *
   * Since: 0.1
   */
  properties[PROP_MTU] = g_param_spec_uint ("mtu", "MTU",
      "Largest RTP packet in bytes", 128, LMCC_MAX_PACKET_SIZE, DEFAULT_MTU,
      READY);
}

static void
install_session_properties (void)
{
  /**
   * GstLmccSink:window:
   *
   * How long a packet may be held after its decoding time to even out the rate
   * of its layer, in milliseconds. Receivers add it to their latency.
   *
   * Since: 0.1
   */
  properties[PROP_WINDOW] = g_param_spec_uint ("window", "Window",
      "How long a packet may be held to even out the rate (ms)", 1, 60000,
      DEFAULT_WINDOW, READY);
  /**
   * GstLmccSink:latency:
   *
   * What receivers are to add to their own latency, in milliseconds. It delays
   * nothing here. Where the encoder reorders pictures the session announces at
   * least what a decoder needs that gets the base alone: it holds a picture
   * back until others have come, and these are further apart than in the whole
   * stream.
   *
   * Since: 0.1
   */
  properties[PROP_LATENCY] = g_param_spec_uint ("latency", "Latency",
      "What receivers add to their own latency, at least (ms)", 0, 60000,
      DEFAULT_LATENCY, READY);
  /**
   * GstLmccSink:algorithm:
   *
   * The congestion-control algorithm that the packets are marked for and that
   * the session announces. `auto` sends no marks.
   *
   * Since: 0.1
   */
  properties[PROP_ALGORITHM] = g_param_spec_enum ("algorithm", "Algorithm",
      "Congestion-control algorithm that the packets are marked for",
      GST_TYPE_LMCC_ALGORITHM, GST_LMCC_ALGORITHM_AUTO, READY);
  /**
   * GstLmccSink:pt:
   *
   * RTP payload type of the first rung; rung i has the i-th after it, and
   * repair and filler packets the ones after the last possible rung and the
   * sound.
   *
   * Since: 0.1
   */
  properties[PROP_PT] = g_param_spec_uint ("pt", "Payload type",
      "RTP payload type of the first rung", 96, 111, DEFAULT_PT, READY);
  /**
   * GstLmccSink:sync:
   *
   * Whether pictures are sent at their decoding times on the pipeline's clock;
   * if not, as they come.
   *
   * Since: 0.1
   */
  properties[PROP_SYNC] = g_param_spec_boolean ("sync", "Sync",
      "Send pictures at their decoding times", DEFAULT_SYNC, READY);
  /**
   * GstLmccSink:rung-timeout:
   *
   * How long a picture waits for the pads that do not have it yet, in
   * milliseconds. A later pad is left out until its next key frame, and
   * counted.
   *
   * Since: 0.1
   */
  properties[PROP_RUNG_TIMEOUT] = g_param_spec_uint ("rung-timeout",
      "Rung timeout", "How long a picture waits for a late pad (ms)", 0, 60000,
      DEFAULT_RUNG_TIMEOUT, READY);
  /**
   * GstLmccSink:key-unit-interval:
   *
   * Distance of the key frames that the encoders of all rungs are asked for, in
   * milliseconds; 0 leaves them to the encoders, which are then asked only
   * where they do not agree.
   *
   * Since: 0.1
   */
  properties[PROP_KEY_UNIT_INTERVAL] =
      g_param_spec_uint ("key-unit-interval", "Key unit interval",
      "Ask all encoders for key frames so often (ms, 0 = do not)", 0, 600000,
      DEFAULT_KEY_UNIT_INTERVAL, READY);
}

static void
install_report_properties (void)
{
  /**
   * GstLmccSink:sdp-location:
   *
   * A file that the session's description is written to, whenever it changes. A
   * player that knows nothing of layers opens the base layer with it.
   *
   * Since: 0.1
   */
  properties[PROP_SDP_LOCATION] = g_param_spec_string ("sdp-location",
      "SDP location", "File for the session description", DEFAULT_SDP_LOCATION,
      READY);
  /**
   * GstLmccSink:sdp:
   *
   * The session's description (RFC 8866); %NULL before there is a session.
   *
   * Since: 0.1
   */
  properties[PROP_SDP] = g_param_spec_string ("sdp", "SDP",
      "The session description", NULL, READ_ONLY);
  /**
   * GstLmccSink:stats:
   *
   * A #GstStructure application/x-lmcc-sink-stats:
   *
   * * #guint64 `packets-sent`, `bytes-sent`: RTP packets, with IP and UDP
   * headers
   * * #guint64 `control-bytes-sent`: RTCP, likewise
   * * #guint64 `units`, `units-late`: pictures; those that came too late among
   * them
   * * #guint64 `units-left-out`: pictures of rungs that were left out
   * * #guint64 `packets-oversize`: packets above #GstLmccSink:mtu
   * * #guint64 `key-units-misaligned`: pictures that are key in some rungs only
   * * #guint64 `lateness-max-ns`: largest delay of a packet after its time
   * * #guint64 `send-errors`: packets that the kernel did not take
   * * #GST_TYPE_ARRAY `layers` of structures: #guint `layer`, #guint64 `rate`
   * and
   *   `cumulative-rate` (bit/s), `packets-sent`, `bytes-sent`, `fillers-sent`,
   *   #guint `packets-queued`, `stream`, `class`, #gchararray `address`
   * * #GST_TYPE_ARRAY `rungs` of structures: #guint `pad`, #guint64
   *   `units-left-out`, #guint `units-queued`
   *
   * Since: 0.1
   */
  properties[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "Statistics of the session", GST_TYPE_STRUCTURE, READ_ONLY);
  /**
   * GstLmccSink:stats-update-interval:
   *
   * How often #GstLmccSink:stats is notified, in milliseconds; 0 for never.
   *
   * Since: 0.1
   */
  properties[PROP_STATS_UPDATE_INTERVAL] =
      g_param_spec_uint ("stats-update-interval", "Statistics interval",
      "How often stats is notified (ms, 0 = never)", 0, G_MAXINT,
      DEFAULT_STATS_UPDATE_INTERVAL, READY);
}

/**
 * gst_lmcc_sink_install_properties:
 * @klass: the class of lmccsink
 *
 * Installs all properties of the enumeration.
 */
void
gst_lmcc_sink_install_properties (GObjectClass * klass)
{
  install_network_properties ();
  install_session_properties ();
  install_report_properties ();
  g_object_class_install_properties (klass, N_PROPS, properties);
}
