/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests how FLID-DL joins a group before its slot starts (Byers et al.,
 * "FLID-DL", 2002, section III-C). The receiver learns the lead: the
 * network's join latency plus the delay of the first packet.
 */
#include "support/test-net.h"

#include <gst/check/gstcheck.h>
#include <math.h>

#define N_LAYERS 20
#define DELAY (20 * LMCC_MSECOND) /* one-way delay */
#define SLOT (500 * LMCC_MSECOND) /* FLID-DL, section V-A */

/* A lead is too long by at most the round-trip time for which the paper
 * dimensions its slots (section IV-B). */
#define MORE_THAN_NEEDED (100 * LMCC_MSECOND)

/* The lead is learnt from lost levels. A lead that is 5 ms too short is
 * noticed when a packet falls into these 5 ms, so not with the slow layers
 * at the start of the climb: level 15, after 13 s, sends 54 per second. */
#define FIRST_SECONDS (20 * LMCC_SECOND)

/* With the increase probabilities, the climb over all layers takes 95 s. */
#define CLIMB (95 * LMCC_SECOND)
#define STEADY (180 * LMCC_SECOND)

static const guint join_latencies[] = { 0, 10, 20, 40, 100, 250 };

/* The top layer's groups are silent before their slot, those of lower layers
 * are not: both ways of learning. */
static const gint caps[] = { N_LAYERS - 1, N_LAYERS - 6, 4 };

static TestNet *
new_net (LmccTime join_latency, gdouble loss)
{
  TestNetConfig config = { .n_layers = N_LAYERS,
    .shaped = TRUE,
    .algorithm = "flid-dl",
    .join_latency = join_latency,
    .leave_latency = 4 * LMCC_SECOND,
    .shared = { .rate = 100000000,
        .delay = DELAY,
        .queue_packets = 100,
        .loss = loss } };
  guint i;

  for (i = 0; i < N_LAYERS; i++)
    config.rates[i] = i == 0 ? 24e3 : 24e3 * (pow (1.3, i) - pow (1.3, i - 1));

  return test_net_new (&config);
}

static void
check_no_level_lost (const TestNet *net, LmccTime after)
{
  const GArray *changes = net->receivers[0].changes;
  guint i;

  for (i = 0; i < changes->len; i++) {
    TestLevelChange change = g_array_index (changes, TestLevelChange, i);

    fail_if (change.time >= after && change.to < change.from,
        "from %d to %d at %.1f s, joins take %u ms: %s", change.from, change.to,
        (gdouble) (change.time - after + FIRST_SECONDS) / LMCC_SECOND,
        (guint) (net->config.join_latency / LMCC_MSECOND), change.reason);
  }
}

static LmccTime
get_lead (TestNet *net)
{
  LmccReceiverStats stats;

  lmcc_receiver_get_stats (net->receivers[0].receiver, net->now, &stats);

  return stats.join_lead;
}

static void
check_lead (const TestNet *net, LmccTime lead)
{
  LmccTime needed = net->config.join_latency + DELAY;

  fail_if (lead < needed || lead > needed + MORE_THAN_NEEDED,
      "joins take %u ms, the lead is %u ms", (guint) (needed / LMCC_MSECOND),
      (guint) (lead / LMCC_MSECOND));
}

GST_START_TEST (test_no_level_is_lost_to_late_joins_once_they_are_learnt)
{
  LmccTime latency = join_latencies[__i__ / 3] * LMCC_MSECOND;
  gint cap = caps[__i__ % 3];
  TestNetReceiverConfig receiver = { .max_level = cap };
  TestNet *net = new_net (latency, 0);
  LmccTime start = net->now;
  guint64 missed;

  test_net_add_receiver (net, &receiver);
  test_net_run (net, CLIMB);
  fail_unless_equals_int (net->receivers[0].level, cap);
  missed = net->receivers[0].missed;
  test_net_run (net, STEADY);
  check_no_level_lost (net, start + FIRST_SECONDS);
  fail_unless_equals_uint64 (net->receivers[0].missed, missed);
  check_lead (net, get_lead (net));
  test_net_free (net);
}

GST_END_TEST;

/* A randomly lost first packet of a slot looks like a late join. */
GST_START_TEST (test_losses_do_not_lengthen_the_mean_lead)
{
  static const gdouble losses[] = { .003, .01, .03 };
  TestNetReceiverConfig receiver = { .max_level = -1 };
  TestNet *net = new_net (40 * LMCC_MSECOND, losses[__i__]);
  LmccTime sum = 0;
  guint i;

  test_net_add_receiver (net, &receiver);
  test_net_run (net, CLIMB);
  for (i = 0; i < STEADY / SLOT; i++) {
    test_net_run (net, SLOT);
    sum += get_lead (net);
  }
  check_lead (net, sum / (STEADY / SLOT));
  test_net_free (net);
}

GST_END_TEST;

static Suite *
join_lead_suite (void)
{
  Suite *s = suite_create ("join-lead");
  TCase *tc = tcase_create ("lead");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_loop_test (tc,
      test_no_level_is_lost_to_late_joins_once_they_are_learnt, 0,
      test_net_is_slow () ? 1 : 3 * G_N_ELEMENTS (join_latencies));
  tcase_add_loop_test (tc, test_losses_do_not_lengthen_the_mean_lead, 0,
      test_net_is_slow () ? 1 : 3);

  return s;
}

GST_CHECK_MAIN (join_lead);
