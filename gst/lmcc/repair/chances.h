/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_CHANCES_H
#define LMCC_REPAIR_CHANCES_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccRepairPath:
 * @loss_rate: packet loss rate, 0 to 1
 * @burst: mean number of packets lost in a row, see lmcc_repair_chances_new()
 */
typedef struct
{
  gdouble loss_rate;
  gdouble burst;
} LmccRepairPath;

/**
 * LmccRepairChances:
 * Probabilities that a repair block delivers its contents, on a path with a given packet
 * loss rate and random or burst losses.
 */
typedef struct _LmccRepairChances LmccRepairChances;

LmccRepairChances *lmcc_repair_chances_new (gdouble loss_rate, gdouble burst,
    guint depth, guint max_source, guint max_repair);
LmccRepairChances *lmcc_repair_chances_begin (gdouble loss_rate, gdouble burst,
    guint depth, guint max_source, guint max_repair);
gboolean lmcc_repair_chances_step (LmccRepairChances *chances);
void lmcc_repair_chances_free (LmccRepairChances *chances);
guint lmcc_repair_chances_count_needed (const LmccRepairPath *path, guint depth,
    guint n_source, guint most, gdouble wanted);
gdouble lmcc_repair_chances_whole (const LmccRepairChances *chances,
    guint n_source, guint n_repair, guint first, guint n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccRepairChances, lmcc_repair_chances_free)

G_END_DECLS

#endif
