/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_REPAIR_RESERVE_H
#define LMCC_SENDER_REPAIR_RESERVE_H

#include <gst/lmcc/lmcc-sender.h>
#include "sender/schedule.h"
#include "sender/shaper.h"

G_BEGIN_DECLS

/**
 * LmccSenderWindow:
 * @schedule: the schedule of the layers
 * @shaper: with the window's units, and rooms and shares for it
 * @end: end of the window
 * @sending_until: when it will have been sent
 */
typedef struct
{
  const LmccSchedule *schedule;
  LmccShaper *shaper;
  LmccTime end;
  LmccTime sending_until;
} LmccSenderWindow;

/**
 * LmccSenderReserve:
 * @number: the reserve to try next; 0 is the whole share
 * @trying: the trial is in progress
 * @best: the best reserve so far
 * @most: number of pictures that the next one must exceed
 *
 * The room that a window reserves for repair, while it is being decided.
 */
typedef struct
{
  guint number;
  gboolean trying;
  guint best;
  gdouble most;
} LmccSenderReserve;

void lmcc_sender_begin_reserve (LmccSenderReserve *reserve);
gboolean lmcc_sender_choose_reserve (LmccSender *sender,
    const LmccSenderWindow *window, LmccSenderReserve *reserve);
void
lmcc_sender_reserve_repair (LmccSender *sender, const LmccSenderWindow *window,
    const LmccSenderReserve *reserve, gsize reserved[LMCC_MAX_LAYERS]);

G_END_DECLS

#endif
