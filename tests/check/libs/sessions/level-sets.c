/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A session whose levels are other sets of layers than the first ones: the
 * lowest rung, and one more rung alone. A sender and a receiver, and a network
 * that hands over what is joined, and no record: both have the session.
 */
#include "support/test-source.h"
#include "support/train-run.h"

#include <gst/lmcc/control/session-algorithm.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/rtcp.h>
#include <string.h>

#define N_RUNGS 3
#define PICTURES_PER_SECOND (LMCC_SECOND / TEST_SOURCE_INTERVAL)

/* What waits for something that does not come comes out after that, and all
 * else within the sender's window and the time from one filler to the next. */
#define LATENCY (8 * LMCC_SECOND)

static const gdouble rates[N_RUNGS] = { 200e3, 300e3, 600e3 };

/* @changes: groups as they are joined, and left with a minus before */
typedef struct
{
  LmccSender *sender;
  LmccReceiver *receiver;
  TestSource source;
  LmccSession session;
  LmccTime now;
  GString *changes;
  gboolean joined[N_RUNGS];
  gint level;
  guint delivered;  /* pictures */
  guint drop_every; /* media packets of a layer; 0: none is lost */
  guint n_media[N_RUNGS];
} Loop;

static void
set_levels (LmccSession *session, guint n)
{
  guint i;

  for (i = 0; i < n; i++)
    session->level_layers[i] = 1 | G_GUINT64_CONSTANT (1) << i;
}

static void
drain_receiver (Loop *loop)
{
  LmccReceiverAction action;

  while (loop->receiver != NULL
      && lmcc_receiver_poll_action (loop->receiver, &action)) {
    switch (action.type) {
      case LMCC_RECEIVER_ACTION_JOIN:
        fail_if (loop->joined[action.group]);
        loop->joined[action.group] = TRUE;
        g_string_append_printf (loop->changes, "%u ", action.group);
        break;
      case LMCC_RECEIVER_ACTION_LEAVE:
        fail_unless (loop->joined[action.group]);
        loop->joined[action.group] = FALSE;
        g_string_append_printf (loop->changes, "-%u ", action.group);
        break;
      case LMCC_RECEIVER_ACTION_LEVEL:
        fail_unless_equals_int (action.from, loop->level);
        loop->level = action.to;
        break;
      case LMCC_RECEIVER_ACTION_DELIVER:
        loop->delivered += action.unit_start;
        break;
      default:
        break;
    }
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
}

static gboolean
is_lost (Loop *loop, const LmccSenderAction *action)
{
  LmccHeader header;
  LmccRtp rtp;

  fail_unless (lmcc_rtp_parse (action->packet->data, action->packet->size,
      LMCC_HEADER_DEFAULT_ID, &rtp));
  fail_unless (lmcc_header_parse (rtp.element, rtp.element_size, &header));

  return header.type == LMCC_PACKET_MEDIA && loop->drop_every > 0
      && ++loop->n_media[header.layer] % loop->drop_every == 0;
}

static void
drain_sender (Loop *loop)
{
  LmccSenderAction action;

  while (lmcc_sender_poll_action (loop->sender, &action)) {
    if (action.packet == NULL)
      continue;
    test_source_note_sent (&loop->source, action.packet,
        action.type == LMCC_SENDER_ACTION_SEND_CONTROL);
    if (action.type == LMCC_SENDER_ACTION_SEND && loop->joined[action.group]
        && !is_lost (loop, &action)) {
      lmcc_receiver_handle_packet (loop->receiver, loop->now, loop->now,
          action.group, &loop->session.source, 40000, action.packet);
      drain_receiver (loop);
    } else {
      lmcc_packet_unref (action.packet);
    }
  }
}

static void
run (Loop *loop, LmccTime duration)
{
  LmccTime end = loop->now + duration;

  for (;;) {
    LmccTime next =
        MIN (loop->source.next, lmcc_sender_next_timeout (loop->sender));

    if (loop->receiver != NULL)
      next = MIN (next, lmcc_receiver_next_timeout (loop->receiver));
    if (next > end)
      break;
    loop->now = MAX (loop->now, next);
    if (loop->now >= loop->source.next)
      test_source_push (&loop->source, loop->now);
    lmcc_sender_handle_timeout (loop->sender, loop->now);
    drain_sender (loop);
    if (loop->receiver != NULL)
      lmcc_receiver_handle_timeout (loop->receiver, loop->now);
    drain_receiver (loop);
  }
  loop->now = end;
}

/* The sender has gone on for long enough for its rates to be known. */
static Loop *
new_loop (guint repair, gint max_level)
{
  Loop *loop = g_new0 (Loop, 1);
  LmccSenderConfig config = sender_config (N_RUNGS);
  LmccReceiverConfig receiver = { .algorithm = "none",
    .rtt_mode = LMCC_RTT_MODE_JOIN,
    .latency = LATENCY,
    .max_level = max_level };

  set_levels (&config.session, N_RUNGS);
  config.session.repair = repair;
  loop->now = START;
  loop->changes = g_string_new (NULL);
  loop->level = -1;
  loop->sender = lmcc_sender_new (&config, START, NULL);
  fail_unless (loop->sender != NULL);
  test_source_init (&loop->source, loop->sender, rates, N_RUNGS, START);
  run (loop, 5 * LMCC_SECOND);
  loop->session = *lmcc_sender_get_session (loop->sender);
  fail_unless_equals_int (loop->session.n_layers, N_RUNGS);
  receiver.address = loop->session.address;
  receiver.session = &loop->session;
  loop->receiver = lmcc_receiver_new (&receiver);
  lmcc_receiver_start (loop->receiver, loop->now);
  drain_receiver (loop);

  return loop;
}

static void
free_loop (Loop *loop)
{
  lmcc_receiver_free (loop->receiver);
  lmcc_sender_free (loop->sender);
  g_string_free (loop->changes, TRUE);
  g_free (loop);
}

static LmccReceiverStats
stats_of (Loop *loop)
{
  LmccReceiverStats stats;

  lmcc_receiver_get_stats (loop->receiver, loop->now, &stats);

  return stats;
}

/* What was joined and left, and nothing is lost or waited for. */
static void
check (Loop *loop, const gchar *changes, gint level)
{
  LmccReceiverStats stats;

  fail_unless_equals_string (loop->changes->str, changes);
  g_string_truncate (loop->changes, 0);
  fail_unless_equals_int (loop->level, level);
  loop->delivered = 0;
  run (loop, 4 * LMCC_SECOND);
  stats = stats_of (loop);
  fail_unless_equals_string (loop->changes->str, "");
  fail_unless_equals_int (stats.level, level);
  fail_unless_equals_int (stats.rung, level);
  fail_unless_equals_uint64 (stats.lost, 0);
  fail_unless (loop->delivered >= 3 * PICTURES_PER_SECOND);
}

static void
set_max_level (Loop *loop, gint level)
{
  lmcc_receiver_set_max_level (loop->receiver, level, loop->now);
  drain_receiver (loop);
}

GST_START_TEST (test_a_level_holds_its_layers_and_no_others)
{
  Loop *loop = new_loop (0, 2);

  run (loop, LMCC_SECOND);
  check (loop, "0 2 ", 2);
  fail_unless_equals_uint64 (stats_of (loop).layers[1].received, 0);
  free_loop (loop);
}

GST_END_TEST;

GST_START_TEST (test_a_change_joins_and_leaves_what_the_levels_do_not_share)
{
  Loop *loop = new_loop (0, 0);

  run (loop, LMCC_SECOND);
  check (loop, "0 ", 0);
  set_max_level (loop, 1);
  check (loop, "1 ", 1);
  set_max_level (loop, 2);
  check (loop, "-1 2 ", 2);
  set_max_level (loop, 1);
  check (loop, "-2 1 ", 1);
  set_max_level (loop, 2);
  set_max_level (loop, 1);
  check (loop, "-1 2 -2 1 ", 1);
  set_max_level (loop, 0);
  check (loop, "-1 ", 0);
  set_max_level (loop, 2);
  check (loop, "2 ", 2);
  set_max_level (loop, 0);
  check (loop, "-2 ", 0);
  lmcc_receiver_stop (loop->receiver, loop->now);
  drain_receiver (loop);
  fail_unless_equals_string (loop->changes->str, "-0 ");
  free_loop (loop);
}

GST_END_TEST;

/* 800 kbit/s are those of level 2; of all layers they are 1100. */
GST_START_TEST (test_caps_go_by_the_rates_of_levels)
{
  Loop *loop = new_loop (0, -1);

  fail_unless (lmcc_session_level_rate (&loop->session, 2) > 750000);
  fail_unless (lmcc_session_level_rate (&loop->session, 2) < 850000);
  run (loop, LMCC_SECOND);
  check (loop, "0 2 ", 2);
  lmcc_receiver_set_max_bitrate (loop->receiver, 950000, loop->now);
  drain_receiver (loop);
  check (loop, "", 2);
  lmcc_receiver_set_max_bitrate (loop->receiver, 650000, loop->now);
  drain_receiver (loop);
  check (loop, "-2 1 ", 1);
  free_loop (loop);
}

GST_END_TEST;

/* Repair is for what is held, and comes in what is held. */
GST_START_TEST (test_what_is_lost_of_a_level_is_repaired)
{
  Loop *loop = new_loop (300, 2);
  LmccReceiverStats stats;
  guint lost = 0, repaired = 0, i;

  run (loop, LMCC_SECOND);
  loop->drop_every = 40;
  run (loop, 10 * LMCC_SECOND);
  loop->drop_every = 0;
  run (loop, LATENCY);
  stats = stats_of (loop);
  for (i = 0; i < LMCC_MAX_CLASSES; i++) {
    lost += stats.repair.classes[i].lost;
    repaired += stats.repair.classes[i].repaired;
  }
  fail_unless (stats.layers[0].lost > 0 && stats.layers[2].lost > 0);
  fail_unless_equals_uint64 (stats.layers[1].received, 0);
  fail_unless_equals_uint64 (lost, stats.lost);
  fail_unless (repaired >= lost * 9 / 10, "%u of %u repaired", repaired, lost);
  fail_unless (loop->delivered > 10 * PICTURES_PER_SECOND);
  free_loop (loop);
}

GST_END_TEST;

/* A record says nothing of levels: they are the first layers from then on. */
static void
send_record (Loop *loop)
{
  LmccSession session = loop->session;
  g_autofree gchar *text = NULL;
  g_autoptr (LmccPacket) packet = NULL;
  LmccSenderReport report = { .ssrc = session.ssrc_base };
  LmccRecordFragment fragment = { .ssrc = session.ssrc_base, .count = 1 };

  session.revision++;
  text = lmcc_sdp_format (&session, LMCC_SDP_RECORD);
  fragment.version = (guint16) session.revision;
  fragment.data = (const guint8 *) text;
  fragment.size = strlen (text);
  packet = lmcc_rtcp_build (&report, 1, "test", &fragment);
  lmcc_receiver_handle_control (loop->receiver, loop->now, &session.source,
      40000, packet->data, packet->size);
  drain_receiver (loop);
}

GST_START_TEST (test_a_level_that_has_other_layers_changes_its_groups)
{
  Loop *loop = new_loop (0, 2);

  run (loop, LMCC_SECOND);
  check (loop, "0 2 ", 2);
  send_record (loop);
  check (loop, "1 ", 2);
  fail_unless (stats_of (loop).layers[1].received > 0);
  free_loop (loop);
}

GST_END_TEST;

GST_START_TEST (test_what_needs_cumulative_levels_says_so)
{
  static const gchar *const names[] = { "rlc", "flid-sl", "flid-dl",
    "synchronized" };
  LmccSenderConfig config = sender_config (N_RUNGS);
  guint i;

  set_levels (&config.session, N_RUNGS);
  config.session.native = FALSE;
  config.session.n_layers = config.session.n_groups = N_RUNGS;
  for (i = 0; i < N_RUNGS; i++)
    config.session.layers[i].rate = 100000u << i;
  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    LmccSession session = config.session;
    const LmccAlgorithm *algorithm = lmcc_algorithm_find (names[i]);
    g_autoptr (GError) error = NULL;
    g_autofree gchar *obstacle = NULL;

    fail_unless (algorithm != NULL);
    g_strlcpy (session.algorithm, names[i], LMCC_ALGORITHM_NAME_SIZE);
    fail_if (lmcc_session_fit_algorithm (&session, 0, 0, &error));
    fail_unless (strstr (error->message, "one layer more") != NULL);
    session.slot = LMCC_SECOND;
    obstacle = lmcc_algorithm_find_obstacle (algorithm, &session);
    fail_unless (obstacle != NULL && strstr (obstacle, "one layer more"));
  }
  fail_unless (lmcc_sender_new (&config, START, NULL) == NULL);
}

GST_END_TEST;

#define N_TRAIN_LAYERS 4
#define SETTLED (START + 6 * LMCC_SECOND)
#define END (START + 26 * LMCC_SECOND)

/* What a level adds is silent in its train: for the window, less what a picture
 * that is about to come adds to the queue, and less the time between what is
 * sent ahead and the train. */
#define SILENCE (WINDOW - PICTURE - 30 * MS - MS / 1000)

/* Who holds the level below has the layers of a train, and nobody else: its
 * rate is that of its level. */
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
  tcase_add_test (tc, test_caps_go_by_the_rates_of_levels);
  tcase_add_test (tc, test_what_is_lost_of_a_level_is_repaired);
  tcase_add_test (tc, test_a_level_that_has_other_layers_changes_its_groups);
  tcase_add_test (tc, test_what_needs_cumulative_levels_says_so);
  tcase_add_test (tc,
      test_a_train_is_of_the_level_below_and_has_its_own_levels_rate);

  return suite;
}

GST_CHECK_MAIN (level_sets);
