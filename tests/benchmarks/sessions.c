/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures many sources in one process: 100 that each receive their own
 * session of 2 Mbit/s, from as many lmccsink in another process, and 1,000
 * that wait for a session that nobody sends.
 */
#include "bench-process.h"

#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_RECEIVERS 100
#define N_IDLE 1000

/* File descriptors of an idle source, and those of the process besides. */
#define DESCRIPTORS 12
#define OTHER_DESCRIPTORS 100

/* 2.0 Mbit/s. */
static const BenchStream stream = { 7, 30, 30 };

#define WARM_UP (4 * GST_SECOND)
#define WINDOW (10 * GST_SECOND)
#define QUICK_WINDOW (4 * GST_SECOND)

/* Longer than all waiting times at the start. */
#define SETTLES (3 * G_USEC_PER_SEC)

/* Aims: processors, threads besides those of the pads, MB. */
#define MOST_CORES 1.2
#define MOST_THREADS 4
#define MOST_MEMORY 64

/* @receiver: four groups each, and two ports, one for the reports. */
#define ADDRESS "239.255.%u.%u"
#define ADDRESS_OF(i) 100 + (i) / 60, (i) % 60 * 4 + 1
#define PORT_OF(i) (26000 + 2 * (i))

#define COUNTER                                     \
  "fakesink name=counter%u sync=false async=false " \
  "enable-last-sample=false "

static const gchar *const lmccsrc = "lmccsrc algorithm=none";
static const gchar *const udpsrc =
    "udpsrc caps=\"application/x-rtp,media=video,encoding-name=H264,"
    "clock-rate=90000,payload=96\"";

/* @source: (nullable): the source elements, NULL for fakesinks alone
 * @behind: elements between the source and its fakesink, with the links */
static gchar *
describe_sources (guint n, const gchar *source, const gchar *behind)
{
  GString *text = g_string_new (NULL);
  guint i;

  for (i = 0; i < n; i++) {
    if (source)
      g_string_append_printf (text,
          "%s name=s%u multicast-iface=" BENCH_INTERFACE " address=" ADDRESS
          " port=%u %s",
          source, i, ADDRESS_OF (i), PORT_OF (i), behind);
    g_string_append_printf (text, COUNTER, i);
  }

  return g_string_free (text, FALSE);
}

static gchar *
describe_sinks (void)
{
  GString *text = g_string_new (NULL);
  guint i;

  for (i = 0; i < N_RECEIVERS; i++)
    g_string_append_printf (text,
        "lmccsink name=s%u sync=false multicast-iface=" BENCH_INTERFACE
        " address=" ADDRESS " port=%u ",
        i, ADDRESS_OF (i), PORT_OF (i));

  return g_string_free (text, FALSE);
}

/* The sessions' pictures are evenly spaced, as those of independent sources
 * are on average. */
static void
feed_sinks (GstElement *pipeline, GstClock *clock, GstClockTime base)
{
  GstPad *pads[N_RECEIVERS];
  guint unit, i;

  for (i = 0; i < N_RECEIVERS; i++) {
    g_autofree gchar *name = g_strdup_printf ("s%u", i);
    g_autoptr (GstElement) sink =
        gst_bin_get_by_name (GST_BIN (pipeline), name);

    pads[i] = bench_source_new (sink, "sink_%u", bench_stream_caps ());
  }
  for (unit = 0;; unit++) {
    for (i = 0; i < N_RECEIVERS; i++) {
      GstClockTime time = bench_stream_time (&stream, unit)
          + bench_stream_time (&stream, 1) * i / N_RECEIVERS;

      bench_sleep_until (clock, base + time);
      bench_source_push_unit (pads[i], &stream, unit, time, FALSE);
    }
  }
}

static pid_t
start_sender (void)
{
  pid_t child;

  fflush (NULL);
  child = fork ();
  if (child == 0) {
    g_autofree gchar *text = describe_sinks ();
    g_autoptr (GError) error = NULL;
    GstElement *pipeline;
    GstClock *clock;

    prctl (PR_SET_PDEATHSIG, SIGKILL);
    gst_init (NULL, NULL);
    pipeline = bench_parse_pipeline (text, &error);
    if (pipeline == NULL) {
      fprintf (stderr, "the sender: %s\n", error->message);
      _exit (1);
    }
    clock = gst_system_clock_obtain ();
    bench_use_time (pipeline, clock, gst_clock_get_time (clock));
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    feed_sinks (pipeline, clock, gst_element_get_base_time (pipeline));
  }

  return child;
}

typedef struct
{
  const gchar *name;
  const gchar *source;
  const gchar *behind;
  gboolean quick;
  GArray *cores;
  GArray *threads;
  GArray *own_threads;
  GArray *lost;
  GArray *rate;
  GArray *memory;
} Kind;

static void
kind_init (Kind *kind)
{
  kind->cores = bench_series_new ();
  kind->threads = bench_series_new ();
  kind->own_threads = bench_series_new ();
  kind->lost = bench_series_new ();
  kind->rate = bench_series_new ();
  kind->memory = bench_series_new ();
}

static void
kind_clear (Kind *kind)
{
  g_array_unref (kind->cores);
  g_array_unref (kind->threads);
  g_array_unref (kind->own_threads);
  g_array_unref (kind->lost);
  g_array_unref (kind->rate);
  g_array_unref (kind->memory);
}

static void
add (BenchReport *report, const Kind *kind, const gchar *what,
    const gchar *unit, GArray *series, gdouble aim)
{
  g_autofree gchar *name = g_strdup_printf ("%s%s", what, kind->name);

  bench_report_add (report, name, unit, series,
      kind->source == lmccsrc ? aim : BENCH_NO_BOUND);
}

static void
receive_once (Kind *kind, BenchReport *report, GstClockTime window)
{
  g_autofree gchar *text =
      describe_sources (N_RECEIVERS, kind->source, kind->behind);
  const BenchContender contender = { .name = kind->name,
    .pipeline = text,
    .count_received = TRUE,
    .warm_up = WARM_UP,
    .window = window };
  BenchResult result =
      bench_run_in_child (bench_run_receiver, &contender, &stream);

  if (!result.ok) {
    bench_report_fail (report, kind->name, result.failure);
    return;
  }
  bench_series_add (kind->cores,
      result.us_per_packet * result.packets_per_second / 1e6);
  bench_series_add (kind->threads, result.threads);
  bench_series_add (kind->own_threads, result.other_threads);
  bench_series_add (kind->lost, (gdouble) result.packets_lost);
  bench_series_add (kind->rate, result.packets_per_second);
}

static void
report_receivers (BenchReport *report, const Kind *kind)
{
  if (kind->cores->len == 0)
    return;
  add (report, kind, "", "processors", kind->cores, MOST_CORES);
  add (report, kind, "  packets, ", "/s", kind->rate, BENCH_NO_BOUND);
  add (report, kind, "  lost in the host, ", "packets", kind->lost, 0);
  add (report, kind, "  threads, ", "", kind->threads, BENCH_NO_BOUND);
  add (report, kind, "  but those of the pads, ", "", kind->own_threads,
      MOST_THREADS);
}

static void
measure_receivers (BenchReport *report, gint rounds, gboolean quick)
{
  Kind kinds[] = {
    { "100 lmccsrc of 2 Mbit/s", lmccsrc, "! ", TRUE },
    { "100 udpsrc", udpsrc, "! ", TRUE },
    { "100 udpsrc ! rtpjitterbuffer", udpsrc, "! rtpjitterbuffer ! ", FALSE },
  };
  pid_t sender = start_sender ();
  gint round, status;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (kinds); i++)
    kind_init (&kinds[i]);
  for (round = 0; round < rounds; round++) {
    for (i = 0; i < G_N_ELEMENTS (kinds); i++) {
      if (kinds[i].quick || !quick)
        receive_once (&kinds[i], report, quick ? QUICK_WINDOW : WINDOW);
    }
  }
  kill (sender, SIGTERM);
  waitpid (sender, &status, 0);
  for (i = 0; i < G_N_ELEMENTS (kinds); i++) {
    report_receivers (report, &kinds[i]);
    kind_clear (&kinds[i]);
  }
}

static GstElement *
start_idle (const gchar *text, BenchResult *result)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = bench_parse_pipeline (text, &error);

  if (pipeline)
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
  else
    g_strlcpy (result->failure, error->message, sizeof (result->failure));

  return pipeline;
}

static gdouble
get_cpu_time (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (gdouble) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + (gdouble) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Excludes the memory of the first element of its kind, which is that of the
 * library and GStreamer. */
static gboolean
load (const gchar *source, BenchResult *result)
{
  g_autofree gchar *text = describe_sources (1, source, "! ");
  GstElement *pipeline = start_idle (text, result);

  if (pipeline == NULL)
    return FALSE;
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);

  return TRUE;
}

/* @contender: its pipeline has one source */
static void
run_idle (const BenchContender *contender,
    const BenchStream *nothing G_GNUC_UNUSED, BenchResult *result)
{
  g_autofree gchar *text = describe_sources (N_IDLE, contender->pipeline, "! ");
  BenchResult before = { 0 };
  GstElement *pipeline;
  gdouble spent;

  if (!load (contender->pipeline, result))
    return;
  bench_process_read_size (&before);
  pipeline = start_idle (text, result);
  if (pipeline == NULL)
    return;
  g_usleep (SETTLES);
  spent = get_cpu_time ();
  g_usleep (contender->window / GST_USECOND);
  spent = get_cpu_time () - spent;
  bench_process_read_size (result);
  result->resident_kb -= MIN (before.resident_kb, result->resident_kb);
  result->us_per_packet = spent * (gdouble) GST_SECOND / contender->window;
  bench_process_check (pipeline, result);
  result->ok = result->failure[0] == '\0';
}

static void
idle_once (Kind *kind, BenchReport *report)
{
  const BenchContender contender = { .name = kind->name,
    .pipeline = kind->source,
    .window = 2 * GST_SECOND };
  BenchResult result = bench_run_in_child (run_idle, &contender, NULL);

  if (!result.ok) {
    bench_report_fail (report, kind->name, result.failure);
    return;
  }
  bench_series_add (kind->cores, result.us_per_packet);
  bench_series_add (kind->threads, result.threads);
  bench_series_add (kind->own_threads, result.other_threads);
  bench_series_add (kind->memory, result.resident_kb / 1024.0);
}

static void
report_idle (BenchReport *report, const Kind *kind)
{
  if (kind->memory->len == 0)
    return;
  add (report, kind, "memory, ", "MB", kind->memory, MOST_MEMORY);
  add (report, kind, "  processors, ", "", kind->cores, BENCH_NO_BOUND);
  add (report, kind, "  threads, ", "", kind->threads, BENCH_NO_BOUND);
  add (report, kind, "  but those of the pads, ", "", kind->own_threads,
      MOST_THREADS);
}

static gboolean
raise_descriptors (void)
{
  struct rlimit limit;

  getrlimit (RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  return limit.rlim_max >= N_IDLE * DESCRIPTORS + OTHER_DESCRIPTORS
      && setrlimit (RLIMIT_NOFILE, &limit) == 0;
}

static void
measure_idle (BenchReport *report, gint rounds, gboolean quick)
{
  Kind kinds[] = {
    { "1,000 idle lmccsrc", lmccsrc, "! ", TRUE },
    { "1,000 idle udpsrc", udpsrc, "! ", FALSE },
    { "1,000 fakesink alone", NULL, "", FALSE },
  };
  gint round;
  guint i;

  if (!raise_descriptors ()) {
    bench_report_skip (report, kinds[0].name,
        "so many files may not be open here (ulimit -Hn)");
    return;
  }
  for (i = 0; i < G_N_ELEMENTS (kinds); i++) {
    kind_init (&kinds[i]);
    for (round = 0; round < rounds && (kinds[i].quick || !quick); round++)
      idle_once (&kinds[i], report);
    report_idle (report, &kinds[i]);
    kind_clear (&kinds[i]);
  }
}

int
main (int argc, char **argv)
{
  g_autofree gchar *json = NULL;
  gboolean quick = FALSE;
  BenchReport *report;
  gint rounds = 3;

  if (!bench_parse_options_quick (&argc, &argv,
          "What many sources in one process cost.", &json, &rounds, &quick))
    return 2;
  if (quick)
    rounds = 1;
  report = bench_report_new ("Many sources in one process, loopback multicast");
  measure_receivers (report, rounds, quick);
  measure_idle (report, rounds, quick);
  return bench_report_finish (report, json);
}
