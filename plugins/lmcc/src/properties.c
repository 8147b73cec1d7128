/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The properties of lmccsrc: what they are, and what they mean. */
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
   * `lmcc://[SOURCE@]GROUP[:PORT][?KEY=VALUE&...]`, IPv6 addresses of groups in
   * brackets. The keys are `max-level`, `max-bitrate`, `max-memory`, `latency`,
   * `latency-profile`, `algorithm`, `rtt-mode`, `rtt`, `multicast-iface`,
   * `on-loss`, `source-policy`, `eos-on-bye` and `eos-timeout`, each as the
   * property of that name; another key is passed over with a warning. What an
   * earlier URI had set is the default again, unless the new one says it.
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
   * The base group: an IPv4 or IPv6 multicast address. The higher layers are on
   * the addresses that follow it.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (address, "address", "Address",
      "Multicast address of the base group", "239.255.42.1", READY),
  /**
   * GstLmccSrc:port:
   *
   * The UDP port of all groups. RTCP, with the session's record, is on the
   * next.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (port, "port", "Port",
      "UDP port of the groups; RTCP is on the next one", 1, 65534, 5004, READY),
  /**
   * GstLmccSrc:multicast-iface:
   *
   * Name or address of the network interface to join on, or several with commas
   * in between (`eth0,eth1`), up to 8: then groups are joined on each of them,
   * and what comes by several counts once. One that cannot be used is left out,
   * with a warning, until it can. Unset: the one that the route to the group
   * names, or the loopback interface where there is no route.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (multicast_iface, "multicast-iface", "Multicast interface",
      "Name or address of the interface to join on, or several (eth0,eth1)",
      NULL, READY | IN_URI),
  /**
   * GstLmccSrc:multicast-source:
   *
   * The only sender to listen to, as its own address, with or without a `+` in
   * front. The groups are then joined with it as the filter (RFC 4607). Groups
   * in 232.0.0.0/8 and ff3x::/32 need it.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (multicast_source, "multicast-source", "Multicast source",
      "The only sender to listen to: 10.0.0.1 or +10.0.0.1", NULL, READY),
  /**
   * GstLmccSrc:sdp:
   *
   * A session description that #lmccsink wrote: its text, which begins with
   * `v=`, or else the name of a file. It replaces #GstLmccSrc:address and
   * #GstLmccSrc:port, and saves the wait for the session's record.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (sdp, "sdp", "SDP",
      "Session description: its text (v=...) or the name of a file", NULL,
      READY),
  /**
   * GstLmccSrc:latency-profile:
   *
   * How much latency there may be: what #GstLmccSrc:latency is, unless that is
   * set: 40 ms with `live`, 200 with `balanced`, 500 with `quality`. All else
   * of the latency is the sender's to choose (see
   * #GstLmccSink:latency-profile), and the session says it.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (latency_profile, "latency-profile", "Latency profile",
      "How long to wait for the network, unless latency says it",
      gst_lmcc_latency_profile_get_type, "balanced", READY | IN_URI),
  /**
   * GstLmccSrc:latency:
   *
   * How long to wait for what the network delays or reorders, in milliseconds.
   * The sender's own window comes on top; the LATENCY query tells the sum.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (latency, "latency", "Latency",
      "How long to wait for the network, beyond the sender's window (ms)", 0,
      60000, LMCC_DEFAULT_LATENCY / LMCC_MSECOND, READY | IN_URI),
  /**
   * GstLmccSrc:timeout:
   *
   * Post a `GstLmccSrcTimeout` message after so many nanoseconds without a
   * packet; 0 for never.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT64 (timeout, "timeout", "Timeout",
      "Post a message after so long without a packet (ns, 0 = never)", 0,
      G_MAXINT64, 0, READY),
  /**
   * GstLmccSrc:max-level:
   *
   * The highest level to hold, 0 for the base alone, -1 for no such cap. A
   * level is a layer and all below it, or what the session says (lmccsink's
   * `levels`). May be changed at any time.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (max_level, "max-level", "Maximum level",
      "Highest level to hold (-1 = no cap)", -1, LMCC_MAX_LAYERS - 1, -1,
      PLAYING | IN_URI),
  /**
   * GstLmccSrc:max-bitrate:
   *
   * The most that the held layers may carry together, in bit/s, 0 for no such
   * cap. The base is held whatever its rate. May be changed at any time.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT64 (max_bitrate, "max-bitrate", "Maximum bitrate",
      "Most that the held layers may carry (bit/s, 0 = no cap)", 0, G_MAXUINT64,
      0, PLAYING | IN_URI),
  /**
   * GstLmccSrc:max-memory:
   *
   * The most that the source may hold, in bytes, of packets that wait in it,
   * for pads that do not push, and for a change of the level, with all that it
   * keeps beside them; at least 1 MiB. 0: what comes in 2 s, or until it has to
   * be given out where that is longer, from 64 to 512 MiB. Where it is full,
   * what a lower encoding of the video would begin with is not kept, then the
   * highest layer is left, and at last packets are dropped (`memory` of `drops`
   * in #GstLmccSrc:stats). A message `lmcc-memory-full` says so. May be changed
   * at any time.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT64 (max_memory, "max-memory", "Maximum memory",
      "Most that may be held (bytes, 0 = 64 to 512 MiB, by the rate)", 0,
      G_MAXUINT64, 0, PLAYING | IN_URI),
  /**
   * GstLmccSrc:algorithm:
   *
   * What decides the level. `auto` takes what the session announces, `none`
   * holds #GstLmccSrc:max-level.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (algorithm, "algorithm", "Algorithm",
      "What decides the level (auto: what the session announces)",
      gst_lmcc_algorithm_get_type, "auto", READY | IN_URI),
  /**
   * GstLmccSrc:algorithm-settings:
   *
   * How an algorithm is to decide: a structure of its name, with settings that
   * are not to have their standard values, such as `elm,strategy=lazy`. Times
   * are in seconds. An algorithm, a setting or a value that does not exist is
   * an error on the way to PAUSED, which lists those that do. Where the session
   * announces another algorithm, a warning says so, and its standard values are
   * used.
   *
   * Since: 0.1
   */
  GST_LMCC_STRUCTURE (algorithm_settings, "algorithm-settings",
      "Algorithm settings",
      "Name of an algorithm, and its settings that are not standard, such as "
      "elm,strategy=naive (gst-lmcc-1.0 algorithms NAME lists them)",
      READY),
  /**
   * GstLmccSrc:rtt-mode:
   *
   * Where congestion control has the round-trip time from. `feedback` sends
   * reports to the sender, so rarely that they stay below 5 % of the base's
   * rate whatever the audience, and measures with its answers (RFC 3611
   * sections 4.4 and 4.5); where none come it is as `join`. `join` takes the
   * time from a join to the first packet (RFC 3738 section 3.2.2.2), `fixed`
   * what #GstLmccSrc:rtt says: both send nothing. Nor does `feedback` where the
   * algorithm needs no round-trip time. With `feedback` the sender is also
   * asked for a key frame where there is no picture.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (rtt_mode, "rtt-mode", "RTT mode",
      "Where the round-trip time comes from", gst_lmcc_rtt_mode_get_type,
      "feedback", READY | IN_URI),
  /**
   * GstLmccSrc:rtt:
   *
   * The round-trip time for #GstLmccSrc:rtt-mode `fixed`, in milliseconds, up
   * to the most that a session record can say. The default is the nominal
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
   * Whether reports may go to a port of the sender's below 1024. Such ports are
   * those of a host's services: who forges a sender's packets could have a
   * whole audience send to one of them.
   *
   * Since: 0.1
   */
  GST_LMCC_BOOLEAN (allow_low_feedback_port, "allow-low-feedback-port",
      "Allow low feedback port",
      "Whether reports may go to a port of the sender's below 1024", FALSE,
      READY),
  /**
   * GstLmccSrc:on-loss:
   *
   * What to give out after a packet was lost. `conceal` goes on with whole
   * pictures and flags those that depend on the loss as corrupted; `freeze`
   * gives out nothing that depends on it. May be changed at any time.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (on_loss, "on-loss", "On loss", "What to give out after a loss",
      gst_lmcc_on_loss_get_type, "conceal", PLAYING | IN_URI),
  /**
   * GstLmccSrc:source-policy:
   *
   * Whose session is received where several hosts send one to the group. With
   * `first` the sender that was heard first, and again whenever it is heard
   * again; another host takes its place only after 10 s of its silence, or
   * where it never sent what its record announced. With `any` whoever is heard
   * when the one before has been silent for 0.6 s. `ask` is as `first`, and a
   * message `lmcc-source-asked` tells of another sender;
   * #GstLmccSrc::answer-source may answer. Where the sender's address is known
   * #GstLmccSrc:multicast-source is the better choice.
   *
   * Since: 0.1
   */
  GST_LMCC_ENUM (source_policy, "source-policy", "Source policy",
      "Whose session is received, of several", gst_lmcc_source_policy_get_type,
      "first", READY | IN_URI),
  /**
   * GstLmccSrc:eos-on-bye:
   *
   * Whether the reception ends with the session. Where the sender says BYE, as
   * #lmccsink does when it stops, and is not heard for 0.6 s, each pad sends
   * EOS behind all that was received, and all groups are left. A BYE that the
   * sender goes on after is passed over, as anybody may have forged it. A
   * sender that begins anew meanwhile, or later, is not taken: for that set the
   * element to READY and to PLAYING again. Where the sender falls silent
   * without a BYE #GstLmccSrc:eos-timeout says when that is the end. Without
   * this, the source waits for the next session.
   *
   * Since: 0.1
   */
  GST_LMCC_BOOLEAN (eos_on_bye, "eos-on-bye", "EOS on BYE",
      "Whether to send EOS when the sender has said BYE", FALSE,
      READY | IN_URI),
  /**
   * GstLmccSrc:eos-timeout:
   *
   * With #GstLmccSrc:eos-on-bye: how long, in ms, a sender may be silent
   * without a BYE before its session is taken to be over (RFC 3550 section
   * 6.3.5), as after one; a warning says so. 0: for ever; below 600 it is 600.
   * A sender that comes back earlier goes on, and so does another one that
   * #GstLmccSrc:source-policy lets take its place. The time counts only after
   * a sender was heard.
   *
   * The default is longer than a spanning tree or a router takes to find
   * another way.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (eos_timeout, "eos-timeout", "EOS timeout",
      "With eos-on-bye: silence without BYE that is the end, in ms (0 = none)",
      0, G_MAXINT, 60000, READY | IN_URI),
  /**
   * GstLmccSrc:num-buffers:
   *
   * How many buffers, each an RTP packet, the video pad gives out before EOS;
   * -1 for no end. Then the other pad sends EOS, too, and all groups are left,
   * as with #GstLmccSrc:eos-on-bye.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (num_buffers, "num-buffers", "Number of buffers",
      "Buffers of video before EOS (-1 = no end)", -1, G_MAXINT, -1, READY),
  /**
   * GstLmccSrc:codecs:
   *
   * Encoding names, with commas between, that a session may have beside H264,
   * H265, VP8, VP9, JPEG2000, OPUS, MPEG4-GENERIC and MP4A-LATM. A session of
   * another codec is not taken, and a warning names it: its record would
   * choose which of the host's depayloaders and decoders get what anybody
   * sends. A URI, which may come from anywhere, cannot set it.
   *
   * Since: 0.1
   */
  GST_LMCC_STRING (codecs, "codecs", "Codecs",
      "Encoding names that are taken beside the usual ones, such as AV1,THEORA",
      NULL, READY),
  /**
   * GstLmccSrc:buffer-size:
   *
   * The kernel's receive buffer of each group, in bytes, 0 for what holds
   * 100 ms of the session's largest layer, and the kernel's default at least.
   * Where the kernel gives less, a warning names the setting that holds it
   * down; with 0 only where packets are lost, or likely to be.
   *
   * Since: 0.1
   */
  GST_LMCC_INT (buffer_size, "buffer-size", "Buffer size",
      "Receive buffer of each group in bytes (0 = by the session's rates)", 0,
      G_MAXINT, 0, READY),
  /**
   * GstLmccSrc:level:
   *
   * The level that is held, -1 for none. Notified from the receiving
   * thread.
   *
   * Since: 0.1
   */
  GST_LMCC_COMPUTED (INT, "level", "Level", "Level that is held (-1 = none)",
      -1, LMCC_MAX_LAYERS - 1, -1, READABLE),
  /**
   * GstLmccSrc:bitrate:
   *
   * What was received over the last second, in bit/s of whole IP packets.
   *
   * Since: 0.1
   */
  GST_LMCC_COMPUTED (UINT64, "bitrate", "Bitrate",
      "Received over the last second (bit/s of IP packets)", 0, G_MAXUINT64, 0,
      READABLE),
  /**
   * GstLmccSrc:stats:
   *
   * A #GstStructure `application/x-lmcc-src-stats`; the counters are since the
   * source went to PAUSED. Times are in ms, rates in bit/s. A field that is not
   * known, or that the algorithm does not have, is left out.
   *
   * * #guint64 `packets-received`, `bytes-received`: RTP, with IP and UDP
   * headers
   * * #guint64 `packets-lost`: in the network or in the host, over all layers
   * * #guint64 `packets-dropped-kernel`: of these, by the host's own sockets
   * * #guint64 `packets-delivered`: of the video, given out
   * * #guint64 `audio-packets-delivered`, `audio-packets-lost`: of the sound,
   *   given out, and missing when their turn came
   * * #gint `level`, `rung`: the level held and the encoding given out,
   *   -1 for none
   * * #guint64 `bitrate`: over the last second, bit/s
   * * #gdouble `loss-rate`: over the last second, 0 to 1
   * * #gdouble `join-lead-ms`: under dynamic layering groups are joined so long
   *   before their slot begins; 0 under static layering
   * * #gdouble `join-to-packet-ms`: from the latest join to its first packet
   * * #gdouble `join-to-picture-ms`: from the start to the first packet given
   *   out
   * * #guint64 `rejoins`: groups left and joined again because they were silent
   * * #guint64 `packets-unwanted`: of groups left more than 4 s ago
   * * #guint64 `packets-copied`: that had come by another of several interfaces
   *   already; they are in no other count
   * * #guint64 `sources`: how often a sender was taken up
   * * #guint64 `memory-bytes`, `memory-peak-bytes`, `memory-budget-bytes`: what
   *   is held, the most that was held at once, and what may be held
   *   (#GstLmccSrc:max-memory)
   * * #guint64 `units-delivered`, `units-incomplete`, `units-withheld`,
   *   `units-corrupted`: pictures given out, with a packet missing, held back
   *   because a decoder could not have used them, given out though they depend
   *   on a loss
   * * #guint64 `units-dropped-late`: pictures that downstream did not take in
   * time
   * * #guint64 `rung-changes`: changes of the encoding given out
   * * #gchararray `reason`: why the level is what it is
   * * #gchararray `algorithm`: what decides the level
   * * #gchararray `state`: what the algorithm does now
   * * #gdouble `loss-event-rate`: the TCP model's p, 0 to 1
   * * #gdouble `calculated-bitrate`, `smoothed-bitrate`: what the TCP model
   *   allows, at once and smoothed; infinite before the first loss
   * * #gchararray `trains`: what the sender's latest train says of the next
   *   layer: `room`, `full`, or `queue` where one stood there before; only with
   *   elm and plumb, where there are trains
   * * #gchararray `timer`, #gdouble `timer-left-ms`: what the algorithm waits
   *   for, and how long still
   * * #gdouble `fair-bitrate`, `mean-fair-bitrate`: the rate that one more TCP
   *   would have, and its mean over a period, which levels are compared with;
   *   each left out until it is known, as before the first loss. This and what
   *   follows up to `left-alone-ms` only with plumb
   * * #gdouble `loss-thinning`: whether losses follow packets (1) or time (0);
   *   `loss-chance`: share of the loss events, 0 to 1, at which the sender's
   *   trains found room. Left out until something is known
   * * #gint `turn-level`, #gdouble `turn-share`, `turn-left-ms`: where the
   *   level above `turn-level` is held for a part of each period: this part, 0
   *   to 1, and how long the present turn goes on. Left out where no level has
   *   turns
   * * #gboolean `joins-vetoed`: trains say that the next layer does not fit
   * * #gdouble `left-alone-ms`: for so long still the next layer is left alone,
   *   as it was joined in vain. Left out where it is not
   * * #gdouble `rtt-ms`: the round-trip time
   * * #gchararray `rtt-source`: where it comes from: `max` (the most that the
   *   session allows for, as nothing is measured yet), `feedback`, `join` or
   *   `fixed`
   * * #gdouble `reordering-window-ms`: for so long a packet is waited for that
   *   others have overtaken, before it counts as lost. 0 while packets come in
   *   order
   * * #guint64 `reports`, `answers`: reports to the sender, and its answers
   * * #guint64 `key-requests`: requests for a key frame, because there was no
   *   picture
   * * #guint64 `reports-suppressed`: those that another receiver's made
   *   needless (pgmcc only)
   * * #guint `leader`, #gboolean `leads`: with pgmcc the acker, with tfmcc the
   *   current limiting receiver: its SSRC, and whether it is this one
   * * #gchararray `base-algorithm`: what sets the rate of the base where others
   *   choose the layers above it: `none`, `pgmcc` or `tfmcc`
   * * #GstStructure `base-status`: of that one `state`, `loss-event-rate`,
   *   `calculated-bitrate`, `smoothed-bitrate`, `timer`, `timer-left-ms`,
   *   `reports-suppressed`, `leader` and `leads`; only where it is not `none`
   * * #guint64 `report-errors`: reports that did not get to the sender, as far
   *   as the network tells
   * * #guint64 `notices`, `notices-sent`, `notice-errors`: join experiments of
   *   other receivers that this one has learnt from, its own that it told of,
   *   and those that did not leave this host (rlm only)
   * * #guint64 `media-packets-lost`: of `packets-lost`, those that may have
   *   been media, and not given out by now: `packets-repaired` in time,
   *   `packets-repaired-late`, or `packets-beyond-repair`
   * * #guint64 `repair-packets-received`, `repair-packets-invalid`
   * * #GstValueArray `classes`: of #GstStructure, one for each class that lost
   *   something (15: not known): #guint `class`, #guint64 `packets-lost`,
   *   `packets-repaired`, `packets-repaired-late`, `packets-beyond-repair`
   * * #GstStructure `drops`: datagrams dropped, as #guint64, by kind
   * * #GstValueArray `layers`: of #GstStructure, one for each layer of the
   * session:
   *   #guint `layer`, #guint64 `packets-received`, `bytes-received`,
   *   `packets-lost`, `packets-reordered`, `packets-late`, `duplicates`,
   *   `restarts`, `bitrate` (measured) and `announced-bitrate`,
   *   #gboolean `held`: the level that is held has it
   *
   * Since: 0.1
   */
  GST_LMCC_COMPUTED (STRUCTURE, "stats", "Statistics",
      "Statistics of the session", 0, 0, 0, READABLE),
  /**
   * GstLmccSrc:stats-update-interval:
   *
   * How often #GstLmccSrc:stats is notified, in milliseconds; 0 for never.
   *
   * Since: 0.1
   */
  GST_LMCC_UINT (stats_update_interval, "stats-update-interval",
      "Statistics update interval",
      "How often stats is notified (ms, 0 = never)", 0, G_MAXUINT, 0, PLAYING),
};

const GstLmccPropertyTable gst_lmcc_src_properties = { rows,
  G_N_ELEMENTS (rows), sizeof (GstLmccSrcSettings) };

const GstLmccUriForm gst_lmcc_src_uri_form = { &gst_lmcc_src_properties,
  G_STRUCT_OFFSET (GstLmccSrcSettings, address),
  G_STRUCT_OFFSET (GstLmccSrcSettings, port),
  G_STRUCT_OFFSET (GstLmccSrcSettings, multicast_source) };
