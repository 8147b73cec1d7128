/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CPU time per packet of lmccsink against udpsink, of lmccsrc against
 * udpsrc. Each pipeline runs in a process of its own, in turn, the contenders
 * of one round right after each other; ratios are of one round.
 */
#include "bench-process.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define GROUP "239.255.43.1"
#define PORT 25004

#define WARM_UP (300 * GST_MSECOND)
#define WINDOW (1500 * GST_MSECOND)

#define TIMES .warm_up = WARM_UP, .window = WINDOW

#define MAX_CONTENDERS 4

#define TO_GROUP                               \
  "udpsink host=" GROUP " port=" G_STRINGIFY ( \
      PORT) " multicast-iface=" BENCH_INTERFACE " name=element async=false "

static const BenchContender senders[] = {
  { "lmccsink",
      "lmccsink address=" GROUP " port=" G_STRINGIFY (
          PORT) " multicast-iface=" BENCH_INTERFACE " name=element sync=false",
      TIMES },
  { "udpsink", TO_GROUP "sync=false", TIMES },
  { "udpsink, each packet at its time", TO_GROUP "sync=true", .spread = TRUE,
      TIMES },
  { "fakesink",
      "fakesink name=element sync=false async=false "
      "enable-last-sample=false",
      TIMES },
};

#define COUNTER                                      \
  " ! fakesink name=counter sync=false async=false " \
  "enable-last-sample=false"
#define FROM_GROUP                                                      \
  "udpsrc address=" GROUP " port=" G_STRINGIFY (                        \
      PORT) " multicast-iface=" BENCH_INTERFACE " name=element caps=\"" \
            "application/"                                              \
            "x-rtp,media=video,encoding-name=H264,clock-rate=90000\""

static const BenchContender receivers[] = {
  { "lmccsrc",
      "lmccsrc address=" GROUP
      " port=" G_STRINGIFY (PORT) " multicast-iface=" BENCH_INTERFACE
                                  " algorithm=none name=element" COUNTER,
      TIMES },
  { "udpsrc", FROM_GROUP COUNTER, TIMES },
  { "udpsrc ! rtpjitterbuffer", FROM_GROUP " ! rtpjitterbuffer" COUNTER,
      TIMES },
};

typedef struct
{
  const BenchContender *contenders;
  guint n;
  GArray *cost[MAX_CONTENDERS];
  GArray *switches[MAX_CONTENDERS];
  GArray *ratio[MAX_CONTENDERS];
  GArray *net_ratio;
  GArray *lost;
  gchar failure[MAX_CONTENDERS][120];
} Duel;

static void
duel_init (Duel *duel, const BenchContender *contenders, guint n)
{
  guint i;

  memset (duel, 0, sizeof (*duel));
  duel->contenders = contenders;
  duel->n = n;
  for (i = 0; i < n; i++) {
    duel->cost[i] = bench_series_new ();
    duel->switches[i] = bench_series_new ();
    duel->ratio[i] = bench_series_new ();
  }
  duel->net_ratio = bench_series_new ();
  duel->lost = bench_series_new ();
}

static void
duel_clear (Duel *duel)
{
  guint i;

  for (i = 0; i < duel->n; i++) {
    g_array_unref (duel->cost[i]);
    g_array_unref (duel->switches[i]);
    g_array_unref (duel->ratio[i]);
  }
  g_array_unref (duel->net_ratio);
  g_array_unref (duel->lost);
}

/* The others go first and last in turn, so that what the machine does meanwhile
 * favours nobody. */
static void
duel_round (Duel *duel, BenchRun run, const BenchStream *stream, gint round)
{
  BenchResult results[MAX_CONTENDERS];
  gboolean all = TRUE;
  guint i;

  for (i = 0; i < duel->n; i++) {
    guint turn = round % 2 ? duel->n - 1 - i : i;

    results[turn] = bench_run_in_child (run, &duel->contenders[turn], stream);
    if (!results[turn].ok)
      g_strlcpy (duel->failure[turn], results[turn].failure,
          sizeof (duel->failure[turn]));
    all = all && results[turn].ok;
  }
  if (!all)
    return;
  for (i = 0; i < duel->n; i++) {
    bench_series_add (duel->cost[i], results[i].us_per_packet);
    bench_series_add (duel->switches[i], results[i].switches_per_packet);
    bench_series_add (duel->ratio[i],
        results[0].us_per_packet / results[i].us_per_packet);
  }
  bench_series_add (duel->lost, 100.0 * results[0].lost);
  if (duel->n == G_N_ELEMENTS (senders))
    bench_series_add (duel->net_ratio,
        (results[0].us_per_packet - results[3].us_per_packet)
            / (results[1].us_per_packet - results[3].us_per_packet));
}

static void
add (BenchReport *report, const gchar *what, const gchar *name,
    const gchar *peer, const gchar *unit, GArray *series, gdouble bound)
{
  g_autofree gchar *text = g_strdup_printf ("%s %s%s%s", what, name,
      peer ? " / " : "", peer ? peer : "");

  bench_report_add (report, text, unit, series, bound);
}

static void
duel_report (Duel *duel, BenchReport *report, const gchar *what)
{
  const gchar *name = duel->contenders[0].name;
  guint i;

  for (i = 0; i < duel->n; i++) {
    if (duel->failure[i][0])
      bench_report_fail (report, duel->contenders[i].name, duel->failure[i]);
  }
  if (duel->cost[0]->len == 0)
    return;
  for (i = 0; i < duel->n; i++)
    add (report, what, duel->contenders[i].name, NULL, "us/packet",
        duel->cost[i], BENCH_NO_BOUND);
  for (i = 0; i < MIN (duel->n, 3); i++)
    add (report, "  switches,", duel->contenders[i].name, NULL, "/packet",
        duel->switches[i], BENCH_NO_BOUND);
  add (report, what, name, duel->contenders[1].name, "ratio", duel->ratio[1],
      1.5);
  add (report, what, name, duel->contenders[2].name, "ratio", duel->ratio[2],
      BENCH_NO_BOUND);
  if (duel->net_ratio->len > 0)
    add (report, what, name, "udpsink, less fakesink", "ratio", duel->net_ratio,
        BENCH_NO_BOUND);
  else
    add (report, "  lost,", name, NULL, "%", duel->lost, BENCH_NO_BOUND);
}

/* The packets must come out of the socket as well, not only go in. */
static gboolean
capture_saw_packets (gint fd)
{
  guint8 data[LMCC_MAX_PACKET_SIZE];
  guint64 n = 0;

  while (recv (fd, data, sizeof (data), MSG_DONTWAIT) > 0)
    n++;
  return n > 0;
}

static void
measure_senders (BenchReport *report, const BenchStream *stream,
    const gchar *what, gint rounds)
{
  gint fd = bench_open_capture (GROUP, PORT, 4096), round;
  Duel duel;

  duel_init (&duel, senders, G_N_ELEMENTS (senders));
  for (round = 0; round < rounds; round++)
    duel_round (&duel, bench_run_sender, stream, round);
  if (fd < 0 || !capture_saw_packets (fd))
    bench_report_fail (report, what,
        "no packet reached the loopback interface");
  if (fd >= 0)
    close (fd);
  duel_report (&duel, report, what);
  duel_clear (&duel);
}

static void
measure_receivers (BenchReport *report, const BenchStream *stream,
    const gchar *what, gint rounds)
{
  gint stop_fd, round;
  pid_t sender = bench_start_sender (&senders[0], stream, &stop_fd);
  Duel duel;

  duel_init (&duel, receivers, G_N_ELEMENTS (receivers));
  for (round = 0; round < rounds; round++)
    duel_round (&duel, bench_run_receiver, stream, round);
  bench_stop_sender (sender, stop_fd);
  duel_report (&duel, report, what);
  duel_clear (&duel);
}

int
main (int argc, char **argv)
{
  static const BenchStream moderate = { 40, 50, 50 };
  static const BenchStream fast = { 200, 100, 100 };
  g_autofree gchar *json = NULL;
  BenchReport *report;
  gint rounds = 7;

  if (!bench_parse_options (&argc, &argv,
          "CPU time per packet of lmccsink and lmccsrc against their peers.",
          &json, &rounds))
    return 2;
  report = bench_report_new ("CPU time per packet of " G_STRINGIFY (
      BENCH_PACKET_SIZE) " bytes, loopback multicast");
  measure_senders (report, &moderate, "2,000/s:", rounds);
  measure_senders (report, &fast, "20,000/s:", rounds);
  measure_receivers (report, &moderate, "2,000/s:", rounds);
  measure_receivers (report, &fast, "20,000/s:", rounds);
  return bench_report_finish (report, json);
}
