/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_H
#define LMCC_RECEIVER_H

#include <gst/lmcc/lmcc-algorithm.h>
#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-session.h>

G_BEGIN_DECLS

/* Time that a receiver allows for the network, beyond the sender's window. */
#define LMCC_DEFAULT_LATENCY (200 * LMCC_MSECOND)

/* Larger gaps between consecutive arrivals, by loss or reordering, are rare. */
#define LMCC_DEFAULT_MAX_LEAP 8

/* The receiver drops its source only after neither media nor a session record has
 * arrived for this long. */
#define LMCC_SOURCE_TIMEOUT (600 * LMCC_MSECOND)

/* The receiver changes to another host only after this much silence: longer than
 * interruptions of the sender's process or of a route. */
#define LMCC_SOURCE_TAKEOVER (10 * LMCC_SECOND)

/* After this much waiting for a sender, the user is told. Longer than the interval
 * between two session records. */
#define LMCC_UNHEARD_TIMEOUT (5 * LMCC_SECOND)

/* Reasons for an orderly end of a session. */
#define LMCC_REASON_GOODBYE "the sender said goodbye"
#define LMCC_REASON_SILENCE "the sender is silent"

/* If a joined group that carried packets falls silent for this long while the base
 * group continues, the receiver leaves and rejoins it. */
#define LMCC_REJOIN_TIMEOUT (10 * LMCC_SECOND)

/* Default memory limit of a receiver in bytes, bookkeeping included: room for what
 * arrives within LMCC_MEMORY_SPAN or until it is due, whichever is longer, but at
 * least the minimum and at most the maximum below. */
#define LMCC_MEMORY_AUTOMATIC_MIN (64 * 1024 * 1024)
#define LMCC_MEMORY_AUTOMATIC_MAX (512 * 1024 * 1024)
#define LMCC_MEMORY_SPAN (2 * LMCC_SECOND)

/* A lower limit has no room for a picture and its reordered packets. */
#define LMCC_MEMORY_MIN (1024 * 1024)

/**
 * LmccSourcePolicy:
 * @LMCC_SOURCE_POLICY_FIRST: the first sender that was heard, also when it returns after
 *     a pause; another host only after %LMCC_SOURCE_TAKEOVER of silence, or if the first
 *     one never sent the media that it announced
 * @LMCC_SOURCE_POLICY_ANY: any sender, once the previous one has been silent for
 *     %LMCC_SOURCE_TIMEOUT
 * @LMCC_SOURCE_POLICY_ASK: as %LMCC_SOURCE_POLICY_FIRST, and other senders are reported
 *     with %LMCC_RECEIVER_ACTION_SOURCE_ASKED
 *
 * Which host's session the receiver accepts.
 */
typedef enum
{
  LMCC_SOURCE_POLICY_FIRST,
  LMCC_SOURCE_POLICY_ANY,
  LMCC_SOURCE_POLICY_ASK,
} LmccSourcePolicy;

/**
 * LmccOnLoss:
 * @LMCC_ON_LOSS_CONCEAL: deliver complete units that depend on a lost one, marked as
 *     corrupted
 * @LMCC_ON_LOSS_FREEZE: deliver nothing that depends on a lost unit
 *
 * What a receiver delivers after a packet loss that it cannot repair.
 */
typedef enum
{
  LMCC_ON_LOSS_CONCEAL,
  LMCC_ON_LOSS_FREEZE,
} LmccOnLoss;

/* Lowest port that reports go to by default. Ports below belong to system services
 * (RFC 6335 section 6). A host that forges a sender's packets can name any port, and a
 * service might trust the hosts of the audience. */
#define LMCC_FIRST_USER_PORT 1024

/**
 * LmccReceiverConfig:
 * @address: address of the base group
 * @source: address of the only accepted sender; family %LMCC_FAMILY_NONE: any sender
 * @session: (nullable): the session as read from an SDP file; %NULL: wait for the session
 *     record
 * @algorithm: name of a registered algorithm, or "auto" for the one that the session
 *     announces
 * @settings: (nullable): settings for the algorithm; settings of a different algorithm
 *     are ignored with a warning. %NULL: defaults
 * @rtt_mode: how the round-trip time is obtained
 * @fixed_rtt: the round-trip time in ns, for %LMCC_RTT_MODE_FIXED
 * @latency: time allowed for the network, beyond the sender's window, in ns
 * @timeout: silence in ns after which %LMCC_RECEIVER_ACTION_TIMEOUT is queued, 0 for
 *     never
 * @allow_low_port: allow reports to a port of the sender below %LMCC_FIRST_USER_PORT
 * @max_level: highest level to join, -1 for no limit
 * @max_bitrate: maximum total bitrate of the joined layers, bit/s, 0 for no limit
 * @max_memory: memory limit in bytes, at least %LMCC_MEMORY_MIN; 0: derived from the
 *     measured rate, between %LMCC_MEMORY_AUTOMATIC_MIN and %LMCC_MEMORY_AUTOMATIC_MAX
 * @max_leap: largest plausible gap between the numbers of a layer's packets; packets
 *     further apart do not confirm each other, and an order number further ahead needs
 *     confirmation. 0: %LMCC_DEFAULT_MAX_LEAP
 * @on_loss: what to deliver after a loss
 * @source_policy: which host's session to accept if there are several
 * @end_on_bye: end the reception when the sender says BYE, with %LMCC_RECEIVER_ACTION_END
 * @codecs: (nullable) (array zero-terminated=1): further accepted encoding names, beside
 *     those of lmcc_session_codec_is_usual()
 * @sequence_seed: a random number that determines the first delivered sequence number,
 *     the receiver's SSRC and its random choices
 * @end_on_silence: end the reception after this much silence of a sender that said no BYE
 *     (RFC 3550 section 6.3.5), in ns, at least %LMCC_SOURCE_TIMEOUT; 0 for never
 * @no_circuit_breaker: continue even if the path cannot carry the base layer. Not for
 *     real networks (RFC 8085 section 4.1); for simulations of papers whose receivers
 *     have no circuit breaker
 *
 * Configuration of lmcc_receiver_new(). Set the whole structure to zero first,
 * because reserved fields must be zero.
 */
typedef struct
{
  LmccAddress address;
  LmccAddress source;
  const LmccSession *session;
  const gchar *algorithm;
  const LmccSettings *settings;
  LmccRttMode rtt_mode;
  LmccTime fixed_rtt;
  LmccTime latency;
  LmccTime timeout;
  gboolean allow_low_port;
  gint max_level;
  guint64 max_bitrate;
  guint64 max_memory;
  guint max_leap;
  LmccOnLoss on_loss;
  LmccSourcePolicy source_policy;
  gboolean end_on_bye;
  const gchar *const *codecs;
  guint32 sequence_seed;
  LmccTime end_on_silence;
  gboolean no_circuit_breaker;
  /*< private >*/
  gpointer reserved[LMCC_PADDING - 2];
} LmccReceiverConfig;

/**
 * LmccReceiverActionType:
 * @LMCC_RECEIVER_ACTION_JOIN: join group @group
 * @LMCC_RECEIVER_ACTION_LEAVE: leave group @group
 * @LMCC_RECEIVER_ACTION_DELIVER: deliver video packet @packet downstream, with
 *     presentation time @time
 * @LMCC_RECEIVER_ACTION_DELIVER_SOUND: deliver sound packet @packet downstream, with
 *     presentation time @time
 * @LMCC_RECEIVER_ACTION_SEGMENT: start a new segment at @time
 * @LMCC_RECEIVER_ACTION_SESSION: lmcc_receiver_get_session() has changed
 * @LMCC_RECEIVER_ACTION_LEVEL: the level changed from @from to @to because of @reason
 * @LMCC_RECEIVER_ACTION_WAITING: the receiver waits for a sender: none has been heard
 *     yet, or the source has gone (@reason)
 * @LMCC_RECEIVER_ACTION_UNHEARD: the receiver has waited for %LMCC_UNHEARD_TIMEOUT;
 *     queued once per wait. @reason says what arrived meanwhile, or why the previous
 *     sender is no longer heard
 * @LMCC_RECEIVER_ACTION_TIMEOUT: no packet has arrived for the configured time
 * @LMCC_RECEIVER_ACTION_WARNING: @reason describes a problem with the session
 * @LMCC_RECEIVER_ACTION_SOURCE_CHANGED: the receiver changed from the session of
 *     @previous to that of @destination because of @reason
 * @LMCC_RECEIVER_ACTION_SOURCE_ASKED: @destination also sends a session while the
 *     receiver listens to @previous; lmcc_receiver_answer_source() can change the choice
 * @LMCC_RECEIVER_ACTION_SOURCE_BESIDE: @destination sends a session at the same time as
 *     @previous, which the receiver listens to; queued once per session. Both addresses
 *     may be the same host
 * @LMCC_RECEIVER_ACTION_REPORT: send @packet (RTCP) to @destination, UDP port @port
 * @LMCC_RECEIVER_ACTION_SEND_CONTROL: send @packet (RTCP) to group @group, on the
 *     session's port + 1, with the session's TTL
 * @LMCC_RECEIVER_ACTION_MEMORY_FULL: the memory limit is reached; @reason says what the
 *     receiver drops
 * @LMCC_RECEIVER_ACTION_CIRCUIT_BREAKER: the receiver has left all groups because of
 *     @reason, and delivers nothing more
 * @LMCC_RECEIVER_ACTION_END: the reception has ended, all buffered packets are delivered
 *     and all groups left. Either the sender said BYE and stayed silent for
 *     %LMCC_SOURCE_TIMEOUT (only with @end_on_bye of the configuration), or it was silent
 *     for @end_on_silence. @reason is %LMCC_REASON_GOODBYE or %LMCC_REASON_SILENCE,
 *     @previous the sender
 *
 * What a receiver asks its caller to do.
 */
typedef enum
{
  LMCC_RECEIVER_ACTION_JOIN,
  LMCC_RECEIVER_ACTION_LEAVE,
  LMCC_RECEIVER_ACTION_DELIVER,
  LMCC_RECEIVER_ACTION_DELIVER_SOUND,
  LMCC_RECEIVER_ACTION_SEGMENT,
  LMCC_RECEIVER_ACTION_SESSION,
  LMCC_RECEIVER_ACTION_LEVEL,
  LMCC_RECEIVER_ACTION_WAITING,
  LMCC_RECEIVER_ACTION_UNHEARD,
  LMCC_RECEIVER_ACTION_TIMEOUT,
  LMCC_RECEIVER_ACTION_WARNING,
  LMCC_RECEIVER_ACTION_SOURCE_CHANGED,
  LMCC_RECEIVER_ACTION_SOURCE_ASKED,
  LMCC_RECEIVER_ACTION_SOURCE_BESIDE,
  LMCC_RECEIVER_ACTION_REPORT,
  LMCC_RECEIVER_ACTION_SEND_CONTROL,
  LMCC_RECEIVER_ACTION_MEMORY_FULL,
  LMCC_RECEIVER_ACTION_CIRCUIT_BREAKER,
  LMCC_RECEIVER_ACTION_END,
} LmccReceiverActionType;

/**
 * LmccReceiverAction:
 * @type: what to do
 * @group: index of the group, for JOIN, LEAVE and SEND_CONTROL
 * @control: for JOIN and LEAVE: the control group behind the session's last group; pass
 *     what arrives there on port + 1 to lmcc_receiver_handle_learning()
 * @packet: (transfer full): for DELIVER and DELIVER_SOUND a plain RTP packet, renumbered
 *     and without the library's header element; for REPORT and SEND_CONTROL reduced-size
 *     RTCP
 * @destination: for REPORT the host that sends the session; for SOURCE_CHANGED,
 *     SOURCE_ASKED and SOURCE_BESIDE as described above
 * @previous: for SOURCE_CHANGED, SOURCE_ASKED, SOURCE_BESIDE and END; for UNHEARD the
 *     sender heard before the wait, of family %LMCC_FAMILY_NONE if there was none
 * @held_back: for WAITING, WARNING, SOURCE_CHANGED, SOURCE_ASKED and SOURCE_BESIDE:
 *     number of similar actions suppressed since the last one; at most one is queued per
 *     %LMCC_MESSAGE_INTERVAL
 * @port: UDP port, for REPORT
 * @time: for DELIVER and DELIVER_SOUND the presentation time, for SEGMENT its start, on
 *     the caller's clock, without the latency of lmcc_receiver_get_latency(); for UNHEARD
 *     the duration of the reception from @previous
 * @discont: for DELIVER and DELIVER_SOUND: packets are missing before this one
 * @corrupted: for DELIVER: the unit depends on a lost one
 * @unit_start: for DELIVER: the packet is the first one of its unit
 * @catch_up: for DELIVER: the packet is for the decoder only, not for display; @time lies
 *     before the segment and after all packets delivered so far
 * @from: the old level, for LEVEL
 * @to: the new level, for LEVEL
 * @reason: a static or interned string, for LEVEL, WAITING, UNHEARD, WARNING,
 *     MEMORY_FULL, SOURCE_CHANGED, SOURCE_ASKED, SOURCE_BESIDE, CIRCUIT_BREAKER and END
 *
 * An action from lmcc_receiver_poll_action(). The comments name the types, without their
 * prefix, for which each field is set.
 */
typedef struct
{
  LmccReceiverActionType type;
  guint group;
  gboolean control;
  LmccPacket *packet;
  LmccAddress destination;
  LmccAddress previous;
  guint64 held_back;
  guint16 port;
  LmccTime time;
  gboolean discont;
  gboolean corrupted;
  gboolean unit_start;
  gboolean catch_up;
  gint from;
  gint to;
  const gchar *reason;
  /*< private >*/
  gpointer reserved[LMCC_PADDING];
} LmccReceiverAction;

/**
 * LmccDrop:
 * @LMCC_DROP_MALFORMED: not an RTP packet, or its header element is invalid
 * @LMCC_DROP_NO_ELEMENT: an RTP packet without the session's header element
 * @LMCC_DROP_FOREIGN_SOURCE: from a host that the receiver does not listen to
 * @LMCC_DROP_FOREIGN_SSRC: from another session, or from another start of the sender
 * @LMCC_DROP_WRONG_LAYER: of a layer that does not belong to this group, or with a level
 *     that the session does not have
 * @LMCC_DROP_UNKNOWN_TYPE: its payload type is not one of the session's
 * @LMCC_DROP_DUPLICATE: already received or repaired
 * @LMCC_DROP_SUSPECT: its numbers contradict those of other packets
 * @LMCC_DROP_LATE: arrived after its place in the output had passed
 * @LMCC_DROP_BEFORE_RECORD: arrived before the session record
 * @LMCC_DROP_BAD_RTCP: a malformed RTCP packet
 * @LMCC_DROP_BAD_RECORD: with a session record that is malformed, describes another
 *     group, or names a codec that is not accepted
 * @LMCC_DROP_OVERSIZE: larger than %LMCC_MAX_PACKET_SIZE
 * @LMCC_DROP_BAD_ANSWER: an answer to no report of this receiver, or not from the sender
 * @LMCC_DROP_TOO_OFTEN: a join notice of a receiver that sends them too often
 * @LMCC_DROP_MEMORY: no memory left for it
 * @LMCC_N_DROPS: number of reasons
 *
 * Why a received packet was dropped. lmcc_drop_name() returns the names used in
 * statistics.
 */
typedef enum
{
  LMCC_DROP_MALFORMED,
  LMCC_DROP_NO_ELEMENT,
  LMCC_DROP_FOREIGN_SOURCE,
  LMCC_DROP_FOREIGN_SSRC,
  LMCC_DROP_WRONG_LAYER,
  LMCC_DROP_UNKNOWN_TYPE,
  LMCC_DROP_DUPLICATE,
  LMCC_DROP_SUSPECT,
  LMCC_DROP_LATE,
  LMCC_DROP_BEFORE_RECORD,
  LMCC_DROP_BAD_RTCP,
  LMCC_DROP_BAD_RECORD,
  LMCC_DROP_OVERSIZE,
  LMCC_DROP_BAD_ANSWER,
  LMCC_DROP_TOO_OFTEN,
  LMCC_DROP_MEMORY,
  LMCC_N_DROPS,
} LmccDrop;

LMCC_API const gchar *lmcc_drop_name (LmccDrop drop);

/**
 * LmccRepairClassStats:
 * @lost: media packets that did not arrive, or arrived after they had been counted as
 *     lost; the sum of @repaired, @late and @beyond_repair
 * @repaired: how many of @lost were recovered in time
 * @late: how many of @lost were recovered after their place in the output had passed
 * @beyond_repair: how many of @lost are not recovered and no longer waited for. A lost
 *     packet that may have been either media or repair data counts as media
 *
 * Counters of repair for the packets of one class.
 */
typedef struct
{
  guint64 lost;
  guint64 repaired;
  guint64 late;
  guint64 beyond_repair;
} LmccRepairClassStats;

/**
 * LmccRepairStats:
 * @received: repair packets received
 * @invalid: repair packets, or blocks of them, with invalid contents
 * @classes: counters per class; %LMCC_CLASS_MIXED counts lost packets of unknown class in
 *     layers that carry several classes
 *
 * Counters of repair.
 */
typedef struct
{
  guint64 received;
  guint64 invalid;
  LmccRepairClassStats classes[LMCC_MAX_CLASSES];
} LmccRepairStats;

/**
 * LmccGateStats:
 * @units_delivered: complete units delivered
 * @units_incomplete: units with missing packets
 * @units_withheld: complete units that were not delivered because the decoder could not
 *     use them
 * @units_frozen: how many of @units_withheld depend on a loss
 * @units_corrupted: how many of @units_delivered depend on a loss
 * @rung_changes: changes of the rung, up and down
 * @units_due: units of the rung that the level is meant to show: the highest rung that is
 *     complete apart from losses
 * @units_missed: how many of @units_due did not reach the decoder because of a loss;
 *     units that extend into a layer that is not joined are not counted
 *
 * Counters of the units that a receiver has collected for the decoder.
 */
typedef struct
{
  guint64 units_delivered;
  guint64 units_incomplete;
  guint64 units_withheld;
  guint64 units_frozen;
  guint64 units_corrupted;
  guint64 rung_changes;
  guint64 units_due;
  guint64 units_missed;
} LmccGateStats;

/**
 * LmccLayerStats:
 * @received: packets, without duplicates and late packets
 * @bytes: bytes of @received, including IP and UDP headers
 * @lost: lost packets
 * @reordered: how many of @received filled a gap
 * @duplicates: packets that had already arrived
 * @late: packets that arrived after they had been counted as lost
 * @restarts: jumps of the sequence number
 *
 * Counters of the packets of one layer.
 */
typedef struct
{
  guint64 received;
  guint64 bytes;
  guint64 lost;
  guint64 reordered;
  guint64 duplicates;
  guint64 late;
  guint64 restarts;
} LmccLayerStats;

/**
 * LmccReceiverStats:
 * @packets: RTP packets accepted, of all layers
 * @bytes: bytes of @packets, including IP and UDP headers
 * @lost: packets lost in the network or the host, of all layers
 * @socket_drops: packets that the host's own sockets dropped; included in @lost
 * @delivered: RTP packets of the video delivered
 * @sound_delivered: RTP packets of the sound delivered
 * @sound_lost: RTP packets of the sound that were missing when they were due
 * @drops: dropped packets, by reason
 * @level: the current level, -1 for none
 * @rung: the rung being delivered, -1 for none
 * @bitrate: received bitrate over the last second, bit/s of IP packets
 * @loss_rate: lost / (lost + received) over the last second
 * @algorithm: (nullable): name of the running algorithm
 * @status: state of the running algorithm; all zero if none runs
 * @base_algorithm: (nullable): name of the algorithm that sends reports for the base
 *     layer, while another one chooses among the layers above
 * @base_status: state of @base_algorithm
 * @rtt: the round-trip time that the algorithm uses, or 0
 * @rtt_source: origin of @rtt
 * @reordering_window: how long the receiver waits for an overtaken packet before it
 *     counts as lost, learnt from late packets (RFC 8985 section 6.2); 0: packets arrive
 *     in order
 * @reports: reports sent to the sender
 * @answers: answers to reports received
 * @key_requests: key frame requests sent to the sender
 * @notices: join notices of other receivers that were used (shared learning)
 * @join_to_packet: time from the latest join to its first packet, or %LMCC_TIME_NONE
 * @join_lead: with dynamic layering, how long before their slot groups are joined;
 *     otherwise 0
 * @join_to_picture: time from the start to the first delivered packet, or %LMCC_TIME_NONE
 * @rejoins: groups left and rejoined because they were silent
 * @unwanted: packets of groups that the receiver left long enough ago for the leave to
 *     have taken effect. Only callers that read on after a leave see such packets
 * @sources: how many times the receiver has taken a source
 * @memory: bytes held at present, bookkeeping included
 * @memory_peak: maximum of @memory
 * @memory_budget: memory limit in bytes
 * @link_loss_rate: loss rate over the latest 30 s, without losses in a long queue: what
 *     the receiver tells a sender that adapts its repair data; 0 with other senders
 * @link_burst: mean number of packets of a layer in a row among these losses
 * @repair: lost and repaired media packets
 * @gate: counters of the units
 * @layers: counters per layer
 * @layer_bitrate: received bitrate per layer over the last second, bit/s
 *
 * Counters and state of a receiver, from lmcc_receiver_get_stats(). Counters start when
 * the receiver is created.
 */
typedef struct
{
  guint64 packets;
  guint64 bytes;
  guint64 lost;
  guint64 socket_drops;
  guint64 delivered;
  guint64 sound_delivered;
  guint64 sound_lost;
  guint64 drops[LMCC_N_DROPS];
  gint level;
  gint rung;
  guint64 bitrate;
  gdouble loss_rate;
  const gchar *algorithm;
  LmccControllerStatus status;
  const gchar *base_algorithm;
  LmccControllerStatus base_status;
  LmccTime rtt;
  LmccRttSource rtt_source;
  LmccTime reordering_window;
  guint64 reports;
  guint64 answers;
  guint64 key_requests;
  guint64 notices;
  LmccTime join_to_packet;
  LmccTime join_lead;
  LmccTime join_to_picture;
  guint64 rejoins;
  guint64 unwanted;
  guint64 sources;
  guint64 memory;
  guint64 memory_peak;
  guint64 memory_budget;
  gdouble link_loss_rate;
  gdouble link_burst;
  LmccRepairStats repair;
  LmccGateStats gate;
  LmccLayerStats layers[LMCC_MAX_LAYERS];
  guint64 layer_bitrate[LMCC_MAX_LAYERS];
  /*< private >*/
  gpointer reserved[LMCC_PADDING];
} LmccReceiverStats;

/**
 * LmccReceiver:
 * The receiver's state machine: takes packets and delivers one RTP stream, plus one of
 * sound if the session has sound.
 *
 * Every call with a parameter `now` may queue actions; drain lmcc_receiver_poll_action()
 * before the next call. `now` must not go backwards.
 */
typedef struct _LmccReceiver LmccReceiver;

LMCC_API LmccReceiver *lmcc_receiver_new (const LmccReceiverConfig *config);
LMCC_API void lmcc_receiver_free (LmccReceiver *receiver);
LMCC_API void lmcc_receiver_start (LmccReceiver *receiver, LmccTime now);
LMCC_API void lmcc_receiver_stop (LmccReceiver *receiver, LmccTime now);
LMCC_API void lmcc_receiver_handle_packet (LmccReceiver *receiver, LmccTime now,
    LmccTime arrival, guint group, const LmccAddress *source,
    guint16 source_port, LmccPacket *packet);
LMCC_API void lmcc_receiver_handle_control (LmccReceiver *receiver,
    LmccTime now, const LmccAddress *source, guint16 source_port,
    const guint8 *data, gsize size);
LMCC_API void lmcc_receiver_handle_learning (LmccReceiver *receiver,
    LmccTime now, const guint8 *data, gsize size);
LMCC_API void
lmcc_receiver_handle_socket_drops (LmccReceiver *receiver, guint64 packets);
LMCC_API void
lmcc_receiver_handle_timeout (LmccReceiver *receiver, LmccTime now);
LMCC_API LmccTime lmcc_receiver_next_timeout (const LmccReceiver *receiver);
LMCC_API gboolean lmcc_receiver_poll_action (LmccReceiver *receiver,
    LmccReceiverAction *action);
LMCC_API void lmcc_receiver_set_max_level (LmccReceiver *receiver,
    gint max_level, LmccTime now);
LMCC_API void lmcc_receiver_set_max_bitrate (LmccReceiver *receiver,
    guint64 max_bitrate, LmccTime now);
LMCC_API void
lmcc_receiver_set_max_memory (LmccReceiver *receiver, guint64 max_memory);
LMCC_API void
lmcc_receiver_set_outside_memory (LmccReceiver *receiver, gsize bytes);
LMCC_API void
lmcc_receiver_set_on_loss (LmccReceiver *receiver, LmccOnLoss on_loss);
LMCC_API gboolean lmcc_receiver_answer_source (LmccReceiver *receiver,
    const LmccAddress *source, gboolean take, LmccTime now);
LMCC_API gboolean lmcc_session_codec_is_usual (const gchar *name);
LMCC_API gsize lmcc_receiver_get_memory_budget (const LmccReceiver *receiver);
LMCC_API const LmccSession *
lmcc_receiver_get_session (const LmccReceiver *receiver);
LMCC_API LmccTime lmcc_receiver_get_latency (const LmccReceiver *receiver);
LMCC_API LmccTime lmcc_receiver_get_nap (LmccReceiver *receiver, LmccTime now,
    gsize buffer);
LMCC_API void lmcc_receiver_get_stats (LmccReceiver *receiver, LmccTime now,
    LmccReceiverStats *stats);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccReceiver, lmcc_receiver_free)

G_END_DECLS

#endif
