/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows of the tables of repair-table: a base layer over a path, and what of its
 * pictures comes.
 */
#ifndef REPAIR_ROWS_H
#define REPAIR_ROWS_H

#include "support/test-repair.h"

#define REPAIR_ROW_SEED 20040101

/* Of a group of the model, how many pictures refer to the key frame: 25 a second with
 * two B pictures in three, which layers above the base carry. */
#define REPAIR_ROW_OTHERS_PER_SECOND 7

/**
 * RepairRow:
 * @rate: of the base, bit/s
 * @group: from one key frame to the next
 * @loss: of the path
 * @burst: how many are lost in a row
 * @repair: 1/1000
 * @required: share of whole pictures; 0: none
 * @native: the base is a native layer
 * @block: of it: repair-delay
 */
typedef struct
{
  guint64 rate;
  LmccTime group;
  gdouble loss;
  gdouble burst;
  guint repair;
  gdouble required;
  gboolean native;
  LmccTime block;
} RepairRow;

typedef void (*RepairRowRun) (const RepairRow *row, TestRepairResult *result);

/* What repair_result_put() writes. */
#define REPAIR_RESULT_HEAD \
  " k | r | padding, % | sent, % | whole, % | decodable, % |"
#define REPAIR_RESULT_RULE "---:|---:|---:|---:|---:|---:|"

/* What repair_row_put() writes. */
#define REPAIR_ROW_HEAD                              \
  "| base, kbit/s | group, s | loss, % | in a row |" \
  " repair, % |" REPAIR_RESULT_HEAD
#define REPAIR_ROW_RULE "|---:|---:|---:|---:|---:|" REPAIR_RESULT_RULE

gdouble repair_divide (guint64 part, guint64 all);
gdouble repair_result_get_sent (const TestRepairResult *result);
gdouble repair_result_get_whole (const TestRepairResult *result);
gdouble repair_result_get_decodable (const TestRepairResult *result);
void repair_result_put (GString *text, const TestRepairResult *result);

void repair_rows_set_seconds (gint length);
gint repair_rows_get_seconds (void);
GArray *repair_row_make_pictures (const RepairRow *row);
void repair_row_fill_config (const RepairRow *row, TestRepairConfig *config);
void repair_row_run (const RepairRow *row, TestRepairResult *result);
gboolean
repair_row_is_met (const RepairRow *row, const TestRepairResult *result);
void repair_row_put (GString *text, const RepairRow *row,
    const TestRepairResult *result);
void repair_rows_add_table (GString *text, const RepairRow *rows, guint n);

#endif
