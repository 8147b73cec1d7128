/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_LOSS_EVENTS_H
#define LMCC_MEASURE_LOSS_EVENTS_H

#include "measure/loss-intervals.h"

G_BEGIN_DECLS

/*
 * LmccLossEvents:
 * @packets: number of the newest packet
 * @events: number of events so far
 * @event_time: time of the newest event's first loss
 * @event_packet: number of the packet lost then
 * @event_losses: losses of the newest event that count so far
 * @last_loss: number of the newest loss, whether it counts or not
 * @closed: intervals, newest first
 *
 * State after all packets and losses up to some time. Packets are numbered from 1, in
 * the order of their times over all layers.
 */
typedef struct
{
  guint64 packets;
  guint64 events;
  LmccTime event_time;
  guint64 event_packet;
  guint64 event_losses;
  guint64 last_loss;
  LmccLossInterval closed[LMCC_LOSS_INTERVALS];
} LmccLossEvents;

/*
 * LmccLossEntry:
 * @time: time of the packets, or of the run's first
 * @lost: whether they were lost
 * @run: the run; for arrived packets only its count is used
 *
 * Packets that arrived at one time, or a run of losses.
 */
typedef struct
{
  LmccTime time;
  gboolean lost;
  LmccLoss run;
} LmccLossEntry;

void
lmcc_loss_events_begin (LmccLossEvents *events, LmccTime time, guint64 packet);
void lmcc_loss_events_lose (LmccLossEvents *events, guint window, LmccTime rtt,
    const LmccLossEntry *entries, guint n);

G_END_DECLS

#endif
