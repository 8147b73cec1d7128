/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The properties of lmccsrc: what they are and what they mean. */
#include "config.h"

#include "src/pspecs.h"

#include "common/enums.h"
#include "src/uri.h"

GParamSpec *gst_lmcc_src_properties[N_PROPS];

#define FIXED (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | \
    GST_PARAM_MUTABLE_READY)
#define LIVE (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | \
    GST_PARAM_MUTABLE_PLAYING)
#define READ_ONLY (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static void
install_address_properties (void)
{
  /**
   * GstLmccSrc:uri:
   *
   * `lmcc://[SOURCE@]GROUP[:PORT][?KEY=VALUE&...]`, IPv6 addresses of groups in
   * brackets. The keys are `max-level`, `max-bitrate`, `max-memory`, `latency`,
   * `algorithm`, `rtt-mode`, `rtt`, `multicast-iface`, `on-loss` and
   * `source-policy`, each as the property of that name; another key is passed
   * over with a warning. What an earlier URI had set is the default again,
   * unless the new one says it.
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_URI] = g_param_spec_string ("uri", "URI",
      "The session: lmcc://[SOURCE@]GROUP[:PORT][?KEY=VALUE&...]",
      "lmcc://239.255.42.1:5004", FIXED);

  /**
   * GstLmccSrc:address:
   *
   * The base group: an IPv4 or IPv6 multicast address. The higher layers are on
   * the addresses that follow it.
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_ADDRESS] =
      g_param_spec_string ("address", "Address",
      "Multicast address of the base group", "239.255.42.1", FIXED);

  /**
   * GstLmccSrc:port:
   *
   * The UDP port of all groups. RTCP, with the session's record, is on the
   * next.
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_PORT] = g_param_spec_int ("port", "Port",
      "UDP port of the groups; RTCP is on the next one", 1, 65534,
      GST_LMCC_DEFAULT_PORT, FIXED);

  /**
   * GstLmccSrc:multicast-iface:
   *
   * Name or address of the network interface to join on. Unset: the one that
   * the route to the group names, or the loopback interface where there is no
   * route.
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_MULTICAST_IFACE] =
      g_param_spec_string ("multicast-iface", "Multicast interface",
      "Name or address of the interface to join on", NULL, FIXED);

  /**
   * GstLmccSrc:multicast-source:
   *
   * The only sender to listen to, as its own address, with or without a `+` in
   * front. The groups are then joined with it as the filter (RFC 4607). Groups
   * in 232.0.0.0/8 and ff3x::/32 need it.
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_MULTICAST_SOURCE] =
      g_param_spec_string ("multicast-source", "Multicast source",
      "The only sender to listen to: 10.0.0.1 or +10.0.0.1", NULL, FIXED);

  /**
   * GstLmccSrc:sdp:
   *
   * A session description that #lmccsink wrote: its text, which begins with
   * `v=`, or else the name of a file. It replaces #GstLmccSrc:address and
   * #GstLmccSrc:port, and saves the wait for the session's record.
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_SDP] = g_param_spec_string ("sdp", "SDP",
      "Session description: its text (v=...) or the name of a file", NULL,
      FIXED);
}

static void
install_session_properties (void)
{
  /**
   * GstLmccSrc:latency:
   *
   * How long to wait for what the network delays or reorders, in milliseconds.
   * The sender's own window comes on top; the LATENCY query tells the sum.
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_LATENCY] =
      g_param_spec_uint ("latency", "Latency",
      "How long to wait for the network, in ms, beyond the sender's window", 0,
      GST_LMCC_MAX_LATENCY, LMCC_DEFAULT_LATENCY / LMCC_MSECOND, FIXED);

  /**
   * GstLmccSrc:timeout:
   *
   * Post a `GstLmccSrcTimeout` message after so many nanoseconds without a
   * packet; 0 for never.
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_TIMEOUT] =
      g_param_spec_uint64 ("timeout", "Timeout",
      "Post a message after so long without a packet, in ns (0 = never)", 0,
      G_MAXINT64, 0, FIXED);

  /**
   * GstLmccSrc:max-level:
   *
   * The highest layer to hold, 0 for the base alone, -1 for no such cap. May be
   * changed at any time.
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_MAX_LEVEL] =
      g_param_spec_int ("max-level", "Maximum level",
      "Highest layer to hold (-1 = no cap)", -1, LMCC_MAX_LAYERS - 1, -1, LIVE);

  /**
   * GstLmccSrc:max-bitrate:
   *
   * The most that the held layers may carry together, in bit/s, 0 for no such
   * cap. The base is held whatever its rate. May be changed at any time.
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_MAX_BITRATE] =
      g_param_spec_uint64 ("max-bitrate", "Maximum bitrate",
      "Most that the held layers may carry, in bit/s " "(0 = no cap)", 0,
      G_MAXUINT64, 0, LIVE);

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
  gst_lmcc_src_properties[PROP_MAX_MEMORY] =
      g_param_spec_uint64 ("max-memory", "Maximum memory",
      "Most that may be held, in bytes (0 = 64 to 512 MiB, by the rate)", 0,
      G_MAXUINT64, 0, LIVE);

  /**
   * GstLmccSrc:algorithm:
   *
   * What decides the level. `auto` takes what the session announces, `none`
   * holds #GstLmccSrc:max-level.
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_ALGORITHM] =
      g_param_spec_enum ("algorithm", "Algorithm",
      "Congestion control: what decides the level", GST_TYPE_LMCC_ALGORITHM,
      GST_LMCC_ALGORITHM_AUTO, FIXED);

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
  gst_lmcc_src_properties[PROP_ALGORITHM_SETTINGS] =
      g_param_spec_boxed ("algorithm-settings", "Algorithm settings",
      "Name of an algorithm, and its settings that are not standard, such as "
      "elm,strategy=naive (gst-lmcc-1.0 algorithms NAME lists them)",
      GST_TYPE_STRUCTURE, FIXED);

  /**
   * GstLmccSrc:rtt-mode:
   *
   * Where congestion control has the round-trip time from. `feedback` sends
   * reports to the sender, so rarely that they stay below 5 % of the base's
   * rate whatever the audience, and measures with its answers (RFC 3611
   * sections 4.4 and 4.5); where none come it is as `join`. `join` takes the
   * time from a join to the first packet (RFC 3738 section 3.2.2.2), `fixed`
   * what #GstLmccSrc:rtt says: both send nothing. Nor does `feedback` where the
   * algorithm needs no round-trip time.
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_RTT_MODE] =
      g_param_spec_enum ("rtt-mode", "RTT mode",
      "Where the round-trip time comes from", GST_TYPE_LMCC_RTT_MODE,
      LMCC_RTT_MODE_FEEDBACK, FIXED);

  /**
   * GstLmccSrc:rtt:
   *
   * The round-trip time for #GstLmccSrc:rtt-mode `fixed`, in nanoseconds: 1 us
   * to 60 s. The default is the nominal round-trip time of FLID-DL (Byers,
   * Horn, Luby, Mitzenmacher, Shaver, section IV-B).
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_RTT] = g_param_spec_uint64 ("rtt", "RTT",
      "Round-trip time for rtt-mode=fixed, in ns", GST_LMCC_MIN_RTT,
      GST_LMCC_MAX_RTT, GST_LMCC_DEFAULT_RTT, FIXED);

  /**
   * GstLmccSrc:allow-low-feedback-port:
   *
   * Whether reports may go to a port of the sender's below 1024. Such ports are
   * those of a host's services: who forges a sender's packets could have a
   * whole audience send to one of them.
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_ALLOW_LOW_FEEDBACK_PORT] =
      g_param_spec_boolean ("allow-low-feedback-port",
      "Allow low feedback port",
      "Whether reports may go to a port of the sender's below 1024",
      FALSE, FIXED);

  /**
   * GstLmccSrc:on-loss:
   *
   * What to give out after a packet was lost. `conceal` goes on with whole
   * pictures and flags those that depend on the loss as corrupted; `freeze`
   * gives out nothing that depends on it. May be changed at any time.
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_ON_LOSS] =
      g_param_spec_enum ("on-loss", "On loss", "What to give out after a loss",
      GST_TYPE_LMCC_ON_LOSS, LMCC_ON_LOSS_CONCEAL, LIVE);

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
  gst_lmcc_src_properties[PROP_SOURCE_POLICY] =
      g_param_spec_enum ("source-policy", "Source policy",
      "Whose session is received, of several", GST_TYPE_LMCC_SOURCE_POLICY,
      LMCC_SOURCE_POLICY_FIRST, FIXED);

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
  gst_lmcc_src_properties[PROP_CODECS] = g_param_spec_string ("codecs",
      "Codecs", "Encoding names that are taken beside the usual ones, such as "
      "AV1,THEORA", NULL, FIXED);

  /**
   * GstLmccSrc:buffer-size:
   *
   * The kernel's receive buffer of each group, in bytes, 0 for its default.
   * Where the kernel gives less, a warning names the setting that holds it
   * down.
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_BUFFER_SIZE] = g_param_spec_int ("buffer-size",
      "Buffer size", "Receive buffer of each group in bytes (0 = the kernel's "
      "default)", 0, G_MAXINT, 0, FIXED);
}

static void
install_state_properties (void)
{
  /**
   * GstLmccSrc:level:
   *
   * The highest layer that is held, -1 for none. Notified from the receiving
   * thread.
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_LEVEL] = g_param_spec_int ("level", "Level",
      "Highest layer that is held (-1 = none)", -1, LMCC_MAX_LAYERS - 1, -1,
      READ_ONLY);

  /**
   * GstLmccSrc:bitrate:
   *
   * What was received over the last second, in bit/s of whole IP packets.
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_BITRATE] =
      g_param_spec_uint64 ("bitrate", "Bitrate",
      "Received over the last second, in bit/s of IP packets", 0, G_MAXUINT64,
      0, READ_ONLY);

  /**
   * GstLmccSrc:stats:
   *
   * A #GstStructure `application/x-lmcc-src-stats`; the counters are since the
   * source went to PAUSED.
   *
   * * #guint64 `packets-received`, `bytes-received`: RTP, with IP and UDP
   * headers
   * * #guint64 `packets-lost`: in the network or in the host, over all layers
   * * #guint64 `packets-dropped-kernel`: of these, by the host's own sockets
   * * #guint64 `packets-delivered`: of the video, given out
   * * #guint64 `sound-packets-delivered`, `sound-packets-lost`: of the sound,
   *   given out, and missing when their turn came
   * * #gint `level`, `rung`: the highest layer held and the encoding given out,
   *   -1 for none
   * * #guint64 `bitrate`: over the last second, bit/s
   * * #gdouble `loss-rate`: over the last second, 0 to 1
   * * #guint64 `join-lead`: under dynamic layering groups are joined so long
   *   before their slot begins, ns; 0 under static layering
   * * #guint64 `join-to-packet`: from the latest join to its first packet, ns;
   *   2^64 - 1 for none yet
   * * #guint64 `join-to-picture`: from the start to the first packet given out,
   * ns
   * * #guint64 `rejoins`: groups left and joined again because they were silent
   * * #guint64 `packets-unwanted`: of groups left more than 4 s ago
   * * #guint64 `sources`: how often a sender was taken up
   * * #guint64 `memory`, `memory-peak`, `memory-budget`: bytes that are held,
   *   the most that were held at once, and what may be held
   *   (#GstLmccSrc:max-memory)
   * * #guint64 `units-delivered`, `units-incomplete`, `units-withheld`,
   *   `units-corrupted`: pictures given out, with a packet missing, held back
   *   because a decoder could not have used them, given out though they depend
   *   on a loss
   * * #guint64 `units-dropped-late`: pictures that downstream did not take in
   * time
   * * #guint64 `rung-changes`: changes of the encoding given out
   * * #gchararray `reason`: why the level is what it is
   * * #gchararray `algorithm`: what decides the level, %NULL for nothing yet
   * * #gchararray `state`: what the algorithm does now
   * * #gdouble `loss-event-rate`: the TCP model's p, 0 to 1
   * * #gdouble `calculated-rate`, `smoothed-rate`: what the TCP model allows,
   *   at once and smoothed, bit/s; infinite before the first loss, 0 where the
   *   algorithm has none
   * * #gchararray `timer`, #guint64 `timer-left`: what the algorithm waits for,
   *   %NULL for nothing, and how long still, ns; 2^64 - 1 for nothing
   * * #guint64 `rtt`: the round-trip time, ns, 0 where there is none
   * * #gchararray `rtt-source`: where it comes from: `max` (the most that the
   *   session allows for, as nothing is measured yet), `feedback`, `join` or
   *   `fixed`
   * * #guint64 `reports`, `answers`: reports to the sender, and its answers
   * * #guint64 `reports-suppressed`: those that another receiver's made
   *   needless (pgmcc only)
   * * #guint `leader`, #gboolean `leads`: with pgmcc the acker, with tfmcc the
   *   current limiting receiver: its SSRC, 0 for none, and whether it is this
   *   one
   * * #gchararray `base-algorithm`: what sets the rate of the base where others
   *   choose the layers above it: `none`, `pgmcc` or `tfmcc`
   * * #GstStructure `base-status`: of that one `state`, `loss-event-rate`,
   *   `calculated-rate`, `smoothed-rate`, `timer`, `timer-left`,
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
   *   `restarts`, `bitrate` (measured) and `rate` (announced), bit/s
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_STATS] =
      g_param_spec_boxed ("stats", "Statistics", "Various statistics",
      GST_TYPE_STRUCTURE, READ_ONLY);

  /**
   * GstLmccSrc:stats-update-interval:
   *
   * How often to notify #GstLmccSrc:stats, in milliseconds, 0 for never.
   *
   * Since: 0.1
   */
  gst_lmcc_src_properties[PROP_STATS_UPDATE_INTERVAL] =
      g_param_spec_uint ("stats-update-interval", "Statistics update interval",
      "How often to notify stats, in ms (0 = never)", 0, G_MAXUINT, 0, LIVE);
}

/**
 * gst_lmcc_src_install_pspecs:
 * @object_class: the source's class
 *
 * Installs all properties of the enumeration.
 */
void
gst_lmcc_src_install_pspecs (GObjectClass * object_class)
{
  install_address_properties ();
  install_session_properties ();
  install_state_properties ();
  g_object_class_install_properties (object_class, N_PROPS,
      gst_lmcc_src_properties);
}
