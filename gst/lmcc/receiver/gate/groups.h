/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_GATE_GROUPS_H
#define LMCC_RECEIVER_GATE_GROUPS_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccGateGroups:
 * @timestamp: timestamp of the key frame that the current group began with
 * @started: whether there was such a key frame
 * @units: complete units per rung in the current group
 * @lost: packets lost in the current group
 * @explained: incomplete units of the current group that these losses explain
 * @last_units: @units of the previous group
 * @last_lost: @lost of the previous group
 *
 * Finds out which rungs arrive complete in mixed layers, which the layer table does not
 * show. All zeros: no group yet.
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
