/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the CPU time per packet of lmccsink and lmccsrc with 1, 8 and 32
 * layers, native and of fixed rates, with and without repair, against one
 * udpsink or udpsrc per group. Each pipeline runs in its own process; within
 * a round, the contenders run directly after each other.
 */
#include "bench-duel.h"

#include <string.h>

#define GROUP "239.255.46.%u"
#define BASE "239.255.46.1"
#define PORT 25504

#define TO "port=" G_STRINGIFY (PORT) " multicast-iface=" BENCH_INTERFACE " "

/* Warm-up for layers of fixed rates: a window of 4.4 s and a key frame
 * interval, in which nothing is sent, and one more window, because planning
 * happens once per window. */
#define WINDOW 4400
#define FIXED_WARM_UP (6 * GST_SECOND)

#define REPAIR 0.1

/* Kinds of sessions, and the contenders that they are compared with. */
enum
{
  NATIVE,
  NATIVE_REPAIR,
  FIXED,
  FIXED_REPAIR,
  N_KINDS,
  PLAIN = N_KINDS,
  N_CONTENDERS
};

typedef struct
{
  const gchar *name;
  BenchStream stream;
} Rate;

/* There are packets for 32 sinks. A group of pictures in layers of fixed
 * rates may have 16,384 packets. */
static const Rate rates[] = {
  { "2,000/s", { 80, 25, 25 } },
  { "20,000/s", { 400, 50, 25 } },
};

/* Native layers are rungs times classes; H.264 has at most three classes
 * here. */
typedef struct
{
  guint n;
  guint n_rungs;
  guint n_classes;
} Layers;

static const Layers layers[] = {
  /* 33 layers, because no such product is 32. */
  { 1, 1, 1 },
  { 8, 4, 2 },
  { 32, 11, 3 },
};

/* A measurement; it owns its strings. */
typedef struct
{
  const Rate *rate;
  const Layers *layers;
  gchar *what;
  BenchDuelist senders[N_CONTENDERS];
  BenchDuelist receivers[2];
} Cell;

/* Rate of each layer in bit/s: media packets with headers, repair, and a
 * tenth more, so that all pictures fit. */
static guint64
get_layer_rate (const Cell *cell, gboolean repair)
{
  gdouble packets =
      cell->rate->stream.packets_per_unit * cell->rate->stream.units_per_second;
  gdouble size = BENCH_PACKET_SIZE + 60;

  return (guint64) (packets * size * 8 * (repair ? 1.0 + REPAIR : 1.0) * 1.1
      / cell->layers->n);
}

static gchar *
describe_sink (const Cell *cell, guint kind)
{
  gboolean repair = kind == NATIVE_REPAIR || kind == FIXED_REPAIR;
  g_autofree gchar *layering = NULL;

  if (kind == FIXED || kind == FIXED_REPAIR)
    layering =
        g_strdup_printf ("layering=equal layers=%u base-rate=%" G_GUINT64_FORMAT
                         " window=" G_STRINGIFY (WINDOW) " ",
            cell->layers->n, get_layer_rate (cell, repair));
  else
    layering = g_strdup (repair ? "repair-delay=500 " : "");

  return g_strdup_printf ("lmccsink name=element sync=false address=" BASE
                          " " TO "%srepair=%s",
      layering, repair ? G_STRINGIFY (REPAIR) : "0");
}

/* A pipeline with one element per group; its name and address contain the
 * number. */
static gchar *
describe_groups (const Cell *cell, const gchar *head, const gchar *element,
    const gchar *tail)
{
  GString *text = g_string_new (head);
  guint i;

  for (i = 0; i < cell->layers->n; i++) {
    g_string_append_printf (text, "%s name=element%u ", element, i);
    g_string_append_printf (text,
        g_str_has_prefix (element, "udpsink") ? "host=" GROUP " "
                                              : "address=" GROUP " ",
        i + 1);
    g_string_append (text, TO);
    g_string_append (text, tail);
  }

  return g_string_free (text, FALSE);
}

static void
make_senders (Cell *cell)
{
  static const gchar *const names[N_CONTENDERS] = { "lmccsink, native",
    "lmccsink, native, repair", "lmccsink, fixed rates",
    "lmccsink, fixed rates, repair", "udpsink for each group" };
  guint kind;

  for (kind = 0; kind < N_CONTENDERS; kind++) {
    BenchDuelist *sender = &cell->senders[kind];
    gboolean fixed = kind == FIXED || kind == FIXED_REPAIR;

    sender->side = kind == PLAIN ? BENCH_PEER : BENCH_OURS;
    sender->contender = (BenchContender){ .name = names[kind],
      .pipeline = kind == PLAIN
          ? describe_groups (cell, "", "udpsink async=false sync=false", "")
          : describe_sink (cell, kind),
      .n_pads = kind == PLAIN ? cell->layers->n
          : fixed             ? 1
                              : cell->layers->n_rungs,
      .n_classes = kind < FIXED ? cell->layers->n_classes : 1,
      .warm_up = fixed ? FIXED_WARM_UP : GST_SECOND,
      .window = fixed ? WINDOW * GST_MSECOND : 1500 * GST_MSECOND };
  }
}

#define COUNTER \
  "fakesink name=counter sync=false async=false enable-last-sample=false "

static void
make_receivers (Cell *cell)
{
  const BenchContender common = { .count_received = TRUE,
    .warm_up = 500 * GST_MSECOND,
    .window = 2 * GST_SECOND };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cell->receivers); i++) {
    cell->receivers[i].contender = common;
    cell->receivers[i].side = i == 0 ? BENCH_OURS : BENCH_PEER;
  }
  cell->receivers[0].contender.name = "lmccsrc";
  cell->receivers[0].contender.pipeline = g_strdup (
      "lmccsrc name=element algorithm=none address=" BASE " " TO "! " COUNTER);
  cell->receivers[1].contender.name = "udpsrc for each group";
  cell->receivers[1].contender.pipeline =
      describe_groups (cell, "funnel name=funnel ! " COUNTER, "udpsrc",
          "caps=\"application/x-rtp,media=video,encoding-name=H264,clock-rate="
          "90000\" ! funnel. ");
}

static void
cell_init (Cell *cell, const Rate *rate, const Layers *layers)
{
  *cell = (Cell){ .rate = rate, .layers = layers };
  cell->what = g_strdup_printf ("%s, %u layer%s:", rate->name, layers->n,
      layers->n == 1 ? "" : "s");
  make_senders (cell);
  make_receivers (cell);
}

static void
cell_clear (Cell *cell)
{
  guint i;

  for (i = 0; i < N_CONTENDERS; i++)
    g_free ((gchar *) cell->senders[i].contender.pipeline);
  for (i = 0; i < G_N_ELEMENTS (cell->receivers); i++)
    g_free ((gchar *) cell->receivers[i].contender.pipeline);
  g_free (cell->what);
}

static void
measure_senders (const Cell *cell, BenchReport *report, gint rounds)
{
  const BenchDuel duel = { .what = cell->what,
    .run = bench_run_sender,
    .stream = cell->rate->stream,
    .duelists = cell->senders,
    .n_duelists = N_CONTENDERS,
    .details = TRUE };

  bench_duel_measure (&duel, report, rounds);
}

/* All receivers hear the same sender, which has started some time before. */
static void
measure_receivers (const Cell *cell, guint kind, BenchReport *report,
    gint rounds)
{
  const BenchContender *sender = &cell->senders[kind].contender;
  g_autofree gchar *what =
      g_strdup_printf ("%.*s, %s:", (gint) (strlen (cell->what) - 1),
          cell->what, sender->name + strlen ("lmccsink, "));
  const BenchDuel duel = { .what = what,
    .run = bench_run_receiver,
    .stream = cell->rate->stream,
    .duelists = cell->receivers,
    .n_duelists = G_N_ELEMENTS (cell->receivers),
    .details = TRUE };
  gint stop_fd;
  pid_t child = bench_start_sender (sender, &cell->rate->stream, &stop_fd);

  g_usleep (sender->warm_up / GST_USECOND);
  bench_duel_measure (&duel, report, rounds);
  bench_stop_sender (child, stop_fd);
}

static void
measure (BenchReport *report, const Rate *rate, const Layers *layers,
    gint rounds)
{
  guint kind;
  Cell cell;

  cell_init (&cell, rate, layers);
  measure_senders (&cell, report, rounds);
  for (kind = 0; kind < N_KINDS; kind++)
    measure_receivers (&cell, kind, report, rounds);
  cell_clear (&cell);
}

int
main (int argc, char **argv)
{
  g_autofree gchar *json = NULL;
  gboolean quick = FALSE;
  BenchReport *report;
  gint rounds = 3;
  guint rate, n;

  if (!bench_parse_options_quick (&argc, &argv,
          "CPU time per packet with 1, 8 and 32 layers.", &json, &rounds,
          &quick))
    return 2;
  report = bench_report_new ("CPU time per packet of " G_STRINGIFY (
      BENCH_PACKET_SIZE) " bytes by layers, loopback multicast");
  for (rate = 0; rate < G_N_ELEMENTS (rates); rate++) {
    for (n = 0; n < G_N_ELEMENTS (layers); n++) {
      /* A single cell; all of them take twenty minutes. */
      if (!quick || (rate == 1 && layers[n].n == 8))
        measure (report, &rates[rate], &layers[n], quick ? 1 : rounds);
    }
  }
  return bench_report_finish (report, json);
}
