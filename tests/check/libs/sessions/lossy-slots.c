/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests which slots FLID considers lossy, through the real sender and
 * receiver: of n packets that are lost independently with probability q, one
 * is lost with probability 1 - (1 - q)^n, n = T R_i / s (Byers et al.,
 * "FLID-DL", 2002, section IV-C). The rate is that of the paper's Markov
 * chain.
 */
#include "support/test-net.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/slots/increase-probabilities.h>
#include <gst/lmcc/measure/markov.h>
#include <math.h>

#define N_LAYERS 20
#define STEP 1.3
#define DELAY (5 * LMCC_MSECOND) /* of each of two links */
#define CLIMB (60 * LMCC_SECOND)
#define N_SLOTS 1600

/* Tolerance of a sum over this number of slots. A correct one exceeds it in
 * one of 370 runs, and the runs are always the same. */
#define MAX_SIGMAS 3

/* Relative to the chain's rate; a level lasts several slots, so N_SLOTS
 * slots are not independent. */
#define RATE_TOLERANCE 0.1

typedef struct
{
  const gchar *algorithm;
  gdouble base_rate;
  gdouble loss;
  gint max_level;
} Row;

/* Expected number of lossy slots. */
typedef struct
{
  gdouble mean;
  gdouble variance;
} Sum;

/* At the base level with 1.5 and 15 packets per slot; moving below a cap,
 * and without a cap. */
static const Row rows[] = {
  { "flid-dl", 24e3, .04, 0 },
  { "flid-dl", 240e3, .04, 0 },
  { "flid-sl", 240e3, .04, 0 },
  { "flid-dl", 24e3, .04, 4 },
  { "flid-dl", 24e3, .04, -1 },
  { "flid-dl", 24e3, .01, -1 },
  { "flid-sl", 24e3, .04, -1 },
  { "flid-dl", 96e3, .04, -1 },
};

static TestNet *
new_net (const Row *row)
{
  TestNetConfig config = { .n_layers = N_LAYERS,
    .shaped = TRUE,
    .algorithm = row->algorithm,
    .shared = { .rate = 100000000, .delay = DELAY } };
  TestNetReceiverConfig receiver = { .max_level = row->max_level,
    .own = { .rate = 100000000, .delay = DELAY, .loss = row->loss } };
  TestNet *net;
  guint i;

  config.rates[0] = row->base_rate;
  for (i = 1; i < N_LAYERS; i++)
    config.rates[i] = row->base_rate * (pow (STEP, i) - pow (STEP, i - 1));
  net = test_net_new (&config);
  test_net_add_receiver (net, &receiver);

  return net;
}

static LmccControllerStatus
get_status (TestNet *net)
{
  LmccReceiverStats stats;

  lmcc_receiver_get_stats (net->receivers[0].receiver, net->now, &stats);

  return stats.status;
}

static gdouble
get_rate_of_chain (const TestNet *net, gdouble loss)
{
  LmccTcpTarget tcp = { .rtt = LMCC_DEFAULT_NOMINAL_RTT,
    .packet_size = TEST_SOURCE_PACKET_SIZE };
  gdouble p[N_LAYERS];
  LmccMarkovChain chain;
  LmccMarkovState state;

  lmcc_markov_chain_init (&chain, net->config.rates, N_LAYERS,
      TEST_SOURCE_PACKET_SIZE, LMCC_FLID_SLOT);
  lmcc_increase_probabilities_heuristic (&chain, lmcc_tcp_target_rate, &tcp, p);
  lmcc_markov_chain_solve (&chain, p, loss, &state);

  return state.rate;
}

/* Another slot with n packets. */
static void
add_slot (Sum *sum, gdouble n, gdouble loss)
{
  gdouble lossy = 1 - pow (1 - loss, MAX (n, 0));

  sum->mean += lossy;
  sum->variance += lossy * (1 - lossy);
}

/* The last packet of a layer before its leave is not missed, and some
 * packets of the base layer are RTCP: of n packets, at least the losses of n
 * - 1 are detected. */
static void
check_lossy_slots (const Row *row, gdouble counted, const Sum *least,
    const Sum *most)
{
  fail_unless (counted <= most->mean + MAX_SIGMAS * sqrt (most->variance)
          && counted >= least->mean - MAX_SIGMAS * sqrt (least->variance),
      "%s, base of %g bit/s, level %d at most, loss %g: %g slots of %d count "
      "as lossy, expected %g to %g",
      row->algorithm, row->base_rate, row->max_level, row->loss, counted,
      N_SLOTS, least->mean, most->mean);
}

static void
check_rate (const TestNet *net, const Row *row, gdouble rate)
{
  gdouble expected = get_rate_of_chain (net, row->loss);

  fail_unless (fabs (rate / expected - 1) < RATE_TOLERANCE,
      "%s, base of %g bit/s, loss %g: %g bit/s, the chain has %g",
      row->algorithm, row->base_rate, row->loss, rate, expected);
}

GST_START_TEST (test_as_many_slots_are_lossy_as_lose_a_packet)
{
  const Row *row = &rows[__i__];
  g_autoptr (TestNet) net = new_net (row);
  LmccControllerStatus before, after;
  Sum least = { 0 }, most = { 0 };
  gdouble rate = 0;
  guint i;

  test_net_run (net, CLIMB);
  before = get_status (net);
  for (i = 0; i < N_SLOTS; i++) {
    gdouble now = test_net_cumulative_rate (net, net->receivers[0].level);
    gdouble n =
        now * LMCC_FLID_SLOT / LMCC_SECOND / 8 / TEST_SOURCE_PACKET_SIZE;

    rate += now / N_SLOTS;
    add_slot (&most, n, row->loss);
    add_slot (&least, n - 1, row->loss);
    test_net_run (net, LMCC_FLID_SLOT);
  }
  after = get_status (net);
  GST_INFO ("%s %g %g %d: %" G_GUINT64_FORMAT " of %g to %g, %g bit/s",
      row->algorithm, row->base_rate, row->loss, row->max_level,
      after.lossy_slots - before.lossy_slots, least.mean, most.mean, rate);
  fail_unless (ABS ((gint) (after.slots - before.slots) - N_SLOTS) <= 1);
  check_lossy_slots (row, (gdouble) (after.lossy_slots - before.lossy_slots),
      &least, &most);
  if (row->max_level < 0)
    check_rate (net, row, rate);
}

GST_END_TEST;

static Suite *
lossy_slots_suite (void)
{
  Suite *s = suite_create ("lossy-slots");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_loop_test (tc, test_as_many_slots_are_lossy_as_lose_a_packet, 0,
      test_net_is_slow () ? 1 : G_N_ELEMENTS (rows));

  return s;
}

GST_CHECK_MAIN (lossy_slots);
