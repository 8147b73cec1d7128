/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SESSION_H
#define LMCC_SESSION_H

#include <gst/lmcc/lmcc-address.h>
#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* What all SSRCs of a session have in common. In what is left are a kind, a stream
 * and a layer. */
#define LMCC_SSRC_BASE_MASK 0xfffff000u

/* LmccLayer.stream and .klass where the layer is not of one (stream, class). */
#define LMCC_CLASS_MIXED 15

/* Payload types from here: media P + stream, then repair and filler. The dynamic
 * range is 96 to 127 (RFC 3551 section 3). */
#define LMCC_DEFAULT_PAYLOAD_TYPE 96

/* Room for these names, with their final zero. */
#define LMCC_ENCODING_NAME_SIZE 24
#define LMCC_ALGORITHM_NAME_SIZE 16

/* Those of AAC (RFC 3640 section 4.1) are some 110 bytes. */
#define LMCC_PARAMETERS_SIZE 256

/* RTP timestamp units per second. The slowest clock that a payload format
 * has is text's (RFC 4103 section 4.2); the fastest of sound is 192 kHz, of
 * pictures 90 kHz. At the upper bound timestamps still wrap only after an hour. */
#define LMCC_MIN_CLOCK_RATE 1000
#define LMCC_MAX_CLOCK_RATE 1000000

/* A nonce has 7 bytes. */
#define LMCC_MAX_NONCE ((G_GUINT64_CONSTANT (1) << 56) - 1)

/* The longest slot. */
#define LMCC_MAX_SLOT (60 * LMCC_SECOND)

/* Bytes of an IP packet, where a session does not say. */
#define LMCC_DEFAULT_PACKET_SIZE 1200

/* R_max where a session does not say (RFC 4654 section 3.1). */
#define LMCC_DEFAULT_RTT_MAX (500 * LMCC_MSECOND)

/* How often a receiver measures its round-trip time where they are few: about as
 * often as in the simulations of Colussi, "Equation-based Layered Multicast
 * Congestion Control", 2004, section 6.3. */
#define LMCC_DEFAULT_FEEDBACK_INTERVAL (3 * LMCC_SECOND)

/* T of RFC 4654 section 4.5 for requests for a key frame, where a session does
 * not say: short beside the time that a viewer notices, and long beside most
 * round-trip times, in which the sender's notice reaches the others. */
#define LMCC_DEFAULT_KEY_REQUEST_WAIT (300 * LMCC_MSECOND)
#define LMCC_MAX_KEY_REQUEST_WAIT (60 * LMCC_SECOND)

/* Receivers report at the shortest interval until they have heard of another. */
#define LMCC_LEAST_FEEDBACK_INTERVAL LMCC_SECOND

/**
 * LmccLayer:
 * @rate: bit/s of whole IP packets on this layer (r_i), the base's RTCP included
 * @stream: the rung whose units it carries, or %LMCC_STREAM_NONE where mixed;
 *     %LMCC_STREAM_SOUND where it carries no rung
 * @klass: the class of these units, or %LMCC_CLASS_MIXED
 */
typedef struct
{
  guint64 rate;
  guint8 stream;
  guint8 klass;
} LmccLayer;

/**
 * LmccLevels:
 * @LMCC_LEVELS_CUMULATIVE: level i is layers 0 to i
 * @LMCC_LEVELS_FALLBACK: rungs are encodings of the same pictures, and a receiver
 *     shows one of them: level 0 and those above it, as many as the lowest rung has
 *     layers, are that rung's first ones; then each other rung has one level, of the
 *     lowest rung's layers and its own
 * @LMCC_LEVELS_REPLICATED: likewise, and each rung has one level, of the base and its
 *     own layers; the base carries no rung, but the sound, and control packets are
 *     beside it
 * @LMCC_LEVELS_AUTO: %LMCC_LEVELS_FALLBACK where a session of native layers has
 *     several rungs and its algorithm is not RLM, else %LMCC_LEVELS_CUMULATIVE
 *
 * Which layers the levels of a session have (Kim and Ammar, IEEE Transactions on
 * Multimedia 7(6), 2005, compare layered with replicated streams; `fallback` is
 * between them).
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
 * @encoding_name: as in a=rtpmap, upper case; empty where there is no such media
 * @clock_rate: RTP timestamp units per second, %LMCC_MIN_CLOCK_RATE to
 *     %LMCC_MAX_CLOCK_RATE
 */
typedef struct
{
  gchar encoding_name[LMCC_ENCODING_NAME_SIZE];
  guint32 clock_rate;
} LmccMedia;

/**
 * LmccSession:
 * @version: the layer table's version; its low two bits are LmccHeader.table
 * @revision: counts every change of the record, rates included
 * @ssrc_base: S0; those of its bits that are not in %LMCC_SSRC_BASE_MASK are zero
 * @nonce: 7 random bytes, drawn for each start of the session: with S0 and the
 *     sender's address they say which session it is; 0: not known
 * @address: the base group; layer or group i is @address + i
 * @port: UDP port of the media in all groups; RTCP is on @port + 1
 * @ttl: multicast TTL or hop limit
 * @source: the sender's own address, where feedback goes
 * @source_specific: receivers should join with @source as the filter (RFC 4607)
 * @n_groups: groups from @address on, at most %LMCC_MAX_GROUPS
 * @n_layers: layers in @layers, at least 1
 * @layers: the layers, base first
 * @native: each layer is of one (stream, class); else the rates are fixed
 * @video: the codec of the rungs; one for all of them
 * @n_rungs: rungs, 1 to %LMCC_MAX_RUNGS
 * @sound: the codec of the sound, or an empty name
 * @sound_parameters: its format's parameters as in a=fmtp, without spaces, or empty
 * @payload_type: of rung 0; rung i has @payload_type + i
 * @repair_payload_type: of repair packets
 * @filler_payload_type: of filler and probe packets
 * @header_id: the RFC 8285 identifier of our element
 * @window: how long the sender may hold a packet after its decoding time
 * @latency: what receivers add to the window and their own latency: a decoder of
 *     the base alone holds pictures back so long
 * @packet_size: the nominal packet size s in bytes, IP and UDP headers included
 * @algorithm: name of the algorithm that the marks are for, "none" for none
 * @base_algorithm: "none", "pgmcc" or "tfmcc"
 * @slot: length of a slot, 0 where the algorithm has none
 * @slot_modulus: M, the slot counter's modulus, at most 65,536
 * @turning_groups: groups of dynamic layering, 0 for static layering
 * @silent_groups: how many of them are silent in a slot
 * @rtt_max: R_max for receivers that have not measured (RFC 4654 section 3.1)
 * @feedback_port: UDP port of @source that takes reports; 0 stands for @port + 1,
 *     and a session that lmcc_sdp_parse() read never has it
 * @feedback_interval: mean time between one receiver's reports, 0 for none
 * @key_request_wait: the longest wait before a receiver without a picture asks
 *     for a key frame, at most %LMCC_MAX_KEY_REQUEST_WAIT; less than
 *     %LMCC_DEFAULT_KEY_REQUEST_WAIT stands for that
 * @repair: share of repair data in 1/1000 of the media, 0 for no repair
 * @repair_delay: how much later than the packets themselves their repair may be
 *     sent; with fixed rates, later than the end of the window
 * @train_cycle: how often the sender sends a train for each level; 0: never
 *
 * All that a receiver needs to take part.
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
  /*< private >*/
  guint64 level_layers[LMCC_MAX_LAYERS]; /* of each level: bit i: layer i; none:
                                          * layers 0 to the level's number */
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
 * @LMCC_SESSION_ERROR_SYNTAX: the text is not SDP, or a value is not of its form
 * @LMCC_SESSION_ERROR_VALUE: a value is outside its range
 * @LMCC_SESSION_ERROR_NOT_LMCC: valid SDP, but not of a layered session
 */
typedef enum
{
  LMCC_SESSION_ERROR_SYNTAX,
  LMCC_SESSION_ERROR_VALUE,
  LMCC_SESSION_ERROR_NOT_LMCC,
} LmccSessionError;

/* The domain of errors with a code of LmccSessionError. */
#define LMCC_SESSION_ERROR lmcc_session_error_quark ()
LMCC_API GQuark lmcc_session_error_quark (void);

G_END_DECLS

#endif
