/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "lmcc-receiver-private.h"
#include "lmcc-sdp.h"

typedef struct
{
  LmccReceiver *receiver;
  const LmccAddress *source;
  LmccTime now;
  LmccSenderReport report;
  gboolean have_report;
} Control;

/* The rungs have one timeline; the sound, at another clock rate, has not, and
 * its report may come first. */
static void
control_sender_report (gpointer user_data, const LmccSenderReport * report)
{
  Control *control = user_data;

  if (control->have_report
      || (report->ssrc & ~LMCC_SSRC_BASE_MASK) >= LMCC_SSRC_SOUND)
    return;
  control->report = *report;
  control->have_report = TRUE;
}

/* Joins the fragments of a record and reads it. */
static gboolean
assemble_record (LmccReceiver * receiver, LmccRecordAssembler * assembler,
    const LmccRecordFragment * fragment, LmccSession * session)
{
  g_autofree gchar *text = lmcc_record_assembler_push (assembler, fragment);

  if (text == NULL)
    return FALSE;
  if (lmcc_sdp_parse (text, -1, session, NULL)
      && session->ssrc_base == fragment->ssrc
      && lmcc_address_equal (&session->address, &receiver->config.address))
    return TRUE;
  lmcc_receiver_drop (receiver, LMCC_DROP_BAD_RECORD);

  return FALSE;
}

static void
take_own_record (Control * control, const LmccRecordFragment * fragment)
{
  LmccReceiver *receiver = control->receiver;
  LmccSession session;

  lmcc_receiver_heard_source (receiver, control->now);
  if (assemble_record (receiver, receiver->assembler, fragment, &session)
      && (receiver->session_is_old
          || (gint32) (session.revision - receiver->session.revision) > 0))
    lmcc_receiver_take_session (receiver, &session, control->now);
}

/* The record of a sender that is not listened to: it may be the next one. */
static void
take_foreign_record (Control * control, const LmccRecordFragment * fragment)
{
  LmccReceiver *receiver = control->receiver;

  if (receiver->have_session && !receiver->source_gone)
    lmcc_receiver_drop (receiver,
        lmcc_address_equal (&receiver->source, control->source) ?
        LMCC_DROP_FOREIGN_SSRC : LMCC_DROP_FOREIGN_SOURCE);
  if (!assemble_record (receiver, receiver->candidate_assembler, fragment,
          &receiver->candidate))
    return;
  receiver->have_candidate = TRUE;
  receiver->candidate_source = *control->source;
  receiver->candidate_heard = control->now;
  receiver->candidate_report = control->report;
  if (!control->have_report)
    receiver->candidate_report.ssrc = 0;
}

static void
control_record (gpointer user_data, const LmccRecordFragment * fragment)
{
  Control *control = user_data;

  if (lmcc_receiver_is_own_source (control->receiver, control->source,
          fragment->ssrc))
    take_own_record (control, fragment);
  else
    take_foreign_record (control, fragment);
}

static void
control_bye (gpointer user_data, guint32 ssrc)
{
  Control *control = user_data;

  if (lmcc_receiver_is_own_source (control->receiver, control->source, ssrc)
      && !control->receiver->source_gone)
    lmcc_receiver_source_is_gone (control->receiver, "the sender said goodbye",
        control->now);
}

/**
 * lmcc_receiver_handle_control:
 * @receiver: a running receiver
 * @now: the time
 * @source: who sent it
 * @source_port: from which port
 * @data: one UDP payload from the base group, port + 1
 * @size: its length
 *
 * Takes one compound RTCP packet.
 */
void
lmcc_receiver_handle_control (LmccReceiver * receiver, LmccTime now,
    const LmccAddress * source, guint16 source_port, const guint8 * data,
    gsize size)
{
  static const LmccRtcpHandler handler = {
    .sender_report = control_sender_report,
    .record = control_record,
    .bye = control_bye,
  };
  Control control = {.receiver = receiver,.source = source,.now = now };

  if (!receiver->running)
    return;
  if (!lmcc_receiver_source_allowed (receiver, source)) {
    lmcc_receiver_drop (receiver, LMCC_DROP_FOREIGN_SOURCE);
    return;
  }
  if (!lmcc_rtcp_parse (data, size, &handler, &control)) {
    lmcc_receiver_drop (receiver, LMCC_DROP_BAD_RTCP);
    return;
  }

  if (!receiver->have_session || receiver->source_gone)
    lmcc_receiver_adopt_candidate (receiver, now);
  if (control.have_report
      && lmcc_receiver_is_own_source (receiver, source, control.report.ssrc))
    lmcc_clock_sender_report (receiver->clock, now, control.report.ntp_time,
        control.report.rtp_time, receiver->session.video.clock_rate);
  lmcc_receiver_pump (receiver, now);
}

/**
 * lmcc_receiver_handle_socket_drops:
 * @receiver: a receiver
 * @packets: how many more packets the host's own sockets dropped
 *
 * They show as losses all the same; this tells them apart from the network's.
 */
void
lmcc_receiver_handle_socket_drops (LmccReceiver * receiver, guint64 packets)
{
  receiver->stats.socket_drops += packets;
}
