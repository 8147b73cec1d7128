/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the level of each algorithm when packets are lost at random
 * without congestion, as on a radio link: the real sender and receivers, and
 * a wire that loses packets independently.
 */
#include "support/test-jobs.h"
#include "support/test-net.h"
#include "support/test-options.h"
#include "support/test-page.h"

#include <gst/lmcc/control/slots/increase-probabilities.h>
#include <gst/lmcc/control/slots/sync-points.h>
#include <gst/lmcc/measure/markov.h>
#include <gst/lmcc/measure/tcp-model.h>

#include <string.h>

#define SKIPPED 77
#define LEVELS 8
#define BASE_RATE 100e3
#define RTT (60 * LMCC_MSECOND)

/* FLID-DL, section V-A: a slot is five nominal round-trip times. */
#define FLID_SLOT (5 * RTT)

/* Excludes the climb from the base level. */
#define CLIMB (200 * LMCC_SECOND)

#define DEAF_PERIOD "0.05"
typedef struct _Row Row;

/* Rate according to the algorithm's own theory, bit/s. */
typedef gdouble (*Theory) (const TestNet *net, const Row *row);

/**
 * Algorithm:
 * @name: of session and receiver
 * @no_deaf_period: the default settings without the deaf period
 * @theory: (nullable): the expected rate
 * @least: smallest share of @theory
 * @most: largest share of @theory
 */
typedef struct
{
  const gchar *name;
  gboolean no_deaf_period;
  Theory theory;
  gdouble least;
  gdouble most;
} Algorithm;

/**
 * Row:
 * @algorithm: the algorithm
 * @loss: loss rate
 * @tcp: rate of TCP at that loss rate and round-trip time, bit/s (RFC 5348
 *     section 3.1)
 * @expected: rate according to theory, bit/s; 0: none
 * @rate: mean cumulative rate of the level, bit/s
 * @level: mean level
 * @shares: share of the time at each level
 * @changes: level changes per minute
 * @drops: level decreases without the ends of join experiments
 */
struct _Row
{
  const Algorithm *algorithm;
  gdouble loss;
  gdouble tcp;
  gdouble expected;
  gdouble rate;
  gdouble level;
  gdouble shares[LEVELS];
  gdouble changes;
  guint drops;
};

static gint seconds = 1000;
static gint seeds = 1;
static gboolean full;
static gint jobs = 2;
static gchar *only;
static gchar *markdown;
static gboolean all_must_pass;

static const GOptionEntry options[] = { { "algorithm", 'a', 0,
                                            G_OPTION_ARG_STRING, &only,
                                            "Only this algorithm", "NAME" },
  { "full", 'f', 0, G_OPTION_ARG_NONE, &full, "All loss rates", NULL },
  { "seconds", 't', 0, G_OPTION_ARG_INT, &seconds,
      "Length of a run, without the start", "S" },
  { "seeds", 's', 0, G_OPTION_ARG_INT, &seeds, "Runs of each row", "N" },
  { "jobs", 'j', 0, G_OPTION_ARG_INT, &jobs, "Number of processes", "N" },
  { "markdown", 'm', 0, G_OPTION_ARG_FILENAME, &markdown,
      "Write the table to its place in a page", "FILE" },
  { "check", 0, 0, G_OPTION_ARG_NONE, &all_must_pass,
      "Fail unless all rows meet their requirements", NULL },
  { NULL } };

static TestNet *
make_net (const gchar *algorithm, guint32 seed)
{
  TestNetConfig config = {
    .n_layers = LEVELS,
    .shaped = lmcc_algorithm_has_slots (lmcc_algorithm_find (algorithm)),
    .algorithm = algorithm,
    .nominal_rtt = RTT,
    .seed = seed,
  };

  if (g_str_has_prefix (algorithm, "flid"))
    config.slot = FLID_SLOT;
  lmcc_rates_compute (LMCC_RATE_SCHEME_DOUBLING, BASE_RATE, 0, LEVELS,
      config.rates, NULL);

  return test_net_new (&config);
}

/* From here on: the theories. */

/* The highest level within TCP's rate. */
static gdouble
elm_rate (const TestNet *net, const Row *row)
{
  gint level = 0;

  while (level + 1 < LEVELS
      && test_net_cumulative_rate (net, level + 1) <= row->tcp)
    level++;

  return test_net_cumulative_rate (net, level);
}

/* The Markov chain of FLID-DL, equations 2 and 4. */
static gdouble
flid_rate (const TestNet *net, const Row *row)
{
  const LmccSession *session = lmcc_sender_get_session (net->sender);
  LmccTcpTarget tcp = { .rtt = RTT, .packet_size = session->packet_size };
  gdouble probabilities[LEVELS];
  LmccMarkovChain chain;
  LmccMarkovState state;

  lmcc_markov_chain_init (&chain, net->config.rates, LEVELS,
      session->packet_size, session->slot);
  lmcc_increase_probabilities_heuristic (&chain, lmcc_tcp_target_rate, &tcp,
      probabilities);
  lmcc_markov_chain_solve (&chain, probabilities, row->loss, &state);

  return state.rate;
}

static gdouble
rlc_rate (const TestNet *net, const Row *row)
{
  const LmccSession *session = lmcc_sender_get_session (net->sender);

  return lmcc_rlc_rate (BASE_RATE, session->packet_size, session->slot,
      LMCC_SYNC_POINTS_UPPER_SHARE, row->loss);
}

static gdouble
tcp_rate (const TestNet *net G_GNUC_UNUSED, const Row *row)
{
  return row->tcp;
}

/* Wei and Zhang, equation 16; if rates double, it is the same for all
 * levels. */
static gdouble
synchronized_rate (const TestNet *net, const Row *row)
{
  const LmccSession *session = lmcc_sender_get_session (net->sender);
  const gdouble rates[] = { BASE_RATE, 2 * BASE_RATE };

  return lmcc_sync_points_rate (rates, G_N_ELEMENTS (rates), 0,
      session->packet_size, session->slot, LMCC_SYNC_POINTS_UPPER_SHARE,
      row->loss);
}

/* ELM alternates between a level within the rate and the next one. The
 * formulas of RLC and the synchronized scheme assume no deaf period, in
 * which there are no joins; RLC's assumes a join one interval after a loss,
 * but ours, with a whole interval between two points, comes after one to
 * two: 1 / sqrt (2) at least. RLM does not consider TCP: one loss ends an
 * experiment, and less than a quarter lost does not make it leave an
 * established level. Plumb stays at a level without turns if TCP's rate is
 * within a factor of 1.16 of it. */
static const Algorithm algorithms[] = {
  { "elm", FALSE, elm_rate, 1, 2 },
  { "rlc", FALSE, rlc_rate, 0.1, 1 },
  { "rlc", TRUE, rlc_rate, 0.7, 1 },
  { "flid-sl", FALSE, flid_rate, 0.9, 1.1 },
  { "flid-dl", FALSE, flid_rate, 0.9, 1.1 },
  { "synchronized", FALSE, synchronized_rate, 0.1, 1 },
  { "synchronized", TRUE, synchronized_rate, 0.9, 1.1 },
  { "plumb", FALSE, tcp_rate, 0.8, 1.25 },
  { "rlm", FALSE, NULL, 0, 0 },
};

static gboolean
is_as_it_must_be (const Row *row)
{
  gdouble share = row->rate / row->expected;

  if (row->algorithm->theory == NULL)
    return row->drops == 0;

  return share >= row->algorithm->least && share <= row->algorithm->most
      && (!g_str_equal (row->algorithm->name, "elm") || row->rate <= row->tcp);
}

/* From here on: the measurements. */

static void
add_time (Row *row, const TestNet *net, gint level, gdouble share)
{
  if (level < 0)
    return;
  row->shares[level] += share;
  row->level += level * share;
  row->rate += test_net_cumulative_rate (net, level) * share;
}

static void
measure (Row *row, const TestNet *net, LmccTime from)
{
  const GArray *changes = net->receivers[0].changes;
  gdouble whole = (gdouble) (net->now - from) * seeds;
  gint level = -1;
  LmccTime since = from;
  guint i;

  for (i = 0; i < changes->len; i++) {
    const TestLevelChange *change =
        &g_array_index (changes, TestLevelChange, i);

    if (change->time > from) {
      add_time (row, net, level, (gdouble) (change->time - since) / whole);
      since = change->time;
      row->changes += 60.0 * LMCC_SECOND / whole;
      row->drops += change->to < change->from
          && !g_str_equal (change->reason, "the join experiment failed");
    }
    level = change->to;
  }
  add_time (row, net, level, (gdouble) (net->now - since) / whole);
}

static LmccSettings *
make_settings (const Algorithm *algorithm)
{
  const LmccAlgorithm *found = lmcc_algorithm_find (algorithm->name);
  LmccSettings *settings =
      lmcc_settings_new (found->settings, found->n_settings);

  if (algorithm->no_deaf_period
      && !lmcc_settings_set (settings, "deaf-period", DEAF_PERIOD, NULL))
    g_error ("%s has no deaf period", algorithm->name);

  return settings;
}

static void
run (gpointer data)
{
  Row *row = data;
  g_autoptr (LmccSettings) settings = make_settings (row->algorithm);
  TestNetReceiverConfig receiver = { .settings = settings,
    .max_level = -1,
    .own = { .loss = row->loss, .delay = RTT / 2 } };
  gint seed;

  row->tcp = lmcc_tcp_model_rate (row->loss, RTT, TEST_SOURCE_PACKET_SIZE);
  for (seed = 0; seed < seeds; seed++) {
    g_autoptr (TestNet) net =
        make_net (row->algorithm->name, test_net_get_seed () + (guint32) seed);
    LmccTime from;

    if (row->algorithm->theory != NULL)
      row->expected = row->algorithm->theory (net, row);
    test_net_add_receiver (net, &receiver);
    test_net_run (net, CLIMB);
    from = net->now;
    test_net_run (net, (LmccTime) seconds * LMCC_SECOND);
    measure (row, net, from);
  }
}

static gchar *
make_table (const Row *rows, guint n)
{
  GString *text = g_string_new (NULL);
  guint i, level;

  g_string_append (text,
      "| algorithm | loss % | TCP kbit/s | theory kbit/s | held kbit/s "
      "| mean level | at level 0 % | 1 | 2 | 3 | 4 | 5 | 6 | 7 "
      "| changes in a minute |\n"
      "|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (i = 0; i < n; i++) {
    const Row *row = &rows[i];

    g_string_append_printf (text, "| %s%s | %g | %.0f |", row->algorithm->name,
        row->algorithm->no_deaf_period ? ", deaf " DEAF_PERIOD " s" : "",
        100 * row->loss, row->tcp / 1000);
    if (row->expected > 0)
      g_string_append_printf (text, " %.0f |", row->expected / 1000);
    else
      g_string_append (text, " |");
    g_string_append_printf (text, " %.0f | %.1f |", row->rate / 1000,
        row->level);
    for (level = 0; level < LEVELS; level++)
      g_string_append_printf (text, " %.0f |", 100 * row->shares[level]);
    g_string_append_printf (text, " %.0f |\n", row->changes);
  }

  return g_string_free (text, FALSE);
}

static GArray *
choose_rows (void)
{
  static const gdouble losses[] = { 0.001, 0.01, 0.03 };
  GArray *rows = g_array_new (FALSE, TRUE, sizeof (Row));
  guint i, j;

  for (i = 0; i < G_N_ELEMENTS (algorithms); i++) {
    if (only != NULL && !g_str_equal (only, algorithms[i].name))
      continue;
    /* The rarer the losses, the longer the run must be. */
    for (j = full ? 0 : 1; j < G_N_ELEMENTS (losses); j++) {
      Row row = { .algorithm = &algorithms[i], .loss = losses[j] };

      g_array_append_val (rows, row);
    }
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
  Row *rows;

  if (!test_options_parse (options, &argc, &argv))
    return 2;
  if (seconds < 1 || seeds < 1 || jobs < 1) {
    g_printerr ("--seconds, --seeds and --jobs must be at least 1\n");
    return 2;
  }
  if (all_must_pass && test_net_is_slow ()) {
    g_print ("skipped: too slow under sanitizers\n");
    return SKIPPED;
  }
  chosen = choose_rows ();
  rows = test_jobs_run (chosen, (guint) jobs, run);

  table = make_table (rows, chosen->len);
  g_print ("%s", table);
  for (i = 0; i < chosen->len; i++) {
    gboolean passed = is_as_it_must_be (&rows[i]);

    n_passed += passed;
    if (!passed)
      g_print ("%s at %g %%: requirements not met\n", rows[i].algorithm->name,
          100 * rows[i].loss);
  }
  g_print ("%u of %u rows meet their requirements, seed %u\n", n_passed,
      chosen->len, test_net_get_seed ());
  if (markdown != NULL
      && !test_page_write_table (markdown, "random-loss", table, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }

  return all_must_pass && n_passed < chosen->len ? 1 : 0;
}
