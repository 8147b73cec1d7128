/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_ANNOUNCER_H
#define LMCC_SENDER_ANNOUNCER_H

#include <gst/lmcc/lmcc-session.h>
#include "wire/rtcp.h"

G_BEGIN_DECLS

/* A changed record is sent this many times, so that one lost packet does not delay
 * receivers. */
#define LMCC_RECORD_REPEATS 3

/**
 * LmccAnnouncer:
 * @cname: canonical name for SDES, owned
 * @rtp_offset: RTP timestamp of time 0
 * @ntp_offset: NTP time of time 0, ns since 1900
 * @reports: sender report counters of stream 0 in the base layer, and of the sound
 * @repeats: number of remaining repetitions of a changed record
 * @repeat: when the next repetition is due
 * @sent: when the record was last sent
 * @size: size of that record in bytes of IP packets
 * @key: when the next key frame is expected to be sent, 0 if unknown
 * @key_distance: expected distance of further key frames, ns; 0 for none
 *
 * Builds the sender's control packets and schedules them.
 */
typedef struct
{
  gchar *cname;
  guint32 rtp_offset;
  LmccTime ntp_offset;
  LmccSenderReport reports[2];
  guint repeats;
  LmccTime repeat;
  LmccTime sent;
  gsize size;
  LmccTime key;
  LmccTime key_distance;
} LmccAnnouncer;

void lmcc_announcer_changed (LmccAnnouncer *announcer, LmccTime now);
void lmcc_announcer_expect_key (LmccAnnouncer *announcer, LmccTime time,
    LmccTime distance);
LmccTime lmcc_announcer_next (const LmccAnnouncer *announcer,
    const LmccSession *session);
gsize lmcc_announcer_expect (const LmccAnnouncer *announcer,
    const LmccSession *session, LmccTime duration, LmccTime now);
GPtrArray *lmcc_announcer_send (LmccAnnouncer *announcer,
    const LmccSession *session, gsize packet_overhead, LmccTime now);
LmccPacket *lmcc_announcer_bye (LmccAnnouncer *announcer,
    const LmccSession *session, LmccTime now);
void lmcc_announcer_count (LmccAnnouncer *announcer, guint stream, guint layer,
    gsize payload_size);
guint32 lmcc_announcer_get_rtp_time (const LmccAnnouncer *announcer,
    const LmccSession *session, guint stream, LmccTime time);

G_END_DECLS

#endif
