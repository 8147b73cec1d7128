/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The properties of lmccsink: what they are, and what they mean. */
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
   * `lmcc://[SOURCE@]GROUP[:PORT][?KEY=VALUE&...]`, IPv6 addresses of groups in
   * brackets; SOURCE is #GstLmccSink:bind-address. The keys are
   * `multicast-iface`, `ttl-mc`, `latency-profile`, `latency` and `algorithm`,
   * each as the property of that name; another key, such as those that only
   * #GstLmccSrc:uri has, is passed over with a warning. What an earlier URI had
   * set is the default again, unless the new one says it. Set in state NULL.
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
   * The multicast group of the base layer; layer i goes to the i-th address
   * after it. IPv4 or IPv6; a group of 232.0.0.0/8 or ff3x::/32 makes a
   * source-specific session; 224.0.0.0/24, which is never routed, is refused.
   * Set in state NULL. Where it is not set and somebody else is heard to send
   * to the default one at the start, for which it listens for 300 ms from
   * PAUSED on, the session goes to the 32nd, 64th or 96th address after that,
   * with a warning that says so.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (address, "address", "Address",
      "Multicast group of the base layer", "239.255.42.1", READY),
  /**
   * GstLmccSink:port:
   *
   * The UDP port of all groups, an even one; the control packets go to the next
   * one.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (port, "port", "Port",
      "UDP port of all groups; control packets use the next one", 1, 65534,
      5004, READY),
  /**
   * GstLmccSink:multicast-iface:
   *
   * Name or address of the network interface to send on, or several with commas
   * in between (`eth0,eth1`), up to 8: then each packet leaves by each of them,
   * from one address, that of the first or #GstLmccSink:bind-address. One that
   * cannot be used is left out, with a warning, until it can. Unset: the one
   * that the route to the group names, or the loopback interface where there is
   * no route, which an info message says.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (multicast_iface, "multicast-iface", "Multicast interface",
      "Name or address of the interface to send on, or several (eth0,eth1)",
      NULL, READY | IN_URI),
  /**
   * GstLmccSink:bind-address:
   *
   * Local address to send from. Unset: the interface's own.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (bind_address, "bind-address", "Bind address",
      "Local address to send from", NULL, READY),
  /**
   * GstLmccSink:bind-port:
   *
   * Local UDP port that all packets to the groups come from; 0: any that is
   * free. It is that of the interface's address, or of
   * #GstLmccSink:bind-address, so that receivers on this host may have the same
   * port on the groups. Reports come to #GstLmccSink:feedback-port.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (bind_port, "bind-port", "Bind port",
      "Local UDP port to send from (0 = any)", 0, G_MAXUINT16, 0, READY),
  /**
   * GstLmccSink:socket:
   *
   * A UDP socket of the group's family that all packets to the groups are sent
   * by, instead of one that lmccsink opens. TTL, loopback, DSCP and send buffer
   * are set on it as the properties say; the interface only where
   * #GstLmccSink:multicast-iface is set. It may be of another network
   * namespace: then nobody listens for other senders, and no reports are taken.
   * #GstLmccSink:bind-address and #GstLmccSink:bind-port cannot be set then,
   * as the socket has its own. Reports, if any, come to another socket. Set in
   * state NULL.
   *
   * Since: 0.1
   */
  GST_LMCC_OBJECT (socket, "socket", "Socket",
      "Socket to send by (unset = one is opened)", g_socket_get_type, READY),
  /**
   * GstLmccSink:close-socket:
   *
   * Whether #GstLmccSink:socket is closed from READY to NULL. Such a socket
   * cannot be used again.
   *
   * Since: 0.1
   */
  GST_LMCC_BOOLEAN (close_socket, "close-socket", "Close socket",
      "Whether the socket that was set is closed in state NULL", TRUE, READY),
  /**
   * GstLmccSink:used-socket:
   *
   * The socket that packets are sent by, from READY on; else %NULL. One that
   * lmccsink has opened may be another one after this host's address has
   * changed, where #GstLmccSink:bind-port is set.
   *
   * Since: 0.1
   */
  { .name = "used-socket",
      .nick = "Used socket",
      .blurb = "Socket that packets are sent by",
      .flags = READABLE,
      .kind = GST_LMCC_PROPERTY_OBJECT,
      .get_type = g_socket_get_type,
      .computed = TRUE },
  /**
   * GstLmccSink:ttl-mc:
   *
   * How many networks the packets may cross: 1 keeps them in the local one.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (ttl_mc, "ttl-mc", "Multicast TTL",
      "Time to live or hop limit of the packets", 0, 255, 1, READY | IN_URI),
  /**
   * GstLmccSink:loop:
   *
   * Whether receivers on this host get the packets too.
   *
   * Since: 0.1
   */
  GST_LMCC_BOOLEAN (loop, "loop", "Multicast loopback",
      "Whether receivers on this host get the packets", TRUE, READY),
  /**
   * GstLmccSink:qos-dscp:
   *
   * Differentiated services code point of the packets; -1 leaves the default.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (qos_dscp, "qos-dscp", "QoS DSCP",
      "Differentiated services code point (-1 = default)", -1, 63, -1, READY),
  /**
   * GstLmccSink:buffer-size:
   *
   * The kernel's send buffer in bytes; 0 leaves the default.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (buffer_size, "buffer-size", "Buffer size",
      "Kernel send buffer in bytes (0 = default)", 0, G_MAXINT, 0, READY),
  /**
   * GstLmccSink:max-burst:
   *
   * How many packets leave together at most. A thread that wakes up for each
   * packet costs more than what it sends; packets that leave together need room
   * in the queues on their way. 0: as many as are due within 1 ms, a tenth of a
   * queue of 10 ms. 1: each packet leaves at its time. Any other number
   * holds also where so many take up to 10 ms, which delays them by as much:
   * with 10 it is 5 ms at 2000 packets/s. The trains of packets that tell
   * receivers what a path carries stay exact.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (max_burst, "max-burst", "Maximum burst",
      "Packets that leave together at most (0 = what is due within 1 ms)", 0,
      1024, 0, READY),
  /**
   * GstLmccSink:udp-segmentation:
   *
   * Whether packets of one group and size that leave together go to the kernel
   * as one super-packet, which it or the interface cuts (UDP_SEGMENT). That
   * spares most of the cost of sending. A filter or a queue on this host that
   * takes a super-packet whole loses many packets in a row, so that `auto`
   * makes super-packets on the loopback interface only, and on wired network
   * cards that cut them themselves (tx-udp-segmentation), where the interface
   * has the kernel's own queueing discipline. Where the kernel or the interface
   * refuses one, packets are sent singly.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (udp_segmentation, "udp-segmentation", "UDP segmentation",
      "Whether packets that leave together are one super-packet",
      gst_lmcc_segmentation_get_type, "auto", READY),
  /**
   * GstLmccSink:txtime:
   *
   * Whether packets are handed to the kernel up to 10 ms before they are due,
   * each with the time at which it is to leave (SO_TXTIME): packets leave
   * exactly at their times, and one wake-up serves many of them. It takes a
   * queueing discipline that keeps them so long. `auto` does so where the
   * interface's root is fq, or mq with fq for each queue, of Linux 5.8 or
   * later. `on` does so whatever the root is, for an interface (VLAN, bond)
   * above one that has fq; without fq anywhere packets leave too early, in
   * bursts of 10 ms. Where the root is etf, which drops what is late, where the
   * kernel refuses times, and where receivers' reports set the rate
   * (#GstLmccSink:base-algorithm), packets are handed over when they are due.
   * Receivers on this host get packets as soon as they are handed over.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (txtime, "txtime", "Transmit times",
      "Whether the queueing discipline is told when packets are to leave",
      gst_lmcc_txtime_get_type, "auto", READY),
  /**
   * GstLmccSink:send-timeout:
   *
   * After so many milliseconds, at least 1000, in which no packet could be
   * sent, because the link is down or a firewall forbids it, an error ends it;
   * 0 for never. A warning says why after 1 s. The default is longer than a
   * switch takes to start, and than a DHCP client waits until it asks again
   * where nobody answered (dhclient: 300 s).
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (send_timeout, "send-timeout", "Send timeout",
      "How long without sending until it fails (ms, 0 = never)", 0, G_MAXINT,
      600000, READY),
  /**
   * GstLmccSink:mtu:
   *
   * The largest RTP packet, our header extension included, in bytes. IP and UDP
   * headers come on top. Where the interface takes less in one piece a warning
   * says so, once.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (mtu, "mtu", "MTU", "Largest RTP packet in bytes", 128,
      LMCC_MAX_PACKET_SIZE, 1400, READY),
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
  GST_LMCC_ENUM (layering, "layering", "Layering",
      "What the layers are: the codec's classes, or of fixed rates",
      gst_lmcc_layering_get_type, "native", READY),
  /**
   * GstLmccSink:levels:
   *
   * Which layers a receiver holds. `cumulative`: at each level a layer and all
   * below it. `fallback`, for several encodings of the video with
   * `layering=native`: each encoding is one layer, and a receiver holds the
   * lowest one, and at each level above one more. Who shows an encoding does
   * not carry those between, and the lowest one is at once there where the
   * level falls. `replicated`, likewise: one encoding alone, beside a base that
   * has only the sound and the session's record; where the level falls, the
   * picture stands until the lower encoding's next key frame. `auto` is
   * `fallback` where there are several encodings with `layering=native`, but
   * with RLM, which behind a shared link loses more with it; and else
   * `cumulative`.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (levels, "levels", "Levels",
      "Which layers a receiver holds at each level", gst_lmcc_levels_get_type,
      "auto", READY),
  /**
   * GstLmccSink:layers:
   *
   * How many layers of fixed rates there are. `native` and `explicit` do not
   * use it.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (layers, "layers", "Layers", "Number of layers of fixed rates",
      1, LMCC_MAX_LAYERS, 6, READY),
  /**
   * GstLmccSink:base-rate:
   *
   * The rate of the base layer in bit/s, with all headers and the base's
   * control packets, from which those of the others follow. `native` and
   * `explicit` do not use it.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT64 (base_rate, "base-rate", "Base rate",
      "Fixed rate of the base layer (bit/s of IP packets)", 1,
      G_GUINT64_CONSTANT (1000000000000), 128000, READY),
  /**
   * GstLmccSink:rate-factor:
   *
   * With `layering=multiplicative` how many times the rate of all layers up to
   * one grows with the next.
   *
   * Since: 0.1
   */
  GST_LMCC_DOUBLE (rate_factor, "rate-factor", "Rate factor",
      "Growth of the cumulative rate with each layer, for "
      "layering=multiplicative",
      1.001, 1000, 1.3, READY),
  /**
   * GstLmccSink:layer-rates:
   *
   * With `layering=explicit` the rate of each layer, base first, with commas
   * between them: `128k,128k,1.5M`.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (layer_rates, "layer-rates", "Layer rates",
      "Rates of the layers, base first, such as 128k,128k,1.5M, for "
      "layering=explicit",
      NULL, READY),
  /**
   * GstLmccSink:latency-profile:
   *
   * How much latency there may be for the sake of quality. `live`, `balanced`
   * and `quality` set #GstLmccSink:window, #GstLmccSink:repair and the distance
   * of key frames, of raw video also how the encoders look ahead, each where it
   * is not set itself; docs/users/elements.md has a table. Receivers learn all
   * of it from the session; #GstLmccSrc:latency-profile sets what is their own.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (latency_profile, "latency-profile", "Latency profile",
      "How much latency there may be for the sake of quality",
      gst_lmcc_latency_profile_get_type, "balanced", READY | IN_URI),
  /**
   * GstLmccSink:window:
   *
   * How long a packet may be held after its decoding time, in milliseconds.
   * Receivers add it to their latency. With `layering=native` it evens out the
   * rate of a layer, and is 100 ms unless set. In layers of fixed rates a group
   * of pictures is first collected and then sent. Unless set, the window
   * follows the distance of the key frames there: 2.2 times that, and 200 ms; 1
   * s where lmccsink encodes raw video itself. It is what
   * #GstLmccSink:key-unit-interval or the encoder in front says, else what the
   * first two key frames show, and 4400 ms at most. Where key frames come
   * further apart later, it grows, and a warning says so. To set it take 400 ms
   * more than twice the distance.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (window, "window", "Window",
      "How long a packet may be held (ms, 0 = 100 for native layers, by the "
      "distance of key frames for fixed rates)",
      0, 60000, 0, READY),
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
  GST_LMCC_UINT (latency, "latency", "Latency",
      "What receivers add to their own latency, at least (ms)", 0, 60000, 0,
      READY | IN_URI),
  /**
   * GstLmccSink:algorithm:
   *
   * The congestion-control algorithm that the packets are marked for and that
   * the session announces: receivers run it unless they are told otherwise.
   * With `none` they hold what their users say. `auto`, the default, is plumb.
   * `rlc`, `flid-sl`, `flid-dl` and `synchronized` need layers of fixed rates
   * (see #GstLmccSink:layering), which have to double for `rlc`; else there is
   * an error that says why. `pgmcc` and `tfmcc` send one encoding at one rate,
   * that of the slowest receiver (see #GstLmccSink:drive-encoder).
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (algorithm, "algorithm", "Algorithm",
      "Congestion control that packets are marked for (auto: plumb)",
      gst_lmcc_algorithm_get_type, "auto", READY | IN_URI),
  /**
   * GstLmccSink:algorithm-settings:
   *
   * How the packets are marked for #GstLmccSink:algorithm: a structure of its
   * name, with settings that are not to have their standard values, such as
   * `flid-dl,nominal-rtt=0.05,probabilities=hill-climb-log`. Times are in
   * seconds. `probabilities` may be a number for each layer instead:
   * `probabilities="0.33,0.2,0.09,0"`. An algorithm, a setting or a value that
   * does not exist is an error on the way to READY, which lists those that do.
   *
   * Since: 0.1
   */
  GST_LMCC_STRUCTURE (algorithm_settings, "algorithm-settings",
      "Algorithm settings",
      "Name of the algorithm, and settings of its marks that are not standard,"
      " such as flid-dl,nominal-rtt=0.05 (gst-lmcc-1.0 algorithms NAME lists "
      "them)",
      READY),
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
  GST_LMCC_ENUM (base_algorithm, "base-algorithm", "Base algorithm",
      "What sets the rate of the base, where receivers choose layers above it",
      gst_lmcc_base_algorithm_get_type, "none", READY),
  /**
   * GstLmccSink:rtt-max:
   *
   * The round-trip time that receivers reckon with until they have measured
   * theirs, in milliseconds: not below that of any of them (R_max, RFC 4654
   * section 3.1).
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (rtt_max, "rtt-max", "Maximum RTT",
      "Round-trip time of receivers that have not measured theirs (ms)", 1,
      60000, LMCC_DEFAULT_RTT_MAX / LMCC_MSECOND, READY),
  /**
   * GstLmccSink:feedback:
   *
   * Whether receivers are asked for reports and answered, so that they know
   * their round-trip times. Reports and answers together stay below 5 % of the
   * base's rate. Without, receivers go by the time that a join takes, and
   * cannot ask for key frames (see #GstLmccSink:key-unit-interval).
   *
   * Since: 0.1
   */
  GST_LMCC_BOOLEAN (feedback, "feedback", "Feedback",
      "Whether receivers are asked for reports, to measure round-trip times",
      TRUE, READY),
  /**
   * GstLmccSink:feedback-port:
   *
   * The UDP port of this host's own address that takes reports; the session
   * announces it. 0 is the port after #GstLmccSink:port, or any that is free
   * where another program has that. A firewall must let it pass.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (feedback_port, "feedback-port", "Feedback port",
      "UDP port that takes reports (0 = port + 1, or any)", 0, 65535, 0, READY),
  /**
   * GstLmccSink:pt:
   *
   * RTP payload type of the first rung; rung i has the i-th after it, and
   * repair and filler packets the ones after the last possible rung and the
   * sound.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (pt, "pt", "Payload type", "RTP payload type of the first rung",
      96, 111, LMCC_DEFAULT_PAYLOAD_TYPE, READY),
  /**
   * GstLmccSink:sync:
   *
   * Whether pictures are sent at their decoding times on the pipeline's clock;
   * if not, as they come.
   *
   * Since: 0.1
   */
  GST_LMCC_BOOLEAN (sync, "sync", "Sync",
      "Send pictures at their decoding times", TRUE, READY),
  /**
   * GstLmccSink:rung-timeout:
   *
   * How long a picture waits for the pads that do not have it yet, in
   * milliseconds. A later pad is left out until its next key frame, and
   * counted.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (rung_timeout, "rung-timeout", "Rung timeout",
      "How long a picture waits for a late pad (ms)", 0, 60000, 200, READY),
  /**
   * GstLmccSink:key-unit-interval:
   *
   * Distance of the key frames that the encoders of all rungs are asked for, in
   * milliseconds, beside those that they make by themselves. They are also
   * asked when a receiver has no picture, at most once in two seconds. With -1
   * that is all; where #GstLmccSink:feedback is off, or this host has no
   * address that receivers could report to, they are asked some two seconds
   * after each key frame. 0 leaves key frames to the encoders, which are then
   * asked only where they do not agree, or have to begin anew.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (key_unit_interval, "key-unit-interval", "Key unit interval",
      "Ask all encoders for key frames so often (ms, -1 = only for receivers "
      "without a picture, 0 = leave them to the encoders)",
      -1, 600000, -1, READY),
  /**
   * GstLmccSink:repair:
   *
   * How much repair data there is, as a share of the media. With it receivers
   * make lost packets again, as many of a block as it has repair packets. In
   * layers of fixed rates the share is kept free for it in the layers that
   * pictures need most: the class that all others need, and the next one; what
   * media leaves of a rate is repair data too, before filler. Native layers
   * have one common share, which goes where it saves most pictures: what a
   * layer has in a block gets up to twice the share, rounded up to a packet.
   * -1 is 0.1 in layers of fixed rates, where it costs no latency, and none in
   * native ones, where it does (see #GstLmccSink:repair-delay). `gst-lmcc-1.0
   * plan` shows what a share is good for, with fixed rates.
   *
   * Since: 0.1
   */
  GST_LMCC_DOUBLE (repair, "repair", "Repair",
      "Repair data as a share of the media (0 = none, -1 = 0.1 in layers of "
      "fixed rates, none in native ones)",
      -1, 10, -1, READY),
  /**
   * GstLmccSink:repair-base:
   *
   * With #GstLmccSink:repair: the share of repair data in the base. All
   * receivers have the base, and it is the smallest part of the session; when a
   * receiver tries a layer that does not fit, the base loses as many packets of
   * a hundred as the others. The layers above have repair of the base, too, for
   * those who have them.
   *
   * Since: 0.1
   */
  GST_LMCC_DOUBLE (repair_base, "repair-base", "Repair of the base",
      "Repair data in the base as a share of its media (0 = none, -1 = twice "
      "that of the others in layers of fixed rates, up to that in native ones)",
      -1, 10, -1, READY),
  /**
   * GstLmccSink:repair-loss:
   *
   * The share of the packets whose loss is expected. The repair data goes to
   * the blocks where it saves most pictures at this loss.
   *
   * Since: 0.1
   */
  GST_LMCC_DOUBLE (repair_loss, "repair-loss", "Repair loss",
      "Share of lost packets that repair reckons with", 0.0001, 0.9,
      LMCC_DEFAULT_REPAIR_LOSS, READY),
  /**
   * GstLmccSink:repair-burst:
   *
   * How many packets of a layer are expected to be lost in a row, on average; 1
   * where losses do not depend on each other.
   *
   * Since: 0.1
   */
  GST_LMCC_DOUBLE (repair_burst, "repair-burst", "Repair burst",
      "Mean number of packets lost in a row", 1, 1000, 1, READY),
  /**
   * GstLmccSink:repair-delay:
   *
   * With `layering=native` half of what repair adds to the latency of
   * receivers, in milliseconds: of twice this time packets are collected for a
   * block for three quarters, and their repair data follows within the fourth.
   * The longer, the more packets share the repair data: below some 20 packets
   * in a block much of it is wasted.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (repair_delay, "repair-delay", "Repair delay",
      "Half of what repair of native layers adds to the latency (ms)", 1, 30000,
      LMCC_DEFAULT_REPAIR_DELAY / LMCC_MSECOND, READY),
  /**
   * GstLmccSink:train-interval:
   *
   * How often packets that are due soon leave at the rate of the next level for
   * some 50 ms, once for each level, in milliseconds: then receivers with `elm`
   * and `plumb` know whether the next layer fits without joining it, and those
   * behind one link hold one level. 2000 is what was measured; 0: never; -1: as
   * #GstLmccSink:algorithm wants, 2000 with `plumb` and never with others.
   * Nothing more is sent, and nothing later than its window's end. Beside TCP
   * on a full link receivers with `elm` get up to a fifth less by it. With
   * `rlc`, `flid-sl`, `flid-dl`, `synchronized`, `pgmcc` and `tfmcc`, which say
   * themselves when packets leave, there are no trains.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (train_interval, "train-interval", "Train interval",
      "From one train of packets for a level to its next (ms), 0: none, -1: as "
      "the algorithm wants",
      -1, 60000, -1, READY),
  /**
   * GstLmccSink:codec:
   *
   * What raw video is encoded with: `h264` by #x264ladderenc, `vp9` by
   * #vp9svcenc, `j2k` by #j2klayerenc. Encoded video does not use it.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (codec, "codec", "Codec", "What raw video is encoded with",
      gst_lmcc_codec_get_type, "h264", READY),
  /**
   * GstLmccSink:encoder-settings:
   *
   * Properties of the element that encodes raw video, in a structure of any
   * name: `x264,bitrates="150k,400k,1M",speed-preset=veryfast`. What they do
   * not say follows from the picture and the layers.
   * #GstLmccSink::encoder-setup reaches each encoder's own properties.
   *
   * Since: 0.1
   */
  GST_LMCC_STRUCTURE (encoder_settings, "encoder-settings", "Encoder settings",
      "Properties of the element that encodes raw video", READY),
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
  GST_LMCC_COMPUTED (UINT64, "estimated-bitrate", "Estimated bitrate",
      "What the encoder should make (bit/s, 0 = unknown)", 0, G_MAXUINT64, 0,
      READABLE),
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
  GST_LMCC_BOOLEAN (drive_encoder, "drive-encoder", "Drive encoder",
      "Set the encoder's rate to the estimated bitrate", FALSE, READY),
  /**
   * GstLmccSink:min-bitrate:
   *
   * What the encoder makes at least, in bit/s, whatever the network takes: what
   * cannot be sent within 500 ms is dropped then.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT64 (min_bitrate, "min-bitrate", "Minimum bitrate",
      "What drive-encoder sets at least (bit/s)", 1, G_MAXINT64, 64000, READY),
  /**
   * GstLmccSink:max-bitrate:
   *
   * What the encoder makes at most, in bit/s; 0: what it was set to before.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT64 (max_bitrate, "max-bitrate", "Maximum bitrate",
      "What drive-encoder sets at most (bit/s, 0 = what the encoder was set "
      "to)",
      0, G_MAXINT64, 0, READY),
  /**
   * GstLmccSink:sdp-location:
   *
   * A file that the session's description is written to, whenever it changes. A
   * player that knows nothing of layers opens the base layer with it.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (sdp_location, "sdp-location", "SDP location",
      "File for the session description", NULL, READY),
  /**
   * GstLmccSink:session-name:
   *
   * What the session is called in its description (`s=`), for people. Control
   * characters become spaces, and no more than 255 bytes are taken.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (session_name, "session-name", "Session name",
      "What the session is called in its description", "lmcc layered multicast",
      READY),
  /**
   * GstLmccSink:sdp:
   *
   * The session's description (RFC 8866); %NULL before there is a session.
   *
   * Since: 0.1
   */
  GST_LMCC_COMPUTED (STRING, "sdp", "SDP", "The session description", 0, 0, 0,
      READABLE),
  /**
   * GstLmccSink:stats:
   *
   * A #GstStructure `application/x-lmcc-sink-stats`. Times are in ms, rates in
   * bit/s. A field that is not known is left out.
   *
   * * #guint64 `packets-sent`, `bytes-sent`: RTP packets, with IP and UDP
   * headers
   * * #guint64 `control-bytes-sent`: RTCP, likewise
   * * #guint64 `units`, `units-late`: pictures; those that came too late among
   * them
   * * #GST_TYPE_ARRAY `units-dropped` of #guint64: pictures that had no place,
   * by class
   * * #guint64 `windows-cut`: windows that ended before the next key frame
   * * #gdouble `window-ms`, `latency-ms`: as the session announces them
   * * #gdouble `repair-delay-ms`: latency that repair adds, as the session
   * announces it
   * * #guint64 `repair-blocks`: blocks that got repair packets
   * * #guint64 `repairs-late`: repair packets whose time was over
   * * #gdouble `repair-share`: bytes of repair packets over those of media
   * * #guint64 `units-left-out`, `audio-left-out`: pictures of rungs that were
   *   left out; packets of sound
   * * #guint64 `packets-oversize`: packets above #GstLmccSink:mtu
   * * #guint64 `key-units-misaligned`: pictures that are key in some rungs only
   * * #gdouble `lateness-max-ms`: largest delay of a packet after its time
   * * #gdouble `pacing-step-ms`: packets that are due within so long leave
   *   together now (see #GstLmccSink:max-burst)
   * * #gboolean `udp-segmentation`: packets that leave together are one
   *   super-packet now (see #GstLmccSink:udp-segmentation)
   * * #gboolean `txtime`: packets are handed over before they are due now (see
   *   #GstLmccSink:txtime)
   * * #guint64 `send-errors`: packets that the kernel did not take
   * * #guint64 `reports`, `answers`: reports of receivers, and answers to them
   * * #guint64 `reports-malformed`, `reports-dropped`: datagrams to the
   * feedback
   *   port that were no reports; those that were too large, or too many at once
   * * #guint64 `answers-dropped`: answers that the feedback's share of the
   * base's
   *   rate had no room for
   * * #guint64 `key-requests`, `key-units-requested`: requests of receivers
   *   that have no picture, and key frames that the encoders were asked for
   *   because of them
   * * #gdouble `receivers`: how many report, estimated
   * * #guint64 `feedback-bitrate`: of reports and answers, since the
   *   session began
   * * #gdouble `feedback-interval-ms`: what receivers are told to keep between
   *   reports; 0 for no reports
   * * #gchararray `base-algorithm`: #GstLmccSink:base-algorithm of the session
   * * #GstStructure `single-rate`, with `pgmcc` and `tfmcc` only, for the base
   *   too: #gdouble
   *   `bitrate` (of IP packets), #guint64 `estimated-bitrate`, #gdouble
   *   `rtt-ms` (pgmcc: the ackers', smoothed; tfmcc: R_max), #guint `leader`
   *   (SSRC of the acker or the current limiting receiver), #gdouble
   *   `loss-rate` (the acker's), `window-packets`, #guint64 `stalls`,
   *   `acker-switches`, `reports-refused` (that could not be true),
   *   `reports-foreign` (in the leader's name, from elsewhere), `units-expired`
   *   (too old to be sent), `audio-dropped`, #gdouble `age-max-ms` (of a
   *   picture as it left)
   * * #GST_TYPE_ARRAY `layers` of structures: #guint `layer`, #guint64
   *   `bitrate` and `cumulative-bitrate` (of the lowest level that has the
   *   layer), `packets-sent`, `bytes-sent`, `fillers-sent`, `repairs-sent`,
   *   `repair-bytes-sent`, #guint `packets-queued`, `stream`, `class`,
   *   #gchararray `address`
   * * #GST_TYPE_ARRAY `levels` of structures: #guint `level`, #guint64
   *   `bitrate` of all layers that a receiver of it holds, #GST_TYPE_ARRAY
   *   `layers` of #guint64: which these are
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
   * How often #GstLmccSink:stats is notified, in milliseconds; 0 for never.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (stats_update_interval, "stats-update-interval",
      "Statistics update interval",
      "How often stats is notified (ms, 0 = never)", 0, G_MAXINT, 0, READY),
};

const GstLmccPropertyTable gst_lmcc_sink_properties = { rows,
  G_N_ELEMENTS (rows), sizeof (GstLmccSinkProperties) };

const GstLmccUriForm gst_lmcc_sink_uri_form = { &gst_lmcc_sink_properties,
  G_STRUCT_OFFSET (GstLmccSinkProperties, address),
  G_STRUCT_OFFSET (GstLmccSinkProperties, port),
  G_STRUCT_OFFSET (GstLmccSinkProperties, bind_address) };
