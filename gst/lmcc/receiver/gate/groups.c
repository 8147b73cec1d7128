/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/gate/groups.h"

#include <string.h>

/*
 * lmcc_gate_groups_key:
 * @groups: the groups
 * @timestamp: of a key frame of any rung
 *
 * The first one of a picture begins a group.
 */
void
lmcc_gate_groups_key (LmccGateGroups *groups, guint32 timestamp)
{
  if (groups->started && timestamp == groups->timestamp)
    return;

  groups->started = TRUE;
  groups->timestamp = timestamp;
  memcpy (groups->last_units, groups->units, sizeof (groups->units));
  groups->last_lost = groups->lost;
  memset (groups->units, 0, sizeof (groups->units));
  groups->lost = 0;
  groups->explained = 0;
}

/*
 * lmcc_gate_groups_explain:
 * @groups: the groups
 *
 * A unit is incomplete. A hole may show only after the units that it hit, so
 * they are counted, not told apart: a lost packet is of one unit.
 *
 * Returns: whether one of the group's losses accounts for it, and not that its
 *     rest lies in a layer that is not held
 */
gboolean
lmcc_gate_groups_explain (LmccGateGroups *groups)
{
  if (groups->explained >= groups->lost)
    return FALSE;
  groups->explained++;

  return TRUE;
}

/*
 * lmcc_gate_groups_is_whole:
 * @groups: the groups
 * @rung: a rung
 *
 * A rung of which a part is not held gives fewer pictures than a lower one.
 * What was lost may have been a picture each.
 *
 * Returns: whether the last group had as many pictures of @rung as of each
 *     lower one
 */
gboolean
lmcc_gate_groups_is_whole (const LmccGateGroups *groups, guint rung)
{
  guint i;

  if (rung == 0)
    return TRUE;
  if (groups->last_units[rung] == 0)
    return FALSE;
  for (i = 0; i < rung; i++) {
    if (groups->last_units[rung] + groups->last_lost < groups->last_units[i])
      return FALSE;
  }

  return TRUE;
}
