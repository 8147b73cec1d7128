/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/trains.h"

/*
 * lmcc_train_period:
 * @session: a session with trains
 *
 * Returns: from one train to that of the next level
 */
LmccTime
lmcc_train_period (const LmccSession *session)
{
  guint n = MAX (session->n_layers, 2) - 1;

  return MAX (session->train_cycle / n, LMCC_TRAIN_PERIOD_MIN);
}
