/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SESSION_H
#define LMCC_SESSION_H

#include <gst/lmcc/lmcc-address.h>
#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Bits that all SSRCs of a session have in common. The other bits hold a kind, a
 * stream and a layer. */
#define LMCC_SSRC_BASE_MASK 0xfffff000u

/* Value of LmccLayer.klass for a layer that carries several classes. */
#define LMCC_CLASS_MIXED 15

/* Default payload type P of the first rung. Media use P + stream; repair and filler
 * follow. The dynamic range is 96 to 127 (RFC 3551 section 3). */
#define LMCC_DEFAULT_PAYLOAD_TYPE 96

/* Sizes of the fields for these names, including the terminating zero. */
#define LMCC_ENCODING_NAME_SIZE 24
#define LMCC_ALGORITHM_NAME_SIZE 16

/* AAC's parameters (RFC 3640 section 4.1) take about 110 bytes. */
#define LMCC_PARAMETERS_SIZE 256

/* RTP timestamp units per second. The slowest clock of a payload format is that of
 * text (RFC 4103 section 4.2); the fastest is 192 kHz for sound and 90 kHz for video.
 * Even at the upper bound, timestamps wrap only after an hour. */
#define LMCC_MIN_CLOCK_RATE 1000
#define LMCC_MAX_CLOCK_RATE 1000000

/* A nonce has 7 bytes. */
#define LMCC_MAX_NONCE ((G_GUINT64_CONSTANT (1) << 56) - 1)

/* Longest slot. */
#define LMCC_MAX_SLOT (60 * LMCC_SECOND)

/* Default size of an IP packet in bytes. */
#define LMCC_DEFAULT_PACKET_SIZE 1200

/* Default R_max (RFC 4654 section 3.1). */
#define LMCC_DEFAULT_RTT_MAX (500 * LMCC_MSECOND)

/* Default interval at which a receiver measures its round-trip time while the audience
 * is small: about as often as in the simulations of Colussi, "Equation-based Layered
 * Multicast Congestion Control", 2004, section 6.3. */
#define LMCC_DEFAULT_FEEDBACK_INTERVAL (3 * LMCC_SECOND)

/* Default T of RFC 4654 section 4.5 for key frame requests: short compared with what
 * viewers notice, and long compared with most round-trip times, within which the
 * sender's notice reaches the other receivers. */
#define LMCC_DEFAULT_KEY_REQUEST_WAIT (300 * LMCC_MSECOND)
#define LMCC_MAX_KEY_REQUEST_WAIT (60 * LMCC_SECOND)

/* Shortest feedback interval: senders and receivers use it in place of a shorter one. */
#define LMCC_LEAST_FEEDBACK_INTERVAL LMCC_SECOND

/**
 * LmccLayer:
 * @rate: bit/s of whole IP packets on this layer (r_i), for the base layer including RTCP
 * @stream: the rung whose units the layer carries; %LMCC_STREAM_NONE if mixed;
 *     %LMCC_STREAM_SOUND if it carries no rung
 * @klass: the class of these units, or %LMCC_CLASS_MIXED
 *
 * A layer of a session.
 */
typedef struct
{
  guint64 rate;
  guint8 stream;
  guint8 klass;
} LmccLayer;

/**
 * LmccLevels:
 * @LMCC_LEVELS_CUMULATIVE: level i consists of layers 0 to i
 * @LMCC_LEVELS_FALLBACK: rungs are encodings of the same video, and a receiver shows one
 *     of them. The lowest levels are the layers of the lowest rung, added one by one.
 *     Each other rung has one level, which consists of the layers of the lowest rung and
 *     its own layers
 * @LMCC_LEVELS_REPLICATED: rungs are encodings of the same video, and each rung has one
 *     level, which consists of the base layer and its own layers. The base layer carries
 *     no rung, only the sound; control packets use the base group too
 * @LMCC_LEVELS_AUTO: %LMCC_LEVELS_FALLBACK if the session has native layers and several
 *     rungs and its algorithm is not RLM, otherwise %LMCC_LEVELS_CUMULATIVE
 *
 * Which layers form the levels of a session (Kim and Ammar, IEEE Transactions on
 * Multimedia 7(6), 2005, compare layered with replicated streams; `fallback` is a
 * combination of both).
 */
typedef enum
{
  LMCC_LEVELS_CUMULATIVE,
  LMCC_LEVELS_FALLBACK,
  LMCC_LEVELS_REPLICATED,
  LMCC_LEVELS_AUTO,
} LmccLevels;

/**
 * LmccMedia:
 * @encoding_name: encoding name as in a=rtpmap, upper case; empty if the session has no
 *     such media
 * @clock_rate: RTP timestamp units per second, %LMCC_MIN_CLOCK_RATE to
 *     %LMCC_MAX_CLOCK_RATE
 *
 * A codec as in a session description.
 */
typedef struct
{
  gchar encoding_name[LMCC_ENCODING_NAME_SIZE];
  guint32 clock_rate;
} LmccMedia;

/**
 * LmccSession:
 * @version: version of the layer table; LmccHeader.table has its low two bits
 * @revision: counts every change of the session record, including rates
 * @ssrc_base: S0; bits outside %LMCC_SSRC_BASE_MASK are zero
 * @nonce: 7 random bytes, chosen at each start of the session. Together with S0 and the
 *     sender's address, they identify the session; 0: not known
 * @address: the base group; the address of layer or group i is @address + i
 * @port: UDP port of the media in all groups; RTCP uses @port + 1
 * @ttl: multicast TTL or hop limit
 * @source: the sender's address, the destination of feedback
 * @source_specific: receivers should join with @source as the filter (RFC 4607)
 * @n_groups: number of groups from @address on, at most %LMCC_MAX_GROUPS
 * @n_layers: number of layers in @layers, at least 1
 * @layers: the layers, base layer first
 * @native: each layer carries one (stream, class) at the encoder's rate; otherwise layers
 *     have fixed rates
 * @video: codec of all rungs
 * @n_rungs: number of rungs, 1 to %LMCC_MAX_RUNGS
 * @sound: codec of the sound, or an empty name
 * @sound_parameters: format parameters of the sound as in a=fmtp, without spaces, or
 *     empty
 * @payload_type: payload type of rung 0; rung i has @payload_type + i
 * @repair_payload_type: payload type of repair packets
 * @filler_payload_type: payload type of filler and probe packets
 * @header_id: the RFC 8285 identifier of the library's header element
 * @window: greatest time that the sender holds a packet after its decoding time, in ns
 * @latency: further latency that receivers add to the window and their own latency, in
 *     ns: the time for which a decoder of the base layer alone delays pictures
 * @packet_size: nominal packet size s in bytes, including IP and UDP headers
 * @algorithm: name of the algorithm that the marks are for, "none" for none
 * @base_algorithm: "none", "pgmcc" or "tfmcc"
 * @slot: length of a slot in ns, 0 if the algorithm has none
 * @slot_modulus: M, modulus of the slot counter, at most 65,536
 * @turning_groups: number of groups of dynamic layering, 0 for static layering
 * @silent_groups: how many of the groups of dynamic layering are silent in a slot
 * @rtt_max: R_max for receivers that have not measured the round-trip time (RFC 4654
 *     section 3.1), in ns
 * @feedback_port: UDP port of @source that takes reports; 0 stands for @port + 1 and does
 *     not occur in a session that lmcc_sdp_parse() has read
 * @feedback_interval: mean time between the reports of one receiver, in ns, 0 for none
 * @key_request_wait: longest time in ns that a receiver without a picture waits before it
 *     requests a key frame, at most %LMCC_MAX_KEY_REQUEST_WAIT; values below
 *     %LMCC_DEFAULT_KEY_REQUEST_WAIT stand for that default
 * @repair: amount of repair data in 1/1000 of the media, 0 for no repair
 * @repair_delay: greatest delay of repair data after the packets that it protects, in ns;
 *     in layers of fixed rates counted from the end of the window
 * @loss_reports: reports of receivers also tell their losses
 * @train_cycle: interval at which the sender sends a packet train for each level, in ns;
 *     0: never
 *
 * The session record: all that a receiver needs to take part.
 */
typedef struct
{
  guint8 version;
  guint32 revision;
  guint32 ssrc_base;
  guint64 nonce;
  LmccAddress address;
  guint16 port;
  guint8 ttl;
  LmccAddress source;
  gboolean source_specific;
  guint n_groups;
  guint n_layers;
  LmccLayer layers[LMCC_MAX_LAYERS];
  gboolean native;
  LmccMedia video;
  guint n_rungs;
  LmccMedia sound;
  gchar sound_parameters[LMCC_PARAMETERS_SIZE];
  guint8 payload_type;
  guint8 repair_payload_type;
  guint8 filler_payload_type;
  guint8 header_id;
  LmccTime window;
  LmccTime latency;
  guint packet_size;
  gchar algorithm[LMCC_ALGORITHM_NAME_SIZE];
  gchar base_algorithm[LMCC_ALGORITHM_NAME_SIZE];
  LmccTime slot;
  guint32 slot_modulus;
  guint turning_groups;
  guint silent_groups;
  LmccTime rtt_max;
  guint16 feedback_port;
  LmccTime feedback_interval;
  LmccTime key_request_wait;
  guint repair;
  LmccTime repair_delay;
  LmccTime train_cycle;
  gboolean loss_reports;
  /*< private >*/
  /* Per level, bit i: layer i. All zero: layers 0 to the level's number. */
  guint64 level_layers[LMCC_MAX_LAYERS];
  gpointer reserved[LMCC_PADDING];
} LmccSession;

LMCC_API void lmcc_session_init (LmccSession *session);
LMCC_API void
lmcc_session_set_payload_type (LmccSession *session, guint payload_type);
LMCC_API gboolean lmcc_session_validate (const LmccSession *session,
    GError **error);
LMCC_API void lmcc_session_set_levels (LmccSession *session, LmccLevels levels);
LMCC_API guint lmcc_session_count_levels (const LmccSession *session);
LMCC_API gboolean lmcc_session_level_has_layer (const LmccSession *session,
    gint level, guint layer);
LMCC_API guint64 lmcc_session_level_rate (const LmccSession *session,
    guint level);
LMCC_API guint32 lmcc_session_ssrc (const LmccSession *session, guint stream,
    guint layer);
LMCC_API guint32 lmcc_session_repair_ssrc (const LmccSession *session,
    guint layer);

/**
 * LmccSessionError:
 * @LMCC_SESSION_ERROR_SYNTAX: the text is not SDP, or a value is malformed
 * @LMCC_SESSION_ERROR_VALUE: a value is outside its range
 * @LMCC_SESSION_ERROR_NOT_LMCC: valid SDP, but not of a layered session
 *
 * Codes of %LMCC_SESSION_ERROR.
 */
typedef enum
{
  LMCC_SESSION_ERROR_SYNTAX,
  LMCC_SESSION_ERROR_VALUE,
  LMCC_SESSION_ERROR_NOT_LMCC,
} LmccSessionError;

/* Error domain for codes of LmccSessionError. */
#define LMCC_SESSION_ERROR lmcc_session_error_quark ()
LMCC_API GQuark lmcc_session_error_quark (void);

G_END_DECLS

#endif
