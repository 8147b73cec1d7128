/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sessions/repair-peers.h"

#include "sessions/repair-clip.h"
#include "sessions/repair-rows.h"
#include "support/test-fec.h"

static const RepairRow model_rows[] = {
  { 300000, LMCC_SECOND, 0.02, 1, 100 },
  { 300000, LMCC_SECOND, 0.10, 1, 300 },
  { 300000, LMCC_SECOND, 0.02, 4, 300 },
};

static void
put_row (GString *text, const gchar *pictures, const RepairRow *row,
    const gchar *with, const TestRepairResult *result)
{
  g_string_append_printf (text,
      "| %s | %.1f | %.0f | %s | %.1f | %.2f | %.2f |"
      "\n",
      pictures, 100 * row->loss, row->burst, with,
      100 * repair_result_get_sent (result),
      100 * repair_result_get_whole (result),
      100 * repair_result_get_decodable (result));
}

/* Results of GStreamer's schemes with as much overhead as @ours. */
static void
add_peers (GString *text, const gchar *pictures, const RepairRow *row,
    const TestRepairConfig *config, const TestRepairResult *ours)
{
  gdouble overhead = repair_divide (ours->n_repair, ours->n_source);
  guint block = (guint) repair_divide (ours->n_source, ours->n_blocks);
  TestFecScheme scheme;

  for (scheme = TEST_FEC_ULP; scheme <= TEST_FEC_2022_1; scheme++) {
    g_autofree gchar *name = NULL;
    TestRepairResult result;

    if (!test_fec_is_there (scheme)) {
      g_printerr ("GStreamer's %s is missing\n",
          scheme == TEST_FEC_ULP ? "rtpulpfecenc" : "rtpst2022-1-fecenc");
      continue;
    }
    name = test_fec_run (config, scheme, overhead, block, &result);
    put_row (text, pictures, row, name, &result);
  }
}

static void
add_model (GString *text, const RepairRow *row)
{
  g_autoptr (GArray) pictures = repair_row_make_pictures (row);
  g_autofree gchar *ours =
      g_strdup_printf ("lmccsink, repair=%.1f", row->repair / 1e3);
  TestRepairConfig config;
  TestRepairResult result;
  RepairRow without = *row;

  without.repair = 0;
  repair_row_run (&without, &result);
  put_row (text, "model", row, "nothing", &result);
  repair_row_run (row, &result);
  put_row (text, "model", row, ours, &result);
  repair_row_fill_config (row, &config);
  config.pictures = pictures;
  config.period = row->group;
  add_peers (text, "model", row, &config, &result);
}

static void
add_clip (GString *text, gdouble loss)
{
  RepairRow row = { 0, REPAIR_CLIP_GROUP, loss, 1, 0 };
  TestRepairConfig config;
  TestRepairResult result;

  repair_clip_run (&row, REPAIR_CLIP_LEVELS - 1, &result);
  put_row (text, "clip", &row, "nothing", &result);
  row.repair = 100;
  repair_clip_run (&row, REPAIR_CLIP_LEVELS - 1, &result);
  put_row (text, "clip", &row, "lmccsink, repair=0.1", &result);
  repair_clip_fill_config (&row, &config);
  add_peers (text, "clip", &row, &config, &result);
}

/**
 * repair_peers_add_table:
 * @text: a page
 *
 * Adds the results for the same pictures over the same paths without repair,
 * with our repair and with GStreamer's schemes. Needs repair_clip_read() first.
 */
void
repair_peers_add_table (GString *text)
{
  guint i;

  g_string_append (text,
      "| pictures | loss, % | in a row | with | sent, % |"
      " whole, % | decodable, % |\n|---|---:|---:|---|---:|---:|---:|\n");
  for (i = 0; i < G_N_ELEMENTS (model_rows); i++)
    add_model (text, &model_rows[i]);
  add_clip (text, 0.005);
  add_clip (text, 0.02);
  add_clip (text, 0.10);
}
