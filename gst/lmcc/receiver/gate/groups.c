/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/gate/groups.h"

#include <string.h>

/*
 * lmcc_gate_groups_key:
 * @groups: the groups
 * @timestamp: timestamp of a key frame of any rung
 *
 * The first key frame of a picture begins a group.
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
 * Call it for an incomplete unit. A loss may show only after the units that it
 * affects, so losses are counted and not attributed: each lost packet belongs
 * to one unit.
 *
 * Returns: whether one of the group's losses explains the incomplete unit;
 * if not, the rest of the unit lies in a layer that is not joined
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
 * A rung that is only partly joined yields fewer pictures than a lower one.
 * Each lost packet may have been a whole picture.
 *
 * Returns: whether the last group had as many pictures of @rung as of each
 * lower rung
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
