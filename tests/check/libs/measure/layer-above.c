/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests trains through a queue that other traffic keeps filled, as TCP does,
 * when the layers of their level already flow there and when they do not.
 */
#include "measure/layer-above.h"

#include "measure/trains.h"

#include <gst/check/gstcheck.h>

#define CYCLE (2 * LMCC_SECOND)
#define LENGTH (60 * LMCC_MSECOND)
#define SETTLE (LENGTH / LMCC_TRAIN_SETTLE_DIVISOR)
#define AHEAD (LENGTH * LMCC_TRAIN_AHEAD_TIMES)
#define RUNS (AHEAD + SETTLE + LENGTH)
#define STEP (LMCC_MSECOND / 4)

/**
 * Path:
 * @held: rate of the current level, as a share of the link's rate
 * @added: rate added by the next level
 * @flows: whether the next level is on the link
 * @noise: standard deviation of the other traffic's rate, as a share of the
 *     link's rate; one value for each 10 ms
 * @growth: growth of the queue due to other traffic, in seconds per second
 */
typedef struct
{
  LmccLayerAbove above;
  GRand *rand;
  gdouble held;
  gdouble added;
  gboolean flows;
  gdouble noise;
  gdouble growth;
  gdouble queue; /* ns */
  gdouble extra;
  LmccTime now;
} Path;

static void
path_init (Path *path, gdouble held, gdouble added, guint32 seed)
{
  *path = (Path){ .held = held,
    .added = added,
    .rand = g_rand_new_with_seed (seed) };
  lmcc_layer_above_init (&path->above);
}

static gdouble
normal (GRand *rand)
{
  gdouble sum = 0;
  guint i;

  for (i = 0; i < 12; i++)
    sum += g_rand_double (rand);

  return sum - 6;
}

/* Additional traffic of the session at @since after the start of its runs,
 * as a share of the link's rate. */
static gdouble
find_excess (const Path *path, LmccTime since)
{
  gdouble added = path->added;

  if (since < AHEAD)
    return path->flows ? added * (SETTLE + LENGTH) / AHEAD : 0;
  if (since < AHEAD + SETTLE)
    return added / 4 - (path->flows ? added : 0);
  if (since < RUNS)
    return added - (path->flows ? added : 0);

  return 0;
}

/* Packets of the current level are @gap apart outside trains. */
static void
run_cycle (Path *path, LmccTime gap)
{
  LmccTime since, next = 0;

  for (since = 0; since < RUNS; since += STEP) {
    gboolean in_train = since >= AHEAD + SETTLE;

    if (since % (10 * LMCC_MSECOND) == 0)
      path->extra = path->noise * normal (path->rand);
    path->queue +=
        STEP * (find_excess (path, since) + path->growth + path->extra);
    if (since < next)
      continue;
    next += in_train
        ? (LmccTime) (gap * path->held / (path->held + path->added))
        : gap;
    lmcc_layer_above_packet (&path->above, (gint64) (path->now + since),
        (gint64) path->queue);
  }
  lmcc_layer_above_end_train (&path->above, path->now + RUNS,
      (gint64) (path->now + AHEAD + SETTLE), (gint64) (path->now + RUNS),
      LENGTH);
  path->now += CYCLE;
}

static void
run_cycles (Path *path, guint n, LmccTime gap)
{
  while (n-- > 0)
    run_cycle (path, gap);
}

static gboolean
flows (const Path *path)
{
  return lmcc_layer_above_flows (&path->above, path->now, CYCLE);
}

static const struct
{
  gdouble held;
  gdouble added;
  LmccTime gap;
} shares[] = {
  { 0.17, 0.17, 4 * LMCC_MSECOND },
  { 0.08, 0.08, 8 * LMCC_MSECOND },
  { 0.3, 0.1, 2 * LMCC_MSECOND },
  { 0.3, 0.6, LMCC_MSECOND / 4 },
};

/* Beside four TCP flows on 12 Mbit/s, the measured bend of one train had a
 * standard deviation of 0.17, where the next level adds 0.17. */
GST_START_TEST (test_a_layer_that_flows_is_told_from_one_that_does_not)
{
  guint32 seed;
  guint right = 0, wrong = 0, i;

  for (seed = 1; seed <= 50; seed++) {
    for (i = 0; i < 2; i++) {
      Path path;

      path_init (&path, shares[__i__].held, shares[__i__].added, seed);
      path.noise = shares[__i__].added / 2;
      path.growth = 0.02;
      path.flows = i > 0;
      run_cycles (&path, LMCC_LAYER_ABOVE_TRAINS, shares[__i__].gap);
      if (flows (&path))
        (*(path.flows ? &right : &wrong))++;
      g_rand_free (path.rand);
    }
  }
  fail_unless (right >= 40, "%u of 50", right);
  fail_unless (wrong <= 1, "%u of 50", wrong);
}

GST_END_TEST;

GST_START_TEST (test_a_few_trains_and_old_ones_say_nothing)
{
  Path path;
  guint n;

  path_init (&path, 0.2, 0.2, 1);
  path.flows = TRUE;
  path.noise = 0.01;
  for (n = 0; n < 4; n++) {
    run_cycle (&path, 4 * LMCC_MSECOND);
    fail_if (flows (&path));
  }
  run_cycle (&path, 4 * LMCC_MSECOND);
  fail_unless (flows (&path));
  path.now += 4 * CYCLE;
  fail_if (flows (&path));
  g_rand_free (path.rand);
}

GST_END_TEST;

/* Within the number of trains that are kept. */
GST_START_TEST (test_what_has_stopped_to_flow_is_forgotten)
{
  Path path;

  path_init (&path, 0.2, 0.2, 1);
  path.flows = TRUE;
  path.noise = 0.02;
  run_cycles (&path, LMCC_LAYER_ABOVE_TRAINS, 4 * LMCC_MSECOND);
  fail_unless (flows (&path));
  path.flows = FALSE;
  run_cycles (&path, LMCC_LAYER_ABOVE_TRAINS / 2, 4 * LMCC_MSECOND);
  fail_if (flows (&path));
  g_rand_free (path.rand);
}

GST_END_TEST;

GST_START_TEST (test_a_train_of_few_packets_says_nothing)
{
  Path path;

  path_init (&path, 0.2, 0.2, 1);
  path.flows = TRUE;
  run_cycles (&path, LMCC_LAYER_ABOVE_TRAINS, 40 * LMCC_MSECOND);
  fail_if (flows (&path));
  g_rand_free (path.rand);
}

GST_END_TEST;

/* Send times that jump, as in forged packets. */
GST_START_TEST (test_any_send_time_is_borne)
{
  static const gint64 times[] = { 0, G_MAXINT64, -1, G_MININT64, 5,
    G_MAXINT64 - 1, (gint64) 18 * 3600 * LMCC_SECOND };
  Path path;
  guint i, k;

  path_init (&path, 0.2, 0.2, 1);
  for (i = 0; i < G_N_ELEMENTS (times); i++) {
    lmcc_layer_above_packet (&path.above, times[i], times[i] / 2);
    for (k = 0; k < G_N_ELEMENTS (times); k++)
      lmcc_layer_above_end_train (&path.above, path.now, times[i] / 4,
          times[k] / 4, LENGTH);
  }
  fail_if (flows (&path));
  /* Later trains are read. */
  path.flows = TRUE;
  path.noise = 0.01;
  run_cycles (&path, LMCC_LAYER_ABOVE_TRAINS, 4 * LMCC_MSECOND);
  fail_unless (flows (&path));
  g_rand_free (path.rand);
}

GST_END_TEST;

static Suite *
layer_above_suite (void)
{
  Suite *suite = suite_create ("layer-above");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase,
      test_a_layer_that_flows_is_told_from_one_that_does_not, 0,
      G_N_ELEMENTS (shares));
  tcase_add_test (tcase, test_a_few_trains_and_old_ones_say_nothing);
  tcase_add_test (tcase, test_what_has_stopped_to_flow_is_forgotten);
  tcase_add_test (tcase, test_a_train_of_few_packets_says_nothing);
  tcase_add_test (tcase, test_any_send_time_is_borne);

  return suite;
}

GST_CHECK_MAIN (layer_above);
