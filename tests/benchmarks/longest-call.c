/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the library's longest call with the thread's CPU clock, in
 * virtual time. During a call, no packet of the session is sent or received.
 * The exit status is 1 if a call takes more than 2 ms.
 */
#include "bench-session.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Limit for a call in ms: the time of 20 packets of 1200 bytes at 100
 * Mbit/s, which any router can queue. */
#define MOST 2.0

/* The CPU clock also counts interrupts; the median of the longest calls of
 * this number of runs is taken. */
#define ROUNDS 3

#define UNITS_PER_SECOND 50
#define WINDOWS 3

/* A receiver starts at the second or third key frame. */
#define UNITS_PER_KEY (2 * UNITS_PER_SECOND)
#define LEAST_UNITS (3 * UNITS_PER_KEY)
#define PATH_DELAY (5 * LMCC_MSECOND)

/* In the last eighth of the run, the receiver has joined the lowest level
 * only. */
#define LEFT_SHARE 8

/* Room for the packets of 10 s at 100 Mbit/s and those kept for repair, so
 * that no layer is left for lack of memory. */
#define MEMORY (G_GUINT64_CONSTANT (1) << 30)

/* One packet in this number is lost. A picture of 200 packets is not output
 * if any packet is missing, and repair recovers most packets, but not all: a
 * receiver keeps at most 16,384 packets for it, which are 1.6 s at 100
 * Mbit/s. */
#define LOST_WITH_REPAIR 500
#define LOST_WITHOUT 10000

typedef struct
{
  gboolean fixed_rates;
  guint rate;   /* Mbit/s */
  guint window; /* ms */
  guint n_layers;
  guint repair; /* in 1/1000 */
} Shape;

typedef enum
{
  CALL_CLASSIFY,
  CALL_PUSH,
  CALL_SEND,
  CALL_RECEIVE,
  CALL_RELEASE,
  CALL_LEAVE,
  N_CALLS
} Call;

static const gchar *const call_names[N_CALLS] = { "classifier_push",
  "sender_push_unit", "sender_handle_timeout", "receiver_handle_packet",
  "receiver_handle_timeout", "receiver_set_max_level" };

typedef struct
{
  LmccTime at;
  guint group;
  gboolean control;
  LmccPacket *packet;
} Sent;

typedef struct
{
  const Shape *shape;
  LmccSender *sender;
  LmccReceiver *receiver;
  LmccClassifier *classifiers[LMCC_MAX_RUNGS];
  BenchStream streams[LMCC_MAX_RUNGS];
  guint n_rungs;
  guint n_classes;
  GArray *network;
  guint n_arrived;
  guint64 n_on_way;
  guint64 n_delivered;
  LmccAddress source;
  gint64 begun;
  gint64 longest[N_CALLS];
} Run;

static gint64
cpu_time (void)
{
  struct timespec ts;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &ts);
  return ts.tv_sec * (gint64) LMCC_SECOND + ts.tv_nsec;
}

static void
begin_call (Run *run)
{
  run->begun = cpu_time ();
}

static void
end_call (Run *run, Call call)
{
  run->longest[call] = MAX (run->longest[call], cpu_time () - run->begun);
}

/* Native layers are those of the codec: one for each rung and class. */
static void
choose_media (Run *run)
{
  guint n_layers = run->shape->n_layers, rung;
  guint packets =
      run->shape->rate * 1000000u / (8 * BENCH_PACKET_SIZE * UNITS_PER_SECOND);

  run->n_classes = n_layers == 1 ? 1 : n_layers < 64 ? n_layers / 2 : 5;
  run->n_rungs = n_layers == 1 ? 1 : n_layers < 64 ? 2 : 13;
  if (run->shape->fixed_rates) {
    run->n_classes = 3;
    run->n_rungs = 2;
  }
  for (rung = 0; rung < run->n_rungs; rung++) {
    guint weight = rung + 1, sum = run->n_rungs * (run->n_rungs + 1) / 2;

    run->streams[rung].packets_per_unit = MAX (packets * weight / sum, 1);
    run->streams[rung].units_per_second = UNITS_PER_SECOND;
    run->streams[rung].units_per_key = UNITS_PER_KEY;
  }
}

static LmccSender *
make_sender (const Run *run)
{
  const Shape *shape = run->shape;
  LmccSenderConfig config;
  LmccSender *sender;
  GError *error = NULL;
  guint i;

  bench_sender_config_init (&config, run->n_rungs);
  config.session.window = shape->window * LMCC_MSECOND;
  config.session.repair = shape->repair;
  if (shape->fixed_rates) {
    config.session.native = FALSE;
    config.session.n_layers = config.session.n_groups = shape->n_layers;
    for (i = 0; i < shape->n_layers; i++)
      config.session.layers[i].rate =
          shape->rate * G_GUINT64_CONSTANT (1000000) / shape->n_layers;
  }
  config.repair_block =
      shape->fixed_rates ? 0 : shape->window * LMCC_MSECOND / 2;
  sender = lmcc_sender_new (&config, 0, &error);
  if (sender == NULL)
    g_error ("%s", error->message);

  return sender;
}

static void
drain_receiver (Run *run)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (run->receiver, &action)) {
    if (action.type != LMCC_RECEIVER_ACTION_DELIVER)
      continue;
    run->n_delivered++;
    lmcc_packet_unref (action.packet);
  }
}

static void
run_receiver_until (Run *run, LmccTime end)
{
  LmccTime now;

  while ((now = lmcc_receiver_next_timeout (run->receiver)) <= end) {
    begin_call (run);
    lmcc_receiver_handle_timeout (run->receiver, now);
    end_call (run, CALL_RELEASE);
    drain_receiver (run);
  }
}

static void
receive (Run *run, const Sent *sent)
{
  run_receiver_until (run, sent->at);
  begin_call (run);
  if (sent->control)
    lmcc_receiver_handle_control (run->receiver, sent->at, &run->source, 40000,
        sent->packet->data, sent->packet->size);
  else
    lmcc_receiver_handle_packet (run->receiver, sent->at, sent->at, sent->group,
        &run->source, 40000, sent->packet);
  end_call (run, CALL_RECEIVE);
  drain_receiver (run);
  if (sent->control)
    lmcc_packet_unref (sent->packet);
}

static void
deliver_until (Run *run, LmccTime end)
{
  while (run->n_arrived < run->network->len) {
    const Sent *sent = &g_array_index (run->network, Sent, run->n_arrived);

    if (sent->at > end)
      break;
    receive (run, sent);
    run->n_arrived++;
  }
  if (run->n_arrived < run->network->len)
    return;
  g_array_set_size (run->network, 0);
  run->n_arrived = 0;
}

static void
drain_sender (Run *run, LmccTime now)
{
  guint lost = run->shape->repair > 0 ? LOST_WITH_REPAIR : LOST_WITHOUT;
  LmccSenderAction action;

  while (lmcc_sender_poll_action (run->sender, &action)) {
    Sent sent = { now + PATH_DELAY, action.group,
      action.type == LMCC_SENDER_ACTION_SEND_CONTROL, action.packet };

    if (action.packet == NULL)
      continue;
    if (!sent.control && ++run->n_on_way % lost == 0)
      lmcc_packet_unref (sent.packet);
    else
      g_array_append_val (run->network, sent);
  }
}

static void
run_sender_until (Run *run, LmccTime end)
{
  LmccTime now;

  while ((now = lmcc_sender_next_timeout (run->sender)) <= end) {
    begin_call (run);
    lmcc_sender_handle_timeout (run->sender, now);
    end_call (run, CALL_SEND);
    drain_sender (run, now);
    deliver_until (run, now);
  }
}

static void
send_unit (Run *run, LmccUnit *unit)
{
  LmccTime now = unit->decoding_time;

  run_sender_until (run, now);
  begin_call (run);
  lmcc_sender_push_unit (run->sender, unit, now);
  end_call (run, CALL_PUSH);
  drain_sender (run, now);
}

/* Classes in turn, as in a pyramid that starts at each key frame. */
static guint
get_class (const Run *run, guint unit)
{
  guint length = 1u << (run->n_classes - 1), klass = 0;
  guint at = unit % UNITS_PER_KEY % length;

  while (at != 0 && at % length != 0) {
    length /= 2;
    klass++;
  }
  return klass;
}

static void
make_unit (Run *run, guint rung, guint number)
{
  const BenchStream *stream = &run->streams[rung];
  LmccTime time = LMCC_SECOND + bench_stream_time (stream, number);
  guint klass = get_class (run, number);
  LmccLayerMark mark = { (guint8) klass,
    number % stream->units_per_key == 0 || klass > 0 };
  LmccUnit *done[2];
  guint i, j, n;

  for (i = 0; i < stream->packets_per_unit; i++) {
    LmccPacket *packet = lmcc_packet_new_for_sender (BENCH_PACKET_SIZE);

    packet->size = BENCH_PACKET_SIZE;
    bench_stream_fill (stream, number, i, packet->data);
    begin_call (run);
    n = lmcc_classifier_push (run->classifiers[rung], packet,
        run->n_classes > 1 ? &mark : NULL, time, time, done);
    end_call (run, CALL_CLASSIFY);
    for (j = 0; j < n; j++)
      send_unit (run, done[j]);
  }
}

/* Leaves all layers except those of the lowest level, with their waiting
 * packets. */
static void
leave_layers (Run *run, guint unit)
{
  LmccTime now = LMCC_SECOND + bench_stream_time (&run->streams[0], unit);

  begin_call (run);
  lmcc_receiver_set_max_level (run->receiver, 0, now);
  end_call (run, CALL_LEAVE);
  drain_receiver (run);
}

static guint
count_units (const Shape *shape)
{
  guint length = shape->fixed_rates ? shape->window / 2 : shape->window;

  return MAX (WINDOWS * length * UNITS_PER_SECOND / 1000, LEAST_UNITS);
}

static void
begin_run (Run *run, const Shape *shape)
{
  guint rung;

  memset (run, 0, sizeof (*run));
  run->shape = shape;
  choose_media (run);
  for (rung = 0; rung < run->n_rungs; rung++)
    run->classifiers[rung] =
        lmcc_classifier_new (lmcc_codec_find ("H264"), (guint8) rung);
  run->sender = make_sender (run);
  run->receiver = bench_receiver_new (MEMORY);
  run->network = g_array_new (FALSE, FALSE, sizeof (Sent));
  lmcc_address_parse ("10.0.0.1", &run->source);
  drain_sender (run, 0);
  drain_receiver (run);
}

static void
end_run (Run *run)
{
  guint rung, i;

  for (rung = 0; rung < run->n_rungs; rung++)
    lmcc_classifier_free (run->classifiers[rung]);
  for (i = run->n_arrived; i < run->network->len; i++)
    lmcc_packet_unref (g_array_index (run->network, Sent, i).packet);
  g_array_unref (run->network);
  lmcc_sender_free (run->sender);
  lmcc_receiver_free (run->receiver);
}

/* The kind of the longest call; @series gets its duration in ms. */
static Call
measure_once (const Shape *shape, GArray *series, gboolean *complete)
{
  guint n_units = count_units (shape), rung, i;
  Call longest = 0;
  Run run;

  begin_run (&run, shape);
  for (i = 0; i < n_units; i++) {
    for (rung = 0; rung < run.n_rungs; rung++)
      make_unit (&run, rung, i);
    if (i == n_units - n_units / LEFT_SHARE)
      leave_layers (&run, i);
  }
  run_sender_until (&run,
      LMCC_SECOND
          + bench_stream_time (&run.streams[0],
              n_units + (shape->window + 2000) * UNITS_PER_SECOND / 1000));
  for (i = 0; i < N_CALLS; i++) {
    if (run.longest[i] > run.longest[longest])
      longest = i;
  }
  bench_series_add (series, (gdouble) run.longest[longest] / LMCC_MSECOND);
  *complete = *complete && run.n_delivered > 0;
  end_run (&run);

  return longest;
}

static void
measure (BenchReport *report, const Shape *shape, gint rounds, guint *n_above)
{
  g_autoptr (GArray) series = bench_series_new ();
  g_autofree gchar *name =
      g_strdup_printf ("%s, %u Mbit/s, %u.%u s, %u layers, %.2f",
          shape->fixed_rates ? "fixed" : "native", shape->rate,
          shape->window / 1000, shape->window % 1000 / 100, shape->n_layers,
          shape->repair / 1000.0);
  gboolean complete = TRUE;
  Call longest = 0;
  gint i;

  for (i = 0; i < rounds; i++)
    longest = measure_once (shape, series, &complete);
  if (!complete)
    bench_report_fail (report, name, "the receiver output nothing");
  bench_report_add (report, name, "ms", series, MOST);
  if (g_array_index (series, gdouble, series->len / 2) > MOST) {
    (*n_above)++;
    printf ("%s: %.3f ms in %s\n", name,
        g_array_index (series, gdouble, series->len / 2), call_names[longest]);
  }
}

/* Repair with the default of lmccsink (0.1 in layers of fixed rates, none in
 * native ones), and the opposite. */
static void
measure_all (BenchReport *report, gboolean quick, gint rounds, guint *n_above)
{
  static const guint rates[] = { 5, 10, 20, 40, 80, 100 };
  static const guint windows[] = { 500, 1100, 4400, 10000 };
  static const guint layers[] = { 1, 4, 8, 64 };
  static const guint repairs[] = { 100, 0 };
  guint f, r, w, l, s;

  for (f = 0; f < 2; f++) {
    for (r = 0; r < G_N_ELEMENTS (rates); r++) {
      for (w = 0; w < G_N_ELEMENTS (windows); w++) {
        for (l = 0; l < G_N_ELEMENTS (layers); l++) {
          for (s = 0; s < G_N_ELEMENTS (repairs); s++) {
            Shape shape = { f == 1, rates[r], windows[w], layers[l],
              repairs[s] };

            if (quick && (r % 4 != 0 || w % 2 != 0 || l % 2 == 0 || s > 0))
              continue;
            measure (report, &shape, rounds, n_above);
          }
        }
      }
    }
  }
}

/* The option that the other programs do not have. */
static gboolean
take_quick (int *argc, char **argv)
{
  gboolean quick = FALSE;
  gint n = 1, i;

  for (i = 1; i < *argc; i++) {
    if (g_str_equal (argv[i], "--quick"))
      quick = TRUE;
    else
      argv[n++] = argv[i];
  }
  *argc = n;

  return quick;
}

int
main (int argc, char **argv)
{
  g_autofree gchar *json = NULL;
  BenchReport *report;
  gboolean quick = take_quick (&argc, argv);
  gint rounds = ROUNDS, status;
  guint n_above = 0;

  if (!bench_parse_options (&argc, &argv,
          "The library's longest call, in virtual time; --quick: one row of "
          "twenty.",
          &json, &rounds))
    return 2;
  report = bench_report_new ("The library's longest call, CPU time");
  measure_all (report, quick, rounds, &n_above);
  status = bench_report_finish (report, json);
  if (n_above > 0)
    printf ("%u rows are above %.1f ms\n", n_above, MOST);

  return status != 0 || n_above > 0;
}
