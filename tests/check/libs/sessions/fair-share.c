/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures one receiver beside TCP connections on many paths: the rates of
 * all, by Jain's index, and how often the level changes. The first cells are
 * those of Colussi, "Equation-based Layered Multicast Congestion Control",
 * 2004, section 6.3, without its processing times.
 */
#include "support/test-jobs.h"
#include "support/test-net.h"
#include "support/test-options.h"
#include "support/test-settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define START (10 * LMCC_SECOND)
#define JUDGED_FROM (30 * LMCC_SECOND)

/* Additional receivers start this long after the others, and are judged
 * later. */
#define MORE_FROM (22 * LMCC_SECOND)
#define MORE_WITHIN (40 * LMCC_SECOND)
#define CROWD_JUDGED_FROM (90 * LMCC_SECOND)
#define SAMPLE (100 * LMCC_MSECOND)

typedef struct
{
  const gchar *name;
  gdouble mbps; /* of the link */
  gdouble loss; /* random loss */
  guint rtt_ms;
  guint queue; /* packets */
  guint n_flows;
  gdouble factor; /* ratio of cumulative rates; 0: three coarse layers */
  gboolean cubic;
  guint n_more; /* additional receivers that start one after the other */
  /* smallest index that all must have, for flows alike; 0: not reached */
  gdouble least;
} Cell;

typedef struct
{
  const Cell *cell;
  guint32 seed;

  gdouble own;  /* bit/s */
  gdouble flow; /* mean of the flows */
  gdouble index;
  gdouble own_index; /* for equal flows */
  gdouble changes;   /* per 300 s */
  gdouble loss;
  gdouble mean;     /* receiver, bit/s */
  gdouble worst;    /* of the receiver with the lowest rate, bit/s */
  gdouble together; /* share of the time with all receivers at one level */
} Run;

static const Cell cells[] = {
  { "1-R1", 100, 0.02, 60, 400, 1, 2, FALSE, 0, 0.97 },
  { "1-R2", 100, 0.01, 60, 400, 1, 2, FALSE, 0, 0.97 },
  { "1-R3", 100, 0.03, 60, 400, 1, 2, FALSE, 0, 0.97 },
  { "3-R1", 3, 0, 66, 45, 4, 2, FALSE, 0, 0.97 },
  { "3-R2", 6, 0, 66, 90, 4, 2, FALSE, 0, 0.97 },
  { "3-R3", 12, 0, 66, 180, 4, 2, FALSE, 0, 0.97 },
  { "4-R1", 100, 0.01, 250, 400, 1, 2, FALSE, 0, 0.97 },
  { "4-R2", 100, 0.01, 50, 400, 1, 2, FALSE, 0, 0.97 },
  { "4-R3", 100, 0.01, 500, 400, 1, 2, FALSE, 0, 0.97 },
  { "3-1-short", 3, 0, 60, 14, 1, 2, FALSE, 0, 0.97 },
  { "3-1-long", 3, 0, 60, 50, 1, 2, FALSE, 0, 0.97 },
  { "12-4-short", 12, 0, 60, 35, 4, 2, FALSE, 0, 0.97 },
  { "12-4-long", 12, 0, 60, 125, 4, 2, FALSE, 0, 0.97 },
  { "6-2", 6, 0, 60, 60, 2, 2, FALSE, 0, 0.97 },
  { "12-8", 12, 0, 60, 120, 8, 2, FALSE, 0, 0.97 },
  { "12-1-250", 12, 0, 250, 200, 1, 2, FALSE, 0, 0 },
  { "3-1-fine", 3, 0, 60, 30, 1, 1.3, FALSE, 0, 0.97 },
  { "12-4-coarse", 12, 0, 60, 120, 4, 0, FALSE, 0, 0.97 },
  { "3-1-coarse", 3, 0, 60, 30, 1, 0, FALSE, 0, 0 },
  { "3-1-cubic", 3, 0, 60, 30, 1, 2, TRUE, 0, 0.95 },
  { "6-2-cubic", 6, 0, 60, 60, 2, 2, TRUE, 0, 0.95 },
  { "12-4-cubic", 12, 0, 60, 120, 4, 2, TRUE, 0, 0.95 },
  { "12-8-cubic", 12, 0, 60, 120, 8, 2, TRUE, 0, 0.95 },
  { "12-1-cubic-250", 12, 0, 250, 200, 1, 2, TRUE, 0, 0 },
  { "crowd-8-3-1", 3, 0, 60, 30, 1, 2, FALSE, 7, 0.97 },
  { "crowd-8-12-4", 12, 0, 60, 120, 4, 2, FALSE, 7, 0.97 },
  { "crowd-32-3-1", 3, 0, 60, 30, 1, 2, FALSE, 31, 0.97 },
  { "crowd-32-12-4", 12, 0, 60, 120, 4, 2, FALSE, 31, 0.97 },
  { "alone-0.35", 0.35, 0, 100, 10, 0, 2, FALSE, 0, 0 },
  { "alone-0.6", 0.6, 0, 100, 12, 0, 2, FALSE, 0, 0 },
  { "alone-1", 1, 0, 100, 25, 0, 2, FALSE, 0, 0 },
  { "alone-3", 3, 0, 100, 25, 0, 2, FALSE, 0, 0 },
};

static gchar *algorithm;
static gchar **settings_texts;
static gchar *only;
static gint seeds = 2;
static gint first_seed = 1;
static gint jobs = 2;
static gint seconds = 300;
static gint train_ms = -1;
static gint apart_ms = 1;
static gchar *rungs;
static gboolean log_changes;
static gboolean all_must_pass;

static const GOptionEntry options[] = {
  { "algorithm", 'a', 0, G_OPTION_ARG_STRING, &algorithm, "Algorithm (plumb)",
      "NAME" },
  { "set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &settings_texts,
      "A setting; may be given more than once", "NAME=VALUE" },
  { "only", 'o', 0, G_OPTION_ARG_STRING, &only,
      "Only cells whose names start with NAME", "NAME" },
  { "seeds", 'n', 0, G_OPTION_ARG_INT, &seeds, "Number of seeds", "N" },
  { "first", 'F', 0, G_OPTION_ARG_INT, &first_seed, "The first seed", "N" },
  { "jobs", 'j', 0, G_OPTION_ARG_INT, &jobs, "Number of processes", "N" },
  { "seconds", 't', 0, G_OPTION_ARG_INT, &seconds, "Length of a run", "S" },
  { "trains", 'T', 0, G_OPTION_ARG_INT, &train_ms,
      "Interval of packet trains; 0: none (default: the algorithm's)", "MS" },
  { "apart", 'A', 0, G_OPTION_ARG_INT, &apart_ms,
      "Difference of the flows' round-trip times", "MS" },
  { "rungs", 'r', 0, G_OPTION_ARG_STRING, &rungs,
      "Use three rungs, with cumulative or fallback levels", "LEVELS" },
  { "log", 'l', 0, G_OPTION_ARG_NONE, &log_changes, "Print all level changes",
      NULL },
  { "check", 0, 0, G_OPTION_ARG_NONE, &all_must_pass,
      "Fail unless all cells meet their requirements", NULL },
  { NULL },
};

static void
set_layers (TestNetConfig *config, gdouble factor)
{
  static const gdouble coarse[] = { 300e3, 600e3, 1800e3 };
  static const gdouble rung_rates[] = { 300e3, 900e3, 2700e3 };
  guint i;

  if (rungs != NULL) {
    config->n_layers = G_N_ELEMENTS (rung_rates);
    memcpy (config->rates, rung_rates, sizeof (rung_rates));
    if (strcmp (rungs, "fallback") == 0)
      config->levels = LMCC_LEVELS_FALLBACK;
    return;
  }
  config->n_layers = factor == 0 ? 3 : factor < 1.5 ? 14 : 8;
  for (i = 0; i < config->n_layers; i++)
    config->rates[i] = factor == 0 ? coarse[i]
        : i == 0                   ? 128e3
                 : 128e3 * (pow (factor, i) - pow (factor, i - 1));
}

static TestNet *
new_net (const Cell *cell, guint32 seed)
{
  TestNetConfig config = { .algorithm = algorithm,
    .join_latency = 10 * LMCC_MSECOND,
    .leave_latency = 500 * LMCC_MSECOND,
    .train_cycle = test_net_train_cycle (train_ms),
    .seed = seed };

  set_layers (&config, cell->factor);
  config.shared.rate = (guint64) (cell->mbps * 1e6);
  config.shared.delay = cell->rtt_ms * LMCC_MSECOND / 2;
  config.shared.queue_packets = cell->queue;
  config.shared.loss = cell->loss;

  return test_net_new (&config);
}

/* TCP flows start at random times from 0 to 20 s, the session at 10 s. */
static void
start_all (TestNet *net, const Cell *cell, guint32 seed, LmccTime epoch)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (seed);
  g_autoptr (LmccSettings) settings =
      test_settings_new (algorithm, settings_texts);
  TestNetReceiverConfig receiver = { .max_level = -1 };
  gdouble starts[TEST_NET_MAX_FLOWS], next = START / 1e9;
  guint i, k;

  receiver.settings = settings;
  for (i = 0; i < cell->n_flows; i++) {
    starts[i] = g_rand_double_range (dice, 0, 20);
    for (k = i; k > 0 && starts[k] < starts[k - 1]; k--) {
      gdouble swap = starts[k];

      starts[k] = starts[k - 1];
      starts[k - 1] = swap;
    }
  }
  for (i = 0; i <= cell->n_flows; i++) {
    if (next >= 0 && (i == cell->n_flows || next < starts[i])) {
      test_net_run (net, epoch + START - net->now);
      test_net_add_receiver (net, &receiver);
      next = -1;
    }
    if (i == cell->n_flows)
      break;
    test_net_run (net, epoch + (LmccTime) (starts[i] * 1e9) - net->now);
    test_net_add_flow_of (net, i * apart_ms * LMCC_MSECOND,
        cell->cubic ? TEST_TCP_CUBIC : TEST_TCP_RENO);
  }
}

static void
start_more (TestNet *net, const Cell *cell, LmccTime epoch)
{
  g_autoptr (LmccSettings) settings =
      test_settings_new (algorithm, settings_texts);
  TestNetReceiverConfig receiver = { .max_level = -1, .settings = settings };
  guint i;

  for (i = 0; i < cell->n_more; i++) {
    test_net_run (net,
        epoch + MORE_FROM + i * MORE_WITHIN / cell->n_more - net->now);
    test_net_add_receiver (net, &receiver);
  }
}

static gboolean
all_at_one_level (const TestNet *net)
{
  guint i;

  for (i = 1; i < net->n_receivers; i++) {
    if (net->receivers[i].level != net->receivers[0].level)
      return FALSE;
  }

  return TRUE;
}

/* Counters before and after, as differences. */
typedef struct
{
  guint64 flows[TEST_NET_MAX_FLOWS];
  guint64 session;
  guint64 receivers[TEST_NET_MAX_RECEIVERS];
  guint64 offered;
  guint64 missed;
  guint changes;
} Mark;

static void
set_mark (const TestNet *net, Mark *mark)
{
  guint i;

  memset (mark, 0, sizeof (*mark));
  for (i = 0; i < net->n_flows; i++)
    mark->flows[i] = net->shared.flows[i + 1].arrived_bytes;
  mark->session = net->shared.flows[0].arrived_bytes;
  for (i = 0; i < net->n_receivers; i++) {
    mark->receivers[i] = net->receivers[i].bytes;
    mark->offered += net->receivers[i].offered;
    mark->missed += net->receivers[i].missed;
    mark->changes += net->receivers[i].changes->len;
  }
}

static void
sum_up (const TestNet *net, const Mark *from, gdouble judged, Run *run)
{
  Mark to;
  gdouble sum, squares, n = net->n_receivers;
  guint i;

  set_mark (net, &to);
  run->worst = INFINITY;
  for (i = 0; i < net->n_receivers; i++) {
    gdouble rate =
        (gdouble) (to.receivers[i] - from->receivers[i]) * 8 / judged;

    run->mean += rate / n;
    run->worst = MIN (run->worst, rate);
  }
  run->own = run->cell->n_more == 0
      ? run->mean
      : (gdouble) (to.session - from->session) * 8 / judged;
  run->changes = (to.changes - from->changes) * 300 / judged / n;
  run->loss = (gdouble) (to.missed - from->missed)
      / (gdouble) MAX (to.offered - from->offered, 1);
  sum = run->own;
  squares = run->own * run->own;
  for (i = 0; i < net->n_flows; i++) {
    gdouble rate = (gdouble) (to.flows[i] - from->flows[i]) * 8 / judged;

    run->flow += rate / net->n_flows;
    sum += rate;
    squares += rate * rate;
  }
  run->index = sum * sum / ((net->n_flows + 1) * squares);
  run->own_index = pow (run->own + net->n_flows * run->flow, 2)
      / ((net->n_flows + 1)
          * (run->own * run->own + net->n_flows * run->flow * run->flow));
}

static void
compute (gpointer data)
{
  Run *run = data;
  const Cell *cell = run->cell;
  g_autofree gchar *name = g_strdup_printf ("%s %u", cell->name, run->seed);
  g_autoptr (TestNet) net = new_net (cell, run->seed);
  LmccTime epoch = net->now;
  LmccTime from = cell->n_more == 0 ? JUDGED_FROM : CROWD_JUDGED_FROM;
  LmccTime end = epoch + seconds * LMCC_SECOND;
  gdouble judged = seconds - (gdouble) from / LMCC_SECOND;
  Mark mark;

  start_all (net, cell, run->seed, epoch);
  start_more (net, cell, epoch);
  test_net_run (net, epoch + from - net->now);
  set_mark (net, &mark);
  while (net->now < end) {
    test_net_run (net, SAMPLE);
    if (all_at_one_level (net))
      run->together += (gdouble) SAMPLE / LMCC_SECOND / judged;
  }
  sum_up (net, &mark, judged, run);
  if (log_changes)
    test_net_print_changes (net, name, epoch);
}

/* Returns: whether the shares meet the requirements */
static gboolean
print_cell (const Run *runs)
{
  gdouble mean = 0, worst = 1, together = 0;
  gdouble index = 0, own_index = 0, own = 0, flow = 0, changes = 0, loss = 0,
          least = 1;
  gint i;

  for (i = 0; i < seeds; i++) {
    index += runs[i].index / seeds;
    own_index += runs[i].own_index / seeds;
    least = MIN (least, runs[i].index);
    own += runs[i].own / seeds;
    flow += runs[i].flow / seeds;
    changes += runs[i].changes / seeds;
    loss += runs[i].loss / seeds;
    mean += runs[i].mean / seeds;
    worst = MIN (worst, runs[i].worst / runs[i].own);
    together += runs[i].together / seeds;
  }
  g_print ("| %s | %.4f | %.3f | %.4f | %.0f | %.0f | %.2f | %.1f | %.2f |",
      runs[0].cell->name, index, least, own_index, own / 1e3, flow / 1e3,
      own / flow, changes, 100 * loss);
  if (runs[0].cell->n_more > 0)
    g_print (" %.0f | %.0f | %.0f |", mean / 1e3, 100 * worst, 100 * together);
  else
    g_print (" | | |");
  g_print ("\n");

  return own_index >= runs[0].cell->least;
}

int
main (int argc, char **argv)
{
  GArray *rows = g_array_new (FALSE, TRUE, sizeof (Run));
  gboolean good = TRUE;
  Run *done;
  guint i;
  gint k;

  if (!test_options_parse (options, &argc, &argv))
    return 2;
  if (algorithm == NULL)
    algorithm = g_strdup ("plumb");
  for (i = 0; i < G_N_ELEMENTS (cells); i++) {
    if (only != NULL && !g_str_has_prefix (cells[i].name, only))
      continue;
    for (k = 0; k < seeds; k++) {
      Run run = { .cell = &cells[i], .seed = (guint32) (first_seed + k) };

      g_array_append_val (rows, run);
    }
  }
  done = test_jobs_run (rows, (guint) jobs, compute);
  g_print ("| cell | index | least | flows alike | own, kbit/s | each TCP | "
           "ratio | changes in 300 s | loss, %% | mean receiver | worst "
           "receiver, %% of own | at one level, %% |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (i = 0; i < rows->len; i += (guint) seeds)
    good &= print_cell (&done[i]);

  return good || !all_must_pass ? 0 : 1;
}
