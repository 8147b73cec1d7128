/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the smallest share of repair that keeps enough pictures complete.
 */
#ifndef REPAIR_LEAST_H
#define REPAIR_LEAST_H

#include "sessions/repair-rows.h"

/* Columns of repair_least_put(). */
#define REPAIR_LEAST_HEAD              \
  " k, r and sent for 99.5 % at 2 % |" \
  " k, r and sent for 99 % at 10 % |"

void repair_least_put (GString *text, guint64 rate, LmccTime group,
    RepairRowRun run);
void repair_least_add_table (GString *text);

#endif
