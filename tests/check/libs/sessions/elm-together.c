/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures whether eight receivers behind one link reach a common level: one
 * row for each capacity, kind of start and leave latency, over many seeds.
 * Levels are cumulative, R_i = 128 kbit/s * 2^i.
 */
#include "support/test-jobs.h"
#include "support/test-net.h"
#include "support/test-options.h"
#include "support/test-page.h"
#include "support/test-settings.h"

#include <stdlib.h>

#define SKIPPED 77
#define N_RECEIVERS 8
#define N_LAYERS 8
#define BASE_RATE 128e3
#define RTT (60 * LMCC_MSECOND)
#define QUEUE_BDP 2
#define SAMPLE (100 * LMCC_MSECOND)

/* Since the last start. */
#define SETTLING (90 * LMCC_SECOND)

/* Receivers that do not start together start at random times within this
 * interval. */
#define LEAST_GAP 1.0 /* s */
#define MOST_GAP 7.0  /* s */

/* For --check with LMCC_TEST_LONG. */
#define LONG_SEEDS 20

/* A seed is good if all receivers are at one level for this share of the
 * time. */
#define GOOD_SHARE 0.9

typedef struct
{
  gdouble capacity; /* bit/s */
  guint leave_ms;
  gboolean staggered;
} Case;

/* Results of one seed. */
typedef struct
{
  const Case *row;
  guint32 seed;

  gdouble together; /* share of the time with all receivers at one level */
  gdouble level;    /* mean level */
  gdouble used;     /* share of the link */
  gdouble worst;    /* relative to the capacity */
  gdouble changes;  /* changes per minute and receiver */
  gdouble loss;
} Run;

typedef struct
{
  guint64 bytes;
  guint64 offered;
  guint64 missed;
  guint changes;
} Mark;

static const gchar *algorithm = "elm";
static gint seconds = 210;
static gint seeds = 3;
static gint first_seed = 1;
static gint jobs = 2;
static gint train_ms = -1;
static gboolean full;
static gboolean each;
static gboolean log_changes;
static gboolean all_must_pass;
static gchar **settings_texts;
static gchar *markdown;
static gdouble only_mbps;
static gint only_leave = -1;

static const GOptionEntry options[] = {
  { "algorithm", 'a', 0, G_OPTION_ARG_STRING, &algorithm, "Algorithm", "NAME" },
  { "set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &settings_texts,
      "A setting of the algorithm; may be repeated", "NAME=VALUE" },
  { "full", 'f', 0, G_OPTION_ARG_NONE, &full, "All rows", NULL },
  { "capacity", 'c', 0, G_OPTION_ARG_DOUBLE, &only_mbps, "Only this capacity",
      "MBIT/S" },
  { "leave", 'l', 0, G_OPTION_ARG_INT, &only_leave, "Only this leave latency",
      "MS" },
  { "trains", 'r', 0, G_OPTION_ARG_INT, &train_ms,
      "Interval of packet trains; 0: none (default: the algorithm's)", "MS" },
  { "seeds", 'n', 0, G_OPTION_ARG_INT, &seeds, "Seeds of each row", "N" },
  { "first-seed", 'b', 0, G_OPTION_ARG_INT, &first_seed, "The first seed",
      "N" },
  { "seconds", 't', 0, G_OPTION_ARG_INT, &seconds,
      "Length of the judged part of a run", "S" },
  { "jobs", 'j', 0, G_OPTION_ARG_INT, &jobs, "Number of processes", "N" },
  { "each", 'e', 0, G_OPTION_ARG_NONE, &each, "Also print a line for each seed",
      NULL },
  { "log", 'v', 0, G_OPTION_ARG_NONE, &log_changes,
      "Print each level change and its reason", NULL },
  { "markdown", 'm', 0, G_OPTION_ARG_FILENAME, &markdown,
      "Write the table into this page", "FILE" },
  { "check", 0, 0, G_OPTION_ARG_NONE, &all_must_pass,
      "Fail unless all rows meet their requirements", NULL },
  { NULL }
};

static const Case few_cases[] = {
  { 3e6, 0, FALSE },
  { 3e6, 3000, TRUE },
  { 6e6, 3000, FALSE },
  { 6e6, 0, TRUE },
  { 12e6, 2000, FALSE },
  { 12e6, 2000, TRUE },
};

static const Case cases[] = {
  { 3e6, 0, FALSE },
  { 3e6, 0, TRUE },
  { 3e6, 2000, FALSE },
  { 3e6, 2000, TRUE },
  { 3e6, 3000, FALSE },
  { 3e6, 3000, TRUE },
  { 6e6, 0, FALSE },
  { 6e6, 0, TRUE },
  { 6e6, 2000, FALSE },
  { 6e6, 2000, TRUE },
  { 6e6, 3000, FALSE },
  { 6e6, 3000, TRUE },
  { 12e6, 0, FALSE },
  { 12e6, 0, TRUE },
  { 12e6, 2000, FALSE },
  { 12e6, 2000, TRUE },
  { 12e6, 3000, FALSE },
  { 12e6, 3000, TRUE },
};

static TestNet *
make_net (const Run *run)
{
  TestNetConfig config = {
    .n_layers = N_LAYERS,
    .algorithm = algorithm,
    .leave_latency = run->row->leave_ms * LMCC_MSECOND,
    .shared = {
          .rate = (guint64) run->row->capacity,
          .delay = RTT / 2,
          .queue_bytes = (guint64) (QUEUE_BDP * run->row->capacity / 8 * RTT /
              LMCC_SECOND),
        },
    .train_cycle = test_net_train_cycle (train_ms),
    .seed = run->seed,
  };

  lmcc_rates_compute (LMCC_RATE_SCHEME_DOUBLING, BASE_RATE, 0, N_LAYERS,
      config.rates, NULL);

  return test_net_new (&config);
}

static void
start_receivers (TestNet *net, const Run *run)
{
  g_autoptr (LmccSettings) settings =
      test_settings_new (algorithm, settings_texts);
  g_autoptr (GRand) dice = g_rand_new_with_seed (run->seed);
  TestNetReceiverConfig receiver = { .settings = settings,
    .max_level = -1,
    .rtt_mode = LMCC_RTT_MODE_FEEDBACK };
  guint i;

  for (i = 0; i < N_RECEIVERS; i++) {
    test_net_add_receiver (net, &receiver);
    if (run->row->staggered && i + 1 < N_RECEIVERS)
      test_net_run (net,
          (LmccTime) (g_rand_double_range (dice, LEAST_GAP, MOST_GAP)
              * LMCC_SECOND));
  }
  test_net_run (net, SETTLING);
}

static void
mark (const TestNet *net, Mark marks[N_RECEIVERS])
{
  guint i;

  for (i = 0; i < N_RECEIVERS; i++) {
    const TestNetReceiver *from = &net->receivers[i];

    marks[i] =
        (Mark){ from->bytes, from->offered, from->missed, from->changes->len };
  }
}

static gboolean
sample_levels (const TestNet *net, gdouble *level)
{
  gboolean together = TRUE;
  guint i;

  for (i = 0; i < N_RECEIVERS; i++) {
    *level += net->receivers[i].level;
    together &= net->receivers[i].level == net->receivers[0].level;
  }

  return together;
}

static void
judge (const TestNet *net, Run *run, const Mark before[N_RECEIVERS],
    guint64 carried)
{
  guint64 worst = G_MAXUINT64, offered = 0, missed = 0;
  guint i, changes = 0;
  Mark after[N_RECEIVERS];

  mark (net, after);
  for (i = 0; i < N_RECEIVERS; i++) {
    worst = MIN (worst, after[i].bytes - before[i].bytes);
    offered += after[i].offered - before[i].offered;
    missed += after[i].missed - before[i].missed;
    changes += after[i].changes - before[i].changes;
  }
  run->worst = (gdouble) worst / (gdouble) MAX (carried, 1);
  run->used = (gdouble) carried * 8 / seconds / run->row->capacity;
  run->changes = changes * 60.0 / seconds / N_RECEIVERS;
  run->loss = (gdouble) missed / (gdouble) MAX (offered, 1);
}

static void
print_changes (const TestNet *net, const Run *run)
{
  guint i, j;

  for (i = 0; i < N_RECEIVERS; i++) {
    const GArray *changes = net->receivers[i].changes;

    for (j = 0; j < changes->len; j++) {
      const TestLevelChange *change =
          &g_array_index (changes, TestLevelChange, j);

      g_print ("seed %u, receiver %u at %.2f s: from %d to %d, %s\n", run->seed,
          i, (gdouble) (change->time - net->source.started) / LMCC_SECOND,
          change->from, change->to, change->reason);
    }
  }
}

static void
run_once (gpointer data)
{
  Run *run = data;
  g_autoptr (TestNet) net = make_net (run);
  Mark marks[N_RECEIVERS];
  guint64 carried;
  guint i, n = (guint) (seconds * LMCC_SECOND / SAMPLE);

  start_receivers (net, run);
  mark (net, marks);
  carried = net->shared.total.arrived_bytes;
  for (i = 0; i < n; i++) {
    test_net_run (net, SAMPLE);
    run->together += sample_levels (net, &run->level);
  }
  run->together /= n;
  run->level /= (gdouble) n * N_RECEIVERS;
  judge (net, run, marks, net->shared.total.arrived_bytes - carried);
  if (log_changes)
    print_changes (net, run);
}

static void
add_run (Run *sum, const Run *run)
{
  sum->together += run->together / seeds;
  sum->level += run->level / seeds;
  sum->used += run->used / seeds;
  sum->worst += run->worst / seeds;
  sum->changes += run->changes / seeds;
  sum->loss += run->loss / seeds;
}

static void
put_run (GString *text, const Run *run)
{
  g_string_append_printf (text, " %.0f | %.2f | %.0f | %.0f | %.1f | %.2f |\n",
      100 * run->together, run->level, 100 * run->used, 100 * run->worst,
      run->changes, 100 * run->loss);
}

static void
put_case (GString *text, const Run *runs, gboolean *passed)
{
  const Case *row = runs->row;
  Run sum = { .row = row };
  gint i, good = 0;

  for (i = 0; i < seeds; i++) {
    add_run (&sum, &runs[i]);
    good += runs[i].together >= GOOD_SHARE;
    if (each) {
      g_string_append_printf (text, "| | seed %u | | |", runs[i].seed);
      put_run (text, &runs[i]);
    }
  }
  g_string_append_printf (text, "| %g | %s | %g | %d of %d |",
      row->capacity / 1e6, row->staggered ? "apart" : "together",
      row->leave_ms / 1000.0, good, seeds);
  put_run (text, &sum);
  *passed &= good * 10 >= seeds * 9;
}

static GArray *
choose_runs (void)
{
  GArray *runs = g_array_new (FALSE, TRUE, sizeof (Run));
  const Case *rows = full ? cases : few_cases;
  guint i, n = full ? G_N_ELEMENTS (cases) : G_N_ELEMENTS (few_cases);
  gint j;

  for (i = 0; i < n; i++) {
    if ((only_mbps > 0 && rows[i].capacity != 1e6 * only_mbps)
        || (only_leave >= 0 && rows[i].leave_ms != (guint) only_leave))
      continue;
    for (j = 0; j < seeds; j++) {
      Run run = { .row = &rows[i], .seed = (guint32) (first_seed + j) };

      g_array_append_val (runs, run);
    }
  }

  return runs;
}

gint
main (gint argc, gchar **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) chosen = NULL;
  g_autoptr (GString) table = g_string_new (NULL);
  gboolean passed = TRUE;
  const Run *runs;
  guint i;

  if (!test_options_parse (options, &argc, &argv))
    return 2;
  if (lmcc_algorithm_find (algorithm) == NULL
      || (all_must_pass && test_net_is_slow ())) {
    g_print ("skipped: too slow under sanitizers\n");
    return SKIPPED;
  }
  if (all_must_pass && g_getenv ("LMCC_TEST_LONG") != NULL)
    seeds = LONG_SEEDS;
  if (seconds < 1 || seeds < 1 || first_seed < 1 || jobs < 1) {
    g_printerr (
        "--seconds, --seeds, --first-seed and --jobs must be at least 1\n");
    return 2;
  }
  lmcc_settings_free (test_settings_new (algorithm, settings_texts));
  chosen = choose_runs ();
  runs = test_jobs_run (chosen, (guint) jobs, run_once);

  g_string_append (table,
      "| Mbit/s | start | leave s | good seeds "
      "| at one level % | mean level | link used % | worst receiver % "
      "| changes/min | loss % |\n"
      "|--:|:--|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (i = 0; i < chosen->len; i += (guint) seeds)
    put_case (table, &runs[i], &passed);
  g_print ("%s", table->str);
  if (markdown != NULL
      && !test_page_write_table (markdown, "elm-together", table->str,
          &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }

  return all_must_pass && !passed ? 1 : 0;
}
