/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sound: a separate stream in the base layer, outside the order of the
 * pictures. Its packets arrive here in the order of their layer, after
 * repair, and are delivered at once.
 */
#include "receiver/actions.h"
#include "receiver/memory.h"
#include "receiver/private.h"
#include "receiver/sound.h"
#include "receiver/times.h"
#include "wire/constants.h"
#include "wire/session-internal.h"

/* A packet with a sequence number at most this far before the latest is
 * late; one further back means that the sequence restarted, or advanced by
 * half of its range unseen (RFC 3550 appendix A.1, MAX_MISORDER). */
#define MAX_MISORDER 100

/* Whether a packet continues the sound.
 * @missing: (out): number of packets missing before it */
static gboolean
follows (const LmccReceiverSound *sound, guint16 sequence, guint *missing)
{
  gint ahead = lmcc_sequence_diff (sequence, sound->received);

  *missing = sound->any && ahead > 0 ? (guint) ahead - 1 : 0;

  return !sound->any || ahead > 0 || ahead < -MAX_MISORDER;
}

static gboolean
is_of_session (const LmccReceiver *receiver, const LmccHeader *header)
{
  return header->layer == 0 && lmcc_session_has_sound (&receiver->session);
}

/**
 * lmcc_receiver_take_sound:
 * @receiver: a receiver
 * @packet: (transfer none): the next packet of the sound
 * @rtp: its parsed RTP header
 * @header: its header element
 *
 * Delivers the packet as plain RTP. Lost packets leave a gap in the sequence
 * numbers. The marker bit is that of the payload format.
 */
void
lmcc_receiver_take_sound (LmccReceiver *receiver, LmccPacket *packet,
    const LmccRtp *rtp, const LmccHeader *header)
{
  LmccReceiverSound *sound = &receiver->sound;
  LmccReceiverAction *action;
  guint missing;

  if (!is_of_session (receiver, header)) {
    lmcc_receiver_drop (receiver, LMCC_DROP_UNKNOWN_TYPE);
    return;
  }
  if (!follows (sound, rtp->sequence, &missing)) {
    lmcc_receiver_drop (receiver, LMCC_DROP_LATE);
    return;
  }
  sound->sequence += lmcc_receiver_count_gap (missing);
  action =
      lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_DELIVER_SOUND);
  action->packet = lmcc_receiver_count_packet (receiver,
      lmcc_rtp_strip (lmcc_packet_ref (packet), rtp,
          receiver->session.payload_type + LMCC_STREAM_SOUND,
          receiver->session.ssrc_base + LMCC_SSRC_SOUND, sound->sequence,
          rtp->marker));
  action->time = lmcc_receiver_presentation_time (receiver, LMCC_TIMELINE_SOUND,
      rtp, header);
  action->unit_start = TRUE;
  action->discont =
      !sound->any || rtp->sequence != (guint16) (sound->received + 1);
  sound->any = TRUE;
  sound->received = rtp->sequence;
  receiver->stats.sound_delivered++;
  receiver->stats.sound_lost += missing;
}
