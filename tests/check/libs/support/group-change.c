/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/group-change.h"

#include <string.h>

void
group_change_between (const LmccDynamicLayering *layering, guint slot,
    gint level, guint next_slot, gint next_level, GroupChange *change)
{
  guint group;

  memset (change, 0, sizeof (*change));
  for (group = 0; group < layering->n_groups; group++) {
    gboolean before =
        lmcc_dynamic_layering_is_held (layering, slot, level, group);
    gboolean after =
        lmcc_dynamic_layering_is_held (layering, next_slot, next_level, group);

    if (before && !after)
      change->leaves[change->n_leaves++] = (guint8) group;
    else if (after && !before)
      change->joins[change->n_joins++] = (guint8) group;
  }
}
