/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests properties that hold for every algorithm in the registry, whatever
 * packets arrive, and what the receiver does for the algorithms.
 */
#include "support/follow-controller.h"
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/controller.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/loss.h>
#include <gst/lmcc/wire/join-notice.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

#define N_LAYERS 6
#define SLOT (200 * LMCC_MSECOND)
#define MODULUS 64

typedef struct
{
  Followed followed;
  GRand *random;
  guint16 lsns[N_LAYERS];
  guint64 slot;
  LmccTime slot_begin;
} Property;

static void
fill_session (LmccSession *session, const LmccAlgorithm *algorithm)
{
  guint i;

  lmcc_session_init (session);
  g_strlcpy (session->algorithm, algorithm->name, sizeof (session->algorithm));
  session->n_layers = session->n_groups = N_LAYERS;
  session->slot = SLOT;
  session->slot_modulus = MODULUS;
  for (i = 0; i < N_LAYERS; i++)
    session->layers[i].rate = 100000u << i;
}

static void
random_packet (Property *test)
{
  const LmccControllerClass *klass = test->followed.controller->klass;
  guint layer = (guint) g_rand_int_range (test->random, 0, N_LAYERS);
  gboolean is_wild = g_rand_int_range (test->random, 0, 20) == 0;
  LmccHeader header = {
    .layer = (guint8) layer,
    .top_layer = N_LAYERS - 1,
    .slot =
        (guint16) (is_wild ? g_rand_int (test->random) : test->slot % MODULUS),
    .signal = (gint8) g_rand_int_range (test->random, -1, N_LAYERS),
    .burst = g_rand_boolean (test->random),
    .has_up_levels = TRUE,
    .up_levels = g_rand_int (test->random),
  };

  header.lsn = test->lsns[layer] +=
      (guint16) g_rand_int_range (test->random, 1, 4);
  if ((gint) layer > test->followed.level) {
    if (klass->on_left_packet != NULL)
      klass->on_left_packet (test->followed.controller, test->followed.now,
          test->followed.now, layer);
  } else if (klass->on_packet != NULL) {
    klass->on_packet (test->followed.controller, test->followed.now,
        test->followed.now, &header, 1000);
  }
}

static void
random_event (Property *test)
{
  const LmccControllerClass *klass = test->followed.controller->klass;
  guint layer = (guint) g_rand_int_range (test->random, 0, N_LAYERS);
  LmccTime past = (LmccTime) g_rand_int_range (test->random, 0, 300000000);
  LmccLoss loss = lmcc_loss_at (test->followed.now - past, 1 + layer);

  switch (g_rand_int_range (test->random, 0, 400)) {
    case 0:
      if (klass->on_loss != NULL && (gint) layer <= test->followed.level)
        klass->on_loss (test->followed.controller, test->followed.now, layer,
            &loss);
      break;
    case 1:
      if (klass->on_rtt != NULL)
        klass->on_rtt (test->followed.controller, test->followed.now, past + 1);
      break;
    case 2:
      if (klass->on_quality != NULL)
        klass->on_quality (test->followed.controller, test->followed.now,
            25 + layer, layer);
      break;
    case 3:
      test->followed.session.n_layers = 1 + layer;
      if (klass->on_session != NULL)
        klass->on_session (test->followed.controller, test->followed.now);
      break;
    case 4:
      if (klass->on_neighbour_join != NULL)
        klass->on_neighbour_join (test->followed.controller, test->followed.now,
            layer);
      break;
    case 6:
      if (klass->on_expected != NULL)
        klass->on_expected (test->followed.controller, test->followed.now,
            layer, test->lsns[layer] - (guint16) (past % 128),
            test->followed.now - past, (guint) (past % MODULUS));
      break;
    case 5:
      test->followed.cap = (gint) layer;
      break;
    default:
      random_packet (test);
      break;
  }
  follow (&test->followed);
}

/* Advances the time, usually by less than the interval between packets,
 * sometimes by seconds. */
static void
random_step (Property *test)
{
  LmccTime step = (LmccTime) g_rand_int_range (test->random, 0, 8000000);

  if (g_rand_int_range (test->random, 0, 2000) == 0)
    step *= 1000;
  test->followed.now += step;
  while (test->followed.now >= test->slot_begin + SLOT) {
    test->slot_begin += SLOT;
    test->slot++;
  }
}

static void
run_random (const LmccAlgorithm *algorithm, guint32 seed)
{
  Property test = { .followed = { .algorithm = algorithm,
                        .level = -1,
                        .cap = N_LAYERS - 1,
                        .now = 100 * LMCC_SECOND },
    .slot_begin = 100 * LMCC_SECOND };
  g_autoptr (LmccSettings) settings =
      lmcc_settings_new (algorithm->settings, algorithm->n_settings);
  LmccTime begin = test.followed.now;
  guint i;

  test.random = g_rand_new_with_seed (seed);
  fill_session (&test.followed.session, algorithm);
  test.followed.controller =
      algorithm->create (&test.followed.session, settings, seed);
  follow (&test.followed);
  for (i = 0; i < 6000; i++) {
    random_step (&test);
    let_time_pass (&test.followed);
    random_event (&test);
    let_time_pass (&test.followed);
  }
  if (lmcc_algorithm_has_slots (algorithm))
    fail_unless (test.followed.joins
            <= (test.followed.now - begin) / SLOT * 1.01 + 3,
        "%s joined %u times in %u slots", algorithm->name, test.followed.joins,
        (guint) ((test.followed.now - begin) / SLOT));
  test.followed.controller->klass->free (test.followed.controller);
  g_rand_free (test.random);
}

GST_START_TEST (test_whatever_comes_the_level_and_the_timers_are_sane)
{
  const LmccAlgorithm *const *algorithms;
  guint n, i;

  algorithms = lmcc_algorithm_list (&n);
  fail_unless (n >= 6);
  for (i = 0; i < n; i++)
    run_random (algorithms[i], (guint32) __i__);
}

GST_END_TEST;

GST_START_TEST (
    test_each_algorithm_is_found_and_its_settings_explain_themselves)
{
  const LmccAlgorithm *const *algorithms;
  guint n, i, j;

  algorithms = lmcc_algorithm_list (&n);
  for (i = 0; i < n; i++) {
    const LmccAlgorithm *algorithm = algorithms[i];

    fail_unless (lmcc_algorithm_find (algorithm->name) == algorithm);
    fail_unless (strlen (algorithm->name) < 16);
    fail_unless (strlen (algorithm->description) > 20);
    for (j = 0; j < algorithm->n_settings; j++) {
      const LmccSetting *setting = &algorithm->settings[j];

      fail_unless (strlen (setting->description) > 10);
      if (setting->type != LMCC_SETTING_CHOICE
          && setting->type != LMCC_SETTING_SWITCH)
        fail_unless (setting->standard >= setting->min
            && setting->standard <= setting->max);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_an_algorithm_without_its_marks_says_what_to_do)
{
  const LmccAlgorithm *flid = lmcc_algorithm_find ("flid-sl");
  g_autofree gchar *no_slots = NULL;
  g_autofree gchar *other = NULL;
  LmccSession session;

  fill_session (&session, flid);
  fail_unless (lmcc_algorithm_find_obstacle (flid, &session) == NULL);
  fail_unless (
      lmcc_algorithm_find_obstacle (lmcc_algorithm_find ("rlm"), &session)
      == NULL);
  session.slot = 0;
  no_slots = lmcc_algorithm_find_obstacle (flid, &session);
  fail_unless_equals_string (no_slots,
      "flid-sl needs layers of fixed rates with time slots, which this session "
      "does not have: use algorithm=auto, plumb or elm, or start lmccsink with "
      "algorithm=flid-sl layering=doubling");
  session.slot = SLOT;
  other = lmcc_algorithm_find_obstacle (lmcc_algorithm_find ("rlc"), &session);
  fail_unless (strstr (other, "those of flid-sl") != NULL, "%s", other);
}

GST_END_TEST;

/* A receiver that does not report is unknown to the sender, and the user is
 * told so. */
GST_START_TEST (test_a_session_of_one_rate_wants_its_own_algorithm)
{
  static const gchar *const others[] = { "elm", "plumb", "rlm" };
  const LmccAlgorithm *tfmcc = lmcc_algorithm_find ("tfmcc");
  g_autofree gchar *elsewhere = NULL;
  LmccSession session;
  guint i;

  fill_session (&session, tfmcc);
  for (i = 0; i < G_N_ELEMENTS (others); i++) {
    g_autofree gchar *obstacle =
        lmcc_algorithm_find_obstacle (lmcc_algorithm_find (others[i]),
            &session);

    fail_unless (obstacle != NULL && g_str_has_prefix (obstacle, others[i]));
    fail_unless (strstr (obstacle, "algorithm=auto") != NULL, "%s", obstacle);
  }
  fail_unless (lmcc_algorithm_find_obstacle (tfmcc, &session) == NULL);
  fail_unless (
      lmcc_algorithm_find_obstacle (lmcc_algorithm_find ("none"), &session)
      == NULL);
  elsewhere =
      lmcc_algorithm_find_obstacle (lmcc_algorithm_find ("pgmcc"), &session);
  fail_unless (strstr (elsewhere, "runs tfmcc") != NULL, "%s", elsewhere);
}

GST_END_TEST;

static const LmccAddress base = { .family = LMCC_FAMILY_IPV4,
  .bytes = { 239, 255, 42, 1 } };

static const LmccAddress sender = { .family = LMCC_FAMILY_IPV4,
  .bytes = { 10, 0, 0, 1 } };

#define SSRC 0x12345000u
#define OWN_SEED 4711u

typedef struct
{
  LmccReceiver *receiver;
  LmccSession session;
  LmccTime now;
  guint16 lsn;
  gboolean joined[LMCC_MAX_GROUPS];
  gboolean control_joined;
  guint control_group;
  guint n_warnings;
  gchar *warning;
  guint n_notices;
  LmccJoinNotice notice;
} Reception;

static void
drain (Reception *test)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (test->receiver, &action)) {
    switch (action.type) {
      case LMCC_RECEIVER_ACTION_JOIN:
      case LMCC_RECEIVER_ACTION_LEAVE:
        if (action.control) {
          test->control_joined = action.type == LMCC_RECEIVER_ACTION_JOIN;
          test->control_group = action.group;
        } else {
          test->joined[action.group] = action.type == LMCC_RECEIVER_ACTION_JOIN;
        }
        break;
      case LMCC_RECEIVER_ACTION_SEND_CONTROL:
        fail_unless (lmcc_join_notice_parse (action.packet->data,
            action.packet->size, &test->notice));
        fail_unless_equals_int (action.group, test->control_group);
        test->n_notices++;
        break;
      case LMCC_RECEIVER_ACTION_WARNING:
        test->n_warnings++;
        g_free (test->warning);
        test->warning = g_strdup (action.reason);
        break;
      default:
        break;
    }
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
}

static void
base_packet (Reception *test)
{
  LmccHeader header = { .top_layer = N_LAYERS - 1,
    .lsn = test->lsn++,
    .first = TRUE,
    .last = TRUE,
    .switch_point = TRUE,
    .osn = test->lsn,
    .signal = LMCC_SIGNAL_NOBODY };
  LmccRtp rtp = { .payload_type = 96,
    .ssrc = SSRC,
    .payload_size = 10,
    .sequence = test->lsn };

  header.send_time = lmcc_time_to_ntp_short (test->now);
  lmcc_receiver_handle_packet (test->receiver, test->now, test->now, 0, &sender,
      5004,
      lmcc_rtp_build (&rtp, &header, LMCC_HEADER_DEFAULT_ID,
          (const guint8 *) "0123456789"));
  drain (test);
}

static Reception *
new_reception (const gchar *algorithm, gboolean source_specific, guint n_groups)
{
  Reception *test = g_new0 (Reception, 1);
  LmccReceiverConfig config = { .address = base,
    .algorithm = algorithm,
    .latency = LMCC_DEFAULT_LATENCY,
    .max_level = -1,
    .sequence_seed = OWN_SEED };
  guint i;

  lmcc_session_init (&test->session);
  test->session.address = base;
  test->session.source = sender;
  test->session.source_specific = source_specific;
  test->session.port = 5004;
  test->session.ssrc_base = SSRC;
  test->session.version = 3;
  test->session.n_layers = N_LAYERS;
  test->session.n_groups = n_groups;
  test->session.video.clock_rate = 90000;
  g_strlcpy (test->session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  for (i = 0; i < N_LAYERS; i++)
    test->session.layers[i] = (LmccLayer){ 100000, 0, (guint8) i };
  config.session = &test->session;
  test->now = 10 * LMCC_SECOND;
  test->receiver = lmcc_receiver_new (&config);
  lmcc_receiver_start (test->receiver, test->now);
  base_packet (test);

  return test;
}

static void
free_reception (Reception *test)
{
  lmcc_receiver_stop (test->receiver, test->now);
  drain (test);
  fail_if (test->control_joined);
  lmcc_receiver_free (test->receiver);
  g_free (test->warning);
  g_free (test);
}

static void
run_reception (Reception *test, LmccTime duration)
{
  LmccTime end = test->now + duration;

  while (test->now < end) {
    test->now += 50 * LMCC_MSECOND;
    if (lmcc_receiver_next_timeout (test->receiver) <= test->now) {
      lmcc_receiver_handle_timeout (test->receiver, test->now);
      drain (test);
    }
    base_packet (test);
  }
}

static gint
level_of (Reception *test)
{
  LmccReceiverStats stats;

  lmcc_receiver_get_stats (test->receiver, test->now, &stats);

  return stats.level;
}

static LmccReceiverStats
stats_of (Reception *test)
{
  LmccReceiverStats stats;

  lmcc_receiver_get_stats (test->receiver, test->now, &stats);

  return stats;
}

GST_START_TEST (
    test_where_the_session_has_no_slots_the_base_is_held_and_it_is_said)
{
  static const gchar *const names[] = { "flid-sl", "flid-dl", "rlc",
    "synchronized" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    Reception *test = new_reception (names[i], FALSE, N_LAYERS);

    fail_unless_equals_int (test->n_warnings, 1);
    fail_unless (
        strstr (test->warning, "start lmccsink with algorithm=") != NULL
        && strstr (test->warning, names[i]) != NULL);
    run_reception (test, 5 * LMCC_SECOND);
    fail_unless_equals_int (level_of (test), 0);
    fail_if (test->joined[1]);
    fail_unless_equals_int (test->n_warnings, 1);
    free_reception (test);
  }
}

GST_END_TEST;

GST_START_TEST (test_rlm_joins_the_group_after_the_last_and_tells_of_its_joins)
{
  Reception *test = new_reception ("rlm", FALSE, N_LAYERS);

  fail_unless (test->control_joined);
  fail_unless_equals_int (test->control_group, N_LAYERS);
  run_reception (test, 60 * LMCC_SECOND);
  fail_unless_equals_int (level_of (test), 1);
  fail_unless (test->joined[1]);
  fail_unless_equals_int (test->n_notices, 1);
  fail_unless_equals_int (test->notice.level, 1);
  fail_unless_equals_int (test->notice.version, 3);
  fail_unless (test->notice.ssrc_base == SSRC);
  fail_unless_equals_int (test->n_warnings, 0);
  free_reception (test);
}

GST_END_TEST;

GST_START_TEST (test_source_specific_and_full_sessions_share_nothing_and_say_so)
{
  Reception *test = new_reception ("rlm", TRUE, N_LAYERS);

  fail_if (test->control_joined);
  fail_unless_equals_int (test->n_warnings, 1);
  fail_unless (strstr (test->warning, "source-specific") != NULL);
  run_reception (test, 60 * LMCC_SECOND);
  fail_unless_equals_int (level_of (test), 1);
  fail_unless_equals_int (test->n_notices, 0);
  free_reception (test);

  test = new_reception ("rlm", FALSE, LMCC_MAX_GROUPS);
  fail_if (test->control_joined);
  fail_unless (strstr (test->warning, "no address after") != NULL);
  free_reception (test);
}

GST_END_TEST;

static void
push_notice (Reception *test, guint32 ssrc, guint32 ssrc_base, guint version,
    guint level)
{
  LmccJoinNotice notice = { ssrc, ssrc_base, (guint8) version, (guint8) level };
  LmccPacket *packet = lmcc_join_notice_build (&notice);

  lmcc_receiver_handle_learning (test->receiver, test->now, packet->data,
      packet->size);
  lmcc_packet_unref (packet);
  drain (test);
}

GST_START_TEST (test_notices_that_cannot_be_are_dropped_and_counted)
{
  Reception *test = new_reception ("rlm", FALSE, N_LAYERS);
  LmccReceiverStats stats;
  guint8 junk[20] = { 0 };
  guint i;

  push_notice (test, 1, SSRC, 3, 2);
  fail_unless_equals_uint64 (stats_of (test).notices, 1);
  push_notice (test, OWN_SEED, SSRC, 3, 2);
  push_notice (test, 2, SSRC + 0x1000, 3, 2);
  push_notice (test, 3, SSRC, 4, 2);
  push_notice (test, 4, SSRC, 3, 0);
  push_notice (test, 5, SSRC, 3, N_LAYERS);
  lmcc_receiver_handle_learning (test->receiver, test->now, junk, 20);
  lmcc_receiver_handle_learning (test->receiver, test->now, junk, 0);
  stats = stats_of (test);
  fail_unless_equals_uint64 (stats.notices, 1);
  fail_unless_equals_uint64 (stats.drops[LMCC_DROP_FOREIGN_SSRC], 2);
  fail_unless_equals_uint64 (stats.drops[LMCC_DROP_WRONG_LAYER], 2);
  fail_unless_equals_uint64 (stats.drops[LMCC_DROP_BAD_RTCP], 2);

  /* One from each receiver, ten from all of them per second. */
  push_notice (test, 1, SSRC, 3, 2);
  for (i = 0; i < 100; i++)
    push_notice (test, 10 + i, SSRC, 3, 2);
  stats = stats_of (test);
  fail_unless_equals_uint64 (stats.notices, 10);
  fail_unless_equals_uint64 (stats.drops[LMCC_DROP_TOO_OFTEN], 92);
  test->now += LMCC_SECOND;
  push_notice (test, 1, SSRC, 3, 2);
  fail_unless_equals_uint64 (stats_of (test).notices, 11);
  free_reception (test);
}

GST_END_TEST;

static Suite *
controllers_suite (void)
{
  Suite *suite = suite_create ("controllers");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase,
      test_whatever_comes_the_level_and_the_timers_are_sane, 0,
      test_is_slow () ? 2 : 8);
  tcase_add_test (tcase,
      test_each_algorithm_is_found_and_its_settings_explain_themselves);
  tcase_add_test (tcase, test_an_algorithm_without_its_marks_says_what_to_do);
  tcase_add_test (tcase, test_a_session_of_one_rate_wants_its_own_algorithm);
  tcase_add_test (tcase,
      test_where_the_session_has_no_slots_the_base_is_held_and_it_is_said);
  tcase_add_test (tcase,
      test_rlm_joins_the_group_after_the_last_and_tells_of_its_joins);
  tcase_add_test (tcase,
      test_source_specific_and_full_sessions_share_nothing_and_say_so);
  tcase_add_test (tcase, test_notices_that_cannot_be_are_dropped_and_counted);

  return suite;
}

GST_CHECK_MAIN (controllers);
