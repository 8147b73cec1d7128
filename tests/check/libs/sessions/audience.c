/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the cost of audiences of all sizes with complete receivers:
 * messages and their share of the base layer's rate, and a receiver's memory
 * and CPU time. Each receiver is behind its own link. Only the sender's
 * estimate of their number should grow with the audience.
 */
#include "support/feedback-traffic.h"
#include "support/test-heap.h"
#include "support/test-net.h"
#include "support/test-options.h"
#include "support/test-page.h"

#include <math.h>
#include <time.h>

#define SKIPPED 77

#define N_LAYERS 4
#define BASE_RATE 64000

/* Lowest and highest capacity of the receivers' links, and their queues. */
#define LEAST_CAPACITY 90e3
#define MOST_CAPACITY 900e3
#define QUEUE_PACKETS 20
#define LEAST_DELAY (10 * LMCC_MSECOND)
#define MOST_DELAY (100 * LMCC_MSECOND)

#define JOIN_LATENCY (10 * LMCC_MSECOND)
#define LEAVE_LATENCY (500 * LMCC_MSECOND)

/* The receivers join evenly within this time. */
#define ARRIVAL (4 * LMCC_SECOND)

/* RFC 3550 section 6.2: 5 % for control traffic, here of the base layer's
 * rate. */
#define LIMIT 0.05
#define WINDOW (10 * LMCC_SECOND)

/* Largest error of the sender's estimate of their number, as a factor. */
#define ESTIMATE_FACTOR 4

/* Limit of a receiver's memory in a large audience, relative to the smallest
 * one; the model's own list of level changes grows by doubling. */
#define MEMORY_FACTOR 1.2

/* Limit of the decrease, from the smallest to the largest audience, of the
 * share of receivers at the level that their link carries. */
#define FITTING_MARGIN 0.1

/* Index of the row of a hundred receivers, for comparison: ten receivers
 * have too few links to include one that a level nearly fills. */
#define FITTING_ROW 1

typedef struct
{
  guint receivers;
  gdouble reports; /* 1/s */
  gdouble answers; /* packets with answers, 1/s */
  gdouble mean_share;
  gdouble largest_share;
  gdouble fitting;
  gdouble level;
  gdouble loss;
  gdouble estimate;
  gdouble memory;    /* bytes per receiver */
  gdouble processor; /* CPU time in s per packet delivered to a receiver */
} Row;

static const gchar *algorithm = "plumb";
static gint seconds = 60;
static gint seed = 1;
static gboolean full;
static gboolean all_must_pass;
static gchar *markdown;

static const GOptionEntry options[] = {
  { "algorithm", 'a', 0, G_OPTION_ARG_STRING, &algorithm, "Algorithm", "NAME" },
  { "full", 'f', 0, G_OPTION_ARG_NONE, &full, "Include the largest audience",
      NULL },
  { "seconds", 't', 0, G_OPTION_ARG_INT, &seconds, "Length of a run", "S" },
  { "seed", 'b', 0, G_OPTION_ARG_INT, &seed, "Random seed", "N" },
  { "markdown", 'm', 0, G_OPTION_ARG_FILENAME, &markdown,
      "Write the table to its place in a page", "FILE" },
  { "check", 0, 0, G_OPTION_ARG_NONE, &all_must_pass,
      "Fail unless all rows meet their requirements", NULL },
  { NULL }
};

static TestNet *
make_net (guint n)
{
  TestNetConfig config = {
    .n_layers = N_LAYERS,
    .algorithm = algorithm,
    .join_latency = JOIN_LATENCY,
    .leave_latency = LEAVE_LATENCY,
    .max_receivers = n,
    .seed = (guint32) seed,
  };

  lmcc_rates_compute (LMCC_RATE_SCHEME_DOUBLING, BASE_RATE, 0, N_LAYERS,
      config.rates, NULL);

  return test_net_new (&config);
}

/* Distributes @n receivers evenly between 0 and 1, so that audiences of all
 * sizes have similar links. */
static gdouble
place (guint i, guint n, guint step)
{
  return ((gdouble) (i * step % n) + 0.5) / n;
}

static void
start_receivers (TestNet *net, guint n)
{
  LmccTime begin = net->now;
  guint i;

  for (i = 0; i < n; i++) {
    gdouble capacity = place (i, n, 7), delay = place (i, n, 3);
    TestNetReceiverConfig receiver = {
      .rtt_mode = LMCC_RTT_MODE_FEEDBACK,
      .max_level = -1,
      .own = {
        .rate = (guint64) (LEAST_CAPACITY
            + capacity * (MOST_CAPACITY - LEAST_CAPACITY)),
        .delay = LEAST_DELAY
            + (LmccTime) (delay * (gdouble) (MOST_DELAY - LEAST_DELAY)),
        .queue_packets = QUEUE_PACKETS,
      },
    };

    test_net_run (net, begin + ARRIVAL * i / n - net->now);
    test_net_add_receiver (net, &receiver);
  }
}

static gint
fitting_level (const TestNet *net, guint index)
{
  gint level = 0;

  while (level + 1 < N_LAYERS
      && test_net_cumulative_rate (net, level + 1)
          <= (gdouble) net->receivers[index].own.settings.rate)
    level++;

  return level;
}

static void
count_levels (const TestNet *net, Row *row)
{
  guint64 offered = 0, missed = 0;
  guint i, n = net->n_receivers;

  for (i = 0; i < n; i++) {
    const TestNetReceiver *from = &net->receivers[i];

    row->level += (gdouble) from->level / n;
    row->fitting += (from->level == fitting_level (net, i)) / (gdouble) n;
    offered += from->offered;
    missed += from->missed;
  }
  row->loss = (gdouble) missed / (gdouble) MAX (offered, 1);
}

static void
run (Row *row)
{
  g_autoptr (TestNet) net = make_net (row->receivers);
  g_autoptr (GArray) feedback = feedback_traffic_new ();
  LmccTime begin = net->now;
  gsize heap = test_heap_in_use ();
  clock_t processor = clock ();
  gsize bytes = 0;
  guint64 reports = 0;
  guint i;

  net->feedback = feedback;
  start_receivers (net, row->receivers);
  test_net_run (net, begin + (LmccTime) seconds * LMCC_SECOND - net->now);

  row->processor = (gdouble) (clock () - processor) / CLOCKS_PER_SEC
      / (gdouble) MAX (net->deliveries, 1);
  row->memory = ((gdouble) test_heap_in_use () - (gdouble) heap
                    - (gdouble) feedback->len * sizeof (FeedbackPacket))
      / row->receivers;
  for (i = 0; i < feedback->len; i++)
    bytes += g_array_index (feedback, FeedbackPacket, i).bytes;
  for (i = 0; i < net->n_receivers; i++)
    reports += net->receivers[i].reports;
  row->reports = (gdouble) reports / seconds;
  row->answers = (gdouble) net->answers / seconds;
  row->mean_share = 8.0 * (gdouble) bytes / seconds / BASE_RATE;
  row->largest_share =
      feedback_traffic_largest_share (feedback, BASE_RATE, WINDOW);
  row->estimate = lmcc_sender_get_stats (net->sender)->receivers;
  count_levels (net, row);
}

static gchar *
make_table (const GArray *rows)
{
  GString *text = g_string_new (NULL);
  guint i;

  g_string_append (text,
      "| receivers | reports/s | answers/s | share of base rate, % | highest "
      "in 10 s, % "
      "| estimate | at the fitting level, % | mean level | loss, % "
      "| memory per receiver, kB | CPU time per packet, us |\n"
      "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (i = 0; i < rows->len; i++) {
    const Row *row = &g_array_index (rows, Row, i);

    g_string_append_printf (text,
        "| %u | %.2f | %.2f | %.1f | %.1f | %.0f | %.0f | %.2f | %.2f "
        "| %.1f | %.1f |\n",
        row->receivers, row->reports, row->answers, 100 * row->mean_share,
        100 * row->largest_share, row->estimate, 100 * row->fitting, row->level,
        100 * row->loss, row->memory / 1000, 1e6 * row->processor);
  }

  return g_string_free (text, FALSE);
}

static gboolean
say (gboolean holds, guint receivers, const gchar *what)
{
  if (!holds)
    g_printerr ("%u receivers: %s\n", receivers, what);

  return holds;
}

static gboolean
check (const GArray *rows)
{
  gdouble memory = g_array_index (rows, Row, 0).memory;
  gdouble fitting = g_array_index (rows, Row, FITTING_ROW).fitting;
  gboolean passed = TRUE;
  guint i;

  for (i = 0; i < rows->len; i++) {
    const Row *row = &g_array_index (rows, Row, i);
    guint n = row->receivers;

    passed &= say (row->reports > 0 && row->answers > 0, n,
        "no receiver measures its round-trip time");
    passed &= say (row->largest_share <= LIMIT, n,
        "feedback exceeds 5 % of the base rate");
    passed &= say (row->estimate * ESTIMATE_FACTOR >= n
            && row->estimate <= (gdouble) n * ESTIMATE_FACTOR,
        n, "the sender's estimate is wrong");
    passed &= say (row->memory <= MEMORY_FACTOR * memory, n,
        "a receiver needs more memory than in a small audience");
    passed &= say (row->fitting >= fitting - FITTING_MARGIN, n,
        "fewer are at the fitting level than of a hundred");
  }

  return passed;
}

gint
main (gint argc, gchar **argv)
{
  static const guint audiences[] = { 10, 100, 1000, 10000 };
  g_autoptr (GArray) rows = g_array_new (FALSE, TRUE, sizeof (Row));
  g_autoptr (GError) error = NULL;
  g_autofree gchar *table = NULL;
  guint i, n;

  if (!test_options_parse (options, &argc, &argv))
    return 2;
  if (lmcc_algorithm_find (algorithm) == NULL
      || (all_must_pass && test_net_is_slow ())) {
    g_print ("skipped: too slow under sanitizers\n");
    return SKIPPED;
  }
  if (seconds < 10 || seed < 1) {
    g_printerr ("--seconds must be at least 10, --seed at least 1\n");
    return 2;
  }
  n = G_N_ELEMENTS (audiences) - (full ? 0 : 1);
  for (i = 0; i < n; i++) {
    Row row = { .receivers = audiences[i] };

    run (&row);
    g_array_append_val (rows, row);
  }

  table = make_table (rows);
  g_print ("%s", table);
  if (markdown != NULL
      && !test_page_write_table (markdown, "audience", table, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }

  return all_must_pass && !check (rows) ? 1 : 0;
}
