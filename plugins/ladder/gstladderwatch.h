/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LADDER_WATCH_H
#define GST_LADDER_WATCH_H

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GstLadderWatch:
 *
 * Detects encoders that are slower than real time. It has no clock of its own.
 */
typedef struct
{
  GstClockTime behind_since;
  GstClockTime last_behind;
  GstClockTimeDiff least_lateness;
  gboolean told;
} GstLadderWatch;

void gst_ladder_watch_init (GstLadderWatch *watch);
gboolean
gst_ladder_watch_is_late (GstLadderWatch *watch, GstClockTimeDiff lateness);
gboolean gst_ladder_watch_update (GstLadderWatch *watch, GstClockTime now,
    gboolean behind);

G_END_DECLS

#endif
