/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures a receiver's cost of packets whose sequence numbers leap, for
 * each algorithm: lost packets, which later packets confirm, and single
 * forged packets. Runs in virtual time; ratios are relative to packets in
 * order in the same run.
 */
#include "bench.h"

#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>

#include <time.h>

#define SSRC_BASE 0x12345000u
#define PAYLOAD 1150
#define DISTANCE LMCC_MSECOND
#define RATE 10000000

/* Interval between two leaps; the path loses too much for a session to last
 * long. */
#define INTERVAL 100
#define N_LEAPS 40

typedef struct
{
  LmccReceiver *receiver;
  LmccSession session;
  LmccTime now;
  guint16 lsn;
  guint number;
} Feed;

static LmccTime
cpu_time (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);

  return (LmccTime) time.tv_sec * LMCC_SECOND + (LmccTime) time.tv_nsec;
}

static void
feed_init (Feed *feed, const gchar *algorithm)
{
  g_autoptr (GError) error = NULL;
  LmccReceiverConfig config = { .session = &feed->session,
    .algorithm = algorithm,
    .rtt_mode = LMCC_RTT_MODE_FIXED,
    .fixed_rtt = LMCC_MSECOND,
    .latency = LMCC_DEFAULT_LATENCY,
    .max_level = 0 };

  guint i;

  *feed = (Feed){ .now = 10 * LMCC_SECOND };
  lmcc_session_init (&feed->session);
  lmcc_address_parse ("239.42.7.1", &feed->session.address);
  lmcc_address_parse ("10.0.0.1", &feed->session.source);
  feed->session.port = 5004;
  feed->session.ssrc_base = SSRC_BASE;
  feed->session.feedback_interval = LMCC_SECOND;
  feed->session.n_layers = feed->session.n_groups = 2;
  feed->session.native =
      !lmcc_algorithm_has_slots (lmcc_algorithm_find (algorithm));
  for (i = 0; i < 2; i++)
    feed->session.layers[i] =
        (LmccLayer){ RATE, feed->session.native ? 0 : LMCC_STREAM_NONE,
          feed->session.native ? (guint8) i : LMCC_CLASS_MIXED };
  feed->session.video.clock_rate = 90000;
  g_strlcpy (feed->session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  g_strlcpy (feed->session.algorithm, algorithm,
      sizeof (feed->session.algorithm));
  if (!lmcc_session_fit_algorithm (&feed->session, 100 * LMCC_MSECOND,
          2 * LMCC_SECOND, &error))
    g_error ("%s", error->message);
  config.address = feed->session.address;
  feed->receiver = lmcc_receiver_new (&config);
  lmcc_receiver_start (feed->receiver, feed->now);
}

static void
feed_drain (Feed *feed)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (feed->receiver, &action))
    g_clear_pointer (&action.packet, lmcc_packet_unref);
}

static void
feed_push (Feed *feed, guint leap)
{
  static const guint8 payload[PAYLOAD] = { 0x65 };
  guint16 lsn = (guint16) (feed->lsn + leap);
  LmccHeader header = {
    .type = LMCC_PACKET_MEDIA,
    .first = TRUE,
    .last = TRUE,
    .top_layer = 1,
    .switch_point = TRUE,
    .signal = LMCC_SIGNAL_NOBODY,
    .anchor = (guint8) lsn,
    .lsn = lsn,
    .osn = lsn,
    .send_time = lmcc_time_to_ntp_short (feed->now),
  };
  LmccRtp rtp = { .payload_type = 96,
    .sequence = lsn,
    .timestamp = 90 * feed->number,
    .ssrc = SSRC_BASE,
    .marker = TRUE,
    .payload_size = PAYLOAD };

  if (feed->session.slot > 0)
    header.slot =
        (guint16) (feed->now / feed->session.slot % feed->session.slot_modulus);
  lmcc_receiver_handle_packet (feed->receiver, feed->now, feed->now, 0,
      &feed->session.source, 5004,
      lmcc_rtp_build (&rtp, &header, LMCC_HEADER_DEFAULT_ID, payload));
  feed_drain (feed);
}

static void
feed_next (Feed *feed)
{
  feed->now += DISTANCE;
  feed->number++;
  feed->lsn++;
  while (lmcc_receiver_next_timeout (feed->receiver) <= feed->now) {
    lmcc_receiver_handle_timeout (feed->receiver, feed->now);
    feed_drain (feed);
  }
  feed_push (feed, 0);
}

/* CPU time for what follows @n packets in order, four of them behind a leap. */
static gdouble
run_interval (Feed *feed, guint leap, gboolean forged)
{
  LmccTime begin;
  guint i;

  for (i = 0; i < INTERVAL; i++)
    feed_next (feed);
  begin = cpu_time ();
  if (forged)
    feed_push (feed, leap);
  else
    feed->lsn += (guint16) leap;
  for (i = 0; !forged && i < 4; i++)
    feed_next (feed);

  return (gdouble) (cpu_time () - begin);
}

static gdouble
run (const gchar *algorithm, guint leap, gboolean forged)
{
  gdouble sum = 0;
  Feed feed;
  guint i;

  feed_init (&feed, algorithm);
  for (i = 0; i < N_LEAPS; i++)
    sum += run_interval (&feed, leap, forged);
  lmcc_receiver_free (feed.receiver);

  return sum / N_LEAPS;
}

static void
add (BenchReport *report, const gchar *algorithm, const gchar *what, guint leap,
    GArray *series)
{
  g_autofree gchar *name =
      g_strdup_printf ("%s, %s, leap %u", algorithm, what, leap);

  bench_report_add (report, name, "packets in order", series, BENCH_NO_BOUND);
}

/* The cost of four packets without a leap: four times that of a packet in
 * order. */
static void
measure (BenchReport *report, const gchar *algorithm, gint rounds)
{
  static const guint leaps[] = { 1, 100, 1000, 30000 };
  gint round;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (leaps); i++) {
    GArray *lost = bench_series_new ();
    GArray *forged = bench_series_new ();

    for (round = 0; round < rounds; round++) {
      gdouble in_order = run (algorithm, 0, FALSE) / 4;

      bench_series_add (lost, run (algorithm, leaps[i], FALSE) / in_order - 3);
      bench_series_add (forged, run (algorithm, leaps[i], TRUE) / in_order);
    }
    add (report, algorithm, "lost", leaps[i], lost);
    add (report, algorithm, "forged", leaps[i], forged);
  }
}

int
main (int argc, char **argv)
{
  g_autofree gchar *json = NULL;
  BenchReport *report;
  const LmccAlgorithm *const *algorithms;
  gint rounds = 7;
  guint n, i;

  if (!bench_parse_options (&argc, &argv,
          "What packets whose numbers leap cost a receiver.", &json, &rounds))
    return 2;
  report = bench_report_new ("CPU time of a leap, in packets in order");
  algorithms = lmcc_algorithm_list (&n);
  for (i = 0; i < n; i++)
    measure (report, algorithms[i]->name, rounds);

  return bench_report_finish (report, json);
}
