/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-repair.h"

#include <gst/lmcc/repair/code.h>
#include <gst/lmcc/repair/payload.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>

#include <string.h>

#define START (10 * LMCC_SECOND)
#define DELAY (20 * LMCC_MSECOND)
#define LATENCY (100 * LMCC_MSECOND)
#define RTP_OFFSET 0xffff0000u

/* Excluded at both ends: the time until the receiver knows the session and
 * has seen four groups without a class, after which it no longer waits for
 * that class; and packets still in transit. */
#define SETTLE (16 * LMCC_SECOND)

/* Start of the payload of a picture's packets. */
typedef struct
{
  guint32 number;
  guint32 count;
} Tag;

typedef struct
{
  guint sent;
  guint came;
  guint highest;
  gboolean corrupted;
  guint count;
} Outcome;

/* A media packet as it was sent. */
typedef struct
{
  guint size;
  gboolean lost;
  gboolean measured;
  guint layer;
  guint klass;
} SentPacket;

typedef struct
{
  LmccTime at;
  guint group;
  gboolean control;
  LmccPacket *packet;
} InFlight;

/* Repair packets of a block, sent and received. */
typedef struct
{
  guint n_sent;
  guint n_came;
} BlockRepair;

typedef struct
{
  const TestRepairConfig *config;
  TestRepairResult *result;
  LmccTime now;
  LmccSender *sender;
  LmccReceiver *receiver;
  LmccAddress address;
  GRand *random;
  gboolean bad[LMCC_MAX_GROUPS];
  gboolean joined[LMCC_MAX_GROUPS];
  GQueue network;
  GHashTable *sent;   /* SentPacket */
  GHashTable *blocks; /* BlockRepair: blocks with packets still to come */
  GArray *outcomes;
  guint n_pushed;
} Simulation;

/**
 * test_repair_model:
 * @key_packets: packets of the key frame
 * @n_others: number of the other pictures
 * @packets: packets of each of these
 * @period: duration of all pictures
 * @payload: RTP payload bytes of each packet
 *
 * Returns: (transfer full): a group of pictures, each of which is the reference
 *     of the next one
 */
GArray *
test_repair_model (guint key_packets, guint n_others, guint packets,
    LmccTime period, guint payload)
{
  GArray *pictures = g_array_new (FALSE, FALSE, sizeof (TestRepairPicture));
  guint i;

  for (i = 0; i <= n_others; i++) {
    TestRepairPicture picture = { (i == 0 ? key_packets : packets) * payload, 0,
      i == 0, period * i / (n_others + 1) };

    g_array_append_val (pictures, picture);
  }

  return pictures;
}

static Outcome *
get_outcome (Simulation *s, guint number)
{
  while (number >= s->outcomes->len)
    g_array_set_size (s->outcomes, s->outcomes->len + 1);

  return &g_array_index (s->outcomes, Outcome, number);
}

static LmccPacket *
make_packet (guint size, const Tag *tag)
{
  LmccPacket *packet = lmcc_packet_new (LMCC_RTP_HEADER_SIZE + size);

  memset (packet->data, 0, LMCC_RTP_HEADER_SIZE + size);
  packet->data[0] = 0x80;
  packet->data[1] = LMCC_DEFAULT_PAYLOAD_TYPE;
  memcpy (packet->data + LMCC_RTP_HEADER_SIZE, tag, sizeof (*tag));
  packet->size = LMCC_RTP_HEADER_SIZE + size;

  return packet;
}

static const TestRepairPicture *
get_picture (const Simulation *s, guint number)
{
  return &g_array_index (s->config->pictures, TestRepairPicture,
      number % s->config->pictures->len);
}

static LmccTime
get_time (const Simulation *s, guint number)
{
  return START + LMCC_SECOND
      + s->config->period * (number / s->config->pictures->len)
      + get_picture (s, number)->time;
}

static void
push_picture (Simulation *s)
{
  const TestRepairPicture *picture = get_picture (s, s->n_pushed);
  LmccUnit *unit = lmcc_unit_new ();
  guint payload = s->config->payload, i;
  Tag tag = { s->n_pushed, (picture->bytes + payload - 1) / payload };

  unit->stream = picture->stream;
  unit->klass = picture->klass;
  unit->switch_point = picture->switch_point;
  unit->decoding_time = get_time (s, s->n_pushed);
  unit->presentation_time = unit->decoding_time;
  /* As payloaders split pictures: the last packet is shorter. */
  for (i = 0; i < tag.count; i++)
    g_ptr_array_add (unit->packets,
        make_packet (MAX (MIN (payload, picture->bytes - i * payload),
                         sizeof (tag)),
            &tag));
  get_outcome (s, s->n_pushed)->count = tag.count;
  s->n_pushed++;
  lmcc_sender_push_unit (s->sender, unit, s->now);
}

/**
 * test_repair_lose:
 * @random: random generator
 * @bad: (inout): whether the last packet was lost
 * @loss: loss rate
 * @burst: mean burst length; 1: independent losses
 *
 * Simulates Gilbert's channel.
 *
 * Returns: whether this packet is lost
 */
gboolean
test_repair_lose (GRand *random, gboolean *bad, gdouble loss, gdouble burst)
{
  gdouble chance = loss;

  if (burst > 1)
    chance = *bad ? 1 - 1 / burst : loss / (burst * (1 - loss));
  *bad = g_rand_double (random) < chance;

  return *bad;
}

static gboolean
is_lost (Simulation *s, guint group)
{
  return test_repair_lose (s->random, &s->bad[group], s->config->loss,
      s->config->burst);
}

static gpointer
packet_key (guint source, guint sequence)
{
  return GUINT_TO_POINTER ((source & 0xfff) << 16 | (sequence & 0xffff));
}

static const SentPacket *
get_source (const Simulation *s, const LmccRepairPayload *repair, guint i)
{
  return g_hash_table_lookup (s->sent,
      packet_key (repair->source, repair->first + i * repair->step));
}

static void
note_block (Simulation *s, const LmccRepairPayload *repair)
{
  guint i;

  s->result->n_blocks++;
  s->result->n_source += repair->n_source;
  s->result->n_repair += repair->n_repair;
  for (i = 0; i < repair->n_source; i++) {
    guint size = get_source (s, repair, i)->size;

    s->result->source_bytes += size;
    s->result->padding += repair->symbol_size - size;
  }
}

/* Packets that the code can recover after all packets of a block have been
 * sent. */
static void
note_recovered (Simulation *s, const LmccRepairPayload *repair, guint n_came)
{
  guint n_lost = 0, i;

  for (i = 0; i < repair->n_source; i++)
    n_lost += get_source (s, repair, i)->lost;
  if (n_lost > n_came)
    return;
  for (i = 0; i < repair->n_source; i++) {
    const SentPacket *source = get_source (s, repair, i);

    if (!source->lost || !source->measured)
      continue;
    s->result->layers[source->layer].recovered++;
    s->result->classes[source->klass].recovered++;
  }
}

static void
note_repair (Simulation *s, const LmccRtp *rtp, const guint8 *payload,
    gboolean comes)
{
  LmccRepairPayload repair;
  BlockRepair *block;
  gpointer key;

  if (!lmcc_repair_payload_parse (payload, rtp->payload_size, &repair))
    return;
  key = packet_key (repair.source, repair.first);
  block = g_hash_table_lookup (s->blocks, key);
  if (block == NULL) {
    note_block (s, &repair);
    block = g_new0 (BlockRepair, 1);
    g_hash_table_insert (s->blocks, key, block);
  }
  block->n_came += comes;
  if (++block->n_sent < repair.n_repair)
    return;
  note_recovered (s, &repair, block->n_came);
  g_hash_table_remove (s->blocks, key);
}

static gboolean
is_measured (const Simulation *s)
{
  return s->now >= START + SETTLE;
}

static void
note_media (Simulation *s, const LmccPacket *packet, const LmccRtp *rtp,
    const LmccHeader *header, gboolean lost)
{
  guint layer = header->layer, klass = header->klass;
  SentPacket *sent = g_new0 (SentPacket, 1);

  *sent = (SentPacket){ (guint) packet->size + LMCC_REPAIR_LENGTH_SIZE, lost,
    is_measured (s) && layer <= s->config->level, layer, klass };
  g_hash_table_insert (s->sent, packet_key (rtp->ssrc, rtp->sequence), sent);
  if (is_measured (s))
    s->result->media_bytes += packet->size + TEST_REPAIR_IP_OVERHEAD;
  if (!sent->measured)
    return;
  s->result->layers[layer].sent++;
  s->result->layers[layer].lost += lost;
  s->result->classes[klass].sent++;
  s->result->classes[klass].lost += lost;
}

static void
note_sent (Simulation *s, const LmccPacket *packet, guint group, gboolean lost)
{
  LmccRtp rtp = { 0 };
  LmccHeader header = { 0 };

  lmcc_rtp_parse (packet->data, packet->size, LMCC_HEADER_DEFAULT_ID, &rtp);
  lmcc_header_parse (rtp.element, rtp.element_size, &header);
  if (header.type == LMCC_PACKET_REPAIR) {
    if (is_measured (s))
      s->result->repair_bytes += packet->size + TEST_REPAIR_IP_OVERHEAD;
    note_repair (s, &rtp, packet->data + rtp.header_size,
        !lost && header.layer <= s->config->level);
  }
  if (header.type == LMCC_PACKET_MEDIA) {
    Outcome *outcome;
    Tag tag;

    memcpy (&tag, packet->data + rtp.header_size, sizeof (tag));
    outcome = get_outcome (s, tag.number);
    outcome->sent++;
    outcome->highest = MAX (outcome->highest, group);
    note_media (s, packet, &rtp, &header, lost);
  }
}

static void
transmit (Simulation *s, LmccPacket *packet, guint group, gboolean control)
{
  gboolean lost = !control && is_lost (s, group);
  InFlight *in_flight;

  if (!control)
    note_sent (s, packet, group, lost);
  if (lost) {
    lmcc_packet_unref (packet);
    return;
  }
  in_flight = g_new (InFlight, 1);
  *in_flight = (InFlight){ s->now + DELAY, group, control, packet };
  g_queue_push_tail (&s->network, in_flight);
}

static void
take_delivered (Simulation *s, const LmccReceiverAction *action)
{
  Outcome *outcome;
  LmccRtp rtp = { 0 };
  Tag tag;

  lmcc_rtp_parse (action->packet->data, action->packet->size, 0, &rtp);
  memcpy (&tag, action->packet->data + rtp.header_size, sizeof (tag));
  outcome = get_outcome (s, tag.number);
  outcome->came++;
  outcome->corrupted |= action->corrupted;
}

static void
drain (Simulation *s)
{
  LmccSenderAction sent;
  LmccReceiverAction action;

  while (lmcc_sender_poll_action (s->sender, &sent)) {
    if (sent.packet != NULL)
      transmit (s, sent.packet, sent.group,
          sent.type == LMCC_SENDER_ACTION_SEND_CONTROL);
  }
  while (lmcc_receiver_poll_action (s->receiver, &action)) {
    if (action.type == LMCC_RECEIVER_ACTION_JOIN)
      s->joined[action.group] = TRUE;
    else if (action.type == LMCC_RECEIVER_ACTION_LEAVE)
      s->joined[action.group] = FALSE;
    else if (action.type == LMCC_RECEIVER_ACTION_DELIVER)
      take_delivered (s, &action);
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
}

static void
arrive (Simulation *s)
{
  InFlight *in_flight = g_queue_pop_head (&s->network);
  LmccPacket *packet = in_flight->packet;

  if (in_flight->control)
    lmcc_receiver_handle_control (s->receiver, s->now, &s->address, 40000,
        packet->data, packet->size);
  else if (s->joined[in_flight->group])
    lmcc_receiver_handle_packet (s->receiver, s->now, s->now, in_flight->group,
        &s->address, 40000, lmcc_packet_ref (packet));
  lmcc_packet_unref (packet);
  g_free (in_flight);
}

static void
step (Simulation *s, LmccTime end)
{
  const InFlight *first = g_queue_peek_head (&s->network);
  LmccTime arrival = first != NULL ? first->at : LMCC_TIME_NONE;
  LmccTime picture = get_time (s, s->n_pushed);
  LmccTime sender = lmcc_sender_next_timeout (s->sender);
  LmccTime receiver = lmcc_receiver_next_timeout (s->receiver);
  LmccTime next = MIN (MIN (arrival, picture), MIN (sender, receiver));

  s->now = MAX (s->now, MIN (next, end));
  if (arrival <= s->now)
    arrive (s);
  else if (picture <= s->now)
    push_picture (s);
  else if (sender <= s->now)
    lmcc_sender_handle_timeout (s->sender, s->now);
  else if (receiver <= s->now)
    lmcc_receiver_handle_timeout (s->receiver, s->now);
  drain (s);
}

static void
start_sender (Simulation *s)
{
  const TestRepairConfig *test = s->config;
  LmccSenderConfig config = { 0 };
  LmccSession *session = &config.session;
  guint i;

  lmcc_session_init (session);
  lmcc_address_parse ("239.255.42.1", &session->address);
  session->port = 5004;
  session->source = s->address;
  session->ssrc_base = 0x12345000;
  session->n_rungs = MAX (test->n_rungs, 1);
  session->native = test->n_layers == 0;
  session->n_layers = test->n_layers;
  for (i = 0; i < test->n_layers; i++)
    session->layers[i].rate = test->rates[i];
  session->window =
      test->n_layers > 0 ? 2 * test->group + 400 * LMCC_MSECOND : 0;
  session->packet_size = TEST_REPAIR_PACKET_SIZE;
  session->repair = test->repair;
  session->video.clock_rate = 90000;
  g_strlcpy (session->video.encoding_name, "H264", LMCC_ENCODING_NAME_SIZE);
  config.cname = "test";
  config.sequence_seed = test->seed;
  config.rtp_offset = RTP_OFFSET;
  config.ntp_offset = G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND;
  config.mtu = 1400;
  config.repair_loss = test->expected > 0 ? test->expected : test->loss;
  config.repair_burst = test->burst;
  config.repair_block = test->block;
  s->sender = lmcc_sender_new (&config, s->now, NULL);
}

static void
start_receiver (Simulation *s)
{
  LmccReceiverConfig config = { 0 };

  config.address = lmcc_sender_get_session (s->sender)->address;
  config.algorithm = "none";
  config.max_level = (gint) s->config->level;
  config.latency = s->config->latency > 0 ? s->config->latency : LATENCY;
  config.on_loss = LMCC_ON_LOSS_CONCEAL;
  config.rtt_mode = LMCC_RTT_MODE_FIXED;
  config.fixed_rtt = 2 * DELAY;
  s->receiver = lmcc_receiver_new (&config);
  lmcc_receiver_start (s->receiver, s->now);
}

/* Sums over each class and the lower ones. */
static void
get_repaired (Simulation *s, guint64 *repaired)
{
  LmccReceiverStats stats;
  guint i;

  lmcc_receiver_get_stats (s->receiver, s->now, &stats);
  for (i = 0; i < LMCC_MAX_CLASSES; i++)
    repaired[i] = stats.repair.classes[i].repaired;
}

/* Rungs or qualities of one picture follow each other. */
static guint
count_parts (const Simulation *s, guint number)
{
  guint n = 1;

  while (number + n < s->outcomes->len
      && get_time (s, number + n) == get_time (s, number))
    n++;

  return n;
}

static gboolean
is_sent (const Simulation *s, const Outcome *outcome)
{
  return outcome->sent >= outcome->count
      && outcome->highest <= s->config->level;
}

static void
judge_picture (Simulation *s, guint number, guint n)
{
  TestRepairResult *result = s->result;
  gboolean sent = FALSE, whole = FALSE, decodable = FALSE, best = FALSE;
  guint i;

  for (i = number; i < number + n; i++) {
    const Outcome *outcome = get_outcome (s, i);

    if (!is_sent (s, outcome))
      continue;
    sent = TRUE;
    best = outcome->came >= outcome->count && !outcome->corrupted;
    whole |= outcome->came >= outcome->count;
    decodable |= best;
  }
  result->n_pictures += sent;
  result->n_whole += whole;
  result->n_decodable += decodable;
  result->n_best += best;
}

static void
judge (Simulation *s, LmccTime until)
{
  guint n, i;

  for (i = 0; i < s->outcomes->len; i += n) {
    n = count_parts (s, i);
    if (get_time (s, i) >= START + SETTLE && get_time (s, i) < until)
      judge_picture (s, i, n);
  }
}

/**
 * test_repair_run:
 * @config: the run
 * @result: (out): its counts
 */
void
test_repair_run (const TestRepairConfig *config, TestRepairResult *result)
{
  Simulation s = { config, result, START };
  LmccTime end = START + SETTLE + config->seconds * LMCC_SECOND;
  guint64 before[LMCC_MAX_CLASSES], after[LMCC_MAX_CLASSES];
  guint i;

  memset (result, 0, sizeof (*result));
  lmcc_address_parse ("10.0.0.1", &s.address);
  s.random = g_rand_new_with_seed (config->seed);
  s.outcomes = g_array_new (FALSE, TRUE, sizeof (Outcome));
  s.sent = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  s.blocks = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_queue_init (&s.network);
  start_sender (&s);
  start_receiver (&s);
  while (!is_measured (&s))
    step (&s, START + SETTLE);
  get_repaired (&s, before);
  while (s.now < end + SETTLE)
    step (&s, end + SETTLE);
  judge (&s, end);
  get_repaired (&s, after);
  for (i = 0; i < LMCC_MAX_CLASSES; i++)
    result->classes[i].repaired = (guint) (after[i] - before[i]);
  for (i = 0; i < LMCC_MAX_CLASSES; i++)
    result->n_dropped += lmcc_sender_get_stats (s.sender)->units_dropped[i];
  while (!g_queue_is_empty (&s.network))
    arrive (&s);
  drain (&s);
  lmcc_receiver_free (s.receiver);
  lmcc_sender_free (s.sender);
  g_hash_table_unref (s.sent);
  g_hash_table_unref (s.blocks);
  g_array_unref (s.outcomes);
  g_rand_free (s.random);
}
