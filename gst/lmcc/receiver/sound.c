/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The sound: a stream of its own in the base, outside the order of the
 * pictures. Its packets come here in the order of their layer, after repair,
 * and go out at once.
 */
#include "receiver/actions.h"
#include "receiver/memory.h"
#include "receiver/private.h"
#include "receiver/sound.h"
#include "receiver/times.h"
#include "wire/constants.h"
#include "wire/session-internal.h"

/* A sequence number so little before the latest is a late packet; one further
 * back is the sequence begun anew, or gone half around unseen (RFC 3550
 * appendix A.1, MAX_MISORDER). */
#define MAX_MISORDER 100

/* Whether a packet continues the sound.
 * @missing: (out): packets that are missing before it */
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
 * @packet: the next packet of the sound; stays the caller's
 * @rtp: its parsed RTP header
 * @header: its element
 *
 * Gives it out as plain RTP. What was lost before it is missing in the sequence
 * numbers. The marker is that of the payload format.
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
