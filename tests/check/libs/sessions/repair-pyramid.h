/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One second of x264 video with seven B pictures and a pyramid, 0.9 Mbit/s,
 * in layers that double: the key frame is larger than the share of any lower
 * layer.
 */
#ifndef REPAIR_PYRAMID_H
#define REPAIR_PYRAMID_H

#include "sessions/repair-rows.h"

#define REPAIR_PYRAMID_PERIOD LMCC_SECOND
#define REPAIR_PYRAMID_CLASSES 3

void repair_pyramid_run (const RepairRow *row, TestRepairResult *result);
void repair_pyramid_add_table (GString *text);

#endif
