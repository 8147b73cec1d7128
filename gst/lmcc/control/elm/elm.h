/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_ELM_ELM_H
#define LMCC_CONTROL_ELM_ELM_H

#include <gst/lmcc/lmcc-algorithm.h>
#include "measure/loss.h"

G_BEGIN_DECLS

/* Greatest delay from the time at which a packet would have arrived to the report of
 * its loss. */
#define LMCC_ELM_LOSS_DELAY (2 * LMCC_LOSS_TIMEOUT)

typedef enum
{
  LMCC_ELM_SMOOTHING_EWMA,
  LMCC_ELM_SMOOTHING_PERCENTILES,
  LMCC_ELM_SMOOTHING_NONE,
} LmccElmSmoothing;

#define LMCC_ELM_N_SETTINGS 32

extern const LmccSetting lmcc_elm_settings[LMCC_ELM_N_SETTINGS];

G_END_DECLS

#endif
