/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the library itself costs for each packet, in virtual time: no sockets,
 * no threads, no waiting.
 */
#include "bench.h"

#include <string.h>
#include <time.h>

/* Units made, sent and received together, so that reading the clock costs
 * nothing in comparison. */
#define BATCH_UNITS 64
#define BATCHES 40
#define WARM_UP_BATCHES 4

#define PATH_DELAY (5 * LMCC_MSECOND)

static const BenchStream stream = { 16, 50, 50 };

typedef struct
{
  const gchar *name;
  guint n_rungs;
  guint n_classes;
} Shape;

typedef struct
{
  LmccTime at;
  guint group;
  gboolean control;
  LmccPacket *packet;
} Sent;

typedef struct
{
  LmccClassifier *classifiers[LMCC_MAX_RUNGS];
  LmccSender *sender;
  LmccReceiver *receiver;
  LmccAddress source;
  GQueue units;
  GArray *network;              /* of Sent */
  guint next_unit;
  guint64 delivered;
  guint64 n_classified;
  guint64 n_sent;
  guint64 n_received;
  gint64 classify_ns;
  gint64 send_ns;
  gint64 receive_ns;
} Loop;

static gint64
cpu_time (void)
{
  struct timespec ts;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &ts);
  return ts.tv_sec * (gint64) LMCC_SECOND + ts.tv_nsec;
}

static LmccTime
unit_time (guint unit)
{
  return LMCC_SECOND + bench_stream_time (&stream, unit);
}

/* Classes in turn, as of a fixed temporal pyramid: 0 2 1 2. */
static guint
unit_class (const Shape * shape, guint unit)
{
  static const guint pyramid[] = { 0, 2, 1, 2 };

  return MIN (pyramid[unit % G_N_ELEMENTS (pyramid)], shape->n_classes - 1);
}

static LmccSender *
make_sender (const Shape * shape)
{
  LmccSenderConfig config = { 0, };

  lmcc_session_init (&config.session);
  lmcc_address_parse ("239.255.42.1", &config.session.address);
  lmcc_address_parse ("10.0.0.1", &config.session.source);
  config.session.port = 5004;
  config.session.ssrc_base = 0x12345000;
  config.session.n_rungs = shape->n_rungs;
  config.session.video.clock_rate = 90000;
  g_strlcpy (config.session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  config.session.window = LMCC_DEFAULT_WINDOW;
  config.cname = "benchmark";
  config.ntp_offset = G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND;
  config.mtu = 1400;
  return lmcc_sender_new (&config, 0, NULL);
}

static LmccReceiver *
make_receiver (void)
{
  LmccReceiverConfig config = { 0, };
  LmccReceiver *receiver;

  lmcc_address_parse ("239.255.42.1", &config.address);
  config.algorithm = "none";
  config.latency = LMCC_DEFAULT_LATENCY;
  config.max_level = -1;
  config.on_loss = LMCC_ON_LOSS_CONCEAL;
  receiver = lmcc_receiver_new (&config);
  lmcc_receiver_start (receiver, 0);
  return receiver;
}

static void
classify_unit (Loop * loop, const Shape * shape, guint rung, guint unit,
    LmccPacket ** packets)
{
  LmccLayerMark mark = { (guint8) unit_class (shape, unit),
    unit % stream.units_per_key == 0 || unit_class (shape, unit) > 0
  };
  LmccUnit *done[2];
  gint64 before = cpu_time ();
  guint i, j, n;

  for (i = 0; i < stream.packets_per_unit; i++) {
    n = lmcc_classifier_push (loop->classifiers[rung], packets[i],
        shape->n_classes > 1 ? &mark : NULL, unit_time (unit),
        unit_time (unit), done);
    for (j = 0; j < n; j++)
      g_queue_push_tail (&loop->units, done[j]);
  }
  loop->classify_ns += cpu_time () - before;
  loop->n_classified += stream.packets_per_unit;
}

static void
make_units (Loop * loop, const Shape * shape)
{
  LmccPacket *packets[64];
  guint i, rung, index;

  for (i = 0; i < BATCH_UNITS; i++, loop->next_unit++) {
    for (rung = 0; rung < shape->n_rungs; rung++) {
      for (index = 0; index < stream.packets_per_unit; index++) {
        packets[index] = lmcc_packet_new (BENCH_PACKET_SIZE);
        packets[index]->size = BENCH_PACKET_SIZE;
        bench_stream_fill (&stream, loop->next_unit, index,
            packets[index]->data);
      }
      classify_unit (loop, shape, rung, loop->next_unit, packets);
    }
  }
}

static void
drain_sender (Loop * loop, LmccTime now)
{
  LmccSenderAction action;

  while (lmcc_sender_poll_action (loop->sender, &action)) {
    Sent sent = { now + PATH_DELAY, action.group, FALSE, action.packet };

    if (action.type != LMCC_SENDER_ACTION_SEND
        && action.type != LMCC_SENDER_ACTION_SEND_CONTROL)
      continue;
    sent.control = action.type == LMCC_SENDER_ACTION_SEND_CONTROL;
    loop->n_sent += !sent.control;
    g_array_append_val (loop->network, sent);
  }
}

static void
run_sender_until (Loop * loop, LmccTime end)
{
  LmccTime now;

  while ((now = lmcc_sender_next_timeout (loop->sender)) <= end) {
    lmcc_sender_handle_timeout (loop->sender, now);
    drain_sender (loop, now);
  }
}

static void
send_units (Loop * loop)
{
  gint64 before = cpu_time ();
  LmccUnit *unit;

  while ((unit = g_queue_pop_head (&loop->units)) != NULL) {
    LmccTime now = unit->decoding_time;

    run_sender_until (loop, now);
    lmcc_sender_push_unit (loop->sender, unit, now);
    drain_sender (loop, now);
  }
  loop->send_ns += cpu_time () - before;
}

static void
drain_receiver (Loop * loop)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (loop->receiver, &action)) {
    if (action.type != LMCC_RECEIVER_ACTION_DELIVER)
      continue;
    loop->delivered++;
    lmcc_packet_unref (action.packet);
  }
}

static void
run_receiver_until (Loop * loop, LmccTime end)
{
  LmccTime now;

  while ((now = lmcc_receiver_next_timeout (loop->receiver)) <= end) {
    lmcc_receiver_handle_timeout (loop->receiver, now);
    drain_receiver (loop);
  }
}

static void
receive_packets (Loop * loop)
{
  gint64 before = cpu_time ();
  guint i;

  for (i = 0; i < loop->network->len; i++) {
    Sent *sent = &g_array_index (loop->network, Sent, i);

    run_receiver_until (loop, sent->at);
    if (sent->control) {
      lmcc_receiver_handle_control (loop->receiver, sent->at, &loop->source,
          40000, sent->packet->data, sent->packet->size);
      lmcc_packet_unref (sent->packet);
    } else {
      lmcc_receiver_handle_packet (loop->receiver, sent->at, sent->at,
          sent->group, &loop->source, 40000, sent->packet);
      loop->n_received++;
    }
    drain_receiver (loop);
  }
  loop->receive_ns += cpu_time () - before;
  g_array_set_size (loop->network, 0);
}

static void
loop_init (Loop * loop, const Shape * shape)
{
  guint rung;

  memset (loop, 0, sizeof (*loop));
  for (rung = 0; rung < shape->n_rungs; rung++)
    loop->classifiers[rung] =
        lmcc_classifier_new (lmcc_codec_find ("H264"), (guint8) rung);
  loop->sender = make_sender (shape);
  loop->receiver = make_receiver ();
  loop->network = g_array_new (FALSE, FALSE, sizeof (Sent));
  lmcc_address_parse ("10.0.0.1", &loop->source);
  drain_sender (loop, 0);
  drain_receiver (loop);
}

static void
loop_clear (Loop * loop)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (loop->classifiers); i++)
    g_clear_pointer (&loop->classifiers[i], lmcc_classifier_free);
  lmcc_sender_free (loop->sender);
  lmcc_receiver_free (loop->receiver);
  g_array_unref (loop->network);
}

static void
reset_counts (Loop * loop)
{
  loop->delivered = loop->n_classified = loop->n_sent = loop->n_received = 0;
  loop->classify_ns = loop->send_ns = loop->receive_ns = 0;
}

static void
run_batch (Loop * loop, const Shape * shape)
{
  make_units (loop, shape);
  send_units (loop);
  receive_packets (loop);
}

/* With several rungs a receiver gives out the highest one only. */
static gboolean
is_complete (const Loop * loop, const Shape * shape)
{
  return loop->n_sent * 10 > loop->n_classified * 9
      && loop->delivered * shape->n_rungs * 10 > loop->n_received * 9;
}

static void
add_row (BenchReport * report, const gchar * what, const Shape * shape,
    GArray * series)
{
  g_autofree gchar *name = g_strdup_printf ("%s, %s", what, shape->name);

  bench_report_add (report, name, "ns/packet", series, BENCH_NO_BOUND);
}

static void
measure (BenchReport * report, const Shape * shape, gint rounds)
{
  g_autoptr (GArray) classify = bench_series_new ();
  g_autoptr (GArray) send = bench_series_new ();
  g_autoptr (GArray) receive = bench_series_new ();
  gboolean complete = TRUE;
  gint round;

  for (round = 0; round < rounds; round++) {
    Loop loop;
    guint i;

    loop_init (&loop, shape);
    for (i = 0; i < WARM_UP_BATCHES; i++)
      run_batch (&loop, shape);
    reset_counts (&loop);
    for (i = 0; i < BATCHES; i++)
      run_batch (&loop, shape);
    complete = complete && is_complete (&loop, shape);
    bench_series_add (classify,
        (gdouble) loop.classify_ns / (gdouble) loop.n_classified);
    bench_series_add (send, (gdouble) loop.send_ns / (gdouble) loop.n_sent);
    bench_series_add (receive,
        (gdouble) loop.receive_ns / (gdouble) MAX (loop.n_received, 1));
    loop_clear (&loop);
  }
  add_row (report, "classify", shape, classify);
  add_row (report, "send", shape, send);
  if (complete)
    add_row (report, "receive", shape, receive);
  else
    bench_report_fail (report, shape->name,
        "the receiver did not give out what was sent");
}

int
main (int argc, char **argv)
{
  static const Shape shapes[] = {
    {"1 layer", 1, 1},
    {"3 classes", 1, 3},
    {"3 rungs of 3 classes", 3, 3},
  };
  g_autofree gchar *json = NULL;
  BenchReport *report;
  gint rounds = 7;
  guint i;

  if (!bench_parse_options (&argc, &argv,
          "What the library costs for each packet, in virtual time.", &json,
          &rounds))
    return 2;
  report = bench_report_new ("The library alone, CPU time per packet");
  for (i = 0; i < G_N_ELEMENTS (shapes); i++)
    measure (report, &shapes[i], rounds);
  return bench_report_finish (report, json);
}
