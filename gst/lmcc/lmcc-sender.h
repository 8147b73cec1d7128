/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_H
#define LMCC_SENDER_H

#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-session.h>
#include <gst/lmcc/lmcc-unit.h>

G_BEGIN_DECLS

/* How long native allocation may hold a packet to even out its layer's rate. */
#define LMCC_DEFAULT_WINDOW (100 * LMCC_MSECOND)

/* How long shaped allocation may hold one: a closed group of pictures of 2.1 s to
 * collect, as long to send it, and 200 ms for what comes late. That is 2 s for the
 * encoder, whose decoding times are not that even. */
#define LMCC_DEFAULT_SHAPED_WINDOW (4400 * LMCC_MSECOND)

/* Repair: the losses that it is for, where the configuration does not say: those of
 * TCP at a few hundred kbit/s. */
#define LMCC_DEFAULT_REPAIR_LOSS 0.02

/**
 * LMCC_REPAIR_BASE_SHARE:
 * In layers of fixed rates the base has this many times the share of repair that the
 * other layers have: a receiver that holds the base alone has no other repair. In
 * native layers a block has at most this many times the share of its own packets.
 */
#define LMCC_REPAIR_BASE_SHARE 2

/* Half of what repair of native layers adds to the latency, unless it is set. */
#define LMCC_DEFAULT_REPAIR_DELAY (500 * LMCC_MSECOND)

/**
 * LmccKeyRequestMode:
 * @LMCC_KEY_REQUEST_AUTO: encoders are asked for a key frame when a receiver says
 *     that it has no picture; where the session takes no reports, some 2 s after each
 *     key frame
 * @LMCC_KEY_REQUEST_HEARD: when a receiver says so
 * @LMCC_KEY_REQUEST_IGNORED: never because of receivers
 */
typedef enum
{
  LMCC_KEY_REQUEST_AUTO,
  LMCC_KEY_REQUEST_HEARD,
  LMCC_KEY_REQUEST_IGNORED,
} LmccKeyRequestMode;

/**
 * LmccSenderConfig:
 * @session: address, port, TTL, source, codec, number of rungs and what else of
 *     the record is known at the start. Where it says native, layers and rates are
 *     the sender's to fill; else its layers have the rates that it says, all above
 *     0. A window of 0 is the default one. Its algorithm's slots and groups are
 *     those of lmcc_session_fit_algorithm(), which the caller asks first whether the
 *     layers are fit: where they are not, there are no marks
 *     A train cycle of %LMCC_TIME_NONE is the algorithm's, and with slots, or where
 *     the network sets a rate, there are no trains
 *     Its feedback interval is the shortest, say %LMCC_DEFAULT_FEEDBACK_INTERVAL, and
 *     at least 1 s; the sender makes it longer as the audience grows; 0: no reports
 *     are taken. R_max 0 stands for %LMCC_DEFAULT_RTT_MAX
 * @levels: which layers its levels have, from its rungs; where that is
 *     %LMCC_LEVELS_CUMULATIVE those that @session says
 * @cname: canonical name for SDES (RFC 7022)
 * @sequence_seed: random; the first sequence numbers come from it
 * @rtp_offset: random; RTP timestamp of presentation time 0
 * @ntp_offset: NTP time (ns since 1900) of time 0 on the caller's clock
 * @nominal_rtt: for lmcc_session_fit_algorithm() and FLID's signals, 0 for the default
 * @leave_latency: for lmcc_session_fit_algorithm(), 0 for the default
 * @probabilities: (array) (nullable): p_i of FLID, for each layer; %NULL: those of
 *     its heuristic
 * @repair_loss: the share of the packets that repair reckons with to be lost; 0
 *     for %LMCC_DEFAULT_REPAIR_LOSS. How much repair there is the session's says: its
 *     share of what each layer of fixed rates sends that pictures need most, and of
 *     what all native layers send together
 * @repair_burst: how many are lost in a row, on average; up to 1: independently
 * @repair_block: native allocation: half of what the session's repair delay becomes;
 *     0 for %LMCC_DEFAULT_REPAIR_DELAY. A block is collected for at most three
 *     quarters of that delay, and its repair is sent within the fourth
 * @repair_base: the base's own share of repair in 1/1000, below 0 for none; 0 for
 *     twice the session's in layers of fixed rates, and for what is best up to that
 *     in native ones. The base is small,
 *     everybody's, and loses as much as the layers above it where these are too much;
 *     and nothing but itself can repair it for who has nothing else
 * @hysteresis: c of pgmcc, above 0, at most 1; 0 for %LMCC_PGMCC_HYSTERESIS
 * @key_distance: layers of fixed rates: how far apart the encoders are set to make
 *     key frames, ns, or %LMCC_TIME_NONE where they are not known to: then the window
 *     follows what the key frames show. A window of 0 is lmcc_sender_get_window_for()
 *     it, and becomes that for the first distance that is measured where it was not
 *     known. Where key frames are further apart than a window is long it grows, up to
 *     %LMCC_DEFAULT_SHAPED_WINDOW, and the record says so. 0: the window stays
 * @key_requests: when encoders are asked for key frames for receivers
 * @mtu: largest RTP packet with our element in it, bytes; larger ones are sent
 *     all the same, and counted
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
 * @LMCC_SENDER_ACTION_SESSION_CHANGED: lmcc_sender_get_session() is new
 * @LMCC_SENDER_ACTION_REQUEST_KEY_UNIT: the rungs' key frames are not at the same
 *     pictures, what comes next refers to a picture that was too old to be sent, or
 *     receivers may have no picture: ask the encoders of all rungs for one. For
 *     receivers that is at most once in 2 s, and when they say so, where the
 *     session takes their reports
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
 * @packets: RTP packets sent on the layer, filler included
 * @bytes: their bytes with IP and UDP headers
 * @fillers: filler packets among them
 * @repairs: repair packets among them
 * @repair_bytes: bytes of these
 * @queued: packets that wait now
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
 * @rate: what the network takes, bit/s of IP packets; 0: not known yet
 * @estimated_bitrate: lmcc_sender_get_estimated_bitrate()
 * @has_leader: a receiver sets the rate
 * @leader: its SSRC: the acker of pgmcc, the current limiting receiver of TFMCC
 * @rtt: pgmcc: the ackers' round-trip time, smoothed; TFMCC: R_max
 * @loss_rate: pgmcc: what the acker loses, from 0 to 1
 * @window: pgmcc: W, in packets
 * @stalls: pgmcc: how often nobody answered any more
 * @switches: pgmcc: how often one acker took another's place
 * @rounds: TFMCC: how many feedback rounds have begun
 * @reports_leader: reports of the receiver that set the rate when they came
 * @reports_refused: reports that could not be true
 * @reports_foreign: reports in a leader's name that came from elsewhere
 * @units_expired: units that were too old to be sent; of units_dropped
 * @sound_dropped: sound that was too old, or had no room
 * @age_max: the greatest age of a unit when a packet of it left, by its decoding
 *     time
 *
 * Where all receivers get one rate.
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
 * @units: units taken, by stream
 * @packets: RTP packets sent
 * @bytes: their bytes with IP and UDP headers
 * @media_bytes: those of media packets among them
 * @control_bytes: RTCP, likewise
 * @units_late: units that came after their decoding time + window
 * @units_invalid: units refused: a stream or class that the session has not, no
 *     packets, no time, or a packet that is not RTP or cannot be received
 * @units_dropped: units dropped because too much waited in their layer, or layers
 *     of fixed rates had no place for them, by class
 * @windows_cut: in layers of fixed rates, windows that had to end before the next
 *     key frame
 * @key_levels: in layers of fixed rates, for each rung the lowest level that has
 *     had all its key frames; the number of layers for none
 * @classes_joined: classes without layers of their own, because no more layers or
 *     groups are possible
 * @packets_oversize: packets larger than the mtu
 * @key_misaligned: pictures that are key in some rungs but not in all present
 * @repair_blocks: blocks that got repair packets
 * @repairs_late: repair packets that were not sent because their time was over
 * @reports: receivers' reports taken
 * @reports_malformed: packets to the feedback port that were no reports
 * @reports_limited: packets to the feedback port that were not looked at, because
 *     their address, or all together, sent too many
 * @key_requests: receivers' requests for a key frame taken
 * @key_units_requested: key frames that the encoders were asked for because of
 *     receivers
 * @key_units_unanswered: how many of the latest of them no key frame followed
 *     until the next one was asked for, 4 s later
 * @answers: answers to reports sent
 * @answers_dropped: answers not sent because the feedback's share of the base rate
 *     had no room for them, or because the receiver reported again
 * @feedback_bytes: of reports, answers and notices that a key frame comes, with IP
 *     and UDP headers
 * @receivers: how many receivers report, estimated; each address counts for two
 *     at most
 * @lateness_max: largest delay of a packet after the time it was due
 * @single: of one rate for all; all zero in other sessions
 * @layers: per layer
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
 * The sender's state machine: takes units, gives packets at their times.
 *
 * Every call that takes `now` may queue actions; drain lmcc_sender_poll_action()
 * before the next one. `now` must not go backwards. A caller that hands packets
 * over before their time says a `now` that is still to come; a report is taken at
 * the time at which it came (see lmcc_sender_take_control()).
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
