/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lists the groups that a receiver joins and leaves between two slots or
 * levels, according to the mapping of layers to groups.
 */
#ifndef GROUP_CHANGE_H
#define GROUP_CHANGE_H

#include <gst/lmcc/control/slots/dynamic-layering.h>

typedef struct
{
  guint n_joins;
  guint8 joins[LMCC_MAX_GROUPS];
  guint n_leaves;
  guint8 leaves[LMCC_MAX_GROUPS];
} GroupChange;

void group_change_between (const LmccDynamicLayering *layering, guint slot,
    gint level, guint next_slot, gint next_level, GroupChange *change);

#endif
