/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests when a burst of RLC detects missing capacity C: only if it overflows
 * the queue, that is, if (2 B_k - C) T_b is more than the queue holds (A.
 * Legout and E. W. Biersack, "Pathological Behaviors for RLM and RLC",
 * NOSSDAV 2000, section 4). The real sender's bursts reach a real receiver
 * at each level.
 */
#include "support/test-net.h"

#include <gst/check/gstcheck.h>

#define N_LEVELS 6
#define N_LAYERS (N_LEVELS + 1)
#define BASE 128000
#define PACKET TEST_SOURCE_PACKET_SIZE
#define MARGIN (2 * PACKET)

/* All of B_k fits, with 5 % for packets that layers send at the same moment. */
#define CAPACITY(k) ((guint64) (1.05 * (BASE << (k))))

/* 8 packets of the base layer at twice its rate. */
#define BURST (8 * PACKET * 8 * LMCC_SECOND / (2 * BASE))

/* Points of level k are 2^k slots of 0.5 s apart, and each join follows a
 * whole period without loss. */
#define CLIMB (60 * LMCC_SECOND)
#define JUDGED (300 * LMCC_SECOND)

static TestNet *
new_net (gint level, gint64 margin, const LmccSettings *settings)
{
  TestNetConfig config = { .n_layers = N_LAYERS,
    .shaped = TRUE,
    .algorithm = "rlc",
    .leave_latency = 200 * LMCC_MSECOND };
  TestNetReceiverConfig receiver = { .max_level = -1, .settings = settings };
  gdouble excess =
      (2.0 * (BASE << level) - CAPACITY (level)) * BURST / LMCC_SECOND / 8;
  TestNet *net;

  lmcc_rates_compute (LMCC_RATE_SCHEME_DOUBLING, BASE, 0, N_LAYERS,
      config.rates, NULL);
  config.shared.rate = CAPACITY (level);
  config.shared.delay = 20 * LMCC_MSECOND;
  config.shared.queue_bytes = (guint64) (excess + margin);
  net = test_net_new (&config);
  test_net_add_receiver (net, &receiver);

  return net;
}

/* Number of joins of @level. */
static guint
count_joins (const TestNet *net, guint first, gint level)
{
  const GArray *changes = net->receivers[0].changes;
  guint n = 0, i;

  for (i = first; i < changes->len; i++) {
    TestLevelChange change = g_array_index (changes, TestLevelChange, i);

    n += change.from < level && change.to >= level;
  }

  return n;
}

/* After leaving @level + 1, a receiver joins it again after at least a whole
 * interval between points of @level. */
static void
check_whole_periods (const TestNet *net, gint level)
{
  const GArray *changes = net->receivers[0].changes;
  LmccTime slot = lmcc_sender_get_session (net->sender)->slot;
  LmccTime left = 0;
  guint i;

  for (i = 0; i < changes->len; i++) {
    TestLevelChange change = g_array_index (changes, TestLevelChange, i);

    if (change.from == level + 1)
      left = change.time;
    else if (change.to == level + 1 && left > 0)
      fail_unless (change.time >= left + (slot << level));
  }
}

static LmccSettings *
rlc_settings (const gchar *name, const gchar *value)
{
  const LmccAlgorithm *rlc = lmcc_algorithm_find ("rlc");
  LmccSettings *settings = lmcc_settings_new (rlc->settings, rlc->n_settings);

  fail_unless (lmcc_settings_set (settings, name, value, NULL));

  return settings;
}

GST_START_TEST (test_a_layer_without_room_behind_a_short_queue_is_never_joined)
{
  TestNet *net = new_net (__i__, -MARGIN, NULL);

  test_net_run (net, CLIMB + JUDGED);
  fail_unless_equals_int (count_joins (net, 0, __i__ + 1), 0);
  /* At the base level, two of eight packets are lost in each burst, for
   * which the circuit breaker trips. */
  fail_unless_equals_int (net->receivers[0].level, __i__ > 0 ? __i__ : -1);
  test_net_free (net);
}

GST_END_TEST;

GST_START_TEST (test_a_layer_without_room_behind_a_longer_queue_is_joined)
{
  TestNet *net = new_net (__i__, MARGIN, NULL);

  test_net_run (net, CLIMB + JUDGED);
  fail_unless (count_joins (net, 0, __i__ + 1) > 0);
  check_whole_periods (net, __i__);
  test_net_free (net);
}

GST_END_TEST;

/* The behaviour of ns in which receivers go down if bursts are lost (Legout
 * and Biersack, section 4, figure 8). */
GST_START_TEST (test_a_loss_in_the_burst_drops_a_layer_if_set_so)
{
  g_autoptr (LmccSettings) settings = rlc_settings ("burst-loss", "drop");
  TestNet *hold = new_net (2, -MARGIN, NULL);
  TestNet *drop = new_net (2, -MARGIN, settings);
  guint held, dropped;

  test_net_run (hold, CLIMB);
  test_net_run (drop, CLIMB);
  held = hold->receivers[0].changes->len;
  dropped = drop->receivers[0].changes->len;
  test_net_run (hold, JUDGED);
  test_net_run (drop, JUDGED);
  fail_unless_equals_int (hold->receivers[0].changes->len, held);
  fail_unless (drop->receivers[0].changes->len > dropped + 10);
  test_net_free (hold);
  test_net_free (drop);
}

GST_END_TEST;

static Suite *
rlc_bursts_suite (void)
{
  Suite *s = suite_create ("rlc-bursts");
  TCase *tc = tcase_create ("queues");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_loop_test (tc,
      test_a_layer_without_room_behind_a_short_queue_is_never_joined, 0,
      test_net_is_slow () ? 2 : N_LEVELS);
  tcase_add_loop_test (tc,
      test_a_layer_without_room_behind_a_longer_queue_is_joined, 0,
      test_net_is_slow () ? 2 : N_LEVELS);
  tcase_add_test (tc, test_a_loss_in_the_burst_drops_a_layer_if_set_so);

  return s;
}

GST_CHECK_MAIN (rlc_bursts);
