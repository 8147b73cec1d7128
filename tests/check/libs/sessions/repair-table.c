/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the effect of repair: the share of the base layer's pictures that
 * arrive complete from the real sender at the real receiver, over a path
 * with packet loss.
 */
#include "sessions/repair-clip.h"
#include "sessions/repair-native.h"
#include "sessions/repair-page.h"
#include "sessions/repair-pyramid.h"
#include "sessions/repair-rows.h"
#include "support/test-options.h"

static gint seconds = 400;
static gboolean full;
static gboolean all_must_pass;
static gchar *markdown;
static gchar *curves;
static gchar *classes;

static const GOptionEntry options[] = { { "full", 'f', 0, G_OPTION_ARG_NONE,
                                            &full, "All tables", NULL },
  { "seconds", 't', 0, G_OPTION_ARG_INT, &seconds, "Length of a run", "S" },
  { "markdown", 'm', 0, G_OPTION_ARG_FILENAME, &markdown,
      "Write a page with the tables", "FILE" },
  { "curves", 0, 0, G_OPTION_ARG_FILENAME, &curves,
      "Write only, as CSV, the share of whole pictures over loss", "FILE" },
  { "classes", 0, 0, G_OPTION_ARG_FILENAME, &classes,
      "Write only, as CSV, what is missing of each class over loss", "FILE" },
  { "check", 0, 0, G_OPTION_ARG_NONE, &all_must_pass,
      "Fail unless enough pictures are whole where that is required", NULL },
  { NULL } };

/* The rows with requirements. */
static const RepairRow required_rows[] = {
  { 300000, LMCC_SECOND, 0.02, 1, 100, 0.995 },
  { 300000, LMCC_SECOND, 0.10, 1, 300, 0.99 },
};

static guint
add_required_rows (GString *text)
{
  guint n_missed = 0, i;

  g_string_append (text,
      REPAIR_ROW_HEAD " required |\n" REPAIR_ROW_RULE "---:|\n");
  for (i = 0; i < G_N_ELEMENTS (required_rows); i++) {
    const RepairRow *row = &required_rows[i];
    TestRepairResult result;
    gboolean passed;

    repair_row_run (row, &result);
    passed = repair_row_is_met (row, &result);
    n_missed += !passed;
    repair_row_put (text, row, &result);
    g_string_append_printf (text, " %.1f%s |\n", 100 * row->required,
        passed ? "" : " **missed**");
  }

  return n_missed;
}

/* Layers that double must be as good as a single base layer with the default
 * share. */
static guint
add_required_pyramid (GString *text)
{
  RepairRow row = { 0, REPAIR_PYRAMID_PERIOD, 0.02, 1, 100, 0.995 };
  TestRepairResult result;
  gboolean passed;

  repair_pyramid_run (&row, &result);
  passed = repair_row_is_met (&row, &result);
  g_string_append_printf (text,
      "\nIn [layers that double](#layers-that-double), with %.0f %% of "
      "repair data at least %.1f %% of the pictures must be whole at "
      "%.0f %% loss: %.2f %%%s.\n",
      row.repair / 10.0, 100 * row.required, 100 * row.loss,
      100 * repair_result_get_whole (&result), passed ? "" : " **missed**");

  return !passed;
}

/* Rate of the base layer in the other tables. */
static gboolean
write_curves (GError **error)
{
  static const gdouble losses[] = { 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.10 };
  static const guint shares[] = { 0, 100, 200, 300 };
  g_autoptr (GString) text =
      g_string_new ("repair,loss,sent,whole,decodable\n");
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (shares); i++) {
    for (k = 0; k < G_N_ELEMENTS (losses); k++) {
      RepairRow row = { 300000, LMCC_SECOND, losses[k], 1, shares[i] };
      TestRepairResult result;

      repair_row_run (&row, &result);
      g_string_append_printf (text, "%g,%g,%g,%g,%g\n", shares[i] / 1e3,
          losses[k], repair_result_get_sent (&result),
          repair_result_get_whole (&result),
          repair_result_get_decodable (&result));
    }
  }

  return g_file_set_contents (curves, text->str, -1, error);
}

/* Losses of each class for a receiver of all layers that double, and the
 * losses that the best possible code would leave. */
static gboolean
write_classes (GError **error)
{
  static const gdouble losses[] = { 0.005, 0.01, 0.02, 0.03, 0.05, 0.1 };
  g_autoptr (GString) text = g_string_new ("class,loss,measured,bound\n");
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (losses); i++) {
    RepairRow row = { 0, REPAIR_PYRAMID_PERIOD, losses[i], 1, 100 };
    TestRepairResult result;

    repair_pyramid_run (&row, &result);
    for (k = 0; k < REPAIR_PYRAMID_CLASSES; k++) {
      const TestRepairCount *count = &result.classes[k];

      g_string_append_printf (text, "%u,%g,%g,%g\n", k, losses[i],
          repair_divide (count->lost - MIN (count->repaired, count->lost),
              count->sent),
          repair_divide (count->lost - count->recovered, count->sent));
    }
  }

  return g_file_set_contents (classes, text->str, -1, error);
}

gint
main (gint argc, gchar **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) required = g_string_new (NULL);
  g_autofree gchar *page = NULL;
  guint n_missed;

  if (!test_options_parse (options, &argc, &argv))
    return 2;
  repair_rows_set_seconds (seconds);
  if (curves != NULL) {
    if (!write_curves (&error))
      g_printerr ("%s\n", error->message);
    return error == NULL ? 0 : 2;
  }
  if (classes != NULL) {
    if (!write_classes (&error))
      g_printerr ("%s\n", error->message);
    return error == NULL ? 0 : 2;
  }
  n_missed = add_required_rows (required);
  n_missed += add_required_pyramid (required);
  if (!repair_clip_read (&error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  n_missed += repair_clip_add_required (required);
  n_missed += repair_native_add_required (required);
  if (full)
    page = repair_page_make (required->str);
  repair_clip_clear ();
  g_print ("%s", full ? page : required->str);
  if (full && markdown != NULL
      && !g_file_set_contents (markdown, page, -1, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }

  return all_must_pass && n_missed > 0 ? 1 : 0;
}
