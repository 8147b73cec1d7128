/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_REORDERING_H
#define LMCC_MEASURE_REORDERING_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccReordering:
 * How long packets that are overtaken by others are waited for before they count as
 * lost: not at all until one that was overtaken by %LMCC_LOSS_THRESHOLD of its layer
 * comes, and from then on for somewhat longer than such packets were late (RFC 8985
 * section 6.2 step 4). All layers take the same path, and have one of these. All zero:
 * no packet was late.
 */
typedef struct
{
  /*< private >*/
  LmccTime longest[2]; /* lateness in this period, and in the one before */
  guint n_losses;      /* of this period */
  LmccTime last_loss;  /* of those counted */
} LmccReordering;

void lmcc_reordering_late (LmccReordering *reordering, LmccTime lateness);
void lmcc_reordering_lose (LmccReordering *reordering, LmccTime now);
LmccTime lmcc_reordering_get_window (const LmccReordering *reordering);
LmccTime
lmcc_reordering_get_wait (const LmccReordering *reordering, guint later);

G_END_DECLS

#endif
