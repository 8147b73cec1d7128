/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SLOTS_INCREASE_SIGNALS_H
#define LMCC_CONTROL_SLOTS_INCREASE_SIGNALS_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccIncreaseSignals:
 * @n_levels: l, 1 to %LMCC_MAX_LAYERS
 * @probabilities: p_i, not increasing, the top level's 0
 *
 * FLID's increase signals by a reversed binary counter (Byers et al., "FLID-DL:
 * Congestion Control for Layered Multicast", IEEE JSAC 20(8), 2002, section IV-C1).
 * lmcc_increase_signals_init() initializes it.
 */
typedef struct
{
  guint n_levels;
  gdouble probabilities[LMCC_MAX_LAYERS];
} LmccIncreaseSignals;

void lmcc_increase_signals_init (LmccIncreaseSignals *signals,
    const gdouble *probabilities, guint n_levels);
gint
lmcc_increase_signals_get (const LmccIncreaseSignals *signals, guint32 counter);

G_END_DECLS

#endif
