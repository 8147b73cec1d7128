/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The properties of lmccsrc. */
#include "config.h"

#include "src/settings.h"

#include "common/enums.h"

#define SETTINGS GstLmccSrcSettings
#define READY GST_LMCC_PROPERTY_READY
#define PLAYING GST_LMCC_PROPERTY_PLAYING
#define IN_URI GST_LMCC_PROPERTY_IN_URI
#define READABLE GST_LMCC_PROPERTY_READABLE

static const GstLmccProperty rows[] = {
  /**
   * GstLmccSrc:uri:
   *
   * `lmcc://[SOURCE@]GROUP[:PORT][?KEY=VALUE&...]`. IPv6 groups are written in
   * brackets. SOURCE sets #GstLmccSrc:multicast-source. The keys are
   * `max-level`, `max-bitrate`, `max-memory`, `latency`, `latency-profile`,
   * `algorithm`, `rtt-mode`, `rtt`, `multicast-iface`, `on-loss`,
   * `source-policy`, `eos-on-bye` and `eos-timeout`; each sets the property of
   * that name. Any other key is ignored with a warning. A new URI resets the
   * properties that the previous URI has set to their defaults, unless it sets
   * them too.
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
   * GstLmccSrc:address:
   *
   * The multicast group of the base layer, IPv4 or IPv6. The higher layers use
   * the addresses that follow it.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (address, "address", "Address",
      "Multicast group of the base layer", "239.255.42.1", READY),
  /**
   * GstLmccSrc:port:
   *
   * The UDP port of all groups. RTCP, which carries the session record, uses
   * the next port.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (port, "port", "Port",
      "UDP port of all groups; RTCP uses the next port", 1, 65534, 5004, READY),
  /**
   * GstLmccSrc:multicast-iface:
   *
   * Name or address of the network interface to join groups on, or up to 8 of
   * them, separated by commas (`eth0,eth1`). With several interfaces lmccsrc
   * joins each group on each of them, and drops the second copy of a packet. An
   * interface that cannot be used is skipped, with a warning, until it becomes
   * usable.
   *
   * If the property is unset, lmccsrc uses the interface of the route to the
   * group. Without such a route it uses the loopback interface.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (multicast_iface, "multicast-iface", "Multicast interface",
      "Name or address of the network interface to join on, or several "
      "(eth0,eth1)",
      NULL, READY | IN_URI),
  /**
   * GstLmccSrc:multicast-source:
   *
   * The address of the only sender to receive from, with or without a `+` in
   * front. lmccsrc then joins the groups with this source filter (RFC 4607).
   * Groups in 232.0.0.0/8 and ff3x::/32 need it.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (multicast_source, "multicast-source", "Multicast source",
      "Only sender to receive from: 10.0.0.1 or +10.0.0.1", NULL, READY),
  /**
   * GstLmccSrc:sdp:
   *
   * A session description (SDP) that #lmccsink has written: its text, which
   * begins with `v=`, or the name of a file. It replaces #GstLmccSrc:address
   * and #GstLmccSrc:port, and reception starts without waiting for the session
   * record.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (sdp, "sdp", "SDP",
      "Session description (SDP): its text (v=...) or the name of a file", NULL,
      READY),
  /**
   * GstLmccSrc:latency-profile:
   *
   * Sets #GstLmccSrc:latency, unless that is set: 40 ms with `live`, 200 ms
   * with `balanced`, 500 ms with `quality`. The sender chooses the rest of the
   * latency (see #GstLmccSink:latency-profile) and announces it in the session.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (latency_profile, "latency-profile", "Latency profile",
      "Profile that sets latency, unless latency is set",
      gst_lmcc_latency_profile_get_type, "balanced", READY | IN_URI),
  /**
   * GstLmccSrc:latency:
   *
   * How long to wait for packets that the network delays or reorders, in ms.
   * The sender's window is added to it. The LATENCY query returns the sum.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (latency, "latency", "Latency",
      "Time to wait for delayed packets, in addition to the sender's window "
      "(ms)",
      0, 60000, LMCC_DEFAULT_LATENCY / LMCC_MSECOND, READY | IN_URI),
  /**
   * GstLmccSrc:timeout:
   *
   * Time in ns without a packet after which lmccsrc posts a `GstLmccSrcTimeout`
   * message; 0 disables the message.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT64 (timeout, "timeout", "Timeout",
      "Time without a packet after which a message is posted (ns, 0 = never)",
      0, G_MAXINT64, 0, READY),
  /**
   * GstLmccSrc:max-level:
   *
   * The highest level to join. 0 is the base layer alone, -1 sets no limit. A
   * level is a layer and all layers below it, unless the session defines its
   * levels differently (see #GstLmccSink:levels). Can be changed at any time.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (max_level, "max-level", "Maximum level",
      "Highest level to join (0 = base layer alone, -1 = unlimited)", -1,
      LMCC_MAX_LAYERS - 1, -1, PLAYING | IN_URI),
  /**
   * GstLmccSrc:max-bitrate:
   *
   * The maximum total bitrate of the joined layers in bit/s; 0 sets no limit.
   * The base layer stays joined even if its rate is higher. Can be changed at
   * any time.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT64 (max_bitrate, "max-bitrate", "Maximum bitrate",
      "Maximum total bitrate of the joined layers (bit/s, 0 = unlimited)", 0,
      G_MAXUINT64, 0, PLAYING | IN_URI),
  /**
   * GstLmccSrc:max-memory:
   *
   * The maximum memory in bytes, at least 1 MiB, that lmccsrc uses for packets:
   * those that wait for their output time, for blocked pads or for a change of
   * the level, and all that it stores with them. 0 chooses from 64 to 512 MiB,
   * by the amount of data that arrives in 2 s, or until output if that takes
   * longer.
   *
   * When the limit is reached, lmccsrc first stops keeping the packets that a
   * lower encoding would start with. Then it leaves the highest layer, and at
   * last it drops packets (`memory` of `drops` in #GstLmccSrc:stats). A message
   * `lmcc-memory-full` reports each step. Can be changed at any time.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT64 (max_memory, "max-memory", "Maximum memory",
      "Maximum memory for buffered packets (bytes, 0 = automatic, 64 to 512 "
      "MiB)",
      0, G_MAXUINT64, 0, PLAYING | IN_URI),
  /**
   * GstLmccSrc:algorithm:
   *
   * The congestion control algorithm that chooses the level. `auto` takes the
   * algorithm that the session announces. `none` stays at
   * #GstLmccSrc:max-level.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (algorithm, "algorithm", "Algorithm",
      "Congestion control that chooses the level (auto: what the session "
      "announces)",
      gst_lmcc_algorithm_get_type, "auto", READY | IN_URI),
  /**
   * GstLmccSrc:algorithm-settings:
   *
   * Settings of an algorithm: a structure with the name of the algorithm and
   * its non-default settings, such as `elm,strategy=lazy`. Times are in
   * seconds. An unknown algorithm, setting or value makes the change to PAUSED
   * fail, and the error lists the valid ones. If the session announces another
   * algorithm, a warning says so, and that algorithm runs with its default
   * settings.
   *
   * Since: 0.1
   */
  GST_LMCC_STRUCTURE (algorithm_settings, "algorithm-settings",
      "Algorithm settings",
      "Name of an algorithm and its non-default settings, such as "
      "elm,strategy=naive (gst-lmcc-1.0 algorithms NAME lists them)",
      READY),
  /**
   * GstLmccSrc:rtt-mode:
   *
   * Where congestion control gets the round-trip time from.
   *
   * * `feedback` sends reports to the sender and measures with its answers (RFC
   *   3611 sections 4.4 and 4.5). Reports are so rare that they stay below 5 %
   *   of the rate of the base layer for any number of receivers. Without
   *   answers this mode works like `join`. It also asks the sender for a key
   *   frame when there is no picture.
   * * `join` uses the time from a join to the first packet (RFC 3738 section
   *   3.2.2.2) and sends nothing.
   * * `fixed` uses #GstLmccSrc:rtt and sends nothing.
   *
   * If the algorithm needs no round-trip time, `feedback` sends no reports
   * either.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (rtt_mode, "rtt-mode", "RTT mode",
      "How the round-trip time is measured", gst_lmcc_rtt_mode_get_type,
      "feedback", READY | IN_URI),
  /**
   * GstLmccSrc:rtt:
   *
   * The round-trip time in ms for #GstLmccSrc:rtt-mode `fixed`. The maximum is
   * the largest value of a session record. The default is the nominal
   * round-trip time of FLID-DL (Byers, Horn, Luby, Mitzenmacher, Shaver,
   * section IV-B).
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (rtt, "rtt", "RTT", "Round-trip time for rtt-mode=fixed (ms)",
      1, 60000, 100, READY | IN_URI),
  /**
   * GstLmccSrc:allow-low-feedback-port:
   *
   * Whether reports may go to ports of the sender below 1024. A host's services
   * use these ports: an attacker who forges a sender's packets could make a
   * whole audience send to one of them.
   *
   * Since: 0.1
   */
  GST_LMCC_BOOLEAN (allow_low_feedback_port, "allow-low-feedback-port",
      "Allow low feedback port",
      "Whether reports may go to ports of the sender below 1024", FALSE, READY),
  /**
   * GstLmccSrc:on-loss:
   *
   * What to output after packet loss. `conceal` continues with complete
   * pictures and flags those that depend on the loss as corrupted. `freeze`
   * outputs nothing that depends on the loss. Can be changed at any time.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (on_loss, "on-loss", "On loss",
      "What to output after packet loss", gst_lmcc_on_loss_get_type, "conceal",
      PLAYING | IN_URI),
  /**
   * GstLmccSrc:source-policy:
   *
   * Which sender to receive from if several hosts send a session to the group.
   *
   * * `first`: the sender that was heard first. lmccsrc returns to it whenever
   *   it is heard again. Another host replaces it only after 10 s of silence,
   *   or if the first host never sent what its session record announced.
   * * `any`: any sender that is heard when the current one has been silent for
   *   0.6 s.
   * * `ask`: like `first`, and a message `lmcc-source-asked` reports another
   *   sender, which #GstLmccSrc::answer-source may accept.
   *
   * If you know the sender's address, set #GstLmccSrc:multicast-source instead.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (source_policy, "source-policy", "Source policy",
      "Which sender to receive from if several send to the group",
      gst_lmcc_source_policy_get_type, "first", READY | IN_URI),
  /**
   * GstLmccSrc:eos-on-bye:
   *
   * Whether reception ends with the session. If the sender says BYE, as
   * #lmccsink does when it stops, and is then silent for 0.6 s, each pad sends
   * EOS after all received data, and lmccsrc leaves all groups. A BYE is
   * ignored if the sender continues, because it may be forged. lmccsrc then
   * ignores a sender that starts again; to receive it, set the element to READY
   * and to PLAYING again. #GstLmccSrc:eos-timeout covers a sender that falls
   * silent without BYE. Without this property lmccsrc waits for the next
   * session.
   *
   * Since: 0.1
   */
  GST_LMCC_BOOLEAN (eos_on_bye, "eos-on-bye", "EOS on BYE",
      "Whether to send EOS after the sender has said BYE", FALSE,
      READY | IN_URI),
  /**
   * GstLmccSrc:eos-timeout:
   *
   * With #GstLmccSrc:eos-on-bye: the time in ms of silence without BYE after
   * which the session counts as ended (RFC 3550 section 6.3.5). lmccsrc then
   * ends as after BYE, and a warning says so. 0 waits for ever; values below
   * 600 count as 600. A sender that comes back earlier continues, and so does
   * another sender that #GstLmccSrc:source-policy accepts. The time only runs
   * after a sender was heard.
   *
   * The default is longer than a spanning tree or a router takes to find
   * another path.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (eos_timeout, "eos-timeout", "EOS timeout",
      "With eos-on-bye: silence without BYE that ends the session (ms, 0 = "
      "never)",
      0, G_MAXINT, 60000, READY | IN_URI),
  /**
   * GstLmccSrc:num-buffers:
   *
   * The number of buffers (RTP packets) that the video pad outputs before EOS;
   * -1 sets no limit. The other pad then also sends EOS, and lmccsrc leaves all
   * groups, as with #GstLmccSrc:eos-on-bye.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (num_buffers, "num-buffers", "Number of buffers",
      "Number of video buffers before EOS (-1 = unlimited)", -1, G_MAXINT, -1,
      READY),
  /**
   * GstLmccSrc:codecs:
   *
   * Encoding names, separated by commas, that lmccsrc accepts in addition to
   * H264, H265, VP8, VP9, JPEG2000, OPUS, MPEG4-GENERIC and MP4A-LATM. A
   * session with any other codec is refused, and a warning names the codec.
   * Otherwise a session record, which anybody can send, could choose which of
   * the host's depayloaders and decoders process its data. A URI cannot set
   * this property, because URIs can come from anywhere.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (codecs, "codecs", "Codecs",
      "Encoding names to accept in addition to the standard ones, such as "
      "AV1,THEORA",
      NULL, READY),
  /**
   * GstLmccSrc:buffer-size:
   *
   * Size of the kernel's receive buffer of each group in bytes. 0 takes the
   * larger of the kernel's default and the data of 100 ms of the session's
   * largest layer. If the kernel provides less, a warning names the system
   * setting that limits it; with 0 only if packets are lost or likely to be
   * lost.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (buffer_size, "buffer-size", "Buffer size",
      "Kernel receive buffer of each group (bytes, 0 = from the session's "
      "rates)",
      0, G_MAXINT, 0, READY),
  /**
   * GstLmccSrc:level:
   *
   * The current level, -1 for none. It is notified from the receiving thread.
   *
   * Since: 0.1
   */
  GST_LMCC_COMPUTED (INT, "level", "Level", "Current level (-1 = none)", -1,
      LMCC_MAX_LAYERS - 1, -1, READABLE),
  /**
   * GstLmccSrc:bitrate:
   *
   * The bitrate that was received over the last second in bit/s, including IP
   * headers.
   *
   * Since: 0.1
   */
  GST_LMCC_COMPUTED (UINT64, "bitrate", "Bitrate",
      "Received bitrate over the last second, with IP headers (bit/s)", 0,
      G_MAXUINT64, 0, READABLE),
  /**
   * GstLmccSrc:stats:
   *
   * A #GstStructure `application/x-lmcc-src-stats`. Counters start when lmccsrc
   * goes to PAUSED. Times are in ms, rates in bit/s. Fields that are unknown,
   * or that the algorithm does not have, are absent.
   *
   * * #guint64 `packets-received`, `bytes-received`: RTP packets and their
   *   bytes, with IP and UDP headers
   * * #guint64 `packets-lost`: packets lost in the network or in this host,
   *   over all layers
   * * #guint64 `packets-dropped-kernel`: those of them that this host's sockets
   *   dropped
   * * #guint64 `packets-delivered`: video packets that were output
   * * #guint64 `audio-packets-delivered`, `audio-packets-lost`: audio packets
   *   that were output, and those that were missing at their time
   * * #gint `level`, `rung`: current level and output encoding, -1 for none
   * * #guint64 `bitrate`: over the last second, bit/s
   * * #gdouble `loss-rate`: packet loss over the last second, 0 to 1
   * * #gdouble `join-lead-ms`: how long before the start of their slot groups
   *   are joined, with dynamic layering; 0 with static layering
   * * #gdouble `join-to-packet-ms`: time from the latest join to its first
   *   packet
   * * #gdouble `join-to-picture-ms`: time from the start to the first packet
   *   that was output
   * * #guint64 `rejoins`: groups that were left and joined again because they
   *   were silent
   * * #guint64 `packets-unwanted`: packets of groups that were left more than 4
   *   s ago
   * * #guint64 `packets-copied`: packets that had already arrived on another of
   *   several interfaces; no other counter contains them
   * * #guint64 `sources`: how often reception of a sender began
   * * #guint64 `memory-bytes`, `memory-peak-bytes`, `memory-budget-bytes`:
   *   memory in use, its maximum so far, and its limit (#GstLmccSrc:max-memory)
   * * #guint64 `units-delivered`, `units-incomplete`, `units-withheld`,
   *   `units-corrupted`: pictures that were output; pictures with a missing
   *   packet; pictures that were withheld because a decoder could not use them;
   *   pictures that were output although they depend on a loss
   * * #guint64 `units-dropped-late`: pictures that downstream did not take in
   *   time
   * * #guint64 `rung-changes`: changes of the output encoding
   * * #gchararray `reason`: why the level is what it is
   * * #gchararray `algorithm`: algorithm that chooses the level
   * * #gchararray `state`: state of the algorithm
   * * #gdouble `loss-event-rate`: loss event rate p of the TCP model, 0 to 1
   * * #gdouble `calculated-bitrate`, `smoothed-bitrate`: rate that the TCP
   *   model allows, current and smoothed; infinite before the first loss
   * * #gchararray `trains`: result of the sender's latest packet train for the
   *   next layer: `room`, `full`, or `queue` if there was a queue before the
   *   train; only with elm and plumb, and if the sender sends trains
   * * #gchararray `timer`, #gdouble `timer-left-ms`: what the algorithm waits
   *   for, and for how much longer
   * * #gdouble `fair-bitrate`, `mean-fair-bitrate`: rate that one more TCP flow
   *   would get, and its mean over a period, which levels are compared with;
   *   each is absent until it is known, for example before the first loss. This
   *   field and those down to `left-alone-ms` only exist with plumb
   * * #gdouble `loss-thinning`: whether losses depend on packets (1) or on time
   *   (0); `loss-chance`: share of loss events, 0 to 1, at which the sender's
   *   trains found room. Both are absent until they are known
   * * #gint `turn-level`, #gdouble `turn-share`, `turn-left-ms`: if the
   *   receiver joins the level above `turn-level` for a part of each period:
   *   this part, 0 to 1, and the rest of the current turn. Absent if no level
   *   takes turns
   * * #gboolean `joins-vetoed`: whether packet trains show that the next layer
   *   does not fit
   * * #gdouble `left-alone-ms`: remaining back-off of the next layer after a
   *   failed join. Absent without a back-off
   * * #gdouble `rtt-ms`: round-trip time
   * * #gchararray `rtt-source`: origin of the round-trip time: `max` (the
   *   maximum that the session announces, as nothing is measured yet),
   *   `feedback`, `join` or `fixed`
   * * #gdouble `reordering-window-ms`: how long lmccsrc waits for a packet that
   *   others have overtaken before it counts as lost. 0 while packets arrive in
   *   order
   * * #guint64 `reports`, `answers`: reports to the sender, and its answers
   * * #guint64 `key-requests`: key-frame requests because there was no picture
   * * #guint64 `reports-suppressed`: reports that another receiver's report
   *   made unnecessary (pgmcc only)
   * * #guint `leader`, #gboolean `leads`: SSRC of the acker (pgmcc) or the
   *   current limiting receiver (tfmcc), and whether this receiver is it
   * * #gchararray `base-algorithm`: algorithm that sets the rate of the base
   *   layer, if another one chooses the layers above it: `none`, `pgmcc` or
   *   `tfmcc`
   * * #GstStructure `base-status`: `state`, `loss-event-rate`,
   *   `calculated-bitrate`, `smoothed-bitrate`, `timer`, `timer-left-ms`,
   *   `reports-suppressed`, `leader` and `leads` of the base algorithm; absent
   *   if that is `none`
   * * #guint64 `report-errors`: reports that did not reach the sender, as far
   *   as the network tells
   * * #guint64 `notices`, `notices-sent`, `notice-errors`: join experiments of
   *   other receivers that this one has learnt from, its own that it has
   *   announced, and announcements that could not be sent (rlm only)
   * * #guint64 `media-packets-lost`: those of `packets-lost` that may have been
   *   media, and whose outcome is known: `packets-repaired` in time,
   *   `packets-repaired-late`, or `packets-beyond-repair`
   * * #guint64 `repair-packets-received`, `repair-packets-invalid`: repair
   *   packets, and those that could not be used because they were invalid
   * * #gdouble `repair-loss-rate`, `repair-burst`: what lmccsrc reports to a
   *   sender with #GstLmccSink:repair = -2: loss rate over up to 30 s without
   *   losses in a long queue, 0 to 1, and mean number of packets lost in a row
   * * #GstValueArray `classes`: of #GstStructure, one for each class with
   *   losses (15: unknown class): #guint `class`, #guint64 `packets-lost`,
   *   `packets-repaired`, `packets-repaired-late`, `packets-beyond-repair`
   * * #GstStructure `drops`: dropped datagrams as #guint64, by reason
   * * #GstValueArray `layers`: of #GstStructure, one for each layer of the
   *   session: #guint `layer`, #guint64 `packets-received`, `bytes-received`,
   *   `packets-lost`, `packets-reordered`, `packets-late`, `duplicates`,
   *   `restarts`, `bitrate` (measured) and `announced-bitrate`, #gboolean
   *   `held`: whether the current level contains the layer
   *
   * Since: 0.1
   */
  GST_LMCC_COMPUTED (STRUCTURE, "stats", "Statistics",
      "Statistics of the session", 0, 0, 0, READABLE),
  /**
   * GstLmccSrc:stats-update-interval:
   *
   * Interval in ms at which #GstLmccSrc:stats is notified; 0 disables the
   * notifications.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (stats_update_interval, "stats-update-interval",
      "Statistics update interval",
      "Interval at which stats is notified (ms, 0 = never)", 0, G_MAXUINT, 0,
      PLAYING),
};

const GstLmccPropertyTable gst_lmcc_src_properties = { rows,
  G_N_ELEMENTS (rows), sizeof (GstLmccSrcSettings) };

const GstLmccUriForm gst_lmcc_src_uri_form = { &gst_lmcc_src_properties,
  G_STRUCT_OFFSET (GstLmccSrcSettings, address),
  G_STRUCT_OFFSET (GstLmccSrcSettings, port),
  G_STRUCT_OFFSET (GstLmccSrcSettings, multicast_source) };
