/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bench-session.h"

#include <string.h>

/* Number of units made, sent and received together: large enough that
 * switching between phases costs little in comparison. */
#define BATCH_UNITS 64

#define PATH_DELAY (5 * LMCC_MSECOND)

/* More packets than a batch, so that the network never grows. */
#define NETWORK_SIZE 16384

static const BenchStream stream = { 16, 50, 50 };

/* Twice the stream's rate: room for repair and some filler. */
static const guint64 fixed_rates[] = { 2400000, 2400000, 4800000, 6400000 };

typedef struct
{
  LmccTime at;
  guint group;
  gboolean control;
  LmccPacket *packet;
} Sent;

static LmccTime
unit_time (guint unit)
{
  return LMCC_SECOND + bench_stream_time (&stream, unit);
}

/* Classes in turn, as in a fixed temporal pyramid: 0 2 1 2. */
static guint
unit_class (const BenchShape *shape, guint unit)
{
  static const guint pyramid[] = { 0, 2, 1, 2 };

  return MIN (pyramid[unit % G_N_ELEMENTS (pyramid)], shape->n_classes - 1);
}

static void
set_fixed_rates (LmccSession *session)
{
  guint i;

  session->native = FALSE;
  session->window = 0;
  session->n_layers = session->n_groups = G_N_ELEMENTS (fixed_rates);
  for (i = 0; i < G_N_ELEMENTS (fixed_rates); i++)
    session->layers[i].rate = fixed_rates[i];
}

/* H.264 in @n_rungs encodings, to groups that bench_receiver_new() knows;
 * the caller sets layers and window. */
void
bench_sender_config_init (LmccSenderConfig *config, guint n_rungs)
{
  memset (config, 0, sizeof (*config));
  lmcc_session_init (&config->session);
  lmcc_address_parse ("239.255.42.1", &config->session.address);
  lmcc_address_parse ("10.0.0.1", &config->session.source);
  config->session.port = 5004;
  config->session.ssrc_base = 0x12345000;
  config->session.n_rungs = n_rungs;
  config->session.video.clock_rate = 90000;
  g_strlcpy (config->session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  config->cname = "benchmark";
  config->ntp_offset = G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND;
  config->mtu = 1400;
}

static LmccSender *
make_sender (const BenchShape *shape)
{
  LmccSenderConfig config;
  LmccSender *sender;
  GError *error = NULL;

  bench_sender_config_init (&config, shape->n_rungs);
  config.session.window = LMCC_DEFAULT_WINDOW;
  config.session.repair = shape->repair;
  if (shape->fixed_rates)
    set_fixed_rates (&config.session);
  sender = lmcc_sender_new (&config, 0, &error);
  if (sender == NULL)
    g_error ("%s: %s", shape->name, error->message);

  return sender;
}

/* @max_memory: memory limit in bytes; 0: the receiver's default */
LmccReceiver *
bench_receiver_new (guint64 max_memory)
{
  LmccReceiverConfig config = { 0 };
  LmccReceiver *receiver;

  lmcc_address_parse ("239.255.42.1", &config.address);
  config.algorithm = "none";
  config.latency = LMCC_DEFAULT_LATENCY;
  config.max_level = -1;
  config.max_memory = max_memory;
  config.on_loss = LMCC_ON_LOSS_CONCEAL;
  receiver = lmcc_receiver_new (&config);
  lmcc_receiver_start (receiver, 0);

  return receiver;
}

static void
classify_unit (BenchSession *session, guint rung, guint unit,
    LmccPacket **packets)
{
  const BenchShape *shape = session->shape;
  LmccLayerMark mark = { (guint8) unit_class (shape, unit),
    unit % stream.units_per_key == 0 || unit_class (shape, unit) > 0 };
  LmccUnit *done[2];
  guint i, j, n;

  session->enter (BENCH_PHASE_CLASSIFY);
  for (i = 0; i < stream.packets_per_unit; i++) {
    LmccPacket *packet = packets[i];

    if (shape->copied) {
      packet = lmcc_packet_new_for_sender (packets[i]->size);
      packet->size = packets[i]->size;
      memcpy (packet->data, packets[i]->data, packet->size);
    }
    n = lmcc_classifier_push (session->classifiers[rung], packet,
        shape->n_classes > 1 ? &mark : NULL, unit_time (unit), unit_time (unit),
        done);
    for (j = 0; j < n; j++)
      g_queue_push_tail (&session->units, done[j]);
  }
  session->enter (BENCH_PHASE_NONE);
  session->n_classified += stream.packets_per_unit;
  for (i = 0; shape->copied && i < stream.packets_per_unit; i++)
    lmcc_packet_unref (packets[i]);
}

static void
make_units (BenchSession *session)
{
  LmccPacket *packets[64];
  guint i, rung, index;

  for (i = 0; i < BATCH_UNITS; i++, session->next_unit++) {
    for (rung = 0; rung < session->shape->n_rungs; rung++) {
      for (index = 0; index < stream.packets_per_unit; index++) {
        packets[index] = lmcc_packet_new_for_sender (BENCH_PACKET_SIZE);
        packets[index]->size = BENCH_PACKET_SIZE;
        bench_stream_fill (&stream, session->next_unit, index,
            packets[index]->data);
      }
      classify_unit (session, rung, session->next_unit, packets);
    }
  }
}

static gboolean
is_lost (BenchSession *session)
{
  guint lost = session->shape->lost;

  return lost > 0 && ++session->n_on_way % lost == 0;
}

static void
drain_sender (BenchSession *session, LmccTime now)
{
  LmccSenderAction action;

  while (lmcc_sender_poll_action (session->sender, &action)) {
    Sent sent = { now + PATH_DELAY, action.group, FALSE, action.packet };

    if (action.type != LMCC_SENDER_ACTION_SEND
        && action.type != LMCC_SENDER_ACTION_SEND_CONTROL)
      continue;
    sent.control = action.type == LMCC_SENDER_ACTION_SEND_CONTROL;
    session->n_sent += !sent.control;
    if (!sent.control && is_lost (session))
      lmcc_packet_unref (sent.packet);
    else
      g_array_append_val (session->network, sent);
  }
}

static void
run_sender_until (BenchSession *session, LmccTime end)
{
  LmccTime now;

  while ((now = lmcc_sender_next_timeout (session->sender)) <= end) {
    lmcc_sender_handle_timeout (session->sender, now);
    drain_sender (session, now);
  }
}

static void
send_units (BenchSession *session)
{
  LmccUnit *unit;

  session->enter (BENCH_PHASE_SEND);
  while ((unit = g_queue_pop_head (&session->units)) != NULL) {
    LmccTime now = unit->decoding_time;

    run_sender_until (session, now);
    lmcc_sender_push_unit (session->sender, unit, now);
    drain_sender (session, now);
  }
  session->enter (BENCH_PHASE_NONE);
}

static void
drain_receiver (BenchSession *session)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (session->receiver, &action)) {
    if (action.type != LMCC_RECEIVER_ACTION_DELIVER)
      continue;
    session->delivered++;
    lmcc_packet_unref (action.packet);
  }
}

static void
run_receiver_until (BenchSession *session, LmccTime end)
{
  LmccTime now;

  while ((now = lmcc_receiver_next_timeout (session->receiver)) <= end) {
    lmcc_receiver_handle_timeout (session->receiver, now);
    drain_receiver (session);
  }
}

static void
receive_packet (BenchSession *session, const Sent *sent)
{
  LmccPacket *packet = sent->packet;

  if (session->shape->copied)
    packet = lmcc_packet_new_copy (packet->data, packet->size);
  lmcc_receiver_handle_packet (session->receiver, sent->at, sent->at,
      sent->group, &session->source, 40000, packet);
  session->n_received++;
}

static void
receive_packets (BenchSession *session)
{
  guint i;

  session->enter (BENCH_PHASE_RECEIVE);
  for (i = 0; i < session->network->len; i++) {
    Sent *sent = &g_array_index (session->network, Sent, i);

    run_receiver_until (session, sent->at);
    if (sent->control)
      lmcc_receiver_handle_control (session->receiver, sent->at,
          &session->source, 40000, sent->packet->data, sent->packet->size);
    else
      receive_packet (session, sent);
    drain_receiver (session);
    if (sent->control && !session->shape->copied)
      lmcc_packet_unref (sent->packet);
  }
  session->enter (BENCH_PHASE_NONE);
  for (i = 0; session->shape->copied && i < session->network->len; i++)
    lmcc_packet_unref (g_array_index (session->network, Sent, i).packet);
  g_array_set_size (session->network, 0);
}

/* @enter is called at each change of the phase. */
void
bench_session_init (BenchSession *session, const BenchShape *shape,
    void (*enter) (BenchPhase phase))
{
  guint rung;

  memset (session, 0, sizeof (*session));
  session->shape = shape;
  session->enter = enter;
  for (rung = 0; rung < shape->n_rungs; rung++)
    session->classifiers[rung] =
        lmcc_classifier_new (lmcc_codec_find ("H264"), (guint8) rung);
  session->sender = make_sender (shape);
  session->receiver = bench_receiver_new (0);
  session->network =
      g_array_sized_new (FALSE, FALSE, sizeof (Sent), NETWORK_SIZE);
  lmcc_address_parse ("10.0.0.1", &session->source);
  drain_sender (session, 0);
  drain_receiver (session);
}

void
bench_session_clear (BenchSession *session)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (session->classifiers); i++)
    g_clear_pointer (&session->classifiers[i], lmcc_classifier_free);
  lmcc_sender_free (session->sender);
  lmcc_receiver_free (session->receiver);
  g_array_unref (session->network);
}

void
bench_session_reset_counts (BenchSession *session)
{
  session->delivered = session->n_classified = 0;
  session->n_sent = session->n_received = 0;
}

void
bench_session_run_batch (BenchSession *session)
{
  make_units (session);
  send_units (session);
  receive_packets (session);
}

/* Whether nine of ten packets were output. With several rungs, a receiver
 * outputs only the highest one. */
gboolean
bench_session_is_complete (const BenchSession *session)
{
  guint n_rungs = session->shape->n_rungs;

  return session->n_sent * 10 > session->n_classified * 9
      && session->delivered * n_rungs * 10 > session->n_classified * 9;
}
