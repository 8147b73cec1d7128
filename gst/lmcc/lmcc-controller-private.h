/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROLLER_PRIVATE_H
#define LMCC_CONTROLLER_PRIVATE_H

#include "lmcc-algorithm.h"

G_BEGIN_DECLS

static inline void
lmcc_controller_want (LmccController * controller, gint level,
    const gchar * reason)
{
  controller->wanted_level = level;
  controller->reason = reason;
}

/* To be called first in each callback. A controller may ask for a higher level at
 * certain moments only. If the receiver did not follow, because of a cap, the
 * wish is over: it must not come true when the cap is lifted. */
static inline void
lmcc_controller_forget_wish (LmccController * controller, gint level)
{
  controller->wanted_level = MIN (controller->wanted_level, MAX (level, 0));
}

/* The receiver holds another level: whatever it was, that is what is wanted
 * now. */
static inline void
lmcc_controller_follow (LmccController * controller, gint level)
{
  controller->wanted_level = MAX (level, 0);
}

/* lmcc-algorithm.c */
void lmcc_controller_init (LmccController * controller,
    const LmccAlgorithm * algorithm, const LmccControllerClass * klass);
LmccController *lmcc_controller_new_base_only (const LmccAlgorithm * algorithm);

extern const LmccAlgorithm lmcc_algorithm_rlc;
extern const LmccAlgorithm lmcc_algorithm_flid_sl;
extern const LmccAlgorithm lmcc_algorithm_flid_dl;
extern const LmccAlgorithm lmcc_algorithm_synchronized;
extern const LmccAlgorithm lmcc_algorithm_rlm;
extern const LmccAlgorithm lmcc_algorithm_pgmcc;
extern const LmccAlgorithm lmcc_algorithm_tfmcc;

G_END_DECLS

#endif
