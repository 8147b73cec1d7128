/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures at which level a receiver alone on a link settles, and how stable
 * it is: one row for each capacity, round-trip time and queue. Levels are
 * cumulative, R_i = 128 kbit/s * 2^i.
 */
#include "support/test-jobs.h"
#include "support/test-net.h"
#include "support/test-options.h"
#include "support/test-settings.h"
#include "support/test-trace.h"

#include <gst/lmcc/measure/tcp-model.h>

#include <math.h>
#include <stdlib.h>

#define SKIPPED 77
#define BASE_RATE 128e3
#define LEAST_QUEUE 10 /* packets */
#define SAMPLE (100 * LMCC_MSECOND)

/* The final level is that of this time at the end of the run. */
#define JUDGED (100 * LMCC_SECOND)

/* A join followed by a leave within this time was an experiment; its packets
 * have left the queue after the second time. */
#define EXPERIMENT (20 * LMCC_SECOND)
#define EXPERIMENT_DRAIN LMCC_SECOND

/* After settling, at most one join within this time may be followed by a
 * leave. */
#define QUIET (20 * LMCC_SECOND)

typedef struct
{
  gdouble capacity; /* bit/s */
  guint rtt_ms;
  guint queue_bdp;

  gint target;
  gint held;
  gdouble held_share; /* of the judged time */
  gdouble reached;    /* s; infinite: never */
  guint changes;
  guint quick_changes; /* most level changes in 20 s, after settling */
  guint oscillations;  /* most changes of direction in 20 s, after settling */
  gdouble loss;
  gdouble quiet_loss; /* outside experiments */
  gdouble held_loss;  /* outside experiments, in the judged time */
  gdouble rtt;        /* s, mean including the queue */
  gdouble allowed;    /* loss rate at which TCP has the same rate */
  gdouble wall;       /* s of computing time */
  gboolean passed;
} Row;

static const gchar *algorithm = "elm";
static gint seconds = 300;
static gint jobs = 2;
static gboolean full;
static gboolean all_must_pass;
static gchar **settings_texts;
static gchar *markdown;
static gdouble only_capacity;
static gint only_rtt;
static const gchar *rtt_mode = "feedback";

static const GOptionEntry options[] = { { "algorithm", 'a', 0,
                                            G_OPTION_ARG_STRING, &algorithm,
                                            "Which algorithm settles", "NAME" },
  { "set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &settings_texts,
      "A setting of it; may be given more than once", "NAME=VALUE" },
  { "full", 'f', 0, G_OPTION_ARG_NONE, &full, "The whole grid", NULL },
  { "capacity", 'c', 0, G_OPTION_ARG_DOUBLE, &only_capacity,
      "Only this capacity", "KBIT/S" },
  { "rtt", 'r', 0, G_OPTION_ARG_INT, &only_rtt, "Only this round-trip time",
      "MS" },
  { "rtt-mode", 'k', 0, G_OPTION_ARG_STRING, &rtt_mode,
      "Where the round-trip time comes from; fixed: that of an empty queue",
      "feedback|join|fixed" },
  { "seconds", 't', 0, G_OPTION_ARG_INT, &seconds, "Length of a run", "S" },
  { "jobs", 'j', 0, G_OPTION_ARG_INT, &jobs, "Processes", "N" },
  { "markdown", 'm', 0, G_OPTION_ARG_FILENAME, &markdown,
      "Write a page with the table", "FILE" },
  { "check", 0, 0, G_OPTION_ARG_NONE, &all_must_pass,
      "Fail unless all rows are as they must be", NULL },
  { NULL } };

/* Samples taken during a run. */
typedef struct
{
  LmccTime time;
  gint level;
  guint64 offered;
  guint64 missed;
  LmccTime queue_delay;
} Sample;

static LmccRttMode
find_rtt_mode (void)
{
  if (g_str_equal (rtt_mode, "feedback"))
    return LMCC_RTT_MODE_FEEDBACK;
  if (g_str_equal (rtt_mode, "join"))
    return LMCC_RTT_MODE_JOIN;
  if (g_str_equal (rtt_mode, "fixed"))
    return LMCC_RTT_MODE_FIXED;
  g_printerr ("--rtt-mode %s: give feedback, join or fixed\n", rtt_mode);
  exit (2);
}

/* Before processes are forked, so that errors are printed once. */
static void
check_options (void)
{
  lmcc_settings_free (test_settings_new (algorithm, settings_texts));
  find_rtt_mode ();
  if (seconds < 1 || jobs < 1) {
    g_printerr ("--seconds and --jobs begin at 1\n");
    exit (2);
  }
}

/* Layers up to more than twice the capacity, so that there is always another
 * layer to try. */
static guint
count_layers (gdouble capacity)
{
  guint n = 1;

  while (ldexp (BASE_RATE, (gint) n - 1) < 2 * capacity)
    n++;

  return n;
}

static TestNet *
make_net (const Row *row)
{
  gdouble bdp = row->capacity / 8 * row->rtt_ms / 1000;
  TestNetConfig config = {
    .n_layers = count_layers (row->capacity),
    .algorithm = algorithm,
    .shared = {
          .rate = (guint64) row->capacity,
          .delay = row->rtt_ms * LMCC_MSECOND / 2,
          .queue_bytes = (guint64) MAX (row->queue_bdp * bdp,
              LEAST_QUEUE * TEST_SOURCE_PACKET_SIZE),
        },
  };

  lmcc_rates_compute (LMCC_RATE_SCHEME_DOUBLING, BASE_RATE, 0, config.n_layers,
      config.rates, NULL);

  return test_net_new (&config);
}

/* From here on, only the samples and the changes count. */

static void
find_held (Row *row, const GArray *samples, LmccTime end)
{
  guint times[LMCC_MAX_RUNGS] = { 0 };
  guint i, n = 0;
  gdouble queue_delay = 0;

  for (i = 0; i < samples->len; i++) {
    const Sample *sample = &g_array_index (samples, Sample, i);

    if (sample->time + JUDGED < end || sample->level < 0)
      continue;
    times[sample->level]++;
    n++;
    queue_delay += (gdouble) sample->queue_delay;
  }
  for (i = 0; i < LMCC_MAX_RUNGS; i++) {
    if (times[i] > times[row->held])
      row->held = (gint) i;
  }
  if (n == 0)
    return;
  row->held_share = (gdouble) times[row->held] / n;
  row->rtt = row->rtt_ms / 1000.0 + queue_delay / n / LMCC_SECOND;
}

static const TestLevelChange *
change_at (const GArray *changes, guint i)
{
  return &g_array_index (changes, TestLevelChange, i);
}

static gboolean
turns_down (const GArray *changes, guint i)
{
  return i > 0 && change_at (changes, i)->to < change_at (changes, i)->from
      && change_at (changes, i - 1)->to > change_at (changes, i - 1)->from;
}

/* Most changes, and most changes of direction from up to down, within %QUIET
 * at any time after @settled. */
static void
find_unrest (Row *row, const GArray *changes, LmccTime settled)
{
  guint i, j;

  for (i = 0; i < changes->len; i++) {
    guint n = 0, turns = 0;

    if (change_at (changes, i)->time <= settled)
      continue;
    for (j = i; j < changes->len
         && change_at (changes, j)->time < change_at (changes, i)->time + QUIET;
         j++) {
      n++;
      turns += turns_down (changes, j);
    }
    row->quick_changes = MAX (row->quick_changes, n);
    row->oscillations = MAX (row->oscillations, turns);
  }
}

static gboolean
is_in_experiment (const GArray *changes, LmccTime time)
{
  guint i;

  for (i = 1; i < changes->len; i++) {
    LmccTime up = change_at (changes, i - 1)->time;
    LmccTime down = change_at (changes, i)->time;

    if (turns_down (changes, i) && down < up + EXPERIMENT && time >= up
        && time < down + EXPERIMENT_DRAIN)
      return TRUE;
  }

  return FALSE;
}

/* The loss rate from @start on, outside experiments. */
static gdouble
find_quiet_loss (const GArray *samples, const GArray *changes, LmccTime start)
{
  guint64 offered = 0, missed = 0;
  guint i;

  for (i = 1; i < samples->len; i++) {
    const Sample *before = &g_array_index (samples, Sample, i - 1);
    const Sample *sample = &g_array_index (samples, Sample, i);

    if (sample->time < start || is_in_experiment (changes, sample->time))
      continue;
    offered += sample->offered - before->offered;
    missed += sample->missed - before->missed;
  }

  return (gdouble) missed / (gdouble) MAX (offered, 1);
}

static void
find_losses (Row *row, const GArray *samples, const GArray *changes)
{
  const Sample *last = &g_array_index (samples, Sample, samples->len - 1);

  row->loss = (gdouble) last->missed / (gdouble) MAX (last->offered, 1);
  row->quiet_loss = find_quiet_loss (samples, changes, 0);
  row->held_loss = find_quiet_loss (samples, changes, last->time - JUDGED);
}

static void
judge (Row *row, const TestNet *net, const GArray *samples, LmccTime start)
{
  const GArray *changes = net->receivers[0].changes;
  LmccTime settled = LMCC_TIME_NONE;
  guint i;

  while (row->target + 1 < (gint) net->config.n_layers
      && test_net_cumulative_rate (net, row->target + 1) <= 0.9 * row->capacity)
    row->target++;
  row->changes = changes->len - 1;
  for (i = 0; i < changes->len && settled == LMCC_TIME_NONE; i++) {
    if (change_at (changes, i)->to >= row->target)
      settled = change_at (changes, i)->time;
  }
  row->reached = settled == LMCC_TIME_NONE
      ? INFINITY
      : (gdouble) (settled - start) / LMCC_SECOND;
  find_held (row, samples, net->now);
  find_unrest (row, changes, MIN (settled, net->now - JUDGED));
  find_losses (row, samples, changes);
  row->allowed =
      lmcc_tcp_model_loss_rate (test_net_cumulative_rate (net, row->held),
          (LmccTime) (row->rtt * LMCC_SECOND), TEST_SOURCE_PACKET_SIZE);
  row->passed = row->oscillations <= 1
      && (row->held == row->target
          || (row->held > row->target && row->held_loss < row->allowed));
}

static void
run (gpointer data)
{
  Row *row = data;
  gint64 began = g_get_monotonic_time ();
  g_autoptr (TestNet) net = make_net (row);
  g_autoptr (LmccSettings) settings =
      test_settings_new (algorithm, settings_texts);
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (Sample));
  TestNetReceiverConfig receiver = { .settings = settings,
    .max_level = -1,
    .rtt_mode = find_rtt_mode (),
    .fixed_rtt = row->rtt_ms * LMCC_MSECOND };
  g_autofree gchar *name = g_strdup_printf ("%s-settle-%g-%u-%u", algorithm,
      row->capacity / 1000, row->rtt_ms, row->queue_bdp);
  TestTrace *trace = test_trace_new (net, name);
  LmccTime start = net->now, end = start + (guint) seconds * LMCC_SECOND;

  test_net_add_receiver (net, &receiver);
  while (net->now < end) {
    const TestNetReceiver *from = &net->receivers[0];
    Sample sample;

    test_net_run (net, SAMPLE);
    test_trace_sample (trace, net);
    sample = (Sample){ net->now, from->level, from->offered, from->missed,
      test_link_queue_delay (&net->shared, net->now) };
    g_array_append_val (samples, sample);
  }
  test_trace_free (trace);
  judge (row, net, samples, start);
  row->wall = (gdouble) (g_get_monotonic_time () - began) / G_USEC_PER_SEC;
}

static void
put_percent (GString *text, gdouble share)
{
  g_string_append_printf (text,
      share > 0 && share < 1e-4 ? " %.5f |" : " %.3f |", 100 * share);
}

static gchar *
make_table (const Row *rows, guint n)
{
  GString *text = g_string_new (NULL);
  guint i;

  g_string_append (text,
      "| capacity kbit/s | RTT ms | queue BDP | target | held | of the time % "
      "| reached s | changes | in 20 s | turns in 20 s | loss % | outside "
      "experiments % | at the end % | RTT with queue ms | TCP's loss there % "
      "| |\n"
      "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|:--|\n");
  for (i = 0; i < n; i++) {
    const Row *row = &rows[i];

    g_string_append_printf (text, "| %g | %u | %u | %d | %d | %.0f |",
        row->capacity / 1000, row->rtt_ms, row->queue_bdp, row->target,
        row->held, 100 * row->held_share);
    if (isfinite (row->reached))
      g_string_append_printf (text, " %.0f |", row->reached);
    else
      g_string_append (text, " never |");
    g_string_append_printf (text, " %u | %u | %u |", row->changes,
        row->quick_changes, row->oscillations);
    put_percent (text, row->loss);
    put_percent (text, row->quiet_loss);
    put_percent (text, row->held_loss);
    g_string_append_printf (text, " %.0f |", 1000 * row->rtt);
    put_percent (text, row->allowed);
    g_string_append (text,
        row->passed                   ? " |\n"
            : row->oscillations > 1   ? " **restless** |\n"
            : row->held < row->target ? " **too low** |\n"
                                      : " **too high** |\n");
  }

  return g_string_free (text, FALSE);
}

static const gchar page_head[] =
    "# Where ELM settles\n\n"
    "One receiver with `algorithm=elm` is alone on a link, in virtual "
    "time. Cumulative layers have R_i = 128 kbit/s 2^i in packets of "
    "1000 bytes, up to more than twice the capacity.\n"
    "The drop-tail queue holds one or two bandwidth-delay products, at "
    "least 10 packets. A run lasts %d s, with the seed %u.\n"
    "`build/tests/check/elm-settle --full --markdown "
    "docs/measured/elm-settle.md` writes this page.\n\n"
    "- *target*: the highest level with R_i of at most 0.9 of the "
    "capacity. *held*: the most frequent level of the last 100 s, and "
    "its share of this time. *reached*: when the receiver first "
    "reached the target.\n"
    "- *changes*: level changes in the run. *in 20 s*: the most in any "
    "20 s after the target was reached, and the most turns (a join "
    "followed by a leave) among them.\n"
    "- *loss*: of all packets; outside join experiments, which last "
    "from a join to the leave that follows within 20 s, and 1 s more; "
    "and outside experiments in the last 100 s.\n"
    "- *TCP's loss*: the loss event rate at which TCP has the rate of "
    "the held level, at the round-trip time with the mean queue (RFC "
    "5348 section 3.1).\n\n"
    "Each row must hold the target, or a higher level if the loss at "
    "the end is below TCP's there, with at most one turn in 20 s. %u "
    "of %u rows do.\n\n";

static gboolean
write_page (const gchar *table, guint n_passed, guint n, GError **error)
{
  g_autofree gchar *head =
      g_strdup_printf (page_head, seconds, test_net_get_seed (), n_passed, n);
  g_autofree gchar *page = g_strconcat (head, table, NULL);

  return g_file_set_contents (markdown, page, -1, error);
}

static void
add_row (GArray *rows, gdouble capacity, guint rtt_ms, guint queue_bdp)
{
  Row row = { .capacity = capacity, .rtt_ms = rtt_ms, .queue_bdp = queue_bdp };

  if (only_capacity > 0)
    row.capacity = 1000 * only_capacity;
  if (only_rtt > 0)
    row.rtt_ms = (guint) only_rtt;
  g_array_append_val (rows, row);
}

static GArray *
choose_rows (void)
{
  static const gdouble capacities[] = { 200e3, 350e3, 600e3, 1000e3, 1700e3,
    3000e3, 5000e3, 8500e3, 14000e3, 20000e3 };
  static const guint rtts[] = { 20, 100, 500 };
  GArray *rows = g_array_new (FALSE, TRUE, sizeof (Row));
  guint i, j, bdp;

  if (!full) {
    if (only_capacity > 0) {
      add_row (rows, 0, 100, 1);
      add_row (rows, 0, 100, 2);
      return rows;
    }
    add_row (rows, 600e3, 100, 1);
    add_row (rows, 1000e3, 500, 1);
    add_row (rows, 3000e3, 20, 2);
    add_row (rows, 8500e3, 100, 1);
    return rows;
  }
  for (i = 0; i < G_N_ELEMENTS (capacities); i++) {
    for (j = 0; j < G_N_ELEMENTS (rtts); j++) {
      for (bdp = 1; bdp <= 2; bdp++)
        add_row (rows, capacities[i], rtts[j], bdp);
    }
    if (only_capacity > 0)
      break;
  }

  return rows;
}

gint
main (gint argc, gchar **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) chosen = NULL;
  g_autofree gchar *table = NULL;
  guint i, n_passed = 0;
  gdouble wall = 0;
  Row *rows;

  if (!test_options_parse (options, &argc, &argv))
    return 2;
  if (lmcc_algorithm_find (algorithm) == NULL) {
    g_print ("there is no algorithm %s\n", algorithm);
    return SKIPPED;
  }
  check_options ();
  chosen = choose_rows ();
  rows = test_jobs_run (chosen, (guint) jobs, run);

  table = make_table (rows, chosen->len);
  for (i = 0; i < chosen->len; i++) {
    n_passed += rows[i].passed;
    wall += rows[i].wall;
  }
  g_print ("%s%u of %u rows as they must be; %.1f s of computing, seed %u\n",
      table, n_passed, chosen->len, wall, test_net_get_seed ());
  if (markdown != NULL && !write_page (table, n_passed, chosen->len, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }

  return all_must_pass && n_passed < chosen->len ? 1 : 0;
}
