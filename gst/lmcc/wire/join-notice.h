/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_WIRE_JOIN_NOTICE_H
#define LMCC_WIRE_JOIN_NOTICE_H

#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Subtype and size of the APP packets named LMCC that announce a join experiment. */
#define LMCC_RTCP_APP_JOIN 2
#define LMCC_JOIN_NOTICE_SIZE 20

/* Receivers accept at most one notice of another receiver in this time, and at most
 * this many of all receivers together. */
#define LMCC_JOIN_NOTICE_INTERVAL (1 * LMCC_SECOND)
#define LMCC_JOIN_NOTICES_MAX 10

/**
 * LmccJoinNotice:
 * @ssrc: SSRC of the receiver that joins
 * @ssrc_base: S0 of the session
 * @version: version of the session's layer table
 * @level: the level that the receiver joins
 *
 * RLM's shared learning: a receiver announces to the others that it begins a join
 * experiment (McCanne et al., "Receiver-driven Layered Multicast", 1996, section 3).
 */
typedef struct
{
  guint32 ssrc;
  guint32 ssrc_base;
  guint8 version;
  guint8 level;
} LmccJoinNotice;

LmccPacket *lmcc_join_notice_build (const LmccJoinNotice *notice);
gboolean
lmcc_join_notice_parse (const guint8 *data, gsize size, LmccJoinNotice *notice);

/**
 * LmccNoticeLimit:
 * Permits at most %LMCC_JOIN_NOTICES_MAX notices per %LMCC_JOIN_NOTICE_INTERVAL, and one
 * per receiver.
 */
typedef struct
{
  /*< private >*/
  guint n;
  struct
  {
    guint32 ssrc;
    LmccTime time;
  } latest[LMCC_JOIN_NOTICES_MAX];
} LmccNoticeLimit;

gboolean
lmcc_notice_limit_take (LmccNoticeLimit *limit, LmccTime now, guint32 ssrc);

G_END_DECLS

#endif
