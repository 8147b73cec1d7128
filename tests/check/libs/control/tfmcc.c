/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TFMCC's sender and receivers over links in virtual time, in steps of 1 ms: a
 * shared link, behind it a link of each receiver's own; reports are real bytes.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/single-rate/tfmcc-receiver.h>
#include <gst/lmcc/control/single-rate/tfmcc-sender.h>
#include <gst/lmcc/control/single-rate/tfmcc-wire.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/loss.h>
#include <gst/lmcc/receiver/layer-account.h>
#include <gst/lmcc/wire/layer-header.h>

#include "support/test-link.h"
#include "support/test-slow.h"
#include "support/test-tcp.h"

#include <math.h>

#define STEP LMCC_MSECOND
#define START (100 * LMCC_SECOND)
#define PACKET TEST_TCP_SEGMENT
#define S0 0x12345000u
#define FIRST_SSRC 0xcafe0000u
#define MAX_RECEIVERS 1000
#define SEND_TIME_SIZE 4
#define TCP_FLOW 1
#define FORGED_ORIGIN MAX_RECEIVERS

typedef struct
{
  gboolean runs;
  gboolean mute;
  LmccTfmccReceiver *receiver;
  LmccLayerAccount *account;
  TestLink link;
  TestLink back;
  guint64 bytes;
  guint64 reports;
} Receiver;

typedef struct
{
  LmccTime now;
  LmccTfmccSender *sender;
  LmccTime next_packet;
  guint16 lsn;
  TestLink shared;
  Receiver *receivers;
  guint n_receivers;
  TestTcp *tcp;
  TestLink tcp_back;
  guint64 tcp_bytes;
  guint64 bytes;
  guint64 other_reports;        /* of receivers that are not the limiting one */
  guint64 round;
  guint64 round_reports;
  guint64 most_reports;
} World;

static const TestLinkSettings mbit = {
  .rate = 1000000,.delay = 50 * LMCC_MSECOND,.queue_packets = 25
};

static World *
world_new (const TestLinkSettings * shared, gdouble max_rate)
{
  World *world = g_new0 (World, 1);

  world->now = START;
  world->sender = lmcc_tfmcc_sender_new (START, PACKET,
      LMCC_DEFAULT_RTT_MAX, max_rate);
  world->next_packet = START;
  world->lsn = 65000;
  test_link_init (&world->shared, shared, 1);
  world->receivers = g_new0 (Receiver, MAX_RECEIVERS);

  return world;
}

static void
stop_receiver (World * world, guint index)
{
  Receiver *r = &world->receivers[index];

  g_clear_pointer (&r->receiver, lmcc_tfmcc_receiver_free);
  g_clear_pointer (&r->account, lmcc_layer_account_free);
  r->runs = FALSE;
}

static void
world_free (World * world)
{
  guint i;

  for (i = 0; i < world->n_receivers; i++) {
    stop_receiver (world, i);
    test_link_clear (&world->receivers[i].link);
    test_link_clear (&world->receivers[i].back);
  }
  test_link_clear (&world->shared);
  if (world->tcp != NULL)
    test_link_clear (&world->tcp_back);
  g_free (world->tcp);
  g_free (world->receivers);
  lmcc_tfmcc_sender_free (world->sender);
  g_free (world);
}

static guint
add_receiver (World * world, const TestLinkSettings * link)
{
  const TestLinkSettings back = {.delay = 50 * LMCC_MSECOND };
  guint index = world->n_receivers++;
  Receiver *r = &world->receivers[index];

  g_assert (index < MAX_RECEIVERS);
  r->runs = TRUE;
  r->receiver = lmcc_tfmcc_receiver_new (FIRST_SSRC + index, S0, PACKET,
      index + 1);
  r->account = lmcc_layer_account_new ();
  test_link_init (&r->link, link, index + 2);
  test_link_init (&r->back, &back, 1);

  return index;
}

static void
add_tcp (World * world)
{
  const TestLinkSettings back = {.delay = 50 * LMCC_MSECOND };

  world->tcp = g_new0 (TestTcp, 1);
  test_tcp_init (world->tcp);
  test_tcp_start (world->tcp);
  test_link_init (&world->tcp_back, &back, 1);
}

static guint32
send_clock (const World * world)
{
  return lmcc_time_to_ntp_short (world->now + 12345 * LMCC_SECOND);
}

static void
send_data (World * world)
{
  while (world->next_packet <= world->now) {
    guint8 data[SEND_TIME_SIZE + LMCC_TFMCC_ELEMENT_SIZE];
    guint32 clock = g_htonl (send_clock (world));
    TestLinkPacket packet = {.sequence = world->lsn++,.size = PACKET };
    LmccTfmccElement element;

    lmcc_tfmcc_sender_get_element (world->sender, world->now, &element);
    memcpy (data, &clock, SEND_TIME_SIZE);
    lmcc_tfmcc_element_write (&element, data + SEND_TIME_SIZE);
    packet.packet = lmcc_packet_new_copy (data, sizeof (data));
    test_link_submit (&world->shared, &packet, world->now, NULL);
    lmcc_packet_unref (packet.packet);
    world->bytes += PACKET;
    world->next_packet += (LmccTime) (8.0 * PACKET * LMCC_SECOND /
        lmcc_tfmcc_sender_get_rate (world->sender));
  }
}

static void
drain_reports (World * world, Receiver * r)
{
  LmccTfmccReport report;

  while (lmcc_tfmcc_receiver_poll_report (r->receiver, world->now, &report)) {
    TestLinkPacket packet = {.packet = lmcc_tfmcc_report_build (&report),
      .size = LMCC_TFMCC_REPORT_SIZE + 28
    };

    if (!r->mute)
      test_link_submit (&r->back, &packet, world->now, NULL);
    lmcc_packet_unref (packet.packet);
    r->reports++;
  }
}

static void
receive (World * world, Receiver * r, const TestLinkPacket * packet)
{
  LmccTfmccElement element;
  LmccArrival arrival;
  guint32 clock;
  LmccLoss loss;

  if (!r->runs)
    return;
  memcpy (&clock, packet->packet->data, SEND_TIME_SIZE);
  fail_unless (lmcc_tfmcc_element_parse (packet->packet->data + SEND_TIME_SIZE,
          LMCC_TFMCC_ELEMENT_SIZE, &element));
  arrival = lmcc_layer_account_packet (r->account, world->now,
      (guint16) packet->sequence, packet->size);
  fail_if (arrival == LMCC_ARRIVAL_DUPLICATE);
  r->bytes += packet->size;
  lmcc_tfmcc_receiver_packet (r->receiver, world->now, packet->size,
      g_ntohl (clock), &element);
  while (lmcc_layer_account_poll_loss (r->account, &loss))
    lmcc_tfmcc_receiver_loss (r->receiver, world->now, &loss);
}

static void
pass_on (World * world)
{
  TestLinkPacket packet;
  guint i;

  while (test_link_next_arrival (&world->shared) <= world->now) {
    if (!test_link_take (&world->shared, &packet))
      continue;
    if (packet.flow == TCP_FLOW) {
      world->tcp_bytes += packet.size;
      packet.size = TEST_TCP_ACK;
      test_link_submit (&world->tcp_back, &packet, world->now, NULL);
      continue;
    }
    for (i = 0; i < world->n_receivers; i++) {
      if (world->receivers[i].runs)
        test_link_submit (&world->receivers[i].link, &packet, world->now, NULL);
    }
    lmcc_packet_unref (packet.packet);
  }
}

static void
run_receiver (World * world, Receiver * r)
{
  TestLinkPacket packet;
  LmccLoss loss;

  while (test_link_next_arrival (&r->link) <= world->now) {
    if (!test_link_take (&r->link, &packet))
      continue;
    receive (world, r, &packet);
    lmcc_packet_unref (packet.packet);
    if (r->runs)
      drain_reports (world, r);
  }
  if (!r->runs)
    return;
  if (lmcc_layer_account_next_timeout (r->account) <= world->now) {
    lmcc_layer_account_timeout (r->account, world->now);
    while (lmcc_layer_account_poll_loss (r->account, &loss))
      lmcc_tfmcc_receiver_loss (r->receiver, world->now, &loss);
  }
  if (lmcc_tfmcc_receiver_next_timeout (r->receiver) <= world->now)
    lmcc_tfmcc_receiver_handle_timeout (r->receiver, world->now);
  drain_reports (world, r);
}

static void
count_report (World * world, guint32 ssrc)
{
  guint64 round = lmcc_tfmcc_sender_get_rounds (world->sender);
  guint32 limiting;

  if (lmcc_tfmcc_sender_get_limiting (world->sender, &limiting)
      && limiting == ssrc)
    return;
  if (round != world->round)
    world->round_reports = 0;
  world->round = round;
  world->round_reports++;
  world->other_reports++;
  world->most_reports = MAX (world->most_reports, world->round_reports);
}

static void
take_reports (World * world, Receiver * r)
{
  TestLinkPacket packet;
  LmccTfmccReport report;

  while (test_link_next_arrival (&r->back) <= world->now) {
    test_link_take (&r->back, &packet);
    fail_unless (lmcc_tfmcc_report_parse (packet.packet->data,
            packet.packet->size, &report));
    count_report (world, report.ssrc);
    fail_unless (lmcc_tfmcc_sender_handle_report (world->sender, world->now,
            send_clock (world), r - world->receivers, &report));
    lmcc_packet_unref (packet.packet);
  }
}

static void
run_tcp (World * world)
{
  TestLinkPacket packet;

  if (world->tcp == NULL)
    return;
  while (test_link_next_arrival (&world->tcp_back) <= world->now) {
    test_link_take (&world->tcp_back, &packet);
    test_tcp_handle_ack (world->tcp, world->now, packet.sequence);
  }
  test_tcp_handle_timeout (world->tcp, world->now);
  packet = (TestLinkPacket) {
  .size = TEST_TCP_SEGMENT,.flow = TCP_FLOW};
  while (test_tcp_poll (world->tcp, world->now, &packet.sequence))
    test_link_submit (&world->shared, &packet, world->now, NULL);
}

static void
run (World * world, LmccTime duration)
{
  LmccTime end = world->now + duration;
  guint i;

  for (; world->now < end; world->now += STEP) {
    run_tcp (world);
    if (lmcc_tfmcc_sender_next_timeout (world->sender) <= world->now)
      lmcc_tfmcc_sender_handle_timeout (world->sender, world->now);
    send_data (world);
    pass_on (world);
    for (i = 0; i < world->n_receivers; i++) {
      run_receiver (world, &world->receivers[i]);
      take_reports (world, &world->receivers[i]);
    }
  }
}

/* What the session sends in @duration, in bit/s. */
static gdouble
measure (World * world, LmccTime duration)
{
  guint64 before = world->bytes;

  run (world, duration);

  return 8.0 * (world->bytes - before) * LMCC_SECOND / duration;
}

static guint32
limiting_index (World * world)
{
  guint32 ssrc;

  fail_unless (lmcc_tfmcc_sender_get_limiting (world->sender, &ssrc));

  return ssrc - FIRST_SSRC;
}

static LmccTfmccReport
forged (const World * world, gdouble rate, gboolean has_rtt, LmccTime rtt)
{
  return (LmccTfmccReport) {
  .ssrc = 0xbad,.ssrc_base = S0,.round = 1,.has_rtt = has_rtt,.has_loss =
        TRUE,.rate = rate,.echoed_time =
        send_clock (world) - lmcc_time_to_ntp_short (rtt),};
}

static gboolean
hand_in (World * world, const LmccTfmccReport * report)
{
  return lmcc_tfmcc_sender_handle_report (world->sender, world->now,
      send_clock (world), FORGED_ORIGIN, report);
}

/* RFC 4654 section 3.6: until a loss is reported the rate may double in R_max;
 * after it, it grows by a packet in that time. The limiting receiver's reports
 * that nothing limits it tell which. */
static gboolean
is_slow_start (World * world)
{
  gdouble before = lmcc_tfmcc_sender_get_rate (world->sender), growth;
  guint i;

  for (i = 0; i <= 4; i++) {
    LmccTfmccReport report = forged (world, INFINITY, TRUE, LMCC_MSECOND);

    report.has_loss = FALSE;
    lmcc_tfmcc_sender_get_limiting (world->sender, &report.ssrc);
    fail_unless (hand_in (world, &report));
    if (i == 0)
      before = lmcc_tfmcc_sender_get_rate (world->sender);
    world->now += lmcc_tfmcc_sender_get_rtt_max (world->sender);
  }
  growth = lmcc_tfmcc_sender_get_rate (world->sender) / before;
  fail_unless (growth <= 5 || growth > 15, "%f", growth);

  return growth > 15;
}

/* RFC 5348 section 1: such a flow is "reasonably fair", within a factor of two
 * of a TCP's rate; what is not used is not fair either. */
GST_START_TEST (one_flow_alone_fills_a_link)
{
  World *world = world_new (&mbit, 1e7);
  guint64 before;

  add_receiver (world, &(TestLinkSettings) {
      0}
  );
  run (world, 60 * LMCC_SECOND);
  before = world->receivers[0].bytes;
  run (world, 120 * LMCC_SECOND);
  fail_unless ((world->receivers[0].bytes - before) * 8.0 / 120 > 0.8e6, "%f",
      (world->receivers[0].bytes - before) * 8.0 / 120);
  world_free (world);
}

GST_END_TEST;

GST_START_TEST (one_flow_alone_has_left_slow_start)
{
  World *world = world_new (&mbit, 1e7);

  add_receiver (world, &(TestLinkSettings) {
      0}
  );
  run (world, 60 * LMCC_SECOND);
  fail_if (is_slow_start (world));
  world_free (world);
}

GST_END_TEST;

GST_START_TEST (beside_tcp_both_get_the_same_within_a_factor_of_two)
{
  World *world = world_new (&mbit, 1e7);
  guint64 tcp, own;
  gdouble ratio;

  add_receiver (world, &(TestLinkSettings) {
      0}
  );
  add_tcp (world);
  run (world, 60 * LMCC_SECOND);
  tcp = world->tcp_bytes;
  own = world->receivers[0].bytes;
  run (world, 240 * LMCC_SECOND);
  ratio = (gdouble) (world->receivers[0].bytes - own) /
      (gdouble) (world->tcp_bytes - tcp);
  fail_unless (ratio > 0.5 && ratio < 2, "%f times what TCP has", ratio);
  world_free (world);
}

GST_END_TEST;

GST_START_TEST (the_slowest_receiver_decides)
{
  const TestLinkSettings slow = {.rate = 400000,.delay =
        20 * LMCC_MSECOND,.queue_packets = 20
  };
  World *world = world_new (&mbit, 1e7);
  gdouble rate;

  add_receiver (world, &(TestLinkSettings) {
      0});
  add_receiver (world, &slow);
  add_receiver (world, &(TestLinkSettings) {
      0});
  run (world, 60 * LMCC_SECOND);
  rate = measure (world, 120 * LMCC_SECOND);
  fail_unless_equals_int (limiting_index (world), 1);
  fail_unless (rate > 0.8 * 400000 && rate < 1.05 * 400000, "%f bit/s", rate);
  world_free (world);
}

GST_END_TEST;

static void
check_recovery (gboolean says_so)
{
  const TestLinkSettings slow = {.rate = 300000,.delay =
        20 * LMCC_MSECOND,.queue_packets = 20
  };
  World *world = world_new (&mbit, 1e7);
  gdouble rate;

  add_receiver (world, &(TestLinkSettings) {
      0});
  add_receiver (world, &slow);
  run (world, 60 * LMCC_SECOND);
  fail_unless_equals_int (limiting_index (world), 1);
  if (says_so) {
    lmcc_tfmcc_receiver_leave (world->receivers[1].receiver);
    run (world, 2 * STEP);
  }
  stop_receiver (world, 1);
  run (world, 60 * LMCC_SECOND);
  fail_unless_equals_int (limiting_index (world), 0);
  rate = measure (world, 60 * LMCC_SECOND);
  fail_unless (rate > 0.8e6, "%f bit/s", rate);
  world_free (world);
}

GST_START_TEST (the_rate_recovers_when_the_limiting_receiver_leaves)
{
  check_recovery (TRUE);
}

GST_END_TEST;

GST_START_TEST (the_rate_recovers_when_the_limiting_receiver_is_gone)
{
  check_recovery (FALSE);
}

GST_END_TEST;

GST_START_TEST (without_reports_the_rate_falls_and_the_receiver_is_given_up)
{
  World *world = world_new (&mbit, 1e7);
  gdouble before;
  guint32 ssrc;

  add_receiver (world, &(TestLinkSettings) {
      0}
  );
  run (world, 60 * LMCC_SECOND);
  world->receivers[0].mute = TRUE;
  /* What is on its way still arrives. */
  run (world, 60 * LMCC_MSECOND);
  before = lmcc_tfmcc_sender_get_rate (world->sender);
  run (world, 10 * LMCC_SECOND);
  fail_if (lmcc_tfmcc_sender_get_limiting (world->sender, &ssrc));
  fail_unless (lmcc_tfmcc_sender_get_rate (world->sender) <= before / 4);
  run (world, 300 * LMCC_SECOND);
  fail_unless (lmcc_tfmcc_sender_get_rate (world->sender) <= before / 32);
  world_free (world);
}

GST_END_TEST;

/* All see the same losses. A report takes an R_max to silence the others: in
 * that time N^(1/6) times as many timers end (RFC 4654 section 4.5, T = 6
 * R_max), the more the fewer the receivers are below the N = 10000 of the
 * timer. */
GST_START_TEST (a_thousand_receivers_send_few_reports_in_a_round)
{
  const TestLinkSettings link = {.rate = 200000,.delay =
        50 * LMCC_MSECOND,.queue_packets = 10
  };
  const guint n = test_rounds (1000);
  World *world = world_new (&link, 1e7);
  guint64 rounds, reports;
  guint i;

  for (i = 0; i < n; i++)
    add_receiver (world, &(TestLinkSettings) {
        0}
  );
  run (world, 30 * LMCC_SECOND);
  rounds = lmcc_tfmcc_sender_get_rounds (world->sender) - 1;
  reports = world->other_reports;
  fail_unless (rounds >= 6);
  fail_unless (reports >= rounds / 2);
  fail_unless (reports <= 10 * rounds, "%" G_GUINT64_FORMAT " in %"
      G_GUINT64_FORMAT " rounds", reports, rounds);
  fail_unless (world->most_reports <= 50, "%" G_GUINT64_FORMAT,
      world->most_reports);
  world_free (world);
}

GST_END_TEST;

GST_START_TEST (reports_that_cannot_be_true_are_refused)
{
  World *world = world_new (&mbit, 1e7);
  gdouble rate = lmcc_tfmcc_sender_get_rate (world->sender);
  LmccTfmccReport report = forged (world, 1e6, TRUE, 0);

  fail_if (hand_in (world, &report));
  report.echoed_time += 65536;
  fail_if (hand_in (world, &report));
  report = forged (world, 100, TRUE, 11 * LMCC_SECOND);
  fail_if (hand_in (world, &report));
  fail_unless (lmcc_tfmcc_sender_get_rate (world->sender) == rate);
  world_free (world);
}

GST_END_TEST;

/* RFC 4654 section 3.3: a packet in 8 s. */
GST_START_TEST (no_report_takes_the_rate_below_the_floor)
{
  World *world = world_new (&mbit, 1e7);
  LmccTfmccReport report = forged (world, 100, TRUE, 100 * LMCC_MSECOND);

  fail_unless (hand_in (world, &report));
  fail_unless (lmcc_tfmcc_sender_get_rate (world->sender) == 1000.0);
  world_free (world);
}

GST_END_TEST;

/* By a packet per R_max in each R_max, however often it is asked for. */
GST_START_TEST (no_report_makes_the_rate_grow_faster_than_specified)
{
  World *world = world_new (&mbit, 1e9);
  LmccTfmccReport report = forged (world, INFINITY, FALSE, LMCC_MSECOND);
  gdouble rate = lmcc_tfmcc_sender_get_rate (world->sender);
  gdouble step = 8.0 * PACKET * LMCC_SECOND /
      lmcc_tfmcc_sender_get_rtt_max (world->sender);
  guint i;

  for (i = 0; i < 1000; i++) {
    report = forged (world, i % 2 ? INFINITY : 1e12, i % 2, LMCC_MSECOND);
    hand_in (world, &report);
    world->now += LMCC_MSECOND;
  }
  fail_unless (lmcc_tfmcc_sender_get_rate (world->sender) > rate + step);
  fail_unless (lmcc_tfmcc_sender_get_rate (world->sender) <= rate + 2 * step,
      "%f", lmcc_tfmcc_sender_get_rate (world->sender));
  world_free (world);
}

GST_END_TEST;

/* The rate that one address reports, whose reports echo a time as old as is
 * taken for possible, before the link got wide and after it. */
static const LmccTime stale_every[] = {
  LMCC_TIME_NONE, 5 * LMCC_SECOND, 300 * LMCC_MSECOND, LMCC_MSECOND
};

static LmccTime
climb (LmccTime every)
{
  const TestLinkSettings link = {.rate = 2000000,.delay =
        15 * LMCC_MSECOND,.queue_packets = 37
  };
  World *world = world_new (&link, 1e7);
  LmccTime took = 0, begun, next;

  add_receiver (world, &(TestLinkSettings) {
      0}
  );
  run (world, 60 * LMCC_SECOND);
  next = every == LMCC_TIME_NONE ? every : world->now;
  for (begun = world->now; took == 0 && world->now < begun +
      80 * LMCC_SECOND; run (world, STEP)) {
    if (world->now >= next) {
      LmccTfmccReport report = forged (world, INFINITY, TRUE,
          9900 * LMCC_MSECOND);

      report.ssrc += (guint32) (world->now / LMCC_MSECOND);
      report.round = (guint8) lmcc_tfmcc_sender_get_rounds (world->sender);
      hand_in (world, &report);
      next += every;
    }
    if (world->now == begun + 20 * LMCC_SECOND)
      world->shared.settings.rate = 6000000;
    if (lmcc_tfmcc_sender_get_rate (world->sender) >= 4e6)
      took = world->now - begun - 20 * LMCC_SECOND;
  }
  world_free (world);

  return took;
}

GST_START_TEST (one_address_does_not_hold_the_rate_down_by_its_distance)
{
  LmccTime took = climb (stale_every[__i__]);

  fail_unless (took > 0 && took < 15 * LMCC_SECOND, "%.1f s", took / 1e9);
}

GST_END_TEST;

/* The receiver alone, whose host slept: the next round's reports are as
 * before. */
GST_START_TEST (one_old_report_does_no_more_than_double_the_longest_time)
{
  World *world = world_new (&mbit, 1e7);
  LmccTime before;
  LmccTfmccReport report;
  guint32 ssrc;

  add_receiver (world, &(TestLinkSettings) {
      0}
  );
  run (world, 60 * LMCC_SECOND);
  before = lmcc_tfmcc_sender_get_rtt_max (world->sender);
  fail_unless (lmcc_tfmcc_sender_get_limiting (world->sender, &ssrc));
  report = forged (world, 1e6, TRUE, 9900 * LMCC_MSECOND);
  report.ssrc = ssrc;
  fail_unless (lmcc_tfmcc_sender_handle_report (world->sender, world->now,
          send_clock (world), 0, &report));
  fail_unless (hand_in (world, &report));
  fail_unless (lmcc_tfmcc_sender_get_rtt_max (world->sender) <= 2 * before);
  run (world, 20 * LMCC_SECOND);
  fail_unless (lmcc_tfmcc_sender_get_rtt_max (world->sender) < before +
      before / 2, "%.3f s after %.3f s", lmcc_tfmcc_sender_get_rtt_max
      (world->sender) / 1e9, before / 1e9);
  world_free (world);
}

GST_END_TEST;

static void
send_and_wait (World * world, gboolean sends, LmccTime wait)
{
  LmccTfmccElement element;

  if (sends)
    lmcc_tfmcc_sender_get_element (world->sender, world->now, &element);
  world->now += wait;
  while (lmcc_tfmcc_sender_next_timeout (world->sender) <= world->now)
    lmcc_tfmcc_sender_handle_timeout (world->sender, world->now);
}

/* An encoder makes a packet or two for a picture, and a camera or a busy host
 * may be late with one: RFC 5348 section 4.4. */
GST_START_TEST (silence_of_the_sender_is_not_taken_for_the_receivers)
{
  World *world = world_new (&mbit, 1e9);
  LmccTime rtt = 30 * LMCC_MSECOND;
  LmccTfmccReport report;
  gdouble rate;
  guint32 ssrc;
  guint i;

  for (i = 0; i < 1000; i++) {
    report = forged (world, 1e6, TRUE, rtt);
    fail_unless (hand_in (world, &report));
    send_and_wait (world, TRUE, rtt);
  }
  report = forged (world, 1e6, TRUE, rtt);
  fail_unless (hand_in (world, &report));
  rate = lmcc_tfmcc_sender_get_rate (world->sender);
  fail_unless (rate > 900000, "%f", rate);

  /* Longer than it is waited for a receiver before it is given up. So soon
   * after a report it has none to make. */
  if (__i__ == 1) {
    world->now += LMCC_MSECOND;
    send_and_wait (world, TRUE, 0);
  }
  send_and_wait (world, FALSE, 20 * rtt);
  fail_unless (lmcc_tfmcc_sender_get_rate (world->sender) == rate);
  fail_unless (lmcc_tfmcc_sender_get_limiting (world->sender, &ssrc));
  send_and_wait (world, TRUE, rtt);
  fail_unless (lmcc_tfmcc_sender_get_rate (world->sender) == rate);

  /* It was asked, and does not answer. */
  send_and_wait (world, FALSE, 4 * rtt);
  fail_unless (lmcc_tfmcc_sender_get_rate (world->sender) <= rate / 2);
  send_and_wait (world, FALSE, 10 * rtt);
  fail_if (lmcc_tfmcc_sender_get_limiting (world->sender, &ssrc));
  world_free (world);
}

GST_END_TEST;

GST_START_TEST (a_session_begins_with_a_packet_in_the_longest_round_trip_time)
{
  World *world = world_new (&mbit, 1e7);

  fail_unless (lmcc_tfmcc_sender_get_rate (world->sender) == 16000.0);
  fail_unless (is_slow_start (world));
  world_free (world);
}

GST_END_TEST;

GST_START_TEST (a_receiver_without_a_round_trip_time_is_reckoned_with_its_own)
{
  World *world = world_new (&mbit, 1e7);
  LmccTfmccReport report = forged (world, 8000, FALSE, 250 * LMCC_MSECOND);

  /* 8000 at R_max of 500 ms are 16000 at 250 ms. */
  fail_unless (hand_in (world, &report));
  fail_unless (fabs (lmcc_tfmcc_sender_get_rate (world->sender) - 16000) < 10);
  report.has_rtt = TRUE;
  fail_unless (hand_in (world, &report));
  fail_unless (lmcc_tfmcc_sender_get_rate (world->sender) == 8000);
  world_free (world);
}

GST_END_TEST;

GST_START_TEST (receivers_know_their_round_trip_time)
{
  const TestLinkSettings far = {.delay = 100 * LMCC_MSECOND };
  World *world = world_new (&mbit, 200000);
  LmccTime near_rtt, far_rtt;

  add_receiver (world, &(TestLinkSettings) {
      0});
  add_receiver (world, &far);
  run (world, 60 * LMCC_SECOND);
  near_rtt = lmcc_tfmcc_receiver_get_rtt (world->receivers[0].receiver);
  far_rtt = lmcc_tfmcc_receiver_get_rtt (world->receivers[1].receiver);
  /* 50 ms there and 50 back, and 8 ms to be sent; steps of 1 ms. */
  fail_unless (near_rtt > 105 * LMCC_MSECOND && near_rtt < 113 * LMCC_MSECOND,
      "%" G_GUINT64_FORMAT, near_rtt);
  fail_unless (far_rtt > 205 * LMCC_MSECOND && far_rtt < 213 * LMCC_MSECOND,
      "%" G_GUINT64_FORMAT, far_rtt);
  world_free (world);
}

GST_END_TEST;

GST_START_TEST (a_receiver_that_is_far_too_slow_must_leave)
{
  LmccTfmccReceiver *receiver = lmcc_tfmcc_receiver_new (1, S0, PACKET, 1);
  const LmccTfmccElement element = {.suppression_rate = INFINITY,.rtt_max =
        500 * LMCC_MSECOND
  };
  LmccTime now = START;
  LmccLoss loss;
  guint i;

  for (i = 0; i < 125; i++) {
    lmcc_tfmcc_receiver_packet (receiver, now, PACKET,
        lmcc_time_to_ntp_short (now), &element);
    fail_if (i < 120 && lmcc_tfmcc_receiver_must_leave (receiver, now));
    now += LMCC_SECOND;
    loss = lmcc_loss_at (now - LMCC_SECOND / 2, 1);
    lmcc_tfmcc_receiver_loss (receiver, now, &loss);
  }
  fail_unless (lmcc_tfmcc_receiver_must_leave (receiver, now));
  lmcc_tfmcc_receiver_free (receiver);
}

GST_END_TEST;

static Suite *
tfmcc_suite (void)
{
  Suite *suite = suite_create ("tfmcc");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_test (tcase, one_flow_alone_fills_a_link);
  tcase_add_test (tcase, one_flow_alone_has_left_slow_start);
  tcase_add_test (tcase, beside_tcp_both_get_the_same_within_a_factor_of_two);
  tcase_add_test (tcase, the_slowest_receiver_decides);
  tcase_add_test (tcase, the_rate_recovers_when_the_limiting_receiver_leaves);
  tcase_add_test (tcase, the_rate_recovers_when_the_limiting_receiver_is_gone);
  tcase_add_test (tcase,
      without_reports_the_rate_falls_and_the_receiver_is_given_up);
  tcase_add_test (tcase, a_thousand_receivers_send_few_reports_in_a_round);
  tcase_add_test (tcase, reports_that_cannot_be_true_are_refused);
  tcase_add_test (tcase, no_report_takes_the_rate_below_the_floor);
  tcase_add_test (tcase, no_report_makes_the_rate_grow_faster_than_specified);
  tcase_add_loop_test (tcase,
      one_address_does_not_hold_the_rate_down_by_its_distance,
      test_is_slow ()? G_N_ELEMENTS (stale_every) - 1 : 0,
      G_N_ELEMENTS (stale_every));
  tcase_add_test (tcase,
      one_old_report_does_no_more_than_double_the_longest_time);
  tcase_add_loop_test (tcase,
      silence_of_the_sender_is_not_taken_for_the_receivers, 0, 2);
  tcase_add_test (tcase,
      a_session_begins_with_a_packet_in_the_longest_round_trip_time);
  tcase_add_test (tcase,
      a_receiver_without_a_round_trip_time_is_reckoned_with_its_own);
  tcase_add_test (tcase, receivers_know_their_round_trip_time);
  tcase_add_test (tcase, a_receiver_that_is_far_too_slow_must_leave);

  return suite;
}

GST_CHECK_MAIN (tfmcc);
