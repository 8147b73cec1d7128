/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_H
#define LMCC_SENDER_H

#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-session.h>
#include <gst/lmcc/lmcc-unit.h>

G_BEGIN_DECLS

/* Default time for which native layers may hold a packet to smooth the layer's rate. */
#define LMCC_DEFAULT_WINDOW (100 * LMCC_MSECOND)

/* Greatest default window of layers of fixed rates: a closed group of pictures of 2.1
 * s to collect, the same time to send it, and 200 ms for late units. It fits an
 * encoder with a key frame every 2 s whose decoding times are not quite even. */
#define LMCC_DEFAULT_SHAPED_WINDOW (4400 * LMCC_MSECOND)

/* Default packet loss rate that repair data is dimensioned for: that of TCP at a few
 * hundred kbit/s. */
#define LMCC_DEFAULT_REPAIR_LOSS 0.02

/**
 * LMCC_REPAIR_BASE_SHARE:
 * In layers of fixed rates, the base layer has this many times the share of repair data
 * of the other layers, because a receiver that has joined only the base layer gets no
 * other repair data. In native layers, a block has at most this many times the share that
 * its own packets call for.
 */
#define LMCC_REPAIR_BASE_SHARE 2

/* With repair_auto, the greatest share of repair data, in 1/1000. */
#define LMCC_REPAIR_AUTO_MOST 250

/* Default half of the latency that repair of native layers adds. */
#define LMCC_DEFAULT_REPAIR_DELAY (500 * LMCC_MSECOND)

/**
 * LmccKeyRequestMode:
 * @LMCC_KEY_REQUEST_AUTO: encoders are asked for a key frame when a receiver reports that
 *     it has no picture; in sessions without reports, about 2 s after each key frame
 * @LMCC_KEY_REQUEST_HEARD: only when a receiver reports that it has no picture
 * @LMCC_KEY_REQUEST_IGNORED: never on behalf of receivers
 *
 * When a sender asks encoders for key frames on behalf of receivers.
 */
typedef enum
{
  LMCC_KEY_REQUEST_AUTO,
  LMCC_KEY_REQUEST_HEARD,
  LMCC_KEY_REQUEST_IGNORED,
} LmccKeyRequestMode;

/**
 * LmccSenderConfig:
 * @session: address, port, TTL, source, codec, number of rungs and other parts of the
 *     session record that are known at the start. If native, the sender fills in layers
 *     and rates; otherwise all layers have a rate above 0. A window of 0 stands for the
 *     default. Slots and groups of the algorithm come from lmcc_session_fit_algorithm();
 *     call lmcc_algorithm_find_obstacle() first, because unsuitable layers get no marks.
 *     A train cycle of %LMCC_TIME_NONE stands for the algorithm's; there are no packet
 *     trains with slots or if the network sets a rate. The feedback interval is the
 *     shortest one, for instance %LMCC_DEFAULT_FEEDBACK_INTERVAL, and at least 1 s, and
 *     the sender lengthens it as the audience grows; 0: the sender takes no reports. An
 *     R_max of 0 stands for %LMCC_DEFAULT_RTT_MAX
 * @levels: how levels are built from rungs; with %LMCC_LEVELS_CUMULATIVE the levels of
 *     @session apply
 * @cname: canonical name for SDES (RFC 7022)
 * @sequence_seed: a random number that determines the first sequence numbers
 * @rtp_offset: a random number, the RTP timestamp of presentation time 0
 * @ntp_offset: NTP time (ns since 1900) of time 0 on the caller's clock
 * @nominal_rtt: round-trip time for lmcc_session_fit_algorithm() and FLID's signals, in
 *     ns, 0 for the default
 * @leave_latency: leave latency for lmcc_session_fit_algorithm(), in ns, 0 for the
 *     default
 * @probabilities: (array) (nullable): FLID's p_i, one per layer; %NULL: computed with
 *     FLID's heuristic
 * @repair_loss: packet loss rate that repair is dimensioned for, 0 for
 *     %LMCC_DEFAULT_REPAIR_LOSS. The session's repair share sets the amount of repair
 *     data: a share of the most important packets of each layer of fixed rates, or a
 *     share of all native layers together
 * @repair_burst: mean number of packets lost in a row; up to 1: independent losses
 * @repair_block: native layers: half of the session's repair delay, in ns; 0 for
 *     %LMCC_DEFAULT_REPAIR_DELAY. A block collects packets for at most three quarters of
 *     the repair delay, and its repair data is sent within the remaining quarter
 * @repair_auto: receivers' reports decide on the amount of repair data, at most the
 *     session's share, and twice that in the base layer; @repair_loss and @repair_burst
 *     are the least that it is planned for
 * @repair_initial: with @repair_auto, share of repair data while no receiver reports, in
 *     1/1000
 * @repair_base: share of repair data of the base layer in 1/1000; below 0: none; 0: twice
 *     the session's share in layers of fixed rates, and the best value up to that in
 *     native layers. The base layer is small, all receivers need it, and it suffers from
 *     congestion that the layers above it cause; receivers that have joined nothing else
 *     can repair it only with its own repair data
 * @hysteresis: c of pgmcc, above 0, at most 1; 0 for %LMCC_PGMCC_HYSTERESIS
 * @key_distance: layers of fixed rates: configured key frame interval of the encoders, in
 *     ns; %LMCC_TIME_NONE if unknown: then the window follows the measured interval. A
 *     window of 0 becomes lmcc_sender_get_window_for() of the interval, or of the first
 *     measured interval if it was unknown. If key frames are further apart than the
 *     window is long, the window grows up to %LMCC_DEFAULT_SHAPED_WINDOW, and the session
 *     record announces it. 0: the window is constant
 * @key_requests: when encoders are asked for key frames on behalf of receivers
 * @mtu: largest RTP packet including the library's header element, in bytes; larger
 *     packets are sent and counted
 *
 * Configuration of lmcc_sender_new(). Set the whole structure to zero first,
 * because reserved fields must be zero.
 */
typedef struct
{
  LmccSession session;
  LmccLevels levels;
  const gchar *cname;
  guint32 sequence_seed;
  guint32 rtp_offset;
  LmccTime ntp_offset;
  LmccTime nominal_rtt;
  LmccTime leave_latency;
  const gdouble *probabilities;
  gdouble repair_loss;
  gdouble repair_burst;
  LmccTime repair_block;
  gint repair_base;
  gboolean repair_auto;
  guint repair_initial;
  gdouble hysteresis;
  LmccTime key_distance;
  LmccKeyRequestMode key_requests;
  guint mtu;
  /*< private >*/
  gpointer reserved[LMCC_PADDING];
} LmccSenderConfig;

/**
 * LmccSenderActionType:
 * @LMCC_SENDER_ACTION_SEND: send @packet to group @group, now
 * @LMCC_SENDER_ACTION_SEND_CONTROL: send @packet (RTCP) to the base group, port + 1
 * @LMCC_SENDER_ACTION_SESSION_CHANGED: lmcc_sender_get_session() has changed
 * @LMCC_SENDER_ACTION_REQUEST_KEY_UNIT: ask the encoders of all rungs for a key frame,
 *     because the rungs' key frames are not aligned, because the next unit refers to a
 *     picture that was too old to be sent, or because receivers may have no picture. On
 *     behalf of receivers, at most once in 2 s, and on their request if the session takes
 *     reports
 *
 * What a sender asks its caller to do.
 */
typedef enum
{
  LMCC_SENDER_ACTION_SEND,
  LMCC_SENDER_ACTION_SEND_CONTROL,
  LMCC_SENDER_ACTION_SESSION_CHANGED,
  LMCC_SENDER_ACTION_REQUEST_KEY_UNIT,
} LmccSenderActionType;

/**
 * LmccSenderAction:
 * @type: what to do
 * @group: index of the group, for SEND
 * @packet: (transfer full): for SEND and SEND_CONTROL
 *
 * An action from lmcc_sender_poll_action(). The comments name the types, without their
 * prefix, for which each field is set.
 */
typedef struct
{
  LmccSenderActionType type;
  guint group;
  LmccPacket *packet;
  /*< private >*/
  gpointer reserved[LMCC_PADDING];
} LmccSenderAction;

/**
 * LmccSenderLayerStats:
 * @packets: RTP packets sent on the layer, including filler
 * @bytes: bytes of @packets, including IP and UDP headers
 * @fillers: how many of @packets are filler
 * @repairs: how many of @packets are repair packets
 * @repair_bytes: bytes of @repairs
 * @queued: packets that wait to be sent
 *
 * Counters of one layer at the sender.
 */
typedef struct
{
  guint64 packets;
  guint64 bytes;
  guint64 fillers;
  guint64 repairs;
  guint64 repair_bytes;
  guint queued;
} LmccSenderLayerStats;

/**
 * LmccSingleRateStats:
 * @rate: the rate that the network allows, bit/s of IP packets; 0: not known yet
 * @estimated_bitrate: value of lmcc_sender_get_estimated_bitrate(), bit/s
 * @has_leader: a receiver sets the rate
 * @leader: SSRC of the receiver that sets the rate: the acker of pgmcc, the current
 *     limiting receiver of TFMCC
 * @rtt: pgmcc: the ackers' round-trip time, smoothed; TFMCC: R_max
 * @loss_rate: pgmcc: loss rate of the acker, from 0 to 1
 * @window: pgmcc: W, in packets
 * @stalls: pgmcc: how many times all acknowledgements stopped
 * @switches: pgmcc: how many times the acker changed
 * @rounds: TFMCC: number of feedback rounds begun
 * @reports_leader: reports from the receiver that set the rate at that time
 * @reports_refused: implausible reports
 * @reports_foreign: reports with the leader's SSRC from another address
 * @units_expired: units that were too old to be sent; included in units_dropped
 * @sound_dropped: sound packets that were too old or did not fit
 * @age_max: greatest age of a unit, counted from its decoding time, when one of its
 *     packets was sent
 *
 * Counters of single-rate sessions.
 */
typedef struct
{
  gdouble rate;
  guint64 estimated_bitrate;
  gboolean has_leader;
  guint32 leader;
  LmccTime rtt;
  gdouble loss_rate;
  gdouble window;
  guint64 stalls;
  guint64 switches;
  guint64 rounds;
  guint64 reports_leader;
  guint64 reports_refused;
  guint64 reports_foreign;
  guint64 units_expired;
  guint64 sound_dropped;
  LmccTime age_max;
} LmccSingleRateStats;

/**
 * LmccSenderStats:
 * @units: units accepted, per stream
 * @packets: RTP packets sent
 * @bytes: bytes of @packets, including IP and UDP headers
 * @media_bytes: bytes of the media packets among @packets
 * @control_bytes: bytes of RTCP packets, including IP and UDP headers
 * @units_late: units that arrived after their decoding time plus the window
 * @units_invalid: refused units: with a stream or class that the session does not have,
 *     without packets or times, or with a packet that is not RTP or that receivers could
 *     not receive
 * @units_dropped: units dropped, per class, because the layer's queue was full or layers
 *     of fixed rates had no room
 * @windows_cut: layers of fixed rates: windows that ended before the next key frame
 * @key_levels: layers of fixed rates: per rung, the lowest level that received all its
 *     key frames; the number of layers if there is none
 * @classes_joined: classes that share another class's layer because no more layers or
 *     groups are available
 * @packets_oversize: packets larger than the mtu
 * @key_misaligned: pictures that are key frames in some of the present rungs but not in
 *     all
 * @repair_blocks: blocks that got repair packets
 * @repairs_late: repair packets that were not sent because they would have been too late
 * @repair_share: present share of repair data of the layers above the base layer
 * @repair_base_share: that of the base layer
 * @repair_reporters: with repair_auto, number of addresses that sent a loss report in the
 *     last 30 s
 * @repair_loss: packet loss rate that repair data is expected to be needed for
 * @repair_burst: mean number of packets lost in a row that goes with it
 * @reports: receiver reports accepted
 * @reports_malformed: packets on the feedback port that are no valid reports
 * @reports_limited: packets on the feedback port that were ignored because their address,
 *     or all receivers together, exceeded a rate limit
 * @key_requests: key frame requests of receivers accepted
 * @key_units_requested: key frames that the encoders were asked for on behalf of
 *     receivers
 * @key_units_unanswered: how many of the latest consecutive requests to the encoders
 *     brought no key frame before the next request, 4 s later
 * @answers: answers to reports sent
 * @answers_dropped: answers not sent because they exceeded the share of the base rate
 *     that is reserved for feedback, or because the receiver reported again
 * @feedback_bytes: bytes of reports, answers and key frame notices, including IP and UDP
 *     headers
 * @receivers: estimated number of receivers that report; each address counts as at most
 *     two
 * @lateness_max: greatest delay of a packet after its scheduled time
 * @single: counters of single-rate sessions; all zero in other sessions
 * @layers: counters per layer
 *
 * Counters of a sender, from lmcc_sender_get_stats().
 */
typedef struct
{
  guint64 units[16];
  guint64 packets;
  guint64 bytes;
  guint64 media_bytes;
  guint64 control_bytes;
  guint64 units_late;
  guint64 units_invalid;
  guint64 units_dropped[LMCC_MAX_CLASSES];
  guint64 windows_cut;
  guint8 key_levels[LMCC_MAX_RUNGS];
  guint64 classes_joined;
  guint64 packets_oversize;
  guint64 key_misaligned;
  guint64 repair_blocks;
  guint64 repairs_late;
  gdouble repair_share;
  gdouble repair_base_share;
  guint repair_reporters;
  gdouble repair_loss;
  gdouble repair_burst;
  guint64 reports;
  guint64 reports_malformed;
  guint64 reports_limited;
  guint64 key_requests;
  guint64 key_units_requested;
  guint key_units_unanswered;
  guint64 answers;
  guint64 answers_dropped;
  guint64 feedback_bytes;
  gdouble receivers;
  LmccTime lateness_max;
  LmccSingleRateStats single;
  LmccSenderLayerStats layers[LMCC_MAX_LAYERS];
} LmccSenderStats;

/**
 * LmccSender:
 * The sender's state machine: takes units and outputs packets at their times.
 *
 * Every call with a parameter `now` may queue actions; drain lmcc_sender_poll_action()
 * before the next call. `now` must not go backwards. A caller that hands packets over
 * ahead of time passes a `now` in the future; reports are still taken with their time of
 * arrival (see lmcc_sender_take_control()).
 */
typedef struct _LmccSender LmccSender;

LMCC_API LmccSender *
lmcc_sender_new (const LmccSenderConfig *config, LmccTime now, GError **error);
LMCC_API LmccTime lmcc_sender_get_window_for (LmccTime key_distance);
LMCC_API void lmcc_sender_free (LmccSender *sender);
LMCC_API void
lmcc_sender_push_unit (LmccSender *sender, LmccUnit *unit, LmccTime now);
LMCC_API void lmcc_sender_handle_timeout (LmccSender *sender, LmccTime now);
LMCC_API void lmcc_sender_handle_control (LmccSender *sender, LmccTime now,
    const LmccAddress *source, guint16 source_port, const guint8 *data,
    gsize size);
LMCC_API void lmcc_sender_set_source (LmccSender *sender, LmccTime now,
    const LmccAddress *source, guint16 feedback_port);
LMCC_API void lmcc_sender_renew_description (LmccSender *sender, LmccTime now);
LMCC_API gboolean lmcc_sender_admit_control (LmccSender *sender, LmccTime time,
    const LmccAddress *source, guint16 source_port);
LMCC_API void lmcc_sender_take_control (LmccSender *sender, LmccTime now,
    const LmccAddress *source, guint16 source_port, const guint8 *data,
    gsize size);
LMCC_API gboolean lmcc_sender_take_group_control (LmccSender *sender,
    LmccTime now, const LmccAddress *source, const guint8 *data, gsize size);
LMCC_API gboolean lmcc_sender_take_group_media (LmccSender *sender,
    LmccTime now, const LmccAddress *source, const guint8 *data, gsize size);
LMCC_API LmccTime lmcc_sender_next_timeout (const LmccSender *sender);
LMCC_API LmccTime lmcc_sender_get_pacing_step (const LmccSender *sender,
    LmccTime now, guint max_burst);
LMCC_API gboolean lmcc_sender_poll_action (LmccSender *sender,
    LmccSenderAction *action);
LMCC_API void lmcc_sender_flush (LmccSender *sender, LmccTime now);
LMCC_API gboolean lmcc_sender_is_idle (const LmccSender *sender);
LMCC_API void lmcc_sender_stop (LmccSender *sender, LmccTime now);
LMCC_API const LmccSession *lmcc_sender_get_session (const LmccSender *sender);
LMCC_API guint64 lmcc_sender_get_estimated_bitrate (const LmccSender *sender);
LMCC_API const LmccSenderStats *
lmcc_sender_get_stats (const LmccSender *sender);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccSender, lmcc_sender_free)

G_END_DECLS

#endif
