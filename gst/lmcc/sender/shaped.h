/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_SHAPED_H
#define LMCC_SENDER_SHAPED_H

#include <gst/lmcc/lmcc-sender.h>
#include "sender/repair-reserve.h"
#include "sender/schedule.h"
#include "sender/shaper.h"

G_BEGIN_DECLS

/**
 * LmccSenderShaped:
 * @schedule: the schedule of the layers
 * @shaper: collects and pours windows
 * @sending_until: when the last closed window will have been sent
 * @pending: (element-type LmccQueuedUnit): units after the window that is being closed
 * @closing: the shaper's window is being closed
 * @end: end of that window
 * @reserve: its room reserved for repair
 * @worked: when work on it last ran
 * @follows: the session's window follows the distance of key frames
 * @measure: that distance is not known yet
 * @cut: a window has been cut since the latest key frame
 * @control: queue of #LmccPacket: RTCP packets that wait for the base layer
 */
typedef struct
{
  LmccSchedule schedule;
  LmccShaper shaper;
  LmccTime sending_until;
  GQueue pending;
  gboolean closing;
  LmccTime end;
  LmccSenderReserve reserve;
  LmccTime worked;
  gboolean follows;
  gboolean measure;
  gboolean cut;
  GQueue control;
} LmccSenderShaped;

void lmcc_sender_init_shaped (LmccSender *sender, const gdouble *probabilities,
    LmccTime key_distance, LmccTime now);
void lmcc_sender_clear_shaped (LmccSender *sender);
void lmcc_sender_flush_shaped (LmccSender *sender);
gboolean lmcc_sender_collects (const LmccSender *sender);
void lmcc_sender_queue_control (LmccSender *sender, LmccPacket *packet,
    guint n_waiting);
void lmcc_sender_follow_distance (LmccSender *sender, LmccTime distance,
    LmccTime now);
void lmcc_sender_collect (LmccSender *sender, LmccUnit *unit, gsize bytes,
    gsize largest, LmccTime now);
void lmcc_sender_lose (LmccSender *sender, LmccUnit *unit, LmccTime now);
void lmcc_sender_handle_shaped (LmccSender *sender, LmccTime now);
LmccTime lmcc_sender_next_shaped (const LmccSender *sender);

G_END_DECLS

#endif
