/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_SOURCES_H
#define LMCC_RECEIVER_SOURCES_H

#include <gst/lmcc/lmcc-receiver.h>
#include "receiver/message-limit.h"
#include "receiver/source-evidence.h"
#include "receiver/times.h"
#include "wire/constants.h"
#include "wire/rtcp.h"
#include "wire/rtp.h"

G_BEGIN_DECLS

/* A record older than this belongs to a sender that has gone. */
#define LMCC_RECORD_MEMORY (LMCC_RECORD_INTERVAL_MAX + 500 * LMCC_MSECOND)

/* Two senders that are heard side by side for this long do not alternate: otherwise
 * the older one would be known to be silent by now. */
#define LMCC_SOURCES_BESIDE (LMCC_SOURCE_TIMEOUT + LMCC_SECOND)

/* Greatest number of other hosts that are remembered, and of hosts that the user
 * refused. */
#define LMCC_MAX_RIVALS 8
#define LMCC_MAX_REFUSED 16

/**
 * LmccRival:
 * @address: the host's address
 * @have_session: a complete, acceptable record has arrived
 * @session: the latest session
 * @algorithm: (nullable): algorithm of the session
 * @reports: sender reports that arrived with it
 * @heard: when the latest part of a record arrived
 * @since: start of the uninterrupted sequence of its records
 * @assembler: (nullable): for records of several packets
 * @evidence: evidence from its media
 * @asked: the user was asked about it
 * @told: it was reported to the user
 *
 * A sender that the receiver does not listen to: another host, or a restarted session of
 * the present host.
 */
typedef struct
{
  LmccAddress address;
  gboolean have_session;
  LmccSession session;
  const LmccAlgorithm *algorithm;
  LmccReceiverReports reports;
  LmccTime heard;
  LmccTime since;
  LmccRecordAssembler *assembler;
  LmccSourceEvidence evidence;
  gboolean asked;
  gboolean told;
} LmccRival;

/**
 * LmccReceiverSources:
 * @evidence: evidence for the present sender
 * @record_heard: when its latest record arrived
 * @established: it has sent for long enough that no other replaces it while it is heard
 * @have_home: @home is set
 * @home: address of the remembered sender, which is preferred whenever it is heard
 * @home_heard: when it was last heard, while the receiver listens to another one
 * @previous: address of the latest sender, or family %LMCC_FAMILY_NONE
 * @rivals: (nullable): other senders that were heard
 * @refused: addresses that the user refused
 * @n_refused: number of refused addresses so far; the latest %LMCC_MAX_REFUSED count
 * @check_at: when to check again for a change of the sender
 * @changed_limit: rate limit of messages about a change
 * @asked_limit: rate limit of questions
 * @beside_limit: rate limit of messages about simultaneous senders
 *
 * The present sender, possible ones and previous ones.
 */
typedef struct
{
  LmccSourceEvidence evidence;
  LmccTime record_heard;
  gboolean established;
  gboolean have_home;
  LmccAddress home;
  LmccTime home_heard;
  LmccAddress previous;
  LmccRival *rivals[LMCC_MAX_RIVALS];
  LmccAddress refused[LMCC_MAX_REFUSED];
  guint n_refused;
  LmccTime check_at;
  LmccMessageLimit changed_limit;
  LmccMessageLimit asked_limit;
  LmccMessageLimit beside_limit;
} LmccReceiverSources;

/* receiver/rivals.c: other senders */
void lmcc_rival_free (LmccRival *rival);
gboolean lmcc_rival_is_fresh (const LmccRival *rival, LmccTime now);
gboolean lmcc_session_is_evidence (const LmccSession *session, guint group);
gboolean
lmcc_receiver_is_home (const LmccReceiver *receiver, const LmccAddress *source);
gboolean lmcc_receiver_is_own_address (const LmccReceiver *receiver,
    const LmccAddress *source);
gboolean lmcc_receiver_is_refused (const LmccReceiver *receiver,
    const LmccAddress *source);
void lmcc_receiver_take_rival_record (LmccReceiver *receiver,
    const LmccAddress *source, const LmccRecordFragment *fragment,
    const LmccReceiverReports *reports, LmccTime now);
void lmcc_receiver_note_rival (LmccReceiver *receiver,
    const LmccAddress *source, const LmccSession *session,
    const LmccReceiverReports *reports, LmccTime now);
LmccRival *
lmcc_receiver_find_rival (LmccReceiver *receiver, const LmccAddress *source);

/* receiver/sources.c: selection of the sender */
void lmcc_receiver_init_sources (LmccReceiver *receiver, LmccTime now);
void lmcc_receiver_clear_sources (LmccReceiver *receiver);
void lmcc_receiver_own_packet (LmccReceiver *receiver, LmccTime now,
    guint group, const LmccHeader *header, gsize size);
void lmcc_receiver_rival_packet (LmccReceiver *receiver, LmccTime now,
    guint group, const LmccAddress *source, const LmccPacket *packet);
gboolean
lmcc_receiver_believes_source (const LmccReceiver *receiver, LmccTime now);
void lmcc_receiver_source_is_gone (LmccReceiver *receiver, const gchar *reason,
    LmccTime now);
void lmcc_receiver_give_up_source (LmccReceiver *receiver, const gchar *reason,
    LmccTime now);
gboolean lmcc_receiver_choose_source (LmccReceiver *receiver, LmccTime now);
gboolean lmcc_receiver_adopt (LmccReceiver *receiver, const LmccAddress *source,
    const LmccSession *session, const gchar *reason, LmccTime now);
gboolean lmcc_receiver_may_take_address (const LmccReceiver *receiver,
    const LmccAddress *source, LmccTime now);

G_END_DECLS

#endif
