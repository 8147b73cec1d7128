/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compares the FLID controllers with the Markov chain from which the signal
 * probabilities are computed. Packets are lost independently, and a real
 * loss account detects the losses.
 */
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/controller.h>
#include <gst/lmcc/control/slots/dynamic-layering.h>
#include <gst/lmcc/control/slots/increase-probabilities.h>
#include <gst/lmcc/control/slots/increase-signals.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/loss.h>
#include <gst/lmcc/measure/markov.h>
#include <gst/lmcc/receiver/layer-account.h>
#include <gst/lmcc/receiver/layer-entry.h>
#include <gst/lmcc/wire/layer-header.h>
#include <math.h>

/* Example 5 of FLID-DL. */
#define LEVELS 30
#define PACKET 1024
#define BASE_RATE (3 * 8.0 * PACKET)
#define STEP 1.3
#define SLOT (LMCC_SECOND / 2)
#define NOMINAL_RTT (LMCC_SECOND / 10)

/* FLID-DL joins layers this long before a slot starts. */
#define LEAD (2 * LMCC_MSECOND)

typedef struct
{
  LmccSession session;
  LmccController *controller;
  LmccReordering reordering;
  LmccLayerAccount *accounts[LEVELS];
  LmccLayerEntries entries;
  guint16 lsns[LEVELS];
  gdouble rates[LEVELS];
  gdouble due[LEVELS];
  GRand *rand;
  gdouble loss_rate;
  gboolean has_places; /* packets contain their position in the slot */
  LmccTime now;
  guint64 slot;
  gint signal;
  gint level;
  guint64 packets;
} Run;

/* A layer sends evenly spaced packets if the receiver has joined it. */
static LmccTime
distance_of (const Run *run, guint layer)
{
  return (LmccTime) (8.0 * PACKET * LMCC_SECOND / run->rates[layer]);
}

static gint
place_of (const Run *run, guint layer)
{
  gdouble distance = 8.0 * PACKET * LMCC_SECOND / run->rates[layer];
  gdouble before = run->due[layer] - distance;
  gdouble begin = run->slot * (gdouble) SLOT;

  if (before >= begin)
    return (gint) MIN ((run->due[layer] - begin) / distance, LMCC_PLACE_MAX);
  if (before < 0)
    return LMCC_PLACE_FIRST;

  return (gint) floor (before / SLOT) - (gint) run->slot;
}

static void
follow (Run *run)
{
  gint wanted = run->controller->wanted_level;
  LmccTime now = run->now;
  gint i;

  if (wanted == run->level)
    return;
  if (wanted < 0 || wanted >= LEVELS || ABS (wanted - run->level) > 1)
    ck_abort_msg ("from level %d to %d", run->level, wanted);
  for (i = wanted + 1; i <= run->level; i++)
    lmcc_layer_account_reset (run->accounts[i]);
  /* If it is joined in advance, no packet arrives before the next slot. */
  if (run->entries.ahead)
    now = (now + LEAD) / SLOT * SLOT;
  /* The next packet of a joined layer comes when its rate says. */
  for (i = run->level + 1; i <= wanted; i++) {
    run->due[i] +=
        ceil ((now - run->due[i]) * run->rates[i] / 8 / PACKET / LMCC_SECOND)
        * 8 * PACKET * LMCC_SECOND / run->rates[i];
    lmcc_layer_entries_joined (&run->entries, (guint) i, run->now,
        distance_of (run, (guint) i), TRUE);
  }
  run->level = wanted;
  run->controller->klass->on_level (run->controller, run->now, wanted);
}

static void
report_losses (Run *run, guint layer)
{
  LmccLoss loss;

  while (lmcc_layer_account_poll_loss (run->accounts[layer], &loss))
    run->controller->klass->on_loss (run->controller, run->now, layer, &loss);
}

static void
let_time_pass (Run *run, LmccTime now)
{
  gint i;

  run->now = now;
  for (i = 0; i <= run->level; i++) {
    if (lmcc_layer_account_next_timeout (run->accounts[i]) > now)
      continue;
    lmcc_layer_account_timeout (run->accounts[i], now);
    report_losses (run, i);
  }
}

static LmccTime
next_timeout (const Run *run)
{
  return run->controller->klass->next_timeout (run->controller);
}

static void
expect (Run *run, const LmccHeader *header)
{
  LmccLayerExpected expected;

  if (!lmcc_layer_entries_packet (&run->entries, run->now, header, &expected))
    return;
  lmcc_layer_account_expect (run->accounts[header->layer], expected.lsn,
      expected.since);
  run->controller->klass->on_expected (run->controller, run->now, header->layer,
      expected.lsn, expected.since, expected.slot);
}

static void
packet (Run *run, guint layer)
{
  LmccHeader header = { .type = LMCC_PACKET_MEDIA,
    .layer = layer,
    .top_layer = LEVELS - 1,
    .slot = run->slot % run->session.slot_modulus,
    .signal = run->signal,
    .lsn = run->lsns[layer]++ };

  if (run->has_places && layer > 0)
    header.place = place_of (run, layer);
  run->due[layer] += 8.0 * PACKET * LMCC_SECOND / run->rates[layer];
  run->packets++;
  if (g_rand_double (run->rand) < run->loss_rate)
    return;
  expect (run, &header);
  lmcc_layer_account_packet (run->accounts[layer], run->now, header.lsn,
      PACKET);
  run->controller->klass->on_packet (run->controller, run->now, run->now,
      &header, PACKET);
  report_losses (run, layer);
  follow (run);
}

/* All packets of the joined layers in the order in which they are due. */
static void
slot (Run *run, guint64 k, gint signal)
{
  gdouble end = (k + 1) * (gdouble) SLOT;

  run->slot = k;
  run->signal = signal;
  while (TRUE) {
    gdouble first = end;
    gint layer = -1;
    gint i;

    for (i = 0; i <= run->level; i++) {
      if (run->due[i] < first) {
        first = run->due[i];
        layer = i;
      }
    }
    if (next_timeout (run) <= first) {
      let_time_pass (run, MAX (next_timeout (run), run->now));
      run->controller->klass->on_timeout (run->controller, run->now);
      follow (run);
      continue;
    }
    if (layer < 0)
      return;
    let_time_pass (run, first);
    packet (run, layer);
  }
}

/* Returns the mean rate in bit/s. */
static gdouble
run_controller (const gchar *name, const gdouble *rates, const gdouble *p,
    gdouble loss_rate, gboolean has_places, guint slots, guint32 seed)
{
  const LmccAlgorithm *algorithm = lmcc_algorithm_find (name);
  g_autoptr (LmccSettings) settings = NULL;
  LmccIncreaseSignals signals;
  Run run = { .loss_rate = loss_rate, .has_places = has_places, .level = -1 };
  guint64 k;
  guint i;

  fail_unless (algorithm != NULL);
  settings = lmcc_settings_new (algorithm->settings, algorithm->n_settings);
  lmcc_session_init (&run.session);
  run.session.n_layers = run.session.n_groups = LEVELS;
  run.session.slot = SLOT;
  run.session.packet_size = PACKET;
  run.rand = g_rand_new_with_seed (seed);
  for (i = 0; i < LEVELS; i++) {
    run.session.layers[i].rate = rates[i];
    run.rates[i] = rates[i];
    run.due[i] = i * LMCC_MSECOND;
    run.accounts[i] = lmcc_layer_account_new (&run.reordering);
  }
  lmcc_layer_entries_init (&run.entries, run.session.slot_modulus, SLOT,
      algorithm == lmcc_algorithm_find ("flid-dl"));
  run.controller = algorithm->create (&run.session, settings, 1);
  if (run.entries.ahead)
    run.controller->klass->on_join_lead (run.controller, 0, LEAD);
  follow (&run);

  lmcc_increase_signals_init (&signals, p, LEVELS);
  for (k = 0; k < slots; k++)
    slot (&run, k, lmcc_increase_signals_get (&signals, k + 1));

  run.controller->klass->free (run.controller);
  for (i = 0; i < LEVELS; i++)
    lmcc_layer_account_free (run.accounts[i]);
  g_rand_free (run.rand);

  return run.packets * 8.0 * PACKET / (slots * (gdouble) SLOT) * LMCC_SECOND;
}

/* Number of a slot's packets whose loss is not detected if the level's layer
 * has just been joined: its first one. */
static gdouble
unseen (const LmccMarkovChain *chain, guint level)
{
  return level == 0 ? 0
                    : MIN (1,
                        lmcc_markov_chain_packets (chain, level)
                            - lmcc_markov_chain_packets (chain, level - 1));
}

/* Equation 4 with two states for each level: in the slot after a step up, (1
 * - q)^(n - n_unseen) is the probability that no loss is detected. Returns
 * bit/s. */
static gdouble
chain_with_unseen_packets (const LmccMarkovChain *chain, const gdouble *p,
    gdouble loss_rate)
{
  gdouble all = 1, joined = 0, sum = 1, rate = chain->rates[0];
  guint i;

  for (i = 0; i + 1 < LEVELS; i++) {
    gdouble n = lmcc_markov_chain_packets (chain, i);
    gdouble next = lmcc_markov_chain_packets (chain, i + 1);
    gdouble clean = (all - joined) * pow (1 - loss_rate, n)
        + joined * pow (1 - loss_rate, n - unseen (chain, i));
    gdouble stays = pow (1 - loss_rate, next - unseen (chain, i + 1));

    joined = clean * p[i];
    all = joined * (1 + stays / (1 - pow (1 - loss_rate, next)));
    sum += all;
    rate += all * chain->rates[i + 1];
  }

  return rate / sum;
}

typedef gdouble (*Theory) (const LmccMarkovChain *chain, const gdouble *p,
    gdouble loss_rate);

static gdouble
chain_of_the_paper (const LmccMarkovChain *chain, const gdouble *p,
    gdouble loss_rate)
{
  LmccMarkovState state;

  lmcc_markov_chain_solve (chain, p, loss_rate, &state);

  return state.rate;
}

static void
compare (Theory theory, gboolean has_places)
{
  const struct
  {
    gdouble loss_rate;
    guint slots;
  } rows[] = { { 0.003, 60000 }, { 0.01, 150000 }, { 0.03, 150000 } };
  const gchar *names[] = { "flid-sl", "flid-dl" };
  LmccTcpTarget tcp = { .rtt = NOMINAL_RTT, .packet_size = PACKET };
  gdouble rates[LEVELS], p[LEVELS];
  LmccMarkovChain chain;
  guint n_rows = test_is_slow () ? 1 : G_N_ELEMENTS (rows), i;

  fail_unless (lmcc_rates_compute (LMCC_RATE_SCHEME_MULTIPLICATIVE, BASE_RATE,
      STEP, LEVELS, rates, NULL));
  lmcc_markov_chain_init (&chain, rates, LEVELS, PACKET, SLOT);
  lmcc_increase_probabilities_heuristic (&chain, lmcc_tcp_target_rate, &tcp, p);
  for (i = 0; i < 2 * n_rows; i++) {
    gdouble q = rows[i / 2].loss_rate;
    gdouble expected = theory (&chain, p, q);
    gdouble rate = run_controller (names[i % 2], rates, p, q, has_places,
        rows[i / 2].slots, 3 + i);

    GST_INFO ("%s, q %g: theory %.1f, controller %.1f packets/s, %+.2f %%",
        names[i % 2], q, expected / 8 / PACKET, rate / 8 / PACKET,
        100 * (rate / expected - 1));
    fail_unless (fabs (rate / expected - 1) < 0.03,
        "%s, q %g: theory %f, controller %f bit/s", names[i % 2], q, expected,
        rate);
  }
}

/* The chain assumes that each loss is detected. The losses of a joined
 * layer's first packets are, because packets contain their position in the
 * slot. */
GST_START_TEST (test_the_throughput_is_the_chains)
{
  compare (chain_of_the_paper, TRUE);
}

GST_END_TEST;

/* If the first packet heard does not say that another one was sent before
 * it. */
GST_START_TEST (test_without_places_it_is_the_chains_with_unseen_packets)
{
  compare (chain_with_unseen_packets, FALSE);
}

GST_END_TEST;

static Suite *
flid_throughput_suite (void)
{
  Suite *suite = suite_create ("flid-throughput");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_test (tcase, test_the_throughput_is_the_chains);
  tcase_add_test (tcase,
      test_without_places_it_is_the_chains_with_unseen_packets);

  return suite;
}

GST_CHECK_MAIN (flid_throughput);
