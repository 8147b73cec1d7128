/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bench-process.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define START_TIMEOUT (15 * GST_SECOND)

typedef struct
{
  guint64 packets;
  gdouble cpu_us;
  glong switches;
  gint64 spent[BENCH_MAX_PARTS];
  guint64 counted[BENCH_MAX_PARTS];
} Counts;

/* In the children */

static gint64 spent[BENCH_MAX_PARTS];
static GMutex spent_lock;
static guint64 counted[BENCH_MAX_PARTS];

/**
 * bench_process_spend:
 * @part: of the process's work, below %BENCH_MAX_PARTS
 * @ns: CPU time that this thread has spent on it
 */
void
bench_process_spend (guint part, gint64 ns)
{
  g_mutex_lock (&spent_lock);
  spent[part] += ns;
  g_mutex_unlock (&spent_lock);
}

/**
 * bench_process_count:
 * @part: what was done once more, below %BENCH_MAX_PARTS
 *
 * Takes no lock: locks may be what is counted.
 */
void
bench_process_count (guint part)
{
  __atomic_fetch_add (&counted[part], 1, __ATOMIC_RELAXED);
}

static void
fail (BenchResult *result, const gchar *failure)
{
  if (result->failure[0] == '\0')
    g_strlcpy (result->failure, failure, sizeof (result->failure));
}

static void
read_usage (Counts *counts)
{
  struct rusage usage;
  guint i;

  getrusage (RUSAGE_SELF, &usage);
  counts->cpu_us =
      (gdouble) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6
      + (gdouble) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  counts->switches = usage.ru_nvcsw + usage.ru_nivcsw;
  g_mutex_lock (&spent_lock);
  memcpy (counts->spent, spent, sizeof (spent));
  g_mutex_unlock (&spent_lock);
  counts->cpu_us -= (gdouble) counts->spent[BENCH_OVERHEAD] / 1000.0;
  for (i = 0; i < BENCH_MAX_PARTS; i++)
    counts->counted[i] = __atomic_load_n (&counted[i], __ATOMIC_RELAXED);
}

/* Tells a profiler when the measurement begins and ends. */
static void
mark (const gchar *name)
{
  prctl (PR_SET_NAME, name);
}

static void
conclude (BenchResult *result, const Counts *before, const Counts *after)
{
  gdouble packets = (gdouble) (after->packets - before->packets);
  guint i;

  if (after->packets <= before->packets) {
    fail (result, "no packet went through");
    return;
  }
  result->us_per_packet = (after->cpu_us - before->cpu_us) / packets;
  result->switches_per_packet =
      (gdouble) (after->switches - before->switches) / packets;
  for (i = 0; i < BENCH_MAX_PARTS; i++) {
    result->parts[i] = (gdouble) (after->spent[i] - before->spent[i])
        / ((after->cpu_us - before->cpu_us) * 1000.0);
    result->counts[i] =
        (gdouble) (after->counted[i] - before->counted[i]) / packets;
  }
  result->ok = TRUE;
}

static GstElement *
parse (const gchar *description, BenchResult *result)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = bench_parse_pipeline (description, &error);

  if (error)
    fail (result, error->message);
  return pipeline;
}

static void
check_bus (GstElement *pipeline, BenchResult *result)
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
get_stat (GstElement *element, const gchar *name)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 value = 0;

  g_object_get (element, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, name, &value);
  return value;
}

/* What the element says that it sent; a fake one sends what it gets. */
static guint64
count_sent (GstElement *element, guint64 pushed)
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
feeder_open (Feeder *feeder, const BenchContender *contender,
    const BenchStream *stream, BenchResult *result)
{
  memset (feeder, 0, sizeof (*feeder));
  feeder->pipeline = parse (contender->pipeline, result);
  if (feeder->pipeline == NULL)
    return FALSE;
  feeder->element = gst_bin_get_by_name (GST_BIN (feeder->pipeline), "element");
  feeder->clock = gst_system_clock_obtain ();
  feeder->stream = stream;
  feeder->spread = contender->spread;
  feeder->count_pushed = contender->count_pushed;
  feeder->base = gst_clock_get_time (feeder->clock);
  bench_use_time (feeder->pipeline, feeder->clock, feeder->base);
  if (gst_element_set_state (feeder->pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE)
    feeder->source = bench_source_new (feeder->element,
        g_str_has_prefix (contender->pipeline, "lmcc") ? "sink_%u" : "sink",
        bench_stream_caps ());
  if (feeder->source)
    return TRUE;
  check_bus (feeder->pipeline, result);
  fail (result, "the pipeline does not start");
  return FALSE;
}

static gboolean
feeder_run_until (Feeder *feeder, GstClockTime running_time)
{
  while (bench_stream_time (feeder->stream, feeder->next_unit) < running_time) {
    guint unit = feeder->next_unit++;
    GstClockTime time = bench_stream_time (feeder->stream, unit);

    bench_sleep_until (feeder->clock, feeder->base + time);
    if (bench_source_push_unit (feeder->source, feeder->stream, unit, time,
            feeder->spread)
        != GST_FLOW_OK)
      return FALSE;
  }
  return TRUE;
}

static void
feeder_count (Feeder *feeder, Counts *counts)
{
  guint64 pushed =
      (guint64) feeder->next_unit * feeder->stream->packets_per_unit;

  read_usage (counts);
  counts->packets =
      feeder->count_pushed ? pushed : count_sent (feeder->element, pushed);
}

static void
feeder_close (Feeder *feeder)
{
  gst_element_set_state (feeder->pipeline, GST_STATE_NULL);
  bench_source_free (feeder->source);
  gst_object_unref (feeder->element);
  gst_object_unref (feeder->pipeline);
  gst_object_unref (feeder->clock);
}

void
bench_run_sender (const BenchContender *contender, const BenchStream *stream,
    BenchResult *result)
{
  Feeder feeder;
  Counts before, after;

  if (!feeder_open (&feeder, contender, stream, result))
    return;
  feeder_run_until (&feeder, contender->warm_up);
  mark ("measured");
  feeder_count (&feeder, &before);
  if (!feeder_run_until (&feeder, contender->warm_up + contender->window))
    fail (result, "the element takes no data");
  feeder_count (&feeder, &after);
  mark ("ended");
  conclude (result, &before, &after);
  check_bus (feeder.pipeline, result);
  feeder_close (&feeder);
}

static GstPadProbeReturn
count_data (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info,
    gpointer user_data)
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
count_on (GstElement *pipeline, gint *packets)
{
  g_autoptr (GstElement) counter =
      gst_bin_get_by_name (GST_BIN (pipeline), "counter");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (counter, "sink");

  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, count_data,
      packets, NULL);
}

static gboolean
wait_for_packets (gint *packets)
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
read_loss (GstElement *pipeline, BenchResult *result)
{
  g_autoptr (GstElement) element =
      gst_bin_get_by_name (GST_BIN (pipeline), "element");
  guint64 lost = 0, received = 0;

  if (!g_object_class_find_property (G_OBJECT_GET_CLASS (element), "stats"))
    return;
  lost = get_stat (element, "packets-lost");
  received = get_stat (element, "packets-received");
  result->repaired = get_stat (element, "packets-repaired");
  result->lost = (gdouble) lost / (gdouble) MAX (lost + received, 1);
}

void
bench_run_receiver (const BenchContender *contender,
    const BenchStream *stream G_GNUC_UNUSED, BenchResult *result)
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
  g_usleep (contender->warm_up / GST_USECOND);
  mark ("measured");
  read_usage (&before);
  before.packets = (guint64) g_atomic_int_get (&packets);
  g_usleep (contender->window / GST_USECOND);
  read_usage (&after);
  after.packets = (guint64) g_atomic_int_get (&packets);
  mark ("ended");
  conclude (result, &before, &after);
  read_loss (pipeline, result);
  check_bus (pipeline, result);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* Feeds the receivers until it is told to stop. */
static void
feed_receivers (const BenchContender *sender, const BenchStream *stream,
    gint stop_fd)
{
  BenchResult result = { 0 };
  Feeder feeder;
  gchar byte;

  gst_init (NULL, NULL);
  if (!feeder_open (&feeder, sender, stream, &result)) {
    fprintf (stderr, "the sender: %s\n", result.failure);
    _exit (1);
  }
  while (recv (stop_fd, &byte, 1, MSG_DONTWAIT) < 0)
    feeder_run_until (&feeder,
        bench_stream_time (stream, feeder.next_unit + 1));
  feeder_close (&feeder);
  _exit (0);
}

/* In the parent */

BenchResult
bench_run_in_child (BenchRun run, const BenchContender *contender,
    const BenchStream *stream)
{
  BenchResult result = { 0 };
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

pid_t
bench_start_sender (const BenchContender *contender, const BenchStream *stream,
    gint *stop_fd)
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

void
bench_stop_sender (pid_t sender, gint stop_fd)
{
  gint status;

  close (stop_fd);
  waitpid (sender, &status, 0);
}
