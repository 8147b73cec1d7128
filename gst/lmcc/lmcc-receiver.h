/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_H
#define LMCC_RECEIVER_H

#include <gst/lmcc/lmcc-algorithm.h>
#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-session.h>

G_BEGIN_DECLS

/* How long to wait for the network, beyond the sender's window. */
#define LMCC_DEFAULT_LATENCY (200 * LMCC_MSECOND)

/* More packets are seldom lost between two that come, or reordered. */
#define LMCC_DEFAULT_MAX_LEAP 8

/* The source that is heard keeps the session until neither its media nor its
 * record has come for so long. */
#define LMCC_SOURCE_TIMEOUT (600 * LMCC_MSECOND)

/* Another host is taken only when the sender has been silent for so long: longer
 * than its process, or a route, pauses for. */
#define LMCC_SOURCE_TAKEOVER (10 * LMCC_SECOND)

/* Who waits for a sender for so long should be told. Longer than two session
 * records are apart. */
#define LMCC_UNHEARD_TIMEOUT (5 * LMCC_SECOND)

/* Why a sender is not heard any more, where it has ended as it should. */
#define LMCC_REASON_GOODBYE "the sender said goodbye"
#define LMCC_REASON_SILENCE "the sender is silent"

/* A joined group that carried packets and then none for so long, while the base
 * goes on, is left and joined again. */
#define LMCC_REJOIN_TIMEOUT (10 * LMCC_SECOND)

/* What a receiver holds at most, unless it is told otherwise: in bytes, with what
 * it keeps beside each packet. What comes within the span, or until it has to be
 * given out, whichever is longer, but not less than the first nor more than the
 * second. */
#define LMCC_MEMORY_AUTOMATIC_MIN (64 * 1024 * 1024)
#define LMCC_MEMORY_AUTOMATIC_MAX (512 * 1024 * 1024)
#define LMCC_MEMORY_SPAN (2 * LMCC_SECOND)

/* Less than this is not enough for a picture and its packets' disorder. */
#define LMCC_MEMORY_MIN (1024 * 1024)

/**
 * LmccSourcePolicy:
 * @LMCC_SOURCE_POLICY_FIRST: the sender that was heard first is listened to, and
 *     again whenever it is heard again; another host only when it has been silent
 *     for %LMCC_SOURCE_TAKEOVER, or never sent what it announced
 * @LMCC_SOURCE_POLICY_ANY: whoever is heard when the one before has been silent for
 *     %LMCC_SOURCE_TIMEOUT
 * @LMCC_SOURCE_POLICY_ASK: as the first, and the user is asked about others:
 *     %LMCC_RECEIVER_ACTION_SOURCE_ASKED
 *
 * Which host's session is received.
 */
typedef enum
{
  LMCC_SOURCE_POLICY_FIRST,
  LMCC_SOURCE_POLICY_ANY,
  LMCC_SOURCE_POLICY_ASK,
} LmccSourcePolicy;

/**
 * LmccOnLoss:
 * @LMCC_ON_LOSS_CONCEAL: deliver whole units that depend on a lost one, marked
 * @LMCC_ON_LOSS_FREEZE: deliver nothing that depends on a lost unit
 */
typedef enum
{
  LMCC_ON_LOSS_CONCEAL,
  LMCC_ON_LOSS_FREEZE,
} LmccOnLoss;

/* Below it are the ports of a system's services (RFC 6335 section 6). Who forges a
 * sender's packets can name any port, and what an audience sends there comes from
 * hosts that the service may believe. */
#define LMCC_FIRST_USER_PORT 1024

/**
 * LmccReceiverConfig:
 * @address: the base group
 * @source: the only sender to listen to; family %LMCC_FAMILY_NONE: any
 * @session: (nullable): the session as an SDP file told it; %NULL: wait for its
 *     record
 * @algorithm: name in the registry, or "auto" for what the session announces
 * @settings: (nullable): the algorithm's settings; those of another one are not
 *     used, with a warning. %NULL: the standard values
 * @rtt_mode: where the round-trip time comes from
 * @fixed_rtt: the round-trip time, for %LMCC_RTT_MODE_FIXED
 * @latency: how long to wait for the network, beyond the sender's window
 * @timeout: silence that is reported, 0 for never
 * @allow_low_port: reports may go to a port below %LMCC_FIRST_USER_PORT of the
 *     sender
 * @max_level: highest level to hold, -1 for no cap
 * @max_bitrate: highest rate of a level to hold, bit/s, 0 for no cap
 * @max_memory: most that is held, in bytes, at least %LMCC_MEMORY_MIN; 0: by the
 *     measured rate, from %LMCC_MEMORY_AUTOMATIC_MIN to %LMCC_MEMORY_AUTOMATIC_MAX
 * @max_leap: packets of a layer whose numbers differ by more than this do not agree
 *     with each other, and an order number further on has to be confirmed; 0:
 *     %LMCC_DEFAULT_MAX_LEAP
 * @on_loss: what to deliver after a loss
 * @source_policy: which host's session is received, of several
 * @end_on_bye: end with the session where the sender says BYE:
 *     %LMCC_RECEIVER_ACTION_END
 * @codecs: (nullable) (array zero-terminated=1): encoding names that sessions may
 *     have beside those that lmcc_session_codec_is_usual() knows
 * @sequence_seed: random; the first sequence number given out, the receiver's own
 *     SSRC and its dice come from it
 * @end_on_silence: as @end_on_bye, where a sender that was heard is silent for so
 *     long without one (RFC 3550 section 6.3.5), 0 for never; at least
 *     %LMCC_SOURCE_TIMEOUT
 * @no_circuit_breaker: whether a reception goes on over a path that does not carry
 *     the base layer. Not for a real network (RFC 8085 section 4.1): simulations of
 *     papers whose receivers have no such rule need it
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
 * @LMCC_RECEIVER_ACTION_DELIVER: give @packet downstream at @time
 * @LMCC_RECEIVER_ACTION_DELIVER_SOUND: give @packet, of the sound, downstream at
 *     @time
 * @LMCC_RECEIVER_ACTION_SEGMENT: start a new segment at @time
 * @LMCC_RECEIVER_ACTION_SESSION: lmcc_receiver_get_session() is new
 * @LMCC_RECEIVER_ACTION_LEVEL: the level went from @from to @to because of @reason
 * @LMCC_RECEIVER_ACTION_WAITING: nothing heard yet, or the source is gone
 *     (@reason): the receiver waits
 * @LMCC_RECEIVER_ACTION_UNHEARD: it has waited for %LMCC_UNHEARD_TIMEOUT; told
 *     once for each wait. @reason says what came meanwhile, or why the sender that
 *     was heard before is not any more
 * @LMCC_RECEIVER_ACTION_TIMEOUT: no packet for the configured time
 * @LMCC_RECEIVER_ACTION_WARNING: @reason says what is wrong with the session
 * @LMCC_RECEIVER_ACTION_SOURCE_CHANGED: the session is that of @destination from now
 *     on, and was that of @previous, because of @reason
 * @LMCC_RECEIVER_ACTION_SOURCE_ASKED: @destination sends a session, too, and
 *     @previous is listened to: lmcc_receiver_answer_source() may change that
 * @LMCC_RECEIVER_ACTION_SOURCE_BESIDE: @destination sends a session, too, at the
 *     same time as @previous, which is listened to; told once for each. Both may be
 *     the same host
 * @LMCC_RECEIVER_ACTION_REPORT: send @packet (RTCP) to @destination, UDP port @port
 * @LMCC_RECEIVER_ACTION_SEND_CONTROL: send @packet (RTCP) to group @group, on the
 *     session's port + 1 and with its TTL
 * @LMCC_RECEIVER_ACTION_MEMORY_FULL: what is held fills its budget; @reason says
 *     what is given up
 * @LMCC_RECEIVER_ACTION_CIRCUIT_BREAKER: all groups are left because of @reason;
 *     nothing more comes
 * @LMCC_RECEIVER_ACTION_END: the sender said BYE and was silent for
 *     %LMCC_SOURCE_TIMEOUT, or was so for @end_on_silence without one, and all that
 *     came of it was given out: all groups are left, and nothing more comes. @reason
 *     is %LMCC_REASON_GOODBYE or %LMCC_REASON_SILENCE, @previous the sender. Only with
 *     @end_on_bye or @end_on_silence of the configuration
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
 * @group: for JOIN, LEAVE and SEND_CONTROL
 * @control: for JOIN and LEAVE: the group after the session's last one: what comes
 *     to it on port + 1 goes to lmcc_receiver_handle_learning()
 * @packet: (transfer full): for DELIVER and DELIVER_SOUND: plain RTP, renumbered,
 *     our element gone;
 *     for REPORT and SEND_CONTROL: reduced-size RTCP
 * @destination: for REPORT: the host that the session's packets come from; for
 *     SOURCE_CHANGED, SOURCE_ASKED and SOURCE_BESIDE
 * @previous: for SOURCE_CHANGED, SOURCE_ASKED, SOURCE_BESIDE and END; for UNHEARD
 *     the sender that was heard before the wait, of no family where none was
 * @held_back: for WAITING, WARNING, SOURCE_CHANGED, SOURCE_ASKED and SOURCE_BESIDE:
 *     how many of the same kind were not queued since the latest: one in
 *     %LMCC_MESSAGE_INTERVAL is
 * @port: for REPORT
 * @time: presentation time for DELIVER and DELIVER_SOUND, start for SEGMENT, on
 *     the caller's clock,
 *     without the latency that lmcc_receiver_get_latency() tells; for UNHEARD how
 *     long @previous was heard
 * @discont: for DELIVER and DELIVER_SOUND
 * @corrupted: for DELIVER
 * @unit_start: for DELIVER: first packet of its unit
 * @catch_up: for DELIVER: for the decoder only; @time lies before the segment, and
 *     after what was delivered before it
 * @from: for LEVEL
 * @to: for LEVEL
 * @reason: for LEVEL, WAITING, UNHEARD, WARNING, MEMORY_FULL, SOURCE_CHANGED,
 *     SOURCE_ASKED, SOURCE_BESIDE,
 *     CIRCUIT_BREAKER and END: static or interned
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
 * @LMCC_DROP_MALFORMED: it is no RTP packet, or its header element is not valid
 * @LMCC_DROP_NO_ELEMENT: it is RTP without the session's header element
 * @LMCC_DROP_FOREIGN_SOURCE: it comes from a host that is not listened to
 * @LMCC_DROP_FOREIGN_SSRC: it is of another session, or of another start of the
 *     sender
 * @LMCC_DROP_WRONG_LAYER: it is of a layer that its group does not carry, or names a
 *     level that the session does not have
 * @LMCC_DROP_UNKNOWN_TYPE: its payload type is not one of the session's
 * @LMCC_DROP_DUPLICATE: it has come, or was repaired, before
 * @LMCC_DROP_SUSPECT: its numbers do not agree with those of other packets
 * @LMCC_DROP_LATE: its turn is over
 * @LMCC_DROP_BEFORE_RECORD: the session's record has not come yet
 * @LMCC_DROP_BAD_RTCP: it is a malformed RTCP packet
 * @LMCC_DROP_BAD_RECORD: it holds a session record that is malformed, of another
 *     group, or of a codec that is not taken
 * @LMCC_DROP_OVERSIZE: it is larger than %LMCC_MAX_PACKET_SIZE
 * @LMCC_DROP_BAD_ANSWER: it answers no report of this receiver, or comes from another
 *     host than the sender
 * @LMCC_DROP_TOO_OFTEN: its receiver tells of its joins too often
 * @LMCC_DROP_MEMORY: there was no room for it
 * @LMCC_N_DROPS: number of reasons
 *
 * Why a received packet was dropped. lmcc_drop_name() gives the statistics' names.
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
 * @lost: media packets that did not come, or too late to count as not lost;
 *     @repaired + @late + @beyond_repair
 * @repaired: of these, recovered and in time
 * @late: of these, recovered when their place had passed
 * @beyond_repair: of these, not recovered so far, and waited for no longer. Where it
 *     cannot be told whether a lost packet was of media or itself repair, it counts
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
 * @received: repair packets
 * @invalid: repair packets, or blocks of them, that made no sense
 * @classes: by class; %LMCC_CLASS_MIXED for packets that nobody has seen, of layers
 *     of several classes
 */
typedef struct
{
  guint64 received;
  guint64 invalid;
  LmccRepairClassStats classes[LMCC_MAX_CLASSES];
} LmccRepairStats;

/**
 * LmccGateStats:
 * @units_delivered: whole units given out
 * @units_incomplete: units of which a packet was missing
 * @units_withheld: whole units that a decoder could not have used
 * @units_frozen: of the withheld, those that depend on a loss
 * @units_corrupted: of the delivered, those that depend on a loss
 * @rung_changes: up and down
 * @units_due: units of the rung that the level shows: of the highest one that is
 *     whole but for losses
 * @units_missed: of the due, those that a loss kept from the decoder: not those of
 *     which a part lies in a layer that is not held
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
 * @received: packets, duplicates and late ones not counted
 * @bytes: of the received, with IP and UDP headers
 * @lost: packets
 * @reordered: of the received, those that filled a gap
 * @duplicates: packets that had come before
 * @late: packets that came after they had been counted as lost
 * @restarts: jumps of the sequence number
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
 * @packets: RTP packets taken, of all layers
 * @bytes: their bytes with IP and UDP headers
 * @lost: packets lost in the network or the host, over all layers
 * @socket_drops: packets that the host's own sockets dropped; part of @lost
 * @delivered: RTP packets of the video given out
 * @sound_delivered: RTP packets of the sound given out
 * @sound_lost: RTP packets of the sound that were missing when their turn came
 * @drops: packets dropped, by kind
 * @level: the level held, -1 for none
 * @rung: the rung given out, -1 for none
 * @bitrate: received over the last second, bit/s of IP packets
 * @loss_rate: lost / (lost + received) over the last second
 * @algorithm: (nullable): name of the one that runs
 * @status: what the algorithm shows of itself; all zero where none runs
 * @base_algorithm: (nullable): name of the one that reports for the base, where
 *     others choose among the layers above it
 * @base_status: what that one shows
 * @rtt: the round-trip time that the algorithm is told, or 0
 * @rtt_source: where it comes from
 * @reordering_window: how long a packet is waited for that others have overtaken
 *     before it counts as lost, as late packets have shown (RFC 8985 section 6.2);
 *     0: packets come in order
 * @reports: reports sent to the sender
 * @answers: answers to them that came
 * @key_requests: requests for a key frame sent to the sender
 * @notices: other receivers' join experiments that were learnt from
 * @join_to_packet: time from the latest join to its first packet, or none
 * @join_lead: groups that turn are joined so long before their slot begins; 0
 *     where none turn
 * @join_to_picture: time from the start to the first packet delivered, or none
 * @rejoins: groups left and joined again because of silence
 * @unwanted: packets of groups that were left so long ago that the network should
 *     have honoured it. Only a caller that goes on reading after a leave sees any.
 * @sources: how often a source was taken
 * @memory: bytes that are held now, of packets and what is kept beside them
 * @memory_peak: the most that were held at once
 * @memory_budget: what may be held
 * @repair: what was lost of the media, and repaired
 * @gate: the gate's counters
 * @layers: per layer
 * @layer_bitrate: per layer, over the last second, bit/s
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
  LmccRepairStats repair;
  LmccGateStats gate;
  LmccLayerStats layers[LMCC_MAX_LAYERS];
  guint64 layer_bitrate[LMCC_MAX_LAYERS];
  /*< private >*/
  gpointer reserved[LMCC_PADDING];
} LmccReceiverStats;

/**
 * LmccReceiver:
 * The receiver's state machine: takes packets, gives one RTP stream.
 *
 * Every call that takes `now` may queue actions; drain
 * lmcc_receiver_poll_action() before the next one. `now` must not go backwards.
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
