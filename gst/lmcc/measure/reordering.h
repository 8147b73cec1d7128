/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_REORDERING_H
#define LMCC_MEASURE_REORDERING_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccReordering:
 * How long to wait for overtaken packets before they count as lost: not at all until a
 * packet arrives that %LMCC_LOSS_THRESHOLD others of its layer had overtaken, and from
 * then on slightly longer than such packets were late (RFC 8985 section 6.2 step 4). All
 * layers take the same path and share one state. All zeros: no packet was late.
 */
typedef struct
{
  /*< private >*/
  LmccTime longest[2]; /* lateness in this period, and in the previous one */
  guint n_losses;      /* in this period */
  LmccTime last_loss;  /* the latest counted loss */
} LmccReordering;

void lmcc_reordering_late (LmccReordering *reordering, LmccTime lateness);
void lmcc_reordering_lose (LmccReordering *reordering, LmccTime now);
LmccTime lmcc_reordering_get_window (const LmccReordering *reordering);
LmccTime
lmcc_reordering_get_wait (const LmccReordering *reordering, guint later);

G_END_DECLS

#endif
