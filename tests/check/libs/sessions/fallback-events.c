/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the reaction of receivers to changes on a link: which levels they
 * join, and how soon, with three rungs and cumulative or fallback levels.
 * Makes the second table in docs/measured/levels.md.
 */
#include "sessions/fallback-rungs.h"
#include "support/test-jobs.h"
#include "support/test-options.h"
#include "support/test-page.h"

#include <math.h>
#include <string.h>

/* Start and end of an event, from the first receiver's start on. */
#define BEGIN (40 * LMCC_SECOND)
#define OVER (80 * LMCC_SECOND)
#define END (140 * LMCC_SECOND)

/* By then, a receiver must have reached its level. */
#define SETTLED (10 * LMCC_SECOND)

/* Interval between the starts of receivers. */
#define APART (200 * LMCC_MSECOND)

#define FLOW_APART (7 * LMCC_MSECOND)
#define PAUSE (300 * LMCC_MSECOND)
#define SUSPENSION (5 * LMCC_SECOND)
#define JITTER (100 * LMCC_MSECOND)
#define REORDERED 0.1
#define LATE (20 * LMCC_MSECOND)

/* Requirements in s: from the start, after the rate is halved, and after the
 * event or TCP has ended; and the longest times above and below the level
 * that the link carries. */
#define MOST_COLD 5.0
#define MOST_DOWN 2.0
#define MOST_BACK 5.0
#define MOST_ABOVE 2.0
#define MOST_BELOW 10.0

/**
 * Event:
 * @name: name in the table
 * @rate: link rate, bit/s
 * @during: link rate from %BEGIN to %OVER, bit/s
 * @leave_latency: leave latency of the network; 0: %FALLBACK_LEAVE_LATENCY
 * @flows: TCP connections from %BEGIN to %OVER
 * @loss: random loss rate, all the time
 * @jitter: longest delay of packets behind the link, all the time
 * @kind: kind of the jitter
 * @reordered: whether some packets are overtaken, all the time
 * @paused: how long the sender is suspended from %BEGIN on
 * @suspended: how long receivers are suspended from %BEGIN on
 * @receivers: number of receivers
 * @backs_off: the time back is not checked: after a failed join beside TCP, the
 *     back-off continues when TCP has ended
 * @missed: the requirements are not met and not checked: trains say full if
 *     packets are delayed this much
 */
typedef struct
{
  const gchar *name;
  gdouble rate;
  gdouble during;
  LmccTime leave_latency;
  guint flows;
  gdouble loss;
  LmccTime jitter;
  TestJitter kind;
  gboolean reordered;
  LmccTime paused;
  LmccTime suspended;
  guint receivers;
  gboolean backs_off;
  gboolean missed;
} Event;

static const Event events[] = {
  { .name = "12 Mbit/s", .rate = 12e6, .during = 12e6 },
  { .name = "half", .rate = 5e6, .during = 2.5e6 },
  { .name = "a quarter", .rate = 6e6, .during = 1.5e6 },
  { .name = "half, leaves of 2 s",
      .rate = 5e6,
      .during = 2.5e6,
      .leave_latency = 2 * LMCC_SECOND },
  { .name = "half, leaves of 2.6 s",
      .rate = 5e6,
      .during = 2.5e6,
      .leave_latency = 2600 * LMCC_MSECOND },
  { .name = "half, leaves of 4 s",
      .rate = 5e6,
      .during = 2.5e6,
      .leave_latency = 4 * LMCC_SECOND },
  { .name = "half, 8 receivers", .rate = 5e6, .during = 2.5e6, .receivers = 8 },
  { .name = "half, 32 receivers",
      .rate = 5e6,
      .during = 2.5e6,
      .receivers = 32 },
  { .name = "2 TCP",
      .rate = 6e6,
      .during = 6e6,
      .flows = 2,
      .backs_off = TRUE },
  { .name = "4 TCP, 8 receivers",
      .rate = 12e6,
      .during = 12e6,
      .flows = 4,
      .receivers = 8,
      .backs_off = TRUE },
  { .name = "1 % lost", .rate = 6e6, .during = 6e6, .loss = 0.01 },
  { .name = "3 % lost", .rate = 6e6, .during = 6e6, .loss = 0.03 },
  { .name = "jitter of 100 ms",
      .rate = 6e6,
      .during = 6e6,
      .jitter = JITTER,
      .kind = TEST_JITTER_IN_ORDER,
      .missed = TRUE },
  { .name = "overtaken by 100 ms",
      .rate = 6e6,
      .during = 6e6,
      .jitter = JITTER,
      .kind = TEST_JITTER_RANDOM,
      .missed = TRUE },
  { .name = "batches of 20 ms",
      .rate = 6e6,
      .during = 6e6,
      .jitter = 20 * LMCC_MSECOND,
      .kind = TEST_JITTER_BATCHES },
  { .name = "10 % reordered", .rate = 6e6, .during = 6e6, .reordered = TRUE },
  { .name = "sender paused for 0.3 s",
      .rate = 6e6,
      .during = 6e6,
      .paused = PAUSE },
  { .name = "receiver suspended for 5 s",
      .rate = 6e6,
      .during = 6e6,
      .suspended = SUSPENSION },
};

/**
 * Row:
 * @cold: time until the fitting level is joined for the first time, s
 * @down: time until the fitting level after @BEGIN, s
 * @back: time until the fitting level after @OVER, s
 * @above: the longest time above the fitting level, s, from %SETTLED on
 * @below: the longest time below the fitting level, s, from %SETTLED on
 * @shown: mean rate of the shown rung, bit/s
 * @lost: loss rate
 *
 * The worst values of all receivers and seeds, and means.
 */
typedef struct
{
  const Event *event;
  LmccLevels levels;
  guint seeds;
  gdouble cold;
  gdouble down;
  gdouble back;
  gdouble above;
  gdouble below;
  gdouble shown;
  gdouble lost;
} Row;

static const gchar *algorithm = "plumb";
static gchar *only;
static gint n_seeds = 6;
static gint jobs = 2;
static gboolean log_changes;
static gboolean all_must_pass;
static gchar *markdown;

static const GOptionEntry options[] = {
  { "algorithm", 'a', 0, G_OPTION_ARG_STRING, &algorithm, "Algorithm", "NAME" },
  { "only", 'o', 0, G_OPTION_ARG_STRING, &only,
      "Only events whose names start with NAME", "NAME" },
  { "seeds", 's', 0, G_OPTION_ARG_INT, &n_seeds, "Number of seeds", "N" },
  { "jobs", 'j', 0, G_OPTION_ARG_INT, &jobs, "Number of processes", "N" },
  { "log", 'l', 0, G_OPTION_ARG_NONE, &log_changes, "Print all level changes",
      NULL },
  { "markdown", 'm', 0, G_OPTION_ARG_FILENAME, &markdown,
      "Write the table to its place in a page", "FILE" },
  { "check", 0, 0, G_OPTION_ARG_NONE, &all_must_pass,
      "Fail unless all rows meet their requirements", NULL },
  { NULL }
};

static TestNet *
make_net (const Row *row, guint32 seed)
{
  const Event *event = row->event;
  TestLinkSettings link = fallback_make_link (event->rate);
  TestNet *net;

  link.loss = event->loss;
  net = fallback_new_net (row->levels, algorithm, &link,
      event->leave_latency > 0 ? event->leave_latency : FALLBACK_LEAVE_LATENCY,
      seed);
  net->air.jitter = event->jitter;
  net->air.kind = event->kind;
  if (event->reordered) {
    net->air.reordered = REORDERED;
    net->air.late = LATE;
  }

  return net;
}

static guint
count_receivers (const Event *event)
{
  return MAX (event->receivers, 1);
}

static void
start_receivers (TestNet *net, const Event *event)
{
  TestNetReceiverConfig config = { .rtt_mode = LMCC_RTT_MODE_FEEDBACK,
    .max_level = -1 };
  guint i;

  for (i = 0; i < count_receivers (event); i++) {
    test_net_add_receiver (net, &config);
    test_net_run (net, APART);
  }
}

/* The queue has the same duration at any rate. */
static void
set_rate (TestNet *net, gdouble rate)
{
  TestLinkSettings link = fallback_make_link (rate);

  net->shared.settings.rate = link.rate;
  net->shared.settings.queue_bytes = link.queue_bytes;
}

static void
begin (TestNet *net, const Event *event)
{
  guint i;

  set_rate (net, event->during);
  for (i = 0; i < event->flows; i++)
    test_net_add_flow (net, i * FLOW_APART);
  if (event->paused > 0)
    test_net_pause_sender (net, event->paused);
  for (i = 0; i < net->n_receivers && event->suspended > 0; i++)
    test_net_suspend_receiver (net, i, event->suspended);
}

static void
end (TestNet *net, const Event *event)
{
  guint i;

  set_rate (net, event->rate);
  for (i = 0; i < net->n_flows; i++)
    test_net_stop_flow (net, i);
}

/* Between two times, if the fitting level is known then. */
static FallbackCount
count_phase (Row *row, const TestNetReceiver *receiver, gdouble rate,
    LmccTime from, LmccTime until)
{
  FallbackCount count = fallback_count (receiver,
      fallback_find_fitting (row->levels, rate), from, until);

  row->shown += count.shown * (gdouble) (until - from) / END / row->seeds
      / count_receivers (row->event);

  return count;
}

static void
note_longest (Row *row, const FallbackCount *count)
{
  row->above = MAX (row->above, count->above);
  row->below = MAX (row->below, count->below);
}

static void
count_receiver (Row *row, const TestNet *net, guint index, LmccTime epoch)
{
  const Event *event = row->event;
  const TestNetReceiver *receiver = &net->receivers[index];
  LmccTime start = epoch + index * APART, settled = epoch + SETTLED;
  FallbackCount count;

  count = count_phase (row, receiver, event->rate, start, epoch + BEGIN);
  row->cold = MAX (row->cold, count.answer);
  count = fallback_count (receiver,
      fallback_find_fitting (row->levels, event->rate), settled, epoch + BEGIN);
  note_longest (row, &count);
  count =
      count_phase (row, receiver, event->during, epoch + BEGIN, epoch + OVER);
  if (event->flows == 0) {
    row->down = MAX (row->down, count.answer);
    note_longest (row, &count);
  }
  count = count_phase (row, receiver, event->rate, epoch + OVER, epoch + END);
  row->back = MAX (row->back, count.answer);
  note_longest (row, &count);
}

static void
run_seed (Row *row, guint32 seed)
{
  g_autofree gchar *name = g_strdup_printf ("%s, %s", row->event->name,
      fallback_get_levels_name (row->levels));
  g_autoptr (TestNet) net = make_net (row, seed);
  LmccTime epoch = net->now;
  guint64 offered = 0, missed = 0;
  guint i;

  start_receivers (net, row->event);
  test_net_run (net, epoch + BEGIN - net->now);
  begin (net, row->event);
  test_net_run (net, epoch + OVER - net->now);
  end (net, row->event);
  test_net_run (net, epoch + END - net->now);
  for (i = 0; i < net->n_receivers; i++) {
    offered += net->receivers[i].offered;
    missed += net->receivers[i].missed;
    count_receiver (row, net, i, epoch);
  }
  row->lost += (gdouble) missed / (gdouble) MAX (offered, 1) / row->seeds;
  if (log_changes)
    test_net_print_changes (net, name, epoch);
}

static void
run (gpointer data)
{
  Row *row = data;
  guint i;

  for (i = 0; i < row->seeds; i++)
    run_seed (row, 1 + i);
}

static GArray *
make_rows (void)
{
  GArray *rows = g_array_new (FALSE, TRUE, sizeof (Row));
  guint i;
  gint levels;

  for (i = 0; i < G_N_ELEMENTS (events); i++) {
    if (only != NULL && !g_str_has_prefix (events[i].name, only))
      continue;
    for (levels = 0; levels <= LMCC_LEVELS_REPLICATED; levels++) {
      Row row = { .event = &events[i],
        .levels = (LmccLevels) levels,
        .seeds = (guint) n_seeds };

      g_array_append_val (rows, row);
    }
  }

  return rows;
}

static void
append_seconds (GString *text, gdouble seconds)
{
  if (isinf (seconds))
    g_string_append (text, " never |");
  else
    g_string_append_printf (text, " %.1f |", seconds);
}

static gchar *
make_table (const GArray *rows)
{
  GString *text = g_string_new ("| what happens | levels | cold, s | down, s | "
                                "back, s | longest above, s | longest below, s "
                                "| rung shown, kbit/s | lost, % |\n"
                                "|---|---|--:|--:|--:|--:|--:|--:|--:|\n");
  guint i;

  for (i = 0; i < rows->len; i++) {
    const Row *row = &g_array_index (rows, Row, i);

    g_string_append_printf (text, "| %s | %s |", row->event->name,
        fallback_get_levels_name (row->levels));
    append_seconds (text, row->cold);
    if (row->event->during < row->event->rate)
      append_seconds (text, row->down);
    else
      g_string_append (text, " |");
    append_seconds (text, row->back);
    append_seconds (text, row->above);
    append_seconds (text, row->below);
    g_string_append_printf (text, " %.0f | %.2f |\n", row->shown / 1e3,
        100 * row->lost);
  }

  return g_string_free (text, FALSE);
}

static gboolean
say (gdouble seconds, gdouble most, const Row *row, const gchar *what)
{
  if (seconds > most)
    g_printerr ("%s: %s %.1f s, at most %.1f\n", row->event->name, what,
        seconds, most);

  return seconds <= most;
}

/* With random loss, the fair rate is the limit instead of the link. */
static gboolean
check_row (const Row *row)
{
  gboolean passed = TRUE;

  if (row->event->loss > 0 || row->event->missed)
    return TRUE;
  passed &= say (row->cold, MOST_COLD, row, "from cold");
  passed &= say (row->down, MOST_DOWN, row, "down after");
  if (!row->event->backs_off)
    passed &= say (row->back, MOST_BACK, row, "back after");
  passed &= say (row->above, MOST_ABOVE, row, "above for");
  passed &= say (row->below, MOST_BELOW, row, "below for");

  return passed;
}

static gboolean
check (const GArray *rows)
{
  gboolean passed = TRUE;
  guint i;

  for (i = 0; i < rows->len; i++) {
    const Row *row = &g_array_index (rows, Row, i);

    if (row->levels == LMCC_LEVELS_FALLBACK)
      passed &= check_row (row);
  }

  return passed;
}

gint
main (gint argc, gchar **argv)
{
  g_autoptr (GArray) rows = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree gchar *table = NULL;
  const Row *done;

  if (!test_options_parse (options, &argc, &argv))
    return 2;
  if (lmcc_algorithm_find (algorithm) == NULL || n_seeds < 1 || jobs < 1) {
    g_printerr (
        "--algorithm must be known; --seeds and --jobs must be at least 1\n");
    return 2;
  }
  rows = make_rows ();
  done = test_jobs_run (rows, (guint) jobs, run);
  memcpy (rows->data, done, rows->len * sizeof (Row));

  table = make_table (rows);
  g_print ("%s", table);
  if (markdown != NULL
      && !test_page_write_table (markdown, "fallback-events", table, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }

  return all_must_pass && !check (rows) ? 1 : 0;
}
