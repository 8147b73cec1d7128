/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_H
#define LMCC_SENDER_H

#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-session.h>
#include <gst/lmcc/lmcc-unit.h>

G_BEGIN_DECLS

/* A layer that sent nothing for so long sends a filler packet, so that receivers'
 * merge order does not wait for it. */
#define LMCC_FILLER_INTERVAL (100 * LMCC_MSECOND)

/* How long native allocation may hold a packet to even out its layer's rate. */
#define LMCC_DEFAULT_WINDOW (100 * LMCC_MSECOND)

/* The session record: how often where 5 % of the base rate allow it, and at least. */
#define LMCC_RECORD_INTERVAL (250 * LMCC_MSECOND)
#define LMCC_RECORD_INTERVAL_MAX (2 * LMCC_SECOND)

/**
 * LmccSenderConfig:
 * @session: address, port, TTL, source, codec, number of rungs and what else of
 *     the record is known at the start; layers and rates are the sender's to fill
 * @cname: canonical name for SDES (RFC 7022)
 * @sequence_seed: random; the first sequence numbers come from it
 * @rtp_offset: random; RTP timestamp of presentation time 0
 * @ntp_offset: NTP time (ns since 1900) of time 0 on the caller's clock
 * @mtu: largest RTP packet with our element in it, bytes; larger ones are sent
 *     all the same, and counted
 */
typedef struct
{
  LmccSession session;
  const gchar *cname;
  guint32 sequence_seed;
  guint32 rtp_offset;
  LmccTime ntp_offset;
  guint mtu;
} LmccSenderConfig;

/**
 * LmccSenderActionType:
 * @LMCC_SENDER_ACTION_SEND: send @packet to group @group, now
 * @LMCC_SENDER_ACTION_SEND_CONTROL: send @packet (RTCP) to the base group, port + 1
 * @LMCC_SENDER_ACTION_SESSION_CHANGED: lmcc_sender_get_session() is new
 * @LMCC_SENDER_ACTION_REQUEST_KEY_UNIT: the rungs' key frames are not at the same
 *     pictures: ask the encoders of all rungs for one
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
} LmccSenderAction;

/**
 * LmccSenderLayerStats:
 * @packets: RTP packets sent on the layer, filler included
 * @bytes: their bytes with IP and UDP headers
 * @fillers: filler packets among them
 * @queued: packets that wait now
 */
typedef struct
{
  guint64 packets;
  guint64 bytes;
  guint64 fillers;
  guint queued;
} LmccSenderLayerStats;

/**
 * LmccSenderStats:
 * @units: units taken, by stream
 * @packets: RTP packets sent
 * @bytes: their bytes with IP and UDP headers
 * @control_bytes: RTCP, likewise
 * @units_late: units that came after their decoding time + window
 * @units_invalid: units refused: a stream or class that the session has not, no
 *     packets, no time, or a packet that is not RTP or cannot be received
 * @units_dropped: units dropped because too much waited in their layer
 * @classes_joined: classes without layers of their own, because no more layers or
 *     groups are possible
 * @packets_oversize: packets larger than the mtu
 * @key_misaligned: pictures that are key in some rungs but not in all present
 * @lateness_max: largest delay of a packet after the time it was due
 * @layers: per layer
 */
typedef struct
{
  guint64 units[16];
  guint64 packets;
  guint64 bytes;
  guint64 control_bytes;
  guint64 units_late;
  guint64 units_invalid;
  guint64 units_dropped;
  guint64 classes_joined;
  guint64 packets_oversize;
  guint64 key_misaligned;
  LmccTime lateness_max;
  LmccSenderLayerStats layers[LMCC_MAX_LAYERS];
} LmccSenderStats;

/**
 * LmccSender:
 * The sender's state machine: takes units, gives packets at their times.
 *
 * Every call that takes `now` may queue actions; drain lmcc_sender_poll_action()
 * before the next one. `now` must not go backwards.
 */
typedef struct _LmccSender LmccSender;

LMCC_API LmccSender *lmcc_sender_new (const LmccSenderConfig * config,
    LmccTime now);
LMCC_API void lmcc_sender_free (LmccSender * sender);
LMCC_API void lmcc_sender_push_unit (LmccSender * sender, LmccUnit * unit,
    LmccTime now);
LMCC_API void lmcc_sender_handle_timeout (LmccSender * sender, LmccTime now);
LMCC_API LmccTime lmcc_sender_next_timeout (const LmccSender * sender);
LMCC_API gboolean lmcc_sender_poll_action (LmccSender * sender,
    LmccSenderAction * action);
LMCC_API void lmcc_sender_flush (LmccSender * sender, LmccTime now);
LMCC_API gboolean lmcc_sender_is_idle (const LmccSender * sender);
LMCC_API void lmcc_sender_stop (LmccSender * sender, LmccTime now);
LMCC_API const LmccSession *lmcc_sender_get_session (const LmccSender * sender);
LMCC_API const LmccSenderStats *lmcc_sender_get_stats (
    const LmccSender * sender);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccSender, lmcc_sender_free)

G_END_DECLS

#endif
