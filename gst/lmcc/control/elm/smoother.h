/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_ELM_SMOOTHER_H
#define LMCC_CONTROL_ELM_SMOOTHER_H

#include <gst/lmcc/lmcc-settings.h>
#include "control/elm/elm.h"
#include "measure/smoothing.h"

G_BEGIN_DECLS

/**
 * LmccElmSmoother:
 * @smoothing: how
 * @time: over so long
 * @average: of the exponentially weighted average
 * @percentiles: of the mean between two percentiles
 * @history: samples in @percentiles
 * @taken: when the latest sample was taken; %LMCC_TIME_NONE: none was
 * @value: the smoothed rate
 *
 * The calculated rate, smoothed as ELM's settings say.
 */
typedef struct
{
  LmccElmSmoothing smoothing;
  LmccTime time;
  LmccEwma average;
  LmccPercentiles *percentiles;
  guint history;
  LmccTime taken;
  gdouble value;
} LmccElmSmoother;

void lmcc_elm_smoother_init (LmccElmSmoother *smoother,
    const LmccSettings *settings);
void lmcc_elm_smoother_clear (LmccElmSmoother *smoother);
void
lmcc_elm_smoother_add (LmccElmSmoother *smoother, LmccTime now, gdouble sample);
void lmcc_elm_smoother_restart (LmccElmSmoother *smoother, LmccTime now,
    gdouble sample);

G_END_DECLS

#endif
