/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests RLM behind links that carry three, two and one of its layers. This
 * is the RLM test of ns-2 (tcl/ex/test-rlm.tcl), whose shares of time at the
 * right level are 97.9, 96.9 and 89.5 %.
 */
#include "support/test-controller.h"
#include "support/test-link.h"

#include <gst/check/gstcheck.h>
#include <math.h>

#define N_LAYERS 7
#define PACKET_SIZE 1000
#define DURATION (600 * LMCC_SECOND)
#define SETTLED (100 * LMCC_SECOND)
#define N_SEEDS 10

/* Student's t for 95 % and N_SEEDS - 1 degrees of freedom. */
#define STUDENT 2.262

/* A single run deviates this much from the mean of many: the ns-2 result is
 * from one run. */
#define NEAR 0.05

typedef struct
{
  guint64 rate;
  gint level;
  gdouble share;
} Case;

static const Case cases[] = {
  { 100000, 1, 0.979 },
  { 250000, 2, 0.969 },
  { 50000, 0, 0.895 },
};

typedef struct
{
  TestController *test;
  TestLink link;
  LmccTime next[N_LAYERS]; /* next packet of each layer */
} Path;

static LmccTime
interval (guint layer)
{
  return PACKET_SIZE * 8 * LMCC_SECOND / (32000u << layer);
}

static void
arrive (Path *path, LmccTime at)
{
  TestLinkPacket packet;
  LmccHeader header = { 0 };

  test_controller_until (path->test, at);
  if (!test_link_take (&path->link, &packet))
    return;
  header.layer = packet.group;
  header.lsn = (guint16) packet.sequence;
  test_controller_packet (path->test, &header);
}

static guint
next_layer (const Path *path)
{
  guint layer, first = 0;

  for (layer = 1; layer < N_LAYERS; layer++) {
    if (path->next[layer] < path->next[first])
      first = layer;
  }

  return first;
}

/* The network carries only joined layers. */
static void
send (Path *path, guint layer)
{
  TestLinkPacket packet = { .sequence = path->test->lsns[layer]++,
    .size = PACKET_SIZE,
    .group = (guint8) layer };
  LmccTime arrival;

  test_controller_until (path->test, path->next[layer]);
  if ((gint) layer <= path->test->level)
    test_link_submit (&path->link, &packet, path->next[layer], &arrival);
  path->next[layer] += interval (layer);
}

static gdouble
share_at (TestController *test, LmccTime begin, gint level)
{
  LmccTime sum = 0;
  guint i;

  for (i = 0; i < test->changes->len; i++) {
    TestLevelChange change = g_array_index (test->changes, TestLevelChange, i);
    LmccTime until = i + 1 < test->changes->len
        ? g_array_index (test->changes, TestLevelChange, i + 1).at
        : test->now;

    if (change.to == level && until > begin + SETTLED)
      sum += until - MAX (change.at, begin + SETTLED);
  }

  return (gdouble) sum / (DURATION - SETTLED);
}

static gdouble
run (const Case *test_case, guint32 seed)
{
  const TestLinkSettings settings = { .rate = test_case->rate,
    .delay = 10 * LMCC_MSECOND,
    .queue_packets = 20 };
  Path path = { 0 };
  GRand *dice = g_rand_new_with_seed (seed);
  LmccTime begin, end;
  gdouble share;
  guint layer;

  path.test = test_controller_new ("rlm", N_LAYERS, NULL, NULL);
  path.test->controller->klass->free (path.test->controller);
  path.test->controller =
      lmcc_algorithm_find ("rlm")->create (&path.test->session,
          path.test->settings, seed);
  path.test->level = -1;
  test_controller_follow (path.test);
  test_link_init (&path.link, &settings, seed);
  begin = path.test->now;
  end = begin + DURATION;
  for (layer = 0; layer < N_LAYERS; layer++)
    path.next[layer] =
        begin + (LmccTime) (g_rand_double (dice) * (gdouble) interval (layer));

  while (path.next[next_layer (&path)] < end) {
    layer = next_layer (&path);
    while (test_link_next_arrival (&path.link) <= path.next[layer])
      arrive (&path, test_link_next_arrival (&path.link));
    send (&path, layer);
  }
  test_controller_until (path.test, end);
  share = share_at (path.test, begin, test_case->level);
  test_link_clear (&path.link);
  test_controller_free (path.test);
  g_rand_free (dice);

  return share;
}

GST_START_TEST (test_the_share_of_time_at_the_right_level_is_that_of_ns)
{
  const Case *test_case = &cases[__i__];
  gdouble sum = 0, squares = 0, mean, half;
  guint32 seed;

  for (seed = 0; seed < N_SEEDS; seed++) {
    gdouble share = run (test_case, seed);

    sum += share;
    squares += share * share;
  }
  mean = sum / N_SEEDS;
  half =
      STUDENT * sqrt (MAX (squares / N_SEEDS - mean * mean, 0) / (N_SEEDS - 1));
  GST_INFO ("%" G_GUINT64_FORMAT " bit/s: %.1f +- %.1f %%, ns-2 %.1f %%",
      test_case->rate, 100 * mean, 100 * half, 100 * test_case->share);
  fail_unless (fabs (mean - test_case->share) <= NEAR,
      "%" G_GUINT64_FORMAT " bit/s: %.1f +- %.1f %%, not %.1f %%",
      test_case->rate, 100 * mean, 100 * half, 100 * test_case->share);
}

GST_END_TEST;

static Suite *
rlm_link_suite (void)
{
  Suite *suite = suite_create ("rlm-link");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase,
      test_the_share_of_time_at_the_right_level_is_that_of_ns, 0,
      G_N_ELEMENTS (cases));

  return suite;
}

GST_CHECK_MAIN (rlm_link);
