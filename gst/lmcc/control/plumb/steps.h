/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_PLUMB_STEPS_H
#define LMCC_CONTROL_PLUMB_STEPS_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccSteps:
 * Detects arriving and departing competing traffic: the fair rate of the last seconds
 * differs greatly from that of the calm time before.
 */
typedef struct
{
  /*< private >*/
  gdouble slow; /* means */
  gdouble fast;
  LmccTime since; /* when the level was joined */
  LmccTime at;
  LmccTime low_since;
  LmccTime high_since;
} LmccSteps;

/**
 * LmccStep:
 * @LMCC_STEP_NONE: the fair share is about the same
 * @LMCC_STEP_DOWN: it fell
 * @LMCC_STEP_UP: it rose
 */
typedef enum
{
  LMCC_STEP_NONE,
  LMCC_STEP_DOWN,
  LMCC_STEP_UP,
} LmccStep;

void lmcc_steps_reset (LmccSteps *steps, LmccTime now);
LmccStep lmcc_steps_add (LmccSteps *steps, LmccTime now, gdouble rate);
gdouble lmcc_steps_get_rate (const LmccSteps *steps);

G_END_DECLS

#endif
