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

/* A record that came longer ago is of a sender that is gone. */
#define LMCC_RECORD_MEMORY (LMCC_RECORD_INTERVAL_MAX + 500 * LMCC_MSECOND)

/* Two senders that are heard for so long, one beside the other, do not take
 * turns: the older one would be known to be silent. */
#define LMCC_SOURCES_BESIDE (LMCC_SOURCE_TIMEOUT + LMCC_SECOND)

/* So many other hosts are kept in mind, and so many that the user refused. */
#define LMCC_MAX_RIVALS 8
#define LMCC_MAX_REFUSED 16

/**
 * LmccRival:
 * @address: whose
 * @have_session: a whole record came, and may be entered
 * @session: the latest
 * @algorithm: (nullable): the session's
 * @reports: that came with it
 * @heard: when the latest part of a record came
 * @since: since when its records come without a longer break
 * @assembler: (nullable): of records that need several packets
 * @evidence: its media
 * @asked: the user was asked about it
 * @told: the user was told of it
 *
 * A sender that is not listened to: another host, or a session that the host
 * that is listened to has begun anew.
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
 * @evidence: of the sender that is listened to
 * @record_heard: when its latest record came
 * @established: it has sent long enough: none takes its place while it is heard
 * @have_home: @home is known
 * @home: the remembered sender's address: whenever it is heard again it is
 *     listened to
 * @home_heard: when it was heard last, if another one is listened to
 * @previous: the latest sender's address, or family %LMCC_FAMILY_NONE
 * @rivals: (nullable): others that were heard
 * @refused: addresses that the user does not want
 * @n_refused: how many there were, the latest %LMCC_MAX_REFUSED count
 * @check_at: when to look again whether another sender is to be taken
 * @changed_limit: of messages about another sender
 * @asked_limit: of questions
 * @beside_limit: of messages that another one sends, too
 *
 * Who sends, who could, and who did.
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

/* receiver/rivals.c: who else sends */
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

/* receiver/sources.c: who is listened to */
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
