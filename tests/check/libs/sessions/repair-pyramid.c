/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sessions/repair-pyramid.h"

#include <string.h>

#define LAYERS 5
#define PICTURES 24
#define GROUP 8
#define KEY_BYTES 33000

static const guint64 rates[LAYERS] = { 150000, 150000, 300000, 600000,
  1200000 };
static const guint bytes[REPAIR_PYRAMID_CLASSES] = { 9000, 5500, 1800 };

/* In decoding order: each P picture before the middle B picture, and that
 * before the others. */
static GArray *
make_pictures (void)
{
  GArray *pictures = g_array_new (FALSE, FALSE, sizeof (TestRepairPicture));
  guint i;

  for (i = 0; i < PICTURES; i++) {
    guint at = i == 0 ? 0 : (i - 1) % GROUP;
    guint8 klass = (guint8) MIN (at, REPAIR_PYRAMID_CLASSES - 1);
    TestRepairPicture picture = { i == 0 ? KEY_BYTES : bytes[klass], klass,
      i == 0 || klass > 0, REPAIR_PYRAMID_PERIOD * i / PICTURES };

    g_array_append_val (pictures, picture);
  }

  return pictures;
}

/**
 * repair_pyramid_run:
 * @row: a path and the repair
 * @result: (out): counts of the pictures at a receiver of all layers
 */
void
repair_pyramid_run (const RepairRow *row, TestRepairResult *result)
{
  g_autoptr (GArray) pictures = make_pictures ();
  TestRepairConfig config;

  repair_row_fill_config (row, &config);
  config.n_layers = LAYERS;
  memcpy (config.rates, rates, sizeof (rates));
  config.pictures = pictures;
  config.period = REPAIR_PYRAMID_PERIOD;
  config.level = LAYERS - 1;
  test_repair_run (&config, result);
}

static void
put_head (GString *text)
{
  guint i;

  g_string_append (text, "| repair, % | sent, % |");
  for (i = 0; i < LAYERS; i++)
    g_string_append_printf (text, " layer %u |", i);
  g_string_append (text,
      " all | whole, % | decodable, % | no room, % |\n"
      "|---:|---:|");
  for (i = 0; i < LAYERS; i++)
    g_string_append (text, "---:|");
  g_string_append (text, "---:|---:|---:|---:|\n");
}

static gdouble
get_recovered (const TestRepairCount *counts, guint n)
{
  guint lost = 0, recovered = 0, i;

  for (i = 0; i < n; i++) {
    lost += counts[i].lost;
    recovered += counts[i].recovered;
  }

  return repair_divide (recovered, lost);
}

/* Share of recovered losses in each layer and in all. */
static void
put_recovered (GString *text, const TestRepairResult *result)
{
  guint i;

  for (i = 0; i < LAYERS; i++)
    g_string_append_printf (text,
        result->layers[i].sent == 0 ? " - |" : " %.1f |",
        100 * get_recovered (&result->layers[i], 1));
  g_string_append_printf (text, " %.1f |",
      100 * get_recovered (result->layers, LAYERS));
}

/**
 * repair_pyramid_add_table:
 * @text: a page
 *
 * Adds the results for a receiver of all layers.
 */
void
repair_pyramid_add_table (GString *text)
{
  static const guint shares[] = { 0, 50, 100, 200 };
  guint i;

  put_head (text);
  for (i = 0; i < G_N_ELEMENTS (shares); i++) {
    RepairRow row = { 0, REPAIR_PYRAMID_PERIOD, 0.02, 1, shares[i] };
    TestRepairResult result;

    repair_pyramid_run (&row, &result);
    g_string_append_printf (text, "| %.0f | %.1f |", shares[i] / 10.0,
        100 * repair_result_get_sent (&result));
    put_recovered (text, &result);
    g_string_append_printf (text, " %.2f | %.2f | %.1f |\n",
        100 * repair_result_get_whole (&result),
        100 * repair_result_get_decodable (&result),
        100 * (gdouble) result.n_dropped
            / ((repair_rows_get_seconds () + 32) * PICTURES));
  }
}
