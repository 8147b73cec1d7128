/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests that algorithms with slots go up only if no packet is missing. After
 * a time with loss, duplication and reordering in the network, no packet may
 * count as missing for ever: if the network carries all layers, the receiver
 * must reach the top level.
 */
#include "support/test-loop.h"
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>

#define N_LAYERS 4
#define BASE 400000
#define N_SEEDS 10

#define GOOD (15 * LMCC_SECOND)
#define BAD (20 * LMCC_SECOND)

/* Longest delay of reordered packets. */
#define MAX_LATE_MS 60

typedef struct
{
  gboolean bad;
  gdouble lost;
  gdouble late;
  gdouble repeated;
} Weather;

static const gchar *const algorithms[] = {
  "rlc",
  "synchronized",
  "flid-sl",
  "flid-dl",
};

static const Weather kinds[] = {
  { TRUE, .05, 0, 0 },
  { TRUE, .02, .05, .05 },
  { TRUE, .01, .02, .01 },
  { TRUE, .003, .003, 0 },
  { TRUE, .001, .001, .003 },
  { TRUE, .0002, .001, 0 },
};

static guint
network (TestLoop *loop, guint receiver G_GNUC_UNUSED,
    const LmccPacket *packet G_GNUC_UNUSED, guint group G_GNUC_UNUSED,
    gboolean control, LmccTime *extra_delay, gpointer user_data)
{
  const Weather *weather = user_data;

  if (!weather->bad || control)
    return 1;
  if (g_rand_double (loop->random) < weather->lost)
    return 0;
  if (g_rand_double (loop->random) < weather->late)
    *extra_delay = (LmccTime) g_rand_int_range (loop->random, 1, MAX_LATE_MS)
        * LMCC_MSECOND;
  return g_rand_double (loop->random) < weather->repeated ? 2 : 1;
}

static gint
get_level (const TestLoop *loop)
{
  LmccReceiverStats stats;

  lmcc_receiver_get_stats (loop->receivers[0].receiver, loop->now, &stats);
  return stats.level;
}

GST_START_TEST (test_all_layers_are_held_again_after_bad_weather)
{
  const gchar *algorithm = algorithms[__i__ % G_N_ELEMENTS (algorithms)];
  guint kind;

  for (kind = 0; kind < G_N_ELEMENTS (kinds); kind++) {
    Weather weather = kinds[kind];
    TestLoop *loop = test_loop_new (1, FALSE);
    guint i;

    g_rand_set_seed (loop->random,
        1 + (guint32) __i__ / G_N_ELEMENTS (algorithms));
    loop->n_layers = N_LAYERS;
    loop->window = 100 * LMCC_MSECOND;
    loop->packet_size = 400;
    for (i = 0; i < N_LAYERS; i++)
      loop->rates[i] = i < 2 ? BASE : (guint64) BASE << (i - 1);
    loop->algorithm = algorithm;
    loop->impair = network;
    loop->impair_data = &weather;
    weather.bad = FALSE;
    test_loop_start_sender (loop, 0x1000);
    test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
    test_loop_run (loop, GOOD);
    fail_unless_equals_int (get_level (loop), N_LAYERS - 1);
    weather.bad = TRUE;
    test_loop_run (loop, BAD);
    weather.bad = FALSE;
    test_loop_run (loop, GOOD);
    fail_unless (get_level (loop) == N_LAYERS - 1, "%s, weather %u: level %d",
        algorithm, kind, get_level (loop));
    test_loop_free (loop);
  }
}

GST_END_TEST;

static Suite *
slot_weather_suite (void)
{
  Suite *s = suite_create ("slot-weather");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_loop_test (tc, test_all_layers_are_held_again_after_bad_weather, 0,
      (gint) (G_N_ELEMENTS (algorithms) * test_rounds (N_SEEDS)));

  return s;
}

GST_CHECK_MAIN (slot_weather);
