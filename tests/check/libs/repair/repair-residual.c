/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compares the packet loss after repair with that of the best possible code.
 */
#include "support/test-block.h"
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Tolerance of a mean in standard errors: 6 in 100,000 exceed it. */
#define ERRORS_MAX 4.0

/* A Markov chain of two states that loses all packets in the second one
 * (Gilbert 1960). For Bernoulli losses, the next state does not depend on
 * the current one. */
typedef struct
{
  gdouble good_to_bad;
  gdouble bad_to_good;
} Chain;

static Chain
bernoulli (gdouble loss)
{
  return (Chain){ loss, 1.0 - loss };
}

static Chain
bursts (gdouble loss, gdouble mean_length)
{
  return (Chain){ loss / (1.0 - loss) / mean_length, 1.0 / mean_length };
}

/* Mean and variance of the source packets of one block that remain lost with
 * a code that recovers them whenever possible. Sums over all paths through
 * the chain, by state, lost source packets and lost packets. */
static void
exact_residual (const Chain *chain, guint n_source, guint n_repair,
    gdouble *mean, gdouble *variance)
{
  static gdouble now[2][LMCC_REPAIR_MAX_SYMBOLS][LMCC_REPAIR_MAX_SYMBOLS];
  static gdouble next[2][LMCC_REPAIR_MAX_SYMBOLS][LMCC_REPAIR_MAX_SYMBOLS];
  gdouble bad = chain->good_to_bad / (chain->good_to_bad + chain->bad_to_good);
  guint n = n_source + n_repair, i, s, t, state;
  gdouble squares = 0.0;

  memset (now, 0, sizeof (now));
  now[0][0][0] = 1.0 - bad;
  now[1][0][0] = bad;
  for (i = 0; i < n; i++) {
    memset (next, 0, sizeof (next));
    for (state = 0; state < 2; state++) {
      for (s = 0; s <= MIN (i, n_source); s++) {
        for (t = s; t <= i; t++) {
          gdouble weight = now[state][s][t];
          gdouble to_bad =
              state ? 1.0 - chain->bad_to_good : chain->good_to_bad;
          guint s2 = s + (state && i < n_source), t2 = t + state;

          if (weight == 0.0)
            continue;
          next[0][s2][t2] += weight * (1.0 - to_bad);
          next[1][s2][t2] += weight * to_bad;
        }
      }
    }
    memcpy (now, next, sizeof (now));
  }
  *mean = 0.0;
  for (s = 0; s <= n_source; s++) {
    for (t = n_repair + 1; t <= n; t++) {
      gdouble weight = now[0][s][t] + now[1][s][t];

      *mean += weight * s;
      squares += weight * s * s;
    }
  }
  *variance = squares - *mean * *mean;
}

/* Each block starts in the chain's stationary state, independently. */
static gdouble
simulate_residual (const Chain *chain, guint n_source, guint n_repair,
    guint n_blocks, GRand *dice)
{
  gdouble bad = chain->good_to_bad / (chain->good_to_bad + chain->bad_to_good);
  guint64 residual = 0;
  guint round, i;
  TestBlock block;

  test_block_init (&block, 65530, n_source, 1, n_repair);
  for (round = 0; round < n_blocks; round++) {
    g_autoptr (LmccRepairDecoder) decoder = test_block_decoder ();
    gboolean lost[LMCC_REPAIR_MAX_SYMBOLS];
    gboolean state = g_rand_double (dice) < bad;
    guint n_lost;

    for (i = 0; i < n_source + n_repair; i++) {
      lost[i] = state;
      if (!lost[i])
        test_block_take_symbol (decoder, &block, i, i);
      state = g_rand_double (dice)
          < (state ? 1.0 - chain->bad_to_good : chain->good_to_bad);
    }
    residual += test_block_count_missing (&block, lost, &n_lost);
    residual -= test_block_poll_all (decoder, &block, lost);
  }
  test_block_clear (&block);

  return (gdouble) residual / n_blocks;
}

/* One line per measurement, for tests/plots/repair.py. */
static void
trace (const Chain *chain, guint n_source, guint n_repair, gdouble got,
    gdouble mean, gdouble error)
{
  const gchar *path = g_getenv ("LMCC_REPAIR_TRACE");
  FILE *file = path != NULL ? fopen (path, "a") : NULL;

  if (file == NULL)
    return;
  fprintf (file, "%g,%g,%u,%u,%g,%g,%g\n",
      chain->good_to_bad / (chain->good_to_bad + chain->bad_to_good),
      1.0 / chain->bad_to_good, n_source, n_repair, got / n_source,
      mean / n_source, error / n_source);
  fclose (file);
}

static void
check_residual (const Chain *chain, guint n_source, guint n_repair,
    guint n_blocks, GRand *dice)
{
  gdouble mean, variance, got, error;

  exact_residual (chain, n_source, n_repair, &mean, &variance);
  got = simulate_residual (chain, n_source, n_repair, n_blocks, dice);
  error = sqrt (variance / n_blocks);
  trace (chain, n_source, n_repair, got, mean, error);
  fail_unless (fabs (got - mean) <= ERRORS_MAX * error + 1.0 / n_blocks,
      "%u + %u, %g to %g: %g, exactly %g, standard error %g", n_source,
      n_repair, chain->good_to_bad, chain->bad_to_good, got, mean, error);
}

/* For independent losses, the number of lost packets is binomial. */
GST_START_TEST (the_exact_count_is_the_binomial_tail_without_bursts)
{
  guint n_source = 10, n_repair = 2, n = 12, j;
  gdouble p = 0.05, tail = 0.0, mean, variance, ways = 1.0;
  Chain chain = bernoulli (p);

  exact_residual (&chain, n_source, n_repair, &mean, &variance);
  for (j = 0; j <= n; j++) {
    if (j > n_repair)
      tail += ways * pow (p, j) * pow (1.0 - p, n - j) * j / n;
    ways = ways * (n - j) / (j + 1);
  }
  fail_unless (fabs (mean / n_source - tail) < 1e-12);
}

GST_END_TEST;

GST_START_TEST (residual_loss_is_that_of_the_best_code)
{
  static const gdouble losses[] = { 0.005, 0.01, 0.02, 0.05, 0.1 };
  static const guint shapes[][2] = { { 10, 1 }, { 20, 4 }, { 30, 3 } };
  g_autoptr (GRand) dice = g_rand_new_with_seed (4);
  guint loss, shape;

  for (loss = 0; loss < G_N_ELEMENTS (losses); loss++) {
    for (shape = 0; shape < G_N_ELEMENTS (shapes); shape++) {
      Chain chains[] = { bernoulli (losses[loss]), bursts (losses[loss], 3.0),
        bursts (losses[loss], 8.0) };
      guint i;

      for (i = 0; i < G_N_ELEMENTS (chains); i++)
        check_residual (&chains[i], shapes[shape][0], shapes[shape][1],
            test_rounds (4000), dice);
    }
  }
}

GST_END_TEST;

static Suite *
repair_residual_suite (void)
{
  Suite *suite = suite_create ("repair-residual");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, the_exact_count_is_the_binomial_tail_without_bursts);
  tcase_add_test (tcase, residual_loss_is_that_of_the_best_code);

  return suite;
}

GST_CHECK_MAIN (repair_residual);
