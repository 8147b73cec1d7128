/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_GATE_GROUPS_H
#define LMCC_RECEIVER_GATE_GROUPS_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccGateGroups:
 * @timestamp: of the key frame that the present group began with
 * @started: whether there was one
 * @units: whole units of each rung in the present group
 * @lost: packets lost in it
 * @explained: incomplete units of it that these losses account for
 * @last_units: the same of the group before
 * @last_lost: the same of the group before
 *
 * Which rungs come whole where layers are mixed, and so the table does not tell.
 * Zeros are none.
 */
typedef struct
{
  guint32 timestamp;
  gboolean started;
  guint units[LMCC_MAX_RUNGS];
  guint lost;
  guint explained;
  guint last_units[LMCC_MAX_RUNGS];
  guint last_lost;
} LmccGateGroups;

void lmcc_gate_groups_key (LmccGateGroups *groups, guint32 timestamp);
gboolean lmcc_gate_groups_explain (LmccGateGroups *groups);
gboolean lmcc_gate_groups_is_whole (const LmccGateGroups *groups, guint rung);

G_END_DECLS

#endif
