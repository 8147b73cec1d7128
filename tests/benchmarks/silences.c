/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures how long no packet of a session is on the wire at 50 Mbit/s: the
 * intervals between consecutive packets of any group, by kernel timestamps
 * of sockets that have joined all groups. Runs with and without repair;
 * disturbances by the machine affect both.
 */
#include "bench-process.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define N_GROUPS 4
#define GROUP "239.255.44.%u"
#define PORT 25304

/* Long enough for two windows: the first one fills while little is sent. */
#define WARM_UP (10 * G_USEC_PER_SEC)

/* A receive buffer for the time in which the program does not run. */
#define BUFFER_SIZE (8 << 20)

/* Counted silences, ms. */
static const gdouble limits[] = { 10, 30 };

typedef struct
{
  struct pollfd sockets[N_GROUPS];
  LmccTime latest;
  guint n_packets;
  guint n_longer[G_N_ELEMENTS (limits)];
  gdouble longest; /* ms */
} Wire;

static gboolean
wire_open (Wire *wire)
{
  guint i;

  memset (wire, 0, sizeof (*wire));
  for (i = 0; i < N_GROUPS; i++)
    wire->sockets[i].fd = -1;
  for (i = 0; i < N_GROUPS; i++) {
    g_autofree gchar *group = g_strdup_printf (GROUP, i + 1);

    wire->sockets[i].fd = bench_open_capture (group, PORT, BUFFER_SIZE);
    wire->sockets[i].events = POLLIN;
    if (wire->sockets[i].fd < 0)
      return FALSE;
  }

  return TRUE;
}

static void
wire_close (Wire *wire)
{
  guint i;

  for (i = 0; i < N_GROUPS; i++) {
    if (wire->sockets[i].fd >= 0)
      close (wire->sockets[i].fd);
  }
}

static gboolean
take_one (gint fd, LmccTime *time)
{
  guint8 data[LMCC_MAX_PACKET_SIZE];
  guint8 control[CMSG_SPACE (sizeof (struct timespec))];
  struct iovec vector = { data, sizeof (data) };
  struct msghdr message = { NULL, 0, &vector, 1, control, sizeof (control), 0 };
  struct cmsghdr *header;
  struct timespec when;

  if (recvmsg (fd, &message, MSG_DONTWAIT) <= 0)
    return FALSE;
  header = CMSG_FIRSTHDR (&message);
  if (header == NULL || header->cmsg_type != SCM_TIMESTAMPNS)
    return FALSE;
  memcpy (&when, CMSG_DATA (header), sizeof (when));
  *time = (LmccTime) when.tv_sec * LMCC_SECOND + (LmccTime) when.tv_nsec;

  return TRUE;
}

static void
note_packet (Wire *wire, LmccTime time)
{
  gdouble silence = wire->latest == 0
      ? 0
      : ((gdouble) time - (gdouble) wire->latest) / LMCC_MSECOND;
  guint i;

  wire->latest = time;
  wire->n_packets++;
  wire->longest = MAX (wire->longest, silence);
  for (i = 0; i < G_N_ELEMENTS (limits); i++) {
    if (silence > limits[i])
      wire->n_longer[i]++;
  }
}

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  LmccTime x = *(const LmccTime *) a, y = *(const LmccTime *) b;

  return (x > y) - (x < y);
}

/* Reads all waiting packets in the order of their times. */
static void
take_all (Wire *wire, GArray *times)
{
  LmccTime time;
  guint i;

  g_array_set_size (times, 0);
  for (i = 0; i < N_GROUPS; i++) {
    while (take_one (wire->sockets[i].fd, &time))
      g_array_append_val (times, time);
  }
  g_array_sort (times, compare_times);
  for (i = 0; i < times->len; i++)
    note_packet (wire, g_array_index (times, LmccTime, i));
}

static void
watch (Wire *wire, gint64 duration)
{
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (LmccTime));
  gint64 end = g_get_monotonic_time () + duration;

  while (g_get_monotonic_time () < end) {
    poll (wire->sockets, N_GROUPS, 50);
    take_all (wire, times);
  }
}

static void
report_wire (BenchReport *report, const gchar *name, const Wire *wire,
    gdouble seconds)
{
  g_autoptr (GArray) longest = bench_series_new ();
  g_autoptr (GArray) rate = bench_series_new ();
  guint i;

  bench_series_add (longest, wire->longest);
  bench_report_add (report, name, "ms", longest, BENCH_NO_BOUND);
  for (i = 0; i < G_N_ELEMENTS (limits); i++) {
    g_autofree gchar *label =
        g_strdup_printf ("  longer than %g ms", limits[i]);
    g_autoptr (GArray) count = bench_series_new ();

    bench_series_add (count, wire->n_longer[i]);
    bench_report_add (report, label, "in all", count, BENCH_NO_BOUND);
  }
  bench_series_add (rate, wire->n_packets / seconds);
  bench_report_add (report, "  packets", "/s", rate, BENCH_NO_BOUND);
}

static void
measure (BenchReport *report, const BenchContender *sender,
    const BenchStream *stream, gint seconds)
{
  gint stop_fd;
  pid_t child = bench_start_sender (sender, stream, &stop_fd);
  Wire wire;

  g_usleep (WARM_UP);
  if (wire_open (&wire)) {
    watch (&wire, seconds * (gint64) G_USEC_PER_SEC);
    report_wire (report, sender->name, &wire, seconds);
  } else {
    bench_report_fail (report, sender->name, "the groups cannot be joined");
  }
  wire_close (&wire);
  bench_stop_sender (child, stop_fd);
}

#define COMMON                               \
  "address=239.255.44.1 port=" G_STRINGIFY ( \
      PORT) " multicast-iface=" BENCH_INTERFACE " name=element "
#define FIXED "lmccsink layering=doubling layers=4 base-rate=7000000 " COMMON
#define NATIVE "lmccsink " COMMON

static const BenchContender senders[] = {
  { "native, without repair", NATIVE },
  { "native, repair=0.1", NATIVE "repair=0.1 repair-delay=500" },
  { "fixed rates, without repair", FIXED "repair=0" },
  { "fixed rates, default repair", FIXED },
};

static gboolean
parse_options (int *argc, char ***argv, gchar **json, gint *seconds)
{
  const GOptionEntry entries[] = { { "json", 0, 0, G_OPTION_ARG_FILENAME, json,
                                       "Write the figures to FILE", "FILE" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, seconds,
        "Length of the measurement of each sender", "S" },
    { NULL } };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  g_option_context_set_summary (context,
      "The longest times without a packet on the wire at 50 Mbit/s.");
  g_option_context_add_main_entries (context, entries, NULL);
  if (g_option_context_parse (context, argc, argv, &error) && *seconds > 0)
    return TRUE;
  fprintf (stderr, "%s\n",
      error ? error->message : "--seconds must be at least 1");

  return FALSE;
}

int
main (int argc, char **argv)
{
  /* 50 Mbit/s. */
  static const BenchStream stream = { 104, 50, 50 };
  g_autofree gchar *json = NULL;
  BenchReport *report;
  gint seconds = 20;
  guint i;

  if (!parse_options (&argc, &argv, &json, &seconds))
    return 2;
  gst_init (NULL, NULL);
  report = bench_report_new ("Silences of lmccsink on the wire, 50 Mbit/s");
  for (i = 0; i < G_N_ELEMENTS (senders); i++)
    measure (report, &senders[i], &stream, seconds);

  return bench_report_finish (report, json);
}
