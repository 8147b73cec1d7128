/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sessions/repair-native.h"

#include "sessions/repair-clip.h"

#define SHARE 150
#define SEEDS 5
#define MAX_LEVELS 4

/* As in vp9svcenc: each quality has twice the bytes of the one below. */
#define SEVENTHS 7
#define QUALITIES 3
#define TEMPORAL 3

/* Requirement for the damaged share of the base layer's pictures, with a
 * tolerance of three tenths. */
#define TOLERANCE 1.3

typedef struct
{
  gdouble loss;
  gdouble burst;
  gdouble allowed;
} Path;

/* The first path with bursts of losses. */
#define ROWS_FROM 4

static const Path paths[] = { { 0.01, 1, 0.005 }, { 0.02, 1, 0.01 },
  { 0.03, 1, 0.02 }, { 0.05, 1, 0.05 }, { 0.01, 3, 0.005 }, { 0.02, 3, 0.01 },
  { 0.03, 3, 0.02 }, { 0.05, 3, 0.05 } };

/**
 * Layers:
 * @name: name on the page
 * @make: (transfer full): makes units of the clip's pictures
 * @n_rungs: number of rungs
 * @n_levels: number of the levels examined
 * @levels: these levels
 */
typedef struct
{
  const gchar *name;
  GArray *(*make) (const GArray *clip);
  guint n_rungs;
  guint n_levels;
  guint levels[MAX_LEVELS];
} Layers;

static GArray *
keep_classes (const GArray *clip)
{
  return g_array_copy ((GArray *) clip);
}

/* Each picture has one part for each quality, with a class for each quality
 * and temporal class. One in four pictures is of the first temporal class. */
static GArray *
make_qualities (const GArray *clip)
{
  static const guint8 temporal[] = { 0, 2, 1, 2 };
  GArray *parts = g_array_new (FALSE, FALSE, sizeof (TestRepairPicture));
  guint number = 0, i, k;

  for (i = 0; i < clip->len; i++) {
    const TestRepairPicture *whole =
        &g_array_index (clip, TestRepairPicture, i);
    gboolean key = whole->switch_point && whole->klass == 0;
    guint8 klass;

    number = key ? 0 : number + 1;
    klass = temporal[number % G_N_ELEMENTS (temporal)];
    for (k = 0; k < QUALITIES; k++) {
      TestRepairPicture part = { MAX ((whole->bytes << k) / SEVENTHS, 1),
        (guint8) (k * TEMPORAL + klass), key || klass > 0, whole->time };

      g_array_append_val (parts, part);
    }
  }

  return parts;
}

/* Each picture once for each rung, with half of the bytes of the next higher
 * one. */
static GArray *
make_rungs (const GArray *clip)
{
  GArray *units = g_array_new (FALSE, FALSE, sizeof (TestRepairPicture));
  guint i, k;

  for (i = 0; i < clip->len; i++) {
    for (k = 0; k < QUALITIES; k++) {
      TestRepairPicture unit = g_array_index (clip, TestRepairPicture, i);

      unit.bytes = MAX (unit.bytes >> (QUALITIES - 1 - k), 1);
      unit.stream = (guint8) k;
      g_array_append_val (units, unit);
    }
  }

  return units;
}

/**
 * Setting:
 * @share: share of repair, in 1/1000
 * @level: level of the receiver
 * @delay: repair-delay, 0 for the default
 */
typedef struct
{
  guint share;
  guint level;
  LmccTime delay;
} Setting;

static const Layers all_layers[] = {
  { "2: classes", keep_classes, 1, 2, { 0, 1 } },
  { "9: qualities", make_qualities, 1, 4, { 0, 2, 5, 8 } },
  { "6: encodings", make_rungs, QUALITIES, 4, { 0, 1, 3, 5 } },
};

/**
 * Sum:
 * @with_loss: results with losses
 * @lossless: results without losses
 *
 * Sums over several seeds.
 */
typedef struct
{
  TestRepairResult with_loss;
  TestRepairResult lossless;
} Sum;

static void
add_result (TestRepairResult *sum, const TestRepairResult *result)
{
  guint i;

  sum->n_decodable += result->n_decodable;
  sum->n_best += result->n_best;
  sum->media_bytes += result->media_bytes;
  sum->repair_bytes += result->repair_bytes;
  sum->n_blocks += result->n_blocks;
  sum->n_source += result->n_source;
  sum->n_repair += result->n_repair;
  for (i = 0; i < LMCC_MAX_CLASSES; i++) {
    sum->classes[i].lost += result->classes[i].lost;
    sum->classes[i].recovered += result->classes[i].recovered;
    sum->classes[i].repaired += result->classes[i].repaired;
  }
}

static void
run (const Layers *layers, const Path *path, const Setting *setting,
    guint n_seeds, Sum *sum)
{
  RepairRow row = { 0, REPAIR_CLIP_GROUP, path->loss, path->burst,
    setting->share };
  g_autoptr (GArray) pictures = NULL;
  TestRepairResult result;
  TestRepairConfig config;
  guint i;

  *sum = (Sum){ 0 };
  repair_clip_fill_config (&row, &config);
  config.pictures = pictures = layers->make (config.pictures);
  config.n_rungs = layers->n_rungs;
  config.level = setting->level;
  config.block = setting->delay;
  config.latency = LMCC_DEFAULT_LATENCY;
  config.expected = LMCC_DEFAULT_REPAIR_LOSS;
  for (i = 0; i < n_seeds; i++) {
    config.seed = REPAIR_ROW_SEED + i;
    config.loss = 0.0;
    test_repair_run (&config, &result);
    add_result (&sum->lossless, &result);
    config.loss = path->loss;
    test_repair_run (&config, &result);
    add_result (&sum->with_loss, &result);
  }
}

static gdouble
get_damaged (const Sum *sum)
{
  return 1
      - repair_divide (sum->with_loss.n_decodable, sum->lossless.n_decodable);
}

static gdouble
get_worse (const Sum *sum)
{
  return 1 - repair_divide (sum->with_loss.n_best, sum->lossless.n_best);
}

static void
put_counts (GString *text, const TestRepairResult *result)
{
  TestRepairCount count = { 0 };
  guint i;

  for (i = 0; i < LMCC_MAX_CLASSES; i++) {
    count.lost += result->classes[i].lost;
    count.recovered += result->classes[i].recovered;
    count.repaired += result->classes[i].repaired;
  }
  g_string_append_printf (text, " %.1f | %.1f | %.1f | %u | %u | %u |\n",
      100 * repair_result_get_sent (result),
      repair_divide (result->n_source, result->n_blocks),
      repair_divide (result->n_repair, result->n_blocks), count.lost,
      count.recovered, count.repaired);
}

static void
put_required (GString *text, const Path *path, const Sum *sum)
{
  g_string_append_printf (text, " %.1f%s |", 100 * path->allowed,
      get_damaged (sum) > TOLERANCE * path->allowed ? " **missed**" : "");
}

static void
put_row (GString *text, const Layers *layers, const Path *path, guint level)
{
  const Setting none = { 0, level, 0 }, some = { SHARE, level, 0 };
  Sum without, with;

  run (layers, path, &none, SEEDS, &without);
  run (layers, path, &some, SEEDS, &with);
  g_string_append_printf (text, "| %s | %.0f | %.0f | %u | %.2f | %.2f |",
      layers->name, 100 * path->loss, path->burst, level,
      100 * get_damaged (&without), 100 * get_damaged (&with));
  if (level == 0)
    put_required (text, path, &with);
  else
    g_string_append (text, " |");
  g_string_append_printf (text, " %.2f |", 100 * get_worse (&with));
  put_counts (text, &with.with_loss);
}

/**
 * repair_native_add_table:
 * @text: a page
 *
 * Adds the damage at levels of native layers, without and with repair.
 */
void
repair_native_add_table (GString *text)
{
  guint i, k, l;

  g_string_append (text,
      "| layers | loss, % | in a row | level | damaged without repair, % "
      "| damaged, % | required | best missing, % | sent, % | k | r | lost "
      "| recoverable | recovered |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
      "\n");
  for (i = 0; i < G_N_ELEMENTS (all_layers); i++) {
    for (k = 0; k < G_N_ELEMENTS (paths); k++) {
      for (l = 0; l < all_layers[i].n_levels; l++)
        put_row (text, &all_layers[i], &paths[k], all_layers[i].levels[l]);
    }
  }
}

/**
 * repair_native_add_delays:
 * @text: a page
 *
 * Adds the effect of more latency on the base layer with bursts of losses.
 */
void
repair_native_add_delays (GString *text)
{
  static const guint delays[] = { 250, 500, 1000, 2000 };
  guint i, k, d;

  g_string_append (text,
      "| layers | loss, % | in a row | repair-delay, ms | more latency, ms "
      "| damaged, % | required | sent, % | k | r | lost | recoverable "
      "| recovered |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (i = 0; i < G_N_ELEMENTS (all_layers); i++) {
    for (k = ROWS_FROM; k < G_N_ELEMENTS (paths); k += 2) {
      for (d = 0; d < G_N_ELEMENTS (delays); d++) {
        const Setting setting = { SHARE, 0, delays[d] * LMCC_MSECOND };
        Sum sum;

        run (&all_layers[i], &paths[k], &setting, SEEDS, &sum);
        g_string_append_printf (text, "| %s | %.0f | %.0f | %u | %u | %.2f |",
            all_layers[i].name, 100 * paths[k].loss, paths[k].burst, delays[d],
            2 * delays[d], 100 * get_damaged (&sum));
        put_required (text, &paths[k], &sum);
        put_counts (text, &sum.with_loss);
      }
    }
  }
}

/**
 * repair_native_add_required:
 * @text: a page
 *
 * Adds the requirements: at 2 % of single losses, the damage of the base layer
 * is within its limit.
 *
 * Returns: number of missed requirements
 */
guint
repair_native_add_required (GString *text)
{
  const Setting setting = { SHARE, 0, 0 };
  const Path *path = &paths[1];
  guint n_missed = 0, i;

  g_string_append_printf (text,
      "\nFor [the clip in native layers](#the-clip-in-native-layers), with "
      "%.0f %% of repair data at most %.1f %% of the base layer's "
      "pictures may be damaged at %.0f %% loss, with a tolerance of 30 "
      "%%:",
      SHARE / 10.0, 100 * path->allowed, 100 * path->loss);
  for (i = 0; i < G_N_ELEMENTS (all_layers); i++) {
    gboolean passed;
    Sum sum;

    run (&all_layers[i], path, &setting, 1, &sum);
    passed = sum.lossless.n_decodable > 0
        && get_damaged (&sum) <= TOLERANCE * path->allowed;
    n_missed += !passed;
    g_string_append_printf (text, "%s %.2f%s", i > 0 ? "," : "",
        100 * get_damaged (&sum), passed ? "" : " **missed**");
  }
  g_string_append (text, " %.\n");

  return n_missed;
}
