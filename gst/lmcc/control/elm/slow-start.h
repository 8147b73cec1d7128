/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_ELM_SLOW_START_H
#define LMCC_CONTROL_ELM_SLOW_START_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccSlowStartForm:
 * @LMCC_SLOW_START_CORRECTED: the deaf period is never shorter than the given floor
 * @LMCC_SLOW_START_PAPER: as in Colussi, "Equation-based Layered Multicast Congestion
 *     Control", 2004, section 6.2.4: D_i = I B_0 / B_i
 * @LMCC_SLOW_START_NONE: no slow start
 */
typedef enum
{
  LMCC_SLOW_START_CORRECTED,
  LMCC_SLOW_START_PAPER,
  LMCC_SLOW_START_NONE,
} LmccSlowStartForm;

/**
 * LmccSlowStart:
 * @active: it has not ended yet
 * @deaf_until: the calculated rate is ignored until then
 * @join_at: when the next layer is due
 *
 * Joins one layer per interval until the calculated rate falls below the rate of the
 * joined layers. Fields are read-only.
 */
typedef struct
{
  LmccSlowStartForm form;
  LmccTime interval;
  gboolean active;
  LmccTime deaf_until;
  LmccTime join_at;
} LmccSlowStart;

void lmcc_slow_start_init (LmccSlowStart *slow_start, LmccSlowStartForm form,
    LmccTime interval);
void lmcc_slow_start_joined (LmccSlowStart *slow_start, LmccTime now,
    gdouble base_rate, gdouble rate, LmccTime floor);
gboolean lmcc_slow_start_update (LmccSlowStart *slow_start, LmccTime now,
    gdouble calculated_rate, gdouble rate);

G_END_DECLS

#endif
