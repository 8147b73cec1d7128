/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests forged answers to reports: an attacker that can send in the sender's
 * name can make a receiver believe that it is near the sender. Even then,
 * the receiver must not join more than its link carries.
 */
#include "support/test-net.h"

#include <gst/check/gstcheck.h>

#define KBIT 1000
#define N_LAYERS 7
#define SETTLING (120 * LMCC_SECOND)
#define JUDGED (120 * LMCC_SECOND)

typedef struct
{
  guint rate; /* of the link, in 100 kbit/s */
  guint rtt_ms;
} Path;

typedef struct
{
  gdouble level;  /* mean */
  gdouble missed; /* share */
  LmccReceiverStats stats;
} Result;

static const Path paths[] = {
  { 15, 60 },
  { 30, 250 },
  { 60, 30 },
};

static const gchar *const algorithms[] = { "elm", "plumb" };

static void
receive (const gchar *algorithm, const Path *path, guint32 seed, gboolean forge,
    Result *result)
{
  TestNetConfig config = { .n_layers = N_LAYERS,
    .algorithm = algorithm,
    .join_latency = 20 * LMCC_MSECOND,
    .leave_latency = 200 * LMCC_MSECOND,
    .shared = { .rate = path->rate * 100 * KBIT,
        .delay = path->rtt_ms * LMCC_MSECOND / 2 },
    .seed = seed };
  TestNetReceiverConfig receiver = { .max_level = -1 };
  g_autoptr (TestNet) net = NULL;
  guint64 offered, missed;
  LmccTime end;

  config.shared.queue_bytes = config.shared.rate / 8 * path->rtt_ms / 1000;
  lmcc_rates_compute (LMCC_RATE_SCHEME_DOUBLING, 128 * KBIT, 0, N_LAYERS,
      config.rates, NULL);
  net = test_net_new (&config);
  net->forger = forge ? g_rand_new_with_seed (seed) : NULL;
  test_net_add_receiver (net, &receiver);
  test_net_run (net, SETTLING);
  offered = net->receivers[0].offered;
  missed = net->receivers[0].missed;
  result->level = 0;
  for (end = net->now + JUDGED; net->now < end;) {
    test_net_run (net, 100 * LMCC_MSECOND);
    result->level += net->receivers[0].level;
  }
  result->level /= (gdouble) JUDGED / (100 * LMCC_MSECOND);
  result->missed = (gdouble) (net->receivers[0].missed - missed)
      / (gdouble) (net->receivers[0].offered - offered);
  lmcc_receiver_get_stats (net->receivers[0].receiver, net->now,
      &result->stats);
  fail_unless (!forge || net->forged > 20);
  g_clear_pointer (&net->forger, g_rand_free);
}

GST_START_TEST (no_level_is_gained_that_the_link_does_not_carry)
{
  const gchar *algorithm = algorithms[(guint) __i__ / G_N_ELEMENTS (paths)];
  const Path *path = &paths[(guint) __i__ % G_N_ELEMENTS (paths)];
  const guint32 n_seeds = test_net_is_slow () ? 1 : 2;
  guint32 seed;

  for (seed = 1; seed <= n_seeds; seed++) {
    Result honest, forged;

    receive (algorithm, path, seed, FALSE, &honest);
    receive (algorithm, path, seed, TRUE, &forged);
    fail_unless (forged.level < honest.level + 0.02, "%s: level %.3f, not %.3f",
        algorithm, forged.level, honest.level);
    fail_unless (forged.missed < MAX (honest.missed, 0.01), "%s: %.4f missed",
        algorithm, forged.missed);
    /* The sender's own answers arrive too late. */
    fail_unless (forged.stats.drops[LMCC_DROP_BAD_ANSWER] > 20);
  }
}

GST_END_TEST;

static Suite *
forged_answers_suite (void)
{
  Suite *s = suite_create ("forged-answers");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, no_level_is_gained_that_the_link_does_not_carry, 0,
      (test_net_is_slow () ? 1 : G_N_ELEMENTS (algorithms))
          * G_N_ELEMENTS (paths));

  return s;
}

GST_CHECK_MAIN (forged_answers);
