/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests a session whose levels are not cumulative: the lowest rung, and one
 * more rung alone.
 */
#include "support/level-loop.h"
#include "support/train-run.h"

#include <gst/lmcc/control/session-algorithm.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/levels.h>
#include <gst/lmcc/wire/rtcp.h>
#include <string.h>

static void
set_levels (LmccSession *session, guint n)
{
  guint i;

  for (i = 0; i < n; i++)
    session->level_layers[i] = 1 | G_GUINT64_CONSTANT (1) << i;
}

GST_START_TEST (test_a_level_holds_its_layers_and_no_others)
{
  LevelLoop *loop = level_loop_new (LMCC_LEVELS_FALLBACK, 0, 0, 2);

  level_loop_run (loop, LMCC_SECOND);
  level_loop_check (loop, "0 2 ", 2);
  fail_unless_equals_uint64 (level_loop_get_stats (loop).layers[1].received, 0);
  level_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_a_change_joins_and_leaves_what_the_levels_do_not_share)
{
  LevelLoop *loop = level_loop_new (LMCC_LEVELS_FALLBACK, 0, 0, 0);

  level_loop_run (loop, LMCC_SECOND);
  level_loop_check (loop, "0 ", 0);
  level_loop_set_max_level (loop, 1);
  level_loop_check (loop, "1 ", 1);
  level_loop_set_max_level (loop, 2);
  level_loop_check (loop, "2 -1 ", 2);
  level_loop_set_max_level (loop, 1);
  level_loop_check (loop, "-2 1 ", 1);
  level_loop_set_max_level (loop, 2);
  level_loop_set_max_level (loop, 1);
  level_loop_check (loop, "2 -2 ", 1);
  level_loop_set_max_level (loop, 0);
  level_loop_check (loop, "-1 ", 0);
  level_loop_set_max_level (loop, 2);
  level_loop_check (loop, "2 ", 2);
  level_loop_set_max_level (loop, 0);
  level_loop_check (loop, "-2 ", 0);
  lmcc_receiver_stop (loop->receiver, loop->now);
  level_loop_drain_receiver (loop);
  fail_unless_equals_string (loop->changes->str, "-0 ");
  level_loop_free (loop);
}

GST_END_TEST;

/* The base layer has no pictures, and is never left. */
GST_START_TEST (test_a_replicated_level_holds_one_rung_beside_the_base)
{
  LevelLoop *loop = level_loop_new (LMCC_LEVELS_REPLICATED, 0, 0, 0);

  level_loop_run (loop, LMCC_SECOND);
  level_loop_check (loop, "0 1 ", 0);
  level_loop_set_max_level (loop, 1);
  level_loop_check (loop, "2 -1 ", 1);
  level_loop_set_max_level (loop, 2);
  level_loop_check (loop, "3 -2 ", 2);
  level_loop_set_max_level (loop, 0);
  level_loop_check (loop, "1 -3 ", 0);
  fail_unless (lmcc_session_level_rate (&loop->session, 2) > 550000);
  fail_unless (lmcc_session_level_rate (&loop->session, 2) < 650000);
  fail_unless (loop->session.layers[0].rate < 20000);
  lmcc_receiver_stop (loop->receiver, loop->now);
  level_loop_drain_receiver (loop);
  fail_unless_equals_string (loop->changes->str, "-1 -0 ");
  level_loop_free (loop);
}

GST_END_TEST;

/* 900 kbit/s is the rate of level 2; that of all layers is 1200. */
GST_START_TEST (test_caps_go_by_the_rates_of_levels)
{
  LevelLoop *loop = level_loop_new (LMCC_LEVELS_FALLBACK, 0, 0, -1);

  fail_unless (lmcc_session_level_rate (&loop->session, 2) > 850000);
  fail_unless (lmcc_session_level_rate (&loop->session, 2) < 950000);
  level_loop_run (loop, LMCC_SECOND);
  level_loop_check (loop, "0 2 ", 2);
  lmcc_receiver_set_max_bitrate (loop->receiver, 1050000, loop->now);
  level_loop_drain_receiver (loop);
  level_loop_check (loop, "", 2);
  lmcc_receiver_set_max_bitrate (loop->receiver, 700000, loop->now);
  level_loop_drain_receiver (loop);
  level_loop_check (loop, "-2 1 ", 1);
  level_loop_free (loop);
}

GST_END_TEST;

/* Repair protects the joined layers, and is sent in them. */
GST_START_TEST (test_what_is_lost_of_a_level_is_repaired)
{
  LevelLoop *loop = level_loop_new (LMCC_LEVELS_FALLBACK, 300, 0, 2);
  LmccReceiverStats stats;
  guint lost = 0, repaired = 0, i;

  level_loop_run (loop, LMCC_SECOND);
  loop->drop_every = 40;
  level_loop_run (loop, 10 * LMCC_SECOND);
  loop->drop_every = 0;
  level_loop_run (loop, LEVEL_LOOP_LATENCY);
  stats = level_loop_get_stats (loop);
  for (i = 0; i < LMCC_MAX_CLASSES; i++) {
    lost += stats.repair.classes[i].lost;
    repaired += stats.repair.classes[i].repaired;
  }
  fail_unless (stats.layers[0].lost > 0 && stats.layers[2].lost > 0);
  fail_unless_equals_uint64 (stats.layers[1].received, 0);
  fail_unless_equals_uint64 (lost, stats.lost);
  fail_unless (repaired >= lost * 9 / 10, "%u of %u repaired", repaired, lost);
  fail_unless (loop->delivered > 10 * LEVEL_LOOP_PICTURES_PER_SECOND);
  level_loop_free (loop);
}

GST_END_TEST;

static void
send_session (LevelLoop *loop, const LmccSession *session)
{
  g_autofree gchar *text = lmcc_sdp_format (session, LMCC_SDP_RECORD);
  g_autoptr (LmccPacket) packet = NULL;
  LmccSenderReport report = { .ssrc = session->ssrc_base };
  LmccRecordFragment fragment = { .ssrc = session->ssrc_base, .count = 1 };

  fragment.version = (guint16) session->revision;
  fragment.data = (const guint8 *) text;
  fragment.size = strlen (text);
  packet = lmcc_rtcp_build (&report, 1, "test", &fragment);
  lmcc_receiver_handle_control (loop->receiver, loop->now, &session->source,
      40000, packet->data, packet->size);
  level_loop_drain_receiver (loop);
}

/* From then on, levels are cumulative. */
static void
send_record (LevelLoop *loop)
{
  LmccSession session = loop->session;

  session.revision++;
  lmcc_session_set_levels (&session, LMCC_LEVELS_CUMULATIVE);
  send_session (loop, &session);
}

/* The forged record claims that the base layer has pictures. */
GST_START_TEST (test_a_base_without_pictures_is_not_waited_for_after_a_forgery)
{
  LevelLoop *loop = level_loop_new (LMCC_LEVELS_REPLICATED, 0, 25, 2);
  LmccSession forged = loop->session, truth = loop->session;

  level_loop_run (loop, 3 * LMCC_SECOND);
  forged.revision++;
  forged.layers[0].stream = forged.layers[0].klass = 0;
  lmcc_session_set_levels (&forged, LMCC_LEVELS_CUMULATIVE);
  send_session (loop, &forged);
  level_loop_run (loop, LMCC_SECOND);
  truth.revision += 2;
  send_session (loop, &truth);
  level_loop_run (loop, 3 * LMCC_SECOND);
  loop->delivered = loop->gaps = 0;
  level_loop_run (loop, 4 * LMCC_SECOND);
  fail_unless (loop->delivered >= 3 * LEVEL_LOOP_PICTURES_PER_SECOND);
  fail_unless_equals_int (level_loop_get_stats (loop).rung, 2);
  fail_unless_equals_int (loop->gaps, 0);
  level_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_a_level_that_has_other_layers_changes_its_groups)
{
  LevelLoop *loop = level_loop_new (LMCC_LEVELS_FALLBACK, 0, 0, 2);

  level_loop_run (loop, LMCC_SECOND);
  level_loop_check (loop, "0 2 ", 2);
  send_record (loop);
  level_loop_check (loop, "1 ", 2);
  fail_unless (level_loop_get_stats (loop).layers[1].received > 0);
  level_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_what_needs_cumulative_levels_says_so)
{
  static const gchar *const names[] = { "rlc", "flid-sl", "flid-dl",
    "synchronized" };
  LmccSenderConfig config = sender_config (LEVEL_LOOP_N_RUNGS);
  guint i;

  set_levels (&config.session, LEVEL_LOOP_N_RUNGS);
  config.session.native = FALSE;
  config.session.n_layers = config.session.n_groups = LEVEL_LOOP_N_RUNGS;
  for (i = 0; i < LEVEL_LOOP_N_RUNGS; i++)
    config.session.layers[i].rate = 100000u << i;
  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    LmccSession session = config.session;
    const LmccAlgorithm *algorithm = lmcc_algorithm_find (names[i]);
    g_autoptr (GError) error = NULL;
    g_autofree gchar *obstacle = NULL;

    fail_unless (algorithm != NULL);
    g_strlcpy (session.algorithm, names[i], LMCC_ALGORITHM_NAME_SIZE);
    fail_if (lmcc_session_fit_algorithm (&session, 0, 0, &error));
    fail_unless (strstr (error->message, "cumulative levels") != NULL);
    session.slot = LMCC_SECOND;
    obstacle = lmcc_algorithm_find_obstacle (algorithm, &session);
    fail_unless (obstacle != NULL && strstr (obstacle, "cumulative levels"));
  }
  fail_unless (lmcc_sender_new (&config, START, NULL) == NULL);
}

GST_END_TEST;

static gboolean
has_fallback (const gchar *algorithm, guint n_rungs, gboolean native)
{
  LmccSenderConfig config = sender_config (n_rungs);
  LmccSender *sender;
  gboolean cumulative;
  guint i;

  config.levels = LMCC_LEVELS_AUTO;
  config.session.native = native;
  g_strlcpy (config.session.algorithm, algorithm, LMCC_ALGORITHM_NAME_SIZE);
  if (!native) {
    config.session.n_layers = config.session.n_groups = LEVEL_LOOP_N_RUNGS;
    for (i = 0; i < LEVEL_LOOP_N_RUNGS; i++)
      config.session.layers[i].rate = 100000u << MAX (i, 1);
  }
  sender = lmcc_sender_new (&config, START, NULL);
  fail_unless (sender != NULL, "%s, %u rungs", algorithm, n_rungs);
  cumulative = lmcc_session_is_cumulative (lmcc_sender_get_session (sender));
  lmcc_sender_free (sender);

  return !cumulative;
}

GST_START_TEST (test_levels_follow_from_rungs_layers_and_algorithm)
{
  fail_unless (has_fallback ("plumb", LEVEL_LOOP_N_RUNGS, TRUE));
  fail_unless (has_fallback ("elm", LEVEL_LOOP_N_RUNGS, TRUE));
  fail_unless (has_fallback ("none", LEVEL_LOOP_N_RUNGS, TRUE));
  fail_if (has_fallback ("rlm", LEVEL_LOOP_N_RUNGS, TRUE));
  fail_if (has_fallback ("plumb", 1, TRUE));
  fail_if (has_fallback ("plumb", LEVEL_LOOP_N_RUNGS, FALSE));
  fail_if (has_fallback ("rlc", LEVEL_LOOP_N_RUNGS, FALSE));
}

GST_END_TEST;

#define N_TRAIN_LAYERS 4
#define SETTLED (START + 6 * LMCC_SECOND)
#define END (START + 26 * LMCC_SECOND)

/* The added layer is silent in its train: for the window, minus the queue
 * growth by the next picture, and minus the time between the packets sent
 * ahead and the train. */
#define SILENCE (WINDOW - PICTURE - 30 * MS - MS / 1000)

/* Only receivers one level below get the layers of a train: its rate is that
 * of its level. */
GST_START_TEST (test_a_train_is_of_the_level_below_and_has_its_own_levels_rate)
{
  const LmccSenderConfig made = train_fixed_config (N_TRAIN_LAYERS, 1e6, 2);
  LmccSenderConfig config = train_native_config (N_TRAIN_LAYERS);
  guint n[N_TRAIN_LAYERS][N_TRAIN_LAYERS] = { { 0 } };
  gdouble bits[N_TRAIN_LAYERS] = { 0 }, time[N_TRAIN_LAYERS] = { 0 };
  const TrainPacket *before = NULL;
  LmccTime begin = 0;
  TrainRun run;
  guint i, k;

  set_levels (&config.session, N_TRAIN_LAYERS);
  run = train_run_new (&config, TRUE);
  train_run_push_pictures (&run, &made, END);
  for (i = 0; i < run.sent->len; i++) {
    const TrainPacket *packet = TRAIN_PACKET (&run, i);

    if (packet->time < SETTLED || packet->control)
      continue;
    if (!packet->burst) {
      fail_if (before != NULL && packet->layer == before->signal
              && packet->time < begin + SILENCE,
          "level %u is not silent", before->signal);
      continue;
    }
    n[packet->signal][packet->layer]++;
    if (before != NULL && before->signal == packet->signal
        && packet->time < before->time + 50 * MS) {
      bits[packet->signal] += 8.0 * before->size;
      time[packet->signal] +=
          (gdouble) (packet->time - before->time) / LMCC_SECOND;
    } else {
      begin = packet->time;
    }
    before = packet;
  }
  for (i = 1; i < N_TRAIN_LAYERS; i++) {
    gdouble rate =
        (gdouble) lmcc_session_level_rate (train_run_session (&run), i);

    for (k = 0; k < N_TRAIN_LAYERS; k++)
      fail_unless ((n[i][k] > 0) == (k == 0 || k == i - 1),
          "level %u: %u packets of layer %u", i, n[i][k], k);
    fail_unless (bits[i] / time[i] > 0.85 * rate
            && bits[i] / time[i] < 1.15 * rate,
        "level %u: %g, and not %g bit/s", i, bits[i] / time[i], rate);
  }
  train_run_clear (&run);
}

GST_END_TEST;

static Suite *
level_sets_suite (void)
{
  Suite *suite = suite_create ("level-sets");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_a_level_holds_its_layers_and_no_others);
  tcase_add_test (tc,
      test_a_change_joins_and_leaves_what_the_levels_do_not_share);
  tcase_add_test (tc, test_a_replicated_level_holds_one_rung_beside_the_base);
  tcase_add_test (tc,
      test_a_base_without_pictures_is_not_waited_for_after_a_forgery);
  tcase_add_test (tc, test_caps_go_by_the_rates_of_levels);
  tcase_add_test (tc, test_what_is_lost_of_a_level_is_repaired);
  tcase_add_test (tc, test_a_level_that_has_other_layers_changes_its_groups);
  tcase_add_test (tc, test_levels_follow_from_rungs_layers_and_algorithm);
  tcase_add_test (tc, test_what_needs_cumulative_levels_says_so);
  tcase_add_test (tc,
      test_a_train_is_of_the_level_below_and_has_its_own_levels_rate);

  return suite;
}

GST_CHECK_MAIN (level_sets);
