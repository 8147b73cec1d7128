/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/feedback-traffic.h"
#include "support/test-net-private.h"
#include "support/test-slow.h"

#include <gst/lmcc/wire/rtcp.h>

#include <stdlib.h>
#include <string.h>

/* Calls of a receiver at one time. */
#define MOST_CALLS 200

#define IP_OVERHEAD 28
#define MEDIA_PORT 40000
#define FEEDBACK_PORT 5006
#define START (100 * LMCC_SECOND)
#define SHAPED_WINDOW (2200 * LMCC_MSECOND)

typedef enum
{
  MAIL_MEMBERSHIP,
  MAIL_REPORT,
  MAIL_FORGED,
  MAIL_LATE,
} MailKind;

/* Rare events: a membership takes effect, or a report, a forged answer or a
 * late packet arrives. */
typedef struct
{
  LmccTime at;
  MailKind kind;
  guint receiver;
  guint group;
  guint change;
  gboolean control;
  LmccPacket *packet;
} Mail;

guint32
test_net_get_seed (void)
{
  const gchar *text = g_getenv ("LMCC_TEST_SEED");

  return text != NULL ? (guint32) strtoul (text, NULL, 0) : TEST_NET_SEED;
}

/* Converts the option --trains of a program: negative: as the algorithm
 * wants, 0: none. */
LmccTime
test_net_train_cycle (gint ms)
{
  if (ms == 0)
    return LMCC_TIME_NONE;

  return ms < 0 ? 0 : (LmccTime) ms * LMCC_MSECOND;
}

/* All tables can be measured with and without trains. */
static LmccTime
find_train_cycle (const TestNet *net)
{
  const gchar *text = g_getenv ("LMCC_TEST_TRAINS");

  if (net->config.train_cycle == LMCC_TIME_NONE)
    return 0;
  if (net->config.train_cycle > 0)
    return net->config.train_cycle;

  return text != NULL ? strtoul (text, NULL, 0) * LMCC_MSECOND : LMCC_TIME_NONE;
}

/* Under valgrind and sanitizers, some of the cases suffice. */
gboolean
test_net_is_slow (void)
{
  return test_is_slow ();
}

static void
mail_free (Mail *mail)
{
  g_clear_pointer (&mail->packet, lmcc_packet_unref);
  g_free (mail);
}

static gint
compare_mail (const Mail *a, const Mail *b, gpointer user_data G_GNUC_UNUSED)
{
  return a->at < b->at ? -1 : a->at > b->at;
}

static void
post (TestNet *net, const Mail *mail)
{
  const Mail *first;

  g_queue_insert_sorted (&net->mail, g_memdup2 (mail, sizeof (*mail)),
      (GCompareDataFunc) compare_mail, NULL);
  first = g_queue_peek_head (&net->mail);
  test_schedule_set (&net->schedule, SLOT_MAIL, first->at);
}

static LmccTime
one_way_delay (const TestNet *net, guint index)
{
  return net->shared.settings.delay + net->receivers[index].own.settings.delay;
}

/**
 * test_net_rtt:
 * @net: a network
 * @index: a receiver
 *
 * Returns: its round-trip time with empty queues, without transmission times
 */
LmccTime
test_net_rtt (const TestNet *net, guint index)
{
  return 2 * one_way_delay (net, index);
}

static void
set_flows (TestNet *net, guint index, guint group, gboolean flows)
{
  TestMembership *member = &net->receivers[index].groups[group];

  if (member->flows == flows)
    return;
  member->flows = flows;
  net->members[group] += flows ? 1 : -1;
}

static void
take_effect (TestNet *net, const Mail *mail)
{
  TestMembership *member = &net->receivers[mail->receiver].groups[mail->group];

  /* A later join or leave has replaced it. */
  if (mail->change != member->change)
    return;
  member->forgotten = FALSE;
  set_flows (net, mail->receiver, mail->group, member->wanted);
}

static void
ask (TestNet *net, guint index, guint group, gboolean wanted)
{
  TestMembership *member = &net->receivers[index].groups[group];
  LmccTime latency =
      wanted ? net->config.join_latency : net->config.leave_latency;
  Mail mail = { net->now + latency, MAIL_MEMBERSHIP, index, group };

  g_assert (member->wanted != wanted);
  member->wanted = wanted;
  mail.change = ++member->change;
  if (latency > 0)
    post (net, &mail);
  else
    take_effect (net, &mail);
}

void
test_net_note_missed (TestNet *net, guint index, guint group)
{
  TestNetReceiver *to = &net->receivers[index];

  if (!to->groups[group].wanted)
    return;
  to->missed++;
  to->last_miss = net->now;
  if (to->first_miss == LMCC_TIME_NONE)
    to->first_miss = net->now;
}

static void
note_control (TestNet *net, const LmccPacket *packet, guint size)
{
  net->control_bytes += size;
  if (net->feedback != NULL && feedback_traffic_answers (packet)) {
    feedback_traffic_add (net->feedback, net->now, packet->size);
    net->answers++;
  }
}

static void
transmit (TestNet *net, LmccPacket *packet, guint group, gboolean control)
{
  TestLinkPacket content = { .packet = packet,
    .size = (guint32) packet->size + IP_OVERHEAD,
    .group = (guint8) group,
    .control = (guint8) control };
  gboolean arrives;
  guint i;

  if (control)
    note_control (net, packet, content.size);
  if (!net->config.shaped)
    test_source_note_sent (&net->source, packet, control);
  if (net->watch != NULL && !control)
    net->watch (net, TEST_NET_SENT, group, packet, net->watch_data);
  if (net->members[group] > 0) {
    arrives = test_link_submit (&net->shared, &content, net->now, NULL);
    test_schedule_set (&net->schedule, SLOT_SHARED,
        test_link_next_arrival (&net->shared));
    for (i = 0; i < net->n_receivers; i++) {
      const TestMembership *member = &net->receivers[i].groups[group];

      if (!member->flows || !member->wanted)
        continue;
      net->receivers[i].offered++;
      if (!arrives)
        test_net_note_missed (net, i, group);
    }
  }
  lmcc_packet_unref (packet);
}

static void
drain_sender (TestNet *net)
{
  LmccSenderAction action;

  while (lmcc_sender_poll_action (net->sender, &action)) {
    switch (action.type) {
      case LMCC_SENDER_ACTION_SEND:
        transmit (net, action.packet, action.group, FALSE);
        break;
      case LMCC_SENDER_ACTION_SEND_CONTROL:
        transmit (net, action.packet, 0, TRUE);
        break;
      case LMCC_SENDER_ACTION_REQUEST_KEY_UNIT:
      case LMCC_SENDER_ACTION_SESSION_CHANGED:
        break;
    }
  }
  test_schedule_set (&net->schedule, SLOT_SENDER,
      lmcc_sender_next_timeout (net->sender));
}

static void
keep_report (gpointer user_data, const LmccReferenceTime *report)
{
  *(LmccReferenceTime *) user_data = *report;
}

/* The forged answer arrives slightly before the sender's own, which is then
 * ignored. Half of the answers claim a round-trip time close to zero. */
static void
forge_answer (TestNet *net, guint index, const LmccPacket *packet)
{
  static const LmccRtcpHandler handler = { .reference_time = keep_report };
  LmccTime elapsed = 2 * one_way_delay (net, index);
  Mail mail = { net->now + elapsed, MAIL_FORGED, index };
  LmccReferenceTime report = { 0 };
  LmccDlrr answer;

  lmcc_rtcp_parse (packet->data, packet->size, &handler, &report);
  answer.ssrc = report.ssrc;
  answer.last_rr = (guint32) (report.ntp_time >> 16);
  answer.delay = g_rand_boolean (net->forger)
      ? (guint32) ((elapsed << 16) / LMCC_SECOND) - 66
      : g_rand_int (net->forger) >> g_rand_int_range (net->forger, 0, 31);
  mail.packet =
      lmcc_rtcp_build_dlrr (lmcc_sender_get_session (net->sender)->ssrc_base,
          &answer, 1);
  net->forged++;
  post (net, &mail);
}

static void
send_report (TestNet *net, guint index, LmccPacket *packet)
{
  Mail mail = { net->now + one_way_delay (net, index), MAIL_REPORT, index };

  net->receivers[index].reports++;
  net->report_bytes += packet->size + IP_OVERHEAD;
  if (net->feedback != NULL)
    feedback_traffic_add (net->feedback, net->now, packet->size);
  mail.packet = packet;
  if (net->forger != NULL)
    forge_answer (net, index, packet);
  post (net, &mail);
}

static void
take_report (TestNet *net, const Mail *mail)
{
  Mail later = *mail;

  if (net->control_cut)
    return;
  /* The report waits in the sender's socket. */
  if (net->now < net->sender_paused_until) {
    later.at = net->sender_paused_until;
    lmcc_packet_ref (later.packet);
    post (net, &later);
    return;
  }
  lmcc_sender_handle_control (net->sender, net->now,
      &net->receivers[mail->receiver].address, FEEDBACK_PORT,
      mail->packet->data, mail->packet->size);
  drain_sender (net);
}

static void
note_level (TestNet *net, TestNetReceiver *from,
    const LmccReceiverAction *action)
{
  TestLevelChange change = { net->now, action->from, action->to,
    action->reason };

  from->level = action->to;
  g_array_append_val (from->changes, change);
}

static void
drain_receiver (TestNet *net, guint index)
{
  TestNetReceiver *from = &net->receivers[index];
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (from->receiver, &action)) {
    switch (action.type) {
      case LMCC_RECEIVER_ACTION_JOIN:
        ask (net, index, action.group, TRUE);
        break;
      case LMCC_RECEIVER_ACTION_LEAVE:
        ask (net, index, action.group, FALSE);
        break;
      case LMCC_RECEIVER_ACTION_LEVEL:
        note_level (net, from, &action);
        break;
      case LMCC_RECEIVER_ACTION_REPORT:
        send_report (net, index, action.packet);
        break;
      case LMCC_RECEIVER_ACTION_DELIVER:
        if (net->watch != NULL)
          net->watch (net, (gint) index, 0, action.packet, net->watch_data);
        lmcc_packet_unref (action.packet);
        break;
      case LMCC_RECEIVER_ACTION_CIRCUIT_BREAKER:
        from->ended = action.reason;
        break;
      default:
        g_clear_pointer (&action.packet, lmcc_packet_unref);
        break;
    }
  }
  test_schedule_set (&net->schedule,
      test_net_slot (net, SLOTS_RECEIVER) + index,
      lmcc_receiver_next_timeout (from->receiver));
}

/**
 * test_net_inject:
 * @net: a network
 * @index: a receiver
 * @group: group from which the packet comes
 * @packet: (transfer full): an RTP packet in the sender's name
 *
 * Delivers a packet to a receiver without any link.
 */
void
test_net_inject (TestNet *net, guint index, guint group, LmccPacket *packet)
{
  lmcc_receiver_handle_packet (net->receivers[index].receiver, net->now,
      net->now, group, &net->sender_address, MEDIA_PORT, packet);
  drain_receiver (net, index);
}

static LmccPacket *
see (TestNet *net, guint index, const TestNetHeld *held)
{
  if (net->tap == NULL)
    return lmcc_packet_ref (held->packet);

  return net->tap (net, index, held->group, held->packet, net->tap_data);
}

/* The receiver's process reads a packet. */
void
test_net_hand_over (TestNet *net, guint index, const TestNetHeld *held)
{
  TestNetReceiver *to = &net->receivers[index];

  net->deliveries++;
  to->bytes += held->packet->size + IP_OVERHEAD;
  if (held->control)
    lmcc_receiver_handle_control (to->receiver, net->now, &net->sender_address,
        MEDIA_PORT, held->packet->data, held->packet->size);
  else
    lmcc_receiver_handle_packet (to->receiver, net->now, held->arrival,
        held->group, &net->sender_address, MEDIA_PORT, see (net, index, held));
  drain_receiver (net, index);
}

static void
deliver (TestNet *net, guint index, LmccPacket *packet, guint group,
    gboolean control)
{
  TestNetHeld held = { packet, net->now, (guint8) group, (guint8) control };

  if (net->receivers[index].running && !test_net_hold (net, index, &held))
    test_net_hand_over (net, index, &held);
}

/* It is behind all links. */
static void
reach (TestNet *net, guint index, const TestLinkPacket *content)
{
  Mail mail = { net->now + test_net_air_delay (net, index), MAIL_LATE, index,
    content->group };

  if (mail.at == net->now) {
    deliver (net, index, content->packet, content->group, content->control);
    return;
  }
  mail.control = content->control;
  mail.packet = lmcc_packet_ref (content->packet);
  post (net, &mail);
}

static void
take_forged (TestNet *net, const Mail *mail)
{
  TestNetReceiver *to = &net->receivers[mail->receiver];

  lmcc_receiver_handle_control (to->receiver, net->now, &net->sender_address,
      MEDIA_PORT, mail->packet->data, mail->packet->size);
  drain_receiver (net, mail->receiver);
}

static void
forward (TestNet *net, guint index, const TestLinkPacket *content)
{
  TestNetReceiver *to = &net->receivers[index];

  if (!test_link_submit (&to->own, content, net->now, NULL))
    test_net_note_missed (net, index, content->group);
  test_schedule_set (&net->schedule, SLOT_OWN + index,
      test_link_next_arrival (&to->own));
}

/* Packets of joined groups that do not arrive count as missed. */
static gboolean
is_sent_to (TestNet *net, guint index, guint group)
{
  const TestMembership *member = &net->receivers[index].groups[group];

  if (!member->flows || (net->config.left_is_unseen && !member->wanted))
    return FALSE;
  if (member->forgotten)
    test_net_note_missed (net, index, group);

  return !member->forgotten;
}

static void
take_from_shared (TestNet *net)
{
  TestLinkPacket content;
  gboolean arrived = test_link_take (&net->shared, &content);
  guint i;

  test_schedule_set (&net->schedule, SLOT_SHARED,
      test_link_next_arrival (&net->shared));
  if (!arrived)
    return;
  if (content.flow > 0) {
    test_net_take_segment (net, &content);
    return;
  }
  for (i = 0; i < net->n_receivers; i++) {
    if (is_sent_to (net, i, content.group))
      forward (net, i, &content);
  }
  lmcc_packet_unref (content.packet);
}

static void
take_from_own (TestNet *net, guint index)
{
  TestNetReceiver *to = &net->receivers[index];
  TestLinkPacket content;
  gboolean arrived = test_link_take (&to->own, &content);

  test_schedule_set (&net->schedule, SLOT_OWN + index,
      test_link_next_arrival (&to->own));
  if (!arrived)
    return;
  reach (net, index, &content);
  lmcc_packet_unref (content.packet);
}

static void
take_mail (TestNet *net)
{
  Mail *mail = g_queue_pop_head (&net->mail);
  const Mail *next = g_queue_peek_head (&net->mail);

  test_schedule_set (&net->schedule, SLOT_MAIL,
      next != NULL ? next->at : LMCC_TIME_NONE);
  if (mail->kind == MAIL_MEMBERSHIP)
    take_effect (net, mail);
  else if (mail->kind == MAIL_REPORT)
    take_report (net, mail);
  else if (mail->kind == MAIL_LATE)
    deliver (net, mail->receiver, mail->packet, mail->group, mail->control);
  else
    take_forged (net, mail);
  mail_free (mail);
}

static void
push_pictures (TestNet *net)
{
  test_source_push (&net->source, net->now);
  test_schedule_set (&net->schedule, SLOT_SOURCE, net->source.next);
  drain_sender (net);
}

/* A state machine that asks for the same time again and again would hang its
 * caller. One call handles 64 packets and may leave others for the next. */
static void
fail_stuck (TestNet *net, guint index)
{
  LmccReceiverStats stats;

  lmcc_receiver_get_stats (net->receivers[index].receiver, net->now, &stats);
  g_error ("receiver %u at level %d is stuck at %.6f s: %s, timer %s",
      index + 1, stats.level, (gdouble) (net->now - START) / LMCC_SECOND,
      stats.status.state, stats.status.timer);
}

static void
run_receiver (TestNet *net, guint index)
{
  LmccReceiver *receiver = net->receivers[index].receiver;

  guint n;

  if (!test_net_wake (net, index))
    return;
  for (n = 0; n < MOST_CALLS; n++) {
    lmcc_receiver_handle_timeout (receiver, net->now);
    drain_receiver (net, index);
    if (lmcc_receiver_next_timeout (receiver) > net->now)
      return;
  }
  fail_stuck (net, index);
}

static gboolean
is_paused (const TestNet *net, guint slot)
{
  return net->now < net->sender_paused_until
      && (slot == SLOT_SOURCE || slot == SLOT_SENDER);
}

static void
happen (TestNet *net, guint slot)
{
  if (is_paused (net, slot)) {
    test_schedule_set (&net->schedule, slot, net->sender_paused_until);
  } else if (slot == SLOT_MAIL) {
    take_mail (net);
  } else if (slot == SLOT_SOURCE) {
    push_pictures (net);
  } else if (slot == SLOT_SENDER) {
    lmcc_sender_handle_timeout (net->sender, net->now);
    drain_sender (net);
  } else if (slot == SLOT_SHARED) {
    take_from_shared (net);
  } else if (slot < test_net_slot (net, SLOTS_RECEIVER)) {
    take_from_own (net, slot - SLOT_OWN);
  } else if (slot < test_net_slot (net, SLOTS_ACKS)) {
    run_receiver (net, slot - test_net_slot (net, SLOTS_RECEIVER));
  } else if (slot < test_net_slot (net, SLOTS_FLOW)) {
    test_net_take_ack (net, slot - test_net_slot (net, SLOTS_ACKS));
  } else if (slot < test_net_slot (net, SLOTS_HOST)) {
    test_net_run_flow (net, slot - test_net_slot (net, SLOTS_FLOW));
  } else {
    test_net_send_segment (net, slot - test_net_slot (net, SLOTS_HOST));
  }
}

/**
 * test_net_run:
 * @net: a network
 * @duration: how long to run
 */
void
test_net_run (TestNet *net, LmccTime duration)
{
  LmccTime end = net->now + duration;
  guint slot;

  while (slot = test_schedule_first (&net->schedule),
      net->schedule.times[slot] < end) {
    net->now = MAX (net->now, net->schedule.times[slot]);
    happen (net, slot);
  }
  net->now = end;
}

/**
 * test_net_cumulative_rate:
 * @net: a network
 * @level: -1 or higher
 *
 * Returns: the level's cumulative rate R as requested, bit/s
 */
gdouble
test_net_cumulative_rate (const TestNet *net, gint level)
{
  gdouble rate = 0;
  gint i;

  for (i = 0; i <= level; i++)
    rate += net->config.rates[i];

  return rate;
}

/**
 * test_net_add_receiver:
 * @net: a network
 * @config: the receiver
 *
 * Starts a receiver now.
 *
 * Returns: its index
 */
guint
test_net_add_receiver (TestNet *net, const TestNetReceiverConfig *config)
{
  guint index = net->n_receivers++;
  TestNetReceiver *to = &net->receivers[index];
  LmccReceiverConfig receiver = { 0 };
  g_autofree gchar *address = g_strdup_printf ("10.%u.%u.%u", (index + 1) >> 16,
      1 + ((index + 1) >> 8 & 0xff), (index + 1) & 0xff);

  g_assert (index < net->config.max_receivers);
  lmcc_address_parse (address, &to->address);
  lmcc_address_parse ("239.255.42.1", &receiver.address);
  receiver.algorithm = config->algorithm != NULL ? config->algorithm : "auto";
  receiver.settings = config->settings;
  receiver.rtt_mode = config->rtt_mode;
  receiver.fixed_rtt = config->fixed_rtt;
  receiver.latency = LMCC_DEFAULT_LATENCY;
  receiver.max_level = config->max_level;
  receiver.on_loss = LMCC_ON_LOSS_CONCEAL;
  receiver.sequence_seed = net->config.seed + index * 7919;

  test_link_init (&to->own, &config->own, net->config.seed + 1 + index);
  to->changes = g_array_new (FALSE, FALSE, sizeof (TestLevelChange));
  to->sockets = g_array_new (FALSE, FALSE, sizeof (TestNetHeld));
  to->level = -1;
  to->first_miss = LMCC_TIME_NONE;
  to->receiver = lmcc_receiver_new (&receiver);
  to->running = TRUE;
  lmcc_receiver_start (to->receiver, net->now);
  drain_receiver (net, index);

  return index;
}

void
test_net_stop_receiver (TestNet *net, guint index)
{
  TestNetReceiver *to = &net->receivers[index];

  lmcc_receiver_stop (to->receiver, net->now);
  to->running = FALSE;
  drain_receiver (net, index);
}

static void
set_layers (const TestNet *net, LmccSession *session)
{
  guint i;

  if (!net->config.shaped) {
    session->n_rungs = net->config.class_share > 0 ? 1 : net->config.n_layers;
    session->window = LMCC_DEFAULT_WINDOW;
    return;
  }
  session->native = FALSE;
  session->n_layers = net->config.n_layers;
  for (i = 0; i < session->n_layers; i++)
    session->layers[i].rate = (guint64) (net->config.rates[i] + 0.5);
  session->window = SHAPED_WINDOW;
}

static void
start_sender (TestNet *net)
{
  LmccSenderConfig config = { 0 };

  lmcc_session_init (&config.session);
  lmcc_address_parse ("239.255.42.1", &config.session.address);
  config.session.port = 5004;
  config.session.source = net->sender_address;
  config.session.ssrc_base = 0x12345000;
  set_layers (net, &config.session);
  config.levels = net->config.levels;
  config.session.video.clock_rate = 90000;
  config.session.packet_size = TEST_SOURCE_PACKET_SIZE;
  config.session.feedback_interval = LMCC_DEFAULT_FEEDBACK_INTERVAL;
  config.session.feedback_port = FEEDBACK_PORT;
  g_strlcpy (config.session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  g_strlcpy (config.session.algorithm, net->config.algorithm,
      sizeof (config.session.algorithm));
  if (net->config.base_algorithm != NULL)
    g_strlcpy (config.session.base_algorithm, net->config.base_algorithm,
        sizeof (config.session.base_algorithm));
  config.cname = "test";
  config.sequence_seed = net->config.seed;
  config.rtp_offset = 0xffff0000u;
  config.ntp_offset = G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND;
  config.mtu = 1400;
  config.leave_latency = net->config.leave_latency;
  config.nominal_rtt = net->config.nominal_rtt;
  config.session.slot = net->config.slot;
  config.session.train_cycle = find_train_cycle (net);
  config.session.repair = net->config.repair;
  config.repair_loss = net->config.repair_loss;
  config.repair_auto = net->config.repair_auto;
  net->sender = lmcc_sender_new (&config, net->now, NULL);
}

/* Each layer is a class. */
static void
start_classes (TestNet *net)
{
  gdouble rates[LMCC_MAX_LAYERS];
  guint i;

  for (i = 0; i < net->config.n_layers; i++)
    rates[i] = net->config.class_share * net->config.rates[i];
  test_source_init (&net->source, net->sender, rates, net->config.n_layers,
      net->now);
  net->source.classes = TRUE;
}

static void
start_source (TestNet *net)
{
  gdouble half =
      test_net_cumulative_rate (net, (gint) net->config.n_layers - 1) / 2;

  if (net->config.class_share > 0)
    start_classes (net);
  else if (net->config.shaped)
    test_source_init (&net->source, net->sender, &half, 1, net->now);
  else
    test_source_init (&net->source, net->sender, net->config.rates,
        net->config.n_layers, net->now);
  test_schedule_set (&net->schedule, SLOT_SOURCE, net->source.next);
}

/**
 * test_net_new:
 * @config: copied
 *
 * The sender starts to send at once.
 *
 * Returns: (transfer full): a network
 */
TestNet *
test_net_new (const TestNetConfig *config)
{
  TestNet *net = g_new0 (TestNet, 1);

  net->config = *config;
  if (net->config.seed == 0)
    net->config.seed = test_net_get_seed ();
  if (net->config.max_receivers == 0)
    net->config.max_receivers = TEST_NET_MAX_RECEIVERS;
  net->receivers = g_new0 (TestNetReceiver, net->config.max_receivers);
  net->now = START;
  net->random = g_rand_new_with_seed (net->config.seed);
  lmcc_address_parse ("10.0.0.1", &net->sender_address);
  test_schedule_init (&net->schedule, test_net_slot (net, SLOTS_END));
  test_link_init (&net->shared, &config->shared, net->config.seed);
  start_sender (net);
  start_source (net);
  drain_sender (net);

  return net;
}

void
test_net_free (TestNet *net)
{
  guint i;

  lmcc_sender_free (net->sender);
  for (i = 0; i < net->n_receivers; i++) {
    lmcc_receiver_free (net->receivers[i].receiver);
    test_link_clear (&net->receivers[i].own);
    g_array_unref (net->receivers[i].changes);
    test_net_clear_sockets (net, i);
    g_array_unref (net->receivers[i].sockets);
  }
  for (i = 0; i < net->n_flows; i++) {
    test_link_clear (&net->flows[i].host);
    test_link_clear (&net->flows[i].acks);
  }
  g_free (net->receivers);
  test_schedule_clear (&net->schedule);
  g_rand_free (net->random);
  test_link_clear (&net->shared);
  g_queue_clear_full (&net->mail, (GDestroyNotify) mail_free);
  g_free (net);
}

/**
 * test_net_print_changes:
 * @net: a network
 * @name: name of the run
 * @epoch: origin of the printed times
 *
 * Prints all level changes on standard error.
 */
void
test_net_print_changes (const TestNet *net, const gchar *name, LmccTime epoch)
{
  guint i, k;

  for (i = 0; i < net->n_receivers; i++) {
    for (k = 0; k < net->receivers[i].changes->len; k++) {
      const TestLevelChange *change =
          &g_array_index (net->receivers[i].changes, TestLevelChange, k);

      g_printerr ("%s, receiver %u: %.2f %d -> %d %s\n", name, i,
          (gdouble) (change->time - epoch) / LMCC_SECOND, change->from,
          change->to, change->reason);
    }
  }
}
