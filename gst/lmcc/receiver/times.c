/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Times of packets: when their pictures are due, and when they are output at
 * the latest.
 */
#include "receiver/private.h"
#include "receiver/times.h"

/* Part of the latency that is kept for the decoder: the merge outputs
 * packets this long before their pictures are due. */
#define DECODE_RESERVE (50 * LMCC_MSECOND)

/* Presentation times further than this from the send time are ignored. */
#define PRESENTATION_RANGE (30 * (gint64) LMCC_SECOND)

/**
 * lmcc_receiver_timeline:
 * @header: a packet's header element
 *
 * Returns: the timeline of its RTP timestamp; repair and filler use that of the
 * video
 */
LmccTimeline
lmcc_receiver_timeline (const LmccHeader *header)
{
  return header->type == LMCC_PACKET_MEDIA
          && header->stream == LMCC_STREAM_SOUND
      ? LMCC_TIMELINE_SOUND
      : LMCC_TIMELINE_VIDEO;
}

/* RTP timestamp units per second, 0 if the session has no sound. */
static guint32
get_clock_rate (const LmccReceiver *receiver, LmccTimeline timeline)
{
  return timeline == LMCC_TIMELINE_SOUND ? receiver->session.sound.clock_rate
                                         : receiver->session.video.clock_rate;
}

/* Takes the mapping from RTP timestamps to the sender's clock from its
 * sender reports. */
void
lmcc_receiver_take_reports (LmccReceiver *receiver,
    const LmccReceiverReports *reports, LmccTime now)
{
  LmccTimeline timeline;

  for (timeline = 0; timeline < LMCC_N_TIMELINES; timeline++) {
    const LmccSenderReport *report = &reports->report[timeline];

    if (receiver->have_session && reports->have[timeline]
        && (report->ssrc & LMCC_SSRC_BASE_MASK) == receiver->session.ssrc_base)
      lmcc_clock_sender_report (receiver->clock, timeline, now,
          report->ntp_time, report->rtp_time,
          get_clock_rate (receiver, timeline));
  }
}

/* The presentation time of an RTP timestamp. A mapping that puts it far from
 * the packet's send time is replaced by a guess. */
LmccTime
lmcc_receiver_presentation_time (LmccReceiver *receiver, LmccTimeline timeline,
    const LmccRtp *rtp, const LmccHeader *header)
{
  LmccTime sent = lmcc_clock_send_to_local (receiver->clock, header->send_time);
  LmccTime time;

  if (lmcc_clock_has_mapping (receiver->clock, timeline)) {
    time = lmcc_clock_rtp_to_local (receiver->clock, timeline, rtp->timestamp);
    if (ABS ((gint64) (time - sent)) <= PRESENTATION_RANGE)
      return time;
  }
  lmcc_clock_guess_mapping (receiver->clock, timeline, header->send_time,
      rtp->timestamp, get_clock_rate (receiver, timeline));

  return sent;
}

/**
 * lmcc_receiver_get_latency:
 * @receiver: a receiver
 *
 * Returns the latency that the caller adds to the times of delivered packets.
 *
 * Returns: how long after its presentation time a packet may be delivered, in
 * ns: the sum of the sender's window, the greatest delay of its repair, its
 * advice for decoders, and the configured latency
 */
LmccTime
lmcc_receiver_get_latency (const LmccReceiver *receiver)
{
  return receiver->config.latency
      + (receiver->have_session ? receiver->session.window
                  + receiver->session.repair_delay + receiver->session.latency
                                : 0);
}

/* End of the window of the packet's picture, by which all of the picture has
 * been sent. */
static LmccTime
window_end (const LmccReceiver *receiver, const LmccRtp *rtp,
    const LmccHeader *header)
{
  LmccTime sent = lmcc_clock_send_to_local (receiver->clock, header->send_time);
  LmccTimeline timeline = lmcc_receiver_timeline (header);
  LmccTime window = receiver->session.window;
  LmccTime shown;

  if (!lmcc_clock_has_mapping (receiver->clock, timeline))
    return sent + window;
  shown = lmcc_clock_rtp_to_local (receiver->clock, timeline, rtp->timestamp);

  return CLAMP (shown + window, sent, sent + window);
}

/* When all earlier packets, or their repair, have been sent. Native layers
 * are sent side by side. Layers of fixed rates are at different places of
 * the window: everything before a picture is sent within the window after
 * the picture is due. */
static LmccTime
sent_up_to (const LmccReceiver *receiver, const LmccRtp *rtp,
    const LmccHeader *header)
{
  return receiver->session.native
      ? lmcc_clock_send_to_local (receiver->clock, header->send_time)
      : window_end (receiver, rtp, header);
}

/*
 * lmcc_receiver_get_reserve:
 * @receiver: a receiver
 *
 * Returns: the part of the latency that is kept for the decoder
 */
LmccTime
lmcc_receiver_get_reserve (const LmccReceiver *receiver)
{
  return MIN (receiver->config.latency / 4, DECODE_RESERVE);
}

/* From the sending of a packet to its delivery. */
static LmccTime
release_after (const LmccReceiver *receiver)
{
  return receiver->session.repair_delay + receiver->config.latency
      - lmcc_receiver_get_reserve (receiver);
}

/**
 * lmcc_receiver_release_deadline:
 * @receiver: a receiver
 * @rtp: a packet's RTP header
 * @header: its header element
 *
 * Returns: when the packet is delivered, whatever is missing before it
 */
LmccTime
lmcc_receiver_release_deadline (const LmccReceiver *receiver,
    const LmccRtp *rtp, const LmccHeader *header)
{
  return sent_up_to (receiver, rtp, header) + release_after (receiver);
}

/**
 * lmcc_receiver_picture_deadline:
 * @receiver: a receiver
 * @rtp: a packet's RTP header
 * @header: its header element
 *
 * A layer of a picture may be one packet that was sent at once and is output
 * late, behind a larger one; the next layer may still be under way then.
 *
 * Returns: when all of the packet's picture is delivered, whatever is missing
 */
LmccTime
lmcc_receiver_picture_deadline (const LmccReceiver *receiver,
    const LmccRtp *rtp, const LmccHeader *header)
{
  return window_end (receiver, rtp, header) + release_after (receiver);
}
