/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows of the tables of repair-table: a base layer over a path, and its
 * received pictures.
 */
#ifndef REPAIR_ROWS_H
#define REPAIR_ROWS_H

#include "support/test-repair.h"

#define REPAIR_ROW_SEED 20040101

/* Number of pictures in a group of the model that refer to the key frame: 25
 * per second, without the two B pictures in three, which higher layers
 * carry. */
#define REPAIR_ROW_OTHERS_PER_SECOND 7

/**
 * RepairRow:
 * @rate: rate of the base layer, bit/s
 * @group: interval between key frames
 * @loss: loss rate of the path
 * @burst: mean length of loss bursts
 * @repair: share of repair, 1/1000
 * @required: required share of complete pictures; 0: none
 * @native: whether the base layer is a native layer
 * @block: repair-delay of a native layer
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

/* Columns of repair_result_put(). */
#define REPAIR_RESULT_HEAD \
  " k | r | padding, % | sent, % | whole, % | decodable, % |"
#define REPAIR_RESULT_RULE "---:|---:|---:|---:|---:|---:|"

/* Columns of repair_row_put(). */
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
