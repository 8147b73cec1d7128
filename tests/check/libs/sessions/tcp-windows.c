/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the congestion window of the TCP model: on a path with only a
 * round-trip time and losses, as analysed in RFC 9438, and on links with
 * queues.
 */
#include "support/test-net.h"

#include <gst/check/gstcheck.h>
#include <math.h>

#define KBIT 1000

/* RFC 9438: sections 5.1 and 4.6. */
#define C 0.4
#define BETA 0.7

/* RFC 5348, section 3.1. With less, the model, which waits with a
 * retransmission for room in the window, would have timeouts on long paths. */
#define RTO_RTTS 4

/**
 * Path:
 * @wire: segments in transit for a round-trip time
 * @until_loss: number of segments until the next loss; 0: no loss
 * @period: the value to restart @until_loss with
 */
typedef struct
{
  TestTcp tcp;
  TestLink wire;
  LmccTime now;
  guint64 until_loss;
  guint64 period;
} Path;

static Path *
path_new (TestTcpAlgorithm algorithm, LmccTime rtt)
{
  const TestLinkSettings wire = { .delay = rtt };
  Path *path = g_new0 (Path, 1);

  test_link_init (&path->wire, &wire, test_net_get_seed ());
  test_tcp_init (&path->tcp, algorithm);
  path->tcp.rto_rtts = RTO_RTTS;
  test_tcp_start (&path->tcp);

  return path;
}

static void
path_free (Path *path)
{
  test_link_clear (&path->wire);
  g_free (path);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Path, path_free)

static gboolean
is_lost (Path *path)
{
  if (path->until_loss == 0 || --path->until_loss > 0)
    return FALSE;
  path->until_loss = path->period;

  return TRUE;
}

static void
send_segments (Path *path)
{
  TestLinkPacket packet = { .size = TEST_TCP_SEGMENT };

  while (test_tcp_poll (&path->tcp, path->now, &packet.sequence)) {
    if (!is_lost (path))
      test_link_submit (&path->wire, &packet, path->now, NULL);
  }
}

/* Until after the next event. */
static void
step (Path *path)
{
  LmccTime arrival;
  TestLinkPacket packet;

  send_segments (path);
  arrival = test_link_next_arrival (&path->wire);
  path->now = MIN (arrival, path->tcp.timer);
  if (path->now < arrival)
    test_tcp_handle_timeout (&path->tcp, path->now);
  else if (test_link_take (&path->wire, &packet))
    test_tcp_handle_ack (&path->tcp, path->now, packet.sequence);
}

static void
run_until (Path *path, LmccTime end)
{
  while (path->now < end)
    step (path);
}

/* Loses one segment. Returns: the window before the loss is detected */
static gdouble
lose_one (Path *path)
{
  guint64 before = path->tcp.n_recoveries;
  gdouble window = path->tcp.cwnd;

  path->until_loss = 1;
  while (path->tcp.n_recoveries == before) {
    window = path->tcp.cwnd;
    step (path);
  }

  return window;
}

/* To the first step of congestion avoidance. */
static void
recover (Path *path)
{
  while (path->tcp.recovering || !path->tcp.cubic.started)
    step (path);
}

/* Tests of single rules. */

typedef struct
{
  TestTcpAlgorithm algorithm;
  gdouble factor;
} DecreaseCase;

static const DecreaseCase decrease_cases[] = {
  { TEST_TCP_RENO, 0.5 }, /* RFC 5681, section 3.1 */
  { TEST_TCP_CUBIC, BETA },
};

GST_START_TEST (test_a_loss_leaves_a_share_of_the_window)
{
  const DecreaseCase *rule = &decrease_cases[__i__];
  g_autoptr (Path) path = path_new (rule->algorithm, 100 * LMCC_MSECOND);
  gdouble before;

  path->tcp.ssthresh = 500;
  run_until (path, 3 * LMCC_SECOND);
  before = lose_one (path);
  fail_unless (before > 500, "a window of %.1f", before);
  /* The segment whose acknowledgement reveals the loss has left the network. */
  fail_unless (fabs (path->tcp.cwnd - rule->factor * before) <= 1,
      "%.1f after %.1f", path->tcp.cwnd, before);
}

GST_END_TEST;

/* Equations 1 and 2. */
GST_START_TEST (test_cubic_goes_back_along_its_curve)
{
  static const gdouble parts[] = { 0.25, 0.5, 1, 1.5, 2 }; /* of K */
  g_autoptr (Path) path = path_new (TEST_TCP_CUBIC, 100 * LMCC_MSECOND);
  gdouble w_max, k;
  LmccTime epoch;
  guint i;

  path->tcp.ssthresh = 1000;
  run_until (path, 3 * LMCC_SECOND);
  w_max = lose_one (path);
  recover (path);
  epoch = path->now;
  k = cbrt (w_max * (1 - BETA) / C);
  for (i = 0; i < G_N_ELEMENTS (parts); i++) {
    gdouble wanted = w_max + C * pow ((parts[i] - 1) * k, 3);

    run_until (path, epoch + (LmccTime) (parts[i] * k * LMCC_SECOND));
    fail_unless (fabs (path->tcp.cwnd / wanted - 1) < 0.01,
        "after %g K: %.1f, not %.1f", parts[i], path->tcp.cwnd, wanted);
  }
}

GST_END_TEST;

/* Section 4.7: a plateau at (1 + BETA) / 2 of a window that is smaller than
 * the previous one. */
GST_START_TEST (test_fast_convergence_stops_lower)
{
  gboolean on = __i__ == 1;
  g_autoptr (Path) path = path_new (TEST_TCP_CUBIC, 100 * LMCC_MSECOND);
  gdouble lower, plateau;
  LmccTime k;

  path->tcp.cubic.fast_convergence = on;
  path->tcp.ssthresh = 1000;
  run_until (path, 3 * LMCC_SECOND);
  lose_one (path);
  recover (path);
  lower = lose_one (path);
  recover (path);
  plateau = lower * (on ? (1 + BETA) / 2 : 1);
  k = (LmccTime) (cbrt ((plateau - path->tcp.cwnd) / C) * LMCC_SECOND);
  run_until (path, path->now + k);
  fail_unless (fabs (path->tcp.cwnd / plateau - 1) < 0.01, "%.1f, not %.1f",
      path->tcp.cwnd, plateau);
}

GST_END_TEST;

/* Section 4.8. */
GST_START_TEST (test_cubic_forgets_the_plateau_at_a_timeout)
{
  g_autoptr (Path) path = path_new (TEST_TCP_CUBIC, 100 * LMCC_MSECOND);
  gdouble before, first;

  path->tcp.ssthresh = 500;
  run_until (path, 3 * LMCC_SECOND);
  before = path->tcp.cwnd;
  path->until_loss = path->period = 1;
  while (path->tcp.n_timeouts == 0)
    step (path);
  path->until_loss = path->period = 0;
  fail_unless_equals_float (path->tcp.cwnd, 1);
  while (!path->tcp.cubic.started)
    step (path);
  first = path->tcp.cwnd;
  fail_unless (fabs (first - BETA * before) < 3, "%.1f, after %.1f", first,
      before);
  run_until (path, path->now + 8 * LMCC_SECOND);
  fail_unless (fabs (path->tcp.cwnd / (first + C * pow (8, 3)) - 1) < 0.02,
      "%.1f after %.1f", path->tcp.cwnd, first);
}

GST_END_TEST;

/* Tests of the response function. */

/**
 * ResponseCase:
 * @period: 1 / p
 * @from: the first measured loss
 * @window: window according to the RFC
 */
typedef struct
{
  TestTcpAlgorithm algorithm;
  guint rtt_ms;
  guint64 period;
  guint from;
  gdouble window;
} ResponseCase;

/* RFC 9438, tables 1 and 2; the last one by equation 7, which is 12 Mbit/s.
 * With 10 ms, CUBIC is in the Reno-friendly region, and with 100 ms and
 * 1000, too. At 1 % of loss, the round trips of recovery matter, which the
 * RFC ignores.
 *
 * From above, CUBIC approaches its window as slowly as 1 / sqrt (losses):
 * the less it is above, the closer to the plateau is the loss. */
static const ResponseCase response_cases[] = {
  { TEST_TCP_RENO, 100, 1000, 20, 38 },
  { TEST_TCP_CUBIC, 10, 1000, 20, 38 },
  { TEST_TCP_CUBIC, 100, 1000, 200, 38 },
  { TEST_TCP_RENO, 100, 10000, 20, 120 },
  { TEST_TCP_CUBIC, 10, 10000, 20, 120 },
  { TEST_TCP_CUBIC, 100, 10000, 200, 187 },
  { TEST_TCP_CUBIC, 250, 10000, 200, 373 },
};

#define SHORT_RESPONSE_CASES 3

/* Segments that arrive per round-trip time, over the given number of losses. */
static gdouble
mean_window (Path *path, guint64 from, guint64 losses)
{
  LmccTime begin;
  guint64 una;

  while (path->tcp.n_recoveries < from)
    step (path);
  begin = path->now;
  una = path->tcp.una;
  while (path->tcp.n_recoveries < from + losses)
    step (path);

  return (gdouble) (path->tcp.una - una) * path->wire.settings.delay
      / (path->now - begin);
}

/* The RFC's model has the same number of segments between any two losses. A
 * single flow should not use fast convergence (section 4.7). */
GST_START_TEST (test_even_losses_give_the_windows_of_the_rfc)
{
  const ResponseCase *row = &response_cases[__i__];
  g_autoptr (Path) path = path_new (row->algorithm, row->rtt_ms * LMCC_MSECOND);
  gdouble window;

  path->tcp.cubic.fast_convergence = FALSE;
  path->until_loss = path->period = row->period;
  window = mean_window (path, row->from, 100);
  fail_unless (fabs (window / row->window - 1) < 0.1,
      "%u ms, one of %u lost: %.1f, not %g; %u timeouts", row->rtt_ms,
      (guint) row->period, window, row->window, (guint) path->tcp.n_timeouts);
}

GST_END_TEST;

/* Within the tolerance that net.c has for Reno and its formula. Varying
 * intervals give larger windows than equal ones, because the long ones have
 * most of the segments. */
GST_START_TEST (test_random_losses_give_the_windows_of_the_rfc)
{
  const ResponseCase *row = &response_cases[__i__];
  g_autoptr (Path) path = path_new (row->algorithm, row->rtt_ms * LMCC_MSECOND);
  gdouble window;

  path->wire.settings.loss = 1 / (gdouble) row->period;
  window = mean_window (path, 20, 600);
  fail_unless (fabs (window / row->window - 1) < 0.25,
      "%u ms, loss %g: %.1f, not %g; %u timeouts, seed %u", row->rtt_ms,
      path->wire.settings.loss, window, row->window,
      (guint) path->tcp.n_timeouts, test_net_get_seed ());
}

GST_END_TEST;

/* Section 4.3: where Reno does well, CUBIC behaves like it. */
GST_START_TEST (test_cubic_is_friendly_to_reno_on_short_paths)
{
  static const guint64 periods[] = { 100, 1000, 10000 };
  gdouble windows[2];
  guint i, j;

  for (i = 0; i < (test_net_is_slow () ? 2 : G_N_ELEMENTS (periods)); i++) {
    for (j = 0; j < 2; j++) {
      g_autoptr (Path) path = path_new (j, 10 * LMCC_MSECOND);

      path->until_loss = path->period = periods[i];
      windows[j] = mean_window (path, 20, 100);
    }
    fail_unless (fabs (windows[1] / windows[0] - 1) < 0.1,
        "one of %u lost: %.1f and %.1f", (guint) periods[i], windows[0],
        windows[1]);
  }
}

GST_END_TEST;

/* Tests of links with queues. */

#define SETTLING (60 * LMCC_SECOND)
#define JUDGED (300 * LMCC_SECOND)

/* The queues hold two and one times the bandwidth-delay product. */
static const TestLinkSettings links[] = {
  { .rate = 3000 * KBIT, .delay = 30 * LMCC_MSECOND, .queue_bytes = 45000 },
  { .rate = 12000 * KBIT, .delay = 125 * LMCC_MSECOND, .queue_bytes = 375000 },
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

static void
start_flow (TestNet *net, TestTcpAlgorithm algorithm)
{
  guint index = test_net_add_flow_of (net, 0, algorithm);

  net->flows[index].tcp.rto_rtts = RTO_RTTS;
}

/* Share of the link's rate for each of two flows. */
static void
measure_shares (TestNet *net, gdouble shares[2])
{
  guint64 before[2];
  guint i;

  for (i = 0; i < net->n_flows; i++)
    before[i] = net->flows[i].tcp.una;
  test_net_run (net, JUDGED);
  for (i = 0; i < net->n_flows; i++)
    shares[i] = (gdouble) (net->flows[i].tcp.una - before[i]) * 8
        * TEST_TCP_SEGMENT
        / ((gdouble) net->shared.settings.rate * (JUDGED / LMCC_SECOND));
}

GST_START_TEST (test_cubic_alone_fills_the_link)
{
  g_autoptr (TestNet) net = make_net (&links[__i__]);
  gdouble shares[2];

  start_flow (net, TEST_TCP_CUBIC);
  test_net_run (net, SETTLING);
  measure_shares (net, shares);
  fail_unless (shares[0] > 0.95, "%.3f", shares[0]);
}

GST_END_TEST;

GST_START_TEST (test_two_of_cubic_share_fairly)
{
  g_autoptr (TestNet) net = make_net (&links[__i__]);
  gdouble shares[2];

  start_flow (net, TEST_TCP_CUBIC);
  test_net_run (net, SETTLING / 2);
  start_flow (net, TEST_TCP_CUBIC);
  test_net_run (net, 2 * SETTLING);
  measure_shares (net, shares);
  fail_unless (shares[0] > 0.4 && shares[1] > 0.4, "%.3f and %.3f", shares[0],
      shares[1]);
}

GST_END_TEST;

GST_START_TEST (test_cubic_gets_more_than_reno_on_a_long_path)
{
  g_autoptr (TestNet) net = make_net (&links[1]);
  gboolean cubic_first = __i__ == 1;
  gdouble shares[2], cubic;

  start_flow (net, cubic_first ? TEST_TCP_CUBIC : TEST_TCP_RENO);
  test_net_run (net, SETTLING / 2);
  start_flow (net, cubic_first ? TEST_TCP_RENO : TEST_TCP_CUBIC);
  test_net_run (net, 2 * SETTLING);
  measure_shares (net, shares);
  cubic = shares[cubic_first ? 0 : 1];
  fail_unless (cubic > (shares[0] + shares[1]) / 2, "%.3f of %.3f", cubic,
      shares[0] + shares[1]);
}

GST_END_TEST;

static Suite *
tcp_windows_suite (void)
{
  guint n_rows = test_net_is_slow () ? SHORT_RESPONSE_CASES
                                     : G_N_ELEMENTS (response_cases);
  Suite *s = suite_create ("tcp-windows");
  TCase *rules = tcase_create ("rules");
  TCase *response = tcase_create ("response");
  TCase *shares = tcase_create ("links");

  tcase_set_timeout (response, 60);
  tcase_set_timeout (shares, 60);
  suite_add_tcase (s, rules);
  tcase_add_loop_test (rules, test_a_loss_leaves_a_share_of_the_window, 0,
      G_N_ELEMENTS (decrease_cases));
  tcase_add_test (rules, test_cubic_goes_back_along_its_curve);
  tcase_add_loop_test (rules, test_fast_convergence_stops_lower, 0, 2);
  tcase_add_test (rules, test_cubic_forgets_the_plateau_at_a_timeout);

  suite_add_tcase (s, response);
  tcase_add_loop_test (response, test_even_losses_give_the_windows_of_the_rfc,
      0, n_rows);
  tcase_add_loop_test (response, test_random_losses_give_the_windows_of_the_rfc,
      0, n_rows);
  tcase_add_test (response, test_cubic_is_friendly_to_reno_on_short_paths);

  suite_add_tcase (s, shares);
  tcase_add_loop_test (shares, test_cubic_alone_fills_the_link, 0,
      G_N_ELEMENTS (links));
  tcase_add_loop_test (shares, test_two_of_cubic_share_fairly, 0,
      G_N_ELEMENTS (links));
  tcase_add_loop_test (shares, test_cubic_gets_more_than_reno_on_a_long_path, 0,
      2);

  return s;
}

GST_CHECK_MAIN (tcp_windows);
