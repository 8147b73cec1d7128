/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compares the rates of one receiver of each algorithm and of TCP
 * connections on a drop-tail link. Prints the rows of the table in
 * docs/measured/algorithms.md; with --check only checks that the link is
 * used and that no flow starves.
 */
#include "support/test-net.h"
#include "support/test-options.h"

#include <math.h>
#include <string.h>

#define SETTLING (90 * LMCC_SECOND)
#define JUDGED (180 * LMCC_SECOND)
#define STEP (100 * LMCC_MSECOND)
#define N_SEEDS 5

/* As in Colussi's section 6.3: differences of the flows' delays. */
#define EXTRA_DELAY (10 * LMCC_MSECOND)

typedef struct
{
  const gchar *algorithm;
  gboolean shaped;
  gdouble base; /* bit/s */
  gdouble factor;
  guint n_layers;
} Scheme;

typedef struct
{
  guint64 rate; /* of the link, bit/s */
  guint n_flows;
  guint queue; /* packets per flow */
} Path;

/* Shares relative to equal shares. */
typedef struct
{
  gdouble share;
  gdouble flow_share;
  gdouble level;
  gdouble changes; /* per minute */
  gdouble loss;
} Row;

/* As in the papers: layers that double, and FLID's factor of 1.3. */
static const Scheme schemes[] = {
  { "rlc", TRUE, 128e3, 2, 8 },
  { "flid-sl", TRUE, 96e3, 1.3, 20 },
  { "flid-dl", TRUE, 96e3, 1.3, 20 },
  { "synchronized", TRUE, 128e3, 2, 8 },
  { "elm", FALSE, 128e3, 2, 8 },
  { "plumb", FALSE, 128e3, 2, 8 },
};

/* Queues per flow as in FLID-DL, figure 9. */
static const Path paths[] = {
  { 3000000, 1, 7 },
  { 3000000, 1, 25 },
  { 12000000, 4, 7 },
  { 12000000, 4, 25 },
};

static gboolean check;
static gboolean cubic;

static const GOptionEntry options[] = {
  { "check", 0, 0, G_OPTION_ARG_NONE, &check,
      "Run each algorithm once on the first link; print no table", NULL },
  { "cubic", 0, 0, G_OPTION_ARG_NONE, &cubic,
      "Use CUBIC instead of Reno in TCP connections", NULL },
  { NULL },
};

static TestNet *
new_net (const Scheme *scheme, const Path *path, guint32 seed)
{
  TestNetConfig config = { .n_layers = scheme->n_layers,
    .shaped = scheme->shaped,
    .algorithm = scheme->algorithm,
    .join_latency = 10 * LMCC_MSECOND,
    .leave_latency = 500 * LMCC_MSECOND,
    .seed = seed };
  TestNetReceiverConfig receiver = { .max_level = -1 };
  TestNet *net;
  guint i;

  for (i = 0; i < scheme->n_layers; i++)
    config.rates[i] = scheme->base
        * (i == 0 ? 1 : pow (scheme->factor, i) - pow (scheme->factor, i - 1));
  config.shared.rate = path->rate;
  config.shared.delay = 30 * LMCC_MSECOND;
  config.shared.queue_packets = path->queue * (path->n_flows + 1);
  net = test_net_new (&config);
  test_net_add_receiver (net, &receiver);
  test_net_run (net, SETTLING / 3);
  for (i = 0; i < path->n_flows; i++)
    test_net_add_flow_of (net, i * EXTRA_DELAY,
        cubic ? TEST_TCP_CUBIC : TEST_TCP_RENO);
  test_net_run (net, SETTLING - SETTLING / 3);

  return net;
}

static guint64
flow_bytes (const TestNet *net)
{
  guint64 bytes = 0;
  guint i;

  for (i = 0; i < net->n_flows; i++)
    bytes += net->shared.flows[i + 1].arrived_bytes;

  return bytes;
}

static void
measure (TestNet *net, const Path *path, Row *row)
{
  const TestNetReceiver *from = &net->receivers[0];
  gdouble fair =
      (gdouble) path->rate / 8 * (JUDGED / LMCC_SECOND) / (path->n_flows + 1);
  guint64 bytes = from->bytes, flows = flow_bytes (net);
  guint64 offered = from->offered, missed = from->missed;
  guint changes = from->changes->len;
  LmccTime end;

  for (end = net->now + JUDGED; net->now < end;) {
    test_net_run (net, STEP);
    row->level += (gdouble) from->level * STEP / JUDGED / N_SEEDS;
  }
  row->share += (gdouble) (from->bytes - bytes) / fair / N_SEEDS;
  row->flow_share +=
      (gdouble) (flow_bytes (net) - flows) / fair / path->n_flows / N_SEEDS;
  row->changes += (gdouble) (from->changes->len - changes) * 60
      / (JUDGED / LMCC_SECOND) / N_SEEDS;
  row->loss += (gdouble) (from->missed - missed)
      / (gdouble) MAX (from->offered - offered, 1) / N_SEEDS;
}

static gboolean
run (const Scheme *scheme, const Path *path)
{
  Row row = { 0 };
  gdouble used;
  guint seed;

  for (seed = 1; seed <= (check ? 1 : N_SEEDS); seed++) {
    g_autoptr (TestNet) net = new_net (scheme, path, seed);

    measure (net, path, &row);
  }
  if (check) {
    row.share *= N_SEEDS;
    row.flow_share *= N_SEEDS;
  }
  used = (row.share + row.flow_share * path->n_flows) / (path->n_flows + 1);
  if (!check)
    g_print ("| %s | %g | %u | %u | %.2f | %.2f | %.1f | %.0f | %.1f |\n",
        scheme->algorithm, (gdouble) path->rate / 1e6, path->n_flows,
        path->queue, row.share, row.flow_share, row.level, row.changes,
        100 * row.loss);
  /* FLID-DL, figure 4: 85 % is used; TCP alone uses more. */
  if (used < .85 || row.share <= 0 || row.flow_share <= 0)
    g_printerr ("%s beside %u flows: %.2f of the link is used\n",
        scheme->algorithm, path->n_flows, used);

  return used >= .85 && row.share > 0 && row.flow_share > 0;
}

int
main (int argc, char **argv)
{
  gboolean good = TRUE;
  guint i, j;

  if (!test_options_parse (options, &argc, &argv))
    return 2;
  if (!check)
    g_print ("| algorithm | Mbit/s | TCP flows | queue, packets a flow | "
             "its share | TCP's share | level | changes/min | loss, %% |\n"
             "|---|---|---|---|---|---|---|---|---|\n");
  for (i = 0; i < G_N_ELEMENTS (schemes); i++) {
    for (j = 0; j < (check ? 1 : G_N_ELEMENTS (paths)); j++)
      good &= run (&schemes[i], &paths[j]);
  }

  return good ? 0 : 1;
}
