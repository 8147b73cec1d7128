/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the CPU time per packet of lmccsink and lmccsrc with one layer,
 * against other GStreamer elements. Each pipeline runs in its own process;
 * within a round, the contenders run directly after each other; ratios are
 * of one round.
 */
#include "bench-duel.h"
#include "bench-wakeups.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define GROUP "239.255.43.1"
#define PORT 25004

/* Rows with large buffers use the largest size that many kernels allow
 * without privileges; it suffices for 30 ms at 100,000/s. */
#define LARGE " buffer-size=4194304"

#define TO "port=" G_STRINGIFY (PORT) " multicast-iface=" BENCH_INTERFACE " "
#define LMCCSINK(options) \
  "lmccsink name=element sync=false address=" GROUP " " TO options
#define UDPSINK(options) "udpsink async=false host=" GROUP " " TO options
#define TIMED .warm_up = 300 * GST_MSECOND, .window = 1500 * GST_MSECOND

/* Senders of RTP packets; @large is LARGE or "". */
#define SENDERS(large)                                                         \
  {                                                                            \
    { { "lmccsink", LMCCSINK (large), TIMED }, BENCH_OURS, NULL },             \
        { { "lmccsink max-burst=10", LMCCSINK ("max-burst=10" large), TIMED }, \
          BENCH_OURS, "max-burst" },                                           \
        { { "lmccsink txtime=on", LMCCSINK ("txtime=on" large), TIMED },       \
          BENCH_OURS, "txtime" },                                              \
        { { "udpsink", UDPSINK ("name=element sync=false" large), TIMED },     \
          BENCH_PEER, NULL },                                                  \
        { { "udpsink, each packet at its time",                                \
              UDPSINK ("name=element sync=true" large), .spread = TRUE,        \
              TIMED },                                                         \
          BENCH_PEER, NULL },                                                  \
        { { "rtpbin ! udpsink",                                                \
              "rtpbin name=element element.send_rtp_src_0 ! " UDPSINK (        \
                  "sync=false" large),                                         \
              TIMED },                                                         \
          BENCH_PEER, NULL },                                                  \
        { { "fakesink",                                                        \
              "fakesink name=element sync=false async=false "                  \
              "enable-last-sample=false",                                      \
              TIMED },                                                         \
          BENCH_FEED, NULL },                                                  \
  }

static const BenchDuelist senders[] = SENDERS ("");
static const BenchDuelist senders_large[] = SENDERS (LARGE);

/* The same for pictures from an encoder. */
static const BenchDuelist picture_senders[] = {
  { { "lmccsink", LMCCSINK (""), .pictures = TRUE, TIMED }, BENCH_OURS, NULL },
  { { "lmccsink max-burst=10", LMCCSINK ("max-burst=10"), .pictures = TRUE,
        TIMED },
      BENCH_OURS, "max-burst" },
  { { "rtph264pay ! udpsink",
        "rtph264pay name=element mtu=1200 ! " UDPSINK ("sync=false"),
        .pictures = TRUE, TIMED },
      BENCH_PEER, NULL },
};

#define COUNTER                                      \
  " ! fakesink name=counter sync=false async=false " \
  "enable-last-sample=false"
#define UDPSRC(options)                                                \
  "udpsrc name=element address=" GROUP " " TO                          \
  "caps=\"application/x-rtp,media=video,encoding-name=H264,clock-rate" \
  "=90000,payload=96\"" options
#define RECEIVED                                              \
  .warm_up = 300 * GST_MSECOND, .window = 1500 * GST_MSECOND, \
  .count_received = TRUE

#define RECEIVERS(large)                                                      \
  {                                                                           \
    { { "lmccsrc",                                                            \
          "lmccsrc name=element algorithm=none address=" GROUP                \
          " " TO large COUNTER,                                               \
          RECEIVED },                                                         \
      BENCH_OURS, NULL },                                                     \
        { { "udpsrc", UDPSRC (large) COUNTER, RECEIVED }, BENCH_PEER, NULL }, \
        { { "udpsrc ! rtpjitterbuffer",                                       \
              UDPSRC (large) " ! rtpjitterbuffer" COUNTER, RECEIVED },        \
          BENCH_PEER, NULL },                                                 \
        { { "udpsrc ! rtpbin",                                                \
              UDPSRC (large) " ! rtpbin.recv_rtp_sink_0 rtpbin name=rtpbin "  \
                             "rtpbin." COUNTER,                               \
              RECEIVED },                                                     \
          BENCH_PEER, NULL },                                                 \
  }

static const BenchDuelist receivers[] = RECEIVERS ("");
static const BenchDuelist receivers_large[] = RECEIVERS (LARGE);

typedef struct
{
  const gchar *name;
  BenchStream stream;
  gboolean large; /* large socket buffers */
  gboolean quick;
} Rate;

static const Rate rates[] = {
  { "200/s:", { 8, 25, 25 }, FALSE, FALSE },
  { "2,000/s:", { 40, 50, 50 }, FALSE, TRUE },
  { "20,000/s:", { 200, 100, 100 }, FALSE, TRUE },
  { "100,000/s, large buffers:", { 1000, 100, 100 }, TRUE, FALSE },
};

static const BenchAim aims[] = {
  { "20,000/s:", "lmccsink", "udpsink", 0.6 },
  { "2,000/s:", "lmccsink", "udpsink, each packet at its time", 0.7 },
  { "2,000/s:", "lmccsink max-burst=10", "udpsink", 1.2 },
  { "2,000/s:", "lmccsink txtime=on", "udpsink", 1.2 },
  { "2,000/s:", "lmccsrc", "udpsrc", 0.6 },
  { "2,000/s:", "lmccsrc", "udpsrc ! rtpbin", 0.3 },
  { "20,000/s:", "lmccsrc", "udpsrc", 0.9 },
  { "20,000/s:", "lmccsrc", "udpsrc ! rtpbin", 0.45 },
  { NULL },
};

/* Packets still waiting when a measurement ends are at most 1 %. */
#define LEAST_SENT 0.98

/* The packets must leave the socket, not only enter the element. */
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
measure_senders (BenchReport *report, const gchar *what, const Rate *rate,
    const BenchDuelist *duelists, guint n, gint rounds)
{
  const BenchDuel duel = { .what = what,
    .run = bench_run_sender,
    .stream = rate->stream,
    .duelists = duelists,
    .n_duelists = n,
    .aims = aims,
    .least_sent = LEAST_SENT,
    .details = g_str_equal (what, "2,000/s:"),
    .cores = rate->large };
  gint fd = bench_open_capture (GROUP, PORT, 4096);

  bench_duel_measure (&duel, report, rounds);
  if (fd < 0 || !capture_saw_packets (fd))
    bench_report_fail (report, what,
        "no packet reached the loopback interface");
  if (fd >= 0)
    close (fd);
}

static void
measure_receivers (BenchReport *report, const gchar *what, const Rate *rate,
    gint rounds)
{
  const BenchDuelist *sender = rate->large ? senders_large : senders;
  const BenchDuel duel = { .what = what,
    .run = bench_run_receiver,
    .stream = rate->stream,
    .duelists = rate->large ? receivers_large : receivers,
    .n_duelists = G_N_ELEMENTS (receivers),
    .aims = aims,
    .details = g_str_equal (what, "2,000/s:"),
    .cores = rate->large };
  gint stop_fd;
  pid_t child =
      bench_start_sender (&sender->contender, &rate->stream, &stop_fd);

  bench_duel_measure (&duel, report, rounds);
  bench_stop_sender (child, stop_fd);
}

/* With one processor less for the measured processes. */
static void
measure_beside_busy (BenchReport *report, const Rate *rate, gint rounds)
{
  g_autofree gchar *what = g_strdup_printf ("%.*s, beside a busy process:",
      (gint) strlen (rate->name) - 1, rate->name);
  pid_t busy = bench_start_busy ();

  measure_senders (report, what, rate, senders, G_N_ELEMENTS (senders), rounds);
  measure_receivers (report, what, rate, rounds);
  bench_stop_busy (busy);
}

static void
measure_pictures (BenchReport *report, const Rate *rate, gint rounds)
{
  g_autofree gchar *what = g_strdup_printf ("%.*s, fed with pictures:",
      (gint) strlen (rate->name) - 1, rate->name);

  measure_senders (report, what, rate, picture_senders,
      G_N_ELEMENTS (picture_senders), rounds);
}

int
main (int argc, char **argv)
{
  g_autofree gchar *json = NULL;
  gboolean quick = FALSE;
  BenchReport *report;
  gint rounds = 7;
  guint i;

  if (!bench_parse_options_quick (&argc, &argv,
          "CPU time per packet of lmccsink and lmccsrc against their peers.",
          &json, &rounds, &quick))
    return 2;
  if (quick)
    rounds = MIN (rounds, 3);
  report = bench_report_new ("CPU time per packet of " G_STRINGIFY (
      BENCH_PACKET_SIZE) " bytes, loopback multicast");
  bench_wakeups_measure (report, rounds);
  for (i = 0; i < G_N_ELEMENTS (rates); i++) {
    if (quick && !rates[i].quick)
      continue;
    measure_senders (report, rates[i].name, &rates[i],
        rates[i].large ? senders_large : senders, G_N_ELEMENTS (senders),
        rounds);
    measure_receivers (report, rates[i].name, &rates[i], rounds);
  }
  if (!quick)
    measure_beside_busy (report, &rates[1], rounds);
  for (i = 1; i < 3 && !quick; i++)
    measure_pictures (report, &rates[i], rounds);
  return bench_report_finish (report, json);
}
