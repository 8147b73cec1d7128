/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_LOSS_TIMELINE_H
#define LMCC_MEASURE_LOSS_TIMELINE_H

#include "measure/loss-events.h"

G_BEGIN_DECLS

/*
 * LmccLossTimeline:
 * A loss is seen at its layer's next packets, those of other layers came
 * meanwhile: so the newest entries are kept in the order of their times, and what
 * follows from them is worked out again from where one comes in between. Runs of
 * losses between two packets that came may overlap: they count together.
 */
typedef struct
{
  guint window;
  LmccTime rtt;
  LmccTime hold;
  GArray *entries;     /* of LmccLossEntry */
  guint n_final;       /* of entries, in settled already */
  LmccTime newest;     /* arrival */
  LmccTime final_time; /* no entry is put before this */
  LmccLossEvents settled;
  GArray *checkpoints; /* states in between, ascending */
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
