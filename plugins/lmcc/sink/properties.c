/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The properties of lmccsink. */
#include "config.h"

#include "sink/settings.h"

#include "common/enums.h"

#include <gio/gio.h>

#define SETTINGS GstLmccSinkProperties
#define READY GST_LMCC_PROPERTY_READY
#define IN_URI GST_LMCC_PROPERTY_IN_URI
#define READABLE GST_LMCC_PROPERTY_READABLE

static const GstLmccProperty rows[] = {
  /**
   * GstLmccSink:uri:
   *
   * `lmcc://[SOURCE@]GROUP[:PORT][?KEY=VALUE&...]`. IPv6 groups are written in
   * brackets. SOURCE sets #GstLmccSink:bind-address. The keys are
   * `multicast-iface`, `ttl-mc`, `latency-profile`, `latency` and `algorithm`;
   * each sets the property of that name. Any other key, for example one that
   * only #GstLmccSrc:uri has, is ignored with a warning. A new URI resets the
   * properties that the previous URI has set to their defaults, unless it sets
   * them too. Can be set in state NULL.
   *
   * Since: 0.1
   */
  { .name = "uri",
      .nick = "URI",
      .kind = GST_LMCC_PROPERTY_STRING,
      .blurb = "The session: lmcc://[SOURCE@]GROUP[:PORT][?KEY=VALUE&...]",
      .text = "lmcc://239.255.42.1:5004",
      .flags = READY,
      .computed = TRUE },
  /**
   * GstLmccSink:address:
   *
   * The multicast group of the base layer, IPv4 or IPv6. Layer i uses the i-th
   * address after it. A group of 232.0.0.0/8 or ff3x::/32 makes the session
   * source-specific. Groups of 224.0.0.0/24 are never routed and are refused.
   * Can be set in state NULL.
   *
   * If the property is not set, lmccsink listens for 300 ms in state PAUSED. If
   * another sender uses the default address, the session moves to the 32nd,
   * 64th or 96th address after it, and a warning says so.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (address, "address", "Address",
      "Multicast group of the base layer", "239.255.42.1", READY),
  /**
   * GstLmccSink:port:
   *
   * The UDP port of all groups; it must be even. RTCP packets use the next
   * port.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (port, "port", "Port",
      "UDP port of all groups; RTCP uses the next port", 1, 65534, 5004, READY),
  /**
   * GstLmccSink:multicast-iface:
   *
   * Name or address of the network interface to send on, or up to 8 of them,
   * separated by commas (`eth0,eth1`). With several interfaces each packet
   * leaves on each of them. All packets have the same source address:
   * #GstLmccSink:bind-address or, if that is unset, the address of the first
   * interface. An interface that cannot be used is skipped, with a warning,
   * until it becomes usable.
   *
   * If the property is unset, lmccsink uses the interface of the route to the
   * group. Without such a route it uses the loopback interface and posts an
   * info message.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (multicast_iface, "multicast-iface", "Multicast interface",
      "Name or address of the network interface to send on, or several "
      "(eth0,eth1)",
      NULL, READY | IN_URI),
  /**
   * GstLmccSink:bind-address:
   *
   * Local address to send from. If it is unset, packets come from the
   * interface's own address.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (bind_address, "bind-address", "Bind address",
      "Local address to send from (unset = the interface's address)", NULL,
      READY),
  /**
   * GstLmccSink:bind-port:
   *
   * Local UDP port that all packets to the groups come from; 0 takes any free
   * port. The port is bound at the interface's address or
   * #GstLmccSink:bind-address only, so receivers on this host can use the same
   * port for the groups. Reports arrive at #GstLmccSink:feedback-port.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (bind_port, "bind-port", "Bind port",
      "Local UDP port to send from (0 = any free port)", 0, G_MAXUINT16, 0,
      READY),
  /**
   * GstLmccSink:socket:
   *
   * A UDP socket of the group's address family. If it is set, all packets to
   * the groups are sent with it, and lmccsink opens none for them. lmccsink
   * sets TTL, loopback, DSCP and send buffer on it as the properties say, but
   * the interface only if #GstLmccSink:multicast-iface is set. The socket may
   * belong to another network namespace; lmccsink then neither listens for
   * other senders nor accepts reports. #GstLmccSink:bind-address and
   * #GstLmccSink:bind-port must stay unset, because the socket has its own.
   * Reports arrive at a separate socket. Can be set in state NULL.
   *
   * Since: 0.1
   */
  GST_LMCC_OBJECT (socket, "socket", "Socket",
      "Socket to send with (unset = lmccsink opens one)", g_socket_get_type,
      READY),
  /**
   * GstLmccSink:close-socket:
   *
   * Whether #GstLmccSink:socket is closed from READY to NULL. A closed socket
   * cannot be used again.
   *
   * Since: 0.1
   */
  GST_LMCC_BOOLEAN (close_socket, "close-socket", "Close socket",
      "Whether to close the socket that was set when going to state NULL", TRUE,
      READY),
  /**
   * GstLmccSink:used-socket:
   *
   * The socket that packets are sent with, from READY on; otherwise %NULL. If
   * #GstLmccSink:bind-port is set, lmccsink may open a new socket when this
   * host's address changes.
   *
   * Since: 0.1
   */
  { .name = "used-socket",
      .nick = "Used socket",
      .blurb = "Socket that packets are sent with",
      .flags = READABLE,
      .kind = GST_LMCC_PROPERTY_OBJECT,
      .get_type = g_socket_get_type,
      .computed = TRUE },
  /**
   * GstLmccSink:ttl-mc:
   *
   * How many networks the packets may cross. With 1 they stay in the local
   * network.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (ttl_mc, "ttl-mc", "Multicast TTL",
      "Time to live (IPv4) or hop limit (IPv6) of the packets", 0, 255, 1,
      READY | IN_URI),
  /**
   * GstLmccSink:loop:
   *
   * Whether receivers on this host also get the packets.
   *
   * Since: 0.1
   */
  GST_LMCC_BOOLEAN (loop, "loop", "Multicast loopback",
      "Whether receivers on this host get the packets", TRUE, READY),
  /**
   * GstLmccSink:qos-dscp:
   *
   * Differentiated services code point of the packets; -1 leaves the system's
   * default.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (qos_dscp, "qos-dscp", "QoS DSCP",
      "Differentiated services code point (-1 = default)", -1, 63, -1, READY),
  /**
   * GstLmccSink:buffer-size:
   *
   * Size of the kernel's send buffer in bytes; 0 leaves the system's default.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (buffer_size, "buffer-size", "Buffer size",
      "Kernel send buffer (bytes, 0 = system default)", 0, G_MAXINT, 0, READY),
  /**
   * GstLmccSink:max-burst:
   *
   * The maximum number of packets that leave at once. Larger bursts cost less
   * CPU time, because the thread wakes up less often, but need more room in the
   * queues on the path. With 0, packets that are due within 1 ms leave
   * together, which is a tenth of a queue of 10 ms. With 1, each packet leaves
   * at its own time. Larger values form bursts even if their packets are due
   * over up to 10 ms, and delay packets by that much: 10 packets at 2000
   * packets/s take 5 ms. Packet trains always keep their exact timing.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (max_burst, "max-burst", "Maximum burst",
      "Maximum number of packets sent at once (0 = those due within 1 ms)", 0,
      1024, 0, READY),
  /**
   * GstLmccSink:udp-segmentation:
   *
   * Whether packets of one group and size that leave together are handed to the
   * kernel as one super-packet, which the kernel or the network card splits
   * (UDP_SEGMENT). This saves most of the CPU time of sending. However, a
   * filter or queue on this host that drops a super-packet loses many packets
   * in a row. `auto` therefore uses super-packets only on the loopback
   * interface and on wired network cards that split them in hardware
   * (tx-udp-segmentation), and only if the interface has the kernel's own
   * queueing discipline. If the kernel or the interface refuses a super-packet,
   * packets are sent one by one.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (udp_segmentation, "udp-segmentation", "UDP segmentation",
      "Whether the kernel or the network card splits large sends into packets",
      gst_lmcc_segmentation_get_type, "auto", READY),
  /**
   * GstLmccSink:txtime:
   *
   * Whether packets are handed to the kernel up to 10 ms before they are due,
   * each with its transmit time (SO_TXTIME). Packets then leave exactly on
   * time, and one wake-up of the thread serves many of them. This needs a
   * queueing discipline that holds packets until their transmit time.
   *
   * `auto` does so if the root queueing discipline of the interface is fq, or
   * mq with fq for each queue, on Linux 5.8 or later. `on` does so with any
   * root queueing discipline; use it for an interface (VLAN, bond) on top of
   * one with fq. Without fq, packets leave too early, in bursts of 10 ms.
   *
   * Packets are handed over only when they are due if the root queueing
   * discipline is etf, which drops late packets, if the kernel refuses transmit
   * times, or if reports set the rate (#GstLmccSink:base-algorithm). Receivers
   * on this host get packets as soon as they are handed over.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (txtime, "txtime", "Transmit times",
      "Whether to hand packets to the kernel early, with their transmit times",
      gst_lmcc_txtime_get_type, "auto", READY),
  /**
   * GstLmccSink:send-timeout:
   *
   * Time in ms, at least 1000, after which an error ends the session if no
   * packet could be sent, for example because the link is down or a firewall
   * blocks the packets; 0 disables the error. A warning gives the reason after
   * 1 s. The default is longer than a switch takes to boot, and longer than a
   * DHCP client waits before it retries (dhclient: 300 s).
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (send_timeout, "send-timeout", "Send timeout",
      "Time without a sent packet after which sending fails (ms, 0 = never)", 0,
      G_MAXINT, 600000, READY),
  /**
   * GstLmccSink:mtu:
   *
   * The maximum size of an RTP packet in bytes, including lmcc's header
   * extension. IP and UDP headers are added to it. If the interface can only
   * send smaller packets without fragmentation, one warning says so.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (mtu, "mtu", "MTU",
      "Maximum size of an RTP packet, without IP and UDP headers (bytes)", 128,
      LMCC_MAX_PACKET_SIZE, 1400, READY),
  /**
   * GstLmccSink:layering:
   *
   * How the layers are made. With `native`, each importance class of each rung
   * is one layer and has the rate that the encoder produces. With all other
   * values, layers have fixed rates. They are filled with one group of pictures
   * at a time, the most important data in the lowest layers (see
   * #GstLmccSink:window).
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (layering, "layering", "Layering",
      "How layers are made: as the codec makes them, or with fixed rates",
      gst_lmcc_layering_get_type, "native", READY),
  /**
   * GstLmccSink:levels:
   *
   * Which layers a receiver joins at each level.
   *
   * * `cumulative`: a layer and all layers below it.
   * * `fallback`, for several encodings of the video with `layering=native`:
   *   each encoding is one layer. A receiver always joins the lowest encoding,
   *   and at each higher level one more. It does not receive the encodings in
   *   between, and it has the lowest one at once when the level drops.
   * * `replicated`, also for several encodings: one encoding only, beside a
   *   base layer with just the audio and the session record. When the level
   *   drops, the picture freezes until the next key frame of the lower
   *   encoding.
   * * `auto`: `fallback` for several encodings with `layering=native`,
   *   otherwise `cumulative`. With RLM it is always `cumulative`, because RLM
   *   loses more packets with `fallback` behind a shared link.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (levels, "levels", "Levels",
      "Which layers a receiver joins at each level", gst_lmcc_levels_get_type,
      "auto", READY),
  /**
   * GstLmccSink:layers:
   *
   * The number of layers with fixed rates. Ignored with `layering=native` and
   * `layering=explicit`.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (layers, "layers", "Layers",
      "Number of layers with fixed rates", 1, LMCC_MAX_LAYERS, 6, READY),
  /**
   * GstLmccSink:base-rate:
   *
   * The rate of the base layer in bit/s, including all headers and its RTCP
   * packets. The rates of the other layers follow from it. Ignored with
   * `layering=native` and `layering=explicit`.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT64 (base_rate, "base-rate", "Base rate",
      "Fixed rate of the base layer, with IP headers (bit/s)", 1,
      G_GUINT64_CONSTANT (1000000000000), 128000, READY),
  /**
   * GstLmccSink:rate-factor:
   *
   * The factor by which each layer multiplies the cumulative rate of all layers
   * up to it, for `layering=multiplicative`.
   *
   * Since: 0.1
   */
  GST_LMCC_DOUBLE (rate_factor, "rate-factor", "Rate factor",
      "Growth factor of the cumulative rate per layer, for "
      "layering=multiplicative",
      1.001, 1000, 1.3, READY),
  /**
   * GstLmccSink:layer-rates:
   *
   * The rate of each layer for `layering=explicit` in bit/s, base layer first,
   * separated by commas: `128k,128k,1.5M`.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (layer_rates, "layer-rates", "Layer rates",
      "Rates of the layers for layering=explicit, base first, such as "
      "128k,128k,1.5M (bit/s)",
      NULL, READY),
  /**
   * GstLmccSink:latency-profile:
   *
   * Trade-off between latency and picture quality. `live`, `balanced` and
   * `quality` set #GstLmccSink:window, #GstLmccSink:repair, the key-frame
   * interval and, for raw video, the look-ahead of the encoders. A property
   * that is set explicitly takes precedence. docs/users/elements.md has a
   * table. Receivers learn the sender's settings from the session record;
   * #GstLmccSrc:latency-profile sets the receiver's own latency.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (latency_profile, "latency-profile", "Latency profile",
      "Trade-off between latency and picture quality",
      gst_lmcc_latency_profile_get_type, "balanced", READY | IN_URI),
  /**
   * GstLmccSink:window:
   *
   * The maximum time in ms that the sender holds a packet after its decoding
   * time. Receivers add it to their latency.
   *
   * With `layering=native` the window smooths the rate of a layer; the default
   * is 100 ms. With fixed rates the sender first collects a group of pictures
   * and then sends it. The default window is then 2.2 times the key-frame
   * interval plus 200 ms, and at most 4400 ms. If lmccsink encodes raw video
   * itself, the default is about 1 s. The key-frame interval comes from
   * #GstLmccSink:key-unit-interval or the upstream encoder, otherwise from the
   * first two key frames. If key frames come further apart later, the window
   * grows, and a warning says so. If you set the window, make it twice the
   * key-frame interval plus 400 ms.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (window, "window", "Window",
      "Time over which the sender spreads packets (ms, 0 = 100 for native "
      "layers, from the key-frame interval for fixed rates)",
      0, 60000, 0, READY),
  /**
   * GstLmccSink:latency:
   *
   * Latency in ms that receivers add to their own. It does not delay the
   * sender. If the encoder reorders pictures, the session announces at least
   * the latency that a decoder needs if it only gets the base layer. Such a
   * decoder holds a picture until later ones have arrived, and these are
   * further apart in the base layer than in the whole stream.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (latency, "latency", "Latency",
      "Minimum latency that receivers add to their own (ms)", 0, 60000, 0,
      READY | IN_URI),
  /**
   * GstLmccSink:algorithm:
   *
   * The congestion control algorithm that the session announces and that
   * packets are marked for. Receivers run it unless their user has chosen
   * another one. With `none`, the users of receivers set the level. `auto`, the
   * default, is plumb. `rlc`, `flid-sl`, `flid-dl` and `synchronized` need
   * layers with fixed rates (see #GstLmccSink:layering), and `rlc` needs rates
   * that double; otherwise an error explains the reason. `pgmcc` and `tfmcc`
   * send one encoding at the rate of the slowest receiver (see
   * #GstLmccSink:drive-encoder).
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (algorithm, "algorithm", "Algorithm",
      "Congestion control that the session announces (auto: plumb)",
      gst_lmcc_algorithm_get_type, "auto", READY | IN_URI),
  /**
   * GstLmccSink:algorithm-settings:
   *
   * How packets are marked for #GstLmccSink:algorithm: a structure with the
   * name of the algorithm and its non-default settings, such as
   * `flid-dl,nominal-rtt=0.05,probabilities=hill-climb-log`. Times are in
   * seconds. `probabilities` can also be one number for each layer:
   * `probabilities="0.33,0.2,0.09,0"`. An unknown algorithm, setting or value
   * makes the change to READY fail, and the error lists the valid ones.
   *
   * Since: 0.1
   */
  GST_LMCC_STRUCTURE (algorithm_settings, "algorithm-settings",
      "Algorithm settings",
      "Name of the algorithm and its non-default settings, such as "
      "flid-dl,nominal-rtt=0.05 (gst-lmcc-1.0 algorithms NAME lists them)",
      READY),
  /**
   * GstLmccSink:base-algorithm:
   *
   * With `pgmcc` or `tfmcc`, receiver reports set the rate of the base layer to
   * that of the slowest receiver. #GstLmccSink:algorithm, which must then be
   * `elm` or `rlm`, chooses the layers above it. This needs native layers,
   * feedback and no repair data; otherwise an error explains the reason.
   * #GstLmccSink:drive-encoder controls the encoder of the lowest rung.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (base_algorithm, "base-algorithm", "Base algorithm",
      "Algorithm that sets the rate of the base layer if receivers choose the "
      "layers above it",
      gst_lmcc_base_algorithm_get_type, "none", READY),
  /**
   * GstLmccSink:rtt-max:
   *
   * The round-trip time in ms that receivers assume until they have measured
   * their own. Set it at least as high as the round-trip time of any receiver
   * (R_max, RFC 4654 section 3.1).
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (rtt_max, "rtt-max", "Maximum RTT",
      "Round-trip time that receivers assume until they have measured theirs "
      "(ms)",
      1, 60000, LMCC_DEFAULT_RTT_MAX / LMCC_MSECOND, READY),
  /**
   * GstLmccSink:feedback:
   *
   * Whether receivers send reports, which the sender answers so that receivers
   * can measure their round-trip times. Reports and answers together stay below
   * 5 % of the rate of the base layer. Without feedback, receivers use the time
   * that a join takes, and cannot ask for key frames (see
   * #GstLmccSink:key-unit-interval).
   *
   * Since: 0.1
   */
  GST_LMCC_BOOLEAN (feedback, "feedback", "Feedback",
      "Whether receivers send reports, to measure round-trip times", TRUE,
      READY),
  /**
   * GstLmccSink:feedback-port:
   *
   * The UDP port at this host's own address that receives reports. The session
   * announces it. 0 is the port after #GstLmccSink:port or, if another program
   * uses that, any free port. Firewalls must let packets to this port pass.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (feedback_port, "feedback-port", "Feedback port",
      "UDP port that receives reports (0 = port + 1, or any free port)", 0,
      65535, 0, READY),
  /**
   * GstLmccSink:pt:
   *
   * RTP payload type of the first rung. Rung i uses the i-th payload type after
   * it. Audio, repair and filler packets use the payload types after that of
   * the last possible rung.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (pt, "pt", "Payload type", "RTP payload type of the first rung",
      96, 111, LMCC_DEFAULT_PAYLOAD_TYPE, READY),
  /**
   * GstLmccSink:sync:
   *
   * Whether pictures are sent at their decoding times on the pipeline's clock.
   * If not, they are sent as soon as they arrive.
   *
   * Since: 0.1
   */
  GST_LMCC_BOOLEAN (sync, "sync", "Sync",
      "Whether to send pictures at their decoding times", TRUE, READY),
  /**
   * GstLmccSink:rung-timeout:
   *
   * The maximum time in ms that a picture waits for the pads that do not have
   * it yet. After that time the late pad is skipped until its next key frame,
   * and counted in #GstLmccSink:stats.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (rung_timeout, "rung-timeout", "Rung timeout",
      "Maximum time that a picture waits for other pads (ms)", 0, 60000, 200,
      READY),
  /**
   * GstLmccSink:key-unit-interval:
   *
   * Interval in ms at which lmccsink requests key frames from the encoders of
   * all rungs, in addition to those that the encoders make on their own.
   * lmccsink also requests a key frame when a receiver has no picture, at most
   * once in two seconds.
   *
   * With -1 it makes only those requests. If #GstLmccSink:feedback is off, or
   * this host has no address that receivers could report to, it instead
   * requests a key frame about two seconds after each key frame. 0 leaves key
   * frames to the encoders; lmccsink then requests one only if the encoders are
   * not aligned or have to restart.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (key_unit_interval, "key-unit-interval", "Key unit interval",
      "Interval of key-frame requests to all encoders (ms, -1 = only for "
      "receivers without a picture, 0 = leave key frames to the encoders)",
      -1, 600000, -1, READY),
  /**
   * GstLmccSink:repair:
   *
   * The amount of repair data (forward error correction) as a share of the
   * media. Receivers can recover as many lost packets of a block as they have
   * repair packets of it.
   *
   * With fixed rates the share is reserved in the layers that matter most: the
   * class that all others depend on, and the next one. Any part of a rate that
   * media does not use is also filled with repair data, before filler. Native
   * layers have one common share, which goes to the blocks where it saves most
   * pictures: a layer's part of a block gets up to twice the share, rounded up
   * to a packet.
   *
   * -2 is what the losses that receivers report require, from 0 to 0.25, and to
   * 0.5 in the base layer. Losses in a long queue do not count. Until the first
   * report, and where none come, it is the value of -1. With native layers, the
   * latency of #GstLmccSink:repair-delay is added from the start. The
   * statistics have `repair-loss-rate`, `repair-burst`, `repair-reporters`,
   * `repair-target` and `repair-base-target`.
   *
   * -1 is 0.1 with fixed rates, where repair adds no latency, and none with
   * native layers, where it does (see #GstLmccSink:repair-delay). `gst-lmcc-1.0
   * plan` shows the effect of a share with fixed rates.
   *
   * Since: 0.1
   */
  GST_LMCC_DOUBLE (repair, "repair", "Repair",
      "Repair data as a share of the media (0 = none, -1 = 0.1 for fixed "
      "rates, none for native layers, -2 = as receivers report losses)",
      GST_LMCC_REPAIR_AUTO, 10, GST_LMCC_REPAIR_DEFAULT, READY),
  /**
   * GstLmccSink:repair-base:
   *
   * The share of repair data in the base layer, if #GstLmccSink:repair is used.
   * All receivers join the base layer, and it is the smallest part of the
   * session. When a receiver tries a layer that does not fit, the base layer
   * loses the same percentage of packets as the others. The layers above also
   * carry repair data for the base layer, for the receivers that have joined
   * them.
   *
   * Since: 0.1
   */
  GST_LMCC_DOUBLE (repair_base, "repair-base", "Repair of the base",
      "Repair data in the base layer as a share of its media (0 = none, -1 = "
      "twice that of the other layers for fixed rates, up to twice for native "
      "layers)",
      -1, 10, -1, READY),
  /**
   * GstLmccSink:repair-loss:
   *
   * The share of packets that is expected to be lost. Repair data goes to the
   * blocks where it saves most pictures at this loss. With
   * #GstLmccSink:repair = -2, receivers may report more.
   *
   * Since: 0.1
   */
  GST_LMCC_DOUBLE (repair_loss, "repair-loss", "Repair loss",
      "Expected share of lost packets that repair data is planned for", 0.0001,
      0.9, LMCC_DEFAULT_REPAIR_LOSS, READY),
  /**
   * GstLmccSink:repair-burst:
   *
   * The expected mean number of packets of a layer that are lost in a row. 1
   * means that losses are independent.
   *
   * Since: 0.1
   */
  GST_LMCC_DOUBLE (repair_burst, "repair-burst", "Repair burst",
      "Expected mean number of packets lost in a row", 1, 1000, 1, READY),
  /**
   * GstLmccSink:repair-delay:
   *
   * Half of the latency in ms that repair adds at receivers with
   * `layering=native`. Packets are collected for a block for three quarters of
   * twice this time, and their repair data follows in the last quarter. With a
   * longer delay more packets share the repair data. Below about 20 packets in
   * a block much of the repair data is wasted.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (repair_delay, "repair-delay", "Repair delay",
      "Half of the latency that repair of native layers adds (ms)", 1, 30000,
      LMCC_DEFAULT_REPAIR_DELAY / LMCC_MSECOND, READY),
  /**
   * GstLmccSink:train-interval:
   *
   * Interval in ms of the packet trains for each level. During a train, packets
   * that are due soon leave at the rate of the next level for about 50 ms.
   * Receivers with `elm` and `plumb` then know whether the next layer fits
   * without joining it, and receivers behind the same link choose the same
   * level. 0 sends no trains. -1 depends on #GstLmccSink:algorithm: 2000, the
   * value that the measurements used, with `plumb`, and none with other
   * algorithms.
   *
   * Trains add no traffic and delay no packet beyond the end of its window. On
   * a full link shared with TCP, trains cost receivers with `elm` up to a fifth
   * of their rate. `rlc`, `flid-sl`, `flid-dl`, `synchronized`, `pgmcc` and
   * `tfmcc` schedule packets themselves and use no trains.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (train_interval, "train-interval", "Train interval",
      "Interval of packet trains for each level (ms, 0 = none, -1 = as the "
      "algorithm needs)",
      -1, 60000, -1, READY),
  /**
   * GstLmccSink:codec:
   *
   * The encoder for raw video: `h264` uses #x264ladderenc, `vp9` uses
   * #vp9svcenc, and `j2k` uses #j2klayerenc. Ignored for video that is already
   * encoded.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (codec, "codec", "Codec", "Codec for raw video",
      gst_lmcc_codec_get_type, "h264", READY),
  /**
   * GstLmccSink:encoder-settings:
   *
   * Properties of the element that encodes raw video, as a structure with any
   * name: `x264,bitrates="150k,400k,1M",speed-preset=veryfast`. Properties that
   * it does not contain follow from the picture and the layers. Use
   * #GstLmccSink::encoder-setup for the properties of each single encoder.
   *
   * Since: 0.1
   */
  GST_LMCC_STRUCTURE (encoder_settings, "encoder-settings", "Encoder settings",
      "Properties of the element that encodes raw video", READY),
  /**
   * GstLmccSink:estimated-bitrate:
   *
   * The bitrate in bit/s that the encoder should produce, with `pgmcc` or
   * `tfmcc` as #GstLmccSink:algorithm or #GstLmccSink:base-algorithm. It is the
   * smoothed rate of the slowest receiver, minus headers, RTCP packets and the
   * rate needed to empty the queue. It applies to the encoder of the lowest
   * rung. If layers above the base carry part of that encoder's output, it is
   * larger in the proportion of their current rates to that of the base. The
   * property is notified when it changes by more
   * than 4 %, at most ten times per second. 0 means that it is not known yet.
   *
   * Since: 0.1
   */
  GST_LMCC_COMPUTED (UINT64, "estimated-bitrate", "Estimated bitrate",
      "Bitrate that the encoder should produce (bit/s, 0 = unknown)", 0,
      G_MAXUINT64, 0, READABLE),
  /**
   * GstLmccSink:drive-encoder:
   *
   * Whether lmccsink sets the bitrate of the upstream encoder to
   * #GstLmccSink:estimated-bitrate, within #GstLmccSink:min-bitrate and
   * #GstLmccSink:max-bitrate. It supports x264enc, x265enc, openh264enc, vp8enc
   * and vp9enc, as well as vp9svcenc and j2klayerenc, which scale all their
   * layers. It finds them through parsers, queues and bins. Use
   * #GstLmccSink::encoder-bitrate for other encoders.
   *
   * Since: 0.1
   */
  GST_LMCC_BOOLEAN (drive_encoder, "drive-encoder", "Drive encoder",
      "Whether to set the encoder's bitrate to the estimated bitrate", FALSE,
      READY),
  /**
   * GstLmccSink:min-bitrate:
   *
   * The minimum bitrate of the encoder in bit/s, even if the network carries
   * less. Data that cannot be sent within 500 ms is then dropped.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT64 (min_bitrate, "min-bitrate", "Minimum bitrate",
      "Minimum bitrate that drive-encoder sets (bit/s)", 1, G_MAXINT64, 64000,
      READY),
  /**
   * GstLmccSink:max-bitrate:
   *
   * The maximum bitrate of the encoder in bit/s; 0 is the bitrate that the
   * encoder was set to at first.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT64 (max_bitrate, "max-bitrate", "Maximum bitrate",
      "Maximum bitrate that drive-encoder sets (bit/s, 0 = the encoder's "
      "initial bitrate)",
      0, G_MAXINT64, 0, READY),
  /**
   * GstLmccSink:sdp-location:
   *
   * A file that the session description (SDP) is written to whenever it
   * changes. With it, a player that does not support layers can play the base
   * layer.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (sdp_location, "sdp-location", "SDP location",
      "File to write the session description (SDP) to", NULL, READY),
  /**
   * GstLmccSink:session-name:
   *
   * The name of the session in its description (`s=`), for people to read.
   * Control characters become spaces, and the name is cut after 255 bytes.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (session_name, "session-name", "Session name",
      "Name of the session in its description", "lmcc layered multicast",
      READY),
  /**
   * GstLmccSink:sdp:
   *
   * The session description (RFC 8866); %NULL before the session exists.
   *
   * Since: 0.1
   */
  GST_LMCC_COMPUTED (STRING, "sdp", "SDP", "Session description (SDP)", 0, 0, 0,
      READABLE),
  /**
   * GstLmccSink:stats:
   *
   * A #GstStructure `application/x-lmcc-sink-stats`. Times are in ms, rates in
   * bit/s. Unknown fields are absent.
   *
   * * #guint64 `packets-sent`, `bytes-sent`: RTP packets and their bytes, with
   *   IP and UDP headers
   * * #guint64 `control-bytes-sent`: bytes of RTCP packets, with IP and UDP
   *   headers
   * * #guint64 `units`, `units-late`: pictures, and how many of them arrived
   *   too late
   * * #GST_TYPE_ARRAY `units-dropped` of #guint64: pictures that were dropped
   *   because their layers were full, by class
   * * #guint64 `windows-cut`: windows that ended before the next key frame
   * * #gdouble `window-ms`, `latency-ms`: window and latency that the session
   *   announces
   * * #gdouble `repair-delay-ms`: latency that repair adds, as the session
   *   announces it
   * * #guint64 `repair-blocks`: blocks with repair packets
   * * #guint64 `repairs-late`: repair packets that were dropped because their
   *   time was over
   * * #gdouble `repair-loss-rate`, #gdouble `repair-burst`, #guint
   *   `repair-reporters`: with `repair=-2`, the share of lost packets that
   *   repair data is expected to be needed for, the mean number of packets lost
   *   in a row, and how many addresses sent a loss report in the last 30 s
   * * #gdouble `repair-target`, #gdouble `repair-base-target`: the share of
   *   repair data that follows from these, and that of the base layer
   * * #gdouble `repair-share`: bytes of repair packets divided by bytes of
   *   media
   * * #guint64 `units-left-out`, `audio-left-out`: pictures of rungs that were
   *   skipped, and skipped audio packets
   * * #guint64 `packets-oversize`: packets larger than #GstLmccSink:mtu
   * * #guint64 `key-units-misaligned`: pictures that are key frames in some
   *   rungs only
   * * #gdouble `lateness-max-ms`: maximum delay of a packet beyond its time
   * * #gdouble `pacing-step-ms`: packets that are due within this time leave
   *   together at present (see #GstLmccSink:max-burst)
   * * #gboolean `udp-segmentation`: whether super-packets are in use (see
   *   #GstLmccSink:udp-segmentation)
   * * #gboolean `txtime`: whether packets are handed over early, with transmit
   *   times (see #GstLmccSink:txtime)
   * * #guint64 `send-errors`: packets that the kernel refused
   * * #guint64 `reports`, `answers`: receiver reports, and answers to them
   * * #guint64 `reports-malformed`, `reports-dropped`: datagrams at the
   *   feedback port that are no valid reports, and reports that were too large
   *   or too many at once
   * * #guint64 `answers-dropped`: answers that exceeded the feedback's share of
   *   the rate of the base layer, or that a newer report has replaced
   * * #guint64 `key-requests`, `key-units-requested`: requests of receivers
   *   that have no picture, and key frames that were requested from the
   *   encoders because of them
   * * #gdouble `receivers`: estimated number of receivers that report
   * * #guint64 `feedback-bitrate`: rate of reports and answers since the
   *   session began
   * * #gdouble `feedback-interval-ms`: interval between reports that receivers
   *   are told to keep; 0 = no reports
   * * #gchararray `base-algorithm`: #GstLmccSink:base-algorithm of the session
   * * #GstStructure `single-rate`, only with `pgmcc` and `tfmcc`, also as base
   *   algorithm: #gdouble `bitrate` (with IP headers), #guint64
   *   `estimated-bitrate`, #gdouble `rtt-ms` (pgmcc: smoothed round-trip time
   *   of the ackers; tfmcc: R_max), #guint `leader` (SSRC of the acker or the
   *   current limiting receiver), #gdouble `loss-rate` (of the acker),
   *   `window-packets`, #guint64 `stalls`, `acker-switches`, `reports-refused`
   *   (implausible reports), `reports-foreign` (reports in the leader's name
   *   from another address), `units-expired` (dropped because they were too
   *   old), `audio-dropped`, #gdouble `age-max-ms` (maximum age of a picture
   *   when it was sent)
   * * #GST_TYPE_ARRAY `layers` of structures: #guint `layer`, #guint64
   *   `bitrate` and `cumulative-bitrate` (of the lowest level that contains the
   *   layer), `packets-sent`, `bytes-sent`, `fillers-sent`, `repairs-sent`,
   *   `repair-bytes-sent`, #guint `packets-queued`, `stream`, `class`,
   *   #gchararray `address`
   * * #GST_TYPE_ARRAY `levels` of structures: #guint `level`, #guint64
   *   `bitrate` (of all layers of the level), #GST_TYPE_ARRAY `layers` of
   *   #guint64 (numbers of these layers)
   * * #GST_TYPE_ARRAY `rungs` of structures: #guint `pad`, #guint64
   *   `units-left-out`, #guint `units-queued`
   *
   * Since: 0.1
   */
  GST_LMCC_COMPUTED (STRUCTURE, "stats", "Statistics",
      "Statistics of the session", 0, 0, 0, READABLE),
  /**
   * GstLmccSink:stats-update-interval:
   *
   * Interval in ms at which #GstLmccSink:stats is notified; 0 disables the
   * notifications.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (stats_update_interval, "stats-update-interval",
      "Statistics update interval",
      "Interval at which stats is notified (ms, 0 = never)", 0, G_MAXINT, 0,
      READY),
};

const GstLmccPropertyTable gst_lmcc_sink_properties = { rows,
  G_N_ELEMENTS (rows), sizeof (GstLmccSinkProperties) };

const GstLmccUriForm gst_lmcc_sink_uri_form = { &gst_lmcc_sink_properties,
  G_STRUCT_OFFSET (GstLmccSinkProperties, address),
  G_STRUCT_OFFSET (GstLmccSinkProperties, port),
  G_STRUCT_OFFSET (GstLmccSinkProperties, bind_address) };
