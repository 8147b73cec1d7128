/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sessions/repair-rows.h"

#include <gst/lmcc/wire/rtp.h>

#include <string.h>

#define PAYLOAD                                                             \
  (TEST_REPAIR_PACKET_SIZE - TEST_REPAIR_IP_OVERHEAD - LMCC_RTP_HEADER_SIZE \
      - LMCC_RTP_OVERHEAD)

/* The key frame's share of the packets of a group. */
#define KEY_PART 4

static gint seconds;

/**
 * repair_divide:
 * @part: part
 * @all: total
 *
 * Returns: the share; 0 if @all is 0
 */
gdouble
repair_divide (guint64 part, guint64 all)
{
  return all > 0 ? (gdouble) part / (gdouble) all : 0.0;
}

/**
 * repair_result_get_sent:
 * @result: result of a run
 *
 * Returns: repair data over media
 */
gdouble
repair_result_get_sent (const TestRepairResult *result)
{
  return repair_divide (result->repair_bytes, result->media_bytes);
}

/**
 * repair_result_get_whole:
 * @result: result of a run
 *
 * Returns: share of the pictures of which all packets were received or repaired
 */
gdouble
repair_result_get_whole (const TestRepairResult *result)
{
  return repair_divide (result->n_whole, result->n_pictures);
}

/**
 * repair_result_get_decodable:
 * @result: result of a run
 *
 * Returns: share of the pictures received with all their references
 */
gdouble
repair_result_get_decodable (const TestRepairResult *result)
{
  return repair_divide (result->n_decodable, result->n_pictures);
}

/**
 * repair_result_put:
 * @text: a row of a table
 * @result: the result for the columns of %REPAIR_RESULT_HEAD
 */
void
repair_result_put (GString *text, const TestRepairResult *result)
{
  g_string_append_printf (text, " %.1f | %.1f | %.1f | %.1f | %.2f | %.2f |",
      repair_divide (result->n_source, result->n_blocks),
      repair_divide (result->n_repair, result->n_blocks),
      100
          * repair_divide (result->padding,
              result->padding + result->source_bytes),
      100 * repair_result_get_sent (result),
      100 * repair_result_get_whole (result),
      100 * repair_result_get_decodable (result));
}

/**
 * repair_rows_set_seconds:
 * @length: duration of all further runs, if groups are at most 1 s long
 */
void
repair_rows_set_seconds (gint length)
{
  seconds = length;
}

/**
 * repair_rows_get_seconds:
 *
 * Returns: the duration of runs
 */
gint
repair_rows_get_seconds (void)
{
  return seconds;
}

/**
 * repair_row_make_pictures:
 * @row: a row of the model
 *
 * Makes a key frame and pictures of equal size, with as many packets as the
 * base layer has room for beside its repair and control packets.
 *
 * Returns: (transfer full) (element-type TestRepairPicture): a group
 */
GArray *
repair_row_make_pictures (const RepairRow *row)
{
  gdouble room = row->rate * ((gdouble) row->group / LMCC_SECOND)
      / (8.0 * TEST_REPAIR_PACKET_SIZE);
  gdouble repair = room * row->repair / (1000 + row->repair);
  guint n = MAX ((guint) (0.93 * (room - (guint) (repair + 0.5))), 2);
  guint key = MAX (n / KEY_PART, 1);
  guint n_others =
      MAX ((guint) (REPAIR_ROW_OTHERS_PER_SECOND * row->group / LMCC_SECOND),
          1);
  guint packets = MAX ((n - key) / n_others, 1);

  n_others = MIN (n_others, (n - key) / packets);

  return test_repair_model (n - n_others * packets, n_others, packets,
      row->group, PAYLOAD);
}

/**
 * repair_row_fill_config:
 * @row: a row
 * @config: (out): receives its path and its repair; the caller sets layers and
 *     pictures
 */
void
repair_row_fill_config (const RepairRow *row, TestRepairConfig *config)
{
  memset (config, 0, sizeof (*config));
  config->group = row->group;
  config->payload = PAYLOAD;
  config->repair = row->repair;
  config->loss = row->loss;
  config->burst = row->burst;
  /* The same number of groups for each length, unless they are short. */
  config->seconds =
      (guint) (seconds * MAX (row->group, LMCC_SECOND) / LMCC_SECOND);
  config->seed = REPAIR_ROW_SEED;
}

/**
 * repair_row_run:
 * @row: a row of the model
 * @result: (out): counts of its pictures
 */
void
repair_row_run (const RepairRow *row, TestRepairResult *result)
{
  g_autoptr (GArray) pictures = repair_row_make_pictures (row);
  TestRepairConfig config;

  repair_row_fill_config (row, &config);
  config.n_layers = row->native ? 0 : 1;
  config.rates[0] = row->rate;
  config.pictures = pictures;
  config.period = row->group;
  if (row->native)
    config.block = row->block;
  test_repair_run (&config, result);
}

/**
 * repair_row_is_met:
 * @row: a row with a requirement
 * @result: result of its run
 *
 * Returns: whether all pictures fitted and enough of them are complete
 */
gboolean
repair_row_is_met (const RepairRow *row, const TestRepairResult *result)
{
  return result->n_pictures > 0 && result->n_dropped == 0
      && repair_result_get_whole (result) >= row->required;
}

/**
 * repair_row_put:
 * @text: a table that starts with the columns of %REPAIR_ROW_HEAD
 * @row: the row to add
 * @result: result of its run
 */
void
repair_row_put (GString *text, const RepairRow *row,
    const TestRepairResult *result)
{
  gboolean tenths = row->group % (LMCC_SECOND / 10) == 0;

  g_string_append_printf (text, "| %.0f | %.*f | %.1f | %.0f | %.0f |",
      row->rate / 1e3, tenths ? 1 : 2, (gdouble) row->group / LMCC_SECOND,
      100 * row->loss, row->burst, row->repair / 10.0);
  repair_result_put (text, result);
}

/**
 * repair_rows_add_table:
 * @text: a page
 * @rows: (array length=n): rows of the model
 * @n: number of rows
 */
void
repair_rows_add_table (GString *text, const RepairRow *rows, guint n)
{
  guint i;

  g_string_append (text, REPAIR_ROW_HEAD "\n" REPAIR_ROW_RULE "\n");
  for (i = 0; i < n; i++) {
    TestRepairResult result;

    repair_row_run (&rows[i], &result);
    repair_row_put (text, &rows[i], &result);
    g_string_append (text, "\n");
  }
}
