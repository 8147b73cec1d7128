/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the lateness of lmccsink's packets on the wire: kernel timestamps
 * of a socket that has joined the group, minus the times that the library in
 * virtual time gives to the same units when nothing is late.
 */
#include "bench.h"

#include <gst/lmcc/wire/rtp.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define GROUP "239.255.43.21"
#define PORT 25204
#define PORT_TEXT G_STRINGIFY (PORT)

typedef struct
{
  LmccTime due;
  LmccTime sent;
} Packet;

typedef struct
{
  const BenchStream *stream;
  guint n_units;
  Packet *packets;
  gint fd;
  gint running;
  gint64 real_offset; /* CLOCK_REALTIME minus running time */
} Pacing;

static Packet *
find_packet (Pacing *pacing, const guint8 *data, gsize size)
{
  guint unit, index;
  LmccRtp rtp;

  if (!lmcc_rtp_parse (data, size, 1, &rtp)
      || !bench_stream_read (data + rtp.header_size, rtp.payload_size, &unit,
          &index)
      || unit >= pacing->n_units)
    return NULL;
  return &pacing->packets[unit * pacing->stream->packets_per_unit + index];
}

static LmccTime
pacing_time (const Pacing *pacing, guint unit)
{
  /* Longest time for the pipeline to start. */
  return LMCC_SECOND / 2 + bench_stream_time (pacing->stream, unit);
}

static LmccUnit *
make_unit (const Pacing *pacing, guint number)
{
  LmccUnit *unit = lmcc_unit_new ();
  guint i;

  unit->switch_point = number % pacing->stream->units_per_key == 0;
  unit->decoding_time = unit->presentation_time = pacing_time (pacing, number);
  for (i = 0; i < pacing->stream->packets_per_unit; i++) {
    LmccPacket *packet = lmcc_packet_new (BENCH_PACKET_SIZE);

    packet->size = BENCH_PACKET_SIZE;
    bench_stream_fill (pacing->stream, number, i, packet->data);
    g_ptr_array_add (unit->packets, packet);
  }
  return unit;
}

static void
note_due (Pacing *pacing, LmccSender *sender, LmccTime now)
{
  LmccSenderAction action;

  while (lmcc_sender_poll_action (sender, &action)) {
    Packet *packet;

    if (action.packet == NULL)
      continue;
    packet = find_packet (pacing, action.packet->data, action.packet->size);
    if (packet)
      packet->due = now;
    lmcc_packet_unref (action.packet);
  }
}

static void
run_until (Pacing *pacing, LmccSender *sender, LmccTime end)
{
  LmccTime now;

  while ((now = lmcc_sender_next_timeout (sender)) <= end) {
    lmcc_sender_handle_timeout (sender, now);
    note_due (pacing, sender, now);
  }
}

/* The schedule of a host that is never late: the same units in virtual time. */
static void
compute_due (Pacing *pacing)
{
  LmccSenderConfig config = { 0 };
  g_autoptr (LmccSender) sender = NULL;
  guint unit;

  lmcc_session_init (&config.session);
  lmcc_address_parse (GROUP, &config.session.address);
  lmcc_address_parse (BENCH_INTERFACE_ADDRESS, &config.session.source);
  config.session.port = PORT;
  config.session.n_rungs = 1;
  config.session.video.clock_rate = 90000;
  g_strlcpy (config.session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  config.session.window = LMCC_DEFAULT_WINDOW;
  config.cname = "benchmark";
  config.ntp_offset = G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND;
  config.mtu = 1400;
  sender = lmcc_sender_new (&config, 0, NULL);
  for (unit = 0; unit < pacing->n_units; unit++) {
    run_until (pacing, sender, pacing_time (pacing, unit));
    lmcc_sender_push_unit (sender, make_unit (pacing, unit),
        pacing_time (pacing, unit));
    note_due (pacing, sender, pacing_time (pacing, unit));
  }
  run_until (pacing, sender, pacing_time (pacing, unit) + LMCC_SECOND);
}

static void
capture_one (Pacing *pacing)
{
  guint8 data[LMCC_MAX_PACKET_SIZE];
  guint8 control[CMSG_SPACE (sizeof (struct timespec))];
  struct iovec vector = { data, sizeof (data) };
  struct msghdr message = { NULL, 0, &vector, 1, control, sizeof (control), 0 };
  gssize size = recvmsg (pacing->fd, &message, MSG_DONTWAIT);
  struct cmsghdr *header = size > 0 ? CMSG_FIRSTHDR (&message) : NULL;
  struct timespec when;
  Packet *packet;

  if (header == NULL || header->cmsg_type != SCM_TIMESTAMPNS)
    return;
  memcpy (&when, CMSG_DATA (header), sizeof (when));
  packet = find_packet (pacing, data, (gsize) size);
  if (packet)
    packet->sent = (LmccTime) (when.tv_sec * (gint64) LMCC_SECOND + when.tv_nsec
        - pacing->real_offset);
}

static gpointer
capture (gpointer data)
{
  Pacing *pacing = data;
  struct pollfd waiting = { pacing->fd, POLLIN, 0 };

  while (g_atomic_int_get (&pacing->running)) {
    if (poll (&waiting, 1, 50) > 0)
      capture_one (pacing);
  }
  return NULL;
}

static gint64
get_real_offset (GstClock *clock, GstClockTime base)
{
  GstClockTime running = gst_clock_get_time (clock) - base;
  struct timespec ts;

  clock_gettime (CLOCK_REALTIME, &ts);
  return ts.tv_sec * (gint64) LMCC_SECOND + ts.tv_nsec - (gint64) running;
}

static gboolean
send_all (Pacing *pacing, GError **error)
{
  GstElement *pipeline =
      bench_parse_pipeline ("lmccsink name=sink address=" GROUP
                            " port=" PORT_TEXT
                            " multicast-iface=" BENCH_INTERFACE,
          error);
  GstClock *clock = gst_system_clock_obtain ();
  GstClockTime base = gst_clock_get_time (clock);
  GstElement *sink;
  GstPad *source;
  guint unit;

  if (pipeline == NULL)
    return FALSE;
  bench_use_time (pipeline, clock, base);
  pacing->real_offset = get_real_offset (clock, base);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  source = bench_source_new (sink, "sink_%u", bench_stream_caps ());
  for (unit = 0; unit < pacing->n_units; unit++)
    bench_source_push_unit (source, pacing->stream, unit,
        pacing_time (pacing, unit), FALSE);
  bench_sleep_until (clock,
      base + pacing_time (pacing, unit) + LMCC_SECOND / 2);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  bench_source_free (source);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  gst_object_unref (clock);
  return TRUE;
}

/* Excludes both ends: the first units wait for the start, the last one waits
 * for one after it. */
static void
add_lateness (const Pacing *pacing, GArray *lateness)
{
  guint per_unit = pacing->stream->packets_per_unit, i;

  for (i = 10 * per_unit; i < (pacing->n_units - 2) * per_unit; i++) {
    const Packet *packet = &pacing->packets[i];

    if (packet->sent > 0 && packet->due > 0)
      bench_series_add (lateness,
          ((gdouble) packet->sent - (gdouble) packet->due) / LMCC_MSECOND);
  }
}

static gboolean
run_once (Pacing *pacing, GArray *lateness, GError **error)
{
  GThread *thread;
  gboolean ok;

  pacing->fd = bench_open_capture (GROUP, PORT, 4 << 20);
  if (pacing->fd < 0) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "cannot join %s: %s",
        GROUP, g_strerror (errno));
    return FALSE;
  }
  compute_due (pacing);
  pacing->running = TRUE;
  thread = g_thread_new ("capture", capture, pacing);
  ok = send_all (pacing, error);
  g_atomic_int_set (&pacing->running, FALSE);
  g_thread_join (thread);
  close (pacing->fd);
  add_lateness (pacing, lateness);
  return ok;
}

static void
measure_pacer (BenchReport *report, const BenchStream *stream,
    const gchar *name, gint rounds)
{
  guint n_units = 5 * stream->units_per_second;
  g_autofree Packet *packets =
      g_new0 (Packet, n_units * stream->packets_per_unit);
  g_autoptr (GArray) lateness = bench_series_new ();
  g_autoptr (GError) error = NULL;
  gint round;

  for (round = 0; round < rounds && !error; round++) {
    Pacing pacing = {
      stream,
      n_units,
      packets,
    };

    memset (packets, 0, n_units * stream->packets_per_unit * sizeof (Packet));
    run_once (&pacing, lateness, &error);
  }
  if (error)
    bench_report_fail (report, name, error->message);
  else
    bench_report_add (report, name, "ms", lateness, BENCH_NO_BOUND);
}

int
main (int argc, char **argv)
{
  static const BenchStream slow = { 8, 25, 25 };
  static const BenchStream moderate = { 40, 50, 50 };
  static const BenchStream fast = { 200, 100, 100 };
  g_autofree gchar *json = NULL;
  BenchReport *report;
  gint rounds = 1;

  if (!bench_parse_options (&argc, &argv, "How late packets are sent.", &json,
          &rounds))
    return 2;
  gst_init (NULL, NULL);
  report = bench_report_new ("Lateness of lmccsink's packets, " G_STRINGIFY (
      BENCH_PACKET_SIZE) " bytes");
  measure_pacer (report, &slow, "200/s", rounds);
  measure_pacer (report, &moderate, "2,000/s", rounds);
  measure_pacer (report, &fast, "20,000/s", rounds);
  return bench_report_finish (report, json);
}
