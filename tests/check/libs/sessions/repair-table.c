/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What repair is worth: the share of the base's pictures that come whole from
 * the real sender to the real receiver, over a path that loses packets.
 */
#include "support/test-clip.h"
#include "support/test-fec.h"
#include "support/test-options.h"

#include <gst/lmcc/wire/rtp.h>

#include <string.h>

#define PAYLOAD                                                             \
  (TEST_REPAIR_PACKET_SIZE - TEST_REPAIR_IP_OVERHEAD - LMCC_RTP_HEADER_SIZE \
      - LMCC_RTP_OVERHEAD)
#define SEED 20040101

/* Of the media of a window the key frame takes this part, and so many pictures
 * refer to it: 25 a second with two B pictures in three, which layers above the
 * base carry. */
#define KEY_PART 4
#define OTHERS_PER_SECOND 7

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

/* The clip's pictures go into these layers. */
#define CLIP "pipelines/big-buck-bunny.mp4"
#define CLIP_LAYERS        \
  {                        \
    800000, 400000, 600000 \
  }
#define CLIP_LEVELS 3
#define CLIP_GROUP (2 * LMCC_SECOND)

/**
 * Row:
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
} Row;

typedef void (*RunRow) (const Row *row, TestRepairResult *result);

static GArray *clip;
static LmccTime clip_period;

/* A second of x264 with seven B pictures and a pyramid, 0.9 Mbit/s, in layers
 * that double: the key frame is larger than what any of the lower ones has. */
#define PYRAMID_LAYERS 5
#define PYRAMID_RATES                       \
  {                                         \
    150000, 150000, 300000, 600000, 1200000 \
  }
#define PYRAMID_PERIOD LMCC_SECOND
#define PYRAMID_PICTURES 24
#define PYRAMID_GROUP 8

static const guint pyramid_bytes[] = { 9000, 5500, 1800 };

#define PYRAMID_KEY_BYTES 33000

/* As many packets as the base has room for beside its repair and control
 * packets, in a key frame and pictures of the same size. */
static GArray *
make_pictures (const Row *row)
{
  gdouble room = row->rate * ((gdouble) row->group / LMCC_SECOND)
      / (8.0 * TEST_REPAIR_PACKET_SIZE);
  gdouble repair = room * row->repair / (1000 + row->repair);
  guint n = MAX ((guint) (0.93 * (room - (guint) (repair + 0.5))), 2);
  guint key = MAX (n / KEY_PART, 1);
  guint n_others =
      MAX ((guint) (OTHERS_PER_SECOND * row->group / LMCC_SECOND), 1);
  guint packets = MAX ((n - key) / n_others, 1);

  n_others = MIN (n_others, (n - key) / packets);

  return test_repair_model (n - n_others * packets, n_others, packets,
      row->group, PAYLOAD);
}

static void
fill_config (const Row *row, TestRepairConfig *config)
{
  memset (config, 0, sizeof (*config));
  config->group = row->group;
  config->payload = PAYLOAD;
  config->repair = row->repair;
  config->loss = row->loss;
  config->burst = row->burst;
  /* As many groups of each length, if they are not short. */
  config->seconds =
      (guint) (seconds * MAX (row->group, LMCC_SECOND) / LMCC_SECOND);
  config->seed = SEED;
}

static void
run_row (const Row *row, TestRepairResult *result)
{
  g_autoptr (GArray) pictures = make_pictures (row);
  TestRepairConfig config;

  fill_config (row, &config);
  config.n_layers = row->native ? 0 : 1;
  config.rates[0] = row->rate;
  config.pictures = pictures;
  config.period = row->group;
  if (row->native)
    config.block = row->block;
  test_repair_run (&config, result);
}

/* In decoding order: each P picture before the B picture in the middle, and
 * this before the others. */
static GArray *
make_pyramid (void)
{
  GArray *pictures = g_array_new (FALSE, FALSE, sizeof (TestRepairPicture));
  guint i;

  for (i = 0; i < PYRAMID_PICTURES; i++) {
    guint at = i == 0 ? 0 : (i - 1) % PYRAMID_GROUP;
    guint8 klass = (guint8) MIN (at, 2);
    TestRepairPicture picture = { i == 0 ? PYRAMID_KEY_BYTES
                                         : pyramid_bytes[klass],
      klass, i == 0 || klass > 0, PYRAMID_PERIOD * i / PYRAMID_PICTURES };

    g_array_append_val (pictures, picture);
  }

  return pictures;
}

static void
run_pyramid (const Row *row, guint level, TestRepairResult *result)
{
  g_autoptr (GArray) pictures = make_pyramid ();
  const guint64 rates[] = PYRAMID_RATES;
  TestRepairConfig config;

  fill_config (row, &config);
  config.n_layers = PYRAMID_LAYERS;
  memcpy (config.rates, rates, sizeof (rates));
  config.pictures = pictures;
  config.period = PYRAMID_PERIOD;
  config.level = level;
  test_repair_run (&config, result);
}

/* The pictures of the clip that come with level @level. */
static void
run_clip (const Row *row, guint level, TestRepairResult *result)
{
  const guint64 rates[] = CLIP_LAYERS;
  TestRepairConfig config;

  fill_config (row, &config);
  config.n_layers = G_N_ELEMENTS (rates);
  memcpy (config.rates, rates, sizeof (rates));
  config.pictures = clip;
  config.period = clip_period;
  config.level = level;
  test_repair_run (&config, result);
}

static void
run_whole_clip (const Row *row, TestRepairResult *result)
{
  run_clip (row, CLIP_LEVELS - 1, result);
}

static gdouble
share (guint64 part, guint64 all)
{
  return all > 0 ? (gdouble) part / (gdouble) all : 0.0;
}

static gdouble
get_whole (const TestRepairResult *result)
{
  return share (result->n_whole, result->n_pictures);
}

static void
put_result (GString *text, const TestRepairResult *result)
{
  g_string_append_printf (text, " %.1f | %.1f | %.1f | %.1f | %.2f | %.2f |",
      share (result->n_source, result->n_blocks),
      share (result->n_repair, result->n_blocks),
      100 * share (result->padding, result->padding + result->source_bytes),
      100 * share (result->repair_bytes, result->media_bytes),
      100 * get_whole (result),
      100 * share (result->n_decodable, result->n_pictures));
}

#define RESULT_HEAD " k | r | padding, % | sent, % | whole, % | decodable, % |"
#define RESULT_RULE "---:|---:|---:|---:|---:|---:|"

static void
put_row (GString *text, const Row *row, const TestRepairResult *result)
{
  gboolean tenths = row->group % (LMCC_SECOND / 10) == 0;

  g_string_append_printf (text, "| %.0f | %.*f | %.1f | %.0f | %.0f |",
      row->rate / 1e3, tenths ? 1 : 2, (gdouble) row->group / LMCC_SECOND,
      100 * row->loss, row->burst, row->repair / 10.0);
  put_result (text, result);
}

#define ROW_HEAD                                     \
  "| base, kbit/s | group, s | loss, % | in a row |" \
  " repair, % |" RESULT_HEAD
#define ROW_RULE "|---:|---:|---:|---:|---:|" RESULT_RULE

/* The rows that have to be. */
static const Row required_rows[] = {
  { 300000, LMCC_SECOND, 0.02, 1, 100, 0.995 },
  { 300000, LMCC_SECOND, 0.10, 1, 300, 0.99 },
};

/* Layers that double have to be as good as a base at the usual share. */
static guint
add_required_pyramid (GString *text)
{
  Row row = { 0, PYRAMID_PERIOD, 0.02, 1, 100, 0.995 };
  TestRepairResult result;
  gboolean passed;

  run_pyramid (&row, PYRAMID_LAYERS - 1, &result);
  passed = result.n_pictures > 0 && result.n_dropped == 0
      && get_whole (&result) >= row.required;
  g_string_append_printf (text,
      "\nIn [layers that double](#layers-that-"
      "double), with %.0f %% of repair, at least %.1f %% of the pictures have "
      "to be whole at\n%.0f %% loss: %.2f %%%s.\n",
      row.repair / 10.0, 100 * row.required, 100 * row.loss,
      100 * get_whole (&result), passed ? "" : " **missed**");

  return !passed;
}

static guint
add_required (GString *text)
{
  guint n_missed = 0, i;

  g_string_append (text, ROW_HEAD " required |\n" ROW_RULE "---:|\n");
  for (i = 0; i < G_N_ELEMENTS (required_rows); i++) {
    const Row *row = &required_rows[i];
    TestRepairResult result;
    gboolean passed;

    run_row (row, &result);
    passed = result.n_pictures > 0 && result.n_dropped == 0
        && get_whole (&result) >= row->required;
    n_missed += !passed;
    put_row (text, row, &result);
    g_string_append_printf (text, " %.1f%s |\n", 100 * row->required,
        passed ? "" : " **missed**");
  }

  return n_missed + add_required_pyramid (text);
}

static void
add_rows (GString *text, const Row *rows, guint n)
{
  guint i;

  g_string_append (text, ROW_HEAD "\n" ROW_RULE "\n");
  for (i = 0; i < n; i++) {
    TestRepairResult result;

    run_row (&rows[i], &result);
    put_row (text, &rows[i], &result);
    g_string_append (text, "\n");
  }
}

/* The smallest share, in steps of 1 %, that makes enough pictures whole; 0 if
 * more than the media is not enough. */
static guint
find_share (Row row, gdouble required, RunRow run, TestRepairResult *result)
{
  guint low = 0, high = 128;

  while (low + 1 < high) {
    row.repair = 10 * ((low + high) / 2);
    run (&row, result);
    if (get_whole (result) >= required)
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
put_share (GString *text, const Row *row, RunRow run)
{
  TestRepairResult result;

  if (find_share (*row, row->required, run, &result) == 0)
    g_string_append (text, " none |");
  else
    g_string_append_printf (text, " %.0f, %.1f, %.0f %% |",
        share (result.n_source, result.n_blocks),
        share (result.n_repair, result.n_blocks),
        100 * share (result.repair_bytes, result.media_bytes));
}

/* What the least shares are looked for with. */
static const Row least_paths[] = {
  { 0, 0, 0.02, 1, 0, 0.995 },
  { 0, 0, 0.10, 1, 0, 0.99 },
};

#define LEAST_HEAD                     \
  " k, r and sent for 99.5 % at 2 % |" \
  " k, r and sent for 99 % at 10 % |"

static void
add_small_blocks (GString *text)
{
  static const guint64 rates[] = { 100000, 300000, 1000000 };
  static const LmccTime groups[] = { LMCC_SECOND / 2, LMCC_SECOND,
    2 * LMCC_SECOND, 4 * LMCC_SECOND };
  guint i, k, m;

  g_string_append (text,
      "| base, kbit/s | group, s |" LEAST_HEAD "\n|---:|---:|---|---|\n");
  for (i = 0; i < G_N_ELEMENTS (rates); i++) {
    for (k = 0; k < G_N_ELEMENTS (groups); k++) {
      g_string_append_printf (text, "| %.0f | %.1f |", rates[i] / 1e3,
          (gdouble) groups[k] / LMCC_SECOND);
      for (m = 0; m < G_N_ELEMENTS (least_paths); m++) {
        Row row = least_paths[m];

        row.rate = rates[i];
        row.group = groups[k];
        put_share (text, &row, run_row);
      }
      g_string_append (text, "\n");
    }
  }
}

static void
add_clip (GString *text)
{
  static const gdouble losses[] = { 0.005, 0.02, 0.10 };
  static const guint shares[] = { 0, 100, 300 };
  guint i, k, level;

  g_string_append (text,
      "| loss, % | repair, % | level |" RESULT_HEAD
      " no place |\n|---:|---:|---:|" RESULT_RULE "---:|\n");
  for (i = 0; i < G_N_ELEMENTS (losses); i++) {
    for (k = 0; k < G_N_ELEMENTS (shares); k++) {
      for (level = 0; level < CLIP_LEVELS; level += 2) {
        Row row = { 0, CLIP_GROUP, losses[i], 1, shares[k] };
        TestRepairResult result;

        run_clip (&row, level, &result);
        g_string_append_printf (text, "| %.1f | %.0f | %u |", 100 * losses[i],
            shares[k] / 10.0, level);
        put_result (text, &result);
        g_string_append_printf (text, " %.1f |\n",
            (gdouble) result.n_dropped * clip_period / LMCC_SECOND
                / (2 * seconds + 32));
      }
    }
  }
}

/* The least shares for all of the clip. */
static void
add_clip_shares (GString *text)
{
  guint m;

  g_string_append (text,
      "\nThe least share that does the same for level 2 as "
      "[above](#what-small-blocks-cost):\n\n|" LEAST_HEAD "\n|---|---|\n|");
  for (m = 0; m < G_N_ELEMENTS (least_paths); m++) {
    Row row = least_paths[m];

    row.group = CLIP_GROUP;
    put_share (text, &row, run_whole_clip);
  }
  g_string_append (text, "\n");
}

static gdouble
get_recovered (const TestRepairCount *counts, guint n)
{
  guint lost = 0, recovered = 0, i;

  for (i = 0; i < n; i++) {
    lost += counts[i].lost;
    recovered += counts[i].recovered;
  }

  return share (recovered, lost);
}

/* What a receiver of all layers has. */
static void
add_pyramid (GString *text)
{
  static const guint shares[] = { 0, 50, 100, 200 };
  guint i, k;

  g_string_append (text, "| repair, % | sent, % |");
  for (i = 0; i < PYRAMID_LAYERS; i++)
    g_string_append_printf (text, " layer %u |", i);
  g_string_append (text,
      " all | whole, % | decodable, % | no place, % |\n"
      "|---:|---:|");
  for (i = 0; i < PYRAMID_LAYERS; i++)
    g_string_append (text, "---:|");
  g_string_append (text, "---:|---:|---:|---:|\n");
  for (i = 0; i < G_N_ELEMENTS (shares); i++) {
    Row row = { 0, PYRAMID_PERIOD, 0.02, 1, shares[i] };
    TestRepairResult result;

    run_pyramid (&row, PYRAMID_LAYERS - 1, &result);
    g_string_append_printf (text, "| %.0f | %.1f |", shares[i] / 10.0,
        100 * share (result.repair_bytes, result.media_bytes));
    for (k = 0; k < PYRAMID_LAYERS; k++)
      g_string_append_printf (text,
          result.layers[k].sent == 0 ? " - |" : " %.1f |",
          100 * get_recovered (&result.layers[k], 1));
    g_string_append_printf (text, " %.1f | %.2f | %.2f | %.1f |\n",
        100 * get_recovered (result.layers, PYRAMID_LAYERS),
        100 * get_whole (&result),
        100 * share (result.n_decodable, result.n_pictures),
        100 * (gdouble) result.n_dropped / ((seconds + 32) * PYRAMID_PICTURES));
  }
}

/* The paths of the comparison. */
static const Row compared_rows[] = {
  { 300000, LMCC_SECOND, 0.02, 1, 100 },
  { 300000, LMCC_SECOND, 0.10, 1, 300 },
  { 300000, LMCC_SECOND, 0.02, 4, 300 },
};

static void
put_compared (GString *text, const gchar *pictures, const Row *row,
    const gchar *with, const TestRepairResult *result)
{
  g_string_append_printf (text,
      "| %s | %.1f | %.0f | %s | %.1f | %.2f | %.2f |"
      "\n",
      pictures, 100 * row->loss, row->burst, with,
      100 * share (result->repair_bytes, result->media_bytes),
      100 * get_whole (result),
      100 * share (result->n_decodable, result->n_pictures));
}

/* What GStreamer's do with as much as @ours was. */
static void
compare (GString *text, const gchar *pictures, const Row *row,
    const TestRepairConfig *config, const TestRepairResult *ours)
{
  gdouble overhead = share (ours->n_repair, ours->n_source);
  guint block = (guint) share (ours->n_source, ours->n_blocks);
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
    put_compared (text, pictures, row, name, &result);
  }
}

static void
add_compared_model (GString *text, const Row *row)
{
  g_autoptr (GArray) pictures = make_pictures (row);
  g_autofree gchar *ours =
      g_strdup_printf ("lmccsink, repair=%.1f", row->repair / 1e3);
  TestRepairConfig config;
  TestRepairResult result;
  Row without = *row;

  without.repair = 0;
  run_row (&without, &result);
  put_compared (text, "model", row, "nothing", &result);
  run_row (row, &result);
  put_compared (text, "model", row, ours, &result);
  fill_config (row, &config);
  config.pictures = pictures;
  config.period = row->group;
  compare (text, "model", row, &config, &result);
}

static void
add_compared_clip (GString *text, gdouble loss)
{
  Row row = { 0, CLIP_GROUP, loss, 1, 0 };
  TestRepairConfig config;
  TestRepairResult result;

  run_clip (&row, 2, &result);
  put_compared (text, "clip", &row, "nothing", &result);
  row.repair = 100;
  run_clip (&row, 2, &result);
  put_compared (text, "clip", &row, "lmccsink, repair=0.1", &result);
  fill_config (&row, &config);
  config.pictures = clip;
  config.period = clip_period;
  compare (text, "clip", &row, &config, &result);
}

static void
add_compared (GString *text)
{
  guint i;

  g_string_append (text,
      "| pictures | loss, % | in a row | with | sent, % |"
      " whole, % | decodable, % |\n|---|---:|---:|---|---:|---:|---:|\n");
  for (i = 0; i < G_N_ELEMENTS (compared_rows); i++)
    add_compared_model (text, &compared_rows[i]);
  if (clip->len == 0)
    return;
  add_compared_clip (text, 0.005);
  add_compared_clip (text, 0.02);
  add_compared_clip (text, 0.10);
}

static const Row burst_rows[] = {
  { 300000, LMCC_SECOND, 0.02, 1, 100 },
  { 300000, LMCC_SECOND, 0.02, 2, 100 },
  { 300000, LMCC_SECOND, 0.02, 4, 100 },
  { 300000, LMCC_SECOND, 0.02, 4, 300 },
  { 300000, 2 * LMCC_SECOND, 0.02, 4, 100 },
  { 300000, 4 * LMCC_SECOND, 0.02, 4, 100 },
};

/* The distances of key frames of lmccsink's latency profiles for raw video. */
static const Row profile_rows[] = {
  { 128000, 250 * LMCC_MSECOND, 0.02, 1, 100 },
  { 128000, 460 * LMCC_MSECOND, 0.02, 1, 100 },
  { 128000, 2 * LMCC_SECOND, 0.02, 1, 100 },
  { 300000, 250 * LMCC_MSECOND, 0.02, 1, 100 },
  { 300000, 460 * LMCC_MSECOND, 0.02, 1, 100 },
  { 300000, 2 * LMCC_SECOND, 0.02, 1, 100 },
  { 1000000, 250 * LMCC_MSECOND, 0.02, 1, 100 },
  { 1000000, 460 * LMCC_MSECOND, 0.02, 1, 100 },
  { 1000000, 2 * LMCC_SECOND, 0.02, 1, 100 },
};

static void
add_native (GString *text)
{
  static const gdouble losses[] = { 0.01, 0.02 };
  static const LmccTime blocks[] = { 0, 250 * LMCC_MSECOND, 400 * LMCC_MSECOND,
    500 * LMCC_MSECOND, LMCC_SECOND };
  guint i, k;

  g_string_append (text,
      "| loss, % | repair, % | repair-delay, ms |"
      " more latency, ms |" RESULT_HEAD "\n|---:|---:|---:|---:|" RESULT_RULE
      "\n");
  for (i = 0; i < G_N_ELEMENTS (losses); i++) {
    for (k = 0; k < G_N_ELEMENTS (blocks); k++) {
      Row row = { 300000, LMCC_SECOND, losses[i], 1, blocks[k] > 0 ? 100 : 0, 0,
        TRUE, blocks[k] };
      TestRepairResult result;
      guint delay = (guint) (blocks[k] / LMCC_MSECOND);

      run_row (&row, &result);
      g_string_append_printf (text, "| %.0f | %.0f | %u | %u |",
          100 * losses[i], row.repair / 10.0, delay, 2 * delay);
      put_result (text, &result);
      g_string_append (text, "\n");
    }
  }
}

static const Row loss_rows[] = {
  { 300000, LMCC_SECOND, 0.005, 1, 0 },
  { 300000, LMCC_SECOND, 0.005, 1, 100 },
  { 300000, LMCC_SECOND, 0.01, 1, 0 },
  { 300000, LMCC_SECOND, 0.01, 1, 100 },
  { 300000, LMCC_SECOND, 0.02, 1, 0 },
  { 300000, LMCC_SECOND, 0.03, 1, 0 },
  { 300000, LMCC_SECOND, 0.03, 1, 100 },
  { 300000, LMCC_SECOND, 0.03, 1, 200 },
  { 300000, LMCC_SECOND, 0.10, 1, 0 },
  { 300000, LMCC_SECOND, 0.10, 1, 100 },
};

/* Of the base that is in the other tables. */
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
      Row row = { 300000, LMCC_SECOND, losses[k], 1, shares[i] };
      TestRepairResult result;

      run_row (&row, &result);
      g_string_append_printf (text, "%g,%g,%g,%g,%g\n", shares[i] / 1e3,
          losses[k], share (result.repair_bytes, result.media_bytes),
          get_whole (&result), share (result.n_decodable, result.n_pictures));
    }
  }

  return g_file_set_contents (curves, text->str, -1, error);
}

/* What a receiver of all of the layers that double misses of each class, and
 * what it would with the best code. */
static gboolean
write_classes (GError **error)
{
  static const gdouble losses[] = { 0.005, 0.01, 0.02, 0.03, 0.05, 0.1 };
  g_autoptr (GString) text = g_string_new ("class,loss,measured,bound\n");
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (losses); i++) {
    Row row = { 0, PYRAMID_PERIOD, losses[i], 1, 100 };
    TestRepairResult result;

    run_pyramid (&row, PYRAMID_LAYERS - 1, &result);
    for (k = 0; k < G_N_ELEMENTS (pyramid_bytes); k++) {
      const TestRepairCount *count = &result.classes[k];

      g_string_append_printf (text, "%u,%g,%g,%g\n", k, losses[i],
          share (count->lost - MIN (count->repaired, count->lost), count->sent),
          share (count->lost - count->recovered, count->sent));
    }
  }

  return g_file_set_contents (classes, text->str, -1, error);
}

static gchar *
make_page (const gchar *required)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text,
      "# What repair data is worth\n\n"
      "The real sender and a real receiver in virtual time, over a path that "
      "loses packets: %d s for each row, or as many\n"
      "groups, if they are longer; seed %u. `build/tests/check/repair-table "
      "--full --seconds %d --markdown docs/repair.md` writes\nthis page.\n\n"
      "Packets have %u bytes. A group is a key frame and the pictures that "
      "refer to it, %u a second: what a base layer has.\n"
      "*k* and *r* are source and repair packets of a block, on average; "
      "*padding* is what makes source packets as long as the\n"
      "block's longest; *sent* is repair data over media, with all headers, as "
      "measured: it comes in whole packets, and the rest\n"
      "of a fixed rate goes into it too. *Whole* are pictures of which all "
      "packets came or were repaired, *decodable* those\n"
      "with all that they refer to.\n\n"
      "## What has to be\n\n%s\n## With and without\n\n",
      seconds, SEED, seconds, TEST_REPAIR_PACKET_SIZE, OTHERS_PER_SECOND,
      required);
  g_string_append (text,
      "![Share of whole pictures over loss](images/"
      "repair-pictures.png)\n\n"
      "*The shares of no repair, 10, 20 and 30 %. Made by "
      "`tests/plots/repair-pictures.py build/tests/check/repair-table\n"
      "docs/images/repair-pictures.png`.*\n\n");
  add_rows (text, loss_rows, G_N_ELEMENTS (loss_rows));
  g_string_append (text,
      "\n## Beside GStreamer's\n\n"
      "The same pictures in one RTP stream, with as many repair packets as "
      "ours, over a path of the same seed. rtpulpfecenc\n"
      "(RFC 5109) protects each picture by itself, and rtpulpfecdec gets what "
      "is lost to know a group later. rtpst2022-1-fecenc\n"
      "(SMPTE 2022-1) has a matrix of about as many packets as our blocks, "
      "with rows only where columns alone cannot be so many.\n\n");
  add_compared (text);
  g_string_append (text,
      "\n## Beside TCP\n\n"
      "A receiver and a TCP connection on a link of 4 Mbit/s that loses "
      "packets, layers of 300, 300, 600 and 1200 kbit/s with\n"
      "and without repair in them: the total rate is the same. *Its share* and "
      "*TCP's share* are of half the link. *Whole* is of\n"
      "the pictures of which all packets were sent to groups that it was in. "
      "*Spoiled* repair is sent, but of no use: its level\n"
      "has the same course as with repair.\n"
      "`build/tests/check/repair-beside-tcp --markdown docs/repair.md` writes "
      "this table.\n\n"
      "<!-- repair-beside-tcp begins -->\n<!-- repair-beside-tcp ends -->\n"
      "\n## What small blocks cost\n\n"
      "The least share that makes 99.5 % of the pictures whole at 2 % loss, "
      "and 99 % at 10 %. The fewer packets share repair\n"
      "packets, the more of them it takes.\n\n");
  add_small_blocks (text);
  g_string_append (text,
      "\n## Layers that double\n\n"
      "A second of x264 with seven B pictures and a pyramid, 0.9 Mbit/s, in "
      "layers of 150, 150, 300, 600 and 1200 kbit/s, at 2 %\n"
      "loss; a receiver of all. The key frame is larger than what the base "
      "has, so that it is cut over layers 1 and 2. Of what each\n"
      "layer loses so much comes back, in %:\n\n");
  add_pyramid (text);
  g_string_append (text,
      "\n## Losses in a row\n\n"
      "A longer block helps: a burst takes a smaller part of it.\n\n");
  add_rows (text, burst_rows, G_N_ELEMENTS (burst_rows));
  g_string_append (text,
      "\n## Latency profiles\n\n"
      "Groups as lmccsink makes them of raw video with `latency-profile` "
      "`live`, `balanced` and `quality`. The shorter the group, the\n"
      "fewer packets share repair packets, and the fewer pictures a lost one "
      "takes along.\n\n");
  add_rows (text, profile_rows, G_N_ELEMENTS (profile_rows));
  g_string_append (text,
      "\n## Native layers\n\n"
      "A base of 300 kbit/s with groups of 1 s. A block is collected for "
      "`repair-delay`, and its repair data follows within as\n"
      "long again: twice that is added to everybody's latency.\n\n");
  add_native (text);
  if (clip->len > 0) {
    g_string_append (text,
        "\n## A real clip\n\n"
        "`" CLIP "` as it was encoded, 0.8 Mbit/s with groups of 2 s and two "
        "classes, in layers of 800, 400\n"
        "and 600 kbit/s. Level 0 is the base alone, level 2 all of it. *No "
        "place*: pictures for which 20 s of the clip have no\n"
        "room. Without a share the layers have no repair packets at all.\n\n");
    add_clip (text);
    add_clip_shares (text);
  }

  return g_string_free (text, FALSE);
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
  n_missed = add_required (required);
  if (full) {
    clip = test_clip_read (CLIP, &clip_period);
    page = make_page (required->str);
    g_array_unref (clip);
  }
  g_print ("%s", full ? page : required->str);
  if (full && markdown != NULL
      && !g_file_set_contents (markdown, page, -1, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }

  return all_must_pass && n_missed > 0 ? 1 : 0;
}
