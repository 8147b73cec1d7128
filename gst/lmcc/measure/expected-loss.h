/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_EXPECTED_LOSS_H
#define LMCC_MEASURE_EXPECTED_LOSS_H

#include "wire/rtcp.h"

G_BEGIN_DECLS

/* Reporters that are remembered. */
#define LMCC_EXPECTED_LOSS_REPORTERS 256

/* Larger reported values count as these. */
#define LMCC_EXPECTED_LOSS_MOST 0.25
#define LMCC_EXPECTED_LOSS_BURST 8.0

/**
 * LmccLossReporter:
 * @origin: where its report came from, see lmcc_report_origin(); 0: none
 * @arrived: when
 * @losses: what it said
 */
typedef struct
{
  guint64 origin;
  LmccTime arrived;
  LmccLossReport losses;
} LmccLossReporter;

/**
 * LmccExpectedLoss:
 * @reporters: the latest reporters
 * @n: how many of them counted at the latest update
 * @value: the losses to expect
 * @updated: when
 *
 * One value for the losses of all receivers: that of the receiver that only a tenth of
 * the recent reporters exceeds. It rises at once to much more, and else follows slowly.
 */
typedef struct
{
  LmccLossReporter reporters[LMCC_EXPECTED_LOSS_REPORTERS];
  guint n;
  LmccLossReport value;
  LmccTime updated;
} LmccExpectedLoss;

void lmcc_expected_loss_init (LmccExpectedLoss *expected, LmccTime now);
void lmcc_expected_loss_take (LmccExpectedLoss *expected, LmccTime now,
    guint64 origin, const LmccLossReport *losses);
gboolean lmcc_expected_loss_update (LmccExpectedLoss *expected, LmccTime now);

G_END_DECLS

#endif
