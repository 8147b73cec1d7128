/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sessions/repair-least.h"

/* Criterion for the smallest shares, as in REPAIR_LEAST_HEAD. */
static const RepairRow paths[] = {
  { 0, 0, 0.02, 1, 0, 0.995 },
  { 0, 0, 0.10, 1, 0, 0.99 },
};

/* In steps of 1 %; 0 if 100 % is not enough. */
static guint
find_share (RepairRow row, RepairRowRun run, TestRepairResult *result)
{
  guint low = 0, high = 128;

  while (low + 1 < high) {
    row.repair = 10 * ((low + high) / 2);
    run (&row, result);
    if (repair_result_get_whole (result) >= row.required)
      high = (low + high) / 2;
    else
      low = (low + high) / 2;
  }
  if (high == 128)
    return 0;
  row.repair = 10 * high;
  run (&row, result);

  return row.repair;
}

static void
put_share (GString *text, const RepairRow *row, RepairRowRun run)
{
  TestRepairResult result;

  if (find_share (*row, run, &result) == 0)
    g_string_append (text, " none |");
  else
    g_string_append_printf (text, " %.0f, %.1f, %.0f %% |",
        repair_divide (result.n_source, result.n_blocks),
        repair_divide (result.n_repair, result.n_blocks),
        100 * repair_result_get_sent (&result));
}

/**
 * repair_least_put:
 * @text: a row of a table
 * @rate: rate of the base layer in bit/s, for @run
 * @group: interval between key frames
 * @run: function that is tried with increasing shares
 *
 * Adds the columns of %REPAIR_LEAST_HEAD.
 */
void
repair_least_put (GString *text, guint64 rate, LmccTime group, RepairRowRun run)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (paths); i++) {
    RepairRow row = paths[i];

    row.rate = rate;
    row.group = group;
    put_share (text, &row, run);
  }
}

/**
 * repair_least_add_table:
 * @text: a page
 *
 * Adds the smallest shares for base layers of the model; slow ones have few
 * packets in a block.
 */
void
repair_least_add_table (GString *text)
{
  static const guint64 rates[] = { 100000, 300000, 1000000 };
  static const LmccTime groups[] = { LMCC_SECOND / 2, LMCC_SECOND,
    2 * LMCC_SECOND, 4 * LMCC_SECOND };
  guint i, k;

  g_string_append (text,
      "| base, kbit/s | group, s |" REPAIR_LEAST_HEAD
      "\n|---:|---:|---|---|\n");
  for (i = 0; i < G_N_ELEMENTS (rates); i++) {
    for (k = 0; k < G_N_ELEMENTS (groups); k++) {
      g_string_append_printf (text, "| %.0f | %.1f |", rates[i] / 1e3,
          (gdouble) groups[k] / LMCC_SECOND);
      repair_least_put (text, rates[i], groups[k], repair_row_run);
      g_string_append (text, "\n");
    }
  }
}
