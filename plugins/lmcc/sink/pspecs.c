/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The properties of lmccsink: what they are, and what they mean. */
#include "config.h"

#include "sink/marks.h"
#include "sink/props.h"

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
   * GstLmccSink:send-timeout:
   *
   * After so many seconds in which no packet could be sent, because the link is
   * down or a firewall forbids it, an error ends it; 0 for never. A warning
   * says why after 1 s.
   *
   * Since: 0.1
   */
  properties[PROP_SEND_TIMEOUT] = g_param_spec_uint ("send-timeout",
      "Send timeout", "How long without sending until it fails (s, 0 = never)",
      0, G_MAXINT, DEFAULT_SEND_TIMEOUT, READY);
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
install_layer_properties (void)
{
  /**
   * GstLmccSink:layering:
   *
   * What the layers are. `native`: what the codec makes, one for each class of
   * each rung, with the rates that these have. The others: layers of fixed
   * rates, which pictures are poured into, the most important lowest, one group
   * of pictures at a time (see #GstLmccSink:window).
   *
   * Since: 0.1
   */
  properties[PROP_LAYERING] = g_param_spec_enum ("layering", "Layering",
      "What the layers are: the codec's classes, or of fixed rates",
      GST_TYPE_LMCC_LAYERING, DEFAULT_LAYERING, READY);
  /**
   * GstLmccSink:layers:
   *
   * How many layers of fixed rates there are. `native` and `explicit` do not
   * use it.
   *
   * Since: 0.1
   */
  properties[PROP_LAYERS] = g_param_spec_uint ("layers", "Layers",
      "Number of layers of fixed rates", 1, LMCC_MAX_LAYERS, DEFAULT_LAYERS,
      READY);
  /**
   * GstLmccSink:base-rate:
   *
   * The rate of the base layer in bit/s, with all headers and the base's
   * control packets, from which those of the others follow. `native` and
   * `explicit` do not use it.
   *
   * Since: 0.1
   */
  properties[PROP_BASE_RATE] = g_param_spec_uint64 ("base-rate", "Base rate",
      "Fixed rate of the base layer (bit/s of IP packets)", 1,
      G_GUINT64_CONSTANT (1000000000000), DEFAULT_BASE_RATE, READY);
  /**
   * GstLmccSink:rate-factor:
   *
   * With `layering=multiplicative` how many times the rate of all layers up to
   * one grows with the next.
   *
   * Since: 0.1
   */
  properties[PROP_RATE_FACTOR] = g_param_spec_double ("rate-factor",
      "Rate factor", "Growth of the cumulative rate with each layer, for "
      "layering=multiplicative", 1.001, 1000, DEFAULT_RATE_FACTOR, READY);
  /**
   * GstLmccSink:layer-rates:
   *
   * With `layering=explicit` the rate of each layer, base first, with commas
   * between them: `128k,128k,1.5M`.
   *
   * Since: 0.1
   */
  properties[PROP_LAYER_RATES] = g_param_spec_string ("layer-rates",
      "Layer rates", "Rates of the layers, base first, such as 128k,128k,1.5M, "
      "for layering=explicit", DEFAULT_LAYER_RATES, READY);
}

static void
install_session_properties (void)
{
  /**
   * GstLmccSink:window:
   *
   * How long a packet may be held after its decoding time, in milliseconds.
   * Receivers add it to their latency. With `layering=native` it evens out the
   * rate of a layer, and is 100 ms unless set. In layers of fixed rates a group
   * of pictures is first collected and then sent: take 400 ms more than twice
   * the distance of the key frames. It is 4400 ms unless set, for 2 s.
   *
   * Since: 0.1
   */
  properties[PROP_WINDOW] = g_param_spec_uint ("window", "Window",
      "How long a packet may be held (ms, 0 = 100 for native layers, 4400 for "
      "fixed rates)", 0, 60000, DEFAULT_WINDOW, READY);
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
   * the session announces: receivers run it unless they are told otherwise.
   * With `none` they hold what their users say. `auto` is the default.
   * `rlc`, `flid-sl`, `flid-dl` and `synchronized` need layers of fixed rates
   * (see #GstLmccSink:layering), which have to double for `rlc`; else there is
   * an error that says why. `pgmcc` and `tfmcc` send one encoding at one rate,
   * that of the slowest receiver (see #GstLmccSink:drive-encoder).
   *
   * Since: 0.1
   */
  properties[PROP_ALGORITHM] = g_param_spec_enum ("algorithm", "Algorithm",
      "Congestion-control algorithm that the packets are marked for",
      GST_TYPE_LMCC_ALGORITHM,
      gst_lmcc_algorithm_from_name (DEFAULT_ALGORITHM), READY);
  properties[PROP_ALGORITHM_SETTINGS] = gst_lmcc_sink_marks_param_spec ();
  /**
   * GstLmccSink:base-algorithm:
   *
   * With `pgmcc` or `tfmcc` the base has the rate of the slowest receiver, by
   * receivers' reports, and #GstLmccSink:algorithm, which is `elm` or `rlm`
   * then, chooses among the layers above it. It needs native layers, feedback,
   * and no repair data; else there is an error that says why.
   * #GstLmccSink:drive-encoder drives the encoder of the lowest rung.
   *
   * Since: 0.1
   */
  properties[PROP_BASE_ALGORITHM] = g_param_spec_enum ("base-algorithm",
      "Base algorithm",
      "What sets the rate of the base, where receivers choose layers above it",
      GST_TYPE_LMCC_BASE_ALGORITHM,
      gst_lmcc_algorithm_from_name (DEFAULT_BASE_ALGORITHM), READY);
  /**
   * GstLmccSink:rtt-max:
   *
   * The round-trip time that receivers reckon with until they have measured
   * theirs, in milliseconds: not below that of any of them (R_max, RFC 4654
   * section 3.1).
   *
   * Since: 0.1
   */
  properties[PROP_RTT_MAX] = g_param_spec_uint ("rtt-max", "Maximum RTT",
      "Round-trip time of receivers that have not measured theirs (ms)", 1,
      60000, DEFAULT_RTT_MAX, READY);
  /**
   * GstLmccSink:feedback:
   *
   * Whether receivers are asked for reports and answered, so that they know
   * their round-trip times. Reports and answers together stay below 5 % of the
   * base's rate. Without, receivers go by the time that a join takes.
   *
   * Since: 0.1
   */
  properties[PROP_FEEDBACK] = g_param_spec_boolean ("feedback", "Feedback",
      "Whether receivers are asked for reports, to measure round-trip times",
      DEFAULT_FEEDBACK, READY);
  /**
   * GstLmccSink:feedback-port:
   *
   * The UDP port of this host's own address that takes reports; the session
   * announces it. 0 is the port after #GstLmccSink:port, or any that is free
   * where another program has that. A firewall must let it pass.
   *
   * Since: 0.1
   */
  properties[PROP_FEEDBACK_PORT] = g_param_spec_int ("feedback-port",
      "Feedback port", "UDP port that takes reports (0 = port + 1, or any)", 0,
      65535, DEFAULT_FEEDBACK_PORT, READY);
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
install_repair_properties (void)
{
  /**
   * GstLmccSink:repair:
   *
   * How much repair data there is, as a share of the media in the layers that
   * pictures need most: the class that all others need, and the next one. With
   * it receivers make lost packets again, as many of a block as it has repair
   * packets. In layers of fixed rates the share is kept free for it, and what
   * media leaves of a rate is repair data too, before filler. -1 is 0.1 in
   * layers of fixed rates, where it costs no latency, and none in native ones,
   * where it does (see #GstLmccSink:repair-delay). `gst-lmcc-1.0 plan` shows
   * what a share is good for.
   *
   * Since: 0.1
   */
  properties[PROP_REPAIR] = g_param_spec_double ("repair", "Repair",
      "Repair data as a share of the media (0 = none, -1 = 0.1 in layers of "
      "fixed rates, none in native ones)", -1, 10, DEFAULT_REPAIR, READY);
  /**
   * GstLmccSink:repair-base:
   *
   * With `layering=native` and #GstLmccSink:repair: the share of repair data in
   * the base. All receivers have the base, and it is the smallest part of the
   * session; when a receiver tries a layer that does not fit, the base loses as
   * many packets of a hundred as the others.
   *
   * Since: 0.1
   */
  properties[PROP_REPAIR_BASE] = g_param_spec_double ("repair-base",
      "Repair of the base", "Repair data in the base of native layers as a "
      "share of its media (0 = none, -1 = as in the others)", -1, 10,
      DEFAULT_REPAIR_BASE, READY);
  /**
   * GstLmccSink:repair-loss:
   *
   * The share of the packets whose loss is expected. The repair data goes to
   * the blocks where it saves most pictures at this loss.
   *
   * Since: 0.1
   */
  properties[PROP_REPAIR_LOSS] = g_param_spec_double ("repair-loss",
      "Repair loss", "Share of lost packets that repair reckons with", 0.0001,
      0.9, DEFAULT_REPAIR_LOSS, READY);
  /**
   * GstLmccSink:repair-burst:
   *
   * How many packets of a layer are expected to be lost in a row, on average; 1
   * where losses do not depend on each other.
   *
   * Since: 0.1
   */
  properties[PROP_REPAIR_BURST] = g_param_spec_double ("repair-burst",
      "Repair burst", "Mean number of packets lost in a row", 1, 1000,
      DEFAULT_REPAIR_BURST, READY);
  /**
   * GstLmccSink:repair-delay:
   *
   * With `layering=native` how long packets are collected for a block, in
   * milliseconds. Their repair data follows within as long again, and receivers
   * add both to their latency. The longer, the more packets share the repair
   * data: below some 20 packets in a block much of it is wasted.
   *
   * Since: 0.1
   */
  properties[PROP_REPAIR_DELAY] = g_param_spec_uint ("repair-delay",
      "Repair delay", "How long a block of native layers is collected (ms)", 1,
      30000, DEFAULT_REPAIR_DELAY, READY);
}

static void
install_encoder_properties (void)
{
  /**
   * GstLmccSink:codec:
   *
   * What raw video is encoded with: `h264` by #x264ladderenc, `vp9` by
   * #vp9svcenc, `j2k` by #j2klayerenc. Encoded video does not use it.
   *
   * Since: 0.1
   */
  properties[PROP_CODEC] = g_param_spec_string ("codec", "Codec",
      "What raw video is encoded with (h264, vp9, j2k)", DEFAULT_CODEC, READY);
  /**
   * GstLmccSink:encoder-settings:
   *
   * Properties of the element that encodes raw video, in a structure of any
   * name: `x264,bitrates="150,400,1000",speed-preset=veryfast`. What they do
   * not say follows from the picture and the layers.
   * #GstLmccSink::encoder-setup reaches each encoder's own properties.
   *
   * Since: 0.1
   */
  properties[PROP_ENCODER_SETTINGS] = g_param_spec_boxed ("encoder-settings",
      "Encoder settings", "Properties of the element that encodes raw video",
      GST_TYPE_STRUCTURE, READY);
}

static void
install_rate_properties (void)
{
  /**
   * GstLmccSink:estimated-bitrate:
   *
   * With #GstLmccSink:algorithm or #GstLmccSink:base-algorithm `pgmcc` or
   * `tfmcc`, what the encoder should make, in bit/s: the rate that the slowest
   * receiver takes, smoothed, less headers, control packets and what is to
   * drain. It is that of the lowest rung's encoder; where some of what that
   * makes is in layers above the base, as much more as they have now. Notified
   * when it has changed by more than 4 %, at most ten times in a second. 0: not
   * known yet.
   *
   * Since: 0.1
   */
  properties[PROP_ESTIMATED_BITRATE] = g_param_spec_uint64 ("estimated-bitrate",
      "Estimated bitrate", "What the encoder should make (bit/s, 0 = unknown)",
      0, G_MAXUINT64, 0, READ_ONLY);
  /**
   * GstLmccSink:drive-encoder:
   *
   * Set the rate of the encoder in front to #GstLmccSink:estimated-bitrate,
   * within #GstLmccSink:min-bitrate and #GstLmccSink:max-bitrate. Knows
   * x264enc, x265enc, openh264enc, vp8enc, vp9enc, and vp9svcenc and
   * j2klayerenc, which scale all their layers; through parsers, queues and
   * bins. For others see #GstLmccSink::encoder-bitrate.
   *
   * Since: 0.1
   */
  properties[PROP_DRIVE_ENCODER] = g_param_spec_boolean ("drive-encoder",
      "Drive encoder", "Set the encoder's rate to the estimated bitrate",
      DEFAULT_DRIVE_ENCODER, READY);
  /**
   * GstLmccSink:min-bitrate:
   *
   * What the encoder makes at least, in bit/s, whatever the network takes: what
   * cannot be sent within 500 ms is dropped then.
   *
   * Since: 0.1
   */
  properties[PROP_MIN_BITRATE] = g_param_spec_uint64 ("min-bitrate",
      "Minimum bitrate", "What drive-encoder sets at least (bit/s)", 1,
      G_MAXINT64, DEFAULT_MIN_BITRATE, READY);
  /**
   * GstLmccSink:max-bitrate:
   *
   * What the encoder makes at most, in bit/s; 0: what it was set to before.
   *
   * Since: 0.1
   */
  properties[PROP_MAX_BITRATE] = g_param_spec_uint64 ("max-bitrate",
      "Maximum bitrate", "What drive-encoder sets at most (bit/s, 0 = what the "
      "encoder was set to)", 0, G_MAXINT64, DEFAULT_MAX_BITRATE, READY);
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
   * * #GST_TYPE_ARRAY `units-dropped` of #guint64: pictures that had no place,
   * by class
   * * #guint64 `windows-cut`: windows that ended before the next key frame
   * * #guint64 `window-ns`, `latency-ns`: as the session announces them
   * * #guint64 `repair-delay-ns`: latency that repair adds, as the session
   * announces it
   * * #guint64 `repair-blocks`: blocks that got repair packets
   * * #guint64 `repairs-late`: repair packets whose time was over
   * * #gdouble `repair-share`: bytes of repair packets over those of media
   * * #guint64 `units-left-out`: pictures of rungs that were left out
   * * #guint64 `packets-oversize`: packets above #GstLmccSink:mtu
   * * #guint64 `key-units-misaligned`: pictures that are key in some rungs only
   * * #guint64 `lateness-max-ns`: largest delay of a packet after its time
   * * #guint64 `send-errors`: packets that the kernel did not take
   * * #guint64 `reports`, `answers`: reports of receivers, and answers to them
   * * #guint64 `reports-malformed`, `reports-dropped`: datagrams to the
   * feedback
   *   port that were no reports; those that were too large, or too many at once
   * * #guint64 `answers-dropped`: answers that the feedback's share of the
   * base's
   *   rate had no room for
   * * #gdouble `receivers`: how many report, estimated
   * * #guint64 `feedback-bitrate`: of reports and answers, bit/s, since the
   *   session began
   * * #guint64 `feedback-interval`: what receivers are told to keep between
   *   reports, ns; 0 for no reports
   * * #gchararray `base-algorithm`: #GstLmccSink:base-algorithm of the session
   * * #GstStructure `single-rate`, with `pgmcc` and `tfmcc` only, for the base
   *   too: #gdouble
   *   `rate` (bit/s of IP packets), #guint64 `estimated-bitrate`, #guint64
   *   `rtt` (ns; pgmcc: the ackers', smoothed; tfmcc: R_max), #guint `leader`
   *   (SSRC of the acker or the current limiting receiver; 0: none), #gdouble
   *   `loss-rate` (the acker's), `window` (packets), #guint64 `stalls`,
   *   `acker-switches`, `reports-refused` (that could not be true),
   *   `reports-foreign` (in the leader's name, from elsewhere), `units-expired`
   *   (too old to be sent), `sound-dropped`, `age-max-ns` (of a picture as it
   *   left)
   * * #GST_TYPE_ARRAY `layers` of structures: #guint `layer`, #guint64 `rate`
   * and
   *   `cumulative-rate` (bit/s), `packets-sent`, `bytes-sent`, `fillers-sent`,
   *   `repairs-sent`, `repair-bytes-sent`, #guint `packets-queued`, `stream`,
   *   `class`, #gchararray `address`
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
  install_layer_properties ();
  install_session_properties ();
  install_repair_properties ();
  install_encoder_properties ();
  install_rate_properties ();
  install_report_properties ();
  g_object_class_install_properties (klass, N_PROPS, properties);
}
