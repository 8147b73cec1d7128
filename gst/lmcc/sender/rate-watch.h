/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_RATE_WATCH_H
#define LMCC_SENDER_RATE_WATCH_H

#include <gst/lmcc/lmcc-session.h>
#include <gst/lmcc/lmcc-unit.h>
#include "sender/meter.h"

G_BEGIN_DECLS

/**
 * LmccRateWatch:
 * @meters: meter of each layer
 * @newest: decoding time of the newest picture
 * @unit_interval: interval between two pictures, smoothed; 0 if not known yet
 * @check: when to call lmcc_rate_watch_update()
 * @changed: when it last changed the session
 *
 * Keeps a session's announced rates close to the rates sent.
 */
typedef struct
{
  LmccMeter meters[LMCC_MAX_LAYERS];
  LmccTime newest;
  LmccTime unit_interval;
  LmccTime check;
  LmccTime changed;
} LmccRateWatch;

void lmcc_rate_watch_init (LmccRateWatch *watch, LmccTime now);
void
lmcc_rate_watch_note_picture (LmccRateWatch *watch, LmccTime decoding_time);
void lmcc_rate_watch_note_unit (LmccRateWatch *watch, guint layer,
    const LmccUnit *unit, LmccTime window, gsize size);
void lmcc_rate_watch_note_sent (LmccRateWatch *watch, guint layer, LmccTime now,
    gsize size);
void lmcc_rate_watch_move (LmccRateWatch *watch,
    const guint8 moved[LMCC_MAX_LAYERS], guint n_layers, LmccTime now);
gboolean lmcc_rate_watch_update (LmccRateWatch *watch, LmccSession *session,
    LmccTime now);

G_END_DECLS

#endif
