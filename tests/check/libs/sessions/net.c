/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the simulated network that other tests use.
 */
#include "support/test-net.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/measure/tcp-model.h>
#include <math.h>

#define KBIT 1000

/* Tests of links. */

#define PACKET 1000
#define FLOW 1

static TestLink
make_link (const TestLinkSettings *settings)
{
  TestLink link;

  test_link_init (&link, settings, test_net_get_seed ());

  return link;
}

static gboolean
submit (TestLink *link, LmccTime now, LmccTime *arrival)
{
  const TestLinkPacket packet = { .size = PACKET, .flow = FLOW };

  return test_link_submit (link, &packet, now, arrival);
}

GST_START_TEST (test_a_packet_takes_its_transmission_and_the_wire)
{
  const TestLinkSettings settings = { .rate = 8000 * KBIT,
    .delay = 20 * LMCC_MSECOND };
  TestLink link = make_link (&settings);
  LmccTime arrival;

  fail_unless (submit (&link, LMCC_SECOND, &arrival));
  fail_unless_equals_uint64 (arrival, LMCC_SECOND + 21 * LMCC_MSECOND);
  /* Behind the first one. */
  fail_unless (submit (&link, LMCC_SECOND, &arrival));
  fail_unless_equals_uint64 (arrival, LMCC_SECOND + 22 * LMCC_MSECOND);
  /* To an idle link. */
  fail_unless (submit (&link, 2 * LMCC_SECOND, &arrival));
  fail_unless_equals_uint64 (arrival, 2 * LMCC_SECOND + 21 * LMCC_MSECOND);
  fail_unless_equals_uint64 (link.flows[FLOW].queue_delay_max, LMCC_MSECOND);
  test_link_clear (&link);
}

GST_END_TEST;

GST_START_TEST (test_a_full_queue_drops_what_comes)
{
  /* 3 waiting packets, with a limit in packets or bytes, and one being sent. */
  static const TestLinkSettings settings[] = {
    { .rate = 8000 * KBIT, .queue_packets = 3 },
    { .rate = 8000 * KBIT, .queue_bytes = 3 * PACKET + PACKET / 2 },
  };
  TestLink link = make_link (&settings[__i__]);
  guint i;

  for (i = 0; i < 4; i++)
    fail_unless (submit (&link, LMCC_SECOND, NULL));
  fail_if (submit (&link, LMCC_SECOND, NULL));
  fail_if (submit (&link, LMCC_SECOND + LMCC_MSECOND - 1, NULL));
  fail_unless (submit (&link, LMCC_SECOND + LMCC_MSECOND, NULL));
  fail_if (submit (&link, LMCC_SECOND + LMCC_MSECOND, NULL));
  fail_unless_equals_uint64 (link.total.packets, 8);
  fail_unless_equals_uint64 (link.total.dropped, 3);
  fail_unless_equals_uint64 (link.total.arrived_bytes, 5 * PACKET);
  test_link_clear (&link);
}

GST_END_TEST;

GST_START_TEST (test_a_shorter_wire_does_not_reorder)
{
  const TestLinkSettings settings = { .delay = 100 * LMCC_MSECOND };
  TestLink link = make_link (&settings);
  LmccTime first, second;

  submit (&link, LMCC_SECOND, &first);
  link.settings.delay = LMCC_MSECOND;
  submit (&link, LMCC_SECOND + LMCC_MSECOND, &second);
  fail_unless (second >= first);
  test_link_clear (&link);
}

GST_END_TEST;

typedef struct
{
  TestLinkSettings settings;
  gdouble loss;
  gdouble burst;
} LossCase;

/* Gilbert's channel loses all packets in its bad state: to_bad / (to_bad +
 * to_good) of all packets, 1 / to_good in a row. */
static const LossCase loss_cases[] = {
  { { .loss = 0.01 }, 0.01, 1 / 0.99 },
  { { .loss = 0.3 }, 0.3, 1 / 0.7 },
  { { .to_bad = 0.005, .to_good = 0.2, .bad_loss = 1 }, 0.005 / 0.205, 5 },
};

GST_START_TEST (test_the_wire_loses_its_share)
{
  const LossCase *expected = &loss_cases[__i__];
  TestLink link = make_link (&expected->settings);
  const guint n = test_net_is_slow () ? 200000 : 1000000;
  guint i, bursts = 0, told = 0;
  gboolean before = TRUE;
  gdouble tolerance;

  for (i = 0; i < n; i++) {
    TestLinkPacket packet;
    gboolean arrives = submit (&link, i, NULL);

    bursts += before && !arrives;
    before = arrives;
    told += test_link_take (&link, &packet) == arrives;
  }
  fail_unless_equals_int (told, n);
  /* Four standard deviations of the sum of this many bursts with geometric
   * lengths. */
  tolerance = 4 * sqrt (2 * expected->burst / (n * expected->loss));
  fail_unless (fabs ((gdouble) link.total.lost / n / expected->loss - 1)
          < tolerance,
      "%u of %u lost, seed %u", (guint) link.total.lost, n,
      test_net_get_seed ());
  fail_unless (fabs ((gdouble) link.total.lost / bursts / expected->burst - 1)
          < tolerance,
      "%u lost in %u bursts", (guint) link.total.lost, bursts);
  test_link_clear (&link);
}

GST_END_TEST;

/* Tests of the schedule. */

GST_START_TEST (test_the_schedule_gives_the_earliest)
{
  TestSchedule schedule;
  g_autoptr (GRand) random = g_rand_new_with_seed (test_net_get_seed ());
  guint i, j;

  test_schedule_init (&schedule, 100);
  for (i = 0; i < 20000; i++) {
    guint first = 0;

    test_schedule_set (&schedule, (guint) g_rand_int_range (random, 0, 100),
        (guint) g_rand_int_range (random, 0, 50));
    for (j = 1; j < 100; j++) {
      if (schedule.times[j] < schedule.times[first])
        first = j;
    }
    fail_unless_equals_int (test_schedule_first (&schedule), first);
  }
  test_schedule_clear (&schedule);
}

GST_END_TEST;

/* Tests of the session over the network. */

static TestNet *
make_session (guint n_layers, LmccTime join_latency, LmccTime leave_latency)
{
  TestNetConfig config = { .n_layers = n_layers,
    .algorithm = "none",
    .join_latency = join_latency,
    .leave_latency = leave_latency,
    .shared = { .delay = 20 * LMCC_MSECOND } };

  lmcc_rates_compute (LMCC_RATE_SCHEME_DOUBLING, 128 * KBIT, 0, n_layers,
      config.rates, NULL);

  return test_net_new (&config);
}

GST_START_TEST (test_each_layer_has_its_rate)
{
  static const guint n_layers[] = { 1, 4, 9 };
  TestNetReceiverConfig config = { .max_level = -1 };
  g_autoptr (TestNet) net = make_session (n_layers[__i__], 0, 0);
  LmccSenderStats before, after;
  guint64 control;
  guint i;

  test_net_add_receiver (net, &config);
  test_net_run (net, 10 * LMCC_SECOND);
  before = *lmcc_sender_get_stats (net->sender);
  test_net_run (net, 60 * LMCC_SECOND);
  after = *lmcc_sender_get_stats (net->sender);
  control = after.control_bytes - before.control_bytes;
  for (i = 0; i < net->config.n_layers; i++) {
    gdouble rate = (gdouble) (after.layers[i].bytes - before.layers[i].bytes
                       + (i == 0 ? control : 0))
        * 8 / 60;
    gdouble announced =
        (gdouble) lmcc_sender_get_session (net->sender)->layers[i].rate;

    fail_unless (fabs (rate / net->config.rates[i] - 1) < 0.02,
        "layer %u has %.0f bit/s, not %.0f", i, rate, net->config.rates[i]);
    /* A change of a tenth causes no new record. */
    fail_unless (fabs (announced / net->config.rates[i] - 1) < 0.12,
        "layer %u is announced with %.0f bit/s, not %.0f", i, announced,
        net->config.rates[i]);
  }
  fail_unless_equals_int (net->receivers[0].level,
      (gint) net->config.n_layers - 1);
  fail_unless_equals_uint64 (net->receivers[0].missed, 0);
}

GST_END_TEST;

/* Packets that crossed the shared link within the given time. */
static guint
count_shared (TestNet *net, LmccTime duration)
{
  guint64 before = net->shared.total.packets;

  test_net_run (net, duration);

  return (guint) (net->shared.total.packets - before);
}

GST_START_TEST (test_a_group_crosses_the_shared_link_once)
{
  TestNetReceiverConfig config = { .max_level = 3 };
  g_autoptr (TestNet) net = make_session (4, 0, 0);
  guint one, many, i;

  fail_unless_equals_int (count_shared (net, LMCC_SECOND), 0);
  test_net_add_receiver (net, &config);
  test_net_run (net, 2 * LMCC_SECOND);
  one = count_shared (net, 10 * LMCC_SECOND);
  for (i = 1; i < 10; i++)
    test_net_add_receiver (net, &config);
  test_net_run (net, 2 * LMCC_SECOND);
  many = count_shared (net, 10 * LMCC_SECOND);
  /* 1.024 Mbit/s, plus the record and fillers. */
  fail_unless (one > 1260 && one < 1400, "%u packets", one);
  fail_unless (many + 10 > one && many < one + 10, "%u and %u packets", one,
      many);
}

GST_END_TEST;

GST_START_TEST (test_joins_and_leaves_take_their_time)
{
  TestNetReceiverConfig config = { .max_level = 3 };
  g_autoptr (TestNet) net =
      make_session (4, 300 * LMCC_MSECOND, 2 * LMCC_SECOND);
  LmccReceiver *receiver;
  const TestMembership *top;

  test_net_add_receiver (net, &config);
  receiver = net->receivers[0].receiver;
  top = &net->receivers[0].groups[3];
  test_net_run (net, 299 * LMCC_MSECOND);
  fail_unless_equals_int (net->shared.total.packets, 0);
  test_net_run (net, 5 * LMCC_SECOND);
  fail_unless (top->wanted && top->flows);

  lmcc_receiver_set_max_level (receiver, 2, net->now);
  /* The receiver's decision takes effect at its next turn. */
  test_net_run (net, 100 * LMCC_MSECOND);
  fail_unless (!top->wanted && top->flows);
  test_net_run (net, 1800 * LMCC_MSECOND);
  fail_unless (top->flows);
  test_net_run (net, 200 * LMCC_MSECOND);
  fail_if (top->flows);

  /* Joined again before the leave takes effect: the packets continue without
   * a gap. */
  lmcc_receiver_set_max_level (receiver, 3, net->now);
  test_net_run (net, LMCC_SECOND);
  lmcc_receiver_set_max_level (receiver, 2, net->now);
  test_net_run (net, LMCC_SECOND);
  lmcc_receiver_set_max_level (receiver, 3, net->now);
  test_net_run (net, 100 * LMCC_MSECOND);
  fail_unless (top->flows);
  test_net_run (net, 3 * LMCC_SECOND);
  fail_unless (top->flows);
}

GST_END_TEST;

GST_START_TEST (test_own_links_are_own)
{
  TestNetReceiverConfig narrow = { .max_level = 3,
    .own = { .rate = 512 * KBIT,
        .delay = 30 * LMCC_MSECOND,
        .queue_packets = 20 } };
  TestNetReceiverConfig wide = { .max_level = 3 };
  g_autoptr (TestNet) net = make_session (4, 0, 0);
  guint64 bytes;

  test_net_add_receiver (net, &narrow);
  test_net_add_receiver (net, &wide);
  fail_unless_equals_uint64 (test_net_rtt (net, 0), 100 * LMCC_MSECOND);
  fail_unless_equals_uint64 (test_net_rtt (net, 1), 40 * LMCC_MSECOND);
  test_net_run (net, 10 * LMCC_SECOND);
  bytes = net->receivers[0].bytes;
  test_net_run (net, 20 * LMCC_SECOND);
  bytes = (net->receivers[0].bytes - bytes) * 8 / 20;
  fail_unless (bytes > 510 * KBIT && bytes < 513 * KBIT, "%u bit/s",
      (guint) bytes);
  fail_unless (net->receivers[0].missed > 0.45 * net->receivers[0].offered);
  fail_unless_equals_uint64 (net->receivers[1].missed, 0);
}

GST_END_TEST;

GST_START_TEST (test_reports_measure_the_path)
{
  TestNetReceiverConfig far = { .max_level = -1,
    .algorithm = "elm",
    .own = { .delay = 80 * LMCC_MSECOND } };
  TestNetReceiverConfig near = { .max_level = -1, .algorithm = "elm" };
  g_autoptr (TestNet) net = make_session (2, 0, 0);
  LmccReceiverStats stats[3];
  guint64 reports;

  test_net_add_receiver (net, &far);
  test_net_add_receiver (net, &near);
  test_net_run (net, 30 * LMCC_SECOND);
  lmcc_receiver_get_stats (net->receivers[0].receiver, net->now, &stats[0]);
  lmcc_receiver_get_stats (net->receivers[1].receiver, net->now, &stats[1]);
  fail_unless (stats[0].rtt_source == LMCC_RTT_SOURCE_FEEDBACK);
  fail_unless (ABS ((gint64) stats[0].rtt - 200 * (gint64) LMCC_MSECOND)
          < (gint64) LMCC_MSECOND,
      "%.3f ms", stats[0].rtt / 1e6);
  fail_unless (ABS ((gint64) stats[1].rtt - 40 * (gint64) LMCC_MSECOND)
          < (gint64) LMCC_MSECOND,
      "%.3f ms", stats[1].rtt / 1e6);

  /* When cut off, reports continue, but no answers arrive. */
  net->control_cut = TRUE;
  reports = net->receivers[0].reports;
  test_net_run (net, LMCC_SECOND);
  lmcc_receiver_get_stats (net->receivers[0].receiver, net->now, &stats[0]);
  test_net_run (net, 30 * LMCC_SECOND);
  lmcc_receiver_get_stats (net->receivers[0].receiver, net->now, &stats[2]);
  fail_unless (net->receivers[0].reports > reports);
  fail_unless_equals_uint64 (stats[2].answers, stats[0].answers);
}

GST_END_TEST;

GST_START_TEST (test_a_seed_makes_one_run)
{
  guint64 missed[3];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (missed); i++) {
    TestNetConfig config = { .n_layers = 2,
      .rates = { 128 * KBIT, 128 * KBIT },
      .algorithm = "none",
      .seed = 7 + i / 2,
      .shared = { .loss = 0.1 } };
    TestNetReceiverConfig receiver = { .max_level = -1 };
    g_autoptr (TestNet) net = test_net_new (&config);

    test_net_add_receiver (net, &receiver);
    test_net_run (net, 60 * LMCC_SECOND);
    missed[i] = net->receivers[0].missed;
  }
  fail_unless_equals_uint64 (missed[0], missed[1]);
  fail_if (missed[0] == missed[2]);
}

GST_END_TEST;

/* Tests of TCP alone. */

typedef struct
{
  guint rtt_ms;
  gdouble loss;
} TcpCase;

/* Several packets in the window, as the formula assumes. */
static const TcpCase tcp_cases[] = {
  { 60, 0.005 },
  { 60, 0.01 },
  { 60, 0.02 },
  { 50, 0.01 },
  { 100, 0.01 },
  { 250, 0.01 },
  { 500, 0.01 },
  { 20, 0.02 },
};

static TestNet *
make_net (const TestLinkSettings *shared)
{
  TestNetConfig config = { .n_layers = 1,
    .rates = { 128 * KBIT },
    .algorithm = "none",
    .shared = *shared };

  return test_net_new (&config);
}

static gdouble
flow_rate (TestNet *net, LmccTime duration)
{
  guint64 before = net->flows[0].tcp.una;

  test_net_run (net, duration);

  return (gdouble) (net->flows[0].tcp.una - before) * 8 * TEST_TCP_SEGMENT
      * LMCC_SECOND / (gdouble) duration;
}

GST_START_TEST (test_tcp_gets_what_the_formula_says)
{
  const TcpCase *tcp = &tcp_cases[__i__];
  TestLinkSettings shared = { .delay = tcp->rtt_ms * LMCC_MSECOND / 2,
    .loss = tcp->loss };
  g_autoptr (TestNet) net = make_net (&shared);
  gdouble wanted = lmcc_tcp_model_rate (tcp->loss, tcp->rtt_ms * LMCC_MSECOND,
              TEST_TCP_SEGMENT),
          rate;

  test_net_add_flow (net, 0);
  net->flows[0].tcp.rto_rtts = 4;
  test_net_run (net, 10 * LMCC_SECOND);
  rate = flow_rate (net, 600 * LMCC_SECOND);
  fail_unless (fabs (rate / wanted - 1) < 0.25,
      "%u ms, loss %g: %.0f kbit/s, the formula says %.0f; %u timeouts, "
      "%u recoveries, seed %u",
      tcp->rtt_ms, tcp->loss, rate / KBIT, wanted / KBIT,
      (guint) net->flows[0].tcp.n_timeouts,
      (guint) net->flows[0].tcp.n_recoveries, net->config.seed);
}

GST_END_TEST;

GST_START_TEST (test_tcp_alone_fills_the_link)
{
  TestLinkSettings shared = { .rate = 3000 * KBIT,
    .delay = 30 * LMCC_MSECOND,
    .queue_bytes = 45000 };
  g_autoptr (TestNet) net = make_net (&shared);
  gdouble rate;

  test_net_add_flow (net, 0);
  test_net_run (net, 10 * LMCC_SECOND);
  rate = flow_rate (net, 120 * LMCC_SECOND);
  fail_unless (rate > 0.95 * 3000 * KBIT && rate <= 3000 * KBIT, "%.0f kbit/s",
      rate / KBIT);
}

GST_END_TEST;

static Suite *
net_suite (void)
{
  Suite *s = suite_create ("net");
  TCase *link = tcase_create ("link");
  TCase *session = tcase_create ("session");
  TCase *tcp = tcase_create ("tcp");

  suite_add_tcase (s, link);
  tcase_add_test (link, test_a_packet_takes_its_transmission_and_the_wire);
  tcase_add_loop_test (link, test_a_full_queue_drops_what_comes, 0, 2);
  tcase_add_test (link, test_a_shorter_wire_does_not_reorder);
  tcase_add_loop_test (link, test_the_wire_loses_its_share, 0,
      G_N_ELEMENTS (loss_cases));
  tcase_add_test (link, test_the_schedule_gives_the_earliest);

  suite_add_tcase (s, session);
  tcase_add_loop_test (session, test_each_layer_has_its_rate, 0,
      test_net_is_slow () ? 2 : 3);
  tcase_add_test (session, test_a_group_crosses_the_shared_link_once);
  tcase_add_test (session, test_joins_and_leaves_take_their_time);
  tcase_add_test (session, test_own_links_are_own);
  if (lmcc_algorithm_find ("elm") != NULL)
    tcase_add_test (session, test_reports_measure_the_path);
  tcase_add_test (session, test_a_seed_makes_one_run);

  suite_add_tcase (s, tcp);
  tcase_add_loop_test (tcp, test_tcp_gets_what_the_formula_says, 0,
      test_net_is_slow () ? 1 : G_N_ELEMENTS (tcp_cases));
  tcase_add_test (tcp, test_tcp_alone_fills_the_link);

  return s;
}

GST_CHECK_MAIN (net);
