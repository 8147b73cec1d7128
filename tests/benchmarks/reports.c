/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the rate that pgmcc reaches between lmccsink and lmccsrc on the
 * loopback interface when each packet is acknowledged, and the rate that
 * remains while another address floods the feedback port. Periods with and
 * without the flood alternate; ratios are of two consecutive ones.
 */
#include "bench.h"

#include <gst/lmcc/control/single-rate/pgmcc-wire.h>

#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <unistd.h>

#define GROUP "239.255.43.31"
#define PORT 25304
#define SESSION     \
  " address=" GROUP \
  " port=" G_STRINGIFY (PORT) " multicast-iface=" BENCH_INTERFACE
#define FLOOD_ADDRESS 0x7f000042 /* 127.0.0.66 */

/* Every picture is a key frame, so that a dropped picture affects no other. */
#define WARM_UP (4 * GST_SECOND)
#define WINDOW (2 * GST_SECOND)

/* 5 Mbit/s of IP packets, each an ACK from a receiver that is not the acker. */
#define FLOOD_RATE (5000000 / 8 / (28 + LMCC_PGMCC_ACK_SIZE))
#define FLOOD_STEP_US 1000

typedef struct
{
  const BenchStream *stream;
  GstElement *receiver;
  GstElement *pipeline;
  GstElement *sink;
  GstPad *source;
  GstClock *clock;
  GstClockTime base;
  guint next_unit;
  guint32 ssrc_base;
  gint flood;
  gint running;
  guint64 n_flood;
} Session;

/* The flooded process may have ended. */
static void
send_report (Session *session, gint fd)
{
  LmccPgmccReport report = { .ssrc = (guint32) session->n_flood++,
    .ssrc_base = session->ssrc_base,
    .is_ack = TRUE };
  g_autoptr (LmccPacket) packet = lmcc_pgmcc_report_build (&report);

  if (send (fd, packet->data, packet->size, 0) < 0)
    return;
}

static gpointer
flood (gpointer data)
{
  Session *session = data;
  struct sockaddr_in from = { .sin_family = AF_INET,
    .sin_addr.s_addr = htonl (FLOOD_ADDRESS) };
  struct sockaddr_in to = { .sin_family = AF_INET,
    .sin_port = htons (PORT + 1),
    .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  gint fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  gdouble owed = 0;
  gint64 last = g_get_monotonic_time (), now;

  if (fd < 0 || bind (fd, (struct sockaddr *) &from, sizeof (from)) != 0
      || connect (fd, (struct sockaddr *) &to, sizeof (to)) != 0)
    return NULL;
  for (; g_atomic_int_get (&session->running); last = now) {
    g_usleep (FLOOD_STEP_US);
    now = g_get_monotonic_time ();
    owed += (gdouble) FLOOD_RATE * (gdouble) (now - last) / G_USEC_PER_SEC;
    if (!g_atomic_int_get (&session->flood))
      owed = 0;
    for (; owed >= 1; owed--)
      send_report (session, fd);
  }
  close (fd);
  return NULL;
}

static void
count (const Session *session, guint64 *packets, guint64 *acks)
{
  g_autoptr (GstStructure) stats = NULL;

  g_object_get (session->sink, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "packets-sent", packets);
  gst_structure_get_uint64 (stats, "reports", acks);
}

static gboolean
run_until (Session *session, GstClockTime running_time)
{
  while (
      bench_stream_time (session->stream, session->next_unit) < running_time) {
    guint unit = session->next_unit++;
    GstClockTime time = bench_stream_time (session->stream, unit);

    bench_sleep_until (session->clock, session->base + time);
    if (bench_source_push_unit (session->source, session->stream, unit, time,
            FALSE)
        != GST_FLOW_OK)
      return FALSE;
  }
  return TRUE;
}

static gboolean
find_base (Session *session)
{
  g_autofree gchar *sdp = NULL;
  LmccSession parsed;

  g_object_get (session->sink, "sdp", &sdp, NULL);
  if (sdp == NULL || !lmcc_sdp_parse (sdp, -1, &parsed, NULL)
      || parsed.feedback_port != PORT + 1)
    return FALSE;
  session->ssrc_base = parsed.ssrc_base;
  return TRUE;
}

static gboolean
session_open (Session *session, GError **error)
{
  session->receiver = bench_parse_pipeline (
      "lmccsrc name=element" SESSION
      " ! fakesink sync=false async=false enable-last-sample=false",
      error);
  if (session->receiver == NULL)
    return FALSE;
  session->pipeline =
      bench_parse_pipeline ("lmccsink name=element" SESSION " algorithm=pgmcc",
          error);
  if (session->pipeline == NULL)
    return FALSE;
  session->sink = gst_bin_get_by_name (GST_BIN (session->pipeline), "element");
  session->clock = gst_system_clock_obtain ();
  gst_element_set_state (session->receiver, GST_STATE_PLAYING);
  session->base = gst_clock_get_time (session->clock);
  bench_use_time (session->pipeline, session->clock, session->base);
  gst_element_set_state (session->pipeline, GST_STATE_PLAYING);
  session->source =
      bench_source_new (session->sink, "sink_%u", bench_stream_caps ());
  return TRUE;
}

static void
session_close (Session *session)
{
  gst_element_set_state (session->pipeline, GST_STATE_NULL);
  gst_element_set_state (session->receiver, GST_STATE_NULL);
  bench_source_free (session->source);
  gst_object_unref (session->sink);
  gst_object_unref (session->pipeline);
  gst_object_unref (session->receiver);
  gst_object_unref (session->clock);
}

/* Packets per second in the next window; @acks receives the number of
 * accepted reports per packet. */
static gdouble
measure (Session *session, gboolean flooded, GstClockTime *time, GArray *acks)
{
  guint64 packets[2] = { 0, 0 }, reports[2] = { 0, 0 };

  g_atomic_int_set (&session->flood, flooded);
  run_until (session, *time += WINDOW / 4);
  count (session, &packets[0], &reports[0]);
  run_until (session, *time += WINDOW);
  count (session, &packets[1], &reports[1]);
  bench_series_add (acks,
      (gdouble) (reports[1] - reports[0])
          / (gdouble) MAX (packets[1] - packets[0], 1));
  return (gdouble) (packets[1] - packets[0]) * GST_SECOND / WINDOW;
}

static void
add (BenchReport *report, const BenchStream *stream, const gchar *unit,
    const gchar *what, GArray *series)
{
  g_autofree gchar *text = g_strdup_printf ("%u packets/s offered: %s",
      stream->packets_per_unit * stream->units_per_second, what);

  bench_report_add (report, text, unit, series, BENCH_NO_BOUND);
}

static void
run (BenchReport *report, const BenchStream *stream, gint rounds)
{
  g_autoptr (GArray) alone = bench_series_new ();
  g_autoptr (GArray) flooded = bench_series_new ();
  g_autoptr (GArray) ratio = bench_series_new ();
  g_autoptr (GArray) floods = bench_series_new ();
  g_autoptr (GArray) acks = bench_series_new ();
  g_autoptr (GError) error = NULL;
  Session session = { .stream = stream, .running = TRUE };
  GstClockTime time = WARM_UP;
  GThread *thread;
  gint round;

  if (!session_open (&session, &error)) {
    bench_report_fail (report, "pgmcc", error->message);
    return;
  }
  run_until (&session, WARM_UP);
  if (!find_base (&session)) {
    bench_report_fail (report, "pgmcc", "no session on the feedback port");
    session_close (&session);
    return;
  }
  thread = g_thread_new ("flood", flood, &session);
  for (round = 0; round < rounds; round++) {
    gdouble first = measure (&session, FALSE, &time, acks), second;
    guint64 before = session.n_flood;

    second = measure (&session, TRUE, &time, acks);
    bench_series_add (floods,
        (gdouble) (session.n_flood - before) * GST_SECOND
            / (WINDOW + WINDOW / 4));
    bench_series_add (alone, first);
    bench_series_add (flooded, second);
    bench_series_add (ratio, second / first);
  }
  g_atomic_int_set (&session.running, FALSE);
  g_thread_join (thread);
  session_close (&session);
  add (report, stream, "/s", "alone", alone);
  add (report, stream, "/s", "flooded", flooded);
  add (report, stream, "/s", "  the flood", floods);
  add (report, stream, "ratio", "flooded / alone", ratio);
  add (report, stream, "ratio", "reports accepted / sent", acks);
}

int
main (int argc, char **argv)
{
  static const BenchStream moderate = { 20, 50, 1 };
  static const BenchStream fast = { 104, 100, 1 };
  g_autofree gchar *json = NULL;
  BenchReport *report;
  gint rounds = 3;

  if (!bench_parse_options (&argc, &argv,
          "Measures the rate of pgmcc, alone and during a flood.", &json,
          &rounds))
    return 2;
  gst_init (NULL, NULL);
  report = bench_report_new ("pgmcc with an ACK for each packet, " G_STRINGIFY (
      BENCH_PACKET_SIZE) " bytes");
  run (report, &moderate, rounds);
  run (report, &fast, rounds);
  return bench_report_finish (report, json);
}
