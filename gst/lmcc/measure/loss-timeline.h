/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_LOSS_TIMELINE_H
#define LMCC_MEASURE_LOSS_TIMELINE_H

#include "measure/loss-events.h"

G_BEGIN_DECLS

/*
 * LmccLossTimeline:
 * A loss shows at its layer's next packets, and packets of other layers arrive
 * meanwhile. So the newest entries are kept in the order of their times, and results
 * are recomputed from where an entry is inserted. Runs of losses between two packets
 * that arrived may overlap and then count together.
 */
typedef struct
{
  guint window;
  LmccTime rtt;
  LmccTime hold;
  GArray *entries;     /* array of LmccLossEntry */
  guint n_final;       /* number of entries already in @settled */
  LmccTime newest;     /* arrival time */
  LmccTime final_time; /* no entry is inserted before this */
  LmccLossEvents settled;
  GArray *checkpoints; /* intermediate states, ascending */
  LmccLossEvents live;
  gboolean live_valid;
} LmccLossTimeline;

void lmcc_loss_timeline_init (LmccLossTimeline *timeline, guint window,
    LmccTime rtt);
void lmcc_loss_timeline_clear (LmccLossTimeline *timeline);
void lmcc_loss_timeline_reset (LmccLossTimeline *timeline);
void lmcc_loss_timeline_set_rtt (LmccLossTimeline *timeline, LmccTime rtt);
void lmcc_loss_timeline_begin (LmccLossTimeline *timeline, LmccTime now);
void lmcc_loss_timeline_packets (LmccLossTimeline *timeline, LmccTime time,
    guint count);
void lmcc_loss_timeline_lose (LmccLossTimeline *timeline, const LmccLoss *loss);
void lmcc_loss_timeline_find (LmccLossTimeline *timeline, LmccTime time);
const LmccLossEvents *lmcc_loss_timeline_get (LmccLossTimeline *timeline);

G_END_DECLS

#endif
