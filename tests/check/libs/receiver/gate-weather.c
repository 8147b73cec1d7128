/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests that a receiver with on-loss=freeze never outputs a picture that its
 * decoder cannot resolve, for all network conditions and level changes.
 */
#include "support/test-loop.h"
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <stdio.h>

#define FIRST_SSRC 0x12345000u
#define N_SEEDS 300

/* Packets are lost in bursts, independently in each group (Gilbert,
 * "Capacity of a burst-noise channel", 1960), and some are delayed. */
typedef struct
{
  GRand *random;
  gdouble begin; /* probability of the start of a burst */
  gdouble end;   /* probability of its end */
  gdouble late;  /* probability of a delay */
  LmccTime most; /* longest delay */
  gdouble twice; /* probability of a duplicate */
  gboolean in_burst[LMCC_MAX_GROUPS];
} Weather;

static gboolean
happens (GRand *random, gdouble probability)
{
  return g_rand_double (random) < probability;
}

static guint
weather (TestLoop *loop G_GNUC_UNUSED, guint receiver G_GNUC_UNUSED,
    const LmccPacket *packet G_GNUC_UNUSED, guint group,
    gboolean control G_GNUC_UNUSED, LmccTime *extra_delay, gpointer user_data)
{
  Weather *now = user_data;
  gboolean *in_burst = &now->in_burst[group];

  *in_burst = happens (now->random, *in_burst ? 1.0 - now->end : now->begin);
  if (happens (now->random, now->late))
    *extra_delay =
        (LmccTime) (g_rand_double (now->random) * (gdouble) now->most);
  if (*in_burst)
    return 0;

  return happens (now->random, now->twice) ? 2 : 1;
}

static gdouble
one_of (GRand *random, const gdouble *choices, guint n)
{
  return choices[g_rand_int_range (random, 0, (gint) n)];
}

static void
make_weather (Weather *now, GRand *random)
{
  static const gdouble begin[] = { 0.0, 0.001, 0.01, 0.05, 0.2 };
  static const gdouble end[] = { 0.05, 0.3, 1.0 };
  static const gdouble late[] = { 0.0, 0.02, 0.3, 1.0 };
  static const gdouble most[] = { 0.01, 0.08, 0.2, 0.6 };

  *now = (Weather){ .random = random };
  now->begin = one_of (random, begin, G_N_ELEMENTS (begin));
  now->end = one_of (random, end, G_N_ELEMENTS (end));
  now->late = one_of (random, late, G_N_ELEMENTS (late));
  now->most =
      (LmccTime) (one_of (random, most, G_N_ELEMENTS (most)) * LMCC_SECOND);
  now->twice = happens (random, 0.2) ? 0.05 : 0.0;
}

static void
report_seed (guint seed, TestLoop *loop, TestReceiver *test, const Weather *now,
    const gchar *what, guint index)
{
  guint from = index > 6 ? index - 6 : 0, i;

  g_printerr ("seed %u: %s; %u rungs%s, %u layers, latency %u ms\n", seed, what,
      loop->n_rungs, loop->b_pictures ? ", B" : "", loop->n_layers,
      (guint) (loop->latency / LMCC_MSECOND));
  g_printerr ("  bursts begin %g, end %g; %g are late by %u ms\n", now->begin,
      now->end, now->late, (guint) (now->most / LMCC_MSECOND));
  for (i = from; i < MIN (index + 4, test->pictures->len); i++) {
    TestPicture *picture = test_picture_at (test, i);

    g_printerr ("  %c at %.4f: picture %u (%u) of rung %u, class %u%s%s\n",
        i == index ? '>' : ' ', (gdouble) picture->at / LMCC_SECOND,
        picture->number, picture->number % TEST_GOP, picture->rung,
        picture->klass, picture->hidden ? ", hidden" : "",
        picture->broken ? ", broken" : "");
  }
}

/* Checks the output: nothing broken, no duplicates, class 0 in the order of
 * time. */
static gboolean
check_pictures (guint seed, TestLoop *loop, TestReceiver *test,
    const Weather *now)
{
  g_autoptr (GHashTable) shown = g_hash_table_new (NULL, NULL);
  LmccTime last = 0;
  guint i;

  for (i = 0; i < test->pictures->len; i++) {
    TestPicture *picture = test_picture_at (test, i);
    const gchar *what = NULL;

    if (picture->broken)
      what = "broken";
    else if (picture->corrupted)
      what = "corrupted";
    else if (picture->hidden)
      continue;
    else if (!g_hash_table_add (shown, GUINT_TO_POINTER (picture->number + 1)))
      what = "shown twice";
    else if (picture->klass == 0 && picture->time <= last)
      what = "out of order";
    if (what != NULL) {
      report_seed (seed, loop, test, now, what, i);
      return FALSE;
    }
    if (picture->klass == 0)
      last = picture->time;
  }

  return TRUE;
}

static void
change_level (TestLoop *loop, TestReceiver *test, GRand *random)
{
  gint n_layers = (gint) lmcc_sender_get_session (loop->sender)->n_layers;

  lmcc_receiver_set_max_level (test->receiver,
      g_rand_int_range (random, 0, n_layers), loop->now);
  test_loop_drain (loop);
}

/* B pictures start, and with them a new layer table. */
static void
begin_b_pictures (TestLoop *loop)
{
  while (loop->next_picture % TEST_GOP != 0)
    test_loop_run (loop, TEST_PICTURE_TIME);
  loop->b_pictures = TRUE;
}

/* Layers of fixed rates, each with units of all rungs and classes. */
static void
fix_rates (TestLoop *loop, GRand *random)
{
  guint i;

  loop->n_layers = (guint) g_rand_int_range (random, 1, 7);
  loop->window = 2200 * LMCC_MSECOND;
  for (i = 0; i < loop->n_layers; i++)
    loop->rates[i] = (guint64) g_rand_int_range (random, 60000, 400000);
}

static gboolean
run_seed (guint seed)
{
  static const gdouble pace[] = { 0.002, 0.03, 0.3, 2.0 };
  static const gdouble latency[] = { 0.005, 0.04, 0.2, 0.5 };
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  TestLoop *loop = test_loop_new ((guint) g_rand_int_range (random, 1, 5),
      happens (random, 0.5));
  LmccTime end = loop->now + 8 * LMCC_SECOND;
  Weather now;
  TestReceiver *test;
  gboolean change_table = !loop->b_pictures && happens (random, 0.3);
  gboolean good;

  make_weather (&now, random);
  loop->latency = (LmccTime) (one_of (random, latency, G_N_ELEMENTS (latency))
      * LMCC_SECOND);
  loop->packet_size = 300;
  if (happens (random, 0.2))
    fix_rates (loop, random);
  loop->impair = weather;
  loop->impair_data = &now;
  g_rand_set_seed (loop->random, seed);
  test_loop_start_sender (loop, FIRST_SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  while (loop->now < end) {
    gdouble mean = one_of (random, pace, G_N_ELEMENTS (pace));
    guint n = (guint) g_rand_int_range (random, 1, 6);

    for (; n > 0; n--) {
      test_loop_run (loop,
          (LmccTime) (2.0 * mean * g_rand_double (random) * LMCC_SECOND));
      change_level (loop, test, random);
    }
    if (change_table && happens (random, 0.2)) {
      change_table = FALSE;
      begin_b_pictures (loop);
    }
  }
  good = check_pictures (seed, loop, test, &now);
  test_loop_free (loop);

  return good;
}

/* LMCC_GATE_SEEDS: first seed and number of seeds to use instead of the
 * usual ones. */
GST_START_TEST (test_no_weather_makes_a_freezing_receiver_show_rubbish)
{
  const gchar *asked = g_getenv ("LMCC_GATE_SEEDS");
  guint first = 1, n = test_rounds (N_SEEDS), bad = 0, seed;

  if (asked != NULL)
    fail_unless (sscanf (asked, "%u %u", &first, &n) == 2);
  for (seed = first; seed < first + n; seed++)
    bad += !run_seed (seed);
  fail_unless_equals_int (bad, 0);
}

GST_END_TEST;

static Suite *
gate_weather_suite (void)
{
  Suite *s = suite_create ("gate-weather");
  TCase *tc = tcase_create ("general");

  tcase_set_timeout (tc, 120);
  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_no_weather_makes_a_freezing_receiver_show_rubbish);

  return s;
}

GST_CHECK_MAIN (gate_weather);
