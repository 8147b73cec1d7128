/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sessions/repair-clip.h"

#include "sessions/repair-least.h"
#include "support/test-clip.h"

#include <string.h>

/* The layers of its pictures. */
static const guint64 rates[REPAIR_CLIP_LEVELS] = { 800000, 400000, 600000 };

/* The same for levels of doubling rates. */
#define DOUBLING_LEVELS 4
#define DOUBLING_BASE 400000
#define DOUBLING_SEEDS 5
#define DOUBLING_ALLOWED 0.01

static GArray *pictures;
static LmccTime period;

/**
 * repair_clip_read:
 * @error: the error
 *
 * Reads the clip for all other functions.
 *
 * Returns: whether it could be read
 */
gboolean
repair_clip_read (GError **error)
{
  pictures = test_clip_read (REPAIR_CLIP_PATH, &period, error);

  return pictures != NULL;
}

/**
 * repair_clip_clear:
 *
 * Frees what repair_clip_read() read.
 */
void
repair_clip_clear (void)
{
  g_clear_pointer (&pictures, g_array_unref);
}

/**
 * repair_clip_fill_config:
 * @row: a path and the repair
 * @config: (out): receives these and the clip's pictures; the caller sets the
 *     layers
 */
void
repair_clip_fill_config (const RepairRow *row, TestRepairConfig *config)
{
  repair_row_fill_config (row, config);
  config->pictures = pictures;
  config->period = period;
}

/**
 * repair_clip_run:
 * @row: a path and the repair
 * @level: level of the receiver
 * @result: (out): counts of the pictures at @level
 */
void
repair_clip_run (const RepairRow *row, guint level, TestRepairResult *result)
{
  TestRepairConfig config;

  repair_clip_fill_config (row, &config);
  config.n_layers = G_N_ELEMENTS (rates);
  memcpy (config.rates, rates, sizeof (rates));
  config.level = level;
  test_repair_run (&config, result);
}

static void
run_all_levels (const RepairRow *row, TestRepairResult *result)
{
  repair_clip_run (row, REPAIR_CLIP_LEVELS - 1, result);
}

/* In layers that double. */
static void
run_doubling (const RepairRow *row, guint level, guint32 seed,
    TestRepairResult *result)
{
  TestRepairConfig config;
  guint i;

  repair_clip_fill_config (row, &config);
  config.n_layers = DOUBLING_LEVELS;
  for (i = 0; i < DOUBLING_LEVELS; i++)
    config.rates[i] = row->rate << (i == 0 ? 0 : i - 1);
  config.level = level;
  config.expected = LMCC_DEFAULT_REPAIR_LOSS;
  config.seed = seed;
  test_repair_run (&config, result);
}

/**
 * repair_clip_add_table:
 * @text: a page
 *
 * Adds the results for receivers of the base layer and of all layers.
 */
void
repair_clip_add_table (GString *text)
{
  static const gdouble losses[] = { 0.005, 0.02, 0.10 };
  static const guint shares[] = { 0, 100, 300 };
  guint i, k, level;

  g_string_append (text,
      "| loss, % | repair, % | level |" REPAIR_RESULT_HEAD
      " no room |\n|---:|---:|---:|" REPAIR_RESULT_RULE "---:|\n");
  for (i = 0; i < G_N_ELEMENTS (losses); i++) {
    for (k = 0; k < G_N_ELEMENTS (shares); k++) {
      for (level = 0; level < REPAIR_CLIP_LEVELS; level += 2) {
        RepairRow row = { 0, REPAIR_CLIP_GROUP, losses[i], 1, shares[k] };
        TestRepairResult result;

        repair_clip_run (&row, level, &result);
        g_string_append_printf (text, "| %.1f | %.0f | %u |", 100 * losses[i],
            shares[k] / 10.0, level);
        repair_result_put (text, &result);
        g_string_append_printf (text, " %.1f |\n",
            (gdouble) result.n_dropped * period / LMCC_SECOND
                / (2 * repair_rows_get_seconds () + 32));
      }
    }
  }
}

/**
 * repair_clip_add_least:
 * @text: a page
 *
 * Adds the smallest sufficient shares for a receiver of all layers.
 */
void
repair_clip_add_least (GString *text)
{
  g_string_append (text,
      "\nThe smallest share that reaches the same for level 2 as "
      "[above](#what-small-blocks-cost):\n\n|" REPAIR_LEAST_HEAD
      "\n|---|---|\n|");
  repair_least_put (text, 0, REPAIR_CLIP_GROUP, run_all_levels);
  g_string_append (text, "\n");
}

/* Mean over some seeds of the pictures shown per second at a level, and of
 * the share damaged by losses. Pictures with references in higher layers are
 * shown neither with losses nor without. */
static gdouble
find_damaged (const RepairRow *row, guint level, guint n_seeds, guint *n_shown)
{
  RepairRow lossless = *row;
  guint64 n_left = 0;
  TestRepairResult result, with_loss;
  guint i;

  lossless.loss = 0.0;
  run_doubling (&lossless, level, REPAIR_ROW_SEED, &result);
  *n_shown = result.n_decodable;
  for (i = 0; i < n_seeds; i++) {
    run_doubling (row, level, REPAIR_ROW_SEED + i, &with_loss);
    n_left += with_loss.n_decodable;
  }

  return 1 - repair_divide (n_left, (guint64) n_seeds * result.n_decodable);
}

static void
put_damaged (GString *text, const RepairRow *row, guint level)
{
  guint n_shown;
  gdouble damaged = find_damaged (row, level, DOUBLING_SEEDS, &n_shown);

  g_string_append_printf (text, " %.1f | %.2f |",
      (gdouble) n_shown * LMCC_SECOND
          / (repair_rows_get_seconds () * REPAIR_CLIP_GROUP),
      100 * damaged);
}

/**
 * repair_clip_add_required:
 * @text: a page
 *
 * Adds the requirements for the clip in layers that double: little of the base
 * layer is damaged at 2 % of single losses, and less if all layers are joined.
 *
 * Returns: number of missed requirements
 */
guint
repair_clip_add_required (GString *text)
{
  const RepairRow row = { DOUBLING_BASE, REPAIR_CLIP_GROUP, 0.02, 1, 100 };
  guint n_base, n_top;
  gdouble base = find_damaged (&row, 0, 1, &n_base);
  gdouble top = find_damaged (&row, DOUBLING_LEVELS - 1, 1, &n_top);
  gboolean passed =
      n_base > 0 && n_top > n_base && base <= DOUBLING_ALLOWED && top <= base;

  g_string_append_printf (text,
      "\nFor [the clip in layers that "
      "double](#the-clip-in-layers-that-double), with %.0f %% of repair "
      "data at most %.1f %% of the base layer's pictures may be damaged "
      "at %.0f %% loss, and no more at level %u: %.2f and %.2f %%%s.\n",
      row.repair / 10.0, 100 * DOUBLING_ALLOWED, 100 * row.loss,
      DOUBLING_LEVELS - 1, 100 * base, 100 * top, passed ? "" : " **missed**");

  return !passed;
}

/**
 * repair_clip_add_doubling:
 * @text: a page
 *
 * Adds the damage at each level of layers that double, without and with repair.
 */
void
repair_clip_add_doubling (GString *text)
{
  static const struct
  {
    gdouble loss;
    gdouble burst;
  } paths[] = { { 0.01, 1 }, { 0.02, 1 }, { 0.03, 1 }, { 0.05, 1 }, { 0.01, 3 },
    { 0.02, 3 }, { 0.03, 3 }, { 0.05, 3 } };
  guint i, level;

  g_string_append (text,
      "| loss, % | in a row | level | pictures a second without repair "
      "| damaged, % | with repair | damaged, % |\n"
      "|---:|---:|---:|---:|---:|---:|---:|\n");
  for (i = 0; i < G_N_ELEMENTS (paths); i++) {
    for (level = 0; level < DOUBLING_LEVELS; level++) {
      RepairRow row = { DOUBLING_BASE, REPAIR_CLIP_GROUP, paths[i].loss,
        paths[i].burst };

      g_string_append_printf (text, "| %.0f | %.0f | %u |", 100 * paths[i].loss,
          paths[i].burst, level);
      put_damaged (text, &row, level);
      row.repair = 100;
      put_damaged (text, &row, level);
      g_string_append (text, "\n");
    }
  }
}
