/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The times of packets: when their pictures are due, and when they go out at
 * the latest.
 */
#include "receiver/private.h"
#include "receiver/times.h"

/* What of the latency is kept for the decoder: the merge gives packets out so
 * long before their pictures are due. */
#define DECODE_RESERVE (50 * LMCC_MSECOND)

/* Presentation times further than this from the send time are not believed. */
#define PRESENTATION_RANGE (30 * (gint64) LMCC_SECOND)

/**
 * lmcc_receiver_timeline:
 * @header: of a packet
 *
 * Returns: what its RTP timestamp counts; repair and filler have the pictures'
 */
LmccTimeline
lmcc_receiver_timeline (const LmccHeader *header)
{
  return header->type == LMCC_PACKET_MEDIA
          && header->stream == LMCC_STREAM_SOUND
      ? LMCC_TIMELINE_SOUND
      : LMCC_TIMELINE_VIDEO;
}

/* RTP timestamp units per second, 0 where the session has no sound. */
static guint32
get_clock_rate (const LmccReceiver *receiver, LmccTimeline timeline)
{
  return timeline == LMCC_TIMELINE_SOUND ? receiver->session.sound.clock_rate
                                         : receiver->session.video.clock_rate;
}

/* How RTP timestamps map to the sender's clock, as its own reports tell. */
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

/* The time of an RTP timestamp; a mapping that puts it far from when its packet
 * was sent is replaced by a guess. */
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
 * Returns: how much later than its presentation time a packet may be given out:
 *     the sender's window, how late its repair may come, what it advises for
 *     decoders, and the configured latency
 */
LmccTime
lmcc_receiver_get_latency (const LmccReceiver *receiver)
{
  return receiver->config.latency
      + (receiver->have_session ? receiver->session.window
                  + receiver->session.repair_delay + receiver->session.latency
                                : 0);
}

/* When the window of the packet's picture is over, by which all of the picture
 * has been sent. */
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

/* When the packets that precede this one have all been sent, or their repair.
 * Native layers are sent side by side. Those of fixed rates are each at another
 * place of the window: what precedes a picture is sent within the window after
 * it is due. */
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
 * Returns: what of the latency is kept for the decoder
 */
LmccTime
lmcc_receiver_get_reserve (const LmccReceiver *receiver)
{
  return MIN (receiver->config.latency / 4, DECODE_RESERVE);
}

/* From when a packet is sent to when it is given out. */
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
 * @header: its element
 *
 * Returns: when the packet is given out, whatever is missing before it
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
 * @header: its element
 *
 * A layer of a picture may be one packet that was sent at once, and come out
 * late, behind a larger one; the next layer of it may still be on its way then.
 *
 * Returns: when all of the packet's picture is given out, whatever is missing
 */
LmccTime
lmcc_receiver_picture_deadline (const LmccReceiver *receiver,
    const LmccRtp *rtp, const LmccHeader *header)
{
  return window_end (receiver, rtp, header) + release_after (receiver);
}
