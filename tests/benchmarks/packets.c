/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CPU time per packet of lmccsink against udpsink, of lmccsrc against
 * udpsrc, and of both with repair against without. Each pipeline runs in a
 * process of its own, in turn, the contenders of one round right after each
 * other; ratios are of one round.
 */
#include "bench.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define GROUP "239.255.43.1"
#define PORT 25004

#define WARM_UP (300 * GST_MSECOND)
#define WINDOW (1500 * GST_MSECOND)
#define START_TIMEOUT (5 * GST_SECOND)

#define MAX_CONTENDERS 4

typedef struct
{
  const gchar *name;
  const gchar *pipeline;
  gboolean spread;
} Contender;

typedef struct
{
  gboolean ok;
  gchar failure[120];
  gdouble us_per_packet;
  gdouble switches_per_packet;
  gdouble lost;                 /* share; lmccsrc alone knows */
} Result;

typedef struct
{
  guint64 packets;
  gdouble cpu_us;
  glong switches;
} Counts;

#define TO_GROUP "udpsink host=" GROUP " port=" G_STRINGIFY (PORT) \
    " multicast-iface=" BENCH_INTERFACE " name=element async=false "

static const Contender senders[] = {
  {"lmccsink", "lmccsink address=" GROUP " port=" G_STRINGIFY (PORT)
      " multicast-iface=" BENCH_INTERFACE " name=element sync=false", FALSE},
  {"udpsink", TO_GROUP "sync=false", FALSE},
  {"udpsink, each packet at its time", TO_GROUP "sync=true", TRUE},
  {"fakesink", "fakesink name=element sync=false async=false "
        "enable-last-sample=false", FALSE},
};

#define REPAIRING "lmccsink address=" GROUP " port=" G_STRINGIFY (PORT) \
    " multicast-iface=" BENCH_INTERFACE " name=element sync=false "

/* Costs are for each packet that goes in. */
static const Contender repairing[] = {
  {"lmccsink, repair=0.1", REPAIRING "repair=0.1 repair-delay=500", FALSE},
  {"lmccsink, repair=0", REPAIRING "repair=0", FALSE},
};

#define COUNTER " ! fakesink name=counter sync=false async=false " \
    "enable-last-sample=false"
#define FROM_GROUP "udpsrc address=" GROUP " port=" G_STRINGIFY (PORT) \
    " multicast-iface=" BENCH_INTERFACE " name=element caps=\"" \
    "application/x-rtp,media=video,encoding-name=H264,clock-rate=90000\""

static const Contender receivers[] = {
  {"lmccsrc", "lmccsrc address=" GROUP " port=" G_STRINGIFY (PORT)
        " multicast-iface=" BENCH_INTERFACE " algorithm=none name=element"
        COUNTER,
      FALSE},
  {"udpsrc", FROM_GROUP COUNTER, FALSE},
  {"udpsrc ! rtpjitterbuffer", FROM_GROUP " ! rtpjitterbuffer" COUNTER, FALSE},
};

/* In the children */

static void
fail (Result * result, const gchar * failure)
{
  if (result->failure[0] == '\0')
    g_strlcpy (result->failure, failure, sizeof (result->failure));
}

static void
read_usage (Counts * counts)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  counts->cpu_us = (gdouble) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      * 1e6 + (gdouble) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  counts->switches = usage.ru_nvcsw + usage.ru_nivcsw;
}

static void
conclude (Result * result, const Counts * before, const Counts * after)
{
  gdouble packets = (gdouble) (after->packets - before->packets);

  if (after->packets <= before->packets) {
    fail (result, "no packet went through");
    return;
  }
  result->us_per_packet = (after->cpu_us - before->cpu_us) / packets;
  result->switches_per_packet =
      (gdouble) (after->switches - before->switches) / packets;
  result->ok = TRUE;
}

static GstElement *
parse (const gchar * description, Result * result)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = bench_parse_pipeline (description, &error);

  if (error)
    fail (result, error->message);
  return pipeline;
}

static void
check_bus (GstElement * pipeline, Result * result)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  if (message == NULL)
    return;
  gst_message_parse_error (message, &error, NULL);
  fail (result, error->message);
  result->ok = FALSE;
}

static guint64
get_stat (GstElement * element, const gchar * name)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 value = 0;

  g_object_get (element, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, name, &value);
  return value;
}

/* What the element says that it sent; a fake one sends what it gets. */
static guint64
count_sent (GstElement * element, guint64 pushed)
{
  GObjectClass *klass = G_OBJECT_GET_CLASS (element);
  guint64 bytes;

  if (g_object_class_find_property (klass, "bytes-served")) {
    g_object_get (element, "bytes-served", &bytes, NULL);
    return bytes / BENCH_PACKET_SIZE;
  }
  if (g_object_class_find_property (klass, "sdp-location"))
    return get_stat (element, "packets-sent");
  return pushed;
}

typedef struct
{
  GstElement *pipeline;
  GstElement *element;
  GstPad *source;
  GstClock *clock;
  GstClockTime base;
  const BenchStream *stream;
  guint next_unit;
  gboolean spread;
  gboolean count_pushed;
} Feeder;

static gboolean
feeder_open (Feeder * feeder, const Contender * contender,
    const BenchStream * stream, Result * result)
{
  memset (feeder, 0, sizeof (*feeder));
  feeder->pipeline = parse (contender->pipeline, result);
  if (feeder->pipeline == NULL)
    return FALSE;
  feeder->element = gst_bin_get_by_name (GST_BIN (feeder->pipeline), "element");
  feeder->clock = gst_system_clock_obtain ();
  feeder->stream = stream;
  feeder->spread = contender->spread;
  feeder->count_pushed = contender >= repairing
      && contender < repairing + G_N_ELEMENTS (repairing);
  feeder->base = gst_clock_get_time (feeder->clock);
  bench_use_time (feeder->pipeline, feeder->clock, feeder->base);
  if (gst_element_set_state (feeder->pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE)
    feeder->source = bench_source_new (feeder->element,
        g_str_has_prefix (contender->name, "lmcc") ? "sink_%u" : "sink",
        bench_stream_caps ());
  if (feeder->source)
    return TRUE;
  check_bus (feeder->pipeline, result);
  fail (result, "the pipeline does not start");
  return FALSE;
}

static gboolean
feeder_run_until (Feeder * feeder, GstClockTime running_time)
{
  while (bench_stream_time (feeder->stream, feeder->next_unit) < running_time) {
    guint unit = feeder->next_unit++;
    GstClockTime time = bench_stream_time (feeder->stream, unit);

    bench_sleep_until (feeder->clock, feeder->base + time);
    if (bench_source_push_unit (feeder->source, feeder->stream, unit, time,
            feeder->spread) != GST_FLOW_OK)
      return FALSE;
  }
  return TRUE;
}

static void
feeder_count (Feeder * feeder, Counts * counts)
{
  guint64 pushed =
      (guint64) feeder->next_unit * feeder->stream->packets_per_unit;

  read_usage (counts);
  counts->packets = feeder->count_pushed ? pushed
      : count_sent (feeder->element, pushed);
}

static void
feeder_close (Feeder * feeder)
{
  gst_element_set_state (feeder->pipeline, GST_STATE_NULL);
  bench_source_free (feeder->source);
  gst_object_unref (feeder->element);
  gst_object_unref (feeder->pipeline);
  gst_object_unref (feeder->clock);
}

static void
run_sender (const Contender * contender, const BenchStream * stream,
    Result * result)
{
  Feeder feeder;
  Counts before, after;

  if (!feeder_open (&feeder, contender, stream, result))
    return;
  feeder_run_until (&feeder, WARM_UP);
  feeder_count (&feeder, &before);
  if (!feeder_run_until (&feeder, WARM_UP + WINDOW))
    fail (result, "the element takes no data");
  feeder_count (&feeder, &after);
  conclude (result, &before, &after);
  check_bus (feeder.pipeline, result);
  feeder_close (&feeder);
}

static GstPadProbeReturn
count_data (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  gint *packets = user_data;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST)
    g_atomic_int_add (packets,
        (gint) gst_buffer_list_length (GST_PAD_PROBE_INFO_BUFFER_LIST (info)));
  else
    g_atomic_int_inc (packets);
  return GST_PAD_PROBE_OK;
}

static void
count_on (GstElement * pipeline, gint * packets)
{
  g_autoptr (GstElement) counter =
      gst_bin_get_by_name (GST_BIN (pipeline), "counter");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (counter, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_BUFFER_LIST, count_data, packets, NULL);
}

static gboolean
wait_for_packets (gint * packets)
{
  guint64 waited;

  for (waited = 0; waited < START_TIMEOUT; waited += 10 * GST_MSECOND) {
    if (g_atomic_int_get (packets) > 0)
      return TRUE;
    g_usleep (10000);
  }
  return FALSE;
}

static void
read_loss (GstElement * pipeline, Result * result)
{
  g_autoptr (GstElement) element =
      gst_bin_get_by_name (GST_BIN (pipeline), "element");
  guint64 lost = 0, received = 0;

  if (!g_object_class_find_property (G_OBJECT_GET_CLASS (element), "stats"))
    return;
  lost = get_stat (element, "packets-lost");
  received = get_stat (element, "packets-received");
  result->lost = (gdouble) lost / (gdouble) MAX (lost + received, 1);
}

static void
run_receiver (const Contender * contender, const BenchStream * stream,
    Result * result)
{
  GstElement *pipeline = parse (contender->pipeline, result);
  Counts before, after;
  gint packets = 0;

  if (pipeline == NULL)
    return;
  count_on (pipeline, &packets);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  if (!wait_for_packets (&packets))
    fail (result, "no packet came");
  g_usleep (WARM_UP / 1000);
  read_usage (&before);
  before.packets = (guint64) g_atomic_int_get (&packets);
  g_usleep (WINDOW / 1000);
  read_usage (&after);
  after.packets = (guint64) g_atomic_int_get (&packets);
  conclude (result, &before, &after);
  read_loss (pipeline, result);
  check_bus (pipeline, result);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* Feeds the receivers until it is told to stop. */
static void
feed_receivers (const Contender * sender, const BenchStream * stream,
    gint stop_fd)
{
  Result result = { 0, };
  Feeder feeder;
  gchar byte;

  gst_init (NULL, NULL);
  if (!feeder_open (&feeder, sender, stream, &result)) {
    fprintf (stderr, "the sender: %s\n", result.failure);
    _exit (1);
  }
  while (recv (stop_fd, &byte, 1, MSG_DONTWAIT) < 0)
    feeder_run_until (&feeder, bench_stream_time (stream,
            feeder.next_unit + 1));
  feeder_close (&feeder);
  _exit (0);
}

/* In the parent */

typedef void (*Run) (const Contender * contender, const BenchStream * stream,
    Result * result);

static Result
run_in_child (Run run, const Contender * contender, const BenchStream * stream)
{
  Result result = { 0, };
  gint fds[2], status;
  pid_t child;

  if (pipe (fds) != 0)
    g_error ("no pipe");
  fflush (NULL);
  child = fork ();
  if (child == 0) {
    gst_init (NULL, NULL);
    run (contender, stream, &result);
    _exit (write (fds[1], &result, sizeof (result)) != sizeof (result));
  }
  close (fds[1]);
  if (child < 0 || read (fds[0], &result, sizeof (result)) != sizeof (result))
    fail (&result, "the process ended early");
  close (fds[0]);
  if (child > 0)
    waitpid (child, &status, 0);
  return result;
}

typedef struct
{
  const Contender *contenders;
  guint n;
  GArray *cost[MAX_CONTENDERS];
  GArray *switches[MAX_CONTENDERS];
  GArray *ratio[MAX_CONTENDERS];
  GArray *net_ratio;
  GArray *lost;
  gchar failure[MAX_CONTENDERS][120];
} Duel;

static void
duel_init (Duel * duel, const Contender * contenders, guint n)
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
duel_clear (Duel * duel)
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
duel_round (Duel * duel, Run run, const BenchStream * stream, gint round)
{
  Result results[MAX_CONTENDERS];
  gboolean all = TRUE;
  guint i;

  for (i = 0; i < duel->n; i++) {
    guint turn = round % 2 ? duel->n - 1 - i : i;

    results[turn] = run_in_child (run, &duel->contenders[turn], stream);
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
add (BenchReport * report, const gchar * what, const gchar * name,
    const gchar * peer, const gchar * unit, GArray * series, gdouble bound)
{
  g_autofree gchar *text = g_strdup_printf ("%s %s%s%s", what, name,
      peer ? " / " : "", peer ? peer : "");

  bench_report_add (report, text, unit, series, bound);
}

static void
duel_report (Duel * duel, BenchReport * report, const gchar * what)
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
    add (report, what, name, "udpsink, less fakesink", "ratio",
        duel->net_ratio, BENCH_NO_BOUND);
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
measure_senders (BenchReport * report, const BenchStream * stream,
    const gchar * what, gint rounds)
{
  gint fd = bench_open_capture (GROUP, PORT, 4096), round;
  Duel duel;

  duel_init (&duel, senders, G_N_ELEMENTS (senders));
  for (round = 0; round < rounds; round++)
    duel_round (&duel, run_sender, stream, round);
  if (fd < 0 || !capture_saw_packets (fd))
    bench_report_fail (report, what,
        "no packet reached the loopback interface");
  if (fd >= 0)
    close (fd);
  duel_report (&duel, report, what);
  duel_clear (&duel);
}

static pid_t
start_sender (const Contender * contender, const BenchStream * stream,
    gint * stop_fd)
{
  gint fds[2];
  pid_t sender;

  if (socketpair (AF_UNIX, SOCK_STREAM, 0, fds) != 0)
    g_error ("no socket pair");
  fflush (NULL);
  sender = fork ();
  if (sender == 0) {
    close (fds[0]);
    feed_receivers (contender, stream, fds[1]);
  }
  close (fds[1]);
  *stop_fd = fds[0];

  return sender;
}

static void
measure_receivers (BenchReport * report, const BenchStream * stream,
    const gchar * what, gint rounds)
{
  gint stop_fd, status, round;
  pid_t sender = start_sender (&senders[0], stream, &stop_fd);
  Duel duel;

  duel_init (&duel, receivers, G_N_ELEMENTS (receivers));
  for (round = 0; round < rounds; round++)
    duel_round (&duel, run_receiver, stream, round);
  close (stop_fd);
  waitpid (sender, &status, 0);
  duel_report (&duel, report, what);
  duel_clear (&duel);
}

static Result
run_repaired (const Contender * sender, const BenchStream * stream)
{
  gint stop_fd, status;
  pid_t child = start_sender (sender, stream, &stop_fd);
  Result result = run_in_child (run_receiver, &receivers[0], stream);

  close (stop_fd);
  waitpid (child, &status, 0);

  return result;
}

/* With repair and without, right after each other. */
static void
measure_repair (BenchReport * report, const BenchStream * stream,
    gboolean receiving, gint rounds)
{
  static const gchar *const names[2][3] = {
    {"lmccsink, repair=0.1", "lmccsink, repair=0", "lmccsink, with / without"},
    {"lmccsrc, repair=0.1", "lmccsrc, repair=0", "lmccsrc, with / without"},
  };
  GArray *series[3];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (series); i++)
    series[i] = bench_series_new ();
  while (rounds-- > 0) {
    Result results[2];

    for (i = 0; i < G_N_ELEMENTS (results); i++)
      results[i] = receiving ? run_repaired (&repairing[i], stream)
          : run_in_child (run_sender, &repairing[i], stream);
    for (i = 0; i < G_N_ELEMENTS (results); i++) {
      if (!results[i].ok)
        bench_report_fail (report, names[receiving][i], results[i].failure);
    }
    if (!results[0].ok || !results[1].ok)
      continue;
    for (i = 0; i < G_N_ELEMENTS (results); i++)
      bench_series_add (series[i], results[i].us_per_packet);
    bench_series_add (series[2],
        results[0].us_per_packet / results[1].us_per_packet);
  }
  for (i = 0; i < G_N_ELEMENTS (series); i++) {
    g_autofree gchar *text = g_strdup_printf ("10 Mbit/s: %s",
        names[receiving][i]);

    if (series[i]->len > 0)
      bench_report_add (report, text, i < 2 ? "us/packet" : "ratio", series[i],
          BENCH_NO_BOUND);
    g_array_unref (series[i]);
  }
}

int
main (int argc, char **argv)
{
  static const BenchStream moderate = { 40, 50, 50 };
  static const BenchStream fast = { 200, 100, 100 };
  static const BenchStream repaired = { 21, 50, 50 };
  g_autofree gchar *json = NULL;
  BenchReport *report;
  gint rounds = 7;

  if (!bench_parse_options (&argc, &argv,
          "CPU time per packet of lmccsink and lmccsrc against their peers.",
          &json, &rounds))
    return 2;
  report = bench_report_new ("CPU time per packet of "
      G_STRINGIFY (BENCH_PACKET_SIZE) " bytes, loopback multicast");
  measure_senders (report, &moderate, "2,000/s:", rounds);
  measure_senders (report, &fast, "20,000/s:", rounds);
  measure_receivers (report, &moderate, "2,000/s:", rounds);
  measure_receivers (report, &fast, "20,000/s:", rounds);
  measure_repair (report, &repaired, FALSE, rounds);
  measure_repair (report, &repaired, TRUE, rounds);
  return bench_report_finish (report, json);
}
