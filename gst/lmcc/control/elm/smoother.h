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
 * @smoothing: the method
 * @time: the time over which samples are smoothed
 * @average: state of the exponentially weighted average
 * @percentiles: state of the mean between two percentiles
 * @history: number of samples in @percentiles
 * @taken: time of the latest sample; %LMCC_TIME_NONE: none yet
 * @value: the smoothed rate
 *
 * The calculated rate, smoothed according to ELM's settings.
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
