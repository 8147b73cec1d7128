/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bench-feeder.h"
#include "bench-process.h"

#include <gio/gio.h>
#include <linux/sock_diag.h>
#include <signal.h>
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
  gint64 time; /* us */
  guint64 packets;
  guint64 sent;
  gdouble cpu_us;
  glong switches;
  gint64 spent[BENCH_MAX_PARTS];
  guint64 counted[BENCH_MAX_PARTS];
} Counts;

typedef struct
{
  guint64 packets;
  guint64 lost;
  guint64 repaired;
} Received;

static gint64 spent[BENCH_MAX_PARTS];
static GMutex spent_lock;
static guint64 counted[BENCH_MAX_PARTS];

/**
 * bench_process_spend:
 * @part: part of the process's work, below %BENCH_MAX_PARTS
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
 * @part: what to count, below %BENCH_MAX_PARTS
 *
 * Takes no lock, because locks may be what is counted.
 */
void
bench_process_count (guint part)
{
  __atomic_fetch_add (&counted[part], 1, __ATOMIC_RELAXED);
}

/* Threads of source pads have the pads' names. */
static void
count_threads (BenchResult *result)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  const gchar *task;

  result->threads = result->other_threads = 0;
  while (tasks && (task = g_dir_read_name (tasks))) {
    g_autofree gchar *path = g_strdup_printf ("/proc/self/task/%s/comm", task);
    g_autofree gchar *name = NULL;

    if (!g_file_get_contents (path, &name, NULL, NULL))
      continue;
    result->threads++;
    if (!g_str_has_suffix (name, ":src\n")
        && g_ascii_strtoll (task, NULL, 10) != getpid ())
      result->other_threads++;
  }
}

/**
 * bench_process_read_size:
 * @result: (out): receives the number of threads and the memory of this process
 */
void
bench_process_read_size (BenchResult *result)
{
  g_autofree gchar *status = NULL;
  const gchar *line = NULL;

  count_threads (result);
  if (g_file_get_contents ("/proc/self/status", &status, NULL, NULL))
    line = strstr (status, "\nVmRSS:");
  result->resident_kb =
      line ? (guint) g_ascii_strtoull (line + 7, NULL, 10) : 0;
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
  counts->time = g_get_monotonic_time ();
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

/* Marks the begin and end of the measurement for a profiler. */
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
    fail (result, "no packet passed through");
    return;
  }
  result->us_per_packet = (after->cpu_us - before->cpu_us) / packets;
  result->packets_per_second =
      packets * 1e6 / (gdouble) (after->time - before->time);
  result->switches_per_packet =
      (gdouble) (after->switches - before->switches) / packets;
  for (i = 0; i < BENCH_MAX_PARTS; i++) {
    result->parts[i] = (gdouble) (after->spent[i] - before->spent[i])
        / ((after->cpu_us - before->cpu_us) * 1000.0);
    result->counts[i] =
        (gdouble) (after->counted[i] - before->counted[i]) / packets;
  }
  bench_process_read_size (result);
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

/**
 * bench_process_check:
 * @pipeline: a pipeline
 * @result: set to failed if @pipeline has posted an error
 */
void
bench_process_check (GstElement *pipeline, BenchResult *result)
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

static void
count_sender (BenchFeeder *feeder, const BenchContender *contender,
    Counts *counts)
{
  read_usage (counts);
  counts->sent = bench_feeder_count_sent (feeder);
  counts->packets = contender->count_pushed ? feeder->pushed : counts->sent;
}

void
bench_run_sender (const BenchContender *contender, const BenchStream *stream,
    BenchResult *result)
{
  guint64 pushed;
  BenchFeeder feeder;
  Counts before, after;

  if (!bench_feeder_open (&feeder, contender, stream, result->failure))
    return;
  bench_feeder_run_until (&feeder, contender->warm_up);
  mark ("measured");
  count_sender (&feeder, contender, &before);
  pushed = feeder.pushed;
  if (!bench_feeder_run_until (&feeder, contender->warm_up + contender->window))
    fail (result, "the element accepts no data");
  count_sender (&feeder, contender, &after);
  mark ("ended");
  result->sent = (gdouble) (after.sent - before.sent)
      / (gdouble) MAX (feeder.pushed - pushed, 1);
  conclude (result, &before, &after);
  bench_process_check (feeder.pipeline, result);
  bench_feeder_close (&feeder);
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
count_at (const GValue *item, gpointer packets)
{
  GstElement *element = g_value_get_object (item);
  g_autoptr (GstPad) pad = NULL;

  if (!g_str_has_prefix (GST_OBJECT_NAME (element), "counter"))
    return;
  pad = gst_element_get_static_pad (element, "sink");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, count_data,
      packets, NULL);
}

static void
count_on (GstElement *pipeline, gint *packets)
{
  GstIterator *iterator = gst_bin_iterate_recurse (GST_BIN (pipeline));

  gst_iterator_foreach (iterator, count_at, packets);
  gst_iterator_free (iterator);
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

/* Datagrams that a udpsrc dropped because its socket buffer was full. */
static guint64
count_socket_drops (GstElement *source)
{
  g_autoptr (GSocket) used = NULL;
  guint32 memory[SK_MEMINFO_VARS] = { 0 };
  socklen_t size = sizeof (memory);

  g_object_get (source, "used-socket", &used, NULL);
  if (used)
    getsockopt (g_socket_get_fd (used), SOL_SOCKET, SO_MEMINFO, memory, &size);
  return memory[SK_MEMINFO_DROPS];
}

static void
count_received (const GValue *item, gpointer data)
{
  GstElement *element = g_value_get_object (item);
  Received *received = data;

  if (bench_element_is (element, "udpsrc")) {
    received->lost += count_socket_drops (element);
  } else if (bench_element_is (element, "lmccsrc")) {
    received->lost += bench_element_get_stat (element, "packets-lost");
    received->repaired += bench_element_get_stat (element, "packets-repaired");
    received->packets += bench_element_get_stat (element, "packets-received");
  }
}

/* Packets received from the network. For lmccsrc, taken from its statistics,
 * which include repair packets and layers that are not output. */
static void
read_received (GstElement *pipeline, gint *given_out, Received *received)
{
  GstIterator *iterator = gst_bin_iterate_recurse (GST_BIN (pipeline));

  memset (received, 0, sizeof (*received));
  gst_iterator_foreach (iterator, count_received, received);
  gst_iterator_free (iterator);
  if (received->packets == 0)
    received->packets = (guint64) g_atomic_int_get (given_out);
}

static void
count_receiver (GstElement *pipeline, const BenchContender *contender,
    gint *given_out, Counts *counts, Received *received)
{
  read_usage (counts);
  read_received (pipeline, given_out, received);
  counts->packets = contender->count_received
      ? received->packets
      : (guint64) g_atomic_int_get (given_out);
}

void
bench_run_receiver (const BenchContender *contender,
    const BenchStream *stream G_GNUC_UNUSED, BenchResult *result)
{
  GstElement *pipeline = parse (contender->pipeline, result);
  gint64 start = g_get_monotonic_time ();
  Received first, last;
  Counts before, after;
  gint packets = 0;

  if (pipeline == NULL)
    return;
  count_on (pipeline, &packets);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  if (!wait_for_packets (&packets))
    fail (result, "no packet arrived");
  result->join_ms = (gdouble) (g_get_monotonic_time () - start) / 1000.0;
  g_usleep (contender->warm_up / GST_USECOND);
  mark ("measured");
  count_receiver (pipeline, contender, &packets, &before, &first);
  g_usleep (contender->window / GST_USECOND);
  count_receiver (pipeline, contender, &packets, &after, &last);
  mark ("ended");
  conclude (result, &before, &after);
  result->packets_lost = last.lost - first.lost;
  result->lost = (gdouble) (last.lost - first.lost)
      / (gdouble) MAX (last.lost - first.lost + last.packets - first.packets,
          1);
  result->repaired = last.repaired;
  bench_process_check (pipeline, result);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* Feeds the receivers until told to stop. */
static void
feed_receivers (const BenchContender *sender, const BenchStream *stream,
    gint stop_fd)
{
  gchar failure[120];
  BenchFeeder feeder;
  gchar byte;

  gst_init (NULL, NULL);
  if (!bench_feeder_open (&feeder, sender, stream, failure)) {
    fprintf (stderr, "the sender: %s\n", failure);
    _exit (1);
  }
  while (recv (stop_fd, &byte, 1, MSG_DONTWAIT) < 0)
    bench_feeder_run_until (&feeder, bench_feeder_next (&feeder) + 1);
  bench_feeder_close (&feeder);
  _exit (0);
}

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

/* Size of the data that a busy process works on: more than a processor's own
 * caches hold. */
#define BUSY_SIZE (4 << 20)

/**
 * bench_start_busy:
 *
 * Returns: a process that computes until bench_stop_busy()
 */
pid_t
bench_start_busy (void)
{
  pid_t child;

  fflush (NULL);
  child = fork ();
  if (child == 0) {
    volatile guint8 *data = g_malloc0 (BUSY_SIZE);
    guint at = 0;

    prctl (PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
      at = (at * 1664525u + 1013904223u) % BUSY_SIZE;
      data[at]++;
    }
  }

  return child;
}

void
bench_stop_busy (pid_t busy)
{
  gint status;

  if (busy <= 0)
    return;
  kill (busy, SIGKILL);
  waitpid (busy, &status, 0);
}
