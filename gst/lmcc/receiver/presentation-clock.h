/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_PRESENTATION_CLOCK_H
#define LMCC_RECEIVER_PRESENTATION_CLOCK_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccTimeline:
 * @LMCC_TIMELINE_VIDEO: the RTP timestamps of all rungs
 * @LMCC_TIMELINE_SOUND: the RTP timestamps of the sound
 *
 * Sets of RTP timestamps with a common origin and clock rate.
 */
typedef enum
{
  LMCC_TIMELINE_VIDEO,
  LMCC_TIMELINE_SOUND,
  LMCC_N_TIMELINES,
} LmccTimeline;

/**
 * LmccClock:
 * Follows the sender's clock by the send times in the packets: the smallest recent delay
 * is the path's own delay, and the rest is queueing. Converts RTP timestamps to
 * presentation times. All timelines follow the same clock, so pictures and sound stay in
 * sync.
 */
typedef struct _LmccClock LmccClock;

LmccClock *lmcc_clock_new (void);
void lmcc_clock_free (LmccClock *clock);
void lmcc_clock_reset (LmccClock *clock);
gboolean
lmcc_clock_packet (LmccClock *clock, LmccTime arrival, guint32 send_time);
gboolean lmcc_clock_sender_report (LmccClock *clock, LmccTimeline timeline,
    LmccTime now, guint64 ntp_time, guint32 rtp_time, guint32 clock_rate);
void lmcc_clock_guess_mapping (LmccClock *clock, LmccTimeline timeline,
    guint32 send_time, guint32 rtp_time, guint32 clock_rate);
gboolean lmcc_clock_has_mapping (const LmccClock *clock, LmccTimeline timeline);
LmccTime lmcc_clock_send_to_local (const LmccClock *clock, guint32 send_time);
LmccTime lmcc_clock_rtp_to_local (const LmccClock *clock, LmccTimeline timeline,
    guint32 rtp_time);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccClock, lmcc_clock_free)

G_END_DECLS

#endif
