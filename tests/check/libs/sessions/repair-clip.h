/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the effect of repair on the pictures of a real clip.
 */
#ifndef REPAIR_CLIP_H
#define REPAIR_CLIP_H

#include "sessions/repair-rows.h"

#define REPAIR_CLIP_PATH "pipelines/big-buck-bunny.mp4"
#define REPAIR_CLIP_LEVELS 3
#define REPAIR_CLIP_GROUP (2 * LMCC_SECOND)

gboolean repair_clip_read (GError **error);
void repair_clip_clear (void);
void repair_clip_fill_config (const RepairRow *row, TestRepairConfig *config);
void
repair_clip_run (const RepairRow *row, guint level, TestRepairResult *result);
guint repair_clip_add_required (GString *text);
void repair_clip_add_table (GString *text);
void repair_clip_add_least (GString *text);
void repair_clip_add_doubling (GString *text);

#endif
