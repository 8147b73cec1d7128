/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/actions.h"
#include "receiver/door.h"
#include "receiver/ending.h"
#include "receiver/private.h"
#include "receiver/pump.h"
#include "receiver/reports.h"
#include "receiver/source-and-level.h"
#include "receiver/sources.h"
#include "receiver/times.h"
#include "wire/address-claim.h"
#include "wire/constants.h"
#include "wire/key-request.h"

typedef struct
{
  LmccReceiver *receiver;
  const LmccAddress *source;
  LmccTime now;
  LmccReceiverReports reports;
} Control;

/* The rungs share one timeline. The sound, with another clock rate, has its
 * own, and its report may come first. */
static void
control_sender_report (gpointer user_data, const LmccSenderReport *report)
{
  LmccReceiverReports *reports = &((Control *) user_data)->reports;
  guint32 ssrc = report->ssrc & ~LMCC_SSRC_BASE_MASK;
  LmccTimeline timeline = LMCC_TIMELINE_VIDEO;

  if (ssrc > LMCC_SSRC_SOUND)
    return;
  if (ssrc == LMCC_SSRC_SOUND)
    timeline = LMCC_TIMELINE_SOUND;
  if (reports->have[timeline])
    return;
  reports->report[timeline] = *report;
  reports->have[timeline] = TRUE;
}

/* A newer record counts at once. An older one is a late copy, unless it or a
 * later old one is repeated without a record of the session in between: then
 * the session was never the sender's, or the sender has restarted. Each
 * change of a rate makes a new record. */
static gboolean
is_current (LmccReceiver *receiver, const LmccSession *record)
{
  gint32 newer = (gint32) (record->revision - receiver->session.revision);
  gboolean again = receiver->have_older
      && (gint32) (record->revision - receiver->older_revision) >= 0;

  if (receiver->session_is_old)
    newer = 1;
  receiver->have_older = newer < 0 && !again;
  receiver->older_revision = record->revision;

  return newer > 0 || (newer < 0 && again);
}

/* A host that restarts draws another nonce, even if S0 is the same. The
 * session in an SDP file may be older than the sender's. */
static gboolean
is_same_start (const LmccReceiver *receiver, const LmccSession *record)
{
  return receiver->session.nonce == 0 || receiver->session_is_old
      || record->nonce == receiver->session.nonce;
}

static void
take_own_record (Control *control, const LmccRecordFragment *fragment)
{
  LmccReceiver *receiver = control->receiver;
  LmccSession session;

  if (!lmcc_receiver_read_record (receiver, receiver->assembler, fragment,
          &session))
    return;
  if (!is_same_start (receiver, &session)) {
    lmcc_receiver_drop (receiver, LMCC_DROP_FOREIGN_SSRC);
    lmcc_receiver_note_rival (receiver, control->source, &session,
        &control->reports, control->now);
    return;
  }
  lmcc_receiver_heard_source (receiver, control->now);
  receiver->sources.record_heard = control->now;
  if (is_current (receiver, &session))
    lmcc_receiver_take_session (receiver, &session, control->now);
}

static void
control_record (gpointer user_data, const LmccRecordFragment *fragment)
{
  Control *control = user_data;

  if (lmcc_receiver_is_own_source (control->receiver, control->source,
          fragment->ssrc))
    take_own_record (control, fragment);
  else
    lmcc_receiver_take_rival_record (control->receiver, control->source,
        fragment, &control->reports, control->now);
}

static void
control_bye (gpointer user_data, guint32 ssrc)
{
  Control *control = user_data;

  if (!lmcc_receiver_is_own_source (control->receiver, control->source, ssrc))
    return;
  lmcc_receiver_note_goodbye (control->receiver, control->now);
  if (!control->receiver->source_gone)
    lmcc_receiver_source_is_gone (control->receiver, LMCC_REASON_GOODBYE,
        control->now);
}

/* Most answers are for other receivers. */
static void
control_dlrr (gpointer user_data, guint32 sender_ssrc, const LmccDlrr *answer)
{
  Control *control = user_data;
  LmccReceiver *receiver = control->receiver;

  if (answer->ssrc != receiver->reporting.ssrc)
    return;
  if (lmcc_receiver_is_own_source (receiver, control->source, sender_ssrc))
    lmcc_receiver_answer_rtt (receiver, control->now, answer);
  else
    lmcc_receiver_drop (receiver, LMCC_DROP_BAD_ANSWER);
}

/* From a sender that is about to begin; not for receivers. */
static gboolean
is_address_claim (const guint8 *data, gsize size)
{
  guint32 ssrc_base;

  return lmcc_address_claim_parse (data, size, &ssrc_base);
}

/* Returns whether it was the sender's notice that a key frame is coming. */
static gboolean
take_key_notice (LmccReceiver *receiver, LmccTime now,
    const LmccAddress *source, const guint8 *data, gsize size)
{
  guint32 ssrc;

  if (!lmcc_key_notice_parse (data, size, &ssrc))
    return FALSE;
  if (lmcc_receiver_is_own_source (receiver, source, ssrc))
    lmcc_receiver_key_notice (receiver, now);
  else
    lmcc_receiver_drop (receiver, LMCC_DROP_FOREIGN_SSRC);

  return TRUE;
}

/**
 * lmcc_receiver_handle_control:
 * @receiver: a running receiver
 * @now: the time
 * @source: the packet's source address
 * @source_port: the packet's source port; not used
 * @data: one UDP payload from the base group, port + 1
 * @size: its length in bytes
 *
 * Takes one compound RTCP packet, or a notice that a key frame is coming.
 */
void
lmcc_receiver_handle_control (LmccReceiver *receiver, LmccTime now,
    const LmccAddress *source, guint16 source_port G_GNUC_UNUSED,
    const guint8 *data, gsize size)
{
  static const LmccRtcpHandler handler = {
    .sender_report = control_sender_report,
    .record = control_record,
    .bye = control_bye,
    .dlrr = control_dlrr,
  };
  Control control = { .receiver = receiver, .source = source, .now = now };

  if (!receiver->running)
    return;
  lmcc_receiver_begin_call (receiver, now);
  if (!lmcc_receiver_source_allowed (receiver, source)) {
    lmcc_receiver_drop (receiver, LMCC_DROP_FOREIGN_SOURCE);
    return;
  }
  if (is_address_claim (data, size)
      || take_key_notice (receiver, now, source, data, size))
    return;
  if (!lmcc_rtcp_parse (data, size, &handler, &control)) {
    lmcc_receiver_drop (receiver, LMCC_DROP_BAD_RTCP);
    return;
  }

  lmcc_receiver_choose_source (receiver, now);
  if (receiver->have_session && lmcc_address_equal (&receiver->source, source))
    lmcc_receiver_take_reports (receiver, &control.reports, now);
  lmcc_receiver_pump (receiver, now);
}

/**
 * lmcc_receiver_handle_socket_drops:
 * @receiver: a receiver
 * @packets: number of further packets that the host's own sockets dropped
 *
 * These packets also count as losses; the counter separates them from losses in
 * the network.
 */
void
lmcc_receiver_handle_socket_drops (LmccReceiver *receiver, guint64 packets)
{
  receiver->stats.socket_drops += packets;
}
