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
 * @schedule: when each layer sends
 * @shaper: with the window's units, and the rooms and shares for it
 * @end: where the window ends
 * @sending_until: when it will have been sent
 */
typedef struct
{
  const LmccSchedule *schedule;
  LmccShaper *shaper;
  LmccTime end;
  LmccTime sending_until;
} LmccSenderWindow;

void lmcc_sender_reserve_repair (LmccSender *sender,
    const LmccSenderWindow *window, gsize reserved[LMCC_MAX_LAYERS]);

G_END_DECLS

#endif
